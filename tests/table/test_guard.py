"""What the server keeps to itself, whom it lets in, and that nobody can take it from the others."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import Any, cast
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from playproof.table import pages, server as web_server, table_view, web_exchange
from playproof.table.faces import FacePictures, FaceStore
from playproof.table.game_session import MOST_BRANCHES, GameSession
from playproof.table.scene import Picture, TablePiece
from playproof.table.session_records import MOST_NOTES
from playproof.table.session_seats import WATCHES, RequestRefused
from playproof.table.sessions import MOST_OF_A_SEAT, MOST_WATCHING, ServerState, restore_session_and_repair_journal
from playproof.table.table_layout import TableLayout
from playproof.table.table_requests import VERBS
from playproof.table.web_app import TableApp
from playproof.table.web_exchange import TOO_MANY, Listener, RequestGuard, push_updates_until_browser_leaves
from tests.table.apart import run_apart

HOST = "testserver"
GAMES = ("olith", "opale", "tic_tac_toe")


class Place:
    """A server in this process, without processes of its own."""

    def __init__(self, folder: Path, client: tuple[str, int] = ("testclient", 50000)) -> None:
        self.server_state = ServerState(GAMES, folder, pace=0)
        self.site = TableApp(self.server_state, {HOST}, lan="http://lan.example")
        self.client = TestClient(self.site.app, client=client, follow_redirects=False)

    def begin(self, game: str, people: int, **more: str) -> GameSession:
        """A new table, set up as the lobby's form does it; the first person sits."""
        fields = {"game": game, "seed": "7", **{f"seat-{n:02}": "person" for n in range(people)}, **more}
        reply = self.client.post(f"{self.site.lobby_at}new", data=fields)
        assert reply.status_code == 303, reply.text
        return self.server_state.running_sessions[reply.headers["location"].split("/")[2]].session

    def seated(self, game: str, people: int, **more: str) -> GameSession:
        """A table with people at all seats."""
        session = self.begin(game, people, **more)
        for seat in session.free_seats:
            session.take_free_seat_and_get_token(seat)
        return session

    def post(self, session: GameSession, seat: int | None, verb: str, /, **fields: object) -> tuple[int, str]:
        """Send what a page's script sends."""
        data = {"version": str(session.version), **{name: str(value) for name, value in fields.items()}}
        reply = self.client.post(f"{address(session, seat)}/{verb}", data=data, headers={"accept": "text/plain"})
        return reply.status_code, reply.text


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "tables")
    with made.client:
        yield made


def address(session: GameSession, seat: int | None) -> str:
    """The address of a seat's page (None: of those who watch)."""
    return f"/t/{session.ident}/{session.watch if seat is None else session.tokens[seat]}"


def secrets_of(session: GameSession) -> dict[str, int | None]:
    """Every secret of a table that opens something, and the seat that it opens (None: more than one)."""
    seats: dict[str, int | None] = {token: n for n, token in enumerate(session.tokens) if token}
    seats |= {session.make_invitation_secret(n): n for n in session.people_seats}
    return {session.invite: None, **seats}


def sent_to(place: Place, session: GameSession, seat: int | None) -> str:
    """All that an address answers with."""
    base = address(session, seat)
    paths = [base, f"{base}?part=1", f"{base}?at=0", f"{base}/transcript.txt"]
    with place.client.websocket_connect(f"{base}/live") as window:
        return "\n".join([*(place.client.get(path).text for path in paths), window.receive_text()])


# -- addresses ------------------------------------------------------------------------------------------------------


def test_nobody_receives_the_address_of_another_seat(place: Place) -> None:
    """All that all seats and those who watch are sent, of a game that goes on at two other tables."""
    first = place.begin("olith", 3, **{"option-players": "3"})
    first.take_free_seat_and_get_token(1)
    for _ in range(2):
        assert place.post(first, 0, "propose", kind="branch", step=len(first.match.steps))[0] == 200
        assert place.post(first, 1, "agree", yes=1)[0] == 200
    tables = [running_session.session for running_session in place.server_state.running_sessions.values()]
    assert len(tables) == 3
    for session in tables:
        assert session.free_seats == [2]
        for seat in (None, 0, 1):
            sent = sent_to(place, session, seat)
            opened = {opens for other in tables for secret, opens in secrets_of(other).items() if secret in sent}
            # Who set the table up invites to its free seat.
            allowed = {0, 2} if seat == 0 else {seat}
            assert opened <= allowed, f"{seat} was sent what opens {opened}"
    # Each who sat at the first finds the own seat at the last.
    for seat in (0, 1):
        assert f'href="{address(tables[-1], seat)}"' in sent_to(place, first, seat)


