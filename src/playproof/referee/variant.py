"""A variant: one game under chosen options and rulings, with the digest of its description, and the
summary on disk that a run of many random games needs.

While the game does not change, a run then needs neither cards nor rules: it reads no YAML, traces
no rule, and plays no game in the interpreter. The file also keeps the interpreter's results, so the
machine code of an unchanged game is compared with the same results as before."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from playproof.database.files import write_file_atomically
from playproof.database.installation import PACKAGE
from playproof.language import Interpreter
from playproof.language.cache import (
    are_build_inputs_unchanged,
    collect_paths_read_in_block,
    compute_digest_by_path_of_build_inputs,
    ensure_private_cache_folder,
)
from playproof.language.result_store import ResultStore

if TYPE_CHECKING:
    from playproof.language.game import Game
    from playproof.language.playouts import PlayoutRunner
    from playproof.referee.observations import ObservationModel


# A variant: one game under chosen options and rulings, with the digest of its description.

_RULING = re.compile(r"[A-Z]+\d+\Z")
"""The name of a ruling, where options and rulings stand together: `A11`."""


@dataclass(frozen=True)
class Variant:
    """`ref` is a game's name or folder. `options` and `rulings` are as in
    `playproof.language.options.Options`. `file` is the file of a description that is played
    in place of the game's rules as they are now; "" without one.

    Everything else is made on first use: the description, its interpreter, the words of its
    actions. The first use raises UnknownGame, OptionError or database.errors.InputError if the
    choices are wrong.
    """

    ref: str
    options: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    own_cards: ClassVar[bool] = False  # true of a variant whose cards were given, and not read by its name

    def __reduce__(self) -> tuple[type[Variant], tuple[str, dict[str, str], dict[str, str], str]]:
        """Pickle only the choices. The other process builds the description again. Raises TypeError if it would
        build another one, because the cards were given."""
        if self.own_cards:
            raise TypeError(f"{self.ref}: cards that were given do not travel to another process")
        return Variant, (self.ref, dict(self.options), dict(self.rulings), self.file)

    @classmethod
    def from_loaded_cards(
        cls, ref: str, cards: Any, settings: Mapping[str, str] | None = None, game: Game | None = None
    ) -> Variant:
        """Return the variant of these options and rulings, with cards that have been read already, and with the
        `game` of these rules if it is traced."""
        values, rulings = dict(settings or {}), dict[str, str]()
        for name in list(values):
            if _RULING.match(name):
                rulings[name] = values.pop(name)
        variant = cls(ref, values, rulings)
        vars(variant).update(data=cards, own_cards=True)  # `cached_property` keeps its value here
        if game is not None:
            vars(variant)["game"] = game
        return variant

    @classmethod
    def from_described_game(cls, game: Game) -> Variant:
        """Return a game that was read from a file, and comes without cards."""
        from playproof.language.description import digest

        name = digest(game)
        variant = cls(f"{game.name} {name}", game.setting["options"], game.setting["rulings"])
        vars(variant).update(data=None, game=game, digest=name)
        return variant

    @cached_property
    def data(self) -> Any:
        """The cards of the game, or None if its rules need none."""
        from playproof.language.registry import load_cards_if_rules_need_them

        return load_cards_if_rules_need_them(self.ref)

    def list_values_by_option_or_ruling(self) -> dict[str, tuple[str, ...]]:
        """Return the values of each option and ruling that the rules ask for, the usual one first; none for an option
        of any text."""
        from playproof.language.options import Options
        from playproof.language.registry import build

        options = Options(dict(self.options), dict(self.rulings))
        build(self.ref, options, self.data)
        return {**dict.fromkeys(options.asked, ()), **options.read, **options.choices}

    @cached_property
    def game(self) -> Game:
        """The sealed description."""
        if self.file:
            from playproof.database.source import read_limited_plain_file_or_raise
            from playproof.language.description import read
            from playproof.language.description.file_rows import MOST_BYTES

            return read(read_limited_plain_file_or_raise(self.file, MOST_BYTES), Path(self.file).name)
        from playproof.language.options import Options
        from playproof.language.registry import build

        return build(self.ref, Options(dict(self.options), dict(self.rulings)), self.data)

    @cached_property
    def play(self) -> Interpreter:
        """The interpreter of the game."""
        return Interpreter(self.game)

    @cached_property
    def witness(self) -> ObservationModel:
        """The witness, which says what part of a step each seat sees."""
        from playproof.referee.observations import get_cached_observation_model

        return get_cached_observation_model(self.game)

    @cached_property
    def summary(self) -> GameSummary:
        """The summary that a run of many games needs."""
        return _load_or_make_stored_summary(self)

    @cached_property
    def summary_with_machine_source(self) -> GameSummary:
        """The summary with the source of its machine code, which many games need. Few games go without, because it
        takes long to write."""
        return _add_machine_source_to_stored_summary(self)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the description's file, by which recorded games and evidence name the game. It
        changes with the rules and with what they read of the cards."""
        from playproof.language.description import digest

        return digest(self.game)

    @property
    def name(self) -> str:
        """The game's name."""
        return self.game.name

    @property
    def title(self) -> str:
        """The game's title for people: from its cards, else declared, else its name in plain
        words."""
        title = getattr(self.data, "title", None) or self.game.facts.get("title")
        return str(title or self.game.name.replace("_", " ").capitalize())


