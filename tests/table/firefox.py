"""Play one game of Nim and one of Opale to the end in Firefox, once a release: `python -m tests.table.firefox`.

Needs Debian's `firefox-esr`, or another Firefox whose path is named. It speaks WebDriver BiDi, which Firefox answers by
itself. Each game clicks the last thing that can be done, and every error that the browser logs counts as one here.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.table.conftest import Running

_MOST = 400  # clicks of a game
_PATIENCE = 60.0  # seconds for a page to come
_STATE = """(() => {
  const table = document.getElementById("table"), moves = document.querySelectorAll("#deed button[name=move]");
  return JSON.stringify({turn: table?.dataset.turn, version: table?.dataset.version, moves: moves.length,
    end: document.querySelector(".moment")?.textContent, pieces: document.querySelectorAll(".piece").length,
    pictures: [...document.querySelectorAll("#felt image, #felt img")].length});
})()"""
_CLICK = '(() => { [...document.querySelectorAll("#deed button[name=move]")].at(-1).click(); })()'
_BEGIN = """(() => {
  const form = document.querySelector('form:has(input[value="GAME"])');
  form.querySelector("input[name=seed]").value = "20";
  const other = form.querySelector("select[name=seat-01]");
  if (other) other.value = "random";
  form.querySelector("button.big").click();
})()"""


class Firefox:
    """A Firefox without a window, and one tab of it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers, self.wrong = socket, count(1), list[str]()
        self.version = self._ask("session.new", capabilities={})["capabilities"]["browserVersion"]
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def _ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(_PATIENCE))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.wrong.append(str(message["params"]["text"]))
            if message.get("id") == number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]

    def open(self, url: str) -> None:
        """Load a page."""
        self._ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def run(self, script: str) -> Any:
        """Return the text or number that a script gives."""
        reply = self._ask("script.evaluate", expression=script, target={"context": self._tab}, awaitPromise=True)
        if reply["type"] != "success":
            raise RuntimeError(reply["exceptionDetails"]["text"])
        return reply["result"].get("value")


@contextmanager
def started(program: str) -> Iterator[Firefox]:
    """A Firefox with a profile of its own, ended afterwards."""
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            assert process.stderr is not None
            address = None
            while address is None:
                line = process.stderr.readline()
                if not line:
                    raise RuntimeError(f"{program} ended before it listened")
                address = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            with connect(f"{address[1]}/session", max_size=None) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
            process.wait(30)


def play(firefox: Firefox, lobby: str, game: str) -> str:
    """Play a game to its end, and return what happened in a line. Raises RuntimeError if it does not end."""
    firefox.open(lobby)
    firefox.run("localStorage.setItem('playproof forced', 'no')")  # each choice is clicked here
    firefox.run(_BEGIN.replace("GAME", game))
    clicks, version, pieces = 0, "", 0
    until = monotonic() + _PATIENCE
    while clicks < _MOST and monotonic() < until:
        state = json.loads(firefox.run(_STATE))
        if state.get("turn") == "over":
            return f"{game}: {clicks} clicks, up to {pieces} pieces on the felt. {state['end']}"
        if state.get("turn") == "own" and state["moves"] and state["version"] != version:
            clicks, version, pieces = clicks + 1, state["version"], max(pieces, state["pieces"])
            firefox.run(_CLICK)
            until = monotonic() + _PATIENCE
        else:
            sleep(0.05)
    raise RuntimeError(f"{game} did not end: {clicks} clicks")


def main() -> int:
    """Play both games, and return 1 if the browser logged an error."""
    program = sys.argv[1] if len(sys.argv) > 1 else shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        print("no Firefox: apt-get install firefox-esr")
        return 2
    with tempfile.TemporaryDirectory() as folder, started(program) as firefox:
        running = Running(Path(folder), "nim", "opale", "--pace", "0")
        try:
            print(f"Firefox {firefox.version}")
            for game in ("nim", "opale"):
                print(play(firefox, running.lobby, game), flush=True)
        finally:
            running.stop()
        print(f"errors logged: {len(firefox.wrong)}", *firefox.wrong[:5], sep="\n  ")
        return 1 if firefox.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
