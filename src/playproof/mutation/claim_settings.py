"""The settings that the claims of a game use, each with its claims, its description and random games by the
unchanged rules, made once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from playproof.database.errors import InputError
from playproof.language import Interpreter
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.random import Stream, make_game_seed
from playproof.language.registry import build
from playproof.mutation.mutants import Mutant, list_mutants_of_sealed_game
from playproof.verifier.kernel.statements import PROPERTIES
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.proof.counting import follow_action_words_while_legal
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claim_check import list_mistakes_in_questions
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.premises import GameMeaning
from playproof.verifier.search.case import Budget, GameCase, GivenGameCase

# -- ways to play --------------------------------------------------------------------------------------------
# The settings that the claims of a game use, each with its claims and its description, made once.

POOL = 24
"""The number of games of each setting along which surviving mutants are played."""
_SEARCHED = 8.0
_MET = 0.05
"""The share of states in which random games meet, below which a game has too many states to be searched: games of
20,000 states meet in half of them, the four games in less than one in twenty."""


@dataclass(eq=False)
class ClaimSetting:
    """One way to play: its claims, and the game under it."""

    ref: str
    values: dict[str, str]
    rulings: dict[str, str]
    questions: list[Question]
    _small: bool | None = None

    @cached_property
    def game(self) -> Game:
        """The unchanged description."""
        return build(self.ref, Options(dict(self.values), dict(self.rulings)))

    @cached_property
    def digest(self) -> str:
        """The digest of the description."""
        return digest(self.game)

    @cached_property
    def meaning(self) -> GameMeaning:
        """What claims rest on. It is read before a mutant changes a field of the game in place."""
        return GameMeaning(self.game)

    @cached_property
    def mutants(self) -> dict[str, Mutant]:
        """Every mutant of the description, by its key."""
        return {mutant.key: mutant for mutant in list_mutants_of_sealed_game(self.game)}

    @cached_property
    def example_lines(self) -> list[list[int]]:
        """Lines of play from the worked examples."""
        play = Interpreter(self.game)
        return [
            list(follow_action_words_while_legal(play, _get_action_words_of_example(q)))
            for q in self.questions
            if q.ask == "example"
        ]

    @cached_property
    def random_games(self) -> list[RandomGame]:
        """Random games by the unchanged rules, along which changed rules are played."""
        return play_random_games(GivenGameCase(self.ref, self.game, self.values, self.rulings), POOL, 0)

    def is_searchable_within_states(self, most_states: int) -> bool:
        """Return whether the unchanged game has few states, so that a changed one can be
        searched."""
        if self._small is None:
            case = GivenGameCase(self.ref, self.game, self.values, self.rulings)
            self._small = (
                self._compute_share_of_states_met_twice() > _MET
                and case.explore_all_states_or_none_if_many(Budget(_SEARCHED, most_states)) is not None
            )
        return self._small

    def _compute_share_of_states_met_twice(self) -> float:
        """Return the share of the pool's states to which more than one of its games comes."""
        visits = Counter(state for line in self.random_games for state in set(map(tuple, line.states)))
        return sum(number > 1 for number in visits.values()) / len(visits)

    @cached_property
    def invariant_conditions(self) -> list[str]:
        """The conditions that the claims expect to be always true."""
        texts: list[str] = []
        for question in self.questions:
            if question.ask == "always" and question.expect is True and question.of not in PROPERTIES:
                texts += list_condition_texts_of_claim_and_given(question)
        return list(dict.fromkeys(texts))

    @property
    def name(self) -> str:
        """The setting in words, as `chapter=1`, or a phrase for the defaults."""
        chosen = [f"{name}={value}" for name, value in {**self.values, **self.rulings}.items()]
        return ", ".join(chosen) or "as it is played"


def _get_action_words_of_example(question: Question) -> Sequence[str]:
    return [str(word) for word in question.of["line"]]


def list_claim_settings_most_claims_first(
    game_reference: str, claims: Mapping[str, Question] | None = None
) -> list[ClaimSetting]:
    """Return the settings of a game's claims, the one with the most claims first. Claims that
    compare settings are left out; claims about the cards are asked with the first setting, since cards are the same
    in each. Raises InputError for claims that cannot be understood."""
    settings: dict[str, ClaimSetting] = {}
    if claims is None:
        claims = load_claims_as_questions_or_raise(game_reference)
    misread = list_mistakes_in_questions(game_reference, claims.values(), claims)
    if misread:
        raise InputError(misread)
    of_cards = [question for question in claims.values() if question.ask == "ledger"]
    for question in claims.values():
        if question.ask in ("same", "tune", "ledger"):
            continue
        values = {str(k): str(v) for k, v in question.values.items()}
        rulings = {str(k): str(v) for k, v in question.rulings.items()}
        key = repr((sorted(values.items()), sorted(rulings.items())))
        setting = settings.setdefault(key, ClaimSetting(game_reference, values, rulings, []))
        setting.questions.append(question)
    if of_cards and not settings:
        settings[""] = ClaimSetting(game_reference, {}, {}, [])
    ordered = sorted(settings.values(), key=lambda setting: -len(setting.questions))
    if of_cards:
        ordered[0].questions += of_cards
    return ordered


# -- random lines --------------------------------------------------------------------------------------------
# Random games by the unchanged rules, along which changed rules are asked.

LONGEST = 600
"""The number of actions after which a game is cut off."""
_RUN = 20_271_117


@dataclass(frozen=True)
class RandomGame:
    """A game by the unchanged rules: its actions, the states before and after each, and the legal
    actions at each decision."""

    idents: list[int]
    states: list[list[int]]
    legal: list[frozenset[int]]


def play_random_games(case: GameCase, game_count: int, seed: int) -> list[RandomGame]:
    """Return `game_count` random games, each with its own stream of chance."""
    taken = Counter[int]()
    return [
        _play_random_game_preferring_rare_actions(case, Stream(make_game_seed(_RUN + seed, n)), taken)
        for n in range(game_count)
    ]


def _play_random_game_preferring_rare_actions(
    case: GameCase, stream: Stream, action_counts: Counter[int]
) -> RandomGame:
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    state, line = list(case.first), RandomGame([], [], [])
    line.states.append(list(state))
    while not state[1] and len(line.idents) < LONGEST:
        n = module.legal(state, out, weights)
        legal = out[:n]
        if not n:
            break
        rare = min(legal, key=lambda i: action_counts[i]) if stream.below(2) else None
        ident = legal[stream.below(n)] if rare is None else rare
        action_counts[ident] += 1
        line.legal.append(frozenset(legal))
        line.idents.append(ident)
        module.apply(state, ident)
        line.states.append(list(state))
    return line
