"""A report as one HTML page that needs nothing else: figures, charts, printed faces, and the games that show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from playproof.generator.exports.raster import encode_png, render_faces
from playproof.generator.png import embed_picture_in_html
from playproof.generator.scene import Face
from playproof.generator.svg import render_face_to_svg
from playproof.lab.charts import add_label_to_card
from playproof.lab.document import (
    Block,
    DataTable,
    LabelledCard,
    LabelledCardRow,
    ReportDocument,
    ReportParagraph,
    Subtitle,
    TableCell,
    TextList,
)

_CARD_WIDTH = 180  # pixels
ASSETS = Path(__file__).resolve().parent / "assets"


def render_report_html(
    document: ReportDocument,
    faces: Mapping[str, Face],
    transcripts: Mapping[int, str],
    pages: Mapping[int, str],
) -> str:
    """Return the page. `faces` maps a card's word to its printed face, `transcripts` a game's number to its text,
    `pages` to the file in which it is replayed in pictures."""
    view = _HtmlRenderer(document, faces, transcripts, pages)
    style = (ASSETS / "report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(document.title)}</title><style>{style}</style></head>"
        f"<body><main>{''.join(view.iter_parts())}</main></body></html>\n"
    )


@dataclass(frozen=True)
class _HtmlRenderer:
    document: ReportDocument
    faces: Mapping[str, Face]
    transcripts: Mapping[int, str]
    pages: Mapping[int, str]
    charts: list[Face] = field(default_factory=list)

    def iter_parts(self) -> Iterator[str]:
        document = self.document
        sentences = "".join(f"<li>{escape(text)}</li>" for text in document.summary)
        yield (
            f"<header><h1>{escape(document.title)}</h1><p class=facts>{escape(' · '.join(document.facts))}</p>"
            f"<ul class=summary>{sentences}</ul></header>"
        )
        for section in document.sections:
            yield _html_section(section.title, "".join(map(self._render_block, section.blocks)))
        if self.transcripts:
            yield _html_section("Games that show it", "".join(self._iter_game_transcripts()))

    def _render_block(self, block: Block) -> str:
        match block:
            case ReportParagraph():
                kind = " class=note" if block.note else ""
                return f"<p{kind}>{''.join(map(self._render_cell, block.parts))}</p>"
            case Subtitle():
                return f"<h3>{escape(block.text)}</h3>"
            case TextList():
                return f"<ul class=names>{''.join(f'<li>{escape(text)}</li>' for text in block.texts)}</ul>"
            case DataTable():
                return self._render_table(block)
            case Face():
                return self._render_chart(block)
            case LabelledCardRow():
                cards = "".join(self._render_card(card) for card in block.cards if self.faces.get(card.word))
                return f"<div class=cards>{cards}</div>" if cards else ""

    def _render_cell(self, cell: TableCell) -> str:
        if cell.chart is not None:
            return self._render_chart(cell.chart)
        text = self._link_to_game(escape(cell.text), cell.game)
        return f"<b>{text}</b>" if cell.strong else text

    def _link_to_game(self, text: str, game: int | None) -> str:
        if game is None or game not in self.transcripts:
            return text
        return f'<a href="#game-{game}" title="game {game} shows this">{text}</a>'

    def _render_table(self, table: DataTable) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in table.heads)
        rows = ("".join(f"<td>{self._render_cell(cell)}</td>" for cell in row) for row in table.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"

    def _render_chart(self, chart: Face) -> str:
        self.charts.append(chart)
        return render_face_to_svg(chart, prefix=f"chart-{len(self.charts)}-")

    def _render_card(self, card: LabelledCard) -> str:
        """Return a card in pixels: as vectors, printed faces would make the page several times as large."""
        face = add_label_to_card(self.faces[card.word], card.label)
        size = (2 * _CARD_WIDTH, round(2 * _CARD_WIDTH * face.height / face.width))
        drawn = next(render_faces([face], size))
        image = embed_picture_in_html(encode_png(drawn), _CARD_WIDTH, face.name)
        return f"<figure>{self._link_to_game(image, card.game)}</figure>"

    def _iter_game_transcripts(self) -> Iterator[str]:
        for game, text in self.transcripts.items():
            page = self.pages.get(game)
            link = f' <a href="{escape(page)}">in pictures</a>' if page else ""
            yield (
                f'<details><summary>Game {game}{link}</summary><pre id="game-{game}">{escape(text)}</pre></details>'
            )


def _html_section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"
