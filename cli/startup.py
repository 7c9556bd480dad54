"""What makes a short command short: the collector of cycles, and modules that libraries load and rarely use."""

from __future__ import annotations

import gc
import importlib.util
import sys

YOUNG = 100_000  # objects; Python's own 700 lets the collector walk all modules again and again while they load


def lightly() -> None:
    """Begin a command: fewer collections, and nothing loaded that only some commands use."""
    gc.set_threshold(YOUNG, 50, 50)
    _when_used("PIL.Image")  # ReportLab wants it for pictures, of which most games have none
    _when_used("importlib.metadata")  # pydantic wants it for plugins, which no command of ours looks for


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
