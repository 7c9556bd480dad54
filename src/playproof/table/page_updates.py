"""Send a browser what changes, for as long as it listens, so that a click costs a few hundred bytes and not the page.

A page is cut before each of its larger elements. A change is a list: text that is new, or `[first, count]` for parts of
the page before. It depends on nothing but the two pages, so it tells nobody more than they do.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

from starlette.websockets import WebSocket, WebSocketDisconnect

# the codes with which a window is closed: it has no place; its address is of nothing
TOO_MANY, GONE_AWAY = (4429, 4404)
_MOST_HEARD = 2_000  # messages; our pages send none
BEAT = 8.0  # seconds without a change after which the server gives a sign of life
_PAUSE = 0.05  # seconds between two pushes: changes in between are told together
_PATIENCE = 20.0  # seconds that a browser may take to receive one push
_numbers = count()


class Listener:
    """A browser window that is told of changes. `seat` is whose it is (None: somebody who
    watches); `number` is higher for later windows."""

    def __init__(self, seat: int | None = None) -> None:
        self.seat, self.number = seat, next(_numbers)
        self.changed = asyncio.Event()
        self.dismissed = False

    def dismiss_window(self) -> None:
        """Close this window's connection, because another takes its place."""
        self.dismissed = True
        self.changed.set()


async def reject_socket(socket: WebSocket, code: int, reason: str = "") -> None:
    """Close a window's connection with a code and a sentence. Accepts it first: of one that is refused, a browser
    learns neither."""
    try:
        await socket.accept()
        await socket.close(code, reason)
    except (WebSocketDisconnect, RuntimeError):
        pass  # the browser has gone


async def push_updates(
    socket: WebSocket, listener: Listener, send_update: Callable[[], Awaitable[bool]]
) -> None:
    """Accept the browser and `tell` it now and after each change, until it leaves, is dismissed,
    or `tell` returns False."""
    changed = listener.changed
    changed.set()
    reader: asyncio.Task[None] | None = None
    try:
        await socket.accept()
        reader = asyncio.create_task(_discard_messages(socket))
        while not reader.done():
            waiting = asyncio.create_task(changed.wait())
            done, _ = await asyncio.wait({waiting, reader}, timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if reader.done():
                break
            if not done:
                await asyncio.wait_for(socket.send_text(""), _PATIENCE)
                continue
            if listener.dismissed:
                await socket.close(TOO_MANY)
                break
            changed.clear()
            if not await asyncio.wait_for(send_update(), _PATIENCE):
                break
            await asyncio.sleep(_PAUSE)
    except (WebSocketDisconnect, RuntimeError, TimeoutError):
        pass  # the browser has gone, or does not read
    finally:
        if reader is not None:
            reader.cancel()


async def _discard_messages(socket: WebSocket) -> None:
    """Read and drop what the browser sends until it leaves. Returns early if it sends too much."""
    for _ in range(_MOST_HEARD):
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return


_CUTS = re.compile(r'(?=<(?:section|g class="piece|rect class="spot|li|button|form|dt|p|/section|/main)\b)')


def split_page_into_parts(page: str) -> list[str]:
    """Return a page in parts that may stay as they are."""
    return [part for part in _CUTS.split(page) if part]


def compute_page_difference(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the change as JSON, `[text or [first, count], ...]`."""
    where: dict[str, int] = {}
    for at, part in enumerate(before):
        where.setdefault(part, at)
    ops: list[str | list[int]] = []
    for part in after:
        last = ops[-1] if ops else None
        follows = last[0] + last[1] if isinstance(last, list) else -1
        if isinstance(last, list) and follows < len(before) and before[follows] == part:
            last[1] += 1
        elif part in where:
            ops.append([where[part], 1])
        elif isinstance(last, str):
            ops[-1] = last + part
        else:
            ops.append(part)
    return json.dumps(ops, ensure_ascii=False, separators=(",", ":"))
