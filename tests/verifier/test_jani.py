"""Models in JANI, read back and solved by a few lines of their own; and by Storm, where it is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec
from math import floor
from pathlib import Path
from typing import Any

import pytest

from playproof.verifier.bridges.model_export import NotExpressible, game_to_jani_text_or_raise
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import GameCase
from tests.published_games import get_published_game

STRANGERS = Path(__file__).parent / "games_of_strangers"
STRANGER_OF = {"craps": str(STRANGERS / "craps")}
CHANCES = {
    ("craps", ()): 244 / 495,
    (get_published_game("gamblers_ruin"), ()): 3 / 10,
    (get_published_game("small_2048"), (("goal", "4"),)): None,
    ("clock_patience", (("ranks", "3"), ("suits", "2"))): 1 / 3,
}
Values = dict[str, int]


def value(exp: Any, of: Values) -> Any:
    if isinstance(exp, bool | int):
        return exp
    if isinstance(exp, str):
        return of[exp]
    op = exp["op"]
    if op == "ite":
        return value(exp["then"] if value(exp["if"], of) else exp["else"], of)
    if op == "¬":
        return not value(exp["exp"], of)
    if op == "floor":
        return floor(value(exp["exp"], of))
    left, right = value(exp["left"], of), value(exp["right"], of)
    match op:
        case "∧":
            return left and right
        case "∨":
            return left or right
        case "=":
            return left == right
        case "≤":
            return left <= right
        case "<":
            return left < right
        case "≥":
            return left >= right
        case ">":
            return left > right
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
    raise ValueError(op)


def solved(read: dict[str, Any]) -> float:
    """The greatest chance of the property, by going through all states and raising values from 0."""
    names = [v["name"] for v in read["variables"]]
    bounds = {v["name"]: (v["type"]["lower-bound"], v["type"]["upper-bound"]) for v in read["variables"]}
    start = tuple(v["initial-value"] for v in read["variables"])
    [automaton] = read["automata"]
    goal = read["properties"][0]["expression"]["values"]["exp"]["right"]
    number, todo, moves, met = {start: 0}, [start], list[list[list[tuple[float, int]]]](), list[bool]()
    for state in todo:
        of = dict(zip(names, state, strict=True))
        met.append(bool(value(goal, of)))
        moves.append([])
        for edge in automaton["edges"]:
            if value(edge["guard"]["exp"], of):
                led = []
                for to in edge["destinations"]:
                    chance = value(to["probability"]["exp"], of) if "probability" in to else 1
                    if chance:
                        new = of | {a["ref"]: value(a["value"], of) for a in to.get("assignments", ())}
                        assert all(low <= new[name] <= high for name, (low, high) in bounds.items())
                        key = tuple(new.values())
                        if key not in number:
                            number[key] = len(todo)
                            todo.append(key)
                        led.append((chance, number[key]))
                assert abs(sum(chance for chance, _ in led) - 1) < 1e-12
                moves[-1].append(led)
    assert all(moves)
    values = [float(m) for m in met]
    while True:
        change = 0.0
        for n in reversed(range(len(values))):
            if not met[n]:
                new = max(sum(chance * values[to] for chance, to in led) for led in moves[n])
                change, values[n] = max(change, abs(new - values[n])), new
        if change < 1e-12:
            return values[0]


def written(name: str, options: Any) -> tuple[GameCase, str]:
    case = GameCase(STRANGER_OF.get(name, name), dict(options), machine=False)
    return case, game_to_jani_text_or_raise(
        case, TargetReader(case.game).read_single_target_of_spec({"outcome": "win"})
    )


@pytest.mark.parametrize(("name", "options"), CHANCES)
def test_a_model_has_the_chance_of_the_game(name: str, options: Any, tmp_path: Path) -> None:
    text = written(name, options)[1]
    wanted = CHANCES[name, options]
    ours = solved(json.loads(text))
    assert wanted is None or abs(ours - wanted) < 1e-9
    assert 0 < ours < 1
    if find_spec("stormpy") is not None:
        assert abs(by_storm(text, tmp_path) - ours) < 1e-6


def by_storm(text: str, folder: Path) -> float:
    import stormpy

    file = folder / "model.jani"
    file.write_text(text, encoding="utf-8")
    jani, properties = stormpy.parse_jani_model(str(file))
    built = stormpy.build_model(jani, properties)
    found = stormpy.model_checking(built, properties[0], environment=stormpy.environments.sound())
    return float(found.get_value(built.initial_states[0]))


def test_players_against_each_other_have_no_place_in_a_model() -> None:
    with pytest.raises(NotExpressible, match="one player, this game has 2"):
        written("nim", ())
