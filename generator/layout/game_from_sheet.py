"""A new game from a sheet of cards: the sheet and its pictures are copied, and a layout is drafted for each of its
kinds, so that the game prints at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    SheetName,
    format_spreadsheet_column_letters,
    iter_report_lines_shortened_by_cause,
    make_path_relative_to_working_folder,
)
from playproof.database.files import write_file_atomically
from playproof.database.game import Game, load_game
from playproof.database.game_files import format_language_name_with_code
from playproof.database.lint import find_all_sheet_row_findings
from playproof.database.sheet_cells import is_design_note_heading, split_into_casefolded_words
from playproof.database.sheet_inference import list_worksheets_left_out_as_notes
from playproof.database.spreadsheets import read_visible_worksheets, require_spreadsheet_file_name
from playproof.database.text_language import guess_language_of_texts_else_english
from playproof.generator.art.picture_files import compose_accents_of_name
from playproof.generator.layout.first_layout import (
    PICTURE_NAME,
    PICTURES,
    CardSize,
    DraftSizes,
    LayoutDraft,
    SheetColumn,
    draft_layout_yaml,
    iter_draft_sizes_best_looking_first,
    list_sheet_columns_with_roles,
)
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.type.fonts import load_project_and_game_fonts

_TOO_LITTLE_ROOM = ("PP501", "PP507")
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
    "note": "notes",
    "data": "for programs",
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

    def iter_import_report_lines(self) -> Iterator[str]:
        """Yield what people read of it."""
        yield f"{self.cards} cards of the kind `{self.kind}`"
        if self.counted_by:
            yield f"  {self.copies} copies, by `{self.counted_by}`"
        else:
            yield "  one copy of each row (a column `count` would say how many)"
        for column in self.columns:
            is_left_out = column in self.left_out or column.role == "blank"
            yield f"  {column.heading[:24]:<24} {_WORDS[column.role]}{', not shown' if is_left_out else ''}"
        if self.copied:
            yield f"  {len(self.copied)} pictures copied"
        if self.missing:
            named = ", ".join(self.missing[:4]) + (f" and {len(self.missing) - 4} more" if self.missing[4:] else "")
            yield f"  pictures found nowhere beside the sheet: {named}; a crossed frame stands in their place"
        yield from self.crowded
        if self.crowded:
            yield "  the texts have no room on this card; `playproof new NAME --sheet FILE --size a6` has more"

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


@dataclass(frozen=True)
class ImportedSheet:
    """What was made of a file: its kinds of cards, the names of the sheets of which none were made, what is doubtful
    in its rows, and the language that its texts are taken to be in."""

    kinds: tuple[ImportedKind, ...]
    left_out: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    language: str = "en"

    def iter_import_report_lines(self) -> Iterator[str]:
        """Yield what people read of it."""
        for kind in self.kinds:
            yield from kind.iter_import_report_lines()
        for name in self.left_out:
            yield f"the sheet `{name}` is taken for notes: no card is made of it"
        if self.left_out:
            yield "  if one holds cards, name the sheets of cards under `sheets` of game.yaml"
        yield from self.doubts
        if self.language != "en":
            language = format_language_name_with_code(self.language)
            yield f"the texts are taken for {language}: game.yaml says so under `languages`"


def create_game_folder_from_sheet(
    sheet: Path,
    new_game_folder: Path,
    size: CardSize | None = None,
    report_progress: Callable[[str], None] = lambda _: None,
) -> ImportedSheet:
    """Copy a sheet into the new folder of a game, with the pictures that it names, and draft a layout for each kind of
    its cards, of the size that is asked for. Raises InputError, and leaves no folder behind, if the sheet cannot be
    read."""
    require_spreadsheet_file_name(sheet)
    copy = new_game_folder / sheet.name
    try:
        (new_game_folder / "layouts").mkdir(parents=True)
        write_file_atomically(copy, sheet.read_bytes())
        game = _write_language_and_reload_unless_english(load_game(new_game_folder))
        made = list[ImportedKind]()
        for number, kind in enumerate(dict.fromkeys(card.kind for card in game.components.values())):
            report_progress(f"drafting the look of `{kind}`")
            made.append(_copy_pictures_and_draft_layout_of_kind(game, kind, sheet, number, size))
        return ImportedSheet(
            tuple(made),
            tuple(table.name for table in list_worksheets_left_out_as_notes(game.facts.sheets, new_game_folder)),
            tuple(iter_report_lines_shortened_by_cause([*find_all_sheet_row_findings(game)])),
            game.languages[0],
        )
    except BaseException as error:
        shutil.rmtree(new_game_folder, ignore_errors=True)
        if isinstance(error, InputError):
            raise InputError(_iter_findings_placed_in_original_sheet(error, copy, sheet)) from None
        raise


def _write_language_and_reload_unless_english(game: Game) -> Game:
    """Return a game that was read from a sheet as game.yaml then says it: with the language of its texts, if no heading
    names one and it is not English."""
    if game.languages != ("en",):
        return game
    headings = [heading for sheet in game.facts.sheets for heading in sheet.columns]
    texts = (str(value) for card in game.components.values() for value in _iter_texts_of_card(card.fields))
    language = guess_language_of_texts_else_english([*headings, *texts])
    if language == "en":
        return game
    said = "# The language of the texts, told by their words. `playproof build` breaks words and names products so."
    write_file_atomically(game.folder / "game.yaml", f"{said}\nlanguages: [{language}]\n".encode())
    return load_game(game.folder)


_NAMED_LANGUAGES = ("en", "english", "de", "deutsch", "german", "fr", "french", "es", "it", "pt")


def _iter_texts_of_card(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield the texts of a card, those with a language too. What a property says by its name that it is a translation,
    as `effect_en`, is none of the language that is looked for."""
    for name, value in fields.items():
        words = split_into_casefolded_words(name)
        if len(words) > 1 and words[-1] in _NAMED_LANGUAGES:
            continue
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from (text for text in value.values() if isinstance(text, str))


