"""Clocks: for those who wish one, never a reason to act for anybody, and the same after a restart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.table.server import make_uvicorn_server_not_running, open_listening_socket_or_raise
from playproof.table.session_records import PLAYS_ON, format_clock_time, parse_clock_settings_or_none
from playproof.table.session_seats import RequestRefused
from playproof.table.sessions import RunningSession, ServerState, restore_session_and_repair_journal
from playproof.table.web_app import TableApp
from tests.table.apart import run_apart

HOST = "testserver"
Browser = Any


class Time:
    """A clock on the wall that a test sets."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def begun(folder: Path, **more: str) -> tuple[ServerState, TestClient, RunningSession, Time]:
    """A table of two people, set up by the lobby's form with one minute and five seconds more."""
    server_state = ServerState(("tic_tac_toe",), folder, pace=0)
    site = TableApp(server_state, {HOST})
    client = TestClient(site.app)
    fields = {"game": "tic_tac_toe", "seat-00": "person", "minutes": "1", "seconds": "5", **more}
    reply = client.post(f"{site.lobby_at}new", data=fields, follow_redirects=False)
    running_session = server_state.running_sessions[reply.headers["location"].split("/")[2]]
    clocks, time = running_session.session.clocks, Time()
    assert clocks is not None
    clocks.now = time
    return server_state, client, running_session, time


def page(client: TestClient, running_session: RunningSession, seat: int | None) -> list[str]:
    """The times that a seat's page shows."""
    session = running_session.session
    token = session.watch if seat is None else session.tokens[seat]
    return re.findall(r'role="timer"[^>]*>([^<]*)<', client.get(f"/t/{session.ident}/{token}").text)


def test_only_who_wishes_one_has_a_clock_and_sees_clocks(tmp_path: Path) -> None:
    _, client, running_session, time = begun(tmp_path)
    session = running_session.session
    time.at += 500  # nobody plays yet
    session.take_free_seat_and_get_token(1)
    assert [page(client, running_session, seat) for seat in (0, 1, None)] == [["1:00"], [], []]
    sent = client.post(f"/t/{session.ident}/{session.tokens[1]}/wish", data={"yes": "1"})
    assert sent.status_code == 200
    time.at += 12.5
    assert [page(client, running_session, seat) for seat in (0, 1, None)] == [["0:48", "1:00"]] * 3
    session.give_or_remove_clock_or_refuse(1, False)
    assert [page(client, running_session, seat) for seat in (0, 1, None)] == [["0:48"], [], []]
    time.at += 1
    session.give_or_remove_clock_or_refuse(0, False)
    session.give_or_remove_clock_or_refuse(0, True)
    assert page(client, running_session, 0) == ["0:47"]  # a second wish is no second minute
    with pytest.raises(RequestRefused):
        session.give_or_remove_clock_or_refuse(None, True)


def test_a_choice_adds_its_seconds_and_a_restart_keeps_what_is_left(tmp_path: Path) -> None:
    _, _, running_session, time = begun(tmp_path)
    session = running_session.session
    session.take_free_seat_and_get_token(1)
    session.give_or_remove_clock_or_refuse(1, True)
    for spent in (10, 20, 3):
        time.at += spent
        session.take_action_of_seat_or_refuse(
            session.match.actor, session.version, session.list_moves_seat_may_take_now(session.match.actor)[0].ident
        )
    assert session.clocks is not None
    assert session.clocks.left == {0: 57.0, 1: 45.0}
    again = restore_session_and_repair_journal(next(tmp_path.glob("*.table")), ("tic_tac_toe",))
    assert again.clocks is not None
    assert (again.clocks.left, again.clocks.terms) == ({0: 57.0, 1: 45.0}, session.clocks.terms)
    assert again.clocks.running == 1  # whose turn it is


def test_a_clock_that_is_up_says_so_and_forces_nothing(tmp_path: Path) -> None:
    server_state, client, running_session, time = begun(tmp_path)
    session = running_session.session
    session.take_free_seat_and_get_token(1)
    time.at += 61
    session.stop_clock_if_run_out()
    assert page(client, running_session, 0) == ["time is up"]
    assert session.bot is None
    assert not session.is_bot_standing_in
    version = session.version
    session.take_action_of_seat_or_refuse(
        0, version, session.list_moves_seat_may_take_now(0)[0].ident
    )  # a choice on its way counts
    assert page(client, running_session, 0) == ["time is up"]  # and what is up stays up
    again = restore_session_and_repair_journal(next(tmp_path.glob("*.table")), ("tic_tac_toe",))
    assert again.clocks is not None
    assert again.clocks.left == {0: 0.0}
    run_apart(server_state.stop_all_tasks_and_workers())


