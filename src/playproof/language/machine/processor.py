"""Operations that processors have instructions for: count and find bits, compare cells all at once,
prefetch memory."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language.machine.kinds import INT
from playproof.language.machine.llvm_lines import ArrayValue, AssemblyLines, TypedValue, make_integer_value

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
                *(f"i64 {self.lines.emit_conversion_to_kind(value, INT)}" for value in operands),
            )
        bits, *k = (self.lines.emit_conversion_to_kind(value, INT) for value in operands)
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
        vector, at = f"<{count} x i64>", self.lines.emit_conversion_to_kind(first_cell, INT)
        pointer = self.lines.emit_instruction_with_result(
            f"getelementptr inbounds i64, ptr {array.pointer}, i64 {at}", INT
        ).text
        cells = self.lines.emit_instruction_with_result(f"load {vector}, ptr {pointer}, align 8", INT).text
        single = self.lines.emit_instruction_with_result(
            f"insertelement {vector} poison, i64 {self.lines.emit_conversion_to_kind(value, INT)}, i64 0", INT
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
        cell = make_integer_value(0)
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_instruction_with_result(f"load i64, ptr {pointer}", INT).text
            moved = self.lines.emit_instruction_with_result(
                f"lshr i64 {plane}, {self.lines.emit_conversion_to_kind(cell_number, INT)}", INT
            ).text
            bit = self.lines.emit_instruction_with_result(f"and i64 {moved}, 1", INT).text
            placed = self.lines.emit_instruction_with_result(f"shl i64 {bit}, {k}", INT).text
            cell = self.lines.emit_instruction_with_result(f"or i64 {cell.text}, {placed}", INT)
        return cell

    def emit_write_of_cell_in_planes(
        self, planes: Sequence[str], cell_number: TypedValue, value: TypedValue
    ) -> None:
        """Write a cell of planes."""
        at, stored = (
            self.lines.emit_conversion_to_kind(cell_number, INT),
            self.lines.emit_conversion_to_kind(value, INT),
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
                f"store i64 {self.lines.emit_instruction_with_result(f'or i64 {cleared}, {placed}', INT).text}, ptr {pointer}"
            )

    def emit_comparison_of_all_cells_in_planes(
        self, planes: Sequence[str], count: int, value: TypedValue
    ) -> TypedValue:
        """Compare all cells of planes at once."""
        equal, wanted = make_integer_value((1 << count) - 1), self.lines.emit_conversion_to_kind(value, INT)
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
