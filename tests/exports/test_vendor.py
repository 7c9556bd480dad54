"""Files for print shops."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import copyfile, copytree, make_archive

import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image

from playproof.database.errors import InputError
from playproof.generator.exports.vendor import (
    build_order_entries_by_relative_path,
    build_vendor_pages_or_refuse,
    list_differences_of_uploads_from_order,
    list_reasons_vendor_rejects_piece,
    write_order_manifest,
    write_vendor_pdf_and_get_pages,
    write_vendor_pngs_and_delete_old,
)
from playproof.generator.preflight import list_vendor_problems_in_file_or_folder
from playproof.generator.scene import (
    Colour,
    Face,
    Group,
    Path as Drawn,
    Rect,
    Stroke,
    build_circle_path,
    build_rectangle_path,
)
from playproof.generator.sheets.pieces import Piece
from playproof.generator.type.shaping import typeset_anchored_text_line
from playproof.generator.vendor_profiles import read_vendor_profile_by_name_or_raise
from tests.sheets.makers import BLUE, GREEN, RED, face

CARDS = read_vendor_profile_by_name_or_raise("drivethrucards")
BACK = face("back", BLUE, bleed=3.2)


def deck(count: int = 3) -> list[Piece]:
    return [Piece(str(n), face(str(n), RED, bleed=3.2), BACK) for n in range(101, 101 + count)]


def codes(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [finding.code for finding in error.value.findings]


@pytest.fixture(scope="module")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vendor") / "deck.pdf"
    write_vendor_pdf_and_get_pages(deck(), CARDS, path, title="A deck")
    return path


def test_backs_come_first() -> None:
    labels = [page.label for page in build_vendor_pages_or_refuse(deck(2), CARDS)]
    assert labels == ["back 101", "front 101", "back 102", "front 102"]
    front_first = CARDS.model_copy(update={"order": "front-back"})
    assert build_vendor_pages_or_refuse(deck(1), front_first)[0].label == "front 101"


def test_copies_are_pages() -> None:
    assert len(build_vendor_pages_or_refuse([replace(deck(1)[0], count=3)], CARDS)) == 6


def test_pages_are_trim_and_an_eighth_of_an_inch(pdf: Path) -> None:
    with pikepdf.open(pdf) as document:
        for page in document.pages:
            assert [float(v) for v in page.MediaBox] == [0, 0, 198, 270]
            assert [float(v) for v in page.TrimBox] == [9, 9, 189, 261]
            assert [float(v) for v in page.BleedBox] == [0, 0, 198, 270]


def test_the_intent_and_the_keys_of_the_standard(pdf: Path) -> None:
    with pikepdf.open(pdf) as document:
        (intent,) = document.Root.OutputIntents
        assert str(intent.S) == "/GTS_PDFX"
        assert str(intent.OutputConditionIdentifier) == "CGATS TR 001"
        assert str(intent.RegistryName) == "http://www.color.org"
        assert "/DestOutputProfile" not in intent
        assert str(document.docinfo["/GTS_PDFXVersion"]) == "PDF/X-1a:2003"
        assert str(document.docinfo["/Trapped"]) == "/False"
        assert document.pdf_version == "1.4"


def test_the_same_deck_gives_the_same_bytes(pdf: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pdf"
    write_vendor_pdf_and_get_pages(deck(), CARDS, again, title="A deck")
    assert again.read_bytes() == pdf.read_bytes()


def test_bleed_is_painted_to_the_edge(pdf: Path) -> None:
    with pdfium.PdfDocument(pdf) as document:
        picture = document[1].render(scale=2).to_pil().convert("RGB")
    edge = [picture.getpixel((1, picture.height // 2)), picture.getpixel((picture.width - 2, 5))]
    assert all(pixel[0] > pixel[1] + 50 for pixel in edge)


@pytest.mark.needs("qpdf")
def test_qpdf_finds_nothing(pdf: Path) -> None:
    checked = subprocess.run(["qpdf", "--check", pdf], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.needs("pdffonts")
def test_poppler_sees_embedded_fonts_and_the_standard(pdf: Path) -> None:
    fonts = subprocess.run(["pdffonts", pdf], capture_output=True, text=True, check=True).stdout
    rows = [row.split() for row in fonts.splitlines()[2:]]
    assert rows
    assert all(row[-5] == "yes" for row in rows), fonts
    said = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True).stdout
    assert "PDF/X-1a:2003" in said


@pytest.mark.needs("gs")
def test_ghostscript_finds_no_ink_beyond_the_limit(pdf: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.tif"
    call = ["gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=tiff32nc", "-r36", f"-sOutputFile={out}"]
    subprocess.run([*call, "-dFirstPage=1", "-dLastPage=1", pdf], check=True)
    with Image.open(out) as picture:
        heaviest = max(sum(ink) for ink in picture.get_flattened_data())
    assert 0 < heaviest / 255 * 100 <= 240.5


CANVASES = [("makeplayingcards", (822, 1122)), ("thegamecrafter", (825, 1125))]


@pytest.mark.parametrize(("name", "size"), CANVASES)
def test_canvases_are_exactly_the_vendors(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    pieces = [*deck(1), replace(deck(2)[1], count=4)]
    files = write_vendor_pngs_and_delete_old(pieces, read_vendor_profile_by_name_or_raise(name), tmp_path)
    shown = [file.relative_to(tmp_path).as_posix() for file in files]
    names = ("001 101.png", "002 102 x4.png")
    assert shown == [f"{side}/{name}" for name in names for side in ("fronts", "backs")]
    for file in files:
        with Image.open(file) as picture:
            assert (picture.size, picture.mode) == (size, "RGB")
            assert round(picture.info["dpi"][0]) == 300
            assert picture.getpixel((0, 0)) != (255, 255, 255)


def lying_card() -> Piece:
    """A card on its side, each face with a green bar at its upper edge."""
    bar = build_rectangle_path(Rect(-3.2, -3.2, 95.3, 10), GREEN)
    front, back = face("w", RED, 88.9, 63.5, 3.2), face("b", BLUE, 88.9, 63.5, 3.2)
    return Piece("wide", *(replace(each, nodes=(*each.nodes, bar)) for each in (front, back)))


def green_edge(picture: Image.Image) -> str:
    width, height = picture.size
    edges = {
        "left": (5, height // 2), "right": (width - 5, height // 2),
        "top": (width // 2, 5), "bottom": (width // 2, height - 5),
    }  # fmt: skip
    pixels = {name: picture.convert("RGB").getpixel(place) for name, place in edges.items()}
    (edge,) = [name for name, (red, green, blue) in pixels.items() if green > max(red, blue)]
    return edge


def test_a_card_on_its_side_is_turned_to_the_shops_upright_canvas(tmp_path: Path) -> None:
    """Its back the other way: turned over sideways as it is read, the card shows its back upright."""
    front, back = write_vendor_pngs_and_delete_old(
        [lying_card()], read_vendor_profile_by_name_or_raise("thegamecrafter"), tmp_path
    )
    with Image.open(front) as picture:
        assert picture.size == (825, 1125)
        assert green_edge(picture) == "right"
    with Image.open(back) as picture:
        assert green_edge(picture) == "left"


def test_a_card_on_its_side_is_turned_on_the_shops_page(tmp_path: Path) -> None:
    path = tmp_path / "deck.pdf"
    write_vendor_pdf_and_get_pages([lying_card()], CARDS, path, title="A deck")
    with pikepdf.open(path) as document:
        for page in document.pages:
            assert [float(v) for v in page.MediaBox] == [0, 0, 198, 270]
            assert [float(v) for v in page.TrimBox] == [9, 9, 189, 261]
    with pdfium.PdfDocument(path) as document:
        assert [green_edge(page.render(scale=1).to_pil()) for page in document] == ["left", "right"]
    assert not list_vendor_problems_in_file_or_folder(path, CARDS)


def test_a_card_of_nearly_the_shops_size_is_scaled_to_its_page(tmp_path: Path) -> None:
    """63 x 88 mm, of which the frame lies on the cut."""
    frame = Drawn(
        build_rectangle_path(Rect(0, 0, 63, 88)).commands,
        None,
        Stroke(Colour.parse_hex_or_cmyk_colour_or_raise("#000000"), 1),
    )
    faces = [replace(face(each, RED, 63, 88, 3.2), nodes=(*face(each, RED, 63, 88, 3.2).nodes, frame)) for each in "fb"]
    path = tmp_path / "deck.pdf"
    write_vendor_pdf_and_get_pages([Piece("euro", *faces)], CARDS, path, title="A deck")
    with pikepdf.open(path) as document:
        assert [float(v) for v in document.pages[0].MediaBox] == [0, 0, 198, 270]
    with pdfium.PdfDocument(path) as document:
        picture = document[0].render(scale=4).to_pil().convert("L")
    dark = [x for x in range(picture.width // 2) if picture.getpixel((x, picture.height // 2)) < 60]
    assert dark[0] < 36 < dark[-1]  # the cut is 9 pt inside the page
    assert picture.getpixel((0, 0)) < 200


def test_a_round_token_is_scaled_to_the_shops_own_disc_and_fills_it(tmp_path: Path) -> None:
    """20 mm on a disc of 19.05: its edge lies on the shop's cut, and the ground runs on to the edge of the canvas."""
    shop, ring = (
        read_vendor_profile_by_name_or_raise("thegamecrafter"),
        Stroke(Colour.parse_hex_or_cmyk_colour_or_raise("#000000"), 0.4),
    )
    disc = build_circle_path(10, 10, 10)
    nodes = (build_rectangle_path(Rect(-4, -4, 28, 28), RED), Drawn(disc.commands, None, ring))
    front = Face("token.front", 20, 20, nodes, bleed=3.4, outline=disc)
    files = write_vendor_pngs_and_delete_old([Piece("token", front, front)], shop, tmp_path)
    with Image.open(files[0]) as picture:
        assert picture.size == (300, 300)
        middle = [picture.getpixel((x, 150)) for x in range(150)]
        assert picture.getpixel((0, 0)) == picture.getpixel((299, 299)) == middle[20]
    dark = [x for x, pixel in enumerate(middle) if sum(pixel) < 150]
    assert dark
    assert all(abs(x - 37.5) < 4 for x in dark)  # the cut is 37.5 pixels inside the canvas


