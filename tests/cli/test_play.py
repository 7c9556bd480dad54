"""play, simulate and judge from the command line."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_play_reads_a_pipe_and_ends_cleanly_with_it(playproof: Call) -> None:
    answer = playproof("play", "tic_tac_toe", "--bot", "random", stdin="mark 4\n")
    assert answer.status == 0
    assert "player 1> mark 4" in answer.out
    assert "\x1b" not in answer.out
    assert answer.err == ""


def test_play_goes_on_with_a_saved_game(playproof: Call, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    playproof("play", "tic_tac_toe", "--bot", "random", stdin=f"mark 4\nsave {file}\n")
    answer = playproof("play", "tic_tac_toe", "--load", file, stdin="log\n")
    assert answer.status == 0
    assert "1  player 1: mark 4" in answer.out


def test_a_sitting_as_json(playproof: Call) -> None:
    answer = playproof("play", "tic_tac_toe", "--bot", "random", "--json", stdin="mark 4\nmark 4\n")
    facts = json.loads(answer.out)
    assert facts["steps"][0] == {"round": None, "actor": "player 1", "action": "mark 4"}
    assert (facts["game"], facts["ending"], facts["returns"]) == ("tic_tac_toe", None, [0, 0])
    assert "not legal: mark 4" in answer.err


def test_one_may_take_any_seat(playproof: Call) -> None:
    answer = playproof("play", "tic_tac_toe", "--bot", "random,person", stdin="quit\n")
    assert "player 1: mark" in answer.out
    assert "player 2> quit" in answer.out


def test_simulate_prints_the_promised_json(playproof: Call) -> None:
    answer = playproof("simulate", "tic_tac_toe", "--games", "50", "--seed", "7", "--json")
    facts = json.loads(answer.out)
    assert answer.status == 0
    assert facts["games"] == sum(facts["endings"].values()) == 50
    assert facts["seed"] == 7
    assert facts["bots"] == ["random", "random"]
    again = json.loads(playproof("simulate", "tic_tac_toe", "--games", "50", "--seed", "7", "--json").out)
    assert {**again, "seconds": 0} == {**facts, "seconds": 0}


def test_simulate_prints_tables_for_people(playproof: Call) -> None:
    answer = playproof("simulate", "kuhn_poker", "--games", "40", "--bot", "random,greedy", "--jobs", "1")
    assert answer.status == 0
    assert "40 games" in answer.out
    assert "whoever begins against a fair share" in answer.out
    assert answer.err.startswith("playproof: playing 40 games ...\n")


def test_a_game_of_a_run_replays_as_a_transcript_that_is_accepted(playproof: Call, tmp_path: Path) -> None:
    answer = playproof("simulate", "kuhn_poker", "--seed", "3", "--replay", "814203")
    file = tmp_path / "one.txt"
    file.write_text(answer.out, encoding="utf-8")
    assert answer.out.startswith("playproof transcript 1\n")
    assert playproof("log", "judge", file).status == 0


def test_a_game_beyond_the_run_is_refused(playproof: Call) -> None:
    answer = playproof("simulate", "kuhn_poker", "--games", "100", "--replay", "100")
    assert (answer.status, answer.out) == (2, "")
    assert "a run of 100 games has the games 0 to 99, --replay names 100" in answer.err
    assert playproof("simulate", "kuhn_poker", "--games", "100", "--replay", "99").status == 0


def test_simulate_draws_a_plot(playproof: Call, tmp_path: Path) -> None:
    file = tmp_path / "plot.svg"
    assert playproof("simulate", "tic_tac_toe", "--games", "30", "--plot", file).status == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "three in a row" in text


def test_a_plot_makes_its_folder(playproof: Call, tmp_path: Path) -> None:
    answer = playproof("simulate", "tic_tac_toe", "--games", "20", "--plot", tmp_path / "no" / "dir" / "run.svg")
    assert answer.status == 0
    assert (tmp_path / "no" / "dir" / "run.svg").read_text().startswith("<svg ")
    assert [p.name for p in (tmp_path / "no" / "dir").iterdir()] == ["run.svg"]


@pytest.mark.parametrize(
    "call",
    [
        "simulate tic_tac_toe --plot",
        "simulate tic_tac_toe --out",
        "play tic_tac_toe --keep",
        "build eila --out",
        "prove tic_tac_toe --out",
        "mutate eila --marks",
        "mutate eila --propose",
        "errata eila --out",
        "report nim --out",
        "calibrate --out",
        "serve eila --saves",
        "workshop eila --out",
        "workshop eila --saves",
        "new some --in",
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(playproof: Call, tmp_path: Path, call: str) -> None:
    *words, option = call.split()
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "below"
    answer = playproof(*words, option, target)
    assert (answer.status, answer.out) == (2, "")
    told = f"PP801 Invalid value for '{option}': `{target}` cannot be written: `{tmp_path}/file` is a file"
    assert told in answer.err


def test_a_full_disk_loses_no_report(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    answer = playproof("simulate", "tic_tac_toe", "--games", "20", "--plot", tmp_path / "run.svg")
    assert answer.status == 2
    assert "three in a row" in answer.out
    assert f"{tmp_path}/run.svg: PP806 No space left on device" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_judge_names_the_illegal_move_with_its_rule(playproof: Call, tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("playproof transcript 1\ngame: tic_tac_toe\n\nmark 4\nmark 4\n", encoding="utf-8")
    answer = playproof("log", "judge", file)
    assert answer.status == 1
    assert "bad.txt:5:1: PP602 move 2 by player 2: not legal: mark 4; T1: the cell is taken" in answer.out
    data = json.loads(playproof("log", "judge", file, "--json").out)
    assert data["ok"] is False
    assert data["findings"][0]["code"] == "PP602"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["play", "no_such_game"], "PP802"),
        (["play", "tic_tac_toe", "--chapter", "1"], "PP803"),
        (["play", "nim", "--option", "heaps"], "PP801"),
        (["play", "tic_tac_toe", "--bot", "genius"], "PP804"),
        (["play", "tic_tac_toe", "--bot", "random,random,random"], "PP801"),
        (["simulate", "tic_tac_toe", "--games", "0"], "PP801"),
        (["simulate", "tic_tac_toe", "--games", "many"], "PP801"),
        (["simulate", "kuhn_poker", "--bot", "exact", "--games", "2"], "PP804"),
        (["log", "judge", "nowhere.txt"], "PP604"),
        (["check", "nowhere.json"], "PP801"),
        (["log", "judge"], "PP801"),
        (["simulat", "tic_tac_toe"], "PP801"),
        (["lint", "no_such_game"], "PP201"),
    ],
)
def test_wrong_calls_exit_with_2_and_a_code(playproof: Call, arguments: list[str], code: str) -> None:
    answer = playproof(*arguments)
    assert answer.status == 2
    assert code in answer.err
    assert "Traceback" not in answer.err + answer.out
    data = json.loads(playproof(*arguments, "--json").out or "{}") if arguments[0] != "play" else None
    assert data is None or (data["ok"] is False and data["findings"][0]["code"] == code)


def test_near_misses_are_named(playproof: Call) -> None:
    assert 'did you mean "simulate"?' in playproof("simulat").err


def test_rules_that_are_wrong_are_shown_with_their_line(playproof: Call, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(
        "from playproof.language import Game\n\n\ndef build(options):\n    g = Game('broken')\n"
        "    g.integer('x', 3, 1)\n    return g\n",
        encoding="utf-8",
    )
    answer = playproof("play", tmp_path)
    assert answer.status == 2
    assert "rules.py:6:5: PP323" in answer.err


def test_mistakes_of_all_rules_are_shown_at_once(playproof: Call, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(
        "from playproof.language import Game, win\n\n\ndef build(options):\n    g = Game('broken')\n"
        "    s = g.state\n"
        "    play = g.phase('play')\n    g.integer('food', 0, 2)\n\n    @g.action(play)\n    def eat():\n"
        "        s.fod = 1\n\n    @g.action(play)\n    def stop():\n        wim('done')\n    return g\n",
        encoding="utf-8",
    )
    answer = playproof("simulate", tmp_path, "--json")
    assert answer.status == 2
    found = json.loads(answer.out)["findings"]
    assert [(f["code"], f["where"].rsplit("rules.py")[1], f["hint"]) for f in found] == [
        ("PP320", ":12:9", 'did you mean "food"?'),
        ("PP808", ":16:9", 'did you mean "win"?'),
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("def build(options:\n    pass\n", "1:10", "SyntaxError"),
        ("import no_such_module\n", "1:1", "No module named 'no_such_module'"),
        ("def build(options):\n    return 1 / 0\n", "2:12", "ZeroDivisionError"),
        ("def build(options):\n    return None\n", "1:1", ""),
    ],
)
def test_mistakes_in_rules_are_the_users(playproof: Call, tmp_path: Path, text: str, line: str, said: str) -> None:
    (tmp_path / "rules.py").write_text(text, encoding="utf-8")
    answer = playproof("play", tmp_path)
    assert answer.status == 2
    assert f"rules.py:{line}: {f'PP808 {said}' if said else 'PP346'}" in answer.err


def test_rules_without_build_are_no_game(playproof: Call, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("x = 1\n", encoding="utf-8")
    assert "PP802" in playproof("play", tmp_path).err
    assert "PP802" in playproof("play", "").err


def test_a_game_of_the_house_goes_by_its_folder_too(playproof: Call) -> None:
    folder = Path(__file__).resolve().parents[2] / "cards" / "eila"
    assert "round 1" in playproof("play", folder, stdin="").out


def test_a_fault_of_our_own_is_called_one(playproof: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **named: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("playproof.referee.recorded_games.judge", broken)
    answer = playproof("log", "judge", "x.txt")
    assert answer.status == 3
    assert "a fault of playproof itself" in answer.err
    monkeypatch.setenv("PLAYPROOF_TRACEBACK", "1")
    assert "Traceback" in playproof("log", "judge", "x.txt").err


PURSE = Path(__file__).resolve().parents[1] / "referee" / "games" / "purse"


def test_a_checked_run_says_what_it_asked(playproof: Call) -> None:
    answer = playproof("simulate", PURSE, "--games", "20", "--check")
    assert answer.status == 0
    assert "held after every step: coins-conserved, all bounds, somebody can act" in answer.out
    facts = json.loads(playproof("simulate", PURSE, "--games", "20", "--check", "--json").out)
    assert facts["check"] == {
        "ok": True,
        "asked": ["coins-conserved", "all bounds", "somebody can act"],
        "violation": None,
    }
    assert json.loads(playproof("simulate", PURSE, "--games", "20", "--json").out)["check"] is None


def test_a_checked_run_stops_at_what_does_not_hold(playproof: Call, tmp_path: Path) -> None:
    call = ("simulate", PURSE, "--option", "fault=coin", "--games", "500", "--check", "--out", tmp_path)
    answer = playproof(*call)
    assert answer.status == 1
    assert "the invariant `coins-conserved` does not hold" in answer.out
    assert f"`playproof log judge --game {PURSE} --check` reads it" in answer.out
    (file,) = (tmp_path / "purse" / "checks").iterdir()
    assert file.read_text(encoding="utf-8").startswith("playproof transcript 1\n# game ")
    assert playproof("log", "judge", "--game", PURSE, file).status == 0
    judged = playproof("log", "judge", "--game", PURSE, "--check", file)
    assert judged.status == 1
    assert "PP610 after move" in judged.out
    found = json.loads(playproof(*call, "--json").out)["check"]["violation"]
    assert (found["what"], found["seed"], found["transcript"]) == ("coins-conserved", 0, str(file))


@pytest.mark.parametrize(
    ("package", "words", "line"),
    [
        ("distributed", ["--cluster", "tcp://127.0.0.1:1"], "pip install 'playproof[cluster]'"),
        ("dask_jobqueue", ["--cluster", "jobs.yaml"], "pip install dask-jobqueue"),
        ("duckdb", ["--out", "run"], "pip install 'playproof[lab]'"),
        ("pyspiel", ["--bot", "openspiel:mcts"], "pip install 'playproof[openspiel]'"),
    ],
)
def test_a_missing_package_is_named_with_the_line_that_installs_it(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, words: list[str], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.yaml").write_text("SLURMCluster: {cores: 1}\n")
    monkeypatch.setitem(sys.modules, package, None)
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find_spec(name))
    answer = playproof("simulate", "tic_tac_toe", "--games", "5", *words)
    assert answer.status == 2
    assert package.replace("pyspiel", "open_spiel") in answer.err
    assert line in answer.err


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("raise OSError('refused')", "(refused)"),
        ("raise MemoryError()", "(MemoryError)"),  # a web server's answer, read as the length of a message
        ("threading.Event().wait()", "(nothing was heard)"),  # whoever answers there says nothing, for ever
    ],
)
def test_an_address_without_a_dask_scheduler_is_told(
    playproof: Call, tmp_path: Path, does: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "distributed.py").write_text(f"import threading\n\ndef Client(address, timeout):\n    {does}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "distributed", raising=False)
    monkeypatch.setattr("playproof.cli.arguments._PATIENCE", 1)
    answer = playproof("simulate", "tic_tac_toe", "--games", "5", "--dask", "tcp://127.0.0.1:1")
    sys.modules.pop("distributed", None)  # `delitem` would put it back for the tests that follow
    assert answer.status == 2
    assert f"no Dask scheduler answers at `tcp://127.0.0.1:1` within 1 seconds {said}" in answer.err
    assert "tcp://HOST:8786" in answer.err
