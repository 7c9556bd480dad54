"""The answers to a game's claims in two versions: what changed in them, as a value and in sentences, and
what decides them, the descriptions setting by setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playproof.database.claims_yaml import make_error_of_claim_settings_refused
from playproof.errata.dossier_language import ENGLISH, DossierLanguage
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import OptionError, Options
from playproof.language.registry import build, load_cards_if_rules_need_them
from playproof.verifier.kernel.strict_json import to_canonical_json_text, to_plain_json_data
from playproof.verifier.questions.claims import Question, build_question_inside_same_or_tune
from playproof.verifier.questions.claims_of_game import load_claims_as_questions_or_raise, option_values_to_texts
from playproof.verifier.questions.premises import GameMeaning, read_meaning_of_game
from playproof.verifier.questions.verdicts import (
    Answer,
    Verdict,
    WinningSummary,
    find_answers_that_summary_covers,
    is_claim_about_winning,
    summarize_winning_or_none,
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

    def list_sentences_on_changed_answers(self, dossier_language: DossierLanguage = ENGLISH) -> list[str]:
        """Return what changed, in sentences for people. Of worked examples and recorded games, which name cards as
        they are in one version, one sentence tells how many fit only one."""
        before, after = ([a for a in side if a.ask != "example"] for side in (self.before, self.after))
        before = [a for a in before if a.id not in self.rewritten or is_claim_about_winning(a)]
        return [
            *list_sentences_on_changed_answers_by_part(before, after, dossier_language),
            *self._iter_sentences_on_reworded_claims(dossier_language),
            *self._iter_sentences_on_differing_examples(dossier_language),
        ]

    def _iter_sentences_on_reworded_claims(self, dossier_language: DossierLanguage) -> Iterator[str]:
        for answer in self.after:
            if answer.id in self.rewritten and answer.verdict is Verdict.PROVEN:
                yield dossier_language.format_message(
                    "from now", claim=dossier_language.format_claim_words_or_id(answer)
                )

    def _iter_sentences_on_differing_examples(self, dossier_language: DossierLanguage) -> Iterator[str]:
        was = {a.id: a.verdict for a in self.before if a.ask == "example"}
        differing = [a.id for a in self.after if a.id in was and a.verdict is not was[a.id]]
        if differing:
            yield dossier_language.format_message(
                "recorded", ids=", ".join(map(dossier_language.quote_name_unless_english, differing))
            )

    @property
    def ids_of_lost_claims(self) -> list[str]:
        """Return the ids of claims that were proven before and are refuted after."""
        true = {a.id for a in self.before if a.verdict is Verdict.PROVEN}
        return [a.id for a in self.after if a.id in true and a.verdict is Verdict.REFUTED]

    def as_json(self, dossier_language: DossierLanguage = ENGLISH) -> dict[str, Any]:
        """Return the comparison in the shape of `errata --json` about claims."""
        old = {a.id: a.as_json() for a in self.before}
        nothing = {"before": None, "after": None}
        return {
            "sentences": self.list_sentences_on_changed_answers(dossier_language),
            "lost": self.ids_of_lost_claims,
            "claims": [
                *({"id": a.id, "touched": True, "before": old.get(a.id), "after": a.as_json()} for a in self.after),
                *({"id": ident, "touched": False, **nothing} for ident in self.alike),
            ],
            "waiting": list(self.waiting),
            "rewritten": list(self.rewritten),
        }


# -- claim sentences -----------------------------------------------------------------------------------------
# What changed in the answers to claims, in sentences for people.


def list_sentences_on_changed_answers_by_part(
    answers_before: Sequence[Answer], answers_after: Sequence[Answer], dossier_language: DossierLanguage = ENGLISH
) -> list[str]:
    """Return what an erratum changes, in words: one sentence per part of the game, and the claims
    whose answer changes or that still do not hold."""
    old = {a.id: a for a in answers_before}
    sentences = []
    parts = {a.id: dossier_language.name_part_or_whole_of_game(a.options, a.game) for a in answers_after}
    for name in dict.fromkeys(parts.values()):
        mine = [a for a in answers_after if parts[a.id] == name]
        was = summarize_winning_or_none([old[a.id] for a in mine if a.id in old])
        now = summarize_winning_or_none(mine)
        if now is not None:
            sentences.append(_describe_change_of_winning_possibility(was, now, name, dossier_language))
        covered = [answer.id for answer in find_answers_that_summary_covers(mine) if answer is not None]
        for answer in (each for each in mine if each.id not in covered):
            sentences += _list_sentences_on_changed_or_false_answer(old.get(answer.id), answer, dossier_language)
    return [dossier_language.capitalize_sentence_unless_english(text) for text in sentences]


def _describe_change_of_winning_possibility(
    old_winning: WinningSummary | None,
    new_winning: WinningSummary,
    part_of_game: str,
    dossier_language: DossierLanguage,
) -> str:
    """Return how winning changed: `can still be won, now in 6 rounds at best`."""
    before, best = (
        None if old_winning is None else old_winning.possible,
        _format_soonest_win_or_empty(new_winning, dossier_language),
    )
    if new_winning.possible is None:
        return dossier_language.format_message("unseen", part=part_of_game)
    if not new_winning.possible:
        return dossier_language.format_message(
            {True: "no more", False: "still not", None: "cannot"}[before], part=part_of_game
        )
    soonest = f", {best}" if best else ""
    if old_winning == new_winning or (
        old_winning
        and before
        and (new_winning.is_open or not _format_soonest_win_or_empty(old_winning, dossier_language))
    ):
        return dossier_language.format_message("still", part=part_of_game, soonest=soonest)
    if before:
        return dossier_language.format_message(
            "still now" if best else "can", part=part_of_game, soonest=f" {best}" if best else ""
        )
    return dossier_language.format_message("can now", part=part_of_game, soonest=soonest)


def _format_soonest_win_or_empty(winning: WinningSummary, dossier_language: DossierLanguage) -> str:
    """Return how soon one can win: `in 5 rounds at best`; nothing if that is not known."""
    if winning.least is None or winning.most is None:
        return ""
    count = (
        dossier_language.format_message("to", low=winning.least, high=winning.most)
        if winning.is_open
        else winning.least
    )
    return dossier_language.format_message(
        "at best", count=count, unit=dossier_language.translate_name_of_unit_term_or_card(winning.unit)
    )


def _list_sentences_on_changed_or_false_answer(
    old_answer: Answer | None, new_answer: Answer, dossier_language: DossierLanguage
) -> list[str]:
    """Return sentences on members that came to life or died and on other answers that changed."""
    if old_answer is None:
        return []
    if new_answer.ask == "dead" and isinstance(new_answer.value, list) and isinstance(old_answer.value, list):
        died, born = (
            [n for n in a if n not in b]
            for a, b in ((new_answer.value, old_answer.value), (old_answer.value, new_answer.value))
        )
        changes = [("died", name) for name in died] + [("born", name) for name in born]
        return [
            dossier_language.format_message(key, name=dossier_language.quote_name_unless_english(name))
            for key, name in changes
        ]
    claim, values = (
        dossier_language.format_claim_words_or_id(new_answer),
        _format_both_values_or_empty(old_answer, new_answer, dossier_language),
    )
    if (old_answer.verdict, old_answer.value) == (new_answer.verdict, new_answer.value):
        lasts = new_answer.verdict is Verdict.REFUTED
        return (
            [
                dossier_language.format_message(
                    "still false", claim=claim, values=_format_value_after_colon_or_empty(new_answer, dossier_language)
                )
            ]
            if lasts
            else []
        )
    # the words may speak of other counts than those that moved
    if isinstance(new_answer.value, Mapping) and values:
        return [dossier_language.format_message("counted", claim=claim, values=values)]
    match old_answer.verdict, new_answer.verdict:
        case Verdict.PROVEN, Verdict.REFUTED:
            return [dossier_language.format_message("lost", claim=claim, values=values)]
        case Verdict.REFUTED, Verdict.PROVEN:
            return [dossier_language.format_message("gained", claim=claim, values=values)]
        case (one, other) if one is other and values:
            return [f"{claim}{values}."]
    before, after = (dossier_language.format_message(answer.verdict.value) for answer in (old_answer, new_answer))
    return [
        dossier_language.format_message(
            "verdict",
            claim=claim,
            before=before,
            now=after,
            value=_format_value_after_colon_or_empty(new_answer, dossier_language),
        )
    ]


def _format_both_values_or_empty(old_answer: Answer, new_answer: Answer, dossier_language: DossierLanguage) -> str:
    """Return both values in brackets; of many, those that differ. Nothing if they are no numbers."""
    if _is_numeric_answer(old_answer) and _is_numeric_answer(new_answer):
        new_number = dossier_language.format_number(new_answer.value)
        old_number = dossier_language.format_number(old_answer.value)
        return f" ({dossier_language.format_message('was', now=new_number, before=old_number)})"
    if not (isinstance(old_answer.value, Mapping) and isinstance(new_answer.value, Mapping)):
        return ""
    names = dict.fromkeys([*new_answer.value, *old_answer.value])
    pairs = [(name, new_answer.value.get(name, 0), old_answer.value.get(name, 0)) for name in names]
    moved = [
        dossier_language.format_label_and_texts(
            dossier_language.translate_name_of_unit_term_or_card(str(name)),
            [dossier_language.format_message("was", now=after, before=before)],
        )
        for name, after, before in pairs
        if after != before
    ]
    return f" ({dossier_language.format_message('semicolon').join(moved)})"


def _format_value_after_colon_or_empty(answer: Answer, dossier_language: DossierLanguage) -> str:
    """Return a value behind a colon; nothing for yes, no, and what is not known."""
    if answer.value is None or isinstance(answer.value, bool):
        return ""
    if _is_numeric_answer(answer):
        return f"{dossier_language.format_message('colon')} {dossier_language.format_number(answer.value)}"
    texts = answer.value if isinstance(answer.value, list) else [answer.value]
    return (
        f"{dossier_language.format_message('colon')} "
        f"{', '.join(dossier_language.quote_name_unless_english(str(each)) for each in texts)}"
    )


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

    def get_or_build_game_and_digest(self, question: Question, version: Selector) -> tuple[Game, str]:
        """Return the description of a question's setting, and its digest."""
        values, rulings = option_values_to_texts(question.values), option_values_to_texts(question.rulings)
        key = to_canonical_json_text([values, rulings]), version
        if key not in self._games:
            if version not in self._cards:
                self._cards[version] = load_cards_if_rules_need_them(self.ref, version)
            try:
                game = build(self.ref, Options(values, rulings), self._cards[version])
            except OptionError as error:
                raise make_error_of_claim_settings_refused(question.id, question.where, str(error)) from None
            self._games[key] = game, digest(game)
        return self._games[key]

    def list_digests_and_cards_deciding_claim(self, question: Question, version: Selector) -> list[str]:
        """Return the digests of all settings that a question is about, and of the cards if it reads them."""
        settings = list(self._iter_claim_in_each_setting(question))
        described = [self.get_or_build_game_and_digest(each, version)[1] for each in settings]
        cards = self._read_meaning_in_setting(settings[0], version).format_card_data_of_claim_or_empty(question)
        return [*described, cards] if cards else described

    def has_same_premises_in_both_versions(self, question: Question) -> bool:
        """Return whether the answer to a question rests on the same in both versions, in every setting of it."""
        return self.list_premise_key_of_each_setting(question, self.old) == self.list_premise_key_of_each_setting(
            question, self.new
        )

    def list_claim_ids_or_none_if_any_touched(self, only_claim_ids: Sequence[str] = ()) -> tuple[str, ...] | None:
        """Return the ids of all claims, or of `only_claim_ids` these, if the change reaches none of them: then
        nobody has to ask any, and no solver is loaded. Else None, also where there is no such claim."""
        ids = tuple(only_claim_ids) or tuple(self.claims)
        if not self.claims.keys() >= set(ids):
            return None
        after = load_claims_as_questions_or_raise(self.ref, self.new)
        untouched = all(
            get_words_and_expectation_of_claim(self.claims[ident]) == get_words_and_expectation_of_claim(after[ident])
            and self.has_same_premises_in_both_versions(self.claims[ident])
            for ident in ids
        )
        return ids if untouched else None

    def list_premise_key_of_each_setting(self, question: Question, version: Selector) -> list[str]:
        """Return what the answer to a question rests on, setting by setting."""
        return [
            self._read_meaning_in_setting(each, version).build_key_of_answer_premises(each)
            for each in self._iter_claim_in_each_setting(question)
        ]

    def _read_meaning_in_setting(self, question: Question, version: Selector) -> GameMeaning:
        """Return what happens in play in a setting, and the words for it."""
        return read_meaning_of_game(self.get_or_build_game_and_digest(question, version)[0])

    def _get_digest_of_play_in_setting(self, question: Question, version: Selector) -> str:
        """Return a digest of what happens in play in a setting, words apart."""
        return self._read_meaning_in_setting(question, version).play

    @property
    def settings_that_play_differently(self) -> list[dict[str, str]]:
        """Return the options under which claims are asked and the versions play differently, each game once, as the
        claims come; none if only rulings do."""
        plain = [q for q in self.claims.values() if not any(isinstance(v, list) for v in q.values.values())]
        plain = [q for q in plain if not q.rulings] or [Question("", "reach")]
        plays = dict[str, dict[str, str]]()
        for question in filter(self._has_difference_in_play_for_claim, plain):
            plays.setdefault(
                self._get_digest_of_play_in_setting(question, self.new), option_values_to_texts(question.values)
            )
        return list(plays.values())

    def _has_difference_in_play_for_claim(self, question: Question) -> bool:
        """Return whether the versions play differently in a setting of the question."""
        each = self._iter_claim_in_each_setting(question)
        return any(
            self._get_digest_of_play_in_setting(q, self.old) != self._get_digest_of_play_in_setting(q, self.new)
            for q in each
        )

    def _iter_claim_in_each_setting(self, question: Question) -> Iterator[Question]:
        subject = (
            build_question_inside_same_or_tune(question, self.claims) if question.ask in ("same", "tune") else question
        )
        for _, each in subject.iter_labels_and_questions_by_setting():
            yield each


def get_words_and_expectation_of_claim(question: Question) -> tuple[str, str]:
    """Return what an erratum may change of a claim."""
    return question.says, to_canonical_json_text(to_plain_json_data(question.expect))
