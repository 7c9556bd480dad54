"""Which rules of the rulebook have to do with what an erratum changes in play.

A number is put back alone, and the game built with it: the rules that the differing parts cite are those that it is
played by. If it is a number of set-up, which no card shows, these rules say it; one that still says the old number is
named (PP850). One that says the new number needs no word of the number's name to be right, so PP847 falls for it. A
rule that an erratum adds, and that nothing in the game cites, is played by nobody (PP847).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game as Cards
from playproof.database.number_words import count_numbers_except_word_one
from playproof.database.patch import Change, Erratum
from playproof.database.rulebook import Rule
from playproof.database.source import YamlNode
from playproof.language.description import compute_digest_of_rules_part
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import UnknownGame, build, needs_cards_to_build_rules
from playproof.linting.played_values import (
    REFUSALS,
    OptionsAndRulings,
    PlayDigests,
    copy_cards_with_value_or_none,
    list_smallest_value_changes,
)
from playproof.linting.unplayed_errata import load_games_around_erratum


@dataclass(frozen=True)
class ChangedNumber:
    """A whole number that an erratum changes, and the ids of the rules that it is played by."""

    change: Change
    old: int
    new: int
    rules: frozenset[str]


@dataclass(eq=False)
class RulesOfChangedNumbers:
    """The changed numbers of an erratum with the rules that they are played by, found when they are asked for."""

    ref: str
    game: Cards
    erratum: Erratum

    @cached_property
    def changed_numbers(self) -> tuple[ChangedNumber, ...]:
        """Each whole number that the erratum replaces by another; none if one of the two versions cannot be read or
        played."""
        with suppress(*REFUSALS):
            return tuple(self._iter_changed_numbers())
        return ()

    def _iter_changed_numbers(self) -> Iterator[ChangedNumber]:
        before, after = load_games_around_erratum(self.ref, self.game, self.erratum)
        plays = PlayDigests(self.ref, after)
        for change, leaf in list_smallest_value_changes(before, self.erratum):
            if type(leaf.old) is not int or type(leaf.new) is not int or not leaf.is_played:
                continue
            with suppress(InputError):  # alone, the old number does not fit the other changes
                other = copy_cards_with_value_or_none(after, change, leaf.path, leaf.new, leaf.old)
                rules = find_rules_of_differing_parts(plays, other) if other is not None else frozenset[str]()
                yield ChangedNumber(change, leaf.old, leaf.new, rules)


def find_rules_of_differing_parts(plays: PlayDigests, other_cards: Cards) -> frozenset[str]:
    """Return the ids of the rules that are cited by what differs in play, in the first setting in which anything
    does, when a game is played with other cards."""
    for setting in plays.iter_settings_usual_first():
        if plays.do_cards_play_differently_in_setting(plays.cards, other_cards, setting):
            with suppress(*REFUSALS):
                parts, others = (_list_parts(plays.ref, cards, setting) for cards in (plays.cards, other_cards))
                return frozenset(
                    rule for part in {*parts.items()} ^ {*others.items()} for rule in part[0].rules.split()
                )
    return frozenset()


@dataclass(frozen=True)
class _Part:
    """A part of a game by its name, with the ids of the rules that it cites."""

    name: str
    rules: str


def _list_parts(game_ref: str, cards: Cards, setting: OptionsAndRulings) -> dict[_Part, str]:
    """Return what each part of a game does, as a digest or in words."""
    game = build(game_ref, Options(*setting), cards).seal()
    return dict(_iter_parts(game))


def _iter_parts(game: Game) -> Iterator[tuple[_Part, str]]:
    for held in game.fields:
        yield _Part(f"field {held.name}", " ".join(held.rules)), f"{held.lo} {held.hi} {held.start}"
    for action in game.actions:
        yield _Part(f"action {action.name}", " ".join(action.rules)), compute_digest_of_rules_part(game, action)
    for phase in game.phases:
        yield _Part(f"phase {phase.name}", " ".join(phase.rules)), compute_digest_of_rules_part(game, phase)


def list_rules_of_changed_numbers_per_erratum(game_ref: str, game: Cards) -> list[RulesOfChangedNumbers]:
    """Return each erratum in use with its numbers, but for those that take another back; none of a game without rules
    or of which the rules do not read the cards."""
    with suppress(UnknownGame):
        if needs_cards_to_build_rules(game_ref):
            used = (erratum for erratum in game.errata if erratum.version in game.applied and not erratum.undoes)
            return [RulesOfChangedNumbers(game_ref, game, erratum) for erratum in used]
    return []


# -- findings -------------------------------------------------------------------------------------------------------


def iter_findings_of_rules_with_outdated_numbers(of_erratum: RulesOfChangedNumbers) -> Iterator[Finding]:
    """PP850: a rule by which a number of set-up is played says the number that it was, and not the one that it is."""
    if not any(_is_of_setup(change) for change in of_erratum.erratum.changes):
        return
    game = of_erratum.game
    for number in of_erratum.changed_numbers:
        if not _is_of_setup(number.change):
            continue
        for rule in game.rules.values():
            outdated = [each for each in game.languages if _does_rule_say_old_number(rule, each, number)]
            if outdated and rule.id in number.rules:
                yield _make_outdated_rule_finding(of_erratum, number, rule, outdated)


def _is_of_setup(change: Change) -> bool:
    """Return whether a change is of a number of set-up, which no card shows."""
    return change.file == "game" and change.path[:1] == ("numbers",)


def _does_rule_say_old_number(rule: Rule, language: str, number: ChangedNumber) -> bool:
    said = count_numbers_except_word_one(rule.words.texts.get(language, ""), language)
    return bool(said[number.old]) and not said[number.new]


def _make_outdated_rule_finding(
    of_erratum: RulesOfChangedNumbers, number: ChangedNumber, rule: Rule, languages: Sequence[str]
) -> Finding:
    name, version, told = ".".join(number.change.path), of_erratum.erratum.version, ", ".join(languages)
    message = f"{rule.id} still says {number.old} ({told}): `{name}` is {number.new} with erratum {version}"
    text = f"rules.{rule.id}.text" + (f".{languages[0]}" if len(of_erratum.game.languages) > 1 else "")
    hint = f"if it speaks of this number, change it too: `file: rulebook, path: {text}`"
    return Finding("PP850", number.change.where, f"{message}, and was {number.old}", hint, severity="warning")


def iter_findings_of_added_rules_not_cited(of_erratum: RulesOfChangedNumbers) -> Iterator[Finding]:
    """PP847: an erratum adds a rule that nothing in the rules of the game cites, under any option."""
    added = {
        change.path[1]: change
        for change in of_erratum.erratum.changes
        if change.file == "rulebook" and change.path[:1] == ("rules",) and len(change.path) == 2 and change.old is None
    }
    if not added:
        return
    cited = set[str]()
    plays = PlayDigests(of_erratum.ref, of_erratum.game)
    with suppress(*REFUSALS):
        for setting in plays.iter_settings_usual_first():
            cited |= {*build(of_erratum.ref, Options(*setting), of_erratum.game).citations}
            if cited.issuperset(added):
                return
    for rule, change in added.items():
        if rule not in cited:
            message = (
                f"erratum {of_erratum.erratum.version} adds rule {rule}, and nothing in the rules of the game cites it"
            )
            hint = f'if something happens by it, write it in the rules and cite it there (`rule="{rule}"`)'
            yield Finding("PP847", change.where, f"{message}: it is played as before", hint, severity="warning")


def is_rewording_of_rule_played(of_erratum: RulesOfChangedNumbers, reworded: Finding) -> bool:
    """Return whether a rule that an erratum words anew (PP847) says a number that the erratum changes, and by which the
    rule is played."""
    change = next((each for each in of_erratum.erratum.changes if each.where == reworded.where), None)
    if change is None or change.file != "rulebook" or change.path[:1] != ("rules",):
        return False
    sides = (side.get("text") if side and len(change.path) == 2 else side for side in (change.old, change.new))
    old, new = (_get_texts_by_language(of_erratum.game, change, side) for side in sides)
    return any(
        change.path[1] in number.rules and _does_text_follow_number(old, new, number)
        for number in of_erratum.changed_numbers
    )


def _get_texts_by_language(cards: Cards, change: Change, side: YamlNode | None) -> dict[str, str]:
    """Return one side of a changed text by its languages."""
    value = side.data if side else ""
    if isinstance(value, dict):
        return {str(language): str(text) for language, text in value.items()}
    return {change.path[-1] if change.path[-1] in cards.languages else cards.languages[0]: str(value)}


def _does_text_follow_number(old_texts: dict[str, str], new_texts: dict[str, str], number: ChangedNumber) -> bool:
    """Return whether a text says the new value where it said the old one, in some language."""
    return any(
        count_numbers_except_word_one(text, language)[number.old]
        and count_numbers_except_word_one(new_texts.get(language, ""), language)[number.new]
        for language, text in old_texts.items()
    )


def list_findings_without_rewordings_played(
    findings: Sequence[Finding], numbers: Sequence[RulesOfChangedNumbers]
) -> list[Finding]:
    """Return findings but for those that a rule is worded anew and played as before (PP847), where it is not."""
    return [
        finding
        for finding in findings
        if finding.code != "PP847" or not any(is_rewording_of_rule_played(each, finding) for each in numbers)
    ]
