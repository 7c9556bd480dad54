"""What every worker process does beside its work: it ends with the process that started it, leaves Ctrl-C to that, and
hands over its errors as they are."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import parent_process
from threading import Thread, current_thread, main_thread
from time import process_time, sleep
from typing import Generic, ParamSpec, TypeVar

from playproof.database.errors import make_error_portable

P = ParamSpec("P")
R = TypeVar("R")

_LOOK = 1.0  # seconds between two looks for the parent


def exit_when_parent_ends(parent: int) -> None:
    """End this process when its parent is gone: a parent that is killed (SIGTERM, SIGKILL) ends no child."""
    started_by = parent_process()
    if os.name == "nt" and started_by is not None:
        started_by.join()  # Windows keeps the number of a parent that is gone
    while os.name != "nt" and os.getppid() == parent:
        sleep(_LOOK)
    os._exit(1)


def start_parent_watch(parent: int) -> None:
    """Start a thread that ends this process with its parent."""
    Thread(target=exit_when_parent_ends, args=(parent,), daemon=True).start()


def prepare_worker(parent: int, nice: int = 0) -> None:
    """Prepare this process for work that a parent gives it. By `nice` it stands back behind others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears the keyboard, and ends this process
    if nice and hasattr(os, "nice"):  # not on Windows
        os.nice(nice)
    start_parent_watch(parent)


def measure_cpu_seconds() -> float:
    """Return the seconds of CPU that this process and its finished children have spent; the children's in ticks of a
    hundredth."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


@dataclass(frozen=True)
class PortableErrors(Generic[P, R]):
    """Does some work, and raises its errors as they pass to another process. It can be pickled as the work can."""

    work: Callable[P, R]

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R:
        """Do the work. Raises what it raises."""
        try:
            return self.work(*arguments, **options)
        except Exception as error:
            raise make_error_portable(error) from None


@contextmanager
def ignore_interrupts_while_starting() -> Iterator[None]:
    """Start workers that ignore Ctrl-C from their first moment, before they can say so themselves; the process that
    starts them hears it when all are started. Other threads than the main one cannot do this."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
