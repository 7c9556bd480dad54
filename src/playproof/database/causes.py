"""Findings put together by cause, for people: a thousand cards that do not fit one box are one thing to mend.

    for line in lines_by_cause(error.findings): print(line)

Two findings have one cause if they have one code and their messages and hints differ only in numbers, in quoted
words and in places of cells. The place of a layout's element counts: another element is another thing to mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from playproof.database.errors import Finding, SheetName, Where

APART = 3  # findings of one cause are shown one by one up to this many
NAMED = 6  # further places that a line names

_CELL = re.compile(r"\S+, row \d+(, column [A-Z]+)?")
_ELEMENT = re.compile(r"\S+\.ya?ml:\d+(:\d+)?")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'|`[^`]*`|“[^”]*”")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_SUBJECT = re.compile(r"^[\w./-]+(?= of \d|:)")  # the card that a message begins with

CauseKey = tuple[str, str, str, str, str]


def group_by_cause(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return the findings in groups of one cause, groups and members in their order."""
    groups: dict[CauseKey, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(get_cause(finding), []).append(finding)
    return list(groups.values())


def get_cause(finding: Finding) -> CauseKey:
    """Return what findings of one cause have in common: code, severity, file, and the words of message and hint
    without what belongs to a single card.

    >>> there = Where("cards.yaml", 3)
    >>> get_cause(Finding("PP204", there, "2 lines")) == get_cause(Finding("PP204", there, "7 lines"))
    True
    """
    message = _SUBJECT.sub("", finding.message)
    file = str(finding.where.file)
    return finding.code, finding.severity, file, _remove_details(message), _remove_details(finding.hint)


def _remove_details(text: str) -> str:
    """Return a text with its numbers, quoted words and cells left out, and the places of elements left in."""
    kept = [match.group() for match in _ELEMENT.finditer(text)]
    plain = _ELEMENT.sub("@", text)
    for pattern in (_CELL, _QUOTED, _NUMBER):
        plain = pattern.sub("#", plain)
    return " ".join([plain, *kept])


def iter_lines_by_cause(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield a line for each finding; of many with one cause, the first as it is and a line that counts the others
    and names some of their places. A last line says that this was done."""
    is_shortened = False
    for group in group_by_cause(findings):
        if len(group) <= APART:
            yield from map(str, group)
            continue
        is_shortened = True
        first, *others = group
        yield str(first)
        yield _format_line_of_others(first, others)
    if is_shortened:
        yield "playproof: what has one cause is put together; --json lists each"


def _format_line_of_others(first: Finding, others: Sequence[Finding]) -> str:
    named = "; ".join(_format_place_beside(first.where, first.message, finding) for finding in others[:NAMED])
    left = len(others) - NAMED
    more = f"; and {left} more" if left > 0 else ""
    return f"    and {len(others)} more of this cause: {named}{more}"


def _find_distinguishing_words(first: str, message: str) -> list[str]:
    """Return the first quoted word of a message that another of its cause does not have, such as a picture's name."""
    others = set(_QUOTED.findall(first))
    return [match for match in map(re.Match.group, _QUOTED.finditer(message)) if match not in others][:1]


def _format_place_beside(first: Where, message: str, finding: Finding) -> str:
    """Return the place of a finding, without its file if it is that of the first, and what the finding is about.
    ``message`` is that of the first."""
    where = finding.where
    names = [*finding.about[:1], *_find_distinguishing_words(message, finding.message)]
    about = f" ({', '.join(names)})" if names else ""
    if where.file != first.file or not where.line:
        return f"{where}{about}"
    return f"{'row' if isinstance(where.file, SheetName) else 'line'} {where.line}{about}"
