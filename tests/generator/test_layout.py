"""The layout language: boxes, bindings, repeats, inheritance; and every mistake named with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from playproof.database.errors import Finding, FindingCollector, InputError
from playproof.database.game import load_game
from playproof.generator.art.icons import IconLibrary
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.layout.model import ELEMENTS
from playproof.generator.scene import WHITE, Colour, Face, Glyphs, Group, Node, Path as Shape, Rect, Use
from tests.generator.makers import LAYOUT, front, make_game, make_layouts, picture_of, texts, walked

Draw = Callable[..., Face]


@pytest.fixture
def draw(tmp_path: Path) -> Draw:
    """Draw card a1 (or another) with a layout made of the given elements."""

    def drawn(*elements: str, card: str = "a1", head: str = "", language: str = "en", low_ink: bool = False) -> Face:
        game = load_game(make_game(tmp_path / "game"))
        folder = make_layouts(tmp_path / "looks", card=front(*elements, head=head))
        return LayoutRenderer(game, folder, low_ink=low_ink).draw_face_or_raise(
            game.components[card], "front", language
        )

    return drawn


def findings(error: pytest.ExceptionInfo[InputError]) -> list[Finding]:
    return list(error.value.findings)


def boxes(face: Face) -> list[Rect]:
    """The boxes of the face's own shapes, in order."""
    found = []
    for node, transform in walked(face.nodes):
        if isinstance(node, Shape):
            points = [
                transform.apply(*pair)
                for _, points in node.commands
                for pair in zip(points[0::2], points[1::2], strict=True)
            ]
            xs, ys = [x for x, _ in points], [y for _, y in points]
            found.append(Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)))
    return found


def near(rect: Rect, x: float, y: float, width: float, height: float) -> bool:
    return (rect.x, rect.y, rect.width, rect.height) == pytest.approx((x, y, width, height), abs=1e-6)


BLACK_BOX = "{{shape: rect, fill: '#000', {}}}"


class TestBoxes:
    @pytest.mark.parametrize(
        ("box", "expected"),
        [
            ("[1, 2, 3, 4]", (1, 2, 3, 4)),
            ("{x: 5, right: 5, y: 1, height: 2}", (5, 1, 50, 2)),
            ("{right: 5, width: 10, bottom: 4, height: 6}", (45, 70, 10, 6)),
            ("{inset: 4}", (4, 4, 52, 72)),
            ("bleed", (-3, -3, 66, 86)),
            ("safe", (5, 5, 50, 70)),
            ("{width: 10, height: 20, centre: both}", (25, 30, 10, 20)),
            ("{width: 10, centre: across, y: 1, height: 2}", (25, 1, 10, 2)),
            ('{x: "level * 2", y: 0, width: "level", height: 1}', (6, 0, 3, 1)),
        ],
    )
    def test_sides(self, draw: Draw, box: str, expected: tuple[float, ...]) -> None:
        face = draw(BLACK_BOX.format(f"box: {box}"), head="bleed: 3\nsafe: 5\n")
        assert near(boxes(face)[0], *expected)

    @pytest.mark.parametrize(
        ("relation", "expected"),
        [
            ("{below: one, gap: 2, height: 5}", (0, 32, 60, 5)),
            ("{above: one, gap: 2, height: 5}", (0, 13, 60, 5)),
            ("{after: one, gap: 1, width: 4}", (31, 0, 4, 80)),
            ("{before: one, gap: 1, width: 4}", (15, 0, 4, 80)),
            ("{inside: one, inset: 1}", (21, 21, 8, 8)),
        ],
    )
    def test_beside_a_named_box(self, draw: Draw, relation: str, expected: tuple[float, ...]) -> None:
        face = draw(BLACK_BOX.format("name: one, box: [20, 20, 10, 10]"), BLACK_BOX.format(f"box: {relation}"))
        assert near(boxes(face)[1], *expected)

    def test_below_a_text_is_below_what_it_fills(self, draw: Draw) -> None:
        face = draw(
            '{name: words, text: "one line", box: [0, 0, 60, 40]}', BLACK_BOX.format("box: {below: words, height: 5}")
        )
        assert 2 < boxes(face)[0].y < 6


