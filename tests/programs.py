"""Programs outside Python that some tests ask, and what becomes of a test that is skipped.

`@pytest.mark.needs("qpdf")` skips a test where the program is missing. With CI=true a skip is a failure.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping

import pytest

# Program -> Debian package. .ci/run installs the packages: it reads this table.
PACKAGES = {
    "caddy": "caddy",
    "chromium": "chromium",
    "g++": "g++",
    "gs": "ghostscript",
    "nginx": "nginx-light",
    "pdffonts": "poppler-utils",
    "qpdf": "qpdf",
    "systemd-analyze": "systemd",
}


MISSING = re.compile(r"(\S+) is missing: apt-get install (\S+)")


def leave_out_walks(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make walks` alone asks: it is no skip, which would be a failure in CI."""
    left = [i for i in items if any(m.args[0] not in os.environ for m in i.iter_markers("walks"))]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose program is missing."""
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            if shutil.which(program) is None:
                pytest.skip(f"{program} is missing: apt-get install {PACKAGES[program]}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what was skipped and how to get it."""
    reasons = _reasons(terminalreporter)
    if reasons:
        terminalreporter.write_line(say_skipped(reasons))


def say_skipped(reasons: Mapping[str, int]) -> str:
    """Return one line for the tests that were skipped: programs outside Python with the one command that installs them,
    and every other reason with its number of tests."""
    programs = {found for reason in reasons if (found := MISSING.fullmatch(reason))}
    parts = [f"{count} x {reason}" for reason, count in sorted(reasons.items()) if not MISSING.fullmatch(reason)]
    if programs:
        count = sum(reasons[found[0]] for found in programs)
        names = ", ".join(sorted(found[1] for found in programs))
        packages = " ".join(sorted({found[2] for found in programs}))
        parts.insert(0, f"{count} for want of {names} (apt-get install {packages})")
    return f"Skipped: {'; '.join(parts)}"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skip is a failure: nothing that guards the product may be left out unseen."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and isinstance(reporter, pytest.TerminalReporter) and _reasons(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _reasons(reporter: pytest.TerminalReporter) -> dict[str, int]:
    counts: dict[str, int] = {}
    for report in reporter.stats.get("skipped", []):
        _, _, reason = report.longrepr
        reason = reason.removeprefix("Skipped: ")
        counts[reason] = counts.get(reason, 0) + 1
    return counts
