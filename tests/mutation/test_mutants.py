"""Changes of rules and cards: made right, noticed for a reason, told apart from what changes nothing, and resumable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from playproof.language import Game, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.description import digest
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.mutation import mutate, sampling
from playproof.mutation.changed_steps import does_z3_show_same_steps, find_field_numbers_touched_by_swaps
from playproof.mutation.claim_settings import ClaimSetting, list_claim_settings_most_claims_first
from playproof.mutation.detection import MutantChecker
from playproof.mutation.mutants import KINDS, list_mutants_of_sealed_game
from playproof.mutation.mutate import compute_share_of_noticed_mutants_or_none, run_mutation_test_and_build_report
from playproof.mutation.rewriting import copy_game_with_swapped_parts
from playproof.mutation.sampling import EQUIVALENT, NOTICED, RECORDED, SURVIVED, MutationLimits
from playproof.mutation.value_changes import (
    apply_value_change_to_text,
    list_changeable_yaml_values_of_files,
    list_changeable_yaml_values_of_game,
    list_exchanges_of_effects_between_cards,
)
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.transcript import WorkedExampleCertificate
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.search.case import GivenGameCase
from tests.mutation.copies import changed

pytestmark = pytest.mark.usefixtures("own_answers")
HERE = Path(__file__).resolve().parents[1]
TOLL = str(HERE / "verifier" / "games" / "toll")
FEW = MutationLimits(steps=600, states=500, search=2.0)
FIVE = {"coins": "5"}


def toll() -> Game:
    return build(TOLL, Options(dict(FIVE)))


def of_tolls() -> dict[str, Question]:
    """Somebody may arrive; and what the designer believes of a gate."""
    takes = {"action": "pay", "needs": "coins >= 3", "changes": {"coins": -3, "paid": 1}}
    return {
        "arrives": Question("arrives", "reach", {"outcome": "win"}, values=FIVE, expect=True),
        "toll": Question("toll", "step", takes, says="A gate takes three coins.", values=FIVE, expect=True),
    }


def test_what_is_exchanged_is_there_and_nothing_else() -> None:
    game = toll()
    before = digest(game)
    assert digest(copy_game_with_swapped_parts(game, {})) == before
    made = {
        m.key: m.build_or_edit_changed_game_or_none(game) for m in list_mutants_of_sealed_game(game) if m.start is None
    }
    others = {digest(g.seal()) for g in made.values() if g is not None}
    assert before not in others
    assert len(others) > 20
    assert {m.kind for m in list_mutants_of_sealed_game(game)} >= {
        "number",
        "comparison",
        "destination",
        "guard",
        "left out",
        "twice",
    }
    assert digest(game) == before


def test_every_slip_of_the_hand_is_made_somewhere() -> None:
    game = build("opale")
    before = digest(game)
    slips = {kind: [m for m in list_mutants_of_sealed_game(game) if m.kind == kind] for kind in KINDS}
    slips["seats"] = [m for m in list_mutants_of_sealed_game(build("prisoners")) if m.kind == "seats"]
    assert {kind for kind, made in slips.items() if not made} == set()
    for kind in ("left out", "twice", "swapped", "player", "deck", "quantifier", "skipped"):
        other = slips[kind][0].build_or_edit_changed_game_or_none(game)
        assert other is not None
        assert digest(other.seal()) != before, kind


def test_a_hidden_card_that_is_shown_is_noticed_by_a_secret_alone() -> None:
    claims = list_claim_settings_most_claims_first(
        "opale", {q.id: q for q in load_claims_as_questions_or_raise("opale").values() if q.ask == "secret"}
    )
    [setting] = claims
    key = next(k for k, m in setting.mutants.items() if m.kind == "hidden" and m.owner == "reserve")
    assert sampling.examine_mutant_editing_game_in_place([setting], key, FEW).state == NOTICED


def test_recorded_games_alone_do_not_count() -> None:
    game = toll()
    line = {"line": [game.show(0)], "end": "", "then": ["coins == 2"]}
    played = Question("played", "example", line, values=FIVE, expect=True)
    made = run_mutation_test_and_build_report(
        TOLL, rule_change_count=8, seed=1, workers=1, claims={"played": played}, effort=FEW
    )
    assert {v.state for v in made.rules if v.by == "played"} == {RECORDED}
    assert compute_share_of_noticed_mutants_or_none(made.rules) == 0 or not [
        v for v in made.rules if v.state == NOTICED and v.by == "played"
    ]
    assert "by recordings alone" in made.format_report_lines()[0]


def test_effects_of_two_cards_are_exchanged() -> None:
    swap = next(v for v in list_exchanges_of_effects_between_cards("eila") if v.component_id_or_empty == "101")
    assert swap.second is not None
    text = swap.file.read_text("utf-8")
    other = apply_value_change_to_text(text, swap)
    assert sorted(other) == sorted(text)
    assert len([1 for a, b in zip(text.splitlines(), other.splitlines(), strict=True) if a != b]) == 2


def test_every_reading_plays_the_changed_rules() -> None:
    game = toll()
    for mutant in list_mutants_of_sealed_game(game)[::3]:
        other = mutant.build_or_edit_changed_game_or_none(game) if mutant.start is None else None
        if other is None:
            continue
        play, module = Interpreter(other.seal()), Compiled(other, machine=False).module
        out, weights = [0] * module.WIDTH, [0] * module.WIDTH
        state = play.start()
        assert play.legal(state) == sorted(out[: module.legal(state, out, weights)]), mutant.key


def test_a_belief_notices_what_a_goal_does_not() -> None:
    claims = of_tolls()
    one = run_mutation_test_and_build_report(TOLL, rule_change_count=0, seed=1, claims={"arrives": claims["arrives"]})
    assert one.false == ()

    def survivors(known: dict[str, Question], name: str) -> set[str]:
        found = run_mutation_test_and_build_report(
            TOLL, rule_change_count=40, seed=1, workers=1, claims=known, effort=FEW
        )
        noticed.update(v.said for v in found.rules if v.by == "toll")
        return {v.said for v in found.rules if v.state == SURVIVED and v.owner == "action pay"}

    noticed = set[str]()
    alone = survivors({"arrives": claims["arrives"]}, "one")
    assert noticed == set()
    both = survivors(claims, "both")
    assert {"4 for 3", "2 for 3"} <= alone & noticed
    assert both < alone


def test_a_change_is_asked_in_every_way_to_play() -> None:
    """It was made in the first one alone, and the claims of all others noticed nothing."""
    claims = of_tolls()
    arrives = claims["arrives"]
    settings = list_claim_settings_most_claims_first(
        TOLL,
        {
            "arrives": arrives,
            "again": replace(arrives, id="again"),
            "toll": replace(claims["toll"], values={"coins": "4"}),
        },
    )
    assert [s.name for s in settings] == ["coins=5", "coins=4"]
    fewer = [k for k, m in settings[0].mutants.items() if m.owner == "action pay" and m.said == "2 for 3"]
    verdicts = [sampling.examine_mutant_editing_game_in_place(settings, key, FEW) for key in fewer]
    assert NOTICED in {v.state for v in verdicts if v.by == "toll"}


def test_unknown_and_untrue_notice_nothing() -> None:
    wrong = Question("wrong", "step", {"action": "pay", "changes": {"coins": -1}}, values=FIVE, expect=True)
    found = run_mutation_test_and_build_report(
        TOLL, rule_change_count=6, seed=2, workers=1, claims={"wrong": wrong}, effort=FEW
    )
    assert found.false == ("wrong",)
    assert not [v for v in found.rules if v.state == NOTICED and v.by == "wrong"]


def test_a_run_goes_on_where_it_was_killed(own_answers: Path) -> None:
    claims = of_tolls()

    def run(workers: int, **how: bool) -> Sequence[sampling.MutantOutcome]:
        return run_mutation_test_and_build_report(
            TOLL, rule_change_count=5, seed=3, workers=workers, claims=claims, effort=FEW, **how
        ).rules

    first = run(1)
    assert not any(v.earlier for v in first)
    for broken in sorted(own_answers.iterdir())[::2]:  # killed in the midst of them
        broken.write_text(broken.read_text("utf-8")[:20], "utf-8")
    again = run(2)
    assert again == first
    assert any(v.earlier for v in again)
    assert all(v.earlier for v in run(1))
    assert not any(v.earlier for v in run(1, remember=False))


def test_outcomes_of_other_code_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the verifier decides is broken here, and so is the digest of its code: no outcome stands for it."""
    few = {"toll": of_tolls()["toll"]}

    def run() -> Sequence[sampling.MutantOutcome]:
        return run_mutation_test_and_build_report(
            TOLL, rule_change_count=12, seed=3, workers=1, claims=few, effort=FEW
        ).rules

    first = run()
    assert NOTICED in {v.state for v in first}
    monkeypatch.setattr(MutantChecker, "_does_kernel_refute_claim", lambda self, question, made: False)
    assert run() == first  # the code is the same by its digest
    monkeypatch.setattr(
        "playproof.verifier.questions.premises.compute_digest_of_program_code", lambda rooms: f"broken {rooms}"
    )
    broken = run()
    assert not any(v.earlier for v in broken)
    assert not {v.state for v in broken if v.by == "toll"} & {NOTICED}


