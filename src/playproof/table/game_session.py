"""One game under way at a table: who sits where, what each seat may see and do, and its journal on
disk.

Every change of the game has a number, the version. A request to change something gives the number its sender saw, so a
late or doubled click changes nothing. What else a page shows (names, notes, chances) has a count of its own: it never
makes a choice late."""

from __future__ import annotations

import base64
import hmac
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from playproof.database.files import write_file_atomically
from playproof.language import CHANCE, Move
from playproof.language.description import write as write_description
from playproof.language.keyed_random import generate_secret_seed
from playproof.language.registry import get_name_recorded_for_game
from playproof.referee.errors import CannotRead, MoveError, NotLegal
from playproof.referee.events import Event
from playproof.referee.match import Match, list_action_ids_seat_may_choose_or_empty, list_seats_still_to_choose_or_empty
from playproof.referee.notation import seat_name
from playproof.referee.observations import WATCHER
from playproof.referee.reported_match import ReportedMatch
from playproof.referee.transcript import write
from playproof.referee.variant import Variant
from playproof.referee.view import View, get_flags_of_cells_seat_may_see, has_fields_hidden_from_any_seat
from playproof.table.bot_processes import WinChances
from playproof.table.scene import normalize_for_whole_word_search
from playproof.table.session_records import (
    COLOURS,
    LONGEST_NAME,
    LONGEST_NOTE,
    MOST_MARKS,
    MOST_NOTES,
    PLAYS_ON,
    Branch,
    ClockSettings,
    LogLine,
    Note,
    Person,
    Proposal,
    SeatClocks,
    get_path_of_stored_description,
    has_too_many_combining_marks,
    make_skeleton_equal_for_lookalike_names,
    reduce_to_one_printable_line,
    select_notes_to_show,
)

PERSON = "person"
WATCHES = "somebody who watches"
# where people report a game with paper: at one page for all, or each at their own
ONE_PAGE, OWN_PAGES = ("one", "own")
MOST_BRANCHES = 20
STAND_IN = "greedy"  # the bot that plays on for somebody who has left, or whose time is up
_BRACKET = re.compile(r"[(\[{<（［｛]")


class StaleRequest(Exception):
    """The table has changed since the request's page was sent. The message is for the sender;
    nothing has changed."""


class RequestRefused(Exception):
    """The request is not allowed here and now. The message is for the sender; nothing has
    changed."""


def are_secrets_equal_in_constant_time(secret: str, received: str) -> bool:
    """Return whether two secrets are equal, in a time that does not reveal how much of them
    agrees."""
    return secrets.compare_digest(secret.encode(), received.encode("utf-8", "surrogatepass"))


class BotMoment(NamedTuple):
    version: int  # of the game
    step_count: int


