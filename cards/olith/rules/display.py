"""How the table looks to its players: the board by regions, the mats side by side, a fight while there is
one; and its words."""

from __future__ import annotations

from .cards import COLOURS, LEVELS, Cost, Mana, Slot
from .table import GameUnderConstruction

# How the table looks to its players: the board by regions, the mats side by side, a fight while there is
# one.

_ICONS = {"god": "God's Favor", "recruits": "New Recruits", "corruption": "Corruption begins"}
_UNSEEN = ("shifted_in_turn", "turns", "played", "pass_level", "tireless", "deck_locations", "won", "fighter", "found")
_TITLES = {
    "supply": "recruits to come",
    "placed": "Victory Tokens",
    "slot": "locations",
    "kit": "consumables",
    "laid": "laid out",
    "row": "shop",
    "ap": "Attack Points",
    "shop_discard": "used shop cards",
    "first": "first player",
    "discard": "discarded",
    "under": "under the decks",
}


def declare_display_facts(w: GameUnderConstruction) -> None:
    """Facts for whoever draws the table."""
    g = w.g
    names, values = dict(g.facts["names"]), dict(g.facts["values"])
    names |= {"row": ["1", "2", "3"], "ap": ["attacker", "defender"], "rolled": ["attacker", "defender"]}
    values |= {
        "wheel": _list_wheel_space_texts(w),
        "row": ["empty", *map(_format_shop_card_with_price, w.cards.shop_names, w.cards.shop_costs)],
        "target": ["nothing", *w.site_names, *w.locations],
        "crystal_left": [" (given)", ""],
    }
    hidden = [*g.facts["hidden"], *_UNSEEN, "loc_unit"]
    g.fact(
        names=names,
        values=values,
        titles=_TITLES,
        hidden=hidden,
        boards=[_build_display_facts_of_board(w)],
        each=["row", "slot"],
        beside={"slot": "loc_unit"},
        sizes={"hand": "hand_size"},
        totals=["shop_deck", "discard", "under"],
        common=["row", "crystal", "crystal_left", "ap", "rolled"],
        texts={
            "Fate Wheel": "space {wheel}",
            "Active Region": "{active_colour} {active_level}",
            "God's Favor": _format_template_of_crystal_places(w),
            "combat": "over {target}, defended by {defender}",
        },
        only={"combat": "fighting", "ap": "fighting", "rolled": "fighting"},
    )


def _list_wheel_space_texts(w: GameUnderConstruction) -> list[str]:
    """The spaces of the Fate Wheel in words."""
    texts = [f"{n} of {len(w.spaces)}" for n in range(1, len(w.spaces) + 1)]
    return [f"{text}, {_ICONS[icon]}" if icon in _ICONS else text for text, icon in zip(texts, w.spaces, strict=True)]


def _format_template_of_crystal_places(w: GameUnderConstruction) -> str:
    """Where on the wheel each crystal lies."""
    spaces = [n for n, icon in enumerate(w.spaces, 1) if icon == "god"][:3]
    return ", ".join(f"space {n} {{crystal[{i}]}}{{crystal_left[{i}]}}" for i, n in enumerate(spaces))


def _format_shop_card_with_price(name: str, cost: Cost) -> str:
    """A shop card with its price."""
    kinds = [m.name.capitalize() for m in Mana] + ["of any kind"]
    price = ", ".join(f"{n} {kind}" for n, kind in zip(cost, kinds, strict=True) if n)
    return f"{name} ({price})" if price else name


def _build_display_facts_of_board(w: GameUnderConstruction) -> dict[str, object]:
    levels = range(LEVELS, 0, -1)
    seats = [f"P{q + 1}" for q in range(w.players)]

    def sites_of(level: int, colour: int) -> list[int]:
        return [i for i, site in enumerate(w.sites) if (site.level, site.colour) == (level, colour)]

    places = [[sites_of(level, colour) for colour in range(len(COLOURS))] for level in levels]
    marks = [
        {"field": "site_owner", "words": ["", *seats], "seats": True},
        {"field": "site_kind", "words": ["", *w.kinds[1:]]},
        {"field": "acted", "words": ["", "*"]},
        {"field": "dug", "words": ["", "dug", "corrupted"]},
        {"field": "token_owner", "words": ["", *(f"V{q + 1}" for q in range(w.players))], "seats": True},
        {"field": "tokens", "words": ["", "", *(f"×{n}" for n in range(2, w.cards.tokens + 1))]},
    ]
    if w.rulings.a17 == "own":
        marks.insert(4, {"field": "digger", "words": ["", *(f"by {seat}" for seat in seats)]})
    return {
        "columns": [*COLOURS],
        "rows": [f"level {level}" for level in levels],
        "cells": places,
        "places": [site.letter for site in w.sites],
        "marks": marks,
        "legend": "P1 a unit of player 1, * it has acted, V1 a Victory Token of player 1",
    }


# -- words for those who look
# --------------------------------------------------------------------------------------------------
# What is on the table in words: names of places, cards and owners, for whoever looks at it.


def declare_display_names(w: GameUnderConstruction) -> None:
    """Names for the arrays that people see."""
    artifacts, locations = [c.name for c in w.cards.artifacts], [c.name for c in w.cards.locations]
    units, sites = list(w.kinds), list(w.site_names)
    shop = list(w.cards.shop_names)
    owners = ["nobody", *(f"player {q + 1}" for q in range(w.players))]
    of_sites = ("site_owner", "site_kind", "acted", "dug", "token_owner", "tokens", "digger")
    w.g.fact(
        names={
            "mana": [None, [m.name.lower() for m in Mana]],
            "atlas": [None, list(COLOURS)],
            "slot": [None, [s.name.lower() for s in Slot]],
            **{field: [None, units] for field in ("camp", "exhausted", "port")},
            **dict.fromkeys(of_sites, sites),
            **{field: [None, artifacts] for field in ("hand", "laid")},
            **dict.fromkeys(("under", "discard", "deck_artifacts", "origin"), artifacts),
            **dict.fromkeys(("deck_locations", "loc_unit", "abandoned"), locations),
            **dict.fromkeys(("shop_deck", "shop_discard"), shop),
            "kit": [None, [c.name for c in w.cards.consumables]],
        },
        values={
            **dict.fromkeys(("site_owner", "token_owner", "digger"), owners),
            "loc_unit": ["nobody", *units],
            "slot": ["none", *locations],
            "row": ["empty", *shop],
            "first": owners[1:],
            "defender": owners[1:],
        },
    )
