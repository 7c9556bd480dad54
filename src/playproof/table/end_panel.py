"""The end of a game beside the felt: how it ended, the scores, what decided it, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from playproof.referee.campaign import find_next_game
from playproof.referee.match import Match
from playproof.table.chances import TURNS, WinChances
from playproof.table.page_context import PageContext, render_form
from playproof.table.scene import Score

_WIDE, _HIGH = 280, 90  # of the curve of chances, in pixels


def describe_ending(match: Match, names: Sequence[str], scores: Sequence[Score] = ()) -> str:
    """Return how a game ended and for whom how, the best first; "" while it runs. `scores` are said too where three or
    more play: `Ada 1st, 8 tokens; Bo 2nd, 5 tokens`."""
    reached, returns = match.ending, match.returns()
    if reached is None:
        return ""
    sentence = f"The game is over: {reached.reason}."
    if len(returns) > 2:
        results = [
            ", ".join(
                [
                    f"{names[seat]} {describe_seat_result(match, seat)}",
                    *(f"{s.value} {s.title}" for s in scores if s.seat == seat),
                ]
            )
            for seat in rank_seats(match)
        ]
        return f"{sentence} {'; '.join(results)}."
    if len(returns) > 1:
        results = [f"{names[seat]} {describe_seat_result(match, seat)}" for seat in rank_seats(match)]
        return f"{sentence} {', '.join(results)}."
    return f"{sentence} Score {returns[0]}." if reached.kind == "scores" else sentence


def rank_seats(match: Match) -> list[int]:
    """Return the seats of a finished game, the best first."""
    returns = match.returns()
    return sorted(range(len(returns)), key=lambda seat: -returns[seat])


def describe_seat_result(match: Match, seat: int) -> str:
    """Return a seat's result in a finished game: its place where three or more play, else a word, or what it scored.
    Scores of 1 and -1 say who won."""
    reached, returns = match.ending, match.returns()
    value = returns[seat]
    scored = reached is None or (reached.kind == "scores" and (sum(returns) != 0 or max(returns) > 1))
    if len(returns) > 2:
        place = _format_ordinal(1 + sum(other > value for other in returns))
        shared = " together" if returns.count(value) > 1 else ""
        return f"{place}{shared}{f' with {value}' if max(map(abs, returns)) > 1 else ''}"
    if scored:
        return str(value)
    return "won" if value > 0 else "lost" if value < 0 else "tied"


def _format_ordinal(number: int) -> str:
    """
    >>> [_format_ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def render_end_panel(context: PageContext) -> str:
    """Return the panel of a finished game; "" while it runs, and while nobody has said how it ended."""
    sitting = context.session
    if not sitting.match.over or sitting.verdicts:
        return ""
    base = escape(context.base)
    names = [sitting.format_person_at_seat(seat) for seat in range(len(sitting.seats))]
    links = [f'<a href="{base}/transcript.txt" download>save as a recorded game</a>']
    if context.scene is not None:
        links.insert(0, f'<a href="{base}/replay.html" download>a replay to share</a>')
    again = ""
    if context.now and context.seat is not None and find_next_game(sitting.match) is None:
        turned = ", seats turned" if len(sitting.seats) > 1 else ""
        again = render_form(context, "next", f"<button>play again{turned}</button>")
    ending = escape(describe_ending(sitting.match, names, context.final_scores))
    return (
        f'<section class="end"><h2>{ending}</h2>{_render_scores(context)}'
        f"{_render_chances(context)}<p>{' · '.join(links)}</p>{again}</section>"
    )


def _render_scores(context: PageContext) -> str:
    """Return each seat's result with its parts, the best first."""
    sitting = context.session
    if len(sitting.seats) < 2:
        return ""
    rows = ""
    for seat in rank_seats(sitting.match):
        parts = ", ".join(
            f"{score.value} {score.title}" for score in context.final_scores if score.seat == seat
        )
        rows += (
            f'<tr><th scope="row" class="hue-{sitting.get_seat_colour(seat)}">'
            f"{escape(sitting.format_person_at_seat(seat))}</th>"
            f"<td>{describe_seat_result(sitting.match, seat)}</td><td>{escape(parts)}</td></tr>"
        )
    return (
        '<table><thead><tr><th scope="col">player</th><th scope="col">result</th><th scope="col">scored</th></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )


def _render_chances(context: PageContext) -> str:
    """Return the curve of chances with the steps that changed them most; a promise while it is computed."""
    sitting = context.session
    chances = sitting.chances
    if chances is None:
        soon = "the curve of chances is being computed; it comes here by itself"
        return f"<p><small>{soon}</small></p>" if sitting.reported_match is None else ""
    turning = "".join(
        f'<li><a href="{escape(context.base)}?at={after}" data-step="{after}">step {after}</a>: '
        f"{escape(_describe_step(context, after))}{escape(change)}</li>"
        for after, change in _find_turning_points(context, chances)
    )
    text = (
        f"{chances.playouts} games by {chances.player} players from each of {len(chances.steps)} moments: "
        f"a chance of 50% is right within {100 * chances.within:.0f} points"
    )
    return (
        f"<h3>Chances over the game</h3>{_render_chance_curves(context, chances)}<p><small>{text}</small></p>"
        + (f"<h3>What decided it</h3><ul>{turning}</ul>" if turning else "")
    )


def _describe_step(context: PageContext, step: int) -> str:
    """Return what was done at a step, as the reader heard it."""
    heard = [line for line in context.session.list_log_lines(step - 1, context.seat) if line.who]
    return f"{heard[0].who} {heard[0].words}, " if heard else ""


def _find_turning_points(context: PageContext, chances: WinChances) -> list[tuple[int, str]]:
    """Return the steps after which a seat's chance had surely changed, those that changed it most, in words. Where the
    games do not tell two moments apart, nothing is said of them."""
    changes = []
    seats = range(len(chances.shares[0]))
    for at in range(1, len(chances.steps)):
        bounds = [chances.compute_change_bounds(at, seat) for seat in seats]
        seat = max(seats, key=lambda n: _compute_least_change(bounds[n]))
        least = _compute_least_change(bounds[seat])
        if least > 0:
            who = f"{context.session.format_person_at_seat(seat)} " if len(seats) > 1 else ""
            before, after = chances.shares[at - 1][seat], chances.shares[at][seat]
            most = max(map(abs, bounds[seat]))
            way = "up" if after > before else "down"
            words = f"{who}{before:.0%} to {after:.0%}, {way} by {100 * least:.0f} to {100 * most:.0f} points"
            changes.append((least, chances.steps[at], words))
    return sorted((step, words) for _, step, words in sorted(changes, reverse=True)[:TURNS])


def _compute_least_change(bounds: tuple[float, float]) -> float:
    """Return by how much a chance changed at least, whichever way; 0 or less if it may not have changed."""
    low, high = bounds
    return max(low, -high)


def _render_chance_curves(context: PageContext, chances: WinChances) -> str:
    """Return the curves of all seats; a click on one shows that moment."""
    last = max(1, chances.steps[-1])
    lines = "".join(
        f'<polyline class="hue-{context.session.get_seat_colour(seat)}" points="'
        + " ".join(
            f"{_get_x_position(step, last):.0f},{_get_y_position(shares[seat]):.0f}"
            for step, shares in zip(chances.steps, chances.shares, strict=True)
        )
        + '"/>'
        for seat in range(len(chances.shares[0]))
    )
    words = _describe_chance_curves(context, chances.shares)
    middle = f"{_get_y_position(0.5):.0f}"
    return (
        f'<svg class="curve" viewBox="0 0 {_WIDE} {_HIGH}" role="img" data-last="{last}" aria-label="{escape(words)}">'
        f'<title>{escape(words)}</title><line x1="0" x2="{_WIDE}" y1="{middle}" y2="{middle}"/>{lines}</svg>'
    )


def _describe_chance_curves(context: PageContext, shares: Sequence[Sequence[float]]) -> str:
    return "chances from the start to the end: " + "; ".join(
        f"{context.session.format_person_at_seat(seat)} {shares[0][seat]:.0%} to {shares[-1][seat]:.0%}"
        for seat in range(len(shares[0]))
    )


def _get_x_position(step: int, last: int) -> float:
    return _WIDE * step / last


def _get_y_position(share: float) -> float:
    return 4 + (_HIGH - 8) * (1 - share)
