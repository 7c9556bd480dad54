"""The errors by which the rules of a game refuse its cards."""

from __future__ import annotations

from playproof.database.errors import Finding, InputError
from playproof.database.patch import Erratum
from playproof.database.source import YamlNode
from playproof.language import RulesError
from playproof.language.options import OptionError

REFUSALS = (RulesError, InputError, OptionError, ValueError, TypeError, KeyError, StopIteration)
"""Errors that the rules of a game raise if they cannot use its cards. A game's own Python code
looks cards up and counts them, so Python's errors are among them."""


def make_refused_cards_finding(erratum: Erratum, error: Exception) -> Finding:
    """PP810: return why the rules refuse the cards of an erratum."""
    touched = [*(change.target for change in erratum.changes), *(fate.id for fate in erratum.rulings)]
    changed = ", ".join(dict.fromkeys(touched))
    why = "; ".join(fault.message for fault in error.all) if isinstance(error, RulesError) else str(error)
    gone = [
        change.component
        for change in erratum.changes
        if change.path == ("count",) and _is_zero_copies(change.new)
    ]
    hint = "change all cards that the rules want alike, or the rules too"
    if gone:
        hint = f"leave {', '.join(gone)} in the box, or let the rules do without"
    message = f"erratum {erratum.version} changes {changed}, and the rules refuse these cards: {why}"
    return Finding(
        "PP810",
        erratum.changes[0].where if erratum.changes else erratum.get_place("rulings"),
        message,
        hint,
    )


def _is_zero_copies(copies: YamlNode | None) -> bool:
    return copies is None or copies.value == 0
