"""Machine code for games: the handwritten code that joins the generated source, its translation to
LLVM, and its cache on disk."""
