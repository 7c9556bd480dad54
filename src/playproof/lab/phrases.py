"""Estimates in words, for pages and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from playproof.lab.card_worth import CardWorth
from playproof.lab.estimates import Estimate
from playproof.lab.ladder import LadderRung
from playproof.lab.report import BestPlay, Report, SeatResult
from playproof.language.game_analysis import list_player_actions_before_chance

_MOST_NAMED = 4
_AT_ONCE = 0.5  # decisions before which nothing is decided by a choice
_ROUNDING = 1e-9  # exact values are computed in floating point


def format_percent_with_interval_or_dash(estimate: Estimate | None, digits: int = 1) -> str:
    """Return a share in per cent, with its interval: `41.2 % (40.9 to 41.5)`, or `41.23 % (exact)`."""
    if estimate is None or estimate.value is None:
        return "–"
    if estimate.exact:
        return f"{100 * estimate.value:.{digits + 1}f} % (exact)"
    value = f"{100 * estimate.value:.{digits}f} %"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({100 * estimate.low:.{digits}f} to {100 * estimate.high:.{digits}f})"


def format_points_with_interval_or_dash(estimate: Estimate | None, for_score: int = 0) -> str:
    """Return a difference of shares in percentage points, or of scores, with its interval: `+12.3 (+9.8 to +14.8)`."""
    if estimate is None or estimate.value is None:
        return "–"
    value, low, high = (
        format_signed_points_or_score_or_empty(end, for_score) for end in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})" if low and high else value


def format_kind_of_action(text: str) -> str:
    """Return how all actions of a kind read, whatever their parameters are.

    >>> format_kind_of_action("go to {light}")
    'go to …'
    """
    return re.sub(r"\{\w+\}", "…", text)


def format_signed_points_or_score_or_empty(value: float | None, for_score: int = 0) -> str:
    """Return one number of a difference: a share in percentage points, or a score; "" if there is none."""
    if value is None:
        return ""
    return f"{value:+.2f}" if for_score else f"{100 * value:+.1f}"


def format_value_with_interval_or_dash(estimate: Estimate | None, digits: int = 2) -> str:
    """Return a value with its interval: `3.81 (3.77 to 3.85)`."""
    if estimate is None or estimate.value is None:
        return "–"
    value = f"{estimate.value:.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({estimate.low:.{digits}f} to {estimate.high:.{digits}f})"


def iter_summary_sentences_of_report(report: Report) -> Iterator[str]:
    """Yield what the figures say, in sentences."""
    yield from (
        iter_difficulty_sentences_of_solo_game(report) if report.is_solo else iter_sentences_on_who_wins_most(report)
    )
    best = [worth for worth in report.cards if worth.counts and (worth.effect_of_holding_or_using.value or 0) > 0]
    worst = [worth for worth in report.cards if worth.counts and (worth.effect_of_holding_or_using.value or 0) < 0]
    if best:
        yield f"The strongest card is {best[0].name}: {_format_card_effect_with_condition(best[0], report)}."
    if worst:
        yield f"The weakest card is {worst[-1].name}: {_format_card_effect_with_condition(worst[-1], report)}."
    if report.cards and not best and not worst:
        yield f"No card's effect is told apart from chance by {report.plan.pairs:,} pairs of games per card."
    yield from _iter_sentences_on_cards_that_stand_out(report)
    yield from iter_sentences_on_cards_in_rare_wins(report)
    yield from _iter_luck_and_depth_sentences(report)
    if report.people is not None:
        games = _format_count_with_noun(report.people.games, "recorded game is", "recorded games are")
        yield f"The people of {games} {report.people.describe_which_bots_people_beat()}."
    if report.never:
        options = _format_count_with_noun(len(report.never), "option was", "options were")
        yield f"{options} legal and never chosen in {report.games:,} games."


def _iter_sentences_on_cards_that_stand_out(report: Report) -> Iterator[str]:
    """Yield which cards are better or worse than the others by more than chance explains."""
    for side, words in ((1, "better"), (-1, "worse")):
        apart = [worth.name for worth in report.cards if worth.apart == side]
        more = f" and {len(apart) - _MOST_NAMED} more" if len(apart) > _MOST_NAMED else ""
        if apart:
            named = ", ".join(apart[:_MOST_NAMED]) + more
            yield f"Surely {words} than the other cards, with all {len(report.cards)} compared: {named}."


def iter_sentences_on_cards_in_rare_wins(report: Report) -> Iterator[str]:
    """Yield that cards were compared in games that hardly ever are won, where that is so."""
    wins = (report.seats[0].exact or report.seats[0].wins).value or 0.0
    if not report.cards or not report.is_solo or report.bench.is_for_score or wins >= _RARE:
        return
    of = f"Cards were compared in games of {report.bench.players_text}, of which"
    if wins:
        yield f"{of} {100 * wins:.1f} % are won: what a card is worth to those who play well may be something else."
    else:
        yield f"{of} none is won: they do not show what a card is worth. An `evaluate` that leads to a win would."


# -- one side against the game --------------------------------------------------------------------------------------

_PARAMETER = re.compile(r"\{[^}]*\}")
_RARE = 0.05  # of games won, below which they show little of what cards are worth
_LEVELS = (
    (0.9, "very easy"),
    (0.7, "easy"),
    (0.45, "even"),
    (0.2, "hard"),
    (0.05, "very hard"),
    (0.0, "hardly ever won"),
)


def describe_kind_of_player_of_bot(bot: str) -> str:
    """Return what kind of player a bot is.

    >>> [describe_kind_of_player_of_bot(bot) for bot in ("random", "greedy", "mcts:80")]
    ['who plays by chance', 'a careful player', 'a searching player']
    """
    if bot == "random":
        return "who plays by chance"
    return {"greedy": "a careful player", "mcts": "a searching player"}.get(bot.partition(":")[0], bot)


def describe_play_style_of_bot(bot: str) -> str:
    """Return how a bot plays, in a ladder.

    >>> [describe_play_style_of_bot(bot) for bot in ("random", "greedy", "mcts:80")]
    ['by chance', 'with care', 'by search']
    """
    ways = {"random": "by chance", "greedy": "with care", "mcts": "by search"}
    return ways.get(bot.partition(":")[0], f"as {bot}")


def describe_difficulty_by_win_chance(win_chance: float) -> str:
    """Return how hard a game is that the best known player wins so often.

    >>> [describe_difficulty_by_win_chance(c) for c in (0.95, 0.5, 0.17, 0.0)]
    ['very easy', 'even', 'very hard', 'hardly ever won']
    """
    return next(word for least, word in _LEVELS if win_chance >= least)


def describe_difficulty_in_one_or_two_words(report: Report) -> str:
    """Return how hard a game is for the best player that is known: in one word, or in two where the interval of what
    was measured lets both be. If nothing shows that nobody wins more often, it says for whom."""
    best, seat = report.best, report.seats[0]
    if best is not None and best.value is not None:
        return describe_difficulty_by_win_chance(best.value)
    measured = [rung.wins for rung in report.rungs] + [seat.exact or seat.wins]
    strongest = max(measured, key=lambda wins: wins.value or 0.0)
    low = max([wins.value if wins.low is None else wins.low for wins in measured if wins.value is not None])
    high = max(low or 0.0, strongest.high or strongest.value or 0.0)
    if best is not None and best.low is not None:
        low, high = max(low or 0.0, best.low), max(high, best.low)
    hardest, easiest = describe_difficulty_by_win_chance(low or 0.0), describe_difficulty_by_win_chance(high)
    words = hardest if hardest == easiest else f"{hardest} to {easiest}"
    if best is None:
        return f"{words} for the players that were tried"
    limit = describe_difficulty_by_win_chance(1.0 if best.high is None else max(high, best.high))
    return words if limit == easiest else f"{words} for the players that were tried, perhaps {limit} for better ones"


def iter_difficulty_sentences_of_solo_game(report: Report) -> Iterator[str]:
    """Yield who wins how often, how hard the game is, and where it is decided: for a side against nobody."""
    seat, scores, alone = report.seats[0], report.bench.is_for_score, len(report.seats) == 1
    how = "What" if scores else "How often"
    verb = "score" if scores else "win"
    who = f"the player {verb}s" if alone else f"the players {verb} together"
    steps = [f"{describe_play_style_of_bot(bot)} {words}" for bot, words in list_shown_bots_with_result_texts(report)]
    best = format_best_play_phrase_or_empty(report.best, scores)
    yield f"{how} {who}: {'; '.join([*steps, *([best] if best else [])])}."
    if scores:
        yield from iter_sentences_on_playing_together(report)
        low, high = report.quantiles["score"][1], report.quantiles["score"][5]
        yield (
            f"Nine of ten games of {report.bench.players_text} end with {low} to {high}; "
            f"the mean is {format_value_with_interval_or_dash(seat.score)}."
        )
        return
    yield f"The game is {describe_difficulty_in_one_or_two_words(report)}: {describe_whether_thinking_pays(report)}"
    yield from _iter_sentences_on_greedy_bots_limits(report)
    yield from iter_sentences_on_playing_together(report)
    tension = report.tension
    if tension.open_until.value is not None and (tension.losing_turn.value or 0.0) < _AT_ONCE:
        yield f"For {report.bench.players_text} a game is as good as lost from its first decision, or won."
    elif tension.open_until.value is not None:
        yield (
            f"Lost games of {report.bench.players_text} are open for "
            f"{format_percent_with_interval_or_dash(tension.open_until, 0)} "
            "of the decisions: the chance then falls below one in ten, "
            f"after decision {format_value_with_interval_or_dash(tension.losing_turn, 1)}."
        )


def iter_sentences_on_playing_together(report: Report) -> Iterator[str]:
    """Yield who carries whom in a team, and what it costs that each decides by what he sees."""
    if report.carrying is not None:
        made = report.carrying
        ranked = sorted(made.seats, key=lambda seat: -(seat.stronger.value or 0.0))
        alone = ", ".join(f"with {s.name} {format_percent_with_interval_or_dash(s.stronger)}" for s in ranked)
        style, others = describe_play_style_of_bot(made.strong), describe_play_style_of_bot(made.weak)
        next_best = max((seat.stronger.high or 1.0 for seat in ranked[1:]), default=1.0)
        carries = (ranked[0].stronger.low or 0.0) > next_best
        who = f"{ranked[0].name} carries the others" if carries else "No seat is seen to carry the others"
        yield f"{who}: if one alone plays {style} and the others {others}, they win {alone}."
    if report.shared is not None:
        yield from _iter_sentence_on_deciding_apart(report.best, report.shared, report.bench.is_for_score)


def _iter_sentence_on_deciding_apart(apart: BestPlay | None, shared: BestPlay, is_for_score: bool) -> Iterator[str]:
    """Yield what it costs that seats see different things; of a score, if both are known."""
    if is_for_score and (apart is None or apart.value is None or shared.value is None):
        return
    loss = compute_loss_of_deciding_apart(apart, shared)
    scale, unit = (1, "points of score") if is_for_score else (100, "percentage points")
    ends = [f"{scale * end:.{2 if is_for_score else 1}f}" for end in (loss.low, loss.high)]
    yield (
        "That each decides by what he sees, and not all by all that they see, costs the best play "
        f"{' to '.join(dict.fromkeys(ends))} {unit} ({_describe_as_proved_or_estimated(loss.is_proved)})."
    )


class SharingLoss(NamedTuple):
    """How much less a team wins because its seats see different things: between `low` and `high`."""

    low: float
    high: float
    is_proved: bool


def compute_loss_of_deciding_apart(apart: BestPlay | None, shared: BestPlay) -> SharingLoss:
    """Return how much less best play reaches if nothing is shared. Who shares reaches no less.

    >>> half, most = BestPlay(0.5, 0.5, 0.5, True), BestPlay(None, 0.6, 0.75, False, low_proved=True)
    >>> compute_loss_of_deciding_apart(half, most)
    SharingLoss(low=0.1, high=0.25, is_proved=False)
    """
    apart = apart or BestPlay(None, None, None, proved=False)
    shared_low, shared_high = shared.low or 0.0, 1.0 if shared.high is None else shared.high
    apart_low, apart_high = apart.low or 0.0, 1.0 if apart.high is None else apart.high
    needed = (
        apart.proved or apart.low_proved or not apart.low,
        apart.proved or apart.high_proved or apart.high is None,
        shared.proved or shared.low_proved or not shared.low,
        shared.proved or shared.high_proved or shared.high is None,
    )
    low, high = max(0.0, shared_low - apart_high), max(0.0, shared_high - apart_low)
    return SharingLoss(round(low, 9), round(high, 9), all(needed))


def _iter_sentences_on_greedy_bots_limits(report: Report) -> Iterator[str]:
    """Yield that the greedy bot judges a choice before chance answers it, and which choices these are."""
    if not any(rung.bot == "greedy" for rung in report.rungs):
        return
    names = [
        _PARAMETER.sub("…", action.text if isinstance(action.text, str) else action.text[0])
        for action in list_player_actions_before_chance(report.bench.variant.game)
    ]
    if names:
        named = ", ".join(f"“{name}”" for name in names[:_MOST_NAMED])
        more = f" and {len(names) - _MOST_NAMED} more" if names[_MOST_NAMED:] else ""
        yield (
            f"The careful player judges {named}{more} before chance answers: it does not weigh what chance may bring."
        )


class BotResult(NamedTuple):
    bot: str
    result_text: str


def list_shown_bots_with_result_texts(report: Report) -> list[BotResult]:
    """Return the rungs from weak to strong with what they reach: of several that search, that which thinks longest."""
    seat, scores = report.seats[0], report.bench.is_for_score
    made = []
    for rung in _list_last_rung_of_each_player_kind(report):
        if scores:
            made.append(BotResult(rung.bot, format_value_with_interval_or_dash(rung.returns)))
        elif rung.bot == report.bench.bots[0]:  # more games of it were played
            made.append(BotResult(rung.bot, format_percent_with_interval_or_dash(seat.exact or seat.wins)))
        else:
            made.append(BotResult(rung.bot, format_percent_with_interval_or_dash(rung.wins)))
    if not made:
        made.append(
            BotResult(
                report.bench.bots[0],
                format_value_with_interval_or_dash(seat.score)
                if scores
                else format_percent_with_interval_or_dash(seat.exact or seat.wins),
            )
        )
    return made


def _list_last_rung_of_each_player_kind(report: Report) -> list[LadderRung]:
    """Return the rung of each kind of player that a headline shows: of several, the one that thinks longest. To show
    the luckiest would put it above the best play there is."""
    return list({describe_kind_of_player_of_bot(rung.bot): rung for rung in report.rungs}.values())


def list_bots_by_kind_with_wins(report: Report) -> list[tuple[str, Estimate]]:
    """Return the chance to win of each kind of player, from weak to strong."""
    seat = report.seats[0]
    mine = report.bench.bots[0], seat.exact or seat.wins
    last = {
        describe_kind_of_player_of_bot(rung.bot): (rung.bot, rung.wins)
        for rung in _list_last_rung_of_each_player_kind(report)
    }
    if describe_kind_of_player_of_bot(mine[0]) in last or not last:
        last[describe_kind_of_player_of_bot(mine[0])] = mine
    return list(last.values())


_CERTAIN = 0.9995
"""A chance that is printed as 100.0 %: as a bound it says nothing."""


def format_best_play_phrase_or_empty(best: BestPlay | None, is_for_score: bool) -> str:
    """Return what nobody beats; "" if nothing is known."""
    if best is None:
        return ""

    def text(value: float) -> str:
        return f"{value:.2f}" if is_for_score else f"{100 * value:.1f} %"

    if best.value is not None:
        return f"at best {text(best.value)} ({'proved' if best.proved else 'exact'})"
    ends = []
    if best.low:
        ends.append(f"the best at least {text(best.low)} ({_describe_as_proved_or_estimated(best.low_proved)})")
    if best.high is not None and (is_for_score or best.high < _CERTAIN):
        ends.append(f"nobody more than {text(best.high)} ({_describe_as_proved_or_estimated(best.high_proved)})")
    return "; ".join(ends)


def format_best_play_for_table(best: BestPlay, is_for_score: bool) -> str:
    """Return what best play reaches, for a table."""
    unit, scale = ("", 1.0) if is_for_score else (" %", 100.0)
    if best.value is not None:
        return f"{scale * best.value:.2f}{unit} ({'proved' if best.proved else 'exact'})"
    high = best.high if best.high is not None and (is_for_score or best.high < _CERTAIN) else None
    sides = (("at least", best.low, best.low_proved), ("at most", high, best.high_proved))
    known = ", ".join(
        f"{side} {scale * end:.1f}{unit} ({_describe_as_proved_or_estimated(proved)})"
        for side, end, proved in sides
        if end is not None
    )
    return known or "not known"


def _describe_as_proved_or_estimated(is_proved: bool) -> str:
    return "proved" if is_proved else "estimated"


def describe_whether_thinking_pays(report: Report) -> str:
    """Return whether thinking pays, by the rungs of the ladder."""
    if len(report.rungs) < 2:
        return "who thinks more was not tried."
    seat = report.seats[0]
    weak = (seat.exact or seat.wins) if report.rungs[0].bot == report.bench.bots[0] else report.rungs[0].wins
    clear = [rung for rung in report.rungs[1:] if (rung.wins.low or 0.0) > (weak.high or 0.0)]
    shown = [rung for rung in clear if rung in _list_last_rung_of_each_player_kind(report)]
    if clear and not shown:
        kind = describe_kind_of_player_of_bot(clear[-1].bot)
        return f"{kind} wins more often than {describe_kind_of_player_of_bot(report.rungs[0].bot)}, so choices matter."
    if shown:
        strong = max(shown, key=lambda rung: rung.wins.value or 0.0)
        times = (strong.wins.value or 0.0) / max(weak.value or 0.0, 1e-9)
        much = f"{times:.1f} times as often" if times < 20 else "where chance hardly ever does"
        than = "" if times >= 20 else f" as {describe_kind_of_player_of_bot(report.rungs[0].bot)}"
        return f"{describe_kind_of_player_of_bot(strong.bot)} wins {much}{than}, so choices matter."
    if worse := [rung for rung in report.rungs[1:] if (rung.wins.high or 0.0) < (weak.low or 0.0)]:
        less = describe_kind_of_player_of_bot(min(worse, key=lambda rung: rung.wins.value or 0.0).bot)
        chance = describe_kind_of_player_of_bot(report.rungs[0].bot)
        return f"{less} wins clearly less often than {chance}, so what it looks at misleads it."
    return "no bot wins clearly more than another, so choices hardly matter or are hard to see."


def _format_card_effect_with_condition(worth: CardWorth, report: Report) -> str:
    what = "with it in hand, not without it" if worth.held else "if it may be used"
    if worth.held and report.is_solo:
        what = "if it comes first, and not last or never"
    return (
        f"{format_points_with_interval_or_dash(worth.effect_of_holding_or_using, report.bench.is_for_score)} "
        f"{get_unit_text_of_card_worth(report)} {what}"
    )


def get_unit_text_of_card_worth(report: Report) -> str:
    """Return what the worth of a card is counted in."""
    return "points of score" if report.bench.is_for_score else "percentage points of wins"


def iter_sentences_on_who_wins_most(report: Report) -> Iterator[str]:
    """Yield who wins most, and what it is worth to begin: for sides against each other."""
    sides = report.bench.variant.game.sides
    teams = [_merge_team_into_one_seat_result(report, side) for side in sides]
    first, second = sorted(teams, key=lambda seat: -_get_win_share_of_seat(seat))[:2]
    if first.exact:
        apart = _get_win_share_of_seat(first) > _get_win_share_of_seat(second) + _ROUNDING
    else:
        apart = (first.wins.low or 0.0) > (second.wins.high or 1.0)
    win, kind = ("win", "team") if len(sides) < len(report.seats) else ("wins", "seat")
    win = "wins" if any(first.name == seat.name for seat in report.seats) else win
    lead = f"{first.name} {win} most:" if apart else f"No {kind} stands out: {first.name} {win}"
    yield (
        f"{lead} {format_percent_with_interval_or_dash(first.exact or first.wins)}; ties are "
        f"{format_percent_with_interval_or_dash(report.ties)}."
    )
    if report.starter is not None:
        cause = "which chance does not explain" if report.starter.excludes_zero else "which chance may explain"
        yield (
            f"Who begins has {format_points_with_interval_or_dash(report.starter)} percentage points more "
            f"than a fair share, {cause}."
        )


def _merge_team_into_one_seat_result(report: Report, seats_of_team: Sequence[int]) -> SeatResult:
    """Return the seats of a team, which win and lose together, as one seat with all their names."""
    first = report.seats[seats_of_team[0]]
    return replace(first, name=" and ".join(report.seats[seat].name for seat in sorted(seats_of_team)))


def _get_win_share_of_seat(seat: SeatResult) -> float:
    return (seat.exact or seat.wins).value or 0.0


def _iter_luck_and_depth_sentences(report: Report) -> Iterator[str]:
    index = report.leverage.index
    if index.value is not None:
        more = "choices decide more" if index.value > 0 else "chance decides more"
        weight = more if index.excludes_zero else "neither choices nor chance clearly decide more"
        value = format_value_with_interval_or_dash(index)
        yield f"Between random players {weight}: S = {value}, where -1 is all luck and 1 is all choice."
    higher = [rung for rung in report.rungs if rung.is_interval_above_fair_share]
    if higher:
        yield (
            f"More thought still pays at the rung {higher[-1].bot}: "
            f"it takes {format_percent_with_interval_or_dash(higher[-1].wins)} of the games."
        )


def _format_count_with_noun(count: int, singular: str, plural: str) -> str:
    return f"1 {singular}" if count == 1 else f"{count} {plural}"