@pytest.mark.parametrize(("width", "bleed", "code"), [(17, 3.4, "PP550"), (20, 3.3, "PP551"), (20, 3.4, "")])
def test_what_is_too_unlike_the_shops_disc_is_left_out(width: float, bleed: float, code: str) -> None:
    nodes = (build_rectangle_path(Rect(-4, -4, width + 8, width + 8), RED),)
    disc = Face(
        "token.front", width, width, nodes, bleed=bleed, outline=build_circle_path(width / 2, width / 2, width / 2)
    )
    found = list_reasons_vendor_rejects_piece(
        Piece("token", disc, disc), read_vendor_profile_by_name_or_raise("thegamecrafter")
    )
    assert {finding.code for finding in found} == ({code} if code else set())


def test_a_net_is_printed_at_home() -> None:
    net = Piece("box", face("box", RED, 63.5, 88.9, 3.2), None, net="tuckbox")
    assert (
        "folded from a net"
        in list_reasons_vendor_rejects_piece(net, read_vendor_profile_by_name_or_raise("thegamecrafter"))[0].message
    )


def test_everything_the_vendor_would_refuse_is_named_at_once(tmp_path: Path) -> None:
    pieces = [
        Piece("euro", face("euro", RED, 59, 92, 3.2), face("b", BLUE, 59, 92, 3.2)),
        Piece("thin", face("thin", RED, bleed=3.0), BACK),
        Piece("bare", face("bare", RED, bleed=3.2)),
    ]
    path = tmp_path / "deck.pdf"
    with pytest.raises(InputError) as error:
        write_vendor_pdf_and_get_pages(pieces, CARDS, path, title="A deck")
    assert sorted(codes(error)) == ["PP547", "PP550", "PP551"]
    assert not path.exists()


