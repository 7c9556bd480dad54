"""A rulebook as people read it: Markdown in `cards/<game>/rulebook/`, as blocks that know their
place.

    # Combat                                    a chapter
    Roll {fact}`board.dice` dice. {rule}`R55`   a number from the data; the rule this paragraph states
    See [unlocking](#unlocking-regions).        printed with its page
    A {term}`site` holds one unit.              bold, and an entry of the index

    :::{faces} a101 a102                        generated: pictures, lists, example turns
    :height: 40

    Two artifacts of level 1.
    :::

The dialect is MyST's: roles and directives are read by mdit-py-plugins. The files of a language are
read in the order of their names; other languages than the first have a folder each
(`rulebook/fr/`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from playproof.database.errors import (
    FindingCollector,
    InputError,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.source import decode_utf8_without_byte_mark, read_file_or_its_override

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from playproof.database.patch_targets import ChapterEdit

FOLDER = "rulebook"
ROLES = ("fact", "number", "rule", "term", "index", "moves", "faces", "at", "table")
_OPTION = re.compile(r":([a-z]+):(?: +(.*))?\Z")
_DIRECTIVE = re.compile(r"\{([a-z]+)\} *(.*)\Z")
_MARKS = re.compile(r"([*\\])")


@dataclass(frozen=True, slots=True)
class FactSpan:
    """A value from the game's data, as an expression."""

    source: str


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """A number that is not in the data: a figure of speech, or a number of one recorded game."""

    text: str


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """A reference to a heading, by its slug; `text` may be empty."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class IndexSpan:
    """An entry of the index. `text` is the part of it that the paragraph shows, which may be
    empty."""

    text: str
    entry: str


# Text is in the markup of generator/type: **bold**, *italic*, :icon:.
Span: TypeAlias = str | FactSpan | NumberSpan | LinkSpan | IndexSpan


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is a chapter. Links name its `slug`."""

    level: int
    spans: tuple[Span, ...]
    slug: str
    where: Where = field(compare=False)


class MoveRange(NamedTuple):
    first: int
    last: int


class PictureSpot(NamedTuple):
    """A place in a picture, as fractions of its width and height."""

    x_share: float
    y_share: float


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph: the rules it states, the moves of the example it describes, and the faces shown
    next to it.

    `at` is the place in a picture that it describes. `table` names the parts of the table that are
    shown as they are after its moves.
    """

    spans: tuple[Span, ...]
    rules: tuple[str, ...]
    where: Where = field(compare=False)
    moves: MoveRange | None = None
    faces: tuple[str, ...] = ()
    at: PictureSpot | None = None
    table: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; `start` is the first number of a numbered one."""

    items: tuple[Paragraph, ...]
    start: int | None
    where: Where = field(compare=False)


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table: its heading row, then the others."""

    rows: tuple[tuple[Paragraph, ...], ...]
    where: Where = field(compare=False)


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive: its name, argument, options and content."""

    name: str
    argument: str
    options: Mapping[str, str]
    body: tuple[Block, ...]
    where: Where = field(compare=False)


Block: TypeAlias = Heading | Paragraph | Listing | TableBlock | Directive


