"""Writes loops over an action's choices that test each requirement as soon as its last parameter is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import NamedTuple

from playproof.language.expr import Term
from playproof.language.game import Action
from playproof.language.parts import Parameter
from playproof.language.python_source import SourceBuilder, format_local_name, is_small_term_without_calls_or_loops
from playproof.language.statements import Keep, Require, count_requirements, iter_conditions_joined_by_and

_WORTH_A_BRANCH = 16  # choices that a cheap test may spare
_CHEAP = 12  # nodes of a cheap test
Level = tuple[list[Keep], list[Term]]
"""The values and conditions that are known once a parameter is."""


def format_guard_or_weight_expression(function_prefix: str, action: Action, lines: Sequence[str]) -> str:
    """Return a guard or weight as an expression: written in place if it is a single expression,
    else a call of its function."""
    if len(lines) == 1:
        return f"({lines[0].removeprefix('return ')})"
    return f"{function_prefix}{action.number}({', '.join(['S', *(format_local_name(p.local) for p in action.params)])})"


class LinesAndNextIndent(NamedTuple):
    """Lines of source, and the indentation of what follows them."""

    lines: list[str]
    next_indent: str


def generate_lines_assigning_only_value(
    source: SourceBuilder, parameter: Parameter, only_value: Term, indent: str
) -> LinesAndNextIndent:
    """Return lines that give a parameter its only value; where that may be none of its values, what follows stands
    under a test."""
    name, stop = format_local_name(parameter.local), parameter.low + parameter.count
    lines = [f"{indent}{name} = {source.format_integer_term(only_value)}"]
    if only_value.lo < parameter.low or only_value.hi >= stop:
        lines.append(f"{indent}if {parameter.low} <= {name} < {stop}:")
        indent += "    "
    return LinesAndNextIndent(lines, indent)


def generate_loops_testing_requirements(
    source: SourceBuilder,
    action: Action,
    fixed_value_by_local: Mapping[int, Term],
    generate_inner_lines: Callable[[str], list[str]],
) -> list[str]:
    """Return loops over the parameters' values, but for those that are `fixed_value_by_local`; the inner lines are
    given what is left of the guard, as an expression."""
    levels = _group_tests_by_depth_or_none(action)
    guard = "1"
    if levels is None:
        guard = format_guard_or_weight_expression("guard", action, source.generate_requirement_test_body(action.body))
    tests: list[Term] = []
    indent = ""
    lines: list[str] = []
    for depth in range(len(action.params) + 1):
        if depth:
            p = action.params[depth - 1]
            if p.local.number in fixed_value_by_local:
                fixed, indent = generate_lines_assigning_only_value(
                    source, p, fixed_value_by_local[p.local.number], indent
                )
                lines += fixed
            else:
                lines.append(f"{indent}for {format_local_name(p.local)} in range({p.low}, {p.low + p.count}):")
                indent += "    "
        if levels is not None:
            kept, conditions = levels[depth]
            lines += [f"{indent}{source.generate_line_keeping_value(statement)}" for statement in kept]
            inner = prod(p.count for p in action.params[depth:] if p.local.number not in fixed_value_by_local)
            early = [c for c in conditions if _is_worth_testing_early(c, inner)]
            tests += [c for c in conditions if not _is_worth_testing_early(c, inner)]
            if early:
                lines.append(f"{indent}if {' and '.join(map(source.format_term, early))}:")
                indent += "    "
    if tests:
        guard = f"(1 if {' and '.join(map(source.format_term, tests))} else 0)"
    return [*lines, *(f"{indent}{line}" for line in generate_inner_lines(guard))]


def _is_worth_testing_early(condition: Term, inner_choice_count: int) -> bool:
    """Return whether to test a condition before going through `inner_choice_count` choices, all of which need it."""
    return inner_choice_count >= _WORTH_A_BRANCH or (
        inner_choice_count > 1 and not is_small_term_without_calls_or_loops(condition, _CHEAP)
    )


def _group_tests_by_depth_or_none(action: Action) -> list[Level] | None:
    """Return what is known before the first parameter and with each one. Return None if the guard is not plain:
    branches and loops decide, or a value may leave its bounds."""
    depth_of = {p.local.number: depth for depth, p in enumerate(action.params, 1)}
    levels: list[Level] = [([], []) for _ in range(len(action.params) + 1)]
    left = count_requirements(action.body)
    for statement in action.body:
        if not left:
            break
        if isinstance(statement, Require):
            left -= 1
            for part in iter_conditions_joined_by_and(statement.condition):
                levels[_find_depth_of_last_parameter(part, depth_of)][1].append(part)
            continue
        if not isinstance(statement, Keep) or statement.local.number in depth_of:
            return None
        local, value = statement.local, statement.value
        if value.lo < local.lo or value.hi > local.hi:
            return None
        depth = _find_depth_of_last_parameter(value, depth_of)
        depth_of[local.number] = depth
        levels[depth][0].append(statement)
    return levels


def _find_depth_of_last_parameter(term: Term, depth_by_local: Mapping[int, int]) -> int:
    return max((depth_by_local[local.number] for local in term.locals), default=0)
