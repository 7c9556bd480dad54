"""Conditions as text: `placed <= 2 * round and hearts > 0`, read into terms of a game.

Names are the game's quantities, then its fields (`board[4]`), then its invariants. A name with spaces stands in
backquotes: `owns I01` > 0. The operators are + - *, comparisons, and, or, not. A side that is
compared with an enumeration or the phase may be one of its value names: `phase == choose`, `hand[0]
== "king of cups"`.
"""

from __future__ import annotations

import ast
import re

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.rules.language import Array, Const, Game, RulesError, Term, Value, all_of, any_of
from playproof.rules.language.expr import as_term
from playproof.rules.language.fields import Field

_QUOTED = re.compile(r"`([^`]+)`")


class Formula:
    """Reads condition text for one game. Findings name `where` as their place."""

    def __init__(self, game: Game, where: Where) -> None:
        self.game, self.where = game, where

    def read(self, text: str) -> Term:
        """Return the term of a condition or quantity. Raises InputError, which says what was
        expected."""
        names: dict[str, str] = {}

        def name(match: re.Match[str]) -> str:
            plain = f"quoted_{len(names)}"
            names[plain] = match.group(1)
            return plain

        try:
            tree = ast.parse(_QUOTED.sub(name, str(text)).strip(), mode="eval")
            return as_term(self._node(tree.body, names))
        except SyntaxError as error:
            raise self.wrong(f"`{text}` cannot be read as a condition: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError):  # a null byte, or nested too deeply
            raise self.wrong(f"`{str(text)[:60]}` cannot be read as a condition") from None

    def wrong(self, message: str, hint: str = "") -> InputError:
        """Return an input error at this formula's place."""
        return InputError([Finding("PP702", self.where, message, hint)])

    def named(self, name: str) -> Term:
        """Return a quantity, a single field, or a condition that the game declares, by name. Raises
        InputError."""
        if name in self.game.quantities:
            return self.game.quantities[name]
        handle = self.game.handles.get(name)
        if handle is not None and not isinstance(handle, Array):
            return handle.term()
        invariants = self.game.facts.get("invariants") or {}
        if name in invariants:
            return as_term(invariants[name])
        if handle is not None:
            raise self.wrong(f"`{name}` has several cells", f"name one of them, as `{name}[0]`")
        known = [*self.game.quantities, *self.game.handles, *invariants]
        raise self.wrong(f"`{name}` is neither a quantity nor a field of {self.game.name}", did_you_mean(name, known))

    def _node(self, node: ast.expr, names: dict[str, str]) -> Value:
        match node:
            case ast.Constant(value=bool() | int()):
                return Const(int(node.value))  # type: ignore[arg-type]  # the pattern has just said it is a number
            case ast.Name(id=ident):
                return self.named(names.get(ident, ident))
            case ast.Subscript(value=ast.Name(id=ident)):
                return self._cell(names.get(ident, ident), node.slice)
            case ast.UnaryOp(op=ast.Not()):
                return ~as_term(self._node(node.operand, names))
            case ast.UnaryOp(op=ast.USub()):
                return -as_term(self._node(node.operand, names))
            case ast.BinOp():
                return self._binary(node, names)
            case ast.BoolOp():
                parts = [self._node(v, names) for v in node.values]
                return all_of(parts) if isinstance(node.op, ast.And) else any_of(parts)
            case ast.Compare():
                return self._compare(node, names)
        raise self.wrong(f"`{ast.unparse(node)}` is not allowed in a condition", "use + - * comparisons and or not")

    def _cell(self, name: str, place: ast.expr) -> Value:
        handle = self.game.handles.get(name)
        if not isinstance(handle, Array):
            raise self.wrong(f"`{name}` is not an array of {self.game.name}")
        try:
            index = ast.literal_eval(place)
        except ValueError:
            raise self.wrong(f"`{name}[{ast.unparse(place)}]`: expected the number of a cell, as `{name}[0]`") from None
        try:
            return handle[index]
        except RulesError as error:
            raise self.wrong(error.message) from None

    def _enumeration(self, node: ast.expr, names: dict[str, str]) -> Field | None:
        """Return the field with named values that a side of a comparison reads, or None."""
        named = node.value if isinstance(node, ast.Subscript) else node
        if not isinstance(named, ast.Name):
            return None
        name = names.get(named.id, named.id)
        handle = None if name in self.game.quantities else self.game.handles.get(name)
        return handle.field if handle is not None and handle.field.labels else None

    def _side(self, node: ast.expr, names: dict[str, str], held: Field | None) -> Value:
        """Return a side of a comparison. It may be a value name of the field `held` on the other
        side. A quantity or field of that name takes precedence; a text in quotes is always a value
        name."""
        match node:
            case ast.Constant(value=str()):
                word, quoted = str(node.value), True
            case ast.Name(id=ident):
                word, quoted = names.get(ident, ident), False
            case _:
                return self._node(node, names)
        known = [*self.game.quantities, *self.game.handles]
        if not quoted and (word in known or held is None):
            return self.named(word)
        if held is None:
            raise self.wrong(f'"{word}" is compared with nothing whose values have names')
        if word not in held.labels:
            raise self.wrong(f"`{word}` is no value of `{held.name}`", did_you_mean(word, [*held.labels, *known])
                             or f"it has {', '.join(held.labels)}")
        return Const(held.lo + held.labels.index(word))

    def _binary(self, node: ast.BinOp, names: dict[str, str]) -> Value:
        left, right = as_term(self._node(node.left, names)), as_term(self._node(node.right, names))
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
        raise self.wrong(f"`{ast.unparse(node)}`: only + - * are known")

    def _compare(self, node: ast.Compare, names: dict[str, str]) -> Value:
        sides = (node.left, *node.comparators)
        labels = next((held for side in sides if (held := self._enumeration(side, names))), None)
        values = [as_term(self._side(side, names, labels)) for side in sides]
        parts = []
        for op, a, b in zip(node.ops, values, values[1:], strict=False):
            match op:
                case ast.Eq():
                    parts.append(a == b)
                case ast.NotEq():
                    parts.append(a != b)
                case ast.Lt():
                    parts.append(a < b)
                case ast.LtE():
                    parts.append(a <= b)
                case ast.Gt():
                    parts.append(a > b)
                case ast.GtE():
                    parts.append(a >= b)
                case _:
                    raise self.wrong(f"`{ast.unparse(node)}`: only == != < <= > >= are known")
        return all_of(parts)
