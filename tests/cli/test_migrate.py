"""Files of older versions: the two keys that games of this repository had, recorded games, evidence; and newer ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.archives import migration

Call = Callable[..., Any]
BOOKLET = "# Pages of the rulebook.\nbook: true\nsize: a5\ncolumns: 1\nfront: {elements: []}\n"
RULES = "from playproof.rules.language import (\n    Game,\n)\nimport playproof.mutants\n\nGame(better=1)\n"


@pytest.fixture
def game(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game as an early version wrote it: keys that nothing reads any more, and the old names of modules."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "old")
    vocabulary = tmp_path / "old" / "vocabulary.yaml"
    text = vocabulary.read_text("utf-8")
    assert text.count("  gain:\n") == 1
    vocabulary.write_text(
        text.replace("  gain:\n", "  gain:\n    about: |  # why\n      overrules R5\n"), "utf-8"
    )
    (tmp_path / "old" / "layouts" / "booklet.yaml").write_text(BOOKLET, "utf-8")
    (tmp_path / "old" / "more.py").write_text(RULES, "utf-8")
    return tmp_path / "old"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_game_of_an_early_version_is_changed_as_it_is_said(playproof: Call, game: Path) -> None:
    before = contents(game)
    assert playproof("lint", "old").status == 2
    shown = playproof("lint", "migrate", "old")
    assert (shown.status, contents(game)) == (0, before)  # nothing is written before it is asked for
    for line in (
        "vocabulary.yaml:",
        "change   old/layouts/booklet.yaml:4:1: take out `columns`: booklets have one column",
        "change   old/more.py:1:1: `from playproof.rules.language import (` is now `from playproof.language import (`",
        "by hand  old/more.py:6:6: take out `better=`: it decided nothing",
        "nothing is written yet; add --write",
    ):
        assert line in shown.out
    assert playproof("lint", "migrate", "old", "--write").status == 0
    after = contents(game)
    assert {name for name in after if after[name] != before[name]} == {
        "vocabulary.yaml",
        "booklet.yaml",
        "more.py",
    }
    assert after["booklet.yaml"].decode() == BOOKLET.replace("columns: 1\n", "")
    assert b"about" not in after["vocabulary.yaml"]
    (game / "more.py").unlink()
    assert playproof("lint", "old").status == 0
    assert " files are as this version reads them\n" in playproof("lint", "migrate", "old").out


def test_all_or_nothing(playproof: Call, game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, write = contents(game), migration.write_atomically
    done: list[Path] = []

    def full(path: Path, data: bytes) -> None:
        done.append(path)
        if len(done) == 2:
            raise OSError(28, "No space left on device", str(path))
        write(path, data)

    monkeypatch.setattr(migration, "write_atomically", full)
    answer = playproof("lint", "migrate", "old", "--write")
    assert (answer.status, "PP806" in answer.err, contents(game)) == (2, True, before)


def test_a_key_in_braces_is_left_to_its_author(playproof: Call, game: Path) -> None:
    (game / "layouts" / "booklet.yaml").write_text("{book: true, columns: 1}\n", "utf-8")
    assert (
        "by hand  old/layouts/booklet.yaml:1:14: take out `columns`"
        in playproof("lint", "migrate", "old", "--write").out
    )
    assert (game / "layouts" / "booklet.yaml").read_text("utf-8") == "{book: true, columns: 1}\n"


def test_newer_files_are_refused_by_name_and_others_are_named(
    playproof: Call, tmp_path: Path, game: Path
) -> None:
    facts = game / "game.yaml"
    facts.write_text(facts.read_text("utf-8") + 'format: "2.0"\nwhatever: 3\n', "utf-8")
    for verb in ("lint", "build"):
        refused = playproof(verb, "old")
        assert refused.status == 2
        assert (
            "PP266 this game is of format 2.0, and this version of Playproof reads up to 1.0" in refused.err
        )
        assert "whatever" not in refused.err  # it may well be a key of format 2.0
    files = {
        "newer.txt": "playproof transcript 2\ngame: old\n",
        "older.txt": "playproof transcript 1\ngame: old\ndata: 12ab\n",
        "proof.json": '{"playproof": 2}',
        "other.json": "[]",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    said = playproof("lint", "migrate", "older.txt", "proof.json", "--json").out
    assert "a recorded game by its cards, read as before" in said
    assert "evidence of version 2: prove the claim again" in said
    refused = playproof("lint", "migrate", "old", *files, "--write")
    assert refused.status == 2
    assert refused.err.splitlines() == [
        "newer.txt: PP813 this is a recorded game of version 2, and this version of Playproof reads up to 1 "
        "(install a newer Playproof)",
        "old/game.yaml: PP813 this is a game of format 2.0, and this version of Playproof reads up to 1.0 "
        "(install a newer Playproof)",
        "other.json: PP814 expected a game's folder, a recorded game, evidence, a description or an archive",
    ]


def test_this_version_of_a_game_needs_nothing(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "mine", "--in", tmp_path)
    playproof("export", "archive", tmp_path / "mine", "--out", tmp_path / "mine.zip")
    assert playproof("lint", "migrate", tmp_path / "mine", tmp_path / "mine.zip").out.count("\n") == 1
