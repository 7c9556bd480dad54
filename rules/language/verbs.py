"""The words a rule is written with. They speak to whichever body is being traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from playproof.rules.language.errors import RulesError
from playproof.rules.language.expr import Local, Operand, Value
from playproof.rules.language.game import Phase
from playproof.rules.language.trace import Tracer, current


def _tracer() -> Tracer:
    tracer = current()
    if tracer is None:
        raise RulesError("PP312", "an effect was written outside a rule's body",
                         "put it under @g.action, @g.on or @g.procedure")
    return tracer


def require(condition: Value, rule: str, text: str, *args: Value) -> None:
    """The action is legal only if `condition` holds; `rule` and `text` explain a refusal (`{}` takes an arg)."""
    _tracer().require(condition, rule, text, *args)


def when(condition: Value) -> AbstractContextManager[None]:
    """`with when(c): ...` effects where the condition holds."""
    return _tracer().when(condition)


def otherwise(condition: Value | None = None) -> AbstractContextManager[None]:
    """`with otherwise(): ...` directly after `when`; with a condition it reads "else if"."""
    return _tracer().otherwise(condition)


def cases() -> Callable[[Value], AbstractContextManager[None]]:
    """A chain of `when` and `otherwise(condition)` made in a loop over static data: of the blocks
    `with case(condition): ...` the first whose condition holds is carried out.

    `case = cases()`, then `with case(c): ...` as often as needed, then `with otherwise(): ...` if the rest has effects.
    """
    begun = False

    def case(condition: Value) -> AbstractContextManager[None]:
        nonlocal begun
        verb = otherwise if begun else when
        begun = True
        return verb(condition)

    return case


def each(over: int | range) -> Iterator[Local]:
    """`for i in each(9): ...` a loop kept as a loop in every reading."""
    return _tracer().each(over)


def keep(value: Value, name: str = "kept") -> Local:
    """The value as it is now, for use after its fields have changed."""
    return _tracer().keep(value, name)


def variable(value: Value, lo: int, hi: int, name: str = "variable") -> Local:
    """A local that `let` may give new values within lo..hi."""
    return _tracer().variable(value, lo, hi, name)


def let(local: Local, value: Value) -> None:
    """Give a `variable` a new value."""
    _tracer().rekeep(local, value)


def goto(phase: Phase | Value) -> None:
    """The game goes on in that phase (a phase, or a field that remembers one)."""
    game_phase = _tracer().phase_field
    if game_phase is None:
        raise RulesError("PP312", "`goto` outside a game")
    if not isinstance(phase, Phase | Operand | int):
        raise RulesError("PP304", f"`goto` expected a phase, found {phase!r}",
                         "give what `g.phase(...)` or `g.automatic(...)` returned, or a field made by `remember_phase`")
    game_phase.set(phase.number if isinstance(phase, Phase) else phase)


def win(reason: str, winner: Value | str | None = None, rule: str = "") -> None:
    """The game ends: the seat `winner` (default: the only player or team) has won, with its team; or EVERYBODY."""
    _tracer().finish(reason, "win", winner, rule)


def lose(reason: str, rule: str = "") -> None:
    """The game ends: everybody has lost."""
    _tracer().finish(reason, "loss", None, rule)


def tie(reason: str, rule: str = "") -> None:
    """The game ends without a winner."""
    _tracer().finish(reason, "draw", None, rule)


def score(reason: str, rule: str = "") -> None:
    """The game ends and the declared returns decide."""
    _tracer().finish(reason, "scores", None, rule)


def weight(value: Value) -> None:
    """How likely chance takes this action, relative to the others that are legal."""
    _tracer().set_weight(value)


def cite(*rules: str) -> None:
    """The effects here carry out these rules."""
    _tracer().cite(*rules)
