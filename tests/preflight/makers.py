"""Small PDFs for preflight: one card's back and front, right in everything, and ways to spoil them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from playproof.generator.preflight import list_vendor_problems_in_file_or_folder
from playproof.generator.vendor_profiles import Profile, read_vendor_profile_by_name_or_raise

MM = 72 / 25.4
CARDS = read_vendor_profile_by_name_or_raise("drivethrucards")
HOME = read_vendor_profile_by_name_or_raise("home")
MEDIA, TRIM = (0, 0, 198, 270), (9, 9, 189, 261)

Edit = Callable[[pikepdf.Pdf], None]


@dataclass(frozen=True)
class Case:
    """One way to break a rule and one that comes near and must pass."""

    breaks: Edit
    spares: Edit
    said: str
    profile: Profile = CARDS


def card() -> pikepdf.Pdf:
    """A back and a front, blank, that satisfy every rule of the strictest vendor."""
    pdf = pikepdf.new()
    for _ in range(2):
        pdf.add_blank_page(page_size=(198, 270))
        page = pdf.pages[-1].obj
        page.TrimBox, page.BleedBox = Array(TRIM), Array(MEDIA)
        page.Resources = Dictionary()
    numbers = [0, Dictionary(P=String("back 101")), 1, Dictionary(P=String("front 101"))]
    pdf.Root.PageLabels = Dictionary(Nums=Array(numbers))
    pdf.Root.OutputIntents = Array([intent()])
    pdf.docinfo[Name.GTS_PDFXVersion] = String("PDF/X-1a:2003")
    pdf.docinfo[Name.Trapped] = Name("/False")
    return pdf


def intent(**more: pikepdf.Object) -> Dictionary:
    """A good output intent, with more or other keys."""
    keys = {
        "S": Name.GTS_PDFX,
        "OutputConditionIdentifier": String("CGATS TR 001"),
        "RegistryName": String("http://www.color.org"),
    }
    return Dictionary(**{**keys, **more})


def found(edit: Edit, folder: Path, vendor: Profile = CARDS, **save: object) -> dict[str, str]:
    """The findings of an edited card: code to message."""
    path = folder / "card.pdf"
    with card() as pdf:
        edit(pdf)
        version = save.pop("force_version", "1.4")
        if "encryption" not in save:  # qpdf would unpack what is packed oddly
            save |= {"stream_decode_level": pikepdf.StreamDecodeLevel.none, "compress_streams": False}
        pdf.save(path, force_version=version, **save)
    return {finding.code: finding.message for finding in list_vendor_problems_in_file_or_folder(path, vendor)}


def draws(content: str, **resources: pikepdf.Object) -> Edit:
    """An edit that draws on the front, with resources (Font=..., XObject=... and so on)."""

    def edit(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1]
        for kind, named in resources.items():
            page.obj.Resources[f"/{kind}"] = named
        page.contents_add(content.encode("latin-1"))

    return edit


def box(name: str, *numbers: float) -> Edit:
    """An edit that sets a box of the front, or removes it when there are no numbers."""

    def edit(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        if numbers:
            page[f"/{name}"] = Array(numbers)
        else:
            del page[f"/{name}"]

    return edit


def nothing(_: pikepdf.Pdf) -> None:
    """No edit at all."""
