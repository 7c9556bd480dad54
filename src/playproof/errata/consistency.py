"""Whether a changed game is consistent: what would be if the cards worded alike changed in the same way,
what lint and the rules say, and words that still say the old number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from playproof.database.components import Component, Words
from playproof.database.effect_text import CardTextWithEffect, iter_pairs_of_own_and_similar_text
from playproof.database.errors import Finding, InputError, Where
from playproof.database.field_readers import iter_changed_leaves_with_old_and_new
from playproof.database.game import Game, Game as Cards, add_proposed_erratum_during_block, load_game
from playproof.database.lint_numbers import iter_quantities_of_component
from playproof.database.number_words import count_numbers_except_word_one, get_number_words
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import yaml_node_from_data_at_one_place
from playproof.database.source import YamlData, YamlNode
from playproof.database.vocabulary import Term
from playproof.database.worker_processes import start_or_defer_work_until_waited
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier_language import ENGLISH, DossierLanguage
from playproof.errata.stored_checks import StoredChecks, findings_from_json, findings_to_json_or_none
from playproof.errata.versions import ComponentDifference
from playproof.language.game import Game as PlayedGame
from playproof.language.options import Options
from playproof.language.registry import UnknownGame, build, load_cards_if_rules_need_them
from playproof.linting.played_values import (
    REFUSALS,
    PlayDigests,
    list_unplayed_changes_of_erratum,
    make_refused_cards_finding,
)
from playproof.linting.random_play import find_rule_broken_in_random_play_or_none
from playproof.linting.rules import convert_rule_place_to_file_place
from playproof.linting.unplayed_errata import list_unplayed_ruling_options
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.referee.simulate import find_rule_broken_in_sampled_games_or_none

if TYPE_CHECKING:
    from playproof.errata.claim_comparison import GameVersions, Selector


# -- consistent ----------------------------------------------------------------------------------------------
# What would be if the cards that are worded alike changed in the same way as the erratum's own.

_NUMBER = re.compile(r"\d+")
Path = tuple[str, ...]
_PathChange = tuple[Path, YamlData, YamlData]


@dataclass(frozen=True)
class FamilyChange:
    """The relatives that the same change fits, by card and option, and those that it does not fit, with what they say.
    `claims` compares the erratum alone with the erratum on all that it fits; None if nothing was asked, as where the
    rules refuse the cards."""

    fits: tuple[str, ...]
    misfits: Mapping[str, str]
    erratum: YamlNode | None
    claims: ClaimComparison | None = None
    refused: bool = False

    def list_sentences_on_claims_changed_beyond_erratum(self, dossier_language: DossierLanguage = ENGLISH) -> list[str]:
        """What the claims would answer otherwise than with the erratum alone, in sentences; none if no claim would.
        What was not asked to the end says nothing of the cards."""
        claims = self.claims or ClaimComparison((), ())
        claims = replace(claims, after=tuple(a for a in claims.after if a.id not in claims.waiting))
        before = {answer.id: (answer.verdict, answer.value) for answer in claims.before}
        differ = [a for a in claims.after if before.get(a.id, (a.verdict, a.value)) != (a.verdict, a.value)]
        return claims.list_sentences_on_changed_answers(dossier_language) if differ else []

    def as_json(self, dossier_language: DossierLanguage = ENGLISH) -> dict[str, Any]:
        """Return the shape of `build_family_change_for_relatives` in `errata --json`."""
        claims = self.claims.as_json(dossier_language) if self.claims else None
        return {"fits": list(self.fits), "misfits": dict(self.misfits), "refused": self.refused, "claims": claims}


def build_family_change_for_relatives(game_ref: str, game_before: Game, erratum: Erratum) -> FamilyChange:
    """Return the same change on the relatives of an erratum's cards; `game_before` is the game before it."""
    wanted, texts = dict[str, dict[Path, _PathChange]](), dict[str, CardTextWithEffect]()
    for own, other in _iter_changed_and_unchanged_relative_texts(game_before, erratum):
        for change in erratum.changes:
            for leaf in _iter_change_as_on_relative_text(game_before, change, own, other):
                name = other.name if other.at.isupper() else other.component
                wanted.setdefault(name, {})[leaf[0]] = leaf
                texts[name] = other
    misfits: dict[str, str] = {}
    while fits := {name: leaves for name, leaves in wanted.items() if name not in misfits}:
        parts = [(name, texts[name], leaf) for name, leaves in fits.items() for leaf in leaves.values()]
        node = _build_family_erratum_node(erratum, parts)
        try:
            with add_proposed_erratum_during_block(game_ref, node) as version:
                load_game(game_ref, version)
            return FamilyChange(tuple(fits), misfits, node)
        except InputError as error:
            blamed = {str(finding.where.file) for finding in error.findings}
            wrong = [name for name in fits if name in blamed] or fits
            misfits |= {name: texts[name].words for name in wrong}
    return FamilyChange((), misfits, None)


