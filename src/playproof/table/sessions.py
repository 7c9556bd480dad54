"""All tables of a server: how they start, return after a restart by their journals, and announce
changes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import time
from typing import Any
from weakref import WeakValueDictionary

from playproof.database.errors import InputError
from playproof.database.source import read_plain_file
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.registry import UnknownGame
from playproof.referee.bots import BotError, make_bot
from playproof.referee.errors import MoveError
from playproof.referee.match import Match
from playproof.referee.recorded_games import RecordedGame, describe_changed_digest, find_recorded_game
from playproof.referee.reported_match import ReportedMatch
from playproof.referee.variant import Variant
from playproof.table.bot_processes import BotPool, VariantKey, make_variant_key
from playproof.table.drawing_process import FaceDrawer
from playproof.table.faces import FacePictures
from playproof.table.game_session import OWN_PAGES, PERSON, STAND_IN, GameSession, RequestRefused
from playproof.table.session_records import (
    DESCRIPTIONS,
    ClockSettings,
    Note,
    Person,
    SeatClocks,
    get_description_path,
)
from playproof.table.table_layout import NoTable, TableLayout
from playproof.table.web_exchange import Listener

# -- hall ----------------------------------------------------------------------------------------------------
# All tables of a server: how they start, return after a restart, and announce changes.

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
class PrintedVariant:
    """A variant with its table and pictures. `layout` and `pictures` are None if it has no printed
    table."""

    variant: Variant
    layout: TableLayout | None
    pictures: FacePictures | None


@dataclass
class RunningSession:
    """A sitting with what the server keeps for it while it runs."""

    session: GameSession
    printed_variant: PrintedVariant
    listeners: set[Listener] = field(default_factory=set)
    bot_task: asyncio.Task[None] | None = None  # of the bots
    chances_task: asyncio.Task[None] | None = None  # of the chances over the finished game
    alarm: asyncio.TimerHandle | None = None  # rings when the clock that runs is up
    _made: tuple[tuple[int, int | None, int], dict[tuple[int | None, str], str]] | None = None

    @property
    def idle(self) -> bool:
        """Whether nobody looks, nothing is worked out, and no clock runs."""
        return not self.listeners and not self.tasks and self.alarm is None

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """What is worked out at this moment."""
        return [task for task in (self.bot_task, self.chances_task) if task is not None and not task.done()]

    def cancel_tasks(self) -> None:
        """End all work for this table, before it is forgotten: another in its place may write to its journal."""
        for task in self.tasks:
            task.cancel()
        self.cancel_alarm()

    def cancel_alarm(self) -> None:
        """Do not look again when the clock is up."""
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None

    def add_listener(self, seat: int | None) -> Listener | None:
        """Add a window of a seat (None: of somebody who watches).

        A seat always has a place: its own oldest window goes. Returns None if too many watch.
        """
        alike = [listener for listener in self.listeners if listener.seat == seat]
        if seat is None and len(alike) >= MOST_WATCHING:
            return None
        if len(alike) >= MOST_OF_A_SEAT and seat is not None:
            oldest = min(alike, key=lambda listener: listener.number)
            self.listeners.discard(oldest)
            oldest.dismiss_window()
        listener = Listener(seat)
        self.listeners.add(listener)
        return listener

    def notify_listeners(self) -> None:
        """Notify all listeners."""
        for listener in self.listeners:
            listener.changed.set()

    def get_cached_part(self, reader: tuple[int | None, str], render: Callable[[], str]) -> str:
        """Return the changing part of a reader's page, made once per change of the table, and per second of a clock."""
        clocks = self.session.clocks
        second = int(clocks.now()) if clocks is not None and clocks.running is not None else 0
        present = self.session.changes, self.session.seat_at_screen, second
        if self._made is None or self._made[0] != present:
            self._made = present, {}
        parts = self._made[1]
        if reader not in parts:
            parts[reader] = render()
        return parts[reader]


