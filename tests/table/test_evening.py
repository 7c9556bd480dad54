"""An evening at the table: names and colours, the end with its chances, a replay, a rematch, tables cleaned up."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from random import Random
from time import time

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from playproof.referee import Match, Variant
from playproof.referee.engine import Engine
from playproof.table import lobby
from playproof.table.bot_processes import TURNS, WinChances, estimate_win_chances_over_game
from playproof.table.game_session import GameSession
from playproof.table.scene import Picture
from playproof.table.session_seats import RequestRefused, StaleRequest
from playproof.table.sessions import MOST_WATCHING, ServerState, restore_session_and_repair_journal
from playproof.table.spec import Tree
from playproof.table.table_layout import TableLayout
from playproof.table.table_view import (
    arrange_surfaces_for_each_screen,
    encode_layout_as_stylesheet_name,
    stylesheet_from_layout_name_or_none,
)
from playproof.table.web_app import TableApp
from playproof.table.web_exchange import (
    GONE_AWAY,
    TOO_MANY,
    encode_page_difference_as_json,
    split_html_into_diffable_parts,
)
from tests.table.received import applied

HOST = "testserver"


class Place:
    """A server in this process."""

    def __init__(self, folder: Path) -> None:
        self.server_state = ServerState(("tic_tac_toe", "opale", "eurydice"), folder, pace=0)
        self.site = TableApp(self.server_state, {HOST})
        self.client = TestClient(self.site.app, follow_redirects=False)

    def begin(self, game: str = "tic_tac_toe", **more: str) -> GameSession:
        fields = {"game": game, "seat-00": "person", "seat-01": "person", "seed": "7", **more}
        reply = self.client.post(f"{self.site.lobby_at}new", data=fields)
        return self.server_state.running_sessions[reply.headers["location"].split("/")[2]].session

    def page(self, session: GameSession, seat: int | None) -> str:
        token = session.watch if seat is None else session.tokens[seat]
        return self.client.get(f"/t/{session.ident}/{token}").text

    def post(self, session: GameSession, seat: int, verb: str, **fields: object) -> tuple[int, str]:
        data = {"version": str(session.version), **{name: str(value) for name, value in fields.items()}}
        reply = self.client.post(
            f"/t/{session.ident}/{session.tokens[seat]}/{verb}", data=data, headers={"accept": "text/plain"}
        )
        return reply.status_code, reply.text


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "tables")
    with made.client:
        yield made


# -- people ---------------------------------------------------------------------------------------------------------


def joined(place: Place, session: GameSession, seat: int, **fields: str) -> int:
    return place.client.post(f"/join/{session.ident}/{session.make_invitation_secret(seat)}", data=fields).status_code


def test_people_have_names_and_colours_that_a_restart_keeps(place: Place) -> None:
    session = place.begin(name="  Ada\u202e  <b>  ")
    assert joined(place, session, 1, name="Bo", colour="5") == 303
    for seat in (0, 1, None):
        text = place.page(session, seat)
        assert "Ada &lt;b&gt; (player 1)" in text
        assert "<b>Bo (player 2)</b>" in text
        assert "of-1 hue-5" in text
    assert place.post(session, 0, "move", move=4)[0] == 200
    assert "<b>Ada &lt;b&gt;:</b> mark 4" in place.page(session, 1)
    assert session.journal is not None
    assert restore_session_and_repair_journal(session.journal).persons == session.persons
    session.vacate_seat_for_somebody_else(1)
    assert ">Bo" not in place.page(session, 0)  # addresses are random letters


def test_nobody_is_called_as_another_is(place: Place) -> None:
    session = place.begin(name="Ada")
    for name in ("ada", "Player 1", "Chance", "somebody who watches"):
        assert joined(place, session, 1, name=name) == 409, name
        assert session.free_seats == [1]
    assert joined(place, session, 1, colour="99") == 409
    assert joined(place, session, 1) == 303
    with pytest.raises(RequestRefused, match="called Ada already"):
        session.set_name_and_colour_or_refuse(1, "ADA")
    for name in (
        "\u0410d\u0430",
        "A d a",
        "\u00c1da",
        "Ada (player 1)",
        "Ada (player 2)",
        "Ada [me]",
        "Bo (player 1)",
        "P1ayer 1",
    ):
        with pytest.raises(RequestRefused, match="looks like it"):
            session.set_name_and_colour_or_refuse(1, name)
    with pytest.raises(RequestRefused, match="at most 2 marks"):
        session.set_name_and_colour_or_refuse(1, "B\u0301\u0302\u0303o")
    for name in ("Bo", "\u1ec7\u1ed9", "\u0411\u043e\u0440\u0438\u0441", "Adam"):
        session.set_name_and_colour_or_refuse(1, name)


def test_a_rematch_turns_the_seats_and_both_find_their_way(place: Place) -> None:
    first = place.begin(name="Ada")
    joined(place, first, 1, name="Bo")
    assert place.post(first, 0, "next") == (409, "no game follows this one yet")
    for ident in (0, 3, 1, 4, 2):
        assert place.post(first, first.match.actor, "move", move=ident)[0] == 200
    there = place.post(first, 1, "next")[1]
    second = place.server_state.running_sessions[there.split("/")[2]].session
    assert second.tokens[0] == there.split("/")[3]
    assert [second.format_person_and_seat_name(n) for n in (0, 1)] == ["Bo (player 1)", "Ada (player 2)"]
    assert place.post(first, 0, "next")[1] == f"/t/{second.ident}/{second.tokens[1]}"
    assert len(place.server_state.running_sessions) == 2
    assert second.tokens[0] not in place.page(first, 0)


def test_a_choice_outlives_a_restart_if_the_game_has_not_moved(place: Place) -> None:
    session = place.begin()
    joined(place, session, 1)
    position = re.findall(r'name="position" value="([^"]+)"', place.page(session, 0))
    assert position == [session.make_run_id_and_match_digest_for_seat(0)]
    version = session.version
    assert session.journal is not None
    again = restore_session_and_repair_journal(session.journal)
    with pytest.raises(StaleRequest):
        again.take_action_of_seat_or_refuse(0, version, 4, f"{session.run}.{'0' * 18}")
    with pytest.raises(StaleRequest):
        again.take_action_of_seat_or_refuse(0, version, 4)
    again.take_action_of_seat_or_refuse(0, version, 4, position[0])
    assert [step.ident for step in again.match.steps] == [4]
    with pytest.raises(StaleRequest, match="moved on"):
        again.take_action_of_seat_or_refuse(1, version, 3, position[0])
    # In one run of the server a late click changes nothing, even where the game is again as it was.
    place.post(session, 0, "move", move=4)
    place.post(session, 0, "propose", kind="undo", step=0)
    place.post(session, 1, "agree", yes="1")
    assert not session.match.steps
    late = place.post(session, 0, "move", move=4, position=position[0], version=version)
    assert late == (409, "the table has moved on since then; nothing was done")


def test_a_seat_that_somebody_left_is_given_to_a_bot(place: Place) -> None:
    session = place.begin()
    joined(place, session, 1)

    def give(seat: int) -> tuple[int, str]:
        at = f"/t/{session.ident}/{session.tokens[0]}/bot"
        reply = place.client.post(at, data={"seat": str(seat)}, headers={"accept": "text/plain"})
        return reply.status_code, reply.text

    assert give(1) == (409, "somebody sits there")
    left = session.tokens[1]
    place.post(session, 1, "leave")
    assert place.client.get(f"/t/{session.ident}/{left}").status_code == 404
    assert "let a bot play player 2" in place.page(session, 0)
    assert give(1) == (200, "")
    assert (session.seats, session.free_seats) == (("person", "greedy"), [])
    assert session.journal is not None
    assert restore_session_and_repair_journal(session.journal).seats == session.seats
    with pytest.raises(RequestRefused):
        session.give_seat_to_bot_or_refuse(None, 1)


def test_only_who_invites_sees_the_invitation_at_the_top(place: Place) -> None:
    session = place.begin()
    invitation = f"/join/{session.ident}/{session.make_invitation_secret(1)}"
    head = place.page(session, 0).partition("<header>")[2].partition("</header>")[0]
    assert f'data-copy="{invitation}"' in head
    assert "<svg" not in head  # no telephone reaches this server
    assert "--lan" in head
    place.site.lan = "http://192.168.1.2:8000"
    bar = lobby.render_invitation_bar_or_empty_html(session, 0, place.site.lan)
    assert 'class="qr"' in bar
    assert f'data-copy="http://192.168.1.2:8000{invitation}"' in bar
    assert lobby.render_invitation_bar_or_empty_html(session, None, place.site.lan) == ""
    joined(place, session, 1)
    assert lobby.render_invitation_bar_or_empty_html(session, 0, place.site.lan) == ""
    assert 'class="bar"' not in place.page(session, 1)


def test_what_a_picture_prints_is_there_in_letters(place: Place) -> None:
    session = place.begin("opale")
    faces = place.server_state.running_sessions[session.ident].printed_variant.pictures
    assert faces is not None
    wordy = Picture(next(iter(faces.spread.card_words.wordy)))
    reply = place.client.get(f"/face/{faces.get_picture_hash_of_whole_face(wordy)}.txt")
    assert (reply.status_code, reply.text) == (200, faces.spread.card_words.format_printed_words_or_empty(wordy))
    assert "\n" in reply.text
    assert place.client.get(f"/face/{faces.get_picture_hash_of_whole_face(replace(wordy, side='back'))}.txt").text == ""
    assert place.client.get(f"/face/{'0' * 20}.txt").status_code == 404


# -- the end --------------------------------------------------------------------------------------------------------


def test_chances_are_those_that_a_plain_count_gives() -> None:
    """Nim played at random from a state near its end, counted by hand over all lines; and the end itself is certain."""
    engine = Engine(Variant("tic_tac_toe").game, machine=False)
    states = [engine.play.start()]
    for ident in (0, 3, 1, 4, 2):
        states.append(engine.play.apply(states[-1], ident))
    reckoned = estimate_win_chances_over_game(engine, states, 1)
    assert reckoned.steps == (0, 1, 2, 3, 4, 5)
    assert reckoned.shares[-1] == (1.0, 0.0)

    def exact(state: list[int]) -> float:
        if state[1]:
            mine, other = engine.returns(state)
            return 1.0 if mine > other else 0.5 if mine == other else 0.0
        moves = engine.legal(state)
        return sum(exact(engine.apply(state, ident)) for ident in moves) / len(moves)

    for step in (3, 4):
        # Four standard errors: a right program fails once in some ten thousand seeds, and this seed is fixed.
        assert abs(reckoned.shares[step][0] - exact(states[step])) < 4 * 0.5 / reckoned.playouts**0.5
    assert TURNS > 0


def test_the_end_says_what_decided_it_and_gives_a_replay(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    session = place.begin("opale")
    session.take_free_seat_and_get_token(1)
    base = f"/t/{session.ident}/{session.tokens[0]}"
    assert place.client.get(f"{base}/replay.html").status_code == 404
    dice = Random(3)
    while not session.match.over:
        session.take_action_of_seat_or_refuse(
            session.match.actor,
            session.version,
            dice.choice(session.list_moves_seat_may_take_now(session.match.actor)).ident,
        )
    last = len(session.match.steps)
    assert "the curve of chances is being computed" in place.page(session, 0)
    session.set_win_chances_of_finished_game(
        WinChances((0, last - 1, last), ((0.5, 0.5), (0.9, 0.1), (0.0, 1.0)), 200, "random")
    )
    text = place.page(session, 0)
    assert f'<a href="{base}?at={last}" data-step="{last}">' in text
    assert "blue 90% to 0%, down by " in text
    assert "right within 7 points" in text
    assert "?" not in "".join(re.findall(r'<li value="\d+" class="of-[^>]*>(.*?)</li>', text))
    assert "is being computed" not in text
    assert row_of(text, 0) == scored_by_hand(session, 0)
    assert row_of(text, 1) == scored_by_hand(session, 1)
    # A moment of the past shows the same end; then the piles were still hidden.
    before = place.client.get(f"{base}?at={last - 1}").text
    assert row_of(before, 0) == row_of(text, 0)
    assert "cards scored" in before.partition('class="seats"')[2].partition("</ul>")[0]
    assert "chances from the start to the end: blue 50% to 0%; red 50% to 100%" in text

    # tests/table/test_replay.py opens such a page; to draw one takes seconds.
    async def write_replay(match: Match, *_: object) -> str:
        return f"{len(match.steps)} steps"

    monkeypatch.setattr(place.server_state.drawer, "render_replay_page_in_process", write_replay)
    reply = place.client.get(f"{base}/replay.html")
    assert (reply.status_code, reply.text) == (200, f"{last} steps")
    assert "attachment" in reply.headers["content-disposition"]


def test_moments_that_games_do_not_tell_apart_are_not_named() -> None:
    """Of a fair coin tossed from each of 40 moments no change is named, in 19 of 20 games; a real change is."""
    dice, named = Random(11), 0
    for _ in range(100):
        shares = [sum(dice.random() < 0.5 for _ in range(20)) / 20 for _ in range(40)]
        fair = WinChances(tuple(range(40)), tuple((p, 1 - p) for p in shares), 20, "random")
        named += any(
            low > 0 or high < 0 for low, high in (fair.compute_bounds_of_chance_change(at, 0) for at in range(1, 39))
        )
    assert named <= 5
    low, high = WinChances((0, 1, 2), ((0.5,), (0.95,), (1.0,)), 100, "random").compute_bounds_of_chance_change(1, 0)
    assert 0 < low < 0.45 < high < 0.65
    assert WinChances((0, 1), ((1.0,), (1.0,)), 20, "random").compute_bounds_of_chance_change(1, 0)[0] <= 0


def row_of(page: str, seat: int) -> tuple[str, str]:
    """A seat's result and what it scored, as the end tells it."""
    rows = re.findall(r'<th scope="row" class="hue-(\d)">[^<]*</th><td>([^<]*)</td><td>([^<]*)</td>', page)
    (row,) = [(how, parts) for hue, how, parts in rows if int(hue) == seat]
    return row


