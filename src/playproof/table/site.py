"""The server: addresses, access, and refusals. Starlette; pages.py writes every page.

    /host/KEY/            the lobby, and below it the workshop: for whoever started the server
    /join/TABLE/SECRET    take one free seat
    /t/TABLE/SECRET       the page of a seat, or of a spectator; .../live is its WebSocket
    /face/HASH.svg        a picture, the same for ever

It answers only requests to its own host names, and accepts changes only from its own pages. A host
name proves nothing, because a proxy may write it anew: only KEY opens the lobby.
"""

from __future__ import annotations

import gzip
import re
import secrets
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from playproof.language.keyed_random import fresh_seed
from playproof.referee.campaign import Following, following
from playproof.table import pages
from playproof.table.action_targets import words_at
from playproof.table.editing import Edited
from playproof.table.hall import Desk, Hall
from playproof.table.lobby import invitation, lobby_page, seats_panel
from playproof.table.page_updates import TOO_MANY, push
from playproof.table.pages import Seen
from playproof.table.questions import may, why_not
from playproof.table.sitting import ONE_PAGE, OWN_PAGES, PERSON, Refused, Sitting, Stale, same
from playproof.table.workshop import Workshop

ASSETS = Path(__file__).resolve().parent / "assets"
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
MOST_BYTES = 8_000
VERBS = (
    "move",
    "why",
    "may",
    "say",
    "decide",
    "propose",
    "agree",
    "note",
    "ready",
    "leave",
    "next",
)  # what changes a table
_NARROW, _BOARD = (
    1.45,
    2.5,
)  # pixels per millimetre on a phone, if that fits; for boards wider than this, in mm
_LARGE = 130.0
_WIDER = 0.25  # hundredths of the screen's width per millimetre, if there is more room
# Private: a cache that several people share would answer sooner for a picture that somebody has seen.
FOREVER = "private, max-age=31536000, immutable"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_NUMBER = re.compile(r"-?\d{1,9}\Z")
_MM = r"\d{1,6}(?:\.\d{1,6})?"
_SURFACE = re.compile(r"_([A-Za-z][\w-]{0,59})" + rf"~(-?{_MM})" * 4, re.ASCII)
_LAYOUT = re.compile(rf"({_MM})x({_MM})((?:{_SURFACE.pattern}){{1,40}})\Z", re.ASCII)
_LONGEST_LAYOUT = 2_000
_ASSETS = {path.name: path for path in ASSETS.iterdir() if path.suffix in _KINDS}
_HERE = ("127.0.0.1", "::1", "testclient")  # the last is Starlette's own, in tests
_GONE = "there is no such table, or its address has changed"


