"""What is said of a chance or a score that stays open: how large the game is, what the best bot reaches,
and what nobody can beat. All of it is estimated from drawn games; none of it is evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from time import process_time
from typing import Any

import numpy as np

from playproof.language import RulesError
from playproof.language.registry import load_cards_if_rules_need_them
from playproof.referee.batches import Batch, Tally, compute_95_percent_wilson_interval, play_batch_with_cached_engine
from playproof.referee.bots.base import BotError
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant
from playproof.verifier.estimates.learned_play import train_player_on_drawn_games
from playproof.verifier.estimates.many_states import (
    BatchedGame,
    Goal,
    StateCountEstimate,
    estimate_state_count_by_sampling,
    sample_best_earnings_with_foresight,
)
from playproof.verifier.kernel.certificate import NotShown, NumbersTooLarge
from playproof.verifier.kernel.claim_values import has_fields_hidden_from_some_player, has_no_opposing_sides
from playproof.verifier.questions.verdicts import ESTIMATED, HIDDEN, SIZE, Conclusion
from playproof.verifier.search.case import (
    Budget,
    Cache,
    GameCase,
    GivenGameCase,
    add_work_units_done,
    get_work_units_done,
)

# -- unproved ------------------------------------------------------------------------------------------------
# What is said of a chance or a score that stays open: how large the game is, what the best bot reaches, and
# what nobody can beat. All of it is estimated from drawn games, and called so; none of it is evidence.

PART = 0.3
"""The part of a claim's work that is left for estimates."""
_LEAST_WORK, _PART_OF_SIZE = 1.5, 0.15
_PATIENCE = 1.5  # seconds for a unit of work, before drawn games are given up
_MOST_DEALS = 400
_GROWTH_WORK, _MUCH_WORK = 15.0, 30.0
_FRESH_GAMES = 1_500  # of a player that has learnt
_LEARNED_PLAYERS: Cache[tuple[str, str], BestBot | None] = Cache()
_GROWTHS: Cache[str, StateCountEstimate | None] = Cache()
_BEST_BOTS: Cache[tuple[int, bool], BestBot | None] = Cache()


@dataclass(frozen=True)
class EstimatedBounds:
    """An estimate from below and one from above; None if there is none. `unit` is "wins" or "scores"."""

    bot: BestBot | None
    most: IntervalEstimate | None
    unit: str

    def format_closer_bounds_as_text(self, proved_bounds: Mapping[str, Any]) -> str:
        """Return both in a sentence, with what is proved where that is closer."""
        low, high = proved_bounds.get("at least"), proved_bounds.get("at most")
        parts = []
        if self.bot is not None and (low is None or self.bot.figure.low > low):
            figure = self.bot.figure
            parts.append(
                f"at least {figure.low:.2f} (estimated: {self.bot.name} {self.unit} "
                f"{figure.format_estimate_with_interval()} in "
                f"{figure.games:,} games)"
            )
        elif low:
            parts.append(f"at least {low:.2f} (proved)")
        if self.most is not None and (high is None or self.most.high < high):
            figure = self.most
            parts.append(
                f"at most {figure.high:.2f} (estimated: who knows what chance brings {self.unit} "
                f"{figure.format_estimate_with_interval()} in {figure.games:,} drawn games)"
            )
        elif high is not None and high < 1:
            parts.append(f"at most {high:.2f} (proved)")
        return ", ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return both as data: intervals of 95 %."""
        made: dict[str, Any] = {}
        if self.bot is not None:
            f = self.bot.figure
            made["at least"] = f.low
            made["bot"] = {"name": self.bot.name, "value": f.value, "low": f.low, "high": f.high, "games": f.games}
        if self.most is not None:
            f = self.most
            made["at most"] = f.high
            made["foresight"] = {"value": f.value, "low": f.low, "high": f.high, "games": f.games}
        return made