class TestBinding:
    def test_fields_in_each_language(self, draw: Draw) -> None:
        assert texts(draw('{text: "{title}!", box: trim}')) == ["First!"]
        assert texts(draw('{text: "{title}!", box: trim}', language="fr")) == ["Premier!"]

    def test_conditions(self, draw: Draw) -> None:
        elements = ("{text: high, if: level and level > 2}", "{text: low, if: not level}")
        assert texts(draw(*elements)) == ["high"]
        assert texts(draw(*elements, card="a2")) == ["low"]

    def test_options_are_read_out(self, draw: Draw) -> None:
        face = draw(
            '{list: options, as: option, box: trim, least: 8, each: [{text: "{option.letter}: {option.text}"}]}'
        )
        assert texts(face) == ["A: +1", "B: +2", ", +3"] or texts(face)[0].startswith("A:")
        assert sum(isinstance(node, Use) for node, _ in walked(face.nodes)) >= 3

    def test_colours_by_name_and_by_value(self, draw: Draw) -> None:
        face = draw("{shape: rect, fill: \"{'warm' if level else 'cold'}\"}", head='colours: {warm: "#ff0000"}\n')
        (shape,) = [node for node, _ in walked(face.nodes) if isinstance(node, Shape)]
        assert shape.fill is not None
        assert shape.fill.hex == "#ff0000"  # type: ignore[union-attr]

    def test_words_and_tables_of_the_layout(self, draw: Draw) -> None:
        head = "words: {night: {en: 'Night {level}', fr: 'Nuit {level}'}}\ntables: {t: {a1: one}}\n"
        element = '{text: "{words.night} {tables.t[id]}"}'
        assert texts(draw(element, head=head)) == ["Night 3 one"]
        assert texts(draw(element, head=head, language="fr")) == ["Nuit 3 one"]

    def test_what_never_changes_is_drawn_once_for_all_cards(self, tmp_path: Path) -> None:
        game = load_game(make_game(tmp_path / "game"))
        folder = make_layouts(
            tmp_path / "looks", card=front(BLACK_BOX.format("box: trim"), '{text: "{title}"}', "{text: same}")
        )
        looks = LayoutRenderer(game, folder)
        one, two = map(looks.draw_face_or_raise, game.of_kind("card"))
        shared = [{id(n.symbol) for n in face.nodes if isinstance(n, Use)} for face in (one, two)]
        assert shared[0] == shared[1]
        assert len(shared[0]) == 2


