"""Makes pages of text accessible to screen readers and easy to navigate: structure, bookmarks,
links.

The pages' content is marked already (see `Content.tagged`); this pass adds what the marks refer to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import groupby
from typing import NamedTuple

from pikepdf import Array, Dictionary, Name, Object, OutlineItem, Pdf, String

from playproof.generator.scene import PT_PER_MM, Page, Passage, Rect

# An element of its own holds together a list's items, or the entries of a table of contents.
HOLDERS = {"LI": "L", "TOCI": "TOC"}


class Marked(NamedTuple):
    """A passage, the page it is on and the number of its mark there; both count from 0."""

    page: int
    number: int
    passage: Passage


def readable(data: bytes, pages: Sequence[Page]) -> bytes:
    """Return the PDF with a structure tree, bookmarks and links for its pages' passages. The same
    pages give the same bytes."""
    with Pdf.open(BytesIO(data)) as pdf:
        _structure(pdf, pages)
        anchors = _anchors(pdf, pages)
        _links(pdf, pages, anchors)
        _bookmarks(pdf, pages)
        pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        out = BytesIO()
        pdf.save(out, deterministic_id=True)
        return out.getvalue()


def _reading(pages: Sequence[Page]) -> list[Marked]:
    """Return the passages in the order in which people read them. On the sheets of a folded booklet this is not
    the order of the sides."""
    marked = [
        Marked(at, number, passage)
        for at, page in enumerate(pages)
        for number, passage in enumerate(page.passages)
    ]
    return sorted(marked, key=lambda each: each.passage.leaf)


def _structure(pdf: Pdf, pages: Sequence[Page]) -> None:
    """Add the structure tree, in reading order, and the map from each page's marks back to it."""
    root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root, K=Array()))
    elements: dict[tuple[int, int], Object] = {}  # by page and number on it
    for (_, at, holder), group in groupby(_reading(pages), key=_together):
        parent = document
        if holder:
            held = Dictionary(Type=Name.StructElem, S=Name(f"/{holder}"), P=document, K=Array())
            parent = pdf.make_indirect(held)
            document.K.append(parent)
        for each in group:
            element = _element(pdf, each.passage, each.number, parent, pdf.pages[at].obj)
            parent.K.append(element)
            elements[at, each.number] = element
    numbers = Array()
    for at, page in enumerate(pages):
        if page.passages:
            pdf.pages[at].obj.StructParents = at
            pdf.pages[at].obj.Tabs = Name.S
            listed = Array([elements[at, number] for number in range(len(page.passages))])
            numbers.append(at)
            numbers.append(pdf.make_indirect(listed))
    root.K = document
    root.ParentTree = pdf.make_indirect(Dictionary(Nums=numbers))
    pdf.Root.StructTreeRoot = root
    pdf.Root.MarkInfo = Dictionary(Marked=True)


def _together(each: Marked) -> tuple[int, int, str]:
    """Return what neighbours of one list have in common."""
    return each.passage.leaf, each.page, HOLDERS.get(each.passage.role, "")


def _element(pdf: Pdf, passage: Passage, number: int, parent: Object, page: Object) -> Object:
    """Return the structure element of one passage. An item of a list has a body that holds its
    words."""
    element = Dictionary(Type=Name.StructElem, S=Name(f"/{passage.role}"), P=parent, Pg=page, K=number)
    if passage.role == "Figure":
        element.Alt = String(passage.says or passage.title)
    return pdf.make_indirect(element)


def _anchors(pdf: Pdf, pages: Sequence[Page]) -> dict[str, Array]:
    """Return the target of each anchor: a page and the height on it."""
    targets: dict[str, Array] = {}
    for at, _, passage in _reading(pages):
        if passage.anchor and passage.anchor not in targets:
            top = _up(pages[at], passage.box.y)
            targets[passage.anchor] = Array([pdf.pages[at].obj, Name.XYZ, 0, top, 0])
    return targets


def _links(pdf: Pdf, pages: Sequence[Page], anchors: dict[str, Array]) -> None:
    for at, page in enumerate(pages):
        notes = [
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Link,
                Rect=_box(page, box),
                Border=Array([0, 0, 0]),
                Dest=anchors[anchor],
            )
            for passage in page.passages
            for box, anchor in passage.links
            if anchor in anchors
        ]
        if notes:
            pdf.pages[at].obj.Annots = Array([pdf.make_indirect(note) for note in notes])


def _bookmarks(pdf: Pdf, pages: Sequence[Page]) -> None:
    """Add the headings as a tree of bookmarks."""
    with pdf.open_outline() as outline:
        above: list[tuple[int, OutlineItem]] = []
        for at, level, title, top in _headings(pages):
            item = OutlineItem(title, at, "XYZ", left=0, top=top, zoom=0)
            while above and above[-1][0] >= level:
                above.pop()
            (above[-1][1].children if above else outline.root).append(item)
            above.append((level, item))
            item.is_closed = level > 1
    if outline.root:
        pdf.Root.PageMode = Name.UseOutlines


def _headings(pages: Sequence[Page]) -> Iterator[tuple[int, int, str, float]]:
    for at, _, passage in _reading(pages):
        if passage.level and passage.title:
            yield at, passage.level, passage.title, _up(pages[at], passage.box.y)


def _up(page: Page, y: float) -> float:
    """Convert a y on the page to points above the page's bottom."""
    return round((page.height - y) * PT_PER_MM, 2)


def _box(page: Page, box: Rect) -> Array:
    edges = (box.x * PT_PER_MM, _up(page, box.bottom), box.right * PT_PER_MM, _up(page, box.y))
    return Array([round(edge, 2) for edge in edges])