def scored_by_hand(session: GameSession, seat: int) -> tuple[str, str]:
    """The same, counted from the fields of the state: the scoring pile, and 3 for the pawn."""
    game, state = session.variant.game, session.match.states[-1]
    piles = [state[game.get_field("points").offset + n] for n in (0, 1)]
    holder = state[game.get_field("pawn").offset] - 1
    mine, other = (piles[n] + 3 * (holder == n) for n in (seat, 1 - seat))
    parts = f", {piles[seat]} in the scoring pile, 3 for the Stone Dragon" if holder == seat else ""
    won = mine > other or (mine == other and holder == seat)
    return "won" if won else "lost", f"{mine} points{parts}"


# -- what is sent ---------------------------------------------------------------------------------------------------


def test_a_click_costs_a_difference_and_the_page_is_the_same(place: Place) -> None:
    session = place.begin("opale")
    session.take_free_seat_and_get_token(1)
    dice, sizes = Random(2), list[float]()
    before = split_html_into_diffable_parts(place.client.get(f"/t/{session.ident}/{session.tokens[0]}?part=1").text)
    for _ in range(12):
        session.take_action_of_seat_or_refuse(
            session.match.actor,
            session.version,
            dice.choice(session.list_moves_seat_may_take_now(session.match.actor)).ident,
        )
        whole = place.client.get(f"/t/{session.ident}/{session.tokens[0]}?part=1").text
        change = encode_page_difference_as_json(before, split_html_into_diffable_parts(whole))
        before = applied(before, change)
        assert "".join(before) == whole
        assert before == split_html_into_diffable_parts(whole)
        sizes.append(len(change) / len(whole))
    assert sum(sizes) / len(sizes) < 0.5, sizes


