"""Connections that cost the server nothing for long: a request must arrive in time, an answer must be
taken in time, and an address has a limited number of connections.

uvicorn limits the size of a request's head, and the idle time after an answer. It waits for ever for
the first byte, and for the rest of a request that has begun. Its limit of all connections together
does not hold for WebSockets.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

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
        host = _get_host(self)
        alike = [other for other in self.connections if _get_host(other) == host]
        too_many = len(alike) > MOST_OF_AN_ADDRESS and not _is_this_machine(host)
        if too_many or len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._limit_request_time()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request. The time for the rest does not begin anew."""
        super().data_received(data)
        self._limit_request_time()

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

    def _limit_request_time(self) -> None:
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


def _get_host(connection: Any) -> str:
    """Return the address at the other end, of any of uvicorn's kinds of connection."""
    return connection.client[0] if connection.client else ""


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
