"""The dossier of a change: everything that a publisher says of an erratum, as one value; and, in words,
what a reader has to replace in a box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playproof.database.components import Words
from playproof.database.effect_text import list_ids_of_cards_with_similar_texts
from playproof.database.errors import Finding
from playproof.database.game import Game, has_rules_file
from playproof.database.lint_errata import is_spelling_or_punctuation_correction
from playproof.database.number_words import count_numbers_except_word_one
from playproof.database.patch import Change, Erratum, ErratumClass
from playproof.errata.changes import format_card_id_and_title, iter_changes_of_untranslated_file_texts
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.consistency import FamilyChange, iter_findings_of_outdated_numbers_in_texts
from playproof.errata.dossier_language import DossierLanguage
from playproof.errata.play_comparison import PlayComparisonInSetting, RungComparisonInSetting
from playproof.errata.print_differences import PrintDifferences
from playproof.errata.versions import ChangedValue, ComponentDifference, list_changes_of_files_beside_components
from playproof.generator.build.version_changes import format_errata_mark_text
from playproof.linting.played_values import list_smallest_value_changes

# The dossier of a change: everything that a publisher says of an erratum, as one value.

_WORDING = ("typo", "clarification")


@dataclass(frozen=True)
class UntranslatedChange:
    """A text that changed in some languages and stands as it was in others: at a component's path, or, if `change` is
    one, in a file."""

    component: str
    path: str
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    change: Change | None = None


@dataclass(frozen=True)
class ReplacedCopies:
    """Copies that leave or join the box. `group` is the title of their product, `name` their id and title."""

    group: str
    name: str
    count: int


@dataclass(frozen=True)
class ErratumDossier:
    """A change of a game, card by card, with what it does. `kind` is its class: as its file states it, else as it is
    read off what changes. `claims` is None if none was asked, `printed` if the faces were not compared."""

    old: Game
    new: Game
    erratum: Erratum
    language: str
    differences: tuple[ComponentDifference, ...]
    findings: tuple[Finding, ...] = ()
    claims: ClaimComparison | None = None
    played: tuple[PlayComparisonInSetting, ...] = ()
    rules_differ: bool = True
    consistent: FamilyChange | None = None
    ladder: tuple[RungComparisonInSetting, ...] = ()
    printed: PrintDifferences | None = None
    has_slips: bool = False

    @property
    def speech(self) -> DossierLanguage:
        """How the dossier speaks."""
        return DossierLanguage(self.language, self.new)

    @property
    def title(self) -> str:
        """The game's title with the version."""
        return f"{self.new.titles.text(self.language)} {self.erratum.version}"

    @property
    def mark(self) -> str:
        """What is printed on every card that this erratum changes."""
        return format_errata_mark_text(self.erratum)

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks on the new cards; several if several errata lie between the two versions."""
        return self.printed.list_version_marks_on_new_copies(self.language) if self.printed else (self.mark,)

    @property
    def cards(self) -> tuple[ComponentDifference, ...]:
        """Every component that differs, and those that print a value of one that does, in the order of the game."""
        told = {difference.id: difference for difference in self.differences}
        printed = self.printed.list_components_with_copies_to_remove_or_add(self.language) if self.printed else ()
        also = {part.id: ComponentDifference(part.id, part.old, part.new, (), ()) for part in printed}
        order = dict.fromkeys([*self.new.components, *self.old.components])
        told = {
            ident: each
            for ident, each in told.items()
            if ident in also or not (self._is_elsewhere(each) or self._is_of_notes(each))
        }
        return tuple({**also, **told}[ident] for ident in order if ident in also or ident in told)

    def _is_elsewhere(self, difference: ComponentDifference) -> bool:
        """Return whether only texts of other languages than the reader's differ."""
        others = tuple(f".{language}" for language in self.new.languages if language != self.language)
        both = difference.old is not None and difference.new is not None
        return both and not difference.texts and all(c.path.endswith(others) for c in difference.changes)

    def _is_of_notes(self, difference: ComponentDifference) -> bool:
        """Return whether only notes of the authors differ."""
        both = difference.old is not None and difference.new is not None
        return both and not difference.texts and not difference.values_for_readers

    @property
    def kind(self) -> ErratumClass:
        """The erratum's class."""
        return self.erratum.kind or self.class_from_changes

    @property
    def class_from_changes(self) -> ErratumClass:
        """The class that the changes themselves show. That a change of function is one of balance, only its author
        can say."""
        if self.rules_differ or any(False in difference.is_shown_before_and_after for difference in self.differences):
            return "function"
        if list_descriptions_of_functional_changes(self.old, self.erratum):
            return "function"
        sides = [(each.old, each.new) for difference in self.differences for each in difference.changes]
        sides += [
            (change.old and change.old.value, change.new and change.new.value)
            for change in self.erratum.changes
            if change.file
        ]
        languages = self.new.languages
        if not has_rules_file(self.new.folder) and any(_do_numbers_differ(*side, languages) for side in sides):
            return "function"  # its texts are all the rules there are
        small = sides and all(
            is_spelling_or_punctuation_correction(str(old or ""), str(new or ""), languages) for old, new in sides
        )
        return "typo" if small else "clarification"

    @property
    def copies_to_remove(self) -> list[ReplacedCopies]:
        """The old copies to take out of a box: those that print something else than the new ones, and those that have
        no place any more."""
        return [
            self._make_replaced_copies_with_product_title(
                part.kind, format_card_id_and_title(part.id, part.old, self.language, self.old), count
            )
            for part in (
                self.printed.list_components_with_copies_to_remove_or_add(self.language) if self.printed else ()
            )
            if (count := part.count_copies_to_remove(self.language))
        ]

    @property
    def copies_to_add(self) -> list[ReplacedCopies]:
        """The new copies to put into a box."""
        return [
            self._make_replaced_copies_with_product_title(
                part.kind, format_card_id_and_title(part.id, part.new, self.language, self.new), count
            )
            for part in (
                self.printed.list_components_with_copies_to_remove_or_add(self.language) if self.printed else ()
            )
            if (count := part.count_copies_to_add(self.language))
        ]

    def _make_replaced_copies_with_product_title(
        self, component_kind: str, card_id_and_title: str, count: int
    ) -> ReplacedCopies:
        product = self.printed.find_product_of_kind_or_none(component_kind) if self.printed else None
        title = product.get_product_title_or_name(self.language) if product else component_kind
        named = self.new.vocabulary.kinds[component_kind].name if component_kind in self.new.vocabulary.kinds else {}
        return ReplacedCopies(
            named.get(self.language, title) if title == component_kind else title, card_id_and_title, count
        )

    @property
    def pages(self) -> list[tuple[str, tuple[int, ...]]]:
        """The rulebooks of which pages are printed otherwise, by title, with the numbers of the pages, and without any
        those that cannot be printed."""
        books = self.printed.books if self.printed else ()
        return [(self._get_product_title(book.name), book.pages) for book in books if book.language == self.language]

    @property
    def boxes(self) -> list[str]:
        """The titles of the boxes that are printed otherwise."""
        boxes = self.printed.boxes if self.printed else ()
        return [self._get_product_title(box.name) for box in boxes if self.language in box.languages]

    def _get_product_title(self, product: str) -> str:
        assert self.printed is not None  # it names the product
        return self.printed.get_product_by_name(product).get_product_title_or_name(self.language)

    @property
    def other_languages(self) -> tuple[str, ...]:
        """The languages in which something is printed otherwise that is not in this one."""
        parts = self.printed.components if self.printed else ()
        here = {part.id for part in parts if self.language in part.languages}
        others = (each for part in parts if part.id not in here for each in part.languages)
        return tuple(dict.fromkeys(others))

    @property
    def untranslated_changes(self) -> tuple[UntranslatedChange, ...]:
        """Translations that did not follow a change."""
        languages = self.erratum.languages or self.new.languages
        of_cards = [left for d in self.differences for left in _iter_untranslated_texts_of_card(d, languages)]
        of_files = [
            UntranslatedChange(change.file, _get_text_path_without_language(change, changed), changed, behind, change)
            for change, changed, behind in iter_changes_of_untranslated_file_texts(
                self.file_changes, self.new, languages
            )
        ]
        return (*of_cards, *of_files)

    @property
    def file_changes(self) -> tuple[Change, ...]:
        """What changes beside components: values of files, and sentences of chapters."""
        return list_changes_of_files_beside_components(self.old, self.new)

    @property
    def unchanged_relatives_by_card(self) -> dict[str, tuple[str, ...]]:
        """For each card with a changed rules text, the cards whose text is made in the same way and does not change."""
        ids, family = {difference.id for difference in self.differences}, dict[str, tuple[str, ...]]()
        for difference in self.differences:
            places = {change.path for change in difference.texts}
            if any(change.path.startswith("text.") for change in difference.changes):
                places.add("")  # a text that is written by hand
            near = list_ids_of_cards_with_similar_texts(self.old, difference.id, places) if places else ()
            if others := tuple(ident for ident in near if ident not in ids):
                family[difference.id] = others
        return family

    @property
    def unchanged_relatives_by_group(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The families, each once: the changed cards that have the same relatives, and these."""
        by_others = dict[tuple[str, ...], tuple[str, ...]]()
        for ident, others in self.unchanged_relatives_by_card.items():
            by_others[others] = (*by_others.get(others, ()), ident)
        return [(ids, others) for others, ids in by_others.items()]


def _do_numbers_differ(old: object, new: object, languages: Sequence[str]) -> bool:
    """Return whether a text says other numbers than before."""
    return any(
        count_numbers_except_word_one(str(old or ""), each) != count_numbers_except_word_one(str(new or ""), each)
        for each in languages
    )


def list_descriptions_of_functional_changes(game_before: Game, erratum: Erratum) -> list[str]:
    """Return what an erratum changes that is no matter of words (an effect, a count, a cost, a limit or an icon), as
    "`count` of 12"."""
    values = list_smallest_value_changes(game_before, erratum)
    return [f"`{'.'.join(leaf.path)}` of {change.component}" for change, leaf in values if leaf.is_function]


def iter_findings_on_erratum(
    game_before: Game,
    game_after: Game,
    erratum: Erratum,
    component_differences: Sequence[ComponentDifference],
    *,
    does_play_differ: bool,
) -> Iterator[Finding]:
    """Yield what is wrong with an erratum that changes these components: its class, and numbers that its texts keep."""
    yield from iter_findings_on_erratum_class(game_before, erratum, does_play_differ=does_play_differ)
    yield from iter_findings_of_outdated_numbers_in_texts(game_before, game_after, component_differences)


def iter_findings_on_erratum_class(game_before: Game, erratum: Erratum, *, does_play_differ: bool) -> Iterator[Finding]:
    """PP812: an erratum that is said to change words only changes what happens, or one that is said to change what
    happens changes words only."""
    functions = list_descriptions_of_functional_changes(game_before, erratum)
    if erratum.kind is None or (erratum.kind in _WORDING) != (does_play_differ or bool(functions)):
        return
    if functions and not does_play_differ:
        message = f"erratum {erratum.version} is called a {erratum.kind}, and it changes {functions[0]}"
        yield Finding("PP812", erratum.get_place_of_key("class"), message, "call it `function` or `balance`")
    elif does_play_differ:
        message = f"erratum {erratum.version} is called a {erratum.kind}, and it changes what happens in play"
        yield Finding("PP812", erratum.get_place_of_key("class"), message, "call it `function` or `balance`")
    else:
        message = f"erratum {erratum.version} is called a change of {erratum.kind}, and nothing differs in play"
        hint = "call it `typo` or `clarification`"
        yield Finding("PP812", erratum.get_place_of_key("class"), message, hint, severity="warning")


def _iter_untranslated_texts_of_card(
    card_difference: ComponentDifference, languages: Sequence[str]
) -> Iterator[UntranslatedChange]:
    """Yield the texts of a card that changed in some of the languages only."""
    if card_difference.old is None or card_difference.new is None:
        return
    changed: dict[str, set[str]] = {}
    for change in card_difference.changes:
        path, _, last = change.path.rpartition(".")
        if last in languages:
            changed.setdefault(path, set()).add(last)
    for path, some in changed.items():
        texts = _get_languages_of_new_text(card_difference, path)
        behind = [language for language in languages if language in texts and language not in some]
        if behind:
            yield UntranslatedChange(card_difference.id, path, tuple(sorted(some)), tuple(behind))


def _get_text_path_without_language(change: Change, languages: Sequence[str]) -> str:
    """Return the path of a text without its language."""
    *above, last = change.path or ("",)
    return ".".join(above if last in languages else change.path)


def _get_languages_of_new_text(difference: ComponentDifference, text_path: str) -> set[str]:
    """Return the languages of a changed card's text."""
    value = difference.new.get(text_path) if difference.new else None
    return set(value.texts) if isinstance(value, Words) else set()


__all__ = ["ChangedValue", "ErratumDossier", "ReplacedCopies", "UntranslatedChange", "iter_findings_on_erratum_class"]


# -- replacement text ----------------------------------------------------------------------------------------
# What a reader has to replace in a box, in words: which copies leave, which come, and how one tells them.

TitledLines = tuple[str, list[str]]


_FEW = 10
"""So many names stand in one line at a terminal; of more, the first half."""


def iter_titles_and_lines_of_replacements(dossier: ErratumDossier) -> Iterator[TitledLines]:
    """Yield each part under its title: how to tell the cards, what to take out, what to put in, what else is printed
    otherwise. Printings are left to the caller."""
    speech = dossier.speech
    signs = list(_iter_sentences_how_to_tell_new_cards(dossier))
    if signs or dossier.erratum.printings:
        yield speech.format_message("tell"), signs
    if dossier.copies_to_remove:
        yield (speech.format_message("remove"), format_copies_one_line_per_product(dossier, dossier.copies_to_remove))
    if dossier.copies_to_add:
        how = speech.format_message("put") + (f" {speech.format_message('glue')}" if dossier.has_slips else "")
        yield (
            _format_label_of_added_copies(dossier),
            [*format_copies_one_line_per_product(dossier, dossier.copies_to_add), how],
        )
    also = list(_iter_lines_on_reprinted_pages_and_boxes(dossier))
    if also:
        yield speech.format_message("else"), also


def _format_label_of_added_copies(dossier: ErratumDossier) -> str:
    """Return the words over what is put in: in the place of what is taken out, if anything is."""
    return dossier.speech.format_message("add" if dossier.copies_to_remove else "add more")


def _iter_sentences_how_to_tell_new_cards(dossier: ErratumDossier) -> Iterator[str]:
    """Yield how one tells the new cards; a card that is folded from a net has no mark."""
    speech, printed = dossier.speech, dossier.printed
    if printed is None:
        yield speech.format_message("mark", mark=dossier.mark)
        return
    new = [
        part.new
        for part in printed.list_components_with_copies_to_remove_or_add(dossier.language)
        if part.new and part.count_copies_to_add(dossier.language)
    ]
    if dossier.marks:
        key = "mark" if all(printed.is_printed_as_card(card, dossier.language) for card in new) else "mark piece"
        yield speech.format_message(key, mark=speech.format_message("or").join(dossier.marks))
    bare = [card for card in new if not printed.after.press.get_errata_mark_to_print_or_empty(card, dossier.language)]
    if bare and dossier.marks:
        yield speech.format_message("unmarked", cards=", ".join(card.id for card in bare))
    if not dossier.copies_to_add and not dossier.copies_to_remove and not dossier.pages and not dossier.boxes:
        yield speech.format_message("nothing to replace")
    if dossier.other_languages:
        yield speech.format_message("elsewhere", languages=", ".join(dossier.other_languages))


def _iter_lines_on_reprinted_pages_and_boxes(dossier: ErratumDossier) -> Iterator[str]:
    speech = dossier.speech
    for title, pages in dossier.pages:
        key = "page" if len(pages) == 1 else "pages" if pages else "no book"
        yield speech.format_label_and_texts(title, [speech.format_message(key, pages=", ".join(map(str, pages)))])
    for title in dossier.boxes:
        yield speech.format_label_and_texts(title, [speech.format_message("box")])


def iter_terminal_lines_of_replacements(dossier: ErratumDossier) -> Iterator[str]:
    """Yield what has to be replaced, in a few lines for a terminal."""
    speech = dossier.speech
    labels = speech.format_message("remove"), _format_label_of_added_copies(dossier)
    for label, parts in zip(labels, (dossier.copies_to_remove, dossier.copies_to_add), strict=True):
        lines = format_copies_one_line_per_product(dossier, parts, _FEW)
        yield from (speech.format_label_and_texts(label[:1].lower() + label[1:], [line]) for line in lines)
    also = list(_iter_lines_on_reprinted_pages_and_boxes(dossier))
    label = speech.format_message("else")
    yield from (speech.format_label_and_texts(label[:1].lower() + label[1:], [line]) for line in also)
    if not dossier.copies_to_add and not dossier.copies_to_remove and not also:
        yield speech.format_message("nothing to replace")
    if dossier.other_languages:
        yield speech.format_message("elsewhere", languages=", ".join(dossier.other_languages))


def join_names_or_first_half(names: Sequence[str], dossier_language: DossierLanguage, max_names: int = _FEW) -> str:
    """Return names in a row, the first of them where they are many."""
    if len(names) <= max_names:
        return ", ".join(names)
    return dossier_language.format_message(
        "more", cards=", ".join(names[: max_names // 2]), count=len(names) - max_names // 2
    )


def format_copies_one_line_per_product(
    dossier: ErratumDossier, replaced_copies: Sequence[ReplacedCopies], max_names_per_line: int = 1000
) -> list[str]:
    """Return copies by their product, a line for each product: `Cards: 2 × B3-1 Mother of Pearl`."""
    speech, groups = dossier.speech, dict[str, list[str]]()
    for part in replaced_copies:
        copies = f"{speech.format_message('copy', count=part.count)} {part.name}"
        groups.setdefault(part.group, []).append(copies)
    return [
        speech.format_label_and_texts(group, [join_names_or_first_half(copies, speech, max_names_per_line)])
        for group, copies in groups.items()
    ]
