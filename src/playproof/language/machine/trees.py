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
    enter,
    legal,
    returns,
    settle,
    step,
    worth_of,
)
from playproof.language.machine.players import choose_index_of_greedy_action
from playproof.language.machine.state_table import mix_word_into_hash
from playproof.language.machine.unseen import write_world_with_unseen_cards_redealt

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, IntGrid, Ints, Ints32, RealGrid, Reals, Word, Words

# Columns of `nodes`, a row for each node: its edges, how often it was met, whether the outcome is
# proved and which, who acts, and the last walk that met it.
FIRST = 0
COUNT = 1
VISITS = 2
PROVED = 3
VALUE = 4
ACTOR = 5
WALK = 6
NODE_COLUMNS = 7
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
MEAN = 2  # in its place where the game declares no evaluation: the mean of the returns
SQUARE = 3
# Columns of `path`, a row for each choice on the way down. BEHIND says that chance acted after the choice.
NODE = 0
EDGE = 1
BEHIND = 2
# Entries of `facts`: nodes and edges so far, what kind of game it is, the proved node that the last walk met, how many
# walks there were, and from SIDES on for each seat the number of its side, which is 0 for those who play together with
# seat 0.
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
WALKS = 11
SIDES = 12
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


def extend_hash_with_cells_of_part(state: Cells, cells_by_part: Ints, part_number: int, hash_value: Word) -> Word:
    """Return a hash extended with the cells of one part of `cells_by_part`: all seats see part 0; only seat
    q and some others see part 1 + q."""
    for k in range(int(cells_by_part[part_number]), int(cells_by_part[part_number + 1])):
        hash_value = mix_word_into_hash(hash_value, int(state[int(cells_by_part[k])]))
    return hash_value


def set_hashes_to_initial_views(state: Cells, observation_hashes: ObservationHashes) -> None:
    """Hash what each seat sees before anything happens."""
    for q in range(SEATS):
        observation_hashes.H[q] = extend_hash_with_cells_of_part(
            state, observation_hashes.seen, 1 + q, extend_hash_with_cells_of_part(state, observation_hashes.seen, 0, 0)
        )


def extend_hash_with_changed_cells_of_part(
    state: Cells, previous_state: Cells, cells_by_part: Ints, part_number: int, hash_value: Word
) -> Word:
    """Return a hash extended with the cells of one part of `cells_by_part` that differ between two states, and what
    they now hold. Who knew all of them before learns as much as from `extend_hash_with_cells_of_part`, which takes
    longer."""
    for k in range(int(cells_by_part[part_number]), int(cells_by_part[part_number + 1])):
        cell = int(cells_by_part[k])
        if state[cell] != previous_state[cell]:
            hash_value = mix_word_into_hash(mix_word_into_hash(hash_value, cell), int(state[cell]))
    return hash_value


def update_hashes_after_step(
    state: Cells, previous_state: Cells, observation_hashes: ObservationHashes, action_id: int, acting_seat: int
) -> None:
    """Hash what each seat sees of a step from T to S: what is announced, what changed on the table, and its own
    action."""
    aloud: Word = extend_hash_with_changed_cells_of_part(
        state,
        previous_state,
        observation_hashes.seen,
        0,
        mix_word_into_hash(1, int(observation_hashes.aloud[action_id])),
    )
    for q in range(SEATS):
        h: Word = extend_hash_with_changed_cells_of_part(
            state,
            previous_state,
            observation_hashes.seen,
            1 + q,
            mix_word_into_hash(int(observation_hashes.H[q]), aloud),
        )
        if q == acting_seat:
            h = mix_word_into_hash(h, action_id)
        observation_hashes.H[q] = h


def update_hash_with_legal_actions(
    observation_hashes: ObservationHashes, acting_seat: int, actions: Cells, action_count: int
) -> None:
    """Hash what the acting seat may choose: that may tell it something, and it does not forget it."""
    h: Word = mix_word_into_hash(int(observation_hashes.H[acting_seat]), acting_seat)
    for a in range(action_count):
        h = mix_word_into_hash(h, int(actions[a]))
    observation_hashes.H[acting_seat] = h


