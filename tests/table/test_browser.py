"""The table in a real browser: clicks, keys, drags, two people and two bots, and a server that is killed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx2 as httpx
import pytest

from tests.table.conftest import choose_everything

Browser, Page, Running = Any, Any, Any
ACTIONS = "#deed button[data-at]"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """One window; nothing that the browser complains of is passed over."""
    with_errors: list[str] = []
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    choose_everything(context)
    opened = context.new_page()
    opened.on("pageerror", lambda error: with_errors.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            with_errors.append(message.text) if message.type == "error" and "409" not in message.text else None
        ),
    )
    yield opened
    context.close()
    assert not with_errors


def begin(page: Page, url: str, game: str, scripts: bool = True, **choices: str) -> None:
    """Set up a table in the lobby."""
    page.goto(url)
    form = page.locator(f'form:has(input[value="{game}"])')
    form.locator("summary", has_text="seed").click()
    form.locator("input[name=seed]").fill("7")
    for name, value in choices.items():
        form.locator(f"select[name={name.replace('_', '-')}]").select_option(value)
    form.locator("button.big").click()
    page.wait_for_selector("html.js #table" if scripts else "#table")


def version(page: Page) -> str:
    return str(page.locator("#table").get_attribute("data-version"))


def changed(page: Page, before: str) -> None:
    page.wait_for_selector(f'#table:not([data-version="{before}"])')


def test_a_click_on_a_card_plays_it(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "eila")
    before = version(page)
    page.locator("#s-present .piece.can").first.click()
    page.wait_for_selector("#menu button")
    page.locator("#menu button").first.click()
    changed(page, before)
    assert page.locator(".log li").count() >= 1


def test_the_keyboard_plays_too(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "eila")
    before = version(page)
    page.locator("#s-present .piece.can").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#menu button")
    page.keyboard.press("Enter")
    changed(page, before)


def test_tab_reaches_all_that_can_be_done(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "eila")
    wanted = set(page.evaluate(REACHED.replace("LIST", "[...document.querySelectorAll('.can, #deed button')]")))
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached |= set(page.evaluate(REACHED.replace("LIST", "[document.activeElement]")))
        if wanted <= reached:
            break
    assert len(wanted) > 3
    assert wanted <= reached, f"no Tab reaches {wanted - reached}"


# What a person calls these things: by its place on the table, or by its words.
REACHED = """LIST.map(one => one.dataset.key || one.getAttribute("aria-label") || one.textContent)"""


def test_a_finger_taps_and_a_long_press_enlarges(standing: Running, browser: Browser) -> None:
    """On a phone. What lies there is told in words too, for those who do not see it."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    begin(page, standing.lobby, "eila")
    card = page.locator("#s-present .piece.can").first
    card.scroll_into_view_if_needed()
    box = card.bounding_box()
    assert box
    finger = context.new_cdp_session(page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 20}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_selector("#large img")
    assert page.locator("#large img").get_attribute("alt") == card.get_attribute("aria-label")
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_selector("#large", state="detached")
    assert not page.locator("#menu button").count()
    reads_a_choice_and_takes_nothing(page, finger)
    words = page.locator(".words").filter(has_text="The table in words")
    words.locator("summary").click()
    assert str(card.get_attribute("aria-label")) in words.inner_text()
    before = version(page)
    card.scroll_into_view_if_needed()
    box = card.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 20)
    page.wait_for_selector("#menu button")
    page.locator("#menu button").first.tap()
    changed(page, before)
    context.close()


def reads_a_choice_and_takes_nothing(page: Page, finger: Any) -> None:
    choice, before = page.locator("#deed button[aria-describedby]").first, version(page)
    box = choice.bounding_box()
    assert box
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_selector("#does")
    told = page.locator(f"#{choice.get_attribute('aria-describedby')}").text_content()
    assert page.locator("#does").text_content() == told
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_selector("#does", state="detached")
    assert version(page) == before


def test_a_card_is_dragged_to_its_spot(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "opale", seat_01="random")
    page.wait_for_selector(".hand .piece.can")
    card = page.locator(".hand .piece.can").first
    name = str(card.get_attribute("aria-label"))
    spot = page.locator(f'.spot[aria-label="{re.sub(r" [0-9]$", "", name)}"]').first
    before = version(page)
    start, end = card.bounding_box(), page.locator(".spot.can").first.bounding_box() or spot.bounding_box()
    assert start
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(start["x"], start["y"] - 100, steps=4)
    target = page.locator(f'.spot.can[aria-label="{name}"]')
    end = (target if target.count() else page.locator(".spot.can")).first.bounding_box()
    assert end
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()
    if page.locator("#menu button").count():
        page.locator("#menu button").first.click()
    changed(page, before)