@dataclass
class GameSession:
    """A table. `seats` names "person" or a bot for each seat. `tokens` are the seats' secrets,
    "" for a seat where nobody sits. `invite` is never sent: the invitations are made from it."""

    ident: str
    variant: Variant
    seats: tuple[str, ...]
    match: Match
    tokens: list[str]
    invite: str
    watch: str
    shared: bool = False  # all people at one screen, handed over from one to the next
    version: int = 0  # of the game and of the proposal
    changes: int = 0  # of all that a page shows
    notes: list[Note] = field(default_factory=list)
    persons: dict[int, Person] = field(default_factory=dict)  # who has said what they are called
    proposal: Proposal | None = None
    seat_at_screen: int | None = None  # at one screen: the seat that looks now
    journal: Path | None = None
    earlier: str = ""  # transcripts of the finished games of this campaign
    following: str = ""  # the table at which the campaign goes on
    reported_match: ReportedMatch | None = None  # people play with paper, and report what happens
    decided: bool = False  # somebody has said how a game with paper ended
    opener: int | None = None  # the seat of whoever set the table up, and who invites the others
    times_left: dict[int, int] = field(default_factory=dict)  # how often people have left each seat
    branches: list[Branch] = field(default_factory=list)
    clocks: SeatClocks | None = None  # of the people who wish one
    chances: WinChances | None = None  # over the finished game, once they have been reckoned
    # choices of seats that the rules ask only later
    early_choices: dict[int, int] = field(default_factory=dict)
    times_back: int = 0  # how often people have gone back
    run: str = field(default_factory=lambda: secrets.token_hex(4))  # another whenever the table is restored
    _verdicts: tuple[int, dict[str, list[int]]] | None = None
    _legal: tuple[list[int], list[Move]] | None = None
    _none: tuple[list[int], bool] | None = None

    @classmethod
    def start_new(
        cls,
        variant: Variant,
        bot_or_person_by_seat: Sequence[str],
        seed: int,
        *,
        one_screen: bool = False,
        journal_folder: Path | None = None,
        initial_actions: Sequence[int] = (),
        paper_mode: str = "",
        supposed_steps: Sequence[bool] = (),
        earlier_transcripts: str = "",
        clock_settings: ClockSettings | None = None,
    ) -> GameSession:
        """Start a new table, after these actions of an older one.

        `paper_mode` (ONE_PAGE or OWN_PAGES) means that people play with paper and report what happens.
        `supposed_steps` says which of the actions nobody reported. `earlier_transcripts` are the transcripts of a
        campaign's finished games. `clock_settings` are those of the clocks, None without clocks.
        """
        one_screen = one_screen or paper_mode == ONE_PAGE
        ident = secrets.token_urlsafe(6)
        tokens = [secrets.token_urlsafe(18) if one_screen and who == PERSON else "" for who in bot_or_person_by_seat]
        session = cls(
            ident,
            variant,
            tuple(bot_or_person_by_seat),
            Match(variant, seed, seats=bot_or_person_by_seat),
            tokens,
            secrets.token_urlsafe(12),
            secrets.token_urlsafe(12),
            one_screen,
            earlier=earlier_transcripts,
        )
        if paper_mode:
            session.reported_match = ReportedMatch(session.match, apart=paper_mode == OWN_PAGES)
        else:
            session.match.start_timing()
            session.clocks = SeatClocks(clock_settings) if clock_settings is not None else None
        if journal_folder is not None:
            if not (file := get_path_of_stored_description(journal_folder, variant.digest)).is_file():
                write_file_atomically(file, write_description(variant.game))
            session.journal = journal_folder / f"{ident}.table"
            session._append_to_journal(
                {
                    "table": ident,
                    "game": get_name_recorded_for_game(variant.ref),
                    "options": dict(variant.options),
                    "rulings": dict(variant.rulings),
                    "description": variant.digest,
                    "seed": seed,
                    "seats": list(bot_or_person_by_seat),
                    "tokens": tokens,
                    "invite": session.invite,
                    "watch": session.watch,
                    "shared": one_screen,
                    "paper": paper_mode,
                    "earlier": earlier_transcripts,
                    "clocks": session.clocks.terms.to_journal_json() if session.clocks else None,
                }
            )
        for number, ident_of_action in enumerate(initial_actions):
            session._apply_record_and_increment_versions(
                ident_of_action, supposed=bool(supposed_steps) and supposed_steps[number]
            )
        session.take_chance_actions_until_player_acts()
        return session

    # -- who is who -----------------------------------------------------------------------------------------

    @property
    def people_seats(self) -> list[int]:
        """The seats of people."""
        return [n for n, who in enumerate(self.seats) if who == PERSON]

    @property
    def free_seats(self) -> list[int]:
        """The seats of people where nobody sits yet."""
        return [n for n in self.people_seats if not self.tokens[n]]

    def find_seat_by_secret_token(self, token: str) -> int | None:
        """Return the seat a secret belongs to; None if it belongs to no seat."""
        return next(
            (n for n, own in enumerate(self.tokens) if own and are_secrets_equal_in_constant_time(own, token)), None
        )

    def make_invitation_secret(self, seat: int) -> str:
        """Return the secret that takes this seat and no other. It changes when somebody leaves
        the seat."""
        text = f"seat {seat}, left {self.times_left.get(seat, 0)} times"
        digest = hmac.digest(self.invite.encode(), text.encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:18]).decode()

    def find_seat_by_invitation_secret(self, secret: str) -> int | None:
        """Return the seat that an invitation is for; None if it is for no seat."""
        return next(
            (
                n
                for n in self.people_seats
                if are_secrets_equal_in_constant_time(self.make_invitation_secret(n), secret)
            ),
            None,
        )

    def take_free_seat_and_get_token(self, seat: int, *, as_opener: bool = False) -> str:
        """Take a free seat and return its secret. Raises RequestRefused if the seat is not free."""
        if seat not in self.free_seats:
            raise RequestRefused("somebody already sits there")
        self.set_seat_token_without_journaling(seat, secrets.token_urlsafe(18), as_opener=as_opener)
        self._append_to_journal({"token": [seat, self.tokens[seat]], **({"opener": True} if as_opener else {})})
        self._increment_page_version_and_switch_clock()
        return self.tokens[seat]

    def vacate_seat_for_somebody_else(self, seat: int) -> None:
        """Leave a seat, so that somebody else may take it. Its old address no longer works, nor
        does the invitation to it."""
        self.set_seat_token_without_journaling(seat, "")
        self._append_to_journal({"token": [seat, ""]})
        self._increment_page_version_and_switch_clock()

    def give_seat_to_bot_or_refuse(self, asking_seat: int | None, seat: int) -> None:
        """Let a bot play a free seat. Whoever set the table up may do so at any time, the others once somebody has left
        it. Raises RequestRefused."""
        if asking_seat is None or not self.tokens[asking_seat] or self.reported_match is not None or self.shared:
            raise RequestRefused("no bot can sit down here")
        if seat not in self.free_seats:
            raise RequestRefused("somebody sits there")
        if not self.is_asker_opener_or_was_seat_left(asking_seat, seat):
            raise RequestRefused("who set up the table invites to this seat")
        self.replace_player_by_bot_without_journaling(seat, STAND_IN)
        self._append_to_journal({"bot": [seat, STAND_IN]})
        self._increment_game_and_page_versions()

    def is_asker_opener_or_was_seat_left(self, asking_seat: int, seat: int) -> bool:
        """Return whether somebody may give a free seat to a bot."""
        return asking_seat == self.opener or self.times_left.get(seat, 0) > 0

    def replace_player_by_bot_without_journaling(self, seat: int, bot: str) -> None:
        """Let a bot play a seat from now on. Records nothing."""
        self.seats = (*self.seats[:seat], bot, *self.seats[seat + 1 :])
        self.match.seats = self.seats
        if self.clocks is not None:
            self.clocks.give_or_remove_clock(seat, False)

    def set_seat_token_without_journaling(self, seat: int, token: str, *, as_opener: bool = False) -> None:
        """Give a seat its secret, "" for nobody. Records nothing."""
        self.tokens[seat] = token
        if as_opener:
            self.opener = seat
        if token:
            return
        self.times_left[seat] = self.times_left.get(seat, 0) + 1
        self.persons.pop(seat, None)
        if self.opener == seat:
            self.opener = None
        for branch in self.branches:
            branch.tokens[seat] = ""  # the next person here is nobody there

    def seat_people_there_and_record_branch(
        self, other_session: GameSession, from_step: int, seat_shift: int = 0
    ) -> None:
        """Seat all who sit here at another table too, which goes on from `from_step`, so many seats further.
        Each learns only the own address there."""
        count = len(self.seats)
        for seat in self.people_seats:
            there = (seat + seat_shift) % count
            if self.tokens[seat] and not other_session.tokens[there]:
                other_session.take_free_seat_and_get_token(there, as_opener=seat == self.opener)
            if self.clocks is not None and seat in self.clocks.left and other_session.clocks is not None:
                other_session.give_or_remove_clock_or_refuse(there, True)
            if person := self.persons.get(seat):
                other_session.set_name_and_colour_or_refuse(there, person.name, person.colour)
        tokens = [own and other_session.tokens[(n + seat_shift) % count] for n, own in enumerate(self.tokens)]
        self.add_branch_without_journaling(from_step, other_session.ident, tokens)
        self._append_to_journal({"branch": [from_step, other_session.ident, tokens]})
        self._increment_page_version_and_switch_clock()

    def add_branch_without_journaling(self, from_step: int, other_session_id: str, tokens_there: list[str]) -> None:
        """Note that play went on at another table. Records nothing."""
        self.branches.append(Branch(from_step, other_session_id, tokens_there))

    def get_declared_seat_name(self, seat: int) -> str:
        """Return the name of a seat or of CHANCE."""
        return seat_name(self.variant.game, seat)

    def format_person_and_seat_name(self, seat: int) -> str:
        """Return what the person at a seat is called, `Ada (blue)`; the name of the seat if nobody said."""
        person = self.persons.get(seat)
        return (
            f"{person.name} ({self.get_declared_seat_name(seat)})"
            if person and person.name
            else self.get_declared_seat_name(seat)
        )

    def get_seat_colour(self, seat: int) -> int:
        """Return the number of a seat's colour."""
        person = self.persons.get(seat)
        return person.colour if person else seat % len(COLOURS)

    def set_name_and_colour_or_refuse(self, seat: int, name: str, colour: int | None = None) -> None:
        """Name the person at a seat; "" goes by the seat's name. Raises RequestRefused if somebody else is called
        so."""
        person = Person(
            reduce_to_one_printable_line(name, LONGEST_NAME), self.get_seat_colour(seat) if colour is None else colour
        )
        if has_too_many_combining_marks(person.name):
            raise RequestRefused(f"a name has at most {MOST_MARKS} marks on a letter")
        other = self._find_lookalike_taken_name_or_empty(seat, person.name)
        if other:
            raise RequestRefused(f"somebody at this table is called {other} already, or what looks like it")
        if not 0 <= person.colour < len(COLOURS):
            raise RequestRefused("there is no such colour")
        if person == self.persons.get(seat, Person(colour=self.get_seat_colour(seat))):
            return
        self.persons[seat] = person
        self._append_to_journal({"person": [seat, person.name, person.colour]})
        self._increment_page_version_and_switch_clock()

    def _find_lookalike_taken_name_or_empty(self, seat: int, name: str) -> str:
        """Return the name, of another person, a seat or chance, for which a reader would take a name; "" if none."""
        taken = [self.get_declared_seat_name(n) for n in (CHANCE, *range(len(self.seats)))] + [WATCHES]
        for n, other in self.persons.items():
            taken += [other.name, self.format_person_and_seat_name(n)] if n != seat and other.name else []
        # With a seat behind it, as the page writes them: "Ada (blue)" sits at red.
        taken += [
            f"{name.partition('(')[0].strip()} ({self.get_declared_seat_name(n)})"
            for n in range(len(self.seats))
            if n != seat
        ]
        # "Ada (really)" is read as Ada, too.
        looks = {make_skeleton_equal_for_lookalike_names(part) for part in (name, _BRACKET.split(name)[0])} - {""}
        return next((other for other in taken if make_skeleton_equal_for_lookalike_names(other) in looks), "")

    # -- what is seen ---------------------------------------------------------------------------------------

    def make_view_of_seat_or_spectator(self, seat: int | None, after_step: int | None = None) -> View:
        """Return the table as a seat sees it, now or after a step. A spectator (None) sees only
        what all see.

        A page that lies open for all shows what all see.
        """
        state = self.match.states[len(self.match.steps) if after_step is None else after_step]
        game = self.variant.game
        if self.open_page:
            seat = None
        if seat is not None:
            return View.of(game, state, seat)
        masks = [get_flags_of_cells_seat_may_see(game, n) for n in range(game.players)]
        return View(None, tuple(v if all(seen) else None for v, *seen in zip(state, *masks, strict=True)))

    def list_log_lines_of_step_as_heard(self, step_index: int, seat: int | None) -> list[LogLine]:
        """Return a step of the log as a seat hears it (None: a spectator): the action and its
        consequences.

        A spectator hears only what follows from what all seats see. After the end everybody hears everything.
        """
        if self.match.over and self.reported_match is None:
            return [
                LogLine(e.actor, self._get_actor_name_for_log(e), e.words) for e in self.match.heard(step_index, None)
            ]
        if seat is not None and not self.open_page:
            return [
                LogLine(e.actor, self._get_actor_name_for_log(e), _format_event_words_with_news(e))
                for e in self.match.heard(step_index, seat)
            ]
        return [
            LogLine(e.actor, self._get_actor_name_for_log(e), e.words) for e in self.match.heard(step_index, WATCHER)
        ]

    def _get_actor_name_for_log(self, event: Event) -> str:
        """Return what the log calls who acted."""
        person = self.persons.get(event.actor)
        return person.name if person and person.name and event.who else event.who

    def list_moves_seat_may_take_now(self, seat: int | None) -> list[Move]:
        """Return what a seat may do now; empty for a seat that does not act."""
        if seat is None or self.match.over:
            return []
        if self.reported_match is not None:
            offers = (
                self.reported_match.list_actions_people_may_report() if seat in self.reported_match.seats_to_ask else []
            )
            return [Move(offer.ident, offer.words, 1) for offer in offers]
        if self.match.actor == seat:
            return self._get_cached_legal_moves()
        choices = (
            list_action_ids_seat_may_choose_or_empty(self.match.play, self.match.state, seat)
            if self.needs_action_from(seat)
            else []
        )
        return [Move(ident, self.variant.game.show(ident), 1) for ident in choices]

    def _get_cached_legal_moves(self) -> list[Move]:
        """Return the legal actions, computed once per state."""
        state = self.match.state
        if self._legal is None or self._legal[0] is not state:
            self._legal = state, self.match.legal()
        return self._legal[1]

    def _can_nobody_act(self) -> bool:
        """Return whether nobody can act now, computed once per state."""
        state = self.match.state
        if self._none is None or self._none[0] is not state:
            self._none = state, self.match.play.has_no_legal_action(state)
        return self._none[1]

    @property
    def open_page(self) -> bool:
        """Whether all share one open page and play with paper."""
        return self.reported_match is not None and not self.reported_match.apart

    def needs_action_from(self, seat: int) -> bool:
        """Return whether a seat decides now, or must report what happened."""
        if self.match.over:
            return False
        return seat in (self.reported_match.seats_to_ask if self.reported_match is not None else self.choosing_seats)

    @property
    def choosing_seats(self) -> list[int]:
        """The seats that choose now: the one that acts, or all that have not chosen where all choose at once."""
        return [
            seat
            for seat in list_seats_still_to_choose_or_empty(self.match.play, self.match.state)
            if seat not in self.early_choices
        ]

    def has_chosen_before_others(self, seat: int) -> bool:
        """Return whether a seat has chosen where all choose at once, and others have not."""
        if self.reported_match is not None or seat in self.choosing_seats or self.match.over:
            return False
        return (
            seat in self.early_choices
            or self.variant.game.phases[self.match.state[0]].name in self._simultaneous_phases
        )

    @property
    def _simultaneous_phases(self) -> Mapping[str, Any]:
        """The phases in which all choose at once."""
        facts: Mapping[str, Any] = self.variant.game.facts.get("together", {})
        return facts

    @property
    def has_hidden_fields(self) -> bool:
        """Whether any field is hidden from any seat."""
        return has_fields_hidden_from_any_seat(self.variant.game)

    # -- acting ---------------------------------------------------------------------------------------------

    def make_run_id_and_match_digest_for_seat(self, seat: int | None) -> str:
        """Return what a page says of the game beside its version: the run of the table, and a digest of all that a
        choice of this seat rests on. The numbers of another run mean nothing here, but the same digest means that the
        game has not moved."""
        chosen = seat in self.early_choices
        rests_on = json.dumps([self.times_back, self.match.seed, chosen, list(self.match.actions)])
        digest = hmac.digest(self.invite.encode(), rests_on.encode(), "sha256")
        return f"{self.run}.{digest[:9].hex()}"

    def _is_page_position_current(self, seat: int, page_version: int, page_position: str) -> bool:
        """Return whether the game is as it was on a page with this version and position."""
        if page_version == self.version:
            return True
        run, _, digest = page_position.partition(".")
        return run != self.run and are_secrets_equal_in_constant_time(
            self.make_run_id_and_match_digest_for_seat(seat).partition(".")[2], digest
        )

    def take_action_of_seat_or_refuse(
        self, seat: int | None, page_version: int, action_id: int, page_position: str = ""
    ) -> None:
        """Take a seat's action, chosen at the table's version `page_version`, or at a
        `page_position` of this game before the server was started again. Raises StaleRequest or RequestRefused
        and then changes nothing."""
        if seat is None:
            raise RequestRefused("who watches does not play")
        if not self._is_page_position_current(seat, page_version, page_position):
            raise StaleRequest("the table has moved on since then; nothing was done")
        if self.match.over:
            raise RequestRefused("the game is over")
        if not self.needs_action_from(seat):
            raise RequestRefused(self.explain_why_not_your_turn(seat))
        if not 0 <= action_id < self.variant.game.ground:
            raise RequestRefused("there is no such action")
        others = [other for other in self.choosing_seats if other != seat] if self.reported_match is None else []
        try:
            if self.reported_match is not None:
                self._apply_and_record_reported_action(self.reported_match, action_id)
            elif seat != self.match.actor:
                self._store_early_choice_or_refuse(seat, action_id)
            else:
                self._apply_and_record_action_stopping_clock(action_id)
        except NotLegal as error:
            raise RequestRefused(error.message) from None
        self._apply_early_choices()
        if others:
            self._increment_page_version_and_switch_clock()  # the others still choose, and none of them is late
            return
        self.proposal = None
        self.take_chance_actions_until_player_acts()

    def explain_why_not_your_turn(self, seat: int) -> str:
        """Return in a sentence why a seat may not choose now."""
        others = ", ".join(self.format_person_and_seat_name(other) for other in self.choosing_seats)
        if self.has_chosen_before_others(seat):
            return f"you have chosen already; {others} still choose{'s' if len(self.choosing_seats) == 1 else ''}"
        return f"it is not your turn: {self.format_person_and_seat_name(self.match.actor)} acts"

    def _store_early_choice_or_refuse(self, seat: int, action_id: int) -> None:
        """Keep the choice of a seat that the rules ask only later. Nobody learns it before. Raises RequestRefused."""
        if action_id not in list_action_ids_seat_may_choose_or_empty(self.match.play, self.match.state, seat):
            raise RequestRefused(f"this cannot be chosen now: {self.variant.game.show(action_id)}")
        self.early_choices[seat] = action_id
        self._append_to_journal({"early": [seat, action_id]})

    def _apply_early_choices(self) -> None:
        """Give each early choice to the match when its seat is asked."""
        while not self.match.over and self.match.actor in self.early_choices:
            self._apply_and_record_action_stopping_clock(self.early_choices.pop(self.match.actor))

    def report_paper_action_or_refuse(self, seat: int | None, page_version: int, action_words: str) -> None:
        """Report in words what happened at a table with paper, if it is not among the offers.
        Raises StaleRequest or RequestRefused."""
        if self.reported_match is None or seat is None:
            raise RequestRefused("this table is not played with paper")
        try:
            idents = self.match.list_actions_meant_by_question_or_raise(action_words) if action_words.strip() else []
        except CannotRead as error:
            near = f"; did you mean: {', '.join(error.near)}?" if error.near else ""
            raise RequestRefused(f"{error.message}{near}") from None
        except MoveError as error:
            raise RequestRefused(error.message) from None
        exact = [
            ident
            for ident in idents
            if normalize_for_whole_word_search(self.variant.game.show(ident))
            == normalize_for_whole_word_search(action_words)
        ]
        chosen = exact or idents
        if len({self.variant.game.show(ident) for ident in chosen}) != 1:
            texts = [self.variant.game.show(ident) for ident in chosen[:3]]
            raise RequestRefused(f"which of these: {', '.join(texts)}?" if texts else "the words are missing")
        self.take_action_of_seat_or_refuse(seat, page_version, chosen[0])

    def _apply_and_record_reported_action(self, reported_match: ReportedMatch, action_id: int) -> None:
        """Take a reported action. If it changes supposed steps, the journal records both."""
        before = list(self.match.actions)
        reported_match.record_report_revising_supposed_steps(action_id)
        self._append_changed_history_to_journal(before)
        self._append_last_step_to_journal()
        self._increment_game_and_page_versions()

    def _append_changed_history_to_journal(self, actions_before: Sequence[int]) -> None:
        """Record the part of the history that differs from `actions_before`."""
        now = self.match.actions[: len(actions_before)]
        same = next((n for n, (a, b) in enumerate(zip(actions_before, now, strict=True)) if a != b), None)
        if same is not None:
            self._append_to_journal({"again": same, "do": now[same:]})

    def _append_last_step_to_journal(self) -> None:
        step = self.match.steps[-1]
        line: dict[str, Any] = {"do": step.ident, "words": step.text}
        if self.reported_match is not None and self.reported_match.loose[-1]:
            line["loose"] = True
        self._append_to_journal(line)

    @property
    def verdicts(self) -> dict[str, list[int]]:
        """The results a game with paper may have, with their histories. Empty if only one fits
        the reports, or if somebody has decided."""
        if self.reported_match is None or not self.match.over or self.decided:
            return {}
        if self._verdicts is None or self._verdicts[0] != len(self.match.steps):
            self._verdicts = len(self.match.steps), self.reported_match.map_possible_results_to_action_histories()
        verdicts = self._verdicts[1]
        return verdicts if len(verdicts) > 1 else {}

    def record_paper_game_ending_or_refuse(self, seat: int | None, page_version: int, verdict: str) -> None:
        """Record how a game with paper ended, if that depends on cards nobody reported. Raises
        StaleRequest or RequestRefused."""
        if seat is None or page_version != self.version:
            raise StaleRequest("the table has moved on since then; nothing was done")
        actions = self.verdicts.get(verdict)
        if actions is None or self.reported_match is None:
            raise RequestRefused("the game did not end so")
        before = list(self.match.actions)
        self.reported_match.replace_history(actions)
        self._append_changed_history_to_journal(before)
        self._append_to_journal({"decided": True})
        self.decided = True
        self._increment_game_and_page_versions()

    def give_or_remove_clock_or_refuse(self, seat: int | None, give: bool) -> None:
        """Give a seat a clock, or take it away. Raises RequestRefused where there are none."""
        if seat is None or self.clocks is None:
            raise RequestRefused("this table has no clocks")
        self.clocks.give_or_remove_clock(seat, give)
        self._append_to_journal({"wish": [seat, give]})
        self._increment_page_version_and_switch_clock()

    def can_see_clocks(self, seat: int | None) -> bool:
        """Return whether a reader sees the clocks: who wishes one; who watches, if all people do."""
        if self.clocks is None:
            return False
        return seat in self.clocks.left if seat is not None else set(self.people_seats) <= set(self.clocks.left)

    def _stop_and_record_running_clock(self, *, acted_in_time: bool = False) -> None:
        """Stop the clock that runs, and record what is left."""
        seat = (
            self.clocks.stop_running_clock_and_get_seat(acted_in_time=acted_in_time)
            if self.clocks is not None
            else None
        )
        if seat is not None and self.clocks is not None:
            self._append_to_journal({"left": [seat, round(self.clocks.left[seat], 2)]})

    def stop_clock_if_run_out(self) -> None:
        """Stop the clock that runs if it is up. The table does not change: a choice on its way counts."""
        if self.clocks is not None and self.clocks.running is not None and self.clocks.has_run_out(self.clocks.running):
            self._stop_and_record_running_clock()

    def _switch_running_clock_to_actor(self) -> None:
        """Let the clock run of whoever decides now, once all seats are taken."""
        if self.clocks is None:
            return
        actor = CHANCE if self.match.over or self.free_seats else self.match.actor
        if self.clocks.running != actor:
            self._stop_and_record_running_clock()
            self.clocks.start_clock_if_time_left(actor)

    @property
    def bot_moment(self) -> BotMoment:
        """What a bot's choice is for: where all choose at once, one version has several steps."""
        return BotMoment(self.version, len(self.match.steps))

    def take_bot_action_unless_late(self, bot_moment_when_asked: BotMoment, action_id: int) -> bool:
        """Take a bot's action. Returns False if the game has gone on since the bot was asked."""
        if bot_moment_when_asked != self.bot_moment or (self.bot is None and not self.is_bot_standing_in):
            return False
        others = [other for other in self.choosing_seats if other != self.match.actor]
        self._apply_and_record_action_stopping_clock(action_id)
        self._apply_early_choices()
        if others:
            self._increment_page_version_and_switch_clock()
        else:
            self.take_chance_actions_until_player_acts()
        return True

    @property
    def bot(self) -> str | None:
        """The bot whose turn it is, or None."""
        match = self.match
        if match.over or match.actor == CHANCE or self.seats[match.actor] == PERSON:
            return None
        return None if self._can_nobody_act() else self.seats[match.actor]

    @property
    def is_bot_standing_in(self) -> bool:
        """Whether a bot plays on for the person whose turn it is: only if the table was set up so, and the time is
        up."""
        if self.clocks is None or self.clocks.terms.up != PLAYS_ON or self.match.over or self._can_nobody_act():
            return False
        return self.clocks.has_run_out(self.match.actor)

    def take_chance_actions_until_player_acts(self) -> None:
        """Let chance act until somebody decides."""
        match = self.match
        while (
            self.reported_match is not None and self.reported_match.take_unreportable_chance_step_or_none() is not None
        ):
            self._append_last_step_to_journal()
        while self.reported_match is None and not match.over and match.actor == CHANCE and not self._can_nobody_act():
            match.take_chance_action_of_seed_or_raise()
            self._append_last_step_to_journal()
        self._increment_game_and_page_versions()

    def _apply_record_and_increment_versions(self, action_id: int, *, supposed: bool = False) -> None:
        self._apply_and_record_action_stopping_clock(action_id, supposed=supposed)
        self._increment_game_and_page_versions()

    def _apply_and_record_action_stopping_clock(self, action_id: int, *, supposed: bool = False) -> None:
        """Take and record an action. Changes no number."""
        if self.reported_match is not None:
            self.reported_match.take_reported_or_supposed_action(action_id, supposed=supposed)
        else:
            self.match.apply(action_id)
        self._append_last_step_to_journal()
        self._stop_and_record_running_clock(acted_in_time=True)  # only the clock of whoever acted runs

    # -- time -----------------------------------------------------------------------------------------------

    def propose_and_get_proposal_if_agreed(
        self, seat: int | None, page_version: int, undo_or_branch: str, target_step: int
    ) -> Proposal | None:
        """Propose to go back to a step (`undo`) or to play on from there at a new table (`branch`).

        Returns the proposal if all people agree, else None. Raises StaleRequest or RequestRefused.
        """
        if seat is None:
            raise RequestRefused("who watches does not play")
        if page_version != self.version:
            raise StaleRequest("the table has moved on since then; nothing was done")
        if undo_or_branch not in ("undo", "branch") or not 0 <= target_step <= len(self.match.steps):
            raise RequestRefused("there is no such moment in this game")
        if undo_or_branch == "undo" and target_step == len(self.match.steps):
            raise RequestRefused("there is nothing to take back")
        if undo_or_branch == "branch" and len(self.branches) >= MOST_BRANCHES:
            raise RequestRefused(f"this table has gone on at {MOST_BRANCHES} others already")
        self.proposal = Proposal(undo_or_branch, target_step, seat, frozenset([seat]))
        self._increment_game_and_page_versions()
        return self._carry_out_proposal_if_all_agree()

    def answer_proposal_and_get_it_if_agreed(self, seat: int | None, page_version: int, yes: bool) -> Proposal | None:
        """Answer the proposal. Returns it if all have agreed, else None; a no withdraws it.
        Raises StaleRequest or RequestRefused."""
        if seat is None or self.proposal is None:
            raise RequestRefused("nothing is proposed")
        if page_version != self.version:
            raise StaleRequest("the table has moved on since then; nothing was done")
        if not yes:
            self.proposal = None
            self._increment_game_and_page_versions()
            return None
        agreed = self.proposal.agreed | {seat}
        self.proposal = Proposal(self.proposal.kind, self.proposal.step, self.proposal.by, agreed)
        self._increment_game_and_page_versions()
        return self._carry_out_proposal_if_all_agree()

    def _carry_out_proposal_if_all_agree(self) -> Proposal | None:
        """Carry out and return the proposal if all who sit here agree. At one screen one person
        speaks for all."""
        voters = {n for n in self.people_seats if self.tokens[n]}
        if self.proposal is None or (not self.shared and voters - self.proposal.agreed):
            return None
        done, self.proposal = self.proposal, None
        if done.kind == "undo":
            self.undo_all_but_first_steps(
                done.step, generate_secret_seed() if self.needs_new_seed_when_going_back(done.step) else None
            )
            self.take_chance_actions_until_player_acts()
        self._increment_game_and_page_versions()
        return done

    def find_step_before_last_action_of_seat(self, seat: int) -> int | None:
        """Return the step before a seat's last own action; None if it has not acted."""
        return max((n for n, step in enumerate(self.match.steps) if step.actor == seat), default=None)

    def has_chance_acted_since(self, step_count: int) -> bool:
        """Return whether chance has acted after a step, so that cards or dice were seen that going back hides."""
        return any(taken.actor == CHANCE for taken in self.match.steps[step_count:])

    def needs_new_seed_when_going_back(self, steps_to_keep: int) -> bool:
        """Return whether chance is drawn anew from this step on if people go back to it: after what somebody has seen,
        and after the end, when everybody may read the seed. On paper, chance is what people report."""
        return self.reported_match is None and (self.match.over or self.has_chance_acted_since(steps_to_keep))

    def undo_all_but_first_steps(self, steps_to_keep: int, new_seed: int | None = None) -> None:
        """Go back to the state after this number of steps; with a new `new_seed`, chance does something else from
        there. Does not check who agreed."""
        if self.reported_match is not None:
            self.reported_match.undo_all_but_first_steps(steps_to_keep)
        else:
            self.match.undo_steps_after_and_list_them(steps_to_keep)
        if new_seed is not None:
            self.match.seed = new_seed
        self.times_back += 1
        self.decided, self.following, self.chances = False, "", None
        self.early_choices.clear()
        self._append_to_journal({"back": steps_to_keep, **({} if new_seed is None else {"seed": new_seed})})

    # -- writing --------------------------------------------------------------------------------------------

    def add_note_or_refuse(self, seat: int | None, text: str) -> None:
        """Add a note to the log, for everybody to read. Raises RequestRefused if it is empty or its
        author has written too many."""
        who = WATCHES if seat is None else self.get_declared_seat_name(seat)
        if sum(note.who == who for note in self.notes) >= MOST_NOTES:
            raise RequestRefused(f"there are {MOST_NOTES} notes of {who} already")
        clean = reduce_to_one_printable_line(text, LONGEST_NOTE)
        if not clean:
            raise RequestRefused("the note is empty")
        note = Note(len(self.match.steps), who, clean)
        self.notes.append(note)
        self._append_to_journal({"note": [note.step, note.who, note.text]})
        self._increment_page_version_and_switch_clock()

    @property
    def latest_notes(self) -> list[Note]:
        """The notes that a page shows."""
        return select_notes_to_show(self.notes, WATCHES)

    def format_earlier_and_own_transcripts(self) -> str:
        """Return the game as the judge reads it, with notes as comments, behind the campaign's earlier games."""
        return (
            f"{self.earlier}\n{self._format_transcript_of_this_session()}"
            if self.earlier
            else self._format_transcript_of_this_session()
        )

    def set_following_session(self, session_id: str) -> None:
        """Note the table at which the campaign goes on."""
        self.following = session_id
        self._append_to_journal({"following": session_id})
        self._increment_page_version_and_switch_clock()

    def get_token_at_other_session_or_empty(self, other_session_id: str, seat: int) -> str:
        """Return the secret that whoever sits here has at another table; "" if that person never sat there."""
        return next((branch.tokens[seat] for branch in self.branches if branch.ident == other_session_id), "")

    @property
    def needs_chances(self) -> bool:
        """Whether the game is over and its chances are not known yet."""
        return self.match.over and self.chances is None and self.reported_match is None

    def set_win_chances_of_finished_game(self, chances: WinChances) -> None:
        """Note the chances over the finished game, for all to see. They are not recorded."""
        self.chances = chances
        self._increment_page_version_and_switch_clock()

    def _format_transcript_of_this_session(self) -> str:
        """Return this table's game alone.

        It names the seed only if the game is over and chance did what the seed says: not while the
        seed tells what is to come, and not at a table with paper or one that began as a branch.
        """
        notes = [f"after {n.step}, {n.who}: {n.text}" for n in self.notes]
        if self.reported_match is None:
            seed = self.match.over and self.match.find_chance_step_unlike_seed() is None
            return write(self.match, "\n".join(notes), seed=seed)
        supposed = [str(n) for n, loose in enumerate(self.reported_match.loose, 1) if loose]
        if supposed:
            notes.append(f"nobody told of these steps, they are supposed: {' '.join(supposed)}")
        return write(self.match, "\n".join(notes), seed=False)

    def _increment_game_and_page_versions(self) -> None:
        """Note that the game or the proposal has changed."""
        self.version += 1
        self._increment_page_version_and_switch_clock()

    def _increment_page_version_and_switch_clock(self) -> None:
        """Note that pages have changed, and nothing that a choice rests on."""
        self.changes += 1
        self._switch_running_clock_to_actor()

    def _append_to_journal(self, journal_line: Mapping[str, Any]) -> None:
        """Append one line to the journal. The line is handed to the system before anybody sees
        the change."""
        if self.journal is None:
            return
        data = (json.dumps(journal_line, ensure_ascii=False) + "\n").encode()
        descriptor = os.open(self.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)


def _format_event_words_with_news(event: Event) -> str:
    """Return an event's words, with the news of its reader."""
    return f"{event.words} (now yours: {', '.join(event.news)})" if event.news else event.words
