"""Certificates from methods to the kernel: built of what is found, checked in a child process that can be
ended, and what the kernel accepted earlier in this case or on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar, cast

import z3

from playproof.database.errors import make_error_picklable_with_its_place
from playproof.database.files import format_json_bytes, write_file_atomically
from playproof.database.installation import compute_digest_of_program_code
from playproof.database.worker_processes import ForkedCall, can_fork
from playproof.language.cache import ensure_private_cache_folder
from playproof.language.explorer import Exploration as Explored
from playproof.language.game import Game
from playproof.language.game_analysis import compute_values_assigned_to_phase_fields
from playproof.verifier.kernel.certificate import Z3, Certificate, NotShown
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.state_graphs import MOST_STATES, enumerate_game_states_cached
from playproof.verifier.kernel.statements import Event, Subject
from playproof.verifier.kernel.transcript import TranscriptCertificate
from playproof.verifier.search import case as counted, portfolio
from playproof.verifier.search.case import RLIMIT, Budget, Cache, GameCase, add_work_units_done

# -- evidence ------------------------------------------------------------------------------------------------
# Certificates of what methods find, and a function that writes a file whole.

_LINES = {"idents": "words", "line": "words", "other": "others"}
"""Where certificates hold lines of play, and where the same in words."""
CertificateOffer = tuple[Certificate, ...]
"""Certificates that may show one statement, likeliest first."""


@dataclass(frozen=True)
class MethodProof:
    """What a method shows: its name, the certificates for the kernel, and in the game's words why it is so, if the
    method says that."""

    method: str
    offer: CertificateOffer
    because: str = ""


def build_transcript_showing_statement(
    case: GameCase, statement: Subject, action_ids: Sequence[int]
) -> TranscriptCertificate:
    """Return the certificate of a line of play. If it is about an action, that is the last of the line."""
    line = tuple(int(ident) for ident in action_ids)
    return TranscriptCertificate(statement, line, tuple(map(case.game.show, line)))


def build_invariant_certificates_excluding_event(
    case: GameCase, event: Event, conditions: Sequence[str], integers_first: bool = True
) -> CertificateOffer:
    """Return certificates that every step keeps these conditions, which exclude the event: the conditions alone,
    then with those on phases, each over integers first or over bit-vectors first."""
    return tuple(
        InvariantCertificate(event, (Lemma(conjuncts, first, ()),) if conjuncts else (), False)
        for conjuncts in (tuple(conditions), (*conditions, *build_reachable_phase_condition_texts(case.game)))
        for first in (integers_first, not integers_first)
    )


def build_exploration_certificate_excluding_event(
    case: GameCase, event: Event, exploration: Explored, until_round: int | None = None
) -> CertificateOffer:
    """Return the certificate that the event is in no state, or in none up to a round."""
    limit = ("", 0) if until_round is None else (str(case.game.facts["round"]), until_round)
    states, rise = exploration.states, int(exploration.states > MOST_STATES)
    if until_round is not None:
        try:  # the kernel also counts states beyond the last round, without expanding them
            states, rise = len(enumerate_game_states_cached(case.game, MOST_STATES, case.context, limit).cells), 0
        except NotShown:
            states, rise = max(exploration.layers[until_round], MOST_STATES + 1), 1
    return (ClosedSetCertificate(event, Listing(states, "", *limit, rise=rise)),)


def build_exploration_offer_or_empty_if_many(statement: Subject, exploration: Explored) -> CertificateOffer:
    """Return the certificate that a statement holds of all states; none if they are more than the kernel goes
    through."""
    listing = Listing(exploration.states)
    return (ClosedSetCertificate(statement, listing),) if listing.states <= MOST_STATES else ()


def get_lines_of_certificate_by_field(certificate: Certificate) -> dict[str, tuple[int, ...]]:
    """Return the lines of play that a certificate holds, by the names of its fields."""
    names = [name for name, words in _LINES.items() if hasattr(certificate, name) and hasattr(certificate, words)]
    return {name: getattr(certificate, name) for name in names}


def copy_certificate_with_replayed_lines(case: GameCase, certificate: Certificate) -> Certificate:
    """Return a certificate whose lines of another version of the game go as they do in this one."""
    changes: dict[str, Any] = {}
    for name, old in get_lines_of_certificate_by_field(certificate).items():
        idents = tuple(portfolio.play_game_along_old_line(case, old).idents[: len(old)])
        changes |= {name: idents, _LINES[name]: tuple(map(case.game.show, idents))}
    made: Certificate = replace(cast(Any, certificate), **changes)
    return made


def build_reachable_phase_condition_texts(game: Game) -> list[str]:
    """Return, as conditions, which phases the game ever goes to. Steps keep these conditions
    together."""
    conditions = []
    for number, values in compute_values_assigned_to_phase_fields(game).items():
        f = game.fields[number]
        if len(values) <= f.hi - f.lo:  # the field does not take all values of its type
            conditions.append(" or ".join(f"{f.name} == {v}" for v in sorted(values)))
    return conditions


def write_json_file_atomically(path: Path, json_content: dict[str, Any]) -> None:
    """Write a JSON file whole or not at all, and create its folder if necessary."""
    write_file_atomically(path, format_json_bytes(json_content))


# -- kernel submission ---------------------------------------------------------------------------------------
# Takes certificates to the kernel. Those that ask Z3 are checked in a child process that can be ended.

T = TypeVar("T")
KernelAnswers = list[tuple[int | None, str]]


def find_accepted_index_or_reason_per_list(
    case: GameCase, certificate_lists: Sequence[Sequence[Certificate]], budget: Budget
) -> KernelAnswers:
    """Return, for each list, the place of the first certificate accepted, or None and the reason.
    Lists that ask Z3 are checked in a child process that can be ended; this process remembers what
    the child showed."""

    def judge(_: Budget | None = None) -> KernelAnswers:
        return [_find_first_accepted_index_or_reason(case, certificates) for certificates in certificate_lists]

    asks_z3 = any(certificate.rests == Z3 for certificate in chain.from_iterable(certificate_lists))
    if not asks_z3:
        return judge()
    answers = run_in_child_and_merge_its_context_or_none(case, judge, budget)
    return answers or [(None, f"stopped by the clock after {budget.seconds:.0f} s") for _ in certificate_lists]


def run_in_child_and_merge_its_context_or_none(
    case: GameCase, function: Callable[[Budget], T | None], budget: Budget
) -> T | None:
    """Return the result of `function`, run within the budget in a child process that can be ended. This
    process takes over what the kernel settled there, so it does not ask for it again."""
    context = case.context

    def judge(own: Budget) -> tuple[T | None, set[tuple[Hashable, ...]], set[bytes], dict[bytes, tuple[str, int]]]:
        z3.z3.Z3_DEBUG = False  # Z3 checks sorts itself; a second check in Python takes a third of the time
        settled, steps, answers = set(context.settled), set(context.steps), dict(context.answers)
        allowed = int(own.work * RLIMIT)
        with context.limit_z3_work_temporarily(allowed):
            result = function(own)
            add_work_units_done((allowed - context.work) / RLIMIT)
        fresh = {key: reply for key, reply in context.answers.items() if answers.get(key) != reply}
        return result, context.settled - settled, context.steps - steps, fresh

    learned = run_in_child_within_budget_or_none(judge, budget)
    if learned is None:
        return None
    result, settled, steps, answers = learned
    context.settled.update(settled)
    context.steps.update(steps)
    context.answers.update(answers)
    return result


def _find_first_accepted_index_or_reason(case: GameCase, certificates: Sequence[Certificate]) -> tuple[int | None, str]:
    """Return the place of the first certificate that the kernel accepts, or None and the first
    reason for refusing one."""
    reason = ""
    for place, certificate in enumerate(certificates):
        try:
            check_certificate_to_theorem(certificate, case.game, case.context)
            return place, ""
        except NotShown as error:
            reason = reason or str(error)
    return None, reason


# -- child ---------------------------------------------------------------------------------------------------
# Runs work in a forked child that keeps to its budget and that the emergency stop ends. Code that builds
# large formulas or asks Z3 cannot always be stopped from within, and no answer may take longer than
# allowed.

_LEAST = 0.05  # work that is worth a child


def run_in_child_within_budget_or_none(
    function: Callable[[Budget], T | None], budget: Budget, share: float = 1.0
) -> T | None:
    """Return the result of `function` within a share of the budget, or None. Raises what `function` raises.

    The result passes through a pipe, so it is plain data. What the work learns about the case stays
    in the child; its cost counts here. If the system cannot fork, the work runs in this process and
    keeps to the budget as well as it can.
    """
    own = budget.make_budget_of_share(share)
    own.progress = None
    if own.left < _LEAST:
        return None
    if not can_fork():
        return function(own)
    call = ForkedCall(partial(_run_and_get_result_or_error_with_cost, function, own), daemon=True)
    try:
        in_time = call.pipe.poll(max(0.0, own.end - perf_counter()))
        result, cost = call.wait_for_result() if in_time else (None, own.left)
        counted.add_work_units_done(cost)
    except EOFError:  # the child is gone: out of memory, or ended by hand
        result = None
    finally:
        call.kill_child()
    if isinstance(result, Exception):
        raise result
    return result


def _run_and_get_result_or_error_with_cost(
    function: Callable[[Budget], T | None], budget: Budget
) -> tuple[T | Exception | None, float]:
    """Return the result of the work or what it raises, and what it has cost. Runs in the child."""
    before = counted.get_work_units_done()
    result: T | Exception | None
    try:
        with counted.limit_z3_to_time_or_work_within_context(budget.end, budget.left):
            result = function(budget)
    except MemoryError:
        result = None
    except Exception as error:  # `run_in_child_within_budget_or_none` raises it in the parent
        result = make_error_picklable_with_its_place(error)
    return result, counted.get_work_units_done() - before


# -- known layers --------------------------------------------------------------------------------------------
# Layers of conditions that the kernel has accepted for a case, by their words: a claim that rests on the
# same conditions need not look for a proof of them.

ConditionTexts = tuple[str, ...]
LemmasByConditions = dict[tuple[ConditionTexts, ConditionTexts], Lemma]
"""Layers by the conditions that they assume, and by their own."""
LAYERS: Cache[tuple[ConditionTexts, ConditionTexts], Lemma] = Cache()


def has_kernel_accepted_lemma(case: GameCase, conditions: Sequence[str]) -> bool:
    """Return whether the kernel has accepted a layer of these conditions."""
    return any(words == tuple(conditions) for _, words in LAYERS.get_entries_of_case(case))


def store_lemmas_of_accepted_certificate(case: GameCase, certificate: Certificate) -> None:
    """Keep the layers of a certificate that the kernel has accepted, for claims that rest on the same conditions."""
    for key, layer in map_conditions_to_lemmas_of_certificate(case.game, certificate).items():
        LAYERS.get_entries_of_case(case).setdefault(key, layer)


def map_conditions_to_lemmas_of_certificate(game: Game, certificate: Certificate) -> LemmasByConditions:
    """Return the layers of a certificate by the conditions that they assume and by their own, those of phases apart."""
    layers = certificate.layers if isinstance(certificate, InvariantCertificate) else ()
    of_phases = tuple(build_reachable_phase_condition_texts(game))
    by_words: LemmasByConditions = {}
    for layer in layers:
        assumed = tuple(text for n in layer.on for text in layers[n].conjuncts)
        by_words[assumed, layer.conjuncts] = layer
        if of_phases and layer.conjuncts[-len(of_phases) :] == of_phases:
            by_words[assumed, layer.conjuncts[: -len(of_phases)]] = layer
    return by_words


# -- shown steps ---------------------------------------------------------------------------------------------
# What earlier runs showed of steps (`kernel/induction.py`), in the user's cache folder: a digest for each
# question.

_ROOMS = ("verifier", "language", "database")
"""The packages whose code decides what a digest says."""
_LETTERS = 64


def load_digests_of_proved_steps_or_empty() -> set[bytes]:
    """Return the digests that runs of this program with this Z3 kept. A line that a stopped process left half written
    counts for nothing."""
    try:
        lines = _get_path_of_step_digest_cache().read_text("ascii").split()
        return {bytes.fromhex(line) for line in lines if len(line) == _LETTERS}
    except (OSError, ValueError):
        return set()


def try_to_store_new_step_digests(digests: set[bytes]) -> None:
    """Keep digests for later runs. Several processes may do so at once: each adds in one piece what is not there.
    Where the cache is full, they are not kept: this saves later runs work, and no answer rests on it."""
    text = "".join(f"\n{digest.hex()}" for digest in sorted(digests - load_digests_of_proved_steps_or_empty()))
    if not text:
        return
    with suppress(OSError):
        path = _get_path_of_step_digest_cache()
        path.parent.mkdir(exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, f"{text}\n".encode())
        finally:
            os.close(file)


def _get_path_of_step_digest_cache() -> Path:
    name = f"{compute_digest_of_program_code(_ROOMS)[:32]}-{z3.get_version_string()}"
    return ensure_private_cache_folder() / "steps" / name
