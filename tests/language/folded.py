"""Whole steps in the kernel's reading: an action of a plain state, with all automatic phases behind it."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Place
from playproof.language.errors import ENDLESS
from playproof.verifier.kernel.formula_reading import Fault, SmallStep
from playproof.verifier.kernel.formulas import Number
from playproof.verifier.search.step_readings import OpenStepReading


class Folded(OpenStepReading):
    """The kernel's reading, for plain states: all values are known, so every term folds to a number."""

    def whole(self, state: Sequence[Number], ident: int) -> SmallStep:
        """Return a ground action with all automatic phases behind it."""
        action = self.game.get_action_of_ground_action_number(ident)
        step = self.build_symbolic_step(action, state, action.get_values_of_ground_action(ident))
        for _ in range(ENDLESS):
            if step.legal is False or self.build_somebody_acts_or_game_over_formula(step.after) is True:
                return step
            phase = self.game.phases[step.after[0]]
            then = self.build_symbolic_step(phase, step.after, ())
            if then.legal is False:
                return step
            step = SmallStep(step.name, step.legal, then.after, [*step.faults, *then.faults])
        endless = Fault(True, "automatic phases go on and on", Place(self.game.name, 0))
        return SmallStep(step.name, step.legal, step.after, [*step.faults, endless])
