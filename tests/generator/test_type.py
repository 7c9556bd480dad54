"""Type: shaping, breaking, fitting, icons on the line, both directions."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from playproof.generator.art.icons import IconLibrary
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import Glyphs, Rect, Use, pt_to_mm
from playproof.generator.type.fonts import (
    FONT_FOLDER,
    UnknownFont,
    get_fonts_of_game_in_export_or_project,
    load_project_and_game_fonts,
)
from playproof.generator.type.lines import (
    find_least_ragged_line_starts,
    find_line_start_indexes_greedily,
    find_line_starts_with_shortest_long_line,
)
from playproof.generator.type.markup import (
    IconRun,
    Run,
    add_typographic_punctuation,
    markup_to_plain_text_with_icon_names,
    parse_markup_to_paragraphs,
)
from playproof.generator.type.shaping import Shaper
from playproof.generator.type.typesetter import TextBlock, TextStyle, Typesetter, _FaceMeasure

FONT = "alegreya-regular"
PANGRAM = "The quick brown fox jumps over the lazy dog while nobody watches from the hedge. "


@pytest.fixture(scope="module")
def setter() -> Typesetter:
    return Typesetter(get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"))


@pytest.fixture(scope="module")
def shaper() -> Shaper:
    return Shaper(get_fonts_of_game_in_export_or_project())


def glyph_lines(block: TextBlock) -> list[Glyphs]:
    return [node for node in block.nodes if isinstance(node, Glyphs)]


class TestShaping:
    def test_kerning_brings_pairs_together(self, shaper: Shaper) -> None:
        apart = (
            shaper.shape_text_in_font_or_fallback(FONT, "A").width
            + shaper.shape_text_in_font_or_fallback(FONT, "V").width
        )
        assert shaper.shape_text_in_font_or_fallback(FONT, "AV").width < apart - 10

    def test_a_ligature_is_one_glyph_that_says_both_letters(self, shaper: Shaper) -> None:
        shape = shaper.shape_text_in_font_or_fallback(FONT, "fjord")
        assert len(shape.glyphs) < len("fjord") or shape.text == "fjord"
        assert shape.text == "fjord"

    def test_figures_are_as_tall_as_capitals(self, shaper: Shaper) -> None:
        plain, lining = (
            shaper.shape_text_in_font_or_fallback(FONT, "3", ()),
            shaper.shape_text_in_font_or_fallback(FONT, "3"),
        )
        assert plain.glyphs != lining.glyphs

    def test_shapes_are_kept(self, shaper: Shaper) -> None:
        assert shaper.shape_text_in_font_or_fallback(FONT, "again") is shaper.shape_text_in_font_or_fallback(
            FONT, "again"
        )

    def test_accents_are_drawn(self, shaper: Shaper) -> None:
        assert shaper.join_characters_that_no_font_draws(FONT, "Élançâœß€ŵ") == ""
        assert 0 not in shaper.shape_text_in_font_or_fallback(FONT, "Élançâœ").glyphs

    def test_another_script_falls_back_to_a_font_that_has_it(self, shaper: Shaper) -> None:
        assert shaper.shape_text_in_font_or_fallback(FONT, "שלום").font == "notoserifhebrew-regular"

    def test_a_character_nobody_draws_is_named(self, shaper: Shaper) -> None:
        assert shaper.join_characters_that_no_font_draws(FONT, "aሀb") == "ሀ"

    def test_an_unknown_font_names_those_there_are(self, shaper: Shaper) -> None:
        with pytest.raises(UnknownFont, match="alegreya, alegreyasans"):
            shaper.shape_text_in_font_or_fallback("comic", "x")


SAMPLES = {
    "pl": "Zażółć gęślą jaźń: dobierz 2 karty, odłóż Łódź.",
    "he": "שלוף 2 קלפים, ואז השלך אחד.",
    "el": "Τράβηξε 2 κάρτες, ύστερα πέταξε μία· ᾠδή.",
    "ru": "Возьмите 2 карты, затем сбросьте одну. Ґедзь.",
    "vi": "Rút 2 lá bài, rồi bỏ một lá; Thuỷ triều đã đổi.",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_sample_card_in_each_script_reads_as_in_its_golden(language: str, golden: Callable[[str, str], None]) -> None:
    """A title and a text: which fonts draw them, in the weight asked for, and where each line begins."""
    setter = Typesetter(get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"), language)
    title = TextStyle(family="almendra", bold=True, size=14, align="centre")
    blocks = [setter.typeset_text_as_large_as_box_allows(SAMPLES[language], Rect(0, 0, 56, 20), title)]
    blocks.append(setter.typeset_text_as_large_as_box_allows(SAMPLES[language], Rect(0, 20, 56, 20), TextStyle(size=9)))
    assert [block.problems for block in blocks] == [(), ()]
    lines = [
        f"{line.x:.2f} {line.y:.2f} {line.size:g} {line.pieces[0][1].font} {line.text}"
        for block in blocks
        for line in glyph_lines(block)
    ]
    golden(f"sample-{language}.txt", "\n".join(lines) + "\n")
    fonts = {shape.font for line in glyph_lines(blocks[0]) for _, shape in line.pieces}
    # the weight stays where a font has it
    assert language == "he" or all(font.endswith("bold") for font in fonts)


@pytest.mark.parametrize("text", ["აიღე ორი", "หยิบสองใบ", "カードを引く"])
def test_letters_that_no_bundled_font_has_are_named(setter: Typesetter, text: str) -> None:
    """Georgian, Thai and Japanese need fonts that a game brings."""
    assert (
        "has no glyph for"
        in setter.typeset_text_as_large_as_box_allows(text, Rect(0, 0, 60, 10), TextStyle()).problems[0]
    )


def test_a_game_brings_its_own_fonts(tmp_path: Path) -> None:
    own = tmp_path / "fonts"
    own.mkdir()
    shutil.copy(FONT_FOLDER / "Almendra-Bold.ttf", own / "Mine-Regular.ttf")
    book = load_project_and_game_fonts(tmp_path)
    assert "mine-regular" in book
    assert "alegreya-regular" in book
    assert glyph_lines(
        Typesetter(book, {}).typeset_text_as_large_as_box_allows("Hello", Rect(0, 0, 60, 10), TextStyle(family="mine"))
    )
    (own / "Other-Regular.otf").write_bytes(b"OTTO")
    odd = load_project_and_game_fonts(tmp_path)
    assert [finding.code for finding in odd.iter_unreadable_font_file_warnings()] == ["PP521"], (
        "a file that nobody uses stops nothing"
    )
    with pytest.raises(UnknownFont, match=r"Other-Regular\.otf: this font has no characters"):
        odd["other-regular"]


def test_words_in_another_font_are_remembered(setter: Typesetter) -> None:
    setter.typeset_text_as_large_as_box_allows("Łódź", Rect(0, 0, 60, 10), TextStyle(family="almendra", bold=True))
    assert "Łódź" in setter.shaper.substituted["almendra-bold", "alegreya-bold"]


class TestMarkup:
    def test_styles_and_icons(self) -> None:
        (paragraph,) = parse_markup_to_paragraphs("pay **2** :food: *now*")
        assert paragraph.runs == (
            Run("pay "),
            Run("2", bold=True),
            Run(" "),
            IconRun("food"),
            Run(" "),
            Run("now", italic=True),
        )

    @pytest.mark.parametrize("text", ["12:30", "Note: this", "a :b", ":UPPER:"])
    def test_plain_colons_stay_text(self, text: str) -> None:
        assert parse_markup_to_paragraphs(text)[0].runs == (Run(text),)

    def test_a_backslash_takes_the_meaning_away(self) -> None:
        assert parse_markup_to_paragraphs(r"\*\:food:")[0].runs == (Run("*:food:"),)

    def test_bullets(self) -> None:
        assert [p.bullet for p in parse_markup_to_paragraphs("a\n- b\n• c")] == [False, True, True]
        assert markup_to_plain_text_with_icon_names("**a** :food:") == "a [food]"


widths = st.lists(st.floats(1, 30), min_size=1, max_size=40)


class TestBreaking:
    @given(widths)
    def test_no_line_is_too_long(self, lengths: list[float]) -> None:
        spaces = [2.0] * len(lengths)
        for breaks in (
            find_line_start_indexes_greedily,
            find_line_starts_with_shortest_long_line,
            find_least_ragged_line_starts,
        ):
            for words in self.lines(breaks(lengths, spaces, 50), lengths):
                assert sum(words) + 2.0 * (len(words) - 1) <= 50 + 1e-5

    @given(widths)
    def test_balance_costs_no_line(self, lengths: list[float]) -> None:
        spaces = [2.0] * len(lengths)
        assert len(find_line_starts_with_shortest_long_line(lengths, spaces, 50)) == len(
            find_line_start_indexes_greedily(lengths, spaces, 50)
        )

    @given(widths)
    def test_the_least_ragged_is_no_worse_than_greedy(self, lengths: list[float]) -> None:
        spaces = [2.0] * len(lengths)
        cost = {}
        for breaks in (find_line_start_indexes_greedily, find_least_ragged_line_starts):
            lines = self.lines(breaks(lengths, spaces, 50), lengths)[:-1]
            cost[breaks] = sum((50 - sum(words) - 2.0 * (len(words) - 1)) ** 2 for words in lines)
        assert cost[find_least_ragged_line_starts] <= cost[find_line_start_indexes_greedily] + 1e-6

    def test_a_word_too_wide_stands_alone(self) -> None:
        assert find_line_start_indexes_greedily([5, 99, 5], [1, 1, 0], 20) == [0, 1, 2]

    @staticmethod
    def lines(starts: list[int], words: list[float]) -> list[list[float]]:
        ends = [*starts[1:], len(words)]
        return [words[start:end] for start, end in zip(starts, ends, strict=True)]


class TestSetting:
    def test_type_shrinks_until_it_fits(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows(
            PANGRAM * 3, Rect(0, 0, 50, 25), TextStyle(size=12, min_size=7)
        )
        assert 7 <= block.size < 12
        assert not block.problems
        assert block.box.height <= 25

    def test_what_does_not_fit_at_the_least_size_is_a_problem(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows(
            PANGRAM * 9, Rect(0, 0, 50, 25), TextStyle(size=12, min_size=7)
        )
        assert "at 7 pt, its least size" in block.problems[0]

    def test_what_just_fits_is_none(self, setter: Typesetter) -> None:
        style = TextStyle(size=10)
        height = setter.typeset_text_as_large_as_box_allows("One line", Rect(0, 0, 50, 50), style).box.height
        assert not setter.typeset_text_as_large_as_box_allows("One line", Rect(0, 0, 50, height), style).problems
        assert setter.typeset_text_as_large_as_box_allows("One line", Rect(0, 0, 50, height - 0.01), style).problems

    def test_a_word_wider_than_its_box_is_named(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows("Donaudampfschiff", Rect(0, 0, 10, 50), TextStyle(size=10))
        assert "'Donaudampfschiff' is wider" in block.problems[0]

    def test_missing_glyphs_and_icons_are_problems(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows("ሀ :nope:", Rect(0, 0, 50, 50), TextStyle())
        assert "U+1200" in block.problems[0]
        assert "no icon 'nope'" in block.problems[1]

    def test_justified_lines_end_together_but_for_the_last(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows(
            PANGRAM * 2, Rect(0, 0, 60, 60), TextStyle(size=10, align="justify")
        )
        ends = [line.x + line.width for line in glyph_lines(block)]
        assert len(ends) > 2
        assert ends[:-1] == pytest.approx([60] * (len(ends) - 1), abs=0.01)
        assert ends[-1] < 59

    def test_centred_and_right(self, setter: Typesetter) -> None:
        for align, share in (("centre", 0.5), ("right", 1.0)):
            block = setter.typeset_text_as_large_as_box_allows("Hi", Rect(0, 0, 60, 60), TextStyle(align=align))  # type: ignore[arg-type]
            (line,) = glyph_lines(block)
            assert line.x == pytest.approx((60 - line.width) * share)

    def test_hyphens_fill_wide_gaps(self, setter: Typesetter) -> None:
        text = "An incomprehensible extraordinarily characteristic representation."
        box = Rect(0, 0, 30, 60)
        plain = setter.typeset_text_as_large_as_box_allows(text, box, TextStyle(size=10))
        parted = setter.typeset_text_as_large_as_box_allows(text, box, TextStyle(size=10, hyphenate=True))
        lines = [line.text for line in glyph_lines(parted)]
        assert any(line.endswith("-") for line in lines)
        assert parted.lines <= plain.lines
        assert "".join(lines).replace("-", "").replace(" ", "") == text.replace(" ", "")

    def test_icons_are_centred_on_the_capitals(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows(
            "H :food:", Rect(0, 0, 60, 60), TextStyle(size=10, icon_scale=1.3)
        )
        (line,) = glyph_lines(block)
        (icon,) = [node for node in block.nodes if isinstance(node, Use)]
        capitals = get_fonts_of_game_in_export_or_project()[FONT].cap_height / 1000 * pt_to_mm(10)
        top, bottom = icon.transform.f, icon.transform.apply(0, icon.symbol.bounds.bottom)[1]
        assert bottom - top == pytest.approx(capitals * 1.3)
        assert (top + bottom) / 2 == pytest.approx(line.y - capitals / 2)

    def test_icons_say_their_names_between_the_words(self) -> None:
        setter = Typesetter(
            get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"), names={"food": "Magic Beans"}
        )
        block = setter.typeset_text_as_large_as_box_allows(
            "pay 2 :food: or :gold: now", Rect(0, 0, 90, 60), TextStyle(size=10)
        )
        said = [node.text if isinstance(node, Glyphs) else node.says and node.says.text for node in block.nodes]
        assert said == ["pay 2\u00a0", "Magic Beans", None, "or now"]  # gold has no name
        (food, _) = [node for node in block.nodes if isinstance(node, Use)]
        assert food.says is not None
        assert food.says.width == pytest.approx(food.symbol.bounds.width * food.transform.a)

    @pytest.mark.parametrize(
        ("text", "mate"),
        [
            ("take now :food: 2", "2"),
            ("see that :food: Food", "Food"),
            ("take an :food: or", "an"),
            ("gain the +1 :food:", "+1"),
            ("discard everything :food: or", "everything"),
            ("stop now. :food: everything", "everything"),
        ],
    )
    def test_an_icon_never_parts_from_the_word_it_belongs_to(self, text: str, mate: str) -> None:
        """However narrow the box, as long as both fit on one line."""
        setter = Typesetter(
            get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"), names={"food": "Food"}
        )
        for width in range(14 if len(mate) < 5 else 21, 40):
            block = setter.typeset_text_as_large_as_box_allows(text, Rect(0, 0, width, 60), TextStyle())
            (icon,) = [node for node in block.nodes if isinstance(node, Use)]
            middle = icon.transform.f + icon.symbol.bounds.height * icon.transform.d / 2
            beside = [line.text.split() for line in glyph_lines(block) if 0 < line.y - middle < 2]
            assert mate in [word for words in beside for word in words], (width, text)

    def test_an_icon_and_a_word_too_wide_for_one_line_stand_on_two(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows("discard everything :food:", Rect(0, 0, 15, 60), TextStyle())
        assert (block.lines, block.problems) == (3, ())

    def test_figures_of_a_font_that_hangs_them_come_from_another(self, setter: Typesetter) -> None:
        """Almendra's 0 is as low as its o: "Chapter 0" read as "Chapter o"."""
        block = setter.typeset_text_as_large_as_box_allows(
            "Chapter 0", Rect(0, 0, 60, 10), TextStyle(family="almendra", bold=True)
        )
        fonts = {shape.text: shape.font for line in glyph_lines(block) for _, shape in line.pieces}
        assert fonts == {"Chapter": "almendra-bold", "0": "alegreya-bold"}
        assert not get_fonts_of_game_in_export_or_project()["almendra-bold"].has_lining_figures
        assert get_fonts_of_game_in_export_or_project()["alegreya-bold"].has_lining_figures

    def test_a_short_last_word_does_not_stand_alone(self, setter: Typesetter) -> None:
        text = "Shuffle what is left and put it into the stand now"
        for width in range(30, 80):
            block = setter.typeset_text_as_large_as_box_allows(text, Rect(0, 0, width, 60), TextStyle(size=10))
            lines = [line.text.split() for line in glyph_lines(block)]
            assert len(lines) == 1 or len(lines[-1]) > 1 or len(lines[-2]) < 3, (width, lines)

    def test_bullets_hang(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows("- " + PANGRAM, Rect(0, 0, 40, 60), TextStyle(size=10))
        bullet, *lines = glyph_lines(block)
        assert bullet.text == "•"
        assert len({round(line.x, 6) for line in lines}) == 1
        assert lines[0].x > bullet.x + bullet.width

    def test_the_middle_is_that_of_the_capitals(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows(
            "HAT", Rect(0, 0, 60, 20), TextStyle(size=10, valign="middle")
        )
        (line,) = glyph_lines(block)
        capitals = get_fonts_of_game_in_export_or_project()[FONT].cap_height / 1000 * pt_to_mm(10)
        assert line.y - capitals / 2 == pytest.approx(10)


class TestDirection:
    def test_right_to_left_lines_start_at_the_right(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows("שלום עולם", Rect(0, 0, 60, 20), TextStyle())
        (line,) = glyph_lines(block)
        assert line.x + line.width == pytest.approx(60)
        assert line.text == "םלוע םולש"


class TestMarks:
    @pytest.mark.parametrize(
        ("text", "language", "made"),
        [
            ('the owl\'s "gift"', "en", "the owl’s “gift”"),
            ("l'ami dit : « Oui ! »", "fr", "l’ami dit\u00a0: «\u00a0Oui\u00a0!\u00a0»"),
            ("now ; or never", "en", "now ; or never"),
            ("2 :food: and X :gold:", "en", "2\u00a0:food: and X\u00a0:gold:"),
            ("plain", "fr", "plain"),
        ],
    )
    def test_typewriter_marks_become_printers(self, text: str, language: str, made: str) -> None:
        assert add_typographic_punctuation(text, language) == made

    def test_a_number_stays_with_its_icon(self, setter: Typesetter) -> None:
        wide = setter.typeset_text_as_large_as_box_allows(
            "gain a lot of 12", Rect(0, 0, 99, 9), TextStyle(size=10)
        ).box.width
        block = setter.typeset_text_as_large_as_box_allows(
            "gain a lot of 12 :food:", Rect(0, 0, wide + 1, 20), TextStyle(size=10)
        )
        assert [line.text.strip() for line in glyph_lines(block)] == ["gain a lot of", "12"]


@given(
    text=st.lists(st.sampled_from([*PANGRAM.split(), ":food:", "incomprehensibilities", "\n", "- a"]), max_size=60),
    width=st.floats(8, 60),
    height=st.floats(3, 40),
    align=st.sampled_from(["left", "justify"]),
    hyphenate=st.booleans(),
)
def test_sizes_that_are_passed_over_would_not_have_fitted(
    setter: Typesetter,
    monkeypatch_of_measure: Callable[[bool], None],
    text: list[str],
    width: float,
    height: float,
    align: str,
    hyphenate: bool,
) -> None:
    """The quick look at a text's length changes no text: with and without it, the blocks are the same."""
    style = TextStyle(size=14, min_size=6, align=align, hyphenate=hyphenate)  # type: ignore[arg-type]
    box = Rect(0, 0, width, height)
    blocks = []
    for quick in (True, False):
        monkeypatch_of_measure(quick)
        blocks.append(setter._typeset_with_outline_and_shadow(" ".join(text), box, style, ()))
    assert blocks[0] == blocks[1]


@pytest.fixture(scope="module")
def monkeypatch_of_measure() -> Iterator[Callable[[bool], None]]:
    """Switches the quick look on and off."""
    quick_look = _FaceMeasure.is_too_high_for_box_however_broken
    with pytest.MonkeyPatch.context() as patch:
        yield lambda on: patch.setattr(
            _FaceMeasure, "is_too_high_for_box_however_broken", quick_look if on else lambda *_: False
        )
