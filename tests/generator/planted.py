"""Wrong numbers for lint to notice: each number of each text of a game, one more and one less, one at a time.

The files stay as they are: `override_file_content_in_block` puts the changed text in a file's place while lint
reads it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import yaml

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game, load_game
from playproof.database.installation import CARDS
from playproof.database.lint import lint
from playproof.database.rulebook_text import (
    iter_nested_paragraphs,
    list_rulebook_files_in_reading_order,
    read_rulebook_document,
)
from playproof.database.source import enable_cache_of_parsed_files, override_file_content_in_block
from playproof.generator.book.chapter_numbers import list_sorted_number_errors_in_chapters
from playproof.generator.book.document_composer import build_fact_values_by_name, get_printed_text_of_span_or_empty

CARDINALS = {
    "en": ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    "fr": ["deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"],
    "de": ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"],
}
"""The words from two on; "one" and "un" are articles more often than numbers."""
ORDINALS = {
    "en": ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
    "fr": ["deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième", "huitième", "neuvième", "dixième"],
    "de": ["zweite", "dritte", "vierte", "fünfte", "sechste", "siebte", "achte", "neunte", "zehnte"],
}
BELOW = {"two": "one", "deux": "un", "zwei": "ein", "second": "first", "deuxième": "premier", "zweite": "erste"}
ABOVE = {"twelve": "13", "douze": "13", "zwölf": "13", "tenth": "11th", "dixième": "11e", "zehnte": "11."}
NOT_SAID = re.compile(
    r"\{(?:rule|moves|faces|at|table)\}`[^`]*`"  # roles that print no number of this text
    r"|^:::.*$|^:[a-z]+:(?: .*)?$"  # directives and their options: names of files, millimetres
    r"|^ *\d+\. "  # the mark of a list's item
    r"|\]\(#[^)]*\)",  # the heading that a link names
    re.MULTILINE,
)
FREE = {
    "cards: title": "a name",
    "cards: flavour": "a story",
    "cards: panels": "a story",
    "game: subtitle": "a name",
    "game: notice": "what is not the publisher's",
    "rulebook: rulings question": "a question, which says no rule",
    "rulebook: rulings narrowed": "a reason, which says no rule",
}
"""Texts whose numbers no rule, effect or fact has, and why; only a translation can contradict them."""
FACT = re.compile(r"\{fact\}`[^`]*`")
MARKED = re.compile(r"\{number\}`[^`]*`")


@dataclass(frozen=True)
class Plant:
    """A number of a text and the wrong one that takes its place. `kind` says what sort of text it is."""

    game: str
    file: Path
    at: int
    was: str
    other: str
    kind: str
    language: str

    def __str__(self) -> str:
        text = self.file.read_text("utf-8")
        line, column = text.count("\n", 0, self.at) + 1, self.at - text.rfind("\n", 0, self.at)
        around = text[max(text.rfind("\n", 0, self.at) + 1, self.at - 60) : self.at + 40].split("\n")[0]
        place = f"{self.game}/{self.file.name}:{line}:{column} {self.kind} ({self.language})"
        return f"{place} {self.other} for {self.was}: {around}"

    @property
    def text(self) -> str:
        """The file's text with the wrong number."""
        text = self.file.read_text("utf-8")
        return text[: self.at] + self.other + text[self.at + len(self.was) :]


def plants(game: str) -> list[Plant]:
    """Return every wrong number for a game's texts: cards, rules, chapters, vocabulary, game.yaml."""
    folder = CARDS / game
    languages = load_game(game).languages
    found: list[Plant] = []
    for file in sorted(folder.glob("*.yaml")):
        if file.stem != "claims":  # what the designer believes is held against the rules by `prove`
            found += _of_yaml(game, file, languages)
    for language in languages:
        for file in list_rulebook_files_in_reading_order(folder, language):
            found += _of_chapter(game, file, language)
    return found


def sample(game: str, number: int, seed: int) -> list[Plant]:
    """Return some of a game's wrong numbers."""
    found = plants(game)
    return found if number >= len(found) else Random(seed).sample(found, number)


def _of_yaml(game: str, file: Path, languages: Sequence[str]) -> Iterator[Plant]:
    text = file.read_text("utf-8")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for path, start, end in _scalars(root, ()):
        language = next((key for key in path if key in languages), "")
        if language:
            kind = _kind(file.stem, path[: path.index(language)])
            yield from _planted(game, file, text, start, end, kind, language)


