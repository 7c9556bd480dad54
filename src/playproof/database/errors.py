"""Findings: errors in a file that a person wrote, worded so that the person can mend them, with hints
of what was meant, and put together by cause.

    Exception
    └── InputError          the input is wrong; holds every finding, not only the first

Every finding has a stable code. Each package has a hundred codes, so that a code tells where to
look:

    PP1xx  database   reading YAML text
    PP2xx  database   a game's data against its vocabulary
    PP3xx  database   lint: data that reads well and is still doubtful
    PP4xx  database   errata
    PP5xx  generator  layouts, sheets, fonts, output
    PP6xx  referee    transcripts, saves, bots
    PP7xx  verifier   claims and evidence
    PP8xx  cli        the call itself
    PP9xx  rules      the rules language

The codes of the database are in CODES below; a test holds every code in use to that table.

Findings put together by cause, for people: a thousand cards that do not fit one box are one thing to mend.

    for line in lines_by_cause(error.findings): print(line)

Two findings have one cause if they have one code and their messages and hints differ only in numbers, in quoted
words and in places of cells. The place of a layout's element counts: another element is another thing to mend."""

from __future__ import annotations

import difflib
import os
import pickle
import re
import traceback
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

# Findings: errors in a file that a person wrote, worded so that the person can mend them.

Severity = Literal["error", "warning"]

