"""A game of one player as a model in JANI, which model checkers such as Storm read, or as a planning
problem in PDDL, which planners read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from playproof.language import CHANCE, Action, Phase
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.formula_reading import Reading, SmallStep
from playproof.verifier.kernel.formulas import (
    VARIABLE,
    Formula,
    Number,
    Truth,
    conjoin_formulas,
    is_same_number_or_formula,
)
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.lines_of_play import (
    does_target_depend_only_on_ending,
    mark_endings_likely_meeting_target_or_none,
)
from playproof.verifier.search.step_readings import (
    Effect,
    Fact,
    Operator,
    TooManyOperators,
    build_planning_operators_or_raise,
)

# -- jani ----------------------------------------------------------------------------------------------------
# A game of one player as a model in JANI: what model checkers such as Storm read.

Json = dict[str, Any]
_LARGEST = 300_000  # operators in a model; shared parts of a formula are written out each time
_JANI_SIGNS = MappingProxyType({"and": "∧", "or": "∨", "==": "=", "<=": "≤"})


def game_to_jani_text_or_raise(case: GameCase, target: Target) -> str:
    """Return the text of a model that asks for the greatest chance of a target. Raises NotExpressible."""
    if case.game.players != 1:
        raise NotExpressible(f"a model has one player, this game has {case.game.players}")
    if target.idents is not None:
        raise NotExpressible("the target is an action; ask for an ending or a condition")
    return json.dumps(_JaniModel(case.game, target).build_jani_model(case.first), ensure_ascii=False, indent=1)


class _JaniModel:
    def __init__(self, game: Game, target: Target) -> None:
        self.game, self.target = game, target
        self.reading = Reading(game)
        self.cells = self.reading.make_symbolic_state()
        names = (_to_ascii_identifier(field.name) for field in game.fields for _ in range(field.size))
        self.names = {f"s{n}": f"{name}_{n}" for n, name in enumerate(names)}
        self.size = 0

    def build_jani_model(self, start_state: Sequence[int]) -> Json:
        """Return the model with its property."""
        met = [
            self.reading.build_somebody_acts_or_game_over_formula(self.cells),
            self.reading.build_term_is_true_formula(self.target.condition, self.cells, {}),
        ]
        goal = {"op": "U", "left": True, "right": self.formula_to_jani_expression(conjoin_formulas(met))}
        values = {"op": "Pmax", "exp": goal}
        filtered = {"op": "filter", "fun": "max", "values": values, "states": {"op": "initial"}}
        edges = [*self.iter_jani_edges()]
        return {
            "jani-version": 1,
            "name": self.game.name,
            "type": "mdp",
            "variables": [*self.iter_jani_variables(start_state)],
            "properties": [{"name": "target", "expression": filtered}],
            "automata": [{"name": "game", "locations": [{"name": "on"}], "initial-locations": ["on"], "edges": edges}],
            "system": {"elements": [{"automaton": "game"}]},
        }

    def iter_jani_variables(self, start_state: Sequence[int]) -> Iterator[Json]:
        """Yield the cells that can change."""
        for n, (field, cell) in enumerate(zip(self.reading.fields, self.cells, strict=True)):
            if not isinstance(cell, int):
                bounds = {"kind": "bounded", "base": "int", "lower-bound": field.lo, "upper-bound": field.hi}
                yield {"name": self.names[f"s{n}"], "type": bounds, "initial-value": start_state[n]}

    def iter_jani_edges(self) -> Iterator[Json]:
        """Yield what may happen: automatic phases, decisions, and in each phase all of chance; an end stays."""
        over = self.reading.build_comparison_formula("!=", self.cells[1], 0)
        yield self.build_jani_edge("the game is over", over, [{"location": "on"}])
        for phase in self.game.phases:
            if phase.automatic:
                yield self.build_edge_to_one_state(phase.name, self.reading.build_symbolic_step(phase, self.cells, ()))
            elif phase.actor.hi <= CHANCE:
                yield self.build_edge_of_chance_phase(phase)
            elif phase.actor.lo <= CHANCE:
                raise NotExpressible(f"chance acts only sometimes in the phase `{phase.name}`")
        for action in self.game.actions:
            if action.weight is None:
                for ident in action.idents:
                    step = self.reading.build_symbolic_step(
                        action, self.cells, action.get_values_of_ground_action(ident)
                    )
                    yield self.build_edge_to_one_state(self.game.show(ident), step)

    def build_edge_to_one_state(self, comment: str, step: SmallStep) -> Json:
        """Return the edge of a step that leads to one state."""
        return self.build_jani_edge(comment, step.legal, [self.build_jani_location_and_assignments(step)])

    def build_edge_of_chance_phase(self, phase: Phase) -> Json:
        """Return the edge of all that chance may bring in a phase."""
        here = conjoin_formulas(
            [self.reading.build_comparison_formula("==", self.cells[n], v) for n, v in ((0, phase.number), (1, 0))]
        )
        steps = [
            (self.build_weight_or_zero_if_illegal(a, ident), step)
            for a, ident, step in self.iter_steps_of_chance_phase(phase)
        ]
        total: Number = 0
        for weight, _ in steps:
            total = self.reading.combine_numbers("+", total, weight)
        led = [
            {
                **self.build_jani_location_and_assignments(step),
                "probability": {
                    "exp": {
                        "op": "/",
                        "left": self.formula_to_jani_expression(weight),
                        "right": self.formula_to_jani_expression(total),
                    }
                },
            }
            for weight, step in steps
            if not is_same_number_or_formula(weight, 0)
        ]
        return self.build_jani_edge(
            phase.name, conjoin_formulas([here, self.reading.build_comparison_formula("<", 0, total)]), led
        )

    def iter_steps_of_chance_phase(self, phase: Phase) -> Iterator[tuple[Action, int, SmallStep]]:
        """Yield the decisions of chance in a phase."""
        for action in phase.actions:
            for ident in action.idents:
                yield (
                    action,
                    ident,
                    self.reading.build_symbolic_step(action, self.cells, action.get_values_of_ground_action(ident)),
                )

    def build_weight_or_zero_if_illegal(self, action: Action, action_id: int) -> Number:
        """Return the weight of a decision of chance; 0 where it is not legal."""
        weight = self.reading.build_action_weight(action, self.cells, action.get_values_of_ground_action(action_id))
        return self.reading.choose_by_condition(
            self.reading.build_action_is_legal_formula(self.cells, action_id), weight, 0
        )

    def build_jani_edge(self, comment: str, guard_formula: Truth, destinations: list[Json]) -> Json:
        return {
            "location": "on",
            "comment": comment,
            "guard": {"exp": self.formula_to_jani_expression(guard_formula)},
            "destinations": destinations,
        }

    def build_jani_location_and_assignments(self, step: SmallStep) -> Json:
        """Return the cells that a step changes."""
        both = enumerate(zip(self.cells, step.after, strict=True))
        changes = [
            {"ref": self.names[f"s{n}"], "value": self.formula_to_jani_expression(new)}
            for n, (old, new) in both
            if not is_same_number_or_formula(old, new)
        ]
        return {"location": "on", "assignments": changes}

    def formula_to_jani_expression(self, formula: Number | Truth) -> Any:
        """Return a formula in JANI. Raises NotExpressible if the model gets too large."""
        self.size += 1
        if self.size > _LARGEST:
            raise NotExpressible(f"the formulas have more than {_LARGEST:,} parts")
        if not isinstance(formula, Formula):
            return formula
        if formula.op == VARIABLE:
            return self.names[formula.args[0]]
        args = [self.formula_to_jani_expression(arg) for arg in formula.args]
        match formula.op, args:
            case "not", [inner]:
                return {"op": "¬", "exp": inner}
            case "if", [condition, yes, no]:
                return {"op": "ite", "if": condition, "then": yes, "else": no}
            case "//" | "%", [left, right]:
                down = {"op": "floor", "exp": {"op": "/", "left": left, "right": right}}
                whole = {"op": "*", "left": down, "right": right}
                return down if formula.op == "//" else {"op": "-", "left": left, "right": whole}
        whole = args[0]
        for each in args[1:]:
            whole = {"op": _JANI_SIGNS.get(formula.op, formula.op), "left": whole, "right": each}
        return whole


def _to_ascii_identifier(field_name: str) -> str:
    """Return a name of letters, digits and `_` for a field; several fields may have the same."""
    return "c_" + "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in field_name)


# -- pddl ----------------------------------------------------------------------------------------------------
# A puzzle as a planning problem in PDDL: what planners read.


class NotExpressible(Exception):
    """The game, or the target, has no place in PDDL; the message says what of it, `hint` where it has one."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class PddlProblem:
    """The texts of a domain and of a problem. Operator `a7-3` is the seventh operator, and ground action 3."""

    domain: str
    problem: str


