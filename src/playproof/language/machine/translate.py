"""Translates Python functions to LLVM's assembly language by their syntax trees. It knows only the
part of Python that generated source and the handwritten code beside it use.

A value is a 64-bit integer (with or without a sign), a double or a truth. A local has the kind of
its first value, or of its annotation; a parameter without annotation is an array of cells if its
name is S, T or U, and an integer otherwise. Division and remainder round down as Python's do, by
positive constants. Integers wrap around at 64 bits, unlike Python's: `fits` in
`playproof.language.python_source` excludes descriptions that need more. Array bounds are not
checked. Any other Python raises `Untranslatable`, with the line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from playproof.language.machine.functions import Code, Untranslatable, makes_arrays, parameters, result_kind
from playproof.language.machine.kinds import KINDS, TRUTH, ArrayKind
from playproof.language.machine.llvm_lines import TYPES, ArrayValue, flat
from playproof.language.machine.writer import Writer

__all__ = ["Code", "Untranslatable", "translate"]


def translate(
    codes: Sequence[Code], entries: Iterable[str], room: int, features: frozenset[str] = frozenset()
) -> str:
    """Return the assembly of the entries and of all functions they call, for a processor with these
    features. If two codes have the same name, the earlier one wins.

    An entry is exported as `entry_NAME`. It takes arrays as a pointer and lengths. Its last
    parameter is a pointer to `room` zero cells, from which `np.zeros` takes its arrays.
    """
    unit = Unit(codes, room, features)
    for name in entries:
        unit.export(name)
    return unit.text()


class Unit:
    """One module under construction; it translates functions when they are first called."""

    def __init__(self, codes: Sequence[Code], room: int, features: frozenset[str]) -> None:
        self.codes, self.room, self.features = codes, room, features
        self.declared: set[str] = set()
        self.constants: dict[str, int] = {}
        for code in reversed(codes):
            self.constants.update(code.constants)
        self.asked: dict[str, ast.FunctionDef] = {}
        self._todo: list[tuple[str, Code]] = []
        self._tables: dict[str, int] = {}
        self._lines: list[str] = []

    def export(self, name: str) -> None:
        """Add an entry."""
        function = self.function(name)
        if function is None:
            raise KeyError(f"no function {name}")
        taken: list[str] = []
        passed: list[str] = []
        bits: list[str] = []
        for number, p in enumerate(parameters(function)):
            parts = [(t, f"%a{number}_{i}") for i, t in enumerate(flat(p.kind))]
            passed += [f"{t} {text}" for t, text in parts]
            if p.kind == TRUTH:  # C has no single bits
                parts = [("i64", f"%w{number}")]
                bits.append(f"  %a{number}_0 = icmp ne i64 %w{number}, 0")
            taken += [f"{t} {text}" for t, text in parts]
        if makes_arrays(function):
            passed.append("ptr %.zeros")
        kind = result_kind(function)
        typed = "void" if kind is None else "i64" if kind == TRUTH else TYPES[kind]
        self._lines += [
            f"define {typed} @entry_{name}({', '.join([*taken, 'ptr %.zeros'])}) nounwind {{",
            *bits,
        ]
        if kind is None:
            self._lines += [f"  call fastcc void @{name}({', '.join(passed)})", "  ret void", "}"]
            return
        self._lines.append(f"  %r = call fastcc {TYPES[kind]} @{name}({', '.join(passed)})")
        if kind == TRUTH:
            self._lines += ["  %w = zext i1 %r to i64", "  ret i64 %w", "}"]
        else:
            self._lines += [f"  ret {typed} %r", "}"]

    def function(self, name: str) -> ast.FunctionDef | None:
        """Return the function with this name and queue its translation, or None if no code has
        it."""
        if name not in self.asked:
            code = next((c for c in self.codes if name in c.functions), None)
            if code is None:
                return None
            self.asked[name] = code.functions[name]
            self._todo.append((name, code))
        return self.asked[name]

    def table(self, name: str) -> ArrayValue | None:
        """Return a constant table, or None if no code has it."""
        if name not in self._tables:
            values = next((c.tables[name] for c in self.codes if name in c.tables), None)
            if values is None:
                return None
            self._tables[name] = len(values)
            listed = ", ".join(f"i64 {v}" for v in values)
            self._lines.append(f"@{name} = internal unnamed_addr constant [{len(values)} x i64] [{listed}]")
        kind = KINDS["Ints"]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, f"@{name}", (str(self._tables[name]),))

    def text(self) -> str:
        """Translate all remaining functions and return the whole module."""
        while self._todo:
            name, code = self._todo.pop()
            self._lines += Writer(self, code, code.functions[name]).lines()
        declared = [f"declare {function}" for function in sorted(self.declared)]
        return "\n".join([*self._lines, *declared, ""])