def test_a_new_claim_asks_again_only_what_nobody_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = of_tolls()
    few = {"toll": claims["toll"]}
    first = run_mutation_test_and_build_report(TOLL, rule_change_count=12, seed=3, workers=1, claims=few, effort=FEW)
    noticed = {v.key for v in first.rules if v.state == NOTICED}
    assert noticed
    ask = sampling.examine_mutant_editing_game_in_place

    def asked(
        settings: Sequence[ClaimSetting], key: str, effort: MutationLimits, earlier: object
    ) -> sampling.MutantOutcome:
        assert key not in noticed
        return ask(settings, key, effort)

    monkeypatch.setattr(mutate, "examine_mutant_editing_game_in_place", asked)
    again = run_mutation_test_and_build_report(TOLL, rule_change_count=12, seed=3, workers=1, claims=claims, effort=FEW)
    assert noticed <= {v.key for v in again.rules if v.state == NOTICED}
    assert not any("PP720" in v.how for v in again.rules)
    gone = {"arrives": claims["arrives"]}  # the claim that noticed them is gone
    last = run_mutation_test_and_build_report(TOLL, rule_change_count=12, seed=3, workers=1, claims=gone, effort=FEW)
    assert {v.key for v in last.rules if "PP720 AssertionError" in v.how} == noticed
    monkeypatch.setattr(mutate, "examine_mutant_editing_game_in_place", ask)  # what a fault left open is asked again
    last = run_mutation_test_and_build_report(TOLL, rule_change_count=12, seed=3, workers=1, claims=gone, effort=FEW)
    assert not any("PP720" in v.how for v in last.rules)


