"""How far a state is from a target: how many of the conditions that lead to it fail and by how much, and
how many steps its facts cost if no step undid a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import z3

from playproof.language import Term
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Lookup,
    Op,
    Read,
    Reduce,
    as_truth_term,
    make_absolute_value_term,
    make_comparison_term,
    make_conjunction_term,
    make_difference_term,
    make_disjunction_term,
    make_maximum_term,
    make_minimum_term,
    make_not_term,
    make_sum_of_many_terms,
)
from playproof.language.game import Game
from playproof.language.machine import relaxed_costs
from playproof.language.machine.lazy_parts import CodePart
from playproof.language.machine.native import NativeModule
from playproof.language.machine.relaxed_costs import (
    UNMADE,
    CostArrays,
    OperatorNetwork,
    write_relaxed_distance_of_states,
)
from playproof.language.statements import Finish, If, Invoke, Keep, Loop, Require, Statement, substitute_locals
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.formulas import Truth, negate_formula
from playproof.verifier.kernel.z3_questions import check_solver_unless_stopped
from playproof.verifier.search.case import GameCase, add_work_units_done
from playproof.verifier.search.formula_solver import FormulaSolver
from playproof.verifier.search.lines_of_play import mark_endings_likely_meeting_target_or_none
from playproof.verifier.search.step_readings import (
    Fact,
    OpenStepReading,
    Operator,
    TooManyOperators,
    build_planning_operators_or_raise,
)

# -- goals ---------------------------------------------------------------------------------------------------
# How far a state is from a target, as a number read from the rules: how many of the conditions that lead to
# it fail, and by how much.

_MOST_CONDITION_SETS = 64
TermsByLocal = Mapping[int, Term]
"""Terms that stand for locals, by the locals' numbers."""


def build_estimated_distance_to_target_term(case: GameCase, target: Target) -> Term:
    """Return a number that falls on the way to a target: the least over the ways that the rules have to come to it.
    It is 0 everywhere if the rules tell nothing."""
    ways = [
        make_sum_of_many_terms(map(build_term_of_amount_condition_fails_by, way))
        for way in list_condition_sets_reaching_target(case, target)
    ]
    near: Term = make_minimum_term(*ways[:_MOST_CONDITION_SETS]) if ways else Const(0)
    return near


def list_condition_sets_reaching_target(case: GameCase, target: Target) -> list[list[Term]]:
    """Return, for each way to come to a target, the conditions that must hold for it, as far as they read nothing
    but the state."""
    game = case.game
    if target.idents is not None:
        return [
            [
                *_drop_constants_and_conditions_with_locals(_list_requirements_of_action(game, ident)),
                *_drop_constants_and_conditions_with_locals([target.condition]),
            ]
            for ident in sorted(target.idents)
        ]
    holds = mark_endings_likely_meeting_target_or_none(case, target)
    if holds is None:
        return [_drop_constants_and_conditions_with_locals([target.condition])]
    wanted = {int(ending) for ending in np.flatnonzero(holds)}
    return [
        _drop_constants_and_conditions_with_locals(conditions)
        for body in [a.body for a in game.actions] + [p.body or () for p in game.phases]
        for ending, conditions in _iter_endings_with_path_conditions(body, {}, [])
        if ending in wanted
    ]


def _list_requirements_of_action(game: Game, action_id: int) -> list[Term]:
    """Return the conditions for an action to be legal."""
    action = game.get_action_of_ground_action_number(action_id)
    values = action.map_parameter_numbers_to_values([Const(v) for v in action.get_values_of_ground_action(action_id)])
    return [
        substitute_locals(statement.condition, values) for statement in action.body if isinstance(statement, Require)
    ]


def _drop_constants_and_conditions_with_locals(conditions: Sequence[Term]) -> list[Term]:
    return [c for c in conditions if not c.locals and not isinstance(c, Const)]


def _iter_endings_with_path_conditions(
    statements: Sequence[Statement], local_terms: TermsByLocal, path_conditions: list[Term]
) -> Iterator[tuple[int, list[Term]]]:
    """Yield the endings that a body can come to, each with the conditions on the way."""
    local_terms, path_conditions = dict(local_terms), list(path_conditions)
    for statement in statements:
        match statement:
            case Keep():
                local_terms[statement.local.number] = substitute_locals(statement.value, local_terms)
            case Require():
                path_conditions.append(substitute_locals(statement.condition, local_terms))
            case Finish():
                yield statement.ending, path_conditions
            case If():
                condition = substitute_locals(statement.condition, local_terms)
                yield from _iter_endings_with_path_conditions(
                    statement.then, local_terms, [*path_conditions, condition]
                )
                yield from _iter_endings_with_path_conditions(
                    statement.other, local_terms, [*path_conditions, make_not_term(condition)]
                )
            case Loop():
                yield from _iter_endings_with_path_conditions(statement.body, local_terms, path_conditions)
            case Invoke():
                yield from _iter_endings_with_path_conditions(statement.procedure.body, local_terms, path_conditions)


