"""Evidence files: a claim, and for each of its settings the certificates that answer it. No file
holds an answer.

    {"playproof": 6, "game": "nim", "errata": true, "claim": {...},
     "settings": [{"options": {}, "rulings": {}, "digest": "...", "certificates": [...],
                   "reads": [["condition", "heap < 3", ["<", ["name", "heap"], 3]]]}]}

`check_certificates_and_compute_answer` checks every certificate against games that the caller built, and computes the
value. What the file says of the game (its name, its digest) is only compared. `reads` says what the words of the claim
and of the certificates are as claim terms. A reader of words is needed only to compare it (`Context.read`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from playproof.language.game import Game
from playproof.verifier.kernel import (
    card_tally,
    closed_set_certificate,
    deals,
    invariant,
    look_alikes,
    sight,
    strategies,
    transcript,
    turns,
    weights,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.claim_values import (
    Decision,
    answer_same_or_tune_from_setting_values,
    decide_question_from_theorems,
    format_setting_label_as_text,
    list_claim_parts_of_question,
)
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.strict_json import (
    Json,
    Unreadable,
    decode_json_as_type_or_raise,
    format_data_shortened,
    parse_strict_json_or_raise,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
)
from playproof.verifier.questions.claims import Question, build_question_inside_same_or_tune

VERSION = 6
KINDS = (
    *(card_tally, closed_set_certificate, deals, invariant, look_alikes),
    *(sight, strategies, transcript, turns, weights),
)
"""Modules whose classes are the kinds of certificates that files may hold."""
GameBuilder = Callable[[Mapping[str, str], Mapping[str, str]], Game]
"""Builds the game under given options and rulings."""
DecisionNoter = Callable[[str, Game, Question, Decision], None]
"""Is told the name of a setting, its game, the question there, and the decision."""
_MOST_CERTIFICATES = 5_000


class OtherRules(Exception):
    """Raised if the evidence was made for other rules or cards."""


class OtherClaim(Exception):
    """Raised if the evidence is about another claim or other settings."""


@dataclass(frozen=True)
class EvidenceSetting:
    """One way to play (options and rulings by name), the game's digest, the certificates for it, and what each part of
    the claim and of the certificates is as claim terms: its kind, its words, and the data, as `Context.read_claim_part`
    has them, in the order of `list_claim_parts_of_setting`."""

    options: Json
    rulings: Json
    digest: str
    certificates: tuple[Certificate, ...]
    reads: tuple[tuple[str, Json, Json], ...]

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
    """The answer that a file's certificates give: the value, the statements that it was read from, and what has to be
    trusted for it."""

    decision: Decision
    rests: tuple[str, ...]


def parse_evidence_file_text(file_text: str) -> EvidenceFile:
    """Return the evidence file that a text holds. Raises Unreadable."""
    data = parse_strict_json_or_raise(file_text)
    version = data.get("playproof") if type(data) is dict else None
    if type(version) is not int or version != VERSION:
        again = "; prove the claim again" if version in range(1, VERSION) else ""
        raise Unreadable(f"expected version {VERSION}, found {format_data_shortened(version)}{again}")
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
    file: EvidenceFile,
    question: Question,
    claims: Mapping[str, Question],
    build_game: GameBuilder,
    context: Context,
    note_decision: DecisionNoter = lambda *_: None,
) -> ConfirmedAnswer:
    """Check the file's certificates and return their answer to a question that it is about. `note_decision` is told
    what is decided in each setting, while its game is there. Raises Unreadable, OtherRules, OtherClaim, OtherMeaning,
    and NotShown if a certificate is refused."""
    wanted = list_questions_with_names_of_settings(question, claims)
    by_key = {s.key: s for s in file.settings}
    if len(by_key) != len(file.settings) or set(by_key) != {get_options_and_rulings_key(q) for _, q in wanted}:
        raise OtherClaim("the settings of the file are not those that the claim asks about")
    decisions: dict[str, Decision] = {}
    rests: set[str] = set()
    for name, variant in wanted:
        setting = by_key[get_options_and_rulings_key(variant)]
        game = build_game(setting.options, setting.rulings)
        if context.get_game_digest_cached(game) != setting.digest:
            raise OtherRules("the evidence was made for other rules or cards; prove the claim again")
        _take_readings_of_setting(game, variant, setting, context)
        made = [check_certificate_to_theorem(c, game, context) for c in setting.certificates]
        decisions[name] = decide_question_from_theorems(game, variant, made, context)
        note_decision(name, game, variant, decisions[name])
        both = zip(setting.certificates, made, strict=True)
        rests |= {each.describe_what_must_be_trusted(theorem.needs_solver) for each, theorem in both}
        rests |= {
            f"that every game keeps {p}, which another claim has to show"
            for p in decisions[name].list_assumed_but_unproved_properties(made)
        }
    return ConfirmedAnswer(combine_setting_decisions(question, claims, decisions), tuple(sorted(rests)))


def _take_readings_of_setting(game: Game, question: Question, setting: EvidenceSetting, context: Context) -> None:
    """Let the words in a setting mean what its `reads` says. Raises OtherMeaning if they are read otherwise, and
    Unreadable if `reads` does not have each part once, in its order, and nothing else."""
    for kind, words, data in setting.reads:
        context.take_reading_of_file(game, kind, words, data)
    with raise_unreadable_for_wrong_shape("the claim or a certificate has words of another shape"):
        parts = list_claim_parts_of_setting(game, question, setting.certificates, context)
    for wanted, found in zip_longest(parts, [[kind, words] for kind, words, _ in setting.reads]):
        if to_canonical_json_text(wanted) != to_canonical_json_text(found):
            names = ["nothing" if part is None else format_data_shortened(part) for part in (wanted, found)]
            raise Unreadable(f"reads: expected {names[0]}, found {names[1]}")


def list_claim_parts_of_setting(
    game: Game, question: Question, certificates: Iterable[Certificate], context: Context
) -> list[ClaimPart]:
    """Return the parts in words that a question and certificates are about, each once, in the order of their JSON."""
    parts = list_claim_parts_of_question(game, question, context)
    parts += [part for each in certificates for part in each.list_claim_parts()]
    by_text = {to_canonical_json_text(part): part for part in parts}
    return [by_text[text] for text in sorted(by_text)]


def read_claim_parts_of_setting(
    game: Game, question: Question, certificates: Iterable[Certificate], context: Context
) -> tuple[tuple[str, Json, Json], ...]:
    """Return `reads` of a setting. Raises InputError for words that cannot be read."""
    parts = list_claim_parts_of_setting(game, question, certificates, context)
    return tuple((kind, words, context.read_claim_part(game, kind, words)) for kind, words in parts)


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
    return Decision(
        answer_same_or_tune_from_setting_values(question, True if expected is None else expected, values),
        used=used,
    )


def get_options_and_rulings_key(question: Question) -> str:
    """Return one text for each way to play that a question names."""
    return to_canonical_json_text([option_values_to_texts(question.values), option_values_to_texts(question.rulings)])


def option_values_to_texts(option_values: Mapping[str, Any]) -> dict[str, str]:
    """Return options or rulings as texts, the form that a game takes."""
    return {str(k): str(v) for k, v in option_values.items()}