def _iter_findings_placed_in_original_sheet(error: InputError, copy: Path, original_sheet: Path) -> Iterator[Finding]:
    """Yield findings with the places of the sheet that was given, in place of its copy, which is gone."""
    here, there = (
        str(make_path_relative_to_working_folder(copy)),
        str(make_path_relative_to_working_folder(original_sheet)),
    )
    for finding in error.findings:
        file = SheetName(str(finding.where.file).replace(here, there))
        where = finding.where
        if isinstance(where.file, SheetName):
            where = where._replace(file=file)
        yield replace(finding, where=where, hint=finding.hint.replace(here, there))


def _copy_pictures_and_draft_layout_of_kind(
    game: Game, card_kind: str, sheet: Path, kind_index: int, size: CardSize | None
) -> ImportedKind:
    """Copy the pictures of a kind, and write its layout."""
    beside = _PictureIndex(sheet.parent)
    columns = [
        *_iter_columns_with_headings_as_written(
            game, card_kind, list_sheet_columns_with_roles(game, card_kind, beside.has_picture_named_in_cell)
        )
    ]
    pictures = next((column for column in columns if column.role == "picture"), None)
    copied, missing, suffix = list[Path](), list[str](), ""
    if pictures is not None:
        names = list(dict.fromkeys(filter(None, pictures.values)))
        suffix = "" if any(map(PICTURE_NAME.fullmatch, names)) else beside.find_commonest_picture_suffix_or_png(names)
        for name in names:
            found = beside.find_picture_named_in_cell(name)
            own_suffix = "" if found is None or suffix or PICTURE_NAME.fullmatch(name) else found.suffix.lower()
            target = _build_inside_picture_path_or_none(game.folder / PICTURES, name + suffix + own_suffix)
            if found is None or target is None:
                is_of_other_form = (sheet.parent / name).is_file()
                missing.append(f"{name} (in no form that is printed: save it as PNG)" if is_of_other_form else name)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            copied.append(Path(shutil.copyfile(found, target)))
    path = game.folder / "layouts" / f"{card_kind}.yaml"
    aspect = _compute_shared_width_per_height_or_zero(copied)

    fonts = load_project_and_game_fonts(game.folder / "layouts", game.languages)

    def write_layout_draft(measure: DraftSizes, columns: Sequence[SheetColumn]) -> LayoutDraft:
        made = draft_layout_yaml(
            card_kind,
            columns,
            measure,
            picture_suffix=suffix,
            picture_aspect=aspect,
            palette_number=kind_index,
            fonts=fonts,
        )
        write_file_atomically(path, made.text.encode())
        return made

    sizes = iter_draft_sizes_best_looking_first(pictures is not None, size)
    drafted, crowded = _write_layout_drafts_until_texts_fit(game, card_kind, write_layout_draft, sizes, columns)
    return ImportedKind(
        card_kind,
        len(game.of_kind(card_kind)),
        sum(card.count for card in game.of_kind(card_kind)),
        _get_copies_column_heading_or_empty(game, card_kind),
        tuple(columns),
        drafted.left_out,
        tuple(copied),
        tuple(missing),
        tuple(crowded),
    )


def _iter_columns_with_headings_as_written(
    game: Game, card_kind: str, columns: Iterable[SheetColumn]
) -> Iterator[SheetColumn]:
    """Yield columns, those whose headings are signs alone with these: the property `column_d` is called `$$`."""
    signs = dict[str, str]()
    for sheet in (each for each in game.facts.sheets if each.kind == card_kind):
        for table in read_visible_worksheets(game.folder / sheet.file):
            headings = table.rows[0] if table.rows and table.name == (sheet.sheet or table.name) else ()
            signs |= {
                f"Column {format_spreadsheet_column_letters(n)}": text.strip() for n, text in enumerate(headings, 1)
            }
    for column in columns:
        is_unnamed = column.name == column.heading.lower().replace(" ", "_")
        heading = (is_unnamed and signs.get(column.heading)) or column.heading
        is_note = is_unnamed and column.role == "flag" and is_design_note_heading(heading)
        yield column._replace(heading=heading, role="note" if is_note else column.role)


