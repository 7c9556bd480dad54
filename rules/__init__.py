"""The rules: the rules language, and one module or folder per game."""