class TestRepeats:
    def test_rows_go_down_with_their_gap(self, draw: Draw) -> None:
        face = draw("{list: goal, box: [10, 10, 20, 60], height: 5, gap: 2, each: [{shape: rect, fill: '#000'}]}")
        assert [round(box.y, 6) for box in boxes(face)] == [10, 17, 24]

    @pytest.mark.parametrize(
        ("valign", "first", "last"), [("middle", 32.5, 42.5), ("bottom", 55, 65), ("spread", 10, 65), ("top", 10, 20)]
    )
    def test_rows_are_spread_as_asked(self, draw: Draw, valign: str, first: float, last: float) -> None:
        face = draw(
            f"{{list: goal, box: [10, 10, 20, 60], height: 5, valign: {valign}, each: [{{shape: rect, fill: '#000'}}]}}"
        )
        found = boxes(face)
        assert (found[0].y, found[-1].y) == pytest.approx((first, last))

    def test_rows_grow_with_their_text(self, draw: Draw) -> None:
        words = "a long sentence that needs more than one line in so narrow a column"
        face = draw(
            f"{{list: 'range(2)', as: n, box: [0, 0, 30, 80], each: ["
            f"{{shape: rect, fill: '#000'}}, {{text: \"{{'x' if n else '{words}'}}\", box: {{inset: 1}}}}]}}"
        )
        high, low = boxes(face)
        assert high.height > 2 * low.height
        assert low.y == pytest.approx(high.bottom)

    def test_across(self, draw: Draw) -> None:
        face = draw("{list: goal, flow: across, gap: 3, box: [0, 0, 60, 9], each: [{shape: rect, fill: '#000'}]}")
        assert [round(box.x, 6) for box in boxes(face)] == [0, 21, 42]

    def test_a_grid(self, draw: Draw) -> None:
        face = draw("{grid: 5, columns: 3, gap: 3, box: [0, 0, 60, 43], each: [{shape: rect, fill: '#000'}]}")
        assert [(round(b.x), round(b.y)) for b in boxes(face)] == [(0, 0), (21, 0), (42, 0), (0, 23), (21, 23)]

    def test_a_grid_of_hexagons_nests(self, draw: Draw) -> None:
        face = draw("{grid: 4, columns: 2, cells: hex, box: [0, 0, 60, 80], each: [{shape: hexagon, fill: '#000'}]}")
        cells = boxes(face)
        assert cells[1].x - cells[0].x == pytest.approx(cells[0].width * 0.75)
        assert cells[1].y - cells[0].y == pytest.approx(cells[0].height / 2)
        assert all(Rect(0, 0, 60, 80).contains(cell) for cell in cells)

    def test_a_track_keeps_even_distances_round_corners(self, draw: Draw) -> None:
        face = draw(
            "{track: 5, points: [[0, 0], [1, 0], [1, 1]], size: 2, box: [10, 10, 20, 20],"
            " each: [{shape: ellipse, fill: '#000'}]}"
        )
        assert [tuple(round(v, 3) for v in box.centre) for box in boxes(face)] == [
            (10, 10),
            (20, 10),
            (30, 10),
            (30, 20),
            (30, 30),
        ]

    def test_a_table_rules_its_rows(self, draw: Draw) -> None:
        face = draw(
            "{table: goal, box: [0, 0, 60, 60], rule: {colour: '#000'}, shade: '#eee',"
            " columns: [{heading: No, cell: '{index + 1}'}, {heading: What, cell: '{item.name}', share: 3}]}"
        )
        assert texts(face) == ["No", "What", "1", "Food", "2", "Gold", "3", "Food"]

    def test_parts_take_values(self, draw: Draw) -> None:
        face = draw(
            '{part: sign, with: {what: "{title}", n: "{level}"}}',
            head='parts:\n  sign:\n    - text: "{what} {n + 1}"\n',
        )
        assert texts(face) == ["First 4"]

    def test_an_arrow_points_from_start_to_end(self, draw: Draw) -> None:
        face = draw("{arrow: [[0, 0.5], [1, 0.5]], box: [2, 2, 12, 8], width: 2, head: 6, fill: '#000'}")
        rows = [row[2:14] for row in picture_of(face).split("\n")[2:10]]
        assert rows[3].count("#") >= 10
        widths = [sum(row[x] == "#" for row in rows) for x in (1, 7, 11)]
        assert widths[0] == 2
        assert widths[1] > 4
        assert widths[2] <= 2


class TestInheritance:
    def test_named_elements_are_replaced_in_their_place(self, tmp_path: Path) -> None:
        base = LAYOUT.replace("kind: card\n", "")
        own = (
            "extends: base\nkind: card\nfront:\n  elements:\n"
            "    - {name: title, text: mine, box: [0, 0, 40, 9]}\n    - {text: more}\n"
        )
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", base=base, card=own))
        assert texts(looks.draw_face_or_raise(game.components["a2"])) == ["mine", "more"]

    def test_conditions_choose_between_layouts_of_a_kind(self, tmp_path: Path) -> None:
        high = front("{text: high}").replace("kind: card\n", "kind: card\nif: level\n")
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", a=high, b=front("{text: low}")))
        assert [texts(looks.draw_face_or_raise(card)) for card in game.of_kind("card")] == [["high"], ["low"]]

    @pytest.mark.parametrize(
        ("layouts", "message"),
        [
            ({"a": "extends: b\nkind: card\n", "b": "extends: a\n"}, "in a circle: a -> b -> a"),
            ({"a": "extends: a\nkind: card\n"}, "in a circle: a -> a"),
            ({"a": "extends: bsae\nkind: card\n", "base": "size: poker\n"}, 'no layout "bsae"'),
        ],
    )
    def test_circles_and_gaps(self, tmp_path: Path, layouts: dict[str, str], message: str) -> None:
        game = load_game(make_game(tmp_path / "game"))
        with pytest.raises(InputError, match=message) as error:
            LayoutRenderer(game, make_layouts(tmp_path / "looks", **layouts))
        assert findings(error)[0].code == "PP504"
        assert findings(error)[0].where.line == 1


