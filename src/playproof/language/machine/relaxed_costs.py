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


def write_relaxed_distance_of_states(
    holds: Ints8, network: OperatorNetwork, goal_count: int, costs: CostArrays, result: Ints
) -> None:
    """Write the least sum of the last operators, the `goal_count`, for each state; `holds` has a row of facts per
    state."""
    facts = len(costs.cost)
    operators = len(network.needs)
    for state in range(len(result)):
        for f in range(facts):
            costs.cost[f] = UNMADE
            costs.heard[f] = UNMADE
            costs.waits[f] = 0
        waiting = 0
        for f in range(facts):
            if holds[state * facts + f] != 0:
                waiting = lower_fact_cost_and_queue_fact(f, 0, 0, waiting, costs)
        for k in range(operators):
            costs.total[k] = 0
            costs.missing[k] = network.needs[k]
            if costs.missing[k] == 0:
                waiting = lower_costs_of_facts_made_by_operator(k, 0, waiting, network, costs)
        propagate_costs_until_none_falls(waiting, network, costs)
        least = UNMADE
        for k in range(operators - goal_count, operators):
            if costs.missing[k] == 0:
                least = min(least, min(int(costs.total[k]), UNMADE - 1))
        result[state] = least


def propagate_costs_until_none_falls(queued_fact_count: int, network: OperatorNetwork, costs: CostArrays) -> None:
    """Tell the costs of facts to the operators that need them, until none falls any more."""
    first = 0
    while queued_fact_count > 0:
        f = int(costs.queue[first])
        first += 1
        if first == len(costs.queue):
            first = 0
        queued_fact_count -= 1
        costs.waits[f] = 0
        fresh = costs.heard[f] == UNMADE
        change = int(costs.cost[f])
        if not fresh:
            change -= int(costs.heard[f])
        costs.heard[f] = costs.cost[f]
        for u in range(int(network.use[f]), int(network.use[f + 1])):
            k = int(network.users[u])
            costs.total[k] += change
            if fresh:
                costs.missing[k] -= 1
            if costs.missing[k] == 0:
                queued_fact_count = lower_costs_of_facts_made_by_operator(k, first, queued_fact_count, network, costs)


def lower_costs_of_facts_made_by_operator(
    operator_number: int, queue_start: int, queued_fact_count: int, network: OperatorNetwork, costs: CostArrays
) -> int:
    """Let an operator make its facts; return how many facts then wait."""
    price = min(int(costs.total[operator_number]) + 1, UNMADE - 1)
    for m in range(int(network.make[operator_number]), int(network.make[operator_number + 1])):
        queued_fact_count = lower_fact_cost_and_queue_fact(
            int(network.makes[m]), price, queue_start, queued_fact_count, costs
        )
    return queued_fact_count


def lower_fact_cost_and_queue_fact(
    fact_number: int, new_cost: int, queue_start: int, queued_fact_count: int, costs: CostArrays
) -> int:
    """Let a fact cost no more than this; return how many facts then wait."""
    if new_cost < costs.cost[fact_number]:
        costs.cost[fact_number] = new_cost
        if costs.waits[fact_number] == 0:
            costs.waits[fact_number] = 1
            last = queue_start + queued_fact_count
            if last >= len(costs.queue):
                last -= len(costs.queue)
            costs.queue[last] = fact_number
            queued_fact_count += 1
    return queued_fact_count
