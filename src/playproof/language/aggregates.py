"""Sums, counts and choices over many values: over a list that Python makes, or over a range that
the rules loop over.

    sum_of(cost[card] for card in hand)        one term per value, written out
    sum_of(9, lambda i: s.have[i])             one loop over 0..8; i may index an array

Both mean the same; the loop keeps the description small if the range is long."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from playproof.language.errors import RulesError
from playproof.language.expr import (
    Local,
    Operand,
    Term,
    Value,
    make_conjunction_term,
    make_disjunction_term,
    make_maximum_term,
    make_minimum_term,
    make_reduction_term,
    make_sum_of_many_terms,
)


@overload
def sum_of(values: Iterable[Value], /) -> Term: ...
@overload
def sum_of(over: int | range, body: Callable[[Local], Value], /) -> Term: ...
def sum_of(values: Any, body: Callable[[Local], Value] | None = None, /) -> Term:
    """The sum of the values, or of `body(i)` for each i of a range."""
    if body is None:
        return make_sum_of_many_terms(_require_iterable_of_values("sum_of", values))
    return make_reduction_term("sum", values, _require_callable_loop_body("sum_of", body))


@overload
def any_of(values: Iterable[Value], /) -> Term: ...
@overload
def any_of(over: int | range, body: Callable[[Local], Value], /) -> Term: ...
def any_of(values: Any, body: Callable[[Local], Value] | None = None, /) -> Term:
    """Return whether one of the values is true, or `body(i)` for some i of a range."""
    if body is None:
        return make_disjunction_term(_require_iterable_of_values("any_of", values))
    return make_reduction_term("any", values, _require_callable_loop_body("any_of", body))


@overload
def all_of(values: Iterable[Value], /) -> Term: ...
@overload
def all_of(over: int | range, body: Callable[[Local], Value], /) -> Term: ...
def all_of(values: Any, body: Callable[[Local], Value] | None = None, /) -> Term:
    """Return whether all of the values are true, or `body(i)` for each i of a range."""
    if body is None:
        return make_conjunction_term(_require_iterable_of_values("all_of", values))
    return make_reduction_term("all", values, _require_callable_loop_body("all_of", body))


@overload
def min_of(value: Value, /, *values: Value) -> Term: ...
@overload
def min_of(over: int | range, body: Callable[[Local], Value], /) -> Term: ...
def min_of(value: Any, /, *values: Any) -> Term:
    """The least of the values, or of `body(i)` over a range."""
    return _make_min_or_max_term("min", make_minimum_term, value, values)


@overload
def max_of(value: Value, /, *values: Value) -> Term: ...
@overload
def max_of(over: int | range, body: Callable[[Local], Value], /) -> Term: ...
def max_of(value: Any, /, *values: Any) -> Term:
    """The greatest of the values, or of `body(i)` over a range."""
    return _make_min_or_max_term("max", make_maximum_term, value, values)


def count_of(over: int | range, body: Callable[[Local], Value]) -> Term:
    """Count the i of a range for which `body(i)` is true: `count_of(9, lambda i: s.have[i] >
    0)`."""
    return make_reduction_term("sum", over, _require_callable_loop_body("count_of", body))


def _make_min_or_max_term(
    kind: str, make_term_of_all: Callable[..., Term], first: Any, values_or_loop_body: tuple[Any, ...]
) -> Term:
    """Return the least or greatest of the values, or of a loop if the second argument is a
    function."""
    body = values_or_loop_body[0] if len(values_or_loop_body) == 1 else None
    if callable(body):
        return make_reduction_term(kind, first, body)
    return make_term_of_all(first, *values_or_loop_body)


def _require_callable_loop_body(aggregate_name: str, body: Any) -> Callable[[Local], Value]:
    """Return the function of a loop. Raises RulesError for a second value in its place."""
    if callable(body):
        run: Callable[[Local], Value] = body
        return run
    raise RulesError(
        "PP355",
        f"`{aggregate_name}` was given two values, not a range and a function",
        f"write {aggregate_name}([a, b]) for some values, or {aggregate_name}(how many, lambda i: a value)",
    )


def _require_iterable_of_values(aggregate_name: str, values: object) -> Iterable[Value]:
    """Return the values of a list. Raises RulesError for a state value or a number, which needs a
    function to be looped over."""
    if isinstance(values, Iterable) and not isinstance(values, Operand):
        return values
    raise RulesError(
        "PP355",
        f"`{aggregate_name}` was given one value, not a list of them",
        f"write {aggregate_name}(a value for each thing) or {aggregate_name}(how many, lambda i: a value)",
    )
