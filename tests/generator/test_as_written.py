"""A deck prints what was written: marks without a partner stay, names of icons are those of their files, and what only
looks like markup is said at its place."""

from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path

import pytest

from playproof.database.errors import FindingCollector, InputError
from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.layout.draw_text import list_text_that_only_looks_like_markup
from playproof.generator.layout.expression import Template
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face, Rect, build_hexagon_filling_box
from playproof.generator.type.markup import (
    IconRun,
    Run,
    markup_to_plain_text_with_icon_names,
    parse_markup_to_paragraphs,
    select_icon_names_with_unusual_characters,
)
from tests.generator.makers import texts
from tests.generator.strange_decks import make_font

AS_WRITTEN = (
    "Roll 2 * 3 * 4 dice", "2*3*4", "*At game end, +3 VP", "+3 VP*", "f***ing s**t", "*", "**", "***", "a * b",
    "** a **",
    "a **b", "C:\\new", "Draw 2.\\nDiscard 1.", "snake_case and _under_", "12:30:45", "5 ** 2", "¡*!", "Note: a: b",
)  # fmt: skip


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_marks_without_a_partner_print_as_they_stand(text: str) -> None:
    assert parse_markup_to_paragraphs(text)[0].runs == (Run(text),)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("**B**old", [("B", True, False), ("old", False, False)]),
        ("a *b* c", [("a ", False, False), ("b", False, True), (" c", False, False)]),
        ("***x*** y", [("x", True, True), (" y", False, False)]),
        ("**a *b* c**", [("a ", True, False), ("b", True, True), (" c", True, False)]),
        ("****or****", [("or", True, False)]),
        ("**a **b****", [("a ", True, False), ("b", True, False)]),
        ("**a****b**", [("a", True, False), ("b", True, False)]),
        ("(**a**), *b*", [("(", False, False), ("a", True, False), ("), ", False, False), ("b", False, True)]),
        ("抽*两张*牌", [("抽", False, False), ("两张", False, True), ("牌", False, False)]),
        ("3 VP* and *now*", [("3 VP* and ", False, False), ("now", False, True)]),
        (r"\*a\* \:b: \\", [(r"*a* :b: " + "\\", False, False)]),
    ],
)  # fmt: skip
def test_marks_with_a_partner_are_marks(text: str, runs: list[tuple[str, bool, bool]]) -> None:
    assert [tuple(run)[:3] for run in parse_markup_to_paragraphs(text)[0].runs] == runs


def test_bold_goes_on_over_line_ends() -> None:
    first, second = parse_markup_to_paragraphs("**a\nb** c")
    assert first.runs == (Run("a", bold=True),)
    assert second.runs == (Run("b", bold=True), Run(" c"))


def test_icons_are_named_as_their_files() -> None:
    names = select_icon_names_with_unusual_characters(["food", "my_gold", "Flyer", "2nd hand", "+1"])
    assert names == {"my_gold", "Flyer", "2nd hand", "+1"}
    runs = parse_markup_to_paragraphs("a :my_gold: :Flyer::2nd hand: :+1: :food: 12:30:45", names)[0].runs
    assert [run.name for run in runs if isinstance(run, IconRun)] == ["my_gold", "Flyer", "2nd hand", "+1", "food"]
    assert markup_to_plain_text_with_icon_names(":Flyer:") == ":Flyer:"


@pytest.mark.parametrize(
    ("text", "said", "cure"),
    [
        ("a<br>b", "'<br>'", "line end"),
        ("a<BR />b", "'<BR />'", "line end"),
        ("<b>x</b>", "'<b>'", "**bold**"),
        ("<i>x</i>", "'</i>'", "*italic*"),
        ('<span style="color:red">x</span>', "'<span", "take it out"),
        ("a&nbsp;b", "'&nbsp;'", "U+00A0"),
        ("a &amp; b", "'&amp;'", "& (U+0026)"),
        ("a &#8364; b", "'&#8364;'", "€ (U+20AC)"),
        (r"Draw 2.\nDiscard", r"'\n'", "line end"),
        ("pay :gold_coin:", "':gold_coin:'", "gold-coin"),
        ("pay :Food:", "':Food:'", ":food:"),
        ("pay :silver_coin:", "':silver_coin:'", "`playproof docs icons silver_coin` looks for one"),
    ],
)
def test_what_looks_like_markup_is_said(text: str, said: str, cure: str) -> None:
    assert any(
        said in doubt.message and cure in doubt.hint
        for doubt in list_text_that_only_looks_like_markup(text, ["food", "gold-coin"])
    )


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "AT&T; R&D",
        "1:2:3",
        "see: a: b",
        "C:\\new",
        "<3",
        "5 <= x",
        ":food:",
        "at 12:30: go",
        r"\:food:",
    ],
)
def test_what_is_plain_is_not_said(text: str) -> None:
    assert not list_text_that_only_looks_like_markup(text, ["food"])


@pytest.mark.parametrize(
    ("template", "value", "made"),
    [
        ("**{x}** {y}", "", " y"),
        ("**{x}** {y}", " 3 ", " **3**  y"),
        ("**Cost: {x}** {y}", "", "**Cost:**  y"),
        ("*{x}*{y}", "2 * 3", "*2 * 3*y"),
        ("***{x}***", "", ""),
        ("***{x}** b*", "a", "***a** b*"),
        ("**a *{x}* b**", "", "**a  b**"),
        ("{x} * {y}*", "2", "2 * y*"),
        ("*{x}", "note", "*note"),
        ("{x}", "**", "**"),
    ],
)
def test_marks_of_a_layout_stand_close_to_what_they_mark(template: str, value: str, made: str) -> None:
    assert Template(template)({"x": value, "y": "y"}) == made


