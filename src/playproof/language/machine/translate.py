"""Translates Python functions to LLVM's assembly by their syntax trees: modules, statements, and
expressions."""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterable, Sequence

from playproof.language.machine.assembly import (
    INSTRUCTIONS,
    TYPES,
    ArithmeticTranslator,
    ArrayValue,
    AssemblyLines,
    AssemblyModule,
    InstructionTranslator,
    Slot,
    TypedValue,
    find_common_operand_kind,
    format_llvm_zero_of_kind,
    list_llvm_types_of_parameter,
    make_integer_constant,
)
from playproof.language.machine.functions import (
    FunctionParameter,
    FunctionSource,
    SourceCode,
    UntranslatableError,
    is_cheap_expression,
    is_numpy_zeros_call,
    make_expression_reading_target,
    match_if_chain_over_one_cell_or_none,
)
from playproof.language.machine.kinds import INT, KINDS, REAL, TRUTH, WORD, ArrayKind, Kind

# Translates Python functions to LLVM's assembly language by their syntax trees. It knows only the part of
# Python that generated source and the handwritten code beside it use.

__all__ = ["SourceCode", "UntranslatableError", "translate_functions_to_assembly"]


def translate_functions_to_assembly(
    codes: Sequence[SourceCode], entries: Iterable[str], scratch_cell_count: int, features: frozenset[str] = frozenset()
) -> str:
    """Return the assembly of the entries and of all functions they call, for a processor with these
    features. If two codes have the same name, the earlier one wins.

    An entry is exported as `entry_NAME`. It takes arrays as a pointer and lengths. Its last
    parameter is a pointer to `scratch_cell_count` zero cells, from which `np.zeros` takes its arrays.
    """
    unit = AssemblyModule(codes, scratch_cell_count, features)
    lines: list[str] = []
    for name in entries:
        function = unit.get_and_queue_function_or_none(name)
        if function is None:
            raise KeyError(f"no function {name}")
        lines += _generate_c_callable_entry(name, function)
    while unit.waiting:
        body = FunctionTranslator(unit, unit.waiting.pop()).translate_function_to_lines()
        lines += [*unit.pop_definitions_of_new_tables(), *body]
    declared = [f"declare {function}" for function in sorted(unit.declared)]
    return "\n".join([*lines, *declared, ""])


def _generate_c_callable_entry(name: str, function: FunctionSource) -> list[str]:
    """Return the function `entry_NAME`, which C can call."""
    taken: list[str] = []
    passed: list[str] = []
    bits: list[str] = []
    for number, p in enumerate(function.parameters):
        parts = [(t, f"%a{number}_{i}") for i, t in enumerate(list_llvm_types_of_parameter(p.kind))]
        passed += [f"{t} {text}" for t, text in parts]
        if p.kind == TRUTH:  # C has no single bits
            parts = [("i64", f"%w{number}")]
            bits.append(f"  %a{number}_0 = icmp ne i64 %w{number}, 0")
        taken += [f"{t} {text}" for t, text in parts]
    if function.creates_arrays:
        passed.append("ptr %.zeros")
    kind = function.result_kind
    typed = "void" if kind is None else "i64" if kind == TRUTH else TYPES[kind]
    head = f"define {typed} @entry_{name}({', '.join([*taken, 'ptr %.zeros'])}) nounwind {{"
    if kind is None:
        return [head, *bits, f"  call fastcc void @{name}({', '.join(passed)})", "  ret void", "}"]
    call = f"  %r = call fastcc {TYPES[kind]} @{name}({', '.join(passed)})"
    if kind == TRUTH:
        return [head, *bits, call, "  %w = zext i1 %r to i64", "  ret i64 %w", "}"]
    return [head, *bits, call, f"  ret {typed} %r", "}"]


# -- writer --------------------------------------------------------------------------------------------------
# Translates statements and whole functions.

_DTYPES = {"int64": "Ints", "uint64": "Words"}


