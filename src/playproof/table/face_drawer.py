"""How the server gets pictures: from disk, or from the process that draws them, each in its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TypeVar

from playproof.referee.match import Match
from playproof.table.bot_processes import make_variant_key
from playproof.table.drawing_process import (
    OutdatedEdition,
    describe_game_for_lobby,
    draw_compressed_face,
    list_face_names,
    render_replay_page,
    start_noting_read_files,
)
from playproof.table.faces import FacePictures
from playproof.table.lobby_entries import LobbyEntry, read_stored_entry
from playproof.table.placing import TableLayout
from playproof.table.replay_page import render_replay_html
from playproof.table.worker_pool import WorkerPool

_IDLE = 20.0  # seconds without work after which the process ends
_STEP_BACK = 0.1  # seconds
_T = TypeVar("_T")


class FaceDrawer:
    """Draws what the server shows. A process of its own does it as long as the files of a game are those that the
    server has read; else a thread of the server."""

    def __init__(self) -> None:
        self._pool = WorkerPool(1, start_noting_read_files, nice=2)
        self._drawing: dict[str, asyncio.Task[None]] = {}  # by edition
        self._waiting: dict[str, asyncio.Future[None]] = {}  # by the picture's name
        self._entries: dict[str, LobbyEntry] = {}
        self._one = asyncio.Lock()  # of lobby entries
        self._at_work = 0
        self._end: asyncio.TimerHandle | None = None

    # -- faces ----------------------------------------------------------------------------------------------

    async def wait_for_picture(self, faces: FacePictures, name: str) -> bytes | None:
        """Return a picture of an edition, compressed, when it has been drawn; None for a side that is not there. The
        first request for any picture has all of them drawn, in their order."""
        stored = await asyncio.to_thread(faces.store.read_picture, name)
        if stored is not None or faces.store.complete:
            return stored
        self._start_drawing_edition(faces)
        if name in self._waiting:
            await asyncio.shield(self._waiting[name])
        return await asyncio.to_thread(faces.store.read_picture, name)

    def _start_drawing_edition(self, faces: FacePictures) -> None:
        """Begin to draw all pictures of an edition, unless this is under way."""
        if faces.edition in self._drawing:
            return
        loop = asyncio.get_running_loop()
        for name in faces.names:
            self._waiting.setdefault(name, loop.create_future())
        self._drawing[faces.edition] = loop.create_task(self._draw_edition(faces))

    async def _draw_edition(self, faces: FacePictures) -> None:
        game, store = make_variant_key(faces.spread.variant), faces.store
        try:
            names = await self._run_in_process_or_thread(
                faces.list_names_in_drawing_order, list_face_names, game, faces.edition
            )
            for name in names:
                while next(reversed(self._drawing)) != faces.edition:
                    await asyncio.sleep(_STEP_BACK)  # the game that was opened last is drawn first
                if store.read_picture(name) is None:
                    here = partial(faces.draw_compressed_svg, name)
                    drawn = await self._run_in_process_or_thread(
                        here, draw_compressed_face, game, faces.edition, name
                    )
                    await asyncio.to_thread(store.write_picture, name, drawn)
                self._wake_waiting_requests(name)
            await asyncio.to_thread(store.mark_complete)
        finally:
            del self._drawing[faces.edition]
            for name in faces.names:
                self._wake_waiting_requests(name)

    def _wake_waiting_requests(self, name: str) -> None:
        """Let those go on who wait for a picture."""
        waiting = self._waiting.pop(name, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    # -- the lobby, and replays -----------------------------------------------------------------------------

    async def describe_game_for_lobby(self, ref: str) -> LobbyEntry:
        """Return what the lobby shows of a game, worked out once. What is wrong with a game is asked each time."""
        async with self._one:
            if ref not in self._entries:
                stored = await asyncio.to_thread(read_stored_entry, ref)
                entry = (
                    stored if stored is not None else await self._run_in_process(describe_game_for_lobby, ref)
                )
                if entry.error:
                    return entry
                self._entries[ref] = entry
            return self._entries[ref]

    def forget_entries(self) -> None:
        """Describe all games anew, because their files may have changed."""
        self._entries.clear()

    async def render_replay_page(self, match: Match, spread: TableLayout, faces: FacePictures) -> str:
        """Return a finished game as one page."""
        return await self._run_in_process_or_thread(
            partial(render_replay_html, match, spread),
            render_replay_page,
            make_variant_key(match.variant),
            faces.edition,
            match.seed,
            tuple(match.seats),
            tuple(match.actions),
        )

    # -- the process ----------------------------------------------------------------------------------------

    async def _run_in_process_or_thread(
        self, run_here: Callable[[], _T], work: Callable[..., _T], *arguments: object
    ) -> _T:
        """Let the process do this; a thread does it where the process cannot."""
        try:
            return await self._run_in_process(work, *arguments)
        except (OutdatedEdition, BrokenProcessPool):
            return await asyncio.to_thread(run_here)

    async def _run_in_process(self, work: Callable[..., _T], *arguments: object) -> _T:
        """Let the process do this. It ends some seconds after its last work."""
        if self._end is not None:
            self._end.cancel()
        self._at_work += 1
        try:
            return await self._pool.run_in_worker(work, *arguments)
        finally:
            self._at_work -= 1
            if not self._at_work:
                self._end = asyncio.get_running_loop().call_later(_IDLE, self._close_idle)

    def _close_idle(self) -> None:
        if not self._at_work:
            self._pool.stop_workers()

    async def close(self) -> None:
        """Stop drawing, and end the process."""
        tasks = list(self._drawing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._end is not None:
            self._end.cancel()
        self._pool.stop_workers()
