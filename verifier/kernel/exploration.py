"""What is shown by going through all states: an event in none of them, a property, a length, a law or a secret in each;
how many of them meet a condition, and how many decisions the nearest or the farthest is away that does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from playproof.language import Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.laws import (
    Law,
    do_automatic_phases_at_start_break_law,
    does_decision_or_phase_after_it_break_law,
    is_decision_required_by_law_illegal,
    read_law_from_spec,
)
from playproof.verifier.kernel.look_alikes import (
    read_secret_from_spec as read_secret,
    require_no_state_reveals_secret,
    require_secret_equal_in_look_alike_states,
)
from playproof.verifier.kernel.state_graphs import (
    COMPILED,
    MOST_STATES,
    EnumerationCertificate,
    StateGraph,
    compute_longest_path_length_or_none,
    enumerate_game_states_cached,
    require_no_step_lowers_number,
    require_target_excluded_beyond_limit,
)
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    PROPERTIES,
    Event,
    LawObeyed,
    LengthLimit,
    Property,
    Secrecy,
    SecretDiffers,
    Statement,
    Subject,
    target_spec_to_event,
)
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.questions.claims import Question


@dataclass(frozen=True)
class ExplorationCertificate(EnumerationCertificate):
    """All reachable states, of which there are `states`: none meets the event; the rules keep the
    property in each; no path is longer than the length; no decision breaks the law; what a seat is sent
    does not tell the secret; no two are apart.

    For an event, a `number` limits this to the states in which the number is at most `most`; beyond,
    the event's own condition excludes it.

    The theorem: if the set of states holds the start and, with each state, every state that one
    decision leads to, then every game stays in it. The check makes that set itself. So the premises
    are that the reading is the interpreter's, and that `states` is the size of the set: that size,
    and not the file, decides who reads it.
    """

    kind: ClassVar[str] = "exploration"
    about: Subject
    states: int
    number: str = ""
    most: int = 0

    def describe_what_must_be_trusted(self) -> str:
        """Return what enumerates the states, and Z3 if a number limits them."""
        return self.describe_what_enumerates_states() + (", and Z3 for the states beyond" if self.number else "")

    def describe_what_enumerates_states(self) -> str:
        """Return what enumerates the states."""
        return super().describe_what_must_be_trusted()

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, that the property, the length, the law or the secret is
        kept, or that no two states are apart."""
        return Statement(self.about, not isinstance(self.about, Event | SecretDiffers))

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is stated, and the number that limits the states."""
        return super().list_claim_parts() + ([("number", self.number)] if self.number else [])

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Enumerate the states and look at each. Raises NotShown, also where the rules break."""
        if (self.number and not isinstance(self.about, Event)) or (self.most and not self.number):
            raise NotShown("only what is said of an event may be limited by a number")
        if not isinstance(self.about, Event | Property | LengthLimit | LawObeyed | Secrecy | SecretDiffers):
            raise NotShown("no exploration can show this")
        if self.states > MOST_STATES:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        graph = self.require_claimed_state_count(
            enumerate_game_states_cached(game, self.states, context, (self.number, self.most))
        )
        match self.about:
            case Event():
                target = self.about.build_condition_and_actions(game, context)
                _require_target_met_in_no_state(game, graph, target)
                if self.number:
                    require_target_excluded_beyond_limit(
                        game, target, context.read_number(game, self.number), self.most, context
                    )
            case Property(name=name):
                _require_property_in_each_state(graph, name)
            case LengthLimit(most=most):
                longest = compute_longest_path_length_or_none(graph)
                if longest is None or longest > most:
                    raise NotShown("play can go in circles" if longest is None else f"a game has {longest} decisions")
            case LawObeyed(law=law):
                _require_no_decision_breaks_law(Interpreter(game), graph, read_law_from_spec(game, law, context))
            case Secrecy(of=of):
                _require_secret_not_revealed(Interpreter(game), graph, of)
            case SecretDiffers(of=of):
                require_secret_equal_in_look_alike_states(read_secret(game, of), graph.cells.tolist())


@dataclass(frozen=True)
class CompiledExplorationCertificate(ExplorationCertificate):
    """No reachable state meets the event, as an `ExplorationCertificate` states it, if compiled code went through the
    states rightly. There are at most `states`, and more than the kernel goes through itself. The kernel does not
    contain this code: the caller lends it in the context, and the verdict says that it rests on it."""

    kind: ClassVar[str] = "compiled exploration"
    rests: ClassVar[str] = COMPILED

    def describe_what_enumerates_states(self) -> str:
        """Return what enumerates the states."""
        return self.rests

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, if the rules keep their bounds: compiled code does not look at them."""
        return replace(super().build_proved_statement(), grounds=(BOUNDS, PHASES_END))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Let compiled code go through the states. Raises NotShown."""
        if self.states <= MOST_STATES:
            raise NotShown(f"the kernel goes through {self.states:,} states itself")
        if context.compiled is None:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        if not isinstance(self.about, Event) or (self.most and not self.number):
            raise NotShown("compiled code looks for an event alone, and for no limit without a number")
        target = self.about.build_condition_and_actions(game, context)
        if self.number:
            number = context.read_number(game, self.number)
            require_no_step_lowers_number(game, number, context)
            require_target_excluded_beyond_limit(game, target, number, self.most, context)
        fault = context.compiled(game, target, (self.number, self.most), self.states, None)
        if fault:
            raise NotShown(fault)


