"""Whether a changed game is consistent: what would be if the cards worded alike changed in the same way,
what lint and the rules say, and words that still say the old number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from playproof.database.components import Component, Words
from playproof.database.effect_text import CardSaying, iter_related_sayings
from playproof.database.errors import Finding, InputError, Where
from playproof.database.game import Game, Game as Cards, add_proposed_erratum, load_game
from playproof.database.lint_numbers import iter_quantities
from playproof.database.number_words import count_numbers, get_number_words
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import node_from_data
from playproof.database.source import YamlData, YamlNode
from playproof.database.vocabulary import Term
from playproof.database.worker_processes import start_in_background
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier_language import ENGLISH, DossierLanguage
from playproof.errata.versions import ComponentDifference
from playproof.language.registry import UnknownGame, build, load_game_cards
from playproof.linting.played_values import REFUSALS, find_unplayed_changes, make_refused_cards_finding
from playproof.linting.whole_game import lint_whole_game

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

    def describe_changed_claims(self, speech: DossierLanguage = ENGLISH) -> list[str]:
        """What the claims would answer otherwise than with the erratum alone, in sentences; none if no claim would.
        What was not asked to the end says nothing of the cards."""
        claims = self.claims or ClaimComparison((), ())
        claims = replace(claims, after=tuple(a for a in claims.after if a.id not in claims.waiting))
        before = {answer.id: (answer.verdict, answer.value) for answer in claims.before}
        differ = [a for a in claims.after if before.get(a.id, (a.verdict, a.value)) != (a.verdict, a.value)]
        return claims.describe_changes(speech) if differ else []

    def as_json(self, speech: DossierLanguage = ENGLISH) -> dict[str, Any]:
        """Return the shape of `extend_erratum_to_relatives` in `errata --json`."""
        claims = self.claims.as_json(speech) if self.claims else None
        return {
            "fits": list(self.fits),
            "misfits": dict(self.misfits),
            "refused": self.refused,
            "claims": claims,
        }


def extend_erratum_to_relatives(ref: str, old: Game, erratum: Erratum) -> FamilyChange:
    """Return the same change on the relatives of an erratum's cards; `old` is the game before it."""
    wanted, texts = dict[str, dict[Path, _PathChange]](), dict[str, CardSaying]()
    for own, other in _iter_unchanged_relatives(old, erratum):
        for change in erratum.changes:
            for leaf in _transfer_change_to_relative(old, change, own, other):
                name = other.name if other.at.isupper() else other.component
                wanted.setdefault(name, {})[leaf[0]] = leaf
                texts[name] = other
    misfits: dict[str, str] = {}
    while fits := {name: leaves for name, leaves in wanted.items() if name not in misfits}:
        parts = [(name, texts[name], leaf) for name, leaves in fits.items() for leaf in leaves.values()]
        node = _build_family_erratum_node(erratum, parts)
        try:
            with add_proposed_erratum(ref, node) as version:
                load_game(ref, version)
            return FamilyChange(tuple(fits), misfits, node)
        except InputError as error:
            blamed = {str(finding.where.file) for finding in error.findings}
            wrong = [name for name in fits if name in blamed] or fits
            misfits |= {name: texts[name].words for name in wrong}
    return FamilyChange((), misfits, None)


def compare_claims_with_family_change(
    family_change: FamilyChange, versions: GameVersions, erratum_comparison: ClaimComparison, **limits: Any
) -> FamilyChange:
    """Return the same change with the claims that it moves beyond the erratum alone, of which the answers are given.
    `limits` go to `claims.compare`. Where the rules refuse the cards, no claim is asked."""
    if family_change.erratum is None:
        return family_change
    # They bring the verifier, which a dossier without proofs does without.
    from playproof.errata.claim_comparison import GameVersions
    from playproof.verifier.questions.claims_of_game import load_claims

    with add_proposed_erratum(versions.ref, family_change.erratum) as version:
        if do_rules_refuse_cards(versions.ref, version):
            return replace(family_change, refused=True)
        both = GameVersions(versions.ref, versions.new, version, load_claims(versions.ref, versions.new))
        alike = both.list_claims_if_none_is_touched(limits.get("only", ()))
        if alike is not None:
            claims = ClaimComparison((), (), alike)
        else:
            from playproof.errata.claims import compare_claim_answers

            claims = compare_claim_answers(both.ref, both.old, both.new, versions=both, **limits)
    before = {answer.id: answer for answer in (*claims.before, *erratum_comparison.after)}
    return replace(family_change, claims=replace(claims, before=tuple(before.values())))


