"""Where all choose at once, each seat chooses when it likes, and nobody learns anything before all have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.table.game_session import GameSession
from playproof.table.session_seats import RequestRefused
from playproof.table.sessions import ServerState, restore_session_and_repair_journal
from playproof.table.web_app import TableApp

GAME = str(Path(__file__).resolve().parents[2] / "src/playproof/cli/cookbook/simultaneous_choice")
Place = tuple[TestClient, GameSession]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A table of rock, scissors, paper for two people."""
    server_state = ServerState((GAME,), tmp_path / "tables", pace=0)
    site = TableApp(server_state, {"testserver"})
    with TestClient(site.app, client=("127.0.0.1", 50000)) as client:
        session = server_state.start_session_or_refuse(GAME, {}, {}, ["person", "person"], 5).session
        for seat in (0, 1):
            session.take_free_seat_and_get_token(seat)
        session.set_name_and_colour_or_refuse(0, "Ada")
        yield client, session


def page_of(place: Place, seat: int) -> str:
    client, session = place
    return client.get(f"/t/{session.ident}/{session.tokens[seat]}").text


def choose(place: Place, seat: int, words: str, version: int | None = None) -> tuple[int, str]:
    client, session = place
    game = session.variant.game
    ident = next(ident for ident in range(game.ground) if game.show(ident) == words)
    reply = client.post(
        f"/t/{session.ident}/{session.tokens[seat]}/move",
        data={"version": str(session.version if version is None else version), "move": str(ident)},
        headers={"accept": "text/plain"},
    )
    return reply.status_code, reply.text


def test_the_second_may_choose_first_and_nobody_is_late(place: Place) -> None:
    _, session = place
    seen = session.version
    assert all(len(re.findall('name="move"', page_of(place, seat))) == 3 for seat in (0, 1))
    assert choose(place, 1, "hand rock", seen) == (200, "")
    assert not session.match.steps, "the rules ask the first seat first"
    assert "You have chosen; not yet: Ada" in page_of(place, 1)
    assert choose(place, 1, "hand paper", seen) == (409, "you have chosen already; Ada (player 1) still chooses")
    assert "rock" not in page_of(place, 0).split('class="log"')[1].split("</section>")[0]
    assert choose(place, 0, "hand paper", seen) == (200, "")
    assert [step.actor for step in session.match.steps] == [0, 1]
    assert session.version > seen, "another round: what comes late from the last is late"
    assert choose(place, 0, "hand paper", seen)[0] == 409
    log = page_of(place, 0).split('class="log"')[1].split("</section>")[0]
    assert "rock" in log, "what was revealed is named"


def test_in_the_order_of_the_rules_neither_is_late(place: Place) -> None:
    _, session = place
    seen = session.version
    assert choose(place, 0, "hand paper", seen) == (200, "")
    assert choose(place, 1, "hand rock", seen) == (200, "")
    assert len(session.match.steps) == 2


def test_an_early_choice_is_there_after_a_restart(place: Place) -> None:
    _, session = place
    choose(place, 1, "hand rock")
    assert session.journal is not None
    again = restore_session_and_repair_journal(session.journal, (GAME,))
    assert again.early_choices == session.early_choices
    assert not again.needs_action_from(1)
    choose(place, 0, "hand rock")
    again = restore_session_and_repair_journal(session.journal, (GAME,))
    assert (again.early_choices, again.match.actions) == ({}, session.match.actions)


def test_reasons_are_only_told_to_the_seat_that_the_rules_ask(place: Place) -> None:
    from playproof.table.table_requests import answer_whether_action_is_legal

    _, session = place
    assert answer_whether_action_is_legal(session, 1, "rock") == "yes: hand rock"
    with pytest.raises(RequestRefused, match="all choose at once"):
        answer_whether_action_is_legal(session, 1, "start")
