"""Sheets as strangers keep them: any heading, rows without ids, repeated names, texts without a title, JSON."""

from __future__ import annotations

import builtins
import csv
import io
import json
import keyword
import random
from pathlib import Path

import pytest
from pydantic import BaseModel

from playproof.database.errors import InputError
from playproof.database.game import Game, load_game
from playproof.database.lint import lint
from playproof.database.sheet_cells import (
    list_distinct_column_headings,
    make_distinct_ids_from_row_names,
    make_property_name_from_heading,
)
from playproof.database.spreadsheets import read_visible_worksheets
from playproof.generator.layout.layout_renderer import LayoutRenderer

HEADINGS = [
    *sorted({*dir(BaseModel), *keyword.kwlist, *keyword.softkwlist, *dir(builtins)} - {"id"}),
    *("Rules", "Source", "kind", "index", "total", "copy", "words", "tables", "game", "zones", "card", "defaults"),
    *("Weight (mm)", "stats.hp", "1st edition", "2", "3.5", "❤", "", "  ", "Text", "text", "TEXT", "?!", "名前", "ชื่อ"),
    *("Größe", "İ", "ﬁ", "ａ", "a-b", "a/b", "a'b", 'a"b', "{x}", "a\nb", "x" * 200, "_x", "field_0", "self", "# note"),
]
LAYOUT = """\
kind: card
size: poker
styles: {t: {family: alegreya, size: 8, min: 3}}
front:
  elements:
    - {text: "TEXT", box: [3, 3, 57, 80], style: t}
"""


def make_deck(folder: Path, *rows: list[str], game: str = "") -> Path:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    (folder / "layouts").mkdir(parents=True, exist_ok=True)
    (folder / "cards.csv").write_text(written.getvalue(), "utf-8", newline="")
    if game:
        (folder / "game.yaml").write_text(game, "utf-8")
    return folder


def refused(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_game(folder)
    return str(caught.value)


def ids(game: Game) -> list[str]:
    return list(game.components)


def test_any_heading_is_a_property_that_a_layout_can_print(tmp_path: Path) -> None:
    """All of them beside each other: each column has a property of its own, and each is printed."""
    values = [f"v{at}" for at in range(len(HEADINGS))]
    folder = make_deck(tmp_path / "deck", ["title", *HEADINGS], ["Ant", *values])
    card = load_game(folder).components["ant"]
    printed = {name: value for name, value in card.fields.items() if name != "title"}
    noted = values[HEADINGS.index("# note")]
    assert sorted(map(str, printed.values())) == sorted(set(values) - {noted})
    assert {
        "rules",
        "source",
        "model_config",
        "class",
        "1st_edition",
        "名前",
        "ชื่อ",
        "text_2",
        "text_3",
    } <= printed.keys()
    holes = " ".join(f"{{{name}}}" for name in printed)
    (folder / "layouts" / "card.yaml").write_text(LAYOUT.replace("TEXT", holes[:100_000]), "utf-8")
    looks = LayoutRenderer(load_game(folder))
    view = looks._get_or_create_component_viewer("en").build_expression_scope_of_component(card, looks.layouts[0])
    [text] = looks.layouts[0].sides["front"]
    assert text.spec.text(view).split() == [str(value) for value in printed.values()]


def test_a_repeated_heading_takes_a_number_that_no_other_has(tmp_path: Path) -> None:
    folder = make_deck(tmp_path / "deck", ["title", "Text", "TEXT", "text_2", "text"], ["Ant", "a", "b", "c", "d"])
    fields = load_game(folder).components["ant"].fields
    assert [fields[name] for name in ("text", "text_3", "text_2", "text_4")] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "heading", ["Rules", "source", "model_config", "class", "copy", "1st", "words", "__class__", "in", "not"]
)
def test_a_face_shows_what_stands_below_such_a_heading(tmp_path: Path, heading: str) -> None:
    folder = make_deck(tmp_path / "deck", ["title", heading], ["Ant", "one"], ["Bee", ""])
    name = make_property_name_from_heading(heading)
    (folder / "layouts" / "card.yaml").write_text(
        LAYOUT.replace("TEXT", f"{{{name}}}{{' !' if {name} else ''}}"), "utf-8"
    )
    game = load_game(folder)
    assert lint(game) == []
    looks = LayoutRenderer(game)
    assert [len(looks.draw_face_or_raise(card).nodes) for card in game.components.values()] == [1, 0]
    assert game.components["ant"].rules == ()
    assert str(game.components["ant"].source) == ("" if heading == "source" else "mine")


