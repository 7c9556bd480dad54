"""Words that an erratum changes or leaves beside what is played: a rules text that changes alone, and the old title of
a card that others still name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from playproof.database.components import Component, Words, find_title, iter_words
from playproof.database.errors import Finding, InputError, Where
from playproof.database.field_readers import iter_changed_leaves, iter_smallest_changes
from playproof.database.game import Game, has_rules
from playproof.database.lint_claims import get_sentences_by_language
from playproof.database.number_words import count_numbers
from playproof.database.patch import Change, Erratum
from playproof.database.rulebook_text import read_document
from playproof.database.source import YamlData, YamlNode
from playproof.database.word_changes import diff_words, is_small_correction

_TEXT = "text"
"""The field of a component or an option that holds its rules as somebody wrote them."""


def iter_changed_word_findings(game: Game) -> Iterator[Finding]:
    """PP847: a rules text, or a rule of the rulebook, changes alone. PP848: a text names an old title. Both of each
    erratum in use."""
    for erratum in game.errata:
        if erratum.version in game.applied:
            if has_rules(game.folder):  # without them, nothing is played
                yield from _iter_text_only_change_findings(game, erratum)
                yield from _iter_rule_only_change_findings(game, erratum)
            yield from _iter_old_title_findings(game, erratum)


# -- a text that changes alone --------------------------------------------------------------------------------------


def _iter_text_only_change_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP847: the rules text of a component says something else, and nothing of it changes that is played."""
    for ident in erratum.components:
        changes = [change for change in erratum.changes if change.component == ident and change.path]
        card = game.components.get(ident)
        texts = [change for change in changes if _TEXT in change.path]
        if card is None or not texts or any(_changes_played_value(game, card, change) for change in changes):
            continue
        said = [
            f"{language}: {words}"
            for change in texts
            for language, words in _iter_reworded_texts(change, game.languages)
        ]
        if said:
            what = f"changes the text of {ident} and nothing of it that is played: it is played as before"
            message = f"erratum {erratum.version} {what}"
            hint = f"if these words mean something else, change the value too: {'; '.join(said)}"
            yield Finding("PP847", texts[0].where, message, hint, severity="warning")


def _iter_rule_only_change_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP847: a rule says another number, and no value of the erratum changes from and to it; or an erratum that is said
    to change what happens words a rule anew. What happens by a rule is written in Python, which no erratum changes."""
    values = list(_iter_changed_numbers(game, erratum))
    for change in erratum.changes:
        if change.file != "rulebook" or change.path[:1] != ("rules",) or change.path[2:3] != (_TEXT,):
            continue
        said = [
            f"{language}: {words}"
            for language, words in _iter_reworded_texts(change, game.languages)
            if _is_rule_changed_alone(change, language, values, erratum)
        ]
        if said:
            rule = change.path[1]
            what = f"changes what {rule} says, and no value with it: it is played as before"
            message = f"erratum {erratum.version} {what}"
            hint = f"if this means something else, change the rules that cite {rule}, too: {'; '.join(said)}"
            yield Finding("PP847", change.where, message, hint, severity="warning")


def _is_rule_changed_alone(
    change: Change, language: str, values: Sequence[tuple[int, int]], erratum: Erratum
) -> bool:
    """Return whether no changed value is what a rule says otherwise. Without a number in it, only the class of the
    erratum says whether new words mean something else."""
    old, new = (
        count_numbers(_get_text_in_language(change, node.data if node else None, language), language)
        for node in (change.old, change.new)
    )
    gone, come = old - new, new - old
    if not gone and not come:
        return erratum.kind in ("function", "balance") or (erratum.kind is None and bool(values))
    return not any((was in gone or not gone) and (now in come or not come) for was, now in values)


def _iter_changed_numbers(game: Game, erratum: Erratum) -> Iterator[tuple[int, int]]:
    """Yield each whole number that an erratum changes in components and in game.yaml, before and after."""
    for change in erratum.changes:
        if change.file in ("", "game"):
            old, new = (node.data if node is not None else None for node in (change.old, change.new))
            if change.path == ("count",) and old is None:
                old = 1  # where no count is written
            for _, was, now in iter_smallest_changes(change.path, old, new):
                if isinstance(was, int) and isinstance(now, int):
                    yield was, now


def _changes_played_value(game: Game, card: Component, change: Change) -> bool:
    old, new = (node.data if node is not None else None for node in (change.old, change.new))
    leaves = iter_changed_leaves(game.vocabulary, card.kind, change.path, old, new)
    return any(leaf.is_played and not leaf.is_words for leaf in leaves)


def _iter_reworded_texts(change: Change, languages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield what a change writes in place of what, in each language in which it is more than a slip of the pen."""
    for language in languages:
        old, new = (
            _get_text_in_language(change, node.data if node else None, language)
            for node in (change.old, change.new)
        )
        if old and new and old != new and not is_small_correction(old, new):
            yield language, _format_word_changes(old, new)


