"""A table behind nginx or Caddy, with the files of docs/howto/server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

FILES = Path(__file__).parents[2] / "docs" / "howto" / "server"


def nginx(folder: Path, outer: int, inner: int) -> list[str]:
    """Write nginx's configuration into the folder, and return the command that runs it."""
    site = (FILES / "nginx.conf").read_text(encoding="utf-8")
    site = site.replace("listen 80", f"listen 127.0.0.1:{outer}").replace("8765", str(inner))
    paths = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy"))
    text = f"pid {folder}/pid;\nerror_log {folder}/errors;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{site}}}\n"
    (folder / "all.conf").write_text(text.replace("games.example", "localhost"), encoding="utf-8")
    return ["nginx", "-c", str(folder / "all.conf"), "-e", str(folder / "errors"), "-g", "daemon off;"]


def caddy(folder: Path, outer: int, inner: int) -> list[str]:
    """Write Caddy's configuration into the folder, and return the command that runs it."""
    site = (FILES / "Caddyfile").read_text(encoding="utf-8")
    site = site.replace("games.example", f"http://localhost:{outer}").replace("8765", str(inner))
    (folder / "Caddyfile").write_text("{\n\tadmin off\n}\n" + site, encoding="utf-8")
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


PROXIES = {"nginx": nginx, "caddy": caddy}


@contextmanager
def behind(name: str, folder: Path, *games: str) -> Iterator[str]:
    """Serve games behind a proxy, and yield the lobby's address."""
    outer, inner = _free_port(), _free_port()
    own = {**os.environ, "HOME": str(folder), "PLAYPROOF_MACHINE": "0"}
    public = f"http://localhost:{outer}"
    serve = ["serve", "--public-url", public, "--behind-proxy", "--port", str(inner), "--saves", f"{folder}/t", *games]
    with (
        _running([sys.executable, "-m", "playproof", *serve], own, out=subprocess.PIPE) as table,
        _running(PROXIES[name](folder, outer, inner), own) as proxy,
    ):
        try:
            assert table.stdout is not None
            lobby = next(m[0] for line in table.stdout if (m := re.search(r"http://\S+/host/\S+", line)))
            _wait_for(f"{public}/health")
            yield lobby
        finally:
            proxy.terminate()
            table.terminate()


def _running(command: list[str], env: Mapping[str, str], out: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    return subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.DEVNULL, text=True)


def _wait_for(address: str) -> None:
    for _ in range(400):
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, ConnectionError):
            time.sleep(0.05)
    raise TimeoutError(address)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
