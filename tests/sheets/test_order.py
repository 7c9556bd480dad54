"""Which card lies in which slot."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from playproof.generator.sheets.slots import (
    assign_cards_to_slots_for_cut_and_stack,
    assign_cards_to_slots_in_sequence,
    repeat_items_by_count,
)

cards, slots = st.integers(1, 300), st.integers(1, 20)


def test_a_thousand_tickets_four_up() -> None:
    assert assign_cards_to_slots_for_cut_and_stack(1000, 4)[0] == (0, 250, 500, 750)


@given(cards, slots)
def test_cut_and_stack_follows_its_formula(n: int, k: int) -> None:
    sheets = assign_cards_to_slots_for_cut_and_stack(n, k)
    count = len(sheets)
    assert count == -(-n // k)
    for s, sheet in enumerate(sheets):
        for j, card in enumerate(sheet):
            assert card == (j * count + s if j * count + s < n else None)


@given(cards, slots)
def test_piles_laid_on_each_other_are_the_deck(n: int, k: int) -> None:
    sheets = assign_cards_to_slots_for_cut_and_stack(n, k)
    stacked = [card for slot in range(k) for sheet in sheets if (card := sheet[slot]) is not None]
    assert stacked == list(range(n))


@given(cards, slots)
def test_both_orders_print_every_card_once(n: int, k: int) -> None:
    for sheets in (assign_cards_to_slots_in_sequence(n, k), assign_cards_to_slots_for_cut_and_stack(n, k)):
        assert sorted(c for sheet in sheets for c in sheet if c is not None) == list(range(n))
        assert {len(sheet) for sheet in sheets} == {k}


@pytest.mark.parametrize(("counts", "expected"), [((1, 3, 0), "abbb"), ((0, 0, 0), ""), ((2, 1, 1), "aabc")])
def test_copies(counts: tuple[int, ...], expected: str) -> None:
    assert "".join(repeat_items_by_count(zip("abc", counts, strict=True))) == expected
