"""Chances and worths of games in which play comes back, beside exact fractions over all ways to play.

`PLAYPROOF_DRAWN=600` tries so many random games; PLAYPROOF_SEED names the first.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from playproof import CHANCE, Game, Local, goto, lose, require, weight, when, win
from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.closed_sets import (
    LEAST,
    MEAN,
    MOST,
    SCALE,
    Layers,
    Play,
    StateLayer,
    ValueStep,
    are_lower_bounds_kept_with_ranks,
    are_upper_bounds_kept_by_steps,
    compute_lower_and_upper_state_values,
)
from playproof.verifier.kernel.context import BoundsProposer, Proposal, SideBounds
from playproof.verifier.kernel.layers import Listing, sort_distinct_states_and_number_rows, sweep_layers_cached
from playproof.verifier.kernel.state_graphs import StateNumbers, hash_packed_states
from playproof.verifier.kernel.statements import BOUNDS, Event, LengthLimit, Property
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.worths import compute_expected_value_bounds
from playproof.verifier.proof.best_play import Vertex
from playproof.verifier.proof.layering import find_layers_or_none
from playproof.verifier.proof.length import answer_whether_games_end_within
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.search import layer_bounds
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.layer_bounds import CyclicLayer, propose_bounds_and_ranks_of_layer
from tests.verifier.closed_sets import chance_bounds, chance_in_layers, in_layers, restate
from tests.verifier.test_chance import by_all_moves, random_places

SEEDS = int(os.environ.get("PLAYPROOF_DRAWN", "60"))
FIRST = int(os.environ.get("PLAYPROOF_SEED", "0"))
STRANGERS = Path(__file__).parent / "games_of_strangers"
WIN = Event({"outcome": "win", "seat": 0})
_CLOSE = Fraction(1, 10**9)
_ACTORS = {"most": 0, "least": 1, "mean": CHANCE}
_WIDE = 3


def walk(places: Sequence[Vertex], start: int = 2) -> Game:
    """A token walks from place to place. Seat 0 wins in place 0, and seat 1 in place 1."""
    g = Game("walk", players=2)
    s = g.state
    edges = [[*place.edges, *[(0, 0)] * (_WIDE - len(place.edges))] for place in places]
    to = g.table("to", [[there for there, _ in row] for row in edges])
    ways = g.table("ways", [[ways for _, ways in row] for row in edges])
    who = g.table("who", [list(_ACTORS).index(place.chooses) for place in places])
    g.integer("at", 0, len(places) - 1, start)
    # the first phase is where play starts
    names = sorted(_ACTORS, key=lambda name: name != places[start].chooses)
    phases = {name: g.phase(name, actor=_ACTORS[name]) for name in names}

    def declare(name: str) -> None:
        @g.action(phases[name], f"{name} {{edge}}", name=name, edge=range(_WIDE))
        def go(edge: Local) -> None:
            require(ways[s.at, edge] > 0, "W1", "there is no such way")
            if name == "mean":
                weight(ways[s.at, edge])
            s.at = to[s.at, edge]
            with when(s.at == 0):
                win("good", 0)
            with when(s.at == 1):
                win("bad", 1)
            for number, each in enumerate(_ACTORS):
                with when((s.at > 1) & (who[s.at] == number)):
                    goto(phases[each])

    for name in names:
        declare(name)
    g.returns((s.at == 0) * 1, (s.at == 1) * 1)
    return g.seal()


def order_in(game: Game, context: Context) -> Listing:
    """The whole game as one layer."""
    return Listing(sweep_layers_cached(game, Listing(1_000, "0"), context).states, "0")


def turned(places: Sequence[Vertex]) -> list[Vertex]:
    """The same places where the other seat seeks the other end."""
    other = {"most": "least", "least": "most", "mean": "mean"}
    ends = [replace(places[0], worth=0), replace(places[1], worth=1)]
    return ends + [replace(place, chooses=other[place.chooses]) for place in places[2:]]


def lucky(places: Sequence[Vertex], chooses: str) -> list[Vertex]:
    """The same places where chance chooses."""
    return [replace(p, chooses=chooses if p.worth is None and p.chooses == "mean" else p.chooses) for p in places]


def close(bounds: tuple[Fraction, Fraction], truth: Fraction) -> bool:
    """Whether bounds hold a value closely, and say exactly if it is 0 or 1."""
    low, high = bounds
    sure = (high == 0) == (truth == 0) and (low == 1) == (truth == 1)
    return low <= truth <= high <= low + _CLOSE and sure


def test_chances_and_worths_are_those_over_all_ways_to_play() -> None:
    """Random walks with circles of all kinds, one seat against the other and chance, beside exact fractions."""
    between = endless = 0
    for seed in range(FIRST, FIRST + SEEDS):
        r = random.Random(seed)
        places = random_places(r, r.randint(3, 7))
        chances = by_all_moves(places)
        start = next((n for n in range(2, len(places)) if 0 < chances[n] < 1), 2)
        game, context = walk(places, start), Context(propose=propose_bounds_and_ranks_of_layer)
        order = order_in(game, context)
        models = [("mean", 0, places), ("mean", 1, turned(places))]
        models += [("best", 0, lucky(places, "most")), ("worst", 1, lucky(turned(places), "least"))]
        truths = [by_all_moves(model)[start] for _, _, model in models]
        for (luck, seat, _), truth in zip(models, truths, strict=True):
            event = Event({"outcome": "win", "seat": seat})
            claimed = chance_in_layers(event, luck, seat, order, Fraction(0), Fraction(1))
            assert close(chance_bounds(game, claimed, context), truth), (seed, luck, seat)
        between += 0 < truths[0] < 1
        endless += truths[0] + truths[1] < 1
        if sweep_layers_cached(game, order, context).ends:
            low, high = compute_expected_value_bounds(game, {"score": 0}, order, context)
            if low == high:  # all ends are worth the same
                continue
            assert low <= truths[0] <= low + _CLOSE, seed
            assert high - _CLOSE <= 1 - truths[1] <= high, seed
    assert between > SEEDS // 5
    assert endless > SEEDS // 20


def test_the_chance_of_pig_is_that_of_a_plain_solver() -> None:
    """Pig to 9 points as Neller and Presser write it: what the turn brings counts at once where it is enough."""
    goal = 9
    win_ = {(i, j, k): 0.5 for i in range(goal) for j in range(goal) for k in range(goal - i)}

    def chance(i: int, j: int, k: int) -> float:
        return 1.0 if i + k >= goal else win_[i, j, k]

    for _ in range(400):
        for i, j, k in win_:
            throw = (1 - chance(j, i, 0) + sum(chance(i, j, k + eyes) for eyes in range(2, 7))) / 6
            win_[i, j, k] = max(throw, 1 - chance(j, i + k, 0))
    case = GameCase("pig", {"goal": str(goal)}, machine=False)
    order = find_layers_or_none(case, Budget(), allow_cycles=True)
    assert order is not None
    claimed = chance_in_layers(WIN, "mean", 0, order, Fraction(0), Fraction(1))
    low, high = chance_bounds(case.game, claimed, case.context)
    assert float(low) - 1e-12 <= win_[0, 0, 0] <= float(high) + 1e-12
    assert high - low < Fraction(1, 10**9)
    Theorem(restate(claimed, low=low, high=high), case.game, Context(propose=propose_bounds_and_ranks_of_layer))
    for wrong in (restate(claimed, low=high, high=high), restate(claimed, low=low, high=low)):
        with pytest.raises(NotShown, match="other bounds"):
            Theorem(
                decode_json_as_type_or_raise(ClosedSetCertificate, encode_typed_value_as_json(wrong)),
                case.game,
                Context(propose=propose_bounds_and_ranks_of_layer),
            )


# -- attacks --------------------------------------------------------------------------------------------------------


def alone(*edges: int, how: int, gain: int = 0) -> ValueStep:
    """One layer of states that each have one edge: to a state of the layer, or below 0 to an end."""
    to = np.array(edges, dtype=np.int32)
    layer = StateLayer(
        0, np.ones(len(to), np.int32), to, None, np.zeros(len(to), np.int8), np.zeros(len(to), np.bool_), 0
    )
    return ValueStep(layer, Play({}, how, gain))


@pytest.mark.parametrize("how", [MOST, LEAST, MEAN])
def test_a_circle_that_nobody_leaves_carries_no_bound_from_below(how: int) -> None:
    """Each bound equals that of its successor, so one step keeps it; but play never ends, and no ranks say it does."""
    circle, nothing = alone(1, 2, 0, how=how), np.zeros(0, dtype=np.int64)
    for value, *ranks in product((1, SCALE // 2, SCALE), *[range(-1, 3)] * 3):
        assert not are_lower_bounds_kept_with_ranks([circle], (np.full(3, value), nothing), np.array(ranks))
    zero = (np.zeros(3, dtype=np.int64), nothing)
    assert are_lower_bounds_kept_with_ranks([circle], zero, np.zeros(3, dtype=np.int64))
    assert not are_lower_bounds_kept_with_ranks([circle], zero, np.zeros(2, dtype=np.int64))
    assert are_upper_bounds_kept_by_steps([circle], zero)
    lower, _, upper = propose_bounds_and_ranks_of_layer([circle], zero, zero)
    assert upper is not None
    assert (lower.tolist(), upper.tolist()) == ([0] * 3, [0] * 3)


@pytest.mark.parametrize("how", [MOST, LEAST, MEAN])
def test_a_bound_from_below_is_not_above_the_way_out(how: int) -> None:
    leaving, behind, ranks = alone(1, 2, -1, how=how), np.array([SCALE // 2]), np.array([3, 2, 1])
    half = np.full(3, SCALE // 2), behind
    assert are_lower_bounds_kept_with_ranks([leaving], half, ranks)
    assert are_upper_bounds_kept_by_steps([leaving], half)
    for wrong in (SCALE // 2 + 1, SCALE):
        assert not are_lower_bounds_kept_with_ranks([leaving], (np.full(3, wrong), behind), ranks)
    assert not are_lower_bounds_kept_with_ranks([leaving], half, ranks[::-1])
    assert not are_upper_bounds_kept_by_steps([leaving], (np.full(3, SCALE // 2 - 1), behind))


def test_what_a_step_gains_has_to_leave_a_bound_from_above() -> None:
    """A circle that gains for ever has every bound from below, and none from above."""
    circle, nothing = alone(1, 0, how=LEAST, gain=1), np.zeros(0, dtype=np.int64)
    assert are_lower_bounds_kept_with_ranks([circle], (np.full(2, SCALE), nothing), np.zeros(2, dtype=np.int64))
    assert not are_upper_bounds_kept_by_steps([circle], (np.full(2, SCALE), nothing))


@pytest.mark.parametrize(
    "proposal",
    [
        lambda low, ranks, high: (low + SCALE // 1000, ranks, high),
        lambda low, ranks, high: (low, ranks, high - SCALE // 1000),
        lambda low, ranks, high: (low, ranks * 0, high),
        lambda low, ranks, high: (low, ranks[1:], high),
        lambda low, ranks, high: (low[1:], ranks, high),
        lambda low, ranks, high: (low.astype(float), ranks, high),
        lambda low, ranks, high: (low, ranks, high * 0 - 1),
        lambda low, ranks, high: (low, ranks, high * 0 + SCALE + 1),
        lambda low, ranks, high: (low, ranks, None),
    ],
)
def test_a_proposal_is_confirmed_or_refused(proposal: Callable[..., Proposal]) -> None:
    """Whoever runs the kernel may propose what he likes."""
    places = [Vertex(1, "mean", ()), Vertex(0, "mean", ()), Vertex(None, "most", ((3, 1),))]
    game = walk([*places, Vertex(None, "mean", ((2, 1), (0, 1), (1, 1)))])
    claimed = chance_in_layers(WIN, "mean", 0, order_in(game, Context()), Fraction(0), Fraction(1))
    assert close(
        chance_bounds(game, claimed, Context(propose=propose_bounds_and_ranks_of_layer)),
        Fraction(1, 2),
    )
    for wrong in (lambda *side: proposal(*propose_bounds_and_ranks_of_layer(*side)), None):
        with pytest.raises(NotShown):
            chance_bounds(game, claimed, Context(propose=wrong))


def test_who_proposes_cannot_change_what_it_is_held_against() -> None:
    places = [Vertex(1, "mean", ()), Vertex(0, "mean", ()), Vertex(None, "mean", ((2, 1), (0, 1), (1, 1)))]
    game = walk(places)
    claimed = chance_in_layers(WIN, "mean", 0, order_in(game, Context()), Fraction(0), Fraction(1))

    def overwrites(which: int) -> BoundsProposer:
        def proposal(steps: Sequence[ValueStep], below: SideBounds, above: SideBounds | None) -> Proposal:
            assert above is not None
            layer = steps[0].layer
            ([*below, *above, layer.to, layer.met, steps[0].how, steps[0].total][which])[:1] = 1
            return propose_bounds_and_ranks_of_layer(steps, below, above)

        return proposal

    for which in range(8):
        with pytest.raises(ValueError, match="read-only"):
            chance_bounds(game, claimed, Context(propose=overwrites(which)))


def test_a_bound_from_above_that_a_step_breaks_is_raised() -> None:
    """From too low a guess no bound comes: it is raised until each step keeps it."""
    leaving = CyclicLayer([alone(1, 2, -1, how=MOST)])
    high = leaving.compute_upper_bounds_of_layer(np.zeros(3, dtype=np.int64), np.array([SCALE // 2]))
    assert high.tolist() == [SCALE // 2] * 3


def test_what_the_seeker_may_stay_in_for_ever_is_worth_only_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A circle that the seeker need not leave: a half by the way out, though from 1 no step lowers it."""
    places = [Vertex(1, "mean", ()), Vertex(0, "mean", ())]
    places += [Vertex(None, "most", ((3, 1), (4, 1))), Vertex(None, "most", ((2, 1),))]
    places += [Vertex(None, "mean", ((0, 1), (1, 1)))]
    game, context = walk(places), Context(propose=propose_bounds_and_ranks_of_layer)
    order = order_in(game, context)
    claimed = chance_in_layers(WIN, "mean", 0, order, Fraction(0), Fraction(1))
    assert close(chance_bounds(game, claimed, context), Fraction(1, 2))
    monkeypatch.setattr(
        layer_bounds.CyclicLayer, "_try_to_raise_candidate_to_upper_bound", lambda self, values, sweeps: False
    )
    low, high = chance_bounds(game, claimed, context)
    assert (float(low), high) == (pytest.approx(0.5), 1)  # not close, and not wrong


