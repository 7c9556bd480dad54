"""Help that answers: two examples of each command, and what need not be typed."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from playproof.cli.main import (
    COMPANIONS,
    EXAMPLES,
    OLD,
    VERBS,
    cli,
    iter_full_names_of_all_commands,
    load_command_with_help_and_completion,
)
from playproof.cli.verbs.write import TEMPLATE

Call = Callable[..., Any]
FILES = (
    "cards.xlsx", "mygame.zip", "deck.pdf", "game.txt", "evidence.json", "target.yaml",
    "output/mygame/print/A4/path-en.pdf", "output/mygame/evidence/winnable.json",
)  # fmt: skip
FOLDERS = ("mygame", "sheets", "run", "part1", "part2", "part3")
CLAIMS = set(yaml.safe_load((TEMPLATE / "claims.yaml").read_text("utf-8"))["claims"])
WHOLE = click.Context(cli, **cli.context_settings)


@pytest.fixture
def shown_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples name."""
    monkeypatch.chdir(tmp_path)
    for name in FOLDERS:
        (tmp_path / name).mkdir()
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def all_commands() -> dict[str, click.Command]:
    """Every command by its words, those behind a verb and in groups included."""
    found = {name: load_command_with_help_and_completion(name) for name in iter_full_names_of_all_commands()}
    for verb, command in list(found.items()):
        inner = command.commands if isinstance(command, click.Group) else {}
        found |= {f"{verb} {word}": each for word, each in inner.items()}
    return found


def test_every_command_has_two_examples() -> None:
    assert EXAMPLES.keys() == all_commands().keys()
    for name, examples in EXAMPLES.items():
        assert len(set(examples)) == 2
        assert all(example.split(" ")[: name.count(" ") + 1] == name.split(" ") for example in examples)


@pytest.mark.parametrize("example", [example for pair in EXAMPLES.values() for example in pair])
def test_an_example_is_a_call_that_its_command_takes(example: str, shown_files: Path) -> None:
    verb, command, words = cli.resolve_command(WHOLE, shlex.split(example))
    assert command is not None
    if isinstance(command, click.Group):
        command, words = command.commands[words[0]], words[1:]
    given = command.make_context(verb, words, parent=WHOLE).params
    claims = given.get("claim") or (given.get("only") if verb != "build" else ()) or ()
    assert ({claims} if isinstance(claims, str) else set(claims)) <= CLAIMS


def test_help_begins_with_the_examples(playproof: Call) -> None:
    usage, _, first, second, _, text, *_ = playproof("lint", "--help").out.splitlines()
    assert usage.startswith("Usage: playproof lint")
    assert [first.strip(), second.strip()] == [f"$ playproof {each}" for each in EXAMPLES["lint"]]
    assert text.startswith("  Check")
    lines = playproof("errata", "card", "--help").out.splitlines()
    assert all(re.match(r"  \S|    \$|$", line) for line in lines[1 : lines.index("Options:")])
    assert "-h, --help" in lines[lines.index("Rare options:") - 2]
    assert load_command_with_help_and_completion("lint").get_short_help_str() == VERBS["lint"].help
    assert "$ playproof" not in playproof("sheet", "--help").out.partition("Commands:")[2]


def test_help_can_be_asked_for_as_a_verb(playproof: Call) -> None:
    assert playproof("help") == playproof("--help")
    assert playproof("help", "lint") == playproof("lint", "--help")
    assert playproof("help", "sheet", "export") == playproof("sheet", "export", "--help")
    assert "there is no command `limt`" in playproof("help", "limt").err
    assert playproof("-V") == playproof("--version")


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        ("lint", "lint ."),
        ("build --paper A4", "build . --paper A4"),
        ("errata card 01", "errata card . 01"),
        ("errata card eila 01", "errata card eila 01"),
        ("errata card eila", "errata card eila"),  # refused: no card is named
        ("prove automaton winnable", "prove automaton . winnable"),
        ("prove automaton eila", "prove automaton eila"),
        ("prove depends", "prove depends ."),
        ("sheet export cards.xlsx", "sheet export . cards.xlsx"),
        ("sheet ids", "sheet ids ."),
        ("compare --sweep players", "compare . --sweep players"),
        ("prove --all", "prove --all"),
        ("prove --claim winnable", "prove . --claim winnable"),
        ("serve", "serve ."),
        ("report ../mygame --chapter 1", "report ../mygame --chapter 1"),
        ("lint --nonsense", "lint --nonsense"),
        ("log judge game.txt", "log judge game.txt"),
    ],
)
def test_a_game_is_not_named_in_its_own_folder(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, meant: str
) -> None:
    monkeypatch.chdir(tmp_path)
    verb, _, words = cli.resolve_command(WHOLE, call.split())
    assert f"{verb} {' '.join(words)}".strip() == call  # nothing is here
    (tmp_path / "mygame").mkdir()
    (tmp_path / "mygame" / "game.yaml").touch()
    monkeypatch.chdir(tmp_path / "mygame")
    verb, _, words = cli.resolve_command(WHOLE, call.split())
    assert f"{verb} {' '.join(words)}" == meant


