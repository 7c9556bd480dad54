"""What the workshop asks after each save: the claims that it touches, answered by a process of its own.

The table may not import the prover. This module gives it what it needs (`playproof.table.claim_watch.AskClaims`).
"""

from __future__ import annotations

import os
import pickle
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.process_memory import keep_freed_memory
from playproof.database.worker_process import prepare_worker
from playproof.table.claim_watch import AskClaims, ClaimAnswer, TouchedClaims

if TYPE_CHECKING:
    from playproof.verifier.questions.verdicts import Answer

_LONGEST = 160  # letters of a value


def make_claim_asker(ref: str, output: Path) -> AskClaims:
    """Return what asks the claims of a game. Evidence of earlier proofs lies below `output`."""
    return partial(_answer_claims_in_process, ref, output, os.getpid())


def _answer_claims_in_process(
    ref: str, output: Path, server_process_id: int, pickled_marks_before: bytes | None, pipe: Connection
) -> None:
    """Send what a save touches, and each answer. Runs in a process that a newer save ends."""
    prepare_worker(server_process_id, nice=5)  # a page is answered before a claim is asked
    keep_freed_memory()
    try:
        _send_affected_claims_and_answers(ref, output, pickled_marks_before, pipe)
    except Exception as error:  # rules are anybody's Python; the page says what went wrong with them
        pipe.send(f"{type(error).__name__}: {error}")


def _send_affected_claims_and_answers(
    ref: str, output: Path, pickled_marks_before: bytes | None, pipe: Connection
) -> None:
    from playproof.errata.saved import SavedGameClaims

    saved = SavedGameClaims(ref)
    marks = saved.marks if pickled_marks_before is None else pickle.loads(pickled_marks_before)
    touched = saved.find_affected_claims(marks)
    pipe.send(TouchedClaims(pickle.dumps(saved.marks), len(saved.marks), tuple(q.id for q in touched)))
    saved.answer_claims(
        touched, marks, output, os.cpu_count() or 1, lambda answer: pipe.send(_answer_for_page(answer))
    )


def _answer_for_page(answer: Answer) -> ClaimAnswer:
    from playproof.verifier.wording import format_value

    value = format_value(answer.value, _LONGEST)
    if answer.verdict.value == "REFUTED" and answer.expect is not None:
        value = f"expected {format_value(answer.expect, _LONGEST)}, found {value}"
    return ClaimAnswer(
        answer.id, answer.says, answer.verdict.value, answer.reason or value, answer.verdict.value != "PROVEN"
    )
