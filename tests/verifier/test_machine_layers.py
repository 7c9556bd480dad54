"""Chances of games whose layers compiled code goes through: beside columns, plain functions, and lies of every kind.

The games are small, so that columns can answer too; the limit from which compiled code may answer is lowered for them.
`make published` and docs/limitations.md have the large ones.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.language import CHANCE, Game
from playproof.language.cache import ensure_private_cache_folder
from playproof.language.machine.native import NoMachineCodeError
from playproof.language.registry import build
from playproof.verifier.check import EvidenceChecker
from playproof.verifier.kernel.certificate import NotShown, Theorem, list_partners_of_seat
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.closed_sets import SCALE, StateLayer
from playproof.verifier.kernel.layers import Listing, MeasureNotRaised
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Event
from playproof.verifier.proof.layering import (
    NO_LIMIT,
    _find_factors_and_rise_by_highs_or_none,
    find_compiled_layers_or_none,
    find_layers_or_none,
)
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.compiled_explorer import CompiledExplorer
from playproof.verifier.search.machine_layers import LastLayersCache
from tests.verifier.closed_sets import chance_bounds, chance_in_layers, compiled_chance, restate, with_other_keys
from tests.verifier.conftest import HARVEST, renew_reads
from tests.verifier.test_layers import game_of, value_of
from tests.verifier.test_teams import CRISIS

STRANGERS = Path(__file__).parent / "games_of_strangers"
HOLE = str(STRANGERS / "black_hole")
WIN = Event({"outcome": "win"})
FIRST = Event({"outcome": "win", "seat": 0})
_CLOSE = Fraction(1, 10**9)
SEEDS = int(os.environ.get("PLAYPROOF_DRAWN", "24"))
FIRST_SEED = int(os.environ.get("PLAYPROOF_SEED", "300"))


@pytest.fixture
def from_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let compiled code answer for games of any size."""
    monkeypatch.setattr("playproof.verifier.kernel.closed_set_certificate.MOST_IN_COLUMNS", 0)
    monkeypatch.setattr("playproof.verifier.proof.chances._FEW", 10)
    monkeypatch.setattr("playproof.verifier.proof.chances._MOST", 10)


def claim(event: Event, order: Listing, rise: int, luck: str = "mean", seat: int = 0) -> ClosedSetCertificate:
    return compiled_chance(event, luck, seat, order, rise)


# -- values ---------------------------------------------------------------------------------------------------------


def test_random_games_have_the_chances_that_columns_and_plain_functions_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")  # the same loops as plain Python, without waiting for LLVM
    compared = 0
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        drawn_game = game_of(tmp_path, seed)
        if drawn_game is None:
            continue
        case, made = drawn_game
        case.machine = True
        large = find_compiled_layers_or_none(case, Budget(0.5), FIRST, NO_LIMIT)
        if large is None:
            continue
        order, rise = replace(large, rise=0), large.rise
        partners = list_partners_of_seat(case.game, 0)
        for luck in ("mean", "best", "worst"):
            claimed = restate(claim(FIRST, order, rise, luck), partners=partners)
            low, high = chance_bounds(case.game, claimed, case.context)
            columns = chance_in_layers(FIRST, luck, 0, order, Fraction(0), Fraction(1), partners=partners)
            below, above = chance_bounds(case.game, columns, case.context)
            assert low == below, (seed, luck)
            assert above <= high <= low + _CLOSE, (seed, luck)
        exact = value_of(made, lambda state, made=made: made.play.won(state, 0), 0, "best")
        claimed = restate(claim(FIRST, order, rise), partners=partners)
        low, high = chance_bounds(case.game, claimed, case.context)
        assert low <= exact <= high, seed
        compared += 1
    assert compared >= SEEDS // 30


