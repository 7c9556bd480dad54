"""The economy of a game's cards on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_the_command_names_a_claim_that_is_not_true(
    playproof: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert playproof("new", "deck", "--kind", "cards").status == 0
    few = "few: {ask: ledger, says: There are few cards., of: {each: copy}, expect: 1}"
    claims = f"claims:\n  {few}\n"
    (tmp_path / "deck" / "claims.yaml").write_text(claims, "utf-8")
    result = playproof("ledger", "deck", "--picture", "deck.svg")
    assert result.status == 1
    assert "not true: few: counted" in result.out
    assert (tmp_path / "deck.svg").is_file()
