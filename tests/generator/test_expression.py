"""Expressions in layouts: what they can say, and that they can say nothing else."""

from __future__ import annotations

import pytest

from playproof.generator.layout.expression import Expression, ExpressionError, Number, Template

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
        assert Template("{items}").value(SCOPE) == ["x", "y"]
        assert Template("{a} ").value(SCOPE) == "3 "

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
