"""Imposition: lays out pieces on pages as a plan says.

    pages = impose_pieces_on_pages(pieces, read_sheet_plan_by_name_or_raise("home"), printer=printer)

Pages of fronts and backs alternate, so that a duplex printer needs no further thought."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from playproof.database.errors import Finding, InputError
from playproof.generator.scene import (
    BLACK,
    Colour,
    Face,
    Page,
    Path,
    Placement,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.sheets.marks import (
    EDGE,
    INSIDE,
    WIDTH,
    Outline,
    build_crop_marks_around_grid,
    build_registration_mark_nodes,
    is_too_near_registration_marks,
    list_outlines_of_faces_on_sheet,
    list_registration_lines,
    mirror_marks_for_back_of_sheet,
    place_ruler_and_note_where_room,
)
from playproof.generator.sheets.pieces import Piece, group_pieces_by_trimmed_size, raise_if_no_or_unprintable_pieces
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.printer import Printer
from playproof.generator.sheets.slots import (
    FoldedSheet,
    Grid,
    Segment,
    Sheet,
    Size,
    Slot,
    assign_cards_to_slots_for_cut_and_stack,
    assign_cards_to_slots_in_sequence,
    build_fullest_centred_grid,
    build_grid_at_fixed_places_or_empty,
    choose_fold_holding_more_cards,
    choose_orientation_holding_more_cards,
    copy_grid_shrunk_to_card_count,
    get_axis_printer_turns_sheet_about,
    get_slot_on_back_behind_front_slot,
    repeat_items_by_count,
)
from playproof.generator.wording import SheetWording

CROP = Stroke(BLACK, WIDTH)
BACKS = "backs"
OUTLINE = Stroke(Colour(0.35, 0.35, 0.35), WIDTH)
FOLD = Stroke(BLACK, WIDTH, dash=(3.0, 2.0))
APART = 1.0  # mm between nets beside their bleed: they are cut out one by one, along their own lines


class SheetLayout(NamedTuple):
    """The arrangement that all sheets of one card size share, so that a pile of them is cut at
    once."""

    size: Size
    sheet: Size
    bleed: float
    grid: Grid
    folded: FoldedSheet | None
    cards: tuple[Piece, ...]
    sheets: tuple[Sheet, ...]
    backed: bool  # whether any of the cards has a back

    @property
    def has_only_nets(self) -> bool:
        """Whether all pieces are nets. Nets are cut along their own lines, so marks at the edge
        would mislead."""
        return all(piece.net for piece in self.cards)


class ImpositionJob(NamedTuple):
    """The settings that are the same for every page."""

    plan: Plan
    title: str
    printer: Printer
    say: SheetWording
    sheet_name: str = ""  # of the one sheet to draw; "" numbers the sheets of each layout


class SheetSide(NamedTuple):
    """One side of a sheet before it becomes a page."""

    name: str
    faces: tuple[tuple[Face, Slot], ...]
    marks: tuple[Segment, ...] = ()
    fold: tuple[Segment, ...] = ()
    shift: tuple[float, float] = (0.0, 0.0)  # how far the printer's offset moves faces and marks

    def copy_with_faces_and_marks_shifted(self) -> SheetSide:
        """Return the side with its faces and marks moved by its shift. It keeps the shift."""
        faces = tuple((face, slot.translate(*self.shift)) for face, slot in self.faces)
        return self._replace(faces=faces, marks=tuple(mark.translate(*self.shift) for mark in self.marks))


def impose_pieces_on_pages(
    pieces: Sequence[Piece], plan: Plan, *, title: str = "", printer: Printer | None = None, language: str = "en"
) -> list[Page]:
    """Return all pages for these pieces, size by size. Raises InputError if a piece cannot be laid
    out.

    `title` is printed in the margin, with words of `language`; `printer` corrects the position of
    backs.
    """
    job = ImpositionJob(plan, title, printer or Printer(), SheetWording(language))
    pages: list[Page] = []
    for layout in lay_out_pieces_by_size_or_raise(pieces, plan):
        pages += build_pages_of_numbered_sheets(job, layout, range(len(layout.sheets)))
    return pages


def build_pages_of_numbered_sheets(job: ImpositionJob, layout: SheetLayout, sheet_indices: Iterable[int]) -> list[Page]:
    """Return the pages of some sheets of a layout; fronts and backs alternate."""
    return [
        _build_page_of_sheet_side(job, layout, number, side)
        for number in sheet_indices
        for side in build_one_or_two_sides_of_sheet(job, layout, number)
    ]


def lay_out_pieces_by_size_or_raise(pieces: Sequence[Piece], plan: Plan) -> list[SheetLayout]:
    """Lay out the pieces by the plan, one layout per card size. Raises InputError if the paper is
    too small."""
    raise_if_no_or_unprintable_pieces(pieces)
    cards = group_pieces_by_trimmed_size(piece for piece in pieces if piece.count and not piece.net)
    nets = group_pieces_by_trimmed_size(piece for piece in pieces if piece.count and piece.net)
    groups = [*cards.items(), *nets.items()]
    too_large = [f for size, group in groups if (f := _find_reason_size_does_not_fit_or_none(size, group[0], plan))]
    if too_large:
        raise InputError(too_large)
    return [
        _build_layout_of_one_card_size(size, group, _copy_plan_adapted_to_piece(group[0], plan))
        for size, group in groups
    ]


def can_fit_on_paper(pieces: Sequence[Piece], plan: Plan) -> bool:
    """Return whether each of these pieces fits on the plan's paper."""
    return not list_findings_on_sizes_too_large(pieces, plan)


