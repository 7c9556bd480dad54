"""A game of one player as a model in JANI, which model checkers such as Storm read, or as a planning
problem in PDDL, which planners read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import z3

from playproof.language import CHANCE, Action, Phase
from playproof.language.game import Game
from playproof.verifier.kernel.reading import Number, Reading, SmallStep, Truth, conj, is_same
from playproof.verifier.questions.claims import Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.lines_of_play import find_endings_meeting_target, is_target_only_about_ending
from playproof.verifier.search.step_readings import Effect, Fact, Operator, TooManyOperators, build_operators

# -- jani ----------------------------------------------------------------------------------------------------
# A game of one player as a model in JANI: what model checkers such as Storm read.

Json = dict[str, Any]
_LARGEST = 300_000  # operators in a model; shared parts of a formula are written out each time
_CHAINS = MappingProxyType({z3.Z3_OP_AND: "∧", z3.Z3_OP_OR: "∨", z3.Z3_OP_ADD: "+", z3.Z3_OP_MUL: "*"})
_PAIRS = MappingProxyType(
    {
        z3.Z3_OP_EQ: "=",
        z3.Z3_OP_LE: "≤",
        z3.Z3_OP_LT: "<",
        z3.Z3_OP_GE: "≥",
        z3.Z3_OP_GT: ">",
        z3.Z3_OP_SUB: "-",
    }
)


def game_to_jani(case: GameCase, target: Target) -> str:
    """Return the text of a model that asks for the greatest chance of a target. Raises NotExpressible."""
    if case.game.players != 1:
        raise NotExpressible("a model has no players against each other")
    if target.idents is not None:
        raise NotExpressible("the target is an action; ask for an ending or a condition")
    return json.dumps(_JaniModel(case.game, target).build_model(case.first), ensure_ascii=False, indent=1)


class _JaniModel:
    def __init__(self, game: Game, target: Target) -> None:
        self.game, self.target = game, target
        self.reading = Reading(game, True, [target.condition])
        self.cells = self.reading.make_state()
        names = (name for field in game.fields for name in _iter_cell_names(field.name, field.size))
        self.names = {f"s{n}": f"{name}_{n}" for n, name in enumerate(names)}
        self.size = 0

    def build_model(self, first: Sequence[int]) -> Json:
        """Return the model with its property."""
        met = [
            self.reading.build_settled_formula(self.cells),
            self.reading.read_truth(self.target.condition, self.cells, {}),
        ]
        goal = {"op": "U", "left": True, "right": self.formula_to_jani(conj(met))}
        values = {"op": "Pmax", "exp": goal}
        filtered = {"op": "filter", "fun": "max", "values": values, "states": {"op": "initial"}}
        edges = [*self.iter_edges()]
        return {
            "jani-version": 1,
            "name": self.game.name,
            "type": "mdp",
            "variables": [*self.iter_variables(first)],
            "properties": [{"name": "target", "expression": filtered}],
            "automata": [
                {"name": "game", "locations": [{"name": "on"}], "initial-locations": ["on"], "edges": edges}
            ],
            "system": {"elements": [{"automaton": "game"}]},
        }

    def iter_variables(self, first: Sequence[int]) -> Iterator[Json]:
        """Yield the cells that can change."""
        for n, (field, cell) in enumerate(zip(self.reading.fields, self.cells, strict=True)):
            if not isinstance(cell, int):
                bounds = {"kind": "bounded", "base": "int", "lower-bound": field.lo, "upper-bound": field.hi}
                yield {"name": self.names[f"s{n}"], "type": bounds, "initial-value": first[n]}

    def iter_edges(self) -> Iterator[Json]:
        """Yield what may happen: automatic phases, decisions, and in each phase all of chance; an end stays."""
        over = self.reading.compare("!=", self.cells[1], 0)
        yield self.build_edge("the game is over", over, [{"location": "on"}])
        for phase in self.game.phases:
            if phase.automatic:
                yield self.build_certain_edge(phase.name, self.reading.build_step(phase, self.cells, ()))
            elif phase.actor.hi <= CHANCE:
                yield self.build_chance_edge(phase)
            elif phase.actor.lo <= CHANCE:
                raise NotExpressible(f"chance acts only sometimes in the phase `{phase.name}`")
        for action in self.game.actions:
            if action.weight is None:
                for ident in action.idents:
                    step = self.reading.build_step(action, self.cells, action.get_parameter_values(ident))
                    yield self.build_certain_edge(self.game.show(ident), step)

    def build_certain_edge(self, words: str, step: SmallStep) -> Json:
        """Return the edge of a step that leads to one state."""
        return self.build_edge(words, step.legal, [self.build_destination(step)])

    def build_chance_edge(self, phase: Phase) -> Json:
        """Return the edge of all that chance may bring in a phase."""
        here = conj([self.reading.compare("==", self.cells[n], v) for n, v in ((0, phase.number), (1, 0))])
        steps = [
            (self.compute_chance_weight(a, ident), step) for a, ident, step in self.iter_chance_steps(phase)
        ]
        total: Number = 0
        for weight, _ in steps:
            total = self.reading.combine("+", total, weight)
        led = [
            {
                **self.build_destination(step),
                "probability": {
                    "exp": {
                        "op": "/",
                        "left": self.formula_to_jani(weight),
                        "right": self.formula_to_jani(total),
                    }
                },
            }
            for weight, step in steps
            if not is_same(weight, 0)
        ]
        return self.build_edge(phase.name, conj([here, self.reading.compare("<", 0, total)]), led)

    def iter_chance_steps(self, phase: Phase) -> Iterator[tuple[Action, int, SmallStep]]:
        """Yield the decisions of chance in a phase."""
        for action in phase.actions:
            for ident in action.idents:
                yield (
                    action,
                    ident,
                    self.reading.build_step(action, self.cells, action.get_parameter_values(ident)),
                )

    def compute_chance_weight(self, action: Action, ident: int) -> Number:
        """Return the weight of a decision of chance; 0 where it is not legal."""
        weight = self.reading.read_weight(action, self.cells, action.get_parameter_values(ident))
        return self.reading.pick(self.reading.build_legal_formula(self.cells, ident), weight, 0)

    def build_edge(self, words: str, guard: Truth, destinations: list[Json]) -> Json:
        return {
            "location": "on",
            "comment": words,
            "guard": {"exp": self.formula_to_jani(guard)},
            "destinations": destinations,
        }

    def build_destination(self, step: SmallStep) -> Json:
        """Return the cells that a step changes."""
        both = enumerate(zip(self.cells, step.after, strict=True))
        changes = [
            {"ref": self.names[f"s{n}"], "value": self.formula_to_jani(new)}
            for n, (old, new) in both
            if not is_same(old, new)
        ]
        return {"location": "on", "assignments": changes}

    def formula_to_jani(self, value: Number | Truth) -> Any:
        """Return a formula in JANI. Raises NotExpressible if the model gets too large."""
        self.size += 1
        if self.size > _LARGEST:
            raise NotExpressible(f"the formulas have more than {_LARGEST:,} parts")
        if isinstance(value, bool | int):
            return value
        if z3.is_int_value(value):
            return value.as_long()
        if z3.is_true(value) or z3.is_false(value):
            return z3.is_true(value)
        kind, args = value.decl().kind(), [self.formula_to_jani(arg) for arg in value.children()]
        match args:
            case []:
                return self.names[value.decl().name()]
            case [inner]:
                return (
                    {"op": "¬", "exp": inner}
                    if kind == z3.Z3_OP_NOT
                    else {"op": "-", "left": 0, "right": inner}
                )
            case [condition, yes, no] if kind == z3.Z3_OP_ITE:
                return {"op": "ite", "if": condition, "then": yes, "else": no}
        if kind in (z3.Z3_OP_IDIV, z3.Z3_OP_MOD):
            left, right = args
            down = {"op": "floor", "exp": {"op": "/", "left": left, "right": right}}
            whole = {"op": "*", "left": down, "right": right}
            return down if kind == z3.Z3_OP_IDIV else {"op": "-", "left": left, "right": whole}
        op = _CHAINS.get(kind) or _PAIRS[kind]
        whole = args[0]
        for each in args[1:]:
            whole = {"op": op, "left": whole, "right": each}
        return whole


def _iter_cell_names(field: str, size: int) -> Iterator[str]:
    """Yield a name of letters for each cell; its number, which comes behind it, tells it from others."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in field)
    yield from (f"c_{plain}" for _ in range(size))


