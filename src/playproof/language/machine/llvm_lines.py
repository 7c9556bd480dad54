"""Lines of LLVM's assembly: values, places, labels, and conversions between kinds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playproof.language.machine.kinds import INT, REAL, TRUTH, WORD, ArrayKind, Kind

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


def make_integer_value(value: int) -> TypedValue:
    """Return a constant; one beyond 63 bits is unsigned."""
    if value >= 1 << 63:
        return TypedValue(WORD, str(value - (1 << 64)))
    return TypedValue(INT, str(value))


def format_zero_of_kind(kind: str) -> str:
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
            f"br i1 {self.emit_conversion_to_kind(condition, TRUTH)}, label %{label_if_true}, label %{label_if_false}"
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
            f"store {TYPES[slot.kind]} {self.emit_conversion_to_kind(value, slot.kind)}, ptr {slot.pointer}"
        )

    @contextmanager
    def discard_lines_written_in_block(self) -> Iterator[None]:
        """Within the block, take lines that are thrown away: a trial. Registers keep their numbers."""
        before = self.body, self.slots, self.at, self.open
        self.body, self.slots, self.open = [], [], True
        yield
        self.body, self.slots, self.at, self.open = before

    def emit_conversion_to_kind(self, value: TypedValue, kind: str) -> str:
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
