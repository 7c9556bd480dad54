"""Work in processes beside this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import pytest

from playproof.cli.output import json_findings_of_user_error_or_none
from playproof.database.errors import InputError, Where, get_file_and_line_that_raised
from playproof.database.worker_processes import (
    ForkedCall,
    WorkerProcesses,
    run_tasks_here_or_in_processes,
    start_or_defer_work_until_waited,
)
from playproof.referee.simulate import map_in_order_on_spawned_processes
from playproof.table.bot_processes import WorkerPool
from playproof.verifier.proof.certificate_offers import run_in_child_within_budget_or_none
from playproof.verifier.search.case import Budget
from tests.table.apart import run_apart


def busy() -> int:
    """Use a processor for a while."""
    end = process_time() + 0.2
    while process_time() < end:
        pass
    return os.getpid()


@pytest.mark.parametrize(("jobs", "here"), [(1, True), (2, False)])
def test_work_goes_on_beside_and_its_result_is_waited_for(jobs: int, here: bool) -> None:
    assert (start_or_defer_work_until_waited(busy, jobs)() == os.getpid()) is here


def test_what_is_spent_beside_is_not_counted_here_before_it_is_waited_for() -> None:
    def spent() -> float:
        busy()
        return process_time()

    result = start_or_defer_work_until_waited(spent, 2)
    WorkerProcesses([1, 2], lambda number: number + os.getpid(), 2).wait_and_hand_over_results(lambda *_: None)
    before = sum(os.times()[2:4])  # the workers' own share is no more than this machine makes of it
    seconds = result()
    assert sum(os.times()[2:4]) - before > seconds / 2  # `os.times` ticks a hundred times a second


def fail_in_folder(folder: Path) -> None:
    """Fail in Python that somebody else wrote, a file in this folder."""
    exec(compile((folder / "theirs.py").read_text("utf-8"), str(folder / "theirs.py"), "exec"))


def fail_with_finding(folder: Path) -> None:
    raise InputError.from_single_finding("PP804", Where("--ladder"), f"there is no bot `{folder.name}`")


class TheirError(Exception):
    """Of a class that another process may not know."""


def fail_with_own_class(folder: Path) -> None:
    raise TheirError(folder.name)


async def run_in_pool(work: Callable[[], object]) -> None:
    pool = WorkerPool(1)
    try:
        await pool.run_in_worker_retrying_once(work)
    finally:
        pool.stop_workers()


RUNNERS: dict[str, Callable[[Callable[[], object]], object]] = {
    "beside": lambda work: start_or_defer_work_until_waited(work, 2)(),
    "shared": lambda work: run_tasks_here_or_in_processes([1, 2], lambda _: work(), 2, lambda *_: None),
    "forked": lambda work: ForkedCall(work).wait_for_result(),
    "searched": lambda work: run_in_child_within_budget_or_none(lambda _: work(), Budget(100)),
    "spawned": lambda work: list(map_in_order_on_spawned_processes(1, [0], partial(call_with_number, work))),
    "of the table": lambda work: run_apart(run_in_pool(work)),
}


def call_with_number(work: Callable[[], object], _: int) -> object:
    return work()


@pytest.mark.parametrize("runner", RUNNERS)
def test_each_runner_hands_over_errors_as_they_are(runner: str, tmp_path: Path) -> None:
    """A mistake in somebody's Python was a fault of ours, without a place, as soon as a worker met it."""
    (tmp_path / "theirs.py").write_text("goal = 5\n1 // (goal - 5)\n", "utf-8")
    with pytest.raises(ZeroDivisionError) as theirs:
        RUNNERS[runner](partial(fail_in_folder, tmp_path))
    assert get_file_and_line_that_raised(theirs.value) == (str(tmp_path / "theirs.py"), 2)
    [finding] = json_findings_of_user_error_or_none(theirs.value) or []
    assert (finding["code"], finding["where"]) == ("PP808", f"{tmp_path / 'theirs.py'}:2")
    with pytest.raises(InputError, match="PP804"):
        RUNNERS[runner](partial(fail_with_finding, tmp_path))
    with pytest.raises(RuntimeError, match=f"TheirError: {tmp_path.name}") as ours:
        RUNNERS[runner](partial(fail_with_own_class, tmp_path))
    assert get_file_and_line_that_raised(ours.value)


def test_a_program_that_does_not_wait_ends_all_the_same() -> None:
    text = (
        "from playproof.database.worker_processes import start_or_defer_work_until_waited\n"
        "start_or_defer_work_until_waited(lambda: 5, 2)\nraise SystemExit(3)"
    )
    assert subprocess.run([sys.executable, "-c", text], timeout=60, check=False).returncode == 3
