"""Letters grow where a face is small, never over what else is printed, and the printed face stays as it is."""

from __future__ import annotations

import re

from playproof.generator.scene import (
    Colour,
    Face,
    Glyphs,
    Group,
    Node,
    Path,
    Pt,
    Rect,
    ShapedText,
    Symbol,
    Transform,
    Use,
    build_rectangle_path,
)
from playproof.table.screen_svg import STEP, mark_texts_and_make_legibility_stylesheet

INK, PAPER, DARK = (
    Colour.parse_hex_or_cmyk_colour_or_raise("#111111"),
    Colour.parse_hex_or_cmyk_colour_or_raise("#ffffff"),
    Colour.parse_hex_or_cmyk_colour_or_raise("#552200"),
)


def words(x: float, y: float, size: float, *texts: str) -> Glyphs:
    """A line of type, each word so many mm wide as it has letters."""
    mm = size * 25.4 / 72
    pieces, start = [], 0.0
    for text in texts:
        shape = ShapedText("f", (1,) * len(text), (500.0,) * len(text), tuple(text))
        pieces.append((start, shape))
        start += (len(text) + 0.5) * mm / 2
    return Glyphs(x, y, Pt(size), INK, tuple(pieces))


def ways(nodes: tuple[Node, ...], width: float = 60) -> tuple[list[str], str]:
    face, sheet = mark_texts_and_make_legibility_stylesheet(Face("a face", width, 90, nodes))
    names: list[str] = []

    def walk(parts: tuple[Node, ...]) -> None:
        for part in parts:
            if isinstance(part, Group):
                names.append(part.name)
                walk(part.children)

    walk(face.nodes)
    return [name for name in names if name], sheet


def least(name: str) -> float:
    """The narrowest picture, in pixels, in which a way is drawn."""
    return 16 * STEP ** int(re.search(r"\bm(\d+)", name)[1])  # type: ignore[index]


def test_a_title_grows_and_the_small_print_becomes_bars() -> None:
    paper: Path = build_rectangle_path(Rect(0, 0, 60, 90), PAPER)
    title = words(20, 20, 12, "Lamp")
    small = tuple(words(4, 50 + 3 * n, 7, *["letters"] * 6) for n in range(6))
    names, sheet = ways((paper, title, *small))
    lettered = [name for name in names if name.startswith("l ") and " f " not in name]
    assert len(lettered) == 2  # the six lines are one text
    # 12 pt are 4.2 mm, so 11 pixels in a picture of 156: the title grows, and is still there at 60.
    assert least(lettered[0]) < 60
    assert 190 < least(lettered[1]) < 280
    assert sum(name.startswith("b ") for name in names) >= 1
    assert "#w0:target" in sheet


def test_a_line_that_has_no_room_is_folded() -> None:
    names, _ = ways((build_rectangle_path(Rect(0, 0, 60, 90), PAPER), words(12, 20, 12, "Sorcerer", "Abysses")))
    lines = [name for name in names if name.startswith("l ")]
    whole = next(name for name in lines if " f " not in name)
    folded = next(name for name in lines if " f " in name)
    assert least(folded) < least(whole)


def test_three_words_are_folded_twice() -> None:
    guardian = words(8, 20, 12, "Guardian", "of", "Darkness")
    names, sheet = ways((build_rectangle_path(Rect(0, 0, 60, 90), PAPER), guardian))
    whole, *folds = (least(name) for name in names if name.startswith("l ") and not name.startswith("l f n0"))
    assert len(folds) == 2
    assert folds[1] < folds[0] < whole
    assert ".p0ff{" in sheet


def test_a_bar_under_a_grown_text_is_not_drawn() -> None:
    title, small = words(20, 20, 12, "Lamp"), words(20, 27, 5, "letters", "below", "the", "title")
    paper = build_rectangle_path(Rect(0, 0, 60, 90), PAPER)
    for below, covered in ((0.0, True), (50.0, False)):
        names, sheet = ways((paper, title, small._replace(y=27 + below)))
        *_, bars = (name for name in names if name.startswith("b "))
        first = int(bars.rpartition("c")[2])
        assert (first > 0) is covered
        assert (f"#w{first - 1}:target~g .b:is(.c{first}){{display:none}}" in sheet) is covered


def test_a_line_does_not_grow_over_what_is_beside_it() -> None:
    paper, title = build_rectangle_path(Rect(0, 0, 60, 90), PAPER), words(20, 20, 12, "Lamp")
    free = next(name for name in ways((paper, title))[0] if name.startswith("l "))
    frame = [Rect(18, 14, 14, 2.5), Rect(18, 21.5, 14, 2.5), Rect(17, 14, 2.5, 10), Rect(29, 14, 2.5, 10)]
    beside = (paper, title, *(build_rectangle_path(box, DARK) for box in frame))
    framed = next(name for name in ways(beside)[0] if name.startswith("l "))
    assert least(framed) > 2 * least(free)


