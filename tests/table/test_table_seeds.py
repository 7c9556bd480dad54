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
from playproof.referee.transcript import parse
from playproof.table.game_session import GameSession
from playproof.table.sessions import ServerState, restore_session_from_journal
from playproof.table.web_app import TableApp

HOST = "testserver"
Place = tuple[ServerState, TestClient, str]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    hall = ServerState(("pig", "kuhn_poker"), tmp_path / "tables", pace=0)
    site = TableApp(hall, {HOST})
    # The lobby opens to this machine only.
    with TestClient(site.app, client=("127.0.0.1", 50000)) as client:
        yield hall, client, site.lobby_at


def begun(place: Place, game: str, **more: str) -> GameSession:
    """A new table of two people, set up as the lobby's form does it."""
    hall, client, lobby = place
    fields = {"game": game, "seat-00": "person", "seat-01": "person", **more}
    reply = client.post(f"{lobby}new", data=fields, follow_redirects=False)
    assert reply.status_code == 303, reply.text
    sitting = hall.desks[reply.headers["location"].split("/")[2]].session
    for seat in sitting.free_seats:
        sitting.take_free_seat_and_get_token(seat)
    return sitting


def transcript(place: Place, sitting: GameSession) -> str:
    reply = place[1].get(f"/t/{sitting.ident}/{sitting.tokens[0]}/transcript.txt")
    assert reply.status_code == 200
    return reply.text


def step(sitting: GameSession) -> None:
    match = sitting.match
    sitting.take_action_of_seat_or_refuse(match.actor, sitting.version, match.play.legal(match.state)[0])


def test_a_table_has_a_seed_of_128_bits(place: Place) -> None:
    seeds = [begun(place, "pig").match.seed for _ in range(12)]
    assert len(set(seeds)) == 12
    assert max(seeds) >> 120, "twelve seeds of 128 bits are all below 2^120 once in 2^96 tries"


def test_the_seed_of_a_table_comes_back_with_it(place: Place) -> None:
    sitting = begun(place, "kuhn_poker")
    assert sitting.journal is not None
    assert restore_session_from_journal(sitting.journal).match.seed == sitting.match.seed
    assert json.loads(sitting.journal.read_text().splitlines()[0])["seed"] == sitting.match.seed


def test_a_seed_that_is_typed_is_used(place: Place) -> None:
    assert begun(place, "pig", seed=str(1 << 127)).match.seed == 1 << 127
    assert place[1].post(f"{place[2]}new", data={"game": "pig", "seed": "1" * 60}).status_code == 400


def test_no_page_and_no_transcript_under_way_holds_the_seed(place: Place) -> None:
    """Nothing is hidden in this game but what the die will show."""
    sitting = begun(place, "pig")
    for _ in range(3):
        step(sitting)
    assert not sitting.has_hidden_fields
    assert "seed" not in transcript(place, sitting)
    for path in ("", "?at=1"):
        assert str(sitting.match.seed) not in place[1].get(f"/t/{sitting.ident}/{sitting.tokens[0]}{path}").text


def test_the_transcript_of_a_game_that_is_over_names_its_seed(place: Place) -> None:
    sitting = begun(place, "kuhn_poker")
    while not sitting.match.over:
        step(sitting)
    text = transcript(place, sitting)
    assert f"seed: {sitting.match.seed}\n" in text
    findings: list[Finding] = []
    assert replay_transcript_or_add_findings(parse(text), findings) is not None
    assert findings == []


def test_a_branch_does_not_tell_what_comes_at_the_old_table(place: Place) -> None:
    sitting = begun(place, "kuhn_poker", seed="4")
    hall, client, _ = place
    sitting.propose_undo_or_branch(0, sitting.version, "branch", len(sitting.match.steps))
    reply = client.post(
        f"/t/{sitting.ident}/{sitting.tokens[1]}/agree",
        headers={"accept": "text/plain"},
        data={"version": str(sitting.version), "yes": "1"},
    )
    branch = hall.desks[reply.text.split("/")[2]].session
    assert branch.match.seed != sitting.match.seed
    for seat in branch.free_seats:
        branch.take_free_seat_and_get_token(seat)
    while not branch.match.over:
        step(branch)
    assert branch.match.actions[:2] == sitting.match.actions
    if branch.match.find_first_step_unlike_seed_or_none() is not None:  # the cards were dealt by the old seed
        assert "seed" not in transcript(place, branch)
    findings: list[Finding] = []
    assert replay_transcript_or_add_findings(parse(transcript(place, branch)), findings) is not None
    assert findings == []


def test_going_back_past_chance_draws_it_anew(place: Place) -> None:
    """Undo is no look at the next card: six times the same choice does not meet the same die each time."""
    sitting = begun(place, "pig", seed="11")
    shown, seeds = set(), {sitting.match.seed}
    while sum(step.actor == CHANCE for step in sitting.match.steps) == 0:
        step(sitting)
    first = next(n for n, taken in enumerate(sitting.match.steps) if taken.actor == CHANCE) - 1
    for _ in range(12):
        shown.add(sitting.match.steps[first + 1].text)
        go_back(sitting, first)
        seeds.add(sitting.match.seed)
        step(sitting)
    assert len(seeds) == 13
    assert len(shown) > 1, "twelve dice are alike once in 6^11 games"
    assert sitting.journal is not None
    again = restore_session_from_journal(sitting.journal)
    assert (again.match.seed, again.match.actions) == (sitting.match.seed, sitting.match.actions)


def test_going_back_without_chance_keeps_the_seed_and_from_the_end_it_does_not(place: Place) -> None:
    sitting = begun(place, "kuhn_poker", seed="4")
    step(sitting)
    go_back(sitting, len(sitting.match.steps) - 1)
    assert sitting.match.seed == 4
    while not sitting.match.over:
        step(sitting)
    go_back(sitting, len(sitting.match.steps) - 1)
    assert sitting.match.seed != 4, "everybody may have read it"
    while not sitting.match.over:
        step(sitting)
    findings: list[Finding] = []
    assert replay_transcript_or_add_findings(parse(transcript(place, sitting)), findings) is not None
    assert findings == []


def test_a_proposal_says_what_it_takes_back(place: Place) -> None:
    sitting = begun(place, "pig", seed="11")
    step(sitting)
    sitting.propose_undo_or_branch(0, sitting.version, "undo", 0)
    page = place[1].get(f"/t/{sitting.ident}/{sitting.tokens[1]}").text
    panel = page[page.index('<section class="proposal"') :].partition("</section>")[0]
    assert "This takes back:" in panel
    assert sitting.match.steps[0].text in panel
    seen = any(taken.actor == CHANCE for taken in sitting.match.steps)
    assert ("Cards or dice were seen since" in panel) == seen
    assert seen, "who begins a turn of Pig rolls"


def go_back(sitting: GameSession, to: int) -> None:
    """Go back with the consent of both."""
    sitting.propose_undo_or_branch(0, sitting.version, "undo", to)
    sitting.answer_proposal_and_get_it_if_agreed(1, sitting.version, True)
    assert len(sitting.match.steps) >= to
