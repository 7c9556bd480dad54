"""Searches for targets by several methods in turn, each with a share of the remaining budget; the first
follows lines of play of a game with other cards or under other rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from playproof.language import Interpreter
from playproof.language.explorer import Exploration, evaluate_term_in_many_states
from playproof.language.game import Game
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.search import best_first, guided_games, random_games
from playproof.verifier.search.case import (
    PLAIN,
    Budget,
    Cache,
    GameCase,
    add_work_units_done,
    record_and_swallow_unexpected_exceptions,
)
from playproof.verifier.search.lines_of_play import (
    ActionLine,
    GameInProgress,
    LinesByTarget,
    PlayedLine,
    Player,
    does_target_depend_only_on_ending,
    find_shortest_prefix_at_target_or_none,
    mark_endings_likely_meeting_target_or_none,
    replay_line_until_target_is_met,
)
from playproof.verifier.search.random_games import PLAIN_GAMES, RandomGames, record_first_line_to_each_target
from playproof.verifier.search.target_distance import build_estimated_distance_to_target_term

# Searches for targets by several methods in turn, each with a share of the remaining budget: old lines,
# random games, curious games, greedy games, the states that look nearest, games in which all help one seat,
# many games in machine code, and every state round by round.

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

    lines: LinesByTarget = field(default_factory=dict)
    method: dict[int, str] = field(default_factory=dict)

    def set_line_of_target_verified_by_replay(
        self, case: GameCase, targets: Sequence[Target], target_position: int, line: ActionLine, method_name: str
    ) -> None:
        """Add a line if the interpreter reaches the target with it. Raises AssertionError if it
        does not: that is a defect of the method."""
        replayed = replay_line_until_target_is_met(case, line, targets[target_position])
        if replayed.hit is None:
            raise AssertionError(f"{method_name}: the interpreter does not follow: {replayed.error}")
        self.lines[target_position], self.method[target_position] = line[: replayed.hit], method_name

    def list_positions_of_missing_targets(self, targets: Sequence[Target]) -> list[int]:
        """Return the positions of the targets not found yet."""
        return [i for i in range(len(targets)) if i not in self.lines]


def search_lines_to_targets_by_all_methods(
    case: GameCase,
    targets: Sequence[Target],
    budget: Budget,
    *,
    play_games: bool = True,
    explore: bool = True,
    only_first_games: bool = False,
    earlier_result: SearchResult | None = None,
) -> SearchResult:
    """Return lines of play to as many targets as can be found within the budget. `only_first_games` stops
    after some games; `earlier_result` is a search to continue."""
    search = earlier_result or SearchResult()
    if play_games and earlier_result is None:
        with record_and_swallow_unexpected_exceptions(case, "old lines"):
            _add_lines_near_old_lines(case, targets, budget.make_budget_of_share(_OLD_SHARE), search)
        with record_and_swallow_unexpected_exceptions(case, "random games"):
            _add_lines_from_random_games(
                case, targets, budget.make_budget_of_share(1 / 3, max_games=PLAIN_GAMES), search
            )
        with record_and_swallow_unexpected_exceptions(case, "curious games"):
            _add_lines_from_curiosity_games(case, targets, budget.make_budget_of_share(1 / 4), search, _CURIOUS[0], 0)
        with record_and_swallow_unexpected_exceptions(case, "greedy games"):
            _add_lines_from_greedy_games(case, targets, budget.make_budget_of_share(1 / 4), search, range(_GREEDY[0]))
        with record_and_swallow_unexpected_exceptions(case, "best-first search"):
            _search_single_missing_target_best_first(case, targets, budget.make_budget_of_share(_FIRST_SHARE), search)
    if only_first_games:
        return search
    if play_games:
        with record_and_swallow_unexpected_exceptions(case, "best-first search"):
            _search_single_missing_target_best_first(
                case, targets, budget.make_budget_of_share(_BEST_FIRST_SHARE), search
            )
        with record_and_swallow_unexpected_exceptions(case, "curious games"):
            _add_lines_from_curiosity_games(case, targets, budget.make_budget_of_share(1 / 4), search, _CURIOUS[1], 1)
        with record_and_swallow_unexpected_exceptions(case, "greedy games"):
            _add_lines_from_greedy_games(case, targets, budget.make_budget_of_share(1 / 4), search, range(*_GREEDY))
        with record_and_swallow_unexpected_exceptions(case, "helpful games"):
            _add_lines_from_cooperative_and_greedy_games(case, targets, budget, search)
        with record_and_swallow_unexpected_exceptions(case, "random games"):
            _add_lines_from_random_games(case, targets, budget.make_budget_of_share(1 / 3), search)
    if explore and search.list_positions_of_missing_targets(targets):
        with record_and_swallow_unexpected_exceptions(case, "exploration"):
            _add_lines_by_exploration(case, targets, budget, search)
    return search


def _add_lines_near_old_lines(
    case: GameCase, targets: Sequence[Target], budget: Budget, search_result: SearchResult
) -> None:
    lines = search_lines_near_old_lines_by_position(case, targets, budget)
    if not lines:  # another look for the same targets would find as little
        store_old_lines_for_next_question(case, EarlierLines(case.game))
    for position, line in lines.items():
        search_result.set_line_of_target_verified_by_replay(case, targets, position, line, "old lines")


def _add_lines_from_random_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, search_result: SearchResult
) -> None:
    """Search random games; a line that is already known stays."""
    if not search_result.list_positions_of_missing_targets(targets):
        return
    for position, line in get_shared_random_games(case).search_lines_by_target_position(targets, budget).items():
        if position not in search_result.lines:
            search_result.set_line_of_target_verified_by_replay(case, targets, position, line, "random games")


def _add_lines_from_curiosity_games(
    case: GameCase,
    targets: Sequence[Target],
    budget: Budget,
    search_result: SearchResult,
    max_games: int,
    run_number: int,
) -> None:
    if not search_result.list_positions_of_missing_targets(targets):
        return
    lines = random_games.search_new_lines_by_curiosity_games(
        case, targets, search_result.lines, budget, max_games, run_number
    )
    for position, line in lines.items():
        search_result.set_line_of_target_verified_by_replay(case, targets, position, line, "curious games")


def _search_single_missing_target_best_first(
    case: GameCase, targets: Sequence[Target], budget: Budget, search_result: SearchResult
) -> None:
    """Search for a single target where chance decides nothing, as in a puzzle."""
    missing = search_result.list_positions_of_missing_targets(targets)
    if len(missing) != 1 or any(phase.chance for phase in case.game.phases):
        return
    line = best_first.search_line_best_first_or_none(case, targets[missing[0]], budget)
    if line is not None:
        search_result.set_line_of_target_verified_by_replay(case, targets, missing[0], line, "best-first search")


def _add_lines_from_greedy_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, search_result: SearchResult, game_numbers: range
) -> None:
    lines = guided_games.find_new_lines_in_greedy_games(case, targets, search_result.lines, budget, game_numbers)
    for position, line in lines.items():
        search_result.set_line_of_target_verified_by_replay(case, targets, position, line, "greedy games")


def _add_lines_from_cooperative_and_greedy_games(
    case: GameCase, targets: Sequence[Target], budget: Budget, search_result: SearchResult
) -> None:
    """Search for endings that random games do not meet: first games in which all help one seat,
    then games of greedy players."""
    for i in search_result.list_positions_of_missing_targets(targets):
        if mark_endings_likely_meeting_target_or_none(case, targets[i]) is None:
            continue
        for method, look in (
            ("helpful games", guided_games.search_line_by_cooperative_beams_or_none),
            ("greedy games", guided_games.search_line_by_greedy_games_or_none),
        ):
            line = look(case, targets[i], budget.make_budget_of_share(_TEAM_SHARE))
            if line is not None:
                search_result.set_line_of_target_verified_by_replay(case, targets, i, line, method)
                break


def _add_lines_by_exploration(
    case: GameCase, targets: Sequence[Target], budget: Budget, search_result: SearchResult
) -> None:
    missing = search_result.list_positions_of_missing_targets(targets)

    def all_seen(now: Exploration) -> bool:
        return all(_is_target_probably_seen(now, targets[i]) for i in missing)

    seen = case.extend_shared_exploration(budget, max_work=budget.left * _EXPLORE_SHARE, is_enough=all_seen)
    for i in missing:
        line = find_explored_line_to_target_or_none(seen, targets[i])
        if line is not None:
            search_result.set_line_of_target_verified_by_replay(case, targets, i, line, "exploration")


def get_shared_random_games(case: GameCase) -> RandomGames:
    """Return the case's random games, shared by all its questions."""
    cache = _WALKS.get_entries_of_case(case)
    if "" not in cache:
        cache[""] = RandomGames(case)
    return cache[""]