def test_who_takes_a_left_seat_finds_no_way_to_the_seat_of_another_table(place: Place) -> None:
    session = place.seated("opale", 2)
    place.post(session, 0, "propose", kind="branch", step=len(session.match.steps))
    place.post(session, 1, "agree", yes=1)
    there = session.branches[0].tokens[1]
    assert there in sent_to(place, session, 1)
    session.vacate_seat_for_somebody_else(1)
    session.take_free_seat_and_get_token(1)
    assert there not in sent_to(place, session, 1)


def test_one_invitation_takes_one_seat(place: Place) -> None:
    session = place.begin("olith", 3, **{"option-players": "3"})
    invitations = {n: f"/join/{session.ident}/{session.make_invitation_secret(n)}" for n in session.free_seats}
    assert len(set(invitations.values())) == 2
    for path in invitations.values():
        for _ in range(2):  # as a chat program that shows a preview does
            assert place.client.get(path).status_code == 200
            assert place.client.head(path).status_code == 200
    assert session.free_seats == [1, 2]
    for seat in (2, 2, 1, 0, "watch", -1):  # the form's number changes nothing
        place.client.post(invitations[1], data={"seat": str(seat)})
        assert session.free_seats == [2]
    assert session.find_seat_by_invitation_secret(session.invite) is None
    assert place.client.get(f"/join/{session.ident}/{session.invite}").status_code == 404


def test_a_restart_forgets_no_invitation_and_no_branch(place: Place) -> None:
    session = place.begin("opale", 2)
    session.take_free_seat_and_get_token(1)
    place.post(session, 0, "propose", kind="branch", step=0)
    place.post(session, 1, "agree", yes=1)
    session.vacate_seat_for_somebody_else(1)
    assert session.journal is not None
    again = restore_session_and_repair_journal(session.journal)
    assert again.opener == session.opener == 0
    assert again.make_invitation_secret(1) == session.make_invitation_secret(1)
    assert again.branches == session.branches
    assert again.branches[0].tokens[1] == ""


# -- the lobby ------------------------------------------------------------------------------------------------------


