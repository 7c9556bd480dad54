"""A secret parameter reaches other seats only through what they then see: against enumeration.

What a seat observes is written down here a second time, from the interpreter and the fields alone: who acts, which
action (nothing of a hidden one), its public parameters, and the cells the seat sees after the action and after each
automatic phase. Two histories with the same observations must be one belief, one log and one information state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

from playproof.language import CHANCE, Game, Interpreter, Local, Sees, goto, otherwise, when, win
from playproof.language.random import Stream
from playproof.referee import Variant
from playproof.referee.belief import Belief
from playproof.referee.events import make_events_of_step_as_heard_by_seat
from playproof.referee.observations import (
    WATCHER,
    collect_observations_of_seat_from_start,
    get_cached_observation_model,
)
from playproof.referee.view import has_fields_hidden_from_any_seat

History = tuple[list[list[int]], list[int]]
SeenStep = tuple[object, ...]


def sees(game: Game, seat: int) -> list[bool]:
    """Which cells a seat sees, by what the fields declare."""
    mask = []
    for held in game.fields:
        for cell in range(held.size):
            owner = cell * held.shape[0] // held.size if held.shape else 0
            mask.append(held.sees is Sees.ALL or (held.sees is Sees.OWNER and owner == seat))
    return mask


def observed(play: Interpreter, before: Sequence[int], ident: int, seat: int) -> SeenStep:
    """What a seat observes of a step. In these games every parameter of chance is hidden."""
    game, actor = play.game, play.actor(before)
    mask, tables = sees(game, seat), list[tuple[int, ...]]()
    for state in play.list_states_until_next_choice(before, ident):
        between = game.phases[state[0]].automatic and not state[1]
        table = tuple(v for v, seen in list(zip(state, mask, strict=True))[1:] if seen)
        if not tables or not between or table != tables[-1][1:]:
            tables.append((-1 if between else state[0], *table))
    if actor == seat:
        return (actor, ident, *tables)
    return (actor, announced(play, before, ident), *tables)


def announced(play: Interpreter, before: Sequence[int], ident: int) -> SeenStep:
    """What everybody hears: the action, unless it is hidden, and its public parameters."""
    action = play.game.get_action_of_ground_action_number(ident)
    if action.hidden:
        return ()
    values = zip(action.params, action.get_values_of_ground_action(ident), strict=True)
    chance = play.actor(before) == CHANCE
    return (action.name, *(v for p, v in values if not chance and p.local.name not in action.secret))


def histories(play: Interpreter, steps: int) -> Iterator[History]:
    """Every history of so many steps, or fewer if the game is over."""
    stack: list[History] = [([play.start()], [])]
    while stack:
        states, actions = stack.pop()
        legal = [] if play.terminal(states[-1]) else play.legal(states[-1])
        if len(actions) == steps or not legal:
            yield states, actions
            continue
        stack += [([*states, play.apply(states[-1], i)], [*actions, i]) for i in legal]


def share(play: Interpreter, state: Sequence[int], ident: int, seat: int) -> Fraction:
    """The weight of a step in a seat's belief: chance by its weights, a hidden choice of another uniform among those
    that sound alike, own and open choices 1."""
    legal = play.legal(state)
    if play.actor(state) == CHANCE:
        return Fraction(play.weight(state, ident), sum(play.weight(state, i) for i in legal))
    if play.actor(state) == seat:
        return Fraction(1)
    game, action = play.game, play.game.get_action_of_ground_action_number(ident)

    def sound(other: int) -> object:
        its = game.get_action_of_ground_action_number(other)
        if its.hidden:
            return None
        return its.name, [
            v
            for p, v in zip(its.params, its.get_values_of_ground_action(other), strict=True)
            if p.local.name not in its.secret
        ]

    assert action in game.actions
    return Fraction(1, sum(sound(other) == sound(ident) for other in legal))


def compare(game: Game, steps: int) -> int:
    """Compare beliefs, logs and information states with the observations. Returns the number of beliefs."""
    play, witness, count = Interpreter(game), get_cached_observation_model(game), 0
    every = list(histories(play, steps))
    for seat in range(game.players):
        groups: dict[SeenStep, list[History]] = defaultdict(list)
        for states, actions in every:
            groups[tuple(observed(play, s, i, seat) for s, i in zip(states, actions, strict=False))].append(
                (states, actions)
            )
        count += len(groups)
        states_of: dict[object, set[SeenStep]] = defaultdict(set)
        for seen, same in groups.items():
            expected: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            logs, known = set(), set()
            for states, actions in same:
                weight = Fraction(1)
                for state, ident in zip(states, actions, strict=False):
                    weight *= share(play, state, ident, seat)
                expected[tuple(states[-1])] += weight
                logs.add(
                    tuple(
                        event.sentence
                        for n, (s, i) in enumerate(zip(states, actions, strict=False))
                        for event in make_events_of_step_as_heard_by_seat(witness, s, i, seat, n)
                    )
                )
                known.add(collect_observations_of_seat_from_start(witness, states, actions, seat))
            assert len(logs) == 1, f"seat {seat} is told more than it sees: {logs}"
            assert len(known) == 1
            states_of[known.pop()].add(seen)
            for states, actions in (same[0], same[-1]):
                belief = Belief(witness, states[0], seat)
                belief.update_to_match_as_seen_by_seat(states, actions)
                mass = sum(expected.values())
                assert belief.weights == pytest.approx({s: float(w / mass) for s, w in expected.items()})
        assert all(len(seen) == 1 for seen in states_of.values()), "one information state, two observations"
    return count


@pytest.mark.parametrize(("players", "steps"), [("2", 4), ("3", 4), ("3", 6), ("4", 5)])
def test_a_box_that_was_opened_is_not_told_by_what_was_in_it(players: str, steps: int) -> None:
    """A prisoner who finds its number plays on; one who opened another box would have lost. That tells the others that
    the number was found, not where."""
    assert compare(Variant("prisoners", {"players": players}).game, steps) > 10


def bits(seed: int) -> Stream:
    return Stream(1_000 + seed)


def small_game(seed: int) -> Game:
    """A random game of two seats: chance puts something down, each seat chooses in secret or not, and what happens
    then may depend on what nobody sees."""
    dice = bits(seed)
    g = Game(f"small{seed}", players=2)
    s = g.state
    g.integer("deep", 0, 2, sees=Sees.NOBODY)
    g.array("own", 2, 0, 2, sees=Sees.OWNER)
    g.integer("open", 0, 2)
    g.integer("turn", 0, 1)
    deal = g.phase("deal", CHANCE)
    act = g.phase("act", s.turn)
    after = g.automatic("after")
    way, where, shown, secret = dice.below(4), dice.below(3), dice.below(4), dice.below(3)
    last = dice.below(2)

    @g.action(deal, "lay {card}", card=3)
    def lay(card: Local) -> None:
        with when(s.turn == 0):
            s.deep = card
            if way == 1:
                s.own[0] = card
            s.turn = 1
        with otherwise():
            s.own[1] = card
            if way == 2:
                with when(s.deep == card):
                    s.open = 1
            if way == 3:
                with when(s.deep == card):
                    win("a pair", winner=1)
            s.turn = 0
            goto(act)

    declared = {0: {"secret": "card", "public": "place"}, 1: {"secret": ["card", "place"]}, 2: {"secret": True}}[secret]

    @g.action(act, "take {card} for {place}", card=3, place=2, **declared)
    def take(card: Local, place: Local) -> None:
        if where == 0:
            s.own[s.turn] = (s.own[s.turn] + card) % 3
        elif where == 1:
            s.own[place] = card
        else:
            s.deep = (s.deep + card + place) % 3
        if shown == 1:
            with when((s.deep == card) & (s.open < 2)):
                s.open += 1
        elif shown == 2:
            s.open = s.own[place]
        goto(after)

    @g.on(after)
    def compared() -> None:
        goto(act)
        if shown == 3:
            s.open = (s.own[s.turn] == s.deep) * 2
        with when((s.turn == 1) if last else (s.own[0] == s.deep)):
            win("over", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    g.seal()
    return g


@pytest.mark.parametrize("seed", range(12))
def test_random_games_with_secret_choices(seed: int) -> None:
    game = small_game(seed)
    assert has_fields_hidden_from_any_seat(game)
    assert compare(game, 4) > 4


@pytest.mark.parametrize("seed", [16, 17, 29, 50, 52])  # a card is taken in secret for either seat
def test_who_watches_is_told_no_more_than_all_see(seed: int) -> None:
    """Even of a card that passes from one of two players to the other, so that both know it."""
    game = small_game(seed)
    play, witness = Interpreter(game), get_cached_observation_model(game)
    mask = [all(seen) for seen in zip(*(sees(game, seat) for seat in range(2)), strict=True)]
    logs: dict[str, set[SeenStep]] = defaultdict(set)
    for states, actions in histories(play, 4):
        steps = list(zip(states, actions, strict=False))
        tables = [
            [
                [v for v, seen in zip(state, mask, strict=True) if seen]
                for state in play.list_states_until_next_choice(*step)
            ]
            for step in steps
        ]
        heard = [(play.actor(state), announced(play, state, ident)) for state, ident in steps]
        logs[repr((tables, heard))].add(
            tuple(
                event.sentence
                for n, step in enumerate(steps)
                for event in make_events_of_step_as_heard_by_seat(witness, *step, WATCHER, n)
            )
        )
    assert len(logs) > 1
    assert all(len(told) == 1 for told in logs.values())
