"""Who sits at a table: secrets and invitations, names and colours, clocks; and the journal on disk to which every
change is written.

Every change of the game has a number, the version. What else a page shows (names, notes, chances) has a count of its
own: it never makes a choice late."""

from __future__ import annotations

import base64
import hmac
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playproof.language import CHANCE
from playproof.referee.match import Match
from playproof.referee.notation import seat_name
from playproof.referee.reported_match import ReportedMatch
from playproof.referee.variant import Variant
from playproof.table.session_records import (
    COLOURS,
    LONGEST_NAME,
    MOST_MARKS,
    Branch,
    Person,
    SeatClocks,
    has_too_many_combining_marks,
    make_skeleton_equal_for_lookalike_names,
    reduce_to_one_printable_line,
)

PERSON = "person"
WATCHES = "somebody who watches"
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


@dataclass
class SeatedTable:
    """A table and the people at it. `seats` names "person" or a bot for each seat. `tokens` are the seats' secrets,
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
    persons: dict[int, Person] = field(default_factory=dict)  # who has said what they are called
    journal: Path | None = None
    reported_match: ReportedMatch | None = None  # people play with paper, and report what happens
    opener: int | None = None  # the seat of whoever set the table up, and who invites the others
    times_left: dict[int, int] = field(default_factory=dict)  # how often people have left each seat
    branches: list[Branch] = field(default_factory=list)
    clocks: SeatClocks | None = None  # of the people who wish one

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
        self, other_session: SeatedTable, from_step: int, seat_shift: int = 0
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

    # -- clocks ---------------------------------------------------------------------------------------------

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

    def stop_clock_if_run_out(self) -> None:
        """Stop the clock that runs if it is up. The table does not change: a choice on its way counts."""
        if self.clocks is not None and self.clocks.running is not None and self.clocks.has_run_out(self.clocks.running):
            self._stop_and_record_running_clock()

    def _stop_and_record_running_clock(self, *, acted_in_time: bool = False) -> None:
        """Stop the clock that runs, and record what is left."""
        seat = (
            self.clocks.stop_running_clock_and_get_seat(acted_in_time=acted_in_time)
            if self.clocks is not None
            else None
        )
        if seat is not None and self.clocks is not None:
            self._append_to_journal({"left": [seat, round(self.clocks.left[seat], 2)]})

    def _switch_running_clock_to_actor(self) -> None:
        """Let the clock run of whoever decides now, once all seats are taken."""
        if self.clocks is None:
            return
        actor = CHANCE if self.match.over or self.free_seats else self.match.actor
        if self.clocks.running != actor:
            self._stop_and_record_running_clock()
            self.clocks.start_clock_if_time_left(actor)

    # -- the journal ----------------------------------------------------------------------------------------

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
