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


class _Clock:
    """The work done so far in this process, the limit on it, and the time of the emergency stop."""

    def __init__(self) -> None:
        self.done = 0.0
        self.most = _NEVER
        self.end = _NEVER


_CLOCK = _Clock()


def done() -> float:
    """Return the work done by this process so far."""
    return _CLOCK.done


def spend(cost: float) -> None:
    """Count work that was done."""
    _CLOCK.done += cost


@contextmanager
def stopping_at(end: float, most: float = _NEVER) -> Iterator[None]:
    """Ask Z3 nothing more, while the context lasts, once so much work is done from now on or
    `perf_counter` reaches `end`."""
    before = _CLOCK.end, _CLOCK.most
    _CLOCK.end, _CLOCK.most = end, _CLOCK.done + most
    try:
        yield
    finally:
        _CLOCK.end, _CLOCK.most = before


def ask(solver: Any, check: Callable[[], z3.CheckSatResult], most: float) -> z3.CheckSatResult:
    """Return what a Z3 solver or optimizer answers within `most` units, which the clock counts.

    It is `unknown` if no work or time is left.
    """
    seconds, most = min(_CLOCK.end - perf_counter(), _LONGEST), min(most, _CLOCK.most - _CLOCK.done)
    if seconds <= 0 or most <= 0:
        return z3.unknown
    solver.set(rlimit=max(1, int(most * RLIMIT)), timeout=max(1, int(1000 * seconds)))
    before = _cost(solver)
    answer = check()
    spend((_cost(solver) - before) / RLIMIT)
    return answer


def _cost(solver: Any) -> int:
    """Return Z3's measure for everything asked in this process."""
    return next((int(value) for name, value in solver.statistics() if name == "rlimit count"), 0)


class Solver(z3.Solver):  # type: ignore[misc]  # Z3 ships no types
    """A Z3 solver whose questions cost at most `most` units each, which the clock counts. It
    reasons over integers unless a `logic` is named."""

    def __init__(self, logic: str = "", most: float = 20.0) -> None:
        if logic:
            super().__init__(z3.SolverFor(logic).solver, z3.main_ctx())
        else:
            super().__init__()
        self.most = most

    def check(self, *assumptions: Any) -> z3.CheckSatResult:
        """Return Z3's answer within `most` units; `unknown` if no work or time is left."""
        return ask(self, partial(super().check, *assumptions), self.most)
