"""The numbers and parameters of an action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playproof.language import Action


def bound(action: Action, params: Sequence[Any]) -> dict[int, Any]:
    """Return the parameters of an action with their values."""
    return {p.local.number: value for p, value in zip(action.params, params, strict=True)}


def idents(action: Action) -> range:
    """Return the numbers of an action's ground actions."""
    return range(action.first, action.first + action.count)
