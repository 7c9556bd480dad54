"""The reference page says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from playproof.database.components import Component, Effect, Either, Option, Words
from playproof.database.game import Game
from playproof.database.rulebook import Rule, Ruling
from playproof.database.source import parse_yaml
from playproof.database.yaml_models import TypeName

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "card-database.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The rows of the first table after a heading, as cells."""
    after = PAGE.split(heading, 1)[1]
    rows = re.search(r"(?:^\|.*\n)+", after, re.MULTILINE)
    assert rows, heading
    return [line.strip("|").split("|") for line in rows.group().splitlines()[2:]]


def test_every_field_type_is_described() -> None:
    assert [row[0].strip(" `") for row in table("### Field types")] == list(get_args(TypeName))


def test_every_name_in_the_table_of_objects_exists() -> None:
    classes = {c.__name__: c for c in (Game, Component, Option, Effect, Either, Words, Rule, Ruling)}
    rows = {row[0].split("`")[1]: row[1] for row in table("## In Python")}
    for name, cls in classes.items():
        members = set(dir(cls)) | set(cls.__annotations__)
        named = set(re.findall(r"`([a-z_]+)(?:\([^`]*)?`", rows[name]))
        assert named <= members, f"{name}: {named - members}"


def test_every_yaml_sample_can_be_read() -> None:
    samples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert samples
    for sample in samples:
        assert parse_yaml(sample).entries
