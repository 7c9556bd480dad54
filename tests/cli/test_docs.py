"""The reference of the command line is the program's own help; printers are measured as the how-to page says.

The blocks of the how-to pages are typed from the wheel (tests/test_wheel.py).
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from playproof.cli.main import VERBS, cli

Call = Callable[..., Any]
HOUSE = Path(__file__).resolve().parents[2]
DOCS = HOUSE / "docs"
REFERENCE = DOCS / "reference" / "cli.md"


OFTEN = 5
"""Options that so many commands have, in the same words, are described once."""


def reference() -> str:
    """docs/reference/cli.md as it should be: its own introduction, then each verb in short."""
    introduction = REFERENCE.read_text(encoding="utf-8").split(COMMON, 1)[0]
    entries = {words: command for verb in VERBS for words, command in below(verb, command_of(verb))}
    counted = Counter(sentence(option) for command in entries.values() for option in options_of(command))
    common = {said for said, count in counted.items() if count >= OFTEN}
    parts = [introduction + COMMON, *sorted(common), ""]
    for words, command in entries.items():
        own = [said for option in options_of(command) if (said := sentence(option)) not in common]
        shared = [option.opts[0] for option in options_of(command) if sentence(option) in common]
        parts += [f"{'#' * (words.count(' ') + 2)} {words}", "", *about(command), *own]
        parts += [f"* also {', '.join(f'`{name}`' for name in shared)}"] if shared else []
        parts += [""]
    return "\n".join(parts)


COMMON = "## Options of many commands\n"


def command_of(verb: str) -> click.Command:
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    return command


def below(words: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, by their words."""
    yield words, command
    for word, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from below(f"{words} {word}", inner)


def options_of(command: click.Command) -> list[click.Option]:
    return [p for p in command.params if isinstance(p, click.Option) and not p.hidden]


def sentence(option: click.Option) -> str:
    """An option, the first sentence of its help, and its default."""
    record = option.get_help_record(click.Context(cli))
    assert record is not None
    names, text = record
    default = re.search(r"\[(?:[^][]*; )?(default: [^];]*)", text)
    first = re.split(r"(?<=[^.][.])\s", (option.help or "").partition("[default")[0].strip(), maxsplit=1)[0]
    return f"* `{names}`: {first}" + (f" ({default[1]})" if default else "")


def about(command: click.Command) -> list[str]:
    """The two examples of a command and the first paragraph of its help."""
    examples, _, text = (command.help or "").removeprefix("\b\n").partition("\n\n")
    lines = [line.strip() for line in examples.splitlines()]
    said = " ".join(text.partition("\n\n")[0].split())
    return ["```text", *lines, "```", "", said, ""]


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
    shown_commands = commands(HOUSE / "README.md")
    assert len(shown_commands) > 10
    for verb, *words in shown_commands:
        assert verb in VERBS
        help_text = playproof(verb, "--help").out
        options = [word for word in words if word.startswith("--")]
        assert not [option for option in options if not re.search(rf"{option}\b", help_text)]


def test_the_make_targets_of_the_readme_exist() -> None:
    shown_targets = re.findall(
        r"^make (\w+)", (HOUSE / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    makefile = (HOUSE / "Makefile").read_text(encoding="utf-8")
    assert shown_targets == ["demo", "test"]
    assert not [target for target in shown_targets if f"\n{target}:" not in makefile]


def test_make_quick_runs_tests_that_exist() -> None:
    makefile = (HOUSE / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    listed = re.findall(r"^QUICK := (.*)$", makefile, re.MULTILINE)[0].split()
    assert len(listed) > 20
    assert len(set(listed)) == len(listed)
    assert not [name for name in listed if not (HOUSE / name).is_file()]


def test_the_calibration_commands_of_the_howto_run(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = [words for words in commands(DOCS / "howto" / "print.md") if words[0] == "calibrate"]
    assert len(found) == 2
    for words in found:
        assert playproof(*words).status == 0
    assert (tmp_path / "output" / "calibration-A4-portrait-long.pdf").exists()
    assert "right: 0.6, down: -0.4" in (tmp_path / ".playproof" / "printer.yaml").read_text(encoding="utf-8")
    wrong = playproof("calibrate", "--right", "60")
    assert (wrong.status, "PP546" in wrong.err) == (2, True)