def test_differences_of_any_two_pages_lead_from_one_to_the_other() -> None:
    dice = Random(5)
    words = ["<p>a</p>", "<li>b</li>", "<section>", "</section>", "text", '<g class="piece">', "<polyline/>", "é"]
    for _ in range(300):
        one, other = ("<main>" + "".join(dice.choices(words, k=dice.randrange(12))) for _ in range(2))
        assert (
            "".join(
                applied(
                    split_html_into_diffable_parts(one),
                    encode_page_difference_as_json(
                        split_html_into_diffable_parts(one), split_html_into_diffable_parts(other)
                    ),
                )
            )
            == other
        )


# -- screens --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "seat"), [("olith", 1), ("opale", 1), ("eila", 0), ("eurydice", 0)])
def test_each_screen_shows_every_surface_once_and_none_over_another(game: str, seat: int) -> None:
    spread = TableLayout(Variant(game))
    scene = spread.make_scene_seen_by_seat(spread.variant.play.start(), seat)
    sizes = {surface.key: (surface.width, surface.height) for surface in scene.surfaces}
    trees: tuple[tuple[str, Tree], ...] = tuple(spread.spec.screens.items())
    made = arrange_surfaces_for_each_screen(("", seat), scene, trees, (seat, spread.game.players))
    square = ["square"] if "square" in spread.spec.screens else []
    assert [screen.name for screen in made] == ["wide", *square, "tablet", "phone"]
    for screen in made:
        assert sorted(place[0] for place in screen.places) == sorted(sizes)
        boxes = [(x, y, sizes[key][0] * scale, sizes[key][1] * scale) for key, x, y, scale in screen.places]
        for n, (x, y, wide, high) in enumerate(boxes):
            assert -0.2 <= x <= x + wide <= screen.width + 0.2
            assert -0.2 <= y <= y + high <= screen.height + 0.2
            for left, top, across, down in boxes[:n]:
                apart = x + 0.2 >= left + across or left + 0.2 >= x + wide
                assert apart or y + 0.2 >= top + down or top + 0.2 >= y + high
        rules = stylesheet_from_layout_name_or_none(encode_layout_as_stylesheet_name(screen, scene))
        assert rules is not None
        assert rules.count("#s-") == len(sizes)


