"""Lines that break the rules: a value leaves its bounds, or automatic phases run for ever.

Each search that plays games records the first line that breaks them and ends its game there. Other
questions are answered from the games that keep to the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language import RulesError
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import PLAIN, spend_work


@dataclass(frozen=True, slots=True)
class BrokenRules:
    """Actions from the start, the last of which the rules cannot carry out, and the error's code
    (PP310, PP330) and message."""

    idents: tuple[int, ...]
    code: str
    message: str


_SHORTEST: Cache[str, BrokenRules] = Cache()
_LOOKED: Cache[str, int] = Cache()
"""How many states `search_rule_breaking_line` searched without a result."""


def record_rule_breaking_line(case: GameCase, idents: Sequence[int], error: RulesError) -> None:
    """Keep a line that breaks the rules if it is shorter than the one noted before."""
    before = get_shortest_rule_breaking_line(case)
    if before is None or len(idents) < len(before.idents):
        _SHORTEST.get_entries(case)[""] = BrokenRules(
            tuple(int(i) for i in idents), error.code, str(error).strip()
        )


def get_shortest_rule_breaking_line(case: GameCase) -> BrokenRules | None:
    """Return the shortest line noted that breaks the rules, or None."""
    return _SHORTEST.get_entries(case).get("")


def search_rule_breaking_line(case: GameCase, budget: Budget, max_states: int = 20_000) -> BrokenRules | None:
    """Search states in the order of their distance from the start until the rules break. Return the
    line, or None if the states or the budget run out."""
    if get_shortest_rule_breaking_line(case) is not None or _LOOKED.get_entries(case).get("") == max_states:
        return get_shortest_rule_breaking_line(case)
    try:
        start = case.first
    except RulesError as error:
        record_rule_breaking_line(case, (), error)
        return get_shortest_rule_breaking_line(case)
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    lines: dict[tuple[int, ...], tuple[int, ...]] = {start: ()}
    todo = [start]
    for state in todo:  # grows while it is gone through
        if budget.left <= 0 or len(lines) > max_states:
            break
        try:
            idents = sorted(out[: module.legal(list(state), out, weights)])
        except RulesError as error:  # a value that a requirement keeps
            record_rule_breaking_line(case, lines[state], error)
            return get_shortest_rule_breaking_line(case)
        spend_work(PLAIN * (1 + len(idents)))
        for ident in idents:
            trial = list(state)
            try:
                module.apply(trial, ident)
            except RulesError as error:
                record_rule_breaking_line(case, (*lines[state], ident), error)
                return get_shortest_rule_breaking_line(case)
            after = tuple(trial)
            if after not in lines:
                lines[after] = (*lines[state], ident)
                todo.append(after)
    _LOOKED.get_entries(case)[""] = max_states
    return None
