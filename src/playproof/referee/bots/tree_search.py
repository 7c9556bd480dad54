"""Monte-Carlo tree search that respects hidden information: every iteration imagines a world that
looks like the true one to the searching seat. Mixed strategies are learned from whole games; a hint
asks several searches whether they agree.

Every seat has its own tree, whose nodes are what that seat has seen, so no choice depends on what its seat cannot
know.

A tree search finds what is best against opponents that do not foresee it; against those that do,
the choice is worth less than it seems. Here all seats learn together, and what a seat would do with
its other hands counts too. This fits games that declare themselves short (`steps_within`) and
decisions that occur often enough.

The loop itself is in `playproof.language.machine.trees`. The budget counts iterations, not
time, so that games replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import sqrt
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from playproof.language.declarations import find_names_of_public_chance_parameters
from playproof.language.game import Action, Game
from playproof.language.game_analysis import get_bounds_of_returns, is_first_return_deciding_all_returns
from playproof.language.machine import regrets, trees
from playproof.language.random import Stream
from playproof.referee.bots.base import BotError, Looks, Sight
from playproof.referee.engine import Engine
from playproof.referee.view import get_flags_of_cells_seat_may_see

# -- search --------------------------------------------------------------------------------------------------
# Monte-Carlo tree search that respects hidden information.


class TreeSearch:
    """Searches `iterations` worlds per decision and takes the most visited action, or one that is
    proved best. In a short game with hidden information, it learns from as many games how often to
    choose each action."""

    looks: ClassVar[Looks] = "worlds"

    def __init__(self, iterations: int = 400, style: SearchSettings | None = None) -> None:
        self.iterations, self.style = iterations, style or SearchSettings()
        self.name = f"mcts:{iterations}"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return the action to take."""
        if len(sight.legal) == 1:
            return sight.legal[0]
        return draw_action_from_mixture(self.compute_action_probabilities(sight, stream), stream)

    def compute_action_probabilities(self, sight: Sight, stream: Stream) -> MixedStrategy:
        """Return how often to take which action: a single action, unless it is better not to be
        foreseen."""
        return learn_action_probabilities_or_none(sight, self.iterations, stream) or {
            self.rank_choices_by_search(sight, stream)[0].ident: 1.0
        }

    def rank_choices_by_search(self, sight: Sight, stream: Stream) -> list[Candidate]:
        """Return what all iterations found about each choice, the best first."""
        tree = SearchTree(sight, stream, self.style)
        tree.run_more_iterations_unless_proved(self.iterations)
        return tree.list_candidates_best_first()


# -- advice --------------------------------------------------------------------------------------------------
# The basis of a hint: several independent searches, and whether they agree.

SEARCHES = 5
ITERATIONS = 1000
_ALWAYS = 0.95  # a larger share counts as a single choice


@dataclass(frozen=True)
class Advice:
    """The choice of most searches, and what all searches found about it and about the next best.

    `agreed` of `searches` made the choice `best`. `share` is how often to make the choice if it is
    better not to be foreseen, else 1. Values are mean returns of the seat, over the games that the
    searches played to the end. `rival` is the choice with the greatest mean, if that is not `best`:
    a search ends on the choice that it tried most, and the game's evaluation guides its tries if
    there is one (`judged`). If the searches learn how often to make each choice (`mixed`), the
    means do not decide either.
    """

    best: Candidate
    second: Candidate | None
    agreed: int
    searches: int
    visits: int
    share: float
    rival: Candidate | None = None
    judged: bool = False
    mixed: bool = False

    @property
    def stable(self) -> bool:
        """Whether another seed would very likely give the same hint: all searches agree on a single
        choice."""
        tie = self.second is not None and self.second.proved and self.second.value == self.best.value
        return self.agreed == self.searches and self.share > _ALWAYS and not tie

    def describe_reasons_in_one_line(self, format_action: Callable[[int], str]) -> str:
        """Return the basis of the hint in one line. `name` returns the words of a choice."""
        if self.best.proved:
            basis = f"proved: it brings {self.best.value:g}"
        else:
            basis = f"{self.best.visits:,} of {self.visits:,} tries, {_describe_value_of_candidate(self.best)}"
        parts = [f"{self.agreed} of {self.searches} searches", basis]
        if self.share < 1:
            parts.append(f"to be done in {100 * self.share:.0f} % of such moments, so that nobody can foresee it")
        if self.second is not None:
            parts.append(f"next {format_action(self.second.ident)}: {_describe_value_of_candidate(self.second)}")
        if self.rival is not None:
            parts.append(self._explain_why_not_rival(self.rival, format_action(self.rival.ident)))
        if self.agreed < self.searches:
            parts.append("the searches do not agree, so another seed may say something else")
        elif not self.stable:
            parts.append("another seed may name another choice")
        return "; ".join(parts)

    def _explain_why_not_rival(self, rival: Candidate, rival_name: str) -> str:
        """Return why the hint is not the choice with the greater mean."""
        again = self.second is not None and self.second.ident == rival.ident
        mean = (
            f"{rival_name} has the higher mean"
            if again
            else f"{rival_name} has a higher mean: {_describe_value_of_candidate(rival)}"
        )
        if self.best.proved:
            return f"{mean}, which is not proved"
        if self.mixed:
            return f"{mean}, but how often to make each choice is learnt against the best answers to it"
        guide = ", guided by the game's evaluation" if self.judged else ""
        apart = rival.interval[0] > self.best.interval[1]
        chance = "" if apart else "; the two means are within chance of each other"
        return f"{mean}, but a search ends on the choice that it tried most{guide}{chance}"