def add_claims_or_refusal_to_family_change(
    family_change: FamilyChange, versions: GameVersions, claims_with_erratum_alone: ClaimComparison, **claim_limits: Any
) -> FamilyChange:
    """Return the same change with the claims that it moves beyond the erratum alone, of which the answers are given.
    `limits` go to `claims.compare`. Where the rules refuse the cards, no claim is asked."""
    if family_change.erratum is None:
        return family_change
    # They bring the verifier, which a dossier without proofs does without.
    from playproof.errata.claim_comparison import GameVersions
    from playproof.verifier.questions.claims_of_game import load_claims_as_questions_or_raise

    with add_proposed_erratum_during_block(versions.ref, family_change.erratum) as version:
        if are_cards_refused_or_rules_missing(versions.ref, version):
            return replace(family_change, refused=True)
        both = GameVersions(
            versions.ref, versions.new, version, load_claims_as_questions_or_raise(versions.ref, versions.new)
        )
        alike = both.list_claim_ids_or_none_if_any_touched(claim_limits.get("only", ()))
        if alike is not None:
            claims = ClaimComparison((), (), alike)
        else:
            from playproof.errata.claims import compare_claim_answers_in_two_versions

            claims = compare_claim_answers_in_two_versions(both.ref, both.old, both.new, versions=both, **claim_limits)
    before = {answer.id: answer for answer in (*claims.before, *claims_with_erratum_alone.after)}
    return replace(family_change, claims=replace(claims, before=tuple(before.values())))


def _iter_changed_and_unchanged_relative_texts(
    game_before: Game, erratum: Erratum
) -> Iterator[tuple[CardTextWithEffect, CardTextWithEffect]]:
    """Yield each text of a changed card with a text of its family on a card that does not change."""
    changed = [ident for ident in erratum.components if ident in game_before.components]
    for ident in changed:
        yield from (
            pair for pair in iter_pairs_of_own_and_similar_text(game_before, ident) if pair[1].component not in changed
        )


def _build_family_erratum_node(
    erratum: Erratum, changes_of_relatives: Sequence[tuple[str, CardTextWithEffect, _PathChange]]
) -> YamlNode:
    """Return the change as an erratum that builds on the given one. Each part has its relative as its place."""
    head: dict[str, YamlData] = {
        "version": f"{erratum.version}+family",
        "date": erratum.date,
        "status": "proposed",
        "follows": erratum.version,
        "note": "the same change on cards worded alike",
        "changes": [],
    }
    whole = yaml_node_from_data_at_one_place(head, Where("errata"))
    changes = tuple(
        yaml_node_from_data_at_one_place(_make_change_entry_data(text.component, leaf), Where(name))
        for name, text, leaf in changes_of_relatives
    )
    entries = dict(whole.entries)
    entries["changes"] = entries["changes"]._replace(node=YamlNode(changes, whole.where))
    return whole._replace(value=entries)


def _make_change_entry_data(component_id: str, path_old_new: _PathChange) -> dict[str, YamlData]:
    path, old, new = path_old_new
    sides = {key: value for key, value in (("from", old), ("to", new)) if value is not None}
    return {"component": component_id, "path": ".".join(path), **sides}


def _iter_change_as_on_relative_text(
    game_before: Game, change: Change, own_text: CardTextWithEffect, relative_text: CardTextWithEffect
) -> Iterator[_PathChange]:
    """Yield the parts of a change that lie in a text, as they would stand in another text of its family."""
    if (
        change.component != own_text.component
        or len(_get_path_of_text_on_card(own_text)) != len(_get_path_of_text_on_card(relative_text))
        or bool(own_text.at) != bool(relative_text.at)
    ):
        return  # of another card, or one of the two is an option, a field of effects or written words
    sides = (node.data if node else None for node in (change.old, change.new))
    start = _get_path_of_text_on_card(own_text)
    for path, before, after in iter_changed_leaves_with_old_and_new(change.path, *sides):
        if path[: len(start)] != start:
            continue
        target = (*_get_path_of_text_on_card(relative_text), *path[len(start) :])
        like = (
            _get_hand_written_text_or_none(game_before, relative_text, target)
            if isinstance(before, str) and isinstance(after, str)
            else None
        )
        if like is not None and (reworded := _reword_relative_text_or_none(str(before), str(after), like)) is not None:
            before, after = like, reworded
        yield target, before, after


