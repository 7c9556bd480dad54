"""How the unclear places of the rulebook are read: each ruling is a switch with a default."""

from __future__ import annotations

from dataclasses import dataclass

from rules.options import Options


@dataclass(frozen=True)
class Rulings:
    """The rulings that change what may happen; A-numbers as in rulebook.yaml."""

    first_day: str
    health: str
    per_night: str
    track_heart: str
    full_fear: str
    convert_when: str
    convert_full: str
    supply: str
    missing_card: str
    call_order: str
    stuck: str


def read_rulings(options: Options) -> Rulings:
    """The rulings as the player set them."""
    return Rulings(
        first_day=options.ruling("A2", "ascending", ["shuffled"]),
        health=options.ruling("A4", "4", ["3", "5"]),
        per_night=options.ruling("A7", "2", ["1", "3"]),
        track_heart=options.ruling("A8", "energy", ["choice"]),
        full_fear=options.ruling("A11", "nothing", ["heart"]),
        convert_when=options.ruling("A12", "between", ["anytime"]),
        convert_full=options.ruling("A12b", "drop", ["forbid"]),
        supply=options.ruling("A13", "limited", ["unlimited"]),
        missing_card=options.ruling("A15", "nothing", ["blocked"]),
        call_order=options.ruling("A16", "stacked", ["printed"]),
        stuck=options.ruling("A18", "future", ["heart"]),
    )
