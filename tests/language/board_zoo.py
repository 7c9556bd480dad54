"""Random games on boards that nobody declared: cells that choices read at distances, through tables and functions."""

from __future__ import annotations

from random import Random
from typing import Any

from playproof import Game, Local, all_of, any_of, clamp, count_of, keep, otherwise, pick, require, sum_of, when, win

WAYS = 4


class BoardZoo:
    """One random game, from a seed. `square` and `way` are the choices of its first action, `pair` that of its second;
    what its conditions ask is drawn."""

    def __init__(self, seed: int) -> None:
        self.r = Random(seed)
        r = self.r
        self.size, self.lo, self.kinds = (r.choice([12, 25, 36, 63, 64, 70]), r.choice([0, 0, -1, 2]), r.randint(1, 3))
        self.wide = r.choice([3, 5, 8])
        self.game = g = Game(f"zoo_{seed}", players=2)
        self.s = s = g.state
        g.array("pad", r.randint(1, 4), 0, 1)
        start = [r.randint(self.lo, self.lo + self.kinds) for _ in range(self.size)]
        g.array("board", self.size, self.lo, self.lo + self.kinds, start)
        g.integer("turn", 0, 1)
        g.integer("goes_on", 0, self.size, self.size)
        g.integer("left", 0, 12, 12)
        g.integer("seen", 0, 999)
        none = r.choice([self.size - 1, 0])
        steps = [self.wide, 1, -1, -self.wide]
        reach = [[n + d if 0 <= n + d < self.size else none for d in steps] for n in range(self.size)]
        self.near = g.table("near", reach)
        self.column = g.table("column", [n % self.wide for n in range(self.size)])
        pairs = [(a, b) for a in range(self.size) for b in range(a + 1, min(self.size, a + 3))]
        if r.random() < 0.3:
            r.shuffle(pairs)
        self.pairs = pairs[:120]
        self.first = g.table("first", [a for a, _ in self.pairs])
        self.second = g.table("second", [b for _, b in self.pairs])

        @g.function(seat=2, square=self.size, way=WAYS)
        def can(seat: Any, square: Any, way: Any) -> Any:
            there = s.board[self.near[square, way]]
            return (s.board[square] == seat + self.lo) & ((there == self.draw_value()) | (way == self.r.randrange(4)))

        self.can = can
        self._add_actions()

    def draw_value(self) -> int:
        return self.r.randint(self.lo, self.lo + self.kinds)

    def draw_condition(self, square: Any, way: Any, depth: int = 2) -> Any:
        """Return a condition on a square and a way from it."""
        r, s = self.r, self.s
        if depth and r.random() < 0.75:
            a, b = (self.draw_condition(square, way, depth - 1) for _ in range(2))
            return r.choice([lambda: a & b, lambda: a | b, lambda: ~a & b, lambda: a | ~b])()
        to = self.near[square, way]
        ahead = clamp(square + (1 - 2 * s.turn) * self.wide + way - 1, 0, self.size - 1)
        kinds = [
            lambda: s.board[square] == s.turn + self.lo,
            lambda: s.board[square] == s.seen % 3 + self.lo,
            lambda: s.board[to] != self.draw_value(),
            lambda: s.board[to] > self.draw_value(),
            lambda: s.board[ahead] == self.draw_value(),
            lambda: s.board[ahead] == s.board[square],
            lambda: (s.board[to] + way) % 2 == 0,
            lambda: s.board[to] == way + self.lo,
            lambda: (s.goes_on == self.size) | (s.goes_on == square),
            lambda: self.column[square] < s.turn + 2,
            lambda: pick(s.turn == 0, way < 2, way > 1),
            lambda: way != r.randrange(WAYS),
            lambda: self.can(s.turn, square, way),
            lambda: any_of(WAYS, lambda w: self.can(1 - s.turn, to, w)),
            lambda: s.left > 3,
            lambda: s.seen + square > 40,
        ]
        return r.choice(kinds)()

    def _add_actions(self) -> None:
        g, s, r = self.game, self.s, self.r
        play = g.phase("play", s.turn)
        first = r.choice([True, False])
        over = r.choice([self.size, range(2, self.size)])
        names = {"square": over, "way": WAYS} if first else {"way": WAYS, "square": over}

        @g.action(play, "{square} {way}", **names)
        def move(square: Local, way: Local) -> None:
            mine = keep(s.board[square]) if r.random() < 0.3 else s.turn + self.lo
            require((s.board[square] == mine) | (way == 2), "Z1", "no")
            require(self.draw_condition(square, way), "Z2", "no")
            later = keep(s.turn)
            s.board[self.near[square, way]] = self.lo + (s.left + way) % (self.kinds + 1)
            s.goes_on = (square + way) % (self.size + 1)
            self._end(later)

        @g.action(play, "take {pair}", pair=len(self.pairs))
        def take(pair: Local) -> None:
            a, b = self.first[pair], self.second[pair]
            require(self.draw_condition(a, self.column[b] % WAYS, 1) & (s.board[b] == self.draw_value()), "Z3", "no")
            s.board[a] = self.lo
            self._end(s.turn)

        @g.action(play, "pass")
        def wait() -> None:
            self._end(s.turn)

    def _end(self, seat: Any) -> None:
        s, r = self.s, self.r
        wanted = self.draw_value()
        asked = [
            count_of(self.size, lambda i: self.draw_condition(i, self.column[i] % WAYS, 1)),
            any_of(self.size, lambda i: any_of(WAYS, lambda w: self.draw_condition(i, w, 1))),
            all_of(self.size, lambda i: (s.board[i] != wanted) | (s.board[self.near[i, 1]] == wanted)),
            any_of((s.board[a] == seat + self.lo) & (s.board[b] == wanted) for a, b in self.pairs),
            all_of((s.board[a] == seat + self.lo) | (s.board[b] == wanted) for a, b in self.pairs[:20]),
            sum((s.board[a] + s.board[b] > wanted for a, b in self.pairs[:30]), start=0 * s.turn),
            sum_of(self.size, lambda i: s.board[i] == wanted),
        ]
        s.seen = sum((r.randint(1, 3) * a for a in asked), start=0 * s.turn) % 1000
        s.left = (s.left + 12) % 13
        with when(s.left == 0):
            win("over", winner=s.turn)
        with otherwise():
            s.turn = 1 - seat
