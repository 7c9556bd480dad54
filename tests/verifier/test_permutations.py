"""Puzzles whose cells hold a permutation, which half of all orders never reach: what is shown of them, and by going
through all states that it is true.

Each game is written in another way: tiles without a field for the gap, with its row and its column, with a look at the
board in an automatic phase, by the place of each tile; rows and columns that are pushed round; cards that change places
two pairs at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.weights import WeighingCertificate, WeightedSum
from playproof.verifier.proof.weighing import find_weighing_kernel_accepts_or_none
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import recheck

WIN = Event({"outcome": "win"})
BEGIN = """\
from playproof import Game, all_of, goto, keep, otherwise, require, when, win


def build(options):
    rows, n = options.number("rows", range(2, 5), 2), options.number("columns", range(2, 5), 3)
    odd = options.choice("start", ["exchanged", "solved"]) == "exchanged"
    m = rows * n
    solved = [*range(1, m), 0]
    start = [*solved[: m - 3], m - 1, m - 2, 0] if odd else [*solved[: m - 2], 0, m - 1]
    near = [[int(abs(a // n - b // n) + abs(a % n - b % n) == 1) for b in range(m)] for a in range(m)]
    g = Game("permuted")
    s = g.state
    play = g.phase("play")
"""
GAMES = {
    "plain": """\
    g.array("tile", m, 0, m - 1, start)
    near = g.table("near", near)

    @g.action(play, "slide from {a} to {b}", a=m, b=m)
    def slide(a, b):
        require(near[a, b] == 1, "S", "far")
        require(s.tile[b] == 0, "S", "no gap")
        s.tile[b] = s.tile[a]
        s.tile[a] = 0
        with when(all_of(s.tile[k] == solved[k] for k in range(m))):
            win("in order")
    return g
""",
    "rowcol": """\
    gap = start.index(0)
    g.array("tile", (rows, n), 0, m - 1, [start[r * n: r * n + n] for r in range(rows)])
    g.integer("row", 0, rows - 1, gap // n)
    g.integer("col", 0, n - 1, gap % n)

    @g.action(play, "move {way}", way=["up", "down", "left", "right"])
    def move(way):
        r = keep(s.row + (way == 1) - (way == 0))
        c = keep(s.col + (way == 3) - (way == 2))
        require((r >= 0) & (r < rows) & (c >= 0) & (c < n), "S", "off the board")
        s.tile[s.row, s.col] = s.tile[r, c]
        s.tile[r, c] = 0
        s.row = r
        s.col = c
        with when(all_of(s.tile[k // n, k % n] == solved[k] for k in range(m - 1))):
            win("in order")
    return g
""",
    "phases": """\
    g.array("tile", m, 0, m - 1, start)
    g.integer("gap", 0, m - 1, start.index(0))
    g.integer("moves", 0, 999)
    look = g.automatic("look")
    near = g.table("near", near)

    @g.action(play, "push {a}", a=m)
    def push(a):
        require(near[a, s.gap] == 1, "S", "far")
        s.tile[s.gap] = s.tile[a]
        s.tile[a] = 0
        s.gap = a
        with when(s.moves < 999):
            s.moves += 1
        goto(look)

    @g.on(look)
    def looking():
        with when(all_of(s.tile[k] == k + 1 for k in range(m - 1))):
            win("in order")
        with otherwise():
            goto(play)
    return g
""",
    "cycles": """\
    pushed = [solved[n - 1], *solved[: n - 1], *solved[n:]]
    g.array("tile", m, 0, m - 1, [*solved[: m - 2], 0, m - 1] if odd else pushed)

    @g.action(play, "shift row {r}", r=rows)
    def row(r):
        first = keep(s.tile[r * n])
        for k in range(n - 1):
            s.tile[r * n + k] = s.tile[r * n + k + 1]
        s.tile[r * n + n - 1] = first
        with when(all_of(s.tile[k] == solved[k] for k in range(m))):
            win("in order")

    @g.action(play, "shift column {c}", c=n)
    def column(c):
        first = keep(s.tile[c])
        for k in range(rows - 1):
            s.tile[c + k * n] = s.tile[c + k * n + n]
        s.tile[c + m - n] = first
        with when(all_of(s.tile[k] == solved[k] for k in range(m))):
            win("in order")
    return g
""",
    "pairs": """\
    twice = [solved[1], solved[0], *solved[2 : m - 2], solved[m - 1], solved[m - 2]]
    g.array("tile", m, 0, m - 1, start if odd else twice)

    @g.action(play, "exchange at {a} and at {b}", a=m - 1, b=m - 1)
    def both(a, b):
        require(a != b, "S", "two pairs")
        one = keep(s.tile[a])
        s.tile[a] = s.tile[a + 1]
        s.tile[a + 1] = one
        two = keep(s.tile[b])
        s.tile[b] = s.tile[b + 1]
        s.tile[b + 1] = two
        with when(all_of(s.tile[k] == solved[k] for k in range(m))):
            win("in order")
    return g
""",
    "places": """\
    places = [start.index(t) for t in range(m)]
    g.array("at", m, 0, m - 1, places)
    near = g.table("near", near)

    @g.action(play, "push {t}", t=range(1, m))
    def push(t):
        require(near[s.at[t], s.at[0]] == 1, "S", "far")
        gap = keep(s.at[0])
        s.at[0] = s.at[t]
        s.at[t] = gap
        with when(all_of(s.at[k] == solved.index(k) for k in range(m))):
            win("in order")
    return g
""",
}
SIZES = {"cycles": ("3", "3")}
"""Rows and columns, if they are not two and three: a row of three that is pushed round is even, one of two is odd."""


def options_of(name: str, start: str) -> dict[str, str]:
    rows, columns = SIZES.get(name, ("2", "3"))
    return {"rows": rows, "columns": columns, "start": start}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folders = {}
    for name, rules in GAMES.items():
        folder = tmp_path_factory.mktemp(name)
        (folder / "rules.py").write_text(BEGIN + rules, encoding="utf-8")
        folders[name] = str(folder)
    return folders


def find_certificate(ref: str, values: dict[str, str]) -> tuple[GameCase, WeighingCertificate | None]:
    case = GameCase(ref, values, machine=False)
    [target] = TargetReader(case.game).read_targets_of_spec(WIN.of)
    return case, find_weighing_kernel_accepts_or_none(case, WIN, target, Budget(60))


def can_be_won(ref: str, values: dict[str, str]) -> bool:
    """By going through all states, here."""
    game = build(ref, Options(values))
    play = Interpreter(game)
    seen = {tuple(play.start())}
    waiting = list(seen)
    for state in waiting:
        if play.terminal(state):
            return True
        for ident in play.legal(state):
            after = tuple(play.apply(state, ident))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


@pytest.mark.parametrize("name", GAMES)
def test_what_is_never_in_order_is_shown(games: dict[str, str], name: str) -> None:
    case, certificate = find_certificate(games[name], options_of(name, "exchanged"))
    assert certificate is not None
    [number] = certificate.sums
    assert number.permutation
    other = build(games[name], Options(options_of(name, "solved")))
    for false in (certificate, replace(certificate, sums=(replace(number, at=number.at[::-1]),))):
        with pytest.raises(NotShown):
            Theorem(false, other, Context())
    plain = replace(certificate, sums=(replace(number, permutation="", at=()),))
    with pytest.raises(NotShown):
        Theorem(plain, case.game, Context())


@pytest.mark.parametrize("name", ["rowcol", "places", "cycles"])
def test_what_can_be_in_order_is_not_excluded(games: dict[str, str], name: str) -> None:
    assert find_certificate(games[name], options_of(name, "solved"))[1] is None


@pytest.mark.parametrize("name", ["plain", "rowcol", "places", "pairs"])  # the others have more states
def test_all_states_say_the_same(games: dict[str, str], name: str) -> None:
    assert can_be_won(games[name], options_of(name, "solved"))
    assert not can_be_won(games[name], options_of(name, "exchanged"))


def test_a_step_that_makes_values_alike_is_no_permutation(tmp_path: Path) -> None:
    rules = """\
    g.array("tile", 3, 0, 2, [1, 0, 2])

    @g.action(play, "copy {a}", a=2)
    def copy(a):
        s.tile[a] = s.tile[a + 1]
        with when((s.tile[0] == 0) & (s.tile[1] == 1) & (s.tile[2] == 2)):
            win("in order")
    return g
"""
    (tmp_path / "rules.py").write_text(BEGIN + rules, encoding="utf-8")
    claimed = WeighingCertificate(WIN, (WeightedSum(2, (), "tile", (0, 1, 2)),))
    with pytest.raises(NotShown, match="change their order"):
        Theorem(claimed, build(str(tmp_path)), Context())


def test_four_by_four_with_two_tiles_exchanged_cannot_be_won(games: dict[str, str], tmp_path: Path) -> None:
    values: Any = {"rows": "4", "columns": "4"}
    question = Question("won", "reach", WIN.of, values=values, expect=True)
    [found] = prove(games["rowcol"], claims=[question], machine=False, games=50, work=15, output=tmp_path)
    assert (found.verdict, found.value) == (Verdict.REFUTED, False)
    assert recheck(found, question, game=games["rowcol"]) == []
