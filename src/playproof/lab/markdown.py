"""A report as Markdown, for a README, an issue or a diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.lab import phrases
from playproof.lab.report import Report


def markdown(report: Report) -> str:
    """Return the report as Markdown."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    variant = report.bench.variant
    chosen = [f"{name}: {value}" for name, value in {**variant.options, **variant.rulings}.items()]
    yield f"# {variant.title}: playtest report\n"
    yield " · ".join(
        [
            f"{report.games:,} games",
            f"bots: {', '.join(report.bench.bots)}",
            f"seed {report.bench.seed}",
            *chosen,
        ]
    )
    yield ""
    yield from (f"* {sentence}" for sentence in phrases.summary(report))
    yield "\n## Seats\n"
    yield from _table(
        ["seat", "bot", "wins", "mean return"],
        [[s.name, s.bot, phrases.share(s.exact or s.wins), phrases.number(s.score)] for s in report.seats],
    )
    yield f"\nTies: {phrases.share(report.ties)}.\n\n## Endings\n"
    yield from _table(
        ["ending", "kind", "share of games"],
        [[end.reason, end.kind, phrases.share(end.exact or end.share, 2)] for end in report.endings],
    )
    yield f"\n{phrases.number(report.decisions, 1)} decisions per game."
    yield f"{phrases.share(report.forced)} of them are forced."
    yield f"{phrases.number(report.branching)} actions where there is a choice.\n\n## Tension and luck\n"
    t, lever = report.tension, report.leverage
    yield from _table(
        ["figure", "mean per game"],
        [
            ["lead changes", phrases.number(t.lead_changes)],
            ["drama", phrases.number(t.drama)],
            ["least chance of the later winner", phrases.share(t.comeback)],
            ["decided after", phrases.share(t.decided)],
            ["the leader at half time wins", phrases.share(t.runaway)],
            ["choices, K", phrases.number(lever.skill, 3)],
            ["chance, L", phrases.number(lever.luck, 3)],
            ["S = (K − L) / (K + L)", phrases.number(lever.index)],
        ],
    )
    yield from _worths(report)
    if report.rungs:
        yield "\n## Ladder of bots\n"
        yield from _table(
            ["bot", "against", "share of games"],
            [[rung.bot, rung.against or "alone", phrases.share(rung.wins)] for rung in report.rungs],
        )


def _worths(report: Report) -> Iterator[str]:
    if report.cards:
        yield "\n## Cards, in percentage points of wins\n"
        yield from _table(
            ["card", "in hand, not kept out", "may use it, not never", "counts", "won when held (no cause)"],
            [
                [
                    worth.word,
                    phrases.points(worth.held),
                    phrases.points(worth.used),
                    "yes" if worth.counts else "",
                    phrases.points(worth.association),
                ]
                for worth in report.cards
            ],
        )
    if report.choices:
        yield "\n## Restricted play\n"
        yield from _table(
            ["never", "worth in points", "counts"],
            [[w.word, phrases.points(w.used), "yes" if w.counts else ""] for w in report.choices],
        )
    for title, names in (("Never chosen", report.never), ("Never legal", report.unmet)):
        if names:
            yield f"\n## {title}\n"
            yield from (f"* {name}" for name in names)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
