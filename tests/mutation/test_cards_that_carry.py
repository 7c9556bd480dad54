"""Which cards carry a "no": compared with a plain search over the numbers that the file says."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.mutation.value_changes import CardInfluence, iter_influence_of_cards_on_denial
from playproof.verifier.analysis.what_if import answer_denied_or_minimum_claim_or_raise
from playproof.verifier.prove import VerifierRun

LIGHT, MOST = 4, 12
AMOUNTS = {1, 2, 3}  # vocabulary.yaml allows no other
CLAIM = """
  seven:
    ask: reach
    says: Somebody can bring home seven Coins.
    of: {holds: "outcome == 'home with enough' and coins >= 7"}
"""


@pytest.fixture
def gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    assert run_command_line_and_get_exit_status(["new", "gates"]) == 0
    with Path("gates", "claims.yaml").open("a", encoding="utf-8") as file:
        file.write(CLAIM)
    return "gates"


def carried(ref: str, *only: str) -> dict[str, CardInfluence]:
    made = VerifierRun(ref)
    return {
        row.card: row
        for row in iter_influence_of_cards_on_denial(
            made, answer_denied_or_minimum_claim_or_raise(made, "seven", {}, {}, 5), only=only, work=5
        )
    }


def most_coins(cards: dict[str, Any]) -> int:
    """The most Coins that anybody ever has: every order of the cards, as far as the Light lasts."""
    best = 0
    for order in permutations(cards.values()):
        coins, light = 0, LIGHT
        for card in order:
            for effect in card["effects"]:
                for op, amounts in effect.items():
                    sign = 1 if op == "gain" else -1
                    coins += sign * amounts.get("coin", 0)
                    light += sign * amounts.get("light", 0)
            coins, light = min(coins, MOST), min(light, LIGHT)
            if light < 1:
                break
            best = max(best, coins)
    return best


def enough_by_hand(ref: str) -> tuple[dict[str, set[str]], int]:
    """The changes of each card by one that bring seven Coins, and how many changes there are."""
    file = Path(ref, "paths.yaml")
    usual = yaml.safe_load(file.read_text("utf-8"))["components"]
    assert most_coins(usual) < 7
    enough: dict[str, set[str]] = {card: set() for card in usual}
    tried = 0
    for ident, card in usual.items():
        for number, effect in enumerate(card["effects"]):
            for op, amounts in effect.items():
                for term, amount in amounts.items():
                    for other in {amount + 1, amount - 1} & AMOUNTS:
                        amounts[term] = other
                        tried += 1
                        if most_coins(usual) >= 7:
                            enough[ident].add(f"effects.{number}.{op}.{term}: {other} for {amount}")
                    amounts[term] = amount
    return enough, tried


def test_the_cards_that_carry_a_no_are_those_of_a_plain_search(gates: str) -> None:
    enough, tried = enough_by_hand(gates)
    rows = carried(gates)
    assert {card: {each.value.change_text for each in row.better} for card, row in rows.items()} == enough
    assert any(enough.values())
    assert not all(enough.values())
    assert sum(row.tried for row in rows.values()) == tried
    assert not any(row.open for row in rows.values())


def test_the_command_names_the_cards_and_their_changes(gates: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    run_command_line_and_get_exit_status(
        ["prove", "whatif", gates, "--claim", "seven", "--cards", "--number", "04", "--number", "05"]
    )
    printed = capsys.readouterr().out
    assert "seven: no, because games come to 122 states" in printed
    assert "  04 Fireflies             effects.0.gain.light: 2 for 1: yes\n" in printed
    assert printed.endswith("1 of 2 cards carries it; 3 changes of one number were tried\n")
    run_command_line_and_get_exit_status(["prove", "whatif", gates, "--claim", "seven", "--cards", "--number", "07"])
    assert "there is no card 07 with a number (one of: 01, 02, 03, 04, 05, 06)" in capsys.readouterr().err


@pytest.mark.parametrize("unfit", [("--steps", "2"), ("--out", "x")])
def test_an_option_that_cards_would_leave_unread_is_refused(
    gates: str, unfit: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line_and_get_exit_status(["prove", "whatif", gates, "--claim", "seven", "--cards", *unfit]) == 2
    assert "--cards takes no --steps" in capsys.readouterr().err


def test_the_file_is_left_as_it_was(gates: str) -> None:
    before = Path(gates, "paths.yaml").read_bytes()
    carried(gates, "04")
    assert Path(gates, "paths.yaml").read_bytes() == before