def test_commands_without_a_name_work_on_the_game_of_the_folder(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Missing argument" in playproof("lint").err
    playproof("new", "mygame")
    monkeypatch.chdir(tmp_path / "mygame")
    assert "no errors" in playproof("lint").out
    assert "The Old Well" in playproof("errata", "card", "03").out
    assert playproof("export", "archive").status == 0
    assert [path.name for path in Path().glob("*.zip")] == ["mygame.zip"]


@pytest.mark.parametrize("old", OLD)
def test_an_old_spelling_works_and_says_the_new_one(playproof: Call, old: str) -> None:
    new = OLD[old].split()
    now, then = playproof(*new, "--help"), playproof(old, "--help")
    said = f"playproof: `{old}` is now `{OLD[old]}`; the old spelling works in this release only\n"
    assert (then.status, then.out, then.err) == (0, now.out, said)
    assert now.err == ""


def test_the_list_of_verbs_is_short_and_each_names_what_stands_behind_it(playproof: Call) -> None:
    assert len(VERBS) <= 17
    for verb, inner in COMPANIONS.items():
        text = playproof(verb, "--help").out
        assert all(f"  {verb} {word}" in text for word in inner)
    refused = playproof("log", "jugde", "x.txt")
    assert 'there is no command `log jugde`; did you mean "log judge"?' in refused.err
    assert 'did you mean "prove mutate"?' in playproof("mutat").err
    assert playproof("export").status == 0


def test_completion_knows_verbs_and_what_stands_behind_them(tmp_path: Path) -> None:
    def complete(words: str) -> set[str]:
        environment = {
            **os.environ,
            "_PLAYPROOF_COMPLETE": "bash_complete",
            "COMP_WORDS": f"playproof {words}",
            "COMP_CWORD": str(len(f"playproof {words}".split(" ")) - 1),
        }
        code = "from playproof.cli.main import main; main([])"
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        return {line.partition(",")[2] for line in done.stdout.splitlines()}

    assert {"prove", "preflight"} & complete("pr") == {"prove"}
    assert complete("prove ") >= set(COMPANIONS["prove"])
    assert complete("log ju") == {"judge"}
    assert "--claim" in complete("prove eila --cl")
    assert "--pages" not in complete("prove depends --cl")


def test_a_file_of_another_type_is_wrong_input(playproof: Call, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello", encoding="utf-8")
    for words in (["check", file], ["build", "preflight", file], ["build", "preflight", tmp_path / "none.pdf"]):
        assert playproof(*words).status == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for another process")
def test_an_interrupted_command_leaves_with_130(tmp_path: Path) -> None:
    code = "from playproof.cli import main; import click, time\n"
    code += (
        "main.load_command_with_help_and_completion('docs').callback = lambda **_: (print('here', "
        "flush=True), time.sleep(60))\n"
    )
    words = [sys.executable, "-c", f"{code}main.main(['docs'])"]
    # A job in the background of a shell ignores Ctrl-C, and so would what it starts.
    hears = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hears
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "here\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert (process.stderr.read().strip(), process.wait()) == ("stopped", 130)


def test_a_command_inside_a_group_is_named_by_both_words(playproof: Call) -> None:
    assert "there is no command `archive`; did you mean `export archive`?" in playproof("archive", "x").err
