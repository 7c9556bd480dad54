"""The tree of a search: the arrays in which compiled code grows it, and the results.

The loop itself is in `playproof.language.machine.trees`. The budget counts iterations, not
time, so that games replay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.game import Action, Game
from playproof.language.machine import trees
from playproof.language.random import Stream
from playproof.language.secrecy import find_open_parameters
from playproof.referee.bots.base import BotError, Sight
from playproof.referee.engine import Engine
from playproof.referee.payoffs import get_return_bounds, is_decided_by_first_seat
from playproof.referee.view import get_visibility_mask

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
        self.seen = _list_visible_cells(game)
        self.aloud = np.array(
            [_hash_heard_action(game, ident) for ident in range(max(1, game.ground))], dtype=np.int64
        )
        self.provable = not engine.has_hidden_fields and is_decided_by_first_seat(game)
        self.sides = _list_side_numbers(game)
        self.low, self.high = get_return_bounds(game)

    @property
    def module(self) -> Any:
        """The compiled functions."""
        return self.engine.compiled.module

    def make_senses(self) -> trees.ObservationHashes:
        """Return what each seat meets, with room for the hashes."""
        return trees.ObservationHashes(
            self.seen, self.aloud, np.zeros(self.engine.game.players, dtype=np.uint64)
        )


@lru_cache(maxsize=32)
def get_search_game_data(engine: Engine) -> SearchGameData:
    """Return the ground of an engine, made once."""
    return SearchGameData(engine)


def _list_visible_cells(game: Game) -> IntArray:
    """Return offsets followed by cells: the cells that every seat sees, then for each seat those
    that it sees and not all do."""
    cells = range(game.cells)
    masks = [get_visibility_mask(game, seat) for seat in range(game.players)]
    common = [cell for cell in cells if all(mask[cell] for mask in masks)]
    parts = [common]
    for mask in masks:
        parts.append([cell for cell in cells if mask[cell] and cell not in common])
    offsets = list(accumulate(map(len, parts), initial=len(parts) + 1))
    return np.array([*offsets, *(cell for part in parts for cell in part)], dtype=np.int64)


def _hash_heard_action(game: Game, action_id: int) -> int:
    """Return a number for what everybody hears of an action: equal for actions that sound alike, -1
    for hidden ones."""
    action = game.get_action_of_ident(action_id)
    if action.hidden:
        return -1
    heard, silent = 0, _list_unheard_parameters(game, action)
    for parameter, value in zip(action.params, action.get_parameter_values(action_id), strict=True):
        digit = 0 if parameter.local.name in silent else 1 + value - parameter.low
        heard = heard * (parameter.count + 1) + digit
    return action.first * 1009 + action.number + heard * 1_000_003


def _list_unheard_parameters(game: Game, action: Action) -> frozenset[str]:
    if not all(game.phases[phase].chance for phase in action.phases):
        return action.secret
    return frozenset(p.local.name for p in action.params) - (find_open_parameters(action) - action.secret)


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
        self.sight, self.ground = sight, get_search_game_data(sight.engine)
        game, judged = sight.engine.game, sight.engine.evaluates
        self.done = 0
        self._deals = _prepare_world_deals(sight, stream)
        self._dice = np.array([stream.below(1 << 32)], dtype=np.uint64)
        self.grown = make_empty_tree(
            64, 64 * _EDGES_A_NODE + 2 * max(1, game.ground), _DEEPEST, self.ground.sides
        )
        self._worths = np.zeros(3 * game.players, dtype=np.int64)
        self._senses = self.ground.make_senses()
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

    def run_iterations(self, iterations: int) -> None:
        """Run `iterations` more, or fewer if the outcome is proved."""
        tables, left = _make_square_root_tables(self.done + iterations), iterations
        while left > 0:
            done = int(
                self.ground.module.think(
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

    def list_candidates(self) -> list[Candidate]:
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
        return (
            (1, candidate.visits, candidate.value)
            if not self.proved
            else (1, candidate.value, candidate.visits)
        )

    def _make_candidate(self, edge: int) -> Candidate:
        ident, visits, sure, exact = (int(v) for v in self.grown.edges[edge])
        if sure:
            value = float(exact if self._is_first else -exact)
            return Candidate(ident, visits, value, (value, value), True)
        if not visits:
            return Candidate(ident, 0, 0.0, (float(self.ground.low), float(self.ground.high)), False)
        mean = float(self.grown.sums[edge, trees.RETURN]) / visits
        spread = max(0.0, float(self.grown.sums[edge, trees.SQUARE]) / visits - mean * mean)
        half = _Z * sqrt((spread + 1 / visits) / visits)
        return Candidate(ident, visits, mean, (mean - half, mean + half), False)

    # -- room -----------------------------------------------------------------------------------------------

    def _double_full_arrays(self) -> None:
        """Double the room of each array that is full."""
        grown, ground = self.grown, self.sight.engine.game.ground
        if grown.facts[trees.NODES] + 1 >= len(grown.nodes):
            grown = double_node_room(grown, self.ground)
        if grown.facts[trees.EDGES] + max(1, ground) >= len(grown.edges):
            grown = double_edge_room(grown)
        self.grown = grown


def _list_side_numbers(game: Game) -> IntArray:
    """Return for each seat the number of its side; that of seat 0 is 0."""
    sides = sorted(game.sides, key=min)
    return np.array([next(n for n, side in enumerate(sides) if seat in side) for seat in range(game.players)])


def make_empty_tree(nodes: int, edges: int, deepest: int, sides: IntArray) -> trees.SearchTree:
    """Return a tree with room for so many nodes and edges, and for a way of so many choices. `sides` holds for each
    seat on which side it plays."""
    return trees.SearchTree(
        keys=np.zeros(nodes, dtype=np.uint64),
        table=np.full(2 * nodes, -1, dtype=np.int32),
        nodes=np.zeros((nodes, 6), dtype=np.int64),
        edges=np.zeros((edges, 4), dtype=np.int64),
        sums=np.zeros((edges, 4), dtype=np.float64),
        path=np.zeros((deepest, 3), dtype=np.int64),
        facts=np.concatenate([np.zeros(trees.SIDES, dtype=np.int64), sides]),
    )


def double_node_room(tree: trees.SearchTree, game_data: SearchGameData) -> trees.SearchTree:
    """Return a tree with room for twice as many nodes. The table from hashes to nodes stays at most half full."""
    keys, table = double_rows(tree.keys), np.full(2 * len(tree.table), -1, dtype=np.int32)
    game_data.module.refill(keys, int(tree.facts[trees.NODES]), table)
    return tree._replace(keys=keys, table=table, nodes=double_rows(tree.nodes))


def double_edge_room(tree: trees.SearchTree) -> trees.SearchTree:
    """Return a tree with room for twice as many edges."""
    return tree._replace(edges=double_rows(tree.edges), sums=double_rows(tree.sums))


def double_rows(old: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array with twice the rows; the new ones are 0."""
    return np.concatenate([old, np.zeros_like(old)])


def _prepare_world_deals(sight: Sight, stream: Stream) -> trees.WorldDeals:
    """Return the worlds of a sight as compiled code draws them. Raises BotError if there are none."""
    worlds = sight.worlds
    if worlds is None:
        raise BotError("a search must imagine worlds")
    if not worlds.weights or (worlds.dealt and not sight.engine.can_imagine_worlds):
        drawn = [worlds.draw(stream) for _ in range(_DRAWN)]
        return trees.WorldDeals(
            np.array(drawn, dtype=np.int64), np.arange(1, len(drawn) + 1, dtype=np.int64), -1
        )
    shares = [*accumulate(max(1, round(weight * _FINE)) for weight in worlds.weights.values())]
    seat = sight.seat if worlds.dealt else -1
    return trees.WorldDeals(
        np.array(list(worlds.weights), dtype=np.int64), np.array(shares, dtype=np.int64), seat
    )


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
