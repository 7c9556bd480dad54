"""What a strategy is worth: the chance that its seats bring an event about, if all others play against them. Those who
play together with a seat that follows it, and do not follow it themselves, help as well as can be: the *helpers*.

The states are those that the strategy allows: the start, and with each state what every allowed decision leads to. Of
the seat's own actions the strategy allows some; of others' and of chance's, all are allowed.

Of the successors, others choose the least (or the seat between equal actions, if ties fall `any` way), a helper the
greatest, and chance or a `random` tie the mean (the least or the greatest with the worst or the best luck). The theorem
is that of `closed_sets`. All states are one layer, in which no state is an end: those without a step are worth 0.

The premises, and where they are checked: who plays together is as the description says
(`list_teammates_not_following_strategy`); the states are closed under what is allowed (`enumerate_states_from_start`);
the seat can follow the strategy with what it sees: states that look alike to it allow the same actions
(`_require_seat_can_follow_by_what_it_sees`); every weight is above 0 (`put_all_states_in_one_layer`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, require_stated_state_count
from playproof.verifier.kernel.claim_values import (
    CLOSE,
    Decision,
    get_asked_seat_or_first,
    has_fields_hidden_from_some_player,
    round_chance_to_nine_digits_or_none,
)
from playproof.verifier.kernel.closed_sets import (
    LUCK,
    MOST,
    SCALE,
    FractionBounds,
    Play,
    compute_lower_and_upper_state_values,
    make_layers_of_one,
    require_bounds_implied,
)
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.layers import Listing, SubjectOfPlay
from playproof.verifier.kernel.state_graphs import (
    FEW_STATES,
    MOST_STATES,
    Edges,
    RowReader,
    StateGraph,
    Steps,
    enumerate_states_from_start,
    list_actor_of_each_row,
    put_all_states_in_one_layer,
)
from playproof.verifier.kernel.statements import Event, Statement, target_spec_to_event
from playproof.verifier.kernel.strict_json import (
    Json,
    format_data_shortened,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
)
from playproof.verifier.kernel.transcript import LineCertificate
from playproof.verifier.kernel.ways_to_play import Rule, Strategy, read_strategy
from playproof.verifier.questions.claims import Question

RowArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class StrategyChance(SubjectOfPlay):
    """Who follows the strategy, with those who help, brings about its target with a chance between `low` and `high`,
    against all others. `of` names the strategy and its target as a claim does. `chance` is mean (as it falls), best or
    worst."""

    kind: ClassVar[str] = "strategy"
    of: Json
    within: Json
    chance: str
    low: Fraction
    high: Fraction

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the target and the strategy."""
        return [("target", [self.of["target"], self.within]), ("strategy", self.of)]

    def require_follows_from_listing(self, game: Game, listing: Listing, context: Context) -> None:
        """Go through the states that the strategy allows, and work its chance out. Raises NotShown."""
        if listing != Listing(listing.states) or listing.states > MOST_STATES:
            raise NotShown(f"expected all that the strategy allows at once, at most {MOST_STATES:,} states")
        plan, _ = read_strategy_and_target_condition(game, self.of, self.within, context)
        graph = enumerate_states_under_strategy(game, plan, self.of, listing.states, context)
        require_stated_state_count(len(graph.cells), listing.states)
        bounds = compute_strategy_chance_bounds_at_start(game, self.of, self.within, self.chance, graph, context)
        require_bounds_implied((self.low, self.high), bounds)

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the chance; true or false for the best or worst luck. A strategy reads only what its seat sees, so the
        value holds for players who see no more than the rules show them."""
        wanted = target_spec_to_event(question.of, question.within).key, question.chance
        if question.ask != "strategy" or wanted != (Event(self.of, self.within).key, self.chance):
            return None
        if self.high - self.low > CLOSE:
            return None
        if self.chance != "mean":
            return Decision(self.low > 0)  # luck leaves 0 or 1
        value = round_chance_to_nine_digits_or_none(self.low, self.high)
        return None if value is None else Decision(value)

    def get_lower_bound_of_asked_chance(self, game: Game, question: Question, context: Context) -> Fraction:
        """Return the chance, if the strategy is followed by the team that asks, or by some of it while the others see
        all, to the same target in as much time or less, and with luck that is no better."""
        target = self.of.get("target") if isinstance(self.of, dict) else None
        within = self.within if question.within is None else question.within
        same = Event(target, self.within).key == target_spec_to_event(question.of, within).key
        if not same or self.chance not in (question.chance, "worst"):
            return Fraction(0)
        plan, _ = read_strategy_and_target_condition(game, self.of, self.within, context)
        team = game.get_team_of_seat(get_asked_seat_or_first(question))
        # helpers see all, the players of the question may not
        see_all = not has_fields_hidden_from_some_player(game) or question.seeing == "all"
        followed_by_team = plan.seats == team or (set(plan.seats) < set(team) and see_all)
        return self.low if followed_by_team else Fraction(0)


def read_strategy_and_target_condition(
    game: Game, strategy_spec: Json, limit_spec: Json, context: Context
) -> tuple[Strategy, Term]:
    """Return the strategy and the condition that it is to bring about. Raises InputError, or Unreadable if the data is
    no strategy."""
    with raise_unreadable_for_wrong_shape(f"{format_data_shortened(strategy_spec)} is no strategy"):
        target = context.read_target(game, strategy_spec["target"], limit_spec)
        if target.idents is not None:
            raise NotShown("a strategy is asked of endings and conditions, not of actions")
        return read_strategy(game, strategy_spec, context), target.condition


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

    def iter_allowed_moves(
        self, reader: RowReader | ColumnReading, state_rows: Edges, legal_moves: Iterator[Steps]
    ) -> Iterator[Steps]:
        """Yield the moves from these states that are allowed."""
        made = [(here, np.full(len(here), ident), after) for here, ident, after in legal_moves]
        if not made:
            return
        rows = np.concatenate([m[0] for m in made])
        idents = np.concatenate([m[1] for m in made])
        after = np.concatenate([m[2] for m in made])
        mine = np.isin(list_actor_of_each_row(self.game, reader, state_rows), self.plan.seats) & (state_rows[:, 1] == 0)
        left = ~mine[rows] | self._mark_moves_strategy_allows(reader, state_rows, mine, rows, idents, after)
        for ident in np.unique(idents[left]).tolist():
            chosen = np.flatnonzero(left & (idents == ident))
            yield rows[chosen], ident, after[chosen]

    def _mark_moves_strategy_allows(
        self,
        reader: RowReader | ColumnReading,
        state_rows: Edges,
        strategy_states: BoolArray,
        move_rows: RowArray,
        move_actions: RowArray,
        move_successors: Edges,
    ) -> BoolArray:
        """Return the moves of the open states that the first fitting rule prefers; all of them where none fits."""
        left, undecided = np.zeros(len(move_rows), dtype=np.bool_), strategy_states.copy()
        for rule in self.plan.rules:
            holds = undecided & (reader.evaluate_term_in_each_state(rule.when, state_rows) != 0).astype(np.bool_)
            fitting = holds[move_rows]
            if rule.idents is not None:
                fitting &= np.isin(move_actions, sorted(rule.idents))
            best = self._select_moves_rule_prefers(
                reader, rule, np.flatnonzero(fitting), move_rows, move_actions, move_successors
            )
            left[best] = True
            undecided[move_rows[best]] = False
        left |= undecided[move_rows]
        if self.plan.ties == "first":  # the lowest number of each state
            order = np.flatnonzero(left)[np.lexsort((move_actions[left], move_rows[left]))]
            left[:] = False
            left[order[np.concatenate([[True], np.diff(move_rows[order]) != 0])[: len(order)]]] = True
        return left

    @staticmethod
    def _select_moves_rule_prefers(
        reader: RowReader | ColumnReading,
        rule: Rule,
        move_numbers: RowArray,
        move_rows: RowArray,
        move_actions: RowArray,
        move_successors: Edges,
    ) -> RowArray:
        """Return those of the moves that the rule prefers in their state."""
        for wanted in rule.preferences:
            if not len(move_numbers):
                break
            if wanted.of_action is None:
                values = (
                    np.asarray(reader.evaluate_term_in_each_state(wanted.term, move_successors[move_numbers]))
                    * wanted.sign
                )
            else:
                values = np.array([wanted.of_action[i] * wanted.sign for i in move_actions[move_numbers].tolist()])
            order = np.argsort(move_rows[move_numbers], kind="stable")
            firsts = np.flatnonzero(np.concatenate([[True], np.diff(move_rows[move_numbers][order]) != 0]))
            greatest = np.maximum.reduceat(values[order], firsts)
            counts = np.diff(np.concatenate([firsts, [len(order)]]))
            move_numbers = move_numbers[order][values[order] == np.repeat(greatest, counts)]
        return move_numbers


def enumerate_states_under_strategy(
    game: Game, strategy: Strategy, strategy_spec: Json, max_states: int, context: Context
) -> StateGraph:
    """Return the states that a strategy, which `strategy_spec` names, allows: at most so many. Raises NotShown."""
    few = max_states <= FEW_STATES

    def made() -> StateGraph:
        graph = enumerate_states_from_start(
            game, few, min(max_states, MOST_STATES), move_filter=StrategyMoves(game, strategy)
        )
        for seat in strategy.seats:
            _require_seat_can_follow_by_what_it_sees(game, graph, seat)
        return graph

    key = to_canonical_json_text([strategy_spec["play"], strategy.ties, strategy.seats])
    last = context.get_or_build_for_game(game, ("strategies", few), dict[str, StateGraph])
    if key not in last:
        last.clear()  # there is room for one
        last[key] = made()
    return last[key]


def _require_seat_can_follow_by_what_it_sees(game: Game, strategy_graph: StateGraph, seat: int) -> None:
    """Check that states which look alike to the seat allow it the same actions. Raises NotShown, with the fields that
    tell them apart."""
    seen = [is_seen for f in game.fields for is_seen in f.make_mask_of_cells_seen_by_seat(seat, game.players)]
    fields = [f for f in game.fields for _ in range(f.size)]
    if all(is_seen or f.lo == f.hi for is_seen, f in zip(seen, fields, strict=True)):
        return
    live = np.flatnonzero((strategy_graph.cells[:, 1] == 0) & (strategy_graph.list_actor_of_each_state(game) == seat))
    by_view: dict[tuple[int, ...], tuple[int, list[int]]] = {}
    for row in live.tolist():
        view = tuple(compress(strategy_graph.cells[row].tolist(), seen))
        actions = strategy_graph.list_legal_actions_of_state(row)
        other, before = by_view.setdefault(view, (row, actions))
        if before != actions:
            differ = compress(fields, strategy_graph.cells[row] != strategy_graph.cells[other])
            names = ", ".join(dict.fromkeys(f"`{f.name}`" for f in differ))
            raise NotShown(f"what the strategy allows depends on {names}, which seat {seat} does not see")


# -- values -----------------------------------------------------------------------------------------------------------


def compute_strategy_chance_bounds_at_start(
    game: Game, strategy_spec: Json, limit_spec: Json, luck_kind: str, graph: StateGraph, context: Context
) -> FractionBounds:
    """Return bounds on the chance that the strategy brings its target about. Raises NotShown."""
    low, high = compute_strategy_chance_bounds_by_state(game, strategy_spec, limit_spec, luck_kind, graph, context)
    return Fraction(int(low[0]), SCALE), Fraction(int(high[0]), SCALE)


def compute_strategy_chance_bounds_by_state(
    game: Game, strategy_spec: Json, limit_spec: Json, luck_kind: str, graph: StateGraph, context: Context
) -> tuple[RowArray, RowArray]:
    """Return bounds on the chance from each state, in SCALE: from below and from above. Raises NotShown."""
    if luck_kind not in LUCK:
        raise NotShown(f"there is no luck `{luck_kind[:40]}`")
    plan, event = read_strategy_and_target_condition(game, strategy_spec, limit_spec, context)
    luck, no_end = LUCK[luck_kind], np.zeros(1, dtype=np.int64)
    drawn = {CHANCE: luck, **dict.fromkeys(list_teammates_not_following_strategy(game, plan), MOST)}
    drawn |= dict.fromkeys(plan.seats if plan.ties == "random" else (), luck)
    made = make_layers_of_one(put_all_states_in_one_layer(graph, game, event))
    return compute_lower_and_upper_state_values(made, (no_end, no_end), Play(drawn), context)


def list_teammates_not_following_strategy(game: Game, strategy: Strategy) -> list[int]:
    """Return the seats that play together with one that follows the strategy, and do not follow it themselves."""
    teams = {member for seat in strategy.seats for member in game.get_team_of_seat(seat)}
    return sorted(teams - set(strategy.seats))


# -- a line that fails ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FailingLineCertificate(LineCertificate):
    """A line of play in which the seats follow their strategy, which has no helpers, and the target is never met: the
    game is over, or nobody can act, or the state behind the first `before` actions comes again. So with the worst luck
    the chance is 0."""

    kind: ClassVar[str] = "failing line"
    of: Json
    within: Json
    idents: tuple[int, ...]
    words: tuple[str, ...]
    before: int = -1

    def build_proved_statement(self) -> Statement:
        """State that the strategy does not force its target."""
        return Statement(StrategyChance(self.of, self.within, "worst", Fraction(0), Fraction(0)))

    def does_line_show_statement(self, interpreter: Interpreter, context: Context) -> bool:
        """Return whether the line misses the target and ends, or comes back. Raises NotShown for an action that the
        strategy does not allow."""
        plan, event = read_strategy_and_target_condition(interpreter.game, self.of, self.within, context)
        if list_teammates_not_following_strategy(interpreter.game, plan):
            raise NotShown("one line shows nothing where helpers may choose another")
        states = [interpreter.start()]
        for number, ident in enumerate(self.idents):
            if ident not in list_actions_allowed_by_strategy(interpreter.game, plan, states[-1]):
                raise NotShown(f"action {number + 1} is not legal, or the strategy does not allow it")
            states.append(interpreter.apply(states[-1], ident))
        if any(interpreter.value(event, state) for state in states):
            raise NotShown("the line comes to the target")
        if self.before != -1:
            return 0 <= self.before < len(self.idents) and states[self.before] == states[-1]
        return interpreter.terminal(states[-1]) or interpreter.has_no_legal_action(states[-1])


def list_actions_allowed_by_strategy(
    game: Game, strategy: Strategy, state: Sequence[int], reader: RowReader | None = None
) -> list[int]:
    """Return the legal actions of a state that a strategy allows, ascending. Another `reader` may step quicker."""
    reads = reader or RowReader(game)
    cells: Edges = np.array([list(state)], dtype=np.object_)
    return [
        int(ident)
        for _, ident, _ in StrategyMoves(game, strategy).iter_allowed_moves(
            reads, cells, reads.iter_legal_actions_with_successors(cells)
        )
    ]
