"""Piles, bags and decks do what cards on a table do: each walk is followed by hand beside the game."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from playproof.language import BoundsError, Deck, Game, Interpreter, Local, Pile, goto, lose
from playproof.language.compiled import Compiled
from tests.language.folded import Folded

KINDS, START, ROOM = 3, (2, 1, 2), 2


def deck_game(top: int, bottom: int, known: tuple[int, ...] = ()) -> tuple[Game, Deck]:
    """Draw, put back on top or under it, shuffle; the card in hand is one of three kinds (3 where there is none)."""
    g = Game("deck")
    s = g.state
    g.integer("hand", 0, KINDS, KINDS)
    play, draw = g.phase("play"), g.phase("draw", -1)
    deck = Deck(g, "deck", KINDS, most=9, start=START, top=top, bottom=bottom, known=known)
    g.quantity("size", deck.size())

    def drawn(card: Local) -> None:
        s.hand = card
        goto(play)

    def put_on_top() -> None:
        if deck.top is not None:
            deck.top.put(s.hand)
        s.hand = KINDS

    def put_under() -> None:
        if deck.under is not None:
            deck.under.put_under(s.hand)
        s.hand = KINDS

    g.add_action(play, lambda: goto(draw), "draw", name="draw")
    g.add_action(play, put_on_top, "put on top", name="put on top")
    g.add_action(play, put_under, "put under", name="put under")
    g.add_action(play, deck.shuffle, "shuffle", name="shuffle")
    g.add_action(play, lambda: lose("enough"), "stop", name="stop")
    deck.draw(g, draw, "{card} is drawn", drawn)
    return g.seal(), deck


class Table:
    """The same deck as lists: the top's last card and the bottom's last card come next."""

    def __init__(self, known: tuple[int, ...]) -> None:
        self.top, self.bag, self.under = list(known), Counter(dict(enumerate(START))), list[int]()

    def next(self) -> dict[int, int]:
        """What may be drawn, with weights."""
        if self.top:
            return {self.top[-1]: 1}
        inside = {kind: n for kind, n in self.bag.items() if n}
        return inside or ({self.under[-1]: 1} if self.under else {})

    def take(self, kind: int) -> None:
        """The card drawn leaves the deck."""
        if self.top:
            self.top.pop()
        elif any(self.bag.values()):
            self.bag[kind] -= 1
        else:
            self.under.pop()

    def choices(self, hand: int, top: int, bottom: int) -> list[str]:
        """What somebody with this hand might do next."""
        can = ["shuffle"] if self.top or self.under else []
        if hand == KINDS:
            return can + (["draw"] if self.next() else [])
        return can + ["put on top"] * (len(self.top) < top) + ["put under"] * (len(self.under) < bottom)

    def do(self, name: str, hand: int) -> None:
        """Carry out anything but a draw."""
        if name == "put on top":
            self.top.append(hand)
        elif name == "put under":
            self.under.insert(0, hand)
        elif name == "shuffle":
            self.bag.update(self.top + self.under)
            self.top, self.under = [], []


@pytest.mark.parametrize(("top", "bottom", "known"), [(0, 0, ()), (ROOM, 0, (1, 2)), (0, ROOM, ()), (ROOM, ROOM, (0,))])
def test_a_deck_is_drawn_from_top_then_bag_then_bottom(top: int, bottom: int, known: tuple[int, ...]) -> None:
    game, _ = deck_game(top, bottom, known)
    play, compiled, symbolic, r = (Interpreter(game), Compiled(game, machine=False), Folded(game), random.Random(top))
    names = {action.name: action.first for action in game.actions}
    hand, first = game.get_field("hand").offset, names["draw draw"]
    for _ in range(12):
        state, table = play.start(), Table(known)
        for _ in range(14):
            choices = table.choices(state[hand], top, bottom)
            if not choices:
                break
            name = r.choice(choices)
            table.do(name, state[hand])
            state = _step(play, compiled, symbolic, state, names[name])
            if name == "draw":
                assert {i - first: play.weight(state, i) for i in play.legal(state)} == table.next()
                kind = r.choice(sorted(table.next()))
                table.take(kind)
                state = _step(play, compiled, symbolic, state, first + kind)
            assert play.quantity("size", state) == len(table.top) + len(table.under) + sum(table.bag.values())


def _step(play: Interpreter, compiled: Compiled, symbolic: Folded, state: list[int], ident: int) -> list[int]:
    after, fast = play.apply(state, ident), compiled.start()
    fast[:] = state
    assert compiled.legal(fast) == play.legal(state)
    compiled.apply(fast, ident)
    step = symbolic.whole(state, ident)
    assert (fast.tolist(), step.sound, step.after) == (after, True, after)
    return after


def test_a_pile_that_is_full_takes_no_more() -> None:
    g = Game("pile")
    play = g.phase("play")
    pile = Pile(g, "pile", 2, 1)
    g.add_action(play, lambda: pile.put(1), "put", name="put")
    g.add_action(play, pile.take, "take", name="take")
    g.add_action(play, lambda: lose("enough"), "stop", name="stop")
    reader = Interpreter(g.seal())
    full = reader.apply(reader.start(), 0)
    with pytest.raises(BoundsError, match=r"`pile_size` holds 0\.\.1, the rule gives 2"):
        reader.apply(full, 0)
    assert reader.apply(full, 1) == reader.start()
    with pytest.raises(BoundsError, match=r"`pile_size` holds 0\.\.1, the rule gives -1"):
        reader.apply(reader.start(), 1)
