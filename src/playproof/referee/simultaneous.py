"""Who may choose now, and what, where all players choose at once (`Together`).

The rules ask one seat after the other, and nobody learns anything before all have chosen. So a table may take the
choices in any order: it asks here who still has to choose and among what, keeps a choice that comes early, and gives it
to the match when that seat is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import CHANCE, Interpreter
from playproof.language.expr import Read, as_term


def list_seats_to_choose(play: Interpreter, state: Sequence[int]) -> tuple[int, ...]:
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


def list_choices_of_seat(play: Interpreter, state: Sequence[int], seat: int) -> list[int]:
    """Return the actions that a seat may choose now, also if the rules will ask it only later; empty if it may not
    choose."""
    if seat not in list_seats_to_choose(play, state):
        return []
    asked, actor = list(state), play.game.phases[state[0]].actor
    if isinstance(actor, Read) and seat != play.actor(state):
        asked[actor.field.offset + play.value(actor.index, state)] = seat
    return play.legal(asked)
