"""Translates statements and whole functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from playproof.language.machine.functions import (
    Function,
    Parameter,
    assigned_names,
    chain,
    is_zeros,
    loaded,
    makes_arrays,
    parameters,
    result_kind,
)
from playproof.language.machine.kinds import INT, KINDS, TRUTH, ArrayKind, Kind
from playproof.language.machine.llvm_lines import TYPES, ArrayValue, Lines, Slot, Value, zero
from playproof.language.machine.terms import Terms
from playproof.language.machine.unit import Unit

_DTYPES = {"int64": "Ints", "uint64": "Words"}


class Writer:
    """The translation of one function: it writes the statements, and `terms` the expressions in
    them, to the same lines."""

    def __init__(self, unit: Unit, function: Function) -> None:
        self.unit, self.function = unit, function
        self.lines = Lines()
        self.terms = Terms(unit, function, self.lines)
        self._kind = result_kind(function.tree)
        self._room = 0  # cells that the function's arrays take
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go

    def text(self) -> list[str]:
        """Return the function's assembly, line by line."""
        tree = self.function.tree
        taken = []
        changed = assigned_names(tree)
        for p in parameters(tree):
            taken += self._parameter(p, p.name in changed)
        if makes_arrays(tree):
            taken.append("ptr noalias %.zeros")
        self._block(tree.body)
        if self.lines.open:
            self._return(None)
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

    def _parameter(self, p: Parameter, changed: bool) -> list[str]:
        if isinstance(p.kind, ArrayKind):
            lengths = tuple(f"%{p.name}.{i}" for i in range(p.kind.lengths))
            self.terms.names[p.name] = ArrayValue(p.kind, f"%{p.name}", lengths)
            return [f"ptr noalias %{p.name}", *(f"i64 {n}" for n in lengths)]
        argument = Value(p.kind, f"%{p.name}")
        self.terms.names[p.name] = argument
        if changed:
            self.lines.store(self._local(p.name, p.kind), argument)
        return [f"{TYPES[p.kind]} %{p.name}"]

    # -- statements -----------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self.lines.open:  # what follows a return is never reached
                self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(ast.Call() as call):
                self.terms.call(call)
            case ast.Assign([target], value):
                self._assign(node, target, value)
            case ast.AnnAssign(ast.Name(name), ast.Name(kind), ast.expr() as value):
                self._declared(name, KINDS[kind], value)
            case ast.AugAssign(target, operator, value):
                held: ast.expr = ast.copy_location(ast.BinOp(loaded(target), operator, value), node)
                self._assign(node, target, held)
            case ast.If(test, body, other):
                self._if(test, body, other)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body, []):
                self._for(name, bounds, body)
            case ast.Return(value):
                self._return(value)
            case ast.Break():
                self.lines.jump(self._loops[-1][1])
            case ast.Continue():
                self.lines.jump(self._loops[-1][0])
            case _:
                raise self.function.refuse(node, f"statement {type(node).__name__}")

    def _assign(self, node: ast.AST, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Tuple(targets):
                if not isinstance(value, ast.Tuple) or len(value.elts) != len(targets):
                    raise self.function.refuse(node, "assignment of several values")
                values = [self.terms.value(v) for v in value.elts]  # all before any is stored
                for place, got in zip(targets, values, strict=True):
                    self._put(place, got)
            case ast.Name(name) if is_zeros(value):
                self.terms.names[name] = self._zeros(value)
            case _:
                self._put(target, self.terms.value(value))

    def _put(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(name):
                slot = self.terms.names.get(name)
                if not isinstance(slot, Slot):
                    slot = self._local(name, value.kind)
                self.lines.store(slot, value)
            case ast.Subscript(what, index):
                array = self.terms.array(what)
                pointer = self.terms.element(array, index)
                stored = self.lines.to(value, array.kind.element)
                if array.kind.stored in ("i32", "i8"):
                    stored = self.lines.register(f"trunc i64 {stored} to {array.kind.stored}", INT).text
                self.lines.emit(f"store {array.kind.stored} {stored}, ptr {pointer}")
            case _:
                raise self.function.refuse(target, f"assignment to {type(target).__name__}")

    def _declared(self, name: str, kind: Kind, value: ast.expr) -> None:
        if isinstance(kind, ArrayKind):
            raise self.function.refuse(value, "an array as a local")
        slot = self.terms.names.get(name)
        initial = self.terms.value(value)
        self.lines.store(slot if isinstance(slot, Slot) else self._local(name, kind), initial)

    def _local(self, name: str, kind: str) -> Slot:
        """Return the slot of a new local."""
        slot = self.lines.slot(kind)
        self.terms.names[name] = slot
        return slot

    def _zeros(self, value: ast.expr) -> ArrayValue:
        """Return an array of zeros, taken from the room that the caller passes."""
        assert isinstance(value, ast.Call)
        size = self.terms.value(value.args[0])
        dtype = value.keywords[0].value
        if not size.literal or not isinstance(dtype, ast.Attribute) or dtype.attr not in _DTYPES:
            raise self.function.refuse(value, "an array needs a constant size, and int64 or uint64")
        pointer = self.lines.register(f"getelementptr inbounds i64, ptr %.zeros, i64 {self._room}", INT).text
        self._room += int(size.text)
        if self._room > self.unit.room:
            raise self.function.refuse(
                value, f"arrays of {self._room} cells, there is room for {self.unit.room}"
            )
        kind = KINDS[_DTYPES[dtype.attr]]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, pointer, (size.text,))

    def _switch(
        self, cases: Sequence[tuple[int, Sequence[ast.stmt]]], what: ast.expr, other: Sequence[ast.stmt]
    ) -> None:
        """Translate `if x == 1: ... elif x == 2: ...` to one jump."""
        value, after, default = (
            self.lines.to(self.terms.value(what), INT),
            self.lines.new_label(),
            self.lines.new_label(),
        )
        labels = [self.lines.new_label() for _ in cases]
        jumps = " ".join(
            f"i64 {number}, label %{label}" for (number, _), label in zip(cases, labels, strict=True)
        )
        self.lines.end(f"switch i64 {value}, label %{default} [ {jumps} ]")
        for label, body in zip([*labels, default], [*(body for _, body in cases), other], strict=True):
            self.lines.begin(label)
            self._block(body)
            self.lines.jump(after)
        self.lines.begin(after)

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> None:
        cases = chain(test, body, other)
        if cases is not None:
            self._switch(*cases)
            return
        yes, no, after = self.lines.new_label(), self.lines.new_label(), self.lines.new_label()
        self.lines.fork(self.terms.value(test), yes, no if other else after)
        self.lines.begin(yes)
        self._block(body)
        ends = not self.lines.open
        self.lines.jump(after)
        if other:
            self.lines.begin(no)
            self._block(other)
            ends = ends and not self.lines.open
            self.lines.jump(after)
        if other and ends:
            self.lines.open = False
            return
        self.lines.begin(after)

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = self.lines.new_label(), self.lines.new_label(), self.lines.new_label()
        self.lines.jump(head)
        self.lines.begin(head)
        self.lines.fork(self.terms.value(test), inside, after)
        self.lines.begin(inside)
        self._loop(body, head, after)
        self.lines.jump(head)
        self.lines.begin(after)

    def _for(self, name: str, bounds: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        values = [Value(INT, self.lines.to(self.terms.value(b), INT)) for b in bounds]
        if len(values) > 2:
            raise self.function.refuse(bounds[2], "range with a step")
        start, stop = (Value(INT, "0"), *values) if len(values) == 1 else values
        head, inside, following, after = (self.lines.new_label() for _ in range(4))
        counter = self.lines.slot(INT)
        self.lines.store(counter, start)
        self.lines.jump(head)
        self.lines.begin(head)
        now = self.lines.load(counter)
        self.lines.fork(self.lines.register(f"icmp slt i64 {now.text}, {stop.text}", TRUTH), inside, after)
        self.lines.begin(inside)
        self._put(ast.Name(name, ast.Store()), now)
        self._loop(body, following, after)
        self.lines.jump(following)
        self.lines.begin(following)
        self.lines.store(counter, self.lines.register(f"add nsw i64 {now.text}, 1", INT))
        self.lines.jump(head)
        self.lines.begin(after)

    def _loop(self, body: Sequence[ast.stmt], again: str, after: str) -> None:
        self._loops.append((again, after))
        self._block(body)
        self._loops.pop()

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self.lines.end(
                "ret void" if self._kind is None else f"ret {TYPES[self._kind]} {zero(self._kind)}"
            )
        else:
            kind = self._kind or INT
            self.lines.end(f"ret {TYPES[kind]} {self.lines.to(self.terms.value(value), kind)}")
