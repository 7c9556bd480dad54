"""What a card is worth, by cause: the same games with the card forced into a hand, kept out of it, or never used.

Where one side plays for a score and nobody can win, the score stands in place of wins.

Both games of a pair have the same seed, so they are equal up to the change. One seat is changed per pair (the
number of the game modulo the seats). So the pairs are independent, although the seats of one game are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from playproof.lab.estimates import (
    Estimate,
    estimate_mean,
    estimate_paired_difference,
    find_outlying_effects,
    p_value_of_mean,
    select_discoveries,
)
from playproof.lab.playing import GameRunner
from playproof.lab.things import CardLikeThing
from playproof.language.game import Action
from playproof.language.machine.records import HELD, IDENT, NOTHING, UNUSED, USES, WITHHELD
from playproof.language.recorded_playouts import GameRecords, TreatedGames

IntArray = npt.NDArray[np.int64]
_MOST_CHOICES = 150  # single choices of things that are tested


@dataclass
class CardWorth:
    """A thing's worth. `held`: the chance to win with the thing in hand as soon as chance can bring it, less the
    chance with it kept away. `used`: the chance to win as the bots play, less the chance if the seat never uses the
    thing while it has another choice. `score` is `held` for the return. `chance` is the probability of `effect`
    without a cause, and `counts` says whether it counts among all tests of the report. `reached` is the share of
    games that the change altered. Where nobody plays against the seat, `early` is `held` less the chance with the cards
    as they fall, and `late` that less the chance with the thing kept away as long as another can come.
    `apart` is 1 or -1 if the effect's interval, widened for as many looks as there are things, lies
    above or below that of its peers' mean (`estimates.apart`). The game of `held` and `used` is one that the seat
    wins with the thing and loses without it, or the reverse; that of `association` is one that a seat wins with
    the thing."""

    word: str
    kind: str
    component: str | None
    held: Estimate | None
    used: Estimate | None
    score: Estimate | None
    chance: float
    reached: float
    association: Estimate | None = None
    counts: bool = False
    title: str = ""
    early: Estimate | None = None
    late: Estimate | None = None
    apart: int = 0

    @property
    def name(self) -> str:
        """What the rules call the thing, and the name on it if that is another."""
        return f"{self.word} {self.title}".rstrip()

    @property
    def effect(self) -> Estimate:
        """The headline: `held` if chance deals the thing, else `used`."""
        effect = self.held or self.used
        assert effect is not None
        return effect


def measure_worths(bench: GameRunner, things: Sequence[CardLikeThing], games: int) -> list[CardWorth]:
    """Return the worth of each thing that a change can reach, the best first. `games` is the number of pairs per
    thing. Which effects count is decided over all of them (`estimates.discoveries`)."""
    nobody = np.zeros((bench.variant.game.players, 3), dtype=np.int64)
    plain = bench.play_treated_games(
        games, NOTHING, np.zeros(max(1, bench.variant.game.ground), dtype=np.int64), nobody
    )
    made = bench.map_parallel(partial(_measure_worth, games=games, plain=plain), things)
    reached = [worth for worth in made if worth is not None]
    for worth, counts in zip(reached, select_discoveries([w.chance for w in reached]), strict=True):
        worth.counts = counts
    for kind in {bool(worth.held) for worth in reached}:
        peers = [worth for worth in reached if bool(worth.held) == kind]
        for worth, side in zip(peers, find_outlying_effects([worth.effect for worth in peers]), strict=True):
            worth.apart = side
    return sorted(reached, key=lambda worth: -(worth.effect.value or 0.0))


def _measure_worth(
    bench: GameRunner, thing: CardLikeThing, games: int, plain: TreatedGames
) -> CardWorth | None:
    """Return a thing's worth; None if no change of it alters a game."""
    marks = thing.mark_actions(bench.variant.game.ground)
    cells = thing.cells_by_seat(bench.variant.game.players)
    held = used = score = early = late = None
    chance, reached = 1.0, 0.0
    if thing.deals:
        with_it = bench.play_treated_games(games, HELD, marks, cells)
        without = bench.play_treated_games(games, WITHHELD, marks, cells)
        if with_it.changed.any():
            held, chance = _estimate_pair_with_example(bench, with_it, without)
            score = estimate_mean(with_it.returned - without.returned)
            reached = float(with_it.changed.mean())
            if thing.for_all:
                early, late = (
                    _estimate_pair_with_example(bench, with_it, plain)[0],
                    _estimate_pair_with_example(bench, plain, without)[0],
                )
    if thing.uses:
        unused = bench.play_treated_games(games, UNUSED, marks, cells)
        if unused.changed.any():
            used, chance_of_use = _estimate_pair_with_example(bench, plain, unused)
            if held is None:
                chance, score = chance_of_use, estimate_mean(plain.returned - unused.returned)
                reached = float(unused.changed.mean())
    if held is None and used is None:
        return None
    return CardWorth(
        thing.word,
        thing.kind,
        thing.component,
        held,
        used,
        score,
        chance,
        reached,
        title=thing.title,
        early=early,
        late=late,
    )


