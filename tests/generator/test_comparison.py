"""Whether two pictures draw the same, held against the bytes that they print as."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.game import load_game
from playproof.generator.exports.raster import build_page_of_face_and_bleed
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.pdf import Metadata, PdfPartPool, render_pages_to_pdf_bytes
from playproof.generator.scene import BLACK, Face, Group, Rect, Transform, build_rectangle_path
from playproof.generator.scene.nodes import are_faces_drawn_and_cut_alike


def face_of(*nodes) -> Face:
    return Face("a face", 20.0, 30.0, nodes)


def test_a_group_that_changes_nothing_draws_as_what_it_holds() -> None:
    box = build_rectangle_path(Rect(1, 1, 5, 5), BLACK)
    assert are_faces_drawn_and_cut_alike(face_of(box), face_of(Group((Group((), name="empty"), Group((box,))))))
    assert not are_faces_drawn_and_cut_alike(face_of(box), face_of(Group((box,), Transform.move(1, 0))))
    assert not are_faces_drawn_and_cut_alike(face_of(box), face_of(Group((box,), opacity=0.5)))
    assert not are_faces_drawn_and_cut_alike(face_of(box), face_of(box, box))
    assert not are_faces_drawn_and_cut_alike(face_of(box), face_of())


@pytest.mark.parametrize("name", ["eila", "olith"])
def test_faces_are_the_same_where_their_pdf_is(name: str) -> None:
    """All pairs of the first cards of a kind, drawn by two looks that share nothing."""
    game = load_game(name)
    one, two = LayoutRenderer(game), LayoutRenderer(game)
    kind = max(one.layouts, key=lambda layout: len(game.of_kind(layout.kind))).kind
    cards = game.of_kind(kind)[:4]
    drawn = [[looks.draw_face_or_raise(card) for card in cards] for looks in (one, two)]
    pool = PdfPartPool(one.fonts), PdfPartPool(two.fonts)
    pages = [
        [
            render_pages_to_pdf_bytes(
                [build_page_of_face_and_bleed(face, face.bleed)], metadata=Metadata(""), pool=each
            )
            for face in faces
        ]
        for faces, each in zip(drawn, pool, strict=True)
    ]
    for here, old in enumerate(drawn[0]):
        for there, new in enumerate(drawn[1]):
            assert are_faces_drawn_and_cut_alike(old, new) == (pages[0][here] == pages[1][there]) == (here == there)


def test_a_version_takes_over_only_faces_of_which_all_is_the_same(tmp_path: Path) -> None:
    from dataclasses import replace

    game = load_game("opale")
    first = next(card for card in game.of_kind("card"))
    spot = str(first.fields["spot"])
    changed = replace(game.components[spot], fields={**game.components[spot].fields, "copies": 99})
    other = replace(game, components={**game.components, spot: changed})
    looks = LayoutRenderer(game)
    cards = game.of_kind("card")
    drawn = {card.id: looks.draw_face_or_raise(card) for card in cards}
    again = looks.copy_for_game_version(other)
    for card in cards:
        face = again.draw_face_or_raise(other.components[card.id])
        assert (face is drawn[card.id]) == (card.fields["spot"] != spot)
