"""The reference of the command line is the program's own help; printers are measured as the how-to page says.

The blocks of the how-to pages are typed from the wheel (tests/test_wheel.py).
"""

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