CODES: dict[str, str] = {
    # reading YAML text
    "PP101": "the file cannot be read",
    "PP102": "the file is not UTF-8 text",
    "PP103": "a tab character in YAML",
    "PP104": "the YAML cannot be parsed",
    "PP105": "a key is written twice in one mapping",
    "PP106": "aliases expand to too much (an alias bomb)",
    "PP107": "an alias without its anchor, or inside itself",
    "PP108": "more than one document in a file",
    "PP109": "a YAML feature that is not allowed here (tag, merge key, key that is not text)",
    "PP110": "nested too deeply",
    "PP111": "the file is too large",
    # places of files
    "PP112": "a file of a game in a place where nothing reads it",
    "PP113": "a folder of results that belongs to another game of the same name",
    # a game's data
    "PP201": "there is no such game",
    "PP202": "a file that every game needs is missing",
    "PP203": "a field is missing",
    "PP204": "a field that is not declared",
    "PP205": "a value of the wrong type",
    "PP206": "a value outside its range or list",
    "PP207": "an unknown effect",
    "PP208": "an unknown term (resource, zone, colour ...)",
    "PP209": "two components with one number",
    "PP210": "a reference to a component that does not exist",
    "PP211": "an option without a destination",
    "PP212": "a call to a card that is in no deck, or in the wrong one",
    "PP213": "an image outside the game's folder, or missing",
    "PP214": "an id that does not fit its pattern",
    "PP215": "an argument that the effect does not take, or a missing one",
    "PP216": "provenance is missing or unclear",
    "PP218": "a ruling's default is not one of its options",
    "PP219": "the vocabulary contradicts itself",
    "PP220": "a template with a name that nothing fills in",
    # lint
    "PP231": "a count differs from the rulebook's component list",
    "PP232": "a gap in the numbers of components",
    "PP233": "an option that can never be paid",
    "PP234": "an unknown icon",
    "PP235": "hand-written text differs from the made text",
    "PP236": "a ruling without default or options",
    "PP237": "a gap in the ids of rules",
    "PP238": "a missing translation",
    "PP239": "a card without a free option",
    "PP240": "a component that nothing brings into play",
    # a rulebook's document
    "PP241": "a part of the rulebook's document that cannot be read",
    "PP242": "an unknown role of the document",
    "PP243": "a link to a heading that does not exist, or two headings of one name",
    "PP244": "a rule that no chapter states, or a reference to a rule that does not exist",
    "PP245": "a ruling on a rule without limits that does not say whether it limits the rule, or why",
    "PP246": "a claim whose recorded game cannot be read",
    "PP247": "translations of a text that state different numbers",
    "PP248": "a text with other numbers than the effects beside it",
    "PP249": "a language whose number words are not known",
    "PP250": "a number in words beside a claim, which neither the claim nor what it cites have",
    "PP251": "the same words for different effects",
    "PP252": "different words for the same effect",
    "PP253": "a name in braces in a card's text, which nothing fills in (a warning)",
    # spreadsheets
    "PP260": "a spreadsheet that cannot be read",
    "PP261": "a heading of a spreadsheet that names no property, or names one twice; a cell without a heading",
    "PP262": "a cell of a spreadsheet that cannot be read",
    "PP263": "a sheet that the file does not have",
    "PP264": "a published sheet that has not been fetched, or cannot be",
    "PP265": "a row without an id, a count alone, a sheet without a card, or a change that cannot be written back",
    "PP266": "a game of a newer format",
    "PP267": "a sheet of a workbook that is taken for notes (warning of `lint`)",
    "PP268": "a row of a sheet that sums up those above it, and is no card (a warning)",
    "PP269": "a row of a sheet that is a heading of those below it, and is no card (a warning)",
    "PP270": "a number that a spreadsheet shows in another form than its value, which is printed (a warning)",
    "PP271": "merged cells of a sheet, of which only the first has the text (a warning)",
    "PP637": "ids of cards that follow the order of rows or sheets, since these repeat a name (a warning)",
    # errata
    "PP401": "an erratum changes something that does not exist",
    "PP402": "an erratum's `from` is not what stands there",
    "PP403": "two errata with one version",
    "PP404": "there is no such erratum",
    "PP405": "an erratum that changes nothing, or that both changes and undoes",
    "PP407": "an erratum names a ruling or a language that the game does not have",
    "PP406": "two proposed errata change one value differently",
    "PP408": "a claim that asks under settings which a version of the game does not take",
    "PP409": "an erratum that is dated before a lower version, and so applied before it (a warning)",
    "PP410": "an erratum changes what a claim asks, and not only what it says or expects",
    "PP833": "something names a component that is no longer in the box",
    "PP835": "a component asks for more of something than the box holds, or for what nothing gives",
    "PP834": "an erratum says that a ruling changes, and it would stay as it is",
    "PP840": "an erratum's version is not that of its file's name",
    "PP841": "a change of an erratum that does not say what it changes, or where",
    "PP842": "a change of a file that no erratum can change",
    "PP843": "a sentence that stands nowhere in a chapter of the rulebook, or more than once",
    "PP844": "a change of what a component is: its id or its kind",
    "PP845": "an erratum that changes an icon or a picture and no value (a warning)",
    "PP846": "a text that an erratum leaves as it was, beside a value that it changes (a warning)",
    "PP847": "an erratum that changes the words of a card, a rule or a chapter and nothing that is played (a warning)",
    "PP848": "a text that names a title which an erratum took away (a warning)",
    # cards that the rules of their game cannot play
    "PP860": "a value of a card that the rules cannot play; the message says which they can",
    "PP861": "a number of copies that the rules cannot play",
    "PP862": "values of several components that do not go together, so the rules cannot play them",
}


class SheetName(str):
    """The name of a spreadsheet's file, and of the sheet in it. Its places are rows and columns."""

    def __new__(cls, name: Path | str) -> SheetName:
        return super().__new__(cls, str(name))


