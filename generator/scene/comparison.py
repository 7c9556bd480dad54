"""Whether two pictures draw the same. Two versions of a game share no shaped text and no symbols, so that their faces
are never equal as values, and drawing both as PDF only to compare the bytes costs fifty times as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from playproof.generator.scene.affine import IDENTITY
from playproof.generator.scene.nodes import Face, Glyphs, Group, Node, Page, Pieces, ShapedText, Symbol, Use


def is_same_face(old: Face, new: Face) -> bool:
    """Return whether two faces draw the same and are cut alike; names and notes are not drawn."""
    if old is new:
        return True
    size = old.width, old.height, old.bleed, old.corner, old.outline
    return size == (new.width, new.height, new.bleed, new.corner, new.outline) and are_same_nodes(
        old.nodes, new.nodes
    )


def is_same_page(old: Page, new: Page) -> bool:
    """Return whether two pages draw and say the same; labels are not drawn."""
    if (old.width, old.height, len(old.placements), len(old.passages)) != (
        new.width,
        new.height,
        len(new.placements),
        len(new.passages),
    ):
        return False
    for was, now in zip(old.placements, new.placements, strict=True):
        if (was.transform, was.bleed) != (now.transform, now.bleed) or not is_same_face(was.face, now.face):
            return False
    for before, after in zip(old.passages, new.passages, strict=True):
        if before._replace(nodes=()) != after._replace(nodes=()):
            return False
        if not are_same_nodes(before.nodes, after.nodes):
            return False
    return are_same_nodes(old.marks, new.marks)


def are_same_nodes(old: Sequence[Node], new: Sequence[Node]) -> bool:
    """Return whether two sequences of nodes draw the same, wherever files declare them."""
    if old is new:
        return True
    pairs = zip_longest(_iter_nodes_without_plain_groups(old), _iter_nodes_without_plain_groups(new))
    return all(was is not None and now is not None and _is_same_node(was, now) for was, now in pairs)


def _iter_nodes_without_plain_groups(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes, and in place of a group that changes nothing those that it holds."""
    for node in nodes:
        if isinstance(node, Group) and node.transform == IDENTITY and node.clip is None and node.opacity == 1:
            yield from _iter_nodes_without_plain_groups(node.children)
        else:
            yield node


def _is_same_node(old: Node, new: Node) -> bool:
    if old is new:
        return True
    if isinstance(old, Glyphs) and isinstance(new, Glyphs):
        return old[:-1] == new[:-1] and _are_same_glyph_pieces(old.pieces, new.pieces)
    if isinstance(old, Group) and isinstance(new, Group):
        frames = (old.transform, old.clip, old.opacity), (new.transform, new.clip, new.opacity)
        return frames[0] == frames[1] and are_same_nodes(old.children, new.children)
    if isinstance(old, Use) and isinstance(new, Use):
        places = (old.transform, old.says), (new.transform, new.says)
        return places[0] == places[1] and _is_same_symbol(old.symbol, new.symbol)
    return type(old) is type(new) and old == new  # paths and images are equal as values


def _are_same_glyph_pieces(old: Pieces, new: Pieces) -> bool:
    return len(old) == len(new) and all(
        was == now and _is_same_shape(before, after)
        for (was, before), (now, after) in zip(old, new, strict=True)
    )


def _is_same_shape(old: ShapedText, new: ShapedText) -> bool:
    if old is new:
        return True
    glyphs = (old.font, old.glyphs, old.advances, old.chars, old.offsets)
    return glyphs == (new.font, new.glyphs, new.advances, new.chars, new.offsets)


def _is_same_symbol(old: Symbol, new: Symbol) -> bool:
    return old is new or (old.bounds == new.bounds and are_same_nodes(old.children, new.children))
