"""A report as a document: sections of sentences, tables, charts and cards. A page, a sheet of paper and a Markdown file
set the same document."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playproof.database.errors import format_game_reference_for_people
from playproof.lab import charts, phrases
from playproof.lab.report import Report
from playproof.lab.report_blocks import (
    Block,
    DataTable,
    ReportDocument,
    ReportParagraph,
    Section,
    Subtitle,
    TableCell,
    build_cell_of_estimate,
    build_note_paragraph,
    build_table_of_means,
    build_text_cells,
    format_number_range,
)
from playproof.lab.report_cards import (
    iter_card_worth_blocks,
    iter_dead_option_blocks,
    iter_restricted_play_blocks,
)


def build_report_document(report: Report) -> ReportDocument:
    """Return a report as a document."""
    variant = report.bench.variant
    chosen = [f"{name}: {value}" for name, value in {**variant.options, **variant.rulings}.items()]
    facts = [f"{report.games:,} games", f"bots: {', '.join(report.bench.bots)}", f"seed {report.bench.seed}", *chosen]
    parts: dict[str, Callable[[Report], Iterator[Block]]] = {
        **({"How hard it is": _iter_bot_ladder_blocks} if report.is_solo else {"Seats": _iter_seat_result_blocks}),
        **({"Together": _iter_blocks_on_playing_together} if report.is_solo else {}),
        "Endings": _iter_ending_blocks,
        "Length and choice": _iter_length_and_choice_blocks,
        **(
            {"Where it is decided": _iter_decision_point_blocks_of_solo_game}
            if report.is_solo
            else {"Tension": _iter_tension_blocks}
        ),
        "Luck and choice": _iter_luck_and_skill_blocks,
        "Cards": iter_card_worth_blocks,
        "Restricted play": iter_restricted_play_blocks,
        "Dead options": iter_dead_option_blocks,
        **({} if report.is_solo else {"Depth: a ladder of bots": _iter_bot_ladder_blocks}),
        "Games of people": _iter_blocks_on_games_of_people,
        "How this was measured": _iter_method_blocks,
    }
    made = [Section(title, tuple(write(report))) for title, write in parts.items()]
    sections = tuple(section for section in made if section.blocks)
    return ReportDocument(
        f"{variant.title}: playtest report",
        tuple(facts),
        tuple(phrases.iter_summary_sentences_of_report(report)),
        sections,
    )


def _iter_seat_result_blocks(report: Report) -> Iterator[Block]:
    if report.bench.is_for_score:
        rows = [
            (
                *build_text_cells(seat.name, seat.bot),
                build_cell_of_estimate(phrases.format_value_with_interval_or_dash, seat.score),
            )
            for seat in report.seats
        ]
        yield DataTable(("seat", "bot", "mean score"), tuple(rows))
        return
    exact = any(seat.exact for seat in report.seats)
    rows = [
        (
            *build_text_cells(seat.name, seat.bot),
            build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, seat.wins),
            *(build_text_cells(phrases.format_percent_with_interval_or_dash(seat.exact, 2)) if exact else ()),
            build_cell_of_estimate(phrases.format_value_with_interval_or_dash, seat.score),
        )
        for seat in report.seats
    ]
    yield DataTable(("seat", "bot", "wins", *(["exactly"] if exact else []), "mean return"), tuple(rows))
    text = [
        TableCell("Ties: "),
        build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, report.ties),
        TableCell("."),
    ]
    if report.starter is not None:
        text += [
            TableCell(" Who begins wins "),
            build_cell_of_estimate(phrases.format_points_with_interval_or_dash, report.starter),
        ]
        text.append(TableCell(" points more than a fair share."))
    yield ReportParagraph(tuple(text))


def _iter_ending_blocks(report: Report) -> Iterator[Block]:
    exact = any(end.exact for end in report.endings)
    shares = {end.reason: end.share.value for end in report.endings if end.share.value}
    if len(shares) > 1:
        yield charts.draw_bar_chart_with_shares(shares, total=1.0)
    rows = [
        (
            *build_text_cells(end.reason, end.kind),
            build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, end.share, 2),
            *(build_text_cells(phrases.format_percent_with_interval_or_dash(end.exact, 2)) if exact else ()),
        )
        for end in report.endings
    ]
    yield DataTable(("ending", "kind", "share of games", *(["exactly"] if exact else [])), tuple(rows))


def _iter_length_and_choice_blocks(report: Report) -> Iterator[Block]:
    yield ReportParagraph(
        (
            build_cell_of_estimate(phrases.format_value_with_interval_or_dash, report.decisions, 1),
            TableCell(" decisions per game. "),
            build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, report.forced),
            TableCell(" of them are forced. Where there is a choice, a player has "),
            build_cell_of_estimate(phrases.format_value_with_interval_or_dash, report.branching),
            TableCell(" actions."),
        )
    )
    columns = [(format_number_range(low, high), float(games)) for low, high, games in report.lengths]
    if len(columns) > 1:
        yield charts.draw_histogram(columns)
    heads = ("per game", "least", "5 %", "25 %", "median", "75 %", "95 %", "most")
    quantiles = [(name, values) for name, values in report.quantiles.items() if any(values)]
    yield DataTable(heads, tuple(build_text_cells(name, *map(str, values)) for name, values in quantiles))


def _iter_tension_blocks(report: Report) -> Iterator[Block]:
    if report.bench.is_for_score:
        yield build_note_paragraph(
            "Tension, luck and choice are about who wins. Here nobody can: one side plays for a score."
        )
        return
    tension = report.tension
    rows = (
        (
            "Lead changes",
            phrases.format_value_with_interval_or_dash,
            tension.lead_changes,
            "how often the lead passes to another side",
        ),
        (
            "Drama",
            phrases.format_value_with_interval_or_dash,
            tension.drama,
            "how far behind the later winner was while behind (0 to 1)",
        ),
        (
            "Comeback",
            phrases.format_percent_with_interval_or_dash,
            tension.comeback,
            "the least chance that the later winner had",
        ),
        (
            "Decided after",
            phrases.format_percent_with_interval_or_dash,
            tension.decided,
            "of the decisions, the winner stays above 90 %",
        ),
        (
            "Runaway",
            phrases.format_percent_with_interval_or_dash,
            tension.runaway,
            "how often a side that leads at half time wins",
        ),
    )
    yield build_table_of_means(rows)
    yield Subtitle("How open the game is")
    yield build_note_paragraph("One less the distance between the first two sides.")
    yield charts.draw_curve_over_game(tension.openness)
    yield build_note_paragraph(
        f"From {tension.games:,} games, with {tension.playouts} random games from each position, all cards open. A "
        "lead counts if these games tell it apart from a tie. Drama and comeback are as these random games see them; "
        "fewer of them make both look greater."
    )


def _iter_decision_point_blocks_of_solo_game(report: Report) -> Iterator[Block]:
    """Where a game against nobody is decided."""
    tension = report.tension
    if report.bench.is_for_score:
        yield build_note_paragraph(
            "Where a game is decided is about winning. Here nobody can: the player plays for a score."
        )
        return
    rows = (
        (
            "Open until",
            phrases.format_percent_with_interval_or_dash,
            tension.open_until,
            "of the decisions of a lost game; then less than 1 in 10 wins",
        ),
        (
            "First losing turn",
            phrases.format_value_with_interval_or_dash,
            tension.losing_turn,
            "the decision after which that is so",
        ),
        (
            "Narrow escape",
            phrases.format_percent_with_interval_or_dash,
            tension.comeback,
            "the least chance on the way to a win",
        ),
        (
            "Decided after",
            phrases.format_percent_with_interval_or_dash,
            tension.decided,
            "of the decisions: the outcome stays above 90 % sure",
        ),
    )
    yield build_table_of_means(rows)
    if tension.fading:
        yield Subtitle("The chance to win in lost games")
        yield charts.draw_curve_over_game(tension.fading)
    yield build_note_paragraph(
        f"From {tension.games:,} games of {report.bench.players_text}, with {tension.playouts} random games from each "
        "position. Players who think find chances where random games find none."
    )


def _iter_luck_and_skill_blocks(report: Report) -> Iterator[Block]:
    if report.bench.is_for_score:
        return
    leverage, law = report.leverage, report.law
    if leverage.index.value is None:
        yield build_note_paragraph("Players at random win too seldom, or too often, to tell luck from choice.")
    else:
        yield ReportParagraph(
            (TableCell("S = "), build_cell_of_estimate(phrases.format_value_with_interval_or_dash, leverage.index))
        )
        yield charts.draw_value_on_scale_with_words(leverage.index, "all luck", "all choice")
    exact = [f"{law.skill:.4f}", f"{law.luck:.4f}"] if law else []
    rows = (
        (
            TableCell("choices (K)"),
            build_cell_of_estimate(phrases.format_value_with_interval_or_dash, leverage.skill, 3),
            *build_text_cells(*exact[:1]),
        ),
        (
            TableCell("chance (L)"),
            build_cell_of_estimate(phrases.format_value_with_interval_or_dash, leverage.luck, 3),
            *build_text_cells(*exact[1:]),
        ),
    )
    yield DataTable(("part of the variance", "", *(["exactly"] if law else [])), rows)
    yield build_note_paragraph(
        "Between random players. K and L are the parts of the variance of who wins that fall at players' choices and "
        "at chance; S = (K − L) / (K + L)."
    )


# -- depth and method -----------------------------------------------------------------------------------------------


def _iter_blocks_on_playing_together(report: Report) -> Iterator[Block]:
    """Who carries whom, and what it costs that each decides by what he sees: for a team against nobody."""
    for sentence in phrases.iter_sentences_on_playing_together(report):
        yield ReportParagraph((TableCell(sentence),))
    made = report.carrying
    if made is None:
        if len(report.seats) > 1 and report.rungs and not report.bench.is_for_score:
            yield build_note_paragraph(
                "Who carries whom is not told: no bot of the ladder wins clearly more than another. More games of "
                "each are played with --ladder-games."
            )
        return
    show = phrases.format_percent_with_interval_or_dash
    rows = [build_text_cells(f"all play as {made.weak}", show(made.all_weak), "")]
    rows += [build_text_cells(seat.name, show(seat.stronger), show(seat.weaker)) for seat in made.seats]
    rows.append(build_text_cells(f"all play as {made.strong}", "", show(made.all_strong)))
    heads = ("seat", f"it alone plays as {made.strong}", f"it alone plays as {made.weak}")
    yield DataTable(heads, tuple(rows))
    yield build_note_paragraph(
        "How often they win together. Who plays better alone carries the others as far as the first column says; whom "
        "the others carry, the second."
    )


def _iter_bot_ladder_blocks(report: Report) -> Iterator[Block]:
    if report.is_solo:
        yield from _iter_bot_ladder_blocks_of_solo_game(report)
        return
    if not report.rungs:
        return
    if report.bench.is_for_score:
        scores = [
            build_text_cells(
                rung.bot, phrases.format_value_with_interval_or_dash(rung.returns), str(rung.returns.games)
            )
            for rung in report.rungs
        ]
        yield DataTable(("bot", "mean score", "games"), tuple(scores))
        yield from _iter_notes_on_stopped_games(report)
        return
    rows = [
        build_text_cells(
            rung.bot,
            rung.against or "alone",
            phrases.format_percent_with_interval_or_dash(rung.wins),
            "" if rung.fair is None else f"{100 * rung.fair:.0f} %",
            phrases.format_value_with_interval_or_dash(rung.returns),
            {True: "stronger", False: "not told apart", None: ""}[rung.is_interval_above_fair_share],
            str(rung.wins.games),
        )
        for rung in report.rungs
    ]
    yield DataTable(("bot", "against", "share of games", "fair", "mean return", "", "games"), tuple(rows))
    seats = report.bench.variant.game.players
    top = report.rungs[-1]
    team = report.bench.variant.game.get_team_of_seat(0)
    bots = ",".join(top.bot if seat in team else top.against or top.bot for seat in range(seats))
    yield build_note_paragraph(
        "Each seat as often; a tie is shared. "
        f"To see a game of the last rung: {format_command_that_replays_game(report, bots, '0')}"
    )
    yield from _iter_notes_on_stopped_games(report)


def _iter_notes_on_stopped_games(report: Report) -> Iterator[Block]:
    """Say of how many games of the ladder no end was seen."""
    for rung in report.rungs:
        if rung.stopped:
            yield build_note_paragraph(
                f"{rung.stopped:,} of the games of {rung.bot} had not ended after {rung.longest:,} steps and were "
                f"stopped; {'they count as ties' if rung.against else 'nobody wins them'}."
            )


def _iter_bot_ladder_blocks_of_solo_game(report: Report) -> Iterator[Block]:
    """Who plays by chance, with care, by search, and as well as can be."""
    scores, seat = report.bench.is_for_score, report.seats[0]
    rungs = [rung for rung in report.rungs if rung.bot != report.bench.bots[0]]
    mine = seat.score if scores else (seat.exact or seat.wins)
    words = phrases.format_value_with_interval_or_dash if scores else phrases.format_percent_with_interval_or_dash
    rows = [
        (
            *build_text_cells(phrases.describe_kind_of_player_of_bot(seat.bot), seat.bot),
            build_cell_of_estimate(words, mine),
            *build_text_cells(f"{report.games:,}"),
        )
    ]
    rows += [
        build_text_cells(
            phrases.describe_kind_of_player_of_bot(rung.bot),
            rung.bot,
            words(rung.returns if scores else rung.wins),
            str(rung.wins.games),
        )
        for rung in rungs
    ]
    order = [rung.bot for rung in report.rungs]
    rows.sort(key=lambda row: order.index(row[1].text) if row[1].text in order else -1)
    best = report.best
    if best is not None:
        rows.append(
            build_text_cells("best play", "all there are", phrases.format_best_play_for_table(best, scores), "")
        )
    yield DataTable(("player", "bot", "mean score" if scores else "wins", "games"), tuple(rows))
    if best is not None and best.words and best.value is None:
        yield build_note_paragraph(f"Best play: {best.words}.")
    if report.rungs:
        bots = ",".join(report.rungs[-1].bot for _ in report.seats)
        yield build_note_paragraph(
            f"To see a game of the strongest player: {format_command_that_replays_game(report, bots, '0')}"
        )
    yield from _iter_notes_on_stopped_games(report)


def _iter_blocks_on_games_of_people(report: Report) -> Iterator[Block]:
    people = report.people
    if people is None:
        return
    yield ReportParagraph(
        build_text_cells(
            f"{people.games} games, {people.finished} of them finished. These players are "
            f"{people.describe_which_bots_people_beat()}."
        )
    )
    figures = {
        **(
            {
                f"score of {name}": phrases.format_value_with_interval_or_dash(score)
                for name, score in people.scores.items()
            }
            if report.bench.is_for_score
            else {
                f"wins of {name}": phrases.format_percent_with_interval_or_dash(wins)
                for name, wins in people.wins.items()
            }
        ),
        "decisions": phrases.format_value_with_interval_or_dash(people.decisions, 1),
        "minutes": phrases.format_value_with_interval_or_dash(people.minutes, 1),
        **{
            f"survey: {question}": phrases.format_value_with_interval_or_dash(mean)
            for question, mean in people.survey.items()
        },
        **{f"games with {n}: {w}": str(c) for n, counts in people.tags.items() for w, c in counts.items()},
    }
    yield DataTable(("", "mean per game"), tuple(build_text_cells(*row) for row in figures.items()))
    if people.thinking:
        yield Subtitle("How long people think")
        each = [
            build_text_cells(t.of, f"{t.median:.1f} s", f"{t.most:.1f} s", str(t.decisions)) for t in people.thinking
        ]
        yield DataTable(("", "median", "nine of ten at most", "decisions"), tuple(each))
    yield Subtitle("What players give away per decision")
    rows = [("people", people.given, ""), *((s.bot, s.given, s.people) for s in people.standings)]
    words = {"better": "people give away less", "worse": "people give away more", "alike": "not told apart", "": ""}
    cells = tuple(
        build_text_cells(name, phrases.format_percent_with_interval_or_dash(loss), words[verdict])
        for name, loss, verdict in rows
    )
    yield DataTable(("who", "per cent of the range of returns", ""), cells)
    yield build_note_paragraph(
        "At each decision a search says what each choice is worth; the rest to the best one is given away. The search "
        "errs, but alike for everybody. Each bot plays against itself."
    )


def _iter_method_blocks(report: Report) -> Iterator[Block]:
    yield ReportParagraph(
        build_text_cells(
            "Intervals are 95 %: Wilson for shares, Student for means, Agresti and Min for pairs. Exact values come "
            "from all positions and hold for random players. Every game has its own seed; this plays game N again: "
            f"{format_command_that_replays_game(report, ','.join(report.bench.bots), 'N')}. "
            "What bots do says little about people who play better, or for other reasons."
        )
    )


def format_command_that_replays_game(report: Report, bots: str, game_number: str) -> str:
    """Return the command that plays a game again."""
    variant = report.bench.variant
    chosen = [f"--option {name}={value}" for name, value in variant.options.items()]
    chosen += [f"--ruling {name}={value}" for name, value in variant.rulings.items()]
    words = ["playproof simulate", format_game_reference_for_people(variant.ref), *chosen, f"--bot {bots}"]
    return " ".join([*words, f"--seed {report.bench.seed} --replay {game_number}"])