def test_a_declared_property_may_have_any_name(tmp_path: Path) -> None:
    """A vocabulary's fields, those of records and the arguments of effects, too."""
    (tmp_path / "game.yaml").write_text("title: X\nplayers: {min: 1, max: 1}\n", "utf-8")
    (tmp_path / "vocabulary.yaml").write_text(
        "effects: {say: {args: {schema: {type: text}, copy: {type: integer}}, text: '{schema}'}}\n"
        "kinds: {card: {name: Card, fields: {json: text, model_fields: {type: record, fields: {copy: integer}},"
        " rules: text, does: effects}}}\n",
        "utf-8",
    )
    cards = (
        "kind: card\ncomponents:\n  a: {json: one, model_fields: {copy: 2}, rules: chop,"
        " does: [{say: {schema: hi, copy: COPY}}]}\n"
    )
    (tmp_path / "cards.yaml").write_text(cards.replace("COPY", "3"), "utf-8")
    card = load_game(tmp_path).components["a"]
    assert (str(card.get("json")), card.get("model_fields"), str(card.get("rules"))) == ("one", {"copy": 2}, "chop")
    (tmp_path / "cards.yaml").write_text(cards.replace("COPY", "many").replace("json", "jsno"), "utf-8")
    said = refused(tmp_path)
    assert 'nobody declared the field `jsno` (did you mean "json"?)' in said
    assert "expected a whole number for `does.0.say.copy`, found 'many'" in said


def test_headings_are_called_apart(tmp_path: Path) -> None:
    folder = make_deck(tmp_path, ["Text", "text", "", "# n", "❤", ""], ["a", "b", "c", "d", "e", ""])
    [table] = read_visible_worksheets(folder / "cards.csv")
    assert list_distinct_column_headings(table) == ["Text", "text 2", "Column C", "# n", "Column E", ""]


class TestIds:
    def test_rows_of_one_name_get_ids_that_lint_shows(self, tmp_path: Path) -> None:
        rows = [["name", "text"], ["Axe", "chop"], ["Bow", "shoot"], ["Axe", "chop twice"], ["Axe-2", "odd"]]
        game = load_game(make_deck(tmp_path / "deck", *rows))
        assert ids(game) == ["axe", "bow", "axe-3", "axe-2"]
        [finding] = lint(game)
        assert (finding.code, finding.severity) == ("PP637", "warning")
        assert "axe-3 (" in finding.message
        assert finding.where.line == 2

    def test_a_column_that_tells_rows_apart_keeps_ids_when_rows_move(self, tmp_path: Path) -> None:
        rows = [[f"Card {at % 7}", f"{at:03d}", "x"] for at in range(40)]
        first = load_game(make_deck(tmp_path / "a", ["name", "Unique ID", "text"], *rows))
        random.Random(1).shuffle(rows)
        second = load_game(make_deck(tmp_path / "b", ["name", "Unique ID", "text"], *rows))
        assert first.components != second.components.values()
        assert {i: c.fields["unique_id"] for i, c in first.components.items()} == {
            i: c.fields["unique_id"] for i, c in second.components.items()
        }
        assert "card-0-007" in first.components
        assert lint(first) == []

    def test_equal_rows_are_copies_if_asked_for(self, tmp_path: Path) -> None:
        rows = [
            ["Name", "Text", "Qty"],
            ["Axe", "chop", "2"],
            ["Bow", "shoot", ""],
            ["Axe", "chop", ""],
            ["Axe", "b", ""],
        ]
        game = "sheets: [{file: cards.csv, kind: card, repeats: copies}]\n"
        deck = load_game(make_deck(tmp_path / "deck", *rows, game=game))
        assert {ident: card.count for ident, card in deck.components.items()} == {"axe": 3, "bow": 1, "axe-2": 1}

    def test_ids_that_are_written_twice_are_refused_with_the_way_out(self, tmp_path: Path) -> None:
        rows = [["ID", "Text"], ["1", "one"], ["1", "two"]]
        said = refused(make_deck(tmp_path / "a", *rows))
        assert "PP209" in said
        assert "`repeats: number`" in said
        game = "sheets: [{file: cards.csv, kind: card, repeats: number}]\n"
        assert ids(load_game(make_deck(tmp_path / "b", *rows, game=game))) == ["1", "1-2"]

    def test_texts_without_a_title_are_a_deck(self, tmp_path: Path) -> None:
        texts = ["Why did the ____ cross the road, again and again and again?", "???", "从牌库中抽两张牌"]
        deck = load_game(make_deck(tmp_path / "deck", ["Pack", "Text"], *(["base", text] for text in texts)))
        assert ids(deck) == ["why-did-the-cross-the-road-again-and", "card", "从牌库中抽两张牌"]

    def test_made_ids_never_clash(self) -> None:
        chance = random.Random(3)
        for _ in range(200):
            names = [chance.choice(["a", "a 2", "A", "a-2-2", "b"]) for _ in range(8)]
            keys = [[chance.choice("12") for _ in names]]
            made = [each.id for each in make_distinct_ids_from_row_names(names, keys, ["b"])]
            assert len({*made, "b"}) == len(made) + 1


