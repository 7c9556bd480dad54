"""Games with hidden cards: answers to `secret`, from two games that a seat cannot tell apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random

from playproof.language import CHANCE, RulesError
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.look_alikes import (
    LookAlikesCertificate,
    do_two_steps_look_alike_to_seat,
    get_information_sent_at_moment,
    get_what_seat_is_sent_of_decision,
    list_changed_views_during_decision,
    map_observed_outcomes_to_action_ids,
    read_secret_from_spec,
)
from playproof.verifier.kernel.statements import Secrecy, SecretDiffers
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.proof.certificate_offers import CertificateOffer, find_accepted_index_or_reason_per_list
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.secrecy import Secret
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, add_work_units_done

# -- secrets -------------------------------------------------------------------------------------------------
# Answers to `secret`: two games that are alike to a seat and then are told apart, or a sweep of all states,
# or Z3 shows that every step keeps the secret.

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

    def search_pairs_until_seat_tells_apart(self) -> None:
        """Go through pairs from the start, then play pairs of games at random."""
        start = tuple(self.case.play.start())
        self._compare_pairs_breadth_first(_LookAlikePair(start, start), self.budget.make_budget_of_share(_SHARE))
        chance = Random(_RUN)
        for _ in range(_GAMES):
            if self.parting or self.budget.left <= 0:
                return
            self._play_and_compare_random_pair(_LookAlikePair(start, start), chance)

    def _compare_pairs_breadth_first(self, start_pair: _LookAlikePair, budget: Budget) -> None:
        waiting, seen = deque([start_pair]), {(start_pair.first, start_pair.second)}
        while waiting and len(seen) < _WIDE and not self.parting and budget.left > 0:
            here = waiting.popleft()
            for after in self._iter_indistinguishable_successor_pairs(here):
                if (after.first, after.second) not in seen:
                    seen.add((after.first, after.second))
                    self._record_pair_if_secret_alone_differs(after)
                    waiting.append(after)

    def _iter_indistinguishable_successor_pairs(self, pair: _LookAlikePair) -> Iterator[_LookAlikePair]:
        for mine, theirs in product(
            self._list_legal_actions_of_state(pair.first), self._list_legal_actions_of_state(pair.second)
        ):
            if self._do_actions_look_alike_to_seat(pair, mine, theirs):
                yield self._apply_one_action_to_each(pair, mine, theirs)

    def _play_and_compare_random_pair(self, start_pair: _LookAlikePair, rng: Random) -> None:
        while not self.parting and self.budget.left > 0 and len(start_pair.line) < _LONGEST:
            choices, legal = (
                self._list_legal_actions_of_state(start_pair.first),
                self._list_legal_actions_of_state(start_pair.second),
            )
            if not choices:  # the game is over, or nobody can act
                return
            mine = rng.choice(choices)
            rng.shuffle(legal)
            if rng.random() >= _TURNED:  # rather the same decision
                legal.sort(key=lambda ident: ident != mine)
            theirs = next((i for i in legal if self._do_actions_look_alike_to_seat(start_pair, mine, i)), None)
            if theirs is None:
                return
            start_pair = self._apply_one_action_to_each(start_pair, mine, theirs)
            self._record_pair_if_secret_alone_differs(start_pair)

    def _list_legal_actions_of_state(self, state: State) -> list[int]:
        add_work_units_done(INTERPRETED)
        return self.case.play.legal(state)

    def _do_actions_look_alike_to_seat(self, pair: _LookAlikePair, first_action: int, second_action: int) -> bool:
        if first_action == second_action and pair.first == pair.second:
            return True
        play, hidden = self.case.play, self.hidden
        if get_what_seat_is_sent_of_decision(
            play, hidden, pair.first, first_action
        ) != get_what_seat_is_sent_of_decision(play, hidden, pair.second, second_action):
            return False
        add_work_units_done(INTERPRETED)
        return do_two_steps_look_alike_to_seat(play, hidden, (pair.first, first_action), (pair.second, second_action))

    def _apply_one_action_to_each(self, pair: _LookAlikePair, first_action: int, second_action: int) -> _LookAlikePair:
        first, second = (
            self.case.play.apply(pair.first, first_action),
            self.case.play.apply(pair.second, second_action),
        )
        return _LookAlikePair(tuple(first), tuple(second), (*pair.line, first_action), (*pair.other, second_action))

    def _record_pair_if_secret_alone_differs(self, pair: _LookAlikePair) -> None:
        """Look at a pair of states that may be alike but for the secret."""
        hidden, play = self.hidden, self.case.play
        if (
            not hidden.does_secret_differ_between(pair.first, pair.second)
            or (pair.first, pair.second) in self.alike
            or (hidden.get_cell_values_outside_secret(pair.first) != hidden.get_cell_values_outside_secret(pair.second))
        ):
            return
        self.alike.add((pair.first, pair.second))
        self.apart = self.apart or pair
        if get_information_sent_at_moment(play, hidden, pair.first) != get_information_sent_at_moment(
            play, hidden, pair.second
        ):
            self.parting = pair, -1
            return
        if get_information_sent_at_moment(play, hidden, pair.first) == (CHANCE,):
            self._record_chance_outcome_telling_pair_apart(pair)
            return
        for ident in sorted(
            set(self._list_legal_actions_of_state(pair.first)) & set(self._list_legal_actions_of_state(pair.second))
        ):
            add_work_units_done(2 * INTERPRETED)
            if list_changed_views_during_decision(
                play, hidden, pair.first, ident
            ) != list_changed_views_during_decision(play, hidden, pair.second, ident):
                self.parting = pair, ident
                return

    def _record_chance_outcome_telling_pair_apart(self, look_alike_pair: _LookAlikePair) -> None:
        for pair in (
            look_alike_pair,
            _LookAlikePair(look_alike_pair.second, look_alike_pair.first, look_alike_pair.other, look_alike_pair.line),
        ):
            mine, theirs = (
                map_observed_outcomes_to_action_ids(self.case.play, self.hidden, state)
                for state in (pair.first, pair.second)
            )
            add_work_units_done(INTERPRETED * (len(mine) + len(theirs)))
            for seen in mine.keys() - theirs.keys():
                self.parting = pair, mine[seen]
                return


def answer_secret_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether what a seat is sent keeps a secret. Where neither is shown, the bound says how many
    pairs of states were compared."""
    of = to_plain_json_data(question.of)
    search = _LookAlikeSearch(case, read_secret_from_spec(case.game, of), budget.make_budget_of_share(_SHARE))
    try:
        search.search_pairs_until_seat_tells_apart()
    except RulesError as error:
        if search.parting is None:
            return Conclusion(None, "look-alikes", (), f"the rules break: {error.message}")
    if search.parting is not None:
        pair, last = search.parting
        return Conclusion(
            False, "look-alikes", ((_build_certificate_of_look_alike_pair(case, Secrecy(of), pair, last),),)
        )
    pairs = len(search.alike)
    shows_apart: list[CertificateOffer] = (
        [(_build_certificate_of_look_alike_pair(case, SecretDiffers(of), search.apart),)] if search.apart else []
    )
    seen = case.explore_all_states_or_none_if_many(budget)
    if seen is not None:
        subjects = [Secrecy(of), SecretDiffers(of)][: 2 - len(shows_apart)]
        explorations: list[list[Certificate]] = [
            [ClosedSetCertificate(about, Listing(seen.states))] for about in subjects
        ]
        return _conclude_secret_from_accepted_proposals(case, explorations, shows_apart, "exploration", pairs, budget)
    texts = tuple(list_condition_texts_of_claim_and_given(question))
    layers = (Lemma(texts, True, ()),) if texts else ()
    tries: list[Certificate] = [InvariantCertificate(Secrecy(of), layers, integers) for integers in (True, False)]
    return _conclude_secret_from_accepted_proposals(case, [tries], shows_apart, "step by step", pairs, budget)