def build_term_of_amount_condition_fails_by(condition: Term) -> Term:
    """Return by how much a condition fails: 0 exactly if it holds."""
    match condition:
        case Op(op="and"):
            return make_sum_of_many_terms(map(build_term_of_amount_condition_fails_by, condition.args))
        case Op(op="or"):
            return make_minimum_term(*map(build_term_of_amount_condition_fails_by, condition.args))
        case Op(op="not", args=(inner,)) if (opposite := _push_negation_inwards_or_none(inner)) is not None:
            return build_term_of_amount_condition_fails_by(opposite)
        case Op(op="==", args=(inner, Const(value=1))) if (inner.lo, inner.hi) == (0, 1):
            return build_term_of_amount_condition_fails_by(inner)
        case Op(op="==", args=(a, b)) if not (
            _is_term_value_a_name_not_amount(a) or _is_term_value_a_name_not_amount(b)
        ):
            return make_absolute_value_term(make_difference_term(a, b))
        case Op(op="<", args=(a, b)):
            return make_maximum_term(make_difference_term(a, b) + 1, 0)
        case Op(op="<=", args=(a, b)):
            return make_maximum_term(make_difference_term(a, b), 0)
        case Reduce(kind="all" | "any"):
            kind = "sum" if condition.kind == "all" else "min"
            return Reduce(
                kind,
                condition.var,
                condition.start,
                condition.stop,
                build_term_of_amount_condition_fails_by(condition.body),
            )
        case Apply(args=(), function=Function(body=body)):
            return build_term_of_amount_condition_fails_by(body)
    return make_difference_term(Const(1), as_truth_term(condition))


def _push_negation_inwards_or_none(condition: Term) -> Term | None:
    """Return a condition that holds exactly where another does not, without a `not` around it; None if it is of no
    such kind."""
    match condition:
        case Op(op="<", args=(a, b)):
            return make_comparison_term("<=", b, a)
        case Op(op="<=", args=(a, b)):
            return make_comparison_term("<", b, a)
        case Op(op="!=", args=(a, b)):
            return make_comparison_term("==", a, b)
        case Op(op="and"):
            return make_disjunction_term(map(make_not_term, condition.args))
        case Op(op="or"):
            return make_conjunction_term(map(make_not_term, condition.args))
        case Reduce(kind="all" | "any"):
            kind = "any" if condition.kind == "all" else "all"
            return Reduce(kind, condition.var, condition.start, condition.stop, make_not_term(condition.body))
    return None


def _is_term_value_a_name_not_amount(term: Term) -> bool:
    """Return whether a term's value is a name and no amount: a cell of an array, such as the tile at a place."""
    return (isinstance(term, Read | Lookup) and not isinstance(term.index, Const)) or (
        isinstance(term, Read) and term.field.size > 1
    )


# -- relaxed -------------------------------------------------------------------------------------------------
# How many steps the facts of a target cost if no step ever undid a fact: the additive estimate of planners.

_MOST_EXPANDED_GOALS = 16
_MOST_GOALS = 200
_MOST = 5_000
_WORK = 2.0
_COST = 1 / 600  # steps of the compiled reading for a fact that is looked at
Ints32 = npt.NDArray[np.int32]


