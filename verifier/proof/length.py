"""No game is longer than N decisions: Z3 finds a rank that every decision lowers, and checks it.

The rank is a sum with a weight for each value of each small cell, and with a factor for each large
cell. Z3 solves for the weights from sampled steps and counterexamples (CEGIS; cf. Podelski and
Rybalchenko, "A complete method for the synthesis of linear ranking functions", VMCAI 2004). A fresh
solver then checks every small step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import z3

from playproof.language.explorer import Exploration, Graph, TooLarge, graph
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Length
from playproof.verifier.proof.circles import explored_circle, played_circle
from playproof.verifier.proof.evidence import of_all_states, transcript
from playproof.verifier.proof.induction import Prover, prover
from playproof.verifier.proof.phases_end import weighed
from playproof.verifier.proof.unanswered import bound_reached, why
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.open_steps import formula
from playproof.verifier.search.sampled_states import steps_met
from playproof.verifier.search.work import Solver

_FEW = 16
_WEIGHTS = (1, 2, 4, 16, 256, 4096)
_SOLVE, _STEP = 10.0, 10.0  # work for one question
Weights = dict[tuple[int, int], int]
Names = dict[tuple[int, int], Any]
"""The unknown weight of a cell's value (-1: of the cell itself) as a Z3 integer. Several cells may
share one weight."""
Drop = tuple[list[int], list[int]]
"""A small step: the state before it and the state after it."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A sum of `weights[cell, value]` for cells with few values and of `weights[cell, -1]` times
    the cell for the others."""

    weights: Weights

    def of(self, state: Sequence[int]) -> int:
        """Return the rank of a plain state."""
        return sum(
            w * (state[cell] if value == -1 else int(state[cell] == value))
            for (cell, value), w in self.weights.items()
        )

    def symbolic(self, p: Prover, state: Sequence[Any]) -> Any:
        """Return the rank of an open state that is read over integers, as a Z3 integer."""
        parts = [z3.IntVal(0)]
        for (cell, value), w in self.weights.items():
            held = state[cell]
            if value == -1:
                parts.append(w * held)
            else:
                parts.append(z3.If(formula(p.reading.compare("==", held, value)), w, 0))
        return z3.Sum(parts)

    def span(self, case: Case) -> int:
        """Return the rank at the start minus the least rank that a typed state can have."""
        fields = [f for f in case.game.fields for _ in range(f.size)]
        least = 0
        for cell, f in enumerate(fields):
            mine = {v: w for (c, v), w in self.weights.items() if c == cell}
            if -1 in mine:
                least += min(mine[-1] * f.lo, mine[-1] * f.hi)
            elif mine:
                least += min(mine.get(v, 0) for v in range(f.lo, f.hi + 1))
        return self.of(case.game.initial()) - least

    def rows(self) -> list[list[int]]:
        """Return the rank as a list of [cell, value or -1, weight]."""
        return [[c, v, w] for (c, v), w in sorted(self.weights.items()) if w]


def ends_within(case: Case, most: int, budget: Budget) -> Conclusion:
    """Return whether every game is over after at most so many decisions."""
    rank = find_rank(case, budget)
    span = None if rank is None else rank.span(case)
    if rank is None:
        circle = played_circle(case)
        if circle is not None:
            return circle
    if rank is None or span is None or span > most:
        return _by_exploration(case, most, budget, span)
    number = weighed(case.game, rank.rows())
    return Conclusion(True, "rank", ((Invariant(Length(span), numbers=(number,)),),))


def find_rank(case: Case, budget: Budget, rounds: int = 60) -> Rank | None:
    """Return a rank that every small step lowers by at least one, or None. The search first gives
    all cells of an array one weight, then each cell its own; small weights come before large
    ones."""
    return rank_of(prover(case, integers=True), case, steps_met(case), budget, rounds)


def rank_of(p: Prover, case: Case, steps: Sequence[Drop], budget: Budget, rounds: int = 60) -> Rank | None:
    """Find a rank as `find_rank` does, for the prover's own small steps, which may be only some of
    the game's."""
    for together in (True, False):
        names = _features(case, together)
        seen = list(steps)
        for most in _WEIGHTS:
            rank = _of_weights(p, names, most, seen, budget, rounds)
            if rank is not None or budget.left <= 0:
                return rank
    return None


def _of_weights(
    p: Prover, names: Names, most: int, seen: list[Drop], budget: Budget, rounds: int
) -> Rank | None:
    """Return a rank with weights of at most `most`, or None. `seen` collects the steps that exclude
    other ranks."""
    solver = Solver(most=_SOLVE)
    for w in {w.get_id(): w for w in names.values()}.values():
        solver.add(w >= -most, w <= most)
    for before, after in seen:
        solver.add(_drop(names, before, after) >= 1)
    for _ in range(rounds):
        if budget.left <= 0 or solver.check() != z3.sat:
            return None
        model = solver.model()
        weights = {f: model.eval(w, model_completion=True).as_long() for f, w in names.items()}
        rank = Rank({f: w for f, w in weights.items() if w})
        bad = _counterexample(p, rank)
        if bad is None:
            return rank
        if not bad:  # Z3 gave no answer, and would give none to the same question again
            return None
        for before, after in bad:
            solver.add(_drop(names, before, after) >= 1)
        seen += bad
        budget.say("looking for a rank")
    return None


