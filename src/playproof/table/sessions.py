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
from playproof.database.source import read_limited_plain_file_or_raise
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.registry import UnknownGame
from playproof.referee.bots import BotError, make_bot
from playproof.referee.errors import MoveError
from playproof.referee.match import Match
from playproof.referee.recorded_games import (
    RecordedGame,
    describe_digest_change_or_empty,
    find_game_reference_of_record_or_raise,
)
from playproof.referee.reported_match import ReportedMatch
from playproof.referee.variant import Variant
from playproof.table.bot_processes import BotPool, VariantKey, make_hashable_key_of_variant
from playproof.table.drawing_process import FaceDrawer
from playproof.table.faces import FacePictures
from playproof.table.game_session import OWN_PAGES, GameSession
from playproof.table.session_records import (
    DESCRIPTIONS,
    ClockSettings,
    Note,
    Person,
    SeatClocks,
    get_path_of_stored_description,
)
from playproof.table.session_seats import PERSON, STAND_IN, RequestRefused
from playproof.table.table_layout import NoTable, TableLayout
from playproof.table.web_exchange import Listener

# -- running sessions ------------------------------------------------------------------------------------------
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
    """A game session with what the server keeps for it while it runs."""

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

    def cancel_all_tasks_and_alarm(self) -> None:
        """End all work for this table, before it is forgotten: another in its place may write to its journal."""
        for task in self.tasks:
            task.cancel()
        self.cancel_clock_alarm()

    def cancel_clock_alarm(self) -> None:
        """Do not look again when the clock is up."""
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None

    def add_listener_dismissing_oldest_or_none(self, seat: int | None) -> Listener | None:
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

    def tell_listeners_of_change(self) -> None:
        """Notify all listeners."""
        for listener in self.listeners:
            listener.changed.set()

    def get_cached_or_render_html_for_reader(
        self, seat_and_view: tuple[int | None, str], render_html: Callable[[], str]
    ) -> str:
        """Return the changing part of a reader's page, made once per change of the table, and per second of a clock."""
        clocks = self.session.clocks
        second = int(clocks.now()) if clocks is not None and clocks.running is not None else 0
        present = self.session.changes, self.session.seat_at_screen, second
        if self._made is None or self._made[0] != present:
            self._made = present, {}
        parts = self._made[1]
        if seat_and_view not in parts:
            parts[seat_and_view] = render_html()
        return parts[seat_and_view]


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
        self.running_sessions: OrderedDict[str, RunningSession] = OrderedDict()
        self.thinkers = BotPool(workers)
        self.complaints: list[str] = []
        self._printed: OrderedDict[VariantKey, PrintedVariant] = OrderedDict()
        self._editions: WeakValueDictionary[str, FacePictures] = WeakValueDictionary()
        self.drawer = FaceDrawer()
        self.delete_old_journals_and_unused_descriptions()
        if folder is not None and folder.is_dir():
            self._restore_latest_sessions(folder)

    def _restore_latest_sessions(self, journal_folder: Path) -> None:
        """Restore the latest tables of an earlier run, the newest last. Older ones return when
        somebody asks for them."""
        latest = sorted(journal_folder.glob("*.table"), key=lambda path: path.stat().st_mtime)[-_AT_ONCE:]
        for journal in latest:
            self._restore_session_or_note_complaint(journal)

    def find_or_restore_session(self, session_id: str) -> RunningSession | None:
        """Return the table of that name, restored from its journal if it is not in memory; None
        if there is none."""
        if session_id in self.running_sessions:
            self.running_sessions.move_to_end(session_id)  # the most recently used is forgotten last
            return self.running_sessions[session_id]
        if self.folder is None or not _IDENT.fullmatch(session_id):
            return None
        journal = self.folder / f"{session_id}.table"
        return (
            self._restore_session_or_note_complaint(journal)
            if journal.is_file() and len(self.running_sessions) < MOST_TABLES
            else None
        )

    def delete_old_journals_and_unused_descriptions(self) -> list[str]:
        """Delete the tables that nobody has touched for `keep_days`, and return their names. A table that somebody
        looks at stays."""
        if self.folder is None or self.keep_days is None or not self.folder.is_dir():
            return []
        oldest = time() - self.keep_days * _DAY
        gone = []
        for journal in sorted(self.folder.glob("*.table")):
            running_session = self.running_sessions.get(journal.stem)
            if journal.stat().st_mtime < oldest and (running_session is None or running_session.idle):
                self.running_sessions.pop(journal.stem, None)
                journal.unlink()
                gone.append(journal.stem)
        delete_unreferenced_descriptions(self.folder)
        return gone

    async def keep_deleting_old_journals_hourly(self) -> None:
        """Clean once an hour."""
        while self.keep_days is not None:
            await asyncio.sleep(_HOUR)
            self.delete_old_journals_and_unused_descriptions()

    def _restore_session_or_note_complaint(self, journal: Path) -> RunningSession | None:
        try:
            return self._add_session_and_drop_idle_ones(restore_session_and_repair_journal(journal, self.refs))
        except UnknownGame as error:
            self._note_complaint_once(
                f"{journal.name} waits for its game: {error}; `playproof serve FOLDER` names its folder"
            )
            return None
        except (*KNOWN, MoveError, ValueError, KeyError, TypeError, OSError) as error:
            self._note_complaint_once(f"{journal.name} cannot be gone on with: {str(error).splitlines()[0]}")
            return None

    def _note_complaint_once(self, complaint: str) -> None:
        """Note what is wrong with a journal, once, however often somebody asks for its table."""
        if complaint not in self.complaints:
            self.complaints = [*self.complaints, complaint][-_AT_ONCE:]

    def get_cached_printed_variant(self, variant: Variant) -> PrintedVariant:
        """Return a variant's table and pictures, made once. Raises InputError, OptionError,
        RulesError or UnknownGame."""
        key = make_hashable_key_of_variant(variant)
        if key in self._printed:
            self._printed.move_to_end(key)
            return self._printed[key]
        try:
            spread = TableLayout(variant)
            if variant.file:  # its cards may have gone, and its fields may have other names
                spread.make_scene_seen_by_seat(variant.play.start())
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
        self.drawer.forget_lobby_entries()

    async def get_compressed_picture_by_hash(self, picture_hash: str) -> bytes | None:
        """Return a compressed picture by the hash of its content, or None."""
        faces = self._find_edition_with_picture(picture_hash)
        return None if faces is None else await self.drawer.wait_for_compressed_picture(faces, picture_hash)

    def get_printed_words_of_picture(self, picture_hash: str) -> str | None:
        """Return what a picture prints in words, its title first; None if there is no such picture."""
        faces = self._find_edition_with_picture(picture_hash)
        return None if faces is None else faces.get_front_words_or_empty(picture_hash)

    def _find_edition_with_picture(self, picture_hash: str) -> FacePictures | None:
        return next(
            (faces for faces in list(self._editions.values()) if faces.has_picture_with_hash(picture_hash)), None
        )

    def start_session_or_refuse(
        self,
        game_ref: str,
        options: Mapping[str, str],
        rulings: Mapping[str, str],
        bot_or_person_by_seat: Sequence[str],
        seed: int,
        *,
        one_screen: bool = False,
        initial_actions: Sequence[int] = (),
        paper_mode: str = "",
        supposed_steps: Sequence[bool] = (),
        earlier_transcripts: str = "",
        clock_settings: ClockSettings | None = None,
        description_file: str = "",
    ) -> RunningSession:
        """Start a new table. `bot_or_person_by_seat` says who plays each seat; if it is too short, its last entry fills
        the rest. With `paper_mode` (ONE_PAGE or OWN_PAGES) all are people. `description_file` is as in Variant. Raises
        RequestRefused."""
        if game_ref not in self.refs:
            raise RequestRefused("there is no such game here")
        try:
            variant = Variant(game_ref, dict(options), dict(rulings), description_file)
            printed = self.get_cached_printed_variant(variant)
            count = printed.variant.game.players
            seats = (
                [*bot_or_person_by_seat, *[bot_or_person_by_seat[-1]] * count][:count]
                if bot_or_person_by_seat
                else [PERSON] * count
            )
            if paper_mode:
                seats = [PERSON] * count
            for who in seats:
                if who != PERSON:
                    make_bot(who)
        except KNOWN as error:
            raise RequestRefused(str(error)) from None
        if len(self.running_sessions) >= MOST_TABLES:
            self._drop_oldest_unwatched_session_or_refuse()
        session = GameSession.start_new(
            printed.variant,
            seats,
            seed,
            one_screen=one_screen,
            journal_folder=self.folder,
            initial_actions=initial_actions,
            paper_mode=paper_mode,
            supposed_steps=supposed_steps,
            earlier_transcripts=earlier_transcripts,
            clock_settings=clock_settings,
        )
        return self._add_session_and_drop_idle_ones(session, printed)

    def _add_session_and_drop_idle_ones(
        self, session: GameSession, printed: PrintedVariant | None = None
    ) -> RunningSession:
        running_session = RunningSession(session, printed or self.get_cached_printed_variant(session.variant))
        session.variant = running_session.printed_variant.variant  # one description per variant, however many tables
        session.match.variant = running_session.printed_variant.variant
        self.running_sessions[session.ident] = running_session
        self._drop_all_but_latest_idle_sessions()
        return running_session

    def _drop_all_but_latest_idle_sessions(self) -> None:
        """Keep in memory the tables in use and a few more. Every move of the others is on disk."""
        if self.folder is None:
            return
        idle = [ident for ident, running_session in self.running_sessions.items() if running_session.idle]
        for ident in idle[:-MOST_IDLE]:
            del self.running_sessions[ident]

    def _drop_oldest_unwatched_session_or_refuse(self) -> None:
        """Make room for a new table: remove the oldest that nobody looks at. Its journal stays.
        Raises RequestRefused if all are watched."""
        idle = next(
            (ident for ident, running_session in self.running_sessions.items() if not running_session.listeners), None
        )
        if idle is None:
            raise RequestRefused(f"there are {MOST_TABLES} tables under way")
        self.running_sessions.pop(idle).cancel_all_tasks_and_alarm()

    def tell_listeners_and_start_pending_work(self, running_session: RunningSession) -> None:
        """Tell all that the table changed, and start a bot if it is its turn."""
        running_session.tell_listeners_of_change()
        self.start_needed_tasks_and_clock_alarm(running_session)

    def _schedule_alarm_for_running_clock(self, running_session: RunningSession) -> None:
        """Look again when the clock that runs is up: tell all, and play on if the table was set up so."""
        running_session.cancel_clock_alarm()
        clocks = running_session.session.clocks
        if clocks is None or clocks.running is None:
            return
        left = clocks.get_remaining_seconds(clocks.running)
        running_session.alarm = asyncio.get_running_loop().call_later(
            left + _TICK, self._stop_run_out_clock_and_tell_all, running_session
        )

    def _stop_run_out_clock_and_tell_all(self, running_session: RunningSession) -> None:
        running_session.alarm = None
        running_session.session.stop_clock_if_run_out()
        self.tell_listeners_and_start_pending_work(running_session)

    def start_needed_tasks_and_clock_alarm(self, running_session: RunningSession) -> None:
        """Start a bot if it is its turn, and look back at a finished game. Tells nobody, because nothing has
        changed."""
        session = running_session.session
        self._schedule_alarm_for_running_clock(running_session)
        loop = asyncio.get_running_loop()
        if _get_name_of_bot_to_act(session) is not None and (
            running_session.bot_task is None or running_session.bot_task.done()
        ):
            running_session.bot_task = loop.create_task(self._play_bots_until_person_acts(running_session))
        if session.needs_chances and (running_session.chances_task is None or running_session.chances_task.done()):
            running_session.chances_task = loop.create_task(self._estimate_and_set_win_chances(running_session))

    async def _play_bots_until_person_acts(self, running_session: RunningSession) -> None:
        """Let bots act one after the other until a person must. What happens meanwhile is seen after each choice, so
        that no wake is lost."""
        session = running_session.session
        while (bot := _get_name_of_bot_to_act(session)) is not None:
            moment = session.bot_moment
            ident = await self.thinkers.ask_worker_for_bot_action(
                session.variant, session.match.seed, bot, session.match.actions
            )
            if self.pace:
                await asyncio.sleep(self.pace)
            if session.take_bot_action_unless_late(moment, ident):
                self.tell_listeners_and_start_pending_work(running_session)

    async def _estimate_and_set_win_chances(self, running_session: RunningSession) -> None:
        """Let a worker find out how the chances went over the finished game; again if people went back meanwhile, and
        it has ended anew."""
        session = running_session.session
        while session.needs_chances:
            actions = session.match.actions
            chances = await self.thinkers.estimate_win_chances_of_finished_game(
                session.variant, session.match.seed, actions
            )
            if session.match.actions == actions:
                session.set_win_chances_of_finished_game(chances)
                running_session.tell_listeners_of_change()

    async def stop_all_tasks_and_workers(self) -> None:
        """Stop all bots, and the drawing of pictures."""
        await self.drawer.stop_drawing_and_process()
        tasks = [task for running_session in self.running_sessions.values() for task in running_session.tasks]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        for running_session in self.running_sessions.values():
            running_session.cancel_all_tasks_and_alarm()
        self.thinkers.stop_workers()


