"""Paper that is cut, folded and glued: tuckboxes, dice, standees. Solid lines are cut, dashed lines folded."""

from playproof.generator.papercraft.die import die_net
from playproof.generator.papercraft.standee import standee_net
from playproof.generator.papercraft.stickers import sticker_strip
from playproof.generator.papercraft.tuckbox import Box, tuckbox_net

__all__ = ["Box", "die_net", "standee_net", "sticker_strip", "tuckbox_net"]
