"""What to do in each view: a bound of a chance from below for players who see what the rules show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from playproof.language import RulesError
from playproof.verifier.kernel.best_answers import InformationSteps, View
from playproof.verifier.kernel.certificate import NotShown, list_partners_of_seat
from playproof.verifier.kernel.claim_values import has_no_opposing_sides
from playproof.verifier.kernel.sight import (
    ChanceBySight,
    ViewsCertificate,
    build_steps_to_ends_of_subject,
    compute_chance_of_plan_by_views,
)
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.play_by_sight import conclude_from_bounds
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase, add_work_units_done

_VIEWS = "what to do in each view"
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
    about = ChanceBySight(seat, Fraction(0), Fraction(1), event, partners=list_partners_of_seat(case.game, seat))
    try:
        steps = build_steps_to_ends_of_subject(case.game, about, case.context)
        graph = _ViewGraph(steps, min(_MOST_STATES, int(budget.left * _STATES)))
        certificate = _certify_choices(steps, about, graph.find_choices(), graph.longest)
    except (NotShown, RulesError):
        return nothing
    add_work_units_done(len(steps.states) / _STATES)
    return conclude_from_bounds(certificate, certificate.about, _VIEWS)


def _certify_choices(
    steps: InformationSteps, about: ChanceBySight, choices: Mapping[View, int], most: int
) -> ViewsCertificate:
    """Return the choices in the order in which the kernel meets the views, with what they reach. Raises NotShown."""
    met = dict[Any, tuple[int, ...]]()

    def choose(view: Any, idents: tuple[int, ...]) -> tuple[int, ...]:
        return met.setdefault(view, tuple(int(place == choices.get(view, 0)) for place, _ in enumerate(idents)))

    low = compute_chance_of_plan_by_views(steps, choose, most)
    return ViewsCertificate(replace(about, low=low), tuple(met.values()), most)


_MET, _MISSED = -1, -2  # the last two values


@dataclass
class _ViewGraph:
    """All states, with what players see in them, and play by view in floats. A choice is the place of an action."""

    steps: InformationSteps
    most: int
    views: list[View | None] = field(default_factory=list)
    edges: list[list[tuple[int, float]]] = field(default_factory=list)
    longest: int = 0

    def __post_init__(self) -> None:
        for number, _ in enumerate(self.steps.states):  # which grows
            if number >= self.most:
                raise NotShown("there are too many states")
            choices = self.steps.get_choices(number)
            self.views.append(None if choices.weights else self.steps.get_view(number))
            total, weights = sum(choices.weights) or 1, choices.weights or (1,) * len(choices.idents)
            ends = {None: 0, 0: _MISSED, 1: _MET}
            behind = [ends[worth] or to for to, worth in zip(choices.following, choices.worth, strict=True)]
            self.edges.append([(to, weight / total) for to, weight in zip(behind, weights, strict=True)])

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
        values = [0.0] * len(self.edges) + [0.0, 1.0]
        for _ in range(_PASSES):
            change = 0.0
            for number in reversed(range(len(self.edges))):
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
            return values[edges[choices[view]][0]] if view in choices else 0.0
        total = sum(share for _, share in edges)
        return sum(values[to] * share for to, share in edges) / total

    def _compute_reach(self, choices: dict[View, int] | None) -> list[float]:
        """Return how often each state is reached, if now and then an action is taken at random."""
        often, level = [0.0] * len(self.edges), {0: 1.0}
        for step in range(_LONGEST):
            following: dict[int, float] = {}
            for number, chance in level.items():
                often[number] += chance
                for to, share in self._iter_shares_of_successors(number, choices):
                    if to >= 0:
                        following[to] = following.get(to, 0.0) + chance * share
            level, self.longest = following, max(self.longest, step + 1)
            if not level:
                break
        return often

    def _iter_shares_of_successors(self, number: int, choices: dict[View, int] | None) -> Iterator[tuple[int, float]]:
        edges, view = self.edges[number], self.views[number]
        chosen = choices.get(view, -1) if view is not None and choices is not None else -1
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
        return {view: row.index(max(row)) for view, row in sums.items()}
