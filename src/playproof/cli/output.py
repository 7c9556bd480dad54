"""What a command prints: JSON in one form for all commands if `--json` is given, and error messages in
words on the error stream.

    {"ok": true, "findings": [], "files": [...]}

`ok` is true if the exit status is 0. A command hands over its part, and `cli/main.py` prints the whole when the command
has ended: what goes wrong after that, such as a full disk, is in the same document."""

from __future__ import annotations

import json
import os
import sysconfig
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playproof.database.installation import PACKAGE

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.language import RulesError


# -- documents -----------------------------------------------------------------------------------------------
# What `--json` prints, in one form for all commands: `ok`, `findings`, and what the command has to say.


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


def add_command_result_to_json_document(command_json: Mapping[str, Any], findings: Iterable[Finding] = ()) -> None:
    """Hand over what a command has to say. `findings` of the part itself, as JSON, are findings of the whole."""
    own = dict(command_json)
    _running.findings += own.pop("findings", [])
    _running.part |= own
    _running.is_wanted = True
    add_findings_to_json_document(findings)


def add_findings_to_json_document(findings: Iterable[Finding]) -> None:
    """Add findings to the document of the running command, if it prints one in the end."""
    add_unique_json_findings_to_document(finding.as_json() for finding in findings)


def add_unique_json_findings_to_document(findings: Iterable[Mapping[str, Any]]) -> None:
    """Add findings that are JSON already; each stands in the document once."""
    _running.findings += [finding for finding in findings if finding not in _running.findings]


def mark_json_document_interrupted() -> None:
    """Say in the document, if one is printed, that Ctrl-C ended the command before it had more to say."""
    _running.part["interrupted"] = True


def print_json_document_if_any(exit_status: int, *, json_requested: bool) -> None:
    """Print the document of a command that has ended, if it has one, or if one is asked for and the command failed."""
    if _running.is_wanted or (json_requested and exit_status):
        print_json({"ok": exit_status == 0, "findings": _running.findings, **_running.part})


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


# -- failures ------------------------------------------------------------------------------------------------
# Error messages in words on the error stream, or as JSON if `--json` is given.

WRONG_INPUT = 2
INTERNAL = 3
FAULT = "PP720"
INTERRUPTED = 130
"""The exit status after Ctrl-C, as a shell gives it: 128 and the signal's number."""
LARGE = {"z3": "z3-solver", "llvmlite": "llvmlite", "numpy": "numpy"}
"""Half of an installation, by what is imported: whoever only prints may remove them."""
_CIRCLE = "Symlink loop from "
OURS = (PACKAGE, (PACKAGE / "generator").resolve().parent)  # in a checkout, a link to a folder at its top


def report_error_and_choose_exit_status(error: Exception) -> int:
    """Say what is wrong on the error stream and in the command's document, and return the exit status."""
    findings = json_findings_of_user_error_or_none(error)
    if findings is None:
        fault = f"a fault of playproof itself: {type(error).__name__}: {error}"
        add_unique_json_findings_to_document([_make_json_error_finding(FAULT, fault)])
        click.echo(f"playproof: a fault of playproof itself: {type(error).__name__}: {error}", err=True)
        if os.environ.get("PLAYPROOF_TRACEBACK"):
            traceback.print_exception(error)
        else:
            click.echo("set PLAYPROOF_TRACEBACK=1 to see where", err=True)
        return INTERNAL
    add_unique_json_findings_to_document(findings)
    from playproof.database.errors import InputError, iter_report_lines_shortened_by_cause

    if isinstance(error, InputError):
        for line in iter_report_lines_shortened_by_cause(error.findings):
            click.echo(line, err=True)
        if error.advice:
            click.echo(f"playproof: {error.advice}", err=True)
        return WRONG_INPUT
    for finding in findings:
        place = f"{finding['where']}: " if finding["where"] else "playproof: "
        hint = f" ({finding['hint']})" if finding["hint"] else ""
        kind = "warning: " if finding["severity"] == "warning" else ""
        click.echo(f"{place}{finding['code']} {kind}{finding['message']}{hint}", err=True)
    return WRONG_INPUT


