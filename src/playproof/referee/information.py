"""What a seat knows: its observations in order, with perfect recall, and the test that nothing else
reaches it.

    seen = information(witness, match.states, match.actions, seat=0)

Two histories with equal information are indistinguishable to that seat. Everything else a seat
receives (its log, its information state in OpenSpiel, the worlds it imagines) is made from this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playproof.language import Interpreter
from playproof.referee.view import View
from playproof.referee.witness import CellValues, HeardAction, ObservationModel


@dataclass(frozen=True, slots=True)
class Observation:
    """One step as a seat saw it: the action it heard (None at the start) and the table at each
    moment that looked new to it.

    `views` holds the cells that the seat sees, in order. The first cell is -1 between automatic
    phases. `choice` is what the seat then learns from whose turn it is and from the actions that it
    may choose (`ObservationModel.get_choice_information`): empty where the cells decide both.
    """

    heard: HeardAction | None
    views: tuple[CellValues, ...]
    choice: CellValues = ()

    def __str__(self) -> str:
        """Format it as a line of an information state: `1:4(2,?) 3,0,1;5,0,1`, and `=7,8` behind it for what is
        learnt from the choices."""
        tables = ";".join(",".join(map(str, view)) for view in self.views)
        if self.choice:
            tables += "=" + ",".join(map(str, self.choice))
        if self.heard is None:
            return tables
        action = "?" if self.heard.action is None else str(self.heard.action)
        values = ",".join("?" if v is None else str(v) for v in self.heard.values)
        return f"{self.heard.actor}:{action}({values}) {tables}"


def observe_step(model: ObservationModel, before: Sequence[int], action_id: int, seat: int) -> Observation:
    """Return what a seat sees of one step."""
    moments = model.list_step_states(before, action_id)
    views = tuple(model.iter_views_of_seat(moments, seat))
    return Observation(
        model.hear_action(before, action_id, seat), views, model.get_choice_information(moments[-1], seat)
    )


def observe_start(model: ObservationModel, state: Sequence[int], seat: int) -> Observation:
    """Return what a seat sees before anything happens."""
    return Observation(
        None, tuple(model.iter_views_of_seat([state], seat)), model.get_choice_information(state, seat)
    )


def iter_observations(
    model: ObservationModel, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> Iterator[Observation]:
    """Yield what a seat saw, step by step. `states` has one entry more than `actions`."""
    yield observe_start(model, states[0], seat)
    for before, ident in zip(states, actions, strict=False):
        yield observe_step(model, before, ident, seat)


def information(
    witness: ObservationModel, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> tuple[Observation, ...]:
    """Return a seat's information state: everything it saw and did since the start."""
    return tuple(iter_observations(witness, states, actions, seat))


def leaks(play: Interpreter, state: Sequence[int], other: Sequence[int], seat: int) -> list[str]:
    """Return the differences between two worlds that `seat` should not be able to tell apart; empty
    if there are none.

    Both worlds must give that seat the same view, the same actor and (where it acts) the same legal
    actions.
    """
    game, differences = play.game, []
    mine, theirs = View.of(game, state, seat).cells, View.of(game, other, seat).cells
    for field in game.fields:
        cells = slice(field.offset, field.offset + field.size)
        if mine[cells] != theirs[cells]:
            differences.append(f"the field `{field.name}` looks different")
    if differences:
        return differences
    if play.terminal(state) or play.terminal(other):
        return differences
    if play.actor(state) != play.actor(other):
        return ["another player acts"]
    if play.actor(state) == seat:
        differ = set(play.legal(state)) ^ set(play.legal(other))
        differences += [f"`{game.show(ident)}` is legal in one world only" for ident in sorted(differ)]
    return differences