def estimate_state_count_of_case_or_none(
    case: GameCase, goal: Goal, budget: Budget, given_work: float | None = None
) -> StateCountEstimate | None:
    """Return about how many states a case has, and say it the first time; None if its rules break or its numbers are
    too large. `given_work` is what was given in all, if the budget is a part of it."""
    cache = _GROWTHS.get_entries_of_case(case)
    if "" not in cache:
        budget.report_progress_line("estimating how many states there are")
        until, quick = get_work_units_done() + _GROWTH_WORK, budget.work < _MUCH_WORK
        late = process_time() + min(_GROWTH_WORK, max(_LEAST_WORK, _PART_OF_SIZE * budget.work))
        try:
            first = np.array(case.first, dtype=np.int64)

            def go_on() -> bool:
                return get_work_units_done() < until and process_time() < late

            cache[""] = estimate_state_count_by_sampling(BatchedGame(case.game, goal), first, go_on, quick=quick)
        except (NotShown, NumbersTooLarge, RulesError, OverflowError):
            cache[""] = None
        growth = cache[""]
        if growth is not None:
            budget.report_progress_line(growth.describe_cost_of_exact_answer(given_work or budget.work))
    return cache[""]


def add_estimates_to_open_conclusion(
    case: GameCase, goal: Goal, seat: int, conclusion: Conclusion, budget: Budget
) -> Conclusion:
    """Return an open conclusion with what is estimated beside it: for a side that plays against nobody."""
    if conclusion.known or conclusion.vacuous or budget.stopped or not has_no_opposing_sides(case.game):
        return conclusion
    growth = estimate_state_count_of_case_or_none(case, goal, budget)
    bound = dict(conclusion.bound)
    if growth is not None and not conclusion.reason.startswith(HIDDEN):
        bound[SIZE] = growth.describe_cost_of_exact_answer(
            budget.work, is_spent=True, states_met=bound.get("states", 0)
        )
    work = max(_LEAST_WORK, PART * budget.work) / 3
    bot = _get_or_find_best_bot_for_goal_or_none(case, goal, seat, work, budget)
    bot = _get_learned_player_if_better(case, goal, bot, work, budget)
    between = EstimatedBounds(
        bot, _estimate_bound_by_foresight_or_none(case, goal, work, budget), "wins" if goal.is_chance else "scores"
    )
    if between.bot is None and between.most is None:
        return replace(conclusion, bound=bound)
    bound[ESTIMATED] = {**between.as_json(), "words": between.format_closer_bounds_as_text(bound)}
    return replace(conclusion, bound=bound)


def _get_or_find_best_bot_for_goal_or_none(
    case: GameCase, goal: Goal, seat: int, max_work: float, budget: Budget
) -> BestBot | None:
    """Return the best bot, if bots want what is asked of: to win, or the seat's score."""
    game, for_score = case.game, not goal.is_chance
    wants = goal.number is game.results[seat] if for_score else goal.is_win
    if not wants or isinstance(case, GivenGameCase):
        return None
    cache, key = _BEST_BOTS.get_entries_of_case(case), (seat, for_score)
    if key not in cache:
        budget.report_progress_line("estimating what bots reach")
        settings = {**case.values, **case.rulings}
        variant = Variant.from_loaded_cards(
            case.ref, load_cards_if_rules_need_them(case.ref, case.errata), settings, game
        )
        try:
            cache[key] = find_best_bot_by_playing_or_none(
                variant, seat, max_work, for_score=for_score, is_late=lambda: budget.is_late_by_share(PART / 2)
            )
        except (RulesError, BotError):
            cache[key] = None
    bot = cache[key]
    if bot is not None:
        budget.report_progress_line(
            f"at least {bot.figure.low:.2f} (estimated: {bot.name} has {bot.figure.format_estimate_with_interval()})"
        )
    return bot