def _get_path_of_text_on_card(saying: CardTextWithEffect) -> Path:
    """Return where a text stands on its card: an option by its letter, else a field."""
    return ("options", saying.at) if saying.at.isupper() else (saying.at or "text",)


def _get_hand_written_text_or_none(game: Game, saying: CardTextWithEffect, value_path: Path) -> str | None:
    """Return the hand-written words at a path of a text's card, None if there are none."""
    card = game.components[saying.component]
    letters = {option.letter: option.text for option in card.options}
    words = letters.get(saying.at) if saying.at else card.fields.get("text")
    if not isinstance(words, Words) or "text" not in value_path:
        return None
    return words.texts.get(value_path[-1]) or (next(iter(words.texts.values())) if value_path[-1] == "text" else None)


def _reword_relative_text_or_none(old_text: str, new_text: str, relative_text: str) -> str | None:
    """Return a text like the old one in all but numbers with the same words replaced; None if it has others there.

    >>> _reword_relative_text_or_none(
    ...     "Gain 2 Coins, lose 2 Light.", "Gain 2 Coins, lose 1 Light.", "Gain 3 Coins, lose 2 Light."
    ... )
    'Gain 3 Coins, lose 1 Light.'
    >>> _reword_relative_text_or_none("Lose 2 Light.", "Lose 1 Light.", "Lose 3 Light.")
    """
    if _NUMBER.sub("#", old_text) != _NUMBER.sub("#", relative_text):
        return None
    was, now, words = old_text.split(), new_text.split(), relative_text.split()
    made: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal" and words[a:b] != was[a:b]:
            return None
        made += words[a:b] if tag == "equal" else now[c:d]
    return " ".join(made)


# -- checks --------------------------------------------------------------------------------------------------
# What lint and the rules say of a changed game.

_PLAYED_SETTINGS = 3
_PLAYED_GAMES = 2_000
"""In so many settings at most, a few random games are played for what breaks the rules."""


@dataclass
class LintComparison:
    """The whole lint of a changed game, beside other work where there are several cores. The game as it was is
    looked at only if something is to be compared."""

    game: str
    old: Selector
    new: Selector
    jobs: int = 1
    stored: StoredChecks | None = None

    def __post_init__(self) -> None:
        self._after = self._start_or_recall_lint_of_version(self.new, self.jobs)

    def _start_or_recall_lint_of_version(self, version: Selector, jobs: int) -> Callable[[], list[Finding]]:
        """Begin to lint a version, or recall what was found."""
        find = partial(list_all_lint_findings_of_game, self.game, version)
        if self.stored is None:
            return start_or_defer_work_until_waited(find, jobs)
        return self.stored.start_check_or_recall_result(
            f"lint {version}", find, jobs, findings_to_json_or_none, findings_from_json
        )

    def wait_for_new_lint_findings(self) -> list[Finding]:
        """Return what lint finds in the changed game and did not find in the game before it."""
        after = self._after()
        if not after:
            return []
        before = _list_comparable_keys_of_findings(self._start_or_recall_lint_of_version(self.old, 1)())
        return [
            finding
            for finding, mark in zip(after, _list_comparable_keys_of_findings(after), strict=True)
            if mark not in before
        ]


def _list_comparable_keys_of_findings(findings: Sequence[Finding]) -> list[tuple[str, str, object]]:
    return [(finding.code, finding.message, finding.about) for finding in findings]


def raise_unless_rules_play_changed_values(
    game_ref: str, cards_before: Cards, cards_after: Cards, erratum: Erratum, plays: PlayDigests | None = None
) -> None:
    """Check that the rules play each value that an erratum changes, but for what is only printed. A game without rules
    has none to ask. Raises InputError, and what the rules raise if they refuse the cards before the erratum too."""
    try:
        build(game_ref, None, cards_after)
    except UnknownGame:
        return
    except REFUSALS as error:
        build(game_ref, None, cards_before)
        raise InputError([make_refused_cards_finding(erratum, error)]) from None
    findings = [
        *list_unplayed_changes_of_erratum(game_ref, cards_before, cards_after, erratum, plays),
        *list_unplayed_ruling_options(game_ref, cards_before, cards_after, erratum),
    ]
    if findings:
        raise InputError(findings)


def find_or_recall_rules_broken_by_changes(plays: PlayDigests, new: Cards, stored: StoredChecks) -> list[Finding]:
    """Return the findings of `list_rules_newly_broken_in_play`, or what an earlier run found in the same versions."""
    find = partial(list_rules_newly_broken_in_play, plays, new)
    return stored.start_check_or_recall_result("broken rules", find, 1, findings_to_json_or_none, findings_from_json)()