def json_findings_of_user_error_or_none(error: Exception) -> list[dict[str, str]] | None:
    """Return the findings that describe an error; None if the error is not the user's."""
    from playproof.database.errors import InputError

    if isinstance(error, InputError):
        return [f.as_json() for f in error.findings]
    if isinstance(error, click.UsageError):
        hint = f"see `{error.ctx.command_path} --help`" if error.ctx else ""
        return [_make_json_error_finding("PP801", error.format_message(), hint)]
    if isinstance(error, ModuleNotFoundError) and error.name in LARGE:
        return [
            _make_json_error_finding(
                "PP801", f"this command needs {LARGE[error.name]}", f"pip install {LARGE[error.name]}"
            )
        ]
    if isinstance(error, click.ClickException):
        return [_make_json_error_finding("PP801", error.format_message())]
    return _json_findings_of_game_error_or_none(error)


def _json_findings_of_game_error_or_none(error: Exception) -> list[dict[str, str]] | None:
    """Return the findings for unknown games, options and bots, and for faulty rules; None for
    other errors."""
    from playproof.language import RulesError
    from playproof.language.options import OptionError
    from playproof.language.registry import UnknownGame
    from playproof.referee.bots import BotError
    from playproof.referee.cluster import WorkerMismatchError
    from playproof.referee.worlds import CannotResample

    if isinstance(error, RulesError):
        return [finding.as_json() for finding in findings_from_rules_error(error)]
    codes: dict[type[Exception], str] = {
        UnknownGame: "PP802",
        OptionError: "PP803",
        BotError: "PP804",
        CannotResample: "PP805",
        WorkerMismatchError: "PP809",
    }
    for kind, code in codes.items():
        if isinstance(error, kind):
            return [_make_json_error_finding(code, str(error.args[0]) if error.args else str(error))]
    if isinstance(error, RuntimeError) and str(error).startswith(_CIRCLE):  # as Python before 3.13 calls it
        place = str(error).removeprefix(_CIRCLE).strip("'")
        return [_make_json_error_finding("PP806", "this link leads in a circle", place=place)]
    if isinstance(error, OSError) and error.filename:
        return [_make_json_error_finding("PP806", f"{error.strerror}", place=str(error.filename))]
    place = _format_user_file_and_line_or_empty(error)
    return (
        [_make_json_error_finding("PP808", f"{type(error).__name__}: {error}", "a mistake in the rules", place)]
        if place
        else None
    )


def findings_from_rules_error(error: RulesError) -> list[Finding]:
    """Return the findings of all errors that were found together in the rules."""
    from playproof.database.errors import Finding, Where, make_path_relative_to_working_folder

    return [
        Finding(
            fault.code,
            Where(make_path_relative_to_working_folder(Path(fault.place.file)), fault.place.line, fault.place.column),
            fault.message,
            fault.hint,
        )
        for fault in error.all
    ]


def _format_user_file_and_line_or_empty(error: Exception) -> str:
    """Return the place in the user's rules that raised an error; "" if it was raised elsewhere."""
    if isinstance(error, SyntaxError) and error.filename:
        return "" if _is_file_of_installation_or_missing(error.filename) else f"{error.filename}:{error.lineno}"
    from playproof.database.errors import get_file_and_line_that_raised

    file, line = get_file_and_line_that_raised(error) or ("", 0)
    return f"{file}:{line}" if file and not _is_file_of_installation_or_missing(file) else ""


def _is_file_of_installation_or_missing(file: str) -> bool:
    """Return whether a file belongs to Playproof, to Python, or to a library."""
    path = Path(file).resolve()
    roots = (*OURS, *map(Path, sysconfig.get_paths().values()))
    return not path.exists() or any(path.is_relative_to(root) for root in roots)


def _make_json_error_finding(code: str, message: str, hint: str = "", place: str = "") -> dict[str, str]:
    return {"code": code, "where": place, "message": message, "hint": hint, "severity": "error"}
