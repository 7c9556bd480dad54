"""The parts that methods return, from which `certify` makes certificates; and a function that
writes a file whole.

Kinds of parts
    transcript    ground actions from the start, with their words
    exploration   all states up to a round (or all there are), counted; the target is in none
    invariant     conjuncts that hold at the start, that every step keeps, and that imply the claim
    relaxation    proved bounds on the changes by each kind of step, and multipliers that show that
                  no numbers of steps lead to the target
    k-induction   conjuncts and a number of states in a row
    length        a rank that falls with every decision, or the longest path
    bounded       Z3 finds no way to the target in so many steps, and no game is longer
    chance        bounds on what best play is worth
    breach        a line that breaks the rules
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Case

Part = dict[str, Any]


def transcript(case: Case, idents: Sequence[int], target: Target) -> Part:
    """Return the part that shows a target reached. If the target is an action, it is the last of
    the line."""
    return {
        "kind": "transcript",
        "target": target.spec,
        "name": target.name,
        "idents": [int(i) for i in idents],
        "words": [case.game.show(i) for i in idents],
    }


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file whole or not at all, and create its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, ensure_ascii=False)
            file.write("\n")
        os.replace(name, path)
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError):  # a full disk names no file
            error.filename = error.filename or str(path)
        raise
