"""Lines that come back to a state: from random games, and from all states of a game."""

from __future__ import annotations

import random
from collections import deque
from itertools import pairwise

from playproof.language import RulesError
from playproof.language.explorer import Exploration, SuccessorGraph
from playproof.verifier.kernel.transcript import Cycle
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.work import INTERPRETED, spend_work

_GAMES, _LONGEST = 40, 400


def find_cycle_by_random_play(case: GameCase) -> Conclusion | None:
    """Return the answer that games need not end, from a line of some random games; or None."""
    line = _play_until_state_repeats(case)
    return None if line is None else _conclude_with_cycle(case, *line)


def find_cycle_in_exploration(case: GameCase, seen: Exploration, state_graph: SuccessorGraph) -> Conclusion:
    """Return the answer that games need not end, from all states, some of which lie on a circle."""
    before, rows = _find_shortest_cycle(state_graph)
    path = seen.find_path_to_row(before)
    return _conclude_with_cycle(case, len(path), [*path, *_list_actions_between_rows(seen, [before, *rows])])


def _conclude_with_cycle(case: GameCase, cycle_start: int, line: list[int]) -> Conclusion:
    words = tuple(case.game.show(ident) for ident in line)
    offer, round_ = (Cycle(cycle_start, tuple(line), words),), len(line) - cycle_start
    return Conclusion(False, f"a circle of {round_}", (offer,), bound={"a circle of": round_})


def _play_until_state_repeats(case: GameCase) -> tuple[int, list[int]] | None:
    """Return how many actions lead to a state that comes again, and those up to its return, from random games; or
    None."""
    play, r = case.play, random.Random(5)
    for _ in range(_GAMES):
        state, line, first = play.start(), list[int](), dict[tuple[int, ...], int]()
        while len(line) < _LONGEST:
            before = first.setdefault(tuple(state), len(line))
            if before < len(line):
                return before, line
            spend_work(INTERPRETED)
            try:
                legal = [] if play.terminal(state) else play.legal(state)
                if not legal:
                    break
                line.append(r.choice(legal))
                state = play.apply(state, line[-1])
            except RulesError as error:
                if error.code == "PP330":  # 100,000 automatic phases that no budget counts: once is enough
                    return None
                break
    return None


def _find_shortest_cycle(state_graph: SuccessorGraph) -> tuple[int, list[int]]:
    """Return a row, and the rows of a shortest way from it back to itself. There is a circle: rows from which play
    cannot but end are taken away, and what remains leads to one."""
    waiting, back = [0] * len(state_graph.actors), [list[int]() for _ in state_graph.actors]
    for row in range(len(state_graph.actors)):
        for to in state_graph.to[int(state_graph.first[row]) : int(state_graph.first[row + 1])].tolist():
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
        row = next(to for to in _list_successor_rows(state_graph, row) if waiting[to])
    return row, _find_shortest_path_back(state_graph, row)


def _list_successor_rows(state_graph: SuccessorGraph, row: int) -> list[int]:
    rows: list[int] = state_graph.to[int(state_graph.first[row]) : int(state_graph.first[row + 1])].tolist()
    return rows


def _find_shortest_path_back(state_graph: SuccessorGraph, goal: int) -> list[int]:
    """Return the rows of a shortest way from a row back to it, the last of which is the row itself."""
    came = dict[int, int]()
    todo = deque([goal])
    while goal not in came:
        row = todo.popleft()
        for to in _list_successor_rows(state_graph, row):
            if to not in came:
                came[to] = row
                todo.append(to)
    way = [goal]
    while came[way[-1]] != goal:
        way.append(came[way[-1]])
    return way[::-1]


def _list_actions_between_rows(seen: Exploration, rows: list[int]) -> list[int]:
    """Return the actions that lead from each row to the next."""
    return [seen._find_action_between(a, b) for a, b in pairwise(rows)]
