"""`prove`: the claims of a game, answered one by one, each with its evidence in a file.

    answers = prove("tic_tac_toe", claims=[Question("x wins", "reach", {"outcome": "win", "seat": 0})])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.database.game import load_game
from playproof.rules.language import RulesError
from playproof.verifier.kernel.deciding import property_of
from playproof.verifier.kernel.digest import digest
from playproof.verifier.kernel.evidence import VERSION, File, texts
from playproof.verifier.kernel.solving import Disagreement
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.kernel.strict import canonical, plain
from playproof.verifier.proof import always, examples, extremes, grounds, laws, luck, reach, settings
from playproof.verifier.proof.certify import Accepted, Certifier, Outcome, answered
from playproof.verifier.proof.evidence import write
from playproof.verifier.questions.claims import Question, questions_of, with_given
from playproof.verifier.questions.understood import misunderstood
from playproof.verifier.questions.verdicts import Answer, Found, judge
from playproof.verifier.search import beyond, breaches
from playproof.verifier.search.case import WORK, Budget, Case, Progress
from playproof.verifier.search.work import stopping_at

ASKS = {"reach": reach.reach, "dead": reach.dead, "minimum": extremes.extreme, "maximum": extremes.extreme,
        "never": always.holds_always, "always": always.holds_always, "luck": luck.luck, "step": laws.obeyed,
        "example": examples.played}
"""What answers each kind of claim: one module of `proof/` a kind."""


@dataclass(slots=True)
class Run:
    """One run of the verifier over one game: cases are built once and shared by claims with equal options."""

    ref: str
    errata: bool | str = True
    output: Path | None = None
    machine: bool | None = None
    cases: dict[str, Case] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    grounds: dict[str, Accepted] = field(default_factory=dict)

    def case(self, question: Question) -> Case:
        """The case of a question: one for all settings that are the same game, as where a ruling has its default."""
        key = self._key(question)
        if key in self.digests and self.digests[key] in self.cases:
            return self.cases[self.digests[key]]
        case = Case(self.ref, texts(question.values), texts(question.rulings), self.errata, self.machine)
        self.digests[key] = digest(case.game)
        self._keep_one_more(self.digests[key], case)
        beyond.lend(self.cases[self.digests[key]])
        return self.cases[self.digests[key]]

    def _keep_one_more(self, name: str, case: Case) -> None:
        """Hold the first case, which most claims are about, and the last. Explorations are large: one at a time."""
        if name not in self.cases:
            for other in list(self.cases)[1:]:
                del self.cases[other]
            for held in self.cases.values():
                held.rest()
            self.cases[name] = case

    def find(self, question: Question, claims: Mapping[str, Question], budget: Budget) -> Found:
        """What is found for a question and accepted by the kernel, before it is held against what is expected."""
        if question.ask in ("same", "tune"):
            return settings.compared(question, claims, lambda q, b: self.find(q, claims, b), budget)
        case = self.case(question)
        grounds_of = self.grounds.setdefault(self.digests[self._key(question)], [])
        certifier = Certifier(case, question, budget, list(grounds_of))
        try:
            found = self._found(certifier, question, budget)
        except RulesError as error:  # before anybody has acted, or where no other way noted it
            found = answered(*self._broken(certifier, error))
        except KeyboardInterrupt:
            budget.stopped = True
            return Found(None, "", (), "stopped by hand", reach.bound_reached(case))
        except Disagreement as error:
            raise InputError([Finding("PP718", Where(self.ref), f"claim `{question.id}`: {error}")]) from None
        except MemoryError:
            return Found(None, "", (), "memory: the machine has no more", reach.bound_reached(case))
        grounds_of.extend(certifier.properties)
        return found

    @staticmethod
    def _found(certifier: Certifier, question: Question, budget: Budget) -> Found:
        """What the claim's own words show, or else what its methods find, as far as the kernel accepts it."""
        case = certifier.case
        if case.small(budget) is None and certifier.by_words():
            found, outcome = Found(None, "invariant"), certifier.outcome()
        else:
            found = ASKS[question.ask](case, question, budget)
            certifier.take(found)
            found, outcome = certifier.narrowed(found), certifier.outcome()
        if not outcome.assumed:
            return answered(found, outcome)
        broken = grounds.broken(case, budget)
        if broken:
            reason = f"nothing is shown of what lies behind a rule that breaks: {broken.message}"
            return Found(None, found.method, (), reason, found.bound)
        return answered(replace(found, bound={**found.bound, "if": grounds.condition(outcome.assumed)}), outcome)

    @staticmethod
    def _broken(certifier: Certifier, error: RulesError) -> tuple[Found, Outcome]:
        """What is found where the rules break: that they do, for the claim that they do not; nothing for others."""
        case, question = certifier.case, certifier.question
        broken = breaches.look(case, certifier.budget)
        if property_of(question) in (BOUNDS, PHASES_END) and broken is not None:
            found = Found(False, "games that break the rules", (grounds.breach(case, broken),),
                          bound={"breaks": broken.message})
        else:
            found = Found(None, "", (), f"the rules break: {broken.message if broken else error}")
        return found, certifier.take(found)

    def answer(self, question: Question, claims: Mapping[str, Question], budget: Budget) -> Answer:
        """The verdict on one claim; its evidence is written where there is any."""
        began = perf_counter()
        found = self.find(question, claims, budget)
        path = self._keep(question, found)
        return Answer(Path(self.ref).name, question.id, question.ask, question.says, judge(found, question.expect),
                      found.value, question.expect, perf_counter() - began, found.method, path, found.reason,
                      found.bound, {**question.values, **question.rulings}, question.of, found.assumed, found.whom)

    def _keep(self, question: Question, found: Found) -> str:
        """Write what the kernel accepted, also where it does not answer the claim yet."""
        if self.output is None or not any(setting.certificates for setting in found.settings):
            return ""
        path = self.output / Path(self.ref).name / "evidence" / f"{question.id}.json"
        file = File(VERSION, Path(self.ref).name, self.errata, plain(question.as_json()), found.settings)
        write(path, file.to_json())
        return str(path)

    @staticmethod
    def _key(question: Question) -> str:
        return canonical([texts(question.values), texts(question.rulings)])


