"""What lint finds by playing some hundred steps of random games: rules that break, games that are too
long, and hidden cells that tell something by what may be done.

* Rules that break: a value out of bounds, automatic phases that do not end, a player who cannot act (PP378).
* A game that is longer than its rules declare (PP815), and rules that never end a game (PP379).
* Two endings that meet in one step, of which the first counts (PP377).
* A winner that is another seat when the step is done than where the ending stands (PP852).

Games that no seat can see whole are looked at further in `find_hidden_information_leaks`.

The rules say where that may be (`language.legality`, `language.secrecy`). Whether it is so is asked of random games:
at each such moment the seat's exact belief holds all worlds that it cannot tell apart. If they differ in what is legal,
or in what all then see, the rules tell something hidden. If the belief is too large, a requirement is doubted and a
condition is not.

* PP374: a requirement reads what its actor does not see.
* PP375: whether, or what, is written where all see it depends on a hidden field, without `reveals=`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from playproof.database.errors import Finding
from playproof.language import CHANCE, Interpreter, RulesError
from playproof.language.declarations import trace_parameter_flow_into_fields
from playproof.language.errors import Place
from playproof.language.expr import Const
from playproof.language.fields import Field, Sees
from playproof.language.game import Ending, Game
from playproof.language.game_analysis import HiddenRequirement, RevealingPhases, find_requirements_reading_hidden_cells
from playproof.language.interpreter import LocalValues
from playproof.language.parts import Action, Phase
from playproof.language.random import Stream, make_game_seed
from playproof.language.statements import Finish, Invoke, Require, Statement, iter_statements_recursively
from playproof.linting.rules import convert_rule_place_to_file_place
from playproof.referee.errors import make_too_long_game_error
from playproof.referee.notation import seat_name

if TYPE_CHECKING:
    from playproof.referee.belief import Belief, State
    from playproof.referee.observations import ObservationModel


# What lint finds by playing: some hundred steps of random games in the interpreter.

_STEPS = 400
_FEWER_STEPS = 150  # of an erratum's game, in each setting
_CHOICES = 20_000  # looked at in all; the interpreter asks each ground action of a phase whether it is legal
_STATES = 2_000  # of a game of which no end was met
_ROUNDS = 3  # how often a random game was where it is before it is asked whether it can end
_RUN = 20_261_129


@dataclass
class RandomPlaythrough:
    """A random game as far as it was played: its states, and the actions between them."""

    states: list[list[int]]
    actions: list[int] = field(default_factory=list)
    decisions: int = 0


def list_problems_found_by_random_play(game: Game) -> list[Finding]:
    """Return what random games show to be wrong or doubtful."""
    tour = _RandomPlayCheck(game)
    tour.watch_endings_if_doubtful()
    tour.play_games_until_budget_or_error()
    if tour.broken is not None:
        return [tour.broken, *tour.met.values(), *tour.moved.values()]
    return [
        *tour.met.values(),
        *tour.moved.values(),
        *tour.iter_endless_game_findings(),
        *find_hidden_information_leaks(game, tour.games),
    ]


def find_rule_broken_in_random_play_or_none(game: Game) -> Finding | None:
    """Return where random games break the rules, as by a value out of its bounds; None if they do not."""
    tour = _RandomPlayCheck(game)
    tour.play_games_until_budget_or_error(_FEWER_STEPS)
    return tour.broken


class _RandomPlayCheck:
    """Random games of one run, one after the other."""

    def __init__(self, game: Game) -> None:
        self.game, self.play_rules = game, Interpreter(game)
        self.games: list[RandomPlaythrough] = []
        self.ended = 0
        self.broken: Finding | None = None
        self.met: dict[tuple[int, int], Finding] = {}
        self.moved: dict[Place, Finding] = {}
        self._endings: _EndingsInterpreter | None = None

    def watch_endings_if_doubtful(self) -> None:
        """From now on, look at what each legal action would end with."""
        doubtful = has_rule_with_several_endings(self.game) or can_winner_change(self.game)
        self._endings = _EndingsInterpreter(self.game) if doubtful else None

    def play_games_until_budget_or_error(self, most_steps: int = _STEPS) -> None:
        """Play games until the budget is spent or the rules break."""
        steps = choices = 0
        while steps < most_steps and choices < _CHOICES and self.broken is None:
            stream = Stream(make_game_seed(_RUN, len(self.games)))
            try:
                played = RandomPlaythrough([self.play_rules.start()])
                self.games.append(played)
                while steps < most_steps and choices < _CHOICES and not played.states[-1][1]:
                    steps, choices = (steps + 1, choices + self._count_ground_actions_of_phase(played.states[-1]))
                    if not self._take_random_action_and_tell_if_any(played, stream):
                        break
            except RulesError as error:
                self.broken = self._make_finding_from_rules_error(error)
            steps += 1  # a game may be over at once
            self.ended += bool(played.states[-1][1])

    def _count_ground_actions_of_phase(self, state: Sequence[int]) -> int:
        return sum(action.count for action in self.game.phases[state[0]].actions)

    def _take_random_action_and_tell_if_any(self, played: RandomPlaythrough, stream: Stream) -> bool:
        """Take a random action. Return whether there was one. Raises RulesError if the rules break."""
        play, state = self.play_rules, played.states[-1]
        legal = play.legal(state)
        if not legal:
            if self.game.players > 1:  # a player alone who can do nothing more has lost
                self.broken = self._make_stuck_player_finding(played)
            return False
        chance = play.actor(state) == CHANCE
        weights = [play.weight(state, ident) for ident in legal] if chance else [1] * len(legal)
        self._record_doubtful_endings(state, legal)
        played.decisions += not chance
        ends = self.game.facts.get("ends_within")
        within = self.game.facts.get("steps_within")
        if isinstance(ends, int) and played.decisions > ends:
            raise make_too_long_game_error(self.game, len(played.actions), played.decisions)
        if isinstance(within, int) and len(played.actions) >= within:
            raise make_too_long_game_error(self.game, len(played.actions), played.decisions)
        ident = legal[stream.draw_weighted_index(weights)]
        played.actions.append(ident)
        played.states.append(play.apply(state, ident))
        return True

    def _record_doubtful_endings(self, state: Sequence[int], legal: Sequence[int]) -> None:
        """Look at what each legal action would end with."""
        if self._endings is None:
            return
        for ident in legal:
            try:
                found, winners = self._endings.list_endings_and_winners_if_changed(state, ident)
            except RulesError:  # the random game breaks there too, when it takes this action
                continue
            if len(found) > 1:
                first, second = found[:2]
                self.met.setdefault(
                    (first.number, second.number), self._make_meeting_endings_finding(first, second, ident)
                )
            if winners is not None and found[0].place not in self.moved:
                self.moved[found[0].place] = self._make_moved_winner_finding(found[0], winners, ident)

    # -- findings -------------------------------------------------------------------------------------------

    def _describe_last_actions(self) -> str:
        """Return the last actions of the game in words."""
        actions = self.games[-1].actions if self.games else []
        if not actions:
            return "at the start"
        told = ", ".join(self.game.show(ident) for ident in actions[-3:])
        return f"in a random game, after {len(actions)} steps, the last: {told}"

    def _make_finding_from_rules_error(self, error: RulesError) -> Finding:
        return Finding(
            error.code,
            convert_rule_place_to_file_place(error.place),
            f"{error.message} ({self._describe_last_actions()})",
            error.hint,
        )

    def _make_stuck_player_finding(self, played: RandomPlaythrough) -> Finding:
        phase = self.game.phases[played.states[-1][0]]
        return Finding(
            "PP378",
            convert_rule_place_to_file_place(phase.place or self.game.place),
            f"nobody can act in `{phase.name}`, and the game is not over ({self._describe_last_actions()})",
            "add an action that is always legal there, such as to pass, or end the game",
            "warning",
        )

    def _make_meeting_endings_finding(self, first_ending: Ending, second_ending: Ending, action_id: int) -> Finding:
        message = (
            f"`{second_ending.reason}` is reached in the same step as `{first_ending.reason}` (line "
            f"{first_ending.place.line}), "
            f"as by `{self.game.show(action_id)}` {self._describe_last_actions()}; the first counts"
        )
        hint = "say which is meant: put it first, and the other under `with otherwise():`"
        return Finding("PP377", convert_rule_place_to_file_place(second_ending.place), message, hint, "warning")

    def _make_moved_winner_finding(self, ending: Ending, winners: tuple[int, int], action_id: int) -> Finding:
        where, over = (seat_name(self.game, seat) for seat in winners)
        message = (
            f"`{ending.reason}` is won by {over}, and where it stands `winner=` is {where}: what it reads is changed "
            f"later in the same step, as by `{self.game.show(action_id)}` {self._describe_last_actions()}"
        )
        hint = "`winner=` is read when the step is done: put what follows the ending under `with otherwise():`"
        return Finding("PP852", convert_rule_place_to_file_place(ending.place), message, hint, "warning")

    def iter_endless_game_findings(self) -> Iterator[Finding]:
        """PP379: no ending was met and all states were seen; or a game goes round where none can be met."""
        last = self.games[-1].states if self.games else []
        states = (
            None if self.ended else count_states_unless_ending_or_many(self.play_rules, tuple(self.play_rules.start()))
        )
        message, place = f"no play ends this game: it has {states} states, and an ending is reached from none", ""
        if states is None and last and not last[-1][1] and last.count(last[-1]) > _ROUNDS:
            states = count_states_unless_ending_or_many(self.play_rules, tuple(last[-1]))
            message = f"a random game came to where no play ends it: of {states} states, an ending is reached from none"
            place = f" ({self._describe_last_actions()})"
        if states is not None:
            yield Finding(
                "PP379",
                convert_rule_place_to_file_place(self.game.place),
                message + place,
                "look for the condition of an ending that is never met, or an effect that is missing",
                "warning",
            )


def count_states_unless_ending_or_many(interpreter: Interpreter, start: tuple[int, ...]) -> int | None:
    """Return how many states a game has from a state on, or None if an ending is met or they are more than can be
    looked at."""
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        if state[1]:
            return None
        for ident in interpreter.legal(state):
            after = tuple(interpreter.apply(state, ident))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > _STATES:
            return None
    return len(seen)


# -- endings that meet ----------------------------------------------------------------------------------------------


class _EndingsInterpreter(Interpreter):
    """An interpreter that notes each ending that a rule reaches, also behind the first, and who wins it there."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._found: list[int] = []
        self._winner: int | None = None

    def list_endings_and_winners_if_changed(
        self, state: Sequence[int], action_id: int
    ) -> tuple[list[Ending], tuple[int, int] | None]:
        """Return the endings that an action and what follows it reach, in order, those of one kind and reason with one
        winner as one; and who wins the first where it stands and when the step is done, if these are two."""
        self._found, self._winner = [], None
        after = self.list_states_until_next_choice(state, action_id)[-1]
        distinct: dict[tuple[str, str, int | None], Ending] = {}
        for number in self._found:
            end = self.game.endings[number - 1]
            winner = None if end.winner is None else self.value(end.winner, after)
            distinct.setdefault((end.kind, end.reason, winner), end)
        found = list(distinct.values())
        if self._winner is None or found[0].winner is None:
            return found, None
        winners = (self._winner, self.value(found[0].winner, after))
        return found, winners if winners[1] not in self.game.get_team_of_seat(winners[0]) else None

    def _run_statements_in_place(self, body: Sequence[Statement], state: list[int], local_values: LocalValues) -> None:
        for statement in body:
            if isinstance(statement, Finish):
                if not self._found:
                    winner = self.game.endings[statement.ending - 1].winner
                    self._winner = None if winner is None else self.value(winner, state)
                self._found.append(statement.ending)
            super()._run_statements_in_place((statement,), state, local_values)


