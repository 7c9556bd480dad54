"""What a strategy is worth: the chance that its seats bring an event about, if all others play against them. Those who
play together with a seat that follows it, and do not follow it themselves, help as well as can be: the *helpers*.

The states are those that the strategy allows: the start, and with each state what every allowed decision leads to. Of
the seat's own actions the strategy allows some; of others' and of chance's, all are allowed.

Let T be one step of such play: 1 at the event, 0 in any other end, the least of the successors where others choose (or
the seat between equal actions, if ties fall `any` way), the greatest where a helper chooses, the mean where chance or
a `random` tie decides (the least or the greatest with the worst or the best luck). Play that goes on for ever counts as
not reaching the event, so the chance is the least fixed point of T.

`circling` computes bounds on this fixed point; its module has the theorems. All states are one layer, in which no state
is an end: those without a step are worth 0.

The premises, and where they are checked: who plays together is as the description says (`list_helpers`); the states are
closed under what is allowed (`enumerate_states`); the seat can follow the strategy with what it sees: states that look
alike to it allow the same actions (`_check_followable_by_seat`); every weight is above 0 (`graph_to_layer`), and
sums fit 62 bits (`swept.mean_of`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Field, Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.chance import graph_to_layer
from playproof.verifier.kernel.circling import LEAST, LUCK, MOST, SCALE, bound_values
from playproof.verifier.kernel.columns import ColumnReading
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import CLOSE, Decision, get_seat, has_hidden_fields, round_chance
from playproof.verifier.kernel.exploration import (
    MOST_STATES,
    VECTORS,
    Edges,
    Enumeration,
    RowReader,
    StateGraph,
    Steps,
    enumerate_states,
    list_acting_seats,
)
from playproof.verifier.kernel.layers import Layers
from playproof.verifier.kernel.statements import Event, Statement, Subject
from playproof.verifier.kernel.strict import Json, format_short, refuse_wrong_shape, to_canonical, to_json
from playproof.verifier.kernel.transcript import Line
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import Rule, Strategy, read_strategy, read_strategy_target

FEW_ALLOWED = 1_000
"""The interpreter goes through up to this many states, a thousand a second; more are read in columns."""
RowArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class StrategyChance(Subject):
    """Who follows the strategy, with those who help, brings about its target with a chance between `low` and `high`,
    against all others.
    `of` names the strategy and its target as a claim does. `chance` is mean (as it falls), best or worst."""

    kind: ClassVar[str] = "following"
    YES = "with {chance} luck, who keeps to {of} (within {within}) comes there with the chance {value}"
    of: Json
    within: Json
    chance: str
    low: Fraction
    high: Fraction

    def answer_question(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the chance; true or false for the best or worst luck. A strategy reads only what its seat sees, so the
        value holds for players who see no more than the rules show them."""
        wanted = Event(to_json(question.of), to_json(question.within)).key, question.chance
        if question.ask != "strategy" or wanted != (Event(self.of, self.within).key, self.chance):
            return None
        if self.high - self.low > CLOSE:
            return None
        value = (
            round_chance(self.low, self.high) if self.chance == "mean" else self.low > 0
        )  # luck leaves 0 or 1
        return None if value is None else Decision(value)

    def bound_luck_below(self, game: Game, question: Question) -> Fraction:
        """Return the chance, if the strategy is followed by the team that asks, or by some of it while the others see
        all, to the same target in as much time or less, and with luck that is no better."""
        target = self.of.get("target") if isinstance(self.of, dict) else None
        same = to_canonical(target) == to_canonical(to_json(question.of))
        same &= question.within is None or to_canonical(to_json(question.within)) == to_canonical(self.within)
        if not same or self.chance not in (question.chance, "worst"):
            return Fraction(0)
        plan, _ = read_strategy_and_target(game, self.of, self.within)
        team = game.get_team_of_seat(get_seat(question))
        see_all = (
            not has_hidden_fields(game) or question.seeing == "all"
        )  # helpers do, the players of the question may not
        followed_by_team = plan.seats == team or (set(plan.seats) < set(team) and see_all)
        return self.low if followed_by_team else Fraction(0)


def read_strategy_and_target(game: Game, spec: Json, within: Json) -> tuple[Strategy, Term]:
    """Return the strategy and the condition that it is to bring about. Raises InputError, or Unreadable if the data is
    no strategy."""
    with refuse_wrong_shape(f"{format_short(spec)} is no strategy"):
        return read_strategy(game, spec), read_strategy_target(game, spec, within).condition


