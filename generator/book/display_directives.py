"""Directives that show something: faces in a row, a board with numbers on it, an example turn, a
table in the middle of play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from playproof.database.components import Component
from playproof.database.errors import InputError, Where
from playproof.database.rulebook_text import Block, Directive, Listing, Paragraph
from playproof.generator.book.document_composer import (
    GUTTER,
    PAD,
    DocumentComposer,
    compose_blocks_for_box,
    register_directive_composer,
)
from playproof.generator.book.face_pictures import get_component_title_or_name, iter_texts_and_icon_names_as_drawn
from playproof.generator.book.page_flow import (
    TypesetBlock,
    join_blocks_side_by_side,
    stack_blocks_into_one,
    wrap_nodes_in_shifted_group_if_moved,
)
from playproof.generator.book.play_interface import TablePicture
from playproof.generator.scene import Colour, Face, Node, Passage, Rect, Stroke, build_circle_path, build_rectangle_path

HEIGHT = 40.0  # mm, of a row of faces unless told
GAP = 3.0
LEAST_SHARE = 0.62  # faces are made no smaller than this to stand in one row
TABLE_SHARE = 0.6  # of a step's width, for a picture of the table
SMALLER = (0.93, 0.86)  # of its width: a picture of the table that then fills the foot of a page
STEP_SHARES = (1.0, 0.93, 0.86, 0.8, 0.75, 0.7)  # of the pictures' sizes: an example that then fits on a page
STEP_FACE = 18.0  # mm, of the faces beside a step of an example
STEP_SCALE = 0.6  # of the printed size: a token beside a card looks small
MARKER = 2.5  # mm, the radius of a number on a picture
DARK = Colour.parse_hex_or_cmyk_colour_or_raise("#1d1728")
PALE = Colour.parse_hex_or_cmyk_colour_or_raise("#ffffff")


@register_directive_composer("faces")
def compose_face_row(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Show components side by side, each with its title below. The paragraphs inside are the
    caption."""
    height = _parse_number_option_or_default(composer, directive, "height", HEIGHT)
    pairs = [
        pair
        for ref in directive.argument.split()
        if (pair := find_component_and_face_or_note_error(composer, ref, directive.where))
    ]
    height *= _compute_face_row_shrink_factor_or_one(
        [face.width * height / face.height for _, face in pairs], composer.book.width
    )
    drawn = [
        _compose_width_and_face_above_title(composer, component, face, height, directive.where)
        for component, face in pairs
    ]
    rows: list[list[tuple[float, TypesetBlock]]] = [[]]
    x = 0.0
    for width, cell in drawn:
        if rows[-1] and x + width > composer.book.width + 1e-6:
            rows.append([])
            x = 0.0
        rows[-1].append((x, cell))
        x += width + GAP
    pieces = [join_blocks_side_by_side(row, 2.4) for row in rows if row]
    return (
        [replace(stack_blocks_into_one([*pieces, *_compose_caption_paragraphs(composer, directive)]), floats=True)]
        if pieces
        else []
    )


