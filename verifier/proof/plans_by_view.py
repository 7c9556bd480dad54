"""What to do in each view: a bound of a chance from below for players who see what the rules show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import compress
from typing import Any

from playproof.language import CHANCE, RulesError
from playproof.verifier.kernel.best_answers import EndWorth, State, make_seat_view_without_secret
from playproof.verifier.kernel.certificate import NotShown, list_partners_of_seat
from playproof.verifier.kernel.claim_values import has_no_opposing_sides
from playproof.verifier.kernel.sight import (
    MOST_STEPS,
    ChanceBySight,
    ViewsCertificate,
    build_steps_to_ends_of_subject,
    compute_chance_of_plan_by_views,
)
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.play_by_sight import conclude_from_bounds
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase, add_work_units_done

View = tuple[int, tuple[int, ...], tuple[int, ...]]
"""A seat that is to act, the cells that it sees, and what it may do."""
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
    worth = about.read_end_worth(case.game, case.context)
    try:
        graph = _ViewGraph(case, worth, min(_MOST_STATES, int(budget.left * _STATES)))
        certificate = _certify_choices(case, about, graph.find_choices(), graph.longest)
    except (NotShown, RulesError):
        return nothing
    add_work_units_done(len(graph.states) / _STATES)
    return conclude_from_bounds(certificate, certificate.about, _VIEWS)


def _certify_choices(
    case: GameCase, about: ChanceBySight, choices: Mapping[View, int], max_steps: int
) -> ViewsCertificate:
    """Return the choices in the order in which the kernel meets the views, with what they reach. Raises NotShown."""
    met, steps = dict[View, tuple[int, ...]](), min(MOST_STEPS, max_steps)

    def choose(view: Any, idents: tuple[int, ...]) -> tuple[int, ...]:
        chosen = choices.get(view, idents[0])
        return met.setdefault(view, tuple(int(ident == chosen) for ident in idents))

    low = compute_chance_of_plan_by_views(build_steps_to_ends_of_subject(case.game, about, case.context), choose, steps)
    return ViewsCertificate(replace(about, low=low), tuple(met.values()), steps)


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
