"""What people met who made their first game: each was a crash, a false message or one message many times."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game
from tests.cli.conftest import change

Call = Callable[..., Any]
PRODUCTS = """\
products:
  cards: {title: {en: Cards}, kinds: [path], sheet: bleed}
  box: {title: {en: Box}, kinds: [path], box: box, sheet: fronts}
  rulebook: {title: {en: Rulebook}, book: rulebook}
  credits: {title: {en: Credits}, book: credits}
"""
ERRATUM = """\
version: "0.2"
date: "2026-01-02"
note: The well was too deep.
changes:
  - {component: "03", path: title, from: The Old Well, to: The Older Well}
"""


@pytest.mark.parametrize("booklet", [None, "book: true\nsize: a6\nfront: {elements: []}\n"], ids=["none", "no styles"])
def test_booklets_and_boxes_need_no_layout(playproof: Call, game: Path, booklet: str | None) -> None:
    (game / "layouts" / "build.yaml").write_text(PRODUCTS, encoding="utf-8")
    if booklet:
        (game / "layouts" / "pages.yaml").write_text(booklet, encoding="utf-8")
    built = playproof("build", "lamp_walk", "--paper", "A4")
    assert built.status == 0, built.err
    assert built.err.splitlines()[0] == "playproof: building lamp_walk ..."
    assert all(line.startswith("playproof: building lamp_walk") for line in built.err.splitlines())  # on a busy machine
    for name in ("rulebook-en.pdf", "credits-en.pdf", "A4/box-en.pdf"):
        assert (game.parent / "output" / "lamp_walk" / "print" / name).stat().st_size > 1000


def test_a_box_takes_its_size_from_the_cards(playproof: Call, game: Path) -> None:
    (game / "layouts" / "build.yaml").write_text(PRODUCTS, encoding="utf-8")
    (game / "layouts" / "box.yaml").write_text("net: tuckbox\nfront: {elements: []}\n", encoding="utf-8")
    assert playproof("build", "lamp_walk", "--paper", "A4", "--product", "box").status == 0


def test_a_mistake_of_a_layout_is_told_once(playproof: Call, game: Path) -> None:
    change(game / "layouts" / "path.yaml", '"{title}"', '"{titel}"')
    refused = playproof("build", "lamp_walk", "--paper", "A4")
    assert refused.status == 2
    assert refused.err.count("titel") == 1
    assert "path 01 and 5 more: there is no field 'titel' here" in refused.err


def test_a_call_with_too_few_values_says_what_it_takes(playproof: Call, game: Path) -> None:
    change(game / "layouts" / "path.yaml", "join(effects, ', ')", "term(effects)")
    refused = playproof("build", "lamp_walk", "--paper", "A4")
    assert "`term` takes (group, name), found 1 value" in refused.err


def test_an_unread_file_makes_no_erratum_wrong(game: Path) -> None:
    (game / "errata").mkdir()
    (game / "errata" / "0.2.yaml").write_text(ERRATUM, encoding="utf-8")
    assert str(load_game(game).components["03"].name) == "The Older Well"
    change(game / "paths.yaml", '"02": {', '"02: {')
    with pytest.raises(InputError) as caught:
        load_game(game)
    assert {finding.code for finding in caught.value.findings} == {"PP104"}


def test_a_design_of_ones_own_says_so(game: Path) -> None:
    assert str(load_game(game).components["01"].source) == "mine"


def test_evidence_and_transcripts_work_from_another_folder(
    playproof: Call, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playproof("prove", "lamp_walk", "--claim", "winnable")
    proof = game.parent / "output" / "lamp_walk" / "evidence" / "winnable.json"
    record = game.parent / "record.txt"
    playproof("play", "lamp_walk", "--keep", record, stdin="walk on\ngo home\n")
    elsewhere = game.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    checked = playproof("check", "--game", game, proof)
    assert checked.status == 0
    assert "PROVEN" in checked.out
    assert "--game FOLDER" in playproof("log", "judge", record).out
    judged = playproof("log", "judge", "--game", game, record)
    assert judged.status == 0
    assert judged.out.startswith("accepted")


@pytest.mark.parametrize(
    ("line", "place", "said"),
    [
        ("from playproof import Game, requier", "1:29", '`playproof` has no `requier` (did you mean "require"?)'),
        ("from playproof import draw", "1:23", '`playproof` has no `draw` (did you mean "tie"?)'),
        ("from playproof.language import Gme", "1:32", 'has no `Gme` (did you mean "Game"?)'),
        ("import playprof", "1:1", "No module named 'playprof' (did you mean \"playproof\"?)"),
    ],
)
def test_a_misspelt_import_names_the_nearest_word(
    playproof: Call, game: Path, line: str, place: str, said: str
) -> None:
    (game / "rules.py").write_text(f"{line}\n", encoding="utf-8")
    refused = playproof("play", "lamp_walk")
    assert (refused.status, f"rules.py:{place}: PP808" in refused.err) == (2, True), refused.err
    assert said in refused.err


@pytest.mark.parametrize("word", ["Game", "require"])
def test_a_missing_import_names_the_line_to_write(playproof: Call, game: Path, word: str) -> None:
    change(game / "rules.py", f"    {word},\n", "")
    refused = playproof("play", "lamp_walk")
    assert refused.status == 2
    assert f"name '{word}' is not defined (write `from playproof import {word}`)" in refused.err
    assert "labels" not in refused.err


def test_a_misspelt_game_is_refused_before_anything_is_proved(playproof: Call, game: Path) -> None:
    refused = playproof("prove", "lamp_walk", "winnable")
    assert (refused.status, refused.out) == (2, "")
    assert 'PP201 there is no game "winnable"' in refused.err


def test_credits_without_people_have_no_empty_heading(playproof: Call, game: Path) -> None:
    (game / "layouts" / "build.yaml").write_text(PRODUCTS, encoding="utf-8")
    playproof("build", "lamp_walk", "--paper", "A4", "--product", "credits")
    with pdfium.PdfDocument(game.parent / "output" / "lamp_walk" / "print" / "credits-en.pdf") as pdf:
        text = "".join(page.get_textpage().get_text_range() for page in pdf)
    assert "Icons and pictures" in text
    assert "People" not in text


def test_a_mistake_while_watching_is_told_once_and_the_next_save_is_built(playproof: Call, game: Path) -> None:
    """A YAML error is that error alone: it used to bring false findings of the errata with it."""
    change(game / "paths.yaml", '"02": {', '"02: {')
    refused = playproof("build", "lamp_walk", "--paper", "A4")
    assert (refused.status, "PP104" in refused.err, "PP40" in refused.err) == (2, True, False)
    change(game / "paths.yaml", '"02: {', '"02": {')
    assert playproof("build", "lamp_walk", "--paper", "A4").status == 0


def test_a_layout_that_cannot_be_read_is_named_where_it_lies(playproof: Call, game: Path) -> None:
    change(game / "layouts" / "path.yaml", "size: poker", "size: pocker")
    assert "lamp_walk/layouts/path.yaml:4" in playproof("build", "lamp_walk", "--paper", "A4").err


def test_whoever_waits_for_the_first_compile_hears_why(tmp_path: Path) -> None:
    """At a terminal, once; the second time the code is there. A script reads results alone."""
    command = [sys.executable, "-m", "playproof.cli.main", "simulate", "tic_tac_toe", "--games", "1000"]
    environment = {**os.environ, "PLAYPROOF_CACHE": str(tmp_path)}
    first, second = (_at_a_terminal(command, environment) for _ in range(2))
    assert first.count("playproof: compiling the rules; the code is kept in ") == 1
    assert "compiling" not in second
    (tmp_path / "other").mkdir()
    quiet = subprocess.run(
        command,
        env={**environment, "PLAYPROOF_CACHE": str(tmp_path / "other")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "compiling" not in quiet.stdout + quiet.stderr


def _at_a_terminal(command: list[str], environment: dict[str, str]) -> str:
    """What a command writes on the error stream, where that is a terminal."""
    ours, its = pty.openpty()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=its) as running:
        os.close(its)
        said = b""
        with suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                said += part
        assert running.wait() == 0
    os.close(ours)
    return said.decode()
