"""Open states and steps for searches, as the kernel reads them.

`OpenStepReading` is the kernel's reading of a game, with what a search asks besides. What rules mean
stands in the kernel alone. What a search finds here is a proposal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import z3

from playproof.language import Action, Phase
from playproof.language.expr import Const, Term
from playproof.language.game import Game
from playproof.language.phases import compute_phase_values
from playproof.verifier.kernel.reading import (
    Number,
    Reading,
    SmallStep,
    Truth,
    conj,
    disj,
    is_same,
)

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
