"""Finds rules, and sentences of chapters, that an erratum words anew while what is played stays (PP847).

What happens by a rule is written in Python, which no erratum changes. A rule that says another number therefore needs a
value that becomes this number, and that its words name: by the title of a component, by the name of a thing that is
counted, or by the key of a number of set-up. An equal number elsewhere in the erratum shows nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from playproof.database.components import Component
from playproof.database.errors import Finding
from playproof.database.field_readers import iter_changed_leaves_with_old_and_new
from playproof.database.game import Game, has_rules_file
from playproof.database.lint_errata import get_text_of_change_side_or_empty, iter_languages_and_meaningful_word_changes
from playproof.database.number_words import count_numbers_except_word_one
from playproof.database.patch import Change, Erratum
from playproof.database.patch_targets import FILES
from playproof.database.vocabulary import Vocabulary

_ROLE = re.compile(r"\{(?!number|term)\w+\}`[^`]*`")
"""What a chapter computes or refers to: a fact, a rule, an entry of the index."""
_WORD = re.compile(r"\w{3,}")
_FORMS = ("count", "copies", "options", "do", "pay", "either", "to", "effects", "numbers", "components")
"""Parts of paths that say where a number stands, and not of what it is the number."""
Names = frozenset[str]


@dataclass(frozen=True)
class _ChangedNumber:
    """A whole number that an erratum changes. A text speaks of it if, of one of its `descriptions`, it has a name of
    each part."""

    old: int
    new: int
    descriptions: tuple[tuple[Names, ...], ...]

    def is_named_in(self, text: str) -> bool:
        """Return whether a text speaks of it."""
        words = {word.casefold() for word in _WORD.findall(text)}
        return any(
            all(any(_has_text_all_words_of_name(words, name) for name in part) for part in description)
            for description in self.descriptions
        )


@dataclass(frozen=True)
class _RuleRewording:
    """A rule or sentence that an erratum words anew in one language; numbers that go and come, and a rule's `id`."""

    change: Change
    id: str
    language: str
    old: str
    new: str
    gone: Counter[int]
    come: Counter[int]


def iter_reworded_but_played_same_findings(game: Game) -> Iterator[Finding]:
    """PP847: a rule or a sentence of a chapter says another number, and no value that it names becomes it; or an
    erratum that is said to change what happens words it anew. Both of each erratum in use."""
    if not has_rules_file(game.folder):  # nothing is played
        return
    for erratum in game.errata:
        if erratum.version in game.applied and not erratum.undoes:  # words that come back are as they were
            yield from _iter_unplayed_rewordings_of_erratum(game, erratum)


def _iter_unplayed_rewordings_of_erratum(game: Game, erratum: Erratum) -> Iterator[Finding]:
    changes = list(map(_get_change_of_rule_text, erratum.changes))
    rewordings = [rewording for change in changes for rewording in _iter_rule_rewordings_by_language(change, game)]
    numbers = [number for change in erratum.changes for number in _iter_changed_numbers(game, change)]
    for change in dict.fromkeys(rewording.change for rewording in rewordings):
        said = [
            f"{rewording.language}: {words}"
            for rewording in rewordings
            if rewording.change is change
            and _is_reworded_without_changed_value(rewording, rewordings, numbers, erratum)
            for language, words in iter_languages_and_meaningful_word_changes(change, [rewording.language])
        ]
        if said:
            yield _make_unplayed_rewording_finding(erratum, change, said)


def _get_change_of_rule_text(change: Change) -> Change:
    """Return the change of the text of a rule that is replaced whole; another change as it is."""
    if change.file != "rulebook" or change.path[:1] != ("rules",) or len(change.path) != 2:
        return change
    if change.old is None or change.new is None:
        return change
    return replace(change, path=(*change.path, "text"), old=change.old.get("text"), new=change.new.get("text"))


def _make_unplayed_rewording_finding(
    erratum: Erratum, change: Change, language_and_words_lines: Sequence[str]
) -> Finding:
    is_rule = change.file == "rulebook"
    rule = change.path[1] if is_rule else f"a sentence of {change.file}"
    what = f"changes what {rule} says, and no value that it names: it is played as before"
    cited = f"the rules that cite {rule}" if is_rule else "what is played"
    return Finding(
        "PP847",
        change.where,
        f"erratum {erratum.version} {what}",
        f"if this means something else, change {cited}, too: {'; '.join(language_and_words_lines)}",
        severity="warning",
    )


