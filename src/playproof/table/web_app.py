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
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from playproof.language.keyed_random import generate_secret_seed
from playproof.table import pages
from playproof.table.edited_game import EditedGame
from playproof.table.game_session import ONE_PAGE, OWN_PAGES, GameSession
from playproof.table.lobby import (
    render_invitation_bar_or_empty_html,
    render_lobby_page_html,
    render_seats_panel_or_empty_html,
    render_take_seat_page_html,
)
from playproof.table.session_records import parse_clock_settings_or_none
from playproof.table.session_seats import PERSON, RequestRefused, StaleRequest, are_secrets_equal_in_constant_time
from playproof.table.sessions import MOST_WATCHING, RunningSession, ServerState
from playproof.table.table_requests import VERBS, AddressOrSentenceOrEmpty, TableRequests
from playproof.table.table_view import PageContext, stylesheet_from_layout_name_or_none
from playproof.table.web_exchange import (
    FOREVER,
    GONE,
    GONE_AWAY,
    TOO_MANY,
    RequestGuard,
    close_socket_with_reason,
    encode_page_difference_as_json,
    gzip_and_cache_bytes,
    make_gzippable_html_response,
    make_gzipped_file_response,
    make_see_other_redirect,
    parse_colour_number_field_or_none,
    parse_earlier_step_or_none,
    push_updates_until_browser_leaves,
    read_form_fields_or_get_refusal,
    read_form_fields_or_refuse,
    respond_with_not_found_page,
    respond_with_server_failure_page,
    split_html_into_diffable_parts,
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
    for name in ("idiomorph.js", "signs.js", "blanks.js", "view.js", "pieces.js", "does.js", "reads.js", "table.js")
)


class SeatAddress(NamedTuple):
    running_session: RunningSession
    seat: int | None  # None: a spectator
    is_seat_shown: bool


class ScreenTurn(NamedTuple):
    seat: int
    is_confirmed: bool  # the person has said that the screen is now theirs


class SeatsHtml(NamedTuple):
    panel_html: str
    bar_html: str


