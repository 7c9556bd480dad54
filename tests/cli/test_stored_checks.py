"""What earlier runs of `errata` found is taken again only where all that it rests on is the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.database.errors import Finding, SheetName, Where
from playproof.database.game import load_game
from playproof.errata.stored_checks import StoredChecks, findings_from_json, findings_to_json_or_none

FINDINGS = [
    Finding("PP231", Where(Path("game.yaml"), 3, 5), "one too many", "count them", "warning", ("01", "02")),
    Finding("PP404", Where("errata", 1, 1), "none"),
]


@pytest.fixture
def asked(playproof: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Asks for findings of a new game, and returns how often something had to be looked for."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    times = list[int]()

    def find() -> list[Finding]:
        times.append(1)
        return FINDINGS

    def ask(check: str = "lint", versions: tuple[bool | str, ...] = (False, "1.1"), *, fresh: bool = False) -> int:
        stored = StoredChecks("lamp_walk", versions, load_game("lamp_walk"), fresh=fresh)
        assert (
            stored.start_check_or_recall_result(check, find, 1, findings_to_json_or_none, findings_from_json)()
            == FINDINGS
        )
        return len(times)

    return ask


def test_the_same_files_are_looked_at_once(asked: Callable[..., int]) -> None:
    assert [asked(), asked(), asked(fresh=True), asked()] == [1, 1, 2, 2]


def test_another_check_or_version_is_looked_at(asked: Callable[..., int]) -> None:
    assert [asked(), asked("books"), asked(versions=(False, "1.2")), asked("books")] == [1, 2, 3, 3]


@pytest.mark.parametrize("name", ["rules.py", "claims.yaml", "layouts/new.yaml", "rulebook/new.md"])
def test_a_file_that_changed_is_looked_at(asked: Callable[..., int], name: str) -> None:
    assert asked() == 1
    file = Path("lamp_walk") / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes((file.read_bytes() if file.exists() else b"") + b"\n")
    if name == "layouts/new.yaml":
        file.write_text("layouts: {}\n", "utf-8")
    assert [asked(), asked()] == [2, 2]


def test_what_cannot_be_read_is_looked_for_again(asked: Callable[..., int], tmp_path: Path) -> None:
    assert asked() == 1
    for file in (tmp_path / "cache" / "answers").iterdir():
        file.write_text('[["PP231"]]', "utf-8")
    assert asked() == 2


def test_a_place_in_a_spreadsheet_is_not_stored() -> None:
    assert findings_to_json_or_none([Finding("PP231", Where(SheetName("cards.csv"), 3, 5), "one too many")]) is None
    assert findings_from_json(findings_to_json_or_none(FINDINGS)) == FINDINGS
