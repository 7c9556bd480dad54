"""What the process that draws does for the server: pictures of faces, the lobby's entries, replays.

Type, icons and layouts take some 100 MB once they have drawn, and the drawing of a game takes seconds. So the server
draws nothing itself, and the process ends when there is nothing left to draw.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager

from playproof.language.build_inputs import noted
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.table.bot_processes import Question
from playproof.table.faces import Faces
from playproof.table.lobby_entries import LobbyEntry, describe_game
from playproof.table.placing import Spread

_read: set[str] = set()  # all files that this process has read
_noting: list[AbstractContextManager[set[str]]] = []  # a generator that is forgotten would end
_MOST_EDITIONS = 2  # that are remembered
_editions: OrderedDict[tuple[Question, str], Faces] = OrderedDict()


class Outdated(Exception):
    """The files of a game are no longer those from which the server has read it."""


def begin_noting() -> None:
    """Note from now on which files this process reads. What it reads once serves all games."""
    global _read
    _noting.append(noted())
    _read = _noting[0].__enter__()


def list_faces(game: Question, edition: str) -> list[str]:
    """Return the names of an edition's pictures in the order in which they are drawn. Raises Outdated."""
    return _faces(game, edition).order()


def draw_face(game: Question, edition: str, name: str) -> bytes:
    """Return a picture, compressed; b"" for a side that its component does not have. Raises Outdated."""
    return _faces(game, edition).draw(name)


def describe_for_lobby(ref: str) -> LobbyEntry:
    """Return what the lobby shows of a game, and keep it on disk."""
    return describe_game(ref, _read)


def write_replay(
    game: Question, edition: str, seed: int, seats: Sequence[str], actions: Sequence[int]
) -> str:
    """Return a finished game as a page. Raises Outdated."""
    from playproof.table.replay_page import replay_html

    faces = _faces(game, edition)
    match = Match(faces.spread.variant, seed, seats=seats)
    for ident in actions:
        match.apply(ident)
    return replay_html(match, faces.spread, faces=faces)


def _faces(game: Question, edition: str) -> Faces:
    """Return the pictures of an edition. Those of the last ones are remembered."""
    if (game, edition) not in _editions:
        ref, options, rulings, file = game
        try:
            faces = Faces(Spread(Variant(ref, dict(options), dict(rulings), file)))
        except Exception as error:
            raise Outdated(str(error)) from None
        if faces.edition != edition:
            raise Outdated(f"{ref} has changed")
        _editions[game, edition] = faces
    _editions.move_to_end((game, edition))
    if len(_editions) > _MOST_EDITIONS:
        _editions.popitem(last=False)
    return _editions[game, edition]
