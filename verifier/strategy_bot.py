"""A bot that plays a strategy of a claims file: `strategy:cards/mygame/claims.yaml#careful`.

What is proved of the strategy and what is played are one: both ask the kernel which actions it allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from playproof.database.errors import did_you_mean
from playproof.language.game import Game
from playproof.language.random import Stream
from playproof.referee.bots.base import BotError, Looks, Sight
from playproof.referee.engine import Engine
from playproof.verifier.kernel.exploration import Edges, RowReader, Steps
from playproof.verifier.kernel.strategies import list_allowed_actions
from playproof.verifier.prove import load_claims
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import Strategy, read_strategy


def load_strategy_claims(folder: Path) -> dict[str, Question]:
    """Return the strategies in a game's claims, by the ids of the claims; none if it has no claims."""
    if not (folder / "claims.yaml").is_file():
        return {}
    claims = load_claims(str(folder))
    return {name: q for name, q in claims.items() if q.ask == "strategy" and "play" in (q.of or {})}


def load_strategy_claim(folder: Path, claim: str) -> Question:
    """Return the claim of a strategy. Raises BotError if there is none of this id."""
    strategies = load_strategy_claims(folder)
    if claim not in strategies:
        hint = did_you_mean(claim, strategies) or "write a claim with `ask: strategy`"
        raise BotError(f"the claims of {folder.name} have no strategy `{claim}`; {hint}")
    return strategies[claim]


class _EngineSuccessors(RowReader):
    """Reads states as the kernel does, and steps with the engine's generated code, which is quicker."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.game)
        self.engine = engine

    def iter_legal_steps(self, cells: Edges) -> Iterator[Steps]:
        """Yield each legal action of each state, with the state's row and its successor."""
        for row, state in enumerate(cells.tolist()):
            for ident in self.engine.legal(state):
                yield np.array([row]), ident, np.array([self.engine.apply(state, ident)], dtype=np.object_)


class StrategyBot:
    """Takes an action that the strategy allows, in whatever seat it sits. Of equal ones it draws one, or takes the
    first if the claim says so."""

    looks: ClassVar[Looks] = "table"

    def __init__(self, place: str) -> None:
        """`place` is FILE#CLAIM. Raises BotError."""
        file, _, claim = place.rpartition("#")
        if not file:
            raise BotError(f"expected strategy:CLAIM beside a game, or strategy:FILE#CLAIM, found `{place}`")
        self.name, self.question = f"strategy:{place}", load_strategy_claim(Path(file).parent, claim)
        self._plans: WeakKeyDictionary[Game, Strategy] = WeakKeyDictionary()

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return an allowed action. What is hidden is imagined, which makes no difference to a strategy that its
        seat can follow."""
        game = sight.engine.game
        if game not in self._plans:
            self._plans[game] = read_strategy(game, self.question.of, self.question.where)
        plan = replace(self._plans[game], seats=(sight.seat,))
        allowed = list_allowed_actions(game, plan, sight.world(stream), _EngineSuccessors(sight.engine))
        return allowed[stream.below(len(allowed))]