def _scalars(node: yaml.Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(value, (*path, str(key.value)))
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _scalars(value, path)
    else:
        yield path, node.start_mark.index, node.end_mark.index


def _kind(stem: str, path: tuple[str, ...]) -> str:
    """Return the sort of text: the file for those that every game has, and the keys without ids."""
    if path[0] == "components" and len(path) > 1:
        return f"cards: {' '.join(path[2:])}"
    if path[0] in ("rules", "rulings", "effects", "kinds", "options"):
        return f"{stem}: {path[0]} {' '.join(path[2:3])}".rstrip()
    return f"{stem}: {path[0]}"


def _of_chapter(game: str, file: Path, language: str) -> Iterator[Plant]:
    text = file.read_text("utf-8")
    unsaid = [match.span() for match in NOT_SAID.finditer(text)]
    for plant in _planted(game, file, text, 0, len(text), "chapter: words", language):
        if not any(start <= plant.at < end for start, end in unsaid):
            yield plant


def _planted(game: str, file: Path, text: str, start: int, end: int, kind: str, language: str) -> Iterator[Plant]:
    words = [*CARDINALS[language], *ORDINALS[language]]
    facts = [match.span() for match in FACT.finditer(text)]
    marked = [match.span() for match in MARKED.finditer(text)]
    for match in re.compile(rf"\d+|\b(?:{'|'.join(words)})\b", re.IGNORECASE).finditer(text, start, end):
        if "\\u" in text[max(0, match.start() - 5) : match.start()]:
            continue  # a letter by its number
        sort = kind
        if any(a <= match.start() < b for a, b in facts):
            sort = "chapter: facts"
        if any(a <= match.start() < b for a, b in marked):
            sort = "chapter: {number}"
        for other in _others(match[0], language):
            yield Plant(game, file, match.start(), match[0], other, sort, language)


def _others(was: str, language: str) -> Iterator[str]:
    if was.isdigit():
        yield str(int(was) + 1).zfill(len(was))
        if int(was) > 0:
            yield str(int(was) - 1).zfill(len(was))
        return
    low = was.lower()
    for words in (CARDINALS[language], ORDINALS[language]):
        if low in words:
            n = words.index(low)
            above = words[n + 1] if n + 1 < len(words) else ABOVE[low]
            below = words[n - 1] if n else BELOW[low]
            yield from (other.capitalize() if was[0].isupper() else other for other in (above, below))


@dataclass(frozen=True)
class Noticed:
    """A wrong number and the codes of what lint says of it."""

    plant: Plant
    codes: frozenset[str]

    @property
    def alone(self) -> bool:
        """Whether it is noticed where all languages have the same wrong number."""
        return bool(self.codes - {"PP247"})


def noticed(game: str, wrong: Sequence[Plant]) -> Iterator[Noticed]:
    """Yield what lint says of each wrong number that it does not say of the game as it is. Other facts
    with the same value are not wrong and left out."""
    enable_cache_of_parsed_files()
    as_it_is = load_game(game)
    sound = Counter(_said(as_it_is))
    printed = {language: _printed(as_it_is, language) for language in as_it_is.languages}
    for plant in wrong:
        with override_file_content_in_block(plant.file, plant.text):
            fact = plant.kind == "chapter: facts"
            if fact and _printed(as_it_is, plant.language) == printed[plant.language]:
                continue
            yield Noticed(plant, frozenset(finding.code for finding in Counter(_of_changed(plant, as_it_is)) - sound))


def _of_changed(plant: Plant, as_it_is: Game) -> list[Finding]:
    try:  # a game's data is not in its chapters
        return _said(as_it_is if plant.file.suffix == ".md" else load_game(plant.game))
    except InputError as refused:
        return list(refused.findings)


def _said(game: Game) -> list[Finding]:
    return [
        finding
        for finding in (*lint(game), *list_sorted_number_errors_in_chapters(game))
        if finding.severity == "error"
    ]


def _printed(game: Game, language: str) -> list[str]:
    """Return the words of the chapters, with their facts."""
    document = read_rulebook_document(game.folder, language)
    scope = build_fact_values_by_name(game, language)
    paragraphs = iter_nested_paragraphs(document.blocks) if document else ()
    return [
        "".join(get_printed_text_of_span_or_empty(span, scope) for span in paragraph.spans) for paragraph in paragraphs
    ]


def table(found: Sequence[Noticed]) -> str:
    """Return how many wrong numbers are noticed, by game, sort of text and language."""
    rows = []
    for whole in (False, True):
        groups: dict[tuple[str, str, str], list[Noticed]] = {}
        for each in found:
            key = (each.plant.game, "all", "") if whole else (each.plant.game, each.plant.kind, each.plant.language)
            groups.setdefault(key, []).append(each)
        for (game, kind, language), group in sorted(groups.items()):
            seen, alone = sum(bool(each.codes) for each in group), sum(each.alone for each in group)
            rows.append(
                f"{game:9} {kind:40} {language:3} {seen:4} of {len(group):4}, in all languages {alone:4}  "
                f"{100 * seen / len(group):3.0f} % {FREE.get(kind, '')}".rstrip()
            )
    return "\n".join(rows)
