"""The server, request by request: what a seat is sent, what is refused, and what is kept."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from playproof.database.game import EXAMPLES
from playproof.language import Sees
from playproof.referee import Variant
from playproof.referee.view import DisplayFacts, View
from playproof.table.bot_processes import choose_bot_action_in_worker, make_hashable_key_of_variant
from playproof.table.game_session import GameSession
from playproof.table.pages import render_main_part_of_seat_page
from playproof.table.session_seats import RequestRefused, StaleRequest
from playproof.table.sessions import MOST_IDLE, RunningSession, ServerState, restore_session_and_repair_journal
from playproof.table.table_layout import list_public_dice_throws_since_choice
from playproof.table.table_requests import TableRequests
from playproof.table.table_view import PageContext
from playproof.table.web_app import TableApp
from playproof.table.web_exchange import POLICY

HOST = "testserver"
GAMES = ("eila", "eurydice", "olith", "opale", "tic_tac_toe")


@dataclass
class Place:
    """A server in this process, without processes of its own."""

    server_state: ServerState
    client: TestClient
    lobby: str

    def begin(self, game: str, *seats: str, **more: str) -> RunningSession:
        """A new table, set up as the lobby's form does it; the first person sits."""
        fields = {"game": game, **{f"seat-{n:02}": who for n, who in enumerate(seats)}, **more}
        reply = self.client.post(f"{self.lobby}new", data=fields, follow_redirects=False)
        assert reply.status_code == 303, reply.text
        return self.server_state.running_sessions[reply.headers["location"].split("/")[2]]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    server_state = ServerState(GAMES, tmp_path / "tables", pace=0)
    site = TableApp(server_state, {HOST})
    with TestClient(site.app) as client:
        yield Place(server_state, client, site.lobby_at)


def address(session: GameSession, seat: int | None) -> str:
    """The address of a seat's page (None: of those who watch)."""
    return f"/t/{session.ident}/{session.watch if seat is None else session.tokens[seat]}"


def seated(place: Place, game: str, count: int, **more: str) -> GameSession:
    """A table with people at all seats."""
    session = place.begin(game, *["person"] * count, seed="7", **more).session
    for seat in session.free_seats:
        session.take_free_seat_and_get_token(seat)
    return session


def move(place: Place, session: GameSession, seat: int, ident: object, version: object = None) -> tuple[int, str]:
    """Send an action as the page does."""
    reply = place.client.post(
        f"{address(session, seat)}/move",
        headers={"accept": "text/plain"},
        data={"version": str(session.version if version is None else version), "move": str(ident)},
    )
    return reply.status_code, reply.text


# -- what a seat is sent --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), [("eila", 1), ("eurydice", 1), ("olith", 2), ("opale", 2)])
def test_no_byte_sent_to_a_seat_tells_what_is_hidden(place: Place, game: str, players: int) -> None:
    """A whole game; every page of every seat and of those who watch, read for hidden cards, pictures and words."""
    session, dice = seated(place, game, players), Random(5)
    readers = [Reader(place, session, seat) for seat in [None, *range(players)]]
    for _ in range(1500):
        for reader in readers:
            reader.read()
        if session.match.over:
            break
        actor = session.match.actor
        assert move(place, session, actor, dice.choice(session.match.play.legal(session.match.state)))[0] == 200
    assert session.match.over, "the game was not played to its end"


