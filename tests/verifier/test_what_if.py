"""The smallest change of a number: compared with a plain search of the same rules; evidence of both sides; refusals."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.errors import InputError
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from playproof.verifier.analysis.what_if import RaisedNumberResult, iter_answers_to_claim_with_raised_numbers
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question

RULES = '''
from playproof import Game, Options, lose, require, when, win


def build(options: Options) -> Game:
    """Buy keys, and open doors with them, before the days are over."""
    price, locks = options.number("price", range(1, 4), {price}), options.number("locks", range(1, 4), {locks})
    days = options.number("days", range(1, 7), {days})
    options.choice("colour", ["red", "blue"])
    g = Game("doors")
    s = g.state
    g.integer("coins", 0, 9, {coins})
    g.integer("keys", 0, 3, 0)
    g.integer("open", 0, 2)
    g.integer("day", 0, 6)
    for name in ("coins", "keys", "day"):
        g.quantity(name, getattr(s, name))
    g.quantity("both", s.coins + s.keys)
    g.quantity("result", g.outcome)
    act = g.phase("act")

    def passes() -> None:
        s.day += 1
        with when((s.day >= days) & (s.open < 2)):
            lose("it is late")

    @g.action(act, "buy a key")
    def buy() -> None:
        require((s.coins >= price) & (s.keys < 3), "D1", "too dear")
        s.coins -= price
        s.keys += 1
        passes()

    @g.action(act, "open a door")
    def unlock() -> None:
        require(s.keys >= locks, "D2", "too few keys")
        s.keys -= locks
        s.open += 1
        with when(s.open == 2):
            win("both are open")
        passes()

    @g.action(act, "wait")
    def wait() -> None:
        passes()

    return g
'''
CLAIMS = """
claims:
  open: {ask: reach, says: Both doors can be opened., of: {outcome: win}}
  soonest: {ask: minimum, says: So early., of: {number: day, when: {outcome: win}}}
  never-late: {ask: never, says: It is never late., of: {outcome: loss}}
