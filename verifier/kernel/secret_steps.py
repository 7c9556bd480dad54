"""Secrets that every step keeps: Z3 compares two states that are alike but for the secret."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from playproof.language import Action
from playproof.language.declarations import find_names_of_public_chance_parameters
from playproof.language.game import Game
from playproof.language.statements import If, Keep, Loop, Require, Statement
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.formula_reading import Reading, SmallStep
from playproof.verifier.kernel.formulas import (
    Number,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    is_same_number_or_formula,
    negate_formula,
)
from playproof.verifier.kernel.look_alikes import read_secret_from_spec
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.kernel.term_reading import Cells, Env
from playproof.verifier.kernel.z3_questions import require_formulas_unsatisfiable


class _RefusalReading(Reading):
    """Notes what decides which requirements an action breaks, besides the requirements themselves: the
    numbers in their words, the values kept and the cases told apart before them."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.noted: list[Number] = []

    def list_guards_and_noted_numbers(
        self, action: Action, cells: Sequence[Number], parameter_values: Sequence[Number]
    ) -> tuple[list[Truth], Cells]:
        """Return the guards of an action, and the numbers noted, in order."""
        self.noted = []
        return self.build_legality_guards_and_faults(action, cells, parameter_values)[0], self.noted

    def _note_requirements_of_head(
        self, head: Sequence[Statement], cells: Cells, local_values: Env, path_condition: Truth, notes: Any
    ) -> None:
        for statement in head:
            if not isinstance(statement, Require | Keep | If | Loop):
                return
            if isinstance(statement, Require):
                self.noted += [self.build_term_value(term, cells, local_values) for term in statement.args]
            elif isinstance(statement, If):
                self.noted.append(self.build_term_value(statement.condition, cells, local_values))
            super()._note_requirements_of_head([statement], cells, local_values, path_condition, notes)
            if isinstance(statement, Keep):
                self.noted.append(local_values[statement.local.number])


def require_every_step_keeps_secret(
    game: Game, assumed_conditions: Sequence[str], integers: bool, secret_spec: Json, context: Context
) -> None:
    """Check that nothing which a seat is sent tells a secret. Raises NotShown.

    The theorem: take two states within bounds that satisfy the conditions and are alike but for the
    secret. The same seat acts, or the game is over and each seat gets the same. Where the seat acts,
    each of its actions is refused in both, by the same requirements and in the same words, or in
    neither. After each small step that is possible in both, by the same decision of a player or the same
    automatic phase, the states are alike but for the secret again. For each step that chance may bring
    in one, it may bring one of the same action and open parameters in the other, behind which they are.
    So what the seat sees is the same. The premise: all states of all games satisfy the conditions and
    stay within bounds.
    """
    _SecretPair(game, assumed_conditions, integers, secret_spec, context).require_states_indistinguishable()


