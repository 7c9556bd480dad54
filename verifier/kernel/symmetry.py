"""Symmetries: renamings of a game's things (suits, columns, equal cards) that the rules do not notice.

A renaming says for each cell which cell it takes its value from and what the values become, and for each decision which
decision it becomes. In golf, exchanging two suits exchanges their piles, their cards in the stock, and the suit of the
card in hand.

The theorem: if a renaming is certified, a state and the renamed one have the same chance of an event that does not
notice the renaming. For take any line of play from the one: the renamed decisions are a line from the other, the same
players act, chance has the same weights, and both meet the event at the same moments. So of states that renamings lead
into each other a sweep needs only one, whichever it is.

The premises, which `check_renamings_and_make_canonicalizer` asks Z3 of every state within bounds, in the phases that
the renaming names: a decision is legal, sound and weighs as much as the renamed one in the renamed state; the state
behind that is the renamed state behind the first, and its phase is one of those named, or the game is over; or both
lead to the same state. The same is asked of automatic phases. Who acts, and what the claim is about, do not change.
Elsewhere nothing is renamed. Source: Ip and Dill, "Better verification through symmetry", Formal Methods in System
Design 9, 1996.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playproof.language import Action, Phase, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.closed_sets import Column
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.formula_reading import Reading, SmallStep
from playproof.verifier.kernel.formulas import Truth, conjoin_formulas, disjoin_formulas, negate_formula
from playproof.verifier.kernel.strict_json import encode_typed_value_as_json, to_canonical_json_text
from playproof.verifier.kernel.term_reading import Cells
from playproof.verifier.kernel.z3_questions import require_formulas_unsatisfiable

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

    def get_new_values_by_cell(self) -> dict[int, tuple[int, ...]]:
        """Return the new names of the values of each cell whose values change theirs."""
        return {cell: tuple(names) for cell, *names in self.values}

    def apply_renaming_to_states(self, state_rows: Column, lowest_value_by_cell: Sequence[int]) -> Column:
        """Return renamed states (rows x cells). `lowest_value_by_cell` are the lowest values of the cells."""
        renamed = state_rows[:, list(self.cells)]
        for cell, names in self.get_new_values_by_cell().items():
            renamed[:, cell] = np.array(names)[renamed[:, cell] - lowest_value_by_cell[cell]]
        return renamed


class StateCanonicalizer:
    """Brings states to the smallest that renamings lead them to, one after the other; not always to the smallest of
    all, which costs states and no truth."""

    def __init__(self, game: Game, alike: Sequence[Renaming]) -> None:
        self.lows = [f.lo for f in game.fields for _ in range(f.size)]
        self.alike = alike
        self.changed = [_list_cells_renaming_may_change(each) for each in alike]

    def copy_rows_renamed_to_smaller_states(self, state_rows: Column) -> Column:
        """Return states in place of others (rows x cells), none of which is over."""
        state_rows = state_rows.copy()
        for _ in range(_PASSES):
            if not sum(self._rename_to_smaller_in_place_and_count(state_rows, n) for n in range(len(self.alike))):
                break
        return state_rows

    def _rename_to_smaller_in_place_and_count(self, state_rows: Column, renaming_number: int) -> int:
        """Rename, in place, the states that a renaming makes smaller, and return how many there are."""
        each, columns = self.alike[renaming_number], self.changed[renaming_number]
        rows = np.flatnonzero(np.isin(state_rows[:, 0], each.phases))
        before = state_rows[rows]
        after = each.apply_renaming_to_states(before, self.lows)
        apart = after[:, columns] - before[:, columns]
        first = apart[np.arange(len(rows)), (apart != 0).argmax(axis=1)]
        smaller = first < 0
        state_rows[rows[smaller]] = after[smaller]
        return int(smaller.sum())


def _list_cells_renaming_may_change(renaming: Renaming) -> list[int]:
    """Return the cells that a renaming may change, in order."""
    return sorted(
        {n for n, source in enumerate(renaming.cells) if n != source} | renaming.get_new_values_by_cell().keys()
    )


# -- the check --------------------------------------------------------------------------------------------------------


def check_renamings_and_make_canonicalizer(
    game: Game, renamings: Sequence[Renaming], claim_terms: Sequence[Term], context: Context
) -> StateCanonicalizer:
    """Check the premises of the theorem, for claims about `claim_terms`. Raises NotShown."""
    for each in renamings:
        _RenamingCheck(game, each, claim_terms, context).require_renaming_unnoticed()
    return StateCanonicalizer(game, renamings)


class _RenamingCheck:
    """The questions about one renaming."""

    def __init__(self, game: Game, renaming: Renaming, terms: Sequence[Term], context: Context) -> None:
        self.game, self.renaming, self.terms, self.context = game, renaming, terms, context
        self.reading = Reading(game)
        _require_renaming_is_permutation(self.reading, renaming)
        self.names = renaming.get_new_values_by_cell()
        self.state = self.reading.make_symbolic_state()
        self.renamed = self._rename_symbolic_state(self.state)
        playing = self.reading.build_comparison_formula("==", self.state[1], 0)
        self.on = [
            self.reading.build_cells_within_bounds_formula(self.state),
            self._build_phase_is_among_renamed_formula(self.state),
            playing,
        ]

    def require_renaming_unnoticed(self) -> None:
        """Ask everything that was not asked in this context before. Raises NotShown."""
        renaming = to_canonical_json_text(encode_typed_value_as_json(self.renaming))
        name = self.context.get_game_digest_cached(self.game), "renaming", renaming
        if name not in self.context.settled:
            self._require_all_steps_match_renamed()
            self.context.settled.add(name)
        self.context.has_relied_on_solver = True  # by whoever settled it
        for term in self.terms:
            for here in (self.on, [self.on[0], negate_formula(self.on[2])]):
                self._require_term_unchanged_by_renaming(term, here)

    def _require_all_steps_match_renamed(self) -> None:
        for phase in self.game.phases:
            if phase.number in self.renaming.phases and not phase.automatic:
                self._require_term_unchanged_by_renaming(
                    phase.actor, [*self.on, self.reading.build_comparison_formula("==", self.state[0], phase.number)]
                )
            if phase.number in self.renaming.phases and phase.automatic:
                self._require_step_matches_renamed_step(phase, (), phase, ())
        for action in self.game.actions:
            for ident in action.idents:
                other = self.game.get_action_of_ground_action_number(self.renaming.idents[ident])
                self._require_step_matches_renamed_step(
                    action,
                    action.get_values_of_ground_action(ident),
                    other,
                    other.get_values_of_ground_action(self.renaming.idents[ident]),
                )

    def _require_step_matches_renamed_step(
        self,
        action_or_phase: Action | Phase,
        parameter_values: Sequence[int],
        renamed_action_or_phase: Action | Phase,
        renamed_parameter_values: Sequence[int],
    ) -> None:
        """Ask whether a step and the renamed one lead to states that the renaming leads into each other."""
        reading = self.reading
        step = reading.build_symbolic_step(action_or_phase, self.state, parameter_values)
        theirs = reading.build_symbolic_step(renamed_action_or_phase, self.renamed, renamed_parameter_values)
        wanted = [
            _build_equivalence_formula(step.legal, theirs.legal),
            _build_equivalence_formula(_build_step_has_fault_formula(step), _build_step_has_fault_formula(theirs)),
        ]
        if isinstance(action_or_phase, Action) and isinstance(renamed_action_or_phase, Action):
            weight = reading.build_action_weight(action_or_phase, self.state, parameter_values)
            other = reading.build_action_weight(renamed_action_or_phase, self.renamed, renamed_parameter_values)
            same_weight = reading.build_comparison_formula("==", weight, other)
            wanted.append(disjoin_formulas([negate_formula(step.legal), same_weight]))
        over = negate_formula(reading.build_comparison_formula("==", step.after[1], 0))
        stays = disjoin_formulas([over, self._build_phase_is_among_renamed_formula(step.after)])
        led = conjoin_formulas(
            [stays, self._build_all_cells_equal_formula(self._rename_symbolic_state(step.after), theirs.after)]
        )
        wanted.append(
            disjoin_formulas(
                [negate_formula(step.sound), led, self._build_all_cells_equal_formula(step.after, theirs.after)]
            )
        )
        require_formulas_unsatisfiable(
            [*self.on, negate_formula(conjoin_formulas(wanted))],
            False,
            f"`{step.name}` may notice a renaming",
            self.context,
        )

    def _build_phase_is_among_renamed_formula(self, cells: Cells) -> Truth:
        """Return the formula that the phase is one of those of the renaming."""
        return disjoin_formulas(self.reading.build_comparison_formula("==", cells[0], n) for n in self.renaming.phases)

    def _require_term_unchanged_by_renaming(self, term: Term, premises: Sequence[Truth]) -> None:
        """Ask whether a term has the same value in the renamed state."""
        mine, theirs = (self.reading.build_term_value(term, cells, {}) for cells in (self.state, self.renamed))
        require_formulas_unsatisfiable(
            [*premises, negate_formula(self.reading.build_comparison_formula("==", mine, theirs))],
            False,
            "what the claim is about may notice a renaming",
            self.context,
        )

    def _build_all_cells_equal_formula(self, cells: Cells, others: Cells) -> Truth:
        return conjoin_formulas(
            self.reading.build_comparison_formula("==", mine, other) for mine, other in zip(cells, others, strict=True)
        )

    def _rename_symbolic_state(self, cells: Cells) -> Cells:
        """Return the renamed state as formulas."""
        renamed = [cells[source] for source in self.renaming.cells]
        for cell, names in self.names.items():
            renamed[cell] = self._build_renamed_value(renamed[cell], self.reading.fields[cell].lo, names)
        return renamed

    def _build_renamed_value(self, value: object, low: int, new_values: Sequence[int]) -> object:
        new: object = value
        for old, name in enumerate(new_values, low):
            if old != name:
                new = self.reading.choose_by_condition(
                    self.reading.build_comparison_formula("==", value, old), name, new
                )
        return new


def _build_step_has_fault_formula(step: SmallStep) -> Truth:
    return disjoin_formulas(fault.when for fault in step.faults)


def _build_equivalence_formula(first: Truth, second: Truth) -> Truth:
    return disjoin_formulas(
        [conjoin_formulas([first, second]), conjoin_formulas([negate_formula(first), negate_formula(second)])]
    )


def _require_renaming_is_permutation(reading: Reading, renaming: Renaming) -> None:
    """Check that a renaming can be undone, and keeps bounds, phases and outcomes. Raises NotShown."""
    if not all(renaming.values):
        raise NotShown("the renaming names the values of no cell")
    fields, cells, names = reading.fields, renaming.cells, renaming.get_new_values_by_cell()
    if sorted(cells) != [*range(len(fields))] or cells[:2] != (0, 1) or {0, 1} & names.keys():
        raise NotShown("the renaming does not name each cell once, or renames phases or outcomes")
    if any((fields[n].lo, fields[n].hi) != (fields[source].lo, fields[source].hi) for n, source in enumerate(cells)):
        raise NotShown("the renaming mixes cells of other bounds")
    for cell, new in names.items():
        if not 0 <= cell < len(fields) or len(new) > _MOST_VALUES:
            raise NotShown("the renaming names the values of no cell, or of too large a one")
        if sorted(new) != [*range(fields[cell].lo, fields[cell].hi + 1)]:
            raise NotShown("the renaming does not name each value once")
    if not _list_cells_renaming_may_change(renaming):
        raise NotShown("the renaming changes no cell")
    if len(names) != len(renaming.values):
        raise NotShown("the renaming names the values of a cell twice")
    if sorted(renaming.idents) != [*range(reading.game.ground)]:
        raise NotShown("the renaming does not name each decision once")
    if not {*renaming.phases} <= {phase.number for phase in reading.game.phases}:
        raise NotShown("the renaming is about phases that the game does not have")