def list_findings_on_sizes_too_large(pieces: Sequence[Piece], plan: Plan) -> list[Finding]:
    """Return one PP542 for each size of piece that does not fit on the plan's paper."""
    every = (
        _find_reason_size_does_not_fit_or_none(size, group[0], plan)
        for size, group in group_pieces_by_trimmed_size(pieces).items()
    )
    return [finding for finding in every if finding is not None]


def _copy_plan_adapted_to_piece(piece: Piece, plan: Plan) -> Plan:
    """Return the plan for this kind of piece: nets get all their bleed and a wider gutter if the
    paper has room."""
    plan = plan.copy_for_card_size(piece.size)
    if not piece.net:
        return plan
    apart = plan.model_copy(update={"bleed": piece.front.bleed, "gutter": max(plan.gutter, APART)})
    return plan if _find_reason_size_does_not_fit_or_none(piece.size, piece, apart) else apart


def _build_layout_of_one_card_size(card_size: Size, pieces: tuple[Piece, ...], plan: Plan) -> SheetLayout:
    sheet = _get_sheet_size_in_chosen_orientation(card_size, plan)
    folded = choose_fold_holding_more_cards(sheet, card_size, plan.spacing) if plan.backs == "gutterfold" else None
    grid = folded.fronts if folded else _build_grid_clear_of_registration_marks(sheet, card_size, plan)
    cards = repeat_items_by_count((piece, piece.count) for piece in pieces)
    if folded is None and len(cards) < grid.slot_count and plan.fixed_places is None:
        grid = copy_grid_shrunk_to_card_count(grid, len(cards))  # the rest of the paper has room for the ruler
    order = assign_cards_to_slots_for_cut_and_stack if plan.order == "stack" else assign_cards_to_slots_in_sequence
    backed = any(piece.back for piece in pieces)
    return SheetLayout(card_size, sheet, plan.bleed, grid, folded, cards, order(len(cards), grid.slot_count), backed)


def _build_grid_clear_of_registration_marks(sheet: Size, card_size: Size, plan: Plan) -> Grid:
    """Return the grid of a sheet; inside of the registration marks, if it would come too near them."""
    if plan.fixed_places is not None:
        return build_grid_at_fixed_places_or_empty(sheet, card_size, plan.spacing, plan.fixed_places)
    grid = build_fullest_centred_grid(sheet, card_size, plan.spacing)
    if plan.registration == "none" or not is_too_near_registration_marks(
        sheet, grid.bounds_of_all_trims.expand(plan.bleed)
    ):
        return grid
    return build_fullest_centred_grid(sheet, card_size, plan.spacing._replace(margin=INSIDE))


def build_sheet_size_and_cutting_layers(pieces: Sequence[Piece], plan: Plan) -> tuple[Size, dict[str, list[Outline]]]:
    """Return the size of the sheet, and by size of card what a machine cuts out of a sheet: of a full one, since all
    sheets of a pile are cut alike. Nets have lines of their own, and are left out."""
    job = ImpositionJob(plan, "", Printer(), SheetWording("en"))
    layers: dict[str, list[Outline]] = {}
    for layout in lay_out_pieces_by_size_or_raise(pieces, plan):
        if not layout.has_only_nets:
            name = f"cut-{layout.size.width:g}x{layout.size.height:g}"
            faces = (
                build_one_or_two_sides_of_sheet(job, layout, number)[0].faces for number in range(len(layout.sheets))
            )
            layers[name] = list(
                dict.fromkeys(outline for each in faces for outline in list_outlines_of_faces_on_sheet(each))
            )
    return _get_sheet_size_in_chosen_orientation(pieces[0].size, plan), layers


