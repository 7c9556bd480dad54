"""Text per card: numbers of cards and copies, styles by expression, units, spans, outlines, tracking."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.database.game import Game, load_game
from playproof.generator.build.press import Press
from playproof.generator.layout.expression import ExpressionError, Number, convert_lengths_in_expression_to_unit
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face, Glyphs, Path as Shape, Rect
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.markup import markup_to_plain_text_with_icon_names
from playproof.generator.type.typesetter import TextStyle, Typesetter
from tests.generator.makers import pdf_of, texts, walked, words_of

HEAD = 'kind: card\nsize: poker\ncolours: {red: "#cc0000"}\n'
ROWS = "name,count,rank,font,tint,text\nAce,2,1,almendra,#aa2211,{ace}\nKing,3,13,cinzel,#2244aa,plain\n"


def make_deck(
    folder: Path, elements: str, styles: str = "", ace: str = "plain", head: str = HEAD
) -> tuple[Game, LayoutRenderer]:
    (folder / "layouts").mkdir(parents=True)
    (folder / "cards.csv").write_text(ROWS.replace("{ace}", f'"{ace}"'), "utf-8")
    layout = f"{head}{f'styles: {{{styles}}}' if styles else ''}\nfront:\n  elements:\n    - {elements}\n"
    (folder / "layouts" / "card.yaml").write_text(layout, "utf-8")
    game = load_game(folder)
    return game, LayoutRenderer(game)


def lines(face: Face) -> list[Glyphs]:
    return [node for node, _ in walked(face.nodes) if isinstance(node, Glyphs)]


def fronts(game: Game, looks: LayoutRenderer) -> list[str]:
    return [
        " ".join(texts(piece.front))
        for piece in Press(game, looks=looks).build_pieces_of_components_or_raise([*game.components.values()], "en")
    ]


class TestNumbers:
    def test_each_copy_has_its_number(self, tmp_path: Path) -> None:
        game, looks = make_deck(tmp_path, '{text: "{index} of {total}, {copy} of {count}"}')
        assert fronts(game, looks) == [
            "1 of 5, 1 of 2", "2 of 5, 2 of 2", "3 of 5, 1 of 3", "4 of 5, 2 of 3", "5 of 5, 3 of 3",
        ]  # fmt: skip
        assert looks.list_copy_numbers_or_one_empty_text(game.components["king"]) == ("1", "2", "3")

    def test_copies_that_are_alike_stay_one_face(self, tmp_path: Path) -> None:
        game, looks = make_deck(tmp_path, '{grid: 2, each: [{text: "{index} of {total}"}]}')
        assert len(fronts(game, looks)) == 2, "inside a loop the index is the loop's"

    def test_another_card_changes_the_print_of_those_that_say_how_many_there_are(self, tmp_path: Path) -> None:
        prints = []
        for folder, rows in (("a", ROWS), ("b", ROWS + "Queen,1,12,cinzel,#000000,x\n")):
            make_deck(tmp_path / folder, '{text: "{total}"}')
            (tmp_path / folder / "cards.csv").write_text(rows, "utf-8")
            game = load_game(tmp_path / folder)
            prints.append(
                Press(game, looks=LayoutRenderer(game)).hash_printed_content_with_mark(game.components["ace"])
            )
        assert prints[0] != prints[1]

    def test_a_column_of_that_name_is_the_cards_own(self, tmp_path: Path) -> None:
        (tmp_path / "layouts").mkdir()
        (tmp_path / "cards.csv").write_text("name,count,Index,copy\nAce,2,A7,carbon\n", "utf-8")
        (tmp_path / "layouts" / "card.yaml").write_text(
            f'{HEAD}front: {{elements: [{{text: "{{index}} {{copy}}"}}]}}\n', "utf-8"
        )
        game = load_game(tmp_path)
        assert fronts(game, LayoutRenderer(game)) == ["A7 carbon"]


class TestStyles:
    def test_a_style_may_differ_from_card_to_card(self, tmp_path: Path) -> None:
        style = 't: {family: "{font}", size: "18 if rank > 10 else 12", bold: "rank > 10", colour: "{tint}"}'
        game, looks = make_deck(tmp_path, '{text: "Same words", style: t, box: [3, 3, 50, 20]}', style)
        ace, king = (lines(looks.draw_face_or_raise(card))[0] for card in game.components.values())
        assert (ace.size, ace.fill.hex, ace.pieces[0][1].font) == (12, "#aa2211", "almendra-regular")
        assert (king.size, king.fill.hex, king.pieces[0][1].font) == (18, "#2244aa", "cinzel-bold")

    def test_the_name_of_a_style_may_have_holes(self, tmp_path: Path) -> None:
        styles = "ace: {size: 7}, king: {size: 14, underline: true}"
        game, looks = make_deck(tmp_path, """{text: "{name}", style: "{'ace' if rank == 1 else 'king'}"}""", styles)
        ace, king = (looks.draw_face_or_raise(card) for card in game.components.values())
        assert [lines(face)[0].size for face in (ace, king)] == [7, 14]
        assert [sum(isinstance(node, Shape) for node in face.nodes) for face in (ace, king)] == [0, 1]

    def test_what_an_expression_gives_must_be_a_style(self, tmp_path: Path) -> None:
        game, looks = make_deck(tmp_path, '{text: x, style: {size: "rank * 90"}}')
        with pytest.raises(InputError, match="at most 400 pt, found 1170"):
            looks.draw_face_or_raise(game.components["king"])
        with pytest.raises(InputError, match="PP206"):
            make_deck(tmp_path / "b", "{text: x, style: {size: 900}}")


class TestUnits:
    def test_lengths_have_units(self, tmp_path: Path) -> None:
        element = '{shape: rect, fill: red, box: {x: 0.5in, y: 36pt, width: 96px, height: "1cm + 2mm"}}'
        head = 'kind: card\nsize: [2.5in, 252pt]\nbleed: 0.125in\ncolours: {red: "#cc0000"}\n'
        game, looks = make_deck(tmp_path, element, head=head)
        face = looks.draw_face_or_raise(game.components["ace"])
        assert (face.width, face.height, face.bleed) == pytest.approx((63.5, 88.9, 3.175))
        [shape] = [node for node, _ in walked(face.nodes) if isinstance(node, Shape)]
        xs, ys = zip(*(points for letter, points in shape.commands if letter in "ML"), strict=True)
        assert (min(xs), min(ys), max(xs), max(ys)) == pytest.approx((12.7, 12.7, 38.1, 24.7))

    def test_type_is_in_points_whatever_the_unit(self, tmp_path: Path) -> None:
        game, looks = make_deck(tmp_path, "{text: x, style: {size: 5.08mm}}")
        assert lines(looks.draw_face_or_raise(game.components["ace"]))[0].size == pytest.approx(14.4)

    def test_what_is_no_length_takes_no_unit(self) -> None:
        assert Number("index * 0.25in + 2", "mm")({"index": 2}) == pytest.approx(14.7)
        assert convert_lengths_in_expression_to_unit("'3mm' if a2pt else 2 in b", "mm") == "'3mm' if a2pt else 2 in b"
        with pytest.raises(ExpressionError, match="without a unit"):
            Number("90px")


class TestSpans:
    def test_parts_have_a_colour_and_a_size(self, tmp_path: Path) -> None:
        ace = "Take [[red|two **bold**]] and [[14pt|big [[#00aa00 50%|green]] rest]] end"
        game, looks = make_deck(tmp_path, '{text: "{text}", style: {size: 7}, box: [2, 2, 59, 30]}', ace=ace)
        face = looks.draw_face_or_raise(game.components["ace"])
        looks_of = {line.text: (line.fill.hex, line.size) for line in lines(face)}
        assert looks_of["two"] == ("#cc0000", 7)
        assert looks_of["bold"] == ("#cc0000", 7)
        assert looks_of["big"] == ("#000000", 14)
        assert looks_of["green"] == ("#00aa00", 3.5)
        assert words_of(pdf_of(face)).split() == ["Take", "two", "bold", "and", "big", "green", "rest", "end"]
        assert markup_to_plain_text_with_icon_names(ace) == "Take two bold and big green rest end"

    @pytest.mark.parametrize(
        ("ace", "said"),
        [
            (
                "[[rde|x]]",
                "row 2, column F: PP638 card ace: there is no colour 'rde' for `[[rde|` (did you mean \"red\"?",
            ),
            ("[[red|x", "PP638 card ace: expected `]]` behind each `[[...|`"),
            ("[[900pt|x]]", "PP638 card ace: expected a size of at most 400 pt"),
        ],
    )
    def test_a_wrong_part_is_refused_at_its_cell(self, tmp_path: Path, ace: str, said: str) -> None:
        game, looks = make_deck(tmp_path, '{text: "{text}"}', ace=ace)
        with pytest.raises(InputError) as caught:
            looks.draw_face_or_raise(game.components["ace"])
        assert said in str(caught.value)

    def test_the_signs_themselves_print(self, tmp_path: Path) -> None:
        game, looks = make_deck(tmp_path, '{text: "{text}"}', ace=r"a [x] ]] \[[b|c]] [[ d")
        assert "".join(texts(looks.draw_face_or_raise(game.components["ace"]))).replace(" ", "") == "a[x]]][[b|c]][[d"

    def test_a_large_part_makes_its_line_higher(self, tmp_path: Path) -> None:
        style = '{text: "{text}", style: {size: 8}, box: [2, 2, 59, 60]}'
        steps = []
        for folder, ace in (("a", "one\ntwo\nthree"), ("b", "one\n[[200%|two]]\nthree")):
            game, looks = make_deck(tmp_path / folder, style, ace=ace)
            first, second, third = (line.y for line in lines(looks.draw_face_or_raise(game.components["ace"])))
            steps.append((second - first, third - second))
        (above, below), (large, after) = steps
        assert large > above * 1.5
        assert after == pytest.approx(below)


class TestEffects:
    def test_an_outline_and_a_shadow_lie_below_text_that_is_read_once(self, tmp_path: Path) -> None:
        effects = 'outline: {colour: red, width: 1pt}, shadow: {colour: "#888888", x: 1, y: 2}'
        style = f'style: {{size: 20, colour: "#ffffff", {effects}}}'
        game, looks = make_deck(tmp_path, f"{{text: Loud, {style}, box: [5, 5, 50, 20]}}")
        face = looks.draw_face_or_raise(game.components["ace"])
        shadow, outline, letters = [node for node, _ in walked(face.nodes) if isinstance(node, Shape | Glyphs)]
        assert isinstance(shadow, Shape)
        assert isinstance(outline, Shape)
        assert isinstance(letters, Glyphs)
        assert outline.stroke is not None
        assert outline.stroke.width == pytest.approx(2 * 25.4 / 72)
        assert (outline.stroke.colour.hex, letters.fill.hex) == ("#cc0000", "#ffffff")
        moved = {
            (round(a[0] - b[0], 6), round(a[1] - b[1], 6))
            for (_, a), (_, b) in zip(shadow.commands, outline.commands, strict=True)
            if a
        }
        assert moved == {(1, 2)}
        assert words_of(pdf_of(face)).split() == ["Loud"]
        low = LayoutRenderer(game, low_ink=True).draw_face_or_raise(game.components["ace"])
        assert not [node for node, _ in walked(low.nodes) if isinstance(node, Shape)]

    def test_tracking_spaces_letters_and_leaves_out_ligatures(self) -> None:
        setter = Typesetter(get_fonts_of_game_in_export_or_project(), {})
        box = Rect(0, 0, 90, 20)
        [plain], [spaced] = (
            setter.typeset_text_as_large_as_box_allows("office", box, TextStyle(size=10, tracking=space)).nodes
            for space in (0.0, 0.2)
        )
        assert isinstance(plain, Glyphs)
        assert isinstance(spaced, Glyphs)
        assert len(spaced.pieces[0][1].glyphs) == 6
        assert "".join(spaced.pieces[0][1].chars) == "office"
        right = setter.typeset_text_as_large_as_box_allows(
            "office", box, TextStyle(size=10, tracking=0.2, align="right")
        ).nodes[0]
        assert isinstance(right, Glyphs)
        assert right.x + right.width - 0.2 * 10 * 25.4 / 72 == pytest.approx(90), "nothing follows the last letter"

    def test_tracking_does_not_part_joined_letters(self) -> None:
        setter = Typesetter(get_fonts_of_game_in_export_or_project(), {})
        assert (
            "letters that are joined"
            in setter.typeset_text_as_large_as_box_allows("سلام", Rect(0, 0, 90, 20), TextStyle(tracking=0.1)).problems[
                0
            ]
        )

    def test_an_underline_is_as_long_as_its_line(self) -> None:
        block = Typesetter(get_fonts_of_game_in_export_or_project(), {}).typeset_text_as_large_as_box_allows(
            "one two", Rect(0, 0, 90, 20), TextStyle(size=10, underline=True)
        )
        line, rule = block.nodes
        assert isinstance(line, Glyphs)
        assert isinstance(rule, Shape)
        xs = [points[0] for letter, points in rule.commands if points]
        assert (min(xs), max(xs)) == pytest.approx((line.x, line.x + line.width))
