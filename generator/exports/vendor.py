"""Files for a print shop, as its profile requires: one PDF in the shop's page order (PDF/X-1a where asked),
or one picture per side; and the order manifest, with what arrived at the shop checked against it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    Where,
    make_path_relative_to_working_folder,
    merge_findings_differing_in_subject,
)
from playproof.database.files import compute_file_sha256, format_json_bytes, make_safe_file_name, write_file_atomically
from playproof.generator.exports.raster import (
    build_page_of_face_and_bleed,
    encode_reproducible_png,
    render_faces_at_exact_pixels,
)
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.scene import Face, Page, Rect
from playproof.generator.sheets.pieces import Piece, raise_if_no_or_unprintable_pieces
from playproof.generator.sheets.slots import Size, repeat_items_by_count
from playproof.generator.vendor_profiles import Condition, Product, Profile

if TYPE_CHECKING:
    from PIL.Image import Image


# Files for a print shop, as its profile requires: one PDF in the shop's page order, or one picture per
# side.

CLOSE = 1e-6  # mm
NEAR = 0.1  # mm; art is not scaled for less


def refuse_pieces_that_vendor_rejects(pieces: Sequence[Piece], profile: Profile) -> None:
    """Raise InputError with every reason this vendor would refuse the pieces, before anything is
    drawn."""
    raise_if_no_or_unprintable_pieces(pieces)
    collector = FindingCollector()
    for piece in pieces:
        collector.add_findings(list_reasons_vendor_rejects_piece(piece, profile))
    collector.findings = merge_findings_differing_in_subject(collector.findings)
    cards = sum(piece.count for piece in pieces)
    if profile.most_cards is not None and cards > profile.most_cards:
        message = f"expected at most {profile.most_cards} cards for {profile.title}, found {cards}"
        collector.add_finding("PP552", pieces[0].where, message, "split the deck")
    collector.raise_if_errors()


def list_reasons_vendor_rejects_piece(piece: Piece, profile: Profile) -> list[Finding]:
    """Return the reasons why this vendor would not print a piece; an empty list if it would."""
    collector = FindingCollector()
    product = find_vendor_product_of_piece_or_none(piece, profile)
    if profile.products and piece.net:
        message = f"is folded from a net, and only flat pieces are exported to {profile.title}"
        collector.add_finding("PP550", piece.where, message, profile.advice.net, about=piece.name)
    elif profile.products and piece.front.outline is not None and not _is_round_piece(piece):
        message = f"{profile.title} cuts no hexagons"
        collector.add_finding(
            "PP550", piece.where, message, "print it at home, or take a layout without `outline`", about=piece.name
        )
    elif profile.products and product is None:
        size = f"{piece.size.width:g} x {piece.size.height:g} mm"
        message = f"{profile.title} does not cut {size}{' round' if _is_round_piece(piece) else ''}"
        collector.add_finding(
            "PP550", piece.where, message, _format_hint_of_nearest_product(profile, piece), about=piece.name
        )
    for face in filter(None, (piece.front, None if _is_one_sided_product(product) else piece.back)):
        needed = _measure_reach_beyond_trim_in_mm(_compute_face_window_vendor_prints_in_mm(face, profile, product))
        if face.bleed < needed - CLOSE:
            message = f"expected {needed:.4g} mm of bleed, found {face.bleed:g}"
            collector.add_finding("PP551", piece.where, message, "give the layout more bleed", about=face.name)
    if piece.back is None and not _is_one_sided_product(product):
        message = f"no back, and {profile.title} prints both sides"
        collector.add_finding("PP547", piece.where, message, about=piece.name)
    return list(collector.findings)


def find_vendor_product_of_piece_or_none(piece: Piece, profile: Profile) -> Product | None:
    """Return the vendor's product for a piece; None for a net or a hexagon, or if the vendor does not cut
    this size."""
    if piece.net or (piece.front.outline is not None and not _is_round_piece(piece)):
        return None
    return profile.find_nearest_size_product_or_none(piece.size, _is_round_piece(piece))


def _is_one_sided_product(product: Product | None) -> bool:
    return product is not None and product.one_sided


def _is_round_piece(piece: Piece) -> bool:
    return piece.front.is_round


def _compute_face_window_vendor_prints_in_mm(face: Face, profile: Profile, product: Product | None) -> Rect:
    """Return the part of a face that the vendor prints, bleed included: centred, and scaled so that
    it fills the product."""
    scale = compute_scale_to_fill_product_or_one(Size(face.width, face.height), product)
    # A face of nearly the product's size keeps its own cut; a scaled one is cut where the product is.
    trim = (
        Size(face.width, face.height)
        if product is None or scale == 1
        else _turn_size_upright_or_wide_like(product.size, face)
    )
    width, height = (trim.width + 2 * profile.bleed) / scale, (trim.height + 2 * profile.bleed) / scale
    return Rect((face.width - width) / 2, (face.height - height) / 2, width, height)


def compute_scale_to_fill_product_or_one(size: Size, product: Product | None) -> float:
    """Return by how much art of this size is scaled to fill the product, 1 where the sizes are nearly the same."""
    if product is None:
        return 1.0
    trim = _turn_size_upright_or_wide_like(product.size, size)
    scale = max(trim.width / size.width, trim.height / size.height)
    return 1.0 if abs(scale - 1) * max(trim) < NEAR else scale


def get_clockwise_degrees_for_product(size: Size, product: Product | None, side: str) -> float:
    """Return the clockwise turn in degrees that lays a face on the vendor's product. Backs turn the other way: turned
    over sideways as it is read, the card then shows its back upright."""
    if product is None or _turn_size_upright_or_wide_like(product.size, size) == product.size:
        return 0.0
    return 90.0 if side == "front" else 270.0


def _measure_reach_beyond_trim_in_mm(window: Rect) -> float:
    """Return how far (mm) a window reaches beyond the trim."""
    return max(0.0, -window.x, -window.y)


def _turn_size_upright_or_wide_like(size: Size, face: Face | Size) -> Size:
    """Return the size, upright or on its side as the face is."""
    is_square = size.width == size.height
    return size if is_square or (size.width < size.height) == (face.width < face.height) else size.swap_sides()


def build_vendor_pages_or_refuse(pieces: Sequence[Piece], profile: Profile) -> list[Page]:
    """Return one page per side, with bleed, in the vendor's order. Each label names the card and
    the side."""
    refuse_pieces_that_vendor_rejects(pieces, profile)
    pages = []
    for piece in repeat_items_by_count((piece, piece.count) for piece in pieces):
        product = find_vendor_product_of_piece_or_none(piece, profile)
        front = _build_vendor_page_of_side(piece.front, profile, product, "front", piece.name)
        back = _build_vendor_page_of_side(_get_back_of_accepted_piece(piece), profile, product, "back", piece.name)
        pages += [back, front] if profile.order == "back-front" else [front, back]
    return pages


def _build_vendor_page_of_side(
    face: Face, profile: Profile, product: Product | None, side: str, card_name: str
) -> Page:
    """Return a side as a page of the vendor's product."""
    size = Size(face.width, face.height)
    window, scale = (
        _compute_face_window_vendor_prints_in_mm(face, profile, product),
        compute_scale_to_fill_product_or_one(size, product),
    )
    return build_page_of_face_and_bleed(
        face, window, f"{side} {card_name}", scale=scale, turn=get_clockwise_degrees_for_product(size, product, side)
    )


