"""Translates statements and whole functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from playproof.language.machine.functions import (
    FunctionParameter,
    FunctionSource,
    find_assigned_names,
    get_kind_of_result,
    has_array_creation,
    is_zeros_call,
    list_parameters_with_kinds,
    make_expression_reading_target,
    match_if_chain_over_one_cell,
)
from playproof.language.machine.kinds import INT, KINDS, TRUTH, ArrayKind, Kind
from playproof.language.machine.llvm_lines import (
    TYPES,
    ArrayValue,
    AssemblyLines,
    Slot,
    TypedValue,
    format_zero_of_kind,
)
from playproof.language.machine.terms import ExpressionTranslator
from playproof.language.machine.unit import AssemblyModule

_DTYPES = {"int64": "Ints", "uint64": "Words"}


class FunctionTranslator:
    """The translation of one function: it writes the statements, and `terms` the expressions in
    them, to the same lines."""

    def __init__(self, unit: AssemblyModule, function: FunctionSource) -> None:
        self.unit, self.function = unit, function
        self.lines = AssemblyLines()
        self.terms = ExpressionTranslator(unit, function, self.lines)
        self._kind = get_kind_of_result(function.tree)
        self._room = 0  # cells that the function's arrays take
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go

    def translate_function_to_lines(self) -> list[str]:
        """Return the function's assembly, line by line."""
        tree = self.function.tree
        taken = []
        changed = find_assigned_names(tree)
        for p in list_parameters_with_kinds(tree):
            taken += self._translate_parameter(p, p.name in changed)
        if has_array_creation(tree):
            taken.append("ptr noalias %.zeros")
        self._translate_block(tree.body)
        if self.lines.open:
            self._translate_return(None)
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
                self.terms.translate_call(call)
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
                self._translate_return(value)
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
            case ast.Name(name) if is_zeros_call(value):
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
                stored = self.lines.emit_conversion_to_kind(value, array.kind.element)
                if array.kind.stored in ("i32", "i8"):
                    stored = self.lines.emit_instruction_with_result(
                        f"trunc i64 {stored} to {array.kind.stored}", INT
                    ).text
                self.lines.emit_line_if_reachable(f"store {array.kind.stored} {stored}, ptr {pointer}")
            case _:
                raise self.function.make_untranslatable_error(
                    target, f"assignment to {type(target).__name__}"
                )

    def _translate_annotated_assignment(self, name: str, kind: Kind, value: ast.expr) -> None:
        if isinstance(kind, ArrayKind):
            raise self.function.make_untranslatable_error(value, "an array as a local")
        slot = self.terms.names.get(name)
        initial = self.terms.translate_expression(value)
        self.lines.emit_store_to_slot(
            slot if isinstance(slot, Slot) else self._add_local_slot(name, kind), initial
        )

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
            raise self.function.make_untranslatable_error(
                value, "an array needs a constant size, and int64 or uint64"
            )
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
        self,
        cases: Sequence[tuple[int, Sequence[ast.stmt]]],
        subject: ast.expr,
        default_body: Sequence[ast.stmt],
    ) -> None:
        """Translate `if x == 1: ... elif x == 2: ...` to one jump."""
        value, after, default = (
            self.lines.emit_conversion_to_kind(self.terms.translate_expression(subject), INT),
            self.lines.make_unused_label(),
            self.lines.make_unused_label(),
        )
        labels = [self.lines.make_unused_label() for _ in cases]
        jumps = " ".join(
            f"i64 {number}, label %{label}" for (number, _), label in zip(cases, labels, strict=True)
        )
        self.lines.end_block_with_line(f"switch i64 {value}, label %{default} [ {jumps} ]")
        for label, body in zip([*labels, default], [*(body for _, body in cases), default_body], strict=True):
            self.lines.begin_block_with_label(label)
            self._translate_block(body)
            self.lines.emit_jump(after)
        self.lines.begin_block_with_label(after)

    def _translate_if(self, test: ast.expr, body: Sequence[ast.stmt], else_body: Sequence[ast.stmt]) -> None:
        cases = match_if_chain_over_one_cell(test, body, else_body)
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
            TypedValue(INT, self.lines.emit_conversion_to_kind(self.terms.translate_expression(b), INT))
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
            self.lines.emit_instruction_with_result(f"icmp slt i64 {now.text}, {stop.text}", TRUTH),
            inside,
            after,
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

    def _translate_return(self, value: ast.expr | None) -> None:
        if value is None:
            self.lines.end_block_with_line(
                "ret void"
                if self._kind is None
                else f"ret {TYPES[self._kind]} {format_zero_of_kind(self._kind)}"
            )
        else:
            kind = self._kind or INT
            self.lines.end_block_with_line(
                f"ret {TYPES[kind]} {self.lines.emit_conversion_to_kind(self.terms.translate_expression(value), kind)}"
            )
