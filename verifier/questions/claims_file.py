"""Reads a game's claims.yaml: every claim as a question, with the claims given to it.

What stands here decides no verdict. It refuses claims that nobody could answer, and finds the claims
whose conditions help to prove another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from playproof.database.claims_yaml import Claim
from playproof.database.errors import Finding, InputError, did_you_mean
from playproof.verifier.questions.claims import Question, question_from_claim

CHANCES, SEEING = ("best", "worst", "mean"), ("", "all")
"""The words for luck, and for what players see."""
_CONDITIONS = ("always",)
_HELP = {
    **dict.fromkeys(("minimum", "maximum"), (*_CONDITIONS, "example")),
    "luck": (*_CONDITIONS, "strategy"),
}
"""The kinds of claims that a claim may be given, where examples or strategies can show what it asks for."""


def questions_from_claims(claims: Mapping[str, Claim]) -> dict[str, Question]:
    """Return the questions of a game's claims. A claim may take only earlier claims as given.
    Raises InputError."""
    questions, findings = read_questions_and_findings(claims)
    if findings:
        raise InputError(findings)
    return questions


def read_questions_and_findings(claims: Mapping[str, Claim]) -> tuple[dict[str, Question], list[Finding]]:
    """Return the questions of those claims that can be read, and what is wrong with the others."""
    questions: dict[str, Question] = {}
    findings: list[Finding] = []
    for name, claim in claims.items():
        lemma_names = claim.data.get("given") or []
        names = [str(n) for n in (lemma_names if isinstance(lemma_names, list) else [lemma_names])]
        helps = _HELP.get(claim.ask, _CONDITIONS)
        lemmas = [questions[n] for n in names if n in questions and questions[n].ask in helps]
        missing = sorted(set(names) - {q.id for q in lemmas})
        wrong = [
            Finding(
                "PP705",
                claim.where,
                f"claim `{name}` is given `{n}`, and no `{'` or `'.join(helps)}` "
                "claim of that name stands before it",
                did_you_mean(n, questions),
            )
            for n in missing
        ]
        try:
            question = replace(question_from_claim(claim), given=tuple(lemmas))
            wrong += iter_unknown_value_findings(question)
        except InputError as error:
            wrong += error.findings
        if not wrong:
            questions[name] = question
        findings += wrong
    return questions, findings


def iter_unknown_value_findings(question: Question) -> Iterator[Finding]:
    """Yield what is wrong with a question's chance, seeing and budget. No certificate answers a
    question about a luck that does not exist."""
    budget = question.budget
    if question.chance not in CHANCES:
        yield Finding(
            "PP704",
            question.where,
            f"chance `{question.chance}`: expected best, worst or mean",
            did_you_mean(question.chance, CHANCES),
        )
    if question.seeing not in SEEING:
        yield Finding("PP704", question.where, f"seeing `{question.seeing}`: expected all, or nothing")
    if budget is not None and not (isinstance(budget, int | float) and budget > 0):
        yield Finding("PP704", question.where, f"budget `{budget}`: expected a number above 0")


def list_question_with_given_claims(question: Question) -> list[Question]:
    """Return the claims given to a claim, each after those given to it, and then the claim
    itself."""
    some = [q for lemma in question.given for q in list_question_with_given_claims(lemma)]
    return list({q.id: q for q in [*some, question]}.values())
