"""The files of docs/howto/server: their commands exist, and people play through both proxies."""

from __future__ import annotations

import shlex
import subprocess
import sys
from configparser import ConfigParser
from json import loads
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.verbs.play import serve_tables_in_browser
from tests.table.proxies import FILES, PROXIES, behind

Browser = Any


def of_the_unit() -> list[str]:
    unit = ConfigParser(interpolation=None)
    unit.read_string((FILES / "playproof.service").read_text(encoding="utf-8"))
    return shlex.split(unit["Service"]["ExecStart"])


def of_the_container() -> list[str]:
    lines = (FILES / "Containerfile").read_text(encoding="utf-8").splitlines()
    (command,) = [loads(line.removeprefix("CMD ")) for line in lines if line.startswith("CMD ")]
    return list(command)


@pytest.mark.parametrize("command", [of_the_unit(), of_the_container()], ids=["systemd", "container"])
def test_the_command_is_one_that_the_program_takes(command: list[str]) -> None:
    program, verb, *rest = command
    assert program.rsplit("/")[-1] == "playproof"
    assert verb == "serve"
    given = serve.make_context("serve", rest).params
    assert given["public_url"] == "https://games.example"
    assert given["behind_proxy"]
    assert str(given["saves"]).startswith("/")


def test_both_proxies_pass_on_to_the_port_of_the_table() -> None:
    (port,) = [option.default for option in serve_tables_in_browser.params if option.name == "port"]
    for name in ("Caddyfile", "nginx.conf"):
        assert f"127.0.0.1:{port}" in (FILES / name).read_text(encoding="utf-8")
    site = (FILES / "nginx.conf").read_text(encoding="utf-8")
    assert "proxy_set_header Host $http_host;" in site  # `$host` has no port, and the table refuses the name


@pytest.mark.parametrize("proxy", [pytest.param(name, marks=pytest.mark.needs(name)) for name in PROXIES])
def test_two_people_play_through_a_proxy(proxy: str, browser: Browser, tmp_path: Path) -> None:
    with behind(proxy, tmp_path, "tic_tac_toe") as lobby:
        public = lobby.partition("/host/")[0]
        host, guest = (browser.new_context().new_page() for _ in range(2))
        for stranger in (public, f"{public}/host/guessed/"):
            guest.goto(stranger)
            assert not guest.locator("form").count()
        host.goto(lobby)
        host.locator("select[name=seat-01]").select_option("person")
        host.locator("button.big").click()
        host.locator("details summary", has_text="your name").wait_for()
        guest.goto(public + host.locator("a.join").get_attribute("href").removeprefix(public))
        guest.locator("button.big").click()
        guest.wait_for_selector("html.js #table")
        for actor, other, cell in ((host, guest, 4), (guest, host, 0)):
            actor.locator("#table[data-turn=own] #deed button[name=move]").nth(cell).click()
            other.wait_for_selector("#table[data-turn=own]")  # told by the socket alone
        assert guest.locator(".log li").count() >= 2
        for page in (host, guest):
            page.context.close()


@pytest.mark.needs("systemd-analyze")
def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "playproof.service"
    text = (FILES / "playproof.service").read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/playproof/bin/playproof", sys.executable), encoding="utf-8")
    asked = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert not asked.returncode, asked.stderr
    assert unit.name not in asked.stderr  # where a line is ignored, it says so
