"""Two games of one name never overwrite or remove each other's files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import move

import pytest

from playproof.cli.verbs.play import _claim_and_get_usual_autosave_file
from tests.cli.conftest import Answer


@pytest.fixture
def two_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, playproof: Callable[..., Answer]) -> Path:
    """Two folders, each with a game that is called `deck`."""
    for name in ("one", "two"):
        assert playproof("new", "deck", "--kind", "cards", "--in", tmp_path / name).status == 0
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_games_of_one_name_are_refused_together(two_games: Path, playproof: Callable[..., Answer]) -> None:
    """Before this was refused, the second game removed the first one's PDF, and both were said to be made."""
    done = playproof("build", "one/deck", "two/deck", "--paper", "A4")
    assert done.status == 2
    assert "PP113" in done.err
    assert "one/deck" in done.err
    assert "two/deck" in done.err
    assert not list((two_games / "output").rglob("*.pdf"))


@pytest.mark.parametrize("verb", ["build two/deck --paper A4", "prove two/deck", "prove depends two/deck"])
def test_a_verb_leaves_what_was_made_of_the_other_game(
    verb: str, two_games: Path, playproof: Callable[..., Answer]
) -> None:
    assert playproof("build", "one/deck", "--paper", "A4").status == 0
    before = _read_files(two_games / "output")
    done = playproof(*verb.split())
    assert done.status == 2
    assert "PP113" in done.err
    assert _read_files(two_games / "output") == before
    assert playproof("build", "two/deck", "--paper", "A4", "--out", "other").status == 0


def test_a_game_that_moved_keeps_its_output(two_games: Path, playproof: Callable[..., Answer]) -> None:
    assert playproof("build", "one/deck", "--paper", "A4").status == 0
    move(two_games / "one", two_games / "three")
    assert playproof("build", "three/deck", "--paper", "A4").status == 0
    assert json.loads((two_games / "output/deck/.game").read_text()) == {"game": "../../three/deck"}


def test_files_of_a_game_that_is_gone_are_not_removed(two_games: Path, playproof: Callable[..., Answer]) -> None:
    """A manifest beside them lists products that this game lacks: they are another game's."""
    (two_games / "one/deck/layouts/build.yaml").write_text("products:\n  prizes: {kinds: [card]}\n")
    assert playproof("build", "one/deck", "--paper", "A4").status == 0
    move(two_games / "one", two_games / "three")
    made = {path for path in _read_files(two_games / "output") if path.endswith(".pdf")}
    assert any("prizes" in path for path in made)
    assert playproof("build", "two/deck", "--paper", "A4").status == 0
    assert made <= set(_read_files(two_games / "output"))


def test_an_archive_replaces_nothing_that_this_game_did_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, playproof: Callable[..., Answer]
) -> None:
    """The archive of the second game replaced that of the first, and any other `deck.zip`."""
    two_games = tmp_path
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        assert playproof("new", "deck", "--in", name).status == 0
    (two_games / "deck.zip").write_bytes(b"my own")
    done = playproof("export", "archive", "one/deck")
    assert (done.status, (two_games / "deck.zip").read_bytes()) == (2, b"my own")
    assert "PP807" in done.err
    assert "--out" in done.err
    (two_games / "deck.zip").unlink()
    assert playproof("export", "archive", "one/deck").status == 0
    before = (two_games / "deck.zip").read_bytes()
    done = playproof("export", "archive", "two/deck")
    assert (done.status, (two_games / "deck.zip").read_bytes()) == (2, before)
    assert "PP113" in done.err
    assert playproof("export", "archive", "one/deck").status == 0
    assert playproof("export", "archive", "two/deck", "--out", "two.zip").status == 0


def test_games_of_one_name_are_kept_in_two_files_at_the_terminal(two_games: Path) -> None:
    kept = [_claim_and_get_usual_autosave_file(f"{folder}/deck", "deck") for folder in ("one", "two", "one")]
    assert kept[0] == kept[2] == Path(".playproof/play/deck.txt")
    assert kept[1].name.startswith("deck-")


def test_a_cache_that_cannot_be_written_is_what_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, playproof: Callable[..., Answer]
) -> None:
    """The folder of evidence was named in its place, to make room and rights there."""
    (tmp_path / "file").write_text("", "utf-8")
    assert playproof("new", "deck", "--in", tmp_path).status == 0
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "file" / "cache"))
    done = playproof("prove", tmp_path / "deck", "--claim", "chance", "--out", tmp_path / "out")
    assert done.status == 2
    assert f"{tmp_path}/file/cache: PP806 " in done.err
    assert "UNKNOWN  chance" in done.out
    assert str(tmp_path / "out") not in done.err
