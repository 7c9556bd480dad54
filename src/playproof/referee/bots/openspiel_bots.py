"""OpenSpiel's bots at our table: `openspiel:uniform_random`, `openspiel:mcts`, or any bot that
`pyspiel` registers.

Such a bot asks for a state. It gets a state that its seat imagines, never the true one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from playproof.language.random import Stream
from playproof.referee.bots.base import BotError, Looks, Sight

_SIMULATIONS = 100
_WIDTH = 2.0  # how much OpenSpiel's search explores


class OpenSpielBot:
    """One of OpenSpiel's bots; `mcts` is its tree search of 100 simulations, `mcts200` of 200."""

    looks: ClassVar[Looks] = "worlds"

    def __init__(self, kind: str) -> None:
        try:
            import pyspiel  # type: ignore[import-not-found]  # compiled code without types
        except ImportError:
            line = "pip install 'playproof[openspiel]'"
            raise BotError(f"openspiel's bots need the package `open_spiel`: {line}") from None
        search = kind.removeprefix("mcts")
        self.kind, self.name = kind, f"openspiel:{kind}"
        if search.isdigit():
            self._simulations = int(search)
        else:
            self._simulations = _SIMULATIONS if kind == "mcts" else 0  # 0: not the tree search
        if not self._simulations and kind not in pyspiel.registered_bots():
            raise BotError(f"OpenSpiel has no bot `{kind}`; it has mcts, {', '.join(pyspiel.registered_bots())}")

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return what the bot does in an imagined state."""
        from playproof.referee.openspiel import make_unregistered_openspiel_game

        game, seed = make_unregistered_openspiel_game(sight.engine), stream.below(1 << 31)
        if sight.worlds is not None and sight.worlds.history is not None:
            states, actions = sight.worlds.history(stream)
        else:
            states, actions = [sight.world(stream)], []
        return int(self._make_openspiel_bot(game, sight.seat, seed).step(game.make_state_with_history(states, actions)))

    def _make_openspiel_bot(self, game: Any, seat: int, seed: int) -> Any:
        """Make the bot anew for each decision, so that its choice depends on this decision
        alone."""
        import pyspiel
        from open_spiel.python.algorithms import mcts  # type: ignore[import-untyped]  # no types

        if not self._simulations:
            try:
                return pyspiel.load_bot(self.kind, game, seat, {"seed": seed})
            except pyspiel.SpielError:  # the bot takes no seed
                return pyspiel.load_bot(self.kind, game, seat)
        dice = np.random.RandomState(seed)
        return mcts.MCTSBot(game, _WIDTH, self._simulations, mcts.RandomRolloutEvaluator(1, dice), random_state=dice)
