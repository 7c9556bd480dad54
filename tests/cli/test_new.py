"""new: what it writes is a whole game."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[..., Any]


def test_a_new_game_lints_plays_and_simulates(playproof: Call, tmp_path: Path) -> None:
    made = playproof("new", "lamp_walk", "--in", tmp_path)
    folder = tmp_path / "lamp_walk"
    assert made.status == 0
    assert str(folder) in made.out
    assert playproof("lint", folder).status == 0
    assert "Lamp Walk | player" in playproof("play", folder, stdin="walk on\n").out
    facts = json.loads(playproof("simulate", folder, "--games", "300", "--json").out)
    assert set(facts["endings"]) == {"lost in the dark", "home with enough"}
    kinder = json.loads(playproof("simulate", folder, "--games", "300", "--ruling", "A1=glow", "--json").out)
    assert kinder["seats"][0]["wins"] > facts["seats"][0]["wins"]


def test_the_files_as_json(playproof: Call, tmp_path: Path) -> None:
    facts = json.loads(playproof("new", "lamp_walk", "--in", tmp_path, "--json").out)
    assert facts["folder"] == str(tmp_path / "lamp_walk")
    assert all(Path(file).is_file() for file in facts["files"])
    assert len(facts["files"]) == 7


def test_nothing_is_overwritten(playproof: Call, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    answer = playproof("new", "there", "--in", tmp_path)
    assert answer.status == 2
    assert "PP807" in answer.err
    assert list((tmp_path / "there").iterdir()) == []


def test_a_name_is_a_name(playproof: Call, tmp_path: Path) -> None:
    for name in ("Two Words", "../up", "ähm", "9lives"):
        assert playproof("new", name, "--in", tmp_path).status == 2
    assert list(tmp_path.iterdir()) == []