def _get_copies_column_heading_or_empty(game: Game, card_kind: str) -> str:
    """Return the heading of the column that counts the copies of cards, "" if none does."""
    columns = (column for sheet in game.facts.sheets if sheet.kind == card_kind for column in sheet.columns.items())
    return next((heading.strip() for heading, name in columns if name == "count"), "")


class _FittedDraft(NamedTuple):
    draft: LayoutDraft
    texts_without_room: list[str]


def _write_layout_drafts_until_texts_fit(
    game: Game,
    card_kind: str,
    write_draft: Callable[[DraftSizes, Sequence[SheetColumn]], LayoutDraft],
    sizes: Iterable[DraftSizes],
    columns: Sequence[SheetColumn],
) -> _FittedDraft:
    """Write the first draft in which all texts have room; return it, and what has none in the last. If no size has
    room for all columns, the short texts are left out from the last one on."""
    drafted, crowded, largest = LayoutDraft("", ()), list[str](), None
    for largest in sizes:
        drafted = write_draft(largest, columns)
        crowded = _list_texts_without_room(game, card_kind)
        if not crowded:
            return _FittedDraft(drafted, crowded)
    shown, hidden = list(columns), list[SheetColumn]()
    while crowded and largest is not None and (short := [each for each in shown if each.role in ("line", "flag")]):
        dropped = short[-max(1, len(short) // 4) :]
        shown, hidden = [each for each in shown if each not in dropped], [*dropped, *hidden]
        drafted = write_draft(largest, shown)
        crowded = _list_texts_without_room(game, card_kind)
    return _FittedDraft(drafted._replace(left_out=(*drafted.left_out, *hidden)), crowded)


def _list_texts_without_room(game: Game, card_kind: str) -> list[str]:
    """Return what has no room on the cards of a kind, as its layout is now."""
    collector, looks = FindingCollector(), LayoutRenderer(game)
    for language in game.languages:
        for card in game.of_kind(card_kind):
            looks.get_or_draw_face_and_note_problems(card, "front", language, collector)
    findings = [finding for finding in collector.findings if finding.code in _TOO_LITTLE_ROOM]
    return [*iter_report_lines_shortened_by_cause(findings)]


def _build_inside_picture_path_or_none(pictures_folder: Path, picture_name: str) -> Path | None:
    """Return where a picture of this name belongs, None for a name that leads out of the folder."""
    parts = PurePosixPath(picture_name.replace("\\", "/"))
    return None if parts.is_absolute() or ".." in parts.parts or ":" in picture_name else pictures_folder / parts


def _compute_shared_width_per_height_or_zero(picture_files: Sequence[Path]) -> float:
    """Return how many times as wide as high all these pictures are, 0 if they differ or if one cannot be measured."""
    from PIL import Image

    aspects = []
    for path in picture_files:
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
        for path in self._iter_pictures_in_folder_and_subfolders(folder):
            for name in (path.relative_to(folder).as_posix(), path.name):
                self._by_name.setdefault(compose_accents_of_name(name).casefold(), path)
            self._by_stem.setdefault(_normalise_picture_file_stem(path.stem), path)

    @staticmethod
    def _iter_pictures_in_folder_and_subfolders(folder: Path) -> Iterator[Path]:
        inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
        for place in (folder, *inner):
            yield from (path for path in sorted(place.glob("*")) if PICTURE_NAME.fullmatch(path.name))

    def find_picture_named_in_cell(self, cell_text: str) -> Path | None:
        """Return the file that a cell names: so, in other capitals, in a folder, with another suffix."""
        written = compose_accents_of_name(cell_text.replace("\\", "/")).casefold()
        stem = _normalise_picture_file_stem(re.sub(r"\.\w{3,4}\Z", "", written.rpartition("/")[2]))
        return (
            self._by_name.get(written)
            or self._by_name.get(written.rpartition("/")[2])
            or self._find_picture_by_stem_if_format_fits(stem, cell_text)
        )

    def _find_picture_by_stem_if_format_fits(self, stem: str, cell_text: str) -> Path | None:
        """Return the picture of a stem, unless the cell asks for another format, which a copy would not be."""
        found = self._by_stem.get(stem)
        has_suffix = PICTURE_NAME.fullmatch(cell_text) is not None
        return None if found is None or (has_suffix and not _has_same_image_format(found.suffix, cell_text)) else found

    def has_picture_named_in_cell(self, cell_text: str) -> bool:
        """Return whether a cell names a picture."""
        return self.find_picture_named_in_cell(cell_text) is not None

    def find_commonest_picture_suffix_or_png(self, cell_texts: Sequence[str]) -> str:
        """Return the suffix that the pictures of cells without one have most often."""
        suffixes = [found.suffix for name in cell_texts if (found := self.find_picture_named_in_cell(name)) is not None]
        return max(suffixes, key=suffixes.count) if suffixes else ".png"


def _has_same_image_format(suffix: str, cell_text: str) -> bool:
    def plain(text: str) -> str:
        return text.lower().replace("jpeg", "jpg").rpartition(".")[2]

    return plain(suffix) == plain(cell_text)


def _normalise_picture_file_stem(stem: str) -> str:
    return re.sub(r"[\s_-]+", "-", compose_accents_of_name(stem).casefold())
