"""PDF from scenes.

Other packages need only ``write_pages_to_pdf_file(pages, path, metadata=..., colour_space="rgb" | "cmyk")``. Start
reading at `document.py`; `part_pool.py` stores each face, font and image once."""

from playproof.generator.pdf.document import Metadata, render_pages_to_pdf_bytes, write_pages_to_pdf_file
from playproof.generator.pdf.part_pool import PICTURE_DPI, PdfPartPool

__all__ = ["PICTURE_DPI", "Metadata", "PdfPartPool", "render_pages_to_pdf_bytes", "write_pages_to_pdf_file"]
