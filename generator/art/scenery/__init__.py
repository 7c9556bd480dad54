"""Generated illustrations: papercut scenes of layers behind layers, with a silhouette in the light.

A *world* lists a scene's layers from back to front (layouts/worlds/*.yaml): sky, light, ridges,
growth, figures. A *mood* gives the colours. The same seed, world and mood give the same picture.
Colours are flat mixtures, never see-through, so every print format takes them unchanged.
"""

from playproof.generator.art.scenery.scene_painter import LAYERS, paint_scenery_clipped_to_box
from playproof.generator.art.scenery.worlds import Layer, Mood, World, read_worlds_by_name_and_note_mistakes

__all__ = ["LAYERS", "Layer", "Mood", "World", "paint_scenery_clipped_to_box", "read_worlds_by_name_and_note_mistakes"]
