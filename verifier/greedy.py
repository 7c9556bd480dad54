"""Witnesses from games of the greedy player, where a game declares what a position is worth: deep wins, found fast.

Batches are played in compiled code; the game wanted is then played again in Python with the same random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rules.language.expr import as_term
from rules.language.game import CHANCE
from rules.language.interpreter import Interpreter
from rules.language.random import Stream, seed_of
from verifier.beam import endings_of
from verifier.case import Budget, Case
from verifier.target import Target
from verifier.walks import first_hit

_FIRST, _BATCH, _MOST = 500, 5_000, 40_000
_RUN = 41


def search(case: Case, target: Target, budget: Budget, *, below: int | None = None,
           enough: int | None = None) -> list[int] | None:
    """A line to an ending of the target, in fewer rounds than `below`; it stops early at `enough` rounds, else it
    takes the fewest of all its games. None where the game declares no worth or no such game was met."""
    wanted = endings_of(case, target)
    if "evaluate" not in case.game.facts or wanted is None:
        return None
    best, first = None, 0
    while first < _MOST and budget.left > 0:
        games = _BATCH if first else _FIRST
        batch = case.compiled.playouts(games, _RUN, first=first, policies=[1] * case.game.players)
        for number in np.argsort(batch.rounds, kind="stable"):
            rounds = int(batch.rounds[number])
            if (below is not None and rounds >= below) or not wanted[batch.endings[number]]:
                continue
            line = first_hit(target, *greedy_game(case, _RUN, first + int(number)))
            if line is not None:
                best, below = line, rounds
                break
        if best is not None and (enough is None or (below is not None and below <= enough)):
            return best
        first += games
        budget.say(f"{first:,} games of the greedy player")
    return best


def greedy_game(case: Case, run: int, game: int) -> tuple[list[int], np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    """The actions of one game in which every seat is greedy, and its states, one column each."""
    compiled, stream = case.compiled, Stream(seed_of(run, game))
    state, taken = compiled.start(), []
    states = [state.copy()]
    while state[1] == 0:
        idents = compiled.legal(state)
        if not idents:
            break
        seat = compiled.actor(state)
        if seat == CHANCE:
            at = stream.weighted(compiled.weights(state))
        else:
            at = stream.best(_worths(case, state.tolist(), idents, seat))
        taken.append(idents[at])
        compiled.apply(state, idents[at])
        states.append(state.copy())
    return taken, np.stack(states, axis=1)


def _worths(case: Case, state: Sequence[int], idents: Sequence[int], seat: int) -> list[int]:
    """What the declared evaluation says of the state behind each action."""
    declared = case.game.facts["evaluate"]
    term = as_term(declared[seat] if isinstance(declared, tuple | list) else declared)
    play, found = Interpreter(case.game), []
    for ident in idents:
        trial = np.array(state, dtype=np.int64)
        case.compiled.apply(trial, ident)
        found.append(play.value(term, trial.tolist()))
    return found


__all__ = ["greedy_game", "search"]
