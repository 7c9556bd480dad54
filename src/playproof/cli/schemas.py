"""JSON Schemas of every YAML file that a person writes, as the wheel carries them in `cli/schemas/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playproof.database.claims_yaml import ClaimsSpec
from playproof.database.field_types import JsonSchema
from playproof.database.game_schema import DIALECT
from playproof.database.game_yaml import GameFacts
from playproof.database.patch import ErratumSpec
from playproof.database.rulebook import RulebookSpec
from playproof.database.vocabulary import VocabularySpec
from playproof.generator.build.products import BuildSpec
from playproof.generator.layout.layout_schema import layout_schema
from playproof.generator.profiles import ProfileSpec
from playproof.generator.sheets.paper import PaperSpec
from playproof.generator.sheets.plan import PlanSpec

FOLDER = Path(__file__).resolve().parent / "schemas"
_FILES: dict[str, Any] = {
    "game": GameFacts,
    "vocabulary": VocabularySpec,
    "rulebook": RulebookSpec,
    "claims": ClaimsSpec,
    "erratum": ErratumSpec,
    "build": BuildSpec,
    "sheet-plan": PlanSpec,
    "print-shop": ProfileSpec,
}


def all_schemas() -> dict[str, JsonSchema]:
    """Return each schema by its name. A game's own kinds of card are known only to its vocabulary: `cards` holds what
    all files of cards share, and `playproof new` writes the schema of each kind."""
    schemas: dict[str, JsonSchema] = {
        name: {"$schema": DIALECT, **model.model_json_schema(), "title": f"Playproof: {name}"}
        for name, model in _FILES.items()
    }
    paper = PaperSpec.model_json_schema()
    schemas["papers"] = {
        "$schema": DIALECT,
        "title": "Playproof: papers",
        "type": "object",
        "$defs": paper.pop("$defs", {}),
        "additionalProperties": paper,
    }
    schemas["layout"] = {**layout_schema(), "title": "Playproof: layout"}
    schemas["cards"] = {
        "$schema": DIALECT,
        "title": "Playproof: cards",
        "type": "object",
        "required": ["kind", "components"],
        "additionalProperties": False,
        "properties": {
            "kind": {"type": "string", "description": "a kind of vocabulary.yaml"},
            "defaults": {"type": "object", "description": "properties that all cards of the file share"},
            "components": {"type": "object", "additionalProperties": {"type": "object"}},
        },
    }
    return schemas