def _is_target_probably_seen(exploration: Exploration, target: Target) -> bool:
    """Return whether exploring has met the target so far, by a cheap test: the action was legal
    somewhere, or an ending meets the condition."""
    if target.idents is not None:
        return any(exploration.took_first[i] >= 0 for i in target.idents)
    return find_first_ending_row_of_target_or_none(exploration, target) is not None


def find_first_ending_row_of_target_or_none(exploration: Exploration, target: Target) -> int | None:
    """Return the first row among the first rows of each ending in which the condition holds, or
    None."""
    rows = sorted(int(row) for row in exploration.end_first if row >= 0)
    if target.idents is not None or not rows:
        return None
    play = Interpreter(exploration.compiled.game)
    for row in rows:
        if play.value(target.condition, exploration.unpack_state_of_row(row)):
            return row
    return None


def find_explored_line_to_target_or_none(exploration: Exploration, target: Target) -> ActionLine | None:
    """Return a line to the target among the states seen, or None. Rows are in the order of rounds.
    For a condition, an ending's row comes before any other."""
    if target.idents is None:
        row = find_row_meeting_condition_or_none(exploration, target)
        return None if row is None else exploration.list_action_numbers_from_start_to_row(row)
    return _find_line_ending_with_target_action_or_none(exploration, target)


