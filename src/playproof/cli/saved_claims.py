"""What the workshop asks after each save: the claims that it touches, answered by a process of its own.

The table may not import the prover. This module gives it what it needs (`playproof.table.claim_watch.Ask`).
"""

from __future__ import annotations

import os
import pickle
import signal
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.process_memory import keep_memory
from playproof.database.worker_process import watch_for
from playproof.table.claim_watch import Answered, Ask, Touched

if TYPE_CHECKING:
    from playproof.verifier.questions.verdicts import Answer

_LONGEST = 160  # letters of a value


def asking(ref: str, output: Path) -> Ask:
    """Return what asks the claims of a game. Evidence of earlier proofs lies below `output`."""
    return partial(_ask, ref, output, os.getpid())


def _ask(ref: str, output: Path, server: int, before: bytes | None, pipe: Connection) -> None:
    """Send what a save touches, and each answer. Runs in a process that a newer save ends."""
    watch_for(server)
    keep_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    if hasattr(os, "nice"):  # not on Windows
        os.nice(5)  # a page is answered before a claim is asked
    try:
        _answer(ref, output, before, pipe)
    except Exception as error:  # rules are anybody's Python; the page says what went wrong with them
        pipe.send(f"{type(error).__name__}: {error}")


def _answer(ref: str, output: Path, before: bytes | None, pipe: Connection) -> None:
    from playproof.errata.saved import Saved

    saved = Saved(ref)
    marks = saved.marks if before is None else pickle.loads(before)
    touched = saved.touched(marks)
    pipe.send(Touched(pickle.dumps(saved.marks), len(saved.marks), tuple(q.id for q in touched)))
    saved.answers(touched, marks, output, os.cpu_count() or 1, lambda answer: pipe.send(_worded(answer)))


def _worded(answer: Answer) -> Answered:
    from playproof.verifier.wording import shown_value

    value = shown_value(answer.value, _LONGEST)
    if answer.verdict.value == "REFUTED" and answer.expect is not None:
        value = f"expected {shown_value(answer.expect, _LONGEST)}, found {value}"
    return Answered(
        answer.id, answer.says, answer.verdict.value, answer.reason or value, answer.verdict.value != "PROVEN"
    )
