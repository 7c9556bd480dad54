"""What a report and the workshop ask the verifier: the chance or score of best play, and the claims
that a save touches. Neither `lab` nor `table` may import it.

The table may not import the prover. This module gives it what it needs (`playproof.table.claim_watch.AskClaims`)."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.database.process_memory import make_c_library_keep_freed_memory
from playproof.database.worker_processes import prepare_worker_process_of_parent
from playproof.table.claim_watch import AskClaims, ClaimAnswer, TouchedClaims

if TYPE_CHECKING:
    from playproof.lab.report import BestPlay
    from playproof.referee.variant import Variant
    from playproof.verifier.questions.verdicts import Answer


# -- best play -----------------------------------------------------------------------------------------------
# The chance, or the score, of best play as the verifier knows it, for a report: proved, or two bounds, each
# proved or called an estimate.


def compute_best_play_if_single_side(
    variant: Variant, work_budget: float, report_progress: Callable[[str], None], *, seeing: str = ""
) -> BestPlay | None:
    """Return what the best player of a side against nobody reaches; None for games of several sides, and where nothing
    is known. `work_budget` is what the verifier may do, in units of about a second. `seeing` "all" asks for players who
    share all they see."""
    from playproof.lab.report import BestPlay
    from playproof.referee.batches import is_played_only_for_score
    from playproof.verifier.prove import prove
    from playproof.verifier.questions.claims import Question

    if len(variant.game.sides) != 1 or not work_budget:
        return None
    question = Question("chance", "luck", {"outcome": "win"}, seeing=seeing)
    if is_played_only_for_score(variant.game):
        question = Question("score", "worth", {"score": 0, "play": "best"}, seeing=seeing)
    made = prove(
        variant.ref,
        dict(variant.options),
        dict(variant.rulings),
        claims=[question],
        work=work_budget,
        progress=report_progress,
    )
    if not made:
        return None
    answer = made[0]
    if isinstance(answer.value, int | float) and answer.verdict.value != "UNKNOWN":
        value = float(answer.value)
        return BestPlay(value, value, value, proved=True)
    return choose_closest_best_play_bounds(answer.bound, is_chance=question.ask == "luck")


def choose_closest_best_play_bounds(
    proved_and_estimated_bounds: Mapping[str, Any], *, is_chance: bool
) -> BestPlay | None:
    """Return the closer of what is proved and what is estimated, from below and from above; None if nothing is known.
    That a chance is 0 at least and 1 at most says nothing."""
    from playproof.lab.report import BestPlay
    from playproof.verifier.questions.verdicts import ESTIMATED

    estimated = proved_and_estimated_bounds.get(ESTIMATED, {})
    low, high = proved_and_estimated_bounds.get("at least"), proved_and_estimated_bounds.get("at most")
    if is_chance:
        low, high = low or None, None if high == 1 else high
    least, most = estimated.get("at least"), estimated.get("at most")
    low_proved = low is not None and (least is None or low >= least)
    high_proved = high is not None and (most is None or high <= most)
    low, high = low if low_proved else least, high if high_proved else most
    if low is None and high is None:
        return None
    words = str(estimated.get("words", ""))
    return BestPlay(None, low, high, False, words, low_proved=low_proved, high_proved=high_proved)


def prove_basic_facts_as_english_sentences(
    variant: Variant, work_budget: float, report_progress: Callable[[str], None]
) -> list[str]:
    """Return what the verifier shows of a game in little work, as sentences for readers who do not know it."""
    from playproof.verifier.prove import prove
    from playproof.verifier.questions.claims import Question

    won = {"outcome": "win"}
    asked = [
        Question("won", "reach", won),
        Question("nearest", "distance", {"nearest": won}),
        Question("no dead end", "always", "no dead end"),
        Question("dead", "dead", {"every": "action"}),
    ]
    settings = dict(variant.options), dict(variant.rulings)
    answers = {a.id: a for a in prove(variant.ref, *settings, claims=asked, work=work_budget, progress=report_progress)}
    known = {name: a.value for name, a in answers.items() if a.verdict.value not in ("UNKNOWN", "VACUOUS")}
    facts = []
    if known.get("won") is True:
        facts.append("The game can be won.")
    if isinstance(known.get("nearest"), int):
        facts.append(f"The quickest win takes {known['nearest']} steps, draws and rolls included.")
    if known.get("no dead end") is True:
        facts.append("Whoever is to act can always do something.")
    if known.get("dead") == []:
        facts.append("There is no dead card or action: each can happen in some game.")
    return facts


# -- saved claims --------------------------------------------------------------------------------------------
# What the workshop asks after each save: the claims that it touches, answered by a process of its own.

_LONGEST = 160  # letters of a value


def make_function_answering_touched_claims(game_ref: str, evidence_folder: Path) -> AskClaims:
    """Return what asks the claims of a game. Evidence of earlier proofs lies below `evidence_folder`."""
    return partial(_send_claim_answers_from_worker_process, game_ref, evidence_folder, os.getpid())


def _send_claim_answers_from_worker_process(
    game_ref: str,
    evidence_folder: Path,
    server_process_id: int,
    pickled_fingerprints_before: bytes | None,
    pipe: Connection,
) -> None:
    """Send what a save touches, and each answer. Runs in a process that a newer save ends."""
    prepare_worker_process_of_parent(server_process_id, nice=5)  # a page is answered before a claim is asked
    make_c_library_keep_freed_memory()
    try:
        _send_touched_claims_then_answers(game_ref, evidence_folder, pickled_fingerprints_before, pipe)
    except Exception as error:  # rules are anybody's Python; the page says what went wrong with them
        pipe.send(f"{type(error).__name__}: {error}")


def _send_touched_claims_then_answers(
    game_ref: str, evidence_folder: Path, pickled_fingerprints_before: bytes | None, pipe: Connection
) -> None:
    from playproof.errata.claims import SavedGameClaims

    saved = SavedGameClaims(game_ref)
    marks = saved.marks if pickled_fingerprints_before is None else pickle.loads(pickled_fingerprints_before)
    touched = saved.list_claims_affected_since(marks)
    pipe.send(TouchedClaims(pickle.dumps(saved.marks), len(saved.marks), tuple(q.id for q in touched)))
    saved.answer_touched_claims_in_processes(
        touched,
        marks,
        evidence_folder,
        os.cpu_count() or 1,
        lambda answer: pipe.send(_make_claim_answer_for_page(answer)),
    )


def _make_claim_answer_for_page(answer: Answer) -> ClaimAnswer:
    from playproof.verifier.questions.verdicts import format_value_for_people

    value = format_value_for_people(answer.value, _LONGEST)
    if answer.verdict.value == "REFUTED" and answer.expect is not None:
        value = f"expected {format_value_for_people(answer.expect, _LONGEST)}, found {value}"
    return ClaimAnswer(
        answer.id, answer.says, answer.verdict.value, answer.reason or value, answer.verdict.value != "PROVEN"
    )
