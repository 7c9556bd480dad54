"""What people may change and ask at a table, by the names of the requests. Each is carried out whole
or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from playproof.language import Broken, Phase
from playproof.language.game import Action
from playproof.language.keyed_random import generate_secret_seed
from playproof.referee.notation import has_word_for_each_wanted_beginning
from playproof.referee.transcript import NextGame, get_next_game_of_campaign_or_none
from playproof.table.game_session import ONE_PAGE, OWN_PAGES, GameSession
from playproof.table.scene import get_action_words_of_piece_or_spot, normalize_for_whole_word_search
from playproof.table.session_seats import RequestRefused, StaleRequest
from playproof.table.sessions import RunningSession, ServerState
from playproof.table.web_exchange import parse_colour_number_field_or_none, parse_number_field_or_refuse

if TYPE_CHECKING:
    from playproof.referee.variant import Variant


# -- verbs ---------------------------------------------------------------------------------------------------
# What people may change at a table, by the names of the requests. Each is carried out whole or not at all.

VERBS = (
    "move",
    "why",
    "may",
    "say",
    "decide",
    "propose",
    "agree",
    "note",
    "ready",
    "leave",
    "bot",
    "next",
    "introduce",
    "wish",
)
"""The names of all requests that change a table."""

AddressOrSentenceOrEmpty = str
"""What answers a request: the address to go to, which begins with a slash; a sentence for the sender; or ""."""


class TableRequests:
    """One method for each of VERBS. Each raises RequestRefused or StaleRequest."""

    def __init__(self, server_state: ServerState) -> None:
        self.server_state = server_state

    def move(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Take an action."""
        position = fields.get("position", "")
        running_session.session.take_action_of_seat_or_refuse(
            seat,
            parse_number_field_or_refuse(fields, "version"),
            parse_number_field_or_refuse(fields, "move"),
            position,
        )
        return ""

    def why(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Say why nothing can be done at a place, or with some words."""
        words = [fields["words"]] if fields.get("words") else []
        if fields.get("key") and running_session.printed_variant.layout:
            scene = running_session.printed_variant.layout.make_scene_from_view(
                running_session.session.make_view_of_seat_or_spectator(seat),
                reader_key=(running_session.session.ident, seat),
            )
            words += get_action_words_of_piece_or_spot(scene, fields["key"])
        if not words:
            raise RequestRefused("nothing is done here")
        reasons_of = list_refused_actions_with_reasons(running_session.session, seat, words)
        if not reasons_of:
            raise RequestRefused(f"no action speaks of {words[0]}")
        lines = [f"{text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
        return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])

    def may(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Say whether an action in words is legal, and the rule if it is not."""
        if not fields.get("words", "").strip():
            raise RequestRefused("may you what? A few words of an action")
        return answer_whether_action_is_legal(running_session.session, seat, fields["words"])

    def say(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Record in words what happened on paper."""
        running_session.session.report_paper_action_or_refuse(
            seat, parse_number_field_or_refuse(fields, "version"), fields.get("words", "")
        )
        return ""

    def decide(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Record how a game on paper ended, if that depends on cards nobody reported."""
        running_session.session.record_paper_game_ending_or_refuse(
            seat, parse_number_field_or_refuse(fields, "version"), fields.get("verdict", "")
        )
        return ""

    def propose(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Propose to go back, or to play on from a moment at a new table."""
        done = running_session.session.propose_and_get_proposal_if_agreed(
            seat,
            parse_number_field_or_refuse(fields, "version"),
            fields.get("kind", ""),
            parse_number_field_or_refuse(fields, "step"),
        )
        return self._start_branch_and_get_path_or_empty(running_session, seat, done.kind, done.step) if done else ""

    def agree(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Answer a proposal with yes or no."""
        done = running_session.session.answer_proposal_and_get_it_if_agreed(
            seat, parse_number_field_or_refuse(fields, "version"), fields.get("yes") == "1"
        )
        return self._start_branch_and_get_path_or_empty(running_session, seat, done.kind, done.step) if done else ""

    def _start_branch_and_get_path_or_empty(
        self, running_session: RunningSession, seat: int | None, proposal_kind: str, target_step: int
    ) -> str:
        """Carry out a proposal that all agreed to. A branch has the same seats with the same
        people, and a new seed, or it would tell what is to come at the old table."""
        if proposal_kind != "branch":
            return ""
        old = running_session.session
        new = self._start_similar_session(
            old,
            old.variant,
            old.seats,
            earlier_transcripts=old.earlier,
            initial_actions=old.match.actions[:target_step],
            supposed_steps=old.reported_match.loose[:target_step] if old.reported_match else (),
        )
        old.seat_people_there_and_record_branch(new.session, target_step)
        self.server_state.tell_listeners_and_start_pending_work(new)
        return "" if seat is None else f"/t/{new.session.ident}/{new.session.tokens[seat]}"

    def next(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Begin the game that follows, at a new table: a campaign's next with the same seats, else the same game with
        the seats turned. Whoever asks later joins it."""
        old = running_session.session
        after = get_next_game_of_campaign_or_none(old.match)
        if seat is None or not old.match.over or old.verdicts:
            raise RequestRefused("who watches does not play" if seat is None else "no game follows this one yet")
        new = self.server_state.find_or_restore_session(old.following) if old.following else None
        if new is None:
            if parse_number_field_or_refuse(fields, "version") != old.version:
                raise StaleRequest("the table has moved on since then; nothing was done")
            order = fields.get("order", "").split()
            new = self._start_rematch(old) if after is None else self._start_next_campaign_session(old, after, order)
        there = seat if after is not None else (seat + 1) % len(old.seats)
        token = old.get_token_at_other_session_or_empty(
            old.following, seat
        ) or new.session.take_free_seat_and_get_token(there)
        return f"/t/{new.session.ident}/{token}"

    def _start_rematch(self, finished_session: GameSession) -> RunningSession:
        """Begin the same game with everybody one seat further."""
        new = self._start_similar_session(
            finished_session, finished_session.variant, [*finished_session.seats[-1:], *finished_session.seats[:-1]]
        )
        return self._move_people_to_following_session(finished_session, new, seat_shift=1)

    def _start_next_campaign_session(
        self, finished_session: GameSession, next_game: NextGame, names_in_order: list[str]
    ) -> RunningSession:
        try:
            variant = next_game.build_variant_of_next_game(finished_session.variant, names_in_order)
        except ValueError as error:
            raise RequestRefused(str(error)) from None
        new = self._start_similar_session(
            finished_session,
            variant,
            finished_session.seats,
            earlier_transcripts=finished_session.format_earlier_and_own_transcripts(),
        )
        return self._move_people_to_following_session(finished_session, new)

    def _start_similar_session(
        self,
        session_to_copy: GameSession,
        variant: Variant,
        seats: Sequence[str],
        *,
        earlier_transcripts: str = "",
        initial_actions: Sequence[int] = (),
        supposed_steps: Sequence[bool] = (),
    ) -> RunningSession:
        """Begin a table that is played, recorded and timed as an old one, with a new seed."""
        return self.server_state.start_session_or_refuse(
            variant.ref,
            variant.options,
            variant.rulings,
            seats,
            generate_secret_seed(),
            one_screen=session_to_copy.shared,
            initial_actions=initial_actions,
            paper_mode=""
            if session_to_copy.reported_match is None
            else OWN_PAGES
            if session_to_copy.reported_match.apart
            else ONE_PAGE,
            supposed_steps=supposed_steps,
            earlier_transcripts=earlier_transcripts,
            clock_settings=None if session_to_copy.clocks is None else session_to_copy.clocks.terms,
            description_file=variant.file if initial_actions else "",  # they were legal by that description
        )

    def _move_people_to_following_session(
        self, finished_session: GameSession, next_session: RunningSession, seat_shift: int = 0
    ) -> RunningSession:
        """Let a game that is over lead on to the next, with everybody `seat_shift` seats further."""
        finished_session.seat_people_there_and_record_branch(
            next_session.session, len(finished_session.match.steps), seat_shift=seat_shift
        )
        finished_session.set_following_session(next_session.session.ident)
        self.server_state.tell_listeners_and_start_pending_work(next_session)
        return next_session

    def note(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Write a note."""
        running_session.session.add_note_or_refuse(seat, fields.get("text", ""))
        return ""

    def introduce(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Say what the person at a seat is called, and choose a colour."""
        if seat is None:
            raise RequestRefused("who watches goes by no name")
        running_session.session.set_name_and_colour_or_refuse(
            seat, fields.get("name", ""), parse_colour_number_field_or_none(fields)
        )
        return ""

    def wish(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Play with a clock, or without one."""
        running_session.session.give_or_remove_clock_or_refuse(seat, fields.get("yes") == "1")
        return ""

    def ready(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """At one screen, note that the next person looks now."""
        if seat is None:
            raise RequestRefused("who watches does not take the screen")
        if (
            running_session.session.shared
            and parse_number_field_or_refuse(fields, "seat") in running_session.session.people_seats
        ):
            running_session.session.seat_at_screen = parse_number_field_or_refuse(fields, "seat")
        return ""

    def bot(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Let a bot play a free seat."""
        running_session.session.give_seat_to_bot_or_refuse(seat, parse_number_field_or_refuse(fields, "seat"))
        return ""

    def leave(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> AddressOrSentenceOrEmpty:
        """Leave a seat for somebody else."""
        if seat is None or running_session.session.shared:
            raise RequestRefused("there is no seat to leave")
        running_session.session.vacate_seat_for_somebody_else(seat)
        return f"/t/{running_session.session.ident}/{running_session.session.watch}"


# -- questions -----------------------------------------------------------------------------------------------
# Questions that people ask at a table: "may I?" and "why not?", answered with the rule.

_MOST_MEANT = 12  # actions that a short question may mean
_MOST_CITED = 2  # rules cited for another phase


class RefusedAction(NamedTuple):
    action_text: str
    reasons: list[str]


def list_refused_actions_with_reasons(
    session: GameSession, seat: int | None, any_of_words: Sequence[str]
) -> list[RefusedAction]:
    """Return the actions with one of these words that are not legal now, and the reasons; those
    that fail the fewest requirements come first.

    It computes reasons only for the seat that acts, in its own phase, because there the seat may
    know them. For actions of other phases it gives only the phase. Raises RequestRefused if the game is
    over or it is not the seat's turn.
    """
    match, game = session.match, session.variant.game
    if match.over:
        raise RequestRefused("the game is over")
    if seat is None or not session.needs_action_from(seat):
        raise RequestRefused("who watches does not play" if seat is None else session.explain_why_not_your_turn(seat))
    if session.reported_match is None and seat != match.actor:
        # The rules ask another seat: reasons worked out now would be that seat's.
        raise RequestRefused("all choose at once: what you may choose is listed; the rest may not be chosen")
    present = {action.number for action in game.phases[match.state[0]].actions}
    here: dict[str, list[str]] = {}
    elsewhere: dict[str, list[str]] = {}
    for action, ident, text in _iter_actions_containing_any_words(session, any_of_words):
        if action.number in present:
            broken = _list_requirements_action_fails(session, ident)
            if broken:
                here[text] = [_format_requirement_with_quoted_rules(session, guard) for guard in broken]
        else:
            moments = [game.phases[n] for n in action.phases]
            later = next((phase for phase in moments if phase.text and not phase.chance), None)
            if later is not None:
                elsewhere.setdefault(text, [_describe_when_action_is_possible(session, action, later)])
    nearest = sorted(here.items(), key=lambda item: len(item[1]))
    return [RefusedAction(text, reasons) for text, reasons in nearest or elsewhere.items()]


def answer_whether_action_is_legal(session: GameSession, seat: int | None, action_words: str) -> str:
    """Answer "may I?", with the rule. Raises RequestRefused as `list_refused_actions_with_reasons` does, or if no
    action has these words."""
    can = [
        move.text
        for move in session.list_moves_seat_may_take_now(seat)
        if has_word_for_each_wanted_beginning(move.text, action_words)
    ]
    if can:
        more = f", and {len(can) - 3} more" if len(can) > 3 else ""
        return f"yes: {', '.join(can[:3])}{more}"
    reasons_of = list_refused_actions_with_reasons(
        session, seat, [action_words]
    ) or _list_refusals_by_beginnings_or_raise(session, seat, action_words)
    lines = [f"no: {text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
    return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])


def _list_refusals_by_beginnings_or_raise(
    session: GameSession, seat: int | None, word_beginnings: str
) -> list[RefusedAction]:
    """Do the same for words that an action contains, but not side by side."""
    texts = {
        text
        for _, _, text in _iter_actions_containing_any_words(session, [""])
        if has_word_for_each_wanted_beginning(text, word_beginnings)
    }
    reasons_of = list_refused_actions_with_reasons(session, seat, sorted(texts, key=len)[:_MOST_MEANT]) if texts else []
    if not reasons_of:
        match = session.match
        near = match.lexicon.suggest_up_to_three_similar_wordings(
            word_beginnings, match.play.legal(match.state) if session.list_moves_seat_may_take_now(seat) else ()
        )
        raise RequestRefused(
            f"no action is called `{word_beginnings}`" + (f"; did you mean: {', '.join(near)}?" if near else "")
        )
    return reasons_of


def _list_requirements_action_fails(session: GameSession, action_id: int) -> tuple[Broken, ...]:
    return (
        session.reported_match.list_requirements_forbidding_action_for_sure(action_id)
        if session.reported_match is not None
        else session.match.why_not(action_id)
    )


class GroundActionText(NamedTuple):
    action: Action
    number: int
    text: str


def _iter_actions_containing_any_words(session: GameSession, any_of_words: Sequence[str]) -> Iterator[GroundActionText]:
    """Yield the actions that contain one of these words, with number and text."""
    wanted = [normalize_for_whole_word_search(word) for word in any_of_words]
    for ident, action, values in session.variant.game.iter_ground_actions():
        text = action.format_ground_action(values)
        if any(word in normalize_for_whole_word_search(text) or not word.strip() for word in wanted):
            yield GroundActionText(action, ident, text)


def _format_requirement_with_quoted_rules(session: GameSession, broken: Broken) -> str:
    """Return a failed requirement with its rule's number and the rulebook's words."""
    return " — ".join([str(broken), *_quote_existing_rules(session, broken.rule.split())])


def _describe_when_action_is_possible(session: GameSession, action: Action, later_phase: Phase) -> str:
    """Return when an action may be taken, with the rules that say so."""
    cited = dict.fromkeys([*action.rules, *later_phase.rules])
    return " — ".join(
        [
            f"not now, but when the game says: {later_phase.text}",
            *_quote_existing_rules(session, [*cited][:_MOST_CITED]),
        ]
    )


def _quote_existing_rules(session: GameSession, rule_ids: Sequence[str]) -> list[str]:
    """Return rules with their numbers and the rulebook's words, if there is a rulebook."""
    rules = getattr(session.variant.data, "rules", {})
    return [f"{ident}: {rules[ident].text}" for ident in rule_ids if ident in rules]
