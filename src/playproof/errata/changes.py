"""What changed: the cards in words, as pictures and as sheets of only these; numbers, rules, sentences of
chapters and rulings in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from playproof.database.components import Component
from playproof.database.errors import FindingCollector
from playproof.database.files import write_file_atomically
from playproof.database.game import Game
from playproof.database.patch import Change, Erratum
from playproof.database.patch_targets import FILES
from playproof.database.rulebook_text import list_rulebook_files_in_reading_order
from playproof.database.sheet_cells import format_as_one_line_yaml, format_id_and_title
from playproof.database.source import YamlNode
from playproof.errata.dossier_language import DossierLanguage
from playproof.generator.exports.raster import build_page_of_face_and_bleed, iter_pdf_pages_as_png
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.sheets import (
    build_pages_of_tiled_board,
    impose_pieces_on_pages,
    parse_paper_name_or_size_or_raise,
    read_printer_offsets_or_empty,
    read_sheet_plan_by_name_or_raise,
)

if TYPE_CHECKING:
    from playproof.errata.versions import ChangedValue, ComponentDifference
    from playproof.generator.build.run import Builder
    from playproof.generator.scene import Face, Rect
    from playproof.generator.sheets.slots import Size


# -- changed cards -------------------------------------------------------------------------------------------
# The changed cards: in words, as pictures, and as sheets of only these, each marked with the version.

_DOTS = 110.0  # an inch, for pictures on screen
_CHAPTER_ROLE = re.compile(r" ?\{(?:rule|index)\}`[^`]*`|\{\w+\}`([^`]*)`")
"""What a chapter refers to or computes: a reader gets no rules and entries of the index, and of others the words."""


def write_pdfs_of_changed_cards_per_paper(
    builder: Builder,
    copies_by_card_id: Mapping[str, int],
    output_folder: Path,
    papers: Sequence[str],
    language: str,
    title: str,
) -> list[Path]:
    """Write one PDF per paper with the new copies of components, by id; boards on as many sheets as they need. Return
    the paths; none if there is nothing to print."""
    press = builder.press
    cards = [press.game.components[ident] for ident, count in copies_by_card_id.items() if count]
    pieces = [
        replace(piece, count=piece.count * copies_by_card_id[card.id] // card.count)
        for card in cards
        for piece in press.build_pieces_of_components_or_raise([card], language)
    ]
    made = []
    for name in papers if pieces else ():
        sheet = parse_paper_name_or_size_or_raise(name).portrait
        fitting = [piece for piece in pieces if can_fit_on_sheet_either_way_round(piece.front, sheet)]
        pages = []
        if fitting:
            home = read_sheet_plan_by_name_or_raise("home", target_paper=parse_paper_name_or_size_or_raise(name))
            pages += impose_pieces_on_pages(
                fitting, home, title=title, printer=read_printer_offsets_or_empty(), language=language
            )
        for piece in pieces:
            if piece not in fitting:
                pages += build_pages_of_tiled_board(
                    piece,
                    read_sheet_plan_by_name_or_raise("board", target_paper=parse_paper_name_or_size_or_raise(name)),
                    title=title,
                    language=language,
                )
        path = output_folder / f"changed-{name}-{language}.pdf"
        data = render_pages_to_pdf_bytes(
            pages, metadata=Metadata(title, language=language), pool=press.shared_pdf_parts
        )
        write_file_atomically(path, data)
        made.append(path)
    return made


def can_fit_on_sheet_either_way_round(face_or_box: Face | Rect, sheet: Size) -> bool:
    """Return whether a thing can be printed on one sheet, either way round."""
    width, height = sheet.width - 10, sheet.height - 10
    upright = face_or_box.width <= width and face_or_box.height <= height
    return upright or (face_or_box.width <= height and face_or_box.height <= width)


def render_card_front_png_or_none(builder: Builder, card_id: str, language: str) -> bytes | None:
    """Return a card's front as PNG; None if there is no such card or nothing to draw."""
    card = builder.press.game.components.get(card_id)
    face = (
        builder.press.draw_face_with_errata_mark_or_none(card, "front", language, FindingCollector()) if card else None
    )
    if face is None:
        return None
    data = render_pages_to_pdf_bytes(
        [build_page_of_face_and_bleed(face, 0.0)], metadata=Metadata(face.name), pool=builder.press.shared_pdf_parts
    )
    return next(iter(iter_pdf_pages_as_png(data, _DOTS)))


