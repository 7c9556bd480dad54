"""A run's figures: as JSON with a stable shape for scripts, as tables for people, and as a picture
(SVG)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from playproof.database.files import write_file_atomically
from playproof.language.machine.players import STOPPED
from playproof.referee.batches import (
    NOBODY,
    Tally,
    compute_95_percent_mean_interval_or_none,
    compute_95_percent_wilson_interval,
    compute_mean_of_counted_values_or_none,
    compute_quantile_of_counts_or_zero,
    is_played_only_for_score,
)
from playproof.referee.simulate import SimulationResult
from playproof.referee.variant import Variant

# A run's figures: as JSON with a stable shape for scripts, and as tables for people.

_SHOWN_ROWS = 12


def as_json(result: SimulationResult) -> dict[str, Any]:
    """Return the run in the shape of `simulate --json`. Rates are per game; intervals are 95 %."""
    tally, game = result.tally, result.variant.summary
    return {
        "game": game.name,
        "options": result.options,
        "games": tally.games,
        "seed": result.seed,
        "bots": list(result.bots),
        "asked": result.asked,
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "reading": result.reading,
        "replayed": result.checked,
        "check": _check_to_json_or_none_if_unwatched(result),
        "decisions_per_game": compute_mean_of_counted_values_or_none(tally.decisions),
        "decisions": _compute_five_quantiles_by_name(tally.decisions),
        "rounds_per_game": compute_mean_of_counted_values_or_none(tally.rounds) if game.has_rounds else None,
        "endings": count_games_by_ending_commonest_first(result),
        "draws": tally.ties,
        "stopped": tally.stopped,
        "longest": result.longest,
        "seats": summarize_wins_and_scores_of_seats(result),
        "first_player": compute_first_player_advantage_or_none(tally, len(game.sides)),
        "actions": summarize_actions_most_frequent_first(result),
    }


def simulation_with_violation_to_json(result: SimulationResult, violation_json: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of `simulate --check --json` for a run with a violation."""
    return {
        "game": result.variant.summary.name,
        "options": result.options,
        "seed": result.seed,
        "bots": list(result.bots),
        "check": {"ok": False, "asked": list(result.variant.summary.asked), "violation": violation_json},
    }


def _check_to_json_or_none_if_unwatched(result: SimulationResult) -> dict[str, Any] | None:
    """Return what a watched run checked after every step, or None for an unwatched run."""
    return {"ok": True, "asked": list(result.variant.summary.asked), "violation": None} if result.watched else None


def count_games_by_ending_commonest_first(result: SimulationResult) -> dict[str, int]:
    """Return the number of games by ending reason, most frequent first."""
    reasons = {end.number: end.reason for end in result.variant.summary.endings}
    reasons[STOPPED] = f"no end after {result.longest:,} steps"
    counts: dict[str, int] = {}
    for number, games in result.tally.endings.most_common():
        reason = reasons.get(number, NOBODY)
        counts[reason] = counts.get(reason, 0) + games
    return counts


def summarize_wins_and_scores_of_seats(result: SimulationResult) -> list[dict[str, Any]]:
    """Return for each seat: wins, rate with Wilson interval, and its returns. Rates and means are None without
    games; for an interval of a mean see `compute_95_percent_mean_interval_or_none`."""
    tally = result.tally
    rows = []
    for seat, wins in enumerate(tally.wins):
        scores = tally.returns[seat]
        interval = compute_95_percent_mean_interval_or_none(scores)
        rows.append(
            {
                "seat": seat + 1,
                "name": result.variant.summary.seats[seat],
                "bot": result.bots[seat],
                "wins": wins,
                "win_rate": wins / tally.games if tally.games else None,
                "interval": list(compute_95_percent_wilson_interval(wins, tally.games)),
                "score_mean": compute_mean_of_counted_values_or_none(scores),
                "score_interval": None if interval is None else list(interval),
                "score": _compute_five_quantiles_by_name(scores),
            }
        )
    return rows


def compute_first_player_advantage_or_none(tally: Tally, side_count: int) -> dict[str, Any] | None:
    """Return the first player's advantage over an equal share, with its interval.

    Returns None for one seat, if all play together, or if nobody decides anything. `began` counts the games that each
    seat began.
    """
    games = sum(tally.began)
    if side_count == 1 or not games:
        return None
    low, high = compute_95_percent_wilson_interval(tally.began_and_won, games)
    share = sum(tally.wins) / tally.games / tally.seats
    return {
        "advantage": tally.began_and_won / games - share,
        "interval": [low - share, high - share],
        "certain": not low <= share <= high,
        "began": tally.began,
    }


