"""Translates expressions: numbers, cells of arrays, logic and calls."""

from __future__ import annotations

import ast
import struct
from collections.abc import Sequence

from playproof.language.machine.arithmetic import Arithmetic
from playproof.language.machine.functions import (
    Function,
    Parameter,
    cheap,
    makes_arrays,
    parameters,
    result_kind,
)
from playproof.language.machine.kinds import INT, REAL, TRUTH, WORD, ArrayKind
from playproof.language.machine.llvm_lines import TYPES, ArrayValue, Lines, Slot, Value, common, integer
from playproof.language.machine.processor import INSTRUCTIONS, Processor
from playproof.language.machine.unit import Unit


class Terms:
    """Writes the expressions of one function to its lines. `names` says what a name stands for; the
    writer of statements adds to it."""

    def __init__(self, unit: Unit, function: Function, lines: Lines) -> None:
        self.unit, self.function, self.lines = unit, function, lines
        self.arithmetic = Arithmetic(function, lines)
        self.processor = Processor(lines, unit.declared)
        self.names: dict[str, Value | ArrayValue | Slot] = {}

    def value(self, node: ast.expr) -> Value:
        """Write an expression and return its value. Raises Untranslatable."""
        match node:
            case ast.Constant(bool() as value):
                return Value(TRUTH, "true" if value else "false")
            case ast.Constant(int() as value):
                return integer(value)
            case ast.Constant(float() as value):
                return Value(REAL, "0x" + struct.pack(">d", value).hex().upper())
            case ast.Name(name):
                return self._named(node, name)
            case ast.Subscript(what, index):
                return self._loaded(self.array(what), index)
            case ast.BinOp(left, operator, right):
                return self.arithmetic.binary(node, operator, self.value(left), self.value(right))
            case ast.UnaryOp(ast.Not(), operand):
                return self.lines.register(f"xor i1 {self.lines.to(self.value(operand), TRUTH)}, true", TRUTH)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return integer(-value)
            case ast.UnaryOp(ast.USub(), operand):
                return self.arithmetic.minus(self.value(operand))
            case ast.BoolOp(operator, values):
                return self._logic(isinstance(operator, ast.And), values)
            case ast.Compare(left, operators, others):
                return self._compared(node, left, operators, others)
            case ast.IfExp(test, yes, no):
                return self._chosen(test, yes, no)
            case ast.Call():
                result = self.call(node)
                if result is None:
                    raise self.function.refuse(node, "a value is needed, the function returns none")
                return result
        raise self.function.refuse(node, f"expression {type(node).__name__}")

    def _named(self, node: ast.expr, name: str) -> Value:
        holder = self.names.get(name)
        if isinstance(holder, Slot):
            return self.lines.load(holder)
        if isinstance(holder, Value):
            return holder
        if name in self.unit.constants:
            return integer(self.unit.constants[name])
        raise self.function.refuse(node, f"the name {name}")

    def array(self, node: ast.expr) -> ArrayValue:
        """Return the array that an expression names. Raises Untranslatable."""
        match node:
            case ast.Name(name):
                array = self.names.get(name) or self.unit.table(name)
                if isinstance(array, ArrayValue):
                    return array
            case ast.Subscript(what, index):  # a row of a grid
                grid = self.array(what)
                if grid.kind.dimensions == 2:
                    return self._row(grid, index)
        raise self.function.refuse(node, "an array is needed")

    def _row(self, grid: ArrayValue, index: ast.expr) -> ArrayValue:
        at = self.lines.to(self.value(index), INT)
        first = self.lines.register(f"mul i64 {at}, {grid.lengths[1]}", INT).text
        pointer = self.lines.register(
            f"getelementptr {grid.kind.stored}, ptr {grid.pointer}, i64 {first}", INT
        ).text
        kind = ArrayKind(grid.kind.element, grid.kind.stored, grid.kind.dtype)
        return ArrayValue(kind, pointer, (grid.lengths[1],))

    def element(self, array: ArrayValue, index: ast.expr) -> str:
        """Return the pointer to an element."""
        if array.kind.dimensions == 2:
            if not isinstance(index, ast.Tuple) or len(index.elts) != 2:
                raise self.function.refuse(index, "a grid has two places")
            row, column = (self.lines.to(self.value(e), INT) for e in index.elts)
            width = array.lengths[1] if array.lengths else str(self.unit.constants["WORDS"])
            first = self.lines.register(f"mul nsw i64 {row}, {width}", INT).text
            at = self.lines.register(f"add nsw i64 {first}, {column}", INT).text
        else:
            at = self.lines.to(self.value(index), INT)
        return self.lines.register(
            f"getelementptr inbounds {array.kind.stored}, ptr {array.pointer}, i64 {at}", INT
        ).text

    def _loaded(self, array: ArrayValue, index: ast.expr) -> Value:
        pointer = self.element(array, index)
        content = self.lines.register(f"load {array.kind.stored}, ptr {pointer}", array.kind.element)
        if array.kind.stored in ("i32", "i8"):
            return self.lines.register(f"sext {array.kind.stored} {content.text} to i64", INT)
        return content

    def _compared(
        self, node: ast.AST, left: ast.expr, operators: Sequence[ast.cmpop], others: Sequence[ast.expr]
    ) -> Value:
        before, result = self.value(left), None
        for operator, other in zip(operators, others, strict=True):
            now = self.value(other)
            holds = self.arithmetic.compared(node, operator, before, now)
            result = (
                holds if result is None else self.lines.register(f"and i1 {result.text}, {holds.text}", TRUTH)
            )
            before = now
        assert result is not None
        return result

    def _logic(self, conjunction: bool, values: Sequence[ast.expr]) -> Value:
        """Translate `and` and `or`. Cheap operands of total terms are evaluated at once, others
        only if they are needed."""
        result = Value(TRUTH, self.lines.to(self.value(values[0]), TRUTH))
        for node in values[1:]:
            if self.function.code.total and cheap(node):
                now = self.lines.to(self.value(node), TRUTH)
                result = self.lines.register(
                    f"{'and' if conjunction else 'or'} i1 {result.text}, {now}", TRUTH
                )
                continue
            more, after, came = self.lines.new_label(), self.lines.new_label(), self.lines.at
            self.lines.fork(result, *((more, after) if conjunction else (after, more)))
            self.lines.begin(more)
            now = self.lines.to(self.value(node), TRUTH)
            left = self.lines.at
            self.lines.jump(after)
            self.lines.begin(after)
            decided = "false" if conjunction else "true"
            result = self.lines.register(f"phi i1 [ {decided}, %{came} ], [ {now}, %{left} ]", TRUTH)
        return result

    def _chosen(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> Value:
        condition = self.value(test)
        if all(isinstance(n, ast.Constant) or (self.function.code.total and cheap(n)) for n in (yes, no)):
            a, b = self.value(yes), self.value(no)
            kind = common(a.kind, b.kind)
            a, b = Value(kind, self.lines.to(a, kind)), Value(kind, self.lines.to(b, kind))
            typed = TYPES[kind]
            return self.lines.register(
                f"select i1 {self.lines.to(condition, TRUTH)}, {typed} {a.text}, {typed} {b.text}", kind
            )
        first, second, after = self.lines.new_label(), self.lines.new_label(), self.lines.new_label()
        self.lines.fork(condition, first, second)
        kind = self._arm_kind(yes, no)
        arms = []
        for label, node in ((first, yes), (second, no)):
            self.lines.begin(label)
            text = self.lines.to(self.value(node), kind)
            arms.append(f"[ {text}, %{self.lines.at} ]")
            self.lines.jump(after)
        self.lines.begin(after)
        return self.lines.register(f"phi {TYPES[kind]} {', '.join(arms)}", kind)

    def _arm_kind(self, yes: ast.expr, no: ast.expr) -> str:
        """Return the kind that both arms can have; found by a trial translation that is
        discarded."""
        with self.lines.discarded():
            return common(self.value(yes).kind, self.value(no).kind)

    # -- calls ----------------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> Value | None:
        """Write a call; return its value if it has one. Raises Untranslatable."""
        if not isinstance(node.func, ast.Name):
            raise self.function.refuse(node, "a call of something that is no name")
        name = node.func.id
        built_in = {
            "int": self._to_int,
            "float": self._to_float,
            "min": self._extreme,
            "max": self._extreme,
            "abs": self._absolute,
            "len": self._length,
        }.get(name)
        if built_in is not None:
            return built_in(node)
        if name in INSTRUCTIONS and (INSTRUCTIONS[name] <= self.unit.features):
            return self._instruction(name, node)
        function = self.unit.function(name)
        if function is None:
            raise self.function.refuse(node, f"the function {name} is not known")
        wanted = parameters(function)
        if len(wanted) != len(node.args) or makes_arrays(function):
            raise self.function.refuse(node, f"{name} cannot be called like this")
        arguments = ", ".join(
            text for p, a in zip(wanted, node.args, strict=True) for text in self._argument(p, a)
        )
        kind = result_kind(function)
        if kind is None:
            self.lines.emit(f"call fastcc void @{name}({arguments})")
            return None
        return self.lines.register(f"call fastcc {TYPES[kind]} @{name}({arguments})", kind)

    def _instruction(self, name: str, node: ast.Call) -> Value | None:
        match name:
            case "prefetch":
                self.processor.prefetched(self.element(self.array(node.args[0]), node.args[1]))
                return None
            case "equals":
                array, count = self.array(node.args[0]), self.value(node.args[2])
                if not count.literal or array.kind.stored != "i64":
                    raise self.function.refuse(node, "a number of cells that is known, of 64 bits each")
                return self.processor.equals(
                    array, self.value(node.args[1]), int(count.text), self.value(node.args[3])
                )
            case "held" | "hold" | "alike":
                return self._in_planes(name, node)
        return self.processor.counted(name, [self.value(a) for a in node.args])

    def _in_planes(self, name: str, node: ast.Call) -> Value | None:
        array, (first, planes, *operands) = self.array(node.args[0]), map(self.value, node.args[1:])
        if not (first.literal and planes.literal):
            raise self.function.refuse(node, "planes that are known")
        pointers = [
            self.lines.register(
                f"getelementptr inbounds i64, ptr {array.pointer}, i64 {int(first.text) + k}", INT
            ).text
            for k in range(int(planes.text))
        ]
        match name, operands:
            case "held", [i]:
                return self.processor.held(pointers, i)
            case "alike", [count, value]:
                return self.processor.alike(pointers, int(count.text), value)
            case _, [i, value]:
                self.processor.hold(pointers, i, value)
        return None

    def _argument(self, p: Parameter, node: ast.expr) -> list[str]:
        if not isinstance(p.kind, ArrayKind):
            return [f"{TYPES[p.kind]} {self.lines.to(self.value(node), p.kind)}"]
        array = self.array(node)
        if (array.kind.stored, array.kind.dimensions) != (p.kind.stored, p.kind.dimensions):
            raise self.function.refuse(node, f"{p.name} is another kind of array")
        if p.kind.lengths > len(array.lengths):
            raise self.function.refuse(node, f"{p.name} needs an array that knows its length")
        return [f"ptr {array.pointer}", *(f"i64 {n}" for n in array.lengths[: p.kind.lengths])]

    def _to_int(self, node: ast.Call) -> Value:
        value = self.value(node.args[0])
        return value if value.kind == WORD else Value(INT, self.lines.to(value, INT))

    def _to_float(self, node: ast.Call) -> Value:
        return Value(REAL, self.lines.to(self.value(node.args[0]), REAL))

    def _extreme(self, node: ast.Call) -> Value:
        """Translate min and max, which keep the first of equal values as Python's do."""
        assert isinstance(node.func, ast.Name)
        operator: ast.cmpop = ast.Lt() if node.func.id == "min" else ast.Gt()
        result = self.value(node.args[0])
        for other in node.args[1:]:
            now = self.value(other)
            kind = common(result.kind, now.kind)
            a, b = Value(kind, self.lines.to(result, kind)), Value(kind, self.lines.to(now, kind))
            wins = self.arithmetic.compared(node, operator, b, a)
            typed = TYPES[kind]
            result = self.lines.register(f"select i1 {wins.text}, {typed} {b.text}, {typed} {a.text}", kind)
        return result

    def _absolute(self, node: ast.Call) -> Value:
        value = self.value(node.args[0])
        if value.kind == REAL:
            self.unit.declared.add("double @llvm.fabs.f64(double)")
            return self.lines.register(f"call double @llvm.fabs.f64(double {value.text})", REAL)
        text = self.lines.to(value, INT)
        below = self.lines.register(f"icmp slt i64 {text}, 0", TRUTH)
        turned = self.lines.register(f"sub i64 0, {text}", INT)
        return self.lines.register(f"select i1 {below.text}, i64 {turned.text}, i64 {text}", INT)

    def _length(self, node: ast.Call) -> Value:
        array = self.array(node.args[0])
        if not array.lengths:
            raise self.function.refuse(node, "this array does not know its length")
        return Value(INT, array.lengths[0])
