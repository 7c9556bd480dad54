"""Which index entries a text mentions, so that the index leads to more than the marked places."""

from __future__ import annotations

import re

from playproof.database.rulebook_text import Document, Heading, IndexSpan, NumberSpan, Paragraph

ENDING = r"\w{0,2}"
"""A word may take an ending: units, Consumables, Gottheiten. Longer ones make other words."""


class IndexEntryFinder:
    """The index entries of a document, as words to look for."""

    def __init__(self, document: Document) -> None:
        spans = (span for paragraph in document.iter_paragraphs() for span in paragraph.spans)
        marked = {span.entry for span in spans if isinstance(span, IndexSpan)}
        self._words = {
            entry: re.compile(rf"\b{re.escape(entry)}{ENDING}\b", re.IGNORECASE) for entry in sorted(marked)
        }

    def find_mentioned_entries(self, block: Paragraph | Heading) -> list[str]:
        """Return the entries whose words, in any case, stand in the text."""
        parts = (span.text if isinstance(span, IndexSpan | NumberSpan) else span for span in block.spans)
        text = "".join(part for part in parts if isinstance(part, str))
        return [entry for entry, words in self._words.items() if words.search(text)]