class Site:
    """The application. `names` are the hosts it answers to. `lan` is its address in an open
    local network. `key` opens the lobby and the workshop."""

    def __init__(self, hall: Hall, names: set[str], lan: str = "", edited: Edited | None = None) -> None:
        """Make the application; with `edited`, also the workshop of that game."""
        self.hall, self.names, self.lan = hall, names, lan
        self.key = secrets.token_urlsafe(18)
        self.lobby_at = f"/host/{self.key}/"
        self.workshop = (
            Workshop(edited, hall.printed_anew, f"{self.lobby_at}workshop") if edited is not None else None
        )
        routes = [
            Route("/", self.door),
            Route("/host/{key}/", self.lobby),
            Route("/host/{key}/new", self.new, methods=["POST"]),
            Route("/join/{table}/{secret}", self.join, methods=["GET", "POST"]),
            Route("/assets/{name}", self.asset),
            Route("/face/{name}.svg", self.face),
            Route("/layout/{name}.css", self.layout),
            Route("/t/{table}/{token}", self.seat),
            Route("/t/{table}/{token}/transcript.txt", self.transcript),
            WebSocketRoute("/t/{table}/{token}/live", self.live),
            *(
                Route(f"/t/{{table}}/{{token}}/{verb}", self._change(getattr(self, verb)), methods=["POST"])
                for verb in VERBS
            ),
            *(self.workshop.routes() if self.workshop else ()),
        ]
        inner = Starlette(
            routes=routes,
            lifespan=self._life,
            exception_handlers={404: _not_found, 405: _not_found, Exception: _failed},
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = Guard(inner, self)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> Any:
        for desk in self.hall.desks.values():
            self.hall.wake(desk)  # bots whose turn it was when the server ended
        async with self.workshop.watching() if self.workshop else nullcontext():
            yield
        await self.hall.close()

    # -- the lobby ------------------------------------------------------------------------------------------

    async def door(self, _: Request) -> Response:
        """Say where to go, to those who have no address yet."""
        return _html(
            pages.message_page(
                "Playproof",
                (
                    "Ask the person who started the server for your seat's address. "
                    "If that is you, open the address that the command printed."
                ),
            )
        )

    async def lobby(self, _: Request) -> Response:
        """Show the games and the tables under way."""
        workshop = self.workshop.base if self.workshop else ""
        return _html(lobby_page(self.hall, self.lobby_at, workshop))

    async def new(self, request: Request) -> Response:
        """Set up a new table."""
        try:
            fields = await _fields(request)
            desk = self._begun(fields)
        except Refused as error:
            return _html(pages.message_page("This table cannot be set up", str(error), self.lobby_at), 400)
        sitting = desk.sitting
        self.hall.go_on(desk)
        seats = sitting.people
        if not seats:
            return _to(f"/t/{sitting.ident}/{sitting.watch}")
        token = sitting.tokens[seats[0]] or sitting.sit_down(seats[0], opener=True)
        return _to(f"/t/{sitting.ident}/{token}")

    def _begun(self, fields: dict[str, str]) -> Desk:
        options = {
            name.removeprefix("option-"): text
            for name, text in fields.items()
            if name.startswith("option-") and text
        }
        rulings = {
            name.removeprefix("ruling-"): text
            for name, text in fields.items()
            if name.startswith("ruling-") and text
        }
        others = [fields[name] for name in sorted(fields) if re.fullmatch(r"seat-\d\d", name)]
        seed = fields.get("seed", "").strip()
        if seed and not (seed.isascii() and seed.isdecimal() and len(seed) < 60):
            raise Refused(f"a seed is a whole number, found {seed[:30]}")
        screens = fields.get("screens", "")
        paper = {"paper-one": ONE_PAGE, "paper-own": OWN_PAGES}.get(screens, "")
        return self.hall.begin(
            fields.get("game", ""),
            options,
            rulings,
            others or [PERSON],
            int(seed) if seed else fresh_seed(),
            shared=screens == "one",
            paper=paper,
        )

    async def join(self, request: Request) -> Response:
        """Take the seat of an invitation. To look at the invitation takes nothing, because chat
        programs open every address that they show."""
        desk = self.hall.find(request.path_params["table"])
        seat = desk.sitting.invited(request.path_params["secret"]) if desk is not None else None
        if desk is None or seat is None:
            return _html(pages.message_page("Not here", _GONE), 404)
        sitting = desk.sitting
        if request.method != "POST":
            return _html(invitation(sitting, seat))
        try:
            await _fields(request)
            token = sitting.sit_down(seat)
        except Refused as error:
            return _html(pages.message_page("Not free", str(error)), 409)
        self.hall.go_on(desk)
        return _to(f"/t/{sitting.ident}/{token}")

    # -- a seat's page --------------------------------------------------------------------------------------

    def _at(self, params: dict[str, Any]) -> tuple[Desk, int | None, bool] | None:
        """Return the desk, the seat (None: a spectator) and whether the seat is shown, for an
        address; None if the address is unknown."""
        desk = self.hall.find(params["table"])
        if desk is None:
            return None
        sitting, token = desk.sitting, params["token"]
        if same(sitting.watch, token):
            return desk, None, True
        seat = sitting.seat_of(token)
        if seat is None:
            return None
        return (desk, *_at_one_screen(sitting)) if sitting.shared else (desk, seat, True)

    async def seat(self, request: Request) -> Response:
        """Return a seat's page, now or after a step (`?at=`). With `?part=1`, return only its
        changing part."""
        found = self._at(request.path_params)
        if found is None:
            return _html(pages.message_page("Not here", _GONE), 404)
        desk, seat, shown = found
        self.hall.wake(desk)  # a table just brought back may wait for a bot
        base = request.url.path
        if not shown and seat is not None:
            return _html(pages.handover_page(desk.sitting, base, seat))
        step = _step(request.query_params.get("at", ""), desk.sitting)
        if "part" in request.query_params:
            return _html(self._part(desk, seat, base, step))
        return _html(pages.seat_page(self._seen(desk, seat, base, step), self._panel(desk, seat, base)))

    def _part(self, desk: Desk, seat: int | None, base: str, step: int | None = None) -> str:
        """Return the changing part of a page. The present is made once, however many look."""

        def made() -> str:
            return pages.part(self._seen(desk, seat, base, step), self._panel(desk, seat, base))

        return made() if step is not None else desk.part((seat, base), made)

    def _seen(self, desk: Desk, seat: int | None, base: str, step: int | None = None, said: str = "") -> Seen:
        return Seen(desk.sitting, seat, base, desk.printed.spread, desk.printed.faces, step, said)

    def _panel(self, desk: Desk, seat: int | None, base: str) -> str:
        return seats_panel(desk.sitting, seat, base, self.lan)

    async def live(self, socket: WebSocket) -> None:
        """Send the changing part of the page whenever the table changes. Ignores what the
        browser sends."""
        found = self._at(socket.path_params)
        if found is None:
            await socket.close(4404)
            return
        desk, seat, _ = found
        listener = desk.listen(seat)
        if listener is None:
            await socket.close(TOO_MANY)
            return
        try:
            await push(socket, listener, lambda: self._tell(socket))
        finally:
            desk.listeners.discard(listener)

    async def _tell(self, socket: WebSocket) -> bool:
        """Send what the address shows now. Returns False if the address is no longer valid."""
        found = self._at(socket.path_params)
        if found is None:
            await socket.close(4404)
            return False
        desk, seat, shown = found
        base = socket.url.path.removesuffix("/live")
        if shown or seat is None:
            text = self._part(desk, seat, base)
        else:
            text = pages.handover_page(desk.sitting, base, seat)
            text = text[text.index("<main") : text.index("</body>")]
        await socket.send_text(text)
        return True

    async def transcript(self, request: Request) -> Response:
        """Return the transcript if nothing is hidden or the game is over."""
        found = self._at(request.path_params)
        if found is None or not (found[0].sitting.match.over or not found[0].sitting.hides):
            return Response(
                "a transcript tells every card; it is given when the game is over\n",
                403,
                media_type="text/plain",
            )
        return Response(
            found[0].sitting.transcript(),
            media_type="text/plain; charset=utf-8",
            headers={"cache-control": "no-store"},
        )

    # -- changing -------------------------------------------------------------------------------------------

    def _change(
        self, verb: Callable[[Desk, int | None, dict[str, str], str], str]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for a request that changes a table. It carries the request out whole
        or not at all, and answers in a sentence."""

        async def answered(request: Request) -> Response:
            # The form is read first: from here to the change nothing else may happen to the table.
            fields, wrong = await _read(request)
            found = self._at(request.path_params)
            if found is None:
                return _html(pages.message_page("Not here", _GONE), 404)
            desk, seat, shown = found
            base = request.url.path.rpartition("/")[0]
            try:
                if wrong is not None:
                    raise wrong
                if not shown and verb != self.ready:
                    # The next person's page may not answer before that person looks.
                    raise Refused("somebody else takes the screen now")
                before = desk.sitting.version, desk.sitting.shown
                said, status = verb(desk, seat, fields, base), 200
                if (desk.sitting.version, desk.sitting.shown) != before:
                    self.hall.go_on(desk)  # a question changes nothing, so nobody is told
            except (Refused, Stale) as error:
                said, status = str(error), 409
            if request.headers.get("accept") == "text/plain":
                return Response(
                    said,
                    status,
                    media_type="text/plain; charset=utf-8",
                    headers={"cache-control": "no-store"},
                )
            if said.startswith("/"):
                return _to(said)
            if status == 200 and not said:
                return _to(base)
            return self._again(request, base, said, status)

        return answered

    def _again(self, request: Request, base: str, said: str, status: int) -> Response:
        """Return the page of an address with an answer on it, for browsers without scripts."""
        found = self._at(request.path_params)
        if found is None:
            return _to("/")
        desk, seat, shown = found
        if not shown and seat is not None:
            return _html(pages.handover_page(desk.sitting, base, seat), status)
        return _html(pages.seat_page(self._seen(desk, seat, base, None, said), ""), status)

    def move(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Take an action."""
        desk.sitting.act(seat, _number(fields, "version"), _number(fields, "move"))
        return ""

    def why(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Say why nothing can be done at a place, or with some words."""
        words = [fields["words"]] if fields.get("words") else []
        if fields.get("key") and desk.printed.spread:
            scene = desk.printed.spread.lay(desk.sitting.view(seat), reader=(desk.sitting.ident, seat))
            words += words_at(scene, fields["key"])
        if not words:
            raise Refused("nothing is done here")
        found = why_not(desk.sitting, seat, words)
        if not found:
            raise Refused(f"no action speaks of {words[0]}")
        lines = [f"{text}: {'; '.join(reasons)}" for text, reasons in found[:3]]
        return "\n".join([*lines, *([f"and {len(found) - 3} more"] if len(found) > 3 else [])])

    def may(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Say whether an action in words is legal, and the rule if it is not."""
        if not fields.get("words", "").strip():
            raise Refused("may you what? A few words of an action")
        return may(desk.sitting, seat, fields["words"])

    def say(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Record in words what happened on paper."""
        desk.sitting.say(seat, _number(fields, "version"), fields.get("words", ""))
        return ""

    def decide(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Record how a game on paper ended, if that depends on cards nobody reported."""
        desk.sitting.decide(seat, _number(fields, "version"), fields.get("verdict", ""))
        return ""

    def propose(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Propose to go back, or to play on from a moment at a new table."""
        done = desk.sitting.propose(
            seat, _number(fields, "version"), fields.get("kind", ""), _number(fields, "step")
        )
        return self._settled(desk, seat, done.kind, done.step) if done else ""

    def agree(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Answer a proposal with yes or no."""
        done = desk.sitting.agree(seat, _number(fields, "version"), fields.get("yes") == "1")
        return self._settled(desk, seat, done.kind, done.step) if done else ""

    def _settled(self, desk: Desk, seat: int | None, kind: str, step: int) -> str:
        """Carry out a proposal that all agreed to. A branch has the same seats with the same
        people, and a new seed, or it would tell what is to come at the old table."""
        if kind != "branch":
            return ""
        old = desk.sitting
        paper = "" if old.paper is None else OWN_PAGES if old.paper.apart else ONE_PAGE
        new = self.hall.begin(
            old.variant.ref,
            old.variant.options,
            old.variant.rulings,
            old.seats,
            fresh_seed(),
            shared=old.shared,
            actions=old.match.actions[:step],
            paper=paper,
            loose=old.paper.loose[:step] if old.paper else (),
            earlier=old.earlier,
        )
        old.play_on_at(new.sitting, step)
        self.hall.go_on(new)
        return "" if seat is None else f"/t/{new.sitting.ident}/{new.sitting.tokens[seat]}"

    def next(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Begin the game that follows, at a new table with the same seats; whoever asks later joins it."""
        old = desk.sitting
        after = following(old.match)
        if seat is None or after is None or old.verdicts:
            raise Refused("who watches does not play" if seat is None else "no game follows this one yet")
        new = self.hall.find(old.following) if old.following else None
        if new is None:
            if _number(fields, "version") != old.version:
                raise Stale("the table has moved on since then; nothing was done")
            new = self._campaign_goes_on(old, after, fields.get("order", "").split())
        token = old.token_at(old.following, seat) or new.sitting.sit_down(seat)
        return f"/t/{new.sitting.ident}/{token}"

    def _campaign_goes_on(self, old: Sitting, after: Following, order: list[str]) -> Desk:
        try:
            variant = after.variant(old.variant, order)
        except ValueError as error:
            raise Refused(str(error)) from None
        paper = "" if old.paper is None else OWN_PAGES if old.paper.apart else ONE_PAGE
        new = self.hall.begin(
            variant.ref,
            variant.options,
            variant.rulings,
            old.seats,
            fresh_seed(),
            shared=old.shared,
            paper=paper,
            earlier=old.transcript(),
        )
        old.play_on_at(new.sitting, len(old.match.steps))
        old.goes_on_at(new.sitting.ident)
        self.hall.go_on(new)
        return new

    def note(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Write a note."""
        desk.sitting.note(seat, fields.get("text", ""))
        return ""

    def ready(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """At one screen, note that the next person looks now."""
        if seat is None:
            raise Refused("who watches does not take the screen")
        if desk.sitting.shared and _number(fields, "seat") in desk.sitting.people:
            desk.sitting.shown = _number(fields, "seat")
        return ""

    def leave(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Leave a seat for somebody else."""
        if seat is None or desk.sitting.shared:
            raise Refused("there is no seat to leave")
        desk.sitting.stand_up(seat)
        return f"/t/{desk.sitting.ident}/{desk.sitting.watch}"

    # -- files ----------------------------------------------------------------------------------------------

    async def asset(self, request: Request) -> Response:
        """Return a file of the table's assets, compressed."""
        path = _ASSETS.get(request.path_params["name"])
        if path is None:
            return Response("no such file\n", 404, media_type="text/plain")
        return _file(_packed(path.read_bytes()), _KINDS[path.suffix], request, "no-cache")

    async def face(self, request: Request) -> Response:
        """Return a picture by its name, the hash of its content. Browsers keep it for ever."""
        packed = await self.hall.face(request.path_params["name"])
        if packed is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return _file(packed, _KINDS[".svg"], request, FOREVER)

    async def layout(self, request: Request) -> Response:
        """Return the style sheet of the surfaces' places on a wide screen, made from the address
        alone and each time anew, so that no answer tells who asked before."""
        sheet = _sheet(request.path_params["name"])
        if sheet is None:
            return Response("no such layout\n", 404, media_type="text/plain")
        return _file(gzip.compress(sheet.encode(), 6, mtime=0), _KINDS[".css"], request, FOREVER)


class Guard:
    """Checks every request first: only our own host names, changes only from our own pages, the
    lobby and the workshop only with their key, the same strict headers for all."""

    def __init__(self, inner: ASGIApp, site: Site) -> None:
        self.inner, self.site = inner, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_STRICT]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self.inner(scope, receive, with_headers)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403})
        else:
            await refusal(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that may not come in, or None."""
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        host = headers.get("host", "")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if host not in self.site.names or (changes and not _from_our_page(headers, host)):
            return Response("this server answers its own pages only\n", 403, media_type="text/plain")
        if not scope["path"].startswith("/host/"):
            return None
        if not same(self.site.key, scope["path"].split("/")[2]):
            return _html(pages.message_page("Not here", _GONE), 404)
        if (scope.get("client") or _HERE)[0] not in _HERE:
            return _html(
                pages.message_page("Not from here", "Tables are set up at the computer itself."), 403
            )
        return None


def _from_our_page(headers: dict[str, str], host: str) -> bool:
    """Return whether a browser sends a request from our own page; programs that are no browsers
    name no page."""
    ours = headers.get("origin") in (None, f"http://{host}", f"https://{host}")
    return ours and headers.get("sec-fetch-site", "none") in ("same-origin", "none")


async def _not_found(request: Request, error: Exception) -> Response:
    return _html(pages.message_page("Not here", "There is no such page."), 404)


async def _failed(request: Request, error: Exception) -> Response:
    return _html(
        pages.message_page("A fault of playproof", "This was not done. The terminal says more."), 500
    )


def _at_one_screen(sitting: Sitting) -> tuple[int, bool]:
    """Return whose turn it is to look at a shared screen, and whether that person has confirmed
    it."""
    people = sitting.people
    actor = -1 if sitting.match.over else sitting.match.actor
    if actor in people:
        wanted = actor
    elif sitting.shown is not None:
        wanted = sitting.shown
    else:
        wanted = people[0]
    if len(people) == 1 or not sitting.hides or sitting.match.over or sitting.open_page:
        return wanted, True
    return wanted, sitting.shown == wanted


async def _fields(request: Request) -> dict[str, str]:
    """Return the first value of each field of a form. Raises Refused if the body is too large or
    no form."""
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BYTES:
                raise Refused("that is more than a form of this table holds")
    except ClientDisconnect:
        raise Refused("the form broke off") from None
    try:
        found = parse_qs(body.decode(), max_num_fields=80, errors="strict")
    except ValueError:
        raise Refused("that is not a form") from None
    return {name: values[0] for name, values in found.items()}


async def _read(request: Request) -> tuple[dict[str, str], Refused | None]:
    """Return the fields of a form, and None or the refusal."""
    try:
        return await _fields(request), None
    except Refused as error:
        return {}, error


def _number(fields: dict[str, str], name: str) -> int:
    text = fields.get(name, "")
    if not (text.isascii() and _NUMBER.match(text)):
        raise Refused(f"expected a number for `{name}`")
    return int(text)


def _step(text: str, sitting: Sitting) -> int | None:
    """Return the step asked for, or None if the text names no earlier step."""
    if not (text.isascii() and text.isdecimal() and len(text) < 7) or int(text) >= len(sitting.match.steps):
        return None
    return int(text)


def _html(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html", headers={"cache-control": "no-store"})


def _to(address: str) -> Response:
    return RedirectResponse(address, 303)


def _file(packed: bytes, kind: str, request: Request, keep: str) -> Response:
    """Return a compressed file, unpacked for those who cannot do it themselves."""
    headers = {"cache-control": keep, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type=kind, headers={**headers, "content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type=kind, headers=headers)


@lru_cache(maxsize=100)
def _packed(body: bytes) -> bytes:
    return gzip.compress(body, 9, mtime=0)


def _sheet(name: str) -> str | None:
    """Return the style sheet of a layout's name: surfaces at their places, in shares of the
    table. None if it is no layout's name, or the table has no area."""
    layout = _LAYOUT.match(name)
    if len(name) > _LONGEST_LAYOUT or layout is None:
        return None
    width, height = float(layout[1]), float(layout[2])
    if not width or not height:
        return None
    surfaces = [(key, *map(float, box)) for key, *box in _SURFACE.findall(layout[3])]
    rules = [
        f".felt{{aspect-ratio:{width:g}/{height:g};"
        f"width:min(100%,calc((100vh - var(--top))*{width / max(height, 1):.4f}))}}"
    ]
    narrow = []
    for key, x, y, wide, high in surfaces:
        rules.append(
            f"#s-{key}{{left:{100 * x / width:.4f}%;top:{100 * y / height:.4f}%;"
            f"width:{100 * wide / width:.4f}%;height:{100 * high / height:.4f}%}}"
        )
        least = wide * (_BOARD if wide > _LARGE else _NARROW)
        narrow.append(f"#s-{key}{{width:min(100%,max({least:.0f}px,{wide * _WIDER:.1f}vw))}}")
    return (
        "@media (min-width: 60rem) {" + "\n".join(rules) + "}\n"
        "@media (max-width: 59.99rem) {" + "\n".join(narrow) + "}\n"
    )