def game_and_target_to_pddl_or_raise(case: GameCase, target: Target) -> PddlProblem:
    """Return a game and a target as a planning problem. Raises NotExpressible."""
    several = _build_operators_for_pddl_or_raise(case.game)
    goals = _list_ending_facts_of_target_or_raise(case, target)
    facts = {fact for operator in several for fact in operator.needs.items()} | set(goals)
    for operator in several:
        for effect in operator.effects:
            facts |= {effect.fact, *effect.when}
    facts |= {(cell, value) for cell, value in enumerate(case.first) if cell in {c for c, _ in facts}}
    values: dict[int, list[int]] = {}
    for cell, value in sorted(facts):
        values.setdefault(cell, []).append(value)
    actions = "\n".join(
        _format_operator_as_pddl(case.game, number, operator, values) for number, operator in enumerate(several)
    )
    name = "".join(letter if letter.isalnum() else "-" for letter in case.game.name)
    start = " ".join(_format_fact_as_pddl((cell, case.first[cell])) for cell in values)
    predicates = " ".join(map(_format_fact_as_pddl, sorted(facts)))
    return PddlProblem(
        f"(define (domain {name})\n(:requirements :adl)\n(:predicates {predicates})\n{actions})\n",
        f"(define (problem {name}-1)\n(:domain {name})\n(:init {start})\n(:goal "
        f"{_format_disjunction_as_pddl(goals)}))\n",
    )


