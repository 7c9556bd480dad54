"""Expressions in layouts: what they can say, and that they can say nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from playproof.database.game import load_game
from playproof.generator.layout.expression import DEEPEST, Expression, ExpressionError, Number, Template
from playproof.generator.layout.views import ComponentViewer
from tests.generator.makers import make_game

SCOPE = {"a": 3, "name": "Owl", "items": ["x", "y"], "card": {"title": "T", "deep": {"n": 2}}, "len": len}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("a + 1", 4),
        ("a * 2 - 1", 5),
        ("7 // 2 + 7 % 2", 4),
        ("-a", -3),
        ("card.title", "T"),
        ("card.deep.n == 2", True),
        ("items[1]", "y"),
        ("len(items)", 2),
        ("'x' in items and not a > 4", True),
        ("'big' if a > 2 else 'small'", "big"),
        ("[a, a][0]", 3),
        ("1 if a else 2", 1),
    ],
)
def test_what_can_be_said(source: str, value: object) -> None:
    assert Expression(source)(SCOPE) == value


@pytest.mark.parametrize(
    "source",
    [
        "lambda: 1", "[x for x in items]", "a := 1", "f'{a}'", "name.upper()", "(1).__class__()", "print(1)(2)",
        "items[0:1]", "*items", "await a", "a if", "", "import os", "{1: 2}", "{1, 2}", "a ** 9",
    ],
)  # fmt: skip
def test_nothing_else_parses(source: str) -> None:
    with pytest.raises(ExpressionError):
        Expression(source)


@pytest.mark.parametrize("source", ["name.__class__", "card.__len__", "len.__self__", "items.append"])
def test_python_attributes_are_out_of_reach(source: str) -> None:
    with pytest.raises(ExpressionError, match=r"has no|no field"):
        Expression(source)(SCOPE)


@pytest.mark.parametrize("name", ["open", "__import__", "eval", "exec", "getattr", "member"])
def test_python_functions_are_out_of_reach(name: str) -> None:
    with pytest.raises(ExpressionError, match="no field"):
        Expression(f"{name}('x')")(SCOPE)


def test_a_misspelt_name_suggests_the_near_miss() -> None:
    with pytest.raises(ExpressionError) as caught:
        Expression("nmae")(SCOPE)
    assert "name" in caught.value.hint
    with pytest.raises(ExpressionError) as caught:
        Expression("card.tilte")(SCOPE)
    assert "title" in caught.value.hint


class TestTemplates:
    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("plain", "plain"),
            ("{name} {a:03d}", "Owl 003"),
            ("{{{a}}}", "{3}"),
            ("{items[1]}{card.title}", "yT"),
            ("{'a:b'}", "a:b"),
            ("{4 / 2}", "2"),
        ],
    )
    def test_holes_are_filled(self, source: str, text: str) -> None:
        assert Template(source)(SCOPE) == text

    def test_one_bare_hole_keeps_its_value(self) -> None:
        assert Template("{items}").evaluate_to_value_or_text(SCOPE) == ["x", "y"]
        assert Template("{a} ").evaluate_to_value_or_text(SCOPE) == "3 "

    def test_constants_are_known(self) -> None:
        assert Template("a {{b}}").constant
        assert not Template("a {b}").constant

    def test_a_format_that_does_not_fit_is_explained(self) -> None:
        with pytest.raises(ExpressionError, match="cannot write 'Owl'"):
            Template("{name:03d}")(SCOPE)


def test_numbers_are_numbers() -> None:
    assert Number(2)({}) == 2
    assert Number("a * 2")(SCOPE) == 6
    with pytest.raises(ExpressionError, match="expected a number"):
        Number("name")(SCOPE)
    for source in ("1e308 * 10", "9" * 400):
        with pytest.raises(ExpressionError, match="is too large"):
            Number(source)(SCOPE)


class _Plain:
    tables: Mapping[str, Any] = {}
    words: Mapping[str, Any] = {}


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    game = load_game(make_game(Path(tmp_path_factory.mktemp("game")) / "game"))
    return ComponentViewer(game, "en").build_expression_scope(_Plain, SCOPE)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("{range(99999999)}", "expected at most 10,000 items"),
        ("{copies(copies(copies(1, 999), 999), 999)}", "expected at most 10,000 items"),
        ("{'a' * 99999999}", "expected at most 100,000 letters"),
        ("{[1] * 99999999}", "expected at most 10,000 items"),
        ("{join(range(9999), 'a' * 99999)}", "expected at most 100,000 letters"),
        ("{'%9999999d' % a}", "takes numbers, found a text"),
        ("{name:>1000000000}", "a format of at most 999 letters"),
        ("{a:.99999999f}", "a format of at most 999 letters"),
        ("{1e308 * 10}", "a number that is too large"),
        ("{1e308 * 10:d}", "a number that is too large"),
        ("{name == 5}", "found true or false"),
        ("{items}", "found a list"),
        ("{str(items)}", "found a list"),
        ("{join([items], ', ')}", "found a list"),
        ("{card}", "found a mapping"),
        ("{rulings}", "found a mapping"),
        ("{len}", "found a function"),
        ("{terms('x')}", "the vocabulary has no group 'x'"),
    ],
)
def test_a_text_shows_text_and_numbers_of_a_bounded_length(scope: Mapping[str, Any], source: str, told: str) -> None:
    with pytest.raises(ExpressionError, match=told):
        Template(source)(scope)


@pytest.mark.parametrize("source", ["-" * 1500 + "1", "-" * 9000 + "1", "1" + "+1" * (DEEPEST + 1), "a\0", "9" * 5000])
def test_an_expression_that_nobody_reads_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError):
        Expression(source)


@pytest.mark.parametrize("source", ["{title:{id}}", "{a", "a}", "{{a}"])
def test_a_brace_that_belongs_to_no_hole_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError, match="belongs to no hole"):
        Template(source)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("{' · ' if (class or in or or) and and else ''}", " · "),
        ("{if if if else else}", "F"),
        ("{in}{or}{not}", "ION"),
        ("{card.in + card.is}", "ab"),
        ("{'yes' if 3 not in [1, 2] and not 0 else in}", "yes"),
        ("{'yes' if not or not else ''}", "yes"),
    ],
)
def test_words_that_join_values_name_fields_where_a_value_stands(source: str, value: str) -> None:
    """A sheet may have headings such as `In` and `Or`, and a draft asks which of them are blank."""
    words = {"in": "I", "or": "O", "and": "A", "if": "F", "else": "E", "not": "N", "class": "C"}
    assert Template(source)({**words, "card": {"in": "a", "is": "b"}}) == value