def test_what_is_not_legal_says_why(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "eila")
    page.locator('.spot[aria-label="on the Goal"]').click()
    page.wait_for_selector(".said")
    assert "not now, but when the game says" in page.locator(".said").inner_text()


def test_a_mouse_that_rests_reads_and_its_click_still_acts(standing: Running, page: Page) -> None:
    """The enlargement stands beside its card and takes no click; after the click it does not come by itself."""
    begin(page, standing.lobby, "eila")
    card = page.locator("#s-present .piece.can").first
    box = card.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 30, y - 30)
    page.mouse.move(x, y, steps=5)
    page.wait_for_selector("#large.placed img")
    assert page.locator("#large img").evaluate("image => image.naturalWidth", timeout=5000) > 0
    large = page.locator("#large").bounding_box()
    assert large
    assert large["width"] < 800
    right_of, left_of = large["x"] >= box["x"] + box["width"], large["x"] + large["width"] <= box["x"]
    assert right_of or left_of or large["y"] >= box["y"] + box["height"] or large["y"] + large["height"] <= box["y"]
    page.mouse.down()
    page.wait_for_timeout(800)  # however slowly somebody clicks
    page.mouse.up()
    page.wait_for_selector("#menu button")
    page.wait_for_timeout(1000)
    assert not page.locator("#large").count()
    before = version(page)
    page.locator("#menu button").first.click()
    changed(page, before)


def test_an_unsteady_click_acts(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "eila")
    box = page.locator("#s-present .piece.can").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 42, box["y"] + 36, steps=3)
    page.mouse.up()
    page.wait_for_selector("#menu button")


def test_only_faces_with_words_are_read_and_only_if_one_wishes(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "opale", seat_01="random")
    page.wait_for_selector(".hand .piece.can")
    for wordless in (page.locator(".piece.down").first, page.locator(".hand .piece.can").first):
        rest(page, wordless)
        assert not page.locator("#large").count()
    begin(page, standing.lobby, "eila")
    page.locator("#tools summary").click()
    page.locator('[data-setting="enlarge"]').uncheck()
    page.locator("#tools summary").click()
    rest(page, page.locator("#s-present .piece.reads").first)
    assert not page.locator("#large").count()


def test_a_choice_says_what_it_does(serving: Callable[..., Running], page: Page) -> None:
    """Below it where there is room, else with the mouse on it or in focus; in the words that the sheet of symbols
    prints. A choice of a place says what is printed there."""
    running = serving("eurydice", "--pace", "0")
    begin(page, running.lobby, "eurydice")
    printed = page.locator("#deed .does").all_inner_texts()
    assert printed == [
        "discard 1, or roll above 3 to discard none, else 2",
        "look at exactly 2 cards of Deck, Discard Area and Removed",
    ]
    for _ in range(30):
        choice = page.locator("#deed button[name=move]", has_text="Toll").first
        if choice.count():
            break
        before = version(page)
        page.locator(ACTIONS).first.click()
        changed(page, before)
    words = "Toll: discard 1, or roll: above X none, else 2."
    told = page.locator(f"#{choice.get_attribute('aria-describedby')}")
    assert words in told.inner_text()
    choice.hover()
    assert not page.locator("#does").count()  # it is read already
    page.set_viewport_size({"width": 900, "height": 768})
    page.mouse.move(5, 300)
    choice.hover()
    assert words in page.locator("#does").inner_text()
    page.mouse.move(5, 300)
    assert not page.locator("#does").count()
    page.locator("#tools summary").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.locator("#does").count():
            break
    assert page.locator("#does").inner_text()
    before = version(page)
    page.keyboard.press("Enter")
    changed(page, before)


def rest(page: Page, thing: Any) -> None:
    """Move the mouse to the middle of something, as a hand does, and leave it there."""
    box = thing.bounding_box()
    assert box
    page.mouse.move(5, 300)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    page.wait_for_timeout(1000)


