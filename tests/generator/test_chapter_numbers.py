"""Numbers in a rulebook's prose come from the data; those of rules are told by the chapters that state them."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.game import list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.generator.book.chapter_numbers import list_sorted_number_errors_in_chapters
from playproof.generator.book.document_composer import build_fact_values_by_name, evaluate_fact_to_printed_text_or_raise
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
    (folder / "rulebook").mkdir(exist_ok=True)
    (folder / "rulebook" / "1.md").write_text(chapter, "utf-8")
    return [f"{f.code} {f.where.line} {f.message}" for f in list_sorted_number_errors_in_chapters(load_game(folder))]


def test_facts_names_signs_and_marked_numbers_are_fine(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


def test_numbers_that_nobody_writes_are_passed_over(tmp_path: Path) -> None:
    long = "7" * 5000
    chapter = CHAPTER.replace("is drawn", f"is drawn {long}")
    assert findings(tmp_path, chapter, RULES.replace("Which?", f"{long}?")) == []


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


EXAMPLE = """# 1 The Start

Draw three of them, from level 2. {rule}`R1 R2 A1`

:::{scene} first.txt
For {number}`two`.
:::

# 2 The End

| | |
|---|---|
| **1** Draw. | **1** Play. |
| **2** Play. | **2** Draw. |

:::{example} first.txt
- {moves}`1-2` Ada takes 4, with {number}`7` on the table.
- {moves}`3` Ben lays 12.
:::

:::{icons}
- draw-2: two cards
:::
"""
RECORDED = """playproof transcript 1
game: game
seat 1: Ada
seat 2: Ben

