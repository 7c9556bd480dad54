"""Refuses values of cards that a game's rules cannot play, as mistakes of the file that says them.

A game's rules call these while they read its cards. So a change of a card is either played or refused: nothing is
printed that the rules pass over without a word.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

from playproof.database.components import Component
from playproof.database.errors import InputError, Where


def refuse_value(
    component: Component,
    field: str,
    expected: str,
    found: object = None,
    hint: str = "",
    where: Where | None = None,
) -> NoReturn:
    """Raise InputError (PP860): the rules cannot play a value of a component. `expected` says what they can; `found`
    is the value, read from the component if it is left out; `where` is its place if it has one of its own."""
    value = component.get(field) if found is None else found
    message = f"`{field}` of {component.id} {component.name}: expected {expected}, found {value}"
    hint = hint or "change it back, or change the rules with it"
    raise InputError.from_single_finding("PP860", where or component.where, message, hint)


def check_copies(component: Component, allowed: Collection[int], why: str) -> None:
    """Check that the rules can play so many copies of a component. Raises InputError (PP861)."""
    if component.count in allowed:
        return
    numbers = " or ".join(map(str, sorted(allowed)))
    message = f"`count` of {component.id} {component.name}: expected {numbers}, found {component.count}"
    raise InputError.from_single_finding("PP861", component.where, message, why)


def refuse_together(where: Where, expected: str, found: str, hint: str) -> NoReturn:
    """Raise InputError (PP862): what several components say does not go together."""
    raise InputError.from_single_finding("PP862", where, f"expected {expected}, found {found}", hint)
