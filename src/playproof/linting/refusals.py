"""The errors by which the rules of a game refuse its cards."""

from __future__ import annotations

from playproof.database.errors import InputError
from playproof.language import RulesError
from playproof.language.options import OptionError

REFUSALS = (RulesError, InputError, OptionError, ValueError, TypeError, KeyError, StopIteration)
"""Errors that the rules of a game raise if they cannot use its cards. A game's own Python code
looks cards up and counts them, so Python's errors are among them."""
