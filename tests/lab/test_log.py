"""The log of a run: it holds the games that are played, loses nothing when stopped, and answers questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from playproof.database.errors import InputError
from playproof.lab.game_runner import GameRunner
from playproof.lab.log import RunLog, copy_logs_into_one_and_count_games
from playproof.lab.log_query import VIEWS, open_database_with_views_of_run, run_sql_query_and_get_columns_and_rows
from playproof.lab.manifest import BLOCK, GameRange, iter_missing_game_ranges, list_ranges_of_written_games
from playproof.language.random import make_game_seed
from playproof.referee.simulate import replay, simulate
from playproof.referee.variant import Variant

Call = Callable[..., Any]


def begin(folder: Path, game: str = "kuhn_poker", bot: str = "random", seed: int = 3, **more: Any) -> RunLog:
    bench = GameRunner(Variant(game), [bot], seed, 1)
    return RunLog.open_or_create_log_folder(
        bench, folder, **{"record_every": 2, "quantities": None, "resume": False, **more}
    )


def rows(run: Path, question: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in run_sql_query_and_get_columns_and_rows(run, question)[1]]


def test_the_games_are_those_of_simulate(tmp_path: Path) -> None:
    begin(tmp_path / "run").play_missing_games_and_count_present(0, 400)
    tally = simulate(Variant("kuhn_poker"), 400, ["random"], 3, jobs=1).tally
    won = dict(rows(tmp_path / "run", "select seat, sum(won::int) from results group by 1"))
    assert won == {1: tally.wins[0], 2: tally.wins[1]}
    ends = dict(rows(tmp_path / "run", "select ending, count(*) from games group by 1"))
    assert ends == {end.reason: tally.endings[end.number] for end in Variant("kuhn_poker").game.endings}
    assert rows(tmp_path / "run", "select sum(decisions) from games")[0][0] == sum(tally.decisions.elements())
    seeds = rows(tmp_path / "run", "select game, seed from games where game in (0, 399)")
    assert sorted(seeds) == [(n, make_game_seed(3, n)) for n in (0, 399)]


@pytest.mark.parametrize(("game", "bot"), [("three_suits", "random"), ("tic_tac_toe", "mcts:2")])
def test_steps_replay_in_the_interpreter(tmp_path: Path, game: str, bot: str) -> None:
    """Also those of bots that are played step by step."""
    begin(tmp_path, game, bot).play_missing_games_and_count_present(0, 5)
    for number in (0, 4):
        match = replay(Variant(game), [bot], 3, number)
        union = f"from (from decisions union all by name from chance) where game = {number} order by step"
        steps = rows(tmp_path, f"select action, seat - 1, list_sort(options) {union}")
        states = match.states[: len(match.actions)]
        assert [step[0] for step in steps] == match.actions
        assert [step[1] for step in steps] == [match.play.actor(state) for state in states]
        assert [step[2] for step in steps] == [sorted(match.play.legal(state)) for state in states]
    assert {row[0] for row in rows(tmp_path, "select distinct game from decisions")} == {0, 2, 4}


def test_things_are_followed_from_the_deal_to_the_table(tmp_path: Path) -> None:
    begin(tmp_path, "three_suits").play_missing_games_and_count_present(0, 3)
    king = "from things where game = 2 and word = 'king of coins' order by step, event"
    events = rows(tmp_path, f"select event, seat, held {king}")
    holder = next(seat for event, seat, held in events if event == "held" and held)
    assert ("dealt", 0, 0) in events
    assert ("used", holder, 0) in events
    forced = rows(tmp_path, "select count(*) from decisions where forced and legal != 1 or not forced and legal = 1")
    assert forced == [(0,)]


def test_quantities_are_kept_where_they_change(tmp_path: Path) -> None:
    begin(tmp_path, "pig", quantities=None).play_missing_games_and_count_present(0, 1)
    names = [name for (name,) in rows(tmp_path, "select distinct name from quantities")]
    assert set(names) <= set(Variant("pig").game.quantities)
    with pytest.raises(InputError, match=r"PP820.*no quantity `nope`"):
        begin(tmp_path / "other", "pig", quantities=["nope"])


# -- stopping, going on, putting together -------------------------------------------------------------------------


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    begin(whole).play_missing_games_and_count_present(0, 300)
    log = begin(halves)
    log.play_missing_games_and_count_present(0, 100)
    log.play_missing_games_and_count_present(200, 100)
    (halves / "steps" / ".left-over.parquet.x1").write_bytes(b"the power failed here")
    assert list_ranges_of_written_games(halves) == [(0, 100), (200, 300)]
    assert begin(halves, resume=True).play_missing_games_and_count_present(0, 300) == 300
    question = "select * from results order by game, seat"
    assert rows(whole, question) == rows(halves, question)
    question = "select * from decisions order by game, step"
    assert rows(whole, question) == rows(halves, question)


def test_another_run_is_refused(tmp_path: Path) -> None:
    begin(tmp_path / "run").play_missing_games_and_count_present(0, 10)
    for more, told in (
        ({}, "this run is there already"),
        ({"resume": True, "seed": 4}, "seed: 4 here, 3 there"),
        ({"resume": True, "game": "leduc_poker"}, "game: leduc_poker here, kuhn_poker there"),
        ({"resume": True, "record_every": 7}, "every: 7 here, 2 there"),
    ):
        with pytest.raises(InputError, match=f"PP820.*{told}"):
            begin(tmp_path / "run", **more)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match=r"PP820.*not empty"):
        begin(tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["letter.txt"]


def test_parts_of_several_machines_become_one_run(tmp_path: Path) -> None:
    begin(tmp_path / "a").play_missing_games_and_count_present(0, 50)
    begin(tmp_path / "b").play_missing_games_and_count_present(50, 30)
    begin(tmp_path / "other", seed=9).play_missing_games_and_count_present(80, 10)
    begin(tmp_path / "twice").play_missing_games_and_count_present(40, 20)
    assert copy_logs_into_one_and_count_games(tmp_path / "all", [tmp_path / "a", tmp_path / "b"]) == 80
    assert rows(tmp_path / "all", "select count(distinct game), max(game) from games") == [(80, 79)]
    with pytest.raises(InputError, match=r"PP821.*seed: 9 here, 3 there"):
        copy_logs_into_one_and_count_games(tmp_path / "all", [tmp_path / "other"])
    with pytest.raises(InputError, match=r"PP821.*games 0 to 49 and games 40 to 59"):
        copy_logs_into_one_and_count_games(tmp_path / "all", [tmp_path / "twice"])
    assert list_ranges_of_written_games(tmp_path / "all") == [(0, 50), (50, 80)]


def test_what_is_missing_is_cut_into_blocks() -> None:
    have = [(0, 10), (BLOCK, BLOCK + 5)]
    spans = list(iter_missing_game_ranges(have, 0, 2 * BLOCK + 1))
    assert spans == [(10, BLOCK), (BLOCK + 5, 2 * BLOCK), (2 * BLOCK, 2 * BLOCK + 1)]
    assert list(iter_missing_game_ranges([GameRange(0, 100)], 20, 60)) == []


# -- questions ------------------------------------------------------------------------------------------------------


def test_every_view_is_there_and_a_wrong_question_names_them(tmp_path: Path) -> None:
    begin(tmp_path).play_missing_games_and_count_present(0, 20)
    with open_database_with_views_of_run(tmp_path) as database:
        for view in VIEWS:
            assert database.execute(f"select * from {view}").description
    with pytest.raises(InputError, match=r"PP822.*decisions"):
        run_sql_query_and_get_columns_and_rows(tmp_path, "select nothing from nowhere")
    with pytest.raises(InputError, match=r"PP820.*no manifest"):
        run_sql_query_and_get_columns_and_rows(tmp_path / "steps", "select 1")


def test_the_files_are_plain_parquet(tmp_path: Path) -> None:
    """Other tools read them without Playproof."""
    begin(tmp_path, record_every=1).play_missing_games_and_count_present(0, 20)
    table = pq.read_table(tmp_path / "games")
    assert table.num_rows == 20
    assert {"game", "seed", "ending", "return_2", "won_2"} <= set(table.column_names)
    assert json.loads((tmp_path / "manifest.json").read_text())["bots"] == ["random", "random"]
