"""Certificates of the expected score or length of a game of turns: one player, much chance in a turn, and few things
that last.

Some fields are *inner*: each turn begins with the values that they have at the start. The others last: those of the
*outer* state, and one field that only ever gathers points. Inside a turn nothing asks for what lasts, so all turns go
through the same inner states; only the actions that *close* a turn differ.

The theorem is that of `closed_sets`: a value for each state, and one step of play that takes the most, the least or
the mean of those behind it. Here the states are pairs (inner, outer), and the value is what is still gathered. Points
that were gathered before add to every value alike, so they are left out. An action inside a turn leads to the same
outer state. One that closes a turn leads to the first inner state and another outer one, and gains what it gathers; if
the game is over behind it, it gains the rest of the number. For a length nothing is gathered, and each decision that
counts gains 1. All of this holds from any state of a game on, so a claim about later turns is answered from where the
last of them begins.

The premises, and where they are checked. No inner action asks for what lasts or changes it: it is read where these
cells are not known (`PartialReading`). An action whose reading asks for them closes a turn in each state. A turn that
closes leaves every inner field and the phase as at the start (`InnerFieldChanged`). The field that gathers is read
where something is added to it that is never negative, and in the number, and nowhere else
(`turn_steps.TurnRules`); so no value depends on it, and it stays within its bounds if the most that a game can
gather does (`_compute_solution_from_last_turn_back`). Inner play is never endless, and so is no game, since turns are
counted and all outer states of each turn are gone through. So each value is made from values that are there.

Values are whole numbers of a unit, each mean rounded down. Means, the most and the least move with a constant, so a
rounding moves no value by more than a unit: a turn's value is less than a unit for each of its means in a row too low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    raise_rules_errors_as_not_shown,
    require_stated_state_count,
)
from playproof.verifier.kernel.closed_sets import MEAN, MOST
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.state_graphs import VECTORS
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict_json import Json, to_canonical_json_text
from playproof.verifier.kernel.turn_steps import (
    Column,
    StateCounter,
    Turn,
    TurnFields,
    TurnGraph,
    TurnRules,
    list_turns_from_first,
)
from playproof.verifier.kernel.ways_to_play import read_worth
from playproof.verifier.kernel.worths import ExpectedValue, ExpectedValues, ValueBounds

MOST_OUTER = 5_000_000
_BLOCK = 2048  # outer states whose values are computed at once
_BITS, _LEAST_BITS = 62, 30
_NONE = 1 << 62  # beyond every value: no action


@dataclass(frozen=True)
class TurnsSolution:
    """How many outer states there are in all turns together, and the bounds of the expected number, and of each option
    if it is asked for."""

    states: int
    low: Fraction
    high: Fraction
    each: tuple[ValueBounds, ...]


@dataclass(frozen=True)
class TurnsCertificate(Certificate):
    """What is shown turn by turn of a game with so many outer `states`."""

    rests: ClassVar[str] = VECTORS
    of: Json
    parts: TurnFields
    states: int

    def solve_requiring_state_count(self, game: Game, context: Context) -> TurnsSolution:
        """Compute the bounds. Raises NotShown if the outer states are not as many as the evidence says."""
        solved = compute_expected_value_turn_by_turn(game, self.of, self.parts, context, max_states=self.states)
        require_stated_state_count(solved.states, self.states)
        return solved


@dataclass(frozen=True)
class TurnsWorthCertificate(TurnsCertificate):
    """Bounds on an expected number, as the module says."""

    kind: ClassVar[str] = "worth in turns"
    low: Fraction
    high: Fraction

    def build_proved_statement(self) -> Statement:
        """State that the expected number lies between the two bounds."""
        return Statement(ExpectedValue(self.of, self.low, self.high))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute the bounds. Raises NotShown if they are not those of the certificate."""
        solved = self.solve_requiring_state_count(game, context)
        if (solved.low, solved.high) != (self.low, self.high):
            raise NotShown("the expected value has other bounds")


