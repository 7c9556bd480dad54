"""What a chapter says about itself: named quantities, a bound on its length, and a rough worth of a
position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playproof import Term, all_of, count_of, min_of, sum_of
from playproof.database.components import Component, Effect, Either, Option, iter_effects_nested_in_value
from playproof.database.game import Game as Data
from playproof.language.declarations import Campaign

from .chapter_components import Card
from .invariants import build_invariant_of_front_pile_size, build_invariant_of_phases
from .names import CardPlace, Resource
from .option_steps import Script
from .state import GameUnderConstruction

# A greedy player's eye: a placed token, a held one the Goal still wants, a Heart, an Energy, anything else.
PLACED, WANTED, HEART, ENERGY, OTHER = (40, {Resource.STONE: 30, Resource.GOLD: 14, Resource.KNOWLEDGE: 10}, 12, 6, 2)
ITEM, CALLED = 8, {"blue": 12, "habit": 10, "red": 0, "green": 0}


def declare_quantities_and_facts(t: GameUnderConstruction, data: Data, later_chapters: list[str]) -> None:
    """Quantities for claims, reports and bots, and facts; `later` are the chapters after this one."""
    _declare_named_quantities(t, data)
    box = t.box
    t.g.fact(
        round="round",
        own=_list_ids_for_layout_and_claims(t),
        campaign=_build_campaign_facts(t, data, later_chapters),
        families={"option": _build_family_of_option_actions(t)},
        invariants=build_invariants_by_name(t),
        evaluate=build_position_evaluation_for_bots(t),
    )
    t.g.fact(
        hidden=["at", "left"],
        names={
            "have": [r.name.title() for r in Resource],
            "placed": [f"{r.name.title()} (of {need})" for r, need in box.goal],
            "where": [_format_card_as_known_to_all(t, card) for card in box.cards],
            "owned": [i.title for i in box.items],
        },
        values={"present": [*(f"{card.id} {card.title}" for card in box.cards), "none"]},
    )
    bound = compute_max_decisions_of_game_or_none(t)
    if bound is not None:
        t.g.fact(ends_within=bound)


def _list_ids_for_layout_and_claims(t: GameUnderConstruction) -> dict[str, object]:
    """Ids by which layouts/eila/table.yaml finds pictures, and claims about every item and habit their members."""
    cards = t.box.cards
    return {
        "items": [item.id for item in t.box.items],
        "cards": [card.id for card in cards],
        "habits": [card.id for card in cards if card.back == "habit"],
    }


def _build_campaign_facts(t: GameUnderConstruction, data: Data, later_chapters: list[str]) -> Campaign:
    """The chapter's comics (R12, R34), the chapter after it, and what it leaves behind (R35-R37, A9, A22)."""
    s, box = t.s, t.box
    items = {item.id: t.has_item_in_front_of_player(n) for n, item in enumerate(box.items)}
    habits = {card.id: s.where[n] != CardPlace.DECK for n, card in enumerate(box.cards) if card.back == "habit"}
    campaign = Campaign(
        before=_map_comic_pages_to_panels(data, box.chapter, "prologue"),
        after=_map_comic_pages_to_panels(data, box.chapter, "ending"),
        carried={**items, **habits},
        ordered=list(habits),
        into="carried",
    )
    if later_chapters:
        campaign["won"] = {"chapter": later_chapters[0]}
    if t.rulings.is_ruling_read_as("A22", "from-the-start"):
        campaign["lost"] = {"chapter": "0", "carried": ""}
    return campaign


def _map_comic_pages_to_panels(data: Data, chapter: int, moment: str) -> dict[str, list[str]]:
    pages = [
        c
        for c in data.of_kind("comic")
        if c.count > 0 and (c.fields["chapter"], c.fields["moment"]) == (chapter, moment)
    ]
    return {page.name: [str(panel) for panel in _get_panels_of_comic_page(page)] for page in pages}


def _get_panels_of_comic_page(page: Component) -> Sequence[object]:
    panels: Any = page.fields["panels"]
    return tuple(panels)