def claims_of(ref: str, errata: bool | str = True) -> dict[str, Question]:
    """The questions of a game's claims.yaml, by id."""
    return questions_of(load_game(ref, errata=errata).claims)


def prove(ref: str, values: Mapping[str, str] | None = None, rulings: Mapping[str, str] | None = None, *,
          only: Sequence[str] = (), claims: Iterable[Question] | None = None, work: float = WORK,
          seconds: float | None = None, states: int = 12_000_000, games: int = 200_000, output: Path | None = None,
          errata: bool | str = True,
          progress: Progress | None = None, machine: bool | None = None,
          answered: Callable[[Answer], None] | None = None) -> list[Answer]:
    """Answer the claims of a game (or those given), in order; `answered` hears each as it comes. Options given here
    choose among the claims: a claim made for another value of an option is left out. Raises InputError for an
    unknown id, and, before any is answered, for whatever cannot be understood of those that are asked.

    `work` limits each claim that has no `budget` of its own: steps of play and Z3's own measure, in units of about a
    second of an idle core. A loaded machine needs longer and answers the same. `seconds` is a stop by the clock, as an
    answer then says; without it, it is far off (ten times the work, and ten minutes at least).
    """
    known = claims_of(ref, errata) if claims is None else {q.id: q for q in claims}
    chosen = _chosen(ref, known, only, values or {}, rulings or {})
    misread = misunderstood(ref, chosen, known, errata)
    if misread:
        raise InputError(misread)
    run = Run(ref, errata, output, machine)
    answers: list[Answer] = []
    for question in chosen:
        budget = _budget(question.budget or work, seconds, states, games, progress)
        with stopping_at(budget.end):
            for ground in _under(question, chosen):
                run.find(ground, known, _budget(ground.budget or work, seconds, states, games, progress))
            answers.append(run.answer(question, known, budget))
        if answered is not None:
            answered(answers[-1])
        if budget.stopped:
            break
    return answers


def _budget(work: float, seconds: float | None, states: int, games: int, progress: Progress | None) -> Budget:
    """What one claim may cost. In fewer seconds than `work` no more can be done, so methods share those."""
    if seconds is None:
        return Budget(work, states, games, progress)
    return Budget(min(work, seconds), states, games, progress, seconds)


def _chosen(ref: str, known: Mapping[str, Question], only: Sequence[str], values: Mapping[str, str],
            rulings: Mapping[str, str]) -> list[Question]:
    """The questions asked for, under what the caller sets; that goes over what the claim says."""
    unknown = [i for i in only if i not in known]
    if unknown:
        raise InputError([Finding("PP705", Where(ref), f"there is no claim `{i}`", did_you_mean(i, known))
                          for i in unknown])
    wanted = [known[i] for i in only] if only else list(known.values())
    fits = [q for q in wanted if all(_fits(q.values.get(k), v) for k, v in values.items())]
    return [replace(q, values=_joined(q.values, values), rulings=_joined(q.rulings, rulings))
            for q in _bounds_first(fits)]


def _joined(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A claim's own settings and those given for the run. A given one that says the same, as `"0"` says 0, leaves the
    claim's as it is written, so that its evidence speaks of the same setting."""
    differ = {key: value for key, value in given.items() if key not in own or str(own[key]) != str(value)}
    return {**own, **differ}


def _bounds_first(questions: Sequence[Question]) -> list[Question]:
    """Of the claims about one setting those about bounds and automatic phases first, each after what it takes as
    given: proofs rest on them."""
    ordered: dict[str, Question] = {}
    for question in questions:
        same = [q for q in questions if (q.values, q.rulings) == (question.values, question.rulings)]
        asked = {q.id for q in same}
        for ground in [q for name in (BOUNDS, PHASES_END) for q in same if property_of(q) == name]:
            ordered.update({q.id: q for q in with_given(ground) if q.id in asked})
        ordered[question.id] = question
    return list(ordered.values())


def _under(question: Question, chosen: Sequence[Question]) -> list[Question]:
    """The claims that automatic phases end, of the same setting: whoever asks about bounds needs them first."""
    if property_of(question) != BOUNDS:
        return []
    return [q for q in chosen if property_of(q) == PHASES_END
            and (q.values, q.rulings) == (question.values, question.rulings)]


def _fits(asked: Any, given: str) -> bool:
    if asked is None:
        return True
    return str(given) in [str(a) for a in (asked if isinstance(asked, list) else [asked])]


def as_json(answers: Iterable[Answer]) -> dict[str, Any]:
    """The shape of `prove --json`."""
    return {"claims": [a.as_json() for a in answers]}
