"""Games that do not end, hidden cells that are told, and reveals, at the command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
PASSING = str(Path(__file__).parents[1] / "referee" / "games" / "passing")
GROPING = str(Path(__file__).parents[1] / "referee" / "games" / "groping")

LATE = """from playproof import Game, Options, when, win

def build(options: Options) -> Game:
    g = Game("long", players=1)
    s = g.state
    g.integer("count", 0, 12_000)
    go = g.phase("go")

    @g.action(go, "count")
    def counting() -> None:
        with when(s.count < 0):
            win("never")
        s.count += 1

    return g
"""


def test_simulate_stops_games_and_says_so(playproof: Call) -> None:
    done = playproof("simulate", PASSING, "--games", "4", "--longest", "30", "--jobs", "1")
    assert done.status == 1
    assert "4 of 4 games had not ended after 30 steps" in " ".join(done.out.split())
    assert playproof("simulate", PASSING, "--option", "stop=soon", "--games", "4").status == 0


def test_bots_that_think_are_stopped_sooner(playproof: Call) -> None:
    """10,000 steps of a game without an end took a minute, and twelve games three."""
    done = playproof("simulate", PASSING, "--games", "2", "--bot", "greedy", "--jobs", "1")
    assert done.status == 1
    assert "2 of 2 games had not ended after 2,000 steps" in " ".join(done.out.split())
    done = playproof("simulate", PASSING, "--games", "1", "--bot", "greedy", "--jobs", "1", "--longest", "30")
    assert "had not ended after 30 steps" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("given", "unread"),
    [
        (("--replay", "0", "--check"), "--check"),
        (("--replay", "0", "--plot", "run.svg"), "--plot"),
        (("--out", "log", "--longest", "30"), "--longest"),
        (("--out", "log", "--plot", "run.svg"), "--plot"),
    ],
)
def test_simulate_refuses_options_that_it_would_not_read(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], unread: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = playproof("simulate", PASSING, "--games", "2", *given)
    assert done.status == 2
    assert f"goes without {unread}" in done.err
    assert not list(tmp_path.iterdir())


def test_a_violation_beyond_the_usual_length_is_found_again(playproof: Call, tmp_path: Path) -> None:
    """Played again, the game was stopped after 10,000 steps whatever --longest said: a fault of Playproof's own."""
    rules = tmp_path / "long" / "rules.py"
    rules.parent.mkdir()
    rules.write_text(LATE, encoding="utf-8")
    done = playproof("simulate", rules.parent, "--games", "1", "--check", "--longest", "20000", "--out", tmp_path / "o")
    assert done.status == 1
    assert "after step 12,001" in done.out or "after step 12001" in done.out


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


WILD = """from playproof import Game, Options, otherwise, when, win

def build(options: Options) -> Game:
    g = Game("wild", players=2)
    s = g.state
    g.array("row", 8, 0, 3)
    g.integer("at", 0, 7)
    g.integer("turn", 0, 1)
    g.integer("count", 0, 60)
    far = g.table("far", [1, 1, 1, 100_000_000])
    play = g.phase("play", s.turn)

    @g.action(play, "step {n}", n=4)
    def step(n) -> None:
        s.count += 1
        with when((s.row[s.at] == 3) & (s.count > 12)):
            s.at = s.at + far[n]
        s.row[s.at] = 3
        s.turn = 1 - s.turn
        with when(s.count == 60):
            win("over", winner=s.turn)
        with otherwise(s.at == 7):
            s.at = 0

    return g
"""


def test_a_value_far_out_of_bounds_ends_no_process(tmp_path: Path) -> None:
    """Machine code took it for an index: `simulate`, `report` and `prove` died of a segmentation fault."""
    (tmp_path / "wild").mkdir()
    (tmp_path / "wild" / "rules.py").write_text(WILD, encoding="utf-8")
    program = "from playproof.cli.main import main; main()"
    for verb in (("simulate", "wild", "--games", "500"), ("prove", "wild", "--work", "3")):
        done = subprocess.run(
            [sys.executable, "-c", program, *verb], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode in (1, 2)
        assert "PP310 `at` holds 0..7, the rule gives 10000000" in done.stdout + done.stderr
