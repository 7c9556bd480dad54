"""Every `--json` is one document: `ok`, `findings`, and what the command has to say."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest

from playproof.cli.main import iter_full_names_of_all_commands, load_command_with_help_and_completion

Call = Callable[..., Any]
TARGET = "change: {A1: all}\nwant: {wins of player: [0, 90]}\n"
SHEET = "Name,Power,Text\nFox,3,Looks at the top card of any deck.\nOwl,2,\n"
CALLS = {
    "new": ("new other --sheet deck.csv", "files", 0),
    "sheet export": ("sheet export lamp_walk sheets", "files", 0),
    "sheet import": ("sheet import lamp_walk sheets --check", "changed", 0),
    "sheet fetch": ("sheet fetch lamp_walk", "files", 0),
    "sheet ids": ("sheet ids lamp_walk", "ids", 0),
    "lint": ("lint lamp_walk", "", 0),
    "build": ("build lamp_walk --paper A4", "files", 0),
    "build preflight": ("build preflight output/lamp_walk/print/A4/path-en.pdf", "", 0),
    "play": ("play lamp_walk", "steps", 0),
    "log judge": ("log judge game.txt --game lamp_walk", "", 0),
    "prove": ("prove lamp_walk --claim winnable", "claims", 0),
    "check": ("check output/lamp_walk/evidence/winnable.json", "checked", 0),
    "prove depends": ("prove depends lamp_walk --claim winnable", "choices", 0),
    "prove whatif": ("prove whatif lamp_walk --claim winnable", "", 2),
    "prove ledger": ("prove ledger lamp_walk", "tables", 0),
    "prove automaton": ("prove automaton lamp_walk --rules 1", "card", 0),
    "prove mutate": ("prove mutate lamp_walk --number 1 --workers 1", "rules", 0),
    "simulate": ("simulate lamp_walk --games 20", "endings", 0),
    "report": ("report lamp_walk --games 40 --pairs 10 --ladder none", "games", 0),
    "compare": ("compare lamp_walk lamp_walk:A1=glow --games 20", "comparisons", 0),
    "compare tune": ("compare tune lamp_walk --target target.yaml --games 200 --tries 1", "meeting", 0),
    "log query": ("log query run", "views", 0),
    "log merge": ("log merge both run", "games", 0),
    "errata": ("errata lamp_walk --no-proof --paper A4", "changes", 0),
    "errata card": ("errata card lamp_walk 03", "texts", 0),
    "export archive": ("export archive lamp_walk", "digest", 0),
    "export unpack": ("export unpack lamp_walk.zip --in unpacked", "folder", 0),
    "docs icons": ("docs icons sword", "icons", 0),
}
ERRATUM = (
    "version: '1.1'\ndate: '2026-11-20'\nnote: A name.\nchanges:\n"
    "  - {component: '01', path: title, from: The Garden Gate, to: The Old Gate}\n"
)


def has_json(command: click.Command) -> bool:
    return any("--json" in option.opts for option in command.params)


def json_commands() -> set[str]:
    """The words of each command that has --json."""
    found = {name: load_command_with_help_and_completion(name) for name in iter_full_names_of_all_commands()}
    inner = {
        f"{name} {word}": each
        for name, command in found.items()
        if isinstance(command, click.Group)
        for word, each in command.commands.items()
    }
    return {name for name, command in (found | inner).items() if has_json(command)}


def test_every_json_is_one_document_of_one_form(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CALLS.keys() == json_commands()
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    (tmp_path / "deck.csv").write_text(SHEET, encoding="utf-8")
    (tmp_path / "target.yaml").write_text(TARGET, encoding="utf-8")
    playproof("play", "lamp_walk", "--keep", "game.txt", stdin="walk on\n")
    has_lab = find_spec("duckdb") is not None
    if has_lab:
        playproof("simulate", "lamp_walk", "--games", "10", "--out", "run")
    for name, (call, part, status) in CALLS.items():
        if name.startswith(("log query", "log merge")) and not has_lab:
            continue
        if name == "errata":
            (tmp_path / "lamp_walk" / "errata").mkdir()
            (tmp_path / "lamp_walk" / "errata" / "1.1.yaml").write_text(ERRATUM, encoding="utf-8")
        answer = playproof(*call.split(), "--json")
        assert answer.status == status, (name, answer)
        document = json.loads(answer.out)
        assert list(document)[:2] == ["ok", "findings"], name
        assert document["ok"] is (status == 0), name
        assert all({"code", "where", "message"} <= finding.keys() for finding in document["findings"]), name
        assert not part or part in document, (name, list(document))
        assert call.startswith(name)


@pytest.mark.parametrize(
    ("call", "status", "code"),
    [
        ("lint nowhere", 2, "PP201"),
        ("prove lamp_walk --claim nothing", 2, ""),
        ("build", 2, "PP801"),
        ("docs icons qqqq", 1, ""),
        ("log judge nowhere.txt", 2, "PP604"),
    ],
)
def test_a_refusal_is_the_same_document(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, status: int, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    answer = playproof(*call.split(), "--json")
    document = json.loads(answer.out)
    assert (answer.status, document["ok"]) == (status, False)
    assert not code or document["findings"][0]["code"] == code


def test_warnings_of_a_build_are_findings(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deck.csv").write_text("Name,Art\nFox,fox.png\nOwl,owl.png\n", encoding="utf-8")
    playproof("new", "deck", "--sheet", "deck.csv")
    document = json.loads(playproof("build", "deck", "--paper", "A4", "--json").out)
    assert document["ok"]
    assert [finding["code"] for finding in document["findings"]] == ["PP506", "PP506"]


def test_a_fault_of_playproof_is_in_the_document(playproof: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.generator.art.icons.IconLibrary.__iter__", lambda _: 1 / 0)
    answer = playproof("docs", "icons", "--json")
    document = json.loads(answer.out)
    assert (answer.status, document["ok"], document["findings"][0]["code"]) == (3, False, "PP720")
