"""What shops ask for: every rule fires on a file that breaks it, and not on one that comes near."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from playproof.generator.exports.vendor import write_vendor_pdf_and_get_pages
from playproof.generator.preflight import list_vendor_problems_in_file_or_folder, shop_rules
from playproof.generator.scene import Face
from playproof.generator.sheets.pieces import Piece
from playproof.generator.type.shaping import typeset_anchored_text_line
from playproof.generator.vendor_profiles import Profile, read_vendor_profile_by_name_or_raise
from tests.preflight.makers import CARDS, HOME, MM, Case, Edit, box, draws, found
from tests.sheets.makers import BLUE, RED, face

HELVETICA = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
ONE_CARD = CARDS.model_copy(update={"most_cards": 1})


def trim(width: float, height: float) -> Edit:
    """The front's page cut to this size in mm, with its bleed."""

    def edit(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        page.MediaBox = page.BleedBox = Array([0, 0, width * MM + 18, height * MM + 18])
        page.TrimBox = Array([9, 9, 9 + width * MM, 9 + height * MM])

    return edit


def picture(plates: tuple[int, ...], pixels: int, inches: float) -> Edit:
    """A square picture of one colour, so many pixels on so many inches."""

    def edit(pdf: pikepdf.Pdf) -> None:
        space = Name.DeviceCMYK if len(plates) == 4 else Name.DeviceGray
        image = pikepdf.Stream(
            pdf,
            bytes(plates) * pixels**2,
            Subtype=Name.Image,
            Width=pixels,
            Height=pixels,
            ColorSpace=space,
            BitsPerComponent=8,
        )
        size = inches * 72
        draws(f"q {size} 0 0 {size} 40 40 cm /I Do Q", XObject=Dictionary(I=image))(pdf)

    return edit


def text(size: float, scale: float = 1.0) -> Edit:
    """A word in a Type 3 font (drawn in the file itself, so it needs no font file)."""
    glyph = b"600 0 0 0 500 700 d1 0 0 500 700 re f"

    def edit(pdf: pikepdf.Pdf) -> None:
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 600, 700]),
            FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
            FirstChar=65,
            LastChar=65,
            Widths=Array([600]),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([65, Name.A])),
            CharProcs=Dictionary(A=pikepdf.Stream(pdf, glyph)),
            Resources=Dictionary(),
        )
        content = f"q {scale} 0 0 {scale} 60 60 cm BT /F {size} Tf (A) Tj ET Q"
        draws(content, Font=Dictionary(F=font))(pdf)

    return edit


def labels(*words: str) -> Edit:
    def edit(pdf: pikepdf.Pdf) -> None:
        numbers = [part for index, word in enumerate(words) for part in (index, Dictionary(P=String(word)))]
        pdf.Root.PageLabels = Dictionary(Nums=Array(numbers))

    return edit


def another_card(pdf: pikepdf.Pdf) -> None:
    pdf.pages.extend(list(pdf.pages))
    labels("back 101", "front 101", "back 102", "front 102")(pdf)


def one_page(pdf: pikepdf.Pdf) -> None:
    del pdf.pages[1]