def _iter_unchanged_relatives(old: Game, erratum: Erratum) -> Iterator[tuple[CardSaying, CardSaying]]:
    """Yield each text of a changed card with a text of its family on a card that does not change."""
    changed = [ident for ident in erratum.components if ident in old.components]
    for ident in changed:
        yield from (pair for pair in iter_related_sayings(old, ident) if pair[1].component not in changed)


def _build_family_erratum_node(
    erratum: Erratum, parts: Sequence[tuple[str, CardSaying, _PathChange]]
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
    whole = node_from_data(head, Where("errata"))
    changes = tuple(
        node_from_data(_change_entry(text.component, leaf), Where(name)) for name, text, leaf in parts
    )
    entries = dict(whole.entries)
    entries["changes"] = entries["changes"]._replace(node=YamlNode(changes, whole.where))
    return whole._replace(value=entries)


def _change_entry(component: str, leaf: _PathChange) -> dict[str, YamlData]:
    path, old, new = leaf
    sides = {key: value for key, value in (("from", old), ("to", new)) if value is not None}
    return {"component": component, "path": ".".join(path), **sides}


def _transfer_change_to_relative(
    old: Game, change: Change, own_text: CardSaying, relative_text: CardSaying
) -> Iterator[_PathChange]:
    """Yield the parts of a change that lie in a text, as they would stand in another text of its family."""
    if (
        change.component != own_text.component
        or len(_path_of_text(own_text)) != len(_path_of_text(relative_text))
        or bool(own_text.at) != bool(relative_text.at)
    ):
        return  # of another card, or one of the two is an option, a field of effects or written words
    sides = (node.data if node else None for node in (change.old, change.new))
    start = _path_of_text(own_text)
    for path, before, after in _iter_smallest_changes(change.path, *sides):
        if path[: len(start)] != start:
            continue
        target = (*_path_of_text(relative_text), *path[len(start) :])
        like = (
            _hand_written_text_at(old, relative_text, target)
            if isinstance(before, str) and isinstance(after, str)
            else None
        )
        if (
            like is not None
            and (reworded := _apply_same_rewording(str(before), str(after), like)) is not None
        ):
            before, after = like, reworded
        yield target, before, after


def _path_of_text(saying: CardSaying) -> Path:
    """Return where a text stands on its card: an option by its letter, else a field."""
    return ("options", saying.at) if saying.at.isupper() else (saying.at or "text",)


def _iter_smallest_changes(path: Path, old: YamlData, new: YamlData) -> Iterator[_PathChange]:
    """Yield the smallest values that a change replaces, each with its path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _iter_smallest_changes((*path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _iter_smallest_changes((*path, str(number)), was, now)
    elif old != new:
        yield path, old, new


def _hand_written_text_at(game: Game, saying: CardSaying, path: Path) -> str | None:
    """Return the hand-written words at a path of a text's card, None if there are none."""
    card = game.components[saying.component]
    letters = {option.letter: option.text for option in card.options}
    words = letters.get(saying.at) if saying.at else card.fields.get("text")
    if not isinstance(words, Words) or "text" not in path:
        return None
    return words.texts.get(path[-1]) or (next(iter(words.texts.values())) if path[-1] == "text" else None)


def _apply_same_rewording(old: str, new: str, relative_text: str) -> str | None:
    """Return a text like the old one in all but numbers with the same words replaced; None if it has others there.

    >>> _apply_same_rewording(
    ...     "Gain 2 Coins, lose 2 Light.", "Gain 2 Coins, lose 1 Light.", "Gain 3 Coins, lose 2 Light."
    ... )
    'Gain 3 Coins, lose 1 Light.'
    >>> _apply_same_rewording("Lose 2 Light.", "Lose 1 Light.", "Lose 3 Light.")
    """
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", relative_text):
        return None
    was, now, words = old.split(), new.split(), relative_text.split()
    made: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal" and words[a:b] != was[a:b]:
            return None
        made += words[a:b] if tag == "equal" else now[c:d]
    return " ".join(made)


# -- checks --------------------------------------------------------------------------------------------------
# What lint and the rules say of a changed game.


@dataclass
class LintComparison:
    """The whole lint of a changed game, beside other work where there are several cores. The game as it was is
    looked at only if something is to be compared."""

    game: str
    old: Selector
    new: Selector
    jobs: int = 1

    def __post_init__(self) -> None:
        self._after = start_in_background(lambda: lint_whole_game(self.game, self.new), self.jobs)

    def find_new_lint_findings(self) -> list[Finding]:
        """Return what lint finds in the changed game and did not find in the game before it."""
        after = self._after()
        if not after:
            return []
        before = _finding_keys(lint_whole_game(self.game, self.old))
        return [
            finding for finding, mark in zip(after, _finding_keys(after), strict=True) if mark not in before
        ]


def _finding_keys(findings: Sequence[Finding]) -> list[tuple[str, str, object]]:
    return [(finding.code, finding.message, finding.about) for finding in findings]


def check_rules_use_changed_values(game: str, old: Cards, new: Cards, erratum: Erratum) -> None:
    """Check that the rules play each value that an erratum changes, but for what is only printed. A game without rules
    has none to ask. Raises InputError, and what the rules raise if they refuse the cards before the erratum too."""
    try:
        build(game, None, new)
    except UnknownGame:
        return
    except REFUSALS as error:
        build(game, None, old)
        raise InputError([make_refused_cards_finding(erratum, error)]) from None
    findings = find_unplayed_changes(game, old, new, erratum)
    if findings:
        raise InputError(findings)


def do_rules_refuse_cards(game: str, version: str) -> bool:
    """Return whether the rules refuse the changed cards: no claim has rules to speak of."""
    try:
        build(game, None, load_game_cards(game, version))
    except (UnknownGame, *REFUSALS):
        return True
    return False


# -- numbers left --------------------------------------------------------------------------------------------
# Words of a changed component that still say the old number: "one stone" beside a goal that now asks for
# two.

_NEAR = 2
"""How many words may stand between a number and what it counts."""


def find_outdated_numbers_in_texts(
    old: Game, new: Game, differences: Sequence[ComponentDifference]
) -> Iterator[Finding]:
    """PP836: a text of a changed component says the number that it had, and not the one that it has (a warning)."""
    for difference in differences:
        if difference.old is None or difference.new is None:
            continue
        was, now = (
            {(q.field, q.term.id if q.term else ""): q for q in iter_quantities(game.vocabulary, card)}
            for game, card in ((old, difference.old), (new, difference.new))
        )
        for key, quantity in now.items():
            before = was[key].number if key in was else 0
            if before != quantity.number:
                yield from _find_outdated_number_in_card(
                    difference.new, quantity.field, quantity.term, before, quantity.number
                )


def _find_outdated_number_in_card(
    card: Component, field: str, term: Term | None, old_number: int, new_number: int
) -> Iterator[Finding]:
    written = {name: words for name, words in card.fields.items() if isinstance(words, Words)}
    for name, words in written.items():
        for language, text in words.texts.items():
            if _mentions_number(text, language, term, old_number) and not _mentions_number(
                text, language, term, new_number
            ):
                what = f" {term.name('en', old_number)}" if term else ""
                message = (
                    f"`{name}` of {card.id} still says {old_number}{what}: "
                    f"`{field}` is {new_number} now, and was {old_number}"
                )
                hint = "change the text with the number, if it speaks of this number"
                yield Finding("PP836", words.get_place(language), message, hint, severity="warning")


def _mentions_number(text: str, language: str, term: Term | None, number: int) -> bool:
    """Return whether a text says a number: of a term near the words for it, else anywhere from two on."""
    if term is None:
        return number > 1 and count_numbers(text, language)[number] > 0
    tokens = re.findall(r"\w+", text.casefold())
    names = {
        each.casefold().split()[place]
        for n in (1, 2)
        for each in [term.name(language, n)]
        for place in (0, -1)
    }
    called = [place for place, token in enumerate(tokens) if token in names]
    counted = [place for place, token in enumerate(tokens) if _is_number(token, language, number)]
    return any(0 < there - here <= _NEAR + 1 for here in counted for there in called)


def _is_number(token: str, language: str, number: int) -> bool:
    """Return whether one word is a number, `one` too."""
    if number == 1:
        words = get_number_words(language)
        return token == "1" or token in words.cardinals[1:2] or words.first.get(token) == 1
    return count_numbers(token, language)[number] > 0