def make_node_key(state: Cells, observation_hashes: ObservationHashes, secret: bool, acting_seat: int) -> Word:
    """Return the key of the acting seat's node, from the state or from what the seat has seen. With secrets,
    `update_hash_with_legal_actions` comes before it, so that the key determines the node's legal actions."""
    if not secret:
        return extend_hash_with_cells_of_part(state, observation_hashes.seen, 0, 2)
    h: Word = int(observation_hashes.H[acting_seat])
    return h


def follow_actions_and_get_node_key(state: Cells, actions: Ints, observation_hashes: ObservationHashes) -> Word:
    """Take actions from a state. In a game with secrets, return the key of the seat that acts
    next."""
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    set_hashes_to_initial_views(state, observation_hashes)
    for k in range(len(actions)):
        mover = int(actor(state))
        if mover >= 0:
            update_hash_with_legal_actions(observation_hashes, mover, out, legal(state, out, weights))
        copy_state(T, state)
        apply(state, int(actions[k]))
        update_hashes_after_step(state, T, observation_hashes, int(actions[k]), mover)
    update_hash_with_legal_actions(observation_hashes, int(actor(state)), out, legal(state, out, weights))
    return make_node_key(state, observation_hashes, True, int(actor(state)))


# -- nodes ----------------------------------------------------------------------------------------------------------


def find_slot_of_node_or_free_slot(hash_value: Word, keys: Words, table: Ints32) -> int:
    """Return a node's slot in the table: its own, or the free one for it."""
    slot: int = (hash_value ^ (hash_value >> 32)) & (len(table) - 1)
    while table[slot] >= 0 and int(keys[int(table[slot])]) != hash_value:
        slot = (slot + 1) & (len(table) - 1)
    return slot


def refill_node_table(keys: Words, node_count: int, table: Ints32) -> None:
    """Put the first `node_count` nodes into an empty table."""
    for node in range(node_count):
        table[find_slot_of_node_or_free_slot(int(keys[node]), keys, table)] = node


def add_node_without_edges(hash_value: Word, slot: int, acting_seat: int, tree: SearchTree) -> int:
    """Add a node, which gets its edges when they are first chosen from; return its number."""
    node = int(tree.facts[NODES])
    tree.table[slot] = node
    tree.keys[node] = hash_value
    tree.nodes[node, FIRST] = 0
    tree.nodes[node, COUNT] = 0
    tree.nodes[node, VISITS] = 0
    tree.nodes[node, PROVED] = 0
    tree.nodes[node, ACTOR] = acting_seat
    tree.nodes[node, WALK] = 0
    tree.facts[NODES] = node + 1
    return node


def add_edges_to_node(node: int, actions: Cells, action_count: int, tree: SearchTree) -> None:
    """Give a node an edge for each of its choices."""
    first = int(tree.facts[EDGES])
    tree.nodes[node, FIRST] = first
    tree.nodes[node, COUNT] = action_count
    for a in range(action_count):
        tree.edges[first + a, IDENT] = actions[a]
        tree.edges[first + a, TAKEN] = 0
        tree.edges[first + a, SURE] = 0
        tree.sums[first + a, RETURN] = 0.0
        tree.sums[first + a, WORTH] = 0.0
        tree.sums[first + a, PRIOR] = 0.0
        tree.sums[first + a, SQUARE] = 0.0
    tree.facts[EDGES] = first + action_count


def add_edges_with_priors_to_node(
    state: Cells,
    scratch_state: Cells,
    node: int,
    actions: Cells,
    action_count: int,
    tree: SearchTree,
    sharpness: float,
) -> None:
    """Give a node its edges, with priors if the game declares an evaluation."""
    add_edges_to_node(node, actions, action_count, tree)
    if tree.facts[JUDGED] != 0:
        mover = int(tree.nodes[node, ACTOR])
        first = int(tree.nodes[node, FIRST])
        set_edge_priors_by_evaluation(state, scratch_state, mover, first, action_count, tree, sharpness)


