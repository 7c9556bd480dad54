"""Nets: they fold to what they should, and their lines are where they should be."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from playproof.database.errors import InputError
from playproof.database.game import list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.generator.build.products import read_or_default_products
from playproof.generator.build.run import Builder
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.papercraft import (
    BoxInterior,
    CardStock,
    build_card_stand_net_or_raise,
    build_die_net_from_six_pictures,
    build_standee_net,
    build_strip_of_die_stickers,
    build_tuckbox_net,
)
from playproof.generator.papercraft.net import CUT, FOLD, Net, list_folds_that_cuts_run_along
from playproof.generator.papercraft.paper_models import PLACES
from playproof.generator.scene import BLACK, Colour, Face, Path as Shape, Rect, build_line_path, build_rectangle_path
from playproof.generator.wording import SheetWording
from tests.generator.folding import faults
from tests.generator.makers import LAYOUT, VOCABULARY, make_game, make_layouts, picture_of, texts, walked


def lines(face: Face, stroke: object) -> list[Shape]:
    return [node for node in face.nodes if isinstance(node, Shape) and node.stroke == stroke]


class TestTuckbox:
    def test_a_box_is_as_deep_as_its_deck(self) -> None:
        box = BoxInterior.create_for_card_count(63.5, 88.9, 54, CardStock(300))
        assert box.depth == pytest.approx(54 * 0.32 + 1)
        assert box.width > 63.5
        assert box.height > 88.9

    def test_folded_cards_are_twice_as_thick_and_sleeves_need_room(self) -> None:
        plain, folded = (
            BoxInterior.create_for_card_count(63.5, 88.9, 50, CardStock(folded=two)).depth - 1 for two in (False, True)
        )
        assert folded == pytest.approx(2 * plain)
        light = BoxInterior.create_for_card_count(63.5, 88.9, 50, CardStock(150))
        assert light.depth - 1 == pytest.approx(plain / 2)
        sleeved = BoxInterior.create_for_card_count(63.5, 88.9, 50, CardStock(sleeved=True))
        assert sleeved.depth > plain + 5
        assert (sleeved.width, sleeved.height) == (63.5 + 3 + 1.5, 88.9 + 3 + 1.5)

    def test_its_panels_lie_side_by_side_and_everything_is_inside(self) -> None:
        box = BoxInterior(20, 30, 8)
        net = build_tuckbox_net("b", box, (), (), (), Colour(0.9, 0.9, 0.9)).build_face_of_net()
        assert (net.width, net.height) == (10 + 20 + 8 + 20 + 8, 14 + 8 + 30 + 8)
        for node, transform in walked(net.nodes):
            for _, points in getattr(node, "commands", ()):
                for pair in zip(points[0::2], points[1::2], strict=True):
                    assert net.bleed_box.contains(Rect(*transform.apply(*pair), 0, 0), slack=1e-6)

    def test_upright_folds_part_the_five_panels(self) -> None:
        net = build_tuckbox_net("b", BoxInterior(20, 30, 8), (), ()).build_face_of_net()
        upright = sorted(
            line.commands[0][1][0] for line in lines(net, FOLD) if line.commands[0][1][0] == line.commands[1][1][0]
        )
        assert upright == [10, 30, 38, 58]

    def test_pictures_fill_their_panels(self) -> None:
        front = (build_rectangle_path(Rect(0, 0, 20, 30), BLACK),)
        row = picture_of(build_tuckbox_net("b", BoxInterior(20, 30, 8), front, ()).build_face_of_net()).split("\n")[40]
        assert row.count("#") == 20
        assert row[38:58] == "#" * 20


def test_stickers_are_the_faces_in_a_row_a_little_smaller() -> None:
    pictures = [(build_rectangle_path(Rect(0, 0, 16, 16), BLACK),) if at % 2 else () for at in range(6)]
    strip = build_strip_of_die_stickers("s", 16, pictures)
    assert (strip.width, strip.height) == (84, 14)
    assert len(lines(strip, CUT)) == 7  # six beside the faces, one round the strip
    assert picture_of(strip).split("\n")[7] == ("." * 14 + "#" * 14) * 3


class TestDie:
    def test_opposite_faces_add_up_to_seven_when_folded(self) -> None:
        for face in range(6):
            assert (face + 1) + (_opposite(face) + 1) == 7

    def test_six_faces_are_needed(self) -> None:
        with pytest.raises(ValueError, match="found 5"):
            build_die_net_from_six_pictures("d", 16, [()] * 5)

    def test_every_edge_of_the_cross_is_cut_folded_or_has_a_tab(self) -> None:
        net = build_die_net_from_six_pictures("d", 10, [()] * 6).build_face_of_net()
        assert (net.width, net.height) == (50, 40)
        assert len(lines(net, FOLD)) == 5 + 7  # five inner edges; 14 free edges meet in pairs: seven tabs


def _opposite(face: int) -> int:
    """The face that ends up opposite: two steps along a row or a column of the cross."""
    column, row = PLACES[face]
    for other, (x, y) in enumerate(PLACES):
        if (x == column and abs(y - row) == 2) or (y == row and abs(x - column) == 2):
            return other
    raise AssertionError(face)


def test_a_standee_bleeds_in_the_colour_that_fills_its_picture() -> None:
    """A knife that strays beyond a red figure cuts through red, not through the ground of all figures."""
    red, cream = (
        Colour.parse_hex_or_cmyk_colour_or_raise("#c03030"),
        Colour.parse_hex_or_cmyk_colour_or_raise("#f7f1e3"),
    )
    filled, bare = ([build_rectangle_path(Rect(0, 0, 12, 16), red)], [build_rectangle_path(Rect(2, 2, 4, 4), red)])
    grounds = [
        build_standee_net("s", 12, 16, picture, picture, cream).build_face_of_net().nodes[0]
        for picture in (filled, bare)
    ]
    assert [ground.fill for ground in grounds if isinstance(ground, Shape)] == [red, cream]


def test_a_standee_has_its_back_upside_down_above() -> None:
    mark = (build_rectangle_path(Rect(0, 0, 4, 4), BLACK),)
    rows = picture_of(build_standee_net("s", 12, 16, mark, mark).build_face_of_net()).split("\n")
    assert rows[10 + 16][:4] == "####"
    assert rows[10 + 15][8:] == "####"
    assert lines(build_standee_net("s", 12, 16, mark, mark).build_face_of_net(), CUT)


BLANK = ((), (), ())
NETS = {
    "die": lambda: build_die_net_from_six_pictures("d", 16, [()] * 6),
    "small die": lambda: build_die_net_from_six_pictures("d", 8, [()] * 6),
    "standee": lambda: build_standee_net("s", 22, 34, (), ()),
    "box": lambda: build_tuckbox_net("b", BoxInterior(65, 90.4, 17), (), ()),
    "flat box": lambda: build_tuckbox_net("b", BoxInterior(65, 90.4, 5), (), ()),
    "deep box": lambda: build_tuckbox_net("b", BoxInterior(65, 90.4, 70), (), ()),
    "stand": lambda: build_card_stand_net_or_raise("w", 70, 50, 45, 14, BLANK),
    "steep stand": lambda: build_card_stand_net_or_raise("w", 70, 20, 90, 14, BLANK),
}


class TestNetsFoldedInSpace:
    @pytest.mark.parametrize("name", NETS)
    def test_every_net_closes(self, name: str) -> None:
        assert faults(NETS[name]()) == []

    @pytest.mark.parametrize("missing", range(7))
    def test_each_tab_of_a_cube_is_needed(self, missing: int) -> None:
        net = build_die_net_from_six_pictures("d", 16, [()] * 6)
        gone = net.flaps.pop(missing).hinge
        net.folds.remove(gone)
        net.cuts.append(gone)
        (said,) = faults(net)
        assert "a flap is missing" in said

    def test_an_outline_over_a_fold_cuts_the_stand_apart(self) -> None:
        """As the first stand was: a rectangle round all panels, its lower side on the dashed fold of the tab."""
        net = build_card_stand_net_or_raise("w", 70, 50, 45, 14, BLANK)
        fold = net.folds[-1]
        net.add_cut_line(fold.start, fold.end)
        assert any("is cut too" in said for said in faults(net))

    def test_a_cut_through_a_panel(self) -> None:
        net = build_standee_net("s", 22, 34, (), ())
        net.add_cut_line((0, 20), (22, 20))
        assert any("runs through a panel" in said for said in faults(net))

    def test_an_edge_without_a_line(self) -> None:
        net = build_standee_net("s", 22, 34, (), ())
        net.cuts.pop()
        assert any("neither cut nor folded" in said for said in faults(net))

    def test_a_glued_flap_without_an_edge_to_hold(self) -> None:
        net = Net("n", 20, 40)
        net.add_panel_with_picture(Rect(0, 0, 20, 20), ())
        net.add_cut_line((0, 20), (0, 0), (20, 0), (20, 20))
        net.add_flap_cut_and_folded([(0, 20), (2, 25), (18, 25), (20, 20)])
        assert any("no edge to be glued to" in said for said in faults(net))

    def test_a_triangle_whose_angles_are_wrong_does_not_close(self) -> None:
        net = build_card_stand_net_or_raise("w", 70, 50, 45, 14, BLANK)
        first = net.folds[0]
        net.folds[0] = type(first)(first.start, first.end, 90.0)
        assert any("no edge to be glued to" in said for said in faults(net))

    def test_a_slot_needs_paper_round_it(self) -> None:
        with pytest.raises(ValueError, match="leaves no paper"):
            build_card_stand_net_or_raise("w", 70, 50, 45, 60, BLANK)

    @pytest.mark.parametrize(("language", "panel"), [("en", "slope"), ("fr", "pente")])
    def test_the_label_of_the_tab_and_the_instructions_name_one_panel(self, language: str, panel: str) -> None:
        say = SheetWording(language)
        net = build_card_stand_net_or_raise("w", 70, 50, 45, 14, BLANK, language=language).build_face_of_net()
        assert any(panel in text for text in texts(net))
        assert panel in say("glue wedge")


def test_a_layouts_own_net_may_not_draw_an_outline_over_its_fold() -> None:
    fold = build_line_path(0, 20, 40, 20, FOLD)
    wrong = Face("w", 40, 40, (build_rectangle_path(Rect(0, 20, 40, 20), None, CUT), fold))
    right = Face("r", 40, 40, (build_line_path(0, 0, 0, 40, CUT), build_line_path(0, 39, 40, 39, CUT), fold))
    assert len(list_folds_that_cuts_run_along(wrong)) == 1
    assert list_folds_that_cuts_run_along(right) == []


class TestThroughLayouts:
    def test_dice_and_standees_of_components(self, tmp_path: Path) -> None:
        vocabulary = VOCABULARY + "      faces: {type: list, of: text, required: false}\n"
        cards = (
            "kind: card\ncomponents:\n  d1: {title: {en: Die}, faces: [a, b, c, d, e, f]}\n  s1: {title: {en: Hero}}\n"
        )
        game = load_game(make_game(tmp_path / "game", cards, vocabulary))
        die = 'kind: card\nif: faces\nnet: die\nsize: [16, 16]\nfront:\n  elements:\n    - text: "{face}{index}"\n'
        hero = LAYOUT.replace("kind: card\n", "kind: card\nnet: standee\nground: '#ffeecc'\n")
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", a=die, b=hero))
        assert sorted(texts(looks.draw_face_or_raise(game.components["d1"]))) == ["a0", "b1", "c2", "d3", "e4", "f5"]
        assert texts(looks.draw_face_or_raise(game.components["s1"])) == ["Hero", "Hero"]
        assert not looks.has_side(game.components["s1"], "back")

    def test_a_die_speaks_the_language_of_the_print(self, tmp_path: Path) -> None:
        vocabulary = VOCABULARY + "      faces: {type: list, of: {type: record, fields: {text: words}}}\n"
        faces = ", ".join(f"{{text: {{en: e{n}, fr: f{n}}}}}" for n in range(6))
        cards = f"kind: card\ncomponents:\n  d1: {{title: {{en: Die, fr: Dé}}, faces: [{faces}]}}\n"
        game = load_game(make_game(tmp_path / "game", cards, vocabulary))
        die = 'kind: card\nnet: die\nsize: [16, 16]\nfront:\n  elements:\n    - text: "{face.text}"\n'
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", a=die))
        for side in ("front", "stickers"):
            assert sorted(texts(looks.draw_face_or_raise(game.components["d1"], side, "fr"))) == [
                f"f{n}" for n in range(6)
            ]

    @pytest.mark.parametrize(
        ("of", "faces", "said"),
        [
            ("text", "[a, b, c, d, e, f]", "abcdef"),
            ("integer", "[1, 2, 3, 4, 5, 6]", "123456"),
            ("{type: term, group: resource}", "[food, gold, food, gold, food, gold]", ["Nourriture", "Or"] * 3),
            (
                "{type: record, fields: {shown: words, value: integer}}",
                f"[{', '.join(f'{{shown: {{en: e, fr: f}}, value: {n}}}' for n in range(6))}]",
                "ffffff",
            ),
        ],
    )
    def test_a_table_on_a_screen_reads_the_faces_of_any_die(
        self, tmp_path: Path, of: str, faces: str, said: Sequence[str]
    ) -> None:
        vocabulary = f"{VOCABULARY}      faces: {{type: list, of: {of}, required: false}}\n"
        die = f"d1: {{title: {{en: Die}}, faces: {faces}}}"
        cards = f"kind: card\ncomponents:\n  {die}\n  s1: {{title: {{en: Hero}}}}\n"
        folder = make_game(tmp_path / "game", cards, vocabulary)
        make_layouts(
            folder / "layouts", a="kind: card\nif: faces\nnet: die\nsize: [16, 16]\nfront: {elements: []}\n", b=LAYOUT
        )
        [made] = Builder(load_game(folder), tmp_path).press.build_virtual_table_dice("fr")
        assert (made.name, made.faces) == ("Die", tuple(said))

    def test_a_die_without_faces_says_so(self, tmp_path: Path) -> None:
        game = load_game(make_game(tmp_path / "game"))
        layout = LAYOUT.replace("kind: card\n", "kind: card\nnet: die\n")
        with pytest.raises(InputError, match="a die needs a field `faces` with six items, found none"):
            LayoutRenderer(game, make_layouts(tmp_path / "looks", card=layout)).draw_face_or_raise(
                game.components["a1"]
            )

    def test_an_unknown_box_names_the_near_miss(self, tmp_path: Path) -> None:
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", card=LAYOUT, tuck="net: tuckbox\nsize: poker\n"))
        with pytest.raises(InputError, match=r'no tuckbox layout "tukc".*tuck'):
            looks.draw_tuckbox_net_or_raise("tukc", game.of_kind("card"), CardStock(), "en")

    @pytest.mark.parametrize(
        "name", [n for n in list_names_of_game_folders(CARDS) if (LAYOUTS / n / "build.yaml").is_file()]
    )
    def test_every_game_has_a_box_that_grows_with_folded_cards(self, name: str, tmp_path: Path) -> None:
        builder = Builder(load_game(name), tmp_path)
        assert builder.select_tuckbox_products_with_cards(None)
        for product, cards in builder.select_tuckbox_products_with_cards(None):
            flat = builder.sheets.create_sheets_job_with_fallback_plan(product, cards, "A4", "en", None, False)
            folded = builder.sheets.create_sheets_job_with_fallback_plan(product, cards, "A4", "en", "fold", False)
            assert flat.path != folded.path
            assert flat.make()[0] != folded.make()[0]

    @pytest.mark.parametrize(
        "name", [n for n in list_names_of_game_folders(CARDS) if (LAYOUTS / n / "build.yaml").is_file()]
    )
    def test_every_games_boxes_are_drawn_in_every_language(self, name: str) -> None:
        game = load_game(name)
        looks = LayoutRenderer(game)
        for product in read_or_default_products(game, looks):
            if product.box is not None:
                for language in game.languages:
                    cards = game.of_kind(*product.kinds)
                    assert texts(looks.draw_tuckbox_net_or_raise(product.box, cards, CardStock(), language))


@pytest.mark.parametrize("name", ["olith", "eila", "opale"])
def test_a_picture_of_a_net_holds_its_outermost_cuts(name: str, tmp_path: Path) -> None:
    """The cuts of a net lie on its edge. A picture of exactly that size loses half of each."""
    game = load_game(name)
    looks = LayoutRenderer(game)
    card = next(card for card in game.components.values() if looks.get_net_kind_or_empty(card))
    (job,) = Builder(game, tmp_path, looks=looks).sheets.create_single_face_picture_jobs((card,), "en", ("png",))
    picture = Image.open(BytesIO(job.make()[0])).convert("L")
    left, top, right, bottom = ImageOps.invert(picture).point(lambda shade: 255 * (shade > 180)).getbbox() or (0,) * 4
    assert left > 2
    assert top > 2
    assert right < picture.width - 2
    assert bottom < picture.height - 2
