"""Regret minimisation: learns how often to make each choice if seats know different things.

It plays whole games from one state. At each information state, it makes the choices that would have
gained more often. The mean over all games approaches an equilibrium if two seats' returns cancel:
outcome sampling with baselines (Lanctot, Waugh, Zinkevich, Bowling, "Monte Carlo Sampling for
Regret Minimization in Extensive Games", NIPS 2009; Schmid et al., "Variance Reduction in Monte
Carlo Counterfactual Regret Minimization", AAAI 2019). A tree search for the best mean does not
approach it: it plays what the others can foresee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.language.machine.draws import below, copy, draw
from playproof.language.machine.generated_functions import CELLS, SEATS, WIDTH, actor, apply, legal, returns
from playproof.language.machine.trees import (
    COUNT,
    EDGES,
    FIRST,
    NODES,
    VISITS,
    Senses,
    Tree,
    grow,
    hear,
    key_of,
    look,
    slot_of,
)

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, RealGrid, Reals, Word

# Columns of `sums`, a row for each edge: what it would have gained, how often it was made, and its
# mean return.
REGRET = 0
MADE = 1
BASE = 2
_UNITS = 1073741824
_TRIED = 40  # of a hundred choices of the learning seat, so many are made at random
_SLOW = 5  # a baseline moves so many hundredths towards each return


def likely(edge: int, first: int, n: int, sums: RealGrid) -> float:
    """Return the probability of a choice: proportional to its positive regret, or uniform if no
    choice has any."""
    total = 0.0
    for a in range(n):
        total += max(0.0, float(sums[first + a, REGRET]))
    if total <= 0.0:
        return 1.0 / n
    return max(0.0, float(sums[edge, REGRET])) / total


def tried(edge: int, first: int, n: int, sums: RealGrid, own: bool) -> float:
    """Return the probability that a choice is sampled: the learning seat mixes in random
    choices."""
    if not own:
        return likely(edge, first, n, sums)
    return _TRIED / (100.0 * n) + (100 - _TRIED) / 100.0 * likely(edge, first, n, sums)


def drawn(first: int, n: int, sums: RealGrid, own: bool, R: Dice) -> int:
    """Return an edge drawn with these probabilities."""
    rest: float = below(R, _UNITS) / float(_UNITS)
    for a in range(n - 1):
        rest -= tried(first + a, first, n, sums, own)
        if rest < 0.0:
            return first + a
    return first + n - 1


def learned(value: float, depth: int, learner: int, reach: Reals, tree: Tree) -> None:
    """Add to each choice's regret, from the end of the path back to the root, what the learning
    seat would have gained by it."""
    for k in range(depth):
        d = depth - 1 - k
        if tree.path[d, 2] != learner:
            continue
        node = int(tree.path[d, 0])
        edge = int(tree.path[d, 1])
        first = int(tree.nodes[node, FIRST])
        n = int(tree.nodes[node, COUNT])
        base = float(tree.sums[edge, BASE])
        seen = base + (value - base) / tried(edge, first, n, tree.sums, True)
        mean = 0.0
        for other in range(first, first + n):
            mean += likely(other, first, n, tree.sums) * (
                seen if other == edge else float(tree.sums[other, BASE])
            )
        for other in range(first, first + n):
            worth = seen if other == edge else float(tree.sums[other, BASE])
            tree.sums[other, REGRET] += (worth - mean) / float(reach[d])
        tree.sums[edge, BASE] += _SLOW / 100.0 * (value - base)
        value = mean


def learn(
    start: Cells, senses: Senses, R: Dice, tree: Tree, reach: Reals, begun: int, iterations: int
) -> int:
    """Play games `begun`, `begun` + 1, ...; return how many were played, which is fewer than asked
    if the arrays are full."""
    S = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    for done in range(iterations):
        if tree.facts[NODES] + len(tree.path) >= len(tree.nodes) or tree.facts[EDGES] + WIDTH * len(
            tree.path
        ) >= len(tree.edges):
            return done
        learner = (begun + done) % SEATS
        copy(S, start)
        look(S, senses)
        depth = 0
        likelihood = 1.0
        while S[1] == 0 and depth < len(tree.path):
            n = legal(S, out, weights)
            if n == 0:
                break
            mover = int(actor(S))
            if mover < 0:
                ident = int(out[draw(R, weights, n)])
            elif n == 1:
                ident = int(out[0])
            else:
                h: Word = key_of(S, senses, True, mover, out, n)
                slot = slot_of(h, tree.keys, tree.table)
                if tree.table[slot] < 0:
                    grow(h, slot, mover, out, n, tree)
                node = int(tree.table[slot])
                tree.nodes[node, VISITS] += 1
                first = int(tree.nodes[node, FIRST])
                edge = drawn(first, n, tree.sums, mover == learner, R)
                if mover == learner:
                    tree.path[depth, 0] = node
                    tree.path[depth, 1] = edge
                    tree.path[depth, 2] = mover
                    reach[depth] = likelihood
                    likelihood = likelihood * tried(edge, first, n, tree.sums, True)
                else:
                    for other in range(first, first + n):
                        tree.sums[other, MADE] += likely(other, first, n, tree.sums) * (begun + done + 1)
                    tree.path[depth, 2] = -1
                depth += 1
                ident = int(tree.edges[edge, 0])
            apply(S, ident)
            hear(S, senses, ident, mover)
        for q in range(SEATS):
            gain[q] = 0
        if S[1] != 0:
            returns(S, gain)
        learned(float(gain[learner]), depth, learner, reach, tree)
    return iterations
