"""What goes wrong beside a claim: a method that fails, rules that break, numbers and terms that are too large, places
that cannot be written. Each is said of the claim, and of no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.language import Interpreter, RulesError
from playproof.language.compiled import Compiled
from playproof.language.registry import build
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise
from playproof.verifier.kernel.weights import WeightedSum
from playproof.verifier.proof import certificate_offers
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search import best_first, random_games

FIRST_FREE = """
from playproof import *

def build(options):
    g = Game("first_free", players=1)
    s = g.state
    g.array("held", 3)
    g.array("row", 3, 0, 5)
    go = g.phase("go")

    {function}

    @g.action(go, "take {{card}}", card=range(1, 6))
    def take(card):
        place = {place}
        require(place < 3, "R1", "the row is full")
        s.held[min_of(place, 2)] = 1
        s.row[min_of(place, 2)] = card
        with when(s.row[2] > 0):
            win("full")
    return g
"""
BREAKS = """
from playproof import *

def build(options):
    g = Game("breaks", players=1)
    s = g.state
    g.integer("x", 0, 7)
    g.integer("turns", 0, 20)
    p = g.phase("p")

    @g.action(p, "up")
    def up():
        s.x = s.x + 1
        s.turns += 1
        with when(s.turns == 19):
            lose("late")
    return g
"""
ENDLESS = """
from playproof import *

def build(options):
    g = Game("endless", players=1)
    s = g.state
    g.integer("x", 0, 7)
    p = g.phase("p")
    a = g.automatic("a")
    b = g.automatic("b")

    @g.action(p, "up")
    def up():
        s.x = min_of(s.x + 1, 7)
        with when(s.x == 5):
            goto(a)
        with when(s.x == 7):
            win("top")

    @g.on(a)
    def to_b():
        goto(b)

    @g.on(b)
    def to_a():
        goto(a)
    return g
"""
WIDE = """
from playproof import *

def build(options):
    g = Game("wide", players=1)
    s = g.state
    g.integer("x", 0, 2**61)
    g.integer("n", 0, 16)
    p = g.phase("p")

    @g.action(p, "write {bit}", bit=2)
    def write(bit):
        require(s.n < 16, "W1", "all bits are written")
        s.x = (s.x * 2 + bit) % (2**60)
        s.n += 1
        with when(s.x == 12345):
            win("it is written")
    return g
"""
LONG = """
from playproof import *
import functools, operator

def build(options):
    g = Game("long", players=1)
    s = g.state
    g.array("row", 40, 0, 7)
    p = g.phase("p")

    @g.action(p, "up {{i}}", i=40)
    def up(i):
        require(s.row[i] < 7, "L1", "it is full")
        with when(s.row[i] == 6):
            win("top")
        with otherwise({condition}):
            s.row[i] += 1
        with otherwise():
            s.row[i] += 2
    return g
