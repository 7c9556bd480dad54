"""The claims that a save touches, and their verdicts as they are found, by a process of their own.

The process asks; it is handed to the table by the command, because no prover stands below the table. It sends, in this
order: `TouchedClaims`, an `ClaimAnswer` per claim, and nothing more. If the rules cannot be read, it sends why as text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple


class TouchedClaims(NamedTuple):
    """What a game's claims rest on now, for the process alone to read, and which of them a save has touched."""

    marks: bytes
    claims: int
    touched: tuple[str, ...]


class ClaimAnswer(NamedTuple):
    """The verdict on one claim, in words. `wrong` is whether it is not what the designer claims."""

    ident: str
    says: str
    verdict: str
    value: str
    wrong: bool


AskClaims = Callable[[bytes | None, Connection], None]
"""Sends what a save has touched since these marks, and each answer. None: the marks of now, and nothing is touched."""


class ClaimWatch:
    """The claims of an edited game. Each save starts the process anew; what it found for an older state is dropped."""

    def __init__(self, ask: AskClaims) -> None:
        self._ask = ask
        self._old: bytes | None = None  # what the present is compared with
        self.now: TouchedClaims | None = None
        self.answers: dict[str, ClaimAnswer] = {}
        self.fault = ""
        self._task: asyncio.Task[None] | None = None
        self._again = False

    @property
    def busy(self) -> bool:
        """Whether answers are still to come."""
        return self._task is not None and not self._task.done()

    def start_process_asking_touched_claims(self, on_answer: Callable[[], None]) -> None:
        """Ask about the files as they are now, and call `on_answer` after each answer."""
        if self._old is None and self.busy:
            self._again = True  # without the first marks, nothing would be touched
            return
        self.stop_asking_claims()
        self._task = asyncio.get_running_loop().create_task(self._ask_again_until_answers_are_current(on_answer))

    def make_present_state_the_baseline(self) -> None:
        """Make the present state the one that later states are compared with."""
        if self.now is not None:
            self._old, self.now, self.answers = self.now.marks, self.now._replace(touched=()), {}
            self.stop_asking_claims()

    def stop_asking_claims(self) -> None:
        """End the process."""
        if self._task is not None:
            self._task.cancel()

    async def _ask_again_until_answers_are_current(self, on_answer: Callable[[], None]) -> None:
        self._again = True
        while self._again:
            self._again = False
            await self._run_claims_process_storing_messages(on_answer)
        on_answer()

    async def _run_claims_process_storing_messages(self, on_answer: Callable[[], None]) -> None:
        here, there = (context := get_context("spawn")).Pipe(duplex=False)
        # Not a daemon: it shares its work among children of its own. It ends with the server all the same.
        process = context.Process(target=self._ask, args=(self._old, there))
        process.start()
        there.close()
        self.answers, self.fault = {}, ""
        try:
            while True:
                message = await asyncio.to_thread(here.recv)
                self._store_claims_process_message(message)
                on_answer()
        except EOFError:
            pass  # all is sent
        finally:
            process.terminate()
            await asyncio.to_thread(process.join)

    def _store_claims_process_message(self, message: TouchedClaims | ClaimAnswer | str) -> None:
        if isinstance(message, TouchedClaims):
            self.now = message
            self._old = self._old or message.marks
        elif isinstance(message, ClaimAnswer):
            self.answers[message.ident] = message
        else:
            self.fault = message
