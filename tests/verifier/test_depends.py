"""What claims depend on: each option and ruling by itself, with evidence that holds on or a new answer."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from playproof.cli.main import VERBS
from playproof.cli.verbs.proving import depends as command
from playproof.verifier.depends import ASKED, SAME_EVIDENCE, Dependence, depends
from playproof.verifier.prove import prove

RULES = '''
from playproof import Game, Options, lose, otherwise, require, when, win


def build(options: Options) -> Game:
    """A purse of coins is paid out one or two at a time."""
    coins = options.number("coins", range(3, 6), 3)
    goal = options.choice("goal", ["none left", "four left"])
    tip = options.choice("tip", ["no", "yes"])
    options.choice("colour", ["red", "blue"])
    g = Game("purse")
    s = g.state
    g.integer("coins", 0, 5, coins)
    pay = g.phase("pay")

    @g.action(pay, "pay {amount}", amount=range(1, 3))
    def paying(amount) -> None:
        require(s.coins >= amount, "P1", "too few coins")
        if tip == "yes":
            require(s.coins != 1, "P2", "the last coin is a tip")
        s.coins -= amount
        with when(s.coins == (0 if goal == "none left" else 4)):
            win("paid")

    @g.action(pay, "give up")
    def give_up() -> None:
        lose("enough")

    return g
'''


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Dependence]]:
    folder = tmp_path_factory.mktemp("purse")
    (folder / "rules.py").write_text(RULES)
    return str(folder), {row.question.id: row for row in depends(str(folder), work=5)}


def test_each_choice_is_looked_at_by_itself(rows: tuple[str, dict[str, Dependence]]) -> None:
    _, found = rows
    for row in found.values():
        assert [under.choice.text for under in row.under] == [
            "coins=4", "coins=5", "goal=four left", "tip=yes", "colour=blue",
        ]  # fmt: skip


def test_what_it_says_is_what_prove_answers_there(rows: tuple[str, dict[str, Dependence]]) -> None:
    folder, found = rows
    for choice in ("coins=4", "goal=four left", "tip=yes"):
        name, _, value = choice.partition("=")
        there = {a.id: a.value for a in prove(folder, {name: value}, work=5, machine=False)}
        for claim, row in found.items():
            [under] = [u for u in row.under if u.choice.text == choice]
            assert under.value == there[claim]


def test_where_the_evidence_holds_nothing_is_asked_again(rows: tuple[str, dict[str, Dependence]]) -> None:
    _, found = rows
    ways = {under.how for row in found.values() for under in row.under}
    assert ways == {SAME_EVIDENCE, ASKED}
    for row in found.values():
        [colour] = [u for u in row.under if u.choice.text == "colour=blue"]
        assert colour.how == SAME_EVIDENCE


def test_the_command_names_what_differs(rows: tuple[str, dict[str, Dependence]]) -> None:
    folder, found = rows
    assert "depends" in VERBS
    result = CliRunner().invoke(command, [folder, "--work", "5"], standalone_mode=False)
    assert any(row.changed for row in found.values())
    for row in found.values():
        assert row.question.id in result.output
        for under in row.changed:
            assert under.choice.text in result.output
