"""A line of play that comes back to a state: then a game can go on for ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from playproof.language import Game, Interpreter, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import About, Statement
from playproof.verifier.kernel.transcript import replayed


@dataclass(frozen=True)
class Endless(About):
    """Some game goes on for ever."""

    kind: ClassVar[str] = "endless"

    def said(self, so: bool) -> str:
        """Say that some game goes on for ever, or that every game comes to an end."""
        return "a game can go on for ever" if so else "every game comes to an end"


@dataclass(frozen=True)
class Circle(Certificate):
    """Actions from the start. The state behind the first `before` of them comes again behind all, so those in between
    can be taken again and again: what is legal depends on the state alone. `words` are the actions, for readers."""

    kind: ClassVar[str] = "circle"
    before: int
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """State that some game goes on for ever."""
        return Statement(Endless())

    def check(self, game: Game, context: Context) -> None:
        """Replay the line. Raises NotShown if the two states differ, or nothing lies between them."""
        play = Interpreter(game)
        if not 0 <= self.before < len(self.idents):
            raise NotShown("no action lies in the circle")
        try:
            first = replayed(play, self.idents[: self.before])
            again = replayed(play, self.idents[self.before :], first)
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None
        if first != again:
            raise NotShown("the line does not come back to the state")
        if tuple(game.show(i) for i in self.idents) != self.words:
            raise NotShown("the words are not those of the actions")