def test_the_slider_shows_the_past_and_comes_back(standing: Running, page: Page) -> None:
    begin(page, standing.lobby, "eila")
    for _ in range(3):
        before = version(page)
        page.locator(ACTIONS).first.click()
        changed(page, before)
    page.locator("input[name=at]").fill("1")
    page.wait_for_selector(".past")
    assert page.locator(ACTIONS).count() == 0
    page.locator("[data-live]").click()
    page.wait_for_selector(ACTIONS)


def test_the_pages_work_without_scripts(standing: Running, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    begin(page, standing.lobby, "eila", scripts=False)
    before = version(page)
    page.locator(ACTIONS).first.click()
    changed(page, before)
    context.close()


def test_nothing_is_lost_when_the_server_is_killed(serving: Callable[..., Running]) -> None:
    first = serving("opale")
    fields = {"game": "opale", "seat-00": "person", "seat-01": "random", "seed": "3"}
    with httpx.Client(base_url=first.url, timeout=60) as client:
        reply = client.post(f"{first.lobby}new", data=fields)
        seat = reply.headers["location"]
        for _ in range(6):
            text = waited(client, seat)
            move = re.search(r'name="move" value="(\d+)"', text)
            assert move
            number = re.search(r'data-version="(\d+)"', text)[1]  # type: ignore[index]  # every page has one
            assert client.post(f"{seat}/move", data={"version": number, "move": move[1]}).status_code == 303
        before = log_of(waited(client, seat))
    first.kill()
    again = serving("opale")
    with httpx.Client(base_url=again.url, timeout=60) as client:
        assert log_of(waited(client, seat)) == before


def waited(client: httpx.Client, seat: str) -> str:
    """The seat's page when it may act."""
    for _ in range(600):
        text = client.get(seat).text
        if 'name="move"' in text or "The game is over" in text:
            return text
        import time

        time.sleep(0.05)
    raise AssertionError("nobody acts")


def log_of(text: str) -> str:
    return text[text.index('<section class="log">') : text.index("</ol>")]


def test_a_busy_port_is_told_in_a_sentence(standing: Running) -> None:
    import subprocess
    import sys

    port = standing.url.rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "-m", "playproof", "serve", "tic_tac_toe", "--port", port],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert f"port {port} cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_shouts_is_cut_off_and_nobody_else_notices(standing: Running) -> None:
    """Too much at once, too much in all, no text, no upgrade: the table goes on, and so does whoever else looks."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    url = standing.url
    with httpx.Client(base_url=url, timeout=60) as client:
        fields = {"game": "tic_tac_toe", "seat-00": "person", "seat-01": "person", "screens": "one"}
        seat = str(client.post(f"{standing.lobby}new", data=fields).headers["location"])
        live = url.replace("http", "ws", 1) + f"{seat}/live"
        with connect(live) as quiet:
            told = str(quiet.recv(timeout=30))
            for messages in (["x" * 5_000], [b"\x00" * 5_000], ["?"] * 2_100):
                with connect(live) as loud, pytest.raises(ConnectionClosed):
                    shout(loud, messages)
            number = re.search(r'data-version="(\d+)"', told)[1]  # type: ignore[index]  # every page has one
            assert client.post(f"{seat}/move", data={"version": number, "move": "4"}).status_code == 303
            assert "player 1" in str(quiet.recv(timeout=30))


def shout(socket: Any, messages: Sequence[str | bytes]) -> None:
    """Send these, and read until there is nothing more to read."""
    for message in messages:
        socket.send(message)
    while True:
        socket.recv(timeout=30)


def test_two_people_and_two_bots_play_to_the_end(serving: Callable[..., Running], browser: Browser) -> None:
    """The largest game: each person in a browser of their own, clicking the last thing that can be done. After some
    clicks the second one plays without a window, and looks again at the end: a window draws every step."""
    running = serving("olith", "--pace", "0")
    windows = [browser.new_context(viewport={"width": 1440, "height": 900}) for _ in range(2)]
    for window in windows:
        without_pictures(window)
        choose_everything(window)
    one, two = (window.new_page() for window in windows)
    begin(
        one,
        running.lobby,
        "olith",
        option_players="4",
        seat_00="person",
        seat_01="person",
        seat_02="greedy",
        seat_03="random",
    )
    two.goto(running.url + str(one.locator(".invite a.join").get_attribute("href")))
    two.locator('button[value="1"]').click()
    two.wait_for_selector("html.js #table")
    pages, clicks, seat = [one, two], 0, two.url
    with httpx.Client(timeout=60) as client:
        for _ in range(3000):
            if "The game is over" in one.locator(".moment").inner_text():
                break
            for page in pages:
                buttons = page.locator(ACTIONS)
                if buttons.count():
                    before = version(page)
                    buttons.last.evaluate("button => button.click()")
                    changed(page, before)
                    clicks += 1
            if clicks > 20 and two in pages:
                pages = [one]
                two.goto("about:blank")
            if two not in pages:
                moved(client, seat)
            one.wait_for_timeout(5)
    assert "The game is over" in one.locator(".moment").inner_text()
    two.goto(seat)
    two.wait_for_selector(".moment:has-text('The game is over')")
    for window in windows:
        window.close()


def moved(client: httpx.Client, seat: str) -> None:
    """Take the last thing that a seat can do now, if there is one."""
    text = client.get(seat).text
    for move in re.findall(r'name="move" value="(\d+)"', text)[-1:]:
        number = re.search(r'data-version="(\d+)"', text)[1]  # type: ignore[index]  # every page has one
        client.post(f"{seat}/move", data={"version": number, "move": move})


SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1366, 768), "projector": (1920, 1080)}


# Letters are there, and a frame was drawn with them.
LAID_OUT = """() => document.fonts.ready.then(
  () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))"""

# Fields and buttons that reach beyond the box they stand in.
STICKS_OUT = """root => [...root.querySelectorAll("select, input, button")].filter(one => {
  const box = one.closest(".game, aside section"), own = one.getBoundingClientRect();
  return box && own.width && own.right > box.getBoundingClientRect().right + 1;
}).map(one => one.outerHTML.slice(0, 80))"""


def test_every_screen_fits_at_every_size(serving: Callable[..., Running], browser: Browser) -> None:
    """Nothing is wider than the screen, what can be done is in sight, and on a wide screen the whole table is."""
    running = serving("eila", "eurydice", "olith", "opale", "tic_tac_toe", "--pace", "0")
    url, lobby = running.url, running.lobby.removeprefix(running.url)
    seats = [seat_at(running.lobby, game) for game in ("eila", "eurydice", "olith", "opale", "tic_tac_toe")]
    for size, (width, height) in SIZES.items():
        context = browser.new_context(viewport={"width": width, "height": height})
        without_pictures(context)
        page = context.new_page()
        for seat in [lobby, *seats]:
            page.goto(url + seat, wait_until="load")
            page.evaluate(LAID_OUT)
            root = page.locator("html")
            assert root.evaluate("root => root.scrollWidth <= root.clientWidth + 1"), f"{seat} at {size} is too wide"
            assert root.evaluate(STICKS_OUT) == [], f"{seat} at {size}"
            assert fits(page, width, height, wide=size in ("laptop", "projector")), f"{seat} at {size}"
        context.close()


def without_pictures(window: Any) -> None:
    """Leave printed faces out where nobody looks at them: the server draws each that is asked for, and all others of
    its game after it. Places and sizes come from style sheets."""
    window.route("**/face/**", lambda route: route.abort())


def seat_at(lobby: str, game: str) -> str:
    """The address of a first seat, with whatever bots the other seats need."""
    fields = {"game": game, "seat-00": "person", "seat-01": "random", "seed": "5"}
    return str(httpx.post(f"{lobby}new", data=fields).headers["location"])


def fits(page: Page, width: int, height: int, wide: bool) -> bool:
    """Surfaces lie inside the screen's width, on a wide screen inside the screen; buttons can be reached."""
    for surface in page.locator(".surface").all():
        box = surface.bounding_box()
        if box is None:
            continue  # an empty place, which a phone leaves out
        if box["x"] < -1 or box["x"] + box["width"] > width + 1 or (wide and box["y"] + box["height"] > height + 1):
            return False
    deed = page.locator("#deed:not(.idle)")
    if deed.count():
        box = deed.bounding_box()
        return bool(box and 0 <= box["y"] < height - 30)
    return True


def test_the_lobby_offers_as_many_seats_as_play(serving: Callable[..., Running], browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.goto(serving("olith").lobby)
    seats = page.locator("fieldset select")
    for players, said in (("", [True, True, False, False]), ("3", [True, True, True, False])):
        if players:
            page.locator('select[name="option-players"]').select_option(players)
        assert [seat.is_visible() for seat in seats.all()] == said
        assert [seat.is_enabled() for seat in seats.all()] == said
    page.context.close()
