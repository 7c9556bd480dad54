"""The manifest of a run's log: all that decides its games, and which blocks of games are there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from playproof.database.files import format_json_bytes, write_file_atomically
from playproof.lab.codes import build_input_error_of_one_finding

FORMAT = 1
NAME = "manifest.json"
BLOCK = 50_000
"""Games of one file at most; files begin at multiples of it."""
_FILE = re.compile(r"(\d{12})-(\d{12})\.parquet\Z")


@dataclass(frozen=True)
class RunManifest:
    """What a run is. `description` is the digest of the rules as they are played, `data` that of the cards, `program`
    that of the code. `every`: the games whose number is a multiple of it are recorded step by step, with the values
    of these quantities."""

    game: str
    title: str
    options: Mapping[str, str]
    rulings: Mapping[str, str]
    description: str
    data: str
    version: str
    program: str
    bots: tuple[str, ...]
    seed: int
    every: int
    quantities: tuple[str, ...] = ()
    format: int = FORMAT

    def write_manifest_file(self, folder: Path) -> None:
        """Write the manifest. Replaces the file atomically."""
        write_file_atomically(folder / NAME, format_json_bytes(asdict(self)))

    def describe_differences_from_other_run(self, other_manifest: RunManifest) -> list[str]:
        """Return in words what is different in another run."""
        mine, theirs = asdict(self), asdict(other_manifest)
        return [
            f"{name}: {_format_value_as_json_or_text(mine[name])} here, "
            f"{_format_value_as_json_or_text(theirs[name])} there"
            for name in mine
            if _convert_tuple_to_list_else_same(mine[name]) != _convert_tuple_to_list_else_same(theirs[name])
        ]


def _convert_tuple_to_list_else_same(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _format_value_as_json_or_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value


def read_run_manifest_or_raise(folder: Path) -> RunManifest:
    """Return the manifest of a run. Raises InputError (PP820) if the folder holds none."""
    path = folder / NAME
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.get("format") != FORMAT:
            raise build_input_error_of_one_finding(
                "PP820", path, f"expected a log of format {FORMAT}, found {values.get('format')!r}"
            )
        return RunManifest(**{**values, "bots": tuple(values["bots"]), "quantities": tuple(values["quantities"])})
    except OSError:
        raise build_input_error_of_one_finding(
            "PP820", folder, "expected the log of a run, found no manifest.json", "`simulate --out` writes logs"
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise build_input_error_of_one_finding("PP820", path, f"this is no manifest of a run: {error}") from None


def read_manifest_if_present(folder: Path) -> RunManifest | None:
    """Return the manifest of the run in a folder, or None if there is no run. Raises InputError (PP820)."""
    return read_run_manifest_or_raise(folder) if (folder / NAME).exists() else None


# -- blocks ---------------------------------------------------------------------------------------------------------


def format_file_name_of_game_block(first_game: int, stop_game: int) -> str:
    """Return the name of the file that holds the games first to stop - 1."""
    return f"{first_game:012}-{stop_game:012}.parquet"


class GameRange(NamedTuple):
    first: int
    stop: int  # the number after the last


def list_ranges_of_written_games(folder: Path) -> list[GameRange]:
    """Return the ranges of games that a run holds, in order. A block's file of games is written last,
    so a range that is here is whole."""
    there = [_FILE.match(path.name) for path in (folder / "games").glob("*.parquet")]
    return sorted(GameRange(int(match[1]), int(match[2])) for match in there if match)


def iter_missing_game_ranges(
    present_ranges: Iterable[GameRange], first_game: int, stop_game: int
) -> Iterator[GameRange]:
    """Yield the ranges of first..stop - 1 that are not there, cut at multiples of `BLOCK`.

    >>> list(iter_missing_game_ranges([GameRange(0, 10)], 5, 60_000))
    [GameRange(first=10, stop=50000), GameRange(first=50000, stop=60000)]
    """
    at = first_game
    for begin, end in [*sorted(present_ranges), (stop_game, stop_game)]:
        upto = min(begin, stop_game)
        while at < upto:
            edge = min(upto, (at // BLOCK + 1) * BLOCK)
            yield GameRange(at, edge)
            at = edge
        at = max(at, end)


def find_two_ranges_that_share_a_game(
    first_and_stop_ranges: Iterable[GameRange],
) -> tuple[GameRange, GameRange] | None:
    """Return two ranges that share a game, or None."""
    before: GameRange | None = None
    for following in sorted(first_and_stop_ranges):
        if before is not None and following.first < before.stop:
            return before, following
        before = following
    return None
