"""Archives: what one file of a game holds for those who will not run its Python."""
