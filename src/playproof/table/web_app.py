"""The server: addresses, access, and refusals. Starlette; pages.py writes every page.

    /host/KEY/            the lobby, and below it the workshop: for whoever started the server
    /join/TABLE/SECRET    take one free seat
    /t/TABLE/SECRET       the page of a seat, or of a spectator; .../live is its WebSocket
    /face/HASH.svg        a picture, the same for ever

It answers only requests to its own host names, and accepts changes only from its own pages. A host
name proves nothing, because a proxy may write it anew: only KEY opens the lobby."""

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

from playproof.language.keyed_random import generate_secret_seed
from playproof.table import pages
from playproof.table.edited_game import EditedGame
from playproof.table.game_session import (
    ONE_PAGE,
    OWN_PAGES,
    PERSON,
    GameSession,
    RequestRefused,
    StaleRequest,
    are_secrets_equal,
)
from playproof.table.lobby import (
    render_invitation_bar,
    render_invitation_page,
    render_lobby_page,
    render_seats_panel,
)
from playproof.table.session_records import parse_clock_settings
from playproof.table.sessions import MOST_WATCHING, RunningSession, ServerState
from playproof.table.table_requests import VERBS, TableRequests
from playproof.table.table_view import PageContext, stylesheet_from_layout_name
from playproof.table.web_exchange import (
    FOREVER,
    GONE,
    GONE_AWAY,
    TOO_MANY,
    RequestGuard,
    compress_cached,
    compute_page_difference,
    handle_failure,
    handle_not_found,
    make_file_response,
    make_html_response,
    make_redirect,
    parse_colour_field,
    parse_step,
    push_updates,
    read_form_fields,
    read_form_or_refusal,
    reject_socket,
    split_page_into_parts,
)
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


