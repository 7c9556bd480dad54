"""Every command of the program, on an archive whose Python writes a file: none runs it, and none writes into what it
keeps of the archive."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from playproof.archives.contents import build_game_archive
from playproof.cli.main import VERBS, iter_full_names_of_all_commands, load_command_with_help_and_completion
from playproof.language.archive import build_reproducible_archive_bytes, extract_archive_to_cache_folder
from playproof.language.registry import load_rules_module
from playproof.referee.match import Match
from playproof.referee.transcript import save
from playproof.referee.variant import Variant
from playproof.table.sessions import ServerState

Call = Callable[..., Any]
NAME = "lamp_walk"
ARCHIVE = "there/lamp_walk.zip"
NEEDS_MORE = "PP811"
# Each command with its words, and what its one line holds where an archive, or this game, does not suffice. They
# share a folder, and some read what others have written.
TRIED: tuple[tuple[str, str], ...] = (
    (f"build {ARCHIVE} --paper A4 --out out", ""),
    ("build calibrate --help", ""),
    (f"compare {ARCHIVE} {ARCHIVE}:A1=glow --games 20", ""),
    (f"compare {ARCHIVE} {ARCHIVE}:erratum=none --games 20", ""),
    (f"errata card {ARCHIVE} 01", ""),
    (f"prove automaton {ARCHIVE} price", "PP804"),
    (f"prove depends {ARCHIVE} --claim price --out out", ""),
    ("demo --help", ""),
    ("docs --help", ""),
    (f"errata {ARCHIVE}", NEEDS_MORE),
    ("docs icons --help", ""),
    (f"export jani {ARCHIVE} --out out", ""),
    (f"log judge recorded.txt --game {ARCHIVE}", ""),
    (f"prove ledger {ARCHIVE}", ""),
    (f"lint {ARCHIVE}", ""),
    (f"prove mutate {ARCHIVE} --number 1 --workers 1", ""),
    (f"prove mutate {ARCHIVE} --number 0 --cards 1", NEEDS_MORE),
    (f"new {ARCHIVE}", "PP801"),
    (f"export archive {ARCHIVE}", NEEDS_MORE),
    (f"play {ARCHIVE}", ""),
    (f"export pddl {ARCHIVE} --out out", "PP721"),
    ("build preflight out/lamp_walk/print/A4/path-en.pdf", ""),
    (f"prove {ARCHIVE} --claim price --claim free --out out", ""),
    (f"check out/{NAME}/evidence/price.json --game {ARCHIVE}", ""),
    (f"check {ARCHIVE}", NEEDS_MORE),
    (f"log replay recorded.txt --game {ARCHIVE} --out page.html", "table.yaml"),
    (f"report {ARCHIVE} --games 40 --out out", ""),
    (f"serve {ARCHIVE}", ""),
    (f"sheet export {ARCHIVE} sheets", ""),
    (f"sheet fetch {ARCHIVE}", NEEDS_MORE),
    (f"sheet ids {ARCHIVE}", ""),
    (f"sheet import {ARCHIVE} sheets", NEEDS_MORE),
    (f"simulate {ARCHIVE} --games 20 --out run", ""),
    ("log query run --list", "PP801"),
    ("log merge both run run", "PP82"),
    (f"compare tune {ARCHIVE} --target target.yaml --out out", NEEDS_MORE),
    (f"export unpack {ARCHIVE} --in unpacked", ""),
    (f"prove whatif {ARCHIVE} --claim price", NEEDS_MORE),
    (f"workshop {ARCHIVE}", NEEDS_MORE),
)


def commands() -> Iterator[str]:
    """The names of all commands, with those behind a verb and in a group."""
    for name in iter_full_names_of_all_commands():
        command = load_command_with_help_and_completion(name)
        if isinstance(command, click.Group):
            yield from (f"{name} {word}" for word in command.commands)
        else:
            yield name


def test_every_command_is_tried() -> None:
    assert set(VERBS) - {"log", "export"} <= set(commands()) | {"sheet"}
    lacking = [name for name in commands() if not any(words.startswith(f"{name} ") for words, _ in TRIED)]
    assert lacking == [], "add them to TRIED, with an archive if they take a game"


def fingerprint(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_command_runs_or_changes_what_an_archive_brings(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert playproof("new", NAME).status == 0
    ran = tmp_path / "it ran"
    trap = f"open({str(ran)!r}, 'a').close()\n".encode()
    files = dict(build_game_archive(NAME).files)
    files["rules.py"] = trap + files["rules.py"]
    for path in ("__init__.py", "conftest.py", "sitecustomize.py", "errata/__init__.py", "layouts/plays.py"):
        files[path] = trap
    Path("there").mkdir()
    Path(ARCHIVE).write_bytes(build_reproducible_archive_bytes(NAME, files))
    save(Match(Variant(NAME), 4), tmp_path / "recorded.txt")
    Path("target.yaml").write_text("change: {A1: all}\nwant: {ties: [0, 5]}\n", encoding="utf-8")
    folder = extract_archive_to_cache_folder(ARCHIVE)
    before = fingerprint(Path(folder))
    assert not [path for path in before if path.endswith(".py")]

    def serve(games: tuple[str, ...], *_: Any, **__: Any) -> None:
        assert games == (folder,)
        ServerState(games, None).get_cached_printed_variant(Variant(folder))

    monkeypatch.setattr("playproof.table.server.serve_tables_until_interrupted", serve)
    for words, code in TRIED:
        answer = playproof(*words.split(), stdin="walk on\n")
        assert not ran.exists(), words
        assert fingerprint(Path(folder)) == before, words
        assert answer.status in ((2,) if code else (0, 1)), (words, answer)
        assert folder not in answer.out + answer.err, f"`{words}` names the folder of the cache"
        if code:
            assert (code in answer.err, len(answer.err.splitlines())) == (True, 1), (words, answer)
    named = [str(path) for path in tmp_path.rglob("report/*") if folder.encode() in path.read_bytes()]
    assert named == [], "a report names the archive that was asked of"
    tallies = [playproof("simulate", game, "--games", 60, "--json").out for game in (ARCHIVE, NAME)]
    assert len({str(json.loads(tally)["endings"]) for tally in tallies}) == 1
    assert not ran.exists()
    sys.modules.pop(f"playproof_game_{NAME}", None)
    load_rules_module(str(tmp_path / "unpacked" / NAME))
    assert ran.exists(), "the trap is set"
