"""What goes on behind a table, as chances, names and clocks do: it makes no choice late and puts no bot to sleep."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.referee.variant import Variant
from playproof.table import sessions as halls
from playproof.table.bot_processes import BotPool, WinChances, WorkerPool, estimate_win_chances_in_worker
from playproof.table.session_records import ClockSettings
from playproof.table.sessions import RunningSession, ServerState
from tests.table.apart import run_apart

CHANCES = WinChances((0,), ((0.5, 0.5),), 20, "random")


def begin_table(folder: Path, *seats: str, terms: ClockSettings | None = None) -> tuple[ServerState, RunningSession]:
    server_state = ServerState(("tic_tac_toe",), folder, pace=0)
    running_session = server_state.start_session_or_refuse("tic_tac_toe", {}, {}, seats, 5, clock_settings=terms)
    for seat in list(running_session.session.free_seats):
        running_session.session.take_free_seat_and_get_token(seat)
    return server_state, running_session


async def until(holds: Callable[[], bool]) -> None:
    """Let other tasks run until something holds."""
    for _ in range(200):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never held")


def test_a_bot_acts_after_going_back_while_chances_are_reckoned(tmp_path: Path) -> None:
    async def evening() -> None:
        server_state, running_session = begin_table(tmp_path, "person", "random")
        session, reckoned, asked = running_session.session, asyncio.Event(), list[int]()

        async def choose(variant: object, seed: int, bot: str, actions: list[int]) -> int:
            return session.match.play.legal(session.match.state)[0]

        async def reckon(variant: object, seed: int, actions: list[int]) -> WinChances:
            asked.append(len(actions))
            await reckoned.wait()
            return CHANCES

        # no process of its own
        server_state.thinkers.ask_worker_for_bot_action = choose  # type: ignore[assignment,method-assign]
        server_state.thinkers.estimate_win_chances_of_finished_game = reckon  # type: ignore[assignment,method-assign]
        for _ in range(9):
            if session.match.over:
                break
            session.take_action_of_seat_or_refuse(0, session.version, session.list_moves_seat_may_take_now(0)[0].ident)
            server_state.tell_listeners_and_start_pending_work(running_session)
            await until(lambda: session.match.over or session.match.actor == 0)
        assert session.match.over
        await until(lambda: bool(asked))
        seen = session.version
        # alone among bots: it is done at once, and a bot must act
        session.propose_and_get_proposal_if_agreed(0, seen, "undo", 1)
        server_state.tell_listeners_and_start_pending_work(running_session)
        await until(lambda: len(session.match.steps) > 1)
        while not session.match.over:
            session.take_action_of_seat_or_refuse(0, session.version, session.list_moves_seat_may_take_now(0)[-1].ident)
            server_state.tell_listeners_and_start_pending_work(running_session)
            await until(lambda: session.match.over or session.match.actor == 0)
        reckoned.set()
        await until(lambda: session.chances is not None)
        assert len(asked) == 2, "the game that ended anew is looked at again"
        await server_state.stop_all_tasks_and_workers()

    run_apart(evening())


def test_what_is_no_move_makes_no_choice_late(tmp_path: Path) -> None:
    _, running_session = begin_table(tmp_path, "person", "person", terms=ClockSettings(5))
    session = running_session.session
    others: list[Callable[[], object]] = [
        lambda: session.add_note_or_refuse(1, "hello"),
        lambda: session.set_name_and_colour_or_refuse(1, "Bo"),
        lambda: session.give_or_remove_clock_or_refuse(1, True),
        lambda: session.vacate_seat_for_somebody_else(1),
        lambda: session.take_free_seat_and_get_token(1),
    ]
    for change in others:
        seen, before = session.version, session.changes
        change()
        assert session.changes > before, "pages are told"
        session.take_action_of_seat_or_refuse(
            session.match.actor, seen, session.list_moves_seat_may_take_now(session.match.actor)[0].ident
        )
    while not session.match.over:
        session.take_action_of_seat_or_refuse(
            session.match.actor, session.version, session.list_moves_seat_may_take_now(session.match.actor)[0].ident
        )
    seen = session.version
    session.set_win_chances_of_finished_game(CHANCES)
    session.propose_and_get_proposal_if_agreed(0, seen, "undo", 2)


def test_a_table_whose_clock_runs_is_not_forgotten(tmp_path: Path) -> None:
    """Its alarm would write to the journal beside the table that is restored in its place."""

    async def evening() -> None:
        server_state, running_session = begin_table(tmp_path, "person", "person", terms=ClockSettings(5))
        running_session.session.give_or_remove_clock_or_refuse(0, True)
        server_state.tell_listeners_and_start_pending_work(running_session)
        assert running_session.alarm is not None
        for _ in range(halls.MOST_IDLE + 2):
            server_state.start_session_or_refuse("tic_tac_toe", {}, {}, ["person"], 1)
        assert server_state.find_or_restore_session(running_session.session.ident) is running_session
        running_session.session.give_or_remove_clock_or_refuse(0, False)
        server_state.tell_listeners_and_start_pending_work(running_session)
        for _ in range(halls.MOST_IDLE + 2):
            server_state.start_session_or_refuse("tic_tac_toe", {}, {}, ["person"], 1)
        assert server_state.find_or_restore_session(running_session.session.ident) is not running_session
        await server_state.stop_all_tasks_and_workers()

    run_apart(evening())


def test_no_bot_waits_for_the_chances_of_a_finished_game(monkeypatch: pytest.MonkeyPatch) -> None:
    async def evening() -> None:
        locks, ended = defaultdict[WorkerPool, asyncio.Lock](asyncio.Lock), asyncio.Event()

        async def run(pool: WorkerPool, work: Callable[..., object], *_: object) -> object:
            async with locks[pool]:  # as one process, which does one thing after the other
                return await ended.wait() if work is estimate_win_chances_in_worker else 7

        monkeypatch.setattr(WorkerPool, "run_in_worker_retrying_once", run)
        pool, variant = BotPool(1), Variant("tic_tac_toe")
        reckoning = asyncio.create_task(pool.estimate_win_chances_of_finished_game(variant, 5, []))
        await asyncio.sleep(0)
        assert await asyncio.wait_for(pool.ask_worker_for_bot_action(variant, 5, "random", []), 60) == 7
        ended.set()
        assert await reckoning

    run_apart(evening())