# -- pddl ----------------------------------------------------------------------------------------------------
# A puzzle as a planning problem in PDDL: what planners read.


class NotExpressible(Exception):
    """The game, or the target, has no place in PDDL; the message says what of it."""


@dataclass(frozen=True)
class PddlProblem:
    """The texts of a domain and of a problem. Operator `a7-3` is the seventh operator, and ground action 3."""

    domain: str
    problem: str


def game_to_pddl(case: GameCase, target: Target) -> PddlProblem:
    """Return a game and a target as a planning problem. Raises NotExpressible."""
    several = _build_exact_operators(case.game)
    goals = _list_goal_facts(case, target)
    facts = {fact for operator in several for fact in operator.needs.items()} | set(goals)
    for operator in several:
        for effect in operator.effects:
            facts |= {effect.fact, *effect.when}
    facts |= {(cell, value) for cell, value in enumerate(case.first) if cell in {c for c, _ in facts}}
    values: dict[int, list[int]] = {}
    for cell, value in sorted(facts):
        values.setdefault(cell, []).append(value)
    actions = "\n".join(
        _format_operator(case.game, number, operator, values) for number, operator in enumerate(several)
    )
    name = "".join(letter if letter.isalnum() else "-" for letter in case.game.name)
    start = " ".join(_format_fact((cell, case.first[cell])) for cell in values)
    predicates = " ".join(map(_format_fact, sorted(facts)))
    return PddlProblem(
        f"(define (domain {name})\n(:requirements :adl)\n(:predicates {predicates})\n{actions})\n",
        f"(define (problem {name}-1)\n(:domain {name})\n(:init {start})\n(:goal {_format_disjunction(goals)}))\n",
    )


