"""One page about a game for a publisher or a forum: what it is, how long and how hard, what matters in it, which cards
stand out, and what is proved. It needs no knowledge of Playproof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.lab import charts, phrases
from playproof.lab.document import (
    Block,
    Card,
    Cards,
    DataCell,
    DataTable,
    Document,
    Section,
    Text,
    label_of,
    reach_of,
)
from playproof.lab.estimates import Estimate
from playproof.lab.report import Report
from playproof.lab.worth import Worth

_CARDS, _CHOICES = 4, 5


def sheet_of(report: Report, proved: Sequence[str]) -> Document:
    """Return the page of a report. `proved` are facts that the verifier shows, as sentences."""
    parts = {
        "How hard it is" if report.alone else "Who wins": _difficulty(report),
        "Decisions that matter": _decisions(report),
        "Cards that stand out": _cards(report),
        "Proved": (Text((DataCell(fact),)) for fact in proved),
    }
    made = [Section(title, tuple(blocks)) for title, blocks in parts.items()]
    variant = report.bench.variant
    return Document(
        variant.title,
        tuple(_facts(report)),
        tuple(_about(report)),
        tuple(section for section in made if section.blocks),
    )


def _about(report: Report) -> Iterator[str]:
    data = report.bench.variant.data
    about = dict(data.facts.about) if data is not None else {}
    main = data.languages[0] if data is not None and data.languages else "en"
    text = about.get(main) or next(iter(about.values()), "")
    if text:
        yield str(text)


def _facts(report: Report) -> Iterator[str]:
    players = len(report.seats)
    together = " together" if report.alone and players > 1 else ""
    yield f"{players} player{'s' if players > 1 else ''}{together}"
    data = report.bench.variant.data
    if data is not None and data.components:
        yield f"{len(data.components)} different components"
    low, middle, high = (report.quantiles["decisions"][n] for n in (1, 3, 5))
    yield f"{middle} decisions in a game (nine of ten games: {low} to {high})"
    rounds = report.quantiles.get("rounds", [0])
    if any(rounds):
        yield f"{rounds[3]} rounds"


def _difficulty(report: Report) -> Iterator[Block]:
    if not report.alone:
        yield from (Text((DataCell(sentence),)) for sentence in phrases.who_wins(report))
        return
    if report.bench.for_score:
        yield from (Text((DataCell(sentence),)) for sentence in phrases.difficulty(report))
        return
    chance = phrases.best_known(report)
    if chance is not None:
        yield Text((DataCell(f"The game is {phrases.level(chance)}: {phrases.pays(report)}"),))
    values = phrases.ladder_values(report)
    rows = {_sentence(phrases.player_of(bot), wins): wins.value or 0.0 for bot, wins in values}
    if report.best is not None and report.best.value is not None:
        rows[f"The best play there is ({'proved' if report.best.proved else 'exact'})"] = report.best.value
    yield charts.bars(rows, total=1.0, left=300)
    best = phrases.best_words(report.best, scores=False)
    if best and report.best is not None and report.best.value is None:
        yield Text((DataCell(f"Of all possible play: {best}."),))


def _sentence(who: str, wins: Estimate) -> str:
    """Return who plays, with the interval of what was measured."""
    first = who[:1].upper() + who[1:]
    if wins.exact or wins.low is None or wins.high is None:
        return f"{first} (exact)"
    return f"{first} ({100 * wins.low:.0f} to {100 * wins.high:.0f} %)"


def _decisions(report: Report) -> Iterator[Block]:
    """What a player loses who never does something: the greatest first."""
    kinds = [worth for worth in report.choices if worth.kind == "action" and worth.used and worth.counts]
    strong = sorted(kinds, key=lambda worth: -abs(worth.effect.value or 0.0))[:_CHOICES]
    for worth in strong:
        value = worth.effect.value or 0.0
        what = "costs" if value > 0 else "gains"
        unit = "points" if report.bench.for_score else "wins in a hundred games"
        size = abs(value) if report.bench.for_score else 100 * abs(value)
        yield Text((DataCell(f"Never to “{worth.name}” {what} {size:.1f} {unit}."),))
    if strong:
        yield Text(
            (
                DataCell(
                    f"Measured between {report.bench.players}, {report.plan.pairs:,} pairs of games each."
                ),
            ),
            note=True,
        )
    else:
        yield Text(
            (
                DataCell(
                    "No single kind of action decides: to leave one out changes little that was measured."
                ),
            )
        )


def _cards(report: Report) -> Iterator[Block]:
    """The strongest and the weakest cards, with what they are worth."""
    cards = [worth for worth in report.cards if worth.counts]
    if not cards:
        return
    ends = cards if len(cards) <= _CARDS else [*cards[: _CARDS // 2], *cards[-_CARDS // 2 :]]
    reach, scores = reach_of(report.cards), report.bench.for_score
    yield Cards(tuple(Card(w.word, w.component, label_of(w, reach, scores), None) for w in ends))
    yield DataTable(
        ("card", "worth"), tuple((DataCell(w.name, strong=True), DataCell(_worth(w, report))) for w in ends)
    )


def _worth(worth: Worth, report: Report) -> str:
    value = worth.effect.value or 0.0
    unit = "points of score" if report.bench.for_score else "wins in a hundred games"
    size = value if report.bench.for_score else 100 * value
    when = "if it comes first rather than last" if report.alone and worth.held else "for who has it"
    mark = {1: "; apart from all others, perhaps too strong", -1: "; apart from all others, perhaps too weak"}
    return f"{size:+.1f} {unit} {when}{mark.get(worth.apart, '')}"
