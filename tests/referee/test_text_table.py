"""The table as people see it: what a game declares about its looks, what is left out, and how choices are listed."""

import io
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console

from playproof.language import Move
from playproof.referee import Match, Variant
from playproof.referee.notation import (
    iter_card_description_lines,
    list_cards_of_name_or_id_else_containing,
    strip_markup_and_name_icons,
)
from playproof.referee.terminal import TerminalSession
from playproof.referee.text_table import (
    NumberedChoice,
    filter_choices_by_word_beginnings,
    render_numbered_choices,
    render_table_seen_by_seat,
)

Tiny = Callable[..., Variant]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


@pytest.fixture
def manor(tiny: Tiny) -> Match:
    match = Match(tiny("manor"), 1)
    match.settle()
    return match


def shown(thing: object, width: int = 80) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(thing)
    return [line.strip() for line in out.getvalue().splitlines()]


def table(match: Match, seat: int | None, width: int = 80) -> list[str]:
    return shown(render_table_seen_by_seat(match.play, match.state, seat, match.variant.title), width)


def test_several_fields_lie_on_one_board(manor: Match) -> None:
    assert "house  attic ·                             hall ·  cellar ·" in table(manor, 0)
    manor.apply("walk to the attic")
    manor.apply("walk to the hall")
    lines = table(manor, 0)
    assert any(line.split() == ["up", "down"] for line in lines)
    assert "house  attic G1 haunted                    hall G2 haunted  cellar ·" in lines
    assert "G1: the first guest" in lines
    assert not [line for line in lines if line.startswith(("guest", "ghost"))]


def test_texts_are_made_of_fields_and_come_when_they_matter(manor: Match) -> None:
    assert table(manor, 0)[1] == "time dusk, dark"
    manor.apply_all(["walk to the attic", "walk to the hall"])
    assert table(manor, 0)[1] == "time midnight, dark   duel in the 2"


def test_a_hidden_hand_shows_how_many_and_no_more(manor: Match) -> None:
    (mine,) = [line for line in table(manor, 0) if line.startswith("tricks")]
    assert mine.split()[1] in ("smoke", "mirror")
    assert mine.endswith("1 × ?")
    (both,) = [line for line in table(manor, None) if line.startswith("tricks")]
    assert sorted(both.split()[1:]) == ["mirror", "smoke"]


def test_what_is_nobodys_is_not_given_to_seats(manor: Match) -> None:
    assert "shelf top: vase  bottom: book" in table(manor, 0)
    field = manor.game.get_field("keeper")
    manor.state[field.offset + 1] = 2
    assert "shelf top: vase  bottom: book (cat)" in table(manor, 0)
    manor.state[manor.game.get_field("shelf").offset] = 0
    assert "shelf bottom: book (cat)" in table(manor, 0)


def test_what_is_empty_stands_in_one_line_and_comes_when_it_is_there(manor: Match) -> None:
    assert "none: dust, ruins" in table(manor, 0)
    dust, ruins = (manor.game.get_field(name).offset for name in ("dust", "ruins"))
    manor.state[dust] = manor.state[dust + 3] = 1
    manor.state[ruins + 5] = 2
    lines = table(manor, 0)
    assert lines[1] == "time dusk, dark   dust 2"
    (line,) = [line for line in lines if line.startswith("ruins")]
    assert line.split()[:6] == ["ruins", "-", "arch", "2", "wall", "0"]
    assert not any(line.startswith("none") for line in lines)
    assert any(line.startswith("purse") for line in lines)


def test_seats_stand_below_each_other_where_there_is_no_room(manor: Match) -> None:
    wide, narrow = table(manor, 0), table(manor, 0, 40)
    assert any("player 1 (you)" in line and "player 2" in line for line in wide)
    assert not any("player 1" in line and "player 2" in line for line in narrow)
    assert max(map(len, narrow)) <= 40


def numbered(match: Match) -> list[NumberedChoice]:
    return [NumberedChoice(n, move) for n, move in enumerate(match.legal(), 1)]