def _find_line_ending_with_target_action_or_none(exploration: Exploration, target: Target) -> ActionLine | None:
    play = Interpreter(exploration.compiled.game)
    for ident in sorted(target.idents or ()):
        row = int(exploration.took_first[ident])
        if row >= 0 and play.value(target.condition, exploration.unpack_state_of_row(row)):
            return [*exploration.list_action_numbers_from_start_to_row(row), ident]
    return None


def is_target_absent_from_exploration(exploration: Exploration, target: Target) -> bool:
    """Return whether the target holds in none of the states seen (for an action: was legal in none
    of those expanded)."""
    if target.idents is not None:
        return all(exploration.took_first[i] < 0 for i in target.idents)
    return find_row_meeting_condition_or_none(exploration, target) is None


def find_row_meeting_condition_or_none(exploration: Exploration, target: Target) -> int | None:
    """Return a row in which a condition holds, or None: the row of an ending if there is one, else
    the first of all. Targets about endings alone need no scan of the states."""
    row = find_first_ending_row_of_target_or_none(exploration, target)
    if row is not None or does_target_depend_only_on_ending(exploration.compiled.game, target):
        return row
    rows = exploration.find_rows_where_condition_holds(target.condition)
    return int(rows[0]) if len(rows) else None


# -- old lines -----------------------------------------------------------------------------------------------
# Lines of play of a game with other cards or under other rulings, followed in this one.

_RUN = 20_261_127
_MOST_WORK = 6.0
_GAMES = 240  # that leave the old lines
_NEAREST, _SPREADS = 4, 7  # decisions from the end where a game leaves first; how often that doubles
_AHEAD = 12  # old decisions passed over for the next one of the phase that play is in
_ASTRAY = 3  # each so many-th game does not come back to the line
ActionDifference = tuple[bool, int, int]


@dataclass(slots=True)
class EarlierLines:
    """Lines as ground actions of another version of a game, `source`."""

    source: Game
    lines: Sequence[Sequence[int]] = ()
    _unlike: dict[tuple[int, int], ActionDifference] = field(default_factory=dict)

    def select_actions_that_exist_in_game(self, game: Game, old_line: Sequence[int]) -> list[int]:
        """Return the decisions of a line whose actions this game has too: all, if it has as many, of which some may be
        called otherwise. One made for yet another version may have numbers that `source` has not."""
        names, source = {action.name for action in game.actions}, self.source
        alike = len(source.actions) == len(game.actions)
        there = (ident for ident in old_line if ident < source.ground)
        return [ident for ident in there if alike or source.get_action_of_ground_action_number(ident).name in names]

    def get_sortable_difference_from_old_action(self, game: Game, old_action: int, action_id: int) -> ActionDifference:
        """Return how far a ground action of this game is from an old one: whether it is another action, how many
        parameters have other names, and how far their values are apart."""
        key = old_action, action_id
        if key not in self._unlike:
            self._unlike[key] = self._compute_difference_from_old_action(game, old_action, action_id)
        return self._unlike[key]

    def _compute_difference_from_old_action(self, game: Game, old_action: int, action_id: int) -> ActionDifference:
        was, action = (
            self.source.get_action_of_ground_action_number(old_action),
            game.get_action_of_ground_action_number(action_id),
        )
        if was.name != action.name or len(was.params) != len(action.params):
            return True, 0, abs(action_id - old_action)
        others = apart = 0
        pairs = zip(
            was.params,
            was.get_values_of_ground_action(old_action),
            action.params,
            action.get_values_of_ground_action(action_id),
            strict=True,
        )
        for before, value, now, new in pairs:
            others += before.format_value(value) != now.format_value(new)
            apart += abs((value - before.low) - (new - now.low))
        return False, others, apart


_HELD: Cache[str, EarlierLines] = Cache()


