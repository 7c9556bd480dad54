"""Work done aside, in a forked child that ends with the budget: what builds large formulas or asks Z3 cannot always
be stopped in time from within, and no answer may cost more than was allowed."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from playproof.verifier.search.case import Budget

T = TypeVar("T")
_LEAST = 0.05  # seconds that are worth a child


def aside(work: Callable[[Budget], T | None], budget: Budget, share: float = 1.0) -> T | None:
    """What `work` gives within a share of the budget, or None; what it raises is raised here.

    Its result travels through a pipe, so it is plain data; what it learns about the case stays with the child. Where
    the system cannot fork, the work is done here and minds the budget as well as it can.
    """
    own = Budget(budget.left * share, budget.states, budget.games)
    if own.left < _LEAST:
        return None
    if "fork" not in multiprocessing.get_all_start_methods():
        return work(own)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(there, work, own), daemon=True)
    child.start()
    there.close()
    try:
        found = here.recv() if here.poll(own.left) else None
    except EOFError:  # the child is gone: out of memory, or ended by hand
        found = None
    finally:
        child.kill()
        child.join()
        here.close()
    if isinstance(found, Exception):
        raise found
    return found


def _answer(there: Connection, work: Callable[[Budget], T | None], budget: Budget) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears the keyboard and ends this child
    try:
        there.send(work(budget))
    except MemoryError:
        there.send(None)
    except Exception as error:  # whatever it is, it belongs to whoever asked
        there.send(error)


__all__ = ["aside"]
