"""Nobody waits without a word: long commands show progress in a pipe too, and results come one by one."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from playproof.cli import arguments
from playproof.cli.arguments import show_progress_of_counted_work, show_progress_of_work_in_words

Call = Callable[..., Any]


Caught = pytest.CaptureFixture[str]
"""What a test catches is a pipe: no terminal."""


def test_the_first_line_comes_before_the_work(capsys: Caught) -> None:
    with show_progress_of_work_in_words("proving"):
        assert capsys.readouterr().err == "playproof: proving ...\n"
    with show_progress_of_counted_work("building"):
        assert capsys.readouterr().err == "playproof: building ...\n"


def test_lines_follow_while_the_work_goes_on(capsys: Caught, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "BETWEEN", 0.0)
    with show_progress_of_work_in_words("proving") as say:
        say("the first claim")
        say("the first claim")
        assert capsys.readouterr().err.count("the first claim") == 1
    with show_progress_of_counted_work("building") as step:
        step(1, 3)
        assert capsys.readouterr().err.endswith("playproof: building: 1 of 3 ...\n")


def test_a_log_does_not_fill_up(capsys: Caught, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "BETWEEN", 3600.0)
    with show_progress_of_work_in_words("proving") as say:
        for number in range(100):
            say(f"claim {number}")
    assert capsys.readouterr().err == "playproof: proving ...\n"


def test_work_that_says_nothing_shows_that_it_goes_on(capsys: Caught, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while other processes work: `errata` was silent for up to 50 s."""
    before = signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(arguments, "SILENCE", 0.1)
    with show_progress_of_work_in_words("proving") as say:
        say("3 of 9 claims")  # a count that is not due is what the next line says
        until = monotonic() + 0.5
        while monotonic() < until:
            sleep(0.05)
    lines = capsys.readouterr().err.splitlines()
    assert lines[1] == "playproof: 3 of 9 claims, 0 s ..."
    assert lines[2:] == [lines[1]] * len(lines[2:])  # each says at what
    assert 1 <= len(lines[1:]) <= 3  # each later than the one before
    assert signal.getsignal(signal.SIGALRM) is before
    sleep(0.2)
    assert capsys.readouterr().err == ""


def test_errata_tells_the_changes_before_anything_is_checked(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The changed cards are printed while lint and the claims are still to come."""
    import click

    from playproof.errata import consistency

    printed: list[str] = []
    echo = click.echo
    monkeypatch.setattr(click, "echo", lambda text="", **named: (printed.append(str(text)), echo(text, **named))[1])
    checked = list[list[str]]()
    lint = consistency.list_all_lint_findings_of_game
    monkeypatch.setattr(
        consistency, "list_all_lint_findings_of_game", lambda *given: (checked.append(list(printed)), lint(*given))[1]
    )
    playproof("new", "lamp_walk", "--in", tmp_path)
    game = tmp_path / "lamp_walk"
    (game / "errata").mkdir()
    (game / "errata" / "1.1.yaml").write_text(
        'version: "1.1"\ndate: 2026-11-20\nnote: Why.\n'
        'changes:\n  - {component: "06", path: title, from: The Ferryman, to: A Ferryman}\n',
        "utf-8",
    )
    assert playproof("errata", game, "--no-proof", "--jobs", "1", "--out", tmp_path / "out").status == 0
    assert any("06 A Ferryman" in text for text in checked[0])
    assert "playproof: checking the game before and after ..." in checked[0]


@pytest.mark.parametrize(
    "words",
    [("lint", "GAME"), ("build", "GAME", "--paper", "A4"), ("prove", "GAME"), ("simulate", "GAME", "--games", "50")],
)
def test_commands_of_the_front_page_say_at_once_what_they_do(
    playproof: Call, tmp_path: Path, words: tuple[str, ...]
) -> None:
    playproof("new", "lamp_walk", "--in", tmp_path)
    given = [str(tmp_path / "lamp_walk") if word == "GAME" else word for word in words]
    answer = playproof(*given, *([] if words[0] == "lint" else ["--out", tmp_path / "out"]))
    assert answer.status == 0
    assert answer.err.startswith("playproof: ")
    assert answer.err.splitlines()[0].endswith(" ...")
