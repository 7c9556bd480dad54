"""Lines of play in plain Python: states are lists of ints, and a player that sees everything leads
one game at a time.

A game of a few hundred decisions takes some milliseconds and needs no compiler, so the searches
that steer games to a target play here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, RulesError
from playproof.language.errors import ENDLESS
from playproof.language.game import Game
from playproof.language.vector import evaluate_term
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import breaches
from playproof.verifier.search.caches import Cache, IdentityKey
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.work import PLAIN, spend_work

LONGEST = 20_000  # actions after which a game is abandoned: a player may go in circles


_ENDINGS: Cache[IdentityKey, npt.NDArray[np.int64] | None] = Cache()
"""For each condition, the endings with which it can hold."""


class Player(Protocol):
    """Something that chooses for all seats and for chance."""

    def choose(self, play: GameInProgress, seat: int) -> int:
        """Return one of `play.idents`, the legal ground actions; `seat` is below 0 for chance."""


class GameInProgress:
    """A game in progress: `state`, the actions `taken`, and what is legal now (`idents`, with
    chance's `weights`)."""

    def __init__(self, case: GameCase, state: Sequence[int] | None = None, taken: Sequence[int] = ()) -> None:
        self.case, self.module = case, case.plain.module
        self.state: list[int] = list(case.first if state is None else state)
        self.taken = list(taken)
        self._out, self._weights = [0] * self.module.WIDTH, [0] * self.module.WIDTH
        self.idents: list[int] = []
        self.weights: list[int] = []
        self.broken = False

    def find_legal_actions(self) -> bool:
        """Find the legal actions. Return False if the game is over or nobody can act."""
        spend_work(PLAIN)
        count = 0
        if not (self.state[1] or self.broken):
            try:
                count = self.module.legal(self.state, self._out, self._weights)
            except RulesError as error:  # a value that a requirement keeps
                self._record_rule_breaking_line(self.taken, error)
        self.idents, self.weights = self._out[:count], self._weights[:count]
        return bool(count)

    def get_state_after(self, ident: int) -> list[int]:
        """Return the state after a legal action."""
        spend_work(PLAIN)
        trial = self.state.copy()
        try:
            self.module.apply(trial, ident)
        except RulesError as error:
            self._record_rule_breaking_line([*self.taken, ident], error)
            return self.state
        return trial

    def take_action(self, ident: int) -> None:
        """Take a legal action. If the rules break, the game stops before it."""
        before = self.state.copy()
        try:
            self.module.apply(self.state, ident)
        except RulesError as error:
            self.state = before
            self._record_rule_breaking_line([*self.taken, ident], error)
            self.broken = True
            return
        self.taken.append(ident)

    def _record_rule_breaking_line(self, idents: Sequence[int], error: RulesError) -> None:
        """Record a line that breaks the rules. Phases that run for ever ran until the limit, which
        is work."""
        if error.code == "PP330":
            spend_work(ENDLESS * PLAIN)
        breaches.record_rule_breaking_line(self.case, idents, error)

    def play_to_end(self, player: Player) -> PlayedLine:
        """Let a player play until the game is over, or for at most `LONGEST` actions."""
        while len(self.taken) < LONGEST and self.find_legal_actions():
            self.take_action(player.choose(self, self.module.actor(self.state)))
        return PlayedLine(self.case, self.taken, self.state[1])


@dataclass
class PlayedLine:
    """The actions of a game from the start, and the number of its ending (0: it is not over)."""

    case: GameCase
    idents: list[int]
    ending: int

    @cached_property
    def taken_actions(self) -> frozenset[int]:
        """The set of actions taken."""
        return frozenset(self.idents)

    def drop_states(self) -> None:
        """Drop the states, which are large; the next use computes them again."""
        self.__dict__.pop("states", None)

    @cached_property
    def states(self) -> npt.NDArray[np.int64]:
        """The states, one column each; there is one more of them than actions."""
        module: ModuleType = self.case.plain.module
        state = list(self.case.first)
        columns = np.zeros((len(self.idents) + 1, len(state)), dtype=choose_cell_dtype(self.case.game))
        columns[0] = state
        spend_work(PLAIN * len(self.idents))
        for number, ident in enumerate(self.idents, 1):
            module.apply(state, ident)
            columns[number] = state
        return columns.T


def choose_cell_dtype(game: Game) -> type[np.generic]:
    """Return the type that holds every cell of a state: 64 bits, or plain objects where they are too
    few."""
    fits = all(f.lo >= -(2**63) and f.hi < 2**63 for f in game.fields)
    return np.int64 if fits else np.object_


def find_endings_meeting_target(case: GameCase, target: Target) -> npt.NDArray[np.int64] | None:
    """Return, for each ending number, whether the target's condition holds with it and all other cells as at the start:
    a guess, unless the target is `is_target_only_about_ending`. Return None if it holds so
    while the game runs, if it holds with no ending, or if the target is an action."""
    if target.idents is not None:
        return None
    cache, key = _ENDINGS.get_entries(case), IdentityKey(target.condition)
    if key not in cache:
        # The start, once for each value of the outcome (cell 1).
        cells = np.zeros((case.game.cells, len(case.game.endings) + 1), dtype=choose_cell_dtype(case.game))
        cells[:] = np.array(case.game.get_initial_cells(), dtype=cells.dtype)[:, None]
        cells[1] = np.arange(len(case.game.endings) + 1)
        holds = (evaluate_term(target.condition, cells) != 0).astype(np.int64)
        cache[key] = None if holds[0] or not holds.any() else holds
    return cache[key]


def find_shortest_prefix_reaching_target(target: Target, line: PlayedLine) -> list[int] | None:
    """Return the shortest beginning of a line that meets the target, or None."""
    if target.idents is not None:
        return _find_first_taken_action(target, line)
    if is_target_only_about_ending(line.case.game, target):
        return line.idents if _is_target_met_by_ending(line.case.game, target, line.ending) else None
    hits = np.flatnonzero(evaluate_term(target.condition, line.states))
    return line.idents[: int(hits[0])] if len(hits) else None


def is_target_only_about_ending(game: Game, target: Target) -> bool:
    """Return whether a target depends on nothing but how the game ended."""
    names = {game.fields[number].name for number in target.condition.reads}
    return target.idents is None and names == {"outcome"} and not _is_target_met_by_ending(game, target, 0)


def _is_target_met_by_ending(game: Game, target: Target, ending: int) -> bool:
    state = game.get_initial_cells()
    state[1] = ending
    return bool(Interpreter(game).value(target.condition, state))


def _find_first_taken_action(target: Target, line: PlayedLine) -> list[int] | None:
    assert target.idents is not None
    if not target.idents & line.taken_actions:
        return None
    constant = not target.condition.reads  # then one state is enough
    holds = evaluate_term(target.condition, line.states[:, :1] if constant else line.states)
    for number, ident in enumerate(line.idents):
        if ident in target.idents and holds[0 if constant else number]:
            return line.idents[: number + 1]
    return None
