"""A game's claims before and after a change of its cards, in verdicts and in words.

A claim whose descriptions are equal in both versions is not asked. The others are asked of the new cards; of the old
ones only where the comparison needs it (`_compares`), because a claim that holds now as it is written cannot be lost.
What a version answered is remembered under the digests of its descriptions (`remembered.py`). The evidence of the old
cards is offered to the kernel for the new ones, so that a search runs only where it fails. Claims about winning come
first, and several processes share the rest. `within` ends the asking: the claims that are left are named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from playproof.errata.remembered import Entry, Remembered
from playproof.errata.sharing import Workers, can_fork
from playproof.language import Game
from playproof.language.compiled import generate
from playproof.language.description import write as describe
from playproof.language.options import Options
from playproof.language.registry import build, data_of
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import property_of
from playproof.verifier.kernel.digest import digest
from playproof.verifier.kernel.evidence import File, texts
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.kernel.strict import canonical, decode, encode
from playproof.verifier.kernel.tally import cards_of
from playproof.verifier.proof.evidence import write
from playproof.verifier.prove import Run, budget_of, chosen_of, claims_of, grounds_under
from playproof.verifier.questions.claims import Question, inner
from playproof.verifier.questions.families import of_cards
from playproof.verifier.questions.sentences import compared, is_win
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import WORK, Progress
from playproof.verifier.search.work import stopping_at

Selector = bool | str
"""Which errata a version has, as `load_game` takes it."""
Pair = tuple[Answer | None, Answer | None]
"""The answers before and after; None where a version was not asked."""
_STATES = 12_000_000
_READ = ("locals", "terms", "tables", "functions", "endings", "payoffs", "quantities", "players", "teams")
_PATIENCE = 4  # seconds by the clock for one of CPU
_QUICK = ("ledger", "example", "reach", "dead", "count")
"""Kinds of claims that rest on no other proof."""


@dataclass(frozen=True)
class Comparison:
    """The answers to a game's claims in two versions. `alike` are the ids of claims that the change cannot reach: the
    rules that they are about have the same description in both. `before` lacks claims that hold `after` as they are
    written. `waiting` are the ids of claims for which no time was left; one about winning may stand in `after` too,
    with the bounds that were found."""

    before: tuple[Answer, ...]
    after: tuple[Answer, ...]
    alike: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Return what changed, in sentences for people. Of worked examples and recorded games, which name cards as
        they are in one version, one sentence tells how many fit only one."""
        before, after = ([a for a in side if a.ask != "example"] for side in (self.before, self.after))
        return [*compared(before, after), *self._examples()]

    def _examples(self) -> Iterator[str]:
        was = {a.id: a.verdict for a in self.before if a.ask == "example"}
        differing = [a.id for a in self.after if a.id in was and a.verdict is not was[a.id]]
        if differing:
            yield f"Recorded in one version, and not to be played in the other: {', '.join(differing)}."

    @property
    def lost(self) -> list[str]:
        """Return the ids of claims that were proven before and are refuted after."""
        true = {a.id for a in self.before if a.verdict is Verdict.PROVEN}
        return [a.id for a in self.after if a.id in true and a.verdict is Verdict.REFUTED]

    def as_json(self) -> dict[str, Any]:
        """Return the comparison in the shape of `errata --json` about claims."""
        old = {a.id: a.as_json() for a in self.before}
        nothing = {"before": None, "after": None}
        return {
            "sentences": self.sentences,
            "lost": self.lost,
            "claims": [
                *(
                    {"id": a.id, "touched": True, "before": old.get(a.id), "after": a.as_json()}
                    for a in self.after
                ),
                *({"id": ident, "touched": False, **nothing} for ident in self.alike),
            ],
            "waiting": list(self.waiting),
        }


def reads_cards(question: Question) -> bool:
    """Return whether a claim is about what cards say: one that counts them, or a law for each of them."""
    return question.ask == "ledger" or of_cards(question.of)


