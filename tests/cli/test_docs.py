"""The reference of the command line is the program's own help; howto commands and transcripts are run."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.main import VERBS

Call = Callable[..., Any]
DOCS = Path(__file__).resolve().parents[2] / "docs"
REFERENCE = DOCS / "reference" / "cli.md"


def reference(playproof: Call) -> str:
    """docs/reference/cli.md as it should be: its own introduction, then the help of every verb."""
    introduction = REFERENCE.read_text(encoding="utf-8").split("```", 1)[0]
    parts = [introduction + block(playproof, [])]
    for verb in VERBS:
        parts += [f"## {verb}\n", block(playproof, [verb])]
    return "\n".join(parts)


def block(playproof: Call, words: list[str]) -> str:
    return "```\n" + playproof(*words, "--help").out.strip() + "\n```\n"


def test_the_reference_is_the_programs_own_help(playproof: Call, request: pytest.FixtureRequest) -> None:
    text = reference(playproof)
    if request.config.getoption("--renew"):
        REFERENCE.write_text(text, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == text, "run `make renew` and read the difference"


def commands(file: Path) -> list[list[str]]:
    """The playproof commands in the shell blocks of a page."""
    blocks = re.findall(r"```sh\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for text in blocks for line in text.splitlines() if line.startswith("playproof ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("page", ["playtest.md", "judge.md", "new-game.md", "mutate.md"])
def test_howto_commands_run(playproof: Call, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "howto" / "judge.md").read_text(encoding="utf-8")
    recorded = re.search(r"```\n(playproof transcript.*?)```", text, re.DOTALL)
    assert recorded is not None
    (tmp_path / "game.txt").write_text(recorded[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = commands(DOCS / "howto" / page)
    assert found
    for words in found:
        fewer = ["40" if word in ("100000", "400") else word for word in words]
        answer = playproof(*fewer)
        assert answer.status == 0, answer.err


def test_the_erratum_of_the_howto_is_one(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "howto" / "errata.md").read_text(encoding="utf-8")
    shown = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert shown is not None
    playproof("new", "lamp_walk", "--in", tmp_path)
    (tmp_path / "lamp_walk" / "errata").mkdir()
    (tmp_path / "lamp_walk" / "errata" / "1.1.yaml").write_text(shown[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = playproof("errata", "lamp_walk", "--no-proof")
    assert answer.status == 0, answer.err
    assert "The ferryman asked too much." in answer.out


def test_the_python_of_the_howto_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                                      tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "howto" / "python.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    for block_ in blocks:
        exec(compile(block_, "python.md", "exec"), {})
    assert "['bet', 'pass']" in capsys.readouterr().out


def test_the_calibration_commands_of_the_howto_run(playproof: Call, tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = [words for words in commands(DOCS / "howto" / "print.md") if words[0] == "calibrate"]
    assert len(found) == 2
    for words in found:
        assert playproof(*words).status == 0
    assert (tmp_path / "output" / "calibration-A4-portrait-long.pdf").exists()
    assert "right: 0.6, down: -0.4" in (tmp_path / ".playproof" / "printer.yaml").read_text(encoding="utf-8")
    wrong = playproof("calibrate", "--right", "60")
    assert (wrong.status, "PP546" in wrong.err) == (2, True)
