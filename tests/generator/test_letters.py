"""Small pictures in booklets: their type is seen, and not found with the page's text."""

from __future__ import annotations

from dataclasses import replace

from PIL import ImageChops

from playproof.generator.book.letters import Letters
from playproof.generator.book.pictures import words_on
from playproof.generator.exports.atlas import picture_of
from playproof.generator.scene import WHITE, Group, Rect, Spoken, Symbol, Transform, Use, rectangle
from playproof.generator.sheets.lettering import BOLD, letter
from playproof.generator.type.font_book import default_fonts
from tests.sheets.makers import BLUE, face


def test_type_on_a_picture_becomes_outlines_that_look_the_same() -> None:
    title = Symbol("title", Rect(0, 0, 60, 20), (letter("Fjörd & Würfel", 3, 12, 18, font=BOLD),))
    plain = Symbol("plain", Rect(0, 0, 5, 5), (rectangle(Rect(0, 0, 5, 5), BLUE),))
    icon = Use(plain, Transform.move(50, 30), Spoken(50, 30, 10, 5, "coin"))
    lines = Group((Use(title), letter("take 2", 3, 20, 9)), Transform.move(1, 2))
    lettered = replace(face("card", BLUE), nodes=(rectangle(Rect(0, 0, 63, 80), WHITE), lines, icon))
    letters = Letters(default_fonts())
    drawn = replace(lettered, nodes=letters.drawn(lettered.nodes))
    assert list(words_on(lettered.nodes)) == ["Fjörd & Würfel", "take 2", "coin"]
    assert not list(words_on(drawn.nodes))
    assert drawn.nodes[-1] == icon._replace(says=None)  # what has no type stays one symbol with the page's
    before, after = picture_of(lettered), picture_of(drawn)
    differences = ImageChops.difference(before, after).convert("L").histogram()
    assert sum(before.convert("L").histogram()[:64]) > 1_000  # something is written
    assert not sum(differences[96:])
