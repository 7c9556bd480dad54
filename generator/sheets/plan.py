"""A sheet plan: how cards are laid out on paper, as written in `layouts/sheets/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.source import Node, read
from playproof.database.validation import check
from playproof.generator.sheets.duplex import Flip
from playproof.generator.sheets.grid import Orientation, Spacing
from playproof.generator.sheets.paper import Paper, paper

FOLDER = Path(__file__).parents[2] / "layouts" / "sheets"

Backs = Literal["duplex", "gutterfold", "none"]
Order = Literal["sequence", "stack"]


class PlanSpec(Strict):
    """One file of `layouts/sheets/`. Lengths in mm."""

    description: str = ""
    paper: str = "A4"
    orientation: Orientation | Literal["auto"] = "auto"
    margin: float = Field(default=5.0, ge=0)
    bleed: float = Field(default=0.0, ge=0)
    gutter: float = Field(default=0.0, ge=0)
    overlap: float = Field(default=10.0, ge=0)
    backs: Backs = "duplex"
    flip: Flip = "long"
    order: Order = "sequence"
    marks: bool = True
    ruler: bool = True
    instructions: bool = True
    low_ink: bool = False


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
    result = _plan(name, read(file))
    return result.on(on) if on else result


def _plan(name: str, node: Node) -> Plan:
    found = Collector()
    spec = check(PlanSpec, node, found)
    word = node.get("paper")
    sheet = None
    try:
        sheet = paper(str(word.value), word.where) if word is not None else paper("A4")
    except InputError as error:
        found.extend(error.findings)
    found.check()
    assert spec is not None  # otherwise check() has raised
    assert sheet is not None
    return Plan(name, sheet, **spec.model_dump(exclude={"paper"}))