def _features(case: Case, together: bool) -> Names:
    """Return a weight for each value of each small cell and for each large cell. Cells of one array
    may share theirs."""
    fields = [(f, i) for f in case.game.fields for i in range(f.size)]
    weights: Names = {}
    for cell, (f, i) in enumerate(fields):
        if f.lo == f.hi:
            continue
        few = f.hi - f.lo < _FEW and bool(f.labels or f.hi - f.lo < 4 or cell < 2)
        place = f"{f.number}" if together else f"{f.number}.{i}"
        for value in range(f.lo, f.hi + 1) if few else (-1,):
            weights[cell, value] = z3.Int(f"w{place}.{value}")
    return weights


def _drop(names: Names, before: Sequence[int], after: Sequence[int]) -> Any:
    """Return rank(before) - rank(after) as a linear term over the weights."""
    parts = []
    for (cell, value), w in names.items():
        was, now = before[cell], after[cell]
        change = was - now if value == -1 else int(was == value) - int(now == value)
        if change:
            parts.append(change * w)
    return z3.Sum(parts) if parts else z3.IntVal(0)


def _counterexample(p: Prover, rank: Rank) -> list[tuple[list[int], list[int]]] | None:
    """Return small steps that do not lower the rank, at most one for each move. Return None if
    there is none, and [] if Z3 gives no answer."""
    steps = []
    for move in p.moves:
        solver = Solver(most=_STEP)
        solver.add(p.reading.typed(p.state), formula(move.outcome.sound))
        solver.add(rank.symbolic(p, move.outcome.after) >= rank.symbolic(p, p.state))
        answer = solver.check()
        if answer == z3.unknown:
            return []
        if answer == z3.sat:
            model = solver.model()
            steps.append(
                (p.reading.plain_state(p.state, model), p.reading.plain_state(move.outcome.after, model))
            )
    return steps or None


def _by_exploration(case: Case, most: int, budget: Budget, span: int | None) -> Conclusion:
    """Answer with the longest path of a complete exploration; a game with a circle has none."""
    seen = case.explored(budget)
    bound = {**bound_reached(case), **({} if span is None else {"no game is longer than": span})}
    if not seen.complete:
        return Conclusion(None, "rank + exploration", (), why(case, budget), bound)
    try:
        net = graph(seen)
    except TooLarge as error:
        return Conclusion(None, "rank + exploration", (), f"memory: {error}", bound)
    depth = depths(net)
    if depth is None:
        return explored_circle(case, seen, net)
    longest = depth[0]
    if longest <= most:
        return Conclusion(
            True, "exploration", (of_all_states(Length(longest), seen),), bound={"longest": longest}
        )
    line = _line_of(seen, net, depth, most + 1)
    return Conclusion(
        False, "exploration", ((transcript(case, Length(most), line),),), bound={"longest": longest}
    )


def _line_of(seen: Exploration, net: Graph, depth: Sequence[int], length: int) -> tuple[int, ...]:
    """Return a line of so many moves from row 0, the first ones of a longest game."""
    rows = [0]
    while len(rows) <= length:
        successors = net.to[int(net.first[rows[-1]]) : int(net.first[rows[-1] + 1])].tolist()
        rows.append(max(successors, key=depth.__getitem__))
    return tuple(seen._between(a, b) for a, b in pairwise(rows))


def longest_path(net: Graph) -> int | None:
    """Return the number of decisions and draws on the longest path from row 0, or None if play can
    go in circles."""
    depth = depths(net)
    return None if depth is None else depth[0]


def depths(net: Graph) -> list[int] | None:
    """Return the number of decisions and draws on the longest path from each row, or None if play can
    go in circles."""
    n = len(net.actors)
    depth = [-1] * n
    state = bytearray(n)  # 0 new, 1 open, 2 done
    stack = [0]
    while stack:
        i = stack[-1]
        if state[i] == 0:
            state[i] = 1
            for e in range(int(net.first[i]), int(net.first[i + 1])):
                j = int(net.to[e])
                if state[j] == 1:
                    return None
                if state[j] == 0:
                    stack.append(j)
        else:
            stack.pop()
            if state[i] == 1:
                state[i] = 2
                edges = range(int(net.first[i]), int(net.first[i + 1]))
                depth[i] = max((depth[int(net.to[e])] + 1 for e in edges), default=0)
    return depth
