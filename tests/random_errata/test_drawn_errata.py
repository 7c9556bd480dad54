"""Drawn errata: none is published that is not played, none prints what is not replaced, each refusal says why.

Sampled here; `make walks` draws fifty a game (`PLAYPROOF_DRAWN_ERRATA=50`) and prints what became of them.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.errors import Where
from playproof.database.game import add_proposed_erratum_during_block, load_game
from playproof.database.sheet_cells import yaml_node_from_data_at_one_place
from playproof.generator.build.run import Builder
from playproof.language.registry import list_bundled_game_names
from tests.random_errata.drawn_errata import SENTENCES, Drawn, drawn_errata, game_in_use
from tests.random_errata.outcomes import PUBLISHED, REFUSED, Outcome, outcome_of

COUNT = int(os.environ.get("PLAYPROOF_DRAWN_ERRATA", "5"))
MANY = COUNT > 5
FACES = 12 if MANY else 2
"""Faces that are drawn of every published erratum, or of every fifth of a sample."""


def outcomes(name: str) -> list[Outcome]:
    made = [outcome_of(drawn, FACES if MANY or drawn.number % 5 == 0 else 0) for drawn in drawn_errata(name, COUNT)]
    if MANY:
        states = Counter(outcome.state for outcome in made)
        codes = Counter(code for outcome in made for code in outcome.codes)
        print(f"\n{name}: {dict(states)}; refused with {dict(codes.most_common())}")
    return made


@pytest.mark.parametrize("name", list_bundled_game_names())
def test_a_drawn_erratum_is_played_and_replaced_or_refused_with_a_reason(name: str) -> None:
    wrong = [f"{outcome.drawn}: {fault}" for outcome in outcomes(name) for fault in outcome.faults]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", ["party", "solo", "cooperative", "hidden-hands", "board-and-dice"])
def test_a_drawn_erratum_of_a_new_game_is_played_and_replaced_or_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games with few files: no rulings, no chapters, no list of the box, or no rules at all."""
    monkeypatch.chdir(tmp_path)
    game = f"drawn_{kind.replace('-', '_')}"
    assert run_command_line_and_get_exit_status(["new", game, "--kind", kind]) == 0
    wrong = [f"{outcome.drawn}: {fault}" for outcome in outcomes(f"./{game}") for fault in outcome.faults]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", list_bundled_game_names())
def test_every_kind_of_sentence_is_drawn(name: str) -> None:
    drawn = drawn_errata(name, 50)
    missing = {"field", *SENTENCES} - {each.sentence for each in drawn}
    assert missing <= ({"a number of set-up"} if not game_in_use(name).facts.numbers else set())
    assert len({str(each.erratum) for each in drawn}) > 45
    assert drawn == drawn_errata(name, 50)


def test_a_card_is_replaced_that_prints_the_icon_of_what_its_spot_takes() -> None:
    """Drawn as opale 34: a Hunter prints the effect of spot 1, which shows the icon of spot 2."""
    old = game_in_use("opale")
    change = {"component": "2", "path": "icon", "from": "coral", "to": "shell-twice"}
    head = {"version": "99", "date": "2026-11-29", "status": "proposed", "note": "A test.", "changes": [change]}
    with add_proposed_erratum_during_block(
        "opale", yaml_node_from_data_at_one_place(head, Where("errata/99.yaml"))
    ) as version:
        changes = Builder(load_game("opale", version), Path("output")).press.get_print_changes_from_other_version(old)
    differing = [each for each in ("1", "B1-1", "B5-2") if changes.is_component_printed_differently(each, "en")]
    assert differing == ["1", "B1-1"]


def test_the_oracle_sees_what_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check, an erratum that nothing plays would be published, and is found here."""
    change = {"component": "goal-0", "path": "flavour.en", "from": "", "to": "x"}
    erratum = {"version": "99", "date": "2026-11-29", "status": "proposed", "note": "A test."}
    words = Drawn("eila", 0, "field", {**erratum, "changes": [change]})
    assert outcome_of(words, 0).state == REFUSED  # `from` is something else
    vane = {"component": "I02", "path": "once", "to": False}
    silent = Drawn("eila", 0, "field", {**erratum, "changes": [vane]})
    assert outcome_of(silent, 0).codes == ("PP830",)
    monkeypatch.setattr("tests.random_errata.outcomes.raise_unless_rules_play_changed_values", lambda *_: None)
    unchecked = outcome_of(silent, 0)
    assert unchecked.state == PUBLISHED
    assert any("published and not played" in fault for fault in unchecked.faults)