def test_a_bot_plays_on_only_where_the_table_was_set_up_so(tmp_path: Path) -> None:
    server_state, _, running_session, time = begun(tmp_path, up=PLAYS_ON)
    session = running_session.session
    session.take_free_seat_and_get_token(1)
    assert not session.is_bot_standing_in

    async def waits() -> int:
        time.at += 61
        server_state._stop_run_out_clock_and_tell_all(running_session)
        assert running_session.bot_task is not None
        await running_session.bot_task
        steps = len(session.match.steps)
        await server_state.stop_all_tasks_and_workers()
        return steps

    # no process of its own
    server_state.thinkers.ask_worker_for_bot_action = chosen  # type: ignore[assignment,method-assign]
    assert run_apart(waits()) == 1
    assert session.match.actor == 1
    assert not session.is_bot_standing_in


async def chosen(variant: object, seed: int, bot: str, actions: list[int]) -> int:
    """The first free space."""
    return 0


@pytest.mark.parametrize(
    "wrong", [{"minutes": "-1"}, {"minutes": "x"}, {"minutes": "601"}, {"minutes": "1", "seconds": "3601"}]
)
def test_a_wrong_clock_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="expected 0 to"):
        parse_clock_settings_or_none(wrong)


def test_how_a_time_is_written() -> None:
    assert [format_clock_time(seconds) for seconds in (0.0, 0.2, 59.4, 60.0, 725.0)] == [
        "0:00",
        "0:01",
        "1:00",
        "1:00",
        "12:05",
    ]
    assert parse_clock_settings_or_none({"minutes": "0", "seconds": "5"}) is None


@contextmanager
def serving_here(folder: Path) -> Iterator[tuple[str, ServerState, TableApp]]:
    """A server in a thread of this process, whose clocks a test can set."""
    socket = open_listening_socket_or_raise("127.0.0.1", 0)
    host = f"127.0.0.1:{socket.getsockname()[1]}"
    site = TableApp(server_state := ServerState(("tic_tac_toe",), folder, pace=0), {host})
    running = make_uvicorn_server_not_running(site)
    thread = Thread(target=running.run, kwargs={"sockets": [socket]})
    thread.start()
    try:
        yield f"http://{host}", server_state, site
    finally:
        running.should_exit = True
        thread.join(30)


def test_a_clock_runs_out_before_the_eyes_of_two_people(browser: Browser, tmp_path: Path) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    expect.set_options(timeout=60_000)  # the bot's process may take long to start on a busy machine
    with serving_here(tmp_path) as (url, server_state, site):
        host, guest = (browser.new_context().new_page() for _ in range(2))
        host.goto(f"{url}{site.lobby_at}")
        host.locator("summary", has_text="clocks").click()
        host.locator("input[name=minutes]").fill("1")
        host.locator("select[name=up]").select_option(PLAYS_ON)
        host.locator("select[name=seat-01]").select_option("person")
        host.locator("button.big").click()
        guest.goto(url + str(host.locator("a.join").get_attribute("href")))
        guest.locator("button.big").click()
        (running_session,) = server_state.running_sessions.values()
        clocks, gone = running_session.session.clocks, Time()
        assert clocks is not None
        gone.at = 0.0
        clocks.now = lambda: monotonic() + gone.at
        gone.at += 57  # of the host's minute
        guest.locator("button", has_text="play with a clock").click()
        for page in (host, guest):  # both see both clocks; one runs down and stays at its end
            expect(page.locator("[role=timer]")).to_have_text([re.compile(r"0:0\d|time is up"), "1:00"])
            expect(page.locator(".clock").first).to_have_text("time is up")
        expect(guest.locator("#table")).to_have_attribute("data-turn", "own")  # a bot played for the host
        assert len(running_session.session.match.steps) == 1
        guest.locator("#deed button[name=move]").first.click()
        expect(guest.locator(".time output")).to_have_text("3/3")  # and again
        assert guest.locator(".clock").all_text_contents()[0] == "time is up"
        for page in (host, guest):
            page.context.close()
