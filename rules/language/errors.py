"""Errors of the rules language. They point at the line of the rule, not at the machinery.

    RulesError                the description itself is wrong (PP3xx, PP808), found while it is traced
    └─ BoundsError            a reading met a value outside its declared bounds (PP310)
    IllegalAction             a move the rules refuse; carries every broken requirement
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from playproof.database.errors import Portable, nearest

RENAMED = {
    "total": "sum_of", "all_true": "all_of", "any_true": "any_of", "smallest": "min_of",
    "largest": "max_of", "least_of": "min_of", "most_of": "max_of", "draw": "tie",
}
"""Words of the language that had other names, and their names now."""

ENDLESS = 100_000
"""Automatic phases in a row, after which every reading that plays stops. They may end later, or
never: the limit does not tell."""
_PYTHON = "a mistake in the Python of the rules"
_HERE = str(Path(__file__).parent)
_CONTEXTLIB = contextlib.__file__


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule is written: file, line and column, counted from 1. Column 0 means that the
    column is unknown."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


def caller(above: int = 1) -> Place:
    """Return the place in the rule being traced: the innermost frame outside the language. The search
    begins so many frames above this one."""
    frame = sys._getframe(above)
    while frame.f_back is not None and _inside(frame.f_code.co_filename):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno, _column(frame.f_code, frame.f_lasti))


def _inside(file: str) -> bool:
    return file.startswith((_HERE, _CONTEXTLIB)) or file == sys.modules["playproof"].__file__


def _column(code: CodeType, instruction: int) -> int:
    position = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    return 0 if position[2] is None else position[2] + 1


class RulesError(Portable):
    """The description is wrong. `code` is a stable code, `place` the place in the rule, `hint` a
    way to fix it. `all` holds all errors found together, this one first."""

    def __init__(self, code: str, message: str, hint: str = "", place: Place | None = None) -> None:
        self.code, self.message, self.hint = code, message, hint
        self.place = place or caller()
        self.all: tuple[RulesError, ...] = (self,)
        super().__init__(f"{self.place}: {code} {message}" + (f"\n  {hint}" if hint else ""))


def _names_seen_from(frame: FrameType) -> list[str]:
    """Return the names of this frame and of its callers in the same file, because a body is written
    inside `build`."""
    file, names, up = frame.f_code.co_filename, [*frame.f_globals], [frame]
    while (caller_frame := up[-1].f_back) is not None:
        up.append(caller_frame)
    for one in up:
        if one.f_code.co_filename == file:
            names += one.f_locals
    return names


def raise_all(errors: Sequence[RulesError]) -> None:
    """Raise the first of the errors, which carries them all. Do nothing if there are none."""
    if errors:
        errors[0].all = tuple(errors)
        raise errors[0]


def mistake(error: Exception) -> RulesError:
    """Turn a Python mistake in a rule (a misspelt name, a wrong type) into an error with its
    place."""
    file, line, column = "", 0, 0
    names: list[str] = []
    if isinstance(error, SyntaxError) and error.filename:
        file, line, column = error.filename, error.lineno or 0, error.offset or 0
    trace = error.__traceback__
    while trace is not None and not (isinstance(error, SyntaxError) and file):
        code = trace.tb_frame.f_code
        if not _inside(code.co_filename) and not code.co_filename.startswith("<"):
            file, line, column = code.co_filename, trace.tb_lineno, _column(code, trace.tb_lasti)
            names = _names_seen_from(trace.tb_frame)
        trace = trace.tb_next
    if isinstance(error, ImportError):
        return _missing_import(error, Place(file, line, column))
    said = error.msg if isinstance(error, SyntaxError) else error
    hint = _missing_name(error.name or "", names) if isinstance(error, NameError) else ""
    return RulesError("PP808", f"{type(error).__name__}: {said}", hint or _PYTHON,
                      place=Place(file, line, column))


def _missing_import(error: ImportError, place: Place) -> RulesError:
    """Return the error for a name that a module does not have, at the place of the name, with the
    nearest name that the module has."""
    module = sys.modules.get(error.name or "")
    if module is None:
        near = nearest(error.name or "", ["playproof"])
        return RulesError("PP808", str(error), f'did you mean "{near}"?' if near else _PYTHON,
                          place)
    offered = getattr(module, "__all__", dir(module))
    for alias in _imported(Path(place.file), module.__name__):
        if alias.name in offered:
            continue
        now = RENAMED.get(alias.name) or nearest(alias.name, offered)
        hint = f'did you mean "{now}"?' if now else _PYTHON
        at = Place(place.file, alias.lineno, alias.col_offset + 1)
        return RulesError("PP808", f"`{error.name}` has no `{alias.name}`", hint, at)
    return RulesError("PP808", str(error), _PYTHON, place)


def _imported(file: Path, module: str) -> Iterator[ast.alias]:
    """Yield the names that a file of rules imports from a module, each with its place."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield from node.names


def _missing_name(name: str, names: Sequence[str]) -> str:
    """Return a hint for a name that is not defined: import the language's word, or use the nearest
    known name; "" if none is near."""
    language = import_module("playproof.rules.language")
    word = RENAMED.get(name, name)
    if word in language.__all__:
        return f"write `from playproof import {word}`"
    near = nearest(name, [*names, *language.__all__])
    return f'did you mean "{near}"?' if near else ""


class BoundsError(RulesError):
    """A value left the bounds of its target (a field, a variable, a procedure's parameter). The
    rules are at fault, not the player."""


def outside(what: str, lo: int, hi: int, value: int, place: Place) -> BoundsError:
    """Return the error for a value outside lo..hi. `what` begins the sentence: "`food` holds"."""
    return BoundsError("PP310", f"{what} {lo}..{hi}, the rule gives {value}", place=place)


def endless(phase: str, place: Place | None) -> RulesError:
    """Return the error for automatic phases that reach the limit, whether they would end or not."""
    return RulesError("PP330", f"more than {ENDLESS:,} automatic phases follow each other, here from phase `{phase}`",
                      "let a counter or a list that gets shorter end them", place=place)


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