def compute_advice_from_several_searches(
    sight: Sight, stream: Stream, *, iterations: int = ITERATIONS, searches: int = SEARCHES
) -> Advice:
    """Run several searches of `iterations` each and return what they advise."""
    mind = TreeSearch(iterations)
    votes: Counter[int] = Counter()
    shares = dict.fromkeys(sight.legal, 0.0)
    lines: dict[int, list[Candidate]] = {ident: [] for ident in sight.legal}
    mixed = False
    for _ in range(searches):
        answers = mind.rank_choices_by_search(sight, stream)
        for line in answers:
            lines[line.ident].append(line)
        mixture = learn_action_probabilities_or_none(sight, iterations, stream)
        mixed = mixed or bool(mixture)
        mixture = mixture or {answers[0].ident: 1.0}  # its own choice: the lines tell what it rests on
        votes[max(mixture, key=lambda ident: (mixture[ident], -ident))] += 1
        for ident, share in mixture.items():
            shares[ident] += share / searches
    together = [_merge_candidates(ident, answers_of) for ident, answers_of in lines.items()]
    best = max(together, key=lambda line: (votes[line.ident], line.visits))
    others = [line for line in together if line.ident != best.ident and line.visits]
    second = max(others, key=lambda line: (shares[line.ident], line.visits), default=None)
    highest = max((line for line in together if line.visits), key=lambda line: line.value, default=best)
    rival = highest if highest.value > best.value else None
    share = shares[best.ident] if votes[best.ident] == searches else 1.0
    return Advice(
        best,
        second,
        votes[best.ident],
        searches,
        sum(line.visits for line in together),
        min(1.0, share),
        rival,
        sight.engine.evaluates,
        mixed,
    )


def _merge_candidates(action_id: int, candidates: list[Candidate]) -> Candidate:
    """Combine what several searches found about one choice."""
    proved = next((line for line in candidates if line.proved), None)
    visits = sum(line.visits for line in candidates)
    if proved is not None:
        return Candidate(action_id, visits, proved.value, proved.interval, True)
    if not visits:
        return Candidate(action_id, 0, 0.0, candidates[0].interval if candidates else (0.0, 0.0), False)
    mean = sum(line.visits * line.value for line in candidates) / visits
    # The searches are independent, so the variance of their weighted mean is the sum of the
    # weighted variances.
    variance = sum((line.visits * (line.interval[1] - line.value)) ** 2 for line in candidates if line.visits)
    half = variance**0.5 / visits
    return Candidate(action_id, visits, mean, (mean - half, mean + half), False)


def _describe_value_of_candidate(candidate: Candidate) -> str:
    low, high = candidate.interval
    if candidate.proved:
        return f"brings {candidate.value:g} for sure"
    return f"mean return {candidate.value:.2f} ({low:.2f} to {high:.2f})"


# -- mixing --------------------------------------------------------------------------------------------------
# Mixed strategies for games with hidden information, learned from whole games played from the start.

_OFTEN = 8  # visits for each choice before a node's mixture is used
_RARE = 0.1  # a rarer choice is a remnant of the first games, which tried all alike
_TRIAL = 4  # one part in so many of the budget decides whether to go on
_ENDS = 64  # games per turn of a learner at most: it tries all its choices, which a wide game has too many of

