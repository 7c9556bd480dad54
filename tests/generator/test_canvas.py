"""What lies beyond the card is refused, wherever it is drawn; decoration may run into the bleed."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.generator.build import build
from playproof.generator.layout.layout_renderer import LayoutRenderer
from tests.generator.makers import LAYOUT, make_game, make_layouts

HEAD = """kind: card
size: [60, 90]
bleed: 3
SHAPE
styles: {text: {family: alegreya, size: 10}}
front:
  elements:
    - {shape: rect, box: [-3, -3, 66, 96], fill: "#ffffff"}
    - """
BEYOND = {
    "the issue's own": ('{text: "{id}", box: {bottom: -20, height: 6}}', "text reaches beyond the bottom"),
    "above": ('{text: "{id}", box: {y: -5, height: 6}}', "text reaches beyond the top"),
    "partly": ('{text: "a word or two", box: {x: -1, width: 40, y: 5, height: 6}}', "text reaches beyond the left"),
    "in a row of a list": (
        '{list: "[1, 2]", each: [{text: "{item}"}], height: 50, box: [5, 50, 50, 120]}',
        "text reaches beyond the bottom",
    ),
    "turned": ('{text: "a word or two or three", rotate: 90, box: [0, 88, 50, 6]}', "text reaches beyond the bottom"),
    "in a group": (
        '{group: [{text: "{id}", box: {x: 42, width: 20}}], box: [20, 5, 50, 10]}',
        "text reaches beyond the right",
    ),
    "in a clip": (
        '{group: [{text: "{id}", box: [30, 0, 20, 6]}], clip: true, box: [5, 5, 20, 20]}',
        "text reaches beyond the right",
    ),
    "an icon": ("{icon: arrow, box: [50, 5, 20, 20]}", "icon reaches beyond the right"),
    "a shape": ('{shape: rect, box: [100, 5, 20, 20], fill: "#000000"}', "shape lies beyond the right"),
    "a static text": ('{text: "fixed", box: {bottom: -20, height: 6}}', "text reaches beyond the bottom"),
}
WITHIN = {
    "at the edge": '{text: "{id}", box: {y: 80, height: 10}}',
    "a shape in the bleed": '{shape: rect, box: bleed, fill: "#eeeeee"}',
    "a shape beyond the bleed": '{shape: ellipse, box: [-20, -20, 60, 60], fill: "#eeeeee"}',
    "a pattern": '{pattern: dots, box: [-3, -3, 66, 96], colour: "#cccccc"}',
}
CARD = "kind: card\ncomponents:\n  a1:\n    title: {en: First, fr: Premier}\n"


def looks_of(folder: Path, element: str, shape: str = "") -> LayoutRenderer:
    game = load_game(make_game(folder / "game", CARD))
    return LayoutRenderer(game, make_layouts(folder / "looks", card=HEAD.replace("SHAPE\n", shape) + element + "\n"))


@pytest.mark.parametrize("case", BEYOND)
def test_what_lies_beyond_the_card_is_refused_at_its_element(tmp_path: Path, case: str) -> None:
    element, words = BEYOND[case]
    looks = looks_of(tmp_path, element)
    with pytest.raises(InputError) as refused:
        looks.draw_face_or_raise(looks.game.components["a1"])
    [finding] = refused.value.findings
    assert finding.code == "PP533"
    assert words in finding.message
    assert Path(finding.where.file).name == "card.yaml"
    assert finding.where.line >= 8


@pytest.mark.parametrize("case", WITHIN)
def test_what_runs_into_the_bleed_is_fine(tmp_path: Path, case: str) -> None:
    looks = looks_of(tmp_path, WITHIN[case])
    looks.draw_face_or_raise(looks.game.components["a1"])


def test_a_round_piece_is_cut_round(tmp_path: Path) -> None:
    corner = '{text: "in the corner", box: [1, 1, 30, 6]}'
    looks_of(tmp_path / "a", corner).draw_face_or_raise(load_game(tmp_path / "a" / "game").components["a1"])
    looks = looks_of(tmp_path / "b", corner, "outline: circle\n")
    with pytest.raises(InputError, match="beyond the round edge"):
        looks.draw_face_or_raise(looks.game.components["a1"])


def test_build_refuses_it_and_writes_nothing(tmp_path: Path) -> None:
    looks = looks_of(tmp_path, BEYOND["the issue's own"][0])
    with pytest.raises(InputError, match="PP533"):
        build(looks.game, tmp_path / "out", looks=looks, papers=("A4",))
    assert not list((tmp_path / "out").rglob("*.pdf"))


def test_the_makers_own_layout_is_within(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game", CARD))
    LayoutRenderer(game, make_layouts(tmp_path / "looks", card=LAYOUT)).draw_face_or_raise(game.components["a1"])
