"""The table of rules. Each rule is a small function with a code, a sentence, and its source.

A rule yields a `Problem` for each fault. The runner merges problems with the same text on several
pages, so that one cause is one finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

from playproof.database.errors import Finding, Severity, Where
from playproof.generator.vendor_profiles import Profile

Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault that a rule found: the page (from 1; None for the whole file), what was expected, and
    what was found."""

    page: int | None
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Rule(Generic[Subject]):
    """One rule of preflight. `applies` decides for which profiles it holds; `check` finds the
    faults."""

    code: str
    title: str
    source: str
    applies: Callable[[Profile], bool]
    check: Callable[[Subject, Profile], Iterator[Problem]]
    severity: Severity = "error"


class RuleTable(Generic[Subject]):
    """The rules by code, in the order of their registration."""

    def __init__(self) -> None:
        self.rules: dict[str, Rule[Subject]] = {}

    def register_function_as_rule(
        self, code: str, title: str, source: str, applies: Callable[[Profile], bool], severity: Severity = "error"
    ) -> Callable[[Callable[[Subject, Profile], Iterator[Problem]]], Callable[[Subject, Profile], Iterator[Problem]]]:
        """Register the decorated function as the rule `code`."""

        def register(
            check: Callable[[Subject, Profile], Iterator[Problem]],
        ) -> Callable[[Subject, Profile], Iterator[Problem]]:
            assert code not in self.rules, f"two rules {code}"
            self.rules[code] = Rule(code, title, source, applies, check, severity)
            return check

        return register

    def list_findings_of_applicable_rules(self, subject: Subject, profile: Profile, where: Where) -> list[Finding]:
        """Return the findings of all rules that apply to the profile."""
        return [
            finding
            for rule in self.rules.values()
            if rule.applies(profile)
            for finding in _merge_equal_problems_over_pages(
                rule.code, rule.severity, rule.check(subject, profile), where
            )
        ]


def _merge_equal_problems_over_pages(
    code: str, severity: Severity, problems: Iterator[Problem], where: Where
) -> Iterator[Finding]:
    by_text: dict[tuple[str, str], list[int]] = {}
    for problem in problems:
        pages = by_text.setdefault((problem.message, problem.hint), [])
        if problem.page is not None and problem.page not in pages:
            pages.append(problem.page)
    for (message, hint), pages in by_text.items():
        place = Where(where.file, min(pages, default=1), 1)  # a page counts as a line
        prefix = f"{_format_page_numbers(sorted(pages))}: " if pages else ""
        yield Finding(code, place, prefix + message, hint, severity)


def _format_page_numbers(pages: list[int]) -> str:
    """Write page numbers as people do.

    >>> _format_page_numbers([1, 2, 3, 7])
    'pages 1-3, 7'
    """
    runs = []
    for _, group in groupby(enumerate(pages), key=lambda pair: pair[1] - pair[0]):
        run = [page for _, page in group]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ("page " if len(pages) == 1 else "pages ") + ", ".join(runs)
