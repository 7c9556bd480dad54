"""The booklets' own words."""

from __future__ import annotations

import pytest

from playproof.generator.book.wording import WORDS, words_of


@pytest.mark.parametrize("language", sorted(WORDS))
def test_a_language_has_every_word_and_none_of_anothers(language: str) -> None:
    assert WORDS[language].keys() == WORDS["en"].keys()
    assert all(WORDS[language].values())


def test_german_headings() -> None:
    assert words_of("de")["rulings"] == "Fragen und Antworten"
    assert words_of("nl") == WORDS["en"]