def test_a_host_name_opens_nothing(place: Place) -> None:
    """A proxy on this machine writes the host anew, so every request looks as if it came from here."""
    session = place.begin("opale", 2)
    for path in (
        "/",
        "/new",
        "/host/",
        "/host//",
        "/host/guess/",
        "/host/guess/new",
        "/host",
        "/workshop",
        f"/host/{place.site.key[:-1]}/",
        f"/host/{place.site.key}x/",
        f"/host/{place.site.key}/../",
    ):
        for reply in (place.client.get(path), place.client.post(path, data={"game": "opale"})):
            assert reply.status_code in (200, 307, 404)
            assert session.ident not in reply.text
            assert "Begin a game" not in reply.text
    assert len(place.server_state.running_sessions) == 1
    assert session.ident in place.client.get(place.site.lobby_at).text
    assert len(place.site.key) >= 24
    assert TableApp(place.server_state, {HOST}).key != place.site.key


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://["},
        {"origin": f"http://{HOST}.evil.example"},
        {"origin": f"http://{HOST}@evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_no_other_page_acts_or_listens_here(place: Place, headers: dict[str, str]) -> None:
    session = place.seated("tic_tac_toe", 2)
    base = address(session, 0)
    for verb in VERBS:
        assert place.client.post(f"{base}/{verb}", headers=headers).status_code == 403
    assert place.client.put(f"{base}/move", headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), place.client.websocket_connect(f"{base}/live", headers=headers):
        pass
    assert session.tokens[0]


def test_what_is_answered_may_not_be_kept_for_others(place: Place) -> None:
    """Shared caches keep nothing: they would answer faster for a picture that another seat has seen."""
    session = place.seated("opale", 2)
    text = place.client.get(address(session, 0)).text
    paths = re.findall(r'(?:href|src)="(/(?:face|layout)/[^"]+)"', text)[:3]
    for path in [address(session, 0), f"{address(session, 0)}/transcript.txt", *paths]:
        reply = place.client.get(path)
        if reply.status_code == 200:
            assert re.match("private|no-store", reply.headers["cache-control"])
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert reply.headers["referrer-policy"] == "same-origin"


# -- what time tells ------------------------------------------------------------------------------------------------


def test_a_request_for_a_picture_leaves_no_trace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pictures are drawn in one order, each once, whoever asks for which of them."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))

    async def draw_all(asked: int) -> list[str]:
        drawn: list[str] = []

        async def draw(here: object, work: object, game: object, edition: str, *names: str) -> object:
            drawn.extend(names)
            return names[0].encode() if names else faces.list_picture_hashes_in_drawing_order()

        server_state = ServerState(GAMES, None, pace=0)
        faces = server_state.start_session_or_refuse("opale", {}, {}, [], 1).printed_variant.pictures
        assert faces is not None
        monkeypatch.setattr(server_state.drawer, "_run_in_process_or_thread", draw)
        monkeypatch.setattr(faces, "store", FaceStore(f"asked {asked}"))
        name = faces.picture_hashes[asked]
        assert await server_state.get_compressed_picture_by_hash(name) == name.encode()
        assert name in drawn
        others = [server_state.get_compressed_picture_by_hash(other) for other in faces.picture_hashes[::50]]
        assert None not in await asyncio.gather(*others)
        while not faces.store.is_complete:
            await asyncio.sleep(0.01)
        assert await server_state.get_compressed_picture_by_hash("0" * 20) is None
        await server_state.stop_all_tasks_and_workers()
        return drawn

    first, second = (run_apart(draw_all(asked)) for asked in (0, 400))
    assert first == second
    assert len(first) == len(set(first)) > 500


def test_pictures_stay_from_one_start_to_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A side that is not there is not looked for again; where nothing can be written, pictures stay in memory."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    store = FaceStore("an edition")
    store.store_picture("one", b"picture")
    assert not FaceStore("an edition").is_complete
    store.mark_all_pictures_stored()
    again = FaceStore("an edition")
    assert (again.is_complete, again.read_stored_picture("one"), again.read_stored_picture("none")) == (
        True,
        b"picture",
        None,
    )
    monkeypatch.setattr("playproof.table.faces.write_file_atomically", _fail)
    other = FaceStore("another")
    other.store_picture("one", b"picture")
    other.mark_all_pictures_stored()
    assert (other.is_complete, other.read_stored_picture("one")) == (True, b"picture")
    assert not FaceStore("another").is_complete


def _fail(path: Path, data: bytes) -> None:
    raise OSError("the disk is full")


def test_old_editions_make_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr("playproof.table.faces._MOST_EDITIONS", 3)
    for number in range(5):
        FaceStore(f"edition {number}").store_picture("one", b"picture")
        os.utime(tmp_path / "faces" / f"edition {number}", (number, number))
    left = [path.name for path in sorted((tmp_path / "faces").iterdir())]
    assert left == ["edition 2", "edition 3", "edition 4"]


def test_a_part_of_a_face_has_no_name_of_its_own() -> None:
    """A name that exists only once somebody has seen the part would tell of it."""
    from playproof.referee import Variant

    faces = FacePictures(TableLayout(Variant("opale")))
    whole = Picture(next(iter(faces.spread.variant.data.components)))
    part = replace(whole, crop=(1.0, 2.0, 10.0, 20.0))
    assert faces.get_picture_hash_of_whole_face(part) == faces.get_picture_hash_of_whole_face(whole)
    piece = TablePiece("k", "s", part, "a part", 50, 50, 10, 20)
    window = table_view._render_piece_image_svg(faces, piece)
    assert window.startswith('<svg x="45" y="40" width="10" height="20" viewBox="1 2 10 20">')
    width, height = faces.spread.get_picture_size_in_mm(whole)
    assert f'width="{width:g}" height="{height:g}"' in window


def test_what_one_seat_sees_is_remembered_for_that_seat_only(place: Place) -> None:
    """A piece made for one reader is made again for each other reader, at this table and at others."""
    session = place.seated("opale", 2)
    spread = place.server_state.running_sessions[session.ident].printed_variant.layout
    assert spread is not None
    view = session.make_view_of_seat_or_spectator(0)
    spread.make_scene_from_view(view, reader_key=("here", 0))
    size = len(spread._kept._known)
    spread.make_scene_from_view(view, reader_key=("here", 0))
    assert len(spread._kept._known) == size
    for more, reader in enumerate((("here", 1), ("there", 0)), 2):
        spread.make_scene_from_view(view, reader_key=reader)
        assert len(spread._kept._known) == more * size


def test_one_screen_answers_only_who_looks(place: Place) -> None:
    """A late or doubled click of the one before does not show the next one's cards."""
    session = place.begin("opale", 2, screens="one")
    page = address(session, 0)
    for verb in (verb for verb in VERBS if verb != "ready"):
        reply = place.client.post(f"{page}/{verb}", data={"version": str(session.version), "move": "0", "words": "a"})
        assert reply.status_code == 409
        assert "/face/" not in reply.text
        assert 'class="hand-over"' in reply.text
    assert place.post(session, None, "ready", seat=session.match.actor)[0] == 409, "who watches takes no screen"
    assert session.seat_at_screen is None
    place.client.post(f"{page}/ready", data={"seat": str(session.match.actor)})
    reply = place.client.post(f"{page}/move", data={"version": "0", "move": "0"})
    assert (reply.status_code, "/face/" in reply.text) == (409, True)


# -- limits ---------------------------------------------------------------------------------------------------------


def test_those_who_watch_lock_nobody_out(place: Place) -> None:
    session = place.seated("tic_tac_toe", 2)
    running_session = place.server_state.running_sessions[session.ident]
    watching = [running_session.add_listener_dismissing_oldest_or_none(None) for _ in range(3 * MOST_WATCHING)]
    assert len([one for one in watching if one]) == MOST_WATCHING
    with place.client.websocket_connect(f"{address(session, None)}/live") as window, pytest.raises(WebSocketDisconnect):
        window.receive_text()
    windows = [running_session.add_listener_dismissing_oldest_or_none(1) for _ in range(3 * MOST_OF_A_SEAT)]
    assert all(windows), "a seat has a place, however many windows it had"
    assert len([one for one in running_session.listeners if one.seat == 1]) == MOST_OF_A_SEAT
    assert [one.dismissed for one in windows if one] == [True] * (2 * MOST_OF_A_SEAT) + [False] * MOST_OF_A_SEAT
    with place.client.websocket_connect(f"{address(session, 0)}/live") as socket:
        assert 'id="table"' in socket.receive_text()


class Window:
    """A browser's end of a WebSocket, as far as `push_updates_until_browser_leaves` uses it."""

    def __init__(self) -> None:
        self.closed: list[int] = []

    async def accept(self) -> None:
        """Nothing is to be done."""

    async def receive(self) -> dict[str, str]:
        """Nothing comes, ever."""
        return await asyncio.Future()

    async def close(self, code: int) -> None:
        self.closed.append(code)


def test_a_window_without_a_place_is_closed() -> None:
    listener, window = Listener(0), Window()

    async def tell() -> bool:
        listener.dismiss_window()  # while it is told, another window of the same seat opens
        return True

    run_apart(asyncio.wait_for(push_updates_until_browser_leaves(cast(WebSocket, window), listener, tell), 10))
    assert window.closed == [TOO_MANY]


def test_a_browser_that_does_not_read_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_exchange, "_PATIENCE", 0.05)

    async def tell() -> bool:
        return await asyncio.Future()

    run_apart(asyncio.wait_for(push_updates_until_browser_leaves(cast(WebSocket, Window()), Listener(0), tell), 10))


