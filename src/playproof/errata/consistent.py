"""What would be if the cards that are worded alike changed in the same way as the erratum's own.

The consistent change replaces the same words and values on each relative. It exists in memory only, as a version that
builds on the erratum. A relative that says something else there keeps what it says, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from playproof.database.components import Words
from playproof.database.errors import InputError, Where
from playproof.database.families import Saying, relations
from playproof.database.game import Game, load_game, proposed
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import node_of
from playproof.database.source import Data, Node
from playproof.errata.checks import is_refused
from playproof.errata.comparison import Comparison
from playproof.errata.speech import ENGLISH, Speech

if TYPE_CHECKING:
    from playproof.errata.descriptions import Versions

_NUMBER = re.compile(r"\d+")
Path = tuple[str, ...]
_Leaf = tuple[Path, Data, Data]


@dataclass(frozen=True)
class Consistent:
    """The relatives that the same change fits, by card and option, and those that it does not fit, with what they say.
    `claims` compares the erratum alone with the erratum on all that it fits; None if nothing was asked, as where the
    rules refuse the cards."""

    fits: tuple[str, ...]
    misfits: Mapping[str, str]
    erratum: Node | None
    claims: Comparison | None = None
    refused: bool = False

    def moved(self, speech: Speech = ENGLISH) -> list[str]:
        """What the claims would answer otherwise than with the erratum alone, in sentences; none if no claim would.
        What was not asked to the end says nothing of the cards."""
        claims = self.claims or Comparison((), ())
        claims = replace(claims, after=tuple(a for a in claims.after if a.id not in claims.waiting))
        before = {answer.id: (answer.verdict, answer.value) for answer in claims.before}
        differ = [a for a in claims.after if before.get(a.id, (a.verdict, a.value)) != (a.verdict, a.value)]
        return claims.sentences(speech) if differ else []

    def as_json(self, speech: Speech = ENGLISH) -> dict[str, Any]:
        """Return the shape of `consistent` in `errata --json`."""
        claims = self.claims.as_json(speech) if self.claims else None
        return {
            "fits": list(self.fits),
            "misfits": dict(self.misfits),
            "refused": self.refused,
            "claims": claims,
        }


def consistent(ref: str, old: Game, erratum: Erratum) -> Consistent:
    """Return the same change on the relatives of an erratum's cards; `old` is the game before it."""
    wanted, texts = dict[str, dict[Path, _Leaf]](), dict[str, Saying]()
    for own, other in _relations(old, erratum):
        for change in erratum.changes:
            for leaf in _carried(old, change, own, other):
                name = other.name if other.at.isupper() else other.component
                wanted.setdefault(name, {})[leaf[0]] = leaf
                texts[name] = other
    misfits: dict[str, str] = {}
    while fits := {name: leaves for name, leaves in wanted.items() if name not in misfits}:
        parts = [(name, texts[name], leaf) for name, leaves in fits.items() for leaf in leaves.values()]
        node = _node(erratum, parts)
        try:
            with proposed(ref, node) as version:
                load_game(ref, version)
            return Consistent(tuple(fits), misfits, node)
        except InputError as error:
            blamed = {str(finding.where.file) for finding in error.findings}
            wrong = [name for name in fits if name in blamed] or fits
            misfits |= {name: texts[name].words for name in wrong}
    return Consistent((), misfits, None)


def answered(same: Consistent, versions: Versions, alone: Comparison, **limits: Any) -> Consistent:
    """Return the same change with the claims that it moves beyond the erratum alone, of which the answers are given.
    `limits` go to `claims.compare`. Where the rules refuse the cards, no claim is asked."""
    if same.erratum is None:
        return same
    # They bring the verifier, which a dossier without proofs does without.
    from playproof.errata.claims import compare
    from playproof.errata.descriptions import Versions
    from playproof.verifier.prove import claims_of

    with proposed(versions.ref, same.erratum) as version:
        if is_refused(versions.ref, version):
            return replace(same, refused=True)
        both = Versions(versions.ref, versions.new, version, claims_of(versions.ref, versions.new))
        claims = compare(both.ref, both.old, both.new, versions=both, **limits)
    before = {answer.id: answer for answer in (*claims.before, *alone.after)}
    return replace(same, claims=replace(claims, before=tuple(before.values())))