def _get_learned_player_if_better(
    case: GameCase, goal: Goal, bot: BestBot | None, max_work: float, budget: Budget
) -> BestBot | None:
    """Return the better of a bot and of a player that learns what positions are worth. It sees all, so it plays only
    where nothing is hidden from anybody."""
    if isinstance(case, GivenGameCase) or has_fields_hidden_from_some_player(case.game):
        return bot
    cache = _LEARNED_PLAYERS.get_entries_of_case(case)
    key = (repr(goal.condition), repr(goal.number))
    if key not in cache:
        budget.report_progress_line("estimating what a player reaches that learns")
        cache[key] = _train_player_and_play_fresh_games_or_none(case, goal, max_work, budget)
    learned = cache[key]
    if learned is None or (bot is not None and bot.figure.low >= learned.figure.low):
        return bot
    budget.report_progress_line(f"at least {learned.figure.low:.2f} (estimated: a player that learns)")
    return learned


def _train_player_and_play_fresh_games_or_none(
    case: GameCase, goal: Goal, max_work: float, budget: Budget
) -> BestBot | None:
    until, late = get_work_units_done() + max_work, process_time() + _PATIENCE * max_work
    try:
        trained = train_player_on_drawn_games(
            BatchedGame(case.game, goal),
            np.array(case.first, dtype=np.int64),
            lambda: get_work_units_done() < until and process_time() < late and not budget.is_late_by_share(PART),
        )
        earned = trained.player.play_games(_FRESH_GAMES, np.random.default_rng(47)).earned
    except (NotShown, NumbersTooLarge, RulesError, OverflowError):
        return None
    if goal.is_chance:
        return BestBot("a learning player", estimate_share_with_wilson_interval(float(earned.sum()), len(earned)))
    return BestBot("a learning player", estimate_mean_with_interval(earned.tolist(), goal.low, goal.high))


def _estimate_bound_by_foresight_or_none(
    case: GameCase, goal: Goal, max_work: float, budget: Budget
) -> IntervalEstimate | None:
    """Return what who knows what comes earns in drawn games; None if that is no less than all there is."""
    budget.report_progress_line("estimating what nobody can beat")
    until, late = get_work_units_done() + max_work, process_time() + _PATIENCE * max_work

    def is_late() -> bool:
        return process_time() > late or budget.is_late_by_share(PART)

    try:
        earned = sample_best_earnings_with_foresight(
            BatchedGame(case.game, goal),
            np.array(case.first, dtype=np.int64),
            _MOST_DEALS,
            lambda: get_work_units_done() < until and not is_late(),
            is_late,
        )
    except (NotShown, NumbersTooLarge, RulesError, OverflowError):
        return None
    if not len(earned):
        return None
    if goal.is_chance:
        return estimate_share_with_wilson_interval(float(earned.sum()), len(earned))
    return estimate_mean_with_interval(earned.tolist(), goal.low, goal.high)


# -- players -------------------------------------------------------------------------------------------------
# How often bots win, or what they score: what a player reaches at least, as an estimate.

_BOT_NAMES = ("random", "greedy", "mcts:20", "mcts:100")
_TO_CHOOSE, _LEAST, _MOST = 24, 48, 400
_MOST_RANDOM = 2_000
_ITERATION = 1e-4  # work for an iteration of a search, for each decision that is left in the game
_PIECE, _LONGEST = 4, 30.0  # games played at a time, and seconds after which no more are
_FAST_PIECE = 200  # the same of bots that do not search
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class IntervalEstimate:
    """An estimated chance or score with its 95 % interval, from so many games."""

    value: float
    low: float
    high: float
    games: int

    def format_estimate_with_interval(self, digits: int = 2) -> str:
        """Return it as `0.41 (0.38 to 0.44)`."""
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


@dataclass(frozen=True)
class BestBot:
    """The best of the bots that were tried, and how it does in games that did not choose it."""

    name: str
    figure: IntervalEstimate


