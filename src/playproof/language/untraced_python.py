"""Reads a file of rules as text and finds Python that the trace cannot see: it runs once, while the game is
built, and leaves nothing in the game.

    s.turn == 1 - s.turn        compares, and nobody reads the answer
    with when(s.x is None)      asks Python, which answers once for all games
    scores[0] += 1              changes a list of Python, not a field
    with when(a): return        leaves the function in all games, whatever `a` is"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from playproof.language.errors import Place, RulesError

_DECORATORS = {"action", "on", "procedure", "function"}
_FIELDS = {"integer", "flag", "choice", "array", "remember_phase"}
_PURE = {"otherwise", "each", "pick", "sum_of", "any_of", "all_of", "count_of", "min_of", "max_of", "clamp", "when"}
_CHANCES = {"random", "secrets", "uuid", "time", "datetime"}
_REPEATABLE = {"Random", "date", "timedelta"}  # with a seed or fixed numbers they are the same in every run
_CHANGES = {"append", "extend", "insert", "remove", "pop", "clear", "add", "discard", "update", "setdefault", "sort"}
_SETS = {"set", "frozenset"}
_PROCESS_VALUES = {"hash", "id"}  # of a text or an object another number in each run
_CONTAINERS = {"list", "dict", "set", "defaultdict", "Counter", "deque"}
_CHANCE = "chance acts in `g.phase(name, CHANCE)`: one action, with a parameter for the results"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_errors_of_ineffective_python(files: Iterable[Path]) -> list[RulesError]:
    """Return an error for each piece of Python in these files of rules that does nothing in the game. A
    file that Python cannot read has none; it is refused when it is loaded."""
    sources = ((file, file.read_bytes()) for file in files)
    return [
        error
        for file, source in sources
        if not _has_no_ineffective_python(source)
        for error in _iter_ineffective_python_errors(str(file), source)
    ]


@lru_cache(512)
def _has_no_ineffective_python(source: bytes) -> bool:
    """Return whether nothing in a file is lost. A game is built once for each setting, from the same files."""
    return not any(True for _ in _iter_ineffective_python_errors("", source))


def _iter_ineffective_python_errors(file: str, source: bytes) -> Iterator[RulesError]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    yield from _RulesFileReader(file, tree).iter_ineffective_python_errors()


class _RulesFileReader:
    """One reading of a file: what it imports and declares, then each statement."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file = file
        self.nodes = [*ast.walk(tree)]
        functions = [node for node in self.nodes if isinstance(node, _Function)]
        self.bodies = [f for f in functions if any(map(_is_call_of_rule_decorator, f.decorator_list))]
        self.own = {f.name for f in functions}
        self.states = {
            name
            for name, value in self._iter_assigned_names_with_values()
            if isinstance(value, ast.Attribute) and value.attr == "state"
        }
        self.fields = set[str]()
        for node in self.nodes:
            match node:
                case ast.Call(func=ast.Attribute(attr=word), args=[ast.Constant(value=name), *_]):
                    if word in _FIELDS:
                        self.fields.add(str(name))

    def iter_ineffective_python_errors(self) -> Iterator[RulesError]:
        """Yield the errors in the order of their kinds."""
        yield from self._iter_unused_value_errors()
        yield from self._iter_operator_slip_errors()
        yield from self._iter_errors_of_is_operator()
        yield from self._iter_errors_of_leaving_a_block()
        yield from self._iter_random_call_errors()
        yield from self._iter_errors_of_values_of_one_run()
        yield from self._iter_unused_function_errors()
        for body in self.bodies:
            yield from self._iter_errors_of_names_hiding_fields(body)
            yield from self._iter_errors_of_changed_python_data(body)

    def _make_rules_error_at_node(self, code: str, node: ast.AST, message: str, hint: str) -> RulesError:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        return RulesError(code, message, hint, Place(self.file, line, column))

    def _iter_assigned_names_with_values(self, root: ast.AST | None = None) -> Iterator[tuple[str, ast.expr]]:
        """Yield each plain name that is assigned, and its value."""
        for node in self.nodes if root is None else ast.walk(root):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, node.value
            elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
                yield node.target.id, node.value

    # -- statements that do nothing -------------------------------------------------------------------------

    def _iter_unused_value_errors(self) -> Iterator[RulesError]:
        """PP363: a statement whose value nobody reads."""
        unreturned = {id(node) for body in self.bodies if not _has_return_if_needed(body) for node in body.body}
        for node in self.nodes:
            if isinstance(node, ast.Expr):
                hint = self._suggest_fix_for_unused_value_or_empty(node.value)
                if hint and id(node) not in unreturned:
                    yield self._make_rules_error_at_node(
                        "PP363", node, f"`{_format_node_shortened(node)}` does nothing: nobody reads its value", hint
                    )

    def _suggest_fix_for_unused_value_or_empty(self, value: ast.expr) -> str:
        match value:
            case ast.Call(func=ast.Name(id=word)) if word in _PURE - self.own:
                return f"write `with {word}(...):`" if word in ("when", "otherwise") else "assign it, or remove it"
            case ast.Compare(ops=[ast.Eq()]):
                return "write one `=` to assign; put a condition into `require(...)` or `with when(...)`"
            case ast.Compare() | ast.BoolOp():
                return "put a condition into `require(...)` or `with when(...)`"
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return f"write `{name}(...)` to call it, or remove it"
            case ast.Constant(value=text) if isinstance(text, str) or text is ...:
                return ""
            case (
                ast.BinOp()
                | ast.UnaryOp()
                | ast.Subscript()
                | ast.Tuple()
                | ast.Constant()
                | ast.JoinedStr()
                | ast.Lambda()
            ):
                return "assign it with `=`, or remove it"
        return ""

    def _iter_operator_slip_errors(self) -> Iterator[RulesError]:
        """PP363, PP302: `=+` for `+=`, and `|` or `&` between two numbers."""
        for node in self.nodes:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.UnaryOp)
                and isinstance(node.value.op, ast.UAdd)
            ):
                yield self._make_rules_error_at_node(
                    "PP363", node, f"`{_format_node_shortened(node)}` assigns the value itself", "write `+=` to add"
                )
            if (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.BitOr | ast.BitAnd)
                and all(isinstance(side, ast.Constant) and type(side.value) is int for side in (node.left, node.right))
            ):
                yield self._make_rules_error_at_node(
                    "PP302",
                    node,
                    f"`{_format_node_shortened(node)}` joins two numbers, not two conditions",
                    "write each comparison whole and in parentheses: `(a == 1) | (a == 2)`",
                )

    def _iter_errors_of_is_operator(self) -> Iterator[RulesError]:
        """PP302: `is` asks whether two things of Python are one, which two values of the state never are."""
        parameters = set[int]()
        for body in self.bodies:
            names = {a.arg for a in body.args.args}
            parameters |= {id(n) for n in ast.walk(body) if isinstance(n, ast.Name) and n.id in names}
        for node in self.nodes:
            if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                sides = [node.left, *node.comparators]
                fields = any(
                    _get_root_name_or_empty(side) in self.states and not isinstance(side, ast.Name) for side in sides
                )
                if fields or any(id(side) in parameters for side in sides):
                    message = (
                        f"`{_format_node_shortened(node)}` asks Python whether both are one thing; "
                        "values of the state never are"
                    )
                    yield self._make_rules_error_at_node("PP302", node, message, "write `==` or `!=`")

    def _iter_random_call_errors(self) -> Iterator[RulesError]:
        """PP364: a number that Python draws, or reads from the clock, while the game is built."""
        modules, names = set[str](), set[str]()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                modules |= {a.asname or a.name for a in node.names if a.name in _CHANCES}
            elif isinstance(node, ast.ImportFrom) and node.module in _CHANCES:
                names |= {a.asname or a.name for a in node.names if a.name not in _REPEATABLE}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                called = node.func
                drawn = isinstance(called, ast.Name) and called.id in names
                if isinstance(called, ast.Attribute) and called.attr not in _REPEATABLE:
                    drawn = _get_root_name_or_empty(called) in modules | (names & {"datetime"})
                if drawn:
                    message = (
                        f"`{_format_node_shortened(node)}` runs once, while the game is built, so every "
                        f"game would have "
                        "its result"
                    )
                    yield self._make_rules_error_at_node("PP364", node, message, _CHANCE)

    def _iter_errors_of_leaving_a_block(self) -> Iterator[RulesError]:
        """PP364: `return`, `break` or `continue` under `with when(...)`, which Python does in all games."""
        for node in self.nodes:
            if isinstance(node, ast.With) and any(map(_is_conditional_block, node.items)):
                for leaving in _iter_statements_that_leave_block(node):
                    word = type(leaving).__name__.lower()
                    message = (
                        f"`{word}` under `with {_format_node_shortened(node.items[0].context_expr)}` leaves "
                        "the block in all games, whether the condition holds or not"
                    )
                    hint = "put what follows under `with otherwise():`; choose a value by `pick(condition, a, b)`"
                    yield self._make_rules_error_at_node("PP364", leaving, message, hint)

    def _iter_errors_of_values_of_one_run(self) -> Iterator[RulesError]:
        """PP364: a loop through a set, and a `hash` or `id`, which are others in each run of Python."""
        assigned = list(self._iter_assigned_names_with_values())
        lists = {name for name, value in assigned if not _is_set_of_unknown_order(value)}
        names = {name for name, _ in assigned} - lists
        for node in self.nodes:
            match node:
                case ast.Call(func=ast.Name(id=word)) if word in _PROCESS_VALUES - self.own:
                    message = f"`{_format_node_shortened(node)}` is another number in each run of Python"
                    yield self._make_rules_error_at_node(
                        "PP364", node, message, "number things by their place in a list"
                    )
            if isinstance(node, ast.For):
                sources = [node.iter]
            elif isinstance(node, ast.ListComp):
                sources = [part.iter for part in node.generators]
            else:
                continue
            for source in sources:
                is_name_of_set = isinstance(source, ast.Name) and source.id in names
                if is_name_of_set or _is_set_of_unknown_order(source):
                    text = _format_node_shortened(source)
                    message = f"Python goes through the set `{text}` in another order in each run"
                    yield self._make_rules_error_at_node("PP364", source, message, f"write `sorted({text})`")

    def _iter_unused_function_errors(self) -> Iterator[RulesError]:
        """PP365: a function inside another, which nothing uses: it was not made a rule."""
        used = {node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        for outer in self.nodes:
            if isinstance(outer, _Function):
                for node in outer.body:  # a method of a class is called by its object
                    if (
                        isinstance(node, _Function)
                        and not node.decorator_list
                        and node.name not in used
                        and not node.name.startswith("_")
                    ):
                        yield self._make_rules_error_at_node(
                            "PP365",
                            node,
                            f"nothing uses the function `{node.name}`",
                            "write `@g.action(phase, text)` or `@g.on(phase)` above it, or call it",
                        )

    # -- what a body keeps in Python ------------------------------------------------------------------------

    def _iter_errors_of_names_hiding_fields(self, body: _Function) -> Iterator[RulesError]:
        """PP363: a new Python name where the field of that name was meant."""
        read = {node.id for node in ast.walk(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        for node in ast.walk(body):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name) and target.id in self.fields - read:
                        message = (
                            f"`{target.id} = ...` makes a name of Python that nobody reads; "
                            f"the field `{target.id}` stays as it is"
                        )
                        yield self._make_rules_error_at_node("PP363", target, message, f"write `s.{target.id} = ...`")

    def _iter_errors_of_changed_python_data(self, body: _Function) -> Iterator[RulesError]:
        """PP364: a body that changes a name, list or dict of Python, which no game has."""
        hint = "declare a field (`g.integer`, `g.array`) and assign that"
        outside = self._find_containers_made_outside_body(body)
        for node in ast.walk(body):
            if isinstance(node, ast.Global | ast.Nonlocal):
                listed = ", ".join(node.names)
                message = f"the body changes `{listed}` of Python, once, while the game is built"
                yield self._make_rules_error_at_node("PP364", node, message, hint)
            target = _find_name_of_changed_container(node)
            if target is not None and target.id in outside:
                message = f"the body changes the Python list or dict `{target.id}`, once, while the game is built"
                yield self._make_rules_error_at_node("PP364", target, message, hint)
            if isinstance(node, ast.Try):
                yield self._make_rules_error_at_node(
                    "PP364",
                    node,
                    "Python runs this `try` once, while the game is built",
                    "write `require(...)` for what must hold, `with when(...)` for a choice",
                )

    def _find_containers_made_outside_body(self, body: _Function) -> set[str]:
        """Return the names of lists, dicts and sets that are made outside a body."""
        inside = {name for name, _ in self._iter_assigned_names_with_values(body)} | {a.arg for a in body.args.args}
        made = {name for name, value in self._iter_assigned_names_with_values() if _is_container_expression(value)}
        return made - inside


def _is_call_of_rule_decorator(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DECORATORS


def _has_return_if_needed(body: _Function) -> bool:
    """Return whether a body needs no `return`, or has one. That of `@g.function` without it is refused
    by the trace."""
    named = any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "function"
        for node in body.decorator_list
    )
    return not named or any(isinstance(node, ast.Return) for node in ast.walk(body))


def _is_container_expression(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _CONTAINERS
    if isinstance(value, ast.BinOp):  # [0] * 9
        return _is_container_expression(value.left) or _is_container_expression(value.right)
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def _is_conditional_block(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("when", "otherwise")


def _iter_statements_that_leave_block(block: ast.AST, *, in_loop: bool = False) -> Iterator[ast.stmt]:
    """Yield each `return`, `break` and `continue` that leaves a block: not those of functions and loops inside."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break | ast.Continue) and not in_loop):
            yield node
        elif not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            yield from _iter_statements_that_leave_block(node, in_loop=in_loop or isinstance(node, ast.For | ast.While))


def _is_set_of_unknown_order(value: ast.expr) -> bool:
    """Return whether an expression makes a set of more than written numbers, which Python orders by their values."""
    if isinstance(value, ast.Set):
        return not all(isinstance(part, ast.Constant) and isinstance(part.value, int) for part in value.elts)
    called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _SETS
    return called or isinstance(value, ast.SetComp)


def _find_name_of_changed_container(node: ast.AST) -> ast.Name | None:
    """Return the name whose list or dict a statement changes, or None."""
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and called.attr in _CHANGES and isinstance(called.value, ast.Name):
            return called.value
    for target in targets:
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            return target.value
    return None


def _get_root_name_or_empty(node: ast.expr) -> str:
    """Return the name that an expression such as `s.board[i]` begins with, or ""."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _format_node_shortened(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 50 else f"{text[:47]}..."
