"""Tree search: sampled worlds, a tree of what each seat has seen, random games from its leaves, and
proofs backed up.

Nodes are found by a hash. If nothing is hidden, it is the hash of the state, so a position that
several lines reach is one node. Otherwise it is the hash of what the seat to act has seen and done
since the root (Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG
2012, with a tree for each seat): nobody's choice depends on what that seat does not know. Won and
lost positions are proved as in Winands, Björnsson, Saito, "Monte-Carlo Tree Search Solver", 2008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import below, copy_state, draw_weighted_index
from playproof.language.machine.generated_functions import (
    CELLS,
    SEATS,
    WIDTH,
    WORLD,
    actor,
    apply,
    legal,
    returns,
    settle,
    step,
    worth_of,
)
from playproof.language.machine.players import choose_greedy_action
from playproof.language.machine.state_table import stir_hash
from playproof.language.machine.unseen import deal_unseen_cards

if TYPE_CHECKING:
    from playproof.language.machine.kinds import (
        Cells,
        Dice,
        IntGrid,
        Ints,
        Ints32,
        RealGrid,
        Reals,
        Word,
        Words,
    )

# Columns of `nodes`, a row for each node: its edges, how often it was met, whether the outcome is
# proved and which.
FIRST = 0
COUNT = 1
VISITS = 2
PROVED = 3
VALUE = 4
ACTOR = 5
# Columns of `edges`, a row for each choice of a node.
IDENT = 0
TAKEN = 1
SURE = 2
EXACT = 3
# Columns of `sums`, beside `edges`: the mover's returns, its evaluations, how likely it is thought
# to be, and the squares of the returns.
RETURN = 0
WORTH = 1
PRIOR = 2
SQUARE = 3
# Columns of `path`, a row for each choice on the way down. BEHIND says that chance acted after the choice.
NODE = 0
EDGE = 1
BEHIND = 2
# Entries of `facts`: nodes and edges so far, what kind of game it is, the proved node that the last walk met, and from
# SIDES on for each seat the number of its side, which is 0 for those who play together with seat 0.
NODES = 0
EDGES = 1
SECRET = 2
PROVABLE = 3
JUDGED = 4
REACH = 5
GUIDED = 6
WHOLE = 7
TOP = 8
BOTTOM = 9
MET = 10
SIDES = 11
# Entries of `scale`: least and greatest return met, mean distance and number of evaluations,
# weights.
LOW = 0
HIGH = 1
FAR = 2
SEEN = 3
MIX = 4
DRIVE = 5
SHARP = 6
# Rows of `tables`: the square root of n, that of its logarithm, and that of its inverse.
ROOT = 0
ROOT_LOG = 1
INVERSE = 2
_STEPS = 4000
_LONGEST = 10000  # steps of a random game; one that goes on brings nobody anything


class SearchTree(NamedTuple):
    """The nodes with their edges, and the way down to a leaf. `table` finds the node of a key."""

    keys: Words
    table: Ints32
    nodes: IntGrid
    edges: IntGrid
    sums: RealGrid
    path: IntGrid
    facts: Ints


class ObservationHashes(NamedTuple):
    """Who sees which cells (`seen`: offsets, then cells), what everybody hears of each action, and a hash of all that
    each seat has met."""

    seen: Ints
    aloud: Ints
    H: Words


class WorldDeals(NamedTuple):
    """The worlds to draw from, the running sums of their shares, and the seat from which each is dealt again (-1: it
    stays as it is)."""

    worlds: IntGrid
    shares: Ints
    seat: int


# -- what is seen ---------------------------------------------------------------------------------------------------


def hash_cells(S: Cells, seen: Ints, part: int, h: Word) -> Word:
    """Return a hash extended with the cells of one part of `seen`: all seats see part 0; only seat
    q and some others see part 1 + q."""
    for k in range(int(seen[part]), int(seen[part + 1])):
        h = stir_hash(h, int(S[int(seen[k])]))
    return h


def hash_initial_views(S: Cells, senses: ObservationHashes) -> None:
    """Hash what each seat sees before anything happens."""
    for q in range(SEATS):
        senses.H[q] = hash_cells(S, senses.seen, 1 + q, hash_cells(S, senses.seen, 0, 0))


def hash_changed_cells(S: Cells, T: Cells, seen: Ints, part: int, h: Word) -> Word:
    """Return a hash extended with the cells of one part of `seen` that differ between two states, and what they now
    hold. Who knew all of them before learns as much as from `hash_cells`, which takes longer."""
    for k in range(int(seen[part]), int(seen[part + 1])):
        cell = int(seen[k])
        if S[cell] != T[cell]:
            h = stir_hash(stir_hash(h, cell), int(S[cell]))
    return h


def hash_step(S: Cells, T: Cells, senses: ObservationHashes, ident: int, mover: int) -> None:
    """Hash what each seat sees of a step from T to S: what is announced, what changed on the table, and its own
    action."""
    aloud: Word = hash_changed_cells(S, T, senses.seen, 0, stir_hash(1, int(senses.aloud[ident])))
    for q in range(SEATS):
        h: Word = hash_changed_cells(S, T, senses.seen, 1 + q, stir_hash(int(senses.H[q]), aloud))
        if q == mover:
            h = stir_hash(h, ident)
        senses.H[q] = h


def hash_choices(senses: ObservationHashes, mover: int, out: Cells, n: int) -> None:
    """Hash what the acting seat may choose: that may tell it something, and it does not forget it."""
    h: Word = stir_hash(int(senses.H[mover]), mover)
    for a in range(n):
        h = stir_hash(h, int(out[a]))
    senses.H[mover] = h


def make_node_key(S: Cells, senses: ObservationHashes, secret: bool, mover: int) -> Word:
    """Return the key of the acting seat's node, from the state or from what the seat has seen. With secrets,
    `hash_choices` comes before it, so that the key determines the node's legal actions."""
    if not secret:
        return hash_cells(S, senses.seen, 0, 2)
    h: Word = int(senses.H[mover])
    return h


