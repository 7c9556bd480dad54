"""Searches for targets by several methods in turn, each with a share of the remaining budget: old lines, random games,
curious games, greedy games, the states that look nearest, games in which all help one seat, many games in machine code,
and every state round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from playproof.language import Interpreter
from playproof.language.explorer import Exploration
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import best_first, curious_games, greedy_games, helpful_games, old_lines
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.faults import isolate_method
from playproof.verifier.search.lines import endings_of, of_the_end
from playproof.verifier.search.random_games import PLAIN, Walks
from playproof.verifier.search.replay import replay

_CURIOUS = (300, 1_500)  # games led by curiosity at most, at first and later
_GREEDY = (60, 400)  # games of greedy players looked through, at first and altogether
_EXPLORE_SHARE = 0.5  # of the time left; what is left then goes to proofs that there is no line
_FIRST_SHARE, _BEST_FIRST_SHARE = 0.1, 0.4  # of the work left, before proofs and behind them
_OLD_SHARE = 0.1  # of the work left, for old lines and games near them
_TEAM_SHARE = 0.2  # of the time left, for each ending that nobody met by chance


_WALKS: Cache[str, Walks] = Cache()


@dataclass(slots=True)
class Search:
    """The lines found: `lines[i]` leads to target i and was replayed by the interpreter;
    `method[i]` names the method."""

    lines: dict[int, list[int]] = field(default_factory=dict)
    method: dict[int, str] = field(default_factory=dict)

    def add(self, case: Case, targets: Sequence[Target], position: int, line: list[int], method: str) -> None:
        """Add a line if the interpreter reaches the target with it. Raises AssertionError if it
        does not: that is a defect of the method."""
        replayed = replay(case, line, targets[position])
        if replayed.hit is None:
            raise AssertionError(f"{method}: the interpreter does not follow: {replayed.error}")
        self.lines[position], self.method[position] = line[: replayed.hit], method

    def missing(self, targets: Sequence[Target]) -> list[int]:
        """Return the positions of the targets not found yet."""
        return [i for i in range(len(targets)) if i not in self.lines]


def seek(
    case: Case,
    targets: Sequence[Target],
    budget: Budget,
    *,
    walks: bool = True,
    explore: bool = True,
    first_look: bool = False,
    earlier: Search | None = None,
) -> Search:
    """Return lines of play to as many targets as can be found within the budget. `first_look` stops
    after some games; `earlier` is a search to continue."""
    search = earlier or Search()
    if walks and earlier is None:
        with isolate_method(case, "old lines"):
            _old(case, targets, budget.share(_OLD_SHARE), search)
        with isolate_method(case, "random games"):
            _walk(case, targets, budget.share(1 / 3, games=PLAIN), search)
        with isolate_method(case, "curious games"):
            _curious(case, targets, budget.share(1 / 4), search, _CURIOUS[0], 0)
        with isolate_method(case, "greedy games"):
            _greedy(case, targets, budget.share(1 / 4), search, range(_GREEDY[0]))
        with isolate_method(case, "best-first search"):
            _best_first(case, targets, budget.share(_FIRST_SHARE), search)
    if first_look:
        return search
    if walks:
        with isolate_method(case, "best-first search"):
            _best_first(case, targets, budget.share(_BEST_FIRST_SHARE), search)
        with isolate_method(case, "curious games"):
            _curious(case, targets, budget.share(1 / 4), search, _CURIOUS[1], 1)
        with isolate_method(case, "greedy games"):
            _greedy(case, targets, budget.share(1 / 4), search, range(*_GREEDY))
        with isolate_method(case, "helpful games"):
            _guided(case, targets, budget, search)
        with isolate_method(case, "random games"):
            _walk(case, targets, budget.share(1 / 3), search)
    if explore and search.missing(targets):
        with isolate_method(case, "exploration"):
            _explore(case, targets, budget, search)
    return search


def _old(case: Case, targets: Sequence[Target], budget: Budget, search: Search) -> None:
    for position, line in old_lines.search(case, targets, budget).items():
        search.add(case, targets, position, line, "old lines")


def _walk(case: Case, targets: Sequence[Target], budget: Budget, search: Search) -> None:
    """Search random games; a line that is already known stays."""
    if not search.missing(targets):
        return
    for position, line in walker(case).search(targets, budget).items():
        if position not in search.lines:
            search.add(case, targets, position, line, "random games")


def _curious(
    case: Case, targets: Sequence[Target], budget: Budget, search: Search, games: int, run: int
) -> None:
    if not search.missing(targets):
        return
    lines = curious_games.search(case, targets, search.lines, budget, games, run)
    for position, line in lines.items():
        search.add(case, targets, position, line, "curious games")


def _best_first(case: Case, targets: Sequence[Target], budget: Budget, search: Search) -> None:
    """Search for a single target where chance decides nothing, as in a puzzle."""
    missing = search.missing(targets)
    if len(missing) != 1 or any(phase.chance for phase in case.game.phases):
        return
    line = best_first.search(case, targets[missing[0]], budget)
    if line is not None:
        search.add(case, targets, missing[0], line, "best-first search")


def _greedy(case: Case, targets: Sequence[Target], budget: Budget, search: Search, games: range) -> None:
    lines = greedy_games.look_through(case, targets, search.lines, budget, games)
    for position, line in lines.items():
        search.add(case, targets, position, line, "greedy games")


def _guided(case: Case, targets: Sequence[Target], budget: Budget, search: Search) -> None:
    """Search for endings that random games do not meet: first games in which all help one seat,
    then games of greedy players."""
    for i in search.missing(targets):
        if endings_of(case, targets[i]) is None:
            continue
        for method, look in (("helpful games", helpful_games.search), ("greedy games", greedy_games.search)):
            line = look(case, targets[i], budget.share(_TEAM_SHARE))
            if line is not None:
                search.add(case, targets, i, line, method)
                break


def _explore(case: Case, targets: Sequence[Target], budget: Budget, search: Search) -> None:
    missing = search.missing(targets)

    def all_seen(now: Exploration) -> bool:
        return all(_seen_by(now, targets[i]) for i in missing)

    seen = case.explored(budget, work=budget.left * _EXPLORE_SHARE, until=all_seen)
    for i in missing:
        line = line_in(seen, targets[i])
        if line is not None:
            search.add(case, targets, i, line, "exploration")


def walker(case: Case) -> Walks:
    """Return the case's random games, shared by all its questions."""
    cache = _WALKS.of(case)
    if "" not in cache:
        cache[""] = Walks(case)
    return cache[""]


