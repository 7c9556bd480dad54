"""Bots in separate processes: a bot that thinks for seconds delays no page.

A worker builds each game once and keeps the games under way. It receives the numbers of all actions
and answers with one number.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from playproof.database.worker_process import watch_for
from playproof.language.keyed_random import Keyed
from playproof.referee.bots import make_bot, sight_for
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant
from playproof.table.chances import Chances, chances

_MOST_GAMES = 40  # that a worker keeps

T = TypeVar("T")
Choices = tuple[tuple[str, str], ...]
Question = tuple[str, Choices, Choices, str]  # a game, its options, its rulings, the file of its description

_engines: dict[Question, Engine] = {}
_under_way: OrderedDict[tuple[Question, int], tuple[list[int], list[list[int]]]] = OrderedDict()


def choose(game: Question, seed: int, bot: str, actions: tuple[int, ...]) -> int:
    """Return the bot's choice after these actions. Runs in a worker."""
    engine = _engine(game)
    states = _states(engine, (game, seed), actions)
    mind = make_bot(bot)
    here = sight_for(mind, engine, states, list(actions), engine.play.actor(states[-1]))
    return mind.choose(here, Keyed(seed, "bot", len(actions)))


def reckon(game: Question, seed: int, actions: tuple[int, ...]) -> Chances:
    """Return the chances over a finished game. Runs in a worker."""
    engine = _engine(game)
    states = [engine.play.start()]
    for ident in actions:
        states.append(engine.play.apply(states[-1], ident))
    return chances(engine, states, seed)


def _engine(game: Question) -> Engine:
    if game not in _engines:
        ref, options, rulings, file = game
        _engines[game] = Engine(Variant(ref, dict(options), dict(rulings), file).game)
    return _engines[game]


def _states(engine: Engine, key: tuple[Question, int], actions: tuple[int, ...]) -> list[list[int]]:
    """Return all states of a game. Plays only the actions that are new since the last question."""
    taken, states = _under_way.pop(key, ([], [engine.play.start()]))
    same = next(
        (n for n, (a, b) in enumerate(zip(taken, actions, strict=False)) if a != b),
        min(len(taken), len(actions)),
    )
    taken, states = taken[:same], states[: same + 1]
    for ident in actions[same:]:
        states.append(engine.play.apply(states[-1], ident))
        taken.append(ident)
    _under_way[key] = taken, states
    while len(_under_way) > _MOST_GAMES:
        _under_way.popitem(last=False)
    return states


class Thinkers:
    """The worker processes, started when the first bot has to think."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or max(1, min(4, (os.cpu_count() or 2) - 1))
        self._pool: ProcessPoolExecutor | None = None

    async def choose(self, variant: Variant, seed: int, bot: str, actions: list[int]) -> int:
        """Return a bot's next action."""
        return await self._done(choose, question(variant), seed, bot, tuple(actions))

    async def reckon(self, variant: Variant, seed: int, actions: list[int]) -> Chances:
        """Return the chances over a finished game."""
        return await self._done(reckon, question(variant), seed, tuple(actions))

    async def _done(self, work: Callable[..., T], *arguments: object) -> T:
        """Let a worker do this. If it died, start new workers once and try again."""
        for last in (False, True):
            try:
                return await asyncio.get_running_loop().run_in_executor(self._started(), work, *arguments)
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


def question(variant: Variant) -> Question:
    """Return what names a variant, here and in other processes."""
    return variant.ref, _sorted(variant.options), _sorted(variant.rulings), variant.file


def _sorted(choices: Mapping[str, str]) -> Choices:
    return tuple(sorted(choices.items()))


def _quiet(server: int) -> None:
    """Prepare a worker: ignore Ctrl-C, which the server handles, lower its priority, and end it
    with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):  # not on Windows
        os.nice(5)  # a page is answered before a bot has thought
    watch_for(server)