def write_vendor_pdf_and_get_pages(pieces: Sequence[Piece], profile: Profile, path: Path, *, title: str) -> list[Page]:
    """Write the PDF that a vendor takes, atomically, and return its pages."""
    pages = build_vendor_pages_or_refuse(pieces, profile)
    strict = bool(profile.standard)
    metadata = Metadata(title)
    data = render_pages_to_pdf_bytes(pages, metadata=metadata, colour_space=profile.colour, transparency=not strict)
    data = add_page_labels_to_pdf_bytes(data, [page.label for page in pages])
    if profile.condition is not None:
        data = convert_pdf_to_pdfx1a(data, profile.condition, title=title)
    write_file_atomically(path, data)
    return pages


def write_vendor_pngs_and_delete_old(pieces: Sequence[Piece], profile: Profile, folder: Path) -> list[Path]:
    """Write one PNG per side at the vendor's exact size, into `fronts/` and `backs/`.

    A file's name says the number of copies. A product printed on one side has no picture in
    `backs/`. Pictures of an earlier build leave these folders.
    """
    refuse_pieces_that_vendor_rejects(pieces, profile)
    drawn: dict[tuple[int, float], bytes] = {}  # by face and turn: one back commonly serves a whole deck
    written = []
    for number, piece in enumerate((piece for piece in pieces if piece.count), 1):
        copies = f" x{piece.count}" if piece.count > 1 else ""
        product = find_vendor_product_of_piece_or_none(piece, profile)
        assert product is not None, "refuse_pieces_that_vendor_rejects() lets only products through"
        sides = [
            ("fronts", piece.front),
            *([] if product.one_sided else [("backs", _get_back_of_accepted_piece(piece))]),
        ]
        for side, face in sides:
            turn = get_clockwise_degrees_for_product(Size(face.width, face.height), product, side.removesuffix("s"))
            if (id(face), turn) not in drawn:
                (picture,) = render_faces_at_exact_pixels(
                    [face],
                    _get_vendor_canvas_in_pixels(face, product),
                    _compute_face_window_vendor_prints_in_mm(face, profile, product),
                )
                drawn[id(face), turn] = encode_reproducible_png(
                    _turn_picture_clockwise(picture, turn), profile.resolution
                )
            path = folder / side / f"{number:03d} {make_safe_file_name(piece.name)}{copies}.png"
            write_file_atomically(path, drawn[id(face), turn])
            written.append(path)
    for old in {*folder.glob("fronts/*.png"), *folder.glob("backs/*.png")} - {*written}:
        old.unlink()
    return written


