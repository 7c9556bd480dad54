"""Booklets: text that flows over pages. The rulebook from its document, and the credits."""

from playproof.generator.book.binding import saddle_stitched
from playproof.generator.book.booklets import credits_book, rulebook_book
from playproof.generator.book.flow import Book, Leaf, SetBlock
from playproof.generator.book.play_interface import Plays, Scene

__all__ = [
    "Book", "Leaf", "Plays", "Scene", "SetBlock", "credits_book", "rulebook_book", "saddle_stitched",
]  # fmt: skip