def _load_or_make_stored_summary(variant: Variant) -> GameSummary:
    """Return a variant's summary: the one on disk if nothing that it was made from has changed,
    else a new one."""
    if variant.file or {"game", "data"} & variant.__dict__.keys():  # made already, from unknown sources
        return _make_summary(variant, "")
    path = ensure_private_cache_folder() / f"playproof_sheet_{_hash_summary_file_key(variant)}.json"
    stored = load_summary_or_none_if_outdated(path)
    if stored is not None:
        return stored
    with collect_paths_read_in_block() as read:
        _ = variant.game
    sources = compute_digest_by_path_of_build_inputs(read)
    # The same files make a game for each way to play, and a process that has loaded two games has the files of both: so
    # the game's name, options and rulings belong to its digest.
    described = json.dumps([sources, _hash_summary_file_key(variant)])
    made = _make_summary(variant, hashlib.sha256(described.encode()).hexdigest()[:32])
    if made.digest:
        write_json_if_possible(path, {"made_from": sources, "summary": asdict(made)})
    return made


def _add_machine_source_to_stored_summary(variant: Variant) -> GameSummary:
    """Return a variant's summary with the source of its machine code, and add that to the summary on disk, if the one
    there is still this one."""
    from playproof.language.compiled import Compiled
    from playproof.language.machine.native import can_make_machine_code

    summary = variant.summary
    if summary.source or not summary.digest or not can_make_machine_code():
        return summary
    compiled = Compiled(variant.game)
    if not compiled.machine:
        return summary
    made = replace(summary, source=compiled.inner_source, constants=dict(compiled.constants))
    path = ensure_private_cache_folder() / f"playproof_sheet_{_hash_summary_file_key(variant)}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(path.read_bytes())
        if stored["summary"]["digest"] == made.digest and are_build_inputs_unchanged(stored["made_from"]):
            write_json_if_possible(path, {"made_from": stored["made_from"], "summary": asdict(made)})
    return made


def _hash_summary_file_key(variant: Variant) -> str:
    described = [
        VERSION,
        str(PACKAGE),
        sys.version,
        os.getcwd(),
        os.environ.get("PLAYPROOF_MACHINE", ""),
        variant.ref,
        sorted(variant.options.items()),
        sorted(variant.rulings.items()),
    ]
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:24]