def can_winner_change(game: Game) -> bool:
    """Return whether some ending's winner is not the same seat in all states."""
    return any(end.winner is not None and not isinstance(end.winner, Const) for end in game.endings)


def has_rule_with_several_endings(game: Game) -> bool:
    """Return whether a rule has more than one ending, so that two may meet."""
    bodies = [action.body for action in game.actions]
    bodies += [phase.body for phase in game.phases if phase.body is not None]
    return any(len(set(_iter_ending_numbers_in_statements(body))) > 1 for body in bodies)


def _iter_ending_numbers_in_statements(body: tuple[Statement, ...]) -> Iterator[int]:
    for statement in iter_statements_recursively(body):
        if isinstance(statement, Finish):
            yield statement.ending
        elif isinstance(statement, Invoke):
            yield from _iter_ending_numbers_in_statements(statement.procedure.body)


# -- hidden flow ---------------------------------------------------------------------------------------------
# Hidden cells that tell something by what may be done, or by what happens under a condition.

_MOST_WORLDS = 400
_STEPS_WATCHED_FOR_LEAKS = 120  # looked at in all


class PlayedGameLike(Protocol):
    """A game as far as it was played."""

    states: list[list[int]]
    actions: list[int]


@dataclass(frozen=True, slots=True)
class HiddenConditionalWrite:
    """A rule under whose condition on `hidden` the fields `to`, which all see, are written."""

    rule: Action | Phase
    hidden: Field
    to: tuple[Field, ...]

    @property
    def name(self) -> str:
        """The rule in words."""
        return f"{'action' if isinstance(self.rule, Action) else 'phase'} `{self.rule.name}`"


