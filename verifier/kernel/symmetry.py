"""Symmetries: renamings of a game's things (suits, columns, equal cards) that the rules do not notice.

A renaming says for each cell which cell it takes its value from and what the values become, and for each decision which
decision it becomes. In golf, exchanging two suits exchanges their piles, their cards in the stock, and the suit of the
card in hand.

The theorem: if a renaming is certified, a state and the renamed one have the same chance of an event that does not
notice the renaming. For take any line of play from the one: the renamed decisions are a line from the other, the same
players act, chance has the same weights, and both meet the event at the same moments. So of states that renamings lead
into each other a sweep needs only one, whichever it is.

The premises, which `certified` asks Z3 of every state within bounds, in the phases that the renaming names: a decision
is legal, sound and weighs as much as the renamed one in the renamed state; the state behind that is the renamed state
behind the first, and its phase is one of those named, or the game is over; or both lead to the same state. The same
is asked of automatic phases. Who acts, and what the claim is about, do not change. Elsewhere nothing is renamed.
Source: Ip and Dill, "Better verification through symmetry", Formal Methods in System Design 9, 1996.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playproof.language import Action, Phase, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.layers import Column
from playproof.verifier.kernel.reading import Cells, Reading, SmallStep, Truth, conj, disj, neg
from playproof.verifier.kernel.solving import refuse
from playproof.verifier.kernel.strict import canonical, encode

_MOST_VALUES = 4_000  # values of a cell whose values are renamed
_PASSES = 12


@dataclass(frozen=True)
class Renaming:
    """Cell n of the renamed state takes its value from cell `cells[n]`. `values` lists the cells whose values change
    their names: the cell, then the new name of each value from the lowest. `idents[i]` is the decision that i becomes.
    States of the other phases than `phases` are not renamed."""

    cells: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    idents: tuple[int, ...]
    phases: tuple[int, ...]

    def names(self) -> dict[int, tuple[int, ...]]:
        """Return the new names of the values of each cell whose values change theirs."""
        return {cell: tuple(names) for cell, *names in self.values}

    def applied(self, cells: Column, lows: Sequence[int]) -> Column:
        """Return renamed states (rows x cells). `lows` are the lowest values of the cells."""
        renamed = cells[:, list(self.cells)]
        for cell, names in self.names().items():
            renamed[:, cell] = np.array(names)[renamed[:, cell] - lows[cell]]
        return renamed


class Smallest:
    """Brings states to the smallest that renamings lead them to, one after the other; not always to the smallest of
    all, which costs states and no truth."""

    def __init__(self, game: Game, alike: Sequence[Renaming]) -> None:
        self.lows = [f.lo for f in game.fields for _ in range(f.size)]
        self.alike = alike
        self.changed = [_changed(each) for each in alike]

    def of(self, cells: Column) -> Column:
        """Return states in place of others (rows x cells), none of which is over."""
        cells = cells.copy()
        for _ in range(_PASSES):
            if not sum(self._lowered(cells, n) for n in range(len(self.alike))):
                break
        return cells

    def _lowered(self, cells: Column, number: int) -> int:
        """Rename, in place, the states that a renaming makes smaller, and return how many there are."""
        each, columns = self.alike[number], self.changed[number]
        rows = np.flatnonzero(np.isin(cells[:, 0], each.phases))
        before = cells[rows]
        after = each.applied(before, self.lows)
        apart = after[:, columns] - before[:, columns]
        first = apart[np.arange(len(rows)), (apart != 0).argmax(axis=1)]
        smaller = first < 0
        cells[rows[smaller]] = after[smaller]
        return int(smaller.sum())


def _changed(each: Renaming) -> list[int]:
    """Return the cells that a renaming may change, in order."""
    return sorted({n for n, source in enumerate(each.cells) if n != source} | each.names().keys())


# -- the check --------------------------------------------------------------------------------------------------------


def certified(game: Game, alike: Sequence[Renaming], terms: Sequence[Term], context: Context) -> Smallest:
    """Check the premises of the theorem, for claims about `terms`. Raises NotShown."""
    for each in alike:
        _Check(game, each, terms, context).all()
    return Smallest(game, alike)


class _Check:
    """The questions about one renaming."""

    def __init__(self, game: Game, renaming: Renaming, terms: Sequence[Term], context: Context) -> None:
        self.game, self.renaming, self.terms, self.context = game, renaming, terms, context
        self.reading = Reading(game, False, terms)
        _shaped(self.reading, renaming)
        self.names = renaming.names()
        self.state = self.reading.state()
        self.renamed = self._renamed(self.state)
        playing = self.reading.compare("==", self.state[1], 0)
        self.on = [self.reading.typed(self.state), self._renames(self.state), playing]

    def all(self) -> None:
        """Ask everything that was not asked in this context before. Raises NotShown."""
        name = self.context.name(self.game), "renaming", canonical(encode(self.renaming))
        if name not in self.context.settled:
            self._steps()
            self.context.settled.add(name)
        for term in self.terms:
            for here in (self.on, [self.on[0], neg(self.on[2])]):
                self._unchanged(term, here)

    def _steps(self) -> None:
        for phase in self.game.phases:
            if phase.number in self.renaming.phases and not phase.automatic:
                self._unchanged(
                    phase.actor, [*self.on, self.reading.compare("==", self.state[0], phase.number)]
                )
            if phase.number in self.renaming.phases and phase.automatic:
                self._alike(phase, (), phase, ())
        for action in self.game.actions:
            for ident in action.idents:
                other = self.game.get_action_of_ident(self.renaming.idents[ident])
                self._alike(
                    action,
                    action.get_parameter_values(ident),
                    other,
                    other.get_parameter_values(self.renaming.idents[ident]),
                )

    def _alike(
        self, what: Action | Phase, params: Sequence[int], other: Action | Phase, others: Sequence[int]
    ) -> None:
        """Ask whether a step and the renamed one lead to states that the renaming leads into each other."""
        reading = self.reading
        step, theirs = reading.step(what, self.state, params), reading.step(other, self.renamed, others)
        wanted = [_same(step.legal, theirs.legal), _same(_broken(step), _broken(theirs))]
        if isinstance(what, Action) and isinstance(other, Action):
            weights = (reading.weight(what, self.state, params), reading.weight(other, self.renamed, others))
            wanted.append(disj([neg(step.legal), reading.compare("==", *weights)]))
        over = neg(reading.compare("==", step.after[1], 0))
        stays = disj([over, self._renames(step.after)])
        led = conj([stays, self._equal(self._renamed(step.after), theirs.after)])
        wanted.append(disj([neg(step.sound), led, self._equal(step.after, theirs.after)]))
        refuse([*self.on, neg(conj(wanted))], False, f"`{step.name}` may notice a renaming", self.context)

    def _renames(self, cells: Cells) -> Truth:
        """Return the formula that the phase is one of those of the renaming."""
        return disj(self.reading.compare("==", cells[0], n) for n in self.renaming.phases)

    def _unchanged(self, term: Term, here: Sequence[Truth]) -> None:
        """Ask whether a term has the same value in the renamed state."""
        mine, theirs = (self.reading.number(term, cells, {}) for cells in (self.state, self.renamed))
        refuse(
            [*here, neg(self.reading.compare("==", mine, theirs))],
            False,
            "what the claim is about may notice a renaming",
            self.context,
        )

    def _equal(self, cells: Cells, others: Cells) -> Truth:
        return conj(
            self.reading.compare("==", mine, other) for mine, other in zip(cells, others, strict=True)
        )

    def _renamed(self, cells: Cells) -> Cells:
        """Return the renamed state as formulas."""
        renamed = [cells[source] for source in self.renaming.cells]
        for cell, names in self.names.items():
            renamed[cell] = self._named(renamed[cell], self.reading.fields[cell].lo, names)
        return renamed

    def _named(self, value: object, low: int, names: Sequence[int]) -> object:
        new: object = value
        for old, name in enumerate(names, low):
            if old != name:
                new = self.reading.pick(self.reading.compare("==", value, old), name, new)
        return new


def _broken(step: SmallStep) -> Truth:
    return disj(fault.when for fault in step.faults)


def _same(first: Truth, second: Truth) -> Truth:
    return disj([conj([first, second]), conj([neg(first), neg(second)])])


def _shaped(reading: Reading, renaming: Renaming) -> None:
    """Check that a renaming can be undone, and keeps bounds, phases and outcomes. Raises NotShown."""
    if not all(renaming.values):
        raise NotShown("the renaming names the values of no cell")
    fields, cells, names = reading.fields, renaming.cells, renaming.names()
    if sorted(cells) != [*range(len(fields))] or cells[:2] != (0, 1) or {0, 1} & names.keys():
        raise NotShown("the renaming does not name each cell once, or renames phases or outcomes")
    if any(
        (fields[n].lo, fields[n].hi) != (fields[source].lo, fields[source].hi)
        for n, source in enumerate(cells)
    ):
        raise NotShown("the renaming mixes cells of other bounds")
    for cell, new in names.items():
        if not 0 <= cell < len(fields) or len(new) > _MOST_VALUES:
            raise NotShown("the renaming names the values of no cell, or of too large a one")
        if sorted(new) != [*range(fields[cell].lo, fields[cell].hi + 1)]:
            raise NotShown("the renaming does not name each value once")
    if not _changed(renaming):
        raise NotShown("the renaming changes no cell")
    if len(names) != len(renaming.values):
        raise NotShown("the renaming names the values of a cell twice")
    if sorted(renaming.idents) != [*range(reading.game.ground)]:
        raise NotShown("the renaming does not name each decision once")
    if not {*renaming.phases} <= {phase.number for phase in reading.game.phases}:
        raise NotShown("the renaming is about phases that the game does not have")