# -- what is allowed --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StrategyMoves:
    """Leaves out the moves of the seat that its strategy does not allow."""

    game: Game
    plan: Strategy

    @property
    def terms(self) -> Sequence[Term]:
        """Return every term that the strategy reads."""
        return self.plan.terms

    def filter_moves(
        self, reader: RowReader | ColumnReading, cells: Edges, moves: Iterator[Steps]
    ) -> Iterator[Steps]:
        """Yield the moves from these states that are allowed."""
        made = [(here, np.full(len(here), ident), after) for here, ident, after in moves]
        if not made:
            return
        rows = np.concatenate([m[0] for m in made])
        idents = np.concatenate([m[1] for m in made])
        after = np.concatenate([m[2] for m in made])
        mine = np.isin(list_acting_seats(self.game, reader, cells), self.plan.seats) & (cells[:, 1] == 0)
        left = ~mine[rows] | self._mark_preferred_moves(reader, cells, mine, rows, idents, after)
        for ident in np.unique(idents[left]).tolist():
            chosen = np.flatnonzero(left & (idents == ident))
            yield rows[chosen], ident, after[chosen]

    def _mark_preferred_moves(
        self,
        reader: RowReader | ColumnReading,
        cells: Edges,
        open_: BoolArray,
        rows: RowArray,
        idents: RowArray,
        after: Edges,
    ) -> BoolArray:
        """Return the moves of the open states that the first fitting rule prefers; all of them where none fits."""
        left, undecided = np.zeros(len(rows), dtype=np.bool_), open_.copy()
        for rule in self.plan.rules:
            holds = undecided & (reader.evaluate_term(rule.when, cells) != 0).astype(np.bool_)
            fitting = holds[rows]
            if rule.idents is not None:
                fitting &= np.isin(idents, sorted(rule.idents))
            best = self._select_preferred_moves(reader, rule, np.flatnonzero(fitting), rows, idents, after)
            left[best] = True
            undecided[rows[best]] = False
        left |= undecided[rows]
        if self.plan.ties == "first":  # the lowest number of each state
            order = np.flatnonzero(left)[np.lexsort((idents[left], rows[left]))]
            left[:] = False
            left[order[np.concatenate([[True], np.diff(rows[order]) != 0])[: len(order)]]] = True
        return left

    @staticmethod
    def _select_preferred_moves(
        reader: RowReader | ColumnReading,
        rule: Rule,
        moves: RowArray,
        rows: RowArray,
        idents: RowArray,
        after: Edges,
    ) -> RowArray:
        """Return those of the moves that the rule prefers in their state."""
        for wanted in rule.preferences:
            if not len(moves):
                break
            if wanted.of_action is None:
                values = np.asarray(reader.evaluate_term(wanted.term, after[moves])) * wanted.sign
            else:
                values = np.array([wanted.of_action[i] * wanted.sign for i in idents[moves].tolist()])
            order = np.argsort(rows[moves], kind="stable")
            firsts = np.flatnonzero(np.concatenate([[True], np.diff(rows[moves][order]) != 0]))
            greatest = np.maximum.reduceat(values[order], firsts)
            counts = np.diff(np.concatenate([firsts, [len(order)]]))
            moves = moves[order][values[order] == np.repeat(greatest, counts)]
        return moves


def explore_strategy(
    game: Game, strategy: Strategy, spec: Json, max_states: int, context: Context
) -> StateGraph:
    """Return the states that a strategy, which `of` names, allows: at most so many. Raises NotShown."""
    few = max_states <= FEW_ALLOWED

    def made() -> StateGraph:
        graph = enumerate_states(
            game, few, min(max_states, MOST_STATES), move_filter=StrategyMoves(game, strategy)
        )
        for seat in strategy.seats:
            _check_followable_by_seat(game, graph, seat)
        return graph

    key = to_canonical([spec["play"], strategy.ties, strategy.seats])
    last = context.build_once(game, ("strategies", few), dict[str, StateGraph])
    if key not in last:
        last.clear()  # there is room for one
        last[key] = made()
    return last[key]


def _check_followable_by_seat(game: Game, graph: StateGraph, seat: int) -> None:
    """Check that states which look alike to the seat allow it the same actions. Raises NotShown, with the fields that
    tell them apart."""
    seen = [seen_field for f in game.fields for seen_field in f.make_visibility_mask(seat, game.players)]
    hidden = [n for n, f in _iter_cells_with_fields(game) if not seen[n] and f.lo < f.hi]
    if not hidden:
        return
    live = np.flatnonzero((graph.cells[:, 1] == 0) & (graph.list_actors(game) == seat))
    by_view: dict[tuple[int, ...], tuple[int, list[int]]] = {}
    for row in live.tolist():
        view = tuple(value for n, value in enumerate(graph.cells[row].tolist()) if seen[n])
        actions = graph.list_legal_actions(row)
        other, before = by_view.setdefault(view, (row, actions))
        if before != actions:
            differ = [
                f.name
                for n, f in _iter_cells_with_fields(game)
                if graph.cells[row, n] != graph.cells[other, n]
            ]
            names = ", ".join(f"`{name}`" for name in dict.fromkeys(differ))
            raise NotShown(f"what the strategy allows depends on {names}, which seat {seat} does not see")


