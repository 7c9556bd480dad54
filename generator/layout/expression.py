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
from itertools import pairwise
from keyword import iskeyword
from math import isfinite
from types import CodeType
from typing import Any

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.generator.type.markup import list_paired_marks_or_empty_if_crossed

Scope = Mapping[str, Any]

ALLOWED = (
    ast.Expression, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Tuple,
    ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.BoolOp, ast.And,
    ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
    ast.Mod, ast.IfExp, ast.Call, ast.keyword,
)  # fmt: skip

LONGEST, DEEPEST = 2_000, 60
"""The most letters and levels of an expression."""
MOST_LETTERS, MOST_ITEMS, WIDEST = 100_000, 10_000, 999
"""The longest text and list that an expression may make, and the largest number in a format."""
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


def _list_names_for_hint_specific_first(scope: Scope, includes_functions: bool) -> list[str]:
    """Return the names of a scope for a hint: what the card has, then what every card has. Functions count only
    where a name is called: nobody who writes `{power}` means `upper`."""
    names = [name for name in scope if includes_functions or not callable(scope[name])]
    return sorted(names, key=lambda name: callable(scope[name]) or name in _GENERAL)


def get_named_member_or_raise(value: Any, name: str) -> Any:
    """Return ``thing.name`` of a mapping, or of a value that lists the name in ``readable``. Raises
    NoSuchField if there is no such name."""
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        raise NoSuchField(f"there is no field {name!r} here", make_nearest_or_possible_words_hint(name, value))
    names = getattr(value, "readable", ())
    if name in names:
        return getattr(value, name)
    raise NoSuchField(f"{str(value)[:30]!r} has no {name!r}", make_nearest_or_possible_words_hint(name, names))


def refuse_count_above_limit(count: float, unit: str = "items") -> None:
    """Raise ExpressionError if an expression makes more than any page can show."""
    most = MOST_LETTERS if unit == "letters" else MOST_ITEMS
    if count > most:
        raise ExpressionError(f"expected at most {most:,} {unit}, found more")


def count_value_and_nested_items(value: Any) -> int:
    """Return the number of items of a list, with those of the lists in it; 1 for any other value."""
    return sum(map(count_value_and_nested_items, value)) + 1 if isinstance(value, list | tuple) else 1


def multiply_or_raise_if_too_long(left: Any, right: Any) -> Any:
    """Return ``left * right``. Raises ExpressionError for a text or a list that is too long."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left * right
    for thing, count in ((left, right), (right, left)):
        if isinstance(thing, str) and isinstance(count, int):
            refuse_count_above_limit(len(thing) * count, "letters")
        elif isinstance(thing, list | tuple) and isinstance(count, int):
            refuse_count_above_limit(count_value_and_nested_items(thing) * count)
    return left * right


def compute_remainder_or_raise_for_text(left: Any, right: Any) -> Any:
    """Return ``left % right`` of numbers. Raises ExpressionError for a text, which Python would fill."""
    if isinstance(left, str):
        raise ExpressionError("`%` takes numbers, found a text", "fill a text with holes, as in `{number:03d}`")
    return left % right


# in hints, a card's own fields come first
_GENERAL = {"tables", "rulings", "language", "game", "zones", "words", "copy", "index", "total"}
_OWN = {
    "member ": get_named_member_or_raise,
    "times ": multiply_or_raise_if_too_long,
    "rest ": compute_remainder_or_raise_for_text,
}
"""What parts of expressions are rewritten to. The space keeps the names out of the reach of layouts."""


class _MemberRewriter(ast.NodeTransformer):
    """Rewrites ``a.b`` as ``get_named_member_or_raise(a, "b")``, and what can make long values as calls that bound
    them."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.Mult: "times ", ast.Mod: "rest "}.get(type(node.op))
        if name is None:
            return node
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        call = ast.Call(ast.Name("member ", ast.Load()), [node.value, ast.Constant(node.attr)], [])
        return ast.copy_location(call, node)


def _measure_syntax_tree_depth(tree: ast.AST) -> int:
    """Return the number of levels of a syntax tree."""
    depth, level = 0, [tree]
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


_JOINTS = frozenset(("if", "else", "and", "or", "not", "in", "is"))
_OURS = _JOINTS | {"None", "True", "False"}
"""Words of the layout language. Python's other words (`class`, `from`) are names of properties like any other."""
_STAND_IN = "name_written_as_"
_TOKEN = re.compile(r"""(?P<text>"[^"]*"|'[^']*')|(?<!\w)(?P<word>\d\w*|[^\W\d]\w*)|(?P<sign>\S)""")


def _is_word_that_python_parses(word: str) -> bool:
    """Return whether Python reads a word as a name, a number or a word of expressions."""
    if word[0].isdigit():
        return re.fullmatch(r"[\d_]+(e\d*)?|0[xob][\da-f_]+", word, re.IGNORECASE) is not None
    return word in _OURS or not iskeyword(word)


