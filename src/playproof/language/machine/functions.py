"""Functions to translate, as syntax trees: their positions, parameters and results, and patterns in
their bodies."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from playproof.language.machine.kinds import INT, KINDS, ArrayKind, Kind

TupleFields = dict[str, dict[str, ast.expr]]
"""Named tuples, and the fields of each with their annotations."""

_CELLS = {"S": "Cells", "T": "Cells", "U": "Cells", "out": "Cells", "weights": "Cells", "P": "Packed", "R": "Dice"}
_CHEAP = 12  # nodes of an operand that is worked out at once, where branching would cost more


class UntranslatableError(ValueError):
    """A piece of Python that has no translation to machine code. It is a fault of the project,
    never of a user."""

    def __init__(self, where: str, node: ast.AST, what: str) -> None:
        super().__init__(f"{where}, line {getattr(node, 'lineno', '?')}: {what}")


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """A parameter of a function."""

    name: str
    kind: Kind


@dataclass
class SourceCode:
    """Source that functions are taken from. In generated source (`total`), every term can be
    evaluated in every state, so `and`, `or` and conditional expressions may evaluate both sides."""

    where: str
    total: bool
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    tables: dict[str, list[int]] = field(default_factory=dict)
    groups: TupleFields = field(default_factory=dict)

    @classmethod
    def parse_module_text(cls, text: str, where: str, total: bool) -> SourceCode:
        """Return the functions, constants, tables and named tuples of a module's text."""
        code = cls(where, total)
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                code.functions[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                code._note_value_if_constant_or_table(node.targets[0].id, node.value)
            elif isinstance(node, ast.ClassDef):
                fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
                code.groups[node.name] = {ast.unparse(each.target): each.annotation for each in fields}
        return code

    def _note_value_if_constant_or_table(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, int):
            self.constants[name] = int(value.value)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "_table":
            self.tables[name] = ast.literal_eval(value.args[0])


class TupleFlattener(ast.NodeTransformer):
    """Spreads named tuples: a parameter that is one becomes a parameter for each field, as do arguments."""

    def __init__(self, groups: TupleFields) -> None:
        self.groups = groups
        self._spread: dict[str, list[str]] = {}

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        """Spread the parameters."""
        taken: list[ast.arg] = []
        for a in node.args:
            fields = self.groups.get(_get_annotation_name_or_none(a.annotation) or "")
            if fields is None:
                taken.append(a)
                continue
            self._spread[a.arg] = [*fields]
            taken += [ast.arg(f"{a.arg}__{name}", kind) for name, kind in fields.items()]
        node.args = taken
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Read a field from its own parameter."""
        if isinstance(node.value, ast.Name) and node.value.id in self._spread:
            return ast.copy_location(ast.Name(f"{node.value.id}__{node.attr}", node.ctx), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Spread the arguments."""
        self.generic_visit(node)
        node.args = [part for argument in node.args for part in self._expand_tuple_argument(argument)]
        return node

    def _expand_tuple_argument(self, argument: ast.expr) -> list[ast.expr]:
        if not isinstance(argument, ast.Name) or argument.id not in self._spread:
            return [argument]
        names = (f"{argument.id}__{name}" for name in self._spread[argument.id])
        return [ast.copy_location(ast.Name(name, ast.Load()), argument) for name in names]


@dataclass(frozen=True)
class FunctionSource:
    """A function to translate, and the source it is taken from."""

    code: SourceCode
    tree: ast.FunctionDef

    @cached_property
    def parameters(self) -> tuple[FunctionParameter, ...]:
        """Its parameters, with kinds from their annotations or names."""
        return tuple(
            FunctionParameter(a.arg, KINDS[_get_annotation_name_or_none(a.annotation) or _CELLS.get(a.arg, "int")])
            for a in self.tree.args.args
        )

    @cached_property
    def result_kind(self) -> str | None:
        """The kind of its result, or None if it returns nothing."""
        named = _get_annotation_name_or_none(self.tree.returns)
        if named is None:
            returns = (s for s in iter_statements(self.tree.body) if isinstance(s, ast.Return))
            return INT if any(s.value is not None for s in returns) else None
        kind = None if named == "None" else KINDS[named]
        assert not isinstance(kind, ArrayKind)
        return kind

    @cached_property
    def creates_arrays(self) -> bool:
        """Whether it needs room for arrays of its own."""
        statements = iter_statements(self.tree.body)
        return any(isinstance(s, ast.Assign) and is_numpy_zeros_call(s.value) for s in statements)

    @cached_property
    def assigned_names(self) -> frozenset[str]:
        """The names that it assigns."""
        return frozenset(
            target.id
            for statement in iter_statements(self.tree.body)
            for target in _list_targets_of_statement(statement)
            if isinstance(target, ast.Name)
        )

    def make_untranslatable_error(self, node: ast.AST, construct: str) -> UntranslatableError:
        """Return the error that says what has no translation, and where it is."""
        return UntranslatableError(f"{self.code.where}: {self.tree.name}", node, construct)


def iter_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body and of all bodies in it. Expressions are not looked into: they are most of the
    source, and they assign nothing."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.For | ast.While):
            yield from iter_statements(statement.body)
            yield from iter_statements(statement.orelse)


def _list_targets_of_statement(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets):
            return [part for t in targets for part in (t.elts if isinstance(t, ast.Tuple) else [t])]
        case ast.AnnAssign(target) | ast.AugAssign(target) | ast.For(target):
            return [target]
    return []


def _get_annotation_name_or_none(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Constant):
        return "None"
    return node.id if isinstance(node, ast.Name) else None


def is_numpy_zeros_call(node: ast.AST) -> bool:
    """Return whether this node makes an array: `np.zeros(...)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "zeros"


CaseChain = tuple[list[tuple[int, Sequence[ast.stmt]]], ast.expr, Sequence[ast.stmt]]


def match_if_chain_over_one_cell_or_none(
    test: ast.expr, body: Sequence[ast.stmt], else_body: Sequence[ast.stmt]
) -> CaseChain | None:
    """Return the cases, the cell and the rest of an if-chain that compares one cell with at least
    four different constants. Return None for any other statement."""
    cases: dict[int, Sequence[ast.stmt]] = {}
    first: ast.expr | None = None
    while True:
        match test:
            case ast.Compare(ast.Subscript() as cell, [ast.Eq()], [ast.Constant(int() as number)]) if (
                first is None or ast.dump(first) == ast.dump(cell)
            ) and number not in cases:
                cases[number], first = body, cell
            case _:
                return None
        match else_body:
            case [ast.If(following, then, rest)]:
                test, body, else_body = following, then, rest
            case _:
                return (list(cases.items()), first, else_body) if first is not None and len(cases) > 3 else None


def make_expression_reading_target(target: ast.expr) -> ast.expr:
    """Return the expression that an augmented assignment reads."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def is_cheap_expression(node: ast.expr) -> bool:
    """Return whether an operand is small and calls nothing but built-in functions."""
    size = 0
    for inner in ast.walk(node):
        size += not isinstance(inner, ast.expr_context | ast.operator | ast.cmpop | ast.boolop | ast.unaryop)
        if isinstance(inner, ast.Call) and not (
            isinstance(inner.func, ast.Name) and inner.func.id in ("int", "min", "max", "abs")
        ):
            return False
        if size > _CHEAP:
            return False
    return True
