"""Classes of small steps, with bounds, proved by Z3, on how much each class may change a game's
counts.

The game is cut into *locations*: the values of a few control cells (the phase, whether the game is
over, and in a finer cut the cells by which automatic phases look things up). A class is a small
step of one name between two locations, with its parameters if they are few. Locations are those
that classes lead to from the start, so every game is a path of classes. A *measure* is a count
written as a formula: a quantity, a cell, or whether a cell has a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import z3

from playproof.database.errors import Where
from playproof.language import Array, Game, Term
from playproof.language.expr import Apply, Const, Lookup, Op, Read, Reduce, children
from playproof.language.symbolic import Move, Sym, Symbolic, Truth, as_z3, conj, disj, neg
from playproof.language.traced_statements import Assign, If, Keep, Require, walk
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import Solver, done

Location = tuple[int, ...]
Bounds = tuple[int, int]
_STEP = 20.0  # work for one question
_TIGHTEN = 1.5  # a class whose bounds take more work is left with the ranges of its changes
_FEW_PARAMETERS = 8
_FEW_CELLS = 12  # what counts over more of them, the finer cut counts cell by cell
_MOST_MEASURES = 400
_MOST_CLASSES = 20_000


@dataclass(slots=True)
class Step:
    """A class: a small step's name and parameters between two locations. `change` bounds each
    measure that it may change."""

    start: Location
    move: str
    params: tuple[int, ...]
    end: Location
    change: dict[str, Bounds] = field(default_factory=dict)


class Cut:
    """A game cut into locations by `control` cells; the phase and the outcome are the first two."""

    def __init__(self, case: Case, control: Sequence[int], measures: Sequence[str]) -> None:
        self.case, self.control = case, (0, 1, *(c for c in control if c > 1))
        self.reading = Symbolic(case.game)
        self.typed = self.reading.state("s")
        formula = Formula(case.game, Where("measure"))
        self.terms: dict[str, Term] = {text: formula.read(text) for text in measures}
        self._moves: tuple[Location, list[Sym], list[Move]] | None = None  # classes come location by location
        self._cells = {text: frozenset(_cells_read(case.game, term)) for text, term in self.terms.items()}

    def start(self) -> Location:
        """Return the location where a game begins, before any automatic phase runs."""
        cells = self.case.game.initial()
        return tuple(cells[c] for c in self.control)

    def at(self, location: Location) -> list[Sym]:
        """Return the symbolic state at a location."""
        state = list(self.typed)
        for c, value in zip(self.control, location, strict=True):
            state[c] = value
        return state

    def moves(self, location: Location) -> tuple[list[Sym], list[Move]]:
        """Return the symbolic state at a location and the small steps from it."""
        if self._moves is None or self._moves[0] != location:
            state = self.at(location)
            self._moves = (location, state, self.reading.moves(state, "s") if location[1] == 0 else [])
        return self._moves[1], self._moves[2]

    def solver(self, state: Sequence[Sym], *assumptions: z3.BoolRef) -> z3.Solver:
        """Return a fresh solver over typed states."""
        solver = Solver("QF_BV", _STEP)
        solver.add(self.reading.typed(state), *assumptions)
        return solver

    def key(self, move: Move, params: Sequence[int], end: Location) -> Truth:
        """Return the condition that a step takes these parameters and ends at this location."""
        a = self.reading.arithmetic
        return conj(
            *(a.compare("==", p, v) for p, v in zip(move.params, params, strict=False)),
            *(a.compare("==", move.outcome.after[c], v) for c, v in zip(self.control, end, strict=True)),
        )

    def after(self, move: Move, end: Location) -> list[Sym]:
        """Return the cells after a step that ends at this location."""
        cells = list(move.outcome.after)
        for c, value in zip(self.control, end, strict=True):
            cells[c] = value
        return cells

    # -- changes --------------------------------------------------------------------------------------------

    def changes(self, before: Sequence[Sym], after: Sequence[Sym]) -> dict[str, Sym]:
        """Return the value after minus the value before, for each measure that a step touches."""
        a, changes = self.reading.arithmetic, dict[str, Sym]()
        moved = {i for i, (x, y) in enumerate(zip(before, after, strict=True)) if x is not y}
        for text, term in self.terms.items():
            if self._cells[text] & moved:
                change = a.operate("-", self.number(term, after), self.number(term, before))
                if not (isinstance(change, int) and change == 0):
                    changes[text] = change
        return changes

    def number(self, term: Term, cells: Sequence[Sym]) -> Sym:
        """Return a term's value, with truth values as 0 and 1."""
        return self.reading.arithmetic.number(self.reading.value(term, cells))

    def outside(self, values: Mapping[str, Sym], bounds: Mapping[str, Bounds]) -> Truth:
        """Return the condition that some value leaves its bounds (a value without bounds must be
        0)."""
        return disj(
            *(neg(self.reading.arithmetic.within(v, *bounds.get(text, (0, 0)))) for text, v in values.items())
        )

    def tightest(self, solver: z3.Solver, values: Mapping[str, Sym]) -> dict[str, Bounds] | None:
        """Return the least bounds that Z3 proves under the solver's assumptions; each model that
        breaks them widens them. Return None if nothing satisfies the assumptions. If Z3 does not
        answer quickly, each value gets its own range."""
        answer, began = solver.check(), done()
        if answer == z3.unsat:
            return None
        open_ = {t: v for t, v in values.items() if not isinstance(v, int)}
        bounds = {t: (int(v), int(v)) for t, v in values.items() if isinstance(v, int)}
        if not open_:
            return bounds
        while answer == z3.sat:
            if done() - began > _TIGHTEN:
                answer = z3.unknown
                break
            model = solver.model()
            for text, value in open_.items():
                now = self.reading.plain(value, model)
                low, high = bounds.get(text, (now, now))
                bounds[text] = (min(low, now), max(high, now))
            answer = solver.check(as_z3(self.outside(open_, bounds)))
        return bounds if answer == z3.unsat else bounds | {t: _range(v) for t, v in open_.items()}

    # -- all classes ----------------------------------------------------------------------------------------

    def classes(self, budget: Budget) -> list[Step] | None:
        """Return every class that may happen, location by location from the start. Return None if
        Z3 gives no answer, the budget runs out or there are too many."""
        try:
            return self._classes(budget)
        except Unanswered:
            return None

    def _classes(self, budget: Budget) -> list[Step] | None:
        classes: list[Step] = []
        todo, reached = [self.start()], {self.start()}
        while todo:
            location = todo.pop()
            state, moves = self.moves(location)
            for move in moves:
                for step in self._of(location, state, move):
                    classes.append(step)
                    if step.end not in reached:
                        reached.add(step.end)
                        todo.append(step.end)
            if budget.left <= 0 or len(classes) > _MOST_CLASSES:
                return None
            budget.say(f"relaxation: {len(classes)} classes of steps, {len(todo)} locations to go")
        return classes

    def _of(self, location: Location, state: list[Sym], move: Move) -> Iterator[Step]:
        """Yield the classes of one small step; a model gives each class, and the solver then
        excludes it."""
        solver = self.solver(state, as_z3(move.outcome.sound))
        few = move.action is not None and move.action.count <= _FEW_PARAMETERS
        while (answer := solver.check()) != z3.unsat:
            if answer == z3.unknown:
                raise Unanswered(move.name)
            model = solver.model()
            params = tuple(self.reading.plain(p, model) for p in move.params) if few else ()
            end = tuple(self.reading.plain(move.outcome.after[c], model) for c in self.control)
            here = as_z3(self.key(move, params, end))
            solver.push()
            solver.add(here)
            change = self.tightest(solver, self.changes(state, self.after(move, end)))
            solver.pop()
            yield Step(
                location, move.name, params, end, {t: b for t, b in (change or {}).items() if b != (0, 0)}
            )
            solver.add(z3.Not(here))

    def wrong(self, steps: Sequence[Step]) -> str:
        """Return why these are not all classes with sound bounds, or "" if they are. A fresh solver
        checks each location's steps."""
        leaving: dict[Location, list[Step]] = {self.start(): []}
        for step in steps:
            leaving.setdefault(step.start, []).append(step)
            leaving.setdefault(step.end, [])
        for location, mine in leaving.items():
            state, moves = self.moves(location)
            for move in moves:
                fault = self._wrong_move(state, move, [s for s in mine if s.move == move.name])
                if fault:
                    return fault
        return ""

    def _wrong_move(self, state: list[Sym], move: Move, mine: Sequence[Step]) -> str:
        broken: list[Truth] = []
        keys = [self.key(move, s.params, s.end) for s in mine]
        for step, here in zip(mine, keys, strict=True):
            values = self.changes(state, self.after(move, step.end))
            broken.append(conj(here, self.outside(values, step.change)))
        everything = disj(neg(disj(*keys)), *broken)
        solver = self.solver(state, as_z3(move.outcome.sound), as_z3(everything))
        return "" if solver.check() == z3.unsat else f"`{move.name}` may do more than the bounds say"


