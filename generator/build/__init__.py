"""Build a game's files: only those that changed, all or none, with the same bytes every time.

files = build(load_game("mygame"), Path("output/mygame"), papers=("A4", "Letter"),
languages=("en",))

Each name is loaded when it is first used: a check of the products needs nothing that writes files.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from playproof.generator.build.run import BuiltFile, build

__getattr__, _, _ = lazy_loader.attach(__name__, submod_attrs={"run": ["BuiltFile", "build"]})

__all__ = ["BuiltFile", "build"]
