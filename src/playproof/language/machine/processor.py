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

    def write_bit_operation(self, name: str, operands: Sequence[TypedValue]) -> TypedValue:
        """Translate `ones`, `lowest`, `kth`, `deposit` and `extract`."""
        if name in ("deposit", "extract"):
            how = "pdep" if name == "deposit" else "pext"
            return self.write_llvm_call(
                f"i64 @llvm.x86.bmi.{how}.64",
                *(f"i64 {self.lines.convert_to_kind(value, INT)}" for value in operands),
            )
        bits, *k = (self.lines.convert_to_kind(value, INT) for value in operands)
        if name == "ones":
            return self.write_llvm_call("i64 @llvm.ctpop.i64", f"i64 {bits}")
        if k:  # the k-th of the bits, deposited alone
            member = self.lines.emit_to_register(f"shl i64 1, {k[0]}", INT).text
            bits = self.write_llvm_call("i64 @llvm.x86.bmi.pdep.64", f"i64 {member}", f"i64 {bits}").text
        return self.write_llvm_call("i64 @llvm.cttz.i64", f"i64 {bits}", "i1 false")

    def write_cell_comparison(
        self, array: ArrayValue, first: TypedValue, count: int, value: TypedValue
    ) -> TypedValue:
        """Compare all cells as one vector."""
        vector, at = f"<{count} x i64>", self.lines.convert_to_kind(first, INT)
        pointer = self.lines.emit_to_register(
            f"getelementptr inbounds i64, ptr {array.pointer}, i64 {at}", INT
        ).text
        cells = self.lines.emit_to_register(f"load {vector}, ptr {pointer}, align 8", INT).text
        single = self.lines.emit_to_register(
            f"insertelement {vector} poison, i64 {self.lines.convert_to_kind(value, INT)}, i64 0", INT
        ).text
        wanted = self.lines.emit_to_register(
            f"shufflevector {vector} {single}, {vector} poison, <{count} x i32> zeroinitializer", INT
        ).text
        same = self.lines.emit_to_register(f"icmp eq {vector} {cells}, {wanted}", INT).text
        bits = self.lines.emit_to_register(f"bitcast <{count} x i1> {same} to i{count}", INT).text
        if count == 64:
            return TypedValue(INT, bits)
        return self.lines.emit_to_register(f"zext i{count} {bits} to i64", INT)

    def write_plane_read(self, planes: Sequence[str], i: TypedValue) -> TypedValue:
        """Read a cell of planes bit by bit. Shifts need no limit, because a cell's number is within
        its field."""
        cell = make_integer_value(0)
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_to_register(f"load i64, ptr {pointer}", INT).text
            moved = self.lines.emit_to_register(
                f"lshr i64 {plane}, {self.lines.convert_to_kind(i, INT)}", INT
            ).text
            bit = self.lines.emit_to_register(f"and i64 {moved}, 1", INT).text
            placed = self.lines.emit_to_register(f"shl i64 {bit}, {k}", INT).text
            cell = self.lines.emit_to_register(f"or i64 {cell.text}, {placed}", INT)
        return cell

    def write_plane_write(self, planes: Sequence[str], i: TypedValue, value: TypedValue) -> None:
        """Write a cell of planes."""
        at, stored = self.lines.convert_to_kind(i, INT), self.lines.convert_to_kind(value, INT)
        place = self.lines.emit_to_register(f"shl i64 1, {at}", INT).text
        others = self.lines.emit_to_register(f"xor i64 {place}, -1", INT).text
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_to_register(f"load i64, ptr {pointer}", INT).text
            cleared = self.lines.emit_to_register(f"and i64 {plane}, {others}", INT).text
            bit = self.lines.emit_to_register(f"lshr i64 {stored}, {k}", INT).text
            bit = self.lines.emit_to_register(f"and i64 {bit}, 1", INT).text
            placed = self.lines.emit_to_register(f"shl i64 {bit}, {at}", INT).text
            self.lines.emit(
                f"store i64 {self.lines.emit_to_register(f'or i64 {cleared}, {placed}', INT).text}, ptr {pointer}"
            )

    def write_plane_comparison(self, planes: Sequence[str], count: int, value: TypedValue) -> TypedValue:
        """Compare all cells of planes at once."""
        equal, wanted = make_integer_value((1 << count) - 1), self.lines.convert_to_kind(value, INT)
        for k, pointer in enumerate(planes):
            plane = self.lines.emit_to_register(f"load i64, ptr {pointer}", INT).text
            bit = self.lines.emit_to_register(f"lshr i64 {wanted}, {k}", INT).text
            bit = self.lines.emit_to_register(f"and i64 {bit}, 1", INT).text
            turned = self.lines.emit_to_register(f"sub i64 {bit}, 1", INT).text
            same = self.lines.emit_to_register(f"xor i64 {plane}, {turned}", INT).text
            equal = self.lines.emit_to_register(f"and i64 {equal.text}, {same}", INT)
        return equal

    def write_prefetch(self, pointer: str) -> None:
        """Ask memory for what lies at a pointer."""
        self.declared.add("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.lines.emit(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")

    def write_llvm_call(self, function: str, *operands: str) -> TypedValue:
        """Call a function of LLVM, named with the type of its result; each operand has its type too."""
        self.declared.add(f"{function}({', '.join(operand.split()[0] for operand in operands)})")
        return self.lines.emit_to_register(f"call {function}({', '.join(operands)})", INT)
