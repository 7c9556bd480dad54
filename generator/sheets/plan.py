"""A sheet plan: how cards are laid out on paper, as written in `layouts/sheets/*.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from playproof.database.errors import Collector, InputError, Where, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.source import Node, read
from playproof.database.validation import check
from playproof.generator.sheets.backs import Flip
from playproof.generator.sheets.grid import Orientation, Spacing
from playproof.generator.sheets.paper import Paper, paper

FOLDER = Path(__file__).parents[2] / "layouts" / "sheets"

Backs = Literal["duplex", "gutterfold", "none"]
Order = Literal["sequence", "stack"]
Registration = Literal["none", "silhouette"]


class Settings(Strict):
    """What a sheet plan says besides its paper. Lengths in mm; `bleed` 0 means butted cards that
    share their cuts."""

    description: str = ""
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
    registration: Registration = "none"


class PlanSpec(Settings):
    """One file of `layouts/sheets/`, which names its paper."""

    paper: str = "A4"


class Plan(Settings):
    """How to lay out cards: the settings of a file under its name, on a paper of known size."""

    name: str
    paper: Paper

    @property
    def spacing(self) -> Spacing:
        """The room between cards that this plan asks for."""
        return Spacing(self.margin, self.bleed, self.gutter)

    def on(self, other: Paper) -> Plan:
        """Return the same plan on another paper."""
        return self.model_copy(update={"paper": other})


def plans(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the names of all plans, sorted."""
    return tuple(sorted(file.stem for file in folder.glob("*.yaml")))


def plan(name: str, folder: Path = FOLDER, *, on: Paper | None = None) -> Plan:
    """Return the plan of that name, on its own paper or on `on`. Raises InputError if it is missing
    or wrong."""
    file = folder / f"{name}.yaml"
    if name not in plans(folder):
        hint = did_you_mean(name, plans(folder))
        raise InputError.of("PP540", Where("--sheet"), f'there is no sheet "{name}"', hint)
    result = _plan(name, read(file))
    return result.on(on) if on else result


def saves_ink(sheet: str | None) -> bool:
    """Return whether the sheet plan of this name takes little ink. Without a name, products have plans of their own."""
    return sheet is not None and plan(sheet).low_ink


def _plan(name: str, node: Node) -> Plan:
    collector = Collector()
    spec = check(PlanSpec, node, collector)
    word = node.get("paper")
    sheet = None
    try:
        sheet = paper(str(word.value), word.where) if word is not None else paper("A4")
    except InputError as error:
        collector.extend(error.findings)
    collector.check()
    assert spec is not None  # otherwise check() has raised
    assert sheet is not None
    settings = {field: getattr(spec, field) for field in Settings.model_fields}
    return Plan.model_construct(name=name, paper=sheet, **settings)  # checked above, with places
