"""A table with paper: the page is the referee, and nothing that it only supposes is shown or lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from playproof.language import CHANCE
from playproof.referee.recorded_games import load
from playproof.table.game_session import GameSession
from playproof.table.session_seats import RequestRefused
from playproof.table.sessions import ServerState, restore_session_and_repair_journal
from playproof.table.web_app import TableApp

HOST = "testserver"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    server_state = ServerState(("opale", "eurydice", "tic_tac_toe"), tmp_path / "tables", pace=0)
    site = TableApp(server_state, {HOST})
    with TestClient(site.app) as made:
        # the tests look behind the page
        made.server_state, made.lobby = server_state, site.lobby_at  # type: ignore[attr-defined]
        yield made


def begun(client: TestClient, game: str, way: str) -> tuple[GameSession, str]:
    fields = {"game": game, "screens": way, "seed": "4", "seat-00": "person", "seat-01": "person"}
    reply = client.post(f"{client.lobby}new", data=fields, follow_redirects=False)  # type: ignore[attr-defined]
    assert reply.status_code == 303
    address = reply.headers["location"]
    session = client.server_state.running_sessions[address.split("/")[2]].session  # type: ignore[attr-defined]
    for seat in session.free_seats:
        session.take_free_seat_and_get_token(seat)
    return session, address


def post(client: TestClient, address: str, verb: str, **fields: object) -> tuple[int, str]:
    reply = client.post(
        f"{address}/{verb}", headers={"accept": "text/plain"}, data={name: str(value) for name, value in fields.items()}
    )
    return reply.status_code, reply.text


def offered(client: TestClient, address: str) -> dict[str, str]:
    """What the page asks: words and numbers."""
    text = client.get(address).text
    return {words: number for number, words in re.findall(r'name="move" value="(\d+)"[^>]*data-text="([^"]*)"', text)}


def test_one_page_asks_only_what_all_see(client: TestClient) -> None:
    session, address = begun(client, "opale", "paper-one")
    assert session.seats == ("person", "person")
    assert set(offered(client, address)) == {"blue begins", "red begins"}
    assert post(client, address, "say", version=session.version, words="red begins") == (200, "")
    assert session.reported_match is not None
    assert session.match.actor != CHANCE, "hands are drawn by themselves, and not told"
    assert any(session.reported_match.loose)
    assert len(offered(client, address)) > 8, "any card may be in a hand that nobody told"


def test_what_is_supposed_is_not_on_the_page(client: TestClient) -> None:
    """Hidden cells are changed at random: the table and its words stay as they were."""
    session, address = begun(client, "opale", "paper-one")
    dice = Random(3)
    for _ in range(5):
        moves = offered(client, address)
        post(client, address, "move", version=session.version, move=dice.choice(sorted(moves.values())))
    view = session.make_view_of_seat_or_spectator(0)
    assert None in view.cells
    before = re.sub(r'<section class="deed".*?</section>', "", client.get(address).text, flags=re.DOTALL)
    fields = session.variant.game.fields
    bounds = [(f.lo, f.hi) for f in fields for _ in range(f.size)]
    session.match.states[-1] = [
        v if v is not None else dice.randint(*b) for v, b in zip(view.cells, bounds, strict=True)
    ]
    after = re.sub(r'<section class="deed".*?</section>', "", client.get(address).text, flags=re.DOTALL)
    assert before == after


def test_each_at_an_own_page_is_asked_for_own_draws_only(client: TestClient) -> None:
    session, blue = begun(client, "opale", "paper-own")
    red = f"/t/{session.ident}/{session.tokens[1]}"
    asked = {seat: offered(client, address) for seat, address in enumerate((blue, red))}
    drawer = next(seat for seat, offers in asked.items() if offers)
    assert not asked[1 - drawer]
    number = next(iter(asked[drawer].values()))
    other = (red, blue)[drawer]
    assert post(client, other, "move", version=session.version, move=number)[0] == 409
    assert post(client, (blue, red)[drawer], "move", version=session.version, move=number)[0] == 200
    assert session.reported_match is not None
    assert not any(session.reported_match.loose)


def test_may_i_is_answered_with_the_rule(client: TestClient) -> None:
    session, address = begun(client, "tic_tac_toe", "own")
    seats = [address, f"/t/{session.ident}/{session.tokens[1]}"]
    assert post(client, seats[0], "may", words="mark 4") == (200, "yes: mark 4")
    post(client, seats[0], "move", version=session.version, move=4)
    assert post(client, seats[1], "may", words="mark 4") == (200, "no: mark 4: T1: the cell is taken")
    assert post(client, seats[0], "may", words="mark 5") == (409, "it is not your turn: player 2 acts")
    assert post(client, seats[1], "may", words="fly away")[0] == 409
    assert post(client, seats[1], "may", words=" ")[0] == 409


def test_what_cannot_be_is_refused_and_changes_nothing(client: TestClient) -> None:
    session, address = begun(client, "opale", "paper-one")
    post(client, address, "say", version=session.version, words="blue begins")
    before = list(session.match.actions), session.version
    for words in ("", "fly away", "red begins", "lay a Coral Dragon worth 2"):
        status, said = post(client, address, "say", version=session.version, words=words)
        assert status == 409, said
    assert (list(session.match.actions), session.version) == before


def test_a_game_with_paper_comes_back_as_it_was(client: TestClient, tmp_path: Path) -> None:
    """What is supposed anew is in the journal, and the transcript is accepted by the judge."""
    session, address = begun(client, "opale", "paper-one")
    dice = Random(9)
    for _ in range(10):
        moves = offered(client, address)
        assert post(client, address, "move", version=session.version, move=dice.choice(sorted(moves.values())))[0] in (
            200,
            409,
        )
    assert session.journal is not None
    assert b'"again"' in session.journal.read_bytes()
    back = restore_session_and_repair_journal(session.journal)
    assert (back.match.actions, back.match.state) == (session.match.actions, session.match.state)
    assert session.reported_match is not None
    assert back.reported_match is not None
    assert back.reported_match.loose == session.reported_match.loose
    assert back.open_page
    file = tmp_path / "game.txt"
    file.write_text(session.format_earlier_and_own_transcripts(), encoding="utf-8")
    assert load(file).actions == session.match.actions
    session.propose_and_get_proposal_if_agreed(0, session.version, "undo", 3)
    assert len(session.reported_match.loose) == len(session.match.steps)


def test_people_say_how_it_ended(client: TestClient) -> None:
    for seed in range(6):
        session, address = begun(client, "eurydice", "paper-one")
        dice = Random(seed)
        while not session.match.over:
            moves = (
                [offer.ident for offer in session.reported_match.list_actions_people_may_report()]
                if session.reported_match
                else []
            )
            post(client, address, "move", version=session.version, move=dice.choice(moves))
        if session.verdicts:
            break
    assert "How it ended hangs on cards that nobody told" in client.get(address).text
    other = next(text for text in session.verdicts if not text.endswith(f"({session.match.returns()[0]:+d})"))
    with pytest.raises(RequestRefused):
        session.record_paper_game_ending_or_refuse(0, session.version, "all win")
    assert post(client, address, "decide", version=session.version, verdict=other) == (200, "")
    assert other.endswith(f"({session.match.returns()[0]:+d})")
    assert not session.verdicts
    assert session.journal is not None
    assert restore_session_and_repair_journal(session.journal).match.returns() == session.match.returns()
    assert not restore_session_and_repair_journal(session.journal).verdicts
