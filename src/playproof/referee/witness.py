"""What a seat sees happen: who acts, which action it is, its parameters, and the table after each
small step.

* A player's action is public, except for what it declares `secret`.
* A seat sees the result of chance if it sees the fields that result changes. All seats see a
  parameter that changes no hidden field (a die, an open card).
* A seat hears another parameter, of chance or a secret one of a player, only if what it sees tells
  it, whatever the hidden cells hold: a seat that receives a card sees which one it is. What the
  true hidden cells hold decides nothing, or the words themselves would tell of them.
* Each automatic phase is observed separately, so a card that is cleared away at once was seen.
* A seat sees whose turn it is, and on its own turn which actions it may choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, product, zip_longest
from math import prod
from types import ModuleType
from typing import Any

from playproof.language import CHANCE
from playproof.language.game import Action, Game
from playproof.language.legality import Telling
from playproof.language.secrecy import open_params
from playproof.referee.unknowns import Unclear, on_unknowns, tables_after
from playproof.referee.view import visible

Cells = tuple[int, ...]
WATCHER = -3  # in place of a seat: somebody who sees only what all seats see
_LONGEST_RUN = 10_000  # automatic phases after one action; an impossible look-alike may never stop
_MOST_ALIKE = 5_000  # with more look-alikes, nobody hears the parameters


@dataclass(frozen=True, slots=True)
class Heard:
    """An action as a seat hears it. `action` is its number in the game, or None if it is hidden.
    `values` has None for each parameter that the seat does not see."""

    actor: int
    action: int | None
    values: tuple[int | None, ...]


class Witness:
    """Says for each seat of one game what it sees of a step. The step must be legal; the witness
    does not check this."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._masks = {seat: visible(game, seat) for seat in range(game.players)}
        self._masks[WATCHER] = tuple(all(seen) for seen in zip(*self._masks.values(), strict=True))
        self._runs = {seat: _runs_of(mask) for seat, mask in self._masks.items()}
        self.telling = Telling.of(game)
        width = max(1, game.ground)
        self._out, self._weights = [0] * width, [0] * width
        self._acts: dict[int, tuple[Action, tuple[int, ...]]] = {}

    @cached_property
    def _module(self) -> ModuleType:
        """The generated source as plain Python, without checks.

        Look-alikes of an action need not be legal, and an impossible one must not reveal a secret.
        """
        from playproof.language.compiled import generate, load  # imports numpy, which lint does not need

        return load(generate(self.game))

    @cached_property
    def _doubting(self) -> dict[str, Any]:
        """The same functions on tables with unknown cells."""
        return on_unknowns(vars(self._module))

    def actor(self, state: Sequence[int]) -> int:
        """Return the seat to act, or CHANCE."""
        return int(self._module.actor(state))

    def legal(self, state: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the legal ground actions and their weights."""
        n = self._module.legal(state, self._out, self._weights)
        return self._out[:n], self._weights[:n]

    def moments(self, state: Sequence[int], ident: int) -> list[list[int]]:
        """Return the states after an action and after each automatic phase that follows."""
        return list(self._moments(state, *self.act(ident)))

    def act(self, ident: int) -> tuple[Action, tuple[int, ...]]:
        """Return a ground action's action and parameters. Cached, since beliefs ask for
        thousands per step."""
        if ident not in self._acts:
            action = self.game.action_of(ident)
            self._acts[ident] = action, tuple(action.values(ident))
        return self._acts[ident]

    def _moments(self, state: Sequence[int], action: Action, values: Sequence[int]) -> Iterator[list[int]]:
        now, module, phases = list(state), self._module, self.game.phases
        getattr(module, f"effect{action.number}")(now, *values)
        yield list(now)
        for _ in range(_LONGEST_RUN):
            if now[1] or not phases[now[0]].automatic:
                return
            getattr(module, f"auto{now[0]}")(now)
            yield list(now)

    # -- what is seen ---------------------------------------------------------------------------------------

    def views(self, moments: Iterable[Sequence[int]], seat: int) -> Iterator[Cells]:
        """Yield what a seat sees of the table at each moment, if it differs from the moment before.

        Between automatic phases the seat does not see the phase itself: the phase is bookkeeping of
        the rules and not on the table.
        """
        return self._looks(moments, self._runs[seat])

    def looks(self, moments: Iterable[Sequence[int]], mask: Sequence[bool]) -> Iterator[Cells]:
        """Do the same for an observer who sees the cells of `mask`."""
        return self._looks(moments, _runs_of(mask))

    def _looks(self, moments: Iterable[Sequence[int]], runs: Sequence[slice]) -> Iterator[Cells]:
        last: Cells | None = None
        for state in moments:
            cells: list[int] = []
            for run in runs:
                cells += state[run]
            between = self.game.phases[state[0]].automatic and not state[1]
            if between:
                cells[0] = -1
            seen = tuple(cells)
            if not between or last is None or seen[1:] != last[1:]:
                yield seen
                last = seen

    def after(self, state: Sequence[int], ident: int, seat: int, views: Sequence[Cells]) -> Cells | None:
        """Return the state that an action leads to if the seat then sees just these views, else None. Stops at the
        first view that differs: a belief asks this of thousands of actions per step."""
        passed: list[list[int]] = []

        def moments() -> Iterator[list[int]]:
            for moment in self._moments(state, *self.act(ident)):
                passed.append(moment)
                yield moment

        for view, expected in zip_longest(self.views(moments(), seat), views):
            if view != expected:
                return None
        return tuple(passed[-1])

    def choice(self, state: Sequence[int], seat: int) -> Cells:
        """Return what a seat learns at a moment from whose turn it is and, on its own turn, from the actions that it
        may choose. Empty where the cells that the seat sees decide both."""
        if state[1]:
            return ()
        tells_actor = state[0] in self.telling.actors
        tells_choices = state[0] in self.telling.choices
        if not (tells_actor or tells_choices):
            return ()
        actor = self.actor(state)
        choices = self.legal(state)[0] if tells_choices and actor == seat else []
        return (*([actor] if tells_actor else []), *choices)

    def unsure(self, ident: int) -> bool:
        """Return whether some seat may be unable to tell which of several look-alikes of an
        action was taken."""
        action = self.game.action_of(ident)
        return action.hidden or bool(_unsure(action, chance=self.game.phases[action.phases[0]].chance))

    def heard(self, before: Sequence[int], ident: int, seat: int | None) -> Heard:
        """Return an action as a seat or WATCHER hears it (None: the referee, who hears everything).
        `before` is the state in which it was taken."""
        (action, values), actor = self.act(ident), self.actor(before)
        if seat is None or seat == actor:
            return Heard(actor, action.number, values)
        if action.hidden:
            return Heard(actor, None, ())
        unsure = _unsure(action, chance=actor == CHANCE)
        hidden = self._hidden(before, action, values, unsure, seat) if unsure else set()
        heard = tuple(None if place in hidden else value for place, value in enumerate(values))
        return Heard(actor, action.number, heard)

    def _hidden(
        self, before: Sequence[int], action: Action, values: Sequence[int], unsure: Sequence[int], seat: int
    ) -> set[int]:
        """Return the places among `unsure` whose value the seat cannot tell. Depends only on what
        the seat sees before and right after the action."""
        if prod(action.params[n].count for n in unsure) > _MOST_ALIKE:
            return set(unsure)
        mask = self._masks[seat]
        table = [cell if seen else None for cell, seen in zip(before, mask, strict=True)]
        after = next(self._moments(before, action, values))
        # The number of an automatic phase is not on the table.
        first = int(self.game.phases[after[0]].automatic and not after[1])
        visible_after = [(place, after[place]) for place in range(first, len(mask)) if mask[place]]
        hidden: set[int] = set()
        for other in _alike(action, values, unsure):
            changed = {n for n in unsure if other[n] != values[n]}
            if not changed <= hidden and self._fits(table, action, other, visible_after):
                hidden |= changed
                if len(hidden) == len(unsure):
                    break
        return hidden

    def _fits(
        self,
        table: Sequence[int | None],
        action: Action,
        values: Sequence[int],
        visible_after: Sequence[tuple[int, int]],
    ) -> bool:
        """Return whether an action may show these cells, with some hidden cells before it."""
        try:
            for after in tables_after(self._doubting, f"effect{action.number}", table, values):
                if all(after[place] in (None, value) for place, value in visible_after):
                    return True
        except Unclear:
            return True
        return False


def witness_of(game: Game) -> Witness:
    """Return the witness of a game, made once."""
    return _made(id(game), game)


@lru_cache(maxsize=64)
def _made(_: int, game: Game) -> Witness:
    return Witness(game)


def _runs_of(mask: Sequence[bool]) -> list[slice]:
    """Return the places where a mask holds, as runs: slices of a state are much cheaper than single cells."""
    runs, at = [], 0
    for seen, cells in groupby(mask):
        length = len(list(cells))
        if seen:
            runs.append(slice(at, at + length))
        at += length
    return runs


def _unsure(action: Action, *, chance: bool) -> list[int]:
    """Return the places of the parameters that some seats do not see at once."""
    if chance:
        announced = open_params(action) - action.secret
        return [n for n, p in enumerate(action.params) if p.local.name not in announced]
    return [n for n, p in enumerate(action.params) if p.local.name in action.secret]


def _alike(action: Action, values: Sequence[int], unsure: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the values of the same action with other values in some of the places."""
    ranges = (
        p.values if n in unsure else (v,) for n, (p, v) in enumerate(zip(action.params, values, strict=True))
    )
    yield from (other for other in product(*ranges) if other != tuple(values))
