"""What a new game's claims say of a changed game: the same as `prove` says of a folder in which it is changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.errors import InputError
from playproof.linting.played_values import REFUSALS
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.mutation import mutate, sampling
from playproof.mutation.mutate import run_mutation_test_and_build_report, sample_changeable_card_values
from playproof.mutation.sampling import NOTICED, SURVIVED
from playproof.mutation.value_changes import YamlValueChange
from playproof.verifier.prove import prove
from playproof.verifier.questions.verdicts import Verdict
from tests.mutation.copies import changed

pytestmark = pytest.mark.usefixtures("own_answers")


@pytest.fixture
def gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    assert run_command_line_and_get_exit_status(["new", "gates"]) == 0
    return "gates"


def refuted(ref: str) -> set[str]:
    """The claims that are not as expected, by all methods of the verifier."""
    return {answer.id for answer in prove(ref) if answer.verdict in (Verdict.REFUTED, Verdict.VACUOUS)}


def notices(ref: str, value: YamlValueChange) -> bool:
    """Whether lint refuses a copy of the game with this value, or a claim is not as expected there."""
    with changed(ref, value) as copy:
        try:
            return any(f.severity == "error" for f in list_all_lint_findings_of_game(str(copy))) or bool(
                refuted(str(copy))
            )
        except (InputError, *REFUSALS):
            return True


def test_a_change_of_a_card_is_noticed_where_a_changed_folder_is(gates: str) -> None:
    """Eight of the eighteen values: in each folder all claims are proved anew."""
    made = run_mutation_test_and_build_report(gates, rule_change_count=0, card_change_count=8, workers=1).cards
    told = {
        value.key: NOTICED if notices(gates, value) else SURVIVED
        for value in sample_changeable_card_values(gates, 8, 0)
    }
    assert {v.key: v.state for v in made} == told
    assert set(told.values()) == {NOTICED, SURVIVED}


def test_changes_of_rules_are_searched_and_not_the_unchanged_game(gates: str) -> None:
    made = run_mutation_test_and_build_report(gates, rule_change_count=25, seed=2, workers=1).rules
    by = {(Path(v.line).name.partition(":")[2], v.said): v.by for v in made}
    rules = Path(gates, "rules.py")
    was = rules.read_text(encoding="utf-8")
    edits = {"6 for 5": (">= GOAL,", ">= GOAL + 1,"), "2 for 1": ("else 1)", "else 2)")}
    for said, (old, new) in edits.items():
        assert was.count(old) == 1
        line = 1 + was[: was.index(old)].count("\n")
        rules.write_text(was.replace(old, new), encoding="utf-8")
        assert by[str(line), said] in refuted(gates)


def test_a_claim_that_only_a_search_refutes_notices_nothing(gates: str) -> None:
    claims = Path(gates, "claims.yaml")
    claims.write_text(claims.read_text("utf-8").replace("expect: 6}", "expect: 7}"), "utf-8")
    made = run_mutation_test_and_build_report(gates, rule_change_count=8, workers=1)
    assert made.false == ("richest",)
    assert not [v for v in made.rules if v.by == "richest"]


def test_what_an_unrelated_file_changes_is_not_asked_again(gates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another comment, and rules that stand a line lower, describe the same changed games."""
    first = run_mutation_test_and_build_report(gates, rule_change_count=4, card_change_count=6, workers=1)
    for name, line in (("vocabulary.yaml", "# a remark\n"), ("rules.py", "\n")):
        file = Path(gates, name)
        text = file.read_text("utf-8")
        file.write_text(text + line if name == "vocabulary.yaml" else line + text, "utf-8")

    def never(*_: object) -> None:
        raise AssertionError("a changed game was asked again")

    monkeypatch.setattr(sampling, "detect_by_claims_then_recorded_games", never)
    monkeypatch.setattr(mutate, "detect_by_claims_then_recorded_games", never)
    moved = {v.said: (v.state, v.by) for v in first.rules}
    again = run_mutation_test_and_build_report(gates, rule_change_count=60, card_change_count=6, workers=1)
    kept = {v.said: (v.state, v.by) for v in again.rules if "PP720" not in v.how}
    assert moved.items() <= kept.items()
    assert [(v.state, v.by) for v in again.cards] == [(v.state, v.by) for v in first.cards]