def test_the_own_mat_is_large_and_all_mats_have_their_places_before_they_are_taken() -> None:
    spread = TableLayout(Variant("olith", {"players": "4"}))
    play = spread.variant.play
    trees: tuple[tuple[str, Tree], ...] = tuple(spread.spec.screens.items())

    def seen(state: list[int]) -> tuple[dict[str, float], set[str], int]:
        scene = spread.make_scene_seen_by_seat(state, 0)
        wide = arrange_surfaces_for_each_screen(("", 0), scene, trees, (0, 4))[0]
        mats = {surface.key for surface in scene.surfaces if surface.picture and surface.key.startswith("mat.")}
        cards = sum(piece.picture.component in loyalties for piece in scene.pieces)
        return {key: scale for key, _, _, scale in wide.places}, mats, cards

    loyalties = {c.id for c in spread.components.values() if c.kind == "loyalty"}
    state = play.start()
    while play.actor(state) != 0:
        state = play.apply(state, play.legal(state)[0])
    before, mats, cards = seen(state)
    taken = len(mats)
    assert cards == taken + 8 - 2 * taken  # theirs, and those of the decks that nobody has
    while len(mats) < 4:
        state = play.apply(state, play.legal(state)[0])
        after, mats, cards = seen(state)
    assert cards == 4
    assert after == before
    assert after["mat.0"] > 2 * after["mat.1"]
    assert after["board"] > after["mat.1"]


