"""Answers to `always: ends`: no game goes on for ever, however it is played.

The longest game of all states that were gone through shows it, or a number that every decision changes in one
direction. A line that comes back to a state refutes it. A circle may be unlikely, and nobody need play it.
"""

from __future__ import annotations

import random
from collections import deque
from itertools import pairwise

from playproof.language import RulesError
from playproof.language.explorer import Exploration, Graph, TooLarge, graph
from playproof.verifier.kernel.circles import Circle
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.layered import LayeredStates, gone_through, longest_of
from playproof.verifier.kernel.statements import Length
from playproof.verifier.proof.evidence import of_all_states
from playproof.verifier.proof.layering import order_of
from playproof.verifier.proof.length import find_rank, longest_path
from playproof.verifier.proof.phases_end import weighed
from playproof.verifier.proof.reach import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import INTERPRETED, spend

_GAMES, _LONGEST = 40, 400
_RANK_SHARE = 0.3


def comes_to_an_end(case: Case, _: Question, budget: Budget) -> Found:
    """Return whether every game comes to an end, and the length of the longest one where it is known."""
    seen = case.small(budget)
    if seen is not None:
        return _of_all_states(case, seen, budget)
    line = _played_in_a_circle(case)
    if line is not None:
        return _circle(case, *line)
    order = order_of(case, budget)
    if order is not None:
        longest = longest_of(gone_through(case.game, order, case.context))
        offer = (LayeredStates(Length(longest), order),)
        return Found(True, f"layers: {_longest(longest)}", (offer,), bound={"longest": longest})
    rank = find_rank(case, budget.share(_RANK_SHARE))
    if rank is not None:
        steps = rank.span(case)
        number = weighed(case.game, rank.rows())
        by_rank = (Invariant(Length(steps), numbers=(number,)),)
        return Found(True, "rank", (by_rank,), bound={"no game is longer than": steps})
    seen = case.explored(budget)
    if seen.complete:
        return _of_all_states(case, seen, budget)
    return Found(None, "layers + rank + exploration", (), why(case, budget), bound_reached(case))


def _of_all_states(case: Case, seen: Exploration, budget: Budget) -> Found:
    try:
        net = graph(seen)
    except TooLarge as error:
        return Found(None, "exploration", (), f"memory: {error}", bound_reached(case))
    longest = longest_path(net)
    if longest is None:
        before, rows = _shortest_circle(net)
        path = seen.path(before)
        return _circle(case, len(path), [*path, *_between(seen, [before, *rows])])
    offer = of_all_states(Length(longest), seen)
    return Found(True, f"exploration: {_longest(longest)}", (offer,), bound={"longest": longest})


def _longest(decisions: int) -> str:
    return f"the longest game has {decisions} decisions"


def _circle(case: Case, before: int, line: list[int]) -> Found:
    words = tuple(case.game.show(ident) for ident in line)
    offer, round_ = (Circle(before, tuple(line), words),), len(line) - before
    return Found(False, f"a circle of {round_}", (offer,), bound={"a circle of": round_})


def _played_in_a_circle(case: Case) -> tuple[int, list[int]] | None:
    """Return how many actions lead to a state that comes again, and those up to its return, from random games; or
    None."""
    play, r = case.play, random.Random(5)
    for _ in range(_GAMES):
        state, line, first = play.start(), list[int](), dict[tuple[int, ...], int]()
        while len(line) < _LONGEST:
            before = first.setdefault(tuple(state), len(line))
            if before < len(line):
                return before, line
            spend(INTERPRETED)
            try:
                legal = [] if play.terminal(state) else play.legal(state)
                if not legal:
                    break
                line.append(r.choice(legal))
                state = play.apply(state, line[-1])
            except RulesError:
                break
    return None


def _shortest_circle(net: Graph) -> tuple[int, list[int]]:
    """Return a row, and the rows of a shortest way from it back to itself. There is a circle: rows from which play
    cannot but end are taken away, and what remains leads to one."""
    waiting, back = [0] * len(net.actors), [list[int]() for _ in net.actors]
    for row in range(len(net.actors)):
        for to in net.to[int(net.first[row]) : int(net.first[row + 1])].tolist():
            back[to].append(row)
            waiting[row] += 1
    ready = [row for row, n in enumerate(waiting) if not n]
    while ready:
        for row in back[ready.pop()]:
            waiting[row] -= 1
            if not waiting[row]:
                ready.append(row)
    met, row = set[int](), 0
    while row not in met:  # from a row that remains, some edge leads to another
        met.add(row)
        row = next(to for to in _successors(net, row) if waiting[to])
    return row, _way(net, row)


def _successors(net: Graph, row: int) -> list[int]:
    found: list[int] = net.to[int(net.first[row]) : int(net.first[row + 1])].tolist()
    return found


def _way(net: Graph, goal: int) -> list[int]:
    """Return the rows of a shortest way from a row back to it, the last of which is the row itself."""
    came = dict[int, int]()
    todo = deque([goal])
    while goal not in came:
        row = todo.popleft()
        for to in _successors(net, row):
            if to not in came:
                came[to] = row
                todo.append(to)
    way = [goal]
    while came[way[-1]] != goal:
        way.append(came[way[-1]])
    return way[::-1]


def _between(seen: Exploration, rows: list[int]) -> list[int]:
    """Return the actions that lead from each row to the next."""
    return [seen._between(a, b) for a, b in pairwise(rows)]
