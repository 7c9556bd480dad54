"""A sheet plan: how cards are laid out on paper, as written in `layouts/sheets/*.yaml`; and the papers, by
name from `layouts/papers.yaml` or of a custom size such as `8.5x11in`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from playproof.database.errors import FindingCollector, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.yaml_models import StrictModel, validate_node_or_record_findings
from playproof.generator.layout.expression import MM_PER
from playproof.generator.layout.model import Length
from playproof.generator.sheets.slots import FixedPlaces, Flip, Orientation, Size, Spacing

# A sheet plan: how cards are laid out on paper, as written in `layouts/sheets/*.yaml`.

FOLDER = Path(__file__).parents[2] / "layouts" / "sheets"

CARD = "card"  # as a paper: each page is as large as its card
OWN = "sheets"  # the folder of a game's own plans, in its folder of layouts

Backs = Literal["duplex", "gutterfold", "none"]
Order = Literal["sequence", "stack"]
Registration = Literal["none", "silhouette"]


class Settings(StrictModel):
    """What a sheet plan says besides its paper. Lengths in mm, or with their unit (in, pt, px, cm, mm); `bleed` 0
    means butted cards that share their cuts."""

    description: str = ""
    orientation: Orientation | Literal["auto"] = "auto"
    margin: Length = Field(default=5.0, ge=0)
    bleed: Length = Field(default=0.0, ge=0)
    gutter: Length = Field(default=0.0, ge=0)
    overlap: Length = Field(default=10.0, ge=0)
    backs: Backs = "duplex"
    flip: Flip = "long"
    order: Order = "sequence"
    marks: bool = True
    ruler: bool = True
    instructions: bool = True
    low_ink: bool = False
    registration: Registration = "none"
    rows: int | None = Field(default=None, ge=1, le=100, description="rows of a sheet; without, as many as fit")
    columns: int | None = Field(default=None, ge=1, le=100, description="columns of a sheet; without, as many as fit")
    left: Length | None = Field(
        default=None, ge=0, description="from the paper's left edge to the first cut; without, centred"
    )
    top: Length | None = Field(
        default=None, ge=0, description="from the paper's upper edge to the first cut; without, centred"
    )
    gutter_down: Length | None = Field(
        default=None, ge=0, description="the `gutter` between rows, where it is another than between columns"
    )
    gap: str | None = Field(
        default=None, pattern="^#[0-9a-fA-F]{6}$", description="the colour between and round the cards"
    )
    turned: Sequence[int] = Field(
        default=(), description="places whose cards lie upside down, counted along the rows from 1"
    )


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
        return Spacing(self.margin, self.bleed, self.gutter, self.gutter_down)

    @property
    def fixed_places(self) -> FixedPlaces | None:
        """What the plan fixes of its grid; None if it fixes nothing."""
        fixed = FixedPlaces(self.columns, self.rows, self.left, self.top, tuple(self.turned))
        return fixed if fixed != FixedPlaces() else None

    @property
    def can_mix_card_sizes(self) -> bool:
        """Whether cards of several sizes may share a sheet: no place is fixed."""
        return self.fixed_places is None and not self.is_of_card_size and self.gap is None

    @property
    def is_of_card_size(self) -> bool:
        """Whether each page is as large as its card with the bleed."""
        return self.paper.name == CARD

    @property
    def is_for_one_paper_only(self) -> bool:
        """Whether the plan is for one paper only: bought labels, and pages of the card's size."""
        return self.is_of_card_size or self.left is not None or self.top is not None

    def copy_on_other_paper_unless_fixed(self, target_paper: Paper) -> Plan:
        """Return the same plan on another paper, unless it keeps its own."""
        return self if self.is_for_one_paper_only else self.model_copy(update={"paper": target_paper})

    def copy_for_card_size(self, card_size: Size) -> Plan:
        """Return the plan for cards of one size: a page of the card's size has room for the card alone."""
        if not self.is_of_card_size:
            return self
        page = Size(card_size.width + 2 * self.bleed, card_size.height + 2 * self.bleed)
        sheet = Paper(CARD, min(page), max(page))
        orientation = "portrait" if page.height >= page.width else "landscape"
        settings = {"paper": sheet, "margin": 0.0, "orientation": orientation, "marks": False, "ruler": False}
        return self.model_copy(update={**settings, "gutter": 0.0})


