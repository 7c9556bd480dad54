"""What claims depend on: each option and ruling by itself, with evidence that holds on or a new answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from rich.console import Console

from playproof.cli.main import iter_full_names_of_all_commands, run_command_line_and_get_exit_status
from playproof.verifier.analysis.choices import (
    ASKED,
    LATE,
    SAME_EVIDENCE,
    SAME_RULES,
    ClaimsUnderChoice,
    ClaimUnderChoice,
    NonDefaultChoice,
    build_table_of_choices,
    iter_claims_under_each_choice,
)
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.induction import Lemma, StepChecker
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.statements import PHASES_END, Property
from playproof.verifier.proof.certificate_offers import load_digests_of_proved_steps_or_empty
from playproof.verifier.proof.certify import Certifier
from playproof.verifier.prove import CARRIED, VerifierRun, prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase, Progress
from playproof.verifier.search.random_games import RandomGames

pytestmark = pytest.mark.usefixtures("own_answers")
RULES = '''
from playproof import Game, Options, lose, otherwise, require, when, win


def build(options: Options) -> Game:
    """A purse of coins is paid out one or two at a time."""
    coins = options.number("coins", range(3, 6), 3)
    goal = options.choice("goal", ["none left", "four left"])
    tip = options.choice("tip", ["no", "yes"])
    options.choice("colour", ["red", "blue"])
    g = Game("purse")
    s = g.state
    g.integer("coins", 0, 5, coins)
    pay = g.phase("pay")

    @g.action(pay, "pay {amount}", amount=range(1, 3))
    def paying(amount) -> None:
        require(s.coins >= amount, "P1", "too few coins")
        if tip == "yes":
            require(s.coins != 1, "P2", "the last coin is a tip")
        s.coins -= amount
        with when(s.coins == (0 if goal == "none left" else 4)):
            win("paid")

    @g.action(pay, "give up")
    def give_up() -> None:
        lose("enough")

    return g
'''


CLOCK = '''
"""A clock that runs by itself, up or down."""

from playproof import Game, Options, goto, lose, otherwise, when


def build(options: Options) -> Game:
    """Nobody decides but to wait or to stop."""
    up = options.choice("way", ["up", "down"]) == "up"
    g = Game("clock")
    s = g.state
    g.integer("hour", 0, 6, 3)
    run, act = g.automatic("run"), g.phase("act")
    g.start(act)

    @g.on(run)
    def tick() -> None:
        with when(s.hour == (6 if up else 0)):
            s.hour = 3
            goto(act)
        with otherwise():
            s.hour += 1 if up else -1

    @g.action(act, "wait")
    def wait() -> None:
        goto(run)

    @g.action(act, "stop")
    def stop() -> None:
        lose("stopped")

    return g
'''


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ClaimsUnderChoice]]:
    folder = tmp_path_factory.mktemp("purse")
    (folder / "rules.py").write_text(RULES)
    return folder, list(iter_claims_under_each_choice(str(folder), max_work=5, remember=False))


Rows = tuple[Path, list[ClaimsUnderChoice]]


def test_each_choice_is_looked_at_by_itself(rows: Rows) -> None:
    assert [row.choice.text for row in rows[1]] == [
        "coins=4", "coins=5", "goal=four left", "tip=yes", "colour=blue",
    ]  # fmt: skip
    assert len({tuple(under.question.id for under in row.claims) for row in rows[1]}) == 1


def test_what_it_says_is_what_prove_answers_there(rows: Rows) -> None:
    folder, found = rows
    for row in found:
        name, _, value = row.choice.text.partition("=")
        there = {a.id: a.value for a in prove(str(folder), {name: value}, work=5, machine=False)}
        assert {under.question.id: under.value for under in row.claims} == there


def test_where_rules_or_evidence_hold_nothing_is_asked_again(rows: Rows) -> None:
    ways = {row.choice.text: {under.how for under in row.claims} for row in rows[1]}
    assert ways["colour=blue"] == {SAME_RULES}
    assert ways["coins=5"] == {SAME_EVIDENCE, ASKED}


def test_a_word_that_a_claim_does_not_name_changes_nothing_for_it(tmp_path: Path) -> None:
    """The premises of a claim are those of `errata` and `mutate`: the rules, and the words that it names."""
    words = RULES.replace("    options.choice(", "    colour = options.choice(").replace(
        '"give up")', 'f"drop the {colour}")'
    )
    (tmp_path / "rules.py").write_text(words)
    (tmp_path / "claims.yaml").write_text(
        "claims:\n"
        "  winnable: {ask: reach, says: All is paid., of: {outcome: win}, expect: true}\n"
        "  used: {ask: dead, says: Every action is taken., of: {every: action}, expect: none}\n"
    )
    [row] = iter_claims_under_each_choice(str(tmp_path), choice_names=["colour"], max_work=5, remember=False)
    ways = {under.question.id: under.how for under in row.claims}
    assert ways["winnable"] == SAME_RULES
    assert ways["used"] != SAME_RULES


def test_evidence_that_was_written_is_not_searched_for(rows: Rows, tmp_path: Path) -> None:
    folder, found = rows
    prove(str(folder), work=5, machine=False, output=tmp_path)
    again = list(iter_claims_under_each_choice(str(folder), max_work=5, output=tmp_path))
    assert [[(u.value, u.differs) for u in row.claims] for row in again] == [
        [(u.value, u.differs) for u in row.claims] for row in found
    ]
    assert {under.usual.method for row in again for under in row.claims} == {CARRIED}


def test_a_run_that_was_stopped_goes_on(
    rows: Rows, own_answers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, found = rows
    only = [under.question.id for under in found[0].claims][:3]

    def late(work: float = 5, **how: bool) -> list[ClaimsUnderChoice]:
        """What is known without any time."""
        each = iter_claims_under_each_choice(str(folder), max_work=work, claim_ids=only, cpu_seconds=1e-9, **how)
        return list(each)

    begun = iter_claims_under_each_choice(str(folder), max_work=5, claim_ids=only)
    next(begun), next(begun)  # and no more
    last = max(own_answers.iterdir(), key=lambda file: file.stat().st_mtime_ns)
    last.write_text(last.read_text("utf-8")[:-20], "utf-8")  # as if it was killed while it wrote
    rest = late()
    assert [sum(under.reason != LATE for under in row.claims) for row in rest] == [3, 2, 0, 0, 0]
    assert [sum(under.earlier for under in row.claims) for row in rest] == [3, 2, 0, 0, 0]
    assert [replace(u, earlier=False).as_json() for u in rest[0].claims] == [u.as_json() for u in found[0].claims][:3]
    assert {under.reason for row in late(work=6) for under in row.claims} == {LATE}
    assert {under.reason for row in late(remember=False) for under in row.claims} == {LATE}
    command = ["prove", "depends", str(folder), "--work", "5", "--within", "1e-9"]
    for more, said in ([], True), (["--fresh"], False):
        run_command_line_and_get_exit_status([*command, *(word for name in only for word in ("--claim", name)), *more])
        assert ("5 answers are of earlier runs" in capsys.readouterr().err) == said
    monkeypatch.setattr(
        "playproof.verifier.questions.premises.compute_digest_of_program_code", lambda _: "a later program"
    )
    assert {under.reason for row in late() for under in row.claims} == {LATE}


def test_the_keyboard_stops_all(rows: Rows, own_answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not one claim after the other; what was said is stored."""
    folder, found = rows
    only = [under.question.id for under in found[0].claims][:3]
    begun = iter_claims_under_each_choice(str(folder), max_work=5, claim_ids=only)
    next(begun)

    def pressed(self: VerifierRun, question: Question, claims: object, budget: Budget) -> Conclusion:
        budget.stopped = True
        return Conclusion(None, "", (), "stopped by hand")

    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", pressed)
    with pytest.raises(KeyboardInterrupt):
        next(begun)
    assert len(list(own_answers.iterdir())) == 3


