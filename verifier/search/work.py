"""A clock that counts work instead of seconds, and so reads the same on an idle and on a loaded
machine.

Its unit is about a second of one idle core, by rates that were measured once. It counts steps of
play and Z3's own measure (`rlimit`). It does not count waiting for another process or for machine
code. Each process has one such clock; a child's work is added when the child answers
(`child.aside`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import z3

RLIMIT = 2_500_000
"""Z3's measure in one unit. Measurements on four games gave 2 to 5 million in a second."""
PLAIN, INTERPRETED, MACHINE = 1 / 50_000, 1 / 1_200, 1 / 500_000
"""The cost of one step: in the generated source as plain Python, in the interpreter, in machine
code."""

_NEVER, _LONGEST = float("inf"), 1_000_000.0


class _WorkClock:
    """The work done so far in this process, the limit on it, and the time of the emergency stop."""

    def __init__(self) -> None:
        self.done = 0.0
        self.most = _NEVER
        self.end = _NEVER


_CLOCK = _WorkClock()


def get_work_done() -> float:
    """Return the work done by this process so far."""
    return _CLOCK.done


def spend_work(cost: float) -> None:
    """Count work that was done."""
    _CLOCK.done += cost


@contextmanager
def stop_z3_after(end: float, max_work: float = _NEVER) -> Iterator[None]:
    """Ask Z3 nothing more, while the context lasts, once so much work is done from now on or
    `perf_counter` reaches `end`."""
    before = _CLOCK.end, _CLOCK.most
    _CLOCK.end, _CLOCK.most = end, _CLOCK.done + max_work
    try:
        yield
    finally:
        _CLOCK.end, _CLOCK.most = before


def ask_z3_within_work(
    solver: Any, check: Callable[[], z3.CheckSatResult], max_work: float
) -> z3.CheckSatResult:
    """Return what a Z3 solver or optimizer answers within `most` units, which the clock counts.

    It is `unknown` if no work or time is left.
    """
    seconds, max_work = min(_CLOCK.end - perf_counter(), _LONGEST), min(max_work, _CLOCK.most - _CLOCK.done)
    if seconds <= 0 or max_work <= 0:
        return z3.unknown
    solver.set(rlimit=max(1, int(max_work * RLIMIT)), timeout=max(1, int(1000 * seconds)))
    before = _read_z3_cost(solver)
    answer = check()
    spend_work((_read_z3_cost(solver) - before) / RLIMIT)
    return answer


def _read_z3_cost(solver: Any) -> int:
    """Return Z3's measure for everything asked in this process."""
    return next((int(value) for name, value in solver.statistics() if name == "rlimit count"), 0)


class WorkLimitedSolver(z3.Solver):  # type: ignore[misc]  # Z3 ships no types
    """A Z3 solver whose questions cost at most `most` units each, which the clock counts. It
    reasons over integers unless a `logic` is named."""

    def __init__(self, logic: str = "", max_work: float = 20.0) -> None:
        if logic:
            super().__init__(z3.SolverFor(logic).solver, z3.main_ctx())
        else:
            super().__init__()
        self.most = max_work

    def check(self, *assumptions: Any) -> z3.CheckSatResult:
        """Return Z3's answer within `most` units; `unknown` if no work or time is left."""
        return ask_z3_within_work(self, partial(super().check, *assumptions), self.most)
