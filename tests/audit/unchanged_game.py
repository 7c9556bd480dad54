"""A game and everything made from it, compared with the game after one value has changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import Finding, InputError
from playproof.database.game import Game, load_game
from playproof.database.lint import lint
from playproof.database.source import YamlNode, enable_cache_of_parsed_files, read_yaml_file
from playproof.generator.book.chapter_numbers import list_sorted_number_errors_in_chapters
from playproof.generator.playability import list_playability_problems_sorted_by_place
from playproof.language import RulesError
from playproof.language.description import digest
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from playproof.linting.played_values import REFUSALS
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.mutation.claim_settings import ClaimSetting, list_claim_settings_most_claims_first
from tests.audit.audited_values import AuditedValue, as_written, marked, reading
from tests.audit.compared_scenes import Tables
from tests.audit.prints import alike

if TYPE_CHECKING:
    from playproof.generator.book import RecordedGamePlayer
    from playproof.generator.build.products import Product
    from playproof.generator.build.run import Builder
    from playproof.generator.layout.layout_renderer import LayoutRenderer

NOWHERE, BROKE = "nowhere", "broke"
REASONS = Path(__file__).with_name("unseen.yaml")
"""The file of values that need not show, each with the reason."""
Way = tuple[bool, str, Callable[[], str]]
"""Whether a check is expensive, its name, and the check itself, which returns where it found a
difference, or ""."""
CHOOSE = ("kind", "extends", "if", "net", "book", "variants")
"""Keys of a layout that decide which components it draws."""
_RULING = re.compile(r"rulings\.(\w+)")
PAPERS = ("A4", "Letter")
FEW = 2
"""The number of components of each kind that are drawn before any other check."""


@dataclass(frozen=True)
class Shown:
    """A value and where its change shows.

    `where` is `refused`, `printed`, `lint`, `rules`, `table`, `book`, `listed` (with the reason),
    `nowhere`, or `broke` if an unexpected error is raised. `how` gives details.
    """

    value: AuditedValue
    where: str
    how: str = ""


class Whole:
    """The unchanged game and what is made from it, to compare with the game after a value has
    changed.

    `plays` makes the object that plays the rulebook's examples; without it, only the rulebook's own
    texts are searched.
    """

    def __init__(self, ref: str, plays: Callable[[], RecordedGamePlayer] | None = None) -> None:
        enable_cache_of_parsed_files()
        self.ref = ref
        self.plays = plays
        self.cards = load_game(ref)
        self.looks = self._looks()
        self._old = self._builder(self.cards, self.looks)
        self._new = self._builder(self.cards, self._looks())
        self._pieces: dict[tuple[str, str, bool], object] = {}
        self._books: dict[tuple[str, str], object] = {}
        self._files: dict[tuple[str, str], list[bytes]] = {}
        self._by_ruling: dict[tuple[str, str], Builder] = {}

    # -- one value ------------------------------------------------------------------------------------------

    def shows(self, value: AuditedValue, *, thorough: bool = True) -> Shown:
        """Return where a changed value shows. Cheap checks come first, and expensive ones run only
        if `thorough`. A value whose first replacement shows nowhere is tried again with its second,
        if `thorough`."""
        shown = self._shows(value, thorough)
        if shown.where != NOWHERE or not value.again or not thorough:
            return shown
        return replace(self._shows(replace(value, other=value.again), thorough), value=value)

    def _shows(self, value: AuditedValue, thorough: bool) -> Shown:
        found = (NOWHERE, "")
        with reading(value):
            try:
                for dear, where, look in self._ways(value):
                    if dear and not thorough:
                        break
                    how = look()
                    if how:
                        found = (where, how)
                        break
            except InputError as error:
                found = ("refused", error.findings[0].code)
            except (RulesError, OptionError) as error:
                found = ("refused", str(error)[:80])
            except Exception as error:  # a value that a person may type makes a program fail
                found = (BROKE, f"{type(error).__name__}: {error}"[:160])
        return Shown(value, *found)

    def _ways(self, value: AuditedValue) -> Iterable[Way]:
        """Return the checks that may show a value of its file, cheapest first."""
        if value.file.name == "build.yaml":
            return [(False, "printed", lambda: self._made_otherwise(str(value.path[1])))]
        if value.file.name == "table.yaml":
            return [
                (False, "table", lambda: self._tables.differs(self.looks)),
                (True, "table", lambda: self._otherwise_ruled.differs(self.looks)),
            ]
        if value.file.name == "credits.yaml":
            return [(False, "book", lambda: self._book("credits", self.looks))]
        if value.folder:
            return self._ways_of_layouts(value)
        return self._ways_of_cards()

    # -- cards ----------------------------------------------------------------------------------------------

    def _ways_of_cards(self) -> Iterator[Way]:
        cards = load_game(self.ref)
        changed = self._changed(cards)
        few = [card for card in changed if self._turn.get(card.id, (0, 0))[0] < FEW]
        yield False, "printed", lambda: self._printed_cards(cards, few)
        yield False, "lint", lambda: self._found([*lint(cards), *list_sorted_number_errors_in_chapters(cards)])
        yield True, "printed", lambda: self._printed_cards(cards, changed)
        yield True, "rules", lambda: self._played(cards)
        yield True, "lint", lambda: self._found(list_all_lint_findings_of_game(self.ref))
        yield True, "table", lambda: self._tables.differs(self._looks(cards))

    def _changed(self, cards: Game) -> list[Component]:
        """Return the components whose print may differ, one of each kind before a second of any."""
        self._new.press.replace_game_by_newer_reading(cards)
        same_words = cards.vocabulary.spec == self.cards.vocabulary.spec
        every = cards.components.values()
        known = self.cards.components
        return sorted(
            (
                card
                for card in every
                if card.id not in known
                or not same_words
                or self._new.press.hash_printed_content_with_mark(card)
                != self._old.press.hash_printed_content_with_mark(known[card.id])
            ),
            key=lambda card: self._turn.get(card.id, (0, 0)),
        )

    def _printed_cards(self, cards: Game, some: Sequence[Component]) -> str:
        """Return the first of these components whose print differs in some language, else a tuckbox
        that does; "" if none."""
        if list(cards.components) != list(self.cards.components):
            return "the components"
        for card in some:
            was = self.cards.components[card.id]
            for language in self.cards.languages:
                if not alike(_pieces(self._new, card, language, False), self._piece(was, language, False)):
                    return card.id
        if cards.facts == self.cards.facts and cards.titles == self.cards.titles:
            return ""
        return self._boxed(self._new)

    def _piece(self, card: Component, language: str, low_ink: bool) -> object:
        """Return the unchanged print of a component, drawn once."""
        key = card.id, language, low_ink
        if key not in self._pieces:
            with as_written():
                self._pieces[key] = _pieces(self._old, card, language, low_ink)
        return self._pieces[key]

    def _box(self, builder: Builder, product: Product) -> bool:
        """Return whether a tuckbox differs."""
        return any(
            not alike(
                builder.press.build_all_pieces_of_product(product, language), self._was_box(product.name, language)
            )
            for language in self.cards.languages
        )

    def _was_box(self, name: str, language: str) -> object:
        key = name, language, False
        if key not in self._pieces:
            [product] = [one for one in self._old.press.products if one.name == name]
            with as_written():
                self._pieces[key] = self._old.press.build_all_pieces_of_product(product, language)
        return self._pieces[key]

    def _found(self, findings: Iterable[Finding]) -> str:
        """Return the code of the first new finding, or ""."""
        return next((f.code for f in findings if (f.code, f.message) not in self._said), "")

    @cached_property
    def _said(self) -> set[tuple[str, str]]:
        with as_written():
            return {(f.code, f.message) for f in list_all_lint_findings_of_game(self.ref)}

    def _played(self, cards: Game) -> str:
        """Return the first setting under which the rules differ, or ""."""
        for setting in self._settings:
            try:
                options = Options(dict(setting.values), dict(setting.rulings))
                if digest(build(self.ref, options, cards)) != setting.digest:
                    return setting.name
            except REFUSALS as error:
                return f"refused: {error}"[:80]
        return ""

    @cached_property
    def _settings(self) -> list[ClaimSetting]:
        with as_written():
            settings = list_claim_settings_most_claims_first(self.ref)
            _ = [setting.digest for setting in settings]
        return settings

    @cached_property
    def _tables(self) -> Tables:
        known = [setting.values for setting in self._settings]
        single = [{name: str(value)} for name, switch in self.cards.facts.options.items() for value in switch.values]
        more = [ClaimSetting(self.ref, values, {}, []) for values in single if values not in known]
        tables = Tables([*self._settings, *more], self.cards.languages)
        with as_written():
            tables.start(self.looks)
        return tables

    @cached_property
    def _otherwise_ruled(self) -> Tables:
        """The tables under each ruling that is not the rulebook's default."""
        with as_written():
            others = [
                ClaimSetting(self.ref, {}, {ruling.id: option}, [])
                for ruling in self.cards.rulings.values()
                for option in ruling.options
                if option != ruling.default
            ]
            tables = Tables(others, self.cards.languages[:1])
            tables.start(self.looks)
        return tables

    # -- layouts --------------------------------------------------------------------------------------------

    def _ways_of_layouts(self, value: AuditedValue) -> Iterator[Way]:
        looks = self._looks()
        builder = self._builder(self.cards, looks)
        named = [self.cards.components[key] for key in map(str, value.path) if key in self.cards.components]
        file = value.file.stem
        mine = self._of(self._drawn_by(file) if value.path[0] not in CHOOSE else set(self.cards.vocabulary.kinds))
        yield False, "printed", lambda: self._printed_looks(builder, named, False)
        yield False, "printed", lambda: self._printed_looks(builder, mine, False)
        if any(file in self._line(name) for name in self.looks.boxes):
            yield False, "printed", lambda: self._boxed(builder)
        if self.looks.book is not None and file in self._line(self.looks.book.name.rpartition(".")[2]):
            yield False, "book", lambda: self._book("credits", looks)
            yield True, "book", lambda: self._book("rulebook", looks)
        yield True, "printed", lambda: self._printed_looks(builder, mine, True)
        yield True, "printed", lambda: self._read_otherwise(value, mine)
        yield True, "lint", lambda: self._found(list_playability_problems_sorted_by_place(self.cards, looks))
        if value.path[0] in ("tables", "size"):
            yield True, "table", lambda: self._tables.differs(looks)

    def _of(self, kinds: set[str]) -> list[Component]:
        return sorted(self.cards.of_kind(*kinds), key=lambda c: self._turn[c.id])

    def _printed_looks(self, builder: Builder, cards: Sequence[Component], low_ink: bool) -> str:
        """Return the first component whose print differs, or ""."""
        for card in cards:
            for language in self.cards.languages:
                if not alike(_pieces(builder, card, language, low_ink), self._piece(card, language, low_ink)):
                    return f"{card.id}{', low ink' if low_ink else ''}"
        return ""

    def _read_otherwise(self, value: AuditedValue, cards: Sequence[Component]) -> str:
        """Return the first ruling that the layouts mention and under which some component's print
        differs, or ""."""
        asked = set(_RULING.findall(value.file.read_text(encoding="utf-8"))) & set(self.cards.rulings)
        for name in sorted(asked):
            ruling = self.cards.rulings[name]
            for option in sorted(set(ruling.options) - {ruling.default}):
                if (name, option) not in self._by_ruling:
                    with as_written():
                        self._by_ruling[name, option] = self._builder(self.cards, self._looks(rulings={name: option}))
                old, new = self._by_ruling[name, option], self._looks(rulings={name: option})
                now = self._builder(self.cards, new)
                if any(
                    not alike(_pieces(now, card, language, False), _pieces(old, card, language, False))
                    for card in cards
                    for language in self.cards.languages
                ):
                    return f"{name}={option}"
        return ""

    def _boxed(self, builder: Builder) -> str:
        """Return the first tuckbox that differs, or ""."""
        return next((p.name for p in builder.press.products if p.box is not None and self._box(builder, p)), "")

    @cached_property
    def _turn(self) -> dict[str, tuple[int, int]]:
        """Each component's sort key: one component of each kind comes before a second of any."""
        seen = Counter[str]()
        turns = {}
        for number, card in enumerate(self.cards.components.values()):
            turns[card.id] = (seen[card.kind], number)
            seen[card.kind] += 1
        return turns

    def _drawn_by(self, file: str) -> set[str]:
        """Return the kinds of component whose layouts read a file."""
        if file in self._layouts:
            return {one.kind for one in self.looks.layouts if file in self._line(one.name.rpartition(".")[2])}
        return set(self.cards.vocabulary.kinds)  # a world's file, or one that all games share

    def _line(self, layout: str) -> list[str]:
        """Return a layout's file and all files that it extends."""
        line = [layout]
        while line[-1] in self._layouts and (above := self._layouts[line[-1]].get("extends")) is not None:
            line.append(str(above.value))
        return line

    @cached_property
    def _layouts(self) -> dict[str, YamlNode]:
        with as_written():
            return {path.stem: read_yaml_file(path) for path in self.looks.folder.glob("*.yaml")}

    def _book(self, name: str, looks: LayoutRenderer) -> str:
        """Return the first language in which a booklet differs; "" if none does or the game has no
        such booklet."""
        if not any(product.book == name for product in self._old.press.products):
            return ""
        self._bound(name)
        for language in self.cards.languages:
            if not alike(self._leaves(name, looks, language), self._books[name, language]):
                return f"{name}, {language}"
        return ""

    def _bound(self, name: str) -> None:
        """Make the unchanged booklet, once."""
        if any(product.book == name for product in self._old.press.products):
            for language in self.cards.languages:
                if (name, language) not in self._books:
                    with as_written():
                        self._books[name, language] = self._leaves(name, self.looks, language)

    def _leaves(self, name: str, looks: LayoutRenderer, language: str) -> object:
        from playproof.generator.book import build_credits_pages, build_rulebook_pages_or_raise

        if name == "credits":
            return build_credits_pages(self.cards, looks, language)
        return build_rulebook_pages_or_raise(self.cards, looks, language, self.plays() if self.plays else None)

    def _looks(self, cards: Game | None = None, rulings: Mapping[str, str] | None = None) -> LayoutRenderer:
        from playproof.generator.layout.layout_renderer import LayoutRenderer

        known = getattr(self, "looks", None)
        fonts = known.fonts if known is not None else None
        looks = LayoutRenderer(cards or self.cards, fonts=fonts, rulings=rulings)
        if known is not None:
            looks.icons = known.icons  # no YAML file describes them
        return looks

    # -- products -------------------------------------------------------------------------------------------

    def _made_otherwise(self, product: str) -> str:
        """Return the product and the first language in which its files differ, or ""."""
        new = self._builder(self.cards, self.looks)
        for language in self.cards.languages:
            key = product, language
            if key not in self._files:
                with as_written():
                    self._files[key] = list(_files(self._old, product, language))
            made = _files(new, product, language)
            if any(one != other for one, other in zip_longest(made, self._files[key])):
                return f"{product}, {language}"
        return ""

    def _builder(self, cards: Game, looks: LayoutRenderer) -> Builder:
        from playproof.generator.build.run import Builder

        return Builder(cards, Path("output"), looks=looks, plays=self.plays() if self.plays else None)

    @cached_property
    def state(self) -> str:
        """A digest of the files and the code that decide where a value shows."""
        from playproof.generator.build.file_jobs import (
            hash_file_names_and_contents,
            hash_generator_code,
            hash_joined_parts_as_sha256_hex,
        )

        files = {path for folder in (self.cards.folder, self.looks.folder) for path in folder.rglob("*.*")}
        rules = [setting.digest for setting in self._settings]
        return hash_joined_parts_as_sha256_hex(
            hash_generator_code(),
            hash_file_names_and_contents(path for path in files if path.is_file()),
            hash_file_names_and_contents([REASONS]),
            *rules,
        )

    # -- before processes fork ------------------------------------------------------------------------------

    def start(self, values: Sequence[AuditedValue]) -> None:
        """Make the parts of the unchanged game that these values need, before child processes
        start."""
        _ = self._turn, self._said, self._layouts
        if any(not value.folder for value in values):
            _ = [setting.digest for setting in self._settings]
        if any(value.folder for value in values):
            self._bound("credits")
            self._bound("rulebook")
        for product in self._old.press.products:
            if any(v.file.name == "build.yaml" and product.name in v.path for v in values):
                self._made_otherwise(product.name)
        _ = self._tables

    # -- books: all texts are changed at once, each with its own mark -----------------------------------------

    def in_books(self, values: Sequence[AuditedValue]) -> set[str]:
        """Return the keys of those values that booklets print as text."""
        found: set[str] = set()
        left = [v for v in values if not v.folder and self._is_text(v)]
        marks = {v.key: f"zq{n}q" for n, v in enumerate(left)}
        if not left:
            return found
        with reading(*(marked(v, marks[v.key]) for v in left)):
            cards = load_game(self.ref)
            looks = self._looks(cards)
            for language in self.cards.languages:
                text = _book_text(cards, looks, language, self.plays() if self.plays else None)
                found |= {key for key, mark in marks.items() if mark in text}
        return found

    def _is_text(self, value: AuditedValue) -> bool:
        """Return whether the value may be replaced by any other words."""
        if value.was.lstrip("-").isdigit() or value.was in ("true", "false"):
            return False
        with reading(marked(value, "zq")):
            try:
                return bool(load_game(self.ref).components)
            except InputError:
                return False


def _pieces(builder: Builder, card: Component, language: str, low_ink: bool) -> object:
    """Return all that is printed of a component: its sides, its copies, and its net."""
    return builder.press.build_pieces_of_components_or_raise([card], language, low_ink) or card.count


def _files(builder: Builder, product: str, language: str) -> Iterator[bytes]:
    """Yield the files of a product; none if it no longer exists."""
    for paper in PAPERS:
        for job in builder.list_file_jobs_or_raise(papers=(paper,), languages=(language,), products=(product,)):
            yield job.make()[0]


def _book_text(game: Game, looks: LayoutRenderer, language: str, plays: RecordedGamePlayer | None) -> str:
    """Return every word of the rulebook and the credits, without spaces."""
    from playproof.generator.book import build_credits_pages, build_rulebook_pages_or_raise
    from playproof.generator.book.face_pictures import iter_texts_and_icon_names_as_drawn

    leaves = [*build_credits_pages(game, looks, language), *build_rulebook_pages_or_raise(game, looks, language, plays)]
    return "".join("".join(iter_texts_and_icon_names_as_drawn(leaf.face.nodes)).replace(" ", "") for leaf in leaves)
