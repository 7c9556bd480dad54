"""Translates statements and whole functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from playproof.language.machine.functions import (
    Parameter,
    assigned_names,
    chain,
    is_zeros,
    loaded,
    makes_arrays,
    parameters,
)
from playproof.language.machine.kinds import INT, KINDS, TRUTH, ArrayKind, Kind
from playproof.language.machine.llvm_lines import TYPES, ArrayValue, Slot, Value, zero
from playproof.language.machine.terms import Terms

_DTYPES = {"int64": "Ints", "uint64": "Words"}


class Writer(Terms):
    """The translation of one function."""

    def lines(self) -> list[str]:
        """Return the function's assembly."""
        taken = []
        changed = assigned_names(self.made)
        for p in parameters(self.made):
            taken += self._parameter(p, p.name in changed)
        if makes_arrays(self.made):
            taken.append("ptr noalias %.zeros")
        self._block(self.made.body)
        if self._open:
            self._emit("ret void" if self.kind is None else f"ret {TYPES[self.kind]} {zero(self.kind)}")
        typed = "void" if self.kind is None else TYPES[self.kind]
        return [
            f"define internal fastcc {typed} @{self.made.name}({', '.join(taken)}) nounwind {{",
            "entry:",
            *self._slots,
            "  br label %begin",
            "begin:",
            *self._body,
            "}",
        ]

    def _parameter(self, p: Parameter, changed: bool) -> list[str]:
        if isinstance(p.kind, ArrayKind):
            lengths = tuple(f"%{p.name}.{i}" for i in range(p.kind.lengths))
            self.names[p.name] = ArrayValue(p.kind, f"%{p.name}", lengths)
            return [f"ptr noalias %{p.name}", *(f"i64 {n}" for n in lengths)]
        argument = Value(p.kind, f"%{p.name}")
        self.names[p.name] = argument
        if changed:
            slot = self._slot(p.name, p.kind)
            self._store(slot, argument)
        return [f"{TYPES[p.kind]} %{p.name}"]

    # -- statements -----------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self._open:  # what follows a return is never reached
                self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(ast.Call() as call):
                self._call(call)
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
                self._jump(self._loops[-1][1])
            case ast.Continue():
                self._jump(self._loops[-1][0])
            case _:
                raise self._refuse(node, f"statement {type(node).__name__}")

    def _assign(self, node: ast.AST, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Tuple(targets):
                if not isinstance(value, ast.Tuple) or len(value.elts) != len(targets):
                    raise self._refuse(node, "assignment of several values")
                values = [self._value(v) for v in value.elts]  # all before any is stored
                for place, got in zip(targets, values, strict=True):
                    self._put(place, got)
            case ast.Name(name) if is_zeros(value):
                self.names[name] = self._made(value)
            case _:
                self._put(target, self._value(value))

    def _put(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(name):
                slot = self.names.get(name)
                if not isinstance(slot, Slot):
                    slot = self._slot(name, value.kind)
                self._store(slot, value)
            case ast.Subscript(what, index):
                array = self._array(what)
                pointer = self._element(array, index)
                stored = self._to(value, array.kind.element)
                if array.kind.stored in ("i32", "i8"):
                    stored = self._register(f"trunc i64 {stored} to {array.kind.stored}", INT).text
                self._emit(f"store {array.kind.stored} {stored}, ptr {pointer}")
            case _:
                raise self._refuse(target, f"assignment to {type(target).__name__}")

    def _declared(self, name: str, kind: Kind, value: ast.expr) -> None:
        if isinstance(kind, ArrayKind):
            raise self._refuse(value, "an array as a local")
        slot = self.names.get(name)
        initial = self._value(value)
        self._store(slot if isinstance(slot, Slot) else self._slot(name, kind), initial)

    def _made(self, value: ast.expr) -> ArrayValue:
        """Return an array of zeros, taken from the room that the caller passes."""
        assert isinstance(value, ast.Call)
        size = self._value(value.args[0])
        dtype = value.keywords[0].value
        if not size.literal or not isinstance(dtype, ast.Attribute) or dtype.attr not in _DTYPES:
            raise self._refuse(value, "an array needs a constant size, and int64 or uint64")
        pointer = self._register(f"getelementptr inbounds i64, ptr %.zeros, i64 {self._room}", INT).text
        self._room += int(size.text)
        if self._room > self.unit.room:
            raise self._refuse(value, f"arrays of {self._room} cells, there is room for {self.unit.room}")
        kind = KINDS[_DTYPES[dtype.attr]]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, pointer, (size.text,))

    def _switch(
        self, cases: Sequence[tuple[int, Sequence[ast.stmt]]], what: ast.expr, other: Sequence[ast.stmt]
    ) -> None:
        """Translate `if x == 1: ... elif x == 2: ...` to one jump."""
        value, after, default = self._to(self._value(what), INT), self._new_label(), self._new_label()
        labels = [self._new_label() for _ in cases]
        jumps = " ".join(
            f"i64 {number}, label %{label}" for (number, _), label in zip(cases, labels, strict=True)
        )
        self._emit(f"switch i64 {value}, label %{default} [ {jumps} ]")
        self._open = False
        for label, body in zip([*labels, default], [*(body for _, body in cases), other], strict=True):
            self._begin(label)
            self._block(body)
            self._jump(after)
        self._begin(after)

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> None:
        cases = chain(test, body, other)
        if cases is not None:
            self._switch(*cases)
            return
        yes, no, after = self._new_label(), self._new_label(), self._new_label()
        self._fork(self._value(test), yes, no if other else after)
        self._begin(yes)
        self._block(body)
        ends = not self._open
        self._jump(after)
        if other:
            self._begin(no)
            self._block(other)
            ends = ends and not self._open
            self._jump(after)
        if other and ends:
            self._open = False
            return
        self._begin(after)

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = self._new_label(), self._new_label(), self._new_label()
        self._jump(head)
        self._begin(head)
        self._fork(self._value(test), inside, after)
        self._begin(inside)
        self._loop(body, head, after)
        self._jump(head)
        self._begin(after)

    def _for(self, name: str, bounds: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        values = [Value(INT, self._to(self._value(b), INT)) for b in bounds]
        if len(values) > 2:
            raise self._refuse(bounds[2], "range with a step")
        start, stop = (Value(INT, "0"), *values) if len(values) == 1 else values
        head, inside, following, after = (self._new_label() for _ in range(4))
        self._numbers += 1
        counter = Slot(INT, f"%v{self._numbers}")
        self._slots.append(f"  {counter.pointer} = alloca i64")
        self._store(counter, start)
        self._jump(head)
        self._begin(head)
        now = self._register(f"load i64, ptr {counter.pointer}", INT)
        self._fork(self._register(f"icmp slt i64 {now.text}, {stop.text}", TRUTH), inside, after)
        self._begin(inside)
        self._put(ast.Name(name, ast.Store()), now)
        self._loop(body, following, after)
        self._jump(following)
        self._begin(following)
        self._store(counter, self._register(f"add nsw i64 {now.text}, 1", INT))
        self._jump(head)
        self._begin(after)

    def _loop(self, body: Sequence[ast.stmt], again: str, after: str) -> None:
        self._loops.append((again, after))
        self._block(body)
        self._loops.pop()

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self._emit("ret void" if self.kind is None else f"ret {TYPES[self.kind]} {zero(self.kind)}")
        else:
            kind = self.kind or INT
            self._emit(f"ret {TYPES[kind]} {self._to(self._value(value), kind)}")
        self._open = False