class ChangedText(NamedTuple):
    """A text or value: what a reader calls it, and what it was and is, without markup."""

    where: str
    old: str
    new: str


def list_changed_card_texts_in_language(difference: ComponentDifference, speech: DossierLanguage) -> list[ChangedText]:
    """Return the texts of a card that changed in the reader's language: titles and written words, then those that are
    made of effects."""
    return [
        ChangedText(
            speech.get_label_of_card_field(change.path, difference.new),
            *(speech.format_text_with_icons_as_names(side) for side in (change.old, change.new)),
        )
        for change in (*_list_changed_words_outside_option_texts(difference, speech), *difference.texts)
    ]


def _list_changed_words_outside_option_texts(
    difference: ComponentDifference, speech: DossierLanguage
) -> list[ChangedValue]:
    """Return the written words that changed in the reader's language, but for those that stand in the text of an
    option that changed."""
    if difference.old is None or difference.new is None:
        return []
    inside = tuple(f"options.{change.path}." for change in difference.texts)
    return [
        change
        for change in difference.changes
        if change.path.endswith(f".{speech.language}") and not change.path.startswith(inside)
    ]


def list_sentences_on_card_difference(difference: ComponentDifference, dossier_language: DossierLanguage) -> list[str]:
    """Return what changed on one card: first printed texts, then values that no text mentions."""
    texts = [
        _format_changed_text(text, dossier_language)
        for text in list_changed_card_texts_in_language(difference, dossier_language)
    ]
    return [*texts, *list_sentences_on_value_changes_not_in_texts(difference, dossier_language)]


def _format_changed_text(text: ChangedText, dossier_language: DossierLanguage) -> str:
    """Return what a text was and is; one that was or is not there, alone."""
    key = "line" if text.old and text.new else "without" if text.old else "added"
    return dossier_language.format_message(key, where=text.where, now=text.new, before=text.old)


def list_sentences_on_value_changes_not_in_texts(
    difference: ComponentDifference, dossier_language: DossierLanguage
) -> list[str]:
    """Return that a card is new or leaves the game, and the values that differ and that no changed text mentions. Of
    a card that only one version has, no value is told."""
    old, new = difference.old, difference.new
    if old is None or new is None:
        return [dossier_language.format_message("new" if old is None else "gone")]
    if not difference.values_for_readers and not difference.texts:
        return [dossier_language.format_message("notes" if difference.changes else "quotes")]
    if not old.count and new.count:
        return [dossier_language.format_message("back")]
    parts = ("options.{}.cost.", "options.{}.effects.", "{}.")
    mentioned = [part.format(c.path) for c in difference.texts for part in parts]
    mentioned += [f"options.{c.path}." for c in difference.texts if None in (c.old, c.new)]
    values = [c for c in difference.values_for_readers if not c.path.startswith(tuple(mentioned))]
    languages = dossier_language.game.languages if dossier_language.game else ()
    texts = [change for change in values if change.path.rpartition(".")[2] in languages]
    told = [_format_value_before_and_after(change, new, dossier_language) for change in values if change not in texts]
    if told or difference.texts or any(change.path.endswith(f".{dossier_language.language}") for change in texts):
        return told
    others = dict.fromkeys(change.path.rpartition(".")[2] for change in texts)
    return [dossier_language.format_message("only elsewhere", languages=", ".join(others))]


