"""A match: moves in words, the three refusals, undo, chance by the seed."""

from collections.abc import Callable

import pytest

from playproof.language import CHANCE
from playproof.referee import Ambiguous, CannotRead, Match, NotLegal, Variant

Tiny = Callable[..., Variant]


def noughts(*moves: str) -> Match:
    return Match(Variant("tic_tac_toe")).apply_all(moves)


def test_words_and_numbers_name_the_same_action() -> None:
    assert noughts("mark 4").state == Match(Variant("tic_tac_toe")).apply_all([4]).state


def test_words_may_differ_in_case_and_spaces() -> None:
    assert noughts("  MARK   4 ").actions == [4]


def test_a_beginning_is_enough_where_only_one_action_fits() -> None:
    match = Match(Variant("kuhn_poker"), seed=1)
    match.settle()
    assert match.apply("be").text == "bet"


def test_unreadable_words_show_the_input_the_position_and_the_nearest() -> None:
    with pytest.raises(CannotRead) as refused:
        noughts("mark 4").apply("mrak 3")
    assert refused.value.text == "mrak 3"
    assert "board" in refused.value.position
    assert "mark 3" in refused.value.near
    assert str(refused.value).startswith("PP601")


def test_an_illegal_move_names_its_rule_and_changes_nothing() -> None:
    match = noughts("mark 4")
    with pytest.raises(NotLegal, match="T1: the cell is taken") as refused:
        match.apply("mark 4")
    assert refused.value.rules == ("T1",)
    assert len(match.steps) == 1
    assert len(match.states) == 2


def test_words_that_fit_two_legal_actions_are_ambiguous(tiny: Tiny) -> None:
    match = Match(tiny("twins"))
    with pytest.raises(Ambiguous) as refused:
        match.apply("take the path")
    assert refused.value.choices == ("take the path [#0]", "take the path [#1]")
    assert match.apply("take the path [#1]").ident == 1


def test_a_number_that_is_no_action_cannot_be_read() -> None:
    with pytest.raises(CannotRead):
        noughts().apply(99)


def test_why_not_gives_every_broken_requirement_with_values(tiny: Tiny) -> None:
    match = Match(tiny("twins", {"A1": "harsh"})).apply_all([0, "sleep"])
    broken = match.why_not(0)
    assert [str(b) for b in broken] == ["A1: the left path may be taken once, you took it 1 times"]
    assert broken[0].place.file.endswith("rules.py")
    assert match.why_not("take the path [#1]") == ()


def test_why_not_names_the_phase_an_action_belongs_to(tiny: Tiny) -> None:
    (broken,) = Match(tiny("twins")).why_not("sleep")
    assert str(broken) == "R2: it belongs to: rest; now is: walk"


def test_undo_goes_back_to_the_last_choice_and_chance_stays_the_same() -> None:
    match = Match(Variant("kuhn_poker"), seed=5)
    dealt = match.settle()
    match.apply("pass")
    assert [step.text for step in match.undo()] == ["pass"]
    assert match.steps == dealt
    assert match.undo() == []
    again = Match(Variant("kuhn_poker"), seed=5)
    assert again.settle() == dealt


def test_seeds_deal_differently() -> None:
    deals = set()
    for seed in range(60):
        match = Match(Variant("kuhn_poker"), seed)
        deals.add(tuple(step.text for step in match.settle()))
    assert len(deals) == 6


def test_chance_is_refused_when_a_player_must_act() -> None:
    with pytest.raises(NotLegal, match="not chance's turn"):
        noughts().take_chance_action_of_seed_or_raise()


def test_the_end_of_a_game() -> None:
    match = noughts("mark 0", "mark 3", "mark 1", "mark 4", "mark 2")
    assert match.over
    assert match.ending is not None
    assert match.ending.reason == "three in a row"
    assert match.returns() == (1, -1)
    with pytest.raises(NotLegal, match="the game is over"):
        match.apply("mark 8")


def test_rounds_and_actors_are_noted(tiny: Tiny) -> None:
    match = Match(tiny("twins")).apply_all([0, "sleep", 1])
    assert [(s.round, s.actor) for s in match.steps] == [(1, 0), (1, 0), (2, 0)]
    kuhn = Match(Variant("kuhn_poker"))
    assert kuhn.take_chance_action_of_seed_or_raise().actor == CHANCE
    assert kuhn.round is None
