"""Bots in separate processes: a bot that thinks for seconds delays no page.

A worker builds each game once and keeps the games under way. It receives the numbers of all actions
and answers with one number.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping

from playproof.language.keyed_random import Keyed
from playproof.referee.bots import make_bot, sight_for
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant
from playproof.table.chances import Chances, chances
from playproof.table.worker_pool import WorkerPool

_MOST_GAMES = 40  # that a worker keeps

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


class Thinkers(WorkerPool):
    """The worker processes, started when the first bot has to think."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers or max(1, min(4, (os.cpu_count() or 2) - 1)))

    async def choose(self, variant: Variant, seed: int, bot: str, actions: list[int]) -> int:
        """Return a bot's next action."""
        return await self.run(choose, question(variant), seed, bot, tuple(actions))

    async def reckon(self, variant: Variant, seed: int, actions: list[int]) -> Chances:
        """Return the chances over a finished game."""
        return await self.run(reckon, question(variant), seed, tuple(actions))


def question(variant: Variant) -> Question:
    """Return what names a variant, here and in other processes."""
    return variant.ref, _sorted(variant.options), _sorted(variant.rulings), variant.file


def _sorted(choices: Mapping[str, str]) -> Choices:
    return tuple(sorted(choices.items()))