def _iter_rule_rewordings_by_language(change: Change, game: Game) -> Iterator[_RuleRewording]:
    """Yield what a change words anew, in each language in which it does."""
    is_rule = change.file == "rulebook" and change.path[:1] == ("rules",) and change.path[2:3] == ("text",)
    if not is_rule and (not change.file or change.file in FILES):
        return
    for language in game.languages:
        old, new = (
            _ROLE.sub("", get_text_of_change_side_or_empty(change, node.data if node else None, language))
            for node in (change.old, change.new)
        )
        if old != new and (old or new):
            was, now = (count_numbers_except_word_one(text, language) for text in (old, new))
            ident = change.path[1] if is_rule else ""
            yield _RuleRewording(change, ident, language, old, new, was - now, now - was)


def _is_reworded_without_changed_value(
    rewording: _RuleRewording,
    rewordings: Iterable[_RuleRewording],
    changed_numbers: Sequence[_ChangedNumber],
    erratum: Erratum,
) -> bool:
    """Return whether no changed value is what a text says otherwise. Without a number in it, only the class of the
    erratum says whether new words mean something else."""
    gone, come = rewording.gone, rewording.come
    if not gone and not come:
        return erratum.kind in ("function", "balance") or (erratum.kind is None and bool(changed_numbers))
    text = " ".join(f"{each.old} {each.new}" for each in rewordings if _are_rewordings_of_same_text(each, rewording))
    return not any(
        (number.old in gone or not gone) and (number.new in come or not come) and number.is_named_in(text)
        for number in changed_numbers
    )


def _are_rewordings_of_same_text(one: _RuleRewording, other: _RuleRewording) -> bool:
    """Return whether two rewordings are of one text, or translations of each other. A chapter has a file for each
    language."""
    same_text = one.change is other.change or (one.id == other.id and bool(one.id))
    translated = one.language != other.language and not one.id and not other.id
    return same_text or (translated and (one.gone, one.come) == (other.gone, other.come))


# -- changed numbers ------------------------------------------------------------------------------------------------


def _iter_changed_numbers(game: Game, change: Change) -> Iterator[_ChangedNumber]:
    """Yield each whole number that a change of a component, of game.yaml or of the vocabulary replaces."""
    if change.file not in ("", "game", "vocabulary"):
        return
    old, new = (node.data if node is not None else None for node in (change.old, change.new))
    if change.path == ("count",) and old is None:
        old = 1  # where no count is written
    for path, was, now in iter_changed_leaves_with_old_and_new(change.path, old, new):
        if type(was) is int and type(now) is int:
            yield _ChangedNumber(was, now, tuple(_iter_ways_text_names_number(game, change, path)))


def _iter_ways_text_names_number(game: Game, change: Change, path: Sequence[str]) -> Iterator[tuple[Names, ...]]:
    """Yield each way in which a text may name a number: the names of its parts."""
    card = game.components.get(change.component) or game.removed.get(change.component)
    if card is not None:
        if card.title is not None:
            yield (frozenset(card.title.texts.values()),)
        if inner := _collect_field_and_term_names_on_path(game.vocabulary, card, path):
            yield frozenset({card.kind, *game.vocabulary.kinds[card.kind].name.values()}), inner
    elif change.file == "game" and path[:1] == ("components",):
        name = game.node.get_node_or_nearest_ancestor([*path[:1], int(path[1]), "name"]).data
        yield (frozenset(map(str, name.values() if isinstance(name, dict) else [name])),)
    elif change.file:
        yield (_collect_field_and_term_names_on_path(game.vocabulary, None, path),)


def _collect_field_and_term_names_on_path(vocabulary: Vocabulary, card: Component | None, path: Sequence[str]) -> Names:
    """Return the names of the fields and terms in a path, in all languages; of effects none, whose verbs stand in many
    rules."""
    names = set[str]()
    for key in path:
        if key in _FORMS or key in vocabulary.effects or not _WORD.search(key) or key.isdigit():
            continue
        names.add(re.sub(r"[_-]", " ", key) if card is not None else key.replace("_", " ").split()[-1])
        names |= {
            text
            for group in vocabulary.terms.values()
            if key in group
            for text in (*group[key].spec.name.values(), *(group[key].spec.plural or {}).values())
        }
        field = vocabulary.kinds[card.kind].fields.get(key) if card is not None else None
        names |= set(field.name.values()) if field is not None else set()
    return frozenset(names)


def _has_text_all_words_of_name(text_words: set[str], name: str) -> bool:
    """Return whether a text has the words of a name, in the singular or the plural. `words` are the text's."""
    parts = [word.casefold() for word in _WORD.findall(name)]
    return bool(parts) and all(any(_is_same_word_but_for_ending(word, part) for word in text_words) for part in parts)


def _is_same_word_but_for_ending(word: str, other: str) -> bool:
    """Return whether two words are equal but for an ending of at most two letters."""
    shorter, longer = sorted((word, other), key=len)
    stem = shorter.removesuffix("y")
    return longer.startswith(stem) and len(longer) - len(stem) <= (2 if stem == shorter else 3)