def find_hidden_information_leaks(game: Game, games: Sequence[PlayedGameLike]) -> list[Finding]:
    """Return what the rules tell of hidden fields, as far as these games show it."""
    requirements, implications = (
        find_requirements_reading_hidden_cells(game),
        [*iter_undeclared_hidden_conditional_writes(game)],
    )
    if not requirements and not implications:
        return []
    watch = _LeakDetector(game, requirements, implications)
    watch.record_examples_of_leaks_in_games(games)
    return [*watch.iter_findings()]


def iter_undeclared_hidden_conditional_writes(game: Game) -> Iterator[HiddenConditionalWrite]:
    """Yield what rules write where all see it under a condition on a hidden field, and do not declare."""
    hidden = [held for held in game.fields if held.sees is not Sees.ALL]
    if game.players == 1 or not hidden:
        return
    rules: tuple[Action | Phase, ...] = (*game.actions, *game.phases)
    for rule in rules:
        if rule.body is None:
            continue
        leads = trace_parameter_flow_into_fields(rule.params if isinstance(rule, Action) else (), rule.body, hidden)
        for held in sorted({source for source, _ in leads.implies}, key=lambda f: f.number):
            to = {target for source, target in leads.implies - leads.reveals if source is held}
            if to and held.name not in rule.reveals:
                yield HiddenConditionalWrite(rule, held, tuple(sorted(to, key=lambda f: f.number)))


