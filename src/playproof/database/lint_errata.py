"""Finds what is doubtful in errata: names that the game does not have, proposals that contradict each
other, and words that change or stay beside what is played.

Which words of a text changed.

>>> [(part.kind, part.text) for part in list_runs_of_kept_and_changed_words("gain 2 Coins", "gain 1 Coin")]
[('same', 'gain'), ('old', '2 Coins'), ('new', '1 Coin')]"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from playproof.database.components import Component, Words, find_title_in_fields_or_none, iter_free_texts_in_value
from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.field_readers import iter_changed_leaves_with_readers
from playproof.database.game import Game, has_rules_file
from playproof.database.lint_numbers import get_claim_sentence_by_language
from playproof.database.number_words import count_numbers_except_word_one
from playproof.database.patch import Change, Erratum, find_previous_version_of_later_date
from playproof.database.rulebook_text import read_rulebook_document
from playproof.database.sheet_cells import format_as_one_line_yaml
from playproof.database.source import YamlData, YamlNode

# Finds what is doubtful in errata: names that the game does not have, and proposals that contradict each
# other.


def iter_doubtful_errata_findings(game: Game) -> Iterator[Finding]:
    """PP407: an erratum names rulings and languages of the game. PP406: two proposed errata do not change one value
    differently, unless one builds on the other. PP238: what it says of claims is in every language of the game.
    PP409: it is not dated before a lower version."""
    for unread in game.unread_errata:
        yield from unread.findings
    for erratum in game.errata:
        yield from _iter_date_before_lower_version_findings(game, erratum)
        yield from _iter_unknown_language_findings(game, erratum)
        yield from _iter_untranslated_claim_findings(game, erratum)
        if erratum.version in game.applied:
            yield from _iter_picture_only_change_findings(game, erratum)
            yield from _iter_value_changed_without_text_findings(game, erratum)
    proposed = [erratum for erratum in game.errata if erratum.proposed]
    for number, erratum in enumerate(proposed):
        for earlier in proposed[:number]:
            if not _is_erratum_built_on_earlier(game, erratum, earlier):
                yield from _iter_conflicting_change_findings(erratum, earlier)


def _iter_date_before_lower_version_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    later = find_previous_version_of_later_date(erratum, game.errata)
    if later is not None:
        yield Finding(
            "PP409",
            erratum.get_place_of_key("date"),
            f"erratum {erratum.version} is dated {erratum.date}, before version {later.version} ({later.date})",
            "errata are applied by date: give it that date or a later one, or a lower version",
            "warning",
        )


def _iter_unknown_language_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    printed = [language for printing in erratum.printings for language in printing.languages]
    for key, languages in (("languages", erratum.languages), ("printings", printed)):
        for language in languages:
            if language not in game.languages:
                message = f'erratum {erratum.version}: the game is not written in "{language}"'
                yield Finding(
                    "PP407",
                    erratum.get_place_of_key(key),
                    message,
                    make_nearest_or_possible_words_hint(language, game.languages),
                )


def _iter_untranslated_claim_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    for ident, claim in erratum.claims.items():
        says = claim.get("says")
        has_languages = says is not None and isinstance(says.data, dict)
        written = says.entries if says is not None and has_languages else [game.vocabulary.language_of_bare_text]
        missing = [language for language in game.languages if language not in written]
        if says is not None and missing:
            message = f"erratum {erratum.version}: what claim `{ident}` says lacks {', '.join(missing)}"
            yield Finding("PP238", says.where, message, severity="warning")


def _iter_picture_only_change_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP845: an icon or picture changes with some value that it stands for. One that becomes that of another component
    is an error."""
    for change in erratum.changes:
        card = game.components.get(change.component)
        if card is None or not change.path or not _is_picture_field(game, card, change.path[0]):
            continue
        others = [other for other in erratum.changes if other.component == card.id and other is not change]
        if any(not _is_picture_field(game, card, other.path[0]) for other in others if other.path):
            continue
        field = change.path[0]
        twin = next((c for c in game.of_kind(card.kind) if c is not card and c.get(field) == card.get(field)), None)
        message = f"erratum {erratum.version} changes the {field} of {card.id} to `{card.get(field)}`, and no value"
        if twin is not None:
            hint = f"{twin.id} has the same {field}: change that too, or what {card.id} does"
            yield Finding("PP845", change.where, message, hint)
        else:
            yield Finding("PP845", change.where, message, "look at both faces", severity="warning")


