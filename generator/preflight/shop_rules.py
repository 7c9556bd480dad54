"""What a print shop requires beyond the standard: sizes, fonts, ink, pictures, type, bleed; and the rules
for vendors that take one picture per side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np
import numpy.typing as npt
import pikepdf
from PIL import Image

from playproof.generator.preflight.pdf_file import (
    POINTS_PER_MM,
    Box,
    OpenPdf,
    compute_ink_percentage_or_zero_for_rgb,
    parse_pdf_colour_space,
)
from playproof.generator.preflight.rule_table import Problem, RuleTable
from playproof.generator.sheets.slots import Size
from playproof.generator.vendor_profiles import Profile

# -- shop ----------------------------------------------------------------------------------------------------
# What a print shop requires beyond the standard: sizes, fonts, ink, pictures, type, bleed, order. Ink and
# bleed are looked at pixel by pixel.

TABLE: RuleTable[OpenPdf] = RuleTable()

CLOSE = 0.1  # mm between a page's box and what the vendor cuts
THINNEST = 0.25  # pt; thinner lines break up in print
SLACK = 0.05  # pt of type size, from rounding
NEAR = 0.5  # dots per inch, from pictures of whole pixels


def is_rule_for_every_profile(_: Profile) -> bool:
    """Rules for every profile."""
    return True


def does_vendor_cut_cards(profile: Profile) -> bool:
    """Rules for vendors that cut cards out of pages."""
    return bool(profile.products)


def does_vendor_limit_ink(profile: Profile) -> bool:
    """Rules for vendors that limit ink."""
    return profile.total_ink is not None


def does_vendor_limit_card_count(profile: Profile) -> bool:
    """Rules for vendors with a limit on the number of cards."""
    return profile.most_cards is not None


def does_vendor_have_safe_zone(profile: Profile) -> bool:
    """Rules for vendors with a safe zone."""
    return profile.safe > 0


def does_vendor_have_no_safe_zone(profile: Profile) -> bool:
    """Rules for profiles without a safe zone: the cut itself is the limit."""
    return not does_vendor_have_safe_zone(profile)


@TABLE.register_function_as_rule(
    "PP576", "every font is embedded", "PDF/X-1a:2003, and every vendor's help page", is_rule_for_every_profile
)
def find_fonts_not_embedded(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for name in sorted(name for name, font in facts.fonts.items() if not _is_font_embedded(font)):
            yield Problem(number, f"expected every font embedded, found {name} only named")


@TABLE.register_function_as_rule(
    "PP577", "the page is what the vendor cuts", "the profile's products", does_vendor_cut_cards
)
def find_page_sizes_vendor_does_not_cut(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    sizes = ", ".join(f"{name} {p.size.width:g} x {p.size.height:g}" for name, p in profile.products.items())
    for number, page, _facts in document.pages:
        left, bottom, right, top = document.get_trim_or_next_larger_box_of_page(page)
        size = Size((right - left) / POINTS_PER_MM, (top - bottom) / POINTS_PER_MM)
        if profile.find_nearest_size_product_or_none(size, exact=True) is None:
            actual = f"{size.width:.2f} x {size.height:.2f} mm"
            yield Problem(number, f"expected a trimmed size that {profile.title} cuts, found {actual}", sizes)


@TABLE.register_function_as_rule("PP578", "the page has room for bleed", "the profile's bleed", does_vendor_cut_cards)
def find_pages_without_room_for_bleed(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        room = _measure_least_page_beyond_cut_in_mm(document, page)
        if room < profile.bleed - CLOSE:
            message = f"expected {profile.bleed:g} mm of page beyond the cut on every side, found {room:.2f}"
            yield Problem(number, message)


@TABLE.register_function_as_rule(
    "PP579", "colours are in the vendor's space", "the profile's colour", is_rule_for_every_profile
)
def find_colours_in_wrong_space(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        if profile.colour == "rgb":
            wrong = {paint.space.family for paint in facts.paints if paint.space.is_cmyk}
        else:
            wrong = {paint.space.family for paint in facts.paints if paint.space.is_rgb}
        for family in sorted(wrong):
            yield Problem(number, f"expected {profile.colour.upper()} colours, found {family}")


@TABLE.register_function_as_rule(
    "PP580", "no flat colour has too much ink", "the profile's total_ink", does_vendor_limit_ink
)
def find_flat_colours_with_too_much_ink(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    limit = profile.total_ink or 0.0
    for number, _page, facts in document.pages:
        heaviest = max(
            (compute_ink_percentage_or_zero_for_rgb(paint.space, paint.parts) for paint in facts.paints), default=0.0
        )
        if heaviest > limit + 0.1:
            yield Problem(number, f"expected at most {limit:g} % of ink, found a colour of {heaviest:.0f} %")


@TABLE.register_function_as_rule(
    "PP581", "no picture has too much ink", "the profile's total_ink", does_vendor_limit_ink
)
def find_pictures_with_too_much_ink(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    limit, seen = profile.total_ink or 0.0, dict[tuple[int, int], float]()
    for number, _page, facts in document.pages:
        for key, image in facts.images.items():
            if key not in seen:
                seen[key] = compute_max_ink_percent_or_zero_for_rgb(image)
            if seen[key] > limit + 0.5:  # a pixel has 8 bits a plate
                heaviest = f"{seen[key]:.0f} %"
                yield Problem(number, f"expected at most {limit:g} % of ink, found a picture with {heaviest}")


@TABLE.register_function_as_rule(
    "PP582", "pictures are fine enough", "the profile's resolution", is_rule_for_every_profile
)
def find_pictures_of_low_resolution(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for picture in sorted(facts.pictures, key=lambda drawn: drawn.per_inch):
            if picture.per_inch < profile.resolution - NEAR:
                size = f"{picture.pixels[0]} x {picture.pixels[1]} px"
                message = f"expected {profile.resolution:g} dots per inch, found {picture.per_inch:.0f}"
                hint = "place it smaller or draw it larger"
                yield Problem(number, f"{message} in a picture of {size}", hint)


@TABLE.register_function_as_rule(
    "PP583",
    "type is large enough to read",
    "the profile's least_text (cardsource.com: 7 pt)",
    is_rule_for_every_profile,
)
def find_text_too_small_to_read(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for font, size in sorted(facts.texts):
            if 0 < size < profile.least_text - SLACK:
                smallest = f"{font.split('+')[-1]} at {size:g}"
                yield Problem(number, f"expected type of {profile.least_text:g} pt or more, found {smallest}")


@TABLE.register_function_as_rule("PP584", "colour runs on into the bleed", "the profile's bleed", does_vendor_cut_cards)
def find_sides_where_colour_ends_at_cut(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        for side in iter_names_of_sides_with_white_bleed(document, number, page, profile.bleed):
            fault = f"found white on the {side}"
            yield Problem(number, f"expected colour at the cut to run on into the bleed, {fault}")


@TABLE.register_function_as_rule(
    "PP585", "text keeps clear of the cut", "the profile's safe", does_vendor_have_safe_zone
)
def find_text_too_near_cut(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        trim = document.get_trim_or_next_larger_box_of_page(page)
        nearest = _find_least_text_distance_inside_cut_in_mm(document, number, trim, profile.safe)
        if nearest < profile.safe - CLOSE:
            fault = f"found some at {nearest:.1f} mm"
            yield Problem(number, f"expected text {profile.safe:g} mm or more inside the cut, {fault}")


@TABLE.register_function_as_rule(
    "PP594", "no text lies beyond the page's edge", "what is cut off is not read", does_vendor_have_no_safe_zone
)
def find_text_beyond_page_edge(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        trim = document.get_trim_or_next_larger_box_of_page(page)
        if _is_page_tile_of_larger_form(page, trim):
            continue  # the rest of its text is on the other tiles
        nearest = _find_least_text_distance_inside_cut_in_mm(document, number, trim, 0.0)
        if nearest < -CLOSE:
            yield Problem(number, f"expected all text inside the page's edge, found some {-nearest:.1f} mm beyond it")


def _is_page_tile_of_larger_form(page: pikepdf.Object, trim: Box) -> bool:
    """Return whether a page shows a part of a picture that is larger than itself, as a tile of a board does."""
    left, bottom, right, top = trim
    resources = page.get("/Resources", pikepdf.Dictionary())
    for form in resources.get("/XObject", pikepdf.Dictionary()).values():
        if "/BBox" in form:
            x0, y0, x1, y1 = map(float, form["/BBox"])
            if x1 - x0 > right - left or y1 - y0 > top - bottom:
                return True
    return False


@TABLE.register_function_as_rule(
    "PP586", "pages come in the vendor's order", "the profile's order", does_vendor_cut_cards
)
def find_fronts_and_backs_in_wrong_order(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    count = len(document.pdf.pages)
    if profile.order == "separate":
        return
    if count % 2:
        yield Problem(None, f"expected a back and a front for every card, found {count} pages")
        return
    first, second = profile.order.split("-")
    labels = document.list_page_labels_or_empty()
    if labels:
        yield from _iter_label_pairs_in_wrong_order(labels, first, second)
    elif _is_every_second_page_alike(document, 0) != _is_every_second_page_alike(
        document, 1
    ) and _is_every_second_page_alike(document, 0 if first == "front" else 1):
        yield Problem(None, f"expected {first} 1, {second} 1, {first} 2 ...: the order looks turned round")


@TABLE.register_function_as_rule(
    "PP587", "lines are thick enough to print", "psprint.com: 0.25 pt", is_rule_for_every_profile, "warning"
)
def find_lines_too_thin_to_print(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        thinnest = min(facts.lines, default=1.0)
        if thinnest < THINNEST - 0.005:
            yield Problem(number, f"expected lines of {THINNEST:g} pt or more, found {thinnest:g} pt")


@TABLE.register_function_as_rule(
    "PP588", "not more cards than the vendor takes", "the profile's most_cards", does_vendor_limit_card_count
)
def find_more_cards_than_vendor_takes(document: OpenPdf, profile: Profile) -> Iterator[Problem]:
    cards = len(document.pdf.pages) // 2
    if profile.most_cards is not None and cards > profile.most_cards:
        yield Problem(None, f"expected at most {profile.most_cards} cards, found {cards}", "split the deck")


def _is_font_embedded(font: pikepdf.Object) -> bool:
    """Return whether the font is embedded. A Type 3 font always is, as drawings; others need a font
    file."""
    if str(font.get("/Subtype", "")) == "/Type3":
        return True
    for descendant in font.get("/DescendantFonts", [font]):
        descriptor = descendant.get("/FontDescriptor")
        if descriptor is None or not any(f"/FontFile{n}" in descriptor for n in ("", "2", "3")):
            return False
    return True


def _measure_least_page_beyond_cut_in_mm(document: OpenPdf, page: pikepdf.Object) -> float:
    """Return the smallest distance (mm) between the cut and the edge of the page."""
    trim = document.get_trim_or_next_larger_box_of_page(page)
    outer = document.get_page_box_or_none(page, "/BleedBox") or document.get_page_box_or_none(page, "/MediaBox") or trim
    sides = (trim[0] - outer[0], trim[1] - outer[1], outer[2] - trim[2], outer[3] - trim[3])
    return min(sides) / POINTS_PER_MM


def _find_least_text_distance_inside_cut_in_mm(document: OpenPdf, page_number: int, trim: Box, default: float) -> float:
    """Return how far inside the cut the nearest text of a page lies; `default` for a page without text."""
    boxes = document.list_text_boxes_on_page_in_points(page_number)
    return min((_measure_text_distance_inside_cut_in_mm(box, trim) for box in boxes), default=default)


def _measure_text_distance_inside_cut_in_mm(text: Box, trim: Box) -> float:
    """Return how far (mm) a text stands inside the cut; negative if it stands outside."""
    sides = (text[0] - trim[0], text[1] - trim[1], trim[2] - text[2], trim[3] - text[3])
    return min(sides) / POINTS_PER_MM


def _iter_label_pairs_in_wrong_order(labels: list[str], first_side: str, second_side: str) -> Iterator[Problem]:
    for number in range(1, len(labels), 2):
        earlier, later = labels[number - 1], labels[number]
        sides = (earlier.partition(" ")[0], later.partition(" ")[0])
        same = earlier.partition(" ")[2] == later.partition(" ")[2]
        if sides != (first_side, second_side) or not same:
            yield Problem(
                number, f"expected {first_side} and {second_side} of one card, found {earlier!r} and {later!r}"
            )


def _is_every_second_page_alike(document: OpenPdf, first_index: int) -> bool:
    """Return whether every second page from `first_index` draws the same, as backs commonly do."""
    pages = [page for _, page, _ in document.pages]
    return len({_read_page_operators_or_empty(page) for page in pages[first_index::2]}) == 1 and len(pages) > 2


def _read_page_operators_or_empty(page: pikepdf.Object) -> bytes:
    """Return the page's operators; empty for a blank page."""
    contents = page.get("/Contents")
    if contents is None:
        return b""
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents]
    return b"\n".join(stream.read_bytes() for stream in streams)


