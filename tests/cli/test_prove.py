"""prove, check, errata and the demo, on the small game that `new` writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from playproof.cli import demo as demonstration
from playproof.cli.demo import DemoSettings, read_demo_settings
from playproof.referee import judge
from playproof.verifier import prove as proving

Call = Callable[..., Any]
ERRATUM = """\
version: "1.1"
date: 2026-11-20
note: The ferryman was too greedy.
changes:
  - {component: "06", path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}
"""


TEMPLATE = Path(demonstration.__file__).parent / "template"
IDS = set(yaml.safe_load((TEMPLATE / "claims.yaml").read_text(encoding="utf-8"))["claims"])


@pytest.fixture
def game(playproof: Call, tmp_path: Path) -> Path:
    playproof("new", "lamp_walk", "--in", tmp_path)
    return tmp_path / "lamp_walk"


def test_claims_are_answered_with_evidence_that_checks(playproof: Call, game: Path, tmp_path: Path) -> None:
    answer = playproof("prove", game, "--out", tmp_path / "out", "--json")
    claims = json.loads(answer.out)["claims"]
    assert answer.status == 0
    assert {c["verdict"] for c in claims} == {"PROVEN"}
    assert {c["id"] for c in claims} == IDS
    assert {"game", "id", "ask", "verdict", "value", "seconds", "method", "evidence"} <= set(claims[0])
    files = sorted((c["evidence"] for c in claims), key=lambda path: "winnable" not in path)
    confirmed = playproof("check", *files, "--game", game)
    assert confirmed.status == 0, confirmed.out
    said = [line.split(":")[0] for line in confirmed.out.splitlines() if line[:1] != " "]
    assert said == [f"PROVEN   {Path(path).stem}" for path in files]
    assert "rests on: the interpreter" in confirmed.out
    assert "PP711" in playproof("check", files[0]).out  # a folder counts only where the person names it
    evidence = json.loads(Path(files[0]).read_text(encoding="utf-8"))
    line = evidence["settings"][0]["certificates"][0]
    line["idents"] = line["idents"][:1]
    Path(files[0]).write_text(json.dumps(evidence), encoding="utf-8")
    doubted = playproof("check", files[0], "--game", game, "--json")
    assert doubted.status == 1
    assert json.loads(doubted.out)["ok"] is False


def test_an_open_claim_fails_only_where_all_must_be_answered(playproof: Call, game: Path, tmp_path: Path) -> None:
    words = ["prove", game, "--claim", "chance", "--work", "0.0000001", "--out", tmp_path / "out"]
    answer = playproof(*words)
    assert (answer.out.split()[0], answer.status) == ("UNKNOWN", 0)
    assert playproof(*words, "--all-answered").status == 1


def test_check_says_for_each_file_what_it_shows(playproof: Call, game: Path, tmp_path: Path) -> None:
    """It said only `{"ok": true}`, of a refuted claim as of a proven one."""
    wrong = "{ask: reach, says: Nobody can win., of: {outcome: win}, expect: false}"
    right = "{ask: reach, says: Somebody can win., of: {outcome: win}, expect: true}"
    (game / "claims.yaml").write_text(f"claims:\n  hopeless: {wrong}\n  hopeful: {right}\n", encoding="utf-8")
    playproof("prove", game, "--out", tmp_path / "out")
    files = [tmp_path / "out" / "lamp_walk" / "evidence" / f"{name}.json" for name in ("hopeless", "hopeful")]
    answer = playproof("check", *files, "--game", game, "--json")
    said = json.loads(answer.out)
    assert (answer.status, said["ok"], said["findings"]) == (0, True, [])
    assert [(c["claim"], c["says"], c["verdict"], c["value"], c["expect"]) for c in said["checked"]] == [
        ("hopeless", "Nobody can win.", "REFUTED", True, False),
        ("hopeful", "Somebody can win.", "PROVEN", True, True),
    ]
    assert [c["file"] for c in said["checked"]] == [str(f) for f in files]
    for one in said["checked"]:
        assert one["settings"] == {"options": {}, "rulings": {}, "errata": True}
        assert one["rests"] == ["the interpreter"]
        assert "kernel/transcript.py" in one["read"]
        assert "kernel/turns.py" not in one["read"]
        assert one["shown"] == ["a game comes to: outcome win"]
    files[0].write_text("{}", encoding="utf-8")
    mixed = playproof("check", *files, "--game", game, "--json")
    said = json.loads(mixed.out)
    assert (mixed.status, said["ok"], len(said["findings"])) == (1, False, 1)
    assert [c["verdict"] for c in said["checked"]] == [None, "PROVEN"]
    told = playproof("check", *files, "--game", game).out
    assert "PP710" in told
    assert "PROVEN   hopeful" in told


def test_a_fault_of_our_own_answers_the_other_claims_and_exits_with_3(
    playproof: Call, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended the run, and no claim behind it had an answer."""

    def fails(*_: Any) -> Any:
        raise LookupError("a parent does not lead to its child")

    monkeypatch.setitem(proving.ASKS, "reach", fails)
    (game / "claims.yaml").write_text(
        "claims:\n  first: {ask: reach, says: One., of: {outcome: win}}\n"
        "  second: {ask: always, says: Two., of: bounds}\n",
        encoding="utf-8",
    )
    answer = playproof("prove", game, "--out", tmp_path / "out")
    assert answer.status == 3
    lines = [line.split()[:2] for line in answer.out.splitlines() if line[:1] != " "]
    assert sorted(lines) == [["PROVEN", "second"], ["UNKNOWN", "first"]]
    assert "PP720 a fault of playproof itself: LookupError: a parent does not lead to its child" in answer.out
    assert "Traceback" not in answer.out + answer.err