def list_rules_newly_broken_in_play(plays: PlayDigests, new: Cards) -> list[Finding]:
    """Return where random games of the changed cards break the rules, as by a value out of its bounds, and those of the
    old cards do not: in the first settings in which something differs, rulings as by default."""
    game, old, findings = plays.ref, plays.cards, dict[str, Finding]()
    settings = (each for each in plays.iter_settings_usual_first() if not each[1])
    differing = (each for each in settings if plays.do_cards_play_differently_in_setting(old, new, each))
    for setting in islice(differing, _PLAYED_SETTINGS):
        with suppress(*REFUSALS):  # a setting that the rules do not have with these cards
            broken = _find_rule_broken_in_random_games_or_none(build(game, Options(*setting), new))
            if broken is not None and not _find_rule_broken_in_random_games_or_none(
                build(game, Options(*setting), old)
            ):
                findings[str(broken)] = broken
    return list(findings.values())


def _find_rule_broken_in_random_games_or_none(game: PlayedGame) -> Finding | None:
    """Return where random games break the rules: some steps looked at closely, then a sample of whole games."""
    if finding := find_rule_broken_in_random_play_or_none(game):
        return finding
    error = find_rule_broken_in_sampled_games_or_none(game, ["random"] * game.players, 0, _PLAYED_GAMES)
    if error is None:
        return None
    message = f"{error.message} (in a random game)"
    return Finding(error.code, convert_rule_place_to_file_place(error.place), message, error.hint)


def are_cards_refused_or_rules_missing(game_ref: str, version: str) -> bool:
    """Return whether the rules refuse the changed cards: no claim has rules to speak of."""
    try:
        build(game_ref, None, load_cards_if_rules_need_them(game_ref, version))
    except (UnknownGame, *REFUSALS):
        return True
    return False


# -- numbers left --------------------------------------------------------------------------------------------
# Words of a changed component that still say the old number: "one stone" beside a goal that now asks for
# two.

_NEAR = 2
"""How many words may stand between a number and what it counts."""


def iter_findings_of_outdated_numbers_in_texts(
    game_before: Game, game_after: Game, differences: Sequence[ComponentDifference]
) -> Iterator[Finding]:
    """PP836: a text of a changed component says the number that it had, and not the one that it has (a warning)."""
    for difference in differences:
        if difference.old is None or difference.new is None:
            continue
        was, now = (
            {(q.field, q.term.id if q.term else ""): q for q in iter_quantities_of_component(game.vocabulary, card)}
            for game, card in ((game_before, difference.old), (game_after, difference.new))
        )
        for key, quantity in now.items():
            before = was[key].number if key in was else 0
            if before != quantity.number:
                yield from _iter_findings_of_outdated_number_in_card(
                    difference.new, quantity.field, quantity.term, before, quantity.number
                )


def _iter_findings_of_outdated_number_in_card(
    card: Component, number_field: str, term: Term | None, old_number: int, new_number: int
) -> Iterator[Finding]:
    written = {name: words for name, words in card.fields.items() if isinstance(words, Words)}
    for name, words in written.items():
        for language, text in words.texts.items():
            if _is_number_mentioned_in_text(text, language, term, old_number) and not _is_number_mentioned_in_text(
                text, language, term, new_number
            ):
                what = f" {term.name('en', old_number)}" if term else ""
                message = (
                    f"`{name}` of {card.id} still says {old_number}{what}: "
                    f"`{number_field}` is {new_number} now, and was {old_number}"
                )
                hint = "change the text with the number, if it speaks of this number"
                yield Finding("PP836", words.get_place_of_language_text(language), message, hint, severity="warning")


def _is_number_mentioned_in_text(text: str, language: str, term: Term | None, number: int) -> bool:
    """Return whether a text says a number: of a term near the words for it, else anywhere from two on."""
    if term is None:
        return number > 1 and count_numbers_except_word_one(text, language)[number] > 0
    tokens = re.findall(r"\w+", text.casefold())
    names = {each.casefold().split()[place] for n in (1, 2) for each in [term.name(language, n)] for place in (0, -1)}
    called = [place for place, token in enumerate(tokens) if token in names]
    counted = [place for place, token in enumerate(tokens) if _is_word_number(token, language, number)]
    return any(0 < there - here <= _NEAR + 1 for here in counted for there in called)


def _is_word_number(word: str, language: str, number: int) -> bool:
    """Return whether one word is a number, `one` too."""
    if number == 1:
        words = get_number_words(language)
        return word == "1" or word in words.cardinals[1:2] or words.first.get(word) == 1
    return count_numbers_except_word_one(word, language)[number] > 0