def estimate_share_with_wilson_interval(hit_count: float, game_count: int) -> IntervalEstimate:
    """Return a share of games with Wilson's interval."""
    return IntervalEstimate(
        hit_count / game_count, *compute_95_percent_wilson_interval(hit_count, game_count), game_count
    )


def estimate_mean_with_interval(
    values: list[float], least_possible: float, greatest_possible: float
) -> IntervalEstimate:
    """Return a mean of values that lie in low..high. If all are equal, the interval says that one more may differ."""
    count = len(values)
    mean = sum(values) / count
    spread = sqrt(sum((value - mean) ** 2 for value in values) / max(1, count - 1))
    half = _Z * spread / sqrt(count) if spread else (greatest_possible - least_possible) * 3 / count
    return IntervalEstimate(mean, max(least_possible, mean - half), min(greatest_possible, mean + half), count)


def find_best_bot_by_playing_or_none(
    variant: Variant, seat: int, max_work: float, *, for_score: bool, is_late: Callable[[], bool] = lambda: False
) -> BestBot | None:
    """Return the bot that wins most, or scores most, as a seat of a side that plays against nobody. `max_work`
    decides how many games are played, `is_late` ends them; None if it pays for too few."""
    engine = Engine(variant.game)
    bots = [bot for bot in _BOT_NAMES if bot != "greedy" or engine.evaluates]
    length = max(
        1.0, _compute_mean_of_counted_values_or_zero(_play_bot_games_and_tally(variant, "random", 10_000, 20).decisions)
    )
    tried: dict[str, float] = {}
    for bot in bots:
        if not is_late() and _estimate_work_per_bot_game(bot, length) * (_TO_CHOOSE + _LEAST) <= max_work / 2:
            tally = _play_bot_games_and_tally(variant, bot, 20_000, _TO_CHOOSE)
            tried[bot] = _compute_mean_of_counted_values_or_zero(tally.returns[seat]) if for_score else tally.wins[seat]
    if not tried:
        return None
    name = max(tried, key=tried.__getitem__)
    most = _MOST if name.startswith("mcts") else _MOST_RANDOM
    games = int(max(_LEAST, min(most, max_work / 2 / _estimate_work_per_bot_game(name, length))))
    tally = _play_bot_games_and_tally(variant, name, 0, games, is_late)
    if not tally.games:
        return None
    if not for_score:
        return BestBot(name, estimate_share_with_wilson_interval(tally.wins[seat], tally.games))
    term = variant.game.results[seat]
    return BestBot(
        name, estimate_mean_with_interval(list(map(float, tally.returns[seat].elements())), term.lo, term.hi)
    )


def _estimate_work_per_bot_game(bot_name: str, decisions_per_game: float) -> float:
    name, _, count = bot_name.partition(":")
    return _ITERATION * decisions_per_game * (int(count) if name == "mcts" else 0.1)


def _compute_mean_of_counted_values_or_zero(count_by_value: dict[int, int]) -> float:
    total = sum(count_by_value.values())
    return sum(value * count for value, count in count_by_value.items()) / total if total else 0.0


def _play_bot_games_and_tally(
    variant: Variant, bot_name: str, first_game: int, game_count: int, is_late: Callable[[], bool] = lambda: False
) -> Tally:
    bots = (bot_name,) * variant.game.players
    tally, late = Tally(variant.game.players, variant.game.ground), process_time() + _LONGEST
    while tally.games < game_count and process_time() < late and not is_late():
        part = min(_PIECE if bot_name.startswith("mcts") else _FAST_PIECE, game_count - tally.games)
        tally.add_in_place(play_batch_with_cached_engine(Batch(variant, bots, 0, first_game + tally.games, part)))
    add_work_units_done(
        game_count
        * _estimate_work_per_bot_game(bot_name, max(1.0, _compute_mean_of_counted_values_or_zero(tally.decisions)))
    )
    return tally