def test_a_start_that_no_decision_sees_is_the_same_game() -> None:
    alive = Question("alive", "always", {"holds": "hearts <= 3"}, values={"chapter": "0"}, expect=True)
    [setting] = list_claim_settings_most_claims_first("eila", {"alive": alive})
    starts = {m.owner: m.key for m in setting.mutants.values() if m.start is not None}
    assert sampling.examine_mutant_editing_game_in_place([setting], starts["present"], FEW).state == EQUIVALENT
    assert sampling.examine_mutant_editing_game_in_place([setting], starts["hearts"], FEW).state != EQUIVALENT


def test_dice_of_another_even_weight_are_the_same_dice() -> None:
    game = build("eurydice")
    weights = [
        m.build_or_edit_changed_game_or_none(game)
        for m in list_mutants_of_sealed_game(game)
        if m.owner == "action die" and m.said == "2 for 1"
    ]
    assert any(does_z3_show_same_steps(game, other.seal(), []) for other in weights if other is not None)


def test_laws_of_the_statement_around_a_changed_number_come_first() -> None:
    """Eight laws are asked of a change: those that speak of the fields of its statement go before others."""
    game = toll()
    of_pay = [m for m in list_mutants_of_sealed_game(game) if m.owner == "action pay" and m.kind == "number"]
    fields = {m.said: {game.fields[n].name for n in find_field_numbers_touched_by_swaps(game, m.swaps)} for m in of_pay}
    assert fields["2 for 3"] == {"coins"}