def _get_vendor_canvas_in_pixels(face: Face, product: Product) -> tuple[int, int]:
    """Return the size of the vendor's canvas in pixels, upright or on its side as the face is."""
    assert product.canvas is not None, "a profile of pictures has canvases"
    width, height = product.canvas
    return (width, height) if _turn_size_upright_or_wide_like(product.size, face) == product.size else (height, width)


def _turn_picture_clockwise(picture: Image, degrees: float) -> Image:
    """Return the picture turned clockwise by a multiple of 90 degrees."""
    from PIL.Image import Transpose

    turns = {90.0: Transpose.ROTATE_270, 270.0: Transpose.ROTATE_90}  # Pillow turns the other way
    return picture.transpose(turns[degrees]) if degrees else picture


def _format_hint_of_nearest_product(profile: Profile, piece: Piece) -> str:
    """Return a hint that names the product of the nearest size, upright or on its side. Round
    pieces get round products."""
    short, long = sorted(piece.size)

    def far(product: Product) -> float:
        least, most = sorted(product.trim)
        return abs(least - short) + abs(most - long)

    alike = {name: each for name, each in profile.products.items() if each.round == _is_round_piece(piece)}
    if not alike:
        return "it cuts nothing round" if _is_round_piece(piece) else "it cuts round pieces only"
    name = min(alike, key=lambda each: far(alike[each]))
    width, height = alike[name].trim
    return f"its nearest is {name}, {width:g} x {height:g}"


def _get_back_of_accepted_piece(piece: Piece) -> Face:
    assert piece.back is not None, "refuse_pieces_that_vendor_rejects() lets only pieces with backs through"
    return piece.back


# -- pdfx ----------------------------------------------------------------------------------------------------
# PDF/X-1a:2003 (ISO 15930-4): turns a plain CMYK PDF into one that print shops accept without a check.

VERSION = "PDF/X-1a:2003"
DATE = "D:20000101000000Z"  # one fixed moment, so that builds are equal byte for byte


def convert_pdf_to_pdfx1a(pdf_bytes: bytes, condition: Condition, *, title: str) -> bytes:
    """Return the same pages as PDF/X-1a:2003 for a printing condition."""
    out = BytesIO()
    with pikepdf.open(BytesIO(pdf_bytes)) as pdf:
        pdf.Root.OutputIntents = Array([pdf.make_indirect(build_pdfx_output_intent(condition))])
        # Metadata in XMP would have to repeat every key below in step; the standard asks for none.
        if "/Metadata" in pdf.Root:
            del pdf.Root.Metadata
        info = pdf.docinfo
        info[Name.Title] = String(title)
        info[Name.Trapped] = Name("/False")
        info[Name.CreationDate] = info[Name.ModDate] = String(DATE)
        info[Name.GTS_PDFXVersion] = String(VERSION)
        pdf.save(out, force_version="1.4", object_stream_mode=pikepdf.ObjectStreamMode.disable, deterministic_id=True)
    return out.getvalue()


def build_pdfx_output_intent(condition: Condition) -> Dictionary:
    """Return an output intent that names a registered condition and embeds no profile."""
    return Dictionary(
        Type=Name.OutputIntent,
        S=Name.GTS_PDFX,
        OutputConditionIdentifier=String(condition.identifier),
        OutputCondition=String(condition.info or condition.identifier),
        Info=String(condition.info or condition.identifier),
        RegistryName=String(condition.registry),
    )


def add_page_labels_to_pdf_bytes(pdf_bytes: bytes, labels: Sequence[str]) -> bytes:
    """Return the PDF with one label per page: readers and preflight then show `front 101`, not a
    number."""
    out = BytesIO()
    with pikepdf.open(BytesIO(pdf_bytes)) as pdf:
        numbers: list[object] = []
        for index, label in enumerate(labels):
            numbers += [index, Dictionary(P=String(label))]
        pdf.Root.PageLabels = pdf.make_indirect(Dictionary(Nums=Array(numbers)))
        pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.preserve)
    return out.getvalue()


# -- order ---------------------------------------------------------------------------------------------------
# The order manifest of a print shop: every file with its digest, and what arrived at the shop held against
# it.

ORDER = "order-{}.json"
FORMAT = 1
# beside an order, and not printed
OTHERS = ("left-out.txt", "adapted.txt", "__MACOSX", ".DS_Store", "Thumbs.db")

OrderEntry = dict[str, Any]


