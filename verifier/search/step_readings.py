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
from playproof.language.game_analysis import compute_phase_values
from playproof.language.statements import (
    Assign,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    iter_conjuncts,
    substitute_locals,
)
from playproof.verifier.kernel.reading import Number, Reading, SmallStep, Truth, conj, disj, is_same

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


def truth_to_z3(part: Truth) -> z3.BoolRef:
    """Return a truth as a Z3 formula, also if it is plain."""
    return z3.BoolVal(part) if isinstance(part, bool) else part


class OpenStepReading(Reading):
    """Reads one game over bit-vectors, or over `integers`. `extra` are the terms that will be asked about; with
    `room`, terms that are not written yet fit too."""

    def __init__(
        self, game: Game, integers: bool = False, extra: Sequence[Term] = (), room: bool = False
    ) -> None:
        super().__init__(game, integers, [*extra, Const(_MANY)] if room else extra)
        possible = compute_phase_values(game)
        self._phase_cells = [
            (f.offset, sorted(possible[f.number]))
            for f in game.fields
            if f.number in possible and len(possible[f.number]) <= f.hi - f.lo
        ]

    # -- states ---------------------------------------------------------------------------------------------

    def build_bounds_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that every cell lies within its bounds, and every phase is one that the game
        goes to."""
        phases = [self.build_membership_formula(cells[n], values) for n, values in self._phase_cells]
        return conj([super().build_bounds_formula(cells), *phases])

    def build_membership_formula(self, value: Number, values: Iterable[int]) -> Truth:
        """Return the formula that a value is one of some."""
        return disj([self.compare("==", value, each) for each in sorted(values)])

    def build_equality_formula(self, cells: Sequence[Number], others: Sequence[Number]) -> Truth:
        """Return the formula that two states are the same."""
        both = zip(cells, others, strict=True)
        return conj([self.compare("==", a, b) for a, b in both if not is_same(a, b)])

    def build_holds_formula(self, term: Term, cells: Sequence[Number]) -> z3.BoolRef:
        """Return the formula that a term is true in a state."""
        return truth_to_z3(self.read_truth(term, cells, {}))

    def value_from_model(self, value: Number, model: z3.ModelRef) -> int:
        """Return the number that a model gives a value."""
        if isinstance(value, int):
            return int(value)
        number = model.eval(value, model_completion=True)
        return int(number.as_long() if self.integers else number.as_signed_long())

    def state_from_model(self, cells: Sequence[Number], model: z3.ModelRef) -> list[int]:
        """Return the numbers that a model gives a state."""
        return [self.value_from_model(cell, model) for cell in cells]

    # -- small steps ----------------------------------------------------------------------------------------

    def list_open_steps(self, state: Sequence[Number], tag: str) -> list[OpenStep]:
        """Return the small steps from a state: one for each action, with open parameters, and one for each
        automatic phase. A condition that each of them keeps is kept by every step."""
        moves = [
            self.build_open_step(what, state, self.make_parameters(what, f"{tag}.{what.name}.{what.number}."))
            for what in self.iter_step_kinds()
        ]
        return [move for move in moves if move.outcome.legal is not False]

    def build_open_step(
        self, step_kind: Action | Phase, state: Sequence[Number], params: Sequence[Number]
    ) -> OpenStep:
        """Return the small step of a kind with these parameters."""
        return OpenStep(step_kind, tuple(params), self.build_step(step_kind, state, params))


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


def build_operators(game: Game, max_operators: int = 20_000) -> list[Operator]:
    """Return the operators of all actions that players and chance take. Raises TooMany beyond `most`."""
    result: list[Operator] = []
    for ident, action, values in game.iter_ground_actions():
        env = action.bind_parameters([Const(v) for v in values])
        phases = action.phases
        needs = {0: phases[0]} if len(phases) == 1 else {}
        for operator in _iter_split_operators(action.body, env, Operator(ident, needs)):
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


def _iter_split_operators(
    body: Sequence[Statement], env: Mapping[int, Term], operator: Operator
) -> Iterator[Operator]:
    """Yield operators for each value of the cells that decide where a rule reads or writes."""
    run = _OperatorBuilder(replace(operator, needs=dict(operator.needs), effects=[]))
    try:
        run.add_needs_and_effects(body, dict(env), (), {})
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
            yield from _iter_split_operators(
                body, env, replace(operator, needs={**operator.needs, open_.cell: value})
            )
        return
    yield run.operator


WrittenCells = dict[int, int | None]
"""The values of the cells written so far; None where it is not decided."""


@dataclass(slots=True)
class _OperatorBuilder:
    """A body that becomes an operator. `when` are facts under which a branch is taken."""

    operator: Operator

    def add_needs_and_effects(
        self, body: Sequence[Statement], env: dict[int, Term], when: tuple[Fact, ...], written: WrittenCells
    ) -> None:
        """Add what statements need and make."""
        for statement in body:
            match statement:
                case Keep():
                    env[statement.local.number] = substitute_locals(statement.value, env)
                case Require():
                    for part in _iter_condition_parts(statement.condition, env):
                        self._add_requirement(part)
                case Assign():
                    self._add_assignment(statement, env, when, written)
                case If():
                    self._add_branches(statement, env, when, written)
                case Loop():
                    for i in range(statement.start, statement.stop):
                        self.add_needs_and_effects(
                            statement.body, {**env, statement.var.number: Const(i)}, when, written
                        )
                case Invoke():
                    params = (p.number for p in statement.procedure.params)
                    inner = dict(
                        zip(params, (substitute_locals(a, env) for a in statement.args), strict=True)
                    )
                    self.add_needs_and_effects(statement.procedure.body, inner, when, written)
                case _:  # an ending
                    self.operator.effects.append(Effect(when, (1, statement.ending)))

    def _collect_known_values(self, when: tuple[Fact, ...], written: WrittenCells) -> WrittenCells:
        return {**self.operator.needs, **dict(when), **written}

    def _add_requirement(self, part: Term) -> None:
        """Add what a requirement needs."""
        settled = _evaluate_partially(part, self.operator.needs)
        if settled is not None:
            if not settled:
                raise _Contradiction
            return
        fact = _condition_to_fact(part, self.operator.needs)
        if fact is None:
            self.operator.exact = False
        else:
            self.operator.needs[fact[0]] = fact[1]

    def _add_assignment(
        self, statement: Assign, env: Mapping[int, Term], when: tuple[Fact, ...], written: WrittenCells
    ) -> None:
        """Add the effect of an assignment; if its value depends on one cell, one for each value of that."""
        now, effects = self._collect_known_values(when, written), self.operator.effects
        index, value = (
            _unroll_term(substitute_locals(statement.index, env)),
            substitute_locals(statement.value, env),
        )
        where = _evaluate_partially(index, now)
        if where is None:
            raise _UnfixedCell(*_find_undecided_cell(index, now))
        cell = statement.field.offset + where
        plain = written[cell] = _evaluate_partially(value, now)
        if plain is not None:
            effects.append(Effect(when, (cell, plain)))
            return
        try:
            open_cell, source = _find_undecided_cell(value, now)
        except LookupError:
            self.operator.exact = False
            return
        for before in range(source.lo, min(source.hi, source.lo + _MOST_VALUES) + 1):
            after = _evaluate_partially(value, {**now, open_cell: before})
            if after is None:
                self.operator.exact = False
            elif statement.field.lo <= after <= statement.field.hi:
                effects.append(Effect((*when, (open_cell, before)), (cell, after)))

    def _add_branches(
        self, statement: If, env: dict[int, Term], when: tuple[Fact, ...], written: WrittenCells
    ) -> None:
        """Add what both branches make. A branch under conditions that are no facts is taken as possible: what it
        makes is a guess."""
        more: dict[int, int] = {}
        possible, sure = True, True
        for part in _iter_condition_parts(statement.condition, env):
            now = {**self._collect_known_values(when, written), **more}
            settled = _evaluate_partially(part, now)
            if settled is not None:
                possible = possible and bool(settled)
                continue
            sure = False
            fact = _condition_to_fact(part, now)
            if fact is None:
                self.operator.exact = False
            else:
                more[fact[0]] = fact[1]
        for taken, branch, facts in (
            (possible, statement.then, tuple(more.items())),
            (not (possible and sure), statement.other, ()),
        ):
            if taken:
                inner = dict(written)
                self.add_needs_and_effects(branch, dict(env), (*when, *facts), inner)
                certain = sure or not possible
                written.update(inner if certain else dict.fromkeys(inner.keys() - written.keys()))
        if statement.other and possible and not sure:
            self.operator.exact = False


def _iter_condition_parts(condition: Term, env: Mapping[int, Term]) -> Iterator[Term]:
    """Yield the conditions that a condition consists of, loops and functions written out."""
    for part in iter_conjuncts(substitute_locals(condition, env)):
        if isinstance(part, Reduce) and part.kind == "all":
            for i in range(part.start, part.stop):
                yield from _iter_condition_parts(part.body, {part.var.number: Const(i)})
        elif isinstance(part, Apply):
            inner = dict(zip((p.number for p in part.function.params), part.args, strict=True))
            yield from _iter_condition_parts(part.function.body, inner)
        else:
            yield part


def _condition_to_fact(condition: Term, known_values: Mapping[int, int | None]) -> Fact | None:
    """Return the one fact that a condition asks for, or None: it asks for no fact, or for one of several."""
    if sum(1 for _ in _iter_term_nodes(condition)) > _MOST_TERMS:
        return None
    cells = {}
    for node in _iter_term_nodes(condition):
        if isinstance(node, Reduce | Apply | Local):
            return None
        if isinstance(node, Read):
            index = _unroll_term(node.index)
            where = _evaluate_partially(index, known_values)
            if where is None:
                raise _UnfixedCell(*_find_undecided_cell(index, known_values))
            cells[node.field.offset + where] = node.field
    unknown = [(cell, source) for cell, source in cells.items() if cell not in known_values]
    if len(unknown) != 1 or unknown[0][1].hi - unknown[0][1].lo >= _MOST_VALUES:
        return None
    [(cell, source)] = unknown
    meeting = [
        value
        for value in range(source.lo, source.hi + 1)
        if _evaluate_partially(condition, {**known_values, cell: value})
    ]
    if not meeting:
        raise _Contradiction
    return (cell, meeting[0]) if len(meeting) == 1 else None


_FOLDS = {"sum": "+", "any": "or", "all": "and", "min": "min", "max": "max"}
_EMPTY = {"sum": 0, "any": 0, "all": 1}


def _unroll_term(term: Term) -> Term:
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
                return rewrite(
                    substitute_locals(part.function.body, dict(zip(params, part.args, strict=True)))
                )
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

    is_plain = not any(isinstance(node, Apply | Reduce) for node in _iter_term_nodes(term))
    return term if is_plain else rewrite(term)


def _iter_term_nodes(term: Term) -> Iterator[Term]:
    yield term
    for child in get_child_terms(term):
        yield from _iter_term_nodes(child)


def _find_undecided_cell(term: Term, known_values: Mapping[int, int | None]) -> tuple[int, Field]:
    """Return the first cell that a term reads at a plain place and that has no value yet. Raises LookupError."""
    for node in _iter_term_nodes(term):
        if isinstance(node, Read):
            where = _evaluate_partially(node.index, known_values)
            if where is None:
                return _find_undecided_cell(node.index, known_values)
            cell = node.field.offset + where
            if cell not in known_values:
                return cell, node.field
    raise LookupError


def _evaluate_partially(term: Term, known_values: Mapping[int, int | None]) -> int | None:
    """Return a term's value where these cells have these values, or None if that does not decide it."""
    match term:
        case Const():
            return term.value
        case Read():
            where = _evaluate_partially(term.index, known_values)
            return None if where is None else known_values.get(term.field.offset + where)
        case Op():
            return _evaluate_operation_partially(term, known_values)
        case Apply() | Reduce() | Local():
            return None
    assert isinstance(term, Lookup)
    where = _evaluate_partially(term.index, known_values)
    return None if where is None else term.table.values[where]


def _evaluate_operation_partially(term: Op, known_values: Mapping[int, int | None]) -> int | None:
    values = [_evaluate_partially(a, known_values) for a in term.args]
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
