"""The three questions of a designer of a solo game, cold: how often it can be won, how hard it is, which card is apart.

    python -m tests.benchmarks solo

Each game of `tests/verifier/solo_games` is asked by two commands with an empty cache and no other options: `prove GAME
--claim chance` and `report GAME`. Seconds are CPU seconds of both and their children: two idle cores have 600 of them
in five minutes. Truth is the exact chance, where more work has proved it. `PLAYPROOF_SOLO_GAMES=a,b` asks some only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Row
from tests.verifier.test_estimates import CHANCES, GAMES

SLOW = True
_SECONDS, _WIDTH, _NARROW = 600, 0.15, 7  # CPU seconds for each game; how wide an interval may be, in so many games
_CLOCK = 1_500  # seconds after which a command on a busy machine is given up


@dataclass(frozen=True)
class Command:
    """What a command printed, and its CPU seconds."""

    said: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class Between:
    """An interval, and which of its ends are proved."""

    low: float
    high: float
    low_proved: bool
    high_proved: bool

    @property
    def width(self) -> float:
        return self.high - self.low

    def __str__(self) -> str:
        if self.width == 0:
            return f"{self.low:.4f}, {'proved' if self.low_proved and self.high_proved else 'estimated'}"
        words = {True: "proved", False: "estimated"}
        return f"{self.low:.3f} ({words[self.low_proved]}) to {self.high:.3f} ({words[self.high_proved]})"


def run() -> list[Row]:
    """Ask all games, and say how many hold."""
    names = os.environ.get("PLAYPROOF_SOLO_GAMES", "")
    rows: list[Row] = []
    narrow = quick = 0
    asked = names.split(",") if names else sorted(folder.name for folder in GAMES.iterdir() if folder.is_dir())
    for name in asked:
        mine, width, seconds = ask_game(GAMES / name)
        for row in mine:
            print(" | ".join(row.cells()), flush=True)
        rows += mine
        narrow += width <= _WIDTH
        quick += seconds <= _SECONDS
    what = f"of {len(asked)} games: in time, and both intervals narrow"
    return [*rows, Row(what, f"{quick}, {narrow}", "", "", f"all, {_NARROW} of 10")]


def ask_game(folder: Path) -> tuple[list[Row], float, float]:
    """Return a row for each question, the wider of the two intervals, and the CPU seconds of all."""
    with tempfile.TemporaryDirectory() as made:
        proved = ask("prove", str(folder), "--claim", "chance", "--json", made=made)
        report = ask("report", str(folder), "--json", made=made)
    name, truth = folder.name, CHANCES.get(folder.name)
    often, hard = read_claim(proved.said["claims"][0]), read_best(report.said["best"])
    apart = [card["word"] for card in report.said["cards"] if card["apart"]]
    cards = (
        f"{len(report.said['cards'])} cards, {len(apart)} apart: {', '.join(apart)}"
        if report.said["cards"]
        else f"no cards, {len(report.said['choices'])} kinds of choice"
    )
    wins = ", ".join(f"{rung['bot']} {rung['wins']['value']:.2f}" for rung in report.said["ladder"])
    rows = [
        row_of_interval(f"{name}: how often", often, truth, proved.seconds),
        row_of_interval(f"{name}: how hard ({wins})", hard, truth, report.seconds),
        Row(f"{name}: which card", cards, "", "", "an answer"),
    ]
    return rows, max(often.width, hard.width), proved.seconds + report.seconds


def row_of_interval(what: str, found: Between, truth: float | None, seconds: float) -> Row:
    """Return what is said, whether the truth is in it, and its width."""
    inside = "truth not known"
    if truth is not None:
        is_in = found.low - 2e-6 <= truth <= found.high + 2e-6
        inside = f"truth {truth:.4f} {'inside' if is_in else 'OUTSIDE'}"
    return Row(f"{what}, {seconds:.0f} s", str(found), inside, f"{found.width:.3f}", f"at most {_WIDTH}")


def read_claim(claim: dict[str, Any]) -> Between:
    """Return what `prove` says of a chance."""
    if claim["verdict"] == "PROVEN":
        return Between(claim["value"], claim["value"], low_proved=True, high_proved=True)
    proved, estimated = claim["bound"], claim["bound"].get("estimated", {})
    low, high = proved.get("at least", 0.0), proved.get("at most", 1.0)
    return Between(
        max(low, estimated.get("at least", 0.0)),
        min(high, estimated.get("at most", 1.0)),
        low_proved=low >= estimated.get("at least", 0.0),
        high_proved=high <= estimated.get("at most", 1.0),
    )


def read_best(best: dict[str, Any] | None) -> Between:
    """Return what a report says of best play."""
    if best is None:
        return Between(0.0, 1.0, low_proved=False, high_proved=False)
    if best["value"] is not None:
        return Between(best["value"], best["value"], low_proved=True, high_proved=True)
    return Between(
        best["low"] or 0.0, 1.0 if best["high"] is None else best["high"], best["low_proved"], best["high_proved"]
    )


def ask(*words: str, made: str) -> Command:
    """Return what a command printed as JSON, with its cache and output below a folder."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "playproof", *words, "--out", f"{made}/output"],
        capture_output=True,
        check=False,
        timeout=_CLOCK,
        text=True,
        env={**os.environ, "PLAYPROOF_CACHE": f"{made}/cache"},
    )
    after = os.times()
    if not done.stdout:
        raise RuntimeError(done.stderr)
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Command(json.loads(done.stdout), used)
