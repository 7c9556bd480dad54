"""Expressions in layouts: ``{title}``, ``{number:03d}``, ``if: health > 3``, ``x: index * 8``.

They are a subset of Python: names, attributes, items, numbers, text, lists, comparisons,
and/or/not, arithmetic, ``a if b else c`` and calls of the functions given. Nothing else parses, so
nothing else can run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from inspect import signature
from types import CodeType
from typing import Any

from playproof.database.errors import did_you_mean

Scope = Mapping[str, Any]

ALLOWED = (
    ast.Expression, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Tuple,
    ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.BoolOp, ast.And,
    ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
    ast.Mod, ast.IfExp, ast.Call, ast.keyword,
)  # fmt: skip

HOLE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


class ExpressionError(ValueError):
    """The expression does not parse or cannot be evaluated. ``hint`` names the near miss."""

    code = "PP509"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NoSuchField(ExpressionError):
    """The expression uses a name that does not exist."""

    code = "PP503"


def member(thing: Any, name: str) -> Any:
    """Return ``thing.name`` of a mapping, or of a value that lists the name in ``shown``. Raises
    NoSuchField if there is no such name."""
    if isinstance(thing, Mapping):
        if name in thing:
            return thing[name]
        raise NoSuchField(f"there is no field {name!r} here", did_you_mean(name, thing))
    shown = getattr(thing, "shown", ())
    if name in shown:
        return getattr(thing, name)
    raise NoSuchField(f"{str(thing)[:30]!r} has no {name!r}", did_you_mean(name, shown))


class _Members(ast.NodeTransformer):
    """Rewrites ``a.b`` as ``member(a, "b")``."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        call = ast.Call(
            ast.Name("member ", ast.Load()), [node.value, ast.Constant(node.attr)], []
        )  # the space keeps the name out of the reach of layouts
        return ast.copy_location(call, node)


@lru_cache(maxsize=2048)
def _compiled(source: str) -> tuple[CodeType, frozenset[str]]:
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except SyntaxError as error:
        raise ExpressionError(f"cannot read the expression {source!r}: {error.msg}") from None
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED):
            raise ExpressionError(f"{type(node).__name__} is not allowed in the expression {source!r}")
        if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name)):
            raise ExpressionError(f"only plain functions can be called in {source!r}")
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    changed = ast.fix_missing_locations(_Members().visit(tree))
    return compile(changed, "<layout>", "eval"), names


class Expression:
    """A parsed expression; `__call__` evaluates it in a scope."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._code, self.names = _compiled(source)
        self._name = source if self.names == {source} else None  # most holes are a bare name

    def __call__(self, scope: Scope) -> Any:
        if self._name is not None and self._name in scope:
            return scope[self._name]
        try:
            return eval(self._code, {"__builtins__": {}, "member ": member}, scope)
        except NameError as error:
            name = str(getattr(error, "name", "") or "")
            hint = did_you_mean(name, scope)
            raise NoSuchField(f"there is no field {name!r} here", hint) from None
        except ExpressionError:
            raise
        except Exception as error:
            raise ExpressionError(f"cannot work out {self.source!r}: {self._wrong_call(scope) or error}") from None

    def _wrong_call(self, scope: Scope) -> str:
        """Return what is wrong with the first call that has too few or too many values, or "" if
        all calls fit."""
        tree = ast.parse(self.source.strip(), mode="eval")
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            try:
                takes = signature(scope[node.func.id])
            except (KeyError, TypeError, ValueError):  # not there, no function, or one of Python's without a signature
                continue
            try:
                takes.bind(*node.args)
            except TypeError:
                return f"`{node.func.id}` takes ({', '.join(takes.parameters)}), found {len(node.args)} value(s)"
        return ""


class Template:
    """Text with holes. `value` of a template that is one hole gives the hole's own value, not its
    text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parts: list[str | tuple[Expression, str]] = []
        at = 0
        for match in HOLE.finditer(source):
            self._text(source[at : match.start()])
            at = match.end()
            if match[1] is None:
                self._text(match[0][0])
            else:
                body, _, form = _split_format(match[1])
                self.parts.append((Expression(body), form))
        self._text(source[at:])

    def _text(self, text: str) -> None:
        if not text:
            return
        if self.parts and isinstance(self.parts[-1], str):
            self.parts[-1] += text
        else:
            self.parts.append(text)

    @property
    def constant(self) -> bool:
        return all(isinstance(part, str) for part in self.parts)

    def value(self, scope: Scope) -> Any:
        """Return the hole's value if the template is one bare hole, else the text."""
        if len(self.parts) == 1:
            only = self.parts[0]
            if not isinstance(only, str) and not only[1]:
                return only[0](scope)
        return self(scope)

    def __call__(self, scope: Scope) -> str:
        return "".join([part if isinstance(part, str) else _shown(part[0](scope), part[1]) for part in self.parts])

    def where(self, scope: Scope) -> Any:
        """Return the place in a card file of the first value that knows its place, or None."""
        for part in self.parts:
            if not isinstance(part, str):
                place = getattr(part[0](scope), "where", None)
                if place is not None:
                    return place
        return None


def _split_format(body: str) -> tuple[str, str, str]:
    """Split ``number:03d`` into expression, colon and format. A colon inside quotes or brackets
    belongs to the expression."""
    depth, quote = 0, ""
    for at, char in enumerate(body):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == ":" and depth == 0:
            return body[:at], ":", body[at + 1 :]
    return body, "", ""


def _shown(value: Any, form: str) -> str:
    if value is None:
        return ""
    if form:
        try:
            return format(int(value) if form.endswith("d") else value, form)
        except (ValueError, TypeError) as error:
            raise ExpressionError(f"cannot write {value!r} as {form!r}: {error}") from None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


class Number:
    """A number, or an expression that gives one."""

    def __init__(self, source: float | str) -> None:
        self.constant = not isinstance(source, str)
        self.fixed = 0.0 if isinstance(source, str) else float(source)
        self._expression = Expression(source) if isinstance(source, str) else None

    @property
    def names(self) -> frozenset[str]:
        """The names that the expression uses."""
        return self._expression.names if self._expression is not None else frozenset()

    def __call__(self, scope: Scope) -> float:
        if self._expression is None:
            return self.fixed
        value = self._expression(scope)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ExpressionError(f"expected a number, found {str(value)[:40]!r}")
        return float(value)