class TestMistakes:
    def test_an_icon_takes_a_colour_where_it_is_black(self, draw: Draw) -> None:
        red = "colour: '#c03020'"
        face = draw(f"{{icon: sword, box: [0, 0, 9, 9], {red}}}", f"{{icon: gold, box: [9, 0, 9, 9], {red}}}")
        fills = [node.fill for node, _ in walked(face.nodes) if isinstance(node, Shape)]
        assert fills[0] == Colour.parse_hex_or_cmyk_colour_or_raise("#c03020")
        gold = [
            node.fill for node, _ in walked(IconLibrary(LAYOUTS / "icons")["gold"].children) if isinstance(node, Shape)
        ]
        assert fills[1:] == gold  # it has colours of its own

    @pytest.mark.parametrize(
        ("element", "code", "message"),
        [
            ('{text: "{tilte}"}', "PP503", "no field 'tilte'"),
            ('{text: "{title.deep}"}', "PP503", "has no 'deep'"),
            ("{text: x, style: heading}", "PP503", "no style 'heading'"),
            ("{shape: rect, fill: reddish}", "PP503", "no colour 'reddish'"),
            ("{shape: rect, box: {below: nothing}}", "PP503", "no box 'nothing'"),
            ("{part: nothing}", "PP503", "no part 'nothing'"),
            ("{icon: fod}", "PP503", "no icon 'fod'"),
            ("{scene: x, mood: gloomy}", "PP503", "no mood 'gloomy'"),
            ("{text: x, style: {family: comic}}", "PP508", "no font family 'comic'"),
            ("{shape: rect, box: [0, 0, 0, 5]}", "PP507", "larger than nought"),
            ("{shape: rect, box: [0, 0, 5, -1]}", "PP507", "larger than nought"),
            ("{shape: rect, box: {x: 40, right: 40}}", "PP507", "larger than nought"),
            ('{text: "{level / 0}"}', "PP509", "cannot work out"),
            ("{shape: rect, box: {x: title, width: 1}}", "PP509", "expected a number"),
            ('{text: "ሀ"}', "PP502", "U+1200"),
            ('{text: ":nope:"}', "PP502", "no icon 'nope'"),
            ('{text: "{title} {title} {title} {title}", box: [0, 0, 20, 4]}', "PP501", "its least size"),
            ("{list: goal, height: 40, each: []}", "PP511", "120.0 mm high and their box 80.0"),
            ("{grid: 9, columns: 2, rows: 2, each: []}", "PP511", "do not fit"),
            ("{image: ../../secret.png}", "PP506", "outside the folder"),
        ],
    )
    def test_what_is_wrong_with_a_card_names_it(self, draw: Draw, element: str, code: str, message: str) -> None:
        with pytest.raises(InputError) as error:
            draw("{text: fine}", element)
        (finding,) = findings(error)
        assert finding.code == code
        assert message in finding.message
        assert finding.full_message.startswith("card a1: ")

    @pytest.mark.parametrize(
        ("element", "code", "message"),
        [
            ("{txet: hello}", "PP510", "expected an element"),
            ("{text: a, icon: b}", "PP510", "two at once"),
            ("{text: a, colour: red}", "PP204", "nobody declared the field `colour`"),
            ("{shape: triangle}", "PP206", "known value for `shape`"),
            ('{text: "{a b}"}', "PP206", "cannot read the expression"),
            ("{text: x, opacity: 2}", "PP206", "opacity"),
            ("{shape: rect, stroke: {colour: ink, dash: [0, 0], cap: round}}", "PP206", "not all 0"),
            ("{shape: rect, stroke: {colour: ink, dash: [-1, 2]}}", "PP206", "0 mm or more"),
            ("{list: goal}", "PP203", "`each`"),
            ("{list: goal, each: [{txet: x}]}", "PP510", "expected an element"),
            ("{text: x, box: {with: 3}}", "PP204", "nobody declared the field `with`"),
        ],
    )
    def test_what_is_wrong_with_a_layout_has_its_line_and_column(
        self, draw: Draw, element: str, code: str, message: str
    ) -> None:
        with pytest.raises(InputError) as error:
            draw("{text: fine}", element)
        (finding,) = findings(error)
        assert (finding.code, finding.where.line) == (code, 6)
        assert finding.where.column >= 7
        assert message in finding.message

    def test_overflow_stands_at_the_words_in_the_card_file(self, tmp_path: Path) -> None:
        cards = 'kind: card\ncomponents:\n  a1:\n    title: {en: "far too many words for so small a box"}\n'
        game = load_game(make_game(tmp_path / "game", cards))
        looks = LayoutRenderer(
            game, make_layouts(tmp_path / "looks", card=front('{name: head, text: "{title}", box: [0, 0, 20, 4]}'))
        )
        with pytest.raises(InputError) as error:
            looks.draw_face_or_raise(game.components["a1"])
        (finding,) = findings(error)
        assert str(finding.where).endswith("cards.yaml:4:12")
        assert "card a1: head: at 9 pt" in finding.full_message

    def test_all_mistakes_of_all_cards_come_at_once(self, tmp_path: Path) -> None:
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", card=front('{text: "{nope}"}', "{icon: fod}")))
        collector = FindingCollector()
        for card in game.of_kind("card"):
            looks.get_or_draw_face_and_note_problems(card, "front", "en", collector)
        with pytest.raises(InputError) as error:
            collector.raise_if_errors()
        cards = [finding.about for finding in findings(error)]
        # what is the same on every card is said once
        assert sorted(cards) == [("card a1",), ("card a1", "card a2")]

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("kind: card\nsize: [0, 5]\nfront: {elements: []}\n", "PP507"),
            ("kind: card\nsize: [-3, 5]\nfront: {elements: []}\n", "PP507"),
            ("kind: card\nsize: pokr\n", "PP206"),
            ("kind: card\nsize: [1, 2, 3]\n", "PP205"),
            ("kind: card\n", "PP203"),
            ("kind: crad\nsize: poker\n", "PP505"),
            ("kind: card\nsize: poker\ncolours: {a: reddish}\n", "PP206"),
            ("kind: card\nsize: poker\nbleed: -1\n", "PP206"),
            ("kind: card\nsize: poker\n\tfront: {}\n", "PP103"),
        ],
    )
    def test_what_is_wrong_with_a_whole_layout(self, tmp_path: Path, text: str, code: str) -> None:
        game = load_game(make_game(tmp_path / "game"))
        with pytest.raises(InputError) as error:
            LayoutRenderer(game, make_layouts(tmp_path / "looks", card=text))
        assert {finding.code for finding in findings(error)} == {code}

    def test_type_below_the_layouts_least_is_refused(self, draw: Draw) -> None:
        with pytest.raises(InputError, match="least is 8 pt"):
            draw("{text: x, style: {size: 7.5}}", head="min_type: 8\n")
        assert draw("{text: x, style: {size: 8}}", head="min_type: 8\n")

    def test_a_part_that_holds_itself_is_noticed(self, draw: Draw) -> None:
        with pytest.raises(InputError, match="holds itself"):
            draw("{part: p}", head="parts: {p: [{part: p}]}\n")


