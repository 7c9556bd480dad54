"""Ranks: numbers that small steps lower, so that the steps end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from playproof.language import Action, Interpreter, Phase, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive, Split, Wrong, read
from playproof.verifier.kernel.reading import Cells, Reading, SmallStep, Truth, conj, disj, neg


def every_step_falls(
    game: Game, conjuncts: Sequence[str], texts: Sequence[str], most: int, context: Context
) -> None:
    """Check that each small step from a state that the conditions allow lowers the one number, which
    can fall by at most `most` from its value at the start. Raises NotShown.

    The theorem: no game has more than `most` small steps, and so no more decisions. The premises: the
    number is whole and never less than its term's least value; each small step without a fault lowers
    it by 1 or more.
    """
    numbers = [read(game, text) for text in texts]
    if len(numbers) != 1:
        raise NotShown(f"expected one number that every step lowers, found {len(numbers)}")
    span = Interpreter(game).value(numbers[0], game.get_initial_cells()) - numbers[0].lo
    if span > most:
        raise NotShown(f"the rank allows {span} steps")
    allowed = Inductive(game, conjuncts, True, (), context, numbers)
    for what in allowed.reading.kinds():
        _falls(allowed, "lower", what, numbers, stays)


def phases_end(
    game: Game, conjuncts: Sequence[str], texts: Sequence[str], splits: Sequence[Split], context: Context
) -> None:
    """Check that each automatic phase, from a state that the conditions allow, lowers the numbers if
    another automatic phase is due after it. Raises NotShown.

    The theorem: no chain of automatic phases goes on for ever, however long it is. The premises: each
    number is whole and has a least and a greatest value; the first one that a phase changes falls.
    """
    numbers = [read(game, text) for text in texts]
    allowed = Inductive(game, conjuncts, True, splits, context, numbers)
    for phase in game.phases:
        if phase.automatic:
            lowers(allowed, numbers, phase)


def lowers(allowed: Inductive, numbers: Sequence[Term], phase: Phase) -> None:
    """Check that an automatic phase lowers the numbers, or that no other is due after it. Raises
    NotShown."""
    _falls(allowed, "lower or rest", phase, numbers, goes_on)


def _falls(
    allowed: Inductive,
    purpose: str,
    what: Action | Phase,
    numbers: Sequence[Term],
    wrong: Callable[..., Truth],
) -> None:
    def wrongs(side: Inductive) -> list[Wrong]:
        return [partial(wrong, side.reading, numbers)]

    due = allowed.reading.automatic  # what `goes_on` means depends on them
    allowed.never(f"{purpose} {due}", what, (), f"`{what.name}` may leave the rank", wrongs, numbers)


def goes_on(reading: Reading, numbers: Sequence[Term], step: SmallStep, before: Cells) -> Truth:
    """Return the formula that another automatic phase is due after a step that does not lower the
    numbers."""
    return conj([neg(reading.settled(step.after)), stays(reading, numbers, step, before)])


def stays(reading: Reading, numbers: Sequence[Term], step: SmallStep, before: Cells) -> Truth:
    """Return the formula that a step does not lower the first of the numbers that it changes. Each
    number has a least value, so none falls for ever."""
    falls: Truth = False
    for number in reversed(numbers):
        was, now = reading.number(number, before, {}), reading.number(number, step.after, {})
        falls = disj([reading.compare("<", now, was), conj([reading.compare("==", now, was), falls])])
    return conj([step.sound, neg(falls)])
