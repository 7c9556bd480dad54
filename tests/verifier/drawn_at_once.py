"""Games in which seats choose at once, and what they are worth if both sides mix: computed apart, in fractions.

All that is hidden here is what others choose in the same moment. So each such moment is a matrix game of its own, whose
rows and columns are what the seats of each side choose jointly, and the rest is worked backwards.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from tests.verifier.drawn_chances import Chances
from tests.verifier.drawn_claims import OPEN, Asked, Claims, longest
from tests.verifier.drawn_games import CHANCE, Act, Bids, Drawn, Expr, Graph, Hand, Setting
from tests.verifier.matrices import solve_matrix


class _HandAtOnce(Hand):
    """Draws a game of some rounds: all choose at once, that has effects, and then chance or a seat may act."""

    def draw(self) -> Drawn:
        r, g = self.r, self.game
        for name in ["x", "y"][: r.choice([1, 2])]:
            high = r.choice([2, 3, 5])
            g.fields[name] = (0, high, r.randint(0, high))
        if g.players > 1:
            g.fields["turn"] = (0, g.players - 1, 0)
        if r.random() < 0.9:  # else play may go on for ever
            g.fields["left"] = (0, 3, r.choice([0, 1, 1, 2, 3]))
        if r.random() < 0.15:
            g.hidden = "x"
        g.phases = ["bid", None, *r.sample(["chance", self.actor()], r.choice([0, 1, 1, 2]))]
        low, then = r.choice([0, 0, 1, -1]), r.choice([1, 1, 1, len(g.phases) - 1])
        asked, may = self.who_and_what(low)
        g.bids = Bids(0, then, low, r.choice([2, 2, 3]), asked, may)
        g.first = r.choice([1, len(g.phases) - 1])
        g.automatic[1] = [self.change(), self.change(), *self.win_early(), self.go_on()]
        for number, kind in enumerate(g.phases[2:], 2):
            g.acts += [self.plain_act(f"act{number}{letter}", number, kind) for letter in "ab"]
        g.quantities["q0"] = self.number({}, 2)
        if any(kind == "scores" for kind, _, _ in g.endings):
            self.share()
        needs = [] if may is None else [may]
        choices = list(range(g.bids.low, g.bids.low + g.bids.count))
        g.acts.insert(0, Act("bid", "bid {bid}", [0], {"bid": choices}, needs, None, [("choose",)]))
        return g

    def who_and_what(self, low: int) -> tuple[Expr | None, Expr | None]:
        """Return conditions on who takes part, and on what may be chosen: the least always."""
        r, g = self.r, self.game
        asked = may = None
        if r.random() < 0.3:
            asked = r.choice([("!=", ("seat",), ("n", r.randrange(g.players))), self.condition({}, 1)])
        if r.random() < 0.4:
            may = ("or", ("==", ("p", "bid"), ("n", low)), self.condition({"bid": [0, 1]}, 1))
            may = r.choice([may, ("or", may, ("==", ("seat",), ("n", r.randrange(g.players))))])
        return asked, may

    def change(self) -> Any:
        """Return a statement that keeps within bounds."""
        name = self.r.choice([n for n in self.game.fields if n != "left"])
        low, high, _ = self.game.fields[name]
        made = ("set", name, ("max", ("n", low), ("min", ("n", high), self.number({}, 2))))
        return made if self.r.random() < 0.6 else ("if", self.condition({}, 2), [made], [])

    def win_early(self) -> list[Any]:
        return [("if", self.condition({}, 2), [self.end()], [])] if self.r.random() < 0.4 else []

    def go_on(self) -> Any:
        """Return the statement that begins the next round, or ends the game after the last."""
        r, g = self.r, self.game
        following: Any = ("goto", r.choice([0, len(g.phases) - 1]) if len(g.phases) > 2 else 0)
        if len(g.phases) > 2 and r.random() < 0.5:
            following = ("if", self.condition({}, 1), [("goto", 0)], [("goto", 2)])
        over = self.end() if r.random() < 0.4 else self.count_points()
        if "left" not in g.fields:
            return ("if", self.condition({}, 2), [over], [following])
        lessen = ("set", "left", ("-", ("f", "left"), ("n", 1)))
        return ("if", ("==", ("f", "left"), ("n", 0)), [over], [lessen, following])

    def count_points(self) -> Any:
        self.game.endings.append(("scores", f"end {len(self.game.endings)} of scores", None))
        return ("end", len(self.game.endings) - 1)

    def plain_act(self, name: str, number: int, kind: Any) -> Act:
        """Return an action after which all choose at once."""
        weight = ("n", self.r.randint(1, 3)) if kind == "chance" else None
        return Act(name, name, [number], {}, [], weight, [self.change(), ("goto", 0)])

    def share(self) -> None:
        """Let the first seat's team get what all others lose, or each something else."""
        g, number = self.game, ("-", self.number({}, 2), self.number({}, 2))
        team = next((t for t in g.teams if 0 in t), (0,)) if g.teams or not self.all_win else range(g.players)
        g.payoffs = [number if seat in team else ("-", ("n", 0), number) for seat in range(g.players)]
        if self.r.random() < 0.15:
            g.payoffs = [self.number({}, 1) for _ in range(g.players)]