def test_two_who_play_together_have_the_chance_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Event and bound are told to compiled code as what two seats want, and these two want the same."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")
    case = GameCase(CRISIS, machine=False)
    case.machine = True
    large = find_compiled_layers_or_none(case, Budget(0.5), FIRST, NO_LIMIT)
    assert large is not None
    claimed = restate(claim(FIRST, large, large.rise), partners=(1,))
    low, high = chance_bounds(case.game, claimed, case.context)
    assert low <= Fraction(1, 9) <= high <= low + _CLOSE


def black_hole(fans: int, each: int) -> Fraction:
    """The chance to bring all cards into the hole, by a plain function over states that are sorted."""

    @cache
    def seen(hole: int, open_: tuple[tuple[int, int], ...], loose: frozenset[int]) -> Fraction:
        hidden = next((n for n, (top, left) in enumerate(open_) if not top and left), None)
        if hidden is not None:
            left = open_[hidden][1]
            behind = [
                seen(hole, (*open_[:hidden], (card, left), *open_[hidden + 1 :]), loose - {card}) for card in loose
            ]
            return sum(behind, Fraction(0)) / len(behind)
        if not any(left for _, left in open_):
            return Fraction(1)
        best = Fraction(0)
        for n, (top, left) in enumerate(open_):
            if top and (top - hole) % 13 in (1, 12):
                rest = tuple(sorted((*open_[:n], (0, left - 1), *open_[n + 1 :])))
                best = max(best, seen(top, rest, loose))
        return best

    return seen(0, ((0, each),) * fans, frozenset(range(1, 1 + fans * each)))


MEASURE = "0 - (left[0] + left[1] + left[2] + left[3]) - 2 * sum(r in 13: loose_bag[r])"
ORDER = Listing(329_177, MEASURE.replace("2 * sum", "sum"))


@pytest.fixture(scope="module")
def hole() -> tuple[Game, Context]:
    """The game, and a context in which its layers were gone through."""
    game, context = build(HOLE), Context(swept=LastLayersCache())
    chance_bounds(game, claim(WIN, ORDER, 1), context)
    return game, context


def test_black_hole_is_won_as_often_as_a_plain_function_says(hole: tuple[Game, Context]) -> None:
    low, high = chance_bounds(hole[0], claim(WIN, ORDER, 1), hole[1])
    assert low <= black_hole(4, 3) <= high < low + _CLOSE


def test_a_way_through_layers_tells_how_far_it_is_and_can_be_ended() -> None:
    context, met = Context(swept=LastLayersCache()), list[int]()
    context.swept.can_go_on = lambda states: met.append(states) is not None or len(met) < 3
    with pytest.raises(NotShown, match="the clock"):
        chance_bounds(build(HOLE), claim(WIN, ORDER, 1), context)
    assert len(met) == 3
    assert 0 < met[0] < met[1] < met[2]


