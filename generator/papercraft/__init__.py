"""Paper that is cut, folded and glued: boxes, dice, standees, card stands. Cut lines are solid, fold lines dashed.

Start reading at `net.py`; the models stand in `paper_models.py`."""

from playproof.generator.papercraft.paper_models import (
    BoxInterior,
    CardStock,
    build_card_stand_net_or_raise,
    build_die_net_from_six_pictures,
    build_standee_net,
    build_strip_of_die_stickers,
    build_tuckbox_net,
)

__all__ = [
    "BoxInterior",
    "CardStock",
    "build_card_stand_net_or_raise",
    "build_die_net_from_six_pictures",
    "build_standee_net",
    "build_strip_of_die_stickers",
    "build_tuckbox_net",
]