def draw_at_once(seed: int, in_teams: bool = False) -> Drawn:
    """Return the game of a seed in which all choose at once; if `in_teams`, some play together."""
    return _HandAtOnce(seed, in_teams).draw()


class AtOnce(Chances):
    """Draws claims whose answers depend on what the seats choose at once."""

    def draw(self, count: int) -> list[Asked]:
        """Return so many claims of equilibria, chances, expected numbers, strategies, and of what can happen."""
        makers = [*[self.equilibrium] * 4, self.luck, self.luck, self.worth, self.worth, self.strategy]
        makers += [self.reach, self.never, self.extreme, self.law, self.ends, partial(Claims.rules, self)]
        found = (self.r.choice(makers)() for _ in range(count))
        return [self.expecting(made) for made in found if made is not None]

    def equilibrium(self) -> Asked:
        """Return a claim of what the game is worth to a seat, if both sides play as well as they can."""
        seat = self.r.randrange(self.game.players)
        return self.of_one({"ask": "equilibrium", "of": {"seat": seat}}, lambda graph: find_value(graph, seat))


def find_sides(play: Setting, seat: int) -> tuple[set[int], set[int]] | None:
    """Return the seats that play with a seat, and the others; None if those are not one side."""
    mine = {*play.team(seat)}
    others = {*range(play.game.players)} - mine
    one_side = all({*play.team(other)} >= others for other in others)
    return (mine, others) if one_side else None


def find_value(graph: Graph, seat: int) -> Any:
    """Return what the game is worth to a seat; "nothing" where it has no such worth; OPEN where that is not known."""
    play = graph.play
    if play.game.hidden or graph.breaks or not graph.states or longest(graph) == float("inf"):
        return OPEN
    ends = [play.returns(s) for s in graph.states if s[play.over]]
    if any(not moves and not s[play.over] for s, moves in zip(graph.states, graph.moves, strict=True)):
        return OPEN
    sides = find_sides(play, seat)
    if sides is None:
        return "nothing"
    mine, others = sides
    unlike = any(len({returns[s] for s in side}) > 1 for returns in ends for side in sides if side)
    if unlike or (others and any(r[min(mine)] + r[min(others)] != 0 for r in ends)):
        return "nothing"
    return float(_Worked(graph, seat, mine).value(0))


class _Worked:
    """Works backwards through a game without circles."""

    def __init__(self, graph: Graph, seat: int, mine: set[int]) -> None:
        self.graph, self.play, self.seat, self.mine = graph, graph.play, seat, mine
        self.known: dict[int, Fraction] = {}

    def value(self, row: int) -> Fraction:
        if row not in self.known:
            self.known[row] = self._find(row)
        return self.known[row]

    def _find(self, row: int) -> Fraction:
        play, state, moves = self.play, self.graph.states[row], self.graph.moves[row]
        if state[play.over]:
            return Fraction(play.returns(state)[self.seat])
        if self._is_choice_at_once(row):
            return self._solve_joint_choice(row)
        values = [self.value(to) for _, to, _ in moves]
        if play.actor(state) == CHANCE:
            weights = [w for _, _, w in moves]
            return sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0)) / sum(weights)
        return (max if play.actor(state) in self.mine else min)(values)

    def _is_choice_at_once(self, row: int) -> bool:
        """Return whether somebody chooses what the others do not see yet."""
        state = self.graph.states[row]
        return not state[self.play.over] and self.play.game.phases[state[self.play.phase]] == "bid"

    def _solve_joint_choice(self, row: int) -> Fraction:
        cells: dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = {}
        self._enter_joint_choices(row, (), (), cells, first=True)
        rows, columns = (sorted({key[side] for key in cells}) for side in (0, 1))
        return solve_matrix([[cells[r, c] for c in columns] for r in rows])

    def _enter_joint_choices(self, row: int, ours: Any, theirs: Any, cells: Any, first: bool = False) -> None:
        """Fill the cells with what follows each joint choice."""
        play, state = self.play, self.graph.states[row]
        secret = [state[play.at[f"_bid_hidden[{seat}]"]] for seat in range(play.game.players)]
        if not self._is_choice_at_once(row) or not (first or any(secret)):
            cells[ours, theirs] = self.value(row)
            return
        mine = play.actor(state) in self.mine
        for ident, to, _ in self.graph.moves[row]:
            self._enter_joint_choices(to, (*ours, ident) if mine else ours, theirs if mine else (*theirs, ident), cells)
