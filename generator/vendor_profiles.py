"""Profiles of vendors: what a print shop takes, as data in `layouts/vendors/*.yaml`.

A vendor is never part of a card's layout: page order, colour space, file type and bleed differ
between shops; the card does not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from playproof.database.errors import FindingCollector, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.yaml_models import StrictModel, validate_node_or_record_findings
from playproof.generator.sheets.slots import Size

FOLDER = Path(__file__).parents[1] / "layouts" / "vendors"
CLOSE = 0.05  # mm; sizes this near are the same product
SCALED_FOR = 1.0  # mm; art is scaled to a product whose sides differ by no more, and it is said
SCALED_BY = 0.065  # as a share: on a small disc a millimetre is much

FileType = Literal["pdf", "png"]
ColourSpace = Literal["rgb", "cmyk"]
PageOrder = Literal["back-front", "front-back", "separate"]


class Product(StrictModel):
    """One product of a vendor's file: trimmed size in mm, canvas in pixels, and the percentage by
    which art may be scaled.

    A `one_sided` product has no back.
    """

    trim: Annotated[list[Annotated[float, Field(gt=0)]], Field(min_length=2, max_length=2)]
    canvas: Annotated[list[Annotated[int, Field(gt=0)]], Field(min_length=2, max_length=2)] | None = None
    round: bool = False
    one_sided: bool = False
    scaled: float = Field(default=0.0, ge=0)

    @property
    def size(self) -> Size:
        """The trimmed size in mm."""
        return Size(*self.trim)


class AdviceSpec(StrictModel):
    """How to order what this shop gets no files for."""

    book: str = "order it as a booklet"
    net: str = "print it at home, or draw it on the shop's own template"


class Condition(StrictModel):
    """The printing condition of a vendor's file."""

    identifier: str
    registry: str
    info: str = ""


class Source(StrictModel):
    """Where a number was read."""

    what: str
    address: str


class ProfileSpec(StrictModel):
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
    condition: Condition | None = None
    most_cards: int | None = Field(default=None, gt=0)
    products: dict[str, Product] = Field(default={})
    advice: AdviceSpec = AdviceSpec()
    sources: list[Source] = Field(min_length=1)


class Profile(ProfileSpec):
    """The requirements of one vendor, under the name of its file. Lengths are in mm, resolution in dots per inch,
    text in points, ink in percent."""

    name: str

    def get_name_of_own_product(self, product: Product) -> str:
        """Return the name of one of its products."""
        return next(name for name, each in self.products.items() if each is product)

    def find_nearest_size_product_or_none(
        self, size: Size, is_round: bool = False, *, exact: bool = False
    ) -> Product | None:
        """Return the product nearest to this trimmed size, upright or on its side; None if none is
        near enough to scale art to it, or to need no scaling if it has to be ``exact``."""
        fitting = {
            name: far
            for name, product in self.products.items()
            if product.round == is_round
            and (far := _compute_needed_scaling_share(product, size))
            <= max(CLOSE / min(size), 0.0 if exact else _get_allowed_scaling_share(product, size))
        }
        return self.products[min(fitting, key=fitting.__getitem__)] if fitting else None


def _get_allowed_scaling_share(product: Product, size: Size) -> float:
    """Return by how much a size may be scaled to a product, as a share: by what the profile says, or by
    `SCALED_BY` if its sides differ by no more than `SCALED_FOR`."""
    for trim in (product.size, product.size.swap_sides()):
        apart = max(abs(trim.width - size.width), abs(trim.height - size.height))
        if apart <= SCALED_FOR + CLOSE:
            return max(SCALED_BY, product.scaled / 100)
    return product.scaled / 100


def _compute_needed_scaling_share(product: Product, size: Size) -> float:
    """Return by how much (as a share) the size must be scaled to the product, in the direction that
    needs more."""
    trims = (product.size, product.size.swap_sides())
    return min(max(abs(trim.width / size.width - 1), abs(trim.height / size.height - 1)) for trim in trims)


def list_sorted_names_of_vendor_profiles(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the names of all profiles, sorted."""
    return tuple(sorted(file.stem for file in folder.glob("*.yaml")))


def read_vendor_profile_by_name_or_raise(
    name: str, folder: Path = FOLDER, option_in_message: str = "--profile"
) -> Profile:
    """Return the profile of that name. Raises InputError, at the option that asked, if there is
    none or the file has mistakes."""
    if name not in list_sorted_names_of_vendor_profiles(folder):
        hint = make_nearest_or_possible_words_hint(name, list_sorted_names_of_vendor_profiles(folder))
        raise InputError.from_single_finding("PP540", Where(option_in_message), f'there is no profile "{name}"', hint)
    collector = FindingCollector()
    result = _parse_vendor_profile_or_none(name, read_yaml_file(folder / f"{name}.yaml"), collector)
    collector.raise_if_errors()
    assert result is not None  # otherwise check() has raised
    return result


def _parse_vendor_profile_or_none(name: str, node: YamlNode, collector: FindingCollector) -> Profile | None:
    spec = validate_node_or_record_findings(ProfileSpec, node, collector)
    standard = node.get("standard")
    if standard is not None and node.get("condition") is None:
        collector.add_finding("PP548", node.where, f"{standard.value} needs a printing condition", "add condition:")
    return None if spec is None else Profile.model_construct(name=name, **dict(spec))
