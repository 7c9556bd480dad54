"""What all states of a game lack for a target, in the game's words: the explanation of a "no", and no evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from playproof.language import Term
from playproof.language.explorer import Exploration
from playproof.language.expr import Const, Op, Read
from playproof.language.game import Game
from playproof.language.vector import evaluate_term
from playproof.language.walks import find_fields_read, iter_conjuncts, make_shape_key
from playproof.verifier.proof.phases_end import format_cell_name
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.goals import list_condition_sets_for_target

_MOST_STATES, _MOST_CONDITIONS, _MOST_NAMED = 250_000, 60, 4


def describe_target_absence(
    case: GameCase, seen: Exploration, states: int, target: Target, until_text: str = ""
) -> str:
    """Return in the game's words that a target is in none of the first states, and what they lack."""
    lacks = _describe_lacking_numbers(case, seen, states, target)
    return f"games come to {states:,} states{until_text}, and it is in none of them{f': {lacks}' if lacks else ''}"


def _describe_lacking_numbers(case: GameCase, seen: Exploration, states: int, target: Target) -> str:
    """Return which numbers of the game keep its first states from a target, what they come to, and how far each round
    brings them: "`potions` is 0 to 2 (at most 0, 1, 1, 2 by the end of rounds 1 to 4) there". Return "" if there is too
    much to look at."""
    ways = [
        [part for condition in way for part in iter_conjuncts(condition)]
        for way in list_condition_sets_for_target(case, target)
    ]
    if states > _MOST_STATES or not 0 < sum(map(len, ways)) <= _MOST_CONDITIONS:
        return ""
    cells = seen.get_state_columns(0, states)
    holding = [[evaluate_term(part, cells) != 0 for part in way] for way in ways]
    failing = [
        [part for part, holds in zip(way, of_way, strict=True) if not np.any(holds)]
        for way, of_way in zip(ways, holding, strict=True)
    ]
    has_rounds = case.game.facts.get("round") is not None
    ends = {n: end for n, end in sorted(seen.layers.items()) if end <= states} if has_rounds else {}
    if all(failing):
        inspected = _InspectedStates(case.game, cells, ends)
        return f"{inspected.describe_compared_numbers([part for way in failing for part in way])} there"
    if len(ways) > 1:
        return ""
    never = "each of its conditions holds in some of them, never all at once"
    for number, part in enumerate(ways[0]):
        others = [holds for other, holds in enumerate(holding[0]) if other != number]
        there = np.flatnonzero(np.broadcast_to(np.logical_and.reduce(others), states))
        if there.size:
            of_them = {n: int(np.searchsorted(there, end)) for n, end in ends.items()}
            inspected = _InspectedStates(case.game, cells[:, there], of_them)
            return f"{never}; where the others hold, {inspected.describe_compared_numbers([part])}"
    return never


@dataclass(frozen=True)
class _InspectedStates:
    """States as columns, and how many of them were found by the end of each round ({}: the game has no rounds)."""

    game: Game
    cells: npt.NDArray[np.int64]
    ends: dict[int, int]

    def describe_compared_numbers(self, terms: Sequence[Term]) -> str:
        """Return what the numbers come to that some conditions compare: quantities and cells by their names, else the
        fields that the condition reads."""
        said: dict[str, None] = {}
        for term in terms:
            number, needed = _split_comparison(term)
            name = None if number is None else _find_number_name(self.game, number)
            if number is not None and name is not None:
                values = np.broadcast_to(evaluate_term(number, self.cells), self.cells.shape[1])
                said[
                    _describe_labelled_values(number, name, values)
                    or self._describe_number_range(name, values, needed)
                ] = None
                continue
            for field in find_fields_read(term):
                values = self.cells[field.offset : field.offset + field.size].sum(axis=0)
                said[
                    self._describe_number_range(
                        field.name if field.size == 1 else f"the sum of {field.name}", values
                    )
                ] = None
        return " and ".join([*said][:_MOST_NAMED])

    def _describe_number_range(
        self, name: str, values: npt.NDArray[np.int64], needed: int | None = None
    ) -> str:
        """Return between which values a number lies; and of a number that is always too small or too great for what is
        `needed`, how near each round brings it."""
        least, most = int(values.min()), int(values.max())
        if least == most:
            return f"`{name}` is {least}"
        return f"`{name}` is {least} to {most}{self._describe_nearest_by_round(values, needed)}"

    def _describe_nearest_by_round(self, values: npt.NDArray[np.int64], needed: int | None) -> str:
        """Return how near each round brings a number to what is needed; "" if rounds do not differ."""
        ends = {number: end for number, end in self.ends.items() if end}
        if needed is None or len(ends) < 2 or values.min() <= needed <= values.max():
            return ""
        too_small = values.max() < needed
        nearest = (np.maximum if too_small else np.minimum).accumulate(values)
        each = [str(nearest[end - 1]) for end in ends.values()]
        if len(set(each)) == 1:
            return ""
        side = "most" if too_small else "least"
        return f" (at {side} {', '.join(each)} by the end of rounds {min(ends)} to {max(ends)})"


def _describe_labelled_values(number: Term, name: str, values: npt.NDArray[np.int64]) -> str:
    """Return the labels of a cell whose values have some; "" for any other number."""
    if not isinstance(number, Read) or not number.field.labels:
        return ""
    labels = [f"'{number.field.format_value(value)}'" for value in np.unique(values).tolist()]
    more = f" or {len(labels) - _MOST_NAMED} others" if len(labels) > _MOST_NAMED else ""
    return f"`{name}` is {' or '.join(labels[:_MOST_NAMED])}{more}"


def _split_comparison(term: Term) -> tuple[Term | None, int | None]:
    """Return the number that a condition compares, and the constant that it is compared with; None for both if it
    compares none with one."""
    if isinstance(term, Op) and term.op in ("==", "<", "<="):
        for number, constant in permutations(term.args):
            if isinstance(constant, Const):
                return number, constant.value
    return None, None


def _find_number_name(game: Game, number: Term) -> str | None:
    """Return a quantity's name, or a cell's; None for any other number."""
    names = [
        name
        for name, quantity in game.quantities.items()
        if make_shape_key(quantity) == make_shape_key(number)
    ]
    if names:
        return names[0]
    if isinstance(number, Read) and isinstance(number.index, Const):
        return format_cell_name(game, number.field.offset + number.index.value).replace("`", "")
    return None