def _format_value_before_and_after(change: ChangedValue, card: Component, speech: DossierLanguage) -> str:
    """Return a value before and after, in words: without a copy, a card is not in the game."""
    if change.path == "count" and not change.new:
        return speech.format_message("gone")
    return speech.format_label_and_texts(
        speech.get_label_of_card_field(change.path, card),
        [" → ".join(speech.format_card_value(side, change.path, card) for side in (change.old, change.new))],
    )


def format_card_id_and_title_of_difference(
    difference: ComponentDifference, language: str = "en", game: Game | None = None
) -> str:
    """Return a changed card's id and title. A card without a title is called by the first card of the game that it
    names and that has one, as a card by its spot."""
    return format_card_id_and_title(difference.id, difference.new or difference.old, language, game)


def format_card_id_and_title(card_id: str, card: Component | None, language: str, game: Game | None) -> str:
    """Return a card's id and title, as `format_card_id_and_title_of_difference`."""
    title = card.title if card else None
    if card and game and title is None:
        spec = game.vocabulary.kinds[card.kind].fields
        named = (game.components.get(str(card.get(name))) for name in spec if spec[name].type == "reference")
        title = next((other.title for other in named if other is not None), None)
    return format_id_and_title(card_id, title.text(language)) if title is not None else card_id


# -- changed rules -------------------------------------------------------------------------------------------
# What an erratum changes beside components, in words: numbers, rules, sentences of chapters, and rulings.


class _TextOfLanguage(NamedTuple):
    """A change of a text in one language; `language` is "" for a value that no language has. Texts of several languages
    with one `place` say the same."""

    place: tuple[str, ...]
    language: str
    change: Change


def list_changed_texts_of_files(changes: Sequence[Change], dossier_language: DossierLanguage) -> list[ChangedText]:
    """Return the texts and values of files that changes name: in the reader's language, and those of another language,
    with its code, that did not change in the reader's."""
    texts = _list_file_changes_of_each_language(changes, dossier_language.game)
    own = {text.place for text in texts if text.language in ("", dossier_language.language)}
    first = {text.place: text.language for text in reversed(texts) if text.place not in own}
    return [
        ChangedText(
            _format_changed_place_with_language(text, dossier_language),
            *(
                _format_node_value_in_language(node, text.language, dossier_language)
                for node in (text.change.old, text.change.new)
            ),
        )
        for text in texts
        if (
            text.language in ("", dossier_language.language)
            if text.place in own
            else text.language == first[text.place]
        )
    ]


def iter_changes_of_untranslated_file_texts(
    changes: Sequence[Change], game: Game, languages: Sequence[str]
) -> Iterator[tuple[Change, tuple[str, ...], tuple[str, ...]]]:
    """Yield a change of each text of a file that changed in some of the languages only, these languages, and those in
    which it stands as it was."""
    by_place = dict[tuple[str, ...], list[_TextOfLanguage]]()
    for text in _list_file_changes_of_each_language(changes, game):
        by_place.setdefault(text.place, []).append(text)
    for texts in by_place.values():
        changed = {text.language for text in texts}
        behind = [
            language
            for language in languages
            if language not in changed and _can_text_change_in_language(texts[0].change, game, language)
        ]
        if behind and "" not in changed:
            yield texts[0].change, tuple(sorted(changed)), tuple(behind)


def format_changed_place_for_readers(change: Change, dossier_language: DossierLanguage) -> str:
    """Return what a reader calls a place, without its language: a rule by its id, a chapter by its file."""
    if change.file not in FILES:
        return dossier_language.format_message("chapter", name=PurePosixPath(change.file).stem)
    languages = dossier_language.game.languages if dossier_language.game else ()
    path = [key for key in change.path if key not in languages]
    if change.file == "rulebook" and path[0] in ("rules", "rulings") and len(path) > 1:
        path = [key for key in path[1:] if key != "text"]
    if change.file == "game" and path[0] == "components" and len(path) > 2 and dossier_language.game:
        return _format_changed_line_of_box_contents(path, dossier_language.game, dossier_language)
    if change.file == "game" and path[0] == "numbers" and len(path) > 1:
        path = path[1:]
    if len(path) == 1:
        name = path[0].replace("_", " ")
        return name if name[:1].isupper() else dossier_language.quote_name_unless_english(name)
    return _format_path_in_file_for_readers(change, path, dossier_language)


