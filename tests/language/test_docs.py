"""The reference page of the rules language says what the code does."""

from __future__ import annotations

import re
from inspect import isfunction
from pathlib import Path

import pytest

from playproof import language
from playproof.language import Game, RulesError
from playproof.language.declarations import FACTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "rules-language.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """First and second cell of the table below a heading."""
    found = re.search(r"(?:^\|.*\n)+", PAGE.split(heading, 1)[1], re.MULTILINE)
    assert found, heading
    cells = (line.strip("| \n").split(" | ", 1) for line in found.group().splitlines()[2:])
    return {first.strip("`"): second.strip() for first, second in cells}


def test_every_fact_is_described_as_the_code_does() -> None:
    assert rows("## Facts") == FACTS


def test_the_tutorial_shows_what_is_said_of_a_python_if() -> None:
    page = (ROOT / "docs" / "tutorial-rules.md").read_text(encoding="utf-8")
    g = Game("if")
    with pytest.raises(RulesError) as caught:
        bool(g.flag("x"))
    said = f"PP302 {caught.value.message} ({caught.value.hint})"
    assert said in " ".join(page.split())


@pytest.mark.parametrize("word", [name for name in language.__all__ if isfunction(getattr(language, name))])
def test_every_word_is_in_the_table(word: str) -> None:
    assert re.search(rf"`[^`\n]*\b{word}\b[^`\n]*`", PAGE.split("## Rules of the language")[0])
