"""One game under way at a table: what its seats do, and going back.

A request to change something gives the version of the game that its sender saw, so a late or doubled click changes
nothing."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from playproof.database.files import write_file_atomically
from playproof.language import CHANCE
from playproof.language.description import write as write_description
from playproof.language.keyed_random import generate_secret_seed
from playproof.language.registry import get_name_recorded_for_game
from playproof.referee.errors import CannotRead, MoveError, NotLegal
from playproof.referee.match import Match, list_action_ids_seat_may_choose_or_empty
from playproof.referee.reported_match import ReportedMatch
from playproof.referee.variant import Variant
from playproof.table.scene import normalize_for_whole_word_search
from playproof.table.session_records import (
    PLAYS_ON,
    ClockSettings,
    Proposal,
    SeatClocks,
    get_path_of_stored_description,
)
from playproof.table.session_seats import PERSON, RequestRefused, StaleRequest, are_secrets_equal_in_constant_time
from playproof.table.session_views import VisibleTable

# where people report a game with paper: at one page for all, or each at their own
ONE_PAGE, OWN_PAGES = ("one", "own")
MOST_BRANCHES = 20


class BotMoment(NamedTuple):
    version: int  # of the game
    step_count: int


@dataclass
class GameSession(VisibleTable):
    """A table with its game."""

    proposal: Proposal | None = None
    seat_at_screen: int | None = None  # at one screen: the seat that looks now
    decided: bool = False  # somebody has said how a game with paper ended
    times_back: int = 0  # how often people have gone back
    run: str = field(default_factory=lambda: secrets.token_hex(4))  # another whenever the table is restored
    _verdicts: tuple[int, dict[str, list[int]]] | None = None

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

    def _append_last_step_to_journal(self) -> None:
        step = self.match.steps[-1]
        line: dict[str, Any] = {"do": step.ident, "words": step.text}
        if self.reported_match is not None and self.reported_match.loose[-1]:
            line["loose"] = True
        self._append_to_journal(line)

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

    # -- with paper -----------------------------------------------------------------------------------------

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

    # -- bots -----------------------------------------------------------------------------------------------

    @property
    def bot_moment(self) -> BotMoment:
        """What a bot's choice is for: where all choose at once, one version has several steps."""
        return BotMoment(self.version, len(self.match.steps))

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
