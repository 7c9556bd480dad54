"""Every value that a table or a sentence of the rules reference fixes, against the cards of the four games.

`reference/*.yaml` was typed from the reference by hand. Each test reads the cards by their fields only: neither the
rules nor another test stands between the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from playproof.database.components import Either, iter_effects_nested_in_value
from playproof.database.game import Game, load_game

LETTERS = {"food": "F", "gold": "G", "stone": "S", "energy": "E", "knowledge": "K", "fear": "R"}
SIGNS = {"future": ">", "past": "<", "deck": "@"}


@cache
def reference(name: str) -> Any:
    return yaml.safe_load((Path(__file__).parent / "reference" / f"{name}.yaml").read_text(encoding="utf-8"))


@cache
def cards(name: str) -> Game:
    return load_game(name, errata=False)


def counts(game: Game, kinds: Iterable[str]) -> dict[str, int]:
    return {kind: sum(c.count for c in game.of_kind(kind)) for kind in kinds}


# -- Eila -------------------------------------------------------------------------------------------------------


def eila_step(step: Any) -> str:
    """An effect in the letters of the table."""
    if isinstance(step, Either):
        return " / ".join(", ".join(map(eila_step, way)) for way in step.alternatives)
    match step.op:
        case "gain" | "pay":
            sign = "+" if step.op == "gain" else "-"
            return ", ".join(f"{sign}{n}{LETTERS[term]}" for term, n in step.amounts.items())
        case "convert":
            return f"X{LETTERS[step.args['from']]} -> X{LETTERS[step.args['to']]}"
        case "lose_heart":
            return f"-{step.args['hearts']}H"
        case "call":
            return f"call {step.args['card']}"
        case "item":
            return "item " + " or ".join(step.args["items"])
    raise AssertionError(step.op)


def eila_option(option: Any) -> str:
    cost, effects = (", ".join(map(eila_step, steps)) for steps in (option.cost, option.effects))
    needs = f"[{option.needs}] " if option.needs else ""
    return f"{needs}{' -> '.join(filter(None, [cost, effects])) or 'nothing'} {SIGNS[option.to]}"


def eila_row(card: Any) -> str:
    return " | ".join([f"{card.id} {card.get('back')}", *map(eila_option, card.options)])


def eila_calls(option: Any) -> list[str]:
    return [str(e.args["card"]) for e in iter_effects_nested_in_value(option) if e.op == "call"]


def test_eila_box() -> None:
    game, said = cards("eila"), reference("eila")
    assert {t.id: t.count for t in game.of_kind("token")} == said["tokens"]
    assert {t.id: t.get("colour") for t in game.of_kind("token")} == said["colours"]
    assert counts(game, said["kinds"]) == said["kinds"]
    for inventory in game.of_kind("inventory"):
        assert inventory.get("spaces") == said["inventory_spaces"]
        (pay, n), (gain, m) = (next(iter(inventory.get(side).items())) for side in ("pay", "gain"))
        assert f"-{n}{LETTERS[pay]} -> +{m}{LETTERS[gain]}" == said["conversions"][inventory.get("store")]


def test_eila_goals() -> None:
    game, said = cards("eila"), reference("eila")
    for goal in game.of_kind("goal"):
        fixed = said["goals"][goal.get("chapter")]
        assert Counter(goal.get("spaces")) == fixed["spaces"]
        assert {name: goal.get(name) for name in ("health", "track", "per_night")} == {
            name: fixed[name] for name in ("health", "track", "per_night")
        }


def test_eila_backs() -> None:
    game, said = cards("eila"), reference("eila")
    ranges = {back: {*range(a, b + 1), *range(c, d + 1)} for back, (a, b, c, d) in said["backs"].items()}
    for back, numbers in ranges.items():
        assert {int(c.id) for c in game.of_kind("event") if c.get("back") == back} == numbers


def test_eila_chapter_0() -> None:
    game, said = cards("eila"), reference("eila")
    rows = [eila_row(c) for c in game.of_kind("event") if c.get("chapter") == 0]
    assert [*rows, eila_row(game.components["H01"])] == said["chapter_0"].splitlines()
    for habit, option in said["habits_of_chapter_1"].items():
        assert eila_option(game.components[habit].options[0]) == option


def test_eila_chapter_1() -> None:
    game, said = cards("eila"), reference("eila")["chapter_1"]
    chapter = [c for c in game.of_kind("event") if c.get("chapter") == 1]
    green, blue, red = ([c for c in chapter if c.get("back") == back] for back in ("green", "blue", "red"))
    assert sum(said["hub_calls"] in eila_calls(o) for c in green for o in c.options) == 1
    for first, last in said["chains"]:
        for number in range(first, last):
            called = {card for o in game.components[str(number)].options for card in eila_calls(o)}
            assert str(number + 1) in called
    converters = [
        c.id for c in blue if any(e.op == "convert" for o in c.options for e in iter_effects_nested_in_value(o))
    ]
    assert converters == [said["converter"]]

    def brings(option: Any, op: str, term: str = "") -> bool:
        return any(e.op == op and (not term or term in e.amounts) for e in iter_effects_nested_in_value(option.effects))

    threats = [
        c
        for c in red
        if any(brings(o, "lose_heart") for o in c.options) and any(brings(o, "gain", "fear") for o in c.options)
    ]
    assert len(threats) == said["threats"]
    assert sorted(h for c in red for o in c.options for h in eila_calls(o) if h[0] == "H") == said["habit_givers"]
    gives_items = [c for c in red if any(brings(o, "item") for o in c.options)]
    assert len(gives_items) == said["item_givers"]
    given = [
        e.args["items"]
        for c in gives_items
        for o in c.options
        for e in iter_effects_nested_in_value(o)
        if e.op == "item"
    ]
    assert all(len(items) > 1 for items in given)
    two = [
        c
        for c in red
        if any(sum(game.components[i].get("back") == "red" for i in eila_calls(o)) == 2 for o in c.options)
    ]
    assert len(two) == said["two_red_calls"]


def test_eila_items() -> None:
    game, said = cards("eila"), reference("eila")["items"]
    found = {}
    for item in game.of_kind("item"):
        found[item.id] = {"moment": item.get("moment")}
        found[item.id] |= {"once": True} if item.get("once") else {}
        for power in item.get("power") or ():
            match power.op:
                case "pay":
                    found[item.id]["discards"] = dict(power.amounts)
                case "gain":
                    found[item.id]["gains"] = dict(power.amounts)
                case "widen":
                    found[item.id]["hand"] = dict(power.amounts)["hand"]
                case "arrange":
                    (found[item.id]["arranges"],) = power.args.values()
    assert found == said


def test_eila_every_card_keeps_a_free_option_and_recycles_into_a_numbered_deck() -> None:
    for card in cards("eila").of_kind("event", "habit"):
        assert any(o.free for o in card.options), card.id  # A18
        assert card.get("back") != "green" or all(o.to != "deck" for o in card.options), card.id  # A6


# -- Opale ------------------------------------------------------------------------------------------------------


def test_opale_board() -> None:
    game, said = cards("opale"), reference("opale")
    spots = {int(s.id): s for s in game.of_kind("spot")}
    assert {n: str(s.get("title").text("en")) for n, s in spots.items()} == said["names"]
    assert {n: s.get("silhouettes") for n, s in spots.items()} == said["silhouettes"]
    does: dict[str, dict[int, Any]] = {}
    for n, spot in spots.items():
        for effect in spot.get("when_full") or ():
            does.setdefault(effect.op, {})[n] = next(iter(effect.args.values()), True)
    assert {n: [int(target) for target in targets] for n, targets in does["take"].items()} == said["arrows"]
    assert [*does["to_tray"]] == said["to_tray"]
    assert [*does["take_own"]] == said["takes_own"]
    assert [*does["take_tray"]] == said["takes_tray"] == [*does["set_pile"]]
    assert [n for n, s in spots.items() if s.get("pawn")] == said["brings_pawn"]
    upper, lower = ([n for n, _ in sorted(row, key=lambda place: place[1])] for row in _opale_rows(spots))
    assert [upper, lower] == said["rows"]


def _opale_rows(spots: dict[int, Any]) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    places = [(n, s.get("x"), s.get("y")) for n, s in spots.items()]
    return [(n, x) for n, x, y in places if y < 100], [(n, x) for n, x, y in places if y >= 100]


def test_opale_decks_and_pieces() -> None:
    game, said = cards("opale"), reference("opale")
    assert counts(game, said["counts"]) == said["counts"]
    for side in ("blue", "red"):
        deck: dict[int, list[int]] = {}
        for card in game.of_kind("card"):
            if card.get("side") == side:
                deck.setdefault(int(card.get("spot")), []).extend([card.get("points")] * card.count)
        assert {n: sorted(values) for n, values in deck.items()} == said["deck"]
        assert sum(map(len, deck.values())) == said["cards"]
        assert sum(map(sum, deck.values())) == said["points"]
    assert {int(s.id): s.get("copies") for s in game.of_kind("spot")} == {n: len(v) for n, v in said["deck"].items()}
    (pawn,), (board,) = game.of_kind("pawn"), game.of_kind("board")
    assert {"points": pawn.get("points"), "cards": pawn.get("hand")} == said["pawn"]
    assert board.get("piles") == said["piles"]
    shells = game.of_kind("shell")
    assert len(shells) == said["shells"]["kinds"]
    assert {s.count for s in shells} == {said["shells"]["each"]}
    assert Counter(s.get("moment") for s in shells) == {m: said["shells"][m] for m in ("start", "end")}


def test_opale_hand_and_reserve() -> None:
    said, game = reference("opale"), cards("opale")
    assert (said["hand"], said["reserve"]) == (game.constant("hand"), game.constant("reserve"))


# -- Eurydice ---------------------------------------------------------------------------------------------------


def eurydice_space(effects: Iterable[Any]) -> str:
    def said(effect: Any) -> str:
        value = next(iter(effect.args.values()), True)
        name = effect.op.replace("_", " ")
        return name if value is True else f"{name} {value}"

    return " + ".join(map(said, effects))


def test_eurydice_boards() -> None:
    game, said = cards("eurydice"), reference("eurydice")
    for board in game.of_kind("board"):
        rows = [f"{eurydice_space(row['left'])} | {eurydice_space(row['right'])}" for row in board.get("rows")]
        assert rows == said["boards"][board.get("number")].splitlines()
    symbols = {e.op for b in game.of_kind("board") for row in b.get("rows") for side in row.values() for e in side}
    plain = {op.removeprefix("shadow_") for op in symbols}
    framed = {op for op in symbols if op.startswith("shadow_")}
    assert len(plain) + bool(framed) == said["symbols"]
    tolls = [
        int(next(iter(e.args.values())))
        for b in game.of_kind("board")
        for row in b.get("rows")
        for side in row.values()
        for e in side
        if e.op in ("toll", "shadow_toll")
    ]
    low, high = said["toll"]
    assert low <= min(tolls) <= max(tolls) <= high


def test_eurydice_cards() -> None:
    game, said = cards("eurydice"), reference("eurydice")
    suits = game.of_kind("suit")
    assert {s.get("suit"): s.get("start") for s in suits} == said["deck"]
    assert {s.get("suit"): s.get("hard") for s in suits} == said["hard"]
    assert {s.get("suit"): s.count for s in suits} == said["pack"]
    assert game.components["spade-mark"].count == said["spade_marks"]
    assert game.components["traveller"].count == said["white_tokens"]
    for board in range(1, said["specials"]["decks"] + 1):
        tones = Counter(c.get("tone") for c in game.of_kind("special") if c.get("board") == board)
        assert tones == said["specials"]["each"]


def test_eurydice_special_cards_that_must_be_there() -> None:
    """One adds hearts from outside, one a spade, and a burden makes Release worth while (4.5)."""
    added = [
        dict(e.amounts)
        for c in cards("eurydice").of_kind("special")
        for v in c.fields.values()
        for e in iter_effects_nested_in_value(v)
        if e.op == "add"
    ]
    assert any("heart" in suits for suits in added)
    assert any("spade" in suits for suits in added)
    assert any(c.get("tone") == "burden" and c.get("always") for c in cards("eurydice").of_kind("special"))


# -- Olith ------------------------------------------------------------------------------------------------------


def test_olith_box() -> None:
    game, said = cards("olith"), reference("olith")
    assert counts(game, said["counts"]) == said["counts"]
    tokens = {t.id: t.count for t in game.of_kind("token")}
    groups = {"victory": "victory-", "atlas": "atlas-", "combat": "combat-"}
    found = {name: sum(n for i, n in tokens.items() if i.startswith(start)) for name, start in groups.items()}
    found["cube"] = sum(n for i, n in tokens.items() if i.endswith("-cube"))
    found |= {name: tokens[name] for name in ("site-token", "wheel-marker", "first-player")}
    assert found == said["tokens"]
    units = Counter(
        "figures" if u.id.startswith("figure") else "basic" for u in game.of_kind("unit") for _ in range(u.count)
    )
    assert units == said["units"]
    assert game.components["combat-die"].count == said["combat_dice"]


def test_olith_decks() -> None:
    game, said = cards("olith"), reference("olith")
    for deck, (artifacts, locations) in said["decks"].items():
        assert sum(c.get("deck") == deck for c in game.of_kind("artifact")) == artifacts
        assert sum(c.get("deck") == deck for c in game.of_kind("location")) == locations
    of_any_slot = Counter(c.get("deck") for c in game.of_kind("location") if c.get("slot") == "any")
    assert of_any_slot == {f"{c}-2": said["any_location_per_level_2_deck"] for c in said["colours"]}
    camps = {
        e.args["units"] if "units" in e.args else next(iter(e.args.values()))
        for c in game.of_kind("location")
        if c.get("slot") == "forest"
        for e in c.get("effect")
    }
    assert sorted(camps) == said["forests"]
    kinds = {"mountain": "strength", "valley": "harvest", "forest": "camp"}
    for location in game.of_kind("location"):
        if location.get("slot") != "any":
            assert kinds[location.get("slot")] in {e.op for e in location.get("effect")}, location.id


def test_olith_board_wheel_and_mats() -> None:
    game, said = cards("olith"), reference("olith")
    (board,) = game.of_kind("board")
    regions = {(r["colour"], r["level"]): r["sites"] for r in board.get("regions")}
    assert regions == {(c, level): n for c in said["colours"] for level, n in said["sites"].items()}
    assert sum(regions.values()) == said["tokens"]["site-token"]
    assert board.get("shop") == said["shop_row"]
    wheels = board.get("wheels")
    assert [*wheels["12"]] == said["wheel"]
    for length in said["wheel_lengths"]:
        assert len(wheels[str(length)]) == length
        assert Counter(i for i in wheels[str(length)] if i != "none") == said["icons"]
    for mat in game.of_kind("mat"):
        assert mat.get("camp") == said["camp"]
        assert dict(zip((2, 3, 4), mat.get("unlock")[1:], strict=True)) == said["unlock"]
        assert mat.get("track") == said["track"]


def test_olith_dice() -> None:
    game, said = cards("olith"), reference("olith")
    for die, faces in said["dice"].items():
        values = [face["value"] for face in game.components[die].get("faces")]
        shown = [said["colours"][v] for v in values] if die == "colour-die" else values
        assert sorted(shown, key=str) == sorted(faces, key=str)


def test_olith_player_and_shop_cards() -> None:
    game, said = cards("olith"), reference("olith")
    assert {sum(c.get("mana").values()) for c in game.of_kind("loyalty")} == {said["starting_mana"]}
    assert dict(game.components["wisdom-cersie"].get("mana")) == said["cersie"]
    assert {c.get("after") for c in game.of_kind("action")} == {"return"}
    for kind, (low, high) in said["costs"].items():
        assert all(low <= sum(c.get("cost").values()) <= high for c in game.of_kind(kind))


def olith_kind(card: Any) -> str:
    (effect,) = card.get("effect")
    value = next(iter(effect.args.values()), True)
    number = next(iter(value.values())) if hasattr(value, "values") else value
    return str(effect.op) if number is True or effect.op == "gain" else f"{effect.op} {number}"


def test_olith_consumables() -> None:
    game, said = cards("olith"), reference("olith")
    found = sorted(map(olith_kind, game.of_kind("consumable")))
    assert found == sorted(said["departures"].get(kind, kind) for kind in said["consumables"])
    assert not set(said["departures"]) & set(found), "a departure that is none any more"


def test_olith_artifacts_cover_what_they_must() -> None:
    game, said = cards("olith"), reference("olith")
    numbers: dict[str, set[Any]] = {}
    for card in game.of_kind("artifact"):
        for effect in card.get("effect"):
            value = next(iter(effect.args.values()), True)
            numbers.setdefault(effect.op, set()).update(value if hasattr(value, "keys") else [value])
    for op in ("draw", "attack", "atlas"):
        assert set(said["artifacts"][op]) <= numbers[op]
    assert {c.get("after") for c in game.of_kind("artifact")} == set(said["artifacts"]["after"])
    plays = [set(c.get("plays")) for c in game.of_kind("artifact")]
    assert set().union(*plays) == {"expedition", "tactics", "combat"}
    assert any(len(p) == 2 for p in plays)


@pytest.mark.parametrize("name", ["eila", "opale", "eurydice", "olith"])
def test_the_transcription_is_complete(name: str) -> None:
    """Every key of the typed file is read by a test above: a value nobody compares proves nothing."""
    source = Path(__file__).read_text(encoding="utf-8")
    for key in reference(name):
        assert f'"{key}"' in source, key
