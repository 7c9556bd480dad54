"""Witnesses from random games: the quickest way to most of what can happen.

The first games run in plain Python and are searched from beginning to end. With machine code
(`Case.machine`), batches of thousands follow, which report only the endings and the actions taken;
the few games that show something new are then played again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from playproof.language.playouts import Playouts
from playproof.language.random import Stream, seed_of
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import LONGEST, Line, Play, Player, first_hit
from playproof.verifier.search.work import done, spend

PLAIN = 400  # games that are looked through from beginning to end
_MOST_TAKEN = 200_000  # actions searched altogether: some games go on and on
_BATCH, _SLICE = 20_000, 0.5
_CHANCE = 2  # steps for each decision of a player, chance included
_RUN = 20_260_101


class Walks:
    """Random games. `lines` are those that were the first to show something: an ending, a short
    game, an action."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.lines: dict[int, Line] = {}
        self.played = 0
        self._shown: set[tuple[str, int]] = set()
        self._ends: set[int] = set()
        self._size = 50
        self._taken = 0
        self._endless = False  # a game reached `LONGEST`; nothing could stop it in machine code

    @property
    def notable(self) -> list[list[int]]:
        """Return the lines of the games that showed an ending first or soonest."""
        return [self.lines[game].idents for game in sorted(self._ends)]

    def search(self, targets: Sequence[Target], budget: Budget) -> dict[int, list[int]]:
        """Return lines of play for the targets that random games meet; the keys are positions in
        `targets`."""
        hits: dict[int, list[int]] = {}
        for line in self.lines.values():
            match(targets, hits, line)
        self._one_by_one(targets, hits, budget, 0, min(PLAIN, budget.games))
        while len(hits) < len(targets) and self.played < budget.games and budget.left > 0:
            games = min(self._size, budget.games - self.played)
            if self._endless:
                return hits
            if not self.case.machine:
                if self._taken > _MOST_TAKEN:
                    return hits
                self._one_by_one(targets, hits, budget, self.played, self.played + min(games, PLAIN))
            else:
                self._batch(games, targets, hits, budget)
            budget.say(f"{self.played:,} games played at random, {len(hits)} of {len(targets)} found")
        return hits

    def _one_by_one(
        self, targets: Sequence[Target], hits: dict[int, list[int]], budget: Budget, first: int, last: int
    ) -> None:
        """Play games in plain Python, and search each of them while targets are missing."""
        for game in range(first, last):
            if len(hits) == len(targets) or budget.left <= 0:
                return
            line = played(self.case, _RUN, game)
            match(targets, hits, line)
            self._note(line, game)
            self.played = max(self.played, game + 1)
            self._taken += len(line.idents)
            if self._taken > _MOST_TAKEN:
                return

    def _note(self, line: Line, game: int) -> None:
        """Keep a game that is the first to show its ending."""
        self._endless = self._endless or len(line.idents) >= LONGEST
        if line.ending and ("ending", line.ending) not in self._shown:
            self._shown.add(("ending", line.ending))
            self._keep(game, line, ends=True)

    def _batch(
        self, games: int, targets: Sequence[Target], hits: dict[int, list[int]], budget: Budget
    ) -> None:
        """Play a batch in machine code, and search the games that are the first to show an ending,
        a short game or a wanted action."""
        first, began = self.played, done()
        batch, fresh = self._playouts(games, first), []
        for ending in np.unique(batch.endings):
            mine = np.flatnonzero(batch.endings == ending)
            shortest = mine[int(np.argmin(batch.rounds[mine]))]
            of_length = f"round {batch.rounds[shortest]} of"
            for what, game in (("ending", int(mine[0])), (of_length, int(shortest))):
                if (what, int(ending)) not in self._shown:
                    self._shown.add((what, int(ending)))
                    fresh.append(self._keep(first + game, None, ends=True))
        wanted = wanted_actions([target for position, target in enumerate(targets) if position not in hits])
        for ident in np.flatnonzero(batch.taken):
            if budget.left > 0 and int(ident) in wanted and ("took", int(ident)) not in self._shown:
                self._shown.add(("took", int(ident)))
                fresh.append(self._keep(self._first_taking(int(ident), first, games), None))
        self.played += games
        for line in fresh:
            match(targets, hits, line)
        if done() - began < _SLICE:
            self._size = min(_BATCH, 2 * self._size)

    def _playouts(self, games: int, first: int) -> Playouts:
        batch = self.case.compiled.playouts(games, _RUN, first=first, longest=LONGEST)
        spend(self.case.step * (games + _CHANCE * int(batch.decisions.sum())))
        return batch

    def _first_taking(self, ident: int, first: int, games: int) -> int:
        """Return the first of these games that takes a ground action, found by halving."""
        while games > 1:
            half = games // 2
            if self._playouts(half, first).taken[ident]:
                games = half
            else:
                first, games = first + half, games - half
        return first

    def _keep(self, game: int, line: Line | None, ends: bool = False) -> Line:
        if ends:
            self._ends.add(game)
        if game not in self.lines:
            self.lines[game] = line or played(self.case, _RUN, game)
        return self.lines[game]


class AtRandom(Player):
    """A player that takes any legal action with equal probability, and chance by its weights, with
    the random numbers of the compiled random player."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def choose(self, play: Play, seat: int) -> int:
        """Return the next action."""
        if seat < 0:
            return play.idents[self.stream.weighted(play.weights)]
        return play.idents[self.stream.below(len(play.idents))]


def played(case: Case, run: int, game: int) -> Line:
    """Return one game of a run of random playouts."""
    return Play(case).to_the_end(AtRandom(seed_of(run, game)))


def wanted_actions(targets: Sequence[Target]) -> frozenset[int]:
    """Return the ground actions that targets ask for."""
    idents: set[int] = set()
    for target in targets:
        idents.update(target.idents or ())
    return frozenset(idents)


def match(targets: Sequence[Target], hits: dict[int, list[int]], line: Line) -> None:
    """Record in `hits` the beginning of a line that meets a target, for each target without one."""
    for position, target in enumerate(targets):
        if position not in hits:
            hit = first_hit(target, line)
            if hit is not None:
                hits[position] = hit
    line.forget()