def _prefix_words_that_python_cannot_parse(source: str) -> str:
    """Return an expression with a prefix before each name that Python would read otherwise: `class`, and a word such as
    `in` where a value is expected, so that nothing is there to join."""
    written: list[str] = []
    tokens = [*_TOKEN.finditer(source), None]
    end, expects_value, is_after_not = 0, True, False
    for token, following in pairwise(tokens):
        assert token is not None  # the last one ends the list
        written.append(source[end : token.start()])
        end = token.end()
        word = token["word"]
        if word is None:
            written.append(token[0])
            expects_value = token["sign"] is not None and token[0] not in ")]}"
        elif word in _JOINTS and not _is_joint_named_as_value(word, following, expects_value, is_after_not):
            written.append(word)
            is_after_not = word == "not" and not expects_value
            expects_value = True
            continue
        else:
            readable = word not in _JOINTS and _is_word_that_python_parses(word)
            written.append(word if readable else _STAND_IN + word)
            expects_value = False
        is_after_not = False
    return "".join([*written, source[end:]]).strip()


def _is_joint_named_as_value(
    word: str, following: re.Match[str] | None, expects_value: bool, is_after_not: bool
) -> bool:
    """Return whether a word that joins values stands where one is expected, and so names one. `not` stands before a
    value, and is a name only where none follows."""
    if not expects_value or (is_after_not and word == "in"):
        return False
    if word != "not":
        return True
    return following is None or following[0] in (")", "]", "}", ",", "+", "*", "=", "!", "<", ">", *(_JOINTS - {"not"}))


