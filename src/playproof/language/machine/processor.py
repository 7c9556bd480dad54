"""Operations that processors have instructions for: count and find bits, compare cells all at once,
prefetch memory."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language.machine.arithmetic import Arithmetic
from playproof.language.machine.kinds import INT
from playproof.language.machine.llvm_lines import ArrayValue, Value, integer

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


class Instructions(Arithmetic):
    """A function under construction; this part translates the operations of
    `playproof.language.machine.sets` to instructions."""

    def _counted(self, name: str, operands: Sequence[Value]) -> Value:
        """Translate `ones`, `lowest`, `kth`, `deposit` and `extract`."""
        if name in ("deposit", "extract"):
            how = "pdep" if name == "deposit" else "pext"
            return self._called(
                f"i64 @llvm.x86.bmi.{how}.64", *(f"i64 {self._to(value, INT)}" for value in operands)
            )
        bits, *k = (self._to(value, INT) for value in operands)
        if name == "ones":
            return self._called("i64 @llvm.ctpop.i64", f"i64 {bits}")
        if k:  # the k-th of the bits, deposited alone
            member = self._register(f"shl i64 1, {k[0]}", INT).text
            bits = self._called("i64 @llvm.x86.bmi.pdep.64", f"i64 {member}", f"i64 {bits}").text
        return self._called("i64 @llvm.cttz.i64", f"i64 {bits}", "i1 false")

    def _equals(self, array: ArrayValue, first: Value, count: int, value: Value) -> Value:
        """Compare all cells as one vector."""
        vector, at = f"<{count} x i64>", self._to(first, INT)
        pointer = self._register(f"getelementptr inbounds i64, ptr {array.pointer}, i64 {at}", INT).text
        cells = self._register(f"load {vector}, ptr {pointer}, align 8", INT).text
        single = self._register(f"insertelement {vector} poison, i64 {self._to(value, INT)}, i64 0", INT).text
        wanted = self._register(
            f"shufflevector {vector} {single}, {vector} poison, <{count} x i32> zeroinitializer", INT
        ).text
        same = self._register(f"icmp eq {vector} {cells}, {wanted}", INT).text
        bits = self._register(f"bitcast <{count} x i1> {same} to i{count}", INT).text
        return self._register(f"zext i{count} {bits} to i64", INT)

    def _held(self, planes: Sequence[str], i: Value) -> Value:
        """Read a cell of planes bit by bit. Shifts need no limit, because a cell's number is within
        its field."""
        cell = integer(0)
        for k, pointer in enumerate(planes):
            plane = self._register(f"load i64, ptr {pointer}", INT).text
            moved = self._register(f"lshr i64 {plane}, {self._to(i, INT)}", INT).text
            bit = self._register(f"and i64 {moved}, 1", INT).text
            placed = self._register(f"shl i64 {bit}, {k}", INT).text
            cell = self._register(f"or i64 {cell.text}, {placed}", INT)
        return cell

    def _hold(self, planes: Sequence[str], i: Value, value: Value) -> None:
        at, stored = self._to(i, INT), self._to(value, INT)
        place = self._register(f"shl i64 1, {at}", INT).text
        others = self._register(f"xor i64 {place}, -1", INT).text
        for k, pointer in enumerate(planes):
            plane = self._register(f"load i64, ptr {pointer}", INT).text
            cleared = self._register(f"and i64 {plane}, {others}", INT).text
            bit = self._register(f"lshr i64 {stored}, {k}", INT).text
            bit = self._register(f"and i64 {bit}, 1", INT).text
            placed = self._register(f"shl i64 {bit}, {at}", INT).text
            self._emit(f"store i64 {self._register(f'or i64 {cleared}, {placed}', INT).text}, ptr {pointer}")

    def _alike(self, planes: Sequence[str], count: int, value: Value) -> Value:
        equal, wanted = integer((1 << count) - 1), self._to(value, INT)
        for k, pointer in enumerate(planes):
            plane = self._register(f"load i64, ptr {pointer}", INT).text
            bit = self._register(f"lshr i64 {wanted}, {k}", INT).text
            bit = self._register(f"and i64 {bit}, 1", INT).text
            turned = self._register(f"sub i64 {bit}, 1", INT).text
            same = self._register(f"xor i64 {plane}, {turned}", INT).text
            equal = self._register(f"and i64 {equal.text}, {same}", INT)
        return equal

    def _prefetched(self, pointer: str) -> None:
        self.unit.declared.add("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self._emit(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")

    def _called(self, function: str, *operands: str) -> Value:
        self.unit.declared.add(f"{function}({', '.join(operand.split()[0] for operand in operands)})")
        return self._register(f"call {function}({', '.join(operands)})", INT)
