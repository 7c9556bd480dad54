"""Random games of every variant: cards conserved, hands within limits, always a legal play, a bounded end."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from playproof.language import CHANCE
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from tests.look_alikes import list_observable_differences_of_states
from tests.rules.scene import assert_readings_agree

Tabletop = Callable[..., Any]
VARIANTS: list[dict[str, str]] = [
    {},
    {"foreshadowing": "yes"},
    {"seashells": "yes"},
    {"foreshadowing": "yes", "seashells": "yes"},
    {"A2": "only-full", "A4": "at-once", "A6": "last-card", "A9": "shared"},
    {"A1": "youngest", "A4": "bottom", "A5": "decline", "A18": "open"},
    {
        "foreshadowing": "yes",
        "seashells": "yes",
        "A4": "bottom",
        "A10": "unseen",
        "A11": "under",
        "A13": "redraw",
        "A14": "one-shell",
    },
]


@pytest.mark.parametrize("options", VARIANTS, ids=lambda o: "-".join(o.values()) or "base")
def test_random_games_keep_the_invariants(table: Tabletop, options: dict[str, str]) -> None:
    scene = table(**options)
    for seed in range(2):
        random, scene.state = Random(seed), scene.play.start()
        while not scene.over:
            scene.step(random)
            _check(scene, options)
        assert scene.number("round") <= scene.game.facts["own"]["turns"]


def _check(scene: Any, options: dict[str, str]) -> None:
    assert scene.number("cards") == 100
    for name, held in scene.game.facts["invariants"].items():
        assert scene.play.value(held, scene.state), name
    for seat in (0, 1):
        hand = [scene.at("hand", seat, face) for face in range(scene.faces)]
        assert sum(hand) == scene.at("held", seat)
        limit = 5 + (scene.at("pawn") == seat + 1)
        if scene.phase == "play" and scene.at("turn") != seat:
            assert scene.at("held", seat) <= limit
    if options.get("seashells") != "yes":
        assert not scene.number("no card can be played")
    for spot in range(9):
        assert scene.at("lying", spot) <= (3, 10, 16, 10, 8, 8, 4, 2, 3)[spot]


def _other_hands(scene: Any, seat: int, random: Random) -> list[list[int]]:
    """Worlds in which a player holds another card instead of one of theirs; the other player cannot tell."""
    worlds = []
    for _ in range(6):
        held = [f for f in range(scene.faces) if scene.at("hand", seat, f)]
        unseen = [f for f in range(scene.faces) if scene.at("bag", seat, f)]
        if held and unseen:
            world, gone, come = list(scene.state), random.choice(held), random.choice(unseen)
            for name, face, n in (("hand", gone, -1), ("hand", come, 1), ("bag", gone, 1), ("bag", come, -1)):
                world[scene.cell(name, seat, face)] += n
            worlds.append(world)
    return worlds


@pytest.mark.parametrize("options", VARIANTS, ids=lambda o: "-".join(o.values()) or "base")
def test_what_comes_next_tells_nothing_of_a_hand(table: Tabletop, options: dict[str, str]) -> None:
    """After the same action in two worlds that look alike to the other player, they still look alike."""
    scene = table(**options)
    compared = 0
    for seed in range(2):
        random, scene.state = Random(seed), scene.play.start()
        while not scene.over:
            worlds = []
            seat = scene.play.actor(scene.state)
            if seat != CHANCE:
                worlds = _other_hands(scene, seat, random)
            before = scene.state
            ident = scene.step(random).ident
            for world in worlds:
                assert list_observable_differences_of_states(scene.play, before, world, 1 - seat) == []
                if not scene.play.why_not(world, ident):
                    after = scene.play.apply(world, ident)
                    assert list_observable_differences_of_states(scene.play, scene.state, after, 1 - seat) == [], (
                        scene.game.show(ident)
                    )
                    assert scene.state[0] == after[0], scene.game.show(ident)
                    compared += 1
    assert compared > 200


@pytest.mark.parametrize("options", VARIANTS, ids=lambda o: "-".join(o.values()) if len(o) < 3 else "all")
def test_readings_agree_step_by_step(table: Tabletop, options: dict[str, str]) -> None:
    assert_readings_agree(table(**options), Random(11))


def test_no_other_option_or_reading_is_accepted() -> None:
    with pytest.raises(OptionError, match="A9"):
        build("opale", Options({}, {"A9": "coin"}))
    with pytest.raises(OptionError, match="A99"):
        build("opale", Options({}, {"A99": "coin"}))
    with pytest.raises(OptionError, match="seashells"):
        build("opale", Options({"seashells": "maybe"}))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, {"own cards", "hands ready"}),
        ({"seashells": "yes"}, {"own cards", "discards ready", "second play ready", "shells in place", "hands ready"}),
        ({"foreshadowing": "yes"}, {"own cards", "reserves counted", "hands ready"}),
        ({"A4": "bottom"}, {"own cards", "hands ready"}),
        ({"foreshadowing": "yes", "A10": "unseen"}, set()),
        (
            {"seashells": "yes", "A11": "under", "A13": "redraw"},
            {"own cards", "discards ready", "second play ready", "shells in place", "hands ready"},
        ),
    ],
    ids=lambda x: "-".join(x.values()) or "base" if isinstance(x, dict) else "",
)
def test_conditions_are_declared_for_the_readings_they_speak_of(
    table: Tabletop, options: dict[str, str], named: set[str]
) -> None:
    every = {"own cards", "hands ready", "discards ready", "second play ready", "shells in place", "reserves counted"}
    assert every & set(table(**options).game.facts["invariants"]) == named


@pytest.mark.parametrize("returned", ["bottom", "at-once"])
def test_conditions_hold_under_the_other_readings(table: Tabletop, returned: str) -> None:
    readings = {"A4": returned, "A11": "under", "A13": "redraw"}
    scene, chosen = table(seashells="yes", foreshadowing="yes", **readings), Random(7)
    conditions = scene.game.facts["invariants"]
    state, steps = list(scene.play.start()), 0
    while not scene.play.terminal(state):
        state, steps = scene.play.apply(state, chosen.choice(scene.play.legal(state))), steps + 1
        some = conditions.items() if steps % 5 == 0 else ()  # each takes milliseconds
        assert [name for name, term in some if not scene.play.value(term, state)] == []


@pytest.mark.parametrize(
    ("held", "reserved", "lain", "open_"),
    [(6, 1, 1, True), (6, 2, 1, False), (5, 1, 2, True), (5, 2, 2, False), (6, 0, 2, False), (6, 3, 0, True)],
)
def test_a_card_goes_back_only_where_the_draw_pile_has_room_for_it(
    table: Tabletop, held: int, reserved: int, lain: int, open_: bool
) -> None:
    """Six cards again take a play and two cards: a reserve of three has them once."""
    scene = table(foreshadowing="yes")
    state = list(scene.state)
    for cell, value in (
        (scene.cell("held", 0), held),
        (scene.cell("reserved", 0), reserved),
        *((scene.cell("top", 0, i), 1) for i in range(lain)),
    ):
        state[cell] = value
    assert bool(scene.play.value(scene.game.facts["invariants"]["returns open"], state)) is open_
