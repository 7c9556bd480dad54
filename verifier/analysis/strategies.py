"""A strategy of a claims file, put to use: a card that a person plays by, with what is proved of it, and a
bot that plays it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.database.game import load_game
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.random import Stream
from playproof.language.registry import (
    build,
    get_name_recorded_for_game,
    has_rules_but_no_cards,
    load_cards_if_rules_need_them,
)
from playproof.referee.bots.base import BotError, Looks, Sight
from playproof.referee.engine import Engine
from playproof.referee.view import DisplayFacts
from playproof.verifier.kernel.evidence import option_values_to_texts
from playproof.verifier.kernel.state_graphs import Edges, RowReader, Steps
from playproof.verifier.kernel.strategies import list_actions_allowed_by_strategy
from playproof.verifier.kernel.ways_to_play import Strategy
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import EVALUATION, strategy_spec_to_strategy
from playproof.verifier.questions.verdicts import Answer
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.decision_lists import (
    find_best_rule_list_and_best_play_chance,
    rule_list_to_strategy_spec,
)

# -- strategy card -------------------------------------------------------------------------------------------
# A strategy as a card that a person plays by: numbered rules, and what is proved of them, as Markdown.

_SIGNS = MappingProxyType(
    {"==": "is", "!=": "is not", "<=": "is at most", ">=": "is at least", "<": "is less than", ">": "is more than"}
)
_FEW = 3
"""Actions of one kind that a card lists."""
_TIES = MappingProxyType(
    {
        "any": "Of equal actions take any.",
        "first": "Of equal actions take the first one that the game lists.",
        "random": "Of equal actions draw one.",
    }
)


def format_strategy_card_as_markdown(game_ref: str, question: Question, answer: Answer) -> str:
    """Return the card of a claim that was answered. Raises InputError if the claim names no strategy."""
    game = _build_game_of_question(game_ref, question)
    plan = strategy_spec_to_strategy(game, question.of, question.where)
    who = "You play" if game.players == 1 else f"Seat {plan.seats[0]} plays"
    if len(plan.seats) > 1:
        team = " and ".join(map(str, plan.seats))
        who = "Each seat plays" if len(plan.seats) == game.players else f"The seats {team} play"
    rules = question.of["play"]
    last = "" if set(rules[-1]) & {"take", "when"} == set() else "If no rule fits, take any legal action. "
    lines = [
        f"# {_get_title_of_game(game_ref)}: {question.id}",
        "",
        *([question.says, ""] if question.says else []),
        f"{who} by the first rule that fits.",
        "",
        *(
            f"{number}. {' '.join(_iter_sentences_of_rule(game, rule, read.idents))}"
            for number, (rule, read) in enumerate(zip(rules, plan.rules, strict=True), 1)
        ),
        "",
        f"{last}{_TIES[plan.ties]}",
        "",
        f"**{_describe_what_is_proved(question, answer)}**",
    ]
    return "\n".join(lines) + "\n"


def find_best_rules_claim_and_comparison(
    game_ref: str, option_values: Mapping[str, str], rulings: Mapping[str, str], *, seat: int, max_rules: int
) -> tuple[Question, str]:
    """Return the claim of the best list of rules that is found, and a line that compares it with best play. Raises
    NotShown, and InputError if the game has no such seat."""
    case = GameCase(game_ref, option_values, rulings, machine=False)
    target: dict[str, object] = {"outcome": "win", "seat": seat}
    strategy_spec_to_strategy(case.game, {"target": target, "seat": seat, "play": [{"when": "0 == 1"}]})
    proposal, best = find_best_rule_list_and_best_play_chance(case, target, seat, max_rules)
    of = rule_list_to_strategy_spec(case.game, target, seat, proposal.rules)
    chance = "worst" if proposal.low == 1 else "mean"
    question = Question("rules to win by", "strategy", of, values=option_values, rulings=rulings, chance=chance)
    if proposal.low == 1:
        return question, ""
    return question, f"\nBest play wins with the chance {float(best):.9f}.\n"


def _build_game_of_question(game_ref: str, question: Question) -> Game:
    return build(
        game_ref,
        Options(option_values_to_texts(question.values), option_values_to_texts(question.rulings)),
        load_cards_if_rules_need_them(game_ref),
    )


def _get_title_of_game(game_ref: str) -> str:
    return get_name_recorded_for_game(game_ref) if has_rules_but_no_cards(game_ref) else str(load_game(game_ref).title)


def _iter_sentences_of_rule(
    game: Game, rule_spec: Mapping[str, Any], action_ids: frozenset[int] | None
) -> Iterator[str]:
    """Yield the parts of a rule as sentences."""
    action = "any action" if action_ids is None else " or ".join(_list_shortened_words_of_actions(game, action_ids))
    if "when" in rule_spec:
        yield f"If {describe_condition_in_words(game, str(rule_spec['when']))}: {action}."
    else:
        yield f"{action[:1].upper()}{action[1:]}."
    for word in ("most", "least"):
        numbers = [
            _describe_preferred_number(game, each) for each in _wrap_in_list_unless_list(rule_spec.get(word, []))
        ]
        if numbers:
            then = "; of equal ones, ".join(f"{'greatest' if word == 'most' else 'least'} {n}" for n in numbers)
            yield f"Of several, the one with the {then}."


def _wrap_in_list_unless_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _list_shortened_words_of_actions(game: Game, action_ids: frozenset[int]) -> list[str]:
    """Return the words of actions; if several differ in their parameters only, their common words with the
    parameters' names."""
    words = []
    for action in game.actions:
        mine = [i for i in action.idents if i in action_ids]
        if mine:
            each = list(map(game.show, mine))
            words += each if len(mine) <= _FEW else [f"{each[0]}, ..., or {each[-1]}"]
    return words


