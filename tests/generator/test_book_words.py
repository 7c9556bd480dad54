"""The booklets' own words."""

from __future__ import annotations

import pytest

from playproof.generator.wording import get_words_by_key_or_english_ones, list_languages_with_wording


@pytest.mark.parametrize("language", list_languages_with_wording())
def test_a_language_has_every_word_and_none_of_anothers(language: str) -> None:
    words = get_words_by_key_or_english_ones("booklets", language)
    assert words.keys() == get_words_by_key_or_english_ones("booklets", "en").keys()
    assert all(words.values())


def test_german_headings() -> None:
    assert get_words_by_key_or_english_ones("booklets", "de")["rulings"] == "Fragen und Antworten"
    assert get_words_by_key_or_english_ones("booklets", "nl") == get_words_by_key_or_english_ones("booklets", "en")