def test_a_look_at_a_page_is_told_to_nobody(place: Place) -> None:
    session = place.seated("opale", 2)
    listener = place.server_state.running_sessions[session.ident].add_listener_dismissing_oldest_or_none(1)
    assert listener is not None
    paths = ["", "?part=1", "?at=0", "/transcript.txt", "/none"]
    for seat in (None, 0, 1):
        for path in paths:
            place.client.get(f"{address(session, seat)}{path}")
            place.client.post(f"{address(session, seat)}/may", data={"words": "play"})
            place.client.post(f"{address(session, seat)}/ready", data={"seat": "0"})
    assert not listener.changed.is_set()
    place.post(session, 0, "note", text="hello")
    assert listener.changed.is_set()


def test_many_changes_are_told_at_once_and_a_page_is_made_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    session = place.seated("tic_tac_toe", 2)
    made: list[int | None] = []
    before = pages.render_main_part_of_seat_page
    monkeypatch.setattr(
        pages, "render_main_part_of_seat_page", lambda seen, *bars: made.append(seen.seat) or before(seen, *bars)
    )
    for _ in range(20):
        place.client.get(f"{address(session, None)}?part=1")
        place.client.get(f"{address(session, 1)}?part=1")
    assert made == [None, 1]
    text = place.client.get(f"{address(session, 1)}?part=1").text
    session.add_note_or_refuse(0, "a change")
    assert "a change" in place.client.get(f"{address(session, 1)}?part=1").text
    assert "a change" not in text


