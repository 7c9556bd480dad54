"""Work on a Dask cluster whose workers run the same program: games, reports, mutants.

The driver sends what the work is about, for games their description; a worker needs neither rules nor cards. It answers
with its stamp: its program, and the digest of what it read. The driver compares the stamp with its own, so that
results of other rules or of another program are never counted together. Results are pickles, so name only a cluster
that you trust.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from playproof.database.installation import compute_digest_of_program_code, get_version_or_not_installed_text
from playproof.language.errors import BoundsError

if TYPE_CHECKING:
    from playproof.referee.variant import Variant

PACKAGES = ("database", "referee", "language")  # whose code decides how a described game is played
PATIENCE = 5.0
"""Seconds between two looks for workers while no result comes."""
_QUIET = 60.0  # seconds without a result after which that is told though there are workers
_AHEAD = 4  # pieces of work per thread that the scheduler knows of
_LETTERS = 12
_logger = logging.getLogger("playproof")
_S = TypeVar("_S", bound="WorkSubject")
_I = TypeVar("_I")
_R = TypeVar("_R")


class WorkSubject(Protocol):
    """What work is about. It is pickled whole, and the digest is computed again from what a worker receives."""

    @property
    def digest(self) -> str:
        """The digest of all that decides the results."""


class WorkerMismatchError(RuntimeError):
    """The workers do not run this program or this game. The message names both."""


class ProgramStamp(NamedTuple):
    """The version and digest of a program, and the digest of the game's description as that program has
    it."""

    version: str
    program: str
    game: str

    def __str__(self) -> str:
        return f"playproof {self.version}, program {self.program}, game {self.game[:_LETTERS]}"


def make_own_stamp_for_variant(variant: Variant) -> ProgramStamp:
    """Return this process's stamp for playing a game."""
    return ProgramStamp(
        get_version_or_not_installed_text(), compute_digest_of_program_code(PACKAGES)[:_LETTERS], variant.digest
    )


def make_own_stamp_for_work(work: Callable[..., object], subject: WorkSubject) -> ProgramStamp:
    """Return this process's stamp for work on a subject."""
    package = work.__module__.split(".")[1]
    return ProgramStamp(
        get_version_or_not_installed_text(),
        compute_digest_of_program_code(PACKAGES if package in PACKAGES else ())[:_LETTERS],
        subject.digest,
    )


class DescribedVariant:
    """A variant as a subject: workers get its description."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant

    @property
    def digest(self) -> str:
        """The digest of the description."""
        return self.variant.digest

    def __reduce__(self) -> tuple[Callable[[bytes], DescribedVariant], tuple[bytes]]:
        from playproof.language.description import write

        return _unpickle_described_variant, (write(self.variant.game),)


def _unpickle_described_variant(description_file_bytes: bytes) -> DescribedVariant:
    from playproof.language.description import read
    from playproof.referee.variant import Variant

    return DescribedVariant(Variant.from_described_game(read(description_file_bytes)))


def do_work_and_attach_own_stamp(
    work: Callable[[Any, _I], _R], work_item: _I, pickled_subject: bytes
) -> tuple[ProgramStamp, _R]:
    """Return the answer to one piece of work with this process's stamp. Runs in a worker."""
    subject = _load_cached_pickled_subject(pickled_subject)
    return make_own_stamp_for_work(work, subject), work(subject, work_item)


@lru_cache(maxsize=8)
def _load_cached_pickled_subject(pickled_subject: bytes) -> Any:
    """Return the subject, read once for all pieces of a run."""
    return pickle.loads(pickled_subject)


def allow_daemon_to_have_children() -> None:
    """Let this process of a worker have children, which end with it. Dask starts its workers as daemons, and Python
    forbids daemons to have any."""
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]


def count_cluster_threads_or_one(dask_client: Any) -> int:
    """Return how many pieces of work a cluster can do at once. Raises WorkerMismatchError if its scheduler is gone."""
    return _count_worker_threads(dask_client) or 1


