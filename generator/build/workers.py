"""Make files one after the other or on several cores, with the same bytes in the same order.

Workers are forked, so they see the jobs without copying them. Jobs of one group share faces that
are drawn once, so one worker makes a whole group.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.errors import Finding, InputError
from playproof.database.sharing import can_fork, run_tasks_in_processes


class FileJob(NamedTuple):
    """One file to make: its path, its fingerprint, the group that shares its faces, and how to make
    it.

    ``make`` returns the file's bytes, its pages and its cards; ``weight`` is how many faces it
    draws; ``note`` is what its reader should know; ``of`` is the product or the component that it
    shows. The file is removed when that product or component is gone. ``missing`` says afterwards which pictures were
    not there, and what was perhaps meant otherwise than it was drawn.
    """

    path: FilePath
    fingerprint: str
    group: str
    weight: int
    make: Callable[[], tuple[bytes, int, int]]
    note: str = ""
    of: str = ""
    missing: Callable[[], tuple[Finding, ...]] = tuple


class JobResult(NamedTuple):
    """The result of a job: bytes, pages, cards and CPU seconds, and findings: why it failed, or what is missing."""

    data: bytes
    pages: int
    cards: int
    seconds: float
    findings: tuple[Finding, ...] = ()


WORTH = 1500  # faces; below, starting workers takes longer than they save


def iter_job_results(jobs: Sequence[FileJob], workers: int | None = None) -> Iterator[JobResult]:
    """Yield every job's result, in order. With ``workers`` None, the work and the cores decide how
    many there are."""
    groups: dict[str, list[FileJob]] = {}
    for job in jobs:
        groups.setdefault(job.group, []).append(job)
    count = _choose_worker_count(jobs, len(groups)) if workers is None else min(workers, len(groups))
    if count < 2 or not can_fork():
        yield from map(_run_job, jobs)
        return
    done: dict[FilePath, JobResult] = {}

    def store_results(group: Sequence[FileJob], results: Sequence[JobResult]) -> None:
        done.update((job.path, made) for job, made in zip(group, results, strict=True))

    run_tasks_in_processes(list(groups.values()), _run_job_group, count, store_results)
    yield from (done[job.path] for job in jobs)


def _choose_worker_count(jobs: Sequence[FileJob], groups: int) -> int:
    if sum(job.weight for job in jobs) < WORTH:
        return 1
    return min(os.cpu_count() or 1, groups)


def _run_job_group(group: Sequence[FileJob]) -> list[JobResult]:
    return [_run_job(job) for job in group]


def _run_job(job: FileJob) -> JobResult:
    start = time.process_time()
    try:
        data, pages, cards = job.make()
    except InputError as error:
        return JobResult(b"", 0, 0, 0.0, error.findings)
    return JobResult(data, pages, cards, time.process_time() - start, job.missing())