class Reader:
    """Reads all that one seat is sent, and knows what it has seen so far."""

    def __init__(self, place: Place, session: GameSession, seat: int | None) -> None:
        self.place, self.session, self.seat = place, session, seat
        game = session.variant.game
        look = DisplayFacts.from_game(game)
        # Cards that lie in somebody's hand by name: seen by their owner only.
        self.secret = [
            f
            for f in game.fields
            if f.sees is Sees.OWNER and len(f.shape) == 2 and look.get_declared_place_names_or_none(f, 1)
        ]
        # A name that is printed elsewhere too, as a spot of the board is, tells nothing.
        printed = {c.name for c in session.variant.data.components.values() if c.kind in ("spot", "board")}
        self.names = {
            name for field in self.secret for name in look.get_declared_place_names_or_none(field, 1) or ()
        } - printed
        self.named = [(f, look.get_declared_place_names_or_none(f, len(f.shape) - 1)) for f in game.fields if f.shape]
        self.known: set[str] = set()
        self.steps = 0
        running_session = place.server_state.running_sessions[session.ident]
        self.spread, self.faces = running_session.printed_variant.layout, running_session.printed_variant.pictures

    def read(self) -> None:
        """One page: its pictures are those of the seat's own scene, its words name no card that it has not seen."""
        view = self.session.make_view_of_seat_or_spectator(self.seat)
        self._learn(view)
        text = self.place.client.get(f"{address(self.session, self.seat)}?part=1").text
        assert self.spread is not None
        assert self.faces is not None
        # dice lie before all eyes
        scene = self.spread.make_scene_from_view(view, list_public_dice_throws_since_choice(self.session.match))
        shown = {self.faces.get_picture_hash_of_whole_face(p.picture) for p in scene.pieces}
        shown |= {self.faces.get_picture_hash_of_whole_face(s.picture) for s in scene.surfaces if s.picture}
        assert set(re.findall(r"/face/(\w+)\.svg", text)) <= shown
        # A card that lies face up in the seat's own view has its name printed on it.
        self.known |= {p.name for p in scene.pieces if p.picture.side == "front"}
        for name in self.names - self.known:
            assert not re.search(rf"\b{re.escape(name)}\b", text), f"{name} was never seen by {self.seat}"
        assert not any(other and other in text for n, other in enumerate(self.session.tokens) if n != self.seat)

    def _learn(self, view: View) -> None:
        """A seat knows the names of cards that any field it sees has held, and of what was done in the open."""
        for field, names in self.named:
            cells = view.cells[field.offset : field.offset + field.size]
            if names and all(isinstance(name, str) for name in names):
                self.known |= {names[n % len(names)] for n, value in enumerate(cells) if value}
        for step in self.session.match.steps[self.steps :]:
            if step.actor >= 0:  # what a player does is done in the open, unless its words are kept back
                self.known |= {name for name in self.names if name in step.text and step.actor == self.seat}
        self.steps = len(self.session.match.steps)


@pytest.mark.parametrize(("game", "players"), [("eurydice", 1), ("olith", 2), ("opale", 2)])
def test_a_page_is_the_same_whatever_is_hidden(place: Place, game: str, players: int) -> None:
    """Hidden cells of the present are changed at random: the table, the words and the actions stay as they were."""
    session, dice = seated(place, game, players), Random(8)
    running_session = place.server_state.running_sessions[session.ident]
    fields = session.variant.game.fields
    bounds = [(f.lo, f.hi) for f in fields for _ in range(f.size)]
    for _ in range(40):
        for seat in range(players):
            if seat == session.match.actor:
                continue  # what it may do depends on what it sees; the referee's leak test asks that
            view = session.make_view_of_seat_or_spectator(seat)
            before = sent(running_session, seat)
            true = list(session.match.states[-1])
            session.match.states[-1] = [
                v if s is not None else dice.randint(*b) for v, s, b in zip(true, view.cells, bounds, strict=True)
            ]
            assert sent(running_session, seat) == before
            session.match.states[-1] = true
        session.take_action_of_seat_or_refuse(
            session.match.actor, session.version, dice.choice(session.match.play.legal(session.match.state))
        )


def sent(running_session: RunningSession, seat: int | None) -> str:
    return render_main_part_of_seat_page(
        PageContext(
            running_session.session,
            seat,
            "/t/x/y",
            running_session.printed_variant.layout,
            running_session.printed_variant.pictures,
        )
    )


def test_asking_for_a_picture_tells_nothing_about_who_has_seen_it(place: Place) -> None:
    session = seated(place, "opale", 2)
    faces = place.server_state.running_sessions[session.ident].printed_variant.pictures
    assert faces is not None
    from playproof.table.scene import Picture

    for component in session.variant.data.components.values():
        if component.kind == "card":
            reply = place.client.get(f"/face/{faces.get_picture_hash_of_whole_face(Picture(component.id))}.svg")
            assert reply.status_code == 200
            assert "immutable" in reply.headers["cache-control"]
    assert place.client.get("/face/00000000000000000000.svg").status_code == 404