class RelaxedPlanEstimate:
    """The estimates for a target of a case. `useful` says whether they tell the start from the target; `whole` whether
    the operators are all that changes a state, so that a target is out of reach where its estimate is UNMADE."""

    def __init__(self, case: GameCase, target: Target) -> None:
        self.useful = False
        try:
            several = build_planning_operators_or_raise(case.game, _MOST)
        except (TooManyOperators, RecursionError):
            return
        self.whole = all(o.exact for o in several) and not any(phase.body for phase in case.game.phases)
        laws = [*iter_equations_of_unchanged_array_sums(case, several)] if self.whole else []
        self.ways = [
            facts
            for way in list_condition_sets_reaching_target(case, target)[:_MOST_EXPANDED_GOALS]
            if (facts := find_facts_conditions_imply_or_empty(case, [*way, *laws]))
        ]
        if not self.ways:
            return
        self.step = case.step_cost
        self._build_operator_network(several, case.machine)
        start = np.array(case.first, dtype=np.int64)[:, None]
        self.useful = bool(0 < self.estimate_steps_to_target(start)[0] < UNMADE)

    def _build_operator_network(self, operator_list: Sequence[Operator], use_machine_code: bool) -> None:
        """Number the facts and say which operators need and make each; the last ones are the ways to the target."""
        needs, makes = _split_into_needed_and_made_facts(operator_list)
        needs += self.ways
        facts = sorted({fact for need in needs for fact in need})
        numbers = {fact: n for n, fact in enumerate(facts)}
        self.cells = np.array([cell for cell, _ in facts], dtype=np.int64)
        self.values = np.array([value for _, value in facts], dtype=np.int64)[:, None]
        users: list[list[int]] = [[] for _ in facts]
        for k, need in enumerate(needs):
            for fact in need:
                users[numbers[fact]].append(k)
        made = [[numbers[fact] for fact in facts_made if fact in numbers] for facts_made in makes]
        made += [[] for _ in self.ways]
        counts = np.array([len(need) for need in needs], dtype=np.int32)
        self.network = OperatorNetwork(counts, *_flatten_rows_with_offsets(users), *_flatten_rows_with_offsets(made))
        of_facts, of_operators = np.zeros(len(facts), dtype=np.int32), np.zeros(len(needs), dtype=np.int32)
        costs = (of_facts, of_facts.copy(), of_operators, of_operators.copy(), of_facts.copy())
        self.room = CostArrays(*costs, np.zeros(len(facts), dtype=np.int8))
        part = CodePart("relaxed", (relaxed_costs,), ("write_relaxed_distance_of_states",))
        self.estimates = (
            NativeModule("", {"CELLS": 0, "WIDTH": 0, "SEATS": 0}, (part,)).write_relaxed_distance_of_states
            if use_machine_code
            else write_relaxed_distance_of_states
        )

    def estimate_steps_to_target(self, state_columns: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the estimates of states (cells x states)."""
        holds = np.ascontiguousarray((state_columns[self.cells] == self.values).T, dtype=np.int8)
        result = np.zeros(state_columns.shape[1], dtype=np.int64)
        self.estimates(holds.reshape(-1), self.network, len(self.ways), self.room, result)
        add_work_units_done(self.step * _COST * len(result) * (len(self.network.users) + len(self.cells)))
        return result if self.whole else np.minimum(result, UNMADE - 1)


def _flatten_rows_with_offsets(rows: Sequence[Sequence[int]]) -> tuple[Ints32, Ints32]:
    """Return where each row begins, with the end behind the last, and all rows one behind the other."""
    firsts = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return firsts, np.array([n for row in rows for n in row], dtype=np.int32)


def _split_into_needed_and_made_facts(operator_list: Iterable[Operator]) -> tuple[list[list[Fact]], list[list[Fact]]]:
    """Return what each part of an operator needs and what it makes; effects under the same facts are one part."""
    needs: list[list[Fact]] = []
    makes: list[list[Fact]] = []
    for operator in operator_list:
        groups: dict[tuple[Fact, ...], list[Fact]] = {}
        for effect in operator.effects:
            groups.setdefault(effect.when, []).append(effect.fact)
        for when, made in groups.items():
            own = sorted({*operator.needs.items(), *when})
            needs.append(own)
            makes.append([fact for fact in made if fact not in own])
    return needs, makes


def iter_equations_of_unchanged_array_sums(case: GameCase, operator_list: Sequence[Operator]) -> Iterator[Term]:
    """Yield what no operator changes: the sums of arrays, such as the number of boxes that are pushed about."""
    for field in case.game.fields:
        cells = range(field.offset, field.offset + field.size)
        if field.size > 1 and all(_does_operator_keep_sum(operator, cells) for operator in operator_list):
            total = sum(case.first[cell] for cell in cells)
            yield make_sum_of_many_terms(Read(field, Const(k), 0) for k in range(field.size)) == total


def _does_operator_keep_sum(operator: Operator, summed_cells: range) -> bool:
    """Return whether an operator keeps the sum of some cells, as far as its facts tell."""
    change = 0
    for effect in operator.effects:
        cell, value = effect.fact
        if cell in summed_cells:
            if effect.when or cell not in operator.needs:
                return False
            change += value - operator.needs[cell]
    return change == 0


def find_facts_conditions_imply_or_empty(case: GameCase, conditions: Sequence[Term]) -> list[Fact]:
    """Return the facts that hold in every state in which these conditions hold. For example, one peg on the whole board
    and a peg in its middle mean that all other holes are empty."""
    reading = OpenStepReading(case.game, integers=True, extra=conditions)
    state = reading.make_symbolic_state("g")
    fields = [f for f in case.game.fields for _ in range(f.size)]
    read = {number for condition in conditions for number in condition.reads}
    cells = [n for n, f in enumerate(fields) if f.number in read and f.hi > f.lo]
    met = [reading.build_term_holds_formula(condition, state) for condition in conditions]
    solver = reading.make_solver(_WORK, reading.build_cells_within_bounds_formula(state), *met)
    if len(cells) > _MOST_GOALS or check_solver_unless_stopped(solver) != z3.sat:
        return []
    values = reading.get_state_from_model(state, solver.model())
    others = ([*state[:cell], values[cell], *state[cell + 1 :]] for cell in cells)
    equal = (reading.build_states_equal_formula(state, other) for other in others)
    return [(cell, values[cell]) for cell, same in zip(cells, equal, strict=True) if _is_equality_implied(solver, same)]


def _is_equality_implied(solver: FormulaSolver, equality: Truth) -> bool:
    """Return whether nothing else is possible."""
    solver.push()
    solver.add_formulas(negate_formula(equality))
    never: bool = check_solver_unless_stopped(solver) == z3.unsat
    solver.pop()
    return never