def _format_path_in_file_for_readers(change: Change, path: Sequence[str], dossier_language: DossierLanguage) -> str:
    """Return a path in game.yaml, the vocabulary or the rulebook as a reader says it: without the groups above a term
    or an effect, items of lists counted from 1."""
    game = dossier_language.game
    above = {"terms": 2, "effects": 1, "kinds": 1}.get(path[0], 0) if change.file == "vocabulary" else 0
    top = {"game": game.node, "vocabulary": game.vocabulary.node}.get(change.file) if game else None
    names = list[str]()
    for at, key in enumerate(path):
        parent = top.get_node_or_nearest_ancestor(_convert_digits_to_indices(path[:at])) if top else None
        is_item = key.isdigit() and parent is not None and isinstance(parent.value, tuple)
        names.append(
            dossier_language.format_message("item", number=int(key) + 1)
            if is_item
            else dossier_language.get_label_of_key(key)
        )
    return ", ".join(names[above:] or names)


def _convert_digits_to_indices(path: Sequence[str]) -> list[str | int]:
    return [int(key) if key.isdigit() else key for key in path]


def _format_changed_line_of_box_contents(
    yaml_path: Sequence[str], game: Game, dossier_language: DossierLanguage
) -> str:
    """Return what a reader calls a value of the rulebook's own list of the box: the things counted, and the value."""
    name = game.node.get_node_or_nearest_ancestor(["components", int(yaml_path[1]), "name"])
    words = name.get(dossier_language.language) or name.get(game.languages[0]) or name
    return f"{words.value}, {dossier_language.get_label_of_card_field('.'.join(yaml_path[2:]), None)}"


def _list_file_changes_of_each_language(changes: Sequence[Change], game: Game | None) -> list[_TextOfLanguage]:
    """Return the changes in files; one of a text in all its languages once for each language in which it differs."""
    languages = game.languages if game else ()
    chapters = _get_chapter_names_in_all_languages(game)
    texts = list[_TextOfLanguage]()
    for change in changes:
        if change.file and change.file not in FILES:
            name, language = _split_chapter_path_into_name_and_language(change.file)
            chapter = ("rulebook/", name if name in chapters else "")
            texts.append(_TextOfLanguage(chapter, language, change))
        elif change.file and change.path[-1] in languages:
            texts.append(_TextOfLanguage((change.file, *change.path[:-1]), change.path[-1], change))
        elif change.file:
            place = (change.file, *change.path)
            texts += [
                _TextOfLanguage(place, language, change)
                for language in _list_languages_in_which_text_differs(change, languages)
            ]
    return texts


def _list_languages_in_which_text_differs(change: Change, languages: Sequence[str]) -> list[str]:
    """Return the languages in which a text differs; [""] for a value that is no text in several languages."""
    sides = [node.data if node is not None else None for node in (change.old, change.new)]
    if not all(side is None or _is_mapping_of_texts_by_language(side, languages) for side in sides):
        return [""]
    old, new = (side if isinstance(side, Mapping) else {} for side in sides)
    return [language for language in languages if old.get(language) != new.get(language)]


def _is_mapping_of_texts_by_language(value: object, languages: Collection[str]) -> bool:
    return isinstance(value, Mapping) and bool(value) and set(value) <= set(languages)


def _split_chapter_path_into_name_and_language(chapter_file: str) -> tuple[str, str]:
    """Return the name of a chapter's file, and its language; the English chapters are in the folder itself."""
    _, *between, name = PurePosixPath(chapter_file).parts
    return name, between[0] if between else "en"


