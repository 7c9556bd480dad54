"""Random games keep the invariants, and equal situations are equal states."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from rules.eila.words import HAND, HEART, Resource
from rules.language import Game, Interpreter
from rules.options import Options
from rules.registry import build
from tests.rules.eila.scene import real

SETTINGS = [
    ("0", "", {}), ("1", "", {}), ("1", "I01 H01", {}),
    ("0", "", {"A8": "heart-allowed", "A11": "heart", "A12": "strict-any-time", "A15": "unchoosable"}),
    ("1", "", {"A2": "shuffled", "A4": "five", "A12b": "forbid", "A16": "printed-order"}),
]


def walk(game: Game, seed: int) -> Iterator[tuple[Interpreter, list[int]]]:
    """Every state of one random game."""
    play, choose = Interpreter(game), random.Random(seed)
    state = play.start()
    yield play, state
    while not play.terminal(state):
        state = play.apply(state, choose.choice(play.legal(state)))
        yield play, state


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    """A chapter under some rulings."""
    chapter, carried, rulings = request.param
    return build("eila", Options({"chapter": chapter, "carried": carried}, rulings))


def check(play: Interpreter, state: list[int]) -> None:
    """What holds in every state: bounds, eight spaces, no more tokens than there are, one Present, no scratch."""
    game = play.game

    def read(name: str) -> list[int]:
        field = game.field_named(name)
        return state[field.offset:field.offset + field.size]

    have, hearts, rounds = read("have"), read("hearts")[0], read("round")[0]
    basket = 2 * play.quantity("owns I03", state)
    assert sum(have[r] for r in HAND) <= 8 + basket
    assert sum(have[r] for r in HEART) <= 8
    for r in Resource:
        name = f"placed {r.name.lower()}"
        placed = play.quantity(name, state) if name in game.quantities else 0
        track = rounds - 1 if r is Resource.ENERGY else 0
        assert have[r] + placed + track <= real().components[r.name.lower()].count, r
    where, present = read("where"), read("present")[0]
    shown = [n for n, place in enumerate(where) if place == 3]
    assert shown == ([present] if present < len(where) else [])
    front, size = read("front_cards"), read("front_size")[0]
    assert sorted(front[:size]) == [n for n, place in enumerate(where) if place == 2]
    assert not any(front[size:])
    if game.phases[state[0]].name in ("draw", "choose", "night"):
        assert (read("at"), read("left")) == ([0], [0])
    assert hearts > 0 or state[1]


def test_random_games_keep_the_invariants(game: Game) -> None:
    for seed in range(3):
        for play, state in walk(game, seed):
            check(play, state)
            assert play.terminal(state) or play.legal(state)


def test_an_owned_item_and_a_started_habit_stay(game: Game) -> None:
    owned = [q for q in game.quantities if q.startswith("owns")]
    before = [0] * len(owned)
    for play, state in walk(game, 7):
        now = [play.quantity(q, state) for q in owned]
        assert all(a <= b for a, b in zip(before, now, strict=True))
        before = now


def test_the_invariants_can_fire() -> None:
    game = build("eila", Options())
    play = Interpreter(game)
    for name, value in (("have", 9), ("present", 3), ("at", 5), ("hearts", 0), ("front_size", 1)):
        state = play.start()
        state[game.field_named(name).offset] = value
        with pytest.raises(AssertionError):
            check(play, state)


def test_named_cards_and_items_are_the_datas() -> None:
    game = build("eila", Options({"chapter": "1", "carried": "H01"}))
    assert [q for q in game.quantities if q.startswith("habit")] == ["habit H01", "habit H02", "habit H03"]
    texts = [game.show(i) for i, action, _ in game.idents() if action.name == "choose"]
    for card in real().of_kind("event"):
        if card.fields["chapter"] == 1:
            found = [text for text in texts if card.name in text and "no such option" not in text]
            assert len(found) == len(card.options)
