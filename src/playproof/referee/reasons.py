"""Why an action is not legal, as far as the seat that asks may know it.

A requirement that reads only what the seat sees is named if it fails. One that reads a hidden cell is named only if
nothing else forbids the action: the seat knows then that it fails, because what may be chosen is shown. If several of
them may be what fails, which one it is stays hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playproof.language import CHANCE, Broken, Interpreter
from playproof.language.expr import Term
from playproof.language.traced_statements import If, Keep, Loop, Require, Statement
from playproof.referee.view import View, get_visibility_mask


class _HiddenCell(Exception):
    """A term reads what the seat does not see."""


class _SeenCells(Sequence[int]):
    """A state as a seat sees it. To read a hidden cell raises _HiddenCell."""

    def __init__(self, cells: Sequence[int | None]) -> None:
        self._cells = cells

    def __getitem__(self, place: Any) -> Any:  # a place alone; no term reads a slice
        value = self._cells[place]
        if value is None:
            raise _HiddenCell
        return value

    def __len__(self) -> int:
        return len(self._cells)


def list_broken_requirements_known_to_seat(
    play: Interpreter, state: Sequence[int], ident: int, seat: int
) -> tuple[Broken, ...]:
    """Return the requirements that an action does not meet, as the seat that acts may know them; empty if the action
    is legal."""
    game, broken = play.game, play.why_not(state, ident)
    action = game.get_action_of_ident(ident)
    elsewhere = state[1] or state[0] not in action.phases
    if not broken or elsewhere or seat == CHANCE or all(get_visibility_mask(game, seat)):
        return broken
    reasons = _BrokenRequirementCollector(play, _SeenCells(View.of(game, state, seat).cells))
    reasons.collect_from_statements(action.head, action.bind_parameters(action.get_parameter_values(ident)))
    return tuple(reasons.known) or _merge_possible_requirements(reasons.possible) or broken[:1]


def _merge_possible_requirements(possible: Sequence[Broken]) -> tuple[Broken, ...]:
    """Return the only requirement that can be what fails, or all that can be, as one reason."""
    if len(possible) < 2:
        return tuple(possible)
    rules = dict.fromkeys(rule for reason in possible for rule in reason.rule.split())
    texts = dict.fromkeys(reason.text for reason in possible)
    return (
        Broken(" ".join(rules), "what you do not see forbids it: " + ", or ".join(texts), possible[0].place),
    )


class _BrokenRequirementCollector:
    """The requirements that a seat sees fail (`known`), and those that may fail by what it does not see."""

    def __init__(self, play: Interpreter, cells: _SeenCells) -> None:
        self.play, self.cells = play, cells
        self.known: list[Broken] = []
        self.possible: list[Broken] = []

    def collect_from_statements(
        self, body: Sequence[Statement], env: dict[int, int], *, is_open: bool = False
    ) -> None:
        """Go through what stands before the effects of an action; `is_open` if the seat does not know whether it
        counts."""
        for statement in body:
            match statement:
                case Require():
                    self._check_requirement(statement, env, is_open)
                case Keep():
                    kept = self._evaluate_visible_term(statement.value, env)
                    env.pop(statement.local.number, None)
                    if kept is not None:
                        env[statement.local.number] = kept
                case If():
                    self._collect_from_branches(statement, env, is_open)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        env[var.number] = i
                        self.collect_from_statements(inner, env, is_open=is_open)
                case _:  # effects: no requirement follows one
                    return

    def _collect_from_branches(self, statement: If, env: dict[int, int], is_open: bool) -> None:
        """Follow the branch that counts, or both if the seat does not know which one does."""
        decided = self._evaluate_visible_term(statement.condition, env)
        if decided is not None:
            self.collect_from_statements(statement.then if decided else statement.other, env, is_open=is_open)
            return
        ways = dict(env), dict(env)
        for way, branch in zip(ways, (statement.then, statement.other), strict=True):
            self.collect_from_statements(branch, way, is_open=True)
        env.clear()
        env.update(dict(ways[0].items() & ways[1].items()))

    def _check_requirement(self, statement: Require, env: dict[int, int], is_open: bool) -> None:
        holds = self._evaluate_visible_term(statement.condition, env)
        if holds:
            return
        values = [self._evaluate_visible_term(arg, env) for arg in statement.args]
        words = statement.text.format(*("?" if value is None else value for value in values))
        reason = Broken(statement.rule, words, statement.place)
        (self.possible if is_open or holds is None else self.known).append(reason)

    def _evaluate_visible_term(self, term: Term, env: dict[int, int]) -> int | None:
        """Return a term's value, or None if it rests on what the seat does not see."""
        try:
            return self.play.value(term, self.cells, env)
        except (_HiddenCell, KeyError, IndexError):
            return None