# -- the server -----------------------------------------------------------------------------------------------------


def test_old_tables_are_deleted_and_those_in_use_stay(tmp_path: Path) -> None:
    server_state = ServerState(("tic_tac_toe",), tmp_path, pace=0, keep_days=3)
    old, used, fresh = (server_state.start_session_or_refuse("tic_tac_toe", {}, {}, ["person"], 1) for _ in range(3))
    for running_session in (old, used):
        assert running_session.session.journal is not None
        os.utime(running_session.session.journal, (time() - 4 * 86_400,) * 2)
    used.add_listener_dismissing_oldest_or_none(None)
    assert server_state.delete_old_journals_and_unused_descriptions() == [old.session.ident]
    assert server_state.find_or_restore_session(old.session.ident) is None
    assert server_state.find_or_restore_session(used.session.ident) is used
    assert server_state.find_or_restore_session(fresh.session.ident) is fresh


def test_behind_a_proxy_the_key_opens_the_lobby_and_nothing_else_does(tmp_path: Path) -> None:
    server_state = ServerState(("tic_tac_toe",), tmp_path, pace=0)
    for proxied, status in ((True, 200), (False, 403)):
        site = TableApp(server_state, {"games.example"}, "https://games.example", proxied=proxied)
        client = TestClient(site.app, base_url="https://games.example", client=("198.51.100.7", 5000))
        assert client.get(site.lobby_at).status_code == status
        assert client.get("/host/guess/").status_code == 404
        assert client.get("/health").text.startswith("ok, ")
        other = TestClient(site.app, base_url="https://evil.example")
        assert other.get(site.lobby_at).status_code == 403
    page = TestClient(site.app, base_url="https://games.example").get(site.lobby_at)
    assert page.headers["content-type"].startswith("text/html")
    assert re.search(r"Begin a game", page.text)


