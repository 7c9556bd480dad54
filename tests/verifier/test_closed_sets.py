"""The one theorem: vectors that keep the condition are bounds, and no forged one keeps it.

Every vector is held against exact values over all ways to play (`by_all_moves`), which share no code with the kernel.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from playproof.language import CHANCE, EVERYBODY, Game, Local, goto, lose, require, weight, when, win
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate, StateCount, StateDistance, Vector
from playproof.verifier.kernel.closed_sets import (
    LEAST,
    MEAN,
    MOST,
    SCALE,
    Column,
    Layers,
    Play,
    StateLayer,
    ValueStep,
    are_lower_bounds_kept_with_ranks,
    are_upper_bounds_kept_by_steps,
    compute_longest_game_length,
)
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.state_graphs import RowReader, compute_weight_of_each_edge, enumerate_game_states_cached
from playproof.verifier.kernel.statements import BOUNDS, Event, EventChance, LawObeyed, LengthLimit, Property
from playproof.verifier.kernel.strategies import (
    StrategyChance,
    compute_strategy_chance_bounds_at_start,
    enumerate_states_under_strategy,
)
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.symmetry import Renaming
from playproof.verifier.kernel.worths import ExpectedValue
from playproof.verifier.proof.best_play import Vertex
from playproof.verifier.proof.layering import find_layers_or_none
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.strategies import strategy_spec_to_strategy
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.layer_bounds import propose_bounds_and_ranks_of_layer
from tests.verifier.closed_sets import chance_bounds, chance_in_file, chance_in_layers, restate, strategy_chance
from tests.verifier.conftest import HARVEST
from tests.verifier.test_chance import by_all_moves, random_places

_HOW = {"most": MOST, "least": LEAST, "mean": MEAN}
_UNIT = Fraction(1, 1000)
WIN = {"outcome": "win"}
NO_END = np.zeros(1, dtype=np.object_)


def step_of(places: Sequence[Vertex]) -> ValueStep:
    """One step from each place; who acts there is named by how it counts."""
    edges = [edge for place in places for edge in place.edges]
    layer = StateLayer(
        0,
        np.array([len(place.edges) for place in places], dtype=np.int32),
        np.array([to for to, _ in edges], dtype=np.int32),
        np.array([w if p.chooses == "mean" else 1 for p in places for _, w in p.edges], dtype=np.int32),
        np.array([_HOW[place.chooses] for place in places], dtype=np.int8),
        np.array([place.worth == 1 for place in places], dtype=np.bool_),
        0,
    )
    return ValueStep(layer, Play({how: how for how in _HOW.values()}))


def column(values: Sequence[Fraction]) -> Column:
    """Exact values as the kernel counts them."""
    return np.array(values, dtype=np.object_) * SCALE


def test_no_vector_beyond_the_values_keeps_the_condition_at_each_state() -> None:
    """Off by a little at any one state: lower than the value is not above, higher is not below, whatever the ranks."""
    r, ranked, tried = random.Random(71), 0, 0
    for _ in range(60):
        places = random_places(r, r.randint(2, 5))
        step, values = step_of(places), by_all_moves(places)
        assert are_upper_bounds_kept_by_steps([step], (column(values), NO_END))
        assert are_upper_bounds_kept_by_steps([step], (column([(v + 1) / 2 for v in values]), NO_END)), (
            "a weaker bound is a bound"
        )
        assert are_lower_bounds_kept_with_ranks(
            [step], (column([Fraction(0)] * len(values)), NO_END), np.zeros(len(values), dtype=np.int64)
        )
        ranks = [np.array([r.randint(0, 4) for _ in values]) for _ in range(40)]
        for n, value in enumerate(values):
            if value:
                lower = [*values[:n], value - value * _UNIT, *values[n + 1 :]]
                assert not are_upper_bounds_kept_by_steps([step], (column(lower), NO_END)), (places, n)
            higher = column([*values[:n], value + _UNIT, *values[n + 1 :]])
            assert not any(are_lower_bounds_kept_with_ranks([step], (higher, NO_END), rank) for rank in ranks), (
                places,
                n,
            )
            tried += 1
        own = [rank for rank in ranks if are_lower_bounds_kept_with_ranks([step], (column(values), NO_END), rank)]
        ranked += bool(own)
        assert all(
            are_lower_bounds_kept_with_ranks([step], (column([v / 2 for v in values]), NO_END), rank) for rank in own
        )
    assert tried > 250
    assert ranked > 15, "some ranks show the values themselves"


def test_a_round_in_circles_for_ever_is_worth_nothing() -> None:
    """Equal numbers in a circle are kept by each step: above they say too little, below they need ranks."""
    circle = [Vertex(1, "mean", ()), Vertex(None, "most", ((2, 1),)), Vertex(None, "least", ((1, 1), (0, 1)))]
    step = step_of(circle)
    assert [int(v) for v in by_all_moves(circle)] == [1, 0, 0]
    for value in (_UNIT, Fraction(1, 2), Fraction(1)):
        vector = column([Fraction(1), value, value]), NO_END
        assert are_upper_bounds_kept_by_steps([step], vector)
        assert not any(
            are_lower_bounds_kept_with_ranks([step], vector, np.array(ranks))
            for ranks in ([0, 0, 1], [0, 1, 0], [2, 1, 0])
        )
    assert are_upper_bounds_kept_by_steps([step], (column([Fraction(1), Fraction(0), Fraction(0)]), NO_END))


def test_ranks_or_values_for_other_states_are_refused() -> None:
    step = step_of([Vertex(1, "mean", ()), Vertex(None, "most", ((0, 1),))])
    values = column([Fraction(1), Fraction(1)]), NO_END
    assert are_lower_bounds_kept_with_ranks([step], values, np.array([0, 1]))
    for ranks in (np.array([0]), np.array([0, 1, 2]), np.array([[0, 1]])):
        assert not are_lower_bounds_kept_with_ranks([step], values, ranks)


# -- lengths --------------------------------------------------------------------------------------------------------


def test_the_longest_game_of_layers_is_that_of_all_its_paths() -> None:
    r = random.Random(5)
    for _ in range(40):
        sizes = [1, *(r.randint(1, 3) for _ in range(r.randint(1, 4)))]
        made, base, paths = Layers(ends=[np.zeros((1, 1), np.uint64)]), 0, list[list[int]]()
        for n, size in enumerate(sizes):
            beyond = [-2, *range(base + size, sum(sizes))]
            paths += [[r.choice(beyond) for _ in range(r.randint(0, 3))] for _ in range(size)]
            own = paths[base : base + size]
            degree, to = np.array([len(p) for p in own], np.int32), np.array([t for p in own for t in p], np.int32)
            none = np.zeros(size, np.bool_)
            made.layers.append(StateLayer(base, degree, to, None, np.zeros(size, np.int8), none, n))
            base += size
        made.states = base

        def longest(state: int, paths: Sequence[Sequence[int]] = paths) -> int:
            return 0 if state < 0 else max((1 + longest(to, paths) for to in paths[state]), default=0)

        assert compute_longest_game_length(made) == longest(0)


# -- files ----------------------------------------------------------------------------------------------------------


def refused(certificate: Certificate, game: Game, part: str) -> None:
    """Check that the kernel refuses a certificate, and why."""
    with pytest.raises(NotShown, match=part):
        Theorem(certificate, game, Context(propose=propose_bounds_and_ranks_of_layer))


def test_a_chance_that_follows_from_the_bounds_is_taken_and_no_other() -> None:
    """Weaker at one end is true; closer by one part of 2**46, or beyond 0 and 1, is not."""
    case, part = GameCase("pig", {"goal": "6"}, machine=False), Fraction(1, SCALE)
    order = find_layers_or_none(case, Budget(), allow_cycles=True)
    assert order is not None
    claimed = chance_in_layers(Event({"outcome": "win", "seat": 0}), "mean", 0, order, Fraction(0), Fraction(1))
    low, high = chance_bounds(case.game, claimed, case.context)
    assert 0 < low < high < 1
    for weaker in ((low, high), (low - part, high), (low, high + part), (Fraction(0), Fraction(1))):
        told = restate(claimed, low=weaker[0], high=weaker[1])
        assert Theorem(told, case.game, case.context).about == told.build_proved_statement().about
    for forged in ((low + part, high), (low, high - part), (high, low), (low - 1, high), (low, high + 1)):
        refused(restate(claimed, low=forged[0], high=forged[1]), case.game, "other bounds")
    exact = restate(claimed, low=low, high=high)
    refused(restate(exact, listing=replace(order, states=order.states + 1)), case.game, "the evidence speaks of")
    refused(restate(exact, chance="best"), case.game, "other bounds")
    refused(restate(exact, seat=1), case.game, "other bounds")


def test_a_strategy_is_bound_by_what_follows() -> None:
    game = build(HARVEST)
    of = {"target": {"outcome": "win"}, "play": [{"most": "stored"}], "ties": "random"}
    context, part = Context(propose=propose_bounds_and_ranks_of_layer), Fraction(1, SCALE)
    graph = enumerate_states_under_strategy(game, strategy_spec_to_strategy(game, of), of, 20_000, context)
    for within in (None, {"rounds": 2}, {"rounds": 3}):
        low, high = compute_strategy_chance_bounds_at_start(game, of, within, "mean", graph, context)
        about = StrategyChance(of, within, "mean", low, high)
        Theorem(strategy_chance(about, len(graph.cells)), game, context)
        weaker = strategy_chance(replace(about, low=max(low - part, Fraction(0))), len(graph.cells))
        Theorem(weaker, game, context)
        refused(strategy_chance(replace(about, low=high + part, high=high + part), len(graph.cells)), game, "other")
        refused(strategy_chance(replace(about, high=low - part), len(graph.cells)), game, "other bounds")
        refused(strategy_chance(about, len(graph.cells) - 1), game, "states")
    two, three = (
        compute_strategy_chance_bounds_at_start(game, of, {"rounds": n}, "mean", graph, context) for n in (2, 3)
    )
    assert two[1] < three[0], "a round more is worth something here"
    for rounds, (low, high) in ((2, three), (3, two)):
        forged = strategy_chance(StrategyChance(of, {"rounds": rounds}, "mean", low, high), len(graph.cells))
        refused(forged, game, "other bounds")


def tied(is_shared: bool) -> Game:
    """A coin ends the game: on heads it is a draw, or a win that both share; else seat 1 wins."""
    g = Game("tied", players=2)
    s = g.state
    g.integer("heads", 0, 1, 0)
    toss = g.phase("toss", actor=CHANCE)

    @g.action(toss, "the coin shows {side}", side=range(2))
    def coin(side: Local) -> None:
        s.heads = side
        with when(s.heads == 1):
            win("shared", EVERYBODY) if is_shared else lose("nobody")
        win("tails", 1)

    g.returns(s.heads if is_shared else 0, 1 if is_shared else 1 - s.heads)
    return g.seal()


def test_a_shared_win_and_a_lost_game_are_counted_once() -> None:
    """Three states. A win that is shared is a win of each seat; a game that seat 0 loses, of nobody."""
    for is_shared in (True, False):
        game = tied(is_shared)
        truths = {0: Fraction(1, 2), 1: Fraction(1)} if is_shared else {0: Fraction(0), 1: Fraction(1, 2)}
        for seat, truth in truths.items():
            taken, event = set[Fraction](), Event({"outcome": "win", "seat": seat})
            for value, *ends in product((Fraction(n, 4) for n in range(5)), *[[Fraction(0), Fraction(1)]] * 2):
                claimed = chance_in_file(
                    event,
                    "mean",
                    seat,
                    (value, *ends),
                    (0, 1, 2),
                    (0, 1, 2),
                    (1, 0, 0),
                    0,
                    partners=partners(game, seat),
                )
                try:
                    Theorem(claimed, game, Context())
                except NotShown:
                    continue
                taken.add(value)
            assert taken == {truth}, (is_shared, seat)


def partners(game: Game, seat: int) -> tuple[int, ...]:
    """The other seats of a seat's team."""
    return tuple(each for each in game.get_team_of_seat(seat) if each != seat)