def _get_name_of_bot_to_act(session: GameSession) -> str | None:
    """Return the bot that acts now: one at its own seat, or one that plays on for a person."""
    return session.bot or (STAND_IN if session.is_bot_standing_in else None)


# -- journal -------------------------------------------------------------------------------------------------
# Restore a table from its journal, by repeating each recorded change.

_TABLE = "the table"  # who writes a note that nobody at the table wrote
_KEPT = "this table goes on with the rules that it began with"
_MOST_BYTES = 16_000_000
"""The largest journal that is read: a table records some fifty bytes per move."""


def restore_session_and_repair_journal(journal: Path, known_game_refs: Sequence[str] = ()) -> GameSession:
    """Return the table of a journal, without a last line that was cut short.

    The journal names its game and never says whose rules are run: they are those of a game in
    `known_game_refs`, which the person who starts the server has named, or of a bundled game. If these have
    changed since the game began, it goes on by the description that it began with, and a note
    at the table says so. Raises UnknownGame if there is no such game, MoveError for a move that is not
    legal, and ValueError if the journal is wrong otherwise or the description has gone.
    """
    whole = read_limited_plain_file_or_raise(journal, _MOST_BYTES).split(b"\n")
    lines = [json.loads(line) for line in whole[:-1]]  # the last is empty, or was cut short
    if not lines:
        raise ValueError(f"{journal}: the journal is empty")
    first, *rest = lines
    digest, options, rulings = str(first.get("description", "")), first["options"], first["rulings"]
    variant = Variant(
        find_game_reference_of_record_or_raise(
            RecordedGame(str(first["game"]), digest, options, rulings), known_game_refs
        ),
        options,
        rulings,
    )
    description = get_path_of_stored_description(journal.parent, digest)
    try:
        changed = describe_digest_change_or_empty(variant, digest)
    except (OptionError, RulesError) as error:
        changed = f"the rules cannot be read now ({str(error).splitlines()[0]})"
    if changed:
        if not description.is_file():
            raise ValueError(f"PP608 {changed}")
        variant = replace(variant, file=str(description))
        if variant.digest != digest:
            raise ValueError(f"{description.name} does not have the digest that it is named by")
    match = Match(variant, first["seed"], seats=first["seats"])
    session = GameSession(
        first["table"],
        variant,
        tuple(first["seats"]),
        match,
        first["tokens"],
        first["invite"],
        first["watch"],
        first["shared"],
    )
    session.earlier = str(first.get("earlier", ""))
    if first.get("paper"):
        session.reported_match = ReportedMatch(match, apart=first["paper"] == OWN_PAGES)
    elif first.get("clocks"):
        session.clocks = SeatClocks(ClockSettings(*first["clocks"]))
    for line in rest:
        _apply_journal_line_to_session(session, line)
    if whole[-1]:  # cut short: begin the next line on a line of its own
        with journal.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in whole[:-1]))
    session.journal = journal
    if session.reported_match is None:
        match.start_timing()  # what came before is not known
    if changed:
        session.notes.append(Note(len(session.match.steps), _TABLE, f"PP608 {changed}; {_KEPT}"))
    session.take_chance_actions_until_player_acts()
    # New version numbers are above all that anybody saw before.
    session.version += 1_000_000 + 10 * len(lines)
    session.changes += session.version
    return session


