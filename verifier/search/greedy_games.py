"""Witnesses from games of the greedy player, for games that declare an evaluation of positions. It
finds deep wins fast.

Once there is machine code, it plays batches. The chosen game is then played again in Python with
the same random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from playproof.language.random import Stream, seed_of
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import LONGEST, Line, Play, endings_of, first_hit
from playproof.verifier.search.random_games import match
from playproof.verifier.search.work import spend

_FIRST, _BATCH, _MOST = 500, 5_000, 40_000
_PLAIN = 25  # games a batch in plain Python
_RUN = 41
_LOOKS = 20  # steps looked at for each that a greedy player takes
SEEING = 2
"""The policy of `Playouts` that plays as `Greedy` does."""


def search(
    case: Case, target: Target, budget: Budget, *, below: int | None = None, enough: int | None = None
) -> list[int] | None:
    """Return a line to an ending of the target in fewer rounds than `below`, the fewest of all
    games played. Stop early once a line takes at most `enough` rounds; if `enough` is None, after
    the first batch with a line. Return None if the game declares no evaluation or no such game was
    met."""
    wanted = endings_of(case, target)
    if "evaluate" not in case.game.facts or wanted is None:
        return None
    best, first = None, 0
    while first < _MOST and budget.left > 0:
        if not case.machine:
            games = _PLAIN
            line = _in_plain(case, target, wanted, range(first, first + games), below, budget)
        else:
            games = _BATCH if first else _FIRST
            line = _in_batch(case, target, wanted, range(first, first + games), below)
        if line is not None:
            best, below = line, _rounds(case, line)
        if best is not None and (enough is None or (below is not None and below <= enough)):
            return best
        first += games
        budget.say(f"{first:,} games of the greedy player")
    return best


def look_through(
    case: Case, targets: Sequence[Target], before: dict[int, list[int]], budget: Budget, games: range
) -> dict[int, list[int]]:
    """Return lines to targets of any kind that have none `before`, from games of greedy players in
    plain Python."""
    if "evaluate" not in case.game.facts:
        return {}
    lines = dict(before)
    for game in games:
        if len(lines) == len(targets) or budget.left <= 0:
            break
        match(targets, lines, greedy_game(case, _RUN, game))
    return {position: line for position, line in lines.items() if position not in before}


def _in_batch(
    case: Case, target: Target, wanted: npt.NDArray[np.int64], games: range, below: int | None
) -> list[int] | None:
    batch = case.compiled.playouts(
        len(games), _RUN, first=games.start, policies=[SEEING] * case.game.players, longest=LONGEST
    )
    spend(case.step * (len(games) + _LOOKS * int(batch.decisions.sum())))
    for number in np.argsort(batch.rounds, kind="stable"):  # the shortest games first
        soon_enough = below is None or int(batch.rounds[number]) < below
        if not soon_enough or not wanted[batch.endings[number]]:
            continue
        line = first_hit(target, greedy_game(case, _RUN, games[int(number)]))
        if line is not None:
            return line
    return None


def _in_plain(
    case: Case, target: Target, wanted: npt.NDArray[np.int64], games: range, below: int | None, budget: Budget
) -> list[int] | None:
    best: list[int] | None = None
    for game in games:
        if budget.left <= 0:
            break
        line = greedy_game(case, _RUN, game)
        hit = first_hit(target, line) if wanted[line.ending] else None
        if hit is not None and (below is None or _rounds(case, hit) < below):
            best, below = hit, _rounds(case, hit)
    return best


def _rounds(case: Case, line: list[int]) -> int:
    """Return the round in which a line ends."""
    name, play = case.game.facts.get("round"), Play(case)
    for ident in line:
        play.take(ident)
    return case.play.quantity(name, play.state) if name else 0


class Greedy:
    """A player that takes, for every seat, the action with the best declared evaluation one step
    ahead. Chance is drawn by its weights."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def choose(self, play: Play, seat: int) -> int:
        """Return the next action, with the random numbers of the compiled greedy player."""
        if seat < 0:
            return play.idents[self.stream.weighted(play.weights)]
        worths = [play.module.worth_of(play.behind(i), seat) for i in play.idents]
        return play.idents[self.stream.best(worths)]


def greedy_game(case: Case, run: int, game: int) -> Line:
    """Return one game in which every seat is greedy."""
    return Play(case).to_the_end(Greedy(seed_of(run, game)))
