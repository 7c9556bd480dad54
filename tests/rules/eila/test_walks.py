"""Random games keep the invariants, and equal situations are equal states."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from playproof.cards.eila.rules.names import CardPlace, Resource
from playproof.language import Game, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.options import Options
from playproof.language.registry import build
from tests.rules.eila.scene import Scene, real

SETTINGS = [
    ("0", "", {}),
    ("1", "", {}),
    ("1", "I01 H01", {}),
    ("0", "", {"A8": "heart-allowed", "A11": "heart", "A12": "strict-any-time", "A15": "unchoosable"}),
    ("1", "", {"A2": "shuffled", "A4": "five", "A12b": "forbid", "A16": "printed-order"}),
    ("1", "", {"A13": "unlimited", "A20": "open"}),
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
def setting(request: pytest.FixtureRequest) -> tuple[Game, bool]:
    """A chapter under some rulings, and whether its supply is without end (A13)."""
    chapter, carried, rulings = request.param
    game = build("eila", Options({"chapter": chapter, "carried": carried}, rulings))
    return game, rulings.get("A13") == "unlimited"


@pytest.fixture
def game(setting: tuple[Game, bool]) -> Game:
    """The same without the second."""
    return setting[0]


def check(play: Interpreter, state: list[int], *, endless: bool = False) -> None:
    """The named invariants, recomputed here in plain Python, and the shape of the front pile.

    With `endless` the supply never runs out (A13).
    """
    game = play.game

    def read(name: str) -> list[int]:
        field = game.get_field(name)
        return state[field.offset : field.offset + field.size]

    have, where, present, rounds = read("have"), read("where"), read("present")[0], read("round")[0]
    in_hand = (Resource.FOOD, Resource.GOLD, Resource.STONE)
    assert sum(have[r] for r in in_hand) <= 8 + 2 * play.quantity("owns I03", state)
    assert sum(have[r] for r in Resource if r not in in_hand) <= 8
    for r in Resource:
        name = f"placed {r.name.lower()}"
        placed = play.quantity(name, state) if name in game.quantities else 0
        track = rounds - 1 if r is Resource.ENERGY else 0
        assert endless or have[r] + placed + track <= real().components[r.name.lower()].count, r
    shown = [n for n, place in enumerate(where) if place == CardPlace.PRESENT]
    assert shown == ([present] if present < len(where) else [])
    front, size = read("front_cards"), read("front_size")[0]
    assert sorted(front[:size]) == [n for n, place in enumerate(where) if place == CardPlace.FRONT]
    assert not any(front[size:])
    if game.phases[state[0]].name in ("draw", "choose", "night"):
        assert (read("at"), read("left")) == ([0], [0])
    assert read("hearts")[0] > 0 or state[1]
    for name, term in game.facts["invariants"].items():
        assert play.value(term, state), name


def test_random_games_keep_the_invariants(setting: tuple[Game, bool]) -> None:
    game, endless = setting
    for seed in range(3):
        for play, state in walk(game, seed):
            check(play, state, endless=endless)
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
    mutants = [
        ("have", Resource.STONE, 6, ["tokens-conserved"]),
        ("have", Resource.FOOD, 9, ["inventories-hold"]),
        ("present", 0, 3, ["one-card-in-the-present"]),
        ("hearts", 0, 0, ["alive-while-playing", "each-moment"]),
        ("at", 0, 5, ["each-moment", "nothing-half-resolved-at-rest"]),
        ("front_size", 0, 1, []),
    ]
    for field, cell, value, expected in mutants:
        state = play.start()
        state[game.get_field(field).offset + cell] = value
        with pytest.raises(AssertionError):
            check(play, state)
        assert [name for name, term in game.facts["invariants"].items() if not play.value(term, state)] == expected


@pytest.mark.parametrize(("chapter", "rulings"), [(c, r) for c, _, r in SETTINGS if r])
def test_the_compiled_source_agrees_under_other_rulings(chapter: str, rulings: dict[str, str]) -> None:
    game = build("eila", Options({"chapter": chapter}, rulings))
    compiled = Compiled(game, machine=False)
    fast = compiled.start()
    choose = random.Random(3)
    play = Interpreter(game)
    state = play.start()
    while not play.terminal(state):
        assert fast.tolist() == state
        legal = play.legal(state)
        assert compiled.legal(fast) == legal
        ident = choose.choice(legal)
        state = play.apply(state, ident)
        compiled.apply(fast, ident)
    assert fast.tolist() == state


def test_games_stay_below_the_declared_length(game: Game) -> None:
    longest = max(sum(1 for _ in walk(game, seed)) - 1 for seed in range(4))
    assert 20 < longest <= game.facts["ends_within"]


def test_the_order_of_placing_leaves_no_trace() -> None:
    ways = []
    for order in ((0, 1), (1, 0)):
        scene = Scene(">", goal="GGS").hold("GGSSEFF").choose()
        for token in order:
            scene.do("place", token)
        ways.append(scene.state)
    assert ways[0] == ways[1]


def test_named_cards_and_items_are_the_datas() -> None:
    game = build("eila", Options({"chapter": "1", "carried": "H01"}))
    assert [q for q in game.quantities if q.startswith("habit")] == ["habit H01", "habit H02", "habit H03"]
    texts = [game.show(i) for i, action, _ in game.iter_ground_actions() if action.name == "choose"]
    for card in real().of_kind("event"):
        if card.fields["chapter"] == 1:
            found = [text for text in texts if card.name in text and "no such option" not in text]
            assert len(found) == len(card.options)


def test_the_night_asks_exactly_while_something_can_be_done(game: Game) -> None:
    """The automatic evening and the requirements of the Night's actions say the same thing in two ways."""
    compiled = Compiled(game, machine=False)
    phases = {p.name: p.number for p in game.phases}
    asked: Counter[bool] = Counter()
    for seed in range(2):
        for play, state in walk(game, seed):
            if play.terminal(state) or game.phases[state[0]].name != "choose":
                continue
            now = np.array([phases["night"], *state[1:]], dtype=np.int64)
            something = len(compiled.legal(now)) > 1
            now[0] = phases["evening"]
            compiled.module.settle(now)
            asked[something] += 1
            assert (now[0] == phases["night"]) == something
    assert min(asked[True], asked[False]) > 3
