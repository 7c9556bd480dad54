"""Pictures of faces, entries of the lobby and replays: how the server gets them, from disk or from the
process that draws them, each in its turn.

Type, icons and layouts take some 100 MB once they have drawn, and the drawing of a game takes seconds. So the server
draws nothing itself, and the process ends when there is nothing left to draw."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import sys
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from playproof.database.errors import InputError
from playproof.database.installation import PACKAGE
from playproof.language import RulesError
from playproof.language.cache import (
    are_build_inputs_unchanged,
    collect_paths_read_in_block,
    compute_digest_by_path_of_build_inputs,
    ensure_private_cache_folder,
)
from playproof.language.options import OptionError
from playproof.language.registry import UnknownGame
from playproof.referee.match import Match
from playproof.referee.variant import Variant, write_json_if_possible
from playproof.table.bot_processes import VariantKey, WorkerPool, make_hashable_key_of_variant
from playproof.table.drawn_table import draw_face_as_cut
from playproof.table.faces import FacePictures
from playproof.table.replay_page import render_replay_page_html
from playproof.table.screen_svg import shorten_svg_outlines
from playproof.table.table_layout import NoTable, TableLayout

# -- face drawer ---------------------------------------------------------------------------------------------
# How the server gets pictures: from disk, or from the process that draws them, each in its turn.

_IDLE = 20.0  # seconds without work after which the process ends
_STEP_BACK = 0.1  # seconds
_T = TypeVar("_T")


class FaceDrawer:
    """Draws what the server shows. A process of its own does it as long as the files of a game are those that the
    server has read; else a thread of the server."""

    def __init__(self) -> None:
        self._pool = WorkerPool(1, start_recording_files_this_process_reads, nice=2)
        self._drawing: dict[str, asyncio.Task[None]] = {}  # by edition
        self._waiting: dict[str, asyncio.Future[None]] = {}  # by the picture's name
        self._entries: dict[str, LobbyEntry] = {}
        self._one = asyncio.Lock()  # of lobby entries
        self._at_work = 0
        self._end: asyncio.TimerHandle | None = None

    # -- faces ----------------------------------------------------------------------------------------------

    async def wait_for_compressed_picture(self, faces: FacePictures, picture_hash: str) -> bytes | None:
        """Return a picture of an edition, compressed, when it has been drawn; None for a side that is not there. The
        first request for any picture has all of them drawn, in their order."""
        stored = await asyncio.to_thread(faces.store.read_stored_picture, picture_hash)
        if stored is not None or faces.store.is_complete:
            return stored
        self._start_drawing_edition_unless_running(faces)
        if picture_hash in self._waiting:
            await asyncio.shield(self._waiting[picture_hash])
        return await asyncio.to_thread(faces.store.read_stored_picture, picture_hash)

    def _start_drawing_edition_unless_running(self, faces: FacePictures) -> None:
        """Begin to draw all pictures of an edition, unless this is under way."""
        if faces.edition in self._drawing:
            return
        loop = asyncio.get_running_loop()
        for name in faces.picture_hashes:
            self._waiting.setdefault(name, loop.create_future())
        self._drawing[faces.edition] = loop.create_task(self._draw_edition(faces))

    async def _draw_edition(self, faces: FacePictures) -> None:
        game, store = make_hashable_key_of_variant(faces.spread.variant), faces.store
        try:
            names = await self._run_in_process_or_thread(
                faces.list_picture_hashes_in_drawing_order, list_picture_hashes_of_edition, game, faces.edition
            )
            for name in names:
                while next(reversed(self._drawing)) != faces.edition:
                    await asyncio.sleep(_STEP_BACK)  # the game that was opened last is drawn first
                if store.read_stored_picture(name) is None:
                    here = partial(faces.draw_gzipped_svg_by_hash_or_none, name)
                    drawn = await self._run_in_process_or_thread(
                        here, draw_gzipped_face_or_none_in_process, game, faces.edition, name
                    )
                    if drawn is not None:
                        await asyncio.to_thread(store.store_picture, name, drawn)
                self._wake_waiting_requests(name)
            await asyncio.to_thread(store.mark_all_pictures_stored)
        finally:
            del self._drawing[faces.edition]
            for name in faces.picture_hashes:
                self._wake_waiting_requests(name)

    def _wake_waiting_requests(self, picture_hash: str) -> None:
        """Let those go on who wait for a picture."""
        waiting = self._waiting.pop(picture_hash, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    # -- the lobby, and replays -----------------------------------------------------------------------------

    async def get_cached_or_build_lobby_entry(self, game_ref: str) -> LobbyEntry:
        """Return what the lobby shows of a game, worked out once. What is wrong with a game is asked each time."""
        async with self._one:
            if game_ref not in self._entries:
                stored = await asyncio.to_thread(read_stored_lobby_entry_unless_outdated, game_ref)
                entry = (
                    stored
                    if stored is not None
                    else await self._run_in_drawing_process(build_and_store_lobby_entry_in_process, game_ref)
                )
                if entry.error:
                    return entry
                self._entries[game_ref] = entry
            return self._entries[game_ref]

    def forget_lobby_entries(self) -> None:
        """Describe all games anew, because their files may have changed."""
        self._entries.clear()

    async def render_replay_page_in_process(self, match: Match, spread: TableLayout, faces: FacePictures) -> str:
        """Return a finished game as one page."""
        return await self._run_in_process_or_thread(
            partial(render_replay_page_html, match, spread),
            render_replay_page_of_edition,
            make_hashable_key_of_variant(match.variant),
            faces.edition,
            match.seed,
            tuple(match.seats),
            tuple(match.actions),
        )

    # -- the process ----------------------------------------------------------------------------------------

    async def _run_in_process_or_thread(
        self, run_here: Callable[[], _T], function: Callable[..., _T], *arguments: object
    ) -> _T:
        """Let the process do this; a thread does it where the process cannot."""
        try:
            return await self._run_in_drawing_process(function, *arguments)
        except (OutdatedEdition, BrokenProcessPool):
            return await asyncio.to_thread(run_here)

    async def _run_in_drawing_process(self, function: Callable[..., _T], *arguments: object) -> _T:
        """Let the process do this. It ends some seconds after its last work."""
        if self._end is not None:
            self._end.cancel()
        self._at_work += 1
        try:
            return await self._pool.run_in_worker_retrying_once(function, *arguments)
        finally:
            self._at_work -= 1
            if not self._at_work:
                self._end = asyncio.get_running_loop().call_later(_IDLE, self._stop_process_if_idle)

    def _stop_process_if_idle(self) -> None:
        if not self._at_work:
            self._pool.stop_workers()

    async def stop_drawing_and_process(self) -> None:
        """Stop drawing, and end the process."""
        tasks = list(self._drawing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._end is not None:
            self._end.cancel()
        self._pool.stop_workers()


# What the process that draws does for the server: pictures of faces, the lobby's entries, replays.

_read: set[str] = set()  # all files that this process has read
_noting: list[AbstractContextManager[set[str]]] = []  # a generator that is forgotten would end
_MOST_EDITIONS = 2  # that are remembered
_editions: OrderedDict[tuple[VariantKey, str], FacePictures] = OrderedDict()


class OutdatedEdition(Exception):
    """The files of a game are no longer those from which the server has read it."""


def start_recording_files_this_process_reads() -> None:
    """Note from now on which files this process reads. What it reads once serves all games."""
    global _read
    _noting.append(collect_paths_read_in_block())
    _read = _noting[0].__enter__()


def list_picture_hashes_of_edition(variant_key: VariantKey, edition_hash: str) -> list[str]:
    """Return the names of an edition's pictures in the order in which they are drawn. Raises OutdatedEdition."""
    return _get_edition_pictures_or_raise_outdated(variant_key, edition_hash).list_picture_hashes_in_drawing_order()


