"""Explores more states than the kernel reads, with compiled code; the verdict then says so.

The kernel runs no generated code. A run lends it this code in its context. An answer that uses it
rests on compiled code, which `check` prints under "rests on" and `prove` in its line."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary, ref

from playproof.language import CHANCE, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.explorer import Exploration, create_exploration_from_start, explore
from playproof.language.game import Game
from playproof.language.machine.native import raise_if_machine_code_needed_but_missing
from playproof.verifier.kernel import state_graphs
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.context import Cut
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.portfolio import is_target_absent_from_exploration

_MOST = 50_000_000


class CompiledExplorer:
    """Compiled code that goes through the states of a run's games. What a case has explored already is
    not explored again."""

    def __init__(self) -> None:
        self._cases: WeakKeyDictionary[Game, ref[GameCase]] = WeakKeyDictionary()

    def register_case_for_reuse(self, case: GameCase) -> None:
        """Take up a case, whose exploration may serve."""
        self._cases[case.game] = ref(case)

    def explain_why_not_excluded_or_empty(
        self,
        game: Game,
        target: Target,
        exploration_limit: Cut,
        max_states: int,
        dealt_state: Sequence[int] | None = None,
    ) -> str:
        """Return why a target is not shown to be in none of the states (or of those up to a round, or
        behind a deal), or "" if it is."""
        if dealt_state is not None:
            return self._explain_after_deal_or_empty(game, target, max_states, dealt_state)
        name, most = exploration_limit
        if name and name != game.facts.get("round"):
            return f"compiled code goes through rounds, and `{name}` does not count them"
        seen = self._explore_up_to_round_or_none(game, most if name else None, max_states)
        if seen is None:
            return f"compiled code does not come to an end within {max_states:,} states"
        if seen.states <= state_graphs.MOST_STATES:
            return f"there are {seen.states:,} states, which the kernel goes through itself"
        if not name:
            return "" if is_target_absent_from_exploration(seen, target) else "it is met in a state"
        if target.idents is not None:
            return "of actions only complete explorations speak"
        now = target.condition & (TargetReader(game).number_text_to_term(name) <= most)
        return "it is met in a state" if len(seen.find_rows_where_condition_holds(now)) else ""

    def _explain_after_deal_or_empty(
        self, game: Game, target: Target, exact_states: int, dealt_state: Sequence[int]
    ) -> str:
        """Return why a target is not shown to be in none of exactly so many states behind a deal."""
        case = self._cases[game]() if game in self._cases else None
        raise_if_machine_code_needed_but_missing(exact_states)
        compiled = Compiled(game) if case is None else case.compiled
        seen = make_depth_first_exploration_from_deal(compiled, dealt_state)
        explore(compiled, states=min(exact_states + 1, _MOST), resumed=seen)
        if not seen.complete or seen.states != exact_states:
            return f"compiled code does not come to an end after exactly {exact_states:,} states"
        if can_chance_act_after_deal(seen, dealt_state):
            return "chance acts after the deal"
        return "" if is_target_absent_from_exploration(seen, target) else "the target is met"

    def _explore_up_to_round_or_none(self, game: Game, until_round: int | None, max_states: int) -> Exploration | None:
        """Return an exploration of all states, or of all up to a round; None if there are more than so
        many."""
        case = self._cases[game]() if game in self._cases else None
        seen = None if case is None else case.seen
        if seen is None or not _is_exploration_complete_to_round(seen, until_round):
            raise_if_machine_code_needed_but_missing(max_states)
            seen = explore(Compiled(game), states=min(max_states + 1, _MOST), rounds=until_round)
        return seen if _is_exploration_complete_to_round(seen, until_round) else None


def _is_exploration_complete_to_round(explored: Exploration, until_round: int | None) -> bool:
    return explored.complete or (until_round is not None and until_round in explored.layers)


def make_depth_first_exploration_from_deal(compiled: Compiled, dealt_state: Sequence[int]) -> Exploration:
    """Return an exploration that begins with a deal, and takes the newest state first."""
    seen = create_exploration_from_start(compiled, start_state=dealt_state)
    seen.depth_first = True
    return seen


def can_chance_act_after_deal(explored: Exploration, dealt_state: Sequence[int]) -> bool:
    """Return whether chance can act in a state behind a deal that was explored."""
    play = Interpreter(explored.compiled.game)
    return any(
        (explored.took_first[action.first : action.first + action.count] >= 0).any()
        for phase in play.game.phases
        if not phase.automatic and play.value(phase.actor, dealt_state) == CHANCE
        for action in phase.actions
    )
