"""A match: one game being played. It keeps every action, so it can be undone, saved and judged; it
says why an action is not legal, and who may choose now.

The seed and the number of the step determine chance, so who takes a choice back and takes it again
meets the same cards. The numbers come from a keyed hash: what has been drawn tells nothing of what
comes.

A requirement that reads only what the seat sees is named if it fails. One that reads a hidden cell is named only if
nothing else forbids the action: the seat knows then that it fails, because what may be chosen is shown. If several of
them may be what fails, which one it is stays hidden.

The rules ask one seat after the other, and nobody learns anything before all have chosen. So a table may take the
choices in any order: it asks here who still has to choose and among what, keeps a choice that comes early, and gives it
to the match when that seat is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from time import monotonic
from typing import Any

from playproof.language import CHANCE, Broken, Ending, Interpreter, Move
from playproof.language.errors import find_rule_place_in_call_stack
from playproof.language.expr import Read, Term, as_term
from playproof.language.game import Game
from playproof.language.keyed_random import KeyedStream
from playproof.language.statements import If, Keep, Loop, Require, Statement
from playproof.referee.errors import Ambiguous, CannotRead, NotLegal, raise_if_game_longer_than_allowed
from playproof.referee.events import Event, make_events_of_step_as_heard_by_seat
from playproof.referee.notation import ActionLexicon, get_declared_round_number_or_none, seat_name
from playproof.referee.variant import Variant
from playproof.referee.view import SeatOrReferee, View, format_table_as_lines, get_flags_of_cells_seat_may_see

# A match: one game being played. It keeps every action, so it can be undone, saved, and judged.

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
        self, variant: Variant, seed: int = 0, *, seats: Sequence[str] = (), lexicon: ActionLexicon | None = None
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
        return get_declared_round_number_or_none(self.play, self.state)

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

    def position(self, seat: SeatOrReferee = None) -> str:
        """Return the table in a few lines of words, as that seat sees it (None: everything)."""
        return format_table_as_lines(self.play, self.state, seat)

    def events(self, seat: SeatOrReferee = None) -> list[Event]:
        """Return all events so far, as that seat heard them (None: everything)."""
        return [event for step in self._get_cached_events_by_step(seat) for event in step]

    def heard(self, step: int, seat: SeatOrReferee = None) -> list[Event]:
        """Return the events of step `step` (counted from 0) as a seat or WATCHER heard them: the
        action, then what happened automatically."""
        return self._get_cached_events_by_step(seat)[step]

    def _get_cached_events_by_step(self, seat: SeatOrReferee) -> list[list[Event]]:
        """Return the events of each step. Keeps them for steps that still stand."""
        events = self._heard.setdefault(seat, [])
        for n in range(len(events), len(self.steps)):
            events.append(
                make_events_of_step_as_heard_by_seat(
                    self.variant.witness, self.states[n], self.steps[n].ident, seat, n + 1
                )
            )
        return events

    # -- going on -------------------------------------------------------------------------------------------

    def apply(self, move: int | str) -> Step:
        """Take an action, by number or in words. Raises CannotRead, NotLegal or Ambiguous, or
        LengthError if the game is longer than its rules declare, and then changes nothing."""
        ident = self.find(move) if isinstance(move, str) else move
        if not 0 <= ident < self.game.ground:
            raise CannotRead(str(ident), self._format_position_seen_by_actor())
        broken = self._list_broken_requirements_known_to_actor(ident)
        if broken:
            raise NotLegal(self.game.show(ident), self._format_position_seen_by_actor(), broken)
        step = Step(self.actor, self.round, ident, self.game.show(ident))
        actors = (taken.actor for taken in chain(self.steps, (step,)))
        raise_if_game_longer_than_allowed(self.game, actors, len(self.steps) + 1, self.seed)
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
        named = self.lexicon.list_action_ids_of_exact_wording(text)
        legal = self.play.legal(self.state)
        fits = [i for i in named if i in set(legal)] or (
            [] if named else self.lexicon.filter_actions_by_wording_prefix(text, legal)
        )
        if len(fits) > 1:
            raise Ambiguous(
                text,
                self._format_position_seen_by_actor(),
                [self.lexicon.format_action_numbered_if_ambiguous(i, legal) for i in fits],
            )
        if fits:
            return fits[0]
        if not named:
            raise CannotRead(
                text,
                self._format_position_seen_by_actor(),
                self.lexicon.suggest_up_to_three_similar_wordings(text, legal),
            )
        raise NotLegal(self.game.show(named[0]), self._format_position_seen_by_actor(), self.why_not(text))

    def why_not(self, move: int | str) -> tuple[Broken, ...]:
        """Return the requirements that an action fails here, with rule and sentence, as the seat that acts may know
        them; empty if it is legal.

        If the words fit several actions, the result is for the action that fails the fewest.
        """
        return self._list_broken_requirements_known_to_actor(
            move if isinstance(move, int) else self.list_actions_meant_by_question_or_raise(move)[0]
        )

    def _list_broken_requirements_known_to_actor(self, action_id: int) -> tuple[Broken, ...]:
        return list_broken_requirements_known_to_seat(self.play, self.state, action_id, self.actor)

    def list_actions_meant_by_question_or_raise(self, action_words: str) -> list[int]:
        """Return the actions that a question may mean, those that fail the fewest requirements
        first.

        `action_words` is the words of a whole action, or some of its words ("002 b"). Actions of the
        present phase come before others. Raises CannotRead if there is none.
        """
        here = self._get_action_ids_of_present_phase()
        idents = (
            self.lexicon.list_action_ids_of_exact_wording(action_words)
            or self.lexicon.filter_actions_containing_all_words(action_words, sorted(here))
            or self._find_actions_with_words_unless_many(action_words)
        )
        if not idents:
            near = self.lexicon.suggest_up_to_three_similar_wordings(action_words, self.play.legal(self.state))
            raise CannotRead(action_words, self._format_position_seen_by_actor(), near)
        return self.sort_actions_by_nearness_to_legal(idents)

    def sort_actions_by_nearness_to_legal(self, action_ids: Iterable[int]) -> list[int]:
        """Return actions in order: those of the present phase first, of players before those of chance, and
        those that fail the fewest requirements first."""
        here = self._get_action_ids_of_present_phase()

        def order(ident: int) -> tuple[bool, bool, int, int]:
            chance = self.lexicon.is_taken_only_by_chance(ident)
            return ident not in here, chance, len(self._list_broken_requirements_known_to_actor(ident)), ident

        return sorted(action_ids, key=order)

    def _get_action_ids_of_present_phase(self) -> set[int]:
        actions = self.game.phases[self.state[0]].actions
        return {ident for action in actions for ident in action.idents}

    def _find_actions_with_words_unless_many(self, words: str) -> list[int]:
        """Return the actions of any phase that contain these words; none if the game has too
        many to search."""
        return (
            self.lexicon.filter_actions_containing_all_words(words, range(self.game.ground))
            if self.game.ground <= _MOST_READ
            else []
        )

    def take_chance_action_of_seed_or_raise(self) -> Step:
        """Take chance's action, determined by the seed and the number of the decision. Raises
        NotLegal if it is not chance's turn."""
        legal = self.play.legal(self.state)
        if self.actor != CHANCE or not legal:
            raise NotLegal(
                "chance",
                self._format_position_seen_by_actor(),
                (Broken("", "it is not chance's turn", find_rule_place_in_call_stack()),),
            )
        return self.apply(self.draw_chance_action_by_seed(len(self.steps)))

    def draw_chance_action_by_seed(self, step_index: int) -> int:
        """Return the action that the seed gives chance in a step (counted from 0). Chance must
        act there."""
        state = self.states[step_index]
        legal = self.play.legal(state)
        weights = [self.play.weight(state, i) for i in legal]
        return legal[KeyedStream(self.seed, "chance", step_index).draw_weighted_index(weights)]

    def find_chance_step_unlike_seed(self, first_step_index: int = 0) -> int | None:
        """Return the first step, from `first_step_index` on, in which chance did not do what the seed says;
        None if there is none."""
        return next(
            (
                n
                for n in range(first_step_index, len(self.steps))
                if self.steps[n].actor == CHANCE and self.draw_chance_action_by_seed(n) != self.steps[n].ident
            ),
            None,
        )

    def settle(self) -> list[Step]:
        """Let chance act until a player must act or the game is over. Returns the steps taken."""
        taken = []
        while not self.over and self.actor == CHANCE and self.play.legal(self.state):
            taken.append(self.take_chance_action_of_seed_or_raise())
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
        return [] if last is None else self.undo_steps_after_and_list_them(last)

    def undo_steps_after_and_list_them(self, steps_to_keep: int) -> list[Step]:
        """Go back to the state after `steps_to_keep` steps. Returns the steps taken back."""
        gone = self.steps[steps_to_keep:]
        del self.steps[steps_to_keep:]
        del self.waits[steps_to_keep:]
        self._restart_timer()
        del self.states[steps_to_keep + 1 :]
        for events in self._heard.values():
            del events[steps_to_keep:]
        return gone

    def _format_position_seen_by_actor(self) -> str:
        """Return the position as the acting seat sees it, for error messages."""
        nobody = self.over or self.actor == CHANCE
        return self.position(None if nobody else self.actor)

    def __str__(self) -> str:
        who = "over" if self.over else f"{seat_name(self.game, self.actor)} to act"
        return f"{self.variant.title}, {len(self.steps)} actions, {who}"


