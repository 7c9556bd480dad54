"""One game under way at a table: who sits where, what each seat may see and do, and its journal on disk.

Every change has a number. Whoever acts says which number they saw: a late or doubled click changes nothing.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playproof.referee.errors import NotLegal
from playproof.referee.events import Event
from playproof.referee.match import Match
from playproof.referee.transcript import write
from playproof.referee.variant import Variant
from playproof.referee.view import View, has_secrets, visible
from playproof.referee.words import seat_name
from playproof.rules.language import CHANCE, Broken, Move, Phase
from playproof.rules.language.expr import Const
from playproof.rules.language.game import Action
from playproof.table.targets import spaced

PERSON = "person"
MOST_NOTES, LONGEST_NOTE = 200, 300


class Stale(Exception):
    """Somebody acted on what the table no longer is. The message is for them; nothing has changed."""


class Refused(Exception):
    """Something that may not be done here and now. The message is for the one who asked; nothing has changed."""


def same(secret: str, given: str) -> bool:
    """Whether somebody knows a secret, in a time that does not tell how much of it."""
    return secrets.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that all people at the table must agree to: to go back to a step, here or at a new table."""

    kind: str
    step: int
    by: int
    agreed: frozenset[int]


@dataclass(frozen=True, slots=True)
class Heard:
    """A line of the log: who (a seat, CHANCE, or nobody: "") and what, in the words of whoever reads it."""

    actor: int
    who: str
    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wrote down, and after which step."""

    step: int
    who: str
    text: str


@dataclass
class Sitting:
    """A table. `seats` names "person" or a bot for each; `tokens` are their secrets, "" where nobody sits."""

    ident: str
    variant: Variant
    seats: tuple[str, ...]
    match: Match
    tokens: list[str]
    invite: str
    watch: str
    shared: bool = False  # all people at one screen, handed over from one to the next
    version: int = 0
    notes: list[Note] = field(default_factory=list)
    proposal: Proposal | None = None
    shown: int | None = None  # at one screen: the seat that looks now
    journal: Path | None = None

    @classmethod
    def begin(cls, variant: Variant, seats: Sequence[str], seed: int, *, shared: bool = False,
              folder: Path | None = None, actions: Sequence[int] = ()) -> Sitting:
        """A new table, after these actions of an older one."""
        ident = secrets.token_urlsafe(6)
        tokens = [secrets.token_urlsafe(18) if shared and who == PERSON else "" for who in seats]
        sitting = cls(ident, variant, tuple(seats), Match(variant, seed, seats=seats), tokens,
                      secrets.token_urlsafe(12), secrets.token_urlsafe(12), shared)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            sitting.journal = folder / f"{ident}.table"
            sitting._record({"table": ident, "game": variant.ref, "options": dict(variant.options),
                             "rulings": dict(variant.rulings), "data": variant.digest, "seed": seed,
                             "seats": list(seats), "tokens": tokens, "invite": sitting.invite,
                             "watch": sitting.watch, "shared": shared})
        for ident_of_action in actions:
            sitting._take(ident_of_action)
        sitting.settle()
        return sitting

    # -- who is who -----------------------------------------------------------------------------------------

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [n for n, who in enumerate(self.seats) if who == PERSON]

    @property
    def free(self) -> list[int]:
        """Seats of people where nobody sits yet."""
        return [n for n in self.people if not self.tokens[n]]

    def seat_of(self, token: str) -> int | None:
        """The seat a secret belongs to; None for no seat."""
        return next((n for n, own in enumerate(self.tokens) if own and same(own, token)), None)

    def sit_down(self, seat: int) -> str:
        """Take a free seat; the secret of it. Raises Refused."""
        if seat not in self.free:
            raise Refused("somebody already sits there")
        self.tokens[seat] = secrets.token_urlsafe(18)
        self._record({"token": [seat, self.tokens[seat]]})
        self._changed()
        return self.tokens[seat]

    def stand_up(self, seat: int) -> None:
        """Leave a seat, so that somebody else may take it; its old address no longer opens it."""
        self.tokens[seat] = ""
        self._record({"token": [seat, ""]})
        self._changed()

    def name(self, seat: int) -> str:
        """What a seat is called, CHANCE included."""
        return seat_name(self.variant.game, seat)

    # -- what is seen ---------------------------------------------------------------------------------------

    def view(self, seat: int | None, step: int | None = None) -> View:
        """The table as a seat sees it (None: a spectator, who sees what all see), now or after a step."""
        state = self.match.states[len(self.match.steps) if step is None else step]
        game = self.variant.game
        if seat is not None:
            return View.of(game, state, seat)
        masks = [visible(game, n) for n in range(game.players)]
        return View(None, tuple(v if all(seen) else None for v, *seen in zip(state, *masks, strict=True)))

    def heard(self, step: int, seat: int | None) -> list[Heard]:
        """A step of the log as a seat hears it (None: a spectator): the action and what it set off.

        A spectator hears what the seat hears that is told least, and nothing of what anybody comes to see alone.
        """
        if seat is not None:
            return [Heard(e.actor, e.who, _with_news(e)) for e in self.match.heard(step, seat)]
        told = [self.match.heard(step, n) for n in range(self.variant.game.players)]
        least = max(told, key=lambda events: sum(event.words.count("?") for event in events))
        return [Heard(event.actor, event.who, event.words) for event in least]

    def legal(self, seat: int | None) -> list[Move]:
        """What a seat may do now; nothing for whoever does not act."""
        if seat is None or self.match.over or self.match.actor != seat:
            return []
        return self.match.legal()

    @property
    def hides(self) -> bool:
        """Whether anything is hidden from any seat."""
        return has_secrets(self.variant.game)

    def why_not(self, seat: int | None, words: Sequence[str]) -> list[tuple[str, list[str]]]:
        """Actions with one of these words that may not be taken now, and why, those that lack least first.

        Reasons are worked out only for the seat that acts, in its own phase: there it may know them. Of other phases
        only their names are told.
        """
        match, game = self.match, self.variant.game
        if match.over:
            raise Refused("the game is over")
        if seat is None or match.actor != seat:
            raise Refused(f"it is not your turn: {self.name(match.actor)} acts")
        present = {action.number for action in game.phases[match.state[0]].actions}
        here: dict[str, list[str]] = {}
        elsewhere: dict[str, list[str]] = {}
        for action, ident, text in self._called(words):
            if action.number in present:
                broken = match.why_not(ident)
                if broken:
                    here[text] = [self._reason(one) for one in broken]
            else:
                phases = [game.phases[n] for n in action.phases]
                told = [phase.text for phase in phases if not _of_chance(phase)]
                if told:
                    elsewhere.setdefault(text, [f"not now, but when the game says: {told[0]}"])
        nearest = sorted(here.items(), key=lambda item: len(item[1]))
        return nearest or list(elsewhere.items())

    def _called(self, words: Sequence[str]) -> Iterator[tuple[Action, int, str]]:
        """Actions that have one of these words, with number and text."""
        wanted = [spaced(word) for word in words if word.strip()]
        for ident, action, values in self.variant.game.idents():
            text = action.show(values)
            if any(word in spaced(text) for word in wanted):
                yield action, ident, text

    def _reason(self, broken: Broken) -> str:
        """A requirement that is not met, with its rule's number and the rulebook's words."""
        rules = getattr(self.variant.data, "rules", {})
        said = [f"{ident}: {rules[ident].text}" for ident in broken.rule.split() if ident in rules]
        return " — ".join([str(broken), *said])

    # -- acting ---------------------------------------------------------------------------------------------

    def act(self, seat: int | None, version: int, ident: int) -> None:
        """A seat's action, taken on what it saw. Raises Stale or Refused; nothing changes then."""
        if seat is None:
            raise Refused("who watches does not play")
        if version != self.version:
            raise Stale("the table has moved on since then; nothing was done")
        if self.match.over:
            raise Refused("the game is over")
        if self.match.actor != seat:
            raise Refused(f"it is not your turn: {self.name(self.match.actor)} acts")
        if not 0 <= ident < self.variant.game.ground:
            raise Refused("there is no such action")
        try:
            self._take(ident)
        except NotLegal as error:
            raise Refused(error.message) from None
        self.proposal = None
        self.settle()

    def bot_acts(self, version: int, ident: int) -> bool:
        """A bot's action, if the table is still what the bot thought about."""
        if version != self.version or self.bot is None:
            return False
        self._take(ident)
        self.settle()
        return True

    @property
    def bot(self) -> str | None:
        """The bot that has to think now."""
        if self.match.over or self.match.actor == CHANCE or not self.match.play.legal(self.match.state):
            return None
        who = self.seats[self.match.actor]
        return None if who == PERSON else who

    def settle(self) -> None:
        """Let chance act until somebody decides."""
        match = self.match
        while not match.over and match.actor == CHANCE and match.play.legal(match.state):
            step = match.chance()
            self._record({"do": step.ident})
        self._changed()

    def _take(self, ident: int) -> None:
        self.match.apply(ident)
        self._record({"do": ident})
        self._changed()

    # -- time -----------------------------------------------------------------------------------------------

    def propose(self, seat: int | None, version: int, kind: str, step: int) -> Proposal | None:
        """Ask to go back to a step (`undo`) or to play on from there at a new table (`branch`).

        Returns the proposal when all people agree, else None.
        """
        if seat is None:
            raise Refused("who watches does not play")
        if version != self.version:
            raise Stale("the table has moved on since then; nothing was done")
        if kind not in ("undo", "branch") or not 0 <= step <= len(self.match.steps):
            raise Refused("there is no such moment in this game")
        if kind == "undo" and step == len(self.match.steps):
            raise Refused("there is nothing to take back")
        self.proposal = Proposal(kind, step, seat, frozenset([seat]))
        self._changed()
        return self._settled()

    def agree(self, seat: int | None, version: int, yes: bool) -> Proposal | None:
        """Say yes or no to what is proposed; the proposal when all have said yes."""
        if seat is None or self.proposal is None:
            raise Refused("nothing is proposed")
        if version != self.version:
            raise Stale("the table has moved on since then; nothing was done")
        if not yes:
            self.proposal = None
            self._changed()
            return None
        agreed = self.proposal.agreed | {seat}
        self.proposal = Proposal(self.proposal.kind, self.proposal.step, self.proposal.by, agreed)
        self._changed()
        return self._settled()

    def _settled(self) -> Proposal | None:
        """Whether all who sit here agree; at one screen one person speaks for all."""
        asked = {n for n in self.people if self.tokens[n]}
        if self.proposal is None or (not self.shared and asked - self.proposal.agreed):
            return None
        done, self.proposal = self.proposal, None
        if done.kind == "undo":
            self._go_back(done.step)
            self.settle()
        self._changed()
        return done

    def last_choice(self, seat: int) -> int | None:
        """The step before a seat's last own action; None if it has not acted."""
        return max((n for n, step in enumerate(self.match.steps) if step.actor == seat), default=None)

    def _go_back(self, step: int) -> None:
        self.match.back_to(step)
        self._record({"back": step})

    # -- writing --------------------------------------------------------------------------------------------

    def note(self, seat: int | None, text: str) -> None:
        """Write something down beside the game, for all to read."""
        if len(self.notes) >= MOST_NOTES:
            raise Refused(f"there are {MOST_NOTES} notes already")
        who = "somebody who watches" if seat is None else self.name(seat)
        clean = " ".join(text.split())[:LONGEST_NOTE]
        if not clean:
            raise Refused("the note is empty")
        note = Note(len(self.match.steps), who, clean)
        self.notes.append(note)
        self._record({"note": [note.step, note.who, note.text]})
        self._changed()

    def transcript(self) -> str:
        """The game as the judge reads it, notes as comments."""
        return write(self.match, "\n".join(f"after {n.step}, {n.who}: {n.text}" for n in self.notes))

    def _changed(self) -> None:
        self.version += 1

    def _record(self, line: Mapping[str, Any]) -> None:
        """Append one line to the journal; it is on its way to the disk before anybody sees the change."""
        if self.journal is None:
            return
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
        descriptor = os.open(self.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)