CASES = {
    "PP576": Case(
        draws("BT /F 9 Tf 60 60 Td (a) Tj ET", Font=Dictionary(F=HELVETICA)),
        draws("0 g 60 60 5 5 re f", Font=Dictionary(F=HELVETICA)),  # named and not used
        "Helvetica",
    ),
    "PP577": Case(trim(63, 88), trim(63.46, 88.94), "63.00 x 88.00 mm"),
    "PP578": Case(box("BleedBox", 4, 4, 194, 266), box("BleedBox", 0.2, 0.2, 197.8, 269.8), "beyond the cut"),
    "PP579": Case(draws("0 0 0 1 k 20 20 5 5 re f"), draws("0 g 20 20 5 5 re f"), "DeviceCMYK", HOME),
    "PP580": Case(draws(".6 .4 .41 1 k 20 20 5 5 re f"), draws(".6 .4 .4 1 k 20 20 5 5 re f"), "241 %"),
    "PP581": Case(picture((156,) * 4, 300, 1), picture((153,) * 4, 300, 1), "245 %"),
    "PP582": Case(picture((0,), 299, 1), picture((0,), 300, 1), "found 299"),
    "PP583": Case(text(6.9), text(7), "at 6.9"),
    "PP584": Case(draws("0 g 9 100 30 60 re f"), draws("0 g 0 100 39 60 re f"), "white on the left"),
    "PP586": Case(labels("front 101", "back 101"), labels("back 7", "front 7"), "back and front of one card"),
    "PP587": Case(draws("0.2 w 60 60 m 90 90 l S"), draws("0.25 w 60 60 m 90 90 l S"), "found 0.2 pt"),
    "PP588": Case(another_card, lambda _: None, "at most 1", ONE_CARD),
}  # fmt: skip
APART = {"PP585", "PP594"}  # need type with real outlines; below


@pytest.mark.parametrize("code", CASES)
def test_breaks(code: str, tmp_path: Path) -> None:
    case = CASES[code]
    assert case.said in found(case.breaks, tmp_path, case.profile).get(code, "no such finding")


@pytest.mark.parametrize("code", CASES)
def test_near_miss(code: str, tmp_path: Path) -> None:
    assert code not in found(CASES[code].spares, tmp_path, CASES[code].profile)


def test_every_rule_of_shops_has_both_tests() -> None:
    assert set(shop_rules.TABLE.rules) == set(CASES) | APART


def lettered(x: float, y: float) -> Face:
    """A card with a letter whose left edge is `x` mm inside the cut, its foot at `y` mm."""
    base = face("card", RED, bleed=3.2)
    bearing = 1.1  # mm at 30 pt: the white that the font puts left of an H
    return replace(base, nodes=(base.nodes[0], typeset_anchored_text_line("H", x - bearing, y, 30)))


@pytest.mark.parametrize(
    ("x", "y", "clear"), [(3.6, 40, True), (2.5, 40, False), (30, 89 - 3.6, True), (30, 89 - 2.5, False)]
)
def test_text_near_the_cut(x: float, y: float, clear: bool, tmp_path: Path) -> None:
    piece = Piece("card", lettered(x, y), face("back", BLUE, bleed=3.2))
    write_vendor_pdf_and_get_pages([piece], CARDS, tmp_path / "card.pdf", title="A card")
    messages = {f.code: f.message for f in list_vendor_problems_in_file_or_folder(tmp_path / "card.pdf", CARDS)}
    assert ("PP585" not in messages) == clear
    assert clear or "page 2" in messages["PP585"]


@pytest.mark.parametrize(("y", "clear"), [(80, True), (91, False), (108, False)])
def test_text_beyond_the_edge(y: float, clear: bool, tmp_path: Path) -> None:
    """A profile without a safe zone refuses text that the cut takes away, partly or wholly."""
    piece = Piece("card", lettered(30, y), face("back", BLUE, bleed=3.2))
    write_vendor_pdf_and_get_pages([piece], CARDS, tmp_path / "card.pdf", title="A card")
    assert (
        "PP594"
        not in {
            f.code
            for f in list_vendor_problems_in_file_or_folder(
                tmp_path / "card.pdf", read_vendor_profile_by_name_or_raise("home")
            )
        }
    ) == clear


SIDES = [
    ("0 0 0 1 k 159 100 30 60 re f", "right"),
    ("0 0 0 1 k 60 231 60 30 re f", "top"),
    ("0 0 0 1 k 60 9 60 30 re f", "bottom"),
]


@pytest.mark.parametrize(("content", "side"), SIDES)
def test_bleed_is_looked_for_on_every_side(content: str, side: str, tmp_path: Path) -> None:
    assert f"white on the {side}" in found(draws(content), tmp_path)["PP584"]