def test_without_time_all_is_open_and_says_so(rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = rows
    late = list(iter_claims_under_each_choice(str(folder), cpu_seconds=1e-9))
    assert all(under.open and under.reason == LATE and not under.differs for row in late for under in row.claims)
    run_command_line_and_get_exit_status(["prove", "depends", str(folder), "--within", "1e-9", "--out", str(tmp_path)])
    assert f"no time was left for {len(late[0].claims)} claims" in capsys.readouterr().out


def test_a_run_with_little_time_says_something_of_each_choice(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims are asked as usual some at a time, and a hard one leaves time for the others."""
    monkeypatch.setattr("playproof.verifier.analysis.choices._AT_ONCE", 2)
    folder, found = rows
    said, limits, find = list[str](), dict[str, float](), VerifierRun.find_certified_conclusion

    def ask(self: VerifierRun, question: Question, claims: Mapping[str, Question], budget: Budget) -> Conclusion:
        limits.setdefault(question.id, budget.work)
        return find(self, question, claims, budget)

    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", ask)
    under = iter_claims_under_each_choice(
        str(folder), choice_names=["coins=4"], max_work=1e9, cpu_seconds=1e6, progress=said.append, remember=False
    )
    (row,) = under
    ids = [claim.question.id for claim in row.claims]
    assert [(c.value, c.differs) for c in row.claims] == [(c.value, c.differs) for c in found[0].claims]
    asked = [text for text in said if " as usual" in text or " under " in text]
    assert asked[:4] == [
        f"1 of {len(ids)} as usual", f"2 of {len(ids)} as usual",
        f"{ids[0]} under coins=4", f"{ids[1]} under coins=4",
    ]  # fmt: skip
    assert all(9e4 < limit <= 1e5 for limit in limits.values())


def test_what_had_too_little_time_is_not_stored_as_an_answer(
    rows: Rows, own_answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later run with the same work may have more time for it."""
    folder, _ = rows

    def give_up(self: VerifierRun, question: Question, claims: object, budget: Budget) -> Conclusion:
        return Conclusion(None, "", (), f"work: {budget.work:g} units were used")

    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", give_up)
    for seconds, reasons, files in ((8.0, {LATE}, 0), (1e9, {"work: 5 units were used"}, 1)):
        (row,) = iter_claims_under_each_choice(
            str(folder), claim_ids=["bounds"], choice_names=["coins=4"], max_work=5, cpu_seconds=seconds
        )
        assert {claim.reason for claim in row.claims} == reasons
        assert len([file for file in own_answers.rglob("*") if file.is_file()]) >= files


def test_the_command_names_what_differs(rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, found = rows
    assert "prove depends" in set(iter_full_names_of_all_commands())
    run_command_line_and_get_exit_status(["prove", "depends", str(folder), "--work", "5", "--out", str(tmp_path)])
    printed, _, table = capsys.readouterr().out.partition("\n\n")
    blocks = {block.split("\n")[0]: block for block in re.split(r"\n(?=\w)", printed)}
    assert any(row.changed for row in found)
    for row in found:
        lines = blocks[row.choice.text]
        assert all(f"{under.question.id} " in lines for under in row.changed)
        assert lines.count(" becomes ") == len(row.changed)
    assert [line.split("  ")[0] for line in table.splitlines() if not line.startswith(" ")] == [
        "choice",
        *(row.choice.text for row in found),
    ]


def test_one_table_says_what_each_choice_changes(rows: Rows) -> None:
    """Each claim is counted once, or named."""
    _, found = rows
    like_markup = ClaimsUnderChoice(NonDefaultChoice("A1", "[b]", ruling=True), found[0].claims)
    console = Console(width=150, record=True, file=StringIO())
    console.print(build_table_of_choices([like_markup, *found]))
    head, first, *lines = [re.split(r" {2,}", line) for line in console.export_text().splitlines()]
    assert head[:4] == ["choice", "same", "same if", "open"]
    assert first[0] == "A1=[b]"
    for row, line in zip(found, lines, strict=True):
        counts, named = [0 if cell == "-" else int(cell) for cell in line[1:4]], line[4].split(", ")
        assert line[0] == row.choice.text
        assert sum(counts) + len(row.changed) == len(row.claims)
        assert counts[2] == len(row.open)
        assert {name.split(" (")[0] for name in named} - {"-", ""} == {under.question.id for under in row.changed}


def test_only_the_choices_that_are_named_are_looked_at(
    rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, found = rows
    some = list(iter_claims_under_each_choice(str(folder), max_work=5, choice_names=["tip=yes", "coins"]))
    assert [row.format_differences_as_lines() for row in some] == [
        row.format_differences_as_lines() for row in found if row.choice.name in ("coins", "tip")
    ]
    assert (
        run_command_line_and_get_exit_status(
            ["prove", "depends", str(folder), "--choice", "tips", "--choice", "coins=3", "--out", str(tmp_path)]
        )
        == 2
    )
    said = capsys.readouterr().err
    assert "PP704 there is no other choice `tips`" in said
    assert 'did you mean "tip"?' in said
    assert re.search(r"there is no other choice `coins=3` \(did you mean \"coins=[45]\"\?\)", said)


def test_open_claims_with_one_reason_are_named_together() -> None:
    usual, choice = Conclusion(True, "", ()), NonDefaultChoice("tip", "yes", ruling=True)

    def under(name: str, reason: str) -> ClaimUnderChoice:
        return ClaimUnderChoice(Question(name, "always", "coins >= 0"), usual, None, False, ASKED, reason)

    late, hard = under("late", LATE), under("hard", "work: 3 units were used")
    words = ClaimsUnderChoice(
        choice, (under("a", "no `tip`"), late, hard, under("b", "no `tip`"))
    ).format_differences_as_lines()
    assert words.splitlines() == [
        "tip=yes",
        "  2 claims open: no `tip`",
        "    a, b",
        "  hard                         open: work: 3 units were used",
        "  no time was left for 1 claim",
    ]


def test_evidence_that_leans_on_bounds_as_usual_holds_where_they_are_not_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing shows the bounds here, as in large games: the answers rest on them, with and without the choice."""
    monkeypatch.setattr(Certifier, "_try_to_prove_assumed_properties_quickly", lambda *_: None)
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda *_: None)
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    law = "{action: paying, changes: {coins: 0 - amount}}"
    (tmp_path / "claims.yaml").write_text(f"claims: {{few: {{ask: step, says: It pays., of: {law}}}}}", "utf-8")
    rows = {row.choice.text: row.claims[0] for row in iter_claims_under_each_choice(str(tmp_path), max_work=5)}
    assert rows["coins=4"].usual.assumed == ("bounds",)
    assert {rows[choice].how for choice in ("coins=4", "goal=four left", "tip=yes")} == {SAME_EVIDENCE}


def test_what_rests_on_bounds_there_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With four coins nothing shows the bounds; with three they are shown."""
    ground, offer_old = (
        Certifier._try_to_prove_assumed_properties_quickly,
        Certifier._offer_certificates_and_remember_refused,
    )

    def no_ground(self: Certifier, wanted: Sequence[str]) -> None:
        if not self.question.values.get("coins"):
            ground(self, wanted)

    def no_bounds(self: Certifier, certificates: Sequence[Certificate]) -> None:
        offer_old(self, [c for c in certificates if not isinstance(c.build_proved_statement().about, Property)])

    monkeypatch.setattr(Certifier, "_try_to_prove_assumed_properties_quickly", no_ground)
    monkeypatch.setattr(Certifier, "_offer_certificates_and_remember_refused", no_bounds)
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda *_: None)
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    law = "{action: paying, changes: {coins: 0 - amount}}"
    (tmp_path / "claims.yaml").write_text(f"claims: {{few: {{ask: step, says: It pays., of: {law}}}}}", "utf-8")
    rows = {row.choice.text: row for row in iter_claims_under_each_choice(str(tmp_path), max_work=5)}
    [under] = rows["coins=4"].claims
    assert (under.usual.assumed, under.value, under.how) == ((), True, SAME_EVIDENCE)
    assert under.reason == "if no value leaves its bounds, which was not shown"
    assert rows["coins=4"].format_differences_as_lines().splitlines() == [
        "coins=4",
        "  the same for 1 claim: 1 the same evidence holds, if no value leaves its bounds, which was not shown",
    ]
    assert rows["tip=yes"].claims[0].reason == ""


def test_what_leans_on_a_condition_that_is_shown_next_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in large games, where bounds are shown before it is known that automatic phases end."""
    (tmp_path / "rules.py").write_text(CLOCK, encoding="utf-8")
    real, asked = VerifierRun.find_certified_conclusion, Counter[str]()

    def find(self: VerifierRun, question: Question, claims: Mapping[str, Question], budget: Budget) -> Conclusion:
        found = real(self, question, claims, budget)
        asked[question.id] += question.values.get("way") == "down"
        early = question.id == "bounds" and asked["bounds"] == 1 and question.values.get("way") == "down"
        return replace(found, assumed=(PHASES_END,)) if early else found

    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", find)
    for _ in range(2):  # what is known at last is kept for the next run
        (row,) = iter_claims_under_each_choice(
            str(tmp_path), choice_names=["way=down"], max_work=5, output=tmp_path / "out"
        )
        assert {under.method_with_condition for under in row.claims} <= {SAME_EVIDENCE, ASKED}
    assert asked["bounds"] == 2
    assert set(asked.values()) == {1, 2}


def test_work_limits_a_claim_under_a_choice_whatever_its_own_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    (tmp_path / "claims.yaml").write_text(
        "claims: {few: {ask: always, says: Few., of: coins <= 3, budget: 600}}", encoding="utf-8"
    )
    works: list[float] = []

    def budget(work: float, progress: Progress | None) -> Budget:
        works.append(work)
        return Budget(work, progress=progress)

    monkeypatch.setattr("playproof.verifier.analysis.choices.Budget", budget)
    rows = {
        row.choice.text: row.claims
        for row in iter_claims_under_each_choice(str(tmp_path), max_work=5, claim_ids=["few"])
    }
    assert [under.differs for under in rows["coins=5"]] == [True]
    assert works[0] == 600
    assert set(works[1:]) == {5}


def test_what_others_rest_on_has_work_for_each_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    (tmp_path / "claims.yaml").write_text(
        "claims:\n"
        "  bounds: {ask: always, says: Bounds., of: bounds}\n"
        "  few: {ask: always, says: Few., of: coins <= 3}\n"
        "  still: {ask: always, says: Few., of: coins <= 4, given: [few]}\n"
        "  more: {ask: always, says: Few., of: coins <= 5, given: [still]}\n",
        encoding="utf-8",
    )
    works: dict[str, float] = {}
    found = VerifierRun.find_certified_conclusion

    def find(self: VerifierRun, question: Question, claims: Mapping[str, Question], budget: Budget) -> Conclusion:
        works[question.id] = budget.work
        return found(self, question, claims, budget)

    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", find)
    claims = ["bounds", "few", "still", "more"]
    list(iter_claims_under_each_choice(str(tmp_path), max_work=5, claim_ids=claims))
    assert works == {"bounds": 20, "few": 15, "still": 10, "more": 5}


def test_a_claim_may_be_about_what_is_a_choice_for_others(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    claims = [("first", "{coins: '3'}"), ("few", "{}"), ("left", "{goal: four left}")]
    lines = (f"  {name}: {{ask: always, says: Few., of: coins <= 3, options: {options}}}" for name, options in claims)
    (tmp_path / "claims.yaml").write_text("claims:\n" + "\n".join(lines), encoding="utf-8")
    names = [name for name, _ in claims]
    rows = {r.choice.text: r.claims for r in iter_claims_under_each_choice(str(tmp_path), max_work=5, claim_ids=names)}
    assert {u.question.id for u in rows["goal=four left"]} == {"first", "few"}
    assert {u.question.id: u.value for u in rows["tip=yes"]} == dict.fromkeys(names, True)
    assert {u.question.id: u.value for u in rows["coins=5"]} == {"few": False, "left": False}


def test_conditions_of_evidence_that_fails_are_not_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One layer of a certificate is broken here: the other serves a claim that rests on it. What was refused once is
    not offered again."""
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    case = GameCase(str(tmp_path), machine=False)
    few = Question("few", "always", "coins <= 3")
    claim = Question("fewer", "always", "coins <= 4", given=(few,))
    layers = (Lemma(("coins <= 3",), True, ()), Lemma(("coins == 3",), True, (), (0,)))
    certificate = InvariantCertificate(Property("bounds"), layers)
    certifier = Certifier(case, claim, Budget(5))
    assert not certifier.try_to_answer_by_earlier_certificates([certificate])
    monkeypatch.setattr(
        "playproof.verifier.proof.certify.plan_lemma_with_splits_or_none", lambda *_: pytest.fail("looked for")
    )
    assert certifier.try_to_answer_by_claim_conditions()
    offered: list[InvariantCertificate] = []
    monkeypatch.setattr(
        Certifier, "_offer_certificates_and_remember_refused", lambda _, certificates: offered.extend(certificates)
    )
    assert not Certifier(case, claim, Budget(5)).try_to_answer_by_earlier_certificates([certificate])
    assert not offered
    assert not Certifier(case, claim, Budget(600)).try_to_answer_by_earlier_certificates([certificate])
    assert offered == [certificate]  # the kernel may take longer now


def test_what_an_earlier_run_showed_of_steps_is_not_asked_again(
    rows: Rows, tmp_path: Path, own_answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = rows
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda *_: None)
    first = [row.as_json() for row in iter_claims_under_each_choice(str(folder), max_work=5, claim_ids=["bounds"])]
    kept = load_digests_of_proved_steps_or_empty()
    assert kept
    for answer in own_answers.iterdir():  # of steps alone is anything known now
        answer.unlink()
    monkeypatch.setattr(StepChecker, "require_z3_excludes_bad_step", lambda *_: pytest.fail("asked"))
    assert [
        row.as_json() for row in iter_claims_under_each_choice(str(folder), max_work=5, claim_ids=["bounds"])
    ] == first


def test_lines_are_followed_under_the_other_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one coin more is there, the line that pays three does not win; what goes on from it does."""
    (tmp_path / "rules.py").write_text(RULES, "utf-8")
    (tmp_path / "claims.yaml").write_text("claims: {won: {ask: reach, says: One wins., of: {outcome: win}}}", "utf-8")
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda *_: None)
    prove(str(tmp_path), work=5, machine=False, output=tmp_path)
    monkeypatch.setattr(RandomGames, "search_lines_by_target_position", lambda *_: pytest.fail("searched"))
    rows = list(islice(iter_claims_under_each_choice(str(tmp_path), max_work=5, output=tmp_path), 2))
    assert [(row.choice.text, row.claims[0].value, row.claims[0].how) for row in rows] == [
        ("coins=4", True, ASKED),
        ("coins=5", True, ASKED),
    ]
