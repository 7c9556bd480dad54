"""Explores more states than the kernel reads, with compiled code; the verdict then says so.

The kernel runs no generated code. A run lends it this code in its context. An answer that uses it
rests on compiled code, which `check` prints under "rests on" and `prove` in its line."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary, ref

from playproof.language import CHANCE, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.explorer import Exploration, explore, start_exploration
from playproof.language.game import Game
from playproof.language.machine.native import require_machine_code
from playproof.verifier.kernel import exploration
from playproof.verifier.kernel.context import Cut
from playproof.verifier.questions.claims import Target, TargetReader
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.portfolio import is_target_absent

_MOST = 50_000_000


class CompiledExplorer:
    """Compiled code that goes through the states of a run's games. What a case has explored already is
    not explored again."""

    def __init__(self) -> None:
        self._cases: WeakKeyDictionary[Game, ref[GameCase]] = WeakKeyDictionary()

    def register_case(self, case: GameCase) -> None:
        """Take up a case, whose exploration may serve."""
        self._cases[case.game] = ref(case)

    def explain_target_not_excluded(
        self, game: Game, target: Target, cut: Cut, states: int, start: Sequence[int] | None = None
    ) -> str:
        """Return why a target is not shown to be in none of the states (or of those up to a round, or
        behind a deal), or "" if it is."""
        if start is not None:
            return self._explain_target_not_excluded_after_deal(game, target, states, start)
        name, most = cut
        if name and name != game.facts.get("round"):
            return f"compiled code goes through rounds, and `{name}` does not count them"
        seen = self._explore_states(game, most if name else None, states)
        if seen is None:
            return f"compiled code does not come to an end within {states:,} states"
        if seen.states <= exploration.MOST_STATES:
            return f"there are {seen.states:,} states, which the kernel goes through itself"
        if not name:
            return "" if is_target_absent(seen, target) else "it is met in a state"
        if target.idents is not None:
            return "of actions only complete explorations speak"
        now = target.condition & (TargetReader(game).number_to_term(name) <= most)
        return "it is met in a state" if len(seen.find_rows_where(now)) else ""

    def _explain_target_not_excluded_after_deal(
        self, game: Game, target: Target, states: int, start: Sequence[int]
    ) -> str:
        """Return why a target is not shown to be in none of exactly so many states behind a deal."""
        case = self._cases[game]() if game in self._cases else None
        require_machine_code(states)
        compiled = Compiled(game) if case is None else case.compiled
        seen = begin_exploration_from_deal(compiled, start)
        explore(compiled, states=min(states + 1, _MOST), resumed=seen)
        if not seen.complete or seen.states != states:
            return f"compiled code does not come to an end after exactly {states:,} states"
        if can_chance_act(seen, start):
            return "chance acts after the deal"
        return "" if is_target_absent(seen, target) else "the target is met"

    def _explore_states(self, game: Game, rounds: int | None, max_states: int) -> Exploration | None:
        """Return an exploration of all states, or of all up to a round; None if there are more than so
        many."""
        case = self._cases[game]() if game in self._cases else None
        seen = None if case is None else case.seen
        if seen is None or not _is_explored_far_enough(seen, rounds):
            require_machine_code(max_states)
            seen = explore(Compiled(game), states=min(max_states + 1, _MOST), rounds=rounds)
        return seen if _is_explored_far_enough(seen, rounds) else None


def _is_explored_far_enough(seen: Exploration, rounds: int | None) -> bool:
    return seen.complete or (rounds is not None and rounds in seen.layers)


def begin_exploration_from_deal(compiled: Compiled, start: Sequence[int]) -> Exploration:
    """Return an exploration that begins with a deal, and takes the newest state first."""
    seen = start_exploration(compiled, start=start)
    seen.depth_first = True
    return seen


def can_chance_act(seen: Exploration, start: Sequence[int]) -> bool:
    """Return whether chance can act in a state behind a deal that was explored."""
    play = Interpreter(seen.compiled.game)
    return any(
        (seen.took_first[action.first : action.first + action.count] >= 0).any()
        for phase in play.game.phases
        if not phase.automatic and play.value(phase.actor, start) == CHANCE
        for action in phase.actions
    )
