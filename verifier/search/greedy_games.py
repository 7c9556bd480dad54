"""Witnesses from games of the greedy player, for games that declare an evaluation of positions. It
finds deep wins fast.

Once there is machine code, it plays batches. The chosen game is then played again in Python with
the same random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from playproof.language.random import Stream, make_game_seed
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines import (
    LONGEST,
    GameInProgress,
    PlayedLine,
    find_endings_meeting_target,
    find_shortest_prefix_reaching_target,
)
from playproof.verifier.search.random_games import record_target_hits
from playproof.verifier.search.work import spend_work

_FIRST, _BATCH, _MOST = 500, 5_000, 40_000
_PLAIN = 25  # games a batch in plain Python
_RUN = 41
_LOOKS = 20  # steps looked at for each that a greedy player takes
SEEING = 2
"""The policy of `Playouts` that plays as `GreedyPlayer` does."""


def search_line_by_greedy_games(
    case: GameCase,
    target: Target,
    budget: Budget,
    *,
    fewer_rounds_than: int | None = None,
    enough_rounds: int | None = None,
) -> list[int] | None:
    """Return a line to an ending of the target in fewer rounds than `below`, the fewest of all
    games played. Stop early once a line takes at most `enough` rounds; if `enough` is None, after
    the first batch with a line. Return None if the game declares no evaluation or no such game was
    met."""
    wanted = find_endings_meeting_target(case, target)
    if "evaluate" not in case.game.facts or wanted is None:
        return None
    best, first = None, 0
    while first < _MOST and budget.left > 0:
        if not case.machine:
            games = _PLAIN
            line = _search_plain_games(
                case, target, wanted, range(first, first + games), fewer_rounds_than, budget
            )
        else:
            games = _BATCH if first else _FIRST
            line = _search_machine_batch(case, target, wanted, range(first, first + games), fewer_rounds_than)
        if line is not None:
            best, fewer_rounds_than = line, _count_rounds_of_line(case, line)
        if best is not None and (
            enough_rounds is None or (fewer_rounds_than is not None and fewer_rounds_than <= enough_rounds)
        ):
            return best
        first += games
        budget.report_progress(f"{first:,} games of the greedy player")
    return best


def find_lines_in_greedy_games(
    case: GameCase, targets: Sequence[Target], known_lines: dict[int, list[int]], budget: Budget, games: range
) -> dict[int, list[int]]:
    """Return lines to targets of any kind that have none `before`, from games of greedy players in
    plain Python."""
    if "evaluate" not in case.game.facts:
        return {}
    lines = dict(known_lines)
    for game in games:
        if len(lines) == len(targets) or budget.left <= 0:
            break
        record_target_hits(targets, lines, play_greedy_game(case, _RUN, game))
    return {position: line for position, line in lines.items() if position not in known_lines}


def _search_machine_batch(
    case: GameCase,
    target: Target,
    wanted_endings: npt.NDArray[np.int64],
    games: range,
    fewer_rounds_than: int | None,
) -> list[int] | None:
    batch = case.compiled.run_playouts(
        len(games), _RUN, first=games.start, policies=[SEEING] * case.game.players, longest=LONGEST
    )
    spend_work(case.step_cost * (len(games) + _LOOKS * int(batch.decisions.sum())))
    for number in np.argsort(batch.rounds, kind="stable"):  # the shortest games first
        soon_enough = fewer_rounds_than is None or int(batch.rounds[number]) < fewer_rounds_than
        if not soon_enough or not wanted_endings[batch.endings[number]]:
            continue
        line = find_shortest_prefix_reaching_target(target, play_greedy_game(case, _RUN, games[int(number)]))
        if line is not None:
            return line
    return None


def _search_plain_games(
    case: GameCase,
    target: Target,
    wanted_endings: npt.NDArray[np.int64],
    games: range,
    fewer_rounds_than: int | None,
    budget: Budget,
) -> list[int] | None:
    best: list[int] | None = None
    for game in games:
        if budget.left <= 0:
            break
        line = play_greedy_game(case, _RUN, game)
        hit = find_shortest_prefix_reaching_target(target, line) if wanted_endings[line.ending] else None
        if hit is not None and (
            fewer_rounds_than is None or _count_rounds_of_line(case, hit) < fewer_rounds_than
        ):
            best, fewer_rounds_than = hit, _count_rounds_of_line(case, hit)
    return best


def _count_rounds_of_line(case: GameCase, line: list[int]) -> int:
    """Return the round in which a line ends."""
    name, play = case.game.facts.get("round"), GameInProgress(case)
    for ident in line:
        play.take_action(ident)
    return case.play.quantity(name, play.state) if name else 0


class GreedyPlayer:
    """A player that takes, for every seat, the action with the best declared evaluation one step
    ahead. Chance is drawn by its weights."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def choose(self, play: GameInProgress, seat: int) -> int:
        """Return the next action, with the random numbers of the compiled greedy player."""
        if seat < 0:
            return play.idents[self.stream.draw_weighted_index(play.weights)]
        worths = [play.module.worth_of(play.get_state_after(i), seat) for i in play.idents]
        return play.idents[self.stream.choose_greatest_index(worths)]


def play_greedy_game(case: GameCase, run: int, game: int) -> PlayedLine:
    """Return one game in which every seat is greedy."""
    return GameInProgress(case).play_to_end(GreedyPlayer(make_game_seed(run, game)))
