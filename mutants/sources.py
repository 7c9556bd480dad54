"""One source: where a changed value of a YAML file shows, in print, in the rules, or in what is refused.

What shows nowhere is said twice, or for nobody: it is to be removed, to be read, or listed in `unseen.yaml` with a
reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import InputError
from playproof.database.game import Game, load_game
from playproof.database.lint import lint
from playproof.database.source import read
from playproof.mutants.settings import settings_of
from playproof.mutants.values import Value, changed, marked
from playproof.rules.language import RulesError
from playproof.rules.options import OptionError, Options
from playproof.rules.registry import build
from playproof.verifier.kernel.digest import digest

if TYPE_CHECKING:
    from playproof.generator.book import Plays
    from playproof.generator.build.run import Builder
    from playproof.generator.scene import Face

REASONS = Path(__file__).with_name("unseen.yaml")
NOWHERE = "nowhere"


@dataclass(frozen=True)
class Shown:
    """A value and where its change shows: `refused`, `printed`, `lint`, `rules`, `book`, `listed` (with the reason), or
    `nowhere`; `how` says more."""

    value: Value
    where: str
    how: str = ""


@dataclass
class Whole:
    """A game as it is and what is made of it, against which its changed copies are held. `plays` plays the examples of
    its rulebook; without it only the rulebook's own texts are looked for."""

    ref: str
    plays: Plays | None = None
    _pieces: dict[tuple[str, str], object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cards = load_game(self.ref)
        self._old, self._new = self._builder(self.cards), self._builder(self.cards)
        self._said = {(f.code, f.message) for f in lint(self.cards)}

    def _builder(self, cards: Game) -> Builder:
        from playproof.generator.build.run import Builder
        from playproof.generator.layout.bind import Looks

        own = cards.folder / "layouts"
        return Builder(cards, Path("output"), looks=Looks(cards, own) if own.is_dir() else None)

    @cached_property
    def _digests(self) -> list[tuple[dict[str, str], dict[str, str], str]]:
        """Each setting in which claims are asked, with its description."""
        return [(s.values, s.rulings, s.digest) for s in settings_of(self.ref)]

    # -- one value ------------------------------------------------------------------------------------------

    def shows(self, value: Value) -> Shown:
        """Where a changed value shows, books left out: what is cheapest to find is asked first."""
        with changed(self.ref, value) as folder:
            try:
                cards = load_game(folder)
                printed = self._printed(cards)
                if printed:
                    return Shown(value, "printed", printed)
            except InputError as error:
                return Shown(value, "refused", error.findings[0].code)
            new = [f for f in lint(cards) if (f.code, f.message) not in self._said]
            if new:
                return Shown(value, "lint", new[0].code)
            played = self._played(cards)
            return Shown(value, "rules", played) if played else Shown(value, NOWHERE)

    def _printed(self, cards: Game) -> str:
        """The first component that is printed otherwise, in one of the languages; "" for none."""
        if list(cards.components) != list(self.cards.components):
            return "the components"
        self._new.update(cards)
        same_words = cards.vocabulary.spec == self.cards.vocabulary.spec
        for card in cards.components.values():
            was = self.cards.components[card.id]
            if same_words and self._new.print_of(card) == self._old.print_of(was):
                continue
            for language in self.cards.languages:
                known = self._pieces.get((card.id, language))
                if known is None:
                    known = self._pieces[card.id, language] = _drawn(self._old, was, language)
                if _drawn(self._new, card, language) != known:
                    return card.id
        return "a box" if cards.facts != self.cards.facts and self._boxed(self._new) != self._boxed(self._old) else ""

    def _boxed(self, builder: Builder) -> list[object]:
        """The tuckboxes."""
        boxes = [product for product in builder.products if product.box is not None]
        return [[_seen(builder, p.front) for p in builder.pieces_of(box, language)]
                for box in boxes for language in self.cards.languages]

    def _played(self, cards: Game) -> str:
        """The first setting under which the rules are others."""
        for values, rulings, known in self._digests:
            try:
                if digest(build(self.ref, Options(dict(values), dict(rulings)), cards)) != known:
                    return str({**values, **rulings} or "as it is played")
            except (RulesError, InputError, OptionError, ValueError, TypeError, KeyError, StopIteration) as error:
                return f"refused: {error}"[:80]
        return ""

    # -- books: all texts changed at once, each with a mark of its own ----------------------------------------

    def in_books(self, values: Sequence[Value]) -> set[str]:
        """The keys of those texts that booklets print."""
        found: set[str] = set()
        left = [v for v in values if self._is_text(v)]
        marks = {v.key: f"zq{n}q" for n, v in enumerate(left)}
        if not left:
            return found
        with changed(self.ref, *(marked(v, marks[v.key]) for v in left)) as folder:
            cards = load_game(folder)
            for language in self.cards.languages:
                text = _book_text(self._builder(cards), language, self.plays)
                found |= {key for key, mark in marks.items() if mark in text}
        return found


    def _is_text(self, value: Value) -> bool:
        """Whether any other words may stand there."""
        if value.was.lstrip("-").isdigit() or value.was in ("true", "false"):
            return False
        with changed(self.ref, marked(value, "zq")) as folder:
            try:
                return bool(load_game(folder).components)
            except InputError:
                return False


def _drawn(builder: Builder, card: Component, language: str) -> object:
    """All that is printed of a component: its sides, its copies, and its net."""
    pieces = builder.pieces([card], language)
    return [(_seen(builder, p.front), _seen(builder, p.back), p.count, p.title, p.pile) for p in pieces] or card.count


def _seen(builder: Builder, face: Face | None) -> str:
    """A face as text: equal text, equal picture."""
    from playproof.generator.svg import svg_text

    return "" if face is None else svg_text(face, bleed=0.0, fonts=builder.looks.fonts)


def _book_text(builder: Builder, language: str, plays: Plays | None) -> str:
    """Every word of the rulebook and the credits, spaces left out."""
    from playproof.generator.book import credits_book, rulebook_book
    from playproof.generator.book.pictures import words_on

    leaves = [*credits_book(builder.game, builder.looks, language),
              *rulebook_book(builder.game, builder.looks, language, plays)]
    return "".join("".join(words_on(leaf.face.nodes)).replace(" ", "") for leaf in leaves)


def reasons(path: Path = REASONS) -> list[tuple[str, str]]:
    """Patterns of values that need not show, with the reason for each."""
    return [(str(item.entries["values"].node.value), str(item.entries["why"].node.value)) for item in read(path).items]


def reason_for(value: Value, known: Sequence[tuple[str, str]]) -> str:
    """Why the value need not show; "" where nobody says so."""
    name = f"{value.file.stem}.{'.'.join(map(str, value.path))}"
    return next((why for pattern, why in known if fnmatchcase(name, pattern)), "")


def where_shown(ref: str, values: Sequence[Value], plays: Plays | None = None) -> Iterator[Shown]:
    """Where each of the values shows."""
    whole, known = Whole(ref, plays), reasons()
    unseen = []
    for value in values:
        shown = whole.shows(value)
        if shown.where != NOWHERE:
            yield shown
        elif why := reason_for(value, known):
            yield Shown(value, "listed", why)
        else:
            unseen.append(shown)
    books = whole.in_books([s.value for s in unseen])
    yield from (replace(s, where="book") if s.value.key in books else s for s in unseen)


def said_of(values: Sequence[Shown]) -> list[str]:
    """For people: where values show, and which show nowhere."""
    if not values:
        return []
    states = Counter(one.where for one in values)
    head = f"values: {len(values)} changed: {', '.join(f'{n} {state}' for state, n in states.most_common())}"
    return [head, *(f"  {one.value.key}: shows nowhere" for one in values if one.where == NOWHERE)]


__all__ = ["NOWHERE", "Shown", "Whole", "reasons", "said_of", "where_shown"]
