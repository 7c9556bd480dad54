"""Fields of components whose reader is another than the vocabulary says: PP831 and PP832.

The reading of cards by the rules is watched while the game is built: under its usual setting, then under each other
option, and for what is unread by then under each ruling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from playproof.database.errors import Finding
from playproof.database.field_readers import played_fields, printed_only
from playproof.database.game import Game as Cards
from playproof.language.described import described_in
from playproof.linting.played_values import Plays, Setting, reads_of


def misread_fields(ref: str, game: Cards) -> Iterator[Finding]:
    """PP831: fields that the rules never read and that are not declared to be printed only; the number of copies is
    one of them where there is more than one of a component. PP832: fields that are declared so and that the rules
    read. Nothing for an archive: it is read without its rules."""
    if described_in(ref) is not None:
        return
    expected = {
        kind: _expected(game, kind) for kind in dict.fromkeys(c.kind for c in game.components.values())
    }
    read = _read_fields(ref, game, {(kind, name) for kind, names in expected.items() for name in names})
    for kind, names in expected.items():
        unread = [name for name in names if (kind, name) not in read]
        if unread:
            yield _unread(game, kind, unread)
        for name in printed_only(game.vocabulary, kind):
            if (kind, name) in read:
                message = f"`{name}` of {kind} is declared to be printed only, and the rules read it"
                where = game.vocabulary.node.at(["kinds", kind, "fields", name]).where
                yield Finding("PP832", where, message, "declare `read_by: both`", severity="warning")


def _expected(game: Cards, kind: str) -> list[str]:
    """Return the fields of a kind that the rules should read."""
    single = all(component.count == 1 for component in game.components.values() if component.kind == kind)
    return [name for name in played_fields(game.vocabulary, kind) if not (single and name == "count")]


def _unread(game: Cards, kind: str, names: Sequence[str]) -> Finding:
    where = game.vocabulary.node.at(["kinds", kind]).where
    called = ", ".join(f"`{name}`" for name in names)
    message = f"the rules never read {called} of {kind}: an erratum of it would be printed and not played"
    keys = dict.fromkeys("`count_read_by: print`" if n == "count" else "`read_by: print`" for n in names)
    hint = f"read it in the rules, or declare {' and '.join(keys)} for what is only printed"
    return Finding("PP831", where, message, hint, severity="warning")


def _read_fields(ref: str, game: Cards, expected: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the fields that the rules read, by their kind. Settings are tried until all that is expected is read."""
    read = set[tuple[str, str]]()
    settings: list[Setting] = [({}, {})]
    for setting in chain(settings, (each for n, each in enumerate(Plays(ref, game).settings()) if n)):
        read |= reads_of(ref, game, [setting]).fields
        if expected <= read:
            break
    return read
