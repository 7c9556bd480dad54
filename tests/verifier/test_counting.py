"""Counts of states and distances: compared with a search of a few lines, and evidence that says another number."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof.database.errors import InputError
from playproof.language import CHANCE, Game, Interpreter, Local, goto, otherwise, require, when, win
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.closed_set_certificate import count_states_and_get_distance_or_minus_1
from playproof.verifier.kernel.state_graphs import enumerate_states_from_start
from playproof.verifier.kernel.statements import Event
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Verdict
from tests.published_games import get_published_game
from tests.verifier.closed_sets import restate, state_count, state_distance
from tests.verifier.conftest import recheck

OPTIONS = {"heaps": "2-3-4"}
END = {"outcome": "win"}
WON = {**END, "seat": 1}


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
    condition = TargetReader(game).read_single_target_of_spec(WON).condition
    graph = enumerate_states_from_start(game, False, 10_000, keep_moves=False)
    assert not len(graph.edges)
    assert (len(graph.cells), np.count_nonzero(graph.evaluate_condition_in_each_state(game, condition))) == by_hand()
    with pytest.raises(NotShown, match="more than 20 states"):
        enumerate_states_from_start(game, False, 20, keep_moves=False)


def test_another_number_is_refused() -> None:
    game = build("nim", Options(OPTIONS))
    true = state_count(Event(WON), *by_hand())
    true.require_valid_for_game(game, Context())
    for wrong in (
        restate(true, number=true.about.number + 1),
        restate(true, states=true.listing.states + 1),
        restate(true, states=true.listing.states - 1),
        restate(true, event=Event({"outcome": "win"})),
        restate(true, event=Event({"action": "take"})),
    ):
        with pytest.raises(NotShown):
            wrong.require_valid_for_game(game, Context())


def test_actions_are_not_counted() -> None:
    [found] = prove("nim", claims=[Question("taken", "count", {"action": "take"})], machine=False)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "not supported: states are counted, not actions")


def distances_by_hand(game: Game, wanted: Callable[[list[int]], bool]) -> list[int]:
    """How far each state is that meets a condition: a search takes a state again if a shorter way comes to it."""
    play = Interpreter(game)
    best, todo = {tuple(play.start()): 0}, [play.start()]
    while todo:
        state = todo.pop()
        for ident in [] if play.terminal(state) else play.legal(state):
            after, far = play.apply(state, ident), best[tuple(state)] + 1
            if far < best.get(tuple(after), far + 1):
                best[tuple(after)] = far
                todo.append(after)
    return sorted(far for state, far in best.items() if wanted(list(state)))


def drawn_walk(seed: int) -> Game:
    """A drawn graph of twelve places. A round that sometimes goes on orders the states otherwise than distance does;
    from some places chance decides."""
    r = random.Random(seed)
    g = Game("walk")
    s = g.state
    ways = g.table("ways", [[r.randrange(12) for _ in range(12)] for _ in range(3)])
    g.integer("place", 0, 11)
    g.integer("turn", 0, 2)
    g.integer("luck", 0, 1)
    g.quantity("turn", s.turn)
    g.fact(round="turn")
    go = g.phase("go")
    fall = g.phase("fall", actor=CHANCE)

    @g.action(go, "take way {way}", way=3)
    def take(way: Local) -> None:
        require((s.place % 5 != way) | (s.luck == 1), "D1", "no way")
        s.place = ways[way, s.place]
        with when((s.place == 3) & (s.turn < 2)):
            s.turn += 1
        with when(s.place == 11):
            win("home")
        with otherwise(s.place % 4 == 1):
            goto(fall)

    @g.action(fall, "fall {to}", to=2)
    def land(to: Local) -> None:
        s.luck = to
        goto(go)

    return g


def test_distances_are_those_of_a_plain_search() -> None:
    """Drawn games, two conditions, nearest and farthest, by both readers, and the evidence of each answer. 160 of them
    agreed when this was written."""
    answers = 0
    for seed in range(6):
        game = drawn_walk(seed)
        home = distances_by_hand(game, lambda state: state[1] != 0)
        lucky = distances_by_hand(game, lambda state: state[-1] == 1)
        assert [f.name for f in game.fields][-1] == "luck"
        for spec, far_off in (({"outcome": "win"}, home), ({"holds": "luck == 1"}, lucky)):
            for few in (100, 100_000):
                context, event = Context(), Event(spec)
                ends = (far_off[0], far_off[-1]) if far_off else (-1, -1)
                for far in (False, True):
                    states, number = count_states_and_get_distance_or_minus_1(game, event, far, few, context)
                    assert number == ends[far]
                    made = state_distance(event, far, states, number)
                    if number < 0:
                        with pytest.raises(NotShown, match="-1 decisions away"):
                            made.require_valid_for_game(game, Context())
                    else:
                        made.require_valid_for_game(game, Context())
                    answers += 1
    assert answers == 48


def test_forged_distances_are_refused() -> None:
    game, event = build(get_published_game("hanoi"), Options({"discs": "3"})), Event({"holds": "peg[2] == 2"})
    near, far = (
        state_distance(event, far, *count_states_and_get_distance_or_minus_1(game, event, far, 10_000, Context()))
        for far in (False, True)
    )
    assert (near.about.number, far.about.number) == (4, 7)
    for true in (near, far):
        true.require_valid_for_game(game, Context())
        for wrong in (
            restate(true, number=true.about.number + 1),
            restate(true, number=true.about.number - 1),
            restate(true, states=true.listing.states + 1),
            restate(true, states=true.listing.states - 1),
            restate(true, states=30_000),
            restate(true, far=not true.about.far),
            restate(true, event=Event({"holds": "peg[2] == 0"})),
            restate(true, event=Event({"action": "move"})),
        ):
            with pytest.raises(NotShown):
                wrong.require_valid_for_game(game, Context())


def test_distances_are_answered_checked_and_empty(tmp_path: Path) -> None:
    asked = [
        Question("near", "distance", {"nearest": END}, values=OPTIONS, expect=3),
        Question("none", "distance", {"farthest": {"holds": "outcome == 7"}}, values=OPTIONS),
        Question("far", "distance", {"farthest": END}, values=OPTIONS, expect=3),
    ]
    found = prove("nim", claims=asked, machine=False, output=tmp_path)
    assert [(a.verdict, a.value) for a in found] == [(Verdict.PROVEN, 3), (Verdict.VACUOUS, None), (Verdict.REFUTED, 4)]
    assert [code for a in found for code in recheck(a, *asked, game="nim")] == []
    moved = replace(asked[0], of={"farthest": END})
    assert recheck(found[0], moved, game="nim") != []


@pytest.mark.parametrize(
    ("of", "expect", "message"),
    [
        ({"near": WON}, None, "expected `of` as {nearest: target} or {farthest: target}"),
        ({"nearest": WON, "farthest": WON}, None, "expected `of` as {nearest: target} or {farthest: target}"),
        ({"nearest": {"holds": "heapp == 1"}}, None, "heapp"),
        ({"nearest": WON}, "4", "expected `expect` as a whole number"),
    ],
)
def test_a_distance_that_cannot_be_read_is_refused(of: object, expect: object, message: str) -> None:
    with pytest.raises(InputError) as refused:
        prove("nim", claims=[Question("q", "distance", of, values=OPTIONS, expect=expect)], machine=False)
    assert message in refused.value.findings[0].message
