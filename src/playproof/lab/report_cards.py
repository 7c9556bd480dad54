"""The parts of a report on cards and choices: what each is worth, and what was never chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.generator.scene import Face
from playproof.lab import charts, phrases
from playproof.lab.card_worth import CardWorth
from playproof.lab.report import Report
from playproof.lab.report_blocks import (
    Block,
    DataTable,
    LabelledCard,
    LabelledCardRow,
    Subtitle,
    TableCell,
    TextList,
    build_cell_of_points,
    build_note_paragraph,
)

_MOST_CHOICES = 40


def _build_cell_of_effect_chart(worth: CardWorth, axis_limit: float) -> TableCell:
    effect = worth.effect_of_holding_or_using
    return TableCell(chart=charts.draw_effect_with_interval(effect, axis_limit, significant=worth.counts))


def _build_row_of_labelled_cards(cards: Sequence[CardWorth], axis_limit: float, for_score: bool) -> LabelledCardRow:
    """Return printed cards with what each is worth."""
    labels = ((worth, draw_card_label_of_worth(worth, axis_limit, for_score)) for worth in cards)
    return LabelledCardRow(
        tuple(
            LabelledCard(worth.word, worth.component, label, worth.effect_of_holding_or_using.game)
            for worth, label in labels
        )
    )


def iter_card_worth_blocks(report: Report) -> Iterator[Block]:
    """Yield what each card is worth, or why none was measured."""
    cards, scores = report.cards, report.bench.is_for_score
    if not cards:
        yield build_note_paragraph(_explain_why_no_card_is_measured(report))
        return
    if report.is_solo:
        yield from _iter_card_worth_blocks_of_solo_game(report)
        return
    verb = "scored" if scores else "won"
    yield build_note_paragraph(
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
            build_cell_of_points(worth.held, scores),
            build_cell_of_points(worth.used, scores),
            TableCell(_format_probability(worth.chance)),
            *((build_cell_of_points(worth.association, scores),) if held else ()),
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
    yield build_note_paragraph(
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
            build_cell_of_points(worth.held, scores),
            build_cell_of_points(worth.early, scores),
            build_cell_of_points(worth.late, scores),
            *((build_cell_of_points(worth.used, scores),) if used else ()),
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


def iter_restricted_play_blocks(report: Report) -> Iterator[Block]:
    """Yield what a player loses by never taking one of the choices."""
    choices = report.choices
    if not choices:
        return
    who = (
        "is lost by never taking this while there" if report.is_solo else "a seat loses if it never takes this while it"
    )
    yield build_note_paragraph(
        f"What {who} {'is' if report.is_solo else 'has'} another choice. "
        "Below zero: these players do better without it."
    )
    listed = choices if len(choices) <= _MOST_CHOICES else _select_first_and_last_choices(choices)
    reach = compute_largest_interval_end(choices)
    rows = [
        (
            TableCell(phrases.format_kind_of_action(worth.name)),
            _build_cell_of_effect_chart(worth, reach),
            build_cell_of_points(worth.used, report.bench.is_for_score),
            TableCell(_format_probability(worth.chance)),
        )
        for worth in listed
    ]
    yield DataTable(("never", "", "worth in points", "chance of it"), tuple(rows))
    if len(choices) > len(listed):
        yield build_note_paragraph(f"{len(choices) - len(listed)} more lie between; the JSON has them all.")


def iter_dead_option_blocks(report: Report) -> Iterator[Block]:
    """Yield the actions that were never chosen, and those that were never legal."""
    for title, names in (
        (f"Legal, and never chosen in {report.games:,} games", report.never),
        ("Never legal", report.unmet),
    ):
        if names:
            yield Subtitle(title)
            yield TextList(tuple(names))


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
