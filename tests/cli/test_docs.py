"""The reference of the command line is the program's own help; printers are measured as the how-to page says.

The blocks of the how-to pages are typed from the wheel (tests/test_wheel.py).
"""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from playproof.cli.main import (
    COMPANIONS,
    OLD,
    VERBS,
    iter_full_names_of_all_commands,
    load_command_with_help_and_completion,
)

Call = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference" / "cli.md"


def reference() -> str:
    """docs/reference/cli.md as it should be: its own introduction, then each verb in short."""
    introduction, _, rest = REFERENCE.read_text(encoding="utf-8").partition("## Options of many commands\n")
    common = re.findall(r"`(--\w+)", rest.strip().split("\n\n")[0])
    parts = [
        introduction.rstrip(),
        "",
        "## Options of many commands",
        "",
        *rest.strip().split("\n\n")[0].splitlines(),
        "",
    ]
    for name in iter_full_names_of_all_commands():
        for words, command in below(name, load_command_with_help_and_completion(name)):
            options = [option for option in options_of(command) if option.opts[0] not in common]
            listed = ", ".join(f"`{option.opts[0]}`" for option in options)
            parts += [f"{'#' * (words.count(' ') + 2)} {words}", "", about(command), ""]
            parts += [f"Options: {listed}.", ""] if listed else []
    return "\n".join(parts)


def below(words: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, by their words."""
    yield words, command
    for word, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from below(f"{words} {word}", inner)


def options_of(command: click.Command) -> list[click.Option]:
    return [p for p in command.params if isinstance(p, click.Option) and not p.hidden]


def about(command: click.Command) -> str:
    """The first paragraph of a command's help, and its example that shows most."""
    examples, _, text = (command.help or "").removeprefix("\b\n").partition("\n\n")
    said = " ".join(text.partition("\n\n")[0].split())
    lines = [line.strip().removeprefix("$ ") for line in examples.splitlines()]
    return f"{said} For example `{max(lines, key=lambda line: (not line.endswith('--json'), len(line)))}`."


def test_the_reference_is_the_programs_own_help(request: pytest.FixtureRequest) -> None:
    text = reference()
    if request.config.getoption("--renew"):
        REFERENCE.write_text(text, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == text, "run `make renew` and read the difference"


def commands(file: Path) -> list[list[str]]:
    """The playproof commands in the shell blocks of a page."""
    blocks = re.findall(r"```sh\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for text in blocks for line in text.splitlines() if line.startswith("playproof ")]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_the_commands_of_the_readme_exist(playproof: Call) -> None:
    """Each verb that README.md shows is a verb, and each option is one of its options."""
    shown_commands = commands(ROOT / "README.md")
    assert len(shown_commands) > 10
    for verb, *words in shown_commands:
        assert verb in VERBS
        behind = words[:1] if words and words[0] in COMPANIONS.get(verb, {}) else []
        help_text = playproof(verb, *behind, "--help").out
        options = [word for word in words if word.startswith("--")]
        assert not [option for option in options if not re.search(rf"{option}\b", help_text)]


def pages() -> list[Path]:
    """What people read today: no record of a decision, which is as it was."""
    found = [path for path in DOCS.rglob("*.md") if "decisions" not in path.parts]
    return [ROOT / "README.md", ROOT / "Makefile", *found]


def test_no_page_types_an_old_spelling(request: pytest.FixtureRequest) -> None:
    typed = re.compile(rf"(?<=playproof )({'|'.join(OLD)})(?![\w.:=-])")
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if request.config.getoption("--renew"):
            text = typed.sub(lambda match: OLD[match[1]], text)
            page.write_text(text, encoding="utf-8")
        assert not typed.findall(text), f"{page}: run `pytest tests/cli/test_docs.py --renew`"


def test_the_make_targets_of_the_readme_exist() -> None:
    shown_targets = re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert shown_targets == ["demo", "test"]
    assert not [target for target in shown_targets if f"\n{target}:" not in makefile]


def test_make_quick_runs_tests_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    listed = re.findall(r"^QUICK := (.*)$", makefile, re.MULTILINE)[0].split()
    assert len(listed) > 20
    assert len(set(listed)) == len(listed)
    assert not [name for name in listed if not (ROOT / name).is_file()]


def test_the_calibration_commands_of_the_howto_run(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = [words for words in commands(DOCS / "howto" / "print.md") if words[:2] == ["build", "calibrate"]]
    assert len(found) == 2
    for words in found:
        assert playproof(*words).status == 0
    assert (tmp_path / "output" / "calibration-A4-portrait-long.pdf").exists()
    assert "right: 0.6, down: -0.4" in (tmp_path / ".playproof" / "printer.yaml").read_text(encoding="utf-8")
    wrong = playproof("build", "calibrate", "--right", "60")
    assert (wrong.status, "PP546" in wrong.err) == (2, True)