def _deck(folder: Path, texts_: list[str], layout: dict[str, object]) -> Path:
    (folder / "layouts" / "fonts").mkdir(parents=True)
    (folder / "layouts" / "icons").mkdir()
    (folder / "layouts" / "icons" / "my_gold.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>', "utf-8"
    )
    (folder / "layouts" / "card.yaml").write_text(json.dumps({"kind": "card", "size": "poker", **layout}), "utf-8")
    with (folder / "cards.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "text"], *([f"c{at}", text] for at, text in enumerate(texts_))])
    return folder


def _words(family: str = "alegreya", **style: object) -> dict[str, object]:
    box = {"x": 5, "right": 5, "y": 5, "height": 40}
    return {"front": {"elements": [{"text": "{text}", "box": box, "style": {"family": family, "size": 9, **style}}]}}


def test_a_build_says_what_it_printed_as_it_stands(tmp_path: Path) -> None:
    folder = _deck(tmp_path / "deck", ["2 * 3", "a<br>b", "get :my_gold: now"], _words())
    builder = Builder(load_game(folder), tmp_path / "out")
    builder.update_output_folder_and_report_files(builder.list_file_jobs_or_raise(papers=["A4"]), False, None)
    assert [(finding.code, str(finding.where).rpartition("cards.csv")[2]) for finding in builder.missing] == [
        ("PP631", ", row 3, column B")
    ]
    faces = [builder.press.looks.draw_face_or_raise(card) for card in builder.press.game.components.values()]
    assert [" ".join(texts(face)) for face in faces] == ["2 * 3", "a<br>b", "get now"]


def test_a_bold_that_the_family_has_not_is_said_once(tmp_path: Path) -> None:
    make_font(tmp_path / "drawn-Regular.ttf")
    folder = _deck(tmp_path / "deck", ["**1** 2", "**3** 4", "5"], _words("drawn"))
    (folder / "layouts" / "fonts" / "drawn-Regular.ttf").write_bytes((tmp_path / "drawn-Regular.ttf").read_bytes())
    looks = LayoutRenderer(load_game(folder))
    for component in looks.game.components.values():
        looks.draw_face_or_raise(component)
    (remark,) = looks.iter_print_remark_findings()
    assert remark.code == "PP632"
    assert "drawn has no bold" in remark.message


def test_a_hexagon_is_cut_as_one(tmp_path: Path) -> None:
    looks = LayoutRenderer(
        load_game(_deck(tmp_path / "deck", ["in"], {**_words(), "size": [80, 69.3], "outline": "hexagon"}))
    )
    with pytest.raises(InputError, match="slanted"):  # its upper left corner is cut away
        looks.draw_face_or_raise(looks.game.components["c0"])
    middle = {"text": "{text}", "box": {"x": 25, "right": 25, "y": 10, "height": 20}, "style": {"family": "alegreya"}}
    layout = {"size": [80, 69.3], "outline": "hexagon", "front": {"elements": [middle]}}
    looks = LayoutRenderer(load_game(_deck(tmp_path / "hexes", ["in"], layout)))
    face = looks.draw_face_or_raise(looks.game.components["c0"])
    assert face.outline == build_hexagon_filling_box(Rect(0, 0, 80, 69.3))
    assert not face.is_round
    corners = [points for _, points in face.outline.commands if points]
    assert (0, 34.65) in corners
    assert (20, 0) in corners


def test_a_hexagon_in_a_high_box_stands_on_its_point() -> None:
    corners = [points for _, points in build_hexagon_filling_box(Rect(0, 0, 60, 80)).commands if points]
    assert {(30, 0), (60, 20), (0, 60)} <= set(corners)


def _list_messages_on_fronts(folder: Path) -> list[str]:
    looks, collector = LayoutRenderer(load_game(folder)), FindingCollector()
    for card in looks.game.components.values():
        looks.get_or_draw_face_and_note_problems(card, "front", "en", collector)
    return [finding.message for finding in collector.findings]


def test_a_blank_picture_and_one_in_other_capitals_are_said(tmp_path: Path) -> None:
    from PIL import Image

    image = {"image": "p/{text}", "box": {"x": 5, "right": 5, "y": 5, "height": 40}}
    folder = _deck(tmp_path / "deck", ["owl.PNG", "", "owl.png"], {"front": {"elements": [image]}})
    (folder / "p").mkdir()
    Image.new("RGB", (400, 300)).save(folder / "p" / "owl.png")
    [other] = _list_messages_on_fronts(folder)  # a blank cell is no picture that is missing
    assert "but there is 'p/owl.png'" in other


def test_a_picture_is_found_by_a_name_whose_accents_a_mac_wrote_apart(tmp_path: Path) -> None:
    """And one of a form whose changes nothing would notice is refused."""
    from PIL import Image

    image = {"image": "{text}", "box": {"x": 5, "right": 5, "y": 5, "height": 40}}
    folder = _deck(tmp_path / "deck", ["été/café.png", "owl.jp2"], {"front": {"elements": [image]}})
    apart = folder / unicodedata.normalize("NFD", "été")
    apart.mkdir()
    Image.new("RGB", (400, 300)).save(apart / unicodedata.normalize("NFD", "café.png"))
    (folder / "owl.jp2").write_bytes(b"\0\0\0\x0cjP  ")
    [other] = _list_messages_on_fronts(folder)
    assert "owl.jp2: pictures end in .png" in other


def test_a_face_says_whether_it_is_round() -> None:
    from playproof.generator.scene import build_circle_path

    assert Face("token", 20, 20, (), outline=build_circle_path(10, 10, 10)).is_round
    assert not Face("card", 20, 20, ()).is_round
