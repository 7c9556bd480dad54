"""The booklets' own words."""

from __future__ import annotations

import pytest

from playproof.generator.wording import get_wording, list_languages


@pytest.mark.parametrize("language", list_languages())
def test_a_language_has_every_word_and_none_of_anothers(language: str) -> None:
    words = get_wording("booklets", language)
    assert words.keys() == get_wording("booklets", "en").keys()
    assert all(words.values())


def test_german_headings() -> None:
    assert get_wording("booklets", "de")["rulings"] == "Fragen und Antworten"
    assert get_wording("booklets", "nl") == get_wording("booklets", "en")
