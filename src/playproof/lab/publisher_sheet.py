"""One page about a game for a publisher or a forum: what it is, how long and how hard, what matters in it, which cards
stand out, and what is proved. It needs no knowledge of Playproof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.lab import charts, phrases
from playproof.lab.card_worth import CardWorth
from playproof.lab.estimates import Estimate
from playproof.lab.report import Report
from playproof.lab.report_blocks import (
    Block,
    DataTable,
    LabelledCard,
    LabelledCardRow,
    ReportDocument,
    ReportParagraph,
    Section,
    TableCell,
)
from playproof.lab.report_cards import compute_largest_interval_end, draw_card_label_of_worth

_CARDS, _CHOICES = 4, 5


def build_one_page_summary_for_publisher(report: Report, proved_facts: Sequence[str]) -> ReportDocument:
    """Return the page of a report. `proved_facts` are facts that the verifier shows, as sentences."""
    parts = {
        "How hard it is" if report.is_solo else "Who wins": _iter_difficulty_or_winner_blocks(report),
        "Decisions that matter": _iter_key_decision_blocks(report),
        "Cards that stand out": _iter_blocks_of_strongest_and_weakest_cards(report),
        "Proved": (ReportParagraph((TableCell(fact),)) for fact in proved_facts),
    }
    made = [Section(title, tuple(blocks)) for title, blocks in parts.items()]
    variant = report.bench.variant
    return ReportDocument(
        variant.title,
        tuple(_iter_player_component_and_length_facts(report)),
        tuple(_iter_description_text_if_any(report)),
        tuple(section for section in made if section.blocks),
    )


def _iter_description_text_if_any(report: Report) -> Iterator[str]:
    data = report.bench.variant.data
    about = dict(data.facts.about) if data is not None else {}
    main = data.languages[0] if data is not None and data.languages else "en"
    text = about.get(main) or next(iter(about.values()), "")
    if text:
        yield str(text)


def _iter_player_component_and_length_facts(report: Report) -> Iterator[str]:
    players = len(report.seats)
    together = " together" if report.is_solo and players > 1 else ""
    yield f"{players} player{'s' if players > 1 else ''}{together}"
    data = report.bench.variant.data
    if data is not None and data.components:
        yield f"{len(data.components)} different components"
    low, middle, high = (report.quantiles["decisions"][n] for n in (1, 3, 5))
    yield f"{middle} decisions in a game (nine of ten games: {low} to {high})"
    rounds = report.quantiles.get("rounds", [0])
    if any(rounds):
        yield f"{rounds[3]} rounds"


def _iter_difficulty_or_winner_blocks(report: Report) -> Iterator[Block]:
    if not report.is_solo:
        yield from (
            ReportParagraph((TableCell(sentence),)) for sentence in phrases.iter_sentences_on_who_wins_most(report)
        )
        return
    if report.bench.is_for_score:
        yield from (
            ReportParagraph((TableCell(sentence),))
            for sentence in phrases.iter_difficulty_sentences_of_solo_game(report)
        )
        return
    yield ReportParagraph(
        (
            TableCell(
                f"The game is {phrases.describe_difficulty_in_one_or_two_words(report)}: "
                f"{phrases.describe_whether_thinking_pays(report)}"
            ),
        )
    )
    values = phrases.list_bots_by_kind_with_wins(report)
    rows = {
        _format_player_with_win_interval(phrases.describe_kind_of_player_of_bot(bot), wins): wins.value or 0.0
        for bot, wins in values
    }
    if report.best is not None and report.best.value is not None:
        rows[f"The best play there is ({'proved' if report.best.proved else 'exact'})"] = report.best.value
    yield charts.draw_bar_chart_with_shares(rows, total=1.0, label_width=300)
    best = phrases.format_best_play_phrase_or_empty(report.best, is_for_score=False)
    if best and report.best is not None and report.best.value is None:
        yield ReportParagraph((TableCell(f"Of all possible play: {best}."),))


def _format_player_with_win_interval(player: str, wins: Estimate) -> str:
    """Return who plays, with the interval of what was measured."""
    first = player[:1].upper() + player[1:]
    if wins.exact or wins.low is None or wins.high is None:
        return f"{first} (exact)"
    return f"{first} ({100 * wins.low:.0f} to {100 * wins.high:.0f} %)"


def _iter_key_decision_blocks(report: Report) -> Iterator[Block]:
    """What a player loses who never does something: the greatest first."""
    kinds = [worth for worth in report.choices if worth.kind == "action" and worth.used and worth.counts]
    strong = sorted(kinds, key=lambda worth: -abs(worth.effect_of_holding_or_using.value or 0.0))[:_CHOICES]
    for worth in strong:
        value = worth.effect_of_holding_or_using.value or 0.0
        what = "costs" if value > 0 else "gains"
        unit = "points" if report.bench.is_for_score else "wins in a hundred games"
        size = abs(value) if report.bench.is_for_score else 100 * abs(value)
        action = phrases.format_kind_of_action(worth.name)
        yield ReportParagraph((TableCell(f"Never to “{action}” {what} {size:.1f} {unit}."),))
    if strong:
        yield ReportParagraph(
            (TableCell(f"Measured between {report.bench.players_text}, {report.plan.pairs:,} pairs of games each."),),
            note=True,
        )
    else:
        yield ReportParagraph(
            (TableCell("No single kind of action decides: to leave one out changes little that was measured."),)
        )


def _iter_blocks_of_strongest_and_weakest_cards(report: Report) -> Iterator[Block]:
    """The strongest and the weakest cards, with what they are worth."""
    cards = [worth for worth in report.cards if worth.counts]
    if not cards:
        return
    ends = cards if len(cards) <= _CARDS else [*cards[: _CARDS // 2], *cards[-_CARDS // 2 :]]
    reach, scores = compute_largest_interval_end(report.cards), report.bench.is_for_score
    labels = (draw_card_label_of_worth(w, reach, scores, with_association=False) for w in ends)
    yield LabelledCardRow(
        tuple(LabelledCard(w.word, w.component, label, None) for w, label in zip(ends, labels, strict=True))
    )
    yield DataTable(
        ("card", "worth"),
        tuple((TableCell(w.name, strong=True), TableCell(_format_card_worth_in_words(w, report))) for w in ends),
    )
    for sentence in phrases.iter_sentences_on_cards_in_rare_wins(report):
        yield ReportParagraph((TableCell(sentence),), note=True)


def _format_card_worth_in_words(worth: CardWorth, report: Report) -> str:
    value = worth.effect_of_holding_or_using.value or 0.0
    unit = "points of score" if report.bench.is_for_score else "wins in a hundred games"
    size = value if report.bench.is_for_score else 100 * value
    when = "if it comes first rather than last" if report.is_solo and worth.held else "for who has it"
    mark = {1: "; apart from all others, perhaps too strong", -1: "; apart from all others, perhaps too weak"}
    return f"{size:+.1f} {unit} {when}{mark.get(worth.apart, '')}"