def build_order_entries_by_relative_path(
    written_path: Path, pieces: Sequence[Piece], folder: Path
) -> Mapping[str, OrderEntry]:
    """Return what the manifest says of a PDF, or of each picture of a folder: by its place below `folder`, the digest
    and the copies of each card in it."""
    counted = [piece for piece in pieces if piece.count]
    if written_path.is_file():
        copies = {piece.name: piece.count for piece in counted}
        return {
            written_path.relative_to(folder).as_posix(): {"sha256": compute_file_sha256(written_path), "copies": copies}
        }
    pictures: dict[str, OrderEntry] = {}
    for path in sorted(written_path.glob("*/*.png")):
        piece = counted[int(path.name[:3]) - 1]  # a picture's name begins with the number of its card
        copies = {piece.name: piece.count}
        pictures[path.relative_to(folder).as_posix()] = {"sha256": compute_file_sha256(path), "copies": copies}
    return pictures


def write_order_manifest(
    path: Path, game_name: str, shop_title: str, entries_by_file: Mapping[str, OrderEntry]
) -> Path:
    """Write the manifest and return its path."""
    order = {"format": FORMAT, "game": game_name, "shop": shop_title, "files": entries_by_file}
    write_file_atomically(path, format_json_bytes(order))
    return path


def list_differences_of_uploads_from_order(order_file: Path, uploaded: Sequence[Path]) -> list[Finding]:
    """Hold files, folders and zip files against a manifest: what is missing, different, extra, or there too often.

    A file counts by its bytes: a shop may call it otherwise. Raises InputError for a manifest that cannot be read.
    """
    wanted = _read_order_entries_by_file_or_raise(order_file)
    others = {
        name
        for other in order_file.parent.glob(ORDER.format("*"))
        for name in _read_order_entries_by_file_or_raise(other)
    } - wanted.keys()
    # of another language, where the shop's whole folder is given
    ours = {str(order_file.parent / name) for name in others}
    there = [(where, digest) for where, digest in _iter_file_names_with_sha256(uploaded) if where not in ours]
    counts = Counter(digest for _, digest in there)
    needed = Counter(entry["sha256"] for entry in wanted.values())
    collector = FindingCollector()
    changed = set[str]()
    for name, entry in wanted.items():
        if counts[entry["sha256"]]:
            continue
        tail = "/".join(Path(name).parts[-2:])  # such as fronts/001 name.png, whatever folder was sent
        alike = [where for where, _ in there if where.endswith(tail) and where not in changed]
        cards = ", ".join(f"{card} x{count}" for card, count in [*entry["copies"].items()][:4])
        if alike:
            changed.add(alike[0])
            collector.add_finding("PP556", Where(alike[0], 0), f"this is not the picture of {name} ({cards})")
        else:
            collector.add_finding("PP555", Where(order_file, 0), f"{name} was not uploaded ({cards})")
    for digest, count in needed.items():
        names = [name for name, entry in wanted.items() if entry["sha256"] == digest]
        if counts[digest] and counts[digest] != count:
            message = f"expected {names[0]} {count} times, found it {counts[digest]} times"
            collector.add_finding("PP558", Where(order_file, 0), message)
    for where, digest in there:
        if digest not in needed and where not in changed:
            collector.add_finding("PP557", Where(where, 0), f"this file is not of the order {order_file.name}")
    return collector.findings


def _read_order_entries_by_file_or_raise(order_file: Path) -> Mapping[str, OrderEntry]:
    try:
        data = json.loads(order_file.read_text("utf-8"))
        files: Mapping[str, OrderEntry] = data["files"]
        readable = data["format"] == FORMAT and all(e["sha256"] and dict(e["copies"]) for e in files.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        readable = False
    if not readable:
        message = f"expected an order manifest of format {FORMAT}, which `playproof build GAME --vendor NAME` writes"
        raise InputError.from_single_finding(
            "PP559", Where(make_path_relative_to_working_folder(order_file), 0), message
        )
    return files


def _iter_file_names_with_sha256(uploaded: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of each file, also of those in folders and zip files."""
    for path in uploaded:
        if path.is_dir():
            inner = (
                file
                for file in sorted(path.rglob("*"))
                if file.is_file() and _is_print_file_not_order_or_system_file(file)
            )
            yield from ((str(file), compute_file_sha256(file)) for file in inner)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for info in archive.infolist():
                    if not info.is_dir() and _is_print_file_not_order_or_system_file(Path(info.filename)):
                        yield f"{path}!{info.filename}", hashlib.sha256(archive.read(info)).hexdigest()
        else:
            yield str(path), compute_file_sha256(path)


def _is_print_file_not_order_or_system_file(path: Path) -> bool:
    is_order = path.match(ORDER.format("*"))
    return not is_order and not any(part in OTHERS for part in path.parts)
