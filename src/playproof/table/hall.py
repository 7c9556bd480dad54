"""All tables of a server: how they start, return after a restart, and announce changes."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from weakref import WeakValueDictionary

from playproof.database.errors import InputError
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.registry import UnknownGame
from playproof.referee.bots import BotError, make_bot
from playproof.referee.errors import MoveError
from playproof.referee.variant import Variant
from playproof.table.bot_processes import Question, Thinkers, question
from playproof.table.clock import Terms
from playproof.table.face_drawer import FaceDrawer
from playproof.table.faces import Faces
from playproof.table.journal import forget_descriptions, restore
from playproof.table.page_updates import Listener
from playproof.table.placing import NoTable, Spread
from playproof.table.sitting import PERSON, STAND_IN, Refused, Sitting

MOST_TABLES = 300
MOST_WATCHING, MOST_OF_A_SEAT = 40, 8  # windows at one table: of all who watch, and of each seat
MOST_IDLE = 20  # unwatched tables in memory; others are restored from their journals on request
_MOST_VARIANTS = 24
_AT_ONCE = 12  # tables restored when the server starts
_TICK = 0.05  # seconds after which a clock is surely up
_HOUR, _DAY = 3_600, 86_400  # seconds
_IDENT = re.compile(r"[\w-]{4,20}", re.ASCII)
KNOWN = (BotError, InputError, OptionError, RulesError, UnknownGame)


@dataclass
class Printed:
    """A variant with its table and pictures. `spread` and `faces` are None if it has no printed
    table."""

    variant: Variant
    spread: Spread | None
    faces: Faces | None


@dataclass
class Desk:
    """A sitting with what the server keeps for it while it runs."""

    sitting: Sitting
    printed: Printed
    listeners: set[Listener] = field(default_factory=set)
    thinking: asyncio.Task[None] | None = None  # of the bots
    reckoning: asyncio.Task[None] | None = None  # of the chances over the finished game
    alarm: asyncio.TimerHandle | None = None  # rings when the clock that runs is up
    _made: tuple[tuple[int, int | None, int], dict[tuple[int | None, str], str]] | None = None

    @property
    def idle(self) -> bool:
        """Whether nobody looks, nothing is worked out, and no clock runs."""
        return not self.listeners and not self.tasks and self.alarm is None

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """What is worked out at this moment."""
        return [task for task in (self.thinking, self.reckoning) if task is not None and not task.done()]

    def stop(self) -> None:
        """End all work for this table, before it is forgotten: another in its place may write to its journal."""
        for task in self.tasks:
            task.cancel()
        self.stop_alarm()

    def stop_alarm(self) -> None:
        """Do not look again when the clock is up."""
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None

    def listen(self, seat: int | None) -> Listener | None:
        """Add a window of a seat (None: of somebody who watches).

        A seat always has a place: its own oldest window goes. Returns None if too many watch.
        """
        alike = [listener for listener in self.listeners if listener.seat == seat]
        if seat is None and len(alike) >= MOST_WATCHING:
            return None
        if len(alike) >= MOST_OF_A_SEAT and seat is not None:
            oldest = min(alike, key=lambda listener: listener.number)
            self.listeners.discard(oldest)
            oldest.dismiss()
        listener = Listener(seat)
        self.listeners.add(listener)
        return listener

    def changed(self) -> None:
        """Notify all listeners."""
        for listener in self.listeners:
            listener.changed.set()

    def part(self, reader: tuple[int | None, str], make: Callable[[], str]) -> str:
        """Return the changing part of a reader's page, made once per change of the table, and per second of a clock."""
        clocks = self.sitting.clocks
        second = int(clocks.now()) if clocks is not None and clocks.running is not None else 0
        present = self.sitting.changes, self.sitting.looking, second
        if self._made is None or self._made[0] != present:
            self._made = present, {}
        parts = self._made[1]
        if reader not in parts:
            parts[reader] = make()
        return parts[reader]


