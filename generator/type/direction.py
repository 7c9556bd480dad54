"""The order in which a line is seen: Unicode annex 9, by characters. Scripts are written to the left or to the right;
figures always run to the right, and signs such as brackets follow what they belong to."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

ICON = "\ufffc"
"""Stands for an icon: a sign without a direction of its own."""
_INITIATORS = ("LRI", "RLI", "FSI")
_IGNORED = ("BN", "LRE", "RLE", "LRO", "RLO", "PDF")
_NEUTRAL = ("B", "S", "WS", "ON")
# Opening brackets whose closing one is the next character, as in BidiBrackets.txt; the rest are pairs of signs.
_CLOSING = {
    "(": ")", "[": "]", "{": "}", "\u0f3a": "\u0f3b", "\u0f3c": "\u0f3d", "\u169b": "\u169c", "\u2045": "\u2046",
    "\u207d": "\u207e", "\u208d": "\u208e", "\u2308": "\u2309", "\u230a": "\u230b", "\u2329": "\u232a",
    "\u27e6": "\u27e7", "\u27e8": "\u27e9", "\u27ea": "\u27eb", "\u3008": "\u3009", "\u300a": "\u300b",
    "\u300c": "\u300d", "\u300e": "\u300f", "\u3010": "\u3011", "\u3014": "\u3015", "\u3016": "\u3017",
    "\uff08": "\uff09", "\uff3b": "\uff3d", "\uff5b": "\uff5d",
}  # fmt: skip
_MOST_OPEN_BRACKETS = 63


def starts_in_right_to_left_script(text: str) -> bool:
    """Return whether the first strong character of the text, outside of what is isolated, is of a right-to-left
    script."""
    depth = 0
    for char in text:
        kind = unicodedata.bidirectional(char)
        depth = max(0, depth + (kind in _INITIATORS) - (kind == "PDI"))
        if not depth and kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def has_right_to_left_characters(text: str) -> bool:
    """Return whether any character is of a right-to-left script, or an Arabic figure."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text)


@lru_cache(maxsize=4096)
def compute_embedding_levels(text: str, is_right_to_left: bool) -> tuple[int, ...]:
    """Return the level of each character of a paragraph: even levels run to the right, odd ones to the left.

    >>> compute_embedding_levels("\u05d0 (12)", True)
    (1, 1, 1, 2, 2, 1)
    """
    levels = [int(is_right_to_left)] * len(text)
    _write_levels_of_indexes_in_place(text, list(range(len(text))), int(is_right_to_left), levels)
    return tuple(levels)


def list_indexes_in_visual_order(levels: Sequence[int]) -> list[int]:
    """Return the indexes of a line's parts in the order in which they are seen from left to right (rule L2).

    >>> list_indexes_in_visual_order([1, 1, 2, 2, 1])
    [4, 2, 3, 1, 0]
    """
    order = list(range(len(levels)))
    for level in range(max(levels, default=0), 0, -1):
        turned: list[int] = []
        for is_higher, group in groupby(order, lambda at, level=level: levels[at] >= level):  # type: ignore[misc]
            part = list(group)
            turned += reversed(part) if is_higher else part
        order = turned
    return order


def split_text_at_level_changes(text: str, levels: Sequence[int]) -> list[tuple[str, int]]:
    """Return the parts of a text that run one way each, with their levels."""
    return [
        ("".join(char for char, _ in group), level)
        for level, group in groupby(zip(text, levels, strict=True), lambda pair: pair[1])
    ]


def _write_levels_of_indexes_in_place(text: str, indexes: list[int], level: int, levels: list[int]) -> None:
    """Write the levels of the characters at ``indexes`` into ``levels``. What is isolated has a level of its own, and
    is one sign to the text around it (rules X5a to X6a)."""
    outer: list[int] = []
    at = 0
    while at < len(indexes):
        outer.append(indexes[at])
        kind = unicodedata.bidirectional(text[indexes[at]])
        if kind in _INITIATORS:
            end = _find_end_of_isolate(text, indexes, at)
            inner = indexes[at + 1 : end]
            content = "".join(text[index] for index in inner)
            turned = kind == "RLI" or (kind == "FSI" and starts_in_right_to_left_script(content))
            inner_level = level + 1 if (level % 2 == 0) == turned else level + 2
            for index in inner:
                levels[index] = inner_level
            _write_levels_of_indexes_in_place(text, inner, inner_level, levels)
            at = end
        else:
            at += 1
    _write_levels_of_sequence_in_place(text, outer, level, levels)


def _find_end_of_isolate(text: str, indexes: Sequence[int], start: int) -> int:
    """Return where the isolate that begins at ``start`` ends: at its closing sign, or at the end of the text."""
    depth = 0
    for at in range(start, len(indexes)):
        kind = unicodedata.bidirectional(text[indexes[at]])
        depth += (kind in _INITIATORS) - (kind == "PDI")
        if depth == 0:
            return at
    return len(indexes)


