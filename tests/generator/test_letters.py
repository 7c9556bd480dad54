"""Small pictures in booklets: their type is seen, and not found with the page's text."""

from __future__ import annotations

from dataclasses import replace

from PIL import ImageChops

from playproof.generator.book.face_pictures import TypeOutliner, iter_texts_and_icon_names_as_drawn
from playproof.generator.exports.raster import draw_trimmed_face_at_resolution
from playproof.generator.scene import WHITE, Group, Rect, SpokenName, Symbol, Transform, Use, build_rectangle_path
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.shaping import BOLD, typeset_anchored_text_line
from tests.sheets.makers import BLUE, face


def test_type_on_a_picture_becomes_outlines_that_look_the_same() -> None:
    title = Symbol("title", Rect(0, 0, 60, 20), (typeset_anchored_text_line("Fjörd & Würfel", 3, 12, 18, font=BOLD),))
    plain = Symbol("plain", Rect(0, 0, 5, 5), (build_rectangle_path(Rect(0, 0, 5, 5), BLUE),))
    icon = Use(plain, Transform.move(50, 30), SpokenName(50, 30, 10, 5, "coin"))
    lines = Group((Use(title), typeset_anchored_text_line("take 2", 3, 20, 9)), Transform.move(1, 2))
    lettered = replace(face("card", BLUE), nodes=(build_rectangle_path(Rect(0, 0, 63, 80), WHITE), lines, icon))
    letters = TypeOutliner(get_fonts_of_game_in_export_or_project())
    drawn = replace(lettered, nodes=letters.convert_type_to_outlines(lettered.nodes))
    assert list(iter_texts_and_icon_names_as_drawn(lettered.nodes)) == ["Fjörd & Würfel", "take 2", "coin"]
    assert not list(iter_texts_and_icon_names_as_drawn(drawn.nodes))
    assert drawn.nodes[-1] == icon._replace(says=None)  # what has no type stays one symbol with the page's
    before, after = draw_trimmed_face_at_resolution(lettered), draw_trimmed_face_at_resolution(drawn)
    differences = ImageChops.difference(before, after).convert("L").histogram()
    assert sum(before.convert("L").histogram()[:64]) > 1_000  # something is written
    assert not sum(differences[96:])
