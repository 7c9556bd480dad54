"""A table for one test: set what lies where, do actions by their words, ask why something is refused.

t = Scene().turn(0)
t["site_owner", "red 1a"] = 1            # seat 0 is owner 1; names stand for indices
t.do("play the Expedition card", "excavate red 1a")
assert t.refused("excavate red 1a") == {"R44", "R45"}
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from playproof.cards.olith.rules.card_data import read_cards_or_refuse
from playproof.cards.olith.rules.cards import ActionCard
from playproof.database.game import Game as Data, load_game
from playproof.language import Game, Interpreter
from playproof.language.options import Options
from playproof.language.registry import build

SOUL, POWER, WISDOM = range(3)
MOUNTAIN, VALLEY, FOREST = range(3)


@cache
def real() -> Data:
    """The game's own data."""
    return load_game("olith")


CARDS = read_cards_or_refuse(real())
ARTIFACTS = {c.id: i for i, c in enumerate(CARDS.artifacts)}
LOCATIONS = {c.id: i for i, c in enumerate(CARDS.locations)}
CONSUMABLES = {c.id: i for i, c in enumerate(CARDS.consumables)}
LOYALTIES = {c.id: i for i, c in enumerate(CARDS.loyalties)}
KINDS = {"basic": 0, **{c.id: i + 1 for i, c in enumerate(CARDS.mercenaries)}}
SHOP = {c.id: i for i, c in enumerate((*CARDS.mercenaries, *CARDS.consumables))}
NAMES = {**{s: i for i, s in enumerate(map(str, CARDS.sites))}, **ARTIFACTS, **LOCATIONS, **CONSUMABLES, **KINDS}
TITLES = {c.id: c.name for c in (*CARDS.artifacts, *CARDS.locations, *CARDS.consumables, *CARDS.mercenaries)}


@cache
def game_of(players: int, rulings: tuple[tuple[str, str], ...]) -> Game:
    """The description for some players and rulings."""
    return build("olith", Options({"players": str(players)}, dict(rulings)))