def follow(S: Cells, actions: Ints, senses: ObservationHashes) -> Word:
    """Take actions from a state. In a game with secrets, return the key of the seat that acts
    next."""
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    hash_initial_views(S, senses)
    for k in range(len(actions)):
        mover = int(actor(S))
        if mover >= 0:
            hash_choices(senses, mover, out, legal(S, out, weights))
        copy_state(T, S)
        apply(S, int(actions[k]))
        hash_step(S, T, senses, int(actions[k]), mover)
    hash_choices(senses, int(actor(S)), out, legal(S, out, weights))
    return make_node_key(S, senses, True, int(actor(S)))


# -- nodes ----------------------------------------------------------------------------------------------------------


def find_node_slot(h: Word, keys: Words, table: Ints32) -> int:
    """Return a node's slot in the table: its own, or the free one for it."""
    slot: int = (h ^ (h >> 32)) & (len(table) - 1)
    while table[slot] >= 0 and int(keys[int(table[slot])]) != h:
        slot = (slot + 1) & (len(table) - 1)
    return slot


def refill(keys: Words, nodes: int, table: Ints32) -> None:
    """Put the first `nodes` nodes into an empty table."""
    for node in range(nodes):
        table[find_node_slot(int(keys[node]), keys, table)] = node


def add_node(h: Word, slot: int, mover: int, out: Cells, n: int, tree: SearchTree) -> int:
    """Add a node with its edges; return its number."""
    node = int(tree.facts[NODES])
    first = int(tree.facts[EDGES])
    tree.table[slot] = node
    tree.keys[node] = h
    tree.nodes[node, FIRST] = first
    tree.nodes[node, COUNT] = n
    tree.nodes[node, VISITS] = 0
    tree.nodes[node, PROVED] = 0
    tree.nodes[node, ACTOR] = mover
    for a in range(n):
        tree.edges[first + a, IDENT] = out[a]
        tree.edges[first + a, TAKEN] = 0
        tree.edges[first + a, SURE] = 0
        tree.sums[first + a, RETURN] = 0.0
        tree.sums[first + a, WORTH] = 0.0
        tree.sums[first + a, PRIOR] = 0.0
        tree.sums[first + a, SQUARE] = 0.0
    tree.facts[NODES] = node + 1
    tree.facts[EDGES] = first + n
    return node


def set_priors(S: Cells, T: Cells, mover: int, first: int, n: int, tree: SearchTree, sharp: float) -> None:
    """Set each choice's prior by its evaluation one step ahead; the best has the highest."""
    low = 0.0
    high = 0.0
    for a in range(n):
        copy_state(T, S)
        apply(T, int(tree.edges[first + a, IDENT]))
        value = float(worth_of(T, mover))
        tree.sums[first + a, PRIOR] = value
        if a == 0 or value < low:
            low = value
        if a == 0 or value > high:
            high = value
    total = 0.0
    for a in range(n):
        near = 1.0
        if high > low:
            near = (float(tree.sums[first + a, PRIOR]) - low) / (high - low)
        weight = 1.0 / (1.0 + sharp * (1.0 - near) * (1.0 - near) + sharp * (1.0 - near))
        tree.sums[first + a, PRIOR] = weight
        total += weight
    for a in range(n):
        tree.sums[first + a, PRIOR] = float(tree.sums[first + a, PRIOR]) / total


