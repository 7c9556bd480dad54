"""Faster start of short commands: fewer garbage collections, and lazy loading of modules that
libraries import and rarely use."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import io
import sys
from types import ModuleType
from typing import Any

YOUNG = 100_000  # objects; with Python's 700 the collector would scan all modules many times while they load


def speed_up_startup() -> None:
    """Prepare a command: collect garbage less often, and load rarely used modules on demand."""
    gc.set_threshold(YOUNG, 50, 50)
    # ReportLab imports it for pictures, and most games have none
    _load_module_on_first_attribute("PIL.Image")
    # pydantic imports it for plugins, and we use none
    _load_module_on_first_call("importlib.metadata", "entry_points")


def show_engine_log_messages() -> None:
    """Show the engines' log messages to a person at a terminal. A script gets only the results."""
    if sys.stderr.isatty():
        import logging

        heard = logging.StreamHandler()
        heard.setFormatter(logging.Formatter("playproof: %(message)s ..."))
        logger = logging.getLogger("playproof")
        logger.setLevel(logging.INFO)
        logger.addHandler(heard)


def replace_unprintable_letters() -> None:
    """Print a mark in place of a letter that the terminal's own alphabet lacks, such as a heart on Windows."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _load_module_on_first_attribute(name: str) -> None:
    """Load a module when one of its attributes is first used."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    _register_module(name, module)
    spec.loader.exec_module(module)


def _register_module(name: str, module: ModuleType) -> None:
    """Put a module where importing it would: `from package import last` asks the package."""
    package, _, last = name.rpartition(".")
    sys.modules[name] = module
    setattr(sys.modules[package], last, module)


def _load_module_on_first_call(name: str, function: str) -> None:
    """Load a module when this function is called, or when any other attribute of it is used.

    `_load_module_on_first_attribute` does not help if a library begins with `from name import function`, which uses the
    attribute at once.
    """
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None:
        return
    stand_in = importlib.util.module_from_spec(spec)

    def real() -> Any:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return importlib.import_module(name)

    def call(*arguments: object, **named: object) -> Any:
        return getattr(real(), function)(*arguments, **named)

    vars(stand_in).update({function: call, "__getattr__": lambda word: getattr(real(), word)})
    _register_module(name, stand_in)