def test_who_watches_sees_what_all_see_and_does_nothing(place: Place) -> None:
    session = seated(place, "opale", 2)
    text = place.client.get(address(session, None)).text
    assert "data-at=" not in text
    before = session.version
    reply = place.client.post(
        f"{address(session, None)}/move", headers={"accept": "text/plain"}, data={"version": str(before), "move": "0"}
    )
    assert (reply.status_code, reply.text) == (409, "who watches does not play")
    assert session.version == before


def test_a_transcript_is_given_when_nothing_is_hidden_any_more(place: Place) -> None:
    hidden = seated(place, "opale", 2)
    assert place.client.get(f"{address(hidden, 0)}/transcript.txt").status_code == 403
    plain = seated(place, "tic_tac_toe", 2)
    assert move(place, plain, 0, plain.match.legal()[0].ident)[0] == 200
    assert "player 1: mark 0" in place.client.get(f"{address(plain, 0)}/transcript.txt").text


# -- what is refused ------------------------------------------------------------------------------------------------


def test_stale_and_doubled_clicks_change_nothing(place: Place) -> None:
    session = seated(place, "tic_tac_toe", 2)
    version = session.version
    assert move(place, session, 0, 4, version)[0] == 200
    for _ in range(3):
        assert move(place, session, 0, 4, version) == (409, "the table has moved on since then; nothing was done")
    assert [step.ident for step in session.match.steps] == [4]


def test_thousands_of_bad_messages_change_nothing_and_nobody_notices(place: Place) -> None:
    session, dice = seated(place, "opale", 2), Random(1)
    running_session = place.server_state.running_sessions[session.ident]
    listener = running_session.add_listener_dismissing_oldest_or_none(0)
    assert listener is not None
    quiet = listener.changed
    before = session.version, list(session.match.actions), list(session.tokens)
    legal = set(session.match.play.legal(session.match.state))
    actor = session.match.actor
    for _ in range(2000):
        seat = dice.choice([0, 1])
        ident: object = dice.choice([-1, 10**8, "x", "", "١", "1 ", 0.5, *range(0, session.variant.game.ground, 7)])
        version: object = dice.choice([session.version, session.version - 1, session.version + 1, "", "0x1", "NaN"])
        if seat == actor and ident in legal and version == session.version:
            continue
        quiet.clear()
        assert move(place, session, seat, ident, version)[0] == 409
        assert not quiet.is_set()
    verbs = ["move", "why", "propose", "agree", "leave2", "note", "../move", "move/"]
    for _ in range(300):
        body = bytes(dice.randrange(256) for _ in range(dice.choice([0, 5, 300, 9000])))
        reply = place.client.post(
            f"{address(session, 0)}/{dice.choice(verbs)}",
            content=body,
            headers={"accept": "text/plain"},
            follow_redirects=False,
        )
        assert reply.status_code in (404, 409), reply.text[:200]
    assert (session.version, list(session.match.actions), list(session.tokens)) == before


@pytest.mark.parametrize(
    "path",
    [
        "/t/none/none",
        "/t/{table}/none",
        "/t/{table}/{watch}x",
        "/join/{table}/none",
        "/face/none.svg",
        "/assets/../site.py",
        "/assets/%2e%2e/site.py",
        "/etc/passwd",
        "/layout/x.css",
        "/layout/1x1_a~1~1~1~1%7D.css",
        "/t/{table}/é",
        "/t/{table}/%ff",
    ],
)
def test_addresses_that_are_none(place: Place, path: str) -> None:
    session = seated(place, "opale", 2)
    reply = place.client.get(path.format(table=session.ident, watch=session.watch))
    assert reply.status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "testserver.evil.example"},
    ],
)
def test_other_sites_cannot_make_a_browser_act_here(place: Place, headers: dict[str, str]) -> None:
    session = seated(place, "tic_tac_toe", 2)
    reply = place.client.post(
        f"{address(session, 0)}/move", headers=headers, data={"version": str(session.version), "move": "0"}
    )
    assert reply.status_code == 403
    assert not session.match.steps