class ServerState:
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
        self.desks: OrderedDict[str, RunningSession] = OrderedDict()
        self.thinkers = BotPool(workers)
        self.complaints: list[str] = []
        self._printed: OrderedDict[VariantKey, PrintedVariant] = OrderedDict()
        self._editions: WeakValueDictionary[str, FacePictures] = WeakValueDictionary()
        self.drawer = FaceDrawer()
        self.delete_old_journals()
        if folder is not None and folder.is_dir():
            self._restore_latest_sessions(folder)

    def _restore_latest_sessions(self, folder: Path) -> None:
        """Restore the latest tables of an earlier run, the newest last. Older ones return when
        somebody asks for them."""
        latest = sorted(folder.glob("*.table"), key=lambda path: path.stat().st_mtime)[-_AT_ONCE:]
        for journal in latest:
            self._restore_from_journal(journal)

    def find_session(self, ident: str) -> RunningSession | None:
        """Return the table of that name, restored from its journal if it is not in memory; None
        if there is none."""
        if ident in self.desks:
            self.desks.move_to_end(ident)  # the most recently used is forgotten last
            return self.desks[ident]
        if self.folder is None or not _IDENT.fullmatch(ident):
            return None
        journal = self.folder / f"{ident}.table"
        return (
            self._restore_from_journal(journal)
            if journal.is_file() and len(self.desks) < MOST_TABLES
            else None
        )

    def delete_old_journals(self) -> list[str]:
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
        delete_unused_descriptions(self.folder)
        return gone

    async def delete_old_journals_hourly(self) -> None:
        """Clean once an hour."""
        while self.keep_days is not None:
            await asyncio.sleep(_HOUR)
            self.delete_old_journals()

    def _restore_from_journal(self, journal: Path) -> RunningSession | None:
        try:
            return self._add_session(restore_session(journal, self.refs))
        except UnknownGame as error:
            self._add_complaint(
                f"{journal.name} waits for its game: {error}; `playproof serve FOLDER` names its folder"
            )
            return None
        except (*KNOWN, MoveError, ValueError, KeyError, TypeError, OSError) as error:
            self._add_complaint(f"{journal.name} cannot be gone on with: {str(error).splitlines()[0]}")
            return None

    def _add_complaint(self, complaint: str) -> None:
        """Note what is wrong with a journal, once, however often somebody asks for its table."""
        if complaint not in self.complaints:
            self.complaints = [*self.complaints, complaint][-_AT_ONCE:]

    def get_printed_variant(self, variant: Variant) -> PrintedVariant:
        """Return a variant's table and pictures, made once. Raises InputError, OptionError,
        RulesError or UnknownGame."""
        key = make_variant_key(variant)
        if key in self._printed:
            self._printed.move_to_end(key)
            return self._printed[key]
        try:
            spread = TableLayout(variant)
            if variant.file:  # its cards may have gone, and its fields may have other names
                spread.make_scene(variant.play.start())
            faces = FacePictures(spread)
            # Chapters and player counts share their pictures.
            made = PrintedVariant(variant, spread, self._editions.setdefault(faces.edition, faces))
        except (NoTable, InputError) as error:
            if isinstance(error, InputError) and not variant.file:
                raise
            made = PrintedVariant(variant, None, None)
        self._printed[key] = made
        while len(self._printed) > _MOST_VARIANTS:
            self._printed.popitem(last=False)
        return made

    def forget_printed_variants(self) -> None:
        """Forget printed tables after the files of a game have changed, so that new tables use
        the new files."""
        self._printed.clear()
        self.drawer.forget_entries()

    async def get_compressed_picture(self, name: str) -> bytes | None:
        """Return a compressed picture by the hash of its content, or None."""
        faces = self._find_edition_with_picture(name)
        return None if faces is None else await self.drawer.wait_for_picture(faces, name)

    def get_printed_words(self, name: str) -> str | None:
        """Return what a picture prints in words, its title first; None if there is no such picture."""
        faces = self._find_edition_with_picture(name)
        return None if faces is None else faces.get_printed_words(name)

    def _find_edition_with_picture(self, name: str) -> FacePictures | None:
        return next((faces for faces in list(self._editions.values()) if faces.has_picture(name)), None)

    def start_session(
        self,
        ref: str,
        options: Mapping[str, str],
        rulings: Mapping[str, str],
        players: Sequence[str],
        seed: int,
        *,
        shared: bool = False,
        actions: Sequence[int] = (),
        paper: str = "",
        supposed_steps: Sequence[bool] = (),
        earlier: str = "",
        clock_settings: ClockSettings | None = None,
        file: str = "",
    ) -> RunningSession:
        """Start a new table. `others` says who plays each seat; if it is too short, its last
        entry fills the rest. With `paper` (ONE_PAGE or OWN_PAGES) all are people. `file` is as in Variant.
        Raises Refused."""
        if ref not in self.refs:
            raise RequestRefused("there is no such game here")
        try:
            variant = Variant(ref, dict(options), dict(rulings), file)
            printed = self.get_printed_variant(variant)
            count = printed.variant.game.players
            seats = [*players, *[players[-1]] * count][:count] if players else [PERSON] * count
            if paper:
                seats = [PERSON] * count
            for who in seats:
                if who != PERSON:
                    make_bot(who)
        except KNOWN as error:
            raise RequestRefused(str(error)) from None
        if len(self.desks) >= MOST_TABLES:
            self._drop_oldest_unwatched_session()
        sitting = GameSession.start_new(
            printed.variant,
            seats,
            seed,
            shared=shared,
            folder=self.folder,
            actions=actions,
            paper=paper,
            supposed_steps=supposed_steps,
            earlier=earlier,
            clock_settings=clock_settings,
        )
        return self._add_session(sitting, printed)

    def _add_session(self, session: GameSession, printed: PrintedVariant | None = None) -> RunningSession:
        desk = RunningSession(session, printed or self.get_printed_variant(session.variant))
        session.variant = desk.printed_variant.variant  # one description per variant, however many tables
        session.match.variant = desk.printed_variant.variant
        self.desks[session.ident] = desk
        self._drop_idle_sessions()
        return desk

    def _drop_idle_sessions(self) -> None:
        """Keep in memory the tables in use and a few more. Every move of the others is on disk."""
        if self.folder is None:
            return
        idle = [ident for ident, desk in self.desks.items() if desk.idle]
        for ident in idle[:-MOST_IDLE]:
            del self.desks[ident]

    def _drop_oldest_unwatched_session(self) -> None:
        """Make room for a new table: remove the oldest that nobody looks at. Its journal stays.
        Raises Refused if all are watched."""
        idle = next((ident for ident, desk in self.desks.items() if not desk.listeners), None)
        if idle is None:
            raise RequestRefused(f"there are {MOST_TABLES} tables under way")
        self.desks.pop(idle).cancel_tasks()

    def announce_change(self, running_session: RunningSession) -> None:
        """Tell all that the table changed, and start a bot if it is its turn."""
        running_session.notify_listeners()
        self.start_pending_work(running_session)

    def _set_clock_alarm(self, running_session: RunningSession) -> None:
        """Look again when the clock that runs is up: tell all, and play on if the table was set up so."""
        running_session.cancel_alarm()
        clocks = running_session.session.clocks
        if clocks is None or clocks.running is None:
            return
        left = clocks.get_remaining_seconds(clocks.running)
        running_session.alarm = asyncio.get_running_loop().call_later(
            left + _TICK, self._handle_clock_alarm, running_session
        )

    def _handle_clock_alarm(self, running_session: RunningSession) -> None:
        running_session.alarm = None
        running_session.session.stop_clock_if_run_out()
        self.announce_change(running_session)

    def start_pending_work(self, running_session: RunningSession) -> None:
        """Start a bot if it is its turn, and look back at a finished game. Tells nobody, because nothing has
        changed."""
        sitting = running_session.session
        self._set_clock_alarm(running_session)
        loop = asyncio.get_running_loop()
        if _find_bot_to_act(sitting) is not None and (
            running_session.bot_task is None or running_session.bot_task.done()
        ):
            running_session.bot_task = loop.create_task(self._let_bots_act(running_session))
        if sitting.needs_chances and (
            running_session.chances_task is None or running_session.chances_task.done()
        ):
            running_session.chances_task = loop.create_task(self._estimate_chances(running_session))

    async def _let_bots_act(self, running_session: RunningSession) -> None:
        """Let bots act one after the other until a person must. What happens meanwhile is seen after each choice, so
        that no wake is lost."""
        sitting = running_session.session
        while (bot := _find_bot_to_act(sitting)) is not None:
            moment = sitting.bot_moment
            ident = await self.thinkers.choose_action(
                sitting.variant, sitting.match.seed, bot, sitting.match.actions
            )
            if self.pace:
                await asyncio.sleep(self.pace)
            if sitting.take_bot_action(moment, ident):
                self.announce_change(running_session)

    async def _estimate_chances(self, running_session: RunningSession) -> None:
        """Let a worker find out how the chances went over the finished game; again if people went back meanwhile, and
        it has ended anew."""
        sitting = running_session.session
        while sitting.needs_chances:
            actions = sitting.match.actions
            chances = await self.thinkers.estimate_chances(sitting.variant, sitting.match.seed, actions)
            if sitting.match.actions == actions:
                sitting.set_chances(chances)
                running_session.notify_listeners()

    async def stop_all_tasks(self) -> None:
        """Stop all bots, and the drawing of pictures."""
        await self.drawer.close()
        tasks = [task for desk in self.desks.values() for task in desk.tasks]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        for desk in self.desks.values():
            desk.cancel_tasks()
        self.thinkers.stop_workers()


