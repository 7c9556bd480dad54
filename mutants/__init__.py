"""Mutation testing of games: rules and cards are changed one at a time, and what no claim notices is reported."""