def test_dark_type_is_black_ink_alone_and_colour_stays_colour(tmp_path: Path) -> None:
    """A brown of four screened plates blurs in small letters; a red heading keeps its red."""
    brown, soft, red = (
        Colour.parse_hex_or_cmyk_colour_or_raise("#33241c"),
        Colour.parse_hex_or_cmyk_colour_or_raise("#6b5443"),
        Colour.parse_hex_or_cmyk_colour_or_raise("#7b2521"),
    )
    assert brown.to_cmyk_for_type() == (0, 0, 0, 1)
    assert soft.to_cmyk_for_type()[:3] == (0, 0, 0)
    assert 0.5 < soft.to_cmyk_for_type()[3] < 0.8
    assert red.to_cmyk_for_type() == red.to_own_or_converted_cmyk_shares()
    assert Colour.create_from_cmyk(0.1, 0.2, 0.3, 0.9).to_cmyk_for_type() == (0.1, 0.2, 0.3, 0.9)
    front = face("101", RED, bleed=3.2)
    marked = replace(front, nodes=(*front.nodes, typeset_anchored_text_line("brown", 20, 40, 9, colour=brown)))
    path = tmp_path / "deck.pdf"
    write_vendor_pdf_and_get_pages([Piece("101", marked, BACK)], CARDS, path, title="A deck")
    with pikepdf.open(path) as document:
        inks = [
            tuple(map(float, operands))
            for page in document.pages
            for operands, operator in every(page, document)
            if str(operator) == "k"
        ]
    assert (0, 0, 0, 1) in inks
    assert brown.to_own_or_converted_cmyk_shares() not in inks


