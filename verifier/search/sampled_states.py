"""Samples states from random games, including those between small steps, to fit candidates to."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, RulesError, Term
from playproof.language.compiled import Compiled
from playproof.language.vector import evaluate_term
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.lines import choose_cell_dtype
from playproof.verifier.search.work import INTERPRETED, spend_work

_GAMES, _STATES = 120, 12_000
_LINES, _LONGEST = 6, 1_000
_BREAKS = 3  # phases that run for ever take about a second each
_CELLS: Cache[tuple[tuple[int, ...], ...], npt.NDArray[np.int64]] = Cache()
"""Cells of the states met, by the lines that were given."""


class RecordingInterpreter(Interpreter):
    """An interpreter that records every state it passes, including those between automatic
    phases."""

    def __init__(self, play: Interpreter) -> None:
        super().__init__(play.game)
        self.met: list[list[int]] = []

    def iter_states_until_settled(self, state: list[int]) -> Iterator[list[int]]:
        for moment in super().iter_states_until_settled(state):
            self.met.append(moment)
            yield moment


def _list_legal_actions(plain: Compiled, state: list[int]) -> list[int]:
    """Return the legal actions, or none if the rules break."""
    try:
        return sorted(plain.legal(np.array(state, dtype=choose_cell_dtype(plain.game))))
    except RulesError:
        return []


def _apply_or_keep_state(play: Interpreter, state: list[int], ident: int) -> list[int]:
    """Return the state after an action, or the same state object if the rules break."""
    spend_work(INTERPRETED)
    try:
        return play.apply(state, ident)
    except RulesError:
        return state


def sample_term_values(
    case: GameCase, terms: Sequence[Term], lines: Sequence[Sequence[int]] = ()
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the terms' values (rows) in states of random games and of the given lines (columns),
    and the ending number of each state."""
    cells = sample_cells(case, lines)
    values = [evaluate_term(t, cells) for t in terms]
    return np.stack(values) if values else np.zeros((0, cells.shape[1]), dtype=np.int64), cells[1]


def sample_cells(case: GameCase, lines: Sequence[Sequence[int]] = ()) -> npt.NDArray[np.int64]:
    """Return the cells (rows) of states of random games and of the given lines (columns)."""
    key = tuple(map(tuple, lines))
    cells = _CELLS.get_entries(case).get(key)
    if cells is None:
        cells = _CELLS.get_entries(case)[key] = _play_and_record_cells(case, lines)
    return cells


def _play_and_record_cells(case: GameCase, lines: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Play the games of `sample_cells`."""
    play, r = RecordingInterpreter(case.play), random.Random(1)
    for line in lines:
        state = play.start()
        for ident in line:
            state = play.apply(state, ident)
    most, breaks = len(play.met) + _STATES, 0
    for _ in range(_GAMES):
        if breaks == _BREAKS:
            break
        state = play.start()
        while not play.terminal(state) and len(play.met) < most:
            idents = _list_legal_actions(case.plain, state)
            if not idents:
                break
            before, state = state, _apply_or_keep_state(play, state, r.choice(idents))
            if before is state:
                breaks += 1
                break
    return np.array(play.met, dtype=choose_cell_dtype(case.game)).T


def sample_small_steps(case: GameCase, max_steps: int = 150) -> list[tuple[list[int], list[int]]]:
    """Return small steps of random games, spread over their course, as (state before, state
    after)."""
    play, r = RecordingInterpreter(case.play), random.Random(2)
    steps: list[tuple[list[int], list[int]]] = []
    for _ in range(_LINES):
        state, begun = play.start(), len(steps)
        while not play.terminal(state) and len(steps) < begun + _LONGEST:  # some games never end
            idents = _list_legal_actions(case.plain, state)
            if not idents:
                break
            play.met.clear()
            after = _apply_or_keep_state(play, state, r.choice(idents))
            if after is state:
                break
            steps += list(zip([state, *play.met], play.met, strict=False))
            state = after
    return steps if len(steps) <= max_steps else r.sample(steps, max_steps)