def _format_word_changes(old: str, new: str) -> str:
    """Return the words that changed, as `“Night” → “Heart”`."""
    pairs, last = list[list[str]](), ""
    for run in diff_words(old, new):
        if run.kind == "old":
            pairs.append([run.text, ""])
        elif run.kind == "new" and pairs and not pairs[-1][1] and last == "old":
            pairs[-1][1] = run.text
        elif run.kind == "new":
            pairs.append(["", run.text])
        last = run.kind
    return ", ".join(" → ".join(f"“{side}”" if side else "nothing" for side in pair) for pair in pairs)


def _get_text_in_language(change: Change, value: YamlData, language: str) -> str:
    """Return the text of one side of a change in a language, "" if it has none."""
    if isinstance(value, Mapping):
        value = value.get(language)
        return str(value) if isinstance(value, str) else ""
    of_other = change.path[-1] != language and change.path[-1] != _TEXT
    return "" if of_other or not isinstance(value, str) else value


# -- an old title ---------------------------------------------------------------------------------------------------


def _iter_old_title_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP848: the title that a component had before an erratum stands in other texts."""
    for ident, old in _iter_replaced_titles(game, erratum):
        card = game.components.get(ident)
        for language, title in old.texts.items():
            now = card.title.text(language) if card is not None and card.title is not None else ""
            if title == now or not title or _is_title_of_other_component(game, ident, title, language):
                continue
            what = f"is called “{now}” now" if card is not None else "is no longer in the box"
            for place, text in _iter_game_texts(game, language, ident):
                if _mentions_old_title(text, title, now):
                    message = f"this text names “{title}”; {ident} {what} (erratum {erratum.version})"
                    yield Finding("PP848", place, message, "change the text too", severity="warning")


def _iter_replaced_titles(game: Game, erratum: Erratum) -> Iterator[tuple[str, Words]]:
    """Yield the ids of components that an erratum renames or takes out, each with the title that it had."""
    for change in erratum.changes:
        gone, card = game.removed.get(change.component), game.components.get(change.component)
        if gone is not None and change.path == ("count",) and gone.title is not None:
            yield gone.id, gone.title
        elif card is not None and _changes_title(card, change):
            yield card.id, _get_title_before(change)


def _changes_title(card: Component, change: Change) -> bool:
    """Return whether a change is one of what a component is called."""
    if not change.path or change.old is None or card.title is None:
        return False
    return find_title({change.path[0]: card.get(change.path[0])}, change.where) == card.title


def _get_title_before(change: Change) -> Words:
    """Return a title as it was before a change of all of it, or of one language."""
    old = change.old.data if change.old is not None else None
    if isinstance(old, Mapping):
        return Words({str(key): str(text) for key, text in old.items()}, change.where)
    language = change.path[-1] if len(change.path) > 1 else "en"
    return Words({language: str(old)}, change.where)


def _is_title_of_other_component(game: Game, ident: str, title: str, language: str) -> bool:
    others = (card.title for card in game.components.values() if card.id != ident)
    return any(other is not None and other.text(language) == title for other in others)


def _mentions_old_title(text: str, title: str, new_title: str) -> bool:
    """Return whether a text has a title in it, and not only as a part of the new one."""
    words = re.sub(
        r"[*_]|\s+", " ", text.replace(new_title, " ") if new_title and title in new_title else text
    )
    return re.search(rf"(?<!\w){re.escape(title)}(?!\w)", re.sub(r" +", " ", words)) is not None


def _iter_game_texts(game: Game, language: str, component_id: str) -> Iterator[tuple[Where, str]]:
    """Yield the texts of a game in one language, but the title of one component, each with its place."""
    for card in game.components.values():
        for words in iter_words(card.fields):
            if language in words.texts and not (card.id == component_id and words == card.title):
                yield words.get_place(language), words.texts[language]
    noted = [rule.words for rule in game.rules.values()]
    for ruling in game.rulings.values():
        noted += [ruling.words, *ruling.option_words.values()]
    yield from (
        (words.get_place(language), words.texts[language]) for words in noted if language in words.texts
    )
    for claim in game.claims.values():
        yield claim.where, get_sentences_by_language(claim, game).get(language, "")
    yield from _iter_texts_in_node(game.vocabulary.node, language)
    with suppress(InputError):  # lint says what is wrong with it
        document = read_document(game.folder, language, game.edits)
        for paragraph in document.iter_paragraphs() if document is not None else ():
            yield paragraph.where, "".join(span for span in paragraph.spans if isinstance(span, str))


def _iter_texts_in_node(node: YamlNode, language: str) -> Iterator[tuple[Where, str]]:
    """Yield the texts that stand under a language anywhere in a file."""
    for key, entry in node.entries.items():
        if key == language and isinstance(entry.node.value, str):
            yield entry.node.where, entry.node.value
        yield from _iter_texts_in_node(entry.node, language)