def scale_mean_return(total: float, n: int, scale: Reals) -> float:
    """Return a mean return, scaled to 0..1."""
    if scale[HIGH] <= scale[LOW]:
        return 0.5
    return (total / n - float(scale[LOW])) / (float(scale[HIGH]) - float(scale[LOW]))


def compute_edge_value(edge: int, mover: int, tree: SearchTree, scale: Reals) -> float:
    """Return the value to its mover of an edge that was taken, between 0 and 1."""
    n = int(tree.edges[edge, TAKEN])
    if tree.edges[edge, SURE] != 0:
        exact = float(tree.edges[edge, EXACT]) if mover == 0 else -float(tree.edges[edge, EXACT])
        return scale_mean_return(exact, 1, scale)
    value = scale_mean_return(float(tree.sums[edge, RETURN]), n, scale)
    if tree.facts[JUDGED] != 0:
        return (1.0 - float(scale[MIX])) * value + float(scale[MIX]) * (float(tree.sums[edge, WORTH]) / n)
    return value


def select_edge(node: int, R: Dice, tree: SearchTree, scale: Reals, tables: RealGrid) -> int:
    """Return the edge to try next: the one with the best upper bound among those with an open
    outcome (UCB1, or PUCT with priors)."""
    first = int(tree.nodes[node, FIRST])
    n = int(tree.nodes[node, COUNT])
    mover = int(tree.nodes[node, ACTOR])
    visits = int(tree.nodes[node, VISITS])
    judged = tree.facts[JUDGED] != 0
    plain = 0.5
    if judged:
        tries = 0
        total = 0.0
        for a in range(n):
            if tree.edges[first + a, TAKEN] > 0:
                total += compute_edge_value(first + a, mover, tree, scale) * tree.edges[first + a, TAKEN]
                tries += int(tree.edges[first + a, TAKEN])
        if tries > 0:
            plain = total / tries
    start = below(R, n)
    best = -1
    bound = 0.0
    for j in range(n):
        a = start + j
        if a >= n:
            a -= n
        edge = first + a
        if tree.edges[edge, SURE] != 0:
            continue
        taken = int(tree.edges[edge, TAKEN])
        if judged:
            value = plain
            if taken > 0:
                value = compute_edge_value(edge, mover, tree, scale)
            upper = value + float(scale[DRIVE]) * float(tree.sums[edge, PRIOR]) * float(
                tables[ROOT, visits]
            ) / (1 + taken)
        elif taken == 0:
            return edge
        else:
            value = compute_edge_value(edge, mover, tree, scale)
            upper = value + float(scale[DRIVE]) * float(tables[ROOT_LOG, visits]) * float(
                tables[INVERSE, taken]
            )
        if best < 0 or upper > bound:
            best = edge
            bound = upper
    return best


# -- leaves ---------------------------------------------------------------------------------------------------------


def evaluate_seats(S: Cells, worths: Cells, facts: Ints) -> None:
    """Write each seat's evaluation minus the best of the seats that play against it."""
    for q in range(SEATS):
        worths[SEATS + q] = worth_of(S, q)
    for q in range(SEATS):
        most = 0
        others = False
        for p in range(SEATS):
            if facts[SIDES + p] != facts[SIDES + q] and (not others or worths[SEATS + p] > most):
                most = int(worths[SEATS + p])
                others = True
        worths[q] = int(worths[SEATS + q]) - most


def run_rollout(S: Cells, T: Cells, R: Dice, out: Cells, weights: Cells, worths: Cells, facts: Ints) -> bool:
    """Play on to the end, or as far as asked, and write evaluations on the way. Return whether the
    game was played to its end."""
    reach = int(facts[REACH])
    if facts[JUDGED] != 0:
        for _ in range(_STEPS):
            if S[1] != 0 or reach == 0:
                break
            n = legal(S, out, weights)
            if n == 0:
                break
            seat = actor(S)
            if seat < 0:
                apply(S, int(out[draw_weighted_index(R, weights, n)]))
                continue
            reach -= 1
            number = (
                choose_greedy_action(S, T, R, out, n, seat) if below(R, 256) < facts[GUIDED] else below(R, n)
            )
            apply(S, int(out[number]))
        evaluate_seats(S, worths, facts)
        if facts[WHOLE] == 0 and S[1] == 0:
            return False
    for _ in range(_LONGEST):
        if S[1] != 0 or step(S, R, out, weights) < 0:
            break
        settle(S)
    return True


