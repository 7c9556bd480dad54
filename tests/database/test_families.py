"""The same words mean the same: contradictions planted in all four games and both languages are found, and the games
as they are have none."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import pytest

from playproof.database.components import Component, Effect, Either, Option, Words, iter_effects_nested_in_value
from playproof.database.effect_text import (
    iter_card_texts_with_effects,
    iter_contradicting_card_text_findings,
    list_ids_of_cards_with_similar_texts,
)
from playproof.database.errors import Where
from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.database.number_words import format_number_in_letters_if_small

HERE = Where("planted.yaml")


@cache
def loaded(name: str) -> Game:
    return load_game(name)


@dataclass(frozen=True)
class Plant:
    """One contradiction: the game that has it, the language, and the code that names it."""

    game: Game
    language: str
    code: str
    card: str
    about: str


def with_field(game: Game, ident: str, field: str, value: object) -> Game:
    card = game.components[ident]
    changed = replace(card, fields={**card.fields, field: value})
    return replace(game, components={**game.components, ident: changed})


def copied_texts(game: Game, most: int) -> Iterator[Plant]:
    """A card says in one language what another card says, and does something else."""
    texts = [c for c in game.components.values() if isinstance(c.get("text"), Words) and not c.options]
    for card, other in [*itertools.pairwise(texts)][:most]:
        if effect_of(card) == effect_of(other):
            continue
        mine, theirs = card.get("text"), other.get("text")
        assert isinstance(mine, Words)
        assert isinstance(theirs, Words)
        for language in game.languages:
            words = Words({**mine.texts, language: theirs.text(language)}, HERE)
            yield Plant(with_field(game, card.id, "text", words), language, "PP251", card.id, "copied text")


def effect_of(card: Component) -> object:
    return (
        card.rules,
        [(e.op, str(e.args)) for value in card.fields.values() for e in iter_effects_nested_in_value(value)],
    )


def options_in(game: Game) -> list[tuple[Component, str, int, Option]]:
    found = []
    for card in game.components.values():
        for field, value in card.fields.items():
            for place, option in enumerate(value if isinstance(value, tuple) else ()):
                if isinstance(option, Option) and (option.cost or option.effects):
                    found.append((card, field, place, option))
    return found


def with_text(game: Game, at: tuple[Component, str, int, Option], language: str, text: str) -> Game:
    card, field, place, option = at
    options = card.fields[field]
    assert isinstance(options, tuple)
    own = replace(option, text=Words({language: text}, HERE))
    return with_field(game, card.id, field, (*options[:place], own, *options[place + 1 :]))


def overridden_options(game: Game, most: int) -> Iterator[Plant]:
    """An option's text by hand says what another option does (PP251), or says its own effect in other words though
    another card has the same effect (PP252)."""
    every = options_in(game)
    for language in game.languages:
        said = {s.name: s for s in iter_card_texts_with_effects(game, language)}
        unlike = [
            (a, b)
            for a, b in zip(every, every[7:], strict=False)
            if said[f"{a[0].id} {a[3].letter}"].shape != said[f"{b[0].id} {b[3].letter}"].shape
        ]
        for at, other in unlike[:most]:
            text = said[f"{other[0].id} {other[3].letter}"].words
            yield Plant(with_text(game, at, language, text), language, "PP251", at[0].id, f"option {at[3].letter}")
        effects = [said[f"{at[0].id} {at[3].letter}"].effect for at in every]
        twins = [at for at, effect in zip(every, effects, strict=True) if effects.count(effect) > 1]
        for at in twins[:most]:
            yield Plant(with_text(game, at, language, "otherwise worded"), language, "PP252", at[0].id, "reworded")


def alike_templates(game: Game, most: int) -> Iterator[Plant]:
    """Two effects of the vocabulary get the same words in one language."""
    used = [
        step
        for card in game.components.values()
        for value in card.fields.values()
        if isinstance(value, tuple) and value and all(isinstance(step, Effect | Either) for step in value)
        for step in value
        if isinstance(step, Effect) and len(value) == 1
    ]
    names = list(dict.fromkeys(step.op for step in used))
    effects = game.vocabulary.effects
    alike = [
        (a, b)
        for a, b in itertools.pairwise(names)
        if (set(effects[a].args), effects[a].each) == (set(effects[b].args), effects[b].each)
    ]
    for first, second in alike[:most]:
        for language in game.languages:
            template = (effects[first].words or effects[first].text)[language]
            words = {**(effects[second].words or effects[second].text), language: template}
            spec = game.vocabulary.spec
            changed = {**spec.effects, second: effects[second].model_copy(update={"words": words})}
            vocabulary = replace(game.vocabulary, spec=spec.model_copy(update={"effects": changed}))
            yield Plant(replace(game, vocabulary=vocabulary), language, "PP251", "", f"{first} as {second}")


def heard_alike(game: Game, most: int) -> Iterator[Plant]:
    """An option says by hand what another does, with a capital and a stop, or with its numbers in letters."""
    every = options_in(game)
    for language in game.languages:
        said = {s.name: s for s in iter_card_texts_with_effects(game, language)}
        names = [f"{at[0].id} {at[3].letter}" for at in every]
        pairs = [
            (at, said[other].words)
            for at, name, other in zip(every, names, names[7:], strict=False)
            if said[name].shape != said[other].shape and re.search(r"\b[1-9]\b", said[other].words)
        ]
        for at, words in pairs[:most]:
            letters = re.sub(
                r"\b[1-9]\b", lambda digit, of=language: format_number_in_letters_if_small(int(digit[0]), of), words
            )
            for text in (f"{words[0].upper()}{words[1:]}.", letters):
                yield Plant(with_text(game, at, language, text), language, "PP251", at[0].id, text)


def planted() -> list[Plant]:
    plants = []
    for name in list_names_of_game_folders():
        game = loaded(name)
        plants += [*copied_texts(game, 5), *overridden_options(game, 6), *alike_templates(game, 6)]
        plants += heard_alike(game, 3)
    return plants


def test_the_games_have_no_contradiction() -> None:
    assert [
        str(finding)
        for name in list_names_of_game_folders()
        for finding in iter_contradicting_card_text_findings(loaded(name))
    ] == []


def test_every_planted_contradiction_is_found() -> None:
    plants = planted()
    assert len(plants) >= 50
    assert {plant.game.name for plant in plants} == set(list_names_of_game_folders())
    assert {plant.language for plant in plants} == {"en", "fr", "de"}
    missed = []
    for plant in plants:
        findings = [f for f in iter_contradicting_card_text_findings(plant.game) if f.code == plant.code]
        named = [f for f in findings if f" {plant.language} " in f.message and plant.card in f.message]
        if not named:
            missed.append(f"{plant.game.name} {plant.card} {plant.about} {plant.language}")
    assert not missed, f"{len(missed)} of {len(plants)}"


def test_numbers_make_no_other_family() -> None:
    game = loaded("eila")
    assert "101" in list_ids_of_cards_with_similar_texts(game, "102")  # gain 1 Food, on both
    assert "118" not in list_ids_of_cards_with_similar_texts(game, "101")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_saying_stands_where_its_text_is(language: str) -> None:
    game = loaded("opale")
    [first, *_] = [saying for saying in iter_card_texts_with_effects(game, language) if saying.component == "again"]
    assert str(first.where.file).endswith("shells.yaml")
