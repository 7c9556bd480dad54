"""Random games of two, three and four keep every invariant, never stick, and end in time; hidden hands stay hidden."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from playproof.cards.olith.rules.rulings import CHOICES
from playproof.language import Game, Interpreter, Sees, all_of
from playproof.language.compiled import Compiled
from playproof.language.explorer import evaluate_term_in_many_states
from tests.language.folded import Folded
from tests.rules.olith.scene import game_of

LAZY = {
    "end turn": 1,
    "end unlocking": 3,
    "abandon": 2,
    "end victory turn": 1,
    "leave it": 3,
    "stand": 4,
    "sell": 2,
    "victory turn": 30,
    "attack": 40,
    "assault": 60,
    "offer": 99,
}
"""How gladly a busy player does what; all else 12. Purely random play rarely gets far in a turn."""
OTHER = {i: options[1] for i, options in CHOICES.items()}
LAST = {i: options[-1] for i, options in CHOICES.items()}


class Walker:
    """Random games on the generated source, run as plain Python, with all invariants asked at every step."""

    def __init__(self, game: Game) -> None:
        self.game = game
        game.quantity("sound", all_of(game.quantities[q] == 1 for q in game.facts["invariants"]))
        round_of = game.facts["round"]
        game.fact(round="sound")
        self.compiled = Compiled(game, machine=False)
        self.steps = self.compiled.module
        game.fact(round=round_of)
        self.names = [action.name for _, action, _ in game.iter_ground_actions()]
        self.bounds = [(f.lo, f.hi) for f in game.fields for _ in range(f.size)]

    def walk(self, seed: int) -> Iterator[tuple[list[int], int]]:
        """(state, the action that led there) until the game is over; every second seed plays busily."""
        choose, state = random.Random(seed), [int(v) for v in self.compiled.start()]
        legal, weights = [0] * self.game.ground, [0] * self.game.ground
        while not state[1]:
            n = self.steps.legal(state, legal, weights)
            assert n, f"nobody can act in {self.game.phases[state[0]].name}"
            odds = weights[:n]
            if seed % 2 and self.steps.actor(state) >= 0:
                odds = [LAZY.get(self.names[i], 12) for i in legal[:n]]
            (ident,) = choose.choices(legal[:n], odds)
            self.steps.apply(state, ident)
            yield state, ident

    def check(self, state: list[int]) -> None:
        """Invariants and bounds."""
        assert self.steps.round_of(state) == 1
        assert all(lo <= v <= hi for v, (lo, hi) in zip(state, self.bounds, strict=True))


SETTINGS = [(2, {}, 60), (3, {}, 24), (4, {}, 16), (2, OTHER, 16), (3, LAST, 10), (4, {**LAST, "A3": "together"}, 6)]


@pytest.mark.parametrize(("players", "rulings", "games"), SETTINGS, ids=lambda v: str(v)[:12])
def test_r13_r32_random_games_keep_every_invariant_and_end(players: int, rulings: dict[str, str], games: int) -> None:
    walker = Walker(game_of(players, tuple(sorted(rulings.items()))))
    most, used = 0, Counter[str]()
    for seed in range(games):
        steps = 0
        for state, ident in walker.walk(seed):
            walker.check(state)
            used[walker.names[ident]] += 1
            steps += 1
        most = max(most, steps)
    assert most < 700
    assert {"move", "excavate", "gather", "unlock", "attack", "claim", "buy", "play artifact"} <= set(used)


def test_each_invariant_fires_when_it_is_broken() -> None:
    """A state with one thing out of place, for each invariant."""
    game = game_of(2, ())
    phases = {p.name: p.number for p in game.phases}
    play = Interpreter(game)
    breaks = {
        "units-conserved": ("camp", 0, 1),
        "mercenaries-conserved": ("exhausted", 1, 1),
        "artifacts-conserved": ("discard", 0, 1),
        "sold-in-order": ("under", 0, 2),
        "locations-conserved": ("abandoned", 0, 1),
        "shop-conserved": ("kit", 0, 1),
        "tokens-conserved": ("placed", 0, 1),
        "crystals-conserved": ("crystals", 0, 1),
        "sites-sound": ("acted", 0, 1),
        "no-early-corruption": ("dug", 0, 2),
        "remembered": ("phase", 0, phases["draw"]),
        "in-hand": ("held", 0, 1),
        "whose-move": ("by", 0, 1),
        "combat": ("phase", 0, phases["defend"]),
        "acted": ("played", 0, 1),
        "on-mats": ("loc_unit", 0, 1),
        "crystals-ahead": ("crystal_left", 0, 0),
        "turns-counted": ("turns", 0, 5),
        "allegiance": ("asked", 0, 1),
        "under-way": ("offered", 0, 1),
        "scripts": ("line", 0, 1),
        "nobody-has-won": ("won", 0, 1),
        "attack-points": ("rolled", 0, 1),
    }
    assert set(breaks) == set(game.facts["invariants"])
    for name, (field, cell, value) in breaks.items():
        state = play.start()
        assert play.quantity(name, state) == 1
        state[game.get_field(field).offset + cell] = value
        assert play.quantity(name, state) == 0, name


@pytest.mark.parametrize(
    ("players", "rulings", "seed"),
    [(2, {}, 0), (2, {}, 1), (3, {}, 1), (4, {}, 1), (2, OTHER, 1), (3, OTHER, 0), (4, LAST, 1)],
    ids=lambda v: str(v)[:12],
)
def test_all_readings_take_the_same_steps(players: int, rulings: dict[str, str], seed: int) -> None:
    """Interpreter, generated source, symbolic and vector reading, along a random or (odd seed) a busy game."""
    walker = Walker(game_of(players, tuple(sorted(rulings.items()))))
    play, symbolic, met = Interpreter(walker.game), Folded(walker.game), []
    state = play.start()
    for number, (after, ident) in enumerate(walker.walk(seed)):
        assert ident in play.legal(state)
        step = symbolic.whole(state, ident) if number % 6 == 0 else None
        state = play.apply(state, ident)
        assert state == after
        assert step is None or (step.sound, step.after) == (True, state)
        met.append(state)
    some = met[::9]
    for name, term in walker.game.quantities.items():
        wanted = [play.quantity(name, state) for state in some]
        assert evaluate_term_in_many_states(term, np.array(some, dtype=np.int64).T).tolist() == wanted, name


def test_r39_hands_and_decks_are_hidden() -> None:
    game = game_of(3, ())
    sees = {f.name: f.sees for f in game.fields}
    assert sees["hand"] is Sees.OWNER
    assert sees["deck_artifacts"] is Sees.NOBODY
    assert [n for n, s in sees.items() if s is not Sees.ALL] == ["hand", "deck_artifacts"]


def test_what_a_seat_may_do_does_not_depend_on_hidden_cards() -> None:
    """Another player's hand exchanged card by card with the deck changes nothing that the actor may do."""
    walker = Walker(game_of(2, ()))
    game, play = walker.game, Interpreter(walker.game)
    hand, deck = game.get_field("hand"), game.get_field("deck_artifacts")
    width, compared = hand.shape[1], 0
    for number, (state, _) in enumerate(walker.walk(5)):
        seat = play.actor(state)
        if seat < 0 or number % 9 or state[1]:
            continue
        other, swapped = 1 - seat, list(state)
        for group in game.facts["exchangeable"]:
            cards = range(*group["kinds"])
            held = [c for c in cards if state[hand.offset + other * width + c]]
            free = [c for c in cards if state[deck.offset + c]]
            for a, b in zip(held, free, strict=False):
                swapped[hand.offset + other * width + a], swapped[hand.offset + other * width + b] = 0, 1
                swapped[deck.offset + a], swapped[deck.offset + b] = 1, 0
                compared += 1
        assert play.legal(swapped) == play.legal(state)
    assert compared > 0
