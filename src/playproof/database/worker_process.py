"""What every worker process does beside its work: it ends with the process that started it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from threading import Thread, current_thread, main_thread
from time import sleep

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
