"""Symmetries: renamings of a game's things (suits, columns, equal cards) that the rules do not notice.

A renaming says for each cell which cell it takes its value from and what the values become, and for each decision which
decision it becomes. In golf, exchanging two suits exchanges their piles, their cards in the stock, and the suit of the
card in hand.

The theorem: if a renaming is certified, a state and the renamed one have the same chance of an event that does not
notice the renaming. For take any line of play from the one: the renamed decisions are a line from the other, the same
players act, chance has the same weights, and both meet the event at the same moments. So of states that renamings lead
into each other a sweep needs only one, whichever it is.

The premises, which `check_renamings` asks Z3 of every state within bounds, in the phases that the renaming names:
a decision
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
from playproof.verifier.kernel.solving import check_unsat
from playproof.verifier.kernel.strict import encode, to_canonical

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

    def get_value_names(self) -> dict[int, tuple[int, ...]]:
        """Return the new names of the values of each cell whose values change theirs."""
        return {cell: tuple(names) for cell, *names in self.values}

    def rename_states(self, cells: Column, lows: Sequence[int]) -> Column:
        """Return renamed states (rows x cells). `lows` are the lowest values of the cells."""
        renamed = cells[:, list(self.cells)]
        for cell, names in self.get_value_names().items():
            renamed[:, cell] = np.array(names)[renamed[:, cell] - lows[cell]]
        return renamed


class StateCanonicalizer:
    """Brings states to the smallest that renamings lead them to, one after the other; not always to the smallest of
    all, which costs states and no truth."""

    def __init__(self, game: Game, alike: Sequence[Renaming]) -> None:
        self.lows = [f.lo for f in game.fields for _ in range(f.size)]
        self.alike = alike
        self.changed = [_list_changed_cells(each) for each in alike]

    def canonicalize_states(self, cells: Column) -> Column:
        """Return states in place of others (rows x cells), none of which is over."""
        cells = cells.copy()
        for _ in range(_PASSES):
            if not sum(self._rename_smaller_states(cells, n) for n in range(len(self.alike))):
                break
        return cells

    def _rename_smaller_states(self, cells: Column, number: int) -> int:
        """Rename, in place, the states that a renaming makes smaller, and return how many there are."""
        each, columns = self.alike[number], self.changed[number]
        rows = np.flatnonzero(np.isin(cells[:, 0], each.phases))
        before = cells[rows]
        after = each.rename_states(before, self.lows)
        apart = after[:, columns] - before[:, columns]
        first = apart[np.arange(len(rows)), (apart != 0).argmax(axis=1)]
        smaller = first < 0
        cells[rows[smaller]] = after[smaller]
        return int(smaller.sum())


def _list_changed_cells(renaming: Renaming) -> list[int]:
    """Return the cells that a renaming may change, in order."""
    return sorted(
        {n for n, source in enumerate(renaming.cells) if n != source} | renaming.get_value_names().keys()
    )


# -- the check --------------------------------------------------------------------------------------------------------


def check_renamings(
    game: Game, renamings: Sequence[Renaming], terms: Sequence[Term], context: Context
) -> StateCanonicalizer:
    """Check the premises of the theorem, for claims about `terms`. Raises NotShown."""
    for each in renamings:
        _RenamingCheck(game, each, terms, context).check_all()
    return StateCanonicalizer(game, renamings)


class _RenamingCheck:
    """The questions about one renaming."""

    def __init__(self, game: Game, renaming: Renaming, terms: Sequence[Term], context: Context) -> None:
        self.game, self.renaming, self.terms, self.context = game, renaming, terms, context
        self.reading = Reading(game, False, terms)
        _check_renaming_shape(self.reading, renaming)
        self.names = renaming.get_value_names()
        self.state = self.reading.make_state()
        self.renamed = self._rename_cells(self.state)
        playing = self.reading.compare("==", self.state[1], 0)
        self.on = [
            self.reading.build_bounds_formula(self.state),
            self._build_phase_formula(self.state),
            playing,
        ]

    def check_all(self) -> None:
        """Ask everything that was not asked in this context before. Raises NotShown."""
        name = self.context.get_game_digest(self.game), "renaming", to_canonical(encode(self.renaming))
        if name not in self.context.settled:
            self._check_steps()
            self.context.settled.add(name)
        for term in self.terms:
            for here in (self.on, [self.on[0], neg(self.on[2])]):
                self._check_term_unchanged(term, here)

    def _check_steps(self) -> None:
        for phase in self.game.phases:
            if phase.number in self.renaming.phases and not phase.automatic:
                self._check_term_unchanged(
                    phase.actor, [*self.on, self.reading.compare("==", self.state[0], phase.number)]
                )
            if phase.number in self.renaming.phases and phase.automatic:
                self._check_steps_match(phase, (), phase, ())
        for action in self.game.actions:
            for ident in action.idents:
                other = self.game.get_action_of_ident(self.renaming.idents[ident])
                self._check_steps_match(
                    action,
                    action.get_parameter_values(ident),
                    other,
                    other.get_parameter_values(self.renaming.idents[ident]),
                )

    def _check_steps_match(
        self, part: Action | Phase, params: Sequence[int], other: Action | Phase, others: Sequence[int]
    ) -> None:
        """Ask whether a step and the renamed one lead to states that the renaming leads into each other."""
        reading = self.reading
        step, theirs = (
            reading.build_step(part, self.state, params),
            reading.build_step(other, self.renamed, others),
        )
        wanted = [
            _build_equivalence(step.legal, theirs.legal),
            _build_equivalence(_build_fault_formula(step), _build_fault_formula(theirs)),
        ]
        if isinstance(part, Action) and isinstance(other, Action):
            weights = (
                reading.read_weight(part, self.state, params),
                reading.read_weight(other, self.renamed, others),
            )
            wanted.append(disj([neg(step.legal), reading.compare("==", *weights)]))
        over = neg(reading.compare("==", step.after[1], 0))
        stays = disj([over, self._build_phase_formula(step.after)])
        led = conj([stays, self._build_equality(self._rename_cells(step.after), theirs.after)])
        wanted.append(disj([neg(step.sound), led, self._build_equality(step.after, theirs.after)]))
        check_unsat(
            [*self.on, neg(conj(wanted))], False, f"`{step.name}` may notice a renaming", self.context
        )

    def _build_phase_formula(self, cells: Cells) -> Truth:
        """Return the formula that the phase is one of those of the renaming."""
        return disj(self.reading.compare("==", cells[0], n) for n in self.renaming.phases)

    def _check_term_unchanged(self, term: Term, premises: Sequence[Truth]) -> None:
        """Ask whether a term has the same value in the renamed state."""
        mine, theirs = (self.reading.read_number(term, cells, {}) for cells in (self.state, self.renamed))
        check_unsat(
            [*premises, neg(self.reading.compare("==", mine, theirs))],
            False,
            "what the claim is about may notice a renaming",
            self.context,
        )

    def _build_equality(self, cells: Cells, others: Cells) -> Truth:
        return conj(
            self.reading.compare("==", mine, other) for mine, other in zip(cells, others, strict=True)
        )

    def _rename_cells(self, cells: Cells) -> Cells:
        """Return the renamed state as formulas."""
        renamed = [cells[source] for source in self.renaming.cells]
        for cell, names in self.names.items():
            renamed[cell] = self._rename_value(renamed[cell], self.reading.fields[cell].lo, names)
        return renamed

    def _rename_value(self, value: object, low: int, names: Sequence[int]) -> object:
        new: object = value
        for old, name in enumerate(names, low):
            if old != name:
                new = self.reading.pick(self.reading.compare("==", value, old), name, new)
        return new


def _build_fault_formula(step: SmallStep) -> Truth:
    return disj(fault.when for fault in step.faults)


def _build_equivalence(first: Truth, second: Truth) -> Truth:
    return disj([conj([first, second]), conj([neg(first), neg(second)])])


def _check_renaming_shape(reading: Reading, renaming: Renaming) -> None:
    """Check that a renaming can be undone, and keeps bounds, phases and outcomes. Raises NotShown."""
    if not all(renaming.values):
        raise NotShown("the renaming names the values of no cell")
    fields, cells, names = reading.fields, renaming.cells, renaming.get_value_names()
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
    if not _list_changed_cells(renaming):
        raise NotShown("the renaming changes no cell")
    if len(names) != len(renaming.values):
        raise NotShown("the renaming names the values of a cell twice")
    if sorted(renaming.idents) != [*range(reading.game.ground)]:
        raise NotShown("the renaming does not name each decision once")
    if not {*renaming.phases} <= {phase.number for phase in reading.game.phases}:
        raise NotShown("the renaming is about phases that the game does not have")