# -- reasons -------------------------------------------------------------------------------------------------
# Why an action is not legal, as far as the seat that asks may know it.


class _HiddenCell(Exception):
    """A term reads what the seat does not see."""


class _SeenCells(Sequence[int]):
    """A state as a seat sees it. To read a hidden cell raises _HiddenCell."""

    def __init__(self, cells: Sequence[int | None]) -> None:
        self._cells = cells

    def __getitem__(self, place: Any) -> Any:  # a place alone; no term reads a slice
        value = self._cells[place]
        if value is None:
            raise _HiddenCell
        return value

    def __len__(self) -> int:
        return len(self._cells)


def list_broken_requirements_known_to_seat(
    play: Interpreter, state: Sequence[int], action_id: int, seat: int
) -> tuple[Broken, ...]:
    """Return the requirements that an action does not meet, as the seat that acts may know them; empty if the action
    is legal."""
    game, broken = play.game, play.why_not(state, action_id)
    action = game.get_action_of_ground_action_number(action_id)
    elsewhere = state[1] or state[0] not in action.phases
    if not broken or elsewhere or seat == CHANCE or all(get_flags_of_cells_seat_may_see(game, seat)):
        return broken
    reasons = _BrokenRequirementCollector(play, _SeenCells(View.of(game, state, seat).cells))
    reasons.collect_broken_from_statements(
        action.head, action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id))
    )
    return tuple(reasons.known) or _merge_possible_requirements_as_one(reasons.possible) or broken[:1]


