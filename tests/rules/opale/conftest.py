"""A table set up by hand: name the cards, play actions by their words, read the rule of a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.rules.scene import Position

SEATS = ("blue", "red")
Cards = Sequence[str]


class Scene(Position):
    """A position of one variant. Cards not named lie in their owners' draw piles."""

    def __init__(self, **options: str) -> None:
        super().__init__("opale", options)
        self.faces = self.game.get_field("hand").shape[1]
        draw = next(a for a in self.game.actions if a.name == "draw")
        self.names = draw.params[0].labels

    # -- playing --------------------------------------------------------------------------------------------

    def do(self, *texts: str) -> Scene:
        """Take actions by their words; where every card of a picture is played, the least are laid by themselves."""
        for text, following in zip(texts, (*texts[1:], ""), strict=True):
            super().do(text)
            while self.phase == "lay" and not following.startswith("lay ") and self._no_choice():
                super().do(self.legal()[0])
        return self

    def _no_choice(self) -> bool:
        """All cards of the picture are laid, or all that could be are alike: at most their order is open."""
        held = [
            self.at("hand", self.at("turn"), face)
            for face, name in enumerate(self.names)
            if self.spot_of(name) == self.at("spot") - 1
        ]
        return len(self.legal()) == 1 or sum(held) == self.at("to_lay")

    # -- setting up -----------------------------------------------------------------------------------------

    def arrange(
        self,
        blue: Cards,
        red: Cards,
        *,
        on: Mapping[str, Cards] | None = None,
        tray: Cards = (),
        turn: str = "blue",
        **fields: int,
    ) -> Scene:
        """Hands, cards on the board by owner (`on={"red": [...]}`), cards in the tray (blue's), and plain fields."""
        self._clear()
        for seat, cards in enumerate((blue, red)):
            for card in cards:
                self._move(seat, card, "hand", seat)
        for owner, cards in (on or {}).items():
            for card in cards:
                self._lay(SEATS.index(owner), card)
        for card in tray:
            self._take(0, card)
            self._put_in_tray(card)
        self.put(turn=SEATS.index(turn), turns=1, phase=self.phase_number("play"), to_draw=0, back=0)
        return self.put(**fields)

    def put(self, **fields: int) -> Scene:
        """Set plain fields."""
        for name, value in fields.items():
            self.state[self.game.get_field(name).offset] = value
        return self

    def empty_pile(self, seat: str, left: int = 0) -> Scene:
        """All but the first `left` cards of a draw pile go to the other player's scoring pile unseen."""
        who = SEATS.index(seat)
        while self.at("pile", who) > left:
            face = next(f for f in range(self.faces) if self.at("bag", who, f))
            self.add("bag", -1, who, face)
            self.add("pile", -1, who)
            self.add("scored", 1, 1 - who)
            self.add("points", self.worth(self.names[face]), 1 - who)
        return self

    def _clear(self) -> None:
        self.state = self.game.get_state_before_automatic_phases()
        self.state = self.play.start()

    def _take(self, seat: int, card: str) -> int:
        face = self.names.index(card)
        assert self.at("bag", seat, face) > 0, f"{SEATS[seat]} has no {card} left"
        self.add("bag", -1, seat, face)
        self.add("pile", -1, seat)
        return face

    def _move(self, seat: int, card: str, to: str, *index: int) -> None:
        self.add(to, 1, *index, self._take(seat, card))
        self.add("held", 1, seat)

    def _lay(self, seat: int, card: str) -> None:
        self._take(seat, card)
        spot = self.spot_of(card)
        self.add("lying", 1, spot)
        field, column = self.board_cell(card)
        self.add(field, 1, column)
        if field == "covered":
            self.state[self.cell("uppermost", spot)] = self.worth(card)

    def _put_in_tray(self, card: str) -> None:
        tray = [n for n in self.names if self.spot_of(n) in (0, 7)]
        self.add("tray", 1, tray.index(card))

    # -- reading --------------------------------------------------------------------------------------------

    def add(self, name: str, n: int, *index: int) -> None:
        """Change a field's cell."""
        self.state[self.cell(name, *index)] += n

    def spot_of(self, card: str) -> int:
        """The spot a card belongs to, counted from 0."""
        spots = self.game.get_field("spot").labels[1:]
        return next(i for i, s in enumerate(spots) if card.startswith(s))

    def board_cell(self, card: str) -> tuple[str, int]:
        """The field and column where such cards on the board are counted."""
        single = self.spot_of(card) in (1, 2, 3, 4, 5)
        alike = [n for n in self.names if (self.spot_of(n) in (1, 2, 3, 4, 5)) == single]
        return ("covered" if single else "rows"), alike.index(card)

    @staticmethod
    def worth(card: str) -> int:
        """Points of a card by its name."""
        return int(card[-1]) if card[-1].isdigit() else 0

    def on(self, spot: str) -> int:
        """How many cards lie on a spot."""
        return self.play.quantity(f"on {spot}", self.state)

    def holds(self, seat: str, card: str) -> int:
        """How many such cards a player holds."""
        return self.at("hand", SEATS.index(seat), self.names.index(card))


@pytest.fixture
def table() -> type[Scene]:
    """`table(seashells="yes").arrange([...], [...])`."""
    return Scene
