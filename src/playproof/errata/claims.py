"""A game's claims before and after a change of its cards, or after a save of its files: which of them the
change can touch, and their answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from playproof.database.worker_processes import WorkerProcesses, can_fork, run_tasks_here_or_in_processes
from playproof.errata.claim_asker import (
    ClaimAsker,
    ClaimLimits,
    CpuBudgetOfCores,
    open_store_of_claim_answers,
    sort_claims_quick_first_slow_last,
)
from playproof.errata.claim_comparison import (
    ClaimComparison,
    GameVersions,
    Selector,
    get_words_and_expectation_of_claim,
)
from playproof.verifier.answer_store import list_possible_evidence_folders_of_game
from playproof.verifier.kernel.claim_values import get_rules_property_asked_by_always_or_empty
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.kernel.strict_json import to_canonical_json_text
from playproof.verifier.proof.certificate_offers import load_digests_of_proved_steps_or_empty
from playproof.verifier.prove import VerifierRun, load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.selection import select_sorted_questions_under_settings_or_raise
from playproof.verifier.questions.verdicts import Answer, Verdict, is_claim_about_winning
from playproof.verifier.search.case import WORK, Progress

# A game's claims before and after a change of its cards, in verdicts and in words.

_ALONE = ("ledger", "example", "reach")
"""Kinds of claims whose answers rest on no proof that bounds hold. With a budget of its own, one is slow."""
_SHARE = 0.2
"""So much of the time that is left may one claim spend before all others were asked."""
AnswerPair = tuple[Answer | None, Answer | None]
"""The answers before and after; None where a version was not asked."""


def compare_claim_answers_in_two_versions(
    game_ref: str,
    old_selector: Selector,
    new_selector: Selector,
    *,
    option_values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
    work: float = WORK,
    seconds: float | None = None,
    within: float | None = None,
    games: int = 200_000,
    evidence_folder: Path | None = None,
    proofs: Path = Path("output"),
    progress: Progress | None = None,
    machine: bool | None = None,
    remember: bool = True,
    jobs: int = 1,
    on_winning_known: Callable[[ClaimComparison], None] | None = None,
    versions: GameVersions | None = None,
) -> ClaimComparison:
    """Answer a game's claims in two versions; `versions` are these, if they are built. `on_winning_known` gets what is
    known of winning, before the rest is asked. With `evidence_folder`, the evidence goes to its folders `before` and
    `after`; `proofs` is where `prove` wrote evidence. `within` is how many seconds of CPU each of the `jobs` processes
    may spend. After Ctrl-C, the claims that were answered."""
    versions = versions or GameVersions(
        game_ref, old_selector, new_selector, load_claims_as_questions_or_raise(game_ref, old_selector)
    )
    chosen = _select_touched_and_untouched_claims(versions, only, option_values or {}, rulings or {})
    touched, anew = chosen.touched, chosen.anew
    here = os.getpid()

    def speak(text: str) -> None:
        if progress and os.getpid() == here:  # a forked process shares the screen's locks
            progress(text)

    time = None if within is None else CpuBudgetOfCores(within, jobs)
    limits = ClaimLimits(work, seconds, games, open_store_of_claim_answers() if remember else None, speak, time)
    # What Z3 said of a step that both versions have is asked once.
    context = Context(steps=load_digests_of_proved_steps_or_empty() if remember else set())
    earlier = list_possible_evidence_folders_of_game(game_ref, proofs)
    run = partial(VerifierRun, game_ref, machine=machine, context=context)
    before, after = (
        ClaimAsker(versions, version, run(version), limits, earlier, evidence_folder and evidence_folder / name)
        for version, name in ((old_selector, "before"), (new_selector, "after"))
    )
    pairs: dict[str, AnswerPair] = {}

    def take(question: Question, pair: AnswerPair) -> None:
        pairs[question.id] = pair
        speak(f"{len(pairs)} of {len(touched)} claims answered, the last one `{question.id}`")

    stored = [q.id for q in touched if after.reuse_stored_answer_and_evidence_or_none(anew[q.id]) is not None]
    compare = partial(_make_comparison_of_answers_so_far, pairs, chosen, after, stored)
    with suppress(KeyboardInterrupt):
        left = [q for q in touched if q.id not in stored]
        both = partial(
            _answer_in_old_and_new_version,
            before=before,
            after=after,
            touched=touched,
            reworded_claims=anew,
            grounds_needed=bool(left),
        )
        ready = partial(after.preload_step_formulas_of_frequent_settings, left)
        _answer_claims_in_order_and_parallel(
            touched, both, take, jobs, time, ready, lambda: on_winning_known(compare()) if on_winning_known else None
        )
    return compare()


def _make_comparison_of_answers_so_far(
    answer_pairs: Mapping[str, AnswerPair],
    chosen_claims: _ClaimSelection,
    new_version_asker: ClaimAsker,
    stored_claim_ids: Sequence[str],
) -> ClaimComparison:
    """Return the comparison of the claims that both versions have answered."""
    touched = chosen_claims.touched
    answers = [answer_pairs[question.id] for question in touched if question.id in answer_pairs]
    was, now = (tuple(filter(None, side)) for side in zip(*answers, strict=True)) if answers else ((), ())
    answered = {a.id for a in now if new_version_asker.is_answer_decided_or_time_unlimited(a)}
    waiting = tuple(q.id for q in touched if q.id in answer_pairs and q.id not in answered)
    earlier = tuple(ident for ident in stored_claim_ids if ident in answer_pairs)
    return ClaimComparison(was, now, chosen_claims.alike, waiting, chosen_claims.rewritten, earlier)


@dataclass(frozen=True)
class _ClaimSelection:
    """The claims of a comparison: those to ask, `anew` as they are worded for the new cards, and the ids of those that
    the change does not reach and of those that it words anew."""

    touched: list[Question]
    anew: Mapping[str, Question]
    alike: tuple[str, ...]
    rewritten: tuple[str, ...]


def _select_touched_and_untouched_claims(
    versions: GameVersions, only_claim_ids: Sequence[str], option_values: Mapping[str, str], rulings: Mapping[str, str]
) -> _ClaimSelection:
    questions, following = (
        select_sorted_questions_under_settings_or_raise(versions.ref, claims, only_claim_ids, option_values, rulings)
        for claims in (versions.claims, load_claims_as_questions_or_raise(versions.ref, versions.new))
    )
    anew = {question.id: question for question in following}
    rewritten = tuple(
        q.id
        for q in questions
        if get_words_and_expectation_of_claim(q) != get_words_and_expectation_of_claim(anew[q.id])
    )
    alike = tuple(q.id for q in questions if q.id not in rewritten and versions.has_same_premises_in_both_versions(q))
    return _ClaimSelection([q for q in questions if q.id not in alike], anew, alike, rewritten)


def _answer_in_old_and_new_version(
    question: Question,
    share_of_time: float,
    *,
    before: ClaimAsker,
    after: ClaimAsker,
    touched: Sequence[Question],
    reworded_claims: Mapping[str, Question],
    grounds_needed: bool,
) -> AnswerPair:
    """Return the answers to one claim: remembered, or asked of the new cards, then of the old ones if that is needed.
    `reworded_claims` are the claims as they are worded for the new cards; `grounds_needed` says whether proofs are
    still to come, which rest on the grounds. What a share of the time that is left did not suffice for is None."""
    worded = reworded_claims[question.id]
    was, now = (
        before.reuse_stored_answer_and_evidence_or_none(question),
        after.reuse_stored_answer_and_evidence_or_none(worded),
    )
    if grounds_needed and get_rules_property_asked_by_always_or_empty(question) in (PHASES_END, BOUNDS):
        for asker, entry, each in ((before, was, question), (after, now, worded)):
            if entry is not None:
                asker.recheck_stored_evidence_of_ground(each, entry)
    if now is None:
        now = after.prove_and_store_claim_or_none_if_late(
            worded,
            touched,
            was.file if was else None,
            after.read_evidence_from_folders_or_none(worded),
            share_of_time=share_of_time,
        )
    if (
        was is None
        and now is not None
        and after.is_answer_decided_or_time_unlimited(now.answer)
        and _needs_answer_of_old_version(worded, now.answer)
    ):
        # What the game keeps was mostly found for its cards as they were.
        was = before.prove_and_store_claim_or_none_if_late(
            question,
            touched,
            before.read_evidence_from_folders_or_none(question),
            now.file,
            share_of_time=share_of_time,
        )
    return was.answer if was else None, now.answer if now else None


def _needs_answer_of_old_version(question: Question, new_answer: Answer) -> bool:
    """Return whether it matters what the old cards answered: a claim that holds as it is written is not lost. Whether
    the game could be won is told all the same, and how values moved that the claim does not state."""
    could = is_claim_about_winning(question) and question.ask == "reach"
    return could or question.expect is None or new_answer.verdict is not Verdict.PROVEN


def _answer_claims_in_order_and_parallel(
    questions: Sequence[Question],
    answer_pair: Callable[[Question, float], AnswerPair],
    on_answer: Callable[[Question, AnswerPair], None],
    jobs: int,
    time: CpuBudgetOfCores | None,
    before_proofs: Callable[[], None],
    on_winning_known: Callable[[], None],
) -> None:
    """Answer questions: what counts cards, whether the game can be won, and what else rests on no proof, beside the
    claims on which all proofs rest; then the rest, by processes that have these. `before_proofs` is called before the
    first proof for every step, `on_winning_known` when all is known of winning. How soon one wins is asked among the
    rest: where bounds are shown to hold, no breach is looked for. `answer_pair` gets the share of the time that is left
    which a claim may spend: a small one, so that one hard claim does not leave many others unasked; what did not end is
    asked again last."""
    grounds = [
        q for name in (PHASES_END, BOUNDS) for q in questions if get_rules_property_asked_by_always_or_empty(q) == name
    ]
    by_turn = {
        turn: [q for q in questions if q not in grounds and _get_asking_rank_of_claim_from_zero(q) == turn]
        for turn in range(4)
    }
    # What counts cards takes milliseconds, and is what a change of a card moves most.
    first = sorted([*by_turn[0], *by_turn[1]], key=lambda question: question.ask != "ledger")
    second, rest = by_turn[2], [*by_turn[2], *sort_claims_quick_first_slow_last(by_turn[3])]
    left, leaning, late = {question.id for question in second}, list[Question](), list[Question]()
    ask_all, ask_part = partial(_ask_with_share, answer_pair, 1.0), partial(_ask_with_share, answer_pair, _SHARE)

    def ground(question: Question, pair: AnswerPair) -> None:
        on_answer(question, pair)
        if pair[1] is not None and pair[1].assumed:
            leaning.append(question)

    def again(question: Question, pair: AnswerPair) -> None:
        if pair[1] is not None:  # there was time
            on_answer(question, pair)

    def taken(question: Question, pair: AnswerPair) -> None:
        on_answer(question, pair)
        if pair[1] is None or pair[1].verdict is Verdict.UNKNOWN:
            late.append(question)

    def taken_of_rest(question: Question, pair: AnswerPair) -> None:
        taken(question, pair)
        left.discard(question.id)
        if question in second and not left:
            on_winning_known()

    if jobs < 2 or not can_fork():
        run_tasks_here_or_in_processes(first, ask_part, 1, taken)
        before_proofs()
        run_tasks_here_or_in_processes(sort_claims_quick_first_slow_last(grounds), ask_all, 1, ground)
    else:
        beside = WorkerProcesses(first, ask_part, jobs - 1)
        try:
            before_proofs()
            run_tasks_here_or_in_processes(sort_claims_quick_first_slow_last(grounds), ask_all, 1, ground)
            beside.wait_and_hand_over_results(taken)
        finally:
            beside.stop_processes()
    run_tasks_here_or_in_processes(leaning, ask_all, 1, again)  # on what the bounds show by now
    if not second:
        on_winning_known()
    if time is not None:
        time.start_next_part()
    run_tasks_here_or_in_processes(rest, ask_part, jobs, taken_of_rest)
    if time is not None:
        time.start_next_part()
        run_tasks_here_or_in_processes(late, ask_all, jobs, again)


def _ask_with_share(
    answer_pair: Callable[[Question, float], AnswerPair], share_of_time: float, question: Question
) -> AnswerPair:
    return answer_pair(question, share_of_time)


def _get_asking_rank_of_claim_from_zero(question: Question) -> int:
    """Return when a claim is asked: 0 if it tells whether one can win, or what can never happen; 1 if a replay or a
    count answers it, beside the proofs of the grounds; 2 if it tells more of winning; 3 for all others."""
    if question.ask == "dead" or (is_claim_about_winning(question) and question.ask == "reach"):
        return 0
    if question.ask in _ALONE and not question.budget:
        return 1
    return 2 if is_claim_about_winning(question) else 3


# -- saved ---------------------------------------------------------------------------------------------------
# A game's claims after a save of its files: which of them the save can touch, and their answers as they are
# found.


@dataclass(frozen=True)
class ClaimFingerprint:
    """What decides a claim's answer. `play` changes if a save can touch the claim; `key` is the name under which the
    answer is remembered."""

    play: str
    key: str


ClaimFingerprints = Mapping[str, ClaimFingerprint]


class SavedGameClaims:
    """A game as its files stand now, and what decides the answer of each of its claims."""

    def __init__(self, ref: str, work: float = WORK) -> None:
        """Read the claims and build the descriptions of all settings. `work` limits each claim as in `prove`. Raises
        InputError, OptionError or RulesError."""
        self.ref, self.claims = ref, load_claims_as_questions_or_raise(ref)
        self._asker = ClaimAsker(GameVersions(ref, True, True, self.claims), True, VerifierRun(ref), ClaimLimits(work))
        self._questions = select_sorted_questions_under_settings_or_raise(ref, self.claims, (), {}, {})
        self.marks: ClaimFingerprints = {
            question.id: self._compute_fingerprint(question) for question in self._questions
        }

    def _compute_fingerprint(self, question: Question) -> ClaimFingerprint:
        parts = [
            question.as_json(),
            question.expect,
            self._asker.versions.list_premise_key_of_each_setting(question, True),
        ]
        return ClaimFingerprint(
            sha256(to_canonical_json_text(parts).encode()).hexdigest(), self._asker.make_cache_key_of_answer(question)
        )

    def list_claims_affected_since(self, fingerprints_before: ClaimFingerprints) -> list[Question]:
        """Return the claims that the changes since `fingerprints_before` can touch, those first that are mostly
        soon answered."""
        return sort_claims_quick_first_slow_last(
            [
                question
                for question in self._questions
                if question.id not in fingerprints_before
                or fingerprints_before[question.id].play != self.marks[question.id].play
            ]
        )

    def answer_touched_claims_in_processes(
        self,
        touched_claims: Sequence[Question],
        fingerprints_before: ClaimFingerprints,
        evidence_folder: Path,
        jobs: int,
        on_answer: Callable[[Answer], None],
    ) -> None:
        """Answer claims by so many processes, and call `tell` with each answer as it is found. Evidence to begin with
        comes from what is remembered of `fingerprints_before`, or from the folder `evidence_folder`, where `prove`
        writes it."""
        asker = replace(self._asker, proofs=list_possible_evidence_folders_of_game(self.ref, evidence_folder))

        def answer(question: Question) -> Answer:
            entry = asker.reuse_stored_answer_and_evidence_or_none(question)
            if entry is None:
                mark = fingerprints_before.get(question.id)
                earlier = asker.read_stored_answer_or_none(mark.key) if mark else None
                entry = asker.prove_and_store_claim_or_none_if_late(
                    question,
                    touched_claims,
                    earlier.file if earlier else None,
                    asker.read_evidence_from_folders_or_none(question),
                )
            assert entry is not None  # only a limit of time leaves a claim without an entry
            return entry.answer

        run_tasks_here_or_in_processes(touched_claims, answer, jobs, lambda _, answer: on_answer(answer))
