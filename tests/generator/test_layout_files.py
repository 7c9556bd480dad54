"""Contracts that every game's looks keep, in every language: a new game or layout is covered when it is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from playproof.database.components import Component, Words
from playproof.database.effect_text import list_icon_names_in_text
from playproof.database.errors import FindingCollector, InputError
from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.database.source import read_yaml_file
from playproof.generator.art.icons import iter_credits_of_folder_or_raise
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face, Glyphs, Rect, pt_to_mm
from playproof.generator.type.fonts import FONT_FOLDER
from tests.generator.drawlog import draw_log
from tests.generator.makers import make_game, make_layouts, walked

LEAST_TYPE = 7.0  # points
RULE = 8.0  # mm: room for a rule, which may be an icon alone


def games() -> list[str]:
    return [name for name in list_names_of_game_folders(CARDS) if list((LAYOUTS / name).glob("*.yaml"))]


@lru_cache(maxsize=8)
def loaded(name: str) -> tuple[Game, LayoutRenderer]:
    game = load_game(name)
    return game, LayoutRenderer(game)


def sides(name: str) -> Iterator[tuple[Component, str, str, LayoutRenderer]]:
    game, looks = loaded(name)
    for component in game.components.values():
        for side in ("front", "back"):
            if side == "front" or looks.has_side(component, side):
                for language in game.languages:
                    yield component, side, language, looks


def test_some_game_has_looks() -> None:
    assert games()


@pytest.mark.parametrize("name", games())
class TestEveryGame:
    def test_every_side_of_every_component_is_drawn_in_every_language(self, name: str) -> None:
        collector = FindingCollector()
        for component, side, language, looks in sides(name):
            looks.get_or_draw_face_and_note_problems(component, side, language, collector)
        assert [str(finding) for finding in collector.findings] == []

    def test_type_is_large_enough_and_inside_the_cut(self, name: str) -> None:
        for component, side, language, looks in sides(name):
            face = looks.draw_face_or_raise(component, side, language)
            for glyphs, scale, box in lines_of(face):
                where = f"{component.id} {side} {language}: {glyphs.text!r}"
                assert glyphs.size * scale >= LEAST_TYPE - 1e-6, where
                assert face.trim.contains(box, slack=0.01), where

    def test_art_covers_the_bleed(self, name: str) -> None:
        """Where a face bleeds, something is drawn to the edge of the bleed on all four sides."""
        for component, side, language, looks in sides(name):
            face = looks.draw_face_or_raise(component, side, language)
            if face.bleed and not looks.get_net_kind_or_empty(component):
                assert covers(face, face.bleed_box), (component.id, side)

    def test_flavour_does_not_stand_right_under_a_title(self, name: str) -> None:
        """What people need comes first: flavour stands below rules, or at the foot of a piece without any."""
        for component, side, language, looks in sides(name):
            flavour, title = component.get("flavour"), component.get("title")
            if side == "back" or not isinstance(flavour, Words) or not isinstance(title, Words):
                continue
            lines = sorted(lines_of(looks.draw_face_or_raise(component, side, language)), key=lambda line: line[2].y)
            for (line, _, box), (below, _, lower) in pairwise(lines):
                together = _holds(title.text(language), line.text) and _holds(flavour.text(language), below.text)
                assert not together or lower.y - box.bottom > RULE, (component.id, language)

    def test_low_ink_draws_too(self, name: str) -> None:
        game, _ = loaded(name)
        looks, collector = LayoutRenderer(game, low_ink=True), FindingCollector()
        for component in game.components.values():
            looks.get_or_draw_face_and_note_problems(component, "front", game.languages[0], collector)
        assert [str(finding) for finding in collector.findings] == []

    def test_a_card_of_each_kind_reads_as_in_its_golden(self, name: str, golden: Callable[[str, str], None]) -> None:
        game, looks = loaded(name)
        logs = []
        for kind in game.vocabulary.kinds:
            cards = game.of_kind(kind)
            if cards:
                logs.append(draw_log(looks.draw_face_or_raise(cards[0])))
        golden(f"{name}.txt", "\n".join(logs))


def _holds(text: str, line: str) -> bool:
    """Return whether a line is of this text; spaces and marks may be set otherwise."""
    words, part = (re.findall(r"\w+", each) for each in (text, line))
    return any(words[at : at + len(part)] == part for at in range(len(words))) and bool(part)


@pytest.mark.parametrize("name", [name for name in games() if "icon-guide" in load_game(name).components])
def test_an_icon_guide_explains_every_icon(name: str) -> None:
    """Every icon that the game draws, and that some card, board or token shows, is on its icon guide."""
    game, looks = loaded(name)
    sections = game.components["icon-guide"].get("sections")
    explained = set(list_icon_names_in_text(str(sections)))
    unused = {path.stem for path in (looks.folder / "icons").glob("*.svg")} - game.vocabulary.icons
    assert unused == set()
    assert game.vocabulary.icons - explained == set()


def lines_of(face: Face) -> Iterator[tuple[Glyphs, float, Rect]]:
    """Each line of text, how much it is scaled, and the box from its capitals to its baseline."""
    for node, transform in walked(face.nodes):
        if isinstance(node, Glyphs) and node.pieces:
            top = node.y - 0.6 * pt_to_mm(node.size)
            corners = [transform.apply(x, y) for x in (node.x, node.x + node.width) for y in (top, node.y)]
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            scale = (transform.a**2 + transform.b**2) ** 0.5
            yield node, scale, Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def covers(face: Face, box: Rect) -> bool:
    """Whether what is drawn reaches all sides of a box. The ground usually does, and it is drawn first."""
    xs: list[float] = []
    ys: list[float] = []
    for node, transform in walked(face.nodes):
        for _, values in getattr(node, "commands", ()):
            for pair in zip(values[0::2], values[1::2], strict=True):
                x, y = transform.apply(*pair)
                xs.append(x)
                ys.append(y)
        if xs and Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)).contains(box, slack=0.01):
            return True
        xs, ys = [min(xs), max(xs)] if xs else [], [min(ys), max(ys)] if ys else []
    return False


class TestCredits:
    def test_every_font_has_its_licence_and_its_credit(self) -> None:
        entries = read_yaml_file(FONT_FOLDER / "credits.yaml").get_node_or_nearest_ancestor(["fonts"]).items
        patterns = [str(entry.get_node_or_nearest_ancestor(["files"]).value) for entry in entries]
        for font in FONT_FOLDER.glob("*.ttf"):
            assert any(font.match(pattern) for pattern in patterns), font.name
        assert len(list(FONT_FOLDER.glob("OFL-*.txt"))) == len(patterns)

    @pytest.mark.parametrize("folder", ["icons", "motifs"])
    def test_every_picture_has_a_credit(self, folder: str) -> None:
        for file in LAYOUTS.rglob(f"{folder}/credits.yaml"):
            for entry in read_yaml_file(file).get_node_or_nearest_ancestor(["icons"]).items:
                assert {"files", "author", "licence", "source"} <= set(entry.entries)
        for pictures in LAYOUTS.rglob(folder):
            files = {path.name for path in pictures.glob("*.svg")}
            named = [
                name
                for credit in iter_credits_of_folder_or_raise(map(pictures.joinpath, files), "icons")
                for name in credit.files
            ]
            assert sorted(named) == sorted(files), pictures
            assert (pictures / "credits.yaml").is_file(), pictures

    def test_a_credit_says_in_the_language_of_the_book_what_was_changed(self) -> None:
        mask = [LAYOUTS / "icons" / "mask.svg"]
        assert next(iter_credits_of_folder_or_raise(mask, "icons")).line.endswith(
            " · coloured and lit for this project"
        )
        assert next(iter_credits_of_folder_or_raise(mask, "icons", "fr")).line.endswith("en lumière pour ce projet")
        # no text of its own
        assert next(iter_credits_of_folder_or_raise(mask, "icons", "pl")) == next(
            iter_credits_of_folder_or_raise(mask, "icons")
        )

    def test_every_credit_that_asks_for_it_says_what_was_changed(self) -> None:
        for file in LAYOUTS.rglob("credits.yaml"):
            for entry in read_yaml_file(file).get("icons").items if read_yaml_file(file).get("icons") else ():
                asks = str(entry.get_node_or_nearest_ancestor(["licence"]).value).startswith("CC BY")
                assert asks == ("changed" in entry.entries), file


def test_a_condition_that_names_no_field_is_told_with_its_layout(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game"))
    card = "kind: card\nsize: poker\nif: sise > 3\nfront: {elements: [{shape: rect, box: trim, fill: '#eeeeee'}]}\n"
    looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", card=card))
    with pytest.raises(InputError, match=r"card\.yaml:1:1: PP503.*sise"):
        looks.find_layout_for_component_or_none(next(iter(game.of_kind("card"))))