def list_sorted_names_of_sheet_plans(folder: Path = FOLDER, game_folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of all plans, sorted: those of `folder`, and those of a game's own folder of plans."""
    return tuple(sorted({file.stem for place in (folder, game_folder) if place for file in place.glob("*.yaml")}))


def read_sheet_plan_by_name_or_raise(
    plan_name: str, folder: Path = FOLDER, *, target_paper: Paper | None = None, game_folder: Path | None = None
) -> Plan:
    """Return the plan of that name, on its own paper or on `target_paper`. A plan in `game_folder` goes before one of
    its name in `folder`. Raises InputError if it is missing or wrong."""
    if plan_name not in list_sorted_names_of_sheet_plans(folder, game_folder):
        hint = make_nearest_or_possible_words_hint(plan_name, list_sorted_names_of_sheet_plans(folder, game_folder))
        raise InputError.from_single_finding("PP540", Where("--sheet"), f'there is no sheet "{plan_name}"', hint)
    in_game = game_folder / f"{plan_name}.yaml" if game_folder is not None else None
    file = in_game if in_game is not None and in_game.is_file() else folder / f"{plan_name}.yaml"
    result = _parse_sheet_plan_or_raise(plan_name, read_yaml_file(file))
    return result.copy_on_other_paper_unless_fixed(target_paper) if target_paper else result


def _has_fixed_places_or_card_paper(spec: PlanSpec, sheet: Paper) -> bool:
    fixed = (spec.rows, spec.columns, spec.left, spec.top)
    return any(value is not None for value in fixed) or bool(spec.turned) or sheet.name == CARD


def _parse_sheet_plan_or_raise(plan_name: str, node: YamlNode) -> Plan:
    collector = FindingCollector()
    spec = validate_node_or_record_findings(PlanSpec, node, collector)
    word = node.get("paper")
    sheet = None
    try:
        if word is not None and word.value == CARD:
            sheet = Paper(CARD, 0.0, 0.0)
        else:
            sheet = (
                parse_paper_name_or_size_or_raise(str(word.value), word.where)
                if word is not None
                else parse_paper_name_or_size_or_raise("A4")
            )
    except InputError as error:
        collector.add_findings(error.findings)
    if (
        spec is not None
        and spec.backs == "gutterfold"
        and (sheet is None or _has_fixed_places_or_card_paper(spec, sheet))
    ):
        message = "`rows`, `columns`, `left`, `top`, `turned` and `paper: card` are for sheets that are not folded"
        collector.add_finding("PP646", node.where, message, "backs: duplex")
    collector.raise_if_errors()
    assert spec is not None  # otherwise check() has raised
    assert sheet is not None
    settings = {field: getattr(spec, field) for field in Settings.model_fields}
    settings["turned"] = tuple(spec.turned)  # a plan is hashed
    return Plan.model_construct(name=plan_name, paper=sheet, **settings)  # checked above, with places


# -- paper ---------------------------------------------------------------------------------------------------
# Papers: names from `layouts/papers.yaml`, and custom sizes such as `210x297mm` or `8.5x11in`.

PAPERS = Path(__file__).parents[2] / "layouts" / "papers.yaml"
LARGEST = 5000.0  # mm; PDF pages end at 14,400 pt = 5,080 mm (ISO 32000-1, annex C.2)

_CUSTOM = re.compile(r"(-?[0-9.]+)\s*[x×]\s*(-?[0-9.]+)\s*(mm|cm|in|pt|px)?", re.IGNORECASE)


class PaperSpec(StrictModel):
    """One entry of `read_papers_by_name_or_raise.yaml`: mm, and where the size comes from."""

    width: float = Field(gt=0)
    height: float = Field(gt=0)
    source: str


class Paper(NamedTuple):
    """A sheet of paper, portrait: width and height in mm."""

    name: str
    width: float
    height: float

    @property
    def portrait(self) -> Size:
        return Size(self.width, self.height)

    @property
    def landscape(self) -> Size:
        return Size(self.height, self.width)


def read_papers_by_name_or_raise(file: Path = PAPERS) -> dict[str, Paper]:
    """Return every named paper. Raises InputError with all mistakes of the file."""
    node, collector = read_yaml_file(file), FindingCollector()
    result = {}
    for name, entry in node.entries.items():
        spec = validate_node_or_record_findings(PaperSpec, entry.node, collector, f"paper {name}: ")
        if spec is not None:
            result[name] = _build_portrait_paper(name, spec.width, spec.height)
    collector.raise_if_errors()
    return result


def parse_paper_name_or_size_or_raise(word: str, where: Where | None = None) -> Paper:
    """Return the paper that `word` names. Raises InputError if there is none.

    `where` is the place of the word, for the message; without it, the message names the option
    `--paper`.
    """
    custom = _CUSTOM.fullmatch(word.strip())
    named = {} if custom else read_papers_by_name_or_raise()
    place = where or Where("--paper")
    if custom:
        return _parse_paper_of_custom_size_or_raise(word.strip(), custom, place)
    for name, sheet in named.items():
        if name.casefold() == word.strip().casefold():
            return sheet
    hint = make_nearest_or_possible_words_hint(word, named) + "; or write a size such as 210x297mm"
    raise InputError.from_single_finding("PP540", place, f'there is no paper "{word}"', hint)


def _parse_paper_of_custom_size_or_raise(word: str, match: re.Match[str], where: Where) -> Paper:
    unit = MM_PER[(match[3] or "mm").lower()]
    try:
        width, height = (float(part) * unit for part in (match[1], match[2]))
    except ValueError:
        width = height = 0.0
    if not (0 < width <= LARGEST and 0 < height <= LARGEST):
        message = f'paper "{word}": expected two sizes above 0 and at most {LARGEST:g} mm'
        raise InputError.from_single_finding("PP541", where, message)
    return _build_portrait_paper(word, width, height)


def _build_portrait_paper(name: str, width: float, height: float) -> Paper:
    return Paper(name, min(width, height), max(width, height))
