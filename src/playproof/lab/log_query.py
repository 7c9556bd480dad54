"""Questions in SQL to a run's log, by DuckDB, over views with words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from playproof.lab.codes import make_input_error
from playproof.lab.manifest import read_manifest
from playproof.referee.variant import Variant

VIEWS: Mapping[str, str] = {
    "games": "a row per game: `game` (its number), `seed`, `ending` (words), `kind` (win, loss, draw, scores), "
    "`decisions`, `rounds`, `starter` (seat), `tie`, `return_1`, `won_1` ... per seat",
    "results": "a row per game and seat: `game`, `seat`, `name`, `score` (the return), `won`, `started`",
    "decisions": "a row per decision of a player in the recorded games: `game`, `step`, `seat`, `action`, `words` "
    "(what was chosen), `name` (its kind), `options` (numbers of the legal actions), `legal` (how many), `forced`, "
    "`evaluation` (of the game, if it declares one that a seat may know)",
    "chance": "the same for what chance decided",
    "things": "a row per event of a thing in the recorded games: `game`, `step`, `word`, `kind`, `component`, "
    "`event` (dealt, used, held), `seat` (0: chance), `held` (how many a seat now holds)",
    "quantities": "a row per change of a quantity in the recorded games: `game`, `step`, `name`, `value`",
    "actions": "the words of each action: `action` (its number), `name`, `words`",
    "seats": "`seat`, `name`",
}
"""What each view holds, by name."""


def open_run_database(run: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the views of a run. Raises InputError (PP820) if the folder holds no run."""
    manifest = read_manifest(run)
    if not any((run / "games").glob("*.parquet")):
        raise make_input_error(
            "PP820", run, "this run holds no game yet", "`simulate --out ... --resume` plays them"
        )
    database = duckdb.connect()
    database.execute("set enable_progress_bar = false")
    for name in ("seats", "endings", "actions", "things_words", "quantities_words"):
        source = _quote_sql_text(run / f"{name}.parquet")
        database.execute(f"create view {_raw_view_name(name)} as select * from read_parquet({source})")
    for part in ("games", "steps", "things", "quantities"):
        database.execute(f"create view raw_{part} as {_select_from_parquet(run, part)}")
    seats = Variant(manifest.game, manifest.options, manifest.rulings).summary.players
    for name, query in _view_queries(seats).items():
        database.execute(f"create view {name} as {query}")
    return database


def _raw_view_name(name: str) -> str:
    return name if name in ("seats", "actions") else f"raw_{name}"


_EMPTY = {
    "steps": "0::bigint game, 0::int step, 0::tinyint seat, 0::int action, []::int[] options, false forced",
    "things": "0::bigint game, 0::int step, 0::int thing, '' event, 0::tinyint seat, 0::int held",
    "quantities": "0::bigint game, 0::int step, 0::int quantity, 0::bigint value",
}


def _select_from_parquet(run: Path, part: str) -> str:
    if any((run / part).glob("*.parquet")):
        return f"select * from read_parquet({_quote_sql_text(run / part / '*.parquet')})"
    return f"select {_EMPTY[part]} where false"


def _quote_sql_text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _view_queries(seats: int) -> dict[str, str]:
    results = " union all ".join(
        f"select game, {seat}::tinyint seat, return_{seat} score, won_{seat} won, starter = {seat} started "
        "from raw_games"
        for seat in range(1, seats + 1)
    )
    steps = (
        "select s.* exclude (forced), a.words, a.name, len(s.options) legal, s.forced "
        "from raw_steps s join actions a using (action)"
    )
    return {
        "games": "select g.* exclude (ending), e.reason ending, e.kind from raw_games g "
        "left join raw_endings e using (ending)",
        "results": f"select r.*, seats.name from ({results}) r join seats using (seat)",
        "decisions": f"{steps} where s.seat > 0",
        "chance": f"{steps} where s.seat = 0",
        "things": "select t.* exclude (thing), w.word, w.kind, w.component from raw_things t "
        "join raw_things_words w using (thing)",
        "quantities": "select q.game, q.step, w.name, q.value from raw_quantities q "
        "join raw_quantities_words w using (quantity)",
    }


def run_sql_query(run: Path, question: str) -> tuple[list[str], Sequence[tuple[Any, ...]]]:
    """Return the names of the columns and the rows of an answer. Raises InputError (PP822) for a question that the
    database refuses."""
    database = open_run_database(run)
    try:
        answer = database.execute(question)
        return [column[0] for column in answer.description or ()], answer.fetchall()
    except duckdb.Error as error:
        views = ", ".join(VIEWS)
        raise make_input_error(
            "PP822", run, str(error).strip().replace("\n", " "), f"the views are {views}"
        ) from None
    finally:
        database.close()