def test_every_answer_has_the_strict_policy(place: Place) -> None:
    session = seated(place, "opale", 2)
    for path in ("/", address(session, 0), "/assets/table.css", "/none"):
        reply = place.client.get(path)
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "unsafe" not in POLICY
        if "html" in reply.headers["content-type"]:
            assert not re.search(r"<script>|\son\w+=|\sstyle=|javascript:|https?://", reply.text)


def test_each_game_of_the_lobby_has_a_picture(place: Place) -> None:
    addresses = re.findall(r'<img src="([^"]*)"', place.client.get(place.lobby).text)
    assert len(addresses) == len(GAMES)
    opale, without_board, beyond = (
        place.client.get(path) for path in (addresses[3], addresses[4], f"{addresses[4].removesuffix('4')}5")
    )
    assert opale.headers["content-type"] == "image/svg+xml"
    assert len(opale.text) > 100_000
    assert ">Tic tac toe</text>" in without_board.text
    assert beyond.text == place.client.get("/assets/icon.svg").text


def test_the_log_joins_lines_that_are_alike(place: Place) -> None:
    session = seated(place, "opale", 2)
    log = place.client.get(address(session, 0)).text.partition('class="log"')[2]
    drawn = [words for words in re.findall(r"chance:</b> ([^<]*)</li>", log) if words.startswith("draw")]
    assert "draw ? ×\N{NO-BREAK SPACE}5" in drawn
    assert len(set(drawn)) == len(drawn) > 1


def test_strangers_in_the_network_see_no_lobby(tmp_path: Path) -> None:
    site = TableApp(ServerState(GAMES, None), {HOST})
    with TestClient(site.app, client=("192.168.1.9", 5000)) as client:
        for path in ("/", "/host/", "/host/none/", site.lobby_at):
            assert "Begin a game" not in client.get(path).text
        assert client.get(f"{site.lobby_at}picture/0").status_code == 403
        assert client.post(f"{site.lobby_at}new", data={"game": "opale"}).status_code == 403


def test_why_says_the_rule(place: Place) -> None:
    session = seated(place, "tic_tac_toe", 2)
    move(place, session, 0, 4)
    reply = place.client.post(f"{address(session, 1)}/why", data={"words": "mark 4"}, headers={"accept": "text/plain"})
    assert (reply.status_code, reply.text) == (200, "mark 4: T1: the cell is taken")
    reply = place.client.post(f"{address(session, 0)}/why", data={"words": "mark 4"}, headers={"accept": "text/plain"})
    assert (reply.status_code, reply.text) == (409, "it is not your turn: player 2 acts")


def test_why_of_a_place_speaks_of_every_phase(place: Place) -> None:
    session = seated(place, "eila", 1)
    running_session = place.server_state.running_sessions[session.ident]
    assert running_session.printed_variant.layout is not None
    scene = running_session.printed_variant.layout.make_scene_from_view(session.make_view_of_seat_or_spectator(0))
    goal = next(spot for spot in scene.spots if spot.name == "on the Goal")
    reply = place.client.post(f"{address(session, 0)}/why", data={"key": goal.key}, headers={"accept": "text/plain"})
    assert reply.status_code == 200
    assert "not now, but when the game says: place tokens on the Goal" in reply.text
    cited = re.search(r" — (R\d+): (.+)", reply.text)
    assert cited
    assert session.variant.data.rules[cited[1]].text.startswith(cited[2].partition(" — ")[0][:40])


def test_set_ups_that_cannot_be_are_refused(place: Place) -> None:
    for fields in (
        {"game": "none"},
        {"game": "../eila"},
        {"game": "olith", "option-players": "9"},
        {"game": "opale", "seat-00": "hal"},
        {"game": "opale", "ruling-A99": "x"},
        {"game": "opale", "seed": "ten"},
        {"game": "eila", "option-chapter": "7"},
    ):
        assert place.client.post(f"{place.lobby}new", data=fields, follow_redirects=False).status_code == 400
    assert not place.server_state.running_sessions


