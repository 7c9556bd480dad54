"""Many tables at once on this machine: how long a click waits while bots think, and whether memory
grows.

Slow (two minutes, or `--minutes N`), so it runs only when named: `python -m tests.benchmarks tables`. All
traffic stays on loopback.

Thirty people sit at thirty tables of the largest game, each with a greedy bot that acts at once.
Each person waits for a second on average before a click (uniform, 0 to 2 s). Real people take
several seconds, so this is some five times the load of thirty real tables. A click is measured
twice: until the server has answered it, and until the changed table has come through the WebSocket.
At random, people also ask why, look at the past, lose their connection, send wrong input, and begin
a new game after the end of one.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import httpx2 as httpx
from websockets.asyncio.client import connect

from playproof.table.page_updates import parts
from tests.benchmarks.measure import Row
from tests.table.received import applied

SLOW = True
TABLES = 30
MINUTES = 0.75
WARM, ALONE = 40.0, 20.0  # seconds until bots have built the game; seconds with one table
THINKS = 1.0  # seconds on average that a person looks before they click
_ODD = 0.1  # share of clicks with another request before them
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Clicks:
    """Seconds of each click: until it was answered, and until its table was seen."""

    answered: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)


def run(minutes: float = MINUTES) -> list[Row]:
    """Measure one table alone, then thirty, each with a person and a greedy bot."""
    with serving("olith") as (url, server):
        return asyncio.run(_measured(url, server, minutes * 60))


@contextmanager
def serving(*games: str) -> Iterator[tuple[str, int]]:
    """Start a server in its own process; yield its lobby's address and its process id. Its games
    are thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "playproof",
            "serve",
            *games,
            "--port",
            "0",
            "--saves",
            folder,
            "--pace",
            "0",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            found = re.search(r"http://\S+/", server.stdout.readline())
            assert found, "the server did not start"
            yield found[0], server.pid
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


async def _measured(url: str, server: int, seconds: float) -> list[Row]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        await play(
            client, TABLES, WARM
        )  # bots are warm when each has answered: their processes have built the game
        alone = await play(client, 1, ALONE)
        cpu = _cpu(server)
        thirty, memory = await watched(play(client, TABLES, seconds), server)
        spent = _cpu(server) - cpu
    many = len(thirty.answered)
    load = os.getloadavg()[0]
    rows = [
        _waits(
            f"a click answered, {TABLES} tables, {many} clicks in {seconds:.0f} s (load {load:.1f})",
            thirty.answered,
            alone.answered,
            "95th < 100 ms",
        ),
        _waits("a click seen on the table, the same", thirty.seen, alone.seen, ""),
    ]
    return [
        *rows,
        Row(
            "CPU of the server a click, ms: move, page, pushes, chance and journal",
            f"{spent / many * 1000:.1f}",
            "",
            "",
            "",
        ),
        grown(memory, seconds),
    ]


def _waits(what: str, ours: list[float], other: list[float], wanted: str) -> Row:
    """Return percentiles next to those of one table alone. The ratio is that of the 95th."""

    def told(waits: list[float]) -> str:
        return " / ".join(f"{percentile(waits, share) * 1000:.0f}" for share in (0.5, 0.95, 0.99))

    ratio = percentile(ours, 0.95) / percentile(other, 0.95)
    return Row(
        f"{what}: ms at 50 / 95 / 99 %; other: one table", told(ours), told(other), f"{ratio:.1f}", wanted
    )


def percentile(values: list[float], share: float) -> float:
    """Return the value below which this share of them lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def grown(memory: list[float], seconds: float) -> Row:
    """Compare the median memory of the last third with that of the second, when everything is
    warm."""
    third = len(memory) // 3
    before, after = median(memory[third : 2 * third]), median(memory[2 * third :])
    return Row(
        f"memory of the server, MB, in the second and the last third of {seconds:.0f} s",
        f"{after:.0f}",
        f"{before:.0f}",
        f"{after / before:.3f}",
        "no growth",
    )


async def watched(work: Coroutine[None, None, Clicks], server: int) -> tuple[Clicks, list[float]]:
    """Return the result of `work`, and the server's memory in each second of it."""
    task, memory = asyncio.create_task(work), list[float]()
    while not task.done():
        memory.append(_memory(server))
        await asyncio.wait({task}, timeout=1)
    return await task, memory