@dataclass
class Versions:
    """The descriptions of a game in two versions, built once per setting."""

    ref: str
    old: Selector
    new: Selector
    claims: Mapping[str, Question]
    _cards: dict[Selector, Any] = field(default_factory=dict)
    _games: dict[tuple[str, Selector], tuple[Game, str]] = field(default_factory=dict)
    _plays: dict[str, str] = field(default_factory=dict)

    def game(self, question: Question, version: Selector) -> tuple[Game, str]:
        """Return the description of a question's setting, and its digest."""
        values, rulings = texts(question.values), texts(question.rulings)
        key = canonical([values, rulings]), version
        if key not in self._games:
            if version not in self._cards:
                self._cards[version] = data_of(self.ref, version)
            game = build(self.ref, Options(values, rulings), self._cards[version])
            self._games[key] = game, digest(game)
        return self._games[key]

    def digests(self, question: Question, version: Selector) -> list[str]:
        """Return the digests of all settings that a question is about, and of the cards if it reads them."""
        described = [self.game(each, version)[1] for each in self._settings(question)]
        return [*described, self._cards_of(question, version)] if reads_cards(question) else described

    def alike(self, question: Question) -> bool:
        """Return whether both versions play alike in every setting of the question, names apart, and have the same
        cards if it reads them."""
        return self.plays(question, self.old) == self.plays(question, self.new)

    def plays(self, question: Question, version: Selector) -> list[str]:
        """Return digests of what happens in play in every setting of the question, and of the cards if it reads
        them."""
        plays = [self._play(each, version) for each in self._settings(question)]
        return [*plays, self._cards_of(question, version)] if reads_cards(question) else plays

    def _play(self, question: Question, version: Selector) -> str:
        """Return a digest of what happens in play and of what claims read of it: of the compiled reading, which knows
        no names, and of the parts of the description that no step of play needs."""
        game, name = self.game(question, version)
        if name not in self._plays:
            meant = canonical([generate(game), _meant(json.loads(describe(game)))])
            self._plays[name] = sha256(meant.encode()).hexdigest()
        return self._plays[name]

    def _cards_of(self, question: Question, version: Selector) -> str:
        """Return a digest of what the cards say: descriptions may be equal with other cards."""
        return cards_of(self.game(question, version)[0], Context())

    def renamed(self, question: Question, file: File, *, back: bool = False) -> File:
        """Return evidence of the old cards in the words of the new (or `back`): actions by their new names."""
        names: dict[str, str] = {}
        for each in self._settings(question):
            before, after = (self.game(each, version)[0] for version in (self.old, self.new))
            if back:
                before, after = after, before
            if before.ground == after.ground:
                names |= {before.show(i): after.show(i) for i in range(before.ground)}
        read: File = decode(File, _replaced(encode(file), names))
        return read

    @property
    def settings(self) -> list[dict[str, str]]:
        """Return the options under which claims are asked and the versions play differently, each game once; none if
        only rulings do."""
        plain = [q for q in self.claims.values() if not any(isinstance(v, list) for v in q.values.values())]
        plain = [q for q in plain if not q.rulings] or [Question("", "reach")]
        plays = {self._play(q, self.new): texts(q.values) for q in reversed(plain) if self._differ(q)}
        return list(reversed(plays.values()))

    def _differ(self, question: Question) -> bool:
        """Return whether the versions play differently in a setting of the question."""
        each = self._settings(question)
        return any(self._play(q, self.old) != self._play(q, self.new) for q in each)

    def _settings(self, question: Question) -> Iterator[Question]:
        asked = inner(question, self.claims) if question.ask in ("same", "tune") else question
        for _, each in asked.variants():
            yield each


def _meant(described: Mapping[str, Any]) -> list[Any]:
    """Return what claims read of a description beside its steps, names of cards apart: quantities, invariants, what
    an ending is worth, and who learns what."""
    invariants = [value for name, value in described["facts"] if name in ("invariants", "round")]
    learnt = [[a["hidden"], a["secret"], a["public"], a["reveals"]] for a in described["actions"]]
    seen = [f["sees"] for f in described["fields"]]
    revealed = [phase["reveals"] for phase in described["phases"]]
    return [[described[name] for name in _READ], invariants, learnt, seen, revealed]


