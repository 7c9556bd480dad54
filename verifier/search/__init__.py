"""Searches for lines of play. A line that is found can only answer yes, and the interpreter replays
it."""
