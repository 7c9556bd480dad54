"""A puzzle as a planning problem in PDDL: what planners read.

Each ground action becomes an operator over facts; the fact `c5-2` says that cell 5 has the value 2. A game is written
whole or not at all: automatic phases, requirements that are no facts, and values that depend on several cells have no
place in it. Peg solitaire has none: it is lost when no jump is left, so each of 76 jumps lacks one of three facts. That
makes 3^76 cases; and one peg left is a sum. `examples/published/soldiers.py` has the same jumps.

Source: McDermott et al., "PDDL, the planning domain definition language" (1998); conditional effects are `:adl`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from playproof.language.game import Game
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.lines import find_endings_meeting_target, is_target_only_about_ending
from playproof.verifier.search.operators import Effect, Fact, Operator, TooManyOperators, build_operators


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
