"""A game's steps as searches read them: as formulas over open states for Z3, and as operators over facts
for planners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import z3

from playproof.language import Action, Phase, Term
from playproof.language.expr import OPERATORS, Apply, Const, Local, Lookup, Op, Read, Reduce, get_child_terms
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.game_analysis import compute_values_assigned_to_phase_fields
from playproof.language.statements import (
    Assign,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    iter_conditions_joined_by_and,
    substitute_locals,
)
from playproof.verifier.kernel.column_reading import compute_overflow_free_bit_width
from playproof.verifier.kernel.formula_reading import Reading, SmallStep
from playproof.verifier.kernel.formulas import (
    Number,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    is_same_number_or_formula,
)
from playproof.verifier.search.formula_solver import FormulaSolver, Z3Translator

# -- open steps ----------------------------------------------------------------------------------------------
# Open states and steps for searches, as the kernel reads them.

_MANY = 1 << 20
"""Terms that nobody has written yet (candidates, bounds of a number) fit if they are no greater."""


@dataclass(frozen=True, slots=True)
class OpenStep:
    """A small step with its open (or plain) parameters."""

    what: Action | Phase
    params: tuple[Number, ...]
    outcome: SmallStep

    @property
    def name(self) -> str:
        """The name of the action or phase."""
        return self.what.name

    @property
    def action(self) -> Action | None:
        """The action, or None for an automatic phase."""
        return self.what if isinstance(self.what, Action) else None


class OpenStepReading(Reading):
    """Reads one game for searches, which ask Z3 over bit-vectors, or over `integers`. `extra` are the terms that will
    be asked about; with `room`, terms that are not written yet fit too."""

    def __init__(self, game: Game, integers: bool = False, extra: Sequence[Term] = (), room: bool = False) -> None:
        super().__init__(game)
        terms = [*extra, Const(_MANY)] if room else extra
        self.translator = Z3Translator(0 if integers else compute_overflow_free_bit_width(game, terms))
        possible = compute_values_assigned_to_phase_fields(game)
        self._phase_cells = [
            (f.offset, sorted(possible[f.number]))
            for f in game.fields
            if f.number in possible and len(possible[f.number]) <= f.hi - f.lo
        ]

    def make_solver(self, max_work: float, *formulas: Truth) -> FormulaSolver:
        """Return a new solver for formulas of this reading, the first of which are these."""
        return FormulaSolver(self.translator, max_work, formulas)

    # -- states ---------------------------------------------------------------------------------------------

    def build_cells_within_bounds_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that every cell lies within its bounds, and every phase is one that the game
        goes to."""
        phases = [self.build_value_is_among_formula(cells[n], values) for n, values in self._phase_cells]
        return conjoin_formulas([super().build_cells_within_bounds_formula(cells), *phases])

    def build_value_is_among_formula(self, value: Number, values: Iterable[int]) -> Truth:
        """Return the formula that a value is one of some."""
        return disjoin_formulas([self.build_comparison_formula("==", value, each) for each in sorted(values)])

    def build_states_equal_formula(self, cells: Sequence[Number], others: Sequence[Number]) -> Truth:
        """Return the formula that two states are the same."""
        both = zip(cells, others, strict=True)
        return conjoin_formulas(
            [self.build_comparison_formula("==", a, b) for a, b in both if not is_same_number_or_formula(a, b)]
        )

    def build_term_holds_formula(self, term: Term, cells: Sequence[Number]) -> Truth:
        """Return the formula that a term is true in a state."""
        return self.build_term_is_true_formula(term, cells, {})

    def get_state_from_model(self, cells: Sequence[Number], model: z3.ModelRef) -> list[int]:
        """Return the numbers that a model gives a state."""
        return [self.translator.get_number_from_model(cell, model) for cell in cells]

    # -- small steps ----------------------------------------------------------------------------------------

    def list_symbolic_small_steps(self, state: Sequence[Number], variable_prefix: str) -> list[OpenStep]:
        """Return the small steps from a state: one for each action, with open parameters, and one for each
        automatic phase. A condition that each of them keeps is kept by every step."""
        moves = [
            self.build_symbolic_small_step(
                what, state, self.make_symbolic_parameters(what, f"{variable_prefix}.{what.name}.{what.number}.")
            )
            for what in self.iter_actions_and_automatic_phases()
        ]
        return [move for move in moves if move.outcome.legal is not False]

    def build_symbolic_small_step(
        self, step_kind: Action | Phase, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> OpenStep:
        """Return the small step of a kind with these parameters."""
        return OpenStep(
            step_kind, tuple(parameter_values), self.build_symbolic_step(step_kind, state, parameter_values)
        )


# -- operators -----------------------------------------------------------------------------------------------
# A game's actions as operators over facts, as far as they can be written so. A fact is a cell with a value.

Fact = tuple[int, int]
"""A cell and a value."""
_MOST_VALUES = 64
_MOST_TERMS = 400
"""Nodes of a condition that is looked into."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an operator makes true, if these facts hold besides its own; `value` None: any."""

    when: tuple[Fact, ...]
    fact: Fact


@dataclass(slots=True)
class Operator:
    """One ground action, or a part of it: what it needs and what it makes."""

    ident: int
    needs: dict[int, int]
    effects: list[Effect] = field(default_factory=list)
    exact: bool = True


class TooManyOperators(Exception):
    """There are more operators than asked for."""


def build_planning_operators_or_raise(game: Game, max_operators: int = 20_000) -> list[Operator]:
    """Return the operators of all actions that players and chance take. Raises TooManyOperators beyond
    `max_operators`."""
    result: list[Operator] = []
    for ident, action, values in game.iter_ground_actions():
        env = action.map_parameter_numbers_to_values([Const(v) for v in values])
        phases = action.phases
        needs = {0: phases[0]} if len(phases) == 1 else {}
        for operator in _iter_operators_split_by_cells(action.body, env, Operator(ident, needs)):
            result.append(operator)
            if len(result) > max_operators:
                raise TooManyOperators
    return result


class _UnfixedCell(Exception):
    """A term whose value depends on a cell, which is to be fixed."""

    def __init__(self, cell: int, source: Field) -> None:
        self.cell, self.source = cell, source


class _Contradiction(Exception):
    """The requirements exclude each other."""


def _iter_operators_split_by_cells(
    statements: Sequence[Statement], local_terms: Mapping[int, Term], operator: Operator
) -> Iterator[Operator]:
    """Yield operators for each value of the cells that decide where a rule reads or writes."""
    run = _OperatorBuilder(replace(operator, needs=dict(operator.needs), effects=[]))
    try:
        run.add_statements_to_operator(statements, dict(local_terms), (), {})
    except _Contradiction:
        return
    except LookupError:  # no single cell decides where the rule reads or writes
        yield replace(operator, effects=[], exact=False)
        return
    except _UnfixedCell as open_:
        if open_.source.hi - open_.source.lo >= _MOST_VALUES:
            yield replace(operator, effects=[], exact=False)
            return
        for value in range(open_.source.lo, open_.source.hi + 1):
            yield from _iter_operators_split_by_cells(
                statements, local_terms, replace(operator, needs={**operator.needs, open_.cell: value})
            )
        return
    yield run.operator


WrittenCells = dict[int, int | None]
"""The values of the cells written so far; None where it is not decided."""


@dataclass(slots=True)
class _OperatorBuilder:
    """A body that becomes an operator. `when` are facts under which a branch is taken."""

    operator: Operator

    def add_statements_to_operator(
        self,
        statements: Sequence[Statement],
        local_terms: dict[int, Term],
        branch_facts: tuple[Fact, ...],
        written_cells: WrittenCells,
    ) -> None:
        """Add what statements need and make."""
        for statement in statements:
            match statement:
                case Keep():
                    local_terms[statement.local.number] = substitute_locals(statement.value, local_terms)
                case Require():
                    for part in _iter_conjuncts_unrolled(statement.condition, local_terms):
                        self._add_required_fact(part)
                case Assign():
                    self._add_effects_of_assignment(statement, local_terms, branch_facts, written_cells)
                case If():
                    self._add_effects_of_branches(statement, local_terms, branch_facts, written_cells)
                case Loop():
                    for i in range(statement.start, statement.stop):
                        self.add_statements_to_operator(
                            statement.body, {**local_terms, statement.var.number: Const(i)}, branch_facts, written_cells
                        )
                case Invoke():
                    params = (p.number for p in statement.procedure.params)
                    inner = dict(zip(params, (substitute_locals(a, local_terms) for a in statement.args), strict=True))
                    self.add_statements_to_operator(statement.procedure.body, inner, branch_facts, written_cells)
                case _:  # an ending
                    self.operator.effects.append(Effect(branch_facts, (1, statement.ending)))

    def _merge_known_cell_values(self, branch_facts: tuple[Fact, ...], written_cells: WrittenCells) -> WrittenCells:
        return {**self.operator.needs, **dict(branch_facts), **written_cells}

    def _add_required_fact(self, condition: Term) -> None:
        """Add what a requirement needs."""
        settled = _evaluate_term_or_none_if_undecided(condition, self.operator.needs)
        if settled is not None:
            if not settled:
                raise _Contradiction
            return
        fact = _condition_to_single_fact_or_none(condition, self.operator.needs)
        if fact is None:
            self.operator.exact = False
        else:
            self.operator.needs[fact[0]] = fact[1]

    def _add_effects_of_assignment(
        self,
        statement: Assign,
        local_terms: Mapping[int, Term],
        branch_facts: tuple[Fact, ...],
        written_cells: WrittenCells,
    ) -> None:
        """Add the effect of an assignment; if its value depends on one cell, one for each value of that."""
        now, effects = self._merge_known_cell_values(branch_facts, written_cells), self.operator.effects
        index, value = (
            _unroll_loops_and_functions_or_raise(substitute_locals(statement.index, local_terms)),
            substitute_locals(statement.value, local_terms),
        )
        where = _evaluate_term_or_none_if_undecided(index, now)
        if where is None:
            raise _UnfixedCell(*_find_first_unknown_cell_or_raise(index, now))
        cell = statement.field.offset + where
        plain = written_cells[cell] = _evaluate_term_or_none_if_undecided(value, now)
        if plain is not None:
            effects.append(Effect(branch_facts, (cell, plain)))
            return
        try:
            open_cell, source = _find_first_unknown_cell_or_raise(value, now)
        except LookupError:
            self.operator.exact = False
            return
        for before in range(source.lo, min(source.hi, source.lo + _MOST_VALUES) + 1):
            after = _evaluate_term_or_none_if_undecided(value, {**now, open_cell: before})
            if after is None:
                self.operator.exact = False
            elif statement.field.lo <= after <= statement.field.hi:
                effects.append(Effect((*branch_facts, (open_cell, before)), (cell, after)))

    def _add_effects_of_branches(
        self, statement: If, local_terms: dict[int, Term], branch_facts: tuple[Fact, ...], written_cells: WrittenCells
    ) -> None:
        """Add what both branches make. A branch under conditions that are no facts is taken as possible: what it
        makes is a guess."""
        more: dict[int, int] = {}
        possible, sure = True, True
        for part in _iter_conjuncts_unrolled(statement.condition, local_terms):
            now = {**self._merge_known_cell_values(branch_facts, written_cells), **more}
            settled = _evaluate_term_or_none_if_undecided(part, now)
            if settled is not None:
                possible = possible and bool(settled)
                continue
            sure = False
            fact = _condition_to_single_fact_or_none(part, now)
            if fact is None:
                self.operator.exact = False
            else:
                more[fact[0]] = fact[1]
        for taken, branch, facts in (
            (possible, statement.then, tuple(more.items())),
            (not (possible and sure), statement.other, ()),
        ):
            if taken:
                inner = dict(written_cells)
                self.add_statements_to_operator(branch, dict(local_terms), (*branch_facts, *facts), inner)
                certain = sure or not possible
                written_cells.update(inner if certain else dict.fromkeys(inner.keys() - written_cells.keys()))
        if statement.other and possible and not sure:
            self.operator.exact = False


def _iter_conjuncts_unrolled(condition: Term, local_terms: Mapping[int, Term]) -> Iterator[Term]:
    """Yield the conditions that a condition consists of, loops and functions written out."""
    for part in iter_conditions_joined_by_and(substitute_locals(condition, local_terms)):
        if isinstance(part, Reduce) and part.kind == "all":
            for i in range(part.start, part.stop):
                yield from _iter_conjuncts_unrolled(part.body, {part.var.number: Const(i)})
        elif isinstance(part, Apply):
            inner = dict(zip((p.number for p in part.function.params), part.args, strict=True))
            yield from _iter_conjuncts_unrolled(part.function.body, inner)
        else:
            yield part


def _condition_to_single_fact_or_none(condition: Term, known_values: Mapping[int, int | None]) -> Fact | None:
    """Return the one fact that a condition asks for, or None: it asks for no fact, or for one of several."""
    if sum(1 for _ in _iter_term_and_descendants(condition)) > _MOST_TERMS:
        return None
    cells = {}
    for node in _iter_term_and_descendants(condition):
        if isinstance(node, Reduce | Apply | Local):
            return None
        if isinstance(node, Read):
            index = _unroll_loops_and_functions_or_raise(node.index)
            where = _evaluate_term_or_none_if_undecided(index, known_values)
            if where is None:
                raise _UnfixedCell(*_find_first_unknown_cell_or_raise(index, known_values))
            cells[node.field.offset + where] = node.field
    unknown = [(cell, source) for cell, source in cells.items() if cell not in known_values]
    if len(unknown) != 1 or unknown[0][1].hi - unknown[0][1].lo >= _MOST_VALUES:
        return None
    [(cell, source)] = unknown
    meeting = [
        value
        for value in range(source.lo, source.hi + 1)
        if _evaluate_term_or_none_if_undecided(condition, {**known_values, cell: value})
    ]
    if not meeting:
        raise _Contradiction
    return (cell, meeting[0]) if len(meeting) == 1 else None


_FOLDS = {"sum": "+", "any": "or", "all": "and", "min": "min", "max": "max"}
_EMPTY = {"sum": 0, "any": 0, "all": 1}


def _unroll_loops_and_functions_or_raise(term: Term) -> Term:
    """Return a term with its loops and functions written out, so that the cells that it reads stand at plain places.
    Raises LookupError if it becomes too long."""
    nodes = [0]

    def rewrite(part: Term) -> Term:
        nodes[0] += 1
        if nodes[0] > _MOST_TERMS:
            raise LookupError(f"a term of more than {_MOST_TERMS} parts")
        match part:
            case Apply():
                params = (p.number for p in part.function.params)
                return rewrite(substitute_locals(part.function.body, dict(zip(params, part.args, strict=True))))
            case Reduce():
                steps = range(part.start, part.stop)
                terms = [rewrite(substitute_locals(part.body, {part.var.number: Const(i)})) for i in steps]
                return reduce(OPERATORS[_FOLDS[part.kind]], terms) if terms else Const(_EMPTY[part.kind])
            case Op():
                return OPERATORS[part.op](*(rewrite(a) for a in part.args))
            case Read():
                return Read(part.field, rewrite(part.index), 0)
            case Lookup():
                return Lookup(part.table, rewrite(part.index))
        return part

    is_plain = not any(isinstance(node, Apply | Reduce) for node in _iter_term_and_descendants(term))
    return term if is_plain else rewrite(term)


def _iter_term_and_descendants(term: Term) -> Iterator[Term]:
    yield term
    for child in get_child_terms(term):
        yield from _iter_term_and_descendants(child)


def _find_first_unknown_cell_or_raise(term: Term, known_values: Mapping[int, int | None]) -> tuple[int, Field]:
    """Return the first cell that a term reads at a plain place and that has no value yet. Raises LookupError."""
    for node in _iter_term_and_descendants(term):
        if isinstance(node, Read):
            where = _evaluate_term_or_none_if_undecided(node.index, known_values)
            if where is None:
                return _find_first_unknown_cell_or_raise(node.index, known_values)
            cell = node.field.offset + where
            if cell not in known_values:
                return cell, node.field
    raise LookupError


def _evaluate_term_or_none_if_undecided(term: Term, known_values: Mapping[int, int | None]) -> int | None:
    """Return a term's value where these cells have these values, or None if that does not decide it."""
    match term:
        case Const():
            return term.value
        case Read():
            where = _evaluate_term_or_none_if_undecided(term.index, known_values)
            return None if where is None else known_values.get(term.field.offset + where)
        case Op():
            return _evaluate_operation_or_none_if_undecided(term, known_values)
        case Apply() | Reduce() | Local():
            return None
    assert isinstance(term, Lookup)
    where = _evaluate_term_or_none_if_undecided(term.index, known_values)
    return None if where is None else term.table.values[where]


def _evaluate_operation_or_none_if_undecided(term: Op, known_values: Mapping[int, int | None]) -> int | None:
    values = [_evaluate_term_or_none_if_undecided(a, known_values) for a in term.args]
    if term.op == "and" and 0 in values:
        return 0
    if term.op == "or" and any(values):
        return 1
    if term.op == "pick" and values[0] is not None:
        return values[1 if values[0] else 2]
    if any(v is None for v in values):
        return None
    result = OPERATORS[term.op](*(Const(v) for v in values if v is not None))
    return result.value if isinstance(result, Const) else None
