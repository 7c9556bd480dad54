"""Where lines end: Unicode annex 14, dictionaries, soft hyphens and hyphenation."""

from __future__ import annotations

from itertools import pairwise

import pytest

from playproof.generator.scene import Glyphs, Rect
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.lines import find_break_indexes_without_spaces
from playproof.generator.type.typesetter import TextBlock, TextStyle, Typesetter

SHY, ZWSP = "\u00ad", "\u200b"


def lines(block: TextBlock) -> list[str]:
    """The text of each line, as it is read."""
    read: dict[float, list[str]] = {}
    for node in block.nodes:
        if isinstance(node, Glyphs):
            read.setdefault(node.y, []).append(node.text)
    return [" ".join(parts) for _, parts in sorted(read.items())]


def setting(text: str, width: float, language: str = "en", **style: object) -> TextBlock:
    style = {"size": 10.0, **style}
    return Typesetter(get_fonts_of_game_in_export_or_project(), {}, language).typeset_text_as_large_as_box_allows(
        text, Rect(0, 0, width, 300), TextStyle(**style)
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a well-known either/or", ["a well-", "known either/", "or"]),
        ("2–3 dice, 1/2, -5, d6-1", ["2–3 dice, 1/2, -5, d6-1"]),
        ("so—and so", ["so—", "and so"]),
        ("https://w.org/some-page/x", ["https://w.org/", "some-page/", "x"]),
        ("「日本」です。カード", ["「日", "本」", "で", "す。", "カー", "ド"]),
        ("抽两张牌，弃掉。", ["抽", "两", "张", "牌，", "弃", "掉。"]),
        ("ผู้เล่นจั่วการ์ด", ["ผู้", "เล่น", "จั่ว", "การ์ด"]),
        ("בית־ספר", ["בית־", "ספר"]),
        (f"extra{SHY}ordinary x{ZWSP}y", [f"extra{SHY}", f"ordinary x{ZWSP}", "y"]),
        ("no\u00a0break a\u2060-b", ["no\u00a0break a\u2060-", "b"]),
        ("💖💖 ab-c", ["💖", "💖 ab-", "c"]),
    ],
)
def test_lines_may_end_where_the_annex_says(text: str, pieces: list[str]) -> None:
    cuts = [0, *sorted(find_break_indexes_without_spaces(text, "en")), len(text)]
    assert [text[start:end] for start, end in pairwise(cuts)] == pieces


def test_a_text_is_broken_there_and_reads_as_before() -> None:
    text = "A well-known either/or choice of dice—unthinkable"
    for align in ("left", "justify"):
        block = setting(text, 21, align=align)
        assert not block.problems
        broken = lines(block)
        assert len(broken) > 3
        assert any(line.endswith(("-", "/", "—")) for line in broken)
        joined = "".join(line if line.endswith(("-", "/", "—")) else f"{line} " for line in broken)
        assert joined.strip() == text


def test_what_stays_on_a_line_is_shaped_as_one() -> None:
    """Letters beside a break that was not taken keep their kerning, and are no words of their own."""
    [line] = [node for node in setting("well-known", 60).nodes if isinstance(node, Glyphs)]
    assert [shape.text for _, shape in line.pieces] == ["well-known"]


def test_a_soft_hyphen_prints_where_a_line_ends_and_nowhere_else() -> None:
    text = f"extra{SHY}ordinary out{SHY}come"
    assert lines(setting(text, 60)) == ["extraordinary outcome"]
    assert lines(setting(text, 16)) == ["extra-", "ordinary", "outcome"]
    for align in ("justify", "left"):
        for width in range(12, 60, 3):
            read = " ".join(lines(setting(text, width, align=align)))
            assert read.replace("- ", "") == "extraordinary outcome"


@pytest.mark.parametrize("align", ["left", "justify"])
def test_the_first_word_is_hyphenated_too(align: str) -> None:
    narrow = setting("Wahrscheinlichkeitsrechnung", 22, "de", hyphenate=True, align=align)
    assert not narrow.problems
    assert "".join(lines(narrow)).replace("-", "") == "Wahrscheinlichkeitsrechnung"
    assert all(line.endswith("-") for line in lines(narrow)[:-1])
    assert "wider than its box" in setting("Wahrscheinlichkeitsrechnung", 22, "de", align=align).problems[0]


def test_a_hyphen_stands_only_at_the_end_of_a_line() -> None:
    """Even breaks may put both halves of a hyphenated word on one line."""
    text = "Die Wahrscheinlichkeitsrechnung untersucht Zufallsgrößen und Wahrscheinlichkeitsverteilungen"
    for width in range(24, 70, 2):
        read = lines(setting(text, width, "de", hyphenate=True, align="justify"))
        assert " ".join(read).replace("- ", "") == text


def test_hebrew_with_a_hyphen_keeps_its_letters_in_order() -> None:
    whole = setting("בית־ספר", 60).nodes
    [shape] = [shape for node in whole if isinstance(node, Glyphs) for _, shape in node.pieces]
    assert "".join(reversed(shape.chars)) == "בית־ספר"
    narrow = setting("בית־ספר", 8).nodes
    assert len([node for node in narrow if isinstance(node, Glyphs)]) == 2


def test_a_line_may_end_where_a_style_begins() -> None:
    block = setting("either/**or**/neither-*nor*", 14)
    assert ["".join(line.split()) for line in lines(block)] == ["either/", "or/", "neither-", "nor"]
