"""A report as a document: sections of sentences, tables, charts and cards. A page, a sheet of paper and a Markdown file
set the same document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playproof.database.errors import format_game_reference_for_people
from playproof.generator.scene import Face
from playproof.lab import charts, phrases
from playproof.lab.card_worth import CardWorth
from playproof.lab.estimates import Estimate
from playproof.lab.report import Report

_MOST_CHOICES = 40


@dataclass(frozen=True, slots=True)
class TableCell:
    """A few words. `game` is the number of a game that shows them; `chart` stands in their place."""

    text: str = ""
    game: int | None = None
    chart: Face | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class ReportParagraph:
    """A paragraph. A note says how to read the figures beside it."""

    parts: tuple[TableCell, ...]
    note: bool = False


@dataclass(frozen=True, slots=True)
class Subtitle:
    """A title inside a section."""

    text: str


@dataclass(frozen=True, slots=True)
class TextList:
    """A list of short texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: a row of heads, and rows of cells."""

    heads: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True)
class LabelledCard:
    """A card's printed face, by the word for the card and its component, with a label over the lower edge."""

    word: str
    component: str | None
    label: Face
    game: int | None


@dataclass(frozen=True, slots=True)
class LabelledCardRow:
    """Cards beside each other. Those without a printed face are left out: a table has them too."""

    cards: tuple[LabelledCard, ...]


