"""Build a game's files: only those that changed, all or none, with the same bytes every time.

files = build(load_game("mygame"), Path("output/mygame"), papers=("A4", "Letter"),
languages=("en",))
"""

from playproof.generator.build.run import BuiltFile, build

__all__ = ["BuiltFile", "build"]
