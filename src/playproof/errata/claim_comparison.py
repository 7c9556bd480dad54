"""The answers to a game's claims in two versions: what changed in them, as a value and in sentences, and
what decides them, the descriptions setting by setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playproof.errata.dossier_language import ENGLISH, DossierLanguage
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build, load_game_cards
from playproof.verifier.kernel.strict import to_canonical, to_json
from playproof.verifier.questions.claims import Question, resolve_inner_question
from playproof.verifier.questions.claims_of_game import load_claims, values_to_texts
from playproof.verifier.questions.premises import GameMeaning, describe_card_data
from playproof.verifier.questions.verdicts import (
    Answer,
    Verdict,
    WinningSummary,
    is_about_winning,
    summarize_win_possibility,
)

# -- comparison ----------------------------------------------------------------------------------------------
# The answers to a game's claims in two versions, as a value. `claims.py` finds them, with the verifier.


@dataclass(frozen=True)
class ClaimComparison:
    """The answers to a game's claims in two versions. `alike` are the ids of claims that the change cannot reach: the
    rules that they are about have the same description in both. `before` lacks claims that hold `after` as they are
    written. `rewritten` are those that the erratum itself words anew. `waiting` are the ids of claims for which no
    time was left; one about winning may stand in `after` too, with the bounds that were found. An earlier run gave the
    answers `after` to the claims with ids in `earlier`."""

    before: tuple[Answer, ...]
    after: tuple[Answer, ...]
    alike: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()

    def describe_changes(self, speech: DossierLanguage = ENGLISH) -> list[str]:
        """Return what changed, in sentences for people. Of worked examples and recorded games, which name cards as
        they are in one version, one sentence tells how many fit only one."""
        before, after = ([a for a in side if a.ask != "example"] for side in (self.before, self.after))
        before = [a for a in before if a.id not in self.rewritten or is_about_winning(a)]
        return [
            *describe_answer_changes(before, after, speech),
            *self._describe_reworded_claims(speech),
            *self._describe_differing_examples(speech),
        ]

    def _describe_reworded_claims(self, speech: DossierLanguage) -> Iterator[str]:
        for answer in self.after:
            if answer.id in self.rewritten and answer.verdict is Verdict.PROVEN:
                yield speech.format_message("from now", claim=speech.format_claim(answer))

    def _describe_differing_examples(self, speech: DossierLanguage) -> Iterator[str]:
        was = {a.id: a.verdict for a in self.before if a.ask == "example"}
        differing = [a.id for a in self.after if a.id in was and a.verdict is not was[a.id]]
        if differing:
            yield speech.format_message(
                "recorded", ids=", ".join(map(speech.quote_name_from_file, differing))
            )

    @property
    def ids_of_lost_claims(self) -> list[str]:
        """Return the ids of claims that were proven before and are refuted after."""
        true = {a.id for a in self.before if a.verdict is Verdict.PROVEN}
        return [a.id for a in self.after if a.id in true and a.verdict is Verdict.REFUTED]

    def as_json(self, speech: DossierLanguage = ENGLISH) -> dict[str, Any]:
        """Return the comparison in the shape of `errata --json` about claims."""
        old = {a.id: a.as_json() for a in self.before}
        nothing = {"before": None, "after": None}
        return {
            "sentences": self.describe_changes(speech),
            "lost": self.ids_of_lost_claims,
            "claims": [
                *(
                    {"id": a.id, "touched": True, "before": old.get(a.id), "after": a.as_json()}
                    for a in self.after
                ),
                *({"id": ident, "touched": False, **nothing} for ident in self.alike),
            ],
            "waiting": list(self.waiting),
            "rewritten": list(self.rewritten),
        }


# -- claim sentences -----------------------------------------------------------------------------------------
# What changed in the answers to claims, in sentences for people.


def describe_answer_changes(
    before: Sequence[Answer], after: Sequence[Answer], speech: DossierLanguage = ENGLISH
) -> list[str]:
    """Return what an erratum changes, in words: one sentence per part of the game, and the claims
    whose answer changes or that still do not hold."""
    old = {a.id: a for a in before}
    sentences = []
    parts = {a.id: speech.name_part_of_game(a.options, a.game) for a in after}
    for name in dict.fromkeys(parts.values()):
        mine = [a for a in after if parts[a.id] == name]
        was = summarize_win_possibility([old[a.id] for a in mine if a.id in old])
        now = summarize_win_possibility(mine)
        if now is not None:
            sentences.append(_describe_winning_change(was, now, name, speech))
        for answer in mine:
            sentences += _describe_answer_change(old.get(answer.id), answer, speech)
    return [speech.capitalize_sentence(text) for text in sentences]


def _describe_winning_change(
    old_winning: WinningSummary | None, new_winning: WinningSummary, part: str, speech: DossierLanguage
) -> str:
    """Return how winning changed: `can still be won, now in 6 rounds at best`."""
    before, best = (
        None if old_winning is None else old_winning.possible,
        _format_soonest_win(new_winning, speech),
    )
    if new_winning.possible is None:
        return speech.format_message("unseen", part=part)
    if not new_winning.possible:
        return speech.format_message({True: "no more", False: "still not", None: "cannot"}[before], part=part)
    soonest = f", {best}" if best else ""
    if old_winning == new_winning or (
        old_winning and before and (new_winning.is_open or not _format_soonest_win(old_winning, speech))
    ):
        return speech.format_message("still", part=part, soonest=soonest)
    if before:
        return speech.format_message(
            "still now" if best else "can", part=part, soonest=f" {best}" if best else ""
        )
    return speech.format_message("can now", part=part, soonest=soonest)


def _format_soonest_win(winning: WinningSummary, speech: DossierLanguage) -> str:
    """Return how soon one can win: `in 5 rounds at best`; nothing if that is not known."""
    if winning.least is None or winning.most is None:
        return ""
    count = (
        speech.format_message("to", low=winning.least, high=winning.most)
        if winning.is_open
        else winning.least
    )
    return speech.format_message("at best", count=count, unit=speech.translate_name(winning.unit))


def _describe_answer_change(
    old_answer: Answer | None, new_answer: Answer, speech: DossierLanguage
) -> list[str]:
    """Return sentences on members that came to life or died and on other answers that changed.
    Winning is left out, because the first sentence covers it."""
    if old_answer is None or (is_about_winning(new_answer) and new_answer.ask in ("reach", "minimum")):
        return []
    if new_answer.ask == "dead" and isinstance(new_answer.value, list) and isinstance(old_answer.value, list):
        died, born = (
            [n for n in a if n not in b]
            for a, b in ((new_answer.value, old_answer.value), (old_answer.value, new_answer.value))
        )
        changes = [("died", name) for name in died] + [("born", name) for name in born]
        return [speech.format_message(key, name=speech.quote_name_from_file(name)) for key, name in changes]
    claim, values = speech.format_claim(new_answer), _format_old_and_new_value(old_answer, new_answer, speech)
    if (old_answer.verdict, old_answer.value) == (new_answer.verdict, new_answer.value):
        lasts = new_answer.verdict is Verdict.REFUTED
        return (
            [
                speech.format_message(
                    "still false", claim=claim, values=_format_value_after_colon(new_answer, speech)
                )
            ]
            if lasts
            else []
        )
    # the words may speak of other counts than those that moved
    if isinstance(new_answer.value, Mapping) and values:
        return [speech.format_message("counted", claim=claim, values=values)]
    match old_answer.verdict, new_answer.verdict:
        case Verdict.PROVEN, Verdict.REFUTED:
            return [speech.format_message("lost", claim=claim, values=values)]
        case Verdict.REFUTED, Verdict.PROVEN:
            return [speech.format_message("gained", claim=claim, values=values)]
        case (one, other) if one is other and values:
            return [f"{claim}{values}."]
    before, after = (speech.format_message(answer.verdict.value) for answer in (old_answer, new_answer))
    return [
        speech.format_message(
            "verdict",
            claim=claim,
            before=before,
            now=after,
            value=_format_value_after_colon(new_answer, speech),
        )
    ]


def _format_old_and_new_value(old_answer: Answer, new_answer: Answer, speech: DossierLanguage) -> str:
    """Return both values in brackets; of many, those that differ. Nothing if they are no numbers."""
    if _is_numeric_answer(old_answer) and _is_numeric_answer(new_answer):
        new_number = speech.format_number(new_answer.value)
        old_number = speech.format_number(old_answer.value)
        return f" ({speech.format_message('was', now=new_number, before=old_number)})"
    if not (isinstance(old_answer.value, Mapping) and isinstance(new_answer.value, Mapping)):
        return ""
    names = dict.fromkeys([*new_answer.value, *old_answer.value])
    pairs = [(name, new_answer.value.get(name, 0), old_answer.value.get(name, 0)) for name in names]
    moved = [
        speech.format_labelled_list(
            speech.translate_name(str(name)), [speech.format_message("was", now=after, before=before)]
        )
        for name, after, before in pairs
        if after != before
    ]
    return f" ({speech.format_message('semicolon').join(moved)})"


def _format_value_after_colon(answer: Answer, speech: DossierLanguage) -> str:
    """Return a value behind a colon; nothing for yes, no, and what is not known."""
    if answer.value is None or isinstance(answer.value, bool):
        return ""
    if _is_numeric_answer(answer):
        return f"{speech.format_message('colon')} {speech.format_number(answer.value)}"
    texts = answer.value if isinstance(answer.value, list) else [answer.value]
    return f"{speech.format_message('colon')} {', '.join(speech.quote_name_from_file(str(each)) for each in texts)}"


def _is_numeric_answer(answer: Answer) -> bool:
    """Return whether the answer is a number."""
    return isinstance(answer.value, int | float) and not isinstance(answer.value, bool)


# -- descriptions --------------------------------------------------------------------------------------------
# What decides the answers to a game's claims in two versions of its cards: their descriptions, setting by
# setting.

Selector = bool | str
"""Which errata a version has, as `load_game` takes it."""


@dataclass
class GameVersions:
    """The descriptions of a game in two versions, built once per setting."""

    ref: str
    old: Selector
    new: Selector
    claims: Mapping[str, Question]
    _cards: dict[Selector, Any] = field(default_factory=dict)
    _games: dict[tuple[str, Selector], tuple[Game, str]] = field(default_factory=dict)
    _meanings: dict[tuple[str, Selector], GameMeaning] = field(default_factory=dict)

    def build_described_game(self, question: Question, version: Selector) -> tuple[Game, str]:
        """Return the description of a question's setting, and its digest."""
        values, rulings = values_to_texts(question.values), values_to_texts(question.rulings)
        key = to_canonical([values, rulings]), version
        if key not in self._games:
            if version not in self._cards:
                self._cards[version] = load_game_cards(self.ref, version)
            game = build(self.ref, Options(values, rulings), self._cards[version])
            self._games[key] = game, digest(game)
        return self._games[key]

    def digests_for_claim(self, question: Question, version: Selector) -> list[str]:
        """Return the digests of all settings that a question is about, and of the cards if it reads them."""
        settings = list(self._iter_settings(question))
        described = [self.build_described_game(each, version)[1] for each in settings]
        cards = describe_card_data(self.build_described_game(settings[0], version)[0], question)
        return [*described, cards] if cards else described

    def has_same_premises(self, question: Question) -> bool:
        """Return whether the answer to a question rests on the same in both versions, in every setting of it."""
        return self.premises_by_setting(question, self.old) == self.premises_by_setting(question, self.new)

    def list_claims_if_none_is_touched(self, only: Sequence[str] = ()) -> tuple[str, ...] | None:
        """Return the ids of all claims, or of `only` these, if the change reaches none of them: then nobody has to ask
        any, and no solver is loaded. Else None, also where there is no such claim."""
        ids = tuple(only) or tuple(self.claims)
        if not self.claims.keys() >= set(ids):
            return None
        after = load_claims(self.ref, self.new)
        untouched = all(
            describe_wording(self.claims[ident]) == describe_wording(after[ident])
            and self.has_same_premises(self.claims[ident])
            for ident in ids
        )
        return ids if untouched else None

    def premises_by_setting(self, question: Question, version: Selector) -> list[str]:
        """Return what the answer to a question rests on, setting by setting."""
        return [
            self._meaning_in_setting(each, version).build_premises_key(each)
            for each in self._iter_settings(question)
        ]

    def _meaning_in_setting(self, question: Question, version: Selector) -> GameMeaning:
        """Return what happens in play in a setting, and the words for it."""
        game, name = self.build_described_game(question, version)
        if (name, version) not in self._meanings:  # descriptions may be equal with other cards
            self._meanings[name, version] = GameMeaning(game)
        return self._meanings[name, version]

    def _play_digest(self, question: Question, version: Selector) -> str:
        """Return a digest of what happens in play in a setting, words apart."""
        return self._meaning_in_setting(question, version).play

    @property
    def settings_that_play_differently(self) -> list[dict[str, str]]:
        """Return the options under which claims are asked and the versions play differently, each game once, as the
        claims come; none if only rulings do."""
        plain = [q for q in self.claims.values() if not any(isinstance(v, list) for v in q.values.values())]
        plain = [q for q in plain if not q.rulings] or [Question("", "reach")]
        plays = dict[str, dict[str, str]]()
        for question in filter(self._plays_differently, plain):
            plays.setdefault(self._play_digest(question, self.new), values_to_texts(question.values))
        return list(plays.values())

    def _plays_differently(self, question: Question) -> bool:
        """Return whether the versions play differently in a setting of the question."""
        each = self._iter_settings(question)
        return any(self._play_digest(q, self.old) != self._play_digest(q, self.new) for q in each)

    def _iter_settings(self, question: Question) -> Iterator[Question]:
        subject = (
            resolve_inner_question(question, self.claims) if question.ask in ("same", "tune") else question
        )
        for _, each in subject.iter_setting_variants():
            yield each


def describe_wording(question: Question) -> tuple[str, str]:
    """Return what an erratum may change of a claim."""
    return question.says, to_canonical(to_json(question.expect))
