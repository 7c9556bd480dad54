"""Mutation testing of games: which changes no claim notices. Start reading at `mutate.py`."""
