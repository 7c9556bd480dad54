"""A new game from a sheet of cards: the sheet and its pictures are copied, and a layout is drafted for each of its
kinds, so that the game prints at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from playproof.database.errors import Collector, Finding, InputError, SheetName, short_path
from playproof.database.files import write_atomically
from playproof.database.game import Game, load_game
from playproof.database.spreadsheets import check_spreadsheet
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.column_roles import PICTURE_NAME, Column, find_columns
from playproof.generator.layout.first_layout import PICTURES, Drafted, Measure, draft_layout, list_measures

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
class Start:
    """What was made of a kind: its columns with those that its layout leaves out, how many cards there are, and which
    pictures were copied and which found nowhere. `crowded` are texts for which no card has room."""

    kind: str
    cards: int
    columns: tuple[Column, ...]
    left_out: tuple[Column, ...]
    copied: tuple[Path, ...]
    missing: tuple[str, ...]
    crowded: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield what people read of it."""
        yield f"{self.cards} cards of the kind `{self.kind}`"
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
            "columns": [
                {"heading": each.heading, "role": each.role, "shown": each not in self.left_out}
                for each in self.columns
            ],
            "pictures": [str(path) for path in self.copied],
            "missing": list(self.missing),
        }


def begin_from_sheet(sheet: Path, folder: Path) -> list[Start]:
    """Copy a sheet into the new folder of a game, with the pictures that it names, and draft a layout for each kind of
    its cards. Raises InputError, and leaves no folder behind, if the sheet cannot be read."""
    check_spreadsheet(sheet)
    copy = folder / sheet.name
    try:
        (folder / "layouts").mkdir(parents=True)
        write_atomically(copy, sheet.read_bytes())
        game = load_game(folder)
        kinds = dict.fromkeys(card.kind for card in game.components.values())
        return [_begin_kind(game, kind, sheet, number) for number, kind in enumerate(kinds)]
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, InputError):
            raise InputError(_at_source(error, copy, sheet)) from None
        raise


def _at_source(error: InputError, copy: Path, sheet: Path) -> Iterator[Finding]:
    """Yield findings with the places of the sheet that was given, in place of its copy, which is gone."""
    here, there = str(short_path(copy)), str(short_path(sheet))
    for finding in error.findings:
        file = SheetName(str(finding.where.file).replace(here, there))
        where = finding.where
        if isinstance(where.file, SheetName):
            where = where._replace(file=file)
        yield replace(finding, where=where, hint=finding.hint.replace(here, there))


def _begin_kind(game: Game, kind: str, sheet: Path, number: int) -> Start:
    """Copy the pictures of a kind, and write its layout."""
    beside = _Pictures(sheet.parent)
    columns = find_columns(game, kind, beside.has)
    pictures = next((column for column in columns if column.role == "picture"), None)
    copied, missing, suffix = list[Path](), list[str](), ""
    if pictures is not None:
        names = list(dict.fromkeys(filter(None, pictures.values)))
        suffix = "" if any(map(PICTURE_NAME.fullmatch, names)) else beside.common_suffix(names)
        for name in names:
            found = beside.find(name)
            target = _target(game.folder / PICTURES, name + suffix)
            if found is None or target is None:
                missing.append(name)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            copied.append(Path(shutil.copyfile(found, target)))
    path = game.folder / "layouts" / f"{kind}.yaml"
    aspect = _find_aspect(copied)

    def draft(measure: Measure) -> Drafted:
        made = draft_layout(kind, columns, measure, suffix=suffix, aspect=aspect, number=number)
        write_atomically(path, made.text.encode())
        return made

    drafted, crowded = _fit(game, kind, draft, has_picture=pictures is not None)
    return Start(
        kind,
        len(game.of_kind(kind)),
        tuple(columns),
        drafted.left_out,
        tuple(copied),
        tuple(missing),
        tuple(crowded),
    )


def _fit(
    game: Game, kind: str, draft: Callable[[Measure], Drafted], *, has_picture: bool
) -> tuple[Drafted, list[str]]:
    """Write the first draft in which all texts have room; return it, and what has none in the last."""
    drafted, crowded = Drafted("", ()), list[str]()
    for measure in list_measures(has_picture):
        drafted = draft(measure)
        collector, looks = Collector(), Looks(game)
        for language in game.languages:
            for card in game.of_kind(kind):
                looks.draw(card, "front", language, collector)
        crowded = [str(finding) for finding in collector.findings if finding.code == _TOO_LITTLE_ROOM]
        if not crowded:
            break
    return drafted, crowded


def _target(folder: Path, name: str) -> Path | None:
    """Return where a picture of this name belongs, None for a name that leads out of the folder."""
    parts = PurePosixPath(name.replace("\\", "/"))
    return None if parts.is_absolute() or ".." in parts.parts or ":" in name else folder / parts


def _find_aspect(pictures: Sequence[Path]) -> float:
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


class _Pictures:
    """The pictures beside a sheet and in the folders there, by their names, capitals aside."""

    def __init__(self, folder: Path) -> None:
        self._by_name: dict[str, Path] = {}
        self._by_stem: dict[str, Path] = {}
        for path in self._files(folder):
            for name in (path.relative_to(folder).as_posix(), path.name):
                self._by_name.setdefault(name.casefold(), path)
            self._by_stem.setdefault(_plain(path.stem), path)

    @staticmethod
    def _files(folder: Path) -> Iterator[Path]:
        inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
        for place in (folder, *inner):
            yield from (path for path in sorted(place.glob("*")) if PICTURE_NAME.fullmatch(path.name))

    def find(self, name: str) -> Path | None:
        """Return the file that a cell names: so, in other capitals, in a folder, with another suffix."""
        written = name.replace("\\", "/").casefold()
        stem = _plain(re.sub(r"\.\w{3,4}\Z", "", written.rpartition("/")[2]))
        return (
            self._by_name.get(written)
            or self._by_name.get(written.rpartition("/")[2])
            or self._of_stem(stem, name)
        )

    def _of_stem(self, stem: str, name: str) -> Path | None:
        """Return the picture of a stem, unless the cell asks for another format, which a copy would not be."""
        found = self._by_stem.get(stem)
        has_suffix = PICTURE_NAME.fullmatch(name) is not None
        return None if found is None or (has_suffix and not _is_alike(found.suffix, name)) else found

    def has(self, name: str) -> bool:
        """Return whether a cell names a picture."""
        return self.find(name) is not None

    def common_suffix(self, names: Sequence[str]) -> str:
        """Return the suffix that the pictures of cells without one have most often."""
        suffixes = [found.suffix for name in names if (found := self.find(name)) is not None]
        return max(suffixes, key=suffixes.count) if suffixes else ".png"


def _is_alike(suffix: str, name: str) -> bool:
    def plain(text: str) -> str:
        return text.lower().replace("jpeg", "jpg").rpartition(".")[2]

    return plain(suffix) == plain(name)


def _plain(stem: str) -> str:
    return re.sub(r"[\s_-]+", "-", stem.casefold())
