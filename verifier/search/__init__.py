"""Looks for lines of play: what is found here can only say yes, and is replayed by the
interpreter."""
