"""Makes the typed cards of the rules out of the card database: its effects become scripts and bonuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .board import COLOURS, DECKS, Mana, Site, Slot
from .cards import (
    Artifact,
    Bonus,
    Cards,
    Consumable,
    Cost,
    Location,
    Loyalty,
    Mat,
    Mercenary,
    Op,
    Script,
    Skill,
)

PLAYERS = ("soul", "shadow", "power", "wisdom")
PLAIN: dict[str, Op] = {
    "draw": Op.DRAW,
    "recover": Op.RECOVER,
    "attack": Op.ATTACK,
    "pass": Op.PASS,
    "tireless": Op.TIRELESS,
    "again": Op.AGAIN,
    "relocate": Op.RELOCATE,
    "rout": Op.ROUT,
    "reroll": Op.REROLL,
    "refresh": Op.REFRESH,
    "salvage": Op.SALVAGE,
}
"""Effects whose one argument, where there is one, is a number."""
AMOUNTS: dict[tuple[str, str], Op] = {
    ("gain", "soul"): Op.SOUL,
    ("gain", "power"): Op.POWER,
    ("gain", "wisdom"): Op.WISDOM,
    ("gain", "any"): Op.ANY_MANA,
    ("atlas", "blue"): Op.BLUE,
    ("atlas", "red"): Op.RED,
    ("atlas", "yellow"): Op.YELLOW,
    ("atlas", "any"): Op.ANY_ATLAS,
}
BONUSES = {
    "strength": Bonus.ATTACK,
    "camp": Bonus.CAMP,
    "cheaper": Bonus.UNLOCK,
    "keen": Bonus.DRAW,
    "harvest": Bonus.TACTICS,
    "haggle": Bonus.SALE,
    "rally": Bonus.RECOVER,
}
SKILLS = {
    "dig": Skill.EXCAVATE,
    "gather": Skill.TACTICS,
    "raid": Skill.ATTACK,
    "guard": Skill.DEFEND,
    "defile": Skill.CORRUPT,
    "deal": Skill.TRADE,
}


class CardError(ValueError):
    """A card says something that the rules of this game cannot do."""


def cards_of(data: Any) -> Cards:
    """The cards of `load_game("olith")`. Raises CardError where a card asks for what no rule does."""

    def made(kind: str, make: Callable[[Any], Any]) -> tuple[Any, ...]:
        return tuple(make(c) for c in data.of_kind(kind))

    def faces(die: str) -> tuple[int, ...]:
        return tuple(face["value"] for face in data.components[die].get("faces"))

    (board,) = data.of_kind("board")
    return Cards(
        made("artifact", _artifact),
        made("location", _location),
        made("mercenary", _mercenary),
        made("consumable", _consumable),
        made("loyalty", _loyalty),
        _sites(board),
        _mat(data),
        {length: tuple(way) for length, way in board.get("wheels").items()},
        faces("combat-die"),
        faces("colour-die"),
        faces("level-die"),
        data.constant("first_camp"),
        data.constant("combat_dice"),
        data.constant("offering"),
    )


def _sites(board: Any) -> tuple[Site, ...]:
    """The squares of every region, in the order of the board's file."""
    return tuple(
        Site(COLOURS.index(region["colour"]), region["level"], "abcdefgh"[i])
        for region in board.get("regions")
        for i in range(region["sites"])
    )


def _mat(data: Any) -> Mat:
    """The four mats are alike but for their colour."""
    mats = {Mat(m.get("camp"), tuple(m.get("unlock")), m.get("track")) for m in data.of_kind("mat")}
    if len(mats) != 1:
        raise CardError(f"{data.of_kind('mat')[0].where}: the mats differ in more than their colour")
    return mats.pop()


def _artifact(card: Any) -> Artifact:
    plays = card.get("plays")
    return Artifact(
        card.id,
        card.name,
        _deck(card),
        "expedition" in plays,
        "tactics" in plays,
        "combat" in plays,
        card.get("after") == "return",
        _script(card),
    )


def _location(card: Any) -> Location:
    slot = card.get("slot")
    camp = attack = 0
    mana = [0, 0, 0]
    for effect in card.get("effect"):
        match effect.op:
            case "camp":
                camp += _number(effect)
            case "strength":
                attack += _number(effect)
            case "harvest":
                for name, n in effect.amounts.items():
                    mana[Mana[name.upper()]] += n
            case _:
                raise _unknown(card, effect, "a location")
    return Location(
        card.id,
        card.name,
        _deck(card),
        None if slot == "any" else Slot[slot.upper()],
        camp,
        attack,
        (mana[0], mana[1], mana[2]),
    )


def _mercenary(card: Any) -> Mercenary:
    (effect,) = card.get("effect")
    if effect.op not in SKILLS:
        raise _unknown(card, effect, "a mercenary")
    return Mercenary(card.id, card.name, _cost(card.get("cost")), SKILLS[effect.op], _number(effect))


def _consumable(card: Any) -> Consumable:
    return Consumable(card.id, card.name, _cost(card.get("cost")), _script(card))


def _loyalty(card: Any) -> Loyalty:
    (effect,) = card.get("effect")
    if effect.op not in BONUSES:
        raise _unknown(card, effect, "a Loyalty Card")
    mana = _cost(card.get("mana"))
    return Loyalty(
        card.id, card.name, PLAYERS.index(card.get("player")), mana[:3], BONUSES[effect.op], _number(effect)
    )


def _deck(card: Any) -> int:
    name: str = card.get("deck")
    return DECKS.index(name.replace("-", " "))


def _cost(amounts: Mapping[str, int]) -> Cost:
    soul, power, wisdom, free = (int(amounts.get(kind, 0)) for kind in ("soul", "power", "wisdom", "any"))
    return soul, power, wisdom, free


def _number(effect: Any) -> int:
    """The one number of an effect: itself, or the only amount."""
    value = next(iter(effect.args.values()), 1)
    return int(next(iter(value.values())) if isinstance(value, Mapping) else value)


def _script(card: Any) -> Script:
    return tuple(step for effect in card.get("effect") for step in _steps(card, effect))


def _steps(card: Any, effect: Any) -> Iterable[tuple[Op, int]]:
    if effect.op in PLAIN:
        return [(PLAIN[effect.op], _number(effect))]
    steps = [
        (AMOUNTS[effect.op, name], n) for name, n in effect.amounts.items() if (effect.op, name) in AMOUNTS
    ]
    if not steps:
        raise _unknown(card, effect, "an artifact or consumable")
    return steps


def _unknown(card: Any, effect: Any, what: str) -> CardError:
    return CardError(f"{effect.where}: {card.id}: {what} cannot have the effect `{effect.op}`")
