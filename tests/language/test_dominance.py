"""Dominance: proved orders change no answer they are used for, wrong ones are refuted and refused."""

from __future__ import annotations

import random
from functools import cache

import pytest

from playproof.language import (
    CHANCE,
    Game,
    IllegalAction,
    Interpreter,
    Local,
    RulesError,
    goto,
    lose,
    min_of,
    otherwise,
    pick,
    require,
    tie,
    weight,
    when,
    win,
)
from playproof.language.compiled import Compiled
from playproof.language.dominance import Refuted, Unknown, prove
from playproof.language.explorer import BEST, Exploration, explore, graph, solve
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.language.state_order import Proved

BETTER = {"gold": +1, "food": +1, "day": -1}


@cache
def journey(seed: int, *, tax: bool = False, loaded: bool = False, peace: bool = False) -> Game:
    """Five days of buying and selling, then a win with 6 gold. `tax` takes 4 from who has 4 or more; `loaded` luck
    looks at the purse: either makes more gold no longer better. `peace` ends the fifth day in a draw, which is better
    than to go on and starve."""
    r, g = random.Random(seed), Game(f"journey {seed}")
    s = g.state
    g.integer("day", 1, 5)
    g.integer("gold", 0, 6, 1)
    g.integer("food", 0, 5, 3)
    g.integer("place", 0, 2)
    g.quantity("day", s.day)
    g.fact(round="day", better=BETTER)
    trade, luck, night = g.phase("trade"), g.phase("luck", CHANCE), g.automatic("night")
    deals = [
        (r.randrange(3), r.randrange(4), r.randrange(3), r.randrange(4), r.randrange(3)) for _ in range(4)
    ]
    pay, cost, gain, yields, to = (
        g.table(n, list(v))
        for n, v in zip(("pay", "cost", "gain", "yields", "to"), zip(*deals, strict=True), strict=True)
    )

    @g.action(trade, "deal {deal}", deal=4)
    def deal(deal: Local) -> None:
        require(s.gold >= pay[deal], "J1", "it costs gold")
        require(s.food >= cost[deal], "J2", "it costs food")
        s.gold = min_of(s.gold - pay[deal] + gain[deal], 6)
        s.food = min_of(s.food - cost[deal] + yields[deal], 5)
        s.place = to[deal]
        goto(luck)

    @g.action(trade)
    def rest() -> None:
        goto(luck)

    @g.action(luck, "luck {kind}", kind=3)
    def fortune(kind: Local) -> None:
        weight(pick(s.gold > 2, 1, 2) if loaded else 1 + kind)
        s.gold = min_of(s.gold + pick(kind == 2, 1, 0), 6)
        if tax:
            with when(s.gold >= 4):
                s.gold = s.gold - 4
        goto(night)

    @g.on(night)
    def sleep() -> None:
        with when((s.gold == 6) & (s.place == 0)):
            win("rich")
        with otherwise(s.food == 0):
            lose("starved")
        with otherwise(s.day == 5):
            tie("the road ends") if peace else lose("the road ends")
        with otherwise():
            s.food = s.food - 1
            s.day = s.day + 1
            goto(trade)

    return g.seal()


def proved(game: Game) -> Proved:
    """The order the game declares, which must be proved."""
    found = prove(game)
    assert isinstance(found, Proved), found
    return found


def fewest_days(seen: Exploration) -> int | None:
    """The first day on which a win was found."""
    row = int(seen.end_first[next(e.number for e in seen.compiled.game.endings if e.kind == "win")])
    return None if row < 0 else seen.state(row)[seen.compiled.game.field_named("day").offset]


def best(seen: Exploration) -> int:
    """The best return that can be reached."""
    found = seen.best_ending()
    return -1 if found is None else found[0]


@pytest.mark.parametrize("seed", range(12))
def test_the_best_ending_and_its_round_are_the_same_with_and_without(seed: int) -> None:
    compiled = Compiled(journey(seed), machine=False)
    plain, reduced = explore(compiled), explore(compiled, better=proved(compiled.game))
    assert plain.complete
    assert reduced.complete
    assert reduced.states <= plain.states
    assert fewest_days(reduced) == fewest_days(plain)
    net = graph(plain)
    assert best(reduced) == best(plain) == solve(compiled, net, net.returned, BEST).low


def test_the_journeys_differ_and_states_are_dropped() -> None:
    found = {fewest_days(explore(Compiled(journey(seed), machine=False))) for seed in range(12)}
    assert None in found
    assert len(found) >= 3
    compiled = Compiled(journey(3), machine=False)
    assert explore(compiled, better=proved(compiled.game)).states < 0.8 * explore(compiled).states