def widen_scale(gain: Cells, worths: Cells, scale: Reals, judged: bool, whole: bool) -> None:
    """Widen the scale to include a leaf's results."""
    for q in range(SEATS):
        value = float(gain[q])
        if whole:
            scale[LOW] = min(float(scale[LOW]), value)
            scale[HIGH] = max(float(scale[HIGH]), value)
        if judged:
            scale[SEEN] += 1.0
            scale[FAR] += (abs(float(worths[q]) - float(worths[2 * SEATS + q])) - float(scale[FAR])) / scale[
                SEEN
            ]


def scale_evaluation(worths: Cells, q: int, scale: Reals) -> float:
    """Return a seat's evaluation relative to the root's, between 0 and 1."""
    far = (float(worths[q]) - float(worths[2 * SEATS + q])) / (float(scale[FAR]) + 1.0)
    return 0.5 + 0.5 * far / (1.0 + abs(far))


# -- proofs ---------------------------------------------------------------------------------------------------------


def prove_node(node: int, tree: SearchTree) -> bool:
    """Return whether a node's edges prove its value to seat 0: one edge has the best possible
    value, or all edges are proved. Note the value."""
    first = int(tree.nodes[node, FIRST])
    sign = 1 if tree.facts[SIDES + int(tree.nodes[node, ACTOR])] == 0 else -1
    limit = int(tree.facts[TOP]) if sign == 1 else -int(tree.facts[BOTTOM])
    every = True
    some = False
    best = 0
    for edge in range(first, first + int(tree.nodes[node, COUNT])):
        if tree.edges[edge, SURE] == 0:
            every = False
            continue
        value = sign * int(tree.edges[edge, EXACT])
        if not some or value > best:
            best = value
            some = True
    if some and (every or best >= limit):
        tree.nodes[node, PROVED] = 1
        tree.nodes[node, VALUE] = sign * best
        return True
    return False


def back_up_proof(value: int, depth: int, tree: SearchTree) -> None:
    """Back up a proved value along the path as far as it proves nodes; stop at a step that chance
    took."""
    for k in range(depth):
        d = depth - 1 - k
        if tree.path[d, BEHIND] != 0:
            return
        edge = int(tree.path[d, EDGE])
        tree.edges[edge, SURE] = 1
        tree.edges[edge, EXACT] = value
        if not prove_node(int(tree.path[d, NODE]), tree):
            return
        value = int(tree.nodes[int(tree.path[d, NODE]), VALUE])


# -- the loop -------------------------------------------------------------------------------------------------------


def sample_world(S: Cells, W: Cells, deals: WorldDeals, R: Dice) -> None:
    """Draw one of the worlds by its share (`shares` are cumulative) and deal its exchangeable cards
    again, with room for them in `W`."""
    row = 0
    if len(deals.shares) > 1:
        target = below(R, int(deals.shares[len(deals.shares) - 1]))
        last = len(deals.shares) - 1
        while row < last:
            middle = (row + last) >> 1
            if int(deals.shares[middle]) > target:
                last = middle
            else:
                row = middle + 1
    for k in range(CELLS):
        S[k] = deals.worlds[row, k]
    if deals.seat >= 0:
        deal_unseen_cards(S, W, R, deals.seat)
        copy_state(S, W)


def descend_tree(
    S: Cells,
    T: Cells,
    out: Cells,
    weights: Cells,
    senses: ObservationHashes,
    R: Dice,
    tree: SearchTree,
    scale: Reals,
    tables: RealGrid,
) -> int:
    """Play down the tree from its root until the game ends, a proved node is met, or a new node has grown; return the
    number of choices on the path. `facts[MET]` is the proved node, or -1."""
    secret = tree.facts[SECRET] != 0
    tree.facts[MET] = -1
    depth = 0
    for _ in range(_STEPS):
        if S[1] != 0 or depth == len(tree.path):
            break
        n = legal(S, out, weights)
        if n == 0:
            break
        mover = int(actor(S))
        if secret and mover >= 0:
            hash_choices(senses, mover, out, n)
        if mover < 0 or n == 1:
            ident = int(out[draw_weighted_index(R, weights, n)]) if mover < 0 else int(out[0])
            if mover < 0 and depth > 0 and n > 1:
                tree.path[depth - 1, BEHIND] = 1
        else:
            h: Word = make_node_key(S, senses, secret, mover)
            slot = find_node_slot(h, tree.keys, tree.table)
            if tree.table[slot] < 0:
                node = add_node(h, slot, mover, out, n, tree)
                if tree.facts[JUDGED] != 0:
                    set_priors(S, T, mover, int(tree.nodes[node, FIRST]), n, tree, float(scale[SHARP]))
                break
            node = int(tree.table[slot])
            if tree.nodes[node, PROVED] != 0:
                tree.facts[MET] = node
                break
            edge = select_edge(node, R, tree, scale, tables)
            tree.path[depth, NODE] = node
            tree.path[depth, EDGE] = edge
            tree.path[depth, BEHIND] = 0
            depth += 1
            ident = int(tree.edges[edge, IDENT])
        if secret:
            copy_state(T, S)
        apply(S, ident)
        if secret:
            hash_step(S, T, senses, ident, mover)
    return depth


