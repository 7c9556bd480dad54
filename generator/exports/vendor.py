"""Files for a print shop, as its profile requires: one PDF in the shop's page order, or one picture
per side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.errors import Finding, FindingCollector, merge_same_findings
from playproof.database.files import make_file_name, write_atomically
from playproof.generator.exports.pdfx import add_page_labels, convert_to_pdfx1a
from playproof.generator.exports.raster import build_face_page, encode_png, render_faces
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.profiles import Product, Profile
from playproof.generator.scene import Face, Page, Rect
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.order import repeat_by_count
from playproof.generator.sheets.pieces import Piece, check_pieces

if TYPE_CHECKING:
    from PIL.Image import Image

CLOSE = 1e-6  # mm
NEAR = 0.1  # mm; art is not scaled for less


def check_accepted(pieces: Sequence[Piece], profile: Profile) -> None:
    """Raise InputError with every reason this vendor would refuse the pieces, before anything is
    drawn."""
    check_pieces(pieces)
    collector = FindingCollector()
    for piece in pieces:
        collector.add_findings(list_refusals(piece, profile))
    collector.findings = merge_same_findings(collector.findings)
    cards = sum(piece.count for piece in pieces)
    if profile.most_cards is not None and cards > profile.most_cards:
        message = f"expected at most {profile.most_cards} cards for {profile.title}, found {cards}"
        collector.add_finding("PP552", pieces[0].where, message, "split the deck")
    collector.raise_if_errors()


def list_refusals(piece: Piece, profile: Profile) -> list[Finding]:
    """Return the reasons why this vendor would not print a piece; an empty list if it would."""
    collector = FindingCollector()
    product = find_product(piece, profile)
    if profile.products and piece.net:
        message = f"is folded from a net, and only flat pieces are exported to {profile.title}"
        collector.add_finding("PP550", piece.where, message, profile.advice.net, about=piece.name)
    elif profile.products and piece.front.outline is not None and not _is_round(piece):
        message = f"{profile.title} cuts no hexagons"
        collector.add_finding(
            "PP550",
            piece.where,
            message,
            "print it at home, or take a layout without `outline`",
            about=piece.name,
        )
    elif profile.products and product is None:
        size = f"{piece.size.width:g} x {piece.size.height:g} mm"
        message = f"{profile.title} does not cut {size}{' round' if _is_round(piece) else ''}"
        collector.add_finding(
            "PP550", piece.where, message, _describe_nearest_product(profile, piece), about=piece.name
        )
    for face in filter(None, (piece.front, None if _is_one_sided(product) else piece.back)):
        needed = _measure_beyond_trim(_compute_printed_window(face, profile, product))
        if face.bleed < needed - CLOSE:
            message = f"expected {needed:.4g} mm of bleed, found {face.bleed:g}"
            collector.add_finding(
                "PP551", piece.where, message, "give the layout more bleed", about=face.name
            )
    if piece.back is None and not _is_one_sided(product):
        message = f"no back, and {profile.title} prints both sides"
        collector.add_finding("PP547", piece.where, message, about=piece.name)
    return list(collector.findings)


def find_product(piece: Piece, profile: Profile) -> Product | None:
    """Return the vendor's product for a piece; None for a net or a hexagon, or if the vendor does not cut
    this size."""
    if piece.net or (piece.front.outline is not None and not _is_round(piece)):
        return None
    return profile.find_product(piece.size, _is_round(piece))


def _is_one_sided(product: Product | None) -> bool:
    return product is not None and product.one_sided


def _is_round(piece: Piece) -> bool:
    return piece.front.is_round


def _compute_printed_window(face: Face, profile: Profile, product: Product | None) -> Rect:
    """Return the part of a face that the vendor prints, bleed included: centred, and scaled so that
    it fills the product."""
    scale = compute_scale_to_product(Size(face.width, face.height), product)
    # A face of nearly the product's size keeps its own cut; a scaled one is cut where the product is.
    trim = (
        Size(face.width, face.height)
        if product is None or scale == 1
        else _orient_size_like_face(product.size, face)
    )
    width, height = (trim.width + 2 * profile.bleed) / scale, (trim.height + 2 * profile.bleed) / scale
    return Rect((face.width - width) / 2, (face.height - height) / 2, width, height)


def compute_scale_to_product(size: Size, product: Product | None) -> float:
    """Return by how much art of this size is scaled to fill the product, 1 where the sizes are nearly the same."""
    if product is None:
        return 1.0
    trim = _orient_size_like_face(product.size, size)
    scale = max(trim.width / size.width, trim.height / size.height)
    return 1.0 if abs(scale - 1) * max(trim) < NEAR else scale


def get_turn_for_product(size: Size, product: Product | None, side: str) -> float:
    """Return the clockwise turn in degrees that lays a face on the vendor's product. Backs turn the other way: turned
    over sideways as it is read, the card then shows its back upright."""
    if product is None or _orient_size_like_face(product.size, size) == product.size:
        return 0.0
    return 90.0 if side == "front" else 270.0


def _measure_beyond_trim(window: Rect) -> float:
    """Return how far (mm) a window reaches beyond the trim."""
    return max(0.0, -window.x, -window.y)


def _orient_size_like_face(size: Size, face: Face | Size) -> Size:
    """Return the size, upright or on its side as the face is."""
    is_square = size.width == size.height
    return (
        size if is_square or (size.width < size.height) == (face.width < face.height) else size.swap_sides()
    )


def build_vendor_pages(pieces: Sequence[Piece], profile: Profile) -> list[Page]:
    """Return one page per side, with bleed, in the vendor's order. Each label names the card and
    the side."""
    check_accepted(pieces, profile)
    pages = []
    for piece in repeat_by_count((piece, piece.count) for piece in pieces):
        product = find_product(piece, profile)
        front = _build_side_page(piece.front, profile, product, "front", piece.name)
        back = _build_side_page(_require_back(piece), profile, product, "back", piece.name)
        pages += [back, front] if profile.order == "back-front" else [front, back]
    return pages


def _build_side_page(face: Face, profile: Profile, product: Product | None, side: str, name: str) -> Page:
    """Return a side as a page of the vendor's product."""
    size = Size(face.width, face.height)
    window, scale = _compute_printed_window(face, profile, product), compute_scale_to_product(size, product)
    return build_face_page(
        face, window, f"{side} {name}", scale=scale, turn=get_turn_for_product(size, product, side)
    )


