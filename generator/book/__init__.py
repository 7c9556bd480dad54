"""Booklets: text that flows over pages. The rulebook with its rulings, and the credits."""

from playproof.generator.book.flow import Book
from playproof.generator.book.rulebook import credits_book, rulebook_book

__all__ = ["Book", "credits_book", "rulebook_book"]
