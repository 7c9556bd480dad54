"""The tutorial, done as a reader does it: the blocks typed one after the other in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial-rules.md"


def test_tutorial_works_as_typed(tmp_path: Path) -> None:
    blocks = re.findall(r"```(python|sh)\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    first_command = next(n for n, (kind, _) in enumerate(blocks) if kind == "sh")
    (tmp_path / "noughts").mkdir()
    typed = "\n".join(text for _, text in blocks[:first_command])
    (tmp_path / "noughts" / "rules.py").write_text(typed, encoding="utf-8")
    printed = "".join(_done(kind, text, tmp_path) for kind, text in blocks[first_command:])
    assert "mark 4" in printed
    assert re.search(r"^5478\n0\.0$", printed, re.MULTILINE)


def _done(kind: str, text: str, folder: Path) -> str:
    """What one block prints. The player of a command marks the middle and leaves."""
    words = ["-c", text] if kind == "python" else ["-m", "playproof", *shlex.split(text)[1:]]
    done = subprocess.run([sys.executable, *words], cwd=folder, env={**os.environ, "PLAYPROOF_MACHINE": "0"},
                          input="mark 4\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
