"""Runs the command line inside the test's process, with what it prints and its exit status."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status


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
