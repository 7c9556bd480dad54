"""What one run asks of the dear tests: a tenth, another one for each commit; `make walks` asks all of them.

`costs.tsv` holds what each test function costs in seconds of one worker, measured by a run with `--costs FILE`. A test
that is not in the table is asked in every run. Functions with many parameters spread them over the shares; the other
dear functions of a file stay together, because they share what they have set up.

`pytest` alone asks all. `pytest --share commit` asks the share of this commit, `--share 2` the third.
"""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

SHARES = 10
COSTS = Path(__file__).with_name("costs.tsv")
DEAR = 0.7
"""Seconds from which a function is dear."""
TOGETHER = ("tests/test_wheel.py",)
"""Files whose preparation costs as much as their tests: parameters too stay in one share."""


@dataclass(frozen=True)
class Cost:
    """What a test function cost: `seconds` of one worker for all its `items`."""

    seconds: float
    items: int


def read_costs(file: Path = COSTS) -> dict[str, Cost]:
    """Return what each dear function costs, by its id without parameters."""
    lines = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return {function: Cost(float(seconds), int(items)) for seconds, items, function in lines}


def write_costs(measured: Iterable[tuple[str, float]], file: Path) -> None:
    """Write the table from the seconds of items, the dearest functions first; cheap ones are left out."""
    seconds: Counter[str] = Counter()
    items: Counter[str] = Counter()
    for item, took in measured:
        function = item.partition("[")[0]
        seconds[function] += took  # type: ignore[assignment]  # a counter of floats
        items[function] += 1
    lines = [f"{s:.1f}\t{items[f]}\t{f}\n" for f, s in seconds.most_common() if s >= DEAR]
    file.write_text("".join(lines), encoding="utf-8")


def find_share(text: str) -> int:
    """Return the share that `--share` asks for: a number, or `commit`."""
    if text != "commit":
        return int(text) % SHARES
    found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return int(found.stdout.strip() or "0", 16) % SHARES


def split_items(items: Iterable[str], costs: Mapping[str, Cost]) -> dict[str, int]:
    """Return the share of each item of a dear function. Each share gets about the same seconds: the dearest bundle
    goes first, each to the share that has least so far."""
    bundles: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        if (name := item.partition("[")[0]) in costs:
            bundles[_find_bundle(item, name, costs[name])].append(item)
    weights = {
        bundle: sum(costs[n].seconds / costs[n].items for n in (i.partition("[")[0] for i in members))
        for bundle, members in bundles.items()
    }
    filled = [0.0] * SHARES
    share_of: dict[str, int] = {}
    for bundle in sorted(bundles, key=lambda b: (-weights[b], b)):
        least = filled.index(min(filled))
        filled[least] += weights[bundle]
        share_of.update(dict.fromkeys(bundles[bundle], least))
    return share_of


def _find_bundle(item: str, function: str, cost: Cost) -> str:
    """Return what an item stays together with: nothing if its function has parameters enough, else its file."""
    file = item.partition("::")[0]
    return item if cost.items >= SHARES and file not in TOGETHER else file


def leave_out_other_shares(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the dear tests of the other shares, if `--share` asks for one."""
    asked = config.getoption("--share")
    if not asked:
        return
    share = find_share(asked)
    share_of = split_items([item.nodeid for item in items], read_costs())
    left = [item for item in items if share_of.get(item.nodeid, share) != share]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if share_of.get(item.nodeid, share) == share]


class CostRecorder:
    """Writes what each function cost, when the run ends. Its reports come from all workers."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test."""
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment]  # a counter of floats

    def pytest_sessionfinish(self) -> None:
        """Write the table."""
        write_costs(self.seconds.items(), self.file)


def describe_share(config: pytest.Config) -> Iterator[str]:
    """Say which share a run asks, and how it is asked again."""
    if asked := config.getoption("--share"):
        yield f"dear tests: share {find_share(asked)} of 0 to {SHARES - 1} (--share {find_share(asked)})"
