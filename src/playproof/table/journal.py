"""Restore a table from its journal, by repeating each recorded change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playproof.database.source import read_plain_file
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.recorded_games import RecordedGame, find_recorded_game
from playproof.referee.companion import ReportedMatch
from playproof.referee.judging import describe_changed_digest
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.table.clock import ClockSettings, SeatClocks
from playproof.table.records import DESCRIPTIONS, Note, Person, get_description_path
from playproof.table.sitting import OWN_PAGES, GameSession

_TABLE = "the table"  # who writes a note that nobody at the table wrote
_KEPT = "this table goes on with the rules that it began with"
_MOST_BYTES = 16_000_000
"""The largest journal that is read: a table records some fifty bytes per move."""


def restore_session(journal: Path, refs: Sequence[str] = ()) -> GameSession:
    """Return the table of a journal, without a last line that was cut short.

    The journal names its game and never says whose rules are run: they are those of a game in
    `refs`, which the person who starts the server has named, or of a bundled game. If these have
    changed since the game began, it goes on by the description that it began with, and a note
    at the table says so. Raises UnknownGame if there is no such game, MoveError for a move that is not
    legal, and ValueError if the journal is wrong otherwise or the description has gone.
    """
    whole = read_plain_file(journal, _MOST_BYTES).split(b"\n")
    lines = [json.loads(line) for line in whole[:-1]]  # the last is empty, or was cut short
    if not lines:
        raise ValueError(f"{journal}: the journal is empty")
    first, *rest = lines
    digest, options, rulings = str(first.get("description", "")), first["options"], first["rulings"]
    variant = Variant(
        find_recorded_game(RecordedGame(str(first["game"]), digest, options, rulings), refs), options, rulings
    )
    description = get_description_path(journal.parent, digest)
    try:
        changed = describe_changed_digest(variant, digest)
    except (OptionError, RulesError) as error:
        changed = f"the rules cannot be read now ({str(error).splitlines()[0]})"
    if changed:
        if not description.is_file():
            raise ValueError(f"PP608 {changed}")
        variant = replace(variant, file=str(description))
        if variant.digest != digest:
            raise ValueError(f"{description.name} does not have the digest that it is named by")
    match = Match(variant, first["seed"], seats=first["seats"])
    sitting = GameSession(
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
        sitting.reported_match = ReportedMatch(match, apart=first["paper"] == OWN_PAGES)
    elif first.get("clocks"):
        sitting.clocks = SeatClocks(ClockSettings(*first["clocks"]))
    for line in rest:
        _replay_journal_line(sitting, line)
    if whole[-1]:  # cut short: begin the next line on a line of its own
        with journal.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in whole[:-1]))
    sitting.journal = journal
    if sitting.reported_match is None:
        match.start_timing()  # what came before is not known
    if changed:
        sitting.notes.append(Note(len(sitting.match.steps), _TABLE, f"PP608 {changed}; {_KEPT}"))
    sitting.settle_chance_actions()
    # New version numbers are above all that anybody saw before.
    sitting.version += 1_000_000 + 10 * len(lines)
    sitting.changes += sitting.version
    return sitting


def delete_unused_descriptions(folder: Path) -> None:
    """Delete the descriptions that no journal of a folder names."""
    begun = [_read_first_line(path) for path in folder.glob("*.table")]
    for file in (folder / DESCRIPTIONS).glob("*.json"):
        if not any(file.stem.encode() in line for line in begun):
            file.unlink()


def _read_first_line(journal: Path) -> bytes:
    with journal.open("rb") as file:
        return file.readline(_MOST_BYTES)


def _replay_journal_line(session: GameSession, line: Mapping[str, Any]) -> None:
    if "again" in line and session.reported_match is not None:
        session.reported_match.replace_history(
            [*session.match.actions[: int(line["again"])], *map(int, line["do"])]
        )
    elif "do" in line and session.reported_match is not None:
        session.reported_match.take_action(int(line["do"]), supposed=bool(line.get("loose")))
    elif "do" in line:
        session.early_choices.pop(session.match.actor, None)
        session.match.apply(int(line["do"]))
    elif "early" in line:
        seat, ident = line["early"]
        session.early_choices[int(seat)] = int(ident)
    elif "bot" in line:
        session.replace_player_by_bot(int(line["bot"][0]), str(line["bot"][1]))
    elif "decided" in line:
        session.decided = True
    elif "back" in line:
        session.go_back_to_step(int(line["back"]), int(line["seed"]) if "seed" in line else None)
    elif "token" in line:
        seat, token = line["token"]
        session.set_seat_token(seat, token, opener=bool(line.get("opener")))
    elif "branch" in line:
        session.add_branch(*line["branch"])
    elif "following" in line:
        session.following = str(line["following"])
    elif "note" in line:
        session.notes.append(Note(*line["note"]))
    elif "wish" in line and session.clocks is not None:
        session.clocks.give_or_remove_clock(int(line["wish"][0]), bool(line["wish"][1]))
    elif "left" in line and session.clocks is not None:
        session.clocks.left[int(line["left"][0])] = float(line["left"][1])
    elif "person" in line:
        seat, name, colour = line["person"]
        session.persons[int(seat)] = Person(str(name), int(colour))
