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
from playproof.language.random import Stream, seed_of
from playproof.language.vector import evaluate
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.goals import distance
from playproof.verifier.search.lines import Line, Play, Player, endings_of, first_hit
from playproof.verifier.search.random_games import match
from playproof.verifier.search.work import PLAIN, spend

_RUN = 20_261_127
_MOST_WORK = 6.0
_GAMES = 240  # that leave the old lines
_NEAREST, _SPREADS = 4, 7  # decisions from the end where a game leaves first; how often that doubles
_AHEAD = 12  # old decisions passed over for the next one of the phase that play is in
_ASTRAY = 3  # each so many-th game does not come back to the line
Unlike = tuple[bool, int, int]


@dataclass(slots=True)
class OldLines:
    """Lines as ground actions of another version of a game, `source`."""

    source: Game
    lines: Sequence[Sequence[int]] = ()
    _unlike: dict[tuple[int, int], Unlike] = field(default_factory=dict)

    def there(self, game: Game, line: Sequence[int]) -> list[int]:
        """Return the decisions of a line whose actions this game has too: all, if it has as many, of which some may be
        called otherwise. One made for yet another version may have numbers that `source` has not."""
        names, source = {action.name for action in game.actions}, self.source
        alike = len(source.actions) == len(game.actions)
        there = (ident for ident in line if ident < source.ground)
        return [ident for ident in there if alike or source.action_of(ident).name in names]

    def unlike(self, game: Game, old: int, ident: int) -> Unlike:
        """Return how far a ground action of this game is from an old one: whether it is another action, how many
        parameters have other names, and how far their values are apart."""
        key = old, ident
        if key not in self._unlike:
            self._unlike[key] = self._measured(game, old, ident)
        return self._unlike[key]

    def _measured(self, game: Game, old: int, ident: int) -> Unlike:
        was, action = self.source.action_of(old), game.action_of(ident)
        if was.name != action.name or len(was.params) != len(action.params):
            return True, 0, abs(ident - old)
        others = apart = 0
        pairs = zip(was.params, was.values(old), action.params, action.values(ident), strict=True)
        for before, value, now, new in pairs:
            others += before.show(value) != now.show(new)
            apart += abs((value - before.low) - (new - now.low))
        return False, others, apart


_HELD: Cache[str, OldLines] = Cache()


def hold(case: Case, lines: OldLines) -> None:
    """Keep the old lines that bear on the question that a case is asked next."""
    _HELD.of(case)[""] = lines


def _held(case: Case) -> OldLines:
    return _HELD.of(case).get("") or OldLines(case.game)


class Following(Player):
    """A player that follows an old line, for all seats and chance. At decision `leaves` it takes any action, and from
    there on if it goes `astray`."""

    def __init__(
        self, old: OldLines, rest: Sequence[int], seed: int = 0, leaves: int = -1, astray: bool = False
    ) -> None:
        self.old, self.rest = old, list(rest)[::-1]
        self.leaves, self.astray, self.stream = leaves, astray, Stream(seed)

    def choose(self, play: Play, _: int) -> int:
        """Return the legal action nearest to the next old decision of this phase; any, if none comes soon."""
        idents, number = play.idents, len(play.taken)
        old = self._next(play)
        away = self.leaves >= 0 and (number >= self.leaves if self.astray else number == self.leaves)
        if old is None or away:
            return idents[self.stream.below(len(idents))]
        game = play.case.game
        return min(idents, key=lambda ident: self.old.unlike(game, old, ident))

    def _next(self, play: Play) -> int | None:
        """Take the next old decision of the phase that play is in, None if it is not near."""
        phase = play.case.game.phases[play.state[0]].name
        for back in range(1, min(_AHEAD, len(self.rest)) + 1):
            old = self.rest[-back]
            if any(self.old.source.phases[n].name == phase for n in self.old.source.action_of(old).phases):
                del self.rest[-back:]
                return old
        return None


def follow(case: Case, line: Sequence[int]) -> Line:
    """Return an old line as it goes in this game, played on to the end."""
    old = _held(case)
    return Play(case).to_the_end(Following(old, old.there(case.game, line)))


def followed(case: Case) -> list[Line]:
    """Return the lines that a case holds, as they go in its game."""
    return [follow(case, line) for line in _held(case).lines]


def search(case: Case, targets: Sequence[Target], budget: Budget) -> dict[int, list[int]]:
    """Return lines to targets from the old lines and from games near them."""
    hits: dict[int, list[int]] = {}
    lines = followed(case)
    for line in lines:
        match(targets, hits, line)
    budget = Budget(min(budget.left, _MOST_WORK), end=budget.end)
    missing = [position for position in range(len(targets)) if position not in hits]
    for count, position in enumerate(missing if lines else ()):
        own = lines[position : position + 1] if len(lines) == len(targets) else lines
        hit = _near(case, targets[position], own, budget.share(1 / (len(missing) - count)))
        if hit is not None:
            hits[position] = hit
    if not hits:  # another look for the same targets would find as little
        hold(case, OldLines(case.game))
    return hits


def _near(case: Case, target: Target, lines: Sequence[Line], budget: Budget) -> list[int] | None:
    """Return a line to a target among games that leave the line that comes nearest to it. One that comes as near takes
    its place."""
    term, at_end = distance(case, target), endings_of(case, target) is not None
    same, stream = OldLines(case.game), Stream(seed_of(_RUN, 0))

    def far(line: Line) -> int:
        spend(PLAIN * len(line.idents))
        states = line.states[:, -1:] if at_end else line.states
        line.forget()
        return int(np.min(evaluate(term, states)))

    best = min(lines, key=far)
    least = far(best)
    for game in range(_GAMES):
        if budget.left <= 0:
            break
        back = 1 + stream.below(_NEAREST << game % _SPREADS)
        leaves, astray = max(0, len(best.idents) - back), game % _ASTRAY == 0
        player = Following(same, best.idents, seed_of(_RUN, game + 1), leaves, astray)
        line = Play(case).to_the_end(player)
        hit = first_hit(target, line)
        if hit is not None:
            return hit
        if (now := far(line)) <= least:
            best, least = line, now
    return None
