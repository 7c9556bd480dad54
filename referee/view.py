"""What a seat sees: the visible cells of a state, the words of an action, and everything seen so far.

Visibility is declared once, on the field (`sees=`). All else follows from it here: what another player's action
tells, the information state, and the test that nothing leaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from playproof.rules.language import BoundsError, Game, Interpreter, Sees
from playproof.rules.language.expr import Apply, Read, Reduce, Term, children
from playproof.rules.language.fields import Field
from playproof.rules.language.game import Action
from playproof.rules.language.trace import Assign, Statement


@dataclass(frozen=True, slots=True)
class View:
    """A state as one seat sees it: `cells` holds None where it may not look."""

    seat: int | None
    cells: tuple[int | None, ...]

    @classmethod
    def of(cls, game: Game, state: Sequence[int], seat: int | None) -> View:
        """What `seat` sees of a state (None: everything, as the referee does)."""
        if seat is None:
            return cls(seat, tuple(state))
        mask = visible(game, seat)
        return cls(seat, tuple(v if seen else None for v, seen in zip(state, mask, strict=True)))


def visible(game: Game, seat: int) -> tuple[bool, ...]:
    """For each cell of the flat state, whether that seat sees it."""
    return _visible(id(game), game, seat)


@lru_cache(maxsize=256)
def _visible(_: int, game: Game, seat: int) -> tuple[bool, ...]:
    return tuple(seen for field in game.fields for seen in _field_mask(field, seat, game.players))


def _field_mask(field: Field, seat: int, players: int) -> list[bool]:
    if field.sees is Sees.ALL or (field.sees is Sees.OWNER and players == 1):
        return [True] * field.size
    if field.sees is Sees.NOBODY:
        return [False] * field.size
    share = field.size // field.shape[0]
    return [cell // share == seat for cell in range(field.size)]


def drawn_fields(game: Game) -> list[Field]:
    """The fields worth drawing: not who acts nor the phase, which the heading says, and no bookkeeping.

    Bookkeeping is what has a leading underscore, what `g.fact(hidden=[...])` names, and remembered phases.
    """
    hidden = {"phase", "outcome", *game.facts.get("hidden", ())}
    hidden |= {phase.actor.field.name for phase in game.phases if isinstance(phase.actor, Read)}
    phases = tuple(p.name for p in game.phases)
    return [f for f in game.fields if f.name not in hidden and not f.name.startswith("_") and f.labels != phases]


def has_secrets(game: Game) -> bool:
    """Whether anything is hidden from any seat."""
    return any(not all(visible(game, seat)) for seat in range(game.players))


def sees_term(game: Game, term: Term, seat: int) -> bool:
    """Whether a seat may know a quantity's value: every field it reads is one the seat sees as a whole."""
    mask = visible(game, seat)
    return all(all(mask[f.offset:f.offset + f.size]) for f in _fields_of(term))


def _fields_of(term: Term) -> set[Field]:
    found: set[Field] = set()
    todo = [term]
    while todo:
        top = todo.pop()
        if isinstance(top, Read):
            found.add(top.field)
        if isinstance(top, Apply):
            todo.append(top.function.body)
        if isinstance(top, Reduce):
            todo.append(top.body)
        todo.extend(children(top))
    return found


# -- what an action tells -------------------------------------------------------------------------------------------


class Witness(Interpreter):
    """Runs an action's effects whether or not it is legal, so that look-alikes of a hidden action can be compared.

    A value outside its field's bounds is moved into them: an impossible look-alike must not give a secret away.
    """

    def outcome(self, state: Sequence[int], action: Action, values: Sequence[int]) -> list[int]:
        """The state after the effects and the automatic phases behind them."""
        after = list(state)
        bound = {p.local.number: v for p, v in zip(action.params, values, strict=True)}
        try:
            self._run(action.body, after, bound)
            return self._settle(after)
        except (BoundsError, IndexError):
            return after

    def _run(self, body: Sequence[Statement], state: list[int], env: dict[int, int]) -> None:
        for statement in body:
            if isinstance(statement, Assign):
                to = statement.field
                new = self.value(statement.value, state, env)
                state[to.offset + self.value(statement.index, state, env)] = min(max(new, to.lo), to.hi)
            else:
                super()._run((statement,), state, env)


def seen_values(witness: Witness, state: Sequence[int], ident: int, seat: int) -> tuple[int | None, ...]:
    """The parameters of an action somebody else takes in `state`, None where `seat` cannot tell.

    A seat can tell a parameter if no other value of it would have left the same view. Parameters are varied one at a
    time, so two that are secret only together are not found.
    """
    game = witness.game
    action = game.action_of(ident)
    values = action.values(ident)
    shown = View.of(game, witness.outcome(state, action, values), seat)
    seen: list[int | None] = []
    for place, parameter in enumerate(action.params):
        others = (v for v in range(parameter.low, parameter.low + parameter.count) if v != values[place])
        alike = any(shown == View.of(game, witness.outcome(state, action, _with(values, place, v)), seat)
                    for v in others)
        seen.append(None if alike else values[place])
    return tuple(seen)


def seen_words(witness: Witness, state: Sequence[int], ident: int, seat: int | None) -> str:
    """The words of an action as a seat hears them, with "?" for what it cannot tell.

    `state` is the one before the action. The actor hears everything; so does everybody where nothing is hidden.
    """
    game = witness.game
    if seat is None or witness.actor(state) == seat or all(visible(game, seat)):
        return game.show(ident)
    action = game.action_of(ident)
    values = seen_values(witness, state, ident, seat)
    if all(v is not None for v in values):
        return game.show(ident)
    if callable(action.text):
        return f"{action.name.replace('_', ' ')} ?"
    named = {p.local.name: "?" if v is None else p.show(v) for p, v in zip(action.params, values, strict=True)}
    return action.text.format(**named)


def _with(values: Sequence[int], place: int, value: int) -> tuple[int, ...]:
    return (*values[:place], value, *values[place + 1:])


# -- what is remembered ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation: the action if the seat itself took it (else -1), and what it saw afterwards."""

    own: int
    cells: tuple[int | None, ...]


def information(play: Interpreter, states: Sequence[Sequence[int]], actions: Sequence[int],
                seat: int) -> tuple[Seen, ...]:
    """A seat's information state with perfect recall: everything it saw and did since the start.

    Two histories with equal information are one and the same to that seat. `states` has one entry more than
    `actions`.
    """
    seen = [Seen(-1, View.of(play.game, states[0], seat).cells)]
    for before, ident, after in zip(states, actions, states[1:], strict=False):
        own = ident if play.actor(before) == seat else -1
        seen.append(Seen(own, View.of(play.game, after, seat).cells))
    return tuple(seen)


def leaks(play: Interpreter, state: Sequence[int], other: Sequence[int], seat: int) -> list[str]:
    """What tells two worlds apart although `seat` should not see a difference; empty if nothing does.

    Both worlds must give that seat the same view, the same actor and (where it acts) the same legal actions.
    """
    game, found = play.game, []
    mine, theirs = View.of(game, state, seat).cells, View.of(game, other, seat).cells
    for field in game.fields:
        cells = slice(field.offset, field.offset + field.size)
        if mine[cells] != theirs[cells]:
            found.append(f"the field `{field.name}` looks different")
    if found:
        return found
    if play.terminal(state) or play.terminal(other):
        return found
    if play.actor(state) != play.actor(other):
        return ["another player acts"]
    if play.actor(state) == seat:
        differ = set(play.legal(state)) ^ set(play.legal(other))
        found += [f"`{game.show(ident)}` is legal in one world only" for ident in sorted(differ)]
    return found
