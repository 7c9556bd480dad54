"""What each choice changes, as one table: a row for each choice, with the claims that have another value there."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from playproof.verifier.dependence import ClaimsUnderChoice, ClaimUnderChoice


def build_dependence_table(rows: Sequence[ClaimsUnderChoice]) -> Table:
    """Return choices as one table. A claim that becomes "no" stands by its name alone, any other with its two values.
    `same if` counts the claims that are the same on a condition which was not shown."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("choice", no_wrap=True)
    for heading in ("same", "same if", "open"):
        table.add_column(heading, justify="right")
    table.add_column("becomes no, or as it says")
    for row in rows:
        same = [under for under in row.claims if not under.differs and not under.open]
        leaning = sum(bool(under.reason) for under in same)
        counts = (len(same) - leaning, leaning, len(row.open))
        changes = ", ".join(map(_format_changed_claim, row.changed))
        table.add_row(
            escape(row.choice.text), *(str(count or "-") for count in counts), escape(changes) or "-"
        )
    return table


def _format_changed_claim(under: ClaimUnderChoice) -> str:
    usual, value = under.values
    name = under.question.id
    return name if (usual, value) == ("yes", "no") else f"{name} ({usual} becomes {value})"
