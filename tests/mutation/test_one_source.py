"""One source: what the vocabulary says is read by the rules, which do not say it again."""

from __future__ import annotations

import pytest

from playproof.cards.eila.rules.names import Resource
from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.language.description import digest
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.mutation.value_changes import YamlValueChange, list_changeable_yaml_values_of_game
from tests.mutation.copies import changed


def of(game: str, keys: tuple[str, ...]) -> YamlValueChange:
    return next(v for v in list_changeable_yaml_values_of_game(game) if v.file.stem == "vocabulary" and v.path == keys)


@pytest.mark.parametrize("keys", [("terms", "resource", "gold", "store"), ("terms", "resource", "fear", "short")])
def test_the_rules_read_the_words_they_once_said_again(keys: tuple[str, ...]) -> None:
    """An inventory, and what may be paid short, stood in the vocabulary and again in the rules."""
    options = {"chapter": "1"}
    known = digest(build("eila", Options(dict(options)), load_game("eila")))
    with changed("eila", of("eila", keys)) as folder:
        try:
            cards = load_game(folder)
        except InputError:
            pytest.fail("the other word is one of the vocabulary")
        assert digest(build("eila", Options(dict(options)), cards)) != known
    assert {r.name.lower() for r in Resource} == set(load_game("eila").vocabulary.group("resource"))
