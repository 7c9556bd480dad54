"""Everything that lint says of a game, from its cards to its claims. Start reading at `whole_game.py`."""
