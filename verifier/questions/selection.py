"""Which claims a run asks, under which settings and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playproof.database.errors import (
    Finding,
    InputError,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.language import RulesError
from playproof.verifier.kernel.claim_values import get_rules_property_asked_by_always_or_empty
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.questions.claim_check import list_given_claims_then_question, list_wrong_questions_with_mistakes
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_of_game import (
    load_claims_as_questions_or_raise as load_claims_as_questions_or_raise,
    load_readable_claims_and_findings as load_readable_claims_and_findings,
)


def drop_questions_with_mistakes_or_raise(
    game_ref: str,
    chosen_questions: Sequence[Question],
    questions: Mapping[str, Question],
    errata: bool | str,
    findings_to_extend: list[Finding] | None,
) -> list[Question]:
    """Return the questions that can be understood, and add what is wrong with the others to `findings_to_extend`;
    without it, raise InputError."""
    try:
        wrong = {
            question.id: each
            for question, each in list_wrong_questions_with_mistakes(game_ref, chosen_questions, questions, errata)
        }
    except RulesError:
        if findings_to_extend:  # what is wrong with the claims that could not be read comes first
            raise InputError(findings_to_extend) from None
        raise
    findings = list(dict.fromkeys(finding for each in wrong.values() for finding in each))
    if findings and findings_to_extend is None:
        raise InputError(findings)
    if findings_to_extend is not None:
        findings_to_extend += findings
    return [question for question in chosen_questions if question.id not in wrong]


def select_sorted_questions_under_settings_or_raise(
    game_ref: str,
    questions: Mapping[str, Question],
    claim_ids: Sequence[str],
    option_values: Mapping[str, str],
    rulings: Mapping[str, str],
) -> list[Question]:
    """Return the questions asked for, with the caller's settings in place of the claims' own.
    Raises InputError for an unknown id."""
    unknown = [i for i in claim_ids if i not in questions]
    if unknown:
        raise InputError(
            [
                Finding(
                    "PP705",
                    Where(make_path_relative_to_working_folder(Path(game_ref))),
                    f"there is no claim `{i}`",
                    make_nearest_or_possible_words_hint(i, questions),
                )
                for i in unknown
            ]
        )
    wanted = [questions[i] for i in claim_ids] if claim_ids else list(questions.values())
    fits = [
        q for q in wanted if all(_does_claim_allow_option_value(q.values.get(k), v) for k, v in option_values.items())
    ]
    return [
        apply_fitting_settings_to_question(q, option_values, rulings)
        for q in _sort_questions_after_what_they_need(fits)
    ]


def apply_fitting_settings_to_question(
    question: Question, option_values: Mapping[str, str], rulings: Mapping[str, str]
) -> Question:
    """Return a question under the options and rulings given for a run. A question that names another value of
    an option keeps its own: no run asks it under that one."""
    fitting = {
        key: value
        for key, value in option_values.items()
        if _does_claim_allow_option_value(question.values.get(key), value)
    }
    return replace(
        question,
        values=_merge_claim_and_run_settings(question.values, fitting),
        rulings=_merge_claim_and_run_settings(question.rulings, rulings),
    )


def _merge_claim_and_run_settings(claim_settings: Mapping[str, Any], run_settings: Mapping[str, Any]) -> dict[str, Any]:
    """Join a claim's own settings with those given for the run. A given value that equals the
    claim's as text (`"0"` and 0) keeps the claim's spelling, so that its evidence is about the same
    setting."""
    differ = {
        key: value
        for key, value in run_settings.items()
        if key not in claim_settings or str(claim_settings[key]) != str(value)
    }
    return {**claim_settings, **differ}


def _sort_questions_after_what_they_need(questions: Sequence[Question]) -> list[Question]:
    """Order the claims of each setting: claims about bounds and automatic phases first, because
    proofs rest on them, each after the claims that it takes as given."""
    ordered: dict[str, Question] = {}
    for question in questions:
        same = [q for q in questions if (q.values, q.rulings) == (question.values, question.rulings)]
        idents = {q.id for q in same}
        for ground in [
            q for name in (BOUNDS, PHASES_END) for q in same if get_rules_property_asked_by_always_or_empty(q) == name
        ]:
            ordered.update({q.id: q for q in list_given_claims_then_question(ground) if q.id in idents})
        ordered[question.id] = question
    return list(ordered.values())


def list_phase_end_claims_bounds_need_first(question: Question, chosen_questions: Sequence[Question]) -> list[Question]:
    """Return the chosen claims of the same setting that automatic phases end; a claim about bounds
    needs them first. Return none for any other claim."""
    if get_rules_property_asked_by_always_or_empty(question) != BOUNDS:
        return []
    return [
        q
        for q in chosen_questions
        if get_rules_property_asked_by_always_or_empty(q) == PHASES_END
        and (q.values, q.rulings) == (question.values, question.rulings)
    ]


def _does_claim_allow_option_value(claim_values: Any, run_value: str) -> bool:
    if claim_values is None:
        return True
    return str(run_value) in [str(a) for a in (claim_values if isinstance(claim_values, list) else [claim_values])]
