"""Fields of components whose reader is another than the vocabulary says: PP831 and PP832.

The reading of cards by the rules is watched while the game is built: under its usual setting, then under each other
option, and for what is unread by then under each ruling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from playproof.database.errors import Finding
from playproof.database.field_readers import get_printed_only_fields, iter_played_fields
from playproof.database.game import Game as Cards
from playproof.language.described import load_description_folder
from playproof.linting.played_values import OptionsAndRulings, PlayDigests, record_card_reads


def find_misread_fields(ref: str, game: Cards) -> Iterator[Finding]:
    """PP831: fields that the rules never read and that are not declared to be printed only; the number of copies is
    one of them where there is more than one of a component. PP832: fields that are declared so and that the rules
    read. Nothing for an archive: it is read without its rules."""
    if load_description_folder(ref) is not None:
        return
    expected = {
        kind: _fields_rules_should_read(game, kind)
        for kind in dict.fromkeys(c.kind for c in game.components.values())
    }
    read = _find_fields_read(ref, game, {(kind, name) for kind, names in expected.items() for name in names})
    for kind, names in expected.items():
        unread = [name for name in names if (kind, name) not in read]
        if unread:
            yield _unread_fields_finding(game, kind, unread)
        for name in get_printed_only_fields(game.vocabulary, kind):
            if (kind, name) in read:
                message = f"`{name}` of {kind} is declared to be printed only, and the rules read it"
                where = game.vocabulary.node.get_nearest(["kinds", kind, "fields", name]).where
                yield Finding("PP832", where, message, "declare `read_by: both`", severity="warning")


def _fields_rules_should_read(game: Cards, kind: str) -> list[str]:
    """Return the fields of a kind that the rules should read."""
    single = all(component.count == 1 for component in game.components.values() if component.kind == kind)
    return [name for name in iter_played_fields(game.vocabulary, kind) if not (single and name == "count")]


def _unread_fields_finding(game: Cards, kind: str, names: Sequence[str]) -> Finding:
    where = game.vocabulary.node.get_nearest(["kinds", kind]).where
    called = ", ".join(f"`{name}`" for name in names)
    message = f"the rules never read {called} of {kind}: an erratum of it would be printed and not played"
    keys = dict.fromkeys("`count_read_by: print`" if n == "count" else "`read_by: print`" for n in names)
    hint = f"read it in the rules, or declare {' and '.join(keys)} for what is only printed"
    return Finding("PP831", where, message, hint, severity="warning")


def _find_fields_read(ref: str, game: Cards, expected: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the fields that the rules read, by their kind. Settings are tried until all that is expected is read."""
    read = set[tuple[str, str]]()
    settings: list[OptionsAndRulings] = [({}, {})]
    for setting in chain(
        settings, (each for n, each in enumerate(PlayDigests(ref, game).iter_settings()) if n)
    ):
        read |= record_card_reads(ref, game, [setting]).fields
        if expected <= read:
            break
    return read