def _seen_by(seen: Exploration, target: Target) -> bool:
    """Return whether exploring has met the target so far, by a cheap test: the action was legal
    somewhere, or an ending meets the condition."""
    if target.idents is not None:
        return any(seen.took_first[i] >= 0 for i in target.idents)
    return row_of_ending(seen, target) is not None


def row_of_ending(seen: Exploration, target: Target) -> int | None:
    """Return the first row among the first rows of each ending in which the condition holds, or
    None."""
    rows = sorted(int(row) for row in seen.end_first if row >= 0)
    if target.idents is not None or not rows:
        return None
    play = Interpreter(seen.compiled.game)
    for row in rows:
        if play.value(target.condition, seen.state(row)):
            return row
    return None


def line_in(seen: Exploration, target: Target) -> list[int] | None:
    """Return a line to the target among the states seen, or None. Rows are in the order of rounds.
    For a condition, an ending's row comes before any other."""
    if target.idents is None:
        row = first_row(seen, target)
        return None if row is None else seen.path(row)
    return _line_to_action(seen, target)


def _line_to_action(seen: Exploration, target: Target) -> list[int] | None:
    play = Interpreter(seen.compiled.game)
    for ident in sorted(target.idents or ()):
        row = int(seen.took_first[ident])
        if row >= 0 and play.value(target.condition, seen.state(row)):
            return [*seen.path(row), ident]
    return None


def absent(seen: Exploration, target: Target) -> bool:
    """Return whether the target holds in none of the states seen (for an action: was legal in none
    of those expanded)."""
    if target.idents is not None:
        return all(seen.took_first[i] < 0 for i in target.idents)
    return first_row(seen, target) is None


def first_row(seen: Exploration, target: Target) -> int | None:
    """Return a row in which a condition holds, or None: the row of an ending if there is one, else
    the first of all. Targets about endings alone need no scan of the states."""
    row = row_of_ending(seen, target)
    if row is not None or of_the_end(seen.compiled.game, target):
        return row
    rows = seen.rows(target.condition)
    return int(rows[0]) if len(rows) else None
