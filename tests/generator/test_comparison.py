"""Whether two pictures draw the same, held against the bytes that they print as."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.game import load_game
from playproof.generator.exports.raster import build_face_page
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.pdf import Metadata, PdfPartPool, render_pdf
from playproof.generator.scene import BLACK, Face, Group, Rect, Transform, rectangle
from playproof.generator.scene.nodes import is_same_face


def face_of(*nodes) -> Face:
    return Face("a face", 20.0, 30.0, nodes)


def test_a_group_that_changes_nothing_draws_as_what_it_holds() -> None:
    box = rectangle(Rect(1, 1, 5, 5), BLACK)
    assert is_same_face(face_of(box), face_of(Group((Group((), name="empty"), Group((box,))))))
    assert not is_same_face(face_of(box), face_of(Group((box,), Transform.move(1, 0))))
    assert not is_same_face(face_of(box), face_of(Group((box,), opacity=0.5)))
    assert not is_same_face(face_of(box), face_of(box, box))
    assert not is_same_face(face_of(box), face_of())


@pytest.mark.parametrize("name", ["eila", "olith"])
def test_faces_are_the_same_where_their_pdf_is(name: str) -> None:
    """All pairs of the first cards of a kind, drawn by two looks that share nothing."""
    game = load_game(name)
    one, two = LayoutRenderer(game), LayoutRenderer(game)
    kind = max(one.layouts, key=lambda layout: len(game.of_kind(layout.kind))).kind
    cards = game.of_kind(kind)[:4]
    drawn = [[looks.draw_face(card) for card in cards] for looks in (one, two)]
    pool = PdfPartPool(one.fonts), PdfPartPool(two.fonts)
    pages = [
        [render_pdf([build_face_page(face, face.bleed)], metadata=Metadata(""), pool=each) for face in faces]
        for faces, each in zip(drawn, pool, strict=True)
    ]
    for here, old in enumerate(drawn[0]):
        for there, new in enumerate(drawn[1]):
            assert is_same_face(old, new) == (pages[0][here] == pages[1][there]) == (here == there)


def test_a_version_takes_over_only_faces_of_which_all_is_the_same(tmp_path: Path) -> None:
    from dataclasses import replace

    game = load_game("opale")
    first = next(card for card in game.of_kind("card"))
    spot = str(first.fields["spot"])
    changed = replace(game.components[spot], fields={**game.components[spot].fields, "copies": 99})
    other = replace(game, components={**game.components, spot: changed})
    looks = LayoutRenderer(game)
    cards = game.of_kind("card")
    drawn = {card.id: looks.draw_face(card) for card in cards}
    again = looks.copy_for_version(other)
    for card in cards:
        face = again.draw_face(other.components[card.id])
        assert (face is drawn[card.id]) == (card.fields["spot"] != spot)
