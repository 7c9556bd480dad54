"""Evidence as data: what shows an answer, kept as a JSON file that `check` re-checks from scratch.

Kinds of parts
    transcript    ground actions from the start, with their words; the interpreter replays them to the target
    exploration   all states up to a round (or all there are), counted and digested; the target is in none
    invariant     conjuncts that hold at the start and are kept by every step, and imply what is claimed
    relaxation    proved bounds on what each kind of step changes, and multipliers that show that no numbers of steps
                  come to the target
    length        a rank that falls with every decision: no game is longer than its greatest value
    bounded       Z3 finds no way to the target in so many steps, and `length` says no game is longer
    value         what best play is worth on a complete exploration
    impossible    an action whose requirements hold in no state
    claims        answers to other questions, each with its own parts
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

VERSION = 1
Part = dict[str, Any]


def transcript(case: Case, idents: Sequence[int], target: Target) -> Part:
    """The part that shows a target reached (its last action included where the target is an action)."""
    return {"kind": "transcript", "target": target.spec, "name": target.name, "idents": [int(i) for i in idents],
            "words": [case.game.show(i) for i in idents]}


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, ensure_ascii=False)
            file.write("\n")
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def envelope(case: Case, question: dict[str, Any], value: Any, parts: Sequence[Part]) -> dict[str, Any]:
    """The content of an evidence file."""
    return {"playproof": VERSION, "case": case.as_json(), "question": question, "value": value, "parts": list(parts)}
