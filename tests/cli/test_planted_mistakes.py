"""Lint finds every mistake that is planted in the data of a game, once, at its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import pytest
import yaml

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game, load_game
from playproof.database.source import override_file_content_in_block
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.playability import list_playability_problems_sorted_by_place
from playproof.language.registry import build
from playproof.linting import whole_game
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.referee.variant import Variant
from playproof.table.table_check import list_findings_on_table_yaml

HERE = Path(__file__).parent
PLANTED = yaml.safe_load((HERE / "planted_mistakes.yaml").read_text("utf-8"))
CASES = [(file, each) for file, some in PLANTED.items() for each in some]
ERRATUM = """version: "1.1"
date: 2026-11-20
note: Why.
changes:
  - {component: "06", path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}
"""
ELSEWHERE = {"{title: The Ferryman, count: 2,": "game.yaml"}
"""What is typed in one file and contradicts another, by the text."""


def found(lint: Callable[[], list[Finding]]) -> list[str]:
    """Each finding as its file, code, line, column and hint."""
    try:
        said = lint()
    except InputError as error:
        said = list(error.findings)
    return [f"{Path(f.where.file).name} {f.code} {f.where.line}:{f.where.column} {f.hint}".strip() for f in said]


@pytest.fixture(scope="module")
def lamp_walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from playproof.cli.main import run_command_line_and_get_exit_status

    folder = tmp_path_factory.mktemp("planted")
    assert run_command_line_and_get_exit_status(["new", "mygame", "--in", str(folder)]) == 0
    return folder / "mygame"


def test_there_are_enough() -> None:
    assert len(CASES) >= 60
    assert {
        "paths.yaml",
        "game.yaml",
        "vocabulary.yaml",
        "layouts/path.yaml",
        "claims.yaml",
        "rulebook.yaml",
        "errata/1.1.yaml",
    } == set(PLANTED)


@pytest.mark.parametrize(("file", "case"), CASES, ids=[f"{f} {c['typed'][:40]}" for f, c in CASES])
def test_a_mistake_in_a_file_is_found_once(lamp_walk: Path, file: str, case: dict[str, str]) -> None:
    path = lamp_walk / file
    whole = ERRATUM if file.startswith("errata") else path.read_text("utf-8")
    assert case["was"] in whole
    path.parent.mkdir(exist_ok=True)
    path.write_text(whole.replace(case["was"], case["typed"], 1), "utf-8")
    try:
        said = found(lambda: list_all_lint_findings_of_game(str(lamp_walk)))
    finally:
        if whole is ERRATUM:
            path.unlink()
        else:
            path.write_text(whole, "utf-8")
    place = ELSEWHERE.get(case["typed"], Path(file).name)
    assert len(said) == 1, said
    assert said[0].startswith(f"{place} {case['finds']}")
    assert case.get("hint", "") in said[0]


TABLE, BUILD = LAYOUTS / "eurydice" / "table.yaml", LAYOUTS / "eurydice" / "build.yaml"
IN_LOOKS = yaml.safe_load((HERE / "planted_in_looks.yaml").read_text("utf-8"))


@cache
def eurydice() -> tuple[Game, LayoutRenderer, Variant]:
    game = load_game("eurydice")
    return (game, LayoutRenderer(game), Variant.from_loaded_cards("eurydice", game, game=build("eurydice", None, game)))


@pytest.mark.parametrize("case", IN_LOOKS["table"], ids=lambda case: case["typed"][:40])
def test_a_mistake_in_the_table_is_found_once(case: dict[str, str]) -> None:
    _, looks, variant = eurydice()
    with planted(TABLE, case["was"], case["typed"]):
        said = found(lambda: list_findings_on_table_yaml(variant, looks))
    assert len(said) == 1, said
    assert said[0].startswith(f"table.yaml {case['finds']}")


@pytest.mark.parametrize("case", IN_LOOKS["build"], ids=lambda case: case["typed"][:40])
def test_a_mistake_in_the_products_is_found_once(case: dict[str, str]) -> None:
    game, looks, _ = eurydice()
    with planted(BUILD, case["was"], case["typed"]):
        said = found(lambda: list_playability_problems_sorted_by_place(game, looks))
    assert len(said) == 1, said
    assert said[0].startswith(case["finds"])


def test_mistakes_in_several_files_are_found_together() -> None:
    """A mistake in one file hides none in another."""
    special = LAYOUTS / "eurydice" / "specials.yaml"
    with (
        planted(TABLE, "piece: traveller", "piece: travellr"),
        planted(BUILD, "kinds: [board]", "kinds: [bord]"),
        planted(special, "style: title", "style: titel"),
    ):
        said = found(lambda: list_all_lint_findings_of_game("eurydice"))
    assert [line.split(" (")[0].split()[:2] for line in said] == [
        ["build.yaml", "PP505"],
        ["specials.yaml", "PP503"],
        ["table.yaml", "PP624"],
    ]


@pytest.mark.parametrize("dies", [False, True])
def test_a_second_process_finds_the_same(lamp_walk: Path, monkeypatch: pytest.MonkeyPatch, dies: bool) -> None:
    """With two processes the findings and their order are the same, also where the second one dies."""
    here = os.getpid()

    def look(game: Game, looks: LayoutRenderer) -> list[Finding]:
        if os.getpid() != here and dies:
            os._exit(9)
        calls.append(os.getpid())
        return list_playability_problems_sorted_by_place(game, looks)

    calls = list[int]()
    monkeypatch.setattr(whole_game, "list_playability_problems_sorted_by_place", look)
    with (
        planted(lamp_walk / "paths.yaml", "It never did close.", "It never did :closde: close."),
        planted(lamp_walk / "claims.yaml", "number: coins", "number: coin"),
        planted(lamp_walk / "layouts" / "path.yaml", "bleed: 3.2", "bleed: 0"),
    ):
        alone = list_all_lint_findings_of_game(str(lamp_walk))
        calls.clear()
        together = list_all_lint_findings_of_game(str(lamp_walk), jobs=2)
    assert together == alone
    assert len({finding.where.file for finding in alone}) == 3
    assert calls == [here] * dies  # what the second process calls is not seen here


def planted(path: Path, was: str, typed: str) -> AbstractContextManager[None]:
    """Make this process read a file with other text in it."""
    text = path.read_text("utf-8")
    assert was in text
    return override_file_content_in_block(path, text.replace(was, typed, 1))
