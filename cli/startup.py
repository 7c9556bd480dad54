"""What makes a short command short: the collector of cycles, and modules that libraries load and rarely use."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from typing import Any

YOUNG = 100_000  # objects; Python's own 700 lets the collector walk all modules again and again while they load


def lightly() -> None:
    """Begin a command: fewer collections, and nothing loaded that only some commands use."""
    gc.set_threshold(YOUNG, 50, 50)
    _when_used("PIL.Image")  # ReportLab wants it for pictures, of which most games have none
    _when_called("importlib.metadata", "entry_points")  # pydantic wants it for plugins, which we do not look for


def listen() -> None:
    """Show what the engines say of a wait, to a person at a terminal; a script reads results alone."""
    if sys.stderr.isatty():
        import logging

        heard = logging.StreamHandler()
        heard.setFormatter(logging.Formatter("playproof: %(message)s ..."))
        logger = logging.getLogger("playproof")
        logger.setLevel(logging.INFO)
        logger.addHandler(heard)


def _when_used(name: str) -> None:
    """Load a module when something of it is first asked for."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    package, _, last = name.rpartition(".")
    setattr(sys.modules[package], last, module)  # `from package import last` need not ask the import system


def _when_called(name: str, function: str) -> None:
    """Load a module when this function of it is called, or anything else of it is asked for.

    `_when_used` cannot help where a library begins with `from name import function`: that asks at once.
    """
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None:
        return
    stand_in = importlib.util.module_from_spec(spec)

    def real() -> Any:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return importlib.import_module(name)

    def call(*given: object, **named: object) -> Any:
        return getattr(real(), function)(*given, **named)

    vars(stand_in).update({function: call, "__getattr__": lambda word: getattr(real(), word)})
    sys.modules[name] = stand_in
