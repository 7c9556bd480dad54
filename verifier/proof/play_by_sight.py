"""What play is worth to players who see what the rules show them: an equilibrium, a chance, or an expected number.

Alone, and together, players have a best answer to chance, which the kernel computes. Against another side, linear
programming over sequences finds a plan for each (Koller, Megiddo, von Stengel 1994)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from playproof.language import CHANCE
from playproof.language.game import Game
from playproof.verifier.kernel.best_answers import MOST_FOLLOWED, BestAnswer, InformationSteps, TooManyFollowedError
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    list_partners_of_seat,
)
from playproof.verifier.kernel.claim_values import (
    CLOSE,
    get_asked_seat_or_first,
    has_fields_hidden_from_some_player,
    has_no_opposing_sides,
)
from playproof.verifier.kernel.sight import (
    BySight,
    ChanceBySight,
    Equilibrium,
    ExpectedBySight,
    PlansCertificate,
    bound_by_best_answers,
    build_steps_to_ends_of_subject,
)
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.kernel.ways_to_play import WorthNumber
from playproof.verifier.proof.linear_programs import run_highs_in_own_process_or_get_none
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase, add_work_units_done

MOST_MOMENTS = 1_000_000
"""Moves in histories that are followed, at most."""
_SHARE, _SHARE_AGAINST = 0.4, 0.2  # of the work, before states are looked at as if all were seen
_BELIEVED, _JOINT, _MOMENTS = 1_500, 10_000, 20_000  # followed in one unit of work
_BELIEFS, _TEAM, _PLANS = "all that may be believed", "all joint plans of the team", "plans by what each side sees"
_METHOD = "linear programming over sequences"
_NOT_SHARED = "partners who see different things play against another team, and then no value is known here"


def answer_equilibrium_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the game is worth to the question's seat, or to the first, on average."""
    game, seat = case.game, get_asked_seat_or_first(question)
    if len(game.sides) > 2:
        who = f"{game.players} players" if len(game.sides) == game.players else f"{len(game.sides)} teams"
        return Conclusion(None, _METHOD, (), f"not supported: {who}; best play has a value for two")
    about = Equilibrium(seat, Fraction(0), Fraction(0), partners=list_partners_of_seat(game, seat))
    if has_no_opposing_sides(game):
        return _answer_alone(case, about, min(MOST_FOLLOWED, int(budget.left * _JOINT)), budget)
    return _answer_by_plans(case, about, _METHOD, budget)


def answer_chance_by_sight(case: GameCase, question: Question, seat: int, budget: Budget) -> Conclusion:
    """Return the mean chance for players who see what the rules show them, or bounds, or nothing if none are found."""
    event = Event(to_plain_json_data(question.of), to_plain_json_data(question.within))
    partners = list_partners_of_seat(case.game, seat)
    about = ChanceBySight(seat, Fraction(0), Fraction(1), event, partners=partners)
    if question.chance != "mean" and not has_no_opposing_sides(case.game):
        return Conclusion(None, "", ())
    return _answer_by_sight(case, question, about, budget)


def answer_worth_by_sight(case: GameCase, question: Question, number: WorthNumber, budget: Budget) -> Conclusion:
    """Return the expected number for players who see what the rules show them; nothing if it is not found."""
    partners, of = list_partners_of_seat(case.game, number.seat), to_plain_json_data(question.of)
    about = ExpectedBySight(number.seat, Fraction(0), Fraction(0), of, partners=partners)
    return _answer_by_sight(case, question, about, budget)


def _answer_by_sight(case: GameCase, question: Question, about: BySight, budget: Budget) -> Conclusion:
    """Return what best play is worth by what may be seen, or bounds, or nothing if none are found."""
    if question.seeing == "all" or not has_fields_hidden_from_some_player(case.game) or budget.stopped:
        return Conclusion(None, "", ())
    if not has_no_opposing_sides(case.game):
        found = _answer_by_plans(case, about, _PLANS, budget.make_budget_of_share(_SHARE_AGAINST))
        return found if found.offers else replace(found, reason="")
    share = budget.make_budget_of_share(_SHARE)
    rate = _BELIEVED if case.game.players == 1 else _JOINT
    return _answer_alone(case, about, min(MOST_FOLLOWED, int(share.left * rate)), share)


# -- nobody plays against them --------------------------------------------------------------------------------------


