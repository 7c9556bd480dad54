"""What people may change and ask at a table, by the names of the requests. Each is carried out whole
or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from playproof.language import Broken, Phase
from playproof.language.game import Action
from playproof.language.keyed_random import generate_secret_seed
from playproof.referee.notation import has_all_word_beginnings
from playproof.referee.transcript import NextGame, find_next_game
from playproof.table.game_session import ONE_PAGE, OWN_PAGES, GameSession, RequestRefused, StaleRequest
from playproof.table.scene import get_words_of_key, normalize_words
from playproof.table.sessions import RunningSession, ServerState
from playproof.table.web_exchange import parse_colour_field, parse_number_field

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


class TableRequests:
    """One method for each of VERBS. It returns "", the address to go to, or a sentence for the sender, and raises
    Refused or Stale."""

    def __init__(self, hall: ServerState) -> None:
        self.hall = hall

    def move(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Take an action."""
        position = fields.get("position", "")
        running_session.session.take_action(
            seat, parse_number_field(fields, "version"), parse_number_field(fields, "move"), position
        )
        return ""

    def why(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Say why nothing can be done at a place, or with some words."""
        words = [fields["words"]] if fields.get("words") else []
        if fields.get("key") and running_session.printed_variant.layout:
            scene = running_session.printed_variant.layout.lay_out_view(
                running_session.session.make_view_of_seat(seat), reader=(running_session.session.ident, seat)
            )
            words += get_words_of_key(scene, fields["key"])
        if not words:
            raise RequestRefused("nothing is done here")
        reasons_of = find_refused_actions(running_session.session, seat, words)
        if not reasons_of:
            raise RequestRefused(f"no action speaks of {words[0]}")
        lines = [f"{text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
        return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])

    def may(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Say whether an action in words is legal, and the rule if it is not."""
        if not fields.get("words", "").strip():
            raise RequestRefused("may you what? A few words of an action")
        return answer_may_question(running_session.session, seat, fields["words"])

    def say(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Record in words what happened on paper."""
        running_session.session.report_in_words(
            seat, parse_number_field(fields, "version"), fields.get("words", "")
        )
        return ""

    def decide(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Record how a game on paper ended, if that depends on cards nobody reported."""
        running_session.session.record_verdict(
            seat, parse_number_field(fields, "version"), fields.get("verdict", "")
        )
        return ""

    def propose(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Propose to go back, or to play on from a moment at a new table."""
        done = running_session.session.propose_time_change(
            seat,
            parse_number_field(fields, "version"),
            fields.get("kind", ""),
            parse_number_field(fields, "step"),
        )
        return self._carry_out_proposal(running_session, seat, done.kind, done.step) if done else ""

    def agree(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Answer a proposal with yes or no."""
        done = running_session.session.answer_proposal(
            seat, parse_number_field(fields, "version"), fields.get("yes") == "1"
        )
        return self._carry_out_proposal(running_session, seat, done.kind, done.step) if done else ""

    def _carry_out_proposal(
        self, running_session: RunningSession, seat: int | None, kind: str, step: int
    ) -> str:
        """Carry out a proposal that all agreed to. A branch has the same seats with the same
        people, and a new seed, or it would tell what is to come at the old table."""
        if kind != "branch":
            return ""
        old = running_session.session
        new = self._start_similar_session(
            old,
            old.variant,
            old.seats,
            earlier=old.earlier,
            actions=old.match.actions[:step],
            supposed_steps=old.reported_match.loose[:step] if old.reported_match else (),
        )
        old.move_people_to(new.session, step)
        self.hall.announce_change(new)
        return "" if seat is None else f"/t/{new.session.ident}/{new.session.tokens[seat]}"

    def next(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Begin the game that follows, at a new table: a campaign's next with the same seats, else the same game with
        the seats turned. Whoever asks later joins it."""
        old = running_session.session
        after = find_next_game(old.match)
        if seat is None or not old.match.over or old.verdicts:
            raise RequestRefused(
                "who watches does not play" if seat is None else "no game follows this one yet"
            )
        new = self.hall.find_session(old.following) if old.following else None
        if new is None:
            if parse_number_field(fields, "version") != old.version:
                raise StaleRequest("the table has moved on since then; nothing was done")
            order = fields.get("order", "").split()
            new = (
                self._start_rematch(old)
                if after is None
                else self._start_next_campaign_game(old, after, order)
            )
        there = seat if after is not None else (seat + 1) % len(old.seats)
        token = old.get_token_at(old.following, seat) or new.session.take_seat(there)
        return f"/t/{new.session.ident}/{token}"

    def _start_rematch(self, old: GameSession) -> RunningSession:
        """Begin the same game with everybody one seat further."""
        new = self._start_similar_session(old, old.variant, [*old.seats[-1:], *old.seats[:-1]])
        return self._move_people_on(old, new, seat_shift=1)

    def _start_next_campaign_game(
        self, old: GameSession, after: NextGame, order: list[str]
    ) -> RunningSession:
        try:
            variant = after.build_variant(old.variant, order)
        except ValueError as error:
            raise RequestRefused(str(error)) from None
        new = self._start_similar_session(old, variant, old.seats, earlier=old.format_all_transcripts())
        return self._move_people_on(old, new)

    def _start_similar_session(
        self,
        old: GameSession,
        variant: Variant,
        seats: Sequence[str],
        *,
        earlier: str = "",
        actions: Sequence[int] = (),
        supposed_steps: Sequence[bool] = (),
    ) -> RunningSession:
        """Begin a table that is played, recorded and timed as an old one, with a new seed."""
        return self.hall.start_session(
            variant.ref,
            variant.options,
            variant.rulings,
            seats,
            generate_secret_seed(),
            shared=old.shared,
            actions=actions,
            paper="" if old.reported_match is None else OWN_PAGES if old.reported_match.apart else ONE_PAGE,
            supposed_steps=supposed_steps,
            earlier=earlier,
            clock_settings=None if old.clocks is None else old.clocks.terms,
            file=variant.file if actions else "",  # they were legal by that description
        )

    def _move_people_on(self, old: GameSession, new: RunningSession, seat_shift: int = 0) -> RunningSession:
        """Let a game that is over lead on to the next, with everybody `turned` seats further."""
        old.move_people_to(new.session, len(old.match.steps), seat_shift=seat_shift)
        old.set_following_table(new.session.ident)
        self.hall.announce_change(new)
        return new

    def note(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Write a note."""
        running_session.session.add_note(seat, fields.get("text", ""))
        return ""

    def introduce(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Say what the person at a seat is called, and choose a colour."""
        if seat is None:
            raise RequestRefused("who watches goes by no name")
        running_session.session.set_person(seat, fields.get("name", ""), parse_colour_field(fields))
        return ""

    def wish(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Play with a clock, or without one."""
        running_session.session.give_or_remove_clock(seat, fields.get("yes") == "1")
        return ""

    def ready(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """At one screen, note that the next person looks now."""
        if seat is None:
            raise RequestRefused("who watches does not take the screen")
        if (
            running_session.session.shared
            and parse_number_field(fields, "seat") in running_session.session.people_seats
        ):
            running_session.session.seat_at_screen = parse_number_field(fields, "seat")
        return ""

    def bot(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Let a bot play a free seat."""
        running_session.session.give_seat_to_bot(seat, parse_number_field(fields, "seat"))
        return ""

    def leave(
        self, running_session: RunningSession, seat: int | None, fields: dict[str, str], page_path: str
    ) -> str:
        """Leave a seat for somebody else."""
        if seat is None or running_session.session.shared:
            raise RequestRefused("there is no seat to leave")
        running_session.session.leave_seat(seat)
        return f"/t/{running_session.session.ident}/{running_session.session.watch}"


# -- questions -----------------------------------------------------------------------------------------------
# Questions that people ask at a table: "may I?" and "why not?", answered with the rule.

_MOST_MEANT = 12  # actions that a short question may mean
_MOST_CITED = 2  # rules cited for another phase


def find_refused_actions(
    session: GameSession, seat: int | None, words: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """Return the actions with one of these words that are not legal now, and the reasons; those
    that fail the fewest requirements come first.

    It computes reasons only for the seat that acts, in its own phase, because there the seat may
    know them. For actions of other phases it gives only the phase. Raises Refused if the game is
    over or it is not the seat's turn.
    """
    match, game = session.match, session.variant.game
    if match.over:
        raise RequestRefused("the game is over")
    if seat is None or not session.needs_action_from(seat):
        raise RequestRefused(
            "who watches does not play" if seat is None else session.explain_whose_turn(seat)
        )
    if session.reported_match is None and seat != match.actor:
        # The rules ask another seat: reasons worked out now would be that seat's.
        raise RequestRefused("all choose at once: what you may choose is listed; the rest may not be chosen")
    present = {action.number for action in game.phases[match.state[0]].actions}
    here: dict[str, list[str]] = {}
    elsewhere: dict[str, list[str]] = {}
    for action, ident, text in _iter_actions_with_words(session, words):
        if action.number in present:
            broken = _find_failed_requirements(session, ident)
            if broken:
                here[text] = [_format_reason(session, guard) for guard in broken]
        else:
            moments = [game.phases[n] for n in action.phases]
            later = next((phase for phase in moments if phase.text and not phase.chance), None)
            if later is not None:
                elsewhere.setdefault(text, [_describe_other_phase(session, action, later)])
    nearest = sorted(here.items(), key=lambda item: len(item[1]))
    return nearest or list(elsewhere.items())


def answer_may_question(session: GameSession, seat: int | None, words: str) -> str:
    """Answer "may I?", with the rule. Raises Refused as `find_refused_actions` does, or if no action has
    these words."""
    can = [
        move.text for move in session.list_moves_of_seat(seat) if has_all_word_beginnings(move.text, words)
    ]
    if can:
        more = f", and {len(can) - 3} more" if len(can) > 3 else ""
        return f"yes: {', '.join(can[:3])}{more}"
    reasons_of = find_refused_actions(session, seat, [words]) or _find_refused_by_word_beginnings(
        session, seat, words
    )
    lines = [f"no: {text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
    return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])


def _find_refused_by_word_beginnings(
    session: GameSession, seat: int | None, words: str
) -> list[tuple[str, list[str]]]:
    """Do the same for words that an action contains, but not side by side."""
    texts = {
        text for _, _, text in _iter_actions_with_words(session, [""]) if has_all_word_beginnings(text, words)
    }
    reasons_of = find_refused_actions(session, seat, sorted(texts, key=len)[:_MOST_MEANT]) if texts else []
    if not reasons_of:
        match = session.match
        near = match.lexicon.suggest_similar_wordings(
            words, match.play.legal(match.state) if session.list_moves_of_seat(seat) else ()
        )
        raise RequestRefused(
            f"no action is called `{words}`" + (f"; did you mean: {', '.join(near)}?" if near else "")
        )
    return reasons_of


def _find_failed_requirements(session: GameSession, action_id: int) -> tuple[Broken, ...]:
    return (
        session.reported_match.find_forbidding_requirements(action_id)
        if session.reported_match is not None
        else session.match.why_not(action_id)
    )


def _iter_actions_with_words(session: GameSession, words: Sequence[str]) -> Iterator[tuple[Action, int, str]]:
    """Yield the actions that contain one of these words, with number and text."""
    wanted = [normalize_words(word) for word in words]
    for ident, action, values in session.variant.game.iter_ground_actions():
        text = action.format_action(values)
        if any(word in normalize_words(text) or not word.strip() for word in wanted):
            yield action, ident, text


def _format_reason(session: GameSession, broken: Broken) -> str:
    """Return a failed requirement with its rule's number and the rulebook's words."""
    return " — ".join([str(broken), *_quote_rules(session, broken.rule.split())])


def _describe_other_phase(session: GameSession, action: Action, phase: Phase) -> str:
    """Return when an action may be taken, with the rules that say so."""
    cited = dict.fromkeys([*action.rules, *phase.rules])
    return " — ".join(
        [f"not now, but when the game says: {phase.text}", *_quote_rules(session, [*cited][:_MOST_CITED])]
    )


def _quote_rules(session: GameSession, rule_ids: Sequence[str]) -> list[str]:
    """Return rules with their numbers and the rulebook's words, if there is a rulebook."""
    rules = getattr(session.variant.data, "rules", {})
    return [f"{ident}: {rules[ident].text}" for ident in rule_ids if ident in rules]