def set_edge_priors_by_evaluation(
    state: Cells,
    scratch_state: Cells,
    acting_seat: int,
    first_edge: int,
    action_count: int,
    tree: SearchTree,
    sharpness: float,
) -> None:
    """Set each choice's prior by its evaluation one step ahead; the best has the highest."""
    low = 0.0
    high = 0.0
    for a in range(action_count):
        copy_state(scratch_state, state)
        apply(scratch_state, int(tree.edges[first_edge + a, IDENT]))
        value = float(worth_of(scratch_state, acting_seat))
        tree.sums[first_edge + a, PRIOR] = value
        if a == 0 or value < low:
            low = value
        if a == 0 or value > high:
            high = value
    total = 0.0
    for a in range(action_count):
        near = 1.0
        if high > low:
            near = (float(tree.sums[first_edge + a, PRIOR]) - low) / (high - low)
        weight = 1.0 / (1.0 + sharpness * (1.0 - near) * (1.0 - near) + sharpness * (1.0 - near))
        tree.sums[first_edge + a, PRIOR] = weight
        total += weight
    for a in range(action_count):
        tree.sums[first_edge + a, PRIOR] = float(tree.sums[first_edge + a, PRIOR]) / total


def scale_mean_return_to_unit_interval(total: float, sample_count: int, value_scale: Reals) -> float:
    """Return a mean return, scaled to 0..1."""
    if value_scale[HIGH] <= value_scale[LOW]:
        return 0.5
    return (total / sample_count - float(value_scale[LOW])) / (float(value_scale[HIGH]) - float(value_scale[LOW]))


def compute_edge_value_for_mover(edge: int, acting_seat: int, tree: SearchTree, value_scale: Reals) -> float:
    """Return the value to its mover of an edge that was taken, between 0 and 1, where the game declares an
    evaluation."""
    n = int(tree.edges[edge, TAKEN])
    if tree.edges[edge, SURE] != 0:
        exact = float(tree.edges[edge, EXACT]) if acting_seat == 0 else -float(tree.edges[edge, EXACT])
        return scale_mean_return_to_unit_interval(exact, 1, value_scale)
    value = scale_mean_return_to_unit_interval(float(tree.sums[edge, RETURN]), n, value_scale)
    return (1.0 - float(value_scale[MIX])) * value + float(value_scale[MIX]) * (float(tree.sums[edge, WORTH]) / n)


def select_open_edge_by_mean_return(
    node: int, random_state: Dice, tree: SearchTree, value_scale: Reals, root_tables: RealGrid
) -> int:
    """Return the edge to try next where the game declares no evaluation: one that was never taken, else the one with
    the best upper bound (UCB1) among those with an open outcome."""
    first = int(tree.nodes[node, FIRST])
    n = int(tree.nodes[node, COUNT])
    visits = int(tree.nodes[node, VISITS])
    start = below(random_state, n)
    if visits < n:  # each visit takes a new edge while there is one
        for j in range(n):
            a = start + j
            if a >= n:
                a -= n
            if tree.edges[first + a, TAKEN] == 0:
                return first + a
    low = float(value_scale[LOW])
    width = float(value_scale[HIGH]) - low
    doubt = float(value_scale[DRIVE]) * float(root_tables[ROOT_LOG, visits])
    best = -1
    bound = 0.0
    for j in range(n):
        a = start + j
        if a >= n:
            a -= n
        edge = first + a
        if tree.edges[edge, SURE] != 0:
            continue
        value = 0.5
        if width > 0.0:
            value = (float(tree.sums[edge, MEAN]) - low) / width
        upper = value + doubt * float(root_tables[INVERSE, int(tree.edges[edge, TAKEN])])
        if best < 0 or upper > bound:
            best = edge
            bound = upper
    return best


def select_open_edge_by_prior_and_evaluation(
    node: int, random_state: Dice, tree: SearchTree, value_scale: Reals, root_tables: RealGrid
) -> int:
    """Return the edge to try next where the game declares an evaluation: the one with the best upper bound among those
    with an open outcome (PUCT). One that was never taken counts as the mean of the others."""
    first = int(tree.nodes[node, FIRST])
    n = int(tree.nodes[node, COUNT])
    mover = int(tree.nodes[node, ACTOR])
    visits = int(tree.nodes[node, VISITS])
    plain = 0.5
    tries = 0
    total = 0.0
    for a in range(n):
        if tree.edges[first + a, TAKEN] > 0:
            total += compute_edge_value_for_mover(first + a, mover, tree, value_scale) * tree.edges[first + a, TAKEN]
            tries += int(tree.edges[first + a, TAKEN])
    if tries > 0:
        plain = total / tries
    start = below(random_state, n)
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
        value = plain
        if taken > 0:
            value = compute_edge_value_for_mover(edge, mover, tree, value_scale)
        upper = value + float(value_scale[DRIVE]) * float(tree.sums[edge, PRIOR]) * float(root_tables[ROOT, visits]) / (
            1 + taken
        )
        if best < 0 or upper > bound:
            best = edge
            bound = upper
    return best


