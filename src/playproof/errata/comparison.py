"""The answers to a game's claims in two versions, as a value. `claims.py` finds them, with the verifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playproof.errata.claim_sentences import describe_answer_changes
from playproof.errata.speech import ENGLISH, DossierLanguage
from playproof.verifier.questions.sentences import is_about_winning
from playproof.verifier.questions.verdicts import Answer, Verdict


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