class _LeakDetector:
    """What random games show of each requirement and condition."""

    def __init__(
        self, game: Game, requirements: Sequence[HiddenRequirement], implications: Sequence[HiddenConditionalWrite]
    ) -> None:
        self.game, self.play = game, Interpreter(game)
        self.requirements, self.implications = requirements, implications
        self.shown: dict[int, str] = {}  # by the place in either list: an example
        self.told: dict[int, str] = {}
        self.examined: set[int] = set()
        self.reached: set[int] = set()

    def record_examples_of_leaks_in_games(self, games: Sequence[PlayedGameLike]) -> None:
        """Look at the steps of these games in order."""
        from playproof.referee.observations import (
            ObservationModel,  # imports numpy, which most games do not need
        )

        witness = ObservationModel(self.game)
        # else worlds agree in what is legal by definition
        witness.telling = RevealingPhases(frozenset(), frozenset())
        left = _STEPS_WATCHED_FOR_LEAKS
        for played in games:
            beliefs = [self._make_belief_or_none(witness, played.states[0], seat) for seat in range(self.game.players)]
            for number, ident in enumerate(played.actions):
                left -= 1
                if left < 0 or self._is_every_example_found():
                    return
                self._record_requirements_differing_between_worlds(played.states[number], beliefs)
                self._record_writes_differing_between_worlds(witness, played.states[number], ident, beliefs)
                beliefs = [
                    self._update_belief_or_give_up(belief, witness, played.states[number], ident) for belief in beliefs
                ]

    def _is_every_example_found(self) -> bool:
        return len(self.shown) == len(self.requirements) and len(self.told) == len(self.implications)

    @staticmethod
    def _make_belief_or_none(
        observation_model: ObservationModel, start_state: Sequence[int], seat: int
    ) -> Belief | None:
        from playproof.referee.belief import Belief

        return Belief(observation_model, start_state, seat, most=_MOST_WORLDS)

    @staticmethod
    def _update_belief_or_give_up(
        belief: Belief | None, observation_model: ObservationModel, state_before: Sequence[int], action_id: int
    ) -> Belief | None:
        from playproof.referee.belief import TooManyStates, make_step_seen_by_seat

        if belief is None:
            return None
        try:
            belief.update_to_seen_steps(
                [*belief.seen, make_step_seen_by_seat(observation_model, state_before, action_id, belief.seat)]
            )
        except TooManyStates:
            return None
        return belief

    # -- requirements ---------------------------------------------------------------------------------------

    def _record_requirements_differing_between_worlds(
        self, state: Sequence[int], beliefs: Sequence[Belief | None]
    ) -> None:
        """Compare what the acting seat may choose in the worlds that it cannot tell apart."""
        actor = self.play.actor(state)
        belief = None if actor == CHANCE else beliefs[actor]
        if belief is None:
            return
        worlds = [world for world in belief.weights if world != tuple(state)]
        for number, found in enumerate(self.requirements):
            if state[0] not in found.action.phases or number in self.shown:
                continue
            self.examined.add(number)
            for ident in found.action.idents:
                legal = not self.play.why_not(state, ident)
                if any((not self.play.why_not(world, ident)) != legal for world in worlds):
                    self.shown[number] = self.game.show(ident)
                    break

    # -- conditions -----------------------------------------------------------------------------------------

    def _record_writes_differing_between_worlds(
        self,
        observation_model: ObservationModel,
        state: Sequence[int],
        action_id: int,
        beliefs: Sequence[Belief | None],
    ) -> None:
        """Compare what all see of a step in the worlds that a seat cannot tell apart."""
        moments = observation_model.list_states_after_action_and_auto_phases(state, action_id)
        phases = {moment[0] for moment in moments[:-1]}
        for number, found in enumerate(self.implications):
            rule = found.rule
            is_run = (
                rule is self.game.get_action_of_ground_action_number(action_id)
                if isinstance(rule, Action)
                else rule.number in phases
            )
            if not is_run or number in self.told:
                continue
            self.reached.add(number)
            if moments[-1][1]:
                continue  # what is told behind the end helps nobody
            for belief in beliefs:
                if belief is not None and self._has_visible_difference(
                    observation_model, found, moments, action_id, belief, state
                ):
                    self.told[number] = self.game.show(action_id)

    def _has_visible_difference(
        self,
        observation_model: ObservationModel,
        hidden_write: HiddenConditionalWrite,
        step_states: Sequence[Sequence[int]],
        action_id: int,
        belief: Belief,
        state: Sequence[int],
    ) -> bool:
        seen = _list_field_values_at_moments(step_states, hidden_write.to)
        for world in belief.weights:
            if world == tuple(state) or not _are_different_in_hidden_field(
                self.game, world, state, hidden_write.hidden
            ):
                continue
            if self.play.why_not(world, action_id):
                continue
            others = observation_model.list_states_after_action_and_auto_phases(world, action_id)
            if not others[-1][1] and _list_field_values_at_moments(others, hidden_write.to) != seen:
                return True
        return False

    # -- findings -------------------------------------------------------------------------------------------

    def iter_findings(self) -> Iterator[Finding]:
        """PP374 and PP375."""
        for number, found in enumerate(self.requirements):
            if number in self.shown:
                yield _make_hidden_requirement_finding(found, f"as of `{self.shown[number]}`")
            elif number not in self.examined:
                yield _make_hidden_requirement_finding(found, "unless something else decides it")
        for number, told in enumerate(self.implications):
            if number in self.told or number not in self.reached:
                yield _make_conditional_write_finding(told)


