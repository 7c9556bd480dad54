"""Witnesses from random games: the quickest way to most of what can happen.

The first games run in plain Python and are searched from beginning to end. With machine code
(`GameCase.machine`), batches of thousands follow, which report only the endings and the actions taken;
the few games that show something new are then played again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from playproof.language.playouts import PlayoutResults
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines import (
    LONGEST,
    GameInProgress,
    PlayedLine,
    Player,
    find_shortest_prefix_reaching_target,
)
from playproof.verifier.search.work import get_work_done, spend_work

PLAIN = 400  # games that are looked through from beginning to end
_MOST_TAKEN = 200_000  # actions searched altogether: some games go on and on
_BATCH, _SLICE = 20_000, 0.5
_CHANCE = 2  # steps for each decision of a player, chance included
_RUN = 20_260_101


class RandomGames:
    """Random games. `lines` are those that were the first to show something: an ending, a short
    game, an action."""

    def __init__(self, case: GameCase) -> None:
        self.case = case
        self.lines: dict[int, PlayedLine] = {}
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

    def search_lines_to_targets(self, targets: Sequence[Target], budget: Budget) -> dict[int, list[int]]:
        """Return lines of play for the targets that random games meet; the keys are positions in
        `targets`."""
        hits: dict[int, list[int]] = {}
        for line in self.lines.values():
            record_target_hits(targets, hits, line)
        self._play_and_search_games(targets, hits, budget, 0, min(PLAIN, budget.games))
        while len(hits) < len(targets) and self.played < budget.games and budget.left > 0:
            games = min(self._size, budget.games - self.played)
            if self._endless:
                return hits
            if not self.case.machine:
                if self._taken > _MOST_TAKEN:
                    return hits
                self._play_and_search_games(
                    targets, hits, budget, self.played, self.played + min(games, PLAIN)
                )
            else:
                self._play_machine_batch(games, targets, hits, budget)
            budget.report_progress(
                f"{self.played:,} games played at random, {len(hits)} of {len(targets)} found"
            )
        return hits

    def _play_and_search_games(
        self, targets: Sequence[Target], hits: dict[int, list[int]], budget: Budget, first: int, last: int
    ) -> None:
        """Play games in plain Python, and search each of them while targets are missing."""
        for game in range(first, last):
            if len(hits) == len(targets) or budget.left <= 0:
                return
            line = play_random_game(self.case, _RUN, game)
            record_target_hits(targets, hits, line)
            self._note_new_ending(line, game)
            self.played = max(self.played, game + 1)
            self._taken += len(line.idents)
            if self._taken > _MOST_TAKEN:
                return

    def _note_new_ending(self, line: PlayedLine, game: int) -> None:
        """Keep a game that is the first to show its ending."""
        self._endless = self._endless or len(line.idents) >= LONGEST
        if line.ending and ("ending", line.ending) not in self._shown:
            self._shown.add(("ending", line.ending))
            self._keep_game(game, line, ends=True)

    def _play_machine_batch(
        self, games: int, targets: Sequence[Target], hits: dict[int, list[int]], budget: Budget
    ) -> None:
        """Play a batch in machine code, and search the games that are the first to show an ending,
        a short game or a wanted action."""
        first, began = self.played, get_work_done()
        batch, fresh = self._run_machine_playouts(games, first), []
        for ending in np.unique(batch.endings):
            mine = np.flatnonzero(batch.endings == ending)
            shortest = mine[int(np.argmin(batch.rounds[mine]))]
            of_length = f"round {batch.rounds[shortest]} of"
            for what, game in (("ending", int(mine[0])), (of_length, int(shortest))):
                if (what, int(ending)) not in self._shown:
                    self._shown.add((what, int(ending)))
                    fresh.append(self._keep_game(first + game, None, ends=True))
        wanted = collect_target_actions(
            [target for position, target in enumerate(targets) if position not in hits]
        )
        for ident in np.flatnonzero(batch.taken):
            if budget.left > 0 and int(ident) in wanted and ("took", int(ident)) not in self._shown:
                self._shown.add(("took", int(ident)))
                fresh.append(self._keep_game(self._find_first_game_taking(int(ident), first, games), None))
        self.played += games
        for line in fresh:
            record_target_hits(targets, hits, line)
        if get_work_done() - began < _SLICE:
            self._size = min(_BATCH, 2 * self._size)

    def _run_machine_playouts(self, games: int, first: int) -> PlayoutResults:
        batch = self.case.compiled.run_playouts(games, _RUN, first=first, longest=LONGEST)
        spend_work(self.case.step_cost * (games + _CHANCE * int(batch.decisions.sum())))
        return batch

    def _find_first_game_taking(self, ident: int, first: int, games: int) -> int:
        """Return the first of these games that takes a ground action, found by halving."""
        while games > 1:
            half = games // 2
            if self._run_machine_playouts(half, first).taken[ident]:
                games = half
            else:
                first, games = first + half, games - half
        return first

    def _keep_game(self, game: int, line: PlayedLine | None, ends: bool = False) -> PlayedLine:
        if ends:
            self._ends.add(game)
        if game not in self.lines:
            self.lines[game] = line or play_random_game(self.case, _RUN, game)
        return self.lines[game]


class RandomPlayer(Player):
    """A player that takes any legal action with equal probability, and chance by its weights, with
    the random numbers of the compiled random player."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def choose(self, play: GameInProgress, seat: int) -> int:
        """Return the next action."""
        if seat < 0:
            return play.idents[self.stream.draw_weighted_index(play.weights)]
        return play.idents[self.stream.below(len(play.idents))]


def play_random_game(case: GameCase, run: int, game: int) -> PlayedLine:
    """Return one game of a run of random playouts."""
    return GameInProgress(case).play_to_end(RandomPlayer(make_game_seed(run, game)))


def collect_target_actions(targets: Sequence[Target]) -> frozenset[int]:
    """Return the ground actions that targets ask for."""
    idents: set[int] = set()
    for target in targets:
        idents.update(target.idents or ())
    return frozenset(idents)


def record_target_hits(targets: Sequence[Target], hits: dict[int, list[int]], line: PlayedLine) -> None:
    """Record in `hits` the beginning of a line that meets a target, for each target without one."""
    for position, target in enumerate(targets):
        if position not in hits:
            hit = find_shortest_prefix_reaching_target(target, line)
            if hit is not None:
                hits[position] = hit
    line.drop_states()
