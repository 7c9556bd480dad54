"""What goes on behind a table, as chances, names and clocks do: it makes no choice late and puts no bot to sleep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from playproof.table import hall as halls
from playproof.table.chances import Chances
from playproof.table.clock import Terms
from playproof.table.hall import Desk, Hall
from tests.table.apart import run_apart

CHANCES = Chances((0,), ((0.5, 0.5),), 20, "random")


def begin_table(folder: Path, *seats: str, terms: Terms | None = None) -> tuple[Hall, Desk]:
    hall = Hall(("tic_tac_toe",), folder, pace=0)
    desk = hall.begin("tic_tac_toe", {}, {}, seats, 5, terms=terms)
    for seat in list(desk.sitting.free):
        desk.sitting.sit_down(seat)
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
        sitting, reckoned, asked = desk.sitting, asyncio.Event(), list[int]()

        async def choose(variant: object, seed: int, bot: str, actions: list[int]) -> int:
            return sitting.match.play.legal(sitting.match.state)[0]

        async def reckon(variant: object, seed: int, actions: list[int]) -> Chances:
            asked.append(len(actions))
            await reckoned.wait()
            return CHANCES

        hall.thinkers.choose = choose  # type: ignore[assignment,method-assign]  # no process of its own
        hall.thinkers.reckon = reckon  # type: ignore[assignment,method-assign]
        for _ in range(9):
            if sitting.match.over:
                break
            sitting.act(0, sitting.version, sitting.legal(0)[0].ident)
            hall.go_on(desk)
            await until(lambda: sitting.match.over or sitting.match.actor == 0)
        assert sitting.match.over
        await until(lambda: bool(asked))
        seen = sitting.version
        sitting.propose(0, seen, "undo", 1)  # alone among bots: it is done at once, and a bot must act
        hall.go_on(desk)
        await until(lambda: len(sitting.match.steps) > 1)
        while not sitting.match.over:
            sitting.act(0, sitting.version, sitting.legal(0)[-1].ident)
            hall.go_on(desk)
            await until(lambda: sitting.match.over or sitting.match.actor == 0)
        reckoned.set()
        await until(lambda: sitting.chances is not None)
        assert len(asked) == 2, "the game that ended anew is looked at again"
        await hall.close()

    run_apart(evening())


def test_what_is_no_move_makes_no_choice_late(tmp_path: Path) -> None:
    _, desk = begin_table(tmp_path, "person", "person", terms=Terms(5))
    sitting = desk.sitting
    others: list[Callable[[], object]] = [
        lambda: sitting.note(1, "hello"),
        lambda: sitting.introduce(1, "Bo"),
        lambda: sitting.wish(1, True),
        lambda: sitting.stand_up(1),
        lambda: sitting.sit_down(1),
    ]
    for change in others:
        seen, before = sitting.version, sitting.changes
        change()
        assert sitting.changes > before, "pages are told"
        sitting.act(sitting.match.actor, seen, sitting.legal(sitting.match.actor)[0].ident)
    while not sitting.match.over:
        sitting.act(sitting.match.actor, sitting.version, sitting.legal(sitting.match.actor)[0].ident)
    seen = sitting.version
    sitting.reckoned(CHANCES)
    sitting.propose(0, seen, "undo", 2)


def test_a_table_whose_clock_runs_is_not_forgotten(tmp_path: Path) -> None:
    """Its alarm would write to the journal beside the table that is restored in its place."""

    async def evening() -> None:
        hall, desk = begin_table(tmp_path, "person", "person", terms=Terms(5))
        desk.sitting.wish(0, True)
        hall.go_on(desk)
        assert desk.alarm is not None
        for _ in range(halls.MOST_IDLE + 2):
            hall.begin("tic_tac_toe", {}, {}, ["person"], 1)
        assert hall.find(desk.sitting.ident) is desk
        desk.sitting.wish(0, False)
        hall.go_on(desk)
        for _ in range(halls.MOST_IDLE + 2):
            hall.begin("tic_tac_toe", {}, {}, ["person"], 1)
        assert hall.find(desk.sitting.ident) is not desk
        await hall.close()

    run_apart(evening())
