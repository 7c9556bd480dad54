"""The symbolic reading of a game: open states and the step between them.

A step is one ground action and the automatic phases that follow, as in the reference reading. An
action's number may be open: then all actions run on the same state, and the number selects the
result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import z3

from playproof.language.errors import ENDLESS, Place
from playproof.language.expr import Term
from playproof.language.fields import Field
from playproof.language.game import Action, Game, Phase
from playproof.language.interpreter import Interpreter
from playproof.language.phases import phase_values
from playproof.language.symbolic.sized import Arithmetic, Sym, Truth, as_z3, conj, disj, neg
from playproof.language.symbolic.walk import Cells, Env, Fault, Gathered, Walker
from playproof.language.traced_statements import Assign, Finish, Invoke, walk

State = list[Sym]
_SWEEPS = 64
_FOLD_SECONDS = 10.0


class TooDeep(Exception):
    """Automatic phases cannot be folded into one step. Use `Symbolic.moves`, which takes them one
    by one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A step's result: whether it is legal, the cells after it, and the faults that must not happen
    on the way."""

    legal: Truth
    after: State
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> Truth:
        """The condition that the step is legal and no value leaves its bounds; then the reference
        reading takes the step without an error."""
        return conj(self.legal, *(neg(f.when) for f in self.faults))


@dataclass(frozen=True, slots=True)
class Move:
    """A small step: an action with open (or plain) parameters, or an automatic phase."""

    what: Action | Phase
    params: tuple[Sym, ...]
    outcome: Outcome

    @property
    def name(self) -> str:
        """The name of the action or phase."""
        return self.what.name

    @property
    def action(self) -> Action | None:
        """The action, or None for an automatic phase."""
        return self.what if isinstance(self.what, Action) else None


class Symbolic:
    """Reads one game. Bit-vectors sized by the fields' bounds, or Z3 integers when `integers` is
    set."""

    def __init__(self, game: Game, integers: bool = False) -> None:
        self.game = game.seal()
        self.arithmetic = Arithmetic(integers)
        self.walker = Walker(self.arithmetic)
        self.fields: list[Field] = [f for f in game.fields for _ in range(f.size)]
        self.possible = phase_values(game)
        self._automatic = [p for p in game.phases if p.automatic]

    # -- states ---------------------------------------------------------------------------------------------

    def state(self, tag: str) -> State:
        """An open state; its Z3 variables are called `tag.field.cell`."""
        cells: State = []
        for f in self.game.fields:
            possible = self.possible.get(f.number)
            cells.extend(
                self.arithmetic.variable(f"{tag}.{f.name}.{i}", f.lo, f.hi, possible) for i in range(f.size)
            )
        return cells

    def choice(self, tag: str) -> Sym:
        """An open action number."""
        return self.arithmetic.variable(f"{tag}.choice", 0, self.game.ground - 1)

    def typed(self, state: Sequence[Sym]) -> z3.BoolRef:
        """Return the condition that every cell lies within its field's bounds and every phase is
        one that the game goes to."""
        parts: list[Truth] = []
        for cell, f in zip(state, self.fields, strict=True):
            if isinstance(cell, int):
                continue
            possible = self.possible.get(f.number)
            parts.append(self.arithmetic.declared(cell))
            raw = self.arithmetic.raw(cell, f.lo, f.hi)
            if possible is not None and len(possible) <= f.hi - f.lo:
                parts.append(z3.Or(*(raw == v for v in sorted(possible))))
        return as_z3(conj(*parts))

    def chosen(self, choice: Sym) -> z3.BoolRef:
        """Return the condition that the open action number belongs to the game."""
        return as_z3(self.arithmetic.declared(choice))

    def start(self) -> list[int]:
        """The first state in which somebody acts."""
        return Interpreter(self.game).start()

    def equal(self, state: Sequence[Sym], other: Sequence[Sym]) -> z3.BoolRef:
        """Return the condition that both states hold the same values."""
        parts: list[Truth] = []
        for a, b, f in zip(state, other, self.fields, strict=True):
            if isinstance(a, int) and isinstance(b, int):
                parts.append(int(a) == int(b))
            else:
                left, right = self.arithmetic.raw(a, f.lo, f.hi), self.arithmetic.raw(b, f.lo, f.hi)
                parts.append(left == right)
        return as_z3(conj(*parts))

    def read(self, state: Sequence[Sym], model: z3.ModelRef) -> list[int]:
        """Return the plain values that a model gives a state."""
        return [self.plain(cell, model) for cell in state]

    def plain(self, value: Sym, model: z3.ModelRef) -> int:
        """Return the plain value that a model gives a symbolic value."""
        if isinstance(value, int):
            return int(value)
        if isinstance(value, z3.BoolRef):
            return int(z3.is_true(model.eval(value, model_completion=True)))
        result = model.eval(value.expr, model_completion=True)
        if value.lo < 0 and z3.is_bv(result):
            return int(result.as_signed_long())
        return int(result.as_long())

    # -- questions ------------------------------------------------------------------------------------------

    def value(self, term: Term, state: Sequence[Sym]) -> Sym:
        """A term's value in a state."""
        return self.walker.value(term, state, {})

    def over(self, state: Sequence[Sym]) -> Truth:
        """Return the condition that the game has ended."""
        return neg(self.arithmetic.compare("==", state[1], 0))

    # -- steps ----------------------------------------------------------------------------------------------

    def permits(self, state: Sequence[Sym], ident: int) -> Truth:
        """Return the condition that a ground action is legal."""
        action = self.game.action_of(ident)
        env: Env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
        return conj(*self._act(action, env, state)[1].guards)

    def ground(self, state: Sequence[Sym], ident: int) -> Outcome:
        """Return the step of one ground action."""
        action = self.game.action_of(ident)
        env: Env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
        cells, gathered = self._act(action, env, state)
        legal = conj(*gathered.guards)
        if legal is False:
            return Outcome(False, list(state), ())
        self._settle(cells, gathered)
        return self._outcome(legal, cells, gathered)

    def step(self, state: Sequence[Sym], choice: Sym) -> Outcome:
        """Return the step of an open action number: all actions side by side, selected by the
        number."""
        after, gathered, legal = self._joined(state, choice)
        self._settle(after, gathered)
        return self._outcome(legal, after, gathered)

    def moves(self, state: Sequence[Sym], tag: str) -> list[Move]:
        """Return the small steps from a state, not folded: one for each action (with open
        parameters) and one for each automatic phase.

        A condition that every small step preserves is preserved by every step; small steps make
        small questions.
        """
        moves = []
        for action in self.game.actions:
            env: Env = {}
            for p in action.params:
                name = f"{tag}.{action.number}.{p.local.name}"
                env[p.local.number] = self.arithmetic.variable(name, p.low, p.low + p.count - 1)
            moves.append(self.move(action, state, env))
        moves += [self.move(phase, state, {}) for phase in self._automatic]
        return [m for m in moves if m.outcome.legal is not False]

    def move(self, what: Action | Phase, state: Sequence[Sym], env: Env) -> Move:
        """Return the small step of an action with the parameters in `env`, or of an automatic
        phase."""
        a = self.arithmetic
        if isinstance(what, Action):
            params = tuple(env[p.local.number] for p in what.params)
            cells, gathered = self._act(what, dict(env), state)
            legal = conj(*map(a.declared, params), *gathered.guards)
            return Move(what, params, self._outcome(legal, cells, gathered))
        gathered, cells = Gathered(), list(state)
        here = conj(a.compare("==", cells[1], 0), a.compare("==", cells[0], what.number))
        if here is not False:
            cells[0], cells[1] = what.number, 0
            self.walker.run(what.body or (), cells, {}, True, gathered)
        return Move(what, (), self._outcome(here, cells, gathered))

    def _joined(self, state: Sequence[Sym], choice: Sym) -> tuple[Cells, Gathered, Truth]:
        """Return the result of all actions side by side, before automatic phases."""
        joined: Cells | None = None
        legal: list[Truth] = []
        faults: list[Fault] = []
        for action in self.game.actions:
            mine = self._is(action, choice)
            if mine is False:
                continue
            cells, gathered = self._act(action, self._parameters(action, choice), state)
            legal.append(conj(mine, *gathered.guards))
            faults += [Fault(conj(mine, f.when), f.message, f.place) for f in gathered.faults]
            if joined is None:
                joined = cells
            else:
                self.walker.join(mine, cells, joined)
        return list(state) if joined is None else joined, Gathered(faults=faults), disj(*legal)

    def relation(self, state: Sequence[Sym], choice: Sym, after: Sequence[Sym]) -> z3.BoolRef:
        """Return the condition that the action `choice` leads from `state` to `after`, legally and
        within all bounds."""
        outcome = self.step(state, choice)
        return z3.And(as_z3(outcome.sound), self.equal(outcome.after, after))

    def _outcome(self, legal: Truth, cells: Cells, gathered: Gathered) -> Outcome:
        after = [self.arithmetic.narrow(c, f.lo, f.hi) for c, f in zip(cells, self.fields, strict=True)]
        return Outcome(
            legal, after, tuple(Fault(conj(legal, f.when), f.message, f.place) for f in gathered.faults)
        )

    def _is(self, action: Action, choice: Sym) -> Truth:
        return self.arithmetic.within(choice, action.first, action.first + action.count - 1)

    def _parameters(self, action: Action, choice: Sym) -> Env:
        """Return the parameters of an open action number, decoded as `Action.values` does."""
        a, env, stride = self.arithmetic, {}, 1
        here = a.narrow(choice, action.first, action.first + action.count - 1)
        offset = a.narrow(a.operate("-", here, action.first), 0, action.count - 1)
        for p in reversed(action.params):
            shifted = a.operate("//", offset, stride) if stride > 1 else offset
            digit = a.operate("%", shifted, p.count)
            env[p.local.number] = a.operate("+", digit, p.low)
            stride *= p.count
        return env

    def _act(self, action: Action, env: Env, state: Sequence[Sym]) -> tuple[Cells, Gathered]:
        """Apply an action's own effects to a copy of the state; the guards say when it is legal."""
        a, cells, gathered = self.arithmetic, list(state), Gathered()
        gathered.guards += [a.compare("==", cells[1], 0), a.one_of(cells[0], action.phases)]
        if len(action.phases) == 1:
            cells[0] = action.phases[0]
        cells[1] = 0
        likely: Truth = True
        if action.weight is not None:
            likely = self._likely(action.weight, action, cells, dict(env))
        after_head = dict(env)
        self.walker.run(action.head, cells, after_head, True, gathered, requires=True)
        gathered.guards.append(disj(likely, *(f.when for f in gathered.faults)))
        if any(isinstance(statement, Assign | Invoke | Finish) for statement in walk(action.head)):
            # Its head has effects (in a loop, before a requirement), which begin only now.
            self.walker.run(action.body, cells, env, True, gathered)
        else:
            self.walker.run(action.body[len(action.head) :], cells, after_head, True, gathered)
        return cells, gathered

    def _likely(self, weight: Term, action: Action, cells: Cells, env: Env) -> Truth:
        """Return the condition that the weight is positive; chance takes no other action."""
        for statement in action.kept:
            env[statement.local.number] = self.walker.value(statement.value, cells, env)
        return self.arithmetic.compare("<", 0, self.walker.value(weight, cells, env))

    # -- automatic phases -----------------------------------------------------------------------------------

    def _settle(self, cells: Cells, gathered: Gathered, legal: Truth | None = None) -> int:
        """Run automatic phases until none can be due; return the number of sweeps.

        With `legal`, Z3 decides after each sweep whether another phase can be due. Without it, the
        number of sweeps is the one found once for all steps, and a fault covers the case that it is
        too small.
        """
        began = perf_counter()
        self._settle_known(cells, gathered)
        if self._due(cells) is False:
            return 0
        for sweep in range(_SWEEPS if legal is not None else self.sweeps):
            due = self._due(cells)
            if due is False:
                return sweep
            if legal is not None and sweep:
                if not _can_hold(conj(legal, due, *(neg(f.when) for f in gathered.faults))):
                    return sweep
                if perf_counter() - began > _FOLD_SECONDS:
                    raise TooDeep(
                        f"automatic phases of {self.game.name} run {sweep} times and more behind one action"
                    )
            for phase in self._automatic:
                self._run_phase(phase, cells, gathered)
        gathered.faults.append(
            Fault(self._due(cells), "automatic phases go on and on", Place(self.game.name, 0))
        )
        return _SWEEPS

    def _settle_known(self, cells: Cells, gathered: Gathered) -> None:
        """Run automatic phases as long as it is known that one is due and which one."""
        began = perf_counter()
        for _ in range(ENDLESS):
            number = cells[0]
            if self._due(cells) is not True or not isinstance(number, int):
                return
            self.walker.run(self.game.phases[int(number)].body or (), cells, {}, True, gathered)
            if perf_counter() - began > _FOLD_SECONDS:
                raise TooDeep(f"automatic phases of {self.game.name} go on and on behind one action")

    def _run_phase(self, phase: Phase, cells: Cells, gathered: Gathered) -> None:
        a = self.arithmetic
        here = conj(a.compare("==", cells[1], 0), a.compare("==", cells[0], phase.number))
        if here is False:
            return
        inner = list(cells)
        inner[0], inner[1] = phase.number, 0
        self.walker.run(phase.body or (), inner, {}, here, gathered)
        self.walker.join(here, inner, cells)

    @cached_property
    def sweeps(self) -> int:
        """The number of sweeps through the automatic phases that any step needs; computed once,
        with bit-vectors."""
        if not self._automatic:
            return 0
        bits = Symbolic(self.game)
        after, gathered, legal = bits._joined(bits.state("s"), bits.choice("s"))
        return bits._settle(after, gathered, conj(legal))

    def _due(self, cells: Sequence[Sym]) -> Truth:
        a = self.arithmetic
        return conj(a.compare("==", cells[1], 0), a.one_of(cells[0], [p.number for p in self._automatic]))


def _can_hold(condition: Truth) -> bool:
    if isinstance(condition, bool):
        return condition
    solver = z3.Solver()
    solver.set(timeout=5000)
    solver.add(condition)
    return bool(solver.check() != z3.unsat)