def _make_summary(variant: Variant, input_digest: str) -> GameSummary:
    from playproof.language.compiled import Compiled
    from playproof.language.watched_source import list_names_of_checked_conditions
    from playproof.referee.notation import seat_names

    game = variant.game
    few = game.ground <= MOST_TEXTS
    endings = tuple(EndingSummary(e.number, e.kind, e.reason, e.shared) for e in game.endings)
    actions = tuple((a.first, a.name) for a in game.actions if a.count)
    texts = tuple(game.show(i) for i in range(game.ground)) if few and input_digest else ()
    summary = GameSummary(
        game.name,
        variant.title,
        game.players,
        game.ground,
        endings,
        tuple(seat_names(game)),
        "round" in game.facts,
        tuple(list_names_of_checked_conditions(game)),
        actions,
        texts,
        game.sides,
        ends_within=_int_or_none(game.facts.get("ends_within")),
        steps_within=_int_or_none(game.facts.get("steps_within")),
        is_evaluated=game.evaluations is not None,
    )
    if not (few and input_digest):
        return summary
    plain = Compiled(game, machine=False)
    return replace(
        summary,
        checked_source=plain.source,
        initial=tuple(plain.initial),
        players_move=tuple(plain.players_move),
        digest=input_digest,
    )


def _int_or_none(declared_value: object) -> int | None:
    return declared_value if isinstance(declared_value, int) else None


# -- game summary --------------------------------------------------------------------------------------------
# The summary of a game that a run of many random games needs, kept on disk: names, words and generated
# source.

MOST_TEXTS = 20_000  # ground actions whose words are kept
VERSION = "7"


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
    each action. `initial` and `players_move` belong to its compiled reading, which few games play as
    plain Python (`checked_source`) and many in machine code (`source` with `constants`). `source` is
    made when it is first asked for, and empty if all games run as plain Python. `digest` identifies everything it was
    made from, options and rulings included, and is empty if that is not known. `ends_within` and `steps_within` are the
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
    checked_source: str = field(default="", repr=False)
    source: str = field(default="", repr=False)
    constants: dict[str, int] = field(default_factory=dict)
    initial: tuple[int, ...] = ()
    players_move: tuple[int, ...] = ()
    digest: str = ""
    ends_within: int | None = None
    steps_within: int | None = None
    is_evaluated: bool = False

    def get_name_of_ground_action(self, action_id: int) -> str:
        """Return the name of the action that a ground action belongs to."""
        return max((first, name) for first, name in self.names if first <= action_id)[1]

    @cached_property
    def checked_player(self) -> PlayoutRunner:
        """The player of its games in plain Python, which raises BoundsError where a value leaves its bounds."""
        from playproof.language.compiled import load_source_as_cached_python_module
        from playproof.language.playouts import PlayoutRunner

        made = load_source_as_cached_python_module(self.checked_source)
        return PlayoutRunner(made, False, self.players, self.ground, self.initial, self.players_move)

    @cached_property
    def player(self) -> PlayoutRunner:
        """The player of its games in machine code."""
        from playproof.language.machine.lazy_parts import GAMES, MIXED
        from playproof.language.machine.native import NativeModule
        from playproof.language.playouts import PlayoutRunner

        made = NativeModule(self.source, self.constants, (GAMES, MIXED))
        return PlayoutRunner(made, True, self.players, self.ground, self.initial, self.players_move)


def load_summary_or_none_if_outdated(summary_file: Any) -> GameSummary | None:
    """Return the summary in a file, or None if the file is missing, damaged or outdated."""
    try:
        stored = json.loads(summary_file.read_bytes())
        if not are_build_inputs_unchanged(stored["made_from"]):
            return None
        values: dict[str, Any] = stored["summary"]
        values["endings"] = [EndingSummary(*end) for end in values["endings"]]
        values["sides"] = [tuple(map(int, side)) for side in values["sides"]]
        values["names"] = [(int(first), str(name)) for first, name in values["names"]]
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return GameSummary(**plain)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_json_if_possible(json_file: Any, content: object) -> None:
    """Write a file. Does nothing if the file cannot be written."""
    try:
        write_file_atomically(json_file, json.dumps(content).encode())
    except OSError:
        return


class StoredResults:
    """The interpreter's results for a run: the outcomes of the games it played, and the first
    sampled game in which a value left its bounds."""

    def __init__(self, summary: GameSummary, bots: Sequence[str], seed: int, games: int, longest: int) -> None:
        self._store = ResultStore("run", summary.digest)
        self._key = self._store.make_key_with_premises(list(bots), seed, games, longest)
        stored = self._store.read_stored_result_or_none(self._key)
        self._stored: dict[str, Any] = stored if isinstance(stored, dict) else {}
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
            self._store.store_result_if_possible(self._key, self._stored)