class _SecretPair:
    """Two open states that are alike but for the secret."""

    def __init__(self, game: Game, conjuncts: Sequence[str], integers: bool, spec: Json, context: Context) -> None:
        self.game, self.integers, self.context = game, integers, context
        self.hidden = read_secret_from_spec(game, spec)
        terms = [context.read_condition(game, text) for text in conjuncts]
        self.reading = reading = _RefusalReading(game)
        self.first = reading.make_symbolic_state()
        second = reading.make_symbolic_state("t")
        self.other = [second[n] if n in self.hidden.cells else cell for n, cell in enumerate(self.first)]
        self.assumed: list[Truth] = []
        for cells in (self.first, self.other):
            self.assumed += [
                reading.build_cells_within_bounds_formula(cells),
                *(reading.build_term_is_true_formula(term, cells, {}) for term in terms),
            ]

    def require_states_indistinguishable(self) -> None:
        """Ask about each moment, then about each kind of small step."""
        self._require_end_results_tell_nothing()
        for phase in self.game.phases:
            if not phase.automatic:
                here = [
                    self._build_equality_formula(self.first[1], 0),
                    self._build_equality_formula(self.first[0], phase.number),
                ]
                mine, theirs = (
                    self.reading.build_term_value(phase.actor, cells, {}) for cells in (self.first, self.other)
                )
                self._require_difference_impossible(
                    [*here, self._build_any_pair_differs_formula([mine], [theirs])],
                    f"whose turn it is in `{phase.name}`",
                )
                for action in phase.actions:
                    self._require_refusals_tell_nothing(
                        action, [*here, self._build_equality_formula(mine, self.hidden.seat)]
                    )
        for what in self.reading.iter_actions_and_automatic_phases():
            if isinstance(what, Action) and self.game.phases[what.phases[0]].chance:
                self._require_chance_results_tell_nothing(what)
            else:
                params = self.reading.make_symbolic_parameters(what)
                mine, theirs = (
                    self.reading.build_symbolic_step(what, cells, params) for cells in (self.first, self.other)
                )
                self._require_difference_impossible(
                    [
                        mine.sound,
                        theirs.sound,
                        negate_formula(self._build_successors_equal_outside_secret_formula(mine, theirs)),
                    ],
                    f"`{mine.name}`",
                )

    def _require_chance_results_tell_nothing(self, action: Action) -> None:
        """Ask whether chance may bring in one state what it cannot bring in the other."""
        open_names = find_names_of_public_chance_parameters(action) - action.secret
        params = self.reading.make_symbolic_parameters(action)
        mine = self.reading.build_symbolic_step(action, self.first, params)
        nothing_like_it = []
        for ident in action.idents:
            values = action.get_values_of_ground_action(ident)
            heard = [
                self._build_equality_formula(a, b)
                for p, a, b in zip(action.params, params, values, strict=True)
                if p.local.name in open_names
            ]
            theirs = self.reading.build_symbolic_step(action, self.other, values)
            nothing_like_it.append(
                negate_formula(
                    conjoin_formulas(
                        [*heard, theirs.legal, self._build_successors_equal_outside_secret_formula(mine, theirs)]
                    )
                )
            )
        self._require_difference_impossible([mine.sound, *nothing_like_it], f"what chance brings by `{action.name}`")

    def _build_successors_equal_outside_secret_formula(self, first_step: SmallStep, second_step: SmallStep) -> Truth:
        """Return the formula that the states behind two steps are alike but for the secret."""
        both = enumerate(zip(first_step.after, second_step.after, strict=True))
        return conjoin_formulas(
            self._build_equality_formula(a, b)
            for n, (a, b) in both
            if n not in self.hidden.cells and not is_same_number_or_formula(a, b)
        )

    def _require_end_results_tell_nothing(self) -> None:
        mine = [self.reading.build_term_value(result, self.first, {}) for result in self.game.results]
        theirs = [self.reading.build_term_value(result, self.other, {}) for result in self.game.results]
        self._require_difference_impossible(
            [
                negate_formula(self._build_equality_formula(self.first[1], 0)),
                self._build_any_pair_differs_formula(mine, theirs),
            ],
            "what a seat gets at the end",
        )

    def _require_refusals_tell_nothing(self, action: Action, premises: list[Truth]) -> None:
        """Ask whether an action may be refused otherwise in the other state."""
        params = self.reading.make_symbolic_parameters(action)
        (guards, noted), (others, others_noted) = (
            self.reading.list_guards_and_noted_numbers(action, cells, params) for cells in (self.first, self.other)
        )
        apart = [
            disjoin_formulas([conjoin_formulas([a, negate_formula(b)]), conjoin_formulas([negate_formula(a), b])])
            for a, b in zip(guards, others, strict=True)
        ]
        apart.append(self._build_any_pair_differs_formula(noted, others_noted))
        self._require_difference_impossible(
            [*premises, *self.reading.build_parameter_range_formulas(action, params), disjoin_formulas(apart)],
            f"a refusal of `{action.name}`",
        )

    def _build_equality_formula(self, first: Number, second: Number) -> Truth:
        return self.reading.build_comparison_formula("==", first, second)

    def _build_any_pair_differs_formula(
        self, first_numbers: Iterable[Number], second_numbers: Iterable[Number]
    ) -> Truth:
        return disjoin_formulas(
            negate_formula(self._build_equality_formula(a, b))
            for a, b in zip(first_numbers, second_numbers, strict=True)
            if not is_same_number_or_formula(a, b)
        )

    def _require_difference_impossible(self, difference_formulas: list[Truth], what_differs: str) -> None:
        require_formulas_unsatisfiable(
            [*self.assumed, *difference_formulas], self.integers, f"{what_differs} may tell the secret", self.context
        )