def test_tables_come_and_go_without_growth_of_memory(place: Place) -> None:
    """Random people begin games, play, ask, look back and go; what is kept of them does not grow with their number."""

    def evening(number: int) -> None:
        session, dice = seated(place, "tic_tac_toe", 2), Random(number)
        base = address(session, 0)
        for _ in range(4):
            move(place, session, dice.choice([0, 1]), dice.randrange(9))
            place.client.get(base, params={"part": "1", "at": str(dice.randrange(5))})
            place.client.post(f"{base}/why", data={"words": "mark"})
        place.client.post(f"{base}/note", data={"text": "x" * dice.randrange(400)})
        with place.client.websocket_connect(f"{base}/live") as socket:
            assert 'id="table"' in socket.receive_text()

    def kept() -> int:
        gc.collect()
        return len(gc.get_objects())

    many = MOST_IDLE + 10
    for number in range(many):
        evening(number)
    before = kept()
    for number in range(many):
        evening(number)
    assert len(place.server_state.running_sessions) <= MOST_IDLE + 1
    after = kept()
    assert after - before < 10 * many
    # The comparison can fail: each table that stays is more than that.
    place.server_state.folder = None
    for number in range(many):
        evening(number)
    assert kept() - after > 20 * many


def test_a_table_left_to_its_journal_is_played_on(place: Place) -> None:
    first = seated(place, "tic_tac_toe", 2)
    base = address(first, 0)
    assert move(place, first, 0, 4)[0] == 200
    for _ in range(MOST_IDLE + 2):
        seated(place, "tic_tac_toe", 2)
    assert first.ident not in place.server_state.running_sessions
    assert "back to now" not in place.client.get(base).text
    again = place.server_state.running_sessions[first.ident].session
    assert [step.ident for step in again.match.steps] == [4]
    assert move(place, again, 1, 0)[0] == 200


# -- seats and time -------------------------------------------------------------------------------------------------


def test_joining_leaving_and_coming_back(place: Place) -> None:
    session = place.begin("opale", "person", "person").session
    join = f"/join/{session.ident}/{session.make_invitation_secret(1)}"
    assert f"sit down as {session.get_declared_seat_name(1)}" in place.client.get(join).text
    assert session.free_seats == [1], "a look takes no seat"
    reply = place.client.post(join, data={"seat": "1"}, follow_redirects=False)
    seat = reply.headers["location"]
    assert place.client.get(seat).status_code == 200
    assert place.client.post(join, data={"seat": "1"}, follow_redirects=False).status_code == 409
    away = place.client.post(f"{seat}/leave", follow_redirects=False).headers["location"]
    assert away == address(session, None)
    assert place.client.get(seat).status_code == 404
    assert place.client.get(join).status_code == 404, "an invitation is for one person"
    assert session.free_seats == [1]


def test_going_back_needs_all_people(place: Place) -> None:
    session = seated(place, "tic_tac_toe", 2)
    move(place, session, 0, 4)
    session.propose_and_get_proposal_if_agreed(0, session.version, "undo", 0)
    assert len(session.match.steps) == 1
    assert "player 1 asks to go back" in place.client.get(address(session, 1)).text
    session.answer_proposal_and_get_it_if_agreed(1, session.version, False)
    assert session.proposal is None
    session.propose_and_get_proposal_if_agreed(0, session.version, "undo", 0)
    session.answer_proposal_and_get_it_if_agreed(1, session.version, True)
    assert not session.match.steps


def test_playing_on_from_a_moment_at_a_new_table(place: Place) -> None:
    session = seated(place, "tic_tac_toe", 2)
    for ident in (4, 0, 8):
        move(place, session, session.match.actor, ident)
    session.propose_and_get_proposal_if_agreed(0, session.version, "branch", 2)
    reply = place.client.post(
        f"{address(session, 1)}/agree",
        headers={"accept": "text/plain"},
        data={"version": str(session.version), "yes": "1"},
    )
    branch = place.server_state.running_sessions[reply.text.split("/")[2]].session
    assert branch.match.actions == [4, 0]
    assert session.match.actions == [4, 0, 8]


def test_an_earlier_moment_is_shown_as_the_seat_saw_it(place: Place) -> None:
    session = seated(place, "tic_tac_toe", 2)
    for ident in (4, 0):
        move(place, session, session.match.actor, ident)
    text = place.client.get(f"{address(session, 0)}?at=1").text
    assert "after step 1 of 2" in text
    assert "Your turn" not in text
    assert 'class="seat acts of-1 hue-1"' in text
    assert "data-at=" not in text
    assert "mark 0" not in text