def test_colour_that_stays_off_the_cut_needs_no_bleed(tmp_path: Path) -> None:
    assert "PP584" not in found(draws("0 0 0 1 k 12 12 174 246 re f"), tmp_path)


def test_size_of_type_is_measured_as_printed(tmp_path: Path) -> None:
    assert "at 6" in found(text(12, scale=0.5), tmp_path)["PP583"]
    assert "PP583" not in found(text(3.5, scale=2), tmp_path)


def test_text_that_is_not_painted_has_no_size(tmp_path: Path) -> None:
    hidden = draws("BT 3 Tr /F 2 Tf (A) Tj ET", Font=Dictionary(F=HELVETICA))
    assert "PP583" not in found(hidden, tmp_path)


def test_gradients_have_ink_at_their_ends(tmp_path: Path) -> None:
    white, dark = Array([0, 0, 0, 0]), Array([1, 1, 1, 0])
    ends = Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=white, C1=dark, N=1)
    shade = Dictionary(ShadingType=2, ColorSpace=Name.DeviceCMYK, Coords=Array([0, 0, 9, 9]), Function=ends)
    assert "300 %" in found(draws("/S sh", Shading=Dictionary(S=shade)), tmp_path)["PP580"]


def test_an_odd_page_and_turned_pages(tmp_path: Path) -> None:
    assert "found 1 pages" in found(one_page, tmp_path)["PP586"]

    def fronts_first(pdf: pikepdf.Pdf) -> None:
        """Without labels the page that never changes is taken for the back."""
        another_card(pdf)
        pdf.pages[2].contents_add(b"0 g 20 20 5 5 re f")
        del pdf.Root.PageLabels

    assert "turned round" in found(fronts_first, tmp_path)["PP586"]


def test_labels_of_two_cards_side_by_side(tmp_path: Path) -> None:
    assert "'back 1' and 'front 2'" in found(labels("back 1", "front 2"), tmp_path)["PP586"]


def test_pages_with_one_fault_are_one_finding(tmp_path: Path) -> None:
    def both(pdf: pikepdf.Pdf) -> None:
        for page in pdf.pages:
            page.contents_add(b"1 0 0 rg 20 20 5 5 re f")

    assert found(both, tmp_path)["PP573"].startswith("pages 1-2: ")


@pytest.mark.parametrize("vendor", [CARDS, HOME])
@pytest.mark.parametrize("data", [b"", b"not a PDF", b"%PDF-1.4\n" + b"\0" * 500])
def test_files_that_are_no_pdf(data: bytes, vendor: Profile, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(data)
    assert [finding.code for finding in list_vendor_problems_in_file_or_folder(path, vendor)] == ["PP560"]
    assert [finding.code for finding in list_vendor_problems_in_file_or_folder(tmp_path / "none.pdf", vendor)] == [
        "PP560"
    ]


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_give_findings_and_nothing_else(seed: int, tmp_path: Path) -> None:
    found(picture((20, 30, 40, 50), 30, 1), tmp_path)
    path = tmp_path / "card.pdf"
    data, dice = bytearray(path.read_bytes()), Random(seed)
    for _ in range(12):
        data[dice.randrange(len(data))] = dice.randrange(256)
    path.write_bytes(data)
    assert all(finding.code.startswith("PP5") for finding in list_vendor_problems_in_file_or_folder(path, CARDS))


def test_a_box_of_words_is_a_finding(tmp_path: Path) -> None:
    def words(pdf: pikepdf.Pdf) -> None:
        pdf.pages[1].obj.TrimBox = Array([Name.A, Name.B, Name.C, Name.D])

    assert "PP560" in found(words, tmp_path)


def test_a_pdf_with_rubbish_behind_it_is_read(tmp_path: Path) -> None:
    found(lambda _: None, tmp_path)
    path = tmp_path / "card.pdf"
    path.write_bytes(path.read_bytes() + b"\nrubbish")
    assert list_vendor_problems_in_file_or_folder(path, CARDS) == []
