"""Games of people: one format with a JSON door, and a place on the ladder of bots that holds the truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.lab.game_runner import GameRunner
from playproof.lab.ladder import (
    PlayedTranscript,
    analyze_games_of_people,
    estimate_value_lost_per_decision,
    judge_people_better_worse_or_alike,
    list_thinking_times_longest_first,
    read_and_replay_transcripts_or_raise,
)
from playproof.language.random import Stream
from playproof.referee.match import Match
from playproof.referee.recorded_games import format_games_as_json, read_games_from_transcripts_or_json
from playproof.referee.simulate import replay
from playproof.referee.transcript import parse_transcript_text_or_raise, write
from playproof.referee.variant import Variant
from tests.cli.conftest import Answer, playproof

__all__ = ["playproof"]
Call = Callable[..., Answer]
GAME = Variant("tic_tac_toe")
BENCH = GameRunner(GAME, ["random"], 0, 1)
ENGINE = BENCH.engine


def played(bot: str, seed: int, games: int) -> list[Match]:
    return [replay(GAME, [bot], seed, number, engine=ENGINE) for number in range(games)]


def records(matches: list[Match]) -> list[PlayedTranscript]:
    return [
        PlayedTranscript(parse_transcript_text_or_raise(write(match, seed=False).replace(*_OF_PEOPLE(match))), match)
        for match in matches
    ]


def _OF_PEOPLE(match: Match) -> tuple[str, str]:
    return match.seats[0], "person"


def test_the_place_of_players_of_known_strength_holds_the_truth() -> None:
    """Many groups that play as a bot does: its own rung is among those they are not told apart from, at the stated
    rate; and nobody who plays at random passes for a search."""
    bots = ["random", "mcts:20", "mcts:200"]
    ladder = analyze_games_of_people(BENCH, records(played("mcts:20", 5, 40)), bots, games_per_bot=60)
    assert [standing.people for standing in ladder.standings][:2] == ["better", "alike"]
    own = ladder.standings[1].given
    alike = 0
    for group in range(12):
        games = [(m.states, m.actions, [0, 1]) for m in played("mcts:20", 100 + group, 12)]
        alike += (
            judge_people_better_worse_or_alike(
                estimate_value_lost_per_decision(ENGINE, iter(games), Stream(group)), own
            )
            == "alike"
        )
    assert alike >= 10  # of 12 at 95 %
    beginners = analyze_games_of_people(BENCH, records(played("random", 5, 40)), bots[:2], games_per_bot=60)
    assert [standing.people for standing in beginners.standings] == ["alike", "worse"]


def test_games_go_out_and_come_in_as_json(playproof: Call, tmp_path: Path) -> None:
    text = (
        write(played("random", 3, 1)[0], seed=False)
        .replace("seat 1: random", "seat 1: Ann")
        .replace("seat 2: random", "seat 2: Ben\nminutes: 12.5\ntag club: north\nsurvey fun: 4\n")
    )
    (tmp_path / "one.txt").write_text(text, encoding="utf-8")
    out = tmp_path / "games.json"
    assert playproof("log", "judge", tmp_path / "one.txt", tmp_path / "one.txt", "--export", out).status == 0
    first, second = read_games_from_transcripts_or_json(out)
    written = parse_transcript_text_or_raise(text)
    assert [entry.text for entry in first.entries] == [entry.text for entry in written.entries]
    assert replace(first, entries=(), where=written.where, end_where=None) == replace(
        written, entries=(), end_where=None
    )
    assert format_games_as_json([first, second]) == out.read_text(encoding="utf-8")
    assert playproof("log", "judge", out).status == 0
    data = json.loads(out.read_text(encoding="utf-8"))
    data["games"][1]["moves"][0] = "player 2: mark 4"
    out.write_text(json.dumps(data, indent=1), encoding="utf-8")
    line = next(n for n, row in enumerate(out.read_text().splitlines(), 1) if '"player 2: mark 4"' in row and n > 25)
    answer = playproof("log", "judge", out)
    assert (answer.status, f"games.json:{line}:" in answer.err + answer.out) == (1, True), answer.err
    out.write_text('{"playproof": "games 1", "games": [{"game": "tic_tac_toe", "mvoes": []}]}', encoding="utf-8")
    assert playproof("log", "judge", out).status == 2


def test_a_report_reads_them(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAYPROOF_MACHINE")  # searches are quicker so
    for number, match in enumerate(played("mcts:20", 1, 6)):
        text = write(match, seed=False).replace("mcts:20", "person").replace("\n\n", "\ntag club: north\n\n", 1)
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    files = [word for n in range(6) for word in ("--people", tmp_path / f"{n}.txt")]
    few = ("report", "tic_tac_toe", "--games", "60", "--pairs", "20", "--ladder", "random", *files)
    people = json.loads(playproof(*few, "--json").out)["people"]
    assert (people["games"], people["tags"]) == (6, {"club": {"north": 6}})
    assert people["given"]["games"] == 6
    assert [standing["bot"] for standing in people["standings"]] == ["random"]
    told = playproof(*few, "--out", tmp_path)
    assert "The people of 6 recorded games are" in told.out
    assert "What players give away" in (tmp_path / "tic_tac_toe" / "report" / "report.md").read_text(encoding="utf-8")
    with pytest.raises(Exception, match="PP825"):
        read_and_replay_transcripts_or_raise([tmp_path / "0.txt"], Variant("nim"))


def test_how_long_people_think_is_said_by_seat_and_kind_of_action(tmp_path: Path) -> None:
    moves = ["player 1: mark 4", "player 2: mark 0", "player 1: mark 1", "player 2: mark 2", "player 1: mark 7"]
    game = {"game": "tic_tac_toe", "seats": ["Ann", "random"], "moves": moves, "seconds": [8, 1, None, 1, 2.5]}
    file = tmp_path / "games.json"
    file.write_text(json.dumps({"playproof": "games 1", "games": [game]}), encoding="utf-8")
    variant = Variant("tic_tac_toe")
    seat, kind = list_thinking_times_longest_first(read_and_replay_transcripts_or_raise([file], variant))
    assert [seat.of, kind.of] == ["seat player 1", "mark"]
    assert (seat.decisions, seat.median, seat.most) == (2, 5.25, pytest.approx(7.45))
    assert kind == replace(seat, of="mark")  # the bot's second is no person's
    assert json.loads(format_games_as_json(read_games_from_transcripts_or_json(file)))["games"][0]["seconds"] == [
        8,
        1,
        None,
        1,
        2.5,
    ]