def win_differences(
    bench: GameRunner, thing: CardLikeThing, first: int, games: int
) -> npt.NDArray[np.float64]:
    """Return for each pair of games what the thing in hand changes for the seat: 1 if it wins with it only, -1 if
    without it only; or how much more it scores with it. Without a way to hold it: what it changes to be allowed to use
    it."""
    marks, cells = (
        thing.mark_actions(bench.variant.game.ground),
        thing.cells_by_seat(bench.variant.game.players),
    )
    nothing = (NOTHING, np.zeros_like(marks), np.zeros_like(cells))
    arms = (
        ((HELD, marks, cells), (WITHHELD, marks, cells)) if thing.deals else (nothing, (UNUSED, marks, cells))
    )
    treated, plain = (
        _wins_or_scores(bench, bench.play_treated_games(games, *arm, first=first)) for arm in arms
    )
    return (treated - plain).astype(np.float64)


def _wins_or_scores(bench: GameRunner, games: TreatedGames) -> IntArray:
    """Return what counts of each game: whether the seat won, or its score."""
    return games.returned if bench.is_for_score else games.won


def _estimate_pair_with_example(
    bench: GameRunner, treated: TreatedGames, plain: TreatedGames
) -> tuple[Estimate, float]:
    """Return `estimates.paired` of what counts, with the first game whose difference has the sign of the effect."""
    more, less = _wins_or_scores(bench, treated), _wins_or_scores(bench, plain)
    estimate, chance = estimate_paired_difference(more, less)
    if bench.is_for_score:
        estimate, chance = estimate_mean(more - less), p_value_of_mean(more - less)
    sign = 1 if (estimate.value or 0.0) >= 0 else -1
    shows = np.flatnonzero(np.sign(more - less) == sign)
    return replace(estimate, game=int(shows[0]) if len(shows) else None), chance


# -- choices --------------------------------------------------------------------------------------------------------


def action_text(action: Action) -> str:
    """Return what an action is called at the table: its text, with the parameters that differ in braces; its name where
    each of its ground actions has a text of its own."""
    return action.text if isinstance(action.text, str) else action.name


def list_deniable_choices(bench: GameRunner, things: Sequence[CardLikeThing]) -> list[CardLikeThing]:
    """Return the ways to play that a seat can be denied: each kind of action, and each use of a thing that has
    several uses. In a game without things, each action that has a name of its own."""
    game = bench.variant.game
    actions = [a for a in game.actions if not all(game.phases[phase].chance for phase in a.phases)]
    texts = [action_text(action) for action in actions]
    kinds = [
        CardLikeThing(
            text if texts.count(text) == 1 else f"{text} ({action.name})", "action", uses=list(action.idents)
        )
        for action, text in zip(actions, texts, strict=True)
    ]
    named = [a for a in actions if a.count > 1 and all(parameter.labels for parameter in a.params)]
    single = []
    if not things:
        idents = [ident for action in named for ident in action.idents]
        single = [CardLikeThing(game.show(ident), "choice", uses=[ident]) for ident in idents]
    for thing in things:
        if len(thing.uses) > 1:
            single += [
                CardLikeThing(game.show(ident), "choice", thing.component, uses=[ident])
                for ident in thing.uses
            ]
    return kinds + (single if len(single) <= _MOST_CHOICES else [])


