"""`list_findings_on_evidence_file` confirms stored evidence with the kernel alone and reports what the evidence says.

The checker believes nothing in a file and runs nothing in it. The game is an installed one, or one
in a folder that the person names. The claim is the one in the game's claims.yaml. The kernel
computes the value from the certificates.

    PP710  the file cannot be read as evidence        PP714  an invariant, rank or chain does not hold
    PP711  the game or the claim cannot be found      PP715  an exploration or a chance does not hold
    PP712  it was made for other rules or cards       PP716  the certificates do not answer the claim
    PP713  a line of play does not show what it says  PP717  it is about another claim, or other settings
    PP718  two solvers contradict each other          PP720  a fault of Playproof itself, while it checked
    PP722  the claim meant something else when it was proved
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import z3

from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import RulesError
from playproof.language.game import Game
from playproof.language.machine.native import NoMachineCodeError
from playproof.language.options import OptionError, Options
from playproof.language.registry import UnknownGame, build, is_name_of_bundled_game, load_cards_if_rules_need_them
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.context import OtherMeaning
from playproof.verifier.kernel.evidence import (
    ConfirmedAnswer,
    EvidenceFile,
    OtherClaim,
    OtherRules,
    check_certificates_and_compute_answer,
    option_values_to_texts,
    parse_evidence_file_text,
    require_evidence_is_about_claim,
)
from playproof.verifier.kernel.strict_json import (
    MOST_BYTES,
    Json,
    Unreadable,
    format_data_shortened,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.kernel.z3_questions import Disagreement
from playproof.verifier.kernel_files import list_kernel_files_behind_kinds
from playproof.verifier.prove import load_claims_as_questions_or_raise, load_own_or_common_claims_by_id
from playproof.verifier.questions.claim_check import list_mistakes_in_questions
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.selection import apply_fitting_settings_to_question
from playproof.verifier.questions.statement_words import AnswerWords
from playproof.verifier.questions.term_words import format_claim_part_or_data
from playproof.verifier.questions.verdicts import Verdict, decide_verdict_from_value_and_expectation
from playproof.verifier.search.compiled_explorer import CompiledExplorer
from playproof.verifier.search.layer_bounds import propose_bounds_and_ranks_of_layer
from playproof.verifier.search.machine_layers import LastLayersCache

FAULT = "PP720"
_LINES = ("transcript", "look-alikes", "circle", "failing line")
_STATES = ("closed set",)
_CODES = dict.fromkeys(_LINES, "PP713") | dict.fromkeys(_STATES, "PP715")
_MOST_GAMES = 4  # held at a time, with their states
_LONGEST = 600  # letters of a line: a law of many actions has thousands


@dataclass(frozen=True)
class RequestedSettings:
    """The settings under which a person asks the claim: options and rulings besides the claim's own, and
    the errata, as in `load_game`. A file about any others answers another question."""

    values: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    errata: bool | str = True


@dataclass(frozen=True)
class EvidenceCheckResult:
    """The result of checking a file: its findings, or the claim with the confirmed evidence and the
    verdict."""

    findings: tuple[Finding, ...] = ()
    claim: Question | None = None
    confirmed: ConfirmedAnswer | None = None
    verdict: Verdict | None = None
    errata: bool | str = True
    kinds: frozenset[str] = frozenset()
    """The kinds of its certificates."""
    words: AnswerWords = field(default_factory=AnswerWords)

    def format_confirmed_answer_lines(self) -> list[str]:
        """Return the confirmed sentence, its settings and what it rests on, as lines to print."""
        if self.claim is None or self.confirmed is None or self.verdict is None:
            return []
        decision, claim = self.confirmed.decision, self.claim
        settings = ", ".join(f"{k}={format_data_shortened(v)}" for k, v in {**claim.values, **claim.rulings}.items())
        if self.errata is not True:
            read = f"errata up to {self.errata}" if self.errata else "no errata"
            settings = f"{settings}, {read}" if settings else read
        value = (
            "it speaks of nothing that happens"
            if decision.vacuous
            else f"the value is {format_data_shortened(decision.value)}"
        )
        whom = f" {self.words.whom}" if self.words.whom else ""
        head = f"{self.verdict.value:<8} {claim.id}: {claim.says or claim.ask} ({value}{whom})"
        if self.verdict is Verdict.REFUTED and claim.expect is not None:
            head += f"\n         expected: {format_data_shortened(claim.expect)}"
        return [
            head,
            f"         settings: {settings or 'the defaults'}",
            *(f"         shown: {_shorten_line(text)}" for text in self.words.statements[:12]),
            *(f"         means: {_shorten_line(text)}" for text in self.words.meanings[:12]),
            f"         rests on: {', '.join(self.confirmed.rests)}",
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the result in the shape of `check --json`: the verdict and what it is about, or the
        findings alone."""
        findings = [f.as_json() for f in self.findings]
        if self.claim is None or self.confirmed is None or self.verdict is None:
            return {"claim": None, "verdict": None, "findings": findings}
        decision, claim = self.confirmed.decision, self.claim
        settings = {"options": dict(claim.values), "rulings": dict(claim.rulings), "errata": self.errata}
        return {
            "claim": claim.id,
            "ask": claim.ask,
            "says": claim.says,
            "verdict": self.verdict.value,
            "value": decision.value,
            "expect": claim.expect,
            "for": self.words.whom,
            "settings": settings,
            "shown": list(self.words.statements),
            "means": list(self.words.meanings),
            "rests": list(self.confirmed.rests),
            "read": list_kernel_files_behind_kinds(self.kinds),
            "findings": findings,
        }


