"""A hand of cards as one picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import draw_fanned_hand_of_cards
from playproof.generator.scene import Colour
from tests.sheets.makers import BLUE, GREEN, RED, face


def near(pixel: tuple[int, ...], colour: Colour) -> bool:
    wanted = [round(255 * part) for part in (colour.red, colour.green, colour.blue)]
    return pixel[3] == 255 and all(abs(a - b) < 12 for a, b in zip(pixel, wanted, strict=False))


def test_cards_lie_one_over_the_other_from_the_left_and_nothing_else_is_opaque() -> None:
    hand = draw_fanned_hand_of_cards([face("a", RED), face("b", BLUE), face("c", GREEN)], 600)
    width, height = hand.size
    assert (width, hand.mode) == (600, "RGBA")
    assert [hand.getpixel(at)[3] for at in ((0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1))] == [
        0
    ] * 4
    # In its middle height each card shows: the left edge of the first two, and the whole of the last.
    across = [hand.getpixel((x, height // 2)) for x in range(width)]
    order = [colour for pixel in across for colour in (RED, BLUE, GREEN) if near(pixel, colour)]
    assert [colour for at, colour in enumerate(order) if at == 0 or order[at - 1] != colour] == [RED, BLUE, GREEN]
    assert order.count(GREEN) > 2 * order.count(RED)
    shadow = [pixel[3] for pixel in across if not any(near(pixel, each) for each in (RED, BLUE, GREEN))]
    assert any(0 < alpha < 120 for alpha in shadow)


@pytest.mark.parametrize("count", [1, 2, 12])
def test_a_hand_of_any_number_lies_within_its_picture(count: int) -> None:
    hand = draw_fanned_hand_of_cards([face(str(number), RED) for number in range(count)], 300)
    alpha = hand.getchannel("A").point(lambda value: 255 if value > 200 else 0)
    left, top, right, bottom = alpha.getbbox()
    assert 0 < left < right < hand.width
    assert 0 < top < bottom < hand.height


def test_the_hand_is_made_of_the_cards_that_most_decks_have(tmp_path: Path) -> None:
    builder = Builder(load_game("eila"), tmp_path)
    (job,) = builder.list_file_jobs_or_raise(papers=("A4",), formats=("showcase",))
    (made,) = builder.update_output_folder_and_report_files([job], False, None)
    assert (made.path.name, made.cards) == ("showcase-en.png", 7)
    with Image.open(made.path) as picture:
        assert picture.width == 1200
    (again,) = builder.update_output_folder_and_report_files(
        builder.list_file_jobs_or_raise(papers=("A4",), formats=("showcase",)), False, None
    )
    assert not again.rebuilt


def test_tokens_lie_in_no_hand(tmp_path: Path) -> None:
    builder = Builder(load_game("eila"), tmp_path)
    with pytest.raises(InputError, match="PP549"):
        builder.list_file_jobs_or_raise(papers=("A4",), formats=("showcase",), only="food,gold")
    (job,) = builder.list_file_jobs_or_raise(papers=("A4",), formats=("showcase",), only="101-103,food")
    (made,) = builder.update_output_folder_and_report_files([job], False, None)
    assert made.cards == 3
