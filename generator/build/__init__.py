"""Building a game's files: only what changed, whole or not at all, the same bytes every time.

files = build(load_game("mygame"), Path("output/mygame"), papers=("A4", "Letter"),
languages=("en",))
"""

from playproof.generator.build.run import BuiltFile, build

__all__ = ["BuiltFile", "build"]
