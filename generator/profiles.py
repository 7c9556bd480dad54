"""Profiles of vendors: what a print shop takes, as data in `layouts/vendors/*.yaml`.

A vendor is never part of a card's layout: page order, colour space, file type and bleed differ
between shops; the card does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.source import Node, read
from playproof.database.validation import check
from playproof.generator.sheets.geometry import Size

FOLDER = Path(__file__).parents[1] / "layouts" / "vendors"
CLOSE = 0.05  # mm; sizes this near are the same product

FileType = Literal["pdf", "png"]
ColourSpace = Literal["rgb", "cmyk"]
PageOrder = Literal["back-front", "front-back", "separate"]


class ProductSpec(Strict):
    """One product of a vendor's file: trimmed size in mm, canvas in pixels, and the percentage by
    which art may be scaled.

    A `one_sided` product has no back.
    """

    trim: Annotated[list[Annotated[float, Field(gt=0)]], Field(min_length=2, max_length=2)]
    canvas: Annotated[list[Annotated[int, Field(gt=0)]], Field(min_length=2, max_length=2)] | None = None
    round: bool = False
    one_sided: bool = False
    scaled: float = Field(default=0.0, ge=0)


class AdviceSpec(Strict):
    """How to order what this shop gets no files for."""

    book: str = "order it as a booklet"
    net: str = "print it at home, or draw it on the shop's own template"


class ConditionSpec(Strict):
    """The printing condition of a vendor's file."""

    identifier: str
    registry: str
    info: str = ""


class SourceSpec(Strict):
    """Where a number was read."""

    what: str
    address: str


class ProfileSpec(Strict):
    """One file of `layouts/vendors/`."""

    title: str
    file: FileType
    colour: ColourSpace
    order: PageOrder
    bleed: float = Field(ge=0)
    safe: float = Field(ge=0)
    resolution: float = Field(gt=0)
    least_text: float = Field(gt=0)
    total_ink: float | None = Field(default=None, gt=0)
    standard: Literal["", "PDF/X-1a:2003"] = ""
    condition: ConditionSpec | None = None
    most_cards: int | None = Field(default=None, gt=0)
    products: dict[str, ProductSpec] = Field(default={})
    advice: AdviceSpec = AdviceSpec()
    sources: list[SourceSpec] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Product:
    """One product of a vendor: its trimmed size in mm, its canvas in pixels (for pictures), and
    whether it is round.

    A ``one_sided`` product is printed without a back. Art up to ``scaled`` percent larger or
    smaller than the product is scaled to fill it.
    """

    name: str
    trim: Size
    canvas: tuple[int, int] | None = None
    round: bool = False
    scaled: float = 0.0
    one_sided: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A registered printing condition, which a file without a colour profile of its own names."""

    identifier: str
    registry: str
    info: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a number in the profile: what it says, and where it was read."""

    what: str
    address: str


@dataclass(frozen=True, slots=True)
class Profile:
    """The requirements of one vendor. Lengths are in mm, resolution in dots per inch, text in
    points, ink in percent."""

    name: str
    title: str
    file: FileType
    colour: ColourSpace
    order: PageOrder
    bleed: float
    safe: float
    resolution: float
    least_text: float
    total_ink: float | None = None
    standard: str = ""
    condition: Condition | None = None
    most_cards: int | None = None
    products: Mapping[str, Product] = field(default_factory=dict)
    advice: AdviceSpec = field(default_factory=AdviceSpec)
    sources: tuple[Source, ...] = ()

    def product(self, size: Size, is_round: bool = False) -> Product | None:
        """Return the product nearest to this trimmed size, upright or on its side; None if none is
        near enough."""
        fitting = {
            name: far
            for name, product in self.products.items()
            if product.round == is_round
            and (far := _far(product, size)) <= max(CLOSE / min(size), product.scaled / 100)
        }
        return self.products[min(fitting, key=fitting.__getitem__)] if fitting else None


def _far(product: Product, size: Size) -> float:
    """Return by how much (as a share) the size must be scaled to the product, in the direction that
    needs more."""
    trims = (product.trim, product.trim.turned())
    return min(max(abs(trim.width / size.width - 1), abs(trim.height / size.height - 1)) for trim in trims)


def profiles(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the names of all profiles, sorted."""
    return tuple(sorted(file.stem for file in folder.glob("*.yaml")))


def profile(name: str, folder: Path = FOLDER, option: str = "--profile") -> Profile:
    """Return the profile of that name. Raises InputError, at the option that asked, if there is
    none or the file has mistakes."""
    if name not in profiles(folder):
        hint = did_you_mean(name, profiles(folder))
        raise InputError([Finding("PP540", Where(option), f'there is no profile "{name}"', hint)])
    collector = Collector()
    result = _profile(name, read(folder / f"{name}.yaml"), collector)
    collector.check()
    assert result is not None  # otherwise check() has raised
    return result


def _profile(name: str, node: Node, collector: Collector) -> Profile | None:
    spec = check(ProfileSpec, node, collector)
    standard = node.get("standard")
    if standard is not None and node.get("condition") is None:
        collector.add("PP548", node.where, f"{standard.value} needs a printing condition", "add condition:")
    if spec is None:
        return None
    condition = Condition(**spec.condition.model_dump()) if spec.condition is not None else None
    return Profile(
        name=name,
        title=spec.title,
        file=spec.file,
        colour=spec.colour,
        order=spec.order,
        bleed=spec.bleed,
        safe=spec.safe,
        resolution=spec.resolution,
        least_text=spec.least_text,
        total_ink=spec.total_ink,
        standard=spec.standard,
        condition=condition,
        most_cards=spec.most_cards,
        products={size: _product(size, product_spec) for size, product_spec in spec.products.items()},
        advice=spec.advice,
        sources=tuple(Source(source.what, source.address) for source in spec.sources),
    )


def _product(name: str, spec: ProductSpec) -> Product:
    width, height = spec.trim
    canvas = (spec.canvas[0], spec.canvas[1]) if spec.canvas else None
    return Product(name, Size(width, height), canvas, spec.round, spec.scaled, spec.one_sided)
