"""One random game in the interpreter, from the same seed and with the same choices as compiled
playouts."""

from __future__ import annotations

from playproof.language.game import CHANCE
from playproof.language.interpreter import Interpreter
from playproof.language.random import Stream


def random_game(play: Interpreter, seed: int) -> tuple[list[int], list[int]]:
    """Return the ground actions of a random game (chance included) and its final state."""
    stream, state, taken = Stream(seed), play.start(), []
    while not play.terminal(state):
        idents = play.legal(state)
        if not idents:
            break
        if play.actor(state) == CHANCE:
            chosen = idents[stream.draw_weighted_index([play.weight(state, i) for i in idents])]
        else:
            chosen = idents[stream.below(len(idents))]
        taken.append(chosen)
        state = play.apply(state, chosen)
    return taken, state
