"""Runs work in a forked child that keeps to its budget and that the emergency stop ends. Code that
builds large formulas or asks Z3 cannot always be stopped from within, and no answer may take longer
than allowed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TypeVar

from playproof.database.errors import make_error_portable
from playproof.database.sharing import ForkedCall, can_fork
from playproof.verifier.search import work as counted
from playproof.verifier.search.case import Budget

T = TypeVar("T")
_LEAST = 0.05  # work that is worth a child


def run_in_child_process(work: Callable[[Budget], T | None], budget: Budget, share: float = 1.0) -> T | None:
    """Return the result of `work` within a share of the budget, or None. Raises what `work` raises.

    The result passes through a pipe, so it is plain data. What the work learns about the case stays
    in the child; its cost counts here. If the system cannot fork, the work runs in this process and
    keeps to the budget as well as it can.
    """
    own = budget.take_share(share)
    own.progress = None
    if own.left < _LEAST:
        return None
    if not can_fork():
        return work(own)
    call = ForkedCall(partial(_do_counted_work, work, own), daemon=True)
    try:
        in_time = call.pipe.poll(max(0.0, own.end - perf_counter()))
        result, cost = call.receive_result() if in_time else (None, own.left)
        counted.spend_work(cost)
    except EOFError:  # the child is gone: out of memory, or ended by hand
        result = None
    finally:
        call.end_child()
    if isinstance(result, Exception):
        raise result
    return result


def _do_counted_work(
    work: Callable[[Budget], T | None], budget: Budget
) -> tuple[T | Exception | None, float]:
    """Return the result of the work or what it raises, and what it has cost. Runs in the child."""
    before = counted.get_work_done()
    result: T | Exception | None
    try:
        with counted.stop_z3_after(budget.end, budget.left):
            result = work(budget)
    except MemoryError:
        result = None
    except Exception as error:  # `run_in_child_process` raises it in the parent
        result = make_error_portable(error)
    return result, counted.get_work_done() - before
