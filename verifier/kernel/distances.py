"""Distances: how many decisions the nearest or the farthest state is away from the start that meets a condition.

The theorem: layer 0 is the start; the next layer is what one decision leads to from a layer, without the states of all
layers before. So a state lies in layer n if and only if n decisions lead to it and no fewer do. The check makes the
layers itself. Its premises are those of an exploration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import Decision
from playproof.verifier.kernel.exploration import (
    EnumerationCertificate,
    enumerate_states_without_moves_cached,
)
from playproof.verifier.kernel.statements import Event, Statement, Subject
from playproof.verifier.kernel.strict import to_plain_json_data
from playproof.verifier.questions.claims import Question


@dataclass(frozen=True)
class StateDistance(Subject):
    """Of the states that meet the event, the one nearest to the start (if `far`, the farthest one) is `number`
    decisions away by the shortest way."""

    kind: ClassVar[str] = "away"
    event: Event
    far: bool
    number: int

    def format_true_or_false_sentence(self, is_true: bool) -> str:
        """Say how far away it is."""
        which = "farthest" if self.far else "nearest"
        decisions = "1 decision" if self.number == 1 else f"{self.number:,} decisions"
        return f"{'' if is_true else 'not '}{decisions} to the {which} state with: {self.event.format_subject_words()}"

    def decide_question_if_about_it(
        self, game: Game, question: Question, context: Context
    ) -> Decision | None:
        """Return how far the state is that the question asks about."""
        if question.ask != "distance":
            return None
        [(which, of)] = question.of.items()
        wanted = (Event(to_plain_json_data(of), to_plain_json_data(question.within)).key, which == "farthest")
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
        if (
            self.number < 0
        ):  # so `count_states_and_compute_distance_to_event` says that no state meets the event
            raise NotShown("a distance is no negative number")
        if count_states_and_compute_distance_to_event(game, self.event, self.far, self.states, context) != (
            self.states,
            self.number,
        ):
            raise NotShown(f"{self.states:,} states and {self.number:,} decisions are not what there is")


def count_states_and_compute_distance_to_event(
    game: Game, event: Event, farthest: bool, max_states: int, context: Context
) -> tuple[int, int]:
    """Return how many states there are, and how many decisions the nearest or the farthest one that meets the event is
    away, -1 if none does. Raises NotShown if there are more than `most`, or if the rules break."""
    target = event.build_condition_and_actions(game)
    if target.idents is not None:
        raise NotShown("the way leads to a state, not to an action")
    graph = enumerate_states_without_moves_cached(game, max_states, context)
    rows = np.flatnonzero(graph.evaluate_condition_in_each_state(game, target.condition))
    if not len(rows):
        return len(graph.cells), -1
    return len(graph.cells), int(np.searchsorted(graph.layers, rows[-1 if farthest else 0], side="right"))