class Hall:
    """The tables. `folder` keeps their journals; None keeps nothing."""

    def __init__(
        self,
        refs: Sequence[str],
        folder: Path | None,
        *,
        pace: float = 0.35,
        workers: int | None = None,
        keep_days: int | None = None,
    ) -> None:
        """Restore the latest tables of `folder`. `pace` is how many seconds bots wait before
        they act, so that people can follow. Journals older than `keep_days` are deleted (None: never)."""
        self.keep_days = keep_days
        self.refs, self.folder, self.pace = tuple(refs), folder, pace
        self.desks: OrderedDict[str, Desk] = OrderedDict()
        self.thinkers = Thinkers(workers)
        self.complaints: list[str] = []
        self._printed: OrderedDict[Question, Printed] = OrderedDict()
        self._editions: WeakValueDictionary[str, Faces] = WeakValueDictionary()
        self.drawer = FaceDrawer()
        self.clean()
        if folder is not None and folder.is_dir():
            self._find_again(folder)

    def _find_again(self, folder: Path) -> None:
        """Restore the latest tables of an earlier run, the newest last. Older ones return when
        somebody asks for them."""
        latest = sorted(folder.glob("*.table"), key=lambda path: path.stat().st_mtime)[-_AT_ONCE:]
        for journal in latest:
            self._restored(journal)

    def find(self, ident: str) -> Desk | None:
        """Return the table of that name, restored from its journal if it is not in memory; None
        if there is none."""
        if ident in self.desks:
            self.desks.move_to_end(ident)  # the most recently used is forgotten last
            return self.desks[ident]
        if self.folder is None or not _IDENT.fullmatch(ident):
            return None
        journal = self.folder / f"{ident}.table"
        return self._restored(journal) if journal.is_file() and len(self.desks) < MOST_TABLES else None

    def clean(self) -> list[str]:
        """Delete the tables that nobody has touched for `keep_days`, and return their names. A table that somebody
        looks at stays."""
        if self.folder is None or self.keep_days is None or not self.folder.is_dir():
            return []
        oldest = time() - self.keep_days * _DAY
        gone = []
        for journal in sorted(self.folder.glob("*.table")):
            desk = self.desks.get(journal.stem)
            if journal.stat().st_mtime < oldest and (desk is None or desk.idle):
                self.desks.pop(journal.stem, None)
                journal.unlink()
                gone.append(journal.stem)
        forget_descriptions(self.folder)
        return gone

    async def cleaning(self) -> None:
        """Clean once an hour."""
        while self.keep_days is not None:
            await asyncio.sleep(_HOUR)
            self.clean()

    def _restored(self, journal: Path) -> Desk | None:
        try:
            return self._put(restore(journal, self.refs))
        except UnknownGame as error:
            self._complain(
                f"{journal.name} waits for its game: {error}; `playproof serve FOLDER` names its folder"
            )
            return None
        except (*KNOWN, MoveError, ValueError, KeyError, TypeError, OSError) as error:
            self._complain(f"{journal.name} cannot be gone on with: {str(error).splitlines()[0]}")
            return None

    def _complain(self, complaint: str) -> None:
        """Note what is wrong with a journal, once, however often somebody asks for its table."""
        if complaint not in self.complaints:
            self.complaints = [*self.complaints, complaint][-_AT_ONCE:]

    def printed(self, variant: Variant) -> Printed:
        """Return a variant's table and pictures, made once. Raises InputError, OptionError,
        RulesError or UnknownGame."""
        key = question(variant)
        if key in self._printed:
            self._printed.move_to_end(key)
            return self._printed[key]
        try:
            spread = Spread(variant)
            if variant.file:  # its cards may have gone, and its fields may have other names
                spread.scene(variant.play.start())
            faces = Faces(spread)
            # Chapters and player counts share their pictures.
            made = Printed(variant, spread, self._editions.setdefault(faces.edition, faces))
        except (NoTable, InputError) as error:
            if isinstance(error, InputError) and not variant.file:
                raise
            made = Printed(variant, None, None)
        self._printed[key] = made
        while len(self._printed) > _MOST_VARIANTS:
            self._printed.popitem(last=False)
        return made

    def printed_anew(self) -> None:
        """Forget printed tables after the files of a game have changed, so that new tables use
        the new files."""
        self._printed.clear()
        self.drawer.forget_entries()

    async def face(self, name: str) -> bytes | None:
        """Return a compressed picture by the hash of its content, or None."""
        faces = self._edition_with(name)
        return None if faces is None else await self.drawer.find_picture(faces, name)

    def face_words(self, name: str) -> str | None:
        """Return what a picture prints in words, its title first; None if there is no such picture."""
        faces = self._edition_with(name)
        return None if faces is None else faces.words(name)

    def _edition_with(self, name: str) -> Faces | None:
        return next((faces for faces in list(self._editions.values()) if faces.has(name)), None)

    def begin(
        self,
        ref: str,
        options: Mapping[str, str],
        rulings: Mapping[str, str],
        others: Sequence[str],
        seed: int,
        *,
        shared: bool = False,
        actions: Sequence[int] = (),
        paper: str = "",
        loose: Sequence[bool] = (),
        earlier: str = "",
        terms: Terms | None = None,
        file: str = "",
    ) -> Desk:
        """Start a new table. `others` says who plays each seat; if it is too short, its last
        entry fills the rest. With `paper` (ONE_PAGE or OWN_PAGES) all are people. `file` is as in Variant.
        Raises Refused."""
        if ref not in self.refs:
            raise Refused("there is no such game here")
        try:
            variant = Variant(ref, dict(options), dict(rulings), file)
            printed = self.printed(variant)
            count = printed.variant.game.players
            seats = [*others, *[others[-1]] * count][:count] if others else [PERSON] * count
            if paper:
                seats = [PERSON] * count
            for who in seats:
                if who != PERSON:
                    make_bot(who)
        except KNOWN as error:
            raise Refused(str(error)) from None
        if len(self.desks) >= MOST_TABLES:
            self._forget_one()
        sitting = Sitting.begin(
            printed.variant,
            seats,
            seed,
            shared=shared,
            folder=self.folder,
            actions=actions,
            paper=paper,
            loose=loose,
            earlier=earlier,
            terms=terms,
        )
        return self._put(sitting, printed)

    def _put(self, sitting: Sitting, printed: Printed | None = None) -> Desk:
        desk = Desk(sitting, printed or self.printed(sitting.variant))
        sitting.variant = desk.printed.variant  # one description per variant, however many tables
        sitting.match.variant = desk.printed.variant
        self.desks[sitting.ident] = desk
        self._leave_to_journals()
        return desk

    def _leave_to_journals(self) -> None:
        """Keep in memory the tables in use and a few more. Every move of the others is on disk."""
        if self.folder is None:
            return
        idle = [ident for ident, desk in self.desks.items() if desk.idle]
        for ident in idle[:-MOST_IDLE]:
            del self.desks[ident]

    def _forget_one(self) -> None:
        """Make room for a new table: remove the oldest that nobody looks at. Its journal stays.
        Raises Refused if all are watched."""
        idle = next((ident for ident, desk in self.desks.items() if not desk.listeners), None)
        if idle is None:
            raise Refused(f"there are {MOST_TABLES} tables under way")
        self.desks.pop(idle).stop()

    def go_on(self, desk: Desk) -> None:
        """Tell all that the table changed, and start a bot if it is its turn."""
        desk.changed()
        self.wake(desk)

    def _wind(self, desk: Desk) -> None:
        """Look again when the clock that runs is up: tell all, and play on if the table was set up so."""
        desk.stop_alarm()
        clocks = desk.sitting.clocks
        if clocks is None or clocks.running is None:
            return
        left = clocks.remaining(clocks.running)
        desk.alarm = asyncio.get_running_loop().call_later(left + _TICK, self._rings, desk)

    def _rings(self, desk: Desk) -> None:
        desk.alarm = None
        desk.sitting.rings()
        self.go_on(desk)

    def wake(self, desk: Desk) -> None:
        """Start a bot if it is its turn, and look back at a finished game. Tells nobody, because nothing has
        changed."""
        sitting = desk.sitting
        self._wind(desk)
        loop = asyncio.get_running_loop()
        if _next_bot(sitting) is not None and (desk.thinking is None or desk.thinking.done()):
            desk.thinking = loop.create_task(self._think(desk))
        if sitting.looks_back and (desk.reckoning is None or desk.reckoning.done()):
            desk.reckoning = loop.create_task(self._reckon(desk))

    async def _think(self, desk: Desk) -> None:
        """Let bots act one after the other until a person must. What happens meanwhile is seen after each choice, so
        that no wake is lost."""
        sitting = desk.sitting
        while (bot := _next_bot(sitting)) is not None:
            moment = sitting.moment
            ident = await self.thinkers.choose(
                sitting.variant, sitting.match.seed, bot, sitting.match.actions
            )
            if self.pace:
                await asyncio.sleep(self.pace)
            if sitting.bot_acts(moment, ident):
                self.go_on(desk)

    async def _reckon(self, desk: Desk) -> None:
        """Let a worker find out how the chances went over the finished game; again if people went back meanwhile, and
        it has ended anew."""
        sitting = desk.sitting
        while sitting.looks_back:
            actions = sitting.match.actions
            chances = await self.thinkers.reckon(sitting.variant, sitting.match.seed, actions)
            if sitting.match.actions == actions:
                sitting.reckoned(chances)
                desk.changed()

    async def close(self) -> None:
        """Stop all bots, and the drawing of pictures."""
        await self.drawer.close()
        tasks = [task for desk in self.desks.values() for task in desk.tasks]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        for desk in self.desks.values():
            desk.stop()
        self.thinkers.close()


def _next_bot(sitting: Sitting) -> str | None:
    """Return the bot that acts now: one at its own seat, or one that plays on for a person."""
    return sitting.bot or (STAND_IN if sitting.plays_on else None)
