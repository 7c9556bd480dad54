"""Processes that work for the server: what they do delays no page, and what they need does not fill its memory."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from playproof.database.worker_process import PortableErrors, prepare_worker

T = TypeVar("T")


class WorkerPool:
    """So many processes, started when the first is needed. `prepare` is called in each of them first; `nice` is by
    how much they stand back behind the server, so that a page is answered before a bot has thought."""

    def __init__(self, workers: int, prepare: Callable[[], object] | None = None, *, nice: int = 5) -> None:
        self.workers, self._prepare, self._nice = workers, prepare, nice
        self._pool: ProcessPoolExecutor | None = None

    async def run_in_worker(self, work: Callable[..., T], *arguments: object) -> T:
        """Let a process do this. If it died, start new ones once and try again."""
        for last in (False, True):
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._get_process_pool(), PortableErrors(work), *arguments
                )
            except BrokenProcessPool:
                self.stop_workers()
                if last:
                    raise
        raise AssertionError("a loop that returns or raises")

    def _get_process_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, not forked: the server has threads of its own.
            self._pool = ProcessPoolExecutor(
                self.workers,
                mp_context=get_context("spawn"),
                initializer=_prepare_worker,
                initargs=(os.getpid(), self._nice, self._prepare),
            )
        return self._pool

    def stop_workers(self) -> None:
        """End the processes. The next work starts new ones."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _prepare_worker(server: int, nice: int, prepare: Callable[[], object] | None) -> None:
    prepare_worker(server, nice)
    if prepare is not None:
        prepare()
