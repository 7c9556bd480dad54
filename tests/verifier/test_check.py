"""Tampered evidence is refused: each way to lie has its finding."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.verifier.check import check
from playproof.verifier.questions.verdicts import Answer

Tamper = Callable[[dict[str, Any]], None]


def _drop_a_move(c: dict[str, Any]) -> None:
    c["parts"][0]["idents"].pop(1)


def _other_words(c: dict[str, Any]) -> None:
    c["parts"][0]["words"][0] = "the weather brings 9"


def _no_such_action(c: dict[str, Any]) -> None:
    c["parts"][0]["idents"][0] = 999


def _stop_short(c: dict[str, Any]) -> None:
    c["parts"][0]["idents"].pop()


def _set(*path: Any, to: Any) -> Tamper:
    def tamper(c: dict[str, Any]) -> None:
        for key in path[:-1]:
            c = c[key]
        c[path[-1]] = to

    return tamper


def _no_parts(c: dict[str, Any]) -> None:
    c["parts"] = []


def _stronger(c: dict[str, Any]) -> None:
    c["parts"][0]["conjuncts"] = ["stored <= round"]


def _weaker(c: dict[str, Any]) -> None:
    c["parts"][0]["conjuncts"] = ["stored <= 4"]


def _flat_rank(c: dict[str, Any]) -> None:
    c["parts"][0]["rank"] = [[2, -1, -1]]


CASES: list[tuple[str, str, Tamper]] = [
    ("win", "PP713", _drop_a_move), ("win", "PP713", _other_words), ("win", "PP713", _no_such_action),
    ("win", "PP713", _stop_short), ("win", "PP716", _no_parts), ("win", "PP716", _set("value", to=False)),
    ("win", "PP712", _set("case", "rules", to="0" * 64)), ("win", "PP711", _set("case", "game", to="nowhere")),
    ("win", "PP711", _set("question", "of", to={"outcome": "wim"})), ("win", "PP710", _set("playproof", to=99)),
    ("win", "PP712", _set("case", "options", to={"goal": "5"})),
    ("fewest", "PP716", _set("value", to=1)), ("fewest", "PP716", _set("value", to=3)),
    ("no-flood", "PP715", _set("parts", 0, "digest", to="0" * 64)),
    ("no-flood", "PP715", _set("parts", 0, "states", to=7)),
    ("flood", "PP716", _set("value", to=True)), ("every-ending", "PP716", _set("value", to=True)),
    ("dead-actions", "PP716", _set("value", to=["trade"])), ("dead-actions", "PP716", _no_parts),
    ("stored-slowly", "PP714", _stronger), ("stored-slowly", "PP714", _weaker),
    ("stored-slowly", "PP716", _no_parts), ("bounds", "PP714", _set("parts", 0, "sets", 0, "conjuncts", to=[])),
    ("bounds", "PP714", _set("parts", 0, "sets", 0, "conjuncts", to=["stored == 1"])),
    ("ends-early", "PP715", _set("parts", 0, "longest", to=9)), ("ends-early", "PP715", _set("value", to=True)),
    ("chance", "PP715", _set("value", to=0.5)), ("unlucky", "PP715", _set("value", to=True)),
    ("most", "PP715", _set("value", to=3)), ("most", "PP716", _set("value", to=5)),
    ("alike", "PP714", lambda c: _weaker(c["parts"][1])), ("alike", "PP716", _set("value", to=False)),
]


@pytest.mark.parametrize(("ident", "code", "tamper"), CASES, ids=[f"{i}-{n}" for n, (i, _, _) in enumerate(CASES)])
def test_tampered_evidence_is_refused(answers: dict[str, Answer], tmp_path: Path, ident: str, code: str,
                                      tamper: Tamper) -> None:
    content = json.loads(Path(answers[ident].evidence).read_text(encoding="utf-8"))
    changed = copy.deepcopy(content)
    if ident == "alike" and code == "PP714":
        changed["parts"][1]["parts"][0]["conjuncts"] = ["stored <= 4"]
    else:
        tamper(changed)
    assert changed != content
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(changed), encoding="utf-8")
    assert code in [f.code for f in check(file, numba=False)]


def test_a_rank_that_does_not_fall_is_refused(answers: dict[str, Answer], tmp_path: Path) -> None:
    content = json.loads(Path(answers["ends"].evidence).read_text(encoding="utf-8"))
    if content["parts"][0]["kind"] != "length":
        pytest.fail("the small game has a rank")
    _flat_rank(content)
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert [f.code for f in check(file, numba=False)] == ["PP714"]


def test_a_file_that_is_no_evidence_is_a_finding_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    file.write_text("{not json", encoding="utf-8")
    assert [f.code for f in check(file, numba=False)] == ["PP710"]
    assert [f.code for f in check(tmp_path / "missing.json")] == ["PP710"]
