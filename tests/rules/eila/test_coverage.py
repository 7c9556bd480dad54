"""Every rule is carried out somewhere, or says why not; and every rule has a test with its number."""

from __future__ import annotations

import re
from pathlib import Path

from playproof.cards.eila.rules.rulings import NOT_APPLICABLE
from playproof.language.options import Options
from playproof.language.registry import build
from tests.rules.eila.scene import real


def test_every_rule_is_cited_or_says_why_not() -> None:
    data = real()
    cited = {r for chapter in "01" for r in build("eila", Options({"chapter": chapter})).citations}
    embodied = {r for c in data.components.values() for r in c.rules}
    left = set(data.rules) - cited - embodied
    assert left == set(NOT_APPLICABLE)
    assert not cited - set(data.rules) - set(data.rulings), "a citation of a rule that does not exist"


def test_every_rule_has_a_test() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    tested = {f"R{n}" for name in re.findall(r"def test_([a-z0-9_]+)", text) for n in re.findall(r"r(\d+)(?=_)", name)}
    assert set(real().rules) - tested == set()


def test_every_ruling_with_a_choice_has_a_test() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    tested = {found.upper() for found in re.findall(r"def test_(a\d+b?)_", text)}
    choices = {r.id.upper() for r in real().rulings.values() if len(r.options) > 1}
    assert choices <= tested
