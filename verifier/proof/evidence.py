"""Certificates of what methods find, and a function that writes a file whole.

Methods offer the kernel, for each statement, the certificates that may show it, likeliest first. Only one that it
accepts counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from playproof.database.files import format_json_bytes, write_atomically
from playproof.language.explorer import Exploration as Explored
from playproof.language.game import Game
from playproof.language.phases import compute_phase_values
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.exploration import MOST_STATES, CompiledExploration, Exploration, explore_game
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Event, Subject
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.search import old_lines
from playproof.verifier.search.case import GameCase

_LINES = {"idents": "words", "line": "words", "other": "others"}
"""Where certificates hold lines of play, and where the same in words."""
CertificateOffer = tuple[Certificate, ...]
"""Certificates that may show one statement, likeliest first."""


@dataclass(frozen=True)
class MethodProof:
    """What a method shows: its name, the certificates for the kernel, and in the game's words why it is so, if the
    method says that."""

    method: str
    offer: CertificateOffer
    because: str = ""


def build_transcript(case: GameCase, statement: Subject, idents: Sequence[int]) -> Transcript:
    """Return the certificate of a line of play. If it is about an action, that is the last of the line."""
    line = tuple(int(ident) for ident in idents)
    return Transcript(statement, line, tuple(map(case.game.show, line)))


def build_invariants_excluding_event(
    case: GameCase, event: Event, conditions: Sequence[str], integers: bool = True
) -> CertificateOffer:
    """Return certificates that every step keeps these conditions, which exclude the event: the conditions alone,
    then with those on phases, each over integers first or over bit-vectors first."""
    return tuple(
        Invariant(event, (Lemma(conjuncts, first, ()),) if conjuncts else (), False)
        for conjuncts in (tuple(conditions), (*conditions, *build_reachable_phase_conditions(case.game)))
        for first in (integers, not integers)
    )


def build_exploration_excluding_event(
    case: GameCase, event: Event, seen: Explored, rounds: int | None = None
) -> CertificateOffer:
    """Return the certificate that the event is in no state, or in none up to a round."""
    if rounds is None:
        kind = CompiledExploration if seen.states > MOST_STATES else Exploration
        return (kind(event, seen.states),)
    cut = str(case.game.facts["round"]), rounds
    try:  # the kernel also counts states beyond the last round, without expanding them
        count = len(explore_game(case.game, MOST_STATES, case.context, cut).cells)
    except NotShown:
        return (CompiledExploration(event, max(seen.layers[rounds], MOST_STATES + 1), *cut),)
    return (Exploration(event, count, *cut),)


def build_exploration_of_all_states(statement: Subject, seen: Explored) -> CertificateOffer:
    """Return the certificate that a statement holds of all states; none if they are more than the kernel goes
    through."""
    return (Exploration(statement, seen.states),) if seen.states <= MOST_STATES else ()


def extract_certificate_lines(certificate: Certificate) -> dict[str, tuple[int, ...]]:
    """Return the lines of play that a certificate holds, by the names of its fields."""
    names = [
        name for name, words in _LINES.items() if hasattr(certificate, name) and hasattr(certificate, words)
    ]
    return {name: getattr(certificate, name) for name in names}


def adapt_certificate_lines_to_case(case: GameCase, certificate: Certificate) -> Certificate:
    """Return a certificate whose lines of another version of the game go as they do in this one."""
    changes: dict[str, Any] = {}
    for name, old in extract_certificate_lines(certificate).items():
        idents = tuple(old_lines.replay_old_line(case, old).idents[: len(old)])
        changes |= {name: idents, _LINES[name]: tuple(map(case.game.show, idents))}
    made: Certificate = replace(cast(Any, certificate), **changes)
    return made


def build_reachable_phase_conditions(game: Game) -> list[str]:
    """Return, as conditions, which phases the game ever goes to. Steps keep these conditions
    together."""
    conditions = []
    for number, values in compute_phase_values(game).items():
        f = game.fields[number]
        if len(values) <= f.hi - f.lo:  # the field does not take all values of its type
            conditions.append(" or ".join(f"{f.name} == {v}" for v in sorted(values)))
    return conditions


def write_json_file(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file whole or not at all, and create its folder if necessary."""
    write_atomically(path, format_json_bytes(content))