def _is_picture_field(game: Game, card: Component, field: str) -> bool:
    spec = game.vocabulary.kinds[card.kind].fields.get(field)
    return spec is not None and spec.type in ("icon", "image")


def _iter_value_changed_without_text_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP846: where an erratum changes a flag, a word or a number that a text written by hand stands beside, it changes
    the text too, or some other says that it need not."""
    for ident in erratum.components:
        card = game.components.get(ident)
        changes = [change for change in erratum.changes if change.component == ident and change.path]
        text = card.get("text") if card is not None else None
        if card is None or not isinstance(text, Words) or any(change.path[0] == "text" for change in changes):
            continue
        fields = game.vocabulary.kinds[card.kind].fields
        for change in changes:
            spec = fields.get(change.path[0])
            if spec is not None and spec.type in ("flag", "choice", "term", "integer"):
                message = f"erratum {erratum.version} changes `{change.path[0]}` of {ident}, and its text stays: "
                yield Finding("PP846", change.where, f"{message}“{text}”", "read it once more", severity="warning")


def _is_erratum_built_on_earlier(game: Game, erratum: Erratum, earlier: Erratum) -> bool:
    by_version = {each.version: each for each in game.errata}
    below = erratum.follows or erratum.undoes
    while below in by_version:
        if below == earlier.version:
            return True
        below = by_version[below].follows or by_version[below].undoes
    return False


def _iter_conflicting_change_findings(erratum: Erratum, earlier: Erratum) -> Iterator[Finding]:
    before = {(change.target, change.path): change for change in earlier.changes}
    for change in erratum.changes:
        other = before.get((change.target, change.path)) if change.path else None
        if other is not None and _get_new_value_of_change(other) != _get_new_value_of_change(change):
            message = (
                f"erratum {erratum.version} makes `{'.'.join(change.path)}` of {change.target} "
                f"`{format_as_one_line_yaml(_get_new_value_of_change(change))}`, erratum {earlier.version} makes it "
                f"`{format_as_one_line_yaml(_get_new_value_of_change(other))}`"
            )
            hint = f"{other.where}; if one builds on the other, say `follows: {earlier.version}`"
            yield Finding("PP406", change.where, message, hint, severity="warning")


def _get_new_value_of_change(change: Change) -> YamlData:
    return change.new.data if change.new else None


# -- lint changed words --------------------------------------------------------------------------------------
# Words that an erratum changes or leaves beside what is played: a rules text that changes alone, and the
# old title of a card that others still name.

_TEXT = "text"
"""The field of a component or an option that holds its rules as somebody wrote them."""


def iter_text_change_and_old_title_findings(game: Game) -> Iterator[Finding]:
    """PP847: a rules text of a component changes alone. PP848: a text names an old title. Both of each erratum in
    use."""
    for erratum in game.errata:
        if erratum.version in game.applied:
            if has_rules_file(game.folder):  # without them, nothing is played
                yield from _iter_text_only_change_findings(game, erratum)
            yield from _iter_old_title_findings(game, erratum)


# -- a text that changes alone --------------------------------------------------------------------------------------


def _iter_text_only_change_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP847: the rules text of a component says something else, and nothing of it changes that is played."""
    for ident in erratum.components:
        changes = [change for change in erratum.changes if change.component == ident and change.path]
        card = game.components.get(ident)
        texts = [change for change in changes if _TEXT in change.path]
        if card is None or not texts or any(_can_change_played_value(game, card, change) for change in changes):
            continue
        said = [
            f"{language}: {words}"
            for change in texts
            if not _does_text_say_changed_setup_number(erratum, card, change, game.languages)
            for language, words in iter_languages_and_meaningful_word_changes(change, game.languages)
        ]
        if said:
            what = f"changes the text of {ident} and nothing of it that is played: it is played as before"
            message = f"erratum {erratum.version} {what}"
            hint = f"if these words mean something else, change the value too: {'; '.join(said)}"
            yield Finding("PP847", texts[0].where, message, hint, severity="warning")


def _does_text_say_changed_setup_number(
    erratum: Erratum, card: Component, text: Change, languages: Iterable[str]
) -> bool:
    """Return whether a text follows a number of set-up: it says the new value for the old one in some language, and it,
    or its card, has the word for the number."""
    names = {card.id, *(card.title.texts.values() if card.title else ())}
    for number in erratum.changes:
        if number.file == "game" and number.path[:1] == ("numbers",) and number.old and number.new:
            key = number.path[-1].split("_")[-1].casefold()
            for language in languages:
                old, new = (
                    get_text_of_change_side_or_empty(text, node.data if node else None, language)
                    for node in (text.old, text.new)
                )
                was, now = (count_numbers_except_word_one(side, language) for side in (old, new))
                is_named = any(key in name.casefold() for name in (*names, old, new))
                if is_named and number.old.value in was - now and number.new.value in now - was:
                    return True
    return False


