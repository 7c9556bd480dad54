"""Both readings of the kernel on random rule programs, which use every construct of the language and break bounds."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from playproof.language import Action, BoundsError, Game, Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.kept_conditions import (
    _ReadRecordingCells,
    build_condition_still_holds_formula,
    iter_conjuncts_of_condition,
)
from playproof.verifier.questions.context import Context
from tests.language.symbolic_zoo import SIZE, random_game, random_state
from tests.verifier.formula_values import match_variables, put_numbers_in

PORTERS = str(Path(__file__).parent / "games" / "porters")
SEEDS = range(int(os.environ.get("PLAYPROOF_STEPS", "30")))
"""Random programs; `make prove` asks for thousands."""
STATES = 8


def states_of(game: Game, seed: int) -> list[list[int]]:
    r = random.Random(seed)
    return [random_state(game, r) for _ in range(STATES)]


def interpreted(play: Interpreter, state: list[int], ident: int) -> list[int] | str:
    """The state behind an action, "illegal", or "breaks"."""
    try:
        return play.apply(state, ident) if ident in play.legal(state) else "illegal"
    except BoundsError:
        return "breaks"


def by_formulas(reading: Reading, state: list[int], ident: int) -> list[int] | str:
    """The same of the symbolic reading, which folds plain numbers."""
    game, action = reading.game, reading.game.get_action_of_ground_action_number(ident)
    step = reading.build_symbolic_step(action, state, action.get_values_of_ground_action(ident))
    if step.legal is False:
        return "illegal"
    cells, sound = list(step.after), step.sound
    while sound is True and not cells[1] and game.phases[cells[0]].automatic:
        step = reading.build_symbolic_step(game.phases[cells[0]], cells, ())
        cells, sound = list(step.after), step.sound
    assert sound in (True, False)
    return cells if sound is True else "breaks"


def in_columns(columns: ColumnReading, state: list[int], ident: int) -> list[int] | str:
    """The same of the vector reading, which ends where any row breaks the rules."""
    action, cells = columns.game.get_action_of_ground_action_number(ident), np.array([state], dtype=np.int64)
    if state[1] or state[0] not in action.phases:
        return "illegal"
    try:
        if not len(columns.find_rows_where_action_is_legal(action, ident, columns.state_rows_to_columns(cells))):
            return "illegal"
        return [int(v) for v in columns.apply_action_and_automatic_phases(action, ident, cells)[0]]
    except NotShown:
        return "breaks"


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_of_random_programs(seed: int) -> None:
    game = random_game(seed)
    play, columns = Interpreter(game), ColumnReading(game, list(game.quantities.values()))
    reading = Reading(game)
    for state in states_of(game, seed):
        for name, term in game.quantities.items():
            wanted = play.quantity(name, state)
            assert int(reading.build_term_value(term, state, {})) == wanted
            assert columns.evaluate_term_in_each_state(term, np.array([state])).tolist() == [wanted]
        try:
            legal = set(play.legal(state))
        except BoundsError:  # asking what is legal breaks the rules: then no action is judged alone
            continue
        for ident in range(game.ground):
            wanted_after = interpreted(play, state, ident)
            assert in_columns(columns, state, ident) == wanted_after, game.show(ident)
            if ident in legal:
                assert by_formulas(reading, state, ident) == wanted_after, game.show(ident)


@pytest.mark.parametrize("seed", SEEDS[:12])
def test_rows_do_not_disturb_each_other(seed: int) -> None:
    """Many states at once give what each gives alone."""
    game = random_game(seed)
    columns, alone = ColumnReading(game), ColumnReading(game)
    cells = np.array([s for s in states_of(game, seed) if not s[1]], dtype=np.int64)
    for ident in range(game.ground):
        action = game.get_action_of_ground_action_number(ident)
        for phase in action.phases:
            rows = np.flatnonzero(cells[:, 0] == phase) if len(cells) else np.zeros(0, dtype=np.int64)
            each = [in_columns(alone, cells[row].tolist(), ident) for row in rows]
            if not len(rows) or "breaks" in each:
                continue
            found = rows[
                columns.find_rows_where_action_is_legal(action, ident, columns.state_rows_to_columns(cells[rows]))
            ]
            after = (
                columns.apply_action_and_automatic_phases(action, ident, cells[found]).tolist() if len(found) else []
            )
            assert after == [one for one in each if one != "illegal"]


def test_what_a_step_changes_of_a_sum() -> None:
    """For every kind of step read open: with the numbers of a state put in, the question that is asked in place of
    "does the equality hold after it?" has the same answer, where the equality held before."""
    cells = [f"row[{i}]" for i in range(SIZE)] + [f"grid[{i}, {j}]" for i in range(2) for j in range(3)]
    texts = [
        " + ".join(cells) + " - (row[0] == 2) + (grid[1, 1] == row[2])",
        f"{' + '.join(cells)} - ({' + '.join(reversed(cells))}) + (row[0] == 2)",
    ]
    found = [
        both
        for seed in SEEDS[:5]
        for text in texts
        for both in _kept(random_game(seed), states_of(random_game(seed), seed)[:3], text)
    ]
    huts = ["hut[0] + hut[1] + hut[2] + hut[3] + load", "(hut[0] == hut[1]) + (hut[2] <= hut[3]) + (load == 2)"]
    porters = build(PORTERS, Options({"leak": "yes"}))  # writes at a cell's place, and what is lost
    r = random.Random(5)
    carried = [[0, 0, *(r.randint(0, 3) for _ in range(6))] for _ in range(8)]
    found += [both for text in huts for both in _kept(porters, carried, text)]
    assert {asked for asked, _ in found} == {True, False}
    assert [asked for asked, _ in found] == [wanted for _, wanted in found]


def _kept(game: Game, states: Sequence[list[int]], text: str) -> Iterator[tuple[bool, bool]]:
    """Whether steps keep a sum, as the question of induction says it and as the sum itself does."""
    play, total = Interpreter(game), Context().read_condition(game, text)
    for state in [s for s in states if not s[1]]:
        same = f"{text} == {play.value(total, state)}"
        judge = StepChecker(game, [same], True, (), Context())
        [piece] = iter_conjuncts_of_condition(judge.terms[same], {})
        for what in judge.reading.iter_actions_and_automatic_phases():
            params, given = (
                judge.reading.make_symbolic_parameters(what),
                what.get_values_of_ground_action(what.first) if isinstance(what, Action) else (),
            )
            plain = judge.reading.build_symbolic_step(what, state, given)
            if plain.sound is True:
                step = judge.reading.build_symbolic_step(what, judge.state, params)
                put_in = match_variables([*judge.state, *params], [*state, *given])
                found = build_condition_still_holds_formula(judge.reading, piece, judge.state, step.after)
                yield (
                    put_numbers_in(found, put_in),
                    bool(play.value(judge.terms[same], plain.after)),
                )


def test_an_open_step_is_the_step_of_every_state() -> None:
    """With the numbers of a state put in, the formulas of an open state say what the step does there: also where an
    array is read and written in an open row and a plain column."""
    r, sound = random.Random(3), set()
    for seed in SEEDS[:12]:
        game = random_game(seed)
        reading = Reading(game)
        cells = reading.make_symbolic_state()
        for what in reading.iter_actions_and_automatic_phases():
            params = reading.make_symbolic_parameters(what)
            step = reading.build_symbolic_step(what, cells, params)
            for state in [s for s in states_of(game, seed)[:4] if not s[1]]:
                ident = r.randrange(what.first, what.first + what.count) if isinstance(what, Action) else 0
                given = what.get_values_of_ground_action(ident) if isinstance(what, Action) else ()
                put_in = match_variables([*cells, *params], [*state, *given])
                plain = reading.build_symbolic_step(what, state, given)
                assert put_numbers_in(step.sound, put_in) is plain.sound
                if plain.sound:
                    assert [put_numbers_in(cell, put_in) for cell in step.after] == plain.after
                sound.add(plain.sound)
    assert sound == {True, False}


def test_the_programs_reach_every_answer() -> None:
    said = set()
    for seed in SEEDS[:12]:
        game = random_game(seed)
        for state in states_of(game, seed):
            for ident in range(game.ground):
                found = interpreted(Interpreter(game), state, ident)
                said.add(found if isinstance(found, str) else "after")
    assert said == {"illegal", "breaks", "after"}


def test_cells_note_each_place_that_is_read_one_by_one_or_in_a_row() -> None:
    """What a condition reads decides whether a step can break it."""
    cells = _ReadRecordingCells([5, 6, 7, 8])
    assert (cells[0], cells[2:], cells[-2]) == (5, [7, 8], 7)
    assert cells.places == {0, 2, 3}