def summarize_actions_most_frequent_first(result: SimulationResult) -> list[dict[str, Any]]:
    """Return all actions of players, most often chosen first, the never chosen included: how often,
    and what each was worth.

    `worth` is the mean return of the takers minus the mean return over all choices of the run; None
    without takers.
    """
    tally, game = result.tally, result.variant.summary
    base = int(tally.worth.sum()) / max(1, int(tally.taken.sum()))
    order = sorted(_list_action_ids_of_players(result.variant), key=lambda i: (-int(tally.taken[i]), i))
    words = game.texts or _LazyActionTexts(result.variant)
    return [
        {
            "action": words[i],
            "name": game.get_name_of_ground_action(i),
            "taken": int(tally.taken[i]),
            "per_game": int(tally.taken[i]) / max(1, tally.games),
            "worth": int(tally.worth[i]) / int(tally.taken[i]) - base if tally.taken[i] else None,
        }
        for i in order
    ]


def _list_action_ids_of_players(variant: Variant) -> list[int]:
    """Return the ground actions that are not chance's."""
    moves = variant.summary.players_move
    if moves:
        return [ident for ident, players in enumerate(moves) if players]
    game = variant.game
    idents: list[int] = []
    for action in game.actions:
        if not all(game.phases[number].chance for number in action.phases):
            idents += action.idents
    return idents


class _LazyActionTexts:
    """The words of a game's ground actions, made on request."""

    def __init__(self, variant: Variant) -> None:
        self._game = variant.game

    def __getitem__(self, ident: int) -> str:
        return self._game.show(ident)


def _compute_five_quantiles_by_name(games_by_value: Counter[int]) -> dict[str, int]:
    return {
        "min": min(games_by_value, default=0),
        "q1": compute_quantile_of_counts_or_zero(games_by_value, 0.25),
        "median": compute_quantile_of_counts_or_zero(games_by_value, 0.5),
        "q3": compute_quantile_of_counts_or_zero(games_by_value, 0.75),
        "max": max(games_by_value, default=0),
    }


# -- for people -----------------------------------------------------------------------------------------------------


def render_simulation_tables(result: SimulationResult) -> RenderableType:
    """Return the run as tables: endings, seats, and the most frequent choices."""
    facts = as_json(result)
    left = f" of {facts['asked']:,}" if facts["interrupted"] else ""
    games = f"{facts['games']:,}{left} games"
    title = f"{result.variant.summary.title}: {games}, seed {facts['seed']}, {facts['seconds']} s"
    parts: list[RenderableType] = [title, _format_game_length(facts)]
    if facts["stopped"]:
        parts.append(_format_stopped_games(facts))
    if facts["check"]:
        parts.append("held after every step: " + ", ".join(facts["check"]["asked"]))
    only_score = is_played_only_for_score(result.variant.summary)
    parts += ["", _render_endings_table(facts), "", _render_seats_table(facts, only_score)]
    if facts["first_player"]:
        parts.append(_format_first_player_advantage(facts["first_player"]))
    parts += ["", _render_actions_table(facts)]
    return Group(*parts)


def _format_stopped_games(result_json: dict[str, Any]) -> str:
    return (
        f"{result_json['stopped']:,} of {result_json['games']:,} games had not ended after "
        f"{result_json['longest']:,} steps and were "
        "stopped; nobody wins them, and their choices are not counted. --longest sets another limit; rules that "
        "declare g.fact(ends_within=N) are held to it"
    )


def _format_game_length(result_json: dict[str, Any]) -> str:
    spread = result_json["decisions"]
    if result_json["decisions_per_game"] is None:
        return "no game was finished"
    line = (
        f"{result_json['decisions_per_game']:.1f} decisions per game ({spread['min']} to {spread['max']}, "
        f"median {spread['median']})"
    )
    return line if result_json["rounds_per_game"] is None else f"{line}, {result_json['rounds_per_game']:.2f} rounds"


def _render_endings_table(result_json: dict[str, Any]) -> Table:
    table = _make_table("Ending", "games", "share")
    for reason, games in result_json["endings"].items():
        table.add_row(reason, f"{games:,}", f"{100 * games / max(1, result_json['games']):.2f} %")
    return table


def _render_seats_table(result_json: dict[str, Any], without_wins: bool) -> Table:
    """Return a row per seat; without wins where one side plays for a score, which no rule says wins."""
    if without_wins:
        table = _make_table("Seat", "bot", "mean return", "95 % interval", left_aligned_columns=2)
        for row in result_json["seats"]:
            mean = "" if row["score_mean"] is None else f"{row['score_mean']:.3f}"
            low_high = row["score_interval"]
            table.add_row(row["name"], row["bot"], mean, "{:.3f} to {:.3f}".format(*low_high) if low_high else "")
        return table
    table = _make_table("Seat", "bot", "wins", "win rate", "95 % interval", "mean return", left_aligned_columns=2)
    for row in result_json["seats"]:
        low, high = row["interval"]
        rate = "" if row["win_rate"] is None else f"{100 * row['win_rate']:.2f} %"
        score = "" if row["score_mean"] is None else f"{row['score_mean']:.3f}"
        table.add_row(row["name"], row["bot"], f"{row['wins']:,}", rate, f"{100 * low:.2f} to {100 * high:.2f}", score)
    return table


