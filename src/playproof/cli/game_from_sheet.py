"""A new game from a sheet of cards: the sheet and its pictures are copied, and a layout is drafted for each of its
kinds, so that the game prints at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from playproof.database.errors import Finding, FindingCollector, InputError, SheetName, shorten_path
from playproof.database.files import write_atomically
from playproof.database.game import Game, load_game
from playproof.database.spreadsheets import check_spreadsheet_suffix
from playproof.generator.layout.first_layout import (
    PICTURE_NAME,
    PICTURES,
    DraftSizes,
    LayoutDraft,
    SheetColumn,
    draft_layout,
    iter_draft_sizes,
    list_columns_with_roles,
)
from playproof.generator.layout.layout_renderer import LayoutRenderer

_TOO_LITTLE_ROOM = "PP501"
_WORDS = {
    "title": "title",
    "picture": "picture",
    "number": "number",
    "line": "short text",
    "flag": "short text",
    "text": "text",
    "colour": "colour",
    "key": "small number",
    "blank": "nothing in it",
    "address": "address",
}


@dataclass(frozen=True)
class ImportedKind:
    """What was made of a kind: its columns with those that its layout leaves out, how many cards there are, and which
    pictures were copied and which found nowhere. `copies` of cards are printed, as the heading `counted_by` says, which
    is "" if no column does. `crowded` are texts for which no card has room."""

    kind: str
    cards: int
    copies: int
    counted_by: str
    columns: tuple[SheetColumn, ...]
    left_out: tuple[SheetColumn, ...]
    copied: tuple[Path, ...]
    missing: tuple[str, ...]
    crowded: tuple[str, ...]

    def format_report_lines(self) -> Iterator[str]:
        """Yield what people read of it."""
        yield f"{self.cards} cards of the kind `{self.kind}`"
        if self.counted_by:
            yield f"  {self.copies} copies, by `{self.counted_by}`"
        else:
            yield "  one copy of each row; a column `count` says otherwise"
        for column in self.columns:
            is_left_out = column in self.left_out or column.role == "blank"
            yield f"  {column.heading[:24]:<24} {_WORDS[column.role]}{', not shown' if is_left_out else ''}"
        if self.copied:
            yield f"  {len(self.copied)} pictures copied"
        if self.missing:
            named = ", ".join(self.missing[:4]) + (
                f" and {len(self.missing) - 4} more" if self.missing[4:] else ""
            )
            yield f"  pictures found nowhere beside the sheet: {named}; a crossed frame stands in their place"
        yield from self.crowded

    def as_json(self) -> dict[str, object]:
        """Return it for scripts."""
        return {
            "kind": self.kind,
            "cards": self.cards,
            "copies": self.copies,
            "counted_by": self.counted_by,
            "columns": [
                {"heading": each.heading, "role": each.role, "shown": each not in self.left_out}
                for each in self.columns
            ],
            "pictures": [str(path) for path in self.copied],
            "missing": list(self.missing),
        }


def create_game_from_sheet(sheet: Path, folder: Path) -> list[ImportedKind]:
    """Copy a sheet into the new folder of a game, with the pictures that it names, and draft a layout for each kind of
    its cards. Raises InputError, and leaves no folder behind, if the sheet cannot be read."""
    check_spreadsheet_suffix(sheet)
    copy = folder / sheet.name
    try:
        (folder / "layouts").mkdir(parents=True)
        write_atomically(copy, sheet.read_bytes())
        game = load_game(folder)
        kinds = dict.fromkeys(card.kind for card in game.components.values())
        return [_import_kind(game, kind, sheet, number) for number, kind in enumerate(kinds)]
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, InputError):
            raise InputError(_iter_findings_at_original_sheet(error, copy, sheet)) from None
        raise


def _iter_findings_at_original_sheet(error: InputError, copy: Path, sheet: Path) -> Iterator[Finding]:
    """Yield findings with the places of the sheet that was given, in place of its copy, which is gone."""
    here, there = str(shorten_path(copy)), str(shorten_path(sheet))
    for finding in error.findings:
        file = SheetName(str(finding.where.file).replace(here, there))
        where = finding.where
        if isinstance(where.file, SheetName):
            where = where._replace(file=file)
        yield replace(finding, where=where, hint=finding.hint.replace(here, there))


def _import_kind(game: Game, kind: str, sheet: Path, kind_index: int) -> ImportedKind:
    """Copy the pictures of a kind, and write its layout."""
    beside = _PictureIndex(sheet.parent)
    columns = list_columns_with_roles(game, kind, beside.has_picture)
    pictures = next((column for column in columns if column.role == "picture"), None)
    copied, missing, suffix = list[Path](), list[str](), ""
    if pictures is not None:
        names = list(dict.fromkeys(filter(None, pictures.values)))
        suffix = "" if any(map(PICTURE_NAME.fullmatch, names)) else beside.find_most_common_suffix(names)
        for name in names:
            found = beside.find_picture(name)
            target = _compute_picture_target(game.folder / PICTURES, name + suffix)
            if found is None or target is None:
                missing.append(name)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            copied.append(Path(shutil.copyfile(found, target)))
    path = game.folder / "layouts" / f"{kind}.yaml"
    aspect = _find_common_aspect_ratio(copied)

    def draft(measure: DraftSizes) -> LayoutDraft:
        made = draft_layout(kind, columns, measure, suffix=suffix, aspect=aspect, number=kind_index)
        write_atomically(path, made.text.encode())
        return made

    drafted, crowded = _draft_until_texts_fit(game, kind, draft, has_picture=pictures is not None)
    return ImportedKind(
        kind,
        len(game.of_kind(kind)),
        sum(card.count for card in game.of_kind(kind)),
        _find_count_heading(game, kind),
        tuple(columns),
        drafted.left_out,
        tuple(copied),
        tuple(missing),
        tuple(crowded),
    )


def _find_count_heading(game: Game, kind: str) -> str:
    """Return the heading of the column that counts the copies of cards, "" if none does."""
    columns = (
        column for sheet in game.facts.sheets if sheet.kind == kind for column in sheet.columns.items()
    )
    return next((heading.strip() for heading, name in columns if name == "count"), "")


def _draft_until_texts_fit(
    game: Game, kind: str, draft: Callable[[DraftSizes], LayoutDraft], *, has_picture: bool
) -> tuple[LayoutDraft, list[str]]:
    """Write the first draft in which all texts have room; return it, and what has none in the last."""
    drafted, crowded = LayoutDraft("", ()), list[str]()
    for measure in iter_draft_sizes(has_picture):
        drafted = draft(measure)
        collector, looks = FindingCollector(), LayoutRenderer(game)
        for language in game.languages:
            for card in game.of_kind(kind):
                looks.try_draw_face(card, "front", language, collector)
        crowded = [str(finding) for finding in collector.findings if finding.code == _TOO_LITTLE_ROOM]
        if not crowded:
            break
    return drafted, crowded


def _compute_picture_target(folder: Path, name: str) -> Path | None:
    """Return where a picture of this name belongs, None for a name that leads out of the folder."""
    parts = PurePosixPath(name.replace("\\", "/"))
    return None if parts.is_absolute() or ".." in parts.parts or ":" in name else folder / parts


def _find_common_aspect_ratio(pictures: Sequence[Path]) -> float:
    """Return how many times as wide as high all these pictures are, 0 if they differ or if one cannot be measured."""
    from PIL import Image

    aspects = []
    for path in pictures:
        try:
            with Image.open(path) as image:
                aspects.append(image.width / image.height)
        except (OSError, ValueError):  # lines and areas, or a file that the build names
            return 0.0
    return aspects[0] if aspects and max(aspects) <= 1.1 * min(aspects) else 0.0


class _PictureIndex:
    """The pictures beside a sheet and in the folders there, by their names, capitals aside."""

    def __init__(self, folder: Path) -> None:
        self._by_name: dict[str, Path] = {}
        self._by_stem: dict[str, Path] = {}
        for path in self._iter_picture_files(folder):
            for name in (path.relative_to(folder).as_posix(), path.name):
                self._by_name.setdefault(name.casefold(), path)
            self._by_stem.setdefault(_normalise_stem(path.stem), path)

    @staticmethod
    def _iter_picture_files(folder: Path) -> Iterator[Path]:
        inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
        for place in (folder, *inner):
            yield from (path for path in sorted(place.glob("*")) if PICTURE_NAME.fullmatch(path.name))

    def find_picture(self, name: str) -> Path | None:
        """Return the file that a cell names: so, in other capitals, in a folder, with another suffix."""
        written = name.replace("\\", "/").casefold()
        stem = _normalise_stem(re.sub(r"\.\w{3,4}\Z", "", written.rpartition("/")[2]))
        return (
            self._by_name.get(written)
            or self._by_name.get(written.rpartition("/")[2])
            or self._find_picture_by_stem(stem, name)
        )

    def _find_picture_by_stem(self, stem: str, name: str) -> Path | None:
        """Return the picture of a stem, unless the cell asks for another format, which a copy would not be."""
        found = self._by_stem.get(stem)
        has_suffix = PICTURE_NAME.fullmatch(name) is not None
        return (
            None
            if found is None or (has_suffix and not _has_same_image_format(found.suffix, name))
            else found
        )

    def has_picture(self, name: str) -> bool:
        """Return whether a cell names a picture."""
        return self.find_picture(name) is not None

    def find_most_common_suffix(self, names: Sequence[str]) -> str:
        """Return the suffix that the pictures of cells without one have most often."""
        suffixes = [found.suffix for name in names if (found := self.find_picture(name)) is not None]
        return max(suffixes, key=suffixes.count) if suffixes else ".png"


def _has_same_image_format(suffix: str, name: str) -> bool:
    def plain(text: str) -> str:
        return text.lower().replace("jpeg", "jpg").rpartition(".")[2]

    return plain(suffix) == plain(name)


def _normalise_stem(stem: str) -> str:
    return re.sub(r"[\s_-]+", "-", stem.casefold())
