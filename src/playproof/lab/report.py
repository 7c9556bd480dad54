"""A report on a design: everything the lab measures of one variant, as data for a page, a text or a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.lab.card_worth import (
    CardWorth,
    HoldingStatistics,
    get_action_text_or_name,
    list_card_like_things_of_game,
    measure_causal_worth_of_cards_best_first,
    measure_worth_of_actions_by_denying_them,
)
from playproof.lab.estimates import (
    Estimate,
    build_exact_estimate,
    estimate_mean_with_t_interval,
    estimate_share_with_wilson_interval,
)
from playproof.lab.game_runner import GameRunner, play_games_of_any_bots
from playproof.lab.ladder import (
    LadderRung,
    PeopleResults,
    TeamCarrying,
    measure_who_carries_team_or_none,
    play_each_bot_against_lower_rung,
)
from playproof.lab.random_play import (
    Leverage,
    RandomPlayLaw,
    Tension,
    compute_exact_random_play_or_none,
    estimate_luck_and_skill,
    measure_tension_of_recorded_games,
)
from playproof.language.game import Game
from playproof.language.machine.records import ACTOR, GAME, LEGAL
from playproof.language.playouts import PlayoutResults
from playproof.referee.batches import NOBODY, compute_95_percent_wilson_interval, flag_games_won_by_each_seat_and_tied
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
    decisions."""

    bench: GameRunner
    plan: ReportPlan
    games: int
    seats: list[SeatResult]
    starter: Estimate | None
    ties: Estimate
    endings: list[EndingShare]
    decisions: Estimate
    lengths: list[CountedRange]
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
    carrying: TeamCarrying | None = None
    shared: BestPlay | None = None
    """What the best play of a team reaches whose seats see different things, if they share all they see."""
    dealt: int = 0
    """How many cards chance deals, whether or not a change of one can reach a game."""

    @property
    def is_solo(self) -> bool:
        """Whether one player, or one team, plays against nobody."""
        return len(self.bench.variant.game.sides) == 1

    def iter_estimates_with_example_games(self) -> Iterator[Estimate]:
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

    def list_sorted_example_game_numbers(self) -> list[int]:
        """Return the numbers of the games that figures name, in order."""
        return sorted({figure.game for figure in self.iter_estimates_with_example_games() if figure.game is not None})


def play_games_and_build_report(
    bench: GameRunner, plan: ReportPlan, report_progress: ProgressCallback = lambda _: None
) -> Report:
    """Play, measure and return a report. The bots of the bench must be such as compiled code plays."""
    game = bench.variant.game
    report_progress(f"playing {plan.games:,} games")
    bench.raise_if_compiled_games_break_rules(plan.games)
    batch = play_games_of_any_bots(bench, 0, plan.games)
    law = compute_exact_random_play_or_none(bench.compiled) if set(bench.bots) == {"random"} else None
    report_progress("recording games")
    things = list_card_like_things_of_game(bench.variant)
    holdings = HoldingStatistics(things, game.players)
    legal, numbers = _record_games_into_holdings_count_legal(bench, plan, holdings)
    report_progress("measuring the chances at each decision")
    curves = bench.compute_win_chance_curves(range(_count_affordable_games_to_measure(batch)), _PLAYOUTS)
    plain = bench if set(bench.bots) == {"random"} else bench.create_runner_with_random_bots()
    random_curves = (
        curves
        if plain is bench
        else plain.compute_win_chance_curves(range(_count_affordable_games_to_measure(batch)), _PLAYOUTS)
    )
    report = Report(
        bench,
        plan,
        len(batch.endings),
        *_estimate_seat_results_and_endings(bench, batch, law),
        *_summarize_decisions_with_quantiles(batch, bench.is_for_score),
        *_estimate_forced_share_and_branching(legal),
        law,
        measure_tension_of_recorded_games(game, curves),
        estimate_luck_and_skill(random_curves, name_games=plain is bench),
    )
    if law is not None and law.most_wins is not None and not bench.is_for_score:
        report.best = BestPlay(law.most_wins, law.most_wins, law.most_wins, proved=False, words="from all positions")
    report.dealt = sum(bool(thing.deals) for thing in things)
    report_progress("forcing, withholding and forbidding cards")
    _add_card_and_choice_worths_to_report(report, holdings, plan)
    report.never, report.unmet = _list_actions_never_taken_or_never_legal(bench, batch, numbers)
    if plan.ladder:
        report_progress("playing the ladder of bots")
        mean = float(batch.decisions.mean())
        report.rungs = play_each_bot_against_lower_rung(bench, plan.ladder, mean, plan.ladder_games)
        if not bench.is_for_score:
            report.carrying = measure_who_carries_team_or_none(bench, report.rungs, mean, plan.ladder_games)
    return report


def _count_affordable_games_to_measure(batch: PlayoutResults) -> int:
    """Return of how many games the positions are measured: what a fixed number of steps pays for."""
    length = 1.4 * float(batch.decisions.mean()) + 1  # with the steps of chance
    affordable = int(_STEPS / (_PLAYOUTS * length * length / 2))
    return max(1, min(len(batch.endings), _MOST, max(_FEWEST, affordable)))


