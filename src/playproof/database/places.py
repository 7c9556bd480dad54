"""Where the package and its games are."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CARDS = (PACKAGE / "cards").resolve()  # in a checkout, a link to a folder at its top
EXAMPLES = PACKAGE / "examples"
