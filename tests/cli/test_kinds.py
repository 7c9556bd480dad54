"""Every kind of game that `new` writes, and every game of the cookbook: linted, played, proved, printed and mutated."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
import yaml

from playproof import cli
from playproof.cli.schemas import build_json_schemas_by_yaml_file_kind
from playproof.cli.verbs.write import (
    COOKBOOK,
    KINDS,
    TEMPLATE,
    list_names_of_cookbook_games,
    list_template_kinds_of_new_games,
)
from playproof.database.game_schema import DIALECT

Call = Callable[..., Any]
RULED = [kind for kind in list_template_kinds_of_new_games() if (KINDS / kind / "rules.py.txt").is_file()]
MOST_LINES = 80


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def claims(playproof: Call, game: str) -> dict[str, str]:
    """The verdict of each claim; one that expects a value is REFUTED by any other."""
    answer = json.loads(playproof("prove", game, "--json").out)
    return {claim["id"]: claim["verdict"] for claim in answer["claims"]}


def test_there_are_eight_kinds_and_sixteen_mechanisms() -> None:
    assert list_template_kinds_of_new_games() == [
        "area-control", "board-and-dice", "cards", "cooperative", "hidden-hands", "party", "solo", "trick-taking",
    ]  # fmt: skip
    assert len(list_names_of_cookbook_games()) >= 16


@pytest.mark.parametrize("kind", list_template_kinds_of_new_games())
def test_a_kind_lints_and_prints(playproof: Call, here: Path, kind: str) -> None:
    assert playproof("new", "mine", "--kind", kind).status == 0
    assert playproof("lint", "mine").out == "no errors in mine\n"
    built = json.loads(playproof("build", "mine", "--paper", "A4", "--json").out)["files"]
    assert built
    assert all(Path(file["path"]).stat().st_size > 500 for file in built)
    for path in (here / "mine").rglob("*.yaml"):
        schema = re.match(r"# yaml-language-server: \$schema=(\S+)\n", path.read_text("utf-8"))
        if ".github" not in path.parts:
            assert schema is not None, path
            assert json.loads((path.parent / schema[1]).read_text("utf-8"))["$schema"] == DIALECT
    settings = json.loads((here / "mine" / ".vscode" / "settings.json").read_text("utf-8"))
    assert all((here / "mine" / file).is_file() for file in settings["yaml.schemas"])
    assert "output/" in (here / "mine" / ".gitignore").read_text("utf-8")


@pytest.mark.parametrize("kind", RULED)
def test_a_kind_is_played_and_proved(playproof: Call, here: Path, kind: str) -> None:
    playproof("new", "mine", "--kind", kind)
    assert playproof("simulate", "mine", "--games", "5", "--check").status == 0
    verdicts = claims(playproof, "mine")
    assert len(verdicts) >= 3
    assert set(verdicts.values()) == {"PROVEN"}


@pytest.mark.parametrize("name", list_names_of_cookbook_games())
def test_a_game_of_the_cookbook(playproof: Call, here: Path, name: str) -> None:
    """From `new --from`: short, without a finding, played, proved, and one mutant tried."""
    assert playproof("new", "mine", "--from", name).status == 0
    written = [path.read_text("utf-8").splitlines() for path in (COOKBOOK / name).glob("*.*")]
    assert sum(map(len, written)) < MOST_LINES
    assert playproof("lint", "mine").out == "no errors in mine\n"
    assert playproof("simulate", "mine", "--games", "3", "--check").status == 0
    verdicts = claims(playproof, "mine")
    assert len(verdicts) >= 2
    assert set(verdicts.values()) == {"PROVEN"}
    assert "rules: 1 changes" in playproof("prove", "mutate", "mine", "--number", "1", "--workers", "1").out


def test_the_chance_of_the_dice_pool_is_that_of_a_formula() -> None:
    """A die that may be rolled three times succeeds once in 27/19; three of four are wanted."""
    die = 1 - Fraction(2, 3) ** 3
    chance = sum(comb(4, n) * die**n * (1 - die) ** (4 - n) for n in (3, 4))
    written = yaml.safe_load((COOKBOOK / "dice_pool" / "claims.yaml").read_text("utf-8"))
    assert Fraction(written["claims"]["chance"]["expect"]) == chance


def test_each_seat_sees_the_hands_of_the_others() -> None:
    """`Sees.OTHERS`, and any set of seats."""
    from playproof.language import Game, RulesError, Sees
    from playproof.language.options import Options
    from playproof.language.registry import build
    from playproof.referee.view import get_flags_of_cells_seat_may_see

    game = build(str(COOKBOOK / "everyone_but_you"), Options())
    [hand] = [field for field in game.fields if field.name == "hand"]
    for seat in range(3):
        mask = get_flags_of_cells_seat_may_see(game, seat)[hand.offset : hand.offset + hand.size]
        assert mask == tuple(owner != seat for owner in range(3))
    own = Game("seats", players=3)
    own.integer("note", 0, 3, sees=[0, 2])
    own.integer("all", 0, 3, sees={0, 1, 2})
    assert [field.sees for field in own.fields[2:]] == [frozenset({0, 2}), Sees.ALL]
    assert [own.fields[2].make_mask_of_cells_seen_by_seat(seat, 3) for seat in range(3)] == [[True], [False], [True]]
    for wrong in ([3], "02", 1):
        with pytest.raises(RulesError, match="PP304"):
            own.integer("wrong", 0, 3, sees=wrong)  # type: ignore[arg-type]


def test_the_workflow_shows_what_a_pull_request_changes(
    playproof: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its steps, typed in their order where a card has changed and a claim is refuted by that: the card's faces before
    and now, its words, and the claims whose answer is another."""
    playproof("new", "mine")
    game, bin_, summary = here / "mine", here / "bin", here / "summary.md"
    bin_.mkdir()
    (bin_ / "playproof").write_text(f'#!/bin/sh\nexec {sys.executable} -m playproof "$@"\n', "utf-8")
    (bin_ / "playproof").chmod(0o755)
    for name, value in (
        ("PATH", f"{bin_}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"),
        ("PYTHONPATH", str(Path(cli.__file__).parents[2])),
        ("GITHUB_STEP_SUMMARY", str(summary)),
        ("BASE", "main"),
        ("TMPDIR", str(here)),
    ):
        monkeypatch.setenv(name, value)

    def run(script: str) -> int:
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        done = subprocess.run(bash, cwd=game, check=False, capture_output=True, text=True)
        print(done.stdout, done.stderr)
        return done.returncode

    author = "git config user.email a@example.org && git config user.name A"
    assert run(f"git init -q -b main . && {author} && git add . && git commit -qm old && git checkout -qb new") == 0
    cards = (game / "paths.yaml").read_text("utf-8")
    (game / "paths.yaml").write_text(
        cards.replace("{coin: 2}}, {lose: {light: 1}}", "{coin: 3}}, {lose: {light: 1}}"), "utf-8"
    )
    assert run("git commit -qam new") == 0

    workflow = yaml.safe_load((game / ".github/workflows/playproof.yml").read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert list(workflow["jobs"]) == ["game"]
    assert "permissions" not in workflow["jobs"]["game"]
    scripts = [step["run"] for step in workflow["jobs"]["game"]["steps"] if "run" in step]
    assert [script.split("\n")[0][:18] for script in scripts] == [
        'pip install "${PLA', "playproof lint .", "playproof build . ", "playproof prove . ", 'before="$(mktemp -',
    ]  # fmt: skip
    assert [run(script) for script in scripts[1:5]] == [0, 0, 1, 0]
    assert list((game / "output").rglob("*.pdf"))
    pictures = game / "output" / "pictures"
    shown = sorted(path.relative_to(pictures).as_posix() for path in pictures.rglob("*.png"))
    faces = [f"mine/png/en/02.{side}.png" for side in ("back", "front")]
    assert shown == [f"{when}/{face}" for when in ("after", "before") for face in faces]
    page = (pictures / "index.html").read_text("utf-8")
    assert all(f"src='{face}'" in page for face in shown)
    assert "* 02 A Purse in the Grass; effect reads" in summary.read_text("utf-8")
    assert "* richest: ('PROVEN', 6) before, ('REFUTED', 7) now" in summary.read_text("utf-8")


COMMIT = "0" * 40


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (
            {"url": "https://git.example/playproof", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            f"git+https://git.example/playproof@{COMMIT}",
        ),
        ({"url": "file:///home/ann/playproof", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, ""),
        ({"url": "file:///home/ann/playproof", "dir_info": {"editable": True}}, ""),
        ({"url": "file:///tmp/playproof-7.1-py3-none-any.whl", "archive_info": {}}, ""),
        (None, "playproof==7.1"),
    ],
)
def test_the_workflow_installs_what_is_installed_here(
    playproof: Call, here: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None, requirement: str
) -> None:
    """What another machine cannot get is left open, and the workflow's first step says where to write it."""
    folder = here / "packages" / "playproof-7.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: playproof\nVersion: 7.1\n", "utf-8")
    if origin is not None:
        (folder / "direct_url.json").write_text(json.dumps(origin), "utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    playproof("new", "mine", "--from", "draft")
    workflow = yaml.safe_load((here / "mine/.github/workflows/playproof.yml").read_text("utf-8"))
    assert workflow["env"] == {"PLAYPROOF": requirement}
    install = workflow["jobs"]["game"]["steps"][2]["run"].replace("pip install", "echo", 1)
    done = subprocess.run(["bash", "-c", install], env=workflow["env"], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == requirement
    assert (done.returncode == 0) == bool(requirement)
    assert requirement or "write in .github/workflows/playproof.yml what pip installs" in done.stderr


@pytest.mark.parametrize("name", sorted(build_json_schemas_by_yaml_file_kind()))
def test_a_schema_accepts_what_new_writes(name: str) -> None:
    """Each accepts the files that `new` writes, by their own keys."""
    schema = build_json_schemas_by_yaml_file_kind()[name]
    assert schema["$schema"] == DIALECT
    template = TEMPLATE / f"{name}.yaml"
    if template.is_file():
        assert yaml.safe_load(template.read_text("utf-8")).keys() <= schema["properties"].keys()
