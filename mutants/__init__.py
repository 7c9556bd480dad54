"""Mutation testing of games: what no claim would notice. `mutate.py` begins it; `lint.py` is all that lint says."""
