"""Runs the command line inside the test's process, with what it prints and its exit status; and games to run it on."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.installation import CARDS
from playproof.generator.layout.layout_files import LAYOUTS


@dataclass(frozen=True)
class Answer:
    """What one call gave."""

    status: int
    out: str
    err: str


@pytest.fixture
def playproof(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """`playproof("log", "judge", "x.txt", stdin="...")`."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str, stdin: str = "") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        status = run_command_line_and_get_exit_status([str(a) for a in arguments])
        shown = capsys.readouterr()
        return Answer(status, shown.out, shown.err)

    return call


@pytest.fixture
def game(playproof: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new game, in the working folder."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    return tmp_path / "lamp_walk"


def change(path: Path, old: str, new: str) -> None:
    """Replace a text that stands once in a file."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def copy_game_without_errata(name: str, parent: Path) -> Path:
    """Copy a shipped game with its layouts into a folder of its own, with a folder for errata of which it has none."""
    folder = parent / name
    copytree(CARDS / name, folder, ignore=ignore_patterns("errata"))
    copytree(LAYOUTS / name, folder / "layouts")
    (folder / "errata").mkdir()
    return folder
