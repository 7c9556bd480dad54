"""PDF from scenes.

Other rooms need only ``write_pdf(pages, path, metadata=..., colour_space="rgb" | "cmyk")``.
"""

from playproof.generator.pdf.document import Metadata, pdf_bytes, write_pdf
from playproof.generator.pdf.pool import PICTURE_DPI, Pool

__all__ = ["PICTURE_DPI", "Metadata", "Pool", "pdf_bytes", "write_pdf"]
