"""Builds on several cores, builds that watch, and what changed since a revision."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from PIL import Image

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.generator.art.picture_files import PICTURE_SUFFIXES
from playproof.generator.build.press import Press, list_layout_and_shared_files
from playproof.generator.build.run import Builder, BuiltFile, build, call_on_built_now_and_after_changes
from playproof.generator.build.version_changes import (
    list_new_or_changed_component_ids,
    load_game_at_git_revision_or_raise,
)
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from tests.generator.makers import CARDS, LAYOUT, VOCABULARY, front, make_game, make_layouts, texts, words_of

RULEBOOK = """
sections: {all: {en: All}}
rules:
  R1: {section: all, text: {en: A rule.}, ruling: A1, source: playproof}
rulings:
  A1: {question: {en: Which?}, default: a, options: {a: {en: This.}, b: {en: That.}}, source: playproof}
"""
BACKED = front('{text: "{title}"}') + "back: {elements: [{shape: rect, fill: '#aa8844'}]}\n"


def made(folder: Path, **options: object) -> dict[str, bytes]:
    game = load_game(make_game(folder / "game"))
    looks = LayoutRenderer(game, make_layouts(folder / "looks", card=LAYOUT))
    files = build(game, folder / "out", looks=looks, languages=("en", "fr"), **options)  # type: ignore[arg-type]
    return {file.path.relative_to(folder).as_posix(): file.path.read_bytes() for file in files}


class TestWorkers:
    def test_two_workers_make_the_same_files_as_one(self, tmp_path: Path) -> None:
        one, two = (made(tmp_path / str(count), workers=count) for count in (1, 2))
        assert one == two
        assert len(one) == 4

    def test_mistakes_found_by_workers_are_all_reported(self, tmp_path: Path) -> None:
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", card=front('{text: "{nope} {id}"}')))
        with pytest.raises(InputError) as error:
            build(game, tmp_path / "out", looks=looks, languages=("en", "fr"), workers=2)
        [finding] = error.value.findings
        assert set(finding.about) == {"card a1", "card a2", "card a1 (fr)", "card a2 (fr)"}
        assert not (tmp_path / "out").exists()


def test_icons_are_read_as_their_names(tmp_path: Path) -> None:
    files = made(tmp_path, papers=("A4",), only="a1")
    english, french = (words_of(files[f"out/print/A4/card-selection-{code}.pdf"]) for code in ("en", "fr"))
    assert "2 Food and go" in " ".join(english.split())
    assert "2 Nourriture et pars" in " ".join(french.split())


class TestFolding:
    """`--sheet fold` of a game with a product that is too large for half a sheet, and one without backs."""

    def built(self, folder: Path, large: str) -> dict[str, BuiltFile]:
        game = load_game(make_game(folder / "game"))
        looks = make_layouts(folder / "looks", card=large)
        files = build(game, folder / "out", looks=LayoutRenderer(game, looks), papers=("A4",), sheet="fold")
        return {file.path.name: file for file in files}

    def test_what_is_too_large_is_laid_out_by_its_own_plan_and_says_so(self, tmp_path: Path) -> None:
        (file,) = self.built(tmp_path, BACKED.replace("size: [60, 80]", "size: [150, 200]")).values()
        assert file.path.name == "card-en.pdf"
        assert "too large for fold on A4" in file.note

    def test_what_has_no_back_is_not_folded(self, tmp_path: Path) -> None:
        (file,) = self.built(tmp_path, BACKED.partition("back:")[0]).values()
        assert (file.path.name, file.note) == ("card-en.pdf", "")

    def test_what_fits_is_folded(self, tmp_path: Path) -> None:
        (file,) = self.built(tmp_path, BACKED).values()
        assert (file.path.name, file.note) == ("card-fold-en.pdf", "")


class TestRulings:
    """Layouts may ask how an open question is read; the build refuses what the rulebook does not have."""

    def face(self, folder: Path, rulings: dict[str, str]) -> list[str]:
        game = make_game(folder / "game")
        (game / "rulebook.yaml").write_text(RULEBOOK, "utf-8")
        layouts = make_layouts(folder / "looks", card=front("{text: \"{'new' if rulings.A1 == 'b' else 'old'}\"}"))
        looks = LayoutRenderer(load_game(game), layouts, rulings=rulings)
        return texts(looks.draw_face_or_raise(looks.game.components["a1"]))

    def test_the_default_is_printed(self, tmp_path: Path) -> None:
        assert self.face(tmp_path, {}) == ["old"]

    def test_another_option_is_printed(self, tmp_path: Path) -> None:
        assert self.face(tmp_path, {"A1": "b"}) == ["new"]

    def test_what_there_is_not_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as error:
            self.face(tmp_path, {"A1": "c", "A2": "b"})
        assert [finding.code for finding in error.value.findings] == ["PP515", "PP515"]


def test_a_tiled_board_comes_with_its_plan(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game"))
    looks = make_layouts(tmp_path / "looks", card=BACKED.replace("size: [60, 80]", "size: [400, 200]"))
    (looks / "build.yaml").write_text("products: {maps: {kinds: [card], sheet: board, tiled: true}}\n")
    (file,) = build(game, tmp_path / "out", looks=LayoutRenderer(game, looks), papers=("A4",))
    said = " ".join(words_of(file.path.read_bytes(), file.pages - 1).split())
    assert "sheets of A4" in said
    assert "A1" in said


def test_a_note_is_printed_on_every_sheet(tmp_path: Path) -> None:
    files = made(tmp_path, note="erratum 1.1 of 2026-11-20", papers=("A4",), only="a1")
    for data in files.values():
        assert "erratum 1.1 of 2026-11-20" in words_of(data).replace("\r\n", " ")


def test_a_changed_picture_is_a_change_of_its_card(tmp_path: Path) -> None:
    vocabulary = VOCABULARY.replace("art: {type: text, required: false}", "art: {type: image, required: false}")
    cards = "kind: card\ncomponents:\n  a1: {title: {en: One}, art: p.png}\n"
    folder = make_game(tmp_path / "game", cards, vocabulary)
    looks = make_layouts(tmp_path / "looks", card=front('{image: "{art}", box: [0, 0, 20, 20]}'))
    rebuilt = []
    for colour in ("red", "red", "blue"):
        Image.new("RGB", (8, 8), colour).save(folder / "p.png")
        game = load_game(folder)
        (file,) = build(game, tmp_path / "out", looks=LayoutRenderer(game, looks), papers=("A4",))
        rebuilt.append(file.rebuilt)
    assert rebuilt == [True, False, True]


@pytest.mark.parametrize("suffix", [suffix for suffix in PICTURE_SUFFIXES if suffix != ".svg"])
def test_a_changed_picture_that_a_text_names_makes_its_sheet_again(tmp_path: Path, suffix: str) -> None:
    """Of every kind that is read: AVIF and BMP were `current`, whatever they showed."""
    folder = make_game(tmp_path / "game", f"kind: card\ncomponents:\n  a1: {{title: {{en: One}}, art: p{suffix}}}\n")
    looks = make_layouts(tmp_path / "looks", card=front('{image: "{art}", box: [0, 0, 20, 20]}'))
    rebuilt = []
    for colour in ("red", "red", "blue"):
        Image.new("RGB", (64, 64), colour).save(folder / f"p{suffix}")
        (file,) = build(
            load_game(folder), tmp_path / "out", looks=LayoutRenderer(load_game(folder), looks), papers=("A4",)
        )
        rebuilt.append(file.rebuilt)
    assert rebuilt == [True, False, True]


def test_every_shared_file_that_a_face_may_use_makes_it_again() -> None:
    """Sheets, papers, shops and the words of sheets are read as data, which a file's fingerprint names itself."""
    games = {folder.name for folder in (LAYOUTS.parent / "cards").iterdir()}
    as_data = {"sheets", "vendors", "papers.yaml", "wording"}
    used = {path.relative_to(LAYOUTS).parts[0] for path in list_layout_and_shared_files(LAYOUTS / "opale")}
    assert used == {"opale"} | {path.name for path in LAYOUTS.iterdir()} - games - as_data


