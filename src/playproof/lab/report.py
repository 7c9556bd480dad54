"""A report on a design: everything the lab measures of one variant, as data for a page, a text or a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.lab.card_worth import (
    CardWorth,
    HoldingStatistics,
    action_text,
    find_card_like_things,
    measure_restricted_play,
    measure_worths,
)
from playproof.lab.estimates import Estimate, estimate_mean, estimate_share, make_exact_estimate
from playproof.lab.game_runner import GameRunner, play_games
from playproof.lab.ladder import LadderRung, PeopleResults, play_ladder
from playproof.lab.random_play import (
    Leverage,
    RandomPlayLaw,
    Tension,
    compute_random_play_law,
    measure_leverage,
    measure_tension,
)
from playproof.language.game import Game
from playproof.language.machine.records import ACTOR, GAME, LEGAL
from playproof.language.playouts import PlayoutResults
from playproof.referee.batches import NOBODY, compute_wilson_interval, find_winners_and_ties
from playproof.referee.notation import seat_names

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
_STEPS = 30_000_000  # steps of random games from the positions of games
_BINS = 40  # ranges of a distribution
_PLAYOUTS = 48  # random games per position
_FEWEST, _MOST = 24, 400  # games whose positions are measured
ProgressCallback = Callable[[str], None]


@dataclass(frozen=True)
class ReportPlan:
    """How much a report does. `pairs`: games per card and per arm; `recorded`: games of which every step is kept;
    `ladder`: bots from weak to strong, empty for none; `ladder_games`: games per rung (None: as many as a
    fixed amount of thinking pays for)."""

    games: int = 100_000
    pairs: int = 2_000
    recorded: int = 1_000
    ladder: tuple[str, ...] = ()
    ladder_games: int | None = None


@dataclass
class EndingShare:
    """An ending, its share of games, and its exact chance between random players, where that is known."""

    reason: str
    kind: str
    share: Estimate
    exact: Estimate | None


@dataclass
class SeatResult:
    """A seat: its wins, its mean return, and both exactly between random players, where that is known."""

    name: str
    bot: str
    wins: Estimate
    score: Estimate
    exact: Estimate | None


@dataclass(frozen=True)
class BestPlay:
    """What the best player there is reaches, for a side that plays against nobody: a chance to win, or a score. It is
    `value`, or lies in `low`..`high` (None: not known). `proved` says that the verifier shows the value, `low_proved`
    and `high_proved` that it shows an end; else an end is an estimate, and `words` say of what."""

    value: float | None
    low: float | None
    high: float | None
    proved: bool
    words: str = ""
    low_proved: bool = False
    high_proved: bool = False


@dataclass
class Report:
    """What a report says. Each estimate may name a game of the run that shows it. `lengths` counts games by their
    decisions: from, to, games."""

    bench: GameRunner
    plan: ReportPlan
    games: int
    seats: list[SeatResult]
    starter: Estimate | None
    ties: Estimate
    endings: list[EndingShare]
    decisions: Estimate
    lengths: list[tuple[int, int, int]]
    quantiles: dict[str, list[int]]
    forced: Estimate
    branching: Estimate
    law: RandomPlayLaw | None
    tension: Tension
    leverage: Leverage
    cards: list[CardWorth] = field(default_factory=list)
    choices: list[CardWorth] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)
    rungs: list[LadderRung] = field(default_factory=list)
    people: PeopleResults | None = None
    best: BestPlay | None = None
    dealt: int = 0
    """How many cards chance deals, whether or not a change of one can reach a game."""

    @property
    def is_solo(self) -> bool:
        """Whether one player, or one team, plays against nobody."""
        return len(self.bench.variant.game.sides) == 1

    def iter_estimates(self) -> Iterator[Estimate]:
        """Yield all estimates that may name a game of the run."""
        for seat in self.seats:
            yield from (seat.wins, seat.score)
        yield from (end.share for end in self.endings)
        yield from (self.ties, self.decisions, self.forced, self.branching)
        if self.starter is not None:
            yield self.starter
        t, lever = self.tension, self.leverage
        yield from (t.lead_changes, t.drama, t.comeback, t.decided, t.runaway, lever.skill, lever.luck)
        yield from (t.open_until, t.losing_turn)
        for worth in (*self.cards, *self.choices):
            causes = (worth.held, worth.early, worth.late, worth.used, worth.association)
            yield from (e for e in causes if e is not None)

    def games_named_by_estimates(self) -> list[int]:
        """Return the numbers of the games that figures name, in order."""
        return sorted({figure.game for figure in self.iter_estimates() if figure.game is not None})


def make_report(bench: GameRunner, plan: ReportPlan, say: ProgressCallback = lambda _: None) -> Report:
    """Play, measure and return a report. The bots of the bench must be such as compiled code plays."""
    game = bench.variant.game
    say(f"playing {plan.games:,} games")
    batch = play_games(bench, 0, plan.games)
    law = compute_random_play_law(bench.compiled) if set(bench.bots) == {"random"} else None
    say("recording games")
    things = find_card_like_things(bench.variant)
    holdings = HoldingStatistics(things, game.players)
    legal, numbers = _record_legal_actions(bench, plan, holdings)
    say("measuring the chances at each decision")
    curves = bench.win_chance_curves(range(_count_games_to_measure(batch)), _PLAYOUTS)
    plain = bench if set(bench.bots) == {"random"} else bench.with_random_bots()
    random_curves = (
        curves
        if plain is bench
        else plain.win_chance_curves(range(_count_games_to_measure(batch)), _PLAYOUTS)
    )
    report = Report(
        bench,
        plan,
        len(batch.endings),
        *_measure_results(bench, batch, law),
        *_measure_lengths(batch, bench.is_for_score),
        *_measure_freedom_of_choice(legal),
        law,
        measure_tension(game, curves),
        measure_leverage(random_curves, name_games=plain is bench),
    )
    if law is not None and law.most_wins is not None and not bench.is_for_score:
        report.best = BestPlay(
            law.most_wins, law.most_wins, law.most_wins, proved=False, words="from all positions"
        )
    report.dealt = sum(bool(thing.deals) for thing in things)
    say("forcing, withholding and forbidding cards")
    _add_card_and_choice_worths(report, holdings, plan)
    report.never, report.unmet = _actions_never_taken_or_legal(bench, batch, numbers)
    if plan.ladder:
        say("playing the ladder of bots")
        mean = float(batch.decisions.mean())
        report.rungs = play_ladder(bench, plan.ladder, mean, plan.ladder_games)
    return report


def _count_games_to_measure(batch: PlayoutResults) -> int:
    """Return of how many games the positions are measured: what a fixed number of steps pays for."""
    length = 1.4 * float(batch.decisions.mean()) + 1  # with the steps of chance
    affordable = int(_STEPS / (_PLAYOUTS * length * length / 2))
    return max(1, min(len(batch.endings), _MOST, max(_FEWEST, affordable)))


# -- results --------------------------------------------------------------------------------------------------------


def _measure_results(
    bench: GameRunner, batch: PlayoutResults, law: RandomPlayLaw | None
) -> tuple[list[SeatResult], Estimate | None, Estimate, list[EndingShare]]:
    game, count = bench.variant.game, len(batch.endings)
    won, tied = find_winners_and_ties(game, batch.endings, batch.returns)
    seats = [
        SeatResult(
            name,
            bench.bots[seat],
            estimate_share(int(won[seat].sum()), count, _first_true_game(won[seat])),
            estimate_mean(
                batch.returns[:, seat],
                int(np.argmax(batch.returns[:, seat])),
                value_range=(game.results[seat].lo, game.results[seat].hi),
            ),
            make_exact_estimate(law.wins[seat]) if law else None,
        )
        for seat, name in enumerate(seat_names(game))
    ]
    reasons = [(0, "", NOBODY), *((end.number, end.kind, end.reason) for end in game.endings)]
    endings = []
    for number, kind, reason in reasons:
        reached = batch.endings == number
        exact = make_exact_estimate(law.endings.get(number, 0.0)) if law and number else None
        if reached.any() or number:
            endings.append(
                EndingShare(
                    reason, kind, estimate_share(int(reached.sum()), count, _first_true_game(reached)), exact
                )
            )
    endings.sort(key=lambda end: -(end.share.value or 0.0))
    return (
        seats,
        _starting_advantage(batch, won, game),
        estimate_share(int(tied.sum()), count, _first_true_game(tied)),
        endings,
    )


def _first_true_game(games: npt.NDArray[np.bool_]) -> int | None:
    return int(np.argmax(games)) if games.any() else None


def _starting_advantage(
    batch: PlayoutResults, won: Sequence[npt.NDArray[np.bool_]], game: Game
) -> Estimate | None:
    """Return how much more than its fair share of the wins the seat has that decides first; None for one seat, and
    where all play together."""
    began, seats = batch.starters >= 0, game.players
    if len(game.sides) == 1 or not began.any():
        return None
    by_starter = np.any([won[seat] & (batch.starters == seat) for seat in range(seats)], axis=0)
    wins = int(by_starter.sum())
    games = int(began.sum())
    fair = float(sum(w.sum() for w in won)) / len(batch.endings) / seats
    low, high = compute_wilson_interval(wins, games)
    return Estimate(wins / games - fair, low - fair, high - fair, games, game=_first_true_game(by_starter))


def _measure_lengths(
    batch: PlayoutResults, scores: bool
) -> tuple[Estimate, list[tuple[int, int, int]], dict[str, list[int]]]:
    """Return the decisions per game, their distribution, and quantiles of decisions, rounds and, if wanted, scores."""
    decisions = estimate_mean(batch.decisions, int(np.argmax(batch.decisions)))
    values = {"decisions": batch.decisions, "rounds": batch.rounds}
    if scores:
        values["score"] = batch.returns[:, 0]
    quantiles = {
        name: np.quantile(row, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1], method="lower").astype(int).tolist()
        for name, row in values.items()
    }
    return decisions, _bin_values(batch.decisions), quantiles


def _measure_freedom_of_choice(legal: IntArray) -> tuple[Estimate, Estimate]:
    """Return the share of decisions that are forced, and how many actions there are where there is a choice: means over
    games, each with the game that has the most."""
    games, counts = legal
    most = int(games.max(initial=-1)) + 1
    all_of = np.bincount(games, minlength=most)
    free = np.bincount(games, counts > 1, minlength=most)
    choices = np.bincount(games, np.where(counts > 1, counts, 0), minlength=most)
    some, any_free = all_of > 0, free > 0
    return _mean_with_greatest_game(1 - free[some] / all_of[some], some), _mean_with_greatest_game(
        choices[any_free] / free[any_free], any_free
    )


def _mean_with_greatest_game(values: FloatArray, games: npt.NDArray[np.bool_]) -> Estimate:
    """Return the mean of values, and which of these games has the greatest."""
    return estimate_mean(values, int(np.flatnonzero(games)[np.argmax(values)]) if len(values) else None)


def _bin_values(values: IntArray) -> list[tuple[int, int, int]]:
    """Return whole numbers counted in at most `_BINS` ranges of equal width: from, to, count."""
    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // _BINS)
    counts = np.bincount((values - low) // width)
    return [(low + k * width, low + (k + 1) * width - 1, int(count)) for k, count in enumerate(counts)]


def _record_legal_actions(
    bench: GameRunner, plan: ReportPlan, holdings: HoldingStatistics
) -> tuple[IntArray, IntArray]:
    """Record the first games. Return for each decision of a player its game and how many actions were legal, and how
    often each action was legal for a player."""
    seen = np.zeros(max(1, bench.variant.game.ground), dtype=np.int64)
    rows: list[IntArray] = []
    at = 0
    for record in bench.iter_records(range(min(plan.recorded, plan.games))):
        players = record.steps[:, ACTOR] >= 0
        rows.append(np.stack([record.steps[players, GAME] + at, record.steps[players, LEGAL]]))
        owners = np.repeat(players, record.steps[:, LEGAL])
        seen += np.bincount(record.options[owners], minlength=len(seen))
        ends = np.flatnonzero(np.r_[record.steps[1:, GAME] != record.steps[:-1, GAME], True])
        holdings.add_record(record, _wins_or_scores_of_finals(bench, record.states[ends]))
        at += len(record.numbers)
    legal = np.concatenate(rows, axis=1) if rows else np.zeros((2, 0), dtype=np.int64)
    return legal, seen


def _wins_or_scores_of_finals(bench: GameRunner, finals: IntArray) -> IntArray:
    """Return a row per final state with 1 for each seat that won, or with its score where nobody can win."""
    game, engine = bench.variant.game, bench.engine
    returns = np.array([engine.returns(state.tolist()) for state in finals], dtype=np.int64)
    won, _ = find_winners_and_ties(game, finals[:, 1], returns)
    return returns if bench.is_for_score else np.stack(won, axis=1).astype(np.int64)


# -- cards and choices --------------------------------------------------------------------------------------------


def _add_card_and_choice_worths(report: Report, holdings: HoldingStatistics, plan: ReportPlan) -> None:
    """Add the causal worths of cards and choices, and beside them the association."""
    associations = dict(zip((t.word for t in holdings.things), holdings.estimate_associations(), strict=True))
    made = measure_worths(report.bench, holdings.things, plan.pairs)
    report.cards = [worth for worth in made if worth.component or worth.held]
    others = [worth for worth in made if not (worth.component or worth.held)]
    for worth in report.cards:
        worth.association = associations.get(worth.word)
    choices = [*measure_restricted_play(report.bench, holdings.things, plan.pairs), *others]
    report.choices = sorted(choices, key=lambda worth: -(worth.effect.value or 0.0))


def _actions_never_taken_or_legal(
    bench: GameRunner, batch: PlayoutResults, legal: IntArray
) -> tuple[list[str], list[str]]:
    """Return the kinds of action that players never took although they were legal, and those that never were legal,
    in words. Words of single actions stand only where their kind was taken at all and has few."""
    game = bench.variant.game
    taken, met = batch.taken, legal
    never: list[str] = []
    unmet: list[str] = []
    for action in game.actions:
        if all(game.phases[phase].chance for phase in action.phases):
            continue
        span = slice(action.first, action.first + action.count)
        if not taken[span].any():
            (never if met[span].any() else unmet).append(action_text(action))
            continue
        never += [
            game.show(action.first + int(i)) for i in np.flatnonzero((taken[span] == 0) & (met[span] > 0))
        ]
    return never, unmet


# -- data -----------------------------------------------------------------------------------------------------------


def report_to_json(report: Report) -> dict[str, Any]:
    """Return the shape of `report --json`. Intervals are 95 %; `exact` values are computed from all positions."""
    variant, law = report.bench.variant, report.law
    return {
        "game": variant.name,
        "title": variant.title,
        "options": dict(variant.options),
        "rulings": dict(variant.rulings),
        "bots": list(report.bench.bots),
        "seed": report.bench.seed,
        "games": report.games,
        "seats": [_row_with_bare_exact_value(seat) for seat in report.seats],
        "starter": asdict(report.starter) if report.starter else None,
        "ties": asdict(report.ties),
        "endings": [_row_with_bare_exact_value(ending) for ending in report.endings],
        "decisions": asdict(report.decisions),
        "lengths": [list(span) for span in report.lengths],
        "quantiles": report.quantiles,
        "forced": asdict(report.forced),
        "branching": asdict(report.branching),
        "exact": None
        if law is None
        else {
            "positions": law.positions,
            "decisions": law.decisions,
            "ties": law.ties,
            "skill": law.skill,
            "luck": law.luck,
            "best_play": law.best,
        },
        "tension": asdict(report.tension),
        "leverage": asdict(report.leverage),
        "cards": [asdict(worth) for worth in report.cards],
        "choices": [asdict(worth) for worth in report.choices],
        "never_chosen": report.never,
        "never_legal": report.unmet,
        "ladder": [asdict(rung) | {"stronger": rung.is_stronger} for rung in report.rungs],
        "people": asdict(report.people) if report.people else None,
        "best": asdict(report.best) if report.best else None,
    }


def _row_with_bare_exact_value(row: SeatResult | EndingShare) -> dict[str, Any]:
    """Return a row whose exact figure is a bare number: it has no interval."""
    return asdict(row) | {"exact": row.exact.value if row.exact else None}
