"""A game written in one language that is not English: its texts stand in its files without a language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.database.game import load_game
from tests.cli.conftest import Answer

Call = Callable[..., Answer]


def test_bare_texts_are_in_the_language_of_the_game(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were refused as English: `expected a known word, found "en"`."""
    monkeypatch.chdir(tmp_path)
    assert playproof("new", "bosco").status == 0
    facts = tmp_path / "bosco/game.yaml"
    text = facts.read_text("utf-8").replace("languages: [en]", "languages: [it]").replace("about: {en:", "about: {it:")
    facts.write_text(text, "utf-8")
    cards = tmp_path / "bosco/paths.yaml"
    cards.write_text(cards.read_text("utf-8").replace("The Old Well", "Il vecchio pozzo"), "utf-8")
    checked = playproof("lint", "bosco")
    assert checked.status == 0
    assert "PP238" not in checked.out
    title = load_game("./bosco").components["03"].title
    assert title is not None
    assert title.texts == {"it": "Il vecchio pozzo"}
    built = playproof("build", "bosco", "--paper", "A4")
    assert built.status == 0, built.err
    assert (tmp_path / "output/bosco/print/A4/path-it.pdf").exists()
