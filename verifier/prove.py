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
from playproof.verifier.proof import always, evidence, extremes, luck, reach, settings
from playproof.verifier.questions.claims import Question, questions_of
from playproof.verifier.questions.verdicts import Answer, Found, judge
from playproof.verifier.search.case import Budget, Case, Progress

_ASKS = {"reach": reach.reach, "dead": reach.dead, "minimum": extremes.extreme, "maximum": extremes.extreme,
         "never": always.holds_always, "always": always.holds_always, "luck": luck.luck}


@dataclass(slots=True)
class Run:
    """One run of the verifier over one game: cases are built once and shared by claims with equal options."""

    ref: str
    values: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    errata: bool | str = True
    output: Path | None = None
    numba: bool | None = None
    cases: dict[str, Case] = field(default_factory=dict)

    def case(self, question: Question) -> Case:
        """The case of a question; what the caller sets goes over what the claim says."""
        values = {**question.values, **self.values}
        rulings = {**question.rulings, **self.rulings}
        key = repr((sorted(values.items()), sorted(rulings.items())))
        if key not in self.cases:
            self.cases.clear()  # an exploration is large: one case at a time
            self.cases[key] = Case(self.ref, values, rulings, self.errata, self.numba)
        return self.cases[key]

    def find(self, question: Question, claims: Mapping[str, Question], budget: Budget) -> Found:
        """What is found for a question, before it is held against what is expected."""
        if question.ask in ("same", "tune"):
            return settings.compared(question, claims, lambda q, b: self.find(q, claims, b), budget)
        case = self.case(question)
        try:
            return _ASKS[question.ask](case, question, budget)
        except KeyboardInterrupt:
            budget.stopped = True
            return Found(None, "", (), "stopped by hand", reach.bound_reached(case))
        except MemoryError:
            return Found(None, "", (), "memory: the machine has no more", reach.bound_reached(case))

    def answer(self, question: Question, claims: Mapping[str, Question], budget: Budget) -> Answer:
        """The verdict on one claim; its evidence is written where there is any."""
        began = perf_counter()
        found = self.find(question, claims, budget)
        path = self._keep(question, found)
        return Answer(Path(self.ref).name, question.id, question.ask, question.says, judge(found, question.expect),
                      found.value, question.expect, perf_counter() - began, found.method, path, found.reason,
                      found.bound, {**question.values, **question.rulings, **self.values, **self.rulings}, question.of)

    def _keep(self, question: Question, found: Found) -> str:
        if self.output is None or not found.parts:
            return ""
        path = self.output / Path(self.ref).name / "evidence" / f"{question.id}.json"
        variants_ = question.ask in ("same", "tune")
        case = {"game": self.ref, "options": dict(self.values), "rulings": dict(self.rulings), "errata": self.errata,
                "rules": ""} if variants_ else self.case(question).as_json()
        content = {"playproof": evidence.VERSION, "case": case, "question": question.as_json(), "value": found.value,
                   "parts": list(found.parts)}
        evidence.write(path, content)
        return str(path)


def claims_of(ref: str, errata: bool | str = True) -> dict[str, Question]:
    """The questions of a game's claims.yaml, by id."""
    return questions_of(load_game(ref, errata=errata).claims)


def prove(ref: str, values: Mapping[str, str] | None = None, rulings: Mapping[str, str] | None = None, *,
          only: Sequence[str] = (), claims: Iterable[Question] | None = None, seconds: float = 60.0,
          states: int = 12_000_000, games: int = 200_000, output: Path | None = None, errata: bool | str = True,
          progress: Progress | None = None, numba: bool | None = None,
          answered: Callable[[Answer], None] | None = None) -> list[Answer]:
    """Answer the claims of a game (or those given), in order; `answered` hears each as it comes. Options given here
    choose among the claims: a claim made for another value of an option is left out. Raises InputError for an
    unknown id."""
    known = claims_of(ref, errata) if claims is None else {q.id: q for q in claims}
    chosen = _chosen(ref, known, only, values or {})
    run = Run(ref, dict(values or {}), dict(rulings or {}), errata, output, numba)
    answers: list[Answer] = []
    for question in chosen:
        budget = Budget(question.budget or seconds, states, games, progress)
        answers.append(run.answer(question, known, budget))
        if answered is not None:
            answered(answers[-1])
        if budget.stopped:
            break
    return answers


def _chosen(ref: str, known: Mapping[str, Question], only: Sequence[str], values: Mapping[str, str]) -> list[Question]:
    unknown = [i for i in only if i not in known]
    if unknown:
        raise InputError([Finding("PP705", Where(ref), f"there is no claim `{i}`", did_you_mean(i, known))
                          for i in unknown])
    wanted = [known[i] for i in only] if only else list(known.values())
    fits = [q for q in wanted if all(_fits(q.values.get(k), v) for k, v in values.items())]
    return [replace(q, values={k: v for k, v in q.values.items() if k not in values}) for q in fits]


def _fits(asked: Any, given: str) -> bool:
    if asked is None:
        return True
    return str(given) in [str(a) for a in (asked if isinstance(asked, list) else [asked])]


def as_json(answers: Iterable[Answer]) -> dict[str, Any]:
    """The shape of `prove --json`."""
    return {"claims": [a.as_json() for a in answers]}
