"""The small game of these tests, and its claims answered once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language.options import OptionError
from playproof.verifier.check import RequestedSettings, _LoadedGame, list_findings_on_evidence_file
from playproof.verifier.kernel.evidence import (
    EvidenceFile,
    get_options_and_rulings_key,
    list_questions_with_names_of_settings,
    read_claim_parts_of_setting,
)
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Answer

HARVEST = str(Path(__file__).parent / "games" / "harvest")
WIN = {"outcome": "win"}
PLAIN: Any = {"machine": False, "games": 1500}  # small games are answered before machine code is worth making
QUESTIONS = [
    Question("win", "reach", WIN, {"rounds": 4}, expect=True),
    Question("fewest", "minimum", {"number": "round", "when": WIN}, expect=2),
    Question("flood", "reach", {"reason": "flood"}, expect=True),
    Question("no-flood", "never", {"reason": "flood"}),
    Question("every-ending", "reach", {"every": "ending"}),
    Question("dead-actions", "dead", {"every": "action"}, expect="none"),
    Question("stored-slowly", "always", {"holds": "stored <= 2 * round"}),
    Question("little-grain", "always", {"holds": "grain <= 1"}),
    Question("bounds", "always", "bounds"),
    Question("goes-on", "always", "no dead end"),
    Question("ends", "always", {"ends": 400}),
    Question("ends-early", "always", {"ends": 10}),
    Question("lucky", "luck", WIN, chance="best"),
    Question("unlucky", "luck", WIN, {"rounds": 2}, chance="worst"),
    Question("chance", "luck", WIN, {"rounds": 2}),
    Question("most", "maximum", {"number": "stored"}, expect=4),
    Question("flooded-when", "minimum", {"number": "round", "when": {"reason": "flood"}}),
    Question("alike", "same", {"claim": "stored-slowly"}, rulings={"H1": ["spoils", "keeps"]}),
    Question("barns", "tune", {"ask": "never", "of": {"outcome": "win"}}, values={"goal": [8, 12]}),
]


def recheck(answer: Answer | Path | str, *questions: Question, game: str = HARVEST, **options: str) -> list[str]:
    """Codes of what `list_findings_on_evidence_file` finds wrong with evidence for questions that stand in no
    claims.yaml."""
    path = answer.evidence if isinstance(answer, Answer) else answer
    claims = {q.id: q for q in questions or QUESTIONS}
    return [
        f.code for f in list_findings_on_evidence_file(path, game=game, claims=claims, asked=RequestedSettings(options))
    ]


def renew_reads(content: dict[str, Any], game: str, claims: Mapping[str, Question]) -> dict[str, Any]:
    """Return an evidence file that says of each part of its claim and certificates what that is read as today; the file
    itself if something of it cannot be read."""
    context, made = Context(), []
    try:
        bare = [{**setting, "reads": []} for setting in content["settings"]]
        file: EvidenceFile = decode_json_as_type_or_raise(EvidenceFile, {**content, "settings": bare})
        asked = list_questions_with_names_of_settings(claims[file.claim["id"]], claims)
        by_key = {get_options_and_rulings_key(question): question for _, question in asked}
        loaded = _LoadedGame(game, RequestedSettings(), claims)
        for plain, setting in zip(bare, file.settings, strict=True):
            built = loaded.build_game_cached(setting.options, setting.rulings)
            reads = read_claim_parts_of_setting(built, by_key[setting.key], setting.certificates, context)
            made.append({**plain, "reads": encode_typed_value_as_json(reads)})
    except (Unreadable, InputError, OptionError, ValueError, KeyError, TypeError, AttributeError):
        return content
    return {**content, "settings": made}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the evidence of the session lies."""
    return tmp_path_factory.mktemp("output")


@pytest.fixture(scope="session")
def answers(folder: Path) -> dict[str, Answer]:
    """Every question of the small game, answered by all methods there are, not only by going through its states. With
    more work each method that does not find the answer to `barns` searches longer before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many",
            lambda case, budget: None,
        )
        return {a.id: a for a in prove(HARVEST, claims=QUESTIONS, work=9, output=folder, **PLAIN)}
