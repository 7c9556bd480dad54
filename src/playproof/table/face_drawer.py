"""How the server gets pictures: from disk, or from the process that draws them, each in its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TypeVar

from playproof.referee.match import Match
from playproof.table.bot_processes import question
from playproof.table.drawing_process import (
    Outdated,
    begin_noting,
    describe_for_lobby,
    draw_face,
    list_faces,
    write_replay,
)
from playproof.table.faces import Faces
from playproof.table.lobby_entries import LobbyEntry, read_stored_entry
from playproof.table.placing import Spread
from playproof.table.replay_page import replay_html
from playproof.table.worker_pool import WorkerPool

_IDLE = 20.0  # seconds without work after which the process ends
_STEP_BACK = 0.1  # seconds
_T = TypeVar("_T")


class FaceDrawer:
    """Draws what the server shows. A process of its own does it as long as the files of a game are those that the
    server has read; else a thread of the server."""

    def __init__(self) -> None:
        self._pool = WorkerPool(1, begin_noting, nice=2)
        self._drawing: dict[str, asyncio.Task[None]] = {}  # by edition
        self._waiting: dict[str, asyncio.Future[None]] = {}  # by the picture's name
        self._entries: dict[str, LobbyEntry] = {}
        self._one = asyncio.Lock()  # of lobby entries
        self._at_work = 0
        self._end: asyncio.TimerHandle | None = None

    # -- faces ----------------------------------------------------------------------------------------------

    async def find_picture(self, faces: Faces, name: str) -> bytes | None:
        """Return a picture of an edition, compressed, when it has been drawn; None for a side that is not there. The
        first request for any picture has all of them drawn, in their order."""
        stored = await asyncio.to_thread(faces.store.read, name)
        if stored is not None or faces.store.complete:
            return stored
        self._begin_to_draw(faces)
        if name in self._waiting:
            await asyncio.shield(self._waiting[name])
        return await asyncio.to_thread(faces.store.read, name)

    def _begin_to_draw(self, faces: Faces) -> None:
        """Begin to draw all pictures of an edition, unless this is under way."""
        if faces.edition in self._drawing:
            return
        loop = asyncio.get_running_loop()
        for name in faces.names:
            self._waiting.setdefault(name, loop.create_future())
        self._drawing[faces.edition] = loop.create_task(self._draw(faces))

    async def _draw(self, faces: Faces) -> None:
        game, store = question(faces.spread.variant), faces.store
        try:
            names = await self._work(faces.order, list_faces, game, faces.edition)
            for name in names:
                while next(reversed(self._drawing)) != faces.edition:
                    await asyncio.sleep(_STEP_BACK)  # the game that was opened last is drawn first
                if store.read(name) is None:
                    here = partial(faces.draw, name)
                    drawn = await self._work(here, draw_face, game, faces.edition, name)
                    await asyncio.to_thread(store.write, name, drawn)
                self._release(name)
            await asyncio.to_thread(store.finish)
        finally:
            del self._drawing[faces.edition]
            for name in faces.names:
                self._release(name)

    def _release(self, name: str) -> None:
        """Let those go on who wait for a picture."""
        waiting = self._waiting.pop(name, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    # -- the lobby, and replays -----------------------------------------------------------------------------

    async def describe(self, ref: str) -> LobbyEntry:
        """Return what the lobby shows of a game, worked out once. What is wrong with a game is asked each time."""
        async with self._one:
            if ref not in self._entries:
                stored = await asyncio.to_thread(read_stored_entry, ref)
                entry = stored if stored is not None else await self._run(describe_for_lobby, ref)
                if entry.error:
                    return entry
                self._entries[ref] = entry
            return self._entries[ref]

    def forget_entries(self) -> None:
        """Describe all games anew, because their files may have changed."""
        self._entries.clear()

    async def write_replay(self, match: Match, spread: Spread, faces: Faces) -> str:
        """Return a finished game as one page."""
        return await self._work(
            partial(replay_html, match, spread),
            write_replay,
            question(match.variant),
            faces.edition,
            match.seed,
            tuple(match.seats),
            tuple(match.actions),
        )

    # -- the process ----------------------------------------------------------------------------------------

    async def _work(self, here: Callable[[], _T], work: Callable[..., _T], *arguments: object) -> _T:
        """Let the process do this; a thread does it where the process cannot."""
        try:
            return await self._run(work, *arguments)
        except (Outdated, BrokenProcessPool):
            return await asyncio.to_thread(here)

    async def _run(self, work: Callable[..., _T], *arguments: object) -> _T:
        """Let the process do this. It ends some seconds after its last work."""
        if self._end is not None:
            self._end.cancel()
        self._at_work += 1
        try:
            return await self._pool.run(work, *arguments)
        finally:
            self._at_work -= 1
            if not self._at_work:
                self._end = asyncio.get_running_loop().call_later(_IDLE, self._close_idle)

    def _close_idle(self) -> None:
        if not self._at_work:
            self._pool.close()

    async def close(self) -> None:
        """Stop drawing, and end the process."""
        tasks = list(self._drawing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._end is not None:
            self._end.cancel()
        self._pool.close()