"""
PARTS = "[s.row[i % 40] > i % 7 for i in range(300)]"
WON = Question("won", "reach", {"outcome": "win"})
NEVER = Question("never", "never", {"outcome": "win"})


@pytest.fixture
def game(tmp_path: Path) -> Callable[[str], str]:
    """Write the rules of a game, and return its folder."""

    def write(rules: str) -> str:
        (tmp_path / "game").mkdir(exist_ok=True)
        (tmp_path / "game" / "rules.py").write_text(rules, encoding="utf-8")
        return str(tmp_path / "game")

    return write


def _answer(folder: str, *claims: Question, **limits: Any) -> list[Answer]:
    return prove(folder, claims=list(claims), machine=False, **limits)


@pytest.mark.parametrize(
    ("place", "function"),
    [
        ("keep(sum_of(3, lambda i: s.held[i]))", ""),
        ("keep(count_of(3, lambda i: s.row[i] > 0))", ""),
        ("keep(free())", "@g.function()\n    def free():\n        return sum_of(3, lambda i: s.held[i])"),
        ("keep(max_of(3, lambda i: s.held[i] * (i + 1)))", ""),
    ],
)
def test_an_index_may_be_a_sum_a_count_or_a_function_of_cells(
    game: Callable[[str], str], place: str, function: str
) -> None:
    """Best-first search raised LookupError, and every claim was left open as a fault."""
    rules = FIRST_FREE.format(place=place, function=function)
    least = Question("least", "minimum", {"number": "row[0]", "when": {"outcome": "win"}})
    won, fewest = _answer(game(rules), WON, least)
    assert (won.verdict, fewest.value) == (Verdict.PROVEN, 1)


@pytest.mark.parametrize(
    ("rules", "broken"), [(BREAKS, "`x` holds 0..7, the rule gives 8"), (ENDLESS, "automatic phases")]
)
def test_every_question_says_which_rule_breaks(game: Callable[[str], str], rules: str, broken: str) -> None:
    """Only `luck` said so; the others were "a fault of playproof itself"."""
    over = {"outcome": ["win", "loss"]}
    claims = [
        Question("over", "reach", over),
        Question("never", "never", over),
        Question("luck", "luck", over),
        Question("least", "minimum", {"number": "x", "when": over}),
        Question("most", "maximum", {"number": "x"}),
        Question("count", "count", {"holds": "x > 2"}),
    ]
    for answer in _answer(game(rules), *claims, work=1):
        assert answer.verdict is Verdict.UNKNOWN, answer.id
        assert answer.reason.startswith("the rules break: "), answer.id
        assert "rules.py:" in answer.reason, answer.id
        assert broken in answer.reason, answer.id
        assert "\n" not in answer.reason, answer.id
        assert not answer.fault, answer.id
    [seen] = _answer(game(rules), Question("three", "reach", {"holds": "x == 3"}))
    assert seen.verdict is Verdict.PROVEN  # play that keeps to the rules comes there


def test_numbers_beyond_the_kernels_columns_are_no_fault(game: Callable[[str], str]) -> None:
    [answer] = _answer(game(WIDE), Question("count", "count", {"holds": "x > 20000"}))
    assert answer.verdict is Verdict.UNKNOWN
    assert "too large for columns of 64 bits" in answer.reason
    assert not answer.fault


@pytest.mark.parametrize("join", ["all_of({})", "any_of({})", "sum_of({}) > 7"])
def test_a_list_of_hundreds_of_conditions_is_read_by_all(game: Callable[[str], str], join: str) -> None:
    """Python takes at most 200 nested parentheses, which generated code had."""
    built = build(game(LONG.format(condition=join.format(PARTS))))
    compiled, play = Compiled(built, machine=False), Interpreter(built)
    state = play.start()
    for ident in (0, 3, 17):
        after = play.apply(state, ident)
        compiled.apply(state, ident)
        assert state == after


@pytest.mark.parametrize("operator", ["and_", "or_", "add"])
def test_a_chain_of_hundreds_of_operations_is_refused_with_its_place(game: Callable[[str], str], operator: str) -> None:
    condition = f"functools.reduce(operator.{operator}, {PARTS}) > 0"
    with pytest.raises(RulesError, match="PP385"):
        build(game(LONG.format(condition=condition)))


def test_a_fault_in_one_method_leaves_that_method(game: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LookupError("nobody planned for this")

    monkeypatch.setenv("PLAYPROOF_FAULTS", "leave out")
    monkeypatch.setattr(best_first, "search_line_best_first_or_none", fail)
    monkeypatch.setattr(random_games, "search_new_lines_by_curiosity_games", fail)
    rules = FIRST_FREE.format(place="keep(sum_of(3, lambda i: s.held[i]))", function="")
    least = Question("least", "minimum", {"number": "row[0]", "when": {"outcome": "win"}})
    won, fewest = _answer(game(rules), WON, least)
    assert (won.verdict, fewest.value, fewest.fault) == (Verdict.PROVEN, 1, "")


def test_a_claim_that_stays_open_names_the_methods_that_failed(
    game: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LookupError("nobody planned for this")

    monkeypatch.setenv("PLAYPROOF_FAULTS", "leave out")
    monkeypatch.setattr(best_first, "search_line_best_first_or_none", fail)
    out_of_reach = Question("far", "reach", {"holds": "x == 60000 and n == 16"})
    [answer] = _answer(game(WIDE), out_of_reach, work=0.5, states=100)
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.fault == "PP720"
    assert "best-first search: LookupError: nobody planned for this" in answer.reason


def test_what_cannot_be_written_hinders_no_answer(
    game: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk ended the command with the answer that it had just found, and asked no later claim."""

    def full(path: Path, _: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(certificate_offers, "write_file_atomically", full)
    rules = FIRST_FREE.format(place="keep(sum_of(3, lambda i: s.held[i]))", function="")
    answers = prove(game(rules), claims=[WON, NEVER], machine=False, output=tmp_path / "out")
    assert [answer.verdict for answer in answers] == [Verdict.PROVEN, Verdict.REFUTED]
    assert all("No space left" in answer.unwritten and not answer.evidence for answer in answers)


@pytest.mark.parametrize("weights", [[[1, 2]], [[1, 2, 3, 4]], [[]], [[1, 2, "3"]], [[1, 2, True]]])
def test_a_row_of_another_length_is_no_evidence(weights: list[list[Any]]) -> None:
    """A row of weights has three numbers. One of two ended `check` with a fault."""
    with pytest.raises(Unreadable):
        decode_json_as_type_or_raise(WeightedSum, {"modulus": 2, "weights": weights, "permutation": "", "at": []})
