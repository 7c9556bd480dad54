"""Answers to `secret`: two games that are alike to a seat and then are told apart, or a sweep of all
states, or Z3 shows that every step keeps the secret."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random

from playproof.language import CHANCE, RulesError
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.exploration import Exploration
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.look_alikes import (
    LookAlikes,
    do_steps_look_alike,
    get_heard_decision,
    get_sent_information,
    list_new_views,
    map_outcomes_to_actions,
    parse_secret,
)
from playproof.verifier.kernel.statements import Secrecy, SecretDiffers
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.always import list_conditions_of_claim_and_given
from playproof.verifier.proof.evidence import CertificateOffer
from playproof.verifier.proof.kernel_submission import submit_certificates_to_kernel
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.secrecy import Secret
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import INTERPRETED, spend_work

_RUN = 20_261_123
_GAMES = 200  # pairs of games played at random
_WIDE = 1_500  # pairs of states gone through from the start
_LONGEST = 1_000  # actions of a pair of games; some games never end
_SHARE = 0.3  # of the work, for pairs; of that, for those from the start
_TURNED = 0.3  # how often the other game takes another decision that looks the same

State = tuple[int, ...]


@dataclass
class _LookAlikePair:
    """Two lines that were alike to the seat so far, and the states behind them."""

    first: State
    second: State
    line: tuple[int, ...] = ()
    other: tuple[int, ...] = ()


@dataclass
class _LookAlikeSearch:
    """Looks for pairs of games that a seat cannot tell apart, and for what tells them apart then."""

    case: GameCase
    hidden: Secret
    budget: Budget
    alike: set[tuple[State, State]] = field(default_factory=set)
    apart: _LookAlikePair | None = None
    parting: tuple[_LookAlikePair, int] | None = None

    def search_pairs(self) -> None:
        """Go through pairs from the start, then play pairs of games at random."""
        start = tuple(self.case.play.start())
        self._search_breadth_first(_LookAlikePair(start, start), self.budget.take_share(_SHARE))
        chance = Random(_RUN)
        for _ in range(_GAMES):
            if self.parting or self.budget.left <= 0:
                return
            self._play_random_pair(_LookAlikePair(start, start), chance)

    def _search_breadth_first(self, start_pair: _LookAlikePair, budget: Budget) -> None:
        waiting, seen = deque([start_pair]), {(start_pair.first, start_pair.second)}
        while waiting and len(seen) < _WIDE and not self.parting and budget.left > 0:
            here = waiting.popleft()
            for after in self._iter_look_alike_successors(here):
                if (after.first, after.second) not in seen:
                    seen.add((after.first, after.second))
                    self._compare_pair(after)
                    waiting.append(after)

    def _iter_look_alike_successors(self, pair: _LookAlikePair) -> Iterator[_LookAlikePair]:
        for mine, theirs in product(
            self._list_legal_actions(pair.first), self._list_legal_actions(pair.second)
        ):
            if self._is_step_same_to_seat(pair, mine, theirs):
                yield self._apply_actions_to_pair(pair, mine, theirs)

    def _play_random_pair(self, pair: _LookAlikePair, rng: Random) -> None:
        while not self.parting and self.budget.left > 0 and len(pair.line) < _LONGEST:
            choices, legal = self._list_legal_actions(pair.first), self._list_legal_actions(pair.second)
            if not choices:  # the game is over, or nobody can act
                return
            mine = rng.choice(choices)
            rng.shuffle(legal)
            if rng.random() >= _TURNED:  # rather the same decision
                legal.sort(key=lambda ident: ident != mine)
            theirs = next((i for i in legal if self._is_step_same_to_seat(pair, mine, i)), None)
            if theirs is None:
                return
            pair = self._apply_actions_to_pair(pair, mine, theirs)
            self._compare_pair(pair)

    def _list_legal_actions(self, state: State) -> list[int]:
        spend_work(INTERPRETED)
        return self.case.play.legal(state)

    def _is_step_same_to_seat(self, pair: _LookAlikePair, first_action: int, second_action: int) -> bool:
        if first_action == second_action and pair.first == pair.second:
            return True
        play, hidden = self.case.play, self.hidden
        if get_heard_decision(play, hidden, pair.first, first_action) != get_heard_decision(
            play, hidden, pair.second, second_action
        ):
            return False
        spend_work(INTERPRETED)
        return do_steps_look_alike(play, hidden, (pair.first, first_action), (pair.second, second_action))

    def _apply_actions_to_pair(
        self, pair: _LookAlikePair, first_action: int, second_action: int
    ) -> _LookAlikePair:
        first, second = (
            self.case.play.apply(pair.first, first_action),
            self.case.play.apply(pair.second, second_action),
        )
        return _LookAlikePair(
            tuple(first), tuple(second), (*pair.line, first_action), (*pair.other, second_action)
        )

    def _compare_pair(self, pair: _LookAlikePair) -> None:
        """Look at a pair of states that may be alike but for the secret."""
        hidden, play = self.hidden, self.case.play
        if (
            not hidden.is_secret_different(pair.first, pair.second)
            or (pair.first, pair.second) in self.alike
            or (hidden.get_cells_outside_secret(pair.first) != hidden.get_cells_outside_secret(pair.second))
        ):
            return
        self.alike.add((pair.first, pair.second))
        self.apart = self.apart or pair
        if get_sent_information(play, hidden, pair.first) != get_sent_information(play, hidden, pair.second):
            self.parting = pair, -1
            return
        if get_sent_information(play, hidden, pair.first) == (CHANCE,):
            self._compare_chance_outcomes(pair)
            return
        for ident in sorted(
            set(self._list_legal_actions(pair.first)) & set(self._list_legal_actions(pair.second))
        ):
            spend_work(2 * INTERPRETED)
            if list_new_views(play, hidden, pair.first, ident) != list_new_views(
                play, hidden, pair.second, ident
            ):
                self.parting = pair, ident
                return

    def _compare_chance_outcomes(self, look_alike: _LookAlikePair) -> None:
        for pair in (
            look_alike,
            _LookAlikePair(look_alike.second, look_alike.first, look_alike.other, look_alike.line),
        ):
            mine, theirs = (
                map_outcomes_to_actions(self.case.play, self.hidden, state)
                for state in (pair.first, pair.second)
            )
            spend_work(INTERPRETED * (len(mine) + len(theirs)))
            for seen in mine.keys() - theirs.keys():
                self.parting = pair, mine[seen]
                return


def answer_secret_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether what a seat is sent keeps a secret. Where neither is shown, the bound says how many
    pairs of states were compared."""
    of = to_json(question.of)
    search = _LookAlikeSearch(case, parse_secret(case.game, of), budget.take_share(_SHARE))
    try:
        search.search_pairs()
    except RulesError as error:
        if search.parting is None:
            return Conclusion(None, "look-alikes", (), f"the rules break: {error.message}")
    if search.parting is not None:
        pair, last = search.parting
        return Conclusion(
            False, "look-alikes", ((_build_look_alikes_certificate(case, Secrecy(of), pair, last),),)
        )
    pairs = {"pairs": len(search.alike)}
    shows_apart: list[CertificateOffer] = (
        [(_build_look_alikes_certificate(case, SecretDiffers(of), search.apart),)] if search.apart else []
    )
    seen = case.explore_if_small(budget)
    if seen is not None:
        subjects = [Secrecy(of), SecretDiffers(of)][: 2 - len(shows_apart)]
        explorations: list[list[Certificate]] = [[Exploration(about, seen.states)] for about in subjects]
        return _conclude_from_accepted_proposals(
            case, explorations, shows_apart, "exploration", pairs, budget
        )
    texts = tuple(list_conditions_of_claim_and_given(question))
    layers = (Lemma(texts, True, ()),) if texts else ()
    tries: list[Certificate] = [Invariant(Secrecy(of), layers, integers) for integers in (True, False)]
    return _conclude_from_accepted_proposals(case, [tries], shows_apart, "step by step", pairs, budget)