def format_spreadsheet_column_letters(column_from_one: int) -> str:
    """Return the letters above a column of a spreadsheet; columns count from 1.

    >>> [format_spreadsheet_column_letters(column) for column in (1, 26, 28)]
    ['A', 'Z', 'AB']
    """
    letters = ""
    while column_from_one > 0:
        column_from_one, letter = divmod(column_from_one - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


class MessageAndHint(NamedTuple):
    message: str
    hint: str


class FileLine(NamedTuple):
    file: str
    line: int


class Where(NamedTuple):
    """A place in a file. Lines and columns count from 1, as in editors; line 0 means the whole file or folder,
    column 0 the whole line. It is a tuple, because a file makes thousands of them."""

    file: Path | str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        if str(self.file).startswith("--") or not self.line:  # an option of a command: it has no lines
            return str(self.file)
        if isinstance(self.file, SheetName):
            return f"{self.file}, row {self.line}, column {format_spreadsheet_column_letters(self.column)}"
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


@dataclass(frozen=True, slots=True)
class Finding:
    """One error: what was expected, what was found, where, and the nearest fix. `about` names the
    cards or other things it was found on, if many share the place."""

    code: str
    where: Where
    message: str
    hint: str = ""
    severity: Severity = "error"
    about: tuple[str, ...] = ()

    def __str__(self) -> str:
        kind = "" if self.severity == "error" else f"{self.severity}: "
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.where}: {self.code} {kind}{self.full_message}{hint}"

    @property
    def full_message(self) -> str:
        """The message, with the things it is about."""
        if not self.about:
            return self.message
        things = {about.partition(" (")[0] for about in self.about}  # a card in two languages is one card
        more = f" and {len(things) - 1} more" if len(things) > 1 else ""
        return f"{self.about[0]}{more}: {self.message}"

    def as_json(self) -> dict[str, str]:
        """Return the shape that `--json` prints; every value is text."""
        return {
            "code": self.code,
            "where": str(self.where),
            "message": self.full_message,
            "hint": self.hint,
            "severity": self.severity,
        }


def merge_findings_differing_in_subject(findings: Iterable[Finding]) -> list[Finding]:
    """Put findings of one cause together, at their first place: a layout's bleed shows on each of its cards. What is
    said twice of the same thing stays twice."""
    alike: dict[tuple[object, ...], Finding] = {}
    times = Counter[tuple[object, ...]]()
    for finding in findings:
        kind = (finding.code, finding.message, finding.hint)
        times[kind, finding.about] += 1
        key = (kind, times[kind, finding.about])
        earlier = alike.get(key)
        alike[key] = finding if earlier is None else replace(earlier, about=(*earlier.about, *finding.about))
    return list(alike.values())


class Portable(Exception):
    """An error that passes through a pipe between processes unchanged. An exception is otherwise
    made anew from its text, and so is one whose `__init__` takes other arguments."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _create_error_without_attributes, (type(self), self.args), self.__dict__


def _create_error_without_attributes(kind: type[Portable], args: tuple[Any, ...]) -> Portable:
    """Return an error without its attributes, which follow."""
    return kind.__new__(kind, *args)


def make_error_picklable_with_its_place(error: Exception) -> Exception:
    """Return an error as it passes through a pipe to another process, with the place that raised it, since its
    traceback stays behind: itself, or one of the same words if the other process may not know its class."""
    place = get_file_and_line_that_raised(error)
    known = type(error).__module__.partition(".")[0] in ("builtins", "playproof")
    try:
        portable = pickle.loads(pickle.dumps(error)) if known else None
    except Exception:  # whatever the constructor of an error does with its arguments
        portable = None
    error = error if type(portable) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
    vars(error)["raising_place"] = place
    return error


def get_file_and_line_that_raised(error: Exception) -> FileLine | None:
    """Return the file and the line that raised an error, also if that was in another process."""
    frames = traceback.extract_tb(error.__traceback__)
    last = FileLine(frames[-1].filename, frames[-1].lineno or 0) if frames else None
    place: FileLine | None = vars(error).get("raising_place", last)
    return place


class InputError(Portable):
    """The input is wrong. Holds all findings, sorted by place; `str()` gives one line for each."""

    advice: str = ""
    """What else can be done than to mend them, for people at a command line."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(
            sorted(_iter_findings_merged_by_subject(findings), key=_make_place_sort_key)
        )
        super().__init__("\n".join(map(str, self.findings)))

    @classmethod
    def from_single_finding(cls, code: str, where: Where, message: str, hint: str = "") -> InputError:
        """Return the error of a single finding."""
        return cls([Finding(code, where, message, hint)])


