"""Ranks: numbers that small steps lower, so that the steps end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from playproof.language import Action, Interpreter, Phase, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import BadStepFormula, Split, StepChecker, read_condition
from playproof.verifier.kernel.reading import Cells, Reading, SmallStep, Truth, conj, disj, neg


def check_every_step_falls(
    game: Game, conjuncts: Sequence[str], numbers_as_text: Sequence[str], max_steps: int, context: Context
) -> None:
    """Check that each small step from a state that the conditions allow lowers the one number, which
    can fall by at most `most` from its value at the start. Raises NotShown.

    The theorem: no game has more than `most` small steps, and so no more decisions. The premises: the
    number is whole and never less than its term's least value; each small step without a fault lowers
    it by 1 or more.
    """
    numbers = [read_condition(game, text) for text in numbers_as_text]
    if len(numbers) != 1:
        raise NotShown(f"expected one number that every step lowers, found {len(numbers)}")
    span = Interpreter(game).value(numbers[0], game.get_initial_cells()) - numbers[0].lo
    if span > max_steps:
        raise NotShown(f"the rank allows {span} steps")
    allowed = StepChecker(game, conjuncts, True, (), context, numbers)
    for what in allowed.reading.iter_step_kinds():
        _check_step_falls(allowed, "lower", what, numbers, build_not_lowered_formula)


def check_phases_end(
    game: Game,
    conjuncts: Sequence[str],
    numbers_as_text: Sequence[str],
    splits: Sequence[Split],
    context: Context,
) -> None:
    """Check that each automatic phase, from a state that the conditions allow, lowers the numbers if
    another automatic phase is due after it. Raises NotShown.

    The theorem: no chain of automatic phases goes on for ever, however long it is. The premises: each
    number is whole and has a least and a greatest value; the first one that a phase changes falls.
    """
    numbers = [read_condition(game, text) for text in numbers_as_text]
    allowed = StepChecker(game, conjuncts, True, splits, context, numbers)
    for phase in game.phases:
        if phase.automatic:
            check_phase_lowers(allowed, numbers, phase)


def check_phase_lowers(checker: StepChecker, numbers: Sequence[Term], phase: Phase) -> None:
    """Check that an automatic phase lowers the numbers, or that no other is due after it. Raises
    NotShown."""
    _check_step_falls(checker, "lower or rest", phase, numbers, build_goes_on_formula)


def _check_step_falls(
    checker: StepChecker,
    purpose: str,
    part: Action | Phase,
    numbers: Sequence[Term],
    build_bad_formula: Callable[..., Truth],
) -> None:
    def wrongs(side: StepChecker) -> list[BadStepFormula]:
        return [partial(build_bad_formula, side.reading, numbers)]

    due = checker.reading.automatic  # what `build_goes_on_formula` means depends on them
    checker.check_step_never(
        f"{purpose} {due}", part, (), f"`{part.name}` may leave the rank", wrongs, numbers
    )


def build_goes_on_formula(reading: Reading, numbers: Sequence[Term], step: SmallStep, before: Cells) -> Truth:
    """Return the formula that another automatic phase is due after a step that does not lower the
    numbers."""
    return conj(
        [
            neg(reading.build_settled_formula(step.after)),
            build_not_lowered_formula(reading, numbers, step, before),
        ]
    )


def build_not_lowered_formula(
    reading: Reading, numbers: Sequence[Term], step: SmallStep, before: Cells
) -> Truth:
    """Return the formula that a step does not lower the first of the numbers that it changes. Each
    number has a least value, so none falls for ever."""
    falls: Truth = False
    for number in reversed(numbers):
        was, now = reading.read_number(number, before, {}), reading.read_number(number, step.after, {})
        falls = disj([reading.compare("<", now, was), conj([reading.compare("==", now, was), falls])])
    return conj([step.sound, neg(falls)])
