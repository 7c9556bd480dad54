"""Papers: names from `layouts/papers.yaml`, and custom sizes such as `210x297mm` or `8.5x11in`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from playproof.database.errors import Collector, InputError, Where, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.source import read
from playproof.database.validation import check
from playproof.generator.layout.expression import MM_PER
from playproof.generator.sheets.geometry import Size

PAPERS = Path(__file__).parents[2] / "layouts" / "papers.yaml"
LARGEST = 5000.0  # mm; PDF pages end at 14,400 pt = 5,080 mm (ISO 32000-1, annex C.2)

_CUSTOM = re.compile(r"(-?[0-9.]+)\s*[x×]\s*(-?[0-9.]+)\s*(mm|cm|in|pt|px)?", re.IGNORECASE)


class PaperSpec(Strict):
    """One entry of `papers.yaml`: mm, and where the size comes from."""

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


def papers(file: Path = PAPERS) -> dict[str, Paper]:
    """Return every named paper. Raises InputError with all mistakes of the file."""
    node, collector = read(file), Collector()
    result = {}
    for name, entry in node.entries.items():
        spec = check(PaperSpec, entry.node, collector, f"paper {name}: ")
        if spec is not None:
            result[name] = _upright(name, spec.width, spec.height)
    collector.check()
    return result


def paper(word: str, where: Where | None = None, file: Path = PAPERS) -> Paper:
    """Return the paper that `word` names. Raises InputError if there is none.

    `where` is the place of the word, for the message; without it, the message names the option
    `--paper`.
    """
    custom = _CUSTOM.fullmatch(word.strip())
    named = {} if custom else papers(file)
    place = where or Where("--paper")
    if custom:
        return _custom(word.strip(), custom, place)
    for name, sheet in named.items():
        if name.casefold() == word.strip().casefold():
            return sheet
    hint = did_you_mean(word, named) + "; or write a size such as 210x297mm"
    raise InputError.of("PP540", place, f'there is no paper "{word}"', hint)


def _custom(word: str, match: re.Match[str], where: Where) -> Paper:
    unit = MM_PER[(match[3] or "mm").lower()]
    try:
        width, height = (float(part) * unit for part in (match[1], match[2]))
    except ValueError:
        width = height = 0.0
    if not (0 < width <= LARGEST and 0 < height <= LARGEST):
        message = f'paper "{word}": expected two sizes above 0 and at most {LARGEST:g} mm'
        raise InputError.of("PP541", where, message)
    return _upright(word, width, height)


def _upright(name: str, width: float, height: float) -> Paper:
    return Paper(name, min(width, height), max(width, height))
