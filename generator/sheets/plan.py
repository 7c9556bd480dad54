"""A sheet plan: how cards are laid out on paper, as written in `layouts/sheets/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean
from playproof.database.source import Node, read
from playproof.generator.sheets.duplex import Flip
from playproof.generator.sheets.fields import Fields
from playproof.generator.sheets.grid import Orientation, Spacing
from playproof.generator.sheets.paper import Paper, paper

FOLDER = Path(__file__).parents[2] / "layouts" / "sheets"

Backs = Literal["duplex", "gutterfold", "none"]
Order = Literal["sequence", "stack"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to lay out cards. Lengths in mm; `bleed` 0 means butted cards that share their cuts."""

    name: str
    paper: Paper
    orientation: Orientation | Literal["auto"] = "auto"
    margin: float = 5.0
    bleed: float = 0.0
    gutter: float = 0.0
    overlap: float = 10.0
    backs: Backs = "duplex"
    flip: Flip = "long"
    order: Order = "sequence"
    marks: bool = True
    ruler: bool = True
    instructions: bool = True
    low_ink: bool = False
    description: str = ""

    @property
    def spacing(self) -> Spacing:
        """The room between cards that this plan asks for."""
        return Spacing(self.margin, self.bleed, self.gutter)

    def on(self, other: Paper) -> Plan:
        """The same plan on another paper."""
        return replace(self, paper=other)


def plans(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of all plans, sorted."""
    return tuple(sorted(file.stem for file in folder.glob("*.yaml")))


def plan(name: str, folder: Path = FOLDER, *, on: Paper | None = None) -> Plan:
    """The plan of that name, on its own paper or on the one given. InputError when it is missing or wrong."""
    file = folder / f"{name}.yaml"
    if name not in plans(folder):
        hint = did_you_mean(name, plans(folder))
        raise InputError([Finding("PP540", Where("--sheet"), f'there is no sheet "{name}"', hint)])
    found = Collector()
    result = _plan(name, read(file), found)
    found.check()
    return result.on(on) if on else result


def _plan(name: str, node: Node, found: Collector) -> Plan:
    fields = Fields(node, found)
    word = fields.text("paper", "A4")
    try:
        sheet = paper(word, fields.where("paper"))
    except InputError as error:
        found.extend(error.findings)
        sheet = Paper(word, 210, 297)
    result = Plan(
        name=name,
        paper=sheet,
        orientation=_orientation(fields),
        margin=fields.number("margin", 5.0, least=0),
        bleed=fields.number("bleed", 0.0, least=0),
        gutter=fields.number("gutter", 0.0, least=0),
        overlap=fields.number("overlap", 10.0, least=0),
        backs=cast(Backs, fields.text("backs", "duplex", among=("duplex", "gutterfold", "none"))),
        flip=cast(Flip, fields.text("flip", "long", among=("long", "short"))),
        order=cast(Order, fields.text("order", "sequence", among=("sequence", "stack"))),
        marks=fields.flag("marks", True),
        ruler=fields.flag("ruler", True),
        instructions=fields.flag("instructions", True),
        low_ink=fields.flag("low_ink", False),
        description=fields.text("description", ""),
    )
    fields.done()
    return result


def _orientation(fields: Fields) -> Orientation | Literal["auto"]:
    word = fields.text("orientation", "auto", among=("auto", "portrait", "landscape"))
    return cast(Literal["auto"], word)