def test_a_refuted_claim_exits_with_1_and_says_what_was_expected(playproof: Call, game: Path, tmp_path: Path) -> None:
    claim = "{ask: reach, says: Nobody can win., of: {outcome: win}, expect: false}"
    (game / "claims.yaml").write_text(f"claims:\n  hopeless: {claim}\n", encoding="utf-8")
    answer = playproof("prove", game, "--out", tmp_path / "out")
    assert answer.status == 1
    assert answer.out.startswith("REFUTED  hopeless")
    assert "expected no" in answer.out


@pytest.mark.parametrize("arguments", [[], ["--claim", "winable"], ["--seconds", "0"]])
def test_wrong_calls_of_prove(playproof: Call, game: Path, arguments: list[str]) -> None:
    answer = playproof("prove", *([game] if arguments else []), *arguments)
    assert answer.status == 2
    assert "Traceback" not in answer.err


def test_an_erratum_is_shown_linted_and_printed(playproof: Call, game: Path, tmp_path: Path) -> None:
    (game / "errata").mkdir()
    (game / "errata" / "1.1.yaml").write_text(ERRATUM, encoding="utf-8")
    out = tmp_path / "out"
    facts = json.loads(playproof("errata", game, "--out", out, "--claim", "winnable", "--json").out)
    assert (facts["version"], facts["date"]) == ("1.1", "2026-11-20")
    sentence = "effect reads “gain 2 Coins, lose 1 Light”, was “gain 2 Coins, lose 2 Light”"
    assert facts["changes"] == [{"id": "06", "what": [sentence]}]
    assert [(c["before"]["verdict"], c["after"]["verdict"]) for c in facts["claims"]] == [("PROVEN", "PROVEN")]
    folder = out / "lamp_walk" / "errata" / "1.1"
    sheets = {f"{what}-{on}-en.pdf" for what in ("changed", "slips", "post") for on in ("A4", "Letter")}
    assert {p.name for p in folder.iterdir()} == {"index.html", "post.md", "erratum.json", "cards", *sheets}
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page.count("<img ") == 2
    told = playproof("errata", game, "--out", out, "--no-proof")
    assert told.status == 0
    assert "The ferryman was too greedy." in told.out
    assert "lint: nothing new" in told.out


