"""Art from files: what is drawn, what is refused; generated scenes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from playproof.database.errors import FindingCollector
from playproof.generator.art.icons import IconLibrary, shade_symbol_lit_from_upper_right
from playproof.generator.art.outlines import parse_svg_path_to_absolute_commands
from playproof.generator.art.picture_files import (
    BadPicture,
    RasterPicture,
    compute_crop_shares_to_cover_box,
    fit_rectangle_centred_in_box,
    read_raster_picture_or_raise_if_broken,
)
from playproof.generator.art.scenery import (
    Mood,
    World,
    paint_scenery_clipped_to_box,
    read_worlds_by_name_and_note_mistakes,
)
from playproof.generator.art.scenery.foreground import TILE, Motif
from playproof.generator.art.svg_read import parse_svg_bytes_as_symbol_or_raise, parse_transform_attribute
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import (
    WHITE,
    Colour,
    Face,
    Group,
    Node,
    Path as Shape,
    Rect,
    Stroke,
    Symbol,
    Use,
    build_rectangle_path,
)
from tests.generator.makers import picture_of, walked

MOOD = Mood(
    *(Colour.parse_hex_or_cmyk_colour_or_raise(c) for c in ("#123", "#456", "#567", "#345", "#123", "#ffd")), night=True
)
WORLDS = read_worlds_by_name_and_note_mistakes((LAYOUTS / "worlds",), FindingCollector())


def svg(body: str, head: str = 'viewBox="0 0 12 8"') -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{body}</svg>'.encode()


def drawn(body: str) -> str:
    symbol = parse_svg_bytes_as_symbol_or_raise(svg(body), "s")
    return picture_of(Face("s", 12, 8, symbol.children))


class TestPaths:
    def test_relative_and_repeated_commands(self) -> None:
        assert parse_svg_path_to_absolute_commands("m1 1 2 0v3h-2z") == parse_svg_path_to_absolute_commands(
            "M1,1 L3,1 L3,4 L1,4 Z"
        )

    def test_numbers_may_touch(self) -> None:
        assert parse_svg_path_to_absolute_commands("M1.5.5-1-1") == parse_svg_path_to_absolute_commands(
            "M 1.5 0.5 L -1 -1"
        )

    def test_smooth_curves_mirror_their_handle(self) -> None:
        assert parse_svg_path_to_absolute_commands("M0 0C0 1 1 1 1 0S2-1 2 0")[2] == ("C", (1, -1, 2, -1, 2, 0))

    def test_quadratics_are_raised(self) -> None:
        assert parse_svg_path_to_absolute_commands("M0 0Q3 3 6 0")[1] == ("C", (2, 2, 4, 2, 6, 0))

    @pytest.mark.parametrize(("large", "sweep", "y"), [(0, 0, -1.0), (0, 1, 1.0)])
    def test_half_circles_turn_the_way_the_flags_say(self, large: int, sweep: int, y: float) -> None:
        commands = parse_svg_path_to_absolute_commands(f"M1 0A1 1 0 {large} {sweep} -1 0")
        assert len(commands) == 3
        assert commands[1][1][-1] == pytest.approx(y)
        assert commands[-1][1][-2:] == (-1, 0)

    def test_arc_flags_may_touch(self) -> None:
        assert parse_svg_path_to_absolute_commands("M0 0a1 1 0 012 0") == parse_svg_path_to_absolute_commands(
            "M0 0 A1 1 0 0 1 2 0"
        )

    @pytest.mark.parametrize("data", ["M1", "L", "M1 2 X", "1 2", "M 1 2 Z 3"])
    def test_nonsense_is_located(self, data: str) -> None:
        with pytest.raises(ValueError, match="at character"):
            parse_svg_path_to_absolute_commands(data)

    @pytest.mark.parametrize("data", ["", " ", "M", "MZ", "m z", "z"])
    def test_a_path_that_draws_nothing_is_empty(self, data: str) -> None:
        """An icon set of 4,229 files has one."""
        assert parse_svg_path_to_absolute_commands(data) == ()


class TestSvg:
    def test_shapes_groups_and_transforms(self) -> None:
        body = '<g transform="translate(2 1)"><rect width="4" height="3"/></g><rect x="8" width="2" height="8"/>'
        assert drawn(body).split("\n")[2] == "..####..##.."

    def test_styles_are_inherited_and_overridden(self) -> None:
        body = '<g fill="none"><rect width="4" height="8"/><rect x="6" width="4" height="8" style="fill:#000"/></g>'
        assert drawn(body).split("\n")[4] == "......####.."

    def test_transforms_apply_in_order(self) -> None:
        assert parse_transform_attribute("translate(5) scale(2)").apply(1, 1) == (7, 2)

    @pytest.mark.parametrize(
        "body",
        [
            "<script>alert(1)</script>",
            '<rect onload="x()" width="1" height="1"/>',
            '<image href="http://example.org/a.png"/>',
            '<use xlink:href="#a" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
            '<rect width="1" height="1" fill="url(http://example.org/#a)"/>',
            '<rect width="1" height="1" style="fill:url(#g)"/>',
            "<foreignObject/>",
            "<style>@import 'http://example.org/a.css';</style>",
            "<style>rect{fill:url(http://example.org/#a)}</style><rect width='1' height='1'/>",
            "<style>rect:{{</style>",
            '<clipPath id="a" clip-path="url(#a)"><rect width="1" height="1"/></clipPath><rect width="1" height="1"'
            ' clip-path="url(#a)"/>',
            '<g id="a"><use href="#a"/></g>',
            '<linearGradient id="a" href="#a"/><rect width="1" height="1" fill="url(#a)"/>',
            *(
                '<g id="g0"><rect width="1" height="1"/></g>'
                + "".join(f'<g id="g{n + 1}"><use href="#g{n}"/><use href="#g{n}"/></g>' for n in range(18)),
            ),
            "<defs><script>1</script></defs>",
            '<rect width="1" height="1" filter="f"/>',
            "<text>words</text>",
            '<path d="M0 0 L"/>',
            '<rect width="1" height="1" fill="chartreuse-ish"/>',
        ],
    )
    def test_unsafe_or_unfaithful_pictures_are_refused(self, body: str) -> None:
        with pytest.raises(BadPicture):
            parse_svg_bytes_as_symbol_or_raise(svg(body), "s")

    @pytest.mark.parametrize(
        "data",
        [
            b'<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 1 1"/>',
            '<!DOCTYPE svg><svg viewBox="0 0 1 1"/>'.encode("utf-16"),
            b"<svg",
            b"<html/>",
            b"<svg/>",
            b'<svg viewBox="0 0 0 1"/>',
            b"\xff\xfe\x00",
        ],
    )
    def test_broken_or_tricky_files_are_refused(self, data: bytes) -> None:
        with pytest.raises(BadPicture):
            parse_svg_bytes_as_symbol_or_raise(data, "s")

    def test_dashes_are_dashes(self) -> None:
        line = '<line x1="0" y1="4" x2="12" y2="4" stroke="#000" stroke-width="2" stroke-dasharray="3"/>'
        assert drawn(line).split("\n")[3] == "###...###..."

    def test_opacity_of_fill_and_of_stroke_are_apart(self) -> None:
        rect = '<rect x="2" y="2" width="8" height="4" stroke="#000" stroke-width="2" fill-opacity="0.5"/>'
        rows = drawn(rect).split("\n")
        assert rows[1][1:11] == "##########"
        assert rows[4][3:9] == "++++++"

    @pytest.mark.parametrize(
        "how", ['display="none"', 'visibility="hidden"', 'style="display: none"', 'fill-opacity="0"']
    )
    def test_what_is_hidden_is_not_drawn(self, how: str) -> None:
        assert "#" not in drawn(f'<g {how}><rect width="12" height="8"/></g>')

    def test_percent_is_of_the_picture(self) -> None:
        assert drawn('<rect x="25%" y="0" width="50%" height="100%"/>').split("\n")[4] == "...######..."

    def test_millimetres_are_not_user_units(self) -> None:
        (path,) = parse_svg_bytes_as_symbol_or_raise(svg('<rect width="2mm" height="1"/>'), "s").children
        assert isinstance(path, Shape)
        assert max(x for _, numbers in path.commands for x in numbers[0::2]) == pytest.approx(2 * 96 / 25.4)

    def test_a_line_has_no_inside(self) -> None:
        assert "#" not in drawn('<line x1="0" y1="4" x2="12" y2="4" fill="#000"/>')

    @pytest.mark.parametrize(
        "attribute",
        [
            'stroke-dashoffset="2"',
            'vector-effect="non-scaling-stroke"',
            'marker-end="x"',
            'style="mix-blend-mode: multiply"',
            'transform-origin="3 3"',
            'pathLength="10"',
            'width="3em"',
        ],
    )
    def test_what_would_be_left_out_without_a_word_is_refused(self, attribute: str) -> None:
        body = f'<rect height="4" width="4" {attribute}/>'.replace('width="4" width', "width")
        with pytest.raises(BadPicture, match="cannot be drawn"):
            parse_svg_bytes_as_symbol_or_raise(svg(body), "s")

    @pytest.mark.parametrize("attribute", ['data-name="a"', 'aria-hidden="true"', 'class="a"', 'stroke-dashoffset="0"'])
    def test_what_changes_nothing_is_let_through(self, attribute: str) -> None:
        assert "#" in drawn(f'<rect width="9" height="9" {attribute}/>')

    def test_a_title_and_metadata_are_harmless(self) -> None:
        assert parse_svg_bytes_as_symbol_or_raise(
            svg("<title>t</title><metadata/><rect width='1' height='1'/>"), "s"
        ).children

    def test_a_broken_icon_names_its_file(self, tmp_path: Path) -> None:
        (tmp_path / "bad.svg").write_bytes(svg("<script/>"))
        with pytest.raises(BadPicture, match=r"bad\.svg"):
            IconLibrary(tmp_path)["bad"]

    @pytest.mark.parametrize("folder", ["icons", "motifs"])
    def test_every_picture_of_the_house_is_drawn_inside_its_bounds(self, folder: str) -> None:
        icons = IconLibrary(LAYOUTS / folder)
        assert len(icons) > 25
        for name, symbol in icons.items():
            box = symbol.bounds.expand(symbol.bounds.width * 0.02)
            for node, _ in walked(symbol.children):
                assert isinstance(node, Shape), name
                for letter, points in node.commands:
                    ends = points[-2:]
                    assert letter == "Z" or box.contains(Rect(*ends, 0, 0)), (name, ends)


class TestRaster:
    def test_cover_crops_what_is_too_wide_near_the_focus(self) -> None:
        wide = RasterPicture(Path("p"), 200, 100)
        assert compute_crop_shares_to_cover_box(wide.width, wide.height, Rect(0, 0, 10, 10), (0.5, 0.5)) == Rect(
            0.25, 0, 0.5, 1
        )
        assert compute_crop_shares_to_cover_box(wide.width, wide.height, Rect(0, 0, 10, 10), (0, 0.5)) == Rect(
            0, 0, 0.5, 1
        )
        tall = RasterPicture(Path("p"), 100, 200)
        assert compute_crop_shares_to_cover_box(tall.width, tall.height, Rect(0, 0, 10, 10), (0.5, 1)) == Rect(
            0, 0.5, 1, 0.5
        )

    def test_contain_keeps_the_shape(self) -> None:
        assert fit_rectangle_centred_in_box(200, 100, Rect(0, 0, 10, 10)) == Rect(0, 2.5, 10, 5)

    def test_broken_files_are_refused(self, tmp_path: Path) -> None:
        good = tmp_path / "good.png"
        Image.new("RGB", (40, 40)).save(good)
        assert read_raster_picture_or_raise_if_broken(good).width == 40
        (tmp_path / "cut.png").write_bytes(good.read_bytes()[:60])
        (tmp_path / "text.png").write_text("not a picture")
        for name in ("cut.png", "text.png", "none.png"):
            with pytest.raises(BadPicture, match=name):
                read_raster_picture_or_raise_if_broken(tmp_path / name)

    def test_absurdly_large_pictures_are_refused_unread(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        Image.new("RGB", (40, 40)).save(tmp_path / "p.png")
        monkeypatch.setattr("playproof.generator.art.picture_files.MOST_PIXELS", 1599)
        with pytest.raises(BadPicture, match="40 by 40"):
            read_raster_picture_or_raise_if_broken(tmp_path / "p.png")
        monkeypatch.setattr("playproof.generator.art.picture_files.MOST_PIXELS", 1600)
        assert read_raster_picture_or_raise_if_broken(tmp_path / "p.png")


class TestScenery:
    BOX = Rect(3, 4, 60, 40)
    TILES = 2 * 5 * 4  # two colours of specks, on tiles of 12 mm

    @pytest.mark.parametrize(("world", "view"), [(world, view) for world in WORLDS for view in WORLDS[world].views])
    def test_a_view_shows_its_motif_and_its_seed(self, world: str, view: str) -> None:
        owl, frog = (IconLibrary(LAYOUTS / "motifs")[name] for name in ("owl", "frog"))
        pictures = [
            paint_scenery_clipped_to_box(self.BOX, seed, WORLDS[world], MOOD, motif, world_view=view)
            for seed, motif in (("a", owl), ("a", frog), ("b", owl))
        ]
        shows_motif = view != "land" or world != "seabed"  # the board's ground shows nobody
        assert (pictures[0] != pictures[1]) == shows_motif
        assert pictures[0] != pictures[2]

    def test_what_a_motif_leaves_open_has_a_colour(self) -> None:
        ring = parse_svg_bytes_as_symbol_or_raise(
            svg('<path fill-rule="evenodd" d="M0 0H12V8H0Z M4 2H8V6H4Z"/>'), "ring"
        )
        world = World("bare", {"land": (Motif(inside="light"),)})
        (group,) = paint_scenery_clipped_to_box(self.BOX, "a", world, MOOD, ring)
        assert isinstance(group, Group)
        shapes = [node for node, _ in walked(group.children) if isinstance(node, Shape)]
        assert [shape.fill for shape in shapes].count(MOOD.light) == 2  # the outer line and the hole

    @pytest.mark.parametrize("world", [name for name in WORLDS if "cover" in WORLDS[name].views])
    def test_a_cover_shows_each_companion(self, world: str) -> None:
        owl, *others = (IconLibrary(LAYOUTS / "motifs")[name] for name in ("owl", "frog", "snail", "badger", "bat"))
        figures = []
        for count in range(len(others) + 1):
            nodes = paint_scenery_clipped_to_box(
                self.BOX, "a", WORLDS[world], MOOD, owl, others[:count], world_view="cover"
            )
            figures.append(sum(isinstance(node, Group) for node, _ in walked(nodes)))
        assert figures == sorted(set(figures))  # each adds its silhouette

    @pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
    def test_the_same_seed_gives_the_same_picture_and_another_another(self, world: World) -> None:
        assert paint_scenery_clipped_to_box(self.BOX, "a", world, MOOD) == paint_scenery_clipped_to_box(
            self.BOX, "a", world, MOOD
        )
        assert paint_scenery_clipped_to_box(self.BOX, "a", world, MOOD) != paint_scenery_clipped_to_box(
            self.BOX, "b", world, MOOD
        )

    @pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
    def test_line_art_saves_ink_and_is_not_blank(self, world: World) -> None:
        picture = paint_scenery_clipped_to_box(
            self.BOX, "a", world, MOOD, IconLibrary(LAYOUTS / "motifs")["owl"], as_line_art=True
        )
        shapes = [node for node, _ in walked(picture) if isinstance(node, Shape)]
        assert len(shapes) > 20
        assert all(shape.fill == WHITE and shape.stroke is not None for shape in shapes)
        assert any(dark for dark in picture_of(Face("s", 60, 30, picture)) if dark not in ".\n")

    @pytest.mark.parametrize(
        ("line", "code", "message"),
        [
            ("- clouds: {cuont: [1, 2]}", "PP204", "cuont"),
            ("- clowds: {}", "PP503", "clouds"),
            ("- ridge: {height: high, swing: 1, colour: far}", "PP206", "height"),
            ("- ridge: {height: 0.5, swing: 0.1, colour: fat}", "PP206", "fat"),
            ("- sky: {}\nviews:\n  near:\n  - boughs: {of: feathers}", "PP206", "feathers"),
            ("- sky: {}\nveiws: {}", "PP503", "views"),
            ("- sky: {}\nfinish:\n- grain: {count: 0}", "PP206", "count"),
        ],
    )
    def test_mistakes_of_a_world_are_told_with_their_place(
        self, tmp_path: Path, line: str, code: str, message: str
    ) -> None:
        (tmp_path / "mine.yaml").write_text(f"layers:\n  {line}\n", "utf-8")
        collector = FindingCollector()
        read_worlds_by_name_and_note_mistakes((tmp_path,), collector)
        (finding,) = collector.findings
        assert (finding.code, finding.where.line) == (code, 2 + line.count("\n"))
        assert message in f"{finding.message} {finding.hint}"

    @staticmethod
    def tiles(world: str, seed: str = "a", view: str = "land") -> list[Use]:
        """Return the uses of the tiles of specks that lie in front of a scene."""
        (group,) = paint_scenery_clipped_to_box(TestScenery.BOX, seed, WORLDS[world], MOOD, world_view=view)
        assert isinstance(group, Group)
        last = [node for node in group.children if isinstance(node, Use)][-TestScenery.TILES :]
        assert group.children[-TestScenery.TILES :] == tuple(last)
        return last

    def test_the_finish_lies_over_every_view_of_a_world(self) -> None:
        for view in WORLDS["forest"].views:
            assert all(use.symbol.name.startswith("grain") for use in self.tiles("forest", view=view))

    def test_specks_are_stored_once_and_turned_so_that_nothing_repeats(self) -> None:
        uses, others = self.tiles("sea"), self.tiles("sea", "b")
        assert {use.symbol for use in uses} == {use.symbol for use in others}
        assert len({use.symbol for use in uses}) == 2
        assert [use.transform for use in uses] != [use.transform for use in others]

    def test_specks_stay_in_their_tile(self) -> None:
        for symbol in {use.symbol for use in self.tiles("sea")}:
            (specks,) = symbol.children
            assert isinstance(specks, Shape)
            corners = [point for _, point in specks.commands if point]
            assert all(max(abs(x), abs(y)) <= TILE / 2 for x, y in corners)
            assert len(corners) > 200

    def test_nothing_reaches_beyond_the_box(self) -> None:
        (group,) = paint_scenery_clipped_to_box(
            self.BOX, "a", WORLDS["forest"], MOOD, IconLibrary(LAYOUTS / "motifs")["owl"]
        )
        assert isinstance(group, Group)
        assert group.clip is not None
        assert group.clip.commands[0][1] == (3, 4)

    def test_the_motif_stands_on_the_ground(self) -> None:
        motif = IconLibrary(LAYOUTS / "motifs")["owl"]
        low, high = (
            self.foot(paint_scenery_clipped_to_box(self.BOX, "a", WORLDS["forest"], MOOD, motif, land_share=g))
            for g in (1.0, 0.8)
        )
        assert low > high

    @staticmethod
    def foot(nodes: tuple[Node, ...]) -> float:
        groups = [node for node, _ in walked(nodes) if isinstance(node, Group) and abs(node.transform.a) < 1]
        return groups[-1].transform.apply(0, 512)[1]

    @pytest.mark.parametrize("lines", [False, True])
    def test_the_motif_has_a_lit_edge_and_a_body_unless_only_lines_are_printed(self, lines: bool) -> None:
        motif = Symbol("square", Rect(0, 0, 10, 10), (build_rectangle_path(Rect(0, 0, 10, 10)),))
        nodes = paint_scenery_clipped_to_box(
            self.BOX, "a", World("w", {"land": (Motif(),)}), MOOD, motif, as_line_art=lines
        )
        fills = {node.fill for node, _ in walked(nodes) if isinstance(node, Shape) and node.fill is not None}
        planes = {MOOD.get_or_mix_colour_of_tone_words(Motif().lit), MOOD.get_or_mix_colour_of_tone_words(Motif().body)}
        assert (MOOD.ink in fills) is not lines
        assert planes & fills == (set() if lines else planes)

    def test_the_light_stands_on_the_right_whichever_way_a_motif_faces(self) -> None:
        motif = Symbol("square", Rect(0, 0, 10, 10), (build_rectangle_path(Rect(0, 0, 10, 10)),))
        sides = set()
        for seed in "abcdef":
            (whole,) = paint_scenery_clipped_to_box(self.BOX, seed, World("w", {"land": (Motif(),)}), MOOD, motif)
            rim, body = (node for node in whole.children if isinstance(node, Group))  # type: ignore[union-attr]
            sides.add(body.transform.a > 0)
            assert rim.transform.e > body.transform.e
            moved = next(node for node in body.children[0].children if isinstance(node, Group))
            assert body.transform.a * moved.transform.e < 0  # what the body leaves free lies on the right
        assert sides == {True, False}

    def test_a_figure_stands_there_in_its_own_colours(self) -> None:
        nodes = paint_scenery_clipped_to_box(self.BOX, "a", World("w", {"land": (Motif(),)}), MOOD, self.FIGURE)
        fills = {node.fill for node, _ in walked(nodes) if isinstance(node, Shape)}
        assert {self.COAT, self.BUTTON} <= fills
        assert MOOD.get_or_mix_colour_of_tone_words(Motif().body) not in fills

    def test_a_lit_figure_has_three_planes_where_it_has_an_outline(self) -> None:
        lit = shade_symbol_lit_from_upper_right(self.FIGURE)
        coat, outline, button = lit.children
        assert isinstance(coat, Group)
        assert isinstance(outline, Shape)
        assert outline.stroke is not None
        planes = [node.fill for node, _ in walked(coat.children) if isinstance(node, Shape)]
        light = [fill.luminance for fill in planes if isinstance(fill, Colour)]
        assert planes[1] == self.COAT
        assert light[0] > light[1] > light[2]
        assert button == self.FIGURE.children[1]
        assert outline.stroke.width < 1
        assert outline.fill is None

    COAT, BUTTON = Colour(0.2, 0.5, 0.3), Colour(0.9, 0.8, 0.2)
    FIGURE = Symbol(
        "figure",
        Rect(0, 0, 40, 60),
        (
            build_rectangle_path(Rect(5, 5, 30, 50), COAT, Stroke(Colour(0, 0, 0), 1)),
            build_rectangle_path(Rect(18, 20, 3, 3), BUTTON),
        ),
    )