def _replaced(data: Any, names: Mapping[str, str]) -> Any:
    """Return JSON data with other names in place of the texts that are names."""
    if isinstance(data, str):
        return names.get(data, data)
    if isinstance(data, dict):
        return {key: _replaced(value, names) for key, value in data.items()}
    return [_replaced(item, names) for item in data] if isinstance(data, list) else data


@dataclass
class Side:
    """One version of a game as it is asked: its run, what it remembers, and where its evidence goes."""

    versions: Versions
    version: Selector
    run: Run
    output: Path | None

    def remembered(self, question: Question, limits: Limits) -> Entry | None:
        """Return what an earlier run answered for this description, with the evidence written anew."""
        entry = limits.memory.read(self.key(question, limits)) if limits.memory else None
        return None if entry is None else self._written(question, entry)

    def asked(
        self, question: Question, chosen: Sequence[Question], earlier: File | None, limits: Limits
    ) -> Entry:
        """Answer a claim, with evidence of the other version offered first, and remember the answer."""
        if earlier is not None:
            self.run.earlier = {**self.run.earlier, question.id: earlier}
        budget = limits.budget(question)
        with stopping_at(budget.end):
            for ground in grounds_under(question, chosen):
                self.run.find(ground, self.versions.claims, limits.budget(ground))
            answer = self.run.answer(question, self.versions.claims, budget)
        entry = Entry(answer, self.run.files[question.id])
        cut = answer.verdict is Verdict.UNKNOWN and limits.time is not None
        if limits.memory and not (answer.fault or answer.assumed or budget.stopped or budget.late or cut):
            limits.memory.write(self.key(question, limits), entry)
        return self._written(question, entry)

    def key(self, question: Question, limits: Limits) -> str:
        """Return the name under which an answer is remembered."""
        return Remembered.key(
            question, self.versions.digests(question, self.version), limits.work, limits.seconds
        )

    def _written(self, question: Question, entry: Entry) -> Entry:
        file = replace(entry.file, errata=self.version)
        answer = replace(entry.answer, says=question.says, evidence="")
        if self.output is not None and any(setting.certificates for setting in file.settings):
            path = self.output / self.run.name / "evidence" / f"{question.id}.json"
            write(path, encode(file))
            answer = replace(answer, evidence=str(path))
        return Entry(answer, file)


@dataclass
class Time:
    """Seconds of CPU that each process may spend on claims, its children included. A process counts from its first
    look at the clock."""

    each: float
    _began: dict[int, float] = field(default_factory=dict)

    @property
    def left(self) -> float:
        """The seconds that this process may still spend."""
        return self.each - (spent() - self._began.setdefault(os.getpid(), spent()))


