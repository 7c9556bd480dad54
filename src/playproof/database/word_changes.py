"""Which words of a text changed.

>>> [(part.kind, part.text) for part in diff_words("gain 2 Coins", "gain 1 Coin")]
[('same', 'gain'), ('old', '2 Coins'), ('new', '1 Coin')]
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal, NamedTuple


class WordRun(NamedTuple):
    """Some words of a text: in both versions, only in the old one, or only in the new one."""

    kind: Literal["same", "old", "new"]
    text: str


def diff_words(old: str, new: str) -> list[WordRun]:
    """Return the words of both texts in order: what was taken out stands before what took its place."""
    was, now = old.split(), new.split()
    parts: list[WordRun] = []
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(WordRun("same", " ".join(was[a:b])))
            continue
        if a < b:
            parts.append(WordRun("old", " ".join(was[a:b])))
        if c < d:
            parts.append(WordRun("new", " ".join(now[c:d])))
    return parts


def is_small_correction(old: str, new: str) -> bool:
    """Return whether a change is as small as a slip of the pen: no number differs, and at most two letters of each
    word, or only capitals and punctuation."""
    was, now = old.split(), new.split()
    if len(was) != len(now):
        return _keep_letters_and_digits(old) == _keep_letters_and_digits(new)
    return all(_differs_by_two_letters(a, b) for a, b in zip(was, now, strict=True))


def _differs_by_two_letters(old: str, new: str) -> bool:
    if old == new:
        return True
    if any(char.isdigit() for char in old + new):
        return False
    matching = sum(
        block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    )
    return max(len(old), len(new)) - matching <= 2


def _keep_letters_and_digits(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
