"""Python functions as LLVM's assembly language, by their syntax trees: the part of Python that generated source and
the code beside it are written in, and nothing else.

A value is a 64-bit integer (with or without a sign), a double or a truth. A local has the kind of what it is first
given, or of its annotation; a parameter without annotation is an array of cells where its name is S, T or U, and an
integer elsewhere. Division and remainder round down as Python's do, by positive constants. Integers wrap around at
64 bits, where Python's do not: `fits` in `playproof.rules.language.source` keeps descriptions that need more out.
Array bounds are not checked. What is not understood raises `Untranslatable`, with the line.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from playproof.rules.language.machine.kinds import INT, KINDS, REAL, TRUTH, WORD, ArrayKind, Kind

_TYPES = {INT: "i64", WORD: "i64", REAL: "double", TRUTH: "i1"}
_CELLS = {"S": "Cells", "T": "Cells", "U": "Cells", "out": "Cells", "weights": "Cells", "P": "Packed", "R": "Dice"}
_SIGNED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge"}
_UNSIGNED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge"}
_REALS = {ast.Eq: "oeq", ast.NotEq: "une", ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge"}
_INTEGERS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_DOUBLES = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_DTYPES = {"int64": "Ints", "uint64": "Words"}
_CHEAP = 12  # nodes of an operand that is worked out at once, where branching would cost more


class Untranslatable(ValueError):
    """A piece of Python that has no machine code here: a fault of the house, never of a user."""

    def __init__(self, where: str, node: ast.AST, what: str) -> None:
        super().__init__(f"{where}, line {getattr(node, 'lineno', '?')}: {what}")


@dataclass(frozen=True, slots=True)
class Value:
    """A number: its kind and its text in the assembly, a register or a literal."""

    kind: str
    text: str

    @property
    def literal(self) -> bool:
        """Whether the number is known now."""
        return not self.text.startswith("%")


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array at hand: pointer and lengths, as many as its kind has."""

    kind: ArrayKind
    pointer: str
    lengths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A local that changes: its kind and where it is kept."""

    kind: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function."""

    name: str
    kind: Kind


@dataclass
class Code:
    """Source to draw functions from. In generated source every term can be worked out in every state, so that
    `and`, `or` and conditional expressions may work out both sides (`total`)."""

    where: str
    total: bool
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    tables: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, where: str, total: bool) -> Code:
        """The functions, constants and tables of a module's text."""
        code = cls(where, total)
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                code.functions[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                code._assigned(node.targets[0].id, node.value)
        return code

    def _assigned(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, int):
            self.constants[name] = int(value.value)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "_table":
            self.tables[name] = ast.literal_eval(value.args[0])


def parameters(function: ast.FunctionDef) -> tuple[Parameter, ...]:
    """The parameters of a function, by annotation or by name."""
    return tuple(Parameter(a.arg, KINDS[_annotated(a.annotation) or _CELLS.get(a.arg, "int")])
                 for a in function.args.args)


def result_kind(function: ast.FunctionDef) -> str | None:
    """The kind of what a function returns; None for nothing."""
    named = _annotated(function.returns)
    if named is not None:
        kind = None if named == "None" else KINDS[named]
        assert not isinstance(kind, ArrayKind)
        return kind
    return INT if any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function)) else None


def _annotated(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Constant):
        return "None"
    return node.id if isinstance(node, ast.Name) else None


def translate(codes: Sequence[Code], entries: Iterable[str], room: int) -> str:
    """The assembly of the entries and of all they call. Earlier codes win where a name stands in two.

    An entry is exported as `entry_NAME`. It takes arrays as a pointer and lengths, and last a pointer to `room` zero
    cells, from which the arrays made by `np.zeros` are taken.
    """
    unit = _Unit(codes, room)
    for name in entries:
        unit.export(name)
    return unit.text()


