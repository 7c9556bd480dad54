"""An erratum's claims before and after, in verdicts and in words."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.worker_processes import WorkerProcesses
from playproof.errata import claim_asker, claims
from playproof.errata.claim_asker import ClaimAsker, ClaimLimits, CpuBudgetOfCores
from playproof.errata.claim_comparison import GameVersions, list_sentences_on_changed_answers_by_part
from playproof.errata.claims import compare_claim_answers_in_two_versions
from playproof.verifier.check import RequestedSettings, list_findings_on_evidence_file
from playproof.verifier.prove import CARRIED, VerifierRun, load_claims_as_questions_or_raise, prove
from playproof.verifier.questions.verdicts import (
    Answer,
    Conclusion,
    Verdict,
    describe_options_or_game,
    summarize_winning_or_none,
)
from tests.verifier.unaffected import differing

WIN = {"outcome": "win"}
CLAIMS = """\
claims:
  winnable: {ask: reach, says: The game can be won., of: {outcome: win}, expect: true}
  most-coins: {ask: maximum, says: So many Coins can be brought home., of: {number: coins, when: {outcome: win}}}
  useless: {ask: dead, says: No card is out of reach., of: {every: {action: draw path}}}
"""
ERRATUM = """\
version: "1.1"
date: 2026-11-20
note: The ferryman was too greedy.
changes:
  - {component: "06", path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A small game with cards, claims and an erratum."""
    run_command_line_and_get_exit_status(["new", "lamp_walk", "--in", str(tmp_path)])
    folder = tmp_path / "lamp_walk"
    (folder / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    (folder / "errata").mkdir()
    (folder / "errata" / "1.1.yaml").write_text(ERRATUM, encoding="utf-8")
    return folder


def test_one_hard_claim_leaves_time_to_the_others(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim about winning, which is asked first of the rest, would take all the time that there is: it gets a part,
    and what is left when all others were asked."""
    asked: list[tuple[str, float]] = []
    answer = claims._answer_in_old_and_new_version

    def note(question: Any, share_of_time: float, **how: Any) -> Any:
        asked.append((question.id, share_of_time))
        late = question.id == "most-coins" and share_of_time < 1
        return (None, None) if late else answer(question, share_of_time, **how)

    monkeypatch.setattr(claims, "_answer_in_old_and_new_version", note)
    comparison = compare_claim_answers_in_two_versions(
        str(game), False, "1.1", within=20, work=6, machine=False, remember=False
    )
    assert asked[-1] == ("most-coins", 1.0)
    assert {ident for ident, share in asked[:-1] if share < 1} == {"winnable", "most-coins", "useless"}
    assert not comparison.waiting


def test_what_forked_processes_spent_is_spent_by_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = [100.0]
    monkeypatch.setattr(claim_asker, "measure_cpu_seconds", lambda: spent[-1])
    time = CpuBudgetOfCores(10.0, cores=2, _first=100.0)
    spent.append(103.0)
    assert time.seconds_left == pytest.approx(7.0)
    spent.append(108.0)  # with those of a process that has ended
    time.start_next_part()
    assert time.seconds_left == pytest.approx(6.0)


def test_claims_are_proved_before_and_after_an_erratum(game: Path, tmp_path: Path) -> None:
    comparison = compare_claim_answers_in_two_versions(
        str(game), False, "1.1", evidence_folder=tmp_path / "out", games=300, work=6, machine=False
    )
    assert comparison.ids_of_lost_claims == []
    before, after = ({a.id: a for a in side} for side in (comparison.before, comparison.after))
    assert before["winnable"].verdict is after["winnable"].verdict is Verdict.PROVEN
    assert isinstance(after["most-coins"].value, int)
    assert comparison.list_sentences_on_changed_answers()[0] == "The game lamp walk can still be won."
    assert {c["id"] for c in comparison.as_json()["claims"]} == {"winnable", "most-coins", "useless"}
    for answers, errata in ((comparison.before, False), (comparison.after, "1.1")):
        for answer in answers:
            assert (
                list_findings_on_evidence_file(answer.evidence, game=game, asked=RequestedSettings(errata=errata)) == []
            )
            assert [f.code for f in list_findings_on_evidence_file(answer.evidence, game=game)] == ["PP717"]
    assert before["winnable"].evidence != after["winnable"].evidence


def test_a_claim_about_the_cards_is_asked_where_the_rules_read_no_difference(game: Path) -> None:
    """Descriptions are equal: no rule reads how rare a card is. A claim about the cards does."""
    for name, old, new in (
        ("vocabulary.yaml", "      effects: effects", "      effects: effects\n      rare: integer"),
        ("paths.yaml", "effects: [", "rare: 2, effects: ["),
    ):
        file = game / name
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    change = 'changes:\n  - {component: "06", path: rare, from: 2, to: 3}\n'
    (game / "errata" / "1.1.yaml").write_text(ERRATUM.split("changes:")[0] + change, encoding="utf-8")
    counts = "  rare: {ask: ledger, says: So rare., of: {where: kind == path, sum: rare}}\n"
    (game / "claims.yaml").write_text(CLAIMS + counts, encoding="utf-8")
    versions = GameVersions(str(game), False, "1.1", load_claims_as_questions_or_raise(str(game), False))
    alike = {ident: versions.has_same_premises_in_both_versions(claim) for ident, claim in versions.claims.items()}
    assert alike == {"winnable": True, "most-coins": True, "useless": True, "rare": False}
    assert versions.settings_that_play_differently == []  # nothing to play: no rule reads it
    comparison = compare_claim_answers_in_two_versions(str(game), False, "1.1", only=["rare"])
    assert [a.value for a in (*comparison.before, *comparison.after)] == [12, 13]


def test_a_claim_is_asked_where_only_what_it_counts_changes(game: Path) -> None:
    """No step of play reads how rare a card is. A named quantity does, and an invariant; only claims read these."""
    for name, old, new in (
        ("vocabulary.yaml", "      effects: effects", "      effects: effects\n      rare: integer"),
        ("paths.yaml", "effects: [", "rare: 2, effects: ["),
        (
            "rules.py",
            'g.quantity("light", s.light)',
            'rare = sum(card.fields["rare"] for card in cards)\n'
            '    g.quantity("light", s.light)\n    g.quantity("treasure", s.coins * rare)\n'
            '    g.fact(invariants={"poor": s.coins * rare <= 144})',
        ),
    ):
        file = game / name
        file.write_text(file.read_text(encoding="utf-8").replace(old, new, -1), encoding="utf-8")
    change = 'changes:\n  - {component: "06", path: rare, from: 2, to: 3}\n'
    (game / "errata" / "1.1.yaml").write_text(ERRATUM.split("changes:")[0] + change, encoding="utf-8")
    claims = (
        "  most: {ask: maximum, says: So much., of: {number: treasure}, expect: 96}\n"
        "  poor: {ask: always, says: Nobody is rich., of: {invariant: poor}, expect: true}\n"
    )
    (game / "claims.yaml").write_text(f"claims:\n{claims}", encoding="utf-8")
    comparison = compare_claim_answers_in_two_versions(str(game), False, "1.1", remember=False)
    assert comparison.alike == ()
    answers = [(a.id, a.value) for a in (*comparison.before, *comparison.after)]
    assert answers == [("most", 96), ("most", 104), ("poor", True)]


def test_what_an_earlier_run_answered_is_not_asked_again(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither side is, and the evidence is written all the same; another limit of work is another question."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    first = compare_claim_answers_in_two_versions(str(game), False, "1.1", games=300, work=6, machine=False)
    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", no_search)
    again = compare_claim_answers_in_two_versions(
        str(game), False, "1.1", evidence_folder=tmp_path / "out", games=300, work=6, machine=False
    )
    assert [(a.id, a.verdict, a.value) for a in again.after] == [(a.id, a.verdict, a.value) for a in first.after]
    assert (
        list_findings_on_evidence_file(again.after[0].evidence, game=game, asked=RequestedSettings(errata="1.1")) == []
    )
    with pytest.raises(AssertionError, match="searched"):
        compare_claim_answers_in_two_versions(str(game), False, "1.1", games=300, work=7, machine=False)
    with pytest.raises(AssertionError, match="searched"):
        compare_claim_answers_in_two_versions(str(game), False, "1.1", games=300, work=6, machine=False, remember=False)


def no_search(*_: object) -> Conclusion:
    raise AssertionError("searched")


def test_evidence_of_one_version_is_checked_for_the_other(game: Path) -> None:
    """What it says still comes from the kernel: the verdicts are those of a run that knows nothing of other cards."""
    other = compare_claim_answers_in_two_versions(
        str(game), False, "1.1", games=300, work=6, machine=False, remember=False
    )
    for errata, answers in ((False, other.before), ("1.1", other.after)):
        alone = prove(str(game), errata=errata, games=300, work=6, machine=False)
        assert [(a.id, a.verdict, a.value) for a in answers] == [(a.id, a.verdict, a.value) for a in alone]
    carried = [a.id for a in other.before if a.method.startswith(CARRIED)]
    assert "winnable" in carried
    assert "most-coins" not in carried  # six Coins, which seven do not show


def test_a_claim_that_holds_as_it_is_written_is_not_asked_of_the_old_cards(game: Path) -> None:
    """One that does not hold is: it may have been lost."""
    lost = '{each: effect, where: effect == "lose", sum: amount}'
    dark = f"  dark: {{ask: ledger, says: The cards take so much Light., of: {lost}, expect: 8}}\n"
    path = "  path: {ask: ledger, says: So many cards., of: {where: kind == path}, expect: 6}\n"
    (game / "claims.yaml").write_text(f"claims:\n{dark}{path}", encoding="utf-8")
    comparison = compare_claim_answers_in_two_versions(str(game), False, "1.1", remember=False)
    assert [(a.id, a.verdict.value) for a in comparison.after] == [("dark", "REFUTED"), ("path", "PROVEN")]
    assert [(a.id, a.verdict.value) for a in comparison.before] == [("dark", "PROVEN")]
    assert comparison.ids_of_lost_claims == ["dark"]


def test_claims_without_time_are_named(game: Path) -> None:
    """No answer is made up for them, and none is remembered."""
    for jobs in (1, 2):
        comparison = compare_claim_answers_in_two_versions(
            str(game), False, "1.1", within=0.0, remember=False, jobs=jobs
        )
        assert (comparison.after, comparison.ids_of_lost_claims) == ((), [])
        assert sorted(comparison.waiting) == ["most-coins", "useless", "winnable"]
    assert compare_claim_answers_in_two_versions(str(game), False, "1.1", within=60.0, remember=False).waiting == ()


def test_what_counts_cards_is_asked_first(game: Path) -> None:
    """It takes milliseconds, and time may be up before all is known of winning."""
    counts = '  lights: {ask: ledger, says: "What paths take.", of: {each: effect, by: effect, sum: amount}}\n'
    (game / "claims.yaml").write_text(CLAIMS + counts, "utf-8")
    told = list[str]()
    compare_claim_answers_in_two_versions(
        str(game), False, "1.1", remember=False, progress=told.append, games=300, work=6, machine=False
    )
    assert next(text for text in told if "claims answered" in text).endswith("`lights`")


def test_processes_answer_as_one_does(game: Path) -> None:
    one, two = (
        compare_claim_answers_in_two_versions(
            str(game), False, "1.1", games=300, work=6, machine=False, remember=False, jobs=jobs
        )
        for jobs in (1, 2)
    )
    assert [(a.id, a.verdict, a.value) for a in one.after] == [(a.id, a.verdict, a.value) for a in two.after]


def test_a_remembered_answer_that_cannot_be_read_is_asked_again(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    first = compare_claim_answers_in_two_versions(str(game), False, "1.1", games=300, work=6, machine=False)
    for entry in (tmp_path / "cache" / "answers").iterdir():
        entry.write_text(entry.read_text("utf-8")[:40], "utf-8")
    again = compare_claim_answers_in_two_versions(str(game), False, "1.1", games=300, work=6, machine=False)
    assert [(a.id, a.verdict, a.value) for a in again.after] == [(a.id, a.verdict, a.value) for a in first.after]


def test_an_answer_that_another_game_left_bears_this_games_name(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy under another name has the same rules and cards, and so the same answers."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    other = Path(shutil.copytree(game, tmp_path / "other_name"))
    for folder in (game, other):
        out = tmp_path / "out"
        made = compare_claim_answers_in_two_versions(
            str(folder), False, "1.1", games=300, work=6, machine=False, evidence_folder=out
        )
        assert {answer.game for answer in made.after} == {folder.name}
        names = {json.loads(Path(a.evidence).read_text("utf-8"))["game"] for a in made.after if a.evidence}
        assert names == {folder.name}


def test_a_task_that_fails_ends_all_processes() -> None:
    workers = WorkerProcesses([1, 0, 2], lambda number: 1 // number, 2)
    with pytest.raises(ZeroDivisionError):
        workers.wait_and_hand_over_results(lambda task, result: None)


def _answer(ident: str, ask: str, verdict: str, value: Any, of: Any = None, **more: Any) -> Answer:
    return Answer(
        "lamps",
        ident,
        ask,
        f"{ident} is so.",
        Verdict(verdict),
        value,
        None,
        0.1,
        "",
        "",
        of=of,
        options={"chapter": 1},
        **more,
    )


def test_a_summary_says_what_is_known_and_no_more() -> None:
    won = _answer("w", "reach", "PROVEN", True, WIN)
    best = _answer("m", "minimum", "PROVEN", 5, {"number": "rounds", "when": WIN})
    between = _answer(
        "m",
        "minimum",
        "UNKNOWN",
        None,
        {"number": "rounds", "when": WIN},
        reason="time",
        bound={"at least": 5, "at most": 7},
    )
    assert str(summarize_winning_or_none([won])) == "can be won"
    assert str(summarize_winning_or_none([won, best])) == "can be won, in 5 rounds at best"
    assert str(summarize_winning_or_none([won, between])) == "can be won, in 5 to 7 rounds at best"
    assert str(summarize_winning_or_none([_answer("w", "reach", "REFUTED", False, WIN)])) == "cannot be won"
    unknown = summarize_winning_or_none([_answer("w", "reach", "UNKNOWN", None, WIN)])
    assert str(unknown) == "was not seen won, nor shown to be lost"
    assert summarize_winning_or_none([_answer("d", "dead", "REFUTED", ["option B"])]) is None


def test_options_of_a_game_are_named() -> None:
    assert describe_options_or_game({}, "a_game") == "The game a game"


def test_what_an_erratum_changed_is_told() -> None:
    of = {"number": "rounds", "when": WIN}
    old = [
        _answer("m", "minimum", "PROVEN", 5, of),
        _answer("d", "dead", "REFUTED", ["option B"]),
        _answer("s", "always", "PROVEN", True),
    ]
    new = [
        _answer("m", "minimum", "PROVEN", 6, of),
        _answer("d", "dead", "REFUTED", ["option C"]),
        _answer("s", "always", "REFUTED", False),
    ]
    assert list_sentences_on_changed_answers_by_part(old, new) == [
        "Chapter 1 can still be won, now in 6 rounds at best.",
        "option C: this can never happen any more.",
        "option B: this can happen now.",
        "No longer so: s is so.",
    ]
    most = {"number": "coins", "when": WIN}
    six, seven = _answer("c", "maximum", "PROVEN", 6, most), _answer("c", "maximum", "REFUTED", 7, most)
    assert list_sentences_on_changed_answers_by_part([six], [seven]) == ["No longer so: c is so (7, was 6)."]
    assert list_sentences_on_changed_answers_by_part([seven], [six]) == ["Now so: c is so (6, was 7)."]
    cards = _answer("l", "ledger", "PROVEN", {"food": 13, "gold": 5, "knowledge": 12})
    dearer = _answer("l", "ledger", "REFUTED", {"food": 13, "knowledge": 10, "stone": 1})
    assert list_sentences_on_changed_answers_by_part([cards], [dearer]) == [
        "Counted otherwise: l is so (knowledge: 10, was 12; stone: 1, was 0; gold: 0, was 5)."
    ]
    assert list_sentences_on_changed_answers_by_part([six], [_answer("c", "maximum", "PROVEN", 7, most)]) == [
        "c is so (7, was 6)."
    ]
    assert list_sentences_on_changed_answers_by_part([six], [_answer("c", "maximum", "UNKNOWN", None, most)]) == [
        "c is so: was PROVEN, is UNKNOWN."
    ]
    assert list_sentences_on_changed_answers_by_part(old[:1], old[:1]) == [
        "Chapter 1 can still be won, in 5 rounds at best."
    ]
    lost = [_answer("w", "reach", "PROVEN", True, WIN)], [_answer("w", "reach", "REFUTED", False, WIN)]
    assert list_sentences_on_changed_answers_by_part(*lost) == ["Chapter 1 can no longer be won."]
    assert list_sentences_on_changed_answers_by_part(lost[1], lost[0]) == ["Chapter 1 can now be won."]


def test_evidence_that_the_game_keeps_is_checked_before_a_search(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Evidence that shows nothing of the changed cards is left aside: the search finds the same answer."""
    prove(str(game), errata=False, games=300, work=6, machine=False, output=tmp_path / "out")
    shutil.copytree(tmp_path / "out" / "lamp_walk" / "evidence", game / "evidence")
    carried = {a.id: a for a in _after(game)}
    assert carried["winnable"].method == CARRIED
    assert not carried["most-coins"].method.startswith(CARRIED)
    shutil.rmtree(game / "evidence")
    found = {a.id: a for a in _after(game)}
    assert found["winnable"].method != CARRIED
    assert {i: (a.verdict, a.value) for i, a in carried.items()} == {i: (a.verdict, a.value) for i, a in found.items()}


def _after(game: Path) -> tuple[Answer, ...]:
    limits: dict[str, Any] = {"games": 300, "work": 6, "machine": False, "remember": False}
    return compare_claim_answers_in_two_versions(str(game), False, "1.1", proofs=Path("nowhere"), **limits).after


def test_claims_that_a_random_change_does_not_reach_have_the_same_answers(game: Path) -> None:
    """Of both kinds: values that play reads, and values that one claim alone counts."""
    for name, old, new in (
        ("vocabulary.yaml", "      effects: effects", "      effects: effects\n      rare: integer"),
        ("paths.yaml", "effects: [", "rare: 2, effects: ["),
    ):
        file = game / name
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (game / "errata" / "1.1.yaml").unlink()
    counts = "  rare: {ask: ledger, says: So rare., of: {where: kind == path, sum: rare}}\n"
    (game / "claims.yaml").write_text(CLAIMS + counts, encoding="utf-8")
    unaffected, asked, wrong = differing(game, 6, seed=1, most=4)
    assert unaffected >= asked >= 3
    assert wrong == []


def test_grounds_are_shown_without_a_condition_and_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds rest on phases that end, and phases end while values keep their bounds: one proof shows both."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    limits: dict[str, Any] = {"only": ("c1-phases-end", "c1-bounds"), "proofs": Path("nowhere")}
    first = compare_claim_answers_in_two_versions("eila", "1.1", "1.2", **limits)
    shown = {a.id: (a.verdict, a.assumed) for a in first.after}
    assert shown == dict.fromkeys(limits["only"], (Verdict.PROVEN, ()))
    monkeypatch.setattr(VerifierRun, "find_certified_conclusion", no_search)
    assert len(compare_claim_answers_in_two_versions("eila", "1.1", "1.2", **limits).after) == 2
    monkeypatch.undo()
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    later = compare_claim_answers_in_two_versions(
        "eila", "1.1", "1.2", **{**limits, "only": (*limits["only"], "c1-spaces-kept")}
    )
    assert [(a.id, a.verdict, a.assumed) for a in later.after][-1] == ("c1-spaces-kept", Verdict.PROVEN, ())


def test_an_open_answer_hides_no_kept_evidence(game: Path, tmp_path: Path) -> None:
    """An open claim's file has no certificate: what the game keeps is offered in its place."""
    prove(str(game), errata=False, games=300, work=6, machine=False, output=tmp_path / "out")
    versions = GameVersions(str(game), False, "1.1", load_claims_as_questions_or_raise(str(game), False))
    question = versions.claims["winnable"]
    run = VerifierRun(str(game), False, machine=False)
    asker = ClaimAsker(versions, False, run, ClaimLimits(memory=None), [tmp_path / "out" / "lamp_walk" / "evidence"])
    kept = asker.read_evidence_from_folders_or_none(question)
    assert kept is not None
    entry = asker.prove_and_store_claim_or_none_if_late(question, [], replace(kept, settings=()), kept)
    assert entry is not None
    assert entry.answer.method == CARRIED
