"""Games led by curiosity: all seats and chance prefer the actions taken least so far, and take a
wanted action at once.

Random games repeat what is easy. Here each action taken makes itself less likely, so a few hundred
games in plain Python draw rare cards, choose rare options and visit rare places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from playproof.language.random import Stream, seed_of
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import Play
from playproof.verifier.search.random_games import match, wanted_actions

_MOST_TAKEN = 200_000  # actions in all games of a search: some games go on and on
_LOOKS = 3  # legal actions compared; the one taken least is taken
_RUN = 20_260_102


class Curious:
    """A player that takes a wanted action, else the least taken among a few legal actions drawn at
    random. With `cells`, it counts an action separately for each set of these cells that are not
    0."""

    def __init__(self, seed: int, cells: Sequence[int] = ()) -> None:
        self.stream, self.cells = Stream(seed), cells
        self.taken: Counter[tuple[int, ...]] = Counter()
        self.wanted: frozenset[int] = frozenset()

    def choose(self, play: Play, _: int) -> int:
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


def search(
    case: Case,
    targets: Sequence[Target],
    before: dict[int, list[int]],
    budget: Budget,
    games: int,
    run: int = 0,
) -> dict[int, list[int]]:
    """Return lines to targets that have none `before`, from at most `games` games of a run within
    the budget."""
    player, lines, taken = Curious(seed_of(_RUN, run)), dict(before), 0
    for game in range(games):
        missing = [target for position, target in enumerate(targets) if position not in lines]
        if not missing or budget.left <= 0:
            break
        player.wanted = wanted_actions(missing)
        line = Play(case).to_the_end(player)
        match(targets, lines, line)
        taken += len(line.idents)
        if taken > _MOST_TAKEN:
            break
        if game % 50 == 0:
            budget.say(f"{game} games led by curiosity, {len(lines)} of {len(targets)} found")
    return {position: line for position, line in lines.items() if position not in before}
