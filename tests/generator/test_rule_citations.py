"""Reference sheets and texts without effects say the numbers of the rules that they cite."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from playproof.database.game import load_game
from playproof.database.installation import CARDS
from playproof.generator.book.chapter_numbers import list_sorted_number_errors_in_chapters
from tests.generator.makers import VOCABULARY, make_game

KINDS = (
    VOCABULARY
    + """\
  sheet:
    name: {en: Sheet}
    id: '[a-z]+'
    fields:
      title: words
      text: {type: words, required: false}
      size: {type: integer, required: false}
      parts:
        type: list
        required: false
        of:
          type: record
          fields: {rules: {type: list, of: text, required: false}, lines: {type: list, of: words}}
"""
)
RULES = """\
sections: {all: All}
labels: {en: [level, levels], fr: [niveau]}
rules:
  R1: {section: all, text: {en: Draw three cards., fr: Pioche trois cartes.}}
  R2: {section: all, text: {en: Level 2 costs 5 and a Gold., fr: Le niveau 2 coûte 5 et un Or.}}
"""
SHEET = """kind: sheet
defaults: {rules: [R1]}
components:
  aid:
    title: {en: Seven Aids, fr: Sept aides}
    text: {en: Draw 3 of the 25., fr: Pioches-en 3 sur 25.}
    size: 25
    parts:
      - {lines: [{en: "**2** Draw 3.", fr: "**2** Pioche 3."}]}
      - {rules: [R2], lines: [{en: "level 2: 5, and 1 Gold; +2 is a sign", fr: "niveau 2 : 5, et 1 Or"}]}
"""


def findings(tmp_path: Path, sheet: str = SHEET, rules: str = RULES, kinds: str = KINDS) -> list[str]:
    folder = make_game(tmp_path / "game", vocabulary=kinds)
    (folder / "sheets.yaml").write_text(sheet, "utf-8")
    if rules:
        (folder / "rulebook.yaml").write_text(rules, "utf-8")
    return [
        f"{f.code} {f.where.line} {f.full_message}" for f in list_sorted_number_errors_in_chapters(load_game(folder))
    ]


def test_what_is_cited_may_be_said(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


def test_a_field_rules_that_cites_none_is_something_else(tmp_path: Path) -> None:
    """A designer may call any field so, a house rule in plain text for one."""
    kinds = KINDS.replace("rules: {type: list, of: text, required: false}", "rules: {type: text, required: false}")
    sheet = SHEET.replace("rules: [R2], lines", "rules: of the house, lines")
    [first, *_] = findings(tmp_path, sheet, kinds=kinds)
    assert first.startswith("PP529 10 aid: says 5 (en), what it cites (R1)")


def test_one_text_of_many_cards_is_one_finding(tmp_path: Path) -> None:
    """It names the first place, and how many cards say it; what only one card says stays apart."""
    twin = SHEET.partition("  aid:\n")[2].replace("[R2], lines", "[R1], lines")
    sheet = SHEET.replace("Draw 3 of", "Draw 4 of") + "  second:\n" + twin.replace("Draw 3 of", "Draw 4 of")
    text, *others = findings(tmp_path, sheet)
    assert text == "PP529 6 aid and 1 more: says 4 (en), what it cites (R1) and has: 1, 3, 25"
    assert others
    assert all(" second: " in line for line in others)


WRONG = {
    "a text": ("Draw 3 of", "Draw 4 of", "PP529 6 aid: says 4 (en), what it cites (R1) and has: 1, 3, 25"),
    "in letters": ("Draw 3 of", "Draw four of", "PP529 6 aid: says 4 (en), "),
    "a field of its own": ("size: 25", "size: 24", "PP529 6 aid: says 25 (en), "),
    "a line": ('Draw 3."', 'Draw 2."', "PP529 9 aid: says 2 (en), what it cites (R1) and has: 1, 3, 25"),
    "another language": ("Pioche 3.", "Pioche 4.", "PP529 9 aid: says 4 (fr), "),
    "a part with rules of its own": ("level 2: 5", "level 2: 3", "PP529 10 aid: says 3 (en), "),
    "a rule half said": ("level 2: 5", "level 2: some", "PP529 10 aid: cites R2 and does not say 5 (en)"),
    "a rule that is not there": ("[R2], lines", "[R3], lines", "PP529 10 aid: cites R3, which the rulebook "),
    "no rule": ("{rules: [R1]}", "{}", "PP529 6 aid: says 3 (en), what it cites (no rule) and has: 1, 25"),
}


@pytest.mark.parametrize("case", WRONG)
def test_another_number_is_named(case: str, tmp_path: Path) -> None:
    old, new, expected = WRONG[case]
    assert old in SHEET
    assert any(line.startswith(expected) for line in findings(tmp_path, SHEET.replace(old, new)))


def test_a_rule_that_changes_names_what_says_it_again(tmp_path: Path) -> None:
    found = findings(tmp_path, rules=RULES.replace("three", "four").replace("trois", "quatre"))
    assert [line.split(" aid:")[0] for line in found] == ["PP529 6", "PP529 6", "PP529 9", "PP529 9"]


def test_a_game_without_rules_is_not_asked(tmp_path: Path) -> None:
    assert findings(tmp_path, SHEET.replace("{rules: [R1]}", "{}").replace("rules: [R2], ", ""), rules="") == []


PLANTED = {
    "a cost on a sheet": ("olith", "reference.yaml", "level 3 costs 4", "level 3 costs 5", "PP529"),
    "a limit on a sheet": ("opale", "reference.yaml", "Draw up to 5", "Draw up to 6", "PP529"),
    "spaces on a sheet": ("eila", "reference.yaml", ":hand: Hand Inventory, 8", ":hand: Hand Inventory, 9", "PP529"),
    "cards on a sheet": ("eurydice", "reference.yaml", "the bottom 3 of", "the bottom 4 of", "PP529"),
    "dice on a card": ("olith", "action-cards.yaml", "roll 4 dice", "roll 5 dice", "PP529"),
    "a card without effects": ("opale", "shells.yaml", "Draw 3 cards", "Draw 4 cards", "PP529"),
    "another option": ("olith", "rulebook.yaml", "Seven artifacts at", "Eight artifacts at", "PP528"),
}


@pytest.mark.parametrize("case", PLANTED)
def test_a_wrong_number_planted_in_a_game_is_found(case: str, tmp_path: Path) -> None:
    game, file, old, new, code = PLANTED[case]
    folder = copytree(CARDS / game, tmp_path / game)
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), "utf-8")
    assert any(f.code == code and "(en)" in f.message for f in list_sorted_number_errors_in_chapters(load_game(folder)))
