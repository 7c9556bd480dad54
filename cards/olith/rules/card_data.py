"""Makes the typed cards of the rules out of the card database: its effects become scripts and bonuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from playproof.database.components import (
    raise_error_of_conflicting_components,
    raise_error_of_unplayable_value,
    require_playable_copy_count,
)

from .cards import (
    COLOURS,
    DECKS,
    LEVELS,
    Artifact,
    Bonus,
    Cards,
    Consumable,
    Cost,
    EffectOperation,
    Location,
    LoyaltyCard,
    Mana,
    Mat,
    Mercenary,
    Script,
    Site,
    Skill,
    Slot,
)
from .component_checks import (
    count_tokens_per_player_or_refuse,
    count_units_per_player_or_refuse,
    refuse_wrong_board,
    refuse_wrong_pieces,
)

PLAYERS = ("soul", "shadow", "power", "wisdom")
PLAIN: dict[str, EffectOperation] = {
    "draw": EffectOperation.DRAW,
    "recover": EffectOperation.RECOVER,
    "attack": EffectOperation.ATTACK,
    "pass": EffectOperation.PASS,
    "tireless": EffectOperation.TIRELESS,
    "again": EffectOperation.AGAIN,
    "relocate": EffectOperation.RELOCATE,
    "rout": EffectOperation.ROUT,
    "reroll": EffectOperation.REROLL,
    "refresh": EffectOperation.REFRESH,
    "salvage": EffectOperation.SALVAGE,
}
"""Effects whose one argument, where there is one, is a number."""
AMOUNTS: dict[tuple[str, str], EffectOperation] = {
    ("gain", "soul"): EffectOperation.SOUL,
    ("gain", "power"): EffectOperation.POWER,
    ("gain", "wisdom"): EffectOperation.WISDOM,
    ("gain", "any"): EffectOperation.ANY_MANA,
    ("atlas", "blue"): EffectOperation.BLUE,
    ("atlas", "red"): EffectOperation.RED,
    ("atlas", "yellow"): EffectOperation.YELLOW,
    ("atlas", "any"): EffectOperation.ANY_ATLAS,
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


def read_cards_or_refuse(card_database: Any) -> Cards:
    """The cards of `load_game("olith")`. Raises InputError where a card asks for what no rule does."""

    def make_copies_of_cards(kind: str, make: Callable[[Any], Any]) -> tuple[Any, ...]:
        """Each copy of each card of a kind: the second of a card has a number behind its name."""
        cards = [(c, make(c)) for c in card_database.of_kind(kind)]
        return tuple(_copy_card_with_numbered_name(card, n) for c, card in cards for n in range(c.count))

    def faces(die: str) -> tuple[int, ...]:
        return tuple(face["value"] for face in card_database.components[die].get("faces"))

    refuse_wrong_board(card_database)
    refuse_wrong_pieces(card_database, PLAYERS)
    for card in card_database.of_kind("loyalty"):
        require_playable_copy_count(card, (0, 1), "a player has one or another of the own deck")
    (board,) = card_database.of_kind("board")
    cards = Cards(
        make_copies_of_cards("artifact", _build_artifact),
        make_copies_of_cards("location", _build_location),
        make_copies_of_cards("mercenary", _build_mercenary),
        make_copies_of_cards("consumable", _build_consumable),
        make_copies_of_cards("loyalty", _build_loyalty_card),
        _build_sites(board),
        _build_common_mat_or_refuse(card_database),
        {length: tuple(way) for length, way in board.get("wheels").items()},
        faces("combat-die"),
        faces("colour-die"),
        faces("level-die"),
        card_database.constant("first_camp"),
        card_database.constant("combat_dice"),
        card_database.constant("offering"),
        count_tokens_per_player_or_refuse(card_database, PLAYERS),
        count_units_per_player_or_refuse(card_database, PLAYERS),
    )
    _refuse_missing_components(card_database, cards)
    return cards


def _copy_card_with_numbered_name(card: Any, copy_index: int) -> Any:
    """A card's copy; the second is told from the first by its name."""
    return card if copy_index == 0 else replace(card, name=f"{card.name} ({copy_index + 1})")


def _refuse_missing_components(card_database: Any, cards: Cards) -> None:
    """Check what no game can do without."""
    where = card_database.node.where
    if len({c.deck for c in cards.loyalties}) < len(PLAYERS):
        missing = next(p for n, p in enumerate(PLAYERS) if n not in {c.deck for c in cards.loyalties})
        raise_error_of_conflicting_components(
            where, "a Loyalty Card in each player deck (R17)", f"none of {missing}", "leave one in"
        )
    for what, kind in ((cards.artifacts, "artifact"), (cards.locations, "location"), (cards.consumables, "consumable")):
        if not what:
            raise_error_of_conflicting_components(
                where, f"a card of the kind {kind}", "none in the box", "leave one in"
            )
    if not cards.mercenaries:
        raise_error_of_conflicting_components(where, "a Mercenary in the shop (R7)", "none in the box", "leave one in")
    if cards.units < cards.first_camp:
        expected = f"{cards.first_camp} Basic Units for the first camp"
        raise_error_of_conflicting_components(
            where, expected, f"{cards.units}", "raise the `count` of the units, or lower `first_camp`"
        )
    if cards.tokens < 1:
        raise_error_of_conflicting_components(
            where, "a Victory Token for each player (R1)", "none in the box", "leave one in"
        )


def _build_sites(board: Any) -> tuple[Site, ...]:
    """The squares of every region, in the order of the board's file."""
    return tuple(
        Site(COLOURS.index(region["colour"]), region["level"], "abcdefgh"[i])
        for region in board.get("regions")
        for i in range(region["sites"])
    )


