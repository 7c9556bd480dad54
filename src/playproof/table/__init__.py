"""The table: the state of a game on its printed places, for browsers, replays, rulebooks and virtual tables.

    TableLayout(variant).make_scene_seen_by_seat(state, 0)  where everything lies, as that seat sees it
    FacePictures(layout).draw_svg(picture)                  the picture of one face, known by the hash of its content
    draw_table_scene_as_one_face(layout, scene)             the whole table as one face, for paper

Start reading at `table_layout.py` for the picture, at `web_app.py` and `sessions.py` for the server. Each name
is loaded when it is first used."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from playproof.table.drawn_table import draw_table_scene_as_one_face
    from playproof.table.faces import FacePictures
    from playproof.table.scene import Scene, Spot, Surface, TablePiece
    from playproof.table.table_layout import TableLayout

__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "drawn_table": ["draw_table_scene_as_one_face"],
        "faces": ["FacePictures"],
        "table_layout": ["TableLayout"],
        "scene": ["TablePiece", "Scene", "Spot", "Surface"],
    },
)

__all__ = ["FacePictures", "Scene", "Spot", "Surface", "TableLayout", "TablePiece", "draw_table_scene_as_one_face"]
