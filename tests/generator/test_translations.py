"""A game that lists a language says everything in it: data, layouts, titles of files, icons and rulebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from playproof.database.effect_text import get_text_or_english_or_first
from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.database.lint_text import iter_missing_translation_findings
from playproof.database.number_words import get_number_words as numbers_of
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    FactSpan,
    Listing,
    Paragraph,
    read_rulebook_document,
)
from playproof.generator.book.data_directives import build_accentless_sort_key
from playproof.generator.build.products import read_or_default_products
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.type.icon_names import build_spoken_names_by_icon
from playproof.generator.wording import SheetWording, get_words_by_key_or_english_ones
from playproof.table.spec import read_table_yaml_of_layouts

TRANSLATED = [name for name in list_names_of_game_folders() if len(load_game(name).languages) > 1]
DOCUMENTS = [
    (name, language)
    for name in TRANSLATED
    for language in load_game(name).languages
    if language != "en" and read_rulebook_document(load_game(name).folder, language) is not None
]


def test_every_published_game_speaks_french() -> None:
    assert {"eila", "eurydice", "olith", "opale"} <= {name for name in TRANSLATED if "fr" in load_game(name).languages}
    assert {("eila", "fr"), ("opale", "fr")} <= set(DOCUMENTS)


@pytest.mark.parametrize("name", TRANSLATED)
def test_no_text_of_the_data_is_missing(name: str) -> None:
    assert [str(finding) for finding in iter_missing_translation_findings(load_game(name))] == []


@pytest.mark.parametrize("name", TRANSLATED)
def test_no_text_of_the_box_is_missing(name: str) -> None:
    game = load_game(name)
    assert [where for where, texts in of_the_box(game) if texts and not set(game.languages) <= set(texts)] == []


def of_the_box(game: Game) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Texts that lint does not see: facts about the game, words of its layouts, titles of its files."""
    facts, looks = game.facts, LayoutRenderer(game)
    yield from (("subtitle", facts.subtitle), ("about", facts.about), ("notice", facts.notice))
    yield from ((f"credit {person.name}", person.role) for person in facts.credits)
    yield from ((f"component {part.name['en']}", part.name) for part in facts.components)
    for layout in {id(each): each for each in (*looks.layouts, looks.book) if each is not None}.values():
        yield from ((f"{layout.where} words.{word}", texts) for word, texts in layout.words.items())
    for product in read_or_default_products(game, looks):
        yield f"product {product.name}", product.title


@pytest.mark.parametrize("name", [name for name in TRANSLATED if (LAYOUTS / name / "table.yaml").is_file()])
def test_no_title_of_the_table_is_missing(name: str) -> None:
    game = load_game(name)
    found = read_table_yaml_of_layouts(LayoutRenderer(game).folder)
    assert found is not None
    titles = {key: surface.title for key, surface in found[0].surfaces.items() if surface.title}
    assert {key for key, title in titles.items() if not set(game.languages) <= set(title)} == set()


@pytest.mark.parametrize("name", TRANSLATED)
def test_every_icon_is_named_in_every_language(name: str) -> None:
    """An icon without a name is called as its file, which is English."""
    game = load_game(name)
    vocabulary = game.vocabulary
    for language in game.languages[1:]:
        terms = {term.name(language) for group in vocabulary.terms.values() for term in group.values()}
        notes = {
            get_text_or_english_or_first(note, language) for note in vocabulary.spec.icons.values() if language in note
        }
        unnamed = {
            icon
            for icon, named in build_spoken_names_by_icon(vocabulary, language).items()
            if named not in terms | notes
        }
        assert unnamed == set(), language


def test_an_index_files_letters_with_accents_beside_those_without() -> None:
    assert sorted(["tour", "Égalité", "zone", "œil", "Objet"], key=build_accentless_sort_key) == [
        "Égalité",
        "Objet",
        "œil",
        "tour",
        "zone",
    ]


def test_the_makers_own_words_are_there_in_every_language() -> None:
    languages = {language for name in TRANSLATED for language in load_game(name).languages}
    for language in languages:
        assert (
            get_words_by_key_or_english_ones("booklets", language).keys()
            == get_words_by_key_or_english_ones("booklets", "en").keys()
        )
        assert len(numbers_of(language).cardinals) == len(numbers_of("en").cardinals)
        assert SheetWording(language).format_count_with_noun("piece", 2) != ""


@pytest.mark.parametrize(("name", "language"), DOCUMENTS)
class TestTranslatedRulebook:
    """What a translation may not change: the rules in their order, numbers from the data, what is made."""

    def test_it_states_the_same_rules_in_the_same_order(self, name: str, language: str) -> None:
        english, translated = both(name, language)
        assert list(translated.find_first_place_of_each_rule()) == list(english.find_first_place_of_each_rule())

    def test_it_takes_the_same_numbers_from_the_data(self, name: str, language: str) -> None:
        english, translated = both(name, language)
        assert facts(translated) == facts(english)

    def test_it_shows_the_same_pictures_and_moves(self, name: str, language: str) -> None:
        english, translated = both(name, language)
        assert list(made(translated.blocks)) == list(made(english.blocks))

    def test_its_chapters_have_the_same_order_and_depth(self, name: str, language: str) -> None:
        english, translated = both(name, language)
        assert [heading.level for heading in translated.iter_headings()] == [h.level for h in english.iter_headings()]


IN_WORDS = ("title", "width", "height")


def both(name: str, language: str) -> tuple[Document, Document]:
    folder = load_game(name).folder
    english, translated = read_rulebook_document(folder), read_rulebook_document(folder, language)
    assert english is not None
    assert translated is not None
    return english, translated


def facts(document: Document) -> Counter[str]:
    return Counter(
        span.source
        for paragraph in document.iter_paragraphs_of_document()
        for span in paragraph.spans
        if isinstance(span, FactSpan)
    )


def made(blocks: tuple[Block, ...]) -> Iterator[tuple[object, ...]]:
    """Directives with their options but for headings in words and for sizes, since another language takes more room
    for its words; the moves, faces and places of their items."""
    for block in blocks:
        if isinstance(block, Directive):
            argument = "" if block.name == "note" else block.argument
            yield (block.name, argument, {key: text for key, text in block.options.items() if key not in IN_WORDS})
            yield from made(block.body)
        elif isinstance(block, Listing):
            yield from (shown for item in block.items if any(shown := parts(item)))


def parts(item: Paragraph) -> tuple[object, ...]:
    return item.moves, item.faces, item.table, item.at