def _get_chapter_names_in_all_languages(game: Game | None) -> set[str]:
    """Return the names of the chapters that every language with a rulebook has. Others cannot be held against each
    other one by one."""
    if game is None:
        return set()
    books = [
        {path.name for path in list_rulebook_files_in_reading_order(game.folder, language)}
        for language in game.languages
    ]
    books = [book for book in books if book]
    return set.intersection(*books) if books else set()


def _can_text_change_in_language(change: Change, game: Game, language: str) -> bool:
    """Return whether a text could have changed in a language: a chapter if that language has a rulebook."""
    return change.file in FILES or bool(list_rulebook_files_in_reading_order(game.folder, language))


def _format_changed_place_with_language(text: _TextOfLanguage, dossier_language: DossierLanguage) -> str:
    """Return what a reader calls a place, with the code of another language than the reader's."""
    where = format_changed_place_for_readers(text.change, dossier_language)
    return where if text.language in ("", dossier_language.language) else f"{where} ({text.language})"


_SENTENCES = ("question", "text", "name")
"""Keys of what stands in the rulebook and in game.yaml, by which a reader is told of a new one."""


def _format_node_value_in_language(node: YamlNode | None, language: str, speech: DossierLanguage) -> str:
    """Return a value as text; of one in several languages, that in `language`; a list as its items."""
    if node is None:
        return ""
    if isinstance(node.value, Mapping):
        named = [node.get(language or speech.language), *map(node.get, _SENTENCES)]
        inner = next(filter(None, named), None)
        if inner is not None:
            return _format_node_value_in_language(inner, language, speech)
    if isinstance(node.value, tuple) and not any(isinstance(item.value, Mapping | tuple) for item in node.value):
        return ", ".join(str(item.value).replace("-", "–") for item in node.value)
    return (
        speech.format_text_with_icons_as_names(_CHAPTER_ROLE.sub(r"\1", node.value))
        if isinstance(node.value, str)
        else format_as_one_line_yaml(node.data)
    )


def iter_terminal_lines_of_changed_texts(changes: Sequence[Change], dossier_language: DossierLanguage) -> Iterator[str]:
    """Yield a line for each text or value."""
    for text in list_changed_texts_of_files(changes, dossier_language):
        yield _format_changed_text(text, dossier_language)


def iter_rulings_with_outcome_and_reason(
    erratum: Erratum, dossier_language: DossierLanguage
) -> Iterator[tuple[str, str, str]]:
    """Yield each ruling that an erratum touches, by its question, with what becomes of it, and why."""
    outcomes = {"stays": "stays", "falls": "falls", "changes": "becomes"}
    for fate in erratum.rulings:
        ruling = dossier_language.game.rulings.get(fate.id) if dossier_language.game else None
        question = f" {ruling.words.text(dossier_language.language)}" if ruling else ""
        becomes = dossier_language.format_message(outcomes[fate.becomes])
        answer = fate.to or (ruling.default if ruling and fate.becomes == "stays" else "")
        if ruling and answer in ruling.option_words:
            words = dossier_language.format_text_with_icons_as_names(
                ruling.option_words[answer].text(dossier_language.language)
            ).rstrip(".")
            becomes = dossier_language.format_label_and_texts(becomes, [dossier_language.quote_text(words)])
        yield f"{fate.id}{question}", becomes, fate.why.text(dossier_language.language) if fate.why else ""


def iter_terminal_lines_of_ruling_outcomes(erratum: Erratum, dossier_language: DossierLanguage) -> Iterator[str]:
    """Yield what becomes of each ruling, with the question and why."""
    for name, becomes, why in iter_rulings_with_outcome_and_reason(erratum, dossier_language):
        yield f"{dossier_language.format_label_and_texts(name, [becomes])}{why and f'. {why}'}"
