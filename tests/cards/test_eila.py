"""The facts of the first game that are fixed from outside: the rulebook's, and the table of Chapter 0."""

from __future__ import annotations

from collections import Counter

from playproof.database.components import Either, effects_in
from playproof.database.game import load_game
from playproof.database.lint import lint
from playproof.database.wording import made_text

GAME = load_game("eila", errata=False)

# Chapter 0, as decided: card, back, then each option as cost and effect > Future, < Past, @ deck.
# F food, G gold, S stone, E energy, K knowledge, R fear, H a Heart.
CHAPTER_0 = """\
001 green | +1F > | call 006 <
002 green | +2F > | -1E -> +1F, +1G >
003 green | +1K > | -1G -> +3K >
004 green | +1R, +1G > | call 009 < | nothing >
005 green | +1E / +1F > | call 007, call 008 <
006 blue | -2F -> +2G < | call 011 < | nothing >
007 blue | XG -> XK < | -2R -> +1E > | call 010 @
008 blue | [I01] +1S < | -3E -> +1S < | nothing >
009 red | -2F -> item I01 < | -1H < | +2R @
010 red | -2K -> +2E < | +1R, +1F >
011 red | -1G -> call H01 < | +1R <
H01 habit | +1E / +1K > | -1R >
"""

LETTERS = {"food": "F", "gold": "G", "stone": "S", "energy": "E", "knowledge": "K", "fear": "R"}
SIGNS = {"future": ">", "past": "<", "deck": "@"}


def short(step) -> str:
    """An effect in the notation of the table."""
    if isinstance(step, Either):
        return " / ".join(", ".join(map(short, alternative)) for alternative in step.alternatives)
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


def row(component) -> str:
    cells = [f"{component.id} {component.get('back')}"]
    for option in component.options:
        cost, effects = (", ".join(map(short, steps)) for steps in (option.cost, option.effects))
        text = " -> ".join(filter(None, [cost, effects])) or "nothing"
        needs = f"[{option.needs}] " if option.needs else ""
        cells.append(f"{needs}{text} {SIGNS[option.to]}")
    return " | ".join(cells)


def test_chapter_0_is_the_table() -> None:
    cards = [c for c in GAME.of_kind("event") if c.get("chapter") == 0] + [GAME.components["H01"]]
    assert "\n".join(map(row, cards)) + "\n" == CHAPTER_0


def test_lint_has_not_even_a_warning() -> None:
    assert [str(finding) for finding in lint(GAME)] == []


def test_tokens_are_the_rulebooks() -> None:
    assert {token.id: token.count for token in GAME.of_kind("token")} == {
        "food": 15, "gold": 15, "energy": 15, "knowledge": 15, "fear": 8, "stone": 5, "heart": 5,
    }  # fmt: skip


def test_component_counts_are_the_rulebooks() -> None:
    counts = Counter(component.kind for component in GAME.components.values())
    assert {kind: counts[kind] for kind in ("event", "habit", "item", "goal", "inventory", "comic", "stand")} == {
        "event": 39, "habit": 3, "item": 5, "goal": 2, "inventory": 2, "comic": 3, "stand": 1,
    }  # fmt: skip


def test_goals() -> None:
    first, second = GAME.components["goal-0"], GAME.components["goal-1"]
    assert Counter(first.get("spaces")) == {"gold": 2, "stone": 1}
    assert Counter(second.get("spaces")) == {"stone": 3, "gold": 4, "knowledge": 3}
    assert (first.get("health"), second.get("health")) == (3, 4)
    assert {(goal.get("track"), goal.get("per_night")) for goal in (first, second)} == {(7, 2)}


def test_chapter_1_is_split_by_tens() -> None:
    backs = Counter(c.get("back") for c in GAME.of_kind("event") if c.get("chapter") == 1)
    assert backs == {"green": 10, "blue": 10, "red": 8}


def test_chapter_1_uses_everything_the_rulebook_names() -> None:
    cards = [c for c in GAME.of_kind("event") if c.get("chapter") == 1]
    options = [option for card in cards for option in card.options]
    gained = {t for o in options for e in effects_in(o.effects) if e.op == "gain" for t in e.amounts}
    paid = {t for o in options for e in o.cost for t in e.amounts}
    assert gained == paid == set(LETTERS)
    calls = [GAME.components[e.args["card"]].get("back") for o in options for e in effects_in(o) if e.op == "call"]
    assert set(calls) == {"blue", "red", "habit"}
    assert {o.to for o in options} == {"future", "past", "deck"}
    assert any(isinstance(step, Either) for o in options for step in o.effects)
    assert any(len(o.effects) > 1 for o in options)
    assert any(o.needs == "I01" for o in options)
    items = [e.args["items"] for o in options for e in effects_in(o) if e.op == "item"]
    assert any(len(choice) > 1 for choice in items)
    assert {item for choice in items for item in choice} == {"I01", "I02", "I03", "I04", "I05"}
    two_reds = [o for o in options if [e.op for e in effects_in(o)].count("call") == 2 and o.to == "past"]
    assert two_reds
    assert {"convert", "lose_heart"} <= {e.op for o in options for e in effects_in(o)}
    assert any(n >= 6 for o in options for e in effects_in(o.effects) for n in e.amounts.values()), "no overflow"


def test_every_card_keeps_a_free_option() -> None:
    for card in GAME.of_kind("event", "habit"):
        assert any(option.free for option in card.options), card.id


def test_rules_and_rulings_are_complete() -> None:
    assert list(GAME.rules) == [f"R{n}" for n in range(1, 66)]
    numbers = [f"A{n}" for n in range(1, 23)]
    assert set(GAME.rulings) == {*numbers, "A12b"}
    for key in ("A4", "A8", "A11", "A15", "A18"):
        assert len(GAME.rulings[key].options) >= 2, key
    assert set(GAME.rulings["A4"].options) == {"three", "four", "five"}


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
