"""Certificates: frozen data that states something about a game and can be checked against it.

    @dataclass(frozen=True)
    class Transcript(Certificate):
        kind = "transcript"
        about: About
        idents: tuple[int, ...]

        def statement(self) -> Statement: ...      what it shows, if its check accepts it
        def check(self, game: Game) -> None: ...   raises NotShown

Fields have the types that `strict.decode` knows; it finds the class by its `kind`. The kernel does
not ask who made a certificate, or how.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from playproof.rules.language import Game
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict import Tagged


class NotShown(Exception):
    """Raised if a certificate does not show what it states; the message says why."""


@dataclass(frozen=True)
class Certificate(Tagged, ABC):
    """Evidence of one kind. `rests` names what has to be trusted besides the kernel."""

    rests: ClassVar[str] = "the interpreter"

    def leans_on(self) -> str:
        """Return what has to be trusted for this certificate, besides the kernel."""
        return self.rests

    @abstractmethod
    def statement(self) -> Statement:
        """Return the statement that the certificate shows, computed from its data."""

    @abstractmethod
    def check(self, game: Game) -> None:
        """Check that the certificate shows its statement of this game. Raises NotShown if it does
        not."""


__all__ = ["Certificate", "NotShown"]
