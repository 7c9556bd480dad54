"""A report as one HTML page that needs nothing else, with what the game prints (faces of cards, games as
pages with pictures); and the same document as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path

from playproof.database.errors import InputError
from playproof.generator.exports.raster import (
    build_img_tag_with_embedded_picture,
    encode_reproducible_png,
    render_faces_at_exact_pixels,
)
from playproof.generator.html_page import render_standalone_html_page
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face
from playproof.generator.svg import render_face_to_svg_text
from playproof.generator.type.fonts import FontBook, get_fonts_of_game_in_export_or_project
from playproof.lab.charts import copy_card_face_with_label
from playproof.lab.game_runner import GameRunner
from playproof.lab.report_blocks import (
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
from playproof.referee.match import Match
from playproof.referee.simulate import replay
from playproof.referee.transcript import write
from playproof.table.drawn_table import draw_component_face_as_cut, draw_face_as_cut
from playproof.table.faces import FacePictures
from playproof.table.replay_page import render_replay_page_html
from playproof.table.scene import Picture
from playproof.table.table_layout import NoTable, TableLayout

# -- page ----------------------------------------------------------------------------------------------------
# A report as one HTML page that needs nothing else: figures, charts, printed faces, and the games that show
# them.

_CARD_WIDTH = 180  # pixels
ASSETS = Path(__file__).resolve().parent / "assets"


def render_report_to_html_page(
    document: ReportDocument,
    faces: Mapping[str, Face],
    transcripts: Mapping[int, str],
    replay_files_by_game: Mapping[int, str],
) -> str:
    """Return the page. `faces` maps a card's word to its printed face, `transcripts` a game's number to its text,
    `replay_files_by_game` to the file in which it is replayed in pictures."""
    view = _HtmlRenderer(document, faces, transcripts, replay_files_by_game)
    style = (ASSETS / "report.css").read_text(encoding="utf-8")
    main = f"<main>{''.join(view.iter_html_parts_of_main())}</main>"
    return render_standalone_html_page(document.title, main, style)


@dataclass(frozen=True)
class _HtmlRenderer:
    document: ReportDocument
    faces: Mapping[str, Face]
    transcripts: Mapping[int, str]
    pages: Mapping[int, str]
    charts: list[Face] = field(default_factory=list)

    def iter_html_parts_of_main(self) -> Iterator[str]:
        document = self.document
        sentences = "".join(f"<li>{escape(text)}</li>" for text in document.summary)
        yield (
            f"<header><h1>{escape(document.title)}</h1><p class=facts>{escape(' · '.join(document.facts))}</p>"
            f"<ul class=summary>{sentences}</ul></header>"
        )
        for section in document.sections:
            yield _build_html_section(section.title, "".join(map(self._render_block_to_html, section.blocks)))
        if self.transcripts:
            yield _build_html_section("Games that show it", "".join(self._iter_transcripts_as_html()))

    def _render_block_to_html(self, block: Block) -> str:
        match block:
            case ReportParagraph():
                kind = " class=note" if block.note else ""
                return f"<p{kind}>{''.join(map(self._render_cell_to_html, block.parts))}</p>"
            case Subtitle():
                return f"<h3>{escape(block.text)}</h3>"
            case TextList():
                return f"<ul class=names>{''.join(f'<li>{escape(text)}</li>' for text in block.texts)}</ul>"
            case DataTable():
                return self._render_table_to_html(block)
            case Face():
                return self._render_chart_to_svg(block)
            case LabelledCardRow():
                cards = "".join(
                    self._render_card_with_label_to_html(card) for card in block.cards if self.faces.get(card.word)
                )
                return f"<div class=cards>{cards}</div>" if cards else ""

    def _render_cell_to_html(self, cell: TableCell) -> str:
        if cell.chart is not None:
            return self._render_chart_to_svg(cell.chart)
        text = self._wrap_in_link_to_game_if_shown(escape(cell.text), cell.game)
        return f"<b>{text}</b>" if cell.strong else text

    def _wrap_in_link_to_game_if_shown(self, text: str, game: int | None) -> str:
        if game is None or game not in self.transcripts:
            return text
        return f'<a href="#game-{game}" title="game {game} shows this">{text}</a>'

    def _render_table_to_html(self, table: DataTable) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in table.heads)
        rows = ("".join(f"<td>{self._render_cell_to_html(cell)}</td>" for cell in row) for row in table.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"

    def _render_chart_to_svg(self, chart: Face) -> str:
        self.charts.append(chart)
        return render_face_to_svg_text(chart, id_prefix=f"chart-{len(self.charts)}-")

    def _render_card_with_label_to_html(self, card: LabelledCard) -> str:
        """Return a card in pixels: as vectors, printed faces would make the page several times as large."""
        face = copy_card_face_with_label(self.faces[card.word], card.label)
        size = (2 * _CARD_WIDTH, round(2 * _CARD_WIDTH * face.height / face.width))
        drawn = next(render_faces_at_exact_pixels([face], size))
        image = build_img_tag_with_embedded_picture(encode_reproducible_png(drawn), _CARD_WIDTH, face.name)
        return f"<figure>{self._wrap_in_link_to_game_if_shown(image, card.game)}</figure>"

    def _iter_transcripts_as_html(self) -> Iterator[str]:
        for game, text in self.transcripts.items():
            page = self.pages.get(game)
            link = f' <a href="{escape(page)}">in pictures</a>' if page else ""
            yield (f'<details><summary>Game {game}{link}</summary><pre id="game-{game}">{escape(text)}</pre></details>')


def _build_html_section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


# -- markdown ------------------------------------------------------------------------------------------------
# A report as Markdown, for a README, an issue or a diff.


def render_report_to_markdown(document: ReportDocument) -> str:
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
            yield from _iter_markdown_block_lines(block)


def _iter_markdown_block_lines(block: Block) -> Iterator[str]:
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
            yield from _iter_markdown_table_lines(block)
        case Face() | LabelledCardRow():
            pass


def _iter_markdown_table_lines(table: DataTable) -> Iterator[str]:
    """Yield a table without the columns that hold only charts."""
    rows = [[cell.text.replace("|", "\\|") for cell in row] for row in table.rows]
    wanted = [n for n, head in enumerate(table.heads) if head or any(row[n] for row in rows)]
    yield "| " + " | ".join(table.heads[n] for n in wanted) + " |"
    yield "|" + "---|" * len(wanted)
    for row in rows:
        yield "| " + " | ".join(row[n] for n in wanted) + " |"


# -- printed -------------------------------------------------------------------------------------------------
# What a game prints, for the pages of the lab: the faces of its cards, and its games as pages with
# pictures.

_SCENES = 60  # states of a game in which words are looked up on the table


class _CachedFaces(FacePictures):
    """Faces that keep each picture that they have drawn: the pages of a report share them."""

    def __init__(self, spread: TableLayout) -> None:
        super().__init__(spread)
        self._drawn_faces: dict[Picture, bytes] = {}

    def draw_svg(self, picture: Picture) -> bytes:
        if picture not in self._drawn_faces:
            self._drawn_faces[picture] = super().draw_svg(picture)
        return self._drawn_faces[picture]


class PrintedGameRenderer:
    """The printed side of a variant. A game without a printed table has no faces and no pictures."""

    def __init__(self, bench: GameRunner) -> None:
        self.bench = bench
        try:
            self.spread: TableLayout | None = TableLayout(bench.variant)
        except NoTable:
            self.spread = None
        self.faces = _CachedFaces(self.spread) if self.spread else None
        self._components: dict[str, str] | None = None
        self._matches: dict[int, Match] = {}

    def map_words_of_document_to_printed_faces(self, document: ReportDocument) -> dict[str, Face]:
        """Return the printed face of each card that a document shows, by its word."""
        fronts = {
            card.word: self.find_printed_face_of_word_or_component(card.word, card.component)
            for card in document.iter_cards
        }
        return {word: face for word, face in fronts.items() if face is not None}

    def find_printed_face_of_word_or_component(self, word: str, component: str | None) -> Face | None:
        """Return the front of the thing with this word as it is printed; None if it is not."""
        ident = self._map_words_on_table_to_components().get(word) or component
        data = self.bench.variant.data
        if ident is None or data is None:
            return None
        with suppress(InputError, LookupError):
            if self.spread is not None:
                return draw_face_as_cut(self.spread, Picture(ident))
            return draw_component_face_as_cut(
                self._layout_renderer, data.components[ident], Picture(ident), data.languages[0]
            )
        return None

    @property
    def fonts(self) -> FontBook:
        """The fonts of the faces: the project's own, and those of the game, if it has a printed side."""
        if self.spread is not None:
            return self.spread.looks.fonts
        has_cards = self.bench.variant.data is not None
        return self._layout_renderer.fonts if has_cards else get_fonts_of_game_in_export_or_project()

    @cached_property
    def _layout_renderer(self) -> LayoutRenderer:
        return LayoutRenderer(self.bench.variant.data, rulings=self.bench.variant.rulings)

    def _map_words_on_table_to_components(self) -> dict[str, str]:
        """Return the component for each word by which a piece on the table is called, in some states of a game."""
        if self._components is None:
            self._components = {}
            if self.spread is not None:
                match = self.get_or_replay_game_of_run(0)
                states = match.states[:: max(1, len(match.states) // _SCENES)]
                for state in states:
                    for piece in self.spread.make_scene_seen_by_seat(state).pieces:
                        for word in piece.words if piece.picture.side == "front" else ():
                            self._components.setdefault(word, piece.picture.component)
        return self._components

    def get_or_replay_game_of_run(self, number: int) -> Match:
        """Return a game of the run, played again; each is played once."""
        if number not in self._matches:
            bench = self.bench
            made = replay(bench.variant, bench.bots, bench.seed, number, engine=bench.engine)
            self._matches[number] = made
        return self._matches[number]

    def render_replays_to_html_by_number(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return games of the run as pages with pictures, by number; none if the game has no printed table."""
        if self.spread is None:
            return {}
        spread, faces = self.spread, self.faces
        return {
            number: render_replay_page_html(self.get_or_replay_game_of_run(number), spread, faces=faces)
            for number in numbers
        }

    def format_transcripts_and_forget_games(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return games of the run as text, by number. None of them is kept."""
        texts = {}
        for number in numbers:
            texts[number] = write(self.get_or_replay_game_of_run(number))
            del self._matches[number]
        return texts
