"""The dossier of a change: everything that a publisher says of an erratum, as one value.

`page.py`, `post.py` and `sheets.py` show it; `machine.py` writes it for card databases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playproof.database.components import Words
from playproof.database.errors import Finding
from playproof.database.families import relatives
from playproof.database.game import Game
from playproof.database.patch import Class, Erratum
from playproof.errata.changed_cards import called, mark_of
from playproof.errata.claims import Comparison
from playproof.errata.consistent import Consistent
from playproof.errata.play import Climbed, PlayComparison
from playproof.errata.speech import Speech
from playproof.errata.versions import Changed, Difference
from playproof.errata.word_changes import is_typo
from playproof.linting.played_values import smallest_values

_WORDING = ("typo", "clarification")


@dataclass(frozen=True)
class LeftBehind:
    """A text that changed in some languages and stands as it was in others."""

    component: str
    path: str
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]


@dataclass(frozen=True)
class Dossier:
    """A change of a game, card by card, with what it does. `kind` is its class: as its file states it, else as it is
    read off what changes. `claims` is None if none was asked."""

    old: Game
    new: Game
    erratum: Erratum
    language: str
    differences: tuple[Difference, ...]
    findings: tuple[Finding, ...] = ()
    claims: Comparison | None = None
    played: tuple[PlayComparison, ...] = ()
    rules_differ: bool = True
    consistent: Consistent | None = None
    ladder: tuple[Climbed, ...] = ()

    @property
    def speech(self) -> Speech:
        """How the dossier speaks."""
        return Speech(self.language, self.new)

    @property
    def title(self) -> str:
        """The game's title with the version."""
        return f"{self.new.titles.text(self.language)} {self.erratum.version}"

    @property
    def mark(self) -> str:
        """What is printed on every changed card."""
        return mark_of(self.erratum)

    @property
    def kind(self) -> Class:
        """The erratum's class."""
        return self.erratum.kind or self.kind_as_read

    @property
    def kind_as_read(self) -> Class:
        """The class that the changes themselves show. That a change of function is one of balance, only its author
        can say."""
        if self.rules_differ or any(False in difference.shown for difference in self.differences):
            return "function"
        if function_changes(self.old, self.erratum):
            return "function"
        texts = [change for difference in self.differences for change in difference.changes]
        small = all(is_typo(str(change.old or ""), str(change.new or "")) for change in texts)
        return "typo" if small else "clarification"

    @property
    def removed(self) -> list[tuple[str, int]]:
        """The old cards to take out of a box, with the number of copies."""
        return [
            (called_old(d, self.language, self.old), d.old.count)
            for d in self.differences
            if d.old and d.old.count
        ]

    @property
    def replaced(self) -> bool:
        """Whether new cards come in for old ones."""
        return any(d.new is not None and d.new.count for d in self.differences)

    @property
    def left_behind(self) -> tuple[LeftBehind, ...]:
        """Translations that did not follow a change."""
        languages = self.erratum.languages or self.new.languages
        return tuple(left for d in self.differences for left in _left_behind(d, languages))

    @property
    def family(self) -> dict[str, tuple[str, ...]]:
        """For each changed card, the cards whose text is made in the same way and that do not change with it."""
        ids = {difference.id for difference in self.differences}
        near = {difference.id: relatives(self.old, difference.id) for difference in self.differences}
        return {
            ident: others
            for ident, all_ in near.items()
            if (others := tuple(i for i in all_ if i not in ids))
        }


def called_old(difference: Difference, language: str, game: Game | None = None) -> str:
    """Return a card's id and title as they were before."""
    return called(Difference(difference.id, difference.old, None, (), ()), language, game)


def function_changes(old: Game, erratum: Erratum) -> list[str]:
    """Return what an erratum changes that is no matter of words (an effect, a count, a cost, a limit or an icon), as
    "`count` of 12"."""
    values = smallest_values(old, erratum)
    return [f"`{'.'.join(leaf.path)}` of {change.component}" for change, leaf in values if leaf.is_function]


def class_findings(old: Game, erratum: Erratum, *, rules_differ: bool) -> Iterator[Finding]:
    """PP812: an erratum that is said to change words only changes what happens, or one that is said to change what
    happens changes words only."""
    functions = function_changes(old, erratum)
    if erratum.kind is None or (erratum.kind in _WORDING) != (rules_differ or bool(functions)):
        return
    if functions and not rules_differ:
        message = f"erratum {erratum.version} is called a {erratum.kind}, and it changes {functions[0]}"
        yield Finding("PP812", erratum.place("class"), message, "call it `function` or `balance`")
    elif rules_differ:
        message = f"erratum {erratum.version} is called a {erratum.kind}, and it changes what happens in play"
        yield Finding("PP812", erratum.place("class"), message, "call it `function` or `balance`")
    else:
        message = (
            f"erratum {erratum.version} is called a change of {erratum.kind}, and nothing differs in play"
        )
        hint = "call it `typo` or `clarification`"
        yield Finding("PP812", erratum.place("class"), message, hint, severity="warning")


def _left_behind(difference: Difference, languages: Sequence[str]) -> Iterator[LeftBehind]:
    """Yield the texts of a card that changed in some of the languages only."""
    if difference.old is None or difference.new is None:
        return
    changed: dict[str, set[str]] = {}
    for change in difference.changes:
        path, _, last = change.path.rpartition(".")
        if last in languages:
            changed.setdefault(path, set()).add(last)
    for path, some in changed.items():
        texts = _texts_at(difference, path)
        behind = [language for language in languages if language in texts and language not in some]
        if behind:
            yield LeftBehind(difference.id, path, tuple(sorted(some)), tuple(behind))


def _texts_at(difference: Difference, path: str) -> set[str]:
    """Return the languages of a changed card's text."""
    value = difference.new.get(path) if difference.new else None
    return set(value.texts) if isinstance(value, Words) else set()


__all__ = ["Changed", "Dossier", "LeftBehind", "called_old", "class_findings"]