def test_many_choices_are_listed_by_kind(manor: Match) -> None:
    lines = shown(render_numbered_choices(manor.game, numbered(manor)))
    assert lines[0].split() == ["walk", "to", "the", "…", "1", "hall", "2", "attic", "3", "cellar"]
    assert lines[1].split()[:11] == ["hide", "behind", "the", "…", "and", "wait", "4", "curtain", "0", "5", "curtain"]
    assert "and 47 more: type some of their words" in lines
    assert "75 count to 0" in lines[-3]


def test_numbers_are_not_taken_for_numbers_of_the_list(manor: Match) -> None:
    """`1 4  2 5` would be read wrong, so words stay where only numbers differ."""
    lines = shown(render_numbered_choices(manor.game, numbered(manor)))
    assert not any("count to …" in line for line in lines)


def test_a_kind_keeps_a_word_for_each() -> None:
    variant = Variant("tic_tac_toe")
    moves = [NumberedChoice(n, Move(0, text, 1)) for n, text in enumerate(["go", *["go far"] * 11])]
    assert any("go far" in line for line in shown(render_numbered_choices(variant.game, moves)))


def sitting(variant: Variant, *lines: str) -> str:
    out = io.StringIO()
    given: Iterator[str] = iter(lines)
    TerminalSession(
        variant,
        ("person",) * variant.game.players,
        1,
        Console(file=out, width=100, color_system=None),
        lambda prompt: next(given, None),
    ).run_until_quit_or_input_ends()
    return out.getvalue()


def test_some_words_find_a_choice_or_list_several(tiny: Tiny) -> None:
    said = sitting(tiny("manor"), "clock", "curtain", "curtain 1", "table")
    assert "74  hide behind the old clock and wait" in said
    assert "player 2" in said, "the only one is taken"
    assert "70 choices have `curtain`:" in said
    assert "14 curtain 10" in said
    assert "choices have `curtain 1`" not in said, "a number is whole"
    assert 'cannot read "piano"' in sitting(tiny("manor"), "piano")


def test_words_find_by_their_beginnings(manor: Match) -> None:
    choices = numbered(manor)
    assert [c.move.text for c in filter_choices_by_word_beginnings(choices, "wal att")] == ["walk to the attic"]
    assert filter_choices_by_word_beginnings(choices, "wal zzz") == []
    assert filter_choices_by_word_beginnings(choices, "") == []
    assert len(filter_choices_by_word_beginnings(choices, "walk")) == 3


def test_one_may_ask_for_a_part_of_the_table_in_full(tiny: Tiny) -> None:
    said = sitting(tiny("manor"), "table shelf", "table dust", "table piano", "table deck", "table purse")
    assert "shelf top: vase  bottom: book" in said
    assert "dust none" in said
    assert "nothing on the table is called `piano`" in said
    assert "deck ?" in said
    assert said.count("purse") == 2


def test_cards_can_be_read(tiny: Tiny) -> None:
    said = sitting(Variant("eila", {"chapter": "0"}), "read 004", "read", "read no such card", "read a")
    assert "A Glint in the Burrow (event, chapter 0)" in said
    assert "  A: gain 1 Fear, then gain 1 Gold" in said
    assert "read what?" in said
    assert 'no card is called "no such card"' in said
    assert "cards: " in said
    assert list_cards_of_name_or_id_else_containing(None, "x") == []
    assert 'no card is called "x"' in sitting(tiny("manor"), "read x")


def test_every_card_of_every_game_can_be_read() -> None:
    for name in ("eila", "opale", "eurydice", "olith"):
        data = Variant(name).data
        for component in data.components.values():
            first, *rest = iter_card_description_lines(data, component)
            assert first.startswith(component.name)
            assert not any(mark in line for line in rest for mark in ("**", "Words(", "Effect("))


def test_texts_lose_their_markup() -> None:
    assert strip_markup_and_name_icons("**2** Pay *1* :wild-mana:.") == "2 Pay 1 wild mana."