def test_low_ink_keeps_words_and_draws_pictures_in_lines(draw: Draw) -> None:
    mood = "moods: {m: {sky: '#123', horizon: '#456', far: '#567', middle: '#345', near: '#123', light: '#ffd'}}\n"
    elements = (
        "{shape: rect, box: trim, fill: '#246'}",
        "{scene: x, mood: m, box: [0, 0, 60, 30]}",
        "{shape: rect, box: [5, 40, 20, 10], fill: '#246'}",
        "{text: words, box: [5, 60, 40, 10], style: {colour: '#fff'}}",
    )
    face = draw(*elements, head=mood, low_ink=True)
    shapes = [node for node, _ in walked(face.nodes) if isinstance(node, Shape)]
    edges = {(shape.fill.hex, shape.stroke.colour.hex) for shape in shapes}  # type: ignore[union-attr]
    assert edges == {("#ffffff", "#224466"), ("#ffffff", "#525252")}
    (line,) = [node for node, _ in walked(face.nodes) if isinstance(node, Glyphs)]
    assert line.fill.hex == "#000000"


def test_low_ink_keeps_bands_and_dots_and_darkens_pale_frames(draw: Draw) -> None:
    """A thin band outlined would be two lines, a pip a ring, and a cream frame on white paper nothing."""
    band = "{shape: rect, box: [5, 5, 40, 1], fill: '#d8a018'}"
    pip = "{shape: ellipse, box: [5, 10, 3, 3], fill: '#3a2c4e'}"
    panel = "{shape: rect, box: [5, 20, 40, 20], fill: '#3a2c4e'}"
    frame = "{frame: line, box: [5, 50, 30, 20], width: 0.5, colour: '#e8f2f0'}"
    drawn = [node for node, _ in walked(draw(band, pip, panel, frame, low_ink=True).nodes) if isinstance(node, Shape)]
    fills = [node.fill for node in drawn]
    assert [isinstance(fill, Colour) and fill.luminance < 0.5 for fill in fills] == [True, True, False, False]
    assert fills[2] == WHITE
    assert drawn[3].stroke is not None
    assert drawn[3].stroke.colour.luminance < 0.5