def spent() -> float:
    """Return the seconds of CPU that this process and its finished children have spent."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@dataclass(frozen=True)
class Limits:
    """What each claim may spend, what all may spend together, and whether answers are remembered."""

    work: float = WORK
    seconds: float | None = None
    games: int = 200_000
    memory: Remembered | None = None
    progress: Progress | None = None
    time: Time | None = None

    def budget(self, question: Question) -> Any:
        """Return the budget of one claim."""
        work, seconds = question.budget or self.work, self.seconds
        if self.time is not None:
            # What no work is counted for is stopped by the clock, late on a loaded machine too.
            left = max(self.time.left, 0.1)
            work, seconds = min(work, left), min(seconds or _PATIENCE * left, _PATIENCE * left)
        return budget_of(work, seconds, _STATES, self.games, self.progress)


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
    progress: Progress | None = None,
    machine: bool | None = None,
    remember: bool = True,
    jobs: int = 1,
    first: Callable[[Comparison], None] | None = None,
    versions: Versions | None = None,
) -> Comparison:
    """Answer a game's claims in two versions; `versions` are these, if they are built. `first` gets what is known of
    winning, before the rest is asked. With `output`, the evidence goes to its folders `before` and `after`. `within`
    is how many seconds of CPU each of the `jobs` processes may spend. After Ctrl-C, the claims that were answered."""
    versions = versions or Versions(ref, old, new, claims_of(ref, old))
    questions = chosen_of(ref, versions.claims, only, values or {}, rulings or {})
    alike = [question for question in questions if versions.alike(question)]
    touched = [question for question in questions if question not in alike]
    here = os.getpid()

    def speak(text: str) -> None:
        if progress and os.getpid() == here:  # a forked process shares the screen's locks
            progress(text)

    time = None if within is None else Time(within)
    limits = Limits(work, seconds, games, Remembered() if remember else None, speak, time)
    context = Context()  # what Z3 said of a step that both versions have is asked once
    sides = tuple(
        Side(
            versions,
            version,
            Run(ref, version, machine=machine, context=context),
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
        before = tuple(was for was, _ in answers if was)
        after = tuple(now for _, now in answers if now)
        answered = {a.id for a in after if not (time and a.verdict is Verdict.UNKNOWN)}
        waiting = tuple(
            ident for ident in (q.id for q in touched) if ident in pairs and ident not in answered
        )
        return Comparison(before, after, tuple(question.id for question in alike), waiting)

    with suppress(KeyboardInterrupt):
        both = partial(_answers, versions=versions, sides=sides, touched=touched, limits=limits)
        _spread(touched, both, take, jobs, lambda: first(so_far()) if first else None)
    return so_far()


def _answers(
    question: Question,
    versions: Versions,
    sides: Sequence[Side],
    touched: Sequence[Question],
    limits: Limits,
) -> Pair:
    """Return the answers to one claim: remembered, or asked of the new cards, then of the old ones if that is needed.
    What time did not suffice for is None, unless it tells of winning."""
    before, after = (side.remembered(question, limits) for side in sides)

    def asked(side: Side, other: Entry | None) -> Entry | None:
        if limits.time is not None and limits.time.left <= 0:
            return None
        back = side is sides[0]
        hint = versions.renamed(question, other.file, back=back) if other else None
        entry = side.asked(question, touched, hint, limits)
        cut = limits.time is not None and entry.answer.verdict is Verdict.UNKNOWN
        return None if cut and not is_win(question) else entry

    if after is None:
        after = asked(sides[1], before)
    if before is None and after is not None and _compares(question, after.answer):
        before = asked(sides[0], after)
    return before.answer if before else None, after.answer if after else None


def _compares(question: Question, now: Answer) -> bool:
    """Return whether it matters what the old cards answered: a claim that holds as it is written is not lost. Of
    winning, and of values that the claim does not state, one tells how they moved."""
    return is_win(question) or question.expect is None or now.verdict is not Verdict.PROVEN


def _spread(
    questions: Sequence[Question],
    both: Callable[[Question], Pair],
    take: Callable[[Question, Pair], None],
    jobs: int,
    first_done: Callable[[], None],
) -> None:
    """Answer questions: those about winning first, beside those on which other proofs rest; then the rest, by
    processes that have these. Claims that are quick come before claims that need a proof for every step."""
    grounds = [question for question in questions if _is_ground(question, questions)]
    others = [question for question in questions if question not in grounds]
    first = [question for question in others if is_win(question) or question.ask == "dead"]
    rest = sorted((q for q in others if q not in first), key=lambda question: question.ask not in _QUICK)
    if jobs < 2 or not can_fork():
        for question in first:
            take(question, both(question))
        first_done()
        for question in (*grounds, *rest):
            take(question, both(question))
        return
    ahead = Workers(first, both, jobs - 1)
    try:
        for question in grounds:
            take(question, both(question))
        ahead.join(take)
    finally:
        ahead.stop()
    first_done()
    Workers(rest, both, jobs).join(take)


def _is_ground(question: Question, among: Sequence[Question]) -> bool:
    """Return whether proofs of other claims rest on this one: on bounds, on automatic phases that end, or on what
    helps to prove these."""
    basic = [other for other in among if property_of(other) in (BOUNDS, PHASES_END)]
    return question in basic or any(question.id == helper.id for other in basic for helper in other.given)
