"""JSON Schema for editors."""

from __future__ import annotations

import json

from playproof.database.game import load_game
from playproof.database.game_schema import export, write


def test_a_schema_for_every_kind_of_file(make_game) -> None:
    schemas = export(load_game(make_game()))
    assert list(schemas) == ["game", "vocabulary", "rulebook", "claims", "erratum", "shell", "token", "tool"]


def test_a_card_file_completes_effects_terms_and_zones(make_game) -> None:
    shell = export(load_game(make_game()))["shell"]
    definitions = shell["$defs"]
    card = definitions["shell-card"]["properties"]
    assert card["deck"]["enum"] == ["reef", "shore"]
    effect = definitions["Effect"]
    assert set(effect["properties"]) == {"gain", "pay", "call", "swap", "tools", "either"}
    assert (effect["minProperties"], effect["maxProperties"], effect["additionalProperties"]) == (1, 1, False)
    gain = effect["properties"]["gain"]
    assert gain["propertyNames"]["enum"] == ["pearl", "salt", "dread"]
    assert definitions["Option"]["properties"]["to"]["enum"] == ["beach", "sea"]
    assert shell["properties"]["components"]["propertyNames"] == {"pattern": r"^(?:\d\d)$"}


def test_short_forms_are_allowed(make_game) -> None:
    card = export(load_game(make_game()))["shell"]["$defs"]["shell-card"]["properties"]
    assert {"enum": ["mine", "playproof"], "type": "string"} in card["source"]["anyOf"]
    assert any(choice.get("type") == "string" for choice in card["title"]["anyOf"])


def test_written_files_are_json(make_game, tmp_path) -> None:
    written = write(load_game(make_game()), tmp_path / "schemas")
    assert len(written) == 8
    assert all(json.loads(path.read_text(encoding="utf-8"))["$schema"] for path in written)
    assert not list((tmp_path / "schemas").glob("*.part"))
