"""What the functions of one module of assembly share: each other, constants and tables."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from playproof.language.machine.functions import FunctionSource, SourceCode, TupleFields, TupleFlattener
from playproof.language.machine.kinds import KINDS, ArrayKind
from playproof.language.machine.llvm_lines import ArrayValue


class AssemblyModule:
    """One module under construction. A function waits for its translation from when it is first
    called. `declared` collects the functions of LLVM that are called."""

    def __init__(self, codes: Sequence[SourceCode], room: int, features: frozenset[str]) -> None:
        self.codes, self.room, self.features = codes, room, features
        self.declared: set[str] = set()
        self.constants: dict[str, int] = {}
        for code in reversed(codes):
            self.constants.update(code.constants)
        self.waiting: list[FunctionSource] = []
        self._groups: TupleFields = {name: fields for code in codes for name, fields in code.groups.items()}
        self._functions: dict[str, ast.FunctionDef] = {}
        self._tables: dict[str, int] = {}
        self._new_tables: list[str] = []

    def get_function_and_queue_translation(self, name: str) -> ast.FunctionDef | None:
        """Return the function with this name and queue its translation, or None if no code has
        it."""
        if name not in self._functions:
            code = next((c for c in self.codes if name in c.functions), None)
            if code is None:
                return None
            self._functions[name] = TupleFlattener(self._groups).visit(code.functions[name])
            self.waiting.append(FunctionSource(code, self._functions[name]))
        return self._functions[name]

    def get_constant_table_as_array(self, name: str) -> ArrayValue | None:
        """Return a constant table, or None if no code has it."""
        if name not in self._tables:
            values = next((c.tables[name] for c in self.codes if name in c.tables), None)
            if values is None:
                return None
            self._tables[name] = len(values)
            cells = ", ".join(f"i64 {v}" for v in values)
            self._new_tables.append(
                f"@{name} = internal unnamed_addr constant [{len(values)} x i64] [{cells}]"
            )
        kind = KINDS["Ints"]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, f"@{name}", (str(self._tables[name]),))

    def pop_definitions_of_new_tables(self) -> list[str]:
        """Return the definitions of the tables that were first used since the last call."""
        tables, self._new_tables = self._new_tables, []
        return tables