def test_values_may_lie_in_a_file(hole: tuple[Game, Context], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.verifier.search.machine_layers._IN_MEMORY", 1_000)
    low, high = chance_bounds(hole[0], claim(WIN, ORDER, 1), hole[1])
    assert low <= black_hole(4, 3) <= high < low + _CLOSE


def test_within_a_number_of_rounds_columns_say_the_same() -> None:
    case = GameCase(HARVEST, machine=False)
    case.machine = True
    event = Event({"outcome": "win"}, {"rounds": 2})
    limit = ("rounds", 2)
    large, order = (
        find_compiled_layers_or_none(case, Budget(), event, limit),
        find_layers_or_none(case, Budget(), limit=limit),
    )
    assert large is not None
    assert order is not None
    by_machine = chance_bounds(case.game, claim(event, large, large.rise), case.context)
    in_columns = chance_in_layers(event, "mean", 0, order, Fraction(0), Fraction(1))
    low, high = chance_bounds(case.game, in_columns, case.context)
    assert by_machine[0] <= high
    assert low <= by_machine[1] <= by_machine[0] + _CLOSE
    whole = restate(claim(WIN, large, large.rise), low=by_machine[0], high=Fraction(1))  # what comes later is open
    assert chance_bounds(case.game, whole, case.context) == (by_machine[0], 1)


LARGE = {
    "black_hole": (HOLE, {}, None, 0.00154321),
    "golf": (str(STRANGERS / "golf"), {}, None, 0.372550688),
    "eila": ("eila", {"chapter": 0}, {"rounds": 3}, 1.0),
}
"""Games, options and limits, with what other programs say: C++ that remembers sorted states, and the plain one in
`test_plain_chances.py`."""


@pytest.mark.parametrize("large", os.environ.get("PLAYPROOF_LARGE", "black_hole").split(","))
def test_large_games_are_won_as_often_as_other_programs_say(tmp_path: Path, large: str) -> None:
    """`make prove` asks golf and Eila. Their evidence is not checked again: that takes as long."""
    game, values, within, value = LARGE[large]
    question = Question("chance", "luck", {"outcome": "win"}, within, values=values, seeing="all")
    [answer] = prove(game, claims=[question], output=tmp_path, work=400)
    assert answer.value == value


# -- evidence -------------------------------------------------------------------------------------------------------


def test_a_chance_by_compiled_code_says_so_and_no_lie_about_it_is_confirmed(
    from_one_state: None, tmp_path: Path
) -> None:
    question = Question("chance", "luck", {"outcome": "win"}, seeing="all")
    [answer] = prove(HOLE, claims=[question], output=tmp_path)
    assert (answer.verdict, answer.value) == (Verdict.PROVEN, 0.00154321)
    assert answer.bound["if"] == "automatic phases end and no value leaves its bounds, which was not shown"
    assert answer.evidence is not None
    checker = EvidenceChecker(game=HOLE, claims={question.id: question})
    lines = checker.check_evidence_file_to_result(answer.evidence).format_confirmed_answer_lines()
    assert any("compiled code, which went through" in line for line in lines), "\n".join(lines)
    content = json.loads(Path(answer.evidence).read_text(encoding="utf-8"))
    [stated] = [c for c in content["settings"][0]["certificates"] if c["kind"] == "closed set"]
    for wrong in (
        {"high": "1/3"},
        {"low": "1/640"},
        {"rise": 0},
        {"rise": stated["listing"]["rise"] + 1},
        {"seat": 1},
        {"chance": "worst"},
        {"states": stated["listing"]["states"] + 1},
        {"states": stated["listing"]["states"] - 1},
        {"measure": "0"},
        {"after": [0]},
        {"most": 3},
    ):
        lie = {**content, "settings": [{**content["settings"][0], "certificates": [with_other_keys(stated, wrong)]}]}
        file = tmp_path / "lie.json"
        file.write_text(json.dumps(renew_reads(lie, HOLE, {question.id: question})), encoding="utf-8")
        assert checker.check_evidence_file_to_result(file).findings, wrong
    alone = EvidenceChecker(game=HOLE, claims={question.id: question})
    alone.context.swept = None
    assert [f.code for f in alone.check_evidence_file_to_result(answer.evidence).findings] == ["PP715"]


def test_without_machine_code_large_evidence_is_refused_at_once(
    from_one_state: None, hole: tuple[Game, Context], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain Python would need hours. What is missing is said."""
    question = Question("chance", "luck", {"outcome": "win"}, seeing="all")
    [answer] = prove(HOLE, claims=[question], output=tmp_path)
    assert answer.evidence
    monkeypatch.setattr("playproof.language.machine.native._MOST_PLAIN", 10_000)
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")
    [wrong] = (
        EvidenceChecker(game=HOLE, claims={question.id: question})
        .check_evidence_file_to_result(answer.evidence)
        .findings
    )
    assert (wrong.code, wrong.message) == (
        "PP711",
        "cannot be checked: to go through 329,177 states takes machine code, and PLAYPROOF_MACHINE=0 switches it off",
    )
    game = hole[0]
    for start in (None, game.get_state_before_automatic_phases()):
        with pytest.raises(NoMachineCodeError):
            CompiledExplorer().explain_why_not_excluded_or_empty(
                game, WIN.build_condition_and_actions(game, Context()), ("", 0), 20_000_000, start
            )
    [again] = prove(HOLE, claims=[question], work=0.1)
    assert again.verdict is Verdict.UNKNOWN
    assert re.fullmatch(r"work: 0\.\d+ units were used, without machine code", again.reason)


def test_small_games_are_left_to_the_kernel(hole: tuple[Game, Context]) -> None:
    game, context = hole
    low, high = chance_bounds(game, claim(WIN, ORDER, 1), context)
    with pytest.raises(NotShown, match="the kernel goes through 329,177 states itself"):
        Theorem(restate(claim(WIN, ORDER, 1), low=low, high=high), game, context)


def test_the_chance_holds_if_the_rules_keep_their_bounds(from_one_state: None, hole: tuple[Game, Context]) -> None:
    game, context = hole
    low, high = chance_bounds(game, claim(WIN, ORDER, 1), context)
    theorem = Theorem(restate(claim(WIN, ORDER, 1), low=low, high=high), game, context)
    assert theorem.grounds == (BOUNDS, PHASES_END)


def test_nothing_stays_on_disk(hole: tuple[Game, Context]) -> None:
    """A file without a name is gone with the process, even one that is killed."""
    before = set(ensure_private_cache_folder().iterdir())
    chance_bounds(hole[0], claim(WIN, ORDER, 1), Context(swept=LastLayersCache()))
    assert all(path.suffix in (".py", ".o") for path in set(ensure_private_cache_folder().iterdir()) - before)


def test_a_disk_that_is_full_leaves_the_claim_open(
    from_one_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Question("chance", "luck", {"outcome": "win"}, seeing="all")
    [answer] = prove(HOLE, claims=[question], output=tmp_path)
    assert answer.evidence

    def refused(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("playproof.verifier.search.machine_layers.tempfile.TemporaryFile", refused)
    [without] = prove(HOLE, claims=[question])
    assert (without.verdict, without.fault) == (Verdict.UNKNOWN, "")
    assert "No space left on device" in without.reason
    [wrong] = (
        EvidenceChecker(game=HOLE, claims={question.id: question})
        .check_evidence_file_to_result(answer.evidence)
        .findings
    )
    assert (wrong.code, "No space left on device" in wrong.message) == ("PP711", True)


@pytest.mark.parametrize(("measure", "rise"), [(f"({MEASURE}) * {1 << 62}", 1), (str(10**30), 1), (MEASURE, 1 << 63)])
@pytest.mark.parametrize("machine", ["0", "1"])
def test_numbers_of_more_than_64_bits_are_refused(
    hole: tuple[Game, Context], measure: str, rise: int, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", machine)
    with pytest.raises(NotShown, match="more than 64 bits"):
        chance_bounds(hole[0], claim(WIN, replace(ORDER, measure=measure), rise), hole[1])


@pytest.mark.parametrize(("measure", "rise"), [(MEASURE, 2), ("0", 1), ("hole", 1), ("left[0]", 1)])
def test_a_measure_that_a_step_does_not_raise_is_refused(hole: tuple[Game, Context], measure: str, rise: int) -> None:
    with pytest.raises(MeasureNotRaised) as told:
        chance_bounds(hole[0], claim(WIN, replace(ORDER, measure=measure), rise), hole[1])
    assert len(told.value.before) == len(told.value.after) > 0


def test_what_is_no_chance_is_refused(hole: tuple[Game, Context]) -> None:
    game, context = hole
    for wrong in (
        claim(WIN, ORDER, 1, seat=1),
        claim(WIN, ORDER, 1, luck="none"),
        claim(Event({"action": "play fan 0"}), ORDER, 1),
        claim(WIN, replace(ORDER, after=(0,)), 1),
        claim(WIN, replace(ORDER, most=1), 1),
        claim(WIN, replace(ORDER, states=329_176), 1),
        claim(WIN, replace(ORDER, states=329_178), 1),
    ):
        with pytest.raises(NotShown):
            chance_bounds(game, wrong, context)


# -- what is lent -----------------------------------------------------------------------------------------------------


@dataclass
class Lent:
    """Code that says it went through four states: chance leads from the first to the second or the third, and the
    player from the third to the fourth, in which the event has happened."""

    edges: dict[int, list[tuple[int, int]]]
    order: tuple[int, ...] = (3, 2, 1, 0)
    states: int = 4
    layers: int = 3
    open: bool = False

    def make_empty_column_per_state(self) -> Any:
        return np.empty(self.states, dtype=np.int64)

    def iter_state_numbers_and_edges_from_last_layer(self) -> Iterator[tuple[Any, StateLayer]]:
        for row in self.order:
            moves = self.edges[row]
            yield (
                np.array([row], dtype=np.int32),
                StateLayer(
                    0,
                    np.array([len(moves)], dtype=np.int32),
                    np.array([to for to, _ in moves], dtype=np.int32),
                    np.array([weight for _, weight in moves], dtype=np.int32),
                    np.array([CHANCE if row == 0 else 0], dtype=np.int8),
                    np.array([row == 3]),
                    0,
                ),
            )


EDGES: dict[int, list[tuple[int, int]]] = {0: [(1, 2), (2, 1)], 1: [(-1, 1)], 2: [(3, 1), (-1, 1)], 3: []}


def chance_by(lent: Lent) -> tuple[Fraction, Fraction]:
    order = replace(ORDER, states=4)
    return chance_bounds(build(HOLE), claim(WIN, order, 1), Context(swept=lambda *_: lent))


def test_values_are_worked_out_by_the_kernel() -> None:
    assert chance_by(Lent(EDGES)) == (Fraction(SCALE // 3, SCALE), Fraction(SCALE // 3 + 3, SCALE))
    assert chance_by(Lent({**EDGES, 0: [(1, 1)], 2: [(-1, 1)], 3: []}, (2, 1, 3, 0))) == (0, Fraction(3, SCALE))


@pytest.mark.parametrize(
    "lent",
    [
        Lent(EDGES, (0, 3, 2, 1)),  # a layer before those behind it
        Lent({**EDGES, 1: [(1, 1)]}),  # a circle of one state
        Lent({**EDGES, 3: [(0, 1)]}),  # a step back
        Lent(EDGES, (3, 2, 0)),  # a state is left out
        Lent(EDGES, (2, 1, 0)),
        Lent({**EDGES, 0: [(1, 0), (2, 1)]}),  # a result that never comes
        Lent({**EDGES, 0: [(1, -1), (2, 1)]}),
        Lent({**EDGES, 0: [(1, 1 << 15), (2, 1)]}),  # more than fits
        Lent(EDGES, states=5),
    ],
)
def test_edges_that_lead_back_or_nowhere_are_refused(lent: Lent) -> None:
    with pytest.raises(NotShown):
        chance_by(lent)


def test_without_an_excluded_event_open_states_may_all_be_won() -> None:
    assert chance_by(Lent({**EDGES, 1: [(-2, 1)]}, open=True)) == (Fraction(SCALE // 3, SCALE), 1)


# -- the measure --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [[[1, 0], [-1, 3]], [[3, -1, 0], [-7, 5, 0], [0, -1, 13]], [[1, 1]]])
def test_factors_raise_every_change_by_the_least_rise(changes: list[list[int]]) -> None:
    made = _find_factors_and_rise_by_highs_or_none(np.array(changes))
    assert made is not None
    assert made[1] == min(np.array(changes) @ made[0]) > 0


@pytest.mark.parametrize("changes", [[[1, 0], [-1, 0]], [[0, 0]]])
def test_changes_that_lead_back_have_no_factors(changes: list[list[int]]) -> None:
    assert _find_factors_and_rise_by_highs_or_none(np.array(changes)) is None