class Unanswered(Exception):
    """Raised if Z3 gives no answer about a small step."""


def _range(value: Sym) -> Bounds:
    if isinstance(value, int):
        return int(value), int(value)
    if isinstance(value, z3.BoolRef):
        return 0, 1
    return value.lo, value.hi


# -- what to count and where to cut -----------------------------------------------------------------------------


def measures_of(game: Game, arrays: bool = True) -> list[str]:
    """Return quantities and single numbers as measures, without quantities of many cells. With
    `arrays`, add those, the cells, and for enumerated cells whether they have each of their
    values."""
    texts = [
        f"`{n}`"
        for n, t in game.quantities.items()
        if t.lo < t.hi and (arrays or len(_cells_read(game, t)) <= _FEW_CELLS)
    ]
    named = {_cell(game, t) for t in game.quantities.values()}
    for name, handle in game.handles.items():
        f = handle.field
        if (
            f.lo == f.hi
            or f.offset < 2
            or f in game.phase_fields
            or (not arrays and isinstance(handle, Array))
        ):
            continue
        for i, place in enumerate(product(*(range(n) for n in f.shape))):
            cell = f"{name}[{', '.join(map(str, place))}]" if isinstance(handle, Array) else f"`{name}`"
            if f.labels and f.hi - f.lo > 1 and isinstance(handle, Array):
                texts += [f"{cell} == {v}" for v in range(f.lo, f.hi + 1) if f.hi - f.lo < _FEW_PARAMETERS]
            elif f.offset + i not in named and not f.labels:
                texts.append(cell)
    return list(dict.fromkeys(texts))[:_MOST_MEASURES]