def test_low_ink_outlines_a_figure_whose_box_is_the_whole_face(draw: Draw) -> None:
    """A sail drawn in shares of the face is no ground; a polygon that fills the face is one."""
    sail = "{shape: polygon, box: trim, points: [[0.5, 0.1], [0.9, 0.6], [0.5, 0.6]], fill: '#224466'}"
    hull = "{shape: path, box: trim, path: 'M0.1 0.6 L0.9 0.6 C0.8 0.8 0.2 0.8 0.1 0.6 Z', fill: '#224466'}"
    ground = "{shape: polygon, box: trim, points: [[0, 0], [1, 0], [1, 1], [0, 1]], fill: '#224466'}"
    drawn = [node for node, _ in walked(draw(sail, hull, ground, low_ink=True).nodes) if isinstance(node, Shape)]
    assert [(node.fill, node.stroke and node.stroke.colour.hex) for node in drawn] == [(WHITE, "#224466")] * 2


def test_a_tab_is_square_below(draw: Draw) -> None:
    """The title of a box: round where the box is, and square where its words begin."""
    spec = "{shape: rect, box: [5, 5, 40, 8], fill: '#3a2c4e', radius: 2%s}"
    curves = [
        sum(letter == "C" for letter, _ in node.commands)
        for node, _ in walked(draw(spec % "", spec % ", tab: true").nodes)
        if isinstance(node, Shape)
    ]
    assert curves == [4, 2]


