"""What the table looks like: small pictures of screens, compared with tolerance, since letters differ by machine."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import httpx2 as httpx
import numpy as np
import pytest
from PIL import Image

from tests.table.test_in_hand import until

GOLDEN = Path(__file__).parent / "golden"
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "wide": (1440, 900)}
# `make renew` after a change that is meant, and look at the pictures
GAMES = ("eila", "eurydice", "olith", "opale")
SMALL, COLOURS = 150, 256  # pixels wide; colours of a stored picture
CLOSE = 6.0  # mean difference of 255: letters that fall a little elsewhere; a missing board is above 20
FAR = 60.0  # a pixel that differs by more is another picture
MOST_FAR = 0.04  # share of such pixels

Browser, Running = Any, Any


def played(running: Running, game: str) -> str:
    """A seat some moves into a game, always the same."""
    from playproof.table.session_seats import PERSON

    with httpx.Client(base_url=running.url, timeout=60) as client:
        seats = {"seat-00": PERSON, "seat-01": PERSON, "screens": "one"}
        seat = str(client.post(f"{running.lobby}new", data={"game": game, "seed": "5", **seats}).headers["location"])
        dice = Random(1)
        for _ in range(30):
            text = ready(client, seat)
            moves = [part.partition('"')[0] for part in text.split('name="move" value="')[1:]]
            version = text.partition('data-version="')[2].partition('"')[0]
            if not moves:
                break
            client.post(f"{seat}/move", data={"version": version, "move": dice.choice(moves)})
        ready(client, seat)
    return seat


def ready(client: httpx.Client, seat: str) -> str:
    """The page, after whoever's turn it is has said that they look."""
    text = client.get(seat).text
    if "hand-over" in text:
        number = text.partition('name="seat" value="')[2].partition('"')[0]
        client.post(f"{seat}/ready", data={"seat": number})
        text = client.get(seat).text
    return text


def small(png: bytes) -> Image.Image:
    with Image.open(BytesIO(png)) as picture:
        size = SMALL, round(SMALL * picture.height / picture.width)
        return picture.convert("RGB").resize(size, Image.Resampling.BOX)


def apart(one: Image.Image, other: Image.Image) -> tuple[float, float]:
    """The mean difference of two pictures, and the share of pixels that are far apart."""
    if one.size != other.size:
        return 255.0, 1.0
    difference = np.abs(np.asarray(one, dtype=float) - np.asarray(other, dtype=float)).max(axis=2)
    return float(difference.mean()), float((difference > FAR).mean())


def test_screens_look_as_they_did(
    serving: Callable[..., Running], browser: Browser, request: pytest.FixtureRequest
) -> None:
    running = serving(*GAMES, "--pace", "0")
    seats = {game: played(running, game) for game in GAMES}
    shots: dict[str, Image.Image] = {}
    for size, (width, height) in SIZES.items():
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page = context.new_page()
        for game, seat in seats.items():
            page.goto(running.url + seat, wait_until="load", timeout=240_000)  # pictures may be drawn first
            until(page, "!document.querySelector('.blank')")
            shots[f"{game}-{size}"] = small(page.screenshot())
        context.close()
    if request.config.getoption("--renew"):
        GOLDEN.mkdir(exist_ok=True)
        for name, shot in shots.items():
            few = shot.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
            few.save(GOLDEN / f"{name}.png", optimize=True)
    for name, shot in shots.items():
        with Image.open(GOLDEN / f"{name}.png") as golden:
            mean, far = apart(shot, golden.convert("RGB"))
        assert mean < CLOSE, f"{name}: {mean:.1f} on average"
        assert far < MOST_FAR, f"{name}: {far:.1%} of the picture"
    # The comparison can fail: two games are not alike, nor is a screen of which a board is missing.
    wide = shots["olith-wide"]
    assert apart(wide, shots["opale-wide"])[0] > 4 * CLOSE
    bare = wide.copy()
    bare.paste((47, 74, 63), (0, bare.height // 10, bare.width // 2, bare.height // 2))
    assert apart(wide, bare)[1] > MOST_FAR
