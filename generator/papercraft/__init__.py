"""Paper that is cut, folded and glued: boxes, dice, standees, card stands. Cut lines are solid, fold lines dashed.

Start reading at `net.py`; the models stand in `paper_models.py`."""

from playproof.generator.papercraft.paper_models import (
    BoxInterior,
    CardStock,
    build_die_net,
    build_standee_net,
    build_sticker_strip,
    build_tuckbox_net,
    build_wedge_net,
)

__all__ = [
    "BoxInterior",
    "CardStock",
    "build_die_net",
    "build_standee_net",
    "build_sticker_strip",
    "build_tuckbox_net",
    "build_wedge_net",
]