@dataclass(frozen=True, slots=True)
class Document:
    """A rulebook in one language."""

    language: str
    folder: Path
    blocks: tuple[Block, ...]

    def iter_paragraphs_of_document(self) -> Iterator[Paragraph]:
        """Yield every paragraph, including those in lists, tables and directives."""
        return iter_nested_paragraphs(self.blocks)

    def iter_headings(self) -> Iterator[Heading]:
        """Every heading, in order."""
        return (block for block in self.blocks if isinstance(block, Heading))

    def find_first_place_of_each_rule(self) -> Mapping[str, Where]:
        """Return the place where each rule is first stated, by rule id."""
        places: dict[str, Where] = {}
        for where, rules in self._iter_places_with_rule_ids(self.blocks):
            for rule in rules:
                places.setdefault(rule, where)
        return places

    def iter_paragraphs_stating_rules(self) -> Iterator[tuple[tuple[str, ...], Paragraph]]:
        """Yield each paragraph that states rules, with their ids. A row of a table counts as one
        paragraph with all its cells."""
        for block in self._iter_blocks_entering_directives(self.blocks):
            rows = (
                map(_join_row_cells_to_paragraph, block.rows)
                if isinstance(block, TableBlock)
                else iter_nested_paragraphs([block])
            )
            yield from ((paragraph.rules, paragraph) for paragraph in rows if paragraph.rules)

    def _iter_blocks_entering_directives(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Yield every block that is not a directive, including those inside directives."""
        for block in blocks:
            if isinstance(block, Directive):
                yield from self._iter_blocks_entering_directives(block.body)
            else:
                yield block

    def _iter_places_with_rule_ids(self, blocks: Sequence[Block]) -> Iterator[tuple[Where, Sequence[str]]]:
        for block in blocks:
            if isinstance(block, Directive):
                yield block.where, block.options.get("rules", "").split()
                yield from self._iter_places_with_rule_ids(block.body)
            else:
                yield from ((each.where, each.rules) for each in iter_nested_paragraphs([block]))


def list_rulebook_files_in_reading_order(game_folder: Path, language: str) -> tuple[Path, ...]:
    """Return the Markdown files of a game's rulebook in a language, in reading order. The English
    files are in the folder itself."""
    folder = game_folder / FOLDER if language == "en" else game_folder / FOLDER / language
    return tuple(sorted(folder.glob("*.md")))


def read_rulebook_document(
    game_folder: Path, language: str = "en", edits: Sequence[ChapterEdit] = ()
) -> Document | None:
    """Return the rulebook in a game's folder, with the sentences that errata replace (`edits`), or None if it has none
    in this language. Raises InputError with all findings."""
    files = list_rulebook_files_in_reading_order(game_folder, language)
    if not files:
        return None
    collector = FindingCollector()
    texts = tuple(
        (make_path_relative_to_working_folder(file), _read_file_or_record_finding(file, collector)) for file in files
    )
    if edits:
        from playproof.database.patch_targets import replace_sentences_found_once_in_chapter

        own = [file.relative_to(game_folder).as_posix() for file in files]
        texts = tuple(
            (name, replace_sentences_found_once_in_chapter(text, file, edits))
            for file, (name, text) in zip(own, texts, strict=True)
        )
    collector.raise_if_errors()
    return Document(language, game_folder / FOLDER, _read_checked_blocks_of_files_cached(texts))


@lru_cache(maxsize=16)
def _read_checked_blocks_of_files_cached(names_and_texts: tuple[tuple[Path | str, str], ...]) -> tuple[Block, ...]:
    """Return the blocks of these files, by their names and texts. Several checks of lint ask for one
    document."""
    collector = FindingCollector()
    blocks: list[Block] = []
    for file, text in names_and_texts:
        blocks += _MarkdownReader(file, collector).read_blocks_of_text(text)
    _record_broken_links_and_equal_slugs(blocks, collector)
    collector.raise_if_errors()
    return tuple(blocks)


def make_heading_slug(text: str) -> str:
    """Return the name of a heading in links.

    >>> make_heading_slug("God's Favor: the crystals")
    'gods-favor-the-crystals'
    """
    return re.sub(r"[^\w]+", "-", text.replace("'", "").replace("’", "").lower()).strip("-")


def _read_file_or_record_finding(file: Path, collector: FindingCollector) -> str:
    try:
        return decode_utf8_without_byte_mark(
            read_file_or_its_override(file), make_path_relative_to_working_folder(file)
        )
    except OSError as error:
        collector.add_finding(
            "PP101",
            Where(make_path_relative_to_working_folder(file)),
            f"cannot read this file: {error.strerror or error}",
        )
    except InputError as error:
        collector.add_findings(error.findings)
    return ""


@lru_cache(maxsize=1)
def _make_markdown_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # only those who print or read the rules need it
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.myst_role import myst_role_plugin

    return MarkdownIt("commonmark").enable("table").use(colon_fence_plugin).use(myst_role_plugin)


class _MarkdownReader:
    """Reads the text of one file; `first` is the line in the file at which the text begins."""

    def __init__(self, file: str | Path, collector: FindingCollector, first: int = 1) -> None:
        self.file = file
        self.collector = collector
        self.first = first

    def read_blocks_of_text(self, text: str) -> list[Block]:
        tokens = _make_markdown_parser().parse(text)
        blocks: list[Block] = []
        at = 0
        while at < len(tokens):
            end = _find_closing_or_last_token_index(tokens, at)
            block = self._read_block_or_record_finding(tokens[at : end + 1])
            if block is not None:
                blocks.append(block)
            at = end + 1
        return blocks

    def _read_block_or_record_finding(self, tokens: Sequence[Token]) -> Block | None:
        head = tokens[0]
        where = self._get_place_of_token(head)
        if head.type == "heading_open":
            paragraph = self._read_paragraph(tokens[1])
            return Heading(
                int(head.tag[1]), paragraph.spans, make_heading_slug(join_text_of_spans(paragraph.spans)), where
            )
        if head.type == "paragraph_open":
            return self._read_paragraph(tokens[1])
        if head.type in ("bullet_list_open", "ordered_list_open"):
            start = int(head.attrs.get("start", 1)) if head.type == "ordered_list_open" else None
            items = tuple(self._read_paragraph(token) for token in tokens if token.type == "inline")
            return Listing(items, start, where)
        if head.type == "table_open":
            return TableBlock(tuple(self._iter_table_rows(tokens)), where)
        if head.type == "colon_fence":
            return self._read_directive(head)
        expected = "expected a heading, a paragraph, a list, a table or a directive"
        self.collector.add_finding(
            "PP241", where, f"{expected}, found {head.type.removesuffix('_open').replace('_', ' ')}"
        )
        return None

    def _iter_table_rows(self, tokens: Sequence[Token]) -> Iterator[tuple[Paragraph, ...]]:
        row: list[Paragraph] = []
        for token in tokens:
            if token.type == "inline":
                row.append(self._read_paragraph(token))
            elif token.type == "tr_close":
                yield tuple(row)
                row = []

    def _read_directive(self, token: Token) -> Directive | None:
        where = self._get_place_of_token(token)
        match = _DIRECTIVE.match(token.info.strip())
        if match is None:
            self.collector.add_finding("PP241", where, f"expected `:::{{name}} argument`, found `:::{token.info}`")
            return None
        if not _is_directive_closed(token):
            self.collector.add_finding(
                "PP241",
                where,
                f"expected {token.markup} after `{token.markup}{token.info}`, "
                "on a line of its own, found none before the next directive or the end of the file",
            )
            return None
        lines = token.content.split("\n")
        options: dict[str, str] = {}
        at = 0
        while at < len(lines) and (option := _OPTION.match(lines[at].strip())):
            options[option[1]] = (option[2] or "").strip()
            at += 1
        inner = _MarkdownReader(self.file, self.collector, where.line + 1 + at)
        return Directive(
            match[1], match[2].strip(), options, tuple(inner.read_blocks_of_text("\n".join(lines[at:]))), where
        )

    def _read_paragraph(self, token: Token) -> Paragraph:
        where = self._get_place_of_token(token)
        spans: list[Span] = []
        rules: list[str] = []
        faces: list[str] = []
        table: list[str] = []
        moves: MoveRange | None = None
        at: PictureSpot | None = None
        link: tuple[str, list[str]] | None = None
        for child in token.children or ():
            if child.type == "link_open":
                link = (str(child.attrs.get("href", "")).removeprefix("#"), [])
            elif child.type == "link_close" and link is not None:
                spans.append(LinkSpan("".join(link[1]), link[0]))
                link = None
            elif child.type == "myst_role":
                name, content = str(child.meta["name"]), child.content.strip()
                if name == "rule":
                    rules += content.split()
                elif name == "faces":
                    faces += content.split()
                elif name == "table":
                    table += content.split()
                elif name == "moves":
                    moves = self._parse_move_range(content, where)
                elif name == "at":
                    at = self._parse_picture_x_and_y_fraction(content, where)
                elif (span := self._make_span_or_record_unknown_role(name, content, where)) is not None:
                    spans.append(span)
            elif link is not None:
                link[1].append(self._read_inline_markup_or_record_finding(child, where))
            else:
                spans.append(self._read_inline_markup_or_record_finding(child, where))
        return Paragraph(_merge_and_strip_text_spans(spans), tuple(rules), where, moves, tuple(faces), at, tuple(table))

    def _parse_move_range(self, content: str, where: Where) -> MoveRange | None:
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", content)
        if match is None:
            self.collector.add_finding("PP241", where, f"expected moves such as 12 or 12-15, found `{content}`")
            return None
        return MoveRange(int(match[1]), int(match[2] or match[1]))

    def _parse_picture_x_and_y_fraction(self, content: str, where: Where) -> PictureSpot | None:
        match = re.fullmatch(r"(0?\.\d+|0|1) ([01]?\.\d+|-0?\.\d+|0|1)", content)
        if match is None:
            self.collector.add_finding("PP241", where, f"expected a place such as 0.25 0.5, found `{content}`")
            return None
        return PictureSpot(float(match[1]), float(match[2]))

    def _make_span_or_record_unknown_role(self, role: str, content: str, where: Where) -> Span | None:
        text, _, entry = content.partition("|")
        if role == "fact":
            return FactSpan(content)
        if role == "number":
            return NumberSpan(content)
        if role == "term":
            return IndexSpan(f"**{text}**", entry or text)
        if role == "index":
            return IndexSpan("", content)
        self.collector.add_finding(
            "PP242", where, f"there is no role {{{role}}}", make_nearest_or_possible_words_hint(role, ROLES)
        )
        return None

    def _read_inline_markup_or_record_finding(self, token: Token, where: Where) -> str:
        if token.type == "text":
            return _MARKS.sub(r"\\\1", token.content)
        if token.type in ("softbreak", "hardbreak"):
            return " " if token.type == "softbreak" else "\n"
        if token.type in ("strong_open", "strong_close"):
            return "**"
        if token.type in ("em_open", "em_close"):
            return "*"
        if token.type == "code_inline":
            return token.content
        self.collector.add_finding("PP241", where, f"expected words, found {token.type.replace('_', ' ')}")
        return ""

    def _get_place_of_token(self, token: Token) -> Where:
        return Where(self.file, self.first + (token.map[0] if token.map else 0))


def join_text_of_spans(spans: Sequence[Span]) -> str:
    """Return the plain words of spans, without generated parts, for slugs and checks."""
    return "".join(span if isinstance(span, str) else getattr(span, "text", "") for span in spans)


def _merge_and_strip_text_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Merge neighbouring text spans into one, and strip space at both ends of the paragraph."""
    joined: list[Span] = []
    for span in spans:
        if isinstance(span, str) and joined and isinstance(joined[-1], str):
            joined[-1] += span
        else:
            joined.append(span)
    if joined and isinstance(joined[-1], str):
        joined[-1] = joined[-1].rstrip()
    if joined and isinstance(joined[0], str):
        joined[0] = joined[0].lstrip()
    return tuple(span for span in joined if span != "")


def _find_closing_or_last_token_index(tokens: Sequence[Token], start: int) -> int:
    """Return the number of the token that closes the block opened at `at`."""
    depth = 0
    for number in range(start, len(tokens)):
        depth += tokens[number].nesting
        if depth == 0:
            return number
    return len(tokens) - 1


def _is_directive_closed(directive_token: Token) -> bool:
    """Return whether a directive ends before another of its kind begins. Markdown closes one that is
    left open at the end of the file, or where the next one ends."""
    first, end = directive_token.map or [0, 0]
    lines = directive_token.content.count("\n") + (directive_token.content[-1:] not in ("", "\n"))
    nested = re.search(rf"^{directive_token.markup}\{{", directive_token.content, re.MULTILINE)
    return end - first == lines + 2 and not nested


def _join_row_cells_to_paragraph(cells: Sequence[Paragraph]) -> Paragraph:
    """Return the cells of a table's row as one paragraph."""
    spans = [span for cell in cells for span in (*cell.spans, " ")]
    return Paragraph(tuple(spans), tuple(rule for cell in cells for rule in cell.rules), cells[0].where)


def iter_nested_paragraphs(blocks: Sequence[Block]) -> Iterator[Paragraph]:
    """Yield the paragraphs of these blocks, those in lists, tables and directives too."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block
        elif isinstance(block, Listing):
            yield from block.items
        elif isinstance(block, TableBlock):
            yield from (cell for row in block.rows for cell in row)
        elif isinstance(block, Directive):
            yield from iter_nested_paragraphs(block.body)


def _record_broken_links_and_equal_slugs(blocks: Sequence[Block], collector: FindingCollector) -> None:
    """Check that each link names a heading and that no two headings have the same slug."""
    headings: dict[str, Where] = {}
    for block in blocks:
        if isinstance(block, Heading):
            if block.slug in headings:
                collector.add_finding(
                    "PP243",
                    block.where,
                    f'two headings are called "{block.slug}"',
                    f"the other is at {headings[block.slug]}",
                )
            headings[block.slug] = block.where
    for paragraph in iter_nested_paragraphs(blocks):
        for span in paragraph.spans:
            if isinstance(span, LinkSpan) and span.target not in headings:
                message = f'no heading is called "{span.target}"'
                collector.add_finding(
                    "PP243", paragraph.where, message, make_nearest_or_possible_words_hint(span.target, headings)
                )
