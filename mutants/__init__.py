"""Mutation testing of games: what no claim would notice. `mutate.py` begins it; `whole_lint.py` is
what lint says."""
