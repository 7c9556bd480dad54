"""Play batches of games on a Dask cluster whose workers run the same program.

The driver sends the game's description; a worker needs neither its rules nor its cards. It answers with its
stamp: its program, and the digest of the game that it read. The driver compares the stamp with its own, so
that games of other rules or of another program are never counted together. Results are pickles, so name
only a cluster that you trust.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.database.places import PACKAGE, version
from playproof.language.errors import BoundsError
from playproof.referee.batches import Batch, play_batch
from playproof.referee.tally import Tally

if TYPE_CHECKING:
    from playproof.referee.variant import Variant

ROOMS = ("database", "referee", "language")  # whose code decides how a described game is played
PATIENCE = 5.0
"""Seconds between two looks for workers while no result comes."""
_QUIET = 60.0  # seconds without a result after which that is told though there are workers
_LETTERS = 12
_logger = logging.getLogger("playproof")


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


def stamp_of(batch: Batch) -> Stamp:
    """Return this process's stamp for a batch."""
    return program_stamp(batch.variant)


def program_stamp(variant: Variant) -> Stamp:
    """Return this process's stamp for a game."""
    return Stamp(version(), _program(), variant.digest)


@lru_cache(maxsize=1)
def _program() -> str:
    """Return a digest of the code that plays."""
    made = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((PACKAGE / room).rglob("*.py")):
            made.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return made.hexdigest()[:_LETTERS]


def stamped(batch: Batch, description: bytes) -> tuple[Stamp, Tally]:
    """Play a batch of the described game, and return its tally with this process's stamp. Runs in a worker."""
    described = replace(batch, variant=_received(description))
    return stamp_of(described), play_batch(described)


@lru_cache(maxsize=8)
def _received(description: bytes) -> Variant:
    """Return the described game, read once for all batches of a run."""
    from playproof.language.description import read
    from playproof.referee.variant import Variant

    game = read(description)
    game.foreign = False  # the driver is trusted anyway: it sends pickles; and it plays the same code
    return Variant.described(game)


def on_cluster(client: Any, batches: Sequence[Batch]) -> Iterator[Tally]:
    """Yield the tallies of batches on a Dask cluster. Cancels the rest if the caller stops asking. Raises
    OtherWorkers if a worker has another stamp, or none, or cannot play the game."""
    from playproof.language.description import write

    ours = stamp_of(batches[0])
    description = client.scatter(write(batches[0].variant.game), broadcast=True)
    futures = client.map(stamped, batches, description=description, pure=False)
    try:
        for future in futures:
            theirs, tally = _answer(client, future, ours)
            if theirs != ours:
                raise OtherWorkers(
                    f"expected workers with {ours}; found one with {theirs}; start the "
                    "workers again, with the same files"
                )
            yield tally
    finally:
        if hasattr(client, "cancel"):
            client.cancel(futures)


def _answer(client: Any, future: Any, ours: Stamp) -> tuple[Stamp, Tally]:
    """Return a worker's answer. While none comes, say why on the log from time to time."""
    from playproof.referee.bots.base import BotError

    began = last_message = monotonic()
    while True:
        try:
            answer: tuple[Stamp, Tally] = future.result(timeout=PATIENCE)
            return answer
        except TimeoutError as error:
            if future.status == "error":  # the work itself raised it
                raise OtherWorkers(_cannot(error, ours)) from error
        except (BotError, BoundsError):
            raise
        except Exception as error:
            raise OtherWorkers(_cannot(error, ours)) from error
        now = monotonic()
        alone = not client.nthreads()
        if alone or now - last_message > _QUIET:
            _logger.warning(_waiting(alone=alone, seconds=now - began))
            last_message = now


def _cannot(error: Exception, ours: Stamp) -> str:
    if "Cancelled" in type(error).__name__:  # Dask's name for work that its scheduler no longer has
        return f"the Dask scheduler gave the work up: {error}"
    return f"a worker cannot play this game: {type(error).__name__}: {error}; expected workers with {ours}"


def _waiting(*, alone: bool, seconds: float) -> str:
    if alone:
        return f"no Dask worker is there; the run waits for one, {seconds:.0f} s so far (Ctrl-C ends it)"
    return f"no result for {seconds:.0f} s; the Dask workers are busy (Ctrl-C ends the run)"
