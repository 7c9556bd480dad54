"""Games that do not end, hidden cells that are told, and reveals, at the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[..., Any]
PASSING = str(Path(__file__).parents[1] / "referee" / "games" / "passing")
GROPING = str(Path(__file__).parents[1] / "referee" / "games" / "groping")


def test_simulate_stops_games_and_says_so(playproof: Call) -> None:
    done = playproof("simulate", PASSING, "--games", "4", "--longest", "30", "--jobs", "1")
    assert done.status == 1
    assert "4 of 4 games had not ended after 30 steps" in " ".join(done.out.split())
    assert playproof("simulate", PASSING, "--option", "stop=soon", "--games", "4").status == 0


def test_simulate_names_the_game_that_breaks_a_declared_bound(playproof: Call, tmp_path: Path) -> None:
    for check in ((), ("--check",)):
        done = playproof(
            "simulate", PASSING, "--games", "4", "--option", "declared=yes", "--out", tmp_path, *check, "--jobs", "1"
        )
        if check:
            assert done.status == 1
            assert "game 0 of seed 0, after step 5 (pass): the rules declare `ends_within=4`" in done.out
        else:  # a log needs whole games
            assert done.status == 2
            assert "PP815 game 0 of seed 0" in done.err


def test_play_of_bots_alone_ends_with_a_sentence(playproof: Call) -> None:
    done = playproof("play", PASSING, "--option", "declared=yes", "--bot", "random,random", "--seed", "3")
    assert done.status == 2
    assert "PP815 seed 3, step 5: the rules declare `ends_within=4`" in done.err


def test_lint_names_the_requirement_that_tells(playproof: Call) -> None:
    done = playproof("lint", GROPING)
    assert done.status == 0
    assert "rules.py:16:9: PP374 warning: G1: whether `mark` is legal depends on `board`" in done.out + done.err


def test_a_transcript_names_what_a_reveal_shows(playproof: Call, tmp_path: Path) -> None:
    """As a comment, so that the game is read as before."""
    game = str(Path(__file__).parents[2] / "src" / "playproof" / "cli" / "cookbook" / "simultaneous_choice")
    written = playproof("simulate", game, "--replay", "1").out
    assert "\n# each hand is revealed: player 1 " in written
    (tmp_path / "game.txt").write_text(written, encoding="utf-8")
    assert playproof("log", "judge", "--game", game, str(tmp_path / "game.txt")).status == 0
