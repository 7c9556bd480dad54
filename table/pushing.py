"""Send a browser what changes, for as long as it listens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.websockets import WebSocket, WebSocketDisconnect

_MOST_HEARD = 2_000  # messages; our pages send none


async def push(socket: WebSocket, listeners: set[asyncio.Event],
               tell: Callable[[], Awaitable[bool]]) -> None:
    """Accept the browser and `tell` it now and after each change, until it leaves or `tell` returns
    False.

    A change is announced by setting the events in `listeners`.
    """
    changed = asyncio.Event()
    changed.set()
    listeners.add(changed)
    reader: asyncio.Task[None] | None = None
    try:
        await socket.accept()
        reader = asyncio.create_task(_deaf(socket))
        while not reader.done():
            waiting = asyncio.create_task(changed.wait())
            await asyncio.wait({waiting, reader}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if reader.done():
                break
            changed.clear()
            if not await tell():
                break
    except (WebSocketDisconnect, RuntimeError):
        pass  # the browser has gone
    finally:
        listeners.discard(changed)
        if reader is not None:
            reader.cancel()


async def _deaf(socket: WebSocket) -> None:
    """Read and drop what the browser sends until it leaves. Returns early if it sends too much."""
    for _ in range(_MOST_HEARD):
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