@dataclass(frozen=True)
class StateCount(Subject):
    """So many of the states that games come to meet the event."""

    kind: ClassVar[str] = "numbered"
    event: Event
    number: int

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how many states meet the question's condition."""
        wanted = target_spec_to_event(question.of, question.within)
        return Decision(self.number) if question.ask == "count" and self.event.key == wanted.key else None


@dataclass(frozen=True)
class StateCountCertificate(EnumerationCertificate):
    """Of the `states` that games come to, `number` meet the event. The theorem and its premises are those of an
    exploration; the check counts."""

    kind: ClassVar[str] = "count"
    event: Event
    states: int
    number: int

    def build_proved_statement(self) -> Statement:
        """State how many states meet the event."""
        return Statement(StateCount(self.event, self.number))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Enumerate the states and count those that meet the event. Raises NotShown."""
        target = self.event.build_condition_and_actions(game, context)
        if target.idents is not None:
            raise NotShown("states are counted, not actions")
        graph = self.require_claimed_state_count(
            enumerate_game_states_cached(game, self.states, context, keep_moves=False)
        )
        number = int(np.count_nonzero(graph.evaluate_condition_in_each_state(game, target.condition)))
        if number != self.number:
            raise NotShown(f"{number:,} states meet it, the evidence speaks of {self.number:,}")


def _require_target_met_in_no_state(game: Game, graph: StateGraph, target: Target) -> None:
    """Check that no state meets the target, and that none of its actions is taken where its condition holds. Open rows
    do not count. Raises NotShown."""
    meets = graph.evaluate_condition_in_each_state(game, target.condition) & ~graph.open
    if target.idents is not None:
        taken = graph.edges[np.isin(graph.edges[:, 1], sorted(target.idents)), 0]
        meets &= np.isin(np.arange(len(graph.cells)), taken)
    if meets.any():
        raise NotShown(f"it is met in state {np.argmax(meets)}")


def _require_property_in_each_state(graph: StateGraph, property_name: str) -> None:
    """Check that the rules keep a property in each state. The enumeration itself has failed at a
    broken bound or an endless phase. Raises NotShown."""
    if property_name not in PROPERTIES:
        raise NotShown("no exploration can show this")
    stuck = (graph.cells[:, 1] == 0) & (np.diff(graph.first) == 0)
    if property_name == NO_DEAD_END and stuck.any():
        raise NotShown("there is a dead end")


def _require_no_decision_breaks_law(interpreter: Interpreter, graph: StateGraph, law: Law) -> None:
    """Check that no decision breaks a law. Raises NotShown."""
    for row, state in enumerate(graph.cells.tolist()):
        if is_decision_required_by_law_illegal(interpreter, law, state) or any(
            does_decision_or_phase_after_it_break_law(interpreter, law, state, i)
            for i in graph.list_legal_actions_of_state(row)
        ):
            raise NotShown("a decision breaks the law")
    if do_automatic_phases_at_start_break_law(interpreter, law):
        raise NotShown("the start breaks the law")


def _require_secret_not_revealed(interpreter: Interpreter, graph: StateGraph, secret_spec: Json) -> None:
    """Check that what a seat is sent does not tell the secret. Raises NotShown, also where the rules
    break."""
    with raise_rules_errors_as_not_shown():
        require_no_state_reveals_secret(
            interpreter,
            read_secret(interpreter.game, secret_spec),
            graph.cells.tolist(),
            graph.list_legal_actions_of_state,
        )


# -- distances -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateDistance(Subject):
    """Of the states that meet the event, the one nearest to the start (if `far`, the farthest one) is `number`
    decisions away by the shortest way."""

    kind: ClassVar[str] = "away"
    event: Event
    far: bool
    number: int

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how far the state is that the question asks about."""
        if question.ask != "distance":
            return None
        [(which, of)] = question.of.items()
        wanted = (target_spec_to_event(of, question.within).key, which == "farthest")
        return Decision(self.number) if (self.event.key, self.far) == wanted else None


@dataclass(frozen=True)
class DistanceCertificate(EnumerationCertificate):
    """Of the `states` that games come to, the nearest (if `far`, the farthest) one that meets the event is `number`
    decisions away."""

    kind: ClassVar[str] = "distance"
    event: Event
    far: bool
    states: int
    number: int

    def build_proved_statement(self) -> Statement:
        """State how far the state is."""
        return Statement(StateDistance(self.event, self.far, self.number))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Go through the layers. Raises NotShown."""
        if self.number < 0:  # so `count_states_and_get_distance_or_minus_1` says that no state meets the event
            raise NotShown("a distance is no negative number")
        if count_states_and_get_distance_or_minus_1(game, self.event, self.far, self.states, context) != (
            self.states,
            self.number,
        ):
            raise NotShown(f"{self.states:,} states and {self.number:,} decisions are not what there is")


def count_states_and_get_distance_or_minus_1(
    game: Game, event: Event, farthest: bool, max_states: int, context: Context
) -> tuple[int, int]:
    """Return how many states there are, and how many decisions the nearest or the farthest one that meets the event is
    away, -1 if none does. Raises NotShown if there are more than `max_states`, or if the rules break."""
    target = event.build_condition_and_actions(game, context)
    if target.idents is not None:
        raise NotShown("the way leads to a state, not to an action")
    graph = enumerate_game_states_cached(game, max_states, context, keep_moves=False)
    rows = np.flatnonzero(graph.evaluate_condition_in_each_state(game, target.condition))
    if not len(rows):
        return len(graph.cells), -1
    return len(graph.cells), int(np.searchsorted(graph.layers, rows[-1 if farthest else 0], side="right"))