def _compose_caption_paragraphs(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Return the paragraphs inside a directive, set as the caption below its picture."""
    inside = (block for block in directive.body if isinstance(block, Paragraph))
    return [composer.compose_paragraph(block, "caption", "Caption") for block in inside]


def _compute_face_row_shrink_factor_or_one(widths: Sequence[float], available_width: float) -> float:
    """Return the factor that makes faces fit in one row. Return 1.0 if they fit already, or if the
    factor is below `LEAST_SHARE`."""
    gaps = GAP * (len(widths) - 1)
    share = (available_width - gaps) / sum(widths) if widths else 1.0
    return share if LEAST_SHARE <= share < 1 else 1.0


def _compose_width_and_face_above_title(
    composer: DocumentComposer, component: Component, face: Face, height: float, where: Where
) -> tuple[float, TypesetBlock]:
    """Return a face with its title below it: the width in mm, and the piece."""
    width = min(face.width * height / face.height, composer.book.width)
    height = width * face.height / face.width
    picture = TypesetBlock(
        (_build_face_figure_fitted_into_box(composer, component, face, Rect(0, 0, width, height)),), height
    )
    title = get_component_title_or_name(component, composer.language)
    if title == component.id:  # a bare number, which the face shows
        return width, picture
    words = composer.book.typeset_text_and_note_problems(title, max(width, 16.0), "face-title", where)
    below = TypesetBlock((Passage("Caption", words.nodes, Rect(0, 0, width, words.box.height)),), words.box.height, 0.8)
    return max(width, 16.0), stack_blocks_into_one([picture, below])


def find_component_and_face_or_note_error(
    composer: DocumentComposer, reference: str, where: Where
) -> tuple[Component, Face] | None:
    """Return the component with this id and its face; `101:back` names a side. Return None after
    noting what is missing."""
    name, _, side = reference.partition(":")
    component = composer.game.components[name]
    face = composer.faces.draw_flat_component_face_or_none(component, composer.book.collector, side or "front")
    if face is None:
        # else the drawing said why
        if composer.faces.looks.find_layout_for_component_or_none(component, composer.language) is None:
            composer.add_finding("PP523", where, f'"{name}" has no layout')
        return None
    return component, face


def _build_face_figure_fitted_into_box(
    composer: DocumentComposer, component: Component, face: Face, box: Rect
) -> Passage:
    nodes = composer.faces.build_nodes_of_face_fitted_into_box(face, box, draw_edge=face.outline is None)
    kind = composer.game.vocabulary.kinds[component.kind].name.get(composer.language, component.kind)
    title = get_component_title_or_name(component, composer.language)
    named = kind if title == component.id else f"{kind}{composer.words['colon']} {title}"
    says = f"{named}. {' '.join(iter_texts_and_icon_names_as_drawn(face.nodes))}"
    return Passage("Figure", nodes, box, says=says[:400])


@register_directive_composer("map")
def compose_numbered_map(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Show a large picture of a component with numbers on it, and below it what the numbers mean.

    The list inside is numbered. Each item says where its number stands: ``1. {at}`0.1 0.2` The
    shop.`` A number above 1 or below 0 for the height stands beside the picture, for what lies there.
    """
    pair = find_component_and_face_or_note_error(composer, directive.argument, directive.where)
    listing = next((block for block in directive.body if isinstance(block, Listing)), None)
    if pair is None or listing is None:
        composer.add_finding("PP523", directive.where, "expected a component and a numbered list with places")
        return []
    component, face = pair
    full = composer.book.area.width
    width = min(_parse_number_option_or_default(composer, directive, "width", full), full)
    heights = [item.at[1] for item in listing.items if item.at is not None]
    high = width * face.height / face.width
    top = max(0.0, MARKER - min(heights, default=0.5) * high) if min(heights, default=0.5) < 0 else 0.0
    bottom = max(high, max(heights, default=0.5) * high + MARKER) if max(heights, default=0.5) > 1 else high
    box = Rect(composer.book.width - full + (full - width) / 2, top, width, high)
    figure = _build_face_figure_fitted_into_box(composer, component, face, box)
    markers: list[Node] = []
    for number, item in enumerate(listing.items, listing.start or 1):
        if item.at is None:
            composer.add_finding("PP523", item.where, "expected a place: {at}`0.25 0.5`")
            continue
        x, y = box.x + item.at[0] * box.width, box.y + item.at[1] * box.height
        markers += _draw_disc_with_number(composer, number, x, y)
    picture = TypesetBlock((figure._replace(nodes=(*figure.nodes, *markers)),), top + bottom, 3.0)
    width = (composer.book.width - GUTTER) / 2
    items = [
        composer.compose_paragraph(item, "table", "LI", width, bullet=f"**{number}**", marks=False)
        for number, item in enumerate(listing.items, listing.start or 1)
    ]
    half = -(-len(items) // 2)
    columns = [
        stack_blocks_into_one([replace(item, above=1.2) for item in side]) for side in (items[:half], items[half:])
    ]
    below = join_blocks_side_by_side([(0.0, columns[0]), (width + GUTTER, columns[1])], 2.4)
    rules = [rule for item in listing.items for rule in item.rules]
    return [replace(picture, keep=True), composer.copy_block_with_rule_ids_in_margin(below, rules, listing.where)]


def _draw_disc_with_number(composer: DocumentComposer, number: int, x: float, y: float) -> tuple[Node, ...]:
    """Return a dark disc with a pale number on it."""
    words = composer.book.typeset_text_and_note_problems(str(number), 10.0, "marker")
    across, down = x - words.box.width / 2, y - words.box.height / 2 - 0.1
    return (
        build_circle_path(x, y, MARKER, DARK, Stroke(PALE, 0.35)),
        *wrap_nodes_in_shifted_group_if_moved(words.nodes, across, down),
    )


@register_directive_composer("example")
def compose_recorded_example(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Show a recorded game step by step, in the book's words. The argument is the transcript's file, whose moves the
    referee has accepted before.

    Each item of the list inside names its moves, and may show faces or the table: ``- {moves}`12-15`
    {faces}`a101` She digs.``
    """
    if composer.plays is None:
        message = "this book shows played examples, which only a call with `plays` can play"
        composer.add_finding("PP524", directive.where, message)
        return []
    title = directive.options.get("title", "")
    heading = f"{composer.words['example']}{composer.words['colon']} {title}" if title else composer.words["example"]
    width = composer.book.width - 2 * PAD
    block = composer.book.typeset_text_and_note_problems(heading, width, "box-heading", directive.where)
    head = TypesetBlock((Passage("H3", block.nodes, Rect(0, 0, width, block.box.height)),), block.box.height)
    whole = list[TypesetBlock]()
    for share in STEP_SHARES:
        parts = [head]
        for part in directive.body:
            parts += _compose_example_steps_of_block(composer, part, width, directive, share)
        made = _tint_parts_and_join_if_one_page_holds(composer, parts)
        if len(made) == 1:
            return made
        whole = whole or made
    return whole


def _compose_example_steps_of_block(
    composer: DocumentComposer, block: Block, width: float, directive: Directive, picture_scale: float
) -> list[TypesetBlock]:
    if isinstance(block, Listing):
        return [_compose_example_step(composer, item, width, directive.argument, picture_scale) for item in block.items]
    return compose_blocks_for_box(composer, [block], width)


def _compose_example_step(
    composer: DocumentComposer, item: Paragraph, width: float, transcript_file: str, picture_scale: float
) -> TypesetBlock:
    """Return one step: what was done, in the book's words, and the cards and the table that show it, `picture_scale` of
    their usual size."""
    pictures, room = _compose_step_pictures_and_text_width(composer, item, width, transcript_file, picture_scale)
    words = composer.compose_paragraph(item, "table", width=room, marks=False)
    return replace(
        join_blocks_side_by_side([(0.0, words), *pictures]),
        notes=tuple(composer.list_index_and_rule_notes_of_paragraph(item)),
    )


def _compose_step_pictures_and_text_width(
    composer: DocumentComposer, item: Paragraph, width: float, transcript_file: str, picture_scale: float
) -> tuple[list[tuple[float, TypesetBlock]], float]:
    """Return the pictures at the right of a step (the table after it, and faces), and the width
    left for its words."""
    pictures: list[tuple[float, TypesetBlock]] = []
    right = width
    if item.table:
        after = item.moves[1] if item.moves else None
        table_scene = draw_recorded_table_or_note_problem(composer, transcript_file, after, item.table, item.where)
        if table_scene is not None:
            wide = width * TABLE_SHARE * picture_scale
            table = table_scene.face
            box = Rect(0, 0, wide, wide * table.height / table.width)
            figure = Passage(
                "Figure", composer.faces.build_nodes_of_face_fitted_into_box(table, box), box, says=table_scene.says
            )
            right -= wide
            pictures.append((right, TypesetBlock((figure,), box.height)))
            right -= 1.6
    for ref in reversed(item.faces):
        pair = find_component_and_face_or_note_error(composer, ref, item.where)
        if pair is None:
            continue
        component, face = pair
        wide = min(
            STEP_FACE * picture_scale * face.width / face.height,
            STEP_SCALE * picture_scale * face.width,
            width * 0.4 / len(item.faces),
        )
        high = wide * face.height / face.width
        right -= wide
        pictures.append(
            (
                right,
                TypesetBlock(
                    (_build_face_figure_fitted_into_box(composer, component, face, Rect(0, 0, wide, high)),), high
                ),
            )
        )
        right -= 1.6
    return pictures, right - 1.0 if pictures else width


def _tint_parts_and_join_if_one_page_holds(
    composer: DocumentComposer, parts: Sequence[TypesetBlock]
) -> list[TypesetBlock]:
    """Put the parts on one tinted ground with a bar at their left. An example that fits on a page is one piece;
    else a page may end between two parts."""
    made = []
    width = composer.book.width
    fill = composer.book.looks.ink.get_ground_colour_to_print_or_none(composer.book.layout.colours.get("shade"))
    colour = composer.book.drawing.resolve_style_name_or_spec("box-heading").colour
    for number, part in enumerate(parts):
        top = PAD if number == 0 else 1.2
        bottom = PAD if number == len(parts) - 1 else 1.2
        height = part.height + top + bottom
        ground: tuple[Node, ...] = (build_rectangle_path(Rect(0, 0, 0.9, height + 0.05), colour),)
        if fill is not None:
            ground = (build_rectangle_path(Rect(0, 0, width, height + 0.05), fill), *ground)
        passages = tuple(passage.translate(PAD, top) for passage in part.passages)
        under = (*ground, *wrap_nodes_in_shifted_group_if_moved(part.under, PAD, top))
        above = 3.0 if number == 0 else 0.0
        made.append(TypesetBlock(passages, height, above, under, keep=number == 0, notes=part.notes))
    if sum(part.height for part in made) > composer.book.area.height:
        return made
    return [replace(stack_blocks_into_one(made), floats=True)]


@register_directive_composer("scene")
def compose_recorded_scene(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Show parts of the table in a recorded game, after ``:after:`` moves or all of them:
    ``:::{scene} FILE board mat.0``."""
    file, *parts = directive.argument.split()
    text = directive.options.get("after")
    after = int(_parse_number_option_or_default(composer, directive, "after", 0)) if text is not None else None
    table_scene = draw_recorded_table_or_note_problem(composer, file, after, parts, directive.where)
    return _compose_table_figure_with_smaller_ones(composer, directive, table_scene) if table_scene is not None else []


def draw_recorded_table_or_note_problem(
    composer: DocumentComposer, transcript_file: str, moves_played: int | None, table_parts: Sequence[str], where: Where
) -> TablePicture | None:
    """Return a picture of the table, or None after noting what is wrong."""
    if composer.plays is None:
        composer.add_finding("PP524", where, "this book shows the table, which only a call with `plays` can draw")
        return None
    book, key = composer.book, (transcript_file, moves_played, *table_parts)
    if key in composer.faces.scenes:  # pages are filled several times
        return composer.faces.scenes[key]
    path = composer.document.folder / transcript_file
    try:
        table_scene = composer.plays.draw_table_after_moves_or_none(
            path, moves_played, table_parts, book.looks, book.language
        )
    except InputError as error:
        book.collector.add_findings(error.findings)
        return None
    composer.faces.scenes[key] = table_scene
    if table_scene is None:
        composer.add_finding(
            "PP524", where, f"the table of this game has no part {' '.join(table_parts)}, or cannot be drawn"
        )
    return table_scene


def _compose_table_figure_with_smaller_ones(
    composer: DocumentComposer, directive: Directive, table_scene: TablePicture
) -> list[TypesetBlock]:
    full = composer.book.area.width
    width = min(_parse_number_option_or_default(composer, directive, "width", full), full)
    face, caption = table_scene.face, _compose_caption_paragraphs(composer, directive)
    pieces = []
    for wide in (width, *(width * share for share in SMALLER)):
        box = Rect(composer.book.width - full + (full - wide) / 2, 0, wide, wide * face.height / face.width)
        figure = Passage(
            "Figure", composer.faces.build_nodes_of_face_fitted_into_box(face, box), box, says=table_scene.says
        )
        pieces.append(stack_blocks_into_one([TypesetBlock((figure,), box.height, 3.0), *caption]))
    return [replace(pieces[0], smaller=tuple(pieces[1:]), floats=True)]


def _parse_number_option_or_default(
    composer: DocumentComposer, directive: Directive, name: str, default: float
) -> float:
    text = directive.options.get(name)
    if text is None:
        return default
    try:
        return float(text)
    except ValueError:
        composer.add_finding("PP523", directive.where, f"expected a number after `:{name}:`, found `{text}`")
        return default
