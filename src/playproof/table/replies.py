"""What the server reads of a request, and the answers that are alike everywhere."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from playproof.table import pages
from playproof.table.sitting import GameSession, RequestRefused

MOST_BYTES = 8_000
GONE = "there is no such table, or its address has changed"
# Private: a cache that several people share would answer sooner for a picture that somebody has seen.
FOREVER = "private, max-age=31536000, immutable"
_NUMBER = re.compile(r"-?\d{1,9}\Z")
_QUICK = 5  # how well a page is compressed that is sent once


async def handle_not_found(request: Request, error: Exception) -> Response:
    return make_html_response(pages.render_message_page("Not here", "There is no such page."), 404)


async def handle_failure(request: Request, error: Exception) -> Response:
    return make_html_response(
        pages.render_message_page("A fault of playproof", "This was not done. The terminal says more."), 500
    )


async def read_form_fields(request: Request, max_bytes: int = MOST_BYTES) -> dict[str, str]:
    """Return the first value of each field of a form. Raises Refused if the body has more than `most` bytes or is
    no form."""
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


async def read_form_or_refusal(request: Request) -> tuple[dict[str, str], RequestRefused | None]:
    """Return the fields of a form, and None or the refusal."""
    try:
        return await read_form_fields(request), None
    except RequestRefused as error:
        return {}, error


def parse_number_field(fields: dict[str, str], name: str) -> int:
    text = fields.get(name, "")
    if not (text.isascii() and _NUMBER.match(text)):
        raise RequestRefused(f"expected a number for `{name}`")
    return int(text)


def parse_colour_field(fields: dict[str, str]) -> int | None:
    """Return the number of a colour that somebody chose; None if they did not."""
    return parse_number_field(fields, "colour") if fields.get("colour") else None


def parse_step(text: str, session: GameSession) -> int | None:
    """Return the step asked for, or None if the text names no earlier step."""
    if not (text.isascii() and text.isdecimal() and len(text) < 7) or int(text) >= len(session.match.steps):
        return None
    return int(text)


def make_html_response(text: str, status: int = 200, request: Request | None = None) -> Response:
    """Return a page, compressed if the request allows it."""
    headers = {"cache-control": "no-store"}
    body = text.encode()
    if request is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, _QUICK, mtime=0)
        headers |= {"content-encoding": "gzip", "vary": "accept-encoding"}
    return Response(body, status, media_type="text/html; charset=utf-8", headers=headers)


def make_redirect(address: str) -> Response:
    return RedirectResponse(address, 303)


def make_file_response(packed: bytes, kind: str, request: Request, cache_control: str) -> Response:
    """Return a compressed file, unpacked for those who cannot do it themselves."""
    headers = {"cache-control": cache_control, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type=kind, headers={**headers, "content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type=kind, headers=headers)


@lru_cache(maxsize=100)
def compress_cached(body: bytes) -> bytes:
    return gzip.compress(body, 9, mtime=0)
