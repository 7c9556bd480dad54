"""What a part of a claim is, as a person reads it: printed from its claim terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from playproof.language.game import Game
from playproof.verifier.kernel.card_counts import format_row_expression
from playproof.verifier.kernel.claim_terms import format_claim_term, format_law, format_target
from playproof.verifier.kernel.strict_json import Json, Unreadable, raise_unreadable_for_wrong_shape
from playproof.verifier.kernel.ways_to_play import format_strategy, format_worth

_FORMATS: Mapping[str, Callable[[Game, Json], str]] = MappingProxyType(
    {
        "condition": format_claim_term,
        "number": format_claim_term,
        "target": format_target,
        "law": format_law,
        "strategy": format_strategy,
        "worth": format_worth,
        "row expression": lambda game, data: format_row_expression(data),
        "members": lambda game, data: ", ".join(f"{name}" for name, _ in data) or "nothing",
        "laws": lambda game, data: ", ".join(f"{name}" for name, _ in data) or "nothing",
    }
)
"""How data of each kind is printed; a family by the names of its members."""


def format_claim_part_or_data(game: Game, kind: str, data: Json) -> str:
    """Return what data of claim terms says, in words; as it stands if it is no such data."""
    try:
        with raise_unreadable_for_wrong_shape("no claim terms"):
            return _FORMATS[kind](game, data)
    except (Unreadable, UnboundLocalError, RecursionError):
        return str(data)