def measure_restricted_play(
    bench: GameRunner, things: Sequence[CardLikeThing], games: int
) -> list[CardWorth]:
    """Return what each way to play is worth to a seat that never takes it while it has another choice (restricted
    play: Jaffe and others, "Evaluating Competitive Game Balance with Restricted Play", AIIDE 2012)."""
    return measure_worths(bench, list_deniable_choices(bench, things), games)


# -- association ----------------------------------------------------------------------------------------------------


class HoldingStatistics:
    """How often seats that held a thing won, gathered from records of games."""

    def __init__(self, things: Sequence[CardLikeThing], seats: int) -> None:
        self.things, self.seats = things, seats
        self._rows: list[tuple[npt.NDArray[np.bool_], IntArray]] = []

    def add_record(self, record: GameRecords, won: IntArray) -> None:
        """Note who held or used what in the games of a record; `won` is a row per game, a column per seat."""
        held = np.zeros((len(record.numbers), self.seats, len(self.things)), dtype=np.bool_)
        game, actor, ident = (record.steps[:, column] for column in (0, 1, IDENT))
        ground = max((max(thing.uses + thing.deals, default=0) for thing in self.things), default=0)
        for number, thing in enumerate(self.things):
            for seat, cells in thing.cells.items():
                for cell, wanted in cells:
                    values = record.states[:, cell]
                    there = values > 0 if wanted < 0 else values == wanted
                    held[game[there], seat, number] = True
            if not thing.cells:
                marks = thing.mark_actions(ground + 1)
                takes = (actor >= 0) & (ident >= 0) & (marks[np.clip(ident, 0, ground)] == USES)
                held[game[takes], actor[takes], number] = True
        self._rows.append((held, won))

    def estimate_associations(self) -> list[Estimate]:
        """Return for each thing the wins of seats that held it less those of seats that did not. The interval takes
        the seats of one game as dependent."""
        if not self._rows:
            return [Estimate(None, None, None, 0) for _ in self.things]
        held = np.concatenate([rows for rows, _ in self._rows])
        won = np.concatenate([wins for _, wins in self._rows])
        return [
            replace(
                _estimate_holding_effect(held[:, :, number], won),
                game=_first_game_won_with_thing(held[:, :, number], won),
            )
            for number in range(len(self.things))
        ]


def _estimate_holding_effect(was_held: npt.NDArray[np.bool_], won: IntArray) -> Estimate:
    """Return the mean of `won` where held less where not, with a linearised variance over games as clusters."""
    have, lack = was_held.sum(), (~was_held).sum()
    if not have or not lack:
        return Estimate(None, None, None, int(have))
    with_it, without = (won * was_held).sum() / have, (won * ~was_held).sum() / lack
    influence = ((won - with_it) * was_held).sum(axis=1) / have - ((won - without) * ~was_held).sum(
        axis=1
    ) / lack
    games = len(won)
    half = 1.959964 * float(np.sqrt((influence**2).sum() * games / max(1, games - 1)))
    value = float(with_it - without)
    return Estimate(value, value - half, value + half, int(have))


def _first_game_won_with_thing(was_held: npt.NDArray[np.bool_], won: IntArray) -> int | None:
    """Return the first game that a seat wins with the thing; None if there is none."""
    games = np.flatnonzero((was_held & (won > 0)).any(axis=1))
    return int(games[0]) if len(games) else None
