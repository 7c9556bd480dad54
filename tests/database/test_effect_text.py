"""Texts made from effects."""

from __future__ import annotations

from collections import Counter

from playproof.database.effect_text import count_numbers_and_icons, made_text, option_text
from playproof.database.game import load_game


def texts(folder, language: str = "en", style="icons") -> dict[str, str]:
    game = load_game(folder)
    return {
        f"{component.id}{option.letter}": made_text(option, game.vocabulary, language, style)
        for component in game.of_kind("shell")
        for option in component.options
    }


def test_in_icons(make_game) -> None:
    assert texts(make_game()) == {
        "01A": "+1 :pearl:, :reef: **02**",
        "01B": "−1 :pearl:, −2 :salt: :arrow: X :salt: :arrow: X :pearl:",
        "02A": "+2 :pearl: / :knife: Knife",
        "02B": ":knife: +1 :salt:",
    }


def test_in_words_and_french(make_game) -> None:
    made = texts(make_game(), "fr", "words")
    assert made["01A"].startswith("gagne 1 Perle")
    assert made["02A"].startswith("gagne 2 Perles")
    assert made["02A"].endswith("Couteau")


def test_an_option_without_effects_says_so(make_game) -> None:
    made = texts(make_game(("shells", '{do: [{gain: {pearl: 1}}, {call: "02"}], to: beach}', "{to: beach}")))
    assert made["01A"] == "–"


def test_a_missing_language_falls_back_to_english(make_game) -> None:
    made = texts(make_game(("vocabulary", ', fr: "gagne {n} {term}"', "")), "fr", "words")
    assert made["01A"].startswith("gain 1 Perle")


def test_a_hand_written_text_is_used_in_its_own_language_only(make_game) -> None:
    game = load_game(make_game(("shells", "], to: beach}", "], to: beach, text: {en: 'Take 1 :pearl:.'}}")))
    option = game.components["01"].option("A")
    assert option_text(option, game.vocabulary) == "Take 1 :pearl:."
    assert option_text(option, game.vocabulary, "fr") == "+1 :pearl:, :reef: **02**"


def test_tally_counts_numbers_and_icons() -> None:
    assert count_numbers_and_icons("−2 :food: :arrow: +2 :card-b2: **006**") == Counter(
        {"2": 2, ":food:": 1, ":arrow:": 1, ":card-b2:": 1, "006": 1}
    )


def test_an_argument_that_is_left_out_prints_nothing(make_game) -> None:
    optional = ("vocabulary", "to: {type: term, group: goods}}", "to: {type: term, group: goods, required: false}}")
    made = texts(make_game(optional, ("shells", "{from: salt, to: pearl}", "{from: salt}")))
    assert made["01B"] == "−1 :pearl:, −2 :salt: :arrow: X :salt: :arrow: X "
