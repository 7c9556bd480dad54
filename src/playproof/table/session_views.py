"""What each seat of a table sees and hears, whether it is asked, and what is written of the game: notes and
transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playproof.language import Move
from playproof.referee.events import Event
from playproof.referee.match import list_action_ids_seat_may_choose_or_empty, list_seats_still_to_choose_or_empty
from playproof.referee.observations import WATCHER
from playproof.referee.transcript import write
from playproof.referee.view import View, get_flags_of_cells_seat_may_see, has_fields_hidden_from_any_seat
from playproof.table.bot_processes import WinChances
from playproof.table.session_records import (
    LONGEST_NOTE,
    MOST_NOTES,
    LogLine,
    Note,
    reduce_to_one_printable_line,
    select_notes_to_show,
)
from playproof.table.session_seats import WATCHES, RequestRefused, SeatedTable


@dataclass
class VisibleTable(SeatedTable):
    """A table as its seats see it. It changes nothing of the game."""

    notes: list[Note] = field(default_factory=list)
    earlier: str = ""  # transcripts of the finished games of this campaign
    following: str = ""  # the table at which the campaign goes on
    chances: WinChances | None = None  # over the finished game, once they have been reckoned
    # choices of seats that the rules ask only later
    early_choices: dict[int, int] = field(default_factory=dict)
    _legal: tuple[list[int], list[Move]] | None = None
    _none: tuple[list[int], bool] | None = None

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

    def explain_why_not_your_turn(self, seat: int) -> str:
        """Return in a sentence why a seat may not choose now."""
        others = ", ".join(self.format_person_and_seat_name(other) for other in self.choosing_seats)
        if self.has_chosen_before_others(seat):
            return f"you have chosen already; {others} still choose{'s' if len(self.choosing_seats) == 1 else ''}"
        return f"it is not your turn: {self.format_person_and_seat_name(self.match.actor)} acts"

    # -- what is written ------------------------------------------------------------------------------------

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

    def format_earlier_and_own_transcripts(self) -> str:
        """Return the game as the judge reads it, with notes as comments, behind the campaign's earlier games."""
        return (
            f"{self.earlier}\n{self._format_transcript_of_this_session()}"
            if self.earlier
            else self._format_transcript_of_this_session()
        )

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


def _format_event_words_with_news(event: Event) -> str:
    """Return an event's words, with the news of its reader."""
    return f"{event.words} (now yours: {', '.join(event.news)})" if event.news else event.words
