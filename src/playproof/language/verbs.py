"""The words that rules are written with. They act on the body being traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from playproof.language.errors import RulesError
from playproof.language.expr import Local, Operand, Value
from playproof.language.game import Phase
from playproof.language.trace import Tracer, get_current_tracer


def _get_tracer() -> Tracer:
    tracer = get_current_tracer()
    if tracer is None:
        raise RulesError(
            "PP312",
            "an effect was written outside a rule's body",
            "put it under @g.action, @g.on or @g.procedure",
        )
    return tracer


def require(condition: Value, rule: str, text: str, *args: Value) -> None:
    """Make the action legal only if `condition` holds.

    `rule` and `text` explain a refusal; each `{}` in `text` shows one of `args`. Example:
    `require(s.energy >= 3, "R50", "the option costs 3 Energy, you have {}", s.energy)`.
    """
    _get_tracer().record_requirement(condition, rule, text, *args)


def when(condition: Value) -> AbstractContextManager[None]:
    """Carry out the block only if the condition holds: `with when(s.food > 0): s.food -= 1`."""
    return _get_tracer().record_when(condition)


def otherwise(condition: Value | None = None) -> AbstractContextManager[None]:
    """Carry out the block if the `when` directly before it did not hold. With a condition it means
    "else if"."""
    return _get_tracer().record_otherwise(condition)


def cases() -> Callable[[Value], AbstractContextManager[None]]:
    """Return a chain of `when` and `otherwise(condition)` for a loop over static data. Of the
    blocks `with case(condition): ...`, the game carries out the first whose condition holds.

    `case = cases()`, then `with case(c): ...` as often as needed, then `with otherwise(): ...` if
    the remaining case has effects.
    """
    begun = False

    def case(condition: Value) -> AbstractContextManager[None]:
        nonlocal begun
        verb = otherwise if begun else when
        begun = True
        return verb(condition)

    return case


def each(over: int | range) -> Iterator[Local]:
    """Go through a range in a loop that stays a loop in every reading:
    `for i in each(9): s.board[i] = 0`."""
    return _get_tracer().record_loop(over)


def keep(value: Value, name: str = "kept") -> Local:
    """Return the current value, for use after its fields have changed."""
    return _get_tracer().keep_value(value, name)


def variable(value: Value, lo: int, hi: int, name: str = "variable") -> Local:
    """Make a local name that `let` may give new values within lo..hi."""
    return _get_tracer().make_variable(value, lo, hi, name)


def let(local: Local, value: Value) -> None:
    """Give a `variable` a new value."""
    _get_tracer().set_variable(local, value)


def goto(phase: Phase | Value) -> None:
    """Continue the game in that phase: a phase, or a field that remembers one."""
    go = _get_tracer().goto
    if go is None:
        raise RulesError("PP312", "`goto` outside a game")
    if not isinstance(phase, Phase | Operand | int):
        raise RulesError(
            "PP304",
            f"`goto` expected a phase, found {phase!r}",
            "give what `g.phase(...)` or `g.automatic(...)` returned, or a field made by `remember_phase`",
        )
    go(phase.number if isinstance(phase, Phase) else phase)


def win(reason: str, winner: Value | str | None = None, rule: str = "") -> None:
    """End the game with a win for the seat `winner` and its team, or for EVERYBODY.

    Without `winner`, the only player or the only team wins.
    """
    _get_tracer().record_ending(reason, "win", winner, rule)


def lose(reason: str, rule: str = "") -> None:
    """End the game: everybody has lost."""
    _get_tracer().record_ending(reason, "loss", None, rule)


def tie(reason: str, rule: str = "") -> None:
    """End the game without a winner."""
    _get_tracer().record_ending(reason, "draw", None, rule)


def score(reason: str, rule: str = "") -> None:
    """End the game; the declared returns (`g.returns(...)`) decide who has won."""
    _get_tracer().record_ending(reason, "scores", None, rule)


def weight(value: Value) -> None:
    """Say how likely chance takes this action, relative to the other legal ones."""
    _get_tracer().set_weight(value)


def cite(*rules: str) -> None:
    """Say that the effects here implement these rules: `cite("R25")`."""
    _get_tracer().record_citations(*rules)
