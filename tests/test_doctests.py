"""The examples in docstrings print what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "playproof"
LAYERS = ("generator", "verifier", "src/playproof")


def list_modules_with_examples() -> list[str]:
    """Return the modules whose text has an example."""
    top = PACKAGE.parent.parent
    modules = []
    for file in (file for layer in LAYERS for file in (top / layer).rglob("*.py")):
        inside = PACKAGE in file.parents
        name = file.relative_to(PACKAGE.parent) if inside else "playproof" / file.relative_to(top)
        if ">>> " in file.read_text(encoding="utf-8"):
            modules.append(name.with_suffix(""))
    return sorted(".".join(name.parts).removesuffix(".__init__") for name in modules)


@pytest.mark.parametrize("name", list_modules_with_examples())
def test_examples_in_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_many_modules_have_examples() -> None:
    assert len(list_modules_with_examples()) > 20
