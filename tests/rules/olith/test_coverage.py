"""Every rule is carried out somewhere; every rule and every ruling with a choice has a test with its number."""

from __future__ import annotations

import re
from pathlib import Path

from tests.rules.olith.scene import game_of, real

TESTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py")))


def test_every_rule_is_cited_by_the_rules_or_embodied_by_a_component() -> None:
    data = real()
    cited = {r for players in (2, 3, 4) for r in game_of(players, ()).citations}
    cited |= set(game_of(2, (("A1", "battle"),)).citations)
    embodied = {r for c in data.components.values() for r in c.rules}
    assert set(data.rules) - cited - embodied == set()
    assert not cited - set(data.rules), "a citation of a rule that does not exist"
    assert not [r for r in data.rules.values() if r.left_out]


def test_every_rule_has_a_test() -> None:
    tested = {f"R{n}" for name in re.findall(r"def test_(\w+)", TESTS) for n in re.findall(r"(?:^|_)r(\d+)(?=_)", name)}
    assert set(real().rules) - tested == set()


def test_every_ruling_with_a_choice_has_a_test() -> None:
    tested = {found.upper() for found in re.findall(r"def test_(a\d+b?)_", TESTS)}
    choices = {r.id.upper() for r in real().rulings.values() if len(r.options) > 1}
    assert choices <= tested