def test_the_same_steps_are_told_apart_from_others() -> None:
    game = toll()
    paid = next(
        m
        for m in list_mutants_of_sealed_game(game)
        if m.owner == "action pay" and m.said == "4 for 3" and m.kind == "number"
    )
    other = paid.build_or_edit_changed_game_or_none(game)
    assert other is not None
    assert does_z3_show_same_steps(game, copy_game_with_swapped_parts(game, {}), [])
    assert not does_z3_show_same_steps(game, other.seal(), [])
    # where nobody has just three, four is the same
    assert does_z3_show_same_steps(game, other, ["coins >= 9 or coins <= 2"])


def test_a_claim_notices_only_with_what_the_kernel_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    game = toll()
    changed_games = [
        m.build_or_edit_changed_game_or_none(game)
        for m in list_mutants_of_sealed_game(game)
        if m.owner == "action pay" and m.said == "2 for 3"
    ]
    claims = list(of_tolls().values())
    askers = [MutantChecker(GivenGameCase(TOLL, g.seal(), dict(FIVE), {}), claims) for g in changed_games if g]
    [asker] = [a for a in askers if a.detect_by_lines_or_random_games_or_none((), 300, 0) is not None]
    monkeypatch.setattr(MutantChecker, "_does_kernel_refute_claim", lambda self, question, made: False)
    assert asker.detect_by_lines_or_random_games_or_none((), 300, 0) is None


def test_an_example_fails_where_the_rules_break_on_the_way() -> None:
    """Without its guard the second toll is legal, and leaves fewer coins than none."""
    game = toll()
    other = next(
        m for m in list_mutants_of_sealed_game(game) if m.said.startswith("no `require`: the toll is 3")
    ).build_or_edit_changed_game_or_none(game)
    assert other is not None
    words = game.show(0)
    line = {"line": [words, words], "end": "", "then": []}
    asker = MutantChecker(
        GivenGameCase(TOLL, other.seal(), dict(FIVE), {}), [Question("two", "example", line, expect=True)]
    )
    noticed = asker.detect_by_replaying_examples_or_none()
    assert noticed is not None
    assert noticed.by == "two"
    WorkedExampleCertificate(line, False).require_valid_for_game(other, Context())
    with pytest.raises(NotShown, match="does not fail"):  # it does not break where it is said to
        WorkedExampleCertificate({"line": [words]}, False).require_valid_for_game(other, Context())


def test_values_are_found_however_they_are_written(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text('a: &u "#222222"\nb: +30\nc: True\nd: {e: &m 11, f: x}\ng: *m\n', "utf-8")
    found = list_changeable_yaml_values_of_files([file])
    assert [(v.path, v.was) for v in found] == [
        (("a",), '"#222222"'),
        (("b",), "+30"),
        (("c",), "True"),
        (("d", "e"), "11"),
        (("d", "f"), "x"),
    ]
    for value in found:
        text = apply_value_change_to_text(file.read_text("utf-8"), value)
        assert text != file.read_text("utf-8")
        assert yaml.safe_load(text) != yaml.safe_load(file.read_text("utf-8"))


def test_a_value_is_changed_where_it_stands_and_nowhere_else() -> None:
    some = [v for v in list_changeable_yaml_values_of_game("eila") if v.is_game_value and v.component_id_or_empty][
        ::120
    ]
    assert len(some) > 2
    for value in some:
        with changed("eila", value) as folder:
            original = value.file.read_text(encoding="utf-8").splitlines()
            copy = (folder / value.file.name).read_text(encoding="utf-8").splitlines()
            assert [n for n, (a, b) in enumerate(zip(original, copy, strict=True), 1) if a != b] == [value.line]


def test_a_fault_in_one_change_leaves_that_one_open() -> None:
    """It ended the run, and no later change was examined."""

    def work(key: str) -> str:
        if key == "bad":
            raise LookupError("gone")
        return f"{key} done"

    results = sampling.iter_child_results_as_they_finish(
        ["one", "bad", "two"], work, 2, 60.0, lambda key, why: f"{key}: {why}"
    )
    assert set(results) == {"one done", "two done", "bad: not decided: PP720 LookupError: gone"}