def test_an_erratum_speaks_the_language_asked_for(playproof: Call, game: Path, tmp_path: Path) -> None:
    """The note, the titles and the page are in the game's first language, or in the one asked for."""
    (game / "errata").mkdir()
    note = 'note: {en: "The ferryman was too greedy.", fr: "Le passeur était trop avide."}'
    lines = [note if line.startswith("note:") else line for line in ERRATUM.splitlines()]
    (game / "errata" / "1.1.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = game / "game.yaml"
    data.write_text(data.read_text(encoding="utf-8").replace("languages: [en]", "languages: [fr, en]"), "utf-8")
    out = tmp_path / "out"
    first = playproof("errata", game, "--out", out, "--claim", "winnable", "--paper", "A4").out
    assert "Le passeur était trop avide." in first
    assert "la victoire reste possible" in first
    page = (out / "lamp_walk" / "errata" / "1.1" / "index.html").read_text(encoding="utf-8")
    assert '<html lang="fr">' in page
    assert "Le passeur était trop avide." in page
    asked = playproof("errata", game, "--out", out, "--no-proof", "--paper", "A4", "--language", "en").out
    assert "The ferryman was too greedy." in asked
    assert playproof("errata", game, "--no-proof", "--language", "xx").status == 2


def test_claims_that_a_patch_cannot_touch_are_not_proved_again(playproof: Call, game: Path, tmp_path: Path) -> None:
    (game / "errata").mkdir()
    words = '{component: "06", path: flavour, from: "He counts twice.", to: "He counts three times."}'
    text = ERRATUM[: ERRATUM.index("  - ")] + f"  - {words}\n"
    (game / "errata" / "1.1.yaml").write_text(text, encoding="utf-8")
    answer = playproof("errata", game, "--out", tmp_path / "out", "--json")
    assert answer.status == 0, answer.err
    claims = json.loads(answer.out)["claims"]
    assert {c["id"] for c in claims} == IDS
    assert all((c["touched"], c["before"], c["after"]) == (False, None, None) for c in claims)


def test_changed_cards_are_marked_with_version_and_date(playproof: Call, game: Path, tmp_path: Path) -> None:
    import pypdfium2

    (game / "errata").mkdir()
    (game / "errata" / "1.1.yaml").write_text(ERRATUM, encoding="utf-8")
    playproof("errata", game, "--out", tmp_path / "out", "--no-proof", "--paper", "A4")
    file = tmp_path / "out" / "lamp_walk" / "errata" / "1.1" / "changed-A4-en.pdf"
    with pypdfium2.PdfDocument(file) as document:
        text = document[0].get_textpage().get_text_bounded()
    assert "v1.1 · 2026-11-20" in text
    assert "The Ferryman" in text
    assert "The Old Well" not in text


def test_no_errata_and_unknown_errata_are_refused(playproof: Call, game: Path) -> None:
    assert "PP404" in playproof("errata", game).err
    (game / "errata").mkdir()
    (game / "errata" / "1.1.yaml").write_text(ERRATUM, encoding="utf-8")
    answer = playproof("errata", game, "--erratum", "1.2")
    assert answer.status == 2
    assert 'did you mean "1.1"?' in answer.err


def test_the_demo_runs_the_commands_that_it_shows(
    playproof: Call, game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert demonstration.run_demo_and_get_exit_status(DemoSettings(str(game), games=200), out) == 0
    printed = capsys.readouterr().out
    commands = [text.split()[2:4] for text in printed.splitlines() if text.startswith("$ ")]
    assert [words[0] for words in commands] == ["build", "prove", "log", "log", "report"]
    assert [words[1] for words in commands if words[0] == "log"] == ["judge", "replay"]
    folder = out / "lamp_walk"
    places = [Path(text.split()[-1]) for text in printed.splitlines() if str(folder) in text and text[:2] == "  "]
    assert {folder / "print", folder / "report" / "index.html", folder / "evidence"} <= set(places)
    assert all(place.exists() for place in places)
    assert printed.count("PROVEN ") == len(IDS)
    assert judge(folder / "winning-line.txt", game=str(game)) == []


def test_the_demo_named_in_the_house_is_complete() -> None:
    from playproof.database.game import load_game

    demo = read_demo_settings()
    game = load_game(demo.game)
    assert set(demo.claims) <= set(game.claims)
    assert demo.options_as_command_words == ["--chapter", "0"]


def test_a_broken_demo_is_told_in_words(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "read_demo_settings", lambda: DemoSettings("no_such_game"))
    answer = playproof("demo", "--out", tmp_path / "out")
    assert answer.status == 2
    assert "PP201" in answer.err
    assert not (tmp_path / "out").exists()


def test_an_erratum_that_leaves_no_card_to_print_is_shown(playproof: Call, tmp_path: Path) -> None:
    game = tmp_path / "lamp_walk"
    playproof("new", "lamp_walk", "--in", tmp_path)
    (game / "errata").mkdir()
    change = '{component: "01", path: count, to: 0}'
    lines = ['version: "1"', 'date: "2026-01-02"', "note: Why.", "changes:", f"  - {change}"]
    (game / "errata" / "1.yaml").write_text("\n".join(lines), "utf-8")
    answer = playproof("errata", game, "--out", tmp_path / "out", "--no-proof")
    assert answer.err.startswith("playproof: checking the game before and after ...\n")
    assert "This card leaves the game." in answer.out
    folder = tmp_path / "out" / "lamp_walk" / "errata" / "1"
    assert not [file.name for file in folder.iterdir() if file.name.startswith(("changed", "slips"))]
