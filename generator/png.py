"""PNG previews: PDF pages as pixels."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

MM_PER_INCH = 25.4


def png_pages(pdf: bytes, resolution: float = 100.0) -> Iterator[bytes]:
    """Each page of a PDF as PNG bytes at this many dots per inch."""
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        for index in range(len(document)):
            picture = document[index].render(scale=resolution / 72).to_pil()
            out = BytesIO()
            picture.save(out, "PNG", compress_level=3)
            yield out.getvalue()
