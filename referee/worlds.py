"""Worlds that a seat cannot tell from the true one, for search, for hints and for the leak test.

    worlds = imagined(match.play, match.states, match.actions, seat=0)
    worlds.draw(stream)     # a state
    worlds.exact            # whether it is drawn with the stated weights, from all that fits what the seat observed
    worlds.how              # the same in words

Three ways, the first that can be gone:

1. All that is possible is kept, step by step (`playproof.referee.belief`): exact, while there are few such states.

2. The game declares what is exchangeable, and the hidden part of it is shuffled and dealt back. This keeps to what the
   table shows now; what the seat only remembers (a card it was shown, a suit that was not followed) is not kept to:

       g.fact(exchangeable=[{"counts": ["hand", "deck"], "slots": {"reserve": "reserve_size"}, "first": 0}])

   `counts` names arrays whose last index is a kind of card and whose value is how many; each row is one holder.
   `slots` names arrays (or single fields) whose value is a kind; the last index is the place. Its partner is the
   field that says how many places are filled, or None where a place below `first` is empty. Kinds are counted from
   `first` in slots (1 where 0 means "no card"), always from 0 in counts. With `"by_player": True` the first index is
   the player and nothing passes from one player's cards to another's; with `"kinds": [3, 8]` only kinds 3 to 7 are
   exchanged among themselves (a deck with a back of its own). Every arrangement of the cards is equally
   likely; holders keep their number of cards.

3. Otherwise the match is replayed from its start with hidden choices made anew, with backtracking, until the seat
   would have observed the same at every step. Each such world fits; some come more often than they should.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from threading import RLock
from typing import Any

from playproof.referee.belief import Belief, TooMany
from playproof.referee.information import Observation, information, observe
from playproof.referee.view import visible
from playproof.referee.witness import Witness, witness_of
from playproof.rules.language import CHANCE, Game, Interpreter
from playproof.rules.language.fields import Field
from playproof.rules.language.random import Stream

_MOST_STEPS = 20_000
_TRIAL = 100  # steps of a random game
_ALL_KNOWN = "nothing is hidden from this seat"
_EXACT = "drawn from all states that fit what the seat has observed, as likely as they are"
_DEALT = "hidden cards dealt anew: fits what the table shows now, not what the seat only remembers"
_REPLAYED = "fits all that the seat has observed, but some worlds come more often than they should"


class CannotResample(RuntimeError):
    """No other world could be made; the reason says what to declare."""


@dataclass(frozen=True, slots=True)
class Worlds:
    """The worlds that a seat may imagine at one moment of a match. `draw` may raise CannotResample."""

    exact: bool
    how: str
    draw: Callable[[Stream], list[int]]


def imagined(play: Interpreter, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int) -> Worlds:
    """What a seat may imagine now."""
    game = play.game
    if all(visible(game, seat)):
        return Worlds(True, _ALL_KNOWN, lambda stream: list(states[-1]))
    dealt = bool(game.facts.get("exchangeable"))
    belief = None if dealt and not countable(game) else believed(game, states, actions, seat)
    if belief is not None:
        return Worlds(True, _EXACT, belief.draw)
    if dealt:
        return Worlds(False, _DEALT, lambda stream: _dealt(game, states[-1], seat, stream))
    seen = information(witness_of(game), states, actions, seat)
    return Worlds(False, _REPLAYED, lambda stream: replay_anew(play, seen, actions, seat, stream))


def believed(game: Game, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int) -> Belief | None:
    """All that the seat holds possible; None where there is too much of it. It holds until the next call."""
    witness = witness_of(game)
    with _LOCK:
        belief = _belief(id(witness), witness, tuple(states[0]), seat)
        try:
            belief.follow(states, actions)
        except TooMany:
            return None
        return belief


_LOCK = RLock()


def countable(game: Game) -> bool:
    """Whether all that a seat holds possible could be kept along a random game. Asked of games that declare what is
    exchangeable, so that each of their matches is spared a long attempt; the answer does not depend on the match."""
    with _LOCK:
        return _countable(id(game), game)


@lru_cache(maxsize=64)
def _countable(_: int, game: Game) -> bool:
    witness, stream = witness_of(game), Stream(0)
    states, actions = [Interpreter(game).start()], list[int]()
    beliefs = [Belief(witness, states[0], seat) for seat in range(game.players)]
    while not states[-1][1] and len(actions) < _TRIAL:
        legal, weights = witness.legal(states[-1])
        if not legal:
            break
        chance = witness.actor(states[-1]) == CHANCE
        actions.append(legal[stream.weighted(weights) if chance else stream.below(len(legal))])
        states.append(witness.moments(states[-1], actions[-1])[-1])
        try:
            for belief in beliefs:
                belief.follow(states, actions)
        except TooMany:
            return False
    return True


@lru_cache(maxsize=64)
def _belief(_: int, witness: Witness, start: tuple[int, ...], seat: int) -> Belief:
    return Belief(witness, start, seat)


@dataclass(frozen=True, slots=True)
class _Holder:
    """Cells that hold cards: for counts one cell a kind, for slots one cell a card. `base` is what a kind's number
    has to be lowered (counts) or raised (slots) by to find its cell or its value."""

    cells: tuple[int, ...]
    counts: bool
    base: int
    owner: int

    def cards(self, state: Sequence[int]) -> list[int]:
        """The kinds it holds."""
        if self.counts:
            return [kind for kind, cell in enumerate(self.cells, self.base) for _ in range(state[cell])]
        return [state[cell] - self.base for cell in self.cells]

    def fill(self, state: list[int], cards: Sequence[int]) -> None:
        """Put those kinds in, in their order."""
        if not self.counts:
            for cell, kind in zip(self.cells, cards, strict=True):
                state[cell] = kind + self.base
            return
        for cell in self.cells:
            state[cell] = 0
        for kind in cards:
            state[self.cells[kind - self.base]] += 1


def resample(play: Interpreter, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int,
             stream: Stream) -> list[int]:
    """A state that `seat` cannot tell from the present one. Raises CannotResample."""
    return imagined(play, states, actions, seat).draw(stream)


def _dealt(game: Game, now: Sequence[int], seat: int, stream: Stream) -> list[int]:
    """A world dealt anew, refused where that changes what the seat sees."""
    world, mask = deal_anew(game, now, seat, stream), visible(game, seat)
    if list(compress(world, mask)) != list(compress(now, mask)):
        raise CannotResample(f"`{game.name}`: the exchangeable groups change what seat {seat} sees")
    return world


def deal_anew(game: Game, state: Sequence[int], seat: int, stream: Stream) -> list[int]:
    """The same state with the hidden cards of each exchangeable group shuffled."""
    world = list(state)
    mask = visible(game, seat)
    for number, group in enumerate(game.facts["exchangeable"]):
        slots = (h for h in _slots(game, group, state) if not any(mask[c] for c in h.cells))
        hidden = [*_hidden_counts(id(game), game, number, seat), *slots]
        owners = sorted({h.owner for h in hidden}) if group.get("by_player") else [None]
        for owner in owners:
            _deal([h for h in hidden if owner in (None, h.owner)], state, world, stream)
    return world


def _deal(holders: Sequence[_Holder], state: Sequence[int], world: list[int], stream: Stream) -> None:
    """Shuffle what they hold among those that hold anything; each keeps its number of cards.

    The cards are put in order first, so that the worlds drawn do not depend on where the cards truly are.
    """
    held = [(holder, cards) for holder in holders if (cards := holder.cards(state))]
    if len(held) < 2:
        return
    pool = sorted(card for _, cards in held for card in cards)
    _shuffle(pool, stream)
    for holder, cards in held:
        holder.fill(world, pool[:len(cards)])
        del pool[:len(cards)]


def _kinds(group: Mapping[str, Any]) -> range:
    return range(*group.get("kinds", (0, sys.maxsize)))


@lru_cache(maxsize=256)
def _hidden_counts(_: int, game: Game, number: int, seat: int) -> tuple[_Holder, ...]:
    """The rows of a group's counting arrays that a seat does not see."""
    group, mask = game.facts["exchangeable"][number], visible(game, seat)
    kinds = _kinds(group)
    holders = (_Holder(tuple(row[kinds.start:kinds.stop]), True, kinds.start, _owner(field, row.start))
               for field in map(game.field_named, group.get("counts", ())) for row in _rows(field))
    return tuple(h for h in holders if not any(mask[c] for c in h.cells))


