"""PDF/X-1a:2003: every rule fires on a file that breaks it, and not on one that comes near."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from playproof.generator.preflight import pdfx_rules
from playproof.generator.preflight.pdf_file import collect_facts_of_drawn_page
from tests.preflight.makers import MEDIA, Case, Edit, box, card, draws, found, intent, nothing

LZW = bytes.fromhex("800b6050220c0c8501")  # the example of ISO 32000-1, 7.4.4.2
FUNCTION = Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=Array([0, 0, 0, 0]), C1=Array([0, 1, 1, 0]), N=1)


def info(key: str, value: pikepdf.Object | int) -> Edit:
    return lambda pdf: pdf.docinfo.__setitem__(Name(f"/{key}"), value)


def root(key: str, value: pikepdf.Object) -> Edit:
    return lambda pdf: pdf.Root.__setitem__(f"/{key}", value)


def intents(*many: Dictionary) -> Edit:
    return root("OutputIntents", Array(list(many)))


def packed(name: str, data: bytes) -> Edit:
    """A picture nobody draws, packed so."""

    def edit(pdf: pikepdf.Pdf) -> None:
        stream = pikepdf.Stream(pdf, b"")
        stream.write(data, filter=Name(f"/{name}"))
        pdf.pages[0].obj.Resources.XObject = Dictionary(X=stream)

    return edit


def note(*rect: float) -> Edit:
    def edit(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        page.MediaBox = Array([-50, -50, 250, 320])
        page.Annots = Array([Dictionary(Type=Name.Annot, Subtype=Name.Square, Rect=Array(rect))])

    return edit


def state(**values: object) -> Edit:
    return draws("/G gs 20 20 5 5 re f", ExtGState=Dictionary(G=Dictionary(**values)))


def spot(under: str) -> Edit:
    space = Array([Name.Separation, Name.Gold, Name(f"/{under}"), FUNCTION])
    return draws("/S cs 1 scn 20 20 5 5 re f", ColorSpace=Dictionary(S=space))


def form(**keys: pikepdf.Object) -> Edit:
    def edit(pdf: pikepdf.Pdf) -> None:
        stream = pikepdf.Stream(pdf, b"0 g 0 0 5 5 re f", Type=Name.XObject, BBox=Array([0, 0, 9, 9]), **keys)
        draws("/X Do", XObject=Dictionary(X=stream))(pdf)

    return edit


def both_boxes(pdf: pikepdf.Pdf) -> None:
    pdf.pages[1].obj.ArtBox = pdf.pages[1].obj.TrimBox


def art_instead(pdf: pikepdf.Pdf) -> None:
    both_boxes(pdf)
    box("TrimBox")(pdf)


def page_group(pdf: pikepdf.Pdf) -> None:
    pdf.pages[1].obj.Group = Dictionary(S=Name.Transparency)


def javascript(pdf: pikepdf.Pdf) -> None:
    pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=String("app.beep()"))


CASES = {
    "PP561": Case(info("GTS_PDFXVersion", String("PDF/X-1a:2001")), info("GTS_PDFXConformance", String("x")), "2001"),
    "PP563": Case(info("Trapped", Name.Unknown), info("Trapped", Name("/True")), "Unknown"),
    "PP565": Case(packed("LZWDecode", LZW), packed("RunLengthDecode", b"\x02abc\x80"), "LZW"),
    "PP566": Case(both_boxes, art_instead, "TrimBox and ArtBox"),
    "PP567": Case(box("BleedBox", 10, 0, 198, 270), box("BleedBox", 9, 0, 198, 270), "TrimBox inside BleedBox"),
    "PP568": Case(note(-10, -10, 5, 5), note(-10, -10, 0, 5), "outside the BleedBox"),
    "PP569": Case(javascript, root("PageMode", Name.UseOutlines), "OpenAction"),
    "PP570": Case(info("Batch", 7), info("Batch", String("7")), "Batch"),
    "PP571": Case(
        intents(intent(OutputConditionIdentifier=String(" "))),
        intents(intent(), intent(S=Name.GTS_PDFA1)),
        "OutputConditionIdentifier",
    ),
    "PP572": Case(
        intents(intent(RegistryName=String(""))),
        intents(intent(RegistryName=String(""), DestOutputProfile=Dictionary(N=4))),
        "RegistryName",
    ),
    "PP573": Case(draws("1 0 0 rg 20 20 5 5 re f"), draws("1 g 0 1 1 0 k 20 20 5 5 re f"), "DeviceRGB"),
    "PP574": Case(state(ca=0.99), state(ca=1, CA=1, BM=Name.Normal, SMask=Name("/None")), "opacity 0.99"),
    "PP575": Case(form(Subtype=Name.PS), form(Subtype=Name.Form), "PostScript"),
}


@pytest.mark.parametrize("code", CASES)
def test_breaks(code: str, tmp_path: Path) -> None:
    assert CASES[code].said in found(CASES[code].breaks, tmp_path).get(code, "no such finding")


@pytest.mark.parametrize("code", CASES)
def test_near_miss(code: str, tmp_path: Path) -> None:
    assert code not in found(CASES[code].spares, tmp_path)


def test_the_plain_card_is_clean(tmp_path: Path) -> None:
    assert found(nothing, tmp_path) == {}


def test_syntax(tmp_path: Path) -> None:
    assert "1.5" in found(nothing, tmp_path, force_version="1.5")["PP562"]
    assert "PP562" not in found(nothing, tmp_path, force_version="1.3")


def test_encryption(tmp_path: Path) -> None:
    lock = pikepdf.Encryption(owner="o", user="", R=3, aes=False, metadata=False)
    assert "encryption" in found(nothing, tmp_path, encryption=lock)["PP564"]
    locked = pikepdf.Encryption(owner="o", user="secret", R=3, aes=False, metadata=False)
    assert "password" in found(nothing, tmp_path, encryption=locked)["PP564"]
    assert "PP564" not in found(info("Note", String("Encrypt")), tmp_path)


APART = {"PP562", "PP564"}  # they are about saving, so they have tests of their own above


def test_every_rule_of_the_standard_has_both_tests() -> None:
    assert set(pdfx_rules.TABLE.rules) == set(CASES) | APART


MORE = [
    ("PP561", lambda pdf: pdf.docinfo.__delitem__("/GTS_PDFXVersion"), "no such key"),
    ("PP563", info("Trapped", String("False")), "False"),
    ("PP566", box("TrimBox"), "neither"),
    ("PP567", box("MediaBox", 0, 0, 188, 270), "MediaBox"),
    ("PP567", box("CropBox", 10, 9, 189, 261), "CropBox"),
    ("PP569", root("AcroForm", Dictionary()), "AcroForm"),
    ("PP569", root("Names", Dictionary(JavaScript=Dictionary())), "JavaScript"),
    ("PP571", intents(), "found 0"),
    ("PP571", intents(intent(), intent()), "found 2"),
    ("PP573", spot("DeviceRGB"), "Separation"),
    ("PP573", draws("1 0 0 RG 20 20 m 30 30 l S"), "DeviceRGB"),
    ("PP574", state(BM=Name.Multiply), "blend mode Multiply"),
    ("PP574", state(SMask=Dictionary(S=Name.Luminosity)), "soft mask"),
    ("PP574", form(Subtype=Name.Form, Group=Dictionary(S=Name.Transparency)), "group"),
    ("PP574", page_group, "page group"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edit", "said"), MORE)
def test_other_ways_to_break(code: str, edit: Edit, said: str, tmp_path: Path) -> None:
    assert said in found(edit, tmp_path).get(code, "no such finding")


def test_a_spot_colour_on_cmyk_is_fine(tmp_path: Path) -> None:
    assert "PP573" not in found(spot("DeviceCMYK"), tmp_path)


def test_colours_inside_forms_and_patterns_are_seen(tmp_path: Path) -> None:
    def pattern(pdf: pikepdf.Pdf) -> None:
        tile = pikepdf.Stream(
            pdf,
            b"1 0 0 rg 0 0 2 2 re f",
            PatternType=1,
            PaintType=1,
            TilingType=1,
            XStep=2,
            YStep=2,
            BBox=Array([0, 0, 2, 2]),
            Resources=Dictionary(),
        )
        draws("/Pattern cs /P scn 20 20 5 5 re f", Pattern=Dictionary(P=tile))(pdf)

    def inner(pdf: pikepdf.Pdf) -> None:
        deep = pikepdf.Stream(pdf, b"0 1 0 rg 0 0 2 2 re f", Subtype=Name.Form, BBox=Array(MEDIA))
        inside = Dictionary(XObject=Dictionary(D=deep))
        outer = pikepdf.Stream(pdf, b"/D Do", Subtype=Name.Form, BBox=Array(MEDIA), Resources=inside)
        draws("/O Do", XObject=Dictionary(O=outer))(pdf)

    assert "PP573" in found(pattern, tmp_path)
    assert "PP573" in found(inner, tmp_path)


def test_a_form_drawn_again_is_read_where_its_facts_are_others() -> None:
    """A line is as wide as its form is drawn large; drawn at another place it is the same line."""
    pdf = card()
    line = pikepdf.Stream(pdf, b"2 w 0 0 m 9 9 l S", Subtype=Name.Form, BBox=Array(MEDIA))
    line.Resources = Dictionary()
    draws(
        "q /L Do Q q 1 0 0 1 40 40 cm /L Do Q q 2 0 0 2 0 0 cm /L Do Q /Picture BMC q 4 0 0 4 0 0 cm /L Do Q EMC "
        "q 4 0 0 4 0 0 cm 1 0 0 RG /L Do Q",
        XObject=Dictionary(L=line),
    )(pdf)
    facts = collect_facts_of_drawn_page(pdf.pages[1].obj)
    assert facts.lines == {2, 4, 8}
    assert {paint.parts for paint in facts.paints} == {(0.0,), (1.0, 0.0, 0.0)}


def test_a_form_that_draws_itself_ends(tmp_path: Path) -> None:
    def snake(pdf: pikepdf.Pdf) -> None:
        form = pdf.make_indirect(pikepdf.Stream(pdf, b"/X Do", Subtype=Name.Form, BBox=Array(MEDIA)))
        form.Resources = Dictionary(XObject=Dictionary(X=form))
        draws("/X Do", XObject=Dictionary(X=form))(pdf)

    assert found(snake, tmp_path) == {}


def test_a_form_that_draws_itself_many_times_is_read_once_a_level() -> None:
    """Twelve levels of nine each would be read for days."""
    pdf = card()
    form = pdf.make_indirect(pikepdf.Stream(pdf, b"/X Do " * 9 + b"9 9 m 0 0 l S", Subtype=Name.Form))
    form.Resources = Dictionary(XObject=Dictionary(X=form))
    draws("/X Do", XObject=Dictionary(X=form))(pdf)
    assert collect_facts_of_drawn_page(pdf.pages[1].obj).lines == {1}
