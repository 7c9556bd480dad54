"""The sized reading of a game: open states and the small steps from them, in bit-vectors that are as narrow as
their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import z3

from playproof.language.expr import Term
from playproof.language.fields import Field
from playproof.language.game import Action, Game, Phase
from playproof.language.phases import phase_values
from playproof.language.symbolic.sized import Arithmetic, Sym, Truth, as_z3, conj, disj, neg
from playproof.language.symbolic.walk import Cells, Env, Fault, Gathered, Walker
from playproof.language.traced_statements import Assign, Finish, Invoke, walk

State = list[Sym]


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

    # -- steps ----------------------------------------------------------------------------------------------

    def permits(self, state: Sequence[Sym], ident: int) -> Truth:
        """Return the condition that a ground action is legal."""
        action = self.game.action_of(ident)
        env: Env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
        return conj(*self._act(action, env, state)[1].guards)

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

    def _outcome(self, legal: Truth, cells: Cells, gathered: Gathered) -> Outcome:
        after = [self.arithmetic.narrow(c, f.lo, f.hi) for c, f in zip(cells, self.fields, strict=True)]
        return Outcome(
            legal, after, tuple(Fault(conj(legal, f.when), f.message, f.place) for f in gathered.faults)
        )

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
