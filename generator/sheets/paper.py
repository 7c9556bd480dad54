"""Papers: names from `layouts/papers.yaml`, and custom sizes such as `210x297mm` or `8.5x11in`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from playproof.database.errors import FindingCollector, InputError, Where, did_you_mean
from playproof.database.field_types import StrictModel
from playproof.database.source import read_yaml_file
from playproof.database.validation import validate_node
from playproof.generator.layout.expression import MM_PER
from playproof.generator.sheets.geometry import Size

PAPERS = Path(__file__).parents[2] / "layouts" / "papers.yaml"
LARGEST = 5000.0  # mm; PDF pages end at 14,400 pt = 5,080 mm (ISO 32000-1, annex C.2)

_CUSTOM = re.compile(r"(-?[0-9.]+)\s*[x×]\s*(-?[0-9.]+)\s*(mm|cm|in|pt|px)?", re.IGNORECASE)


class PaperSpec(StrictModel):
    """One entry of `read_papers.yaml`: mm, and where the size comes from."""

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


def read_papers(file: Path = PAPERS) -> dict[str, Paper]:
    """Return every named paper. Raises InputError with all mistakes of the file."""
    node, collector = read_yaml_file(file), FindingCollector()
    result = {}
    for name, entry in node.entries.items():
        spec = validate_node(PaperSpec, entry.node, collector, f"paper {name}: ")
        if spec is not None:
            result[name] = _build_portrait_paper(name, spec.width, spec.height)
    collector.raise_if_errors()
    return result


def parse_paper(word: str, where: Where | None = None, file: Path = PAPERS) -> Paper:
    """Return the paper that `word` names. Raises InputError if there is none.

    `where` is the place of the word, for the message; without it, the message names the option
    `--paper`.
    """
    custom = _CUSTOM.fullmatch(word.strip())
    named = {} if custom else read_papers(file)
    place = where or Where("--paper")
    if custom:
        return _parse_custom_paper(word.strip(), custom, place)
    for name, sheet in named.items():
        if name.casefold() == word.strip().casefold():
            return sheet
    hint = did_you_mean(word, named) + "; or write a size such as 210x297mm"
    raise InputError.from_single_finding("PP540", place, f'there is no paper "{word}"', hint)


def _parse_custom_paper(word: str, match: re.Match[str], where: Where) -> Paper:
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