def _answer_alone(case: GameCase, about: BySight, most: int, budget: Budget) -> Conclusion:
    """Return what the best answer of a seat or a team to chance is worth; for a team also, or else, what it would be
    worth if all were shared."""
    game, context, is_team = case.game, case.context, case.game.players > 1
    method = _TEAM if is_team else _BELIEFS
    budget.report_progress_line("joint plans of the team" if is_team else "following what players may believe")
    found, reason = None, ""
    try:
        steps = build_steps_to_ends_of_subject(game, about, context)
        try:
            found = bound_by_best_answers(game, about, steps, (), most)
        except TooManyFollowedError as error:
            add_work_units_done(most / (_JOINT if is_team else _BELIEVED))
            reason = f"work: {error}, and --work {budget.work:g} follows no more"
        shared = _bound_if_all_is_shared(game, about, steps, budget) if is_team else None
    except NotShown as error:
        return Conclusion(None, method, (), f"not supported: {error}")
    if found is not None:
        exactly = conclude_from_bounds(PlansCertificate(found, ()), found, method)
        more = {} if shared in (None, found.high) else {"if all is shared": float(shared)}
        return replace(exactly, bound={**exactly.bound, **more})
    if shared is None:
        return Conclusion(None, method, (), reason)
    if not isinstance(about, ChanceBySight):
        reason += "; the bound is what it is worth to partners who tell each other all they see"
        return Conclusion(None, method, (), reason, {"at most": float(shared)})
    above = replace(about, high=shared)
    return conclude_from_bounds(PlansCertificate(above, (), shared=True), above, _BELIEFS)


def _bound_if_all_is_shared(game: Game, about: BySight, steps: InformationSteps, budget: Budget) -> Fraction | None:
    """Return what play is worth to partners who tell each other all they see; None if that takes too long."""
    most = min(MOST_FOLLOWED, int(budget.left * _BELIEVED))
    try:
        return BestAnswer(steps, [game.get_team_of_seat(about.seat)], None, about.goal_sign, most).compute_value()
    except TooManyFollowedError:
        add_work_units_done(most / _BELIEVED)
        return None


def conclude_from_bounds(certificate: Certificate, about: BySight, method: str) -> Conclusion:
    """Return what the bounds of a subject give, or the bounds."""
    low, high = about.low, about.high
    if high - low > CLOSE:
        least, most = (0, 1) if isinstance(about, ChanceBySight) else (None, None)
        bound: dict[str, Any] = {"at least": float(low)} if low != least else {}
        bound |= {"at most": float(high)} if high != most else {}
        return Conclusion(None, method, ((certificate,),), "the bounds do not meet", bound)
    exactly = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    return Conclusion(round(float((low + high) / 2), 9), method, ((certificate,),), bound=exactly)


# -- two sides ------------------------------------------------------------------------------------------------------


def _answer_by_plans(case: GameCase, about: BySight, method: str, budget: Budget) -> Conclusion:
    """Return what play is worth against another side, from the best plan that is found for each."""
    if len(case.game.sides) > 2:
        return Conclusion(None, method, ())
    budget.report_progress_line("following all histories")
    most = min(MOST_MOMENTS, int(budget.left * _MOMENTS))
    try:
        form = SequenceForm(case.game, about.seat, build_steps_to_ends_of_subject(case.game, about, case.context))
        form.follow_all_histories(most)
        add_work_units_done(form.moments / _MOMENTS)
        found = _find_plans_with_closest_bounds(case.game, about, form, budget)
    except NotShown as error:
        is_work_short = most < MOST_MOMENTS and str(error) == f"there are more than {most:,} moments"
        reason = f"work: {error}, and --work {budget.work:g} follows no more" if is_work_short else None
        return Conclusion(None, method, (), reason or f"not supported: {error}")
    if found is None:
        return Conclusion(None, method, (), "HiGHS came to no plan: it is not installed, or had too little time")
    conclusion = conclude_from_bounds(found, found.about, method)
    if not isinstance(about, Equilibrium):
        return conclusion
    return replace(conclusion, bound={**conclusion.bound, "exploitability": float(found.about.high - found.about.low)})


def _find_plans_with_closest_bounds(
    game: Game, about: BySight, form: SequenceForm, budget: Budget
) -> PlansCertificate | None:
    """Return a plan for each side, whose bounds are as close as can be found; None without HiGHS."""
    budget.report_progress_line(f"linear programming over {form.counts[0]:,} and {form.counts[1]:,} sequences")
    played = form.solve_frequencies_by_highs_or_none(max(20.0, min(budget.left, budget.seconds)))
    best: PlansCertificate | None = None
    for plans in _iter_plans_rounded_ever_finer(form, played) if played else ():
        met = [_PlanAsMet(plan) for plan in plans]
        found = bound_by_best_answers(game, about, form.steps, [plan.choose for plan in met])
        if best is None or found.high - found.low < best.about.high - best.about.low:
            best = PlansCertificate(found, tuple(tuple(plan.rows.values()) for plan in met))
        if found.high == found.low:
            break
    return best


Knowledge = tuple[int, int]
"""A seat, and what it knows when it acts (`InformationSteps`)."""
Weights = tuple[int, ...]