def test_one_changed_title_remakes_what_contains_it_alone(tmp_path: Path) -> None:
    """A card of a deck: its sheets, the file of all sheets, and booklets, which may quote any card."""
    folder = tmp_path / "eila"
    shutil.copytree(LAYOUTS.parent / "cards" / "eila", folder)
    shutil.copytree(LAYOUTS / "eila", folder / "layouts")
    game = load_game(folder)
    builder = Builder(game, tmp_path / "out", looks=LayoutRenderer(game, folder / "layouts"))
    before = {
        job.path: job.fingerprint for job in builder.list_file_jobs_or_raise(papers=("A4",), formats=("pdf", "png"))
    }
    title = game.components["101"].name
    (file,) = (path for path in folder.glob("*.yaml") if f"{title}" in path.read_text("utf-8"))
    file.write_text(file.read_text("utf-8").replace(title, "Another title"), "utf-8")
    assert builder.reload_game_and_list_changed_ids() == ["101"]
    after = {
        job.path: job.fingerprint for job in builder.list_file_jobs_or_raise(papers=("A4",), formats=("pdf", "png"))
    }
    changed = {path.name for path in before if before[path] != after[path]}
    books = {"rulebook-en.pdf", "rulebook-booklet-en.pdf"}
    assert changed == {"101.front.png", "101.back.png", "cards-en.pdf", "print-me-en.pdf", *books}
    assert {"tokens-en.pdf", "boards-en.pdf", "box-en.pdf", "102.front.png"} <= {path.name for path in before}