class Scene:
    """A state that a test writes into and plays on."""

    def __init__(self, players: int = 2, **rulings: str) -> None:
        self.game = game_of(players, tuple(sorted(rulings.items())))
        self.play = Interpreter(self.game)
        self.state = self.play.start()
        self.players = players

    # -- reading and writing --------------------------------------------------------------------------------

    def _cell(self, key: str | tuple[str | int, ...]) -> int:
        name, *index = key if isinstance(key, tuple) else (key,)
        field = self.game.get_field(str(name))
        assert len(index) == len(field.shape), key
        flat = 0
        for part, size in zip(index, field.shape, strict=True):
            flat = flat * size + (NAMES[part] if isinstance(part, str) else part)
        return field.offset + flat

    def __getitem__(self, key: str | tuple[str | int, ...]) -> int:
        return self.state[self._cell(key)]

    def __setitem__(self, key: str | tuple[str | int, ...], value: int) -> None:
        self.state[self._cell(key)] = value

    def row(self, name: str, seat: int) -> list[int]:
        """A player's row of an array."""
        field = self.game.get_field(name)
        width = field.size // field.shape[0]
        return self.state[field.offset + seat * width : field.offset + (seat + 1) * width]

    def mana(self, seat: int, soul: int, power: int, wisdom: int) -> Scene:
        """Set a player's mana."""
        for kind, amount in enumerate((soul, power, wisdom)):
            self["mana", seat, kind] = amount
        return self

    # -- where things are -----------------------------------------------------------------------------------

    def stand(self, seat: int, *sites: str, kind: str = "basic") -> Scene:
        """Units of a player on sites, taken from camp, else from exhausted, else from the supply."""
        for site in sites:
            self["site_owner", site], self["site_kind", site] = seat + 1, KINDS[kind]
            if kind == "basic":
                self._take_basic(seat)
        return self

    def _take_basic(self, seat: int) -> None:
        for key in (("camp", seat, 0), ("exhausted", seat, 0), ("supply", seat)):
            if self[key] > 0:
                self[key] -= 1
                return

    def hire(self, seat: int, kind: str, area: str = "camp") -> Scene:
        """A mercenary serves a player."""
        self["shop_deck", SHOP[kind]] = 0
        self[area, seat, kind] = 1
        return self

    def give(self, seat: int, *cards: str) -> Scene:
        """Artifacts into a player's hand, out of their decks."""
        for card in cards:
            self["deck_artifacts", card] = 0
            self["hand", seat, card] = 1
            self["hand_size", seat] += 1
        return self

    def kit(self, seat: int, *items: str) -> Scene:
        """Consumables to a player."""
        for item in items:
            self["shop_deck", SHOP[item]] = 0
            self["kit", seat, item] = 1
        return self

    def own(self, seat: int, slot: int, location: str, unit: str | None = None) -> Scene:
        """A location on a player's mat."""
        self["deck_locations", location] = 0
        self["slot", seat, slot] = LOCATIONS[location] + 1
        if unit is not None:
            self["loc_unit", location] = KINDS[unit] + 1
            if unit == "basic":
                self._take_basic(seat)
        return self

    def token(self, seat: int, *sites: str) -> Scene:
        """Victory Tokens on sites."""
        for site in sites:
            self["token_owner", site] = seat + 1
            self["tokens", site] += 1
            self["placed", seat] += 1
        return self

    def loyal(self, seat: int, card: str) -> Scene:
        """A player's Loyalty Card."""
        self["loyalty", seat] = LOYALTIES[card] + 1
        return self

    def active(self, site: str) -> Scene:
        """The Active Region is the one of this site."""
        colour, level = site.split()[0], int(site.split()[1][0])
        self["active_colour"], self["active_level"] = ("blue", "red", "yellow").index(colour), level
        return self

    def wheel(self, space: int) -> Scene:
        """The wheel marker stands on a space, counted from 0."""
        self["wheel"] = space
        return self

    # -- acting ---------------------------------------------------------------------------------------------

    def phase(self, name: str, by: int | None = None) -> Scene:
        """The game is in this phase; in a part of a turn, that is where its player comes back to after an act."""
        numbers = {p.name: p.number for p in self.game.phases}
        self.state[0] = numbers[name]
        if name in ("turn", "act", "victory", "unlock"):
            self["home"] = numbers[name]
        elif self["home"] == numbers["lot"]:
            self["home"] = numbers["turn"]
        if by is not None:
            self["by"] = by
        return self

    def turn(self, seat: int, played: ActionCard = ActionCard.NOTHING) -> Scene:
        """It is a player's turn; with `played`, in the third step of an Action Turn."""
        self["turn"], self["played"] = seat, int(played)
        return self.phase("act" if played else "turn", seat)

    @property
    def now(self) -> str:
        """The name of the phase."""
        return self.game.phases[self.state[0]].name

    def ident(self, words: str) -> int:
        """The ground action with these words, one of this phase if possible."""
        found = [
            i for i, action, values in self.game.iter_ground_actions() if action.format_ground_action(values) == words
        ]
        here = [i for i in found if self.state[0] in self.game.get_action_of_ground_action_number(i).phases]
        assert found, f"no action says {words!r}"
        return (here or found)[0]

    def do(self, *words: str) -> Scene:
        """Do actions by their words."""
        for text in words:
            self.state = self.play.apply(self.state, self.ident(text))
        return self

    def can(self, words: str) -> bool:
        """Whether an action is legal."""
        return self.ident(words) in self.play.legal(self.state)

    def refused(self, words: str) -> set[str]:
        """The rules an action would break."""
        return {broken.rule for broken in self.play.why_not(self.state, self.ident(words))}

    def options(self) -> list[str]:
        """The words of every legal action."""
        return [self.game.show(i) for i in self.play.legal(self.state)]

    def chances(self) -> dict[str, int]:
        """The words of what chance may bring, with weights."""
        return {m.text: m.weight for m in self.play.moves(self.state)}

    def skip_chance(self, prefer: Iterable[str] = ()) -> Scene:
        """Take chance's first possibility, or one of those preferred, until a player acts."""
        while not self.play.terminal(self.state) and self.play.actor(self.state) < 0:
            legal = self.play.legal(self.state)
            wanted = [i for i in legal if self.game.show(i) in set(prefer)]
            self.state = self.play.apply(self.state, (wanted or legal)[0])
        return self

    @property
    def ending(self) -> str:
        """How the game ended, or ""."""
        end = self.play.ending(self.state)
        return end.reason if end else ""

    def sound(self) -> bool:
        """Every invariant holds."""
        return all(self.play.quantity(q, self.state) == 1 for q in self.game.facts["invariants"])