PER_INCH = 100.0  # a millimetre is four pixels
WHITE = 250
LEAST_SHARE = 0.02  # of a side; less is a stray corner

Pixels = npt.NDArray[np.uint8]


def iter_names_of_sides_with_white_bleed(
    document: OpenPdf, page_number: int, page: pikepdf.Object, bleed_mm: float
) -> Iterator[str]:
    """Yield the sides (left, right, top, bottom) where colour ends at the cut."""
    trim = document.get_trim_or_next_larger_box_of_page(page)
    # what PDFium renders
    window = document.get_page_box_or_none(page, "/CropBox") or document.get_page_box_or_none(page, "/MediaBox") or trim
    pixels = np.asarray(document.render_page_to_pixels(page_number, PER_INCH))
    scale = PER_INCH / 72
    left, right = round((trim[0] - window[0]) * scale), round((trim[2] - window[0]) * scale)
    top, bottom = round((window[3] - trim[3]) * scale), round((window[3] - trim[1]) * scale)
    reach = max(1, int(bleed_mm * POINTS_PER_MM * scale) - 1)  # one pixel less: edges are softened
    across, down = slice(max(top, 0), bottom), slice(max(left, 0), right)
    sides = {
        "left": (
            _get_nearest_row_or_column_of_pixels(pixels, left + 1, 1)[across],
            _get_nearest_row_or_column_of_pixels(pixels, left - reach, 1)[across],
        ),
        "right": (
            _get_nearest_row_or_column_of_pixels(pixels, right - 2, 1)[across],
            _get_nearest_row_or_column_of_pixels(pixels, right - 1 + reach, 1)[across],
        ),
        "top": (
            _get_nearest_row_or_column_of_pixels(pixels, top + 1, 0)[down],
            _get_nearest_row_or_column_of_pixels(pixels, top - reach, 0)[down],
        ),
        "bottom": (
            _get_nearest_row_or_column_of_pixels(pixels, bottom - 2, 0)[down],
            _get_nearest_row_or_column_of_pixels(pixels, bottom - 1 + reach, 0)[down],
        ),
    }
    for name, (inside, outside) in sides.items():
        if _compute_share_coloured_inside_and_white_outside(inside, outside) > LEAST_SHARE:
            yield name


