"""The clocks of a table: how long the people who wish one may think. They never act by themselves."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_MINUTES, MOST_SECONDS = 600, 3_600
SAYS, PLAYS_ON = "says so", "bot"
"""What happens when somebody's time is up: the page says so; or, only if the table was set up so, a bot plays on."""


@dataclass(frozen=True)
class ClockSettings:
    """What a table's clocks are set to: so many `minutes` for each seat, and `seconds` more after each choice."""

    minutes: int
    seconds: int = 0
    up: str = SAYS

    def as_json(self) -> list[Any]:
        """Return the shape that a journal records."""
        return [self.minutes, self.seconds, self.up]


@dataclass
class SeatClocks:
    """The time left to each seat that wishes a clock, in seconds. Between two choices of a seat its clock runs; `now`
    tells the time. A clock that has run out stays at 0."""

    terms: ClockSettings
    left: dict[int, float] = field(default_factory=dict)
    now: Callable[[], float] = time.monotonic
    running: int | None = None
    _since: float = 0.0
    _aside: dict[int, float] = field(default_factory=dict)  # what was left to a seat that wishes no clock now

    def give_or_remove_clock(self, seat: int, give: bool) -> None:
        """Give a seat a clock, or take it away. Who wishes it again finds on it what was left."""
        if give and seat not in self.left:
            self.left[seat] = self._aside.pop(seat, 60.0 * self.terms.minutes)
        elif not give and seat in self.left:
            self._aside[seat] = self.get_remaining_seconds(seat)
            del self.left[seat]
            self.running = None if self.running == seat else self.running

    def get_remaining_seconds(self, seat: int) -> float:
        """Return the seconds left to a seat now."""
        spent = self.now() - self._since if seat == self.running else 0.0
        return max(0.0, self.left[seat] - spent)

    def has_run_out(self, seat: int) -> bool:
        """Return whether a seat has a clock that has run out."""
        return seat in self.left and self.get_remaining_seconds(seat) <= 0.0

    def stop_running_clock(self, *, acted: bool = False) -> int | None:
        """Stop the clock that runs, and return whose it is. Who `acted` in time gets the seconds of a choice."""
        seat, self.running = self.running, None
        if seat is None:
            return None
        left = max(0.0, self.left[seat] - (self.now() - self._since))
        self.left[seat] = left + self.terms.seconds if acted and left > 0.0 else left
        return seat

    def start_clock(self, seat: int) -> None:
        """Let a seat's clock run, if it has one and it is not up."""
        if seat in self.left and self.left[seat] > 0.0:
            self.running, self._since = seat, self.now()


def parse_clock_settings(fields: Mapping[str, str]) -> ClockSettings | None:
    """Return the clocks of a lobby's form; None if no time is named. Raises ValueError for anything else."""
    minutes, seconds = (fields.get(name, "").strip() or "0" for name in ("minutes", "seconds"))
    if not (minutes.isascii() and minutes.isdecimal() and len(minutes) < 5 and int(minutes) <= MOST_MINUTES):
        raise ValueError(f"expected 0 to {MOST_MINUTES} minutes on a clock, found {minutes[:20]}")
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) < 6 and int(seconds) <= MOST_SECONDS):
        raise ValueError(f"expected 0 to {MOST_SECONDS} seconds after each choice, found {seconds[:20]}")
    if minutes == "0":
        return None
    return ClockSettings(int(minutes), int(seconds), PLAYS_ON if fields.get("up") == PLAYS_ON else SAYS)


def format_clock_time(seconds: float) -> str:
    """Return a time as a clock shows it: `12:05`."""
    whole = int(seconds + 0.999)
    return f"{whole // 60}:{whole % 60:02}"