def every(page: object, document: pikepdf.Pdf) -> list[tuple[object, object]]:
    """The operators of a page and of every form in the file."""
    found = [(i.operands, i.operator) for i in pikepdf.parse_content_stream(page)]  # type: ignore[union-attr,arg-type]
    forms = [each for each in document.objects if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Form"]
    for form in forms:
        found += [(i.operands, i.operator) for i in pikepdf.parse_content_stream(form)]  # type: ignore[union-attr]
    return found


def test_exactly_enough_bleed_passes() -> None:
    enough = Piece("a", face("a", RED, bleed=3.175), face("b", BLUE, bleed=3.175))
    assert len(build_vendor_pages_or_refuse([enough], CARDS)) == 2


@pytest.mark.parametrize(("count", "fine"), [(612, True), (613, False)])
def test_the_most_cards(count: int, fine: bool) -> None:
    pieces = [replace(deck(1)[0], count=count)]
    if fine:
        assert (
            len(build_vendor_pages_or_refuse(pieces, read_vendor_profile_by_name_or_raise("makeplayingcards"))) == 1224
        )
    else:
        with pytest.raises(InputError, match="at most 612"):
            build_vendor_pages_or_refuse(pieces, read_vendor_profile_by_name_or_raise("makeplayingcards"))


def test_a_see_through_group_is_not_drawn_for_a_standard_without_transparency(tmp_path: Path) -> None:
    base = face("glass", RED, bleed=3.2)
    ghost = Group((build_rectangle_path(base.trim, Colour(0, 0, 0)),), opacity=0.5)
    glass = Piece("glass", replace(base, nodes=(*base.nodes, ghost)), BACK)
    with pytest.raises(ValueError, match="transparency"):
        write_vendor_pdf_and_get_pages([glass], CARDS, tmp_path / "deck.pdf", title="A deck")
    assert not list(tmp_path.iterdir())


def test_what_a_shop_prints_on_one_side_needs_no_back_and_gets_no_picture_of_one(tmp_path: Path) -> None:
    shop = read_vendor_profile_by_name_or_raise("thegamecrafter")
    board = Piece("board", face("board", RED, width=457.2, height=228.6, bleed=3.2), None)
    assert list_reasons_vendor_rejects_piece(board, shop) == []
    (made,) = write_vendor_pngs_and_delete_old([board], shop, tmp_path)
    assert made.parent.name == "fronts"
    with Image.open(made) as picture:
        assert picture.size == (2775, 5475)  # the shop sells it upright
    mat = Piece("mat", face("mat", RED, width=254, height=406.4, bleed=3.2), None)
    assert [finding.code for finding in list_reasons_vendor_rejects_piece(mat, shop)] == ["PP547"]


def test_an_order_names_what_was_not_uploaded_as_it_is(tmp_path: Path) -> None:
    """The manifest counts files by their content; what arrived is a folder or a zip, and names may change."""
    fronts = [face(str(number), colour, 63.5, 88.9, bleed=3.4) for number, colour in enumerate((RED, GREEN, BLUE))]
    pieces = [Piece(f"c{number}", front, fronts[2], number + 1) for number, front in enumerate(fronts[:2])]
    shop = tmp_path / "shop"
    write_vendor_pngs_and_delete_old(
        [*pieces, Piece("old", fronts[0], fronts[2])],
        read_vendor_profile_by_name_or_raise("makeplayingcards"),
        shop / "deck",
    )
    write_vendor_pngs_and_delete_old(pieces, read_vendor_profile_by_name_or_raise("makeplayingcards"), shop / "deck")
    assert len([*shop.rglob("*.png")]) == 4  # the card that is gone has no pictures any more
    files = build_order_entries_by_relative_path(shop / "deck", pieces, shop)
    assert [entry["copies"] for entry in files.values()] == [{"c0": 1}, {"c1": 2}] * 2
    order = write_order_manifest(shop / "order-en.json", "g", "a shop", files)

    def said(*uploaded: Path) -> list[str]:
        return [
            f"{finding.code} {finding.message}" for finding in list_differences_of_uploads_from_order(order, uploaded)
        ]

    assert said(shop) == []
    sent = tmp_path / "sent"
    copytree(shop, sent)
    (sent / "deck" / "fronts" / "001 c0.png").rename(sent / "front of the first.png")
    archive = make_archive(str(tmp_path / "sent"), "zip", sent)
    assert said(sent) == said(Path(archive)) == []
    (sent / "front of the first.png").unlink()
    copyfile(sent / "deck" / "backs" / "001 c0.png", sent / "deck" / "fronts" / "002 c1 x2.png")
    (sent / "note.txt").write_text("hello")
    assert said(sent) == [
        "PP555 deck/fronts/001 c0.png was not uploaded (c0 x1)",
        "PP556 this is not the picture of deck/fronts/002 c1 x2.png (c1 x2)",
        "PP558 expected deck/backs/001 c0.png 2 times, found it 3 times",
        "PP557 this file is not of the order order-en.json",
    ]
    order.write_text("{}")
    with pytest.raises(InputError, match="PP559"):
        list_differences_of_uploads_from_order(order, [sent])
