"""Games led by curiosity: all seats and chance prefer the actions taken least so far, and take a
wanted action at once.

Random games repeat what is easy. Here each action taken makes itself less likely, so a few hundred
games in plain Python draw rare cards, choose rare options and visit rare places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from playproof.language.random import Stream, make_game_seed
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines import GameInProgress
from playproof.verifier.search.random_games import collect_target_actions, record_target_hits

_MOST_TAKEN = 200_000  # actions in all games of a search: some games go on and on
_LOOKS = 3  # legal actions compared; the one taken least is taken
_RUN = 20_260_102


class CuriousPlayer:
    """A player that takes a wanted action, else the least taken among a few legal actions drawn at
    random. With `cells`, it counts an action separately for each set of these cells that are not
    0."""

    def __init__(self, seed: int, cells: Sequence[int] = ()) -> None:
        self.stream, self.cells = Stream(seed), cells
        self.taken: Counter[tuple[int, ...]] = Counter()
        self.wanted: frozenset[int] = frozenset()

    def choose(self, play: GameInProgress, _: int) -> int:
        """Return the next action. Chance is treated like any seat, so weights do not matter."""
        idents = play.idents
        if len(idents) == 1:
            return idents[0]
        chosen = next((ident for ident in idents if ident in self.wanted), None)
        where = tuple(cell for cell in self.cells if play.state[cell])
        if chosen is None:
            drawn = [idents[self.stream.below(len(idents))] for _ in range(_LOOKS)]
            chosen = min(drawn, key=lambda ident: self.taken[ident, *where])
        self.taken[chosen, *where] += 1
        return chosen


def search_lines_by_curious_games(
    case: GameCase,
    targets: Sequence[Target],
    known_lines: dict[int, list[int]],
    budget: Budget,
    max_games: int,
    run: int = 0,
) -> dict[int, list[int]]:
    """Return lines to targets that have none `before`, from at most `games` games of a run within
    the budget."""
    player, lines, taken = CuriousPlayer(make_game_seed(_RUN, run)), dict(known_lines), 0
    for game in range(max_games):
        missing = [target for position, target in enumerate(targets) if position not in lines]
        if not missing or budget.left <= 0:
            break
        player.wanted = collect_target_actions(missing)
        line = GameInProgress(case).play_to_end(player)
        record_target_hits(targets, lines, line)
        taken += len(line.idents)
        if taken > _MOST_TAKEN:
            break
        if game % 50 == 0:
            budget.report_progress(f"{game} games led by curiosity, {len(lines)} of {len(targets)} found")
    return {position: line for position, line in lines.items() if position not in known_lines}
