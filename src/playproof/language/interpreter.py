"""The reference reading: it walks the description with plain integers, and is slow and simple.

Tests compare every other reading with this one; witnesses and certificates are replayed here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from playproof.language.errors import (
    ENDLESS,
    BoundsError,
    Broken,
    IllegalAction,
    make_endless_phases_error,
    make_out_of_bounds_error,
)
from playproof.language.expr import (
    Apply,
    Const,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Term,
    require_coverage_of_all_operators,
)
from playproof.language.game import CHANCE, Action, Ending, Game
from playproof.language.statements import Assign, Finish, If, Invoke, Keep, Loop, Require, Statement

LocalValues = dict[int, int]
_OPERATIONS: dict[str, Callable[..., int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    "not": operator.not_,
    "min": min,
    "max": max,
    "abs": abs,
}
require_coverage_of_all_operators("the interpreter", [*_OPERATIONS, "pick", "and", "or"])
_REDUCERS: dict[str, Callable[[Iterable[int]], int]] = {"sum": sum, "any": any, "all": all, "min": min, "max": max}


@dataclass(frozen=True, slots=True)
class Move:
    """A legal ground action: its number, words, and weight (1 for a player's)."""

    ident: int
    text: str
    weight: int


class Interpreter:
    """Plays one game description. States are flat lists of ints, `game.cells` long; functions never
    change them."""

    def __init__(self, game: Game) -> None:
        self.game = game.seal()

    # -- states ---------------------------------------------------------------------------------------------

    def start(self) -> list[int]:
        """Return the first state in which somebody acts."""
        return self._run_automatic_phases_in_place(self.game.get_state_before_automatic_phases())

    def apply(self, state: Sequence[int], ident: int) -> list[int]:
        """Return the state after a legal action and the automatic phases that follow. Raises
        IllegalAction if the action is not legal."""
        action = self.game.get_action_of_ground_action_number(ident)
        values = action.get_values_of_ground_action(ident)
        broken = self.why_not(state, ident)
        if broken:
            raise IllegalAction(action.format_ground_action(values), broken)
        return self._run_automatic_phases_in_place(self.apply_without_automatic_phases(state, ident))

    def apply_without_automatic_phases(self, state: Sequence[int], action_id: int) -> list[int]:
        """Return the state after a legal action (not checked), before automatic phases follow."""
        action, after = self.game.get_action_of_ground_action_number(action_id), list(state)
        self._run_statements_in_place(
            action.body, after, action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id))
        )
        return after

    def list_states_until_next_choice(self, state: Sequence[int], action_id: int) -> list[list[int]]:
        """Return the states after a legal action (not checked) and after each automatic phase that
        follows."""
        return list(self.run_automatic_phases_yielding_copies(self.apply_without_automatic_phases(state, action_id)))

    def _run_automatic_phases_in_place(self, state: list[int]) -> list[int]:
        for _ in self.run_automatic_phases_yielding_copies(state):
            pass
        return state

    def run_automatic_phases_yielding_copies(self, state: list[int]) -> Iterator[list[int]]:
        """Yield the state, and the state after each automatic phase until somebody acts or the game
        is over."""
        yield list(state)
        left = ENDLESS
        while not state[1] and (phase := self.game.phases[state[0]]).automatic:
            if not left:
                raise make_endless_phases_error(phase.name, phase.place)
            left -= 1
            self._run_statements_in_place(phase.body or (), state, {})
            yield list(state)

    # -- questions ------------------------------------------------------------------------------------------

    def terminal(self, state: Sequence[int]) -> bool:
        """Return whether the game is over."""
        return state[1] != 0

    def ending(self, state: Sequence[int]) -> Ending | None:
        """Return the ending that the game reached, or None while it runs."""
        return self.game.endings[state[1] - 1] if state[1] else None

    def actor(self, state: Sequence[int]) -> int:
        """Return the seat to act, or CHANCE."""
        return self.value(self.game.phases[state[0]].actor, state)

    def legal(self, state: Sequence[int]) -> list[int]:
        """Return the numbers of the legal ground actions, ascending."""
        return sorted(self._iter_legal_actions(state))

    def has_no_legal_action(self, state: Sequence[int]) -> bool:
        """Return whether no action is legal; the search stops at the first legal one."""
        return next(self._iter_legal_actions(state), None) is None

    def _iter_legal_actions(self, state: Sequence[int]) -> Iterator[int]:
        if state[1]:
            return
        phase = self.game.phases[state[0]]
        chance = self.actor(state) == CHANCE
        for action in phase.actions:
            ranges = (range(p.low, p.low + p.count) for p in action.params)
            for ident, values in zip(action.idents, product(*ranges), strict=True):
                bound = action.map_parameter_numbers_to_values(values)
                if not self._are_requirements_met(action.head, state, bound):
                    continue
                if chance and self._compute_action_weight(action, state, bound) <= 0:
                    continue
                yield ident

    def moves(self, state: Sequence[int]) -> list[Move]:
        """Return the legal actions with words and weights."""
        return [Move(i, self.game.show(i), self.weight(state, i)) for i in self.legal(state)]

    def weight(self, state: Sequence[int], ident: int) -> int:
        """Return a chance action's weight in this state (1 for a player's action)."""
        action = self.game.get_action_of_ground_action_number(ident)
        return self._compute_action_weight(
            action, state, action.map_parameter_numbers_to_values(action.get_values_of_ground_action(ident))
        )

    def why_not(self, state: Sequence[int], ident: int) -> tuple[Broken, ...]:
        """Return every requirement that the action does not meet; empty if it is legal."""
        action = self.game.get_action_of_ground_action_number(ident)
        bound = action.map_parameter_numbers_to_values(action.get_values_of_ground_action(ident))
        if state[1]:
            return (Broken("", "the game is over", action.place),)
        if state[0] not in action.phases:
            wanted = " or ".join(self.game.phases[p].text for p in action.phases)
            now = self.game.phases[state[0]].text
            return (Broken(" ".join(action.rules[:1]), f"it belongs to: {wanted}; now is: {now}", action.place),)
        broken = self._list_broken_requirements(action, state, bound)
        if not broken and self.actor(state) == CHANCE and self._compute_action_weight(action, state, bound) <= 0:
            return (Broken("", "chance cannot bring this here", action.place),)
        return broken

    def returns(self, state: Sequence[int]) -> tuple[int, ...]:
        """Return each seat's return; all 0 while the game runs."""
        if not state[1]:
            return (0,) * self.game.players
        return tuple(self.value(result, state) for result in self.game.results)

    def quantity(self, name: str, state: Sequence[int]) -> int:
        """Return a named quantity's value."""
        return self.value(self.game.quantities[name], state)

    # -- terms ----------------------------------------------------------------------------------------------

    def value(self, term: Term, state: Sequence[int], bound: LocalValues | None = None) -> int:
        """Return a term's value."""
        env = {} if bound is None else bound
        match term:
            case Const():
                return term.value
            case Local():
                return env[term.number]
            case Read():
                return state[term.field.offset + self.value(term.index, state, env)]
            case Op():
                return self._evaluate_operation(term, state, env)
            case Lookup():
                return term.table.values[self.value(term.index, state, env)]
            case Apply():
                inner = {
                    p.number: self.value(a, state, env) for p, a in zip(term.function.params, term.args, strict=True)
                }
                return self.value(term.function.body, state, inner)
            case Reduce():
                values = (
                    self.value(term.body, state, {**env, term.var.number: i}) for i in range(term.start, term.stop)
                )
                return int(_REDUCERS[term.kind](values))
        raise TypeError(f"unknown term {term!r}")

    def _evaluate_operation(self, term: Op, state: Sequence[int], local_values: LocalValues) -> int:
        first = self.value(term.args[0], state, local_values)
        match term.op:  # these evaluate an operand only if they need it
            case "pick":
                _, yes, no = term.args
                return self.value(yes if first else no, state, local_values)
            case "and":
                return int(bool(first) and bool(self.value(term.args[1], state, local_values)))
            case "or":
                return int(bool(first) or bool(self.value(term.args[1], state, local_values)))
        if len(term.args) == 2:
            return int(_OPERATIONS[term.op](first, self.value(term.args[1], state, local_values)))
        others = [self.value(a, state, local_values) for a in term.args[1:]]
        return int(_OPERATIONS[term.op](first, *others))

    # -- statements -----------------------------------------------------------------------------------------

    def _run_statements_in_place(self, body: Sequence[Statement], state: list[int], local_values: LocalValues) -> None:
        for statement in body:
            match statement:
                case Assign(to, index, value, place):
                    new = self.value(value, state, local_values)
                    if not to.lo <= new <= to.hi:
                        raise make_out_of_bounds_error(
                            f"`{to.name}` holds", to.lo, to.hi, new, place, after_ending=bool(state[1])
                        )
                    state[to.offset + self.value(index, state, local_values)] = new
                case Keep():
                    self._evaluate_and_store_kept_value(statement, state, local_values)
                case If(condition, then, other):
                    branch = then if self.value(condition, state, local_values) else other
                    self._run_statements_in_place(branch, state, local_values)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        self._run_statements_in_place(inner, state, local_values)
                case Invoke(procedure, args, place):
                    bound = {
                        p.number: self.value(a, state, local_values)
                        for p, a in zip(procedure.params, args, strict=True)
                    }
                    for p in procedure.params:
                        if not p.lo <= bound[p.number] <= p.hi:
                            raise make_out_of_bounds_error(
                                procedure.begin_sentence_on_parameter_range(p), p.lo, p.hi, bound[p.number], place
                            )
                    self._run_statements_in_place(procedure.body, state, bound)
                case Finish(ending, _):
                    state[1] = state[1] or ending

    def _evaluate_and_store_kept_value(self, statement: Keep, state: Sequence[int], local_values: LocalValues) -> None:
        local, new = statement.local, self.value(statement.value, state, local_values)
        if not local.lo <= new <= local.hi:
            raise make_out_of_bounds_error(f"`{local.name}` holds", local.lo, local.hi, new, statement.place)
        local_values[local.number] = new

    def _iter_unmet_requirements(
        self, body: Sequence[Statement], state: Sequence[int], local_values: LocalValues
    ) -> Iterator[Require]:
        """Yield the requirements that are not met, each while `local_values` are as they are at its place. A kept
        value is checked only while all requirements before it hold."""
        for statement in body:
            match statement:
                case Require():
                    if not self.value(statement.condition, state, local_values):
                        yield statement
                case Keep():
                    self._evaluate_and_store_kept_value(statement, state, local_values)
                case If(condition, then, other):
                    branch = then if self.value(condition, state, local_values) else other
                    yield from self._iter_unmet_requirements(branch, state, local_values)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        yield from self._iter_unmet_requirements(inner, state, local_values)
                case _:  # effects: no requirement follows one
                    return

    def _list_broken_requirements(
        self, action: Action, state: Sequence[int], parameter_values: LocalValues
    ) -> tuple[Broken, ...]:
        broken, local_values = list[Broken](), dict(parameter_values)
        try:
            for unmet in self._iter_unmet_requirements(action.head, state, local_values):
                values = [self.value(a, state, local_values) for a in unmet.args]
                broken.append(Broken(unmet.rule, unmet.text.format(*values), unmet.place))
        except BoundsError:
            if not broken:  # a value kept after an unmet requirement need not fit
                raise
        return tuple(broken)

    def _are_requirements_met(
        self, head: Sequence[Statement], state: Sequence[int], parameter_values: LocalValues
    ) -> bool:
        return next(self._iter_unmet_requirements(head, state, dict(parameter_values)), None) is None

    def _compute_action_weight(self, action: Action, state: Sequence[int], parameter_values: LocalValues) -> int:
        if action.weight is None:
            return 1
        env = dict(parameter_values)
        for statement in action.kept:
            self._evaluate_and_store_kept_value(statement, state, env)
        return self.value(action.weight, state, env)
