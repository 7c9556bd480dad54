"""PDF/X-1a:2003, rule by rule.

The ISO text is not free. The rules follow CGATS' Application Notes for PDF/X, version 4, as public
test suites of PDF libraries quote them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from playproof.generator.exports.pdfx import VERSION
from playproof.generator.preflight.pdf_file import Box, Document
from playproof.generator.preflight.rule_table import Problem, RuleTable
from playproof.generator.profiles import Profile

NOTES = "ISO 15930-4 (PDF/X-1a:2003) as read in CGATS, Application Notes for PDF/X v4"
SLACK = 0.01  # pt; boxes are written with four decimals
FORBIDDEN_FILTERS = ("/LZWDecode", "/JBIG2Decode", "/JPXDecode")
STANDARD_INFO = frozenset(
    {"/Title", "/Author", "/Subject", "/Keywords", "/Creator", "/Producer", "/CreationDate", "/ModDate",
     "/Trapped"}
)  # fmt: skip

TABLE: RuleTable[Document] = RuleTable()


def strict(profile: Profile) -> bool:
    """Return whether the vendor requires the standard."""
    return profile.standard == VERSION


@TABLE.rule("PP561", "the file says which standard it follows", f"{NOTES}: version key", strict)
def version_key(document: Document, _: Profile) -> Iterator[Problem]:
    version = document.pdf.docinfo.get("/GTS_PDFXVersion")
    if str(version or "") != VERSION:
        yield Problem(None, f"expected GTS_PDFXVersion ({VERSION}), found {version or 'no such key'}")


@TABLE.rule("PP562", "written in the syntax of PDF 1.4", f"{NOTES}: PDF 1.4", strict)
def syntax(document: Document, _: Profile) -> Iterator[Problem]:
    version = document.pdf.pdf_version
    if tuple(map(int, version.split("."))) > (1, 4):
        yield Problem(None, f"expected PDF 1.4 or less, found {version}")


@TABLE.rule("PP563", "says whether it is trapped", f"{NOTES}: Trapped is True or False", strict)
def trapped(document: Document, _: Profile) -> Iterator[Problem]:
    flag = document.pdf.docinfo.get("/Trapped")
    if not isinstance(flag, pikepdf.Name) or str(flag) not in ("/True", "/False"):
        yield Problem(None, f"expected Trapped /True or /False, found {flag or 'no such key'}")


@TABLE.rule("PP564", "not encrypted", f"{NOTES}: no encryption", strict)
def encryption(document: Document, _: Profile) -> Iterator[Problem]:
    if document.pdf.is_encrypted:
        yield Problem(None, "expected a file without encryption, found one with")


@TABLE.rule("PP565", "packed in ways every printer unpacks", f"{NOTES}: no LZW, JBIG2 or JPX", strict)
def filters(document: Document, _: Profile) -> Iterator[Problem]:
    used = {name for stream in _streams(document) for name in _filters(stream)}
    for name in sorted(used.intersection(FORBIDDEN_FILTERS)):
        yield Problem(None, f"expected Flate or DCT compression, found {name[1:]}")


@TABLE.rule("PP566", "every page says where it is cut", f"{NOTES}: boxes stand on the page itself", strict)
def cut_boxes(document: Document, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        if "/MediaBox" not in page:
            yield Problem(number, "expected a MediaBox on the page itself, found none")
        there = [name for name in ("/TrimBox", "/ArtBox") if name in page]
        if len(there) != 1:
            boxes = " and ".join(name[1:] for name in there) or "neither"
            yield Problem(number, f"expected exactly one of TrimBox and ArtBox, found {boxes}")


@TABLE.rule("PP567", "boxes lie inside each other", f"{NOTES}: trim in bleed and crop, all in media", strict)
def nested_boxes(document: Document, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        boxes = {name: document.box(page, f"/{name}") for name in ("MediaBox", "CropBox", "BleedBox")}
        inner = {"TrimBox": document.trim(page), "BleedBox": boxes["BleedBox"]}
        for name, outer in (
            ("TrimBox", "BleedBox"),
            ("TrimBox", "CropBox"),
            ("BleedBox", "MediaBox"),
            ("TrimBox", "MediaBox"),
        ):
            inner_box, outer_box = inner[name], boxes[outer]
            if inner_box is not None and outer_box is not None and not _holds(outer_box, inner_box):
                yield Problem(number, f"expected {name} inside {outer}, found it outside")


@TABLE.rule("PP568", "notes lie outside the bleed", f"{NOTES}: annotations outside the BleedBox", strict)
def outside_notes(document: Document, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        printed = document.box(page, "/BleedBox") or document.trim(page)
        for note in page.get("/Annots", []):
            left, bottom, right, top = (float(part) for part in note.get("/Rect", (0, 0, 0, 0)))
            trap_net = str(note.get("/Subtype", "")) == "/TrapNet"
            if not trap_net and _meet((left, bottom, right, top), printed):
                yield Problem(number, "expected annotations outside the BleedBox, found one inside")


@TABLE.rule("PP569", "does nothing by itself", f"{NOTES}: no JavaScript, actions or forms", strict)
def actions(document: Document, _: Profile) -> Iterator[Problem]:
    root = document.pdf.Root
    for key in ("/AcroForm", "/OpenAction", "/AA"):
        if key in root:
            yield Problem(None, f"expected no actions and no forms, found {key[1:]}")
    if "/Names" in root and "/JavaScript" in root.Names:
        yield Problem(None, "expected no actions and no forms, found JavaScript")
    for number, page, _facts in document.pages:
        if "/AA" in page:
            yield Problem(number, "expected no actions on pages, found some")


@TABLE.rule("PP570", "its own keys hold text", f"{NOTES}: private keys of Info are strings", strict)
def private_keys(document: Document, _: Profile) -> Iterator[Problem]:
    for key, value in document.pdf.docinfo.items():
        if key not in STANDARD_INFO and not isinstance(value, pikepdf.String | str):
            yield Problem(None, f"expected text under {key[1:]} in Info, found something else")


@TABLE.rule("PP571", "names the printing it is meant for", f"{NOTES}: output intent with identifier", strict)
def intent(document: Document, _: Profile) -> Iterator[Problem]:
    intents = _intents(document)
    if len(intents) != 1:
        yield Problem(None, f"expected one output intent GTS_PDFX, found {len(intents)}")
    elif not str(intents[0].get("/OutputConditionIdentifier", "")).strip():
        yield Problem(None, "expected an OutputConditionIdentifier in the output intent, found none")


@TABLE.rule("PP572", "that printing can be looked up", f"{NOTES}: profile embedded or registry named", strict)
def registry(document: Document, _: Profile) -> Iterator[Problem]:
    for output_intent in _intents(document):
        registry_name = str(output_intent.get("/RegistryName", "")).strip()
        if "/DestOutputProfile" not in output_intent and not registry_name:
            yield Problem(None, "expected a profile or a RegistryName in the output intent, found neither")


@TABLE.rule("PP573", "no RGB anywhere", f"{NOTES}: CMYK, grey and spot colours only", strict)
def no_rgb(document: Document, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for family in sorted({paint.space.family for paint in facts.paints if paint.space.is_rgb}):
            yield Problem(number, f"expected CMYK, grey or spot colours, found {family}")


@TABLE.rule("PP574", "nothing is see-through", f"{NOTES}: no transparency", strict)
def opaque(document: Document, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for kind in sorted(facts.transparency):
            yield Problem(number, f"expected no transparency, found {kind}")


@TABLE.rule("PP575", "no PostScript inside", f"{NOTES}: no PostScript XObjects", strict)
def no_postscript(document: Document, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        if facts.postscript:
            yield Problem(number, "expected no PostScript XObject, found one")


def _intents(document: Document) -> list[pikepdf.Object]:
    return [i for i in document.pdf.Root.get("/OutputIntents", []) if str(i.get("/S", "")) == "/GTS_PDFX"]


def _streams(document: Document) -> Iterator[pikepdf.Object]:
    yield from (item for item in document.pdf.objects if isinstance(item, pikepdf.Stream))


def _filters(stream: pikepdf.Object) -> list[str]:
    value = stream.get("/Filter")
    if value is None:
        return []
    return [str(name) for name in value] if isinstance(value, pikepdf.Array) else [str(value)]


def _holds(outer: Box, inner: Box) -> bool:
    return (
        inner[0] >= outer[0] - SLACK
        and inner[1] >= outer[1] - SLACK
        and inner[2] <= outer[2] + SLACK
        and inner[3] <= outer[3] + SLACK
    )


def _meet(box: Box, other: Box) -> bool:
    """Return whether two boxes share more than an edge."""
    return (
        box[0] < other[2] - SLACK
        and other[0] < box[2] - SLACK
        and box[1] < other[3] - SLACK
        and (other[1] < box[3] - SLACK)
    )