def _count_worker_threads(dask_client: Any) -> int:
    """Return how many threads the workers have now."""
    return sum(_call_scheduler_or_raise_worker_mismatch(dask_client.nthreads).values())


def _call_scheduler_or_raise_worker_mismatch(function: Callable[..., _R], *arguments: Any, **keywords: Any) -> _R:
    """Return what the scheduler answers. Raises WorkerMismatchError if it is gone."""
    try:
        return function(*arguments, **keywords)
    except Exception as error:  # Dask raises what its connection happens to meet
        raise WorkerMismatchError(f"the Dask scheduler is gone: {type(error).__name__}: {error}") from error


def map_items_on_dask_workers_in_order(
    dask_client: Any, subject: _S, work: Callable[[_S, _I], _R], work_items: Iterable[_I]
) -> Iterator[_R]:
    """Yield `work(subject, item)` for each item in order, done by the workers of a Dask cluster. The scheduler knows of
    a few items at a time, so that it never holds a whole run; work that a lost worker had is done again by another.
    Cancels the rest if the caller stops asking. Raises WorkerMismatchError if a worker has another stamp, or none,
    or cannot do the work."""
    ours = make_own_stamp_for_work(work, subject)
    # A task and no scattered data: the scheduler makes it again if the workers that hold it are lost.
    sent = _call_scheduler_or_raise_worker_mismatch(dask_client.submit, bytes, pickle.dumps(subject), pure=False)
    left, open_ = iter(work_items), deque[Any]()

    def begin(count: int) -> None:
        for item in islice(left, count):
            open_.append(
                _call_scheduler_or_raise_worker_mismatch(
                    dask_client.submit, do_work_and_attach_own_stamp, work, item, sent, pure=False
                )
            )

    try:
        begin(_AHEAD * count_cluster_threads_or_one(dask_client))
        while open_:
            theirs, answer = _wait_for_answer_logging_delays(dask_client, open_[0], ours)
            if theirs != ours:
                raise WorkerMismatchError(
                    f"expected workers with {ours}; found one with {theirs}; start the "
                    "workers again, with the same files"
                )
            open_.popleft()
            begin(max(0, _AHEAD * count_cluster_threads_or_one(dask_client) - len(open_)))  # workers may come and go
            yield answer
    finally:
        with suppress(Exception):  # a scheduler that is gone has nothing left to cancel
            dask_client.cancel([*open_, sent])


def _wait_for_answer_logging_delays(dask_client: Any, future: Any, own_stamp: ProgramStamp) -> tuple[ProgramStamp, Any]:
    """Return a worker's answer. While none comes, say why on the log from time to time."""
    from playproof.referee.bots.base import BotError

    began = last_message = monotonic()
    while True:
        try:
            answer: tuple[ProgramStamp, Any] = future.result(timeout=PATIENCE)
            return answer
        except TimeoutError as error:
            if future.status == "error":  # the work itself raised it
                raise WorkerMismatchError(_describe_worker_failure(error, own_stamp)) from error
        except (BotError, BoundsError):
            raise
        except Exception as error:
            raise WorkerMismatchError(_describe_worker_failure(error, own_stamp)) from error
        now = monotonic()
        alone = not _count_worker_threads(dask_client)
        if alone or now - last_message > _QUIET:
            _logger.warning(_describe_why_no_result_comes(no_workers=alone, seconds=now - began))
            last_message = now


def _describe_worker_failure(error: Exception, own_stamp: ProgramStamp) -> str:
    if "Cancelled" in type(error).__name__:  # Dask's name for work that its scheduler no longer has
        return f"the Dask scheduler gave the work up: {error}"
    return f"a worker cannot do this work: {type(error).__name__}: {error}; expected workers with {own_stamp}"


def _describe_why_no_result_comes(*, no_workers: bool, seconds: float) -> str:
    if no_workers:
        return f"no Dask worker is there; the run waits for one, {seconds:.0f} s so far (Ctrl-C ends it)"
    return f"no result for {seconds:.0f} s; the Dask workers are busy (Ctrl-C ends the run)"