class _Unit:
    """One module in the making: functions are translated when they are first called."""

    def __init__(self, codes: Sequence[Code], room: int) -> None:
        self.codes, self.room = codes, room
        self.constants: dict[str, int] = {}
        for code in reversed(codes):
            self.constants.update(code.constants)
        self.asked: dict[str, ast.FunctionDef] = {}
        self._todo: list[tuple[str, Code]] = []
        self._tables: dict[str, int] = {}
        self._lines: list[str] = []

    def export(self, name: str) -> None:
        """Add an entry."""
        function = self.function(name)
        if function is None:
            raise KeyError(f"no function {name}")
        taken: list[str] = []
        given: list[str] = []
        bits: list[str] = []
        for number, p in enumerate(parameters(function)):
            parts = [(t, f"%a{number}_{i}") for i, t in enumerate(_flat(p.kind))]
            given += [f"{t} {text}" for t, text in parts]
            if p.kind == TRUTH:  # C has no single bits
                parts = [("i64", f"%w{number}")]
                bits.append(f"  %a{number}_0 = icmp ne i64 %w{number}, 0")
            taken += [f"{t} {text}" for t, text in parts]
        if _makes_arrays(function):
            given.append("ptr %.zeros")
        kind = result_kind(function)
        typed = "void" if kind is None else "i64" if kind == TRUTH else _TYPES[kind]
        self._lines += [f"define {typed} @entry_{name}({', '.join([*taken, 'ptr %.zeros'])}) nounwind {{", *bits]
        if kind is None:
            self._lines += [f"  call fastcc void @{name}({', '.join(given)})", "  ret void", "}"]
            return
        self._lines.append(f"  %r = call fastcc {_TYPES[kind]} @{name}({', '.join(given)})")
        if kind == TRUTH:
            self._lines += ["  %w = zext i1 %r to i64", "  ret i64 %w", "}"]
        else:
            self._lines += [f"  ret {typed} %r", "}"]

    def function(self, name: str) -> ast.FunctionDef | None:
        """The function of a name, which is then translated too."""
        if name not in self.asked:
            code = next((c for c in self.codes if name in c.functions), None)
            if code is None:
                return None
            self.asked[name] = code.functions[name]
            self._todo.append((name, code))
        return self.asked[name]

    def table(self, name: str) -> ArrayValue | None:
        """A constant table."""
        if name not in self._tables:
            values = next((c.tables[name] for c in self.codes if name in c.tables), None)
            if values is None:
                return None
            self._tables[name] = len(values)
            listed = ", ".join(f"i64 {v}" for v in values)
            self._lines.append(f"@{name} = internal unnamed_addr constant [{len(values)} x i64] [{listed}]")
        kind = KINDS["Ints"]
        assert isinstance(kind, ArrayKind)
        return ArrayValue(kind, f"@{name}", (str(self._tables[name]),))

    def text(self) -> str:
        """The whole module, once nothing is left to translate."""
        while self._todo:
            name, code = self._todo.pop()
            self._lines += _Writer(self, code, code.functions[name]).lines()
        return "\n".join([*self._lines, "declare double @llvm.fabs.f64(double)", ""])


def _flat(kind: Kind) -> list[str]:
    """The types a parameter takes up: a number one, an array its pointer and lengths."""
    if isinstance(kind, ArrayKind):
        return ["ptr", *["i64"] * kind.lengths]
    return [_TYPES[kind]]


def _makes_arrays(function: ast.FunctionDef) -> bool:
    return any(_zeros(n) for n in ast.walk(function))


