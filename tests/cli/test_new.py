"""new: what it writes is a whole game."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.referee.match import Match
from playproof.referee.transcript import save
from playproof.referee.variant import Variant
from playproof.table.rulebook_games import RefereedGamePlayer

Call = Callable[..., Any]


def test_a_new_game_lints_plays_and_simulates(playproof: Call, tmp_path: Path) -> None:
    made = playproof("new", "lamp_walk", "--in", tmp_path)
    folder = tmp_path / "lamp_walk"
    assert made.status == 0
    assert str(folder) in made.out
    assert playproof("lint", folder).status == 0
    assert "Lamp Walk | player" in playproof("play", folder, stdin="walk on\n").out
    facts = json.loads(playproof("simulate", folder, "--games", "300", "--json").out)
    assert set(facts["endings"]) == {"lost in the dark", "home with enough"}
    kinder = json.loads(playproof("simulate", folder, "--games", "300", "--ruling", "A1=glow", "--json").out)
    assert kinder["seats"][0]["wins"] > facts["seats"][0]["wins"]


def test_a_wrong_number_in_a_rule_or_a_claim_is_found(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    folder = tmp_path / "lamp_walk"
    wrong = {
        "rulebook.yaml": {"six path": "seven path", "with 4 Light": "with 9 Light", "with 5 Coins": "with 8 Coins"},
        "claims.yaml": {"Six Coins": "Sixty-six Coins", "in five times": "in 99 times", "Five Coins": "Nine Coins"},
    }
    for name, edits in wrong.items():
        text = (folder / name).read_text("utf-8")
        for old, new in edits.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / name).write_text(text, "utf-8")
    answer = playproof("lint", folder)
    lines = (answer.out + answer.err).splitlines()
    found = [line.split(": ", 1)[1].split(" (en)")[0] for line in lines if " says " in line]
    assert answer.status != 0
    assert found == [
        "PP250 claim `richest` says 66",
        "PP250 claim `chance` says 99",
        "PP250 claim `price` says 9",
        "PP356 R1 says 7",
        "PP356 R1 says 9",
        "PP356 R4 says 8",
    ]


@pytest.mark.parametrize(
    ("written", "text", "is_found"),
    [
        ('with when(s.coins >= 7):\n            win("rich", rule="R7")', "Seven Coins win.", False),
        ('with when(s.coins > 6):\n            win("rich", rule="R7")', "Seven Coins win.", False),
        ('with when(s.coins >= 7):\n            win("rich", rule="R7")', "Eight Coins win.", True),
        ('with when(s.coins >= 7):\n            win("rich", rule="R2")', "Seven Coins win.", True),
        ('require(s.coins < 9, "R7", "too rich")', "With 9 Coins nobody walks on.", False),
        ('require(s.coins < 9, "R7", "too rich")', "With 10 Coins nobody walks on.", True),
    ],
)
def test_a_number_that_the_rules_compare_with_needs_no_claim(
    playproof: Call, tmp_path: Path, written: str, text: str, is_found: bool
) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    rules, book = tmp_path / "lamp_walk" / "rules.py", tmp_path / "lamp_walk" / "rulebook.yaml"
    walk = 'require(deck.size() > 0, "R6", "no path card is left")\n'
    assert walk in rules.read_text("utf-8")
    rules.write_text(rules.read_text("utf-8").replace(walk, f"{walk}        {written}\n"), "utf-8")
    book.write_text(
        book.read_text("utf-8").replace("rulings:", f'  R7: {{section: end, text: "{text}"}}\nrulings:'), "utf-8"
    )
    assert ("PP356 R7 says" in playproof("lint", tmp_path / "lamp_walk").out) == is_found


def test_the_files_as_json(playproof: Call, tmp_path: Path) -> None:
    facts = json.loads(playproof("new", "lamp_walk", "--in", tmp_path, "--json").out)
    assert facts["folder"] == str(tmp_path / "lamp_walk")
    written = [str(path) for path in (tmp_path / "lamp_walk").rglob("*") if path.is_file()]
    assert sorted(facts["files"]) == sorted(written)


def test_nothing_is_overwritten(playproof: Call, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    answer = playproof("new", "there", "--in", tmp_path)
    assert answer.status == 2
    assert "PP807" in answer.err
    assert list((tmp_path / "there").iterdir()) == []


def test_a_name_is_a_name(playproof: Call, tmp_path: Path) -> None:
    for name in ("Two Words", "../up", "ähm", "9lives"):
        assert playproof("new", name, "--in", tmp_path).status == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "hint"),
    [
        ("rules.py", 'rule="R6")', 'rule="R66")', "PP347", 'did you mean "R6"?'),
        ("rules.py", '["glow"]', '["glows"]', "PP348", "same options"),
        ("rulebook.yaml", "default: dark", "default: glow", "PP348", "same options"),
        ("rules.py", "    choose = g.phase(", '    g.automatic("rest")\n    choose = g.phase(', "PP329", "@g.on"),
    ],
)
def test_lint_holds_rulebook_and_rules_together(
    playproof: Call, tmp_path: Path, file: str, old: str, new: str, code: str, hint: str
) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    path = tmp_path / "lamp_walk" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    answer = playproof("lint", tmp_path / "lamp_walk", "--json")
    found = [f for f in json.loads(answer.out)["findings"] if f["code"] == code]
    assert answer.status in (1, 2)
    assert len(found) == 1
    assert hint in found[0]["hint"]


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('options.ruling("A1"', 'options.ruling("B7"', "rules.py:{}:12: PP348", "does not have (one of: A1)"),
        ("max(copies), copies", 'data.constant("deck"), start=1', "rules.py:{}:1: PP210", 'the number "deck" under'),
        ('rule="R6")', 'rule="Q9")', "rules.py:", "(one of: R1, R2, R3, R4, R5, R6, A1)"),
    ],
)
def test_lint_names_the_line_of_the_rules(
    playproof: Call, tmp_path: Path, old: str, new: str, place: str, said: str
) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    path = tmp_path / "lamp_walk" / "rules.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    line = text[: text.index(old)].count("\n") + 1
    answer = playproof("lint", tmp_path / "lamp_walk")
    [found] = [each for each in (answer.out + answer.err).splitlines() if said in each]
    assert place.format(line) in found


def test_lint_warns_of_a_phase_that_nothing_goes_to(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    path = tmp_path / "lamp_walk" / "rules.py"
    text = path.read_text(encoding="utf-8").replace("        goto(path)\n", "        pass\n")
    path.write_text(text, encoding="utf-8")
    answer = playproof("lint", tmp_path / "lamp_walk")
    assert answer.status == 1  # and then walking on never ends, though the rules say that games do
    assert "PP343 warning: no rule ever goes to phase `path`" in answer.out
    assert "PP815" in answer.out


def test_rules_in_several_files_import_each_other(playproof: Call, tmp_path: Path) -> None:
    """As a game grows; a dataclass in them looks itself up by the name of its module."""
    playproof("new", "lamp_walk", "--in", tmp_path)
    rules = tmp_path / "lamp_walk" / "rules"
    rules.mkdir()
    (rules / "numbers.py").write_text(
        "from __future__ import annotations\n\nfrom dataclasses import dataclass\n\n\n"
        "@dataclass\nclass Numbers:\n    most: int = 6\n",
        "utf-8",
    )
    single = tmp_path / "lamp_walk" / "rules.py"
    text = single.read_text("utf-8").replace(
        "from playproof import", "from .numbers import Numbers\nfrom playproof import", 1
    )
    (rules / "__init__.py").write_text(f"{text}\n\nassert Numbers().most == 6\n", "utf-8")
    single.unlink()
    assert playproof("simulate", tmp_path / "lamp_walk", "--games", 10).status == 0


def test_a_folder_without_rules_says_which_file_it_wants(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    (tmp_path / "lamp_walk" / "rules.py").unlink()
    answer = playproof("simulate", tmp_path / "lamp_walk")
    assert answer.status == 2
    assert "expected rules.py or rules/__init__.py in" in answer.err


@pytest.mark.parametrize("text", ["", "x = 1\n", "build = 1\n"])
def test_rules_without_build_are_told_by_every_verb(playproof: Call, tmp_path: Path, text: str) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    (tmp_path / "lamp_walk" / "rules.py").write_text(text, "utf-8")
    for verb in ("lint", "play", "prove"):
        answer = playproof(verb, tmp_path / "lamp_walk")
        assert answer.status == 2
        assert "rules.py:1:1: PP802 these rules have no function `build(options)`" in answer.err


def test_claims_without_rules_are_told_by_lint(playproof: Call, tmp_path: Path) -> None:
    game = tmp_path / "lamp_walk"
    playproof("new", "lamp_walk", "--in", tmp_path)
    (game / "rules.py").unlink()
    answer = playproof("lint", game)
    assert answer.status == 1
    assert "claims.yaml:" in answer.out
    assert "PP802 the claims are about rules that are not there: expected rules.py" in answer.out
    (game / "claims.yaml").unlink()
    assert playproof("lint", game).status == 0


def test_a_book_shows_a_recorded_game_from_inside_the_games_folder(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playproof("new", "gates", "--in", tmp_path)
    monkeypatch.chdir(tmp_path / "gates")
    match = Match(Variant(str(tmp_path / "gates")), 1)
    save(match.apply_all(["walk on"]), "rulebook/1.txt")
    assert RefereedGamePlayer().count_moves_or_raise_if_rejected(Path("rulebook/1.txt").resolve()) == 1
    told = Path("rulebook/1.txt")
    told.write_text(told.read_text("utf-8").replace("game: gates\n", "game: doors\n"), "utf-8")
    with pytest.raises(InputError, match=r"PP606 expected a game of `gates`.*found one of `doors`"):
        RefereedGamePlayer().count_moves_or_raise_if_rejected(told.resolve())
