"""A server as people run it, in a process of its own, and a browser to look at it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def choose_everything(context: Any) -> None:
    """Let pages of a browser context wait also where there is one choice only: the test takes each."""
    context.add_init_script("localStorage.setItem('playproof forced', 'no')")


class Running:
    """`playproof serve` (or `workshop`) with its address."""

    def __init__(self, folder: Path, *arguments: str, verb: str = "serve") -> None:
        command = [sys.executable, "-m", "playproof", verb, "--port", "0", "--saves", str(folder), *arguments]
        environment = {**os.environ, "PLAYPROOF_MACHINE": "0"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        self.told = ""
        while "http://" not in self.told:
            line = self.process.stdout.readline()
            assert line, f"the server ended: {self.told}"
            self.told += line
        self.lobby = re.search(r"http://\S+/", self.told)[0]  # type: ignore[index]  # just found
        self.url = self.lobby.partition("/host/")[0]

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.wait(30)
        self._close()

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> None:
        """As Ctrl-C would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(30)
        self._close()


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start servers on the same folder of games; all are stopped at the end."""
    started: list[Running] = []

    def start(*arguments: str, verb: str = "serve") -> Running:
        started.append(Running(tmp_path / "tables", *arguments, verb=verb))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture(scope="session")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for tests that only sit down at tables of their own."""
    running = Running(tmp_path_factory.mktemp("standing"), "eila", "opale", "tic_tac_toe", "--pace", "0")
    yield running
    running.stop()


def _open_patient_context(new_context: Callable[..., Any], **settings: Any) -> Any:
    """Other work may take the machine: a page that is late is no failure."""
    context = new_context(**settings)
    context.set_default_timeout(120_000)
    return context


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; the test is skipped where neither is there."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip("no Chromium")
    with playwright.sync_playwright() as driver:
        opened: Any = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        opened.new_context = partial(_open_patient_context, opened.new_context)
        yield opened
        opened.close()
