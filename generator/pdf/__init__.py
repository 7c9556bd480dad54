"""PDF from scenes.

Other packages need only ``write_pdf(pages, path, metadata=..., colour_space="rgb" | "cmyk")``. Start reading at
`document.py`; `part_pool.py` stores each face, font and image once."""

from playproof.generator.pdf.document import Metadata, render_pdf, write_pdf
from playproof.generator.pdf.part_pool import PICTURE_DPI, PdfPartPool

__all__ = ["PICTURE_DPI", "Metadata", "PdfPartPool", "render_pdf", "write_pdf"]
