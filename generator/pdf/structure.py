"""Makes pages of text accessible to screen readers and easy to navigate: structure, bookmarks,
links.

The pages' content is marked already (see `draw_within_tagged_content`). This module adds what the marks refer to (PDF
32000-1, 14.7 for the structure, 12.3 for bookmarks).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from playproof.generator.pdf.objects import Name, PdfFileBuilder, Reference, Value
from playproof.generator.scene import PT_PER_MM, Page, Passage, Rect

# An element of its own holds together a list's items, or the entries of a table of contents.
HOLDERS = {"LI": "L", "TOCI": "TOC"}

Entries = dict[str, Value]


class MarkedPassage(NamedTuple):
    """A passage, the page it is on and the number of its mark there; both count from 0."""

    page: int
    number: int
    passage: Passage


class PageSection(NamedTuple):
    """A face on a sheet with its title, or all words of a page without faces: None in place of the face's number among
    the placements. ``number`` is that of its mark on the page."""

    placement: int | None
    number: int
    title: str


def has_faces_with_titles(page: Page) -> bool:
    """Return whether a page shows faces that have titles."""
    return any(placement.face.title for placement in page.placements)


def list_titled_sections_after_passages(page: Page) -> list[PageSection]:
    """Return what of a page is read besides its passages, in this order. Marks and margins of sheets are decoration."""
    titled = [at for at, placement in enumerate(page.placements) if placement.face.title]
    first = len(page.passages)
    if not titled and not page.passages and not page.placements and page.marks:
        return [PageSection(None, first, "")]
    return [PageSection(at, number, page.placements[at].face.title) for number, at in enumerate(titled, first)]


def add_structure_and_get_extra_entries(
    document: PdfFileBuilder, pages: Sequence[Page], page_references: Sequence[Reference]
) -> tuple[Entries, list[Entries]]:
    """Add the structure tree, bookmarks and links of the pages' passages. Return what the catalog and each page
    need for them; ``page_references`` are the places of the pages in the document."""
    catalog: Entries = {"MarkInfo": {"Marked": True}, "ViewerPreferences": {"DisplayDocTitle": True}}
    on_pages: list[Entries] = [{} for _ in pages]
    catalog["StructTreeRoot"] = _add_structure_tree_and_get_root(document, pages, page_references, on_pages)
    _add_links_to_known_anchors(document, pages, page_references, on_pages)
    outlines = _add_heading_bookmarks_and_get_root(document, pages, page_references)
    if outlines is not None:
        catalog |= {"Outlines": outlines, "PageMode": Name("UseOutlines")}
    return catalog, on_pages


def _list_passages_in_reading_order(pages: Sequence[Page]) -> list[MarkedPassage]:
    """Return the passages in the order in which people read them. On the sheets of a folded booklet this is not
    the order of the sides."""
    marked = [
        MarkedPassage(at, number, passage)
        for at, page in enumerate(pages)
        for number, passage in enumerate(page.passages)
    ]
    return sorted(marked, key=lambda each: each.passage.leaf)


def _add_structure_tree_and_get_root(
    document: PdfFileBuilder,
    pages: Sequence[Page],
    page_references: Sequence[Reference],
    page_entries_to_extend: list[Entries],
) -> Reference:
    """Add the structure tree, in reading order, and the map from each page's marks back to it."""
    root, whole = document.reserve_object_number(), document.reserve_object_number()
    below: list[Value] = []
    elements: dict[tuple[int, int], Reference] = {}  # by page and number on it
    for (_, at, holder), group in groupby(_list_passages_in_reading_order(pages), key=_get_key_shared_by_items_of_list):
        parent = document.reserve_object_number() if holder else whole
        added = []
        for each in group:
            element = document.add_object_and_get_reference(
                _build_structure_element_of_passage(each.passage, each.number, parent, page_references[at])
            )
            elements[at, each.number] = element
            added.append(element)
        if holder:
            document.fill_reserved_object(
                parent, {"Type": Name("StructElem"), "S": Name(holder), "P": whole, "K": added}
            )
        below += [parent] if holder else added
    for at, page in enumerate(pages):
        for section in list_titled_sections_after_passages(page):
            place, words = document.reserve_object_number(), document.reserve_object_number()
            named: Entries = {"T": section.title} if section.title else {}
            of = {"Type": Name("StructElem"), "S": Name("Sect"), "P": whole, "K": [words], **named}
            document.fill_reserved_object(place, of)
            document.fill_reserved_object(
                words, _build_structure_element_of_section_words(section.number, place, page_references[at])
            )
            elements[at, section.number] = words
            below.append(place)
    numbers: list[Value] = []
    for at, page in enumerate(pages):
        marks = len(page.passages) + len(list_titled_sections_after_passages(page))
        if marks:
            page_entries_to_extend[at] |= {"StructParents": at, "Tabs": Name("S")}
            numbers += [at, document.add_object_and_get_reference([elements[at, number] for number in range(marks)])]
    document.fill_reserved_object(whole, {"Type": Name("StructElem"), "S": Name("Document"), "P": root, "K": below})
    tree = document.add_object_and_get_reference({"Nums": numbers})
    document.fill_reserved_object(root, {"Type": Name("StructTreeRoot"), "K": whole, "ParentTree": tree})
    return root