"""
CAPS = {"price": 3, "locks": 3, "days": 6, "start.coins": 9, "start.keys": 3, "start.day": 6}


def earliest(numbers: dict[str, int]) -> int | None:
    """The day on which both doors can be open, None if they cannot: by a search of the rules in a few lines."""
    begin = (numbers["start.coins"], numbers["start.keys"], 0, numbers["start.day"])
    best, todo, seen = [], [begin], set()
    while todo:
        coins, keys, opened, day = todo.pop()
        if (coins, keys, opened, day) in seen:
            continue
        seen.add((coins, keys, opened, day))
        after = [(coins, keys, opened)]
        if coins >= numbers["price"] and keys < 3:
            after.append((coins - numbers["price"], keys + 1, opened))
        if keys >= numbers["locks"]:
            after.append((coins, keys - numbers["locks"], opened + 1))
        for each in after:
            if each[2] == 2:
                best.append(day)
            elif day + 1 < numbers["days"]:
                todo.append((*each, day + 1))
    return min(best, default=None)


def written(folder: Path, numbers: dict[str, int]) -> str:
    (folder / "rules.py").write_text(
        RULES.format(price=numbers["price"], locks=numbers["locks"], days=numbers["days"], coins=numbers["start.coins"])
    )
    (folder / "claims.yaml").write_text(CLAIMS)
    return str(folder)


def drawn(r: random.Random) -> dict[str, int]:
    return {
        "price": r.randint(1, 2),
        "locks": r.randint(1, 2),
        "days": r.randint(2, 6),
        "start.coins": r.randint(0, 4),
        "start.keys": 0,
        "start.day": 0,
    }


def enough_by_hand(numbers: dict[str, int], claim: str, steps: int) -> dict[str, int | None]:
    usual = earliest(numbers)
    enough: dict[str, int | None] = {}
    for name, most in CAPS.items():
        enough[name] = None
        for value in range(numbers[name] + 1, min(numbers[name] + steps, most) + 1):
            day = earliest({**numbers, name: value})
            better = day is not None and (usual is None or (claim == "soonest" and day < usual))
            if better:
                enough[name] = value
                break
    return enough


def test_the_smallest_change_is_that_of_a_plain_search(tmp_path: Path) -> None:
    r, compared, changed = random.Random(2), 0, 0
    while compared < 2:
        numbers = drawn(r)
        claim = "soonest" if compared % 2 else "open"
        if claim == "open" and earliest(numbers) is not None:
            continue
        (folder := tmp_path / str(compared)).mkdir()
        rows = list(iter_answers_to_claim_with_raised_numbers(written(folder, numbers), claim, max_raise=2, max_work=5))
        assert {row.number.option: row.least_sufficient_value for row in rows} == enough_by_hand(numbers, claim, 2)
        assert not any(row.open for row in rows)
        changed += sum(row.least_sufficient_value is not None for row in rows)
        compared += 1
    assert changed >= 2


def test_a_number_that_no_rule_reads_has_the_usual_answer(tmp_path: Path) -> None:
    ref = written(tmp_path, {**CAPS, "price": 3, "locks": 3, "days": 4, "start.coins": 0})
    rules = tmp_path / "rules.py"
    unread = 'options.number("unread", range(3), 0)\n    options.choice('
    rules.write_text(rules.read_text().replace("options.choice(", unread))
    [row] = iter_answers_to_claim_with_raised_numbers(ref, "open", number_names=["unread"], max_work=5)
    assert [answer.options["unread"] for answer in row.answers] == ["1", "2"]
    assert all(replace(answer, options=row.usual.options) == row.usual for answer in row.answers)


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, dict[str, RaisedNumberResult]]:
    folder, output = tmp_path_factory.mktemp("doors"), tmp_path_factory.mktemp("output")
    numbers = {"price": 1, "locks": 1, "days": 4, "start.coins": 0, "start.keys": 0, "start.day": 0}
    ref = written(folder, numbers)
    rows = iter_answers_to_claim_with_raised_numbers(
        ref, "open", number_names=["start.coins", "price"], max_work=5, output=output
    )
    return ref, output, {row.number.option: row for row in rows}


def test_both_sides_have_evidence_that_is_checked_again(poor: tuple[str, Path, dict[str, RaisedNumberResult]]) -> None:
    ref, _, rows = poor
    coins = rows["start.coins"]
    assert (coins.least_sufficient_value, rows["price"].least_sufficient_value) == (2, None)
    question = load_claims_as_questions_or_raise(ref)["open"]
    for answer, value in zip((coins.usual, *coins.answers), (False, False, True), strict=True):
        [same] = [Question(**{**_parts(question), "values": answer.options})]
        confirmed = check_evidence_file_to_result(answer.evidence, game=ref, claims={"open": same}).confirmed
        assert confirmed is not None
        assert confirmed.decision.value is value
    moved = Question(**{**_parts(question), "values": {"start.coins": "1"}})
    assert check_evidence_file_to_result(coins.answers[-1].evidence, game=ref, claims={"open": moved}).confirmed is None


def _parts(question: Question) -> dict[str, object]:
    return {name: getattr(question, name) for name in ("id", "ask", "of", "within", "says")}


def test_the_command_says_the_smallest_change(
    poor: tuple[str, Path, dict[str, RaisedNumberResult]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ref, _, _ = poor
    arguments = [ref, "--claim", "open", "--number", "start.coins", "--number", "days", "--work", "5"]
    run_command_line_and_get_exit_status(["prove", "whatif", *arguments, "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "open: no, because games come to 5 states, and it is in none of them: " in printed
    assert "start.coins              0 -> 2: yes\n" in printed
    assert "days                     4 -> 6: the same\n" in printed


@pytest.mark.parametrize(
    ("claim", "given", "only", "message"),
    [
        ("open", {"start.coins": "4"}, [], "it can happen already"),
        ("never-late", {}, [], "a `reach` or a `minimum`"),
        ("open", {}, ["start.cions"], "there is no number start.cions"),
        ("opne", {}, [], "there is no claim `opne`"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    poor: tuple[str, Path, dict[str, RaisedNumberResult]],
    claim: str,
    given: dict[str, str],
    only: list[str],
    message: str,
) -> None:
    with pytest.raises(InputError) as refused:
        list(iter_answers_to_claim_with_raised_numbers(poor[0], claim, given, number_names=only, max_work=5))
    assert message in refused.value.findings[0].message


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"start.coins": "10"}, "expected a number from 0 to 9"),
        ({"start.coins": "-1"}, "expected a number from 0 to 9"),
        ({"start.coins": "two"}, "expected a number from 0 to 9"),
        ({"start.result": "1"}, "starts with coins, keys, day"),
        ({"start.both": "1"}, "starts with coins, keys, day"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(
    poor: tuple[str, Path, dict[str, RaisedNumberResult]], option: dict[str, str], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        build(poor[0], Options(option))


def test_a_usual_start_is_no_other_setting(poor: tuple[str, Path, dict[str, RaisedNumberResult]]) -> None:
    assert build(poor[0], Options({"start.coins": "0"})).setting["options"] == {}
    assert build(poor[0], Options({"start.coins": "3"})).setting["options"] == {"start.coins": "3"}
