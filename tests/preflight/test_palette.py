"""The colours of every game that comes with Playproof can be told apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from playproof.database.game import load_game
from playproof.generator.art.icons import IconLibrary
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.preflight.colour_vision import (
    build_swatches_of_term_group,
    list_findings_on_swatches_looking_alike,
    list_findings_on_terms_looking_alike,
)

GAMES = sorted(file.parent.name for file in (Path(__file__).parents[2] / "cards").glob("*/vocabulary.yaml"))


@pytest.mark.parametrize("name", GAMES)
def test_no_terms_look_alike(name: str) -> None:
    assert list_findings_on_terms_looking_alike(load_game(name)) == []


def test_without_their_icons_some_would() -> None:
    """The check is not blind: games lean on their icons, as they should."""
    found = set()
    for name in GAMES:
        game, icons = load_game(name), IconLibrary(LAYOUTS / "icons")
        swatches = [one for group in game.vocabulary.terms for one in build_swatches_of_term_group(game, group, icons)]
        found |= {
            finding.code
            for finding in list_findings_on_swatches_looking_alike([replace(one, icon=()) for one in swatches])
        }
    assert "PP592" in found