class FunctionTranslator:
    """The translation of one function: it writes the statements, and `terms` the expressions in
    them, to the same lines."""

    def __init__(self, unit: AssemblyModule, function: FunctionSource) -> None:
        self.unit, self.function = unit, function
        self.lines = AssemblyLines()
        self.terms = ExpressionTranslator(unit, function, self.lines)
        self._kind = function.result_kind
        self._room = 0  # cells that the function's arrays take
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go

    def translate_function_to_lines(self) -> list[str]:
        """Return the function's assembly, line by line."""
        tree = self.function.tree
        taken = []
        for p in self.function.parameters:
            taken += self._translate_parameter(p, p.name in self.function.assigned_names)
        if self.function.creates_arrays:
            taken.append("ptr noalias %.zeros")
        self._translate_block(tree.body)
        if self.lines.open:
            self._translate_return_converting_to_result_kind(None)
        typed = "void" if self._kind is None else TYPES[self._kind]
        return [
            f"define internal fastcc {typed} @{tree.name}({', '.join(taken)}) nounwind {{",
            "entry:",
            *self.lines.slots,
            "  br label %begin",
            "begin:",
            *self.lines.body,
            "}",
        ]

    def _translate_parameter(self, parameter: FunctionParameter, is_assigned: bool) -> list[str]:
        if isinstance(parameter.kind, ArrayKind):
            lengths = tuple(f"%{parameter.name}.{i}" for i in range(parameter.kind.lengths))
            self.terms.names[parameter.name] = ArrayValue(parameter.kind, f"%{parameter.name}", lengths)
            return [f"ptr noalias %{parameter.name}", *(f"i64 {n}" for n in lengths)]
        argument = TypedValue(parameter.kind, f"%{parameter.name}")
        self.terms.names[parameter.name] = argument
        if is_assigned:
            self.lines.emit_store_to_slot(self._add_local_slot(parameter.name, parameter.kind), argument)
        return [f"{TYPES[parameter.kind]} %{parameter.name}"]

    # -- statements -----------------------------------------------------------------------------------------

    def _translate_block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self.lines.open:  # what follows a return is never reached
                self._translate_statement(statement)

    def _translate_statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(ast.Call() as call):
                self.terms.translate_call_or_none_if_void(call)
            case ast.Assign([target], value):
                self._translate_assignment(node, target, value)
            case ast.AnnAssign(ast.Name(name), ast.Name(kind), ast.expr() as value):
                self._translate_annotated_assignment(name, KINDS[kind], value)
            case ast.AugAssign(target, operator, value):
                held: ast.expr = ast.copy_location(
                    ast.BinOp(make_expression_reading_target(target), operator, value), node
                )
                self._translate_assignment(node, target, held)
            case ast.If(test, body, other):
                self._translate_if(test, body, other)
            case ast.While(test, body, []):
                self._translate_while(test, body)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body, []):
                self._translate_for(name, bounds, body)
            case ast.Return(value):
                self._translate_return_converting_to_result_kind(value)
            case ast.Break():
                self.lines.emit_jump(self._loops[-1][1])
            case ast.Continue():
                self.lines.emit_jump(self._loops[-1][0])
            case _:
                raise self.function.make_untranslatable_error(node, f"statement {type(node).__name__}")

    def _translate_assignment(self, node: ast.AST, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Tuple(targets):
                if not isinstance(value, ast.Tuple) or len(value.elts) != len(targets):
                    raise self.function.make_untranslatable_error(node, "assignment of several values")
                values = [self.terms.translate_expression(v) for v in value.elts]  # all before any is stored
                for place, got in zip(targets, values, strict=True):
                    self._emit_store_to_target(place, got)
            case ast.Name(name) if is_numpy_zeros_call(value):
                self.terms.names[name] = self._allocate_zero_array(value)
            case _:
                self._emit_store_to_target(target, self.terms.translate_expression(value))

    def _emit_store_to_target(self, target: ast.expr, value: TypedValue) -> None:
        match target:
            case ast.Name(name):
                slot = self.terms.names.get(name)
                if not isinstance(slot, Slot):
                    slot = self._add_local_slot(name, value.kind)
                self.lines.emit_store_to_slot(slot, value)
            case ast.Subscript(what, index):
                array = self.terms.translate_array_expression(what)
                pointer = self.terms.emit_element_pointer(array, index)
                stored = self.lines.emit_conversion_and_get_text(value, array.kind.element)
                if array.kind.stored in ("i32", "i8"):
                    stored = self.lines.emit_instruction_with_result(
                        f"trunc i64 {stored} to {array.kind.stored}", INT
                    ).text
                self.lines.emit_line_if_reachable(f"store {array.kind.stored} {stored}, ptr {pointer}")
            case _:
                raise self.function.make_untranslatable_error(target, f"assignment to {type(target).__name__}")

    def _translate_annotated_assignment(self, name: str, kind: Kind, value: ast.expr) -> None:
        if isinstance(kind, ArrayKind):
            raise self.function.make_untranslatable_error(value, "an array as a local")
        slot = self.terms.names.get(name)
        initial = self.terms.translate_expression(value)
        self.lines.emit_store_to_slot(slot if isinstance(slot, Slot) else self._add_local_slot(name, kind), initial)

    def _add_local_slot(self, name: str, kind: str) -> Slot:
        """Return the slot of a new local."""
        slot = self.lines.allocate_local_slot(kind)
        self.terms.names[name] = slot
        return slot

    def _allocate_zero_array(self, value: ast.expr) -> ArrayValue:
        """Return an array of zeros, taken from the room that the caller passes."""
        assert isinstance(value, ast.Call)
        size = self.terms.translate_expression(value.args[0])
        dtype = value.keywords[0].value
        if not size.literal or not isinstance(dtype, ast.Attribute) or dtype.attr not in _DTYPES:
            raise self.function.make_untranslatable_error(value, "an array needs a constant size, and int64 or uint64")
        pointer = self.lines.emit_instruction_with_result(
            f"getelementptr inbounds i64, ptr %.zeros, i64 {self._room}", INT
        ).text
        self._room += int(size.text)
        if self._room > self.unit.room:
            raise self.function.make_untranslatable_error(
                value, f"arrays of {self._room} cells, there is room for {self.unit.room}"
            )
        kind = KINDS[_DTYPES[dtype.attr]]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, pointer, (size.text,))

    def _translate_case_chain_to_switch(
        self, cases: Sequence[tuple[int, Sequence[ast.stmt]]], subject: ast.expr, default_body: Sequence[ast.stmt]
    ) -> None:
        """Translate `if x == 1: ... elif x == 2: ...` to one jump."""
        value, after, default = (
            self.lines.emit_conversion_and_get_text(self.terms.translate_expression(subject), INT),
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
        )
        labels = [self.lines.make_unused_label() for _ in cases]
        jumps = " ".join(f"i64 {number}, label %{label}" for (number, _), label in zip(cases, labels, strict=True))
        self.lines.end_block_with_line(f"switch i64 {value}, label %{default} [ {jumps} ]")
        for label, body in zip([*labels, default], [*(body for _, body in cases), default_body], strict=True):
            self.lines.begin_block_with_label(label)
            self._translate_block(body)
            self.lines.emit_jump(after)
        self.lines.begin_block_with_label(after)

    def _translate_if(self, test: ast.expr, body: Sequence[ast.stmt], else_body: Sequence[ast.stmt]) -> None:
        cases = match_if_chain_over_one_cell_or_none(test, body, else_body)
        if cases is not None:
            self._translate_case_chain_to_switch(*cases)
            return
        yes, no, after = (
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
        )
        self.lines.emit_branch(self.terms.translate_expression(test), yes, no if else_body else after)
        self.lines.begin_block_with_label(yes)
        self._translate_block(body)
        ends = not self.lines.open
        self.lines.emit_jump(after)
        if else_body:
            self.lines.begin_block_with_label(no)
            self._translate_block(else_body)
            ends = ends and not self.lines.open
            self.lines.emit_jump(after)
        if else_body and ends:
            self.lines.open = False
            return
        self.lines.begin_block_with_label(after)

    def _translate_while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = (
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
        )
        self.lines.emit_jump(head)
        self.lines.begin_block_with_label(head)
        self.lines.emit_branch(self.terms.translate_expression(test), inside, after)
        self.lines.begin_block_with_label(inside)
        self._translate_loop_body(body, head, after)
        self.lines.emit_jump(head)
        self.lines.begin_block_with_label(after)

    def _translate_for(self, name: str, bounds: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        values = [
            TypedValue(INT, self.lines.emit_conversion_and_get_text(self.terms.translate_expression(b), INT))
            for b in bounds
        ]
        if len(values) > 2:
            raise self.function.make_untranslatable_error(bounds[2], "range with a step")
        start, stop = (TypedValue(INT, "0"), *values) if len(values) == 1 else values
        head, inside, following, after = (self.lines.make_unused_label() for _ in range(4))
        counter = self.lines.allocate_local_slot(INT)
        self.lines.emit_store_to_slot(counter, start)
        self.lines.emit_jump(head)
        self.lines.begin_block_with_label(head)
        now = self.lines.emit_load_of_slot(counter)
        self.lines.emit_branch(
            self.lines.emit_instruction_with_result(f"icmp slt i64 {now.text}, {stop.text}", TRUTH), inside, after
        )
        self.lines.begin_block_with_label(inside)
        self._emit_store_to_target(ast.Name(name, ast.Store()), now)
        self._translate_loop_body(body, following, after)
        self.lines.emit_jump(following)
        self.lines.begin_block_with_label(following)
        self.lines.emit_store_to_slot(
            counter, self.lines.emit_instruction_with_result(f"add nsw i64 {now.text}, 1", INT)
        )
        self.lines.emit_jump(head)
        self.lines.begin_block_with_label(after)

    def _translate_loop_body(self, body: Sequence[ast.stmt], continue_label: str, break_label: str) -> None:
        self._loops.append((continue_label, break_label))
        self._translate_block(body)
        self._loops.pop()

    def _translate_return_converting_to_result_kind(self, value: ast.expr | None) -> None:
        if value is None:
            self.lines.end_block_with_line(
                "ret void" if self._kind is None else f"ret {TYPES[self._kind]} {format_llvm_zero_of_kind(self._kind)}"
            )
        else:
            kind = self._kind or INT
            self.lines.end_block_with_line(
                f"ret {TYPES[kind]} "
                f"{self.lines.emit_conversion_and_get_text(self.terms.translate_expression(value), kind)}"
            )


# -- terms ---------------------------------------------------------------------------------------------------
# Translates expressions: numbers, cells of arrays, logic and calls.


class ExpressionTranslator:
    """Writes the expressions of one function to its lines. `names` says what a name stands for; the
    writer of statements adds to it."""

    def __init__(self, unit: AssemblyModule, function: FunctionSource, lines: AssemblyLines) -> None:
        self.unit, self.function, self.lines = unit, function, lines
        self.arithmetic = ArithmeticTranslator(function, lines)
        self.processor = InstructionTranslator(lines, unit.declared)
        self.names: dict[str, TypedValue | ArrayValue | Slot] = {}

    def translate_expression(self, node: ast.expr) -> TypedValue:
        """Write an expression and return its value. Raises Untranslatable."""
        match node:
            case ast.Constant(bool() as value):
                return TypedValue(TRUTH, "true" if value else "false")
            case ast.Constant(int() as value):
                return make_integer_constant(value)
            case ast.Constant(float() as value):
                return TypedValue(REAL, "0x" + struct.pack(">d", value).hex().upper())
            case ast.Name(name):
                return self._load_named_value(node, name)
            case ast.Subscript(what, index):
                return self._emit_element_load(self.translate_array_expression(what), index)
            case ast.BinOp(left, operator, right):
                return self.arithmetic.emit_binary_operation_or_raise(
                    node, operator, self.translate_expression(left), self.translate_expression(right)
                )
            case ast.UnaryOp(ast.Not(), operand):
                return self.lines.emit_instruction_with_result(
                    f"xor i1 "
                    f"{self.lines.emit_conversion_and_get_text(self.translate_expression(operand), TRUTH)}, true",
                    TRUTH,
                )
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return make_integer_constant(-value)
            case ast.UnaryOp(ast.USub(), operand):
                return self.arithmetic.emit_negation(self.translate_expression(operand))
            case ast.BoolOp(operator, values):
                return self._translate_and_or_or(isinstance(operator, ast.And), values)
            case ast.Compare(left, operators, others):
                return self._translate_comparison(node, left, operators, others)
            case ast.IfExp(test, yes, no):
                return self._translate_conditional(test, yes, no)
            case ast.Call():
                result = self.translate_call_or_none_if_void(node)
                if result is None:
                    raise self.function.make_untranslatable_error(node, "a value is needed, the function returns none")
                return result
        raise self.function.make_untranslatable_error(node, f"expression {type(node).__name__}")

    def _load_named_value(self, node: ast.expr, name: str) -> TypedValue:
        holder = self.names.get(name)
        if isinstance(holder, Slot):
            return self.lines.emit_load_of_slot(holder)
        if isinstance(holder, TypedValue):
            return holder
        if name in self.unit.constants:
            return make_integer_constant(self.unit.constants[name])
        raise self.function.make_untranslatable_error(node, f"the name {name}")

    def translate_array_expression(self, node: ast.expr) -> ArrayValue:
        """Return the array that an expression names. Raises Untranslatable."""
        match node:
            case ast.Name(name):
                array = self.names.get(name) or self.unit.get_constant_table_as_array_or_none(name)
                if isinstance(array, ArrayValue):
                    return array
            case ast.Subscript(what, index):  # a row of a grid
                grid = self.translate_array_expression(what)
                if grid.kind.dimensions == 2:
                    return self._emit_grid_row(grid, index)
        raise self.function.make_untranslatable_error(node, "an array is needed")

    def _emit_grid_row(self, grid: ArrayValue, index: ast.expr) -> ArrayValue:
        at = self.lines.emit_conversion_and_get_text(self.translate_expression(index), INT)
        first = self.lines.emit_instruction_with_result(f"mul i64 {at}, {grid.lengths[1]}", INT).text
        pointer = self.lines.emit_instruction_with_result(
            f"getelementptr {grid.kind.stored}, ptr {grid.pointer}, i64 {first}", INT
        ).text
        kind = ArrayKind(grid.kind.element, grid.kind.stored, grid.kind.dtype)
        return ArrayValue(kind, pointer, (grid.lengths[1],))

    def emit_element_pointer(self, array: ArrayValue, index: ast.expr) -> str:
        """Return the pointer to an element."""
        if array.kind.dimensions == 2:
            if not isinstance(index, ast.Tuple) or len(index.elts) != 2:
                raise self.function.make_untranslatable_error(index, "a grid has two places")
            row, column = (
                self.lines.emit_conversion_and_get_text(self.translate_expression(e), INT) for e in index.elts
            )
            width = array.lengths[1] if array.lengths else str(self.unit.constants["WORDS"])
            first = self.lines.emit_instruction_with_result(f"mul nsw i64 {row}, {width}", INT).text
            at = self.lines.emit_instruction_with_result(f"add nsw i64 {first}, {column}", INT).text
        else:
            at = self.lines.emit_conversion_and_get_text(self.translate_expression(index), INT)
        return self.lines.emit_instruction_with_result(
            f"getelementptr inbounds {array.kind.stored}, ptr {array.pointer}, i64 {at}", INT
        ).text

    def _emit_element_load(self, array: ArrayValue, index: ast.expr) -> TypedValue:
        pointer = self.emit_element_pointer(array, index)
        content = self.lines.emit_instruction_with_result(
            f"load {array.kind.stored}, ptr {pointer}", array.kind.element
        )
        if array.kind.stored in ("i32", "i8"):
            return self.lines.emit_instruction_with_result(f"sext {array.kind.stored} {content.text} to i64", INT)
        return content

    def _translate_comparison(
        self, node: ast.AST, left: ast.expr, operators: Sequence[ast.cmpop], others: Sequence[ast.expr]
    ) -> TypedValue:
        before, result = self.translate_expression(left), None
        for operator, other in zip(operators, others, strict=True):
            now = self.translate_expression(other)
            holds = self.arithmetic.emit_comparison_or_raise(node, operator, before, now)
            result = (
                holds
                if result is None
                else self.lines.emit_instruction_with_result(f"and i1 {result.text}, {holds.text}", TRUTH)
            )
            before = now
        assert result is not None
        return result

    def _translate_and_or_or(self, is_and: bool, values: Sequence[ast.expr]) -> TypedValue:
        """Translate `and` and `or`. Cheap operands of total terms are evaluated at once, others
        only if they are needed."""
        result = TypedValue(TRUTH, self.lines.emit_conversion_and_get_text(self.translate_expression(values[0]), TRUTH))
        for node in values[1:]:
            if self.function.code.total and is_cheap_expression(node):
                now = self.lines.emit_conversion_and_get_text(self.translate_expression(node), TRUTH)
                result = self.lines.emit_instruction_with_result(
                    f"{'and' if is_and else 'or'} i1 {result.text}, {now}", TRUTH
                )
                continue
            more, after, came = self.lines.make_unused_label(), self.lines.make_unused_label(), self.lines.at
            self.lines.emit_branch(result, *((more, after) if is_and else (after, more)))
            self.lines.begin_block_with_label(more)
            now = self.lines.emit_conversion_and_get_text(self.translate_expression(node), TRUTH)
            left = self.lines.at
            self.lines.emit_jump(after)
            self.lines.begin_block_with_label(after)
            decided = "false" if is_and else "true"
            result = self.lines.emit_instruction_with_result(
                f"phi i1 [ {decided}, %{came} ], [ {now}, %{left} ]", TRUTH
            )
        return result

    def _translate_conditional(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> TypedValue:
        condition = self.translate_expression(test)
        if all(isinstance(n, ast.Constant) or (self.function.code.total and is_cheap_expression(n)) for n in (yes, no)):
            a, b = self.translate_expression(yes), self.translate_expression(no)
            kind = find_common_operand_kind(a.kind, b.kind)
            a, b = (
                TypedValue(kind, self.lines.emit_conversion_and_get_text(a, kind)),
                TypedValue(kind, self.lines.emit_conversion_and_get_text(b, kind)),
            )
            typed = TYPES[kind]
            return self.lines.emit_instruction_with_result(
                f"select i1 {self.lines.emit_conversion_and_get_text(condition, TRUTH)}, {typed} {a.text}, "
                f"{typed} {b.text}",
                kind,
            )
        first, second, after = (
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
        )
        self.lines.emit_branch(condition, first, second)
        self.lines.begin_block_with_label(first)
        a, first_end = self.translate_expression(yes), self.lines.get_current_place()
        self.lines.begin_block_with_label(second)
        b = self.translate_expression(no)
        kind = find_common_operand_kind(a.kind, b.kind)
        arms = []
        arms.append(f"[ {self.lines.emit_conversion_and_get_text(b, kind)}, %{self.lines.at} ]")
        self.lines.emit_jump(after)
        with self.lines.insert_lines_at_place(first_end):
            arms.insert(0, f"[ {self.lines.emit_conversion_and_get_text(a, kind)}, %{self.lines.at} ]")
            self.lines.emit_jump(after)
        self.lines.begin_block_with_label(after)
        return self.lines.emit_instruction_with_result(f"phi {TYPES[kind]} {', '.join(arms)}", kind)

    # -- calls ----------------------------------------------------------------------------------------------

    def translate_call_or_none_if_void(self, node: ast.Call) -> TypedValue | None:
        """Write a call; return its value if it has one. Raises Untranslatable."""
        if not isinstance(node.func, ast.Name):
            raise self.function.make_untranslatable_error(node, "a call of something that is no name")
        name = node.func.id
        built_in = {
            "int": self._translate_int,
            "float": self._translate_float,
            "min": self._translate_min_or_max,
            "max": self._translate_min_or_max,
            "abs": self._translate_abs,
            "len": self._translate_len,
        }.get(name)
        if built_in is not None:
            return built_in(node)
        if name in INSTRUCTIONS and (INSTRUCTIONS[name] <= self.unit.features):
            return self._translate_bit_instruction_or_none(name, node)
        function = self.unit.get_and_queue_function_or_none(name)
        if function is None:
            raise self.function.make_untranslatable_error(node, f"the function {name} is not known")
        wanted = function.parameters
        if len(wanted) != len(node.args) or function.creates_arrays:
            raise self.function.make_untranslatable_error(node, f"{name} cannot be called like this")
        arguments = ", ".join(
            text for p, a in zip(wanted, node.args, strict=True) for text in self._translate_argument(p, a)
        )
        kind = function.result_kind
        if kind is None:
            self.lines.emit_line_if_reachable(f"call fastcc void @{name}({arguments})")
            return None
        return self.lines.emit_instruction_with_result(f"call fastcc {TYPES[kind]} @{name}({arguments})", kind)

    def _translate_bit_instruction_or_none(self, name: str, node: ast.Call) -> TypedValue | None:
        match name:
            case "prefetch":
                self.processor.emit_prefetch(
                    self.emit_element_pointer(self.translate_array_expression(node.args[0]), node.args[1])
                )
                return None
            case "equals":
                array, count = (self.translate_array_expression(node.args[0]), self.translate_expression(node.args[2]))
                if not count.literal or array.kind.stored != "i64":
                    raise self.function.make_untranslatable_error(
                        node, "a number of cells that is known, of 64 bits each"
                    )
                return self.processor.emit_comparison_of_all_cells(
                    array,
                    self.translate_expression(node.args[1]),
                    int(count.text),
                    self.translate_expression(node.args[3]),
                )
            case "held" | "hold" | "alike":
                return self._translate_plane_access_or_none(name, node)
        return self.processor.emit_bit_operation(name, [self.translate_expression(a) for a in node.args])

    def _translate_plane_access_or_none(self, name: str, node: ast.Call) -> TypedValue | None:
        array, (first, planes, *operands) = (
            self.translate_array_expression(node.args[0]),
            map(self.translate_expression, node.args[1:]),
        )
        if not (first.literal and planes.literal):
            raise self.function.make_untranslatable_error(node, "planes that are known")
        pointers = [
            self.lines.emit_instruction_with_result(
                f"getelementptr inbounds i64, ptr {array.pointer}, i64 {int(first.text) + k}", INT
            ).text
            for k in range(int(planes.text))
        ]
        match name, operands:
            case "held", [i]:
                return self.processor.emit_read_of_cell_in_planes(pointers, i)
            case "alike", [count, value]:
                return self.processor.emit_comparison_of_all_cells_in_planes(pointers, int(count.text), value)
            case _, [i, value]:
                self.processor.emit_write_of_cell_in_planes(pointers, i, value)
        return None

    def _translate_argument(self, parameter: FunctionParameter, node: ast.expr) -> list[str]:
        if not isinstance(parameter.kind, ArrayKind):
            return [
                f"{TYPES[parameter.kind]} "
                f"{self.lines.emit_conversion_and_get_text(self.translate_expression(node), parameter.kind)}"
            ]
        array = self.translate_array_expression(node)
        if (array.kind.stored, array.kind.dimensions) != (parameter.kind.stored, parameter.kind.dimensions):
            raise self.function.make_untranslatable_error(node, f"{parameter.name} is another kind of array")
        if parameter.kind.lengths > len(array.lengths):
            raise self.function.make_untranslatable_error(
                node, f"{parameter.name} needs an array that knows its length"
            )
        return [f"ptr {array.pointer}", *(f"i64 {n}" for n in array.lengths[: parameter.kind.lengths])]

    def _translate_int(self, node: ast.Call) -> TypedValue:
        value = self.translate_expression(node.args[0])
        return value if value.kind == WORD else TypedValue(INT, self.lines.emit_conversion_and_get_text(value, INT))

    def _translate_float(self, node: ast.Call) -> TypedValue:
        return TypedValue(REAL, self.lines.emit_conversion_and_get_text(self.translate_expression(node.args[0]), REAL))

    def _translate_min_or_max(self, node: ast.Call) -> TypedValue:
        """Translate min and max, which keep the first of equal values as Python's do."""
        assert isinstance(node.func, ast.Name)
        operator: ast.cmpop = ast.Lt() if node.func.id == "min" else ast.Gt()
        result = self.translate_expression(node.args[0])
        for other in node.args[1:]:
            now = self.translate_expression(other)
            kind = find_common_operand_kind(result.kind, now.kind)
            a, b = (
                TypedValue(kind, self.lines.emit_conversion_and_get_text(result, kind)),
                TypedValue(kind, self.lines.emit_conversion_and_get_text(now, kind)),
            )
            wins = self.arithmetic.emit_comparison_or_raise(node, operator, b, a)
            typed = TYPES[kind]
            result = self.lines.emit_instruction_with_result(
                f"select i1 {wins.text}, {typed} {b.text}, {typed} {a.text}", kind
            )
        return result

    def _translate_abs(self, node: ast.Call) -> TypedValue:
        value = self.translate_expression(node.args[0])
        if value.kind == REAL:
            self.unit.declared.add("double @llvm.fabs.f64(double)")
            return self.lines.emit_instruction_with_result(f"call double @llvm.fabs.f64(double {value.text})", REAL)
        text = self.lines.emit_conversion_and_get_text(value, INT)
        below = self.lines.emit_instruction_with_result(f"icmp slt i64 {text}, 0", TRUTH)
        turned = self.lines.emit_instruction_with_result(f"sub i64 0, {text}", INT)
        return self.lines.emit_instruction_with_result(f"select i1 {below.text}, i64 {turned.text}, i64 {text}", INT)

    def _translate_len(self, node: ast.Call) -> TypedValue:
        array = self.translate_array_expression(node.args[0])
        if not array.lengths:
            raise self.function.make_untranslatable_error(node, "this array does not know its length")
        return TypedValue(INT, array.lengths[0])