def _get_nearest_row_or_column_of_pixels(pixels: Pixels, index: int, axis: int) -> Pixels:
    """Return a row or column of pixels, or the last one if the page ends before the bleed does."""
    nearest = min(max(index, 0), pixels.shape[axis] - 1)
    row: Pixels = np.take(pixels, nearest, axis=axis)
    return row


def _compute_share_coloured_inside_and_white_outside(inside: Pixels, outside: Pixels) -> float:
    """Return the share of a side that is coloured at the cut and white in the bleed."""
    coloured = inside.min(axis=1) < WHITE
    white = outside.min(axis=1) >= WHITE
    return float((coloured & white).mean()) if len(inside) else 0.0


def compute_max_ink_percent_or_zero_for_rgb(image: pikepdf.Object) -> float:
    """Return the percentage of ink at the darkest pixel of a picture; 0 if it cannot be known
    (RGB)."""
    space = parse_pdf_colour_space(image.get("/ColorSpace"))
    if not space.is_cmyk:
        return 100.0 if space.family == "DeviceGray" else 0.0
    assert isinstance(image, pikepdf.Stream), "pictures are streams"
    picture = pikepdf.PdfImage(image).as_pil_image()
    if picture.mode != "CMYK":
        picture = picture.convert("CMYK")
    return _compute_max_ink_percentage_of_cmyk_pixels(picture)


