"""PDF/X-1a:2003, rule by rule.

The ISO text is not free. The rules follow CGATS' Application Notes for PDF/X, version 4, as public
test suites of PDF libraries quote them."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from playproof.generator.exports.vendor import VERSION
from playproof.generator.preflight.pdf_file import Box, OpenPdf
from playproof.generator.preflight.rule_table import Problem, RuleTable
from playproof.generator.vendor_profiles import Profile

NOTES = "ISO 15930-4 (PDF/X-1a:2003) as read in CGATS, Application Notes for PDF/X v4"
SLACK = 0.01  # pt; boxes are written with four decimals
FORBIDDEN_FILTERS = ("/LZWDecode", "/JBIG2Decode", "/JPXDecode")
STANDARD_INFO = frozenset(
    {"/Title", "/Author", "/Subject", "/Keywords", "/Creator", "/Producer", "/CreationDate", "/ModDate",
     "/Trapped"}
)  # fmt: skip

TABLE: RuleTable[OpenPdf] = RuleTable()


def requires_pdfx_standard(profile: Profile) -> bool:
    """Return whether the vendor requires the standard."""
    return profile.standard == VERSION


@TABLE.register_function_as_rule(
    "PP561", "the file says which standard it follows", f"{NOTES}: version key", requires_pdfx_standard
)
def find_wrong_pdfx_version_key(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    version = document.pdf.docinfo.get("/GTS_PDFXVersion")
    if str(version or "") != VERSION:
        yield Problem(None, f"expected GTS_PDFXVersion ({VERSION}), found {version or 'no such key'}")


@TABLE.register_function_as_rule(
    "PP562", "written in the syntax of PDF 1.4", f"{NOTES}: PDF 1.4", requires_pdfx_standard
)
def find_too_new_pdf_version(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    version = document.pdf.pdf_version
    if tuple(map(int, version.split("."))) > (1, 4):
        yield Problem(None, f"expected PDF 1.4 or less, found {version}")


@TABLE.register_function_as_rule(
    "PP563", "says whether it is trapped", f"{NOTES}: Trapped is True or False", requires_pdfx_standard
)
def find_missing_trapped_flag(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    flag = document.pdf.docinfo.get("/Trapped")
    if not isinstance(flag, pikepdf.Name) or str(flag) not in ("/True", "/False"):
        yield Problem(None, f"expected Trapped /True or /False, found {flag or 'no such key'}")


@TABLE.register_function_as_rule("PP564", "not encrypted", f"{NOTES}: no encryption", requires_pdfx_standard)
def find_encryption(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    if document.pdf.is_encrypted:
        yield Problem(None, "expected a file without encryption, found one with")


@TABLE.register_function_as_rule(
    "PP565", "packed in ways every printer unpacks", f"{NOTES}: no LZW, JBIG2 or JPX", requires_pdfx_standard
)
def find_forbidden_compression_filters(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    used = {name for stream in _iter_streams(document) for name in _list_compression_filters_of_stream(stream)}
    for name in sorted(used.intersection(FORBIDDEN_FILTERS)):
        yield Problem(None, f"expected Flate or DCT compression, found {name[1:]}")


@TABLE.register_function_as_rule(
    "PP566", "every page says where it is cut", f"{NOTES}: boxes stand on the page itself", requires_pdfx_standard
)
def find_pages_without_one_trim_or_art_box(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        if "/MediaBox" not in page:
            yield Problem(number, "expected a MediaBox on the page itself, found none")
        there = [name for name in ("/TrimBox", "/ArtBox") if name in page]
        if len(there) != 1:
            boxes = " and ".join(name[1:] for name in there) or "neither"
            yield Problem(number, f"expected exactly one of TrimBox and ArtBox, found {boxes}")


@TABLE.register_function_as_rule(
    "PP567", "boxes lie inside each other", f"{NOTES}: trim in bleed and crop, all in media", requires_pdfx_standard
)
def find_page_boxes_outside_each_other(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        boxes = {name: document.get_page_box_or_none(page, f"/{name}") for name in ("MediaBox", "CropBox", "BleedBox")}
        inner = {"TrimBox": document.get_trim_or_next_larger_box_of_page(page), "BleedBox": boxes["BleedBox"]}
        for name, outer in (
            ("TrimBox", "BleedBox"),
            ("TrimBox", "CropBox"),
            ("BleedBox", "MediaBox"),
            ("TrimBox", "MediaBox"),
        ):
            inner_box, outer_box = inner[name], boxes[outer]
            if inner_box is not None and outer_box is not None and not _is_box_within_another(outer_box, inner_box):
                yield Problem(number, f"expected {name} inside {outer}, found it outside")


@TABLE.register_function_as_rule(
    "PP568", "notes lie outside the bleed", f"{NOTES}: annotations outside the BleedBox", requires_pdfx_standard
)
def find_annotations_inside_bleed(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, page, _facts in document.pages:
        printed = document.get_page_box_or_none(page, "/BleedBox") or document.get_trim_or_next_larger_box_of_page(page)
        for note in page.get("/Annots", []):
            left, bottom, right, top = (float(part) for part in note.get("/Rect", (0, 0, 0, 0)))
            trap_net = str(note.get("/Subtype", "")) == "/TrapNet"
            if not trap_net and _boxes_overlap((left, bottom, right, top), printed):
                yield Problem(number, "expected annotations outside the BleedBox, found one inside")


@TABLE.register_function_as_rule(
    "PP569", "does nothing by itself", f"{NOTES}: no JavaScript, actions or forms", requires_pdfx_standard
)
def find_actions_forms_and_scripts(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    root = document.pdf.Root
    for key in ("/AcroForm", "/OpenAction", "/AA"):
        if key in root:
            yield Problem(None, f"expected no actions and no forms, found {key[1:]}")
    if "/Names" in root and "/JavaScript" in root.Names:
        yield Problem(None, "expected no actions and no forms, found JavaScript")
    for number, page, _facts in document.pages:
        if "/AA" in page:
            yield Problem(number, "expected no actions on pages, found some")


@TABLE.register_function_as_rule(
    "PP570", "its own keys hold text", f"{NOTES}: private keys of Info are strings", requires_pdfx_standard
)
def find_private_info_keys_without_text(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for key, value in document.pdf.docinfo.items():
        if key not in STANDARD_INFO and not isinstance(value, pikepdf.String | str):
            yield Problem(None, f"expected text under {key[1:]} in Info, found something else")


@TABLE.register_function_as_rule(
    "PP571", "names the printing it is meant for", f"{NOTES}: output intent with identifier", requires_pdfx_standard
)
def find_missing_or_double_output_intent(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    intents = _list_pdfx_output_intents(document)
    if len(intents) != 1:
        yield Problem(None, f"expected one output intent GTS_PDFX, found {len(intents)}")
    elif not str(intents[0].get("/OutputConditionIdentifier", "")).strip():
        yield Problem(None, "expected an OutputConditionIdentifier in the output intent, found none")


@TABLE.register_function_as_rule(
    "PP572", "that printing can be looked up", f"{NOTES}: profile embedded or registry named", requires_pdfx_standard
)
def find_output_intent_without_profile_or_registry(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for output_intent in _list_pdfx_output_intents(document):
        registry_name = str(output_intent.get("/RegistryName", "")).strip()
        if "/DestOutputProfile" not in output_intent and not registry_name:
            yield Problem(None, "expected a profile or a RegistryName in the output intent, found neither")


@TABLE.register_function_as_rule(
    "PP573", "no RGB anywhere", f"{NOTES}: CMYK, grey and spot colours only", requires_pdfx_standard
)
def find_rgb_colours(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for family in sorted({paint.space.family for paint in facts.paints if paint.space.is_rgb}):
            yield Problem(number, f"expected CMYK, grey or spot colours, found {family}")


@TABLE.register_function_as_rule("PP574", "nothing is see-through", f"{NOTES}: no transparency", requires_pdfx_standard)
def find_transparency(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        for kind in sorted(facts.transparency):
            yield Problem(number, f"expected no transparency, found {kind}")


@TABLE.register_function_as_rule(
    "PP575", "no PostScript inside", f"{NOTES}: no PostScript XObjects", requires_pdfx_standard
)
def find_postscript_objects(document: OpenPdf, _: Profile) -> Iterator[Problem]:
    for number, _page, facts in document.pages:
        if facts.postscript:
            yield Problem(number, "expected no PostScript XObject, found one")


def _list_pdfx_output_intents(document: OpenPdf) -> list[pikepdf.Object]:
    return [i for i in document.pdf.Root.get("/OutputIntents", []) if str(i.get("/S", "")) == "/GTS_PDFX"]


def _iter_streams(document: OpenPdf) -> Iterator[pikepdf.Object]:
    yield from (item for item in document.pdf.objects if isinstance(item, pikepdf.Stream))


def _list_compression_filters_of_stream(stream: pikepdf.Object) -> list[str]:
    value = stream.get("/Filter")
    if value is None:
        return []
    return [str(name) for name in value] if isinstance(value, pikepdf.Array) else [str(value)]


def _is_box_within_another(outer: Box, inner: Box) -> bool:
    return (
        inner[0] >= outer[0] - SLACK
        and inner[1] >= outer[1] - SLACK
        and inner[2] <= outer[2] + SLACK
        and inner[3] <= outer[3] + SLACK
    )


def _boxes_overlap(box: Box, other: Box) -> bool:
    """Return whether two boxes share more than an edge."""
    return (
        box[0] < other[2] - SLACK
        and other[0] < box[2] - SLACK
        and box[1] < other[3] - SLACK
        and (other[1] < box[3] - SLACK)
    )
