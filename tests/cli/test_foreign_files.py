"""No command runs code that a data file names, and none waits for or reads more than a plain file of a limited size.

Each trap is a game in a folder whose rules write a file when they are run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.database.rulebook_text import read_rulebook_document
from playproof.database.source import read_file_or_its_override, read_limited_plain_file_or_raise
from playproof.generator.book.chapter_references import list_broken_references_in_document
from playproof.language.registry import UnknownGame
from playproof.referee import Match, Variant
from playproof.referee.recorded_games import RecordedGame, find_game_reference_of_record_or_raise
from playproof.referee.transcript import read_transcript_file_or_raise, write
from playproof.table.rulebook_games import RefereedGamePlayer
from playproof.table.sessions import ServerState

Call = Callable[..., Any]
RULES = """from pathlib import Path

Path({mark!r}).write_text("the rules were run")
from playproof.examples.tic_tac_toe import build
"""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """The folder of a game whose rules leave `ran` beside it when they are run."""
    return set_trap(tmp_path / "trap")


def set_trap(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text(RULES.format(mark=str(folder.parent / "ran")), encoding="utf-8")
    return folder


def sprung(folder: Path) -> bool:
    """Whether the trap's rules were run; sets it again."""
    mark = folder.parent / "ran"
    ran = mark.exists()
    mark.unlink(missing_ok=True)
    return ran


def recorded(file: Path, game: str) -> Path:
    file.write_text(f"playproof transcript 1\ngame: {game}\n\nmark 4\n", encoding="utf-8")
    return file


def paths_to(trap: Path) -> list[str]:
    """The ways in which a file may name the trap."""
    link = trap.parent / "link"
    link.symlink_to(trap)
    return [
        str(trap),
        os.path.relpath(trap),
        f"./{os.path.relpath(trap)}",
        str(link),
        "trap",
        "link",
        f"{trap}/",
        f"../{trap.parent.name}/trap",
    ]


@pytest.mark.parametrize(
    "command",
    ["judge FILE", "judge --check FILE", "replay FILE", "play tic_tac_toe --load FILE", "play nim --load FILE"],
)
def test_a_recorded_game_runs_no_rules_that_it_names(
    playproof: Call, trap: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap.parent)
    for number, path in enumerate(paths_to(trap)):
        file = recorded(trap.parent / f"{number}.txt", path)
        answer = playproof(*(word.replace("FILE", str(file)) for word in command.split()))
        assert not sprung(trap), path
        assert answer.status in (1, 2), path
        assert "Traceback" not in answer.out + answer.err


def test_a_folder_is_run_only_if_the_person_names_it(
    playproof: Call, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap.parent)
    for text in (str(trap), "elsewhere/trap", "C:\\games\\trap", "trap"):
        file = recorded(trap.parent / "game.txt", text)
        refused = playproof("log", "judge", file)
        assert (refused.status, sprung(trap)) == (1, False)
        assert "PP606" in refused.out
        assert "--game FOLDER" in refused.out
        named = playproof("log", "judge", "--game", trap, file)
        assert (named.status, "PP606" in named.out) == ((0, False) if text == "trap" else (1, True))
        assert sprung(trap) == (text == "trap")
    assert playproof("play", trap, "--load", file, stdin="quit\n").status == 0
    other = recorded(trap.parent / "other.txt", "doors")
    answer = playproof("log", "judge", "--game", trap, other)
    assert answer.status == 1
    assert f"the game in {trap} is called `trap`" in answer.out


def test_a_saved_game_names_no_path(trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trap)
    for ref in (str(trap), ".", "../trap"):
        assert "\ngame: trap\n" in write(Match(Variant(ref), 1))
    assert "\ngame: tic_tac_toe\n" in write(Match(Variant("tic_tac_toe"), 1))


def test_load_inside_a_sitting_runs_no_rules_that_the_file_names(playproof: Call, trap: Path) -> None:
    file = recorded(trap.parent / "game.txt", str(trap))
    answer = playproof("play", "tic_tac_toe", stdin=f"load {file}\nquit\n")
    assert not sprung(trap)
    assert "PP606" in answer.out


