"""Booklets: every rule is there, headings stay with their text, credits name every licence."""

from __future__ import annotations

import pytest

from playproof.database.errors import InputError
from playproof.database.game import CARDS, game_names, load_game
from playproof.generator.book import credits_book, rulebook_book
from playproof.generator.book.flow import Block, Book
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.looks import LAYOUTS
from tests.generator.makers import texts

BOOKISH = [name for name in game_names(CARDS) if (LAYOUTS / name / "booklet.yaml").is_file()]


@pytest.mark.parametrize("name", BOOKISH)
class TestEveryBook:
    def test_every_rule_and_ruling_is_printed(self, name: str) -> None:
        game = load_game(name)
        looks = Looks(game)
        for language in game.languages:
            printed = {line for face in rulebook_book(game, looks, language) for line in texts(face)}
            assert set(game.rules) <= printed
            assert set(game.rulings) <= printed

    def test_no_page_ends_with_a_heading(self, name: str) -> None:
        game = load_game(name)
        looks = Looks(game)
        headings = {titles.text("en") for titles in game.rulebook.sections.values()}
        for face in rulebook_book(game, looks, "en")[1:]:
            assert texts(face)[-1] not in headings

    def test_credits_name_every_licence(self, name: str) -> None:
        game = load_game(name)
        printed = " ".join(line for face in credits_book(game, Looks(game), "en") for line in texts(face))
        for word in ("CC BY 3.0", "SIL Open Font License", "Alegreya", "Almendra", "game-icons.net"):
            assert word in printed


def test_a_heading_moves_to_the_next_page_with_its_text() -> None:
    game = load_game(BOOKISH[0])
    looks = Looks(game)
    assert looks.book is not None
    book = Book(looks, looks.book, "en", "t")
    line = Block("one line of text")
    for count in range(20, 45):
        blocks = [*[line] * count, Block("Heading", "heading", above=5, keep=True), line, line]
        for face in book.faces(blocks, cover=False):
            assert texts(face)[-1] != "Heading"


def test_a_game_without_a_booklet_layout_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    from tests.generator.makers import make_game, make_layouts

    folder = tmp_path_factory.mktemp("game")
    game = load_game(make_game(folder / "game"))
    with pytest.raises(InputError, match="book: true"):
        rulebook_book(game, Looks(game, make_layouts(folder / "looks")), "en")