def _zeros(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "zeros"


class _Writer:
    """One function being written."""

    def __init__(self, unit: _Unit, code: Code, function: ast.FunctionDef) -> None:
        self.unit, self.code, self.made = unit, code, function
        self.kind = result_kind(function)
        self.names: dict[str, Value | ArrayValue | Slot] = {}
        self._slots: list[str] = []
        self._body: list[str] = []
        self._numbers = 0
        self._label = "begin"
        self._open = True
        self._room = 0
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` go

    def lines(self) -> list[str]:
        """The function's assembly."""
        taken = []
        changed = _assigned_names(self.made)
        for p in parameters(self.made):
            taken += self._parameter(p, p.name in changed)
        if _makes_arrays(self.made):
            taken.append("ptr noalias %.zeros")
        self._block(self.made.body)
        if self._open:
            self._emit("ret void" if self.kind is None else f"ret {_TYPES[self.kind]} {_zero(self.kind)}")
        typed = "void" if self.kind is None else _TYPES[self.kind]
        return [f"define internal fastcc {typed} @{self.made.name}({', '.join(taken)}) nounwind {{", "entry:",
                *self._slots, "  br label %begin", "begin:", *self._body, "}"]

    def _parameter(self, p: Parameter, changed: bool) -> list[str]:
        if isinstance(p.kind, ArrayKind):
            lengths = tuple(f"%{p.name}.{i}" for i in range(p.kind.lengths))
            self.names[p.name] = ArrayValue(p.kind, f"%{p.name}", lengths)
            return [f"ptr noalias %{p.name}", *(f"i64 {n}" for n in lengths)]
        given = Value(p.kind, f"%{p.name}")
        self.names[p.name] = given
        if changed:
            slot = self._slot(p.name, p.kind)
            self._store(slot, given)
        return [f"{_TYPES[p.kind]} %{p.name}"]

    # -- lines ----------------------------------------------------------------------------------------------

    def _emit(self, line: str) -> None:
        if self._open:
            self._body.append(f"  {line}")

    def _register(self, line: str, kind: str) -> Value:
        self._numbers += 1
        self._emit(f"%x{self._numbers} = {line}")
        return Value(kind, f"%x{self._numbers}")

    def _new_label(self) -> str:
        self._numbers += 1
        return f"b{self._numbers}"

    def _jump(self, label: str) -> None:
        self._emit(f"br label %{label}")
        self._open = False

    def _fork(self, condition: Value, yes: str, no: str) -> None:
        self._emit(f"br i1 {self._to(condition, TRUTH)}, label %{yes}, label %{no}")
        self._open = False

    def _begin(self, label: str) -> None:
        self._body.append(f"{label}:")
        self._label, self._open = label, True

    def _slot(self, name: str, kind: str) -> Slot:
        self._numbers += 1
        slot = Slot(kind, f"%v{self._numbers}")
        self._slots.append(f"  {slot.pointer} = alloca {_TYPES[kind]}")
        self.names[name] = slot
        return slot

    def _store(self, slot: Slot, value: Value) -> None:
        self._emit(f"store {_TYPES[slot.kind]} {self._to(value, slot.kind)}, ptr {slot.pointer}")

    def _refuse(self, node: ast.AST, what: str) -> Untranslatable:
        return Untranslatable(f"{self.code.where}: {self.made.name}", node, what)

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
                held: ast.expr = ast.copy_location(ast.BinOp(_loaded(target), operator, value), node)
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
                found = [self._value(v) for v in value.elts]  # all before any is stored
                for one, got in zip(targets, found, strict=True):
                    self._put(one, got)
            case ast.Name(name) if _zeros(value):
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
                kept = self._to(value, array.kind.element)
                if array.kind.stored in ("i32", "i8"):
                    kept = self._register(f"trunc i64 {kept} to {array.kind.stored}", INT).text
                self._emit(f"store {array.kind.stored} {kept}, ptr {pointer}")
            case _:
                raise self._refuse(target, f"assignment to {type(target).__name__}")

    def _declared(self, name: str, kind: Kind, value: ast.expr) -> None:
        if isinstance(kind, ArrayKind):
            raise self._refuse(value, "an array as a local")
        slot = self.names.get(name)
        given = self._value(value)
        self._store(slot if isinstance(slot, Slot) else self._slot(name, kind), given)

    def _made(self, value: ast.expr) -> ArrayValue:
        """An array of zeros, from the room that the caller brings."""
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

    def _switch(self, cases: Sequence[tuple[int, Sequence[ast.stmt]]], what: ast.expr,
                other: Sequence[ast.stmt]) -> None:
        """`if x == 1: ... elif x == 2: ...` as one jump."""
        value, after, default = self._to(self._value(what), INT), self._new_label(), self._new_label()
        labels = [self._new_label() for _ in cases]
        jumps = " ".join(f"i64 {number}, label %{label}"
                         for (number, _), label in zip(cases, labels, strict=True))
        self._emit(f"switch i64 {value}, label %{default} [ {jumps} ]")
        self._open = False
        for label, body in zip([*labels, default], [*(body for _, body in cases), other], strict=True):
            self._begin(label)
            self._block(body)
            self._jump(after)
        self._begin(after)

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> None:
        chain = _chain(test, body, other)
        if chain is not None:
            self._switch(*chain)
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
            self._emit("ret void" if self.kind is None else f"ret {_TYPES[self.kind]} {_zero(self.kind)}")
        else:
            kind = self.kind or INT
            self._emit(f"ret {_TYPES[kind]} {self._to(self._value(value), kind)}")
        self._open = False

    # -- expressions ----------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(bool() as value):
                return Value(TRUTH, "true" if value else "false")
            case ast.Constant(int() as value):
                return _integer(value)
            case ast.Constant(float() as value):
                return Value(REAL, "0x" + struct.pack(">d", value).hex().upper())
            case ast.Name(name):
                return self._named(node, name)
            case ast.Subscript(what, index):
                return self._loaded(self._array(what), index)
            case ast.BinOp(left, operator, right):
                return self._binary(node, operator, self._value(left), self._value(right))
            case ast.UnaryOp(ast.Not(), operand):
                return self._register(f"xor i1 {self._to(self._value(operand), TRUTH)}, true", TRUTH)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return _integer(-value)
            case ast.UnaryOp(ast.USub(), operand):
                return self._minus(self._value(operand))
            case ast.BoolOp(operator, values):
                return self._logic(isinstance(operator, ast.And), values)
            case ast.Compare(left, operators, others):
                return self._compared(node, left, operators, others)
            case ast.IfExp(test, yes, no):
                return self._chosen(test, yes, no)
            case ast.Call():
                found = self._call(node)
                if found is None:
                    raise self._refuse(node, "a value is needed, the function returns none")
                return found
        raise self._refuse(node, f"expression {type(node).__name__}")

    def _named(self, node: ast.expr, name: str) -> Value:
        found = self.names.get(name)
        if isinstance(found, Slot):
            return self._register(f"load {_TYPES[found.kind]}, ptr {found.pointer}", found.kind)
        if isinstance(found, Value):
            return found
        if name in self.unit.constants:
            return _integer(self.unit.constants[name])
        raise self._refuse(node, f"the name {name}")

    def _array(self, node: ast.expr) -> ArrayValue:
        match node:
            case ast.Name(name):
                found = self.names.get(name) or self.unit.table(name)
                if isinstance(found, ArrayValue):
                    return found
            case ast.Subscript(what, index):  # a row of a grid
                grid = self._array(what)
                if grid.kind.dimensions == 2:
                    return self._row(grid, index)
        raise self._refuse(node, "an array is needed")

    def _row(self, grid: ArrayValue, index: ast.expr) -> ArrayValue:
        at = self._to(self._value(index), INT)
        first = self._register(f"mul i64 {at}, {grid.lengths[1]}", INT).text
        pointer = self._register(f"getelementptr {grid.kind.stored}, ptr {grid.pointer}, i64 {first}", INT).text
        kind = ArrayKind(grid.kind.element, grid.kind.stored, grid.kind.dtype)
        return ArrayValue(kind, pointer, (grid.lengths[1],))

    def _element(self, array: ArrayValue, index: ast.expr) -> str:
        if array.kind.dimensions == 2:
            if not isinstance(index, ast.Tuple) or len(index.elts) != 2:
                raise self._refuse(index, "a grid has two places")
            row, column = (self._to(self._value(e), INT) for e in index.elts)
            width = array.lengths[1] if array.lengths else str(self.unit.constants["WORDS"])
            first = self._register(f"mul nsw i64 {row}, {width}", INT).text
            at = self._register(f"add nsw i64 {first}, {column}", INT).text
        else:
            at = self._to(self._value(index), INT)
        return self._register(f"getelementptr inbounds {array.kind.stored}, ptr {array.pointer}, i64 {at}", INT).text

    def _loaded(self, array: ArrayValue, index: ast.expr) -> Value:
        pointer = self._element(array, index)
        found = self._register(f"load {array.kind.stored}, ptr {pointer}", array.kind.element)
        if array.kind.stored in ("i32", "i8"):
            return self._register(f"sext {array.kind.stored} {found.text} to i64", INT)
        return found

    def _to(self, value: Value, kind: str) -> str:
        """The value as another kind. Between the two kinds of integers the bits stay."""
        if value.kind == kind or {value.kind, kind} == {INT, WORD}:
            return value.text
        text = value.text
        if value.kind == TRUTH and kind != REAL:
            return str(int(text == "true")) if value.literal else self._register(f"zext i1 {text} to i64", kind).text
        if kind == TRUTH:
            if value.kind == REAL:
                return self._register(f"fcmp une double {text}, 0.0", TRUTH).text
            return self._register(f"icmp ne i64 {text}, 0", TRUTH).text
        if kind == REAL:
            how = {INT: "sitofp i64", WORD: "uitofp i64", TRUTH: "uitofp i1"}[value.kind]
            return self._register(f"{how} {text} to double", REAL).text
        return self._register(f"fptosi double {text} to i64", kind).text

    def _binary(self, node: ast.AST, operator: ast.operator, left: Value, right: Value) -> Value:
        how = type(operator)
        if REAL in (left.kind, right.kind) or how is ast.Div:
            if how not in _DOUBLES:
                raise self._refuse(node, f"{how.__name__} of doubles")
            return self._register(f"{_DOUBLES[how]} double {self._to(left, REAL)}, {self._to(right, REAL)}", REAL)
        if left.kind == right.kind == TRUTH and how in (ast.BitAnd, ast.BitOr, ast.BitXor):
            return self._register(f"{_INTEGERS[how]} i1 {left.text}, {right.text}", TRUTH)
        kind = WORD if WORD in (left.kind, right.kind) else INT
        a, b = Value(kind, self._to(left, kind)), Value(kind, self._to(right, kind))
        if how in _INTEGERS:
            return self._register(f"{_INTEGERS[how]} i64 {a.text}, {b.text}", kind)
        if how in (ast.LShift, ast.RShift):
            return self._shifted(how is ast.LShift, Value(left.kind if left.kind == WORD else INT, a.text), b)
        if how in (ast.FloorDiv, ast.Mod):
            if not b.literal or int(b.text) <= 0:
                raise self._refuse(node, "a divisor must be a positive constant")
            return self._divided(how is ast.Mod, a, int(b.text))
        raise self._refuse(node, f"operator {how.__name__}")

    def _shifted(self, leftwards: bool, value: Value, by: Value) -> Value:
        """Shifts by 64 and more give what Python's give in 64 bits: LLVM leaves them open."""
        how = "shl" if leftwards else "lshr" if value.kind == WORD else "ashr"
        if by.literal and 0 <= int(by.text) < 64:
            return self._register(f"{how} i64 {value.text}, {by.text}", value.kind)
        far = self._register(f"icmp ugt i64 {by.text}, 63", TRUTH).text
        near = self._register(f"select i1 {far}, i64 {63 if how == 'ashr' else 0}, i64 {by.text}", INT).text
        moved = self._register(f"{how} i64 {value.text}, {near}", value.kind)
        if how == "ashr":
            return moved
        return self._register(f"select i1 {far}, i64 0, i64 {moved.text}", value.kind)

    def _divided(self, rest: bool, value: Value, by: int) -> Value:
        """Quotient or rest, rounded down."""
        power = by & (by - 1) == 0
        if value.kind == WORD:
            return self._register(f"{'urem' if rest else 'udiv'} i64 {value.text}, {by}", WORD)
        if power:  # shifts and masks round down by themselves
            how = f"and i64 {value.text}, {by - 1}" if rest else f"ashr i64 {value.text}, {by.bit_length() - 1}"
            return self._register(how, INT)
        left = self._register(f"srem i64 {value.text}, {by}", INT)
        below = self._register(f"icmp slt i64 {left.text}, 0", TRUTH)
        if rest:
            more = self._register(f"add i64 {left.text}, {by}", INT)
            return self._register(f"select i1 {below.text}, i64 {more.text}, i64 {left.text}", INT)
        quotient = self._register(f"sdiv i64 {value.text}, {by}", INT)
        less = self._register(f"sext i1 {below.text} to i64", INT)
        return self._register(f"add i64 {quotient.text}, {less.text}", INT)

    def _minus(self, value: Value) -> Value:
        if value.kind == REAL:
            return self._register(f"fneg double {value.text}", REAL)
        return self._register(f"sub i64 0, {self._to(value, INT)}", INT)

    def _compared(self, node: ast.AST, left: ast.expr, operators: Sequence[ast.cmpop],
                  others: Sequence[ast.expr]) -> Value:
        before, result = self._value(left), None
        for operator, other in zip(operators, others, strict=True):
            now = self._value(other)
            found = self._one_comparison(node, operator, before, now)
            result = found if result is None else self._register(f"and i1 {result.text}, {found.text}", TRUTH)
            before = now
        assert result is not None
        return result

    def _one_comparison(self, node: ast.AST, operator: ast.cmpop, a: Value, b: Value) -> Value:
        how = type(operator)
        if how not in _SIGNED:
            raise self._refuse(node, f"comparison {how.__name__}")
        if REAL in (a.kind, b.kind):
            return self._register(f"fcmp {_REALS[how]} double {self._to(a, REAL)}, {self._to(b, REAL)}", TRUTH)
        if a.kind == b.kind == TRUTH and how in (ast.Eq, ast.NotEq):
            return self._register(f"icmp {_SIGNED[how]} i1 {a.text}, {b.text}", TRUTH)
        unsigned = WORD in (a.kind, b.kind)
        if unsigned and how not in (ast.Eq, ast.NotEq) and not all(v.kind == WORD or v.literal for v in (a, b)):
            raise self._refuse(node, "integers with and without a sign are compared")
        names = _UNSIGNED if unsigned else _SIGNED
        return self._register(f"icmp {names[how]} i64 {self._to(a, INT)}, {self._to(b, INT)}", TRUTH)

    def _logic(self, conjunction: bool, values: Sequence[ast.expr]) -> Value:
        """`and`, `or`: cheap operands of total terms are worked out at once, others only where they are needed."""
        result = Value(TRUTH, self._to(self._value(values[0]), TRUTH))
        for node in values[1:]:
            if self.code.total and _cheap(node):
                now = self._to(self._value(node), TRUTH)
                result = self._register(f"{'and' if conjunction else 'or'} i1 {result.text}, {now}", TRUTH)
                continue
            more, after, came = self._new_label(), self._new_label(), self._label
            self._fork(result, *((more, after) if conjunction else (after, more)))
            self._begin(more)
            now = self._to(self._value(node), TRUTH)
            left = self._label
            self._jump(after)
            self._begin(after)
            known = "false" if conjunction else "true"
            result = self._register(f"phi i1 [ {known}, %{came} ], [ {now}, %{left} ]", TRUTH)
        return result

    def _chosen(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> Value:
        condition = self._value(test)
        if all(isinstance(n, ast.Constant) or (self.code.total and _cheap(n)) for n in (yes, no)):
            a, b = self._value(yes), self._value(no)
            kind = _common(a.kind, b.kind)
            a, b = Value(kind, self._to(a, kind)), Value(kind, self._to(b, kind))
            typed = _TYPES[kind]
            return self._register(
                f"select i1 {self._to(condition, TRUTH)}, {typed} {a.text}, {typed} {b.text}", kind)
        first, second, after = self._new_label(), self._new_label(), self._new_label()
        self._fork(condition, first, second)
        kind = self._arm_kind(yes, no)
        arms = []
        for label, node in ((first, yes), (second, no)):
            self._begin(label)
            text = self._to(self._value(node), kind)
            arms.append(f"[ {text}, %{self._label} ]")
            self._jump(after)
        self._begin(after)
        return self._register(f"phi {_TYPES[kind]} {', '.join(arms)}", kind)

    def _arm_kind(self, yes: ast.expr, no: ast.expr) -> str:
        """The kind both arms can have: found by writing them once and throwing that away."""
        state = self._body, self._label, self._open, self._slots, dict(self.names)
        self._body, self._slots, self._open = [], [], True
        kind = _common(self._value(yes).kind, self._value(no).kind)
        self._body, self._label, self._open, self._slots, self.names = state
        return kind

    # -- calls ----------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value | None:
        if not isinstance(node.func, ast.Name):
            raise self._refuse(node, "a call of something that is no name")
        name = node.func.id
        built_in = {"int": self._to_int, "float": self._to_float, "min": self._extreme, "max": self._extreme,
                    "abs": self._absolute, "len": self._length}.get(name)
        if built_in is not None:
            return built_in(node)
        function = self.unit.function(name)
        if function is None:
            raise self._refuse(node, f"the function {name} is not known")
        wanted = parameters(function)
        if len(wanted) != len(node.args) or _makes_arrays(function):
            raise self._refuse(node, f"{name} cannot be called like this")
        given = ", ".join(text for p, a in zip(wanted, node.args, strict=True) for text in self._argument(p, a))
        kind = result_kind(function)
        if kind is None:
            self._emit(f"call fastcc void @{name}({given})")
            return None
        return self._register(f"call fastcc {_TYPES[kind]} @{name}({given})", kind)

    def _argument(self, p: Parameter, node: ast.expr) -> list[str]:
        if not isinstance(p.kind, ArrayKind):
            return [f"{_TYPES[p.kind]} {self._to(self._value(node), p.kind)}"]
        array = self._array(node)
        if (array.kind.stored, array.kind.dimensions) != (p.kind.stored, p.kind.dimensions):
            raise self._refuse(node, f"{p.name} is another kind of array")
        if p.kind.lengths > len(array.lengths):
            raise self._refuse(node, f"{p.name} needs an array that knows its length")
        return [f"ptr {array.pointer}", *(f"i64 {n}" for n in array.lengths[: p.kind.lengths])]

    def _to_int(self, node: ast.Call) -> Value:
        value = self._value(node.args[0])
        return value if value.kind == WORD else Value(INT, self._to(value, INT))

    def _to_float(self, node: ast.Call) -> Value:
        return Value(REAL, self._to(self._value(node.args[0]), REAL))

    def _extreme(self, node: ast.Call) -> Value:
        """Python's min and max keep the first of equals."""
        assert isinstance(node.func, ast.Name)
        operator: ast.cmpop = ast.Lt() if node.func.id == "min" else ast.Gt()
        result = self._value(node.args[0])
        for other in node.args[1:]:
            now = self._value(other)
            kind = _common(result.kind, now.kind)
            a, b = Value(kind, self._to(result, kind)), Value(kind, self._to(now, kind))
            wins = self._one_comparison(node, operator, b, a)
            typed = _TYPES[kind]
            result = self._register(f"select i1 {wins.text}, {typed} {b.text}, {typed} {a.text}", kind)
        return result

    def _absolute(self, node: ast.Call) -> Value:
        value = self._value(node.args[0])
        if value.kind == REAL:
            return self._register(f"call double @llvm.fabs.f64(double {value.text})", REAL)
        text = self._to(value, INT)
        below = self._register(f"icmp slt i64 {text}, 0", TRUTH)
        turned = self._register(f"sub i64 0, {text}", INT)
        return self._register(f"select i1 {below.text}, i64 {turned.text}, i64 {text}", INT)

    def _length(self, node: ast.Call) -> Value:
        array = self._array(node.args[0])
        if not array.lengths:
            raise self._refuse(node, "this array does not know its length")
        return Value(INT, array.lengths[0])


_Chain = tuple[list[tuple[int, Sequence[ast.stmt]]], ast.expr, Sequence[ast.stmt]]


def _chain(test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> _Chain | None:
    """Four and more comparisons of one cell with different constants, one after the other: cases, cell and the rest."""
    cases: dict[int, Sequence[ast.stmt]] = {}
    first: ast.expr | None = None
    while True:
        match test:
            case ast.Compare(ast.Subscript() as cell, [ast.Eq()], [ast.Constant(int() as number)]) if (
                    (first is None or ast.dump(first) == ast.dump(cell)) and number not in cases):
                cases[number], first = body, cell
            case _:
                return None
        match other:
            case [ast.If(following, then, rest)]:
                test, body, other = following, then, rest
            case _:
                return (list(cases.items()), first, other) if first is not None and len(cases) > 3 else None


def _integer(value: int) -> Value:
    """A constant; beyond 63 bits it has no sign."""
    if value >= 1 << 63:
        return Value(WORD, str(value - (1 << 64)))
    return Value(INT, str(value))


def _zero(kind: str) -> str:
    return {REAL: "0.0", TRUTH: "false"}.get(kind, "0")


def _common(a: str, b: str) -> str:
    """The kind that values of two kinds meet in."""
    if a == b:
        return a
    return next(kind for kind in (REAL, WORD, INT) if kind in (a, b))


def _loaded(target: ast.expr) -> ast.expr:
    """What an augmented assignment reads."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _cheap(node: ast.expr) -> bool:
    """Whether an operand is small and calls nothing but the built-in functions."""
    size = 0
    for inner in ast.walk(node):
        size += not isinstance(inner, ast.expr_context | ast.operator | ast.cmpop | ast.boolop | ast.unaryop)
        if isinstance(inner, ast.Call) and not (
                isinstance(inner.func, ast.Name) and inner.func.id in ("int", "min", "max", "abs")):
            return False
    return size <= _CHEAP


def _assigned_names(function: ast.FunctionDef) -> set[str]:
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