def _merge_possible_requirements_as_one(possibly_broken: Sequence[Broken]) -> tuple[Broken, ...]:
    """Return the only requirement that can be what fails, or all that can be, as one reason."""
    if len(possibly_broken) < 2:
        return tuple(possibly_broken)
    rules = dict.fromkeys(rule for reason in possibly_broken for rule in reason.rule.split())
    texts = dict.fromkeys(reason.text for reason in possibly_broken)
    return (
        Broken(" ".join(rules), "what you do not see forbids it: " + ", or ".join(texts), possibly_broken[0].place),
    )


class _BrokenRequirementCollector:
    """The requirements that a seat sees fail (`known`), and those that may fail by what it does not see."""

    def __init__(self, play: Interpreter, cells: _SeenCells) -> None:
        self.play, self.cells = play, cells
        self.known: list[Broken] = []
        self.possible: list[Broken] = []

    def collect_broken_from_statements(
        self, statements: Sequence[Statement], local_values: dict[int, int], *, may_not_apply: bool = False
    ) -> None:
        """Go through what stands before the effects of an action; `may_not_apply` if the seat does not know whether it
        counts."""
        for statement in statements:
            match statement:
                case Require():
                    self._add_requirement_unless_met(statement, local_values, may_not_apply)
                case Keep():
                    kept = self._evaluate_term_or_none_if_hidden(statement.value, local_values)
                    local_values.pop(statement.local.number, None)
                    if kept is not None:
                        local_values[statement.local.number] = kept
                case If():
                    self._collect_from_branches(statement, local_values, may_not_apply)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        self.collect_broken_from_statements(inner, local_values, may_not_apply=may_not_apply)
                case _:  # effects: no requirement follows one
                    return

    def _collect_from_branches(self, statement: If, local_values: dict[int, int], may_not_apply: bool) -> None:
        """Follow the branch that counts, or both if the seat does not know which one does."""
        decided = self._evaluate_term_or_none_if_hidden(statement.condition, local_values)
        if decided is not None:
            self.collect_broken_from_statements(
                statement.then if decided else statement.other, local_values, may_not_apply=may_not_apply
            )
            return
        ways = dict(local_values), dict(local_values)
        for way, branch in zip(ways, (statement.then, statement.other), strict=True):
            self.collect_broken_from_statements(branch, way, may_not_apply=True)
        local_values.clear()
        local_values.update(dict(ways[0].items() & ways[1].items()))

    def _add_requirement_unless_met(
        self, statement: Require, local_values: dict[int, int], may_not_apply: bool
    ) -> None:
        holds = self._evaluate_term_or_none_if_hidden(statement.condition, local_values)
        if holds:
            return
        values = [self._evaluate_term_or_none_if_hidden(arg, local_values) for arg in statement.args]
        words = statement.text.format(*("?" if value is None else value for value in values))
        reason = Broken(statement.rule, words, statement.place)
        (self.possible if may_not_apply or holds is None else self.known).append(reason)

    def _evaluate_term_or_none_if_hidden(self, term: Term, local_values: dict[int, int]) -> int | None:
        """Return a term's value, or None if it rests on what the seat does not see."""
        try:
            return self.play.value(term, self.cells, local_values)
        except (_HiddenCell, KeyError, IndexError):
            return None


# -- simultaneous --------------------------------------------------------------------------------------------
# Who may choose now, and what, where all players choose at once (`Together`).


def list_seats_still_to_choose_or_empty(play: Interpreter, state: Sequence[int]) -> tuple[int, ...]:
    """Return the seats that may choose now: all that have not chosen yet where players choose at once, else the seat
    that acts. Empty if chance acts or the game is over."""
    if play.terminal(state):
        return ()
    phase = play.game.phases[state[0]]
    terms = play.game.facts.get("together", {}).get(phase.name)
    if terms is not None:
        return tuple(seat for seat, term in enumerate(terms) if play.value(as_term(term), state))
    actor = play.actor(state)
    return () if actor == CHANCE else (actor,)


def list_action_ids_seat_may_choose_or_empty(play: Interpreter, state: Sequence[int], seat: int) -> list[int]:
    """Return the actions that a seat may choose now, also if the rules will ask it only later; empty if it may not
    choose."""
    if seat not in list_seats_still_to_choose_or_empty(play, state):
        return []
    asked, actor = list(state), play.game.phases[state[0]].actor
    if isinstance(actor, Read) and seat != play.actor(state):
        asked[actor.field.offset + play.value(actor.index, state)] = seat
    return play.legal(asked)
