"""The web page: a game by its buttons, built files and nothing else."""

import re
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from playproof.referee import Variant
from playproof.referee.web import HOST, Site, playable, server


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "card one.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("no", encoding="utf-8")
    running = server(Site({"Tic tac toe": Variant("tic_tac_toe")}, tmp_path / "built", "random"), 0)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running.server_port
    running.shutdown()
    running.server_close()
    thread.join()


def ask(port: int, method: str, path: str, host: str | None = None, origin: str | None = None,
        **fields: str) -> tuple[int, str, str]:
    """Status, body and Location."""
    line = HTTPConnection(HOST, port, timeout=10)
    headers = {"Host": host or f"{HOST}:{port}", **({"Origin": origin} if origin else {})}
    line.request(method, path, urlencode(fields) if fields else None, headers)
    reply = line.getresponse()
    body = reply.read().decode("utf-8", "replace")
    line.close()
    return reply.status, body, reply.headers.get("Location", "")


def test_a_game_is_played_by_its_buttons(port: int) -> None:
    assert "Tic tac toe" in ask(port, "GET", "/")[1]
    status, _, place = ask(port, "POST", "/new", game="Tic tac toe")
    assert status == 303
    page = ask(port, "GET", place)[1]
    assert len(re.findall(r"<button>mark \d</button>", page)) == 9
    assert ask(port, "POST", place, line="5")[0] == 303
    page = ask(port, "GET", place)[1]
    assert "player 2: mark" in page
    assert len(re.findall(r"<button>mark \d</button>", page)) == 7
    ask(port, "POST", place, line="why mark 4")
    assert "T1: the cell is taken" in ask(port, "GET", place)[1]


def test_built_files_are_shown_and_no_others(port: int) -> None:
    assert "card one.svg" in ask(port, "GET", "/")[1]
    assert ask(port, "GET", "/built/card%20one.svg")[:2] == (200, "<svg/>")
    for path in ("/built/../secret.txt", "/built/%2e%2e/secret.txt", "/built/none", "/etc/passwd", "/game/none"):
        assert ask(port, "GET", path)[0] == 404


def test_files_are_not_the_browsers_business(port: int, tmp_path: Path) -> None:
    place = ask(port, "POST", "/new", game="Tic tac toe")[2]
    target = tmp_path / "stolen.txt"
    ask(port, "POST", place, line=f"save {target}")
    ask(port, "POST", place, line=f"  save {target}")
    ask(port, "POST", place, line=f"SAVE {target}")
    assert not target.exists()


def test_other_sites_are_refused(port: int) -> None:
    assert ask(port, "GET", "/", host="evil.example")[0] == 403
    assert ask(port, "POST", "/new", origin="http://evil.example", game="Tic tac toe")[0] == 403
    assert ask(port, "POST", "/new", game="No such game")[0] == 404
    assert ask(port, "POST", "/game/none", line="1")[0] == 404


@pytest.mark.parametrize("length", ["abc", "-1", "²", "1e9"])
def test_a_form_that_lies_about_its_length_is_a_form_without_fields(port: int, length: str) -> None:
    line = HTTPConnection(HOST, port, timeout=10)
    line.putrequest("POST", "/new")
    line.putheader("Content-Length", length.encode())
    line.endheaders()
    assert line.getresponse().status == 404
    line.close()


def test_playable_leaves_out_what_cannot_be_built() -> None:
    assert list(playable(["tic_tac_toe", "no_such_game"])) == ["Tic tac toe"]
