"""Random claims about random games, and what is true of them by going through all states with plain functions.

`drawn` returns claims as `claims.yaml` writes them, each with a function from the graph of a setting to its value.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from tests.verifier.drawn_games import CHANCE, Drawn, Expr, Graph, State

VACUOUS = "VACUOUS"
OPEN = "nothing is said"
"""The value of a claim of which the documents do not say what is true, or that is not computed here."""


@dataclass(frozen=True)
class Event:
    """A target as data, and the states in which it holds, or the actions that it means."""

    of: Any
    holds: Callable[[Graph, State], bool]
    acts: Callable[[Graph], set[int]] | None = None


@dataclass(frozen=True)
class Asked:
    """A claim as data, its value, and the settings (level, ruled) under which it is asked."""

    claim: dict[str, Any]
    value: Callable[[dict[tuple[int, bool], Graph]], Any]
    setting: tuple[int, bool]
    files: tuple[tuple[str, str], ...] = ()


class Claims:
    """Draws claims about one game."""

    def __init__(self, game: Drawn, graphs: dict[tuple[int, bool], Graph], seed: int) -> None:
        self.r, self.game, self.graphs = random.Random(seed), game, graphs

    # -- conditions ---------------------------------------------------------------------------------------------

    def number(self, depth: int = 1) -> tuple[str, Expr]:
        """Return a number as text, and as an expression."""
        r, g = self.r, self.game
        if depth == 0 or r.random() < 0.4:
            if r.random() < 0.3:
                n = r.choice([0, 1, 2, 3, -1, 5])
                return str(n), ("n", n)
            if g.bids and r.random() < 0.3:
                cell = f"bid[{r.randrange(g.players)}]"
                return cell, ("f", cell)
            if r.random() < 0.25:
                name = r.choice(list(g.quantities))
                return name if r.random() < 0.5 else f"`{name}`", self.named(name)
            name = r.choice(list(g.fields))
            return name, self.named(name)
        op = r.choice(["+", "-", "*"])
        (a, one), (b, two) = self.number(depth - 1), self.number(depth - 1)
        if r.random() < 0.1:
            large = r.choice([10**6, 2**31, 2**40, 3**45])
            return f"({a}) * {large} {op} ({b})", (op, ("*", one, ("n", large)), two)
        return f"({a}) {op} ({b})", (op, one, two)

    def named(self, name: str) -> Expr:
        return self.game.quantities.get(name, ("f", name))

    def condition(self, depth: int = 1) -> tuple[str, Expr]:
        """Return a condition as text, and as an expression."""
        r, g = self.r, self.game
        draw = r.random()
        if depth and draw < 0.25:
            op = r.choice(["and", "or"])
            (a, one), (b, two) = self.condition(depth - 1), self.condition(depth - 1)
            return f"({a}) {op} ({b})", (op, one, two)
        if depth and draw < 0.35:
            a, one = self.condition(depth - 1)
            return f"not ({a})", ("not", one)
        if draw < 0.42:
            return self.number(1)  # a number is true unless it is 0
        if draw < 0.5:
            n = r.randrange(len(g.phases))
            name = '"bid"' if g.phases[n] == "bid" else f"p{n}"
            return f"phase == {name}", ("==", ("phase",), ("n", n))
        if draw < 0.56:
            (a, one), (b, two), (c, three) = self.number(0), self.number(0), self.number(0)
            return f"{a} <= {b} < {c}", ("and", ("<=", one, two), ("<", two, three))
        op = r.choice(["==", "!=", "<", "<=", ">", ">="])
        (a, one), (b, two) = self.number(), self.number(0)
        return f"{a} {op} {b}", (op, one, two)

    # -- events -------------------------------------------------------------------------------------------------

    def event(self, actions: bool = True) -> Event:
        """Return a random target."""
        r, g = self.r, self.game
        draw = r.random()
        if draw < 0.3:
            return self.ending()
        if actions and draw < 0.5:
            return self.action()
        if draw < 0.6:
            inner = self.event(actions=False)
            return Event({"not": inner.of}, lambda graph, s: not inner.holds(graph, s))
        if g.invariants and draw < 0.68:
            expr = g.invariants["law"]
            return Event({"invariant": "law"}, lambda graph, s: bool(graph.play.value(expr, s, {})))
        text, expr = self.condition()
        of: Any = {r.choice(["holds", "reach"]): text} if r.random() < 0.8 else text
        if isinstance(of, dict) and r.random() < 0.15:
            of["with"] = [self.condition()[0]]
        return Event(of, lambda graph, s: bool(graph.play.value(expr, s, {})))

    def ending(self) -> Event:
        r, g = self.r, self.game
        kind, reason, _ = r.choice(g.endings)
        of: dict[str, Any] = {}
        draw = r.random()
        if draw < 0.7:
            of["outcome"] = kind = r.choice(["win", kind])
        if draw > 0.5:
            said = reason if r.random() < 0.7 else reason[:5].upper()
            if any(self.fits(e, of.get("outcome"), said) for e in g.endings):
                of["reason"] = said
        if "outcome" not in of and "reason" not in of:
            of["outcome"] = kind
        seat = None
        if of.get("outcome") == "win" and r.random() < 0.6:
            of["seat"] = seat = r.randrange(g.players)
        kind_asked, reason_asked = of.get("outcome"), of.get("reason")

        def holds(graph: Graph, s: State) -> bool:
            over = s[graph.play.over]
            if not over:
                return False
            end = g.endings[over - 1]
            if reason_asked is not None:
                exact = [e for e in g.endings if e[1] == reason_asked and self.kind_fits(e, kind_asked)]
                if (end not in exact) if exact else not self.fits(end, kind_asked, reason_asked):
                    return False
            if kind_asked == "win":
                return graph.play.won(s, seat)
            return kind_asked is None or end[0] == kind_asked

        return Event(of, holds)

    @staticmethod
    def kind_fits(end: tuple[str, str, Any], kind: str | None) -> bool:
        return kind is None or end[0] == kind or (kind == "win" and end[0] == "scores")

    def fits(self, end: tuple[str, str, Any], kind: str | None, said: str) -> bool:
        return self.kind_fits(end, kind) and said.lower() in end[1].lower()

    def action(self) -> Event:
        r, g = self.r, self.game
        act = r.choice(g.acts)
        of: dict[str, Any] = {"action": act.name}
        chosen = {n: r.choice(v) for n, v in act.params.items() if r.random() < 0.5}
        of |= {n: v if r.random() < 0.5 else str(v) for n, v in chosen.items()}

        def acts(graph: Graph) -> set[int]:
            return {
                n
                for n, (one, bound) in enumerate(graph.play.idents)
                if one is act and all(bound[p] == v for p, v in chosen.items())
            }

        return Event(of, lambda graph, s: True, acts)

    def bound(self) -> tuple[Any, Callable[[Graph, State], bool]]:
        """Return what `within` says, and the states in which it holds."""
        r, g = self.r, self.game
        if r.random() < 0.6:
            return None, lambda graph, s: True
        if r.random() < 0.5:
            text, expr = self.condition(0)
            # a bare number is refused there
            text = f"{text} + 0" if text.removeprefix("-").isdecimal() else text
            return text, lambda graph, s: bool(graph.play.value(expr, s, {}))
        names = r.sample([*g.quantities, *g.fields], r.choice([1, 1, 2]))
        most = {name: r.randint(-1, 6) for name in names}
        said: dict[str, Any] = {n: m if r.random() < 0.8 else str(m) for n, m in most.items()}

        def holds(graph: Graph, s: State) -> bool:
            return all(graph.play.value(self.named(n), s, {}) <= m for n, m in most.items())

        return said, holds

    # -- claims -------------------------------------------------------------------------------------------------

    def setting(self) -> tuple[tuple[int, bool], dict[str, Any]]:
        r, g = self.r, self.game
        if not g.levels:
            return (1, False), {}
        level, ruled = r.choice([*g.levels, 1, 1]), r.random() < 0.3
        options: dict[str, Any] = {"level": level} if level != 1 or r.random() < 0.3 else {}
        if ruled or r.random() < 0.2:
            options["rulings"] = {"A1": "changed" if ruled else "plain"}
        return (level, ruled), {"options": options} if options else {}

    def draw(self, count: int) -> list[Asked]:
        makers = [
            self.reach,
            self.reach,
            self.never,
            self.never,
            self.extreme,
            self.extreme,
            self.luck,
            self.luck,
            self.luck,
            self.ends,
            self.rules,
            self.law,
            self.law,
            self.every,
            self.compared,
            self.example,
        ]
        found = [made for made in (self.r.choice(makers)() for _ in range(count)) if made is not None]
        return [self.expecting(made) for made in found]

    def expecting(self, made: Asked) -> Asked:
        """Give some claims what they expect: what is true, or something else."""
        if self.r.random() < 0.5:
            return made
        value = made.value(self.graphs)
        if value in (OPEN, VACUOUS):
            return made
        if isinstance(value, bool):
            made.claim["expect"] = value if self.r.random() < 0.7 else not value
        elif isinstance(value, float):
            digits = 9 if f"{value:.6f}".endswith("0") else 6  # fewer than six say that it is exactly that
            made.claim["expect"] = round(value, digits) if self.r.random() < 0.7 else 0.123457
        elif isinstance(value, int) and abs(value) < 10**17:  # claims.yaml takes numbers of at most 18 digits
            made.claim["expect"] = value if self.r.random() < 0.7 else value + 1
        return made

    def of_one(self, claim: dict[str, Any], value: Callable[[Graph], Any]) -> Asked:
        setting, options = self.setting()
        return Asked({**claim, **options}, lambda graphs: value(graphs[setting]), setting)

    def reach(self) -> Asked:
        event, (within, bound) = self.event(), self.bound()
        claim = {"ask": "reach", "of": event.of, "within": within}
        static = event.acts is not None  # an action that a rule always forbids is no member
        return self.of_one(
            claim,
            lambda graph: (
                True if happens(graph, event, bound) else OPEN if static and forbidden(graph, event) else False
            ),
        )

    def never(self) -> Asked:
        ask = self.r.choice(["never", "always"])
        event, (within, bound) = self.event(actions=ask == "never"), self.bound()
        sought = event if ask == "never" else Event(None, lambda graph, s: not event.holds(graph, s))
        return self.of_one(
            {"ask": ask, "of": event.of, "within": within}, lambda graph: not happens(graph, sought, bound)
        )

    def extreme(self) -> Asked:
        ask = self.r.choice(["minimum", "maximum"])
        (text, expr), event, (within, bound) = self.number(), self.event(), self.bound()
        of = {"number": text, "when": event.of}
        if self.r.random() < 0.3:
            event = Event(None, lambda graph, s: True)
            del of["when"]

        def value(graph: Graph) -> Any:
            found = [graph.play.value(expr, s, {}) for s in met(graph, event, bound)]
            return (min if ask == "minimum" else max)(found) if found else VACUOUS

        return self.of_one({"ask": ask, "of": of, "within": within}, value)

    def luck(self) -> Asked:
        event, (within, bound) = self.event(actions=False), self.bound()
        chance = self.r.choice(["mean", "mean", "best", "worst"])
        claim = {"ask": "luck", "of": event.of, "within": within, "chance": chance}
        if self.r.random() < 0.5:
            claim["seeing"] = "all"
        seat = event.of.get("seat", 0) if isinstance(event.of, dict) else 0
        return self.of_one(claim, lambda graph: worth(graph, event, bound, chance, seat, claim.get("seeing") == "all"))

    def ends(self) -> Asked:
        most = self.r.choice([0, 1, 2, 3, 5, 8, 30])
        return self.of_one({"ask": "always", "of": {"ends": most}}, lambda graph: longest(graph) <= most)

    def rules(self) -> Asked:
        name = self.r.choice(["bounds", "no dead end", "automatic phases end"])
        of: Any = name if self.r.random() < 0.6 else {"invariant": name}

        def value(graph: Graph) -> Any:
            if graph.breaks:
                return {
                    "bounds": False,
                    "no dead end": OPEN,
                    "automatic phases end": False if "endless" in graph.breaks else OPEN,
                }[name]
            stuck = any(
                not moves and not s[graph.play.over] for s, moves in zip(graph.states, graph.moves, strict=True)
            )
            return not stuck if name == "no dead end" else True

        return self.of_one({"ask": "always", "of": of}, value)

    def law(self) -> Asked:
        r, g = self.r, self.game
        when_text, when = self.condition() if r.random() < 0.5 else ("", ("n", 1))
        of: dict[str, Any] = {"when": when_text} if when_text else {}
        if r.random() < 0.25:
            event = self.action()
            assert event.acts is not None
            acts = event.acts
            return self.of_one(
                {"ask": "step", "of": {**of, "can": event.of}},
                lambda graph: all(
                    s[graph.play.over] or not graph.play.value(when, s, {}) or acts(graph) & set(graph.play.legal(s))
                    for s in graph.states
                ),
            )
        phase = r.choice(list(g.automatic)) if g.automatic and r.random() < 0.4 else None
        event = self.action()
        of |= event.of if phase is None else {"phase": f"p{phase}"}
        needs = leads = ("n", 1)
        changes: list[tuple[Expr, Expr]] = []
        name = r.choice(list(g.fields))
        kinds = r.sample(["needs", "leads", "changes"], r.choice([1, 1, 2]))
        if "needs" in kinds:
            of["needs"], needs = self.condition()
        if "leads" in kinds:
            of["leads"], leads = self.condition()
        if "changes" in kinds:
            by = r.choice([("0", ("n", 0)), ("1", ("n", 1)), self.number(), (name, self.named(name))])
            if phase is None and r.random() < 0.3 and g.acts:
                act = next(a for a in g.acts if a.name == event.of["action"])
                by = next(((p, ("p", p)) for p in act.params), by)
            of["changes"] = {name: by[0]}
            changes = [(self.named(name), by[1])]

        def obeys(graph: Graph, before: State, after: State, bound: dict[str, int]) -> bool:
            value = graph.play.value
            if not value(when, before, bound):
                return True
            return bool(value(needs, before, bound) and value(leads, after, bound)) and all(
                value(n, after, {}) - value(n, before, {}) == value(by, before, bound) for n, by in changes
            )

        def truth(graph: Graph) -> Any:
            play = graph.play
            if phase is not None:
                lines = [graph.first, *(moments for _, _, moments in graph.steps)]
                return all(
                    obeys(graph, a, b, {})
                    for line in lines
                    for a, b in pairwise(line)
                    if a[play.phase] == phase and not a[play.over]
                )
            mine = event.acts(graph) if event.acts else set()
            return all(
                obeys(graph, before, moments[0], play.idents[n][1]) for before, n, moments in graph.steps if n in mine
            )

        return self.of_one({"ask": "step", "of": of}, truth)

    def every(self) -> Asked:
        r, g = self.r, self.game
        ask = r.choice(["reach", "dead"])
        within, bound = self.bound()
        word: Any = r.choice(["ending", "action", {"action": r.choice(g.acts).name}, {"quantity": "q*"}])

        def members(graph: Graph) -> list[tuple[str, Event, bool]]:
            if word == "ending":
                return [(end[1], self._over(end), False) for end in g.endings]
            if isinstance(word, dict) and "quantity" in word:
                return [(q, self._positive(e), False) for q, e in g.quantities.items() if q.startswith("q")]
            found = []
            for n, (act, _) in enumerate(graph.play.idents):
                if word == "action" or act.name == word["action"]:
                    event = Event(None, lambda graph, s: True, lambda graph, n=n: {n})  # type: ignore[misc]
                    found.append((graph.play.words(n), event, forbidden(graph, event)))
            return found

        def value(graph: Graph) -> Any:
            found = members(graph)
            dead = sorted(name for name, event, never in found if not never and not happens(graph, event, bound))
            maybe = sorted(name for name, event, never in found if never and not happens(graph, event, bound))
            if ask == "dead":
                return OPEN if maybe else dead
            return False if dead else OPEN if maybe else True

        return self.of_one({"ask": ask, "of": {"every": word}, "within": within}, value)

    def _over(self, end: tuple[str, str, Any]) -> Event:
        def holds(graph: Graph, s: State) -> bool:
            over = s[graph.play.over]
            if not over:
                return False
            found = self.game.endings[over - 1]
            if (found[0], found[1]) == (end[0], end[1]):
                return True
            return end[0] == "win" and found[0] == "scores" and found[1] == end[1] and graph.play.won(s, None)

        return Event(None, holds)

    @staticmethod
    def _positive(expr: Expr) -> Event:
        return Event(None, lambda graph, s: graph.play.value(expr, s, {}) > 0)

    def compared(self) -> Asked | None:
        """Return a claim about several settings."""
        r, g = self.r, self.game
        if not g.levels:
            return None
        made = r.choice([self.reach, self.never, self.extreme, self.ends])()
        levels = r.sample(g.levels, r.choice([1, 2, 3]))
        rulings = r.choice([None, ["plain", "changed"], "changed", ["changed"]])
        options: dict[str, Any] = {"level": levels if len(levels) > 1 or r.random() < 0.5 else levels[0]}
        if rulings:
            options["rulings"] = {"A1": rulings}
        ruled = [one == "changed" for one in (rulings if isinstance(rulings, list) else [rulings])]
        ask = r.choice(["same", "tune"])
        inner = {k: v for k, v in made.claim.items() if k not in ("options", "expect")}
        if r.random() < 0.5:  # what is above counts before what is inside
            within, inner["within"] = inner.get("within"), None
        else:
            within = None

        def value(graphs: dict[tuple[int, bool], Graph]) -> Any:
            names: list[str] = []
            values = []
            for level, rule in product(levels, ruled):
                label = [f"level={level}"] if isinstance(options["level"], list) else []
                label += [f"A1={'changed' if rule else 'plain'}"] if isinstance(rulings, list) else []
                names.append(", ".join(label))
                values.append(self._inside(made, graphs, (level, rule)))
            if OPEN in values:
                return OPEN
            known = [v for v in values if v != VACUOUS]
            if ask == "same":
                if known and any(v != known[0] for v in known):
                    return False
                return True if len(known) == len(values) else OPEN
            return OPEN if len(known) < len(values) else [n for n, v in zip(names, values, strict=True) if v is True]

        return Asked({"ask": ask, "of": inner, "within": within, "options": options}, value, (-1, False))

    @staticmethod
    def _inside(made: Asked, graphs: dict[tuple[int, bool], Graph], setting: tuple[int, bool]) -> Any:
        return made.value({made.setting: graphs[setting]})

    def example(self) -> Asked | None:
        """Return a game of random decisions, sometimes with a mistake."""
        r = self.r
        setting, options = self.setting()
        graph = self.graphs[setting]
        if not graph.states:
            return None
        play, row, line, good = graph.play, 0, list[str](), True
        for _ in range(r.randint(1, 6)):
            state = graph.states[row]
            if r.random() < 0.3:
                text, expr = self.condition()
                line.append(f"# now: {text}")
                good &= bool(play.value(expr, state, {}))
            if r.random() < 0.3:
                ident = r.randrange(len(play.idents))
                line.append(f"# refused: {play.words(ident)}")
                good &= ident not in play.legal(state)
            if r.random() < 0.1:
                ident = r.randrange(len(play.idents))
                line.append(f"1. x: {play.words(ident)}")
                after = [to for n, to, _ in graph.moves[row] if n == ident]
                good &= bool(after)
                row = after[0] if after else row
                if not after:
                    break
            elif graph.moves[row]:
                ident, row, _ = r.choice(graph.moves[row])
                line.append(f"1. x: {play.words(ident)}")
        if not any(not text.startswith("#") for text in line):
            return None
        state = graph.states[row]
        if r.random() < 0.5 and state[play.over]:
            reason = self.game.endings[state[play.over] - 1][1]
            returns = play.returns(state)
            if r.random() < 0.2:
                returns[0] += 1
                good = False
            line.append(f"end: {reason} | {' '.join(map(str, returns))}")
        then = []
        if r.random() < 0.4:
            text, expr = self.condition()
            then.append(text)
            good &= bool(play.value(expr, state, {}))
        name = f"line{r.randrange(10**6)}.txt"
        return Asked(
            {"ask": "example", "of": {"play": name, "then": then}, **options},
            lambda graphs: good,
            setting,
            ((name, "\n".join(line) + "\n"),),
        )


# -- what is true -----------------------------------------------------------------------------------------------


def met(graph: Graph, event: Event, bound: Callable[[Graph, State], bool]) -> Iterator[State]:
    """Yield the states in which the event happens."""
    acts = None if event.acts is None else event.acts(graph)
    for state, moves in zip(graph.states, graph.moves, strict=True):
        if bound(graph, state) and (event.holds(graph, state) if acts is None else any(n in acts for n, _, _ in moves)):
            yield state


def happens(graph: Graph, event: Event, bound: Callable[[Graph, State], bool]) -> bool:
    """Return whether some game comes to the event."""
    return next(met(graph, event, bound), None) is not None


def forbidden(graph: Graph, event: Event) -> bool:
    """Return whether all actions of an event have a requirement that reads no state and fails."""

    def plain(e: Expr) -> bool:
        return not isinstance(e, tuple) or (e[0] not in ("f", "at", "seat", "bid") and all(map(plain, e[1:])))

    def fails(n: int) -> bool:
        act, bound = graph.play.idents[n]
        zero = (0,) * (graph.play.over + 1)
        return any(not graph.play.value(need, zero, bound) for need in act.needs if plain(need)) or bool(act.needs)

    return event.acts is not None and all(fails(n) for n in event.acts(graph))


def longest(graph: Graph) -> float:
    """Return the most decisions of a game: infinite if play can go in circles."""
    state, best = [0] * len(graph.states), [0.0] * len(graph.states)
    if not graph.states:
        return 0
    stack = [(0, iter(graph.moves[0]))]
    state[0] = 1
    while stack:
        row, moves = stack[-1]
        for _, to, _ in moves:
            if state[to] == 1:
                return float("inf")
            if not state[to]:
                state[to] = 1
                stack.append((to, iter(graph.moves[to])))
                break
        else:
            state[row] = 2
            best[row] = max((1 + best[to] for _, to, _ in graph.moves[row]), default=0)
            stack.pop()
    return best[0]


def worth(graph: Graph, event: Event, bound: Callable[[Graph, State], bool], chance: str, seat: int, see: bool) -> Any:
    """Return the chance that a seat's team brings the event about, against all others; endless play is no success."""
    play = graph.play
    team = play.team(seat)
    alone = len(team) == play.game.players
    if graph.breaks or not graph.states:
        return OPEN
    if chance == "best" and alone:
        return happens(graph, event, bound)
    reached = [bound(graph, s) and event.holds(graph, s) for s in graph.states]
    actors = [CHANCE if s[play.over] else play.actor(s) for s in graph.states]
    value = [float(x) for x in reached]
    many = 20_000_000 // max(1, sum(map(len, graph.moves)))
    for _ in range(min(many, 5000)):
        moved = 0.0
        for row in range(len(graph.states) - 1, -1, -1):
            moves = graph.moves[row]
            if reached[row] or not moves:
                continue
            new = _mixed([(value[to], w) for _, to, w in moves], _mode(actors[row], team, chance))
            moved, value[row] = max(moved, new - value[row]), new
        if moved < 1e-13:
            break
    else:
        return OPEN
    if play.game.hides and not see:  # others see less too, so they may not stop what they could
        if not alone:
            return OPEN if happens(graph, event, bound) else 0.0 if chance == "mean" else False
        low = play.game.fields[play.game.hidden][0] if play.game.hidden else 0
        if value[0] > 0 or low < 0:
            return False if chance != "mean" and value[0] == 0 else OPEN
    return value[0] if chance == "mean" else value[0] > 0


def _mode(actor: int, team: Sequence[int], chance: str) -> str:
    if actor == CHANCE:
        return chance
    return "best" if actor in team else "worst"


def _mixed(values: Sequence[tuple[float, int]], mode: str) -> float:
    if mode == "mean":
        return sum(v * w for v, w in values) / sum(w for _, w in values)
    return (max if mode == "best" else min)(v for v, _ in values)
