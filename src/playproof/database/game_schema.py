"""JSON Schema of a game's files, for completion and checks in editors.

The loader checks more than a schema can express (references, images, ids), and gives better
messages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from playproof.database.claims_yaml import ClaimsSpec
from playproof.database.component_models import ComponentModels
from playproof.database.files import format_json_bytes, write_file_atomically
from playproof.database.game import Game
from playproof.database.game_files import GameFacts
from playproof.database.patch import ErratumSpec
from playproof.database.rulebook import RulebookSpec
from playproof.database.vocabulary import VocabularySpec
from playproof.database.yaml_models import JsonSchema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FIXED: Mapping[str, type[BaseModel]] = {
    "game": GameFacts,
    "vocabulary": VocabularySpec,
    "rulebook": RulebookSpec,
    "claims": ClaimsSpec,
    "erratum": ErratumSpec,
}
"""The files that have the same form in every game."""


def export(game: Game) -> dict[str, JsonSchema]:
    """Return a schema for game, vocabulary, rulebook, claims, erratum, and for each kind of
    component."""
    schemas = {name: make_json_schema_of_model(model, f"{game.title}: {name}") for name, model in FIXED.items()}
    for kind, model in ComponentModels(game.vocabulary).kinds.items():
        schemas[kind] = _move_component_schema_into_file_schema(
            kind, make_json_schema_of_model(model, f"{game.title}: {kind}"), game
        )
    return schemas


def write(game: Game, folder: Path) -> list[Path]:
    """Write every schema as `<name>.schema.json`; each file is written whole or not at all."""
    written = []
    for name, schema in export(game).items():
        path = folder / f"{name}.schema.json"
        write_file_atomically(path, format_json_bytes(schema, indent=2))
        written.append(path)
    return written


def make_json_schema_of_model(model: type[BaseModel], title: str) -> JsonSchema:
    """Return the schema of a file."""
    return {"$schema": DIALECT, **json.loads(_dump_json_schema_of_model_cached(model)), "title": title}


@lru_cache(maxsize=16)
def _dump_json_schema_of_model_cached(model: type[BaseModel]) -> str:
    """Return the schema as JSON, which callers cannot change: pydantic takes long to make it."""
    return json.dumps(model.model_json_schema())


def _move_component_schema_into_file_schema(kind: str, component_schema: JsonSchema, game: Game) -> JsonSchema:
    """Return the schema of a component file: its entries by number.

    A component requires no field, because `defaults` may supply it; the loader checks that.
    """
    definitions: dict[str, Any] = component_schema.pop("$defs", {})
    dialect, title = component_schema.pop("$schema"), component_schema.pop("title")
    component_schema.pop("required", None)
    definitions[f"{kind}-card"] = component_schema
    card = {"$ref": f"#/$defs/{kind}-card"}
    return {
        "$schema": dialect,
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "required": ["kind", "components"],
        "properties": {
            "kind": {"const": kind},
            "defaults": card,
            "components": {
                "type": "object",
                "propertyNames": {"pattern": f"^(?:{game.vocabulary.kinds[kind].id})$"},
                "additionalProperties": card,
            },
        },
        "$defs": definitions,
    }