HEAVY = {
    "text": "{text: words and more, box: [5, 5, 50, 20], style: {size: 20, colour: '#102030'}}",
    "icon": "{icon: star, box: [20, 20, 6, 6], colour: '#102030'}",
    "icons": '{icons: \'["food", "gold"]\', box: [5, 5, 50, 8], size: 6}',
    "shape": "{shape: rect, box: [5, 5, 40, 40], fill: '#102030'}",
    "image": "{image: dark.svg, box: [5, 5, 40, 40], lit: true}",
    "scene": "{scene: x, mood: m, box: [0, 0, 60, 40]}",
    "pattern": "{pattern: bricks, box: trim, colour: '#102030', ground: '#304050'}",
    "frame": "{frame: storybook, box: [2, 2, 56, 76], colour: '#102030', width: 5}",
    "group": "{group: [{shape: hexagon, fill: '#102030'}], box: [5, 5, 50, 60]}",
    "part": "{part: dark}",
    "list": "{list: 3, box: [5, 5, 40, 60], height: 15, each: [{shape: rect, fill: '#102030'}]}",
    "grid": "{grid: 4, columns: 2, box: [5, 5, 50, 50], each: [{shape: ellipse, fill: '#102030'}]}",
    "track": "{track: 4, points: [[0, 0.2], [1, 0.8]], size: 8, box: [5, 5, 50, 60],"
    " stroke: {colour: '#102030', width: 6}, each: [{shape: ellipse, fill: '#102030'}]}",
    "arrow": "{arrow: [[0, 0.5], [1, 0.5]], box: [5, 20, 50, 30], fill: '#102030', width: 12, head: 14}",
    "land": "{land: x, box: [5, 5, 40, 40], fill: '#102030', water: '#203040'}",
    "road": "{road: [[0, 0], [1, 1]], box: [5, 5, 50, 60], stroke: {colour: '#304050', width: 5},"
    " edge: {colour: '#102030', width: 7}}",
    "marks": "{marks: x, of: tree peak ruin, count: 8, size: 9, box: trim, colour: '#102030', light: '#304050'}",
    "table": "{table: 4, columns: [{cell: words}], box: [5, 5, 50, 60], pad: 3, shade: '#102030'}",
}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_low_ink_is_obeyed_by_every_element(kind: str, draw: Draw, tmp_path: Path) -> None:
    """A new kind of element comes with a heavy drawing of it here, of which little ink prints at most a tenth of the
    face; type in black is a little darker than in blue."""
    make_game(tmp_path / "game")
    dark = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M0 0H9V9H0Z' fill='#123'/></svg>"
    (tmp_path / "game" / "dark.svg").write_text(dark, "utf-8")
    head = (
        "moods: {m: {sky: '#123', horizon: '#234', far: '#222', middle: '#345', near: '#123', light: '#ffd'}}\n"
        "parts: {dark: [{shape: polygon, points: [[0.1, 0.1], [0.8, 0.1], [0.4, 0.7]], fill: '#102030'}]}\n"
    )
    full, low = (_ink(draw(HEAVY[kind], head=head, low_ink=low_ink)) for low_ink in (False, True))
    assert low <= min(full * 1.2, 0.1)
    assert full > (0.08 if kind not in ("text", "icon", "icons", "marks") else 0.0015)


def _ink(face: Face) -> float:
    """Return the ink on a face as a share of a black one."""
    (picture,) = render_faces_at_exact_pixels([face], (120, 160))
    return 1 - float(np.asarray(picture.convert("L")).mean()) / 255


def test_texts_of_a_shared_style_have_one_size_on_a_face(tmp_path: Path) -> None:
    layout = """kind: card
size: [60, 80]
styles: {line: {family: alegreya, size: 14, min: 6%s}}
front:
  elements:
    - text: "A short line"
      box: {height: 10}
      style: line
    - text: "Many words that the box holds only if they are set in smaller type than the others"
      box: {y: 20, height: 12, width: 30}
      style: line
"""
    game = load_game(make_game(tmp_path / "game"))
    sizes = []
    for name, shared in (("own", ""), ("same", ", shared: true")):
        looks = LayoutRenderer(game, make_layouts(tmp_path / name, card=layout % shared))
        face = looks.draw_face_or_raise(next(iter(game.components.values())))
        sizes.append({node.size for node in _glyphs(face.nodes)})
    assert len(sizes[0]) == 2
    assert sizes[1] == {min(sizes[0])}


def _glyphs(nodes: Sequence[Node]) -> Iterator[Glyphs]:
    for node in nodes:
        if isinstance(node, Glyphs):
            yield node
        elif isinstance(node, Group):
            yield from _glyphs(node.children)
        elif isinstance(node, Use):
            yield from _glyphs(node.symbol.children)