def _can_change_played_value(game: Game, card: Component, change: Change) -> bool:
    old, new = (node.data if node is not None else None for node in (change.old, change.new))
    leaves = iter_changed_leaves_with_readers(game.vocabulary, card.kind, change.path, old, new)
    return any(leaf.is_played and not leaf.is_words for leaf in leaves)


def iter_languages_and_meaningful_word_changes(change: Change, languages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield what a change writes in place of what, in each language in which it is more than a slip of the pen."""
    for language in languages:
        old, new = (
            get_text_of_change_side_or_empty(change, node.data if node else None, language)
            for node in (change.old, change.new)
        )
        if old and new and old != new and not is_spelling_or_punctuation_correction(old, new, [language]):
            yield language, _format_word_changes(old, new)


def _format_word_changes(old: str, new: str) -> str:
    """Return the words that changed, as `“Night” → “Heart”`."""
    pairs, last = list[list[str]](), ""
    for run in list_runs_of_kept_and_changed_words(old, new):
        if run.kind == "old":
            pairs.append([run.text, ""])
        elif run.kind == "new" and pairs and not pairs[-1][1] and last == "old":
            pairs[-1][1] = run.text
        elif run.kind == "new":
            pairs.append(["", run.text])
        last = run.kind
    return ", ".join(" → ".join(f"“{side}”" if side else "nothing" for side in pair) for pair in pairs)


def get_text_of_change_side_or_empty(change: Change, side_value: YamlData, language: str) -> str:
    """Return the text of one side of a change in a language, "" if it has none; a chapter is in its folder's."""
    if not change.path and change.file:
        *_, folder, _ = ("rulebook", *change.file.split("/"))
        return str(side_value or "") if language == ("en" if folder == "rulebook" else folder) else ""
    if isinstance(side_value, Mapping):
        side_value = side_value.get(language)
        return str(side_value) if isinstance(side_value, str) else ""
    of_other = change.path[-1] != language and change.path[-1] != _TEXT
    return "" if of_other or not isinstance(side_value, str) else side_value


# -- an old title ---------------------------------------------------------------------------------------------------


def _iter_old_title_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP848: the title that a component had before an erratum stands in other texts."""
    for ident, old in _iter_components_losing_their_title(game, erratum):
        card = game.components.get(ident)
        for language, title in old.texts.items():
            now = card.title.text(language) if card is not None and card.title is not None else ""
            if title == now or not title or _is_title_of_other_component(game, ident, title, language):
                continue
            what = f"is called “{now}” now" if card is not None else "is no longer in the box"
            for place, text in _iter_texts_except_title_of_component(game, language, ident):
                if _has_old_title_in_text(text, title, now):
                    message = f"this text names “{title}”; {ident} {what} (erratum {erratum.version})"
                    yield Finding("PP848", place, message, "change the text too", severity="warning")


def _iter_components_losing_their_title(game: Game, erratum: Erratum) -> Iterator[tuple[str, Words]]:
    """Yield the ids of components that an erratum renames or takes out, each with the title that it had."""
    for change in erratum.changes:
        gone, card = game.removed.get(change.component), game.components.get(change.component)
        if gone is not None and change.path == ("count",) and gone.title is not None:
            yield gone.id, gone.title
        elif card is not None and _is_change_of_title(card, change):
            yield card.id, _get_title_before_change(change)


def _is_change_of_title(card: Component, change: Change) -> bool:
    """Return whether a change is one of what a component is called."""
    if not change.path or change.old is None or card.title is None:
        return False
    said = {change.path[0]: card.get(change.path[0])}
    return find_title_in_fields_or_none(said, change.where, card.called_by) == card.title


def _get_title_before_change(change: Change) -> Words:
    """Return a title as it was before a change of all of it, or of one language."""
    old = change.old.data if change.old is not None else None
    if isinstance(old, Mapping):
        return Words({str(key): str(text) for key, text in old.items()}, change.where)
    language = change.path[-1] if len(change.path) > 1 else "en"
    return Words({language: str(old)}, change.where)


def _is_title_of_other_component(game: Game, component_id: str, title: str, language: str) -> bool:
    others = (card.title for card in game.components.values() if card.id != component_id)
    return any(other is not None and other.text(language) == title for other in others)


def _has_old_title_in_text(text: str, title: str, new_title: str) -> bool:
    """Return whether a text has a title in it, and not only as a part of the new one."""
    words = re.sub(r"[*_]|\s+", " ", text.replace(new_title, " ") if new_title and title in new_title else text)
    return re.search(rf"(?<!\w){re.escape(title)}(?!\w)", re.sub(r" +", " ", words)) is not None


def _iter_texts_except_title_of_component(game: Game, language: str, component_id: str) -> Iterator[tuple[Where, str]]:
    """Yield the texts of a game in one language, but the title of one component, each with its place."""
    for card in game.components.values():
        for words in iter_free_texts_in_value(card.fields):
            if language in words.texts and not (card.id == component_id and words == card.title):
                yield words.get_place_of_language_text(language), words.texts[language]
        yield from _iter_texts_without_language_except_title(game, card, component_id)
    noted = [rule.words for rule in game.rules.values()]
    for ruling in game.rulings.values():
        noted += [ruling.words, *ruling.option_words.values()]
    yield from (
        (words.get_place_of_language_text(language), words.texts[language])
        for words in noted
        if language in words.texts
    )
    for claim in game.claims.values():
        yield claim.where, get_claim_sentence_by_language(claim, game).get(language, "")
    yield from _iter_texts_under_language_key(game.vocabulary.node, language)
    with suppress(InputError):  # lint says what is wrong with it
        document = read_rulebook_document(game.folder, language, game.edits)
        for paragraph in document.iter_paragraphs_of_document() if document is not None else ():
            yield paragraph.where, "".join(span for span in paragraph.spans if isinstance(span, str))


def _iter_texts_without_language_except_title(
    game: Game, card: Component, component_id: str
) -> Iterator[tuple[Where, str]]:
    """Yield the texts of a card that stand in a sheet's columns and have no language, but the title of a component."""
    title = card.title.texts.values() if card.title is not None and card.id == component_id else ()
    for name, spec in game.vocabulary.kinds[card.kind].fields.items():
        text, node = card.get(name), game.nodes[card.id].node.get(name)
        if spec.type == "text" and isinstance(text, str) and text not in title:
            yield (node.where if node is not None else card.where), text


def _iter_texts_under_language_key(node: YamlNode, language: str) -> Iterator[tuple[Where, str]]:
    """Yield the texts that stand under a language anywhere in a file."""
    for key, entry in node.entries.items():
        if key == language and isinstance(entry.node.value, str):
            yield entry.node.where, entry.node.value
        yield from _iter_texts_under_language_key(entry.node, language)


# -- word changes --------------------------------------------------------------------------------------------
# Which words of a text changed.


class WordRun(NamedTuple):
    """Some words of a text: in both versions, only in the old one, or only in the new one."""

    kind: Literal["same", "old", "new"]
    text: str


def list_runs_of_kept_and_changed_words(old: str, new: str) -> list[WordRun]:
    """Return the words of both texts in order: what was taken out stands before what took its place."""
    was, now = old.split(), new.split()
    parts: list[WordRun] = []
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(WordRun("same", " ".join(was[a:b])))
            continue
        if a < b:
            parts.append(WordRun("old", " ".join(was[a:b])))
        if c < d:
            parts.append(WordRun("new", " ".join(now[c:d])))
    return parts


def is_spelling_or_punctuation_correction(old: str, new: str, languages: Iterable[str] = ("en",)) -> bool:
    """Return whether a change is as small as a slip of the pen: no number differs, in words neither, and at most two
    letters of each word, or only capitals and punctuation.

    >>> is_spelling_or_punctuation_correction("Take teh cards.", "Take the cards.")
    True
    >>> is_spelling_or_punctuation_correction("two", "one")
    False
    """
    if any(
        count_numbers_except_word_one(old, language) != count_numbers_except_word_one(new, language)
        for language in languages
    ):
        return False
    was, now = old.split(), new.split()
    if len(was) != len(now):
        return _keep_letters_and_digits_casefolded(old) == _keep_letters_and_digits_casefolded(new)
    return all(_differs_by_at_most_two_letters(a, b) for a, b in zip(was, now, strict=True))


def _differs_by_at_most_two_letters(old: str, new: str) -> bool:
    if old == new:
        return True
    if any(char.isdigit() for char in old + new):
        return False
    matching = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return max(len(old), len(new)) - matching <= 2


def _keep_letters_and_digits_casefolded(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
