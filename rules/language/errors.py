"""Errors of the rules language. They point at the line of the rule, not at the machinery.

    RulesError                the description itself is wrong (PP3xx), found while it is traced
    └─ BoundsError            a reading met a value outside its declared bounds (PP310)
    IllegalAction             a move the rules refuse; carries every broken requirement
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

_HERE = str(Path(__file__).parent)
_CONTEXTLIB = contextlib.__file__


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule is written: file and line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def caller() -> Place:
    """The innermost frame outside the language: the line of the rule being traced."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_HERE, _CONTEXTLIB)):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


class RulesError(Exception):
    """The description is wrong. `code` is stable, `place` is the line of the rule, `hint` the way out."""

    def __init__(self, code: str, message: str, hint: str = "", place: Place | None = None) -> None:
        self.code, self.message, self.hint = code, message, hint
        self.place = place or caller()
        super().__init__(f"{self.place}: {code} {message}" + (f"\n  {hint}" if hint else ""))


class BoundsError(RulesError):
    """A value left the bounds of what it is written to (a field, a variable, a procedure's parameter); the rules, not
    the player, are at fault."""


def outside(what: str, lo: int, hi: int, value: int, place: Place) -> BoundsError:
    """The error of a value that does not lie in lo..hi; `what` begins the sentence: "`food` holds"."""
    return BoundsError("PP310", f"{what} {lo}..{hi}, the rule gives {value}", place=place)


@dataclass(frozen=True, slots=True)
class Broken:
    """One requirement an action does not meet: rule id, sentence, and where the rule is written."""

    rule: str
    text: str
    place: Place

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}" if self.rule else self.text


class IllegalAction(Exception):
    """A move the rules refuse. `broken` lists every requirement that fails, in the order of the rule."""

    def __init__(self, action: str, broken: tuple[Broken, ...]) -> None:
        self.action, self.broken = action, broken
        super().__init__(f"not legal: {action}; " + "; ".join(str(b) for b in broken))