def test_one_screen_shows_nothing_until_the_next_person_looks(place: Place) -> None:
    session = place.begin("opale", "person", "person", screens="one").session
    page = address(session, 0)
    actor = session.match.actor
    assert "Press when only you can see it" in place.client.get(page).text
    assert "/face/" not in place.client.get(page).text
    place.client.post(f"{page}/ready", data={"seat": str(actor)})
    assert "/face/" in place.client.get(page).text


def test_the_journal_brings_back_all_of_it(place: Place, tmp_path: Path) -> None:
    session = seated(place, "opale", 2)
    dice = Random(2)
    for _ in range(20):
        move(place, session, session.match.actor, dice.choice(session.match.play.legal(session.match.state)))
    session.add_note_or_refuse(0, "well played")
    session.propose_and_get_proposal_if_agreed(0, session.version, "undo", 5)
    session.answer_proposal_and_get_it_if_agreed(1, session.version, True)
    assert session.journal is not None
    again = restore_session_and_repair_journal(session.journal)
    assert again.match.actions == session.match.actions
    assert again.match.state == session.match.state
    assert (again.tokens, again.notes) == (session.tokens, session.notes)
    assert again.version > session.version
    with pytest.raises(StaleRequest):
        again.take_action_of_seat_or_refuse(0, session.version, 0)


def changed_heaps(tmp_path: Path, old: str, new: str) -> tuple[Path, Path]:
    """A table of a game in a folder of its own, two matches taken; then one text of its rules changes."""
    rules = tmp_path / "heaps" / "rules.py"
    rules.parent.mkdir()
    source = (EXAMPLES / "nim.py").read_text(encoding="utf-8")
    rules.write_text(source, encoding="utf-8")
    session = GameSession.start_new(
        Variant(str(rules.parent)), ["person", "person"], 1, journal_folder=tmp_path / "tables", initial_actions=[1, 6]
    )
    assert session.journal is not None
    assert old in source
    rules.write_text(source.replace(old, new), encoding="utf-8")
    return rules.parent, session.journal


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\n\n"),  # another place: the same game
        ("(3, 4, 5)", "(3, 4, 4)"),  # fewer matches: the same words have other numbers
        ("take {matches}", "lift {matches}"),  # other words
        ("return g", "return gg"),  # no game any more
    ],
)
def test_a_table_whose_rules_changed_goes_on_as_it_began(tmp_path: Path, old: str, new: str) -> None:
    folder, journal = changed_heaps(tmp_path, old, new)
    again = restore_session_and_repair_journal(journal, [str(folder)])
    assert [step.text.partition(" ")[0] for step in again.match.steps] == ["take", "take"]
    # of 3, 4 and 5
    assert sum(again.match.state[again.variant.game.get_field("heap").offset :][:3]) == 1 + 2 + 5
    again.take_action_of_seat_or_refuse(again.match.actor, again.version, again.match.legal()[0].ident)
    told = [note.text for note in restore_session_and_repair_journal(journal, [str(folder)]).notes]
    assert len(told) == (old != "\n")  # told once, however often it comes back
    assert all(text.startswith("PP608 ") and text.endswith("that it began with") for text in told)


def test_an_old_table_is_drawn_branches_and_is_forgotten_with_its_rules(tmp_path: Path) -> None:
    """Its bots and its branch have the rules of its beginning; what no table needs is not kept."""
    folder, journal = changed_heaps(tmp_path, "take {matches}", "lift {matches}")
    server_state = ServerState([str(folder)], journal.parent, keep_days=3)
    (running_session,) = server_state.running_sessions.values()
    session = running_session.session
    asked = make_hashable_key_of_variant(session.variant)
    assert "take" in session.variant.game.show(choose_bot_action_in_worker(asked, 1, "random", (1, 6)))
    branch = (
        TableRequests(server_state)
        ._start_similar_session(session, session.variant, session.seats, initial_actions=[1])
        .session
    )
    assert branch.match.steps[0].text.startswith("take")
    fresh = TableRequests(server_state)._start_similar_session(session, session.variant, session.seats).session
    assert "lift" in fresh.list_moves_seat_may_take_now(fresh.match.actor)[0].text
    kept = journal.parent / "descriptions"
    assert len(list(kept.iterdir())) == 2
    for old in (session, branch):
        assert old.journal is not None
        old.journal.unlink()
    server_state.delete_old_journals_and_unused_descriptions()
    assert [file.stem for file in kept.iterdir()] == [fresh.variant.digest]


