"""Witnesses from games played at random in compiled code: the quickest way to most of what can happen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rules.language.compiled import Playouts
from rules.language.game import CHANCE
from rules.language.random import Stream, seed_of
from rules.language.vector import evaluate
from verifier.case import Budget, Case
from verifier.target import Target

PLAIN = 400  # games that are played without waiting for numba
_FIRST, _BATCH = 50, 20_000
_LOOKED_INTO = 40
_RUN = 20_260_101


class Walks:
    """Games kept because they were the first to show something: an ending, a short game, an action taken."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.kept: dict[int, tuple[list[int], npt.NDArray[np.int64]]] = {}
        self.played = 0
        self._shown: set[tuple[str, int]] = set()
        self._ends: set[int] = set()

    @property
    def notable(self) -> list[list[int]]:
        """Lines of the games that showed an ending first or soonest."""
        return [self.kept[game][0] for game in sorted(self._ends)]

    def search(self, targets: Sequence[Target], budget: Budget) -> dict[int, list[int]]:
        """Lines of play for as many of the targets as random games find; keys are positions in `targets`."""
        found = self._match(targets, {})
        while len(found) < len(targets) and self.played < budget.games and budget.left > 0:
            before = len(self.kept)
            # Batches grow: to find the first game that takes a rare action, a batch is halved again and again.
            batch = _FIRST if self.played < PLAIN else min(_BATCH, 2 * self.played)
            self._batch(min(batch, budget.games - self.played), targets, budget)
            budget.say(f"{self.played:,} games played at random, {len(found)} of {len(targets)} found")
            if len(self.kept) > before:
                found = self._match(targets, found)
        return found

    def _batch(self, games: int, targets: Sequence[Target], budget: Budget) -> None:
        first = self.played
        batch = self._playouts(games, first)
        if first < PLAIN and any(t.idents is None for t in targets):
            for game in range(first, first + games):  # a condition may hold in the middle of any game
                self._keep("sample", game, game)
        for ending in np.unique(batch.endings):
            mine = np.flatnonzero(batch.endings == ending)
            self._keep(f"ending {ending}", 0, first + int(mine[0]))
            shortest = mine[int(np.argmin(batch.rounds[mine]))]
            self._keep(f"round of ending {ending}", int(batch.rounds[shortest]), first + int(shortest))
        wanted = {i for t in targets if t.idents for i in t.idents}
        for ident in np.flatnonzero(batch.taken):
            if budget.left > 0 and int(ident) in wanted and ("took", int(ident)) not in self._shown:
                self._keep("took", int(ident), self._first_taking(int(ident), first, games))
        # What chance brings, and what a state shows in passing, is not counted: look into some games for it.
        if len(targets) > 1 and first == 0:
            for game in range(min(games, _LOOKED_INTO)):
                self._keep("game", game, game)
        self.played += games

    def _playouts(self, games: int, first: int) -> Playouts:
        """A few games in plain Python before numba is asked to compile, which takes seconds; the games are the same."""
        reading = self.case.plain if first < PLAIN else self.case.compiled
        with np.errstate(over="ignore"):
            return reading.playouts(games, _RUN, first=first)

    def _first_taking(self, ident: int, first: int, games: int) -> int:
        """The first of these games in which a ground action was taken, by halving."""
        while games > 1:
            half = games // 2
            if self._playouts(half, first).taken[ident]:
                games = half
            else:
                first, games = first + half, games - half
        return first

    def _keep(self, what: str, number: int, game: int) -> None:
        if (what, number) in self._shown:
            return
        self._shown.add((what, number))
        if "ending" in what:
            self._ends.add(game)
        if game not in self.kept:
            self.kept[game] = played(self.case, _RUN, game)

    def _match(self, targets: Sequence[Target], found: dict[int, list[int]]) -> dict[int, list[int]]:
        for position, target in enumerate(targets):
            if position in found:
                continue
            for idents, states in self.kept.values():
                line = first_hit(target, idents, states)
                if line is not None:
                    found[position] = line
                    break
        return found


def played(case: Case, run: int, game: int) -> tuple[list[int], npt.NDArray[np.int64]]:
    """The actions of one game of a run of random playouts, and its states, one column each."""
    compiled, stream = case.plain, Stream(seed_of(run, game))
    state, taken = compiled.start(), []
    states = [state.copy()]
    while state[1] == 0:
        idents = compiled.legal(state)
        if not idents:
            break
        chance = compiled.actor(state) == CHANCE
        at = stream.weighted(compiled.weights(state)) if chance else stream.below(len(idents))
        taken.append(idents[at])
        compiled.apply(state, idents[at])
        states.append(state.copy())
    return taken, np.stack(states, axis=1)


def first_hit(target: Target, idents: Sequence[int], states: npt.NDArray[np.int64]) -> list[int] | None:
    """The shortest beginning of a line that meets the target, or None. `states` has one column more than actions."""
    holds = evaluate(target.condition, states) != 0
    if target.idents is None:
        hits = np.flatnonzero(holds)
        return list(idents[: int(hits[0])]) if len(hits) else None
    for number, ident in enumerate(idents):
        if holds[number] and ident in target.idents:
            return list(idents[: number + 1])
    return None
