"""Estimates in words, for pages and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from playproof.lab.estimates import Estimate
from playproof.lab.report import Report, Seat
from playproof.lab.worth import Worth

_ROUNDING = 1e-9  # exact values are computed in floating point


def share(estimate: Estimate | None, digits: int = 1) -> str:
    """Return a share in per cent, with its interval: `41.2 % (40.9 to 41.5)`, or `41.23 % (exact)`."""
    if estimate is None or estimate.value is None:
        return "–"
    if estimate.exact:
        return f"{100 * estimate.value:.{digits + 1}f} % (exact)"
    value = f"{100 * estimate.value:.{digits}f} %"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({100 * estimate.low:.{digits}f} to {100 * estimate.high:.{digits}f})"


def points(estimate: Estimate | None, for_score: int = 0) -> str:
    """Return a difference of shares in percentage points, or of scores, with its interval: `+12.3 (+9.8 to +14.8)`."""
    if estimate is None or estimate.value is None:
        return "–"
    value, low, high = (moved(end, for_score) for end in (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low} to {high})" if low and high else value


def moved(value: float | None, for_score: int = 0) -> str:
    """Return one number of a difference: a share in percentage points, or a score; "" if there is none."""
    if value is None:
        return ""
    return f"{value:+.2f}" if for_score else f"{100 * value:+.1f}"


def number(estimate: Estimate | None, digits: int = 2) -> str:
    """Return a value with its interval: `3.81 (3.77 to 3.85)`."""
    if estimate is None or estimate.value is None:
        return "–"
    value = f"{estimate.value:.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({estimate.low:.{digits}f} to {estimate.high:.{digits}f})"


def summary(report: Report) -> Iterator[str]:
    """Yield what the figures say, in sentences."""
    yield from _seats(report)
    best = [worth for worth in report.cards if worth.counts and (worth.effect.value or 0) > 0]
    worst = [worth for worth in report.cards if worth.counts and (worth.effect.value or 0) < 0]
    if best:
        yield f"The strongest card is {best[0].name}: {_effect(best[0], report)}."
    if worst:
        yield f"The weakest card is {worst[-1].name}: {_effect(worst[-1], report)}."
    if report.cards and not best and not worst:
        yield f"No card's effect is told apart from chance by {report.plan.pairs:,} pairs of games per card."
    yield from _depth(report)
    if report.people is not None:
        games = _count(report.people.games, "recorded game is", "recorded games are")
        yield f"The people of {games} {report.people.place()}."
    if report.never:
        options = _count(len(report.never), "option was", "options were")
        yield f"{options} legal and never chosen in {report.games:,} games."


def _effect(worth: Worth, report: Report) -> str:
    what = "with it in hand, not without it" if worth.held else "if it may be used"
    return f"{points(worth.effect, report.bench.for_score)} {counted(report)} {what}"


def counted(report: Report) -> str:
    """Return what the worth of a card is counted in."""
    return "points of score" if report.bench.for_score else "percentage points of wins"


def _seats(report: Report) -> Iterator[str]:
    sides = report.bench.variant.game.sides
    if len(sides) == 1:
        seat, alone = report.seats[0], len(report.seats) == 1
        if report.bench.for_score:
            who = "The player scores" if alone else "The players score together"
            low, high = report.quantiles["score"][1], report.quantiles["score"][5]
            yield f"{who} {number(seat.score)} on average; nine of ten games end with {low} to {high}."
            return
        who = "The player wins" if alone else "The players win together"
        yield f"{who} {share(seat.exact or seat.wins)} of the games."
        return
    teams = [_team(report, side) for side in sides]
    first, second = sorted(teams, key=lambda seat: -_wins(seat))[:2]
    if first.exact:
        apart = _wins(first) > _wins(second) + _ROUNDING
    else:
        apart = (first.wins.low or 0.0) > (second.wins.high or 1.0)
    win, kind = ("win", "team") if len(sides) < len(report.seats) else ("wins", "seat")
    win = "wins" if any(first.name == seat.name for seat in report.seats) else win
    lead = f"{first.name} {win} most:" if apart else f"No {kind} stands out: {first.name} {win}"
    yield f"{lead} {share(first.exact or first.wins)}; ties are {share(report.ties)}."
    if report.starter is not None:
        cause = "which chance does not explain" if report.starter.certain else "which chance may explain"
        yield f"Who begins has {points(report.starter)} percentage points more than a fair share, {cause}."


def _team(report: Report, side: Sequence[int]) -> Seat:
    """Return the seats of a team, which win and lose together, as one seat with all their names."""
    first = report.seats[side[0]]
    return replace(first, name=" and ".join(report.seats[seat].name for seat in sorted(side)))


def _wins(seat: Seat) -> float:
    return (seat.exact or seat.wins).value or 0.0


def _depth(report: Report) -> Iterator[str]:
    index = report.leverage.index
    if index.value is not None:
        more = "choices decide more" if index.value > 0 else "chance decides more"
        weight = more if index.certain else "neither choices nor chance clearly decide more"
        yield f"Between random players {weight}: S = {number(index)}, where -1 is all luck and 1 is all choice."
    higher = [rung for rung in report.rungs if rung.stronger]
    if higher:
        yield f"More thought still pays at the rung {higher[-1].bot}: it takes {share(higher[-1].wins)} of the games."


def _count(count: int, singular: str, plural: str) -> str:
    return f"1 {singular}" if count == 1 else f"{count} {plural}"