def test_without_its_description_a_changed_table_is_left_alone(tmp_path: Path) -> None:
    folder, journal = changed_heaps(tmp_path, "take {matches}", "lift {matches}")
    for file in (journal.parent / "descriptions").iterdir():
        file.unlink()
    server_state = ServerState([str(folder)], journal.parent)
    assert not server_state.running_sessions
    assert "PP608" in server_state.complaints[0]


def test_old_tables_come_back_when_somebody_asks(place: Place) -> None:
    """Hundreds of finished evenings do not keep the server from starting."""
    first = address(seated(place, "tic_tac_toe", 2), 0)
    for _ in range(14):
        seated(place, "tic_tac_toe", 2)
    again = ServerState(GAMES, place.server_state.folder, pace=0)
    assert len(again.running_sessions) == 12
    with TestClient(TableApp(again, {HOST}).app) as client:
        assert client.get(first).status_code == 200
        assert client.get("/t/..%2f..%2fetc/x").status_code == 404
    assert len(again.running_sessions) == 13


def test_a_journal_that_makes_no_sense_is_told_and_left_alone(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "a.table").write_text("{}\n", encoding="utf-8")
    (folder / "b.table").write_bytes(b"\xff\n")
    (folder / "c.table").write_bytes(b"")
    server_state = ServerState(GAMES, folder)
    assert len(server_state.complaints) == 3
    assert not server_state.running_sessions


def test_a_line_cut_short_is_left_out_and_written_over(place: Place) -> None:
    session = seated(place, "tic_tac_toe", 2)
    for ident in (4, 0):
        move(place, session, session.match.actor, ident)
    assert session.journal is not None
    session.journal.write_bytes(session.journal.read_bytes()[:-4])
    again = restore_session_and_repair_journal(session.journal)
    assert again.match.actions == [4]
    again.take_action_of_seat_or_refuse(1, again.version, 1)
    assert restore_session_and_repair_journal(session.journal).match.actions == [4, 1]


def test_bots_play_in_processes_of_their_own(tmp_path: Path) -> None:
    async def play() -> None:
        server_state = ServerState(("tic_tac_toe",), None, pace=0, workers=1)
        running_session = server_state.start_session_or_refuse("tic_tac_toe", {}, {}, ["random", "greedy"], 3)
        server_state.tell_listeners_and_start_pending_work(running_session)
        assert running_session.bot_task is not None
        await asyncio.wait_for(running_session.bot_task, 120)
        assert running_session.session.match.over
        await server_state.stop_all_tasks_and_workers()

    with ThreadPoolExecutor(1) as beside:  # a browser's loop may run in this thread
        beside.submit(asyncio.run, play()).result()


def test_a_bot_that_thought_about_another_table_is_not_heard() -> None:

    session = GameSession.start_new(Variant("tic_tac_toe"), ["random", "person"], 1)
    old = session.bot_moment
    assert session.take_bot_action_unless_late(old, 4)
    assert not session.take_bot_action_unless_late(old, 5)
    with pytest.raises(RequestRefused):
        session.take_action_of_seat_or_refuse(0, session.version, 5)


@pytest.mark.parametrize("game", ["eila", "eurydice", "olith", "opale"])
def test_the_first_page_is_small(place: Place, game: str) -> None:
    """Under 300 kB compressed: the page, what it names, and every picture of the first table."""
    session = seated(place, game, 1 if game in ("eila", "eurydice") else 2)
    page = place.client.get(address(session, 0)).text
    names = set(re.findall(r'(?:href|src)="(/(?:assets|face|layout)/[^"]+)"', page))
    total = 0
    for path in [address(session, 0), *names]:
        with place.client.stream("GET", path, headers={"accept-encoding": "gzip"}) as reply:
            total += sum(len(piece) for piece in reply.iter_raw())
    assert total < 300_000