def test_a_result_without_weight_carries_nothing() -> None:
    """Chance brings only what has a weight above 0; a set whose edges say otherwise is refused."""
    g = Game("loaded", players=1)
    s = g.state
    g.integer("side", 0, 2, 0)
    toss = g.phase("toss", actor=CHANCE)

    @g.action(toss, "it falls on {to}", to=range(1, 3))
    def fall(to: Local) -> None:
        require(s.side == 0, "L1", "it has fallen")
        weight(to - 1)
        s.side = to
        with when(s.side == 1):
            win("one")
        lose("two")
        goto(toss)

    game = g.seal()
    graph = enumerate_game_states_cached(game, 10, Context())
    assert len(graph.cells) == 2, "nothing falls on 1"
    forged, rows = np.array([0, 0]), np.array([CHANCE] * 2)
    with pytest.raises(NotShown, match="no weight"):
        compute_weight_of_each_edge(game, RowReader(game), graph.cells, rows, forged, np.array([0, 1]))
    for chance in (Fraction(1, 2), Fraction(1)):
        for told in ((chance, Fraction(0)), (chance, Fraction(1))):
            forged_chance = chance_in_file(Event(WIN), "mean", 0, told, (0, 1), (0, 1), (1, 0), 0)
            refused(forged_chance, game, "do better|not reached")


