"""A report as Markdown, for a README, an issue or a diff."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.generator.scene import Face
from playproof.lab.document import (
    Block,
    DataTable,
    LabelledCardRow,
    ReportDocument,
    ReportParagraph,
    Subtitle,
    TextList,
)


def render_markdown(document: ReportDocument) -> str:
    """Return the report as Markdown, without its charts and pictures. What a game says is no HTML there."""
    return "\n".join(_iter_markdown_lines(document)).rstrip().replace("<", "&lt;") + "\n"


def _iter_markdown_lines(document: ReportDocument) -> Iterator[str]:
    yield f"# {document.title}\n"
    yield " · ".join(document.facts) + "\n"
    bullet = "* " if len(document.summary) > 1 else ""
    yield from (f"{bullet}{sentence}" for sentence in document.summary)
    for section in document.sections:
        yield f"\n## {section.title}"
        for block in section.blocks:
            yield from _iter_block_lines(block)


def _iter_block_lines(block: Block) -> Iterator[str]:
    match block:
        case ReportParagraph():
            yield "\n" + "".join(part.text for part in block.parts)
        case Subtitle():
            yield f"\n### {block.text}"
        case TextList():
            yield ""
            yield from (f"* {text}" for text in block.texts)
        case DataTable():
            yield ""
            yield from _iter_table_lines(block)
        case Face() | LabelledCardRow():
            pass


def _iter_table_lines(table: DataTable) -> Iterator[str]:
    """Yield a table without the columns that hold only charts."""
    rows = [[cell.text.replace("|", "\\|") for cell in row] for row in table.rows]
    wanted = [n for n, head in enumerate(table.heads) if head or any(row[n] for row in rows)]
    yield "| " + " | ".join(table.heads[n] for n in wanted) + " |"
    yield "|" + "---|" * len(wanted)
    for row in rows:
        yield "| " + " | ".join(row[n] for n in wanted) + " |"
