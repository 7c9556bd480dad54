"""What every worker process does beside its work: it ends with the process that started it."""

from __future__ import annotations

import os
from threading import Thread
from time import sleep

_LOOK = 1.0  # seconds between two looks for the parent


def end_with(parent: int) -> None:
    """End this process when its parent is gone: a parent that is killed (SIGTERM, SIGKILL) ends no child."""
    while os.getppid() == parent:
        sleep(_LOOK)
    os._exit(1)


def watch_for(parent: int) -> None:
    """Start a thread that ends this process with its parent."""
    Thread(target=end_with, args=(parent,), daemon=True).start()
