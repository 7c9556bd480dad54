"""The order-free relaxation: what it excludes no game does, and its certificates are checked to the last number."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from playproof.verifier.check import check
from playproof.verifier.proof.farkas import Row, contradiction, gap
from playproof.verifier.proof.reach import refuted
from playproof.verifier.proof.relaxation import below, least, refusal, relaxation
from playproof.verifier.proof.step_classes import Cut, counters, measures_of
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.portfolio import absent
from tests.verifier.conftest import HARVEST, PLAIN, WIN

GAMES = Path(__file__).parent / "games"
WORKSHOP, TOLL = str(GAMES / "workshop"), str(GAMES / "toll")
Tamper = Callable[[dict[str, Any]], None]


def _case(ref: str, **values: str) -> Case:
    return Case(ref, values, numba=False)


def _target(case: Case, spec: object, within: object = None) -> Target:
    return Targets(case.game).one(spec, within)


# -- linear arguments -------------------------------------------------------------------------------------------

TIGHT = [Row("sum", {0: 1, 1: 1}, 5), Row("first", {0: -1}, -2), Row("second", {1: -1}, -2)]


@pytest.mark.parametrize("own", [False, True])
def test_multipliers_are_found_by_both_solvers_and_only_where_there_is_a_contradiction(own: bool) -> None:
    if not own:
        pytest.importorskip("highspy")
    found = contradiction(TIGHT, 2, 5.0, own)
    assert found is not None
    assert gap(TIGHT, found) > 0
    loose = [*TIGHT[:2], Row("second", {1: -1}, -3)]
    assert contradiction(loose, 2, 5.0, own) is None
    circle = [Row("here", {0: 1, 1: -1}, 0, equal=True), Row("more", {0: 1, 1: -1}, 1)]
    found = contradiction(circle, 2, 5.0, own)
    assert found is not None
    assert found["here"] < 0


@pytest.mark.parametrize("multipliers", [
    {}, {"sum": Fraction(1)}, {"sum": Fraction(1), "first": Fraction(1)}, {"sum": Fraction(-1)},
    {"sum": Fraction(1), "first": Fraction(1), "second": Fraction(999_999, 1_000_000)},
    {"sum": Fraction(1), "first": Fraction(1), "second": Fraction(1), "other": Fraction(1)},
])
def test_what_does_not_add_up_exactly_shows_nothing(multipliers: dict[str, Fraction]) -> None:
    assert gap(TIGHT, multipliers) == 0


# -- agreement with exhaustive search ---------------------------------------------------------------------------


@pytest.mark.parametrize(("ref", "goal"), [(HARVEST, "3"), (HARVEST, "5"), (HARVEST, "8"), (WORKSHOP, "1"),
                                           (WORKSHOP, "2"), (WORKSHOP, "3"), (WORKSHOP, "4")])
def test_the_bound_on_rounds_is_that_of_exhaustive_search(ref: str, goal: str) -> None:
    case, budget = _case(ref, goal=goal), Budget(60.0)
    target, number = _target(case, WIN), case.game.quantities["round"]
    part = least(case, target, number, None, budget)
    found = 1 if part is None else int(part["least"])
    seen = case.explored(budget)
    fewest = next(r for r in range(1, 7) if len(seen.rows(target.condition & (number <= r))))
    assert seen.complete
    assert found == fewest == (-(-int(goal) // 2) if ref == HARVEST else -(-4 * int(goal) // 3))
    if part is not None:
        assert refusal(case, below(target, number, found), part) == ""


@pytest.mark.parametrize("ref", [HARVEST, WORKSHOP, TOLL, "tic_tac_toe"])
def test_what_the_relaxation_excludes_no_state_shows(ref: str) -> None:
    case, budget = _case(ref), Budget(60.0)
    seen = case.explored(budget)
    assert seen.complete
    targets = Targets(case.game).read({"every": "action"}) + Targets(case.game).read({"every": "ending"})
    excluded = [t for t in targets if relaxation(case, t, budget, fine=False) is not None]
    assert all(absent(seen, t) for t in excluded)
    names = {HARVEST: ["call the flood", "the flood"], WORKSHOP: ["glue it"], TOLL: [], "tic_tac_toe": []}
    assert set(names[ref]) >= {t.name for t in excluded}
    assert ref != WORKSHOP or [t.name for t in excluded] == ["glue it"]


def test_it_is_too_weak_where_order_matters_and_says_nothing() -> None:
    for ref, spec in ((TOLL, WIN), (WORKSHOP, {"action": "read"})):
        case, budget = _case(ref), Budget(60.0)
        target = _target(case, spec)
        assert absent(case.explored(budget), target)
        assert relaxation(case, target, budget) is None


def test_a_target_that_holds_at_the_start_is_never_excluded() -> None:
    case = _case(TOLL, coins="5")
    assert relaxation(case, _target(case, {"holds": "coins == 5"}), Budget(20.0)) is None


def test_bounds_on_steps_hold_in_every_transition() -> None:
    case = _case(WORKSHOP)
    cut = Cut(case, counters(case.game), measures_of(case.game))
    steps = cut.classes(Budget(30.0))
    assert steps is not None
    assert cut.wrong(steps) == ""
    by_name = {s.move: s.change for s in steps if s.end[1] == 0}
    assert by_name["saw"] == {"`wood`": (-2, -2), "`planks`": (1, 1)}
    assert by_name["night" if "night" in by_name else "evening"]["`wood`"] == (0, 3)
    narrow = copy.deepcopy(steps)
    next(s for s in narrow if "`wood`" in s.change and s.move == "evening" and s.end[1] == 0).change["`wood`"] = (3, 3)
    assert "more than the bounds" in cut.wrong(narrow)
    assert "more than the bounds" in cut.wrong(steps[1:])


# -- in the portfolio, and its evidence -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `refuted` says about two chairs within two days, as an evidence file's content."""
    questions = [Question("soon", "reach", WIN, {"rounds": 2}, expect=False)]
    case = _case(WORKSHOP)
    parts = refuted(case, questions[0], [_target(case, WIN, {"rounds": 2})], Budget(60.0))
    assert [p["kind"] for p in parts] == ["relaxation"]
    [answer] = prove(WORKSHOP, claims=questions, seconds=20, output=tmp_path_factory.mktemp("relaxed"), **PLAIN)
    content = json.loads(Path(answer.evidence).read_text(encoding="utf-8"))
    assert answer.value is False
    content["parts"] = json.loads(json.dumps(parts))
    return dict(content)