def test_a_game_that_can_go_on_for_ever_has_no_worth_unless_it_makes_no_difference() -> None:
    places = [Vertex(1, "mean", ()), Vertex(0, "mean", ())]
    staying = [*places, Vertex(None, "most", ((2, 1), (0, 1)))]
    [low, high] = compute_expected_value_bounds(
        walk(staying), {"score": 1}, Listing(1, "0"), Context(propose=propose_bounds_and_ranks_of_layer)
    )
    assert (low, high) == (0, 0)  # only one end, worth the same
    unsure = [*places, Vertex(None, "least", ((2, 1), (3, 1))), Vertex(None, "mean", ((0, 1), (1, 1)))]
    low, high = compute_expected_value_bounds(
        walk(unsure), {"score": 0}, Listing(2, "0"), Context(propose=propose_bounds_and_ranks_of_layer)
    )
    # at worst it goes on, and that may be worth 0
    assert (float(low), float(high)) == (0, pytest.approx(0.5))
    with pytest.raises(NotShown, match="no game ends"):
        compute_expected_value_bounds(
            walk([*places, Vertex(None, "mean", ((2, 1),))]),
            {"score": 0},
            Listing(1, "0"),
            Context(propose=propose_bounds_and_ranks_of_layer),
        )


def test_the_sides_are_not_turned_where_a_dead_end_lies() -> None:
    made = Layers(states=1, circles=True)
    to = np.array([0, -2], dtype=np.int32)
    degree = np.array([2, 0], dtype=np.int32)
    made.layers = [StateLayer(0, degree, to, None, np.zeros(2, np.int8), np.zeros(2, np.bool_), 0)]
    made.states = 2
    ends = np.array([0, SCALE])
    with pytest.raises(NotShown, match="dead end"):
        compute_lower_and_upper_state_values(
            made,
            (ends, ends),
            Play({}, MOST),
            Context(propose=propose_bounds_and_ranks_of_layer),
            is_endless_play_possible=True,
        )
    lower, upper = compute_lower_and_upper_state_values(
        made, (ends, ends), Play({}, MOST), Context(propose=propose_bounds_and_ranks_of_layer)
    )
    assert (lower.tolist(), upper.tolist()) == ([SCALE, 0], [SCALE, 0])


