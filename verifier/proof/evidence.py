"""What methods hand over: parts, which `certify` makes certificates of; and writing files whole.

Kinds of parts
    transcript    ground actions from the start, with their words
    exploration   all states up to a round (or all there are), counted; the target is in none
    invariant     conjuncts that hold at the start and are kept by every step, and imply what is claimed
    relaxation    proved bounds on what each kind of step changes, and multipliers that show that no numbers of steps
                  come to the target
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
    """The part that shows a target reached (its last action included where the target is an
    action)."""
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