class _NameRestorer(ast.NodeTransformer):
    """Gives names that Python would not read, such as `class` and `1st_edition`, back to the tree."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = node.id.removeprefix(_STAND_IN)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = node.attr.removeprefix(_STAND_IN)
        return node


def _parse_expression_to_syntax_tree(source: str) -> ast.Expression:
    """Return an expression's syntax tree. Raises what Python's parser does."""
    tree = ast.parse(_prefix_words_that_python_cannot_parse(source), mode="eval")
    _NameRestorer().visit(tree)
    return ast.fix_missing_locations(tree)


@lru_cache(maxsize=2048)
def _compile_expression_and_list_names(source: str) -> tuple[CodeType, frozenset[str]]:
    if len(source) > LONGEST:
        raise ExpressionError(f"expected an expression of at most {LONGEST} letters, found {len(source)}")
    try:
        tree = _parse_expression_to_syntax_tree(source)
    except SyntaxError as error:
        raise ExpressionError(f"cannot read the expression {source!r}: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError):  # too deep for Python, or a null byte
        raise ExpressionError(f"cannot read the expression {source[:40]!r}") from None
    if _measure_syntax_tree_depth(tree) > DEEPEST:
        raise ExpressionError(f"expected at most {DEEPEST} levels in the expression {source[:40]!r}, found more")
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED):
            raise ExpressionError(f"{type(node).__name__} is not allowed in the expression {source!r}")
        if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name)):
            raise ExpressionError(f"only plain functions can be called in {source!r}")
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    changed = ast.fix_missing_locations(_MemberRewriter().visit(tree))
    return compile(changed, "<layout>", "eval"), names


class Expression:
    """A parsed expression; `__call__` evaluates it in a scope."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._code, self.names = _compile_expression_and_list_names(source)
        self._name = source if self.names == {source} else None  # most holes are a bare name

    def __call__(self, scope: Scope) -> Any:
        if self._name is not None and self._name in scope:
            return scope[self._name]
        try:
            return eval(self._code, {"__builtins__": {}, **_OWN}, scope)
        except NameError as error:
            name = str(getattr(error, "name", "") or "")
            called = re.search(rf"\b{re.escape(name)}\s*\(", self.source) is not None
            hint = make_nearest_or_possible_words_hint(name, _list_names_for_hint_specific_first(scope, called))
            raise NoSuchField(f"there is no field {name!r} here", hint) from None
        except ExpressionError:
            raise
        except Exception as error:
            missing = self._explain_missing_table_entry_or_none(scope) if isinstance(error, KeyError) else None
            why, hint = missing or (self._describe_first_wrong_call_or_empty(scope) or str(error), "")
            raise ExpressionError(f"cannot work out {self.source!r}: {why}", hint) from None

    def _explain_missing_table_entry_or_none(self, scope: Scope) -> tuple[str, str] | None:
        """Return which table has no entry for a key, and the way out: a new card is in no table of all cards."""
        for node in ast.walk(_parse_expression_to_syntax_tree(self.source)):
            if isinstance(node, ast.Subscript):
                table, key = (ast.unparse(part) for part in (node.value, node.slice))
                values, name = Expression(table)(scope), Expression(key)(scope)
                if isinstance(values, Mapping) and name not in values:
                    return (f"`{table}` has no {str(name)!r}", f"add it to `{table}`, where the layout writes it")
        return None

    def _describe_first_wrong_call_or_empty(self, scope: Scope) -> str:
        """Return what is wrong with the first call that has too few or too many values, or "" if
        all calls fit."""
        tree = _parse_expression_to_syntax_tree(self.source)
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
    """Text with holes. `evaluate_to_value_or_text` of a template that is one hole gives the hole's own value, not its
    text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parts: list[str | tuple[Expression, str]] = []
        at = 0
        for match in HOLE.finditer(source):
            self._append_text_or_refuse_brace(source[at : match.start()])
            at = match.end()
            if match[1] is None:
                self._append_text_or_refuse_brace(match[0][0], refuse_braces=False)
            else:
                body, _, form = _split_hole_into_expression_colon_format(match[1])
                self.parts.append((Expression(body), form))
        self._append_text_or_refuse_brace(source[at:])
        # A hole counts as a letter: `**{cost}**` is bold whatever the cost is.
        skeleton = "".join(part if isinstance(part, str) else "x" for part in self.parts)
        self._marks = list_paired_marks_or_empty_if_crossed(skeleton) if not self.constant and "*" in skeleton else []

    @property
    def names(self) -> frozenset[str]:
        """The names that the expressions in its holes use."""
        return frozenset(name for part in self.parts if not isinstance(part, str) for name in part[0].names)

    def _join_pieces_and_tighten_marks(self, pieces: list[str]) -> str:
        """Return the pieces as text. The template's own marks stand close to what they mark: a value may begin or end
        with a space, and where all that they mark is blank they are left out."""
        made: list[str] = []
        opened: list[int] = []
        marks = iter(self._marks)
        mark = next(marks, None)
        at = 0  # in the skeleton
        for part, piece in zip(self.parts, pieces, strict=True):
            if not isinstance(part, str):
                made.append(piece)
                at += 1
                continue
            start, end = at, at + len(part)
            while mark is not None and mark.at < end:
                made.append(part[at - start : mark.at - start])
                sign = part[mark.at - start :][: mark.length]
                at = mark.at + mark.length
                if not mark.closes:
                    opened.append(len(made))
                    made.append(sign)
                else:
                    _close_mark_around_words_in_place(made, opened.pop(), sign)
                mark = next(marks, None)
            made.append(part[at - start :])
            at = end
        return "".join(made)

    def _append_text_or_refuse_brace(self, text: str, *, refuse_braces: bool = True) -> None:
        if not text:
            return
        if refuse_braces and (brace := next((letter for letter in text if letter in "{}"), "")):
            raise ExpressionError(
                f"a `{brace}` of {self.source[:60]!r} belongs to no hole, and a hole holds no other; "
                "write {{ or }} for the sign itself"
            )
        if self.parts and isinstance(self.parts[-1], str):
            self.parts[-1] += text
        else:
            self.parts.append(text)

    @property
    def constant(self) -> bool:
        return all(isinstance(part, str) for part in self.parts)

    def evaluate_to_value_or_text(self, scope: Scope) -> Any:
        """Return the hole's value if the template is one bare hole, else the text."""
        if len(self.parts) == 1:
            only = self.parts[0]
            if not isinstance(only, str) and not only[1]:
                return only[0](scope)
        return self(scope)

    def __call__(self, scope: Scope) -> str:
        pieces = [
            part if isinstance(part, str) else format_value_for_text_or_raise(part[0](scope), part[1])
            for part in self.parts
        ]
        text = self._join_pieces_and_tighten_marks(pieces) if self._marks else "".join(pieces)
        refuse_count_above_limit(len(text), "letters")
        return text

    def has_hole_with_empty_value(self, scope: Scope) -> bool:
        """Return whether a hole is filled by nothing."""
        return any(
            not format_value_for_text_or_raise(part[0](scope), part[1])
            for part in self.parts
            if not isinstance(part, str)
        )

    def find_file_place_of_first_value_or_none(self, scope: Scope) -> Any:
        """Return the place in a card file of the first value that knows its place, or None."""
        for part in self.parts:
            if not isinstance(part, str):
                place = getattr(part[0](scope), "where", None)
                if place is not None:
                    return place
        return None


def _close_mark_around_words_in_place(text_pieces: list[str], opening_index: int, sign: str) -> None:
    """Put a closing mark behind what was made since its partner, which stands at ``opening_index``."""
    marked = "".join(text_pieces[opening_index + 1 :])
    words = marked.strip(" \t\n")
    if not words:
        text_pieces[opening_index:] = [marked]
        return
    first = marked.index(words)
    text_pieces[opening_index:] = [marked[:first], sign, words, sign, marked[first + len(words) :]]


