"""Booklets: text that flows over pages. The rulebook from its document, and the credits.

Start reading at `booklets.py`; `document_composer.py` turns a document into passages, `page_flow.py` into pages."""

from playproof.generator.book.booklets import (
    build_credits_pages,
    build_rulebook_pages_or_raise,
    impose_pages_for_saddle_stitch,
)
from playproof.generator.book.page_flow import BookPage, BookTypesetter, TypesetBlock
from playproof.generator.book.play_interface import RecordedGamePlayer, TablePicture

__all__ = [
    "BookPage",
    "BookTypesetter",
    "RecordedGamePlayer",
    "TablePicture",
    "TypesetBlock",
    "build_credits_pages",
    "build_rulebook_pages_or_raise",
    "impose_pages_for_saddle_stitch",
]  # fmt: skip
