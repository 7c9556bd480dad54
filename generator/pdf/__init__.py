"""PDF from scenes.

Other rooms need only ``write_pdf(pages, path, metadata=..., colour_space="rgb" | "cmyk")``.
"""

from playproof.generator.pdf.document import Metadata, pdf_bytes, write_pdf
from playproof.generator.pdf.pool import Pool

__all__ = ["Metadata", "Pool", "pdf_bytes", "write_pdf"]