MixedStrategy = dict[int, float]


class StrategyLearner:
    """What was learned from games so far. `done` counts how often a seat learned."""

    def __init__(self, sight: Sight, stream: Stream) -> None:
        self.sight, self.ground = sight, get_cached_search_game_data(sight.engine)
        game = sight.engine.game
        self.done = 0
        self._dice = np.array([stream.below(1 << 32)], dtype=np.uint64)
        self._senses = self.ground.make_initial_observation_hashes()
        edges = 2 * regrets.ROOM * max(1, game.ground)
        self.grown = allocate_empty_search_tree(4 * regrets.ROOM, edges, regrets.ROOM, self.ground.sides)
        self._above = regrets.LearnerDecisions(
            np.zeros((regrets.ROOM, game.cells), dtype=np.int64),
            np.zeros(regrets.ROOM * game.players, dtype=np.uint64),
            np.zeros((regrets.ROOM, max(1, game.ground)), dtype=np.float64),
            np.zeros(1, dtype=np.int64),
        )
        assert sight.worlds is not None
        assert sight.worlds.history is not None
        states, actions = sight.worlds.history(stream)
        self._start = np.array(states[0], dtype=np.int64)
        here = self._module.follow_actions_and_get_node_key(
            self._start.copy(), np.array(actions, dtype=np.int64), self._senses
        )
        self._here = here & 0xFFFFFFFFFFFFFFFF

    @property
    def _module(self) -> Any:
        return self.ground.module

    def learn_rounds_and_tell_if_all_were_done(self, rounds_per_seat: int) -> bool:
        """Let each seat learn `rounds_per_seat` more times; return whether the game is not too wide for that."""
        left = rounds_per_seat * self.sight.engine.game.players
        most = int(self._above.ends[0]) + left * _ENDS
        while left > 0 and self._above.ends[0] < most:
            done = int(
                self._module.let_seats_learn_in_turn(
                    self._start, self._senses, self._dice, self.grown, self._above, self.done, left, most
                )
            )
            self.done += done
            left -= done
            if left and self._above.ends[0] < most:
                self.grown = copy_tree_with_double_edge_room(copy_tree_with_double_node_room(self.grown, self.ground))
        return left == 0

    @property
    def _node_of_decision(self) -> int | None:
        """The node of this decision, or None if no game has met it."""
        rows = np.flatnonzero(self.grown.keys[: self.grown.facts[trees.NODES]] == np.uint64(self._here))
        return int(rows[0]) if len(rows) else None

    @property
    def visits(self) -> int:
        """How often games have met this decision."""
        node = self._node_of_decision
        return 0 if node is None else int(self.grown.nodes[node, trees.VISITS])

    def get_learned_probabilities_or_none(self) -> MixedStrategy | None:
        """Return how often to make each choice here, or None if games met this information too
        rarely."""
        node, visits = self._node_of_decision, self.visits
        if node is None:
            return None
        first, count = int(self.grown.nodes[node, trees.FIRST]), int(self.grown.nodes[node, trees.COUNT])
        made = self.grown.sums[first : first + count, regrets.MADE]
        if visits < _OFTEN * count or made.sum() <= 0:
            return None
        made = np.where(made < _RARE * made.sum(), 0.0, made)
        return dict(
            zip(
                self.grown.edges[first : first + count, trees.IDENT].tolist(), (made / made.sum()).tolist(), strict=True
            )
        )


