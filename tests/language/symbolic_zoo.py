"""Random rule programs: small games that use every construct of the language, made from a random source.

Reads are made where they are used, so that no value is stale; bounds are mostly, but not always, kept by clamping.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from playproof.language import (
    CHANCE,
    Const,
    Game,
    Local,
    Term,
    Value,
    all_of,
    any_of,
    cases,
    clamp,
    count_of,
    each,
    goto,
    keep,
    let,
    lose,
    max_of,
    min_of,
    otherwise,
    pick,
    require,
    sum_of,
    tie,
    variable,
    weight,
    when,
    win,
)

SIZE = 4


class RandomRules:
    """Writes one random game."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.g = Game(f"random {seed}", players=2)
        g = self.g
        g.integer("seat", 0, 1)
        g.integer("small", 0, 5, 2)
        g.integer("signed", -3, 4, 0)
        g.flag("flag")
        g.array("row", SIZE, 0, 3)
        g.array("grid", (2, 3), -1, 2, 1)
        self.table = g.table("table", [[3, 0, -2], [1, 5, 2]])
        self.back = g.remember_phase("back")
        self.play = g.phase("play", g.state.seat)
        self.tidy = g.automatic("tidy")
        self.chance = g.phase("chance", CHANCE)
        g.start(self.play)
        self.s = g.state
        self.declared = False

    def build(self) -> Game:
        """The game."""
        g, s = self.g, self.s
        self.blend = g.function(x=SIZE)(lambda x: self.number(2, [x]))
        self.stir = g.procedure("stir", y=range(1, SIZE), z=2)(lambda y, z: self.effects(2, [y, z]))
        self.declared = True
        g.add_action(self.play, self.action, "do {a} {b}", a=range(1, 4), b=2)
        g.add_action(self.play, self.other, "or {a}", a=SIZE)
        g.add_action(self.chance, self.luck, "by luck {a}", a=SIZE)
        for number in range(6):
            g.quantity(f"q{number}", self.number(2, []))
        g.returns(*(clamp(self.number(1, []), -9, 9) for _ in range(2)))

        @g.on(self.tidy)
        def _tidy() -> None:
            with when(s.small > 0):
                s.small -= 1
                with when(s.small == 2):
                    goto(s.back)
            with otherwise(s.flag):
                goto(self.chance)
            with otherwise():
                goto(self.play)

        return g.seal()

    def action(self, a: Local, b: Local) -> None:
        require(self.truth(2, [a, b]), "Z1", "refused")
        with when(self.truth(1, [a])):
            require(self.truth(1, [b]), "Z2", "refused")
        self.effects(3, [a, b])
        self.finish()

    def other(self, a: Local) -> None:
        held = variable(self.near(-2, 4, [a]), -2, 4, "held")
        require(self.truth(1, [a, held]), "Z3", "refused")
        with when(self.truth(1, [a])):
            let(held, self.near(-2, 4, [a, held]))
            self.effects(2, [a, held])
        self.effects(2, [a, held])
        self.finish()

    def luck(self, a: Local) -> None:
        kept = keep(self.number(1, [a]))
        with when(self.truth(1, [a])):
            require(self.truth(1, [kept]), "Z4", "refused")
        again = keep(self.number(1, [a, kept]))
        chance = clamp(again, 0, 2)
        weight(chance if chance.hi > 0 else 1)  # the tracer refuses one that is 0 in every state
        self.effects(3, [a, kept, again])
        self.finish()

    def finish(self) -> None:
        self.s.back = pick(self.truth(1, []), self.play.number, self.chance.number)
        self.s.seat = self.truth(1, [])
        with when(self.truth(2, [])):
            goto(self.tidy)
        with otherwise(self.truth(1, [])):
            self.r.choice([win, lose, tie])(f"end {self.r.randrange(2)}")
        with otherwise():
            goto(self.r.choice([self.play, self.chance]))

    # -- effects --------------------------------------------------------------------------------------------

    def effects(self, depth: int, names: list[Local]) -> None:
        for _ in range(self.r.randint(1, 3)):
            self.r.choice([self.assign, self.assign, self.choose, self.chain, self.loop, self.invoke, self.accumulate])(
                depth, names
            )

    def assign(self, depth: int, names: list[Local]) -> None:
        to = self.r.choice(["small", "signed", "row", "grid"])
        lo, hi = {"small": (0, 5), "signed": (-3, 4), "row": (0, 3), "grid": (-1, 2)}[to]
        value = self.near(lo, hi, names, depth)
        if to == "row":
            self.s.row[self.index(1, names)] = value
        elif to == "grid":
            self.s.grid[self.index(1, names), self.index(1, names)] = value
        else:
            setattr(self.s, to, value)

    def choose(self, depth: int, names: list[Local]) -> None:
        if depth == 0:
            return self.assign(0, names)
        with when(self.truth(1, names)):
            self.effects(depth - 1, names)
        with otherwise(self.truth(1, names)):
            self.assign(depth - 1, names)
        with otherwise():
            self.s.flag = self.truth(1, names)
        return None

    def near(self, lo: int, hi: int, names: list[Local], depth: int = 1) -> Term:
        """A number that mostly lies in lo..hi, and may at least do so."""
        value = self.number(depth, names)
        leave = self.r.random() < 0.1 and value.lo <= hi and value.hi >= lo
        return value if leave else clamp(value, lo, hi)

    def chain(self, depth: int, names: list[Local]) -> None:
        case = cases()
        for _ in range(self.r.randint(1, 3)):
            with case(self.condition(1, names) if self.r.random() < 0.7 else self.r.random() < 0.5):
                self.assign(min(depth, 1), names)
        if self.r.random() < 0.5:
            with otherwise():
                self.s.flag = self.truth(0, names)

    def loop(self, depth: int, names: list[Local]) -> None:
        for i in each(range(1, 3)):
            self.assign(min(depth, 1), [*names, i])
            if depth > 2:
                for k in each(2):
                    self.assign(0, [*names, i, k])

    def invoke(self, depth: int, names: list[Local]) -> None:
        if self.declared:
            self.stir(self.near(1, SIZE - 1, names), self.truth(1, names))
        else:
            self.assign(depth, names)

    def accumulate(self, depth: int, names: list[Local]) -> None:
        v = variable(1, 0, 6)
        bounded = self.r.random() < 0.8
        for i in each(3):
            let(v, min_of(v + self.s.row[i], 6) if bounded else v + self.s.row[i])
        self.s.small = min_of(v, 5)

    # -- terms ----------------------------------------------------------------------------------------------

    def number(self, depth: int, names: list[Local]) -> Term:
        s, r = self.s, self.r
        if depth == 0:
            leaves: list[Callable[[], Value]] = [
                lambda: s.small,
                lambda: s.signed,
                lambda: s.row[s.small],
                lambda: r.randint(-2, 3) + s.flag,
            ]
            leaves += [lambda: r.choice(names) + 0 * s.flag] if names else []
            return r.choice(leaves)() + 0
        one, two = (lambda: self.number(depth - 1, names)), (lambda: self.number(depth - 1, names))
        return r.choice(
            [
                lambda: one() + two(),
                lambda: one() - two(),
                lambda: one() * two(),
                lambda: one() // 3,
                lambda: one() % 3,
                lambda: abs(one() - two()),
                lambda: one() // 1,
                lambda: one() % 1,
                lambda: (one() - 7) // 4,
                lambda: -one() % 5,
                lambda: -one(),
                lambda: self.condition(0, names) + one(),
                lambda: min_of(one(), two()),
                lambda: max_of(one(), two()),
                lambda: pick(self.truth(depth - 1, names), one(), two()),
                lambda: self.table[self.index(depth - 1, names), self.index(depth - 1, names)],
                lambda: s.grid[self.index(depth - 1, names), self.index(depth - 1, names)],
                lambda: sum_of(SIZE, lambda i: s.row[i] * i),
                lambda: max_of(SIZE, lambda i: s.row[i] - i),
                lambda: min_of(range(1, SIZE), lambda i: s.row[i]),
                lambda: self.blended(one()),
                lambda: pick(one(), two(), 2),
                lambda: clamp(one(), -1, 3),
            ]
        )()

    def index(self, depth: int, names: list[Local]) -> Term:
        """A computed index: a plain one outside the array would be refused while the rules are traced."""
        found = self.number(depth, names)
        return pick(self.s.flag, found, 0) if isinstance(found, Const) else found

    def blended(self, arg: Term) -> Term:
        if not self.declared or arg.lo >= SIZE or arg.hi < 0:
            return arg
        return self.blend(arg)

    def truth(self, depth: int, names: list[Local]) -> Term:
        """A condition that is open: a plain one would be decided while the rules are traced."""
        found = self.condition(depth, names)
        return self.s.flag + 0 if isinstance(found, Const) else found

    def condition(self, depth: int, names: list[Local]) -> Term:
        r, s = self.r, self.s
        one, two = (lambda: self.number(depth, names)), (lambda: self.number(depth, names))
        return r.choice(
            [
                lambda: one() < two(),
                lambda: one() <= two(),
                lambda: one() == two(),
                lambda: one() != two(),
                lambda: (one() < two()) & s.flag,
                lambda: ~(one() < two()),
                lambda: (one() < 2) | (two() == 1),
                lambda: any_of(SIZE, lambda i: s.row[i] == s.small),
                lambda: all_of(2, lambda i: one() < s.row[i] + i),
                lambda: one() & s.flag,
                lambda: ~one(),
                lambda: (one() < 2) == (two() < 1),
                lambda: count_of(SIZE, lambda i: s.row[i] != 0) > 1,
            ]
        )()


def random_game(seed: int) -> Game:
    """The random game of a seed."""
    return RandomRules(seed).build()


def random_state(game: Game, r: random.Random) -> list[int]:
    """A state with every cell somewhere within its bounds, in a phase where somebody acts."""
    state = [r.randint(f.lo, f.hi) for f in game.fields for _ in range(f.size)]
    acting = [p.number for p in game.phases if not p.automatic]
    state[0], state[game.get_field("back").offset] = r.choice(acting), r.choice(acting)
    state[1] = state[1] if r.random() < 0.1 else 0
    return state