def test_a_game_without_claims_is_refused(gates: str) -> None:
    Path(gates, "claims.yaml").unlink()
    with pytest.raises(InputError, match="expected claims that a change of the rules may break, found none"):
        run_mutation_test_and_build_report(gates, rule_change_count=5)
    assert run_command_line_and_get_exit_status(["prove", "mutate", gates, "--number", "5", "--least", "100"]) == 2


def test_a_game_named_by_a_dot_keeps_its_name(
    gates: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(gates)
    capsys.readouterr()
    assert run_command_line_and_get_exit_status(["prove", "mutate", ".", "--number", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "gates"
    assert (
        run_command_line_and_get_exit_status(["prove", ".", "--claim", "winnable", "--out", str(tmp_path / "out")]) == 0
    )
    assert (tmp_path / "out" / "gates" / "evidence" / "winnable.json").is_file()


def test_what_is_stored_is_said_and_asked_again_if_wanted(gates: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing stands in `output/`; a change of a layout asks values again, since lint reads it."""
    command = ["prove", "mutate", gates, "--number", "3", "--cards", "3"]
    said = []
    for more in ([], [], ["--fresh"]):
        assert run_command_line_and_get_exit_status([*command, *more]) == 0
        said.append(capsys.readouterr())
    assert len({answer.out for answer in said}) == 1
    assert ["answers are of earlier runs" in answer.err for answer in said] == [False, True, False]
    assert not Path("output").exists()
    layout = next(Path(gates, "layouts").glob("*.yaml"))
    layout.write_text(layout.read_text("utf-8") + "# a remark\n", "utf-8")
    made = run_mutation_test_and_build_report(gates, rule_change_count=3, card_change_count=3, workers=1)
    assert all(v.earlier for v in made.rules)
    assert not all(v.earlier for v in made.cards if not v.of)


WORTH = """claims:
  worth: {ask: step, says: A card brings what it is worth., expect: true,
    of: {each: card, action: draw path, card: "{id} {name}", changes: {coins: "{worth}"}}}
"""


@pytest.fixture
def worths(gates: str) -> Path:
    """The game, where each card prints what it is worth: no rule reads it, and a claim has a law for each card."""
    kinds, cards = Path(gates, "vocabulary.yaml"), Path(gates, "paths.yaml")
    added = "      flavour: words\n      worth: {type: integer, read_by: print}\n"
    kinds.write_text(kinds.read_text("utf-8").replace("      flavour: words\n", added), "utf-8")
    text = cards.read_text("utf-8")
    for ident, worth in enumerate((1, 2, 3, 0, 0, 2), 1):
        text = text.replace(f'"0{ident}": {{', f'"0{ident}": {{worth: {worth}, ')
    cards.write_text(text, "utf-8")
    Path(gates, "claims.yaml").write_text(WORTH, "utf-8")
    mutate.get_lint_findings_before_any_change.cache_clear()  # other games of this name were asked in this process
    return cards


def test_a_value_that_only_a_law_of_the_cards_reads_is_asked_about(gates: str, worths: Path) -> None:
    """The description is the same; it was said to be `not played`, and `prove` refutes the claim."""
    made = run_mutation_test_and_build_report(gates, rule_change_count=2, card_change_count=100, workers=1)
    told = {v.owner: (v.state, v.by) for v in made.cards if v.said.startswith("worth")}
    assert told == {f"0{ident}": (NOTICED, "worth") for ident in range(1, 7)}
    assert not refuted(gates)
    worths.write_text(worths.read_text("utf-8").replace("worth: 3", "worth: 2"), "utf-8")
    assert refuted(gates) == {"worth"}
    again = run_mutation_test_and_build_report(gates, rule_change_count=2, workers=1)  # other laws now, by equal rules
    assert again.false == ("worth",)
    assert not any(v.earlier for v in again.rules if v.by or v.state == SURVIVED)
