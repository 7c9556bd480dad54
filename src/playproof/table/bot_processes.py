"""Bots in separate processes: a bot that thinks for seconds delays no page.

A worker builds each game once and keeps the games under way. It receives the numbers of all actions
and answers with one number.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping

from playproof.language.keyed_random import KeyedStream
from playproof.referee.bots import make_bot, make_sight_for_bot
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant
from playproof.table.chances import WinChances, estimate_win_chances
from playproof.table.worker_pool import WorkerPool

_MOST_GAMES = 40  # that a worker keeps

SortedChoices = tuple[tuple[str, str], ...]
# a game, its options, its rulings, the file of its description
VariantKey = tuple[str, SortedChoices, SortedChoices, str]

_engines: dict[VariantKey, Engine] = {}
_under_way: OrderedDict[tuple[VariantKey, int], tuple[list[int], list[list[int]]]] = OrderedDict()


def choose_action_in_worker(game: VariantKey, seed: int, bot: str, actions: tuple[int, ...]) -> int:
    """Return the bot's choice after these actions. Runs in a worker."""
    engine = _get_cached_engine(game)
    states = _list_states_after(engine, (game, seed), actions)
    mind = make_bot(bot)
    here = make_sight_for_bot(mind, engine, states, list(actions), engine.play.actor(states[-1]))
    return mind.choose(here, KeyedStream(seed, "bot", len(actions)))


def estimate_chances_in_worker(game: VariantKey, seed: int, actions: tuple[int, ...]) -> WinChances:
    """Return the chances over a finished game. Runs in a worker."""
    engine = _get_cached_engine(game)
    states = [engine.play.start()]
    for ident in actions:
        states.append(engine.play.apply(states[-1], ident))
    return estimate_win_chances(engine, states, seed)


def _get_cached_engine(game: VariantKey) -> Engine:
    if game not in _engines:
        ref, options, rulings, file = game
        _engines[game] = Engine(Variant(ref, dict(options), dict(rulings), file).game)
    return _engines[game]


def _list_states_after(
    engine: Engine, key: tuple[VariantKey, int], actions: tuple[int, ...]
) -> list[list[int]]:
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


class BotPool(WorkerPool):
    """The worker processes, started when the first bot has to think."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers or max(1, min(4, (os.cpu_count() or 2) - 1)))

    async def choose_action(self, variant: Variant, seed: int, bot: str, actions: list[int]) -> int:
        """Return a bot's next action."""
        return await self.run_in_worker(
            choose_action_in_worker, make_variant_key(variant), seed, bot, tuple(actions)
        )

    async def estimate_chances(self, variant: Variant, seed: int, actions: list[int]) -> WinChances:
        """Return the chances over a finished game."""
        return await self.run_in_worker(
            estimate_chances_in_worker, make_variant_key(variant), seed, tuple(actions)
        )


def make_variant_key(variant: Variant) -> VariantKey:
    """Return what names a variant, here and in other processes."""
    return variant.ref, _sort_choices(variant.options), _sort_choices(variant.rulings), variant.file


def _sort_choices(choices: Mapping[str, str]) -> SortedChoices:
    return tuple(sorted(choices.items()))
