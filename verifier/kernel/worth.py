"""The certificate of a chance game as evidence files carry it: bounds on the chance of an event."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from playproof.rules.language import Game, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.chance import ChanceBounds
from playproof.verifier.kernel.statements import Event, Statement, Worth


@dataclass(frozen=True)
class ChanceGame(Certificate):
    """`luck` and `seat` say how chance falls and who wants the event; the rest as in `ChanceBounds`."""

    kind: ClassVar[str] = "chance"
    event: Event
    luck: str
    seat: int
    values: tuple[Fraction, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    ranks: tuple[int, ...]
    start: int

    @property
    def bounds(self) -> ChanceBounds:
        """The fixed points that the check sweeps over."""
        return ChanceBounds(self.luck, self.seat, self.values, self.upper, self.lower, self.ranks, self.start)

    def statement(self) -> Statement:
        """The chance lies between two numbers, for players who see all cards."""
        self._indices()
        low, high = self.bounds.bounds
        return Worth(self.event, self.luck, self.seat, low, high)

    def check(self, game: Game) -> None:
        """One sweep over all states in exact fractions."""
        self._indices()
        target = self.event.target(game)
        if target.idents is not None:
            raise NotShown("a chance is asked of endings and conditions, not of actions")
        try:
            refused = self.bounds.check(game, target.condition)
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None
        if refused:
            raise NotShown(refused)

    def _indices(self) -> None:
        if not 0 <= self.start < min(len(self.upper), len(self.lower)) or not all(
                0 <= i < len(self.values) for i in (*self.upper, *self.lower)):
            raise NotShown("a state has a value that is not listed")


__all__ = ["ChanceGame"]
