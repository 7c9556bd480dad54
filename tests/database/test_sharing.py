"""Work in processes beside this one."""

from __future__ import annotations

import os
import subprocess
import sys
from time import process_time

import pytest

from playproof.database.errors import InputError, Where
from playproof.database.sharing import WorkerProcesses, start_in_background


def busy() -> int:
    """Use a processor for a while."""
    end = process_time() + 0.2
    while process_time() < end:
        pass
    return os.getpid()


@pytest.mark.parametrize(("jobs", "here"), [(1, True), (2, False)])
def test_work_goes_on_beside_and_its_result_is_waited_for(jobs: int, here: bool) -> None:
    assert (start_in_background(busy, jobs)() == os.getpid()) is here


def test_what_is_spent_beside_is_not_counted_here_before_it_is_waited_for() -> None:
    def spent() -> float:
        busy()
        return process_time()

    result = start_in_background(spent, 2)
    WorkerProcesses([1, 2], lambda number: number + os.getpid(), 2).collect_results(lambda *_: None)
    before = sum(os.times()[2:4])  # the workers' own share is no more than this machine makes of it
    seconds = result()
    assert sum(os.times()[2:4]) - before > seconds / 2  # `os.times` ticks a hundred times a second


def test_a_mistake_of_the_users_is_theirs_and_any_other_is_ours() -> None:
    def wrong() -> None:
        raise InputError.from_single_finding("PP804", Where("--ladder"), "there is no bot `foo`")

    with pytest.raises(InputError, match="PP804"):
        start_in_background(wrong, 2)()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        start_in_background(lambda: 1 // 0, 2)()


def test_a_program_that_does_not_wait_ends_all_the_same() -> None:
    text = (
        "from playproof.database.sharing import start_in_background\n"
        "start_in_background(lambda: 5, 2)\nraise SystemExit(3)"
    )
    assert subprocess.run([sys.executable, "-c", text], timeout=60, check=False).returncode == 3