def restore(journal: Path) -> Sitting:
    """A table from its journal. A last line cut short is left out; ValueError says what else is wrong."""
    whole = journal.read_bytes().split(b"\n")
    lines = [json.loads(line) for line in whole[:-1]]  # the last is empty, or was cut short
    if not lines:
        raise ValueError(f"{journal}: the journal is empty")
    first, *rest = lines
    variant = Variant(first["game"], first["options"], first["rulings"])
    if variant.digest != first["data"]:
        raise ValueError(f"{journal}: the cards have changed since this game began")
    match = Match(variant, first["seed"], seats=first["seats"])
    sitting = Sitting(first["table"], variant, tuple(first["seats"]), match, first["tokens"], first["invite"],
                      first["watch"], first["shared"])
    for line in rest:
        _replay(sitting, line)
    if whole[-1]:  # cut short: begin the next line on a line of its own
        with journal.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in whole[:-1]))
    sitting.journal = journal
    sitting.settle()
    # Numbers go on above all that anybody saw before.
    sitting.version += 1_000_000 + 10 * len(lines)
    return sitting


def _replay(sitting: Sitting, line: Mapping[str, Any]) -> None:
    if "do" in line:
        sitting.match.apply(int(line["do"]))
    elif "back" in line:
        sitting._go_back(int(line["back"]))
    elif "token" in line:
        seat, token = line["token"]
        sitting.tokens[seat] = token
    elif "note" in line:
        sitting.notes.append(Note(*line["note"]))


def _of_chance(phase: Phase) -> bool:
    """Whether chance acts in a phase; what chance may do depends on what nobody sees."""
    return isinstance(phase.actor, Const) and phase.actor.value == CHANCE


def _with_news(event: Event) -> str:
    """An event's words, with what its reader alone came to see."""
    return f"{event.words} (now yours: {', '.join(event.news)})" if event.news else event.words
