"""Small random games, each written twice from one description: as rules in the language, and as plain functions here.

The plain functions share no code with the language or the verifier, so that a mistake of either shows as a difference.
An expression is a tuple: ("n", 3), ("f", "x"), ("p", "a"), ("+", left, right), ("pick", condition, yes, no) ...
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Expr = Any
State = tuple[int, ...]
"""The fields, the number of the phase, and the number of the ending (0 while the game runs)."""
CHANCE = -1
MOST = 1500


class Large(Exception):
    """Raised if a game has more states than are gone through here."""


class Breaks(Exception):
    """Raised if a value leaves its bounds ("bounds") or phases go round for ever ("endless")."""


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "or": lambda a, b: int(bool(a) or bool(b)),
    "min": min,
    "max": max,
}


@dataclass
class Act:
    """An action: phases it belongs to, parameters, requirements, weight (of chance) and effects."""

    name: str
    words: str
    phases: list[int]
    params: dict[str, list[int]]
    needs: list[Expr]
    weight: Expr | None
    body: list[Any]


@dataclass
class Bids:
    """A moment at which all seats that are asked choose a number at once: in which phase, and which phase follows."""

    phase: int
    then: int
    low: int
    count: int
    asked: Expr | None
    may: Expr | None


@dataclass
class Drawn:
    """A random game."""

    players: int
    teams: list[tuple[int, ...]]
    fields: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    row: int = 0
    hidden: str = ""
    phases: list[Any] = field(default_factory=list)
    first: int = 0
    acts: list[Act] = field(default_factory=list)
    automatic: dict[int, list[Any]] = field(default_factory=dict)
    endings: list[tuple[str, str, Any]] = field(default_factory=list)
    quantities: dict[str, Expr] = field(default_factory=dict)
    invariants: dict[str, Expr] = field(default_factory=dict)
    payoffs: list[Expr] = field(default_factory=list)
    levels: tuple[int, ...] = ()
    bids: Bids | None = None

    def names(self) -> list[str]:
        seats = range(self.players if self.bids else 0)
        apart = [f"_bid_hidden[{seat}]" for seat in seats] + [f"bid[{seat}]" for seat in seats]
        return [*self.fields, *(["_bid_turn", *apart] if self.bids else [])]

    @property
    def hides(self) -> bool:
        """Whether some seat does not see all: a field, or what others chose at the same time."""
        return bool(self.hidden) or self.bids is not None

    @property
    def together(self) -> bool:
        """Whether all want the same: no win is that of some only, and all get the same at every end."""
        winners = [winner for kind, _, winner in self.endings if kind == "win"]
        if any(winner != "all" for winner in winners):
            return False
        if not self.payoffs:
            return bool(winners)
        return all(each == self.payoffs[0] for each in self.payoffs) and self.payoffs[0][0] != "n"


# -- drawing ----------------------------------------------------------------------------------------------------


TEAMS: list[tuple[int, list[tuple[int, ...]]]] = [
    (2, [(0, 1)]),
    (2, []),
    (3, []),
    (3, [(0, 2), (1,)]),
    (3, [(2,), (1, 0)]),
    (3, [(0, 1, 2)]),
    (4, [(0, 2), (1, 3)]),
]
"""Players and their teams; where there are none, all win together."""


class Hand:
    """Draws one game; if `in_teams`, one in which some play together."""

    def __init__(self, seed: int, in_teams: bool = False) -> None:
        self.r = r = random.Random(seed)
        players = r.choice([1, 1, 1, 2, 2, 3])
        teams: list[tuple[int, ...]] = [(0, 2), (1,)] if players == 3 and r.random() < 0.4 else []
        self.all_win = False
        if in_teams:
            apart = random.Random(-1 - seed)
            players, teams = apart.choice(TEAMS)
            self.all_win = not teams or apart.random() < 0.2
        self.game = Drawn(players, teams)

    def draw(self) -> Drawn:
        r, g = self.r, self.game
        for name in ["x", "y", "z", "u"][: r.choice([1, 2, 3, 3, 4])]:
            low = r.choice([0, 0, 0, -2, 1])
            high = low + r.choice([1, 2, 3, 5, 9, 12])
            g.fields[name] = (low, high, r.choice([low, low, low, r.randint(low, high), high]))
        if g.players > 1:
            g.fields["turn"] = (0, g.players - 1, 0)
        if r.random() < 0.35:
            g.row = r.choice([2, 3])
            for n in range(g.row):
                g.fields[f"row[{n}]"] = (0, 2, n % 2)
        if r.random() < 0.25:
            g.hidden = r.choice([n for n in g.fields if n in "xyzu"])
        if r.random() < 0.5:
            g.levels = (1, 2, 3)
        kinds = [self.actor() for _ in range(r.randint(1, 3))]
        kinds += [None] * r.choice([0, 0, 1, 2])
        if r.random() < 0.5:
            kinds.append("chance")
        r.shuffle(kinds)
        if all(k is None for k in kinds):
            kinds.append(self.actor())
        g.phases = kinds
        g.first = r.randrange(len(kinds)) if r.random() < 0.5 else 0
        for number, kind in enumerate(kinds):
            if kind is None:
                g.automatic[number] = self.block({}, 2, True, number)
        for number, kind in enumerate(kinds):
            if kind is not None:
                for _ in range(r.choice([1, 1, 2, 3])):
                    g.acts.append(self.act(number, kind))
        if not g.endings:
            g.acts[-1].body.append(self.end())
        for n in range(r.choice([1, 2])):
            g.quantities[f"q{n}"] = self.number({}, 2)
        if r.random() < 0.15:
            # a quantity takes precedence over the field of its name
            g.quantities["x"] = ("+", ("f", "x"), ("n", 1))
        if r.random() < 0.4:
            g.invariants["law"] = self.condition({}, 2)
        if any(kind == "scores" for kind, _, _ in g.endings) or r.random() < 0.1:
            g.payoffs = [self.number({}, 1) for _ in range(g.players)]
        return g

    def actor(self) -> Any:
        r, g = self.r, self.game
        return ("f", "turn") if g.players > 1 and r.random() < 0.5 else r.randrange(g.players)

    def act(self, number: int, kind: Any) -> Act:
        r, g = self.r, self.game
        n = len(g.acts)
        params: dict[str, list[int]] = {}
        for name in ["a", "b"][: r.choice([0, 0, 1, 1, 2])]:
            low = r.choice([0, 0, 1, -1])
            params[name] = list(range(low, low + r.choice([1, 2, 3])))
        chance = kind == "chance"
        like = [i for i, k in enumerate(g.phases) if k is not None and (k == "chance") == chance]
        phases = sorted({number, r.choice(like)}) if r.random() < 0.2 else [number]
        needs = [self.condition(params, 2) for _ in range(r.choice([0, 0, 1, 1, 2]))]
        if params and r.random() < 0.1:
            needs.insert(0, (r.choice(["<", "==", "!="]), ("p", "a"), ("n", r.randint(-1, 2))))
        weight = None
        if chance and r.random() < 0.6:
            weight = r.choice([("n", r.randint(1, 4)), self.number(params, 1), self.number(params, 2)])
        words = f"act{n} " + " ".join(f"{{{p}}}" for p in params)
        return Act(f"act{n}", words.strip(), phases, params, needs, weight, self.block(params, 2, True, number))

    def block(self, params: Mapping[str, list[int]], depth: int, moves: bool, here: int) -> list[Any]:
        r, g = self.r, self.game
        found = [self.statement(params, depth) for _ in range(r.choice([1, 1, 2, 2, 3]))]
        if moves and r.random() < 0.8:
            found.append(("goto", r.randrange(len(g.phases))))
        if moves and "turn" in g.fields and r.random() < 0.5:
            found.append(("set", "turn", ("%", ("+", ("f", "turn"), ("n", 1)), ("n", g.players))))
        return found

    def statement(self, params: Mapping[str, list[int]], depth: int) -> Any:
        r, g = self.r, self.game
        draw = r.random()
        if draw < 0.05:
            return self.end()
        if depth and draw < 0.4:
            other = [self.statement(params, depth - 1)] if r.random() < 0.5 else []
            then = [self.statement(params, depth - 1) for _ in range(r.choice([1, 2]))]
            return ("if", self.condition(params, 2), then, other)
        if depth and g.levels and draw < 0.47:
            return ("ruling", [self.going_on(params)], [self.going_on(params)])
        if draw < 0.52:
            return ("goto", r.randrange(len(g.phases)))
        name: Any = r.choice([n for n in g.fields if n not in ("turn", "left")])
        low, high, _ = g.fields[name]
        if "[" in name and r.random() < 0.4:
            name = ("row", self.number(params, 1))
        kind = r.random()
        here = ("f", name) if isinstance(name, str) else ("n", 1)
        if kind < 0.45:
            value: Expr = (r.choice("+-"), here, ("n", r.choice([1, 1, 2])))
            if r.random() < 0.6:
                value = ("max", ("n", low), ("min", ("n", high), value))
            elif isinstance(name, str) and r.random() < 0.5:  # only while there is room
                limit = ("<", here, ("n", high)) if value[0] == "+" else (">", here, ("n", low))
                step = ("set", name, (value[0], here, ("n", 1)))
                return ("if", limit, [step], [self.end()] if r.random() < 0.3 else [])
        elif kind < 0.75:
            value = ("n", r.randint(low, high))
        else:
            value = self.number(params, 2)
            if r.random() < 0.8:
                value = ("max", ("n", low), ("min", ("n", high), value))
        return ("set", name, value)

    def going_on(self, params: Mapping[str, list[int]]) -> Any:
        """Return a statement that ends no game: an ending that a ruling leaves out has no name in claims."""
        known = list(self.game.endings)
        while True:
            made = self.statement(params, 0)
            if "'end'" not in repr(made):
                return made
            self.game.endings[:] = known

    def end(self) -> Any:
        r, g = self.r, self.game
        kind = r.choice(["win", "win", "loss", "draw", "scores"])
        winner: Any = None
        if kind == "win" and g.players > 1:
            winner = r.choice([*range(g.players), ("f", "turn"), "all"])
            winner = "all" if self.all_win else winner
        known = [e for e in g.endings if e[0] == kind and e[2] == winner]
        if known and r.random() < 0.5:
            return ("end", g.endings.index(r.choice(known)))
        reason = f"end {len(g.endings)} of {kind}"
        if g.endings and r.random() < 0.1:
            other = r.choice(g.endings)
            if other[0] != kind and {other[0], kind} != {"win", "scores"}:
                reason = other[1]
        g.endings.append((kind, reason, winner))
        return ("end", len(g.endings) - 1)

    def number(self, params: Mapping[str, list[int]], depth: int) -> Expr:
        r, g = self.r, self.game
        if depth == 0 or r.random() < 0.3:
            if g.bids and r.random() < 0.3:
                return ("bid", r.randrange(g.players))
            draw = r.random()
            if params and draw < 0.25:
                return ("p", r.choice(list(params)))
            if g.levels and draw < 0.35:
                return ("level",)
            if draw < 0.45:
                return ("n", r.choice([0, 1, 2, 3, -1, 5]))
            if g.row and draw < 0.55:
                return ("at", self.number(params, 0))
            return ("f", r.choice(list(g.fields)))
        op = r.choice(["+", "+", "-", "*", "%", "//", "min", "max", "pick", "cond"])
        if op == "pick":
            return ("pick", self.condition(params, 1), self.number(params, depth - 1), self.number(params, depth - 1))
        if op == "cond":
            return self.condition(params, 1)
        if op in ("%", "//"):
            return (op, self.number(params, depth - 1), ("n", r.choice([1, 2, 3])))
        return (op, self.number(params, depth - 1), self.number(params, depth - 1))

    def condition(self, params: Mapping[str, list[int]], depth: int) -> Expr:
        r = self.r
        if depth and r.random() < 0.35:
            op = r.choice(["and", "or", "not"])
            if op == "not":
                return ("not", self.condition(params, depth - 1))
            return (op, self.condition(params, depth - 1), self.condition(params, depth - 1))
        left: Expr = ("f", r.choice(list(self.game.fields)))
        if r.random() < 0.3:
            left = ("+", left, self.number(params, 1))
        return (r.choice(["==", "!=", "<", "<=", ">", ">="]), left, self.number(params, r.choice([0, 0, 1])))


def drawn(seed: int, in_teams: bool = False) -> Drawn:
    """Return the game of a seed; if `in_teams`, one in which some play together."""
    return Hand(seed, in_teams).draw()


# -- as rules in the language -----------------------------------------------------------------------------------


def written(e: Expr) -> str:
    """Return an expression as the rules language writes it."""
    match e:
        case ("n", value):
            return f"({value})"
        case ("f", name):
            return f"s.{name}"
        case ("p", name):
            return str(name)
        case ("level",):
            return "level"
        case ("seat",):
            return "seat"
        case ("bid", seat):
            return f"bids.of({seat})"
        case ("at", index):
            return f"s.row[keeps({written(index)})]"
        case ("not", a):
            return f"~as_term({written(a)})"
        case ("pick", c, a, b):
            return f"pick({written(c)}, {written(a)}, {written(b)})"
        case ("and" | "or" as op, a, b):
            return f"(as_term({written(a)}) {'&' if op == 'and' else '|'} as_term({written(b)}))"
        case ("min" | "max" as op, a, b):
            return f"{op}_of(as_term({written(a)}), as_term({written(b)}))"
        case (op, a, b):
            return f"(as_term({written(a)}) {op} {written(b)})"
    raise ValueError(e)


def _lines(g: Drawn, body: list[Any], indent: str) -> Iterator[str]:
    for one in body:
        match one:
            case ("set", str(name), value):
                yield f"{indent}s.{name} = {written(value)}"
            case ("set", ("row", index), value):
                yield f"{indent}s.row[keeps({written(index)})] = {written(value)}"
            case ("goto", number):
                yield indent + ("bids.begin()" if g.phases[number] == "bid" else f"goto(p{number})")
            case ("if", condition, then, other):
                yield f"{indent}with when({written(condition)}):"
                yield from _lines(g, then, indent + "    ")
                if other:
                    yield f"{indent}with otherwise():"
                    yield from _lines(g, other, indent + "    ")
            case ("ruling", plain, changed):
                yield f"{indent}if ruled:"
                yield from _lines(g, changed, indent + "    ")
                yield f"{indent}else:"
                yield from _lines(g, plain, indent + "    ")
            case ("end", number):
                yield indent + _ending(g, number)


def _ending(g: Drawn, number: int) -> str:
    kind, reason, winner = g.endings[number]
    if kind == "win":
        said = "" if winner is None else f", winner={'EVERYBODY' if winner == 'all' else _seat(winner)}"
        return f'win("{reason}"{said})'
    return f'{ {"loss": "lose", "draw": "tie", "scores": "score"}[kind] }("{reason}")'


def _seat(winner: Any) -> str:
    return f"s.{winner[1]}" if isinstance(winner, tuple) else str(winner)


def rules(g: Drawn) -> str:
    """Return the game as the text of a `rules.py`."""
    teams = f", teams={[tuple(t) for t in g.teams]}" if g.teams else ""
    out = [
        "from playproof.language import CHANCE, EVERYBODY, Game, Sees, clamp, goto, lose, max_of, min_of",
        "from playproof.language import otherwise, pick, require, score, tie, weight, when, win",
        "from playproof.language.expr import as_term",
        *(["from playproof import Together"] if g.bids else []),
        "from playproof.language.options import Options",
        "",
        "",
        "def build(options: Options) -> Game:",
    ]
    if g.levels:
        out += [
            f"    level = options.number('level', range({g.levels[0]}, {g.levels[-1] + 1}), {g.levels[0]})",
            "    ruled = options.ruling('A1', 'plain', ['changed']) == 'changed'",
        ]
    out += [f"    g = Game('drawn', players={g.players}{teams})", "    s = g.state"]
    out += [f"    keeps = lambda i: clamp(as_term(i), 0, {max(0, g.row - 1)})"]
    for name, (low, high, start) in g.fields.items():
        if "[" not in name:
            sees = ", sees=Sees.NOBODY" if name == g.hidden else ""
            out.append(f"    g.integer('{name}', {low}, {high}, {start}{sees})")
    if g.row:
        out.append(f"    g.array('row', {g.row}, 0, 2, {[n % 2 for n in range(g.row)]})")
    for number, kind in enumerate(g.phases):
        if kind == "bid":
            continue
        if kind is None:
            out.append(f"    p{number} = g.automatic('p{number}')")
        else:
            actor = "CHANCE" if kind == "chance" else _seat(kind)
            out.append(f"    p{number} = g.phase('p{number}', {actor})")
    if g.bids:
        out.append(_together(g.bids))
    for act in g.acts:
        if act.name == "bid":
            continue
        where = f"p{act.phases[0]}" if len(act.phases) == 1 else "[" + ", ".join(f"p{p}" for p in act.phases) + "]"
        params = "".join(f", {n}=range({v[0]}, {v[-1] + 1})" for n, v in act.params.items())
        shown = ""
        if g.hidden and act.params and g.phases[act.phases[0]] != "chance":
            shown = f", public={list(act.params)!r}"
        out += [
            "",
            f"    @g.action({where}, '{act.words}'{params}{shown})",
            f"    def {act.name}({', '.join(act.params)}):",
        ]
        out += [f"        require({written(need)}, 'R{n}', 'no')" for n, need in enumerate(act.needs)]
        out += [f"        weight({written(act.weight)})"] if act.weight is not None else []
        out += _lines(g, act.body, "        ")
    for number, body in g.automatic.items():
        out += ["", f"    @g.on(p{number})", f"    def after{number}():", *_lines(g, body, "        ")]
    out += ["", f"    g.start(p{g.first})"]
    out += [f"    g.quantity('{name}', as_term({written(e)}))" for name, e in g.quantities.items()]
    if g.payoffs:
        out.append(f"    g.returns({', '.join(f'as_term({written(e)})' for e in g.payoffs)})")
    if g.invariants:
        out += [f"    g.fact(invariants={{'{n}': as_term({written(e)})}})" for n, e in g.invariants.items()]
    out.append("    return g")
    return "\n".join(out) + "\n"


def _together(bids: Bids) -> str:
    asked = "" if bids.asked is None else f", asked=lambda seat: as_term({written(bids.asked)})"
    may = "" if bids.may is None else f", may=lambda seat, bid: as_term({written(bids.may)})"
    return f"    bids = Together(g, 'bid', range({bids.low}, {bids.low + bids.count}), then=p{bids.then}{asked}{may})"


# -- as plain functions -----------------------------------------------------------------------------------------


@dataclass
class Setting:
    """The game under one option and one ruling, as functions on states."""

    game: Drawn
    level: int = 1
    ruled: bool = False

    def __post_init__(self) -> None:
        self.names = self.game.names()
        self.at = {name: n for n, name in enumerate(self.names)}
        self.phase, self.over = len(self.names), len(self.names) + 1
        self.idents = [
            (act, dict(zip(act.params, values, strict=True)))
            for act in self.game.acts
            for values in product(*act.params.values())
        ]

    def value(self, e: Expr, state: State | list[int], bound: Mapping[str, int]) -> int:
        match e[0]:
            case "n":
                return int(e[1])
            case "f":
                return state[self.at[e[1]]]
            case "p":
                return bound[e[1]]
            case "level":
                return self.level
            case "phase":
                return state[self.phase]
            case "seat":
                return state[self.at["_bid_turn"]]
            case "bid":
                return state[self.at[f"bid[{e[1]}]"]] - 1 + self._bids().low
            case "at":
                return state[self.at["row[0]"] + self._place(e[1], state, bound)]
            case "not":
                return int(not self.value(e[1], state, bound))
            case "pick":
                return self.value(e[2] if self.value(e[1], state, bound) else e[3], state, bound)
        return int(_BINARY[e[0]](self.value(e[1], state, bound), self.value(e[2], state, bound)))

    def _place(self, index: Expr, state: State | list[int], bound: Mapping[str, int]) -> int:
        return max(0, min(self.game.row - 1, self.value(index, state, bound)))

    def run(self, body: list[Any], state: list[int], bound: Mapping[str, int]) -> None:
        for one in body:
            match one:
                case ("set", name, value):
                    new = self.value(value, state, bound)
                    where = name if isinstance(name, str) else f"row[{self._place(name[1], state, bound)}]"
                    low, high, _ = self.game.fields[where]
                    if not low <= new <= high:
                        raise Breaks("bounds")
                    state[self.at[where]] = new
                case ("goto", number):
                    if self.game.phases[number] == "bid":
                        self.begin(state)
                    else:
                        state[self.phase] = number
                case ("choose",):
                    seat = state[self.at["_bid_turn"]]
                    state[self.at[f"_bid_hidden[{seat}]"]] = bound["bid"] - self._bids().low + 1
                    self.ask_next(state)
                case ("if", condition, then, other):
                    self.run(then if self.value(condition, state, bound) else other, state, bound)
                case ("ruling", plain, changed):
                    self.run(changed if self.ruled else plain, state, bound)
                case ("end", number):
                    state[self.over] = state[self.over] or number + 1

    # Who chooses at once: the seats are asked in turn, two phases beyond those drawn ask the next and show all.

    def _bids(self) -> Bids:
        assert self.game.bids is not None
        return self.game.bids

    def begin(self, state: list[int]) -> None:
        for seat in range(self.game.players):
            state[self.at[f"bid[{seat}]"]] = 0
        state[self.at["_bid_turn"]] = 0
        state[self.phase] = len(self.game.phases)

    def ask_next(self, state: list[int]) -> None:
        if state[self.at["_bid_turn"]] == self.game.players - 1:
            state[self.phase] = len(self.game.phases) + 1
        else:
            state[self.at["_bid_turn"]] += 1
            state[self.phase] = len(self.game.phases)

    def ask_or_skip(self, state: list[int]) -> None:
        asked = self._bids().asked
        if asked is None or self.value(asked, state, {}):
            state[self.phase] = self._bids().phase
        else:
            self.ask_next(state)

    def show_all(self, state: list[int]) -> None:
        for seat in range(self.game.players):
            state[self.at[f"bid[{seat}]"]] = state[self.at[f"_bid_hidden[{seat}]"]]
            state[self.at[f"_bid_hidden[{seat}]"]] = 0
        state[self.at["_bid_turn"]] = 0
        state[self.phase] = self._bids().then

    def is_automatic(self, phase: int) -> bool:
        return phase >= len(self.game.phases) or self.game.phases[phase] is None

    def settle(self, state: list[int]) -> list[State]:
        """Return the state and those after each automatic phase."""
        seen = [tuple(state)]
        while not state[self.over] and self.is_automatic(state[self.phase]):
            number = state[self.phase] - len(self.game.phases)
            if number >= 0:
                (self.show_all if number else self.ask_or_skip)(state)
            else:
                self.run(self.game.automatic[state[self.phase]], state, {})
            if tuple(state) in seen:
                raise Breaks("endless")
            seen.append(tuple(state))
        return seen

    def start(self) -> list[State]:
        fields = [start for _, _, start in self.game.fields.values()]
        return self.settle([*fields, *[0] * (len(self.names) - len(fields)), self.game.first, 0])

    def actor(self, state: State) -> int:
        kind = self.game.phases[state[self.phase]]
        if kind == "bid":
            return state[self.at["_bid_turn"]]
        return CHANCE if kind == "chance" else self.value(kind, state, {}) if isinstance(kind, tuple) else kind

    def weight(self, ident: int, state: State) -> int:
        act, bound = self.idents[ident]
        return 1 if act.weight is None else self.value(act.weight, state, bound)

    def legal(self, state: State) -> list[int]:
        if state[self.over]:
            return []
        chance = self.actor(state) == CHANCE
        return [
            n
            for n, (act, bound) in enumerate(self.idents)
            if state[self.phase] in act.phases
            and all(self.value(need, state, bound) for need in act.needs)
            and not (chance and self.weight(n, state) <= 0)
        ]

    def moments(self, state: State, ident: int) -> list[State]:
        """Return the states after an action and after each automatic phase that follows."""
        act, bound = self.idents[ident]
        after = list(state)
        self.run(act.body, after, bound)
        return self.settle(after)

    def words(self, ident: int) -> str:
        act, bound = self.idents[ident]
        return act.words.format(**bound)

    def returns(self, state: State) -> list[int]:
        g = self.game
        if g.payoffs:
            return [self.value(e, state, {}) for e in g.payoffs]
        kind = g.endings[state[self.over] - 1][0]
        if kind == "win":
            return [1 if self.won(state, seat) else -1 for seat in range(g.players)]
        return [-1 if kind == "loss" else 0] * g.players

    def team(self, seat: int) -> tuple[int, ...]:
        """Return the seats that play together with a seat, and the seat itself."""
        if self.game.together:
            return tuple(range(self.game.players))
        return next((t for t in self.game.teams if seat in t), (seat,))

    def won(self, state: State, seat: int | None) -> bool:
        """Return whether the game is won, by a seat if one is given."""
        if not state[self.over]:
            return False
        kind, _, winner = self.game.endings[state[self.over] - 1]
        if kind == "scores":
            scores = self.returns(state)
            seats = range(self.game.players) if seat is None else [seat]
            return any(self._most(scores, one) for one in seats)
        if kind != "win":
            return False
        if seat is None or winner in (None, "all"):
            return True
        return (self.value(winner, state, {}) if isinstance(winner, tuple) else winner) in self.team(seat)

    def _most(self, scores: list[int], seat: int) -> bool:
        others = [s for s in range(self.game.players) if s not in self.team(seat)]
        return all(scores[seat] > scores[s] for s in others) if others else scores[seat] > 0


@dataclass
class Graph:
    """All that can happen: the states in which somebody acts or the game is over, the moves, and what breaks."""

    play: Setting
    states: list[State] = field(default_factory=list)
    moves: list[list[tuple[int, int, int]]] = field(default_factory=list)  # action, to, weight
    breaks: set[str] = field(default_factory=set)
    steps: list[tuple[State, int, list[State]]] = field(default_factory=list)
    first: list[State] = field(default_factory=list)


def graph(play: Setting) -> Graph:
    """Go through all states. Raises Large."""
    found = Graph(play)
    try:
        found.first = play.start()
    except Breaks as error:
        found.breaks.add(str(error))
        return found
    number = {found.first[-1]: 0}
    found.states.append(found.first[-1])
    for state in found.states:  # grows
        here = []
        for ident in play.legal(state):
            try:
                moments = play.moments(state, ident)
            except Breaks as error:
                found.breaks.add(str(error))
                continue
            found.steps.append((state, ident, moments))
            to = number.setdefault(moments[-1], len(number))
            if to == len(found.states):
                found.states.append(moments[-1])
            here.append((ident, to, play.weight(ident, state)))
        found.moves.append(here)
        if len(found.states) > MOST:
            raise Large
    return found
