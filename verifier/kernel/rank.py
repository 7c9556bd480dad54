"""Ranks: numbers that small steps lower, so that the steps end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from playproof.language import Action, Interpreter, Phase, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import BadStepFormula, Split, StepChecker, condition_text_to_term
from playproof.verifier.kernel.reading import (
    Cells,
    Reading,
    SmallStep,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    negate_formula,
)


def require_every_step_lowers_number(
    game: Game,
    assumed_conditions: Sequence[str],
    numbers_as_text: Sequence[str],
    max_steps: int,
    context: Context,
) -> None:
    """Check that each small step from a state that the conditions allow lowers the one number, which
    can fall by at most `most` from its value at the start. Raises NotShown.

    The theorem: no game has more than `most` small steps, and so no more decisions. The premises: the
    number is whole and never less than its term's least value; each small step without a fault lowers
    it by 1 or more.
    """
    numbers = [condition_text_to_term(game, text) for text in numbers_as_text]
    if len(numbers) != 1:
        raise NotShown(f"expected one number that every step lowers, found {len(numbers)}")
    span = Interpreter(game).value(numbers[0], game.get_initial_cells()) - numbers[0].lo
    if span > max_steps:
        raise NotShown(f"the rank allows {span} steps")
    allowed = StepChecker(game, assumed_conditions, True, (), context, numbers)
    for what in allowed.reading.iter_actions_and_automatic_phases():
        _require_step_lowers_numbers(allowed, "lower", what, numbers, build_step_does_not_lower_formula)


def require_automatic_phases_end(
    game: Game,
    assumed_conditions: Sequence[str],
    numbers_as_text: Sequence[str],
    splits: Sequence[Split],
    context: Context,
) -> None:
    """Check that each automatic phase, from a state that the conditions allow, lowers the numbers if
    another automatic phase is due after it. Raises NotShown.

    The theorem: no chain of automatic phases goes on for ever, however long it is. The premises: each
    number is whole and has a least and a greatest value; the first one that a phase changes falls.
    """
    numbers = [condition_text_to_term(game, text) for text in numbers_as_text]
    allowed = StepChecker(game, assumed_conditions, True, splits, context, numbers)
    for phase in game.phases:
        if phase.automatic:
            require_automatic_phase_lowers_numbers(allowed, numbers, phase)


def require_automatic_phase_lowers_numbers(
    checker: StepChecker, numbers: Sequence[Term], phase: Phase
) -> None:
    """Check that an automatic phase lowers the numbers, or that no other is due after it. Raises
    NotShown."""
    _require_step_lowers_numbers(
        checker, "lower or rest", phase, numbers, build_phase_follows_without_lowering_formula
    )


def _require_step_lowers_numbers(
    checker: StepChecker,
    purpose: str,
    action_or_phase: Action | Phase,
    numbers: Sequence[Term],
    build_bad_formula: Callable[..., Truth],
) -> None:
    def wrongs(side: StepChecker) -> list[BadStepFormula]:
        return [partial(build_bad_formula, side.reading, numbers)]

    due = (
        checker.reading.automatic
    )  # what `build_phase_follows_without_lowering_formula` means depends on them
    checker.require_step_makes_no_formula_true(
        f"{purpose} {due}",
        action_or_phase,
        (),
        f"`{action_or_phase.name}` may leave the rank",
        wrongs,
        numbers,
    )


def build_phase_follows_without_lowering_formula(
    reading: Reading, numbers: Sequence[Term], step: SmallStep, cells_before: Cells
) -> Truth:
    """Return the formula that another automatic phase is due after a step that does not lower the
    numbers."""
    return conjoin_formulas(
        [
            negate_formula(reading.build_somebody_acts_or_game_over_formula(step.after)),
            build_step_does_not_lower_formula(reading, numbers, step, cells_before),
        ]
    )


def build_step_does_not_lower_formula(
    reading: Reading, numbers: Sequence[Term], step: SmallStep, cells_before: Cells
) -> Truth:
    """Return the formula that a step does not lower the first of the numbers that it changes. Each
    number has a least value, so none falls for ever."""
    falls: Truth = False
    for number in reversed(numbers):
        was, now = (
            reading.build_term_value(number, cells_before, {}),
            reading.build_term_value(number, step.after, {}),
        )
        falls = disjoin_formulas(
            [
                reading.build_comparison_formula("<", now, was),
                conjoin_formulas([reading.build_comparison_formula("==", now, was), falls]),
            ]
        )
    return conjoin_formulas([step.sound, negate_formula(falls)])
