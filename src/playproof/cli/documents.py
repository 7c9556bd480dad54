"""What `--json` prints, in one form for all commands: `ok`, `findings`, and what the command has to say.

    {"ok": true, "findings": [], "files": [...]}

`ok` is true if the exit status is 0. A command hands over its part, and `cli/main.py` prints the whole when the command
has ended: what goes wrong after that, such as a full disk, is in the same document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from playproof.database.errors import Finding


@dataclass
class _JsonDocument:
    """The document of the running command: its own part, and the findings in the order in which they came."""

    part: dict[str, Any] = field(default_factory=dict)
    findings: list[Mapping[str, Any]] = field(default_factory=list)
    is_wanted: bool = False


_running = _JsonDocument()


def reset_json_document() -> None:
    """Forget what an earlier command of this process left."""
    global _running
    _running = _JsonDocument()


def add_to_json_document(part: Mapping[str, Any], findings: Iterable[Finding] = ()) -> None:
    """Hand over what a command has to say. `findings` of the part itself, as JSON, are findings of the whole."""
    own = dict(part)
    _running.findings += own.pop("findings", [])
    _running.part |= own
    _running.is_wanted = True
    add_findings_to_json_document(findings)


def add_findings_to_json_document(findings: Iterable[Finding]) -> None:
    """Add findings to the document of the running command, if it prints one in the end."""
    add_json_findings(finding.as_json() for finding in findings)


def add_json_findings(findings: Iterable[Mapping[str, Any]]) -> None:
    """Add findings that are JSON already; each stands in the document once."""
    _running.findings += [finding for finding in findings if finding not in _running.findings]


def add_interruption() -> None:
    """Say in the document, if one is printed, that Ctrl-C ended the command before it had more to say."""
    _running.part["interrupted"] = True


def print_json_document(status: int, *, is_asked: bool) -> None:
    """Print the document of a command that has ended, if it has one, or if one is asked for and the command failed."""
    if _running.is_wanted or (is_asked and status):
        print_json({"ok": status == 0, "findings": _running.findings, **_running.part})


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON document on standard output."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
