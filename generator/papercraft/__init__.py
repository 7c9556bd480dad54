"""Paper that is cut, folded and glued: boxes, dice, standees, card stands. Cut lines are solid,
fold lines dashed."""

from playproof.generator.papercraft.die import die_net, sticker_strip
from playproof.generator.papercraft.standee import standee_net
from playproof.generator.papercraft.tuckbox import Box, Stock, tuckbox_net
from playproof.generator.papercraft.wedge import wedge_net

__all__ = ["Box", "Stock", "die_net", "standee_net", "sticker_strip", "tuckbox_net", "wedge_net"]
