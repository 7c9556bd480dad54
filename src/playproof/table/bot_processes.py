"""Bots in separate processes: a bot that thinks for seconds delays no page.

A worker builds each game once and keeps the games under way. It receives the numbers of all actions
and answers with one number.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from playproof.database.worker_process import watch_for
from playproof.language.keyed_random import Keyed
from playproof.referee.bots import make_bot, sight_for
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant

_MOST_GAMES = 40  # that a worker keeps

Choices = tuple[tuple[str, str], ...]
Question = tuple[str, Choices, Choices]  # a game, its options, its rulings

_engines: dict[Question, Engine] = {}
_under_way: OrderedDict[tuple[Question, int], tuple[list[int], list[list[int]]]] = OrderedDict()


def choose(game: Question, seed: int, bot: str, actions: tuple[int, ...]) -> int:
    """Return the bot's choice after these actions. Runs in a worker."""
    if game not in _engines:
        ref, options, rulings = game
        _engines[game] = Engine(Variant(ref, dict(options), dict(rulings)).game)
    engine = _engines[game]
    states = _states(engine, (game, seed), actions)
    mind = make_bot(bot)
    here = sight_for(mind, engine, states, list(actions), engine.play.actor(states[-1]))
    return mind.choose(here, Keyed(seed, "bot", len(actions)))


def _states(engine: Engine, key: tuple[Question, int], actions: tuple[int, ...]) -> list[list[int]]:
    """Return all states of a game. Plays only the actions that are new since the last question."""
    known, states = _under_way.pop(key, ([], [engine.play.start()]))
    same = next(
        (n for n, (a, b) in enumerate(zip(known, actions, strict=False)) if a != b),
        min(len(known), len(actions)),
    )
    known, states = known[:same], states[: same + 1]
    for ident in actions[same:]:
        states.append(engine.play.apply(states[-1], ident))
        known.append(ident)
    _under_way[key] = known, states
    while len(_under_way) > _MOST_GAMES:
        _under_way.popitem(last=False)
    return states


class Thinkers:
    """The worker processes, started when the first bot has to think."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or max(1, min(4, (os.cpu_count() or 2) - 1))
        self._pool: ProcessPoolExecutor | None = None

    async def choose(self, variant: Variant, seed: int, bot: str, actions: list[int]) -> int:
        """Return a bot's next action. If a worker died, start new workers once and try again."""
        game = variant.ref, tuple(variant.options.items()), tuple(variant.rulings.items())
        for last in (False, True):
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._started(), choose, game, seed, bot, tuple(actions)
                )
            except BrokenProcessPool:
                self.close()
                if last:
                    raise
        raise AssertionError("a loop that returns or raises")

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, not forked: the server has threads of its own.
            self._pool = ProcessPoolExecutor(
                self.workers, mp_context=get_context("spawn"), initializer=_quiet, initargs=(os.getpid(),)
            )
        return self._pool

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _quiet(server: int) -> None:
    """Prepare a worker: ignore Ctrl-C, which the server handles, lower its priority, and end it
    with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)  # a page is answered before a bot has thought
    watch_for(server)