def select_open_edge(node: int, random_state: Dice, tree: SearchTree, value_scale: Reals, root_tables: RealGrid) -> int:
    """Return the edge to try next among those with an open outcome."""
    if tree.facts[JUDGED] != 0:
        return select_open_edge_by_prior_and_evaluation(node, random_state, tree, value_scale, root_tables)
    return select_open_edge_by_mean_return(node, random_state, tree, value_scale, root_tables)


# -- leaves ---------------------------------------------------------------------------------------------------------


def write_evaluations_relative_to_opponents(state: Cells, evaluations: Cells, facts: Ints) -> None:
    """Write each seat's evaluation minus the best of the seats that play against it."""
    for q in range(SEATS):
        evaluations[SEATS + q] = worth_of(state, q)
    for q in range(SEATS):
        most = 0
        others = False
        for p in range(SEATS):
            if facts[SIDES + p] != facts[SIDES + q] and (not others or evaluations[SEATS + p] > most):
                most = int(evaluations[SEATS + p])
                others = True
        evaluations[q] = int(evaluations[SEATS + q]) - most


def run_rollout_and_tell_if_game_ended(
    state: Cells,
    scratch_state: Cells,
    random_state: Dice,
    actions: Cells,
    action_weights: Cells,
    evaluations: Cells,
    facts: Ints,
) -> bool:
    """Play on to the end, or as far as asked, and write evaluations on the way. Return whether the
    game was played to its end."""
    reach = int(facts[REACH])
    if facts[JUDGED] != 0:
        for _ in range(_STEPS):
            if state[1] != 0 or reach == 0:
                break
            n = legal(state, actions, action_weights)
            if n == 0:
                break
            seat = actor(state)
            if seat < 0:
                apply(state, int(actions[draw_weighted_index(random_state, action_weights, n)]))
                continue
            reach -= 1
            number = (
                choose_index_of_greedy_action(state, scratch_state, random_state, actions, n, seat)
                if below(random_state, 256) < facts[GUIDED]
                else below(random_state, n)
            )
            apply(state, int(actions[number]))
        write_evaluations_relative_to_opponents(state, evaluations, facts)
        if facts[WHOLE] == 0 and state[1] == 0:
            return False
    for _ in range(_LONGEST):
        if state[1] != 0 or step(state, random_state, actions, action_weights) < 0:
            break
        settle(state)
    return True


def widen_scale_by_leaf_results(
    returns_by_seat: Cells, evaluations: Cells, value_scale: Reals, uses_evaluations: bool, is_whole_game: bool
) -> None:
    """Widen the scale to include a leaf's results."""
    for q in range(SEATS):
        value = float(returns_by_seat[q])
        if is_whole_game:
            value_scale[LOW] = min(float(value_scale[LOW]), value)
            value_scale[HIGH] = max(float(value_scale[HIGH]), value)
        if uses_evaluations:
            value_scale[SEEN] += 1.0
            value_scale[FAR] += (
                abs(float(evaluations[q]) - float(evaluations[2 * SEATS + q])) - float(value_scale[FAR])
            ) / value_scale[SEEN]


def scale_evaluation_to_unit_interval(evaluations: Cells, seat: int, value_scale: Reals) -> float:
    """Return a seat's evaluation relative to the root's, between 0 and 1."""
    far = (float(evaluations[seat]) - float(evaluations[2 * SEATS + seat])) / (float(value_scale[FAR]) + 1.0)
    return 0.5 + 0.5 * far / (1.0 + abs(far))


# -- proofs ---------------------------------------------------------------------------------------------------------


def try_to_prove_node_from_edges(node: int, tree: SearchTree) -> bool:
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