def draw_gzipped_face_or_none_in_process(variant_key: VariantKey, edition_hash: str, picture_hash: str) -> bytes | None:
    """Return a picture, compressed; None for a side that its component does not have. Raises OutdatedEdition."""
    faces = _get_edition_pictures_or_raise_outdated(variant_key, edition_hash)
    return faces.draw_gzipped_svg_by_hash_or_none(picture_hash)


def build_and_store_lobby_entry_in_process(game_ref: str) -> LobbyEntry:
    """Return what the lobby shows of a game, and keep it on disk."""
    return build_and_store_lobby_entry(game_ref, _read)


def render_replay_page_of_edition(
    variant_key: VariantKey, edition_hash: str, seed: int, seats: Sequence[str], actions: Sequence[int]
) -> str:
    """Return a finished game as a page. Raises OutdatedEdition."""
    from playproof.table.replay_page import render_replay_page_html

    faces = _get_edition_pictures_or_raise_outdated(variant_key, edition_hash)
    match = Match(faces.spread.variant, seed, seats=seats)
    for ident in actions:
        match.apply(ident)
    return render_replay_page_html(match, faces.spread, faces=faces)


def _get_edition_pictures_or_raise_outdated(variant_key: VariantKey, edition_hash: str) -> FacePictures:
    """Return the pictures of an edition. Those of the last ones are remembered."""
    if (variant_key, edition_hash) not in _editions:
        ref, options, rulings, file = variant_key
        try:
            faces = FacePictures(TableLayout(Variant(ref, dict(options), dict(rulings), file)))
        except Exception as error:
            raise OutdatedEdition(str(error)) from None
        if faces.edition != edition_hash:
            raise OutdatedEdition(f"{ref} has changed")
        _editions[variant_key, edition_hash] = faces
    _editions.move_to_end((variant_key, edition_hash))
    if len(_editions) > _MOST_EDITIONS:
        _editions.popitem(last=False)
    return _editions[variant_key, edition_hash]


# -- lobby entries -------------------------------------------------------------------------------------------
# What the lobby shows of a game: its title, its options, its picture. Worked out once an edition and kept
# on disk, so that a lobby of four games neither reads cards nor draws.

_VERSION = "1"


