"""Jobs that make files, one after the other or on several cores, with the same bytes in the same order; and
fingerprints, one hash of everything that a file depends on."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from playproof.database.components import Component, Words
from playproof.database.errors import Finding, InputError, Where
from playproof.database.worker_processes import can_fork, run_tasks_here_or_in_processes
from playproof.generator.lazy_dict import LazyDict
from playproof.generator.wording import FOLDER as WORDING

# -- workers -------------------------------------------------------------------------------------------------
# Make files one after the other or on several cores, with the same bytes in the same order.


class RenderedFile(NamedTuple):
    """The bytes of a file, and how many pages and cards it has."""

    data: bytes
    pages: int
    cards: int


class FileJob(NamedTuple):
    """One file to make: its path, its fingerprint, the group that shares its faces, and how to make it.

    ``make`` renders the file; ``weight`` is how many faces it draws; ``note`` is what its reader should know; ``of`` is
    the product or the component that it shows. The file is removed when that product or component is gone. ``missing``
    says afterwards which pictures were not there, and what was perhaps meant otherwise than it was drawn.
    """

    path: FilePath
    fingerprint: str
    group: str
    weight: int
    make: Callable[[], RenderedFile]
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


def run_jobs_and_iter_results_in_order(jobs: Sequence[FileJob], workers: int | None = None) -> Iterator[JobResult]:
    """Yield every job's result, in order. With ``workers`` None, the work and the cores decide how
    many there are."""
    groups: dict[str, list[FileJob]] = {}
    for job in jobs:
        groups.setdefault(job.group, []).append(job)
    count = _choose_worker_count(jobs, len(groups)) if workers is None else min(workers, len(groups))
    if count < 2 or not can_fork():
        yield from map(_run_job_and_catch_input_errors, jobs)
        return
    done: dict[FilePath, JobResult] = {}

    def store_results(group: Sequence[FileJob], results: Sequence[JobResult]) -> None:
        done.update((job.path, made) for job, made in zip(group, results, strict=True))

    run_tasks_here_or_in_processes(list(groups.values()), _run_jobs_of_group, count, store_results)
    yield from (done[job.path] for job in jobs)


def _choose_worker_count(jobs: Sequence[FileJob], group_count: int) -> int:
    if sum(job.weight for job in jobs) < WORTH:
        return 1
    return min(os.cpu_count() or 1, group_count)


def _run_jobs_of_group(group: Sequence[FileJob]) -> list[JobResult]:
    return [_run_job_and_catch_input_errors(job) for job in group]


def _run_job_and_catch_input_errors(job: FileJob) -> JobResult:
    start = time.process_time()
    try:
        file = job.make()
    except InputError as error:
        return JobResult(b"", 0, 0, 0.0, error.findings)
    return JobResult(*file, time.process_time() - start, job.missing())


# -- fingerprint ---------------------------------------------------------------------------------------------
# Fingerprints: one hash of everything that a file depends on. Equal hashes mean equal bytes.

PACKAGE = FilePath(__file__).resolve().parents[1]


def value_to_text_without_file_positions(value: Any) -> str:
    """Return a value as text that does not depend on its place in a file."""
    kind = type(value)
    if kind is str or kind is int or value is None:
        return repr(value)
    if kind is Words:
        return repr(value.texts)
    if kind is Where:
        return ""
    values = FIELDS[kind]
    if values is not None:
        return f"{kind.__name__}({';'.join(map(value_to_text_without_file_positions, values(value)))})"
    if kind is dict or isinstance(value, Mapping):
        return (
            "{" + ";".join([f"{key}={value_to_text_without_file_positions(item)}" for key, item in value.items()]) + "}"
        )
    if isinstance(value, tuple | list):
        return "[" + ";".join(map(value_to_text_without_file_positions, value)) + "]"
    return repr(value)


def _build_dataclass_values_reader_or_none(dataclass_type: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return a function that reads the values of all fields of a dataclass, or None for any other
    type."""
    names = [each.name for each in fields(dataclass_type)] if is_dataclass(dataclass_type) else []
    if not names:
        return None
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda value: (read(value),)


FIELDS = LazyDict(_build_dataclass_values_reader_or_none)


def hash_component_ignoring_file_position(component: Component) -> str:
    """Return the hash of everything that is printed of a component."""
    return hashlib.sha256(value_to_text_without_file_positions(component).encode()).hexdigest()


def hash_file_names_and_contents(paths: Iterable[FilePath]) -> str:
    """Return the hash of files by name and content."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


@lru_cache(maxsize=1)
def hash_generator_code() -> str:
    """Return the hash of the generator's own code and words, so that a new version rebuilds every file."""
    return hash_file_names_and_contents([*PACKAGE.rglob("*.py"), *WORDING.glob("*.yaml")])


def hash_joined_parts_as_sha256_hex(*parts: object) -> str:
    """Return one hash of several parts."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()
