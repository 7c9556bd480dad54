"""Many tables at once on this machine: how long a click waits while bots think, and whether memory
grows.

Slow (about a minute and a half), so it runs only when named: `python -m tests.benchmarks tables`.
`--minutes N` says how long thirty play; before that, bots build the game, and one table plays alone.
Lines on stderr say what is under way. All traffic stays on loopback.

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

from playproof.table.web_exchange import split_html_into_diffable_parts
from tests.benchmarks.measure import Row
from tests.benchmarks.timed_table import JOBS
from tests.table.received import applied

SLOW = True
TABLES = 30
MINUTES = 0.75
WARM, ALONE = 60.0, 10.0  # seconds that bots may take to build the game; seconds with one table
THINKS = 1.0  # seconds on average that a person looks before they click
_ODD = 0.1  # share of clicks with another request before them
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Clicks:
    """Seconds of each click: until it was answered, and until its table was seen."""

    answered: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Server:
    """A server under way: its lobby's address, its process, and the file of its times."""

    url: str
    process: int
    times: Path

    def cpu(self) -> dict[str, list[float]]:
        """Return the CPU seconds so far of each job of the server, by its name."""
        spent: dict[str, list[float]] = {job: [] for job in JOBS}
        for line in self.times.read_text(encoding="ascii").splitlines():
            job, _, seconds = line.partition(" ")
            spent[job].append(float(seconds))
        return spent


def run(minutes: float = MINUTES) -> list[Row]:
    """Measure one table alone, then thirty, each with a person and a greedy bot."""
    with serving("olith") as server:
        return asyncio.run(_measured(server, minutes * 60))


@contextmanager
def serving(*games: str) -> Iterator[Server]:
    """Start a server in its own process. Its games are thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times"
        serve = ["serve", *games, "--port", "0", "--saves", f"{folder}/tables", "--pace", "0"]
        command = [sys.executable, "-m", "tests.benchmarks.timed_table", str(times), *serve]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            found = re.search(r"http://\S+/", server.stdout.readline())
            assert found, "the server did not start"
            yield Server(found[0], server.pid, times)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


async def _measured(server: Server, seconds: float) -> list[Row]:
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        _say(f"bots build the game for {TABLES} tables (at most {WARM:.0f} s)")
        await play(client, TABLES, WARM, most=1)  # bots are warm when each has answered
        _say(f"one table plays for {ALONE:.0f} s")
        alone = await play(client, 1, ALONE)
        _say(f"{TABLES} tables play for {seconds:.0f} s")
        cpu, before = _cpu(server.process), server.cpu()
        thirty, memory = await watched(play(client, TABLES, seconds), server.process)
        spent = _cpu(server.process) - cpu
        jobs = {job: times[len(before[job]) :] for job, times in server.cpu().items()}
    many = len(thirty.answered)
    load = os.getloadavg()[0]
    return [
        _waits(
            f"a click answered, {TABLES} tables, {many} clicks in {seconds:.0f} s (load {load:.1f})",
            thirty.answered,
            alone.answered,
            "95th < 100 ms",
        ),
        _waits("a click seen on the table, the same", thirty.seen, alone.seen, ""),
        Row("CPU of the server for a click to be answered, ms", _told(jobs["choice"]), "", "", "95th < 15 ms"),
        Row("CPU to make a page, ms", _told(jobs["page"]), "", "", ""),
        Row("CPU to find what is new on it, ms", _told(jobs["change"]), "", "", ""),
        Row("all CPU of the server, a click, ms", f"{spent / many * 1000:.1f}", "", "", ""),
        grown(memory, seconds),
    ]


def _say(what: str) -> None:
    print(f"tables: {what} ...", file=sys.stderr, flush=True)


def _told(times: list[float]) -> str:
    """Return percentiles in milliseconds."""
    return " / ".join(f"{percentile(times, share) * 1000:.1f}" for share in (0.5, 0.95, 0.99))


def _waits(what: str, ours: list[float], other: list[float], wanted: str) -> Row:
    """Return percentiles next to those of one table alone. The ratio is that of the 95th."""
    ratio = percentile(ours, 0.95) / percentile(other, 0.95)
    return Row(f"{what}: ms at 50 / 95 / 99 %; other: one table", _told(ours), _told(other), f"{ratio:.1f}", wanted)


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
    client: httpx.AsyncClient,
    tables: int,
    seconds: float,
    game: str = "olith",
    thinks: float = THINKS,
    most: int | None = None,
) -> Clicks:
    """Let so many people play for so many seconds, each at a table with a greedy bot; with `most`, until each has
    clicked so often and the bot has answered."""
    clicks, until = Clicks(), perf_counter() + seconds
    people = [Visit(client, Random(n), until, thinks, clicks, most) for n in range(tables)]
    await asyncio.gather(*(_person(person, game) for person in people))
    return clicks


@dataclass
class Visit:
    """A person at the tables: how long they stay, and what they note."""

    client: httpx.AsyncClient
    dice: Random
    until: float  # on the clock of `perf_counter`
    thinks: float  # seconds before a click, on average
    clicks: Clicks
    most: int | None  # clicks after whose answer they leave
    made: int = 0

    @property
    def over(self) -> bool:
        """Whether the person leaves."""
        return perf_counter() > self.until or (self.most is not None and self.made > self.most)


async def _person(person: Visit, game: str) -> None:
    """Play one game after the other, and now and then lose the connection."""
    for number in count():
        seat = await _begun(person.client, game, person.dice.randrange(10**6) + number)
        over = False
        while not over:
            if person.over:
                return
            over = await _connected(person, seat)


async def _begun(client: httpx.AsyncClient, game: str, seed: int) -> str:
    fields = {"game": game, "seat-00": "person", "seat-01": "greedy", "seed": str(seed)}
    reply = await client.post("new", data=fields)  # below the lobby
    return str(client.base_url.join(reply.headers["location"]))


async def _connected(person: Visit, seat: str) -> bool:
    """Receive the table as a browser does, wait for a while, and click any legal action. Returns
    True if the game is over."""
    dice, clicks = person.dice, person.clicks
    live = seat.replace("http", "ws", 1) + "/live"
    async with connect(live, max_size=None) as socket:
        clicked, page = 0.0, list[str]()
        with suppress(TimeoutError):
            while (left := person.until - perf_counter()) > 0 and not person.over:
                told = str(await asyncio.wait_for(socket.recv(), left))
                if not told:
                    continue  # a sign of life
                page = applied(page, told) if told.startswith("[") else split_html_into_diffable_parts(told)
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
                await asyncio.sleep(dice.uniform(0, 2 * person.thinks))
                if dice.random() < _ODD and await _odd(person.client, seat, dice):
                    return False
                began = perf_counter()
                reply = await person.client.post(
                    f"{seat}/move",
                    data={"version": version[1], "move": dice.choice(moves)},
                    headers={"accept": "text/plain"},
                )
                if reply.status_code == 200:
                    person.made += 1
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
