"""What passes between the server and a browser: what every request meets first, what is read of it,
the answers, and the changes sent to pages that listen.

A page is cut before each of its larger elements. A change is a list: text that is new, or `[first, count]` for parts of
the page before. It depends on nothing but the two pages, so it tells nobody more than they do."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Sequence, Set
from functools import lru_cache
from itertools import count
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from playproof.table import pages
from playproof.table.game_session import GameSession
from playproof.table.session_seats import RequestRefused, are_secrets_equal_in_constant_time

# -- guard ---------------------------------------------------------------------------------------------------
# What every request meets first: host names, pages of our own, the key of the lobby, strict headers.

POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_STRICT = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_HERE = ("127.0.0.1", "::1", "testclient")  # the last is Starlette's own, in tests


class RequestGuard:
    """Checks every request first: only our own host names, changes only from our own pages, the
    lobby and the workshop only with their key, the same strict headers for all."""

    def __init__(self, inner: ASGIApp, names: Set[str], key: str, *, proxied: bool) -> None:
        """`names` are our hosts, `key` opens the lobby. `proxied`: see `Site`."""
        self.inner, self.names, self.key, self.proxied = inner, names, key, proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_STRICT]
            await send(message)

        refusal = self._make_refusal_response_or_none(scope)
        if refusal is None:
            try:
                await self.inner(scope, receive, with_headers)
            except CancelledError:  # the server stops while a picture is drawn: no fault of anybody
                if scope["type"] == "http":
                    await Response("the server stops\n", 503, media_type="text/plain")(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403})
        else:
            await refusal(scope, receive, with_headers)

    def _make_refusal_response_or_none(self, asgi_scope: Scope) -> Response | None:
        """Return the answer to a request that may not come in, or None."""
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in asgi_scope["headers"]}
        host = headers.get("host", "")
        changes = asgi_scope["type"] == "websocket" or asgi_scope["method"] not in ("GET", "HEAD")
        if host not in self.names or (changes and not _is_request_from_own_page_or_program(headers, host)):
            return Response("this server answers its own pages only\n", 403, media_type="text/plain")
        if not asgi_scope["path"].startswith("/host/"):
            return None
        if not are_secrets_equal_in_constant_time(self.key, asgi_scope["path"].split("/")[2]):
            return make_gzippable_html_response(pages.render_message_page_html("Not here", GONE), 404)
        if not self.proxied and (asgi_scope.get("client") or _HERE)[0] not in _HERE:
            return make_gzippable_html_response(
                pages.render_message_page_html("Not from here", "Tables are set up at the computer itself."), 403
            )
        return None


def _is_request_from_own_page_or_program(headers: dict[str, str], own_host: str) -> bool:
    """Return whether a browser sends a request from our own page; programs that are no browsers
    name no page."""
    ours = headers.get("origin") in (None, f"http://{own_host}", f"https://{own_host}")
    return ours and headers.get("sec-fetch-site", "none") in ("same-origin", "none")


# -- replies -------------------------------------------------------------------------------------------------
# What the server reads of a request, and the answers that are alike everywhere.

MOST_BYTES = 8_000
GONE = "there is no such table, or its address has changed"
# Private: a cache that several people share would answer sooner for a picture that somebody has seen.
FOREVER = "private, max-age=31536000, immutable"
_NUMBER = re.compile(r"-?\d{1,9}\Z")
_QUICK = 5  # how well a page is compressed that is sent once


async def respond_with_not_found_page(request: Request, error: Exception) -> Response:
    return make_gzippable_html_response(pages.render_message_page_html("Not here", "There is no such page."), 404)


async def respond_with_server_failure_page(request: Request, error: Exception) -> Response:
    return make_gzippable_html_response(
        pages.render_message_page_html("A fault of playproof", "This was not done. The terminal says more."), 500
    )


async def read_form_fields_or_refuse(request: Request, max_bytes: int = MOST_BYTES) -> dict[str, str]:
    """Return the first value of each field of a form. Raises RequestRefused if the body has more than `max_bytes` bytes
    or is no form."""
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > max_bytes:
                raise RequestRefused("that is more than a form of this table holds")
    except ClientDisconnect:
        raise RequestRefused("the form broke off") from None
    try:
        fields = parse_qs(body.decode(), max_num_fields=80, errors="strict")
    except ValueError:
        raise RequestRefused("that is not a form") from None
    return {name: values[0] for name, values in fields.items()}


async def read_form_fields_or_get_refusal(request: Request) -> tuple[dict[str, str], RequestRefused | None]:
    """Return the fields of a form, and None or the refusal."""
    try:
        return await read_form_fields_or_refuse(request), None
    except RequestRefused as error:
        return {}, error


def parse_number_field_or_refuse(form_fields: dict[str, str], field_name: str) -> int:
    text = form_fields.get(field_name, "")
    if not (text.isascii() and _NUMBER.match(text)):
        raise RequestRefused(f"expected a number for `{field_name}`")
    return int(text)


def parse_colour_number_field_or_none(form_fields: dict[str, str]) -> int | None:
    """Return the number of a colour that somebody chose; None if they did not."""
    return parse_number_field_or_refuse(form_fields, "colour") if form_fields.get("colour") else None


def parse_earlier_step_or_none(step_text: str, session: GameSession) -> int | None:
    """Return the step asked for, or None if the text names no earlier step."""
    if not (step_text.isascii() and step_text.isdecimal() and len(step_text) < 7) or int(step_text) >= len(
        session.match.steps
    ):
        return None
    return int(step_text)


def make_gzippable_html_response(html: str, status: int = 200, request_to_gzip_for: Request | None = None) -> Response:
    """Return a page, compressed if the request allows it."""
    headers = {"cache-control": "no-store"}
    body = html.encode()
    if request_to_gzip_for is not None and "gzip" in request_to_gzip_for.headers.get("accept-encoding", ""):
        body = gzip.compress(body, _QUICK, mtime=0)
        headers |= {"content-encoding": "gzip", "vary": "accept-encoding"}
    return Response(body, status, media_type="text/html; charset=utf-8", headers=headers)


def make_see_other_redirect(address: str) -> Response:
    return RedirectResponse(address, 303)


def make_gzipped_file_response(
    gzipped_content: bytes, media_type: str, request: Request, cache_control: str
) -> Response:
    """Return a compressed file, unpacked for those who cannot do it themselves."""
    headers = {"cache-control": cache_control, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(gzipped_content, media_type=media_type, headers={**headers, "content-encoding": "gzip"})
    return Response(gzip.decompress(gzipped_content), media_type=media_type, headers=headers)


@lru_cache(maxsize=100)
def gzip_and_cache_bytes(body: bytes) -> bytes:
    return gzip.compress(body, 9, mtime=0)


# -- page updates --------------------------------------------------------------------------------------------
# Send a browser what changes, for as long as it listens, so that a click costs a few hundred bytes and not
# the page.

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


async def close_socket_with_reason(socket: WebSocket, close_code: int, reason: str = "") -> None:
    """Close a window's connection with a code and a sentence. Accepts it first: of one that is refused, a browser
    learns neither."""
    try:
        await socket.accept()
        await socket.close(close_code, reason)
    except (WebSocketDisconnect, RuntimeError):
        pass  # the browser has gone


async def push_updates_until_browser_leaves(
    socket: WebSocket, listener: Listener, send_update: Callable[[], Awaitable[bool]]
) -> None:
    """Accept the browser and call `send_update` now and after each change, until it leaves, is dismissed,
    or `send_update` returns False."""
    changed = listener.changed
    changed.set()
    reader: asyncio.Task[None] | None = None
    try:
        await socket.accept()
        reader = asyncio.create_task(_discard_browser_messages_until_it_leaves(socket))
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


async def _discard_browser_messages_until_it_leaves(socket: WebSocket) -> None:
    """Read and drop what the browser sends until it leaves. Returns early if it sends too much."""
    for _ in range(_MOST_HEARD):
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return


_CUTS = re.compile(r'(?=<(?:section|g class="piece|rect class="spot|li|button|form|dt|p|/section|/main)\b)')


def split_html_into_diffable_parts(page: str) -> list[str]:
    """Return a page in parts that may stay as they are."""
    return [part for part in _CUTS.split(page) if part]


def encode_page_difference_as_json(old_parts: Sequence[str], new_parts: Sequence[str]) -> str:
    """Return the change as JSON, `[text or [first, count], ...]`."""
    where: dict[str, int] = {}
    for at, part in enumerate(old_parts):
        where.setdefault(part, at)
    ops: list[str | list[int]] = []
    for part in new_parts:
        last = ops[-1] if ops else None
        follows = last[0] + last[1] if isinstance(last, list) else -1
        if isinstance(last, list) and follows < len(old_parts) and old_parts[follows] == part:
            last[1] += 1
        elif part in where:
            ops.append([where[part], 1])
        elif isinstance(last, str):
            ops[-1] = last + part
        else:
            ops.append(part)
    return json.dumps(ops, ensure_ascii=False, separators=(",", ":"))
