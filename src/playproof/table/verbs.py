"""What people may change at a table, by the names of the requests. Each is carried out whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.keyed_random import fresh_seed
from playproof.referee.campaign import NextGame, following
from playproof.table.action_targets import words_at
from playproof.table.hall import Desk, Hall
from playproof.table.questions import may, why_not
from playproof.table.replies import colour, number
from playproof.table.sitting import ONE_PAGE, OWN_PAGES, Refused, Sitting, Stale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playproof.referee.variant import Variant

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


class Verbs:
    """One method for each of VERBS. It returns "", the address to go to, or a sentence for the sender, and raises
    Refused or Stale."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall

    def move(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Take an action."""
        position = fields.get("position", "")
        desk.sitting.act(seat, number(fields, "version"), number(fields, "move"), position)
        return ""

    def why(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Say why nothing can be done at a place, or with some words."""
        words = [fields["words"]] if fields.get("words") else []
        if fields.get("key") and desk.printed.spread:
            scene = desk.printed.spread.lay(desk.sitting.view(seat), reader=(desk.sitting.ident, seat))
            words += words_at(scene, fields["key"])
        if not words:
            raise Refused("nothing is done here")
        reasons_of = why_not(desk.sitting, seat, words)
        if not reasons_of:
            raise Refused(f"no action speaks of {words[0]}")
        lines = [f"{text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
        return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])

    def may(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Say whether an action in words is legal, and the rule if it is not."""
        if not fields.get("words", "").strip():
            raise Refused("may you what? A few words of an action")
        return may(desk.sitting, seat, fields["words"])

    def say(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Record in words what happened on paper."""
        desk.sitting.say(seat, number(fields, "version"), fields.get("words", ""))
        return ""

    def decide(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Record how a game on paper ended, if that depends on cards nobody reported."""
        desk.sitting.decide(seat, number(fields, "version"), fields.get("verdict", ""))
        return ""

    def propose(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Propose to go back, or to play on from a moment at a new table."""
        done = desk.sitting.propose(
            seat, number(fields, "version"), fields.get("kind", ""), number(fields, "step")
        )
        return self._settled(desk, seat, done.kind, done.step) if done else ""

    def agree(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Answer a proposal with yes or no."""
        done = desk.sitting.agree(seat, number(fields, "version"), fields.get("yes") == "1")
        return self._settled(desk, seat, done.kind, done.step) if done else ""

    def _settled(self, desk: Desk, seat: int | None, kind: str, step: int) -> str:
        """Carry out a proposal that all agreed to. A branch has the same seats with the same
        people, and a new seed, or it would tell what is to come at the old table."""
        if kind != "branch":
            return ""
        old = desk.sitting
        new = self._table_like(
            old,
            old.variant,
            old.seats,
            earlier=old.earlier,
            actions=old.match.actions[:step],
            loose=old.paper.loose[:step] if old.paper else (),
        )
        old.play_on_at(new.sitting, step)
        self.hall.go_on(new)
        return "" if seat is None else f"/t/{new.sitting.ident}/{new.sitting.tokens[seat]}"

    def next(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Begin the game that follows, at a new table: a campaign's next with the same seats, else the same game with
        the seats turned. Whoever asks later joins it."""
        old = desk.sitting
        after = following(old.match)
        if seat is None or not old.match.over or old.verdicts:
            raise Refused("who watches does not play" if seat is None else "no game follows this one yet")
        new = self.hall.find(old.following) if old.following else None
        if new is None:
            if number(fields, "version") != old.version:
                raise Stale("the table has moved on since then; nothing was done")
            order = fields.get("order", "").split()
            new = self._again(old) if after is None else self._campaign_goes_on(old, after, order)
        there = seat if after is not None else (seat + 1) % len(old.seats)
        token = old.token_at(old.following, seat) or new.sitting.sit_down(there)
        return f"/t/{new.sitting.ident}/{token}"

    def _again(self, old: Sitting) -> Desk:
        """Begin the same game with everybody one seat further."""
        new = self._table_like(old, old.variant, [*old.seats[-1:], *old.seats[:-1]])
        return self._leads_on(old, new, turned=1)

    def _campaign_goes_on(self, old: Sitting, after: NextGame, order: list[str]) -> Desk:
        try:
            variant = after.variant(old.variant, order)
        except ValueError as error:
            raise Refused(str(error)) from None
        new = self._table_like(old, variant, old.seats, earlier=old.transcript())
        return self._leads_on(old, new)

    def _table_like(
        self,
        old: Sitting,
        variant: Variant,
        seats: Sequence[str],
        *,
        earlier: str = "",
        actions: Sequence[int] = (),
        loose: Sequence[bool] = (),
    ) -> Desk:
        """Begin a table that is played, recorded and timed as an old one, with a new seed."""
        return self.hall.begin(
            variant.ref,
            variant.options,
            variant.rulings,
            seats,
            fresh_seed(),
            shared=old.shared,
            actions=actions,
            paper="" if old.paper is None else OWN_PAGES if old.paper.apart else ONE_PAGE,
            loose=loose,
            earlier=earlier,
            terms=None if old.clocks is None else old.clocks.terms,
            file=variant.file if actions else "",  # they were legal by that description
        )

    def _leads_on(self, old: Sitting, new: Desk, turned: int = 0) -> Desk:
        """Let a game that is over lead on to the next, with everybody `turned` seats further."""
        old.play_on_at(new.sitting, len(old.match.steps), turned=turned)
        old.goes_on_at(new.sitting.ident)
        self.hall.go_on(new)
        return new

    def note(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Write a note."""
        desk.sitting.note(seat, fields.get("text", ""))
        return ""

    def introduce(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Say what the person at a seat is called, and choose a colour."""
        if seat is None:
            raise Refused("who watches goes by no name")
        desk.sitting.introduce(seat, fields.get("name", ""), colour(fields))
        return ""

    def wish(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Play with a clock, or without one."""
        desk.sitting.wish(seat, fields.get("yes") == "1")
        return ""

    def ready(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """At one screen, note that the next person looks now."""
        if seat is None:
            raise Refused("who watches does not take the screen")
        if desk.sitting.shared and number(fields, "seat") in desk.sitting.people:
            desk.sitting.looking = number(fields, "seat")
        return ""

    def bot(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Let a bot play a free seat."""
        desk.sitting.give_to_bot(seat, number(fields, "seat"))
        return ""

    def leave(self, desk: Desk, seat: int | None, fields: dict[str, str], base: str) -> str:
        """Leave a seat for somebody else."""
        if seat is None or desk.sitting.shared:
            raise Refused("there is no seat to leave")
        desk.sitting.stand_up(seat)
        return f"/t/{desk.sitting.ident}/{desk.sitting.watch}"
