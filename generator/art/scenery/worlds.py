"""A world as data: the layers of a scene from back to front, one YAML file per world, and the canvas that
all layers paint on (the box, the colours, the random numbers of one scene)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path as FilePath
from random import Random
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from playproof.database.errors import FindingCollector, InputError, make_nearest_or_possible_words_hint
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.yaml_models import validate_node_or_record_findings
from playproof.generator.scene import Colour, Command, Node, Rect, Symbol

# -- canvas --------------------------------------------------------------------------------------------------
# What all layers share: the box, the colours, the random numbers of one scene, and positions in shares of
# the box.

Pair = tuple[float, float]
"""The least and the greatest of what chance picks from."""
_NAME = "(sky|horizon|far|middle|near|light|ink)"
Tone = Annotated[str, Field(pattern=rf"^{_NAME}( 0?\.\d+ {_NAME})?$")]
"""A colour of the mood, `far`, or two mixed: `far 0.55 middle` is far with 0.55 of middle in it."""


@dataclass(frozen=True, slots=True)
class Mood:
    """The colours of a scene, from the top of the sky to the foreground. ``night`` chooses among
    the layers of a world."""

    sky: Colour
    horizon: Colour
    far: Colour
    middle: Colour
    near: Colour
    light: Colour
    night: bool = False
    world: str = "forest"

    @property
    def ink(self) -> Colour:
        """The colour of silhouettes: the foreground's, nearly black."""
        return self.near.mix_with(Colour(0.05, 0.04, 0.08), 0.62)

    def get_or_mix_colour_of_tone_words(self, tone: Tone) -> Colour:
        """Return a colour of the mood, or a mixture of two of them, as the words say."""
        first, *mixed = tone.split()
        colour: Colour = getattr(self, first)
        return colour.mix_with(getattr(self, mixed[1]), float(mixed[0])) if mixed else colour


@dataclass
class SceneCanvas:
    """One scene while it is painted. Positions and sizes are shares of the box. ``ground`` shortens
    the height where a title covers the rest; ``lines`` says that only outlines are printed."""

    box: Rect
    random: Random
    mood: Mood
    ground: float
    motif: Symbol | None
    companions: Sequence[Symbol]
    """Who else is in the picture, whom the world's layers `companion` place by number."""
    lines: bool = False
    nodes: list[Node] = field(default_factory=list)
    _side: int = 0

    @property
    def sign_of_motif_side(self) -> int:
        """On which side of the middle the motif stands: -1 or 1, chosen when it is first asked for."""
        if self._side == 0:
            self._side = 1 if self.random.random() < 0.5 else -1
        return self._side

    def box_shares_to_millimetres(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position in shares of the box to millimetres."""
        return (self.box.x + x * self.box.width, self.box.y + y * self.ground * self.box.height)

    def height_share_to_millimetres(self, share: float) -> float:
        """Convert a share of the box's height to millimetres."""
        return self.box.height * share

    def draw_random_number_in_range(self, least_and_greatest: Pair) -> float:
        """Return a random number between the two."""
        return self.random.uniform(*least_and_greatest)

    def draw_random_integer_in_closed_range(self, least_and_greatest: tuple[int, int]) -> int:
        """Return a random whole number between the two, both included."""
        return self.random.randint(*least_and_greatest)

    def get_sky_colour_at_y_share(self, y: float) -> Colour:
        """Return the colour of the open sky at a height (a share, from the top)."""
        return self.mood.sky.mix_with(self.mood.horizon, min(1.0, max(0.0, y / 0.75)))


def build_level_curves_after_first_knot(knots: Sequence[tuple[float, float]]) -> list[Command]:
    """Return cubic curves through the knots, level at each knot so that they never overshoot."""
    commands: list[Command] = []
    for (ax, ay), (bx, by) in pairwise(knots):
        middle = (ax + bx) / 2
        commands.append(("C", (middle, ay, middle, by, bx, by)))
    return commands


def build_lines_to_knots_after_first(knots: Sequence[tuple[float, float]]) -> list[Command]:
    """Return straight lines through the knots."""
    return [("L", knot) for knot in knots[1:]]


# -- world file ----------------------------------------------------------------------------------------------
# A world as data: the layers of a scene from back to front, one YAML file per world.


class Layer(BaseModel, ABC):
    """The settings of one layer. Each kind of layer is a subclass in a module of this package."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    kind: ClassVar[str]
    when: Literal["day", "night"] | None = None

    @abstractmethod
    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        """Add the layer's nodes in front of those already painted."""


LAND = "land"
"""The view of a world that its `layers` are."""
PARTS = ("layers", "views", "finish")
"""What the file of a world may hold."""
KINDS: dict[str, type[Layer]] = {}
_L = TypeVar("_L", bound=type[Layer])


def register_layer_class_as_kind(kind: str) -> Callable[[_L], _L]:
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


def read_worlds_by_name_and_note_mistakes(
    folders: tuple[FilePath, ...], collector: FindingCollector
) -> Mapping[str, World]:
    """Read the worlds of the folders. A later folder's world replaces one of the same name.
    Mistakes are added to the collector."""
    worlds: dict[str, World] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")):
            try:
                worlds[path.stem] = _parse_world_and_note_mistakes(path.stem, read_yaml_file(path), collector)
            except InputError as error:
                collector.add_findings(error.findings)
    return worlds


def _parse_world_and_note_mistakes(name: str, node: YamlNode, collector: FindingCollector) -> World:
    for key, entry in node.entries.items():
        if key not in PARTS:
            near = make_nearest_or_possible_words_hint(key, PARTS)
            message = f"a world has layers, views and a finish, and no {key!r}"
            collector.add_finding("PP503", entry.key_where, message, near)
    views = node.get("views")
    entries = {} if views is None else views.entries
    others = {view: _parse_layers_and_note_mistakes(entry.node, collector) for view, entry in entries.items()}
    land = _parse_layers_and_note_mistakes(node.get("layers"), collector)
    return World(name, {LAND: land, **others}, _parse_layers_and_note_mistakes(node.get("finish"), collector))


def _parse_layers_and_note_mistakes(layer_list: YamlNode | None, collector: FindingCollector) -> tuple[Layer, ...]:
    layers = []
    for item in layer_list.items if layer_list is not None else ():
        keys = list(item.entries)
        kind = keys[0] if len(keys) == 1 else ""
        if kind not in KINDS:
            near = make_nearest_or_possible_words_hint(kind, KINDS)
            collector.add_finding("PP503", item.where, f"there is no kind of layer {', '.join(keys)!r}", near)
            continue
        layer = validate_node_or_record_findings(KINDS[kind], item.entries[kind].node, collector)
        if layer is not None:
            layers.append(layer)
    return tuple(layers)
