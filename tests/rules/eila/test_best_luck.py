"""Stored games: the quickest wins under the best luck, and one random game of each chapter as text."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.language import CHANCE, Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from tests.rules.eila.scene import line

WITNESS = Path(__file__).parent / "witness"


@pytest.mark.parametrize(("chapter", "rounds"), [("0", 2), ("1", 5)])
def test_a_quick_win_replays(chapter: str, rounds: int) -> None:
    """Found by search: 3 tokens at 2 a Night need two Nights, 10 need five, so neither can be beaten."""
    game = build("eila", Options({"chapter": chapter}))
    play = Interpreter(game)
    state = play.start()
    for wanted in (WITNESS / f"chapter-{chapter}.txt").read_text(encoding="utf-8").splitlines():
        found = [i for i in play.legal(state) if line(game, i) == wanted]
        assert found, f"{wanted} is not legal; legal are {[line(game, i) for i in play.legal(state)]}"
        state = play.apply(state, found[0])
    end = play.ending(state)
    assert end is not None
    assert (end.kind, play.quantity("round", state)) == ("win", rounds)


@pytest.mark.parametrize("chapter", ["0", "1"])
def test_golden_playthrough(chapter: str, golden: Callable[[str, str], None]) -> None:
    game = build("eila", Options({"chapter": chapter}))
    play, choose = Interpreter(game), random.Random(2)
    state, lines = play.start(), []
    while not play.terminal(state):
        ident = choose.choice(play.legal(state))
        who = "chance" if play.actor(state) == CHANCE else "player"
        held = " ".join(
            str(play.quantity(n, state))
            for n in ("round", "hearts", "food", "gold", "stone", "energy", "knowledge", "fear", "placed")
        )
        lines.append(f"{held} | {len(play.legal(state))} | {who}: {game.show(ident)}")
        state = play.apply(state, ident)
    end = play.ending(state)
    lines.append(f"{end.kind}: {end.reason}" if end else "unfinished")
    head = "round hearts food gold stone energy knowledge fear placed | legal actions | who: what"
    golden(f"chapter-{chapter}.txt", "\n".join([head, *lines, ""]))