def _format_card_as_known_to_all(t: GameUnderConstruction, card: Card) -> str:
    """What anybody may read of a card that is not in the Present: its number, or with open piles its face (A20)."""
    if not t.rulings.is_ruling_read_as("A20", "open"):
        return card.id
    options = "; ".join(f"{o.letter}: {t.words(o)}" for o in card.options)
    return f"{card.id} {card.title} ({options})"


def _declare_named_quantities(t: GameUnderConstruction, data: Data) -> None:
    g, s, box = t.g, t.s, t.box
    g.quantity("round", s.round)
    g.quantity("hearts", s.hearts)
    for r in Resource:
        g.quantity(r.name.lower(), s.have[r])
    for n, (r, _) in enumerate(box.goal):
        g.quantity(f"placed {r.name.lower()}", s.placed[n])
    for name, holds in build_invariants_by_name(t).items():
        g.quantity(name, holds)
    g.quantity("in the stand", t.count_cards_in_unordered_stand())
    g.quantity("placed", sum_of(s.placed[n] for n in range(len(box.goal))))
    numbers = {item.id: n for n, item in enumerate(box.items)}
    for item in data.of_kind("item"):
        g.quantity(f"owns {item.id}", t.has_item_in_front_of_player(numbers[item.id]) if item.id in numbers else 0)
    for n, card in enumerate(box.cards):
        if card.back == "habit":
            g.quantity(f"habit {card.id}", s.where[n] != CardPlace.DECK)


def _build_family_of_option_actions(t: GameUnderConstruction) -> dict[str, dict[str, str]]:
    """Every option there is, as the action that chooses it."""
    return {
        f"{card.id} {option.letter}": {"action": "choose", "card": card.id, "option": option.letter}
        for card in t.box.cards
        for option in card.options
    }


def build_invariants_by_name(t: GameUnderConstruction) -> dict[str, Term]:
    """What holds in every state, by name, for claims and tests."""
    s, box = t.s, t.box
    lying = count_of(t.cards, lambda c: s.where[c] == CardPlace.PRESENT)
    counted = [r for r in Resource if not t.rulings.is_ruling_read_as("A13", "unlimited")]
    return {
        "tokens-conserved": all_of(_count_tokens_in_play(t, r) <= box.supply[r] for r in counted),
        "inventories-hold": (t.room(Resource.FOOD) >= 0) & (t.room(Resource.ENERGY) >= 0),
        "one-card-in-the-present": (lying == (s.present < t.cards))
        & ((s.present == t.cards) | (s.where[s.present] == CardPlace.PRESENT)),
        "alive-while-playing": (s.hearts > 0) | (s.outcome > 0),
        "each-moment": build_invariant_of_phases(t),
        "front-fits": build_invariant_of_front_pile_size(t),
        "piles-are-tidy": all_of(() if t.front is None else (t.front.tidy(),)),
        "nothing-half-resolved-at-rest": (s.phase != t.choose.number) | ((s.at == 0) & (s.left == 0)),
    }


def _count_tokens_in_play(t: GameUnderConstruction, resource: Resource) -> Term:
    """Tokens out of the supply: held, on the Goal, and at most one Energy for each round passed on the track."""
    track = t.s.round - 1 if resource is Resource.ENERGY else 0
    return t.have[resource] + t.count_tokens_on_goal(resource) + track


def build_position_evaluation_for_bots(t: GameUnderConstruction) -> Term:
    """How good a position looks at a glance; nothing is claimed for it but that a greedy bot may follow it."""
    s, box = t.s, t.box
    goal = dict(box.goal)
    parts: list[Term] = [s.hearts * HEART]
    for n, (r, need) in enumerate(box.goal):
        wanted = min_of(s.have[r], need - s.placed[n])
        parts += [s.placed[n] * PLACED, wanted * (WANTED.get(r, ENERGY) - OTHER)]
    for r in Resource:
        if r is Resource.FEAR:
            parts.append(s.have[r] * -OTHER)
        else:
            parts.append(s.have[r] * (ENERGY if r is Resource.ENERGY and r not in goal else OTHER))
    parts += [t.owned[n] * ITEM for n in range(len(box.items))]
    parts += [(s.where[n] != CardPlace.DECK) * CALLED[c.back] for n, c in enumerate(box.cards) if CALLED[c.back]]
    return sum_of(parts)