def _get_sheet_size_in_chosen_orientation(card_size: Size, plan: Plan) -> Size:
    plan = plan.copy_for_card_size(card_size)
    portrait, landscape = plan.paper.portrait, plan.paper.landscape
    if plan.orientation != "auto":
        return portrait if plan.orientation == "portrait" else landscape
    if plan.registration != "none":  # one file of outlines serves cards of all sizes
        return landscape
    if plan.backs == "gutterfold":
        counts = [
            choose_fold_holding_more_cards(s, card_size, plan.spacing).fronts.slot_count for s in (portrait, landscape)
        ]
        return landscape if counts[1] > counts[0] else portrait
    if plan.fixed_places is not None:
        turned_grid = build_grid_at_fixed_places_or_empty(landscape, card_size, plan.spacing, plan.fixed_places)
        upright = build_grid_at_fixed_places_or_empty(portrait, card_size, plan.spacing, plan.fixed_places)
        return landscape if turned_grid.slot_count > upright.slot_count else portrait
    return (
        portrait
        if choose_orientation_holding_more_cards(portrait, card_size, plan.spacing) == "portrait"
        else landscape
    )


def _find_reason_size_does_not_fit_or_none(card_size: Size, piece: Piece, plan: Plan) -> Finding | None:
    plan = plan.copy_for_card_size(card_size)
    sheet = _get_sheet_size_in_chosen_orientation(card_size, plan)
    grid = choose_fold_holding_more_cards(sheet, card_size, plan.spacing).fronts if plan.backs == "gutterfold" else None
    if (grid or _build_grid_clear_of_registration_marks(sheet, card_size, plan)).slot_count:
        return None
    card = f"{card_size.width:g} x {card_size.height:g} mm"
    half = "half of " if plan.backs == "gutterfold" else ""
    message = (
        f"{piece.name} of {card} does not fit on {half}{plan.paper.name} "
        f"({sheet.width:g} x {sheet.height:g} mm, margin {plan.margin:g}, bleed {plan.bleed:g})"
    )
    if plan.fixed_places is not None:
        message += f" in the places of the plan {plan.name or 'of this product'}"
    return Finding("PP542", piece.where, message, "take larger paper, or lay it out as a board in tiles")


def has_fronts_and_backs(plan: Plan, layout: SheetLayout) -> bool:
    """Return whether the sheets hold fronts and backs: on both sides of the paper, or to be folded."""
    return layout.folded is not None or (plan.backs == "duplex" and layout.backed)


def build_one_or_two_sides_of_sheet(job: ImpositionJob, layout: SheetLayout, sheet_index: int) -> list[SheetSide]:
    """Return the one or two sides of a sheet."""
    plan, grid = job.plan, layout.grid
    chosen = [(slot, layout.cards[i]) for slot, i in enumerate(layout.sheets[sheet_index]) if i is not None]
    fronts = tuple((piece.front, grid.get_slot_at_index(slot)) for slot, piece in chosen)
    backs = tuple((piece.back, slot) for slot, piece in chosen if piece.back is not None)
    if layout.folded is not None:
        return [_build_side_with_fronts_and_folded_backs(plan, layout.folded, fronts, backs)]
    marks = build_crop_marks_around_grid(grid, layout.bleed) if plan.marks and not layout.has_only_nets else ()
    sides = [SheetSide("fronts", fronts, marks)]
    if has_fronts_and_backs(plan, layout):
        faces = tuple(
            (face, get_slot_on_back_behind_front_slot(grid.get_slot_at_index(slot), layout.sheet, plan.flip))
            for face, slot in backs
        )
        axis = get_axis_printer_turns_sheet_about(layout.sheet, plan.flip)
        shift = job.printer.get_back_offset_in_mm_or_zero(layout.sheet, plan.flip)
        sides.append(SheetSide(BACKS, faces, mirror_marks_for_back_of_sheet(marks, layout.sheet, axis), shift=shift))
    return sides


def _build_side_with_fronts_and_folded_backs(
    plan: Plan, folded: FoldedSheet, fronts: tuple[tuple[Face, Slot], ...], backs: tuple[tuple[Face, int], ...]
) -> SheetSide:
    faces = (*fronts, *((face, folded.get_slot_of_back_folding_onto(slot)) for face, slot in backs))
    if not plan.marks:
        return SheetSide("fronts and backs", faces, fold=(folded.fold_line,))
    marks = build_crop_marks_around_grid(folded.fronts, plan.bleed, folded.half_with_fronts.expand(-EDGE))
    axis = "horizontal" if folded.fold == "across" else "vertical"
    both = (*marks, *mirror_marks_for_back_of_sheet(marks, folded.fronts.sheet, axis))
    return SheetSide("fronts and backs", faces, both, (folded.fold_line,))


