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
    hall = ServerState(("tic_tac_toe",), folder, pace=0)
    desk = hall.start_session("tic_tac_toe", {}, {}, seats, 5, clock_settings=terms)
    for seat in list(desk.session.free_seats):
        desk.session.take_free_seat_and_get_token(seat)
    return hall, desk


async def until(holds: Callable[[], bool]) -> None:
    """Let other tasks run until something holds."""
    for _ in range(200):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never held")


def test_a_bot_acts_after_going_back_while_chances_are_reckoned(tmp_path: Path) -> None:
    async def evening() -> None:
        hall, desk = begin_table(tmp_path, "person", "random")
        sitting, reckoned, asked = desk.session, asyncio.Event(), list[int]()

        async def choose(variant: object, seed: int, bot: str, actions: list[int]) -> int:
            return sitting.match.play.legal(sitting.match.state)[0]

        async def reckon(variant: object, seed: int, actions: list[int]) -> WinChances:
            asked.append(len(actions))
            await reckoned.wait()
            return CHANCES

        hall.thinkers.ask_worker_for_bot_action = choose  # type: ignore[assignment,method-assign]  # no process of its own
        hall.thinkers.estimate_win_chances_of_finished_game = reckon  # type: ignore[assignment,method-assign]
        for _ in range(9):
            if sitting.match.over:
                break
            sitting.take_action_of_seat_or_refuse(0, sitting.version, sitting.list_moves_seat_may_take_now(0)[0].ident)
            hall.tell_listeners_and_start_pending_work(desk)
            await until(lambda: sitting.match.over or sitting.match.actor == 0)
        assert sitting.match.over
        await until(lambda: bool(asked))
        seen = sitting.version
        # alone among bots: it is done at once, and a bot must act
        sitting.propose_undo_or_branch(0, seen, "undo", 1)
        hall.tell_listeners_and_start_pending_work(desk)
        await until(lambda: len(sitting.match.steps) > 1)
        while not sitting.match.over:
            sitting.take_action_of_seat_or_refuse(0, sitting.version, sitting.list_moves_seat_may_take_now(0)[-1].ident)
            hall.tell_listeners_and_start_pending_work(desk)
            await until(lambda: sitting.match.over or sitting.match.actor == 0)
        reckoned.set()
        await until(lambda: sitting.chances is not None)
        assert len(asked) == 2, "the game that ended anew is looked at again"
        await hall.stop_all_tasks_and_workers()

    run_apart(evening())


def test_what_is_no_move_makes_no_choice_late(tmp_path: Path) -> None:
    _, desk = begin_table(tmp_path, "person", "person", terms=ClockSettings(5))
    sitting = desk.session
    others: list[Callable[[], object]] = [
        lambda: sitting.add_note_of_seat_or_spectator(1, "hello"),
        lambda: sitting.set_name_and_colour_of_person(1, "Bo"),
        lambda: sitting.give_or_remove_clock(1, True),
        lambda: sitting.free_seat_for_somebody_else(1),
        lambda: sitting.take_free_seat_and_get_token(1),
    ]
    for change in others:
        seen, before = sitting.version, sitting.changes
        change()
        assert sitting.changes > before, "pages are told"
        sitting.take_action_of_seat_or_refuse(
            sitting.match.actor, seen, sitting.list_moves_seat_may_take_now(sitting.match.actor)[0].ident
        )
    while not sitting.match.over:
        sitting.take_action_of_seat_or_refuse(
            sitting.match.actor, sitting.version, sitting.list_moves_seat_may_take_now(sitting.match.actor)[0].ident
        )
    seen = sitting.version
    sitting.set_win_chances_of_finished_game(CHANCES)
    sitting.propose_undo_or_branch(0, seen, "undo", 2)


def test_a_table_whose_clock_runs_is_not_forgotten(tmp_path: Path) -> None:
    """Its alarm would write to the journal beside the table that is restored in its place."""

    async def evening() -> None:
        hall, desk = begin_table(tmp_path, "person", "person", terms=ClockSettings(5))
        desk.session.give_or_remove_clock(0, True)
        hall.tell_listeners_and_start_pending_work(desk)
        assert desk.alarm is not None
        for _ in range(halls.MOST_IDLE + 2):
            hall.start_session("tic_tac_toe", {}, {}, ["person"], 1)
        assert hall.find_or_restore_session(desk.session.ident) is desk
        desk.session.give_or_remove_clock(0, False)
        hall.tell_listeners_and_start_pending_work(desk)
        for _ in range(halls.MOST_IDLE + 2):
            hall.start_session("tic_tac_toe", {}, {}, ["person"], 1)
        assert hall.find_or_restore_session(desk.session.ident) is not desk
        await hall.stop_all_tasks_and_workers()

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
