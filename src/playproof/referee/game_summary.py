"""The summary of a game that a run of many random games needs, kept on disk: names, words and
generated source.

While the game does not change, a run then needs neither cards nor rules: it reads no YAML, traces
no rule, and plays no game in the interpreter. The file also keeps the interpreter's results, so the
machine code of an unchanged game is compared with the same results as before.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.language.build_inputs import HOUSE, digests, noted, unchanged
from playproof.language.cache import cache_folder, write

if TYPE_CHECKING:
    from playproof.language.playouts import Player
    from playproof.referee.variant import Variant

_MOST_TEXTS = 20_000  # ground actions whose words are kept
_VERSION = "5"


class End(NamedTuple):
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
    from, options and rulings included, and is empty if that is not known.
    """

    name: str
    title: str
    players: int
    ground: int
    endings: tuple[End, ...]
    seats: tuple[str, ...]
    has_rounds: bool
    asked: tuple[str, ...]
    names: tuple[tuple[int, str], ...]
    texts: tuple[str, ...]
    teams: tuple[tuple[int, ...], ...]
    source: str = field(default="", repr=False)
    constants: dict[str, int] = field(default_factory=dict)
    initial: tuple[int, ...] = ()
    players_move: tuple[int, ...] = ()
    digest: str = ""

    def name_of(self, ident: int) -> str:
        """Return the name of the action that a ground action belongs to."""
        return max((first, name) for first, name in self.names if first <= ident)[1]

    @cached_property
    def player(self) -> Player:
        """The player of its games in machine code."""
        from playproof.language.machine.lazy_parts import GAMES
        from playproof.language.machine.native import Native
        from playproof.language.playouts import Player

        made = Native(self.source, self.constants, (GAMES,))
        return Player(made, True, self.players, self.ground, self.initial, self.players_move)


def summary_of(variant: Variant) -> GameSummary:
    """Return a variant's summary: the one on disk if nothing that it was made from has changed,
    else a new one."""
    if {"game", "data"} & variant.__dict__.keys():  # made already, from unknown sources
        return _made(variant, "")
    path = cache_folder() / f"playproof_sheet_{_name(variant)}.json"
    stored = _read_summary(path)
    if stored is not None:
        return stored
    with noted() as read:
        _ = variant.game
    sources = digests(read)
    # The same files make a game for each way to play, so options and rulings belong to its digest.
    described = json.dumps([sources, sorted(variant.options.items()), sorted(variant.rulings.items())])
    made = _made(variant, hashlib.sha256(described.encode()).hexdigest()[:32])
    if made.source:
        _keep(path, {"made_from": sources, "summary": asdict(made)})
    return made


def _name(variant: Variant) -> str:
    described = [
        _VERSION,
        str(HOUSE),
        sys.version,
        os.getcwd(),
        os.environ.get("PLAYPROOF_MACHINE", ""),
        variant.ref,
        sorted(variant.options.items()),
        sorted(variant.rulings.items()),
    ]
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:24]


def _read_summary(path: Any) -> GameSummary | None:
    """Return the summary in a file, or None if the file is missing, damaged or outdated."""
    try:
        stored = json.loads(path.read_bytes())
        if not unchanged(stored["made_from"]):
            return None
        values: dict[str, Any] = stored["summary"]
        values["endings"] = [End(*end) for end in values["endings"]]
        values["teams"] = [tuple(map(int, team)) for team in values["teams"]]
        values["names"] = [(int(first), str(name)) for first, name in values["names"]]
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return GameSummary(**plain)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(path: Any, content: object) -> None:
    """Write a file. Does nothing if the file cannot be written."""
    try:
        write(path, json.dumps(content).encode())
    except OSError:
        return


def _made(variant: Variant, digest: str) -> GameSummary:
    from playproof.language.compiled import Compiled
    from playproof.language.watched_source import asked
    from playproof.referee.notation import seat_names

    game = variant.game
    few = game.ground <= _MOST_TEXTS
    endings = tuple(End(e.number, e.kind, e.reason, e.shared) for e in game.endings)
    actions = tuple((a.first, a.name) for a in game.actions if a.count)
    texts = tuple(game.show(i) for i in range(game.ground)) if few and digest else ()
    summary = GameSummary(
        game.name,
        variant.title,
        game.players,
        game.ground,
        endings,
        tuple(seat_names(game)),
        "round" in game.facts,
        tuple(asked(game)),
        actions,
        texts,
        game.teams,
    )
    compiled = Compiled(game) if few and digest else None
    if compiled is None or not compiled.machine:
        return summary
    return replace(
        summary,
        source=compiled.inner,
        constants=dict(compiled.constants),
        initial=tuple(compiled.initial),
        players_move=tuple(compiled.players_move),
        digest=digest,
    )


class StoredResults:
    """The interpreter's results for a run: the outcomes of the games it played, and the first
    sampled game in which a value left its bounds."""

    def __init__(self, summary: GameSummary, bots: Sequence[str], seed: int, games: int) -> None:
        run = json.dumps([summary.digest, list(bots), seed, games])
        self._path = cache_folder() / f"playproof_said_{hashlib.sha256(run.encode()).hexdigest()[:24]}.json"
        self._known: dict[str, Any] = {}
        try:
            stored = json.loads(self._path.read_bytes())
            self._known = stored if isinstance(stored, dict) else {}
        except (OSError, ValueError):
            pass
        self._before = dict(self._known)

    def __contains__(self, what: str) -> bool:
        return what in self._known

    def __getitem__(self, what: str) -> Any:
        return self._known[what]

    def __setitem__(self, what: str, answer: Any) -> None:
        self._known[what] = answer

    def keep(self) -> None:
        """Write the results to disk if any of them is new."""
        if self._known != self._before:
            _keep(self._path, self._known)
