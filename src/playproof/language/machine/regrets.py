"""Regret minimisation: learns how often to make each choice if seats know different things.

It plays whole games from one state. One seat in turn learns: it makes every choice at each of its decisions, while
chance and the other seats draw one. The choices that would have gained more are then made more often. The mean over
all games approaches an equilibrium if two seats' returns cancel: external sampling (Lanctot, Waugh, Zinkevich, Bowling,
"Monte Carlo Sampling for Regret Minimization in Extensive Games", NIPS 2009), with regrets that never fall below 0 and
later games that count more (Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014). A tree search for
the best mean does not approach it: it plays what the others can foresee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import below, copy_state, draw_weighted_index
from playproof.language.machine.generated_functions import CELLS, SEATS, WIDTH, actor, apply, legal, returns
from playproof.language.machine.trees import (
    COUNT,
    EDGES,
    FIRST,
    NODES,
    VISITS,
    ObservationHashes,
    SearchTree,
    add_node,
    find_node_slot,
    hash_choices,
    hash_initial_views,
    hash_step,
    make_node_key,
)

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, IntGrid, Ints, RealGrid, Word, Words

# Columns of `sums`, a row for each edge: what it would have gained, and how often it was made.
REGRET = 0
MADE = 1
# Columns of `path`, a row for each decision of the learner above the game: its node, and the choice under way.
NODE = 0
CHOICE = 1
_UNITS = 1073741824
_LONGEST = 10000  # steps of a game, which its rules declare to be short
ROOM = 64
"""So many nodes fit a game at most; longer ones have too much information to learn."""


class LearnerDecisions(NamedTuple):
    """For each decision of the learner above the game: the state, what each seat has met, and what its choices gained.
    `ends` counts how often games came to their end."""

    states: IntGrid
    heard: Words
    gains: RealGrid
    ends: Ints


def get_choice_probability(edge: int, first: int, n: int, sums: RealGrid) -> float:
    """Return the probability of a choice: proportional to its positive regret, or uniform if no
    choice has any."""
    total = 0.0
    for a in range(n):
        total += max(0.0, float(sums[first + a, REGRET]))
    if total <= 0.0:
        return 1.0 / n
    return max(0.0, float(sums[edge, REGRET])) / total


def draw_edge(first: int, n: int, sums: RealGrid, R: Dice) -> int:
    """Return an edge drawn with these probabilities."""
    rest: float = below(R, _UNITS) / float(_UNITS)
    for a in range(n - 1):
        rest -= get_choice_probability(first + a, first, n, sums)
        if rest < 0.0:
            return first + a
    return first + n - 1


def find_or_add_node(
    S: Cells, senses: ObservationHashes, mover: int, out: Cells, n: int, tree: SearchTree
) -> int:
    """Return the node of a decision, which is made if it is new."""
    h: Word = make_node_key(S, senses, True, mover)
    slot = find_node_slot(h, tree.keys, tree.table)
    if tree.table[slot] < 0:
        add_node(h, slot, mover, out, n, tree)
    node = int(tree.table[slot])
    tree.nodes[node, VISITS] += 1
    return node


def play_down_to_end(
    S: Cells,
    T: Cells,
    out: Cells,
    weights: Cells,
    learner: int,
    count: int,
    depth: int,
    senses: ObservationHashes,
    R: Dice,
    tree: SearchTree,
    above: LearnerDecisions,
) -> int:
    """Play to the end with the first choice at each decision of the learner. Return how many of its decisions then lie
    above. The game stops where these have no room."""
    for _ in range(_LONGEST):
        if S[1] != 0 or depth == len(tree.path):
            break
        n = legal(S, out, weights)
        if n == 0:
            break
        mover = int(actor(S))
        if mover >= 0:
            hash_choices(senses, mover, out, n)
        if mover < 0:
            ident = int(out[draw_weighted_index(R, weights, n)])
        elif n == 1:
            ident = int(out[0])
        else:
            node = find_or_add_node(S, senses, mover, out, n, tree)
            first = int(tree.nodes[node, FIRST])
            edge = first
            if mover == learner:
                tree.path[depth, NODE] = node
                tree.path[depth, CHOICE] = 0
                for i in range(CELLS):
                    above.states[depth, i] = S[i]
                for q in range(SEATS):
                    above.heard[depth * SEATS + q] = senses.H[q]
                depth += 1
            else:
                for other in range(first, first + n):
                    tree.sums[other, MADE] += get_choice_probability(other, first, n, tree.sums) * count
                edge = draw_edge(first, n, tree.sums, R)
            ident = int(tree.edges[edge, 0])
        copy_state(T, S)
        apply(S, ident)
        hash_step(S, T, senses, ident, mover)
    above.ends[0] += 1
    return depth


def back_up_gain(
    S: Cells,
    T: Cells,
    value: float,
    learner: int,
    depth: int,
    senses: ObservationHashes,
    tree: SearchTree,
    above: LearnerDecisions,
) -> int:
    """Note what the last choice gained. Return how many decisions of the learner lie above the next choice, which is
    made; 0 if all were. A decision whose choices were all made is worth their mean, and changes their regrets."""
    while depth > 0:
        d = depth - 1
        node = int(tree.path[d, NODE])
        first = int(tree.nodes[node, FIRST])
        n = int(tree.nodes[node, COUNT])
        a = int(tree.path[d, CHOICE])
        above.gains[d, a] = value
        if a + 1 < n:
            tree.path[d, CHOICE] = a + 1
            for i in range(CELLS):
                S[i] = above.states[d, i]
            for q in range(SEATS):
                senses.H[q] = above.heard[d * SEATS + q]
            ident = int(tree.edges[first + a + 1, 0])
            copy_state(T, S)
            apply(S, ident)
            hash_step(S, T, senses, ident, learner)
            return depth
        value = 0.0
        for other in range(n):
            value += get_choice_probability(first + other, first, n, tree.sums) * float(above.gains[d, other])
        for other in range(n):
            regret = float(tree.sums[first + other, REGRET]) + float(above.gains[d, other]) - value
            tree.sums[first + other, REGRET] = max(0.0, regret)
        depth = d
    return 0


def learn(
    start: Cells,
    senses: ObservationHashes,
    R: Dice,
    tree: SearchTree,
    above: LearnerDecisions,
    begun: int,
    rounds: int,
    most: int,
) -> int:
    """Let seats learn in turn, `rounds` times, after `begun` times before. Return how often it was done: fewer if the
    arrays are full, or `most` games came to their end."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    for done in range(rounds):
        learner = (begun + done) % SEATS
        copy_state(S, start)
        hash_initial_views(S, senses)
        depth = 0
        going = True
        while going:
            full = tree.facts[NODES] + ROOM >= len(tree.nodes)
            if full or tree.facts[EDGES] + WIDTH * ROOM >= len(tree.edges) or above.ends[0] >= most:
                return done
            depth = play_down_to_end(
                S, T, out, weights, learner, begun + done + 1, depth, senses, R, tree, above
            )
            for q in range(SEATS):
                gain[q] = 0
            if S[1] != 0:
                returns(S, gain)
            depth = back_up_gain(S, T, float(gain[learner]), learner, depth, senses, tree, above)
            going = depth > 0
    return rounds
