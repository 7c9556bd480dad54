"""Candidate invariants: linear conditions fitted to states from random games and known lines of
play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.database.errors import Where
from playproof.language import Array
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
    values: npt.NDArray[np.int64]
    highest: tuple[int, ...]
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
    lost = (
        "".join(f"outcome == {e.number} or " for e in case.game.endings if e.kind != "win")
        if unless_lost
        else ""
    )
    texts: list[str] = []
    for i in range(len(numbers.texts)):
        texts += _bounds(numbers, i) + _endings(case, numbers, i)
        for j in _bases(case, numbers):
            if i != j and numbers.varies(i) and numbers.varies(j):
                texts += [lost + text for text in _linear(numbers, i, j)]
    return list(dict.fromkeys(texts))


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
            (int(mine.min()), int(mine.max())) if len(mine) else (numbers.highest[i], numbers.highest[i])
        )
        texts += [
            f"outcome != {ending.number} or {numbers.texts[i]} >= {low}",
            f"outcome != {ending.number} or {numbers.texts[i]} <= {high}",
        ]
    return texts


def _linear(numbers: Numbers, i: int, j: int) -> list[str]:
    """Return q1 <= a * q2 + q3 + c, with the least c that all samples satisfy."""
    texts = []
    for a in _FACTORS:
        gap = numbers.values[i] - a * numbers.values[j]
        start = f"{numbers.texts[i]} <= {a} * {numbers.texts[j]}"
        texts.append(f"{start} + {int(gap.max())}")
        for k, third in enumerate(numbers.texts):
            if k not in (i, j) and numbers.small[k] and numbers.varies(k):
                rest = gap - numbers.values[k]
                if int(rest.max()) < int(gap.max()):
                    texts.append(f"{start} + {third} + {int(rest.max())}")
    return texts


def _bases(case: Case, numbers: Numbers) -> list[int]:
    round_ = case.game.facts.get("round")
    if round_ and f"`{round_}`" in numbers.texts:
        return [numbers.texts.index(f"`{round_}`")]
    return list(range(min(len(numbers.texts), 6)))


def _numbers(case: Case, lines: Sequence[Sequence[int]]) -> Numbers:
    """Return the game's numbers: quantities first, then single fields."""
    game = case.game
    names = [n for n, t in game.quantities.items() if t.lo < t.hi]
    names += [
        n
        for n, h in game.handles.items()
        if not isinstance(h, Array)
        and h.field.lo < h.field.hi
        and n not in names
        and n not in ("phase", "outcome")
    ]
    names = names[:_MOST_NAMES]
    reader = Formula(game, Where("sample"))
    terms = [reader.named(n) for n in names]
    values, outcome = states_met(case, terms, lines)
    return Numbers(
        tuple(f"`{n}`" for n in names),
        values,
        tuple(t.hi for t in terms),
        tuple(t.hi - t.lo <= _SMALL for t in terms),
        outcome,
    )