def _build_common_mat_or_refuse(card_database: Any) -> Mat:
    """The four mats are alike but for their colour."""
    mats = {Mat(m.get("camp"), tuple(m.get("unlock")), m.get("track")) for m in card_database.of_kind("mat")}
    if len(mats) != 1:
        found = [(m.get("camp"), m.get("unlock"), m.get("track")) for m in card_database.of_kind("mat")]
        odd = next(m for m, values in zip(card_database.of_kind("mat"), found, strict=True) if found.count(values) == 1)
        hint = "change all of them"
        raise_error_of_conflicting_components(
            odd.where, "mats that are alike but for their colour (R4)", f"{odd.id} to differ", hint
        )
    mat = mats.pop()
    if len(mat.unlock) != LEVELS or mat.unlock[0] != 0 or min(mat.unlock) < 0:
        listed = ", ".join(map(str, mat.unlock))
        raise_error_of_unplayable_value(
            card_database.of_kind("mat")[0], "unlock", f"0 and the mana for levels 2 to {LEVELS} (R59)", listed
        )
    return mat


def _build_artifact(card: Any) -> Artifact:
    plays = card.get("plays")
    return Artifact(
        card.id,
        card.name,
        _get_deck_index(card),
        "expedition" in plays,
        "tactics" in plays,
        "combat" in plays,
        card.get("after") == "return",
        _build_script_of_card(card),
    )


def _build_location(card: Any) -> Location:
    slot = card.get("slot")
    camp = attack = 0
    mana = [0, 0, 0]
    for effect in card.get("effect"):
        match effect.op:
            case "camp":
                camp += _get_only_number_of_effect(effect)
            case "strength":
                attack += _get_only_number_of_effect(effect)
            case "harvest":
                for name, n in effect.amounts.items():
                    if name == "any":
                        raise_error_of_unplayable_value(
                            card, "effect", "a harvest of soul, power or wisdom", "of any mana"
                        )
                    mana[Mana[name.upper()]] += n
            case _:
                _refuse_unknown_effect(card, effect, ("camp", "strength", "harvest"))
    return Location(
        card.id,
        card.name,
        _get_deck_index(card),
        None if slot == "any" else Slot[slot.upper()],
        camp,
        attack,
        (mana[0], mana[1], mana[2]),
    )


def _build_mercenary(card: Any) -> Mercenary:
    effect = _get_only_effect_or_refuse(card, SKILLS)
    return Mercenary(
        card.id,
        card.name,
        _build_cost_of_amounts(card.get("cost")),
        SKILLS[effect.op],
        _get_only_number_of_effect(effect),
    )


def _build_consumable(card: Any) -> Consumable:
    return Consumable(card.id, card.name, _build_cost_of_amounts(card.get("cost")), _build_script_of_card(card))


def _build_loyalty_card(card: Any) -> LoyaltyCard:
    effect = _get_only_effect_or_refuse(card, BONUSES)
    mana = _build_cost_of_amounts(card.get("mana"))
    if mana[3]:
        raise_error_of_unplayable_value(card, "mana", "soul, power and wisdom to start with (R20)", "mana of any kind")
    if effect.op == "harvest" and list(effect.amounts) != ["wisdom"]:
        raise_error_of_unplayable_value(card, "effect", "a harvest of wisdom alone", ", ".join(effect.amounts))
    return LoyaltyCard(
        card.id,
        card.name,
        PLAYERS.index(card.get("player")),
        mana[:3],
        BONUSES[effect.op],
        _get_only_number_of_effect(effect),
    )


def _get_deck_index(card: Any) -> int:
    name: str = card.get("deck")
    return DECKS.index(name.replace("-", " "))


def _build_cost_of_amounts(amounts: Mapping[str, int]) -> Cost:
    soul, power, wisdom, free = (int(amounts.get(kind, 0)) for kind in ("soul", "power", "wisdom", "any"))
    return soul, power, wisdom, free


def _get_only_number_of_effect(effect: Any) -> int:
    """The one number of an effect: itself, or the only amount."""
    value = next(iter(effect.args.values()), 1)
    return int(next(iter(value.values())) if isinstance(value, Mapping) else value)


def _build_script_of_card(card: Any) -> Script:
    return tuple(step for effect in card.get("effect") for step in _list_steps_of_effect_or_refuse(card, effect))


def _list_steps_of_effect_or_refuse(card: Any, effect: Any) -> Iterable[tuple[EffectOperation, int]]:
    if effect.op in PLAIN:
        return [(PLAIN[effect.op], _get_only_number_of_effect(effect))]
    steps = [(AMOUNTS[effect.op, name], n) for name, n in effect.amounts.items() if (effect.op, name) in AMOUNTS]
    if not steps:
        _refuse_unknown_effect(card, effect, (*PLAIN, *dict.fromkeys(op for op, _ in AMOUNTS)))
    return steps


def _get_only_effect_or_refuse(card: Any, known_effects: Iterable[str]) -> Any:
    """The one lasting effect of a card."""
    effects = card.get("effect")
    if len(effects) != 1:
        raise_error_of_unplayable_value(
            card, "effect", "one effect", f"{len(effects)}: {', '.join(e.op for e in effects)}"
        )
    if effects[0].op not in known_effects:
        _refuse_unknown_effect(card, effects[0], known_effects)
    return effects[0]


def _refuse_unknown_effect(card: Any, effect: Any, known_effects: Iterable[str]) -> NoReturn:
    raise_error_of_unplayable_value(card, "effect", f"one of {', '.join(known_effects)}", effect.op, where=effect.where)
