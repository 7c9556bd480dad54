"""Games with hidden cards: answers to `secret`, two games that a seat cannot tell apart, and what such a
game is worth if both sides play their best plans."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from playproof.language import CHANCE, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, list_partners_of_seat
from playproof.verifier.kernel.claim_values import CLOSE, get_asked_seat_or_first
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.equilibrium import (
    MOST_CHOICES,
    MOST_MOMENTS,
    NOT_SHARED,
    EquilibriumPlansCertificate,
    GameTree,
    JointPlanCertificate,
    SidePlan,
    build_tree_of_histories_or_raise,
    compute_best_joint_plan_value,
    compute_best_response_value,
    compute_lower_and_upper_game_value,
)
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
from playproof.verifier.proof.linear_programs import run_highs_in_own_process_or_get_none
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


# -- equilibrium ---------------------------------------------------------------------------------------------
# What a game with hidden cards is worth if both play their best: plans by linear programming over
# sequences.

_SIMPLE = (12, 1_000, 100_000)
"""The greatest denominators of simple fractions, which are tried first."""
_FINE = 1 << 34
_NEVER = 1e-9  # a sequence played less often is never played
_MOMENTS = 20_000  # followed in one unit of work
_METHOD = "linear programming over sequences"
_JOINT = "all joint plans of the team"
_CHOICES = 20_000  # tried in one unit of work


def answer_equilibrium_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the game is worth to the question's seat, or to the first, on average."""
    game, seat = case.game, get_asked_seat_or_first(question)
    if len(game.sides) > 2:
        who = f"{game.players} players" if len(game.sides) == game.players else f"{len(game.sides)} teams"
        return Conclusion(None, _METHOD, (), f"not supported: {who}; best play has a value for two")
    budget.report_progress_line("following all histories")
    most = min(MOST_MOMENTS, int(budget.left * _MOMENTS))
    try:
        made = build_tree_of_histories_or_raise(game, most)
        add_work_units_done(len(made.moments) / _MOMENTS)
        if not made.do_teammates_share_all_information:
            return _answer_equilibrium_by_joint_plan(game, made, seat, budget)
        plans = find_equilibrium_plans_by_highs_or_none(made, budget) if len(game.sides) == 2 else ()
    except NotShown as error:
        is_work_short = most < MOST_MOMENTS and str(error) == f"there are more than {most:,} moments"
        reason = f"work: {error}, and --work {budget.work:g} follows no more" if is_work_short else None
        return Conclusion(None, _METHOD, (), reason or f"not supported: {error}")
    if plans is None:
        return Conclusion(None, _METHOD, (), "HiGHS came to no plan: it is not installed, or had too little time")
    low, high = compute_lower_and_upper_game_value(made, plans)
    certificate = EquilibriumPlansCertificate(seat, tuple(plans), low, high, partners=list_partners_of_seat(game, seat))
    if seat not in game.get_team_of_seat(0):
        low, high = -high, -low
    exactly = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    bound = {**exactly, "exploitability": float(high - low)}
    if high - low > CLOSE:
        return Conclusion(None, _METHOD, ((certificate,),), "the bounds do not meet", bound)
    return Conclusion(round(float((low + high) / 2), 9), _METHOD, ((certificate,),), bound=bound)


def _answer_equilibrium_by_joint_plan(game: Game, game_tree: GameTree, seat: int, budget: Budget) -> Conclusion:
    """Return what the best joint plan of a team whose seats do not know the same is worth, if nobody plays against it;
    else why that is open. What the seats would get if they shared what they know is a bound from above."""
    if len(game.sides) > 1:
        return Conclusion(None, _METHOD, (), f"not supported: {NOT_SHARED}")
    most = compute_best_response_value(game_tree, 0, [])
    budget.report_progress_line("joint plans of the team")
    try:
        value = compute_best_joint_plan_value(game_tree, min(MOST_CHOICES, int(budget.left * _CHOICES)))
    except NotShown as error:
        reason = f"{error}; the bound is what it is worth to partners who tell each other all they see"
        return Conclusion(None, _JOINT, (), reason, {"at most": float(most)})
    certificate = JointPlanCertificate(seat, value, partners=list_partners_of_seat(game, seat))
    bound = {"exactly": str(value), "if all is shared": str(most)}
    return Conclusion(round(float(value), 9), _JOINT, ((certificate,),), bound=bound)


def find_equilibrium_plans_by_highs_or_none(game_tree: GameTree, budget: Budget) -> tuple[SidePlan, ...] | None:
    """Return a plan for each seat, whose bounds are as close as can be found; None without HiGHS."""
    form = SequenceForm.from_game_tree(game_tree)
    budget.report_progress_line(f"linear programming over {form.sequences[0]:,} and {form.sequences[1]:,} sequences")
    solved = form.solve_frequencies_by_highs_or_none(max(20.0, min(budget.left, budget.seconds)))
    if solved is None:
        return None
    best: tuple[Fraction, tuple[SidePlan, ...]] | None = None
    for plans in _iter_plans_rounded_ever_finer(form, solved):
        low, high = compute_lower_and_upper_game_value(game_tree, plans)
        if best is None or high - low < best[0]:
            best = high - low, plans
        if high == low:
            break
    return None if best is None else best[1]


