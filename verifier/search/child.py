"""Runs work in a forked child that keeps to its budget and that the emergency stop ends. Code that
builds large formulas or asks Z3 cannot always be stopped from within, and no answer may take longer
than allowed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from time import perf_counter
from typing import TypeVar

from playproof.database.worker_process import start_parent_watch
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
    if "fork" not in multiprocessing.get_all_start_methods():
        return work(own)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(
        target=_run_work_and_send_result, args=(there, work, own, os.getpid()), daemon=True
    )
    child.start()
    there.close()
    try:
        in_time = here.poll(max(0.0, own.end - perf_counter()))
        result, cost = here.recv() if in_time else (None, own.left)
        counted.spend_work(cost)
    except EOFError:  # the child is gone: out of memory, or ended by hand
        result = None
    finally:
        child.kill()
        child.join()
        here.close()
    if isinstance(result, Exception):
        raise result
    return result


def _run_work_and_send_result(
    connection: Connection, work: Callable[[Budget], T | None], budget: Budget, parent: int
) -> None:
    start_parent_watch(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears the keyboard and ends this child
    before = counted.get_work_done()
    result: T | Exception | None
    try:
        with counted.stop_z3_after(budget.end, budget.left):
            result = work(budget)
    except MemoryError:
        result = None
    except Exception as error:  # `run_in_child_process` raises it in the parent
        result = _make_error_picklable(error)
    connection.send((result, counted.get_work_done() - before))


def _make_error_picklable(error: Exception) -> Exception:
    """Return the error, or one of the same words if it cannot pass through the pipe."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