def _build_operators_for_pddl_or_raise(game: Game) -> list[Operator]:
    """Return the operators of a game, each of which says all that its action does. Raises NotExpressible."""
    elsewhere = "`playproof export jani` takes each game of one player" if game.players == 1 else ""
    if any(phase.automatic for phase in game.phases):
        raise NotExpressible("phases that run by themselves are no actions", elsewhere)
    if any(action.weight is not None and action.weight.lo <= 0 for action in game.actions):
        raise NotExpressible("whether chance may take an action depends on a weight", elsewhere)
    try:
        several = build_planning_operators_or_raise(game)
    except TooManyOperators:
        raise NotExpressible("there are too many ground actions") from None
    for operator in several:
        if not operator.exact or len(game.get_action_of_ground_action_number(operator.ident).phases) != 1:
            words = game.show(operator.ident)
            raise NotExpressible(f"`{words}` needs or changes more than single values of cells", elsewhere)
        operator.needs.setdefault(1, 0)
        operator.effects = list(_iter_effects_not_overwritten_or_raise(game, operator))
    return several


def _iter_effects_not_overwritten_or_raise(game: Game, operator: Operator) -> Iterator[Effect]:
    """Yield the effects that remain if later ones overwrite earlier ones. Raises NotExpressible if that depends on the
    state."""
    of_cell: dict[int, list[Effect]] = {}
    for effect in operator.effects:
        several = of_cell.setdefault(effect.fact[0], [])
        if not effect.when:
            several.clear()
        elif not all(_do_facts_exclude_each_other(effect.when, other.when) for other in several):
            raise NotExpressible(f"`{game.show(operator.ident)}` writes a cell twice")
        several.append(effect)
    for several in of_cell.values():
        yield from several


def _do_facts_exclude_each_other(facts: Sequence[Fact], other_facts: Sequence[Fact]) -> bool:
    """Return whether facts cannot hold together."""
    values = dict(facts)
    return any(values.get(cell, value) != value for cell, value in other_facts)


def _list_ending_facts_of_target_or_raise(case: GameCase, target: Target) -> list[Fact]:
    """Return the facts of which one is the target. Raises NotExpressible if it is no ending."""
    holds = mark_endings_likely_meeting_target_or_none(case, target)
    if holds is None or not does_target_depend_only_on_ending(case.game, target):
        raise NotExpressible("the target is no ending of the game, or asks for more than how it ends")
    return [(1, int(ending)) for ending in np.flatnonzero(holds)]


def _format_operator_as_pddl(
    game: Game, operator_number: int, operator: Operator, values_by_cell: dict[int, list[int]]
) -> str:
    """Return an operator as text, with the action's words as a comment."""
    effects = []
    for effect in operator.effects:
        cell, value = effect.fact
        before = operator.needs.get(cell, dict(effect.when).get(cell))
        gone = [before] if before is not None else values_by_cell[cell]
        changes = [f"(not {_format_fact_as_pddl((cell, other))})" for other in gone if other != value] + [
            _format_fact_as_pddl(effect.fact)
        ]
        text = f"(and {' '.join(changes)})"
        effects.append(f"(when {_format_conjunction_as_pddl(effect.when)} {text})" if effect.when else text)
    return (
        f"; {game.show(operator.ident)}\n(:action a{operator_number}-{operator.ident} :parameters ()\n"
        f" :precondition {_format_conjunction_as_pddl(list(operator.needs.items()))}\n :effect (and "
        f"{' '.join(effects)}))"
    )


def _format_fact_as_pddl(fact: Fact) -> str:
    cell, value = fact
    return f"(c{cell}-{value})" if value >= 0 else f"(c{cell}-minus-{-value})"


def _format_conjunction_as_pddl(facts: Sequence[Fact]) -> str:
    return f"(and {' '.join(map(_format_fact_as_pddl, facts))})"


def _format_disjunction_as_pddl(facts: Sequence[Fact]) -> str:
    return _format_fact_as_pddl(facts[0]) if len(facts) == 1 else f"(or {' '.join(map(_format_fact_as_pddl, facts))})"
