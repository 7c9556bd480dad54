"""The seeds of tables: nobody can guess them, and no seat is sent one that still tells something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.database.errors import Finding
from playproof.referee.judging import replay
from playproof.referee.transcript import parse
from playproof.table.hall import Hall
from playproof.table.journal import restore
from playproof.table.site import Site
from playproof.table.sitting import Sitting

HOST = "testserver"
Place = tuple[Hall, TestClient, str]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    hall = Hall(("pig", "kuhn_poker"), tmp_path / "tables", pace=0)
    site = Site(hall, {HOST})
    # The lobby opens to this machine only.
    with TestClient(site.app, client=("127.0.0.1", 50000)) as client:
        yield hall, client, site.lobby_at


def begun(place: Place, game: str, **more: str) -> Sitting:
    """A new table of two people, set up as the lobby's form does it."""
    hall, client, lobby = place
    fields = {"game": game, "seat-00": "person", "seat-01": "person", **more}
    reply = client.post(f"{lobby}new", data=fields, follow_redirects=False)
    assert reply.status_code == 303, reply.text
    sitting = hall.desks[reply.headers["location"].split("/")[2]].sitting
    for seat in sitting.free:
        sitting.sit_down(seat)
    return sitting


def transcript(place: Place, sitting: Sitting) -> str:
    reply = place[1].get(f"/t/{sitting.ident}/{sitting.tokens[0]}/transcript.txt")
    assert reply.status_code == 200
    return reply.text


def step(sitting: Sitting) -> None:
    match = sitting.match
    sitting.act(match.actor, sitting.version, match.play.legal(match.state)[0])


def test_a_table_has_a_seed_of_128_bits(place: Place) -> None:
    seeds = [begun(place, "pig").match.seed for _ in range(12)]
    assert len(set(seeds)) == 12
    assert max(seeds) >> 120, "twelve seeds of 128 bits are all below 2^120 once in 2^96 tries"


def test_the_seed_of_a_table_comes_back_with_it(place: Place) -> None:
    sitting = begun(place, "kuhn_poker")
    assert sitting.journal is not None
    assert restore(sitting.journal).match.seed == sitting.match.seed
    assert json.loads(sitting.journal.read_text().splitlines()[0])["seed"] == sitting.match.seed


def test_a_seed_that_is_typed_is_used(place: Place) -> None:
    assert begun(place, "pig", seed=str(1 << 127)).match.seed == 1 << 127
    assert place[1].post(f"{place[2]}new", data={"game": "pig", "seed": "1" * 60}).status_code == 400


def test_no_page_and_no_transcript_under_way_holds_the_seed(place: Place) -> None:
    """Nothing is hidden in this game but what the die will show."""
    sitting = begun(place, "pig")
    for _ in range(3):
        step(sitting)
    assert not sitting.hides
    assert "seed" not in transcript(place, sitting)
    for path in ("", "?at=1"):
        assert (
            str(sitting.match.seed) not in place[1].get(f"/t/{sitting.ident}/{sitting.tokens[0]}{path}").text
        )


def test_the_transcript_of_a_game_that_is_over_names_its_seed(place: Place) -> None:
    sitting = begun(place, "kuhn_poker")
    while not sitting.match.over:
        step(sitting)
    text = transcript(place, sitting)
    assert f"seed: {sitting.match.seed}\n" in text
    findings: list[Finding] = []
    assert replay(parse(text), findings) is not None
    assert findings == []


def test_a_branch_does_not_tell_what_comes_at_the_old_table(place: Place) -> None:
    sitting = begun(place, "kuhn_poker", seed="4")
    hall, client, _ = place
    sitting.propose(0, sitting.version, "branch", len(sitting.match.steps))
    reply = client.post(
        f"/t/{sitting.ident}/{sitting.tokens[1]}/agree",
        headers={"accept": "text/plain"},
        data={"version": str(sitting.version), "yes": "1"},
    )
    branch = hall.desks[reply.text.split("/")[2]].sitting
    assert branch.match.seed != sitting.match.seed
    for seat in branch.free:
        branch.sit_down(seat)
    while not branch.match.over:
        step(branch)
    assert branch.match.actions[:2] == sitting.match.actions
    if branch.match.stray() is not None:  # the cards were dealt by the old seed
        assert "seed" not in transcript(place, branch)
    findings: list[Finding] = []
    assert replay(parse(transcript(place, branch)), findings) is not None
    assert findings == []
