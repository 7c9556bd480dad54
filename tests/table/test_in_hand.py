"""The table in the hand: zoom, pinch, drag, focus, the tab's title, and a click without a connection."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import monotonic
from typing import Any

from tests.table.test_browser import begin, changed, page, version  # noqa: F401 - `page` is a fixture

Browser, Page, Running = Any, Any, Any
LETTERS = """[...document.querySelectorAll(".name, .count")].map(one => {
  const scale = one.getScreenCTM().a; return parseFloat(getComputedStyle(one).fontSize) * scale; })"""

PICTURES = """() => [...document.querySelectorAll("#felt image")].map(one =>
  [one.href.baseVal, one.getScreenCTM().a * one.width.baseVal.value])"""
# The letters' size in each line that is drawn, were this picture so many pixels wide.
PRINTED = """shown => { const root = document.documentElement, own = root.getScreenCTM().a;
  return [...root.querySelectorAll("g[aria-label]")].filter(line => line.getClientRects().length)
    .map(line => { const place = line.getScreenCTM();
      return 1000 * Math.hypot(place.a, place.b) / own / root.viewBox.baseVal.width * shown; }); }"""

PATIENCE, STILL = 120.0, 0.5  # seconds
VERSION = "document.querySelector('#table').dataset.version"

# Notes how far each piece on the board glides.
WATCHED = """() => { window.glided = []; const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    if (this.matches("#s-board .piece")) window.glided.push(how[0][0].transform);
    return animate.apply(this, how); }; }"""


def until(page: Page, condition: str) -> None:  # noqa: F811
    """Wait until an expression holds. The page's policy forbids the browser to poll it itself."""
    end = monotonic() + PATIENCE
    while not page.evaluate(condition):
        assert monotonic() < end, f"never: {condition}"
        page.wait_for_timeout(25)


def settle(page: Page) -> None:  # noqa: F811
    """Wait until all pictures are here and nothing has come from the server for a while."""
    until(page, "!document.querySelector('.blank')")
    state, since, end = "", monotonic(), monotonic() + PATIENCE
    while monotonic() < since + STILL:
        now = str(page.evaluate("document.querySelector('#table').dataset.change"))
        state, since = (state, since) if now == state else (now, monotonic())
        assert monotonic() < end
        page.wait_for_timeout(50)


def width(page: Page) -> float:  # noqa: F811
    return float(page.locator("#felt").bounding_box()["width"])


def test_the_felt_is_enlarged_and_moved_and_the_page_is_not(standing: Running, page: Page) -> None:  # noqa: F811
    begin(page, standing.lobby, "opale", seat_01="random")
    page.wait_for_selector(".hand .piece.can")
    whole, aside = width(page), page.locator("aside").bounding_box()
    page.mouse.move(500, 400)
    page.mouse.wheel(0, -500)
    until(page, f"document.getElementById('felt').clientWidth > {1.5 * whole}")
    assert page.locator("aside").bounding_box() == aside
    before = page.locator("#felt").bounding_box()
    page.mouse.move(600, 300)
    page.mouse.down()
    page.mouse.move(520, 240, steps=3)
    page.mouse.up()
    assert page.locator("#felt").bounding_box() != before
    page.keyboard.press("0")
    assert abs(width(page) - whole) < 1
    page.keyboard.press("h")
    hand = page.locator('.surface.hand[data-seat="0"]').bounding_box()
    view = page.locator("#view").bounding_box()
    assert width(page) > whole
    assert view["x"] <= hand["x"]
    assert hand["x"] + hand["width"] <= view["x"] + view["width"] + 1
    # A new state leaves the view as it is.
    now, state = width(page), version(page)
    page.locator("#deed button[name=move]").first.click()
    changed(page, state)
    assert abs(width(page) - now) < 1