def _split_hole_into_expression_colon_format(hole_content: str) -> tuple[str, str, str]:
    """Split ``number:03d`` into expression, colon and format. A colon inside quotes or brackets
    belongs to the expression."""
    depth, quote = 0, ""
    for at, char in enumerate(hole_content):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == ":" and depth == 0:
            return hole_content[:at], ":", hole_content[at + 1 :]
    return hole_content, "", ""


def format_value_for_text_or_raise(value: Any, format_spec: str = "") -> str:
    """Return a value as a text shows it. Raises ExpressionError for what is neither text nor number."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ExpressionError(*_describe_unprintable_value_and_hint(value))
    if isinstance(value, int | float) and not _is_finite_as_float(value):
        raise ExpressionError("expected text or a number, found a number that is too large")
    if format_spec:
        if any(int(number[:9]) > WIDEST for number in re.findall(r"\d+", format_spec)):
            raise ExpressionError(f"expected a format of at most {WIDEST} letters, found {format_spec[:40]!r}")
        try:
            return format(int(value) if format_spec.endswith("d") else value, format_spec)
        except (ValueError, TypeError) as error:
            raise ExpressionError(f"cannot write {value!r} as {format_spec!r}: {error}") from None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _is_finite_as_float(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a whole number that no decimal number can hold
        return False


def _describe_unprintable_value_and_hint(value: Any) -> tuple[str, str]:
    """Return what is wrong with a value in a text, and what to write instead."""
    if isinstance(value, bool):
        kind, hint = "true or false", "write `'words' if ... else 'others'`"
    elif isinstance(value, list | tuple):
        kind, hint = "a list", "write `join(..., ', ')`, or name an item: `...[0]`"
    elif isinstance(value, Mapping):
        kind, hint = "a mapping", f"name one of its values, as in `.{next(iter(value), 'name')}`"
    else:
        kind, hint = "a function", "call it, as in `len(...)`"
    return f"expected text or a number, found {kind}", hint


MM_PER = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "px": 25.4 / 96}
"""Millimetres in each unit of length. A px is that of the web, a 96th of an inch."""
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(mm|cm|in|pt|px)\s*")
_INNER_QUANTITY = re.compile(r"""("[^"]*"|'[^']*')|(?<![\w.])((?:\d+\.?\d*|\.\d+))(mm|cm|in|pt|px)\b""")


def convert_lengths_in_expression_to_unit(source: str, unit: str) -> float | str:
    """Return a length such as `2.5in`, or an expression with such lengths in it, in another unit. Raises
    ExpressionError if ``unit`` is "": then no length stands here.

    >>> (convert_lengths_in_expression_to_unit("1in", "mm"), convert_lengths_in_expression_to_unit("index * 2cm", "mm"),
    ...  convert_lengths_in_expression_to_unit("4", "mm"))
    (25.4, 'index * 20.0', '4')
    """
    match = _QUANTITY.fullmatch(source)
    if match is None and _INNER_QUANTITY.search(source) is None:
        return source
    if not unit and (match is not None or any(each[2] for each in _INNER_QUANTITY.finditer(source))):
        raise ExpressionError(f"expected a number without a unit, found {source!r}: no length stands here")
    if match is not None:
        return float(match[1]) * MM_PER[match[2]] / MM_PER[unit]

    def convert(each: re.Match[str]) -> str:
        return each[0] if each[2] is None else repr(float(each[2]) * MM_PER[each[3]] / MM_PER[unit])

    return _INNER_QUANTITY.sub(convert, source)


class Number:
    """A number, or an expression that gives one. Of a length, ``unit`` says what it is counted in."""

    def __init__(self, source: float | str, unit: str = "") -> None:
        if isinstance(source, str):
            source = convert_lengths_in_expression_to_unit(source, unit)
        self.constant = not isinstance(source, str)
        self.fixed = 0.0 if isinstance(source, str) else float(source)
        self._expression = Expression(source) if isinstance(source, str) else None

    @property
    def names(self) -> frozenset[str]:
        """The names that the expression uses."""
        return self._expression.names if self._expression is not None else frozenset()

    @property
    def source(self) -> str:
        """The expression as written, or the number."""
        return self._expression.source if self._expression is not None else f"{self.fixed:g}"

    def __call__(self, scope: Scope) -> float:
        if self._expression is None:
            return self.fixed
        value = self._expression(scope)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ExpressionError(f"expected a number, found {str(value)[:40]!r}")
        if not _is_finite_as_float(value):
            raise ExpressionError(f"expected a number, {self._expression.source[:40]!r} is too large")
        return float(value)
