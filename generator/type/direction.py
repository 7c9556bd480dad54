"""Right-to-left text: the order in which the words of a line are seen (Unicode annex 9, by words).

python-bidi orders characters. One character of a word's own direction stands in for each word.
python-bidi orders the line of stand-ins, and the words follow that order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

# First characters of ranges whose members all have one bidirectional class.
STAND_INS = {"L": 0x4E00, "R": 0x1E800, "EN": 0x1D7CE, "ON": 0x2600}
ROOM = {"L": 20000, "R": 190, "EN": 50, "ON": 0x80}


def is_right_to_left(text: str) -> bool:
    """Return whether the first strong character of the text is of a right-to-left script."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False


def has_right_to_left(text: str) -> bool:
    """Return whether any character is of a right-to-left script."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def compute_visual_order(words: Sequence[str], right_to_left: bool) -> list[int]:
    """Return the indexes of the words in the order in which they are seen from left to right."""
    from bidi.algorithm import get_display

    taken = dict.fromkeys(STAND_INS, 0)
    stand_ins = []
    for word in words:
        kind = _get_bidi_class(word)
        stand_ins.append(chr(STAND_INS[kind] + taken[kind] % ROOM[kind]))
        taken[kind] += 1
    line = " ".join(stand_ins)
    seen_line = str(get_display(line, base_dir="R" if right_to_left else "L"))
    place = {char: at for at, char in enumerate(stand_ins)}
    return [place[char] for char in seen_line if char in place]


def _get_bidi_class(word: str) -> str:
    kinds = [unicodedata.bidirectional(char) for char in word]
    if any(kind in ("R", "AL") for kind in kinds):
        return "R"
    if "L" in kinds:
        return "L"
    return "EN" if "EN" in kinds else "ON"
