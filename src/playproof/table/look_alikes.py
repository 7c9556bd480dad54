"""Names that look like another's: the same letters to the eye, whatever their numbers in Unicode."""

from __future__ import annotations

import unicodedata

MOST_MARKS = 2  # combining marks on one letter, as Vietnamese has them; more of them cover what stands around
_LATIN = str.maketrans(
    # Cyrillic, Greek and Armenian letters, and digits, that stand for Latin ones (Unicode TR 39, its commonest pairs).
    "авекмнорстухіјѕԁһԛԝыьґҽӏαβγδεηικνορτυχωϲϳօսոհ01|",
    "abekmhopctyxijsdhqwblrelabydenikvoptuxwcjounholl",
)


def has_too_many_combining_marks(name: str) -> bool:
    """Return whether a letter of a name bears more combining marks than any language puts on one."""
    marks = 0
    for letter in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks > MOST_MARKS:
            return True
    return False


def make_visual_skeleton(name: str) -> str:
    """Return what a name looks like: equal for two names that a reader takes for each other.

    >>> make_visual_skeleton("Аdа") == make_visual_skeleton("ADA.")
    True
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(letter for letter in plain.translate(_LATIN) if letter.isalnum())
    return letters.replace("rn", "m").replace("vv", "w").replace("i", "l")