class TestWatch:
    def test_a_saved_card_a_mistake_and_a_layout(self, tmp_path: Path) -> None:
        folder = make_game(tmp_path / "game")
        looks = make_layouts(tmp_path / "looks", card=LAYOUT)
        seen: list[str] = []
        stop, step = threading.Event(), threading.Semaphore(0)

        def start() -> Builder:
            game = load_game(folder)
            return Builder(game, tmp_path / "out", looks=LayoutRenderer(game, looks))

        def built(builder: Builder) -> None:
            seen.append(builder.press.game.components["a2"].name)
            step.release()

        def wrong(error: InputError) -> None:
            seen.append(error.findings[0].code)
            step.release()

        def save(cards: str) -> None:
            """Put the whole file in place at once, or a busy machine sees a half of it."""
            (tmp_path / "next").write_text(cards, "utf-8")
            (tmp_path / "next").replace(folder / "cards.yaml")

        thread = threading.Thread(
            target=call_on_built_now_and_after_changes, args=(start, built, wrong, stop), daemon=True
        )
        thread.start()
        changes = [
            lambda: save(CARDS.replace("Second", "Changed")),
            lambda: save(CARDS.replace("level: 3", "level: many")),
            lambda: save(CARDS.replace("Second", "Mended")),
        ]
        assert step.acquire(timeout=10)
        for change in changes:
            _until(change, step)
        stop.set()
        thread.join(timeout=10)
        assert not thread.is_alive()
        assert list(dict.fromkeys(seen)) == ["Second", "Changed", "PP205", "Mended"]


def _until(change: object, step: threading.Semaphore) -> None:
    """Save, and wait for the watcher; save again if the first came before it was watching."""
    assert callable(change)
    for _ in range(10):
        change()
        if step.acquire(timeout=2):
            return
    raise AssertionError("the watcher saw nothing")


class TestChangedSince:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = make_game(tmp_path / "repo" / "games" / "mine")
        self.git(tmp_path / "repo", "init", "-q")
        self.git(tmp_path / "repo", "add", "-A")
        self.git(tmp_path / "repo", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first")
        return folder

    @staticmethod
    def git(folder: Path, *words: str) -> None:
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)

    @staticmethod
    def changed(folder: Path) -> tuple[str, ...]:
        game = load_game(folder)
        return list_new_or_changed_component_ids(load_game_at_git_revision_or_raise(game, "HEAD"), game)

    def test_only_what_prints_differently(self, folder: Path) -> None:
        assert self.changed(folder) == ()
        make_game(folder, "# moved\n" + CARDS.replace("Second", "Other") + "  a3: {title: {en: New}}\n")
        assert self.changed(folder) == ("a2", "a3")

    def test_a_changed_vocabulary_changes_every_card(self, folder: Path) -> None:
        make_game(folder, CARDS, VOCABULARY.replace("en: Food", "en: Carrots"))
        assert self.changed(folder) == ("a1", "a2")

    def test_a_changed_layout_or_picture_changes_every_card(self, folder: Path) -> None:
        layout = make_layouts(folder / "layouts") / "card.yaml"
        assert self.changed(folder) == ("a1", "a2")
        layout.unlink()
        assert self.changed(folder) == ()
        (folder / "art").mkdir()
        (folder / "art" / "new.svg").write_text("<svg/>", "utf-8")
        assert self.changed(folder) == ("a1", "a2")

    def test_an_unknown_revision_is_refused(self, folder: Path) -> None:
        with pytest.raises(InputError, match="git knows no 'nonsense'"):
            load_game_at_git_revision_or_raise(load_game(folder), "nonsense")

    def test_a_game_outside_git_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="PP512"):
            load_game_at_git_revision_or_raise(load_game(make_game(tmp_path / "loose")), "HEAD")


def test_the_press_of_another_version_draws_its_own_parts_of_pdf_files(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game"))
    press = Press(game, looks=LayoutRenderer(game, make_layouts(tmp_path / "looks", card=LAYOUT)))
    mine = press.shared_pdf_parts
    assert press.shared_pdf_parts is mine, "one press keeps them"
    assert press.create_press_for_other_version(game).shared_pdf_parts is not mine
