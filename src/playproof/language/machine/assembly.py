"""Lines of LLVM's assembly: values, places, labels and conversions between kinds; operators with the
meaning of Python's in 64 bits; operations that processors have instructions for; and what the functions
of one module share."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from playproof.language.machine.functions import FunctionSource, SourceCode, TupleFields, TupleFlattener
from playproof.language.machine.kinds import INT, KINDS, REAL, TRUTH, WORD, ArrayKind, Kind

# -- llvm lines ----------------------------------------------------------------------------------------------
# Lines of LLVM's assembly: values, places, labels, and conversions between kinds.

TYPES = {INT: "i64", WORD: "i64", REAL: "double", TRUTH: "i1"}


@dataclass(frozen=True, slots=True)
class TypedValue:
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


def make_integer_constant(value: int) -> TypedValue:
    """Return a constant; one beyond 63 bits is unsigned."""
    if value >= 1 << 63:
        return TypedValue(WORD, str(value - (1 << 64)))
    return TypedValue(INT, str(value))


def format_llvm_zero_of_kind(kind: str) -> str:
    return {REAL: "0.0", TRUTH: "false"}.get(kind, "0")


def find_common_operand_kind(a: str, b: str) -> str:
    """Return the kind to which values of two kinds are converted before an operation."""
    if a == b:
        return a
    return next(kind for kind in (REAL, WORD, INT) if kind in (a, b))


def list_llvm_types_of_parameter(kind: Kind) -> list[str]:
    """Return the types of a parameter in the assembly: one for a number; a pointer and lengths for
    an array."""
    if isinstance(kind, ArrayKind):
        return ["ptr", *["i64"] * kind.lengths]
    return [TYPES[kind]]


class LinePlace(NamedTuple):
    """A place among the lines of a function: how many lines are before it, the label of its block, and whether it can
    be reached."""

    line: int
    label: str
    is_open: bool


class AssemblyLines:
    """The assembly lines of one function under construction: its registers, labels and locals."""

    def __init__(self) -> None:
        self.slots: list[str] = []
        self.body: list[str] = []
        self.at = "begin"
        """The label whose block is being written."""
        self.open = True
        """Whether the next line can be reached: no jump ended the block."""
        self._numbers = 0

    def emit_line_if_reachable(self, line: str) -> None:
        """Add a line, if it can be reached."""
        if self.open:
            self.body.append(f"  {line}")

    def emit_instruction_with_result(self, line: str, kind: str) -> TypedValue:
        """Add an instruction and return the register with its result."""
        register = f"%x{self._take_next_number()}"
        self.emit_line_if_reachable(f"{register} = {line}")
        return TypedValue(kind, register)

    def make_unused_label(self) -> str:
        """Return a label that nothing uses yet."""
        return f"b{self._take_next_number()}"

    def _take_next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def begin_block_with_label(self, label: str) -> None:
        """Begin a block."""
        self.body.append(f"{label}:")
        self.at, self.open = label, True

    def emit_jump(self, label: str) -> None:
        """End a block: go to this label."""
        self.end_block_with_line(f"br label %{label}")

    def emit_branch(self, condition: TypedValue, label_if_true: str, label_if_false: str) -> None:
        """End a block: go to the first label if the condition holds, else to the second."""
        self.end_block_with_line(
            f"br i1 {self.emit_conversion_and_get_text(condition, TRUTH)}, label %{label_if_true}, label %"
            f"{label_if_false}"
        )

    def end_block_with_line(self, line: str) -> None:
        """End a block with this line."""
        self.emit_line_if_reachable(line)
        self.open = False

    def allocate_local_slot(self, kind: str) -> Slot:
        """Return a new local."""
        slot = Slot(kind, f"%v{self._take_next_number()}")
        self.slots.append(f"  {slot.pointer} = alloca {TYPES[kind]}")
        return slot

    def emit_load_of_slot(self, slot: Slot) -> TypedValue:
        """Read a local."""
        return self.emit_instruction_with_result(f"load {TYPES[slot.kind]}, ptr {slot.pointer}", slot.kind)

    def emit_store_to_slot(self, slot: Slot, value: TypedValue) -> None:
        """Write a local."""
        self.emit_line_if_reachable(
            f"store {TYPES[slot.kind]} {self.emit_conversion_and_get_text(value, slot.kind)}, ptr {slot.pointer}"
        )

    def get_current_place(self) -> LinePlace:
        """Return the place of the next line, to which `insert_lines_at_place` comes back."""
        return LinePlace(len(self.body), self.at, self.open)

    @contextmanager
    def insert_lines_at_place(self, place: LinePlace) -> Iterator[None]:
        """Within the block, lines go to an earlier place: how one arm of a condition ends is known after the other."""
        body, at, is_open = self.body, self.at, self.open
        self.body, self.at, self.open = [], place.label, place.is_open
        yield
        body[place.line : place.line] = self.body
        self.body, self.at, self.open = body, at, is_open

    def emit_conversion_and_get_text(self, value: TypedValue, kind: str) -> str:
        """Return the text of a value as another kind. A conversion between the two kinds of
        integers keeps the bits."""
        if value.kind == kind or {value.kind, kind} == {INT, WORD}:
            return value.text
        text = value.text
        if value.kind == TRUTH and kind != REAL:
            if value.literal:
                return str(int(text == "true"))
            return self.emit_instruction_with_result(f"zext i1 {text} to i64", kind).text
        if kind == TRUTH:
            if value.kind == REAL:
                return self.emit_instruction_with_result(f"fcmp une double {text}, 0.0", TRUTH).text
            return self.emit_instruction_with_result(f"icmp ne i64 {text}, 0", TRUTH).text
        if kind == REAL:
            how = {INT: "sitofp i64", WORD: "uitofp i64", TRUTH: "uitofp i1"}[value.kind]
            return self.emit_instruction_with_result(f"{how} {text} to double", REAL).text
        return self.emit_instruction_with_result(f"fptosi double {text} to i64", kind).text


# -- processor -----------------------------------------------------------------------------------------------
# Operations that processors have instructions for: count and find bits, compare cells all at once, prefetch
# memory.

# Functions that have one, by what the processor must know beyond the least. The others are
# translated as written.
INSTRUCTIONS: dict[str, frozenset[str]] = {
    "ones": frozenset(),
    "lowest": frozenset(),
    "kth": frozenset({"bmi2"}),
    "equals": frozenset(),
    "held": frozenset(),
    "hold": frozenset(),
    "alike": frozenset(),
    "deposit": frozenset({"bmi2"}),
    "extract": frozenset({"bmi2"}),
    "prefetch": frozenset(),
}


class InstructionTranslator:
    """Writes the operations of `playproof.language.machine.sets` as instructions to the lines of one
    function. `declared` collects the functions of LLVM that they call."""

    def __init__(self, lines: AssemblyLines, declared: set[str]) -> None:
        self.lines, self.declared = lines, declared

    def emit_bit_operation(self, name: str, operands: Sequence[TypedValue]) -> TypedValue:
        """Translate `ones`, `lowest`, `kth`, `deposit` and `extract`."""
        if name in ("deposit", "extract"):
            how = "pdep" if name == "deposit" else "pext"
            return self.emit_llvm_call(
                f"i64 @llvm.x86.bmi.{how}.64",
                *(f"i64 {self.lines.emit_conversion_and_get_text(value, INT)}" for value in operands),
            )
        bits, *k = (self.lines.emit_conversion_and_get_text(value, INT) for value in operands)
        if name == "ones":
            return self.emit_llvm_call("i64 @llvm.ctpop.i64", f"i64 {bits}")
        if k:  # the k-th of the bits, deposited alone
            member = self.lines.emit_instruction_with_result(f"shl i64 1, {k[0]}", INT).text
            bits = self.emit_llvm_call("i64 @llvm.x86.bmi.pdep.64", f"i64 {member}", f"i64 {bits}").text
        return self.emit_llvm_call("i64 @llvm.cttz.i64", f"i64 {bits}", "i1 false")

    def emit_comparison_of_all_cells(
        self, array: ArrayValue, first_cell: TypedValue, count: int, value: TypedValue
    ) -> TypedValue:
        """Compare all cells as one vector."""
        vector, at = f"<{count} x i64>", self.lines.emit_conversion_and_get_text(first_cell, INT)
        pointer = self.lines.emit_instruction_with_result(
            f"getelementptr inbounds i64, ptr {array.pointer}, i64 {at}", INT
        ).text
        cells = self.lines.emit_instruction_with_result(f"load {vector}, ptr {pointer}, align 8", INT).text
        single = self.lines.emit_instruction_with_result(
            f"insertelement {vector} poison, i64 {self.lines.emit_conversion_and_get_text(value, INT)}, i64 0", INT
        ).text
        wanted = self.lines.emit_instruction_with_result(
            f"shufflevector {vector} {single}, {vector} poison, <{count} x i32> zeroinitializer", INT
        ).text
        same = self.lines.emit_instruction_with_result(f"icmp eq {vector} {cells}, {wanted}", INT).text
        bits = self.lines.emit_instruction_with_result(f"bitcast <{count} x i1> {same} to i{count}", INT).text
        if count == 64:
            return TypedValue(INT, bits)
        return self.lines.emit_instruction_with_result(f"zext i{count} {bits} to i64", INT)

    def emit_read_of_cell_in_planes(self, planes: Sequence[str], cell_number: TypedValue) -> TypedValue:
        """Read a cell of planes bit by bit. Shifts need no limit, because a cell's number is within
        its field."""
        cell = make_integer_constant(0)
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_instruction_with_result(f"load i64, ptr {pointer}", INT).text
            moved = self.lines.emit_instruction_with_result(
                f"lshr i64 {plane}, {self.lines.emit_conversion_and_get_text(cell_number, INT)}", INT
            ).text
            bit = self.lines.emit_instruction_with_result(f"and i64 {moved}, 1", INT).text
            placed = self.lines.emit_instruction_with_result(f"shl i64 {bit}, {k}", INT).text
            cell = self.lines.emit_instruction_with_result(f"or i64 {cell.text}, {placed}", INT)
        return cell

    def emit_write_of_cell_in_planes(self, planes: Sequence[str], cell_number: TypedValue, value: TypedValue) -> None:
        """Write a cell of planes."""
        at, stored = (
            self.lines.emit_conversion_and_get_text(cell_number, INT),
            self.lines.emit_conversion_and_get_text(value, INT),
        )
        place = self.lines.emit_instruction_with_result(f"shl i64 1, {at}", INT).text
        others = self.lines.emit_instruction_with_result(f"xor i64 {place}, -1", INT).text
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_instruction_with_result(f"load i64, ptr {pointer}", INT).text
            cleared = self.lines.emit_instruction_with_result(f"and i64 {plane}, {others}", INT).text
            bit = self.lines.emit_instruction_with_result(f"lshr i64 {stored}, {k}", INT).text
            bit = self.lines.emit_instruction_with_result(f"and i64 {bit}, 1", INT).text
            placed = self.lines.emit_instruction_with_result(f"shl i64 {bit}, {at}", INT).text
            self.lines.emit_line_if_reachable(
                f"store i64 "
                f"{self.lines.emit_instruction_with_result(f'or i64 {cleared}, {placed}', INT).text}, ptr {pointer}"
            )

    def emit_comparison_of_all_cells_in_planes(
        self, planes: Sequence[str], count: int, value: TypedValue
    ) -> TypedValue:
        """Compare all cells of planes at once."""
        equal, wanted = make_integer_constant((1 << count) - 1), self.lines.emit_conversion_and_get_text(value, INT)
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_instruction_with_result(f"load i64, ptr {pointer}", INT).text
            bit = self.lines.emit_instruction_with_result(f"lshr i64 {wanted}, {k}", INT).text
            bit = self.lines.emit_instruction_with_result(f"and i64 {bit}, 1", INT).text
            turned = self.lines.emit_instruction_with_result(f"sub i64 {bit}, 1", INT).text
            same = self.lines.emit_instruction_with_result(f"xor i64 {plane}, {turned}", INT).text
            equal = self.lines.emit_instruction_with_result(f"and i64 {equal.text}, {same}", INT)
        return equal

    def emit_prefetch(self, pointer: str) -> None:
        """Ask memory for what lies at a pointer."""
        self.declared.add("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.lines.emit_line_if_reachable(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")

    def emit_llvm_call(self, function: str, *operands: str) -> TypedValue:
        """Call a function of LLVM, named with the type of its result; each operand has its type too."""
        self.declared.add(f"{function}({', '.join(operand.split()[0] for operand in operands)})")
        return self.lines.emit_instruction_with_result(f"call {function}({', '.join(operands)})", INT)


# -- arithmetic ----------------------------------------------------------------------------------------------
# Operators on values, with the meaning of Python's operators in 64 bits.

_SIGNED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge"}
_UNSIGNED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge"}
_REALS = {ast.Eq: "oeq", ast.NotEq: "une", ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge"}
_INTEGERS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_DOUBLES = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}


class ArithmeticTranslator:
    """Writes the operators of one function to its lines."""

    def __init__(self, function: FunctionSource, lines: AssemblyLines) -> None:
        self.function, self.lines = function, lines

    def emit_binary_operation_or_raise(
        self, node: ast.AST, operator: ast.operator, left: TypedValue, right: TypedValue
    ) -> TypedValue:
        """Write `left operator right`. Raises Untranslatable if this operator has no translation."""
        how = type(operator)
        if REAL in (left.kind, right.kind) or how is ast.Div:
            if how not in _DOUBLES:
                raise self.function.make_untranslatable_error(node, f"{how.__name__} of doubles")
            return self.lines.emit_instruction_with_result(
                f"{_DOUBLES[how]} double {self.lines.emit_conversion_and_get_text(left, REAL)}, "
                f"{self.lines.emit_conversion_and_get_text(right, REAL)}",
                REAL,
            )
        if left.kind == right.kind == TRUTH and how in (ast.BitAnd, ast.BitOr, ast.BitXor):
            return self.lines.emit_instruction_with_result(f"{_INTEGERS[how]} i1 {left.text}, {right.text}", TRUTH)
        kind = WORD if WORD in (left.kind, right.kind) else INT
        a, b = (
            TypedValue(kind, self.lines.emit_conversion_and_get_text(left, kind)),
            TypedValue(kind, self.lines.emit_conversion_and_get_text(right, kind)),
        )
        if how in _INTEGERS:
            return self.lines.emit_instruction_with_result(f"{_INTEGERS[how]} i64 {a.text}, {b.text}", kind)
        if how in (ast.LShift, ast.RShift):
            return self._write_shift(how is ast.LShift, TypedValue(left.kind if left.kind == WORD else INT, a.text), b)
        if how in (ast.FloorDiv, ast.Mod):
            if not b.literal or int(b.text) <= 0:
                raise self.function.make_untranslatable_error(node, "a divisor must be a positive constant")
            return self._write_floor_division_or_remainder(how is ast.Mod, a, int(b.text))
        raise self.function.make_untranslatable_error(node, f"operator {how.__name__}")

    def _write_shift(self, is_left: bool, value: TypedValue, bit_count: TypedValue) -> TypedValue:
        """Return a shift. Shifts by 64 and more, which LLVM leaves undefined, give Python's result
        in 64 bits."""
        how = "shl" if is_left else "lshr" if value.kind == WORD else "ashr"
        if bit_count.literal and 0 <= int(bit_count.text) < 64:
            return self.lines.emit_instruction_with_result(f"{how} i64 {value.text}, {bit_count.text}", value.kind)
        far = self.lines.emit_instruction_with_result(f"icmp ugt i64 {bit_count.text}, 63", TRUTH).text
        near = self.lines.emit_instruction_with_result(
            f"select i1 {far}, i64 {63 if how == 'ashr' else 0}, i64 {bit_count.text}", INT
        ).text
        moved = self.lines.emit_instruction_with_result(f"{how} i64 {value.text}, {near}", value.kind)
        if how == "ashr":
            return moved
        return self.lines.emit_instruction_with_result(f"select i1 {far}, i64 0, i64 {moved.text}", value.kind)

    def _write_floor_division_or_remainder(self, wants_remainder: bool, value: TypedValue, divisor: int) -> TypedValue:
        """Return the quotient or remainder, rounded down."""
        power = divisor & (divisor - 1) == 0
        if value.kind == WORD:
            return self.lines.emit_instruction_with_result(
                f"{'urem' if wants_remainder else 'udiv'} i64 {value.text}, {divisor}", WORD
            )
        if power:  # shifts and masks round down by themselves
            how = (
                f"and i64 {value.text}, {divisor - 1}"
                if wants_remainder
                else f"ashr i64 {value.text}, {divisor.bit_length() - 1}"
            )
            return self.lines.emit_instruction_with_result(how, INT)
        left = self.lines.emit_instruction_with_result(f"srem i64 {value.text}, {divisor}", INT)
        below = self.lines.emit_instruction_with_result(f"icmp slt i64 {left.text}, 0", TRUTH)
        if wants_remainder:
            more = self.lines.emit_instruction_with_result(f"add i64 {left.text}, {divisor}", INT)
            return self.lines.emit_instruction_with_result(
                f"select i1 {below.text}, i64 {more.text}, i64 {left.text}", INT
            )
        quotient = self.lines.emit_instruction_with_result(f"sdiv i64 {value.text}, {divisor}", INT)
        less = self.lines.emit_instruction_with_result(f"sext i1 {below.text} to i64", INT)
        return self.lines.emit_instruction_with_result(f"add i64 {quotient.text}, {less.text}", INT)

    def emit_negation(self, value: TypedValue) -> TypedValue:
        """Write `-value`."""
        if value.kind == REAL:
            return self.lines.emit_instruction_with_result(f"fneg double {value.text}", REAL)
        return self.lines.emit_instruction_with_result(
            f"sub i64 0, {self.lines.emit_conversion_and_get_text(value, INT)}", INT
        )

    def emit_comparison_or_raise(self, node: ast.AST, operator: ast.cmpop, a: TypedValue, b: TypedValue) -> TypedValue:
        """Write one comparison. Raises Untranslatable if it has no translation."""
        how = type(operator)
        if how not in _SIGNED:
            raise self.function.make_untranslatable_error(node, f"comparison {how.__name__}")
        if REAL in (a.kind, b.kind):
            return self.lines.emit_instruction_with_result(
                f"fcmp {_REALS[how]} double {self.lines.emit_conversion_and_get_text(a, REAL)}, "
                f"{self.lines.emit_conversion_and_get_text(b, REAL)}",
                TRUTH,
            )
        if a.kind == b.kind == TRUTH and how in (ast.Eq, ast.NotEq):
            return self.lines.emit_instruction_with_result(f"icmp {_SIGNED[how]} i1 {a.text}, {b.text}", TRUTH)
        unsigned = WORD in (a.kind, b.kind)
        if unsigned and how not in (ast.Eq, ast.NotEq) and not all(v.kind == WORD or v.literal for v in (a, b)):
            raise self.function.make_untranslatable_error(node, "integers with and without a sign are compared")
        names = _UNSIGNED if unsigned else _SIGNED
        return self.lines.emit_instruction_with_result(
            f"icmp {names[how]} i64 {self.lines.emit_conversion_and_get_text(a, INT)}, "
            f"{self.lines.emit_conversion_and_get_text(b, INT)}",
            TRUTH,
        )


# -- unit ----------------------------------------------------------------------------------------------------
# What the functions of one module of assembly share: each other, constants and tables.


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
        self._functions: dict[str, FunctionSource] = {}
        self._tables: dict[str, int] = {}
        self._new_tables: list[str] = []

    def get_and_queue_function_or_none(self, name: str) -> FunctionSource | None:
        """Return the function with this name and queue its translation, or None if no code has
        it."""
        if name not in self._functions:
            code = next((c for c in self.codes if name in c.functions), None)
            if code is None:
                return None
            tree = code.functions[name]
            if not code.total:  # generated source has no named tuples
                tree = TupleFlattener(self._groups).visit(tree)
            self._functions[name] = FunctionSource(code, tree)
            self.waiting.append(self._functions[name])
        return self._functions[name]

    def get_constant_table_as_array_or_none(self, name: str) -> ArrayValue | None:
        """Return a constant table, or None if no code has it."""
        if name not in self._tables:
            values = next((c.tables[name] for c in self.codes if name in c.tables), None)
            if values is None:
                return None
            self._tables[name] = len(values)
            cells = ", ".join(f"i64 {v}" for v in values)
            self._new_tables.append(f"@{name} = internal unnamed_addr constant [{len(values)} x i64] [{cells}]")
        kind = KINDS["Ints"]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, f"@{name}", (str(self._tables[name]),))

    def pop_definitions_of_new_tables(self) -> list[str]:
        """Return the definitions of the tables that were first used since the last call."""
        tables, self._new_tables = self._new_tables, []
        return tables
