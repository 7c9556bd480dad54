"""A match: one game being played. It keeps every action, so it can be undone, saved, and judged.

Chance is decided by the seed and the number of the decision, so undoing does not change the cards
to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from playproof.referee.errors import Ambiguous, CannotRead, NotLegal
from playproof.referee.events import Event, events_of
from playproof.referee.notation import Lexicon, round_of, seat_name
from playproof.referee.position import position_text
from playproof.referee.variant import Variant
from playproof.rules.language import CHANCE, Broken, Ending, Game, Interpreter, Move
from playproof.rules.language.errors import caller
from playproof.rules.language.random import Stream, seed_of

_MOST_READ = 20_000  # actions whose words are looked through for a question


@dataclass(frozen=True, slots=True)
class Step:
    """One action taken: who took it, in which round (None where the game has none), its number and
    words."""

    actor: int
    round: int | None
    ident: int
    text: str


class Match:
    """A game in progress. `seed` decides chance; `seats` says who plays each seat, for the record
    only."""

    def __init__(self, variant: Variant, seed: int = 0, *, seats: Sequence[str] = (),
                 lexicon: Lexicon | None = None) -> None:
        self.variant, self.seed, self.seats = variant, seed, tuple(seats)
        self.states: list[list[int]] = [self.play.start()]
        self.steps: list[Step] = []
        self._heard: dict[int | None, list[list[Event]]] = {}
        if lexicon is not None:
            self.__dict__["lexicon"] = lexicon

    @property
    def game(self) -> Game:
        """The description."""
        return self.variant.game

    @property
    def play(self) -> Interpreter:
        """The reference reading, which carries out every step."""
        return self.variant.play

    @cached_property
    def lexicon(self) -> Lexicon:
        """The way from words to actions."""
        return Lexicon(self.game)

    # -- where we are ---------------------------------------------------------------------------------------

    @property
    def state(self) -> list[int]:
        """The state now; a flat list that nobody should change."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.play.terminal(self.state)

    @property
    def ending(self) -> Ending | None:
        """How it ended."""
        return self.play.ending(self.state)

    @property
    def actor(self) -> int:
        """The seat to act, or CHANCE."""
        return self.play.actor(self.state)

    @property
    def round(self) -> int | None:
        """The round now, where the game names one."""
        return round_of(self.play, self.state)

    @property
    def actions(self) -> list[int]:
        """The numbers of all actions so far, chance included."""
        return [step.ident for step in self.steps]

    def legal(self) -> list[Move]:
        """What may be done now, with words."""
        return self.play.moves(self.state)

    def returns(self) -> tuple[int, ...]:
        """Each seat's return; all 0 while the game runs."""
        return self.play.returns(self.state)

    def position(self, seat: int | None = None) -> str:
        """The table in a few lines of words, as that seat sees it (None: everything)."""
        return position_text(self.play, self.state, seat)

    def events(self, seat: int | None = None) -> list[Event]:
        """All that has happened, as that seat heard it (None: everything)."""
        return [event for step in self._log(seat) for event in step]

    def heard(self, step: int, seat: int | None = None) -> list[Event]:
        """What a seat heard of one step, the first being 0: the action, then what happened by
        itself."""
        return self._log(seat)[step]

    def _log(self, seat: int | None) -> list[list[Event]]:
        """The events of each step; those of steps that still stand are kept."""
        known = self._heard.setdefault(seat, [])
        for n in range(len(known), len(self.steps)):
            known.append(events_of(self.variant.witness, self.states[n], self.steps[n].ident, seat,
                                   n + 1))
        return known

    # -- going on -------------------------------------------------------------------------------------------

    def apply(self, move: int | str) -> Step:
        """Take an action, by number or in words. Raises CannotRead, NotLegal or Ambiguous; nothing
        changes then."""
        ident = self.find(move) if isinstance(move, str) else move
        if not 0 <= ident < self.game.ground:
            raise CannotRead(str(ident), self._seen())
        broken = self.play.why_not(self.state, ident)
        if broken:
            raise NotLegal(self.game.show(ident), self._seen(), broken)
        step = Step(self.actor, self.round, ident, self.game.show(ident))
        self.states.append(self.play.apply(self.state, ident))
        self.steps.append(step)
        return step

    def find(self, text: str) -> int:
        """The action that `text` names here: a legal one if there is one, whole words before
        beginnings."""
        named = self.lexicon.find(text)
        legal = self.play.legal(self.state)
        fits = [i for i in named if i in set(legal)] or ([] if named else self.lexicon.beginning(text, legal))
        if len(fits) > 1:
            raise Ambiguous(text, self._seen(), [self.lexicon.exact(i, legal) for i in fits])
        if fits:
            return fits[0]
        if not named:
            raise CannotRead(text, self._seen(), self.lexicon.near(text, legal))
        raise NotLegal(self.game.show(named[0]), self._seen(), self.why_not(text))

    def why_not(self, move: int | str) -> tuple[Broken, ...]:
        """Every requirement that an action does not meet here, with rule and sentence; empty if it
        is legal.

        If the words fit several actions, the result is for the action that breaks the fewest
        requirements.
        """
        return self.play.why_not(self.state, move if isinstance(move, int) else self.meant(move)[0])

    def meant(self, text: str) -> list[int]:
        """The actions a question may be about, those that break least first: words of the whole
        action, or some of its words ("002 b"), in the present phase before others. Raises
        CannotRead if there is none."""
        found = self.lexicon.find(text)
        here = {i for a in self.game.phases[self.state[0]].actions
                for i in range(a.first, a.first + a.count)}
        if not found:
            found = self.lexicon.holding(text, sorted(here)) or self._elsewhere(text)
        if not found:
            raise CannotRead(text, self._seen(),
                             self.lexicon.near(text, self.play.legal(self.state)))
        return sorted(found, key=lambda i: (i not in here, len(self.play.why_not(self.state, i)),
                                            i))

    def _elsewhere(self, text: str) -> list[int]:
        """Actions of any phase that have these words; none where there are too many to read while
        somebody waits."""
        return self.lexicon.holding(text, range(self.game.ground)) if self.game.ground <= _MOST_READ else []

    def chance(self) -> Step:
        """Let chance take its action: decided by the seed and the number of the decision."""
        legal = self.play.legal(self.state)
        if self.actor != CHANCE or not legal:
            raise NotLegal("chance", self._seen(),
                           (Broken("", "it is not chance's turn", caller()),))
        return self.apply(self.dealt(len(self.steps)))

    def dealt(self, step: int) -> int:
        """What chance does in a step by the seed, the first being 0. Chance must be the one to act
        there."""
        state = self.states[step]
        legal = self.play.legal(state)
        weights = [self.play.weight(state, i) for i in legal]
        return legal[Stream(seed_of(self.seed, step)).weighted(weights)]

    def settle(self) -> list[Step]:
        """Let chance act until a player must or the game is over; the steps it took."""
        taken = []
        while not self.over and self.actor == CHANCE and self.play.legal(self.state):
            taken.append(self.chance())
        return taken

    def follow(self, moves: Iterable[int | str]) -> Match:
        """Take actions one after the other; returns itself."""
        for move in moves:
            self.apply(move)
        return self

    def undo(self) -> list[Step]:
        """Take back to before the last player's action, and what chance did since; the steps taken
        back."""
        last = max((n for n, step in enumerate(self.steps) if step.actor != CHANCE), default=None)
        return [] if last is None else self.back_to(last)

    def back_to(self, number: int) -> list[Step]:
        """Take back to after so many steps; the steps taken back."""
        gone = self.steps[number:]
        del self.steps[number:]
        del self.states[number + 1:]
        for known in self._heard.values():
            del known[number:]
        return gone

    def _seen(self) -> str:
        """The position as whoever acts sees it, for refusals."""
        return self.position(None if self.over or self.actor == CHANCE else self.actor)

    def __str__(self) -> str:
        who = "over" if self.over else f"{seat_name(self.game, self.actor)} to act"
        return f"{self.variant.title}, {len(self.steps)} actions, {who}"
