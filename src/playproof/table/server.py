"""Starts the server: its port, who may connect, a sentence if it cannot start, and connections that
cost nothing for long.

Connections that cost the server nothing for long: a request must arrive in time, an answer must be
taken in time, and an address has a limited number of connections.

uvicorn limits the size of a request's head, and the idle time after an answer. It waits for ever for
the first byte, and for the rest of a request that has begun. Its limit of all connections together
does not hold for WebSockets."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from playproof.table.edited_game import EditedGame
from playproof.table.sessions import ServerState
from playproof.table.web_app import TableApp

# -- start server --------------------------------------------------------------------------------------------
# Start the server: its port, who may connect, and a sentence if it cannot start.

HERE = "127.0.0.1"
_MOST_MESSAGE = 4_096  # bytes a browser may send at once on its WebSocket


class PortUnavailable(Exception):
    """The port cannot be used. The message says what to do."""


def serve_tables_until_interrupted(
    games: Sequence[str],
    port: int,
    saves_folder: Path | None,
    *,
    open_to_lan: bool = False,
    public_url: str = "",
    workers: int | None = None,
    bot_delay_seconds: float = 0.35,
    keep_days: int | None = None,
    workshop_game: EditedGame | None = None,
    print_line: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C; with `workshop_game`, serve its workshop too. `public_url` is the address that a proxy on
    this machine shows to the world. Tables that nobody has touched for `keep_days` are deleted. Raises
    PortUnavailable."""
    address = find_lan_address_or_empty() if open_to_lan else ""
    sockets = open_local_and_lan_sockets(port, address)
    port = sockets[0].getsockname()[1]
    names = {f"{name}:{port}" for name in (HERE, "localhost", *([address] if address else []))}
    if public_url:
        names.add(public_url.partition("://")[2])
    server_state = ServerState(games, saves_folder, workers=workers, pace=bot_delay_seconds, keep_days=keep_days)
    for complaint in server_state.complaints:
        print_line(complaint)
    site = TableApp(
        server_state,
        names,
        public_url or (f"http://{address}:{port}" if address else ""),
        workshop_game,
        proxied=bool(public_url),
    )
    lobby = f"{public_url or f'http://{HERE}:{port}'}{site.lobby_at}"
    print_line(f"{lobby}  (Ctrl-C stops; games are kept in {saves_folder})" if saves_folder else lobby)
    print_line("whoever has this address sets up tables and sees all seats: keep it to yourself")
    if public_url:
        print_line(f"a proxy on this machine passes {public_url}/ on to http://{HERE}:{port}/")
    if address:
        print_line(
            f"open to {_describe_who_reaches_address(address)}: "
            f"others reach it at http://{address}:{port}/ through the address of a seat"
        )
    elif open_to_lan:
        print_line("no local network was found; the table is open on this machine only")
    if workshop_game is not None:
        print_line(f"the workshop: {lobby}workshop")
    with contextlib.suppress(KeyboardInterrupt):
        make_uvicorn_server_not_running(site).run(sockets=sockets)
    print_line("stopped")


def make_uvicorn_server_not_running(table_app: TableApp) -> uvicorn.Server:
    """Return a server for a site, not yet running."""
    config = uvicorn.Config(
        table_app.app,
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
    # Requests that are ended with the server are no error: `RequestGuard` answers them.
    logging.getLogger("uvicorn.error").addFilter(lambda line: "graceful shutdown" not in line.getMessage())
    return uvicorn.Server(config)


def open_local_and_lan_sockets(port: int, lan_address: str = "") -> list[socket.socket]:
    """Return listening sockets: this machine's own, and the one of its address in the local
    network. No other network reaches them. Raises PortUnavailable."""
    own = open_listening_socket_or_raise(HERE, port)
    if not lan_address:
        return [own]
    try:
        return [own, open_listening_socket_or_raise(lan_address, own.getsockname()[1])]
    except PortUnavailable:
        own.close()
        raise


def open_listening_socket_or_raise(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one. Raises PortUnavailable if the port cannot be
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


def find_lan_address_or_empty() -> str:
    """Return this machine's address in the local network; "" if there is none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: it only chooses the interface
            address = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if address.startswith("127.") else address


def _describe_who_reaches_address(address: str) -> str:
    """Return in words who reaches an address."""
    return "the local network" if ipaddress.ip_address(address).is_private else "the whole internet"


# -- connections ---------------------------------------------------------------------------------------------
# Connections that cost the server nothing for long: a request must arrive in time, an answer must be taken
# in time, and an address has a limited number of connections.

REQUEST_SECONDS = 10.0  # until a request has arrived whole
ANSWER_SECONDS = 30.0  # until a browser has taken what it was sent
MOST_CONNECTIONS = 500  # together
MOST_OF_AN_ADDRESS = 100  # a browser opens about eight; this machine, and a proxy on it, may use them all


class TimeLimitedConnection(H11Protocol):
    """uvicorn's connection, closed when it takes too long."""

    _upgraded = False
    _late: asyncio.TimerHandle | None = None
    _slow: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Accept a connection, unless its address has too many."""
        super().connection_made(transport)
        host = _get_remote_address(self)
        alike = [other for other in self.connections if _get_remote_address(other) == host]
        too_many = len(alike) > MOST_OF_AN_ADDRESS and not _is_loopback_address(host)
        if too_many or len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._start_or_cancel_request_timeout()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request. The time for the rest does not begin anew."""
        super().data_received(data)
        self._start_or_cancel_request_timeout()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand the connection over; from here uvicorn asks the browser for signs of life."""
        self._upgraded = True
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Wait for the browser to take what it was sent."""
        super().pause_writing()
        self._slow = self.loop.call_later(ANSWER_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on sending."""
        self._cancel_timer(self._slow)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._cancel_timer(self._late)
        self._cancel_timer(self._slow)
        super().connection_lost(exc)

    def _start_or_cancel_request_timeout(self) -> None:
        """Start the time of a request that has not arrived whole, and end that of one that has."""
        cycle = self.cycle  # of the latest request; none before the first head has arrived
        waits = cycle is None or cycle.response_complete or cycle.more_body
        if self._upgraded or not waits:
            self._cancel_timer(self._late)
            self._late = None
        elif self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _cancel_timer(self, timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()


def _get_remote_address(connection: Any) -> str:
    """Return the address at the other end, of any of uvicorn's kinds of connection."""
    return connection.client[0] if connection.client else ""


def _is_loopback_address(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