def test_a_measure_that_decisions_keep_shows_no_length() -> None:
    game = walk([Vertex(1, "mean", ()), Vertex(0, "mean", ()), Vertex(None, "mean", ((0, 1), (1, 1), (2, 1)))])
    Theorem(
        in_layers(Property(BOUNDS), Listing(1, "0")),
        game,
        Context(propose=propose_bounds_and_ranks_of_layer),
    )
    for measure in ("at", "0"):
        with pytest.raises(NotShown, match="circles"):
            Theorem(
                in_layers(LengthLimit(50), Listing(1, measure)),
                game,
                Context(propose=propose_bounds_and_ranks_of_layer),
            )


def test_two_states_of_one_name_are_refused() -> None:
    """The name of a row of words mixes them; two rows can be made to have one name."""
    first = np.array([[1, 2], [3, 0]], dtype=np.uint64)
    wanted, mixed = (hash_packed_states(first[:1])[0], hash_packed_states(np.array([[3, 0]], dtype=np.uint64))[0])
    first[1, 1] = wanted - mixed if wanted >= mixed else wanted + (np.uint64(2**64 - 1) - mixed) + np.uint64(1)
    assert hash_packed_states(first)[0] == hash_packed_states(first)[1]
    with pytest.raises(NotShown, match="one name"):
        sort_distinct_states_and_number_rows(first)
    numbers = StateNumbers()
    numbers.number_states_and_get_new_rows(first[:1])
    with pytest.raises(NotShown, match="one name"):
        numbers.number_states_and_get_new_rows(first[1:])


