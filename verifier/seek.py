"""Looking for targets: random games first, then every state round by round, then a beam for what lies deep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rules.language import Interpreter
from rules.language.explorer import Exploration
from verifier import greedy
from verifier.case import Budget, Case
from verifier.replay import replay
from verifier.target import Target
from verifier.walks import PLAIN, Walks


@dataclass(slots=True)
class Search:
    """What was found: `lines[i]` leads to target i and was replayed by the interpreter; `method[i]` says how."""

    lines: dict[int, list[int]] = field(default_factory=dict)
    method: dict[int, str] = field(default_factory=dict)

    def add(self, case: Case, targets: Sequence[Target], position: int, line: list[int], method: str) -> None:
        """Take a line in if the interpreter reaches the target with it; a line it refuses is a defect, not a proof."""
        replayed = replay(case, line, targets[position])
        if replayed.hit is None:
            raise AssertionError(f"{method}: the interpreter does not follow: {replayed.error}")
        self.lines[position], self.method[position] = line[: replayed.hit], method


def seek(case: Case, targets: Sequence[Target], budget: Budget, *, walks: bool = True,
         explore: bool = True) -> Search:
    """Lines of play to as many targets as can be found within the budget."""
    search = Search()
    if walks:
        few = Budget(budget.left / 3, budget.states, min(PLAIN, budget.games), budget.progress)
        _walk(case, targets, few, search)
    if walks and len(targets) == 1 and not search.lines:
        line = greedy.search(case, targets[0], Budget(budget.left / 3, progress=budget.progress))
        if line is not None:
            search.add(case, targets, 0, line, "greedy games")
            return search
    if walks and len(search.lines) < len(targets):
        _walk(case, targets, Budget(budget.left / 3, budget.states, budget.games, budget.progress), search)
    if explore and len(search.lines) < len(targets):
        missing = [i for i in range(len(targets)) if i not in search.lines]
        seen = case.explored(budget, until=lambda now: all(_seen_by(now, targets[i]) for i in missing))
        for i in missing:
            line = line_in(seen, targets[i])
            if line is not None:
                search.add(case, targets, i, line, "exploration")
    return search


def _walk(case: Case, targets: Sequence[Target], budget: Budget, search: Search) -> None:
    """Random games; a line that is known already stays."""
    for position, found in walker(case).search(targets, budget).items():
        if position not in search.lines:
            search.add(case, targets, position, found, "random games")


def walker(case: Case) -> Walks:
    """The case's random games, shared by all its questions."""
    found = case.learnt.setdefault("walks", None) or Walks(case)
    case.learnt["walks"] = found
    assert isinstance(found, Walks)
    return found


def _seen_by(seen: Exploration, target: Target) -> bool:
    """A cheap look, made while exploring: an action was legal somewhere, or an ending of the condition was met."""
    if target.idents is not None:
        return any(seen.took_first[i] >= 0 for i in target.idents)
    return row_of_ending(seen, target) is not None


def row_of_ending(seen: Exploration, target: Target) -> int | None:
    """The first row of an ending in which the condition holds, among the first rows of each ending."""
    rows = sorted(int(r) for r in seen.end_first if r >= 0)
    if target.idents is not None or not rows:
        return None
    play = Interpreter(seen.compiled.game)
    return next((r for r in rows if play.value(target.condition, seen.state(r))), None)


def line_in(seen: Exploration, target: Target) -> list[int] | None:
    """A line to the target among the states seen, in the fewest rounds."""
    if target.idents is None:
        row = row_of_ending(seen, target)
        rows = seen.rows(target.condition) if row is None else np.array([row])
        return seen.path(int(rows[0])) if len(rows) else None
    return _line_to_action(seen, target)


def _line_to_action(seen: Exploration, target: Target) -> list[int] | None:
    play = Interpreter(seen.compiled.game)
    for ident in sorted(target.idents or ()):
        row = int(seen.took_first[ident])
        if row >= 0 and play.value(target.condition, seen.state(row)):
            return [*seen.path(row), ident]
    return None


def absent(seen: Exploration, target: Target) -> bool:
    """Whether the target holds in none of the states seen (for an action: was legal in none of those expanded)."""
    if target.idents is not None:
        return all(seen.took_first[i] < 0 for i in target.idents)
    return len(seen.rows(target.condition)) == 0