def _build_exact_operators(game: Game) -> list[Operator]:
    """Return the operators of a game, each of which says all that its action does. Raises NotExpressible."""
    if any(phase.automatic for phase in game.phases):
        raise NotExpressible("phases that run by themselves are no actions")
    if any(action.weight is not None and action.weight.lo <= 0 for action in game.actions):
        raise NotExpressible("whether chance may take an action depends on a weight")
    try:
        several = build_operators(game)
    except TooManyOperators:
        raise NotExpressible("there are too many ground actions") from None
    for operator in several:
        if not operator.exact or len(game.get_action_of_ident(operator.ident).phases) != 1:
            raise NotExpressible(f"`{game.show(operator.ident)}` reads or writes more than facts")
        operator.needs.setdefault(1, 0)
        operator.effects = list(_iter_final_effects(game, operator))
    return several


def _iter_final_effects(game: Game, operator: Operator) -> Iterator[Effect]:
    """Yield the effects that remain if later ones overwrite earlier ones. Raises NotExpressible if that depends on the
    state."""
    of_cell: dict[int, list[Effect]] = {}
    for effect in operator.effects:
        several = of_cell.setdefault(effect.fact[0], [])
        if not effect.when:
            several.clear()
        elif not all(_are_facts_exclusive(effect.when, other.when) for other in several):
            raise NotExpressible(f"`{game.show(operator.ident)}` writes a cell twice")
        several.append(effect)
    for several in of_cell.values():
        yield from several


def _are_facts_exclusive(facts: Sequence[Fact], others: Sequence[Fact]) -> bool:
    """Return whether facts cannot hold together."""
    values = dict(facts)
    return any(values.get(cell, value) != value for cell, value in others)


def _list_goal_facts(case: GameCase, target: Target) -> list[Fact]:
    """Return the facts of which one is the target. Raises NotExpressible if it is no ending."""
    holds = find_endings_meeting_target(case, target)
    if holds is None or not is_target_only_about_ending(case.game, target):
        raise NotExpressible("the target is no ending of the game, or asks for more than how it ends")
    return [(1, int(ending)) for ending in np.flatnonzero(holds)]


def _format_operator(game: Game, number: int, operator: Operator, values: dict[int, list[int]]) -> str:
    """Return an operator as text, with the action's words as a comment."""
    effects = []
    for effect in operator.effects:
        cell, value = effect.fact
        before = operator.needs.get(cell, dict(effect.when).get(cell))
        gone = [before] if before is not None else values[cell]
        changes = [f"(not {_format_fact((cell, other))})" for other in gone if other != value] + [
            _format_fact(effect.fact)
        ]
        text = f"(and {' '.join(changes)})"
        effects.append(f"(when {_format_conjunction(effect.when)} {text})" if effect.when else text)
    return (
        f"; {game.show(operator.ident)}\n(:action a{number}-{operator.ident} :parameters ()\n"
        f" :precondition {_format_conjunction(list(operator.needs.items()))}\n :effect (and {' '.join(effects)}))"
    )


def _format_fact(fact: Fact) -> str:
    cell, value = fact
    return f"(c{cell}-{value})" if value >= 0 else f"(c{cell}-minus-{-value})"


def _format_conjunction(facts: Sequence[Fact]) -> str:
    return f"(and {' '.join(map(_format_fact, facts))})"


def _format_disjunction(facts: Sequence[Fact]) -> str:
    return _format_fact(facts[0]) if len(facts) == 1 else f"(or {' '.join(map(_format_fact, facts))})"
