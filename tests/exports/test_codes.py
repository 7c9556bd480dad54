"""Every code of this package's findings is in a table, and every code in the table is used."""

from __future__ import annotations

import re
from pathlib import Path

from playproof.generator.codes import SHEET_CODES
from playproof.generator.preflight import RULES

ROOT = Path(__file__).parents[2]
PLACES = ("generator/sheets", "generator/exports", "generator/preflight", "generator/vendor_profiles.py")
UNREADABLE = "PP560"  # of preflight, before any rule can run
VISION = {"PP592", "PP593"}  # rules about a palette, not about a file


def used() -> set[str]:
    """Codes that stand in the source, tables of codes apart."""
    files = [file for place in PLACES for file in (ROOT / place, *(ROOT / place).glob("*.py"))]
    texts = [file.read_text() for file in files if file.is_file() and file.name != "codes.py"]
    return {code for text in texts for code in re.findall(r'"(PP\d{3})"', text)}


def test_codes_and_uses_agree() -> None:
    assert used() == set(SHEET_CODES) | set(RULES) | VISION | {UNREADABLE}


def test_rules_have_sources_and_titles() -> None:
    for rule in RULES.values():
        assert rule.title
        assert rule.source


def test_every_code_is_explained_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "codes.md").read_text()
    missing = [code for code in sorted(used()) if code not in text]
    assert not missing
