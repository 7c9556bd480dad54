"""Every rule with a number has a claim, and the rules hold what the data says of options and players."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.database.source import read_yaml_file
from playproof.language.registry import build, list_bundled_game_names
from playproof.mutation.value_changes import YamlValueChange, list_changeable_yaml_values_of_game
from tests.mutation.copies import changed

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"\b(\d+|two|three|four|five|six|seven|eight|nine|ten|second|third|fourth)\b", re.IGNORECASE)


@pytest.mark.parametrize(
    ("game", "keys"),
    [
        ("eurydice", ("options", "setting", "default")),
        ("eurydice", ("options", "setting", "values", 0)),
        ("opale", ("players", "max")),
        ("olith", ("players", "max")),
        ("eurydice", ("players", "min")),
    ],
)
def test_the_rules_hold_what_game_yaml_says_of_options_and_players(game: str, keys: tuple[str | int, ...]) -> None:
    """A default was changed, and the number of players, and nothing noticed it."""
    with changed(game, in_game_yaml(game, keys)) as folder:
        cards = load_game(folder)
        with pytest.raises(InputError, match=r"game\.yaml:\d+:\d+: PP350"):
            build(game, data=cards)


@pytest.mark.parametrize("game", list_bundled_game_names())
def test_every_rule_with_a_number_has_a_claim(game: str) -> None:
    """A claim that names the rule fails with another number; where there is none, the list says why."""
    cards = load_game(game)
    spoken = {rule for claim in cards.claims.values() for rule in claim.rules}
    known = read_yaml_file(HERE / "unclaimed.yaml").entries
    listed = {k: str(e.node.value) for k, e in known[game].node.entries.items()} if game in known else {}
    numbered = {r.id for r in cards.rules.values() if NUMBER.search(r.text) and not r.left_out}
    assert numbered - spoken == set(listed)
    assert all(len(why) > 10 for why in listed.values())


def test_a_claim_that_names_no_rule_is_refused() -> None:
    with changed("opale", of_claim()) as folder, pytest.raises(InputError, match="PP210"):
        dict(load_game(folder).claims)


def of_claim() -> YamlValueChange:
    """A claim's rule, misspelt."""
    path = load_game("opale").folder / "claims.yaml"
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    line, text = next((n, t) for n, t in lines if "rules: [R37]" in t)
    return YamlValueChange(path, line, text.index("R37") + 1, ("claims",), "R37", "R370")


def in_game_yaml(game: str, keys: tuple[str | int, ...]) -> YamlValueChange:
    return next(
        value for value in list_changeable_yaml_values_of_game(game) if value.file.stem == "game" and value.path == keys
    )
