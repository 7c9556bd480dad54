"""A match: one game being played. It keeps every action, so it can be undone, saved, and judged.

The seed and the number of the step determine chance, so who takes a choice back and takes it again
meets the same cards. The numbers come from a keyed hash: what has been drawn tells nothing of what
comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from time import monotonic

from playproof.language import CHANCE, Broken, Ending, Interpreter, Move
from playproof.language.errors import find_caller_place
from playproof.language.game import Game
from playproof.language.keyed_random import KeyedStream
from playproof.referee.errors import Ambiguous, CannotRead, NotLegal
from playproof.referee.events import Event, make_step_events
from playproof.referee.game_length import check_game_length
from playproof.referee.notation import ActionLexicon, read_round_number, seat_name
from playproof.referee.reasons import list_broken_requirements_known_to_seat
from playproof.referee.variant import Variant
from playproof.referee.view import format_position

_MOST_READ = 20_000  # actions whose words a question may search


@dataclass(frozen=True, slots=True)
class Step:
    """One action taken: who took it, its round (None if the game has no rounds), number and
    words."""

    actor: int
    round: int | None
    ident: int
    text: str


class Match:
    """A game in progress. `seed` determines chance. `seats` says who plays each seat, for the
    record only.

    Who knows the seed knows all that chance brings. `generate_secret_seed()` makes one that nobody can guess.
    """

    def __init__(
        self,
        variant: Variant,
        seed: int = 0,
        *,
        seats: Sequence[str] = (),
        lexicon: ActionLexicon | None = None,
    ) -> None:
        self.variant, self.seed, self.seats = variant, seed, tuple(seats)
        self.states: list[list[int]] = [self.play.start()]
        self.steps: list[Step] = []
        self.waits: list[float | None] = []  # the seconds before each step, where time is taken
        self._since: float | None = None
        self._heard: dict[int | None, list[list[Event]]] = {}
        if lexicon is not None:
            self.__dict__["lexicon"] = lexicon

    @property
    def game(self) -> Game:
        """The description of the game."""
        return self.variant.game

    @property
    def play(self) -> Interpreter:
        """The interpreter, which carries out every step."""
        return self.variant.play

    @cached_property
    def lexicon(self) -> ActionLexicon:
        """The map from words to actions."""
        return ActionLexicon(self.game)

    def start_timing(self) -> Match:
        """Take the time before each step from now on, and return the match."""
        self._since = monotonic()
        return self

    # -- where we are ---------------------------------------------------------------------------------------

    @property
    def state(self) -> list[int]:
        """The present state. Do not change the list."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.play.terminal(self.state)

    @property
    def ending(self) -> Ending | None:
        """The ending that was reached, or None."""
        return self.play.ending(self.state)

    @property
    def actor(self) -> int:
        """The seat to act, or CHANCE."""
        return self.play.actor(self.state)

    @property
    def round(self) -> int | None:
        """The present round, or None if the game names no round."""
        return read_round_number(self.play, self.state)

    @property
    def actions(self) -> list[int]:
        """The numbers of all actions so far, chance included."""
        return [step.ident for step in self.steps]

    def legal(self) -> list[Move]:
        """Return the legal actions with their words."""
        return self.play.moves(self.state)

    def returns(self) -> tuple[int, ...]:
        """Return each seat's return. All are 0 while the game runs."""
        return self.play.returns(self.state)

    def position(self, seat: int | None = None) -> str:
        """Return the table in a few lines of words, as that seat sees it (None: everything)."""
        return format_position(self.play, self.state, seat)

    def events(self, seat: int | None = None) -> list[Event]:
        """Return all events so far, as that seat heard them (None: everything)."""
        return [event for step in self._get_events_by_step(seat) for event in step]

    def heard(self, step: int, seat: int | None = None) -> list[Event]:
        """Return the events of step `step` (counted from 0) as a seat or WATCHER heard them: the
        action, then what happened automatically."""
        return self._get_events_by_step(seat)[step]

    def _get_events_by_step(self, seat: int | None) -> list[list[Event]]:
        """Return the events of each step. Keeps them for steps that still stand."""
        events = self._heard.setdefault(seat, [])
        for n in range(len(events), len(self.steps)):
            events.append(
                make_step_events(self.variant.witness, self.states[n], self.steps[n].ident, seat, n + 1)
            )
        return events

    # -- going on -------------------------------------------------------------------------------------------

    def apply(self, move: int | str) -> Step:
        """Take an action, by number or in words. Raises CannotRead, NotLegal or Ambiguous, or
        LengthError if the game is longer than its rules declare, and then changes nothing."""
        ident = self.find(move) if isinstance(move, str) else move
        if not 0 <= ident < self.game.ground:
            raise CannotRead(str(ident), self._format_position_for_actor())
        broken = self._list_broken_requirements(ident)
        if broken:
            raise NotLegal(self.game.show(ident), self._format_position_for_actor(), broken)
        step = Step(self.actor, self.round, ident, self.game.show(ident))
        actors = (taken.actor for taken in chain(self.steps, (step,)))
        check_game_length(self.game, actors, len(self.steps) + 1, self.seed)
        self.states.append(self.play.apply(self.state, ident))
        self.steps.append(step)
        self.waits.append(None if self._since is None else monotonic() - self._since)
        self._restart_timer()
        return step

    def _restart_timer(self) -> None:
        if self._since is not None:
            self._since = monotonic()

    def find(self, text: str) -> int:
        """Return the action that `text` names here. Prefers a legal one, and whole words to
        beginnings. Raises CannotRead, NotLegal or Ambiguous."""
        named = self.lexicon.find_actions(text)
        legal = self.play.legal(self.state)
        fits = [i for i in named if i in set(legal)] or (
            [] if named else self.lexicon.filter_by_beginning(text, legal)
        )
        if len(fits) > 1:
            raise Ambiguous(
                text,
                self._format_position_for_actor(),
                [self.lexicon.format_unambiguously(i, legal) for i in fits],
            )
        if fits:
            return fits[0]
        if not named:
            raise CannotRead(
                text, self._format_position_for_actor(), self.lexicon.suggest_similar_wordings(text, legal)
            )
        raise NotLegal(self.game.show(named[0]), self._format_position_for_actor(), self.why_not(text))

    def why_not(self, move: int | str) -> tuple[Broken, ...]:
        """Return the requirements that an action fails here, with rule and sentence, as the seat that acts may know
        them; empty if it is legal.

        If the words fit several actions, the result is for the action that fails the fewest.
        """
        return self._list_broken_requirements(
            move if isinstance(move, int) else self.find_meant_actions(move)[0]
        )

    def _list_broken_requirements(self, ident: int) -> tuple[Broken, ...]:
        return list_broken_requirements_known_to_seat(self.play, self.state, ident, self.actor)

    def find_meant_actions(self, text: str) -> list[int]:
        """Return the actions that a question may mean, those that fail the fewest requirements
        first.

        `text` is the words of a whole action, or some of its words ("002 b"). Actions of the
        present phase come before others. Raises CannotRead if there is none.
        """
        here = self._list_actions_of_phase()
        idents = (
            self.lexicon.find_actions(text)
            or self.lexicon.filter_by_words(text, sorted(here))
            or self._find_in_all_phases(text)
        )
        if not idents:
            near = self.lexicon.suggest_similar_wordings(text, self.play.legal(self.state))
            raise CannotRead(text, self._format_position_for_actor(), near)
        return self.sort_by_nearness(idents)

    def sort_by_nearness(self, action_ids: Iterable[int]) -> list[int]:
        """Return actions in order: those of the present phase first, of players before those of chance, and
        those that fail the fewest requirements first."""
        here = self._list_actions_of_phase()

        def order(ident: int) -> tuple[bool, bool, int, int]:
            chance = self.lexicon.is_chance_action(ident)
            return ident not in here, chance, len(self._list_broken_requirements(ident)), ident

        return sorted(action_ids, key=order)

    def _list_actions_of_phase(self) -> set[int]:
        actions = self.game.phases[self.state[0]].actions
        return {ident for action in actions for ident in action.idents}

    def _find_in_all_phases(self, text: str) -> list[int]:
        """Return the actions of any phase that contain these words; none if the game has too
        many to search."""
        return (
            self.lexicon.filter_by_words(text, range(self.game.ground))
            if self.game.ground <= _MOST_READ
            else []
        )

    def take_chance_action(self) -> Step:
        """Take chance's action, determined by the seed and the number of the decision. Raises
        NotLegal if it is not chance's turn."""
        legal = self.play.legal(self.state)
        if self.actor != CHANCE or not legal:
            raise NotLegal(
                "chance",
                self._format_position_for_actor(),
                (Broken("", "it is not chance's turn", find_caller_place()),),
            )
        return self.apply(self.find_seeded_chance_action(len(self.steps)))

    def find_seeded_chance_action(self, step: int) -> int:
        """Return the action that the seed gives chance in a step (counted from 0). Chance must
        act there."""
        state = self.states[step]
        legal = self.play.legal(state)
        weights = [self.play.weight(state, i) for i in legal]
        return legal[KeyedStream(self.seed, "chance", step).draw_weighted_index(weights)]

    def find_first_step_off_seed(self, first: int = 0) -> int | None:
        """Return the first step, from `first` on, in which chance did not do what the seed says;
        None if there is none."""
        return next(
            (
                n
                for n in range(first, len(self.steps))
                if self.steps[n].actor == CHANCE and self.find_seeded_chance_action(n) != self.steps[n].ident
            ),
            None,
        )

    def settle(self) -> list[Step]:
        """Let chance act until a player must act or the game is over. Returns the steps taken."""
        taken = []
        while not self.over and self.actor == CHANCE and self.play.legal(self.state):
            taken.append(self.take_chance_action())
        return taken

    def apply_all(self, moves: Iterable[int | str]) -> Match:
        """Take actions one after the other and return the match."""
        for move in moves:
            self.apply(move)
        return self

    def undo(self) -> list[Step]:
        """Go back to before the last player's action and the chance actions after it. Returns
        the steps taken back."""
        last = max((n for n, step in enumerate(self.steps) if step.actor != CHANCE), default=None)
        return [] if last is None else self.go_back_to_step(last)

    def go_back_to_step(self, number: int) -> list[Step]:
        """Go back to the state after `number` steps. Returns the steps taken back."""
        gone = self.steps[number:]
        del self.steps[number:]
        del self.waits[number:]
        self._restart_timer()
        del self.states[number + 1 :]
        for events in self._heard.values():
            del events[number:]
        return gone

    def _format_position_for_actor(self) -> str:
        """Return the position as the acting seat sees it, for error messages."""
        nobody = self.over or self.actor == CHANCE
        return self.position(None if nobody else self.actor)

    def __str__(self) -> str:
        who = "over" if self.over else f"{seat_name(self.game, self.actor)} to act"
        return f"{self.variant.title}, {len(self.steps)} actions, {who}"
