"""Every value of the YAML files shows somewhere.

Sampled here, whole in `make mutants`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.generator.scene import Face, Rect, Symbol, Use, build_rectangle_path
from playproof.language.registry import list_bundled_game_names
from playproof.table.rulebook_games import RefereedGamePlayer
from tests.audit.__main__ import main
from tests.audit.audited_values import AuditedValue, audited_values
from tests.audit.prints import alike
from tests.audit.run import reason_for, reasons, where_shown
from tests.audit.unchanged_game import BROKE, NOWHERE, REASONS, Shown, Whole

SAMPLE = 2


def of(game: str, file: str, *keys: str) -> AuditedValue:
    return next(v for v in audited_values(game, (file,)) if tuple(map(str, v.path)) == keys)


READ_WHERE: dict[str, dict[tuple[str, ...], str]] = {
    "eila": {
        ("vocabulary", "terms", "resource", "gold", "store"): "printed rules lint",
        ("vocabulary", "terms", "resource", "fear", "short"): "printed rules lint",
    },
    "opale": {
        ("table", "surfaces", "board", "at", "0"): "table",
        ("build", "products", "cards", "title", "en"): "printed",
        ("cards", "front", "elements", "0", "box"): "refused printed",
    },
}


@pytest.mark.parametrize("game", list_bundled_game_names())
def test_a_changed_value_shows(game: str) -> None:
    """Of cards, and as many of layouts; of a few, where they are read."""
    every = [value for value in audited_values(game) if value.file.name != "table.yaml"]
    cards, layouts = [v for v in every if not v.folder], [v for v in every if v.folder]
    some = [*random.Random(1).sample(cards, SAMPLE), *random.Random(1).sample(layouts, SAMPLE)]
    packages = READ_WHERE.get(game, {})
    shown = where_shown(game, [*some, *(of(game, *address) for address in packages)], RefereedGamePlayer)
    unseen = [(s.value.key, s.how) for s in shown if s.where in (NOWHERE, BROKE)]
    assert not unseen
    read = [s.where for s in shown[len(some) :]]
    assert all(where in package.split() for where, package in zip(read, packages.values(), strict=True)), read


def test_dead_names_in_layouts_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A style that nothing is set in."""
    monkeypatch.chdir(tmp_path)
    assert run_command_line_and_get_exit_status(["new", "fifth"]) == 0
    layout = tmp_path / "fifth" / "layouts" / "path.yaml"
    text = layout.read_text(encoding="utf-8")
    dead = "styles:\n  nobody: {family: alegreya, size: 9}\n"
    layout.write_text(text.replace("styles:\n", dead, 1), encoding="utf-8")
    [value] = [v for v in audited_values("fifth") if v.path == ("styles", "nobody", "size")]
    [shown] = where_shown("fifth", [value], RefereedGamePlayer)
    assert shown.where == NOWHERE


def test_a_picture_is_the_same_wherever_it_is_written() -> None:
    one, other = (
        Symbol(f"base:{line}", Rect(0, 0, 1, 1), (build_rectangle_path(Rect(0, 0, 1, 1)),)) for line in (1, 2)
    )
    third = Symbol("base:1", Rect(0, 0, 1, 1), (build_rectangle_path(Rect(0, 0, 2, 1)),))
    assert alike(Face("a", 9, 9, (Use(one),)), Face("b", 9, 9, (Use(other),)))
    assert not alike(Face("a", 9, 9, (Use(one),)), Face("a", 9, 9, (Use(third),)))


def test_a_run_of_values_goes_on_where_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = audited_values("opale", ("pawn",))[:3]
    first = where_shown("opale", some, log=tmp_path / "values.jsonl")
    lines = (tmp_path / "values.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "values.jsonl").write_text("\n".join(lines[:3]) + "\n" + lines[3][:9], encoding="utf-8")
    asked: list[AuditedValue] = []
    shows = Whole.shows

    def counted(whole: Whole, value: AuditedValue, *, thorough: bool = True) -> Shown:
        asked.append(value)
        return shows(whole, value, thorough=thorough)

    monkeypatch.setattr(Whole, "shows", counted)
    assert where_shown("opale", some, log=tmp_path / "values.jsonl") == first
    assert asked == some[2:]


def test_what_shows_nowhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the publisher's book says a rule is read by nobody but people; without its reason it is found."""
    value = of("eurydice", "rulebook", "rules", "R6", "place")
    monkeypatch.setattr("tests.audit.run.reasons", list)
    [shown] = where_shown("eurydice", [value], RefereedGamePlayer)
    assert shown.where == NOWHERE


def test_each_reason_is_for_some_value() -> None:
    every = [v for game in list_bundled_game_names() for v in audited_values(game)]
    idle = [pattern for pattern, why in reasons() if not any(reason_for(v, [(pattern, why)]) for v in every)]
    assert not idle, f"{REASONS.name} lists what no game has"


def test_the_command_prints_how_many_values_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["tests.audit", "opale", "--values", "2", "--out", str(tmp_path)])
    assert main() == 0
    assert capsys.readouterr().out.startswith("values: 2 changed: ")
    assert len((tmp_path / "opale" / "values.jsonl").read_text("utf-8").splitlines()) == 3
