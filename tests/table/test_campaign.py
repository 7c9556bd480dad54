"""A campaign at the table: what is told before and after a chapter, and the button to the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.referee import judge
from playproof.referee.recorded_games import load
from playproof.referee.transcript import describe_next_campaign_game_or_empty, get_next_game_of_campaign_or_none
from playproof.table.game_session import GameSession
from playproof.table.sessions import ServerState, restore_session_and_repair_journal
from playproof.table.web_app import TableApp

HOST = "testserver"
WIN = load(Path(__file__).resolve().parents[2] / "cards/eila/games/won-in-the-seventh-night.txt")


@pytest.fixture
def server_state(tmp_path: Path) -> ServerState:
    return ServerState(["eila"], tmp_path / "tables", pace=0)


@pytest.fixture
def client(server_state: ServerState) -> Iterator[TestClient]:
    with TestClient(TableApp(server_state, {HOST}).app) as client:
        yield client


def won(server_state: ServerState) -> GameSession:
    """A table at which Chapter 0 was just won, by whoever takes what looks best."""
    session = server_state.start_session_or_refuse("eila", {"chapter": "0"}, {}, ["person"], 7).session
    session.take_free_seat_and_get_token(0)
    play, worth = session.match.play, session.variant.game.facts["evaluate"]
    while not session.match.over:
        now = session.match.state
        best = max(play.legal(now), key=lambda ident: play.value(worth, play.apply(now, ident)))
        session.take_action_of_seat_or_refuse(0, session.version, best)
    return session


def address(session: GameSession) -> str:
    return f"/t/{session.ident}/{session.tokens[0]}"


def go_on(client: TestClient, session: GameSession, base: str, version: int | None = None) -> tuple[int, str]:
    """Press the button; the status, and the address it leads to or the words of the refusal."""
    reply = client.post(
        f"{base}/next",
        data={"version": str(session.version if version is None else version)},
        headers={"accept": "text/plain"},
        follow_redirects=False,
    )
    return reply.status_code, reply.text


def story(client: TestClient, base: str) -> str:
    """The part of a page that tells the story, "" if there is none."""
    part = re.search(r'<section class="story">(.*?)</section>', client.get(base).text)
    return part[1] if part else ""


def test_r34_to_r37_the_ending_is_told_and_a_button_opens_the_next_chapter(
    client: TestClient, server_state: ServerState, tmp_path: Path
) -> None:
    first = won(server_state)
    told = story(client, address(first))
    assert "The Lamp Is Lit" in told
    assert f"{describe_next_campaign_game_or_empty(first.match)}." in told
    assert "<button>Next chapter</button>" in told
    status, base = go_on(client, first, address(first))
    assert status == 200
    second = server_state.running_sessions[base.split("/")[2]].session
    after = get_next_game_of_campaign_or_none(first.match)
    assert after is not None
    assert second.variant == after.build_variant_of_next_game(first.variant)
    assert "The Gorge" in story(client, base)
    second.take_action_of_seat_or_refuse(0, second.version, second.match.play.legal(second.match.state)[0])
    assert story(client, base) == "", "the prologue is told until the first choice"
    file = tmp_path / "campaign.txt"
    file.write_text(second.format_earlier_and_own_transcripts())
    assert judge(file) == []
    assert load(file).actions == second.match.actions


def test_r35_what_was_acquired_lies_ready_at_the_next_table(client: TestClient, server_state: ServerState) -> None:
    first = server_state.start_session_or_refuse(
        "eila", {"chapter": "0"}, {}, ["person"], WIN.seed, initial_actions=WIN.actions
    ).session
    first.take_free_seat_and_get_token(0)
    assert "Chapter 1 begins with I01 Tool." in story(client, address(first))
    second = server_state.running_sessions[go_on(client, first, address(first))[1].split("/")[2]].session
    assert second.variant.options == {"chapter": "1", "carried": "I01"}
    assert second.match.play.quantity("owns I01", second.match.states[0]) == 1


def test_whoever_presses_again_comes_to_the_same_table(client: TestClient, server_state: ServerState) -> None:
    first = won(server_state)
    before = first.version
    _, base = go_on(client, first, address(first))
    assert go_on(client, first, address(first), before) == (200, base)
    assert len(server_state.running_sessions) == 2


def test_only_who_plays_a_finished_game_goes_on(client: TestClient, server_state: ServerState) -> None:
    first = won(server_state)
    assert go_on(client, first, f"/t/{first.ident}/{first.watch}")[0] == 409
    assert "<button>" not in story(client, f"/t/{first.ident}/{first.watch}")
    assert go_on(client, first, address(first), first.version - 1)[0] == 409
    first.undo_all_but_first_steps(3)
    first.take_chance_actions_until_player_acts()
    assert go_on(client, first, address(first))[0] == 409
    assert story(client, address(first)) == ""
    assert len(server_state.running_sessions) == 1


def test_a_restart_keeps_the_campaign(client: TestClient, server_state: ServerState, tmp_path: Path) -> None:
    first = won(server_state)
    _, base = go_on(client, first, address(first))
    second = server_state.running_sessions[base.split("/")[2]].session
    again = restore_session_and_repair_journal(tmp_path / "tables" / f"{second.ident}.table")
    assert again.format_earlier_and_own_transcripts() == second.format_earlier_and_own_transcripts()
    assert again.format_earlier_and_own_transcripts().count("playproof transcript 1") == 2
    assert restore_session_and_repair_journal(tmp_path / "tables" / f"{first.ident}.table").following == second.ident
