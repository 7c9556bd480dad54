"""The files of docs/howto/server: their commands exist, and a table is reached through the proxies that are there."""

from __future__ import annotations

import shlex
from configparser import ConfigParser
from json import loads

import pytest

from playproof.cli.verbs.serving import serve
from tests.table.proxies import FILES, first_message, installed


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
    (port,) = [option.default for option in serve.params if option.name == "port"]
    for name in ("Caddyfile", "nginx.conf"):
        assert f"127.0.0.1:{port}" in (FILES / name).read_text(encoding="utf-8")
    site = (FILES / "nginx.conf").read_text(encoding="utf-8")
    assert "proxy_set_header Host $http_host;" in site  # `$host` has no port, and the table refuses the name


def test_a_seat_is_taken_through_the_proxies_of_this_machine() -> None:
    for name in installed():
        assert first_message(name).startswith('<main id="table"')
