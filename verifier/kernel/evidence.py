"""Evidence files: a claim, and for each of its settings the certificates that answer it. No file
holds an answer.

    {"playproof": 5, "game": "nim", "errata": true, "claim": {...},
     "settings": [{"options": {}, "rulings": {}, "digest": "...", "certificates": [...], "means": ["..."]}]}

`check_certificates_and_compute_answer` checks every certificate against games that the caller built, and computes the
value. What the file says of the game (its name, its digest) and of what the claim means is only compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from playproof.language.game import Game
from playproof.verifier.kernel import (
    card_tally,
    chances,
    deals,
    exploration,
    invariant,
    layer_certificates,
    look_alikes,
    sight,
    strategies,
    transcript,
    turns,
    weights,
    worths,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.claim_values import (
    Decision,
    answer_same_or_tune_from_setting_values,
    decide_question_from_theorems,
    format_setting_label_as_text,
)
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.strict_json import (
    OMITTED,
    Json,
    Unreadable,
    decode_json_as_type_or_raise,
    format_data_shortened,
    parse_strict_json_or_raise,
    to_canonical_json_text,
)
from playproof.verifier.questions.claims import Question, build_question_inside_same_or_tune

VERSION = 5
OLDEST_VERSION = 4
"""Files of this version do not say what the claim meant when it was proved."""
KINDS = (
    *(card_tally, chances, deals, exploration, invariant, layer_certificates),
    *(look_alikes, sight, strategies, transcript, turns, weights, worths),
)
"""Modules whose classes are the kinds of certificates that files may hold."""
GameBuilder = Callable[[Mapping[str, str], Mapping[str, str]], Game]
"""Builds the game under given options and rulings."""
_MOST_CERTIFICATES = 5_000


class OtherRules(Exception):
    """Raised if the evidence was made for other rules or cards."""


class OtherClaim(Exception):
    """Raised if the evidence is about another claim or other settings."""


class OtherMeaning(OtherClaim):
    """Raised if the words of the claim are the same, and are read as something else than when it was proved."""


@dataclass(frozen=True)
class EvidenceSetting:
    """One way to play (options and rulings by name), the game's digest, the certificates for it, and what the claim
    meant when it was proved, as `describe_meaning_of_decision` says it."""

    options: Json
    rulings: Json
    digest: str
    certificates: tuple[Certificate, ...]
    means: tuple[str, ...] = field(default=(), metadata=OMITTED)

    @property
    def key(self) -> str:
        """One text for each way to play."""
        return to_canonical_json_text([self.options, self.rulings])


@dataclass(frozen=True)
class EvidenceFile:
    """The content of an evidence file."""

    playproof: int
    game: str
    errata: Json
    claim: Json
    settings: tuple[EvidenceSetting, ...]


@dataclass(frozen=True)
class ConfirmedAnswer:
    """The answer that a file's certificates give: the value, the statements it was read from, and
    what has to be trusted for it."""

    decision: Decision
    statements: tuple[str, ...]
    rests: tuple[str, ...]
    meanings: tuple[str, ...] = ()
    """What the statements say of states, printed from the terms that were checked, where that is not in their words."""


def parse_evidence_file_text(file_text: str) -> EvidenceFile:
    """Return the evidence file that a text holds. Raises Unreadable."""
    data = parse_strict_json_or_raise(file_text)
    version = data.get("playproof") if type(data) is dict else None
    if type(version) is not int or not OLDEST_VERSION <= version <= VERSION:
        raise Unreadable(f"expected version {OLDEST_VERSION} to {VERSION}, found {format_data_shortened(version)}")
    file: EvidenceFile = decode_json_as_type_or_raise(EvidenceFile, data)
    for setting in file.settings:
        _require_mapping_of_texts(setting.options, "options")
        _require_mapping_of_texts(setting.rulings, "rulings")
    if sum(len(s.certificates) for s in file.settings) > _MOST_CERTIFICATES:
        raise Unreadable(f"expected at most {_MOST_CERTIFICATES:,} certificates")
    return file


def _require_mapping_of_texts(data: Json, key_name: str) -> None:
    if type(data) is not dict or any(type(v) is not str for v in data.values()):
        raise Unreadable(f"{key_name}: expected a mapping of texts, found {format_data_shortened(data)}")


def require_evidence_is_about_claim(file: EvidenceFile, asked_claim: Question, errata: Json) -> None:
    """Check that the file speaks of this claim, of its settings and no others, and of the game with these
    errata. Raises OtherClaim. A file says nothing of a game that nobody asks about."""
    if to_canonical_json_text([file.claim, file.errata]) != to_canonical_json_text([asked_claim.as_json(), errata]):
        raise OtherClaim("the file is about another claim, or other settings")


def check_certificates_and_compute_answer(
    file: EvidenceFile, question: Question, claims: Mapping[str, Question], build_game: GameBuilder, context: Context
) -> ConfirmedAnswer:
    """Check the file's certificates and return their answer to a question that it is about. Raises
    Unreadable, OtherRules, OtherClaim, and NotShown if a certificate is refused."""
    wanted = list_questions_with_names_of_settings(question, claims)
    by_key = {s.key: s for s in file.settings}
    if len(by_key) != len(file.settings) or set(by_key) != {get_options_and_rulings_key(q) for _, q in wanted}:
        raise OtherClaim("the settings of the file are not those that the claim asks about")
    decisions: dict[str, Decision] = {}
    statements: list[str] = []
    meanings: list[str] = []
    rests: set[str] = set()
    for name, variant in wanted:
        setting = by_key[get_options_and_rulings_key(variant)]
        game = build_game(setting.options, setting.rulings)
        if context.get_game_digest_cached(game) != setting.digest:
            raise OtherRules("the evidence was made for other rules or cards; prove the claim again")
        made = [check_certificate_to_theorem(c, game, context) for c in setting.certificates]
        decisions[name] = decide_question_from_theorems(game, variant, made, context)
        if decisions[name].known and (file.playproof > OLDEST_VERSION or setting.means):
            _require_same_meaning(setting.means, describe_meaning_of_decision(game, decisions[name], context))
        setting_words = f"{name}: " if name else ""
        statements += [setting_words + s.format_statement_sentence() for s in decisions[name].used]
        meanings += [s.about.format_meaning_if_other_than_words(game, context) for s in decisions[name].used]
        rests |= {c.describe_what_must_be_trusted() for c in setting.certificates}
        rests |= {
            f"that every game keeps {p}, which another claim has to show"
            for p in decisions[name].list_assumed_but_unproved_properties(made)
        }
    decision = combine_setting_decisions(question, claims, decisions)
    return ConfirmedAnswer(
        decision, tuple(statements), tuple(sorted(rests)), tuple(filter(None, dict.fromkeys(meanings)))
    )


def describe_meaning_of_decision(game: Game, decision: Decision, context: Context) -> tuple[str, ...]:
    """Return what each statement that a decision was read from says of states, printed from its claim terms."""
    return tuple(filter(None, dict.fromkeys(s.about.format_meaning(game, context) for s in decision.used)))


def _require_same_meaning(meaning_in_file: tuple[str, ...], meaning_today: tuple[str, ...]) -> None:
    if meaning_in_file != meaning_today:
        then, now = (" | ".join(texts)[:300] or "nothing of states" for texts in (meaning_in_file, meaning_today))
        raise OtherMeaning(f"when it was proved the claim meant: {then}; today it means: {now}; prove it again")


def check_certificate_to_theorem(certificate: Certificate, game: Game, context: Context) -> Theorem:
    """Check a certificate and return its theorem. Raises NotShown."""
    try:
        return Theorem(certificate, game, context)
    except NotShown as error:
        raise NotShown(f"{certificate.kind}: {error}") from None


def list_questions_with_names_of_settings(
    question: Question, claims: Mapping[str, Question]
) -> list[tuple[str, Question]]:
    """Return the question under each of its settings, with the setting's name: several for `same`
    and `tune`, else only itself with the name ""."""
    if question.ask not in ("same", "tune"):
        return [("", question)]
    return [
        (format_setting_label_as_text(label), variant)
        for label, variant in build_question_inside_same_or_tune(
            question, claims
        ).iter_labels_and_questions_by_setting()
    ]


def combine_setting_decisions(
    question: Question, claims: Mapping[str, Question], decision_by_setting: Mapping[str, Decision]
) -> Decision:
    """Combine the answers of all settings into the question's answer."""
    if question.ask not in ("same", "tune"):
        return decision_by_setting[""]
    expected = build_question_inside_same_or_tune(question, claims).expect
    values = {name: None if d.vacuous else d.value for name, d in decision_by_setting.items()}
    used = tuple(s for d in decision_by_setting.values() for s in d.used)
    whom = "; ".join(dict.fromkeys(d.whom for d in decision_by_setting.values() if d.whom))
    return Decision(
        answer_same_or_tune_from_setting_values(question, True if expected is None else expected, values),
        used=used,
        whom=whom,
    )


def get_options_and_rulings_key(question: Question) -> str:
    """Return one text for each way to play that a question names."""
    return to_canonical_json_text([option_values_to_texts(question.values), option_values_to_texts(question.rulings)])


def option_values_to_texts(option_values: Mapping[str, Any]) -> dict[str, str]:
    """Return options or rulings as texts, the form that a game takes."""
    return {str(k): str(v) for k, v in option_values.items()}
