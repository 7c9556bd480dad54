"""Lint notices wrong numbers in texts.

`PLAYPROOF_PLANTED=10000 pytest tests/generator/test_planted.py -s` asks every number and prints a table
and what lint does not notice.
"""

from __future__ import annotations

import os

import pytest

from playproof.database.game import list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from tests.generator.planted import noticed, plants, sample, table

NUMBER, SEED = int(os.environ.get("PLAYPROOF_PLANTED", "12")), int(os.environ.get("PLAYPROOF_SEED", "1"))
LEAST = 80
"""The share in percent that a sample has to reach; of all numbers it is 90 and more."""


@pytest.mark.parametrize("name", list_names_of_game_folders(CARDS))
def test_wrong_numbers_planted_in_texts_are_noticed(name: str) -> None:
    found = list(noticed(name, sample(name, NUMBER, SEED)))
    missed = [str(each.plant) for each in found if not each.codes]
    if "PLAYPROOF_PLANTED" in os.environ:
        print("", table(found), *missed, sep="\n")
    assert 100 * (len(found) - len(missed)) >= LEAST * len(found), missed


@pytest.mark.parametrize("name", list_names_of_game_folders(CARDS))
def test_what_is_planted_is_another_text(name: str) -> None:
    """Every number is planted in each language of the game, in cards, rules and chapters."""
    found = plants(name)
    assert all(plant.text != plant.file.read_text("utf-8") for plant in found[::20])
    assert {plant.language for plant in found} == set(load_game(CARDS / name).languages)
    assert {plant.kind.split(":")[0] for plant in found} >= {"cards", "rulebook", "game", "chapter"}
