"""Weights of cells that show that an event never happens: a sum that no step raises, or whose remainder none changes.

For example, no jump of peg solitaire raises a sum in which each hole weighs no more than the two holes beside it
together (a pagoda function), and each jump changes the number of pegs on three diagonals in turn by an even number.
The 15-puzzle also needs whether a permutation is even: each push exchanges two tiles. Other puzzles turn three, or push
a row round; each step puts the values of the cells that it changes in another order, which is even or odd.

Sources: Berlekamp, Conway and Guy, "Winning Ways" (1982), chapter 23; Johnson and Story, American Journal of
Mathematics 2 (1879)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar

from playproof.language import Action, Field, Interpreter, Phase
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Z3, Certificate, NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.formula_reading import Reading, SmallStep
from playproof.verifier.kernel.formulas import (
    Number,
    Truth,
    conjoin_formulas,
    is_same_number_or_formula,
    negate_formula,
)
from playproof.verifier.kernel.induction import Lemma, StepChecker, require_layers_inductive
from playproof.verifier.kernel.statements import BOUNDS, Event, Statement
from playproof.verifier.kernel.term_reading import Cells
from playproof.verifier.kernel.z3_questions import ask_z3_sat_unsat_or_unknown, require_formulas_unsatisfiable

_MOST_STEPS, _MOST_SOURCES = 20_000, 6


@dataclass(frozen=True)
class WeightedSum:
    """Weights of values of cells, as (cell, value, weight); all others weigh 0. With `modulus` 0 no step raises the
    sum; else every step keeps its remainder. `permutation` names a field that adds half the modulus whenever its values
    are an odd permutation of those at the start; where the event happens, they are those in `at`. Every step has to put
    them in another order, or leave them."""

    modulus: int
    weights: tuple[tuple[int, int, int], ...]
    permutation: str = ""
    at: tuple[int, ...] = ()


@dataclass(frozen=True)
class WeighingCertificate(Certificate):
    """Sums that every small step keeps or does not raise, from states that the layers allow. Wherever the event holds,
    one of them would have been changed or raised. Steps are looked at one by one, for all values of their parameters
    and of the cells in `places`."""

    kind: ClassVar[str] = "weights"
    rests: ClassVar[str] = Z3
    about: Event
    sums: tuple[WeightedSum, ...]
    layers: tuple[Lemma, ...] = ()
    places: tuple[int, ...] = ()

    def build_proved_statement(self) -> Statement:
        """State that the event never happens."""
        return Statement(self.about, False, (BOUNDS,))

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the event, and the conditions."""
        return super().list_claim_parts() + [part for layer in self.layers for part in layer.list_claim_parts()]

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Check every step and the event. Raises NotShown."""
        require_layers_inductive(game, self.layers, context)
        target = self.about.build_condition_and_actions(game, context)
        conjuncts = [text for layer in self.layers for text in layer.conjuncts]
        allowed = StepChecker(game, conjuncts, True, (), context)
        scales = [_SumCheck(allowed, number) for number in self.sums]
        event = _EventCheck(allowed, target, scales, context)
        by_state = event.is_event_excluded_in_all_states()
        if not by_state and (target.idents is not None or _does_target_condition_hold_at_start(game, target)):
            raise NotShown("the sums leave room for the event")
        for what, params, cells in self._iter_steps_with_concrete_values(allowed):
            step = allowed.reading.build_symbolic_step(what, cells, params)
            if step.sound is False:
                continue
            premises = [*allowed.build_bounds_and_condition_formulas(cells), step.sound]
            for scale in scales:
                scale.require_step_raises_no_sum_or_remainder(premises, cells, step, context)
            if not by_state:
                event.require_step_does_not_cause_event(premises, cells, step)

    def _iter_steps_with_concrete_values(
        self, checker: StepChecker
    ) -> Iterator[tuple[Action | Phase, tuple[int, ...], Cells]]:
        """Yield every kind of step with all values of its parameters, and with cells in which all values of the places
        are plain. Raises NotShown if they are too many."""
        fields = checker.reading.fields
        if len(set(self.places)) < len(self.places) or any(not 0 <= n < len(fields) for n in self.places):
            raise NotShown("there is no such place to split by")
        choices = [range(fields[n].lo, fields[n].hi + 1) for n in self.places]
        count = 0
        for what in checker.reading.iter_actions_and_automatic_phases():
            some = what.params if isinstance(what, Action) else ()
            ranges = [p.values for p in some]
            for params, values in product(product(*ranges), product(*choices)):
                count += 1
                if count > _MOST_STEPS:
                    raise NotShown(f"there are more than {_MOST_STEPS} steps to look at")
                cells = list(checker.state)
                for place, value in zip(self.places, values, strict=True):
                    cells[place] = value
                yield what, params, cells


def _does_target_condition_hold_at_start(game: Game, target: Target) -> bool:
    return bool(Interpreter(game).value(target.condition, game.get_state_before_automatic_phases()))


class _SumCheck:
    """One sum, read for a game. Raises NotShown if it names what the game does not have."""

    def __init__(self, allowed: StepChecker, number: WeightedSum) -> None:
        self.reading, self.modulus, self.at = allowed.reading, number.modulus, number.at
        if self.modulus < 0 or self.modulus == 1:
            raise NotShown("expected 0 or a modulus of 2 or more")
        self.weights: dict[int, dict[int, int]] = {}
        for cell, value, weight in number.weights:
            if not 0 <= cell < len(self.reading.fields) or value in self.weights.get(cell, {}):
                raise NotShown("a weight is of no cell, or there are two of one value")
            self.weights.setdefault(cell, {})[value] = weight
        game = self.reading.game
        self.field = _get_field_by_name(game, number.permutation) if number.permutation else None
        if self.field is not None:
            if self.modulus % 2 or len(set(self.field.start)) < self.field.size:
                raise NotShown("a permutation needs an even modulus and a start at which all values differ")
            if sorted(number.at) != sorted(self.field.start):
                raise NotShown("the values where the event happens are no permutation of those at the start")
        start = game.get_state_before_automatic_phases()
        self.first: int = sum(self.get_weight_of_cell_value(cell, start[cell]) for cell in self.weights)

    def get_weight_of_cell_value(self, cell: int, value: Number) -> Number:
        """Return what a cell weighs at a value."""
        weights = self.weights.get(cell, {})
        if isinstance(value, int):
            return weights.get(value, 0)
        result: Number = 0
        for at, weight in weights.items():
            result = self.reading.choose_by_condition(
                self.reading.build_comparison_formula("==", value, at), weight, result
            )
        return result

    def require_step_raises_no_sum_or_remainder(
        self, premises: list[Truth], cells: Cells, step: SmallStep, context: Context
    ) -> None:
        """Check that a step does not raise the sum, or keeps its remainder. Raises NotShown."""
        premises = [*premises, *self.build_values_differ_formulas(cells)]
        is_odd = self._is_step_odd_permutation(premises, cells, step, context)
        change: Number = self.modulus // 2 if is_odd else 0
        for cell in self.weights:
            before, after = cells[cell], step.after[cell]
            if not is_same_number_or_formula(before, after):
                more = self.reading.combine_numbers(
                    "-", self.get_weight_of_cell_value(cell, after), self.get_weight_of_cell_value(cell, before)
                )
                change = self.reading.combine_numbers("+", change, more)
        if self.modulus:
            wrong = self._build_remainder_differs_formula(change, 0)
        else:
            wrong = self.reading.build_comparison_formula("<", 0, change)
        require_formulas_unsatisfiable([*premises, wrong], True, f"`{step.name}` may change a sum", context)

    def _build_remainder_differs_formula(self, number: Number, other: int) -> Truth:
        """Return the formula that a number has not the remainder of another."""
        remainder = self.reading.combine_numbers("%", number, self.modulus)
        return negate_formula(self.reading.build_comparison_formula("==", remainder, other % self.modulus))

    def build_values_differ_formulas(self, cells: Cells) -> list[Truth]:
        """Return the formulas that the values of the permutation are those of the start, each once: so they are there,
        and every step that this class accepts puts them in another order."""
        if self.field is None:
            return []
        values = cells[self.field.offset : self.field.offset + self.field.size]
        compare = self.reading.build_comparison_formula
        formulas = [negate_formula(compare("==", first, second)) for first, second in combinations(values, 2)]
        if set(self.field.start) == set(range(min(self.field.start), max(self.field.start) + 1)):
            formulas += [compare("<=", min(self.field.start), value) for value in values]
            formulas += [compare("<=", value, max(self.field.start)) for value in values]
        return formulas

    def _is_step_odd_permutation(self, premises: list[Truth], cells: Cells, step: SmallStep, context: Context) -> bool:
        """Return whether a step puts the values of the permutation in another order by an odd number of exchanges.
        Raises NotShown if it does anything else to them."""
        if self.field is None:
            return False
        own = range(self.field.offset, self.field.offset + self.field.size)
        changed = [n for n in own if not is_same_number_or_formula(cells[n], step.after[n])]
        sources, left = list[int](), list(changed)
        for n in changed:
            source = self._find_cell_whose_value_moves(premises, cells, step.after[n], left, context)
            if source is None:
                raise NotShown(
                    f"`{step.name}` may do more to the values of `{self.field.name}` than change their order"
                )
            left.remove(source)
            sources.append(changed.index(source))
        return is_odd_permutation(sources)

    def _find_cell_whose_value_moves(
        self, premises: list[Truth], cells: Cells, value: Number, sources: Sequence[int], context: Context
    ) -> int | None:
        """Return the cell whose value a step puts elsewhere, if it is always the same one."""
        for n in sources:
            if is_same_number_or_formula(cells[n], value):
                return n
        for n in sources if len(sources) <= _MOST_SOURCES else ():
            other = negate_formula(self.reading.build_comparison_formula("==", cells[n], value))
            if ask_z3_sat_unsat_or_unknown([*premises, other], True, context) == "unsat":
                return n
        return None

    def build_sum_is_possible_formula(self, premises: list[Truth], cells: Cells, context: Context) -> Truth:
        """Return the formula that the sum in these cells is one that it can have. Raises NotShown if the premises leave
        open what the permutation is."""
        total: Number = 0
        premises = [*premises, *self.build_values_differ_formulas(cells)]
        for cell in self.weights:
            total = self.reading.combine_numbers("+", total, self.get_weight_of_cell_value(cell, cells[cell]))
        if self.field is not None:
            places = zip(cells[self.field.offset :], self.at, strict=False)
            there = conjoin_formulas(self.reading.build_comparison_formula("==", value, at) for value, at in places)
            require_formulas_unsatisfiable(
                [*premises, negate_formula(there)], True, "the permutation is open where the event happens", context
            )
            odd = is_odd_permutation([self.field.start.index(value) for value in self.at])
            total = self.reading.combine_numbers("+", total, self.modulus // 2 if odd else 0)
        if self.modulus:
            return negate_formula(self._build_remainder_differs_formula(total, self.first))
        return self.reading.build_comparison_formula("<=", total, self.first)


class _EventCheck:
    """Where the event can happen."""

    def __init__(self, allowed: StepChecker, target: Target, scales: Sequence[_SumCheck], context: Context) -> None:
        self.allowed, self.target, self.scales, self.context = allowed, target, scales, context

    def is_event_excluded_in_all_states(self) -> bool:
        """Return whether no state with such sums meets the event."""
        reading, cells = self.allowed.reading, self.allowed.state
        here = [
            *self.allowed.build_bounds_and_condition_formulas(cells),
            reading.build_term_is_true_formula(self.target.condition, cells, {}),
        ]
        try:
            return all(
                self._do_sums_exclude_cells([*here, way], cells)
                for way in self._build_legality_formula_per_event_action(reading, cells)
            )
        except NotShown:
            return False

    def _build_legality_formula_per_event_action(self, reading: Reading, cells: Cells) -> list[Truth]:
        if self.target.idents is None:
            return [True]
        return [reading.build_action_is_legal_formula(cells, ident) for ident in sorted(self.target.idents)]

    def _do_sums_exclude_cells(self, premises: list[Truth], cells: Cells) -> bool:
        sums = [scale.build_sum_is_possible_formula(premises, cells, self.context) for scale in self.scales]
        sums += [truth for scale in self.scales for truth in scale.build_values_differ_formulas(cells)]
        return ask_z3_sat_unsat_or_unknown([*premises, *sums], True, self.context) == "unsat"

    def require_step_does_not_cause_event(self, premises: list[Truth], cells: Cells, step: SmallStep) -> None:
        """Check that a step does not bring the event about. A step that changes nothing that the event reads does not:
        then it would have happened before. Raises NotShown."""
        fields = self.allowed.reading.fields
        pairs = zip(fields, cells, step.after, strict=True)
        if all(is_same_number_or_formula(a, b) for f, a, b in pairs if f.number in self.target.condition.reads):
            return
        holds = self.allowed.reading.build_term_is_true_formula(self.target.condition, step.after, {})
        if holds is not False and not self._do_sums_exclude_cells([*premises, holds], step.after):
            raise NotShown(f"`{step.name}` may lead to the event")


def _get_field_by_name(game: Game, name: str) -> Field:
    for field in game.fields:
        if field.name == name:
            return field
    raise NotShown(f"there is no field {name[:40]!r}")


def is_odd_permutation(permutation: Sequence[int]) -> bool:
    """Return whether a permutation of 0, 1, ... is odd, as the number of its pairs in the wrong order is."""
    return sum(first > second for first, second in combinations(permutation, 2)) % 2 == 1