def test_a_bar_drawn_before_on_the_same_ground_is_not_crossed() -> None:
    paper, title = build_rectangle_path(Rect(0, 0, 60, 90), PAPER), words(20, 20, 12, "Lamp")
    bars = [build_rectangle_path(Rect(left, 0, 0.5, 90), DARK) for left in (19, 29.5)]
    free = next(name for name in ways((paper, title))[0] if name.startswith("l "))
    barred = next(name for name in ways((paper, *bars, title))[0] if name.startswith("l "))
    assert least(barred) > 2 * least(free)


def test_a_band_drawn_next_is_not_grown_under() -> None:
    paper, title = build_rectangle_path(Rect(0, 0, 60, 90), PAPER), words(20, 84, 12, "Lamp")
    bands = [build_rectangle_path(Rect(0, top, 60, 4), DARK) for top in (77, 84.8)]
    free = next(name for name in ways((paper, title))[0] if name.startswith("l "))
    between = next(name for name in ways((paper, title, *bands))[0] if name.startswith("l "))
    below = next(name for name in ways((paper, bands[0], title, bands[1]))[0] if name.startswith("l "))
    assert least(between) > 2 * least(free)
    assert least(below) > least(free)


def test_a_word_on_a_board_stays_on_its_spot() -> None:
    spot, word = build_rectangle_path(Rect(16, 20, 16, 30), DARK), words(18, 40, 12, "Dragon")
    for width, stays in ((60, False), (240, True)):
        paper = build_rectangle_path(Rect(0, 0, width, 90), PAPER)
        letters = next(name for name in ways((paper, spot, word), width)[0] if name.startswith("l "))
        em = 11 * width / least(letters)  # mm, of the largest letters
        assert (em < 1.6 * 12 * 25.4 / 72) == stays


def test_without_a_step_the_picture_shows_what_is_printed() -> None:
    """The first rules hide all that is not printed; every other rule asks for a step."""
    _, sheet = ways((build_rectangle_path(Rect(0, 0, 60, 90), PAPER), words(20, 20, 12, "Lamp")))
    rules = re.findall(r"([^{}]+)\{([^}]*)\}", sheet.partition("<style>")[2].partition("</style>")[0])
    plain = {selector: rule for selector, rule in rules if ":target" not in selector}
    assert plain.pop(".b,.f") == "display:none"
    assert plain.pop(".l") == "transform:scale(max(1,calc(var(--e,0)/var(--o))))"
    assert all(selector.startswith(".p") for selector in plain)


def grown_from(text: int, *nodes: Node) -> float:
    """From which x a text grows, by the style sheet."""
    _, sheet = ways(nodes)
    origins = re.findall(rf"\.p{text}{{[^}}]*transform-origin:([\d.]+)px", sheet)
    return float(origins[0])


def test_a_text_keeps_what_it_is_aligned_by() -> None:
    paper = build_rectangle_path(Rect(0, 0, 60, 90), PAPER)
    title, label = words(21, 20, 12, "Lamp"), words(4, 30, 8, "Bring", "these")
    under = words(0, 25, 7, "two", "rings")
    centred = under._replace(x=30 - under.width / 2)
    assert grown_from(1, paper, title._replace(x=30 - title.width / 2), centred, label) == 30
    assert grown_from(1, paper, label._replace(y=60), under._replace(x=4)) == 4


def test_folded_words_do_not_cover_another_text() -> None:
    paper, box = (build_rectangle_path(Rect(0, 0, 60, 90), PAPER), build_rectangle_path(Rect(10, 77, 40, 12), DARK))
    trade, above = words(18, 83, 17, "2->1", "gold"), words(10, 75, 17, "Inventory")
    often = words(19, 86.7, 5, "at", "any", "time,", "as", "often")
    names, _ = ways((paper, above, box, trade, often))
    folds = [name for name in names if name.startswith("l f ") and re.search(r"p2f+$", name)]
    # As printed, an em of 5 pt is 11 pixels in a picture of 374. Two lines need the room of the trade.
    assert all(least(name) > 300 for name in folds)


def test_a_sign_on_another_ground_is_no_part_of_the_line() -> None:
    row, tab = (build_rectangle_path(Rect(4, 60, 52, 12), PAPER), build_rectangle_path(Rect(4, 60, 6, 12), DARK))
    card = Use(
        Symbol("card", Rect(0, 0, 4, 5), (build_rectangle_path(Rect(0, 0, 4, 5), DARK),)), Transform.move(11, 64)
    )
    face = (
        build_rectangle_path(Rect(0, 0, 60, 90), INK),
        row,
        tab,
        words(6, 68, 12, "B"),
        card,
        words(16, 68, 12, "006"),
    )
    assert 6.9 < grown_from(0, *face) < 7.2  # the middle of its tab; with the sign in its line it was at 6


def test_a_face_may_hold_a_path_of_nothing() -> None:
    nothing = Path((), INK)
    names, _ = ways((build_rectangle_path(Rect(0, 0, 60, 90), PAPER), nothing, words(20, 20, 12, "Lamp")))
    assert names