# -- results --------------------------------------------------------------------------------------------------------


class SeatsAndEndings(NamedTuple):
    seat_results: list[SeatResult]
    starting_advantage: Estimate | None
    tie_share: Estimate
    ending_shares: list[EndingShare]


def _estimate_seat_results_and_endings(
    bench: GameRunner, batch: PlayoutResults, law: RandomPlayLaw | None
) -> SeatsAndEndings:
    game, count = bench.variant.game, len(batch.endings)
    won, tied = flag_games_won_by_each_seat_and_tied(game, batch.endings, batch.returns)
    seats = [
        SeatResult(
            name,
            bench.bots[seat],
            estimate_share_with_wilson_interval(
                int(won[seat].sum()), count, _find_index_of_first_true_or_none(won[seat])
            ),
            estimate_mean_with_t_interval(
                batch.returns[:, seat],
                int(np.argmax(batch.returns[:, seat])),
                value_range=(game.results[seat].lo, game.results[seat].hi),
            ),
            build_exact_estimate(law.wins[seat]) if law else None,
        )
        for seat, name in enumerate(seat_names(game))
    ]
    reasons = [(0, "", NOBODY), *((end.number, end.kind, end.reason) for end in game.endings)]
    endings = []
    for number, kind, reason in reasons:
        reached = batch.endings == number
        exact = build_exact_estimate(law.endings.get(number, 0.0)) if law and number else None
        if reached.any() or number:
            endings.append(
                EndingShare(
                    reason,
                    kind,
                    estimate_share_with_wilson_interval(
                        int(reached.sum()), count, _find_index_of_first_true_or_none(reached)
                    ),
                    exact,
                )
            )
    endings.sort(key=lambda end: -(end.share.value or 0.0))
    return SeatsAndEndings(
        seats,
        _estimate_starting_advantage(batch, won, game),
        estimate_share_with_wilson_interval(int(tied.sum()), count, _find_index_of_first_true_or_none(tied)),
        endings,
    )


def _find_index_of_first_true_or_none(games: npt.NDArray[np.bool_]) -> int | None:
    return int(np.argmax(games)) if games.any() else None


def _estimate_starting_advantage(
    batch: PlayoutResults, wins_by_seat: Sequence[npt.NDArray[np.bool_]], game: Game
) -> Estimate | None:
    """Return how much more than its fair share of the wins the seat has that decides first; None for one seat, and
    where all play together."""
    began, seats = batch.starters >= 0, game.players
    if len(game.sides) == 1 or not began.any():
        return None
    by_starter = np.any([wins_by_seat[seat] & (batch.starters == seat) for seat in range(seats)], axis=0)
    wins = int(by_starter.sum())
    games = int(began.sum())
    fair = float(sum(w.sum() for w in wins_by_seat)) / len(batch.endings) / seats
    low, high = compute_95_percent_wilson_interval(wins, games)
    return Estimate(
        wins / games - fair, low - fair, high - fair, games, game=_find_index_of_first_true_or_none(by_starter)
    )


class CountedRange(NamedTuple):
    low: int
    high: int
    value_count: int


class DecisionSummary(NamedTuple):
    mean: Estimate
    distribution: list[CountedRange]
    quantiles_by_name: dict[str, list[int]]


def _summarize_decisions_with_quantiles(batch: PlayoutResults, include_scores: bool) -> DecisionSummary:
    """Return the decisions per game, their distribution, and quantiles of decisions, rounds and, if wanted, scores."""
    decisions = estimate_mean_with_t_interval(batch.decisions, int(np.argmax(batch.decisions)))
    values = {"decisions": batch.decisions, "rounds": batch.rounds}
    if include_scores:
        values["score"] = batch.returns[:, 0]
    quantiles = {
        name: np.quantile(row, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1], method="lower").astype(int).tolist()
        for name, row in values.items()
    }
    return DecisionSummary(decisions, _count_values_in_bins(batch.decisions), quantiles)


def _estimate_forced_share_and_branching(games_and_legal_counts: IntArray) -> tuple[Estimate, Estimate]:
    """Return the share of decisions that are forced, and how many actions there are where there is a choice: means over
    games, each with the game that has the most."""
    games, counts = games_and_legal_counts
    most = int(games.max(initial=-1)) + 1
    all_of = np.bincount(games, minlength=most)
    free = np.bincount(games, counts > 1, minlength=most)
    choices = np.bincount(games, np.where(counts > 1, counts, 0), minlength=most)
    some, any_free = all_of > 0, free > 0
    return _estimate_mean_with_greatest_game(1 - free[some] / all_of[some], some), _estimate_mean_with_greatest_game(
        choices[any_free] / free[any_free], any_free
    )


def _estimate_mean_with_greatest_game(values: FloatArray, games: npt.NDArray[np.bool_]) -> Estimate:
    """Return the mean of values, and which of these games has the greatest."""
    return estimate_mean_with_t_interval(values, int(np.flatnonzero(games)[np.argmax(values)]) if len(values) else None)