def _conclude_from_accepted_proposals(
    case: GameCase,
    proposals: list[list[Certificate]],
    shows_apart: list[CertificateOffer],
    method: str,
    pairs: dict[str, int],
    budget: Budget,
) -> Conclusion:
    """Return what the kernel accepts of the proposals."""
    answers = submit_certificates_to_kernel(case, proposals, budget)
    offers = [
        (some[place],) for some, (place, _) in zip(proposals, answers, strict=True) if place is not None
    ]
    reason = f"{pairs['pairs']} look-alike pairs were compared, and none told apart"
    if len(offers) + len(shows_apart) == 2:
        return Conclusion(True, method, (*offers, *shows_apart), bound=pairs)
    if not offers:
        reason += f"; {next(why for place, why in answers if place is None)}"
    elif not shows_apart:
        reason += "; no two games were found in which the secret alone differs"
    return Conclusion(None, method, (*offers, *shows_apart), reason, pairs)


def _build_look_alikes_certificate(
    case: GameCase, statement: Secrecy | SecretDiffers, pair: _LookAlikePair, last_action: int = -1
) -> LookAlikes:
    words, others = (tuple(map(case.game.show, line)) for line in (pair.line, pair.other))
    return LookAlikes(statement, pair.line, pair.other, words, others, last_action)
