"""Every value of the YAML files shows somewhere, and every number of the rules has a claim.

Sampled here, whole in `make mutants`.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from playproof.cli.main import run
from playproof.cli.recorded_moves import Played
from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.database.source import read
from playproof.generator.scene import Face, Rect, Symbol, Use, rectangle
from playproof.language.registry import build, names
from playproof.mutation.prints import alike
from playproof.mutation.sources import reason_for, reasons, where_shown
from playproof.mutation.values import Value, values
from playproof.mutation.whole import BROKE, NOWHERE, REASONS, Shown, Whole
from tests.mutation.copies import changed

HERE = Path(__file__).resolve().parent
SAMPLE = 6
NUMBER = re.compile(r"\b(\d+|two|three|four|five|six|seven|eight|nine|ten|second|third|fourth)\b", re.IGNORECASE)


def of(game: str, file: str, *keys: str | int) -> Value:
    return next(v for v in values(game, (file,)) if v.path == keys)


@pytest.mark.parametrize("game", names())
def test_a_changed_value_shows(game: str) -> None:
    """Of cards, and as many of layouts."""
    every = values(game)
    cards, layouts = [v for v in every if not v.folder], [v for v in every if v.folder]
    some = [*random.Random(1).sample(cards, SAMPLE), *random.Random(1).sample(layouts, SAMPLE)]
    unseen = [(s.value.key, s.how) for s in where_shown(game, some, Played) if s.where in (NOWHERE, BROKE)]
    assert not unseen


@pytest.mark.parametrize(("game", "file", "keys", "where"), [
    ("eila", "vocabulary", ("terms", "resource", "gold", "store"), "printed rules lint"),
    ("eila", "vocabulary", ("terms", "resource", "fear", "short"), "rules lint"),
    ("opale", "table", ("surfaces", "board", "at", 0), "table"),
    ("opale", "build", ("products", "cards", "title", "en"), "printed"),
    ("opale", "cards", ("front", "elements", 0, "box"), "refused printed"),
])
def test_a_value_shows_where_it_is_read(game: str, file: str, keys: tuple[str | int, ...], where: str) -> None:
    [shown] = where_shown(game, [of(game, file, *keys)], Played)
    assert shown.where in where.split()


def test_dead_names_in_layouts_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A style that nothing is set in."""
    monkeypatch.chdir(tmp_path)
    assert run(["new", "fifth"]) == 0
    layout = tmp_path / "fifth" / "layouts" / "path.yaml"
    text = layout.read_text(encoding="utf-8")
    dead = "styles:\n  nobody: {family: alegreya, size: 9}\n"
    layout.write_text(text.replace("styles:\n", dead, 1), encoding="utf-8")
    [value] = [v for v in values("fifth") if v.path == ("styles", "nobody", "size")]
    [shown] = where_shown("fifth", [value], Played)
    assert shown.where == NOWHERE


def test_a_picture_is_the_same_wherever_it_is_written() -> None:
    one, other = (Symbol(f"base:{line}", Rect(0, 0, 1, 1), (rectangle(Rect(0, 0, 1, 1)),)) for line in (1, 2))
    third = Symbol("base:1", Rect(0, 0, 1, 1), (rectangle(Rect(0, 0, 2, 1)),))
    assert alike(Face("a", 9, 9, (Use(one),)), Face("b", 9, 9, (Use(other),)))
    assert not alike(Face("a", 9, 9, (Use(one),)), Face("a", 9, 9, (Use(third),)))


def test_a_run_of_values_goes_on_where_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = values("opale", ("pawn",))[:3]
    first = where_shown("opale", some, log=tmp_path / "values.jsonl")
    lines = (tmp_path / "values.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "values.jsonl").write_text("\n".join(lines[:3]) + "\n" + lines[3][:9], encoding="utf-8")
    asked: list[Value] = []
    shows = Whole.shows

    def counted(whole: Whole, value: Value, *, thorough: bool = True) -> Shown:
        asked.append(value)
        return shows(whole, value, thorough=thorough)

    monkeypatch.setattr(Whole, "shows", counted)
    assert where_shown("opale", some, log=tmp_path / "values.jsonl") == first
    assert asked == some[2:]


def test_what_shows_nowhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the publisher's book says a rule is read by nobody but people; without its reason it is found."""
    value = of("opale", "rulebook", "rules", "R6", "place")
    monkeypatch.setattr("playproof.mutation.sources.reasons", list)
    [shown] = where_shown("opale", [value], Played)
    assert shown.where == NOWHERE


def test_each_reason_is_for_some_value() -> None:
    every = [v for game in names() for v in values(game)]
    idle = [pattern for pattern, why in reasons() if not any(reason_for(v, [(pattern, why)]) for v in every)]
    assert not idle, f"{REASONS.name} lists what no game has"


@pytest.mark.parametrize(("game", "keys"), [
    ("eurydice", ("options", "setting", "default")), ("eurydice", ("options", "setting", "values", 0)),
    ("opale", ("players", "max")), ("olith", ("players", "max")), ("eurydice", ("players", "min")),
])
def test_the_rules_hold_what_game_yaml_says_of_options_and_players(game: str, keys: tuple[str | int, ...]) -> None:
    """A default was changed, and the number of players, and nothing noticed it."""
    with changed(game, of(game, "game", *keys)) as folder:
        cards = load_game(folder)
        with pytest.raises(InputError, match=r"game\.yaml:\d+:\d+: PP350"):
            build(game, data=cards)


@pytest.mark.parametrize("game", names())
def test_every_rule_with_a_number_has_a_claim(game: str) -> None:
    """A claim that names the rule fails with another number; where there is none, the list says why."""
    cards = load_game(game)
    spoken = {rule for claim in cards.claims.values() for rule in claim.rules}
    known = read(HERE / "unclaimed.yaml").entries
    listed = {k: str(e.node.value) for k, e in known[game].node.entries.items()} if game in known else {}
    numbered = {r.id for r in cards.rules.values() if NUMBER.search(r.text) and not r.left_out}
    assert numbered - spoken == set(listed)
    assert all(len(why) > 10 for why in listed.values())


def test_a_claim_that_names_no_rule_is_refused() -> None:
    with changed("opale", of_claim()) as folder, pytest.raises(InputError, match="PP210"):
        load_game(folder)


def of_claim() -> Value:
    """A claim's rule, misspelt."""
    path = load_game("opale").folder / "claims.yaml"
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    line, text = next((n, t) for n, t in lines if "rules: [R37]" in t)
    return Value(path, line, text.index("R37") + 1, ("claims",), "R37", "R370")
