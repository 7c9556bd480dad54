"""A world as data: the layers of a scene from back to front, one YAML file per world.

A world may have views beside its landscape: a portrait, a thing on a cloth, a look through branches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from playproof.database.errors import FindingCollector, InputError, did_you_mean
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.validation import validate_node
from playproof.generator.art.scenery.canvas import SceneCanvas


class Layer(BaseModel, ABC):
    """The settings of one layer. Each kind of layer is a subclass in a module of this package."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    kind: ClassVar[str]
    when: Literal["day", "night"] | None = None

    @abstractmethod
    def paint(self, canvas: SceneCanvas) -> None:
        """Add the layer's nodes in front of those already painted."""


LAND = "land"
"""The view of a world that its `layers` are."""
PARTS = ("layers", "views", "finish")
"""What the file of a world may hold."""
KINDS: dict[str, type[Layer]] = {}
_L = TypeVar("_L", bound=type[Layer])


def register_layer_kind(kind: str) -> Callable[[_L], _L]:
    """Decorate a class as the layer that a world's file calls `- KIND: {...}`."""

    def register(cls: _L) -> _L:
        cls.kind = kind
        KINDS[kind] = cls
        return cls

    return register


@dataclass(frozen=True)
class World:
    """The layers of each view of a world, from back to front. `land`, its landscape, is always one.
    The layers of the `finish` lie in front of every view."""

    name: str
    views: Mapping[str, tuple[Layer, ...]]
    finish: tuple[Layer, ...] = ()


def read_worlds(folders: tuple[FilePath, ...], collector: FindingCollector) -> Mapping[str, World]:
    """Read the worlds of the folders. A later folder's world replaces one of the same name.
    Mistakes are added to the collector."""
    worlds: dict[str, World] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")):
            try:
                worlds[path.stem] = _parse_world(path.stem, read_yaml_file(path), collector)
            except InputError as error:
                collector.add_findings(error.findings)
    return worlds


def _parse_world(name: str, node: YamlNode, collector: FindingCollector) -> World:
    for key, entry in node.entries.items():
        if key not in PARTS:
            near = did_you_mean(key, PARTS)
            message = f"a world has layers, views and a finish, and no {key!r}"
            collector.add_finding("PP503", entry.key_where, message, near)
    views = node.get("views")
    entries = {} if views is None else views.entries
    others = {view: _parse_layers(entry.node, collector) for view, entry in entries.items()}
    land = _parse_layers(node.get("layers"), collector)
    return World(name, {LAND: land, **others}, _parse_layers(node.get("finish"), collector))


def _parse_layers(layer_list: YamlNode | None, collector: FindingCollector) -> tuple[Layer, ...]:
    layers = []
    for item in layer_list.items if layer_list is not None else ():
        keys = list(item.entries)
        kind = keys[0] if len(keys) == 1 else ""
        if kind not in KINDS:
            near = did_you_mean(kind, KINDS)
            collector.add_finding("PP503", item.where, f"there is no kind of layer {', '.join(keys)!r}", near)
            continue
        layer = validate_node(KINDS[kind], item.entries[kind].node, collector)
        if layer is not None:
            layers.append(layer)
    return tuple(layers)
