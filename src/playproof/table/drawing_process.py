"""What the process that draws does for the server: pictures of faces, the lobby's entries, replays.

Type, icons and layouts take some 100 MB once they have drawn, and the drawing of a game takes seconds. So the server
draws nothing itself, and the process ends when there is nothing left to draw.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager

from playproof.language.build_inputs import record_read_paths
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.table.bot_processes import VariantKey
from playproof.table.faces import FacePictures
from playproof.table.lobby_entries import LobbyEntry, build_and_store_entry
from playproof.table.placing import TableLayout

_read: set[str] = set()  # all files that this process has read
_noting: list[AbstractContextManager[set[str]]] = []  # a generator that is forgotten would end
_MOST_EDITIONS = 2  # that are remembered
_editions: OrderedDict[tuple[VariantKey, str], FacePictures] = OrderedDict()


class OutdatedEdition(Exception):
    """The files of a game are no longer those from which the server has read it."""


def start_noting_read_files() -> None:
    """Note from now on which files this process reads. What it reads once serves all games."""
    global _read
    _noting.append(record_read_paths())
    _read = _noting[0].__enter__()


def list_face_names(game: VariantKey, edition: str) -> list[str]:
    """Return the names of an edition's pictures in the order in which they are drawn. Raises Outdated."""
    return _get_edition_faces(game, edition).list_names_in_drawing_order()


def draw_compressed_face(game: VariantKey, edition: str, name: str) -> bytes:
    """Return a picture, compressed; b"" for a side that its component does not have. Raises Outdated."""
    return _get_edition_faces(game, edition).draw_compressed_svg(name)


def describe_game_for_lobby(ref: str) -> LobbyEntry:
    """Return what the lobby shows of a game, and keep it on disk."""
    return build_and_store_entry(ref, _read)


def render_replay_page(
    game: VariantKey, edition: str, seed: int, seats: Sequence[str], actions: Sequence[int]
) -> str:
    """Return a finished game as a page. Raises Outdated."""
    from playproof.table.replay_page import render_replay_html

    faces = _get_edition_faces(game, edition)
    match = Match(faces.spread.variant, seed, seats=seats)
    for ident in actions:
        match.apply(ident)
    return render_replay_html(match, faces.spread, faces=faces)


def _get_edition_faces(game: VariantKey, edition: str) -> FacePictures:
    """Return the pictures of an edition. Those of the last ones are remembered."""
    if (game, edition) not in _editions:
        ref, options, rulings, file = game
        try:
            faces = FacePictures(TableLayout(Variant(ref, dict(options), dict(rulings), file)))
        except Exception as error:
            raise OutdatedEdition(str(error)) from None
        if faces.edition != edition:
            raise OutdatedEdition(f"{ref} has changed")
        _editions[game, edition] = faces
    _editions.move_to_end((game, edition))
    if len(_editions) > _MOST_EDITIONS:
        _editions.popitem(last=False)
    return _editions[game, edition]
