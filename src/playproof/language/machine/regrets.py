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
    add_edges_to_node,
    add_node_without_edges,
    find_slot_of_node_or_free_slot,
    make_node_key,
    set_hashes_to_initial_views,
    update_hash_with_legal_actions,
    update_hashes_after_step,
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
ROOM = 64
"""So many steps, and so many nodes, a game has at most; longer ones have too much information to learn. The rules
declare it; where they break their bound, the game is cut, since the arrays have no room for more."""


class LearnerDecisions(NamedTuple):
    """For each decision of the learner above the game: the state, what each seat has met, and what its choices gained.
    `ends` counts how often games came to their end."""

    states: IntGrid
    heard: Words
    gains: RealGrid
    ends: Ints


def compute_choice_probability_from_regrets(edge: int, first_edge: int, action_count: int, sums: RealGrid) -> float:
    """Return the probability of a choice: proportional to its positive regret, or uniform if no
    choice has any."""
    total = 0.0
    for a in range(action_count):
        total += max(0.0, float(sums[first_edge + a, REGRET]))
    if total <= 0.0:
        return 1.0 / action_count
    return max(0.0, float(sums[edge, REGRET])) / total


def draw_edge_by_regrets(first_edge: int, action_count: int, sums: RealGrid, random_state: Dice) -> int:
    """Return an edge drawn with these probabilities."""
    rest: float = below(random_state, _UNITS) / float(_UNITS)
    for a in range(action_count - 1):
        rest -= compute_choice_probability_from_regrets(first_edge + a, first_edge, action_count, sums)
        if rest < 0.0:
            return first_edge + a
    return first_edge + action_count - 1


def find_or_add_decision_node_and_count_visit(
    state: Cells,
    observation_hashes: ObservationHashes,
    acting_seat: int,
    actions: Cells,
    action_count: int,
    tree: SearchTree,
) -> int:
    """Return the node of a decision, which is made if it is new."""
    h: Word = make_node_key(state, observation_hashes, True, acting_seat)
    slot = find_slot_of_node_or_free_slot(h, tree.keys, tree.table)
    if tree.table[slot] < 0:
        add_edges_to_node(add_node_without_edges(h, slot, acting_seat, tree), actions, action_count, tree)
    node = int(tree.table[slot])
    tree.nodes[node, VISITS] += 1
    return node


def play_to_end_taking_first_choices(
    state: Cells,
    scratch_state: Cells,
    actions: Cells,
    action_weights: Cells,
    learner: int,
    round_number: int,
    depth: int,
    observation_hashes: ObservationHashes,
    random_state: Dice,
    tree: SearchTree,
    learner_decisions: LearnerDecisions,
) -> int:
    """Play to the end with the first choice at each decision of the learner. Return how many of its decisions then lie
    above. The game stops where these, or the arrays, have no room."""
    for _ in range(ROOM):
        if state[1] != 0 or depth == len(tree.path):
            break
        n = legal(state, actions, action_weights)
        if n == 0:
            break
        mover = int(actor(state))
        if mover >= 0:
            update_hash_with_legal_actions(observation_hashes, mover, actions, n)
        if mover < 0:
            ident = int(actions[draw_weighted_index(random_state, action_weights, n)])
        elif n == 1:
            ident = int(actions[0])
        else:
            node = find_or_add_decision_node_and_count_visit(state, observation_hashes, mover, actions, n, tree)
            first = int(tree.nodes[node, FIRST])
            edge = first
            if mover == learner:
                tree.path[depth, NODE] = node
                tree.path[depth, CHOICE] = 0
                for i in range(CELLS):
                    learner_decisions.states[depth, i] = state[i]
                for q in range(SEATS):
                    learner_decisions.heard[depth * SEATS + q] = observation_hashes.H[q]
                depth += 1
            else:
                for other in range(first, first + n):
                    tree.sums[other, MADE] += (
                        compute_choice_probability_from_regrets(other, first, n, tree.sums) * round_number
                    )
                edge = draw_edge_by_regrets(first, n, tree.sums, random_state)
            ident = int(tree.edges[edge, 0])
        copy_state(scratch_state, state)
        apply(state, ident)
        update_hashes_after_step(state, scratch_state, observation_hashes, ident, mover)
    learner_decisions.ends[0] += 1
    return depth


def note_gain_and_get_next_depth(
    state: Cells,
    scratch_state: Cells,
    gain_of_last_choice: float,
    learner: int,
    depth: int,
    observation_hashes: ObservationHashes,
    tree: SearchTree,
    learner_decisions: LearnerDecisions,
) -> int:
    """Note what the last choice gained. Return how many decisions of the learner lie above the next choice, which is
    made; 0 if all were. A decision whose choices were all made is worth their mean, and changes their regrets."""
    while depth > 0:
        d = depth - 1
        node = int(tree.path[d, NODE])
        first = int(tree.nodes[node, FIRST])
        n = int(tree.nodes[node, COUNT])
        a = int(tree.path[d, CHOICE])
        learner_decisions.gains[d, a] = gain_of_last_choice
        if a + 1 < n:
            tree.path[d, CHOICE] = a + 1
            for i in range(CELLS):
                state[i] = learner_decisions.states[d, i]
            for q in range(SEATS):
                observation_hashes.H[q] = learner_decisions.heard[d * SEATS + q]
            ident = int(tree.edges[first + a + 1, 0])
            copy_state(scratch_state, state)
            apply(state, ident)
            update_hashes_after_step(state, scratch_state, observation_hashes, ident, learner)
            return depth
        gain_of_last_choice = 0.0
        for other in range(n):
            gain_of_last_choice += compute_choice_probability_from_regrets(first + other, first, n, tree.sums) * float(
                learner_decisions.gains[d, other]
            )
        for other in range(n):
            regret = (
                float(tree.sums[first + other, REGRET]) + float(learner_decisions.gains[d, other]) - gain_of_last_choice
            )
            tree.sums[first + other, REGRET] = max(0.0, regret)
        depth = d
    return 0


def let_seats_learn_in_turn(
    start_state: Cells,
    observation_hashes: ObservationHashes,
    random_state: Dice,
    tree: SearchTree,
    learner_decisions: LearnerDecisions,
    rounds_done_before: int,
    rounds: int,
    max_games: int,
) -> int:
    """Let seats learn in turn, `rounds` times, after `rounds_done_before` times before. Return how often it was
    done: fewer if the arrays are full, or `max_games` games came to their end."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    for done in range(rounds):
        learner = (rounds_done_before + done) % SEATS
        copy_state(S, start_state)
        set_hashes_to_initial_views(S, observation_hashes)
        depth = 0
        going = True
        while going:
            full = tree.facts[NODES] + ROOM >= len(tree.nodes)
            if full or tree.facts[EDGES] + WIDTH * ROOM >= len(tree.edges) or learner_decisions.ends[0] >= max_games:
                return done
            depth = play_to_end_taking_first_choices(
                S,
                T,
                out,
                weights,
                learner,
                rounds_done_before + done + 1,
                depth,
                observation_hashes,
                random_state,
                tree,
                learner_decisions,
            )
            for q in range(SEATS):
                gain[q] = 0
            if S[1] != 0:
                returns(S, gain)
            depth = note_gain_and_get_next_depth(
                S, T, float(gain[learner]), learner, depth, observation_hashes, tree, learner_decisions
            )
            going = depth > 0
    return rounds
