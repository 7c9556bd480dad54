"""Random claims of strategies, expected numbers, chances and endless play, and what is true of them by plain functions.

A strategy is drawn twice from one description, as `drawn_claims` does for conditions: as text, and as expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.verifier.drawn_claims import OPEN, Asked, Claims, Event, longest
from tests.verifier.drawn_games import CHANCE, Expr, Graph, State

Preference = tuple[int, Expr | None, str]
"""A sign, and an expression read behind the action, or (None) the name of a parameter."""


@dataclass(frozen=True)
class Rule:
    """One rule of a strategy, as plain data."""

    when: Expr
    acts: set[int] | None
    prefer: tuple[Preference, ...]


class Chances(Claims):
    """Draws claims about chances and about what comes out in the long run."""

    def draw(self, count: int) -> list[Asked]:
        """Return so many claims, most of them of strategies."""
        makers = [*[self.strategy] * 4, self.worth, self.endless, self.luck]
        return [self.expecting(self.r.choice(makers)()) for _ in range(count)]

    # -- strategies ---------------------------------------------------------------------------------------------

    def strategy(self) -> Asked:
        """Return a claim of a random strategy."""
        r, g = self.r, self.game
        event, (within, bound) = self.event(actions=False), self.bound()
        chance, ties = (r.choice(["mean", "mean", "worst", "best"]), r.choice(["any", "any", "first", "random"]))
        texts, plain_in = self.rules()
        of: dict[str, Any] = {"target": event.of, "play": texts}
        if ties != "any" or r.random() < 0.3:
            of["ties"] = ties
        seat = event.of.get("seat", 0) if isinstance(event.of, dict) else 0
        if r.random() < 0.5:
            of["seat"] = seat = r.randrange(g.players)

        def value(graph: Graph) -> Any:
            if graph.breaks or not graph.states:
                return OPEN
            seats = (seat,) if "seat" in of else graph.play.team(seat)
            return followed(graph, event, bound, plain_in(graph), seats, ties, chance)

        return self.of_one({"ask": "strategy", "of": of, "within": within, "chance": chance}, value)

    def rules(self) -> tuple[list[dict[str, Any]], Callable[[Graph], list[Rule]]]:
        """Return rules as text, and what gives them as plain data."""
        drawn = [self.rule() for _ in range(self.r.choice([1, 1, 2, 3]))]

        def plain(graph: Graph) -> list[Rule]:
            return [Rule(w, e.acts(graph) if e and e.acts else None, p) for _, (w, e, p) in drawn]

        return [text for text, _ in drawn], plain

    def rule(self) -> tuple[dict[str, Any], tuple[Expr, Event | None, tuple[Preference, ...]]]:
        """Return a rule as text and as plain data."""
        r = self.r
        said: dict[str, Any] = {}
        when: Expr = ("n", 1)
        event = None
        prefer: list[Preference] = []
        if r.random() < 0.5:
            said["when"], when = self.seen(self.condition)
        if r.random() < 0.5:
            event = self.action()
            said["take"] = event.of if r.random() < 0.7 else [event.of]
        if r.random() < 0.7 or not said:
            word, sign = r.choice([("most", 1), ("least", -1)])
            numbers: list[Any] = []
            for _ in range(r.choice([1, 1, 2])):
                act = next((a for a in self.game.acts if event and a.name == event.of["action"]), None)
                if act is not None and act.params and r.random() < 0.4:
                    name = r.choice(list(act.params))
                    numbers.append({"parameter": name})
                    prefer.append((sign, None, name))
                else:
                    text, expr = self.seen(self.number)
                    numbers.append(text)
                    prefer.append((sign, expr, ""))
            said[word] = numbers if len(numbers) > 1 or r.random() < 0.3 else numbers[0]
        return said, (when, event, tuple(prefer))

    def seen(self, make: Callable[[], tuple[str, Expr]]) -> tuple[str, Expr]:
        """Return a term that does not read the hidden field."""
        while True:
            text, expr = make()
            if not self.game.hidden or not _reads(expr, self.game.hidden):
                return text, expr

    # -- expected numbers, endless play -------------------------------------------------------------------------

    def worth(self) -> Asked:
        """Return a claim of an expected number."""
        r, g = self.r, self.game
        play, seat = r.choice(["best", "worst", "random", "rules", "rules"]), r.randrange(g.players)
        text, expr = self.number()
        said: Any = play
        ties, plain_in = "", None
        if play == "rules":
            ties = r.choice(["any", "first", "random"])
            said, plain_in = self.rules()
        of: dict[str, Any] = {"number": text, "play": said}
        if seat or r.random() < 0.5:
            of["seat"] = seat
        if g.payoffs and r.random() < 0.5:
            of, expr = {"score": seat, "play": said}, g.payoffs[seat]
        if ties:
            of["ties"] = ties
        claim: dict[str, Any] = {"ask": "worth", "of": of}
        if g.hides and not ties:
            claim["seeing"] = "all"

        def value(graph: Graph) -> Any:
            rules = [] if plain_in is None or not graph.states else plain_in(graph)
            seats = (seat,) if "seat" in of or not graph.states else graph.play.team(seat)
            return expected(graph, expr, seats, play, rules, ties)

        return self.of_one(claim, value)

    def endless(self) -> Asked:
        """Return the claim that every game comes to an end."""

        def value(graph: Graph) -> Any:
            ends = longest(graph) < float("inf")
            return OPEN if not graph.states or (ends and graph.breaks) else ends

        return self.of_one({"ask": "always", "of": "ends"}, value)


class OfTeams(Chances):
    """Draws claims whose answers depend on who plays with whom."""

    def draw(self, count: int) -> list[Asked]:
        """Return so many claims of chances, expected numbers and strategies."""
        makers = [*[self.luck] * 4, *[self.worth] * 2, self.strategy]
        return [self.expecting(self.r.choice(makers)()) for _ in range(count)]


def _reads(expr: Expr, name: str) -> bool:
    return isinstance(expr, tuple) and (expr == ("f", name) or any(_reads(part, name) for part in expr))


# -- plainly --------------------------------------------------------------------------------------------------------


def allowed(graph: Graph, row: int, rules: Sequence[Rule], ties: str) -> list[tuple[int, int, int]]:
    """Return the moves of a state that a strategy allows."""
    play, state, moves = graph.play, graph.states[row], graph.moves[row]
    for rule in rules:
        fitting = [m for m in moves if rule.acts is None or m[0] in rule.acts]
        if not fitting or not play.value(rule.when, state, {}):
            continue

        def worth(move: tuple[int, int, int], rule: Rule = rule) -> tuple[int, ...]:
            behind, bound = graph.states[move[1]], play.idents[move[0]][1]
            return tuple(
                sign * (bound[name] if expr is None else play.value(expr, behind, {}))
                for sign, expr, name in rule.prefer
            )

        best = max(map(worth, fitting))
        moves = [m for m in fitting if worth(m) == best]
        break
    return moves[:1] if ties == "first" else moves


def followed(
    graph: Graph,
    event: Event,
    bound: Callable[[Graph, State], bool],
    rules: Sequence[Rule],
    seats: Sequence[int],
    ties: str,
    chance: str,
) -> Any:
    """Return the chance of the event, if the seats play by the rules, others of their teams as well as can be, and all
    others against them."""
    play = graph.play
    helpers = {s for seat in seats for s in play.team(seat)} - {*seats}
    how: list[str] = []
    moves: list[list[tuple[int, int, int]]] = []
    for row, state in enumerate(graph.states):
        actor = None if state[play.over] or not graph.moves[row] else play.actor(state)
        mine = actor in seats
        moves.append(allowed(graph, row, rules, ties) if mine else graph.moves[row])
        by_luck = actor == CHANCE or (mine and ties == "random")
        how.append(chance if by_luck else "best" if actor in helpers else "worst")
    value = [float(bound(graph, s) and event.holds(graph, s)) for s in graph.states]
    reached = [v > 0 for v in value]
    for _ in range(5000):
        moved = 0.0
        for row in range(len(value) - 1, -1, -1):
            if reached[row] or not moves[row]:
                continue
            new = _mixed([(value[to], w) for _, to, w in moves[row]], how[row])
            moved, value[row] = max(moved, new - value[row]), new
        if moved < 1e-13:
            return value[0] if chance == "mean" else value[0] > 0.5
    return OPEN


def _mixed(values: Sequence[tuple[float, int]], how: str) -> float:
    if how == "mean":
        return sum(v * w for v, w in values) / sum(w for _, w in values)
    return (max if how == "best" else min)(v for v, _ in values)


def expected(
    graph: Graph, expr: Expr, seats: Sequence[int], how: str, rules: Sequence[Rule] = (), ties: str = ""
) -> Any:
    """Return the expected number at the end, where the seats may play by rules; OPEN if a game can go on for ever, or
    somebody cannot act. Others of their teams play for them."""
    play = graph.play
    if graph.breaks or not graph.states or longest(graph) == float("inf"):
        return OPEN
    values: dict[int, float] = {}
    stack = [0]
    while stack:
        row = stack[-1]
        state, moves = graph.states[row], graph.moves[row]
        if ties and moves and not state[play.over] and play.actor(state) in seats:
            moves = allowed(graph, row, rules, ties)
        waiting = [to for _, to, _ in moves if to not in values]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if state[play.over]:
            values[row] = play.value(expr, state, {})
        elif not moves:
            return OPEN
        else:
            actor = play.actor(state)
            team = {s for seat in seats for s in play.team(seat)}
            helps = actor in team and (how == "best" or (how == "rules" and actor not in seats))
            mine = "best" if helps else "worst"
            drawn = how == "random" or (ties == "random" and actor in seats)
            mode = "mean" if actor == CHANCE or drawn else mine
            values[row] = _mixed([(values[to], w) for _, to, w in moves], mode)
    return float(values[0])