Block: TypeAlias = ReportParagraph | Subtitle | TextList | DataTable | Face | LabelledCardRow


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under its title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A whole report: its title, what was played, the findings in sentences, and the sections."""

    title: str
    facts: tuple[str, ...]
    summary: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def iter_cards(self) -> Iterator[LabelledCard]:
        """The cards whose faces it shows."""
        for section in self.sections:
            for block in section.blocks:
                yield from block.cards if isinstance(block, LabelledCardRow) else ()


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
        "Cards": _iter_card_worth_blocks,
        "Restricted play": _iter_restricted_play_blocks,
        "Dead options": _iter_dead_option_blocks,
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


def _build_cell_of_estimate(
    format_estimate: Callable[..., str], estimate: Estimate | None, *format_arguments: int
) -> TableCell:
    """Return the words for an estimate, with its game."""
    if estimate is None or estimate.value is None:
        return TableCell(format_estimate(estimate, *format_arguments))
    return TableCell(format_estimate(estimate, *format_arguments), estimate.game)


def _build_cell_of_points(estimate: Estimate | None, for_score: bool) -> TableCell:
    return _build_cell_of_estimate(phrases.format_points_with_interval_or_dash, estimate, for_score)


def _build_cell_of_effect_chart(worth: CardWorth, axis_limit: float) -> TableCell:
    effect = worth.effect_of_holding_or_using
    return TableCell(chart=charts.draw_effect_with_interval(effect, axis_limit, significant=worth.counts))


def _build_table_of_means(rows: Iterable[tuple[str, Callable[..., str], Estimate, str]]) -> DataTable:
    """Return a table of figures, each with its mean per game and what it says."""
    cells = (
        (TableCell(title), _build_cell_of_estimate(format_estimate, estimate), TableCell(meaning))
        for title, format_estimate, estimate, meaning in rows
    )
    return DataTable(("", "mean per game", ""), tuple(cells))


def _build_row_of_labelled_cards(cards: Sequence[CardWorth], axis_limit: float, for_score: bool) -> LabelledCardRow:
    """Return printed cards with what each is worth."""
    labels = ((worth, draw_card_label_of_worth(worth, axis_limit, for_score)) for worth in cards)
    return LabelledCardRow(
        tuple(
            LabelledCard(worth.word, worth.component, label, worth.effect_of_holding_or_using.game)
            for worth, label in labels
        )
    )


def _build_text_cells(*texts: str) -> tuple[TableCell, ...]:
    return tuple(TableCell(text) for text in texts)


def _build_note_paragraph(text: str) -> ReportParagraph:
    return ReportParagraph((TableCell(text),), note=True)


def _iter_seat_result_blocks(report: Report) -> Iterator[Block]:
    if report.bench.is_for_score:
        rows = [
            (
                *_build_text_cells(seat.name, seat.bot),
                _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, seat.score),
            )
            for seat in report.seats
        ]
        yield DataTable(("seat", "bot", "mean score"), tuple(rows))
        return
    exact = any(seat.exact for seat in report.seats)
    rows = [
        (
            *_build_text_cells(seat.name, seat.bot),
            _build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, seat.wins),
            *(_build_text_cells(phrases.format_percent_with_interval_or_dash(seat.exact, 2)) if exact else ()),
            _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, seat.score),
        )
        for seat in report.seats
    ]
    yield DataTable(("seat", "bot", "wins", *(["exactly"] if exact else []), "mean return"), tuple(rows))
    text = [
        TableCell("Ties: "),
        _build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, report.ties),
        TableCell("."),
    ]
    if report.starter is not None:
        text += [
            TableCell(" Who begins wins "),
            _build_cell_of_estimate(phrases.format_points_with_interval_or_dash, report.starter),
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
            *_build_text_cells(end.reason, end.kind),
            _build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, end.share, 2),
            *(_build_text_cells(phrases.format_percent_with_interval_or_dash(end.exact, 2)) if exact else ()),
        )
        for end in report.endings
    ]
    yield DataTable(("ending", "kind", "share of games", *(["exactly"] if exact else [])), tuple(rows))


def _iter_length_and_choice_blocks(report: Report) -> Iterator[Block]:
    yield ReportParagraph(
        (
            _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, report.decisions, 1),
            TableCell(" decisions per game. "),
            _build_cell_of_estimate(phrases.format_percent_with_interval_or_dash, report.forced),
            TableCell(" of them are forced. Where there is a choice, a player has "),
            _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, report.branching),
            TableCell(" actions."),
        )
    )
    columns = [(_format_number_range(low, high), float(games)) for low, high, games in report.lengths]
    if len(columns) > 1:
        yield charts.draw_histogram(columns)
    heads = ("per game", "least", "5 %", "25 %", "median", "75 %", "95 %", "most")
    quantiles = [(name, values) for name, values in report.quantiles.items() if any(values)]
    yield DataTable(heads, tuple(_build_text_cells(name, *map(str, values)) for name, values in quantiles))


def _iter_tension_blocks(report: Report) -> Iterator[Block]:
    if report.bench.is_for_score:
        yield _build_note_paragraph(
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
    yield _build_table_of_means(rows)
    yield Subtitle("How open the game is")
    yield _build_note_paragraph("One less the distance between the first two sides.")
    yield charts.draw_curve_over_game(tension.openness)
    yield _build_note_paragraph(
        f"From {tension.games:,} games, with {tension.playouts} random games from each position, all cards open. A "
        "lead counts if these games tell it apart from a tie. Drama and comeback are as these random games see them; "
        "fewer of them make both look greater."
    )


def _iter_decision_point_blocks_of_solo_game(report: Report) -> Iterator[Block]:
    """Where a game against nobody is decided."""
    tension = report.tension
    if report.bench.is_for_score:
        yield _build_note_paragraph(
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
    yield _build_table_of_means(rows)
    if tension.fading:
        yield Subtitle("The chance to win in lost games")
        yield charts.draw_curve_over_game(tension.fading)
    yield _build_note_paragraph(
        f"From {tension.games:,} games of {report.bench.players_text}, with {tension.playouts} random games from each "
        "position. Players who think find chances where random games find none."
    )


def _iter_luck_and_skill_blocks(report: Report) -> Iterator[Block]:
    if report.bench.is_for_score:
        return
    leverage, law = report.leverage, report.law
    if leverage.index.value is None:
        yield _build_note_paragraph("Players at random win too seldom, or too often, to tell luck from choice.")
    else:
        yield ReportParagraph(
            (TableCell("S = "), _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, leverage.index))
        )
        yield charts.draw_value_on_scale_with_words(leverage.index, "all luck", "all choice")
    exact = [f"{law.skill:.4f}", f"{law.luck:.4f}"] if law else []
    rows = (
        (
            TableCell("choices (K)"),
            _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, leverage.skill, 3),
            *_build_text_cells(*exact[:1]),
        ),
        (
            TableCell("chance (L)"),
            _build_cell_of_estimate(phrases.format_value_with_interval_or_dash, leverage.luck, 3),
            *_build_text_cells(*exact[1:]),
        ),
    )
    yield DataTable(("part of the variance", "", *(["exactly"] if law else [])), rows)
    yield _build_note_paragraph(
        "Between random players. K and L are the parts of the variance of who wins that fall at players' choices and "
        "at chance; S = (K − L) / (K + L)."
    )


# -- cards and choices --------------------------------------------------------------------------------------------


def _iter_card_worth_blocks(report: Report) -> Iterator[Block]:
    cards, scores = report.cards, report.bench.is_for_score
    if not cards:
        yield _build_note_paragraph(_explain_why_no_card_is_measured(report))
        return
    if report.is_solo:
        yield from _iter_card_worth_blocks_of_solo_game(report)
        return
    verb = "scored" if scores else "won"
    yield _build_note_paragraph(
        f"Each pair of games has one seed and the same bots ({report.bench.players_text}). "
        "One seat has the card as soon as chance can bring it, or chance keeps it away; "
        "or the seat never uses it while it has another choice. "
        f"{report.plan.pairs:,} pairs per card; {phrases.get_unit_text_of_card_worth(report)} of that seat. "
        f"Coloured cards count: at most 5 % of them are expected to be chance (Benjamini and Hochberg). "
        f"“{verb.title()} when held” compares seats that held the card with seats that did not. "
        "It is no cause: a card that stays in hand when a game goes badly looks weak."
    )
    reach = compute_largest_interval_end(cards)
    yield _build_row_of_labelled_cards(cards, reach, scores)
    held = any(w.association and w.association.value is not None for w in cards)
    heads = ("card", "", "in hand, not kept out", "may use it, not never", "chance of it")
    rows = [
        (
            TableCell(worth.name, strong=True),
            _build_cell_of_effect_chart(worth, reach),
            _build_cell_of_points(worth.held, scores),
            _build_cell_of_points(worth.used, scores),
            TableCell(_format_probability(worth.chance)),
            *((_build_cell_of_points(worth.association, scores),) if held else ()),
        )
        for worth in cards
    ]
    yield DataTable((*heads, *([f"{verb} when held (no cause)"] if held else [])), tuple(rows))


def _explain_why_no_card_is_measured(report: Report) -> str:
    """Return why no card is measured, and what to write."""
    if not any(phase.chance for phase in report.bench.variant.game.phases):
        return "Chance does nothing in this game, so no card comes and none is measured."
    if not report.dealt:
        return (
            "No card is known. A card is what chance takes from a zone, or a component: write the deck as a Bag or a "
            "Deck and deal with its draw(), or name the parameter's values after components (labels=)."
        )
    return (
        f"Chance deals {report.dealt} cards, but to deal another changed no game: each comes where it must, or plays "
        "the same."
    )


def _iter_card_worth_blocks_of_solo_game(report: Report) -> Iterator[Block]:
    """The worth of cards that come to whoever plays alone, or together: first, as they fall, last."""
    cards, scores = report.cards, report.bench.is_for_score
    yield _build_note_paragraph(
        f"Each pair of games has one seed and the same bots ({report.bench.players_text}). "
        "A card comes as soon as chance can bring it; or as the cards fall; "
        "or it is kept away as long as another can come, so that it comes last or never. "
        f"{report.plan.pairs:,} pairs per card; {phrases.get_unit_text_of_card_worth(report)}. "
        "Coloured cards count: at most 5 % of them are expected to be chance (Benjamini and Hochberg). "
        "A card stands apart if its interval lies off that of the mean of the others, "
        f"both widened for {len(cards)} looks (Bonferroni)."
    )
    reach = compute_largest_interval_end(cards)
    yield _build_row_of_labelled_cards(cards, reach, scores)
    used = any(worth.used for worth in cards)
    heads = ("card", "", "first, not last or never", "first, not as they fall", "as they fall, not last or never")
    rows = [
        (
            TableCell(worth.name, strong=True),
            _build_cell_of_effect_chart(worth, reach),
            _build_cell_of_points(worth.held, scores),
            _build_cell_of_points(worth.early, scores),
            _build_cell_of_points(worth.late, scores),
            *((_build_cell_of_points(worth.used, scores),) if used else ()),
            TableCell({1: "too strong?", -1: "too weak?", 0: ""}[worth.apart]),
        )
        for worth in cards
    ]
    yield DataTable((*heads, *(["may use it, not never"] if used else []), "apart from the others"), tuple(rows))


def draw_card_label_of_worth(
    worth: CardWorth, axis_limit: float, for_score: bool, *, with_association: bool = True
) -> Face:
    """Return what a card is worth, to lie on its printed face; with the association, which is no cause, in a second
    line, which covers more of the face."""
    effect, held = worth.effect_of_holding_or_using, worth.association
    below = ""
    if with_association and held is not None and held.value is not None:
        difference = phrases.format_signed_points_or_score_or_empty(held.value, for_score)
        below = f"{'scored' if for_score else 'won'} when held {difference} (no cause)"
    return charts.draw_card_worth_label(
        phrases.format_signed_points_or_score_or_empty(effect.value or 0.0, for_score),
        effect,
        axis_limit,
        below,
        significant=worth.counts,
    )


def _iter_restricted_play_blocks(report: Report) -> Iterator[Block]:
    choices = report.choices
    if not choices:
        return
    who = (
        "is lost by never taking this while there" if report.is_solo else "a seat loses if it never takes this while it"
    )
    yield _build_note_paragraph(
        f"What {who} {'is' if report.is_solo else 'has'} another choice. "
        "Below zero: these players do better without it."
    )
    listed = choices if len(choices) <= _MOST_CHOICES else _select_first_and_last_choices(choices)
    reach = compute_largest_interval_end(choices)
    rows = [
        (
            TableCell(phrases.format_kind_of_action(worth.name)),
            _build_cell_of_effect_chart(worth, reach),
            _build_cell_of_points(worth.used, report.bench.is_for_score),
            TableCell(_format_probability(worth.chance)),
        )
        for worth in listed
    ]
    yield DataTable(("never", "", "worth in points", "chance of it"), tuple(rows))
    if len(choices) > len(listed):
        yield _build_note_paragraph(f"{len(choices) - len(listed)} more lie between; the JSON has them all.")


def _iter_dead_option_blocks(report: Report) -> Iterator[Block]:
    for title, names in (
        (f"Legal, and never chosen in {report.games:,} games", report.never),
        ("Never legal", report.unmet),
    ):
        if names:
            yield Subtitle(title)
            yield TextList(tuple(names))


# -- depth and method -----------------------------------------------------------------------------------------------


def _iter_blocks_on_playing_together(report: Report) -> Iterator[Block]:
    """Who carries whom, and what it costs that each decides by what he sees: for a team against nobody."""
    for sentence in phrases.iter_sentences_on_playing_together(report):
        yield ReportParagraph((TableCell(sentence),))
    made = report.carrying
    if made is None:
        if len(report.seats) > 1 and report.rungs and not report.bench.is_for_score:
            yield _build_note_paragraph(
                "Who carries whom is not told: no bot of the ladder wins clearly more than another. `--ladder-games` "
                "plays more games of each."
            )
        return
    show = phrases.format_percent_with_interval_or_dash
    rows = [_build_text_cells(f"all play as {made.weak}", show(made.all_weak), "")]
    rows += [_build_text_cells(seat.name, show(seat.stronger), show(seat.weaker)) for seat in made.seats]
    rows.append(_build_text_cells(f"all play as {made.strong}", "", show(made.all_strong)))
    heads = ("seat", f"it alone plays as {made.strong}", f"it alone plays as {made.weak}")
    yield DataTable(heads, tuple(rows))
    yield _build_note_paragraph(
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
            _build_text_cells(
                rung.bot, phrases.format_value_with_interval_or_dash(rung.returns), str(rung.returns.games)
            )
            for rung in report.rungs
        ]
        yield DataTable(("bot", "mean score", "games"), tuple(scores))
        yield from _iter_notes_on_stopped_games(report)
        return
    rows = [
        _build_text_cells(
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
    yield _build_note_paragraph(
        "Each seat as often; a tie is shared. "
        f"To see a game of the last rung: {format_command_that_replays_game(report, bots, '0')}"
    )
    yield from _iter_notes_on_stopped_games(report)


def _iter_notes_on_stopped_games(report: Report) -> Iterator[Block]:
    """Say of how many games of the ladder no end was seen."""
    for rung in report.rungs:
        if rung.stopped:
            yield _build_note_paragraph(
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
            *_build_text_cells(phrases.describe_kind_of_player_of_bot(seat.bot), seat.bot),
            _build_cell_of_estimate(words, mine),
            *_build_text_cells(f"{report.games:,}"),
        )
    ]
    rows += [
        _build_text_cells(
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
            _build_text_cells("best play", "all there are", phrases.format_best_play_for_table(best, scores), "")
        )
    yield DataTable(("player", "bot", "mean score" if scores else "wins", "games"), tuple(rows))
    if best is not None and best.words and best.value is None:
        yield _build_note_paragraph(f"Best play: {best.words}.")
    if report.rungs:
        bots = ",".join(report.rungs[-1].bot for _ in report.seats)
        yield _build_note_paragraph(
            f"To see a game of the strongest player: {format_command_that_replays_game(report, bots, '0')}"
        )
    yield from _iter_notes_on_stopped_games(report)


def _iter_blocks_on_games_of_people(report: Report) -> Iterator[Block]:
    people = report.people
    if people is None:
        return
    yield ReportParagraph(
        _build_text_cells(
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
    yield DataTable(("", "mean per game"), tuple(_build_text_cells(*row) for row in figures.items()))
    if people.thinking:
        yield Subtitle("How long people think")
        each = [
            _build_text_cells(t.of, f"{t.median:.1f} s", f"{t.most:.1f} s", str(t.decisions)) for t in people.thinking
        ]
        yield DataTable(("", "median", "nine of ten at most", "decisions"), tuple(each))
    yield Subtitle("What players give away per decision")
    rows = [("people", people.given, ""), *((s.bot, s.given, s.people) for s in people.standings)]
    words = {"better": "people give away less", "worse": "people give away more", "alike": "not told apart", "": ""}
    cells = tuple(
        _build_text_cells(name, phrases.format_percent_with_interval_or_dash(loss), words[verdict])
        for name, loss, verdict in rows
    )
    yield DataTable(("who", "per cent of the range of returns", ""), cells)
    yield _build_note_paragraph(
        "At each decision a search says what each choice is worth; the rest to the best one is given away. The search "
        "errs, but alike for everybody. Each bot plays against itself."
    )


def _iter_method_blocks(report: Report) -> Iterator[Block]:
    yield ReportParagraph(
        _build_text_cells(
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


def _format_number_range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _select_first_and_last_choices(choices: Sequence[CardWorth]) -> list[CardWorth]:
    half = _MOST_CHOICES // 2
    return [*choices[:half], *choices[-half:]]


def compute_largest_interval_end(worths: Sequence[CardWorth]) -> float:
    """Return the value at the ends of the lines of intervals."""
    ends = [
        abs(end)
        for w in worths
        for end in (w.effect_of_holding_or_using.low, w.effect_of_holding_or_using.high)
        if end is not None
    ]
    return max(ends, default=1.0) or 1.0


def _format_probability(chance: float) -> str:
    return "< 0.0001" if chance < 0.0001 else f"{chance:.2g}"
