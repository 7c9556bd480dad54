"""Numbers in a rulebook's prose come from the data; those of rules are told by the chapters that state them."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.game import CARDS, game_names, load_game
from playproof.generator.book.told import told
from tests.generator.makers import make_game

RULES = """\
sections: {all: All}
labels: {en: [level, levels]}
rules:
  R1: {section: all, text: Draw three cards.}
  R2: {section: all, ruling: A1, text: Play one.}
rulings:
  A1: {question: Which?, default: any, options: {any: One of the two.}}
"""
CHAPTER = """# Cards of level 2

Each of {fact}`word(card("a1").level)` is drawn. {rule}`R1` It costs +9 :gold:, or {number}`two` of them. {rule}`R2`

1. Levels 1, 2 and 3 are open.
"""


def findings(tmp_path: Path, chapter: str = CHAPTER, rules: str = RULES) -> list[str]:
    folder = make_game(tmp_path / "game")
    (folder / "rulebook.yaml").write_text(rules, "utf-8")
    (folder / "rulebook").mkdir()
    (folder / "rulebook" / "1.md").write_text(chapter, "utf-8")
    return [f"{f.code} {f.where.line} {f.message}" for f in told(load_game(folder))]


def test_facts_names_signs_and_marked_numbers_are_fine(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


TYPED = {
    "a digit": ("It costs +9", "It costs 9", 'PP527 3 the number "9" is typed into the text'),
    "a word": ("Each of", "Each of the seven or", 'PP527 3 the number "seven" is typed into the text'),
    "a place in a row": ("Each of", "Every third of", 'PP527 3 the number "third" is typed into the text'),
    "in a heading": ("# Cards of level 2", "# Our 40 cards", 'PP527 1 the number "40" is typed into the text'),
    "in a list": ("are open.", "are open to 5.", 'PP527 5 the number "5" is typed into the text'),
    "the data changed": (".level)", ".level + 1)", "PP528 4 R1 says 3 (en), the chapters that state it say 2, 4, 9"),
    "a ruling's answer": (
        "{number}`two` of them",
        "some of them",
        "PP528 7 A1 says 2 (en), the chapters that state it say 3, 9",
    ),
}


@pytest.mark.parametrize("mistake", TYPED)
def test_what_is_typed_or_untold_is_named(mistake: str, tmp_path: Path) -> None:
    old, new, expected = TYPED[mistake]
    assert old in CHAPTER
    assert expected in findings(tmp_path, CHAPTER.replace(old, new))


def test_a_rule_that_says_another_number_is_named(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, rules=RULES.replace("three", "5"))
    assert found.startswith("PP528 4 R1 says 5 (en), the chapters that state it ")


@pytest.mark.parametrize("name", game_names(CARDS))
def test_the_games_of_the_house_are_sound(name: str) -> None:
    assert [str(finding) for finding in told(load_game(name))] == []
