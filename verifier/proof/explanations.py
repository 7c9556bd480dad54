"""Words beside an answer, none of them evidence: why a question has no answer, what all states lack for a
target, and which condition under `with` is false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError, Term
from playproof.language.explorer import Exploration, evaluate_term_in_many_states
from playproof.language.expr import Const, Op, Read, as_term
from playproof.language.game import Game
from playproof.language.machine.native import can_make_machine_code
from playproof.language.statements import (
    find_fields_term_depends_on,
    iter_conditions_joined_by_and,
    make_structural_key_or_identity,
)
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.proof.phases_end import format_cell_name_in_condition
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import BROKEN, Conclusion
from playproof.verifier.search.case import Budget, Cache, GameCase, IdentityKey
from playproof.verifier.search.portfolio import search_lines_to_targets_by_all_methods
from playproof.verifier.search.target_distance import list_condition_sets_reaching_target

# -- unanswered ----------------------------------------------------------------------------------------------
# Why a question has no answer, in the words that `prove` prints behind UNKNOWN, and how far a search came.


def conclude_open_after_exploration(case: GameCase, budget: Budget, method: str) -> Conclusion:
    """Return that a question stays open, why, and how far the exploration came."""
    return Conclusion(None, method, (), explain_why_no_answer(case, budget), get_exploration_progress_as_json(case))


def explain_why_no_answer(case: GameCase, budget: Budget) -> str:
    """Return why there is no answer."""
    if budget.stopped:
        return "stopped by hand"
    seen = case.seen
    if case.breaks:
        return case.breaks
    if seen is not None and seen.states >= budget.states:
        return f"memory: {seen.states:,} states were explored, the limit"
    if budget.late:
        return f"stopped by the clock after {budget.seconds:.3g} s, before the work allowed was done"
    return f"work: {budget.work:.3g} units were used{'' if can_make_machine_code() else ', without machine code'}"


def get_exploration_progress_as_json(case: GameCase) -> dict[str, Any]:
    """Return how far the exploration came."""
    seen = case.seen
    if seen is None:
        return {}
    return {"states": seen.states, "rounds searched": max(seen.layers, default=0)}


# -- nearest -------------------------------------------------------------------------------------------------
# What all states of a game lack for a target, in the game's words: the explanation of a "no", and no
# evidence.

_MOST_STATES, _MOST_CONDITIONS, _MOST_NAMED = 250_000, 60, 4


def describe_target_absence_from_states(
    case: GameCase, exploration: Exploration, state_count: int, target: Target, until_text: str = ""
) -> str:
    """Return in the game's words that a target is in none of the first states, and what they lack."""
    lacks = _describe_blocking_numbers_or_empty(case, exploration, state_count, target)
    return f"games come to {state_count:,} states{until_text}, and it is in none of them{f': {lacks}' if lacks else ''}"


def _describe_blocking_numbers_or_empty(
    case: GameCase, exploration: Exploration, state_count: int, target: Target
) -> str:
    """Return which numbers of the game keep its first states from a target, what they come to, and how far each round
    brings them: "`potions` is 0 to 2 (at most 0, 1, 1, 2 by the end of rounds 1 to 4) there". Return "" if there is too
    much to look at."""
    ways = [
        [part for condition in way for part in iter_conditions_joined_by_and(condition)]
        for way in list_condition_sets_reaching_target(case, target)
    ]
    if state_count > _MOST_STATES or not 0 < sum(map(len, ways)) <= _MOST_CONDITIONS:
        return ""
    cells = exploration.unpack_rows_into_columns(0, state_count)
    holding = [[_evaluate_condition_cached(case, exploration, part, cells) for part in way] for way in ways]
    failing = [
        [part for part, holds in zip(way, of_way, strict=True) if not np.any(holds)]
        for way, of_way in zip(ways, holding, strict=True)
    ]
    has_rounds = case.game.facts.get("round") is not None
    ends = {n: end for n, end in sorted(exploration.layers.items()) if end <= state_count} if has_rounds else {}
    if all(failing):
        inspected = _InspectedStates(case.game, cells, ends)
        return f"{inspected.describe_ranges_of_compared_numbers([part for way in failing for part in way])} there"
    if len(ways) > 1:
        return ""
    never = "each of its conditions holds in some of them, never all at once"
    for number, part in enumerate(ways[0]):
        others = [holds for other, holds in enumerate(holding[0]) if other != number]
        there = np.flatnonzero(np.broadcast_to(np.logical_and.reduce(others), state_count))
        if there.size:
            of_them = {n: int(np.searchsorted(there, end)) for n, end in ends.items()}
            inspected = _InspectedStates(case.game, cells[:, there], of_them)
            return f"{never}; where the others hold, {inspected.describe_ranges_of_compared_numbers([part])}"
    return never


_HOLDING: Cache[tuple[IdentityKey, IdentityKey, int], npt.NDArray[np.bool_]] = Cache()
_MOST_HOLDING = 64