Ada: take 4 at gate 7
# refused: take 9
chance: 30 is turned up
Ben: lay 12
"""
SAID = RULES.replace("Draw three cards.", "Draw three cards of level 2.").replace("Play one.", "Play two.")
RECOUNTED = {
    "a rule says another": (
        "of them,",
        "of {number}`9`,",
        'PP530 3 the number "9" is typed into a text that states R1, R2, A1',
    ),
    "a name of another": ("level 2.", "level 3.", 'PP530 3 no rule or ruling has the name that "3"'),
    "a name nobody knows": (
        "# 2 The",
        "Level 4 is closed.\n\n# 2 The",
        'PP530 9 no rule or ruling has the name that "4"',
    ),
    "another move": (
        "takes 4",
        "takes 12",
        'PP531 17 the number "12" is told of first.txt, which has in the moves 1 to 2: 30, 4, 7',
    ),
    "a move that was refused": (
        "lays 12",
        "lays 9",
        'PP531 18 the number "9" is told of first.txt, which has in the moves 3 to 3: 12',
    ),
    "a name of other moves": (
        "Ada takes 4",
        "Ada takes 4 at gate 30",
        'PP531 17 "gate 30" is told of first.txt, whose moves here have gate 7',
    ),
    "more players": (
        "`two`.",
        "`three`.",
        'PP531 6 the number "three" is told of first.txt, which has as many players: 2',
    ),
    "a heading left out": ("# 2 The", "# 3 The", "PP532 9 expected the number 2, as these count from 1 on, found 3"),
    "a row left out": ("**2** Draw", "**3** Draw", "PP532 14 expected the number 2, as these count from 1 on, found 3"),
    "the number of an icon": ("two cards", "three cards", "PP532 22 the icon draw-2 is told without its number 2"),
    "a fact of nothing": ("Ada takes", 'Ada {fact}`card("zz").level` takes', 'PP509 17 {fact}`card("zz").level`: '),
}


@pytest.mark.parametrize("mistake", [*RECOUNTED, ""])
def test_typed_numbers_are_those_of_rules_moves_and_places(mistake: str, tmp_path: Path) -> None:
    old, new, expected = RECOUNTED.get(mistake, ("", "", ""))
    assert EXAMPLE.count(old) == 1 or not mistake
    (tmp_path / "game" / "rulebook").mkdir(parents=True)
    (tmp_path / "game" / "rulebook" / "first.txt").write_text(RECORDED, "utf-8")
    found = findings(tmp_path, EXAMPLE.replace(old, new), SAID)
    mine = [line for line in found if not line.startswith(("PP527", "PP528"))]
    assert len(mine) == bool(mistake), mine
    assert all(line.startswith(expected) for line in mine)


TRANSLATED = {
    "typed": ("Tire {number}`trois`", "Tire {number}`quatre`", 'PP247 3 "Début": the fr text tells 4, the en text 3'),
    "a fact": ("word(2 + 1)", "word(2 + 2)", 'PP247 3 "Début": the fr text tells 4, the en text 3'),
    "a place in a row": ("la deuxième", "la troisième", 'PP247 5 "Début": the fr text tells 3, the en text 2'),
    "twice": ("deux fois", "trois fois", 'PP247 5 "Début": the fr text tells 3, the en text 2'),
    "the whole book": ("# Fin", "Fin", ""),
    "a heading and a number": ("# Fin", "Fin 5", 'PP247 9 "Début": the fr text tells 5, the en text no other number'),
}
FRENCH = (
    "# Début\n\nTire {number}`trois` cartes sur {fact}`word(2 + 1)`.\n\nla deuxième, deux fois\n\nles deux\n\n# Fin\n"
)
ENGLISH = "# Start\n\nDraw {number}`three` of {fact}`word(3)` cards.\n\nthe second, twice\n\nboth\n\n# End\n"


@pytest.mark.parametrize("mistake", TRANSLATED)
def test_chapters_tell_the_same_numbers_in_every_language(mistake: str, tmp_path: Path) -> None:
    old, new, expected = TRANSLATED[mistake]
    folder = tmp_path / "game" / "rulebook" / "fr"
    folder.mkdir(parents=True)
    (folder / "1.md").write_text(FRENCH.replace(old, new), "utf-8")
    found = [line for line in findings(tmp_path, ENGLISH) if line.startswith("PP247")]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize("mistake", TYPED)
def test_what_is_typed_or_untold_is_named(mistake: str, tmp_path: Path) -> None:
    old, new, expected = TYPED[mistake]
    assert old in CHAPTER
    assert expected in findings(tmp_path, CHAPTER.replace(old, new))


WAYS = {
    "7x": "7x", "x7": "x7", "3x7": "3", "7th": "7th", "22nd": "22nd", "7mm": "7mm", "#7": "#7", "3-7": "7", "½": "½",
    "10²": "²", "②": "②", "twice": "twice", "double": "double", "a pair": "pair", "a dozen": "dozen", "half": "half",
    "thirty": "thirty", "forty": "forty", "seventy": "seventy", "a hundred": "hundred", "thirteenth": "thirteenth",
    "twenty-seven": "twenty-seven", "1,000": "1,000", "two hundred": "two hundred", "{term}`7 Coins`": "7",
    "[7 Coins](#cards-of-level-2)": "7", "{index}`7 coins`": "7", "{term}`coin|7 coins`": "7",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_number_is_read_however_it_is_written(way: str, tmp_path: Path) -> None:
    found = findings(tmp_path, CHAPTER.replace("Each of", f"Of {way} or"))
    typed = [line for line in found if line.startswith("PP527")]
    assert f'PP527 3 the number "{WAYS[way]}" is typed into the text' in typed
    assert len(typed) == (2 if way in ("3x7", "3-7", "10²") else 1)


def test_a_typed_number_in_french_is_one_number(tmp_path: Path) -> None:
    (tmp_path / "game" / "rulebook" / "fr").mkdir(parents=True)
    (tmp_path / "game" / "rulebook" / "fr" / "1.md").write_text("# Un\n\nSoixante-dix-sept et vingt et un.\n", "utf-8")
    typed = [line.split('"')[1] for line in findings(tmp_path) if line.startswith("PP527")]
    assert typed == ["Soixante-dix-sept", "vingt et un"]


def test_a_rule_that_says_another_number_is_named(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, rules=RULES.replace("three", "5"))
    assert found.startswith("PP528 4 R1 says 5 (en), the chapters that state it ")


@pytest.mark.parametrize("name", list_names_of_game_folders(CARDS))
def test_the_games_of_the_house_are_sound(name: str) -> None:
    assert [str(finding) for finding in list_sorted_number_errors_in_chapters(load_game(name))] == []


def test_a_fact_prints_words_in_the_language_of_its_book(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game"))
    said = [
        evaluate_fact_to_printed_text_or_raise('each("title")', build_fact_values_by_name(game, language))
        for language in ("en", "fr")
    ]
    assert said == ["First Second", "Premier Second"]