def test_no_letter_on_the_felt_is_under_eleven_pixels(standing: Running, browser: Browser) -> None:
    """Two pictures of each size at which any is shown, one table at two sizes of the window."""
    context = browser.new_context(bypass_csp=True)
    page, alone = context.new_page(), context.new_page()  # noqa: F811
    page.set_viewport_size({"width": 1366, "height": 768})
    begin(page, standing.lobby, "opale", seat_01="random")
    page.wait_for_selector("#deed button[name=move]")
    for width, height in ((1366, 768), (390, 844)):
        page.bring_to_front()  # a page behind another is not drawn
        page.set_viewport_size({"width": width, "height": height})
        until(page, f"innerWidth === {width} && Math.min(...{LETTERS}) > 10.9")
        until(page, f"({PICTURES})().every(([address]) => address.includes('#w'))")
        page.wait_for_timeout(100)  # letters follow a new size after 60 ms
        pictures = dict(page.evaluate(PICTURES))
        steps = {address.partition("#")[2] for address in pictures}
        of_a_size = [[at for at in pictures if at.endswith(f"#{step}")] for step in steps]
        lines = []
        for address in {at for ats in of_a_size for at in (ats[0], ats[-1])}:
            alone.goto(standing.url + address)
            lines += alone.evaluate(PRINTED, pictures[address])
        assert len(lines) > 8  # not everything is a bar
        assert min(lines) > 10.9
    alone.goto(standing.url + address.partition("#")[0])
    assert min(alone.evaluate(PRINTED, pictures[address])) < 10  # so the measure can fail
    context.close()


def test_two_fingers_enlarge_and_one_carries_a_card(standing: Running, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True, is_mobile=True)
    page = context.new_page()  # noqa: F811
    begin(page, standing.lobby, "opale", seat_01="random")
    page.wait_for_selector(".hand .piece.can")
    hand = context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    whole = width(page)
    settle(page)  # what comes from the server replaces the piece under the fingers
    touch("touchStart", (380, 400), (440, 400))
    for spread in (40, 60, 90):
        touch("touchMove", (410 - spread, 400), (410 + spread, 400))
    touch("touchEnd")
    until(page, f"document.getElementById('felt').clientWidth > {2 * whole}")
    page.locator('[data-tool="fit"]').click()
    card = page.locator(".hand .piece.can").first
    box = card.bounding_box()
    name = re.sub(r" [0-9]$", "", str(card.get_attribute("aria-label")))  # `Coral Dragon 2`
    spot = page.locator(f'.spot.can[aria-label="{name}"]').first.bounding_box()
    state = version(page)
    touch("touchStart", (box["x"] + 15, box["y"] + 15))
    touch("touchMove", (box["x"] + 15, box["y"] - 60))
    ghost = page.locator("#ghost").bounding_box()
    assert abs(ghost["y"] - (box["y"] - 75)) < 4
    touch("touchMove", (spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2))
    touch("touchEnd")
    assert page.locator("#ghost").count() == 0
    until(page, "!document.querySelector('#menu').hidden || " + VERSION + f" != {state}")
    if page.locator("#menu button").count():
        page.locator("#menu button").first.tap()
    changed(page, state)
    context.close()


def test_a_card_glides_from_the_hand_to_the_board(standing: Running, page: Page) -> None:  # noqa: F811
    begin(page, standing.lobby, "opale", seat_01="random")
    page.wait_for_selector("#deed button[name=move]")
    assert page.title() == "● your turn – Opale"
    page.evaluate(WATCHED)
    for _ in range(2):  # both are the same player's: which card, and where to
        page.wait_for_selector("#deed button[name=move]")
        state = version(page)
        page.locator("#deed button[name=move]").first.click()
        changed(page, state)
    until(page, "window.glided.length > 0")
    until(page, "document.querySelectorAll('.piece.fresh').length > 0")


def test_the_keyboard_keeps_its_place_from_move_to_move(standing: Running, page: Page) -> None:  # noqa: F811
    begin(page, standing.lobby, "eila")
    page.locator("#deed button[name=move]").first.focus()
    for _ in range(5):
        state = version(page)
        page.keyboard.press("Enter")
        changed(page, state)
        until(page, "document.activeElement.closest('#deed') !== null")


