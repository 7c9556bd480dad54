"""A method that fails by a fault of its own is left out, and the next one goes on: a fault in one method leaves that
method, not the claim. What failed is named with the claim if it stays open."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from playproof.database.errors import InputError
from playproof.language import RulesError
from playproof.language.machine.native import NoMachineCodeError
from playproof.language.options import OptionError
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.solving import Disagreement
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import GameCase

_NOT_FAULTS = (
    RulesError,
    InputError,
    OptionError,
    NoMachineCodeError,
    NotShown,
    Disagreement,
    OSError,
    MemoryError,
)
"""What says something about the rules, the machine or the kernel's answer: whoever asks decides about it."""

_FAILED: Cache[str, str] = Cache()


@contextmanager
def isolate_method(case: GameCase, method: str) -> Iterator[None]:
    """Run a method's code; note an exception that nobody planned for, and go on behind the block.

    With PLAYPROOF_FAULTS=raise, as in the tests, the exception is raised, so that no fault goes unseen.
    """
    try:
        yield
    except _NOT_FAULTS:
        raise
    except Exception as error:
        if os.environ.get("PLAYPROOF_TRACEBACK"):
            traceback.print_exception(error)
        if os.environ.get("PLAYPROOF_FAULTS") == "raise":
            raise
        _FAILED.get_entries(case)[method] = f"{type(error).__name__}: {error}".rstrip(": ")


def describe_faults(case: GameCase) -> str:
    """Return which methods failed on a case and how, "" if none did."""
    return "; ".join(f"{method}: {error}" for method, error in _FAILED.get_entries(case).items())
