"""Start the server: its port, who may connect, and a sentence if it cannot start."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from playproof.table.connections import TimeLimitedConnection
from playproof.table.editing import EditedGame
from playproof.table.hall import ServerState
from playproof.table.site import TableApp

HERE = "127.0.0.1"
_MOST_MESSAGE = 4_096  # bytes a browser may send at once on its WebSocket


class PortUnavailable(Exception):
    """The port cannot be used. The message says what to do."""


def run_server(
    games: Sequence[str],
    port: int,
    saves: Path | None,
    *,
    lan: bool = False,
    public: str = "",
    workers: int | None = None,
    pace: float = 0.35,
    keep_days: int | None = None,
    edited: EditedGame | None = None,
    print_line: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C; with `edited`, serve its workshop too. `public` is the address that a proxy on this machine
    shows to the world. Tables that nobody has touched for `keep_days` are deleted. Raises Busy."""
    address = find_lan_address() if lan else ""
    sockets = open_listening_sockets(port, address)
    port = sockets[0].getsockname()[1]
    names = {f"{name}:{port}" for name in (HERE, "localhost", *([address] if address else []))}
    if public:
        names.add(public.partition("://")[2])
    hall = ServerState(games, saves, workers=workers, pace=pace, keep_days=keep_days)
    for complaint in hall.complaints:
        print_line(complaint)
    site = TableApp(
        hall, names, public or (f"http://{address}:{port}" if address else ""), edited, proxied=bool(public)
    )
    lobby = f"{public or f'http://{HERE}:{port}'}{site.lobby_at}"
    print_line(f"{lobby}  (Ctrl-C stops; games are kept in {saves})" if saves else lobby)
    print_line("whoever has this address sets up tables and sees all seats: keep it to yourself")
    if public:
        print_line(f"a proxy on this machine passes {public}/ on to http://{HERE}:{port}/")
    if address:
        print_line(
            f"open to {_describe_reach(address)}: "
            f"others reach it at http://{address}:{port}/ through the address of a seat"
        )
    elif lan:
        print_line("no local network was found; the table is open on this machine only")
    if edited is not None:
        print_line(f"the workshop: {lobby}workshop")
    with contextlib.suppress(KeyboardInterrupt):
        make_server(site).run(sockets=sockets)
    print_line("stopped")


def make_server(site: TableApp) -> uvicorn.Server:
    """Return a server for a site, not yet running."""
    config = uvicorn.Config(
        site.app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=_MOST_MESSAGE,
        ws_max_queue=4,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
        http=TimeLimitedConnection,
        # A proxy's word on who asks could be anybody's word.
        proxy_headers=False,
        h11_max_incomplete_event_size=16_384,
    )
    # Requests that are ended with the server are no error: `Guard` answers them.
    logging.getLogger("uvicorn.error").addFilter(lambda line: "graceful shutdown" not in line.getMessage())
    return uvicorn.Server(config)


def open_listening_sockets(port: int, address: str = "") -> list[socket.socket]:
    """Return listening sockets: this machine's own, and the one of its address in the local
    network. No other network reaches them. Raises Busy."""
    own = bind_listening_socket(HERE, port)
    if not address:
        return [own]
    try:
        return [own, bind_listening_socket(address, own.getsockname()[1])]
    except PortUnavailable:
        own.close()
        raise


def bind_listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one. Raises Busy if the port cannot be
    used."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise PortUnavailable(
            f"port {port} cannot be used ({error.strerror}): another server may run there; "
            "take another with --port, or --port 0 for any free one"
        ) from None
    made.listen(128)
    made.setblocking(False)
    return made


def find_lan_address() -> str:
    """Return this machine's address in the local network; "" if there is none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: it only chooses the interface
            address = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if address.startswith("127.") else address


def _describe_reach(address: str) -> str:
    """Return in words who reaches an address."""
    return "the local network" if ipaddress.ip_address(address).is_private else "the whole internet"
