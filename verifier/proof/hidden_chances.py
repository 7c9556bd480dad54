"""How likely a target is for players who do not see all: exactly where what they may come to know is little, else
bounds, from below by what to do in each view, from above by partners who tell each other what they see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import compress
from typing import Any

from playproof.language import CHANCE, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown, list_partners_of_seat
from playproof.verifier.kernel.claim_values import CLOSE, has_fields_hidden_from_some_player, has_no_opposing_sides
from playproof.verifier.kernel.equilibrium import MOST_MOMENTS, EndWorth, make_seat_view_without_secret
from playproof.verifier.kernel.hidden_chances import (
    MOST_BELIEVED,
    MOST_STEPS,
    BeliefsCertificate,
    HistoriesCertificate,
    TooManyBelievedError,
    View,
    ViewsCertificate,
    build_tree_to_ends_of_subject,
    compute_chance_of_actions_by_view,
    compute_subject_from_beliefs,
    compute_subject_from_tree,
)
from playproof.verifier.kernel.sight import BySight, ChanceBySight, ExpectedBySight, State
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.kernel.ways_to_play import WorthNumber
from playproof.verifier.proof.hidden_information import find_equilibrium_plans_by_highs_or_none
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase, add_work_units_done

_BELIEVED, _MOMENTS = 1_500, 10_000  # followed in one unit of work, in which the kernel follows them too
_SHARE = 0.4  # of the work, before states are looked at as if all were seen
_BELIEFS, _JOINT, _PLANS = "all that may be believed", "all joint plans of the team", "plans by what each side sees"
_VIEWS = "what to do in each view"


def answer_chance_by_sight(case: GameCase, question: Question, seat: int, budget: Budget) -> Conclusion:
    """Return the mean chance for players who see what the rules show them, or bounds, or nothing if none are found."""
    event = Event(to_plain_json_data(question.of), to_plain_json_data(question.within))
    about = ChanceBySight(event, seat, Fraction(0), Fraction(1), partners=list_partners_of_seat(case.game, seat))
    if question.chance != "mean" and not has_no_opposing_sides(case.game):
        return Conclusion(None, "", ())
    return answer_by_sight(case, question, about, budget)


def answer_worth_by_sight(case: GameCase, question: Question, number: WorthNumber, budget: Budget) -> Conclusion:
    """Return the expected number for players who see what the rules show them; nothing if it is not found."""
    partners = list_partners_of_seat(case.game, number.seat)
    about = ExpectedBySight(to_plain_json_data(question.of), Fraction(0), Fraction(0), partners=partners)
    return answer_by_sight(case, question, about, budget)


def answer_by_sight(case: GameCase, question: Question, about: BySight, budget: Budget) -> Conclusion:
    """Return what best play is worth by what may be seen, or bounds, or nothing if none are found."""
    if question.seeing == "all" or not has_fields_hidden_from_some_player(case.game) or budget.stopped:
        return Conclusion(None, "", ())
    share = budget.make_budget_of_share(_SHARE)
    if not has_no_opposing_sides(case.game):
        return _bound_by_plans(case, about, share)
    found = _bound_by_beliefs(case, about, share)
    return found if found.known or case.game.players == 1 else _answer_by_joint_plans(case, about, found, share)


def _bound_by_beliefs(case: GameCase, about: BySight, budget: Budget) -> Conclusion:
    """Return what play is worth to players who see the same; a bound of a chance from above if they do not."""
    most = min(MOST_BELIEVED, int(budget.left * _BELIEVED))
    budget.report_progress_line("following what players may believe")
    try:
        found = compute_subject_from_beliefs(case.game, about, case.context, most)
    except NotShown as error:
        add_work_units_done(most / _BELIEVED if isinstance(error, TooManyBelievedError) else 0)
        return Conclusion(None, _BELIEFS, (), str(error))
    return conclude_from_subject(BeliefsCertificate(found), found, _BELIEFS)


def _answer_by_joint_plans(case: GameCase, about: BySight, from_above: Conclusion, budget: Budget) -> Conclusion:
    """Return what play is worth to partners who do not see the same, from all their joint plans; the bound from above
    if these are too many."""
    budget.report_progress_line("joint plans of the team")
    try:
        tree = build_tree_to_ends_of_subject(
            case.game, about, case.context, min(MOST_MOMENTS, int(budget.left * _MOMENTS))
        )
        add_work_units_done(len(tree.moments) / _MOMENTS)
        found = compute_subject_from_tree(case.game, tree, about, ())
    except NotShown:
        return from_above
    exactly = conclude_from_subject(HistoriesCertificate(found, ()), found, _JOINT)
    shared = {"if all is shared": from_above.bound.get("at most", 1.0)} if from_above.offers else {}
    return replace(exactly, bound={**exactly.bound, **shared})


def _bound_by_plans(case: GameCase, about: BySight, budget: Budget) -> Conclusion:
    """Return what play is worth against another side, from the best plan that is found for each."""
    nothing = Conclusion(None, _PLANS, ())
    if len(case.game.sides) > 2:
        return nothing
    budget.report_progress_line("following all histories")
    try:
        tree = build_tree_to_ends_of_subject(
            case.game, about, case.context, min(MOST_MOMENTS, int(budget.left * _MOMENTS))
        )
        add_work_units_done(len(tree.moments) / _MOMENTS)
        shared = tree.do_teammates_share_all_information
        plans = find_equilibrium_plans_by_highs_or_none(tree, budget) if shared else None
        if plans is None:
            return nothing
        found = compute_subject_from_tree(case.game, tree, about, plans)
    except NotShown:
        return nothing
    return conclude_from_subject(HistoriesCertificate(found, tuple(plans)), found, _PLANS)


def conclude_from_subject(certificate: Certificate, subject: BySight, method: str) -> Conclusion:
    """Return what the bounds of a subject give, or the bounds."""
    (low, high), offers = subject.get_bounds(), ((certificate,),)
    if high - low > CLOSE:
        least, most = (0, 1) if isinstance(subject, ChanceBySight) else (None, None)
        bound: dict[str, Any] = {"at least": float(low)} if low != least else {}
        bound |= {"at most": float(high)} if high != most else {}
        return Conclusion(None, method, offers, "the bounds do not meet", bound)
    exactly = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    return Conclusion(round(float(low), 9), method, offers, bound=exactly)


# -- what to do in each view --------------------------------------------------------------------------------------

_MOST_STATES, _STATES = 60_000, 6_000  # in all, and in one unit of work
_PASSES, _ROUNDS, _STILL, _LONGEST = 60, 8, 1e-9, 400
_STRAY = 0.1  # how often another action is tried, so that no view counts for nothing


def bound_chance_by_views(case: GameCase, event: Event, seat: int, budget: Budget) -> Conclusion:
    """Return a bound from below: what is best to do in each view, found by improving on what is best if all is seen,
    and on what is best behind play at random."""
    nothing = Conclusion(None, _VIEWS, ())
    if not has_no_opposing_sides(case.game) or budget.stopped:
        return nothing
    budget.report_progress_line("looking for what to do in each view")
    about = ChanceBySight(event, seat, Fraction(0), Fraction(1), partners=list_partners_of_seat(case.game, seat))
    worth = about.read_end_worth(case.game, case.context)
    try:
        graph = _ViewGraph(case, worth, min(_MOST_STATES, int(budget.left * _STATES)))
        certificate = _certify_choices(case, about, worth, graph.find_choices(), graph.longest)
    except (NotShown, RulesError):
        return nothing
    add_work_units_done(len(graph.states) / _STATES)
    return conclude_from_subject(certificate, certificate.about, _VIEWS)


def _certify_choices(
    case: GameCase, about: ChanceBySight, worth: EndWorth, choices: Mapping[View, int], max_steps: int
) -> ViewsCertificate:
    """Return the choices in the order in which the kernel meets the views, with what they reach. Raises NotShown."""
    met, steps = dict[View, int](), min(MOST_STEPS, max_steps)

    def choose_action(view: View) -> int:
        return met.setdefault(view, choices.get(view, view[2][0]))

    low = compute_chance_of_actions_by_view(case.game, worth, choose_action, steps)
    bounded = about.replace_bounds_by_those_of_worth(low, Fraction(1))
    return ViewsCertificate(bounded, tuple(met.values()), steps)


@dataclass
class _ViewGraph:
    """All states, with what players see in them, and play by view in floats."""

    case: GameCase
    worth_at_end: EndWorth
    most: int
    states: dict[State, int] = field(default_factory=dict)
    worth: list[float | None] = field(default_factory=list)
    views: list[View | None] = field(default_factory=list)
    edges: list[list[tuple[int, float]]] = field(default_factory=list)
    longest: int = 0

    def __post_init__(self) -> None:
        play = self.case.play
        eyes = [make_seat_view_without_secret(self.case.game, seat) for seat in range(self.case.game.players)]
        waiting = [tuple(play.start())]
        self.states[waiting[0]] = 0
        for state in waiting:
            value = self.worth_at_end(state)
            self.worth.append(value)
            legal, actor = tuple(play.legal(state)) if value is None else (), play.actor(state)
            seen = value is None and actor != CHANCE
            self.views.append((actor, tuple(compress(state, eyes[actor].shows)), legal) if seen else None)
            weights = [1.0 if seen else float(play.weight(state, ident)) for ident in legal]
            following = [tuple(play.apply(state, ident)) for ident in legal]
            for after in following:
                if after not in self.states:
                    self.states[after] = len(self.states)
                    waiting.append(after)
            if len(waiting) > self.most:
                raise NotShown("there are too many states")
            total = 1.0 if seen else sum(weights)
            self.edges.append([(self.states[a], w / total) for a, w in zip(following, weights, strict=True)])

    def find_choices(self) -> dict[View, int]:
        """Return the best choices that were found."""
        best: tuple[float, dict[View, int]] = (-1.0, {})
        for values in (self._compute_values(None, is_best=True), self._compute_values(None)):
            choices: dict[View, int] | None = None
            for _ in range(_ROUNDS):
                choices = self._choose_by_values(values, self._compute_reach(choices))
                values = self._compute_values(choices)
                if values[0] <= best[0] + _STILL:
                    break
                best = values[0], choices
        return best[1]

    def _compute_values(self, choices: dict[View, int] | None, *, is_best: bool = False) -> list[float]:
        """Return the chance from each state on: by choices, at random without them, or as if all were seen."""
        values = [value or 0.0 for value in self.worth]
        for _ in range(_PASSES):
            change = 0.0
            for number in reversed(range(len(values))):
                if self.worth[number] is None and self.edges[number]:
                    new = self._compute_value_of_state(number, values, choices, is_best)
                    change, values[number] = max(change, abs(new - values[number])), new
            if change < _STILL:
                break
        return values

    def _compute_value_of_state(
        self, number: int, values: list[float], choices: dict[View, int] | None, is_best: bool
    ) -> float:
        edges, view = self.edges[number], self.views[number]
        if view is not None and is_best:
            return max(values[to] for to, _ in edges)
        if view is not None and choices is not None:
            return values[edges[view[2].index(choices[view])][0]] if view in choices else 0.0
        total = sum(share for _, share in edges)
        return sum(values[to] * share for to, share in edges) / total

    def _compute_reach(self, choices: dict[View, int] | None) -> list[float]:
        """Return how often each state is reached, if now and then an action is taken at random."""
        often, level = [0.0] * len(self.worth), {0: 1.0}
        for step in range(_LONGEST):
            following: dict[int, float] = {}
            for number, chance in level.items():
                often[number] += chance
                for to, share in self._iter_shares_of_successors(number, choices):
                    following[to] = following.get(to, 0.0) + chance * share
            level = following
            if not level:
                break
            self.longest = max(self.longest, step + 1)
        return often

    def _iter_shares_of_successors(self, number: int, choices: dict[View, int] | None) -> Iterator[tuple[int, float]]:
        edges, view = self.edges[number], self.views[number]
        chosen = view[2].index(choices[view]) if view is not None and choices is not None and view in choices else -1
        for place, (to, share) in enumerate(edges):
            if view is None:
                yield to, share
            else:
                plain = (1.0 if chosen < 0 else _STRAY) / len(edges)
                yield to, plain + (1 - _STRAY if place == chosen else 0.0)

    def _choose_by_values(self, values: list[float], reach: list[float]) -> dict[View, int]:
        """Return for each view the action behind which the values are greatest, over the states that show the view."""
        sums: dict[View, list[float]] = {}
        for number, view in enumerate(self.views):
            if view is not None:
                row = sums.setdefault(view, [0.0] * len(view[2]))
                for place, (to, _) in enumerate(self.edges[number]):
                    row[place] += reach[number] * values[to]
        return {view: view[2][row.index(max(row))] for view, row in sums.items()}
