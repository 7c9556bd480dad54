"""Directives made from the data: the list of components, the legend of icons, rulings, contents,
index."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from playproof.database.components import Component
from playproof.database.errors import did_you_mean
from playproof.database.game_yaml import Declared
from playproof.database.rulebook import Ruling
from playproof.database.rulebook_text import Directive, Heading, Listing, Paragraph, shown
from playproof.generator.book.compose import GUTTER, HELD, Composer, makes
from playproof.generator.book.flow import SetBlock, beside, noted, shifted, stacked
from playproof.generator.book.pictures import icons_on
from playproof.generator.layout.icon_names import icon_names
from playproof.generator.scene import Node, Passage, Rect, Role, Stroke, Transform, Use, line
from playproof.generator.wording import words_of

PICTURE = 13.0  # mm: the height of a component's picture in the list
ICON = 5.6  # mm
WHOLE_LIST = 0.6  # of a page: a component list up to this height is not broken
INDEX_ROWS = 34  # entries to a column
INDEX_COLUMNS = 3
INDEX_MENTIONS = 4  # pages that an entry names beside those that explain it


@makes("components")
def components(composer: Composer, directive: Directive) -> list[SetBlock]:
    """Return every line of the game's component list with its picture and count, in two columns, or in three if the
    page then holds the whole list. A list that is nearly a page high is broken between its rows."""
    parts, book = composer.game.facts.components, composer.book
    rows = _columns(composer, [_component(composer, part, 2) for part in parts], 2)
    whole = stacked(rows)
    if not rows or whole.height > WHOLE_LIST * book.area.height:
        return rows
    room = _name_width(composer, 3)
    if not all(book.is_wide_enough(_counted_name(composer, part), room, "component") for part in parts):
        return [whole]
    denser = _columns(composer, [_component(composer, part, 3) for part in parts], 3)
    return [replace(whole, smaller=(stacked(denser),))]


def _counted_name(composer: Composer, part: Declared) -> str:
    name = part.name.get(composer.language) or part.name.get("en", "")
    return f"**{part.count}**{HELD}×{HELD}{name}"


def _name_width(composer: Composer, columns: int) -> float:
    """Return the width in mm that a cell of the component list leaves beside its picture."""
    return (composer.book.width - (columns - 1) * GUTTER) / columns - PICTURE * 1.25 - 2.5


def _component(composer: Composer, part: Declared, columns: int) -> SetBlock:
    """Return one cell: a picture of the line's first component, the count and the name."""
    width = (composer.book.width - (columns - 1) * GUTTER) / columns
    first = next(iter(_parts(composer, part)), None)
    face = composer.faces.face(first, composer.book.collector) if first is not None else None
    nodes: tuple[Node, ...] = ()
    if face is not None:
        nodes = composer.faces.placed(face, Rect(0, 0, PICTURE * 1.25, PICTURE), edge=face.outline is None)
    x = PICTURE * 1.25 + 2.5
    text = composer.book.set(_counted_name(composer, part), _name_width(composer, columns), "component")
    down = max(0.0, (PICTURE - text.box.height) / 2)
    height = max(PICTURE, text.box.height)
    passages = (Passage("LI", (*nodes, *shifted(text.nodes, x, down)), Rect(0, 0, width, height)),)
    return SetBlock(passages, height, 2.2)


def _parts(composer: Composer, part: Declared) -> Iterator[Component]:
    """Return the components that a line of the list counts."""
    all_components = composer.game.components
    if part.ids is not None:
        return (all_components[ref] for ref in part.ids if ref in all_components)
    return (component for component in all_components.values() if component.kind == part.kind)


def _columns(composer: Composer, cells: Sequence[SetBlock], count: int) -> list[SetBlock]:
    """Return the cells in rows of ``count``. The first row never stands alone below its heading."""
    step = (composer.book.width + GUTTER) / count
    rows = [cells[at : at + count] for at in range(0, len(cells), count)]
    made = [beside([(number * step, cell) for number, cell in enumerate(row)], row[0].above) for row in rows]
    return [replace(row, keep=number == 0 and len(made) > 1) for number, row in enumerate(made)]