def back_up_proved_value_along_path(value: int, depth: int, tree: SearchTree) -> None:
    """Back up a proved value along the path as far as it proves nodes; stop at a step that chance
    took."""
    for k in range(depth):
        d = depth - 1 - k
        if tree.path[d, BEHIND] != 0:
            return
        edge = int(tree.path[d, EDGE])
        tree.edges[edge, SURE] = 1
        tree.edges[edge, EXACT] = value
        if not try_to_prove_node_from_edges(int(tree.path[d, NODE]), tree):
            return
        value = int(tree.nodes[int(tree.path[d, NODE]), VALUE])


# -- the loop -------------------------------------------------------------------------------------------------------


def draw_world_and_redeal_unseen_cards(
    state: Cells, imagined_world: Cells, deals: WorldDeals, random_state: Dice
) -> None:
    """Draw one of the worlds by its share (`shares` are cumulative) and deal its exchangeable cards
    again, with room for them in `imagined_world`."""
    row = 0
    if len(deals.shares) > 1:
        target = below(random_state, int(deals.shares[len(deals.shares) - 1]))
        last = len(deals.shares) - 1
        while row < last:
            middle = (row + last) >> 1
            if int(deals.shares[middle]) > target:
                last = middle
            else:
                row = middle + 1
    for k in range(CELLS):
        state[k] = deals.worlds[row, k]
    if deals.seat >= 0:
        write_world_with_unseen_cards_redealt(state, imagined_world, random_state, deals.seat)
        copy_state(state, imagined_world)


def descend_to_leaf_and_get_path_length(
    state: Cells,
    scratch_state: Cells,
    actions: Cells,
    action_weights: Cells,
    observation_hashes: ObservationHashes,
    random_state: Dice,
    tree: SearchTree,
    value_scale: Reals,
    root_tables: RealGrid,
) -> int:
    """Play down the tree from its root until the game ends, a proved node is met, or a new node has grown; return the
    number of choices on the path, or -1 if there is no room for more edges. `facts[MET]` is the proved node, or -1. A
    walk ends too where it comes to a node again: each walk counts once for a node, and one that goes round would count
    without end.

    Most nodes are met once. So a node gets its edges when it is met again, which are those that it had: its key
    determines its state. With secrets it gets them at once, because its state is one of several, of which the first
    gives the priors. The root has its edges from the first walk on, for whoever asks for its choices.
    """
    secret = tree.facts[SECRET] != 0
    sharpness = float(value_scale[SHARP])
    tree.facts[MET] = -1
    tree.facts[WALKS] += 1
    depth = 0
    for _ in range(_STEPS):
        if state[1] != 0 or depth == len(tree.path):
            break
        n = legal(state, actions, action_weights)
        if n == 0:
            break
        mover = int(actor(state))
        if secret and mover >= 0:
            update_hash_with_legal_actions(observation_hashes, mover, actions, n)
        if mover < 0 or n == 1:
            ident = int(actions[draw_weighted_index(random_state, action_weights, n)]) if mover < 0 else int(actions[0])
            if mover < 0 and depth > 0 and n > 1:
                tree.path[depth - 1, BEHIND] = 1
        else:
            h: Word = make_node_key(state, observation_hashes, secret, mover)
            slot = find_slot_of_node_or_free_slot(h, tree.keys, tree.table)
            if tree.table[slot] < 0:
                node = add_node_without_edges(h, slot, mover, tree)
                if node == 0 or secret:
                    add_edges_with_priors_to_node(state, scratch_state, node, actions, n, tree, sharpness)
                break
            node = int(tree.table[slot])
            if tree.nodes[node, PROVED] != 0:
                tree.facts[MET] = node
                break
            if tree.nodes[node, WALK] == tree.facts[WALKS]:
                break
            tree.nodes[node, WALK] = tree.facts[WALKS]
            if tree.nodes[node, COUNT] == 0 and tree.facts[EDGES] + n > len(tree.edges):
                return -1
            if tree.nodes[node, COUNT] == 0:
                add_edges_with_priors_to_node(state, scratch_state, node, actions, n, tree, sharpness)
            edge = select_open_edge(node, random_state, tree, value_scale, root_tables)
            tree.path[depth, NODE] = node
            tree.path[depth, EDGE] = edge
            tree.path[depth, BEHIND] = 0
            depth += 1
            ident = int(tree.edges[edge, IDENT])
        if secret:
            copy_state(scratch_state, state)
        apply(state, ident)
        if secret:
            update_hashes_after_step(state, scratch_state, observation_hashes, ident, mover)
    return depth


