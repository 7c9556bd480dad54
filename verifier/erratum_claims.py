"""Compare a game's claims before and after an erratum, in verdicts and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.database.errata import before_and_after
from playproof.verifier.prove import claims_of, prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.sentences import compared
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import WORK, Case, Progress


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers to a game's claims just before and just after an erratum."""

    version: str
    date: str
    before: tuple[Answer, ...]
    after: tuple[Answer, ...]

    @property
    def sentences(self) -> list[str]:
        """Return what changed, in sentences for people."""
        return compared(self.before, self.after)

    @property
    def lost(self) -> list[str]:
        """Return the ids of claims that were proven before the erratum and are refuted after it."""
        true = {a.id for a in self.before if a.verdict is Verdict.PROVEN}
        return [a.id for a in self.after if a.id in true and a.verdict is Verdict.REFUTED]

    def as_json(self) -> dict[str, Any]:
        """Return the comparison in the shape of `errata --json` about claims."""
        old = {a.id: a for a in self.before}
        return {
            "version": self.version,
            "date": self.date,
            "sentences": self.sentences,
            "lost": self.lost,
            "claims": [
                {"id": a.id, "before": old[a.id].as_json() if a.id in old else None, "after": a.as_json()}
                for a in self.after
            ],
        }


def compare(
    ref: str,
    version: str | None = None,
    *,
    values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
    work: float = WORK,
    seconds: float | None = None,
    games: int = 200_000,
    output: Path | None = None,
    progress: Progress | None = None,
    machine: bool | None = None,
) -> Comparison:
    """Prove a game's claims before and after an erratum (the newest if `version` is None).

    The evidence goes to the folders `before` and `after` in `output/erratum-VERSION`.
    """
    old, _, erratum = before_and_after(ref, version)
    earlier: bool | str = old.applied[-1] if old.applied else False

    def side(name: str, errata: bool | str, ids: Sequence[str]) -> list[Answer]:
        folder = None if output is None else output / f"erratum-{erratum.version}" / name
        return prove(
            ref,
            values,
            rulings,
            only=ids,
            work=work,
            seconds=seconds,
            output=folder,
            errata=errata,
            progress=progress,
            machine=machine,
        )

    before = side("before", earlier, only)
    rules = _Descriptions(ref, values or {}, rulings or {})
    asked = claims_of(ref, earlier)
    same = {a.id for a in before if rules.untouched(asked[a.id], earlier, erratum.version)}
    touched = [a.id for a in before if a.id not in same]
    anew = {a.id: a for a in (side("after", erratum.version, touched) if touched else [])}
    after = tuple(anew.get(a.id, a) for a in before if a.id in same or a.id in anew)
    return Comparison(erratum.version, erratum.date, tuple(before), after)


class _Descriptions:
    """Digests of a game's rules under each setting and erratum. If an erratum does not change the
    rules that a claim is about, the claim keeps its answer."""

    def __init__(self, ref: str, values: Mapping[str, str], rulings: Mapping[str, str]) -> None:
        self._ref, self._values, self._rulings = ref, values, rulings
        self._known: dict[str, str] = {}

    def untouched(self, question: Question, old: bool | str, new: bool | str) -> bool:
        """Return whether both errata give the same description under every setting of the question."""
        return all(self._digest(q, old) == self._digest(q, new) for _, q in question.variants())

    def _digest(self, question: Question, errata: bool | str) -> str:
        values, rulings = {**question.values, **self._values}, {**question.rulings, **self._rulings}
        key = repr((sorted(values.items()), sorted(rulings.items()), errata))
        if key not in self._known:
            self._known[key] = Case(self._ref, values, rulings, errata).digest
        return self._known[key]