def _find_bot_to_act(session: GameSession) -> str | None:
    """Return the bot that acts now: one at its own seat, or one that plays on for a person."""
    return session.bot or (STAND_IN if session.is_bot_standing_in else None)


# -- journal -------------------------------------------------------------------------------------------------
# Restore a table from its journal, by repeating each recorded change.

_TABLE = "the table"  # who writes a note that nobody at the table wrote
_KEPT = "this table goes on with the rules that it began with"
_MOST_BYTES = 16_000_000
"""The largest journal that is read: a table records some fifty bytes per move."""


def restore_session(journal: Path, refs: Sequence[str] = ()) -> GameSession:
    """Return the table of a journal, without a last line that was cut short.

    The journal names its game and never says whose rules are run: they are those of a game in
    `refs`, which the person who starts the server has named, or of a bundled game. If these have
    changed since the game began, it goes on by the description that it began with, and a note
    at the table says so. Raises UnknownGame if there is no such game, MoveError for a move that is not
    legal, and ValueError if the journal is wrong otherwise or the description has gone.
    """
    whole = read_plain_file(journal, _MOST_BYTES).split(b"\n")
    lines = [json.loads(line) for line in whole[:-1]]  # the last is empty, or was cut short
    if not lines:
        raise ValueError(f"{journal}: the journal is empty")
    first, *rest = lines
    digest, options, rulings = str(first.get("description", "")), first["options"], first["rulings"]
    variant = Variant(
        find_recorded_game(RecordedGame(str(first["game"]), digest, options, rulings), refs), options, rulings
    )
    description = get_description_path(journal.parent, digest)
    try:
        changed = describe_changed_digest(variant, digest)
    except (OptionError, RulesError) as error:
        changed = f"the rules cannot be read now ({str(error).splitlines()[0]})"
    if changed:
        if not description.is_file():
            raise ValueError(f"PP608 {changed}")
        variant = replace(variant, file=str(description))
        if variant.digest != digest:
            raise ValueError(f"{description.name} does not have the digest that it is named by")
    match = Match(variant, first["seed"], seats=first["seats"])
    sitting = GameSession(
        first["table"],
        variant,
        tuple(first["seats"]),
        match,
        first["tokens"],
        first["invite"],
        first["watch"],
        first["shared"],
    )
    sitting.earlier = str(first.get("earlier", ""))
    if first.get("paper"):
        sitting.reported_match = ReportedMatch(match, apart=first["paper"] == OWN_PAGES)
    elif first.get("clocks"):
        sitting.clocks = SeatClocks(ClockSettings(*first["clocks"]))
    for line in rest:
        _replay_journal_line(sitting, line)
    if whole[-1]:  # cut short: begin the next line on a line of its own
        with journal.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in whole[:-1]))
    sitting.journal = journal
    if sitting.reported_match is None:
        match.start_timing()  # what came before is not known
    if changed:
        sitting.notes.append(Note(len(sitting.match.steps), _TABLE, f"PP608 {changed}; {_KEPT}"))
    sitting.settle_chance_actions()
    # New version numbers are above all that anybody saw before.
    sitting.version += 1_000_000 + 10 * len(lines)
    sitting.changes += sitting.version
    return sitting