def write_leaf_results_tell_if_whole_game(
    state: Cells,
    scratch_state: Cells,
    actions: Cells,
    action_weights: Cells,
    random_state: Dice,
    returns_by_seat: Cells,
    evaluations: Cells,
    tree: SearchTree,
) -> bool:
    """Write what each seat gains at a leaf: as proved, as the game ended, or as a random game goes on. Return whether
    it is a whole game's."""
    whole = True
    for q in range(SEATS):
        returns_by_seat[q] = 0
    if tree.facts[MET] >= 0:
        proved = int(tree.nodes[int(tree.facts[MET]), VALUE])
        for q in range(SEATS):
            returns_by_seat[q] = proved if tree.facts[SIDES + q] == 0 else -proved
        if tree.facts[JUDGED] != 0:
            write_evaluations_relative_to_opponents(state, evaluations, tree.facts)
    elif state[1] != 0:
        returns(state, returns_by_seat)
        if tree.facts[JUDGED] != 0:
            write_evaluations_relative_to_opponents(state, evaluations, tree.facts)
    else:
        whole = run_rollout_and_tell_if_game_ended(
            state, scratch_state, random_state, actions, action_weights, evaluations, tree.facts
        )
        if state[1] != 0:
            returns(state, returns_by_seat)
    return whole


def add_leaf_results_to_path(
    depth: int, returns_by_seat: Cells, evaluations: Cells, is_whole_game: bool, tree: SearchTree, value_scale: Reals
) -> None:
    """Count a leaf's results for each choice on the path."""
    judged = tree.facts[JUDGED] != 0
    for d in range(depth):
        node = int(tree.path[d, NODE])
        edge = int(tree.path[d, EDGE])
        mover = int(tree.nodes[node, ACTOR])
        tree.nodes[node, VISITS] += 1
        tree.edges[edge, TAKEN] += 1
        tree.sums[edge, SQUARE] += float(returns_by_seat[mover]) * float(returns_by_seat[mover])
        if not judged:
            tree.sums[edge, RETURN] += float(returns_by_seat[mover])
            tree.sums[edge, MEAN] = float(tree.sums[edge, RETURN]) / int(tree.edges[edge, TAKEN])
            continue
        stands = scale_evaluation_to_unit_interval(evaluations, mover, value_scale)
        tree.sums[edge, WORTH] += stands
        if is_whole_game:
            tree.sums[edge, RETURN] += float(returns_by_seat[mover])
        else:  # a game that was cut counts as its evaluation
            tree.sums[edge, RETURN] += (
                float(value_scale[LOW]) + (float(value_scale[HIGH]) - float(value_scale[LOW])) * stands
            )


def grow_search_tree(
    deals: WorldDeals,
    observation_hashes: ObservationHashes,
    evaluations: Cells,
    random_state: Dice,
    tree: SearchTree,
    value_scale: Reals,
    root_tables: RealGrid,
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
        dice: Word = int(random_state[0])
        draw_world_and_redeal_unseen_cards(S, W, deals, random_state)
        enter(S)
        if tree.facts[SECRET] != 0:
            set_hashes_to_initial_views(S, observation_hashes)
        if judged:
            write_evaluations_relative_to_opponents(S, evaluations, tree.facts)
            for q in range(SEATS):
                evaluations[2 * SEATS + q] = evaluations[q]
        depth = descend_to_leaf_and_get_path_length(
            S, T, out, weights, observation_hashes, random_state, tree, value_scale, root_tables
        )
        if depth < 0:  # this walk is taken again when there is room
            random_state[0] = dice
            return done
        exact = tree.facts[MET] >= 0 or S[1] != 0
        whole = write_leaf_results_tell_if_whole_game(S, T, out, weights, random_state, gain, evaluations, tree)
        widen_scale_by_leaf_results(gain, evaluations, value_scale, judged, whole)
        add_leaf_results_to_path(depth, gain, evaluations, whole, tree, value_scale)
        if tree.facts[PROVABLE] != 0 and exact:
            back_up_proved_value_along_path(int(gain[0]), depth, tree)
    return iterations
