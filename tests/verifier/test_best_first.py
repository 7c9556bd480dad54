"""Lines that a best-first search finds, and the numbers that lead it there."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from playproof.language import Game, Interpreter, all_of, pick, win
from playproof.language.explorer import evaluate_term_in_many_states, explore
from playproof.language.expr import as_term
from playproof.language.machine.relaxed_costs import UNMADE
from playproof.language.statements import find_fields_term_depends_on
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search import best_first
from playproof.verifier.search.best_first import BucketQueue
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines_of_play import replay_line_until_target_is_met
from playproof.verifier.search.step_readings import (
    _evaluate_term_or_none_if_undecided,
    build_planning_operators_or_raise,
)
from playproof.verifier.search.target_distance import (
    RelaxedPlanEstimate,
    build_term_of_amount_condition_fails_by,
    find_facts_conditions_imply_or_empty,
    iter_equations_of_unchanged_array_sums,
    list_condition_sets_reaching_target,
)
from tests.published_games import get_published_game

WIN = {"outcome": "win"}


def asked(game: str, options: dict[str, str] | None = None) -> tuple[GameCase, Target]:
    case = GameCase(game, options or {})
    [target] = TargetReader(case.game).read_targets_of_spec(WIN)
    return case, target


@pytest.mark.parametrize(
    ("game", "options"), [("peg_solitaire", {"board": "english"}), (get_published_game("sokoban"), {"level": "corner"})]
)
def test_a_line_is_found_that_the_interpreter_follows(game: str, options: dict[str, str]) -> None:
    case, target = asked(game, options)
    line = best_first.search_line_best_first_or_none(case, target, Budget(40))
    assert line is not None
    assert replay_line_until_target_is_met(case, line, target).hit == len(line)


def test_a_search_that_has_seen_every_state_ends_without_a_line() -> None:
    case, target = asked(get_published_game("sokoban"), {"level": "locked"})
    assert best_first.search_line_best_first_or_none(case, target, Budget(40)) is None


def test_the_distance_is_0_exactly_where_the_condition_holds() -> None:
    """On all boards of three cells, for conditions of every kind."""
    g = Game("apart")
    s = g.state
    g.array("cell", 3, 0, 2)
    sums = s.cell[0] + s.cell[1] + s.cell[2]
    conditions = [
        sums == 4,
        sums < 2,
        (s.cell[0] <= s.cell[1]) & ~(s.cell[2] == 1),
        (s.cell[0] == 2) | (s.cell[1] == 2),
        all_of(3, lambda i: s.cell[i] == 1),
        ~all_of(3, lambda i: s.cell[i] < 2),
        ~((sums <= 3) | (s.cell[1] < 1)),
    ]
    boards = np.array([[0, 0, a, b, c] for a in range(3) for b in range(3) for c in range(3)]).T
    for condition in conditions:
        holds, near = (
            evaluate_term_in_many_states(condition, boards),
            evaluate_term_in_many_states(build_term_of_amount_condition_fails_by(condition), boards),
        )
        assert ((near == 0) == (holds != 0)).all()
        assert (near >= 0).all()
        assert 0 < holds.sum() < boards.shape[1]


def test_one_peg_in_the_middle_means_that_all_other_holes_are_empty() -> None:
    case, target = asked("peg_solitaire", {"board": "english"})
    [way] = [facts for facts in RelaxedPlanEstimate(case, target).ways if facts]
    assert len(way) == 33
    assert sum(value for _, value in way) == 1


def test_operators_say_what_an_action_needs_and_makes() -> None:
    case, _ = asked(get_published_game("soldiers"), {"row": "1", "columns": "3"})
    several = build_planning_operators_or_raise(case.game)
    assert all(operator.exact for operator in several)
    jump = several[0]
    pegs = {cell - 2: value for cell, value in jump.needs.items() if cell >= 2}
    made = {effect.fact[0] - 2: effect.fact[1] for effect in jump.effects if not effect.when}
    assert sorted(pegs.values()) == [0, 1, 1]
    assert made == {cell: 1 - value for cell, value in pegs.items()}


def test_an_estimate_is_never_where_a_fact_cannot_be_made() -> None:
    case, target = asked(get_published_game("sokoban"), {"level": "corner"})
    estimate = RelaxedPlanEstimate(case, target)
    start = np.array(case.first)[:, None]
    boxes = [n for n, value in enumerate(case.first) if n > 2 and value]
    none = start.copy()
    none[boxes] = 0  # without boxes, none can come to its place
    assert 0 < estimate.estimate_steps_to_target(start)[0] < UNMADE == estimate.estimate_steps_to_target(none)[0]


def test_boxes_that_cannot_come_to_their_places_are_a_dead_end() -> None:
    """No push changes how many boxes there are, so all other places are empty in the end; a box in a corner stays."""
    case, target = asked(get_published_game("sokoban"), {"level": "corner"})
    box = next(field for field in case.game.fields if field.name == "box")
    law = next(iter_equations_of_unchanged_array_sums(case, build_planning_operators_or_raise(case.game)))
    assert {field.name for field in find_fields_term_depends_on(law)} == {"box"}
    estimate = RelaxedPlanEstimate(case, target)
    assert {cell for facts in estimate.ways for cell, _ in facts} == set(range(box.offset, box.offset + box.size))
    stuck = np.array(case.first)[:, None]
    # the last place is a corner without a mark
    stuck[box.offset : box.offset + box.size, 0] = [0, 0, 0, 0, 1, 0, 0, 1]
    assert estimate.estimate_steps_to_target(stuck)[0] == UNMADE


def test_the_estimates_of_machine_code_are_those_of_plain_python() -> None:
    for game, options in (
        (get_published_game("soldiers"), {"row": "2"}),
        (get_published_game("sokoban"), {"level": "corner"}),
    ):
        case, target = asked(game, options)
        seen = explore(case.compiled, states=60)
        cells = seen.unpack_rows_into_columns(0, seen.states)
        plain = RelaxedPlanEstimate(GameCase(game, options, machine=False), target)
        assert (
            RelaxedPlanEstimate(case, target).estimate_steps_to_target(cells).tolist()
            == plain.estimate_steps_to_target(cells).tolist()
        )


def test_a_soldier_comes_to_row_four_with_little_work() -> None:
    case, target = asked(get_published_game("soldiers"), {"row": "4", "columns": "5", "below": "5"})
    line = best_first.search_line_best_first_or_none(case, target, Budget(2))
    assert line is not None
    assert replay_line_until_target_is_met(case, line, target).hit == len(line)


def test_a_queue_gives_the_least_numbers_first_and_of_these_the_newest() -> None:
    queue, done = BucketQueue(), np.zeros(10, dtype=bool)
    queue.add_rows_with_priorities(np.array([5, 3, 3]), np.array([1, 2, 3], dtype=np.int32))
    queue.add_rows_with_priorities(np.array([3, 9]), np.array([4, 5], dtype=np.int32))
    done[2] = True
    assert [queue.take_rows_of_least_priority(1, done).tolist() for _ in range(5)] == [[4], [3], [1], [5], []]


def test_conditions_that_exclude_each_other_imply_nothing() -> None:
    case, _ = asked(get_published_game("soldiers"), {"row": "1"})
    peg = case.game.state.peg
    assert find_facts_conditions_imply_or_empty(case, [peg[0, 0] == 1, peg[0, 0] == 0]) == []


def test_a_kept_value_counts_as_the_condition_that_it_holds(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(LAMPS)
    case, target = asked(str(tmp_path))
    [way] = list_condition_sets_reaching_target(case, target)
    assert [len(find_fields_term_depends_on(condition)) for condition in way] == [1]
    assert best_first.search_line_best_first_or_none(case, target, Budget(5)) == [0, 1]


SAFE = """
from playproof import Game, Options, lose, otherwise, require, when


