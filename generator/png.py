"""Previews: PDF pages as pixels, and pixels embedded in an HTML page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from html import escape
from io import BytesIO


def render_pdf_pages_to_png(pdf: bytes, resolution: float = 100.0) -> Iterator[bytes]:
    """Return each page of a PDF as PNG bytes at this many dots per inch."""
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        for index in range(len(document)):
            picture = document[index].render(scale=resolution / 72).to_pil()
            out = BytesIO()
            picture.save(out, "PNG", compress_level=3)
            yield out.getvalue()


def embed_picture_in_html(data: bytes, width: int, alt_text: str) -> str:
    """Return a picture on white as an `<img>` with its data inside, `width` pixels wide; ``words``
    describe it."""
    from PIL import Image

    image = Image.open(BytesIO(data)).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image)
    height = round(image.height * width / image.width)
    out = BytesIO()
    ground.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(out, "WEBP", quality=82)
    text = b64encode(out.getvalue()).decode("ascii")
    size = f"width='{width}' height='{height}'"
    return f"<img src='data:image/webp;base64,{text}' {size} alt='{escape(alt_text)}'>"
