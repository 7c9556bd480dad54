"""Where a changed value of a YAML file shows: in print, on the table, in the rules, or in what is
refused.

A value that shows nowhere is redundant or unused. It should be removed, be read, or be listed in
`unseen.yaml` with a reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.source import read_yaml_file
from playproof.mutation.sampling import iter_child_results_as_they_finish
from tests.audit.audited_values import AuditedValue
from tests.audit.unchanged_game import BROKE, NOWHERE, REASONS, Shown, Whole

if TYPE_CHECKING:
    from playproof.generator.book import RecordedGamePlayer

TOGETHER, LIMIT = 20, 900.0
"""Values that one process asks of, and seconds after which it is ended."""


def reasons(path: Path = REASONS) -> list[tuple[str, str]]:
    """Return patterns of values that need not show, with the reason for each."""
    return [
        (str(item.entries["values"].node.value), str(item.entries["why"].node.value))
        for item in read_yaml_file(path).items
    ]


def reason_for(value: AuditedValue, known: Sequence[tuple[str, str]]) -> str:
    """Return why the value need not show, or "" if no pattern matches."""
    return next((why for pattern, why in known if fnmatchcase(value.name, pattern)), "")


def where_shown(
    ref: str,
    values: Sequence[AuditedValue],
    plays: Callable[[], RecordedGamePlayer] | None = None,
    *,
    workers: int = 1,
    log: Path | None = None,
    said: Callable[[str], None] | None = None,
) -> list[Shown]:
    """Return where each of the values shows. With a `log`, a stopped run continues, as long as the
    game's files and the code that reads them are unchanged."""
    whole, by_key = Whole(ref, plays), {value.key: value for value in values}
    kept = Kept(log, whole.state) if log is not None else None
    known = dict(kept.known) if kept is not None else {}
    todo = [value for value in values if value.key not in known]
    if workers > 1 and len(todo) > TOGETHER:
        whole.start(todo)
    for some in _asked(whole, todo, workers):
        for key, where, how in some:
            known[key] = where, how
            if kept is not None:
                kept.add(key, where, how)
        if said is not None:
            said(f"{len(known)} of {len(values)} values")
    found = [Shown(by_key[key], *known[key]) for key in by_key]
    books = whole.in_books([one.value for one in found if one.where == NOWHERE])
    return [replace(one, where="book") if one.value.key in books else one for one in found]


def _asked(whole: Whole, values: Sequence[AuditedValue], workers: int) -> Iterator[list[tuple[str, str, str]]]:
    """Yield (key, where, how) for the values, in batches; each batch runs in its own process."""
    listed = reasons()

    def one(value: AuditedValue) -> tuple[str, str, str]:
        why = reason_for(value, listed)
        shown = whole.shows(value, thorough=not why)
        if shown.where == NOWHERE and why:
            return value.key, "listed", why
        return value.key, shown.where, shown.how

    if workers == 1 or len(values) <= TOGETHER:
        yield from ([one(value)] for value in values)
        return
    parts = {str(at): values[at : at + TOGETHER] for at in range(0, len(values), TOGETHER)}
    yield from iter_child_results_as_they_finish(
        parts,
        lambda at: [one(value) for value in parts[at]],
        workers,
        LIMIT,
        lambda at, why: [(value.key, BROKE, why) for value in parts[at]],
    )


class Kept:
    """Where values show, one JSON line each, for one state of the game's files."""

    def __init__(self, path: Path, state: str) -> None:
        self.path = path
        self.known: dict[str, tuple[str, str]] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for line in lines[1:] if lines[:1] == [state] else ():
            try:
                key, where, how = json.loads(line)
            except ValueError:  # the last line of a run that was killed
                continue
            self.known[key] = where, how
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join([f"{state}\n", *(f"{json.dumps([k, *v])}\n" for k, v in self.known.items())]), encoding="utf-8"
        )

    def add(self, key: str, where: str, how: str) -> None:
        """Record where one value shows."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps([key, where, how])}\n")


def said_of(values: Sequence[Shown]) -> list[str]:
    """Return the report for people: where values show, and which show nowhere."""
    if not values:
        return []
    states = Counter(one.where for one in values)
    head = f"values: {len(values)} changed: {', '.join(f'{n} {state}' for state, n in states.most_common())}"
    ordered = sorted(values, key=lambda one: (one.value.file, one.value.line, one.value.column))
    return [
        head,
        *(f"  {one.value.key}: shows nowhere" for one in ordered if one.where == NOWHERE),
        *(f"  {one.value.key}: not refused, {one.how}" for one in ordered if one.where == BROKE),
    ]