def _evaluate_condition_cached(
    case: GameCase, exploration: Exploration, condition: Term, state_columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return whether a condition holds in each of the first states. Targets share conditions that name no parameter, so
    the last results are kept."""
    kept, key = (
        _HOLDING.get_entries_of_case(case),
        (IdentityKey(exploration), IdentityKey(condition), state_columns.shape[1]),
    )
    if key not in kept:
        if len(kept) >= _MOST_HOLDING:
            del kept[next(iter(kept))]
        kept[key] = np.asarray(evaluate_term_in_many_states(condition, state_columns) != 0)
    kept[key] = kept.pop(key)  # the last one used is the last one dropped
    return kept[key]


@dataclass(frozen=True)
class _InspectedStates:
    """States as columns, and how many of them were found by the end of each round ({}: the game has no rounds)."""

    game: Game
    cells: npt.NDArray[np.int64]
    ends: dict[int, int]

    def describe_ranges_of_compared_numbers(self, conditions: Sequence[Term]) -> str:
        """Return what the numbers come to that some conditions compare: quantities and cells by their names, else the
        fields that the condition reads."""
        said: dict[str, None] = {}
        for term in conditions:
            number, needed = _split_comparison_or_get_none_for_both(term)
            name = None if number is None else _find_name_of_quantity_or_cell_or_none(self.game, number)
            if number is not None and name is not None:
                values = np.broadcast_to(evaluate_term_in_many_states(number, self.cells), self.cells.shape[1])
                said[
                    _describe_labels_of_values_or_empty(number, name, values)
                    or self._describe_range_of_number(name, values, needed)
                ] = None
                continue
            for field in find_fields_term_depends_on(term):
                values = self.cells[field.offset : field.offset + field.size].sum(axis=0)
                said[
                    self._describe_range_of_number(
                        field.name if field.size == 1 else f"the sum of {field.name}", values
                    )
                ] = None
        return " and ".join([*said][:_MOST_NAMED])

    def _describe_range_of_number(
        self, name: str, values: npt.NDArray[np.int64], needed_value: int | None = None
    ) -> str:
        """Return between which values a number lies; and of a number that is always too small or too great for what is
        `needed_value`, how near each round brings it."""
        least, most = int(values.min()), int(values.max())
        if least == most:
            return f"`{name}` is {least}"
        return f"`{name}` is {least} to {most}{self._describe_nearest_by_round_or_empty(values, needed_value)}"

    def _describe_nearest_by_round_or_empty(self, values: npt.NDArray[np.int64], needed_value: int | None) -> str:
        """Return how near each round brings a number to what is needed; "" if rounds do not differ."""
        ends = {number: end for number, end in self.ends.items() if end}
        if needed_value is None or len(ends) < 2 or values.min() <= needed_value <= values.max():
            return ""
        too_small = values.max() < needed_value
        nearest = (np.maximum if too_small else np.minimum).accumulate(values)
        each = [str(nearest[end - 1]) for end in ends.values()]
        if len(set(each)) == 1:
            return ""
        side = "most" if too_small else "least"
        return f" (at {side} {', '.join(each)} by the end of rounds {min(ends)} to {max(ends)})"


def _describe_labels_of_values_or_empty(term: Term, name: str, values: npt.NDArray[np.int64]) -> str:
    """Return the labels of a cell whose values have some; "" for any other number."""
    if not isinstance(term, Read) or not term.field.labels:
        return ""
    labels = [f"'{term.field.format_value(value)}'" for value in np.unique(values).tolist()]
    more = f" or {len(labels) - _MOST_NAMED} others" if len(labels) > _MOST_NAMED else ""
    return f"`{name}` is {' or '.join(labels[:_MOST_NAMED])}{more}"


def _split_comparison_or_get_none_for_both(condition: Term) -> tuple[Term | None, int | None]:
    """Return the number that a condition compares, and the constant that it is compared with; None for both if it
    compares none with one."""
    if isinstance(condition, Op) and condition.op in ("==", "<", "<="):
        for number, constant in permutations(condition.args):
            if isinstance(constant, Const):
                return number, constant.value
    return None, None


def _find_name_of_quantity_or_cell_or_none(game: Game, term: Term) -> str | None:
    """Return a quantity's name, or a cell's; None for any other number."""
    names = [
        name
        for name, quantity in game.quantities.items()
        if make_structural_key_or_identity(quantity) == make_structural_key_or_identity(term)
    ]
    if names:
        return names[0]
    if isinstance(term, Read) and isinstance(term.index, Const):
        return format_cell_name_in_condition(game, term.field.offset + term.index.value).replace("`", "")
    return None


# -- broken words --------------------------------------------------------------------------------------------
# Names the condition under `with` that a game does not keep, and the game: what is meant to help a proof
# and is false helps none.

_WORK = 3.0


def _list_conditions_of_accepted_invariants(conclusion: Conclusion) -> set[str]:
    """Return the conditions that the accepted certificates show to hold in every state."""
    certificates = [each for setting in conclusion.settings for each in setting.certificates]
    layers = [layer for each in certificates if isinstance(each, InvariantCertificate) for layer in each.layers]
    return {text for layer in layers for text in layer.conjuncts}


def search_and_add_broken_with_condition(case: GameCase, question: Question, conclusion: Conclusion) -> Conclusion:
    """Return the result with the first condition under `with` that a game breaks, and the actions of that game. What an
    accepted invariant rests on needs no look: it holds."""
    of = question.of
    held = _list_conditions_of_accepted_invariants(conclusion)
    texts = [str(text) for text in of.get("with", []) if text not in held] if isinstance(of, Mapping) else []
    if question.ask not in ("always", "never") or not texts:
        return conclusion
    reader = TargetReader(case.game, question.where)
    targets = [Target(text, None, as_term(~as_term(reader.formula.condition_text_to_term(text)))) for text in texts]
    try:
        lines = search_lines_to_targets_by_all_methods(
            case, targets, Budget(_WORK), explore=False, only_first_games=True
        ).lines
    except RulesError:  # the answer stands, and says what the rules do
        return conclusion
    if not lines:
        return conclusion
    first = min(lines)
    line = ", ".join(map(case.game.show, lines[first])) or "the start"
    return replace(conclusion, bound={**conclusion.bound, BROKEN: f"`{texts[first]}` after: {line}"})
