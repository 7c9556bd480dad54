"""Explores more states than the kernel reads, with compiled code; the verdict then says so.

The kernel runs no generated code. A run lends it this code in its context. An answer that uses it
rests on compiled code, which `check` prints under "rests on" and `prove` in its line.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary, ref

from playproof.language.compiled import Compiled
from playproof.language.explorer import Exploration, explore
from playproof.language.game import Game
from playproof.verifier.kernel import exploration
from playproof.verifier.kernel.context import Cut
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.search.case import Case
from playproof.verifier.search.portfolio import absent

_MOST = 50_000_000


class Beyond:
    """Compiled code that goes through the states of a run's games. What a case has explored already is
    not explored again."""

    def __init__(self) -> None:
        self._cases: WeakKeyDictionary[Game, ref[Case]] = WeakKeyDictionary()

    def note(self, case: Case) -> None:
        """Take up a case, whose exploration may serve."""
        self._cases[case.game] = ref(case)

    def fault(self, game: Game, target: Target, cut: Cut, states: int) -> str:
        """Return why a target is not shown to be in none of the states (or of those up to a round), or
        "" if it is."""
        name, most = cut
        if name and name != game.facts.get("round"):
            return f"compiled code goes through rounds, and `{name}` does not count them"
        seen = self._seen(game, most if name else None, states)
        if seen is None:
            return f"compiled code does not come to an end within {states:,} states"
        if seen.states <= exploration.MOST_STATES:
            return f"there are {seen.states:,} states, which the kernel goes through itself"
        if not name:
            return "" if absent(seen, target) else "it is met in a state"
        if target.idents is not None:
            return "of actions only complete explorations speak"
        now = target.condition & (Targets(game).number(name) <= most)
        return "it is met in a state" if len(seen.rows(now)) else ""

    def _seen(self, game: Game, rounds: int | None, states: int) -> Exploration | None:
        """Return an exploration of all states, or of all up to a round; None if there are more than so
        many."""
        case = self._cases[game]() if game in self._cases else None
        seen = None if case is None else case.seen
        if seen is None or not _enough(seen, rounds):
            seen = explore(Compiled(game), states=min(states + 1, _MOST), rounds=rounds)
        return seen if _enough(seen, rounds) else None


def _enough(seen: Exploration, rounds: int | None) -> bool:
    return seen.complete or (rounds is not None and rounds in seen.layers)
