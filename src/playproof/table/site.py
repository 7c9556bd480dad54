"""The server: addresses, access, and refusals. Starlette; pages.py writes every page.

    /host/KEY/            the lobby, and below it the workshop: for whoever started the server
    /join/TABLE/SECRET    take one free seat
    /t/TABLE/SECRET       the page of a seat, or of a spectator; .../live is its WebSocket
    /face/HASH.svg        a picture, the same for ever

It answers only requests to its own host names, and accepts changes only from its own pages. A host
name proves nothing, because a proxy may write it anew: only KEY opens the lobby.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import secrets
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from playproof.language.keyed_random import fresh_seed
from playproof.table import pages
from playproof.table.clock import clocks_of
from playproof.table.editing import Edited
from playproof.table.felt import sheet
from playproof.table.guard import Guard
from playproof.table.hall import MOST_WATCHING, Desk, Hall
from playproof.table.lobby import invitation, invitation_bar, lobby_page, seats_panel
from playproof.table.page_context import PageContext
from playproof.table.page_updates import GONE_AWAY, TOO_MANY, difference, parts, push, turn_away
from playproof.table.replies import (
    FOREVER,
    GONE,
    colour,
    failed,
    fields,
    file,
    html,
    not_found,
    packed,
    read,
    step,
    to,
)
from playproof.table.sitting import ONE_PAGE, OWN_PAGES, PERSON, Refused, Sitting, Stale, same
from playproof.table.verbs import VERBS, Verbs
from playproof.table.workshop import Workshop

ASSETS = Path(__file__).resolve().parent / "assets"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_ASSETS = {path.name: path.read_bytes() for path in ASSETS.iterdir() if path.suffix in _KINDS}
# One request for all that a seat's page runs.
_ASSETS["play.js"] = b"\n".join(
    _ASSETS.pop(name)
    for name in (
        "idiomorph.js",
        "signs.js",
        "blanks.js",
        "view.js",
        "pieces.js",
        "does.js",
        "reads.js",
        "table.js",
    )
)


class Site:
    """The application. `names` are the hosts it answers to. `lan` is its address in an open
    local network, or the public one. `key` opens the lobby and the workshop."""

    def __init__(
        self,
        hall: Hall,
        names: set[str],
        lan: str = "",
        edited: Edited | None = None,
        *,
        proxied: bool = False,
    ) -> None:
        """Make the application; with `edited`, also the workshop of that game. `proxied`: a proxy brings the world
        here, so that only the key, and not the asking machine, opens the lobby."""
        self.hall, self.names, self.lan, self.verbs = hall, names, lan, Verbs(hall)
        self.key = secrets.token_urlsafe(18)
        self.lobby_at = f"/host/{self.key}/"
        self.workshop = (
            Workshop(edited, hall.printed_anew, f"{self.lobby_at}workshop") if edited is not None else None
        )
        routes = [
            Route("/", self.door),
            Route("/health", self.health),
            Route("/host/{key}/", self.lobby),
            Route("/host/{key}/new", self.new, methods=["POST"]),
            Route("/host/{key}/picture/{number:int}", self.picture),
            Route("/join/{table}/{secret}", self.join, methods=["GET", "POST"]),
            Route("/assets/{name}", self.asset),
            Route("/face/{name}.svg", self.face),
            Route("/face/{name}.txt", self.face_words),
            Route("/layout/{name}.css", self.layout),
            Route("/t/{table}/{token}", self.seat),
            Route("/t/{table}/{token}/transcript.txt", self.transcript),
            Route("/t/{table}/{token}/replay.html", self.replay),
            WebSocketRoute("/t/{table}/{token}/live", self.live),
            *(
                Route(
                    f"/t/{{table}}/{{token}}/{verb}",
                    self._change(getattr(self.verbs, verb)),
                    methods=["POST"],
                )
                for verb in VERBS
            ),
            *(self.workshop.routes() if self.workshop else ()),
        ]
        inner = Starlette(
            routes=routes,
            lifespan=self._life,
            exception_handlers={404: not_found, 405: not_found, Exception: failed},
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = Guard(inner, names, self.key, proxied=proxied)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> Any:
        for desk in self.hall.desks.values():
            self.hall.wake(desk)  # bots whose turn it was when the server ended
        cleaning = asyncio.get_running_loop().create_task(self.hall.cleaning())
        async with self.workshop.watching() if self.workshop else nullcontext():
            yield
        cleaning.cancel()
        await self.hall.close()

    # -- the lobby ------------------------------------------------------------------------------------------

    async def door(self, _: Request) -> Response:
        """Say where to go, to those who have no address yet."""
        return html(
            pages.message_page(
                "Playproof",
                (
                    "Ask the person who started the server for your seat's address. "
                    "If that is you, open the address that the command printed."
                ),
            )
        )

    async def health(self, _: Request) -> Response:
        """Answer that the server answers, for those who watch over it."""
        return Response(f"ok, {len(self.hall.desks)} tables in memory\n", media_type="text/plain")

    async def lobby(self, _: Request) -> Response:
        """Show the games and the tables under way."""
        workshop = self.workshop.base if self.workshop else ""
        entries = [await self.hall.drawer.describe(ref) for ref in self.hall.refs]
        return html(lobby_page(self.hall, entries, self.lobby_at, workshop))

    async def picture(self, request: Request) -> Response:
        """Return a picture of a game of the lobby."""
        number, cover = request.path_params["number"], b""
        if number < len(self.hall.refs):
            cover = (await self.hall.drawer.describe(self.hall.refs[number])).cover
        return file(cover or packed(_ASSETS["icon.svg"]), _KINDS[".svg"], request, "private, max-age=3600")

    async def new(self, request: Request) -> Response:
        """Set up a new table."""
        try:
            form = await fields(request)
            desk = self._begun(form)
        except Refused as error:
            return html(pages.message_page("This table cannot be set up", str(error), self.lobby_at), 400)
        sitting = desk.sitting
        self.hall.go_on(desk)
        seats = sitting.people
        if not seats:
            return to(f"/t/{sitting.ident}/{sitting.watch}")
        token = sitting.tokens[seats[0]] or sitting.sit_down(seats[0], opener=True)
        if sitting.clocks is not None:
            for seat in seats if sitting.shared else seats[:1]:
                sitting.wish(seat, True)  # who sets up clocks wishes one; the others say so themselves
        if form.get("name", "").strip() and not sitting.shared:
            sitting.introduce(seats[0], form["name"])
        return to(f"/t/{sitting.ident}/{token}")

    def _begun(self, form: dict[str, str]) -> Desk:
        options = {
            name.removeprefix("option-"): text
            for name, text in form.items()
            if name.startswith("option-") and text
        }
        rulings = {
            name.removeprefix("ruling-"): text
            for name, text in form.items()
            if name.startswith("ruling-") and text
        }
        others = [form[name] for name in sorted(form) if re.fullmatch(r"seat-\d\d", name)]
        seed = form.get("seed", "").strip()
        if seed and not (seed.isascii() and seed.isdecimal() and len(seed) < 60):
            raise Refused(f"a seed is a whole number, found {seed[:30]}")
        screens = form.get("screens", "")
        try:
            terms = clocks_of(form)
        except ValueError as error:
            raise Refused(str(error)) from None
        paper = {"paper-one": ONE_PAGE, "paper-own": OWN_PAGES}.get(screens, "")
        return self.hall.begin(
            form.get("game", ""),
            options,
            rulings,
            others or [PERSON],
            int(seed) if seed else fresh_seed(),
            shared=screens == "one",
            paper=paper,
            terms=terms,
        )

    async def join(self, request: Request) -> Response:
        """Take the seat of an invitation. To look at the invitation takes nothing, because chat
        programs open every address that they show."""
        desk = self.hall.find(request.path_params["table"])
        seat = desk.sitting.invited(request.path_params["secret"]) if desk is not None else None
        if desk is None or seat is None:
            return html(pages.message_page("Not here", GONE), 404)
        sitting = desk.sitting
        if request.method != "POST":
            return html(invitation(sitting, seat))
        try:
            form = await fields(request)
            if seat not in sitting.free:
                raise Refused("somebody already sits there")
            sitting.introduce(seat, form.get("name", ""), colour(form))
            token = sitting.sit_down(seat)
        except Refused as error:
            return html(pages.message_page("Not free", str(error)), 409)
        self.hall.go_on(desk)
        return to(f"/t/{sitting.ident}/{token}")

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
        visit = self._at(request.path_params)
        if visit is None:
            return html(pages.message_page("Not here", GONE), 404)
        desk, seat, replayed = visit
        self.hall.wake(desk)  # a table just brought back may wait for a bot
        base = request.url.path
        if not replayed and seat is not None:
            return html(pages.handover_page(desk.sitting, base, seat))
        at = step(request.query_params.get("at", ""), desk.sitting)
        if "part" in request.query_params:
            return html(self._part(desk, seat, base, at), request=request)
        page = pages.seat_page(self._seen(desk, seat, base, at), *self._invitations(desk, seat, base))
        return html(page, request=request)

    def _part(self, desk: Desk, seat: int | None, base: str, step: int | None = None) -> str:
        """Return the changing part of a page. The present is made once, however many look."""

        def made() -> str:
            return pages.part(self._seen(desk, seat, base, step), *self._invitations(desk, seat, base))

        return made() if step is not None else desk.part((seat, base), made)

    def _seen(
        self, desk: Desk, seat: int | None, base: str, step: int | None = None, reply: str = ""
    ) -> PageContext:
        return PageContext(desk.sitting, seat, base, desk.printed.spread, desk.printed.faces, step, reply)

    def _invitations(self, desk: Desk, seat: int | None, base: str) -> tuple[str, str]:
        """Return the panel of the seats, and what the bar at the top holds of it."""
        return (
            seats_panel(desk.sitting, seat, base, self.lan),
            invitation_bar(desk.sitting, seat, self.lan),
        )

    async def live(self, socket: WebSocket) -> None:
        """Send the changing part of the page whenever the table changes. Ignores what the
        browser sends."""
        visit = self._at(socket.path_params)
        if visit is None:
            await turn_away(socket, GONE_AWAY)
            return
        desk, seat, _ = visit
        listener = desk.listen(seat)
        if listener is None:
            await turn_away(
                socket, TOO_MANY, f"{MOST_WATCHING} windows watch already; load this page to try again"
            )
            return
        sent: list[str] = []  # what this window has, in parts
        try:
            await push(socket, listener, lambda: self._tell(socket, sent))
        finally:
            desk.listeners.discard(listener)

    async def _tell(self, socket: WebSocket, sent: list[str]) -> bool:
        """Send what the address shows now: the whole part of the page first, then what changes. Returns False if
        the address is no longer valid."""
        visit = self._at(socket.path_params)
        if visit is None:
            await socket.close(GONE_AWAY)
            return False
        desk, seat, replayed = visit
        base = socket.url.path.removesuffix("/live")
        if replayed or seat is None:
            text = self._part(desk, seat, base)
        else:
            text = pages.handover_page(desk.sitting, base, seat)
            text = text[text.index("<main") : text.index("</body>")]
        now = parts(text)
        await socket.send_text(difference(sent, now) if sent else text)
        sent[:] = now
        return True

    async def transcript(self, request: Request) -> Response:
        """Return the transcript if nothing is hidden or the game is over."""
        visit = self._at(request.path_params)
        if visit is None or not (visit[0].sitting.match.over or not visit[0].sitting.hides):
            return Response(
                "a transcript tells every card; it is given when the game is over\n",
                403,
                media_type="text/plain",
            )
        return Response(
            visit[0].sitting.transcript(),
            media_type="text/plain; charset=utf-8",
            headers={"cache-control": "no-store"},
        )

    async def replay(self, request: Request) -> Response:
        """Return the finished game as one page that needs no server, drawn when somebody asks."""
        visit = self._at(request.path_params)
        printed = None if visit is None else visit[0].printed
        spread, faces = (None, None) if printed is None else (printed.spread, printed.faces)
        if visit is None or not visit[0].sitting.match.over or spread is None or faces is None:
            return html(pages.message_page("Not here", "A replay is made of a finished game."), 404)
        sitting = visit[0].sitting
        text = await self.hall.drawer.write_replay(sitting.match, spread, faces)
        name = re.sub(r"\W+", "-", sitting.variant.title.casefold())
        return Response(
            text,
            media_type="text/html; charset=utf-8",
            headers={
                "cache-control": "no-store",
                "content-disposition": f'attachment; filename="{name}.html"',
            },
        )

    # -- changing -------------------------------------------------------------------------------------------

    def _change(
        self, verb: Callable[[Desk, int | None, dict[str, str], str], str]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for a request that changes a table. It carries the request out whole
        or not at all, and answers in a sentence."""

        async def answered(request: Request) -> Response:
            # The form is read first: from here to the change nothing else may happen to the table.
            fields, wrong = await read(request)
            visit = self._at(request.path_params)
            if visit is None:
                return html(pages.message_page("Not here", GONE), 404)
            desk, seat, replayed = visit
            base = request.url.path.rpartition("/")[0]
            try:
                if wrong is not None:
                    raise wrong
                if not replayed and verb != self.verbs.ready:
                    # The next person's page may not answer before that person looks.
                    raise Refused("somebody else takes the screen now")
                before = desk.sitting.changes, desk.sitting.looking
                answer, status = verb(desk, seat, fields, base), 200
                if (desk.sitting.changes, desk.sitting.looking) != before:
                    self.hall.go_on(desk)  # a question changes nothing, so nobody is told
            except (Refused, Stale) as error:
                answer, status = str(error), 409
            if request.headers.get("accept") == "text/plain":
                return Response(
                    answer,
                    status,
                    media_type="text/plain; charset=utf-8",
                    headers={"cache-control": "no-store"},
                )
            if answer.startswith("/"):
                return to(answer)
            if status == 200 and not answer:
                return to(base)
            return self._again(request, base, answer, status)

        return answered

    def _again(self, request: Request, base: str, answer: str, status: int) -> Response:
        """Return the page of an address with an answer on it, for browsers without scripts."""
        visit = self._at(request.path_params)
        if visit is None:
            return to("/")
        desk, seat, replayed = visit
        if not replayed and seat is not None:
            return html(pages.handover_page(desk.sitting, base, seat), status)
        return html(pages.seat_page(self._seen(desk, seat, base, None, answer), ""), status)

    # -- files ----------------------------------------------------------------------------------------------

    async def asset(self, request: Request) -> Response:
        """Return a file of the table's assets, compressed."""
        name = request.path_params["name"]
        if name not in _ASSETS:
            return Response("no such file\n", 404, media_type="text/plain")
        return file(packed(_ASSETS[name]), _KINDS[Path(name).suffix], request, "no-cache")

    async def face(self, request: Request) -> Response:
        """Return a picture by its name, the hash of its content. Browsers keep it for ever."""
        packed = await self.hall.face(request.path_params["name"])
        if packed is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return file(packed, _KINDS[".svg"], request, FOREVER)

    async def face_words(self, request: Request) -> Response:
        """Return what a picture prints, in letters; its name is as secret as that of the picture."""
        words = self.hall.face_words(request.path_params["name"])
        if words is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return Response(words, media_type="text/plain; charset=utf-8", headers={"cache-control": FOREVER})

    async def layout(self, request: Request) -> Response:
        """Return the style sheet of the surfaces' places on a wide screen, made from the address
        alone and each time anew, so that no answer tells who asked before."""
        rules = sheet(request.path_params["name"])
        if rules is None:
            return Response("no such layout\n", 404, media_type="text/plain")
        return file(gzip.compress(rules.encode(), 6, mtime=0), _KINDS[".css"], request, FOREVER)


def _at_one_screen(sitting: Sitting) -> tuple[int, bool]:
    """Return whose turn it is to look at a shared screen, and whether that person has confirmed
    it."""
    people = sitting.people
    actor = -1 if sitting.match.over else sitting.match.actor
    if actor in people:
        wanted = actor
    elif sitting.looking is not None:
        wanted = sitting.looking
    else:
        wanted = people[0]
    if len(people) == 1 or not sitting.hides or sitting.match.over or sitting.open_page:
        return wanted, True
    return wanted, sitting.looking == wanted
