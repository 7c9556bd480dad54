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

from playproof.database.places import program_digest, version
from playproof.language.errors import BoundsError

if TYPE_CHECKING:
    from playproof.referee.variant import Variant

ROOMS = ("database", "referee", "language")  # whose code decides how a described game is played
PATIENCE = 5.0
"""Seconds between two looks for workers while no result comes."""
_QUIET = 60.0  # seconds without a result after which that is told though there are workers
_AHEAD = 4  # pieces of work per thread that the scheduler knows of
_LETTERS = 12
_logger = logging.getLogger("playproof")
_S = TypeVar("_S", bound="Subject")
_I = TypeVar("_I")
_R = TypeVar("_R")


class Subject(Protocol):
    """What work is about. It is pickled whole, and the digest is computed again from what a worker receives."""

    @property
    def digest(self) -> str:
        """The digest of all that decides the results."""


class OtherWorkers(RuntimeError):
    """The workers do not run this program or this game. The message names both."""


class Stamp(NamedTuple):
    """The version and digest of a program, and the digest of the game's description as that program has
    it."""

    version: str
    program: str
    game: str

    def __str__(self) -> str:
        return f"playproof {self.version}, program {self.program}, game {self.game[:_LETTERS]}"


def program_stamp(variant: Variant) -> Stamp:
    """Return this process's stamp for playing a game."""
    return Stamp(version(), program_digest(ROOMS)[:_LETTERS], variant.digest)


def stamp_of(work: Callable[..., object], subject: Subject) -> Stamp:
    """Return this process's stamp for work on a subject."""
    room = work.__module__.split(".")[1]
    return Stamp(version(), program_digest(ROOMS if room in ROOMS else ())[:_LETTERS], subject.digest)


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

        return _described, (write(self.variant.game),)


def _described(description: bytes) -> DescribedVariant:
    from playproof.language.description import read
    from playproof.referee.variant import Variant

    game = read(description)
    game.foreign = False  # the driver is trusted anyway: it sends pickles; and it plays the same code
    return DescribedVariant(Variant.described(game))


def stamped(work: Callable[[Any, _I], _R], item: _I, sent: bytes) -> tuple[Stamp, _R]:
    """Return the answer to one piece of work with this process's stamp. Runs in a worker."""
    subject = _received(sent)
    return stamp_of(work, subject), work(subject, item)


@lru_cache(maxsize=8)
def _received(sent: bytes) -> Any:
    """Return the subject, read once for all pieces of a run."""
    return pickle.loads(sent)


def may_have_children() -> None:
    """Let this process of a worker have children, which end with it. Dask starts its workers as daemons, and Python
    forbids daemons to have any."""
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]


def width(client: Any) -> int:
    """Return how many pieces of work a cluster can do at once. Raises OtherWorkers if its scheduler is gone."""
    return _threads(client) or 1


def _threads(client: Any) -> int:
    """Return how many threads the workers have now."""
    return sum(_heard(client.nthreads).values())


def _heard(ask: Callable[..., _R], *parts: Any, **how: Any) -> _R:
    """Return what the scheduler answers. Raises OtherWorkers if it is gone."""
    try:
        return ask(*parts, **how)
    except Exception as error:  # Dask raises what its connection happens to meet
        raise OtherWorkers(f"the Dask scheduler is gone: {type(error).__name__}: {error}") from error


def on_cluster(client: Any, subject: _S, work: Callable[[_S, _I], _R], items: Iterable[_I]) -> Iterator[_R]:
    """Yield `work(subject, item)` for each item in order, done by the workers of a Dask cluster. The scheduler knows of
    a few items at a time, so that it never holds a whole run; work that a lost worker had is done again by another.
    Cancels the rest if the caller stops asking. Raises OtherWorkers if a worker has another stamp, or none, or cannot
    do the work."""
    ours = stamp_of(work, subject)
    # A task and no scattered data: the scheduler makes it again if the workers that hold it are lost.
    sent = _heard(client.submit, bytes, pickle.dumps(subject), pure=False)
    left, open_ = iter(items), deque[Any]()

    def begin(count: int) -> None:
        for item in islice(left, count):
            open_.append(_heard(client.submit, stamped, work, item, sent, pure=False))

    try:
        begin(_AHEAD * width(client))
        while open_:
            theirs, answer = _answer(client, open_[0], ours)
            if theirs != ours:
                raise OtherWorkers(
                    f"expected workers with {ours}; found one with {theirs}; start the "
                    "workers again, with the same files"
                )
            open_.popleft()
            begin(max(0, _AHEAD * width(client) - len(open_)))  # workers may come and go
            yield answer
    finally:
        with suppress(Exception):  # a scheduler that is gone has nothing left to cancel
            client.cancel([*open_, sent])


def _answer(client: Any, future: Any, ours: Stamp) -> tuple[Stamp, Any]:
    """Return a worker's answer. While none comes, say why on the log from time to time."""
    from playproof.referee.bots.base import BotError

    began = last_message = monotonic()
    while True:
        try:
            answer: tuple[Stamp, Any] = future.result(timeout=PATIENCE)
            return answer
        except TimeoutError as error:
            if future.status == "error":  # the work itself raised it
                raise OtherWorkers(_cannot(error, ours)) from error
        except (BotError, BoundsError):
            raise
        except Exception as error:
            raise OtherWorkers(_cannot(error, ours)) from error
        now = monotonic()
        alone = not _threads(client)
        if alone or now - last_message > _QUIET:
            _logger.warning(_waiting(alone=alone, seconds=now - began))
            last_message = now


def _cannot(error: Exception, ours: Stamp) -> str:
    if "Cancelled" in type(error).__name__:  # Dask's name for work that its scheduler no longer has
        return f"the Dask scheduler gave the work up: {error}"
    return f"a worker cannot do this work: {type(error).__name__}: {error}; expected workers with {ours}"


def _waiting(*, alone: bool, seconds: float) -> str:
    if alone:
        return f"no Dask worker is there; the run waits for one, {seconds:.0f} s so far (Ctrl-C ends it)"
    return f"no result for {seconds:.0f} s; the Dask workers are busy (Ctrl-C ends the run)"
