"""Games played on a changed description, in plain Python, with every state kept. Claims are checked
against them.

Games start along lines of play known from the unchanged game, and continue at random once the
changed rules refuse the next action. Work is counted in steps, never in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.language import Game, RulesError
from playproof.language.random import Stream, seed_of
from playproof.verifier.search.case import Case

_LONGEST = 1_500  # steps after which a game is cut off: changed rules may allow cycles
_RUN = 20_260_303


class ChangedCase(Case):
    """A case with a given game, instead of one built from a folder."""

    def __init__(self, ref: str, game: Game, values: dict[str, str], rulings: dict[str, str]) -> None:
        self.ref, self.errata = ref, True
        self.values, self.rulings = values, rulings
        self._hold(game, machine=False)


@dataclass(frozen=True)
class Played:
    """One game: its actions, its states (one column each, in general one more than actions), and
    how it ended: `over`, `stuck`, `broken` (the last action breaks the rules) or `circles` (too
    long)."""

    idents: list[int]
    states: npt.NDArray[np.int64]
    left: str
    message: str = ""
    endless: bool = False  # broken by automatic phases that run forever


def game_along(case: Case, line: Sequence[int], stream: Stream, skip: int = 0) -> Played:
    """Play a game that follows a line, without its last `skip` actions, as long as it is legal, and
    then continues at random."""
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    state = list(case.first)
    states, idents = [list(state)], list[int]()
    wanted = iter(line[: len(line) - skip] if skip else line)
    try:
        while not state[1]:
            if len(idents) >= _LONGEST:
                return Played(idents, _columns(states), "circles")
            n = module.legal(state, out, weights)
            if not n:
                return Played(idents, _columns(states), "stuck")
            ident = next(wanted, -1)
            if ident not in out[:n]:
                wanted = iter(())
                chance = module.actor(state) < 0
                ident = out[stream.weighted(weights[:n]) if chance else stream.below(n)]
            idents.append(ident)
            module.apply(state, ident)
            states.append(list(state))
    except (RulesError, IndexError) as error:
        return Played(idents, _columns(states), "broken", str(error), getattr(error, "code", "") == "PP330")
    return Played(idents, _columns(states), "over")


def _columns(states: list[list[int]]) -> npt.NDArray[np.int64]:
    return np.array(states, dtype=np.int64).T


def games(case: Case, lines: Sequence[Sequence[int]], steps: int, seed: int) -> Iterator[Played]:
    """Yield games along each of the lines, then random games and games that leave a line early,
    until `steps` steps are played."""
    number = 0
    while steps > 0:
        stream = Stream(seed_of(_RUN + seed, number))
        line: Sequence[int] = ()
        skip = 0
        if number < len(lines):
            line = lines[number]
        elif lines and number % 2:
            line = lines[stream.below(len(lines))]
            skip = stream.below(len(line)) if line else 0
        game = game_along(case, line, stream, skip)
        steps -= max(1, len(game.idents))
        number += 1
        yield game
