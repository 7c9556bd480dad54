"""The seeds of tables: nobody can guess them, and no seat is sent one that still tells something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.database.errors import Finding
from playproof.language import CHANCE
from playproof.referee.recorded_games import replay_transcript_or_add_findings
from playproof.referee.transcript import parse_transcript_text_or_raise
from playproof.table.game_session import GameSession
from playproof.table.sessions import ServerState, restore_session_and_repair_journal
from playproof.table.web_app import TableApp

HOST = "testserver"
Place = tuple[ServerState, TestClient, str]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    server_state = ServerState(("pig", "kuhn_poker"), tmp_path / "tables", pace=0)
    site = TableApp(server_state, {HOST})
    # The lobby opens to this machine only.
    with TestClient(site.app, client=("127.0.0.1", 50000)) as client:
        yield server_state, client, site.lobby_at


def begun(place: Place, game: str, **more: str) -> GameSession:
    """A new table of two people, set up as the lobby's form does it."""
    server_state, client, lobby = place
    fields = {"game": game, "seat-00": "person", "seat-01": "person", **more}
    reply = client.post(f"{lobby}new", data=fields, follow_redirects=False)
    assert reply.status_code == 303, reply.text
    session = server_state.running_sessions[reply.headers["location"].split("/")[2]].session
    for seat in session.free_seats:
        session.take_free_seat_and_get_token(seat)
    return session


def transcript(place: Place, session: GameSession) -> str:
    reply = place[1].get(f"/t/{session.ident}/{session.tokens[0]}/transcript.txt")
    assert reply.status_code == 200
    return reply.text


def step(session: GameSession) -> None:
    match = session.match
    session.take_action_of_seat_or_refuse(match.actor, session.version, match.play.legal(match.state)[0])


def test_a_table_has_a_seed_of_128_bits(place: Place) -> None:
    seeds = [begun(place, "pig").match.seed for _ in range(12)]
    assert len(set(seeds)) == 12
    assert max(seeds) >> 120, "twelve seeds of 128 bits are all below 2^120 once in 2^96 tries"


def test_the_seed_of_a_table_comes_back_with_it(place: Place) -> None:
    session = begun(place, "kuhn_poker")
    assert session.journal is not None
    assert restore_session_and_repair_journal(session.journal).match.seed == session.match.seed
    assert json.loads(session.journal.read_text().splitlines()[0])["seed"] == session.match.seed


def test_a_seed_that_is_typed_is_used(place: Place) -> None:
    assert begun(place, "pig", seed=str(1 << 127)).match.seed == 1 << 127
    assert place[1].post(f"{place[2]}new", data={"game": "pig", "seed": "1" * 60}).status_code == 400


def test_no_page_and_no_transcript_under_way_holds_the_seed(place: Place) -> None:
    """Nothing is hidden in this game but what the die will show."""
    session = begun(place, "pig")
    for _ in range(3):
        step(session)
    assert not session.has_hidden_fields
    assert "seed" not in transcript(place, session)
    for path in ("", "?at=1"):
        assert str(session.match.seed) not in place[1].get(f"/t/{session.ident}/{session.tokens[0]}{path}").text


def test_the_transcript_of_a_game_that_is_over_names_its_seed(place: Place) -> None:
    session = begun(place, "kuhn_poker")
    while not session.match.over:
        step(session)
    text = transcript(place, session)
    assert f"seed: {session.match.seed}\n" in text
    findings: list[Finding] = []
    assert replay_transcript_or_add_findings(parse_transcript_text_or_raise(text), findings) is not None
    assert findings == []


def test_a_branch_does_not_tell_what_comes_at_the_old_table(place: Place) -> None:
    session = begun(place, "kuhn_poker", seed="4")
    server_state, client, _ = place
    session.propose_and_get_proposal_if_agreed(0, session.version, "branch", len(session.match.steps))
    reply = client.post(
        f"/t/{session.ident}/{session.tokens[1]}/agree",
        headers={"accept": "text/plain"},
        data={"version": str(session.version), "yes": "1"},
    )
    branch = server_state.running_sessions[reply.text.split("/")[2]].session
    assert branch.match.seed != session.match.seed
    for seat in branch.free_seats:
        branch.take_free_seat_and_get_token(seat)
    while not branch.match.over:
        step(branch)
    assert branch.match.actions[:2] == session.match.actions
    if branch.match.find_chance_step_unlike_seed() is not None:  # the cards were dealt by the old seed
        assert "seed" not in transcript(place, branch)
    findings: list[Finding] = []
    assert (
        replay_transcript_or_add_findings(parse_transcript_text_or_raise(transcript(place, branch)), findings)
        is not None
    )
    assert findings == []


def test_going_back_past_chance_draws_it_anew(place: Place) -> None:
    """Undo is no look at the next card: six times the same choice does not meet the same die each time."""
    session = begun(place, "pig", seed="11")
    shown, seeds = set(), {session.match.seed}
    while sum(step.actor == CHANCE for step in session.match.steps) == 0:
        step(session)
    first = next(n for n, taken in enumerate(session.match.steps) if taken.actor == CHANCE) - 1
    for _ in range(12):
        shown.add(session.match.steps[first + 1].text)
        go_back(session, first)
        seeds.add(session.match.seed)
        step(session)
    assert len(seeds) == 13
    assert len(shown) > 1, "twelve dice are alike once in 6^11 games"
    assert session.journal is not None
    again = restore_session_and_repair_journal(session.journal)
    assert (again.match.seed, again.match.actions) == (session.match.seed, session.match.actions)


def test_going_back_without_chance_keeps_the_seed_and_from_the_end_it_does_not(place: Place) -> None:
    session = begun(place, "kuhn_poker", seed="4")
    step(session)
    go_back(session, len(session.match.steps) - 1)
    assert session.match.seed == 4
    while not session.match.over:
        step(session)
    go_back(session, len(session.match.steps) - 1)
    assert session.match.seed != 4, "everybody may have read it"
    while not session.match.over:
        step(session)
    findings: list[Finding] = []
    assert (
        replay_transcript_or_add_findings(parse_transcript_text_or_raise(transcript(place, session)), findings)
        is not None
    )
    assert findings == []


def test_a_proposal_says_what_it_takes_back(place: Place) -> None:
    session = begun(place, "pig", seed="11")
    step(session)
    session.propose_and_get_proposal_if_agreed(0, session.version, "undo", 0)
    page = place[1].get(f"/t/{session.ident}/{session.tokens[1]}").text
    panel = page[page.index('<section class="proposal"') :].partition("</section>")[0]
    assert "This takes back:" in panel
    assert session.match.steps[0].text in panel
    seen = any(taken.actor == CHANCE for taken in session.match.steps)
    assert ("Cards or dice were seen since" in panel) == seen
    assert seen, "who begins a turn of Pig rolls"


def go_back(session: GameSession, to: int) -> None:
    """Go back with the consent of both."""
    session.propose_and_get_proposal_if_agreed(0, session.version, "undo", to)
    session.answer_proposal_and_get_it_if_agreed(1, session.version, True)
    assert len(session.match.steps) >= to