@dataclass(frozen=True)
class LobbySetting:
    """A question with several answers: an option of a game, or a ruling. `values` are names with their words."""

    name: str
    about: str
    values: tuple[tuple[str, str], ...]
    default: str


@dataclass(frozen=True)
class LobbyEntry:
    """A game in the lobby. `error` says why it cannot be played; then nothing else is told of it. `cover` is its
    compressed picture."""

    title: str
    about: str = ""
    least: int = 1
    most: int = 1
    options: tuple[LobbySetting, ...] = ()
    rulings: tuple[LobbySetting, ...] = ()
    cover: bytes = b""
    error: str = ""


def build_and_store_lobby_entry(game_ref: str, read_files: Iterable[str]) -> LobbyEntry:
    """Return what the lobby shows of a game, and keep it on disk beside the digests of the files in `read_files`, which
    is filled while they are read."""
    try:
        entry = _build_lobby_entry(Variant(game_ref))
    except (InputError, OptionError, RulesError, UnknownGame) as error:
        return LobbyEntry(game_ref, error=str(error))
    with suppress(OSError):
        stored = {**asdict(entry), "cover": b64encode(entry.cover).decode()}
        cache = str(ensure_private_cache_folder())  # other code writes there all the time
        sources = compute_digest_by_path_of_build_inputs(path for path in read_files if not path.startswith(cache))
        write_json_if_possible(_compute_path_of_stored_lobby_entry(game_ref), {"made_from": sources, "entry": stored})
    return entry


def read_stored_lobby_entry_unless_outdated(game_ref: str) -> LobbyEntry | None:
    """Return the entry on disk if nothing that it was made from has changed."""
    try:
        stored = json.loads(_compute_path_of_stored_lobby_entry(game_ref).read_bytes())
        if not are_build_inputs_unchanged(stored["made_from"]):
            return None
        values: dict[str, Any] = stored["entry"]
        for name in ("options", "rulings"):
            values[name] = tuple(_lobby_setting_from_json(value) for value in values[name])
        return LobbyEntry(**{**values, "cover": b64decode(values["cover"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _lobby_setting_from_json(stored: dict[str, Any]) -> LobbySetting:
    values = tuple((str(name), str(words)) for name, words in stored["values"])
    return LobbySetting(stored["name"], stored["about"], values, stored["default"])


def _compute_path_of_stored_lobby_entry(game_ref: str) -> Path:
    described = json.dumps([_VERSION, str(PACKAGE), sys.version, os.getcwd(), game_ref])
    return ensure_private_cache_folder() / f"playproof_lobby_{hashlib.sha256(described.encode()).hexdigest()[:24]}.json"


def _build_lobby_entry(variant: Variant) -> LobbyEntry:
    data, game = variant.data, variant.game
    facts = getattr(data, "facts", None)
    declared = facts.options if facts else {}
    if facts and (data.folder / "game.yaml").is_file():
        least, most = facts.players.min, facts.players.max
    else:
        # Cards of a spreadsheet alone say nothing of players, so there the rules are asked.
        offered = variant.list_values_by_option_or_ruling().get("players", ()) if facts else ()
        counts = [int(number) for number in offered if number.isdigit()] or [game.players]
        least, most = min(counts), max(counts)
    options = [
        LobbySetting(
            name,
            switch.about.get("en", name),
            _pair_values_with_themselves(map(str, switch.values)),
            str(switch.default),
        )
        for name, switch in declared.items()
    ]
    if most > least and "players" not in declared:
        options.insert(
            0,
            LobbySetting(
                "players", "players", _pair_values_with_themselves(map(str, range(least, most + 1))), str(least)
            ),
        )
    rulings = [
        LobbySetting(ruling.id, ruling.question, tuple(ruling.options.items()), ruling.default)
        for ruling in getattr(data, "rulings", {}).values()
        if len(ruling.options) > 1
    ]
    about = facts.about.get("en", "") if facts else ""
    cover = gzip.compress(draw_first_face_or_title_tile_as_svg(variant), 9, mtime=0)
    return LobbyEntry(variant.title, about, least, most, tuple(options), tuple(rulings), cover)


def _pair_values_with_themselves(values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((value, value) for value in values)


def draw_first_face_or_title_tile_as_svg(variant: Variant) -> bytes:
    """Return the first printed face of a game's table as SVG, or a tile with the game's title if it has none. Raises
    InputError."""
    from playproof.generator.svg import render_face_to_svg_text

    with suppress(NoTable):
        spread = TableLayout(variant)
        for surface in spread.make_scene_seen_by_seat(variant.play.start(), 0).surfaces:
            if surface.picture is not None:
                face = draw_face_as_cut(spread, surface.picture)
                return shorten_svg_outlines(render_face_to_svg_text(face, fonts=spread.looks.fonts)).encode()
    size = min(14.0, 240 / len(variant.title))  # so that a long title fits
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 80"><rect width="160" height="80" fill="#2f4a3f"/>'
        f'<text x="80" y="45" text-anchor="middle" font-family="serif" font-size="{size:.1f}" fill="#fbf4e4">'
        f"{escape(variant.title)}</text></svg>"
    ).encode()
