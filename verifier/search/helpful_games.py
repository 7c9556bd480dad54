"""A beam of games in which everybody, chance included, has one aim: how soon can the target happen
at best?

The aim is to help one seat, by the evaluation that the game itself declares for that seat; or to
keep the seats equal, which leads to ties. The beam searches states layer by layer of a number
(rounds, turns), and keeps the best of each layer and of each depth within it. A beam can only
answer yes. It plays in plain Python, so a narrow beam answers within a second, and every few runs
the width doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from playproof.language import RulesError, Term
from playproof.language.expr import as_term
from playproof.language.random import Stream, seed_of
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import breaches
from playproof.verifier.search.caches import Cache, Itself
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import endings_of
from playproof.verifier.search.work import PLAIN, spend

_RUN = 20_260_103
_NARROW, _WIDEST = 24, 6_000
ALIKE = -1  # in place of a seat: all stay alike
_SHAKES = (0, 32, 12)  # the largest random addition to a state's worth, in turn
Path = tuple["Path | None", int]
Entry = tuple[int, list[int], "Path | None"]  # worth, state, the actions that led there


_RUNS: Cache[tuple[Itself, Itself], int] = Cache()
"""The number of beams so far, by target condition and number."""


def search(
    case: Case,
    target: Target,
    budget: Budget,
    *,
    number: Term | None = None,
    below: int | None = None,
    enough: int | None = None,
) -> list[int] | None:
    """Return a line to an ending of the target at which `number` (default: the round) is less than
    `below`.

    If `enough` is None, it stops with the first line found. Otherwise it looks for better ones
    until the number is down to `enough` or the budget is used up. Returns None if the game declares
    no evaluation, or if no line was found.
    """
    if "evaluate" not in case.game.facts or endings_of(case, target) is None:
        return None
    term, best = _layers_of(case) if number is None else number, None
    runs, key = (
        _RUNS.of(case),
        (Itself(target.condition), Itself(term)),
    )  # a second search goes on with wider beams
    run = runs.get(key, 0)
    below = term.hi + 1 if below is None else below
    while budget.left > 0:
        aims = case.game.players + (case.game.players > 1)
        seat, turn = run % aims, run // aims
        width = _NARROW * 2 ** (turn // len(_SHAKES))
        if width > _WIDEST:
            break
        aim = seat if seat < case.game.players else ALIKE
        beam = Beam(case, target.condition, term, aim, width, _SHAKES[turn % len(_SHAKES)], run, budget)
        hit = beam.search(below)
        run += 1
        runs[key] = run
        budget.say(f"{run} beams of games in which all have one aim, the last {width} wide")
        if hit is not None:
            below, best = hit
        if best is not None and (enough is None or below <= enough):
            break
    return best


def _layers_of(case: Case) -> Term:
    name = case.game.facts.get("round")
    return case.game.quantities[name] if name else as_term(0)


@dataclass(slots=True)
class Beam:
    """One run: it keeps `width` states, and adds at most `shake` at random to a state's worth to
    `seat` (or ALIKE)."""

    case: Case
    wanted: Term
    number: Term
    seat: int
    width: int
    shake: int
    run: int
    budget: Budget
    waiting: dict[int, list[Entry]] = field(default_factory=dict)
    met: set[int] = field(default_factory=set)
    random: Callable[[int], int] = field(init=False)

    def search(self, below: int) -> tuple[int, list[int]] | None:
        """Return the number at the first wanted end found and the line to it, or None if no end has
        a number below the limit."""
        self.random = Stream(seed_of(_RUN, self.run)).below
        first = list(self.case.first)
        self.waiting[self._value(first)] = [(0, first, None)]
        while self.waiting and (now := min(self.waiting)) < below:
            front = self._best(self.waiting.pop(now))
            while front and self.budget.left > 0:
                fresh: list[Entry] = []
                for _, state, path in front:
                    end = self._expand(state, path, now, fresh)
                    if end is not None and self._value(end[1]) < below:
                        return self._value(end[1]), _line(end[2])
                front = self._best(fresh)
            if self.budget.left <= 0:
                return None
        return None

    def _expand(self, state: list[int], path: Path | None, now: int, fresh: list[Entry]) -> Entry | None:
        """Add the state after each legal action to `fresh`, or to `waiting` if the number has
        risen. Return the first wanted end instead, if there is one."""
        module, idents = self.case.plain.module, self._legal(state)
        spend(PLAIN * (1 + 2 * len(idents)))
        for ident in idents:
            after = state.copy()
            try:
                module.apply(after, ident)
            except RulesError as error:
                breaches.note(self.case, [*_line(path), ident], error)
                continue
            key = hash(tuple(after))  # two states with one hash: the second is lost, which a beam may do
            if key in self.met:
                continue
            self.met.add(key)
            if after[1]:
                if self.case.play.value(self.wanted, after):
                    return 0, after, (path, ident)
                continue
            worth = self._worth(after)
            if self.shake:
                worth += self.random(self.shake)
            value = self._value(after)
            entries = fresh if value <= now else self.waiting.setdefault(value, [])
            entries.append((worth, after, (path, ident)))
        return None

    def _worth(self, state: list[int]) -> int:
        worth_of = self.case.plain.module.worth_of
        if self.seat != ALIKE:
            return int(worth_of(state, self.seat))
        worths = [worth_of(state, seat) for seat in range(self.case.game.players)]
        return int(min(worths) - max(worths))

    def _legal(self, state: list[int]) -> list[int]:
        module = self.case.plain.module
        out, weights = [0] * module.WIDTH, [0] * module.WIDTH
        return out[: module.legal(state, out, weights)]

    def _value(self, state: list[int]) -> int:
        return self.case.play.value(self.number, state)

    def _best(self, entries: list[Entry]) -> list[Entry]:
        entries.sort(key=lambda entry: -entry[0])
        return entries[: self.width]


def _line(path: Path | None) -> list[int]:
    idents: list[int] = []
    while path is not None:
        path, ident = path
        idents.append(ident)
    return idents[::-1]
