"""Many tables at once on this machine: how long a click waits while bots think, and whether memory grows.

Slow (it plays for a minute, or for PLAYPROOF_TABLES_SECONDS), so only run when named: `python -m benchmarks tables`.
Everything stays on loopback.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random
from time import perf_counter

import httpx2 as httpx
from websockets.asyncio.client import connect

from benchmarks.measure import Row

SLOW = True
TABLES = 30
WARM, SECONDS = 40, int(os.environ.get("PLAYPROOF_TABLES_SECONDS", "45"))  # 600: ten minutes, for the memory
THINKS = 1.0  # seconds on average that a person looks before they click
_TICKS = os.sysconf("SC_CLK_TCK")


def run() -> list[Row]:
    """Thirty tables of the largest game, each a person and a greedy bot."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "playproof", "serve", "olith", "--port", "0", "--saves", folder, "--pace", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            found = re.search(r"http://[^/\s]+", server.stdout.readline())
            assert found, "the server did not start"
            return asyncio.run(_measured(found[0], server.pid))
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


async def _measured(url: str, server: int) -> list[Row]:
    waits: list[float] = []
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        seats = [await _begun(client, seed) for seed in range(TABLES)]
        # Bots are warm when each has answered once: their processes have built the game.
        people = [_person(client, seat, Random(-n), perf_counter() + WARM, []) for n, seat in enumerate(seats)]
        await asyncio.gather(*people)
        until = perf_counter() + SECONDS
        early = asyncio.create_task(_memory_at(server, SECONDS / 3))
        cpu = _cpu(server)
        await asyncio.gather(*(_person(client, seat, Random(n), until, waits) for n, seat in enumerate(seats)))
        spent, before, after = _cpu(server) - cpu, await early, _memory(server)
    waits.sort()
    ninety_five = waits[int(len(waits) * 0.95)] * 1000
    load = os.getloadavg()[0]
    return [
        Row(f"a click answered, 95th percentile of {len(waits)}, {TABLES} tables, ms (load {load:.1f})",
            f"{ninety_five:.0f}", f"median {waits[len(waits) // 2] * 1000:.0f}", "", "< 100"),
        Row("CPU of the server a click, page and pictures and pushes included, ms",
            f"{spent / len(waits) * 1000:.1f}", "", "", ""),
        Row(f"memory of the server, MB, after a third and after {SECONDS} s", f"{after:.0f}", f"{before:.0f}",
            f"{after / before:.2f}", "no growth"),
    ]


async def _begun(client: httpx.AsyncClient, seed: int) -> str:
    fields = {"game": "olith", "seat-00": "person", "seat-01": "greedy", "seed": str(seed)}
    return str((await client.post("/new", data=fields)).headers["location"])


async def _person(client: httpx.AsyncClient, seat: str, dice: Random, until: float, waits: list[float]) -> None:
    """Is sent the table as a browser is, looks for a while, and clicks anything that can be done."""
    live = str(client.base_url).replace("http", "ws", 1) + f"{seat}/live"
    async with connect(live, max_size=None) as socket:
        with suppress(TimeoutError):
            while (left := until - perf_counter()) > 0:
                text = str(await asyncio.wait_for(socket.recv(), left))
                moves = re.findall(r'name="move" value="(\d+)"', text)
                version = re.search(r'data-version="(\d+)"', text)
                if not moves or not version:
                    continue
                await asyncio.sleep(dice.uniform(0, 2 * THINKS))
                began = perf_counter()
                reply = await client.post(f"{seat}/move", data={"version": version[1], "move": dice.choice(moves)},
                                          headers={"accept": "text/plain"})
                if reply.status_code == 200:
                    waits.append(perf_counter() - began)


async def _memory_at(server: int, seconds: float) -> float:
    await asyncio.sleep(seconds)
    return _memory(server)


def _memory(process: int) -> float:
    """Resident megabytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _cpu(process: int) -> float:
    """Processor seconds so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