def delete_unused_descriptions(folder: Path) -> None:
    """Delete the descriptions that no journal of a folder names."""
    begun = [_read_first_line(path) for path in folder.glob("*.table")]
    for file in (folder / DESCRIPTIONS).glob("*.json"):
        if not any(file.stem.encode() in line for line in begun):
            file.unlink()


def _read_first_line(journal: Path) -> bytes:
    with journal.open("rb") as file:
        return file.readline(_MOST_BYTES)


def _replay_journal_line(session: GameSession, line: Mapping[str, Any]) -> None:
    if "again" in line and session.reported_match is not None:
        session.reported_match.replace_history(
            [*session.match.actions[: int(line["again"])], *map(int, line["do"])]
        )
    elif "do" in line and session.reported_match is not None:
        session.reported_match.take_action(int(line["do"]), supposed=bool(line.get("loose")))
    elif "do" in line:
        session.early_choices.pop(session.match.actor, None)
        session.match.apply(int(line["do"]))
    elif "early" in line:
        seat, ident = line["early"]
        session.early_choices[int(seat)] = int(ident)
    elif "bot" in line:
        session.replace_player_by_bot(int(line["bot"][0]), str(line["bot"][1]))
    elif "decided" in line:
        session.decided = True
    elif "back" in line:
        session.go_back_to_step(int(line["back"]), int(line["seed"]) if "seed" in line else None)
    elif "token" in line:
        seat, token = line["token"]
        session.set_seat_token(seat, token, opener=bool(line.get("opener")))
    elif "branch" in line:
        session.add_branch(*line["branch"])
    elif "following" in line:
        session.following = str(line["following"])
    elif "note" in line:
        session.notes.append(Note(*line["note"]))
    elif "wish" in line and session.clocks is not None:
        session.clocks.give_or_remove_clock(int(line["wish"][0]), bool(line["wish"][1]))
    elif "left" in line and session.clocks is not None:
        session.clocks.left[int(line["left"][0])] = float(line["left"][1])
    elif "person" in line:
        seat, name, colour = line["person"]
        session.persons[int(seat)] = Person(str(name), int(colour))
