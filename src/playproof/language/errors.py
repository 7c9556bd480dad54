"""Errors of the rules language. They point at the line of the rule, not at the machinery.

RulesError                the description itself is wrong (PP3xx, PP808), found while it is traced
└─ BoundsError            a reading met a value outside its declared bounds (PP310)
IllegalAction             a move the rules refuse; carries every broken requirement
"""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from playproof.database.errors import Portable

RENAMED = {
    "total": "sum_of",
    "all_true": "all_of",
    "any_true": "any_of",
    "smallest": "min_of",
    "largest": "max_of",
    "least_of": "min_of",
    "most_of": "max_of",
    "draw": "tie",
}
"""Words of the language that had other names, and their names now."""

ENDLESS = 100_000
"""Automatic phases in a row, after which every reading that plays stops. They may end later, or
never: the limit does not tell."""
_HERE = str(Path(__file__).parent)
_PACKAGE = Path(__file__).parents[1]
_ENGINES = (str(_PACKAGE), *(str((_PACKAGE / package).resolve()) for package in ("generator", "verifier")))
_BUNDLED = (str(_PACKAGE / "cards"), str(_PACKAGE / "examples"))
_CONTEXTLIB = contextlib.__file__
_PYTHONS_OWN = os.path.dirname(contextlib.__file__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule is written: file, line and column, counted from 1. Column 0 means that the
    column is unknown."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


def find_rule_place_in_call_stack(frames_above: int = 1) -> Place:
    """Return the place in the rule being traced: the innermost frame in a file that a designer wrote,
    else the innermost one outside the language. The search begins so many frames above this one."""
    first = sys._getframe(frames_above)
    while first.f_back is not None and _is_file_of_rules_language(first.f_code.co_filename):
        first = first.f_back
    frame: FrameType | None = first
    while frame is not None and not is_file_written_by_designer(frame.f_code.co_filename):
        frame = frame.f_back
    at = frame or first
    return Place(at.f_code.co_filename, at.f_lineno, find_column_of_instruction_or_zero(at.f_code, at.f_lasti))


def _is_file_of_rules_language(file: str) -> bool:
    return file.startswith((_HERE, _CONTEXTLIB)) or file == sys.modules["playproof"].__file__


@cache
def is_file_written_by_designer(file: str) -> bool:
    """Return whether a designer wrote this Python file: it belongs neither to Playproof's engines nor to
    Python nor to a library."""
    if file.startswith(_BUNDLED):
        return True
    if file.startswith(_ENGINES):
        return False
    return not file.startswith(("<", _PYTHONS_OWN)) and "site-packages" not in file


@lru_cache(10_000)  # a rule asks for the same columns under each setting
def find_column_of_instruction_or_zero(code: CodeType, instruction: int) -> int:
    """Return the column of an instruction, counted from 1, or 0 if it is unknown."""
    position = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    return 0 if position[2] is None else position[2] + 1


def find_definition_place(function: Callable[..., object]) -> Place | None:
    """Return where a function is defined, at its first decorator; None for what Python did not compile."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    linecache.checkcache(code.co_filename)
    line = linecache.getline(code.co_filename, code.co_firstlineno)
    return Place(code.co_filename, code.co_firstlineno, len(line) - len(line.lstrip()) + 1 if line.strip() else 0)


class RulesError(Portable):
    """The description is wrong. `code` is a stable code, `place` the place in the rule, `hint` a
    way to fix it. `all` holds all errors found together, this one first."""

    def __init__(self, code: str, message: str, hint: str = "", place: Place | None = None) -> None:
        self.code, self.message, self.hint = code, message, hint
        self.place = place or find_rule_place_in_call_stack()
        self.all: tuple[RulesError, ...] = (self,)
        super().__init__(f"{self.place}: {code} {message}" + (f"\n  {hint}" if hint else ""))

    def format_in_one_line(self) -> str:
        """Return place, code, message and hint for a place inside a sentence."""
        return f"{self.place}: {self.code} {self.message}" + (f" ({self.hint})" if self.hint else "")


def raise_first_carrying_all_if_any(errors: Sequence[RulesError]) -> None:
    """Raise the first of the errors, which carries them all. Do nothing if there are none."""
    if errors:
        errors[0].all = tuple(errors)
        raise errors[0]


MOST_CELLS = 100_000
"""Cells of a state, at most: every step of every reading copies a state."""
MOST_CHOICES = 1_000_000
"""Ground actions of a game, and values that a parameter or a loop goes over, at most."""
MOST_EFFECTS = 100_000
"""Effects that one block of a rule lists, at most: a Python loop without an end would list them for ever."""


def refuse_number_above_limit(
    subject: str,
    number: int,
    limit: int,
    hint: str = "keep only what the game needs to know: a count, an order, or the places that can be in use at once",
) -> None:
    """PP376: refuse what is so large that nobody could wait for it. `subject` begins the sentence: "`big` has"."""
    if number > limit:
        raise RulesError("PP376", f"{subject} {number:,}, the most is {limit:,}", hint)


class BoundsError(RulesError):
    """A value left the bounds of its target (a field, a variable, a procedure's parameter). The
    rules are at fault, not the player."""


def make_out_of_bounds_error(
    subject: str, lo: int, hi: int, value: int, place: Place, *, after_ending: bool = False
) -> BoundsError:
    """Return the error for a value outside lo..hi. `subject` begins the sentence: "`food` holds". `after_ending`
    says that the same rule has ended the game before."""
    hint = (
        "a rule goes on after `win` or `lose`: write what follows it under `with otherwise():`" if after_ending else ""
    )
    return BoundsError("PP310", f"{subject} {lo}..{hi}, the rule gives {value}", hint, place)


def make_endless_phases_error(phase_name: str, place: Place | None) -> RulesError:
    """Return the error for automatic phases that reach the limit, whether they would end or not."""
    return RulesError(
        "PP330",
        f"more than {ENDLESS:,} automatic phases follow each other, here from phase `{phase_name}`",
        "let a counter or a list that gets shorter end them",
        place=place,
    )


@dataclass(frozen=True, slots=True)
class Broken:
    """One requirement an action does not meet: rule id, sentence, and where the rule is written."""

    rule: str
    text: str
    place: Place

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}" if self.rule else self.text


class IllegalAction(Portable):
    """A move the rules refuse. `broken` lists every requirement that fails, in the order of the
    rule."""

    def __init__(self, action: str, broken: tuple[Broken, ...]) -> None:
        self.action, self.broken = action, broken
        super().__init__(f"not legal: {action}; " + "; ".join(str(b) for b in broken))