class TableApp:
    """The application. `names` are the hosts it answers to. `lan` is its address in an open
    local network, or the public one. `key` opens the lobby and the workshop."""

    def __init__(
        self,
        hall: ServerState,
        names: set[str],
        lan: str = "",
        edited: EditedGame | None = None,
        *,
        proxied: bool = False,
    ) -> None:
        """Make the application; with `edited`, also the workshop of that game. `proxied`: a proxy brings the world
        here, so that only the key, and not the asking machine, opens the lobby."""
        self.hall, self.names, self.lan, self.verbs = hall, names, lan, TableRequests(hall)
        self.key = secrets.token_urlsafe(18)
        self.lobby_at = f"/host/{self.key}/"
        self.workshop = (
            Workshop(edited, hall.forget_printed_variants, f"{self.lobby_at}workshop")
            if edited is not None
            else None
        )
        routes = [
            Route("/", self.show_landing_page),
            Route("/health", self.report_health),
            Route("/host/{key}/", self.show_lobby),
            Route("/host/{key}/new", self.set_up_table, methods=["POST"]),
            Route("/host/{key}/picture/{number:int}", self.send_game_cover),
            Route("/join/{table}/{secret}", self.join_by_invitation, methods=["GET", "POST"]),
            Route("/assets/{name}", self.send_asset),
            Route("/face/{name}.svg", self.send_face_picture),
            Route("/face/{name}.txt", self.send_face_words),
            Route("/layout/{name}.css", self.send_layout_stylesheet),
            Route("/t/{table}/{token}", self.show_seat_page),
            Route("/t/{table}/{token}/transcript.txt", self.send_transcript),
            Route("/t/{table}/{token}/replay.html", self.send_replay),
            WebSocketRoute("/t/{table}/{token}/live", self.stream_updates),
            *(
                Route(
                    f"/t/{{table}}/{{token}}/{verb}",
                    self._make_change_handler(getattr(self.verbs, verb)),
                    methods=["POST"],
                )
                for verb in VERBS
            ),
            *(self.workshop.make_routes() if self.workshop else ()),
        ]
        inner = Starlette(
            routes=routes,
            lifespan=self._run_lifespan,
            exception_handlers={404: handle_not_found, 405: handle_not_found, Exception: handle_failure},
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = RequestGuard(inner, names, self.key, proxied=proxied)

    @asynccontextmanager
    async def _run_lifespan(self, _: Starlette) -> Any:
        for desk in self.hall.desks.values():
            self.hall.start_pending_work(desk)  # bots whose turn it was when the server ended
        cleaning = asyncio.get_running_loop().create_task(self.hall.delete_old_journals_hourly())
        async with self.workshop.run_while_serving() if self.workshop else nullcontext():
            yield
        cleaning.cancel()
        await self.hall.stop_all_tasks()

    # -- the lobby ------------------------------------------------------------------------------------------

    async def show_landing_page(self, _: Request) -> Response:
        """Say where to go, to those who have no address yet."""
        return make_html_response(
            pages.render_message_page(
                "Playproof",
                (
                    "Ask the person who started the server for your seat's address. "
                    "If that is you, open the address that the command printed."
                ),
            )
        )

    async def report_health(self, _: Request) -> Response:
        """Answer that the server answers, for those who watch over it."""
        return Response(f"ok, {len(self.hall.desks)} tables in memory\n", media_type="text/plain")

    async def show_lobby(self, _: Request) -> Response:
        """Show the games and the tables under way."""
        workshop = self.workshop.base if self.workshop else ""
        entries = [await self.hall.drawer.describe_game_for_lobby(ref) for ref in self.hall.refs]
        return make_html_response(render_lobby_page(self.hall, entries, self.lobby_at, workshop))

    async def send_game_cover(self, request: Request) -> Response:
        """Return a picture of a game of the lobby."""
        number, cover = request.path_params["number"], b""
        if number < len(self.hall.refs):
            cover = (await self.hall.drawer.describe_game_for_lobby(self.hall.refs[number])).cover
        return make_file_response(
            cover or compress_cached(_ASSETS["icon.svg"]), _KINDS[".svg"], request, "private, max-age=3600"
        )

    async def set_up_table(self, request: Request) -> Response:
        """Set up a new table."""
        try:
            form = await read_form_fields(request)
            desk = self._start_session_from_form(form)
        except RequestRefused as error:
            return make_html_response(
                pages.render_message_page("This table cannot be set up", str(error), self.lobby_at), 400
            )
        sitting = desk.session
        self.hall.announce_change(desk)
        seats = sitting.people_seats
        if not seats:
            return make_redirect(f"/t/{sitting.ident}/{sitting.watch}")
        token = sitting.tokens[seats[0]] or sitting.take_seat(seats[0], opener=True)
        if sitting.clocks is not None:
            for seat in seats if sitting.shared else seats[:1]:
                # who sets up clocks wishes one; the others say so themselves
                sitting.give_or_remove_clock(seat, True)
        if form.get("name", "").strip() and not sitting.shared:
            sitting.set_person(seats[0], form["name"])
        return make_redirect(f"/t/{sitting.ident}/{token}")

    def _start_session_from_form(self, form: dict[str, str]) -> RunningSession:
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
            raise RequestRefused(f"a seed is a whole number, found {seed[:30]}")
        screens = form.get("screens", "")
        try:
            terms = parse_clock_settings(form)
        except ValueError as error:
            raise RequestRefused(str(error)) from None
        paper = {"paper-one": ONE_PAGE, "paper-own": OWN_PAGES}.get(screens, "")
        return self.hall.start_session(
            form.get("game", ""),
            options,
            rulings,
            others or [PERSON],
            int(seed) if seed else generate_secret_seed(),
            shared=screens == "one",
            paper=paper,
            clock_settings=terms,
        )

    async def join_by_invitation(self, request: Request) -> Response:
        """Take the seat of an invitation. To look at the invitation takes nothing, because chat
        programs open every address that they show."""
        desk = self.hall.find_session(request.path_params["table"])
        seat = (
            desk.session.find_seat_of_invitation(request.path_params["secret"]) if desk is not None else None
        )
        if desk is None or seat is None:
            return make_html_response(pages.render_message_page("Not here", GONE), 404)
        sitting = desk.session
        if request.method != "POST":
            return make_html_response(render_invitation_page(sitting, seat))
        try:
            form = await read_form_fields(request)
            if seat not in sitting.free_seats:
                raise RequestRefused("somebody already sits there")
            sitting.set_person(seat, form.get("name", ""), parse_colour_field(form))
            token = sitting.take_seat(seat)
        except RequestRefused as error:
            return make_html_response(pages.render_message_page("Not free", str(error)), 409)
        self.hall.announce_change(desk)
        return make_redirect(f"/t/{sitting.ident}/{token}")

    # -- a seat's page --------------------------------------------------------------------------------------

    def _find_visit(self, params: dict[str, Any]) -> tuple[RunningSession, int | None, bool] | None:
        """Return the desk, the seat (None: a spectator) and whether the seat is shown, for an
        address; None if the address is unknown."""
        desk = self.hall.find_session(params["table"])
        if desk is None:
            return None
        sitting, token = desk.session, params["token"]
        if are_secrets_equal(sitting.watch, token):
            return desk, None, True
        seat = sitting.find_seat_of_token(token)
        if seat is None:
            return None
        return (desk, *_find_seat_at_shared_screen(sitting)) if sitting.shared else (desk, seat, True)

    async def show_seat_page(self, request: Request) -> Response:
        """Return a seat's page, now or after a step (`?at=`). With `?part=1`, return only its
        changing part."""
        visit = self._find_visit(request.path_params)
        if visit is None:
            return make_html_response(pages.render_message_page("Not here", GONE), 404)
        desk, seat, replayed = visit
        self.hall.start_pending_work(desk)  # a table just brought back may wait for a bot
        base = request.url.path
        if not replayed and seat is not None:
            return make_html_response(pages.render_handover_page(desk.session, base, seat))
        at = parse_step(request.query_params.get("at", ""), desk.session)
        if "part" in request.query_params:
            return make_html_response(self._render_changing_part(desk, seat, base, at), request=request)
        page = pages.render_seat_page(
            self._make_page_context(desk, seat, base, at),
            *self._render_seats_and_invitations(desk, seat, base),
        )
        return make_html_response(page, request=request)

    def _render_changing_part(
        self, running_session: RunningSession, seat: int | None, page_path: str, step: int | None = None
    ) -> str:
        """Return the changing part of a page. The present is made once, however many look."""

        def made() -> str:
            return pages.render_changing_part(
                self._make_page_context(running_session, seat, page_path, step),
                *self._render_seats_and_invitations(running_session, seat, page_path),
            )

        return made() if step is not None else running_session.get_cached_part((seat, page_path), made)

    def _make_page_context(
        self,
        running_session: RunningSession,
        seat: int | None,
        page_path: str,
        step: int | None = None,
        reply: str = "",
    ) -> PageContext:
        return PageContext(
            running_session.session,
            seat,
            page_path,
            running_session.printed_variant.layout,
            running_session.printed_variant.pictures,
            step,
            reply,
        )

    def _render_seats_and_invitations(
        self, running_session: RunningSession, seat: int | None, page_path: str
    ) -> tuple[str, str]:
        """Return the panel of the seats, and what the bar at the top holds of it."""
        return (
            render_seats_panel(running_session.session, seat, page_path, self.lan),
            render_invitation_bar(running_session.session, seat, self.lan),
        )

    async def stream_updates(self, socket: WebSocket) -> None:
        """Send the changing part of the page whenever the table changes. Ignores what the
        browser sends."""
        visit = self._find_visit(socket.path_params)
        if visit is None:
            await reject_socket(socket, GONE_AWAY)
            return
        desk, seat, _ = visit
        listener = desk.add_listener(seat)
        if listener is None:
            await reject_socket(
                socket, TOO_MANY, f"{MOST_WATCHING} windows watch already; load this page to try again"
            )
            return
        sent: list[str] = []  # what this window has, in parts
        try:
            await push_updates(socket, listener, lambda: self._send_update(socket, sent))
        finally:
            desk.listeners.discard(listener)

    async def _send_update(self, socket: WebSocket, sent_parts: list[str]) -> bool:
        """Send what the address shows now: the whole part of the page first, then what changes. Returns False if
        the address is no longer valid."""
        visit = self._find_visit(socket.path_params)
        if visit is None:
            await socket.close(GONE_AWAY)
            return False
        desk, seat, replayed = visit
        base = socket.url.path.removesuffix("/live")
        if replayed or seat is None:
            text = self._render_changing_part(desk, seat, base)
        else:
            text = pages.render_handover_page(desk.session, base, seat)
            text = text[text.index("<main") : text.index("</body>")]
        now = split_page_into_parts(text)
        await socket.send_text(compute_page_difference(sent_parts, now) if sent_parts else text)
        sent_parts[:] = now
        return True

    async def send_transcript(self, request: Request) -> Response:
        """Return the transcript if nothing is hidden or the game is over."""
        visit = self._find_visit(request.path_params)
        if visit is None or not (visit[0].session.match.over or not visit[0].session.has_hidden_fields):
            return Response(
                "a transcript tells every card; it is given when the game is over\n",
                403,
                media_type="text/plain",
            )
        return Response(
            visit[0].session.format_all_transcripts(),
            media_type="text/plain; charset=utf-8",
            headers={"cache-control": "no-store"},
        )

    async def send_replay(self, request: Request) -> Response:
        """Return the finished game as one page that needs no server, drawn when somebody asks."""
        visit = self._find_visit(request.path_params)
        printed = None if visit is None else visit[0].printed_variant
        spread, faces = (None, None) if printed is None else (printed.layout, printed.pictures)
        if visit is None or not visit[0].session.match.over or spread is None or faces is None:
            return make_html_response(
                pages.render_message_page("Not here", "A replay is made of a finished game."), 404
            )
        sitting = visit[0].session
        text = await self.hall.drawer.render_replay_page(sitting.match, spread, faces)
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

    def _make_change_handler(
        self, verb: Callable[[RunningSession, int | None, dict[str, str], str], str]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for a request that changes a table. It carries the request out whole
        or not at all, and answers in a sentence."""

        async def answered(request: Request) -> Response:
            # The form is read first: from here to the change nothing else may happen to the table.
            fields, wrong = await read_form_or_refusal(request)
            visit = self._find_visit(request.path_params)
            if visit is None:
                return make_html_response(pages.render_message_page("Not here", GONE), 404)
            desk, seat, replayed = visit
            base = request.url.path.rpartition("/")[0]
            try:
                if wrong is not None:
                    raise wrong
                if not replayed and verb != self.verbs.ready:
                    # The next person's page may not answer before that person looks.
                    raise RequestRefused("somebody else takes the screen now")
                before = desk.session.changes, desk.session.seat_at_screen
                answer, status = verb(desk, seat, fields, base), 200
                if (desk.session.changes, desk.session.seat_at_screen) != before:
                    self.hall.announce_change(desk)  # a question changes nothing, so nobody is told
            except (RequestRefused, StaleRequest) as error:
                answer, status = str(error), 409
            if request.headers.get("accept") == "text/plain":
                return Response(
                    answer,
                    status,
                    media_type="text/plain; charset=utf-8",
                    headers={"cache-control": "no-store"},
                )
            if answer.startswith("/"):
                return make_redirect(answer)
            if status == 200 and not answer:
                return make_redirect(base)
            return self._render_page_with_answer(request, base, answer, status)

        return answered

    def _render_page_with_answer(
        self, request: Request, page_path: str, answer: str, status: int
    ) -> Response:
        """Return the page of an address with an answer on it, for browsers without scripts."""
        visit = self._find_visit(request.path_params)
        if visit is None:
            return make_redirect("/")
        desk, seat, replayed = visit
        if not replayed and seat is not None:
            return make_html_response(pages.render_handover_page(desk.session, page_path, seat), status)
        return make_html_response(
            pages.render_seat_page(self._make_page_context(desk, seat, page_path, None, answer), ""), status
        )

    # -- files ----------------------------------------------------------------------------------------------

    async def send_asset(self, request: Request) -> Response:
        """Return a file of the table's assets, compressed."""
        name = request.path_params["name"]
        if name not in _ASSETS:
            return Response("no such file\n", 404, media_type="text/plain")
        return make_file_response(
            compress_cached(_ASSETS[name]), _KINDS[Path(name).suffix], request, "no-cache"
        )

    async def send_face_picture(self, request: Request) -> Response:
        """Return a picture by its name, the hash of its content. Browsers keep it for ever."""
        packed = await self.hall.get_compressed_picture(request.path_params["name"])
        if packed is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return make_file_response(packed, _KINDS[".svg"], request, FOREVER)

    async def send_face_words(self, request: Request) -> Response:
        """Return what a picture prints, in letters; its name is as secret as that of the picture."""
        words = self.hall.get_printed_words(request.path_params["name"])
        if words is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return Response(words, media_type="text/plain; charset=utf-8", headers={"cache-control": FOREVER})

    async def send_layout_stylesheet(self, request: Request) -> Response:
        """Return the style sheet of the surfaces' places on a wide screen, made from the address
        alone and each time anew, so that no answer tells who asked before."""
        rules = stylesheet_from_layout_name(request.path_params["name"])
        if rules is None:
            return Response("no such layout\n", 404, media_type="text/plain")
        return make_file_response(gzip.compress(rules.encode(), 6, mtime=0), _KINDS[".css"], request, FOREVER)


def _find_seat_at_shared_screen(session: GameSession) -> tuple[int, bool]:
    """Return whose turn it is to look at a shared screen, and whether that person has confirmed
    it."""
    people = session.people_seats
    actor = -1 if session.match.over else session.match.actor
    if actor in people:
        wanted = actor
    elif session.seat_at_screen is not None:
        wanted = session.seat_at_screen
    else:
        wanted = people[0]
    if len(people) == 1 or not session.has_hidden_fields or session.match.over or session.open_page:
        return wanted, True
    return wanted, session.seat_at_screen == wanted
