"""A report on paper: the same document as the page, set like all of Playproof's sheets, with its printed
cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.scene import (
    BLACK,
    Colour,
    Face,
    Group,
    Node,
    Rect,
    Transform,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.sheets import parse_paper_name_or_size_or_raise
from playproof.generator.sheets.text_columns import FLOW_LEADING, FLOW_MARGIN, RULE, PageFlow
from playproof.generator.type.shaping import (
    BOLD,
    PLAIN,
    iter_lines_wrapped_to_width,
    measure_text_line_width_in_mm,
    typeset_anchored_text_line,
)
from playproof.lab.charts import SOFT, copy_card_face_with_label
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

_TITLE, _BODY, _SMALL, _RAISED = 22.0, 10.0, 8.5, 6.0  # pt
_GAP, _LINE, _PAD = 3.0, 3.9, 1.2  # mm between columns, from line to line of a cell, and above and below it
_HEAD = 24.0  # mm of a head that is not broken
_CARDS, _TALLEST = 4, 64.0  # cards in a row, and their greatest height in mm


def render_report_to_pdf(
    document: ReportDocument, faces: Mapping[str, Face], page_size: str, *, explain_game_numbers: bool = True
) -> bytes:
    """Return the report as PDF on this paper. `faces` maps a card's word to its printed face. A small raised number
    is a game that shows the figure before it, which a line says unless `explain_game_numbers` is false. Raises
    InputError if there is no such paper."""
    flow = PageFlow(parse_paper_name_or_size_or_raise(page_size).portrait)
    flow.add_wrapped_text(document.title, _TITLE, font=BOLD)
    flow.y += 2
    flow.add_wrapped_text(" · ".join(document.facts), _SMALL, colour=SOFT)
    flow.y += 2
    bullet = "· " if len(document.summary) > 1 else ""
    for sentence in document.summary:
        flow.add_wrapped_text(f"{bullet}{sentence}", _BODY + 1)
    flow.y += 1
    if explain_game_numbers:
        flow.add_wrapped_text("A small raised number is a game that shows the figure before it.", _SMALL, colour=SOFT)
    for section in document.sections:
        flow.add_ruled_heading(section.title, height_kept_with_heading=34)
        for block in section.blocks:
            _add_block_to_page_flow(flow, block, faces)
    flow.finish_page_and_begin_new_one()
    count = len(flow.pages)
    pages = [
        page._replace(marks=(*page.marks, _build_page_footer_text(page.width, page.height, f"{number} / {count}")))
        for number, page in enumerate(flow.pages, 1)
    ]
    return render_pages_to_pdf_bytes(pages, metadata=Metadata(document.title))


def _build_page_footer_text(width: float, height: float, words: str) -> Node:
    return typeset_anchored_text_line(
        words, width - FLOW_MARGIN, height - FLOW_MARGIN / 2, _SMALL, anchor="end", colour=SOFT
    )


def _add_block_to_page_flow(flow: PageFlow, block: Block, faces: Mapping[str, Face]) -> None:
    match block:
        case ReportParagraph():
            size = _SMALL if block.note else _BODY
            for row in _break_cells_into_text_rows(block.parts, flow.width_between_margins, size):
                leading = FLOW_LEADING * size / _BODY
                flow.begin_page_unless_height_fits(leading)
                flow.y += leading
                flow.nodes += row.typeset_row_as_glyph_nodes(FLOW_MARGIN, flow.y, size, SOFT if block.note else BLACK)
            flow.y += 1.5
        case Subtitle():
            flow.begin_page_unless_height_fits(20)
            flow.y += 2
            flow.add_wrapped_text(block.text, font=BOLD)
        case TextList():
            for name in block.texts:
                flow.add_wrapped_text(f"· {name}", _SMALL)
        case DataTable():
            _add_table_to_page_flow(flow, block)
        case Face():
            flow.begin_page_unless_height_fits(block.height + 3)
            flow.nodes.append(Group(block.nodes, Transform.move(FLOW_MARGIN, flow.y + 1.5)))
            flow.y += block.height + 3
        case LabelledCardRow():
            _add_labelled_card_rows_to_page_flow(flow, [card for card in block.cards if card.word in faces], faces)


# -- words with raised numbers ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _MeasuredWord:
    text: str
    raised: str
    font: str

    def measure_width_with_raised_number_in_mm(self, size_pt: float) -> float:
        return measure_text_line_width_in_mm(self.text, size_pt, self.font) + (
            measure_text_line_width_in_mm(self.raised, _RAISED) + 0.4
        ) * bool(self.raised)


@dataclass(frozen=True, slots=True)
class _TextRow:
    words: tuple[_MeasuredWord, ...]

    def measure_width_of_row_in_mm(self, size_pt: float) -> float:
        spaces = (len(self.words) - 1) * measure_text_line_width_in_mm(" ", size_pt)
        return sum(word.measure_width_with_raised_number_in_mm(size_pt) for word in self.words) + spaces

    def typeset_row_as_glyph_nodes(self, x: float, y: float, size_pt: float, colour: Colour = BLACK) -> list[Node]:
        made: list[Node] = []
        for word in self.words:
            made.append(typeset_anchored_text_line(word.text, x, y, size_pt, font=word.font, colour=colour))
            if word.raised:
                at = x + measure_text_line_width_in_mm(word.text, size_pt, word.font) + 0.4
                made.append(typeset_anchored_text_line(word.raised, at, y - 1.2, _RAISED, colour=SOFT))
            x += word.measure_width_with_raised_number_in_mm(size_pt) + measure_text_line_width_in_mm(" ", size_pt)
        return made


def _iter_measured_words_of_cells(cells: Sequence[TableCell]) -> Iterator[_MeasuredWord]:
    """Yield the words of cells that stand behind each other. A part that does not begin with a space goes on with the
    last word of the part before."""
    pending: _MeasuredWord | None = None
    for part in cells:
        font = BOLD if part.strong else PLAIN
        texts = part.text.split()
        for place, text in enumerate(texts):
            last = place == len(texts) - 1
            raised = str(part.game) if last and part.game is not None else ""
            if pending and place == 0 and not part.text.startswith(" ") and len(text) == 1:
                pending = _MeasuredWord(pending.text + text, pending.raised, pending.font)  # a full stop
                continue
            if pending:
                yield pending
            pending = _MeasuredWord(text, raised, font)
    if pending:
        yield pending


def _break_cells_into_text_rows(cells: Sequence[TableCell], width_mm: float, size_pt: float) -> list[_TextRow]:
    """Break cells at spaces into rows no wider than `width`."""
    rows: list[_TextRow] = []
    line_: list[_MeasuredWord] = []
    for word in _iter_measured_words_of_cells(cells):
        if line_ and _TextRow((*line_, word)).measure_width_of_row_in_mm(size_pt) > width_mm:
            rows.append(_TextRow(tuple(line_)))
            line_ = []
        line_.append(word)
    return [*rows, _TextRow(tuple(line_))] if line_ else rows


# -- tables ---------------------------------------------------------------------------------------------------------


def _add_table_to_page_flow(flow: PageFlow, table: DataTable) -> None:
    """Set a table; its heads stand again on each page."""
    widths = _compute_column_widths_within_room(table, flow.width_between_margins)
    heads = [
        list(iter_lines_wrapped_to_width(head, width, _SMALL, BOLD))
        for head, width in zip(table.heads, widths, strict=True)
    ]
    tall = max(map(len, heads)) * _LINE
    flow.begin_page_unless_height_fits(tall + 3 * _LINE)
    _add_table_heads_to_page_flow(flow, heads, widths)
    for row in table.rows:
        set_rows = [_break_cells_into_text_rows([cell], width, _SMALL) for cell, width in zip(row, widths, strict=True)]
        height = (
            max([len(rows) * _LINE for rows in set_rows] + [_get_height_of_chart_in_cell(cell) for cell in row]) + _PAD
        )
        if flow.y + height > flow.sheet.height - FLOW_MARGIN:
            flow.finish_page_and_begin_new_one()
            _add_table_heads_to_page_flow(flow, heads, widths)
        x = FLOW_MARGIN
        for cell, rows, width in zip(row, set_rows, widths, strict=True):
            if cell.chart is not None:
                flow.nodes.append(Group(cell.chart.nodes, Transform.move(x, flow.y + _PAD / 2)))
            for place, words in enumerate(rows, 1):
                flow.nodes += words.typeset_row_as_glyph_nodes(x, flow.y + place * _LINE - 0.3, _SMALL)
            x += width + _GAP
        flow.y += height
        flow.nodes.append(build_line_path(FLOW_MARGIN, flow.y, x - _GAP, flow.y, RULE))
    flow.y += 2


def _add_table_heads_to_page_flow(flow: PageFlow, heads: Sequence[Sequence[str]], widths: Sequence[float]) -> None:
    tall, x = max(map(len, heads)), FLOW_MARGIN
    for lines, width in zip(heads, widths, strict=True):
        for place, words in enumerate(lines, 1 + tall - len(lines)):
            flow.nodes.append(
                typeset_anchored_text_line(words, x, flow.y + place * _LINE, _SMALL, font=BOLD, colour=SOFT)
            )
        x += width + _GAP
    flow.y += tall * _LINE + _PAD
    flow.nodes.append(build_line_path(FLOW_MARGIN, flow.y, x - _GAP, flow.y, RULE))


def _get_height_of_chart_in_cell(cell: TableCell) -> float:
    return cell.chart.height if cell.chart else 0.0


def _compute_column_widths_within_room(table: DataTable, room: float) -> list[float]:
    """Return the widths of a table's columns: what their contents take; if that is too much, the widest are narrowed
    to one width."""
    wanted = []
    for place, head in enumerate(table.heads):
        longest = max(measure_text_line_width_in_mm(word, _SMALL, BOLD) for word in head.split(" "))
        least = max(longest, min(_HEAD, measure_text_line_width_in_mm(head, _SMALL, BOLD)))
        wanted.append(max([least, *(_compute_unbroken_cell_width(row[place]) for row in table.rows)]))
    left, widest, free = room - _GAP * (len(wanted) - 1), 0.0, sorted(wanted)
    for place, width in enumerate(free):
        widest = left / (len(free) - place)
        if width > widest:
            return [min(width, widest) for width in wanted]
        left -= width
    return wanted


def _compute_unbroken_cell_width(cell: TableCell) -> float:
    if cell.chart is not None:
        return cell.chart.width
    return (
        max(
            (row.measure_width_of_row_in_mm(_SMALL) for row in _break_cells_into_text_rows([cell], 1e9, _SMALL)),
            default=0.0,
        )
        + 0.01
    )


# -- drawings -------------------------------------------------------------------------------------------------------


def _add_labelled_card_rows_to_page_flow(
    flow: PageFlow, cards: Sequence[LabelledCard], faces: Mapping[str, Face]
) -> None:
    """Set printed cards in rows, each with its label over the lower edge."""
    wide = (flow.width_between_margins - (_CARDS - 1) * _GAP) / _CARDS
    for first in range(0, len(cards), _CARDS):
        row = cards[first : first + _CARDS]
        scales = [min(wide / face.width, _TALLEST / face.height) for face in (faces[card.word] for card in row)]
        tall = max(faces[card.word].height * scale for card, scale in zip(row, scales, strict=True))
        flow.begin_page_unless_height_fits(tall + 4)
        x, top = FLOW_MARGIN, flow.y + 2
        for card, scale in zip(row, scales, strict=True):
            face = faces[card.word]
            width, height = face.width * scale, face.height * scale
            edge = Rect(x, top, width, height)
            move = Transform(scale, 0, 0, scale, x, top)
            flow.nodes.append(Group(copy_card_face_with_label(face, card.label).nodes, move))
            flow.nodes.append(build_rectangle_path(edge, stroke=RULE, radius=face.corner * scale))
            if card.game is not None:
                flow.nodes.append(
                    typeset_anchored_text_line(str(card.game), x + width, top - 0.4, _RAISED, anchor="end", colour=SOFT)
                )
            x += wide + _GAP
        flow.y = top + tall + 3