def _count_values_in_bins(values: IntArray) -> list[CountedRange]:
    """Return whole numbers counted in at most `_BINS` ranges of equal width."""
    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // _BINS)
    counts = np.bincount((values - low) // width)
    return [CountedRange(low + k * width, low + (k + 1) * width - 1, int(count)) for k, count in enumerate(counts)]


class LegalActionCounts(NamedTuple):
    game_and_count_by_decision: IntArray  # two rows, a column for each decision of a player
    times_by_action: IntArray


def _record_games_into_holdings_count_legal(
    bench: GameRunner, plan: ReportPlan, holdings_to_extend: HoldingStatistics
) -> LegalActionCounts:
    """Record the first games. Return for each decision of a player its game and how many actions were legal, and how
    often each action was legal for a player."""
    seen = np.zeros(max(1, bench.variant.game.ground), dtype=np.int64)
    rows: list[IntArray] = []
    at = 0
    for record in bench.play_and_iter_game_records(range(min(plan.recorded, plan.games))):
        players = record.steps[:, ACTOR] >= 0
        rows.append(np.stack([record.steps[players, GAME] + at, record.steps[players, LEGAL]]))
        owners = np.repeat(players, record.steps[:, LEGAL])
        seen += np.bincount(record.options[owners], minlength=len(seen))
        ends = np.flatnonzero(np.r_[record.steps[1:, GAME] != record.steps[:-1, GAME], True])
        holdings_to_extend.add_holdings_of_recorded_games(
            record, _get_wins_or_scores_of_final_states(bench, record.states[ends])
        )
        at += len(record.numbers)
    legal = np.concatenate(rows, axis=1) if rows else np.zeros((2, 0), dtype=np.int64)
    return LegalActionCounts(legal, seen)


def _get_wins_or_scores_of_final_states(bench: GameRunner, final_states: IntArray) -> IntArray:
    """Return a row per final state with 1 for each seat that won, or with its score where nobody can win."""
    game, engine = bench.variant.game, bench.engine
    returns = np.array([engine.returns(state.tolist()) for state in final_states], dtype=np.int64)
    won, _ = flag_games_won_by_each_seat_and_tied(game, final_states[:, 1], returns)
    return returns if bench.is_for_score else np.stack(won, axis=1).astype(np.int64)


# -- cards and choices --------------------------------------------------------------------------------------------


def _add_card_and_choice_worths_to_report(report: Report, holdings: HoldingStatistics, plan: ReportPlan) -> None:
    """Add the causal worths of cards and choices, and beside them the association."""
    associations = dict(
        zip((t.word for t in holdings.things), holdings.estimate_win_differences_of_holding(), strict=True)
    )
    made = measure_causal_worth_of_cards_best_first(report.bench, holdings.things, plan.pairs)
    report.cards = [worth for worth in made if worth.component or worth.held]
    others = [worth for worth in made if not (worth.component or worth.held)]
    for worth in report.cards:
        worth.association = associations.get(worth.word)
    choices = [*measure_worth_of_actions_by_denying_them(report.bench, holdings.things, plan.pairs), *others]
    report.choices = sorted(choices, key=lambda worth: -(worth.effect_of_holding_or_using.value or 0.0))


def _list_actions_never_taken_or_never_legal(
    bench: GameRunner, batch: PlayoutResults, legal_counts: IntArray
) -> tuple[list[str], list[str]]:
    """Return the kinds of action that players never took although they were legal, and those that never were legal,
    in words. Words of single actions stand only where their kind was taken at all and has few."""
    game = bench.variant.game
    taken, met = batch.taken, legal_counts
    never: list[str] = []
    unmet: list[str] = []
    for action in game.actions:
        if all(game.phases[phase].chance for phase in action.phases):
            continue
        span = slice(action.first, action.first + action.count)
        if not taken[span].any():
            (never if met[span].any() else unmet).append(get_action_text_or_name(action))
            continue
        never += [game.show(action.first + int(i)) for i in np.flatnonzero((taken[span] == 0) & (met[span] > 0))]
    return never, unmet


# -- data -----------------------------------------------------------------------------------------------------------


def report_to_json_values(report: Report) -> dict[str, Any]:
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
        "seats": [_row_to_dict_with_plain_exact_value(seat) for seat in report.seats],
        "starter": asdict(report.starter) if report.starter else None,
        "ties": asdict(report.ties),
        "endings": [_row_to_dict_with_plain_exact_value(ending) for ending in report.endings],
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
        "ladder": [asdict(rung) | {"stronger": rung.is_interval_above_fair_share} for rung in report.rungs],
        "people": asdict(report.people) if report.people else None,
        "best": asdict(report.best) if report.best else None,
        "carrying": asdict(report.carrying) if report.carrying else None,
        "shared": asdict(report.shared) if report.shared else None,
    }


def _row_to_dict_with_plain_exact_value(row: SeatResult | EndingShare) -> dict[str, Any]:
    """Return a row whose exact figure is a bare number: it has no interval."""
    return asdict(row) | {"exact": row.exact.value if row.exact else None}
