"""Certificates of what methods find, and a function that writes a file whole.

Methods offer the kernel, for each statement, the certificates that may show it, likeliest first. Only one that it
accepts counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from playproof.database.files import json_bytes, write_atomically
from playproof.language.explorer import Exploration as Explored
from playproof.language.game import Game
from playproof.language.phases import phase_values
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.exploration import MOST_STATES, CompiledExploration, Exploration, explored
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import About, Event
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.search import old_lines
from playproof.verifier.search.case import Case

_LINES = {"idents": "words", "line": "words", "other": "others"}
"""Where certificates hold lines of play, and where the same in words."""
Offer = tuple[Certificate, ...]
"""Certificates that may show one statement, likeliest first."""


@dataclass(frozen=True)
class Proof:
    """What a method shows: its name, the certificates for the kernel, and in the game's words why it is so, if the
    method says that."""

    method: str
    offer: Offer
    because: str = ""


def transcript(case: Case, about: About, idents: Sequence[int]) -> Transcript:
    """Return the certificate of a line of play. If it is about an action, that is the last of the line."""
    line = tuple(int(ident) for ident in idents)
    return Transcript(about, line, tuple(map(case.game.show, line)))


def by_conditions(case: Case, event: Event, texts: Sequence[str], integers: bool = True) -> Offer:
    """Return certificates that every step keeps these conditions, which exclude the event: the conditions alone,
    then with those on phases, each over integers first or over bit-vectors first."""
    return tuple(
        Invariant(event, (Lemma(conjuncts, first, ()),) if conjuncts else (), False)
        for conjuncts in (tuple(texts), (*texts, *phases(case.game)))
        for first in (integers, not integers)
    )


def by_states(case: Case, event: Event, seen: Explored, rounds: int | None = None) -> Offer:
    """Return the certificate that the event is in no state, or in none up to a round."""
    if rounds is None:
        kind = CompiledExploration if seen.states > MOST_STATES else Exploration
        return (kind(event, seen.states),)
    cut = str(case.game.facts["round"]), rounds
    try:  # the kernel also counts states beyond the last round, without expanding them
        count = len(explored(case.game, MOST_STATES, case.context, cut).cells)
    except NotShown:
        return (CompiledExploration(event, max(seen.layers[rounds], MOST_STATES + 1), *cut),)
    return (Exploration(event, count, *cut),)


def of_all_states(about: About, seen: Explored) -> Offer:
    """Return the certificate that a statement holds of all states; none if they are more than the kernel goes
    through."""
    return (Exploration(about, seen.states),) if seen.states <= MOST_STATES else ()


def lines_in(certificate: Certificate) -> dict[str, tuple[int, ...]]:
    """Return the lines of play that a certificate holds, by the names of its fields."""
    names = [
        name for name, words in _LINES.items() if hasattr(certificate, name) and hasattr(certificate, words)
    ]
    return {name: getattr(certificate, name) for name in names}


def refitted(case: Case, certificate: Certificate) -> Certificate:
    """Return a certificate whose lines of another version of the game go as they do in this one."""
    changes: dict[str, Any] = {}
    for name, old in lines_in(certificate).items():
        idents = tuple(old_lines.follow(case, old).idents[: len(old)])
        changes |= {name: idents, _LINES[name]: tuple(map(case.game.show, idents))}
    made: Certificate = replace(cast(Any, certificate), **changes)
    return made


def phases(game: Game) -> list[str]:
    """Return, as conditions, which phases the game ever goes to. Steps keep these conditions
    together."""
    conditions = []
    for number, values in phase_values(game).items():
        f = game.fields[number]
        if len(values) <= f.hi - f.lo:  # the field does not take all values of its type
            conditions.append(" or ".join(f"{f.name} == {v}" for v in sorted(values)))
    return conditions


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file whole or not at all, and create its folder if necessary."""
    write_atomically(path, json_bytes(content))