def _cell(game: Game, term: Term) -> int:
    if isinstance(term, Read) and isinstance(term.index, Const):
        return term.field.offset + term.index.value
    return -1


def counters(game: Game) -> list[int]:
    """Return the single cells by which automatic phases look up tables and arrays: how far they are
    in what they carry out."""
    offsets: set[int] = set()
    bodies = [p.body for p in game.phases if p.body is not None] + [p.body for p in game.procedures]
    for body in bodies:
        for statement in walk(body):
            for term in _terms(statement):
                offsets |= _indices(term)
    return sorted(offsets)


def _terms(statement: Any) -> list[Term]:
    match statement:
        case Assign():
            return [statement.value, Lookup(_NO_TABLE, statement.index)]
        case Keep():
            return [statement.value]
        case If() | Require():
            return [statement.condition]
    return []


class _NoTable:
    """Stands for the array of an assignment at an index."""

    values = (0,)


_NO_TABLE: Any = _NoTable()


def _indices(term: Term) -> set[int]:
    """Return the single cells that a term reads within an index."""
    offsets: set[int] = set()
    if isinstance(term, Lookup | Read):
        todo = [term.index]
        while todo:
            node = todo.pop()
            if isinstance(node, Read) and node.field.size == 1:
                offsets.add(node.field.offset)
            todo += children(node)
    for child in children(term):
        offsets |= _indices(child)
    return offsets


def _cells_read(game: Game, term: Term) -> set[int]:
    """Return the cells that a term may read."""
    match term:
        case Read(index=Const()):
            return {_cell(game, term)}
        case Read():
            return set(range(term.field.offset, term.field.offset + term.field.size)) | _cells_read(
                game, term.index
            )
        case Apply():
            return _cells_read(game, term.function.body).union(*(_cells_read(game, x) for x in term.args))
        case Op() | Lookup() | Reduce():
            return set().union(*(_cells_read(game, x) for x in children(term)))
    return set()
