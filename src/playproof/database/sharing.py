"""Shares tasks among forked processes: each takes the next task when it is free, with all that the parent has made."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from playproof.database.errors import Portable
from playproof.database.worker_process import start_parent_watch

T = TypeVar("T")
R = TypeVar("R")


def can_fork() -> bool:
    """Return whether this system can fork. Without it, one process does all tasks."""
    return "fork" in multiprocessing.get_all_start_methods()


def run_tasks_in_processes(
    tasks: Sequence[T], work: Callable[[T], R], jobs: int, handle_result: Callable[[T, R], None]
) -> None:
    """Do tasks by so many processes, or by this one, and hand each result to `take` as it comes. Raises what `work`
    raises here, and RuntimeError for a process that failed."""
    if jobs > 1 and can_fork():
        WorkerProcesses(tasks, work, jobs).collect_results(handle_result)
        return
    for task in tasks:
        handle_result(task, work(task))


def start_in_background(work: Callable[[], R], jobs: int) -> Callable[[], R]:
    """Begin some work in a process of its own, if there may be several, and return what waits for its result and
    returns it; else the work itself."""
    if jobs < 2 or not can_fork():
        return work
    begun, results = WorkerProcesses([None], lambda _: work(), 1), list[R]()

    def result() -> R:
        begun.collect_results(lambda _, result: results.append(result))
        return results[0]

    return result


@dataclass
class WorkerProcesses(Generic[T, R]):
    """Processes that do tasks in the background until `collect_results` collects their results. They stay until
    then, so that what they spend is not counted as spent by this process (`os.times`) before."""

    tasks: Sequence[T]
    work: Callable[[T], R]
    jobs: int
    _running: dict[Connection, BaseProcess] = field(default_factory=dict)

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("fork")
        self._queue: Any = context.SimpleQueue()
        atexit.register(self.stop_processes)  # before Python waits for all that this process began
        for place in range(len(self.tasks)):
            self._queue.put(place)
        for _ in range(min(self.jobs, len(self.tasks))):
            here, there = context.Pipe(duplex=False)
            # Not a daemon: its tasks fork children of their own. It ends with the parent all the same.
            child = context.Process(target=self._run_queued_tasks, args=(self._queue, there, os.getpid()))
            child.start()
            there.close()
            self._running[here] = child

    def _run_queued_tasks(self, queue: Any, there: Connection, parent: int) -> None:
        start_parent_watch(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears the keyboard and ends this process
        while (place := queue.get()) is not None:
            try:
                there.send((place, self.work(self.tasks[place]), None))
            except Portable as error:  # what a person wrote is at fault, and the error says where
                there.send((place, None, error))
            except Exception as error:
                there.send((place, None, RuntimeError(f"{type(error).__name__}: {error}")))
        there.close()
        os._exit(0)

    def collect_results(self, handle_result: Callable[[T, R], None]) -> None:
        """Hand each result to `take` as it comes, until all tasks are done. Raises as a task does what says where a
        person's file is wrong, and RuntimeError if one failed otherwise or a process died. Whatever stops this ends
        all processes."""
        for _ in self._running:
            self._queue.put(None)
        try:
            left = set(range(len(self.tasks)))
            while self._running:
                for pipe in wait(list(self._running)):
                    assert isinstance(pipe, Connection)
                    try:
                        place, result, failure = pipe.recv()
                    except EOFError:
                        self._running.pop(pipe).join()
                        continue
                    if failure:
                        raise failure
                    left.discard(place)
                    handle_result(self.tasks[place], result)
            if left:
                raise RuntimeError(f"{len(left)} tasks were lost: a process ended early")
        finally:
            self.stop_processes()

    def stop_processes(self) -> None:
        """End all processes."""
        for child in self._running.values():
            child.terminate()
            child.join()
        self._running.clear()
        atexit.unregister(self.stop_processes)
