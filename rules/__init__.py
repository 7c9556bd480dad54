"""What may happen: the rules language and one module or folder a game."""
