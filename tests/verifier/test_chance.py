"""Chances under best play: games that may go on for ever, hidden cards, and certificates that say too much."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.language.explorer import explore, graph, solve as explorer_solve
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.proof.best_play import Vertex, compute_best_play_bounds
from playproof.verifier.proof.chances import (
    exploration_to_vertices_and_start_number,
    get_seat_of_target_or_first,
)
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import GameCase
from tests.verifier.closed_sets import bounds_of, chance_in_file, restate, solved_chance, with_other_keys
from tests.verifier.conftest import recheck
from tests.verifier.places import fault, places_of as places_by_interpreter

GAMES = Path(__file__).parent / "games"
WHEEL, DOORS = str(GAMES / "wheel"), str(GAMES / "doors")
WIN = {"outcome": "win"}
EVENT = Event(WIN)
PLAIN: Any = {"machine": False, "games": 100, "work": 20}

ENDLESS = [
    ("half", 0.5, True, False),
    ("third", 1.0, True, False),
    ("stall", 0.0, False, False),
    ("push", 1.0, True, True),
    ("detour", 0.75, True, False),
]


@pytest.mark.parametrize(("kind", "mean", "best", "worst"), ENDLESS)
def test_endless_play_is_no_win(kind: str, mean: float, best: bool, worst: bool, tmp_path: Path) -> None:
    asked = [Question(c, "luck", WIN, chance=c, values={"kind": kind}) for c in ("mean", "best", "worst")]
    found = prove(WHEEL, claims=asked, output=tmp_path, **PLAIN)
    assert [a.value for a in found] == [mean, best, worst]
    assert [code for a in found for code in recheck(a, *asked, game=WHEEL)] == []


def test_the_other_seat_loses_only_where_it_must(tmp_path: Path) -> None:
    """Asked for the second seat: it never wins, though nobody can make it lose either."""
    [found] = prove(WHEEL, claims=[Question("other", "luck", {**WIN, "seat": 1}, values={"kind": "stall"})], **PLAIN)
    assert found.value == 0


def test_what_holds_on_the_way_counts_as_reached() -> None:
    """`here == 1` holds while the road goes on for ever, in no ending: half of all games come there."""
    [found] = prove(WHEEL, claims=[Question("far", "luck", {"holds": "here == 1"}, values={"kind": "half"})], **PLAIN)
    assert found.value == 0.5


def test_exact_fractions_are_told() -> None:
    [found] = prove(WHEEL, claims=[Question("c", "luck", WIN, values={"kind": "detour"})], **PLAIN)
    assert found.bound["exactly"] == "3/4"


# -- hidden cards -------------------------------------------------------------------------------------------------


def doors(**question: Any) -> Any:
    [found] = prove(DOORS, claims=[Question("car", "luck", WIN, **question)], **PLAIN)
    return found


def test_who_sees_through_doors_is_no_player() -> None:
    """Who takes the other door wins the car two times in three."""
    found = doors()
    assert (found.verdict, found.bound["exactly"]) == (Verdict.PROVEN, "2/3")


def test_players_who_see_all_may_be_asked_of() -> None:
    found = doors(seeing="all")
    assert (found.value, found.bound["whom"]) == (1, "for players who see all cards")


def test_where_nothing_is_hidden_nothing_is_said_of_it() -> None:
    found = doors(values={"open": "yes"})
    assert (found.value, found.bound.get("whom")) == (1, None)


def test_what_seeing_all_does_not_reach_nobody_reaches() -> None:
    assert doors(values={"win": "no"}).value == 0


def test_the_worst_luck_is_no_player_s_either() -> None:
    assert doors(chance="worst").value is False
    assert doors(chance="worst", seeing="all").value is True


# -- against all moves there are ----------------------------------------------------------------------------------


def random_places(r: random.Random, count: int) -> list[Vertex]:
    """A small game with circles of all kinds; the first two places are a good and a bad end."""
    found = [Vertex(1, "mean", ()), Vertex(0, "mean", ())]
    for _ in range(count):
        edges = tuple((r.randrange(count + 2), r.choice([1, 1, 2, 3])) for _ in range(r.randint(1, 3)))
        found.append(Vertex(None, r.choice(["most", "least", "mean"]), edges))
    return found


def of_moves(places: Sequence[Vertex], moves: dict[int, int]) -> list[Fraction]:
    """The chances where everybody keeps to his moves, by elimination among the places that can come to the target."""
    following: list[list[tuple[int, Fraction]]] = []
    for i, place in enumerate(places):
        edges = place.edges if place.chooses == "mean" else place.edges[moves.get(i, 0) :][:1]
        following.append([(to, Fraction(w, sum(x for _, x in edges))) for to, w in edges])
    live = {i for i, p in enumerate(places) if p.worth == 1}
    while new := {i for i in range(len(places)) if i not in live and any(to in live for to, _ in following[i])}:
        live |= new
    unknown = {i: n for n, i in enumerate(i for i in sorted(live) if places[i].worth is None)}
    rows = [[Fraction(int(n == m)) for m in range(len(unknown))] + [Fraction(0)] for n in range(len(unknown))]
    for i, n in unknown.items():
        for to, chance in following[i]:
            if to in unknown:
                rows[n][unknown[to]] -= chance
            else:
                rows[n][-1] += chance * (places[to].worth or 0)
    worths = solved(rows)
    return [worths[unknown[i]] if i in unknown else Fraction(p.worth or 0) for i, p in enumerate(places)]


def solved(rows: list[list[Fraction]]) -> list[Fraction]:
    """The solution of linear equations; the last number of a row is what the others add up to."""
    for n in range(len(rows)):
        pivot = next(m for m in range(n, len(rows)) if rows[m][n])
        rows[n], rows[pivot] = rows[pivot], rows[n]
        rows[n] = [x / rows[n][n] for x in rows[n]]
        for m in range(len(rows)):
            if m != n and (factor := rows[m][n]):
                rows[m] = [x - factor * y for x, y in zip(rows[m], rows[n], strict=True)]
    return [row[-1] for row in rows]


def by_all_moves(places: Sequence[Vertex]) -> list[Fraction]:
    """The least that the seeker is sure of, over all ways to choose (no memory is needed for that)."""

    def ways(chooses: str) -> list[dict[int, int]]:
        mine = [i for i, p in enumerate(places) if p.worth is None and p.chooses == chooses]
        grid = product(*(range(len(places[i].edges)) for i in mine))
        return [dict(zip(mine, each, strict=True)) for each in grid]

    others = ways("least")
    worst = [
        [min(v) for v in zip(*(of_moves(places, mine | other) for other in others), strict=True)]
        for mine in ways("most")
    ]
    return [max(v) for v in zip(*worst, strict=True)]


@pytest.mark.parametrize("seed", range(300))
def test_values_are_those_over_all_moves(seed: int) -> None:
    r = random.Random(seed)
    places = random_places(r, r.randint(2, 7))
    truth, found = by_all_moves(places), compute_best_play_bounds(places)
    assert found.lower == truth == found.upper
    assert not fault(solved_chance(found, EVENT, "mean", 0, 2), places)


def test_large_circles_of_chance_are_bounded_closely() -> None:
    """Denominators too great to guess: the bounds still meet, and the kernel takes them."""
    r = random.Random(3)
    places = random_places(r, 250)
    found = compute_best_play_bounds(places)
    assert not fault(solved_chance(found, EVENT, "mean", 0, 2), places)
    assert max(high - low for low, high in zip(found.lower, found.upper, strict=True)) < Fraction(1, 10**12)


@pytest.mark.parametrize("seed", range(40))
def test_no_number_can_be_bettered(seed: int) -> None:
    """Whatever is claimed beyond the truth, at any place, the sweep refuses."""
    r = random.Random(seed)
    places = random_places(r, 6)
    found = compute_best_play_bounds(places)
    if found.lower[2] == found.upper[2] == 0:
        return
    more = [min(Fraction(1), v + Fraction(1, 7)) for v in found.lower]
    less = [max(Fraction(0), v - Fraction(1, 7)) for v in found.upper]
    for lower, upper in ((more, found.upper), (found.lower, less)):
        forged = solved_chance(replace_bounds(found, lower, upper), EVENT, "mean", 0, 2)
        true = bounds_of(forged)[0] <= by_all_moves(places)[2] <= bounds_of(forged)[1]
        assert fault(forged, places) or true


def replace_bounds(found: Any, lower: list[Fraction], upper: list[Fraction]) -> Any:
    return replace(found, lower=lower, upper=upper)


def test_a_circle_does_not_carry_itself() -> None:
    """`lower` <= T(`lower`) holds at any height of a circle; the ranks refuse it, whatever they are."""
    places = [Vertex(None, "most", ((1, 1),)), Vertex(None, "mean", ((0, 1),))]
    for ranks in product(range(3), repeat=2):
        forged = chance_in_file(EVENT, "mean", 0, (Fraction(0), Fraction(1)), (1, 1), (1, 1), ranks, 0)
        assert fault(forged, places)


@pytest.mark.parametrize(
    "change",
    [
        {"values": ["1/0"]},
        {"values": [1]},
        {"upper": [True]},
        {"seat": "0"},
        {"states": None},
        {"chance": 1},
        {"more": 1},
        {"ranks": ["1"]},
        {"values": ["inf"]},
    ],
)
def test_other_data_is_refused(change: dict[str, Any]) -> None:
    plain = encode_typed_value_as_json(chance_in_file(EVENT, "mean", 0, (Fraction(1, 2),), (0,), (0,), (0,), 0))
    assert encode_typed_value_as_json(decode_json_as_type_or_raise(Certificate, plain)) == plain
    with pytest.raises(Unreadable):
        decode_json_as_type_or_raise(Certificate, with_other_keys(plain, change))


@pytest.mark.parametrize(
    "change",
    [
        {"upper": [9]},
        {"lower": []},
        {"states": 7},
        {"chance": "good"},
        {"seat": 1},
        {"event": Event({"action": "walk on"})},
    ],
)
def test_numbers_of_nothing_show_nothing(change: dict[str, Any]) -> None:
    case = GameCase(WHEEL, {"kind": "half"}, machine=False)
    seen = explore(case.compiled)
    places, start = exploration_to_vertices_and_start_number(
        seen, TargetReader(case.game).read_single_target_of_spec(WIN), "mean", (0,)
    )
    good = solved_chance(compute_best_play_bounds(places), EVENT, "mean", 0, start)
    good.require_valid_for_game(case.game, Context())
    bad = restate(good, **{k: tuple(v) if isinstance(v, list) else v for k, v in change.items()})
    bad.build_proved_statement()
    with pytest.raises(NotShown):
        bad.require_valid_for_game(case.game, Context())


@pytest.mark.parametrize(("kind", "mean"), [(kind, mean) for kind, mean, _, _ in ENDLESS])
@pytest.mark.parametrize("luck", [0, 1, 2])
def test_the_explorer_says_no_more_than_it_knows(kind: str, mean: float, luck: int) -> None:
    """Of play that may never end it gives bounds, and the truth lies between them."""
    case = GameCase(WHEEL, {"kind": kind}, machine=False)
    seen = explore(case.compiled)
    net, target = graph(seen), TargetReader(case.game).read_single_target_of_spec(WIN)
    ends = np.zeros(seen.states)
    ends[seen.find_rows_where_condition_holds(target.condition)] = 1
    found = explorer_solve(case.compiled, net, ends, luck)
    places, start = exploration_to_vertices_and_start_number(seen, target, ("mean", "best", "worst")[luck], (0,))
    truth = float(compute_best_play_bounds(places).lower[start])
    assert found.low - 1e-9 <= truth <= found.high + 1e-9
    assert luck or truth == mean


# -- against Storm ------------------------------------------------------------------------------------------------

SMALL: list[tuple[str, dict[str, str]]] = [
    (str(GAMES / "wheel"), {"kind": "half"}),
    (str(GAMES / "wheel"), {"kind": "detour"}),
    (str(GAMES / "harvest"), {}),
    (str(GAMES / "wheel"), {"kind": "push"}),
    (str(GAMES / "wheel"), {"kind": "stall"}),
    ("nim", {}),
    ("pig", {"goal": "8"}),
    ("blackjack", {"deck": "endless"}),
    ("clock_patience", {"ranks": "3"}),
]


GRID = [(*game, luck) for game in SMALL for luck in ("mean", "best", "worst")]


@pytest.mark.parametrize(
    ("name", "options", "luck"),
    [*GRID, ("tic_tac_toe", {}, "mean")],
    ids=lambda x: Path(x).name if isinstance(x, str) else "-".join(x.values()),
)
def test_storm_agrees(name: str, options: dict[str, str], luck: str, tmp_path: Path) -> None:
    """With the others' best moves kept, Storm lets the seeker do no better; with the seeker's kept, the others too."""
    pytest.importorskip("stormpy")
    from tests.verifier.storm import reached

    case = GameCase(name, options, machine=False)
    seen = explore(case.compiled)
    target = TargetReader(case.game).read_single_target_of_spec(WIN if case.game.players == 1 else {**WIN, "seat": 0})
    places, start = exploration_to_vertices_and_start_number(
        seen, target, luck, case.game.get_team_of_seat(get_seat_of_target_or_first(target))
    )
    walked, first = places_by_interpreter(case.game, target.condition, luck, 0, Context())
    assert (by_edge(walked), first) == (by_edge(places), start)
    found = compute_best_play_bounds(places)
    value = found.lower[start]
    assert found.upper[start] - value < Fraction(1, 10**9)
    for kept, most in (("least", True), ("most", False)):
        one_sided = [keeping_to_best(places, found, n) if p.chooses == kept else p for n, p in enumerate(places)]
        assert reached(one_sided, start, most, tmp_path) == pytest.approx(float(value), abs=1e-5)


def by_edge(places: Sequence[Vertex]) -> list[Vertex]:
    return [replace(p, edges=tuple(sorted(p.edges))) for p in places]


def keeping_to_best(places: Sequence[Vertex], found: Any, number: int) -> Vertex:
    """A place whose chooser keeps to a best move: for the seeker one that comes nearer, by rank."""
    place = places[number]
    if place.worth is not None:
        return place
    if place.chooses == "least":
        best = min(place.edges, key=lambda e: found.upper[e[0]])
    else:
        good = [e for e in place.edges if found.ranks[e[0]] < found.ranks[number] or not found.lower[number]]
        best = max(good, key=lambda e: found.lower[e[0]])
    return Vertex(None, place.chooses, (best,))
