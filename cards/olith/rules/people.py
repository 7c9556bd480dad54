"""What is on the table in words: names of places, cards and owners, for whoever looks at it."""

from __future__ import annotations

from .board import COLOURS, Mana, Slot
from .world import Tabletop


def declare_display_names(w: Tabletop) -> None:
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
