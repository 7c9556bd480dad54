"""Planted mutants of a game's description are told apart from it by one query each; the game itself is not."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from playproof.language import Game
from playproof.language.options import Options
from tests.verifier.conftest import HARVEST
from tests.verifier.equivalence import parting

SOURCE = (Path(HARVEST) / "rules.py").read_text(encoding="utf-8")

MUTANTS = {
    "too permissive: three a night": ("s.tonight < 2", "s.tonight < 3"),
    "too permissive: a requirement is gone": ('require(s.grain > 0, "H2", "there is no grain")', "pass"),
    "too strict: trade needs six": ("s.grain >= 5", "s.grain >= 6"),
    "wrong effect: grain is not used up": ("s.grain -= 1", "s.grain = s.grain"),
    "wrong effect: trade leaves one": ("s.grain = 0\n\n    @", "s.grain = 1\n\n    @"),
    "off by one: winter comes early": ("s.round == ROUNDS", "s.round == ROUNDS - 1"),
    "wrong order: the barn is full too soon": ("s.stored == goal", "s.stored == goal - 1"),
    "forgotten reset": ("s.tonight = 0\n", "pass\n"),
    "wrong phase: no night after the day": ("grain\n        goto(night)", "grain\n        goto(dawn)"),
    "chance: rain cannot come": ("weight(grain)", "weight(grain - 1)"),
}


def _built(source: str) -> Game:
    module = ModuleType("mutant")
    exec(compile(source, "mutant", "exec"), module.__dict__)  # the mutants are this file's own text
    game = module.build(Options())
    assert isinstance(game, Game)
    return game.seal()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_told_apart(name: str) -> None:
    right, wrong = MUTANTS[name]
    assert len(re.findall(re.escape(right), SOURCE)) == 1, "the mutant must change exactly one place"
    found = parting(_built(SOURCE), _built(SOURCE.replace(right, wrong)))
    assert found is not None
    assert found.step in str(found)


def test_a_description_does_not_part_from_itself_nor_from_another_wording() -> None:
    other = SOURCE.replace("s.tonight < 2", "~(s.tonight >= 2)").replace("s.stored += 1", "s.stored = 1 + s.stored")
    assert parting(_built(SOURCE), _built(SOURCE)) is None
    assert parting(_built(SOURCE), _built(other)) is None


def test_games_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="different fields"):
        parting(_built(SOURCE), _built(SOURCE.replace('"grain", 0, 6', '"grain", 0, 7')))
