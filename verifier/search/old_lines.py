"""Lines of play of a game with other cards or under other rulings, followed in this one.

Where an old decision is not legal, the legal one of the same action with the nearest parameters takes its place:
`lay a Dragon worth 2` for `lay a Dragon worth 3`. Where such a line misses its target, games come next that leave it
for one decision or from one decision on, mostly near its end. What they meet is a proposal, as from any search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from playproof.language.game import Game
from playproof.language.random import Stream, make_game_seed
from playproof.language.vector import evaluate_term
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.goals import build_distance_term
from playproof.verifier.search.lines import (
    GameInProgress,
    PlayedLine,
    Player,
    find_endings_meeting_target,
    find_shortest_prefix_reaching_target,
)
from playproof.verifier.search.random_games import record_target_hits
from playproof.verifier.search.work import PLAIN, spend_work

_RUN = 20_261_127
_MOST_WORK = 6.0
_GAMES = 240  # that leave the old lines
_NEAREST, _SPREADS = 4, 7  # decisions from the end where a game leaves first; how often that doubles
_AHEAD = 12  # old decisions passed over for the next one of the phase that play is in
_ASTRAY = 3  # each so many-th game does not come back to the line
ActionDifference = tuple[bool, int, int]


@dataclass(slots=True)
class EarlierLines:
    """Lines as ground actions of another version of a game, `source`."""

    source: Game
    lines: Sequence[Sequence[int]] = ()
    _unlike: dict[tuple[int, int], ActionDifference] = field(default_factory=dict)

    def filter_existing_actions(self, game: Game, line: Sequence[int]) -> list[int]:
        """Return the decisions of a line whose actions this game has too: all, if it has as many, of which some may be
        called otherwise. One made for yet another version may have numbers that `source` has not."""
        names, source = {action.name for action in game.actions}, self.source
        alike = len(source.actions) == len(game.actions)
        there = (ident for ident in line if ident < source.ground)
        return [ident for ident in there if alike or source.get_action_of_ident(ident).name in names]

    def get_action_difference(self, game: Game, old_action: int, ident: int) -> ActionDifference:
        """Return how far a ground action of this game is from an old one: whether it is another action, how many
        parameters have other names, and how far their values are apart."""
        key = old_action, ident
        if key not in self._unlike:
            self._unlike[key] = self._compute_action_difference(game, old_action, ident)
        return self._unlike[key]

    def _compute_action_difference(self, game: Game, old_action: int, ident: int) -> ActionDifference:
        was, action = self.source.get_action_of_ident(old_action), game.get_action_of_ident(ident)
        if was.name != action.name or len(was.params) != len(action.params):
            return True, 0, abs(ident - old_action)
        others = apart = 0
        pairs = zip(
            was.params,
            was.get_parameter_values(old_action),
            action.params,
            action.get_parameter_values(ident),
            strict=True,
        )
        for before, value, now, new in pairs:
            others += before.format_value(value) != now.format_value(new)
            apart += abs((value - before.low) - (new - now.low))
        return False, others, apart


_HELD: Cache[str, EarlierLines] = Cache()


def store_old_lines(case: GameCase, lines: EarlierLines) -> None:
    """Keep the old lines that bear on the question that a case is asked next."""
    _HELD.get_entries(case)[""] = lines


def _get_old_lines(case: GameCase) -> EarlierLines:
    return _HELD.get_entries(case).get("") or EarlierLines(case.game)


class LineFollowingPlayer(Player):
    """A player that follows an old line, for all seats and chance. At decision `leaves` it takes any action, and from
    there on if it goes `astray`."""

    def __init__(
        self, old: EarlierLines, rest: Sequence[int], seed: int = 0, leaves: int = -1, astray: bool = False
    ) -> None:
        self.old, self.rest = old, list(rest)[::-1]
        self.leaves, self.astray, self.stream = leaves, astray, Stream(seed)

    def choose(self, play: GameInProgress, _: int) -> int:
        """Return the legal action nearest to the next old decision of this phase; any, if none comes soon."""
        idents, number = play.idents, len(play.taken)
        old = self._take_next_old_action(play)
        away = self.leaves >= 0 and (number >= self.leaves if self.astray else number == self.leaves)
        if old is None or away:
            return idents[self.stream.below(len(idents))]
        game = play.case.game
        return min(idents, key=lambda ident: self.old.get_action_difference(game, old, ident))

    def _take_next_old_action(self, play: GameInProgress) -> int | None:
        """Take the next old decision of the phase that play is in, None if it is not near."""
        phase = play.case.game.phases[play.state[0]].name
        for back in range(1, min(_AHEAD, len(self.rest)) + 1):
            old = self.rest[-back]
            if any(
                self.old.source.phases[n].name == phase
                for n in self.old.source.get_action_of_ident(old).phases
            ):
                del self.rest[-back:]
                return old
        return None


def replay_old_line(case: GameCase, line: Sequence[int]) -> PlayedLine:
    """Return an old line as it goes in this game, played on to the end."""
    old = _get_old_lines(case)
    return GameInProgress(case).play_to_end(
        LineFollowingPlayer(old, old.filter_existing_actions(case.game, line))
    )


def replay_stored_lines(case: GameCase) -> list[PlayedLine]:
    """Return the lines that a case holds, as they go in its game."""
    return [replay_old_line(case, line) for line in _get_old_lines(case).lines]


def search_lines_near_old_lines(
    case: GameCase, targets: Sequence[Target], budget: Budget
) -> dict[int, list[int]]:
    """Return lines to targets from the old lines and from games near them."""
    hits: dict[int, list[int]] = {}
    lines = replay_stored_lines(case)
    for line in lines:
        record_target_hits(targets, hits, line)
    budget = Budget(min(budget.left, _MOST_WORK), end=budget.end)
    missing = [position for position in range(len(targets)) if position not in hits]
    for count, position in enumerate(missing if lines else ()):
        own = lines[position : position + 1] if len(lines) == len(targets) else lines
        hit = _search_near_line(case, targets[position], own, budget.take_share(1 / (len(missing) - count)))
        if hit is not None:
            hits[position] = hit
    if not hits:  # another look for the same targets would find as little
        store_old_lines(case, EarlierLines(case.game))
    return hits


def _search_near_line(
    case: GameCase, target: Target, lines: Sequence[PlayedLine], budget: Budget
) -> list[int] | None:
    """Return a line to a target among games that leave the line that comes nearest to it. One that comes as near takes
    its place."""
    term, at_end = build_distance_term(case, target), find_endings_meeting_target(case, target) is not None
    same, stream = EarlierLines(case.game), Stream(make_game_seed(_RUN, 0))

    def far(line: PlayedLine) -> int:
        spend_work(PLAIN * len(line.idents))
        states = line.states[:, -1:] if at_end else line.states
        line.drop_states()
        return int(np.min(evaluate_term(term, states)))

    best = min(lines, key=far)
    least = far(best)
    for game in range(_GAMES):
        if budget.left <= 0:
            break
        back = 1 + stream.below(_NEAREST << game % _SPREADS)
        leaves, astray = max(0, len(best.idents) - back), game % _ASTRAY == 0
        player = LineFollowingPlayer(same, best.idents, make_game_seed(_RUN, game + 1), leaves, astray)
        line = GameInProgress(case).play_to_end(player)
        hit = find_shortest_prefix_reaching_target(target, line)
        if hit is not None:
            return hit
        if (now := far(line)) <= least:
            best, least = line, now
    return None
