"""The blocks of a page as a reader types them: one after the other, in one folder that is empty at first.

A comment directly above a block says what a reader does with it. It is not shown on the site.

    <!-- file: careful.py -->      save the block in this file, below what is there already
    <!-- type: mark 4; quit -->    type these lines while the command runs
    <!-- prints -->                the block shows what the command before it prints
    <!-- shows: careful.py -->     the block shows lines that follow one another in this file
    <!-- not run: REASON -->       the test cannot run it

Without a comment a `sh` or `python` block is run, a `text` block is only read, and any other block is a mistake.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<kind>[^\n{]*)\n(?P<text>.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """One block of a page: its language, its text, the line it begins in, and the comment above it."""

    kind: str
    text: str
    line: int
    note: str = ""

    def told(self, word: str) -> str | None:
        """What the comment says behind a word such as `file`; None where it says nothing of it."""
        found = re.fullmatch(rf"{word}(?:: (.*))?", self.note)
        return found and (found[1] or "")


def blocks(page: Path) -> list[Block]:
    """All code blocks of a Markdown page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("kind")) + 1
        found.append(Block(match["kind"].strip(), match["text"], line, match["note"] or ""))
    return found


def type_all(page: Path, folder: Path, environment: Mapping[str, str]) -> str:
    """Do what the page says, in an empty folder; all that was printed. The first block that fails ends it."""
    printed = ""
    everything = []
    for block in blocks(page):
        place = f"{page.name}:{block.line}"
        if block.told("not run") is not None:
            continue
        if (file := block.told("file")) is not None:
            _save(block, folder / file)
        elif block.told("prints") is not None:
            _compare(block, printed, place)
        elif (file := block.told("shows")) is not None:
            _compare_file(block, folder / file, place)
        elif block.kind in ("sh", "python"):
            printed = _run(block, folder, environment, place)
            everything.append(printed)
        else:
            assert block.kind == "text", f"{place}: a `{block.kind}` block that is neither saved, compared nor run"
    return "".join(everything)


def _save(block: Block, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as open_file:
        open_file.write(block.text)


def _compare_file(block: Block, file: Path, place: str) -> None:
    """The lines that the page shows stand in the file, one after the other; how far they are indented is free."""
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    shown = [line.strip() for line in block.text.splitlines()]
    found = any(lines[start : start + len(shown)] == shown for start in range(len(lines)))
    assert found, f"{place}: {file.name} does not hold these lines"


def _compare(block: Block, printed: str, place: str) -> None:
    """Every line that the page shows was printed; `...` stands for anything."""
    for line in block.text.splitlines():
        wanted = ".*".join(map(re.escape, line.strip().split("...")))
        assert re.search(wanted, printed), f"{place}: `{line}` was not printed, but:\n{printed}"


def _run(block: Block, folder: Path, environment: Mapping[str, str], place: str) -> str:
    words = ["python", "-c", block.text] if block.kind == "python" else ["sh", "-e", "-c", block.text]
    typed = "".join(f"{line.strip()}\n" for line in (block.told("type") or "").split(";"))
    done = subprocess.run(words, cwd=folder, env=environment, input=typed, capture_output=True, text=True, check=False)
    wanted = int(block.told("exit status") or 0)
    assert done.returncode == wanted, f"{place}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
