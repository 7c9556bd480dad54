"""Machine code for games: the code beside the generated source, its translation to LLVM, and its
cache on disk."""