def _relations(old: Game, erratum: Erratum) -> Iterator[tuple[Saying, Saying]]:
    """Yield each text of a changed card with a text of its family on a card that does not change."""
    changed = [ident for ident in erratum.components if ident in old.components]
    for ident in changed:
        yield from (pair for pair in relations(old, ident) if pair[1].component not in changed)


def _node(erratum: Erratum, parts: Sequence[tuple[str, Saying, _Leaf]]) -> Node:
    """Return the change as an erratum that builds on the given one. Each part has its relative as its place."""
    head: dict[str, Data] = {
        "version": f"{erratum.version}+family",
        "date": erratum.date,
        "status": "proposed",
        "follows": erratum.version,
        "note": "the same change on cards worded alike",
        "changes": [],
    }
    whole = node_of(head, Where("errata"))
    changes = tuple(node_of(_written(text.component, leaf), Where(name)) for name, text, leaf in parts)
    entries = dict(whole.entries)
    entries["changes"] = entries["changes"]._replace(node=Node(changes, whole.where))
    return whole._replace(value=entries)


def _written(component: str, leaf: _Leaf) -> dict[str, Data]:
    path, old, new = leaf
    sides = {key: value for key, value in (("from", old), ("to", new)) if value is not None}
    return {"component": component, "path": ".".join(path), **sides}


def _carried(old: Game, change: Change, own: Saying, other: Saying) -> Iterator[_Leaf]:
    """Yield the parts of a change that lie in a text, as they would stand in another text of its family."""
    if (
        change.component != own.component
        or len(_path(own)) != len(_path(other))
        or bool(own.at) != bool(other.at)
    ):
        return  # of another card, or one of the two is an option, a field of effects or written words
    sides = (node.data if node else None for node in (change.old, change.new))
    start = _path(own)
    for path, before, after in _leaves(change.path, *sides):
        if path[: len(start)] != start:
            continue
        target = (*_path(other), *path[len(start) :])
        like = _text(old, other, target) if isinstance(before, str) and isinstance(after, str) else None
        if like is not None and (reworded := _reworded(str(before), str(after), like)) is not None:
            before, after = like, reworded
        yield target, before, after


def _path(saying: Saying) -> Path:
    """Return where a text stands on its card: an option by its letter, else a field."""
    return ("options", saying.at) if saying.at.isupper() else (saying.at or "text",)


def _leaves(path: Path, old: Data, new: Data) -> Iterator[_Leaf]:
    """Yield the smallest values that a change replaces, each with its path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _leaves((*path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _leaves((*path, str(number)), was, now)
    elif old != new:
        yield path, old, new


def _text(game: Game, saying: Saying, path: Path) -> str | None:
    """Return the hand-written words at a path of a text's card, None if there are none."""
    card = game.components[saying.component]
    letters = {option.letter: option.text for option in card.options}
    words = letters.get(saying.at) if saying.at else card.fields.get("text")
    if not isinstance(words, Words) or "text" not in path:
        return None
    return words.texts.get(path[-1]) or (next(iter(words.texts.values())) if path[-1] == "text" else None)


def _reworded(old: str, new: str, like: str) -> str | None:
    """Return a text like the old one in all but numbers with the same words replaced; None if it has others there.

    >>> _reworded("Gain 2 Coins, lose 2 Light.", "Gain 2 Coins, lose 1 Light.", "Gain 3 Coins, lose 2 Light.")
    'Gain 3 Coins, lose 1 Light.'
    >>> _reworded("Lose 2 Light.", "Lose 1 Light.", "Lose 3 Light.")
    """
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", like):
        return None
    was, now, words = old.split(), new.split(), like.split()
    made: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal" and words[a:b] != was[a:b]:
            return None
        made += words[a:b] if tag == "equal" else now[c:d]
    return " ".join(made)
