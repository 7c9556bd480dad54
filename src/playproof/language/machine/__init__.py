"""Machine code for games: the handwritten code that runs with the generated source, the translation
of both to LLVM, and the cache on disk."""
