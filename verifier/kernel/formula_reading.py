"""A game as formulas: what a small step does to an open state.

A small step is one action with its parameters, or one automatic phase. Plain numbers stay plain, so a
state with some known cells gives small formulas. This reading shares no code with the fast one;
tests compare both with the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from playproof.language import Action, Phase, Place
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Term,
    require_coverage_of_all_operators,
)
from playproof.language.game import Game
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    iter_statements_recursively,
)
from playproof.verifier.kernel.formulas import (
    Formula,
    FormulaTable,
    Number,
    Truth,
    add_numbers,
    choose_number,
    compare_numbers,
    conjoin_formulas,
    disjoin_formulas,
    floor_divide_number,
    is_choice,
    is_same_number_or_formula,
    multiply_numbers,
    negate_formula,
    subtract_numbers,
    take_remainder_of_number,
)

Cells: TypeAlias = list[Number]
Env: TypeAlias = dict[int, Number]
_DEEPEST = 4  # nested cases that a read looks into
_MOST_VALUES = 2_000  # combinations of a row and a column that an index is taken apart into
_LOGICAL = frozenset(("and", "or", "not", "==", "!=", "<", "<="))
_NUMERIC = frozenset(("+", "-", "*", "//", "%", "min", "max", "abs", "pick"))
require_coverage_of_all_operators("the kernel's formulas", _LOGICAL | _NUMERIC)


@dataclass(frozen=True)
class Fault:
    """Something that the rules must never do, and the formula that it happens."""

    when: Truth
    message: str
    place: Place


@dataclass(frozen=True)
class _Bounds:
    """What a value must keep to, and what is said if it does not."""

    lo: int
    hi: int
    what: str
    place: Place


@dataclass
class SmallStep:
    """A small step from a state: whether it is legal, the cells after it, and the faults that may
    happen."""

    name: str
    legal: Truth
    after: Cells
    faults: list[Fault]

    @property
    def sound(self) -> Truth:
        """The formula that the step is legal and has no fault."""
        return conjoin_formulas([self.legal, *(negate_formula(f.when) for f in self.faults)])


@dataclass
class _StepNotes:
    """The guards and faults that a run collects."""

    guards: list[Truth] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


_Run: TypeAlias = Callable[[Sequence[Statement], Cells, Env, Truth, _StepNotes], None]


# -- the reading --------------------------------------------------------------------------------------------------


class Reading:
    """Reads one game."""

    def __init__(self, game: Game) -> None:
        self.game = game.seal()
        self.fields = [f for f in game.fields for _ in range(f.size)]
        self.automatic = [p.number for p in game.phases if p.automatic]
        self.formulas = FormulaTable()
        self._made: dict[tuple[object, ...], tuple[Number, object]] = {}
        """Values by what they are made of, which stands beside them, so that its identity is not given away again."""

    # -- open values ----------------------------------------------------------------------------------------

    def make_symbolic_state(self, variable_prefix: str = "s") -> Cells:
        """Return an open state: a variable within its field's bounds for each cell that has more than one value."""
        make = self.formulas.make_variable
        return [make(f"{variable_prefix}{n}", f.lo, f.hi) for n, f in enumerate(self.fields)]

    def build_cells_within_bounds_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that every cell lies within its field's bounds."""
        return conjoin_formulas(
            self.build_value_in_range_formula(c, f.lo, f.hi) for c, f in zip(cells, self.fields, strict=True)
        )

    def build_value_in_range_formula(self, value: Number, lo: int, hi: int) -> Truth:
        """Return the formula lo <= value <= hi."""
        return conjoin_formulas(
            [self.build_comparison_formula("<=", lo, value), self.build_comparison_formula("<=", value, hi)]
        )

    # -- terms ----------------------------------------------------------------------------------------------

    def build_term_value(self, term: Term, cells: Sequence[Number], local_values: Env) -> Number:
        """Return a term's value; truths count as 0 and 1."""
        match term:
            case Const():
                return term.value
            case Local():
                return local_values[term.number]
            case Read(field=source):
                return self._read_value_at_index(
                    term.index, lambda i: cells[source.offset + i], source.size, cells, local_values
                )
            case Lookup(table=table):
                return self._read_value_at_index(
                    term.index, table.values.__getitem__, len(table.values), cells, local_values
                )
            case Apply():
                return self._evaluate_named_function(
                    term.function, [self.build_term_value(x, cells, local_values) for x in term.args], cells
                )
            case Reduce(kind="sum" | "min" | "max"):
                return self._build_reduction_value(term, cells, local_values)
            case Op(op="pick"):
                return self._build_pick_value(term, cells, local_values)
            case Op(op="abs"):
                return self._build_absolute_value(term, cells, local_values)
            case Op(op="+" | "-" | "*" | "//" | "%" | "min" | "max"):
                a, b = (self.build_term_value(x, cells, local_values) for x in term.args)
                return self.combine_numbers(term.op, a, b)
        return self.choose_by_condition(self.build_term_is_true_formula(term, cells, local_values), 1, 0)

    def build_term_is_true_formula(self, term: Term, cells: Sequence[Number], local_values: Env) -> Truth:
        """Return the formula that a term is not 0."""
        match term:
            case Op(op="and"):
                return conjoin_formulas(self.build_term_is_true_formula(x, cells, local_values) for x in term.args)
            case Op(op="or"):
                return disjoin_formulas(self.build_term_is_true_formula(x, cells, local_values) for x in term.args)
            case Op(op="not"):
                return negate_formula(self.build_term_is_true_formula(term.args[0], cells, local_values))
            case Op(op="pick"):
                condition, yes, no = (self.build_term_is_true_formula(x, cells, local_values) for x in term.args)
                return disjoin_formulas(
                    [conjoin_formulas([condition, yes]), conjoin_formulas([negate_formula(condition), no])]
                )
            case Op(op="==" | "!=" | "<" | "<="):
                a, b = (self.build_term_value(x, cells, local_values) for x in term.args)
                return self.build_comparison_formula(term.op, a, b)
            case Reduce(kind="any"):
                return disjoin_formulas(
                    self.build_term_is_true_formula(term.body, cells, inner)
                    for inner in _iter_locals_of_each_reduction_turn(term, local_values)
                )
            case Reduce(kind="all"):
                return conjoin_formulas(
                    self.build_term_is_true_formula(term.body, cells, inner)
                    for inner in _iter_locals_of_each_reduction_turn(term, local_values)
                )
        return self.build_comparison_formula("!=", self.build_term_value(term, cells, local_values), 0)

    def _build_pick_value(self, pick_term: Op, cells: Sequence[Number], local_values: Env) -> Number:
        """`choose_by_condition(c, a, b)` is a where c holds, else b. A side that a plain condition rules out is
        not read."""
        condition = self.build_term_is_true_formula(pick_term.args[0], cells, local_values)
        if isinstance(condition, bool):
            return self.build_term_value(pick_term.args[1 if condition else 2], cells, local_values)
        yes, no = (self.build_term_value(x, cells, local_values) for x in pick_term.args[1:])
        return self.choose_by_condition(condition, yes, no)

    def _build_absolute_value(self, abs_term: Op, cells: Sequence[Number], local_values: Env) -> Number:
        """`abs(a)` is 0 - a where a < 0, else a."""
        a = self.build_term_value(abs_term.args[0], cells, local_values)
        return self.choose_by_condition(self.build_comparison_formula("<", a, 0), self.combine_numbers("-", 0, a), a)

    def _build_reduction_value(self, reduce_term: Reduce, cells: Sequence[Number], local_values: Env) -> Number:
        """The body's values for all turns, joined from left to right."""
        op = "+" if reduce_term.kind == "sum" else reduce_term.kind
        first, *others = [
            self.build_term_value(reduce_term.body, cells, inner)
            for inner in _iter_locals_of_each_reduction_turn(reduce_term, local_values)
        ]
        for value in others:
            first = self.combine_numbers(op, first, value)
        return first

    def build_comparison_formula(self, operator: str, left: Number, right: Number) -> Truth:
        """Return the formula `left operator right`, for == != < <=."""
        return compare_numbers(operator, left, right)

    def choose_by_condition(self, condition: Truth, value_if_true: Number, value_if_false: Number) -> Number:
        """Return `value_if_true` if the condition holds, else `value_if_false`."""
        return choose_number(condition, value_if_true, value_if_false)

    def combine_numbers(self, operator: str, left: Number, right: Number) -> Number:
        """Return `left operator right`, for + - * // % min max. A divisor is plain and positive."""
        match operator:
            case "+":
                return add_numbers(left, right)
            case "-":
                return subtract_numbers(left, right)
            case "*":
                return multiply_numbers(left, right)
            case "//":
                return floor_divide_number(left, right)
            case "%":
                return take_remainder_of_number(left, right)
        first, second = (left, right) if operator == "min" else (right, left)
        return self.choose_by_condition(self.build_comparison_formula("<=", left, right), first, second)

    # -- places ---------------------------------------------------------------------------------------------

    def _read_value_at_index(
        self, index: Term, get_value: Callable[[int], Number], size: int, cells: Sequence[Number], local_values: Env
    ) -> Number:
        where = self.build_term_value(index, cells, local_values)
        if isinstance(where, int):
            return get_value(where)
        places = self._list_places_index_may_mean(where, index, size, cells, local_values)
        values = [get_value(i) for i in places]
        if all(isinstance(value, int) for value in values):
            return self._build_constant_lookup_cached(where, places, values)
        return self._build_value_at_place_by_cases(where, places, values, _DEEPEST)

    def _build_constant_lookup_cached(self, index: Number, places: Sequence[int], values: Sequence[Number]) -> Number:
        """Return the plain number at a place. Rules look the same up again and again, so the formula is kept."""
        key = get_number_or_formula_key(index), tuple(places), tuple(values)
        if key not in self._made:
            self._made[key] = self._build_value_at_place_by_halving(index, places, values), index
        return self._made[key][0]

    def _list_places_index_may_mean(
        self, where: Number, index: Term, size: int, cells: Sequence[Number], local_values: Env
    ) -> list[int]:
        """Return the places that an index, whose value is `where`, may mean, in order. An open row and a plain column
        mean the places of that column only."""
        values = self._list_values_term_may_have(index, cells, local_values)
        inside = sorted(i for i in values if max(0, index.lo) <= i <= min(size - 1, index.hi))
        if not isinstance(where, Formula):
            return inside
        return [i for i in inside if where.lo <= i <= where.hi] or inside  # none of them: the rules are at fault there

    def _list_values_term_may_have(self, term: Term, cells: Sequence[Number], local_values: Env) -> Collection[int]:
        """Return numbers among which a term's value is: those of its parts, if they are few, else
        its bounds."""
        match term:
            case Op(op="+" | "*", args=(left, right)):
                some, others = (self._list_values_term_may_have(x, cells, local_values) for x in (left, right))
                if len(some) * len(others) <= _MOST_VALUES:
                    pairs = product(some, others)
                    return {a + b for a, b in pairs} if term.op == "+" else {a * b for a, b in pairs}
            case Const() | Local() | Read():
                value = self.build_term_value(term, cells, local_values)
                if isinstance(value, int):
                    return (value,)
        return range(term.lo, term.hi + 1)

    def _build_value_at_place_by_cases(
        self, place: Number, places: Sequence[int], values: Sequence[Number], depth: int
    ) -> Number:
        """Return the value at a place, as a formula with few cases.

        If all values are choices by one common case, that case is asked first. If all were written
        at one open index (the value at 3 is `If(index == 3, new, old)`), one comparison of the
        place with that index decides; most reads then give the old value.
        """
        choice = next(filter(is_choice, values), None) if depth and len(values) > 1 else None
        if choice is None:
            return self._build_value_at_place_by_halving(place, places, values)
        case, new, _ = choice.args
        if all(is_choice(value) and value.args[0] is case for value in values):
            yes, no = [value.args[1] for value in values], [value.args[2] for value in values]
            return self.choose_by_condition(
                case,
                self._build_value_at_place_by_cases(place, places, yes, depth - 1),
                self._build_value_at_place_by_cases(place, places, no, depth - 1),
            )
        if case.op == "==" and isinstance(case.args[1], int):
            older = self._list_values_before_write_or_none(case.args[0], new, places, values)
            if older is not None:
                return self.choose_by_condition(
                    self.build_comparison_formula("==", place, case.args[0]),
                    new,
                    self._build_value_at_place_by_cases(place, places, older, depth - 1),
                )
        return self._build_value_at_place_by_halving(place, places, values)

    def _list_values_before_write_or_none(
        self, index: Number, new_value: Number, places: Sequence[int], values: Sequence[Number]
    ) -> list[Number] | None:
        """Return what stood at each place before `new_value` was written at an open index; None if it was not."""
        older = list[Number]()
        for place, value in zip(places, values, strict=True):
            here = self.build_comparison_formula("==", index, place)
            if here is False or is_same_number_or_formula(value, new_value):
                older.append(value)
            elif is_choice(value) and value.args[0] is here and is_same_number_or_formula(value.args[1], new_value):
                older.append(value.args[2])
            else:
                return None
        return older

    def _build_value_at_place_by_halving(
        self, place: Number, places: Sequence[int], values: Sequence[Number]
    ) -> Number:
        """Return the value at a place, found by comparing the place with the middle one."""
        if len(places) == 1:
            return values[0]
        half = len(places) // 2
        low = self._build_value_at_place_by_halving(place, places[:half], values[:half])
        high = self._build_value_at_place_by_halving(place, places[half:], values[half:])
        if is_same_number_or_formula(low, high):
            return low
        return self.choose_by_condition(self.build_comparison_formula("<", place, places[half]), low, high)

    def _evaluate_named_function(
        self, function: Function, argument_values: Sequence[Number], cells: Sequence[Number]
    ) -> Number:
        """Return a named function's value; the result is kept for the same arguments and cells."""
        read = self.list_cells_term_reads(function.body, cells)
        key = (function.number, *map(get_number_or_formula_key, argument_values), *map(get_number_or_formula_key, read))
        if key not in self._made:
            env = {p.number: x for p, x in zip(function.params, argument_values, strict=True)}
            self._made[key] = (self.build_term_value(function.body, cells, env), (argument_values, read))
        return self._made[key][0]

    def list_cells_term_reads(self, term: Term, cells: Sequence[Number]) -> Cells:
        """Return the values of the cells that a term may read."""
        fields = [self.game.fields[number] for number in term.reads]
        return [cell for each in fields for cell in cells[each.offset : each.offset + each.size]]

    # -- small steps ----------------------------------------------------------------------------------------

    def iter_actions_and_automatic_phases(self) -> Iterator[Action | Phase]:
        """Yield all kinds of small steps: actions, then automatic phases."""
        yield from self.game.actions
        yield from (p for p in self.game.phases if p.automatic)

    def make_symbolic_parameters(
        self, action_or_phase: Action | Phase, variable_prefix: str = "p"
    ) -> tuple[Number, ...]:
        """Return open parameters within their bounds for a kind of step."""
        some = action_or_phase.params if isinstance(action_or_phase, Action) else ()
        make = self.formulas.make_variable
        return tuple(make(f"{variable_prefix}{n}", p.low, p.low + p.count - 1) for n, p in enumerate(some))

    def build_symbolic_step(
        self, action_or_phase: Action | Phase, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> SmallStep:
        """Return the small step of a kind from a state."""
        cells, met = list(state), _StepNotes()
        if isinstance(action_or_phase, Action):
            action, rest = action_or_phase, action_or_phase.body[len(action_or_phase.head) :]
            env = self._note_guards_and_get_locals(action, parameter_values, cells, met)
            if any(isinstance(s, Assign | Invoke | Finish) for s in iter_statements_recursively(action.head)):
                # its head has effects, which begin only now
                env, rest = action.map_parameter_numbers_to_values(parameter_values), action.body
            self._run_statements_in_place(rest, cells, env, conjoin_formulas(met.guards), met)
        else:
            met.guards += [
                self.build_comparison_formula("==", cells[1], 0),
                self.build_comparison_formula("==", cells[0], action_or_phase.number),
            ]
            cells[0], cells[1] = action_or_phase.number, 0
            self._run_statements_in_place(action_or_phase.body or (), cells, {}, conjoin_formulas(met.guards), met)
        legal = conjoin_formulas(met.guards)
        name = action_or_phase.name if isinstance(action_or_phase, Action) else f"automatic {action_or_phase.name}"
        return SmallStep(name, legal, cells, met.faults)

    def build_legality_guards_and_faults(
        self, action: Action, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> tuple[list[Truth], list[Fault]]:
        """Return all that must hold for an action to be legal, in the order in which it is asked, and the faults
        that may happen when somebody asks."""
        met = _StepNotes()
        self._note_guards_and_get_locals(action, parameter_values, list(state), met)
        return met.guards, met.faults

    def build_action_is_legal_formula(self, state: Sequence[Number], action_id: int) -> Truth:
        """Return the formula that a ground action is legal."""
        action = self.game.get_action_of_ground_action_number(action_id)
        return conjoin_formulas(
            self.build_legality_guards_and_faults(action, state, action.get_values_of_ground_action(action_id))[0]
        )

    def build_parameter_range_formulas(self, action: Action, parameter_values: Sequence[Number]) -> list[Truth]:
        """Return, for each parameter of an action, the formula that it has such a value."""
        pairs = zip(action.params, parameter_values, strict=True)
        return [self.build_value_in_range_formula(value, p.low, p.low + p.count - 1) for p, value in pairs]

    def build_action_weight(
        self, action: Action, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> Number:
        """Return a chance action's weight, or 1 for a player's action."""
        return self._build_action_weight_and_note_faults(action, state, parameter_values, _StepNotes())

    def _build_action_weight_and_note_faults(
        self, action: Action, state: Sequence[Number], parameter_values: Sequence[Number], notes: _StepNotes
    ) -> Number:
        """Return the weight, and collect the faults of what is kept for it where the guards hold."""
        if action.weight is None:
            return 1
        env, cells = action.map_parameter_numbers_to_values(parameter_values), list(state)
        for statement in action.kept:
            self._assign_local_in_place(statement, cells, env, conjoin_formulas(notes.guards), notes)
        return self.build_term_value(action.weight, state, env)

    def _note_guards_and_get_locals(
        self, action: Action, parameter_values: Sequence[Number], cells: Cells, notes: _StepNotes
    ) -> Env:
        """Collect the guards that decide whether an action is legal, and the faults of asking; make
        the cells those in which its effects begin, and return the locals after its head."""
        notes.guards += self.build_parameter_range_formulas(action, parameter_values)
        notes.guards.append(self.build_comparison_formula("==", cells[1], 0))
        notes.guards.append(disjoin_formulas(self.build_comparison_formula("==", cells[0], n) for n in action.phases))
        cells[1] = 0
        if len(action.phases) == 1:
            cells[0] = action.phases[0]
        env = action.map_parameter_numbers_to_values(parameter_values)
        self._note_requirements_of_head(action.head, cells, env, True, notes)
        if action.weight is not None:  # chance takes only actions of positive weight, and weighs them last
            notes.guards.append(
                self.build_comparison_formula(
                    "<", 0, self._build_action_weight_and_note_faults(action, cells, parameter_values, notes)
                )
            )
        return env

    def _note_requirements_of_head(
        self, head: Sequence[Statement], cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> None:
        """Collect what a head requires. It is asked before any effect, so the cells stay as they are,
        also where a loop requires something behind an effect. A value is kept only if the
        requirements before it hold."""
        for statement in head:
            match statement:
                case Require(condition=condition):
                    notes.guards.append(
                        disjoin_formulas(
                            [
                                negate_formula(path_condition),
                                self.build_term_is_true_formula(condition, cells, local_values),
                            ]
                        )
                    )
                case Keep():
                    self._assign_local_in_place(
                        statement, cells, local_values, conjoin_formulas([path_condition, *notes.guards]), notes
                    )
                case If():
                    self._run_both_branches_and_merge(
                        statement, cells, local_values, path_condition, notes, self._note_requirements_of_head
                    )
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        self._note_requirements_of_head(inner, cells, local_values, path_condition, notes)
                case _:
                    return

    def build_somebody_acts_or_game_over_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that somebody is to act or the game is over."""
        due = disjoin_formulas(self.build_comparison_formula("==", cells[0], number) for number in self.automatic)
        return disjoin_formulas([negate_formula(self.build_comparison_formula("==", cells[1], 0)), negate_formula(due)])

    # -- statements -----------------------------------------------------------------------------------------

    def _run_statements_in_place(
        self, statements: Sequence[Statement], cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> None:
        """Run statements; this changes `cells` and `local_values`. A fault counts only if `path_condition` holds. What
        an action requires was asked before."""
        for statement in statements:
            match statement:
                case Keep():
                    self._assign_local_in_place(statement, cells, local_values, path_condition, notes)
                case Assign(field=to, value=value, place=place):
                    bounds = _Bounds(to.lo, to.hi, f"`{to.name}` leaves", place)
                    self._assign_cell_in_place(
                        statement,
                        self._read_value_and_note_bounds_fault(
                            value, bounds, cells, local_values, path_condition, notes
                        ),
                        cells,
                        local_values,
                    )
                case If():
                    self._run_both_branches_and_merge(
                        statement, cells, local_values, path_condition, notes, self._run_statements_in_place
                    )
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        self._run_statements_in_place(inner, cells, local_values, path_condition, notes)
                case Invoke(procedure=procedure, args=args, place=place):
                    bound: Env = {}
                    for p, value in zip(procedure.params, args, strict=True):
                        bounds = _Bounds(p.lo, p.hi, procedure.begin_sentence_on_parameter_range(p), place)
                        bound[p.number] = self._read_value_and_note_bounds_fault(
                            value, bounds, cells, local_values, path_condition, notes
                        )
                    self._run_statements_in_place(procedure.body, cells, bound, path_condition, notes)
                case Finish(ending=ending):
                    cells[1] = self.choose_by_condition(
                        self.build_comparison_formula("==", cells[1], 0), ending, cells[1]
                    )

    def _assign_local_in_place(
        self, statement: Keep, cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> None:
        local = statement.local
        bounds = _Bounds(local.lo, local.hi, f"`{local.name}` leaves", statement.place)
        local_values[local.number] = self._read_value_and_note_bounds_fault(
            statement.value, bounds, cells, local_values, path_condition, notes
        )

    def _read_value_and_note_bounds_fault(
        self, term: Term, bounds: _Bounds, cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> Number:
        """Return a term's value to go on with, and note that it may leave its bounds where `path_condition` holds. It
        cannot if the term's own bounds are as narrow, since all that it reads is within bounds or at fault already."""
        value = self.build_term_value(term, cells, local_values)
        if bounds.lo <= term.lo and term.hi <= bounds.hi:
            return value
        inside = self.build_value_in_range_formula(value, bounds.lo, bounds.hi)
        outside = conjoin_formulas([path_condition, negate_formula(inside)])
        if outside is not False:
            notes.faults.append(Fault(outside, f"{bounds.what} {bounds.lo}..{bounds.hi}", bounds.place))
        return value if inside is True else self.clamp_to_bounds_unless_formula(value, bounds.lo, bounds.hi)

    def clamp_to_bounds_unless_formula(self, value: Number, lo: int, hi: int) -> Number:
        """Return a plain number moved into its bounds. What follows a fault has no meaning, but it
        is read too, and no place that it names may lie outside an array. A formula stays."""
        return min(max(value, lo), hi) if isinstance(value, int) else value

    def _assign_cell_in_place(self, statement: Assign, new_value: Number, cells: Cells, local_values: Env) -> None:
        to, where = statement.field, self.build_term_value(statement.index, cells, local_values)
        if isinstance(where, int):
            cells[to.offset + where] = new_value
            return
        for i in self._list_places_index_may_mean(where, statement.index, to.size, cells, local_values):
            cells[to.offset + i] = self.choose_by_condition(
                self.build_comparison_formula("==", where, i), new_value, cells[to.offset + i]
            )

    def to_plain_bool_if_all_rows_agree(self, condition: Truth) -> Truth:
        """Return a condition, as a plain truth if it is one."""
        return condition

    def _run_both_branches_and_merge(
        self,
        statement: If,
        cells: Cells,
        local_values: Env,
        path_condition: Truth,
        notes: _StepNotes,
        run_statements: _Run,
    ) -> None:
        condition = self.to_plain_bool_if_all_rows_agree(
            self.build_term_is_true_formula(statement.condition, cells, local_values)
        )
        if isinstance(condition, bool):
            run_statements(statement.then if condition else statement.other, cells, local_values, path_condition, notes)
            return
        yes, then_env = list(cells), dict(local_values)
        run_statements(statement.then, yes, then_env, conjoin_formulas([path_condition, condition]), notes)
        run_statements(
            statement.other, cells, local_values, conjoin_formulas([path_condition, negate_formula(condition)]), notes
        )
        for i, value in enumerate(yes):
            if value is not cells[i]:
                cells[i] = self.choose_by_condition(condition, value, cells[i])
        for number, value in then_env.items():
            if value is not local_values.get(number):
                local_values[number] = self.choose_by_condition(condition, value, local_values.get(number, value))


def _iter_locals_of_each_reduction_turn(reduce_term: Reduce, local_values: Env) -> Iterator[Env]:
    """Yield the locals in each turn of a reduction."""
    for i in range(reduce_term.start, reduce_term.stop):
        yield {**local_values, reduce_term.var.number: i}


def get_number_or_formula_key(value: Number) -> object:
    """Return a key that two values share exactly if they are alike, as long as both are kept."""
    return value if isinstance(value, int | Formula) else ("object", id(value))


def iter_all_terms_of_rules(game: Game) -> Iterator[Term]:
    """Yield the terms that the rules compute, and the parameters."""
    yield from (function.body for function in game.functions)
    yield from iter_terms_of_actors_and_weights(game)
    for action in game.actions:
        yield from (p.local for p in action.params)
    for procedure in game.procedures:
        yield from procedure.params
    for statement in iter_all_statements_of_rules(game):
        yield from get_terms_directly_in_statement(statement)


def iter_terms_of_actors_and_weights(game: Game) -> Iterator[Term]:
    """Yield the terms that say who acts, and how likely chance is to take an action."""
    yield from (phase.actor for phase in game.phases)
    yield from (action.weight for action in game.actions if action.weight is not None)


def iter_all_statements_of_rules(game: Game) -> Iterator[Statement]:
    """Yield all statements of the rules, those inside others too."""
    bodies = [action.body for action in game.actions]
    bodies += [procedure.body for procedure in game.procedures]
    bodies += [phase.body or () for phase in game.phases]
    for body in bodies:
        yield from iter_statements_recursively(body)


def get_terms_directly_in_statement(statement: Statement) -> Sequence[Term]:
    """Return the terms that a statement computes, without those of the statements in it."""
    match statement:
        case Assign(index=index, value=value):
            return index, value
        case Keep(local=local, value=value):
            return local, value
        case If(condition=condition) | Require(condition=condition):
            return (condition,)
        case Invoke(args=args):
            return args
    return ()
