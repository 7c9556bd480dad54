"""What the first game's cards must hold beside their values, which test_reference.py compares with the reference."""

from __future__ import annotations

from playproof.database.components import Either, iter_effects_nested_in_value
from playproof.database.effect_text import made_text
from playproof.database.game import load_game
from playproof.database.lint import lint

GAME = load_game("eila", errata=False)

LETTERS = {"food": "F", "gold": "G", "stone": "S", "energy": "E", "knowledge": "K", "fear": "R"}


def test_lint_has_not_even_a_warning() -> None:
    assert [str(finding) for finding in lint(GAME)] == []


def test_chapter_1_uses_everything_the_rulebook_names() -> None:
    cards = [c for c in GAME.of_kind("event") if c.get("chapter") == 1]
    options = [option for card in cards for option in card.options]
    gained = {t for o in options for e in iter_effects_nested_in_value(o.effects) if e.op == "gain" for t in e.amounts}
    paid = {t for o in options for e in o.cost for t in e.amounts}
    assert gained == paid == set(LETTERS)
    calls = [
        GAME.components[e.args["card"]].get("back")
        for o in options
        for e in iter_effects_nested_in_value(o)
        if e.op == "call"
    ]
    assert set(calls) == {"blue", "red", "habit"}
    assert {o.to for o in options} == {"future", "past", "deck"}
    assert any(isinstance(step, Either) for o in options for step in o.effects)
    assert any(len(o.effects) > 1 for o in options)
    assert any(o.needs == "I01" for o in options)
    items = [e.args["items"] for o in options for e in iter_effects_nested_in_value(o) if e.op == "item"]
    assert any(len(choice) > 1 for choice in items)
    assert {item for choice in items for item in choice} == {"I01", "I02", "I03", "I04", "I05"}
    two_reds = [
        o for o in options if [e.op for e in iter_effects_nested_in_value(o)].count("call") == 2 and o.to == "past"
    ]
    assert two_reds
    assert {"convert", "lose_heart"} <= {e.op for o in options for e in iter_effects_nested_in_value(o)}
    assert any(n >= 6 for o in options for e in iter_effects_nested_in_value(o.effects) for n in e.amounts.values()), (
        "no overflow"
    )


def test_rules_and_rulings_are_complete() -> None:
    assert list(GAME.rules) == [f"R{n}" for n in range(1, 66)]
    numbers = [f"A{n}" for n in range(1, 23)]
    assert set(GAME.rulings) == {*numbers, "A12b"}
    for key in ("A4", "A8", "A11", "A15", "A18"):
        assert len(GAME.rulings[key].options) >= 2, key
    assert set(GAME.rulings["A4"].options) == {"three", "four", "five"}


def test_a_limit_may_be_an_amount_of_an_effect() -> None:
    """The Basket's two spaces stand once, in its power."""
    game = load_game("eila")
    assert game.number("I03.power.widen.hand") == 2
    wrong = ("I03.power.widen.heart", "I03.power.gain.hand", "I03.power", "I33.x.y.z")
    assert [game.number(part) for part in wrong] == [None] * 4


def test_only_001_carries_card_values_of_the_publisher() -> None:
    kinds = {c.id: {s.kind for s in c.source.sources} for c in GAME.of_kind("event", "habit")}
    assert kinds.pop("001") == {"rulebook", "playproof"}
    assert all(sources == {"playproof"} for sources in kinds.values())


def test_texts_of_cards_and_items(golden) -> None:
    lines = []
    for component in GAME.of_kind("event", "habit", "item"):
        titles = component.get("title")
        lines.append(f"{component.id} {titles.text('en')} | {titles.text('fr')}")
        for option in component.options:
            lines.append(f"  {option.letter} {made_text(option, GAME.vocabulary)} > {option.to}")
            lines += [f"    {made_text(option, GAME.vocabulary, lang, 'words')}" for lang in GAME.languages]
    golden("eila-texts.txt", "\n".join(lines) + "\n")