class _PlanAsMet:
    """A plan, and its rows in the order in which the kernel asks for them."""

    def __init__(self, plan: Mapping[Knowledge, Weights]) -> None:
        self.plan = plan
        self.rows: dict[Any, Weights] = {}

    def choose(self, knowledge: Any, _: tuple[int, ...]) -> Weights:
        """Return the weights of actions by what a seat knows."""
        return self.rows.setdefault(knowledge, self.plan[knowledge])


_SIMPLE = (12, 1_000, 100_000)
"""The greatest denominators of simple fractions, which are tried first."""
_FINE = 1 << 34
_NEVER = 1e-9  # a sequence played less often is never played


def _iter_plans_rounded_ever_finer(
    form: SequenceForm, played: Sequence[Sequence[float]]
) -> Iterator[list[dict[Knowledge, Weights]]]:
    """Yield the plans that floats stand for, in simpler fractions first: by what a seat knows, the weights of its
    actions."""
    for most in (*_SIMPLE, None):
        yield [
            {
                known: _frequencies_to_proportional_integers([often[s] for s in sequences], most)
                for known, (_, sequences) in sets.items()
            }
            for often, sets in zip(played, form.sets, strict=True)
        ]


def _frequencies_to_proportional_integers(frequencies: Sequence[float], max_denominator: int | None) -> Weights:
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


@dataclass
class SequenceForm:
    """A game of two sides as sequences of each side's own actions; 0 is the empty one. `sets` holds for each side, that
    of `seat` first, by what a seat knows when it acts, the sequence before and those that go on from it; `paid` what
    pairs of sequences are worth to the first, each as often as chance leads there."""

    game: Game
    seat: int
    steps: InformationSteps
    sets: tuple[dict[Knowledge, tuple[int, range]], dict[Knowledge, tuple[int, range]]] = field(
        default_factory=lambda: ({}, {})
    )
    counts: list[int] = field(default_factory=lambda: [1, 1])
    paid: dict[tuple[int, ...], float] = field(default_factory=dict)
    moments: int = 1

    def follow_all_histories(self, most: int) -> None:
        """Go through all histories, step by step. Raises NotShown after `most` moments, or if partners do not know the
        same."""
        steps, seats = self.steps, range(self.game.players)
        side_of = [0 if each in self.game.get_team_of_seat(self.seat) else 1 for each in seats]
        all_know: dict[Knowledge, tuple[int, ...]] = {}
        level: dict[tuple[int, tuple[int, ...]], tuple[float, tuple[int, ...]]]
        level = {(0, (0,) * len(seats)): (1.0, (0, 0))} if steps.worth_at_start is None else {}
        while level:
            following: dict[tuple[int, tuple[int, ...]], tuple[float, tuple[int, ...]]] = {}
            for (state, known), (often, sequences) in level.items():
                choices = steps.get_choices(state)
                self.moments += len(choices.idents)
                if self.moments > most:
                    raise NotShown(f"there are more than {most:,} moments")
                shares = [often * weight / sum(choices.weights) for weight in choices.weights]
                after = [sequences] * len(choices.idents)
                if choices.actor != CHANCE:
                    key, side = (choices.actor, known[choices.actor]), side_of[choices.actor]
                    together = tuple(known[seat] for seat in seats if side_of[seat] == side)
                    if all_know.setdefault(key, together) != together:
                        raise NotShown(_NOT_SHARED)
                    shares, after = [often] * len(after), self._list_sequences_behind(side, key, len(after), sequences)
                for place, pair in enumerate(after):
                    worth = choices.worth[place]
                    if worth is not None:
                        self.paid[pair] = self.paid.get(pair, 0.0) + worth * shares[place]
                        continue
                    learnt = (steps.get_knowledge_after((s,), known[s], state, place) for s in seats)
                    moment = choices.following[place], tuple(learnt)
                    following[moment] = following.get(moment, (0.0,))[0] + shares[place], pair
            level = following

    def _list_sequences_behind(
        self, side: int, knowledge: Knowledge, count: int, sequences: tuple[int, ...]
    ) -> list[tuple[int, ...]]:
        """Return the sequences of both sides behind each action of an information set."""
        if knowledge not in self.sets[side]:
            self.sets[side][knowledge] = sequences[side], range(self.counts[side], self.counts[side] + count)
            self.counts[side] += count
        own = self.sets[side][knowledge][1]
        return [(number, sequences[1]) if side == 0 else (sequences[0], number) for number in own]

    def solve_frequencies_by_highs_or_none(self, time_limit: float) -> list[list[float]] | None:
        """Return how much each side plays of each sequence, as HiGHS finds it; None if it is not installed, fails or
        takes too long."""
        task: Mapping[str, Any] = {
            "sequences": self.counts,
            "sets": [[(before, list(own)) for before, own in sets.values()] for sets in self.sets],
            "paid": [(i, j, worth) for (i, j), worth in self.paid.items()],
        }
        plans: list[list[float]] | None = run_highs_in_own_process_or_get_none("plans", task, time_limit)
        return plans or None