def test_an_order_of_layers_names_no_other_horizon() -> None:
    game = build(HARVEST)
    forged = chance_in_layers(
        Event({"outcome": "win"}), "mean", 0, Listing(5, "round", "", 3), Fraction(0), Fraction(1)
    )
    refused(forged, game, "no number")


# -- listings -------------------------------------------------------------------------------------------------------

COIN = Event(WIN)
VECTOR = Vector((Fraction(1, 2), Fraction(0), Fraction(1)), (0, 1, 2), (0, 1, 2), (1, 0, 0))
CHANCE_TO_WIN = EventChance(COIN, "mean", 0, Fraction(1, 2), Fraction(1, 2))
STATED = {
    "event": Event({"holds": "heads == 2"}),
    "property": Property(BOUNDS),
    "length": LengthLimit(1),
    "law": LawObeyed({"action": "coin", "leads": "outcome > 0"}),
    "count": StateCount(Event({"holds": "heads == 1"}), 1),
    "distance": StateDistance(Event({"holds": "heads == 1"}), False, 1),
    "chance": CHANCE_TO_WIN,
    "strategy": StrategyChance(
        {"target": WIN, "play": [{"when": "heads == 0"}]}, None, "mean", Fraction(1, 2), Fraction(1, 2)
    ),
    "worth": ExpectedValue({"score": 1, "play": "best"}, Fraction(1, 2), Fraction(1, 2)),
}
IN_LAYERS = {"event", "property", "length", "chance", "worth"}


