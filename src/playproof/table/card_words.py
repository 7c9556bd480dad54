"""What faces say: whether one prints words worth reading, and what the things that a choice names do, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playproof.database.components import Component, Effect, Either, Option, Words
from playproof.table.scene import Picture

_NAMES = frozenset({"title", "flavour", "name"})
"""Fields whose words say what a thing is called, and not what it does."""


def find_wordy_components(components: Mapping[str, Component]) -> frozenset[str]:
    """Return the ids of the components that print words besides their names."""
    return frozenset(
        ident
        for ident, component in components.items()
        if any(_holds_words(value) for name, value in component.fields.items() if name not in _NAMES)
    )


def has_words(wordy: frozenset[str], picture: Picture) -> bool:
    """Return whether a picture shows the front of one of these components."""
    return picture.component in wordy and picture.side != "back" and not picture.side.startswith("face-")


def _holds_words(value: Any) -> bool:
    """Return whether a field holds a text or an effect, however deep."""
    if isinstance(value, Words | Effect | Either | Option):
        return True
    if isinstance(value, Mapping):
        return any(map(_holds_words, value.values()))
    return isinstance(value, tuple | list) and any(map(_holds_words, value))
