"""A game's claims before and after a change of its cards, in verdicts and in words.

A claim whose descriptions are equal in both versions is not asked. The others are asked of the new cards; of the old
ones only where the comparison needs it (`_compares`), because a claim that holds now as it is written cannot be lost.
`asking.py` says what is offered to the kernel before a search. Claims about winning come first, and several processes
share the rest. `within` ends the asking: the claims that are left are named.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playproof.database.sharing import Workers, can_fork, share
from playproof.errata.asking import Asker, Limits, Time, proofs_of, soon_first
from playproof.errata.comparison import Comparison
from playproof.errata.descriptions import Selector, Versions
from playproof.errata.remembered import Remembered
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import property_of
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.kernel.strict import canonical, plain
from playproof.verifier.prove import Run, chosen_of, claims_of
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.sentences import is_win
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import WORK, Progress
from playproof.verifier.shown_steps import shown_steps

_ALONE = ("ledger", "example", "reach")
"""Kinds of claims whose answers rest on no proof that bounds hold. With a budget of its own, one is slow."""
Pair = tuple[Answer | None, Answer | None]
"""The answers before and after; None where a version was not asked."""


def compare(
    ref: str,
    old: Selector,
    new: Selector,
    *,
    values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
    work: float = WORK,
    seconds: float | None = None,
    within: float | None = None,
    games: int = 200_000,
    output: Path | None = None,
    proofs: Path = Path("output"),
    progress: Progress | None = None,
    machine: bool | None = None,
    remember: bool = True,
    jobs: int = 1,
    first: Callable[[Comparison], None] | None = None,
    versions: Versions | None = None,
) -> Comparison:
    """Answer a game's claims in two versions; `versions` are these, if they are built. `first` gets what is known of
    winning, before the rest is asked. With `output`, the evidence goes to its folders `before` and `after`; `proofs`
    is where `prove` wrote evidence. `within` is how many seconds of CPU each of the `jobs` processes may spend. After
    Ctrl-C, the claims that were answered."""
    versions = versions or Versions(ref, old, new, claims_of(ref, old))
    chosen = _chosen(versions, only, values or {}, rulings or {})
    touched, anew = chosen.touched, chosen.anew
    here = os.getpid()

    def speak(text: str) -> None:
        if progress and os.getpid() == here:  # a forked process shares the screen's locks
            progress(text)

    time = None if within is None else Time(within)
    limits = Limits(work, seconds, games, Remembered() if remember else None, speak, time)
    # What Z3 said of a step that both versions have is asked once.
    context = Context(steps=shown_steps() if remember else set())
    earlier = proofs_of(ref, proofs)
    before, after = (
        Asker(
            versions,
            version,
            Run(ref, version, machine=machine, context=context),
            limits,
            earlier,
            None if output is None else output / name,
        )
        for version, name in ((old, "before"), (new, "after"))
    )
    pairs: dict[str, Pair] = {}

    def take(question: Question, pair: Pair) -> None:
        pairs[question.id] = pair
        speak(f"{len(pairs)} of {len(touched)} claims answered, the last one `{question.id}`")

    def so_far() -> Comparison:
        answers = [pairs[question.id] for question in touched if question.id in pairs]
        was, now = (tuple(filter(None, side)) for side in zip(*answers, strict=True)) if answers else ((), ())
        answered = {a.id for a in now if after.settled(a)}
        waiting = tuple(q.id for q in touched if q.id in pairs and q.id not in answered)
        return Comparison(was, now, chosen.alike, waiting, chosen.rewritten)

    with suppress(KeyboardInterrupt):
        left = [q for q in touched if after.remembered(anew[q.id]) is None]
        both = partial(_answers, before=before, after=after, touched=touched, anew=anew, leant_on=bool(left))
        ready = partial(after.read_steps, left)
        _spread(touched, both, take, jobs, ready, lambda: first(so_far()) if first else None)
    return so_far()


@dataclass(frozen=True)
class _Chosen:
    """The claims of a comparison: those to ask, `anew` as they are worded for the new cards, and the ids of those that
    the change does not reach and of those that it words anew."""

    touched: list[Question]
    anew: Mapping[str, Question]
    alike: tuple[str, ...]
    rewritten: tuple[str, ...]


def _chosen(
    versions: Versions, only: Sequence[str], values: Mapping[str, str], rulings: Mapping[str, str]
) -> _Chosen:
    questions, following = (
        chosen_of(versions.ref, claims, only, values, rulings)
        for claims in (versions.claims, claims_of(versions.ref, versions.new))
    )
    anew = {question.id: question for question in following}
    rewritten = tuple(q.id for q in questions if _words(q) != _words(anew[q.id]))
    alike = tuple(q.id for q in questions if q.id not in rewritten and versions.alike(q))
    return _Chosen([q for q in questions if q.id not in alike], anew, alike, rewritten)


def _words(question: Question) -> tuple[str, str]:
    """Return what an erratum may change of a claim."""
    return question.says, canonical(plain(question.expect))


def _answers(
    question: Question,
    before: Asker,
    after: Asker,
    touched: Sequence[Question],
    anew: Mapping[str, Question],
    leant_on: bool,
) -> Pair:
    """Return the answers to one claim: remembered, or asked of the new cards, then of the old ones if that is needed.
    `anew` are the claims as they are worded for the new cards; `leant_on` says whether proofs are still to come, which
    rest on the grounds. What time did not suffice for is None."""
    worded = anew[question.id]
    was, now = before.remembered(question), after.remembered(worded)
    if leant_on and property_of(question) in (PHASES_END, BOUNDS):
        for asker, entry, each in ((before, was, question), (after, now, worded)):
            if entry is not None:
                asker.show(each, entry)
    if now is None:
        now = after.asked(worded, touched, was.file if was else None, after.kept(worded))
    if was is None and now is not None and after.settled(now.answer) and _compares(worded, now.answer):
        # What the game keeps was mostly found for its cards as they were.
        was = before.asked(question, touched, before.kept(question), now.file)
    return was.answer if was else None, now.answer if now else None


def _compares(question: Question, now: Answer) -> bool:
    """Return whether it matters what the old cards answered: a claim that holds as it is written is not lost. Whether
    the game could be won is told all the same, and how values moved that the claim does not state."""
    could = is_win(question) and question.ask == "reach"
    return could or question.expect is None or now.verdict is not Verdict.PROVEN


def _spread(
    questions: Sequence[Question],
    both: Callable[[Question], Pair],
    take: Callable[[Question, Pair], None],
    jobs: int,
    ready: Callable[[], None],
    first_done: Callable[[], None],
) -> None:
    """Answer questions: what counts cards, whether the game can be won, and what else rests on no proof, beside the
    claims on which all proofs rest; then the rest, by processes that have these. `ready` is called before the first
    proof for every step, `first_done` when all is known of winning. How soon one wins is asked among the rest: where
    bounds are shown to hold, no breach is looked for."""
    grounds = [q for name in (PHASES_END, BOUNDS) for q in questions if property_of(q) == name]
    by_turn = {turn: [q for q in questions if q not in grounds and _turn(q) == turn] for turn in range(4)}
    # What counts cards takes milliseconds, and is what a change of a card moves most.
    first = sorted([*by_turn[0], *by_turn[1]], key=lambda question: question.ask != "ledger")
    second, rest = by_turn[2], [*by_turn[2], *soon_first(by_turn[3])]
    left, leaning = {question.id for question in second}, list[Question]()

    def ground(question: Question, pair: Pair) -> None:
        take(question, pair)
        if pair[1] is not None and pair[1].assumed:
            leaning.append(question)

    def again(question: Question, pair: Pair) -> None:
        if pair[1] is not None:  # there was time
            take(question, pair)

    def taken(question: Question, pair: Pair) -> None:
        take(question, pair)
        left.discard(question.id)
        if question in second and not left:
            first_done()

    if jobs < 2 or not can_fork():
        share(first, both, 1, take)
        ready()
        share(soon_first(grounds), both, 1, ground)
    else:
        beside = Workers(first, both, jobs - 1)
        try:
            ready()
            share(soon_first(grounds), both, 1, ground)
            beside.join(take)
        finally:
            beside.stop()
    share(leaning, both, 1, again)  # on what the bounds show by now
    if not second:
        first_done()
    share(rest, both, jobs, taken)


def _turn(question: Question) -> int:
    """Return when a claim is asked: 0 if it tells whether one can win, or what can never happen; 1 if a replay or a
    count answers it, beside the proofs of the grounds; 2 if it tells more of winning; 3 for all others."""
    if question.ask == "dead" or (is_win(question) and question.ask == "reach"):
        return 0
    if question.ask in _ALONE and not question.budget:
        return 1
    return 2 if is_win(question) else 3