def learn_action_probabilities_or_none(sight: Sight, rounds_per_seat: int, stream: Stream) -> MixedStrategy | None:
    """Return the mixture for a decision after each seat has learned `rounds_per_seat` times, or None if that is not
    enough or the game is neither short nor narrow. A team against which nobody plays has nobody to hide its plan from:
    it takes what it learned to do most."""
    if not _is_short_game_with_hidden_fields(sight) or sight.worlds is None or sight.worlds.history is None:
        return None
    mixing, trial = StrategyLearner(sight, stream), max(1, rounds_per_seat // _TRIAL)
    if (
        not mixing.learn_rounds_and_tell_if_all_were_done(trial)
        or not mixing.visits
        or not mixing.learn_rounds_and_tell_if_all_were_done(rounds_per_seat - trial)
    ):
        return None
    mixture = mixing.get_learned_probabilities_or_none()
    if mixture is None or len(sight.engine.game.sides) > 1:
        return mixture
    return {max(mixture, key=lambda ident: (mixture[ident], -ident)): 1.0}


def _is_short_game_with_hidden_fields(sight: Sight) -> bool:
    steps = sight.engine.game.facts.get("steps_within")
    return sight.engine.has_hidden_fields and isinstance(steps, int) and steps <= regrets.ROOM


def draw_action_from_mixture(mixture: MixedStrategy, stream: Stream) -> int:
    """Draw a choice with the probabilities of the mixture."""
    fine = 1 << 30
    weights = [max(0, round(share * fine)) for share in mixture.values()]
    return list(mixture)[stream.draw_weighted_index(weights)]


# -- tree ----------------------------------------------------------------------------------------------------
# The tree of a search: the arrays in which compiled code grows it, and the results.

IntArray = npt.NDArray[np.int64]
_DEEPEST = 512
_DRAWN = 64  # worlds drawn in advance if compiled code cannot draw them
_FINE = 1 << 30  # shares are whole numbers that add up to about this
_CHUNK = 4000  # most iterations in one call, since a call cannot be interrupted
_EDGES_A_NODE = 16
_Z = 1.959964


@dataclass(frozen=True)
class SearchSettings:
    """How a search weighs what it finds.

    `mix` is the share of the declared evaluation in a value; the rest is the result of a random
    game. `reach` is the number of decisions of that game before the evaluation, `guided` the share
    of them that a greedy player makes, and `whole` whether the game is then played to its end.
    `drive` weighs exploration. `sharp` is how strongly the search prefers the actions that the
    evaluation favours.
    """

    mix: float = 0.5
    reach: int = 8
    guided: float = 1.0
    whole: bool = True
    drive: float = 0.9
    sharp: float = 8.0


class SearchGameData:
    """What compiled code must know about a game in addition to its rules: who sees which cells, and
    what is public."""

    def __init__(self, engine: Engine) -> None:
        game = engine.game
        self.engine = engine
        self.seen = _encode_cells_visible_to_all_and_each(game, engine.compiled.list_cells_in_use_in_search_trees())
        self.aloud = np.array(
            [_hash_public_action_or_minus_one(game, ident) for ident in range(max(1, game.ground))], dtype=np.int64
        )
        self.provable = not engine.has_hidden_fields and is_first_return_deciding_all_returns(game)
        self.sides = _number_sides_of_seats_from_seat_0(game)
        self.low, self.high = get_bounds_of_returns(game)

    @property
    def module(self) -> Any:
        """The compiled functions."""
        return self.engine.compiled.module

    def make_initial_observation_hashes(self) -> trees.ObservationHashes:
        """Return what each seat meets, with room for the hashes."""
        return trees.ObservationHashes(self.seen, self.aloud, np.zeros(self.engine.game.players, dtype=np.uint64))


@lru_cache(maxsize=32)
def get_cached_search_game_data(engine: Engine) -> SearchGameData:
    """Return the ground of an engine, made once."""
    return SearchGameData(engine)


def _encode_cells_visible_to_all_and_each(game: Game, cells: Sequence[int]) -> IntArray:
    """Return offsets followed by those of these cells that every seat sees, then for each seat those
    that it sees and not all do."""
    masks = [get_flags_of_cells_seat_may_see(game, seat) for seat in range(game.players)]
    common = [cell for cell in cells if all(mask[cell] for mask in masks)]
    parts = [common]
    for mask in masks:
        parts.append([cell for cell in cells if mask[cell] and cell not in common])
    offsets = list(accumulate(map(len, parts), initial=len(parts) + 1))
    return np.array([*offsets, *(cell for part in parts for cell in part)], dtype=np.int64)


def _hash_public_action_or_minus_one(game: Game, action_id: int) -> int:
    """Return a number for what everybody hears of an action: equal for actions that sound alike, -1
    for hidden ones."""
    action = game.get_action_of_ground_action_number(action_id)
    if action.hidden:
        return -1
    heard, silent = 0, _list_names_of_parameters_not_public(game, action)
    for parameter, value in zip(action.params, action.get_values_of_ground_action(action_id), strict=True):
        digit = 0 if parameter.local.name in silent else 1 + value - parameter.low
        heard = heard * (parameter.count + 1) + digit
    return action.first * 1009 + action.number + heard * 1_000_003


def _list_names_of_parameters_not_public(game: Game, action: Action) -> frozenset[str]:
    if not all(game.phases[phase].chance for phase in action.phases):
        return action.secret
    return frozenset(p.local.name for p in action.params) - (
        find_names_of_public_chance_parameters(action) - action.secret
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a search found about a choice: the number of visits, the mean return of its seat with
    the 95 % interval, and whether the value is proved."""

    ident: int
    visits: int
    value: float
    interval: tuple[float, float]
    proved: bool


class SearchTree:
    """A search in progress from one sight. Worlds that look alike share its nodes."""

    def __init__(self, sight: Sight, stream: Stream, style: SearchSettings) -> None:
        self.sight, self.ground = sight, get_cached_search_game_data(sight.engine)
        game, judged = sight.engine.game, sight.engine.evaluates
        self.done = 0
        self._deals = _encode_worlds_for_search_or_raise(sight, stream)
        self._dice = np.array([stream.below(1 << 32)], dtype=np.uint64)
        self.grown = allocate_empty_search_tree(
            64, 64 * _EDGES_A_NODE + 2 * max(1, game.ground), _DEEPEST, self.ground.sides
        )
        self._worths = np.zeros(3 * game.players, dtype=np.int64)
        self._senses = self.ground.make_initial_observation_hashes()
        facts = self.grown.facts
        facts[trees.SECRET] = sight.engine.has_hidden_fields
        facts[trees.PROVABLE] = self.ground.provable
        facts[trees.JUDGED] = judged
        facts[trees.REACH], facts[trees.GUIDED] = style.reach, round(256 * style.guided)
        facts[trees.WHOLE] = style.whole
        facts[trees.TOP], facts[trees.BOTTOM] = self.ground.high, self.ground.low
        bounds = (float(self.ground.low), float(self.ground.high))
        self._is_first = int(self.ground.sides[sight.seat]) == 0  # proved values are those of seat 0
        self._worst, self._best = bounds if self._is_first else (-bounds[1], -bounds[0])
        low, high = bounds if game.payoffs is None or not style.whole else (np.inf, -np.inf)
        self.scale = np.array([low, high, 0.0, 0.0, style.mix, style.drive, style.sharp])

    def run_more_iterations_unless_proved(self, iterations: int) -> None:
        """Run `iterations` more, or fewer if the outcome is proved."""
        tables, left = _make_square_root_tables(self.done + iterations), iterations
        while left > 0:
            done = int(
                self.ground.module.grow_search_tree(
                    self._deals,
                    self._senses,
                    self._worths,
                    self._dice,
                    self.grown,
                    self.scale,
                    tables,
                    min(left, _CHUNK),
                )
            )
            self.done += done
            left -= done
            if self.proved:
                return
            if done == 0:
                self._double_full_arrays()

    @property
    def proved(self) -> bool:
        """Whether the outcome of best play is proved."""
        return bool(self.grown.facts[trees.NODES] and self.grown.nodes[0, trees.PROVED])

    def list_candidates_best_first(self) -> list[Candidate]:
        """Return every choice, the best first: what is proved to win, else what was visited
        most."""
        if not self.grown.facts[trees.NODES]:
            return []
        first, count = self.grown.nodes[0, trees.FIRST], self.grown.nodes[0, trees.COUNT]
        lines = [self._make_candidate(edge) for edge in range(first, first + count)]
        return sorted(lines, key=self._make_sort_key, reverse=True)

    def _make_sort_key(self, candidate: Candidate) -> tuple[float, ...]:
        """Return the sort key of a choice: a proved best outcome ranks highest, a proved worst
        lowest, and the others by visits, then value."""
        if candidate.proved and candidate.value >= self._best:
            return (2, candidate.value, candidate.visits)
        if candidate.proved and (self.proved or candidate.value <= self._worst):
            return (0 if candidate.value <= self._worst else 1, candidate.value, candidate.visits)
        return (1, candidate.visits, candidate.value) if not self.proved else (1, candidate.value, candidate.visits)

    def _make_candidate(self, edge_row: int) -> Candidate:
        ident, visits, sure, exact = (int(v) for v in self.grown.edges[edge_row])
        if sure:
            value = float(exact if self._is_first else -exact)
            return Candidate(ident, visits, value, (value, value), True)
        if not visits:
            return Candidate(ident, 0, 0.0, (float(self.ground.low), float(self.ground.high)), False)
        mean = float(self.grown.sums[edge_row, trees.RETURN]) / visits
        spread = max(0.0, float(self.grown.sums[edge_row, trees.SQUARE]) / visits - mean * mean)
        half = _Z * sqrt((spread + 1 / visits) / visits)
        return Candidate(ident, visits, mean, (mean - half, mean + half), False)

    # -- room -----------------------------------------------------------------------------------------------

    def _double_full_arrays(self) -> None:
        """Double the room of each array that is full."""
        grown, ground = self.grown, self.sight.engine.game.ground
        if grown.facts[trees.NODES] + 1 >= len(grown.nodes):
            grown = copy_tree_with_double_node_room(grown, self.ground)
        if grown.facts[trees.EDGES] + max(1, ground) >= len(grown.edges):
            grown = copy_tree_with_double_edge_room(grown)
        self.grown = grown


def _number_sides_of_seats_from_seat_0(game: Game) -> IntArray:
    """Return for each seat the number of its side; that of seat 0 is 0."""
    sides = sorted(game.sides, key=min)
    return np.array([next(n for n, side in enumerate(sides) if seat in side) for seat in range(game.players)])


def allocate_empty_search_tree(
    max_nodes: int, max_edges: int, max_depth: int, side_of_each_seat: IntArray
) -> trees.SearchTree:
    """Return a tree with room for so many nodes and edges, and for a way of so many choices. `side_of_each_seat`
    holds for each seat on which side it plays."""
    return trees.SearchTree(
        keys=np.zeros(max_nodes, dtype=np.uint64),
        table=np.full(2 * max_nodes, -1, dtype=np.int32),
        nodes=np.zeros((max_nodes, trees.NODE_COLUMNS), dtype=np.int64),
        edges=np.zeros((max_edges, 4), dtype=np.int64),
        sums=np.zeros((max_edges, 4), dtype=np.float64),
        path=np.zeros((max_depth, 3), dtype=np.int64),
        facts=np.concatenate([np.zeros(trees.SIDES, dtype=np.int64), side_of_each_seat]),
    )


def copy_tree_with_double_node_room(tree: trees.SearchTree, game_data: SearchGameData) -> trees.SearchTree:
    """Return a tree with room for twice as many nodes. The table from hashes to nodes stays at most half full."""
    keys, table = append_as_many_zero_rows(tree.keys), np.full(2 * len(tree.table), -1, dtype=np.int32)
    game_data.module.refill_node_table(keys, int(tree.facts[trees.NODES]), table)
    return tree._replace(keys=keys, table=table, nodes=append_as_many_zero_rows(tree.nodes))


def copy_tree_with_double_edge_room(tree: trees.SearchTree) -> trees.SearchTree:
    """Return a tree with room for twice as many edges."""
    return tree._replace(edges=append_as_many_zero_rows(tree.edges), sums=append_as_many_zero_rows(tree.sums))


def append_as_many_zero_rows(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array with twice the rows; the new ones are 0."""
    return np.concatenate([array, np.zeros_like(array)])


def _encode_worlds_for_search_or_raise(sight: Sight, stream: Stream) -> trees.WorldDeals:
    """Return the worlds of a sight as compiled code draws them. Raises BotError if there are none."""
    worlds = sight.worlds
    if worlds is None:
        raise BotError("a search must imagine worlds")
    if not worlds.weights or (worlds.dealt and not sight.engine.can_imagine_worlds):
        drawn = [worlds.draw(stream) for _ in range(_DRAWN)]
        return trees.WorldDeals(np.array(drawn, dtype=np.int64), np.arange(1, len(drawn) + 1, dtype=np.int64), -1)
    shares = [*accumulate(max(1, round(weight * _FINE)) for weight in worlds.weights.values())]
    seat = sight.seat if worlds.dealt else -1
    return trees.WorldDeals(np.array(list(worlds.weights), dtype=np.int64), np.array(shares, dtype=np.int64), seat)


@lru_cache(maxsize=4)
def _make_square_root_tables(max_visits: int) -> npt.NDArray[np.float64]:
    """Return roots for the search's bounds, up to a number of visits: rows ROOT, ROOT_LOG,
    INVERSE."""
    n = np.arange(max_visits + 2, dtype=np.float64)
    made = np.zeros((3, max_visits + 2))
    made[trees.ROOT] = np.sqrt(n)
    made[trees.ROOT_LOG] = np.sqrt(np.log(np.maximum(n, 2)))
    made[trees.INVERSE] = 1 / np.sqrt(np.maximum(n, 1))
    return made
