"""Profiles of vendors: what a print shop takes, as data in `layouts/vendors/*.yaml`.

A vendor is never part of a card's layout: page order, colour space, file type and bleed differ from shop to
shop, the card does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean
from playproof.database.source import Node, read
from playproof.generator.sheets.fields import Fields
from playproof.generator.sheets.geometry import Size

FOLDER = Path(__file__).parents[1] / "layouts" / "vendors"
CLOSE = 0.05  # mm; sizes this near are the same product

FileType = Literal["pdf", "png"]
ColourSpace = Literal["rgb", "cmyk"]
PageOrder = Literal["back-front", "front-back", "separate"]


@dataclass(frozen=True, slots=True)
class Product:
    """One thing a vendor makes: its trimmed size in mm, for pictures its canvas in pixels, and whether it is round.

    ``scaled`` is by how many percent art may be larger or smaller than it and is printed on it all the same.
    """

    name: str
    trim: Size
    canvas: tuple[int, int] | None = None
    round: bool = False
    scaled: float = 0.0


@dataclass(frozen=True, slots=True)
class Condition:
    """A registered printing condition: what a file without a colour profile of its own refers to."""

    identifier: str
    registry: str
    info: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """What a number of the profile rests on, and where that was read."""

    what: str
    address: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What one vendor takes. Lengths in mm, resolution in dots per inch, text in points, ink in percent."""

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
    sources: tuple[Source, ...] = ()

    def product(self, size: Size, is_round: bool = False) -> Product | None:
        """The product nearest to this trimmed size, upright or on its side; None when the vendor has none."""
        fitting = {
            name: far
            for name, product in self.products.items()
            if product.round == is_round
            and (far := _far(product, size)) <= max(CLOSE / min(size), product.scaled / 100)
        }
        return self.products[min(fitting, key=fitting.__getitem__)] if fitting else None


def _far(product: Product, size: Size) -> float:
    """By how much a size would be scaled for a product, as a share, in the direction where that is more."""
    trims = (product.trim, product.trim.turned())
    return min(max(abs(trim.width / size.width - 1), abs(trim.height / size.height - 1)) for trim in trims)


def profiles(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of all profiles, sorted."""
    return tuple(sorted(file.stem for file in folder.glob("*.yaml")))


def profile(name: str, folder: Path = FOLDER) -> Profile:
    """The profile of that name. InputError when there is none, or with all that is wrong in it."""
    if name not in profiles(folder):
        hint = did_you_mean(name, profiles(folder))
        raise InputError([Finding("PP540", Where("--profile"), f'there is no profile "{name}"', hint)])
    found = Collector()
    result = _profile(name, read(folder / f"{name}.yaml"), found)
    found.check()
    return result


def _profile(name: str, node: Node, found: Collector) -> Profile:
    fields = Fields(node, found)
    ink = fields.number("total_ink", 0.0, least=0)
    most = int(fields.number("most_cards", 0.0, least=0))
    result = Profile(
        name=name,
        title=fields.text("title"),
        file=cast(FileType, fields.text("file", among=("pdf", "png"))),
        colour=cast(ColourSpace, fields.text("colour", among=("rgb", "cmyk"))),
        order=cast(PageOrder, fields.text("order", among=("back-front", "front-back", "separate"))),
        bleed=fields.number("bleed", least=0),
        safe=fields.number("safe", least=0),
        resolution=fields.number("resolution", above=0),
        least_text=fields.number("least_text", above=0),
        total_ink=ink or None,
        standard=fields.text("standard", "", among=("", "PDF/X-1a:2003")),
        condition=_condition(fields, found),
        most_cards=most or None,
        products={product.name: product for product in _products(fields, found)},
        sources=_sources(fields, found),
    )
    fields.done()
    if result.standard and result.condition is None:
        found.add("PP548", node.where, f"{result.standard} needs a printing condition", "add condition:")
    return result


def _condition(fields: Fields, found: Collector) -> Condition | None:
    node = fields.child("condition")
    if node is None:
        return None
    inner = Fields(node, found)
    condition = Condition(inner.text("identifier"), inner.text("registry"), inner.text("info", ""))
    inner.done()
    return condition


def _products(fields: Fields, found: Collector) -> list[Product]:
    node = fields.child("products")
    products = []
    for name, entry in (node.entries if node else {}).items():
        inner = Fields(entry.node, found)
        width, height = inner.numbers("trim", 2)
        canvas = inner.numbers("canvas", 2, default=())
        is_round, scaled = inner.flag("round", False), inner.number("scaled", 0.0, least=0)
        inner.done()
        pixels = (int(canvas[0]), int(canvas[1])) if canvas else None
        products.append(Product(name, Size(width, height), pixels, is_round, scaled))
    return products


def _sources(fields: Fields, found: Collector) -> tuple[Source, ...]:
    node = fields.child("sources")
    if node is None or not node.items:
        found.add("PP548", fields.where("sources"), "sources: expected a list of what and address")
        return ()
    sources = []
    for item in node.items:
        inner = Fields(item, found)
        sources.append(Source(inner.text("what"), inner.text("address")))
        inner.done()
    return tuple(sources)
