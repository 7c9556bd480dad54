"""Candidate invariants: linear conditions fitted to states from random games and known lines of
play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.database.errors import Where
from playproof.language import Array, Term
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.sampled_states import sample_term_values

_FACTORS = (1, 2, 3, 4)
_MOST_NAMES = 32
_SMALL = 8


@dataclass(frozen=True, slots=True)
class SampledNumbers:
    """Named numbers of a game, as formulas write them, with their values in sampled states."""

    texts: tuple[str, ...]
    terms: tuple[Term, ...]
    values: npt.NDArray[np.int64]
    small: tuple[bool, ...]
    outcome: npt.NDArray[np.int64]

    def is_varying(self, index: int) -> bool:
        """Return whether the samples differ in number i."""
        return bool(self.values[index].min() < self.values[index].max())


def propose_linear_conditions(
    case: GameCase, lines: Sequence[Sequence[int]] = (), *, unless_lost: bool = False
) -> list[str]:
    """Return bounds, bounds for each ending, and `q1 <= a * q2 + q3 + c`, where q2 is the round (or
    any number, if there is no round) and q3 is a small number or nothing. With `unless_lost`, the
    linear conditions need not hold in games that ended without a win."""
    numbers = _sample_numbers(case, lines)
    lost = _build_lost_game_prefix(case) if unless_lost else ""
    texts: list[str] = []
    for i in range(len(numbers.texts)):
        texts += _propose_bounds(numbers, i) + _propose_ending_bounds(case, numbers, i)
        for j in _choose_base_numbers(case, numbers):
            if i != j and numbers.is_varying(i) and numbers.is_varying(j):
                texts += [
                    lost + limit.format_condition(numbers) for limit in _iter_linear_bounds(numbers, i, j)
                ]
    return list(dict.fromkeys(texts))


@dataclass(frozen=True, slots=True)
class PaceConditions:
    """Two conditions that together bound a number from below at every win: how much of another number a win
    `needs`, and how slowly that one `grows`."""

    least: int
    needs: str
    grows: str


def propose_pace_conditions(
    case: GameCase, number: Term, lines: Sequence[Sequence[int]]
) -> list[PaceConditions]:
    """Return what random games and lines suggest about how slowly a win comes, the greatest bound on the number
    first. For example, a win needs 10 cubes placed, and at most two are placed a round: at least 5 rounds."""
    numbers = _sample_numbers(case, lines)
    wins = [e.number for e in case.game.endings if e.kind == "win"]
    won = np.isin(numbers.outcome, wins)
    counts = [i for i, term in enumerate(numbers.terms) if term is number]
    if not counts or not won.any():
        return []
    running = " and ".join(f"outcome != {ending}" for ending in wins)
    suggested: list[PaceConditions] = []
    for i, name in enumerate(numbers.texts):
        if i == counts[0] or not numbers.is_varying(i):
            continue
        needed = int(numbers.values[i][won].min())
        for limit in _iter_linear_bounds(numbers, i, counts[0]):
            most_of_third = 0 if limit.third is None else numbers.terms[limit.third].hi
            least = -(-(needed - most_of_third - limit.more) // limit.factor)
            grows = _build_lost_game_prefix(case) + limit.format_condition(numbers)
            suggested.append(PaceConditions(least, f"{running} or {name} >= {needed}", grows))
    return sorted(suggested, key=lambda pace: -pace.least)


def _build_lost_game_prefix(case: GameCase) -> str:
    """Return the beginning of a condition that games which ended without a win need not satisfy."""
    return "".join(f"outcome == {e.number} or " for e in case.game.endings if e.kind != "win")


def _propose_bounds(numbers: SampledNumbers, index: int) -> list[str]:
    name = numbers.texts[index]
    return [f"{name} <= {int(numbers.values[index].max())}", f"{name} >= {int(numbers.values[index].min())}"]


def _propose_ending_bounds(case: GameCase, numbers: SampledNumbers, index: int) -> list[str]:
    """Return bounds that hold while the game runs, then bounds that hold after each ending. For an
    ending that no sample shows, the number's highest value serves as the bound."""
    running = numbers.values[index][numbers.outcome == 0]
    texts = [f"outcome != 0 or {numbers.texts[index]} <= {int(running.max())}"] if len(running) else []
    for ending in case.game.endings:
        mine = numbers.values[index][numbers.outcome == ending.number]
        low, high = (
            (int(mine.min()), int(mine.max()))
            if len(mine)
            else (numbers.terms[index].hi, numbers.terms[index].hi)
        )
        texts += [
            f"outcome != {ending.number} or {numbers.texts[index]} >= {low}",
            f"outcome != {ending.number} or {numbers.texts[index]} <= {high}",
        ]
    return texts


@dataclass(frozen=True, slots=True)
class _LinearBound:
    """number i <= factor * number j + number `third` (or 0) + more"""

    i: int
    factor: int
    j: int
    third: int | None
    more: int

    def format_condition(self, numbers: SampledNumbers) -> str:
        names = numbers.texts
        third = "" if self.third is None else f"{names[self.third]} + "
        return f"{names[self.i]} <= {self.factor} * {names[self.j]} + {third}{self.more}"


def _iter_linear_bounds(
    numbers: SampledNumbers, bounded_index: int, base_index: int
) -> Iterator[_LinearBound]:
    """Yield q1 <= a * q2 + q3 + c, with the least c that all samples satisfy."""
    for a in _FACTORS:
        gap = numbers.values[bounded_index] - a * numbers.values[base_index]
        yield _LinearBound(bounded_index, a, base_index, None, int(gap.max()))
        for k, small in enumerate(numbers.small):
            if k not in (bounded_index, base_index) and small and numbers.is_varying(k):
                rest = gap - numbers.values[k]
                if int(rest.max()) < int(gap.max()):
                    yield _LinearBound(bounded_index, a, base_index, k, int(rest.max()))


def _choose_base_numbers(case: GameCase, numbers: SampledNumbers) -> list[int]:
    round_ = case.game.facts.get("round")
    if round_ and f"`{round_}`" in numbers.texts:
        return [numbers.texts.index(f"`{round_}`")]
    return list(range(min(len(numbers.texts), 6)))


def _sample_numbers(case: GameCase, lines: Sequence[Sequence[int]]) -> SampledNumbers:
    """Return the game's numbers: quantities first, then single fields."""
    game = case.game
    names = [n for n, t in game.quantities.items() if t.lo < t.hi]
    single = [(n, h.field) for n, h in game.handles.items() if not isinstance(h, Array)]
    names += [n for n, field in single if field.lo < field.hi and n not in (*names, "phase", "outcome")]
    names = names[:_MOST_NAMES]
    reader = ConditionReader(game, Where("sample"))
    terms = [reader.find_term_by_name(n) for n in names]
    values, outcome = sample_term_values(case, terms, lines)
    return SampledNumbers(
        tuple(f"`{n}`" for n in names),
        tuple(terms),
        values,
        tuple(t.hi - t.lo <= _SMALL for t in terms),
        outcome,
    )