class TableApp:
    """The application. `names` are the hosts it answers to. `lan` is its address in an open
    local network, or the public one. `key` opens the lobby and the workshop."""

    def __init__(
        self,
        server_state: ServerState,
        names: set[str],
        lan: str = "",
        edited: EditedGame | None = None,
        *,
        proxied: bool = False,
    ) -> None:
        """Make the application; with `edited`, also the workshop of that game. `proxied`: a proxy brings the world
        here, so that only the key, and not the asking machine, opens the lobby."""
        self.server_state, self.names, self.lan, self.verbs = server_state, names, lan, TableRequests(server_state)
        self.key = secrets.token_urlsafe(18)
        self.lobby_at = f"/host/{self.key}/"
        self.workshop = (
            Workshop(edited, server_state.forget_printed_variants, f"{self.lobby_at}workshop")
            if edited is not None
            else None
        )
        routes = [
            Route("/", self.respond_with_landing_page),
            Route("/health", self.respond_that_server_is_alive),
            Route("/host/{key}/", self.respond_with_lobby_page),
            Route("/host/{key}/new", self.start_session_and_redirect_to_seat, methods=["POST"]),
            Route("/host/{key}/picture/{number:int}", self.respond_with_game_cover_svg),
            Route("/join/{table}/{secret}", self.respond_to_invitation_or_take_seat, methods=["GET", "POST"]),
            Route("/assets/{name}", self.respond_with_asset_file),
            Route("/face/{name}.svg", self.respond_with_face_svg_by_hash),
            Route("/face/{name}.txt", self.respond_with_printed_words_by_hash),
            Route("/layout/{name}.css", self.respond_with_layout_stylesheet),
            Route("/t/{table}/{token}", self.respond_with_seat_page),
            Route("/t/{table}/{token}/transcript.txt", self.respond_with_transcript_if_nothing_hidden),
            Route("/t/{table}/{token}/replay.html", self.respond_with_replay_of_finished_game),
            WebSocketRoute("/t/{table}/{token}/live", self.push_seat_page_changes_over_websocket),
            *(
                Route(
                    f"/t/{{table}}/{{token}}/{verb}",
                    self._make_handler_of_table_request(getattr(self.verbs, verb)),
                    methods=["POST"],
                )
                for verb in VERBS
            ),
            *(self.workshop.make_routes() if self.workshop else ()),
        ]
        inner = Starlette(
            routes=routes,
            lifespan=self._run_work_while_server_lives,
            exception_handlers={
                404: respond_with_not_found_page,
                405: respond_with_not_found_page,
                Exception: respond_with_server_failure_page,
            },
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = RequestGuard(inner, names, self.key, proxied=proxied)

    @asynccontextmanager
    async def _run_work_while_server_lives(self, _: Starlette) -> Any:
        for running_session in self.server_state.running_sessions.values():
            # bots whose turn it was when the server ended
            self.server_state.start_needed_tasks_and_clock_alarm(running_session)
        cleaning = asyncio.get_running_loop().create_task(self.server_state.keep_deleting_old_journals_hourly())
        async with self.workshop.run_background_work_while_serving() if self.workshop else nullcontext():
            yield
        cleaning.cancel()
        await self.server_state.stop_all_tasks_and_workers()

    # -- the lobby ------------------------------------------------------------------------------------------

    async def respond_with_landing_page(self, _: Request) -> Response:
        """Say where to go, to those who have no address yet."""
        return make_gzippable_html_response(
            pages.render_message_page_html(
                "Playproof",
                (
                    "Ask the person who started the server for your seat's address. "
                    "If that is you, open the address that the command printed."
                ),
            )
        )

    async def respond_that_server_is_alive(self, _: Request) -> Response:
        """Answer that the server answers, for those who watch over it."""
        return Response(f"ok, {len(self.server_state.running_sessions)} tables in memory\n", media_type="text/plain")

    async def respond_with_lobby_page(self, _: Request) -> Response:
        """Show the games and the tables under way."""
        workshop = self.workshop.base if self.workshop else ""
        entries = [
            await self.server_state.drawer.get_cached_or_build_lobby_entry(ref) for ref in self.server_state.refs
        ]
        return make_gzippable_html_response(render_lobby_page_html(self.server_state, entries, self.lobby_at, workshop))

    async def respond_with_game_cover_svg(self, request: Request) -> Response:
        """Return a picture of a game of the lobby."""
        number, cover = request.path_params["number"], b""
        if number < len(self.server_state.refs):
            cover = (
                await self.server_state.drawer.get_cached_or_build_lobby_entry(self.server_state.refs[number])
            ).cover
        return make_gzipped_file_response(
            cover or gzip_and_cache_bytes(_ASSETS["icon.svg"]), _KINDS[".svg"], request, "private, max-age=3600"
        )

    async def start_session_and_redirect_to_seat(self, request: Request) -> Response:
        """Set up a new table."""
        try:
            form = await read_form_fields_or_refuse(request)
            running_session = self._start_session_from_form(form)
        except RequestRefused as error:
            return make_gzippable_html_response(
                pages.render_message_page_html("This table cannot be set up", str(error), self.lobby_at), 400
            )
        session = running_session.session
        self.server_state.tell_listeners_and_start_pending_work(running_session)
        seats = session.people_seats
        if not seats:
            return make_see_other_redirect(f"/t/{session.ident}/{session.watch}")
        token = session.tokens[seats[0]] or session.take_free_seat_and_get_token(seats[0], as_opener=True)
        if session.clocks is not None:
            for seat in seats if session.shared else seats[:1]:
                # who sets up clocks wishes one; the others say so themselves
                session.give_or_remove_clock_or_refuse(seat, True)
        if form.get("name", "").strip() and not session.shared:
            session.set_name_and_colour_or_refuse(seats[0], form["name"])
        return make_see_other_redirect(f"/t/{session.ident}/{token}")

    def _start_session_from_form(self, form_fields: dict[str, str]) -> RunningSession:
        options = {
            name.removeprefix("option-"): text
            for name, text in form_fields.items()
            if name.startswith("option-") and text
        }
        rulings = {
            name.removeprefix("ruling-"): text
            for name, text in form_fields.items()
            if name.startswith("ruling-") and text
        }
        others = [form_fields[name] for name in sorted(form_fields) if re.fullmatch(r"seat-\d\d", name)]
        seed = form_fields.get("seed", "").strip()
        if seed and not (seed.isascii() and seed.isdecimal() and len(seed) < 60):
            raise RequestRefused(f"a seed is a whole number, found {seed[:30]}")
        screens = form_fields.get("screens", "")
        try:
            terms = parse_clock_settings_or_none(form_fields)
        except ValueError as error:
            raise RequestRefused(str(error)) from None
        paper = {"paper-one": ONE_PAGE, "paper-own": OWN_PAGES}.get(screens, "")
        return self.server_state.start_session_or_refuse(
            form_fields.get("game", ""),
            options,
            rulings,
            others or [PERSON],
            int(seed) if seed else generate_secret_seed(),
            one_screen=screens == "one",
            paper_mode=paper,
            clock_settings=terms,
        )

    async def respond_to_invitation_or_take_seat(self, request: Request) -> Response:
        """Take the seat of an invitation. To look at the invitation takes nothing, because chat
        programs open every address that they show."""
        running_session = self.server_state.find_or_restore_session(request.path_params["table"])
        seat = (
            running_session.session.find_seat_by_invitation_secret(request.path_params["secret"])
            if running_session is not None
            else None
        )
        if running_session is None or seat is None:
            return make_gzippable_html_response(pages.render_message_page_html("Not here", GONE), 404)
        session = running_session.session
        if request.method != "POST":
            return make_gzippable_html_response(render_take_seat_page_html(session, seat))
        try:
            form = await read_form_fields_or_refuse(request)
            if seat not in session.free_seats:
                raise RequestRefused("somebody already sits there")
            session.set_name_and_colour_or_refuse(seat, form.get("name", ""), parse_colour_number_field_or_none(form))
            token = session.take_free_seat_and_get_token(seat)
        except RequestRefused as error:
            return make_gzippable_html_response(pages.render_message_page_html("Not free", str(error)), 409)
        self.server_state.tell_listeners_and_start_pending_work(running_session)
        return make_see_other_redirect(f"/t/{session.ident}/{token}")

    # -- a seat's page --------------------------------------------------------------------------------------

    def _find_session_seat_and_visibility(self, path_parameters: dict[str, Any]) -> SeatAddress | None:
        """Return what an address names, or None if it is unknown."""
        running_session = self.server_state.find_or_restore_session(path_parameters["table"])
        if running_session is None:
            return None
        session, token = running_session.session, path_parameters["token"]
        if are_secrets_equal_in_constant_time(session.watch, token):
            return SeatAddress(running_session, None, True)
        seat = session.find_seat_by_secret_token(token)
        if seat is None:
            return None
        turn = _get_seat_and_readiness_at_screen(session) if session.shared else ScreenTurn(seat, True)
        return SeatAddress(running_session, *turn)

    async def respond_with_seat_page(self, request: Request) -> Response:
        """Return a seat's page, now or after a step (`?at=`). With `?part=1`, return only its
        changing part."""
        visit = self._find_session_seat_and_visibility(request.path_params)
        if visit is None:
            return make_gzippable_html_response(pages.render_message_page_html("Not here", GONE), 404)
        running_session, seat, replayed = visit
        # a table just brought back may wait for a bot
        self.server_state.start_needed_tasks_and_clock_alarm(running_session)
        base = request.url.path
        if not replayed and seat is not None:
            return make_gzippable_html_response(
                pages.render_hand_over_screen_page_html(running_session.session, base, seat)
            )
        at = parse_earlier_step_or_none(request.query_params.get("at", ""), running_session.session)
        if "part" in request.query_params:
            return make_gzippable_html_response(
                self._render_changing_part_of_page_cached(running_session, seat, base, at), request_to_gzip_for=request
            )
        page = pages.render_seat_page_html(
            self._make_page_context(running_session, seat, base, at),
            *self._render_seats_panel_and_invitation_bar(running_session, seat, base),
        )
        return make_gzippable_html_response(page, request_to_gzip_for=request)

    def _render_changing_part_of_page_cached(
        self, running_session: RunningSession, seat: int | None, page_path: str, after_step: int | None = None
    ) -> str:
        """Return the changing part of a page. The present is made once, however many look."""

        def made() -> str:
            return pages.render_main_part_of_seat_page(
                self._make_page_context(running_session, seat, page_path, after_step),
                *self._render_seats_panel_and_invitation_bar(running_session, seat, page_path),
            )

        return (
            made()
            if after_step is not None
            else running_session.get_cached_or_render_html_for_reader((seat, page_path), made)
        )

    def _make_page_context(
        self,
        running_session: RunningSession,
        seat: int | None,
        page_path: str,
        after_step: int | None = None,
        reply_to_reader: str = "",
    ) -> PageContext:
        return PageContext(
            running_session.session,
            seat,
            page_path,
            running_session.printed_variant.layout,
            running_session.printed_variant.pictures,
            after_step,
            reply_to_reader,
        )

    def _render_seats_panel_and_invitation_bar(
        self, running_session: RunningSession, seat: int | None, page_path: str
    ) -> SeatsHtml:
        """Return the panel of the seats, and what the bar at the top holds of it."""
        return SeatsHtml(
            render_seats_panel_or_empty_html(running_session.session, seat, page_path, self.lan),
            render_invitation_bar_or_empty_html(running_session.session, seat, self.lan),
        )

    async def push_seat_page_changes_over_websocket(self, socket: WebSocket) -> None:
        """Send the changing part of the page whenever the table changes. Ignores what the
        browser sends."""
        visit = self._find_session_seat_and_visibility(socket.path_params)
        if visit is None:
            await close_socket_with_reason(socket, GONE_AWAY)
            return
        running_session, seat, _ = visit
        listener = running_session.add_listener_dismissing_oldest_or_none(seat)
        if listener is None:
            await close_socket_with_reason(
                socket, TOO_MANY, f"{MOST_WATCHING} windows watch already; load this page to try again"
            )
            return
        sent: list[str] = []  # what this window has, in parts
        try:
            await push_updates_until_browser_leaves(
                socket, listener, lambda: self._send_page_change_unless_gone(socket, sent)
            )
        finally:
            running_session.listeners.discard(listener)

    async def _send_page_change_unless_gone(self, socket: WebSocket, last_sent_parts: list[str]) -> bool:
        """Send what the address shows now: the whole part of the page first, then what changes. Returns False if
        the address is no longer valid."""
        visit = self._find_session_seat_and_visibility(socket.path_params)
        if visit is None:
            await socket.close(GONE_AWAY)
            return False
        running_session, seat, replayed = visit
        base = socket.url.path.removesuffix("/live")
        if replayed or seat is None:
            text = self._render_changing_part_of_page_cached(running_session, seat, base)
        else:
            text = pages.render_hand_over_screen_page_html(running_session.session, base, seat)
            text = text[text.index("<main") : text.index("</body>")]
        now = split_html_into_diffable_parts(text)
        await socket.send_text(encode_page_difference_as_json(last_sent_parts, now) if last_sent_parts else text)
        last_sent_parts[:] = now
        return True

    async def respond_with_transcript_if_nothing_hidden(self, request: Request) -> Response:
        """Return the transcript if nothing is hidden or the game is over."""
        visit = self._find_session_seat_and_visibility(request.path_params)
        if visit is None or not (
            visit.running_session.session.match.over or not visit.running_session.session.has_hidden_fields
        ):
            return Response(
                "a transcript tells every card; it is given when the game is over\n", 403, media_type="text/plain"
            )
        return Response(
            visit.running_session.session.format_earlier_and_own_transcripts(),
            media_type="text/plain; charset=utf-8",
            headers={"cache-control": "no-store"},
        )

    async def respond_with_replay_of_finished_game(self, request: Request) -> Response:
        """Return the finished game as one page that needs no server, drawn when somebody asks."""
        visit = self._find_session_seat_and_visibility(request.path_params)
        printed = None if visit is None else visit.running_session.printed_variant
        spread, faces = (None, None) if printed is None else (printed.layout, printed.pictures)
        if visit is None or not visit.running_session.session.match.over or spread is None or faces is None:
            return make_gzippable_html_response(
                pages.render_message_page_html("Not here", "A replay is made of a finished game."), 404
            )
        session = visit.running_session.session
        text = await self.server_state.drawer.render_replay_page_in_process(session.match, spread, faces)
        name = re.sub(r"\W+", "-", session.variant.title.casefold())
        return Response(
            text,
            media_type="text/html; charset=utf-8",
            headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="{name}.html"'},
        )

    # -- changing -------------------------------------------------------------------------------------------

    def _make_handler_of_table_request(
        self,
        table_request: Callable[[RunningSession, int | None, dict[str, str], str], AddressOrSentenceOrEmpty],
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for a request that changes a table. It carries the request out whole
        or not at all, and answers in a sentence."""

        async def answered(request: Request) -> Response:
            # The form is read first: from here to the change nothing else may happen to the table.
            fields, wrong = await read_form_fields_or_get_refusal(request)
            visit = self._find_session_seat_and_visibility(request.path_params)
            if visit is None:
                return make_gzippable_html_response(pages.render_message_page_html("Not here", GONE), 404)
            running_session, seat, replayed = visit
            base = request.url.path.rpartition("/")[0]
            try:
                if wrong is not None:
                    raise wrong
                if not replayed and table_request != self.verbs.ready:
                    # The next person's page may not answer before that person looks.
                    raise RequestRefused("somebody else takes the screen now")
                before = running_session.session.changes, running_session.session.seat_at_screen
                answer, status = table_request(running_session, seat, fields, base), 200
                if (running_session.session.changes, running_session.session.seat_at_screen) != before:
                    self.server_state.tell_listeners_and_start_pending_work(
                        running_session
                    )  # a question changes nothing, so nobody is told
            except (RequestRefused, StaleRequest) as error:
                answer, status = str(error), 409
            if request.headers.get("accept") == "text/plain":
                return Response(
                    answer, status, media_type="text/plain; charset=utf-8", headers={"cache-control": "no-store"}
                )
            if answer.startswith("/"):
                return make_see_other_redirect(answer)
            if status == 200 and not answer:
                return make_see_other_redirect(base)
            return self._make_seat_page_response_with_answer(request, base, answer, status)

        return answered

    def _make_seat_page_response_with_answer(
        self, request: Request, page_path: str, answer: str, status: int
    ) -> Response:
        """Return the page of an address with an answer on it, for browsers without scripts."""
        visit = self._find_session_seat_and_visibility(request.path_params)
        if visit is None:
            return make_see_other_redirect("/")
        running_session, seat, replayed = visit
        if not replayed and seat is not None:
            return make_gzippable_html_response(
                pages.render_hand_over_screen_page_html(running_session.session, page_path, seat), status
            )
        return make_gzippable_html_response(
            pages.render_seat_page_html(self._make_page_context(running_session, seat, page_path, None, answer), ""),
            status,
        )

    # -- files ----------------------------------------------------------------------------------------------

    async def respond_with_asset_file(self, request: Request) -> Response:
        """Return a file of the table's assets, compressed."""
        name = request.path_params["name"]
        if name not in _ASSETS:
            return Response("no such file\n", 404, media_type="text/plain")
        return make_gzipped_file_response(
            gzip_and_cache_bytes(_ASSETS[name]), _KINDS[Path(name).suffix], request, "no-cache"
        )

    async def respond_with_face_svg_by_hash(self, request: Request) -> Response:
        """Return a picture by its name, the hash of its content. Browsers keep it for ever."""
        packed = await self.server_state.get_compressed_picture_by_hash(request.path_params["name"])
        if packed is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return make_gzipped_file_response(packed, _KINDS[".svg"], request, FOREVER)

    async def respond_with_printed_words_by_hash(self, request: Request) -> Response:
        """Return what a picture prints, in letters; its name is as secret as that of the picture."""
        words = self.server_state.get_printed_words_of_picture(request.path_params["name"])
        if words is None:
            return Response("no such picture\n", 404, media_type="text/plain")
        return Response(words, media_type="text/plain; charset=utf-8", headers={"cache-control": FOREVER})

    async def respond_with_layout_stylesheet(self, request: Request) -> Response:
        """Return the style sheet of the surfaces' places on a wide screen, made from the address
        alone and each time anew, so that no answer tells who asked before."""
        rules = stylesheet_from_layout_name_or_none(request.path_params["name"])
        if rules is None:
            return Response("no such layout\n", 404, media_type="text/plain")
        return make_gzipped_file_response(gzip.compress(rules.encode(), 6, mtime=0), _KINDS[".css"], request, FOREVER)


def _get_seat_and_readiness_at_screen(session: GameSession) -> ScreenTurn:
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
        return ScreenTurn(wanted, True)
    return ScreenTurn(wanted, session.seat_at_screen == wanted)