def write_leaf_results(
    S: Cells, T: Cells, out: Cells, weights: Cells, R: Dice, gain: Cells, worths: Cells, tree: SearchTree
) -> bool:
    """Write what each seat gains at a leaf: as proved, as the game ended, or as a random game goes on. Return whether
    it is a whole game's."""
    whole = True
    for q in range(SEATS):
        gain[q] = 0
    if tree.facts[MET] >= 0:
        proved = int(tree.nodes[int(tree.facts[MET]), VALUE])
        for q in range(SEATS):
            gain[q] = proved if tree.facts[SIDES + q] == 0 else -proved
        if tree.facts[JUDGED] != 0:
            evaluate_seats(S, worths, tree.facts)
    elif S[1] != 0:
        returns(S, gain)
        if tree.facts[JUDGED] != 0:
            evaluate_seats(S, worths, tree.facts)
    else:
        whole = run_rollout(S, T, R, out, weights, worths, tree.facts)
        if S[1] != 0:
            returns(S, gain)
    return whole


def credit_path(depth: int, gain: Cells, worths: Cells, whole: bool, tree: SearchTree, scale: Reals) -> None:
    """Count a leaf's results for each choice on the path."""
    judged = tree.facts[JUDGED] != 0
    for d in range(depth):
        node = int(tree.path[d, NODE])
        edge = int(tree.path[d, EDGE])
        mover = int(tree.nodes[node, ACTOR])
        tree.nodes[node, VISITS] += 1
        tree.edges[edge, TAKEN] += 1
        tree.sums[edge, SQUARE] += float(gain[mover]) * float(gain[mover])
        if not judged:
            tree.sums[edge, RETURN] += float(gain[mover])
            continue
        stands = scale_evaluation(worths, mover, scale)
        tree.sums[edge, WORTH] += stands
        if whole:
            tree.sums[edge, RETURN] += float(gain[mover])
        else:  # a game that was cut counts as its evaluation
            tree.sums[edge, RETURN] += float(scale[LOW]) + (float(scale[HIGH]) - float(scale[LOW])) * stands


def think(
    deals: WorldDeals,
    senses: ObservationHashes,
    worths: Cells,
    R: Dice,
    tree: SearchTree,
    scale: Reals,
    tables: RealGrid,
    iterations: int,
) -> int:
    """Walk the tree `iterations` times, each time in a newly sampled world; return the number of
    walks. They are fewer if the arrays are full or the root is proved. The root is node 0."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    judged = tree.facts[JUDGED] != 0
    for done in range(iterations):
        if tree.facts[NODES] + 1 >= len(tree.nodes) or tree.facts[EDGES] + WIDTH >= len(tree.edges):
            return done
        if tree.facts[NODES] > 0 and tree.nodes[0, PROVED] != 0:
            return done
        sample_world(S, W, deals, R)
        if tree.facts[SECRET] != 0:
            hash_initial_views(S, senses)
        if judged:
            evaluate_seats(S, worths, tree.facts)
            for q in range(SEATS):
                worths[2 * SEATS + q] = worths[q]
        depth = descend_tree(S, T, out, weights, senses, R, tree, scale, tables)
        exact = tree.facts[MET] >= 0 or S[1] != 0
        whole = write_leaf_results(S, T, out, weights, R, gain, worths, tree)
        widen_scale(gain, worths, scale, judged, whole)
        credit_path(depth, gain, worths, whole, tree, scale)
        if tree.facts[PROVABLE] != 0 and exact:
            back_up_proof(int(gain[0]), depth, tree)
    return iterations