# -- where one comes and goes ---------------------------------------------------------------------------------------


def test_who_comes_too_late_to_watch_reads_why(place: Place) -> None:
    """Closed after it was accepted: of a refused connection, a browser learns neither code nor reason."""
    session = place.begin()
    running_session = place.server_state.running_sessions[session.ident]
    for _ in range(MOST_WATCHING):
        assert running_session.add_listener_dismissing_oldest_or_none(None) is not None
    for token, code, words in ((session.watch, TOO_MANY, "40 windows watch already"), ("nobody", GONE_AWAY, "")):
        with place.client.websocket_connect(f"/t/{session.ident}/{token}/live") as window:
            with pytest.raises(WebSocketDisconnect) as closed:
                window.receive_text()
            assert closed.value.code == code
            assert words in closed.value.reason


def test_while_a_seat_is_free_its_invitation_comes_first(place: Place) -> None:
    session = place.begin()
    page = place.page(session, 0)
    assert page.index("data-copy=") < page.index('class="who"')
    joined(place, session, 1)
    page = place.page(session, 0)
    assert "data-copy=" not in page
    assert page.index('class="who"') < page.index('class="invite"')


def test_leaving_a_seat_asks_first(place: Place) -> None:
    page = place.page(place.begin(), 0)
    asked = page[page.index("<summary>leave this seat</summary>") :]
    assert asked.index("will no longer work") < asked.index("/leave") < asked.index("</details>")


def test_refusals_call_people_by_their_names(place: Place) -> None:
    session = place.begin(name="Ada")
    joined(place, session, 1, name="Bo")
    assert place.post(session, 1, "move", move=4) == (409, "it is not your turn: Ada (player 1) acts")
    assert place.post(session, 1, "may", words="mark 4") == (409, "it is not your turn: Ada (player 1) acts")


def test_a_rematch_is_no_campaign(place: Place) -> None:
    first = place.begin()
    joined(place, first, 1)
    for ident in (0, 3, 1, 4, 2):
        place.post(first, first.match.actor, "move", move=ident)
    place.post(first, 1, "next")
    assert "The next game is at a new table" in place.page(first, 0)


def test_a_page_has_the_words_of_the_faces_on_the_table_in_letters(place: Place) -> None:
    """At 1024 pixels Eurydice's sheet of symbols is bars: its words stand in the column, without a mouse. A board that
    prints nothing but flavour is not among them."""
    assert 'id="printed"' not in place.page(place.begin("opale"), 0)  # its cards print names and points
    session = place.begin("eurydice")
    layout = place.server_state.running_sessions[session.ident].printed_variant.pictures
    assert layout is not None
    words, html = layout.spread.card_words, place.page(session, 0)
    said = html.partition('id="printed"')[2].partition("</details>")[0]
    scene = layout.spread.make_scene_seen_by_seat(session.match.states[-1], 0)
    pictures = [*(surface.picture for surface in scene.surfaces), *(piece.picture for piece in scene.pieces)]
    readable = {picture.component for picture in pictures if picture and words.has_words_besides_name(picture)}
    assert readable
    rules = {ident: words.format_printed_rules_or_empty(Picture(ident)) for ident in readable}
    assert "board-1" not in {ident for ident, text in rules.items() if text}
    assert words.format_printed_words_or_empty(Picture("board-1"))
    titles = {escape(text.split("\n")[0]) for text in rules.values() if text}
    assert set(re.findall("<dt>(.*?)</dt>", said)) == titles
    assert words.wordy - readable  # what lies face down is not among them
