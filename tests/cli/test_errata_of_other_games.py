"""Errata as publishers write them, of games that are not ours: sheets alone, dice as stickers, rules of one file.

Each is in force, printed and said, or is refused with the way out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from playproof.cli.main import run_command_line_and_get_exit_status

SHEET = """Name,Cost,Points,Kind,Rule text,Qty
Lantern,3,2,Tool,Look at one hidden card.,2
Rope,2,1,Tool,Ignore one cliff.,3
Goat,4,3,Animal,Take 1 milk each round.,1
Fair,6,4,Place,Sell a Rope for 5 coins.,1
"""

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="{}"/></svg>"""


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run a command; return its exit status and all that it says."""

    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        status = run_command_line_and_get_exit_status(list(words))
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


CommandRunner = Callable[..., tuple[int, str]]


@pytest.fixture
def make_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_command: CommandRunner) -> Callable[..., Path]:
    """Make a game; with a `sheet`, of its rows alone."""
    monkeypatch.chdir(tmp_path)

    def make(kind: str = "solo", sheet: str = "") -> Path:
        if sheet:
            Path("stall.csv").write_text(sheet)
        status, said = run_command("new", "stall", *(["--sheet", "stall.csv"] if sheet else ["--kind", kind]))
        assert status == 0, said
        return tmp_path / "stall"

    return make


GameMaker = Callable[..., Path]


def write_erratum(game: Path, *changes: dict[str, Any], **keys: Any) -> None:
    (game / "errata").mkdir(exist_ok=True)
    erratum = {"version": "1.1", "date": "2026-11-20", "note": "Mended.", **keys}
    (game / "errata" / "1.1.yaml").write_text(
        yaml.safe_dump({**erratum, **({"changes": list(changes)} if changes else {})})
    )


def make_dossier(run_command: CommandRunner, expected: int = 0) -> tuple[str, dict[str, Any]]:
    """Make the dossier; return what was said, and its data."""
    status, said = run_command("errata", "stall", "--no-proof", "--games", "0", "--paper", "A4")
    assert status == expected, said
    return said, json.loads(Path("output/stall/errata/1.1/erratum.json").read_text())


def make_change(component: str, path: str, old: Any, new: Any) -> dict[str, Any]:
    sides = {side: value for side, value in (("from", old), ("to", new)) if value is not None}
    return {"component": component, "path": path, **sides}


def make_change_of_file(file: str, path: str, old: Any, new: Any) -> dict[str, Any]:
    return {"file": file, **{k: v for k, v in make_change("", path, old, new).items() if k != "component"}}


# -- games without rules --------------------------------------------------------------------------------------------


def test_lint_takes_a_changed_number_of_a_game_without_rules(make_game: GameMaker, run_command: CommandRunner) -> None:
    write_erratum(make_game(sheet=SHEET), make_change("rope", "cost", 2, 3))
    assert run_command("lint", "stall")[0] == 0
    said, data = make_dossier(run_command)
    assert "cost: 2 → 3" in said
    assert data["remove"] == data["add"] == {"Rope": 3}


def test_a_rules_text_that_says_another_number_is_no_clarification(
    make_game: GameMaker, run_command: CommandRunner
) -> None:
    game = make_game(sheet=SHEET)
    write_erratum(game, make_change("goat", "rule_text", "Take 1 milk each round.", "Take 2 milk each round."))
    assert make_dossier(run_command)[1]["class"] == "function"
    write_erratum(game, make_change("goat", "rule_text", "Take 1 milk each round.", "Each round, take 1 milk."))
    assert make_dossier(run_command)[1]["class"] == "clarification"


def test_an_icon_of_any_name_in_a_text_is_a_change_of_function(
    make_game: GameMaker, run_command: CommandRunner
) -> None:
    """Names of icons with capitals and underscores were taken for words: the change was a clarification."""
    game = make_game(sheet=SHEET.replace("Take 1 milk each round.", "Take a :Milk_Can: each round."))
    (game / "layouts" / "icons").mkdir(exist_ok=True)
    for name, path in (("Milk_Can", "M1 1h8v8z"), ("Coin_Bag", "M2 2h6v6h-6z")):
        (game / "layouts" / "icons" / f"{name}.svg").write_text(ICON.format(path), encoding="utf-8")
    change = make_change("goat", "rule_text", "Take a :Milk_Can: each round.", "Take a :Coin_Bag: each round.")
    write_erratum(game, change)
    said, data = make_dossier(run_command)
    assert data["class"] == "function", said
    assert "PP851" not in said
    assert data["remove"] == data["add"] == {"Goat": 1}


def test_a_text_of_a_sheet_that_names_an_old_title_is_named(make_game: GameMaker, run_command: CommandRunner) -> None:
    write_erratum(make_game(sheet=SHEET), make_change("rope", "name", "Rope", "Cord"))
    said = run_command("lint", "stall")[1]
    assert "PP848" in said, said
    assert "row 5" in said, said
    assert "“Rope”" in said, said
    assert said.count("PP848") == 1


def test_a_card_that_joins_the_box_takes_no_place(make_game: GameMaker, run_command: CommandRunner) -> None:
    made = {"name": "Bell", "cost": 2, "points": 1, "kind": "Tool", "rule_text": "Ring it."}
    write_erratum(make_game(sheet=SHEET), {"component": "bell", "kind": "stall", "to": made})
    said, data = make_dossier(run_command)
    assert "put into your box" in said
    assert "in their place" not in said
    assert data["add"] == {"Bell": 1}
    assert not data["remove"]


@pytest.mark.parametrize(
    ("path", "old", "new_value", "hint"),
    [
        ("Cost", 2, 3, "write `path: cost`"),
        ("Qty", 3, 2, "write `path: count`"),
        ("cost", "2", "3", "its type is another: write 2"),
    ],
)
def test_a_heading_in_place_of_a_property_is_refused_with_the_property(
    path: str, old: Any, new_value: Any, hint: str, make_game: GameMaker, run_command: CommandRunner
) -> None:
    write_erratum(make_game(sheet=SHEET), make_change("rope", path, old, new_value))
    status, said = run_command("lint", "stall")
    assert status == 2, said
    assert "PP402" in said, said
    assert hint in said, said


def test_a_column_with_a_property_of_another_name_is_refused_with_it(
    make_game: GameMaker, run_command: CommandRunner
) -> None:
    write_erratum(
        make_game("party"), make_change("q2", "question.fr", "Qui parlerait à un ours ?", "Qui parlerait à une ourse ?")
    )
    assert "the column `Question (fr)` is `text.fr`: write `path: text.fr`" in run_command("lint", "stall")[1]


def test_a_change_of_a_file_that_is_not_there_is_refused(make_game: GameMaker, run_command: CommandRunner) -> None:
    write_erratum(make_game(sheet=SHEET), make_change_of_file("rulebook", "rules.R1.text", "Take one.", "Take two."))
    status, said = run_command("errata", "stall", "--no-proof", "--games", "0", "--paper", "A4")
    assert status == 2, said
    assert "PP401 the game has no rulebook.yaml" in said, said


# -- paths and names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("component", "path", "hint"),
    [
        ("04", "effects[0].gain.light", "write `path: effects.0.gain.light`"),
        ("04", "effects/0/gain/light", "write `path: effects.0.gain.light`"),
        ("Fireflies", "effects.0.gain.light", 'is the title of 04: write `component: "04"`'),
    ],
)
def test_a_path_or_name_as_people_write_it_is_refused_with_the_right_one(
    component: str, path: str, hint: str, make_game: GameMaker, run_command: CommandRunner
) -> None:
    write_erratum(make_game(), make_change(component, path, 1, 2))
    status, said = run_command("lint", "stall")
    assert status == 2, said
    assert hint in said, said


def test_a_question_of_a_claim_is_not_changed_by_an_erratum(make_game: GameMaker, run_command: CommandRunner) -> None:
    write_erratum(
        make_game(), make_change("04", "effects.0.gain.light", 1, 2), claims={"winnable": {"options": {"A1": "glow"}}}
    )
    status, said = run_command("lint", "stall")
    assert status == 2, said
    assert "PP410" in said, said
    assert "write a second claim" in said, said
    assert "PP204" not in said


def test_a_new_component_without_a_source_is_told_where_to_write_it(
    make_game: GameMaker, run_command: CommandRunner
) -> None:
    made = {"title": "The Bridge", "flavour": "Mind the gap.", "effects": [{"gain": {"light": 1}}]}
    write_erratum(make_game(), {"component": "07", "kind": "path", "to": made})
    said = run_command("lint", "stall")[1]
    assert "PP216 07 does not say where its facts come from (in its `to`: `source: mine`" in said, said


# -- rules and numbers ----------------------------------------------------------------------------------------------


def make_game_with_number(make_game: GameMaker) -> Path:
    """A game of which the Coins that win are a number of set-up."""
    game = make_game()
    rules = game / "rules.py"
    old, made = '    cards = data.of_kind("path")\n', '    goal = data.facts.numbers["goal"]\n'
    text = rules.read_text()
    assert old in text
    assert "GOAL" in text
    rules.write_text(text.replace(old, old + made).replace("s.coins >= GOAL", "s.coins >= goal"))
    with (game / "game.yaml").open("a") as file:
        file.write("numbers: {goal: 5}\n")
    return game


WINS = "Going home with 5 Coins or more wins the game."


def test_a_rule_that_says_the_old_number_of_set_up_is_named(make_game: GameMaker, run_command: CommandRunner) -> None:
    game = make_game_with_number(make_game)
    write_erratum(game, make_change_of_file("game", "numbers.goal", 5, 4))
    said, data = make_dossier(run_command)
    assert "PP850 warning: R4 still says 5 (en): `numbers.goal` is 4" in said, said
    assert "PP851 warning" in said, said
    assert "no card, book or box shows it" in said, said
    assert data["class"] == "function"
    write_erratum(
        game,
        make_change_of_file("game", "numbers.goal", 5, 4),
        make_change_of_file("rulebook", "rules.R4.text", WINS, WINS.replace("5", "4")),
    )
    said = run_command("lint", "stall")[1]
    assert "R4" not in said, said


def test_a_rule_reworded_alone_is_played_as_before(make_game: GameMaker, run_command: CommandRunner) -> None:
    game = make_game_with_number(make_game)
    write_erratum(game, make_change_of_file("rulebook", "rules.R4.text", WINS, WINS.replace("5", "4")))
    assert "PP847 warning: erratum 1.1 changes what R4 says" in run_command("lint", "stall")[1]
    whole = {"section": "end", "text": WINS}
    write_erratum(game, make_change_of_file("rulebook", "rules.R4", whole, {**whole, "text": WINS.replace("5", "4")}))
    assert "PP847 warning: erratum 1.1 changes what R4 says" in run_command("lint", "stall")[1]


def test_a_new_rule_that_nothing_cites_is_played_by_nobody(make_game: GameMaker, run_command: CommandRunner) -> None:
    game = make_game()
    write_erratum(
        game,
        make_change_of_file("rulebook", "rules.R7", None, {"section": "end", "text": "A spare Coin buys a Light."}),
    )
    said, _ = make_dossier(run_command)
    assert "PP847 warning: erratum 1.1 adds rule R7, and nothing in the rules of the game cites it" in said, said
    assert "R7 now reads “A spare Coin buys a Light.”" in said
    assert "nothing”" not in said
    rules = game / "rules.py"
    rules.write_text(rules.read_text().replace('rule="R2 R4"', 'rule="R2 R4 R7"'))
    assert "PP847" not in run_command("lint", "stall")[1]


def test_an_order_that_nothing_plays_is_refused_once(make_game: GameMaker, run_command: CommandRunner) -> None:
    gain, lose = {"gain": {"coin": 1}}, {"lose": {"light": 1}}
    write_erratum(make_game(), make_change("01", "effects", [gain, lose], [lose, gain]))
    said = run_command("lint", "stall")[1]
    assert said.count("PP830") == 1, said
    assert "changes the order in `effects` of 01" in said, said
    assert "read_by" not in said


# -- what readers are told ------------------------------------------------------------------------------------------


def test_notes_of_authors_are_nothing_for_players(make_game: GameMaker, run_command: CommandRunner) -> None:
    write_erratum(make_game(), make_change("01", "source", "mine", {"rulebook": "page 3"}))
    said, data = make_dossier(run_command)
    assert "PP851 warning: erratum 1.1 changes nothing that is printed or played" in said, said
    assert "sources" not in said
    assert not data["cards"]


def test_an_icon_of_a_word_is_a_change_of_function(make_game: GameMaker, run_command: CommandRunner) -> None:
    write_erratum(make_game(), make_change_of_file("vocabulary", "terms.goods.light.icon", "lantern", "star"))
    said, data = make_dossier(run_command)
    assert data["class"] == "function"
    assert len(data["add"]) == 6
    assert "light, icon reads “star”" in said, said
    assert "terms" not in said, said


def test_a_word_that_icons_only_say_leaves_the_cards_in_the_box(
    make_game: GameMaker, run_command: CommandRunner
) -> None:
    """The name of an icon is heard, and not printed."""
    write_erratum(make_game(), make_change_of_file("vocabulary", "terms.goods.light.name", "Light", "Glow"))
    said, data = make_dossier(run_command)
    assert not data["add"]
    assert "Nothing in the box has to be replaced." in said, said


def test_stickers_of_a_die_and_credits_are_replaced(make_game: GameMaker, run_command: CommandRunner) -> None:
    game = make_game("board-and-dice")
    (game / "layouts" / "book.yaml").write_text("book: true\nsize: [148, 210]\n")
    products = {
        "board": {"title": {"en": "Board"}, "kinds": ["board"], "sheet": "board", "tiled": True},
        "stickers": {"title": {"en": "Stickers"}, "kinds": ["die"], "stickers": True, "sheet": "fronts"},
        "credits": {"title": {"en": "Credits"}, "book": "credits"},
    }
    (game / "layouts" / "build.yaml").write_text(yaml.safe_dump({"products": products}))
    with (game / "game.yaml").open("a") as file:
        file.write("credits:\n  - {name: Ann Example, role: {en: design}}\n")
    write_erratum(
        game,
        make_change("die", "faces.0", 1, 2),
        make_change_of_file("game", "credits.0.name", "Ann Example", "Anna Example"),
    )
    said, data = make_dossier(run_command)
    assert list(data["add"]) == ["die The mountain die"]
    assert [(book["name"], book["pages"]) for book in data["books"]] == [("credits", [1])]
    assert "Stickers: 1 × die" in said, said
    assert "credits, no. 1, name reads “Anna Example”" in said, said
    write_erratum(game, make_change("board", "spaces.2.to", 5, 4))
    _, data = make_dossier(run_command)
    post = Path("output/stall/errata/1.1/post.md").read_text()
    assert "Each new piece has" in post
    assert "Each new card" not in post
    assert not data["books"]