def _compute_max_ink_percentage_of_cmyk_pixels(picture: Image.Image) -> float:
    plates = [np.asarray(plate, dtype=np.uint16) for plate in picture.split()]
    return float(reduce(np.add, plates).max()) / 255 * 100


# -- vendor pictures -----------------------------------------------------------------------------------------
# Rules for vendors that take one picture per side.

PICTURE_TABLE: RuleTable[Image.Image] = RuleTable()


def is_rule_for_every_picture(_: Profile) -> bool:
    """Rules for every profile."""
    return True


def does_vendor_take_pictures(profile: Profile) -> bool:
    """Rules for vendors that take one picture per side."""
    return profile.file == "png"


@PICTURE_TABLE.register_function_as_rule(
    "PP589", "the canvas has the vendor's pixels", "the profile's canvases", does_vendor_take_pictures
)
def find_wrong_canvas_size(picture: Image.Image, profile: Profile) -> Iterator[Problem]:
    canvases = {tuple(product.canvas): name for name, product in profile.products.items() if product.canvas}
    if picture.size not in canvases and picture.size[::-1] not in canvases:
        canvas_names = ", ".join(f"{name} {wide} x {high}" for (wide, high), name in canvases.items())
        actual = f"{picture.size[0]} x {picture.size[1]} px"
        yield Problem(None, f"expected a canvas of {profile.title}, found {actual}", canvas_names)


@PICTURE_TABLE.register_function_as_rule(
    "PP590", "the canvas is RGB", "help.thegamecrafter.com: CMYK images will be rejected", is_rule_for_every_picture
)
def find_canvas_not_rgb(picture: Image.Image, profile: Profile) -> Iterator[Problem]:
    if profile.colour == "rgb" and picture.mode not in ("RGB", "L", "P", "1"):
        yield Problem(None, f"expected an opaque RGB picture, found {picture.mode}")