# -- people ---------------------------------------------------------------------------------------------------------


async def play(
    client: httpx.AsyncClient, tables: int, seconds: float, game: str = "olith", thinks: float = THINKS
) -> Clicks:
    """Let so many people play for so many seconds, each at a table with a greedy bot."""
    clicks, until = Clicks(), perf_counter() + seconds
    await asyncio.gather(*(_person(client, game, Random(n), until, thinks, clicks) for n in range(tables)))
    return clicks


async def _person(
    client: httpx.AsyncClient, game: str, dice: Random, until: float, thinks: float, clicks: Clicks
) -> None:
    """Play one game after the other, and now and then lose the connection."""
    for number in count():
        seat = await _begun(client, game, dice.randrange(10**6) + number)
        over = False
        while not over:
            if perf_counter() > until:
                return
            over = await _connected(client, seat, dice, until, thinks, clicks)


async def _begun(client: httpx.AsyncClient, game: str, seed: int) -> str:
    fields = {"game": game, "seat-00": "person", "seat-01": "greedy", "seed": str(seed)}
    reply = await client.post("new", data=fields)  # below the lobby
    return str(client.base_url.join(reply.headers["location"]))


async def _connected(
    client: httpx.AsyncClient, seat: str, dice: Random, until: float, thinks: float, clicks: Clicks
) -> bool:
    """Receive the table as a browser does, wait for a while, and click any legal action. Returns
    True if the game is over."""
    live = seat.replace("http", "ws", 1) + "/live"
    async with connect(live, max_size=None) as socket:
        clicked, page = 0.0, list[str]()
        with suppress(TimeoutError):
            while (left := until - perf_counter()) > 0:
                told = str(await asyncio.wait_for(socket.recv(), left))
                if not told:
                    continue  # a sign of life
                page = applied(page, told) if told.startswith("[") else parts(told)
                text = "".join(page)
                if clicked:
                    clicks.seen.append(perf_counter() - clicked)
                    clicked = 0.0
                if "The game is over" in text:
                    return True
                moves = re.findall(r'name="move" value="(\d+)"', text)
                version = re.search(r'data-version="(\d+)"', text)
                if not moves or not version:
                    continue
                await asyncio.sleep(dice.uniform(0, 2 * thinks))
                if dice.random() < _ODD and await _odd(client, seat, dice):
                    return False
                began = perf_counter()
                reply = await client.post(
                    f"{seat}/move",
                    data={"version": version[1], "move": dice.choice(moves)},
                    headers={"accept": "text/plain"},
                )
                if reply.status_code == 200:
                    clicked = began
                    clicks.answered.append(perf_counter() - began)
    return False


async def _odd(client: httpx.AsyncClient, seat: str, dice: Random) -> bool:
    """Do something unusual that people and strangers do. Returns True if the connection is lost
    by it."""
    match dice.randrange(5):
        case 0:
            await client.post(f"{seat}/why", data={"words": "level"}, headers={"accept": "text/plain"})
        case 1:
            await client.get(seat, params={"part": "1", "at": str(dice.randrange(40))})
        case 2:
            await client.post(f"{seat}/move", data={"version": "1", "move": "x" * dice.randrange(9_000)})
        case 3:
            await client.get(f"{seat[:-1]}_")
        case _:
            return True
    return False


# -- a process ------------------------------------------------------------------------------------------------------


def _memory(process: int) -> float:
    """Return a process's resident memory in megabytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _cpu(process: int) -> float:
    """Return a process's CPU seconds so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
