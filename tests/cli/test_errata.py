"""An erratum is held against the whole lint, named if it is at fault, and marked on the cards it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.errata.dossier import ErratumDossier, iter_terminal_lines_of_replacements
from playproof.errata.print_differences import (
    compare_everything_printed_of_versions,
    start_rulebook_comparison_and_get_waiter,
)
from playproof.generator.build.run import Builder
from playproof.generator.build.version_changes import copy_piece_with_text_at_foot
from playproof.generator.layout.printable_area import iter_drawn_boxes_as_text_or_shape
from playproof.generator.scene import Group, Path as Shape
from playproof.table.rulebook_games import RefereedGamePlayer
from tests.cli.conftest import copy_game_without_errata

Call = Callable[..., Any]
ONE_DECK = """version: "1.1"
date: 2026-11-22
note: {en: One more point., fr: Un point de plus.}
changes:
  - {component: "B1-1", path: points, from: 1, to: 2}
"""


@pytest.fixture
def opale(tmp_path: Path) -> Path:
    """A copy of Opale with an erratum that changes one of two decks, which the rules want alike."""
    folder = copy_game_without_errata("opale", tmp_path)
    (folder / "errata" / "1.1.yaml").write_text(ONE_DECK, "utf-8")
    return folder


def test_lint_and_errata_name_the_erratum_that_the_rules_refuse(playproof: Call, opale: Path, tmp_path: Path) -> None:
    linted = playproof("lint", opale)
    assert linted.status == 1
    [line] = [line for line in linted.out.splitlines() if "PP810" in line]
    assert "errata/1.1.yaml:5:5: PP810 erratum 1.1 changes B1-1" in line
    assert "deck for spot 1 with 2 points" in line
    told = playproof("errata", opale, "--out", tmp_path / "out")
    assert told.status == 2
    assert line in told.err
    assert not (tmp_path / "out").exists()
    assert "PP808" not in told.out + told.err


@pytest.fixture
def eila(tmp_path: Path) -> Path:
    """A copy of Eila without errata."""
    return copy_game_without_errata("eila", tmp_path)


def write_removal(folder: Path, *changes: str) -> None:
    head = 'version: "1.1"\ndate: 2026-11-22\nnote: {en: Fewer cards., fr: Moins de cartes.}\nchanges:\n'
    (folder / "errata" / "1.1.yaml").write_text(head + "".join(f"  - {c}\n" for c in changes), "utf-8")


def test_a_rulebook_shows_its_examples_with_the_cards_that_it_tells_of(eila: Path, tmp_path: Path) -> None:
    """The board of Chapter 1 has a place less without card 110, in the new book alone."""
    write_removal(eila, '{component: "110", path: count, from: 1, to: 0}')  # one copy, as the file does not write
    games, transcript = (load_game(eila, errata=False), load_game(eila)), eila / "rulebook" / "chapter-1.txt"
    pages = {page for game in games for page in _start_of_chapter(game, transcript, tmp_path)}
    assert len(pages) == 2


def _start_of_chapter(game: Game, transcript: Path, folder: Path) -> Iterator[str]:
    player, looks = RefereedGamePlayer(), Builder(game, folder).press.looks
    assert player.count_moves_or_raise_if_rejected(transcript, game) == 0
    picture = player.draw_table_after_moves_or_none(transcript, None, (), looks, "en")
    assert picture is not None
    yield picture.says


def test_a_place_that_names_a_card_that_left_says_so(playproof: Call, opale: Path, tmp_path: Path) -> None:
    """A reference sheet shows all Seashells: `errata` said only that 'twice' cannot be worked out."""
    less = "{file: game, path: components.3.count, from: 10, to: 8}"
    write_removal(opale, "{component: twice, path: count, from: 2, to: 0}", less)
    answer = playproof("errata", opale, "--no-proof", "--games", "0", "--out", tmp_path / "out")
    assert answer.status == 2
    assert "Seashell tokens, count reads “8”, was “10”" in answer.out
    assert "twice is no longer in the box: it has 0 copies (name another component here" in answer.err
    assert "opale/layouts/reference.yaml:72:7: PP509" in answer.err


def test_a_rulebook_whose_example_cannot_be_played_any_more_is_said_to_need_it(opale: Path, tmp_path: Path) -> None:
    """With a hand of six, the example deals too few cards. `errata` said that nothing has to be replaced."""
    write_removal(opale, "{file: game, path: numbers.hand, from: 5, to: 6}")
    old, new = load_game(opale, errata=False), load_game(opale)
    wait = start_rulebook_comparison_and_get_waiter(old, new, tmp_path, RefereedGamePlayer(), 1)
    printed = compare_everything_printed_of_versions(old, new, tmp_path, wait)
    assert [(book.language, book.pages) for book in printed.books] == [("en", ()), ("fr", ())]
    dossier = ErratumDossier(old, new, new.errata[-1], "en", (), printed=printed)
    assert list(iter_terminal_lines_of_replacements(dossier)) == [
        "also printed otherwise: Rulebook: it cannot be printed before what lint says of it is mended"
    ]


@pytest.mark.parametrize("name", list_names_of_game_folders())
def test_the_mark_of_an_erratum_crosses_nothing_that_is_printed(name: str) -> None:
    """On poker cards, as the events of Eila: their last option's frame ends near the cut."""
    game = load_game(name)
    builder = Builder(game, Path())
    crossed = list[str]()
    for card in list(game.components.values())[:60]:
        layout = builder.press.looks.find_layout_for_component_or_none(card)
        if (
            layout is None
            or layout.net
            or layout.round_or_hexagonal_cut_outline is not None
            or not 60 < layout.width < 70
        ):
            continue
        [piece, *_] = builder.press.build_pieces_of_components_or_raise(
            [card], game.languages[0], with_errata_marks=False
        )
        front = copy_piece_with_text_at_foot(piece, "v1.1 · 2026-11-22").front
        ground = front.nodes[len(piece.front.nodes)]
        assert isinstance(ground, Shape)
        [(_, label)] = iter_drawn_boxes_as_text_or_shape([ground])
        assert piece.front.trim.contains(label)
        for what, box in iter_drawn_boxes_as_text_or_shape([Group(piece.front.nodes)]):
            apart = label.right <= box.x or box.right <= label.x or label.bottom <= box.y or box.bottom <= label.y
            if not apart and (what == "text" or not box.contains(label)):
                crossed.append(f"{card.id}: {what} {box}")
    assert not crossed


@pytest.mark.parametrize("name", list_names_of_game_folders())
def test_no_claim_adds_an_s_to_a_name(name: str) -> None:
    """Names of several words have their plural inside: Guardians of Darkness, Undersea Cities."""
    game = load_game(name)
    titles = {card.name for card in game.components.values() if card.name[-1:] in "sy" or " of " in card.name}
    wrong = [
        f"{claim.id}: {title}s"
        for claim in game.claims.values()
        for title in titles
        if f"{title}s" in str(claim.data["says"])
    ]
    assert not wrong
