"""Answers of earlier runs, by the digests of the descriptions that they are about.

An erratum compares a game with itself as it was, and that side never changes. What the kernel accepted for it is kept
in the cache folder, where machine code is kept too, and trusted like that. The key holds all that decides an answer:
the claim, the descriptions, the limits, and the code of Playproof itself.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from playproof.database.files import write_atomically
from playproof.language.cache import ensure_cache_folder
from playproof.verifier.kernel.evidence import EvidenceFile, parse_evidence
from playproof.verifier.kernel.strict import Unreadable, encode, to_canonical
from playproof.verifier.premises import digest_answering_code, question_to_json_parts
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict


@dataclass(frozen=True)
class AnswerWithEvidence:
    """An answer, and the evidence that the kernel accepted for it."""

    answer: Answer
    file: EvidenceFile


class AnswerCache:
    """The folder of answers. An entry that cannot be read is none."""

    def __init__(self) -> None:
        self._folder = ensure_cache_folder() / "answers"
        self._folder.mkdir(exist_ok=True)

    @staticmethod
    def make_key(question: Question, digests: Sequence[str], work: float, seconds: float | None) -> str:
        """Return the name of an answer: equal names mean the same question about the same rules and cards."""
        parts = [
            digest_answering_code(),
            question_to_json_parts(question),
            [work, str(seconds)],
            list(digests),
        ]
        return sha256(to_canonical(parts).encode()).hexdigest()

    def read_entry(self, key: str) -> AnswerWithEvidence | None:
        """Return what was remembered under a name, None if nothing was."""
        try:
            data = json.loads((self._folder / key).read_text("utf-8"))
            answer = {**data["answer"], "verdict": Verdict(data["answer"]["verdict"])}
            answer["assumed"] = tuple(answer["assumed"])
            return AnswerWithEvidence(Answer(**answer), parse_evidence(json.dumps(data["file"])))
        except (OSError, ValueError, KeyError, TypeError, Unreadable):
            return None

    def write_entry(self, key: str, entry: AnswerWithEvidence) -> None:
        """Remember an answer."""
        data = {"answer": _answer_to_dict(entry.answer), "file": encode(entry.file)}
        write_atomically(self._folder / key, json.dumps(data).encode())


def _answer_to_dict(answer: Answer) -> dict[str, Any]:
    values = {f.name: getattr(answer, f.name) for f in dataclasses.fields(answer)}
    return {**values, "verdict": answer.verdict.value}
