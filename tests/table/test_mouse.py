"""A hand with a mouse: it moves, rests and clicks on what glows, and every click acts.

`PLAYPROOF_MOUSE=all` plays all games to the end at four sizes, `PLAYPROOF_MOUSE=eila-390,olith-1024` these; the suite
plays the beginning of one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import httpx2 as httpx

from playproof.language.registry import list_bundled_game_names
from tests.table.conftest import choose_everything

Browser, Running, Page = Any, Any, Any
SIZES = {1920: (1920, 1080), 1366: (1366, 768), 1024: (1024, 768), 390: (390, 844)}
WANTED = os.environ.get("PLAYPROOF_MOUSE", "")
ALL = bool(WANTED)  # to the end
PLAYED = [
    (game, width)
    for game in list_bundled_game_names()
    for width in SIZES
    if WANTED == "all" or f"{game}-{width}" in (WANTED or "opale-1366").split(",")
]
MOST = 2_000 if ALL else 9  # clicks
KILLED_AT = 4  # the click during which the server is killed
WAIT = 120.0  # seconds: a busy machine is late, and no click is swallowed for that

# What a finger can meet of each thing that glows: a point at which nothing else lies above it.
GLOWING = """() => {
  const inside = (x, y) => x > 2 && y > 2 && x < innerWidth - 2 && y < innerHeight - 2;
  const found = [];
  for (const thing of document.querySelectorAll(".can")) {
    const box = (thing.querySelector(".edge") || thing).getBoundingClientRect();
    for (const [across, down] of [[.5, .5], [.5, .2], [.2, .5], [.8, .8], [.1, .9], [.9, .1]]) {
      const [x, y] = [box.left + across * box.width, box.top + down * box.height];
      const above = inside(x, y) && document.elementFromPoint(x, y);
      if (above && above.closest(".can") === thing) { found.push([x, y, thing.dataset.key]); break; }
    }
  }
  return found;
}"""
GLIDES = "[...document.querySelectorAll('.piece')].some(one => one.getAnimations().length)"
BUTTONS = """where => [...document.querySelectorAll(where)].map(button => {
  button.scrollIntoView({ block: "nearest" });
  const box = button.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2, button.textContent];
})"""
STATE = """() => { const { version, turn, change } = document.getElementById("table").dataset;
  return { version, turn, change, menu: !(document.getElementById("menu")?.hidden ?? true),
    sent: document.documentElement.classList.contains("sent"),
    said: document.querySelector("#deed .said")?.textContent || "" }; }"""


@dataclass
class Hand:
    """A person's mouse, or finger, on a page."""

    page: Page
    dice: Random
    touch: bool

    def state(self) -> dict[str, Any]:
        return dict(self.page.evaluate(STATE))

    def wait(self, until: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        end = monotonic() + WAIT
        while not until(state := self.state()):
            assert monotonic() < end, f"{what}: {state}"
            self.page.wait_for_timeout(40)
        return state

    def wait_for_answer(self, before: dict[str, Any], name: str) -> dict[str, Any]:
        return self.wait(lambda now: not now["sent"] and _acted(before, now), f"{name} did not act")

    def click(self, x: float, y: float) -> None:
        """Move there like a hand, rest sometimes until a card would be enlarged, and click."""
        if self.touch:
            self.page.touchscreen.tap(x, y)
            return
        self.page.mouse.move(x - 40, y - 25, steps=3)
        self.page.mouse.move(x, y, steps=4)
        if self.dice.random() < 0.25:
            self.page.wait_for_timeout(900)
        self.page.mouse.down()
        self.page.mouse.up()

    def choose(self) -> str:
        """Click on something that glows, and in the menu that it opens; on a button where nothing glows in sight."""
        glowing = self._glowing()
        x, y, name = self.dice.choice(glowing or self.page.evaluate(BUTTONS, "#deed button[name=move]"))
        before = self.state()
        self.click(x, y)
        after = self.wait(lambda now: now["menu"] or now["sent"] or _acted(before, now), f"a click on {name}")
        if after["menu"]:
            x, y, name = self.dice.choice(self.page.evaluate(BUTTONS, "#menu button"))
            self.click(x, y)
        return str(name)

    def _glowing(self) -> list[Any]:
        """What glows in sight, once all pieces lie where they go; on a phone also further down the page."""
        end = monotonic() + WAIT
        while self.page.evaluate(GLIDES) and monotonic() < end:
            self.page.wait_for_timeout(40)
        for top in (None, 0, 300, 600, 900):
            if top is not None:
                self.page.evaluate("top => scrollTo(0, top)", top)
            if found := self.page.evaluate(GLOWING):
                return list(found)
        return []


def _acted(before: dict[str, Any], now: dict[str, Any]) -> bool:
    return bool(now["version"] != before["version"] or now["change"] != before["change"])


def seats_of(running: Running, game: str) -> tuple[list[str], str]:
    """The addresses of all people of a new table, and that of those who watch."""
    with httpx.Client(base_url=running.url, timeout=120) as client:
        form = {"game": game, "seed": "7", "seat-00": "person", "seat-01": "person"}
        first = str(client.post(f"{running.lobby}new", data=form).headers["location"])
        text, seats = client.get(first).text, [first]
        for part in dict.fromkeys(text.split('class="join" href="')[1:]):
            joined = client.post(part.partition('"')[0], data={"name": f"Bo {len(seats)}"})
            seats.append(str(joined.headers["location"]))
        return seats, text.partition('Others watch at <a href="')[2].partition('"')[0]


def test_every_click_on_a_glowing_piece_acts(
    serving: Callable[..., Running], browser: Browser, tmp_path: Path, subtests: Any
) -> None:
    running = serving(*dict.fromkeys(game for game, _ in PLAYED), "--pace", "0")
    for game, width in PLAYED:
        with subtests.test(game=game, width=width):
            running = play(running, serving, browser, game, width)


def play(running: Running, serving: Callable[..., Running], browser: Browser, game: str, width: int) -> Running:
    """Play a game with as many windows as it has people, and one that watches; return the server that runs then."""
    seats, watch = seats_of(running, game)
    size = {"width": SIZES[width][0], "height": SIZES[width][1]}
    contexts = [browser.new_context(viewport=size, has_touch=width < 700) for _ in range(len(seats) + 1)]
    wrong, hands = list[str](), list[Hand]()
    for number, (context, address) in enumerate(zip(contexts, [*seats, watch], strict=True)):
        choose_everything(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(running.url + address, wait_until="domcontentloaded", timeout=120_000)
        hands.append(Hand(page, Random(number), width < 700))
    *players, spectator = hands
    try:
        for clicks in range(MOST):
            here = players[0].wait(lambda now: now["turn"] != "other" or len(players) > 1, "somebody's turn")
            if here["turn"] == "over":
                break
            actor = next_to_choose(players)
            if actor is None:
                break
            before = actor.state()
            if clicks == KILLED_AT:
                running.kill()
            name = actor.choose()
            if clicks == KILLED_AT:
                actor.wait(lambda now: now["sent"], f"{name} is not said to be under way")
                port = running.url.rpartition(":")[2]
                running = serving(*dict.fromkeys(game for game, _ in PLAYED), "--pace", "0", "--port", port)
            now = actor.wait_for_answer(before, name)
            assert "moved on" not in now["said"], name
        if ALL:
            spectator.wait(lambda now: now["turn"] == "over", "the end is not seen by who watches")
        assert not wrong
    finally:
        for context in contexts:
            context.close()
    return running


def next_to_choose(players: list[Hand]) -> Hand | None:
    """The person who chooses now; None when the game is over."""
    end = monotonic() + WAIT
    while monotonic() < end:
        states = [hand.state() for hand in players]
        if any(state["turn"] == "over" for state in states):
            return None
        for hand, state in zip(players, states, strict=True):
            if state["turn"] == "own" and not state["sent"]:
                return hand
        players[0].page.wait_for_timeout(40)
    raise AssertionError("nobody can choose")