@pytest.mark.parametrize("command", ["play nim", "simulate nim --games 2", "judge FILE"])
def test_a_folder_called_like_an_example_is_not_run(
    playproof: Call, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = set_trap(tmp_path / "nim")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "game.txt"
    file.write_text("playproof transcript 1\ngame: nim\n", encoding="utf-8")
    answer = playproof(*(word.replace("FILE", str(file)) for word in command.split()), stdin="quit\n")
    assert (answer.status, sprung(trap)) == (0, False)
    playproof("simulate", "./nim", "--games", 2)
    assert sprung(trap)


def test_a_namesake_of_an_example_is_told(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_trap(tmp_path / "nim")
    monkeypatch.chdir(tmp_path)
    answer = playproof("simulate", "nim", "--games", 2)
    assert "for the folder here write ./nim" in answer.err
    (tmp_path / "nim" / "game.yaml").write_text("title: Trap\n", encoding="utf-8")
    answer = playproof("lint", "nim")
    assert answer.status == 2
    assert "PP202 the example `nim` has no cards" in answer.err


def test_a_server_runs_no_rules_that_a_kept_table_names(trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trap.parent)
    folder = trap.parent / "tables"
    first = ServerState([str(trap)], folder)
    ident = first.start_session_or_refuse(str(trap), {}, {}, ["person", "person"], 1).session.ident
    journal = folder / f"{ident}.table"
    assert json.loads(journal.read_text().splitlines()[0])["game"] == "trap"
    sprung(trap)
    for text in ("trap", str(trap), "./trap", "../x/trap"):
        begin, *rest = journal.read_text().splitlines()
        journal.write_text("\n".join([json.dumps({**json.loads(begin), "game": text}), *rest, ""]))
        server_state = ServerState(["tic_tac_toe"], folder)
        assert not sprung(trap), text
        assert not server_state.running_sessions
        assert "waits for its game" in server_state.complaints[0]
        assert server_state.find_or_restore_session(ident) is None
        assert len(server_state.complaints) == 1
        assert list(ServerState(["tic_tac_toe", str(trap)], folder).running_sessions) == (
            [ident] if text == "trap" else []
        )
        assert sprung(trap) == (text == "trap")


def test_a_kept_table_of_a_bundled_game_is_opened_in_any_case(tmp_path: Path) -> None:
    ident = ServerState(["nim"], tmp_path).start_session_or_refuse("nim", {}, {}, ["person", "person"], 1).session.ident
    assert list(ServerState(["tic_tac_toe"], tmp_path).running_sessions) == [ident]


@pytest.mark.parametrize("way", ["absolute", "upward", "link"])
def test_a_book_runs_no_rules_beside_a_transcript_elsewhere(playproof: Call, tmp_path: Path, way: str) -> None:
    playproof("new", "gates", "--in", tmp_path)
    game, trap = tmp_path / "gates", set_trap(tmp_path / "trap")
    (trap / "game.yaml").write_text("title: Trap\n", encoding="utf-8")
    recorded(trap / "1.txt", "trap")
    (game / "rulebook").mkdir()
    (game / "rulebook" / "near").symlink_to(trap)
    name = {"absolute": str(trap / "1.txt"), "upward": "../../trap/1.txt", "link": "near/1.txt"}[way]
    (game / "rulebook" / "1-how.md").write_text(f"# How to play\n\n:::{{scene}} {name}\n:::\n", encoding="utf-8")
    document = read_rulebook_document(game, "en")
    assert document is not None
    found = list_broken_references_in_document(
        load_game(game), document, (), RefereedGamePlayer().count_moves_or_raise_if_rejected
    )
    assert not sprung(trap)
    assert [f.code for f in found] == ["PP604"]
    assert "expected the file of a transcript below rulebook/" in found[0].message


# -- sizes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["log judge", "log replay", "play tic_tac_toe --load"])
def test_a_pipe_or_a_device_is_refused(playproof: Call, tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        answer = playproof(*command.split(), file)
        assert answer.status == 2, file
        assert "PP604" in answer.err or "PP801" in answer.err


def test_a_recorded_game_has_a_largest_size(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with file.open("wb") as made:
        made.truncate(3_000_000_000)  # takes no room on the disk
    with pytest.raises(InputError, match="PP604 cannot read this file: expected at most 16,000,000 bytes"):
        read_transcript_file_or_raise(file)


def test_every_reader_of_texts_refuses_what_is_no_plain_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="expected a plain file"):
            read_file_or_its_override(file)
    (tmp_path / "text").write_text("abc")
    assert read_limited_plain_file_or_raise(tmp_path / "text", 3) == b"abc"
    with pytest.raises(OSError, match="expected at most 2 bytes"):
        read_limited_plain_file_or_raise(tmp_path / "text", 2)


@pytest.mark.parametrize("text", ["/tmp/trap", "./nim", "a\\nim", "..", ".", "", "nim/"])
def test_only_a_name_finds_an_installed_game(text: str) -> None:
    with pytest.raises(UnknownGame):
        find_game_reference_of_record_or_raise(RecordedGame(text))


def test_a_pipe_among_the_files_of_a_game_keeps_nobody_waiting(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "gates", "--in", tmp_path)
    game = tmp_path / "gates"
    (game / "icons").mkdir(exist_ok=True)
    (game / "fonts").mkdir(exist_ok=True)
    for name in ("notes.txt", "fonts/pipe.ttf", "icons/pipe.svg"):
        os.mkfifo(game / name)
    assert playproof("build", game, "--out", tmp_path / "out").status in (0, 2)
    assert playproof("lint", game).status in (0, 1)
    os.mkfifo(game / "more.yaml")
    answer = playproof("lint", game)
    assert answer.status != 0
    assert "more.yaml:1:1: PP101 cannot read this file: expected a plain file" in answer.out + answer.err