def _iter_findings_merged_by_subject(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield each finding once: a mistake in a layout is found again on every card drawn with it."""
    alike: dict[Finding, list[str]] = {}
    for finding in findings:
        alike.setdefault(replace(finding, about=()), []).extend(finding.about)
    for finding, things in alike.items():
        yield replace(finding, about=tuple(dict.fromkeys(things)))


def _make_place_sort_key(finding: Finding) -> tuple[str, int, int, str]:
    where = finding.where
    return (str(where.file), where.line, where.column, finding.code)


@dataclass(slots=True)
class FindingCollector:
    """Gathers findings so that all of them can be reported at once."""

    findings: list[Finding] = field(default_factory=list)

    def add_finding(
        self, code: str, where: Where, message: str, hint: str = "", severity: Severity = "error", about: str = ""
    ) -> None:
        """Note one finding and go on."""
        self.findings.append(Finding(code, where, message, hint, severity, (about,) if about else ()))

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Note several findings."""
        self.findings.extend(findings)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are not warnings."""
        return tuple(f for f in self.findings if f.severity == "error")

    def raise_if_errors(self) -> None:
        """Raise InputError with all findings if any of them is an error."""
        if self.errors:
            raise InputError(self.findings)


def find_nearest_word_or_empty(word: object, candidates: Iterable[object], min_similarity: float = 0.6) -> str:
    """The candidate most like `word`, or "" when none is as much `min_similarity` (1 is the same word).

    >>> find_nearest_word_or_empty("enregy", ["energy", "food"])
    'energy'
    """
    by_fold = {str(candidate).casefold(): str(candidate) for candidate in candidates}
    close = difflib.get_close_matches(str(word).casefold(), by_fold, n=1, cutoff=min_similarity)
    return by_fold[close[0]] if close else ""


def make_nearest_or_possible_words_hint(word: object, candidates: Iterable[object]) -> str:
    """A hint for a misspelt word: the near miss, or else the words that would do (at most twelve).

    >>> make_nearest_or_possible_words_hint("enregy", ["energy", "food"])
    'did you mean "energy"?'
    """
    words = [str(candidate) for candidate in candidates]
    near = find_nearest_word_or_empty(word, words)
    if near:
        return f'did you mean "{near}"?'
    if not words:
        return ""
    more = ", ..." if len(words) > 12 else ""
    return "one of: " + ", ".join(words[:12]) + more


_ARCHIVES: dict[str, Path] = {}


def register_folder_of_opened_archive(folder: str, archive: Path) -> None:
    """Let findings name files below a folder as files of the archive that was opened into it."""
    _ARCHIVES[os.path.abspath(folder)] = make_path_relative_to_working_folder(archive)


def find_path_inside_opened_archive(path: Path) -> Path | None:
    """Return the path in the archive that holds it; None if none does."""
    absolute = os.path.abspath(path)
    for folder, archive in _ARCHIVES.items():
        if absolute == folder or absolute.startswith(folder + os.sep):
            return archive / os.path.relpath(absolute, folder)
    return None


def format_game_reference_for_people(game_ref: str) -> str:
    """Return a game as a person types it: that of an archive by the archive's path."""
    return str(find_path_inside_opened_archive(Path(game_ref)) or game_ref)


def make_path_relative_to_working_folder(path: Path) -> Path:
    """Return the path as seen from the current folder, or in the archive that holds it."""
    held = find_path_inside_opened_archive(path)
    if held is not None:
        return held
    absolute = Path(os.path.abspath(path))
    return absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else absolute


# -- icon hints ----------------------------------------------------------------------------------------------
# Which icon may be meant by a name that is none.

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".svg", ".webp", ".avif", ".gif", ".tif", ".tiff", ".bmp")
"""What files of pictures end in, in small letters. What depends on pictures finds them by these: no other is read."""
_PICTURE_SUFFIX = re.compile(rf"({'|'.join(map(re.escape, PICTURE_SUFFIXES))})\Z", re.IGNORECASE)


def make_hint_for_unknown_icon(name: str, known_icons: Collection[str]) -> str:
    """Return a hint that names the nearest icon, or how to add one: a hundred names that are all unlike would help
    nobody. Of 260 words some are alike by chance, as goblet and goblin. A file's suffix, capitals and colons around
    the name do not count."""
    stem = _PICTURE_SUFFIX.sub("", name.strip(": ")).replace(" ", "-")
    near = find_nearest_word_or_empty(stem, known_icons, min_similarity=0.75) or find_nearest_word_or_empty(
        stem.replace("_", "-"), known_icons, min_similarity=0.75
    )
    draw_it = f"`playproof docs icons {stem}` looks for one; or draw it as layouts/icons/{stem}.svg"
    return f'did you mean "{near}"?' if near else draw_it