@pytest.mark.parametrize("name", STATED)
def test_a_listing_says_nothing_that_does_not_serve(name: str) -> None:
    """Three states: what is true of the coin is shown, at once or in layers, and with no key more."""
    game, about = tied(is_shared=False), STATED[name]
    listings = {"": Listing(3), "layers": Listing(1, "phase")}
    shown = {where for where, each in listings.items() if not fault_of(ClosedSetCertificate(about, each), game)}
    assert shown == ({""} if name not in IN_LAYERS else {"layers"} if name == "worth" else {"", "layers"})
    renaming = Renaming((0, 1, 2), (), (1, 0), (0,))
    for where in shown:
        good = listings[where]
        for wrong in (
            replace(good, states=good.states + 1),
            replace(good, states=good.states - 1),
            replace(good, most=1),
            replace(good, after=(0,)),
            replace(good, alike=(renaming,)),
            replace(good, rise=1),
            replace(good, rise=-1),
            *(() if name in IN_LAYERS else (replace(good, measure="phase"),)),
        ):
            assert fault_of(ClosedSetCertificate(about, wrong), game), (where, wrong)
        if name not in ("event", "chance"):
            assert fault_of(ClosedSetCertificate(about, replace(good, number="heads", most=5)), game), where
        if (name, where) != ("chance", ""):
            assert fault_of(ClosedSetCertificate(about, good, VECTOR), game), where
    assert not fault_of(ClosedSetCertificate(CHANCE_TO_WIN, Listing(3), VECTOR), game)


def fault_of(certificate: ClosedSetCertificate, game: Game) -> str:
    """Why the kernel refuses a certificate, behind its way through a file; "" if it does not."""
    context = Context(propose=propose_bounds_and_ranks_of_layer, compiled=lambda *_: "")
    try:
        data = encode_typed_value_as_json(certificate)
        Theorem(decode_json_as_type_or_raise(Certificate, data), game, context)
    except NotShown as error:
        return str(error)
    return ""


def test_a_chance_in_the_file_is_stated_at_its_first_state() -> None:
    """The bounds of another state, or closer ones than the vector's, are refused; weaker ones are true."""
    game = tied(is_shared=False)
    for low, high, is_true in (
        (Fraction(0), Fraction(1), True),
        (Fraction(1, 4), Fraction(1, 2), True),
        (Fraction(1), Fraction(1), False),
        (Fraction(0), Fraction(0), False),
        (Fraction(1, 2), Fraction(1, 4), False),
        (Fraction(1, 2) + Fraction(1, SCALE), Fraction(1), False),
        (Fraction(-1), Fraction(1), False),
        (Fraction(0), Fraction(2), False),
    ):
        stated = replace(CHANCE_TO_WIN, low=low, high=high)
        assert bool(fault_of(ClosedSetCertificate(stated, Listing(3), VECTOR), game)) != is_true, (low, high)
