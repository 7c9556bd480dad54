"""The errors of refused moves: three small classes that show the input and the position.

MoveError
├── CannotRead     the words name no action of this game            PP601
├── NotLegal       an action, but the rules refuse it here          PP602
└── Ambiguous      the words fit several legal actions              PP603
"""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Broken


class MoveError(ValueError):
    """A move that was refused. `text` is what was written, `position` the table in words."""

    code = "PP600"

    def __init__(self, text: str, position: str, message: str, hint: str = "") -> None:
        self.text, self.position, self.message, self.hint = text, position, message, hint
        super().__init__(f"{self.code} {message}" + (f" ({hint})" if hint else ""))


class CannotRead(MoveError):
    """The words name no action of this game. `near` holds the words of the closest actions."""

    code = "PP601"

    def __init__(self, text: str, position: str, near: Sequence[str] = ()) -> None:
        self.near = tuple(near)
        hint = "did you mean " + " or ".join(f'"{n}"' for n in near) + "?" if near else ""
        super().__init__(text, position, f'cannot read "{text}": no action of this game is called so', hint)


class NotLegal(MoveError):
    """The rules refuse the action here. `broken` holds every failed requirement with its rule
    and sentence."""

    code = "PP602"

    def __init__(self, text: str, position: str, broken: Sequence[Broken]) -> None:
        self.broken = tuple(broken)
        why = "; ".join(str(b) for b in broken)
        super().__init__(text, position, f"not legal: {text}; {why}")

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the ids of the rules that refuse it."""
        return tuple(b.rule for b in self.broken if b.rule)


class Ambiguous(MoveError):
    """Several legal actions fit; `choices` holds their words."""

    code = "PP603"

    def __init__(self, text: str, position: str, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(text, position, f'"{text}" may be ' + " or ".join(f'"{c}"' for c in choices))
