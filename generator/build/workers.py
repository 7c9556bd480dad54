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


class Job(NamedTuple):
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


class Made(NamedTuple):
    """The result of a job: bytes, pages, cards and CPU seconds, and findings: why it failed, or what is missing."""

    data: bytes
    pages: int
    cards: int
    seconds: float
    findings: tuple[Finding, ...] = ()


WORTH = 1500  # faces; below, starting workers takes longer than they save
_waiting: list[list[Job]] = []  # the groups of jobs that forked workers see when they start


def make_all(jobs: Sequence[Job], workers: int | None = None) -> Iterator[Made]:
    """Yield every job's result, in order. With ``workers`` None, the work and the cores decide how
    many there are."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(job.group, []).append(job)
    count = _workers(jobs, len(groups)) if workers is None else min(workers, len(groups))
    if count < 2 or not hasattr(os, "fork"):
        yield from map(_made, jobs)
        return
    done: dict[FilePath, Made] = {}
    for group, results in zip(groups.values(), _forked(list(groups.values()), count), strict=True):
        done |= {job.path: made for job, made in zip(group, results, strict=True)}
    yield from (done[job.path] for job in jobs)


def _workers(jobs: Sequence[Job], groups: int) -> int:
    if sum(job.weight for job in jobs) < WORTH:
        return 1
    return min(os.cpu_count() or 1, groups)


def _forked(groups: list[list[Job]], count: int) -> list[list[Made]]:
    import multiprocessing  # most builds are done by one process

    from playproof.database.worker_process import watch_for

    _waiting[:] = groups
    try:
        with multiprocessing.get_context("fork").Pool(count, watch_for, [os.getpid()]) as pool:
            return pool.map(_group, range(len(groups)), chunksize=1)
    finally:
        _waiting.clear()


def _group(number: int) -> list[Made]:
    return [_made(job) for job in _waiting[number]]


def _made(job: Job) -> Made:
    start = time.process_time()
    try:
        data, pages, cards = job.make()
    except InputError as error:
        return Made(b"", 0, 0, 0.0, error.findings)
    return Made(data, pages, cards, time.process_time() - start, job.missing())
