"""The economy of a game's cards on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.database.game import load_game
from playproof.verifier.analysis.economy import build_balance_of_card_kinds_with_numbers


def test_the_command_names_a_claim_that_is_not_true(
    playproof: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert playproof("new", "deck", "--kind", "cards").status == 0
    few = "few: {ask: ledger, says: There are few cards., of: {each: copy}, expect: 1}"
    claims = f"claims:\n  {few}\n"
    (tmp_path / "deck" / "claims.yaml").write_text(claims, "utf-8")
    result = playproof("prove", "ledger", "deck", "--picture", "deck.svg")
    assert result.status == 1
    assert "not true: few: counted" in result.out
    assert (tmp_path / "deck.svg").is_file()


@pytest.mark.parametrize("width", [50, 80, 300])
def test_tables_are_folded_to_the_width_and_lose_nothing(width: int) -> None:
    tables = build_balance_of_card_kinds_with_numbers(load_game("eila"))
    lines = [line for table in tables for line in table.format_balance_table_lines(width)]
    longest = 2 + len("1, green") + 2 * 9 + 49  # sums and bar stay together
    assert max(map(len, lines)) <= max(width, longest)
    for table in tables:
        words = " ".join(table.format_balance_table_lines(width)).split()
        assert all(words.count(name) == 1 for name in table.columns if name != table.kind)
