"""The booklets' own words."""

from __future__ import annotations

import pytest

from playproof.generator.wording import get_wording_or_english, list_languages_with_wording


@pytest.mark.parametrize("language", list_languages_with_wording())
def test_a_language_has_every_word_and_none_of_anothers(language: str) -> None:
    words = get_wording_or_english("booklets", language)
    assert words.keys() == get_wording_or_english("booklets", "en").keys()
    assert all(words.values())


def test_german_headings() -> None:
    assert get_wording_or_english("booklets", "de")["rulings"] == "Fragen und Antworten"
    assert get_wording_or_english("booklets", "nl") == get_wording_or_english("booklets", "en")