def _format_first_player_advantage(advantage_json: dict[str, Any]) -> str:
    low, high = advantage_json["interval"]
    sure = "" if advantage_json["certain"] else " (could be chance)"
    return (
        f"whoever begins against a fair share: {100 * advantage_json['advantage']:+.2f} points "
        f"({100 * low:+.2f} to {100 * high:+.2f}){sure}"
    )


def _render_actions_table(result_json: dict[str, Any]) -> Table:
    table = _make_table("Choice", "a game", "worth")
    taken = [row for row in result_json["actions"] if row["taken"]]
    for row in taken[:_SHOWN_ROWS]:
        table.add_row(row["action"], f"{row['per_game']:.3f}", f"{row['worth']:+.3f}")
    more, never = len(taken) - _SHOWN_ROWS, len(result_json["actions"]) - len(taken)
    if more > 0:
        table.add_row(f"... and {more} more in --json", "", "")
    if never > 0:
        table.add_row(f"{never} never taken, by name in --json", "", "")
    return table


def _make_table(*headings: str, left_aligned_columns: int = 1) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    for number, head in enumerate(headings):
        table.add_column(head, justify="left" if number < left_aligned_columns else "right")
    return table


# -- plots ---------------------------------------------------------------------------------------------------
# A run as a picture (SVG): the lengths of its games, the returns, the endings. Readable without colours.

_WIDTH, _BAR, _LEFT, _TOP = 680, 18, 230, 30
_LETTERS = 36
_MOST_BARS = 24


def write_simulation_svg(result: SimulationResult, svg_path: Path) -> None:
    """Write the picture of a run. Replaces the file atomically, and makes its folder if missing."""
    write_file_atomically(svg_path, draw_result_svg(result).encode())


def draw_result_svg(result: SimulationResult) -> str:
    """Draw bars for endings, decisions per game, and each seat's return."""
    panels: list[tuple[str, Mapping[str, int]]] = [
        ("How games ended", count_games_by_ending_commonest_first(result)),
        ("Decisions per game", _group_counts_into_bins_by_label(result.tally.decisions)),
    ]
    for seat, counts in enumerate(result.tally.returns):
        name = result.variant.summary.seats[seat]
        panels.append((f"Return of {name} ({result.bots[seat]})", _group_counts_into_bins_by_label(counts)))
    parts, top = [], 0
    for title, bars in panels:
        parts.append(f'<g transform="translate(0 {top})">{_draw_bar_chart_svg(title, bars)}</g>')
        top += _TOP + 20 + _BAR * len(bars)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" width="{_WIDTH}" height="{top}" '
        f'font-family="sans-serif" font-size="12" fill="#222">{"".join(parts)}</svg>\n'
    )


def _draw_bar_chart_svg(title: str, count_by_label: Mapping[str, int]) -> str:
    total, most = (max(1, sum(count_by_label.values())), max(1, *count_by_label.values()) if count_by_label else 1)
    room = _WIDTH - _LEFT - 110
    lines = [f'<text x="8" y="20" font-weight="bold" font-size="14">{escape(title)}</text>']
    for row, (name, count) in enumerate(count_by_label.items()):
        y = _TOP + row * _BAR
        lines.append(
            f'<text x="{_LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(_shorten_label_with_ellipsis(name))}</text>'
            f'<rect x="{_LEFT}" y="{y + 2}" width="{room * count / most:.1f}" height="{_BAR - 5}" '
            f'fill="#4a6fa5"/><text x="{_LEFT + 6 + room * count / most:.1f}" y="{y + 12}">'
            f"{count:,} ({100 * count / total:.1f} %)</text>"
        )
    return "".join(lines)


def _shorten_label_with_ellipsis(name: str) -> str:
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def _group_counts_into_bins_by_label(games_by_value: Counter[int]) -> dict[str, int]:
    """Group the counted values, in order, into at most 24 bins of equal width."""
    if not games_by_value:
        return {}
    low, high = min(games_by_value), max(games_by_value)
    width = -(-(high - low + 1) // _MOST_BARS)
    bins: dict[str, int] = {}
    for start in range(low, high + 1, width):
        name = str(start) if width == 1 else f"{start} to {start + width - 1}"
        bins[name] = sum(games_by_value[v] for v in range(start, start + width))
    return bins
