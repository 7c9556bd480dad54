"""A clock that counts work in place of seconds: the same on an idle and on a loaded machine.

Its unit is about a second of one idle core, by rates that were measured once. What is counted are
steps of play and Z3's own measure (`rlimit`); waiting, for another process or for machine code, is
not. There is one such clock a process, as there is one time; a child's work is added when it
answers (`child.aside`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import z3

RLIMIT = 2_500_000
"""Z3's measure in a unit; 2 to 5 million in a second were measured on four games."""
PLAIN, INTERPRETED, MACHINE = 1 / 50_000, 1 / 1_200, 1 / 500_000
"""What one step costs: by the generated source as plain Python, by the interpreter, as machine code."""

_NEVER, _LONGEST = float("inf"), 1_000_000.0


class _Clock:
    """Work done so far in this process; how much there may be, and when (the emergency stop) it
    must end."""

    def __init__(self) -> None:
        self.done = 0.0
        self.most = _NEVER
        self.end = _NEVER


_CLOCK = _Clock()


def done() -> float:
    """Work done by this process so far."""
    return _CLOCK.done


def spend(cost: float) -> None:
    """Note work that was done."""
    _CLOCK.done += cost


@contextmanager
def stopping_at(end: float, most: float = _NEVER) -> Iterator[None]:
    """Within, Z3 is asked nothing more after so much work from now on, or when `perf_counter` says
    `end`."""
    before = _CLOCK.end, _CLOCK.most
    _CLOCK.end, _CLOCK.most = end, _CLOCK.done + most
    try:
        yield
    finally:
        _CLOCK.end, _CLOCK.most = before


class Solver(z3.Solver):  # type: ignore[misc]  # Z3 ships no types
    """A Z3 solver whose questions cost at most `most` units each, which the clock counts. Over
    integers where no `logic` is named."""

    def __init__(self, logic: str = "", most: float = 20.0) -> None:
        if logic:
            super().__init__(z3.SolverFor(logic).solver, z3.main_ctx())
        else:
            super().__init__()
        self.most = most

    def check(self, *assumptions: Any) -> z3.CheckSatResult:
        """As Z3's, within `most`."""
        seconds, most = min(_CLOCK.end - perf_counter(), _LONGEST), min(self.most, _CLOCK.most - _CLOCK.done)
        if seconds <= 0 or most <= 0:
            return z3.unknown
        self.set(rlimit=max(1, int(most * RLIMIT)), timeout=max(1, int(1000 * seconds)))
        before = self._cost()
        answer = super().check(*assumptions)
        spend((self._cost() - before) / RLIMIT)
        return answer

    def _cost(self) -> int:
        """The measure of all that was asked in this process."""
        found = self.statistics()
        return next((int(value) for name, value in found if name == "rlimit count"), 0)


__all__ = ["INTERPRETED", "MACHINE", "PLAIN", "RLIMIT", "Solver", "done", "spend", "stopping_at"]
