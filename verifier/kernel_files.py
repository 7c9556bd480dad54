"""Which files of the kernel somebody reads to trust a verdict: those of its certificates, with all that they import."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from playproof.verifier.kernel import evidence
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.strict_json import map_kinds_to_subclasses

_TOP = Path(__file__).parent
_PACKAGE = "playproof.verifier."
_CORE = ("kernel/claim_values.py", "kernel/strict_json.py")
"""What the answer of a file is computed by. `kernel/evidence.py`, which lists all kinds, is read beside it."""


def list_kernel_files_behind_kinds(certificate_kinds: Iterable[str]) -> list[str]:
    """Return the files of the kernel that certificates of these kinds rest on, such as `kernel/turns.py`. The core,
    which every verdict rests on, is among them."""
    classes = map_kinds_to_subclasses(Certificate)
    files = {_module_to_file(classes[kind].__module__) for kind in certificate_kinds}
    behind = {file for each in (*_CORE, *files) for file in list_files_imported_by(each)}
    return sorted({_module_to_file(evidence.__name__), *behind})


@cache
def list_files_imported_by(file: str) -> frozenset[str]:
    """Return a file of the kernel with all files of the verifier that it imports, and those that these import."""
    found, waiting = {file}, [file]
    while waiting:
        tree = ast.parse((_TOP / waiting.pop()).read_text(encoding="utf-8"))
        modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        new = {_module_to_file(module) for module in modules if module.startswith(_PACKAGE)} - found
        found |= new
        waiting += new
    return frozenset(found)


def _module_to_file(module: str) -> str:
    return f"{module.removeprefix(_PACKAGE).replace('.', '/')}.py"
