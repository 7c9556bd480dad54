"""Games played on a changed description, in plain Python, with every state kept. Claims are checked
against them.

Games start along lines of play known from the unchanged game, and continue at random once the
changed rules refuse the next action. Work is counted in steps, never in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.search.case import GameCase

_LONGEST = 1_500  # steps after which a game is cut off: changed rules may allow cycles
_RUN = 20_260_303
_FOLLOWED = 200
BY_ITSELF, UNSEEN = -1, -2


@dataclass
class PlayedGame:
    """One game: its actions, its `moments` (the states after each small step, from the first state of all), and
    how it ended: `over`, `stuck`, `broken` (the last action breaks the rules) or `circles` (too long).

    `steps` says how each moment leads to the next: by an action, by its automatic phase (`BY_ITSELF`), or by more
    phases than are followed (`UNSEEN`). `rests` are the moments in which somebody acts or the game is over, in
    general one more than actions, and `legal` has the legal actions there; it may lack the last one."""

    idents: list[int] = field(default_factory=list)
    moments: list[list[int]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    rests: list[int] = field(default_factory=list)
    legal: list[frozenset[int]] = field(default_factory=list)
    left: str = ""
    message: str = ""
    endless: bool = False  # broken by automatic phases that run forever

    @property
    def states(self) -> npt.NDArray[np.int64]:
        """The states in which somebody acts or the game is over, one column each."""
        return np.array([self.moments[n] for n in self.rests], dtype=np.int64).T

    def run_automatic_phases(self, case: GameCase, state: list[int]) -> None:
        """Run automatic phases until somebody acts or the game is over."""
        module, followed = case.plain.module, 0
        while not state[1] and case.game.phases[state[0]].automatic:
            if followed == _FOLLOWED:
                module.settle(state)
                self.append_moment(UNSEEN, state)
                break
            followed += 1
            getattr(module, f"auto{state[0]}")(state)
            self.append_moment(BY_ITSELF, state)
        self.rests.append(len(self.moments) - 1)

    def append_moment(self, step: int, state: list[int]) -> None:
        """Add a moment, and the step that leads to it."""
        self.steps.append(step)
        self.moments.append(list(state))

    def with_ending(self, ending: str, message: str = "", endless: bool = False) -> PlayedGame:
        """Return the game with how it ended."""
        return replace(self, left=ending, message=message, endless=endless)


def play_game_along_line(case: GameCase, line: Sequence[int], stream: Stream, skip: int = 0) -> PlayedGame:
    """Play a game that follows a line, without its last `skip` actions, as long as it is legal, and
    then continues at random."""
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    state = case.game.get_initial_cells()
    game = PlayedGame(moments=[list(state)])
    wanted = iter(line[: len(line) - skip] if skip else line)
    try:
        game.run_automatic_phases(case, state)
        while not state[1]:
            if len(game.idents) >= _LONGEST:
                return game.with_ending("circles")
            n = module.legal(state, out, weights)
            game.legal.append(frozenset(out[:n]))
            if not n:
                return game.with_ending("stuck")
            ident = next(wanted, -1)
            if ident not in out[:n]:
                wanted = iter(())
                chance = module.actor(state) < 0
                ident = out[stream.draw_weighted_index(weights[:n]) if chance else stream.below(n)]
            game.idents.append(ident)
            module.take(state, ident)
            game.append_moment(ident, state)
            game.run_automatic_phases(case, state)
    except (RulesError, IndexError) as error:
        return game.with_ending("broken", str(error), getattr(error, "code", "") == "PP330")
    return game.with_ending("over")


def iter_games(case: GameCase, lines: Sequence[Sequence[int]], steps: int, seed: int) -> Iterator[PlayedGame]:
    """Yield games along each of the lines, then random games and games that leave a line early,
    until `steps` steps are played."""
    number = 0
    _ = case.first  # raises RulesError where a game cannot begin
    while steps > 0:
        stream = Stream(make_game_seed(_RUN + seed, number))
        line: Sequence[int] = ()
        skip = 0
        if number < len(lines):
            line = lines[number]
        elif lines and number % 2:
            line = lines[stream.below(len(lines))]
            skip = stream.below(len(line)) if line else 0
        game = play_game_along_line(case, line, stream, skip)
        steps -= max(1, len(game.idents))
        number += 1
        yield game
