"""What every request meets first: host names, pages of our own, the key of the lobby, strict headers."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Set
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from playproof.table import pages
from playproof.table.replies import GONE, make_html_response
from playproof.table.sitting import are_secrets_equal

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

        refusal = self._refuse_request(scope)
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

    def _refuse_request(self, scope: Scope) -> Response | None:
        """Return the answer to a request that may not come in, or None."""
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        host = headers.get("host", "")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if host not in self.names or (changes and not _is_from_own_page(headers, host)):
            return Response("this server answers its own pages only\n", 403, media_type="text/plain")
        if not scope["path"].startswith("/host/"):
            return None
        if not are_secrets_equal(self.key, scope["path"].split("/")[2]):
            return make_html_response(pages.render_message_page("Not here", GONE), 404)
        if not self.proxied and (scope.get("client") or _HERE)[0] not in _HERE:
            return make_html_response(
                pages.render_message_page("Not from here", "Tables are set up at the computer itself."), 403
            )
        return None


def _is_from_own_page(headers: dict[str, str], host: str) -> bool:
    """Return whether a browser sends a request from our own page; programs that are no browsers
    name no page."""
    ours = headers.get("origin") in (None, f"http://{host}", f"https://{host}")
    return ours and headers.get("sec-fetch-site", "none") in ("same-origin", "none")
