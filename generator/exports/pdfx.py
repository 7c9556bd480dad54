"""PDF/X-1a:2003 (ISO 15930-4): turns a plain CMYK PDF into one that print shops accept without a
check.

Our plain PDF has no output intent: this pass adds one with pikepdf, with the version key, the
trapping key and PDF 1.4 syntax. It embeds no colour profile; it may name a registered printing
condition instead. The input must already meet the rest (CMYK colours, embedded fonts, no
transparency, the boxes); `playproof.generator.preflight` checks that.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from playproof.generator.profiles import Condition

VERSION = "PDF/X-1a:2003"
DATE = "D:20000101000000Z"  # one fixed moment, so that builds are equal byte for byte


def convert_to_pdfx1a(data: bytes, condition: Condition, *, title: str) -> bytes:
    """Return the same pages as PDF/X-1a:2003 for a printing condition."""
    out = BytesIO()
    with pikepdf.open(BytesIO(data)) as pdf:
        pdf.Root.OutputIntents = Array([pdf.make_indirect(build_output_intent(condition))])
        # Metadata in XMP would have to repeat every key below in step; the standard asks for none.
        if "/Metadata" in pdf.Root:
            del pdf.Root.Metadata
        info = pdf.docinfo
        info[Name.Title] = String(title)
        info[Name.Trapped] = Name("/False")
        info[Name.CreationDate] = info[Name.ModDate] = String(DATE)
        info[Name.GTS_PDFXVersion] = String(VERSION)
        pdf.save(
            out,
            force_version="1.4",
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            deterministic_id=True,
        )
    return out.getvalue()


def build_output_intent(condition: Condition) -> Dictionary:
    """Return an output intent that names a registered condition and embeds no profile."""
    return Dictionary(
        Type=Name.OutputIntent,
        S=Name.GTS_PDFX,
        OutputConditionIdentifier=String(condition.identifier),
        OutputCondition=String(condition.info or condition.identifier),
        Info=String(condition.info or condition.identifier),
        RegistryName=String(condition.registry),
    )


def add_page_labels(data: bytes, labels: Sequence[str]) -> bytes:
    """Return the PDF with one label per page: readers and preflight then show `front 101`, not a
    number."""
    out = BytesIO()
    with pikepdf.open(BytesIO(data)) as pdf:
        numbers: list[object] = []
        for index, label in enumerate(labels):
            numbers += [index, Dictionary(P=String(label))]
        pdf.Root.PageLabels = pdf.make_indirect(Dictionary(Nums=Array(numbers)))
        pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.preserve)
    return out.getvalue()
