"""Shares tasks among forked processes, and what every worker process does beside its work: it ends
with the process that started it."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread, current_thread, main_thread
from time import process_time, sleep
from typing import Any, Generic, ParamSpec, TypeVar

from playproof.database.errors import make_error_picklable_with_its_place

# -- sharing -------------------------------------------------------------------------------------------------
# Shares tasks among forked processes: each takes the next task when it is free, with all that the parent
# has made.

T = TypeVar("T")
R = TypeVar("R")


def can_fork() -> bool:
    """Return whether this system can fork. Without it, one process does all tasks."""
    return "fork" in multiprocessing.get_all_start_methods()


def run_tasks_here_or_in_processes(
    tasks: Sequence[T], work: Callable[[T], R], jobs: int, handle_result: Callable[[T, R], None]
) -> None:
    """Do tasks by so many processes, or by this one, and hand each result to `handle_result` as it comes. Raises what
    `work` raises, and RuntimeError if a process died."""
    if jobs > 1 and can_fork():
        WorkerProcesses(tasks, work, jobs).wait_and_hand_over_results(handle_result)
        return
    for task in tasks:
        handle_result(task, work(task))


def start_or_defer_work_until_waited(work: Callable[[], R], jobs: int) -> Callable[[], R]:
    """Begin some work in a process of its own, if there may be several, and return what waits for its result and
    returns it; else the work itself."""
    if jobs < 2 or not can_fork():
        return work
    begun, results = WorkerProcesses([None], lambda _: work(), 1), list[R]()

    def result() -> R:
        begun.wait_and_hand_over_results(lambda _, result: results.append(result))
        return results[0]

    return result


class ForkedCall(Generic[R]):
    """A call in a forked child of its own, which can be ended whatever it does. `cpu_seconds` ends it too; a `daemon`
    may have no children of its own."""

    def __init__(self, work: Callable[[], R], *, daemon: bool = False, cpu_seconds: float | None = None) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, there = context.Pipe(duplex=False)
        arguments = there, work, os.getpid(), cpu_seconds
        self._child = context.Process(target=_run_work_and_send_result, args=arguments, daemon=daemon)
        self._child.start()
        there.close()

    def wait_for_result(self) -> R:
        """Wait for the result. Raises what the work raises, and EOFError if the child has ended without any."""
        result, error = self.pipe.recv()
        if error is not None:
            raise error
        answer: R = result
        return answer

    def kill_child(self) -> None:
        """End the child, if it has not ended."""
        self._child.kill()
        self._child.join()
        self.pipe.close()


def _run_work_and_send_result(
    connection: Connection, work: Callable[[], object], parent_pid: int, cpu_seconds: float | None
) -> None:
    prepare_worker_process_of_parent(parent_pid)
    if cpu_seconds is not None:
        from resource import RLIMIT_CPU, setrlimit  # only on systems that fork

        end = ceil(process_time() + cpu_seconds)
        setrlimit(RLIMIT_CPU, (end, end + 1))
    try:
        connection.send((work(), None))
    except Exception as error:
        connection.send((None, make_error_picklable_with_its_place(error)))
    connection.close()


@dataclass
class WorkerProcesses(Generic[T, R]):
    """Processes that do tasks in the background until `wait_and_hand_over_results` collects their results. They
    stay until then, so that what they spend is not counted as spent by this process (`os.times`) before."""

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

    def _run_queued_tasks(self, queue: Any, connection: Connection, parent_pid: int) -> None:
        prepare_worker_process_of_parent(parent_pid)
        while (place := queue.get()) is not None:
            try:
                connection.send((place, self.work(self.tasks[place]), None))
            except Exception as error:
                connection.send((place, None, make_error_picklable_with_its_place(error)))
        connection.close()
        os._exit(0)

    def wait_and_hand_over_results(self, handle_result: Callable[[T, R], None]) -> None:
        """Hand each result to `handle_result` as it comes, until all tasks are done. Raises what a task raises, and
        RuntimeError if a process died. Whatever stops this ends all processes."""
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


# -- worker process ------------------------------------------------------------------------------------------
# What every worker process does beside its work: it ends with the process that started it, leaves Ctrl-C to
# that, and hands over its errors as they are.

P = ParamSpec("P")


_LOOK = 1.0  # seconds between two looks for the parent


def wait_for_parent_to_end_then_exit(parent_pid: int) -> None:
    """End this process when its parent is gone: a parent that is killed (SIGTERM, SIGKILL) ends no child."""
    started_by = parent_process()
    if os.name == "nt" and started_by is not None:
        started_by.join()  # Windows keeps the number of a parent that is gone
    while os.name != "nt" and os.getppid() == parent_pid:
        sleep(_LOOK)
    os._exit(1)


def start_thread_ending_process_with_parent(parent_pid: int) -> None:
    """Start a thread that ends this process with its parent."""
    Thread(target=wait_for_parent_to_end_then_exit, args=(parent_pid,), daemon=True).start()


def prepare_worker_process_of_parent(parent_pid: int, nice: int = 0) -> None:
    """Prepare this process for work that a parent gives it. By `nice` it stands back behind others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears the keyboard, and ends this process
    if nice and hasattr(os, "nice"):  # not on Windows
        os.nice(nice)
    start_thread_ending_process_with_parent(parent_pid)


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
            raise make_error_picklable_with_its_place(error) from None


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