def _conclude_secret_from_accepted_proposals(
    case: GameCase,
    proposals: list[list[Certificate]],
    secret_differs_offers: list[CertificateOffer],
    method: str,
    compared_pairs: int,
    budget: Budget,
) -> Conclusion:
    """Return what the kernel accepts of the proposals."""
    answers = find_accepted_index_or_reason_per_list(case, proposals, budget)
    offers = [(some[place],) for some, (place, _) in zip(proposals, answers, strict=True) if place is not None]
    bound = {"pairs": compared_pairs}
    reason = f"{compared_pairs} look-alike pairs were compared, and none told apart"
    if len(offers) + len(secret_differs_offers) == 2:
        return Conclusion(True, method, (*offers, *secret_differs_offers), bound=bound)
    if not offers:
        reason += f"; {next(why for place, why in answers if place is None)}"
    elif not secret_differs_offers:
        reason += "; no two games were found in which the secret alone differs"
    return Conclusion(None, method, (*offers, *secret_differs_offers), reason, bound)


def _build_certificate_of_look_alike_pair(
    case: GameCase, statement: Secrecy | SecretDiffers, pair: _LookAlikePair, last_action: int = -1
) -> LookAlikesCertificate:
    words, others = (tuple(map(case.game.show, line)) for line in (pair.line, pair.other))
    return LookAlikesCertificate(statement, pair.line, pair.other, words, others, last_action)
