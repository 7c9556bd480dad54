"""How much luck decides: the chance to reach a target under best play, by a complete exploration.

`chance: best` lets the shuffle help, `worst` lets it hinder, `mean` weighs it as it falls. One seat wants the target:
the one the claim names (`seat: 1`), else the first; all others are against it. Who can go round in circles for ever
has not reached it.

Best play on states sees all that is in them. Where a game hides something, that is an upper bound for a player who
plays alone and says nothing of several players, so the answer is given only to a claim that asks of players who see
all cards (`seeing: all`), or where no play at all reaches the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.rules.language import CHANCE, Game, Sees
from playproof.rules.language.explorer import Exploration, Graph, TooLarge, graph
from playproof.verifier.kernel.chance import MOST_STATES, ChanceBounds, Place
from playproof.verifier.proof.best_play import Solution, solve
from playproof.verifier.proof.reach import bound_reached, reach, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case

SEE_ALL = "players who see all cards"
_COUNTS = {"best": "most", "worst": "least", "mean": "mean"}
_MOST = 400_000  # states for which best play is worked out
_CLOSE = Fraction(1, 10**9)


def luck(case: Case, question: Question, budget: Budget) -> Found:
    """The chance of the target: true or false for best and worst luck, a number for the mean."""
    target = Targets(case.game, question.where).one(question.of, question.within)
    if target.idents is not None:
        return Found(None, "exploration", (), "not supported: luck is asked of endings and conditions, not of actions")
    if question.chance == "best" and case.game.players == 1:
        return reach(case, question, budget)  # alone, and helped by chance, a player does whatever can be done
    seen = case.explored(budget)
    if not seen.complete:
        return Found(None, "exploration", (), why(case, budget), bound_reached(case))
    try:
        places, start = places_of(seen, target, question.chance, seat_of(target))
    except TooLarge as error:
        return Found(None, "exploration", (), f"memory: {error}", bound_reached(case))
    found = certificate(solve(places), question.chance, seat_of(target), start)
    by_interpreter = len(places) <= MOST_STATES
    refused = found.check(case.game, target.condition) if by_interpreter else found.sweep(places)
    if refused:
        raise AssertionError(f"{question.id}: the kernel refuses the chance that was found: {refused}")
    method = "exploration" if by_interpreter else "exploration, with states from compiled code"
    return answer(case.game, question, found, target, method)


def answer(game: Game, question: Question, found: ChanceBounds, target: Target, method: str) -> Found:
    """What the certificate says to the question, and for whom."""
    part = {"target": target.spec, "name": target.name, **found.as_json()}
    low, high = found.bounds
    bound: dict[str, Any] = {"for": SEE_ALL} if hides(game) else {}
    if high - low > _CLOSE:
        return Found(None, method, (part,), "the bounds do not meet", {**bound, **_between(low, high)})
    if hides(game) and high > 0 and question.seeing != "all":
        alone = {"at most": _number(high)} if game.players == 1 else {f"value for {SEE_ALL}": _number(low)}
        reason = f"something is hidden from players; only for {SEE_ALL} this is the chance (`seeing: all` asks of them)"
        return Found(None, method, (part,), reason, {**bound, **alone})
    if question.chance == "mean":
        exactly = {"exactly": str(low)} if low == high else _between(low, high)
        return Found(_number(low), method, (part,), bound={**bound, **exactly})
    return Found(low > 0, method, (part,), bound=bound)


def _between(low: Fraction, high: Fraction) -> dict[str, Any]:
    return {"at least": float(low), "at most": float(high)}


def _number(value: Fraction) -> float:
    return round(float(value), 9)


def hides(game: Game) -> bool:
    """Whether something is hidden from somebody."""
    return any(field.sees is not Sees.ALL and field.lo < field.hi for field in game.fields)


def seat_of(target: Target) -> int:
    """Who wants the target: the seat it names, else the first."""
    spec = target.spec
    return int(spec["seat"]) if isinstance(spec, Mapping) and spec.get("seat") is not None else 0


def certificate(solution: Solution, luck: str, seat: int, start: int) -> ChanceBounds:
    """The bounds as the kernel reads them: each value listed once."""
    values = sorted({*solution.lower, *solution.upper})
    number = {value: n for n, value in enumerate(values)}
    return ChanceBounds(luck, seat, tuple(values), tuple(number[v] for v in solution.upper),
                        tuple(number[v] for v in solution.lower), tuple(solution.ranks), start)


# -- from an exploration ------------------------------------------------------------------------------------------


def places_of(seen: Exploration, target: Target, luck: str, seat: int) -> tuple[list[Place], int]:
    """The states that play comes to before the target, as the kernel numbers them, and the number of the first.
    Raises TooLarge."""
    if seen.states > _MOST:
        raise TooLarge(f"{seen.states:,} states, and best play is worked out for {_MOST:,}")
    net = graph(seen)
    reached = np.zeros(seen.states, dtype=bool)
    reached[seen.rows(target.condition)] = True
    rows = _played(net, reached)
    rows = rows[np.lexsort(seen.columns(0, seen.states)[::-1, rows])]
    number = np.full(seen.states, -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    return [_place(net, int(row), bool(reached[row]), number, luck, seat) for row in rows], int(number[0])


def _played(net: Graph, reached: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Rows that play comes to when it stops at the target."""
    known = bytearray(len(reached))
    known[0] = 1
    todo = [0]
    while todo:
        row = todo.pop()
        if not reached[row]:
            for to in net.to[net.first[row] : net.first[row + 1]].tolist():
                if not known[to]:
                    known[to] = 1
                    todo.append(to)
    return np.flatnonzero(np.frombuffer(known, dtype=np.uint8))


def _place(net: Graph, row: int, reached: bool, number: npt.NDArray[np.int64], luck: str, seat: int) -> Place:
    first, last = int(net.first[row]), int(net.first[row + 1])
    edges = tuple(zip(number[net.to[first:last]].tolist(), net.chance[first:last].tolist(), strict=True))
    if reached or not edges:
        return Place(int(reached), "mean", ())
    actor = int(net.actors[row])
    return Place(None, _COUNTS[luck] if actor == CHANCE else "most" if actor == seat else "least", edges)


__all__ = ["SEE_ALL", "answer", "certificate", "hides", "luck", "places_of", "seat_of"]