def _iter_cells_with_fields(game: Game) -> Iterator[tuple[int, Field]]:
    """Yield each cell's number with its field."""
    return ((n, f) for f in game.fields for n in range(f.offset, f.offset + f.size))


# -- values -----------------------------------------------------------------------------------------------------------


def compute_state_bounds(
    game: Game, spec: Json, within: Json, chance: str, graph: StateGraph, context: Context
) -> tuple[RowArray, RowArray]:
    """Return bounds on the chance from each state, in SCALE: from below and from above. Raises NotShown."""
    if chance not in LUCK:
        raise NotShown(f"there is no luck `{chance[:40]}`")
    plan, event = read_strategy_and_target(game, spec, within)
    layer, luck = graph_to_layer(graph, game, event), LUCK[chance]
    drawn = {CHANCE: luck, **dict.fromkeys(list_helpers(game, plan), MOST)}
    drawn |= dict.fromkeys(plan.seats if plan.ties == "random" else (), luck)
    made, no_end = Layers([layer], states=len(graph.cells), circles=True), np.zeros(1, dtype=np.int64)
    return bound_values(made, (no_end, no_end), drawn, LEAST, context, endless=False)


def list_helpers(game: Game, plan: Strategy) -> list[int]:
    """Return the seats that play together with one that follows the strategy, and do not follow it themselves."""
    teams = {member for seat in plan.seats for member in game.get_team_of_seat(seat)}
    return sorted(teams - set(plan.seats))


def compute_strategy_bounds(
    game: Game, spec: Json, within: Json, chance: str, graph: StateGraph, context: Context
) -> tuple[Fraction, Fraction]:
    """Return bounds on the chance that the strategy brings its target about. Raises NotShown."""
    low, high = compute_state_bounds(game, spec, within, chance, graph, context)
    return Fraction(int(low[0]), SCALE), Fraction(int(high[0]), SCALE)


# -- certificates -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StrategyCertificate(Enumeration):
    """All states that a strategy allows, `states` of them, and the chance that follows."""

    kind: ClassVar[str] = "strategy"
    about: StrategyChance
    states: int

    def describe_trusted_parts(self) -> str:
        """Return what goes through the states: the interpreter for few, the vector reading for many."""
        return VECTORS if self.states > FEW_ALLOWED else self.rests

    def statement(self) -> Statement:
        """State the chance."""
        return Statement(self.about)

    def check(self, game: Game, context: Context) -> None:
        """Go through the states and compute the chance. Raises NotShown if it is another one."""
        about = self.about
        if self.states > MOST_STATES:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        plan, _ = read_strategy_and_target(game, about.of, about.within)
        graph = explore_strategy(game, plan, about.of, self.states, context)
        if len(graph.cells) != self.states:
            raise NotShown(
                f"the strategy allows {len(graph.cells):,} states, the evidence speaks of {self.states:,}"
            )
        if (about.low, about.high) != compute_strategy_bounds(
            game, about.of, about.within, about.chance, graph, context
        ):
            raise NotShown("the chance has other bounds")


@dataclass(frozen=True)
class FailingLine(Line):
    """A line of play in which the seats follow their strategy, which has no helpers, and the target is never met: the
    game is over, or nobody can act, or the state behind the first `before` actions comes again. So with the worst luck
    the chance is 0."""

    kind: ClassVar[str] = "failing line"
    of: Json
    within: Json
    idents: tuple[int, ...]
    words: tuple[str, ...]
    before: int = -1

    def statement(self) -> Statement:
        """State that the strategy does not force its target."""
        return Statement(StrategyChance(self.of, self.within, "worst", Fraction(0), Fraction(0)))

    def is_statement_shown(self, play: Interpreter) -> bool:
        """Return whether the line misses the target and ends, or comes back. Raises NotShown for an action that the
        strategy does not allow."""
        plan, event = read_strategy_and_target(play.game, self.of, self.within)
        if list_helpers(play.game, plan):
            raise NotShown("one line shows nothing where helpers may choose another")
        states = [play.start()]
        for number, ident in enumerate(self.idents):
            if ident not in list_allowed_actions(play.game, plan, states[-1]):
                raise NotShown(f"action {number + 1} is not legal, or the strategy does not allow it")
            states.append(play.apply(states[-1], ident))
        if any(play.value(event, state) for state in states):
            raise NotShown("the line comes to the target")
        if self.before != -1:
            return 0 <= self.before < len(self.idents) and states[self.before] == states[-1]
        return play.terminal(states[-1]) or play.has_no_legal_action(states[-1])


def list_allowed_actions(
    game: Game, plan: Strategy, state: Sequence[int], reader: RowReader | None = None
) -> list[int]:
    """Return the legal actions of a state that a strategy allows, ascending. Another `reader` may step quicker."""
    reads = reader or RowReader(game)
    cells: Edges = np.array([list(state)], dtype=np.object_)
    return [
        ident
        for _, ident, _ in StrategyMoves(game, plan).filter_moves(reads, cells, reads.iter_legal_steps(cells))
    ]