def store_old_lines_for_next_question(case: GameCase, earlier_lines: EarlierLines) -> None:
    """Keep the old lines that bear on the question that a case is asked next."""
    _HELD.get_entries_of_case(case)[""] = earlier_lines


def _get_stored_old_lines(case: GameCase) -> EarlierLines:
    return _HELD.get_entries_of_case(case).get("") or EarlierLines(case.game)


class LineFollowingPlayer(Player):
    """A player that follows an old line, for all seats and chance. At decision `leaves` it takes any action, and from
    there on if it goes `astray`."""

    def __init__(
        self, old: EarlierLines, rest: Sequence[int], seed: int = 0, leaves: int = -1, astray: bool = False
    ) -> None:
        self.old, self.rest = old, list(rest)[::-1]
        self.leaves, self.astray, self.stream = leaves, astray, Stream(seed)

    def choose(self, play: GameInProgress, _: int) -> int:
        """Return the legal action nearest to the next old decision of this phase; any, if none comes soon."""
        idents, number = play.idents, len(play.taken)
        old = self._pop_next_old_phase_action_or_none(play)
        away = self.leaves >= 0 and (number >= self.leaves if self.astray else number == self.leaves)
        if old is None or away:
            return idents[self.stream.below(len(idents))]
        game = play.case.game
        return min(idents, key=lambda ident: self.old.get_sortable_difference_from_old_action(game, old, ident))

    def _pop_next_old_phase_action_or_none(self, game_in_progress: GameInProgress) -> int | None:
        """Take the next old decision of the phase that play is in, None if it is not near."""
        phase = game_in_progress.case.game.phases[game_in_progress.state[0]].name
        for back in range(1, min(_AHEAD, len(self.rest)) + 1):
            old = self.rest[-back]
            if any(
                self.old.source.phases[n].name == phase
                for n in self.old.source.get_action_of_ground_action_number(old).phases
            ):
                del self.rest[-back:]
                return old
        return None


def play_game_along_old_line(case: GameCase, old_line: Sequence[int]) -> PlayedLine:
    """Return an old line as it goes in this game, played on to the end."""
    old = _get_stored_old_lines(case)
    return GameInProgress(case).play_to_end_with_player(
        LineFollowingPlayer(old, old.select_actions_that_exist_in_game(case.game, old_line))
    )


def play_games_along_stored_lines(case: GameCase) -> list[PlayedLine]:
    """Return the lines that a case holds, as they go in its game."""
    return [play_game_along_old_line(case, line) for line in _get_stored_old_lines(case).lines]


def search_lines_near_old_lines_by_position(case: GameCase, targets: Sequence[Target], budget: Budget) -> LinesByTarget:
    """Return lines to targets from the old lines and from games near them."""
    hits: LinesByTarget = {}
    lines = play_games_along_stored_lines(case)
    for line in lines:
        record_first_line_to_each_target(targets, hits, line)
    budget = Budget(min(budget.left, _MOST_WORK), end=budget.end)
    missing = [position for position in range(len(targets)) if position not in hits]
    for count, position in enumerate(missing if lines else ()):
        own = lines[position : position + 1] if len(lines) == len(targets) else lines
        hit = _search_near_nearest_line_or_none(
            case, targets[position], own, budget.make_budget_of_share(1 / (len(missing) - count))
        )
        if hit is not None:
            hits[position] = hit
    return hits


def _search_near_nearest_line_or_none(
    case: GameCase, target: Target, lines: Sequence[PlayedLine], budget: Budget
) -> ActionLine | None:
    """Return a line to a target among games that leave the line that comes nearest to it. One that comes as near takes
    its place."""
    term, at_end = (
        build_estimated_distance_to_target_term(case, target),
        mark_endings_likely_meeting_target_or_none(case, target) is not None,
    )
    same, stream = EarlierLines(case.game), Stream(make_game_seed(_RUN, 0))

    def far(line: PlayedLine) -> int:
        add_work_units_done(PLAIN * len(line.idents))
        states = line.states[:, -1:] if at_end else line.states
        line.forget_cached_states()
        return int(np.min(evaluate_term_in_many_states(term, states)))

    best = min(lines, key=far)
    least = far(best)
    for game in range(_GAMES):
        if budget.left <= 0:
            break
        back = 1 + stream.below(_NEAREST << game % _SPREADS)
        leaves, astray = max(0, len(best.idents) - back), game % _ASTRAY == 0
        player = LineFollowingPlayer(same, best.idents, make_game_seed(_RUN, game + 1), leaves, astray)
        line = GameInProgress(case).play_to_end_with_player(player)
        hit = find_shortest_prefix_at_target_or_none(target, line)
        if hit is not None:
            return hit
        if (now := far(line)) <= least:
            best, least = line, now
    return None