# -- causes --------------------------------------------------------------------------------------------------
# Findings put together by cause, for people: a thousand cards that do not fit one box are one thing to
# mend.

APART = 3  # findings of one cause are shown one by one up to this many
NAMED = 6  # further places that a line names

_CELL = re.compile(r"\S+, row \d+(, column [A-Z]+)?")
_ELEMENT = re.compile(r"\S+\.ya?ml:\d+(:\d+)?")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'|`[^`]*`|“[^”]*”")
_LETTERS = re.compile(r"U\+[0-9A-F]{4,6}( and \d+ more)?")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_SUBJECT = re.compile(r"^[\w./-]+(?= of \d|:)")  # the card that a message begins with

CauseKey = tuple[str, str, str, str, str]


def group_findings_by_cause(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return the findings in groups of one cause, groups and members in their order."""
    groups: dict[CauseKey, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(make_cause_key_of_finding(finding), []).append(finding)
    return list(groups.values())


def make_cause_key_of_finding(finding: Finding) -> CauseKey:
    """Return what findings of one cause have in common: code, severity, file, and the words of message and hint
    without what belongs to a single card.

    >>> there = Where("cards.yaml", 3)
    >>> two, seven = (Finding("PP204", there, f"{n} lines") for n in (2, 7))
    >>> make_cause_key_of_finding(two) == make_cause_key_of_finding(seven)
    True
    """
    message = _SUBJECT.sub("", finding.message)
    file = str(finding.where.file)
    return (
        finding.code,
        finding.severity,
        file,
        _replace_details_by_placeholders(message),
        _replace_details_by_placeholders(finding.hint),
    )


def _replace_details_by_placeholders(text: str) -> str:
    """Return a text with its numbers, quoted words and cells left out, and the places of elements left in."""
    kept = [match.group() for match in _ELEMENT.finditer(text)]
    plain = _ELEMENT.sub("@", text)
    for pattern in (_CELL, _QUOTED, _LETTERS, _NUMBER):
        plain = pattern.sub("#", plain)
    return " ".join([plain, *kept])


def iter_report_lines_shortened_by_cause(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield a line for each finding; of many with one cause, the first as it is and a line that counts the others
    and names some of their places. A last line says that this was done."""
    is_shortened = False
    for group in group_findings_by_cause(findings):
        if len(group) <= APART:
            yield from map(str, group)
            continue
        is_shortened = True
        first, *others = group
        yield str(first)
        yield _format_line_counting_other_findings(first, others)
    if is_shortened:
        yield "playproof: what has one cause is put together; --json lists each"


def _format_line_counting_other_findings(first_finding: Finding, other_findings: Sequence[Finding]) -> str:
    named = "; ".join(
        _format_place_relative_to_first(first_finding.where, first_finding.message, finding)
        for finding in other_findings[:NAMED]
    )
    left = len(other_findings) - NAMED
    more = f"; and {left} more" if left > 0 else ""
    return f"    and {len(other_findings)} more of this cause: {named}{more}"


def _list_at_most_one_new_quotation(first_message: str, message: str) -> list[str]:
    """Return the first quoted word of a message that another of its cause does not have, such as a picture's name."""
    others = set(_QUOTED.findall(first_message))
    return [match for match in map(re.Match.group, _QUOTED.finditer(message)) if match not in others][:1]


def _format_place_relative_to_first(first_place: Where, first_message: str, finding: Finding) -> str:
    """Return the place of a finding, without its file if it is that of the first, and what the finding is about.
    ``first_message`` is that of the first."""
    where = finding.where
    names = [*finding.about[:1], *_list_at_most_one_new_quotation(first_message, finding.message)]
    about = f" ({', '.join(names)})" if names else ""
    if where.file != first_place.file or not where.line:
        return f"{where}{about}"
    return f"{'row' if isinstance(where.file, SheetName) else 'line'} {where.line}{about}"