# -- states that are not followed -----------------------------------------------------------------------------------


def thrower() -> Game:
    """A coin is thrown up to four times; heads wins."""
    g = Game("thrower")
    s = g.state
    g.integer("thrown", 0, 4)
    throw = g.phase("throw", actor=CHANCE)

    @g.action(throw, "{side}", side=["heads", "tails"])
    def shown(side: Local) -> None:
        s.thrown += 1
        with when(side == 0):
            win("heads")
        with when((side == 1) & (s.thrown == 4)):
            lose("never")

    return g.seal()


def test_what_lies_beyond_the_horizon_may_be_anything_unless_the_event_cannot_be_there() -> None:
    game, order = thrower(), Listing(2, "thrown", "thrown", 1)
    whole = chance_in_layers(Event({"outcome": "win"}), "mean", 0, order, Fraction(0), Fraction(1))
    assert chance_bounds(game, whole, Context(propose=propose_bounds_and_ranks_of_layer)) == (
        Fraction(3, 4),
        1,
    )
    within = restate(whole, event=Event({"outcome": "win"}, {"thrown": 1}))
    assert chance_bounds(game, within, Context(propose=propose_bounds_and_ranks_of_layer)) == (
        Fraction(1, 2),
        Fraction(1, 2),
    )
    for wrong in (Property(BOUNDS), LengthLimit(4), Event({"outcome": "loss"})):
        with pytest.raises(NotShown, match="limited"):
            Theorem(in_layers(wrong, order), game, Context(propose=propose_bounds_and_ranks_of_layer))
    with pytest.raises(NotShown, match="no number"):
        chance_bounds(
            game,
            restate(whole, listing=Listing(2, "thrown", "", 1)),
            Context(propose=propose_bounds_and_ranks_of_layer),
        )
    # a step lowers it: nothing is excluded
    falling = restate(within, listing=Listing(2, "thrown", "0 - thrown", -3))
    assert (
        chance_bounds(
            game,
            restate(falling, states=1),
            Context(propose=propose_bounds_and_ranks_of_layer),
        )[1]
        == 1
    )