def build(options: Options) -> Game:
    '''A lock: a wrong digit loses all that was right. The two clocks make the states many.'''
    g = Game("safe")
    s = g.state
    g.integer("right", 0, 15)
    g.integer("minutes", 0, 199)
    g.integer("hours", 0, 199)
    play = g.phase("play")

    @g.action(play, "turn {digit}", digit=6)
    def turn(digit) -> None:
        with when(digit == (s.right * 5 + 2) % 6):
            s.right = (s.right + 1) % 16
        with otherwise():
            s.right = 0

    @g.action(play, "wait {clock}", clock=2)
    def wait(clock) -> None:
        with when(clock == 0):
            s.minutes = (s.minutes + 1) % 200
        with otherwise():
            s.hours = (s.hours + 1) % 200

    @g.action(play, "open")
    def open_() -> None:
        require(s.minutes == s.hours, "S1", "the clocks differ")
        lose("an alarm")

    return g
"""


@pytest.mark.parametrize(
    "question",
    [
        Question("law", "step", {"action": "open", "needs": "right < 15"}),
        Question("law", "step", {"action": "turn", "leads": "right < 14"}),
        Question("law", "always", {"holds": "right < 14"}),
    ],
    ids=["needs", "leads", "always"],
)
def test_what_random_games_do_not_meet_is_refuted_by_a_line(question: Question, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(SAFE)
    [answer] = prove(str(tmp_path), claims=[question], machine=False, work=20)
    assert answer.verdict is Verdict.REFUTED
    assert answer.method == "best-first search"


LAMPS = """
from playproof import Game, Local, Options, all_of, keep, require, when, win


def build(options: Options) -> Game:
    g = Game("lamps")
    s = g.state
    g.array("lamp", 2)
    play = g.phase("play")

    @g.action(play, "light {n}", n=2)
    def light(n: Local) -> None:
        require(s.lamp[n] == 0, "L1", "it is lit")
        s.lamp[n] = 1
        lit = keep(all_of(2, lambda i: s.lamp[i] == 1))
        with when(lit):
            win("all are lit")

    return g
"""


def test_what_known_cells_decide_holds_whatever_the_others_are() -> None:
    g = Game("terms")
    s = g.state
    g.integer("x", 0, 2)
    g.integer("y", 0, 2)

    @g.action(g.phase("play"), "wait")
    def wait() -> None:
        win("done")

    cells = [g.handles[name].field.offset for name in "xy"]
    terms = [
        pick(s.x == 1, s.y, 2),
        pick(s.x == 1, 0, pick(s.y == 0, 1, 2)),
        (s.x == 0) & (s.y > 0),
        (s.x == 0) | (s.y > 0),
        s.x + s.y * 2,
        (s.x + s.y) % 3 == 0,
    ]
    play, state = Interpreter(g), [0] * g.cells
    for term, known in product(map(as_term, terms), product([None, 0, 1, 2], repeat=2)):
        possible = [(0, 1, 2) if value is None else (value,) for value in known]
        values = set()
        for state[cells[0]], state[cells[1]] in product(*possible):
            values.add(play.value(term, state))
        found = _evaluate_term_or_none_if_undecided(term, dict(zip(cells, known, strict=True)))
        assert values == {found} if found is not None else None in known
