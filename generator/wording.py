"""The words of the press and of errata: what they print that no game says. `layouts/wording/` has a file for each
language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from playproof.database.source import read_yaml_file
from playproof.database.vocabulary import is_singular

FOLDER = Path(__file__).parents[1] / "layouts" / "wording"
Part = Literal["sheets", "booklets", "errata"]


def list_languages_with_wording() -> tuple[str, ...]:
    """Return the languages that have a file, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@cache
def get_words_by_key_or_english_ones(wording_part: Part, language: str) -> Mapping[str, str]:
    """Return the words of sheets, of booklets or of errata in a language, the English ones if it has none."""
    node = (
        read_yaml_file(FOLDER / f"{language}.yaml").get(wording_part)
        if language in list_languages_with_wording()
        else None
    )
    if node is None:
        return get_words_by_key_or_english_ones(wording_part, "en")
    return {key: str(entry.node.value) for key, entry in node.entries.items()}


class SheetWording:
    """The words of sheets in one language."""

    def __init__(self, language: str = "en") -> None:
        self._words = get_words_by_key_or_english_ones("sheets", language)
        self.language = language if self._words is not get_words_by_key_or_english_ones("sheets", "en") else "en"

    def __call__(self, key: str, **holes: object) -> str:
        """Return the words under a key with their holes filled."""
        return self._words[key].format(**holes)

    def format_count_with_noun(self, noun: str, count: int) -> str:
        """Return a count with its noun, such as `1 card` or `2 cards`. French treats zero as
        singular, English as plural.

        >>> [SheetWording(language).format_count_with_noun("piece", 0) for language in ("fr", "en")]
        ['0 pièce', '0 pieces']
        """
        return self(noun if is_singular(count, self.language) else noun + "s", n=count)
