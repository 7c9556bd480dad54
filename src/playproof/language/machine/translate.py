"""Translates Python functions to LLVM's assembly language by their syntax trees. It knows only the
part of Python that generated source and the handwritten code beside it use.

A value is a 64-bit integer (with or without a sign), a double or a truth. A local has the kind of
its first value, or of its annotation; a parameter without annotation is an array of cells if its
name is S, T or U, and an integer otherwise. Division and remainder round down as Python's do, by
positive constants. Integers wrap around at 64 bits, unlike Python's: `fits` in
`playproof.language.python_source` excludes descriptions that need more. Array bounds are not
checked. Any other Python raises `UntranslatableError`, with the line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from playproof.language.machine.functions import (
    SourceCode,
    UntranslatableError,
    get_kind_of_result,
    has_array_creation,
    list_parameters_with_kinds,
)
from playproof.language.machine.kinds import TRUTH
from playproof.language.machine.llvm_lines import TYPES, list_llvm_types_of_parameter
from playproof.language.machine.unit import AssemblyModule
from playproof.language.machine.writer import FunctionTranslator

__all__ = ["SourceCode", "UntranslatableError", "translate_functions_to_assembly"]


def translate_functions_to_assembly(
    codes: Sequence[SourceCode],
    entries: Iterable[str],
    scratch_cell_count: int,
    features: frozenset[str] = frozenset(),
) -> str:
    """Return the assembly of the entries and of all functions they call, for a processor with these
    features. If two codes have the same name, the earlier one wins.

    An entry is exported as `entry_NAME`. It takes arrays as a pointer and lengths. Its last
    parameter is a pointer to `room` zero cells, from which `np.zeros` takes its arrays.
    """
    unit = AssemblyModule(codes, scratch_cell_count, features)
    lines: list[str] = []
    for name in entries:
        function = unit.get_function_and_queue_translation(name)
        if function is None:
            raise KeyError(f"no function {name}")
        lines += _generate_c_callable_entry(name, function)
    while unit.waiting:
        body = FunctionTranslator(unit, unit.waiting.pop()).translate_function_to_lines()
        lines += [*unit.pop_definitions_of_new_tables(), *body]
    declared = [f"declare {function}" for function in sorted(unit.declared)]
    return "\n".join([*lines, *declared, ""])


def _generate_c_callable_entry(name: str, function: ast.FunctionDef) -> list[str]:
    """Return the function `entry_NAME`, which C can call."""
    taken: list[str] = []
    passed: list[str] = []
    bits: list[str] = []
    for number, p in enumerate(list_parameters_with_kinds(function)):
        parts = [(t, f"%a{number}_{i}") for i, t in enumerate(list_llvm_types_of_parameter(p.kind))]
        passed += [f"{t} {text}" for t, text in parts]
        if p.kind == TRUTH:  # C has no single bits
            parts = [("i64", f"%w{number}")]
            bits.append(f"  %a{number}_0 = icmp ne i64 %w{number}, 0")
        taken += [f"{t} {text}" for t, text in parts]
    if has_array_creation(function):
        passed.append("ptr %.zeros")
    kind = get_kind_of_result(function)
    typed = "void" if kind is None else "i64" if kind == TRUTH else TYPES[kind]
    head = f"define {typed} @entry_{name}({', '.join([*taken, 'ptr %.zeros'])}) nounwind {{"
    if kind is None:
        return [head, *bits, f"  call fastcc void @{name}({', '.join(passed)})", "  ret void", "}"]
    call = f"  %r = call fastcc {TYPES[kind]} @{name}({', '.join(passed)})"
    if kind == TRUTH:
        return [head, *bits, call, "  %w = zext i1 %r to i64", "  ret i64 %w", "}"]
    return [head, *bits, call, f"  ret {typed} %r", "}"]