def test_a_line_to_the_win_is_kept_whole() -> None:
    for seed in range(12):
        compiled = Compiled(journey(seed), machine=False)
        seen = explore(compiled, better=proved(compiled.game))
        found, play = seen.best_ending(), Interpreter(compiled.game)
        if found is None or found[0] < 1:
            continue
        row = found[1]
        state = play.start()
        for ident in seen.path(row):
            state = play.apply(state, ident)
        assert play.returns(state) == (1,)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tax": True}, "it leads to states of which the first is not better"),
        ({"loaded": True}, "chance weighs it differently"),
        ({"peace": True}, "it leads to states of which the first is not better"),
    ],
)
def test_a_wrong_order_is_refuted(change: dict[str, bool], why: str) -> None:
    found = prove(journey(0, **change))
    assert isinstance(found, Refuted)
    assert (found.step, found.why) == ("night" if "peace" in change else "fortune", why)


def test_the_two_states_show_what_is_wrong() -> None:
    game = journey(0, tax=True)
    found, play = prove(game), Interpreter(game)
    assert isinstance(found, Refuted)
    gold = game.field_named("gold").offset
    assert found.better[gold] > found.worse[gold]
    after = [[play.apply(state, i)[gold] for i in play.legal(state)] for state in (found.better, found.worse)]
    assert any(ours < theirs for ours, theirs in zip(*after, strict=True))


def test_less_gold_is_not_better_where_it_buys() -> None:
    game = journey(0)
    found, play = prove(game, {"gold": -1}), Interpreter(game)
    assert isinstance(found, Refuted)
    assert found.why == "it is not legal in the better state"
    assert set(play.legal(found.worse)) - set(play.legal(found.better))
    with pytest.raises(IllegalAction):
        play.apply(found.better, min(set(play.legal(found.worse)) - set(play.legal(found.better))))


def test_a_later_round_is_not_better() -> None:
    found = prove(journey(0), {"day": +1})
    assert isinstance(found, Refuted)
    assert found.why == "its round is later"


def test_conditions_narrow_the_order_and_wrong_invariants_are_not_believed() -> None:
    game = journey(1, tax=True)
    s = game.state
    assert isinstance(prove(game), Refuted)
    assert isinstance(prove(game, given=[s.gold <= 2]), Unknown)
    assert isinstance(prove(game, given=[s.gold <= 6]), Refuted)


def test_an_invariant_can_carry_an_order() -> None:
    """The broken tool helps nobody, and nobody ever has it."""
    g = Game("tool")
    s = g.state
    g.flag("broken")
    g.integer("gold", 0, 3)
    play = g.phase("play")

    @g.action(play)
    def dig() -> None:
        with when(s.broken & (s.gold > 1)):
            s.gold = 0
        with otherwise(s.gold == 3):
            win("rich")
        with otherwise():
            s.gold = s.gold + 1

    g.seal()
    assert isinstance(prove(g, {"gold": 1}), Refuted)
    assert isinstance(prove(g, {"gold": 1}, given=[s.broken == 0]), Proved)


def test_only_a_proof_of_these_rules_is_taken() -> None:
    compiled = Compiled(journey(0), machine=False)
    with pytest.raises(TypeError):
        explore(compiled, better=prove(journey(0, tax=True)))  # type: ignore[arg-type]  # it must be refused
    with pytest.raises(ValueError, match="other rules"):
        explore(compiled, better=proved(journey(1)))
    seen = explore(compiled, states=10)
    with pytest.raises(ValueError, match="began with"):
        explore(compiled, better=proved(compiled.game), go_on=seen)


def test_a_reduced_search_is_not_asked_for_what_it_does_not_know() -> None:
    compiled = Compiled(journey(0), machine=False)
    with pytest.raises(ValueError, match="dropped"):
        graph(explore(compiled, better=proved(compiled.game)))


def test_declarations_are_checked() -> None:
    for code, game, directions in (
        ("PP340", build("tic_tac_toe"), {"turn": 1}),
        ("PP341", journey(0), {}),
        ("PP342", journey(0), {"gold": 2}),
        ("PP320", journey(0), {"silver": 1}),
    ):
        with pytest.raises(RulesError) as caught:
            prove(game, directions)
        assert caught.value.code == code


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options({"chapter": "1"}),
        Options({}, {"A8": "heart-allowed", "A11": "heart", "A2": "shuffled"}),
    ],
)
def test_the_order_a_game_of_the_house_declares_is_proved(options: Options) -> None:
    proved(build("eila", options))
