"""Directives made from the data: the list of components, the legend of icons, rulings, contents,
index."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from playproof.database.components import Component
from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.database.game_files import Declared
from playproof.database.rulebook import Ruling
from playproof.database.rulebook_text import Directive, Heading, Listing, Paragraph, join_text_of_spans
from playproof.generator.book.document_composer import GUTTER, HELD, DocumentComposer, register_directive_composer
from playproof.generator.book.face_pictures import iter_icon_names_on_nodes
from playproof.generator.book.page_flow import (
    TypesetBlock,
    copy_block_with_more_notes,
    join_blocks_side_by_side,
    stack_blocks_into_one,
    wrap_nodes_in_shifted_group_if_moved,
)
from playproof.generator.scene import Node, Passage, Rect, Role, Stroke, Transform, Use, build_line_path
from playproof.generator.type.icon_names import build_spoken_names_by_icon
from playproof.generator.wording import get_words_by_key_or_english_ones

PICTURE = 13.0  # mm: the height of a component's picture in the list
ICON = 5.6  # mm
WHOLE_LIST = 0.6  # of a page: a component list up to this height is not broken
INDEX_ROWS = 34  # entries to a column
INDEX_COLUMNS = 3
INDEX_MENTIONS = 4  # pages that an entry names beside those that explain it


@register_directive_composer("components")
def compose_component_list(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Return every line of the game's component list with its picture and count, in two columns, or in three if the
    page then holds the whole list. A list that is nearly a page high is broken between its rows."""
    parts, book = composer.game.facts.components, composer.book
    rows = _arrange_cells_in_rows(composer, [_compose_component_cell(composer, part, 2) for part in parts], 2)
    whole = stack_blocks_into_one(rows)
    if not rows or whole.height > WHOLE_LIST * book.area.height:
        return rows
    room = _compute_name_width_beside_picture_in_mm(composer, 3)
    if not all(
        book.can_typeset_text_without_problems(_format_count_and_name_of_part(composer, part), room, "component")
        for part in parts
    ):
        return [whole]
    denser = _arrange_cells_in_rows(composer, [_compose_component_cell(composer, part, 3) for part in parts], 3)
    return [replace(whole, smaller=(stack_blocks_into_one(denser),))]


def _format_count_and_name_of_part(composer: DocumentComposer, part: Declared) -> str:
    name = part.name.get(composer.language) or part.name.get("en", "")
    return f"**{part.count}**{HELD}×{HELD}{name}"


def _compute_name_width_beside_picture_in_mm(composer: DocumentComposer, columns: int) -> float:
    """Return the width in mm that a cell of the component list leaves beside its picture."""
    return (composer.book.width - (columns - 1) * GUTTER) / columns - PICTURE * 1.25 - 2.5


def _compose_component_cell(composer: DocumentComposer, declared_part: Declared, columns: int) -> TypesetBlock:
    """Return one cell: a picture of the line's first component, the count and the name."""
    width = (composer.book.width - (columns - 1) * GUTTER) / columns
    first = next(iter(_iter_components_counted_by_part(composer, declared_part)), None)
    face = (
        composer.faces.draw_flat_component_face_or_none(first, composer.book.collector) if first is not None else None
    )
    nodes: tuple[Node, ...] = ()
    if face is not None:
        nodes = composer.faces.build_nodes_of_face_fitted_into_box(
            face, Rect(0, 0, PICTURE * 1.25, PICTURE), draw_edge=face.outline is None
        )
    x = PICTURE * 1.25 + 2.5
    text = composer.book.typeset_text_and_note_problems(
        _format_count_and_name_of_part(composer, declared_part),
        _compute_name_width_beside_picture_in_mm(composer, columns),
        "component",
    )
    down = max(0.0, (PICTURE - text.box.height) / 2)
    height = max(PICTURE, text.box.height)
    passages = (
        Passage("LI", (*nodes, *wrap_nodes_in_shifted_group_if_moved(text.nodes, x, down)), Rect(0, 0, width, height)),
    )
    return TypesetBlock(passages, height, 2.2)


def _iter_components_counted_by_part(composer: DocumentComposer, part: Declared) -> Iterator[Component]:
    """Yield the components that a line of the list counts."""
    all_components = composer.game.components
    if part.ids is not None:
        return (all_components[ref] for ref in part.ids if ref in all_components)
    return (component for component in all_components.values() if component.kind == part.kind)


def _arrange_cells_in_rows(
    composer: DocumentComposer, cells: Sequence[TypesetBlock], cells_per_row: int
) -> list[TypesetBlock]:
    """Return the cells in rows of ``cells_per_row``. The first row never stands alone below its heading."""
    step = (composer.book.width + GUTTER) / cells_per_row
    rows = [cells[at : at + cells_per_row] for at in range(0, len(cells), cells_per_row)]
    made = [
        join_blocks_side_by_side([(number * step, cell) for number, cell in enumerate(row)], row[0].above)
        for row in rows
    ]
    return [replace(row, keep=number == 0 and len(made) > 1) for number, row in enumerate(made)]