def test_nobody_uses_up_the_notes_of_others(place: Place) -> None:
    session = place.seated("opale", 2)
    for number in range(MOST_NOTES):
        session.add_note_or_refuse(None, f"watched {number}")
    assert place.post(session, None, "note", text="more")[0] == 409
    for number in range(MOST_NOTES):
        session.add_note_or_refuse(1, f"red {number}")
    with pytest.raises(RequestRefused):
        session.add_note_or_refuse(1, "more")
    assert place.post(session, 0, "note", text="still here")[0] == 200
    assert {note.who for note in session.latest_notes} == {
        WATCHES,
        session.get_declared_seat_name(0),
        session.get_declared_seat_name(1),
    }
    for number in range(MOST_NOTES // 2):
        session.notes.append(replace(session.notes[0], text=f"again {number}"))
    assert "still here" in place.client.get(address(session, 1)).text


def test_a_note_is_one_line_of_letters(place: Place) -> None:
    session = place.seated("tic_tac_toe", 2)
    place.post(session, 0, "note", text="a\x1b[2Jb\x00c\u2028d\u202ee\r\nend: x")
    assert session.notes[-1].text == "a [2Jb c d e end: x"
    assert "\nend: x" not in session.format_earlier_and_own_transcripts()


def test_branches_have_an_end(place: Place) -> None:
    place.server_state.folder = None  # a table that is left to its journal comes back as another object
    session = place.begin("tic_tac_toe", 1, **{"seat-01": "random"})
    replies = [place.post(session, 0, "propose", kind="branch", step=0)[0] for _ in range(MOST_BRANCHES + 5)]
    assert replies == [200] * MOST_BRANCHES + [409] * 5


# -- every route, with nonsense -------------------------------------------------------------------------------------

ODD = [
    "",
    "0",
    "-1",
    "1" * 400,
    "9" * 5_000,
    "9" * 5_000 + ".png",
    "\0",
    "a\0b",
    "..",
    "../..",
    "%2e%2e",
    "%00",
    "%ff",
    "é",
    "𝟙",
    "١",
    "٣.png",
    "NaN",
    "1e999",
    "0x0",
    "x" * 300,
    "x" * 3_000,
    "~" * 50,
    "_" * 500,
    "'",
    '"',
    "<b>",
    "{",
    "}}",
    "\r\nset-cookie: a=b",
    "%ed%a0%80",
    "\xed\xa0\x80",
    ";",
    "a/b",
    "//",
    "\\",
    " ",
    "+",
    "0x0_a~0~0~0~0",
    "1x0_a~0~0~0~0",
    "0.000000x1_a~1~1~1~1",
    "1x1_a_b~1~1~1~1",
    "1x1_a~1~1~1~1_b~2~2~2~2",
    "1.2.3x1_a~1~1~1~1",
    "1x1_a~-1~-1~-1~-1",
    "1x1_a~--1~1~1~1",
    "999999x999999_a~999999~9~9~0.000001",
    "1x1" + "_a~1~1~1~1" * 40,
    "1x1" + "_a~1~1~1~1" * 41,
    "1x1_" + "a" * 60 + "~1~1~1~1",
    "١x1_a~1~1~1~1",
]
BODIES = [
    b"",
    b"=",
    b"&" * 200,
    b"a=1&" * 100,
    b"\xff=\xfe",
    b"seat=%ff",
    b"seat=%00",
    b'{"move": 1}',
    b"x" * 9_000,
    b"move=1e9&version=1",
    b"move=-0&version=-1",
    b"step=-1&kind=undo",
    b"step=999999999&kind=branch",
    b"verdict=%F0%9F%8E%B2",
    b"words=" + b"%20" * 500,
    b"key=%00&words=",
    "words=é".encode(),
    b"text=%ED%A0%80",
]
KINDS = ["application/x-www-form-urlencoded", "application/json", "multipart/form-data", "\xff"]
METHODS = ["POST", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "GET", "HEAD"]


def test_no_request_is_a_fault_of_the_server(place: Place) -> None:
    """A route's exception comes up through the application, so no answer of 500 can pass."""
    session, dice = place.seated("opale", 2), Random(30)
    before = list(session.match.actions)
    base, host = f"/t/{session.ident}", place.site.lobby_at
    seat = address(session, 0)
    frames = [
        "/{}",
        "/t/{}/{}",
        "/t/{}/{}/live",
        base + "/{}",
        seat + "/{}",
        seat + "?at={}",
        seat + "?part={}&at={}",
        "/join/{}/{}",
        f"/join/{session.ident}/{{}}",
        "/assets/{}",
        "/assets/{}.css",
        "/face/{}.svg",
        "/face/{}",
        "/layout/{}.css",
        "/host/{}",
        "/host/{}/{}",
        host + "{}",
        host + "workshop/{}",
        "/{}/{}/{}",
    ]
    for frame in frames:
        for odd in ODD:
            path = frame.format(*(odd if n == 0 else dice.choice(ODD) for n in range(frame.count("{}"))))
            assert answer(place, "GET", path) < 500
    targets = [
        *(f"{seat}/{verb}" for verb in VERBS if verb != "leave"),
        f"{host}new",
        f"/join/{session.ident}/x",
        f"/join/{session.ident}/{session.make_invitation_secret(1)}",
    ]
    for target in targets:
        for body in BODIES:
            for kind in KINDS:
                assert answer(place, dice.choice(METHODS), target, body, kind) < 500
    assert session.match.actions == before


def answer(
    place: Place, method: str, path: str, body: bytes = b"", kind: str = "text/plain", *, gone: bool = False
) -> int:
    """The status of the answer to a request, sent as the server hands it over: the path unquoted. With `gone` the
    browser leaves before its form has arrived."""
    raw, _, query = path.partition("?")
    headers = [(b"host", HOST.encode()), (b"content-type", kind.encode("latin-1"))]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(raw),
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("testclient", 1),
        "server": (HOST, 80),
        "state": {},
    }
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"} if gone else {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    assert place.client.portal is not None
    place.client.portal.call(place.site.app, scope, receive, send)
    return statuses[0]


