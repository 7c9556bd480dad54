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
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.faults import isolate_method
from playproof.verifier.search.lines import find_endings_meeting_target, is_target_only_about_ending
from playproof.verifier.search.random_games import PLAIN, RandomGames
from playproof.verifier.search.replay import replay_line

_CURIOUS = (300, 1_500)  # games led by curiosity at most, at first and later
_GREEDY = (60, 400)  # games of greedy players looked through, at first and altogether
_EXPLORE_SHARE = 0.5  # of the time left; what is left then goes to proofs that there is no line
_FIRST_SHARE, _BEST_FIRST_SHARE = 0.1, 0.4  # of the work left, before proofs and behind them
_OLD_SHARE = 0.1  # of the work left, for old lines and games near them
_TEAM_SHARE = 0.2  # of the time left, for each ending that nobody met by chance


_WALKS: Cache[str, RandomGames] = Cache()


@dataclass(slots=True)
class SearchResult:
    """The lines found: `lines[i]` leads to target i and was replayed by the interpreter;
    `method[i]` names the method."""

    lines: dict[int, list[int]] = field(default_factory=dict)
    method: dict[int, str] = field(default_factory=dict)

    def add_line(
        self, case: GameCase, targets: Sequence[Target], position: int, line: list[int], method: str
    ) -> None:
        """Add a line if the interpreter reaches the target with it. Raises AssertionError if it
        does not: that is a defect of the method."""
        replayed = replay_line(case, line, targets[position])
        if replayed.hit is None:
            raise AssertionError(f"{method}: the interpreter does not follow: {replayed.error}")
        self.lines[position], self.method[position] = line[: replayed.hit], method

    def list_missing_targets(self, targets: Sequence[Target]) -> list[int]:
        """Return the positions of the targets not found yet."""
        return [i for i in range(len(targets)) if i not in self.lines]


def search_lines_to_targets(
    case: GameCase,
    targets: Sequence[Target],
    budget: Budget,
    *,
    play_games: bool = True,
    explore: bool = True,
    only_first_games: bool = False,
    earlier_result: SearchResult | None = None,
) -> SearchResult:
    """Return lines of play to as many targets as can be found within the budget. `first_look` stops
    after some games; `earlier` is a search to continue."""
    search = earlier_result or SearchResult()
    if play_games and earlier_result is None:
        with isolate_method(case, "old lines"):
            _search_old_lines(case, targets, budget.take_share(_OLD_SHARE), search)
        with isolate_method(case, "random games"):
            _search_random_games(case, targets, budget.take_share(1 / 3, games=PLAIN), search)
        with isolate_method(case, "curious games"):
            _search_curious_games(case, targets, budget.take_share(1 / 4), search, _CURIOUS[0], 0)
        with isolate_method(case, "greedy games"):
            _search_greedy_games(case, targets, budget.take_share(1 / 4), search, range(_GREEDY[0]))
        with isolate_method(case, "best-first search"):
            _search_best_first(case, targets, budget.take_share(_FIRST_SHARE), search)
    if only_first_games:
        return search
    if play_games:
        with isolate_method(case, "best-first search"):
            _search_best_first(case, targets, budget.take_share(_BEST_FIRST_SHARE), search)
        with isolate_method(case, "curious games"):
            _search_curious_games(case, targets, budget.take_share(1 / 4), search, _CURIOUS[1], 1)
        with isolate_method(case, "greedy games"):
            _search_greedy_games(case, targets, budget.take_share(1 / 4), search, range(*_GREEDY))
        with isolate_method(case, "helpful games"):
            _search_guided_games(case, targets, budget, search)
        with isolate_method(case, "random games"):
            _search_random_games(case, targets, budget.take_share(1 / 3), search)
    if explore and search.list_missing_targets(targets):
        with isolate_method(case, "exploration"):
            _search_by_exploration(case, targets, budget, search)
    return search


def _search_old_lines(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult
) -> None:
    for position, line in old_lines.search_lines_near_old_lines(case, targets, budget).items():
        result.add_line(case, targets, position, line, "old lines")


def _search_random_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult
) -> None:
    """Search random games; a line that is already known stays."""
    if not result.list_missing_targets(targets):
        return
    for position, line in get_random_games(case).search_lines_to_targets(targets, budget).items():
        if position not in result.lines:
            result.add_line(case, targets, position, line, "random games")


