"""The reference of the command line is the program's own help; printers are measured as the how-to page says.

The blocks of the how-to pages are typed from the wheel (tests/test_wheel.py).
"""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from playproof.cli.main import COMPANIONS, OLD, VERBS, all_names, load_verb
from playproof.verifier.depends import choices_of
from playproof.verifier.prove import claims_of

Call = Callable[..., Any]
HOUSE = Path(__file__).resolve().parents[2]
DOCS = HOUSE / "docs"
REFERENCE = DOCS / "reference" / "cli.md"


def reference(playproof: Call) -> str:
    """docs/reference/cli.md as it should be: its own introduction, then the help of every verb."""
    introduction = REFERENCE.read_text(encoding="utf-8").split("```", 1)[0]
    parts = [introduction + block(playproof, [])]
    for name in all_names():
        level = "##" if name in VERBS else "###"
        parts += [f"{level} {name}\n", block(playproof, name.split())]
        command = load_verb(name)
        for word in command.commands if isinstance(command, click.Group) else ():
            parts += [f"### {name} {word}\n", block(playproof, [name, word])]
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
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_the_commands_of_the_readme_exist(playproof: Call) -> None:
    """Each verb that README.md shows is a verb, and each option is one of its options."""
    shown_commands = commands(HOUSE / "README.md")
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
    return [HOUSE / "README.md", HOUSE / "Makefile", *found]


def test_no_page_types_an_old_spelling(request: pytest.FixtureRequest) -> None:
    typed = re.compile(rf"(?<=playproof )({'|'.join(OLD)})(?![\w.:=-])")
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if request.config.getoption("--renew"):
            text = typed.sub(lambda match: OLD[match[1]], text)
            page.write_text(text, encoding="utf-8")
        assert not typed.findall(text), f"{page}: run `pytest tests/cli/test_docs.py --renew`"


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


def test_the_tables_of_choices_name_claims_and_choices_of_the_games() -> None:
    """They are copied from runs that take minutes, and claims are renamed."""
    page = (DOCS / "reference" / "choices.md").read_text(encoding="utf-8")
    tables = {
        title.split(",")[0].lower(): text
        for title, text in re.findall(r"^## (.*)\n((?s:.*?))(?=^## )", page, re.M)
    }
    assert set(tables) == {"eila", "eurydice", "olith", "opale"}
    for game, text in tables.items():
        claims = claims_of(game)
        rows = re.findall(r"^  ([a-z][\w-]+) {2,}", text, re.M)
        listed = re.findall(r"[\w-]+", " ".join(re.findall(r"^    (\S.*)$", text, re.M)))
        cells = re.findall(r"`([\w-]+)`", " ".join(re.findall(r"^\| .*", text, re.M)))
        assert len(rows) + len(cells) > 5
        assert not {*rows, *listed, *cells} - set(claims), game
        question = next(iter(claims.values()))
        choices = set(re.findall(r"^\|? ?(\w+=[\w-]+)", text, re.M))
        assert not choices - {choice.text for choice in choices_of(game, question)}, game


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
