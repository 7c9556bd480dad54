"""Lines that break the rules: a value leaves its bounds, or automatic phases run for ever.

Each search that plays games records the first line that breaks them and ends its game there. Other
questions are answered from the games that keep to the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language import RulesError
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import PLAIN, spend


@dataclass(frozen=True, slots=True)
class BrokenRules:
    """Actions from the start, the last of which the rules cannot carry out, and the error's code
    (PP310, PP330) and message."""

    idents: tuple[int, ...]
    code: str
    message: str


_SHORTEST: Cache[str, BrokenRules] = Cache()
_LOOKED: Cache[str, int] = Cache()
"""How many states `look` searched without a result."""


def note(case: Case, idents: Sequence[int], error: RulesError) -> None:
    """Keep a line that breaks the rules if it is shorter than the one noted before."""
    before = shortest(case)
    if before is None or len(idents) < len(before.idents):
        _SHORTEST.of(case)[""] = BrokenRules(tuple(int(i) for i in idents), error.code, str(error).strip())


def shortest(case: Case) -> BrokenRules | None:
    """Return the shortest line noted that breaks the rules, or None."""
    return _SHORTEST.of(case).get("")


def look(case: Case, budget: Budget, states: int = 20_000) -> BrokenRules | None:
    """Search states in the order of their distance from the start until the rules break. Return the
    line, or None if the states or the budget run out."""
    if shortest(case) is not None or _LOOKED.of(case).get("") == states:
        return shortest(case)
    try:
        start = case.first
    except RulesError as error:
        note(case, (), error)
        return shortest(case)
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    lines: dict[tuple[int, ...], tuple[int, ...]] = {start: ()}
    todo = [start]
    for state in todo:  # grows while it is gone through
        if budget.left <= 0 or len(lines) > states:
            break
        try:
            idents = sorted(out[: module.legal(list(state), out, weights)])
        except RulesError as error:  # a value that a requirement keeps
            note(case, lines[state], error)
            return shortest(case)
        spend(PLAIN * (1 + len(idents)))
        for ident in idents:
            trial = list(state)
            try:
                module.apply(trial, ident)
            except RulesError as error:
                note(case, (*lines[state], ident), error)
                return shortest(case)
            after = tuple(trial)
            if after not in lines:
                lines[after] = (*lines[state], ident)
                todo.append(after)
    _LOOKED.of(case)[""] = states
    return None
