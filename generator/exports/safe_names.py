"""Safe names for files and addresses, and numbers that identify a thing in every build."""

from __future__ import annotations

import hashlib
import re


def slugify(name: str) -> str:
    """Return a name for files and addresses: lower case, digits and hyphens.

    >>> slugify("Event cards, day 1")
    'event-cards-day-1'
    """
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "part"


def build_stable_id(*words: str, digits: int) -> str:
    """Return upper-case hexadecimal digits that depend on the words alone, so that builds repeat.

    >>> build_stable_id("a", digits=6)
    'CA9781'
    """
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:digits].upper()