def delete_unreferenced_descriptions(journal_folder: Path) -> None:
    """Delete the descriptions that no journal of a folder names."""
    begun = [_read_first_line_of_journal(path) for path in journal_folder.glob("*.table")]
    for file in (journal_folder / DESCRIPTIONS).glob("*.json"):
        if not any(file.stem.encode() in line for line in begun):
            file.unlink()


def _read_first_line_of_journal(journal: Path) -> bytes:
    with journal.open("rb") as file:
        return file.readline(_MOST_BYTES)


def _apply_journal_line_to_session(session: GameSession, recorded_change: Mapping[str, Any]) -> None:
    if "again" in recorded_change and session.reported_match is not None:
        session.reported_match.replace_history(
            [*session.match.actions[: int(recorded_change["again"])], *map(int, recorded_change["do"])]
        )
    elif "do" in recorded_change and session.reported_match is not None:
        session.reported_match.take_reported_or_supposed_action(
            int(recorded_change["do"]), supposed=bool(recorded_change.get("loose"))
        )
    elif "do" in recorded_change:
        session.early_choices.pop(session.match.actor, None)
        session.match.apply(int(recorded_change["do"]))
    elif "early" in recorded_change:
        seat, ident = recorded_change["early"]
        session.early_choices[int(seat)] = int(ident)
    elif "bot" in recorded_change:
        session.replace_player_by_bot_without_journaling(int(recorded_change["bot"][0]), str(recorded_change["bot"][1]))
    elif "decided" in recorded_change:
        session.decided = True
    elif "back" in recorded_change:
        session.undo_all_but_first_steps(
            int(recorded_change["back"]), int(recorded_change["seed"]) if "seed" in recorded_change else None
        )
    elif "token" in recorded_change:
        seat, token = recorded_change["token"]
        session.set_seat_token_without_journaling(seat, token, as_opener=bool(recorded_change.get("opener")))
    elif "branch" in recorded_change:
        session.add_branch_without_journaling(*recorded_change["branch"])
    elif "following" in recorded_change:
        session.following = str(recorded_change["following"])
    elif "note" in recorded_change:
        session.notes.append(Note(*recorded_change["note"]))
    elif "wish" in recorded_change and session.clocks is not None:
        session.clocks.give_or_remove_clock(int(recorded_change["wish"][0]), bool(recorded_change["wish"][1]))
    elif "left" in recorded_change and session.clocks is not None:
        session.clocks.left[int(recorded_change["left"][0])] = float(recorded_change["left"][1])
    elif "person" in recorded_change:
        seat, name, colour = recorded_change["person"]
        session.persons[int(seat)] = Person(str(name), int(colour))
