"""Searches for lines of play. A line that is found can only answer yes, and the interpreter replays it.

Start reading at `portfolio.py`, which tries the searches in turn; `case.py` is what all of them work on."""