def _write_levels_of_sequence_in_place(text: str, indexes: Sequence[int], level: int, levels: list[int]) -> None:
    kinds = [unicodedata.bidirectional(text[index]) or "L" for index in indexes]
    kinds = ["ON" if kind in (*_INITIATORS, "PDI") else kind for kind in kinds]
    seen = [at for at, kind in enumerate(kinds) if kind not in _IGNORED]
    sequence = [kinds[at] for at in seen]
    edge = "R" if level % 2 else "L"
    originals = list(sequence)
    _resolve_weak_kinds_in_place(sequence, edge)
    _resolve_bracket_kinds_in_place([text[indexes[at]] for at in seen], sequence, originals, edge)
    _resolve_neutral_kinds_in_place(sequence, edge)
    before = level
    resolved = dict(zip(seen, sequence, strict=True))
    for at, index in enumerate(indexes):
        kind = resolved.get(at)
        if kind is not None:  # rules I1 and I2
            step = {"R": 1, "L": 0}.get(kind, 2) if level % 2 == 0 else int(kind != "R")
            before = level + step
        levels[index] = before


def _resolve_weak_kinds_in_place(kinds: list[str], edge: str) -> None:
    """Give marks, signs of numbers and their separators the kind of what they stand beside (rules W1 to W7)."""
    for at, kind in enumerate(kinds):
        if kind == "NSM":
            kinds[at] = kinds[at - 1] if at else edge
    strong = edge
    for at, kind in enumerate(kinds):
        if kind in ("L", "R", "AL"):
            strong = kind
        elif kind == "EN" and strong == "AL":
            kinds[at] = "AN"
    kinds[:] = ["R" if kind == "AL" else kind for kind in kinds]
    for at in range(1, len(kinds) - 1):
        before, after = kinds[at - 1], kinds[at + 1]
        if before == after and (
            (kinds[at] == "ES" and before == "EN") or (kinds[at] == "CS" and before in ("EN", "AN"))
        ):
            kinds[at] = before
    at = 0
    while at < len(kinds):
        end = at
        while end < len(kinds) and kinds[end] == "ET":
            end += 1
        if end > at and ((at and kinds[at - 1] == "EN") or (end < len(kinds) and kinds[end] == "EN")):
            kinds[at:end] = ["EN"] * (end - at)
        at = max(end, at + 1)
    kinds[:] = ["ON" if kind in ("ES", "ET", "CS") else kind for kind in kinds]
    strong = edge
    for at, kind in enumerate(kinds):
        if kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            kinds[at] = "L"


def _resolve_bracket_kinds_in_place(
    chars: Sequence[str], kinds: list[str], originals: Sequence[str], edge: str
) -> None:
    """Give each pair of brackets one direction: the text's, if something inside has it, else that of what is before
    (rule N0)."""
    for opening, closing in _list_bracket_pairs_unless_too_deep(chars, kinds):
        inside = {_get_direction_of_kind_or_empty(kind) for kind in kinds[opening + 1 : closing]} - {""}
        if not inside:
            continue
        chosen = edge
        if edge not in inside:
            before = next(filter(None, map(_get_direction_of_kind_or_empty, reversed(kinds[:opening]))), edge)
            chosen = before if before != edge else edge
        for place in (opening, closing):
            kinds[place] = chosen
            for following in range(place + 1, len(kinds)):  # marks that stand on a bracket
                if originals[following] != "NSM":
                    break
                kinds[following] = chosen


def _list_bracket_pairs_unless_too_deep(chars: Sequence[str], kinds: Sequence[str]) -> list[tuple[int, int]]:
    closings = set(_CLOSING.values())
    open_brackets: list[tuple[str, int]] = []
    pairs = []
    for at, (char, kind) in enumerate(zip(chars, kinds, strict=True)):
        if kind != "ON":
            continue
        if char in _CLOSING:
            if len(open_brackets) == _MOST_OPEN_BRACKETS:
                return []
            open_brackets.append((_CLOSING[char], at))
        elif char in closings:
            for depth in range(len(open_brackets) - 1, -1, -1):
                if open_brackets[depth][0] == char:
                    pairs.append((open_brackets[depth][1], at))
                    del open_brackets[depth:]
                    break
    return sorted(pairs)


def _get_direction_of_kind_or_empty(kind: str) -> str:
    return "R" if kind in ("R", "EN", "AN") else "L" if kind == "L" else ""


def _resolve_neutral_kinds_in_place(kinds: list[str], edge: str) -> None:
    """Give signs and spaces the direction of their neighbours where both have one, else the text's (N1 and N2)."""
    at = 0
    while at < len(kinds):
        if kinds[at] not in _NEUTRAL:
            at += 1
            continue
        end = at
        while end < len(kinds) and kinds[end] in _NEUTRAL:
            end += 1
        before = _get_direction_of_kind_or_empty(kinds[at - 1]) if at else edge
        after = _get_direction_of_kind_or_empty(kinds[end]) if end < len(kinds) else edge
        kinds[at:end] = [before if before == after else edge] * (end - at)
        at = end
