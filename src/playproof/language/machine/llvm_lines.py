"""Lines of LLVM's assembly: values, places, labels, and conversions between kinds."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playproof.language.machine.functions import Code, Untranslatable, result_kind
from playproof.language.machine.kinds import INT, REAL, TRUTH, WORD, ArrayKind, Kind

if TYPE_CHECKING:
    from playproof.language.machine.translate import Unit

TYPES = {INT: "i64", WORD: "i64", REAL: "double", TRUTH: "i1"}


@dataclass(frozen=True, slots=True)
class Value:
    """A number: its kind, and its text in the assembly (a register or a literal)."""

    kind: str
    text: str

    @property
    def literal(self) -> bool:
        """Whether the number is a known constant."""
        return not self.text.startswith("%")


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array in use: its pointer, and as many lengths as its kind has."""

    kind: ArrayKind
    pointer: str
    lengths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A local that changes: its kind and its place in memory."""

    kind: str
    pointer: str


def integer(value: int) -> Value:
    """Return a constant; one beyond 63 bits is unsigned."""
    if value >= 1 << 63:
        return Value(WORD, str(value - (1 << 64)))
    return Value(INT, str(value))


def zero(kind: str) -> str:
    return {REAL: "0.0", TRUTH: "false"}.get(kind, "0")


def common(a: str, b: str) -> str:
    """Return the kind to which values of two kinds are converted before an operation."""
    if a == b:
        return a
    return next(kind for kind in (REAL, WORD, INT) if kind in (a, b))


def flat(kind: Kind) -> list[str]:
    """Return the types of a parameter in the assembly: one for a number; a pointer and lengths for
    an array."""
    if isinstance(kind, ArrayKind):
        return ["ptr", *["i64"] * kind.lengths]
    return [TYPES[kind]]


class Assembly:
    """The assembly lines of one function under construction."""

    def __init__(self, unit: Unit, code: Code, function: ast.FunctionDef) -> None:
        self.unit, self.code, self.made = unit, code, function
        self.kind = result_kind(function)
        self.names: dict[str, Value | ArrayValue | Slot] = {}
        self._slots: list[str] = []
        self._body: list[str] = []
        self._numbers = 0
        self._label = "begin"
        self._open = True
        self._room = 0
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go

    def _emit(self, line: str) -> None:
        if self._open:
            self._body.append(f"  {line}")

    def _register(self, line: str, kind: str) -> Value:
        self._numbers += 1
        self._emit(f"%x{self._numbers} = {line}")
        return Value(kind, f"%x{self._numbers}")

    def _new_label(self) -> str:
        self._numbers += 1
        return f"b{self._numbers}"

    def _jump(self, label: str) -> None:
        self._emit(f"br label %{label}")
        self._open = False

    def _fork(self, condition: Value, yes: str, no: str) -> None:
        self._emit(f"br i1 {self._to(condition, TRUTH)}, label %{yes}, label %{no}")
        self._open = False

    def _begin(self, label: str) -> None:
        self._body.append(f"{label}:")
        self._label, self._open = label, True

    def _slot(self, name: str, kind: str) -> Slot:
        self._numbers += 1
        slot = Slot(kind, f"%v{self._numbers}")
        self._slots.append(f"  {slot.pointer} = alloca {TYPES[kind]}")
        self.names[name] = slot
        return slot

    def _store(self, slot: Slot, value: Value) -> None:
        self._emit(f"store {TYPES[slot.kind]} {self._to(value, slot.kind)}, ptr {slot.pointer}")

    def _refuse(self, node: ast.AST, what: str) -> Untranslatable:
        return Untranslatable(f"{self.code.where}: {self.made.name}", node, what)

    def _to(self, value: Value, kind: str) -> str:
        """Return the value as another kind. A conversion between the two kinds of integers keeps
        the bits."""
        if value.kind == kind or {value.kind, kind} == {INT, WORD}:
            return value.text
        text = value.text
        if value.kind == TRUTH and kind != REAL:
            return (
                str(int(text == "true"))
                if value.literal
                else self._register(f"zext i1 {text} to i64", kind).text
            )
        if kind == TRUTH:
            if value.kind == REAL:
                return self._register(f"fcmp une double {text}, 0.0", TRUTH).text
            return self._register(f"icmp ne i64 {text}, 0", TRUTH).text
        if kind == REAL:
            how = {INT: "sitofp i64", WORD: "uitofp i64", TRUTH: "uitofp i1"}[value.kind]
            return self._register(f"{how} {text} to double", REAL).text
        return self._register(f"fptosi double {text} to i64", kind).text
