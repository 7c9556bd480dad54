"""Chances as exact fractions: a bound from above and one from below for every state, which the file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from playproof.language import Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, require_partners_as_in_game
from playproof.verifier.kernel.closed_sets import (
    LUCK,
    MEAN,
    SCALE,
    StateLayer,
    ValueStep,
    are_lower_bounds_kept_with_ranks,
    are_upper_bounds_kept_by_steps,
    make_play_of_seekers,
)
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.state_graphs import FEW_STATES, VECTORS, Edges, StateGraph, enumerate_game_states_cached
from playproof.verifier.kernel.statements import Event, EventChance, Statement
from playproof.verifier.kernel.strict_json import OMITTED


@dataclass(frozen=True)
class ChanceBoundsCertificate(Certificate):
    """Bounds on the chance that `seat` and its `partners` bring about the event. `upper`, `lower` and `ranks` have
    one entry for each state; the bounds are indices into `values`. `start` is the number of the
    first state."""

    kind: ClassVar[str] = "chance"
    event: Event
    chance: str
    seat: int
    values: tuple[Fraction, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    ranks: tuple[int, ...]
    start: int
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The lower and the upper bound at the start."""
        return self.values[self.lower[self.start]], self.values[self.upper[self.start]]

    def describe_what_must_be_trusted(self) -> str:
        """Return the interpreter if there are few states, else the vector reading."""
        return self.rests if len(self.upper) <= FEW_STATES else VECTORS

    def build_proved_statement(self) -> Statement:
        """State that the chance lies between the two bounds of the start."""
        low, high = self.bounds if self._are_lists_consistent() else (Fraction(0), Fraction(1))
        return Statement(EventChance(self.event, self.chance, self.seat, low, high, partners=self.partners))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Check that one step of best play keeps the bounds of every state. Raises NotShown."""
        target = self.event.build_condition_and_actions(game, context)
        if target.idents is not None:
            raise NotShown("chances are of conditions, not of actions")
        if self.chance not in LUCK or not 0 <= self.seat < game.players:
            raise NotShown(f"there is no luck `{self.chance[:40]}` for seat {self.seat}")
        require_partners_as_in_game(game, self.seat, self.partners)
        if not self._are_lists_consistent():
            raise NotShown("expected chances from 0 to 1, and for each state two of them and a rank")
        graph = enumerate_game_states_cached(game, len(self.upper), context)
        order = argsort_states_by_cells(graph.cells)
        if len(order) != len(self.upper) or order[self.start] != 0:
            raise NotShown(f"the game has {len(order):,} states, the evidence speaks of others")
        number = np.argsort(order)
        layer = put_all_states_in_one_layer(graph, game, target.condition)
        play = make_play_of_seekers(self.chance, (self.seat, *self.partners))
        self.require_bounds_kept_by_step(ValueStep(layer, play), number)

    def require_bounds_kept_by_step(self, value_step: ValueStep, certificate_row_by_state: Edges) -> None:
        """Check that one step keeps the bounds of all states, whose numbers are given. Raises NotShown."""
        units = np.array(self.values, dtype=np.object_) * SCALE
        if not (value_step.how == MEAN).any() and all(unit.denominator == 1 for unit in units):
            # no mean is taken, so whole numbers are as exact as fractions
            units = np.array([unit.numerator for unit in units], dtype=np.int64)
        no_end = np.zeros(1, dtype=units.dtype)
        upper, lower = (units[list(which)][certificate_row_by_state] for which in (self.upper, self.lower))
        ranks = np.array(self.ranks, dtype=np.object_)[certificate_row_by_state]
        if not are_upper_bounds_kept_by_steps([value_step], (upper, no_end)):
            raise NotShown("best play may do better than the bound from above")
        if not are_lower_bounds_kept_with_ranks([value_step], (lower, no_end), ranks):
            raise NotShown("the bound from below is not reached")

    def _are_lists_consistent(self) -> bool:
        same_length = len(self.upper) == len(self.lower) == len(self.ranks)
        numbers = all(0 <= n < len(self.values) for n in (*self.upper, *self.lower))
        chances = all(0 <= value <= 1 for value in self.values)
        return same_length and numbers and chances and 0 <= self.start < len(self.upper)


def put_all_states_in_one_layer(graph: StateGraph, game: Game, event_condition: Term) -> StateLayer:
    """Return all states as one layer, in which no state is an end: those without a step are worth 0. Raises NotShown
    for a weight that is not above 0."""
    actors = graph.list_actor_of_each_state(game)
    weight = graph.compute_chance_weight_of_each_edge(game)
    degree, to = np.diff(graph.first).astype(np.int32), graph.edges[:, 2].astype(np.int32)
    met = graph.evaluate_condition_in_each_state(game, event_condition).astype(np.bool_)
    return StateLayer(0, degree, to, weight.astype(np.int32), actors.astype(np.int8), met, 0)


def argsort_states_by_cells(state_rows: Edges) -> Edges:
    """Return the rows in the order of their cells; plain objects have no order of their own."""
    if state_rows.dtype == np.object_:
        return np.array(sorted(range(len(state_rows)), key=state_rows.tolist().__getitem__))
    return np.lexsort(state_rows.T[::-1])