@dataclass(frozen=True)
class TurnsWorthsCertificate(TurnsCertificate):
    """Bounds on what each option of a state is worth."""

    kind: ClassVar[str] = "worths in turns"
    each: tuple[ValueBounds, ...]

    def build_proved_statement(self) -> Statement:
        """State all bounds."""
        return Statement(ExpectedValues(self.of, self.each))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute the bounds. Raises NotShown if they are not those of the certificate."""
        if not self.each or self.solve_requiring_state_count(game, context).each != self.each:
            raise NotShown("the options have other bounds")


def compute_expected_value_turn_by_turn(
    game: Game,
    worth_spec: Json,
    turn_fields: TurnFields,
    context: Context,
    *,
    max_states: int = MOST_OUTER,
    count_states: StateCounter = lambda _: None,
) -> TurnsSolution:
    """Return the bounds of what a `worth` claim asks of. `count_states` is told how many inner states of how many outer
    ones were gone through. Raises InputError, NotShown, and InnerFieldChanged."""

    @raise_rules_errors_as_not_shown()
    def made() -> TurnsSolution:
        number = read_worth(game, worth_spec, context)
        if game.players != 1 or number.spread or number.plan is not None:
            raise NotShown("turns give no spread, and nothing for several players or a list of rules")
        rules = TurnRules(game, number, turn_fields)
        graph = TurnGraph(rules)
        turns = list_turns_from_first(rules, graph, min(max_states, MOST_OUTER), count_states)
        return _compute_solution_from_last_turn_back(rules, graph, turns, count_states)

    solved = context.get_or_build_for_game(
        game, to_canonical_json_text(["turns", worth_spec, turn_fields.inner, turn_fields.gathers]), made
    )
    if solved.states > max_states:
        raise NotShown(f"there are {solved.states:,} states between turns, the evidence speaks of {max_states:,}")
    return solved


# -- values ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _OuterValues:
    """Of the outer states in which a turn begins, by sorted keys: their values in units, and the most they gather."""

    keys: Column
    values: Column
    most: Column


class _TurnValues:
    """The values of some outer states (columns) in units, from those of the next turn: a row for each inner state, then
    one for each edge that closes the turn, times its weight where means are taken. `weights` are those of the closing
    edges, and `most` is the most that each outer state gathers. Raises NotShown at a dead end."""

    def __init__(self, graph: TurnGraph, turn: Turn, some: slice, later: _OuterValues, unit: int) -> None:
        self.graph, self.turn, self.inner, self.unit = graph, turn, len(graph.cells), unit
        keys, size = turn.keys[some], len(turn.edges)
        self.rows = np.empty((self.inner + size, len(keys)), dtype=np.int64)
        self.weights, self.most = np.empty((size, len(keys)), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
        behind: dict[tuple[int, bytes], tuple[Column, Column]] = {}
        for number, edge in enumerate(turn.edges):
            row = edge.alike[some]
            if edge.move not in behind:
                places = np.minimum(np.searchsorted(later.keys, keys + edge.step[row]), len(later.keys) - 1)
                behind[edge.move] = later.values[places], later.most[places]
            value, most = behind[edge.move]
            goes_on, weight = edge.goes_on[row], edge.weight[row]
            worth = value * goes_on + edge.gain[row] * unit
            if edge.operator == MEAN:
                worth *= weight
            else:
                worth[weight == 0] = -_NONE * edge.operator
            self.rows[self.inner + number], self.weights[number] = worth, weight
            np.maximum(self.most, most * goes_on + edge.gathered[row], out=self.most)
        for state in graph.states_from_last:
            self.rows[state] = self._compute_value_of_inner_state(state)
            if graph.gains[state]:
                self.rows[state] += graph.gains[state] * unit

    def _compute_value_of_inner_state(self, state: int) -> Column:
        """Return the most, the least, or the mean of what lies behind a state, rounded down."""
        (to, weights), closing = self.graph.edges_of[state], self.turn.closing_of[state]
        if not len(to) and not self.weights[closing].any(axis=0).all():
            raise NotShown("there is a dead end, which is worth nothing")
        behind, operator = self.rows[np.concatenate([to, self.inner + closing])], self.graph.operators[state]
        if operator != MEAN:
            return np.asarray(behind.max(axis=0) if operator == MOST else behind.min(axis=0))
        if (weights != 1).any():
            behind[: len(to)] *= weights[:, None]
        total: int | Column = int(weights.sum())
        if len(closing):
            total = total + self.weights[closing].sum(axis=0)
        return np.asarray(behind.sum(axis=0) // total)


def _compute_solution_from_last_turn_back(
    rules: TurnRules, graph: TurnGraph, turns: Sequence[Turn], count_states: StateCounter
) -> TurnsSolution:
    """Compute the value of each outer state, from the last turn back."""
    gains = sum(turn.greatest_gain for turn in turns)
    lengths = (int(graph.depths.max()) + 1) * len(turns) * rules.counted
    inside = max(int(weights.sum()) for _, weights in graph.edges_of)
    bits = _BITS - (max(gains + lengths, 1) * (inside + max(turn.heaviest for turn in turns))).bit_length() - 1
    if bits < _LEAST_BITS:
        raise NotShown("values or weights are too large for 62 bits")
    unit, nothing = 1 << bits, np.zeros(1, dtype=np.int64)
    later = _OuterValues(nothing, nothing, nothing)
    for turn in reversed(turns):
        behind, later = later, _OuterValues(turn.keys, np.empty_like(turn.keys), np.empty_like(turn.keys))
        for at in range(0, len(turn.keys), _BLOCK):
            some = slice(at, at + _BLOCK)
            made = _TurnValues(graph, turn, some, behind, unit)
            later.values[some], later.most[some] = made.rows[0], made.most
            count_states(len(made.most) * len(graph.cells) // 16)
    if rules.gathers is not None and rules.before + int(later.most[0]) > rules.gathers.hi:
        raise NotShown("what is gathered may leave its bounds")
    rounding = graph.count_max_mean_states_on_path() * len(turns)

    def bounds(value: int) -> tuple[Fraction, Fraction]:
        return Fraction(value, unit) + rules.least, Fraction(value + rounding, unit) + rules.least

    options = _compute_worth_of_each_action(made) if rules.number.options else {}
    each = tuple(ValueBounds(rules.game.show(i), *bounds(value)) for i, value in sorted(options.items()))
    return TurnsSolution(sum(len(turn.keys) for turn in turns), *bounds(int(made.rows[graph.place, 0])), each)


def _compute_worth_of_each_action(made: _TurnValues) -> dict[int, int]:
    """Return what each action is worth in the inner state that is asked of, in the first outer state."""
    graph, edges = made.graph, made.turn.edges
    own = int(graph.gains[graph.place]) * made.unit
    inside = graph.graph.list_actions_and_successors_of_state(graph.place)
    worths = {ident: int(made.rows[to, 0]) + own for ident, to in inside}
    for number in made.turn.closing_of[graph.place]:
        weight, value = int(made.weights[number, 0]), int(made.rows[made.inner + number, 0])
        if weight:
            worths[edges[number].ident] = (value // weight if edges[number].operator == MEAN else value) + own
    return worths
