"""Claims on a cluster: the same answers as here, and workers that err or lie answer nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.referee.cluster import ProgramStamp, WorkerMismatchError, do_work_and_attach_own_stamp
from playproof.verifier.bridges.cluster import WorkerReply, make_factory_of_cluster_or_local_runs
from playproof.verifier.kernel.deals import DealEvidence
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import add_work_units_done, get_work_units_done
from tests.published_games import get_published_game
from tests.referee.test_cluster import Client
from tests.verifier.conftest import recheck

SMALL = {"game": "black_hole", "ranks": "7"}
DEALS = Question("share", "deals", {"share": {"outcome": "win"}, "deals": 5}, values=SMALL)
WON = Question("won", "reach", {"outcome": "win", "seat": 0}, expect=True)
BOUNDS = Question("bounds", "always", "bounds", expect=True)
LUCK = Question("luck", "luck", {"outcome": "win", "seat": 0})
HEAPS = Question("heaps", "same", {"ask": "luck", "of": LUCK.of}, values={"heaps": ["1-2-3", "1-2-4"]})


def apart(work: Any, item: Any, sent: bytes) -> tuple[ProgramStamp, Any]:
    """Do what a worker does, which has a clock of its own."""
    before = get_work_units_done()
    answer = do_work_and_attach_own_stamp(work, item, sent)
    add_work_units_done(before - get_work_units_done())
    return answer


def on(client: Client, game: str, *claims: Question, **how: Any) -> list[Answer]:
    return prove(game, claims=claims, begin=make_factory_of_cluster_or_local_runs(client), machine=False, **how)


def lying(change: Callable[[Any], Any]) -> Client:
    def work(about: Any, item: Any, sent: bytes) -> tuple[ProgramStamp, Any]:
        stamp, reply = apart(about, item, sent)
        return stamp, change(reply)

    return Client(work)


def test_a_cluster_answers_as_this_machine_does(tmp_path: Path) -> None:
    claims = (WON, LUCK, BOUNDS, HEAPS)
    client = Client(apart)
    there = on(client, "nim", *claims, output=tmp_path)
    here = prove("nim", claims=claims, machine=False)
    assert [(a.id, a.verdict, a.value, a.whom) for a in there] == [(a.id, a.verdict, a.value, a.whom) for a in here]
    by_id = {answer.id: answer for answer in there}
    assert by_id["heaps"].verdict is Verdict.REFUTED
    assert len(client.asked) == 4
    for question in claims:
        assert recheck(by_id[question.id], question, game="nim") == []
    with pytest.raises(InputError, match="PP704 claim `none`: heaps=a-b: expected numbers"):
        on(client, "nim", replace(BOUNDS, id="none", values={"heaps": "a-b"}), output=tmp_path)
    assert len(client.asked) == 4, "the game cannot be built, so nothing of it is sent"


def test_deals_of_a_cluster_are_those_of_this_machine(tmp_path: Path) -> None:
    """Also where the work does not suffice for all of them: the rest are open, here as there."""
    [there] = on(Client(apart), get_published_game("black_hole"), DEALS, work=0.08, output=tmp_path / "there")
    [here] = prove(get_published_game("black_hole"), claims=[DEALS], work=0.08, machine=False, output=tmp_path / "here")
    assert min(there.bound["won"], there.bound["open"]) > 0
    assert Path(there.evidence).read_bytes() == Path(here.evidence).read_bytes()


def with_certificates(reply: WorkerReply, change: Callable[[Any], Any]) -> WorkerReply:
    file = json.loads(reply.evidence)
    for setting in file["settings"]:
        setting["certificates"] = [change(each) for each in setting["certificates"]]
    return replace(reply, evidence=json.dumps(file))


def a_shorter_line(reply: WorkerReply) -> WorkerReply:
    return with_certificates(reply, lambda each: each | {"idents": each["idents"][:-1]})


def of_no_kind(reply: WorkerReply) -> WorkerReply:
    return with_certificates(reply, lambda each: {"kind": "trust me"})


def no_evidence(reply: WorkerReply) -> WorkerReply:
    return replace(reply, evidence='{"playproof": 4}')


def nothing_shown(reply: WorkerReply) -> WorkerReply:
    file = json.loads(reply.evidence)
    return replace(reply, evidence=json.dumps({**file, "settings": []}))


@pytest.mark.parametrize("change", [a_shorter_line, of_no_kind, no_evidence, nothing_shown, lambda reply: None])
def test_a_worker_that_lies_answers_nothing(change: Callable[[Any], Any]) -> None:
    [answer] = on(lying(change), "nim", WON)
    assert (answer.verdict, answer.value) == (Verdict.UNKNOWN, None)
    assert answer.reason


def test_words_of_a_worker_do_not_stand_beside_a_value() -> None:
    def boast(reply: WorkerReply) -> WorkerReply:
        words = {
            key: replace(found, value=0.75, method="magic", bound={"exactly": "3/4", "because": "so"})
            for key, found in reply.words.items()
        }
        return replace(reply, words=words)

    [answer] = on(lying(boast), "nim", LUCK)
    assert (answer.value, answer.bound) == (1.0, {})
    assert "magic" not in answer.method


def test_a_deal_that_was_not_won_is_refused() -> None:
    won = lying(lambda reply: (DealEvidence((0,), 0), reply[1]))
    [answer] = on(won, get_published_game("black_hole"), DEALS)
    assert (answer.verdict, answer.value) == (Verdict.UNKNOWN, None)
    assert "not confirmed by the kernel" in answer.reason


def test_a_worker_with_other_rules_is_refused() -> None:
    def other(work: Any, item: Any, sent: bytes) -> tuple[ProgramStamp, Any]:
        stamp, reply = apart(work, item, sent)
        return stamp._replace(game="another"), reply

    with pytest.raises(WorkerMismatchError, match="another"):
        on(Client(other), "nim", WON)