class TestJson:
    def test_an_array_of_objects_is_a_deck(self, tmp_path: Path) -> None:
        cards = [
            {"name": {"en": "Ant", "fr": "Fourmi"}, "cost": 2, "tags": ["a", "b;c"], "stats": {"hp": 2.5}, "big": True},
            {"name": {"en": "Bee"}, "cost": None, "count": 3, "class": "x"},
        ]
        folder = make_deck(tmp_path / "deck", [])
        (folder / "cards.csv").unlink()
        (folder / "deck.json").write_text(json.dumps(cards), "utf-8")
        game = load_game(folder)
        ant, bee = game.components.values()
        assert (game.languages, ant.fields["name"].text("fr")) == (("en", "fr"), "Fourmi")
        assert [ant.fields[name] for name in ("cost", "tags", "stats_hp", "big")] == [2, ("a", "b;c"), 2.5, True]
        assert (bee.count, bee.fields["cost"], bee.fields["class"], bee.id) == (3, None, "x", "bee")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ('[{"a": 1},\n {"a": 2, "a": 3}]', 'deck.json:2:11: PP260 the key "a" stands twice'),
            ('[\n{"a": }]', "deck.json:2:7: PP260 this is no JSON: Expecting value"),
            ('[{"a": 1}, 5]', "deck.json:1:12: PP260 expected an object or a text for each card"),
            ('[{"count": "x", "t": "Ant"}]', "deck.json:1:12: PP205"),
            ('[{"a": 1}] x', "deck.json:1:12: PP260 expected nothing behind the end"),
            ('[{"a": 1},]', "deck.json:1:11: PP260"),
            ('[{"a": NaN}]', "NaN is no JSON"),
            ("[" * 99, "expected at most 40 levels"),
        ],
    )
    def test_a_mistake_is_named_by_line_and_column(self, tmp_path: Path, text: str, said: str) -> None:
        (tmp_path / "layouts").mkdir()
        (tmp_path / "deck.json").write_text(text, "utf-8")
        assert said in refused(tmp_path)

    def test_files_that_are_no_decks_are_left_alone(self, tmp_path: Path) -> None:
        folder = make_deck(tmp_path / "deck", ["name"], ["Ant"])
        (folder / "package.json").write_text('{"name": "x", "list": [{"a": 1}]}', "utf-8")
        assert ids(load_game(folder)) == ["ant"]
        game = "sheets: [{file: package.json, sheet: list, kind: card}]\n"
        (folder / "game.yaml").write_text(game, "utf-8")
        assert ids(load_game(folder)) == ["card"]
