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
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.deciding import CLOSE, get_seat
from playproof.verifier.kernel.equilibrium import (
    MOST_MOMENTS,
    NOT_SHARED,
    EquilibriumPlans,
    GameTree,
    SidePlan,
    bound_value_by_plans,
    build_game_tree,
    compute_best_answer,
)
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
from playproof.verifier.kernel.sides import list_partners
from playproof.verifier.kernel.statements import Secrecy, SecretDiffers
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.kernel.team_plans import MOST_CHOICES, JointPlan, compute_best_joint_value
from playproof.verifier.proof.always import list_conditions_of_claim_and_given
from playproof.verifier.proof.certificate_offers import CertificateOffer, submit_certificates_to_kernel
from playproof.verifier.proof.linear_programs import run_highs_program
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.secrecy import Secret
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, spend_work

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


# -- equilibrium ---------------------------------------------------------------------------------------------
# What a game with hidden cards is worth if both play their best: plans by linear programming over
# sequences.

_SIMPLE = (12, 1_000, 100_000)
"""The greatest denominators of simple fractions, which are tried first."""
_FINE = 1 << 34
_NEVER = 1e-9  # a sequence played less often is never played
_MOMENTS = 5_000  # followed in one unit of work
_METHOD = "linear programming over sequences"
_JOINT = "all joint plans of the team"
_CHOICES = 20_000  # tried in one unit of work


def answer_equilibrium_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the game is worth to the question's seat, or to the first, on average."""
    game, seat = case.game, get_seat(question)
    if len(game.sides) > 2:
        who = f"{game.players} players" if len(game.sides) == game.players else f"{len(game.sides)} teams"
        return Conclusion(None, _METHOD, (), f"not supported: {who}; best play has a value for two")
    budget.report_progress("following all histories")
    try:
        made = build_game_tree(game, min(MOST_MOMENTS, int(budget.left * _MOMENTS)))
        spend_work(len(made.moments) / _MOMENTS)
        if not made.is_shared:
            return _answer_team_joint_plan(game, made, seat, budget)
        plans = find_best_plans(made, budget) if len(game.sides) == 2 else ()
    except NotShown as error:
        return Conclusion(None, _METHOD, (), f"not supported: {error}")
    if plans is None:
        return Conclusion(
            None, _METHOD, (), "HiGHS came to no plan: it is not installed, or had too little time"
        )
    low, high = bound_value_by_plans(made, plans)
    certificate = EquilibriumPlans(seat, tuple(plans), low, high, partners=list_partners(game, seat))
    if seat not in game.get_team_of_seat(0):
        low, high = -high, -low
    exactly = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    bound = {**exactly, "exploitability": float(high - low)}
    if high - low > CLOSE:
        return Conclusion(None, _METHOD, ((certificate,),), "the bounds do not meet", bound)
    return Conclusion(round(float((low + high) / 2), 9), _METHOD, ((certificate,),), bound=bound)


def _answer_team_joint_plan(game: Game, game_tree: GameTree, seat: int, budget: Budget) -> Conclusion:
    """Return what the best joint plan of a team whose seats do not know the same is worth, if nobody plays against it;
    else why that is open. What the seats would get if they shared what they know is a bound from above."""
    if len(game.sides) > 1:
        return Conclusion(None, _METHOD, (), f"not supported: {NOT_SHARED}")
    most = compute_best_answer(game_tree, 0, [])
    budget.report_progress("joint plans of the team")
    try:
        value = compute_best_joint_value(game_tree, min(MOST_CHOICES, int(budget.left * _CHOICES)))
    except NotShown as error:
        reason = f"{error}; the bound is what it is worth to partners who tell each other all they see"
        return Conclusion(None, _JOINT, (), reason, {"at most": float(most)})
    certificate = JointPlan(seat, value, partners=list_partners(game, seat))
    bound = {"exactly": str(value), "if all is shared": str(most)}
    return Conclusion(round(float(value), 9), _JOINT, ((certificate,),), bound=bound)


def find_best_plans(game_tree: GameTree, budget: Budget) -> tuple[SidePlan, ...] | None:
    """Return a plan for each seat, whose bounds are as close as can be found; None without HiGHS."""
    form = SequenceForm.from_game_tree(game_tree)
    budget.report_progress(
        f"linear programming over {form.sequences[0]:,} and {form.sequences[1]:,} sequences"
    )
    solved = form.solve_with_highs(max(20.0, min(budget.left, budget.seconds)))
    if solved is None:
        return None
    best: tuple[Fraction, tuple[SidePlan, ...]] | None = None
    for plans in _iter_rounded_plans(form, solved):
        low, high = bound_value_by_plans(game_tree, plans)
        if best is None or high - low < best[0]:
            best = high - low, plans
        if high == low:
            break
    return None if best is None else best[1]


def _iter_rounded_plans(
    form: SequenceForm, frequencies: Sequence[Sequence[float]]
) -> Iterator[tuple[SidePlan, ...]]:
    """Yield the plans that floats stand for, in simpler fractions first."""
    for most in (*_SIMPLE, 0):
        yield tuple(_round_seat_plan(form, seat, played, most) for seat, played in enumerate(frequencies))


def _round_seat_plan(
    form: SequenceForm, seat: int, frequencies: Sequence[float], max_denominator: int
) -> SidePlan:
    """Return how often a seat takes each action of each of its information sets."""
    return tuple(
        _frequencies_to_integer_weights([frequencies[s] for s in sequences], max_denominator)
        for _, sequences in form.sets[seat]
    )


def _frequencies_to_integer_weights(frequencies: Sequence[float], max_denominator: int) -> tuple[int, ...]:
    """Return whole numbers in the ratio of these; all alike where nothing is played."""
    total = sum(frequencies)
    if total < _NEVER:
        return (1,) * len(frequencies)
    if max_denominator == 0:
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
        first = [_number_first_sequences(actions) for actions in game_tree.actions]
        before: tuple[list[int], list[int]] = (
            [0] * len(game_tree.actions[0]),
            [0] * len(game_tree.actions[1]),
        )
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
                taken[to] = _advance_sequences(
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

    def solve_with_highs(self, seconds: float) -> list[list[float]] | None:
        """Return how much each seat plays of each sequence, as HiGHS finds it; None if it is not installed,
        fails or takes too long."""
        task: dict[str, Any] = {
            "sequences": self.sequences,
            "sets": self.sets,
            "paid": [(i, j, worth) for (i, j), worth in self.paid.items()],
        }
        plans: list[list[float]] | None = run_highs_program("plans", task, seconds)
        return plans or None


def _number_first_sequences(actions: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of the first sequence of each information set."""
    firsts, count = [], 1
    for idents in actions:
        firsts.append(count)
        count += len(idents)
    return firsts


def _advance_sequences(
    sequences: tuple[int, int],
    actor: int,
    first_sequences: Sequence[Sequence[int]],
    information_set: int,
    place: int,
) -> tuple[int, int]:
    """Return the sequences behind a step."""
    if actor == CHANCE:
        return sequences
    number = first_sequences[actor][information_set] + place
    return (number, sequences[1]) if actor == 0 else (sequences[0], number)
