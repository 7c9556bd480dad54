"""The summary of a game that a run of many random games needs, kept on disk: names, words and
generated source.

While the game does not change, a run then needs neither cards nor rules: it reads no YAML, traces
no rule, and plays no game in the interpreter. The file also keeps the interpreter's results, so the
machine code of an unchanged game is compared with the same results as before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.database.files import write_atomically
from playproof.language.build_inputs import are_inputs_unchanged
from playproof.language.cache import ensure_cache_folder

if TYPE_CHECKING:
    from playproof.language.playouts import PlayoutRunner

MOST_TEXTS = 20_000  # ground actions whose words are kept
VERSION = "6"


class EndingSummary(NamedTuple):
    """An ending as reports show it."""

    number: int
    kind: str
    reason: str
    shared: bool = False


@dataclass(frozen=True)
class GameSummary:
    """A game as reports need it.

    `texts` holds the words of the ground actions. `names` holds the first number and the name of
    each action. `source`, `constants`, `initial` and `players_move` belong to its compiled reading;
    `source` is empty if its games run as plain Python. `digest` identifies everything it was made
    from, options and rulings included, and is empty if that is not known. `ends_within` and `steps_within` are the
    bounds on a game's length that the rules declare, if they do.
    """

    name: str
    title: str
    players: int
    ground: int
    endings: tuple[EndingSummary, ...]
    seats: tuple[str, ...]
    has_rounds: bool
    asked: tuple[str, ...]
    names: tuple[tuple[int, str], ...]
    texts: tuple[str, ...]
    sides: tuple[tuple[int, ...], ...]
    source: str = field(default="", repr=False)
    constants: dict[str, int] = field(default_factory=dict)
    initial: tuple[int, ...] = ()
    players_move: tuple[int, ...] = ()
    digest: str = ""
    ends_within: int | None = None
    steps_within: int | None = None

    def get_action_name(self, action_id: int) -> str:
        """Return the name of the action that a ground action belongs to."""
        return max((first, name) for first, name in self.names if first <= action_id)[1]

    @cached_property
    def player(self) -> PlayoutRunner:
        """The player of its games in machine code."""
        from playproof.language.machine.lazy_parts import GAMES, MIXED
        from playproof.language.machine.native import NativeModule
        from playproof.language.playouts import PlayoutRunner

        made = NativeModule(self.source, self.constants, (GAMES, MIXED))
        return PlayoutRunner(made, True, self.players, self.ground, self.initial, self.players_move)


def load_stored_summary(path: Any) -> GameSummary | None:
    """Return the summary in a file, or None if the file is missing, damaged or outdated."""
    try:
        stored = json.loads(path.read_bytes())
        if not are_inputs_unchanged(stored["made_from"]):
            return None
        values: dict[str, Any] = stored["summary"]
        values["endings"] = [EndingSummary(*end) for end in values["endings"]]
        values["sides"] = [tuple(map(int, side)) for side in values["sides"]]
        values["names"] = [(int(first), str(name)) for first, name in values["names"]]
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return GameSummary(**plain)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_json_if_possible(path: Any, content: object) -> None:
    """Write a file. Does nothing if the file cannot be written."""
    try:
        write_atomically(path, json.dumps(content).encode())
    except OSError:
        return


class StoredResults:
    """The interpreter's results for a run: the outcomes of the games it played, and the first
    sampled game in which a value left its bounds."""

    def __init__(
        self, summary: GameSummary, bots: Sequence[str], seed: int, games: int, longest: int
    ) -> None:
        run = json.dumps([summary.digest, list(bots), seed, games, longest])
        self._path = (
            ensure_cache_folder() / f"playproof_said_{hashlib.sha256(run.encode()).hexdigest()[:24]}.json"
        )
        self._stored: dict[str, Any] = {}
        try:
            stored = json.loads(self._path.read_bytes())
            self._stored = stored if isinstance(stored, dict) else {}
        except (OSError, ValueError):
            pass
        self._before = dict(self._stored)

    def __contains__(self, what: str) -> bool:
        return what in self._stored

    def __getitem__(self, what: str) -> Any:
        return self._stored[what]

    def __setitem__(self, what: str, answer: Any) -> None:
        self._stored[what] = answer

    def save_if_changed(self) -> None:
        """Write the results to disk if any of them is new."""
        if self._stored != self._before:
            write_json_if_possible(self._path, self._stored)
