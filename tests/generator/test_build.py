"""Builds: only what changed, all or nothing, the same bytes every time."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pypdfium2
import pytest

from playproof.database.errors import InputError
from playproof.database.files import write_file_atomically
from playproof.database.game import load_game
from playproof.generator.build import BuiltFile, build
from playproof.generator.build.products import read_or_default_products
from playproof.generator.build.run import Builder
from playproof.generator.layout.layout_renderer import LayoutRenderer
from tests.generator.makers import CARDS, LAYOUT, front, make_game, make_layouts

MANY = "kind: card\ncomponents:\n" + "".join(
    f'  a{n}: {{title: {{en: "Card {n}"}}, text: {{en: "Gain {n} :food: today."}}}}\n' for n in range(1, 31)
)


class Place:
    """A game, its looks and its output, in a folder of its own."""

    def __init__(self, folder: Path, cards: str = MANY) -> None:
        self.game = make_game(folder / "game", cards)
        self.looks = make_layouts(folder / "looks", card=LAYOUT)
        self.out = folder / "out"

    def build(self, **options: object) -> list[BuiltFile]:
        game = load_game(self.game)
        options.setdefault("papers", ("A4",))
        return build(game, self.out, looks=LayoutRenderer(game, self.looks), **options)  # type: ignore[arg-type]

    def files(self) -> dict[str, bytes]:
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in self.out.rglob("*.*")}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "one")


def test_files_pages_and_cards_are_reported(place: Place) -> None:
    (file,) = place.build()
    assert file.path == place.out / "print" / "A4" / "card-en.pdf"
    assert (file.cards, file.rebuilt) == (30, True)
    with pypdfium2.PdfDocument(file.path) as document:
        assert len(document) == file.pages


def test_papers_and_languages_and_formats(place: Place) -> None:
    files = place.build(papers=("A4", "Letter"), languages=("en", "fr"), formats=("pdf", "svg", "png"), only="a1-a2")
    names = {file.path.relative_to(place.out).as_posix() for file in files}
    assert {"print/A4/card-selection-en.pdf", "print/Letter/card-selection-fr.pdf"} <= names
    assert {"svg/en/a1.front.svg", "png/fr/a2.front.png"} <= names
    assert len(names) == 4 + 4 + 4
    assert (place.out / "png/en/a1.front.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_current_is_left_alone(place: Place) -> None:
    (first,) = place.build()
    stamp = first.path.stat().st_mtime_ns
    (second,) = place.build()
    assert not second.rebuilt
    assert (second.pages, second.cards) == (first.pages, first.cards)
    assert first.path.stat().st_mtime_ns == stamp
    assert place.build(force=True)[0].rebuilt


@pytest.mark.parametrize("change", ["card", "layout", "vocabulary", "damage", "gone", "manifest"])
def test_what_changed_is_made_anew(place: Place, change: str) -> None:
    (first,) = place.build()
    before = first.path.read_bytes()
    if change == "card":
        make_game(place.game, MANY.replace("Card 7", "Card Seven"))
    elif change == "layout":
        make_layouts(place.looks, card=LAYOUT.replace("size: 9", "size: 8"))
    elif change == "vocabulary":
        file = place.game / "vocabulary.yaml"
        file.write_text(file.read_text().replace("en: Food", "en: Carrots"))
    elif change == "damage":
        first.path.write_bytes(before[:100])
    elif change == "gone":
        first.path.unlink()
    else:
        (place.out / ".build.json").write_text("{not json")
    assert place.build()[0].rebuilt
    same = change in ("damage", "gone", "manifest")  # a name is what its icon says to those who search
    assert (first.path.read_bytes() == before) == same


TWO = "products:\n  card: {kinds: [card], sheet: home}\n  again: {kinds: [card], sheet: fronts}\n"


def test_files_of_products_and_cards_that_are_gone_go_too(place: Place) -> None:
    (place.looks / "build.yaml").write_text(TWO, "utf-8")
    place.build(formats=("pdf", "png"), products=["again"])
    place.build(formats=("pdf",))
    mine = place.out / "print" / "A4" / "mine.pdf"
    mine.write_bytes(b"a file of the user's own")
    names = {path for path in place.files() if path.startswith("print/")}
    assert {"print/A4/again-en.pdf", "print/A4/print-me-en.pdf"} <= names
    (place.looks / "build.yaml").unlink()
    make_game(place.game, MANY.replace('  a30: {title: {en: "Card 30"}', '  b30: {title: {en: "Card 30"}'))
    gone: list[Path] = []
    place.build(removed=gone.append)
    assert {path.relative_to(place.out).as_posix() for path in gone} == {
        "print/A4/again-en.pdf",
        "print/A4/print-me-en.pdf",
        "png/en/a30.front.png",
    }
    assert not any(path.exists() for path in gone)
    assert mine.exists()
    assert (place.out / "png/en/a29.front.png").exists()


def test_a_selection_of_nothing_is_an_error(place: Place) -> None:
    (place.looks / "build.yaml").write_text("products:\n  rules: {book: rulebook}\n", "utf-8")
    with pytest.raises(InputError, match="nothing of a1"):
        place.build(only="a1")
    assert not place.files()


def test_a_full_disk_names_the_file_that_did_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        def write(self, _: bytes) -> None: ...

    target = tmp_path / "a.pdf"
    target.write_bytes(b"old")
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode="r": (opened(path, mode).close(), Full())[1])
    with pytest.raises(OSError, match="No space left") as caught:
        write_file_atomically(target, b"new")
    monkeypatch.undo()
    assert caught.value.filename == str(target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]
    assert target.read_bytes() == b"old"


def test_a_line_moved_in_a_file_changes_nothing(place: Place) -> None:
    place.build()
    make_game(place.game, "# a remark\n" + MANY)
    assert not place.build()[0].rebuilt


def test_two_builds_are_equal_byte_for_byte(place: Place, tmp_path: Path) -> None:
    other = Place(tmp_path / "two")
    for each in (place, other):
        each.build(formats=("pdf", "svg", "png"), only="a1-a9")
    assert place.files() == other.files()


def test_a_rebuild_of_one_card_equals_a_build_from_nothing(place: Place, tmp_path: Path) -> None:
    game = load_game(place.game)
    builder = Builder(game, place.out, looks=LayoutRenderer(game, place.looks))
    jobs = [
        builder.sheets.create_sheets_job_with_fallback_plan(p, c, "A4", "en", None, False)
        for p, c in builder.select_unboxed_products_with_components(None, None)
    ]
    builder.update_output_folder_and_report_files(jobs, False, None)
    changed = MANY.replace("Card 7", "Ünlike 7").replace("Gain 9 :food:", "Lose 9 :gold:")
    make_game(place.game, changed)
    builder.press.replace_game_by_newer_reading(load_game(place.game))
    jobs = [
        builder.sheets.create_sheets_job_with_fallback_plan(p, c, "A4", "en", None, False)
        for p, c in builder.select_unboxed_products_with_components(None, None)
    ]
    (file,) = builder.update_output_folder_and_report_files(jobs, False, None)
    assert file.rebuilt
    fresh = Place(tmp_path / "two", changed)
    assert fresh.build()[0].path.read_bytes() == file.path.read_bytes()


def test_with_a_mistake_anywhere_nothing_is_written(place: Place) -> None:
    place.build()
    before = place.files()
    make_game(place.game, MANY.replace("Card 7", "Card ሀ").replace("Card 9", "Card ሁ"))
    with pytest.raises(InputError) as error:
        place.build(formats=("pdf", "svg"))
    assert {finding.about for finding in error.value.findings} == {("card a7",), ("card a9",)}
    assert place.files() == before


def test_a_selection_that_matches_nothing_is_refused(place: Place) -> None:
    with pytest.raises(InputError, match="b7"):
        place.build(only="b7")


def test_a_kill_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.pdf"
    write_file_atomically(file, b"old")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_file_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.pdf"]


class TestProducts:
    def test_kinds_share_sheets_as_the_file_says(self, place: Place) -> None:
        (place.looks / "build.yaml").write_text(
            "products:\n  deck: {title: {en: The deck}, kinds: [card], sheet: fold}\n"
        )
        (file,) = place.build()
        assert file.path.name == "deck-en.pdf"
        assert place.build(products=("deck",))

    @pytest.mark.parametrize(("bleed", "sheet"), [(0, "home"), (3, "bleed")])
    def test_without_a_file_cards_with_bleed_lie_apart(self, place: Place, bleed: int, sheet: str) -> None:
        layout = place.looks / "card.yaml"
        text = layout.read_text("utf-8")
        layout.write_text(re.sub(r"^bleed: .*$", "", text, flags=re.MULTILINE) + f"\nbleed: {bleed}\n", "utf-8")
        game = load_game(place.game)
        assert [product.sheet for product in read_or_default_products(game, LayoutRenderer(game, place.looks))] == [
            sheet
        ]

    def test_a_bare_title_is_english(self, place: Place) -> None:
        (place.looks / "build.yaml").write_text("products:\n  deck: {title: The deck, kinds: [card]}\n")
        place.build()
        game = load_game(place.game)
        (product,) = read_or_default_products(game, LayoutRenderer(game, place.looks))
        assert product.get_product_title_or_name("en") == product.get_product_title_or_name("fr") == "The deck"

    def test_products_and_languages_that_are_not_there_are_refused(self, place: Place) -> None:
        with pytest.raises(InputError) as error:
            place.build(products=("crad",), languages=("en", "eo"))
        assert [finding.code for finding in error.value.findings] == ["PP514", "PP513"]
        assert "card" in error.value.findings[1].hint

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("products: {}\n", "PP206"),
            ("products:\n  a: {kinds: [crad]}\n", "PP505"),
            ("products:\n  a: {kinds: [card], sheet: hoem}\n", "PP540"),
            ("products:\n  a: {kinds: [card], colour: red}\n", "PP204"),
            ("products:\n  a: {book: novel}\n", "PP206"),
        ],
    )
    def test_mistakes_in_it_are_located(self, place: Place, text: str, code: str) -> None:
        (place.looks / "build.yaml").write_text(text)
        with pytest.raises(InputError) as error:
            place.build()
        assert [finding.code for finding in error.value.findings] == [code]
        assert str(error.value).count("build.yaml") == 1


def test_small_ink_is_another_file_with_fewer_bytes(tmp_path: Path) -> None:
    place = Place(tmp_path, CARDS)
    make_layouts(place.looks, card=front("{shape: rect, box: trim, fill: '#000'}", '{text: "{title}"}'))
    (normal,), (low,) = place.build(), place.build(sheet="lowink")
    assert low.path.name == "card-lowink-en.pdf"
    assert low.path != normal.path
    pictures = [place.build(sheet=sheet, formats=("svg",))[0].path for sheet in (None, "lowink")]
    full, little = (picture.read_text("utf-8").count('fill="#000000"') for picture in pictures)
    assert (len(set(pictures)), full > little) == (2, True)
