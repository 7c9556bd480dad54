"""What facts cost if no step ever undid a fact, for many states: costs fall until no operator makes a fact cheaper.

A fact costs 0 if it holds; else the least, over the operators that make it, of 1 and the costs of what they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Ints, Ints8, Ints32

UNMADE = 1_000_000


class OperatorNetwork(NamedTuple):
    """Which operators need each fact, and which facts each operator makes. The operators of fact f are
    `users[use[f]:use[f + 1]]`, the facts of operator k `makes[make[k]:make[k + 1]]`. `needs` counts what one needs."""

    needs: Ints32
    use: Ints32
    users: Ints32
    make: Ints32
    makes: Ints32


class CostArrays(NamedTuple):
    """The costs of one state: of each fact, and that which its users have heard of; the sum for each operator, and how
    many of its needs have no cost yet. `queue` holds facts whose costs fell, each once, as `waits` says."""

    cost: Ints32
    heard: Ints32
    total: Ints32
    missing: Ints32
    queue: Ints32
    waits: Ints8


def estimates(holds: Ints8, network: OperatorNetwork, goals: int, room: CostArrays, result: Ints) -> None:
    """Write the least sum of the last operators, the `goals`, for each state; `holds` has a row of facts per state."""
    facts = len(room.cost)
    operators = len(network.needs)
    for state in range(len(result)):
        for f in range(facts):
            room.cost[f] = UNMADE
            room.heard[f] = UNMADE
            room.waits[f] = 0
        waiting = 0
        for f in range(facts):
            if holds[state * facts + f] != 0:
                waiting = lower_fact_cost(f, 0, 0, waiting, room)
        for k in range(operators):
            room.total[k] = 0
            room.missing[k] = network.needs[k]
            if room.missing[k] == 0:
                waiting = apply_operator(k, 0, waiting, network, room)
        propagate_costs(waiting, network, room)
        least = UNMADE
        for k in range(operators - goals, operators):
            if room.missing[k] == 0:
                least = min(least, min(int(room.total[k]), UNMADE - 1))
        result[state] = least


def propagate_costs(waiting: int, network: OperatorNetwork, room: CostArrays) -> None:
    """Tell the costs of facts to the operators that need them, until none falls any more."""
    first = 0
    while waiting > 0:
        f = int(room.queue[first])
        first += 1
        if first == len(room.queue):
            first = 0
        waiting -= 1
        room.waits[f] = 0
        fresh = room.heard[f] == UNMADE
        change = int(room.cost[f])
        if not fresh:
            change -= int(room.heard[f])
        room.heard[f] = room.cost[f]
        for u in range(int(network.use[f]), int(network.use[f + 1])):
            k = int(network.users[u])
            room.total[k] += change
            if fresh:
                room.missing[k] -= 1
            if room.missing[k] == 0:
                waiting = apply_operator(k, first, waiting, network, room)


def apply_operator(k: int, first: int, waiting: int, network: OperatorNetwork, room: CostArrays) -> int:
    """Let an operator make its facts; return how many facts then wait."""
    price = min(int(room.total[k]) + 1, UNMADE - 1)
    for m in range(int(network.make[k]), int(network.make[k + 1])):
        waiting = lower_fact_cost(int(network.makes[m]), price, first, waiting, room)
    return waiting


def lower_fact_cost(f: int, price: int, first: int, waiting: int, room: CostArrays) -> int:
    """Let a fact cost no more than this; return how many facts then wait."""
    if price < room.cost[f]:
        room.cost[f] = price
        if room.waits[f] == 0:
            room.waits[f] = 1
            last = first + waiting
            if last >= len(room.queue):
                last -= len(room.queue)
            room.queue[last] = f
            waiting += 1
    return waiting