def _search_curious_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult, games: int, run: int
) -> None:
    if not result.list_missing_targets(targets):
        return
    lines = curious_games.search_lines_by_curious_games(case, targets, result.lines, budget, games, run)
    for position, line in lines.items():
        result.add_line(case, targets, position, line, "curious games")


def _search_best_first(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult
) -> None:
    """Search for a single target where chance decides nothing, as in a puzzle."""
    missing = result.list_missing_targets(targets)
    if len(missing) != 1 or any(phase.chance for phase in case.game.phases):
        return
    line = best_first.search_line_best_first(case, targets[missing[0]], budget)
    if line is not None:
        result.add_line(case, targets, missing[0], line, "best-first search")


def _search_greedy_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult, games: range
) -> None:
    lines = greedy_games.find_lines_in_greedy_games(case, targets, result.lines, budget, games)
    for position, line in lines.items():
        result.add_line(case, targets, position, line, "greedy games")


def _search_guided_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult
) -> None:
    """Search for endings that random games do not meet: first games in which all help one seat,
    then games of greedy players."""
    for i in result.list_missing_targets(targets):
        if find_endings_meeting_target(case, targets[i]) is None:
            continue
        for method, look in (
            ("helpful games", helpful_games.search_line_by_helpful_games),
            ("greedy games", greedy_games.search_line_by_greedy_games),
        ):
            line = look(case, targets[i], budget.take_share(_TEAM_SHARE))
            if line is not None:
                result.add_line(case, targets, i, line, method)
                break


def _search_by_exploration(
    case: GameCase, targets: Sequence[Target], budget: Budget, result: SearchResult
) -> None:
    missing = result.list_missing_targets(targets)

    def all_seen(now: Exploration) -> bool:
        return all(_is_target_seen(now, targets[i]) for i in missing)

    seen = case.extend_exploration(budget, work=budget.left * _EXPLORE_SHARE, until=all_seen)
    for i in missing:
        line = find_line_in_exploration(seen, targets[i])
        if line is not None:
            result.add_line(case, targets, i, line, "exploration")


def get_random_games(case: GameCase) -> RandomGames:
    """Return the case's random games, shared by all its questions."""
    cache = _WALKS.get_entries(case)
    if "" not in cache:
        cache[""] = RandomGames(case)
    return cache[""]


def _is_target_seen(seen: Exploration, target: Target) -> bool:
    """Return whether exploring has met the target so far, by a cheap test: the action was legal
    somewhere, or an ending meets the condition."""
    if target.idents is not None:
        return any(seen.took_first[i] >= 0 for i in target.idents)
    return find_ending_row_meeting_target(seen, target) is not None


def find_ending_row_meeting_target(seen: Exploration, target: Target) -> int | None:
    """Return the first row among the first rows of each ending in which the condition holds, or
    None."""
    rows = sorted(int(row) for row in seen.end_first if row >= 0)
    if target.idents is not None or not rows:
        return None
    play = Interpreter(seen.compiled.game)
    for row in rows:
        if play.value(target.condition, seen.unpack_state(row)):
            return row
    return None


def find_line_in_exploration(seen: Exploration, target: Target) -> list[int] | None:
    """Return a line to the target among the states seen, or None. Rows are in the order of rounds.
    For a condition, an ending's row comes before any other."""
    if target.idents is None:
        row = find_target_row(seen, target)
        return None if row is None else seen.find_path_to_row(row)
    return _find_line_to_action(seen, target)


def _find_line_to_action(seen: Exploration, target: Target) -> list[int] | None:
    play = Interpreter(seen.compiled.game)
    for ident in sorted(target.idents or ()):
        row = int(seen.took_first[ident])
        if row >= 0 and play.value(target.condition, seen.unpack_state(row)):
            return [*seen.find_path_to_row(row), ident]
    return None


def is_target_absent(seen: Exploration, target: Target) -> bool:
    """Return whether the target holds in none of the states seen (for an action: was legal in none
    of those expanded)."""
    if target.idents is not None:
        return all(seen.took_first[i] < 0 for i in target.idents)
    return find_target_row(seen, target) is None


def find_target_row(seen: Exploration, target: Target) -> int | None:
    """Return a row in which a condition holds, or None: the row of an ending if there is one, else
    the first of all. Targets about endings alone need no scan of the states."""
    row = find_ending_row_meeting_target(seen, target)
    if row is not None or is_target_only_about_ending(seen.compiled.game, target):
        return row
    rows = seen.find_rows_where(target.condition)
    return int(rows[0]) if len(rows) else None