@register_directive_composer("icons")
def compose_icon_legend(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Return every printed icon with its name. The list inside the directive explains some of them.

    An item begins with the icon's name and a colon: ``- camp: how many units your camp holds``.
    """
    explanations = _map_icon_names_to_list_item_texts(composer, directive)
    names = build_spoken_names_by_icon(composer.game.vocabulary, composer.language)
    printed = composer.faces.printed = composer.faces.printed or _collect_named_icons_by_first_use(composer)
    ordered = [name for name in dict.fromkeys((*explanations, *names)) if name in printed]
    for name in explanations.keys() - printed.keys():
        hint = make_nearest_or_possible_words_hint(name, printed)
        composer.add_finding("PP523", explanations[name].where, f'the icon "{name}" is printed nowhere', hint)
    cells = [_compose_icon_cell(composer, name, names[name], explanations.get(name)) for name in ordered]
    return _arrange_cells_in_rows(composer, cells, 2)


def _map_icon_names_to_list_item_texts(composer: DocumentComposer, directive: Directive) -> Mapping[str, Paragraph]:
    explanations: dict[str, Paragraph] = {}
    for block in directive.body:
        if isinstance(block, Listing):
            for item in block.items:
                head, _, rest = str(item.spans[0]).partition(":") if item.spans else ("", "", "")
                explanations[head.strip()] = replace(item, spans=(rest.lstrip(), *item.spans[1:]))
    return explanations


def _collect_named_icons_by_first_use(composer: DocumentComposer) -> dict[str, None]:
    """Return the icons that the game's components show, in the order of their first use."""
    game, drawn = composer.game, list[Sequence[Node]]()
    for component in game.components.values():
        for side in ("front", "back"):
            if side == "front" or composer.book.looks.has_side(component, side):
                face = composer.faces.draw_flat_component_face_or_none(component, composer.book.collector, side)
                drawn += [face.nodes] if face is not None else []
    # of those on faces: no other file is read, nor its author named
    symbols = composer.book.looks.icons.names_by_symbol_id
    printed = dict.fromkeys(name for nodes in drawn for name in iter_icon_names_on_nodes(nodes, symbols))
    named = build_spoken_names_by_icon(game.vocabulary, composer.language)
    return {name: None for name in printed if name in named}


def _compose_icon_cell(
    composer: DocumentComposer, icon_name: str, printed_name: str, explanation: Paragraph | None
) -> TypesetBlock:
    width = (composer.book.width - GUTTER) / 2
    symbol = composer.book.looks.icons[icon_name]
    bounds = symbol.bounds
    scale = min(ICON / bounds.width, ICON / bounds.height)
    x, y = (ICON - bounds.width * scale) / 2 - bounds.x * scale, -bounds.y * scale
    words = f"**{printed_name[:1].upper()}{printed_name[1:]}**"
    explained = (
        composer.evaluate_spans_and_note_errors(explanation.spans, explanation.where)
        if explanation and explanation.spans
        else ""
    )
    # an icon may be named by all that it means
    if explained and explained.casefold() != printed_name.casefold():
        words += f" · {explained}"
    text = composer.book.typeset_text_and_note_problems(words, width - ICON - 2.2, "table")
    down = max(0.0, (ICON - text.box.height) / 2)
    nodes = (
        Use(symbol, Transform(scale, 0, 0, scale, x, y)),
        *wrap_nodes_in_shifted_group_if_moved(text.nodes, ICON + 2.2, down),
    )
    height = max(ICON, text.box.height)
    return TypesetBlock((Passage("LI", nodes, Rect(0, 0, width, height)),), height, 1.6)


@register_directive_composer("rulings")
def compose_ruling_list(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Return every ruling: its question, the answer that holds, and the pages of its rules."""
    pieces = []
    for ruling in composer.game.rulings.values():
        chosen = composer.book.looks.rulings.get(ruling.id, ruling.default)
        answer = ruling.option_words[chosen].text(composer.language) if chosen in ruling.option_words else ""
        rules = [rule.id for rule in composer.game.rules.values() if rule.ruling == ruling.id]
        pages = sorted(
            {page for note in (*rules, ruling.id) for page in composer.pages_by_note.get(f"rule:{note}", ())}
        )
        place = f" *({composer.words['page']}{HELD}{', '.join(map(str, pages))})*" if pages else ""
        why = format_narrower_default_reason_or_empty(ruling, chosen, composer.language)
        words = f"**{ruling.words.text(composer.language)}** {answer}{place}{why}"
        piece = composer.book.typeset_paragraph_as_block(
            words, "table", label=ruling.id, space_above=1.6, where=ruling.where
        )
        pieces.append(copy_block_with_more_notes(piece, f"ruling:{ruling.id}"))
    return pieces


def format_narrower_default_reason_or_empty(ruling: Ruling, chosen_option: str, language: str) -> str:
    """Return why the default allows less than the rule's words. Return "" if it does not, or if
    another option holds."""
    if ruling.narrowed is None or chosen_option != ruling.default:
        return ""
    return f" *{get_words_by_key_or_english_ones('booklets', language)['narrowed']}* {ruling.narrowed.text(language)}"


@register_directive_composer("contents")
def compose_table_of_contents(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Return the chapters and their pages, in two columns."""
    chapters = [heading for heading in composer.document.iter_headings() if heading.level == 1]
    width = (composer.book.width - 2 * GUTTER) / 2
    half = math.ceil(len(chapters) / 2)
    columns = []
    for side in (chapters[:half], chapters[half:]):
        columns.append(stack_blocks_into_one([_compose_contents_line(composer, chapter, width) for chapter in side]))
    return [join_blocks_side_by_side([(0.0, columns[0]), (width + 2 * GUTTER, columns[1])], 3.0)]


def _compose_contents_line(composer: DocumentComposer, heading: Heading, width: float) -> TypesetBlock:
    words = composer.book.typeset_text_and_note_problems(
        join_text_of_spans(heading.spans), width - 10, "contents", heading.where
    )
    page = composer.book.typeset_text_and_note_problems(
        composer.format_first_page_of_note_or_00(f"heading:{heading.slug}"), 10, "contents", heading.where
    )
    height, right = words.box.height, width - page.box.width
    dots = build_line_path(
        words.box.width + 1.5, height * 0.72, right - 1.5, height * 0.72, _build_dotted_leader_stroke(composer)
    )
    box = Rect(0, 0, width, height)
    nodes = (*words.nodes, dots, *wrap_nodes_in_shifted_group_if_moved(page.nodes, right))
    return TypesetBlock((Passage("TOCI", nodes, box, links=((box, heading.slug),)),), height, 1.2)


def _build_dotted_leader_stroke(composer: DocumentComposer) -> Stroke:
    return Stroke(composer.book.drawing.resolve_style_name_or_spec("mark").colour, 0.22, (0.22, 1.1))


@register_directive_composer("index")
def compose_index(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Return every marked entry in columns: the pages that explain it in bold, then those that name it."""
    marked = (note.removeprefix("index:") for note in composer.pages_by_note if note.startswith("index:"))
    entries = sorted(marked, key=build_accentless_sort_key)
    width = (composer.book.width - (INDEX_COLUMNS - 1) * GUTTER) / INDEX_COLUMNS
    whole = INDEX_COLUMNS * INDEX_ROWS
    pieces = []
    for part in (entries[at : at + whole] for at in range(0, len(entries), whole)):
        rows = math.ceil(len(part) / INDEX_COLUMNS)
        sides = [part[at : at + rows] for at in range(0, len(part), rows)]
        columns = [
            stack_blocks_into_one([_compose_index_entry_with_pages(composer, entry, width) for entry in side])
            for side in sides
        ]
        pieces.append(
            join_blocks_side_by_side([(number * (width + GUTTER), column) for number, column in enumerate(columns)])
        )
    return pieces


def build_accentless_sort_key(entry: str) -> str:
    """Return the key that sorts an index entry: without case and accents.

    >>> sorted(["tour", "Égalité", "Zone"], key=build_accentless_sort_key)
    ['Égalité', 'tour', 'Zone']
    """
    letters = unicodedata.normalize("NFD", entry.casefold().replace("œ", "oe"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _compose_index_entry_with_pages(composer: DocumentComposer, entry: str, width: float) -> TypesetBlock:
    role: Role = "LI"
    pages = ", ".join(_iter_index_pages_in_bold_if_explaining(composer, entry))
    block = composer.book.typeset_text_and_note_problems(f"{entry}{HELD}{HELD}{pages}", width, "table")
    return TypesetBlock((Passage(role, block.nodes, Rect(0, 0, width, block.box.height)),), block.box.height, 0.7)


def _iter_index_pages_in_bold_if_explaining(composer: DocumentComposer, entry: str) -> Iterator[str]:
    """Yield the pages of an entry: in bold where it is marked or a heading names it."""
    main = set(composer.pages_by_note[f"index:{entry}"])
    for heading in composer.document.iter_headings():
        if entry in composer.mentions.list_index_entries_mentioned(heading):
            main.update(composer.pages_by_note.get(f"heading:{heading.slug}", ()))
    others = set(composer.pages_by_note.get(f"mention:{entry}", ())) - main
    if len(others) > INDEX_MENTIONS:  # a word of every page leads nowhere
        others = set()
    for page in sorted(main | others):
        yield f"**{page}**" if page in main else str(page)
