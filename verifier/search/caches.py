"""What methods learn about a case: each cache belongs to the module that makes it, has its own
types, and lives as long as the case.

    _RUNS: Cache[str, int] = Cache()
    _RUNS.of(case)["wide"] = 3
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class CacheOwner(Protocol):
    """An object that holds caches, such as a case."""

    caches: dict[Cache[Any, Any], dict[Any, Any]]


class Cache(Generic[K, V]):
    """One module's entries for each case."""

    def get_entries(self, case: CacheOwner) -> dict[K, V]:
        """Return the entries for a case."""
        entries: dict[K, V] = case.caches.setdefault(self, {})
        return entries


class IdentityKey:
    """An object as a key, equal only to itself. The key keeps the object alive, so that no other
    object can take its place in memory."""

    def __init__(self, held: object) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)