def write_vendor_pdf(pieces: Sequence[Piece], profile: Profile, path: Path, *, title: str) -> list[Page]:
    """Write the PDF that a vendor takes, atomically, and return its pages."""
    pages = build_vendor_pages(pieces, profile)
    strict = bool(profile.standard)
    metadata = Metadata(title)
    data = render_pdf(pages, metadata=metadata, colour_space=profile.colour, transparency=not strict)
    data = add_page_labels(data, [page.label for page in pages])
    if profile.condition is not None:
        data = convert_to_pdfx1a(data, profile.condition, title=title)
    write_atomically(path, data)
    return pages


def write_side_pictures(pieces: Sequence[Piece], profile: Profile, folder: Path) -> list[Path]:
    """Write one PNG per side at the vendor's exact size, into `fronts/` and `backs/`.

    A file's name says the number of copies. A product printed on one side has no picture in
    `backs/`. Pictures of an earlier build leave these folders.
    """
    check_accepted(pieces, profile)
    drawn: dict[tuple[int, float], bytes] = {}  # by face and turn: one back commonly serves a whole deck
    written = []
    for number, piece in enumerate((piece for piece in pieces if piece.count), 1):
        copies = f" x{piece.count}" if piece.count > 1 else ""
        product = find_product(piece, profile)
        assert product is not None, "check_accepted() lets only products through"
        sides = [("fronts", piece.front), *([] if product.one_sided else [("backs", _require_back(piece))])]
        for side, face in sides:
            turn = get_turn_for_product(Size(face.width, face.height), product, side.removesuffix("s"))
            if (id(face), turn) not in drawn:
                (picture,) = render_faces(
                    [face], _get_canvas_size(face, product), _compute_printed_window(face, profile, product)
                )
                drawn[id(face), turn] = encode_png(_turn_picture(picture, turn), profile.resolution)
            path = folder / side / f"{number:03d} {make_file_name(piece.name)}{copies}.png"
            write_atomically(path, drawn[id(face), turn])
            written.append(path)
    for old in {*folder.glob("fronts/*.png"), *folder.glob("backs/*.png")} - {*written}:
        old.unlink()
    return written


def _get_canvas_size(face: Face, product: Product) -> tuple[int, int]:
    """Return the size of the vendor's canvas in pixels, upright or on its side as the face is."""
    assert product.canvas is not None, "a profile of pictures has canvases"
    width, height = product.canvas
    return (width, height) if _orient_size_like_face(product.size, face) == product.size else (height, width)


def _turn_picture(picture: Image, turn: float) -> Image:
    """Return the picture turned clockwise by a multiple of 90 degrees."""
    from PIL.Image import Transpose

    turns = {90.0: Transpose.ROTATE_270, 270.0: Transpose.ROTATE_90}  # Pillow turns the other way
    return picture.transpose(turns[turn]) if turn else picture


def _describe_nearest_product(profile: Profile, piece: Piece) -> str:
    """Return a hint that names the product of the nearest size, upright or on its side. Round
    pieces get round products."""
    short, long = sorted(piece.size)

    def far(product: Product) -> float:
        least, most = sorted(product.trim)
        return abs(least - short) + abs(most - long)

    alike = {name: each for name, each in profile.products.items() if each.round == _is_round(piece)}
    if not alike:
        return "it cuts nothing round"
    name = min(alike, key=lambda each: far(alike[each]))
    width, height = alike[name].trim
    return f"its nearest is {name}, {width:g} x {height:g}"


def _require_back(piece: Piece) -> Face:
    assert piece.back is not None, "check_accepted() lets only pieces with backs through"
    return piece.back
