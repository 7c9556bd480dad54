"""What is said of a chance or a score that stays open: how large the game is, what the best bot reaches, and what
nobody can beat. All of it is estimated from drawn games, and called so; none of it is evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np

from playproof.language import RulesError
from playproof.language.registry import data_of
from playproof.referee.bots.base import BotError
from playproof.referee.variant import Variant
from playproof.verifier.estimates.foresight import foreseen
from playproof.verifier.estimates.growth import Growth, sampled_growth
from playproof.verifier.estimates.many_states import Goal, ManyStates
from playproof.verifier.estimates.players import BestBot, Figure, best_bot, mean_figure, share_figure
from playproof.verifier.kernel.certificate import NotShown, TooWide
from playproof.verifier.kernel.deciding import plays_alone
from playproof.verifier.questions.verdicts import ESTIMATED, SIZE, Conclusion
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case, ChangedCase
from playproof.verifier.search.work import done

PART = 0.2
"""The part of a claim's work that is left for estimates."""
_LEAST_WORK, _PART_OF_SIZE = 1.5, 0.15
_PATIENCE = 1.5  # seconds for a unit of work, before drawn games are given up
_MOST_DEALS = 400
_GROWTH_WORK, _MUCH_WORK = 15.0, 30.0
_GROWTHS: Cache[str, Growth | None] = Cache()
_BOTS: Cache[tuple[int, bool], BestBot | None] = Cache()


@dataclass(frozen=True)
class Between:
    """An estimate from below and one from above; None if there is none. `unit` is "wins" or "scores"."""

    bot: BestBot | None
    most: Figure | None
    unit: str

    def words(self, proved: Mapping[str, Any]) -> str:
        """Return both in a sentence, with what is proved where that is closer."""
        low, high = proved.get("at least"), proved.get("at most")
        parts = []
        if self.bot is not None and (low is None or self.bot.figure.low > low):
            figure = self.bot.figure
            parts.append(
                f"at least {figure.low:.2f} (estimated: {self.bot.name} {self.unit} {figure.words()} in "
                f"{figure.games:,} games)"
            )
        elif low:
            parts.append(f"at least {low:.2f} (proved)")
        if self.most is not None and (high is None or self.most.high < high):
            figure = self.most
            parts.append(
                f"at most {figure.high:.2f} (estimated: who knows what chance brings {self.unit} {figure.words()} in "
                f"{figure.games:,} drawn games)"
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
            made["bot"] = {
                "name": self.bot.name,
                "value": f.value,
                "low": f.low,
                "high": f.high,
                "games": f.games,
            }
        if self.most is not None:
            f = self.most
            made["at most"] = f.high
            made["foresight"] = {"value": f.value, "low": f.low, "high": f.high, "games": f.games}
        return made


def growth_of(case: Case, goal: Goal, budget: Budget) -> Growth | None:
    """Return about how many states a case has, and say it; None if its rules break or its numbers are too large."""
    cache = _GROWTHS.of(case)
    if "" not in cache:
        budget.say("estimating how many states there are")
        until, quick = done() + _GROWTH_WORK, budget.work < _MUCH_WORK
        late = process_time() + min(_GROWTH_WORK, max(_LEAST_WORK, _PART_OF_SIZE * budget.work))
        try:
            first = np.array(case.first, dtype=np.int64)

            def go_on() -> bool:
                return done() < until and process_time() < late

            cache[""] = sampled_growth(ManyStates(case.game, goal), first, go_on, quick=quick)
        except (NotShown, TooWide, RulesError, OverflowError):
            cache[""] = None
    growth = cache[""]
    if growth is not None:
        budget.say(growth.words())
    return growth


def with_estimates(case: Case, goal: Goal, seat: int, found: Conclusion, budget: Budget) -> Conclusion:
    """Return an open conclusion with what is estimated beside it: for a side that plays against nobody."""
    if found.known or found.vacuous or budget.stopped or not plays_alone(case.game):
        return found
    growth = growth_of(case, goal, budget)
    bound = dict(found.bound)
    if growth is not None:
        bound[SIZE] = growth.words()
    work = max(_LEAST_WORK, PART * budget.work)
    bot = _best_bot(case, goal, seat, work / 2, budget)
    between = Between(bot, _foresight(case, goal, work / 2, budget), "wins" if goal.is_chance else "scores")
    if between.bot is None and between.most is None:
        return replace(found, bound=bound)
    bound[ESTIMATED] = {**between.as_json(), "words": between.words(bound)}
    return replace(found, bound=bound)


def _best_bot(case: Case, goal: Goal, seat: int, work: float, budget: Budget) -> BestBot | None:
    """Return the best bot, if bots want what is asked of: to win, or the seat's score."""
    game, for_score = case.game, not goal.is_chance
    wants = goal.number is game.results[seat] if for_score else goal.is_win
    if not wants or isinstance(case, ChangedCase):
        return None
    cache, key = _BOTS.of(case), (seat, for_score)
    if key not in cache:
        budget.say("estimating what bots reach")
        settings = {**case.values, **case.rulings}
        variant = Variant.with_cards(case.ref, data_of(case.ref, case.errata), settings, game)
        try:
            cache[key] = best_bot(variant, seat, work, for_score=for_score)
        except (RulesError, BotError):
            cache[key] = None
    bot = cache[key]
    if bot is not None:
        budget.say(f"at least {bot.figure.low:.2f} (estimated: {bot.name} has {bot.figure.words()})")
    return bot


def _foresight(case: Case, goal: Goal, work: float, budget: Budget) -> Figure | None:
    """Return what who knows what comes earns in drawn games; None if that is no less than all there is."""
    budget.say("estimating what nobody can beat")
    until, late = done() + work, process_time() + _PATIENCE * work
    try:
        earned = foreseen(
            ManyStates(case.game, goal),
            np.array(case.first, dtype=np.int64),
            _MOST_DEALS,
            lambda: done() < until and process_time() < late,
            lambda: process_time() > late,
        )
    except (NotShown, TooWide, RulesError, OverflowError):
        return None
    if not len(earned):
        return None
    if goal.is_chance:
        return share_figure(float(earned.sum()), len(earned))
    return mean_figure(earned.tolist(), goal.low, goal.high)
