"""The proof of learning: a first game of each game, written from its rulebook's text alone, is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.game import list_names_of_game_folders
from playproof.database.installation import CARDS
from playproof.referee.recorded_games import judge, load

FILES = sorted((Path(__file__).parent / "first-games").glob("*.txt"))
GAMES = list_names_of_game_folders(CARDS)


def test_every_game_has_one() -> None:
    assert {path.name.split(".")[0] for path in FILES} == set(GAMES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_judge_accepts_it_to_its_end(file: Path) -> None:
    assert judge(file, check=True) == []
    assert load(file).over


@pytest.mark.parametrize("name", GAMES)
def test_every_recorded_example_of_its_rulebook_is_accepted(name: str) -> None:
    files = sorted((CARDS / name / "rulebook").glob("*.txt"))
    assert files
    for file in files:
        assert judge(file, check=True) == [], file.name


@pytest.mark.parametrize("file", sorted(CARDS.glob("*/games/*.txt")), ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_every_recorded_game_of_a_claim_is_accepted(file: Path) -> None:
    """Two of Olith's were refused by a new ruling on cards without effect; only `make prove` asked them."""
    assert judge(file) == []
