"""What all states of a game lack for a target, in the game's words: the explanation of a "no", and no evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from playproof.language import Term
from playproof.language.explorer import Exploration
from playproof.language.expr import Const, Op, Read
from playproof.language.game import Game
from playproof.language.vector import evaluate
from playproof.language.walks import conjuncts, fields_read, shape
from playproof.verifier.proof.phases_end import cell_text
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Case
from playproof.verifier.search.goals import ways_to

_MOST_STATES, _MOST_CONDITIONS, _MOST_NAMED = 250_000, 60, 4


def lacking(case: Case, seen: Exploration, states: int, target: Target) -> str:
    """Return which numbers of the game keep its first states from a target, and what they come to: for example,
    "`potions` is 0 to 2 there". Return "" if there is too much to look at."""
    ways = [[part for condition in way for part in conjuncts(condition)] for way in ways_to(case, target)]
    if states > _MOST_STATES or not 0 < sum(map(len, ways)) <= _MOST_CONDITIONS:
        return ""
    cells = seen.columns(0, states)
    holding = [[evaluate(part, cells) != 0 for part in way] for way in ways]
    failing = [
        [part for part, holds in zip(way, of_way, strict=True) if not np.any(holds)]
        for way, of_way in zip(ways, holding, strict=True)
    ]
    if all(failing):
        return f"{_all_said(case.game, [term for way in failing for term in way], cells)} there"
    if len(ways) > 1:
        return ""
    never = "each of its conditions holds in some of them, never all at once"
    for number, part in enumerate(ways[0]):
        others = [holds for other, holds in enumerate(holding[0]) if other != number]
        there = np.broadcast_to(np.logical_and.reduce(others), states)
        if np.any(there):
            return f"{never}; where the others hold, {_all_said(case.game, [part], cells[:, there])}"
    return never


def _all_said(game: Game, terms: Sequence[Term], cells: npt.NDArray[np.int64]) -> str:
    """Return what the numbers come to that some conditions compare: quantities and cells by their names, else the
    fields that the condition reads."""
    said: dict[str, None] = {}
    for term in terms:
        number = (
            next((a for a, b in permutations(term.args) if isinstance(b, Const)), None)
            if _compares(term)
            else None
        )
        name = None if number is None else _name(game, number)
        if number is not None and name is not None:
            said[_said(name, np.broadcast_to(evaluate(number, cells), cells.shape[1]))] = None
        else:
            for field in fields_read(term):
                values = cells[field.offset : field.offset + field.size]
                said[
                    _said(field.name if field.size == 1 else f"the sum of {field.name}", values.sum(axis=0))
                ] = None
    return " and ".join([*said][:_MOST_NAMED])


def _compares(term: Term) -> TypeGuard[Op]:
    return isinstance(term, Op) and term.op in ("==", "<", "<=")


def _name(game: Game, number: Term) -> str | None:
    """Return a quantity's name, or a cell's; None for any other number."""
    names = [name for name, quantity in game.quantities.items() if shape(quantity) == shape(number)]
    if names:
        return names[0]
    if isinstance(number, Read) and isinstance(number.index, Const):
        return cell_text(game, number.field.offset + number.index.value).replace("`", "")
    return None


def _said(name: str, values: npt.NDArray[np.int64]) -> str:
    """Return between which values a number lies."""
    least, most = int(values.min()), int(values.max())
    return f"`{name}` is {least} to {most}" if least < most else f"`{name}` is {least}"
