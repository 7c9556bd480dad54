"""Open states and steps for searches, as the kernel reads them.

`Steps` is the kernel's reading of a game, with what a search asks besides: an action whose number is open, and a whole
step (an action and the automatic phases behind it). What rules mean stands in the kernel alone. What a search finds
here is a proposal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import z3

from playproof.language import Action, Game, Phase, Place
from playproof.language.errors import ENDLESS
from playproof.language.expr import Const, Term
from playproof.language.phases import phase_values
from playproof.verifier.kernel.reading import (
    Cells,
    Fault,
    Number,
    Reading,
    Step,
    Truth,
    alike,
    conj,
    disj,
    neg,
)

_SWEEPS = 64
_FOLD_SECONDS = 10.0
_MANY = 1 << 20
"""Terms that nobody has written yet (candidates, bounds of a number) fit if they are no greater."""


class TooDeep(Exception):
    """Automatic phases cannot be folded into one step. Use `Steps.moves`, which takes them one by one."""


@dataclass(frozen=True, slots=True)
class Move:
    """A small step with its open (or plain) parameters."""

    what: Action | Phase
    params: tuple[Number, ...]
    outcome: Step

    @property
    def name(self) -> str:
        """The name of the action or phase."""
        return self.what.name

    @property
    def action(self) -> Action | None:
        """The action, or None for an automatic phase."""
        return self.what if isinstance(self.what, Action) else None


def formula(part: Truth) -> z3.BoolRef:
    """Return a truth as a Z3 formula, also if it is plain."""
    return z3.BoolVal(part) if isinstance(part, bool) else part


class Steps(Reading):
    """Reads one game over bit-vectors, or over `integers`. `extra` are the terms that will be asked about; with
    `room`, terms that are not written yet fit too."""

    def __init__(
        self, game: Game, integers: bool = False, extra: Sequence[Term] = (), room: bool = False
    ) -> None:
        super().__init__(game, integers, [*extra, Const(_MANY)] if room else extra)
        possible = phase_values(game)
        self._phase_cells = [
            (f.offset, sorted(possible[f.number]))
            for f in game.fields
            if f.number in possible and len(possible[f.number]) <= f.hi - f.lo
        ]
        self._automatic = [p for p in game.phases if p.automatic]

    # -- states ---------------------------------------------------------------------------------------------

    def typed(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that every cell lies within its bounds, and every phase is one that the game
        goes to."""
        phases = [self.among(cells[n], values) for n, values in self._phase_cells]
        return conj([super().typed(cells), *phases])

    def among(self, value: Number, values: Iterable[int]) -> Truth:
        """Return the formula that a value is one of some."""
        return disj([self.compare("==", value, each) for each in sorted(values)])

    def equal(self, cells: Sequence[Number], others: Sequence[Number]) -> Truth:
        """Return the formula that two states are the same."""
        both = zip(cells, others, strict=True)
        return conj([self.compare("==", a, b) for a, b in both if not alike(a, b)])

    def holds(self, term: Term, cells: Sequence[Number]) -> z3.BoolRef:
        """Return the formula that a term is true in a state."""
        return formula(self.truth(term, cells, {}))

    def plain(self, value: Number, model: z3.ModelRef) -> int:
        """Return the number that a model gives a value."""
        if isinstance(value, int):
            return int(value)
        number = model.eval(value, model_completion=True)
        return int(number.as_long() if self.integers else number.as_signed_long())

    def plain_state(self, cells: Sequence[Number], model: z3.ModelRef) -> list[int]:
        """Return the numbers that a model gives a state."""
        return [self.plain(cell, model) for cell in cells]

    def open_cells(
        self, names: Sequence[Number], values: Sequence[Number]
    ) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
        """Return what to put in for open numbers: pairs of a number and its value, as Z3 substitutes them."""
        both = zip(names, values, strict=True)
        return [(name, self.lifted(value)) for name, value in both if not isinstance(name, int)]

    # -- small steps ----------------------------------------------------------------------------------------

    def moves(self, state: Sequence[Number], tag: str) -> list[Move]:
        """Return the small steps from a state: one for each action, with open parameters, and one for each
        automatic phase. A condition that each of them keeps is kept by every step."""
        moves = [
            self.move(what, state, self.params(what, f"{tag}.{what.name}.{what.number}."))
            for what in self.kinds()
        ]
        return [move for move in moves if move.outcome.legal is not False]

    def move(self, what: Action | Phase, state: Sequence[Number], params: Sequence[Number]) -> Move:
        """Return the small step of a kind with these parameters."""
        return Move(what, tuple(params), self.step(what, state, params))

    def can(self, state: Sequence[Number], ident: int) -> Truth:
        """Return the formula that a ground action is legal."""
        action = self.game.action_of(ident)
        return self.permits(action, state, action.values(ident))[0]

    # -- an action whose number is open ---------------------------------------------------------------------

    def choice(self, tag: str) -> Number:
        """Return an open action number; `chosen` states its bounds."""
        return self.variable(f"{tag}.choice", 0, self.game.ground - 1)

    def chosen(self, choice: Number) -> Truth:
        """Return the formula that an action number belongs to the game."""
        return self.within(choice, 0, self.game.ground - 1)

    def by_choice(self, state: Sequence[Number], choice: Number) -> Step:
        """Return the action of an open number: all actions side by side, of which the number selects one."""
        cells, legal, faults = list(state), list[Truth](), list[Fault]()
        for action in self.game.actions:
            mine = self.within(choice, action.first, action.first + action.count - 1)
            if mine is False:
                continue
            step = self.step(action, state, self._decoded(action, choice))
            legal.append(conj([mine, step.legal]))
            faults += [Fault(conj([mine, f.when]), f.message, f.place) for f in step.faults]
            cells = self._joined(mine, step.after, cells)
        return Step("an action", disj(legal), cells, faults)

    def _decoded(self, action: Action, choice: Number) -> list[Number]:
        """Return the parameters of an open action number, as `Action.values` decodes them."""
        offset, stride, values = self.combine("-", choice, action.first), 1, list[Number]()
        for p in reversed(action.params):
            digit = self.quotient("//", offset, stride, 0) if stride > 1 else offset
            if stride * p.count < action.count:
                digit = self.quotient("%", digit, p.count, 0)
            values.append(self.combine("+", digit, p.low))
            stride *= p.count
        return values[::-1]

    def _joined(self, condition: Truth, yes: Sequence[Number], no: Sequence[Number]) -> Cells:
        return [self.pick(condition, a, b) for a, b in zip(yes, no, strict=True)]

    # -- whole steps ----------------------------------------------------------------------------------------

    def whole(self, state: Sequence[Number], ident: int) -> Step:
        """Return a ground action with all automatic phases behind it. Raises TooDeep."""
        action = self.game.action_of(ident)
        step = self.step(action, state, action.values(ident))
        return step if step.legal is False else self._settled(step)

    def whole_by_choice(self, state: Sequence[Number], choice: Number) -> Step:
        """Return the same of an open action number. Raises TooDeep."""
        return self._settled(self.by_choice(state, choice))

    def due(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that an automatic phase is due."""
        return neg(self.settled(cells)) if self._automatic else False

    def _settled(self, step: Step) -> Step:
        step = self._settled_plainly(step)
        if self.due(step.after) is False:
            return step  # as behind a plain state; how many sweeps any step needs is not asked
        for _ in range(self.sweeps):
            if self.due(step.after) is False:
                return step
            step = self._swept(step)
        endless = Fault(self.due(step.after), "automatic phases go on and on", Place(self.game.name, 0))
        return Step(step.name, step.legal, step.after, [*step.faults, endless])

    def _settled_plainly(self, step: Step) -> Step:
        """Run automatic phases as long as it is plain that one is due, and which."""
        began = perf_counter()
        for _ in range(ENDLESS):
            if self.due(step.after) is not True or not isinstance(step.after[0], int):
                break
            step = self._behind(step, self.game.phases[step.after[0]])
            if perf_counter() - began > _FOLD_SECONDS:
                raise TooDeep(f"automatic phases of {self.game.name} go on and on behind one action")
        return step

    def _swept(self, step: Step) -> Step:
        """Run each automatic phase once, if it is due."""
        for phase in self._automatic:
            step = self._behind(step, phase)
        return step

    def _behind(self, step: Step, phase: Phase) -> Step:
        """Run an automatic phase behind a step, if it is due there."""
        then = self.step(phase, step.after, ())
        if then.legal is False:
            return step
        cells = self._joined(then.legal, then.after, step.after)
        return Step(step.name, step.legal, cells, [*step.faults, *then.faults])

    @cached_property
    def sweeps(self) -> int:
        """How many sweeps through the automatic phases any step needs. Raises TooDeep if Z3 does not show
        soon that so many are enough."""
        if not self._automatic:
            return 0
        if self.integers:
            return Steps(self.game).sweeps
        began = perf_counter()
        for sweeps, step in enumerate(self._longer_and_longer()):
            if sweeps and not _can_hold(conj([step.sound, self.due(step.after)]), 5.0):
                return sweeps
            if perf_counter() - began > _FOLD_SECONDS:
                raise TooDeep(
                    f"automatic phases of {self.game.name} run {sweeps} times and more behind one action"
                )
            if sweeps == _SWEEPS:
                break
        return _SWEEPS

    def _longer_and_longer(self) -> Iterator[Step]:
        """Yield the open action of an open state with 0, 1, 2 ... sweeps behind it."""
        step = self.by_choice(self.state("s"), self.choice("s"))
        while True:
            yield step
            step = self._swept(step)


def _can_hold(part: Truth, seconds: float) -> bool:
    """Return whether Z3 does not exclude a formula soon."""
    if isinstance(part, bool):
        return part
    solver = z3.SolverFor("QF_BV")
    solver.set(timeout=max(1, int(1000 * seconds)))
    solver.add(part)
    return bool(solver.check() != z3.unsat)
