"""Random games by the unchanged rules, along which changed rules are asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from playproof.language.random import Stream, make_game_seed
from playproof.verifier.search.case import GameCase

LONGEST = 600
"""The number of actions after which a game is cut off."""
_RUN = 20_271_117


@dataclass(frozen=True)
class RandomGame:
    """A game by the unchanged rules: its actions, the states before and after each, and the legal
    actions at each decision."""

    idents: list[int]
    states: list[list[int]]
    legal: list[frozenset[int]]


def play_random_games(case: GameCase, number: int, seed: int) -> list[RandomGame]:
    """Return `number` random games, each with its own stream of chance."""
    taken = Counter[int]()
    return [_play_random_game(case, Stream(make_game_seed(_RUN + seed, n)), taken) for n in range(number)]


def _play_random_game(case: GameCase, stream: Stream, action_counts: Counter[int]) -> RandomGame:
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    state, line = list(case.first), RandomGame([], [], [])
    line.states.append(list(state))
    while not state[1] and len(line.idents) < LONGEST:
        n = module.legal(state, out, weights)
        legal = out[:n]
        if not n:
            break
        rare = min(legal, key=lambda i: action_counts[i]) if stream.below(2) else None
        ident = legal[stream.below(n)] if rare is None else rare
        action_counts[ident] += 1
        line.legal.append(frozenset(legal))
        line.idents.append(ident)
        module.apply(state, ident)
        line.states.append(list(state))
    return line