def _checked(content: dict[str, Any], folder: Path) -> list[str]:
    file = folder / "evidence.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return [f.code for f in check(file, numba=False)]


def test_the_argument_is_checked_and_reads_as_one_about_resources(evidence: dict[str, Any], tmp_path: Path) -> None:
    assert _checked(evidence, tmp_path) == []
    words = "\n".join(evidence["parts"][0]["words"])
    assert "saw: `wood` -2, `planks` +1" in words
    assert "make: `planks` -2, `chairs` +1" in words


def _change(p: dict[str, Any]) -> None:
    next(s for s in p["steps"] if "`wood`" in s[4] and s[1] == "evening")[4]["`wood`"] = [0, 2]


def _drop_a_class(p: dict[str, Any]) -> None:
    p["steps"] = [s for s in p["steps"] if s[1] != "saw"]


def _drop_the_ends(p: dict[str, Any]) -> None:
    p["ends"] = []


def _another_end(p: dict[str, Any]) -> None:
    p["ends"][0][2]["`round`"] = [1, 1]


def _misplaced_end(p: dict[str, Any]) -> None:
    p["ends"][0][1] = [0, 0]


def _half_the_sum(p: dict[str, Any]) -> None:
    name = next(n for n in p["multipliers"] if "`wood`" in n)
    p["multipliers"][name] = str(Fraction(p["multipliers"][name]) / 2)


def _no_sum(p: dict[str, Any]) -> None:
    p["multipliers"] = {}


def _negative(p: dict[str, Any]) -> None:
    p["multipliers"] = {n: str(-Fraction(y)) for n, y in p["multipliers"].items()}


def _other_words(p: dict[str, Any]) -> None:
    p["words"][1] = "wood is scarce"


@pytest.mark.parametrize("tamper", [_change, _drop_a_class, _drop_the_ends, _another_end, _misplaced_end,
                                    _half_the_sum, _no_sum, _negative, _other_words])
def test_a_tampered_argument_is_refused(evidence: dict[str, Any], tmp_path: Path, tamper: Tamper) -> None:
    changed = copy.deepcopy(evidence)
    tamper(changed["parts"][0])
    assert changed != evidence
    assert "PP714" in _checked(changed, tmp_path)


def test_an_argument_for_another_question_is_refused(evidence: dict[str, Any], tmp_path: Path) -> None:
    later = copy.deepcopy(evidence)
    later["question"]["within"] = {"rounds": 3}
    assert "PP714" in _checked(later, tmp_path)


def test_a_bound_from_below_is_refused_for_more_than_it_shows() -> None:
    case = _case(WORKSHOP)
    target, number = _target(case, WIN), case.game.quantities["round"]
    part = least(case, target, number, None, Budget(30.0))
    assert part is not None
    assert part["least"] == 3
    assert refusal(case, below(target, number, 4), part) != ""