@makes("icons")
def icons(composer: Composer, directive: Directive) -> list[SetBlock]:
    """Return every printed icon with its name. The list inside the directive explains some of them.

    An item begins with the icon's name and a colon: ``- camp: how many units your camp holds``.
    """
    explanations = _explained(composer, directive)
    names = icon_names(composer.game.vocabulary, composer.language)
    printed = composer.faces.printed = composer.faces.printed or _printed(composer)
    ordered = [name for name in dict.fromkeys((*explanations, *names)) if name in printed]
    for name in explanations.keys() - printed.keys():
        hint = did_you_mean(name, printed)
        composer.complain("PP523", explanations[name].where, f'the icon "{name}" is printed nowhere', hint)
    cells = [_icon(composer, name, names[name], explanations.get(name)) for name in ordered]
    return _columns(composer, cells, 2)


def _explained(composer: Composer, directive: Directive) -> Mapping[str, Paragraph]:
    explanations: dict[str, Paragraph] = {}
    for block in directive.body:
        if isinstance(block, Listing):
            for item in block.items:
                head, _, rest = str(item.spans[0]).partition(":") if item.spans else ("", "", "")
                explanations[head.strip()] = replace(item, spans=(rest.lstrip(), *item.spans[1:]))
    return explanations


def _printed(composer: Composer) -> dict[str, None]:
    """Return the icons that the game's components show, in the order of their first use."""
    game, drawn = composer.game, list[Sequence[Node]]()
    for component in game.components.values():
        for side in ("front", "back"):
            if side == "front" or composer.book.looks.has_side(component, side):
                face = composer.faces.face(component, composer.book.collector, side)
                drawn += [face.nodes] if face is not None else []
    symbols = (
        composer.book.looks.icons.names
    )  # of those on faces: no other file is read, nor its author named
    printed = dict.fromkeys(name for nodes in drawn for name in icons_on(nodes, symbols))
    named = icon_names(game.vocabulary, composer.language)
    return {name: None for name in printed if name in named}


def _icon(composer: Composer, name: str, called: str, explanation: Paragraph | None) -> SetBlock:
    width = (composer.book.width - GUTTER) / 2
    symbol = composer.book.looks.icons[name]
    bounds = symbol.bounds
    scale = min(ICON / bounds.width, ICON / bounds.height)
    x, y = (ICON - bounds.width * scale) / 2 - bounds.x * scale, -bounds.y * scale
    words = f"**{called[:1].upper()}{called[1:]}**"
    explained = (
        composer.markup(explanation.spans, explanation.where) if explanation and explanation.spans else ""
    )
    if explained and explained.casefold() != called.casefold():  # an icon may be named by all that it means
        words += f" · {explained}"
    text = composer.book.set(words, width - ICON - 2.2, "table")
    down = max(0.0, (ICON - text.box.height) / 2)
    nodes = (Use(symbol, Transform(scale, 0, 0, scale, x, y)), *shifted(text.nodes, ICON + 2.2, down))
    height = max(ICON, text.box.height)
    return SetBlock((Passage("LI", nodes, Rect(0, 0, width, height)),), height, 1.6)


@makes("rulings")
def rulings(composer: Composer, directive: Directive) -> list[SetBlock]:
    """Return every ruling: its question, the answer that holds, and the pages of its rules."""
    pieces = []
    for ruling in composer.game.rulings.values():
        chosen = composer.book.looks.rulings.get(ruling.id, ruling.default)
        answer = ruling.option_words[chosen].text(composer.language) if chosen in ruling.option_words else ""
        rules = [rule.id for rule in composer.game.rules.values() if rule.ruling == ruling.id]
        pages = sorted(
            {page for note in (*rules, ruling.id) for page in composer.pages.get(f"rule:{note}", ())}
        )
        place = f" *({composer.words['page']}{HELD}{', '.join(map(str, pages))})*" if pages else ""
        why = narrowed(ruling, chosen, composer.language)
        words = f"**{ruling.words.text(composer.language)}** {answer}{place}{why}"
        piece = composer.book.text(words, "table", label=ruling.id, above=1.6, where=ruling.where)
        pieces.append(noted(piece, f"ruling:{ruling.id}"))
    return pieces


