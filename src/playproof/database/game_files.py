"""The files of a game: what `game.yaml` says of it, and files that lie where nothing reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from playproof.database.component_models import SourceSpec
from playproof.database.errors import Finding, FindingCollector, Where, make_path_relative_to_working_folder
from playproof.database.sheet_source import SheetSpec
from playproof.database.source import YamlNode
from playproof.database.spreadsheets import is_spreadsheet
from playproof.database.vocabulary import WordsSpec
from playproof.database.yaml_models import StrictModel

# -- game yaml -----------------------------------------------------------------------------------------------
# A game's facts in `game.yaml`: title, players, languages, credits, contents of the box.

OptionValue = str | int | bool


class Players(StrictModel):
    """How many can play."""

    min: int = Field(ge=1, le=20)
    max: int = Field(ge=1, le=20)


class Credit(StrictModel):
    """A person to thank, or a licence notice that must be printed."""

    name: str
    role: WordsSpec
    licence: str = ""
    address: str = ""


class Declared(StrictModel):
    """One line of the rulebook's list of components; lint compares the data with it.

    The line counts the components of `kind`, or those that `ids` names. `numbers` are the expected
    ids, single or as ranges: `[001-011, 101-128]`. `sets` is the number of sets that players tell
    apart, such as one colour for each player.
    """

    name: WordsSpec
    count: int = Field(ge=0)
    kind: str | None = None
    ids: list[str] | None = None
    numbers: list[str] | None = None
    sets: int = Field(default=1, ge=1, le=20)


class Needed(StrictModel):
    """An item that players bring because nothing here prints it: dice, pencils."""

    thing: str = Field(description="what it is, in one English word: die, pencil")
    name: WordsSpec
    count: int = Field(default=1, ge=1)


class Track(StrictModel):
    """A printed row of numbers. Its first and last are fields of components such as `board.track`,
    or numbers.

    `least_of` and `most_of` name fields of the rules' state whose bounds the track must cover.
    """

    name: WordsSpec
    first: str | int
    last: str | int
    least_of: str | None = None
    most_of: str | None = None


class Switch(StrictModel):
    """A choice made at set-up, such as the chapter; set with `--NAME VALUE`."""

    about: WordsSpec
    values: Annotated[list[OptionValue], Field(min_length=1)]
    default: OptionValue
    names: dict[str, WordsSpec] = Field(
        default={}, description="what sentences call the game under a value: `Chapter 1`"
    )
    carry: bool = Field(default=False, description="a later value may start from what an earlier one left behind")


FORMAT = "1.0"  # of a game's files; docs/reference/compatibility.md says what it promises


def is_version_text_newer_than_supported(version: str) -> bool:
    """Return whether a game of this format has to be read by a newer version. What is no version is not.

    >>> [is_version_text_newer_than_supported(version) for version in ("1.0", "1.1", "2.0", "x")]
    [False, True, True, False]
    """
    parts = version.split(".")
    return all(map(str.isdecimal, parts)) and [*map(int, parts)] > [*map(int, FORMAT.split("."))]


def convert_number_to_text_else_same(value: object) -> object:
    """Convert a version written as a bare number to text: 0.1 becomes "0.1"."""
    return str(value) if isinstance(value, int | float) else value


class GameFacts(StrictModel):
    """The whole of `game.yaml`."""

    title: WordsSpec
    format: Annotated[str, BeforeValidator(convert_number_to_text_else_same, json_schema_input_type=str | float)] = (
        Field(default=FORMAT, description="of the game's files; a newer one is refused")
    )
    subtitle: WordsSpec | None = None
    version: Annotated[str, BeforeValidator(convert_number_to_text_else_same, json_schema_input_type=str | float)] = "1"
    players: Players
    languages: Annotated[list[str], Field(min_length=1)] = Field(
        default=["en"],
        description="the first is the default; the press's own words are in en and fr, headings of "
        "booklets in de too, else English",
    )
    about: WordsSpec = Field(default={})
    notice: WordsSpec = Field(default={}, description="what has to be said wherever the game is shown")
    credits: list[Credit] = Field(default=[])
    source: SourceSpec = Field(default={})
    components: list[Declared] = Field(default=[])
    sheets: list[SheetSpec] = Field(default=[], description="spreadsheets whose rows are cards")
    also: list[Needed] = Field(default=[], description="what players need beside the box")
    tracks: list[Track] = Field(default=[], description="printed rows of numbers, which lint holds against the rules")
    options: dict[str, Switch] = Field(default={})
    numbers: dict[str, int] = Field(
        default={}, description="numbers of the rules that no component shows; rules and rulebook read them from here"
    )


_CODE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?")
"""A language in two or three small letters, then a script and a region if they matter: `pt-BR`."""
_NAMES = {
    "cs": "Czech Čeština", "da": "Danish Dansk", "de": "German Deutsch Allemand Alemán",
    "el": "Greek Ελληνικά", "en": "English Englisch Anglais Inglés", "es": "Spanish Español Spanisch Espagnol",
    "fi": "Finnish Suomi", "fr": "French Français Französisch Francés", "hu": "Hungarian Magyar",
    "it": "Italian Italiano Italienisch Italien", "ja": "Japanese 日本語", "ko": "Korean 한국어",
    "nl": "Dutch Nederlands Niederländisch", "no": "Norwegian Norsk", "pl": "Polish Polski Polnisch",
    "pt": "Portuguese Português Portugiesisch", "ro": "Romanian Română", "ru": "Russian Русский Russisch",
    "sv": "Swedish Svenska", "tr": "Turkish Türkçe", "uk": "Ukrainian Українська", "zh": "Chinese 中文 Chinesisch",
}  # fmt: skip
"""Names that people write for a code."""
_CODES = {name.casefold(): code for code, names in _NAMES.items() for name in names.split()}


def format_language_name_with_code(code: str) -> str:
    """Return a language as a message names it: `German (de)`.

    >>> format_language_name_with_code("de"), format_language_name_with_code("nds")
    ('German (de)', '`nds`')
    """
    return f"{_NAMES[code].split()[0]} ({code})" if code in _NAMES else f"`{code}`"


def read_languages_recording_wrong_codes(game: YamlNode, collector: FindingCollector) -> tuple[str, ...]:
    """Return the languages that game.yaml names, even if other parts of it are wrong. Note one PP206
    finding for all that are no codes."""
    declared = game.get("languages")
    items = [item for item in declared.items if isinstance(item.value, str)] if declared else []
    wrong = [item for item in items if not _CODE.fullmatch(str(item.value))]
    if wrong:
        values = ", ".join(f'"{item.value}"' for item in wrong)
        fixes = [_suggest_language_code_or_empty(str(item.value)) for item in wrong]
        hint = f"did you mean {', '.join(fixes)}?" if all(fixes) else ""
        collector.add_finding(
            "PP206",
            wrong[0].where,
            f"`languages`: expected codes of languages, such as de or pt-BR, found {values}",
            hint,
        )
    return tuple(str(item.value) for item in items) or ("en",)


def _suggest_language_code_or_empty(word: str) -> str:
    """Return the code that a word stands for, or "".

    >>> _suggest_language_code_or_empty("German"), _suggest_language_code_or_empty("DE")
    ('de', 'de')
    >>> _suggest_language_code_or_empty("pt_br"), _suggest_language_code_or_empty("Klingon")
    ('pt-BR', '')
    """
    language, *region = re.split(r"[-_]", word)
    code = "-".join([language.lower(), *map(str.upper, region)])
    return _CODES.get(word.casefold(), "") or (code if _CODE.fullmatch(code) else "")


# -- misplaced -----------------------------------------------------------------------------------------------
# Files of a game that lie where nothing reads them: a layout beside the cards, a table among the layouts,
# rules in a folder of their own. Each is named with the place where it is read (PP112).

LAYOUTS = "layouts"
OF_LAYOUTS = ("build", "table")
"""Files of `layouts/` that are no layouts, by stem."""
_LAYOUT_KEYS = frozenset(("front", "back", "styles", "size", "bleed", "extends", "parts", "net"))
_ERRATUM_KEYS = frozenset(("version", "changes"))
_GAME_FILES = ("game.yaml", "vocabulary.yaml", "rulebook.yaml", "claims.yaml", "rules.py")
_MOST_FOLDERS = 40  # of a game's folder that are looked into


def find_right_path_of_misplaced_file(folder: Path, path: Path, yaml_content: YamlNode) -> Path | None:
    """Return where a YAML file that lies beside the cards is read, or None if it may be one of cards."""
    keys = yaml_content.entries.keys()
    if "components" in keys:
        return None
    if path.stem in OF_LAYOUTS or keys & _LAYOUT_KEYS:
        return folder / LAYOUTS / path.name
    return folder / "errata" / path.name if keys >= _ERRATUM_KEYS else None


def make_misplaced_file_finding(path: Path, target: Path) -> Finding:
    """Return the finding for a file that belongs elsewhere."""
    message = f"nothing reads {path.name} here"
    return Finding(
        "PP112",
        Where(make_path_relative_to_working_folder(path), 1, 1),
        message,
        f"move it to {make_path_relative_to_working_folder(target)}",
    )


def iter_misplaced_file_findings(folder: Path) -> Iterator[Finding]:
    """Yield a finding for each file below a game's folder that would be read at its top, and lies deeper: tables, rules
    and the files that every game may have."""
    for inner in _list_subfolders_that_are_no_games(folder):
        for path in sorted(inner.iterdir()):
            is_read_above = path.name in _GAME_FILES or (inner.name == LAYOUTS and is_spreadsheet(path))
            if is_read_above and not (folder / path.name).exists():
                yield make_misplaced_file_finding(path, folder / path.name)


def list_spreadsheets_in_subfolders(folder: Path) -> list[Path]:
    """Return the spreadsheets in the folders of a folder."""
    return [
        path
        for inner in _list_subfolders_that_are_no_games(folder)
        for path in sorted(inner.iterdir())
        if is_spreadsheet(path)
    ]


def find_misplaced_rules_file(folder: Path) -> Path | None:
    """Return the file that seems to hold a game's rules where they are not read: in a folder of it, or under another
    name."""
    deeper = [
        inner / "rules.py" for inner in _list_subfolders_that_are_no_games(folder) if (inner / "rules.py").is_file()
    ]
    others = [path for path in sorted(folder.glob("*.py")) if _defines_build_function(path)]
    return next(iter([*deeper, *others]), None)


def _defines_build_function(path: Path) -> bool:
    try:
        return "def build(" in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _list_subfolders_that_are_no_games(folder: Path) -> list[Path]:
    """Return the folders of a game that are not games themselves and not hidden."""
    try:
        inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] not in "._"]
    except OSError:
        return []
    return [path for path in inner[:_MOST_FOLDERS] if not (path / LAYOUTS).is_dir() and path.name != "rules"]
