"""Find the place of a number in a file."""

from __future__ import annotations

import re

from playproof.database.errors import Where
from playproof.database.source import read_content


def find_number_place(where: Where, number: str) -> Where:
    """Return the place of a number's first use from `where` on, or `where` if it is not there or the
    file cannot be read. A paragraph of a chapter knows its first line only."""
    try:
        lines = read_content(where.file).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return where
    for line, text in enumerate(lines[where.line - 1 :], where.line):
        if match := re.search(rf"(?<!\w){re.escape(number)}(?!\w)", text):
            return where._replace(line=line, column=match.start() + 1)
        if not text.strip():
            break  # the paragraph ends
    return where