@dataclass
class EvidenceChecker:
    """Checks files one after the other; what one file settled serves the next.

    `game` is the folder of a game that is not installed. `claims` replaces the game's claims.yaml. `asked` says
    under which settings the claims are asked. `second` is another solver, which the kernel also asks.
    """

    game: str | Path | None = None
    claims: Mapping[str, Question] | None = None
    asked: RequestedSettings = field(default_factory=RequestedSettings)
    second: Callable[[str], str] | None = None
    context: Context = field(init=False)
    _loaded: dict[str, _LoadedGame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        z3.z3.Z3_DEBUG = False  # Z3 checks sorts itself; a second check in Python takes a third of the time
        self.context = Context(
            second=self.second,
            compiled=CompiledExplorer().explain_why_not_excluded_or_empty,
            propose=propose_bounds_and_ranks_of_layer,
            swept=LastLayersCache(),
        )

    def check_evidence_file_to_result(self, path: Path | str) -> EvidenceCheckResult:
        """Check an evidence file, and return the confirmed evidence or the findings."""
        where = Where(str(path))

        def wrong(code: str, message: str) -> EvidenceCheckResult:
            return EvidenceCheckResult((Finding(code, where, message),))

        try:
            text = _read_text_file_of_limited_size(Path(path))
        except UnicodeError:
            return wrong("PP710", "cannot be read as evidence: it is no text; evidence is JSON, as `prove` writes it")
        except (OSError, Unreadable) as error:
            return wrong("PP710", f"cannot be read as evidence: {error}")
        try:
            return self._check_parsed_evidence(parse_evidence_file_text(text), where)
        except Unreadable as error:
            return wrong("PP710", f"cannot be read as evidence: {error}")
        except OtherClaim as error:
            return wrong("PP717", str(error))
        except OtherMeaning as error:
            return wrong("PP722", _describe_difference_of_meaning(error))
        except OtherRules as error:
            return wrong("PP712", str(error))
        except Disagreement as error:
            return wrong("PP718", str(error))
        except NotShown as error:
            return wrong(_CODES.get(str(error).partition(":")[0], "PP714"), str(error))
        except InputError as error:
            return wrong("PP711", "cannot be checked: " + "; ".join(f.message for f in error.findings[:3]))
        except (OptionError, UnknownGame, RulesError, OSError, NoMachineCodeError) as error:
            return wrong("PP711", f"cannot be checked: {error}")
        except OverflowError as error:
            return wrong("PP711", f"cannot be checked: a number of the game does not fit 64 bits ({error})")
        except Exception as error:  # of this file alone: the others are checked
            if os.environ.get("PLAYPROOF_TRACEBACK"):
                traceback.print_exception(error)
            return wrong(FAULT, f"a fault of playproof itself: {type(error).__name__}: {error}")

    def _check_parsed_evidence(self, file: EvidenceFile, file_location: Where) -> EvidenceCheckResult:
        ref, errata = _choose_game_to_check_against_or_raise(file, self.game), self.asked.errata
        if not isinstance(file.errata, bool | str):
            raise Unreadable(f"errata: expected true, false or a version, found {format_data_shortened(file.errata)}")
        if ref not in self._loaded:
            self._loaded[ref] = _LoadedGame(ref, self.asked, self.claims)
        loaded = self._loaded[ref]
        ident = file.claim.get("id") if isinstance(file.claim, dict) else None
        claims = loaded.get_claims_with_common_if_needed(ident)
        if not isinstance(ident, str) or ident not in claims:
            hint = make_nearest_or_possible_words_hint(str(ident), claims)
            return EvidenceCheckResult(
                (Finding("PP711", file_location, f"{ref} has no claim {format_data_shortened(ident)}", hint),)
            )
        question = apply_fitting_settings_to_question(claims[ident], self.asked.values, self.asked.rulings)
        try:
            require_evidence_is_about_claim(file, question, errata)
        except OtherClaim as error:
            raise OtherClaim(describe_claim_difference_or_empty(file, question, errata) or str(error)) from None
        misread = list_mistakes_in_questions(ref, [question], claims, errata, loaded.build_game_for_question_cached)
        if misread:
            return EvidenceCheckResult(tuple(misread))
        words = AnswerWords()

        def add_words(name: str, game: Game, variant: Question, decision: Decision) -> None:
            words.add_words_of_setting(name, game, variant, decision, self.context)

        answer = check_certificates_and_compute_answer(
            file, question, claims, loaded.build_game_cached, self.context, add_words
        )
        if not answer.decision.known:
            message = f"the certificates do not answer the claim `{ident}`"
            return EvidenceCheckResult((Finding("PP716", file_location, message),))
        verdict = decide_verdict_from_value_and_expectation(answer.decision, question.expect)
        kinds = frozenset(certificate.kind for setting in file.settings for certificate in setting.certificates)
        return EvidenceCheckResult((), question, answer, verdict, errata, kinds, words)


class _LoadedGame:
    """The claims of a game, and its descriptions under the settings that were asked for last."""

    def __init__(self, ref: str, asked: RequestedSettings, claims: Mapping[str, Question] | None) -> None:
        self.ref, self.asked, self.data = ref, asked, load_cards_if_rules_need_them(ref, asked.errata)
        self._replaced = claims is not None
        if claims is None:
            claims = load_claims_as_questions_or_raise(ref, asked.errata)
        self._claims = claims
        self._games: dict[str, Game] = {}

    def get_claims_with_common_if_needed(self, claim_id: object) -> Mapping[str, Question]:
        """Return the game's own claims, and the common ones too if the claim is none of its own."""
        own = self._replaced or (isinstance(claim_id, str) and claim_id in self._claims)
        return self._claims if own else self._claims_with_common

    @cached_property
    def _claims_with_common(self) -> Mapping[str, Question]:
        return load_own_or_common_claims_by_id(
            self.ref, self.asked.errata, self.asked.values, self.asked.rulings, include_common=True
        )

    def build_game_cached(self, options: Mapping[str, str], rulings: Mapping[str, str]) -> Game:
        """Return the game under options and rulings."""
        key = to_canonical_json_text([options, rulings])
        game = self._games.pop(key, None) or build(self.ref, Options(dict(options), dict(rulings)), self.data)
        while len(self._games) >= _MOST_GAMES:
            del self._games[next(iter(self._games))]
        self._games[key] = game  # as the last in order
        return game

    def build_game_for_question_cached(self, question: Question) -> Game:
        """Return the game that a question is about."""
        return self.build_game_cached(option_values_to_texts(question.values), option_values_to_texts(question.rulings))


def list_findings_on_evidence_file(
    path: Path | str,
    *,
    game: str | Path | None = None,
    claims: Mapping[str, Question] | None = None,
    asked: RequestedSettings | None = None,
) -> list[Finding]:
    """Return all findings about an evidence file; the list is empty if the file answers its claim.

    `game` is the folder of a game that is not installed. `claims` replaces the game's claims.yaml. `asked` says
    under which settings the claim is asked.
    """
    return list(check_evidence_file_to_result(path, game=game, claims=claims, asked=asked).findings)


def check_evidence_file_to_result(
    path: Path | str,
    *,
    game: str | Path | None = None,
    claims: Mapping[str, Question] | None = None,
    asked: RequestedSettings | None = None,
) -> EvidenceCheckResult:
    """Check an evidence file as `list_findings_on_evidence_file` does, and return the confirmed evidence with the
    findings."""
    return EvidenceChecker(game, claims, asked or RequestedSettings()).check_evidence_file_to_result(path)


def _read_text_file_of_limited_size(path: Path) -> str:
    if path.exists() and not path.is_file():  # a device or a pipe may give endless bytes, or none
        raise Unreadable("expected a file, found something else")
    if path.stat().st_size > 4 * MOST_BYTES:
        raise Unreadable(f"expected at most {MOST_BYTES:,} characters, found a file of {path.stat().st_size:,} bytes")
    with path.open("rb") as file:  # at most so many bytes, because the file may grow meanwhile
        return file.read(4 * MOST_BYTES).decode("utf-8")


def _choose_game_to_check_against_or_raise(file: EvidenceFile, named_folder: str | Path | None) -> str:
    """Return the game to check against: the folder that the person names, or the installed game
    that the file names. Raises UnknownGame if no installed game has that name."""
    if named_folder is not None:
        return str(named_folder)
    if not is_name_of_bundled_game(file.game):
        raise UnknownGame(
            f"no installed game is called {format_data_shortened(file.game)}; name its folder with --game"
        )
    return file.game


def _describe_difference_of_meaning(error: OtherMeaning) -> str:
    """Return what words meant when the claim was proved, and what they mean today; as data where both are printed
    alike."""
    then, now = (format_claim_part_or_data(error.game, error.kind, data) for data in (error.then, error.now))
    if then == now:
        then, now = (to_canonical_json_text(data) for data in (error.then, error.now))
    words = format_data_shortened(error.words)
    then, now = (text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..." for text in (then, now))
    return f"when it was proved, the {error.kind} {words} meant: {then}; today it means: {now}; prove it again"


def describe_claim_difference_or_empty(file: EvidenceFile, asked_claim: Question, asked_errata: Json) -> str:
    """Return how the claim in a file, its settings or its errata differ from those that are asked about; "" if they
    do not."""
    theirs, ours = file.claim, to_plain_json_data(asked_claim.as_json())
    if type(theirs) is not dict or set(theirs) != set(ours):
        return "the file does not say which claim it is about"
    if to_canonical_json_text(file.errata) != to_canonical_json_text(asked_errata):
        return (
            f"the claim is about {_describe_game_with_errata(asked_errata)}, "
            f"the file about {_describe_game_with_errata(file.errata)}"
        )
    for key, value in ours.items():
        if key not in ("values", "rulings") and to_canonical_json_text(theirs[key]) != to_canonical_json_text(value):
            return (
                f"`{key}` of the claim is {format_data_shortened(value)}, the file speaks of "
                f"{format_data_shortened(theirs[key])}"
            )
    for key, flag in (("values", "--option"), ("rulings", "--ruling")):
        chosen, wanted = theirs[key], ours[key]
        if type(chosen) is not dict:
            return f"expected `{key}` of the claim as a mapping, found {format_data_shortened(chosen)}"
        for name in wanted:
            here, there = format_data_shortened(wanted[name]), format_data_shortened(chosen.get(name))
            if here != there:
                return f"the claim is about {name}={here}, the file about {name}={there}"
        for name in sorted(set(chosen) - set(wanted)):
            setting = f"{name[:60]}={format_data_shortened(chosen[name]).strip(chr(34))}"
            return (
                f"the file is about {setting}, which the claim does not name; to ask about that, add {flag} {setting}"
            )
    return ""


def _shorten_line(text: str) -> str:
    """Return a text for a terminal, and where all of it is printed.

    >>> _shorten_line("a" * 700)[-47:]
    'a ... (700 letters; `check --json` prints them)'
    """
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]} ... ({len(text):,} letters; `check --json` prints them)"


def _describe_game_with_errata(errata: Json) -> str:
    """Return which game is meant, in words."""
    if errata is True:
        return "the game with all errata"
    return (
        "the game without errata" if errata is False else f"the game with errata up to {format_data_shortened(errata)}"
    )