# -- how long games are ---------------------------------------------------------------------------------------------


def test_a_circle_shows_that_games_are_longer_than_any_number(tmp_path: Path) -> None:
    question = Question("ends", "always", {"ends": 10_000})
    [answer] = prove(str(STRANGERS / "craps"), claims=[question], output=tmp_path, machine=False)
    assert answer.value is False
    assert answer.method == "a circle of 1"
    assert len(Path(answer.evidence).read_text()) < 2_000  # the circle, and not 10,000 actions


def test_a_long_game_is_shown_by_its_first_actions(tmp_path: Path) -> None:
    for most, value in ((11, False), (12, True)):
        [answer] = prove("nim", claims=[Question("ends", "always", {"ends": most})], output=tmp_path, machine=False)
        assert answer.value is value
    case = GameCase("nim", machine=False)
    assert answer_whether_games_end_within(case, 3, Budget(0.0)).value is None
    case.extend_shared_exploration(Budget())
    [[shown]] = answer_whether_games_end_within(case, 3, Budget(0.0)).offers
    assert Theorem(shown, case.game, Context(propose=propose_bounds_and_ranks_of_layer)).about == LengthLimit(3)
    assert len(shown.idents) == 4


def test_a_common_claim_that_expects_nothing_fails_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Craps need not end, and nobody claimed that it does; a claims.yaml that does is refuted."""
    assert run_command_line_and_get_exit_status(["prove", str(STRANGERS / "craps"), "--out", str(tmp_path)]) == 0
    assert "REFUTED  comes to an end" in capsys.readouterr().out
    folder = tmp_path / "own" / "craps"
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text((STRANGERS / "craps" / "rules.py").read_text())
    (folder / "claims.yaml").write_text("claims:\n  comes to an end: {ask: always, of: ends, says: It ends.}\n")
    assert run_command_line_and_get_exit_status(["prove", str(folder), "--out", str(tmp_path / "claimed")]) == 1
