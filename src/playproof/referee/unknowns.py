"""What an action shows whatever the hidden cells hold.

    tables_after(functions, "effect3", table, [2, 0])    # every table that this may leave behind

The generated Python of a game runs on a table in which `UNKNOWN` stands for each hidden cell. A
value made from it is unknown too. Where the rules ask about an unknown value, both answers are
followed. So the tables returned cover every world that the seat may imagine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

_MOST_PATHS = 64


class DependsOnHiddenError(Exception):
    """Too much depends on what is hidden."""


class _BranchAnswers:
    """The answers that one path gives to questions about unknown values, in order."""

    def __init__(self) -> None:
        self.path: list[bool] = []
        self.place = 0

    def next_answer(self) -> bool:
        """Answer a question: as the path says, then True."""
        if self.place == len(self.path):
            self.path.append(True)
        self.place += 1
        return self.path[self.place - 1]

    def iter_paths(self) -> Iterator[None]:
        """Yield once per path. Raises Unclear if there are too many."""
        self.path = []
        for _ in range(_MOST_PATHS):
            self.place = 0
            yield
            while self.path and not self.path[-1]:
                self.path.pop()
            if not self.path:
                return
            self.path[-1] = False
        raise DependsOnHiddenError


class UnknownNumber:
    """A whole number of which nothing is known."""

    def __init__(self, answers: _BranchAnswers) -> None:
        self.answers = answers

    def __bool__(self) -> bool:
        return self.answers.next_answer()

    def __index__(self) -> int:
        raise DependsOnHiddenError

    __hash__ = object.__hash__


def _return_self(self: UnknownNumber, *_: object) -> UnknownNumber:
    return self


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    setattr(UnknownNumber, f"__{_name}__", _return_self)
    setattr(UnknownNumber, f"__r{_name}__", _return_self)
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "abs", "invert"):
    setattr(UnknownNumber, f"__{_name}__", _return_self)


class _UncertainTable(list[Any]):
    """A table whose cells may be read and written at an unknown place."""

    unknown: UnknownNumber

    def __getitem__(self, place: Any) -> Any:
        return self.unknown if isinstance(place, UnknownNumber) else super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, UnknownNumber):
            self[:] = [self.unknown] * len(self)  # any cell may have changed
        else:
            super().__setitem__(place, value)


def make_functions_accept_unknowns(functions: Mapping[str, Any]) -> dict[str, Any]:
    """Return generated functions in a form that takes unknown values."""

    def whole(value: Any = 0) -> Any:
        return value if isinstance(value, UnknownNumber) else int(value)

    names = {**functions, "int": whole}
    for name, held in functions.items():
        if isinstance(held, FunctionType):
            names[name] = FunctionType(held.__code__, names, name, held.__defaults__)
    return names


def iter_tables_after_effect(
    functions: Mapping[str, Any], effect: str, table: Sequence[int | None], values: Iterable[int]
) -> Iterator[list[int | None]]:
    """Yield the tables that an effect may leave behind, with None for each cell of which nothing is
    known. `table` has None for each hidden cell. Raises Unclear if that cannot be said."""
    answers = _BranchAnswers()
    unknown, arguments = UnknownNumber(answers), tuple(values)
    run: Callable[..., None] = functions[effect]
    for _ in answers.iter_paths():
        now = _UncertainTable(unknown if cell is None else cell for cell in table)
        now.unknown = unknown
        try:
            run(now, *arguments)
        except (ArithmeticError, LookupError, TypeError) as error:
            raise DependsOnHiddenError from error  # an impossible look-alike, or a question that has no two answers
        yield [None if isinstance(cell, UnknownNumber) else int(cell) for cell in now]