def _build_structure_element_of_section_words(
    mark_number: int, parent: Reference, page_reference: Reference
) -> Entries:
    """Return the structure element of the words of a section."""
    return {"Type": Name("StructElem"), "S": Name("P"), "P": parent, "Pg": page_reference, "K": mark_number}


def _get_key_shared_by_items_of_list(marked_passage: MarkedPassage) -> tuple[int, int, str]:
    """Return what neighbours of one list have in common."""
    return marked_passage.passage.leaf, marked_passage.page, HOLDERS.get(marked_passage.passage.role, "")


def _build_structure_element_of_passage(
    passage: Passage, mark_number: int, parent: Reference, page_reference: Reference
) -> Entries:
    """Return the structure element of one passage. An item of a list has a body that holds its
    words."""
    element: Entries = {
        "Type": Name("StructElem"),
        "S": Name(passage.role),
        "P": parent,
        "Pg": page_reference,
        "K": mark_number,
    }
    if passage.role == "Figure":
        element["Alt"] = passage.says or passage.title
    return element


def _add_links_to_known_anchors(
    document: PdfFileBuilder,
    pages: Sequence[Page],
    page_references: Sequence[Reference],
    page_entries_to_extend: list[Entries],
) -> None:
    """Add the links to anchors; the target of each is a page and the height on it."""
    anchors: dict[str, Value] = {}
    for at, _, passage in _list_passages_in_reading_order(pages):
        if passage.anchor and passage.anchor not in anchors:
            anchors[passage.anchor] = [
                page_references[at],
                Name("XYZ"),
                0,
                _y_to_points_above_page_bottom(pages[at], passage.box.y),
                0,
            ]
    for at, page in enumerate(pages):
        notes = [
            document.add_object_and_get_reference(
                {
                    "Type": Name("Annot"),
                    "Subtype": Name("Link"),
                    "Rect": _rect_to_pdf_points(page, box),
                    "Border": [0, 0, 0],
                    "Dest": anchors[anchor],
                }
            )
            for passage in page.passages
            for box, anchor in passage.links
            if anchor in anchors
        ]
        if notes:
            page_entries_to_extend[at]["Annots"] = notes


@dataclass
class _Bookmark:
    """A heading with those below it. The one above all others is no heading: it holds the whole tree."""

    place: Reference
    level: int = 0
    entries: Entries = field(default_factory=dict)
    below: list[_Bookmark] = field(default_factory=list)

    def put_tree_in_document_and_count_visible(self, document: PdfFileBuilder) -> int:
        """Put the bookmark and all below it into the document, each with its neighbours. Those below the first level
        are closed. Return how many bookmarks are seen below it when it is open."""
        seen = 0
        for at, child in enumerate(self.below):
            child.entries["Parent"] = self.place
            if at:
                child.entries["Prev"] = self.below[at - 1].place
            if child is not self.below[-1]:
                child.entries["Next"] = self.below[at + 1].place
            below = child.put_tree_in_document_and_count_visible(document)
            seen += 1 if child.closed else 1 + below
        if seen:
            first, last = self.below[0].place, self.below[-1].place
            self.entries |= {"First": first, "Last": last, "Count": -seen if self.closed else seen}
        document.fill_reserved_object(self.place, self.entries)
        return seen

    @property
    def closed(self) -> bool:
        return self.level > 1


def _add_heading_bookmarks_and_get_root(
    document: PdfFileBuilder, pages: Sequence[Page], page_references: Sequence[Reference]
) -> Reference | None:
    """Add the headings as a tree of bookmarks. Return None if there are none."""
    headings = list(_iter_headings_with_page_and_height(pages))
    if not headings:
        return None
    root = _Bookmark(document.reserve_object_number(), entries={"Type": Name("Outlines")})
    above = [root]
    for at, level, title, top in headings:
        target: Value = [page_references[at], Name("XYZ"), 0, top, 0]
        bookmark = _Bookmark(document.reserve_object_number(), level, {"Title": title, "Dest": target})
        while above[-1].level >= level:
            above.pop()
        above[-1].below.append(bookmark)
        above.append(bookmark)
    root.put_tree_in_document_and_count_visible(document)
    return root.place


def _iter_headings_with_page_and_height(pages: Sequence[Page]) -> Iterator[tuple[int, int, str, float]]:
    for at, _, passage in _list_passages_in_reading_order(pages):
        if passage.level and passage.title:
            yield at, passage.level, passage.title, _y_to_points_above_page_bottom(pages[at], passage.box.y)


def _y_to_points_above_page_bottom(page: Page, y: float) -> float:
    """Convert a y on the page to points above the page's bottom."""
    return round((page.height - y) * PT_PER_MM, 2)


def _rect_to_pdf_points(page: Page, box: Rect) -> list[Value]:
    edges = (
        box.x * PT_PER_MM,
        _y_to_points_above_page_bottom(page, box.bottom),
        box.right * PT_PER_MM,
        _y_to_points_above_page_bottom(page, box.y),
    )
    return [round(edge, 2) for edge in edges]
