"""Whether a seat can tell two states apart, computed from what the seat is shown."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Interpreter
from playproof.referee.view import View


def list_observable_differences_of_states(
    play: Interpreter, state: Sequence[int], other_state: Sequence[int], seat: int
) -> list[str]:
    """Return the differences between two worlds that `seat` should not be able to tell apart; empty
    if there are none.

    Both worlds must give that seat the same view, the same actor and (where it acts) the same legal
    actions.
    """
    game, differences = play.game, []
    mine, theirs = View.of(game, state, seat).cells, View.of(game, other_state, seat).cells
    for field in game.fields:
        cells = slice(field.offset, field.offset + field.size)
        if mine[cells] != theirs[cells]:
            differences.append(f"the field `{field.name}` looks different")
    if differences:
        return differences
    if play.terminal(state) or play.terminal(other_state):
        return differences
    if play.actor(state) != play.actor(other_state):
        return ["another player acts"]
    if play.actor(state) == seat:
        differ = set(play.legal(state)) ^ set(play.legal(other_state))
        differences += [f"`{game.show(ident)}` is legal in one world only" for ident in sorted(differ)]
    return differences