def _describe_preferred_number(game: Game, number_spec: Any) -> str:
    if isinstance(number_spec, Mapping):
        return f"{number_spec['parameter']}"
    if number_spec == EVALUATION:
        return "evaluation of the position behind it"
    return f"{describe_condition_in_words(game, str(number_spec))} behind it"


def describe_condition_in_words(game: Game, condition_text: str) -> str:
    """Return a condition with words in place of signs, and with the names of an array's places where the game declares
    them, as `where[114 The Badger's Door]`."""
    fields, look = {field.name: field for field in game.fields}, DisplayFacts.from_game(game)

    def named(cell: re.Match[str]) -> str:
        held = fields.get(cell[1].strip("`"))
        places = [int(place) for place in cell[2].split(",")]
        if held is None or len(places) != len(held.shape):
            return cell[0]
        names = [look.get_declared_place_names_or_none(held, dimension) for dimension in range(len(places))]
        inside = [str(place) if axis is None else axis[place] for place, axis in zip(places, names, strict=True)]
        return f"{cell[1]}[{', '.join(inside)}]"

    words = re.sub(r"[=!<>]=|[<>]", lambda sign: _SIGNS[sign[0]], condition_text)
    words = re.sub(r"(\w+|`[^`]+`)\[([\d, ]+)\]", named, words)
    return re.sub(r"\s+", " ", words.replace("`", "")).strip()


def _describe_what_is_proved(question: Question, answer: Answer) -> str:
    if answer.value is True:
        luck = "whatever happens" if question.chance == "worst" else "if luck helps"
        return f"Proved: it reaches its target, {luck}."
    if answer.value is False:
        return "Proved: it does not always reach its target."
    exactly = answer.bound.get("exactly", "")
    chance = exactly if exactly and len(exactly) <= 20 else f"{answer.value:.9f}"
    return f"Proved: it reaches its target with the chance {chance}."


# -- strategy bot --------------------------------------------------------------------------------------------
# A bot that plays a strategy of a claims file: `strategy:cards/mygame/claims.yaml#careful`.


def load_strategy_claims_by_id(game_folder: Path) -> dict[str, Question]:
    """Return the strategies in a game's claims, by the ids of the claims; none if it has no claims."""
    if not (game_folder / "claims.yaml").is_file():
        return {}
    claims = load_claims_as_questions_or_raise(str(game_folder))
    return {name: q for name, q in claims.items() if q.ask == "strategy" and "play" in (q.of or {})}


def load_strategy_claim_by_id_or_raise(game_folder: Path, claim_id: str) -> Question:
    """Return the claim of a strategy. Raises BotError if there is none of this id."""
    strategies = load_strategy_claims_by_id(game_folder)
    if claim_id not in strategies:
        hint = make_nearest_or_possible_words_hint(claim_id, strategies) or "write a claim with `ask: strategy`"
        raise BotError(f"the claims of {game_folder.name} have no strategy `{claim_id}`; {hint}")
    return strategies[claim_id]


class _EngineSuccessors(RowReader):
    """Reads states as the kernel does, and steps with the engine's generated code, which is quicker."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.game)
        self.engine = engine

    def iter_legal_actions_with_successors(self, state_rows: Edges) -> Iterator[Steps]:
        """Yield each legal action of each state, with the state's row and its successor."""
        for row, state in enumerate(state_rows.tolist()):
            for ident in self.engine.legal(state):
                yield np.array([row]), ident, np.array([self.engine.apply(state, ident)], dtype=np.object_)


class StrategyBot:
    """Takes an action that the strategy allows, in whatever seat it sits. Of equal ones it draws one, or takes the
    first if the claim says so."""

    looks: ClassVar[Looks] = "table"

    def __init__(self, place: str) -> None:
        """`place` is FILE#CLAIM. Raises BotError."""
        file, _, claim = place.rpartition("#")
        if not file:
            raise BotError(f"expected strategy:CLAIM beside a game, or strategy:FILE#CLAIM, found `{place}`")
        self.name, self.question = f"strategy:{place}", load_strategy_claim_by_id_or_raise(Path(file).parent, claim)
        self._plans: WeakKeyDictionary[Game, Strategy] = WeakKeyDictionary()

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return an allowed action. What is hidden is imagined, which makes no difference to a strategy that its
        seat can follow."""
        game = sight.engine.game
        if game not in self._plans:
            self._plans[game] = strategy_spec_to_strategy(game, self.question.of, self.question.where)
        plan = replace(self._plans[game], seats=(sight.seat,))
        allowed = list_actions_allowed_by_strategy(game, plan, sight.world(stream), _EngineSuccessors(sight.engine))
        return allowed[stream.below(len(allowed))]
