"""A card of Tabletop Simulator that asks the published address of its game for a newer version.

Source: the program's own documentation (api.tabletopsimulator.com: WebRequest, spawnObjectJSON, onLoad, tags).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

NEWEST = "newest.json"  # at the published address: the version, and its objects as JSON texts
SCRIPT = Path(__file__).with_suffix(".lua")

JsonObject = dict[str, Any]


def compute_short_digest(data: bytes) -> str:
    """Return what tells this content from others: 12 hexadecimal digits."""
    return sha256(data).hexdigest()[:12]


def add_version_check_script(
    card: JsonObject, objects: list[JsonObject], title: str, tag: str, address: str
) -> JsonObject:
    """Return the card as one that asks, and tag it and the other objects of the table as parts of the game.

    `address` is that of NEWEST. The version is the digest of the objects. Tags are lower case, since the program
    does not tell cases apart.
    """
    for made in _iter_nested_objects([card, *objects]):
        made["Tags"] = [tag]
    version = compute_short_digest(json.dumps(objects, sort_keys=True).encode())
    about = {"title": title, "address": address, "version": version, "tag": tag}
    script = SCRIPT.read_text(encoding="utf-8")
    return card | {
        "Description": f"When the table loads, this card looks at {address} for a newer version.",
        "LuaScript": script,
        "LuaScriptState": json.dumps(about, ensure_ascii=False),
    }


def build_newest_version_answer(card: JsonObject, objects: list[JsonObject]) -> JsonObject:
    """Return what the published address answers. Each object is a text, so that Lua takes nothing of it apart."""
    version = json.loads(card["LuaScriptState"])["version"]
    return {
        "version": version,
        "objects": [json.dumps(made, ensure_ascii=False) for made in (*objects, card)],
    }


def _iter_nested_objects(objects: list[JsonObject]) -> Iterator[JsonObject]:
    for made in objects:
        yield made
        yield from _iter_nested_objects(made.get("ContainedObjects", []))
