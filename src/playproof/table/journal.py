"""Restore a table from its journal, by repeating each recorded change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playproof.database.source import plain_bytes
from playproof.language.registry import recorded_game
from playproof.referee.companion import Companion
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.table.persons import Person
from playproof.table.records import Note
from playproof.table.sitting import OWN_PAGES, Sitting

_MOST_BYTES = 16_000_000
"""The largest journal that is read: a table records some fifty bytes per move."""


def restore(journal: Path, refs: Sequence[str] = ()) -> Sitting:
    """Return the table of a journal, without a last line that was cut short.

    The journal names its game and never says whose rules are run: they are those of a game in
    `refs`, which the person who starts the server has named, or of a bundled game. Raises
    UnknownGame if there is no such game, and ValueError if the journal is wrong otherwise.
    """
    whole = plain_bytes(journal, _MOST_BYTES).split(b"\n")
    lines = [json.loads(line) for line in whole[:-1]]  # the last is empty, or was cut short
    if not lines:
        raise ValueError(f"{journal}: the journal is empty")
    first, *rest = lines
    variant = Variant(recorded_game(str(first["game"]), refs), first["options"], first["rulings"])
    if variant.digest != first["data"]:
        raise ValueError(f"{journal}: the cards have changed since this game began")
    match = Match(variant, first["seed"], seats=first["seats"])
    sitting = Sitting(
        first["table"],
        variant,
        tuple(first["seats"]),
        match,
        first["tokens"],
        first["invite"],
        first["watch"],
        first["shared"],
    )
    sitting.earlier = str(first.get("earlier", ""))
    if first.get("paper"):
        sitting.paper = Companion(match, apart=first["paper"] == OWN_PAGES)
    for line in rest:
        _replay(sitting, line)
    if whole[-1]:  # cut short: begin the next line on a line of its own
        with journal.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in whole[:-1]))
    sitting.journal = journal
    sitting.settle()
    # New version numbers are above all that anybody saw before.
    sitting.version += 1_000_000 + 10 * len(lines)
    return sitting


def _replay(sitting: Sitting, line: Mapping[str, Any]) -> None:
    if "again" in line and sitting.paper is not None:
        sitting.paper.rewrite([*sitting.match.actions[: int(line["again"])], *map(int, line["do"])])
    elif "do" in line and sitting.paper is not None:
        sitting.paper.take(int(line["do"]), loose=bool(line.get("loose")))
    elif "do" in line:
        sitting.match.apply(int(line["do"]))
    elif "decided" in line:
        sitting.decided = True
    elif "back" in line:
        sitting.go_back(int(line["back"]))
    elif "token" in line:
        seat, token = line["token"]
        sitting.place(seat, token, opener=bool(line.get("opener")))
    elif "branch" in line:
        sitting.went_on(*line["branch"])
    elif "following" in line:
        sitting.following = str(line["following"])
    elif "note" in line:
        sitting.notes.append(Note(*line["note"]))
    elif "person" in line:
        seat, name, colour = line["person"]
        sitting.persons[int(seat)] = Person(str(name), int(colour))
