"""The table: the state of a game on its printed places, for browsers, replays, rulebooks and
virtual tables.

    Spread(variant).scene(state, seat=0)      where everything lies, as that seat sees it
    Faces(spread).svg(picture)                the picture of one face, known by the hash of its content
    table_face(spread, scene)                 the whole table as one face, for paper
"""

from playproof.table.faces import Faces, table_face
from playproof.table.placing import Spread
from playproof.table.scene import Piece, Scene, Spot, Surface

__all__ = ["Faces", "Piece", "Scene", "Spot", "Spread", "Surface", "table_face"]