def narrowed(ruling: Ruling, chosen: str, language: str) -> str:
    """Return why the default allows less than the rule's words. Return "" if it does not, or if
    another option holds."""
    if ruling.narrowed is None or chosen != ruling.default:
        return ""
    return f" *{words_of('booklets', language)['narrowed']}* {ruling.narrowed.text(language)}"


@makes("contents")
def contents(composer: Composer, directive: Directive) -> list[SetBlock]:
    """Return the chapters and their pages, in two columns."""
    chapters = [heading for heading in composer.document.headings() if heading.level == 1]
    width = (composer.book.width - 2 * GUTTER) / 2
    half = math.ceil(len(chapters) / 2)
    columns = []
    for side in (chapters[:half], chapters[half:]):
        columns.append(stacked([_entry(composer, chapter, width) for chapter in side]))
    return [beside([(0.0, columns[0]), (width + 2 * GUTTER, columns[1])], 3.0)]


def _entry(composer: Composer, heading: Heading, width: float) -> SetBlock:
    words = composer.book.set(shown(heading.spans), width - 10, "contents", heading.where)
    page = composer.book.set(composer.page_of(f"heading:{heading.slug}"), 10, "contents", heading.where)
    height, right = words.box.height, width - page.box.width
    dots = line(words.box.width + 1.5, height * 0.72, right - 1.5, height * 0.72, _dots(composer))
    box = Rect(0, 0, width, height)
    nodes = (*words.nodes, dots, *shifted(page.nodes, right))
    return SetBlock((Passage("TOCI", nodes, box, links=((box, heading.slug),)),), height, 1.2)


def _dots(composer: Composer) -> Stroke:
    return Stroke(composer.book.drawing.style("mark").colour, 0.22, (0.22, 1.1))


@makes("index")
def index(composer: Composer, directive: Directive) -> list[SetBlock]:
    """Return every marked entry in columns: the pages that explain it in bold, then those that name it."""
    marked = (note.removeprefix("index:") for note in composer.pages if note.startswith("index:"))
    entries = sorted(marked, key=filed)
    width = (composer.book.width - (INDEX_COLUMNS - 1) * GUTTER) / INDEX_COLUMNS
    whole = INDEX_COLUMNS * INDEX_ROWS
    pieces = []
    for part in (entries[at : at + whole] for at in range(0, len(entries), whole)):
        rows = math.ceil(len(part) / INDEX_COLUMNS)
        sides = [part[at : at + rows] for at in range(0, len(part), rows)]
        columns = [stacked([_indexed(composer, entry, width) for entry in side]) for side in sides]
        pieces.append(beside([(number * (width + GUTTER), column) for number, column in enumerate(columns)]))
    return pieces


def filed(entry: str) -> str:
    """Return the key that sorts an index entry: without case and accents.

    >>> sorted(["tour", "Égalité", "Zone"], key=filed)
    ['Égalité', 'tour', 'Zone']
    """
    letters = unicodedata.normalize("NFD", entry.casefold().replace("œ", "oe"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _indexed(composer: Composer, entry: str, width: float) -> SetBlock:
    role: Role = "LI"
    pages = ", ".join(_index_pages(composer, entry))
    block = composer.book.set(f"{entry}{HELD}{HELD}{pages}", width, "table")
    return SetBlock((Passage(role, block.nodes, Rect(0, 0, width, block.box.height)),), block.box.height, 0.7)


def _index_pages(composer: Composer, entry: str) -> Iterator[str]:
    """Yield the pages of an entry: in bold where it is marked or a heading names it."""
    main = set(composer.pages[f"index:{entry}"])
    for heading in composer.document.headings():
        if entry in composer.mentions.of(heading):
            main.update(composer.pages.get(f"heading:{heading.slug}", ()))
    others = set(composer.pages.get(f"mention:{entry}", ())) - main
    if len(others) > INDEX_MENTIONS:  # a word of every page leads nowhere
        others = set()
    for page in sorted(main | others):
        yield f"**{page}**" if page in main else str(page)
