"""The booklets' own words."""

from __future__ import annotations

import pytest

from playproof.generator.wording import languages, words_of


@pytest.mark.parametrize("language", languages())
def test_a_language_has_every_word_and_none_of_anothers(language: str) -> None:
    words = words_of("booklets", language)
    assert words.keys() == words_of("booklets", "en").keys()
    assert all(words.values())


def test_german_headings() -> None:
    assert words_of("booklets", "de")["rulings"] == "Fragen und Antworten"
    assert words_of("booklets", "nl") == words_of("booklets", "en")
