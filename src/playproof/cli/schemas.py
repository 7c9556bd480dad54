"""JSON Schemas of every YAML file that a person writes, and of recorded games. The build of a wheel writes them to
`cli/schemas/`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import BaseModel

from playproof.database.game_schema import DIALECT, FIXED, make_json_schema_of_model
from playproof.database.recorded_games import RecordedGamesSpec
from playproof.database.yaml_models import JsonSchema
from playproof.generator.build.products import BuildSpec
from playproof.generator.layout.model import build_layout_json_schema
from playproof.generator.sheets.plan import PaperSpec, PlanSpec
from playproof.generator.vendor_profiles import ProfileSpec
from playproof.table.spec import make_json_schema_of_table_yaml


def build_json_schemas_by_yaml_file_kind() -> dict[str, JsonSchema]:
    """Return each schema by its name. A game's own kinds of card are known only to its vocabulary: `cards` holds what
    all files of cards share, and `playproof new` writes the schema of each kind."""
    models: dict[str, type[BaseModel]] = {
        **FIXED,
        "build": BuildSpec,
        "sheet-plan": PlanSpec,
        "print-shop": ProfileSpec,
        "recorded-games": RecordedGamesSpec,
    }
    schemas = {name: make_json_schema_of_model(model, f"Playproof: {name}") for name, model in models.items()}
    paper = PaperSpec.model_json_schema()
    schemas["papers"] = {
        "$schema": DIALECT,
        "title": "Playproof: papers",
        "type": "object",
        "$defs": paper.pop("$defs", {}),
        "additionalProperties": paper,
    }
    schemas["layout"] = {**build_layout_json_schema(), "title": "Playproof: layout"}
    schemas["table"] = {**make_json_schema_of_table_yaml(), "title": "Playproof: table"}
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


def write_all_schemas_into_new_folder(folder: Path) -> None:
    """Write every schema into a folder."""
    folder.mkdir()
    for name, schema in build_json_schemas_by_yaml_file_kind().items():
        text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_all_schemas_into_new_folder(Path(sys.argv[1]))
