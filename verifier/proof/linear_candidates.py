"""Candidate invariants: linear conditions fitted to states from random games and known lines of
play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.database.errors import Where
from playproof.language import Array, Term
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.search.case import Case
from playproof.verifier.search.sampled_states import states_met

_FACTORS = (1, 2, 3, 4)
_MOST_NAMES = 32
_SMALL = 8


@dataclass(frozen=True, slots=True)
class Numbers:
    """Named numbers of a game, as formulas write them, with their values in sampled states."""

    texts: tuple[str, ...]
    terms: tuple[Term, ...]
    values: npt.NDArray[np.int64]
    small: tuple[bool, ...]
    outcome: npt.NDArray[np.int64]

    def varies(self, i: int) -> bool:
        """Return whether the samples differ in number i."""
        return bool(self.values[i].min() < self.values[i].max())


def candidates(case: Case, lines: Sequence[Sequence[int]] = (), *, unless_lost: bool = False) -> list[str]:
    """Return bounds, bounds for each ending, and `q1 <= a * q2 + q3 + c`, where q2 is the round (or
    any number, if there is no round) and q3 is a small number or nothing. With `unless_lost`, the
    linear conditions need not hold in games that ended without a win."""
    numbers = _numbers(case, lines)
    lost = _lost(case) if unless_lost else ""
    texts: list[str] = []
    for i in range(len(numbers.texts)):
        texts += _bounds(numbers, i) + _endings(case, numbers, i)
        for j in _bases(case, numbers):
            if i != j and numbers.varies(i) and numbers.varies(j):
                texts += [lost + limit.text(numbers) for limit in _linear(numbers, i, j)]
    return list(dict.fromkeys(texts))


@dataclass(frozen=True, slots=True)
class Pace:
    """Two conditions that together bound a number from below at every win: how much of another number a win
    `needs`, and how slowly that one `grows`."""

    least: int
    needs: str
    grows: str


def paces(case: Case, number: Term, lines: Sequence[Sequence[int]]) -> list[Pace]:
    """Return what random games and lines suggest about how slowly a win comes, the greatest bound on the number
    first. For example, a win needs 10 cubes placed, and at most two are placed a round: at least 5 rounds."""
    numbers = _numbers(case, lines)
    wins = [e.number for e in case.game.endings if e.kind == "win"]
    won = np.isin(numbers.outcome, wins)
    counts = [i for i, term in enumerate(numbers.terms) if term is number]
    if not counts or not won.any():
        return []
    running = " and ".join(f"outcome != {ending}" for ending in wins)
    suggested: list[Pace] = []
    for i, name in enumerate(numbers.texts):
        if i == counts[0] or not numbers.varies(i):
            continue
        needed = int(numbers.values[i][won].min())
        for limit in _linear(numbers, i, counts[0]):
            most_of_third = 0 if limit.third is None else numbers.terms[limit.third].hi
            least = -(-(needed - most_of_third - limit.more) // limit.factor)
            grows = _lost(case) + limit.text(numbers)
            suggested.append(Pace(least, f"{running} or {name} >= {needed}", grows))
    return sorted(suggested, key=lambda pace: -pace.least)


def _lost(case: Case) -> str:
    """Return the beginning of a condition that games which ended without a win need not satisfy."""
    return "".join(f"outcome == {e.number} or " for e in case.game.endings if e.kind != "win")


def _bounds(numbers: Numbers, i: int) -> list[str]:
    name = numbers.texts[i]
    return [f"{name} <= {int(numbers.values[i].max())}", f"{name} >= {int(numbers.values[i].min())}"]


def _endings(case: Case, numbers: Numbers, i: int) -> list[str]:
    """Return bounds that hold while the game runs, then bounds that hold after each ending. For an
    ending that no sample shows, the number's highest value serves as the bound."""
    running = numbers.values[i][numbers.outcome == 0]
    texts = [f"outcome != 0 or {numbers.texts[i]} <= {int(running.max())}"] if len(running) else []
    for ending in case.game.endings:
        mine = numbers.values[i][numbers.outcome == ending.number]
        low, high = (
            (int(mine.min()), int(mine.max())) if len(mine) else (numbers.terms[i].hi, numbers.terms[i].hi)
        )
        texts += [
            f"outcome != {ending.number} or {numbers.texts[i]} >= {low}",
            f"outcome != {ending.number} or {numbers.texts[i]} <= {high}",
        ]
    return texts


@dataclass(frozen=True, slots=True)
class _Limit:
    """number i <= factor * number j + number `third` (or 0) + more"""

    i: int
    factor: int
    j: int
    third: int | None
    more: int

    def text(self, numbers: Numbers) -> str:
        names = numbers.texts
        third = "" if self.third is None else f"{names[self.third]} + "
        return f"{names[self.i]} <= {self.factor} * {names[self.j]} + {third}{self.more}"


def _linear(numbers: Numbers, i: int, j: int) -> Iterator[_Limit]:
    """Yield q1 <= a * q2 + q3 + c, with the least c that all samples satisfy."""
    for a in _FACTORS:
        gap = numbers.values[i] - a * numbers.values[j]
        yield _Limit(i, a, j, None, int(gap.max()))
        for k, small in enumerate(numbers.small):
            if k not in (i, j) and small and numbers.varies(k):
                rest = gap - numbers.values[k]
                if int(rest.max()) < int(gap.max()):
                    yield _Limit(i, a, j, k, int(rest.max()))


def _bases(case: Case, numbers: Numbers) -> list[int]:
    round_ = case.game.facts.get("round")
    if round_ and f"`{round_}`" in numbers.texts:
        return [numbers.texts.index(f"`{round_}`")]
    return list(range(min(len(numbers.texts), 6)))


def _numbers(case: Case, lines: Sequence[Sequence[int]]) -> Numbers:
    """Return the game's numbers: quantities first, then single fields."""
    game = case.game
    names = [n for n, t in game.quantities.items() if t.lo < t.hi]
    single = [(n, h.field) for n, h in game.handles.items() if not isinstance(h, Array)]
    names += [n for n, field in single if field.lo < field.hi and n not in (*names, "phase", "outcome")]
    names = names[:_MOST_NAMES]
    reader = Formula(game, Where("sample"))
    terms = [reader.named(n) for n in names]
    values, outcome = states_met(case, terms, lines)
    return Numbers(
        tuple(f"`{n}`" for n in names),
        tuple(terms),
        values,
        tuple(t.hi - t.lo <= _SMALL for t in terms),
        outcome,
    )
