"""Where the package and its games are, and which version it is."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CARDS = (PACKAGE / "cards").resolve()  # in a checkout, a link to a folder at its top
EXAMPLES = PACKAGE / "examples"


def version() -> str:
    """Return the installed version, or "(not installed)" in a checkout."""
    from importlib import metadata  # takes longer to load than the whole list of commands

    try:
        return metadata.version("playproof")
    except metadata.PackageNotFoundError:
        return "(not installed)"
