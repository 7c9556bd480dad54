"""A beam search over compiled code, depth by depth, for targets too deep for random games and
exploration.

It learns the worth of states from the game itself. It plays random games, labels each sampled state
with how near its game came to the target in the end, and fits a ridge regression over the values of
the cells. A beam can only answer yes: the interpreter replays a line that it finds, and finding
none proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import random
from playproof.language.machine import draws, state_table
from playproof.language.machine.lazy_parts import Part
from playproof.language.random import seed_of
from playproof.language.vector import evaluate
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import beam_steps
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import LONGEST, endings_of
from playproof.verifier.search.random_games import played
from playproof.verifier.search.work import spend

_WIDEST = 1024
_RUN = 77
_CHILDREN = 4  # steps a state kept
BEAM = Part("beam", (random, draws, state_table, beam_steps), ("place_first", "widen"))


@dataclass(frozen=True, slots=True)
class Worth:
    """`weights[cell, value - lows[cell]]`: how much each value of each cell adds to a state's
    worth."""

    weights: npt.NDArray[np.float64]
    lows: npt.NDArray[np.int64]


_WORTHS: Cache[tuple[int, ...], Worth | None] = Cache()
"""The worth of states, by the wanted endings."""


def search(
    case: Case, target: Target, rounds: int, budget: Budget, *, width: int = 4_000, runs: int = 4
) -> list[int] | None:
    """Return a line to an ending of the target within so many rounds, or None. Each run doubles the
    width and adds more noise to the worth."""
    wanted = endings_of(case, target)
    if wanted is None:
        return None
    key = tuple(int(w) for w in wanted)
    cache = _WORTHS.of(case)
    if key not in cache:
        cache[key] = learn(case, wanted, budget)
    worth = cache[key]
    if worth is None:
        return None
    module = case.compiled.load((BEAM,))
    for run in range(runs):
        if budget.left <= 0:
            return None
        budget.say(f"beam {run + 1}: {width:,} states a depth, {rounds} rounds")
        line = _run(case, module, worth, wanted, rounds, width, run)
        if line is not None:
            return line
        width *= 2
    return None


def learn(case: Case, wanted: npt.NDArray[np.int64], budget: Budget, games: int = 1500) -> Worth | None:
    """Return the worth of cells' values, or None if no random game reached the target."""
    goal = _goal(case, wanted, budget)
    if goal is None:
        return None
    states, labels = [], []
    for game in range(games):
        columns = played(case, _RUN, game).states
        states.append(columns[:, ::3])
        labels.append(np.full(states[-1].shape[1], _nearness(case, goal, columns[:, -1:]), dtype=np.float64))
    return _fit(case, np.concatenate(states, axis=1), np.concatenate(labels))


def _goal(case: Case, wanted: npt.NDArray[np.int64], budget: Budget) -> dict[str, int] | None:
    """Return the quantities that have one value at every sampled wanted end and another at the
    start; None if there are none."""
    batch = case.compiled.playouts(budget.games, _RUN, longest=LONGEST)
    spend(case.step * 2 * int(batch.decisions.sum()))
    winners = np.flatnonzero(wanted[batch.endings])[:12]
    if not len(winners):
        return None
    ends = np.concatenate([played(case, _RUN, int(w)).states[:, -1:] for w in winners], axis=1)
    start = np.array(case.play.start(), dtype=np.int64)[:, None]
    goal = {}
    for name, term in case.game.quantities.items():
        values = evaluate(term, ends)
        if values.min() == values.max() != evaluate(term, start)[0]:
            goal[name] = int(values[0])
    return goal or None


def _nearness(case: Case, goal: dict[str, int], end: npt.NDArray[np.int64]) -> float:
    """Return minus the distance of an end from the goal, with each quantity weighted by its
    size."""
    return -sum(
        abs(int(evaluate(case.game.quantities[n], end)[0]) - v) / max(1, abs(v)) for n, v in goal.items()
    )


def _fit(case: Case, states: npt.NDArray[np.int64], labels: npt.NDArray[np.float64]) -> Worth:
    """Fit a ridge regression with one indicator for each cell and value."""
    fields = [f for f in case.game.fields for _ in range(f.size)]
    lows = np.array([f.lo for f in fields], dtype=np.int64)
    sizes = np.array([min(_WIDEST, f.hi - f.lo + 1) for f in fields])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    columns = (states - lows[:, None]).clip(0, (sizes - 1)[:, None]) + offsets[:-1, None]
    n, count = int(offsets[-1]), states.shape[1]
    matrix, right = np.eye(n) * 30.0, np.zeros(n)
    centred = labels - labels.mean()
    for first in range(0, count, 4000):
        part = columns[:, first : first + 4000]
        dense = np.zeros((part.shape[1], n))
        dense[np.arange(part.shape[1])[None, :], part] = 1.0
        matrix += dense.T @ dense
        right += dense.T @ centred[first : first + 4000]
    solved = np.linalg.solve(matrix, right)
    weights = np.zeros((len(fields), int(sizes.max())))
    for cell, (at, size) in enumerate(zip(offsets, sizes, strict=False)):
        weights[cell, :size] = solved[at : at + size]
    return Worth(weights, lows)


def _run(
    case: Case, module: Any, worth: Worth, wanted: npt.NDArray[np.int64], rounds: int, width: int, run: int
) -> list[int] | None:
    """Return a line to a wanted ending or None, breadth-first by decisions, with the `width` best
    states of each depth kept."""
    room = min(6_000_000, width * 700)
    packed = np.zeros((room + 2, int(module.WORDS)), dtype=np.uint64)
    parent, taken = np.full(room + 2, -1, dtype=np.int32), np.full(room + 2, -1, dtype=np.int32)
    slots = 1 << (2 * room).bit_length()
    table, rows = np.full(slots, -1, dtype=np.int32), np.zeros(room + 2, dtype=np.int32)
    fresh, score = np.zeros(room + 2, dtype=np.int32), np.zeros(room + 2, dtype=np.float64)
    dice = np.array([seed_of(_RUN, run) >> 2], dtype=np.uint64)
    facts, size, row = np.array([1, 0], dtype=np.int64), 1, -1
    ends = np.asarray(wanted, dtype=np.int64)
    spread = float(worth.weights.std()) * run
    module.place_first(case.compiled.start(), packed, table, slots - 1)
    while size > 0 and row == -1:
        row = int(
            module.widen(
                packed,
                parent,
                taken,
                table,
                slots - 1,
                rows,
                size,
                worth.lows,
                worth.weights,
                ends,
                rounds,
                spread,
                dice,
                fresh,
                score,
                facts,
            )
        )
        count = int(facts[1])  # of the states new at this depth
        spend(case.step * _CHILDREN * max(size, count))
        size = min(count, width)
        best = np.arange(count) if count <= width else np.argsort(-score[:count], kind="stable")[:width]
        rows[:size] = fresh[best]
    if row < 0:
        return None
    line = []
    while row > 0:
        line.append(int(taken[row]))
        row = int(parent[row])
    return line[::-1]