def _build_page_of_sheet_side(job: ImpositionJob, layout: SheetLayout, sheet_index: int, side: SheetSide) -> Page:
    """Return the side as a page, with a ruler and a line of text in its margin."""
    bleed = layout.bleed
    if any(side.shift):
        side = side.copy_with_faces_and_marks_shifted()
    placements = tuple([Placement(face, slot.transform, min(face.bleed, bleed)) for face, slot in side.faces])
    if job.plan.gap is not None:
        placements = (
            *(
                _build_gap_colour_placement(rect, job.plan.gap)
                for rect in _list_printed_areas_of_full_sheet(layout, side)
            ),
            *placements,
        )
    marks = side.marks
    sheet_name = job.sheet_name or job.say("sheet", n=sheet_index + 1, of=len(layout.sheets))
    side_name = job.say(side.name) if has_fronts_and_backs(job.plan, layout) else ""
    words = (job.title, sheet_name, side_name)
    note = " · ".join(word for word in words if word)
    found_by = job.plan.registration != "none" and side.name != BACKS
    taken = (*marks, *side.fold, *(list_registration_lines(layout.sheet) if found_by else ()))
    notes = place_ruler_and_note_where_room(
        layout.sheet, _list_printed_areas_of_full_sheet(layout, side), taken, note, job.plan.ruler
    )
    notes = (*(build_registration_mark_nodes(layout.sheet) if found_by else ()), *notes)
    drawn = (Use(build_symbol_of_cut_and_fold_marks(layout.sheet, marks, side.fold)),) if marks or side.fold else ()
    rounds = draw_hairlines_around_unusual_fronts(side) if job.plan.marks else ()
    return Page(*layout.sheet, placements, (*rounds, *drawn, *notes), label=f"{side.name} {sheet_index + 1}")


def _build_gap_colour_placement(rect: Rect, colour: str) -> Placement:
    """Return the ground between and round the cards, which lies below them."""
    ground = build_rectangle_path(Rect(0, 0, rect.width, rect.height), Colour.parse_hex_or_cmyk_colour_or_raise(colour))
    return Placement(Face(f"gap {colour}", rect.width, rect.height, (ground,)), Transform.move(rect.x, rect.y))


def draw_hairlines_around_unusual_fronts(side: SheetSide) -> tuple[Use, ...]:
    """Return a hairline along the outline of each front that is not a rectangle, to cut by."""
    if side.name == BACKS:
        return ()
    shapes: dict[Path, Symbol] = {}
    drawn = []
    for face, slot in side.faces:
        if face.outline is not None:
            name = sha256(repr(face.outline).encode()).hexdigest()[:12]
            outline = face.outline._replace(fill=None, stroke=OUTLINE)
            symbol = shapes.setdefault(face.outline, Symbol(f"outline {name}", face.trim.expand(1.0), (outline,)))
            drawn.append(Use(symbol, slot.transform))
    return tuple(drawn)


@lru_cache(maxsize=64)
def build_symbol_of_cut_and_fold_marks(sheet: Size, marks: tuple[Segment, ...], folds: tuple[Segment, ...]) -> Symbol:
    """Return the marks as one symbol. All sheets of a pile share it, so that a file stores it
    once."""
    lines = (*(build_line_path(*mark, CROP) for mark in marks), *(build_line_path(*fold, FOLD) for fold in folds))
    name = sha256(repr((sheet, marks, folds)).encode()).hexdigest()[:12]
    return Symbol(f"marks {name}", Rect(0, 0, sheet.width, sheet.height), lines)


def _list_printed_areas_of_full_sheet(layout: SheetLayout, side: SheetSide) -> tuple[Rect, ...]:
    """Return the area of the cards on a full sheet, bleed included, which is the same for every
    sheet of the pile."""
    block, sheet = layout.grid.bounds_of_all_trims.expand(layout.bleed), layout.sheet
    if layout.folded is not None:
        other = Rect(sheet.width - block.right, sheet.height - block.bottom, block.width, block.height)
        return block, other
    # A back page's block is the mirrored one; the grid is centred, so both are the same rectangle.
    return (block.translate(*side.shift),)