def _slots(game: Game, group: Mapping[str, Any], state: Sequence[int]) -> Iterator[_Holder]:
    """The filled places of a group's slots."""
    first, kinds = int(group.get("first", 0)), _kinds(group)
    slots: Mapping[str, str | None] = group.get("slots", {})
    for name, size_name in slots.items():
        sizes = game.field_named(size_name) if size_name else None
        field = game.field_named(name)
        for number, row in enumerate(_rows(field)):
            filled = (row[:state[sizes.offset + number]] if sizes is not None
                      else [cell for cell in row if state[cell] >= first])
            # Places of one row may be seen by different seats (a hand of one card each), so each is a holder.
            for cell in (c for c in filled if state[c] - first in kinds):
                yield _Holder((cell,), False, first, _owner(field, cell))


def _owner(field: Field, cell: int) -> int:
    """The first index of a cell."""
    return (cell - field.offset) * field.shape[0] // field.size if field.shape else 0


def _rows(field: Field) -> list[range]:
    width = field.shape[-1] if field.shape else 1
    return [range(start, start + width) for start in range(field.offset, field.offset + field.size, width)]


def _shuffle(cards: list[int], stream: Stream) -> None:
    for last in range(len(cards) - 1, 0, -1):
        other = stream.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]


def replay_anew(play: Interpreter, seen: Sequence[Observation], actions: Sequence[int], seat: int,
                stream: Stream) -> list[int]:
    """The end of another history that gave `seat` exactly these observations, found by search with backtracking."""
    game = play.game
    budget = _MOST_STEPS
    path: list[tuple[list[int], list[int]]] = [(play.start(), [])]
    path[0] = (path[0][0], _choices(play, path[0][0], actions[0] if actions else -1, seat, stream))
    while len(path) <= len(actions):
        state, choices = path[-1]
        if not choices:
            path.pop()
            if not path:
                raise CannotResample(f"`{game.name}`: no history fits what seat {seat} saw")
            continue
        budget -= 1
        if budget < 0:
            raise CannotResample(f"`{game.name}`: hidden fields need g.fact(exchangeable=[...]) for search")
        ident, depth = choices.pop(), len(path)
        if observe(witness_of(game), state, ident, seat) != seen[depth]:
            continue
        after = play.apply(state, ident)
        path.append((after, [] if depth == len(actions)
                     else _choices(play, after, actions[depth], seat, stream)))
    return path[-1][0]


def _choices(play: Interpreter, state: Sequence[int], taken: int, seat: int, stream: Stream) -> list[int]:
    """What may have been done here: the seat's own action is known, others are tried in random order."""
    if play.terminal(state):
        return []
    legal = play.legal(state)
    actor = play.actor(state)
    if actor == seat:
        return [taken] if taken in legal else []
    weights = [play.weight(state, i) if actor == CHANCE else 1 for i in legal]
    order: list[int] = []  # popped from the end: the first drawn is tried first
    while legal:
        place = stream.weighted(weights)
        order.append(legal.pop(place))
        weights.pop(place)
    return order[::-1]
