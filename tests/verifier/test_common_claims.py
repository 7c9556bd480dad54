"""Games of strangers: rules alone, no claim written, and every common claim is answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.language import Interpreter
from playproof.language.registry import build
from playproof.verifier.check import list_findings_on_evidence_file
from playproof.verifier.prove import load_own_or_common_claims_by_id, prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.common_claims import build_common_claims_of_game
from playproof.verifier.questions.verdicts import BROKEN, Answer, Verdict, format_answer_as_lines
from tests.verifier.conftest import HARVEST

STRANGERS = Path(__file__).parent / "games_of_strangers"


def answers(name: str, folder: Path) -> dict[str, Answer]:
    return {a.id: a for a in prove(str(STRANGERS / name), output=folder)}


def test_there_are_twenty_five_games_and_none_has_a_claim() -> None:
    games = [path for path in STRANGERS.iterdir() if (path / "rules.py").is_file()]
    assert len(games) == 25
    assert not [path for game in games for path in game.glob("*.yaml")]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("craps", {"chance": 0.492929293, "comes to an end": False, "can be lost": True}),  # 244/495
        ("skull", {"chance of seat 0": 1.0, "comes to an end": True, "every action": []}),
    ],
)
def test_all_common_claims_are_answered_and_checked(tmp_path: Path, name: str, values: dict[str, object]) -> None:
    game = STRANGERS / name
    found = answers(name, tmp_path)
    assert [a.id for a in found.values()] == [q.id for q in build_common_claims_of_game(build(str(game)))]
    assert not [a for a in found.values() if a.verdict is Verdict.UNKNOWN]
    assert {key: found[key].value for key in values} == values
    for name in values:
        assert list_findings_on_evidence_file(found[name].evidence, game=game) == []


def test_a_broken_bound_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The fullest game scores 66, which only one line in thousands does."""
    text = (STRANGERS / "three_dice" / "rules.py").read_text(encoding="utf-8")
    folder = tmp_path / "dice"
    folder.mkdir()
    (folder / "rules.py").write_text(text.replace("0, 66", "0, 65"), encoding="utf-8")
    status = run_command_line_and_get_exit_status(
        ["prove", str(folder), "--claim", "bounds", "--out", str(tmp_path / "out")]
    )
    output = capsys.readouterr().out
    place = next(n for n, line in enumerate(text.splitlines(), 1) if "s.points +=" in line)
    assert status == 1
    assert output.startswith("REFUTED  bounds")
    assert f"rules.py:{place}" in output
    assert "`points` holds 0..65, the rule gives 66" in output
    [evidence] = (tmp_path / "out").rglob("*.json")
    assert list_findings_on_evidence_file(evidence, game=folder) == []


def test_a_condition_under_with_that_a_game_breaks_is_named_with_the_game() -> None:
    of = {"holds": "stored >= 0", "with": ["round >= 0", "stored <= 0"]}
    [answer] = prove(HARVEST, claims=[Question("odd", "always", of)], machine=False, games=200)
    assert answer.verdict is Verdict.PROVEN
    condition, _, game = answer.bound[BROKEN].partition(" after: ")
    assert condition == "`stored <= 0`"
    play = Interpreter(build(HARVEST))
    state = play.start()
    for words in game.split(", "):
        assert play.quantity("stored", state) <= 0
        state = play.apply(state, next(m.ident for m in play.moves(state) if m.text == words))
    assert play.quantity("stored", state) > 0
    assert "what stands under `with` does not hold: `stored <= 0` after: " in format_answer_as_lines(answer)


def test_a_game_with_claims_is_asked_the_common_ones_on_demand() -> None:
    own = Question("bounds", "always", "bounds")
    assert "every action" in load_own_or_common_claims_by_id(HARVEST, include_common=True)
    assert own.id in load_own_or_common_claims_by_id("pig")
    assert "chance of seat 1" in load_own_or_common_claims_by_id("pig")


def test_evidence_of_a_common_claim_does_not_answer_another(tmp_path: Path) -> None:
    path = Path(answers("craps", tmp_path)["chance"].evidence)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["claim"]["id"] = "can be won"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert [f.code for f in list_findings_on_evidence_file(path, game=STRANGERS / "craps")] == ["PP717"]