def _iter_plans_rounded_ever_finer(
    sequence_form: SequenceForm, sequence_frequencies_by_seat: Sequence[Sequence[float]]
) -> Iterator[tuple[SidePlan, ...]]:
    """Yield the plans that floats stand for, in simpler fractions first."""
    for most in (*_SIMPLE, None):
        yield tuple(
            _round_frequencies_to_seat_plan(sequence_form, seat, played, most)
            for seat, played in enumerate(sequence_frequencies_by_seat)
        )


def _round_frequencies_to_seat_plan(
    sequence_form: SequenceForm, seat: int, sequence_frequencies: Sequence[float], max_denominator: int | None
) -> SidePlan:
    """Return how often a seat takes each action of each of its information sets."""
    return tuple(
        _frequencies_to_proportional_integers([sequence_frequencies[s] for s in sequences], max_denominator)
        for _, sequences in sequence_form.sets[seat]
    )


def _frequencies_to_proportional_integers(frequencies: Sequence[float], max_denominator: int | None) -> tuple[int, ...]:
    """Return whole numbers in the ratio of these, each share as a fraction of at most this denominator if there is one;
    all alike where nothing is played."""
    total = sum(frequencies)
    if total < _NEVER:
        return (1,) * len(frequencies)
    if max_denominator is None:
        return tuple(round(p / total * _FINE) for p in frequencies)
    shares = [Fraction(p / total).limit_denominator(max_denominator) for p in frequencies]
    common = math.lcm(*(share.denominator for share in shares))
    weights = tuple(int(share * common) for share in shares)
    return weights if sum(weights) > 0 else (1,) * len(frequencies)


@dataclass(frozen=True, slots=True)
class SequenceForm:
    """A game as sequences of each seat's own actions; 0 is the empty one. `sets` holds for each information
    set the sequence before it and those that go on from it; `paid` what pairs of sequences are worth to the
    first seat, each as often as chance leads there."""

    sequences: tuple[int, int]
    sets: tuple[list[tuple[int, list[int]]], list[tuple[int, list[int]]]]
    paid: dict[tuple[int, int], float]

    @classmethod
    def from_game_tree(cls, game_tree: GameTree) -> SequenceForm:
        """Return the form of a game's moments."""
        first = [_list_first_sequence_of_each_set(actions) for actions in game_tree.actions]
        before: tuple[list[int], list[int]] = ([0] * len(game_tree.actions[0]), [0] * len(game_tree.actions[1]))
        taken: list[tuple[int, int]] = [(0, 0)] * len(game_tree.moments)
        often, paid = [0.0] * len(game_tree.moments), dict[tuple[int, int], float]()
        often[0] = 1.0
        for number, moment in enumerate(game_tree.moments):
            if not moment.following:
                paid[taken[number]] = paid.get(taken[number], 0.0) + often[number] * moment.worth
                continue
            if moment.actor != CHANCE:
                before[moment.actor][moment.information_set] = taken[number][moment.actor]
            total = sum(moment.weights)
            for place, to in enumerate(moment.following):
                share = moment.weights[place] / total if moment.actor == CHANCE else 1.0
                often[to] += often[number] * share
                taken[to] = _get_sequences_after_action(
                    taken[number], moment.actor, first, moment.information_set, place
                )
        sets = tuple(
            [
                (before[seat][n], list(range(first[seat][n], first[seat][n] + len(idents))))
                for n, idents in enumerate(game_tree.actions[seat])
            ]
            for seat in range(2)
        )
        counts = tuple(1 + sum(map(len, actions)) for actions in game_tree.actions)
        return cls((counts[0], counts[1]), (sets[0], sets[1]), paid)

    def solve_frequencies_by_highs_or_none(self, time_limit: float) -> list[list[float]] | None:
        """Return how much each seat plays of each sequence, as HiGHS finds it; None if it is not installed,
        fails or takes too long."""
        task: dict[str, Any] = {
            "sequences": self.sequences,
            "sets": self.sets,
            "paid": [(i, j, worth) for (i, j), worth in self.paid.items()],
        }
        plans: list[list[float]] | None = run_highs_in_own_process_or_get_none("plans", task, time_limit)
        return plans or None


def _list_first_sequence_of_each_set(actions_by_set: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of the first sequence of each information set."""
    firsts, count = [], 1
    for idents in actions_by_set:
        firsts.append(count)
        count += len(idents)
    return firsts


def _get_sequences_after_action(
    sequences: tuple[int, int],
    actor: int,
    first_sequences: Sequence[Sequence[int]],
    information_set: int,
    action_place: int,
) -> tuple[int, int]:
    """Return the sequences behind a step."""
    if actor == CHANCE:
        return sequences
    number = first_sequences[actor][information_set] + action_place
    return (number, sequences[1]) if actor == 0 else (sequences[0], number)
