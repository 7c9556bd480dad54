"""Counts of states: compared with a search of a few lines, and evidence that says another number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.exploration import Count, gone_through
from playproof.verifier.kernel.statements import Event
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Targets
from playproof.verifier.questions.verdicts import Verdict
from tests.verifier.conftest import recheck

OPTIONS = {"heaps": "2-3-4"}
WON = {"outcome": "win", "seat": 1}


def by_hand() -> tuple[int, int]:
    """The positions of nim, and those that the second player has won, in a few lines."""
    play = Interpreter(build("nim", Options(OPTIONS)))
    seen, todo = {tuple(play.start())}, [play.start()]
    while todo:
        state = todo.pop()
        for ident in [] if play.terminal(state) else play.legal(state):
            after = play.apply(state, ident)
            if tuple(after) not in seen:
                seen.add(tuple(after))
                todo.append(after)
    return len(seen), sum(play.terminal(s) and play.returns(s)[1] == 1 for s in seen)


def test_states_are_counted_as_a_plain_search_counts_them(tmp_path: Path) -> None:
    asked = [
        Question("all", "count", {"holds": "outcome >= 0"}, values=OPTIONS, expect=by_hand()[0]),
        Question("won", "count", WON, values=OPTIONS, expect=by_hand()[1]),
    ]
    found = prove("nim", claims=asked, machine=False, output=tmp_path)
    assert [a.verdict for a in found] == [Verdict.PROVEN] * 2
    assert [code for a in found for code in recheck(a, *asked, game="nim")] == []


def test_many_states_are_counted_without_their_moves() -> None:
    game = build("nim", Options(OPTIONS))
    condition = Targets(game).one(WON).condition
    graph = gone_through(game, False, 10_000, moves=False)
    assert not len(graph.edges)
    assert (len(graph.cells), np.count_nonzero(graph.holds(game, condition))) == by_hand()
    with pytest.raises(NotShown, match="more than 20 states"):
        gone_through(game, False, 20, moves=False)


def test_another_number_is_refused() -> None:
    game = build("nim", Options(OPTIONS))
    true = Count(Event(WON), *by_hand())
    true.check(game, Context())
    for wrong in (
        replace(true, number=true.number + 1),
        replace(true, states=true.states + 1),
        replace(true, states=true.states - 1),
        replace(true, event=Event({"outcome": "win"})),
        replace(true, event=Event({"action": "take"})),
    ):
        with pytest.raises(NotShown):
            wrong.check(game, Context())


def test_actions_are_not_counted() -> None:
    [found] = prove("nim", claims=[Question("taken", "count", {"action": "take"})], machine=False)
    assert (found.verdict, found.reason) == (
        Verdict.UNKNOWN,
        "not supported: states are counted, not actions",
    )