def test_a_form_that_breaks_off_is_no_fault(place: Place) -> None:
    session = place.seated("tic_tac_toe", 2)
    for target in (
        f"{address(session, 0)}/move",
        f"{place.site.lobby_at}new",
        f"/join/{session.ident}/{session.make_invitation_secret(0)}",
    ):
        assert answer(place, "POST", target, gone=True) in (400, 409)
    assert not session.match.steps


# -- connections ----------------------------------------------------------------------------------------------------


@contextmanager
def listening(site: TableApp) -> Iterator[int]:
    """A site on a port of this machine, in a thread."""
    (own,) = web_server.open_local_and_lan_sockets(0)
    port = int(own.getsockname()[1])
    site.names.add(f"127.0.0.1:{port}")
    server = web_server.make_uvicorn_server_not_running(site)
    thread = Thread(target=server.run, args=([own],))
    thread.start()
    try:
        for _ in range(200):
            if server.started:
                break
            sleep(0.05)
        yield port
    finally:
        server.should_exit = True
        thread.join(30)
        own.close()


def ends(port: int, *parts: bytes) -> tuple[bytes, int]:
    """Send parts slowly, until the server closes. Return what it answered, and how many parts could be sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        heard, count = b"", 0
        with suppress(ConnectionResetError, BrokenPipeError):
            for part in parts:
                line.sendall(part)
                count += 1
                sleep(0.05)
            while more := line.recv(65_536):
                heard += more
        return heard, count


def test_a_request_that_does_not_come_to_its_end_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "REQUEST_SECONDS", 0.4)
    site = TableApp(ServerState(("tic_tac_toe",), None, pace=0), set())
    with listening(site) as port:
        host = f"Host: 127.0.0.1:{port}\r\n".encode()
        whole = b"GET / HTTP/1.1\r\n" + host + b"\r\n"
        form = f"POST {site.lobby_at}new HTTP/1.1\r\n".encode() + host + b"Content-Length: 50\r\n\r\n"
        assert ends(port)[0] == b""
        assert ends(port, b"GET / HTTP/1.1\r\n")[0] == b""
        assert ends(port, form, b"seat=")[0] == b""
        for parts in ([b"x"] * 100, [form, *[b"x"] * 49]):  # a dribble is no sign of life
            assert ends(port, *parts)[1] < len(parts)
        assert ends(port, whole, b"GET / HT")[0].count(b"200 OK") == 1
        with live(site, port) as window:
            sleep(1.0)
            window.send("still here")
            window.ping().wait(10)


@contextmanager
def live(site: TableApp, port: int) -> Iterator[Any]:
    """A window of somebody who watches."""
    from websockets.sync.client import connect

    running_session = site.server_state.start_session_or_refuse("tic_tac_toe", {}, {}, ["person"], 1)
    with connect(f"ws://127.0.0.1:{port}{address(running_session.session, None)}/live") as window:
        assert "table" in str(window.recv(timeout=20))
        yield window


@pytest.mark.parametrize("limit", ["MOST_OF_AN_ADDRESS", "MOST_CONNECTIONS"])
def test_there_are_so_many_connections_and_no_more(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(web_server, limit, 3)
    monkeypatch.setattr(web_server, "_is_loopback_address", lambda host: limit == "MOST_CONNECTIONS")
    site = TableApp(ServerState(("tic_tac_toe",), None, pace=0), set())
    with listening(site) as port:
        whole = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
        idle = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(3)]
        sleep(0.2)
        assert ends(port, whole)[0] == b""
        idle.pop().close()
        sleep(0.2)
        assert b"200 OK" in ends(port, whole)[0]
        for line in idle:
            line.close()


@pytest.mark.parametrize(
    ("network", "bound_to", "words"),
    [
        ("", ["127.0.0.1"], "open on this machine only"),
        ("127.0.0.2", ["127.0.0.1", "127.0.0.2"], "open to the local network: others reach it at http://127.0.0.2:"),
    ],
)
def test_what_is_printed_is_what_is_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: str, bound_to: list[str], words: str
) -> None:
    """With --lan, in a machine without a network and in one with a network."""
    lines: list[str] = []
    names: list[str] = []

    class Server:
        def run(self, sockets: list[socket.socket]) -> None:
            for line in sockets:
                names.append(line.getsockname()[0])
                line.close()

    monkeypatch.setattr(web_server, "find_lan_address_or_empty", lambda: network)
    monkeypatch.setattr(web_server, "make_uvicorn_server_not_running", lambda site: Server())
    web_server.serve_tables_until_interrupted(("tic_tac_toe",), 0, tmp_path, open_to_lan=True, print_line=lines.append)
    assert names == bound_to
    assert words in "\n".join(lines)
    assert re.search(r"http://127\.0\.0\.1:\d+/host/[\w-]{24}/", lines[0])


def test_a_picture_that_is_drawn_while_the_server_stops_is_answered() -> None:
    """A request that is cancelled with the server is no fault: whoever waits is told so, without a traceback."""
    answers: list[Any] = []

    async def draws(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        answers.append(message)

    async def stopped() -> None:
        scope = {"type": "http", "method": "GET", "path": "/face/1.svg", "headers": [(b"host", b"here:1")]}
        task = asyncio.create_task(RequestGuard(draws, {"here:1"}, "key", proxied=False)(scope, send, send))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with ThreadPoolExecutor(1) as aside:  # the browser of other tests keeps a loop running in this thread
        aside.submit(lambda: asyncio.run(stopped())).result()
    assert [message.get("status") for message in answers] == [503, None]