# -- length -----------------------------------------------------------------------------------------------------


def list_max_daily_appearances_by_card(t: GameUnderConstruction) -> list[int] | None:
    """How often each card can come to the Present in one Day; None where calls and recycling make a circle.

    Once for a card that leaves for the Future or the Past. One that can go back to a deck from which cards are
    called to the front can come again, once for each time that a card calling it comes.
    """
    cards = t.box.cards
    callers: dict[int, set[int]] = {n: set() for n in range(len(cards))}
    for n, card in enumerate(cards):
        for option in card.options:
            for called in _list_indexes_of_called_cards(t.script, option):
                callers[called].add(n)
    times: dict[int, int] = {}

    def count(card: int, above: frozenset[int]) -> int | None:
        if card in above:
            return None
        if card not in times:
            comes = 1
            if cards[card].back != "blue" and any(o.to == "deck" for o in cards[card].options):
                for caller in callers[card]:
                    more = count(caller, above | {card})
                    if more is None:
                        return None
                    comes += more
            times[card] = comes
        return times[card]

    counted = [count(n, frozenset()) for n in range(len(cards))]
    return None if None in counted else [n for n in counted if n is not None]


def _list_indexes_of_called_cards(script: Script, option: Option) -> list[int]:
    called = [str(e.args["card"]) for e in iter_effects_nested_in_value(option) if e.op == "call"]
    return [script.box.get_index_of_card(ident) for ident in called if script.box.is_card_in_box(ident)]


def compute_max_decisions_of_game_or_none(t: GameUnderConstruction) -> int | None:
    """A bound on the decisions of a game, draws of chance included; None where a Day may have no end.

    A card asks for its draw, its option, its slashes, its X and one answer for each token it can bring; a
    conversion uses up tokens that had to be gained; a Night asks for its tokens, its items and its end.
    """
    comes = list_max_daily_appearances_by_card(t)
    if comes is None:
        return None
    most = t.have.field.hi
    questions, gained = 0, 0
    for card, times in zip(t.box.cards, comes, strict=True):
        questions += times * (2 + max(_count_max_questions_option_can_ask(t, option) for option in card.options))
        gained += times * max(_count_max_tokens_option_can_bring(t, option) for option in card.options)
    conversions = sum((most + gained) // c.cost for c in t.box.conversions)
    night = t.limit + len(t.box.list_item_indexes_at_moment("before-energy")) + 2
    vanes = [t.box.items[n] for n in t.box.list_item_indexes_at_moment("day-start")]
    morning = sum(vane.amount + 1 + vane.once for vane in vanes)
    return t.box.track * (questions + conversions + night + morning)


def _count_max_tokens_option_can_bring(t: GameUnderConstruction, option: Option) -> int:
    """Tokens an option can bring at most, the Fear of a kept Heart and of an X included."""
    tokens = 0
    for effect in iter_effects_nested_in_value(option):
        if effect.op == "gain":
            tokens += sum(effect.amounts.values())
        elif effect.op == "convert":
            tokens += t.have.field.hi
        elif effect.op == "lose_heart":
            tokens += sum(t.box.items[n].amount for n in t.box.list_item_indexes_at_moment("heart-loss"))
    return tokens


def _count_max_questions_option_can_ask(t: GameUnderConstruction, option: Option) -> int:
    """Questions an option can ask: slashes, items joined by OR, X, and tokens that find no room."""
    forks = 0
    for step in option.effects:
        effects = [step] if isinstance(step, Effect) else [e for way in step.alternatives for e in way]
        forks += isinstance(step, Either)
        forks += sum(e.op in ("convert", "item") for e in effects)
    return forks + _count_max_tokens_option_can_bring(t, option)