def test_what_is_done_without_a_connection_is_done_when_it_is_back(
    serving: Callable[..., Running], browser: Browser
) -> None:
    first = serving("tic_tac_toe")
    page = browser.new_context().new_page()  # noqa: F811
    begin(page, first.lobby, "tic_tac_toe", seat_01="person", screens="one")
    before = version(page)
    first.kill()
    page.wait_for_selector("#lost")
    page.locator("#deed button[name=move]").first.click()
    page.wait_for_selector("#lost:has-text('is kept')")
    serving("tic_tac_toe", "--port", first.url.rpartition(":")[2])
    page.wait_for_selector("#lost", state="detached")
    # The table's number is another after a restart, and the game has not moved: the click acts.
    changed(page, before)
    until(page, "!document.documentElement.classList.contains('sent')")
    until(page, "document.querySelector('input[name=at]')?.max === '1'")
    assert not page.locator(".said").count()
    page.context.close()


def test_what_was_asked_for_earlier_and_comes_later_is_not_shown(standing: Running, browser: Browser) -> None:
    """A move is refused, the page asks how the table is, and a click is faster than the answer."""
    page = browser.new_context().new_page()  # noqa: F811
    begin(page, standing.lobby, "tic_tac_toe", seat_01="person", screens="one")
    held: list[tuple[Any, Any]] = []
    page.route("**/*part=1*", lambda route: held.append((route, route.fetch())))
    page.evaluate("void Table.send('move', { move: 1, version: 0 })")
    for _ in range(600):
        if held:
            break
        page.wait_for_timeout(25)
    assert held
    before = version(page)
    page.locator("#deed button[name=move]").first.click()
    changed(page, before)
    now = version(page)
    for route, reply in held:
        assert f'data-version="{before}"' in reply.text()
        with page.expect_response("**/*part=1*"):
            route.fulfill(response=reply)
    page.wait_for_timeout(300)
    assert version(page) == now
    page.context.close()


def test_what_did_not_reach_the_server_is_sent_again(standing: Running, browser: Browser) -> None:
    """The page stays connected; one request is lost on its way."""
    page = browser.new_context().new_page()  # noqa: F811
    begin(page, standing.lobby, "tic_tac_toe", seat_01="person", screens="one")
    page.route("**/move", lambda route: route.abort(), times=1)
    state = version(page)
    page.locator("#deed button[name=move]").first.click()
    page.wait_for_selector("#lost:has-text('is kept')")
    changed(page, state)
    page.wait_for_selector("#lost", state="detached")
    page.context.close()


def test_names_stand_where_pictures_have_not_come(standing: Running, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    opened = context.new_page()
    waiting: list[Any] = []
    begin(opened, standing.lobby, "opale")
    opened.route("**/face/*", lambda route: waiting.append(route))
    opened.reload(wait_until="commit")
    until(opened, "document.querySelectorAll('#s-hand-0 .blank').length === 5")  # a busy machine draws them
    until(opened, "document.querySelectorAll('#s-board .blank text').length > 0")  # one after the other
    spots = opened.locator("#s-board .blank.ground text").all_text_contents()
    assert {"Coral Dragon", "Turtle Rider", "Lava Golem"} <= set(spots)
    names = [one.get_attribute("aria-label") for one in opened.locator("#s-hand-0 .piece").all()]
    blanks = [" ".join(one.locator("text").all_text_contents()) for one in opened.locator("#s-hand-0 .blank").all()]
    assert len(names) == 5
    assert blanks == names
    assert not opened.locator(".piece .blank").count()  # what is read aloud is said once
    assert opened.locator("#deed button[name=move]").count()  # and one can play
    opened.unroute("**/face/*")  # lets go on what waits
    until(opened, "!document.querySelector('.blank')")
    context.close()
