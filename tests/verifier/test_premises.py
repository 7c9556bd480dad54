"""What an answer rests on: the whole description, but for words that no claim names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.errata.claim_comparison import GameVersions
from playproof.language.registry import build
from playproof.mutation.claim_settings import ClaimSetting
from playproof.mutation.sampling import MutantOutcome, MutationLimits, OutcomeStore
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.premises import GameMeaning

CLAIMS = """claims:
  winnable: {ask: reach, says: It can be won., of: {outcome: win}, expect: true}
  well: {ask: reach, says: The well can come first., of: {action: "path", card: "03 The Old Well"}, expect: true}
  lucky: {ask: reach, says: Every lucky card has its luck., of: {every: lucky}, expect: true}
"""
LUCKY = """    luck = [12 if "never" in str(c.get("flavour")) else 0 for c in cards]
    lucky = {c.id: {"holds": f"coins >= {least}"} for c, least in zip(cards, luck)}
    g.fact(families={"lucky": lucky})
    copies ="""


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run_command_line_and_get_exit_status(["new", "walk"]) == 0
    rules = Path("walk/rules.py")
    rules.write_text(rules.read_text("utf-8").replace("    copies =", LUCKY, 1), "utf-8")
    Path("walk/claims.yaml").write_text(CLAIMS, "utf-8")
    Path("walk/errata").mkdir()
    return Path("walk")


def untouched(walk: Path, *changes: str) -> set[str]:
    head = "version: '2'\ndate: 2026-11-29\nnote: A test.\nchanges:\n"
    (walk / "errata" / "2.yaml").write_text(head + "".join(f"  - {{{c}}}\n" for c in changes), "utf-8")
    versions = GameVersions("walk", False, "2", load_claims_as_questions_or_raise("walk", False))
    return {
        ident for ident, question in versions.claims.items() if versions.has_same_premises_in_both_versions(question)
    }


def test_a_flavour_that_a_family_reads_touches_the_claims_about_the_game(walk: Path) -> None:
    one = 'component: "02", path: flavour, from: "Somebody will miss it.", to: "Somebody will never miss it."'
    assert untouched(walk, one) == set()


def test_a_flavour_that_nothing_reads_touches_no_claim(walk: Path) -> None:
    other = 'component: "02", path: flavour, from: "Somebody will miss it.", to: "Somebody misses it."'
    assert untouched(walk, other) == {"winnable", "well", "lucky"}


def test_two_titles_exchanged_touch_the_claim_that_names_one(walk: Path) -> None:
    titles = ('component: "03", path: title, from: The Old Well, to: Fireflies',)
    titles += ('component: "04", path: title, from: Fireflies, to: The Old Well',)
    assert untouched(walk, *titles) == {"winnable"}


def test_a_title_that_no_claim_names_touches_none(walk: Path) -> None:
    one = 'component: "05", path: title, from: A Cold Wind, to: Cold Winds'
    assert untouched(walk, one) == {"winnable", "well"}


def test_a_claim_about_every_action_rests_on_all_words(walk: Path) -> None:
    before = build("walk")
    file = walk / "paths.yaml"
    file.write_text(file.read_text("utf-8").replace("A Cold Wind", "Cold Winds"), "utf-8")
    old, new = GameMeaning(before), GameMeaning(build("walk"))
    every = Question("each", "dead", {"every": "action"})
    assert old.build_key_of_answer_premises(every) != new.build_key_of_answer_premises(every)
    win = Question("win", "reach", {"outcome": "win"})
    assert old.build_key_of_answer_premises(win) == new.build_key_of_answer_premises(win)
    assert old.play == new.play


def test_premises_hold_what_is_given_and_expected(walk: Path) -> None:
    meaning = GameMeaning(build("walk"))
    given = Question("given", "always", "coins >= 0")
    plain = Question("win", "reach", {"action": "path", "card": "05 A Cold Wind"})
    other = replace(plain, given=(replace(given, of="coins >= 0 and The Garden Gate"),))
    assert (
        json.loads(meaning.build_key_of_answer_premises(other))[1]
        != json.loads(meaning.build_key_of_answer_premises(replace(plain, given=(given,))))[1]
    )


def test_verdicts_on_mutants_are_asked_again_of_other_code(
    walk: Path, monkeypatch: pytest.MonkeyPatch, own_answers: Path
) -> None:
    settings = [ClaimSetting("walk", {}, {}, list(load_claims_as_questions_or_raise("walk", True).values())[:1])]
    OutcomeStore(settings, MutationLimits()).note_outcome_storing_unless_fault(
        MutantOutcome("one", "one", "guard", "", "", "equivalent", of="one")
    )
    again = OutcomeStore(settings, MutationLimits())
    assert again.get_outcome_of_change_or_none("one")
    assert again.get_outcome_of_changed_game_or_none("one")
    assert OutcomeStore(settings, MutationLimits(), remember=False).get_outcome_of_change_or_none("one") is None
    monkeypatch.setattr(
        "playproof.verifier.questions.premises.compute_digest_of_program_code", lambda rooms: "other code"
    )
    other = OutcomeStore(settings, MutationLimits())
    assert (other.get_outcome_of_change_or_none("one"), other.get_outcome_of_changed_game_or_none("one")) == (
        None,
        None,
    )


def test_a_claim_about_several_settings_has_the_digests_of_each() -> None:
    """`errata opale` was refused: the game was built with a list of options in place of one."""
    claims = load_claims_as_questions_or_raise("opale")
    several = [q for q in claims.values() if any(isinstance(v, list) for v in q.rulings.values())][:2]
    versions = GameVersions("opale", False, True, claims)
    assert several
    assert all(len(versions.list_digests_and_cards_deciding_claim(question, True)) > 1 for question in several)
