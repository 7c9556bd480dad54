"""Claims that cannot be understood: each is told at its place before any is answered, and no word is passed over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.language.options import Options
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.prove import load_claims_as_questions_or_raise, prove
from playproof.verifier.questions.claim_check import list_mistakes_in_questions
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import (
    Conclusion,
    Verdict,
    decide_verdict_from_value_and_expectation,
    format_value_for_people,
)

WIN = {"outcome": "win"}
WRONG = [
    (Question("q", "never", {"outcome": "win", "resaon": "line"}), "unknown key `resaon` beside `outcome`"),
    (Question("q", "always", {"holds": "turn <= 1", "wiht": []}), "unknown key `wiht` beside `holds`"),
    (Question("q", "always", {"holds": "turn <= 1", "with": 3}), "expected `with` as a list of conditions, found 3"),
    (Question("q", "always", {"holds": "turn <= 1", "with": ["trun <= 1"]}), "`trun` is neither a quantity"),
    (Question("q", "always", {"holds": "board >= 0"}), "`board` has several cells"),
    (Question("q", "always", {"ends": "soon"}), "expected `ends` as a whole number of steps, found 'soon'"),
    (Question("q", "always", {"ends": True}), "expected `ends` as a whole number of steps, found True"),
    (Question("q", "always", "bounds", within="turn > 0"), "`within` says nothing here"),
    (Question("q", "step", {"action": "mark", "leads": "turn < 2"}, within="turn > 0"), "`within` says nothing"),
    (Question("q", "example", {"line": []}, within={"turn": 0}), "`within` says nothing in `example`"),
    (Question("q", "example", {"line": [], "thne": ["turn == 1"]}), "expected `of` as {line: [...], end: ..."),
    (Question("q", "example", {"line": [], "then": "turn == 1"}), "expected `of` as {line: [...], end: ..."),
    (Question("q", "worth", {"length": "all"}, expect="much"), "expected `expect` as a number or fraction"),
    (Question("q", "worth", {"length": "all"}, expect=True), "expected `expect` as a number or fraction"),
    (Question("q", "worth", {"length": "all"}, within="turn > 0"), "`within` says nothing in `worth`"),
    (Question("q", "equilibrium", within="turn > 0"), "`within` says nothing in `equilibrium`"),
    (Question("q", "reach", WIN, chance="worst"), "`chance` says nothing in `reach`"),
    (Question("q", "never", WIN, seeing="all"), "`seeing` says nothing in `never`"),
    (Question("q", "same", {"ask": "reach", "of": WIN, "chance": "best"}), "`chance` says nothing in `reach`"),
    (Question("q", "same", {"ask": "reach", "of": WIN}, chance="best"), "`chance` says nothing in `same`"),
    (Question("q", "always", {"invariant": "bounds", "with": ["trun <= 1"]}), "`trun` is neither a quantity"),
    (Question("q", "always", {"invariant": "bounds", "wiht": []}), "unknown key `wiht` beside `invariant`"),
    (Question("q", "always", "bound"), "`bound` is neither a quantity nor a field"),
    (Question("q", "reach", {"every": "action", "within": 3}), "unknown key `within` beside `every`"),
    (Question("q", "reach", {"not": WIN, "seat": 1}), "unknown key `seat` beside `not`"),
    (Question("q", "reach", {"action": "mark", "speed": 3}), "action `mark` has no parameter `speed`"),
    (Question("q", "reach", {"action": "plaec"}), "no action `plaec`"),
    (Question("q", "reach", None), "expected what the claim is about, found None"),
    (Question("q", "reach", WIN, within=[7]), "expected `within` as a condition"),
    (Question("q", "reach", WIN, expect=6), "expected `expect` as true or false, found 6"),
    (Question("q", "reach", WIN, values={"board": 3}), "board"),
    (Question("q", "maximum", {"quantity": "turn"}), "expected `of` as {number: ..., when: target}"),
    (Question("q", "maximum", {"number": "turn", "wen": WIN}), "unknown key `wen` beside `number`"),
    (Question("q", "minimum", None), "expected `of` as {number: ..., when: target}"),
    (Question("q", "step", {"action": "mark", "neds": "turn > 0", "changes": {}}), "has no parameter `neds`"),
    (Question("q", "reach", {"outcome": ["lost"]}), "outcome `lost`"),
    (Question("q", "reach", {"outcome": []}), "`outcome` is an empty list"),
    (Question("q", "reach", {"outcome": {"a": 1}}), "outcome `{'a': 1}`"),
    (Question("q", "reach", {"outcome": None}), "outcome `None`"),
    (Question("q", "dead", {"every": {"quantity": "glod*"}}), "no quantity fits `glod*`"),
    (Question("q", "step", {"action": [], "needs": "turn > 0"}), "an empty list of actions"),
    (Question("q", "step", {"action": "mark", "changes": []}), "expected `changes` as `number: by how much`"),
    (Question("q", "luck", WIN, expect="likely"), "expected `expect` as a chance, found 'likely'"),
    (Question("q", "luck", WIN, expect=1.5), "expected `expect` as a chance, found 1.5"),
    (Question("q", "luck", WIN, expect="1/0"), "expected `expect` as a chance, found '1/0'"),
    (Question("q", "same", {"claim": "zz"}), "there is no claim `zz`"),
    (Question("q", "tune", WIN), "expected `of` as {claim: id} or {ask: ..., of: ...}"),
    (Question("q", "same", {"ask": "reach", "of": {"outcome": "won"}}), "outcome `won`"),
]


@pytest.mark.parametrize(("question", "message"), WRONG, ids=lambda x: x if isinstance(x, str) else "")
def test_what_cannot_be_understood_is_told_before_anything_is_asked(question: Question, message: str) -> None:
    good = Question("first", "reach", WIN)
    with pytest.raises(InputError) as told:
        prove("tic_tac_toe", claims=[good, question], answered=lambda _: pytest.fail("asked"))
    [finding] = told.value.findings
    assert finding.message.startswith("claim `q`: ")
    assert message in finding.message


ODD: tuple[object, ...] = (["loss"], [], {"a": 1}, {}, None, 1.5, True, -1, "", [None], "2026-01-01")
SHAPES: list[tuple[str, dict[str, object]]] = [
    ("reach", {"outcome": "win", "reason": "three in a row", "seat": 0}),
    ("reach", {"action": "mark", "cell": 3}),
    ("reach", {"reach": "turn > 0", "with": ["turn > 0"]}),
    ("dead", {"every": "ending"}),
    ("dead", {"every": {"action": "mark"}}),
    ("dead", {"every": {"quantity": "turn"}}),
    ("never", {"not": WIN}),
    ("always", {"invariant": "bounds", "with": ["turn > 0"]}),
    ("always", {"ends": 9}),
    ("maximum", {"number": "turn", "when": WIN}),
    ("same", {"ask": "reach", "of": WIN, "within": None, "chance": "mean", "seeing": "", "expect": None}),
    ("same", {"claim": "q"}),
    ("step", {"action": "mark", "when": "turn > 0", "needs": "turn > 0", "leads": "turn > 0", "changes": {"turn": 1}}),
    ("step", {"phase": "x", "changes": {"turn": 1}}),
    ("step", {"when": "turn > 0", "can": {"action": "mark"}}),
]


def test_every_value_of_another_shape_is_read_or_told() -> None:
    wrong = {}
    for ask, of in SHAPES:
        changed = [of | {key: odd} for key in of for odd in ODD]
        inside = [of | {k: v | {key: odd}} for k, v in of.items() if isinstance(v, dict) for key in v for odd in ODD]
        for n, spec in enumerate([*changed, *inside, *ODD]):
            wrong[f"{ask} {sorted(of)} {n}"] = Question("q", ask, spec)
    told = list_mistakes_in_questions("tic_tac_toe", wrong.values(), {"q": Question("q", "reach", WIN)})
    assert len(told) > len(SHAPES) * len(ODD)
    assert all(one.code.startswith("PP70") for one in told)


def test_a_claim_that_is_given_is_read_too_and_told_once() -> None:
    given = Question("given", "always", {"holds": "trun <= 1"})
    leaning = [Question(name, "always", "bounds", given=(given,)) for name in ("a", "b")]
    with pytest.raises(InputError) as told:
        prove("tic_tac_toe", claims=leaning, answered=lambda _: pytest.fail("asked"))
    [finding] = told.value.findings
    assert finding.message.startswith("claim `given`: `trun` is neither a quantity")


def test_all_mistakes_are_told_at_once() -> None:
    wrong = {f"q{n}": replace(question, id=f"q{n}") for n, (question, _) in enumerate(WRONG)}
    assert len(list_mistakes_in_questions("tic_tac_toe", wrong.values(), wrong)) == len(WRONG)


@pytest.mark.parametrize("game", [*list_bundled_game_names(), *list_example_game_names()])
def test_every_shipped_claim_is_understood(game: str) -> None:
    known = load_claims_as_questions_or_raise(game) if game in list_bundled_game_names() else {}
    assert list_mistakes_in_questions(game, known.values(), known) == []


def test_check_does_not_read_a_claim_that_prove_would_refuse(tmp_path: Path) -> None:
    claims = {"q": Question("q", "reach", WIN)}
    [answer] = prove("tic_tac_toe", claims=claims.values(), output=tmp_path)
    assert check_evidence_file_to_result(answer.evidence, claims=claims).findings == ()
    other = {"q": Question("q", "reach", {**WIN, "resaon": "line"})}
    text = Path(answer.evidence).read_text(encoding="utf-8")
    Path(answer.evidence).write_text(
        text.replace('"outcome": "win"', '"outcome": "win", "resaon": "line"'), encoding="utf-8"
    )
    assert "unknown key `resaon`" in check_evidence_file_to_result(answer.evidence, claims=other).findings[0].message


@pytest.mark.parametrize(
    ("expect", "verdict"),
    [
        ("31/180", Verdict.PROVEN),
        (0.172222222, Verdict.PROVEN),
        (0.172222, Verdict.PROVEN),
        (0.172223, Verdict.REFUTED),
        (0.17, Verdict.REFUTED),
        (0, Verdict.REFUTED),
        (1, Verdict.REFUTED),
        ("31/181", Verdict.REFUTED),
        (True, Verdict.REFUTED),
        (None, Verdict.PROVEN),
    ],
)
def test_a_chance_may_be_expected_as_a_fraction_or_as_it_is_printed(expect: object, verdict: Verdict) -> None:
    assert decide_verdict_from_value_and_expectation(Conclusion(0.172222222, "exploration"), expect) is verdict


@pytest.mark.parametrize("value", [8.141794894, 0.056560034, 34.484806, 10737418245.52, 0.5, 2.0, 0.999999998])
def test_a_number_that_prove_prints_may_be_expected(value: float) -> None:
    """8.14179 was printed, and was refuted by 8.141794894: with fewer than six decimals a number is exact."""
    assert (
        decide_verdict_from_value_and_expectation(Conclusion(value, "exploration"), format_value_for_people(value))
        is Verdict.PROVEN
    )


def test_settings_that_are_the_defaults_need_no_game_of_their_own() -> None:
    options = Options()
    options.choice("players", [2, 3])
    options.ruling("A1", "kept", ["lost"])
    assert options.are_all_default_values({"players": "2"}, {"A1": "kept"})
    assert options.are_all_default_values({}, {})
    assert not options.are_all_default_values({"players": "3"}, {})
    assert not options.are_all_default_values({}, {"A1": "lost"})
    assert not options.are_all_default_values({"plyers": "2"}, {})  # the game refuses this word; nothing hides it
    assert not options.are_all_default_values({}, {"players": "2"})  # an option is no ruling
