"""Values that are made once and then kept: a dictionary that makes its missing values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LazyDict(dict[Key, Value]):
    """Values by key, each made when it is first asked for. A loop then reads them without a
    function call.

    >>> squares = LazyDict(lambda n: n * n)
    >>> squares[3], squares
    (9, {3: 9})
    """

    def __init__(self, make: Callable[[Key], Value]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Key) -> Value:
        made = self[key] = self._make(key)
        return made
