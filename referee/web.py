"""A small web page on this machine: play a game in the browser and look at what was built. No scripts, only forms.

It answers on 127.0.0.1 only, and only to requests that name this machine as their host.
"""

from __future__ import annotations

import io
import mimetypes
import secrets
from collections.abc import Mapping
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from rich.console import Console

from playproof.database.errors import InputError
from playproof.referee.bots import BotError
from playproof.referee.terminal import Session
from playproof.referee.variant import Variant
from playproof.rules.language import RulesError
from playproof.rules.options import OptionError
from playproof.rules.registry import UnknownGame

HOST = "127.0.0.1"
_MOST_SITTINGS = 50
_MOST_BYTES = 10_000
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:1.5rem auto;padding:0 1rem;color:#222;background:#fbfaf6}
h1{font-size:1.4rem} pre{font:14px/1.35 ui-monospace,monospace;background:#fff;border:1px solid #ccc;
padding:.8rem;overflow-x:auto} form{display:inline} ul{padding-left:1.2rem}
button{font:inherit;margin:.15rem .2rem .15rem 0;padding:.3rem .7rem;border:1px solid #447;border-radius:.3rem;
background:#fff;cursor:pointer} button:hover,button:focus{background:#eef} .said{color:#8a1f1f}
"""


class Sitting:
    """One game in a browser: a terminal session whose lines come from buttons."""

    def __init__(self, variant: Variant, bots: str, seed: int) -> None:
        self.out = io.StringIO()
        seats = ["person", *[bots] * (variant.game.players - 1)]
        self.session = Session(variant, seats, seed, Console(file=self.out, width=96, color_system=None),
                               lambda prompt: None)
        for command in ("save", "load", "quit"):  # files are not the browser's business
            del self.session.commands[command]
        self.session.forward()
        self.said = self._taken()

    def answer(self, line: str) -> None:
        """Carry out one line as if it had been typed."""
        self.session.answer(line)
        self.said = self._taken()

    def _taken(self) -> str:
        text = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        return text


class Site:
    """What the page knows: the games it offers, the folder of built files, the sittings under way."""

    def __init__(self, games: Mapping[str, Variant], built: Path, bots: str = "greedy") -> None:
        self.games, self.built, self.bots = dict(games), built.resolve(), bots
        self.sittings: dict[str, Sitting] = {}
        self.lock = Lock()

    def index(self) -> str:
        """The front page."""
        games = "".join(f'<li>{escape(name)} <form method="post" action="/new"><input type="hidden" name="game" '
                        f'value="{escape(name)}"><button>play</button></form></li>' for name in self.games)
        files = "".join(f'<li><a href="/built/{quote(str(path))}">{escape(str(path))}</a></li>'
                        for path in self._files())
        files = files or "<li>nothing yet</li>"
        return _page("playproof", f"<h1>Play</h1><ul>{games}</ul><h1>Built</h1><ul>{files}</ul>")

    def _files(self) -> list[Path]:
        if not self.built.is_dir():
            return []
        shown = (p.relative_to(self.built) for p in self.built.rglob("*") if p.is_file())
        return sorted(p for p in shown if not any(part.startswith(".") for part in p.parts))[:500]

    def begin(self, name: str) -> str | None:
        """Start a game; the address of its page, None for an unknown name."""
        if name not in self.games:
            return None
        with self.lock:
            while len(self.sittings) >= _MOST_SITTINGS:
                self.sittings.pop(next(iter(self.sittings)))
            key = secrets.token_urlsafe(9)
            self.sittings[key] = Sitting(self.games[name], self.bots, secrets.randbelow(1 << 31))
        return f"/game/{key}"

    def sitting(self, key: str) -> str | None:
        """The page of a game under way."""
        with self.lock:
            sitting = self.sittings.get(key)
            if sitting is None:
                return None
            match = sitting.session.match
            buttons = "".join(_button(key, str(n), move.text) for n, move in enumerate(match.legal(), 1))
            extra = "".join(_button(key, word, word) for word in ("hint", "undo", "log"))
            extra += (f'<form method="post" action="/game/{key}"><input name="line" aria-label="in words" '
                      f'placeholder="why ..."><button>say</button></form>')
            title = match.variant.title
            return _page(title, f"<pre>{escape(sitting.said)}</pre><p>{buttons}</p><p>{extra}</p>"
                                '<p><a href="/">all games</a></p>')

    def answer(self, key: str, line: str) -> bool:
        """Carry out a button of a game; False if there is no such game."""
        with self.lock:
            if key not in self.sittings:
                return False
            self.sittings[key].answer(line.strip())
            return True

    def file(self, name: str) -> Path | None:
        """A built file, None for anything outside the folder."""
        path = (self.built / name).resolve()
        return path if path.is_file() and path.is_relative_to(self.built) else None


def _button(key: str, line: str, text: str) -> str:
    return (f'<form method="post" action="/game/{key}"><input type="hidden" name="line" value="{escape(line)}">'
            f"<button>{escape(text)}</button></form>")


def _page(title: str, body: str) -> str:
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style><body>{body}</body></html>')


class _Handler(BaseHTTPRequestHandler):
    """Routes: / the index, /built/FILE, /new, /game/KEY."""

    server: ThreadingHTTPServer

    def __init__(self, site: Site, *request: Any) -> None:
        self.site = site
        super().__init__(*request)  # answers the request

    def do_GET(self) -> None:
        if not self._ours():
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/":
            self._html(self.site.index())
        elif path.startswith("/game/"):
            self._html(self.site.sitting(path.removeprefix("/game/")))
        elif path.startswith("/built/"):
            self._file(self.site.file(path.removeprefix("/built/")))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        if not self._ours():
            return
        fields, path = self._fields(), urlsplit(self.path).path
        if path == "/new":
            self._go(self.site.begin(fields.get("game", "")))
        else:
            known = self.site.answer(path.removeprefix("/game/"), fields.get("line", ""))
            self._go(path if known else None)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    # -- reading --------------------------------------------------------------------------------------------

    def _ours(self) -> bool:
        """Refuse requests that another site makes a browser send here."""
        here = {f"{HOST}:{self.server.server_port}", f"localhost:{self.server.server_port}"}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") in here and (origin is None or urlsplit(origin).netloc in here):
            return True
        self.send_error(403)
        return False

    def _fields(self) -> dict[str, str]:
        """The first value of each field of the form; none where the form does not say its length as a number."""
        said = self.headers.get("Content-Length", "")
        length = min(int(said), _MOST_BYTES) if said.isascii() and said.isdecimal() else 0
        found = parse_qs(self.rfile.read(length).decode("utf-8", "replace"))
        return {name: values[0] for name, values in found.items()}

    # -- answering: None is a page, file or game that is not there ------------------------------------------

    def _html(self, text: str | None) -> None:
        if text is None:
            self.send_error(404)
        else:
            self._send("text/html; charset=utf-8", text.encode())

    def _file(self, path: Path | None) -> None:
        if path is None:
            self.send_error(404)
        else:
            self._send(mimetypes.guess_type(path.name)[0] or "application/octet-stream", path.read_bytes())

    def _go(self, address: str | None) -> None:
        if address is None:
            self.send_error(404)
            return
        self.send_response(303)
        self.send_header("Location", address)
        self.end_headers()

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def server(site: Site, port: int) -> ThreadingHTTPServer:
    """A server for the site, not yet running. Port 0 takes any free one."""
    return ThreadingHTTPServer((HOST, port), partial(_Handler, site))


def playable(refs: list[str]) -> dict[str, Variant]:
    """The games among `refs` that can be built with their defaults, by title."""
    found: dict[str, Variant] = {}
    for ref in refs:
        variant = Variant(ref)
        try:
            found[variant.title] = variant
        except (BotError, InputError, OptionError, RulesError, UnknownGame):
            continue
    return found