def _are_different_in_hidden_field(game: Game, world: State, state: Sequence[int], hidden: Field) -> bool:
    """Return whether two states differ in a hidden field."""
    cells = slice(hidden.offset, hidden.offset + hidden.size)
    return tuple(world[cells]) != tuple(state[cells])


def _list_field_values_at_moments(states: Sequence[Sequence[int]], fields: Sequence[Field]) -> list[int]:
    """Return what these fields hold at each moment; a phase only at the last, since it is not on the table before."""
    cells: list[int] = []
    for moment in states:
        for held in fields:
            if held.number or moment is states[-1]:
                cells += moment[held.offset : held.offset + held.size]
    return cells


def _make_hidden_requirement_finding(requirement: HiddenRequirement, circumstance: str) -> Finding:
    rule = requirement.source.rule if isinstance(requirement.source, Require) else ""
    cited = f"{rule}: " if rule else ""
    place: Place = requirement.source.place or requirement.action.place
    return Finding(
        "PP374",
        convert_rule_place_to_file_place(place),
        f"{cited}whether `{requirement.action.name}` is legal depends on `{requirement.field.name}`, "
        f"which the player who acts does not see, {circumstance}; so the choices offered tell it",
        "let them try and be told: ask with `when` in place of `require`, and declare "
        f'reveals="{requirement.field.name}"; or show it: sees=... of the field',
        "warning",
    )


def _make_conditional_write_finding(hidden_write: HiddenConditionalWrite) -> Finding:
    names = ", ".join(f"`{held.name}`" for held in hidden_write.to)
    return Finding(
        "PP375",
        convert_rule_place_to_file_place(hidden_write.rule.place)
        if hidden_write.rule.place
        else convert_rule_place_to_file_place(hidden_write.hidden.place),
        f"what {hidden_write.name} writes in {names} depends on `{hidden_write.hidden.name}`, "
        "which not everybody sees, so it tells something of it",
        f'write reveals="{hidden_write.hidden.name}" if that is meant',
        "warning",
    )
